//! Ranks for all candidates of a phase, ties kept as ties.
//!
//! With 95 % for each pair, ten equal candidates would more often than not show a pair that differs. So all pairs of a
//! ranking are one family. Holm's step-down (1979) with Shaffer's counts (1986) gives one confidence level for all of
//! them. At this level an interval excludes 1 exactly when Holm rejects its pair. So intervals and verdicts cannot
//! contradict each other. A ranking shows a false difference in at most 5 % of runs; the simulations of
//! docs/STATISTICS.md hold that.
//!
//! Comparing only with the best would need fewer pairs. But the best comes from the same data, and the best of many
//! equal ones is the luckiest. Who *may* be the best needs only k − 1 comparisons (Hsu, Annals of Statistics 12, 1984).
//!
//! Each pair is judged by a moderated variance (`prior.rs`): three rounds alone leave two degrees of freedom. There is
//! no composite score. Different stores may be first in different phases, and that is the answer.

use crate::estimate::{Estimate, LogSample};
use crate::family::{family_level, most_equal_pairs};
use crate::field::{Field, Row};
use crate::prior::VariancePrior;
use crate::ratio::{Ratio, Verdict, detectable_difference, paired_p_value, ratio_at};
use crate::{Decision, LEVEL, median};
#[cfg(doc)]
use crate::{MIN_VALUES, POWER};

/// The outcome of [`ranking`]. Candidates are named by their index in its input.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranking {
    /// Ranks were given.
    Ranked {
        /// How many rounds were used: those in which every ranked candidate has a value.
        rounds: usize,
        /// Confidence level of the intervals of all ratios: 0.95, or more where pairs are too alike to be told apart
        /// among so many.
        level: f64,
        /// Confidence level at which equivalence to the best is shown: that of the intervals, or more where so many
        /// candidates are compared with the best.
        equivalence_level: f64,
        /// The smallest relative difference (0.07 is 7 %) that the median pair would have shown with [`POWER`]; `None`
        /// for a single candidate.
        detectable: Option<f64>,
        /// Best first.
        ranks: Vec<Rank>,
        /// Those left out, by index.
        unranked: Vec<Unranked>,
    },
    /// No candidates have [`MIN_VALUES`] rounds in common, so nobody is ranked.
    NotRanked {
        /// Why each candidate has none, by index.
        unranked: Vec<Unranked>,
    },
}

/// One candidate's rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Rank {
    /// Index of the candidate in the input.
    pub candidate: usize,
    /// 1 is best; those that tie share a number and the next number is skipped (1, 1, 3).
    pub rank: usize,
    /// Its rate over the rounds used.
    pub rate: Estimate,
    /// Its rate relative to the best over the same rounds; `None` for the best itself.
    pub to_best: Option<Ratio>,
    /// Whether it may have the highest true rate: no candidate is shown to be better. The first always may.
    pub may_be_best: bool,
    /// The smallest margin (0.07 is ±7 %) within which it is shown to be equivalent to the best; 0 for the best itself.
    pub margin: Option<f64>,
}

/// A candidate without a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unranked {
    /// Index of the candidate in the input.
    pub candidate: usize,
    /// Why.
    pub reason: UnrankedReason,
}

/// Why a candidate is not ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnrankedReason {
    /// A value is not finite and above zero.
    NotARate,
    /// It has values in fewer than [`MIN_VALUES`] rounds.
    TooFewRounds {
        /// Rounds in which it has a value.
        rounds: usize,
    },
    /// Its rounds leave fewer than [`MIN_VALUES`] in common with candidates that have at least as many.
    TooFewCommonRounds {
        /// Rounds in which it has a value.
        rounds: usize,
    },
}

impl Ranking {
    /// What is decided between a candidate and the best, where differences below `within` (0.2 is 20 %) do not matter;
    /// `None` for the best itself.
    pub fn decision(&self, rank: &Rank, within: f64) -> Option<Decision> {
        let Ranking::Ranked { level, equivalence_level, .. } = self else { return None };
        Some(rank.to_best?.measured()?.decide(within, *level, *equivalence_level))
    }
}

impl Rank {
    /// Whether it is shown to be equivalent to the best within a margin (0.2 is ±20 %).
    pub fn is_equivalent(&self, within: f64) -> bool {
        self.margin.is_some_and(|margin| margin <= within)
    }
}

/// Ranks candidates by their rates: `values[candidate][round]`, higher is better, `None` where a round gave no rate.
///
/// The order is that of the geometric means over the rounds all have in common, so that it cannot contradict the
/// paired ratios, which use the same rounds. From the best downwards a candidate ties with the leader of the current
/// group where the interval of its ratio to that leader includes 1; otherwise it leads the next group. A tie is
/// therefore one with the leader of its group; a candidate of a later group may have an interval against the best that
/// includes 1 too ([`Rank::to_best`] shows it).
///
/// Every pair is judged by its own variance and by what `prior` says about variances in this run
/// ([`VariancePrior::of_fields`]; [`VariancePrior::NONE`] where there is no run).
///
/// All pairs of candidates are one family of comparisons, because which one is the best, and so which pairs are looked at,
/// is itself found in the data. Holm's step-down over all pairs gives one confidence level, at which the intervals of
/// all ratios are drawn: the chance that any two candidates are told apart that are equal stays at or below 5 %.
///
/// Whether a candidate may be the best takes k - 1 comparisons among k candidates: the best one is left out only where one of
/// the others is shown to be better than it. So they are made at 5 % / (k - 1), or at the level of the ranking
/// where that is lower, and the chance that the best is left out stays at or below 5 %.
///
/// A candidate that would leave the others below [`MIN_VALUES`] common rounds is left out, those with the fewest rounds
/// first and equals together, so that one that fails often does not cost the others their ranks. The result does not
/// depend on the order of the candidates, save that identical rows stand in the order of their index.
///
/// Source of the interval: [`crate::paired_ratio`] with the variance of Smyth (2004), as [`VariancePrior`] has it; of the
/// level: Holm (1979) with the bounds of Shaffer (1986); of the best: Hsu, "Constrained simultaneous confidence intervals
/// for multiple comparisons with the best", Annals of Statistics 12 (1984) 1136-1144, with the bound of Bonferroni, as the
/// variances differ; of the margin: Schuirmann (1987), as [`crate::Measured::lies_between`] has it. Rank numbers are those
/// of standard competition ranking.
pub fn ranking(values: &[Vec<Option<f64>>], prior: &VariancePrior) -> Ranking {
    let field = Field::of(values);
    if field.rows.is_empty() {
        return Ranking::NotRanked { unranked: field.unranked };
    }
    let judge = Judge::of(&field, prior);
    Ranking::Ranked {
        rounds: field.rounds,
        level: judge.level,
        equivalence_level: judge.equivalence_level,
        detectable: judge.detectable(&field),
        ranks: judge.ranks(&field.rows),
        unranked: field.unranked,
    }
}

/// What all pairs of a field are judged by.
struct Judge<'a> {
    prior: &'a VariancePrior,
    level: f64,
    best_level: f64,
    equivalence_level: f64,
}

impl<'a> Judge<'a> {
    fn of(field: &Field, prior: &'a VariancePrior) -> Judge<'a> {
        let pairs = field.pairs().filter_map(|(row, other)| row.log_ratios(other));
        let p_values: Vec<f64> = pairs.map(|sample| paired_p_value(&prior.moderate(sample))).collect();
        let most_equal = most_equal_pairs(field.rows.len());
        let level = family_level(&p_values, |rejected| most_equal.get(rejected).copied().unwrap_or(1));
        let others = field.rows.len().saturating_sub(1).max(1);
        let with_best = 1.0 - (1.0 - LEVEL) / others as f64;
        Judge { prior, level, best_level: level.min(with_best), equivalence_level: level.max(with_best) }
    }

    fn sample(&self, row: &Row, other: &Row) -> Option<LogSample> {
        row.log_ratios(other).map(|sample| self.prior.moderate(sample))
    }

    fn verdict(&self, row: &Row, other: &Row, level: f64) -> Option<Verdict> {
        self.sample(row, other).map(|sample| ratio_at(&sample, level).verdict)
    }

    /// What the median pair would have shown.
    fn detectable(&self, field: &Field) -> Option<f64> {
        let samples: Vec<LogSample> = field.pairs().filter_map(|(row, other)| self.sample(row, other)).collect();
        let freedom = samples.first()?.freedom;
        let log_sd = median(samples.iter().filter_map(|sample| sample.sd))?;
        detectable_difference(log_sd, field.rounds, freedom, self.level)
    }

    /// Walks the sorted rows and forms the groups.
    fn ranks(&self, rows: &[Row]) -> Vec<Rank> {
        let mut leader = 0;
        let mut ranks = Vec::with_capacity(rows.len());
        for (position, row) in rows.iter().enumerate() {
            if self.verdict(row, &rows[leader], self.level) != Some(Verdict::Tie) {
                leader = position;
            }
            let is_slower = |other: &Row| self.verdict(row, other, self.best_level) == Some(Verdict::Slower);
            let to_best = self.sample(row, &rows[0]).filter(|_| position > 0);
            ranks.push(Rank {
                candidate: row.candidate,
                rank: leader + 1,
                rate: row.rate,
                to_best: to_best.as_ref().map(|sample| ratio_at(sample, self.level)),
                may_be_best: !rows[..position].iter().any(is_slower),
                margin: if position == 0 { Some(0.0) } else { to_best.and_then(|sample| self.margin(&sample)) },
            });
        }
        ranks
    }

    fn margin(&self, sample: &LogSample) -> Option<f64> {
        ratio_at(sample, self.equivalence_level).margin()
    }
}
