//! What is shown of a candidate over all phases, and of one that did not take part.

use kurabe_record::{Guarantee, KnownStore, StoreKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::lowered::Lowered;
use crate::work::Work;

/// One candidate over all phases.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CandidateAnswer {
    /// Candidate.
    pub name: String,
    /// Store.
    pub store: String,
    /// Client.
    pub client: String,
    /// A store, or a floor.
    pub kind: StoreKind,
    /// What the store is; absent for floors, and in runs that do not tell.
    pub known: Option<KnownStore>,
    /// How much of the planned work it did.
    pub work: Work,
    /// What it keeps of acknowledged writes; absent where that is unknown or where there is none.
    pub guarantee: Option<Guarantee>,
    /// What can be lost, in words; absent where that is unknown.
    pub window: Option<String>,
    /// What took from what its durability setting keeps, the gravest first.
    pub lowered: Vec<Lowered>,
    /// Versions of client, libraries and service.
    pub versions: Vec<String>,
    /// What it cost beside time.
    pub resources: Resources,
}

/// What a candidate cost beside time: medians over the jobs that ended in good order, memory the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Resources {
    /// Jobs behind these figures.
    pub jobs: usize,
    /// Blocks on disk for each row after the last phase that writes, without those of an empty store, in bytes.
    pub disk_per_row_bytes: Option<f64>,
    /// Bytes sent to the device by client and service for each row written, over the phases that write.
    pub written_per_row_bytes: Option<f64>,
    /// Time to settle (flush and syncfs), summed over the phases that write, in ns.
    pub settle_ns: Option<f64>,
    /// Client's memory in bytes, the largest over phases and rounds.
    pub client_memory_bytes: Option<u64>,
    /// Service's memory in bytes, the largest over phases and rounds.
    pub service_memory_bytes: Option<u64>,
    /// Time until a client process has started, in ns.
    pub client_start_ns: Option<f64>,
    /// Client's processor time over all phases, in ns.
    pub client_cpu_ns: Option<f64>,
    /// Service's processor time over all phases, in ns.
    pub service_cpu_ns: Option<f64>,
}

/// A candidate that was asked for and did not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Absent {
    /// Candidate as it was named.
    pub candidate: String,
    /// Why.
    pub reason: String,
    /// What would help.
    pub remedy: Option<String>,
}
