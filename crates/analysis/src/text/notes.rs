//! Notes.

use kurabe_messages::values::Names;
use kurabe_messages::{Item, Message, RecordedText, message};
use kurabe_record::Repeated;
use kurabe_stats::MIN_VALUES;

use super::claims::times;
use super::configuration::configuration_name;
use crate::figures::bottleneck::PathPart;
use crate::figures::rounds::Rounds;
use crate::findings::axes::PointGap;
use crate::result::load_tools::ToolRatio;
use crate::result::notes::{Missing, Note, SaturatedPart};

/// With more of them than this their number stands in the place of their names.
const NAMED: usize = 6;

impl Note {
    /// The note as a message.
    pub fn message(&self) -> Message {
        match self {
            Note::Rounds { rounds, why } => missing_rounds(rounds, why),
            Note::TooFewRounds => message!(note_too_few_rounds, needed = MIN_VALUES),
            Note::Failures { candidate, phases, message, allowed } => failures(candidate, phases, message, *allowed),
            Note::DuplicateLines(lines) => duplicate(lines),
            Note::Disturbed { jobs, most, programs: None } => {
                message!(note_repeated_for_steal, jobs = *jobs, most = *most)
            }
            Note::Disturbed { jobs, most, programs: Some(programs) } => {
                message!(note_repeated_for_programs, jobs = *jobs, most = *most, programs)
            }
            Note::Inferred => message!(note_inferred),
            Note::NoPower { reason } => message!(note_no_power, reason = reason.clone()),
            Note::Absent { candidates, reason, remedy } => {
                let (candidates, reason) = (names_or_count(candidates), without_stop(reason));
                match remedy {
                    None => message!(note_absent, candidates, reason),
                    Some(remedy) => message!(note_absent_remedy, candidates, reason, remedy),
                }
            }
            Note::Saturated { candidate, parts } => {
                let parts: Vec<Message> = parts.iter().map(|(part, phases)| part.message(phases)).collect();
                message!(note_saturated, candidate, parts)
            }
            Note::Closes { candidate, phases } => {
                let of = |(phase, connections, operations): &(String, u64, u64)| {
                    message!(note_closes_in, connections = *connections, operations = *operations, phase)
                };
                message!(note_closes, candidate, phases = phases.iter().map(of).collect::<Vec<Message>>())
            }
            Note::RateMissed { candidate, phases } => {
                let of = |(phase, share): &(String, f64)| message!(note_rate_missed_in, share = *share, phase);
                message!(note_rate_missed, candidate, phases = phases.iter().map(of).collect::<Vec<Message>>())
            }
            Note::Late { candidate, phases } => {
                let of = |(phase, lag_ns): &(String, u64)| message!(note_late_in, lag = *lag_ns, phase);
                message!(note_late, candidate, phases = phases.iter().map(of).collect::<Vec<Message>>())
            }
            Note::LoadTool { candidate, own } => load_tool(candidate, own.as_ref()),
            Note::AnyCertificate { candidates } => {
                message!(note_any_certificate, candidates = names_or_count(candidates))
            }
            Note::Unreadable { candidate, figures } => message!(note_unreadable, candidate, figures),
        }
    }
}

fn missing_rounds(rounds: &Rounds, why: &[Missing]) -> Message {
    let is_complete = rounds.complete >= rounds.planned;
    // What is shown is whole, and the run gives no reason: then jobs failed that are not of it.
    if is_complete && why == [Missing::Broken(None)] {
        return message!(note_rounds_others_failed, planned = rounds.planned);
    }
    let why: Vec<Message> = why.iter().map(Missing::message).collect();
    if is_complete && !why.is_empty() {
        return message!(note_rounds_complete, planned = rounds.planned, why);
    }
    message!(note_rounds, complete = rounds.complete, planned = rounds.planned, why)
}

fn failures(candidate: &str, phases: &[(String, u64)], error: &Message, allowed: u64) -> Message {
    let in_phase = |(phase, failed): &(String, u64)| message!(note_failures_in, count = *failed, phase);
    let phases: Vec<Message> = phases.iter().map(in_phase).collect();
    match allowed {
        0 => message!(note_failures, candidate, phases, error = error.clone()),
        allowed => message!(note_failures_allowed, candidate, phases, allowed, error = error.clone()),
    }
}

fn duplicate(lines: &[Repeated]) -> Message {
    let numbers = lines.iter().take(NAMED).map(|one| Item::from(one.line.to_string()));
    let more = lines.len().checked_sub(NAMED).filter(|more| *more > 0);
    let more = more.map(|more| Item::from(message!(note_more, count = more)));
    message!(note_duplicate_lines, lines = numbers.chain(more).collect::<Vec<Item>>())
}

/// What is said of the candidate of a load tool, and how Kurabe's own client compares with it.
fn load_tool(candidate: &str, own: Option<&(String, Vec<ToolRatio>)>) -> Message {
    match own {
        Some((own, phases)) if !phases.is_empty() => {
            let phases: Vec<Message> = phases.iter().map(ToolRatio::message).collect();
            message!(load_tool_compared, candidate, own, phases)
        }
        _ => message!(load_tool, candidate),
    }
}

impl ToolRatio {
    /// The ratio as a message.
    pub fn message(&self) -> Message {
        let (phase, rate) = (&self.phase, times(&self.rate));
        match &self.client_cpu {
            None => message!(load_tool_ratio, phase, rate),
            Some(cpu) => message!(load_tool_ratio_cpu, phase, rate, cpu = times(cpu)),
        }
    }
}

impl SaturatedPart {
    fn message(self, phases: &[String]) -> Message {
        match (self.part, self.is_busy) {
            (PathPart::Client, _) => message!(note_saturated_client, phases),
            (PathPart::Link, _) => message!(note_saturated_link, phases),
            (PathPart::App, _) => message!(note_saturated_app, phases),
            (PathPart::Store, true) => message!(note_saturated_store, phases),
            (PathPart::Store, false) => message!(note_saturated_nothing, phases),
            (PathPart::AppWithStore, _) => message!(note_saturated_app_with_store, phases),
        }
    }
}

/// A text that a full stop follows. No message of Kurabe that is a reason has one.
fn without_stop(reason: &RecordedText) -> RecordedText {
    match reason {
        RecordedText::Plain(text) => text.trim_end_matches('.').into(),
        message => message.clone(),
    }
}

impl Missing {
    /// The reason as a message.
    pub fn message(&self) -> Message {
        let told = |what: Message, detail: &Option<RecordedText>| match detail {
            None => what,
            Some(detail) => message!(note_with_detail, what, detail),
        };
        match self {
            Missing::Failed { candidates, round } => {
                message!(note_missing_failed, candidates = names_or_count(candidates), round = round + 1)
            }
            Missing::FailedBefore { candidates, at: config } => {
                message!(
                    note_missing_failed_before,
                    candidates = names_or_count(candidates),
                    at = configuration_name(config)
                )
            }
            Missing::Budget(detail) => told(message!(note_missing_budget), detail),
            Missing::Interrupted(detail) => told(message!(note_missing_interrupted), detail),
            Missing::Broken(Some(message)) => message!(note_missing_broken, message),
            Missing::Broken(None) => message!(note_missing_broken_unknown),
            Missing::NoEnd => message!(note_missing_no_end),
        }
    }
}

impl PointGap {
    /// The gap as a message.
    pub fn message(&self) -> Message {
        match self {
            PointGap::Unranked(reason) => reason.message(),
            PointGap::NoRate => message!(note_gap_no_rate),
            PointGap::LeftOut(reason) => message!(text_quoted, text = reason),
            PointGap::NotMeasured => message!(note_gap_not_measured),
        }
    }
}

/// Candidates by name, or their number where they are many.
fn names_or_count(names: &[String]) -> Message {
    if names.len() > NAMED {
        return message!(note_candidates, count = names.len());
    }
    message!(names_alone, names = Names::from(names))
}
