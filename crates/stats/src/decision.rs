//! What is decided between two candidates: better, worse, equivalent, or nothing yet.
//!
//! A tie says that a run saw no difference. Read as "equal" it was wrong. A page said that any of 7 clients will do.
//! Its own table had one of them 6.14 times slower (commit 92036540). So there are three verdicts beside better. A
//! candidate is *worse* if the interval of its ratio excludes 1. It is *equivalent* if the interval lies within a
//! margin that the reader names (two one-sided tests, Schuirmann 1987). Otherwise it is *inconclusive*, with the rounds
//! that would decide it. A small difference can be both worse and equivalent; then it is reported as a difference.
//!
//! Two verdicts, faster or not, hide how little a run could see. A threshold on the ratio of means ignores the
//! interval. docs/decisions/0007-worse-equivalent-inconclusive.md has the consequences.

use crate::MIN_VALUES;
use crate::evidence::{MOST_ROUNDS, Measured};
use crate::ratio::{Ratio, Verdict};

/// Differences below this share do not matter, unless the reader says otherwise: ±20 %.
pub const EQUIVALENT: f64 = 0.20;

/// What is decided between one candidate and another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It is better: the whole interval of the ratio lies above 1.
    Better,
    /// It is worse: the whole interval lies below 1.
    Worse,
    /// The interval includes 1 and lies within the margin.
    Equivalent,
    /// Neither is shown.
    Inconclusive {
        /// Rounds in all that would decide it if estimate and spread stayed as they are; `None` above [`MOST_ROUNDS`].
        rounds: Option<usize>,
    },
}

impl Measured {
    /// Whether a log ratio shows a difference, or equivalence within a margin (0.2 is ±20 %), both at a confidence level.
    ///
    /// A difference that is shown is told as one, also where it is small. Source: Schuirmann, "A comparison of the two one-sided
    /// tests procedure and the power approach", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680, each test
    /// at half of what the level leaves, so that the interval at this level shows both.
    pub fn decision(&self, within: f64, level: f64) -> Decision {
        self.decide(within, level, level)
    }

    /// [`Measured::decision`] with a level of its own for the equivalence.
    pub(crate) fn decide(&self, within: f64, level: f64, equivalence_level: f64) -> Decision {
        let now = self.difference(level).or_else(|| self.equivalence(within, equivalence_level));
        now.unwrap_or_else(|| {
            let decided = |n: &usize| {
                let then = self.after(*n);
                then.difference(level).or_else(|| then.equivalence(within, equivalence_level)).is_some()
            };
            Decision::Inconclusive { rounds: (self.n.max(MIN_VALUES)..=MOST_ROUNDS).find(decided) }
        })
    }

    fn difference(&self, level: f64) -> Option<Decision> {
        let interval = self.interval(level)?;
        if interval.low > 0.0 { Some(Decision::Better) } else { (interval.high < 0.0).then_some(Decision::Worse) }
    }

    fn equivalence(&self, within: f64, level: f64) -> Option<Decision> {
        self.margin(level).filter(|margin| *margin <= within).map(|_| Decision::Equivalent)
    }

    /// The smallest margin that holds the interval of a log ratio.
    fn margin(&self, level: f64) -> Option<f64> {
        let interval = self.interval(level)?;
        Some(interval.high.max(-interval.low).exp_m1()).filter(|margin| margin.is_finite())
    }

    /// The same estimate and spread after so many rounds. A prior keeps its degrees of freedom, each round adds one.
    fn after(&self, n: usize) -> Measured {
        let (rounds, now) = (n as f64, self.n as f64);
        Measured { error: self.error * (now / rounds).sqrt(), freedom: self.freedom + rounds - now, n, ..*self }
    }
}

impl Ratio {
    /// The log ratio with its error; `None` where the ratio has no verdict, and for one of two runs.
    pub fn measured(&self) -> Option<Measured> {
        let (log_sd, freedom) = self.log_sd.zip(self.freedom)?;
        let n = self.estimate.n;
        let is_judged = self.verdict != Verdict::CannotTell;
        let error = log_sd / (n as f64).sqrt();
        is_judged.then(|| Measured { value: self.estimate.value.ln(), error, freedom, n })
    }

    /// The smallest margin (0.07 is ±7 %) that holds the interval at its level.
    pub(crate) fn margin(&self) -> Option<f64> {
        let interval = self.estimate.interval?;
        Some(interval.high.max(1.0 / interval.low) - 1.0).filter(|margin| margin.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LEVEL;

    /// 2.776445 is the 0.975 quantile of Student's t with 4 degrees of freedom.
    const T4: f64 = 2.776_445_105;

    fn of(value: f64, error: f64) -> Measured {
        Measured { value, error, freedom: 4.0, n: 5 }
    }

    #[test]
    fn the_interval_of_the_ratio_decides() {
        let decide = |low: f64, high: f64| of((low + high) / 2.0, (high - low) / 2.0 / T4).decision(EQUIVALENT, LEVEL);
        assert_eq!(decide(0.001, 0.9), Decision::Better);
        assert_eq!(decide(-0.9, -0.001), Decision::Worse);
        // ln 1.2 is 0.1823.
        assert_eq!(decide(-0.182, 0.182), Decision::Equivalent);
        assert_eq!(decide(0.001, 0.1), Decision::Better, "a small difference that is shown is one");
        assert!(matches!(decide(-0.19, 0.1), Decision::Inconclusive { rounds: Some(6) }), "{:?}", decide(-0.19, 0.1));
        assert!(matches!(decide(-0.1, 0.19), Decision::Inconclusive { .. }));
        assert_eq!(of(0.0, 0.0).decision(0.0, LEVEL), Decision::Equivalent, "nothing varies and nothing differs");
    }

    #[test]
    fn rounds_are_those_that_settle_it_either_way() {
        // Far apart and noisy: more rounds show the difference. Equal and noisy: more rounds show the equivalence.
        let rounds = |value: f64| match of(value, 0.2).decision(EQUIVALENT, LEVEL) {
            Decision::Inconclusive { rounds } => rounds,
            other => panic!("{other:?}"),
        };
        // s = 0.2 * √5; by z: n = (1.96 s / 0.4)² = 4.8 and a little more by t; (1.96 s / 0.1823)² = 23.1.
        assert_eq!((rounds(0.4), rounds(0.0)), (Some(8), Some(26)));
        let at_the_margin = of(1.2_f64.ln(), 9.0).decision(EQUIVALENT, LEVEL);
        assert_eq!(at_the_margin, Decision::Inconclusive { rounds: None });
    }
}
