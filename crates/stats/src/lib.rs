//! Kurabe's statistics: pure functions, no clock, no input or output.
//!
//! The unit of every estimate is one job in one round (a fresh process), never one operation. A figure travels with its
//! number of values and its 95 % interval, and below [`MIN_VALUES`] there is neither interval nor verdict nor ranking.
//!
//! - [`rate_estimate`]: what one candidate reached, over its rounds.
//! - [`paired_ratio`]: one candidate against another, round by round; [`detectable_difference`] says what it could have seen.
//! - [`ranking`]: all candidates, ties kept as ties, with intervals that allow for the number of candidates; it says who may
//!   be the best and who is equivalent to it.
//! - [`VariancePrior`]: what the variances of all pairs of a run say about that of one pair.
//! - [`Decision`]: better, worse, equivalent or inconclusive, with the rounds that would decide it.
//! - [`unpaired_ratios`]: rates of two runs, which have no rounds in common.
//! - [`Measured`] and [`Evidence`]: what measurements say for and against a claim; [`claims_level`] judges several.
//! - [`growth_exponent`]: how a time grows with the number of rows.
//! - [`Histogram`]: latencies of many operations, merged and never averaged; its buckets are those of the protocol.
//! - [`median`]: where a middle is wanted and no verdict.
//!
//! Rates must be finite and above zero. A function that meets another value gives no result rather than leave it out:
//! a candidate is never judged over its good rounds alone.

mod decision;
mod estimate;
mod evidence;
mod family;
mod field;
mod gamma;
mod growth;
mod histogram;
mod median;
mod prior;
mod ranking;
mod ratio;
mod unpaired;

pub use decision::{Decision, EQUIVALENT};
pub use estimate::{Estimate, Interval, rate_estimate};
pub use evidence::{Evidence, MOST_ROUNDS, Measured, claims_level};
pub use growth::{Exponent, growth_exponent};
pub use histogram::{Histogram, HistogramError, MIN_BEYOND_PERCENTILE, PercentileInterval};
pub use median::median;
pub use prior::VariancePrior;
pub use ranking::{Rank, Ranking, Unranked, UnrankedReason, ranking};
pub use ratio::{Ratio, Verdict, detectable_difference, paired_ratio, pairs_needed};
pub use unpaired::{UnpairedRatio, unpaired_ratios};

/// Confidence level of every interval in Kurabe; of several comparisons that are read together, the lowest.
pub const LEVEL: f64 = 0.95;

/// Probability below an interval's upper end: half of what [`LEVEL`] leaves lies on either side.
pub(crate) const UPPER_TAIL: f64 = 1.0 - (1.0 - LEVEL) / 2.0;

/// Fewest values (rounds) that carry an interval, a verdict or a ranking.
pub const MIN_VALUES: usize = 3;

/// Power that [`detectable_difference`] and [`pairs_needed`] plan for.
pub const POWER: f64 = 0.80;
