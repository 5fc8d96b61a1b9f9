//! What measurements say for and against a bound: one-sided tests, and one level for a family of claims.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::estimate::{Interval, LogSample, is_rate};
use crate::family::family_level;
use crate::ratio::log_ratios;
use crate::{Exponent, MIN_VALUES};

/// An estimate on a scale on which it errs as Student's t says: the logarithm of a ratio or of a value, or an exponent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The estimate.
    pub value: f64,
    /// Its standard error.
    pub error: f64,
    /// Degrees of freedom of the error.
    pub freedom: f64,
    /// Rounds (or pairs of rounds) behind it.
    pub n: usize,
}

/// How well data agree with a statement and with its contrary: the p values of the tests that would show either.
///
/// `holds` is the chance of data that speak so much for the statement although it is false, at most; `refuted` that of data
/// that speak so much against it although it is true. Both are 1 where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evidence {
    /// P value of the test that shows the statement.
    pub holds: f64,
    /// P value of the test that shows its contrary.
    pub refuted: f64,
}

impl Evidence {
    /// Nothing is known.
    pub const NONE: Evidence = Evidence { holds: 1.0, refuted: 1.0 };
    /// The statement was seen to be true.
    pub const SEEN: Evidence = Evidence { holds: 0.0, refuted: 1.0 };
    /// The contrary was seen to be true.
    pub const UNSEEN: Evidence = Evidence { holds: 1.0, refuted: 0.0 };

    /// Of the contrary.
    pub fn contrary(self) -> Evidence {
        Evidence { holds: self.refuted, refuted: self.holds }
    }

    /// Of several statements together: all must be shown, and one that is refuted refutes all. Looking for that one among
    /// many costs as many times (Bonferroni), while showing all of them costs nothing (an intersection-union test).
    ///
    /// Source: Berger, "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982) 295-300.
    pub fn all(parts: &[Evidence]) -> Evidence {
        Evidence::at_least(parts.len(), parts)
    }

    /// Of one of several statements: the contrary of all contraries.
    pub fn any(parts: &[Evidence]) -> Evidence {
        Evidence::at_least(1, parts)
    }

    /// Of at least `count` of several statements. That so many are true is shown by the p value of the `count`-th
    /// smallest, times the number of those from there on (a test of the partial conjunction, by Bonferroni); the
    /// contrary is that more than the rest are false. All of them and one of them are its ends.
    ///
    /// Source: Benjamini and Heller, "Screening for partial conjunction hypotheses", Biometrics 64 (2008) 1215-1222.
    pub fn at_least(count: usize, parts: &[Evidence]) -> Evidence {
        let least_of = |values: Vec<f64>, count: usize| {
            let mut values = values;
            values.sort_by(f64::total_cmp);
            let spare = (values.len() + 1).saturating_sub(count);
            count.checked_sub(1).map_or(0.0, |at| values.get(at).map_or(1.0, |value| (value * spare as f64).min(1.0)))
        };
        let against = (parts.len() + 1).saturating_sub(count);
        Evidence {
            holds: least_of(parts.iter().map(|part| part.holds).collect(), count),
            refuted: least_of(parts.iter().map(|part| part.refuted).collect(), against),
        }
    }

    /// The two-sided p value: it is looked for evidence in both directions.
    pub fn p_value(self) -> f64 {
        (2.0 * self.holds.min(self.refuted)).min(1.0)
    }
}

impl Measured {
    /// The logarithm of the ratio of `a` to `b`, paired by round, as [`crate::paired_ratio`] has it. `None` below
    /// [`MIN_VALUES`] pairs, and where a value is not finite and above zero.
    pub fn log_ratio(a: &[Option<f64>], b: &[Option<f64>]) -> Option<Measured> {
        Measured::of_sample(&log_ratios(a, b)?)
    }

    /// The logarithm of a value over rounds. `None` as for [`Measured::log_ratio`].
    pub fn log(values: &[f64]) -> Option<Measured> {
        if !values.iter().all(|value| is_rate(*value)) {
            return None;
        }
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        Measured::of_sample(&LogSample::of(&logs)?)
    }

    fn of_sample(sample: &LogSample) -> Option<Measured> {
        let sd = sample.sd.filter(|_| sample.n >= MIN_VALUES)?;
        let n = sample.n as f64;
        Some(Measured { value: sample.mean, error: sd / n.sqrt(), freedom: sample.freedom, n: sample.n })
    }

    /// An exponent of growth; `None` where it has no interval.
    pub fn exponent(exponent: &Exponent) -> Option<Measured> {
        let freedom = exponent.n.checked_sub(2).filter(|freedom| *freedom > 0)?;
        Some(Measured { value: exponent.value, error: exponent.error?, freedom: freedom as f64, n: exponent.n })
    }

    /// How much the exponent after a size lies above the one before it. Each of the three slices has the values of one size,
    /// sizes ascending; `None` where one has fewer than [`MIN_VALUES`] or a value that is not finite and above zero.
    ///
    /// With m the means of the logarithms and L the logarithms of the ratios of neighbouring sizes it is (m₃ - m₂)/L₂₃ -
    /// (m₂ - m₁)/L₁₂, whose variance is that of a sum of three independent means. Degrees of freedom by Satterthwaite, "An approximate
    /// distribution of estimates of variance components", Biometrics Bulletin 2 (1946) 110-114.
    pub fn bend(sizes: [f64; 3], values: [&[f64]; 3]) -> Option<Measured> {
        let steps = [(sizes[1] / sizes[0]).ln(), (sizes[2] / sizes[1]).ln()];
        let means: Vec<Measured> = values.iter().map(|values| Measured::log(values)).collect::<Option<_>>()?;
        let weights = [1.0 / steps[0], -(1.0 / steps[0] + 1.0 / steps[1]), 1.0 / steps[1]];
        Measured::sum(&means, &weights)
    }

    /// A weighted sum of independent estimates.
    fn sum(parts: &[Measured], weights: &[f64]) -> Option<Measured> {
        let pairs = || parts.iter().zip(weights);
        let variances: Vec<f64> = pairs().map(|(part, weight)| (part.error * weight).powi(2)).collect();
        let variance: f64 = variances.iter().sum();
        let spread: f64 = variances.iter().zip(parts).map(|(variance, part)| variance.powi(2) / part.freedom).sum();
        let freedom = if spread > 0.0 { variance.powi(2) / spread } else { parts.first()?.freedom };
        Some(Measured {
            value: pairs().map(|(part, weight)| part.value * weight).sum(),
            error: variance.sqrt(),
            freedom,
            n: parts.iter().map(|part| part.n).min()?,
        })
    }

    /// The interval at a confidence level, on the scale of the estimate.
    pub fn interval(&self, level: f64) -> Option<Interval> {
        let student = StudentsT::new(0.0, 1.0, self.freedom).ok()?;
        let half_width = student.inverse_cdf(1.0 - (1.0 - level) / 2.0) * self.error;
        Some(Interval { low: self.value - half_width, high: self.value + half_width })
    }

    /// P value of the test that shows the true value to lie above `bound`.
    fn p_above(&self, bound: f64) -> f64 {
        // It is the bound itself, but for what arithmetic with floats adds.
        if (self.value - bound).abs() < ROUNDING {
            return 1.0;
        }
        let t = (self.value - bound) / self.error;
        if t.is_infinite() {
            return if t > 0.0 { 0.0 } else { 1.0 };
        }
        StudentsT::new(0.0, 1.0, self.freedom).map_or(1.0, |student| student.sf(t))
    }

    fn p_below(&self, bound: f64) -> f64 {
        Measured { value: -self.value, ..*self }.p_above(-bound)
    }

    /// What it says of the statement that the true value lies from `low` to `high`; a side without a bound is open.
    ///
    /// Shown is it by two one-sided tests. Source: Schuirmann, "A comparison of the two one-sided tests procedure and
    /// the power approach", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680.
    pub fn lies_between(&self, low: Option<f64>, high: Option<f64>) -> Evidence {
        let above_low = low.map_or(0.0, |low| self.p_above(low));
        let below_high = high.map_or(0.0, |high| self.p_below(high));
        let outside = [low.map(|low| self.p_below(low)), high.map(|high| self.p_above(high))];
        Evidence { holds: above_low.max(below_high), refuted: outside.into_iter().flatten().fold(1.0, f64::min) }
    }

    /// How many rounds would decide it at a confidence level, if estimate and spread stayed as they are; `None` above
    /// [`MOST_ROUNDS`], where it is too near to a bound for that.
    pub fn rounds_to_decide(&self, low: Option<f64>, high: Option<f64>, level: f64) -> Option<usize> {
        let sd = self.error * (self.n as f64).sqrt();
        let decided = |n: &usize| {
            let then = Measured { error: sd / (*n as f64).sqrt(), freedom: *n as f64 - 1.0, n: *n, ..*self };
            then.lies_between(low, high).p_value() <= 1.0 - level
        };
        (self.n.max(MIN_VALUES)..=MOST_ROUNDS).find(decided)
    }
}

/// What lies no further from a bound than this is the bound.
const ROUNDING: f64 = 1e-9;

/// Most rounds that are proposed to decide something.
pub const MOST_ROUNDS: usize = 100;

/// The confidence level at which a family of claims is judged, by Holm's step-down over their two-sided p values: the
/// chance that any of them is decided wrongly stays at or below 5 %. At it exactly those are decided that Holm decides.
///
/// Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979)
/// 65-70.
pub fn claims_level(p_values: &[f64]) -> f64 {
    family_level(p_values, |decided| p_values.len() - decided)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(value: f64, error: f64) -> Measured {
        Measured { value, error, freedom: 4.0, n: 5 }
    }

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-6, "{got} and not {expected}");
    }

    #[test]
    fn a_bound_at_the_end_of_the_interval_has_half_of_what_the_level_leaves() {
        // 2.776445 is the 0.975 quantile of Student's t with 4 degrees of freedom.
        let one = measured(2.776_445_105, 1.0);
        near(one.lies_between(Some(0.0), None).holds, 0.025);
        near(one.lies_between(None, Some(0.0)).refuted, 0.025);
        near(one.lies_between(Some(0.0), None).p_value(), 0.05);
        near(one.interval(0.95).unwrap().low, 0.0);
    }

    #[test]
    fn between_two_bounds_the_nearer_one_decides() {
        let inside = measured(1.0, 0.1).lies_between(Some(0.5), Some(3.0));
        near(inside.holds, measured(1.0, 0.1).lies_between(Some(0.5), None).holds);
        assert!(inside.refuted > 0.9);
        let outside = measured(4.0, 0.1).lies_between(Some(0.5), Some(3.0));
        assert!(outside.holds > 0.9 && outside.refuted < 0.001);
    }

    #[test]
    fn without_any_spread_there_is_no_doubt_but_at_the_bound_itself() {
        let exact = measured(1.0, 0.0);
        assert_eq!(exact.lies_between(Some(0.5), None), Evidence { holds: 0.0, refuted: 1.0 });
        assert_eq!(exact.lies_between(Some(1.5), None), Evidence { holds: 1.0, refuted: 0.0 });
        assert_eq!(exact.lies_between(Some(1.0), None), Evidence::NONE);
    }

    #[test]
    fn parts_are_put_together_as_in_logic() {
        let (shown, refuted, open) = (
            Evidence { holds: 0.001, refuted: 0.999 },
            Evidence { holds: 0.999, refuted: 0.001 },
            Evidence { holds: 0.4, refuted: 0.6 },
        );
        assert_eq!(Evidence::all(&[shown, open]), Evidence { holds: 0.4, refuted: 1.0 });
        assert_eq!(Evidence::all(&[shown, refuted, open]), Evidence { holds: 0.999, refuted: 0.003 });
        assert_eq!(Evidence::any(&[shown, refuted]), Evidence { holds: 0.002, refuted: 0.999 });
        assert_eq!(Evidence::all(&[shown]).contrary(), refuted_of(shown));
    }

    fn refuted_of(one: Evidence) -> Evidence {
        Evidence { holds: one.refuted, refuted: one.holds }
    }

    #[test]
    fn more_rounds_are_proposed_as_far_as_they_would_help() {
        let one = measured(0.1, 0.1);
        let rounds = one.rounds_to_decide(Some(0.0), None, 0.95).unwrap();
        assert!((18..=25).contains(&rounds), "{rounds}");
        assert_eq!(measured(0.001, 0.1).rounds_to_decide(Some(0.0), None, 0.95), None);
        assert_eq!(measured(9.0, 0.1).rounds_to_decide(Some(0.0), None, 0.95), Some(5), "it is decided already");
    }

    #[test]
    fn a_bend_is_the_difference_of_two_exponents() {
        // Time ~ rows up to 100, ~ rows^2 after.
        let values: [&[f64]; 3] = [&[10.0, 10.1, 9.9], &[100.0, 101.0, 99.0], &[10_000.0, 10_100.0, 9_900.0]];
        let bend = Measured::bend([10.0, 100.0, 1000.0], values).unwrap();
        near((bend.value * 1000.0).round() / 1000.0, 1.0);
        assert!(bend.lies_between(Some(0.0), None).holds < 0.001);
        assert!(Measured::bend([10.0, 100.0, 1000.0], [&[1.0], &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0]]).is_none());
    }
}
