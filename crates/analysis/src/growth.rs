//! How cost grows with the number of rows: the derived values of a run over several sizes.

use kurabe_protocol::Operation;
use kurabe_record::{CutRecord, StoreKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::answer::{CandidateAnswer, Figure, NotCounted, PhaseAnswer, Range, Rounds};
use crate::format::count;

/// One size of a run beside the one that its answer is about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SizeAnswer {
    /// Rows loaded.
    pub rows: u64,
    /// Rounds planned and done at this size.
    pub rounds: Rounds,
    /// The phases in the order of the plan.
    pub phases: Vec<PhaseAnswer>,
    /// The candidates in the order of the study, with their cost beside time at this size.
    pub candidates: Vec<CandidateAnswer>,
    /// What did not count at this size, and why.
    pub not_counted: Vec<NotCounted>,
}

/// One phase over all sizes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Growth {
    /// Name of the phase.
    pub phase: String,
    /// Kind of operation.
    pub operation: Operation,
    /// Whether the ranking of this phase is part of the answer.
    pub deciding: bool,
    /// The candidates in the order in which the phase shows them at the size of the answer; floors last.
    pub curves: Vec<GrowthCurve>,
}

/// How one candidate grows in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GrowthCurve {
    /// Candidate.
    pub candidate: String,
    /// A store, or a floor.
    pub kind: StoreKind,
    /// Sizes at which its answers count, ascending.
    pub points: Vec<GrowthPoint>,
    /// The exponent of its total time; absent below two points.
    pub slope: Option<GrowthSlope>,
    /// What the exponent says.
    pub judgement: Judgement,
    /// Where it was not measured any further, if the budget was too short.
    pub cut: Option<Cut>,
}

/// One candidate in one phase at one size. All figures are over rounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GrowthPoint {
    /// Rows loaded.
    pub rows: u64,
    /// Completed operations a second.
    pub rate_per_s: Figure,
    /// Time for one operation, in ns: one over the rate, so it falls with more connections.
    pub cost_ns: Figure,
    /// Time for one operation on every row, in ns: `rows` times the cost, also where a sample was measured. For a scan,
    /// which meets every row, it is the cost.
    pub total_ns: Figure,
    /// Blocks on disk for each row after the last phase that writes, in bytes.
    pub disk_per_row_bytes: Option<f64>,
    /// Memory of the service, or of the client where there is no service, in this phase, in bytes.
    pub memory_bytes: Option<u64>,
}

/// The exponent b of total time ~ rows^b, by least squares over the logarithms of all rounds of all sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GrowthSlope {
    /// The exponent: 1 where ten times the rows take ten times as long.
    pub value: f64,
    /// Its 95 % interval; absent below three values.
    pub interval: Option<Range>,
    /// Sizes behind it.
    pub sizes: usize,
    /// Values (rounds of all sizes) behind it.
    pub values: usize,
}

/// What an exponent says about the growth of total time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// An operation becomes cheaper as the data grows (often a cost at the start that weighs less).
    LessThanLinear,
    /// An operation costs about the same at every size.
    Linear,
    /// An operation becomes dearer as the data grows.
    MoreThanLinear,
    /// The interval allows more than one of these, or there is none.
    Undecided,
}

/// Where and why a candidate was not measured any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cut {
    /// The size, in rows.
    pub rows: u64,
    /// Rounds that it had done at that size.
    pub rounds: u32,
    /// Rounds that had to fit next: at the start of a size those that a place takes, later one.
    pub needed_rounds: u32,
    /// Time that these would have taken, in ns; absent where nothing was known.
    pub estimate_ns: Option<u64>,
    /// What was left of the budget for it, in ns.
    pub left_ns: u64,
    /// Time of the job that was stopped, in ns; absent where none was begun.
    pub stopped_after_ns: Option<u64>,
}

impl Judgement {
    /// In words, for tables.
    pub fn words(self) -> &'static str {
        match self {
            Judgement::LessThanLinear => "less than linear",
            Judgement::Linear => "linear",
            Judgement::MoreThanLinear => "more than linear",
            Judgement::Undecided => "not decided",
        }
    }
}

impl Cut {
    /// As it is shown.
    pub fn of(cut: &CutRecord) -> Cut {
        Cut {
            rows: cut.rows,
            rounds: cut.rounds,
            needed_rounds: cut.needed_rounds,
            estimate_ns: cut.estimate_ns,
            left_ns: cut.left_ns,
            stopped_after_ns: cut.stopped_after_ns,
        }
    }

    /// Where and why in words.
    pub fn words(&self) -> String {
        let rounds = |rounds: u32| format!("{rounds} round{}", if rounds == 1 { "" } else { "s" });
        let done = if self.rounds == 0 { String::new() } else { format!(" after {}", rounds(self.rounds)) };
        let why = match (self.stopped_after_ns, self.estimate_ns) {
            (Some(after_ns), Some(estimate_ns)) => {
                format!("stopped after {}, about {} were expected", span(after_ns), span(estimate_ns))
            }
            (Some(after_ns), None) => {
                format!("stopped after {}, which was all that was left of the budget", span(after_ns))
            }
            (None, Some(estimate_ns)) => format!(
                "{} would take about {}, {} were left of the budget",
                rounds(self.needed_rounds),
                span(estimate_ns),
                span(self.left_ns)
            ),
            (None, None) => "nothing was left of the budget".into(),
        };
        format!("cut at {} rows{done}: {why}", count(self.rows))
    }
}

/// A time as people say it: seconds below two minutes, then minutes, then hours.
fn span(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    match seconds {
        _ if seconds < 9.95 => format!("{seconds:.1} s"),
        _ if seconds < 120.0 => format!("{seconds:.0} s"),
        _ if seconds < 7_200.0 => format!("{:.0} min", seconds / 60.0),
        _ => format!("{:.0} h", seconds / 3_600.0),
    }
}
