//! Cases in which something else is to be taken, or to be measured first.

use kurabe_protocol::Operation;
use kurabe_record::{Conditions, Guarantee, Isolation, LicenceBinds, MinimumDurability, StoreProfile};
use schemars::JsonSchema;
use serde::Serialize;

use super::rationale::{Pause, Rationale};

/// A case in which something else is to be taken, or to be measured first.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Unless {
    /// Almost all of the work is this phase.
    Phase {
        /// The phase.
        phase: String,
        /// What it does.
        operation: Operation,
        /// Who is better there.
        candidate: String,
        /// How many times.
        times: f64,
        /// How much less time that one works a day at the rate that is needed, in s; absent where none was given.
        saves_s_per_day: Option<f64>,
        /// What that one keeps, where it writes and that is less.
        loses: Option<Guarantee>,
    },
    /// Under another condition, which was measured too.
    Elsewhere {
        /// The condition.
        at: Condition,
        /// Whom to take there; nobody where that is not decided.
        candidates: Vec<String>,
        /// Whether that is the same store.
        is_same_store: bool,
        /// In which phases it leads, or is faster for what it may lose.
        because: Vec<Rationale>,
    },
    /// Programs on several machines use it, and a library was chosen; or also many connections write at the same time,
    /// where the same is to be taken then.
    SeveralMachines {
        /// What then.
        instead: Alternative,
        /// Whether it is what to take for many writers too.
        also_for_writers: bool,
    },
    /// More is needed than rows by their keys, and what was chosen has no SQL.
    Queries {
        /// What then.
        instead: Alternative,
    },
    /// One program alone uses it, and a server was chosen.
    OneProgram {
        /// The library.
        candidate: String,
        /// How many times faster it is at least.
        times: f64,
    },
    /// No acknowledged write may be lost when power fails.
    PowerFails {
        /// What measures that.
        command: String,
    },
    /// Many connections write at the same time, and it takes one writer at a time.
    ManyWriters {
        /// What then.
        instead: Alternative,
    },
    /// The data grows.
    Grows {
        /// The phase.
        phase: String,
        /// How many times dearer an operation is with ten times the rows.
        tenfold: f64,
        /// Who does not grow so there, if anybody.
        candidate: Option<String>,
    },
    /// Pauses matter.
    Pauses {
        /// Its pauses.
        pause: Pause,
        /// Who pauses less, and how long that one takes at the same percentile, in ns; absent where nobody does.
        other: Option<(String, u64)>,
        /// Whether several connections wait for one lock to write.
        is_for_a_lock: bool,
    },
    /// The program is written in another language than those that have a driver.
    OtherLanguage {
        /// The languages that have one.
        languages: Vec<String>,
        /// What then.
        instead: Alternative,
    },
    /// Connections change what others have read.
    Isolation {
        /// What the store does against that, as it is driven here.
        isolation: Isolation,
        /// What does more.
        instead: Alternative,
    },
    /// Rows are to go by themselves.
    RowsExpire {
        /// What does that.
        instead: Alternative,
    },
    /// Its licence binds whoever uses it.
    Licence {
        /// Whom.
        binds: LicenceBinds,
        /// The licence.
        licence: String,
        /// What binds nobody.
        instead: Alternative,
    },
    /// Speed decided, and so little is needed that the plain choice does it too.
    LittleNeeded {
        /// What the plain choice does at least in every phase, a second.
        rate_per_s: f64,
        /// The plain choice.
        candidate: String,
    },
    /// There are far more rows than were measured, and how it grows was not.
    MoreRows {
        /// The measured ones.
        rows: u64,
        /// What measures more.
        command: String,
    },
    /// Less is needed than was said.
    LessNeeded {
        /// What the nearest store does at least, a second.
        rate_per_s: f64,
    },
    /// More connections share the work.
    MoreConnections {
        /// What measures that.
        command: String,
    },
    /// More may be lost.
    LessKept {
        /// What measures that.
        command: String,
    },
    /// Disk is dear.
    Disk {
        /// What a row takes, in bytes.
        per_row_bytes: f64,
        /// Who takes less.
        candidate: String,
        /// What a row takes there, in bytes.
        other_bytes: f64,
    },
}

/// What to take in such a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Alternative {
    /// One that was measured.
    Measured {
        /// The candidate.
        candidate: String,
    },
    /// One that was not.
    NotMeasured {
        /// The store.
        store: String,
        /// What measures it.
        command: String,
    },
    /// One that took part, and is not ranked everywhere or not the rate that is needed.
    NotRanked {
        /// The store.
        store: String,
        /// What measures it again.
        command: String,
    },
    /// Nothing that is known.
    Nothing,
}

/// One condition in which candidates were compared that is another than the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Condition {
    /// Another minimum durability is enough, or needed.
    Durability(MinimumDurability),
    /// The stores are set otherwise.
    Profile(StoreProfile),
}

impl Condition {
    /// What differs between two, where that is one thing: who is told of a choice keeps the other as it is.
    pub(super) fn difference(first: Conditions, other: Conditions) -> Option<Condition> {
        match (first.durability == other.durability, first.profile == other.profile) {
            (false, true) => Some(Condition::Durability(other.durability)),
            (true, false) => Some(Condition::Profile(other.profile)),
            _ => None,
        }
    }
}
