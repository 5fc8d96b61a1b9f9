//! How long a job will take, from those that are done, and where more rounds tell most: pure functions, which decide what
//! the budget is spent on.

use kurabe_protocol::Operation;
use kurabe_record::{Configuration, Factor, JobRecord, PhasePlan, PhaseRecord, RunRecord, SkippedRecord, Span};
use kurabe_stats::rate_estimate;

/// How long a job will take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// Time with the wait for a quiet device, in ns.
    pub(crate) ns: u64,
    /// What it rests on.
    pub(crate) basis: EstimateBasis,
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EstimateBasis {
    /// Jobs of the same work, with as many rows or fewer.
    Seen,
    /// Jobs of other work: it may take far less or far more.
    Guess,
}

/// Time of one job of `candidate` at the configuration `configurations[configuration]`, in ns; `None` where nothing of
/// it is known.
///
/// The mean of its jobs at this configuration, if there are any. Else that of the nearest configuration with fewer rows
/// that is the same in everything else, phase by phase: a phase that ends by count takes as much longer as it has more
/// operations, and each operation as much longer as it became between the two configurations before, but never less
/// than at the nearer one. What lies outside of phases stays. Where there is no such configuration, any other is taken
/// for it, one with as many rows before one with fewer or more; then it is a guess.
pub(crate) fn job_ns(
    configs: &[Configuration],
    jobs: &[JobRecord],
    candidate: &str,
    config: usize,
) -> Option<Estimate> {
    let at = |config: usize| -> Vec<&JobRecord> {
        let good = |job: &&JobRecord| {
            job.configuration as usize == config && job.candidate == candidate && job.error.is_none()
        };
        jobs.iter().filter(good).collect()
    };
    let here = at(config);
    if !here.is_empty() {
        return Some(Estimate { ns: mean(&here, whole_ns) as u64, basis: EstimateBasis::Seen });
    }
    let target = &configs[config];
    let known: Vec<usize> = (0..configs.len()).filter(|other| !at(*other).is_empty()).collect();
    let smaller =
        |other: &usize| configs[*other].rows < target.rows && beside_rows(&configs[*other]).eq(beside_rows(target));
    let mut path: Vec<usize> = known.iter().copied().filter(smaller).collect();
    path.sort_by_key(|other| configs[*other].rows);
    let basis = if path.is_empty() { EstimateBasis::Guess } else { EstimateBasis::Seen };
    let (nearest, before) = match path.as_slice() {
        [] => (*known.iter().min_by_key(|other| configs[**other].rows.abs_diff(target.rows))?, None),
        [nearest] => (*nearest, None),
        [.., before, nearest] => (*nearest, Some(*before)),
    };
    let near = MeasuredConfiguration { config: &configs[nearest], jobs: at(nearest) };
    let before = before.map(|config| MeasuredConfiguration { config: &configs[config], jobs: at(config) });
    let phases: f64 =
        target.phases.iter().map(|plan| phase_ns(plan, target, &near, before.as_ref()) - near.spent_ns(plan)).sum();
    Some(Estimate { ns: (mean(&near.jobs, whole_ns) + phases).max(0.0) as u64, basis })
}

/// Jobs of a candidate that are still to come at a configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemainingJobs<'a> {
    /// Number of the configuration.
    pub config: usize,
    /// Candidate.
    pub candidate: &'a str,
    /// How many.
    pub rounds: u64,
}

/// All jobs that are still to come, without those of candidates that were skipped or that failed.
pub fn still_to_come<'a>(run: &'a RunRecord, jobs: &[JobRecord], skipped: &[SkippedRecord]) -> Vec<RemainingJobs<'a>> {
    let plan = &run.plan;
    let mut all = Vec::new();
    for (at, config) in plan.configurations.iter().enumerate() {
        for one in run.candidates.iter().filter(|one| plan.takes_part(at, &one.name)) {
            let ends = |skipped: &&SkippedRecord| {
                skipped.candidate == one.name && plan.ends_with(skipped.configuration as usize, at)
            };
            let failed = |job: &&JobRecord| job.candidate == one.name && job.error.is_some();
            let is_out = skipped.iter().filter(|skipped| skipped.holds(jobs)).any(|skipped| ends(&skipped))
                || jobs.iter().filter(failed).any(|job| plan.ends_with(job.configuration as usize, at));
            let done = jobs.iter().filter(|job| job.configuration as usize == at && job.candidate == one.name).count();
            let rounds = u64::from(config.rounds).saturating_sub(done as u64);
            if rounds > 0 && !is_out {
                all.push(RemainingJobs { config: at, candidate: &one.name, rounds });
            }
        }
    }
    all
}

/// Time that all jobs still to come will take, in ns, by what is known of those that are done; `None` as long as nothing is
/// known of one of them.
pub fn left_ns(run: &RunRecord, jobs: &[JobRecord], skipped: &[SkippedRecord]) -> Option<u64> {
    let ns = |one: RemainingJobs<'_>| {
        Some(job_ns(&run.plan.configurations, jobs, one.candidate, one.config)?.ns.saturating_mul(one.rounds))
    };
    still_to_come(run, jobs, skipped).into_iter().map(ns).try_fold(0u64, |all_ns, ns| Some(all_ns.saturating_add(ns?)))
}

/// How many times as long a session takes by the clock as the jobs in it that count: what is repeated, prepared or waited
/// for between jobs takes time too, on a busy machine most of it. At least 1; that where no job of it counts yet.
pub fn pace(session_ns: u64, counted: &[JobRecord]) -> f64 {
    let counted_ns: u64 = counted.iter().map(whole_ns).sum();
    if counted_ns == 0 { 1.0 } else { (session_ns as f64 / counted_ns as f64).max(1.0) }
}

/// Where a configuration lies on the axes but that of rows.
fn beside_rows(config: &Configuration) -> impl Iterator<Item = &Factor> {
    config.factors.iter().filter(|one| one.axis != "rows")
}

/// Time of a job with its wait for a quiet device, in ns.
pub fn whole_ns(job: &JobRecord) -> u64 {
    job.lasted_ns.saturating_add(job.quiet.waited_ns)
}

/// How many times the upper end of the widest interval of a rate is the lower one: over the phases that decide (all, where
/// none does) and the candidates `names`, at the configuration of number `at`. 1 where there is no interval.
pub(crate) fn widest_interval(config: &Configuration, at: usize, jobs: &[JobRecord], names: &[&str]) -> f64 {
    let width = |name: &str, plan: &PhasePlan| {
        let jobs = jobs.iter().filter(|job| job.configuration as usize == at && job.candidate == name);
        let records = jobs.filter_map(|job| job.phases.iter().find(|record| record.name == plan.phase.name));
        let rates: Vec<f64> = records.filter_map(rate_per_ns).collect();
        let interval = rate_estimate(&rates)?.interval?;
        Some(interval.high / interval.low)
    };
    let widths = names.iter().flat_map(|name| config.deciding().filter_map(|plan| width(name, plan)));
    widths.fold(1.0, f64::max)
}

/// One configuration with the jobs of a candidate that are done there.
struct MeasuredConfiguration<'a> {
    config: &'a Configuration,
    jobs: Vec<&'a JobRecord>,
}

impl MeasuredConfiguration<'_> {
    fn mean(&self, plan: &PhasePlan, of: fn(&PhaseRecord) -> u64) -> f64 {
        let record = |job: &JobRecord| job.phases.iter().find(|one| one.name == plan.phase.name).map_or(0, of);
        mean(&self.jobs, record)
    }

    /// Time in a phase with the flush time after it, in ns.
    fn spent_ns(&self, plan: &PhasePlan) -> f64 {
        self.mean(plan, span_ns) + self.mean(plan, flush_ns)
    }

    /// Time of one operation, in ns; `None` where none was done.
    fn cost_ns(&self, plan: &PhasePlan) -> Option<f64> {
        let operations = self.mean(plan, PhaseRecord::operations);
        (operations > 0.0).then(|| self.mean(plan, span_ns) / operations)
    }
}

fn mean(jobs: &[&JobRecord], of: impl Fn(&JobRecord) -> u64) -> f64 {
    jobs.iter().map(|job| of(job) as f64).sum::<f64>() / jobs.len().max(1) as f64
}

/// Time of a phase at `configuration` with the flush time after it, in ns.
fn phase_ns(
    plan: &PhasePlan,
    config: &Configuration,
    near: &MeasuredConfiguration<'_>,
    before: Option<&MeasuredConfiguration<'_>>,
) -> f64 {
    let Some(cost_ns) = near.cost_ns(plan) else { return near.spent_ns(plan) };
    let ratio = config.rows as f64 / near.config.rows as f64;
    let measured = before.and_then(|before| {
        let growth = cost_ns / before.cost_ns(plan)?;
        Some(growth.ln() / (near.config.rows as f64 / before.config.rows as f64).ln())
    });
    // A scan reads every row: its cost grows at least as they do.
    let least = if plan.phase.does(Operation::Scan) { 1.0 } else { 0.0 };
    let exponent = measured.filter(|found| found.is_finite()).unwrap_or(least).max(least);
    let counted = plan.phase.end.count().map(|count| count as f64 * cost_ns * ratio.powf(exponent));
    let timed = plan.phase.end.duration_ns().map(|ns| ns as f64);
    let span = match (counted, timed) {
        (Some(counted), Some(timed)) => counted.min(timed),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => near.mean(plan, span_ns),
    };
    span + near.mean(plan, flush_ns) * ratio
}

fn span_ns(record: &PhaseRecord) -> u64 {
    record.span().map_or(0, Span::wall_ns)
}

/// Completed operations in a ns.
pub(crate) fn rate_per_ns(record: &PhaseRecord) -> Option<f64> {
    let (operations, span_ns) = (record.operations(), span_ns(record));
    (operations > 0 && span_ns > 0).then(|| operations as f64 / span_ns as f64)
}

fn flush_ns(record: &PhaseRecord) -> u64 {
    record.flush_ns.unwrap_or(0)
}

#[cfg(test)]
#[path = "estimate_tests.rs"]
mod tests;
