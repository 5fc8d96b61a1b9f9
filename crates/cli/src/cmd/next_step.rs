//! The last lines of a run: what to type next, where its answer is not whole.

use std::path::Path;

use kurabe_analysis::{Answer, Caution, NextCommand, Outcome, Pick};
use kurabe_messages::{Message, message};
use kurabe_record::{CandidateRecord, Loaded, RunRecord, StoreKind};

use super::place::PlaceArgs;

/// What can be done next, each in one sentence with its command; the last is the best.
pub(crate) fn lines(loaded: &Loaded, answer: &Answer, (out, place): (&Path, &PlaceArgs)) -> Vec<Message> {
    if answer.outcome == Outcome::Interrupted {
        let (done, all) = (answer.rounds.complete, answer.rounds.planned);
        // What to take says how to go on where the run was stopped too early for it: once is enough.
        let is_told = matches!(&answer.recommendation.pick, Pick::NotDecided { next: NextCommand::GoOn, .. });
        return vec![match is_told {
            true => message!(cli_next_stopped, done, all),
            false => message!(cli_next_resume, done, all, command = resume(out, place)),
        }];
    }
    without_unfinished(loaded).into_iter().chain(repeat_disturbed(loaded, answer, (out, place))).collect()
}

/// Where other programs left the answer open.
fn repeat_disturbed(loaded: &Loaded, answer: &Answer, (out, place): (&Path, &PlaceArgs)) -> Option<Message> {
    let disturbed = loaded.disturbed().len();
    let is_open = answer.cautions.iter().any(|caution| matches!(caution, Caution::Shared { .. }));
    (is_open && disturbed > 0 && answer.outcome == Outcome::Good)
        .then(|| message!(cli_next_disturbed, jobs = disturbed, command = resume(out, place)))
}

/// The command that continues a run, with its data where they were.
pub(crate) fn resume(out: &Path, place: &PlaceArgs) -> String {
    let out = out.display().to_string();
    let words = ["kurabe", "run", "--resume", out.as_str()];
    shlex::try_join(words).unwrap_or_else(|_| words.join(" ")) + &place.flags() + &super::definitions_flags()
}

/// The stores whose jobs were stopped and that have none that ended, with the command that measures the others.
fn without_unfinished(loaded: &Loaded) -> Option<Message> {
    let Loaded { run, jobs, skipped, .. } = loaded;
    let took_ns = |name: &str| -> u64 {
        skipped.iter().filter(|skipped| skipped.candidate == name).filter_map(|skipped| skipped.stopped_after_ns).sum()
    };
    let has_job = |name: &str| jobs.iter().any(|job| job.candidate == name);
    let unfinished: Vec<&CandidateRecord> =
        run.candidates.iter().filter(|one| took_ns(&one.name) > 0 && !has_job(&one.name)).collect();
    let others: Vec<String> =
        stores(run).into_iter().filter(|one| !unfinished.iter().any(|it| typed(it) == *one)).collect();
    if unfinished.is_empty() || others.len() < 2 {
        return None;
    }
    let command = kurabe_analysis::command_for(run, &others);
    let names: Vec<&str> = unfinished.iter().map(|one| one.name.as_str()).collect();
    let took_ns: u64 = names.iter().map(|name| took_ns(name)).sum();
    Some(message!(cli_next_unfinished, names, took = took_ns, budget = run.plan.budget_ns?, command))
}

/// The stores of a run, as they are typed on the command line.
fn stores(run: &RunRecord) -> Vec<String> {
    let mut stores: Vec<String> = Vec::new();
    for one in run.candidates.iter().filter(|one| one.kind == StoreKind::Store && one.pitfall().is_none()).map(typed) {
        if !stores.contains(&one) {
            stores.push(one);
        }
    }
    stores
}

/// As it is typed on the command line.
fn typed(one: &CandidateRecord) -> String {
    one.root().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_blanks_can_be_pasted() {
        let out = Path::new("my runs/a");
        assert_eq!(resume(out, &PlaceArgs::default()), "kurabe run --resume 'my runs/a'");
        let place = PlaceArgs::at("/mnt/my disk");
        assert_eq!(resume(out, &place), "kurabe run --resume 'my runs/a' --dir '/mnt/my disk'");
    }
}
