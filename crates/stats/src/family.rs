//! Many comparisons at once: one confidence level for all of them, so that a false claim among them stays rare.

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::LEVEL;

/// The confidence level at which every interval of a family of comparisons is drawn, by Holm's step-down.
///
/// `p_values` are those of the comparisons in any order, `most_true(rejected)` is how many of them can still be without
/// a difference once `rejected` of them were found different; it must not grow. The smallest p value is tested at
/// 5 % / `most_true(0)`, the next at 5 % / `most_true(1)` and so on, until one is not below its limit. The level is
/// that of this last step: at it, exactly the comparisons found different have intervals without 1. With no comparison, or
/// all of them different, it is [`LEVEL`].
///
/// The chance that any claim of a difference is false stays at or below 5 %, whatever the comparisons have to do with each
/// other. Source: Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics
/// 6 (1979) 65-70; for `most_true` Shaffer, "Modified sequentially rejective multiple test procedures", JASA 81 (1986)
/// 826-831.
pub(crate) fn family_level(p_values: &[f64], most_true: impl Fn(usize) -> usize) -> f64 {
    let mut sorted = p_values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let limit = |rejected: usize| (1.0 - LEVEL) / most_true(rejected).max(1) as f64;
    let stop = sorted.iter().enumerate().find(|(rejected, p)| !p.is_finite() || **p > limit(*rejected));
    1.0 - stop.map_or(1.0 - LEVEL, |(rejected, _)| limit(rejected))
}

/// How many of all pairs of `candidates` can be equal once `rejected` pairs are not, as a list by `rejected`.
///
/// Equality carries over: where a = b and b = c, also a = c. So the pairs that are equal are those inside groups, and
/// only some numbers of them are possible. Source: Shaffer (1986), as above, section 3.
pub(crate) fn most_equal_pairs(candidates: usize) -> Vec<usize> {
    let all = pairs(candidates);
    let mut possible = vec![vec![false; all + 1]; candidates + 1];
    possible[0][0] = true;
    for size in 1..=candidates {
        for group in 1..=size {
            let rest = size - group;
            for count in 0..=pairs(rest) {
                if possible[rest][count] {
                    possible[size][count + pairs(group)] = true;
                }
            }
        }
    }
    let largest = |limit: usize| (0..=limit).rev().find(|count| possible[candidates][*count]).unwrap_or(0);
    (0..all).map(|rejected| largest(all - rejected)).collect()
}

fn pairs(candidates: usize) -> usize {
    candidates * candidates.saturating_sub(1) / 2
}

/// The two-sided p value of `t` with `freedom` degrees of freedom; 1 where `t` is not a number.
pub(crate) fn p_value(t: f64, freedom: f64) -> f64 {
    let student = StudentsT::new(0.0, 1.0, freedom).ok().filter(|_| !t.is_nan());
    student.map_or(1.0, |student| if t.is_infinite() { 0.0 } else { (2.0 * student.sf(t.abs())).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn possible_numbers_of_equal_pairs_are_those_of_shaffer() {
        // Shaffer (1986): for five candidates 0, 1, 2, 3, 4, 6 and 10 pairs can be equal.
        assert_eq!(most_equal_pairs(5), [10, 6, 6, 6, 6, 4, 4, 3, 2, 1]);
        assert_eq!(most_equal_pairs(4), [6, 3, 3, 3, 2, 1]);
        assert_eq!(most_equal_pairs(3), [3, 1, 1]);
        assert_eq!(most_equal_pairs(2), [1]);
        assert!(most_equal_pairs(1).is_empty() && most_equal_pairs(0).is_empty());
    }

    #[test]
    fn the_level_is_that_of_the_step_at_which_holm_stops() {
        let holm = |p: &[f64]| 1.0 - family_level(p, |rejected| p.len() - rejected);
        let near = |got: f64, expected: f64| assert!((got - expected).abs() < 1e-12, "{got} and not {expected}");
        near(holm(&[]), 0.05);
        near(holm(&[0.2]), 0.05);
        // Holm (1979): 0.01 <= 0.05/4, 0.015 <= 0.05/3, 0.03 > 0.05/2.
        near(holm(&[0.03, 0.01, 0.9, 0.015]), 0.05 / 2.0);
        near(holm(&[0.02, 0.02, 0.02]), 0.05 / 3.0);
        // At its limit a comparison is still found different.
        near(holm(&[(1.0 - LEVEL) / 2.0, 0.04]), 0.05);
        near(holm(&[0.01, 0.02, 0.04]), 0.05);
        near(holm(&[f64::NAN, 0.001]), 0.05);
    }

    #[test]
    fn p_values_are_those_of_tables() {
        // Student's t: 2.776445 is the 0.975 quantile with 4 degrees of freedom, 12.7062 with one.
        assert!((p_value(2.776_445_105, 4.0) - 0.05).abs() < 1e-8);
        assert!((p_value(-12.706_204_736, 1.0) - 0.05).abs() < 1e-8);
        assert_eq!((p_value(0.0, 4.0), p_value(f64::INFINITY, 4.0), p_value(f64::NAN, 4.0)), (1.0, 0.0, 1.0));
    }
}
