//! How often the device was told to keep what was written, for each commit: what a durability setting costs, measured.

use kurabe_record::PhasePlan;
use kurabe_stats::median;

use crate::figures::phase_job::{PhaseJob, changes};

/// Fewer commits say nothing about flushes: others flush now and then.
pub(crate) const LEAST_COMMITS: u64 = 50;

/// Flushes of the device for each commit of a phase: the median over its rounds. The device counts those of all
/// programs. `None` where the phase commits nothing, or the device counts no flushes.
pub(crate) fn per_commit(jobs: &[PhaseJob<'_>], plan: &PhasePlan) -> Option<f64> {
    if !plan.phase.writes() || plan.phase.program().is_some() {
        return None;
    }
    let each: Vec<f64> = jobs.iter().filter_map(|job| of_job(job, plan)).collect();
    median(each)
}

fn of_job(job: &PhaseJob<'_>, plan: &PhasePlan) -> Option<f64> {
    let record = job.ran()?;
    // Without transactions every operation is a commit, whatever the plan says.
    let has_transactions = job.job.hello.as_ref().is_some_and(|hello| hello.capabilities.transactions);
    let commit_every = if has_transactions { u64::from(plan.phase.commit_every.max(1)) } else { 1 };
    let commits = changes(record).div_ceil(commit_every);
    (commits >= LEAST_COMMITS).then_some(())?;
    Some(record.device_flushes? as f64 / commits as f64)
}
