//! Rates that have no rounds in common: those of two runs.
//!
//! Nothing can be paired here. On the log scale the ratio of geometric means has the standard error of Welch
//! (Biometrika 29, 1938), √(s₁²/n₁ + s₂²/n₂). Its degrees of freedom are min(n₁, n₂) − 1, the fewest possible. With
//! them the interval is never too narrow (Mickey and Brown, Annals of Mathematical Statistics 37, 1966).
//!
//! Welch's own estimate of the degrees of freedom was simulated and dropped. With three and nine rounds and eight
//! comparisons, it showed false differences nearly three times as often as promised. What changed on the machine
//! between the runs is in the ratio, so an answer names what differs (docs/STATISTICS.md).

#[cfg(doc)]
use crate::LEVEL;
use crate::estimate::{Estimate, Interval, LogSample, is_rate, t_quantile};
use crate::family::{family_level, p_value};
use crate::ratio::{Ratio, verdict};
use crate::{MIN_VALUES, POWER};

/// A ratio of rates that are not paired, with what it could have seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UnpairedRatio {
    /// The ratio of the geometric means; `n` counts the values of the side that has fewer.
    pub ratio: Ratio,
    /// The smallest relative difference (0.07 is 7 %) that these values would have shown with [`POWER`]; `None` where
    /// there is no verdict.
    pub detectable: Option<f64>,
}

/// The ratios of the rates of each pair's first side to those of its second, and the confidence level of all intervals.
///
/// On the log scale, without the assumption that both sides vary alike (Welch, "The significance of the difference
/// between two means when the population variances are unequal", Biometrika 29 (1938) 350-362):
/// m₁ - m₂ ± t(min(n₁, n₂) - 1) · √(s₁²/n₁ + s₂²/n₂). The degrees of freedom are the fewest that are possible, for which
/// the interval is never too narrow, whatever the spreads (Mickey and Brown, "Bounds on the distribution functions of
/// the Behrens-Fisher statistic", Annals of Mathematical Statistics 37 (1966) 639-642). Those that Welch estimates from
/// the spreads are more, and with three to nine values a side and several comparisons far too many claims are false.
///
/// All pairs are one family: the level is at least [`LEVEL`], and Holm's step-down holds the chance of any false claim at 5 %.
///
/// An entry is `None` where a side is empty or holds a value that is not finite and above zero; below [`MIN_VALUES`]
/// values on either side there is neither interval nor verdict.
pub fn unpaired_ratios(pairs: &[(&[f64], &[f64])]) -> (Vec<Option<UnpairedRatio>>, f64) {
    let welch: Vec<Option<Welch>> = pairs.iter().map(|(a, b)| Welch::of(a, b)).collect();
    let p_values: Vec<f64> = welch.iter().flatten().filter_map(Welch::p_value).collect();
    let level = family_level(&p_values, |rejected| p_values.len() - rejected);
    (welch.into_iter().map(|one| one.map(|one| one.with_level(level))).collect(), level)
}

/// What the comparison of two samples rests on.
struct Welch {
    /// Mean of the first side's logarithms less that of the second.
    difference: f64,
    /// Standard error of the difference and degrees of freedom; `None` below [`MIN_VALUES`].
    error: Option<(f64, f64)>,
    n: usize,
}

impl Welch {
    fn of(a: &[f64], b: &[f64]) -> Option<Welch> {
        if !a.iter().chain(b).all(|value| is_rate(*value)) {
            return None;
        }
        let sample = |values: &[f64]| LogSample::of(&values.iter().map(|value| value.ln()).collect::<Vec<f64>>());
        let (first, second) = (sample(a)?, sample(b)?);
        let n = a.len().min(b.len());
        let error = first.sd.zip(second.sd).filter(|_| n >= MIN_VALUES).map(|(s1, s2)| {
            let (n1, n2) = (a.len() as f64, b.len() as f64);
            let (v1, v2) = (s1 * s1 / n1, s2 * s2 / n2);
            ((v1 + v2).sqrt(), (n - 1) as f64)
        });
        Some(Welch { difference: first.mean - second.mean, error, n })
    }

    fn p_value(&self) -> Option<f64> {
        self.error.map(|(error, freedom)| p_value(self.difference / error, freedom))
    }

    fn with_level(self, level: f64) -> UnpairedRatio {
        let tail = 1.0 - (1.0 - level) / 2.0;
        let interval = self.error.map(|(error, freedom)| {
            let half_width = t_quantile(tail, freedom) * error;
            Interval { low: (self.difference - half_width).exp(), high: (self.difference + half_width).exp() }
        });
        let detectable = self
            .error
            .map(|(error, freedom)| ((t_quantile(tail, freedom) + t_quantile(POWER, freedom)) * error).exp_m1());
        let estimate = Estimate { value: self.difference.exp(), interval, n: self.n };
        UnpairedRatio {
            ratio: Ratio { estimate, log_sd: None, freedom: None, verdict: verdict(&estimate) },
            detectable,
        }
    }
}
