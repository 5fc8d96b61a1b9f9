//! Zipf's law, drawn the same way on every machine and with every version of a library.
//!
//! Rejection-inversion: W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone discrete
//! distributions", ACM TOMACS 6(3), 1996. Logarithm and exponential come from `libm`, which computes them in Rust; those of
//! the system's C library differ in the last bit from machine to machine, and with it a drawn rank now and then.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// Draws ranks from 1 to `ranks`, rank `k` with a share proportional to `k^-exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Zipf {
    ranks: f64,
    exponent: f64,
    /// The integral of the hat from which is drawn: at its start and at its end.
    from: f64,
    to: f64,
    /// Within this distance of its rank every point of the hat is accepted at once.
    accepted: f64,
}

impl Zipf {
    /// `ranks` is at least 1, `exponent` above 0.
    pub fn new(ranks: u32, exponent: f64) -> Zipf {
        let ranks = f64::from(ranks.max(1));
        let mut zipf = Zipf { ranks, exponent, from: 0.0, to: 0.0, accepted: 0.0 };
        zipf.from = zipf.integral(1.5) - 1.0;
        zipf.to = zipf.integral(ranks + 0.5);
        zipf.accepted = 2.0 - zipf.integral_inverse(zipf.integral(2.5) - zipf.share(2.0));
        zipf
    }

    /// The next rank.
    pub fn draw(&self, random: &mut ChaCha8Rng) -> u32 {
        loop {
            let area = self.to + unit(random) * (self.from - self.to);
            let at = self.integral_inverse(area);
            let rank = (at + 0.5).floor().clamp(1.0, self.ranks);
            if rank - at <= self.accepted || area >= self.integral(rank + 0.5) - self.share(rank) {
                return rank as u32;
            }
        }
    }

    /// The law without its factor: `x^-exponent`.
    fn share(&self, x: f64) -> f64 {
        libm::exp(-self.exponent * libm::log(x))
    }

    /// An integral of [`Zipf::share`]: `(x^(1 - exponent) - 1) / (1 - exponent)`, or `ln x` for an exponent of 1.
    fn integral(&self, x: f64) -> f64 {
        let log = libm::log(x);
        let scaled = (1.0 - self.exponent) * log;
        log * if scaled.abs() > TINY { libm::expm1(scaled) / scaled } else { 1.0 + scaled / 2.0 }
    }

    fn integral_inverse(&self, area: f64) -> f64 {
        // Rounding may lead out of the domain.
        let scaled = (area * (1.0 - self.exponent)).max(-1.0);
        let factor = if scaled.abs() > TINY { libm::log1p(scaled) / scaled } else { 1.0 - scaled / 2.0 };
        libm::exp(area * factor)
    }
}

/// Below it the first two terms of a series are exact to the last bit.
const TINY: f64 = 1e-8;

/// A number from 0 to below 1, from the upper 53 bits.
fn unit(random: &mut ChaCha8Rng) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    (random.next_u64() >> 11) as f64 * STEP
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::rand_core::SeedableRng;

    /// Pearson's statistic of as many draws against the law, over the ranks.
    fn chi_squared(ranks: u32, exponent: f64, draws: u32) -> f64 {
        let zipf = Zipf::new(ranks, exponent);
        let mut random = ChaCha8Rng::seed_from_u64(11);
        let mut counts = vec![0u32; ranks as usize + 1];
        (0..draws).for_each(|_| counts[zipf.draw(&mut random) as usize] += 1);
        assert_eq!(counts[0], 0, "ranks begin with 1");
        let shares: Vec<f64> = (1..=ranks).map(|rank| f64::from(rank).powf(-exponent)).collect();
        let total: f64 = shares.iter().sum();
        let expected = shares.iter().map(|share| share / total * f64::from(draws));
        expected.zip(&counts[1..]).map(|(expected, count)| (f64::from(*count) - expected).powi(2) / expected).sum()
    }

    #[test]
    fn ranks_follow_the_law() {
        // With 49 degrees of freedom 99.9 % of all samples of the law lie below 86.
        for exponent in [0.5, 0.99, 1.0, 1.5] {
            let found = chi_squared(50, exponent, 200_000);
            assert!(found < 86.0, "exponent {exponent}: {found}");
        }
        assert!(chi_squared(2, 0.99, 200_000) < 11.0, "one degree of freedom");
    }

    #[test]
    fn another_law_is_told_apart() {
        let zipf = Zipf::new(50, 0.99);
        let other = Zipf { exponent: 1.05, ..zipf };
        assert!((zipf.share(7.0) - other.share(7.0)).abs() > 0.01);
    }

    #[test]
    fn every_rank_is_within_its_bounds_however_many_there_are() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        for ranks in [1, 2, 3, 1_000_000, u32::MAX] {
            let zipf = Zipf::new(ranks, 0.99);
            assert!((0..2_000).all(|_| (1..=ranks).contains(&zipf.draw(&mut random))), "{ranks}");
        }
    }
}
