//! Reasons for what was chosen; where nothing was, what is known all the same.

use kurabe_protocol::Operation;
use kurabe_record::{Guarantee, Slo, SupportStatus, UsedBy};
use schemars::JsonSchema;
use serde::Serialize;

/// A reason for what was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Rationale {
    /// It is first in these phases.
    First {
        /// The phases, each with who comes next and by how many times, where somebody does.
        phases: Vec<Lead>,
        /// Whether these are all phases that decide.
        is_everywhere: bool,
    },
    /// Nobody is decidedly ahead of it in these phases.
    Level {
        /// The phases.
        phases: Vec<String>,
    },
    /// So far it is behind where it is most behind.
    Behind {
        /// The phase.
        phase: String,
        /// How many times slower than the first there.
        times: f64,
        /// Who is first there.
        first: String,
    },
    /// It does so many times what is needed, in the phase in which that is least.
    Enough {
        /// The candidate.
        candidate: String,
        /// The phase.
        phase: String,
        /// What is needed, a second.
        need_per_s: f64,
        /// What it does at least, a second: the lower end of the interval.
        rate_per_s: f64,
        /// How many times it is met.
        times: f64,
        /// Whether every store that was measured meets it, so that speed does not decide.
        by_all: bool,
    },
    /// Nobody does what is needed; this one is nearest to it.
    Nearest {
        /// The candidate.
        candidate: String,
        /// The phase in which it is furthest from it.
        phase: String,
        /// What it does at least there, a second.
        rate_per_s: f64,
        /// What share of the need that is: below 1.
        times: f64,
    },
    /// How long its slowest operations take, where a need was given.
    Slowest(Pause),
    /// How long operations take at the percentile for which a limit was given.
    Objective {
        /// The candidate: the one that was chosen, or the nearest where none meets it.
        candidate: String,
        /// The phase in which they take longest.
        phase: String,
        /// The kind.
        operation: Operation,
        /// How long, in ns.
        ns: u64,
        /// The limit.
        slo: Slo,
        /// Whether it is met.
        is_met: bool,
    },
    /// The highest rate that keeps the objective, in the phase in which that is lowest.
    Held {
        /// The candidate: the one that was chosen, or the nearest where none meets it.
        candidate: String,
        /// The phase.
        phase: String,
        /// Operations a second; absent where no rate that was tried keeps it.
        rate_per_s: Option<f64>,
        /// The objective.
        slo: Slo,
    },
    /// What an operation costs as the data grows.
    Growth {
        /// The phase.
        phase: String,
        /// The least rows.
        from_rows: u64,
        /// The most.
        to_rows: u64,
        /// The store that was chosen, and the one next to it.
        stores: Vec<StoreGrowth>,
    },
    /// These cannot be taken, however fast they are.
    Out {
        /// The candidates.
        candidates: Vec<String>,
        /// Why.
        why: RuledOutBy,
    },
    /// It is the plain choice.
    Plain {
        /// For whom.
        used_by: UsedBy,
        /// Why; absent where the study names it itself.
        reason: Option<String>,
    },
    /// It is faster than a store that keeps more: no lead, but a choice between speed and what may be lost.
    Trade {
        /// The phase.
        phase: String,
        /// The store that was chosen.
        faster: TradeSide,
        /// The one that keeps more.
        safer: TradeSide,
        /// Whether the safer one has no weaker setting, so that it keeps more than was asked for.
        has_no_less: bool,
    },
    /// Another is faster and may lose more: what it costs to keep more.
    Safer {
        /// The phase in which it costs most.
        phase: String,
        /// The one that is faster there.
        faster: String,
        /// How many times as fast it is.
        times: f64,
        /// What that one keeps.
        loses: Guarantee,
    },
    /// What can be lost with it.
    Survives {
        /// What it keeps; absent where that is unknown.
        guarantee: Option<Guarantee>,
    },
    /// Its makers no longer maintain it, or fix only critical bugs.
    Upkeep {
        /// What they say.
        status: SupportStatus,
    },
    /// The version that was measured is supported no longer.
    OutOfSupport {
        /// The version.
        version: String,
        /// Last day of support.
        until: String,
        /// The newest version of the store.
        newest: Option<String>,
    },
    /// It had no release for long.
    Old {
        /// The year of the newest one.
        year: i32,
        /// Its version.
        version: Option<String>,
    },
}

/// One side of a trade.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TradeSide {
    /// The candidate.
    pub candidate: String,
    /// What it did, a second.
    pub rate_per_s: f64,
    /// Flushes of the device for each commit; absent where the device counts none.
    pub flushes_per_commit: Option<f64>,
    /// What it keeps; absent where that is unknown.
    pub guarantee: Option<Guarantee>,
}

/// Why a store cannot be taken, however fast it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuledOutBy {
    /// It is a library, and several machines are to use the store.
    Form,
    /// It does not keep what was asked for.
    Durability,
}

/// What an operation of one store costs as the data grows.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StoreGrowth {
    /// The candidate.
    pub candidate: String,
    /// With the least rows, in ns.
    pub from_ns: f64,
    /// With the most, in ns.
    pub to_ns: f64,
    /// Whether ten times the rows make it at most twice as dear.
    pub holds: bool,
}

/// How long the slowest operations of a kind take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Pause {
    /// The phase.
    pub phase: String,
    /// The kind.
    pub operation: Operation,
    /// The quantile: 0.99 for the slowest hundredth.
    pub p: f64,
    /// They take at least so long, in ns.
    pub ns: u64,
    /// The slowest of all, in ns.
    pub max_ns: Option<u64>,
}

/// A lead.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Lead {
    /// The phase.
    pub phase: String,
    /// Who comes next; absent where nobody does.
    pub next: Option<String>,
    /// How many times faster than that one.
    pub times: Option<f64>,
}
