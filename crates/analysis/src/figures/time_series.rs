//! The rate over time in one round.

use kurabe_record::PhaseRecord;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::phase_job::PhaseJob;

/// Operations that a slot holds in the mean, at least.
const MIN_MEAN_PER_SLOT: u64 = 10;

/// Client processes begin together, and one has at most 512 slots: series that need more of them are not of one phase.
const MOST_SLOTS: usize = 1 << 16;

/// The rate over time in one round: the one whose rate is the median of all.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct TimeSeries {
    /// Round, from 0.
    pub round: u32,
    /// Length of a slot, in ns.
    pub slot_ns: u64,
    /// Completed operations a second, one value a slot.
    pub rates_per_s: Vec<f64>,
}

/// The series of the round whose rate is the median of all (the lower one of an even number).
pub(crate) fn median_round(jobs: &[PhaseJob<'_>]) -> Option<TimeSeries> {
    let mut rated: Vec<(f64, &PhaseJob<'_>)> = jobs.iter().filter_map(|job| Some((job.rate_per_s()?, job))).collect();
    rated.sort_by(|left, right| left.0.total_cmp(&right.0));
    let (_, job) = rated.get(rated.len().checked_sub(1)? / 2)?;
    let (slot_ns, rates_per_s) = merged(job.ran()?)?;
    Some(TimeSeries { round: job.job.round, slot_ns, rates_per_s })
}

/// Operations of all processes in slots of the longest slot's length. A last slot of which less than half belongs to
/// the phase is left out; otherwise its rate counts the part that does.
pub(crate) fn merged(record: &PhaseRecord) -> Option<(u64, Vec<f64>)> {
    let all = || record.results.iter().map(|result| &result.series).filter(|series| series.slot_ns > 0);
    let slot_ns = all().map(|series| series.slot_ns).max()?;
    let start_ns = all().map(|series| series.start_ns).min()?;
    let mut counts: Vec<u64> = Vec::new();
    for series in all() {
        for (index, count) in series.operations.iter().enumerate() {
            let before_ns = (index as u64).checked_mul(series.slot_ns)?.checked_add(series.slot_ns / 2)?;
            let slot = usize::try_from((series.start_ns - start_ns).checked_add(before_ns)? / slot_ns).ok()?;
            if slot >= MOST_SLOTS {
                return None;
            }
            if counts.len() <= slot {
                counts.resize(slot + 1, 0);
            }
            counts[slot] = counts[slot].checked_add(*count)?;
        }
    }
    let (slot_ns, counts) = coarsened(slot_ns, counts);
    let end_ns = record.span()?.end_ns.saturating_sub(start_ns);
    let rate = |(slot, count): (usize, &u64)| {
        let inside_ns = end_ns.saturating_sub((slot as u64).saturating_mul(slot_ns)).min(slot_ns);
        (inside_ns >= slot_ns - slot_ns / 2).then(|| *count as f64 * 1e9 / inside_ns as f64)
    };
    let rates: Vec<f64> = counts.iter().enumerate().filter_map(rate).collect();
    (!rates.is_empty()).then_some((slot_ns, rates))
}

/// Slots joined in pairs until one holds ten operations in the mean: below that a series shows chance, not the store.
fn coarsened(mut slot_ns: u64, mut counts: Vec<u64>) -> (u64, Vec<u64>) {
    let sum = |counts: &[u64]| counts.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
    while counts.len() > 1 && sum(&counts) < MIN_MEAN_PER_SLOT * counts.len() as u64 {
        counts = counts.chunks(2).map(sum).collect();
        slot_ns = slot_ns.saturating_mul(2);
    }
    (slot_ns, counts)
}
