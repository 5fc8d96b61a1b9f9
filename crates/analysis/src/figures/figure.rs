//! A figure over rounds with its interval, and the ratio of two.

use kurabe_record::{Better, Metric};
use schemars::JsonSchema;
use serde::Serialize;

/// A figure over rounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// The geometric mean over rounds.
    pub value: f64,
    /// Its interval, at 95 %, for ratios at the level of their ranking; absent below three rounds.
    pub interval: Option<Range>,
    /// Rounds behind it.
    pub rounds: usize,
}

impl Figure {
    pub(crate) fn of(estimate: kurabe_stats::Estimate) -> Figure {
        let interval = estimate.interval.map(|interval| Range { low: interval.low, high: interval.high });
        Figure { value: estimate.value, interval, rounds: estimate.n }
    }

    /// Of a ratio: whether its interval has no 1 in it.
    pub fn differs(self) -> bool {
        self.interval.is_some_and(|range| range.low > 1.0 || range.high < 1.0)
    }

    /// So many times the figure.
    pub fn times(self, factor: f64) -> Figure {
        let interval = self.interval.map(|range| Range { low: range.low * factor, high: range.high * factor });
        Figure { value: self.value * factor, interval, ..self }
    }

    /// So that more is better, whatever the metric.
    pub(crate) fn oriented(self, better: Better) -> Figure {
        match better {
            Better::Higher => self,
            Better::Lower => self.inverse(),
        }
    }

    /// One over the figure.
    pub fn inverse(self) -> Figure {
        let interval = self.interval.map(|range| Range { low: 1.0 / range.high, high: 1.0 / range.low });
        Figure { value: 1.0 / self.value, interval, ..self }
    }
}

/// Both ends of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Range {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A figure of one candidate relative to that of another.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RatioFigure {
    /// The ratio; 1 means equal.
    pub ratio: Figure,
    /// What the interval says.
    pub verdict: Verdict,
}

impl RatioFigure {
    /// The ratio of the values of a metric, of one that was computed from values that are oriented so that more is
    /// better.
    pub(crate) fn of(ratio: &kurabe_stats::Ratio, better: Better) -> RatioFigure {
        let verdict = match ratio.verdict {
            kurabe_stats::Verdict::Faster => Verdict::Better,
            kurabe_stats::Verdict::Slower => Verdict::Worse,
            kurabe_stats::Verdict::Tie => Verdict::Tie,
            kurabe_stats::Verdict::CannotTell => Verdict::CannotTell,
        };
        RatioFigure { ratio: Figure::of(ratio.estimate).oriented(better), verdict }
    }
}

/// What the interval of a ratio says about the first candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The whole interval lies on the better side of 1.
    Better,
    /// The whole interval lies on the worse side of 1.
    Worse,
    /// The interval includes 1.
    Tie,
    /// Too few rounds for an interval.
    CannotTell,
}

impl Range {
    /// Whether it holds everything from a half to twice, which tells a reader nothing.
    pub(crate) fn is_wide(&self) -> bool {
        self.high >= 4.0 * self.low
    }
}

/// How many times better the best is than one that has this ratio to it.
pub(crate) fn times_behind(metric: Metric, to_best: Figure) -> Figure {
    match metric.better() {
        Better::Higher => to_best.inverse(),
        Better::Lower => to_best,
    }
}
