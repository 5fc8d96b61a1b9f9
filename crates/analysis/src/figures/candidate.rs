//! What is shown of a candidate over all phases, and of one that did not take part.

use kurabe_messages::{Message, RecordedText, message};
use kurabe_record::{CandidateRecord, Guarantee, JobRecord, KnownStore, RunRecord, StoreKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::completion::Work;
use crate::figures::guarantee::Promise;
use crate::figures::input::Input;
use crate::figures::resources::{Resources, over_jobs};
use crate::figures::weakening::Weakening;

/// One candidate over all phases.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CandidateAnswer {
    /// Candidate.
    pub name: String,
    /// Store.
    pub store: String,
    /// Client.
    pub client: String,
    /// A store, or a baseline.
    pub kind: StoreKind,
    /// Whether a load tool drives it, whose answers are not checked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub by_load_tool: bool,
    /// What the store is; absent for baselines, and in runs that do not tell.
    pub known: Option<KnownStore>,
    /// How much of the planned work it did.
    pub work: Work,
    /// What it keeps of acknowledged writes; absent where that is unknown or where there is none.
    pub guarantee: Option<Guarantee>,
    /// What can be lost, in words; absent where that is unknown.
    pub window: Option<Message>,
    /// What took from what its durability setting keeps, the gravest first.
    pub weakened: Vec<Weakening>,
    /// Versions of client, libraries and service.
    pub versions: Vec<Message>,
    /// What it cost beside time.
    pub resources: Resources,
}

/// A candidate that was asked for and did not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Absent {
    /// Candidate as it was named.
    pub candidate: String,
    /// Why.
    pub reason: RecordedText,
    /// What would help.
    pub remedy: Option<String>,
}

/// One candidate over all phases.
pub(crate) fn candidate(input: &Input<'_>, candidate: &CandidateRecord) -> CandidateAnswer {
    let jobs: Vec<&JobRecord> = input.jobs_of(&candidate.name).collect();
    let Promise { guarantee, window, weakened } = Promise::of(input, candidate);
    CandidateAnswer {
        name: candidate.name.clone(),
        store: candidate.store.clone(),
        kind: candidate.kind,
        by_load_tool: candidate.by_load_tool,
        client: candidate.client.clone(),
        known: input.run.stores.iter().find(|known| known.name == candidate.store).cloned(),
        work: Work::of(input, candidate),
        guarantee,
        window,
        weakened,
        versions: versions(candidate, &jobs),
        resources: over_jobs(input, &jobs),
    }
}

fn versions(candidate: &CandidateRecord, jobs: &[&JobRecord]) -> Vec<Message> {
    let service = |version: &String| message!(version_of_service, version);
    let mut versions: Vec<Message> = candidate.service_version.iter().map(service).collect();
    if let Some(hello) = jobs.iter().find_map(|job| job.hello.as_ref()) {
        versions.push(message!(version_of_client, client = &hello.client, version = &hello.version));
        let of_library = |(library, version): (&String, &String)| message!(version_of_library, library, version);
        versions.extend(hello.libraries.iter().map(of_library));
    }
    let mut results = jobs.iter().flat_map(|job| &job.phases).flat_map(|phase| &phase.results);
    versions.extend(results.find_map(|result| result.runtime.as_ref()).map(|runtime| {
        let (runtime, heap, collector) = (&runtime.name, runtime.heap_max_bytes, &runtime.collector);
        message!(version_of_runtime, runtime, heap, collector)
    }));
    versions
}

pub(crate) fn absent(run: &RunRecord) -> Vec<Absent> {
    let absent = run.left_out.iter().map(|left_out| Absent {
        candidate: left_out.name.clone(),
        reason: left_out.reason.clone(),
        remedy: left_out.remedy.clone(),
    });
    absent.collect()
}
