//! How much of an answer is compared, where comparing all of every answer would cost too much.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// What of the answers of a block is compared with what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// Every byte.
    Whole,
    /// Length, row and version.
    Head,
}

/// Draws the blocks of answers that are compared whole: one in so many, at random, so that no order of rows keeps some of
/// them from being compared. The same are drawn in every phase.
#[derive(Clone, Debug)]
pub struct Sampling {
    random: SmallRng,
    one_in: u32,
}

impl Sampling {
    /// Draws one block in `blocks`; all where that is 0 or 1.
    pub fn one_in(blocks: u32) -> Sampling {
        Sampling { random: SmallRng::seed_from_u64(0), one_in: blocks.max(1) }
    }

    /// What is compared of the answers of the next block.
    #[inline(always)]
    pub fn draw(&mut self) -> Compared {
        if self.one_in == 1 || self.random.random_ratio(1, self.one_in) { Compared::Whole } else { Compared::Head }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(one_in: u32, blocks: usize) -> Vec<bool> {
        let mut sampling = Sampling::one_in(one_in);
        (0..blocks).map(|_| sampling.draw() == Compared::Whole).collect()
    }

    #[test]
    fn one_in_so_many_is_drawn() {
        assert!(drawn(1, 1_000).iter().chain(&drawn(0, 1_000)).all(|whole| *whole));
        for one_in in [2, 3, 8, 100] {
            let share = 1.0 / f64::from(one_in);
            let whole = drawn(one_in, 100_000).iter().filter(|whole| **whole).count() as f64;
            let deviation = (100_000.0 * share * (1.0 - share)).sqrt();
            assert!((whole - 100_000.0 * share).abs() < 4.0 * deviation, "{whole} of one in {one_in}");
        }
    }

    #[test]
    fn every_block_of_repeated_passes_is_drawn() {
        for blocks in [16, 1_000, 4_096, 10_007] {
            let passes = drawn(8, blocks * 200);
            let missed =
                (0..blocks).filter(|block| !passes[*block..].iter().step_by(blocks).any(|whole| *whole)).count();
            assert_eq!(missed, 0, "of {blocks} blocks");
        }
    }
}
