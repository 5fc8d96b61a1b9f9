//! Whether a candidate can have a place in a phase at all.

use std::collections::BTreeMap;

use kurabe_protocol::StoppedBy;
use kurabe_record::{
    CandidateRecord, Class, Floor, JobErrorKind, PhaseOutcome, PhasePlan, RunRecord, SettingState, StoreKind,
};

use crate::answer::Reason;
use crate::measure::{PhaseJob, failed};

/// Why the candidate has no place, the gravest reason first; `None` where nothing speaks against one.
pub(crate) fn reason(
    run: &RunRecord,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    jobs: &[PhaseJob<'_>],
) -> Option<Reason> {
    settings_differ(jobs)
        .or_else(|| wrong_answers(plan, jobs))
        .or_else(|| job_failed(jobs))
        .or_else(|| unsupported(jobs))
        .or_else(|| failures(run, jobs))
        .or_else(|| nothing_completed(jobs))
        .or_else(|| below_durability(run, candidate, plan))
}

/// Whether the rate may be shown although there is no place: it is a rate of right answers.
pub(crate) fn shows_rate(reason: &Reason) -> bool {
    !matches!(reason, Reason::WrongAnswers { .. } | Reason::SettingsDiffer { .. })
}

fn settings_differ(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    jobs.iter().find_map(|job| {
        let check = job.job.settings.iter().find(|check| check.state == SettingState::Differs)?;
        Some(Reason::SettingsDiffer {
            name: check.name.clone(),
            asked: check.asked.clone().unwrap_or_default(),
            found: check.found.clone().unwrap_or_else(|| "nothing".into()),
            round: job.job.round,
        })
    })
}

/// Failed checks of the phase; for phases that write also a wrong number of rows at the end of the job.
fn wrong_answers(plan: &PhasePlan, jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let mut count = 0;
    let mut first: Option<(u32, String)> = None;
    for job in jobs {
        let checks = job.record.iter().flat_map(|record| &record.results).map(|result| &result.checks);
        for checks in checks.filter(|checks| checks.failed() > 0) {
            count += checks.failed();
            let example = checks.examples.first().cloned().unwrap_or_else(|| "no example was kept".into());
            first.get_or_insert((job.job.round, example));
        }
        if let Some(counters) = job.record.and_then(|record| record.counters).filter(|counters| !counters.right()) {
            let nearest = counters.sum.clamp(counters.least, counters.most);
            count += counters.sum.abs_diff(nearest);
            let example = format!("the counters sum up to {} and must sum up to {nearest}", counters.sum);
            first.get_or_insert((job.job.round, example));
        }
        let Some(rows) = job.job.final_count.filter(|rows| plan.phase.writes_rows() && !rows.right()) else { continue };
        let nearest = rows.counted_rows.clamp(rows.least_rows, rows.most_rows);
        count += rows.counted_rows.abs_diff(nearest);
        let example = format!("the store counts {} rows at the end and must have {nearest}", rows.counted_rows);
        first.get_or_insert((job.job.round, example));
    }
    first.map(|(round, example)| Reason::WrongAnswers { count, example, round })
}

fn job_failed(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let failed: Vec<(u32, String)> = jobs.iter().filter_map(|job| Some((job.job.round, failure_of(job)?))).collect();
    let (round, message) = failed.first()?.clone();
    Some(Reason::JobFailed { rounds: failed.len(), message, round })
}

fn failure_of(job: &PhaseJob<'_>) -> Option<String> {
    let told = || job.job.error.as_ref().map(|error| error.message.clone());
    if job.job.error.as_ref().is_some_and(|error| error.kind == JobErrorKind::Settings) {
        return told();
    }
    let Some(record) = job.record else {
        return Some(told().unwrap_or_else(|| "the job ended before this phase".into()));
    };
    match &record.outcome {
        PhaseOutcome::Failed(message) => Some(message.clone()),
        PhaseOutcome::Unsupported(_) => None,
        PhaseOutcome::Ran if record.results.is_empty() => {
            Some(told().unwrap_or_else(|| "the client gave no result".into()))
        }
        PhaseOutcome::Ran => {
            let aborted = record.results.iter().find(|result| result.stopped_by == StoppedBy::Abort)?;
            let message = aborted.message.clone().or_else(told);
            Some(message.unwrap_or_else(|| "the phase was ended before its time".into()))
        }
    }
}

fn unsupported(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    jobs.iter().find_map(|job| match &job.record?.outcome {
        PhaseOutcome::Unsupported(what) => Some(Reason::Unsupported { what: what.clone() }),
        PhaseOutcome::Ran | PhaseOutcome::Failed(_) => None,
    })
}

/// The study's limit holds for one phase of one job, so that it does not depend on the number of rounds.
fn failures(run: &RunRecord, jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let worst = jobs.iter().filter_map(|job| job.record).map(failed).max()?;
    if worst <= run.allowed_errors {
        return None;
    }
    let count = jobs.iter().filter_map(|job| job.record).map(failed).sum();
    let mut messages: BTreeMap<&str, u64> = BTreeMap::new();
    let results = jobs.iter().filter_map(|job| job.record).flat_map(|record| &record.results);
    for failure in results.flat_map(|result| &result.failures) {
        *messages.entry(&failure.message).or_default() += failure.count;
    }
    let most = messages.iter().max_by_key(|(_, count)| **count);
    let message = most.map_or_else(|| "no message was kept".to_string(), |(message, _)| (*message).to_string());
    Some(Reason::Failures { count, message })
}

fn nothing_completed(jobs: &[PhaseJob<'_>]) -> Option<Reason> {
    let empty = jobs.iter().find(|job| job.ran().is_some() && job.rate_per_s().is_none())?;
    Some(Reason::NothingCompleted { round: empty.job.round })
}

fn below_durability(run: &RunRecord, candidate: &CandidateRecord, plan: &PhasePlan) -> Option<Reason> {
    let least = match run.durability {
        Floor::Default | Floor::None => return None,
        Floor::Process => Class::Process,
        Floor::Power => Class::Power,
    };
    let class = class_of(candidate);
    let promises = class.is_some_and(|class| class >= least);
    let is_judged = plan.phase.writes() && candidate.kind == StoreKind::Store;
    (is_judged && !promises).then_some(Reason::BelowDurability { class })
}

/// The class of a candidate; `None` where it is unknown or where there is none.
pub(crate) fn class_of(candidate: &CandidateRecord) -> Option<Class> {
    let keeps_data = candidate.kind == StoreKind::Store;
    candidate.durability.as_ref().filter(|_| keeps_data).map(|durability| durability.class)
}
