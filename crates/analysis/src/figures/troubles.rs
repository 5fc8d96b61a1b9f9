//! What went wrong in one job. Places, the outcome of a run and the lines of its progress all ask here, so that none of
//! them can call good what another calls bad.

use std::collections::BTreeMap;

use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::{Checks, StoppedBy};
use kurabe_record::{
    EndRecord, EndStatus, JobErrorKind, JobRecord, PhaseOutcome, PhasePlan, PhaseRecord, RunRecord, SettingCheck,
    SettingState,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::phase_job::PhaseJob;

/// What a run came to; the exit status follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was done to its end and nothing went wrong.
    Good,
    /// A job failed, an answer was wrong, or more operations failed than the study allows.
    Failed,
    /// The user interrupted it.
    Interrupted,
    /// It has no end: it is still under way, or it was cut off.
    Unfinished,
}

impl Outcome {
    pub(crate) fn of(run: &RunRecord, jobs: &[JobRecord], end: Option<&EndRecord>) -> Outcome {
        match end.map(|end| end.status) {
            Some(EndStatus::Interrupted) => Outcome::Interrupted,
            // What a pitfall brings about is what it is there to show.
            Some(EndStatus::Complete)
                if jobs.iter().all(|job| is_of_pitfall(run, job) || troubles(run, job).is_empty()) =>
            {
                Outcome::Good
            }
            Some(EndStatus::Complete | EndStatus::Failed) => Outcome::Failed,
            None => Outcome::Unfinished,
        }
    }
}

fn is_of_pitfall(run: &RunRecord, job: &JobRecord) -> bool {
    run.plan.configurations.get(job.configuration as usize).is_some_and(|config| config.pitfall().is_some())
}

/// Something that went wrong in a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// The phase; absent where it is the whole job.
    pub phase: Option<String>,
    /// What it was.
    pub kind: TroubleKind,
}

/// What can go wrong in a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TroubleKind {
    /// It did not end cleanly.
    Failed {
        /// Why; it may have several lines.
        message: Message,
    },
    /// Answers were not right.
    WrongAnswers {
        /// How many.
        count: u64,
        /// One of them.
        example: Message,
    },
    /// So many operations failed in a row that the client gave the store up.
    GaveUp {
        /// The most frequent one.
        message: Message,
    },
    /// More operations failed than the study allows.
    Failures {
        /// How many.
        count: u64,
        /// The most frequent one.
        message: Message,
    },
}

/// Everything that went wrong in a job of this run: first how it ended, then phase by phase, last its rows.
pub fn troubles(run: &RunRecord, job: &JobRecord) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    let phases: &[PhasePlan] = run
        .plan
        .configurations
        .get(job.configuration as usize)
        .map(|level| level.phases.as_slice())
        .unwrap_or_default();
    let of_phase = |plan: &PhasePlan, kind| Trouble { phase: Some(plan.phase.name.clone()), kind };
    match &job.error {
        Some(error) => {
            let message = message!(text_quoted, text = &error.message);
            troubles.push(Trouble { phase: error.phase.clone(), kind: TroubleKind::Failed { message } });
        }
        // What a kill took is a finding.
        None if job.phases.iter().any(|phase| phase.not_back().is_some()) => {}
        None => {
            let unsaid = phases.iter().find_map(|plan| Some((plan, failure_of(&PhaseJob::of(job, plan))?)));
            troubles.extend(unsaid.map(|(plan, message)| of_phase(plan, TroubleKind::Failed { message })));
        }
    }
    troubles.extend(differing(job).filter(|_| job.error.is_none()).map(|check| {
        let setting = &check.name;
        let message = match &check.found {
            Some(found) => message!(note_trouble_setting, setting, found),
            None => message!(note_trouble_setting_empty, setting),
        };
        Trouble { phase: None, kind: TroubleKind::Failed { message } }
    }));
    for plan in phases {
        let Some(record) = PhaseJob::of(job, plan).record else { continue };
        if plan.phase.counts_losses {
            // What a fault damaged is a finding, and judged beside what the setting allows.
            continue;
        }
        troubles.extend(wrong_in(plan, record).map(|wrong| of_phase(plan, wrong.kind())));
        if plan.ends_a_service() {
            // That operations fail was planned; what was answered must be right all the same.
        } else if gave_up(record) {
            troubles.push(of_phase(plan, TroubleKind::GaveUp { message: usual_failure([record]) }));
        } else if record.failed() > run.plan.allowed_errors {
            let (count, message) = (record.failed(), usual_failure([record]));
            troubles.push(of_phase(plan, TroubleKind::Failures { count, message }));
        }
    }
    troubles.extend(wrong_rows(job).map(|wrong| Trouble { phase: None, kind: wrong.kind() }));
    troubles
}

/// Wrong answers with one of them.
pub(crate) struct Wrong {
    pub(crate) count: u64,
    pub(crate) example: Message,
}

impl Wrong {
    fn kind(self) -> TroubleKind {
        TroubleKind::WrongAnswers { count: self.count, example: self.example }
    }
}

/// Failed checks of a phase, and counters that do not sum up to what they must. Where losses are counted they are no
/// wrong answers.
pub(crate) fn wrong_in(plan: &PhasePlan, record: &PhaseRecord) -> Option<Wrong> {
    let failed = |checks: &Checks| if plan.phase.counts_losses { checks.damaged() } else { checks.failed() };
    let (mut count, mut first) = (0, None);
    for checks in record.results.iter().map(|result| &result.checks).filter(|checks| failed(checks) > 0) {
        count += failed(checks);
        let example = || match checks.examples.first() {
            Some(text) => message!(text_quoted, text),
            None => message!(note_trouble_no_example),
        };
        first.get_or_insert_with(example);
    }
    if let Some(counters) = record.counters.filter(|counters| !counters.is_right()) {
        let nearest = counters.sum.max(counters.least).min(counters.most);
        count += counters.sum.abs_diff(nearest);
        first.get_or_insert_with(|| message!(note_trouble_counters, sum = counters.sum, needed = nearest));
    }
    first.map(|example| Wrong { count, example })
}

/// Rows that are missing or left over at the end of a job.
pub(crate) fn wrong_rows(job: &JobRecord) -> Option<Wrong> {
    let rows = job.final_count.filter(|rows| !rows.is_right())?;
    let nearest = rows.counted_rows.max(rows.least_rows).min(rows.most_rows);
    let example = message!(note_trouble_rows, counted = rows.counted_rows, needed = nearest);
    Some(Wrong { count: rows.counted_rows.abs_diff(nearest), example })
}

/// The first setting that does not read back as it was asked for.
pub(crate) fn differing(job: &JobRecord) -> impl Iterator<Item = &SettingCheck> {
    job.settings.iter().filter(|check| check.state == SettingState::Differs).take(1)
}

/// Why a job did not get through a phase.
pub(crate) fn failure_of(job: &PhaseJob<'_>) -> Option<Message> {
    let quoted = |text: &RecordedText| message!(text_quoted, text);
    let told = || job.job.error.as_ref().map(|error| quoted(&error.message));
    if job.job.error.as_ref().is_some_and(|error| error.kind == JobErrorKind::Settings) {
        return told();
    }
    let Some(record) = job.record else {
        return Some(told().unwrap_or_else(|| message!(note_trouble_ended_before)));
    };
    match &record.outcome {
        PhaseOutcome::Failed(message) => Some(quoted(message)),
        PhaseOutcome::Unsupported(_) => None,
        PhaseOutcome::Ran if record.results.is_empty() => {
            Some(told().unwrap_or_else(|| message!(note_trouble_no_result)))
        }
        PhaseOutcome::Ran => {
            let aborted = record.results.iter().find(|result| result.stopped_by == StoppedBy::Abort)?;
            let message = aborted.message.as_ref().map(|text| message!(text_quoted, text)).or_else(told);
            Some(message.unwrap_or_else(|| message!(note_trouble_ended_early)))
        }
    }
}

/// Whether a client gave the store up: what it measured before is no measurement of this phase.
pub(crate) fn gave_up(record: &PhaseRecord) -> bool {
    record.results.iter().any(|result| result.stopped_by == StoppedBy::Failures)
}

/// The most frequent message of failed operations; of equally frequent ones the last in the alphabet.
pub(crate) fn usual_failure<'a>(records: impl IntoIterator<Item = &'a PhaseRecord>) -> Message {
    let mut messages: BTreeMap<&str, u64> = BTreeMap::new();
    let results = records.into_iter().flat_map(|record| &record.results);
    for failure in results.flat_map(|result| &result.failures) {
        *messages.entry(&failure.message).or_default() += failure.count;
    }
    let most = messages.into_iter().max_by_key(|(_, count)| *count);
    most.map_or_else(|| message!(note_trouble_no_message), |(text, _)| message!(text_quoted, text))
}
