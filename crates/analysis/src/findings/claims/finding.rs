//! What was found about one statement of a claim.

use kurabe_messages::RecordedText;
use kurabe_record::{AxisValue, Bounds, Factor, GrowthLaw, Metric, value_on};
use schemars::JsonSchema;
use serde::Serialize;

use super::verdict::ClaimVerdict;
use crate::figures::budget::Skipped;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::figure::Figure;
use crate::figures::reason::Reason;

/// A statement with what was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Finding {
    /// What it is about.
    pub measure: Measure,
    /// What became of it.
    pub verdict: ClaimVerdict,
    /// The figure, with its interval at the level of the claims; absent where there is none.
    pub figure: Option<Figure>,
    /// Why it is open or not comparable; absent where it is decided.
    pub unknown: Option<Unknown>,
    /// The clients of both sides, where they differ: then they are compared too.
    pub clients: Option<(String, String)>,
}

/// A phase, and the configuration at which it was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingScope {
    /// Name of the phase.
    pub phase: String,
    /// The configuration; absent where the run has no such one.
    pub at: Option<ConfigurationRef>,
    /// Where the phase lies on the axes that make phases.
    pub factors: Vec<Factor>,
}

/// What a statement is about.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Measure {
    /// A figure of one candidate over that of another.
    Ratio {
        /// The one.
        candidate: String,
        /// The other.
        than: String,
        /// What is compared.
        metric: Metric,
        /// Where.
        place: FindingScope,
        /// Where the other one is, if elsewhere.
        than_place: Option<FindingScope>,
        /// What is claimed.
        bounds: Bounds,
    },
    /// A figure of one candidate.
    Amount {
        /// The candidate.
        candidate: String,
        /// Which figure.
        metric: Metric,
        /// Where.
        place: FindingScope,
        /// What is claimed, in the unit of the metric.
        bounds: Bounds,
    },
    /// The exponent of growth over rows.
    Exponent {
        /// The candidate.
        candidate: String,
        /// The phase.
        phase: String,
        /// What the study ranks it by: of a rate the time for all rows grows, else the figure itself.
        metric: Metric,
        /// What is claimed.
        law: GrowthLaw,
        /// The least and the most rows that were seen.
        rows: Option<(u64, u64)>,
    },
    /// How much the exponent after a size lies above that before it.
    Bend {
        /// The candidate.
        candidate: String,
        /// The phase.
        phase: String,
        /// What the study ranks it by.
        metric: Metric,
        /// The size.
        rows: u64,
    },
    /// Rows that are missing.
    LosesRows {
        /// The candidate.
        candidate: String,
        /// Rows that were missing, over all rounds.
        rows: u64,
        /// Rounds that were looked at.
        rounds: usize,
    },
    /// Jobs that failed.
    Fails {
        /// The candidate.
        candidate: String,
        /// What it said; absent where none failed.
        message: Option<RecordedText>,
        /// Rounds that were looked at.
        rounds: usize,
    },
    /// What a change along an axis does.
    Change {
        /// The axis.
        axis: String,
        /// From.
        from: AxisValue,
        /// To.
        to: AxisValue,
        /// The candidate.
        candidate: String,
        /// The candidate whose change it is divided by.
        than: Option<String>,
        /// What is compared.
        metric: Metric,
        /// Where, but for the axis.
        place: FindingScope,
        /// What is claimed.
        bounds: Bounds,
    },
}

/// Why a statement is not decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Unknown {
    /// A side is not in this run.
    NotHere {
        /// The candidate.
        candidate: String,
        /// Why it was left out; absent where it was not asked for.
        reason: Option<RecordedText>,
    },
    /// The run did not measure the pitfall that it is about.
    NoPitfall {
        /// The pitfall.
        pitfall: String,
    },
    /// The run has no such configuration or phase.
    NoPlace {
        /// What it lacks.
        place: Vec<Factor>,
        /// The phase.
        phase: String,
    },
    /// A side has no figure that counts.
    Uncounted {
        /// The candidate.
        candidate: String,
        /// Why.
        reason: Box<Reason>,
    },
    /// A side has no such figure in this phase.
    NoFigure {
        /// The candidate.
        candidate: String,
        /// Which.
        metric: Metric,
    },
    /// The sides promise different things about their writes.
    OtherDurability {
        /// The one.
        candidate: String,
        /// The other.
        than: String,
    },
    /// The claim is about another level of durability than the run.
    WrongDurability,
    /// Nobody else was measured.
    NobodyElse,
    /// The work of the source is so much larger that its time cannot be told from this run.
    TooSmall {
        /// Operations of the source.
        operations: u64,
        /// Operations here.
        done: u64,
    },
    /// The sizes are too few, or too near to each other, to tell how something grows.
    NarrowSizes {
        /// How many sizes have figures.
        sizes: usize,
        /// The fewest rows.
        low: u64,
        /// The most rows.
        high: u64,
    },
    /// A side was skipped.
    Skipped {
        /// The candidate.
        candidate: String,
        /// Where.
        skipped: Box<Skipped>,
    },
    /// The machine was unstable, and the figure is not so far from what is claimed that this decides all the same.
    Unsteady,
    /// The machine was unstable, and what is claimed is how something grows.
    UnsteadyGrowth,
    /// There are too few rounds for an interval.
    TooFewRounds {
        /// How many there are.
        rounds: usize,
    },
    /// The figure is too near to what is claimed.
    TooNear {
        /// Rounds that would decide it, if spread and figure stayed as they are; absent where a hundred would not.
        rounds: Option<usize>,
    },
}

impl Unknown {
    /// The size, in rows, that the run does not have.
    pub(super) fn size(&self) -> Option<u64> {
        match self {
            Unknown::NoPlace { place, .. } => match value_on(place, "rows")? {
                AxisValue::Number(rows) => Some(*rows),
                AxisValue::Word(_) => None,
            },
            _ => None,
        }
    }

    /// What a statement is for that reason.
    pub(super) fn verdict(&self) -> ClaimVerdict {
        match self {
            // Another run of the study may have the size.
            Unknown::NoPlace { .. } if self.size().is_some() => ClaimVerdict::Undecided,
            Unknown::NotHere { .. }
            | Unknown::NoPitfall { .. }
            | Unknown::NarrowSizes { .. }
            | Unknown::Skipped { .. }
            | Unknown::TooFewRounds { .. }
            | Unknown::TooNear { .. }
            | Unknown::Unsteady
            | Unknown::UnsteadyGrowth => ClaimVerdict::Undecided,
            _ => ClaimVerdict::OtherWork,
        }
    }
}

impl Measure {
    /// Whether it is about how long something takes: sizes are the same on a busy machine.
    pub(super) fn is_about_time(&self) -> bool {
        match self {
            Measure::Ratio { metric, .. }
            | Measure::Amount { metric, .. }
            | Measure::Change { metric, .. }
            | Measure::Exponent { metric, .. }
            | Measure::Bend { metric, .. } => !matches!(metric, Metric::Memory | Metric::DiskPerRow),
            Measure::LosesRows { .. } | Measure::Fails { .. } => false,
        }
    }

    /// The candidates that it is about.
    pub fn candidates(&self) -> Vec<&str> {
        match self {
            Measure::Ratio { candidate, than, .. } => vec![candidate, than],
            Measure::Change { candidate, than, .. } => {
                std::iter::once(candidate.as_str()).chain(than.as_deref()).collect()
            }
            Measure::Amount { candidate, .. }
            | Measure::Exponent { candidate, .. }
            | Measure::Bend { candidate, .. }
            | Measure::LosesRows { candidate, .. }
            | Measure::Fails { candidate, .. } => vec![candidate],
        }
    }
}
