//! Latencies of many operations as counts per bucket.

use std::collections::BTreeMap;

use kurabe_protocol::histogram::{bucket_highest, bucket_lowest};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

use crate::UPPER_TAIL;

/// A percentile is given only where at least this many values are expected beyond it.
pub const MIN_BEYOND_PERCENTILE: f64 = 10.0;

/// Relative room for rounding in `p * n`, so that 0.9 of 100 is 90 values and leaves 10.
const ROUNDING: f64 = 1e-12;

/// Up to this many values the binomial quantiles are exact. Above it the approximation is as good, and the library's sums are
/// wrong about their middle (`statrs` 0.19.1: of 37,375,240 halves less than 2.5 % were said to be below 18,687,624).
const EXACT_BINOMIAL_LIMIT: u64 = 1_000_000;

/// Why counts are not a histogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum HistogramError {
    /// A pair does not start at the lower bound of a bucket.
    #[error("'{value_ns}' is not the lower bound of a histogram bucket; clear all but its top 8 bits: '{lowest_ns}'", lowest_ns = bucket_lowest(*value_ns))]
    NotABucket {
        /// The value in the place of a lower bound.
        value_ns: u64,
    },
    /// The counts add up to more than 64 bits hold.
    #[error("the counts of a histogram exceed '{}'; merge fewer histograms", u64::MAX)]
    TooMany,
    /// There are values but no maximum.
    #[error("a histogram of '{count}' values has no maximum; send the exact maximum with the counts")]
    MaxMissing {
        /// Number of values.
        count: u64,
    },
    /// The maximum does not lie in the highest bucket with values.
    #[error(
        "the maximum '{max_ns}' does not lie in the highest bucket with values; count the maximum too, and send no maximum without values"
    )]
    MaxMismatch {
        /// The maximum that was given.
        max_ns: u64,
    },
}

/// The 95 % interval of a percentile in nanoseconds, widened outward to the edges of buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PercentileInterval {
    /// Lower end; `None` where there are too few values below the percentile for one.
    pub low_ns: Option<u64>,
    /// Upper end; `None` where there are too few values above the percentile for one.
    pub high_ns: Option<u64>,
}

/// Latencies in nanoseconds, counted per bucket (at most 0.8 % wide), with the exact maximum beside them.
///
/// Histograms are merged and then asked; percentiles of several histograms are never averaged, because the average of
/// percentiles is the percentile of nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Histogram {
    counts: BTreeMap<u64, u64>,
    total: u64,
    max_ns: Option<u64>,
}

impl Histogram {
    /// A histogram from `[lower bound in ns, count]` pairs in any order and the exact maximum in ns (`None` if no values).
    ///
    /// Pairs of the same bucket add up; counts of zero are dropped.
    ///
    /// # Errors
    /// Where a lower bound is none, the counts overflow, or the maximum is missing or not in the highest bucket.
    pub fn from_pairs(
        pairs: impl IntoIterator<Item = [u64; 2]>,
        max_ns: Option<u64>,
    ) -> Result<Histogram, HistogramError> {
        let mut histogram = Histogram::default();
        for [value_ns, count] in pairs {
            if bucket_lowest(value_ns) != value_ns {
                return Err(HistogramError::NotABucket { value_ns });
            }
            histogram.add(value_ns, count)?;
        }
        let highest = histogram.counts.keys().next_back().copied();
        histogram.max_ns = max_ns;
        match (highest, max_ns) {
            (Some(_), None) => Err(HistogramError::MaxMissing { count: histogram.total }),
            (highest, Some(max_ns)) if highest != Some(bucket_lowest(max_ns)) => {
                Err(HistogramError::MaxMismatch { max_ns })
            }
            _ => Ok(histogram),
        }
    }

    /// All values of both histograms; the order of merging makes no difference.
    ///
    /// # Errors
    /// [`HistogramError::TooMany`] where the counts overflow.
    pub fn merged(mut self, other: &Histogram) -> Result<Histogram, HistogramError> {
        for (&value_ns, &count) in &other.counts {
            self.add(value_ns, count)?;
        }
        self.max_ns = self.max_ns.max(other.max_ns);
        Ok(self)
    }

    fn add(&mut self, lowest_ns: u64, count: u64) -> Result<(), HistogramError> {
        if count > 0 {
            self.total = self.total.checked_add(count).ok_or(HistogramError::TooMany)?;
            *self.counts.entry(lowest_ns).or_default() += count;
        }
        Ok(())
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.total
    }

    /// The exact maximum in nanoseconds; `None` without values.
    pub fn max_ns(&self) -> Option<u64> {
        self.max_ns
    }

    /// `[lower bound in ns, count]` pairs, ascending, no count zero.
    pub fn pairs(&self) -> impl Iterator<Item = [u64; 2]> {
        self.counts.iter().map(|(&lowest_ns, &count)| [lowest_ns, count])
    }

    /// The `p` quantile (0.99 for the 99th percentile) in nanoseconds: the lower bound of the bucket that holds the
    /// value of rank ⌈p · n⌉.
    ///
    /// `None` where fewer than [`MIN_BEYOND_PERCENTILE`] values are expected beyond it (n · (1 - p) < 10), or where `p` is
    /// not from 0 up to below 1.
    ///
    /// Source: the inverse of the empirical distribution function, definition 1 of Hyndman and Fan, "Sample quantiles in
    /// statistical packages", The American Statistician 50 (1996) 361-365.
    pub fn percentile(&self, p: f64) -> Option<u64> {
        let n = self.total as f64;
        let shown = (0.0..1.0).contains(&p) && n * (1.0 - p) >= MIN_BEYOND_PERCENTILE * (1.0 - 100.0 * ROUNDING);
        shown.then(|| self.bucket_at(rank(p, self.total))).flatten()
    }

    /// A distribution-free 95 % interval for the `p` quantile, also where the percentile itself is not given.
    ///
    /// `None` without values or where `p` is not between 0 and 1. The ends are the values of rank B(0.025) and
    /// B(0.975) + 1, with B the quantile function of the binomial distribution of n draws with probability `p`; an end whose rank is
    /// 0 or above n does not exist. It takes operations as independent: the spread between rounds is not in it.
    ///
    /// Source: David and Nagaraja, "Order Statistics", 3rd ed. (2003), section 7.1.
    pub fn percentile_interval(&self, p: f64) -> Option<PercentileInterval> {
        if self.total == 0 || !(p > 0.0 && p < 1.0) {
            return None;
        }
        let (low_rank, high_rank) = interval_ranks(p, self.total);
        let highest = |lowest_ns: u64| {
            let highest_ns = bucket_highest(lowest_ns);
            self.max_ns.map_or(highest_ns, |max_ns| highest_ns.min(max_ns))
        };
        Some(PercentileInterval { low_ns: self.bucket_at(low_rank), high_ns: self.bucket_at(high_rank).map(highest) })
    }

    /// The bucket of the value of rank `rank`, counted from 1; `None` outside 1 to n.
    fn bucket_at(&self, rank: u64) -> Option<u64> {
        if rank == 0 {
            return None;
        }
        let mut seen = 0;
        self.counts.iter().find_map(|(&lowest_ns, &count)| {
            seen += count;
            (seen >= rank).then_some(lowest_ns)
        })
    }
}

/// ⌈p · n⌉, at least 1, not thrown off by the rounding of the product.
fn rank(p: f64, n: u64) -> u64 {
    let product = p * n as f64;
    let nearest = product.round();
    let is_whole = (product - nearest).abs() <= product * ROUNDING;
    let rank = if is_whole { nearest } else { product.ceil() };
    (rank as u64).max(1)
}

/// Ranks of the ends of a percentile's interval: 0 or above `n` where an end does not exist.
fn interval_ranks(p: f64, n: u64) -> (u64, u64) {
    match Binomial::new(p, n) {
        Ok(binomial) if n <= EXACT_BINOMIAL_LIMIT => {
            (quantile(&binomial, 1.0 - UPPER_TAIL), quantile(&binomial, UPPER_TAIL) + 1)
        }
        _ => approximate_ranks(p, n),
    }
}

/// The least number of successes that is not exceeded with probability `p`.
///
/// `statrs` has such a function, but it panics where its sums are not in order (`statrs` 0.19.1, `inverse_cdf`).
fn quantile(binomial: &Binomial, p: f64) -> u64 {
    let (mut low, mut high) = (0, binomial.n());
    while low < high {
        let middle = low + (high - low) / 2;
        if binomial.cdf(middle) >= p {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

/// The same ranks from the normal approximation with a term for skewness, one rank wider on either side.
///
/// Source: Cornish and Fisher, "Moments and cumulants in the specification of distributions", Revue de l'Institut
/// International de Statistique 5 (1938) 307-320, first two terms.
fn approximate_ranks(p: f64, n: u64) -> (u64, u64) {
    let z = Normal::standard().inverse_cdf(UPPER_TAIL);
    let n = n as f64;
    let centre = n * p + (z * z - 1.0) * (1.0 - 2.0 * p) / 6.0;
    let half_width = z * (n * p * (1.0 - p)).sqrt();
    let low = (centre - half_width).floor() - 1.0;
    let high = (centre + half_width).ceil() + 2.0;
    (low as u64, high as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The library's own search for it panicked here, or ran into where its sums are wrong.
    #[test]
    fn any_number_of_values_has_an_interval_about_the_percentile() {
        for n in [1, 2, 1000, 999_999, 1_000_000, 1_000_001, 37_375_240, 408_290_275, 950_117_326, 40_000_000_000] {
            for p in [0.5, 0.9, 0.99, 0.999, 0.9999] {
                let (low, high) = interval_ranks(p, n);
                let (n, low, high) = (n as f64, low as f64, high as f64);
                let deviation = (n * p * (1.0 - p)).sqrt();
                let about =
                    |end: f64, side: f64| (end - (n * p + side * 1.96 * deviation)).abs() <= 4.0 + 0.01 * deviation;
                assert!(about(low, -1.0) && about(high, 1.0), "{low} to {high} for {p} of {n}");
            }
        }
    }

    proptest! {
        #[test]
        fn the_approximate_interval_is_at_most_three_ranks_wider_than_the_exact_one(
            n in 100_000u64..EXACT_BINOMIAL_LIMIT,
            beyond in 10.0f64..50_000.0,
            is_low in any::<bool>(),
        ) {
            let share = beyond / n as f64;
            let p = if is_low { share } else { 1.0 - share };
            let (exact_low, exact_high) = interval_ranks(p, n);
            let (low, high) = approximate_ranks(p, n);
            prop_assert!(low <= exact_low && exact_low - low <= 3, "{low} {exact_low}");
            prop_assert!(exact_high <= high && high - exact_high <= 3, "{high} {exact_high}");
        }
    }

    #[test]
    fn an_interval_beyond_the_exact_limit_is_as_wide_as_the_normal_distribution_says() {
        let n = 100_000_000_000;
        let (low, high) = interval_ranks(0.9, n);
        // By hand: sd = sqrt(1e11 * 0.9 * 0.1) = 94868.33, times 1.959964 is 185938.5.
        assert!((90_000_000_000 - 185_939 - low as i64).abs() <= 3, "{low}");
        assert!((90_000_000_000 + 185_939 - high as i64).abs() <= 3, "{high}");
    }
}
