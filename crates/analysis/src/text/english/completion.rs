//! What was done, in a sentence: by whom, how often, and how its answers were checked.

use kurabe_protocol::Layout;
use kurabe_record::{RunRecord, StoreKind, without};

use super::configuration::{at, factors};
use crate::answer::Answer;
use crate::answer::plans;
use crate::figures::candidate::CandidateAnswer;
use crate::figures::checking::Checking;
use crate::figures::completion::Extent;
use crate::findings::participants::Participants;
use crate::text::format::{count, quoted, size};

/// With more of them than this in one clause their number stands in the place of their names.
const NAMED: usize = 6;

fn noun(answer: &Answer, run: &RunRecord, part: &Participants<'_>) -> &'static str {
    let is_one_of_several = |one: &CandidateAnswer| run.candidate(&one.name).is_some_and(|it| it.base.is_some());
    match (part.all.first().map(|one| one.kind), part.all.len()) {
        (Some(StoreKind::Store), 1) if !answer.clients.is_empty() => "pair of a store and a client",
        (Some(StoreKind::Store), _) if !answer.clients.is_empty() => "pairs of a store and a client",
        // An axis made several of a store.
        (Some(StoreKind::Store), several) if several > 1 && part.all.iter().any(|one| is_one_of_several(one)) => {
            "configurations of stores"
        }
        (Some(StoreKind::Baseline), 1) => "baseline",
        (Some(StoreKind::Baseline), _) => "baselines",
        (_, 1) => "store",
        _ => "stores",
    }
}

/// What was done, in a sentence: by whom, how often, and how its answers were checked.
pub fn done(answer: &Answer, run: &RunRecord) -> String {
    let part = Participants::of(&answer.candidates);
    let others: String = part.others.iter().map(|(extent, names)| format!(" {}.", other(extent, names))).collect();
    let levels: Vec<String> = answer.other_configurations.iter().map(|level| at(&level.at)).collect();
    let sizes = match levels.as_slice() {
        [] => String::new(),
        some if some.len() > NAMED => format!(" There are {} other configurations.", some.len()),
        some => format!(" Other configurations: {}.", some.join("; ")),
    };
    let rows = rows(answer, run);
    let (whole, all, noun) = (part.whole.len(), part.all.len(), noun(answer, run, &part));
    if all == 0 {
        return format!("Only load tools were given the work on {rows}: no answer was checked.{sizes}");
    }
    if whole == 0 {
        let who = if all == 1 { format!("The {noun}") } else { format!("None of {all} {noun}") };
        let not = if all == 1 { " did not do" } else { " did" };
        return format!("{who}{not} the work on {rows}.{others}{sizes}");
    }
    let who = match (whole, all) {
        (1, 1) => format!("One {noun} did the work"),
        (1, all) => format!("One of {all} {noun} did the work"),
        (whole, all) if whole == all => format!("{all} {noun} did the same work"),
        (whole, all) => format!("{whole} of {all} {noun} did the same work"),
    };
    let connections = plans(answer, run).iter().map(|plan| plan.phase.connections).max().unwrap_or(1);
    let asked = match connections {
        1 => " over one connection".to_string(),
        several => format!(" over up to {several} connections"),
    };
    let turns = if whole > 1 { ", in turns" } else { "" };
    let checked = checked(&answer.checking);
    format!("{who} on {rows}{asked}, {}{turns}, and {checked}.{others}{sizes}", times(&part))
}

/// How many rows, and of which file: `50,000 rows of 'people.csv'`.
fn rows(answer: &Answer, run: &RunRecord) -> String {
    let beside = without(&answer.at.factors, "rows");
    let at = if beside.is_empty() { String::new() } else { format!(" at {}", factors(&beside)) };
    let rows = count(answer.at.rows);
    match run.data.as_ref().map(kurabe_record::DataRecord::file_name) {
        Some(file) => format!("{rows} rows of '{file}'{at}"),
        None => format!("{rows} rows ({}){at}", size(answer.at.rows.saturating_mul(row_bytes(answer, run)) as f64)),
    }
}

/// Bytes of a row.
fn row_bytes(answer: &Answer, run: &RunRecord) -> u64 {
    let config = run.plan.configurations.get(answer.at.configuration as usize);
    config.map_or(0, |config| Layout::new(&config.schema).len_bytes() as u64)
}

fn times(part: &Participants<'_>) -> String {
    let each = if part.whole.len() > 1 { " each" } else { "" };
    let (rounds, all_alike) = part.rounds();
    let least = if all_alike { "" } else { "at least " };
    match rounds {
        1 => format!("{least}once{each}"),
        rounds => format!("{least}{rounds} times{each}"),
    }
}

/// How answers were checked; what was not compared as it came stands in brackets.
fn checked(checking: &Checking) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(increments) = &checking.increments {
        parts.push("increments by their sum".into());
        if !increments.without_sum.is_empty() {
            parts.push(format!("those of {} not at all", who(&names(&increments.without_sum))));
        }
    }
    match parts.as_slice() {
        [] => "every answer was checked".into(),
        parts => format!("every answer was checked ({})", parts.join(", ")),
    }
}

fn other(extent: &Extent, names: &[&str]) -> String {
    let (who, was) = (who(names), if names.len() == 1 { "was" } else { "were" });
    match extent {
        Extent::Whole => format!("{who} did it"),
        Extent::Failed { round } => format!("{who} failed in round {}", round + 1),
        Extent::FailedBefore { at: level } => format!("{who} failed at {}", at(level)),
        Extent::GaveUp { round } => {
            format!("{who} failed so often in a row that the client gave up, in round {}", round + 1)
        }
        Extent::Unsupported => format!("{who} can do nothing of it"),
        Extent::Skipped => format!("{who} {was} skipped, because the budget is too short"),
        Extent::NotMeasured => format!("{who} {was} never measured"),
    }
}

fn names(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// Candidates by name, or their number where they are many.
fn who(names: &[&str]) -> String {
    if names.len() > NAMED {
        return format!("{} others", names.len());
    }
    quoted(names)
}
