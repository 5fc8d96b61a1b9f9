//! How long a job will take, from those that are done: pure functions, which decide what the budget has room for.

use kurabe_protocol::Operation;
use kurabe_record::{JobRecord, PhasePlan, PhaseRecord, SizePlan};

/// Time of one job of `candidate` at the size `sizes[level]`, in ns; `None` where nothing of it is known.
///
/// The mean of its jobs at this size, if there are any. Else that of the nearest smaller size, phase by phase: a phase
/// that ends by count takes as much longer as it has more operations, and each operation as much longer as it
/// became between the two sizes before, but never less than at the smaller size. What lies outside of phases stays.
pub(crate) fn job_ns(sizes: &[SizePlan], jobs: &[JobRecord], candidate: &str, level: usize) -> Option<u64> {
    let at = |level: usize| -> Vec<&JobRecord> {
        let good =
            |job: &&JobRecord| job.candidate == candidate && job.rows == sizes[level].rows && job.error.is_none();
        jobs.iter().filter(good).collect()
    };
    let here = at(level);
    if !here.is_empty() {
        return Some(mean(&here, whole_ns) as u64);
    }
    let known: Vec<usize> = (0..level).filter(|smaller| !at(*smaller).is_empty()).collect();
    let nearest = *known.last()?;
    let before = known.len().checked_sub(2).map(|index| known[index]);
    let near = Level { size: &sizes[nearest], jobs: at(nearest) };
    let before = before.map(|level| Level { size: &sizes[level], jobs: at(level) });
    let phases: f64 = sizes[level]
        .phases
        .iter()
        .map(|plan| phase_ns(plan, &sizes[level], &near, before.as_ref()) - near.spent_ns(plan))
        .sum();
    Some((mean(&near.jobs, whole_ns) + phases).max(0.0) as u64)
}

/// Time of a job with its wait for a quiet device, in ns.
pub(crate) fn whole_ns(job: &JobRecord) -> u64 {
    job.lasted_ns.saturating_add(job.quiet.waited_ns)
}

/// One size with the jobs of a candidate that are done there.
struct Level<'a> {
    size: &'a SizePlan,
    jobs: Vec<&'a JobRecord>,
}

impl Level<'_> {
    fn mean(&self, plan: &PhasePlan, of: fn(&PhaseRecord) -> u64) -> f64 {
        let record = |job: &JobRecord| job.phases.iter().find(|one| one.name == plan.phase.name).map_or(0, of);
        mean(&self.jobs, record)
    }

    /// Time in a phase with the time to settle after it, in ns.
    fn spent_ns(&self, plan: &PhasePlan) -> f64 {
        self.mean(plan, span_ns) + self.mean(plan, settle_ns)
    }

    /// Time of one operation, in ns; `None` where none was done.
    fn cost_ns(&self, plan: &PhasePlan) -> Option<f64> {
        let operations = self.mean(plan, operations);
        (operations > 0.0).then(|| self.mean(plan, span_ns) / operations)
    }
}

fn mean(jobs: &[&JobRecord], of: impl Fn(&JobRecord) -> u64) -> f64 {
    jobs.iter().map(|job| of(job) as f64).sum::<f64>() / jobs.len().max(1) as f64
}

/// Time of a phase at `size` with the time to settle after it, in ns.
fn phase_ns(plan: &PhasePlan, size: &SizePlan, near: &Level<'_>, before: Option<&Level<'_>>) -> f64 {
    let Some(cost_ns) = near.cost_ns(plan) else { return near.spent_ns(plan) };
    let ratio = size.rows as f64 / near.size.rows as f64;
    let measured = before.and_then(|before| {
        let growth = cost_ns / before.cost_ns(plan)?;
        Some(growth.ln() / (near.size.rows as f64 / before.size.rows as f64).ln())
    });
    // A scan reads every row: its cost grows at least as they do.
    let least = if plan.phase.does(Operation::Scan) { 1.0 } else { 0.0 };
    let exponent = measured.filter(|found| found.is_finite()).unwrap_or(least).max(least);
    let counted = plan.phase.count.map(|count| count as f64 * cost_ns * ratio.powf(exponent));
    let timed = plan.phase.duration_ns.map(|ns| ns as f64);
    let span = match (counted, timed) {
        (Some(counted), Some(timed)) => counted.min(timed),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => near.mean(plan, span_ns),
    };
    span + near.mean(plan, settle_ns) * ratio
}

/// From the first start to the last end over all workers, in ns.
fn span_ns(record: &PhaseRecord) -> u64 {
    let workers = || record.results.iter().flat_map(|result| &result.workers).filter(|worker| worker.operations > 0);
    let start = workers().map(|worker| worker.first_start_ns).min();
    let end = workers().map(|worker| worker.last_end_ns).max();
    start.zip(end).map_or(0, |(start, end)| end.saturating_sub(start))
}

fn operations(record: &PhaseRecord) -> u64 {
    record.results.iter().flat_map(|result| &result.workers).map(|worker| worker.operations).sum()
}

fn settle_ns(record: &PhaseRecord) -> u64 {
    record.settle_ns.unwrap_or(0)
}
