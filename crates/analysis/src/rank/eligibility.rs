//! Whether a candidate can be ranked in a phase at all: what went wrong in its jobs, over all rounds.

use kurabe_messages::Message;
use kurabe_record::{
    CandidateRecord, Configuration, Guarantee, PhaseOutcome, PhasePlan, PhaseRecord, RunRecord, StoreKind,
};

use crate::figures::guarantee::Promise;
use crate::figures::phase_job::PhaseJob;
use crate::figures::reason::Reason;
use crate::figures::troubles::{differing, failure_of, gave_up, usual_failure, wrong_in, wrong_rows};

/// Why the candidate is not ranked, the gravest reason first; `None` where nothing speaks against one.
pub(crate) fn reason(
    run: &RunRecord,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    jobs: &[PhaseJob<'_>],
    promise: &Promise,
) -> Option<Reason> {
    settings_differ(jobs)
        .or_else(|| wrong_answers(plan, jobs))
        .or_else(|| job_failed(jobs))
        .or_else(|| unsupported(jobs))
        .or_else(|| (plan.ends_a_service() || has_own_disk(run)).then_some(Reason::PlannedOutage))
        .or_else(|| given_up(jobs))
        .or_else(|| failures(run, jobs))
        .or_else(|| nothing_completed(jobs))
        .or_else(|| candidate.by_load_tool.then_some(Reason::NotChecked))
        .or_else(|| below_durability(run, candidate, plan, promise))
}

/// Whether the rate may be shown although there is no rank: it is a rate over the whole phase, of right answers, or of
/// those that it is said of that nobody checked them.
pub(crate) fn shows_rate(reason: &Reason) -> bool {
    !matches!(
        reason,
        Reason::WrongAnswers { .. } | Reason::SettingsDiffer { .. } | Reason::GaveUp { .. } | Reason::PlannedOutage
    )
}

/// On a disk that Kurabe mounts, every phase works at the rates of memory.
fn has_own_disk(run: &RunRecord) -> bool {
    run.plan.configurations.iter().any(Configuration::has_own_disk)
}

fn settings_differ(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    jobs.iter().find_map(|job| {
        let check = differing(job.job).next()?;
        Some(Reason::SettingsDiffer {
            name: check.name.clone(),
            asked: check.asked.clone().unwrap_or_default(),
            found: check.found.clone().unwrap_or_else(|| "nothing".into()),
            round: job.job.round,
        })
    })
}

/// Wrong answers of the phase; for phases that write also a wrong number of rows at the end of the job.
fn wrong_answers(plan: &PhasePlan, jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let (mut count, mut first) = (0, None);
    for job in jobs {
        let rows = wrong_rows(job.job).filter(|_| plan.phase.writes_rows());
        for wrong in job.record.and_then(|record| wrong_in(plan, record)).into_iter().chain(rows) {
            count += wrong.count;
            first.get_or_insert((job.job.round, wrong.example));
        }
    }
    first.map(|(round, example)| Reason::WrongAnswers { count, example, round })
}

fn job_failed(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let failed: Vec<(u32, Message)> = jobs.iter().filter_map(|job| Some((job.job.round, failure_of(job)?))).collect();
    let (round, message) = failed.first()?.clone();
    Some(Reason::JobFailed { rounds: failed.len(), message, round })
}

fn unsupported(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    jobs.iter().find_map(|job| match &job.record?.outcome {
        PhaseOutcome::Unsupported(what) => Some(Reason::Unsupported { what: what.clone() }),
        PhaseOutcome::Ran | PhaseOutcome::Failed(_) => None,
    })
}

/// However many failures the study allows: a phase that was broken off is not the phase that was asked for.
fn given_up(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let given_up: Vec<(u32, &PhaseRecord)> =
        jobs.iter().filter_map(|job| Some((job.job.round, job.record.filter(|record| gave_up(record))?))).collect();
    let (round, _) = *given_up.first()?;
    let message = usual_failure(given_up.iter().map(|(_, record)| *record));
    Some(Reason::GaveUp { rounds: given_up.len(), message, round })
}

/// The study's limit holds for one phase of one job, so that it does not depend on the number of rounds.
fn failures(run: &RunRecord, jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let records = || jobs.iter().filter_map(|job| job.record);
    records().any(|record| record.failed() > run.plan.allowed_errors).then(|| Reason::Failures {
        count: records().map(PhaseRecord::failed).sum(),
        message: usual_failure(records()),
    })
}

fn nothing_completed(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let empty = jobs.iter().find(|job| job.ran().is_some() && job.rate_per_s().is_none())?;
    Some(Reason::NothingCompleted { round: empty.job.round })
}

fn below_durability(
    run: &RunRecord,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    promise: &Promise,
) -> Option<Reason> {
    let minimum = candidate.minimum_durability(&run.plan);
    // Of what is unknown nothing is sure.
    let keeps_less = !promise.guarantee.unwrap_or(Guarantee::NONE).meets(minimum);
    let is_judged = plan.phase.writes() && candidate.kind == StoreKind::Store;
    let why = promise.weakened.first().cloned().map(Box::new);
    let guarantee = promise.guarantee;
    (is_judged && keeps_less).then_some(Reason::BelowDurability { guarantee, minimum, why })
}
