//! How cost grows with the number of rows: the exponent of total time, and what it says.

use kurabe_stats::{Exponent, growth_exponent};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::Range;

/// An exponent this near to 1 is called linear: ten times the rows make an operation dearer or cheaper by a quarter at most.
const LINEAR_WITHIN: f64 = 0.1;

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

impl GrowthSlope {
    /// Of points `(rows, total time)`, one a round and size; `None` below two sizes.
    pub(crate) fn of(points: &[(f64, f64)]) -> Option<GrowthSlope> {
        let Exponent { value, interval, sizes, n, .. } = growth_exponent(points)?;
        let interval = interval.map(|interval| Range { low: interval.low, high: interval.high });
        Some(GrowthSlope { value, interval, sizes, values: n })
    }

    /// What the interval says.
    pub fn judgement(self) -> Judgement {
        match self.interval {
            Some(Range { low, high }) if low >= 1.0 - LINEAR_WITHIN && high <= 1.0 + LINEAR_WITHIN => Judgement::Linear,
            Some(Range { low, .. }) if low > 1.0 => Judgement::MoreThanLinear,
            Some(Range { high, .. }) if high < 1.0 => Judgement::LessThanLinear,
            _ => Judgement::Undecided,
        }
    }
}
