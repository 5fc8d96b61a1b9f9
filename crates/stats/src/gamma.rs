//! The trigamma function and its inverse: the spread of the logarithm of a variance.

/// The second derivative of ln Γ at `x` above 0: the variance of the logarithm of a gamma variable of shape `x`.
///
/// Source: the recurrence and the asymptotic series of Abramowitz and Stegun, "Handbook of Mathematical Functions"
/// (1964), 6.4.6 and 6.4.12.
pub(crate) fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 15.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = 1.0 / 6.0 - square * (1.0 / 30.0 - square * (1.0 / 42.0 - square / 30.0));
    sum + 1.0 / x + square / 2.0 + square / x * series
}

/// The `x` whose trigamma is `y`, found by bisection; never above [`LARGEST`], which stands for infinity.
pub(crate) fn trigamma_inverse(y: f64) -> f64 {
    let (mut low, mut high) = (1.0 / LARGEST, LARGEST);
    for _ in 0..100 {
        let middle = (low * high).sqrt();
        if trigamma(middle) > y {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Largest value of [`trigamma_inverse`]: so many degrees of freedom are as good as a known variance.
pub(crate) const LARGEST: f64 = 1e6;

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn trigamma_has_the_values_of_the_handbook() {
        let near = |x: f64, expected: f64| assert!((trigamma(x) / expected - 1.0).abs() < 1e-13, "{x}");
        near(1.0, PI * PI / 6.0);
        near(0.5, PI * PI / 2.0);
        near(2.0, PI * PI / 6.0 - 1.0);
        // Python, scipy.special.polygamma(1, x).
        near(0.01, 10_001.621_213_528_313);
        near(100.0, 0.010_050_166_663_333_57);
    }

    #[test]
    fn the_inverse_gives_back_the_argument_and_ends_where_a_variance_is_known() {
        for x in [0.001, 0.05, 0.5, 1.0, 7.0, 1234.5] {
            assert!((trigamma_inverse(trigamma(x)) / x - 1.0).abs() < 1e-9, "{x}");
        }
        assert_eq!((trigamma_inverse(0.0), trigamma_inverse(-1.0)), (LARGEST, LARGEST));
    }
}
