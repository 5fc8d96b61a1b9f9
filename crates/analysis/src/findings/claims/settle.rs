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
/// `pitfalls` are those that the claim is about.
pub(super) fn settle(
    run: &RunRecord,
    verdict: ClaimVerdict,
    findings: &[Finding],
    pitfalls: Vec<&str>,
) -> Option<Settle> {
    match verdict {
        ClaimVerdict::Undecided => more(run, findings, pitfalls),
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
fn more(run: &RunRecord, findings: &[Finding], pitfalls: Vec<&str>) -> Option<Settle> {
    let open: Vec<&Finding> = findings.iter().filter(|one| one.verdict == ClaimVerdict::Undecided).collect();
    // What was left out has its reason; no flag brings it.
    let is_left_out = |one: &&Finding| matches!(one.unknown, Some(Unknown::NotHere { reason: Some(_), .. }));
    if open.is_empty() || open.iter().any(is_left_out) {
        return None;
    }
    if open.iter().any(|one| matches!(one.unknown, Some(Unknown::NarrowSizes { .. }))) {
        return with_own_sizes(run, findings);
    }
    let lacks = |one: &&Finding| match &one.unknown {
        Some(Unknown::NotHere { .. } | Unknown::NoPitfall { .. }) => true,
        unknown => unknown.as_ref().and_then(Unknown::size).is_some(),
    };
    if open.iter().any(lacks) {
        let rounds = MIN_VALUES.max(run.plan.most_rounds() as usize);
        let command = measuring(run, findings, pitfalls);
        return Some(Settle { rounds: Some(rounds), longer_ns: None, command: Some(command) });
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

/// Of growth that too few sizes show: the sizes of the study, where the run had others. No rounds bring what they lack.
fn with_own_sizes(run: &RunRecord, findings: &[Finding]) -> Option<Settle> {
    let own = Command::of(run);
    if !(own.has("--sizes") || own.has("--rows")) {
        return None;
    }
    let rounds = MIN_VALUES.max(run.plan.most_rounds() as usize);
    let command = command(run, &names(findings), rounds, None).without("--sizes").to_string();
    Some(Settle { rounds: Some(rounds), longer_ns: None, command: Some(command) })
}

/// The command that measures what a claim is about and the run does not have.
fn measuring(run: &RunRecord, findings: &[Finding], pitfalls: Vec<&str>) -> String {
    let names = names(findings);
    let is_here = |name: &&&str| run.candidates.iter().any(|one| one.root() == **name || one.name == **name);
    let are_here = names.iter().all(|name| is_here(&name));
    let mut command = Command::of(run);
    let missing: Vec<u64> = findings.iter().filter_map(|one| one.unknown.as_ref()?.size()).collect();
    // A size of its own is for those that the claim is about alone.
    if !are_here || !missing.is_empty() {
        command = command.with_stores(&names);
    }
    if !missing.is_empty() {
        let mut sizes: Vec<u64> =
            run.plan.corrected().map(|at| run.plan.configurations[at].rows).chain(missing).collect();
        sizes.sort_unstable();
        sizes.dedup();
        command = command.with("--sizes", sizes.iter().map(u64::to_string).collect::<Vec<String>>().join(","));
    }
    if run.plan.most_rounds() < MIN_VALUES as u32 {
        command = command.with_rounds(&run.plan, MIN_VALUES, None);
    }
    let wanted = once_each(pitfalls);
    if wanted.iter().any(|one| run.plan.pitfalls.iter().all(|known| known.name != *one)) {
        command = command.with_pitfalls(&wanted);
    }
    command.to_string()
}

/// The candidates that a claim is about, each once.
fn names(findings: &[Finding]) -> Vec<&str> {
    once_each(findings.iter().flat_map(|one| one.measure.candidates()))
}

fn once_each<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    names.into_iter().fold(Vec::new(), |mut seen, name| {
        if !seen.contains(&name) {
            seen.push(name);
        }
        seen
    })
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
