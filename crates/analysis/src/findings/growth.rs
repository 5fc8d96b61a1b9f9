//! How cost grows with the number of rows: the exponent of total time, and what it says. Of a phase that is ranked by
//! another metric than a rate it is the exponent of that figure itself: a latency of all rows together is nothing that
//! anybody waits for.

use kurabe_record::{Better, Metric};
use kurabe_stats::{Exponent, growth_exponent};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::Range;

/// An exponent this near to 1 is called linear: ten times the rows make an operation dearer or cheaper by a quarter at
/// most.
const LINEAR_WITHIN: f64 = 0.1;

/// What is told to grow with the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growing {
    /// The time for all rows, where a rate ranks the phase.
    Time,
    /// The figure itself, where another metric ranks it.
    Figure(Metric),
}

impl Growing {
    /// Of a phase that is ranked by this metric.
    pub fn of(metric: Metric) -> Growing {
        match metric.better() {
            Better::Higher => Growing::Time,
            Better::Lower => Growing::Figure(metric),
        }
    }
}

/// The exponent b of total time ~ rows^b, or of the figure that ranks the phase ~ rows^b, by least squares over the
/// logarithms of all rounds of all sizes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct GrowthSlope {
    /// The exponent: of total time 1 where ten times the rows take ten times as long, of a figure 0 where it stays the
    /// same.
    pub value: f64,
    /// Its 95 % interval; absent below three values.
    pub interval: Option<Range>,
    /// Sizes behind it.
    pub sizes: usize,
    /// Values (rounds of all sizes) behind it.
    pub values: usize,
}

/// What an exponent says about the growth of total time, or of the figure that ranks the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Judgement {
    /// An operation becomes cheaper as the data grows (often a cost at the start that weighs less).
    LessThanLinear,
    /// An operation costs about the same at every size.
    Linear,
    /// An operation becomes dearer as the data grows.
    MoreThanLinear,
    /// The figure falls as the data grows.
    Falls,
    /// The figure is about the same at every size.
    Same,
    /// The figure grows with the data.
    Grows,
    /// The interval allows more than one of these, or there is none.
    Undecided,
}

impl GrowthSlope {
    /// Of points `(rows, total time or figure)`, one a round and size; `None` below two sizes.
    pub(crate) fn of(points: &[(f64, f64)]) -> Option<GrowthSlope> {
        let Exponent { value, interval, sizes, n, .. } = growth_exponent(points)?;
        let interval = interval.map(|interval| Range { low: interval.low, high: interval.high });
        Some(GrowthSlope { value, interval, sizes, values: n })
    }

    /// What the interval says of total time.
    pub fn judgement(self) -> Judgement {
        self.judged(1.0, [Judgement::LessThanLinear, Judgement::Linear, Judgement::MoreThanLinear])
    }

    /// What the interval says where this is told.
    pub(crate) fn judgement_of(self, growing: Growing) -> Judgement {
        match growing {
            Growing::Time => self.judgement(),
            Growing::Figure(_) => self.judged(0.0, [Judgement::Falls, Judgement::Same, Judgement::Grows]),
        }
    }

    fn judged(self, expected: f64, [less, same, more]: [Judgement; 3]) -> Judgement {
        match self.interval {
            Some(Range { low, high }) if low >= expected - LINEAR_WITHIN && high <= expected + LINEAR_WITHIN => same,
            Some(Range { low, .. }) if low > expected => more,
            Some(Range { high, .. }) if high < expected => less,
            _ => Judgement::Undecided,
        }
    }
}
