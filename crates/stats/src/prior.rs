//! What all pairs of a run say about the variance of one pair: moderated variances.
//!
//! With three rounds a pair of candidates has two degrees of freedom, and among the 45 pairs of ten candidates Holm asks
//! for 30 standard errors. The other pairs were measured on the same machine in the same rounds, so their variances say
//! which variance is to be expected. Smyth (2004) puts that as a prior: d₀ degrees of freedom of a variance s₀², to which
//! the pair adds its own.
//!
//! Stores differ in how much they vary, 16-fold and more, and a run has few candidates. Smyth's estimates, taken as they
//! are, then claim too much: 12 % of simulated runs of three equal candidates tell them apart, 7 % of those of ten whose
//! noise differs 16-fold. Four things keep 5 % (docs/STATISTICS.md has the table):
//! - The spread of the variances is taken at its median-unbiased value, and the error of the centre is added, as for
//!   the prediction of one more variance. Both lower d₀ where there are few candidates.
//! - d₀ is lowered by (k - 3)/(k - 2) for k candidates. With three of them every pair stands alone.
//! - d₀ is at most twice the pair's own degrees of freedom. One outlier, however large, then shows no difference.
//! - Each phase has its own s₀², since some phases are noisier than others. d₀ comes from all phases.
//!
//! One alternative was simulated and dropped: a pair's variances in other phases as a covariate find more, but the phases of
//! a round share one process. Where their noise is the same, the covariate repeats the data, and equal candidates are told
//! apart in 26 % to 62 % of runs. Variances of single candidates were not tried: they take a round's common effect as known,
//! and the error of it, which a noisy candidate dominates, would fall on all others.

use statrs::distribution::{ChiSquared, ContinuousCDF};
use statrs::function::gamma::digamma;

use crate::estimate::LogSample;
use crate::field::Field;
use crate::gamma::{trigamma, trigamma_inverse};
use crate::median;

/// What the variances of all pairs say about that of one pair, for [`crate::ranking`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VariancePrior {
    /// Expected variance of the logarithm of the ratio of two rates in one round.
    variance: f64,
    /// Degrees of freedom the expectation is worth.
    freedom: f64,
}

impl VariancePrior {
    /// No expectation: every pair is judged by its own variance alone.
    pub const NONE: VariancePrior = VariancePrior { variance: 0.0, freedom: 0.0 };

    /// The prior of every field of a run, in their order. A field holds what one [`crate::ranking`] ranks:
    /// `field[candidate][round]`, for each phase and for each group of candidates that is ranked by itself.
    ///
    /// The fields need not have the same candidates, rounds or metrics. A field of fewer than four candidates that can
    /// be ranked, or one in which most pairs do not vary at all, has [`VariancePrior::NONE`].
    ///
    /// Source: Smyth, "Linear models and empirical Bayes methods for assessing differential expression in microarray
    /// experiments", Statistical Applications in Genetics and Molecular Biology 3 (2004), article 3, section 6.2, on the
    /// variances of the log ratios of all pairs. It gives less weight to the prior than Smyth does: the head of this
    /// module says where and why.
    pub fn of_fields(fields: &[Vec<Vec<Option<f64>>>]) -> Vec<VariancePrior> {
        let spreads: Vec<Option<Spread>> = fields.iter().map(|field| Spread::of(&Field::of(field))).collect();
        let pairs: f64 = spreads.iter().flatten().map(|spread| spread.pairs - 1.0).sum();
        let excess: f64 = spreads.iter().flatten().map(Spread::excess).sum::<f64>() / pairs;
        spreads.iter().map(|one| one.as_ref().map_or(Self::NONE, |one| one.prior(excess))).collect()
    }

    /// Degrees of freedom the prior adds to those of a pair; 0 where every pair stands alone.
    pub fn freedom(&self) -> f64 {
        self.freedom
    }

    /// The sample with the moderated variance: (d₀·s₀² + d·s²) / (d₀ + d), with d₀ + d degrees of freedom.
    ///
    /// Source: Smyth (2004), equation for the posterior variance in section 3.
    pub(crate) fn moderate(&self, sample: LogSample) -> LogSample {
        let freedom = self.freedom + sample.freedom;
        let pooled = |sd: f64| ((self.freedom * self.variance + sample.freedom * sd * sd) / freedom).sqrt();
        match sample.sd {
            Some(sd) if self.freedom > 0.0 => LogSample { sd: Some(pooled(sd)), freedom, ..sample },
            _ => sample,
        }
    }
}

/// How the variances of a field's pairs are spread.
struct Spread {
    candidates: f64,
    pairs: f64,
    /// Degrees of freedom of each pair's variance.
    freedom: f64,
    /// Mean of their logarithms.
    centre: f64,
    /// Sum of squared deviations from it.
    squares: f64,
}

impl Spread {
    fn of(field: &Field) -> Option<Spread> {
        let samples = field.pairs().filter_map(|(row, other)| row.log_ratios(other));
        let variances: Vec<f64> = samples.filter_map(|sample| Some(sample.sd?.powi(2))).collect();
        // limma's `fitFDist` has the same lower end: what does not vary at all has no logarithm.
        let least = LEAST_VARIANCE * median(variances.iter().copied())?;
        if field.rows.len() < MIN_CANDIDATES || least <= 0.0 {
            return None;
        }
        let logs: Vec<f64> = variances.iter().map(|variance| variance.max(least).ln()).collect();
        let pairs = logs.len() as f64;
        let centre = logs.iter().sum::<f64>() / pairs;
        let squares = logs.iter().map(|log| (log - centre).powi(2)).sum();
        Some(Spread { candidates: field.rows.len() as f64, pairs, freedom: field.rounds as f64 - 1.0, centre, squares })
    }

    /// The variance of the logarithm of a variance that is estimated: its spread where the true ones are all equal.
    fn of_equals(&self) -> f64 {
        trigamma(self.freedom / 2.0)
    }

    /// Sum of squares beyond what equal true variances give.
    fn excess(&self) -> f64 {
        self.squares - (self.pairs - 1.0) * self.of_equals()
    }

    /// `excess` is the variance of the logarithms of the true variances around the centres of their fields, as estimated
    /// over all fields.
    fn prior(&self, excess: f64) -> VariancePrior {
        let error = self.of_equals();
        let likely = 2.0 * trigamma_inverse(excess);
        let spread =
            (excess + error).max(0.0) * median_unbiased(self.candidates - 2.0) + error / (self.candidates - 1.0);
        let freedom = (2.0 * trigamma_inverse(spread - error)).min(MOST_WEIGHT * self.freedom);
        let centre = self.centre - bias(self.freedom) + bias(likely);
        VariancePrior { variance: centre.exp(), freedom: freedom * (self.candidates - 3.0) / (self.candidates - 2.0) }
    }
}

/// How far the mean logarithm of a variance with so many degrees of freedom lies from that of the true one.
fn bias(freedom: f64) -> f64 {
    digamma(freedom / 2.0) - (freedom / 2.0).ln()
}

/// What makes an estimated variance with so many degrees of freedom too small as often as too large.
fn median_unbiased(freedom: f64) -> f64 {
    ChiSquared::new(freedom).map_or(1.0, |distribution| freedom / distribution.inverse_cdf(0.5))
}

/// Fewest candidates whose pairs say something about each other.
const MIN_CANDIDATES: usize = 4;

/// The prior never weighs more than this many times the rounds of a pair. An outlier of any size in one job of two equal
/// candidates then has |t| = √((d₀ + n - 1)/(n - 1)) ≤ √3, which is below every 0.975 quantile.
const MOST_WEIGHT: f64 = 2.0;

/// Variances below this share of their median are counted as this share.
const LEAST_VARIANCE: f64 = 1e-5;

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(sd: Option<f64>) -> LogSample {
        LogSample { mean: 0.1, sd, n: 3, freedom: 2.0 }
    }

    #[test]
    fn a_moderated_variance_is_the_mean_of_both_weighted_by_their_degrees_of_freedom() {
        let prior = VariancePrior { variance: 0.04, freedom: 6.0 };
        let moderated = prior.moderate(sample(Some(0.1)));
        assert!((moderated.sd.unwrap().powi(2) - (6.0 * 0.04 + 2.0 * 0.01) / 8.0).abs() < 1e-15);
        assert_eq!((moderated.freedom, moderated.n, moderated.mean), (8.0, 3, 0.1));
        assert_eq!(prior.moderate(sample(None)).sd, None);
        let alone = VariancePrior::NONE.moderate(sample(Some(0.1)));
        assert_eq!((alone.sd, alone.freedom), (Some(0.1), 2.0));
    }

    #[test]
    fn one_outlier_of_any_size_shows_no_difference_to_an_equal_candidate() {
        for n in 3..=40 {
            let freedom = n as f64 - 1.0;
            let prior = VariancePrior { variance: 1e-6, freedom: MOST_WEIGHT * freedom };
            let mut logs = vec![0.0; n];
            logs[0] = 1000.0;
            let sample = prior.moderate(LogSample::of(&logs).unwrap());
            assert!(crate::ratio::paired_p_value(&sample) > 0.05, "{n} rounds");
        }
    }

    #[test]
    fn variances_that_spread_no_more_than_equal_ones_give_the_most_weight_and_their_own_centre() {
        let spread = Spread { candidates: 10.0, pairs: 45.0, freedom: 2.0, centre: -6.0, squares: 0.0 };
        let prior = spread.prior(-1.0);
        assert!((prior.freedom - 4.0 * 7.0 / 8.0).abs() < 1e-12);
        // With two degrees of freedom the mean of the logarithm is Euler's constant below.
        assert!((prior.variance.ln() - (0.577_215_664_9 - 6.0)).abs() < 1e-5, "{prior:?}");
        let unequal = spread.prior(4.0);
        assert!(unequal.freedom < 1.0 && unequal.variance < prior.variance, "{unequal:?}");
    }
}
