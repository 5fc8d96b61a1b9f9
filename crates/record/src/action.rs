//! What the harness does at moments of a phase while its clients work: what was planned, and what came of it.

use kurabe_messages::RecordedText;
use kurabe_protocol::CallName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that the harness does at a moment of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ActionPlan {
    /// When, in ns after the clients were let go, their warm-up included.
    pub at_ns: u64,
    /// The latest moment, where it is drawn for each job between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_most_ns: Option<u64>,
    /// What.
    #[serde(flatten)]
    pub act: Act,
}

/// What can be done amid a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// The service is killed with all its processes, as a crash would (SIGKILL). It stays dead until the phase has ended, and
    /// is started again on what it left.
    Kill(ServiceTarget),
    /// The power of the service's disk is cut: all its processes end at once, and what was written and not synced is
    /// forgotten, some of it or all ([`Unsynced`]). It stays dead as after a kill.
    Cut(ServiceTarget),
    /// The service is ended cleanly and started again at once.
    Restart(ServiceTarget),
    /// A call is asked by a client that does nothing else.
    Call(CallName),
    /// The disk under the service fails for a while, and is whole again afterwards.
    Disk {
        /// How; absent where the rounds take turns ([`DiskFault::ALL`]).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fault: Option<DiskFault>,
        /// How long, in ns.
        time_ns: u64,
    },
    /// The service stands still for a while with all its processes (SIGSTOP, SIGCONT).
    Pause {
        /// Which.
        target: ServiceTarget,
        /// How long, in ns.
        time_ns: u64,
    },
}

/// Which service of a job it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServiceTarget {
    /// The store's.
    Store,
    /// The one before the store; of several the one next to it.
    App,
}

impl Act {
    /// Whose service it ends, if it ends one.
    pub fn ended_service(self) -> Option<ServiceTarget> {
        match self {
            Act::Kill(target) | Act::Cut(target) | Act::Restart(target) => Some(target),
            Act::Call(_) | Act::Disk { .. } | Act::Pause { .. } => None,
        }
    }
}

impl std::fmt::Display for Act {
    /// As in `kill store`, `call size`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Act::Kill(target) => write!(f, "kill {target}"),
            Act::Cut(target) => write!(f, "cut {target}"),
            Act::Restart(target) => write!(f, "restart {target}"),
            Act::Call(name) => write!(f, "call {name}"),
            Act::Disk { fault: Some(fault), .. } => write!(f, "disk {fault}"),
            Act::Disk { fault: None, .. } => f.write_str("disk each"),
            Act::Pause { target, .. } => write!(f, "pause {target}"),
        }
    }
}

/// How a disk fails. What was synced before can be read in all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiskFault {
    /// It is full: a write that needs room fails (ENOSPC).
    Full,
    /// Each change fails at once (EIO), as with direct I/O. Syncs succeed.
    WriteError,
    /// A sync fails (EIO), and what it was to write does not reach the device: the system takes those pages for written
    /// until somebody writes to them again, as Linux does.
    SyncError,
    /// Each change and each sync fails (EROFS), as where a file system was mounted anew after an error.
    ReadOnly,
    /// Each change and each sync takes 200 ms, one after the other; all other requests wait too.
    Slow,
}

impl DiskFault {
    /// All of them, in the order in which rounds take them.
    pub const ALL: [DiskFault; 5] =
        [DiskFault::Full, DiskFault::WriteError, DiskFault::SyncError, DiskFault::ReadOnly, DiskFault::Slow];
}

impl std::fmt::Display for DiskFault {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl std::fmt::Display for ServiceTarget {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// What a power cut leaves of what was written and not synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Unsynced {
    /// Nothing.
    Dropped,
    /// Of each file a random number of its first changes, and of the next write some sectors of 512 bytes.
    Torn,
    /// Of each file, and of all names, a random number of the first changes.
    Prefix,
    /// Of each file each change or not: a drive writes in the order that it likes. Names keep theirs.
    Reordered,
    /// All of it.
    Kept,
}

impl Unsynced {
    /// All of them, in the order in which trials take them.
    pub const ALL: [Unsynced; 5] =
        [Unsynced::Dropped, Unsynced::Torn, Unsynced::Prefix, Unsynced::Reordered, Unsynced::Kept];
}

/// What was not synced when the power was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CutRecord {
    /// What was left of it.
    pub unsynced: Unsynced,
    /// Changes of the contents of files.
    pub writes: u64,
    /// Bytes that those wrote.
    pub bytes: u64,
    /// Changes of names in folders.
    pub names: u64,
    /// Syncs of files and of folders since the system had synced everything before the phase.
    pub syncs: u64,
}

/// What became of an action in one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionRecord {
    /// What was planned.
    #[serde(flatten)]
    pub plan: ActionPlan,
    /// When it began, in ns after the clients were let go; absent where the phase had ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began_ns: Option<u64>,
    /// How long it took, in ns: of a call until its answer, of the end of a service until that was gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lasted_ns: Option<u64>,
    /// How long the service took from its new start until the store answered again, in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recovery_ns: Option<u64>,
    /// Why the service could not be started again, or gave no rows, where losses are counted; then nothing came after it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_back: Option<RecordedText>,
    /// What a power cut found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at_cut: Option<CutRecord>,
    /// How the disk failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_fault: Option<DiskFault>,
    /// Why the service ended by itself before it was ended as planned: the end of its log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub died: Option<RecordedText>,
    /// What a call was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<serde_json::Value>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<RecordedText>,
}

impl ActionRecord {
    /// One of which nothing has come yet.
    pub fn of(plan: &ActionPlan) -> ActionRecord {
        let plan = plan.clone();
        ActionRecord {
            plan,
            began_ns: None,
            lasted_ns: None,
            recovery_ns: None,
            not_back: None,
            at_cut: None,
            disk_fault: None,
            died: None,
            answer: None,
            failed: None,
        }
    }
}
