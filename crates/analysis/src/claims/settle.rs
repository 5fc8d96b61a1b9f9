//! What it would take to decide a claim that is open.

use kurabe_record::RunRecord;
use kurabe_stats::MIN_VALUES;
use schemars::JsonSchema;
use serde::Serialize;

use super::ClaimVerdict;
use super::finding::{Finding, Unknown};

/// What would decide an open claim.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Settle {
    /// Rounds that would do it, if figures and spread stayed as they are; absent where a hundred would not, since it is too
    /// near to a tie.
    pub rounds: Option<usize>,
    /// What a candidate that was cut still needs, in ns; absent where none was, or where that is not known.
    pub longer_ns: Option<u64>,
    /// The command.
    pub command: Option<String>,
}

/// Of the statements that leave a claim open; `None` where no run would help.
pub(super) fn settle(run: &RunRecord, findings: &[Finding]) -> Option<Settle> {
    let open: Vec<&Finding> = findings.iter().filter(|one| one.verdict == ClaimVerdict::Open).collect();
    if open.is_empty() {
        return None;
    }
    let rounds_of = |one: &&Finding| match &one.unknown {
        Some(Unknown::TooNear { rounds }) => *rounds,
        _ => Some(MIN_VALUES),
    };
    // One that no number of rounds decides leaves the whole undecided.
    let rounds: Option<usize> = open.iter().map(rounds_of).try_fold(0, |most, one| Some(most.max(one?)));
    let cut_ns = open.iter().filter_map(|one| match &one.unknown {
        Some(Unknown::Cut { cut, .. }) => cut.estimate_ns,
        _ => None,
    });
    let longer_ns = cut_ns.max();
    let mut names: Vec<&str> = Vec::new();
    for name in findings.iter().flat_map(|one| one.measure.candidates()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Some(Settle {
        rounds,
        longer_ns,
        command: rounds.map(|rounds| command(run, &names, rounds.max(MIN_VALUES), longer_ns)),
    })
}

/// The study again, with those that the claim is about.
fn command(run: &RunRecord, names: &[&str], rounds: usize, longer_ns: Option<u64>) -> String {
    let study = run.command.split_whitespace().nth(2).unwrap_or(&run.plan.study);
    let is_known =
        |name: &&&str| run.candidates.iter().any(|one| one.name == **name && one.asked.is_none() && one.trap.is_none());
    let stores: Vec<&str> = names.iter().filter(is_known).copied().collect();
    let mut words = format!("kurabe run {study}");
    // Candidates of tables are in the study alone.
    if stores.len() == names.len() && !stores.is_empty() {
        words += &format!(" --stores {}", stores.join(","));
    }
    words += &format!(" --rounds {rounds}");
    if let Some(budget_ns) = run.plan.budget_ns {
        let planned = run.plan.levels.iter().map(|level| level.rounds as usize).max().unwrap_or(1).max(1);
        let minutes = (budget_ns as f64 / 60e9) * (rounds as f64 / planned as f64).max(1.0)
            + longer_ns.map_or(0.0, |ns| ns as f64 / 60e9);
        words += &format!(" --budget {}m", minutes.ceil() as u64);
    }
    words
}
