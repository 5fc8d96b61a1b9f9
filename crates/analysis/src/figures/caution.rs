//! Candidates that differ in more than their names say, and a machine that did not stay the same.

use kurabe_messages::Message;
use kurabe_record::Guarantee;

use crate::figures::weakening::Weakening;

/// What stands above the figures. It is written as its message.
#[derive(Clone, Debug, PartialEq)]
pub enum Caution {
    /// Many candidates of one store run different libraries.
    ManyLibraries {
        /// The store.
        store: String,
    },
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
        promised: Guarantee,
        /// What is left.
        left: Guarantee,
        /// What took from it, the gravest first; at least one.
        weakened: Vec<Weakening>,
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
        because: QuickCommitCause,
    },
    /// The JVM of a candidate paused for garbage collection while it was measured.
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
    /// Other runs of Kurabe measured during jobs of this one.
    OtherRuns {
        /// Jobs during which one measured.
        disturbed: usize,
        /// All jobs.
        jobs: usize,
    },
    /// The CPU quota of control groups stopped the processes while a phase that decides was measured.
    Throttled {
        /// The phase in which that was most.
        phase: String,
        /// Share of the periods in which it was used up.
        share: f64,
        /// The quota, as in "0.5 processors"; absent where the record does not have it.
        quota: Option<Message>,
    },
    /// The processor was not equally fast all the time.
    Unsteady {
        /// The same arithmetic took at most so long before the fastest tenth of the jobs, in ns.
        fast_ns: u64,
        /// It took at least so long before the slowest, in ns.
        slow_ns: u64,
    },
    /// Others used the processors while a phase that decides was measured, as shares of the time of all processors.
    Shared {
        /// The phase in which that was most.
        phase: String,
        /// Other programs.
        others: f64,
        /// CPU steal.
        steal: f64,
        /// The other programs that are known to have used most, by name.
        programs: Vec<String>,
    },
}

impl Caution {
    /// Whether the machine was not the same for all: then nothing about time is decided.
    pub fn is_unsteady(&self) -> bool {
        matches!(self, Caution::OtherRuns { .. } | Caution::Unsteady { .. } | Caution::Shared { .. })
    }
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
pub enum QuickCommitCause {
    /// Writes of several connections or requests can share a sync.
    SharedSync,
    /// The disk was not equally quick all the time, and was told to keep what was written as often as commits need it.
    UnsteadyDisk,
    /// The disk was not equally quick all the time, and others used it: what it keeps is not known.
    BusyDisk,
}
