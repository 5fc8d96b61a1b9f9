//! The rate over time in one round.

use kurabe_record::PhaseRecord;

use crate::figures::TimeSeries;
use crate::measure::PhaseJob;

/// Operations that a slot holds in the mean, at least.
const MIN_MEAN_PER_SLOT: u64 = 10;

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
fn merged(record: &PhaseRecord) -> Option<(u64, Vec<f64>)> {
    let all = || record.results.iter().map(|result| &result.series).filter(|series| series.slot_ns > 0);
    let slot_ns = all().map(|series| series.slot_ns).max()?;
    let start_ns = all().map(|series| series.start_ns).min()?;
    let mut counts: Vec<u64> = Vec::new();
    for series in all() {
        for (index, count) in series.operations.iter().enumerate() {
            let middle_ns = series.start_ns + index as u64 * series.slot_ns + series.slot_ns / 2;
            let slot = ((middle_ns - start_ns) / slot_ns) as usize;
            if counts.len() <= slot {
                counts.resize(slot + 1, 0);
            }
            counts[slot] += count;
        }
    }
    let (slot_ns, counts) = coarsened(slot_ns, counts);
    let end_ns = record.span()?.end_ns.saturating_sub(start_ns);
    let rate = |(slot, count): (usize, &u64)| {
        let inside_ns = end_ns.saturating_sub(slot as u64 * slot_ns).min(slot_ns);
        (inside_ns * 2 >= slot_ns).then(|| *count as f64 * 1e9 / inside_ns as f64)
    };
    let rates: Vec<f64> = counts.iter().enumerate().filter_map(rate).collect();
    (!rates.is_empty()).then_some((slot_ns, rates))
}

/// Slots joined in pairs until one holds ten operations in the mean: below that a series shows chance, not the store.
fn coarsened(mut slot_ns: u64, mut counts: Vec<u64>) -> (u64, Vec<u64>) {
    while counts.len() > 1 && counts.iter().sum::<u64>() < MIN_MEAN_PER_SLOT * counts.len() as u64 {
        counts = counts.chunks(2).map(|pair| pair.iter().sum()).collect();
        slot_ns *= 2;
    }
    (slot_ns, counts)
}
