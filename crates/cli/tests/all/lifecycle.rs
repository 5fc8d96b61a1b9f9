//! Runs that are interrupted or killed, as a whole or in part.

use std::io::Write;
use std::process::Stdio;

use crate::common::kill::{all_here, kill_trial, planned_order};
use crate::common::server::Redis;
use crate::common::{
    CLEANING, LONG, Place, Running, Said, TINY, assert_mistake, census, comes_true, finish, here, order, said, wait_for,
};
use kurabe_record::{EndStatus, JobErrorKind, JobRecord, PhaseOutcome};
use rustix::process::Signal;

#[test]
fn an_interrupted_run_reports_what_it_has_and_goes_on_later() {
    if !here(&["redis", "postgres"]) {
        return;
    }
    let place = Place::new();
    let choice = ["--stores", "sqlite,redis,postgres", "--seed", "3"];
    let planned = planned_order(&place, &choice);
    let mut run = Running::start(&mut place.run(TINY, &choice));
    run.hear_jobs(3);
    run.signal(Signal::INT);
    let said = run.finish();
    assert_eq!(said.status, 130, "{said:?}");
    assert!(said.out.contains("the run was interrupted"), "{}", said.out);
    let (_, last) = said.out.trim_end().rsplit_once("report     ").expect("where the report is");
    assert_eq!(last.matches("--resume").count(), 1, "how to go on is said once: {last}");
    let page = std::fs::read_to_string(place.out().join("report.html")).unwrap();
    assert!(page.contains("interrupted"), "the report says so");
    place.assert_nothing_is_left();
    let half = place.loaded();
    assert_eq!(half.end.as_ref().map(|end| end.status), Some(EndStatus::Interrupted));
    assert!((3..9).contains(&half.jobs.len()));
    assert_eq!(place.answer()["rounds"]["end"], "interrupted");

    let said = finish(&mut place.resume());
    assert_eq!(said.status, 0, "{said:?}");
    assert!(!said.out.contains("interrupted"), "{}", said.out);
    let whole = place.loaded();
    assert_eq!(order(&whole), planned, "the order of a run that was never interrupted");
    assert_eq!(whole.jobs[..half.jobs.len()], half.jobs[..]);
    assert_eq!(place.answer()["rounds"]["complete"], 3);
    place.assert_nothing_is_left();

    // Nothing is left to do: resuming once more changes nothing.
    let said = finish(&mut place.resume());
    assert_eq!((said.status, place.loaded().jobs), (0, whole.jobs));
}

#[test]
fn an_interrupted_run_leaves_a_server_of_the_user_as_it_was_and_asks_for_its_password_again() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("canary-PW");
    redis.ask::<()>(&["SET", "letter", "dear Anne"]);
    let keys = redis.content();
    let address = format!("redis@redis://:canary-PW@127.0.0.1:{}", redis.port);
    let stores = format!("map,{address}");
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--stores", &stores, "--rounds", "1"]));
    wait_for("rows on the server", || (redis.ask::<u64>(&["DBSIZE"]) > 500).then_some(()));
    run.signal(Signal::INT);
    let said = run.finish();
    assert_eq!(said.status, 130, "{said:?}");
    assert_eq!(redis.content(), keys);
    let before = place.loaded().jobs;

    let said = finish(&mut place.resume());
    assert_mistake(&said, &["password", "--stores"]);
    assert_eq!(place.loaded().jobs, before, "no failed job is recorded");
    let said = finish(place.resume().args(["--stores", &stores]));
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(place.loaded().jobs.len(), 2);
    assert_eq!(redis.content(), keys);
    place.assert_nothing_is_left();
}

#[test]
fn a_killed_client_leaves_a_server_of_the_user_as_it_was() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    redis.ask::<()>(&["SET", "letter", "dear Anne"]);
    let keys = redis.content();
    let address = format!("redis@redis://127.0.0.1:{}", redis.port);
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--stores", &address]));
    wait_for("rows on the server", || (redis.ask::<u64>(&["DBSIZE"]) > 500).then_some(()));
    census::signal(census::client(run.pid()).unwrap().pid, Signal::KILL);
    let said = run.finish();
    assert_eq!(said.status, 1, "{said:?}");
    assert_eq!(redis.content(), keys);
}

#[test]
fn a_run_that_goes_on_removes_what_a_killed_kurabe_left_on_a_server_of_the_user() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    redis.ask::<()>(&["SET", "letter", "dear Anne"]);
    let keys = redis.content();
    let address = format!("redis@redis://127.0.0.1:{}", redis.port);
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--stores", &address]));
    wait_for("rows on the server", || (redis.ask::<u64>(&["DBSIZE"]) > 500).then_some(()));
    run.signal(Signal::KILL);
    assert_eq!(run.finish().status, 128 + 9);
    place.assert_nothing_is_left();
    assert_ne!(redis.content(), keys, "nobody could remove them");
    let said = finish(&mut place.resume());
    assert_eq!(said.status, 0, "{said:?}");
    assert_eq!(redis.content(), keys);
}

#[test]
fn rows_that_stay_on_a_server_of_the_user_are_told() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    let address = format!("redis@redis://127.0.0.1:{}", redis.port);
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--quiet", "--stores", &address]));
    wait_for("rows on the server", || (redis.ask::<u64>(&["DBSIZE"]) > 500).then_some(()));
    drop(redis);
    let said = run.finish();
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains("could not remove what this run wrote"), "{}", said.err);
    place.assert_nothing_is_left();
}

#[test]
fn where_nothing_was_written_nothing_is_said_to_stay() {
    if !here(&["redis"]) {
        return;
    }
    let redis = Redis::start("");
    let address = format!("redis@redis://127.0.0.1:{}", redis.port);
    let place = Place::new();
    // With this seed 'map' comes first; the server is gone before its job starts.
    let study = LONG.replace("5s", "1s");
    let more = ["--seed", "1", "--stores", "map", "--stores", &address];
    let mut run = Running::start(&mut place.run(&study, &more));
    run.hear("round 1/1  map");
    drop(redis);
    let said = run.finish();
    assert_eq!(said.status, 1, "{said:?}");
    assert!(!said.err.contains("could not remove"), "{}", said.err);
    place.assert_nothing_is_left();
}

#[test]
fn an_interrupt_ends_a_long_phase_too() {
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--stores", "sqlite"]));
    in_the_long_phase(run.pid());
    run.signal(Signal::INT);
    let pid = run.pid();
    assert!(comes_true(CLEANING, || !census::is_alive(pid)), "still running after {CLEANING:?}");
    let said = run.finish();
    assert_eq!(said.status, 130, "{said:?}");
    assert_eq!(place.loaded().jobs, [], "half a job is no result");
    assert!(place.out().join("report.html").exists());
    place.assert_nothing_is_left();
}

#[test]
fn ctrl_c_typed_in_a_terminal_ends_the_run_in_good_order() {
    if std::process::Command::new("script").arg("--version").output().is_err() {
        println!("skipped: no 'script' in PATH");
        return;
    }
    let place = Place::new();
    let words = [env!("CARGO_BIN_EXE_kurabe"), "run", &place.file("long.toml", LONG), "--out", "out", "--dir", "data"];
    // `script` gives its command a terminal, and types there what it reads.
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &format!("exec {}", words.join(" ")), "/dev/null"]).current_dir(place.path(""));
    command.env(census::WORD, &place.word).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut terminal = command.spawn().unwrap();
    wait_for("a client in the long phase", || {
        let client = census::of(&place).into_iter().find(|seen| seen.cmdline.ends_with("kurabe client"))?;
        (census::cpu_ms(client.pid) >= 200).then_some(())
    });
    let mut keyboard = terminal.stdin.take().unwrap();
    keyboard.write_all(b"\x03").unwrap();
    let shown = said(terminal.wait_with_output().unwrap());
    drop(keyboard);
    assert_eq!(shown.status, 130, "{shown:?}");
    assert!(shown.out.contains("the run was interrupted") && shown.out.contains("op/s"), "{}", shown.out);
    assert!(place.out().join("report.html").exists());
    place.assert_nothing_is_left();
}

#[test]
fn a_second_run_at_the_same_time_is_warned_of_and_told_in_its_answer() {
    let place = Place::new();
    let first = Running::start(&mut place.run(&LONG.replace("5s", "10m"), &[]));
    in_the_long_phase(first.pid());
    let mut second = place.kurabe(["run", &place.file("second.toml", TINY), "--stores", "sqlite"]);
    let second = finish(second.arg("--dir").arg(place.data()).arg("--out").arg(place.path("second")));
    assert_eq!(second.status, 0, "{second:?}");
    assert!(second.err.contains("Another run of Kurabe is measuring on this machine"), "{}", second.err);
    assert!(second.out.contains("Another run of Kurabe measured on this machine during 3 of 3 jobs"), "{}", second.out);
    first.signal(Signal::INT);
    let first = first.finish();
    assert_eq!(first.status, 130, "{first:?}");
    assert!(!first.err.contains("another run"), "it was alone when it began: {}", first.err);
    place.assert_nothing_is_left();
}

#[test]
fn a_second_interrupt_ends_at_once() {
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--stores", "sqlite"]));
    in_the_long_phase(run.pid());
    // Held, so that both signals have come before it can act on the first.
    let client = census::client(run.pid()).unwrap().pid;
    census::signal(client, Signal::STOP);
    run.signal(Signal::INT);
    // Two threads may take two signals at the same moment, and then neither sees the other. Ending cleanly takes
    // much longer than this.
    std::thread::sleep(std::time::Duration::from_millis(3));
    run.signal(Signal::TERM);
    let said = run.finish();
    assert_eq!(said.status, 130, "{said:?}");
    assert!(!place.out().join("report.html").exists(), "nothing was done any more");
    place.assert_nothing_is_left();
}

#[test]
fn kurabe_killed_leaves_nothing_behind_and_the_run_can_go_on() {
    if all_here() {
        kill_trial(1);
    }
}

#[test]
fn a_killed_client_is_a_failed_row_and_the_others_go_on() {
    let place = Place::new();
    let run = Running::start(&mut place.run(LONG, &["--stores", "sqlite,map", "--seed", "1"]));
    let client = in_the_long_phase(run.pid());
    census::signal(client, Signal::KILL);
    let said = run.finish();
    let failed = one_failed(&place, &said);
    let error = failed.error.unwrap();
    assert_eq!((error.kind, error.phase.as_deref()), (JobErrorKind::Client, Some("read")));
    assert!(error.message.to_string().contains("the client was ended by signal 9 (SIGKILL)"), "{}", error.message);
    place.assert_nothing_is_left();
}

#[test]
fn a_killed_server_is_a_failed_row_with_its_log_and_the_others_go_on() {
    for (store, program) in [("redis", "redis-server"), ("postgres", "postgres")] {
        if !here(&[store]) {
            continue;
        }
        let place = Place::new();
        let run = Running::start(&mut place.run(LONG, &["--stores", &format!("{store},map")]));
        let server = wait_for("the server", || {
            let server = census::child(run.pid(), program)?;
            (census::cpu_ms(census::client(run.pid())?.pid) >= 100).then_some(server)
        });
        census::signal(server.pid, Signal::KILL);
        let said = run.finish();
        let failed = one_failed(&place, &said);
        assert_eq!(failed.candidate, store);
        let error = failed.error.unwrap();
        assert_eq!((error.kind, error.phase.as_deref()), (JobErrorKind::Service, Some("read")));
        assert!(error.message.to_string().starts_with("the service died"), "{}", error.message);
        let last_words = ["ready to accept connections", "Ready to accept connections"];
        assert!(last_words.iter().any(|words| error.message.to_string().contains(words)), "{}", error.message);
        place.assert_nothing_is_left();
    }
}

/// Waits until the client of this run has worked long enough to be in the phase that follows the load.
fn in_the_long_phase(pid: u32) -> u32 {
    wait_for("a client in the long phase", || {
        let client = census::client(pid)?;
        (census::cpu_ms(client.pid) >= 200).then_some(client.pid)
    })
}

/// The run failed in one job of two, says so, and the other job counts.
#[track_caller]
fn one_failed(place: &Place, said: &Said) -> JobRecord {
    assert_eq!(said.status, 1, "{said:?}");
    assert!(said.err.contains("failed: "), "{}", said.err);
    let jobs = place.loaded().jobs;
    let (failed, good): (Vec<_>, Vec<_>) = jobs.into_iter().partition(|job| job.error.is_some());
    assert_eq!((failed.len(), good.len()), (1, 1));
    assert!(good[0].phases.iter().all(|phase| phase.outcome == PhaseOutcome::Ran));
    assert!(said.out.contains("not counted"), "{}", said.out);
    let read = failed[0].phases.iter().find(|phase| phase.name == "read").unwrap();
    assert!(matches!(read.outcome, PhaseOutcome::Failed(_)), "{:?}", read.outcome);
    failed.into_iter().next().unwrap()
}

#[test]
fn a_terminated_run_and_one_whose_terminal_goes_end_like_an_interrupted_one() {
    for signal in [Signal::TERM, Signal::HUP] {
        let place = Place::new();
        let mut run = Running::start(&mut place.run(TINY, &["--stores", "sqlite,lmdb", "--rounds", "50"]));
        run.hear_jobs(2);
        run.signal(signal);
        if signal == Signal::HUP {
            // A terminal says it more than once: from the kernel, and from the shell.
            run.signal(signal);
        }
        let said = run.finish();
        assert_eq!(said.status, 130, "{said:?}");
        assert_eq!(place.loaded().end.map(|end| end.status), Some(EndStatus::Interrupted));
        assert!(place.out().join("report.html").exists());
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_run_that_was_started_to_outlive_its_terminal_does() {
    let place = Place::new();
    let study = place.file("long.toml", TINY);
    let script = "trap '' HUP; exec \"$0\" run \"$1\" --dir data --out out --stores sqlite,map";
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_kurabe"), &study]).current_dir(place.path(""));
    command.env(census::WORD, &place.word).env("TMPDIR", place.path("")).stdin(Stdio::null());
    let mut run = Running::start(&mut command);
    run.hear_jobs(1);
    run.signal(Signal::HUP);
    let said = run.finish();
    assert_eq!((said.status, place.loaded().jobs.len()), (0, 6), "{said:?}");
}

/// The command under a umask; as `nobody` where `user` says so, with a copy of the binary that everybody may run.
fn under_umask(place: &Place, umask: &str, as_nobody: bool, args: &[&str]) -> Said {
    let mut command = place.kurabe(std::iter::empty::<&str>());
    let program = command.get_program().to_owned();
    let mut shell = std::process::Command::new(if as_nobody { "setpriv" } else { "env" });
    if as_nobody {
        shell.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]);
    }
    let program = if as_nobody { place.public_binary().into() } else { program };
    shell.args(["sh", "-c", "umask \"$0\"; exec \"$@\"", umask]).arg(program).args(args);
    let inherited = command.stdin(Stdio::null()).get_envs();
    for (name, value) in inherited {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    shell.env("HOME", place.path("")).env("XDG_CACHE_HOME", place.path("cache"));
    said(shell.stdin(Stdio::null()).output().unwrap())
}

#[test]
fn no_umask_keeps_a_service_from_its_folders_as_root_or_as_a_user() {
    if !here(&["redis", "postgres"]) {
        return;
    }
    let is_root = rustix::process::geteuid().is_root();
    for (umask, as_nobody) in [("027", false), ("077", false), ("077", true)] {
        if as_nobody && !is_root {
            continue;
        }
        let place = Place::new();
        if as_nobody {
            place.open_to_everybody();
        }
        let (study, data, out) = (place.file("tiny.toml", TINY), place.data(), place.out());
        let (data, out) = (data.to_str().unwrap(), out.to_str().unwrap());
        let choice = ["--stores", "sqlite,redis,postgres", "--rounds", "1", "--dir", data, "--out", out];
        let said = under_umask(&place, umask, as_nobody, &[&["run", &study][..], &choice].concat());
        assert_eq!(said.status, 0, "umask {umask}, nobody: {as_nobody}: {said:?}");
        assert_eq!(place.loaded().jobs.len(), 3);
        place.assert_nothing_is_left();
    }
}

/// Files below `folder` that hold the text and that every user can read, by the modes of file and folders.
fn open_files_with(folder: &std::path::Path, text: &[u8]) -> Vec<std::path::PathBuf> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let Ok(data) = entry.metadata() else { continue };
        let mode = data.permissions().mode();
        if data.is_dir() && mode & 0o001 != 0 {
            found.extend(open_files_with(&entry.path(), text));
        } else if data.is_file() && mode & 0o004 != 0 {
            let content = std::fs::read(entry.path()).unwrap_or_default();
            if content.windows(text.len()).any(|window| window == text) {
                found.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn rows_of_a_file_stay_closed_to_other_users_while_they_are_worked_on_and_where_they_are_kept() {
    if !here(&["postgres"]) {
        return;
    }
    let place = Place::new();
    let secret = "canary-in-a-row";
    let rows: String = (0..200).map(|number| format!("k{number:04}\t{secret}-{number}\n")).collect();
    let file = place.file("own.tsv", format!("k\tv\n{rows}"));
    let study = TINY.replace("rows = 1_000\n", "").replace("value_len_bytes = 100\n", "").replace("50ms", "500ms");
    let choice = ["--data", &file, "--key", "k", "--stores", "file,sqlite,lmdb,postgres", "--rounds", "1", "--keep"];
    let mut run = Running::start(&mut place.run(&study, &choice));
    run.hear_jobs(4);
    assert_eq!(open_files_with(&place.data(), secret.as_bytes()), Vec::<std::path::PathBuf>::new());
    let said = run.finish();
    assert_eq!(said.status, 0, "{said:?}");
    let kept = std::fs::read_dir(place.data()).unwrap().filter_map(Result::ok).count();
    assert!(kept > 0, "nothing was kept: {said:?}");
    assert_eq!(open_files_with(&place.data(), secret.as_bytes()), Vec::<std::path::PathBuf>::new());
}
