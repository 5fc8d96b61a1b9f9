//! Candidates that differ in more than their names say, and a machine that did not stay the same.

use std::collections::{BTreeMap, BTreeSet};

use kurabe_record::{CandidateRecord, Class};

use crate::answer::Lowered;
use crate::{Input, promise, steadiness};

/// What stands above the figures. It is written as its words.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// Two candidates of one store run different libraries.
    Libraries {
        /// One of them, with its libraries.
        one: (String, String),
        /// The other, with its own.
        other: (String, String),
        /// What is different in them.
        differ: Differ,
    },
    /// Two candidates of one store are served by different versions, which follow the names.
    Services {
        /// One of them, with its version.
        one: (String, String),
        /// The other, with its own.
        other: (String, String),
    },
    /// A candidate does not keep what its durability setting promises.
    Broken {
        /// The candidate.
        candidate: String,
        /// What its setting promises.
        promised: Class,
        /// What is left.
        class: Class,
        /// What took from it, the gravest first; at least one.
        lowered: Vec<Lowered>,
    },
    /// Commits were quicker than syncs, and nothing follows from it.
    QuickCommits {
        /// The candidate.
        candidate: String,
        /// The phase.
        phase: String,
        /// The first such round, from 0.
        round: u32,
        /// Half of the writes took at most so long, in ns.
        median_ns: u64,
        /// Nine in ten synced writes of 4 KiB took at least so long, in ns.
        sync_ns: u64,
        /// Why nothing follows.
        because: Innocent,
    },
    /// The virtual machine of a candidate stood still for garbage while it was measured.
    Pauses {
        /// The candidate.
        candidate: String,
        /// How often.
        pauses: u64,
        /// Share of the measured time.
        share: f64,
        /// Most of the heap that was in use, in bytes.
        heap_peak_bytes: u64,
        /// Most that it may take, in bytes.
        heap_max_bytes: u64,
    },
    /// Other runs of Kurabe were at work beside jobs of this one.
    OtherRuns {
        /// Jobs beside which there were any.
        beside: usize,
        /// All jobs.
        jobs: usize,
    },
    /// The processor was not equally fast all the time.
    Unsteady {
        /// The same arithmetic took at most so long before the fastest tenth of the jobs, in ns.
        fast_ns: u64,
        /// It took at least so long before the slowest, in ns.
        slow_ns: u64,
    },
}

/// What is different in the libraries of two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Differ {
    /// They are others.
    Drivers,
    /// They are the same in other versions.
    Versions,
}

/// Why nothing follows from commits that were quicker than syncs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Innocent {
    /// Writes of several connections or requests can share a sync.
    SharedSync,
    /// The disk was not equally quick all the time.
    UnsteadyDisk,
}

/// One sentence for every pair of candidates of one store that run different versions of a library or service, and for
/// every candidate that does not keep what its durability setting promises or that stood still for garbage; one each for other runs at the same time and for a processor that was
/// not equally fast all the time.
pub(crate) fn cautions(input: &Input<'_>) -> Vec<Caution> {
    let candidates = &input.run.candidates;
    let mut cautions = Vec::new();
    for (index, one) in candidates.iter().enumerate() {
        for other in candidates[index + 1..].iter().filter(|other| other.store == one.store) {
            cautions.extend(library_caution(input, one, other));
            cautions.extend(service_caution(one, other));
        }
    }
    cautions.extend(promise::cautions(input));
    cautions.extend(pauses(input));
    cautions.extend(steadiness::other_runs(input));
    cautions.extend(steadiness::unsteady_processor(input));
    cautions
}

/// One sentence for every candidate whose virtual machine stood still for garbage while it was measured.
fn pauses(input: &Input<'_>) -> Vec<Caution> {
    let of = |candidate: &CandidateRecord| {
        let jobs = input.jobs.iter().filter(|job| job.candidate == candidate.name);
        let results = jobs.flat_map(|job| &job.phases).flat_map(|phase| &phase.results);
        let (mut pauses, mut paused_ns, mut measured_ns, mut peak, mut most) = (0, 0, 0, 0, 0);
        for result in results {
            let Some(runtime) = &result.runtime else { continue };
            pauses += runtime.gc_pauses;
            paused_ns += runtime.gc_pause_ns;
            peak = peak.max(runtime.heap_peak_bytes);
            most = most.max(runtime.heap_max_bytes);
            let start = result.workers.iter().map(|worker| worker.first_start_ns).min().unwrap_or(0);
            let end = result.workers.iter().map(|worker| worker.last_end_ns).max().unwrap_or(0);
            measured_ns += end.saturating_sub(start);
        }
        (pauses > 0 && measured_ns > 0).then(|| Caution::Pauses {
            candidate: candidate.name.clone(),
            pauses,
            share: paused_ns as f64 / measured_ns as f64,
            heap_peak_bytes: peak,
            heap_max_bytes: most,
        })
    };
    input.run.candidates.iter().filter_map(of).collect()
}

fn library_caution(input: &Input<'_>, one: &CandidateRecord, other: &CandidateRecord) -> Option<Caution> {
    let (ours, theirs) = (libraries(input, one), libraries(input, other));
    if ours.is_empty() || theirs.is_empty() || ours == theirs {
        return None;
    }
    let shared: BTreeSet<&str> = ours.keys().filter(|name| theirs.contains_key(**name)).copied().collect();
    // Two drivers of two engines: the pair of each engine tells it already.
    if shared.is_empty() && one.variant != other.variant {
        return None;
    }
    let differ = if shared.is_empty() { Differ::Drivers } else { Differ::Versions };
    // Libraries that only one side has are named only where there is nothing that both have.
    let named = |libraries: &BTreeMap<&str, &str>| {
        let differs = |name: &str| shared.is_empty() || (shared.contains(name) && ours.get(name) != theirs.get(name));
        let list: Vec<String> = libraries
            .iter()
            .filter(|(name, _)| differs(name))
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        list.join(", ")
    };
    let (our_list, their_list) = (named(&ours), named(&theirs));
    (!our_list.is_empty()).then(|| Caution::Libraries {
        one: (one.name.clone(), our_list),
        other: (other.name.clone(), their_list),
        differ,
    })
}

fn service_caution(one: &CandidateRecord, other: &CandidateRecord) -> Option<Caution> {
    let (ours, theirs) = (one.service_version.as_ref()?, other.service_version.as_ref()?);
    (ours != theirs).then(|| Caution::Services {
        one: (one.name.clone(), ours.clone()),
        other: (other.name.clone(), theirs.clone()),
    })
}

fn libraries<'a>(input: &Input<'a>, candidate: &CandidateRecord) -> BTreeMap<&'a str, &'a str> {
    let hello = input.hello(&candidate.name);
    hello
        .into_iter()
        .flat_map(|hello| &hello.libraries)
        .map(|(name, version)| (name.as_str(), version.as_str()))
        .collect()
}
