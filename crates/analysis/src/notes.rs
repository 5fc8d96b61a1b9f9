//! What stands beside the answer: missing rounds, absent stores, and what did not count.

use std::collections::BTreeMap;

use kurabe_machine::PowerVerdict;
use kurabe_protocol::{Layout, Operation};
use kurabe_record::{EndRecord, EndStatus, JobErrorKind, JobRecord, PhaseOutcome, PhasePlan, RunRecord};
use kurabe_stats::MIN_VALUES;

use crate::Input;
use crate::answer::{Absent, NotCounted, PhaseAnswer, Reason, Rounds, Status};
use crate::format::count;

impl Reason {
    /// The reason in words, for tables and lists.
    pub fn words(&self) -> String {
        match self {
            Reason::WrongAnswers { count: wrong, example, round } => {
                let answers = if *wrong == 1 { "answer" } else { "answers" };
                format!("{} wrong {answers}, first in round {}: {example}", count(*wrong), round + 1)
            }
            Reason::SettingsDiffer { name, asked, found, round } => {
                format!("setting '{name}' reads back as '{found}' in round {}, '{asked}' was asked for", round + 1)
            }
            Reason::JobFailed { rounds, message, round } => {
                let more = if *rounds > 1 { format!(", and in {} more", rounds - 1) } else { String::new() };
                format!("failed in round {}{more}: {message}", round + 1)
            }
            Reason::Unsupported { what } => format!("unsupported: {what}"),
            Reason::Failures { count: failed, message } => {
                format!("{} operations failed, most often: {message}", count(*failed))
            }
            Reason::NothingCompleted { round } => format!("no operation was complete in round {}", round + 1),
            Reason::BelowDurability { class: Some(class) } => {
                format!("its class '{class}' is below the durability floor of this run")
            }
            Reason::BelowDurability { class: None } => {
                "its durability is unknown, so it may be below the floor of this run".into()
            }
            Reason::Cut { cut } => cut.words(),
            Reason::FailedBefore { rows } => format!("its job failed at {} rows", count(*rows)),
            Reason::TooFewRounds { rounds } => {
                let plural = if *rounds == 1 { "" } else { "s" };
                format!("{rounds} comparable round{plural}; a place needs {MIN_VALUES}")
            }
        }
    }

    /// The reason in two or three words, for a table's cell.
    pub fn short(&self) -> &'static str {
        match self {
            Reason::WrongAnswers { .. } => "wrong answers",
            Reason::SettingsDiffer { .. } => "settings differ",
            Reason::JobFailed { .. } => "job failed",
            Reason::Unsupported { .. } => "unsupported",
            Reason::Failures { .. } => "failures",
            Reason::NothingCompleted { .. } => "nothing completed",
            Reason::BelowDurability { class: Some(_) } => "below floor",
            Reason::BelowDurability { class: None } => "class unknown",
            Reason::Cut { .. } => "cut",
            Reason::FailedBefore { .. } => "failed before",
            Reason::TooFewRounds { .. } => "too few rounds",
        }
    }
}

/// One entry for a candidate and a reason, with all the phases it holds for. Where the whole run has too few rounds, that
/// is said once, in the notes.
pub(crate) fn not_counted(phases: &[PhaseAnswer], rounds: &Rounds) -> Vec<NotCounted> {
    let mut entries: Vec<NotCounted> = Vec::new();
    for phase in phases {
        for row in &phase.rows {
            let Status::Unranked { reason } = &row.status else { continue };
            if matches!(reason, Reason::TooFewRounds { .. }) && rounds.complete < MIN_VALUES {
                continue;
            }
            let words = reason.words();
            match entries.iter_mut().find(|entry| entry.candidate == row.candidate && entry.reason == words) {
                Some(entry) => entry.phases.push(phase.name.clone()),
                None => entries.push(NotCounted {
                    candidate: row.candidate.clone(),
                    phases: vec![phase.name.clone()],
                    reason: words,
                }),
            }
        }
    }
    entries
}

/// Jobs that gave every phase and then did not end in good order: their figures count, their end is told.
pub(crate) fn bad_ends(input: &Input<'_>) -> Vec<NotCounted> {
    let ran = |job: &JobRecord, plan: &PhasePlan| {
        let record = job.phases.iter().find(|record| record.name == plan.phase.name);
        record.is_some_and(|record| !matches!(record.outcome, PhaseOutcome::Failed(_)))
    };
    let bad_end = |job: &JobRecord| {
        let error = job.error.as_ref()?;
        let is_told = error.kind == JobErrorKind::Settings || !input.run.phases.iter().all(|plan| ran(job, plan));
        (!is_told).then(|| NotCounted {
            candidate: job.candidate.clone(),
            phases: Vec::new(),
            reason: format!("the end of round {}, after all phases: {}", job.round + 1, error.message),
        })
    };
    input.jobs.iter().copied().filter_map(bad_end).collect()
}

pub(crate) fn absent(run: &RunRecord) -> Vec<Absent> {
    let absent = run.left_out.iter().map(|left_out| Absent {
        candidate: left_out.name.clone(),
        reason: left_out.reason.clone(),
        remedy: left_out.remedy.clone(),
    });
    absent.collect()
}

pub(crate) fn notes(run: &RunRecord, rounds: &Rounds, end: Option<&EndRecord>, absent: &[Absent]) -> Vec<String> {
    let mut notes = Vec::new();
    if rounds.complete < rounds.planned || end.is_none_or(|end| end.status != EndStatus::Complete) {
        notes.push(unfinished(rounds, end));
    }
    if rounds.complete < MIN_VALUES {
        notes.push(format!("No ranking below {MIN_VALUES} rounds: run with --rounds {MIN_VALUES} or more."));
    }
    if let PowerVerdict::Refused { reason } = run.device.power_verdict() {
        notes.push(format!("Class 'power' cannot be had where the data lay: {reason}."));
    }
    notes.extend(absent.iter().map(|absent| {
        let remedy = absent.remedy.as_ref().map(|remedy| format!(" To have it: {remedy}")).unwrap_or_default();
        format!("'{}' did not take part: {}.{remedy}", absent.candidate, absent.reason.trim_end_matches('.'))
    }));
    notes
}

/// A sentence for the candidates of whose answers to reads not all bytes were compared, with how many were.
pub(crate) fn sampled_filler(input: &Input<'_>) -> Vec<String> {
    let run = input.run;
    let reads = run.phases.iter().any(|plan| plan.phase.operation == Operation::Read);
    if !reads || run.data.is_some() || !Layout::new(&run.schema).one_text() {
        return Vec::new();
    }
    let mut sampled: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for candidate in &run.candidates {
        let every = input.hello(&candidate.name).map_or(1, |hello| hello.capabilities.filler_checked_every);
        if every > 1 {
            sampled.entry(every).or_default().push(format!("'{}'", candidate.name));
        }
    }
    let told = |(every, names): (u32, Vec<String>)| {
        format!(
            "Of {} one answer to a read in {every} was compared byte by byte, and row, version and length of every one \
             (phases of reads only).",
            names.join(", ")
        )
    };
    sampled.into_iter().map(told).collect()
}

fn unfinished(rounds: &Rounds, end: Option<&EndRecord>) -> String {
    let done = format!("{} of {} rounds are complete", rounds.complete, rounds.planned);
    let why = match end.map(|end| end.status) {
        Some(EndStatus::Complete) => "the rest did not fit the budget".to_string(),
        Some(EndStatus::Interrupted) => "the run was interrupted".to_string(),
        Some(EndStatus::Failed) => "the run failed".to_string(),
        None => "the run has no end: it is still under way, or it was cut off".to_string(),
    };
    let message = end.and_then(|end| end.message.as_ref()).map(|message| format!(" ({message})")).unwrap_or_default();
    format!("{done}: {why}{message}.")
}
