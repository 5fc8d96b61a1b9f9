//! What took from what a durability setting keeps.

use kurabe_messages::Message;
use kurabe_record::Guarantee;
use schemars::JsonSchema;
use serde::Serialize;

/// Something that took from what a durability setting keeps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Weakening {
    /// What is kept at most then.
    pub guarantee: Guarantee,
    /// What can be lost, in words.
    pub window: Message,
    /// What did it.
    pub cause: WeakenedBy,
}

/// What took from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum WeakenedBy {
    /// A setting of the live store.
    Setting {
        /// Its name.
        name: String,
        /// Its value.
        found: String,
        /// Where it is documented what it does.
        source: String,
    },
    /// The place where the data lay.
    Device {
        /// Why nothing there survives the loss of power.
        reason: Message,
    },
    /// Commits that were acknowledged before the disk can have had them.
    QuickCommits {
        /// The phase.
        phase: String,
        /// The first round in which that was so, from 0.
        round: u32,
        /// Median latency of its writes in that round, in ns.
        median_ns: u64,
        /// What the quickest tenth of the syncs of a probe took at least, over all probes of the run, in ns.
        sync_ns: u64,
    },
    /// Commits that were acknowledged though the disk was told less often to keep what was written.
    FewFlushes {
        /// The phase.
        phase: String,
        /// The first round in which that was so, from 0.
        round: u32,
        /// Commits in that round, each of which needs a flush of its own.
        commits: u64,
        /// Flushes of the disk, those of other programs included.
        flushes: u64,
    },
}
