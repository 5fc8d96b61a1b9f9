//! The last lines of a run: what to type next, where its answer is not whole.

use std::path::Path;

use kurabe_analysis::format::{quoted, span};
use kurabe_analysis::{Answer, Caution, Outcome};
use kurabe_record::{CandidateRecord, Loaded, RunRecord, StoreKind};

/// What can be done next, each in one sentence with its command; the last is the best.
pub(crate) fn lines(loaded: &Loaded, answer: &Answer, out: &Path) -> Vec<String> {
    if answer.outcome == Outcome::Interrupted {
        let (done, all) = (answer.rounds.complete, answer.rounds.planned);
        return vec![format!("Stopped after {done} of {all} rounds. Go on: {}", resume(out))];
    }
    without_unfinished(loaded).into_iter().chain(repeat_disturbed(loaded, answer, out)).collect()
}

/// Where other programs left the answer open.
fn repeat_disturbed(loaded: &Loaded, answer: &Answer, out: &Path) -> Option<String> {
    let disturbed = loaded.disturbed().len();
    let is_open = answer.cautions.iter().any(|caution| matches!(caution, Caution::Shared { .. }));
    let jobs = if disturbed == 1 { "job" } else { "jobs" };
    (is_open && disturbed > 0 && answer.outcome == Outcome::Good)
        .then(|| format!("Other programs disturbed {disturbed} {jobs}. Repeat only these: {}", resume(out)))
}

fn resume(out: &Path) -> String {
    let out = out.display().to_string();
    let words = ["kurabe", "run", "--resume", out.as_str()];
    shlex::try_join(words).unwrap_or_else(|_| words.join(" "))
}

/// The stores whose jobs were stopped and that have none that ended, with the command that measures the others.
fn without_unfinished(loaded: &Loaded) -> Option<String> {
    let Loaded { run, jobs, cuts, .. } = loaded;
    let took_ns = |name: &str| -> u64 {
        cuts.iter().filter(|cut| cut.candidate == name).filter_map(|cut| cut.stopped_after_ns).sum()
    };
    let has_job = |name: &str| jobs.iter().any(|job| job.candidate == name);
    let unfinished: Vec<&CandidateRecord> =
        run.candidates.iter().filter(|one| took_ns(&one.name) > 0 && !has_job(&one.name)).collect();
    let typed: Vec<String> = unfinished.iter().map(|one| typed(one)).collect();
    let command = without(&run.command, &stores(run), &typed).filter(|_| !typed.is_empty())?;
    let names: Vec<&str> = unfinished.iter().map(|one| one.name.as_str()).collect();
    let took_ns: u64 = names.iter().map(|name| took_ns(name)).sum();
    let them = if names.len() == 1 { "it" } else { "them" };
    Some(format!(
        "{} took {} of {} and did not finish. Without {them}: {command}",
        quoted(&names),
        span(took_ns),
        span(run.plan.budget_ns?)
    ))
}

/// The stores of a run, as they are typed on the command line.
fn stores(run: &RunRecord) -> Vec<String> {
    let mut stores: Vec<String> = Vec::new();
    for one in run.candidates.iter().filter(|one| one.kind == StoreKind::Store && one.trap.is_none()).map(typed) {
        if !stores.contains(&one) {
            stores.push(one);
        }
    }
    stores
}

/// The command of a run for all `stores` but `these`, or for those that it names itself; `None` where none is left.
fn without(command: &str, stores: &[String], these: &[String]) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let mut lists: Vec<String> = Vec::new();
    let mut rest = shlex::split(command)?.into_iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--stores" => lists.extend(rest.next()),
            "--all" => {}
            _ => words.push(word),
        }
    }
    if lists.is_empty() {
        lists = stores.to_vec();
    }
    // An address may hold commas; one stands alone.
    let names = lists.iter().flat_map(|list| match list.contains('@') {
        true => vec![list.as_str()],
        false => list.split(',').collect(),
    });
    let (alone, listed): (Vec<&str>, Vec<&str>) =
        names.filter(|name| !these.iter().any(|one| one == name)).partition(|name| name.contains('@'));
    let listed = Some(listed.join(",")).filter(|list| !list.is_empty());
    let lists: Vec<String> = listed.into_iter().chain(alone.into_iter().map(String::from)).collect();
    if lists.is_empty() {
        return None;
    }
    // Before the flags that follow the study, as a person would type them.
    let at = words.len().min(3);
    words.splice(at..at, lists.into_iter().flat_map(|list| ["--stores".to_string(), list]));
    shlex::try_join(words.iter().map(String::as_str)).ok()
}

/// As it is typed on the command line.
fn typed(one: &CandidateRecord) -> String {
    one.of.clone().unwrap_or_else(|| one.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_without(command: &str, these: &[&str], expected: Option<&str>) {
        let all = |names: &[&str]| names.iter().map(|name| (*name).to_string()).collect::<Vec<String>>();
        let stores = all(&["sqlite", "lmdb", "rocksdb"]);
        assert_eq!(without(command, &stores, &all(these)).as_deref(), expected);
    }

    #[test]
    fn the_command_keeps_everything_but_the_stores_that_did_not_finish() {
        assert_without(
            "kurabe run dictionary --stores tinycdb,rocksdb,lmdb --budget 2m --seed 7",
            &["rocksdb"],
            Some("kurabe run dictionary --stores tinycdb,lmdb --budget 2m --seed 7"),
        );
        assert_without(
            "kurabe run quick --seed 7",
            &["lmdb"],
            Some("kurabe run quick --stores sqlite,rocksdb --seed 7"),
        );
        assert_without(
            "kurabe run quick --all --seed 7",
            &["lmdb", "sqlite"],
            Some("kurabe run quick --stores rocksdb --seed 7"),
        );
    }

    #[test]
    fn an_address_stays_as_it_was_typed() {
        assert_without(
            "kurabe run quick --stores 'mongodb@mongodb://a:1,b:2/db' --stores lmdb",
            &["lmdb"],
            Some("kurabe run quick --stores mongodb@mongodb://a:1,b:2/db"),
        );
    }

    #[test]
    fn without_any_store_there_is_no_command() {
        assert_without("kurabe run quick --stores lmdb", &["lmdb"], None);
    }

    #[test]
    fn a_folder_with_blanks_can_be_pasted() {
        assert_eq!(resume(Path::new("my runs/a")), "kurabe run --resume 'my runs/a'");
    }
}
