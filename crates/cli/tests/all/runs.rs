//! Whole runs with real stores, as a person starts them.

use std::collections::BTreeSet;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::common::server::Redis;
use crate::common::{Mount, Place, Running, Said, TINY, assert_mistake, census, entries, finish, here, order, said};
use kurabe_record::{EndStatus, Guarantee, Loaded, PhaseOutcome};
use kurabe_testkit::fake_server::{FakeServer, Fault, ProxyFault};
use serde_json::Value;

/// Every job ran all phases without a wrong answer, a failure or an error, and each candidate ran once a round.
#[track_caller]
fn assert_whole(loaded: &Loaded) {
    let run = &loaded.run;
    assert_eq!(loaded.end.as_ref().map(|end| end.status), Some(EndStatus::Complete));
    assert_eq!(loaded.jobs.len(), run.candidates.len() * run.plan.configurations[0].rounds as usize);
    let pairs: BTreeSet<_> = loaded.jobs.iter().map(|job| (job.round, &job.candidate)).collect();
    assert_eq!(pairs.len(), loaded.jobs.len());
    // A job that something disturbed was measured again under another number.
    assert!(loaded.jobs.iter().map(|job| job.number).is_sorted());
    for job in &loaded.jobs {
        assert_eq!(job.error, None);
        assert_eq!(job.phases.len(), run.plan.configurations[0].phases.len());
        assert!(job.phases.iter().all(|phase| phase.outcome == PhaseOutcome::Ran), "{:?}", job.candidate);
        for result in job.phases.iter().flat_map(|phase| &phase.results) {
            assert_eq!((result.checks.failed(), result.failures.len()), (0, 0), "{}", job.candidate);
            assert!(result.workers.iter().all(|worker| worker.operations > 0));
        }
    }
}

#[test]
fn a_run_ends_with_tables_a_report_and_a_line_for_every_job() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &[]));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_whole(&loaded);
    for store in ["echo", "map", "file", "sqlite", "lmdb"] {
        assert!(said.out.contains(store), "'{store}' is missing in: {}", said.out);
    }
    assert!(said.out.contains("report.html"), "{}", said.out);
    let page = std::fs::read_to_string(place.out().join("report.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"), "{}", &page[..40]);
    let jobs = std::fs::read_to_string(place.out().join("jobs.jsonl")).unwrap();
    assert_eq!(jobs.lines().count() - loaded.superseded.len(), 15 + 1, "a line a job and one for the end");
    assert!(loaded.run.command.contains("--seed 1"), "{}", loaded.run.command);
    place.assert_nothing_is_left();
}

#[test]
fn records_hold_no_folder_of_the_machine() {
    let place = Place::new();
    // A study by name, so that no path of its own stands in the command.
    let mut command = place.kurabe(["run", "baseline", "--rounds", "1", "--stores", "echo,sqlite", "--rows", "1000"]);
    let said = finish(command.arg("--dir").arg(place.data()).arg("--out").arg(place.out()));
    assert_eq!(said.status, 0, "{said:?}");
    // What can be pasted at once has the folder that was typed.
    let typed = format!(" --dir {}", place.data().display());
    let out = said.out.split_whitespace().collect::<Vec<&str>>().join(" ");
    let commands = out.matches("kurabe run ").count();
    assert!(commands > 0 && out.matches(&typed).count() == commands, "{}", said.out);
    for name in ["run.json", "jobs.jsonl", "report.html"] {
        let text = std::fs::read_to_string(place.out().join(name)).unwrap();
        assert!(!text.contains(&place.word), "'{name}' holds the path of a folder");
    }
}

#[test]
fn the_same_seed_gives_the_same_order_and_another_seed_another() {
    let orders: Vec<Vec<String>> = ["5", "5", "6"]
        .map(|seed| {
            let place = Place::new();
            let said = finish(&mut place.run(TINY, &["--seed", seed]));
            assert_eq!(said.status, 0, "{said:?}");
            order(&place.loaded())
        })
        .to_vec();
    assert_eq!(orders[0], orders[1]);
    assert_ne!(orders[0], orders[2]);
}

#[test]
fn four_stores_are_compared_at_the_minimum_power() {
    if !here(&["redis", "postgres"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb,redis,postgres", "--durability", "power"]));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_whole(&loaded);
    for candidate in &loaded.run.candidates {
        let durability = candidate.durability.as_ref().unwrap();
        assert_eq!(durability.guarantee, Guarantee::FULL, "{}", candidate.name);
    }
    for job in loaded.jobs.iter().filter(|job| ["redis", "postgres"].contains(&job.candidate.as_str())) {
        assert!(job.settings.iter().any(|check| check.asked.is_some() && check.asked == check.found), "read back");
        assert!(job.phases.iter().all(|phase| phase.service.is_some()), "the server was watched");
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_store_below_the_minimum_is_ranked_only_where_nothing_is_written() {
    if !here(&["memcached"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb,memcached", "--durability", "consistent"]));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_whole(&loaded);
    let row = |phase: &str| {
        let table = said.out.split("\n\n").find(|part| part.starts_with(&format!("{phase}  ")));
        let table = table.unwrap_or_else(|| panic!("no table of {phase} in {}", said.out));
        table.lines().find(|line| line.contains("memcached")).expect("a row").to_string()
    };
    assert!(row("load").contains("durability too low"), "{}", row("load"));
    // Far percentiles may be a dash where a slow machine counted too few operations; the rate may not.
    let read = row("read");
    let rate = read.split(" cache ").nth(1).unwrap_or_else(|| panic!("no durability in {read}")).trim_start();
    assert!(rate.starts_with(|c: char| c.is_ascii_digit()), "{read}");
}

#[test]
fn a_store_is_compared_through_two_clients() {
    if !here(&["sqlite+python", "redis", "redis+python"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,sqlite+python,redis,redis+python"]));
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_whole(&loaded);
    let clients: BTreeSet<_> =
        loaded.jobs.iter().map(|job| (job.candidate.as_str(), job.hello.as_ref().unwrap().client.as_str())).collect();
    let expected = [("redis", "rust"), ("redis+python", "python"), ("sqlite", "rust"), ("sqlite+python", "python")];
    assert_eq!(clients, BTreeSet::from(expected));
    place.assert_nothing_is_left();
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(folder) = pending.pop() {
        for name in entries(&folder) {
            let path = folder.join(name);
            if path.is_dir() { pending.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn a_server_of_the_user_is_measured_and_left_as_it_was() {
    if !here(&["redis"]) {
        return;
    }
    const SECRET: &str = "canary-PW";
    let mut redis = Redis::start(SECRET);
    redis.ask::<()>(&["MSET", "letter", "dear Anne", "kurabe_mine:0", "keep", "k0000000001", "keep too"]);
    let (keys, settings, size) = (redis.content(), redis.settings(), redis.ask::<u64>(&["DBSIZE"]));
    let place = Place::new();
    // In the study, because a command line can be read by everybody.
    let address = format!("redis@redis://:{SECRET}@127.0.0.1:{}", redis.port);
    let study =
        TINY.replace("\"echo\", \"map\", \"file\", \"sqlite\", \"lmdb\"", &format!("\"sqlite\", \"{address}\""));
    let study = place.file("secret.toml", study);
    let mut command = place.kurabe(["run", &study]);
    let mut run = Running::start(command.arg("--dir").arg(place.data()).arg("--out").arg(place.out()));
    let pid = run.pid();
    let mut seen = 0;
    while census::is_alive(pid) {
        let of_the_run = census::of(&place);
        seen += of_the_run.len();
        let told = of_the_run.iter().find(|process| process.cmdline.contains(SECRET));
        assert!(told.is_none(), "{told:?}");
    }
    run.hear_jobs(6);
    let said = run.finish();
    assert_eq!(said.status, 0, "{said:?}");
    assert!(seen > 10, "the command lines were looked at {seen} times");
    assert_whole(&place.loaded());
    assert!(!said.out.contains(SECRET) && !said.err.contains(SECRET), "{said:?}");
    for path in files(&place.out()) {
        let bytes = std::fs::read(&path).unwrap();
        assert!(!bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes()), "'{}'", path.display());
    }
    assert!(redis.is_alive());
    assert_eq!((redis.content(), redis.settings(), redis.ask::<u64>(&["DBSIZE"])), (keys, settings, size));
    place.assert_nothing_is_left();
}

#[test]
fn a_password_on_the_command_line_is_not_in_the_command_that_repeats_the_run() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("canary-PW");
    let place = Place::new();
    let address = format!("redis@redis://:canary-PW@127.0.0.1:{}", redis.port);
    let said = finish(&mut place.run(TINY, &["--rounds", "1", "--stores", &address]));
    assert_eq!(said.status, 0, "{said:?}");
    let command = place.loaded().run.command;
    assert!(command.contains(&format!("redis@redis://127.0.0.1:{}", redis.port)), "{command}");
    assert!(!said.out.contains("canary-PW") && !said.err.contains("canary-PW"), "{said:?}");
    assert!(
        files(&place.out())
            .iter()
            .all(|path| !String::from_utf8_lossy(&std::fs::read(path).unwrap()).contains("canary-PW"))
    );
}

#[test]
fn a_wrong_password_is_told_before_anything_is_measured() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("canary-PW");
    let place = Place::new();
    let address = format!("redis@redis://:other-PW@127.0.0.1:{}", redis.port);
    let said = finish(&mut place.run(TINY, &["--stores", &address]));
    assert_mistake(&said, &[&format!("redis@redis://127.0.0.1:{}", redis.port)]);
    assert!(!said.err.contains("other-PW"), "{}", said.err);
    place.assert_nothing_is_left();
}

#[test]
fn a_job_can_be_piped_into_a_client_by_hand() {
    let place = Place::new();
    let wire = finish(place.kurabe(["dev", "wire", "quick", "sqlite", "--dir"]).arg(place.data()));
    assert_eq!(wire.status, 0, "{wire:?}");
    assert!(wire.err.contains("Remove this folder"), "{}", wire.err);
    let mut client = place.kurabe(["client"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    client.stdin.take().unwrap().write_all(wire.out.as_bytes()).unwrap();
    let told = said(client.wait_with_output().unwrap());
    assert_eq!(told.status, 0, "{told:?}");
    let events: Vec<serde_json::Value> = told.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_result = |phase: &str| {
        events.iter().any(|event| {
            event.to_string().contains("\"workers\"") && event.to_string().contains(&format!("\"{phase}\""))
        })
    };
    for phase in ["load", "read", "scan", "latest", "mix", "update"] {
        assert!(is_result(phase), "no result of '{phase}' in {}", told.out);
    }
}

#[test]
fn a_candidate_with_wrong_answers_has_no_place_and_fails_the_run() {
    let place = Place::new();
    // In place of an interpreter: one whose digests of what came are others.
    let python = std::env::var("KURABE_PYTHON").unwrap_or_else(|_| "python3".into());
    let liar = format!(
        "#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nexec '{python}' -c 'import runpy, sys, zlib\nreal = zlib.crc32\n\
         zlib.crc32 = lambda data, *more: real(data, *more) ^ 1\nsys.argv = sys.argv[1:]\n\
         sys.path.insert(0, sys.argv[0].rpartition(\"/\")[0])\nrunpy.run_path(sys.argv[0], run_name=\"__main__\")' \"$@\"\n"
    );
    let liar = place.file("liar", liar);
    std::fs::set_permissions(&liar, std::fs::Permissions::from_mode(0o755)).unwrap();
    let said = finish(place.run(TINY, &["--stores", "sqlite,lmdb,sqlite+python"]).env("KURABE_PYTHON", liar));
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains("sqlite+python  read: ") && said.err.contains(" wrong answers"), "{}", said.err);
    let answer = place.answer();
    for phase in answer["phases"].as_array().unwrap() {
        for row in phase["rows"].as_array().unwrap() {
            let lied = row["candidate"] == "sqlite+python" && phase["name"] == "read";
            let expected = if lied { "unranked" } else { "ranked" };
            assert_eq!(row["status"]["state"], expected, "{row}");
        }
    }
    place.assert_nothing_is_left();
}

/// A study of one round over 300 rows, with a phase of its own after the load.
fn after_a_load(head: &str, phase: &str) -> String {
    format!(
        "{head}\ntitle = \"What does it say?\"\nrows = 300\nrounds = 1\nvalue_len_bytes = 20\nquiet_wait = \"1ms\"\n\
         durability = \"cache\"\nstores = [\"sqlite\"]\n[[phase]]\noperation = \"load\"\n[[phase]]\ndeciding = true\n{phase}"
    )
}

/// A run of sqlite beside a redis that is reached through a server with a fault.
fn through(fault: ProxyFault, study: &str, more: &[&str]) -> (Place, Said) {
    let redis = Redis::start("");
    let fake = FakeServer::start(Fault::Proxy { upstream: redis.port, fault }).unwrap();
    let place = Place::new();
    let stores = format!("sqlite,redis@redis://127.0.0.1:{}", fake.port());
    let said = finish(place.run(study, &["--stores", &stores]).args(more));
    assert!(fake.faults() > 0, "the fault never showed: {said:?}");
    (place, said)
}

#[test]
fn a_store_that_loses_increments_fails_the_run_and_is_named() {
    if !here(&["redis"]) {
        return;
    }
    let study = after_a_load("", "operation = \"increment\"\ncount = 600\n");
    let (_place, said) = through(ProxyFault::LoseIncrements { every: 100 }, &study, &[]);
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains("  increment: "), "{}", said.err);
    assert!(said.err.contains("wrong answers: the counters add up to "), "{}", said.err);
    assert!(said.out.contains("gave wrong answers in increment"), "{}", said.out);
    let out = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains("Every answer was checked, increments by their sum."), "{out}");
}

#[test]
fn a_client_that_gave_up_fails_the_run_whatever_is_allowed_and_is_named_when_quiet() {
    if !here(&["redis"]) {
        return;
    }
    let study = after_a_load("allowed_errors = 100000", "operation = \"update\"\nduration = \"300ms\"\n");
    let (place, said) = through(ProxyFault::ErrorsAfter(600), &study, &["--quiet"]);
    assert_eq!(said.status, 1, "{said:?}");
    let told: Vec<&str> = said.err.lines().collect();
    assert!(
        matches!(told.as_slice(), [line] if line.contains("round 1/1  redis@") && line.contains("gave up")),
        "{told:?}"
    );
    let answer = place.answer();
    let rows = answer["phases"][1]["rows"].as_array().unwrap();
    let redis = rows.iter().find(|row| row["candidate"] != "sqlite").unwrap();
    assert_eq!(
        (&redis["status"]["reason"]["kind"], &redis["metrics"][0]),
        (&"gave-up".into(), &Value::Null),
        "{redis}"
    );
}

#[test]
fn what_a_server_says_acts_on_no_terminal() {
    if !here(&["redis"]) {
        return;
    }
    let study = after_a_load("", "operation = \"update\"\nduration = \"200ms\"\n");
    let (_place, said) = through(ProxyFault::ErrorEvery { every: 7, after: 700 }, &study, &[]);
    assert_eq!(said.status, 1, "{said:?}");
    for text in [&said.out, &said.err] {
        assert!(text.contains("disk \\u{1b}[31mfull\\u{1b}]0;title\\u{7}"), "the message is shown: {text}");
        assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "and nothing of it acts: {text:?}");
    }
}

#[test]
fn names_in_data_and_studies_act_on_no_terminal() {
    let place = Place::new();
    let hostile = "k\u{1b}[31m";
    let data = place.file("f.tsv", format!("{hostile}\tv\u{9b}1m\na\t1\nb\t2\n"));
    let study = TINY
        .replace("Does everything work?", "\\u001b[31m\\nof two lines")
        .replace("operation = \"read\"", "operation = \"read\"\nname = \"a\\u001b[1m\\nb\"");
    let study = place.file("mine.toml", study);
    let asked = ["--data", &data, "--key", "1", "--header", "yes", "--stores", "sqlite", "--rounds", "1"];
    for verb in ["plan", "run"] {
        let said = finish(place.kurabe([verb, &study]).args(asked).arg("--dir").arg(place.data()));
        assert_eq!(said.status, 0, "{said:?}");
        let all = said.out + &said.err;
        assert!(all.chars().all(|c| c == '\n' || !c.is_control()), "{all:?}");
        for shown in ["k\\u{1b}[31m", "\\u{1b}[31m\\nof two lines", "a\\u{1b}[1m\\nb"] {
            assert!(all.contains(shown), "'{verb}' does not show {shown}: {all}");
        }
    }
}

#[test]
fn power_is_refused_in_memory_and_other_levels_say_so() {
    let place = Place::new();
    let Some(_mount) = Mount::tmpfs(&place.path("memory"), "size=64m") else { return };
    let run = |more: &[&str]| {
        let study = place.file("tiny.toml", TINY);
        let mut command = place.kurabe(["run", &study, "--stores", "sqlite,redb", "--dir"]);
        finish(command.arg(place.path("memory")).arg("--out").arg(place.out()).args(more))
    };
    assert_mistake(&run(&["--durability", "power"]), &["power", "tmpfs", "--dir"]);
    assert!(!place.out().exists());
    let said = run(&["--durability", "consistent"]);
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("'tmpfs' keeps its files in memory"), "{}", said.out);
    let out = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains("'sqlite' and 'redb' can lose everything in a power failure, but nothing"), "{out}");
    for judged in place.answer()["candidates"].as_array().unwrap() {
        assert_eq!((&judged["guarantee"]["kill"], &judged["guarantee"]["power"]), (&"0".into(), &"all".into()));
    }
    assert_eq!(entries(&place.path("memory")), [""; 0]);
}

const UNDONE: &str = r#"
title = "promises that arguments undo"
rows = 40
value_len_bytes = 20
rounds = 1
quiet_wait = "10ms"
durability = "cache"
[[candidate]]
name = "redis"
store = "redis"
durability = "aof-always"
args = ["--no-appendfsync-on-rewrite", "yes"]
[[candidate]]
name = "postgres"
store = "postgres"
args = ["-c", "full_page_writes=off"]
durability = "on"
[[candidate]]
name = "mariadb"
store = "mariadb"
durability = "flush-1"
args = ["--innodb-flush-method=nosync"]
[[candidate]]
name = "safe"
store = "sqlite"
durability = "wal-full"
[[candidate]]
name = "unsafe"
store = "sqlite"
durability = "wal-normal"
[[phase]]
operation = "load"
"#;

#[test]
fn an_argument_that_undoes_a_promise_takes_from_it_and_is_named() {
    if !here(&["redis", "postgres", "mariadb"]) {
        return;
    }
    let place = Place::new();
    let said = finish(&mut place.run(UNDONE, &[]));
    assert_eq!(said.status, 0, "{said:?}");
    let (loaded, answer) = (place.loaded(), place.answer());
    for (name, setting, power, level) in [
        ("redis", "no-appendfsync-on-rewrite", "writeback", "consistent"),
        ("postgres", "full_page_writes", "all", "kill"),
        ("mariadb", "innodb_flush_method", "all", "kill"),
    ] {
        let judged = answer["candidates"].as_array().unwrap().iter().find(|one| one["name"] == name).unwrap();
        assert_eq!(judged["guarantee"]["power"], power, "{judged}");
        let causes: Vec<&Value> =
            judged["weakened"].as_array().unwrap().iter().map(|one| &one["cause"]["name"]).collect();
        assert!(causes.iter().any(|cause| *cause == setting), "{judged}");
        let told = format!(
            "'{name}' keeps durability '{level}' instead of 'power', which its setting promises: its live store"
        );
        assert!(
            answer["cautions"].as_array().unwrap().iter().any(|one| one["text"].as_str().unwrap().starts_with(&told))
        );
    }
    // Only commits that are said to survive the loss of power are compared with the disk.
    for job in &loaded.jobs {
        assert_eq!(job.sync_probe.is_some(), job.candidate != "unsafe", "{}", job.candidate);
        assert_eq!(job.undone.is_empty(), job.candidate.contains("safe"), "{}", job.candidate);
    }
}

#[test]
fn kept_data_stays_and_is_named() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--keep", "--rounds", "1", "--stores", "sqlite"]));
    assert_eq!(said.status, 0, "{said:?}");
    let kept = entries(&place.data());
    assert_eq!(kept.len(), 1);
    assert!(said.out.contains(&format!("data       {}", place.data().join(&kept[0]).display())), "{}", said.out);
    let stored = files(&place.data()).iter().filter(|path| path.to_string_lossy().contains("job-0/data")).count();
    assert!(stored > 0, "the store's own files are there: {:?}", files(&place.data()));
}

#[test]
fn a_budget_that_fits_no_round_is_refused() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--budget", "1ms", "--stores", "sqlite,lmdb"]));
    assert_mistake(&said, &["a budget of 1ms is too short: one round at 1,000 rows takes"]);
    assert!(!place.out().exists(), "nothing was started");
}

#[test]
fn results_go_to_a_folder_of_their_own_where_nothing_is_said() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["run", &study, "--stores", "map", "--rounds", "1", "--dir"]);
    let said = finish(command.arg(place.data()));
    assert_eq!(said.status, 0, "{said:?}");
    let made = entries(&place.path("kurabe-runs"));
    assert!(made.len() == 1 && made[0].ends_with("-tiny"), "{made:?}");
    assert!(said.out.contains(&made[0]), "{}", said.out);
}
