//! Cautions, and what weakens a guarantee.

use kurabe_messages::{Message, message};

use crate::figures::caution::{Caution, Differ, QuickCommitCause};
use crate::figures::weakening::{WeakenedBy, Weakening};

/// A smaller share of the processors is not worth a word.
const LEAST_SHARE: f64 = 0.01;

impl Caution {
    /// The caution as a message.
    pub fn message(&self) -> Message {
        match self {
            Caution::Libraries { one: (one, one_runs), other: (other, other_runs), differ } => match differ {
                Differ::Drivers => message!(caution_drivers, one, one_runs, other, other_runs),
                Differ::Versions => message!(caution_library_versions, one, one_runs, other, other_runs),
            },
            Caution::ManyLibraries { store } => message!(caution_many_libraries, store),
            Caution::Services { one: (one, one_version), other: (other, other_version) } => {
                message!(caution_service_versions, one, one_version, other, other_version)
            }
            Caution::Broken { candidate, promised, left, weakened } => {
                let why: Vec<Message> = weakened.iter().map(Weakening::message).collect();
                let lost = weakened.first().map(|gravest| gravest.window.clone());
                message!(caution_weakened, candidate, kept = left.level(), promised = promised.level(), why, lost)
            }
            Caution::QuickCommits { candidate, phase, round, median_ns, sync_ns, because } => message!(
                caution_quick_commits,
                candidate,
                phase,
                round = round + 1,
                median = *median_ns,
                sync = *sync_ns,
                follows = because.message(),
            ),
            Caution::Pauses { candidate, pauses, share, heap_peak_bytes, heap_max_bytes } => message!(
                caution_pauses,
                candidate,
                pauses = *pauses,
                share = *share,
                peak = *heap_peak_bytes,
                most = *heap_max_bytes,
            ),
            Caution::OtherRuns { disturbed, jobs } => {
                message!(caution_other_runs, disturbed = *disturbed, jobs = *jobs)
            }
            Caution::Shared { phase, others, steal, programs } => {
                let (others, steal) = (*others, *steal);
                match (others >= LEAST_SHARE, steal >= LEAST_SHARE) {
                    (true, true) => message!(caution_other_programs_and_steal, phase, others, steal, programs),
                    (false, true) => message!(caution_steal, phase, steal),
                    (_, false) => message!(caution_other_programs, phase, others, programs),
                }
            }
            Caution::Throttled { phase, share, quota } => {
                message!(caution_throttled, phase, share = *share, quota = quota.clone())
            }
            Caution::Unsteady { fast_ns, slow_ns } => message!(caution_processor, fast = *fast_ns, slow = *slow_ns),
        }
    }
}

impl QuickCommitCause {
    fn message(self) -> Message {
        match self {
            QuickCommitCause::SharedSync => message!(caution_quick_shared),
            QuickCommitCause::UnsteadyDisk => message!(caution_quick_disk),
            QuickCommitCause::BusyDisk => message!(caution_quick_busy),
        }
    }
}

impl Weakening {
    /// What took from the guarantee, as a message.
    pub fn message(&self) -> Message {
        match &self.cause {
            WeakenedBy::Setting { name, found, .. } => message!(caution_weakened_setting, setting = name, found),
            WeakenedBy::FewFlushes { phase, round, commits, flushes } => {
                message!(caution_weakened_flushes, flushes = *flushes, commits = *commits, phase, round = round + 1)
            }
            WeakenedBy::Device { reason } => message!(caution_weakened_place, reason = reason.clone()),
            WeakenedBy::QuickCommits { phase, round, median_ns, sync_ns } => {
                message!(caution_weakened_quick, phase, round = round + 1, median = *median_ns, sync = *sync_ns)
            }
        }
    }
}
