//! One candidate against another, round by round, and what such a comparison is able to see.
//!
//! Rates are ratios by nature: half and double are equally far from one, and noise multiplies. So a ratio is a
//! geometric mean, with Student's t on logarithms. It is paired by round, because what a round did to both candidates
//! cancels (Student, Biometrika 6, 1908; Kalibera and Jones, ISMM 2013).
//!
//! The alternative is to look whether the intervals of both rates overlap. That misses differences. The interval of a
//! rate contains what a round did to all candidates; that of the ratio does not. Two runs have no rounds in common, so
//! `unpaired.rs` compares them by Welch's standard error.
//!
//! A comparison that shows no difference must say what it could have seen: [`detectable_difference`] (Zar,
//! "Biostatistical Analysis", 5th ed., 2010, section 7.7). docs/STATISTICS.md has the formulas.

use statrs::distribution::{ContinuousCDF, Normal};

use crate::estimate::{Estimate, LogSample, is_rate, t_quantile};
use crate::family::p_value;
use crate::{LEVEL, MIN_VALUES, POWER, UPPER_TAIL};

/// What a paired ratio of rates says about the first candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The whole interval of the ratio lies above 1.
    Faster,
    /// The whole interval of the ratio lies below 1.
    Slower,
    /// The interval includes 1.
    Tie,
    /// Fewer than [`MIN_VALUES`] pairs: no interval, so no verdict.
    CannotTell,
}

/// How many times the rate of another candidate one candidate reached.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The ratio (1 means equal); `n` counts the pairs.
    pub estimate: Estimate,
    /// Standard deviation of the logarithms of the ratios of single rounds, for [`detectable_difference`]; in a
    /// ranking the moderated one. `None` for one pair.
    pub log_sd: Option<f64>,
    /// Degrees of freedom of that standard deviation: n - 1, and in a ranking what other pairs add.
    pub freedom: Option<f64>,
    /// What the interval of the ratio says.
    pub verdict: Verdict,
}

/// The ratio of the rates of `a` to those of `b`, paired by round: element i of both slices is round i.
///
/// A round that either lacks (`None`, or beyond the end of the shorter slice) is left out. `None` where no pair is left or where a
/// value in a pair is not finite and above zero. Rates mean "higher is better"; for times swap the sides.
///
/// Pairs cancel what a round has done to both. The estimate is the geometric mean of the ratios, its interval
/// Student's t for the mean of the log ratios. Source: Student, Biometrika 6 (1908), paired case; for ratios of
/// benchmarks Kalibera and Jones, "Rigorous benchmarking in reasonable time", ISMM 2013.
pub fn paired_ratio(a: &[Option<f64>], b: &[Option<f64>]) -> Option<Ratio> {
    log_ratios(a, b).map(|sample| ratio_at(&sample, LEVEL))
}

/// The ratio with its interval at another confidence level.
pub(crate) fn ratio_at(sample: &LogSample, level: f64) -> Ratio {
    let estimate = sample.estimate(level);
    let freedom = sample.sd.map(|_| sample.freedom);
    Ratio { estimate, log_sd: sample.sd, freedom, verdict: verdict(&estimate) }
}

/// The two-sided p value of a ratio of 1; 1 below [`MIN_VALUES`] pairs, and where nothing differs at all.
pub(crate) fn paired_p_value(sample: &LogSample) -> f64 {
    let n = sample.n;
    sample
        .sd
        .filter(|_| n >= MIN_VALUES)
        .map_or(1.0, |sd| p_value(sample.mean / (sd / (n as f64).sqrt()), sample.freedom))
}

/// The logarithms of the ratios of single rounds, for the rounds that both have.
pub(crate) fn log_ratios(a: &[Option<f64>], b: &[Option<f64>]) -> Option<LogSample> {
    let pairs: Vec<(f64, f64)> = a.iter().zip(b).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    if !pairs.iter().all(|(a, b)| is_rate(*a) && is_rate(*b)) {
        return None;
    }
    let logs: Vec<f64> = pairs.iter().map(|(a, b)| a.ln() - b.ln()).collect();
    LogSample::of(&logs)
}

pub(crate) fn verdict(ratio: &Estimate) -> Verdict {
    match ratio.interval {
        None => Verdict::CannotTell,
        Some(interval) if interval.contains(1.0) => Verdict::Tie,
        Some(interval) if interval.low > 1.0 => Verdict::Faster,
        Some(_) => Verdict::Slower,
    }
}

/// The smallest relative difference (0.07 is 7 %) that `n` pairs would have shown with [`POWER`], by an interval at
/// confidence `level` ([`LEVEL`] for a comparison that stands alone).
///
/// `log_sd` is the standard deviation of the log ratios ([`Ratio::log_sd`]), `freedom` its degrees of freedom
/// ([`Ratio::freedom`]). `None` where such a plan gives no verdict at all (below [`MIN_VALUES`] pairs), where `log_sd` is
/// negative or not finite, `freedom` not above 0, or `level` not between 0 and 1.
///
/// exp((t(1 - (1 - level)/2, freedom) + t(0.8, freedom)) · log_sd / √n) - 1. Source: the minimum detectable difference of Zar,
/// "Biostatistical Analysis", 5th ed. (2010), section 7.7 (one sample), on the log scale.
pub fn detectable_difference(log_sd: f64, n: usize, freedom: f64, level: f64) -> Option<f64> {
    let is_plan = log_sd.is_finite() && log_sd >= 0.0 && freedom > 0.0 && level > 0.0 && level < 1.0;
    if n < MIN_VALUES || !is_plan {
        return None;
    }
    let quantiles = t_quantile(1.0 - (1.0 - level) / 2.0, freedom) + t_quantile(POWER, freedom);
    Some((quantiles * log_sd / (n as f64).sqrt()).exp_m1())
}

/// How many pairs show a relative difference `delta` (0.05 is 5 %) with [`POWER`] at the 5 % level, where the rate
/// of one candidate varies between rounds with coefficient of variation `cv` (0.02 is 2 %).
///
/// Never below [`MIN_VALUES`]. `None` where `cv` is negative, `delta` not above zero, or either not finite.
///
/// ((z(0.975) + z(0.8)) · √2 · cv / ln(1 + delta))² is about (2.8 · √2 · cv / delta)² for small `delta`; to it comes
/// z(0.975)² / 2, because the variance is estimated too, without which few pairs fall short of the power. Source of
/// that term: Guenther, "Sample size formulas for normal theory t tests", The American Statistician 35 (1981) 243-244.
pub fn pairs_needed(cv: f64, delta: f64) -> Option<u64> {
    let valid = cv.is_finite() && cv >= 0.0 && delta.is_finite() && delta > 0.0;
    if !valid {
        return None;
    }
    let z_level = Normal::standard().inverse_cdf(UPPER_TAIL);
    let z_power = Normal::standard().inverse_cdf(POWER);
    let log_sd = std::f64::consts::SQRT_2 * cv;
    let known_variance = ((z_level + z_power) * log_sd / delta.ln_1p()).powi(2);
    let pairs = (known_variance + z_level.powi(2) / 2.0).ceil() as u64;
    Some(pairs.max(MIN_VALUES as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_that_lies_as_far_from_0_as_its_95_percent_interval_reaches_has_the_p_value_5_percent() {
        // 2.776445105 is the 0.975 quantile with 4 degrees of freedom; the standard error of five values is 0.1 / √5.
        let p =
            |mean: f64, sd: Option<f64>, n: usize| paired_p_value(&LogSample { mean, sd, n, freedom: n as f64 - 1.0 });
        let reach = 2.776_445_105 * 0.1 / 5f64.sqrt();
        assert!((p(reach, Some(0.1), 5) - 0.05).abs() < 1e-8 && (p(-reach, Some(0.1), 5) - 0.05).abs() < 1e-8);
        assert_eq!((p(reach, Some(0.1), 2), p(reach, None, 1), p(0.0, Some(0.0), 5)), (1.0, 1.0, 1.0));
    }
}
