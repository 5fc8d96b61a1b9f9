//! How a value grows with a size: the exponent of a power law.

use crate::estimate::{Interval, is_rate, t_quantile};
use crate::{MIN_VALUES, UPPER_TAIL};

/// The exponent b of value ~ size^b.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exponent {
    /// The exponent: 1 where ten times the size has ten times the value.
    pub value: f64,
    /// Its standard error; `None` below [`MIN_VALUES`] points.
    pub error: Option<f64>,
    /// Its 95 % interval; `None` below [`MIN_VALUES`] points.
    pub interval: Option<Interval>,
    /// Different sizes behind it.
    pub sizes: usize,
    /// How many points stand behind it.
    pub n: usize,
}

/// Least squares of ln(value) against ln(size) over all points `(size, value)`, one a round and size.
///
/// `None` below two different sizes, and where a size or value is not finite and above zero. With x = ln(size), y =
/// ln(value) and r the residuals the interval is b ± t(0.975, n-2) · √(Σr² / (n-2) / Σ(x - x̄)²). What the points
/// deviate from a straight line widens it, but where growth bends no exponent is a law.
///
/// Source: simple linear regression as in Draper and Smith, "Applied Regression Analysis", 3rd ed. (1998), sections 1.2 and 1.4.
pub fn growth_exponent(points: &[(f64, f64)]) -> Option<Exponent> {
    if !points.iter().all(|(size, value)| is_rate(*size) && is_rate(*value)) {
        return None;
    }
    let mut sizes: Vec<f64> = points.iter().map(|(size, _)| *size).collect();
    sizes.sort_by(f64::total_cmp);
    sizes.dedup();
    if sizes.len() < 2 {
        return None;
    }
    let n = points.len();
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, value)| (size.ln(), value.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n as f64;
    let (mean_x, mean_y) = (mean(|log| log.0), mean(|log| log.1));
    let spread: f64 = logs.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    // That x is taken from its mean is enough: the mean of y would be multiplied by nothing.
    let value = logs.iter().map(|(x, y)| (x - mean_x) * y).sum::<f64>() / spread;
    let residuals: f64 = logs.iter().map(|(x, y)| (y - mean_y - value * (x - mean_x)).powi(2)).sum();
    let error = (n >= MIN_VALUES).then(|| (residuals / (n - 2) as f64 / spread).sqrt());
    let interval = error.map(|error| {
        let half_width = t_quantile(UPPER_TAIL, (n - 2) as f64) * error;
        Interval { low: value - half_width, high: value + half_width }
    });
    Some(Exponent { value, error, interval, sizes: sizes.len(), n })
}
