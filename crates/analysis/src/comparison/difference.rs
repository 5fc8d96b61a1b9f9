//! What two runs do not have in common. All of it is written as messages.

use kurabe_messages::Message;

use crate::figures::reason::Reason;

/// Something beside the figures that is not the same in the first run and another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The other run, from 0.
    pub run: usize,
    /// What.
    pub what: Subject,
    /// The candidate that has it; absent where it is of the whole run.
    pub candidate: Option<String>,
    /// In the first run and in the other; absent where it is unknown or there is none.
    pub values: [Option<Message>; 2],
}

/// What can differ between runs, in the order in which it is told: of the run, then of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// Name of the study.
    Study,
    /// Durability that a candidate must have.
    Baseline,
    /// Cache of servers, in MiB.
    CacheMib,
    /// Name of the store's client.
    Client,
    /// Name of the durability setting.
    Durability,
    /// Version of a library of the client.
    Library(String),
    /// Version of the service.
    Service,
    /// Settings of adapter and client.
    Settings,
    /// Name of the store.
    Store,
    /// How servers are reached.
    Transport,
    /// Variant of the store.
    Variant,
    /// Seed of the streams.
    Seed,
    /// Version of Kurabe.
    Kurabe,
    /// Model of the processor.
    Processor,
    /// Cores that may be used.
    Cores,
    /// CPU quota of control groups.
    CpuQuota,
    /// Release of the kernel.
    Kernel,
    /// Memory of the machine, in MiB.
    MemoryMib,
    /// File system of the data folders.
    FileSystem,
}

impl Difference {
    /// Whether the runs were made on different machines, as far as both could be read.
    pub(crate) fn is_another_machine(&self) -> bool {
        use Subject::{Cores, CpuQuota, FileSystem, Kernel, MemoryMib, Processor};
        let is_of_machine = matches!(self.what, Processor | Cores | CpuQuota | Kernel | MemoryMib | FileSystem);
        is_of_machine && self.values.iter().all(Option::is_some)
    }
}

/// What is not the same in the rows of the first run and another.
#[derive(Clone, Debug, PartialEq)]
pub enum OtherRows {
    /// How many they are.
    Count {
        /// The other run, from 0.
        run: usize,
        /// In the first and in the other.
        rows: [u64; 2],
    },
    /// Where they come from: a file with its checksum; absent where they are generated.
    Data {
        /// The other run, from 0.
        run: usize,
        /// In the first and in the other.
        files: [Option<(String, u32)>; 2],
    },
    /// Which share of the filler can be compressed.
    Compressible {
        /// The other run, from 0.
        run: usize,
        /// In the first and in the other.
        shares: [f64; 2],
    },
    /// The columns.
    Shape,
}

/// What one run has and another lacks, or what does not count in one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCompared {
    /// A candidate has no figure in a phase that may be compared.
    NotRanked {
        /// Candidate.
        candidate: String,
        /// Phase.
        phase: String,
        /// The run in which it does not count, from 0.
        run: usize,
        /// Why.
        reason: Reason,
    },
    /// Candidates that only one run has.
    Candidates {
        /// The run, from 0.
        run: usize,
        /// They.
        candidates: Vec<String>,
    },
    /// Phases that only one run has.
    Phases {
        /// The run, from 0.
        run: usize,
        /// They.
        phases: Vec<String>,
    },
}
