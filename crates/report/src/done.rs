//! What was done, in a sentence: by whom, how often, and how its answers were checked.

use kurabe_analysis::format::{count, list};
use kurabe_analysis::{Answer, CandidateAnswer, Checking, Extent, plans};
use kurabe_record::{RunRecord, StoreKind};

/// With more of them than this in one clause their number stands in the place of their names.
const NAMED: usize = 6;

/// Those that a sentence about the work is about, by how much of it they did.
pub(crate) struct Part<'a> {
    /// All of them: the stores, or the floors where the run has no store.
    pub(crate) all: Vec<&'a CandidateAnswer>,
    /// Those that did all of the work.
    pub(crate) whole: Vec<&'a CandidateAnswer>,
    /// The others, those with the same extent together.
    pub(crate) others: Vec<(Extent, Vec<&'a str>)>,
}

impl<'a> Part<'a> {
    pub(crate) fn of(answer: &'a Answer) -> Part<'a> {
        let of_kind = |kind| answer.candidates.iter().filter(move |one| one.kind == kind).collect::<Vec<_>>();
        let all = match of_kind(StoreKind::Store) {
            none if none.is_empty() => of_kind(StoreKind::Floor),
            stores => stores,
        };
        let (whole, rest): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|candidate| candidate.work.extent == Extent::Whole);
        let mut others: Vec<(Extent, Vec<&str>)> = Vec::new();
        for one in rest {
            match others.iter_mut().find(|(extent, _)| *extent == one.work.extent) {
                Some((_, names)) => names.push(&one.name),
                None => others.push((one.work.extent, vec![&one.name])),
            }
        }
        Part { all, whole, others }
    }

    /// The fewest rounds that one of those has that did all of the work, and whether all have as many.
    pub(crate) fn rounds(&self) -> (usize, bool) {
        let rounds = || self.whole.iter().map(|one| one.work.rounds);
        let (least, most) = (rounds().min().unwrap_or(0), rounds().max().unwrap_or(0));
        (least, least == most)
    }

    fn noun(&self) -> &'static str {
        match (self.all.first().map(|one| one.kind), self.all.len()) {
            (Some(StoreKind::Floor), 1) => "floor",
            (Some(StoreKind::Floor), _) => "floors",
            (_, 1) => "store",
            _ => "stores",
        }
    }
}

pub(crate) fn done(answer: &Answer, run: &RunRecord) -> String {
    let part = Part::of(answer);
    let others: String = part.others.iter().map(|(extent, names)| format!(" {}.", other(*extent, names))).collect();
    let sizes: Vec<String> = answer.other_sizes.iter().map(|size| count(size.rows)).collect();
    let sizes = match sizes.as_slice() {
        [] => String::new(),
        some => format!(" Other sizes: {}.", list(&some.iter().map(String::as_str).collect::<Vec<_>>())),
    };
    let rows = count(answer.rows);
    let (whole, all, noun) = (part.whole.len(), part.all.len(), part.noun());
    if whole == 0 {
        let who = if all == 1 { format!("The {noun}") } else { format!("None of {all} {noun}") };
        let not = if all == 1 { " did not do" } else { " did" };
        return format!("{who}{not} the work on {rows} rows.{others}{sizes}");
    }
    let who = match (whole, all) {
        (1, 1) => format!("One {noun} did the work"),
        (1, all) => format!("One of {all} {noun} did the work"),
        (whole, all) if whole == all => format!("{all} {noun} did the same work"),
        (whole, all) => format!("{whole} of {all} {noun} did the same work"),
    };
    let connections = plans(answer, run).iter().map(|plan| plan.phase.connections).max().unwrap_or(1);
    let asked = if connections > 1 { format!(", asked over up to {connections} connections") } else { String::new() };
    let turns = if whole > 1 { ", in turns" } else { "," };
    let checked = checked(&answer.checking);
    format!("{who} on {rows} rows{asked}, {}{turns} on this machine, and {checked}.{others}{sizes}", times(&part))
}

fn times(part: &Part<'_>) -> String {
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

fn other(extent: Extent, names: &[&str]) -> String {
    let (who, was) = (who(names), if names.len() == 1 { "was" } else { "were" });
    match extent {
        Extent::Whole => format!("{who} did it"),
        Extent::Failed { round } => format!("{who} failed in round {}", round + 1),
        Extent::FailedBefore { rows } => format!("{who} failed at {} rows", count(rows)),
        Extent::GaveUp { round } => {
            format!("{who} failed so often in a row that the client gave up, in round {}", round + 1)
        }
        Extent::Unsupported => format!("{who} can do nothing of it"),
        Extent::Cut => format!("{who} {was} cut, because the budget is too short"),
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
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    list(&names.iter().map(String::as_str).collect::<Vec<_>>())
}
