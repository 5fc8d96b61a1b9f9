//! What was done: by whom, how often, and how its answers were checked.

use kurabe_messages::{Message, message};
use kurabe_protocol::Layout;
use kurabe_record::{RunRecord, StoreKind, without};

use super::configuration::{configuration_name, factors};
use crate::answer::Answer;
use crate::answer::plans;
use crate::figures::candidate::CandidateAnswer;
use crate::figures::checking::Checking;
use crate::figures::completion::Extent;
use crate::findings::participants::Participants;

/// With more of them than this in one clause their number stands in the place of their names.
const NAMED: usize = 6;

/// Whatever was done, sentence after sentence.
pub fn done(answer: &Answer, run: &RunRecord) -> Message {
    let part = Participants::of(&answer.candidates);
    let others = part.others.iter().map(|(extent, names)| other(extent, names));
    let all = work(answer, run, &part).into_iter().chain(others).chain(other_configurations(answer));
    let then = |first: Message, next: Message| message!(sentence_then, first, next);
    all.reduce(then).unwrap_or_else(|| message!(completion_checked))
}

fn work(answer: &Answer, run: &RunRecord, part: &Participants<'_>) -> Vec<Message> {
    let rows = rows(answer, run);
    let (whole, all) = (part.whole.len(), part.all.len());
    let noun = noun(answer, run, part);
    if all == 0 {
        return vec![message!(completion_only_load_tools, rows)];
    }
    if whole == 0 {
        return vec![message!(completion_nobody, noun, all, rows)];
    }
    let who = match whole == all {
        true => message!(completion_who_all, all, noun),
        false => message!(completion_who_of, whole, all, noun),
    };
    let connections = plans(answer, run).iter().map(|plan| plan.phase.connections).max().unwrap_or(1);
    let (rounds, all_alike) = part.rounds();
    let times = message!(completion_times, least = if all_alike { "no" } else { "yes" }, rounds);
    vec![message!(completion_done, who, whole, rows, connections, times), checked(&answer.checking)]
}

fn noun(answer: &Answer, run: &RunRecord, part: &Participants<'_>) -> Message {
    let is_one_of_several = |one: &CandidateAnswer| run.candidate(&one.name).is_some_and(|it| it.base.is_some());
    let count = part.all.len();
    let noun = match part.all.first().map(|one| one.kind) {
        Some(StoreKind::Baseline) => "baseline",
        Some(StoreKind::Store) if !answer.clients.is_empty() => "pair",
        // An axis made several of a store.
        Some(StoreKind::Store) if count > 1 && part.all.iter().any(|one| is_one_of_several(one)) => "configuration",
        _ => "store",
    };
    message!(completion_noun, count, noun)
}

/// How many rows, and of which file: `50,000 rows of 'people.csv'`.
fn rows(answer: &Answer, run: &RunRecord) -> Message {
    let rows = match run.data.as_ref().map(kurabe_record::DataRecord::file_name) {
        Some(file) => message!(completion_rows_of_file, rows = answer.at.rows, file),
        None => {
            let size = answer.at.rows.saturating_mul(row_bytes(answer, run));
            message!(completion_rows, rows = answer.at.rows, size)
        }
    };
    match without(&answer.at.factors, "rows").as_slice() {
        [] => rows,
        beside => message!(completion_rows_at, rows, at = factors(beside)),
    }
}

/// Bytes of a row.
fn row_bytes(answer: &Answer, run: &RunRecord) -> u64 {
    let config = run.plan.configurations.get(answer.at.configuration as usize);
    config.map_or(0, |config| Layout::new(&config.schema).len_bytes() as u64)
}

/// How answers were checked, and whose increments were not.
fn checked(checking: &Checking) -> Message {
    match checking.increments.as_ref().map(|increments| increments.without_sum.as_slice()) {
        None => message!(completion_checked),
        Some([]) => message!(completion_checked_increments),
        Some(names) => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            message!(completion_checked_without_sum, names = names_or_count(&names))
        }
    }
}

fn other(extent: &Extent, names: &[&str]) -> Message {
    let (who, count) = (names_or_count(names), names.len());
    match extent {
        Extent::Whole => message!(completion_did_it, who),
        Extent::Failed { round } => message!(completion_failed, who, round = round + 1),
        Extent::FailedBefore { at: before } => message!(completion_failed_at, who, at = configuration_name(before)),
        Extent::GaveUp { round } => message!(completion_gave_up, who, round = round + 1),
        Extent::Unsupported => message!(completion_unsupported, who),
        Extent::Skipped => message!(completion_skipped, who, count),
        Extent::NotMeasured => message!(completion_not_measured, who, count),
    }
}

/// Candidates by name, or their number where they are many.
fn names_or_count(names: &[&str]) -> Message {
    match names.len() {
        count if count > NAMED => message!(completion_others, count),
        _ => message!(names_alone, names),
    }
}

fn other_configurations(answer: &Answer) -> Option<Message> {
    let all = answer.other_configurations.as_slice();
    match all.len() {
        0 => None,
        count if count > NAMED => Some(message!(completion_other_configurations, count)),
        _ => {
            let configurations: Vec<Message> = all.iter().map(|level| configuration_name(&level.at)).collect();
            Some(message!(completion_other_configurations_named, configurations))
        }
    }
}
