//! What it would take to decide a claim that is open, or that this run asks too much of.

use kurabe_record::{Guarantee, RunRecord};
use kurabe_stats::MIN_VALUES;
use schemars::JsonSchema;
use serde::Serialize;

use super::finding::{Finding, Unknown};
use super::verdict::ClaimVerdict;
use crate::figures::reason::Reason;
use crate::findings::command::Command;

/// What would decide a claim that is not decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Settle {
    /// Rounds that would do it, if figures and spread stayed as they are; absent where a hundred would not, since it is
    /// too near to a tie, and where rounds are not what it lacks.
    pub rounds: Option<usize>,
    /// What a candidate that was skipped still needs, in ns; absent where none was, or where that is not known.
    pub longer_ns: Option<u64>,
    /// The command.
    pub command: Option<String>,
}

/// What would decide a claim of this verdict; `None` where it is decided, or no run of the study would help.
pub(super) fn settle(run: &RunRecord, verdict: ClaimVerdict, findings: &[Finding]) -> Option<Settle> {
    match verdict {
        ClaimVerdict::Undecided => more(run, findings),
        ClaimVerdict::OtherWork => with_less_asked(run, findings),
        ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo | ClaimVerdict::Wrong => None,
    }
}

/// Of statements in which a side is below the durability that the run asks for: the run that asks for no more than it
/// keeps.
fn with_less_asked(run: &RunRecord, findings: &[Finding]) -> Option<Settle> {
    let missing = findings.iter().filter(|one| one.verdict == ClaimVerdict::OtherWork);
    let kept: Option<Vec<Guarantee>> = missing
        .map(|one| match &one.unknown {
            Some(Unknown::Uncounted { reason, .. }) => match **reason {
                Reason::BelowDurability { guarantee, .. } => guarantee,
                _ => None,
            },
            _ => None,
        })
        .collect();
    let least = kept?.into_iter().reduce(Guarantee::at_most)?.minimum();
    let command = command(run, &names(findings), run.plan.most_rounds() as usize, None);
    let command = command.with_durability(least.to_string());
    Some(Settle { rounds: None, longer_ns: None, command: Some(command.to_string()) })
}

/// Of the statements that leave a claim open.
fn more(run: &RunRecord, findings: &[Finding]) -> Option<Settle> {
    let open: Vec<&Finding> = findings.iter().filter(|one| one.verdict == ClaimVerdict::Undecided).collect();
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
        Some(Unknown::Skipped { skipped, .. }) => skipped.estimate_ns,
        _ => None,
    });
    let longer_ns = cut_ns.max();
    Some(Settle {
        rounds,
        longer_ns,
        command: rounds.map(|rounds| command(run, &names(findings), rounds.max(MIN_VALUES), longer_ns).to_string()),
    })
}

/// The candidates that a claim is about, each once.
fn names(findings: &[Finding]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in findings.iter().flat_map(|one| one.measure.candidates()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The study again, with those that the claim is about.
fn command(run: &RunRecord, names: &[&str], rounds: usize, longer_ns: Option<u64>) -> Command {
    let is_known = |name: &&&str| {
        run.candidates.iter().any(|one| one.name == **name && one.asked.is_none() && one.pitfall().is_none())
    };
    let stores: Vec<&str> = names.iter().filter(is_known).copied().collect();
    let again = Command::of(run).with_rounds(&run.plan, rounds, longer_ns);
    // Candidates of tables are in the study alone, and one alone is compared with nobody.
    if stores.len() == names.len() && stores.len() > 1 { again.with_stores(&stores) } else { again }
}
