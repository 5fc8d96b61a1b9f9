//! What a program's dictionary asks of a store: loads in passes, openings, one key, and whole programs.

use crate::common::{Place, finish, here};
use kurabe_protocol::Operation;
use kurabe_record::{Loaded, PhaseOutcome, PhaseRecord};

/// Rows of the built-in dictionary.
const ROWS: u64 = 2_249;

/// Runs a study, of which every job must end well and every answer be right.
#[track_caller]
fn measured(study: &str, more: &[&str]) -> Loaded {
    let place = Place::new();
    let said = finish(&mut place.run(study, more));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = Loaded::read(&place.out()).expect("a run");
    for job in &loaded.jobs {
        assert_eq!(job.error, None, "{}", job.candidate);
        let count = job.final_count.as_ref();
        assert!(count.is_none_or(kurabe_record::FinalCount::is_right), "{}: {count:?}", job.candidate);
        for result in job.phases.iter().flat_map(|phase| &phase.results) {
            let checks = &result.checks;
            assert_eq!(checks.failed(), 0, "{}: {}: {:?}", job.candidate, result.phase, checks.examples);
            assert_eq!(result.failures, [], "{}: {}", job.candidate, result.phase);
        }
    }
    place.assert_nothing_is_left();
    loaded
}

/// The phase of that name of every job, with the candidate's name.
fn phases<'a>(loaded: &'a Loaded, name: &str) -> Vec<(&'a str, &'a PhaseRecord)> {
    let of = |job: &'a kurabe_record::JobRecord| {
        let phase = job.phases.iter().find(|phase| phase.name == name).expect("the phase");
        (job.candidate.as_str(), phase)
    };
    loaded.jobs.iter().map(of).collect()
}

#[test]
fn whole_programs_are_timed_and_their_answers_checked() {
    let study = r#"
title = "What does a program cost?"
rows = 200
value_len_bytes = 100
rounds = 1
durability = "cache"
baselines = ["map"]
stores = ["sqlite", "sqlite+python", "lmdb", "file", "memcached", "h2"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
commit_every = 100
[[phase]]
name = "reads"
operation = "program"
program = { operation = "read" }
count = 3
[[phase]]
name = "one"
operation = "program"
program = { operation = "read", distribution = "one", count = 50 }
count = 2
[[phase]]
name = "builds"
operation = "program"
program = { operation = "load", commit_every = 100 }
count = 2
"#;
    let stores = ["sqlite", "sqlite+python", "lmdb", "file", "memcached", "h2"];
    if !here(&stores) {
        return;
    }
    let loaded = measured(study, &[]);
    assert_eq!(loaded.jobs.len(), stores.len() + 1);
    for (name, programs, checked) in [("reads", 3, 3 * 200), ("one", 2, 2 * 50), ("builds", 2, 0)] {
        for (candidate, phase) in phases(&loaded, name) {
            if candidate == "map" {
                assert!(matches!(phase.outcome, PhaseOutcome::Unsupported(_)), "a baseline keeps nothing");
                continue;
            }
            let result = &phase.results[0];
            assert_eq!((phase.operation, phase.operations()), (Operation::Program, programs), "{candidate}: {name}");
            // Some clients check what a load answers, too.
            assert!(name == "builds" || result.checks.checked == checked, "{candidate}: {name}: {:?}", result.checks);
            let latency = &result.latency[0];
            assert_eq!((latency.operation, latency.count), (Operation::Program, programs));
            // No process starts, works and ends within 100 µs; and its processor time is a part of it.
            assert!(latency.min_ns > 100_000, "{candidate}: {name}: {} ns", latency.min_ns);
            assert!(result.cpu_ns() > Some(0), "{candidate}: {name}");
            let span = phase.span().expect("a time");
            assert_eq!(span.wall_ns(), latency.sum_ns, "what lies between programs counts for none");
            assert_eq!(phase.disk_bytes.is_some(), name == "builds", "{candidate}");
        }
    }
}

/// The work of the dictionary on its own file, with `more` keys of the load.
fn dictionary(more: &str) -> String {
    format!(
        r#"
title = "A dictionary"
data = {{ file = "builtin:dictionary.tsv", key = 3, values = [5], header = "no", duplicates = "first" }}
rounds = 1
durability = "cache"
stores = ["sqlite", "lmdb", "file", "memcached", "memcached+perl", "tokyocabinet:hash"]
quiet_wait = "1ms"
[[candidate]]
name = "cdb"
store = "tinycdb"
durability = "finish"
[[candidate]]
name = "cdb, one copy"
store = "tinycdb"
durability = "finish"
settings = {{ duplicates = "skip" }}
[[candidate]]
name = "cdb, Perl"
store = "tinycdb"
client = "perl"
durability = "finish"
[[candidate]]
name = "depot"
store = "qdbm"
variant = "hash"
durability = "put"
[[candidate]]
name = "depot, Perl"
store = "qdbm"
client = "perl"
durability = "put"
[[candidate]]
name = "gnu"
store = "gdbm"
durability = "put"
[[phase]]
operation = "load"
commit_every = 100_000
{more}
[[phase]]
name = "opened"
operation = "open"
open_rows = "all"
count = 2
[[phase]]
name = "at-once"
operation = "multi-read"
multi_read_rows = 10_000
count = 2
[[phase]]
name = "one"
operation = "read"
distribution = "one"
count = 100
[[phase]]
name = "one-opened"
operation = "open"
distribution = "one"
count = 20
[[phase]]
operation = "scan"
count = 1
[[phase]]
name = "reads"
operation = "program"
program = {{ operation = "read" }}
count = 1
"#
    )
}

const STORES: [&str; 11] = [
    "sqlite",
    "lmdb",
    "file",
    "memcached",
    "memcached+perl",
    "tokyocabinet:hash",
    "tinycdb",
    "tinycdb+perl",
    "qdbm:hash",
    "qdbm:hash+perl",
    "gdbm",
];

#[test]
fn every_key_of_a_dictionary_is_read_in_every_way() {
    if !here(&STORES) {
        return;
    }
    let loaded = measured(&dictionary("passes = 3\nrows_from = \"lines\""), &[]);
    let data = loaded.run.data.as_ref().expect("a data file");
    assert_eq!((data.records, data.rows, data.duplicate_keys.keys, data.headings.count), (2_269, ROWS, 20, 33));
    for (candidate, phase) in phases(&loaded, "load") {
        assert_eq!(phase.operations(), 3 * ROWS, "{candidate}");
        assert_eq!(phase.results[0].checks.checked, 3 * ROWS, "{candidate}: every line was compared");
    }
    for (name, rows) in [("opened", 2 * ROWS), ("at-once", 2 * ROWS), ("one-opened", 20)] {
        for (candidate, phase) in phases(&loaded, name) {
            assert_eq!(phase.results[0].rows_read, rows, "{candidate}: {name}");
        }
    }
    for (candidate, phase) in phases(&loaded, "scan") {
        let copies = if ["cdb", "cdb, Perl"].contains(&candidate) { 3 } else { 1 };
        let rows: u64 = phase.results.iter().map(|result| result.rows_read).sum();
        let scans = phase.outcome == PhaseOutcome::Ran;
        assert_eq!(rows, if scans { copies * ROWS } else { 0 }, "{candidate}");
        assert!(scans || candidate.starts_with("memcached"), "{candidate}");
    }
}

#[test]
fn lines_are_split_again_as_they_were_read_first() {
    // Cells in which a number is written as it would not be again are texts, and stay what they are when they are
    // split.
    let place = Place::new();
    let file = place.file("mine.txt", "[a]\none\t7\t007\n\ntwo\t-8\tx\none\t9\ty\nshort\n");
    let said = finish(
        &mut place.run(&dictionary("rows_from = \"lines\""), &["--data", &file, "--key", "1", "--stores", "sqlite"]),
    );
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = Loaded::read(&place.out()).expect("a run");
    let load = &loaded.jobs[0].phases[0].results[0];
    assert_eq!((load.checks.checked, load.checks.failed()), (2, 0), "{:?}", load.checks.examples);
    // Not tab-separated.
    let file = place.file("mine.csv", "one,7\ntwo,8\n");
    let said = finish(&mut place.kurabe([
        "plan",
        &place.file("d.toml", dictionary("rows_from = \"lines\"")),
        "--data",
        &file,
        "--key",
        "1",
    ]));
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("tab-separated") && said.err.contains("leave 'rows_from' out"), "{}", said.err);
}

#[test]
fn a_server_can_write_to_a_terminal() {
    if !here(&["memcached"]) {
        return;
    }
    let study = r#"
title = "What does a terminal cost?"
rows = 200
value_len_bytes = 100
rounds = 1
durability = "cache"
quiet_wait = "1ms"
[[candidate]]
name = "told"
store = "memcached"
args = ["-vvv"]
output = "terminal"
[[phase]]
operation = "load"
[[phase]]
operation = "read"
count = 1000
"#;
    let loaded = measured(study, &[]);
    let asked = loaded.run.candidates[0].asked.as_ref().expect("a table");
    assert_eq!(asked.output, kurabe_record::ServiceOutput::Terminal);
    assert_eq!(phases(&loaded, "read")[0].1.operations(), 1_000);
}
