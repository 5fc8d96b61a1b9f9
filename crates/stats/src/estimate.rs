//! An estimate with its interval, computed on the log scale.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::{LEVEL, MIN_VALUES};

/// A confidence interval, both ends included, in the unit of the estimate it belongs to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Whether `value` lies in the interval; the ends count as inside.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// A figure over rounds, with how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The geometric mean of the values, in their unit.
    pub value: f64,
    /// The interval of `value`, at 95 % or, among several comparisons, above; `None` below [`MIN_VALUES`] values.
    pub interval: Option<Interval>,
    /// How many values (rounds, or pairs of rounds) stand behind it.
    pub n: usize,
}

/// The geometric mean of rates (one per round, in operations per second) with a Student t interval on the log scale.
///
/// `None` where there is no value, or where a value is not finite and above zero. The interval is
/// exp(m ± t(0.975, n-1) · s / √n) with m and s the mean and standard deviation of the logarithms.
///
/// Source: Student, "The probable error of a mean", Biometrika 6 (1908), on log-transformed values as in Bland and
/// Altman, "Transformations, means, and confidence intervals", BMJ 312 (1996) 1079.
pub fn rate_estimate(values: &[f64]) -> Option<Estimate> {
    if !values.iter().all(|value| is_rate(*value)) {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    LogSample::of(&logs).map(|sample| sample.estimate(LEVEL))
}

/// Whether a logarithm of `value` exists and is finite.
pub(crate) fn is_rate(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// Moments of a sample of logarithms.
pub(crate) struct LogSample {
    pub(crate) mean: f64,
    /// Standard deviation, with n - 1 in the denominator or moderated; `None` for one value.
    pub(crate) sd: Option<f64>,
    pub(crate) n: usize,
    /// Degrees of freedom of the standard deviation.
    pub(crate) freedom: f64,
}

impl LogSample {
    /// Moments of `logs`; `None` where it is empty.
    pub(crate) fn of(logs: &[f64]) -> Option<LogSample> {
        if logs.is_empty() {
            return None;
        }
        let n = logs.len();
        let mean = logs.iter().sum::<f64>() / n as f64;
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        let sd = (n > 1).then(|| (squares / (n - 1) as f64).sqrt());
        Some(LogSample { mean, sd, n, freedom: (n - 1) as f64 })
    }

    /// The sample back on the scale of the values, with an interval at this confidence level.
    pub(crate) fn estimate(&self, level: f64) -> Estimate {
        let interval = self.sd.filter(|_| self.n >= MIN_VALUES).map(|sd| {
            let half_width = t_quantile(1.0 - (1.0 - level) / 2.0, self.freedom) * sd / (self.n as f64).sqrt();
            Interval { low: (self.mean - half_width).exp(), high: (self.mean + half_width).exp() }
        });
        Estimate { value: self.mean.exp(), interval, n: self.n }
    }
}

/// The `p` quantile of Student's t distribution with `freedom` degrees of freedom (at least 1).
pub(crate) fn t_quantile(p: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).expect("callers pass at least one degree of freedom").inverse_cdf(p)
}
