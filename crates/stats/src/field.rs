//! The candidates that are ranked against each other, over the rounds that all of them have.

use std::cmp::Ordering;

use crate::MIN_VALUES;
use crate::estimate::{Estimate, LogSample, is_rate, rate_estimate};
use crate::ranking::{Unranked, UnrankedReason};

/// The candidates of one ranking, best first, and those that are left out.
pub(crate) struct Field {
    pub(crate) rows: Vec<Row>,
    pub(crate) rounds: usize,
    pub(crate) unranked: Vec<Unranked>,
}

impl Field {
    /// Keeps those that have [`MIN_VALUES`] rounds in common; the order of `values` changes nothing but their indexes.
    pub(crate) fn of(values: &[Vec<Option<f64>>]) -> Field {
        let (kept, mut unranked) = eligible(values);
        let (kept, rounds) = with_common_rounds(values, kept, &mut unranked);
        unranked.sort_by_key(|entry| entry.candidate);
        let mut rows: Vec<Row> =
            kept.iter().filter_map(|&candidate| Row::from_rounds(candidate, &values[candidate], &rounds)).collect();
        rows.sort_by(Row::best_first);
        Field { rows, rounds: rounds.len(), unranked }
    }

    /// All pairs, the better one of each first.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&Row, &Row)> {
        self.rows.iter().enumerate().flat_map(|(at, row)| self.rows[at + 1..].iter().map(move |other| (row, other)))
    }
}

/// A candidate's values over the common rounds.
pub(crate) struct Row {
    pub(crate) candidate: usize,
    pub(crate) rate: Estimate,
    logs: Vec<f64>,
}

impl Row {
    fn from_rounds(candidate: usize, values: &[Option<f64>], rounds: &[usize]) -> Option<Row> {
        let rates: Vec<f64> = rounds.iter().filter_map(|&round| values[round]).collect();
        let rate = rate_estimate(&rates)?;
        Some(Row { candidate, rate, logs: rates.iter().map(|rate| rate.ln()).collect() })
    }

    /// The logarithms of the ratios of single rounds to those of `other`.
    pub(crate) fn log_ratios(&self, other: &Row) -> Option<LogSample> {
        let logs: Vec<f64> = self.logs.iter().zip(&other.logs).map(|(own, other)| own - other).collect();
        LogSample::of(&logs)
    }

    /// Equal means are ordered by the values themselves, because the index would make the groups depend on the order of the input.
    fn best_first(left: &Row, right: &Row) -> Ordering {
        let by_value = |left: &Row, right: &Row| {
            let pairs = left.logs.iter().zip(&right.logs);
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

/// Candidates that can be ranked on their own values, and those that cannot.
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
