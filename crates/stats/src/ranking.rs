//! Places for all candidates of a phase, ties kept as ties.

use std::cmp::Ordering;

use crate::MIN_VALUES;
use crate::estimate::{Estimate, is_rate, rate_estimate};
use crate::family::{family_level, most_equal_pairs};
use crate::ratio::{Ratio, Verdict, log_ratios, paired_p_value, ratio_at};

/// The outcome of [`ranking`]. Candidates are named by their index in its input.
#[derive(Debug, Clone, PartialEq)]
pub enum Ranking {
    /// Places were given.
    Ranked {
        /// How many rounds were used: those in which every placed candidate has a value.
        rounds: usize,
        /// Confidence level of the intervals of all ratios: 0.95, or more where pairs are too alike to be told apart
        /// among so many.
        level: f64,
        /// Best first.
        places: Vec<Place>,
        /// Those left out, by index.
        unranked: Vec<Unranked>,
    },
    /// No candidates have [`MIN_VALUES`] rounds in common, so nobody has a place.
    NotRanked {
        /// Why each candidate has none, by index.
        unranked: Vec<Unranked>,
    },
}

/// One candidate's place.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// Index of the candidate in the input.
    pub candidate: usize,
    /// 1 is best; those that tie share a number and the next number is skipped (1, 1, 3).
    pub place: usize,
    /// Its rate over the rounds used.
    pub rate: Estimate,
    /// Its rate relative to the best over the same rounds; `None` for the best itself.
    pub to_best: Option<Ratio>,
}

/// A candidate without a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unranked {
    /// Index of the candidate in the input.
    pub candidate: usize,
    /// Why.
    pub reason: UnrankedReason,
}

/// Why a candidate has no place.
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

/// Ranks candidates by their rates: `values[candidate][round]`, higher is better, `None` where a round gave no rate.
///
/// The order is that of the geometric means over the rounds all have in common, so that it cannot contradict the
/// paired ratios, which use the same rounds. From the best downwards a candidate ties with the leader of the current
/// group where the interval of its ratio to that leader includes 1; otherwise it leads the next group. A tie is
/// therefore one with the leader of its group; a candidate of a later group may have an interval against the best that
/// includes 1 too ([`Place::to_best`] shows it).
///
/// All pairs of candidates are one family of comparisons, because which one is the best, and so which pairs are looked at,
/// is itself found in the data. Holm's step-down over all pairs gives one confidence level, at which the intervals of
/// all ratios are drawn: the chance that any two candidates are told apart that are equal stays at or below 5 %.
///
/// A candidate that would leave the others below [`MIN_VALUES`] common rounds is left out, those with the fewest rounds
/// first and equals together, so that one that fails often does not cost the others their places. The result does not
/// depend on the order of the candidates, save that identical rows stand in the order of their index.
///
/// Source of the interval: [`crate::paired_ratio`]; of the level: Holm (1979) with the bounds of Shaffer (1986). Place numbers are those of standard competition ranking.
pub fn ranking(values: &[Vec<Option<f64>>]) -> Ranking {
    let (kept, mut unranked) = eligible(values);
    let (kept, rounds) = with_common_rounds(values, kept, &mut unranked);
    unranked.sort_by_key(|entry| entry.candidate);
    if kept.is_empty() {
        return Ranking::NotRanked { unranked };
    }
    let mut rows: Vec<Row> =
        kept.iter().filter_map(|&candidate| Row::over(candidate, &values[candidate], &rounds)).collect();
    rows.sort_by(Row::best_first);
    let level = level(&rows);
    Ranking::Ranked { rounds: rounds.len(), level, places: places(&rows, level), unranked }
}

/// The level at which all pairs of `rows` are judged.
fn level(rows: &[Row]) -> f64 {
    let pairs = rows.iter().enumerate().flat_map(|(at, row)| rows[at + 1..].iter().map(move |other| (row, other)));
    let p_value =
        |(row, other): (&Row, &Row)| log_ratios(&row.values, &other.values).map(|sample| paired_p_value(&sample));
    let p_values: Vec<f64> = pairs.filter_map(p_value).collect();
    let most_equal = most_equal_pairs(rows.len());
    family_level(&p_values, |rejected| most_equal.get(rejected).copied().unwrap_or(1))
}

/// Candidates that can have a place on their own values, and those that cannot.
fn eligible(values: &[Vec<Option<f64>>]) -> (Vec<usize>, Vec<Unranked>) {
    let mut kept = Vec::new();
    let mut unranked = Vec::new();
    for (candidate, row) in values.iter().enumerate() {
        let rounds = round_count(row);
        let reason = if !row.iter().flatten().all(|value| is_rate(*value)) {
            UnrankedReason::NotARate
        } else if rounds < MIN_VALUES {
            UnrankedReason::TooFewRounds { rounds }
        } else {
            kept.push(candidate);
            continue;
        };
        unranked.push(Unranked { candidate, reason });
    }
    (kept, unranked)
}

/// Leaves out candidates with the fewest rounds until the rest has enough rounds in common; gives the rest and those rounds.
fn with_common_rounds(
    values: &[Vec<Option<f64>>],
    mut kept: Vec<usize>,
    unranked: &mut Vec<Unranked>,
) -> (Vec<usize>, Vec<usize>) {
    let mut counts: Vec<usize> = kept.iter().map(|&candidate| round_count(&values[candidate])).collect();
    counts.sort_unstable();
    for fewest in counts {
        let rounds = common_rounds(values, &kept);
        if rounds.len() >= MIN_VALUES {
            return (kept, rounds);
        }
        kept.retain(|&candidate| {
            let rounds = round_count(&values[candidate]);
            let stays = rounds > fewest;
            if !stays {
                let reason = UnrankedReason::TooFewCommonRounds { rounds };
                unranked.push(Unranked { candidate, reason });
            }
            stays
        });
    }
    (kept, Vec::new())
}

fn round_count(row: &[Option<f64>]) -> usize {
    row.iter().flatten().count()
}

/// Rounds in which every candidate of `kept` has a value.
fn common_rounds(values: &[Vec<Option<f64>>], kept: &[usize]) -> Vec<usize> {
    let longest = values.iter().map(Vec::len).max().unwrap_or(0);
    (0..longest)
        .filter(|&round| kept.iter().all(|&candidate| values[candidate].get(round).is_some_and(Option::is_some)))
        .collect()
}

/// A candidate's values over the common rounds.
struct Row {
    candidate: usize,
    values: Vec<Option<f64>>,
    rate: Estimate,
}

impl Row {
    fn over(candidate: usize, values: &[Option<f64>], rounds: &[usize]) -> Option<Row> {
        let values: Vec<Option<f64>> = rounds.iter().map(|&round| values[round]).collect();
        let rates: Vec<f64> = values.iter().copied().flatten().collect();
        let rate = rate_estimate(&rates)?;
        Some(Row { candidate, values, rate })
    }

    /// Equal means are ordered by the values themselves, because the index would make the groups depend on the order of the input.
    fn best_first(left: &Row, right: &Row) -> Ordering {
        let by_value = |left: &Row, right: &Row| {
            let pairs = left.values.iter().flatten().zip(right.values.iter().flatten());
            pairs.map(|(left, right)| right.total_cmp(left)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        right
            .rate
            .value
            .total_cmp(&left.rate.value)
            .then_with(|| by_value(left, right))
            .then_with(|| left.candidate.cmp(&right.candidate))
    }
}

/// Walks the sorted rows and forms the groups.
fn places(rows: &[Row], level: f64) -> Vec<Place> {
    let mut leader = 0;
    let mut places = Vec::with_capacity(rows.len());
    for (position, row) in rows.iter().enumerate() {
        let ratio_to = |other: &Row| log_ratios(&row.values, &other.values).map(|sample| ratio_at(&sample, level));
        let ties = ratio_to(&rows[leader]).is_some_and(|ratio| ratio.verdict == Verdict::Tie);
        if !ties {
            leader = position;
        }
        places.push(Place {
            candidate: row.candidate,
            place: leader + 1,
            rate: row.rate,
            to_best: (position > 0).then(|| ratio_to(&rows[0])).flatten(),
        });
    }
    places
}
