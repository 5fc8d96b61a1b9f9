//! What a person types, right and wrong, and what the binary answers before anything is measured.

mod common;

use common::{Place, Said, TINY, assert_mistake, entries, finish, here};

fn say(args: &[&str]) -> Said {
    let place = Place::new();
    let said = finish(&mut place.kurabe(args));
    place.assert_nothing_is_left();
    assert_eq!(entries(&place.path("")), ["data"], "'{args:?}' left something where it was typed");
    said
}

/// `run` of a study with these flags is a mistake, and nothing was made for it.
#[track_caller]
fn refused(study: impl AsRef<[u8]>, more: &[&str], words: &[&str]) {
    let place = Place::new();
    let path = place.file("mine.toml", study);
    for verb in ["run", "plan"] {
        let mut command = place.kurabe([verb, &path]);
        command.arg("--dir").arg(place.data().join("new")).args(more);
        if verb == "run" {
            command.arg("--out").arg(place.out());
        }
        assert_mistake(&finish(&mut command), words);
        assert!(!place.out().exists() && !place.data().join("new").exists(), "'{verb}' made a folder");
    }
    place.assert_nothing_is_left();
}

#[test]
fn no_arguments_give_a_short_help_with_the_first_command_to_try() {
    let said = say(&[]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("kurabe run quick") && said.out.lines().count() < 10, "{}", said.out);
}

#[test]
fn help_goes_to_stdout_with_status_0() {
    for args in [&["--help"][..], &["run", "--help"], &["stores", "--help"], &["--version"]] {
        let said = say(args);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{args:?}");
        assert!(said.out.contains("kurabe"), "{}", said.out);
    }
    let all = say(&["--help"]).out;
    for verb in ["run", "plan", "stores", "studies", "clients", "doctor", "show", "report", "wire", "selftest"] {
        assert!(all.contains(&format!("\n  {verb} ")), "'{verb}' is missing in: {all}");
    }
}

#[test]
fn a_verb_or_flag_that_nobody_knows_is_a_mistake() {
    assert_mistake(&say(&["rum", "quick"]), &["'rum'", "'run'"]);
    assert_mistake(&say(&["run", "quick", "--round", "3"]), &["--round", "--rounds"]);
    assert_mistake(&say(&["run"]), &["<STUDY>"]);
    assert_mistake(&say(&["run", "quick", "--rounds", "many"]), &["'many'", "--rounds"]);
    assert_mistake(&say(&["run", "quick", "--resume", "x"]), &["--resume"]);
}

#[test]
fn a_name_that_nobody_knows_is_named_with_the_nearest() {
    refused(TINY, &["--stores", "sqlit"], &["'sqlit'", "did you mean 'sqlite'?"]);
    refused(TINY, &["--stores", "sqlite,redis+pythn"], &["'redis+pythn'", "'redis+python'"]);
    refused(TINY, &["--stores", "sqlite:wal"], &["'sqlite:wal'"]);
    refused(TINY, &["--durability", "pwer"], &["'pwer'", "'power'"]);
    assert_mistake(&say(&["run", "quik"]), &["unknown study 'quik'", "'quick'"]);
    assert_mistake(&say(&["plan", "quik"]), &["unknown study 'quik'", "'quick'"]);
    assert_mistake(&say(&["studies", "quik"]), &["unknown study 'quik'", "'quick'"]);
    assert_mistake(&say(&["stores", "lmbd"]), &["unknown store 'lmbd'", "'lmdb'"]);
    assert_mistake(&say(&["wire", "quick", "sqlit"]), &["'sqlit'", "'sqlite'"]);
}

#[test]
fn flags_that_make_no_sense_say_what_would() {
    refused(TINY, &["--stores", "sqlite,sqlite"], &["'sqlite' is named twice"]);
    refused(TINY, &["--stores", ","], &["kurabe stores"]);
    refused(TINY, &["--rounds", "0"], &["rounds must be from 1"]);
    refused(TINY, &["--rows", "0"], &["rows must be from 1"]);
    refused(TINY, &["--budget", "soon"], &["--budget", "'soon' is no duration", "5m"]);
    refused(TINY, &["--stores", "sqlite@sqlite://127.0.0.1"], &["no server"]);
}

#[test]
fn a_bad_study_file_is_told_with_its_place() {
    refused(format!("{TINY}duratoin = \"1s\"\n"), &[], &["'duratoin'", "'duration'", "line 19, column 1"]);
    refused(TINY.replace("1_000", "\"many\""), &[], &["mine.toml", "line 3, column 8"]);
    refused(TINY.replace("rows = 1_000", ""), &[], &["mine.toml", "rows"]);
    refused(
        TINY.replace("operation = \"load\"\ncommit_every = 100", "operation = \"scan\"\ncount = 1"),
        &[],
        &["load"],
    );
    refused(TINY.replace("rounds = 3", "rounds = "), &[], &["mine.toml", "line 5"]);
    refused("", &[], &["mine.toml"]);
    refused([0xff, 0xfe, 0, 1, 2], &[], &["mine.toml"]);
}

#[test]
fn a_study_that_is_no_file_is_told_by_its_path() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder.toml")).unwrap();
    assert_mistake(&finish(&mut place.kurabe(["run", "folder.toml"])), &["'folder.toml'"]);
    assert_mistake(&finish(&mut place.kurabe(["run", "./missing.toml"])), &["'./missing.toml'"]);
}

#[test]
fn a_missing_store_asked_for_by_name_is_refused_with_the_command_that_gets_it() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["run", &study, "--stores", "sqlite,redis"]);
    command.env("PATH", "/nonexistent").arg("--out").arg(place.out()).arg("--dir").arg(place.data());
    assert_mistake(&finish(&mut command), &["'redis'", "redis-server", "apt-get install"]);
    assert!(!place.out().exists());
    place.assert_nothing_is_left();
}

#[test]
fn a_missing_store_of_a_studys_own_list_is_left_out_and_said() {
    let place = Place::new();
    let study = TINY.replace("\"file\", ", "\"redis\", ");
    let said = finish(place.run(&study, &["--rounds", "1"]).env("PATH", "/nonexistent"));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.err.contains("redis is left out") && said.err.contains("apt-get install"), "{}", said.err);
    assert!(said.out.contains("'redis' did not take part"), "{}", said.out);
    assert_eq!(place.loaded().jobs.len(), 4);
}

#[test]
fn load_does_not_go_to_another_machine_unasked() {
    refused(TINY, &["--stores", "redis@redis://192.0.2.1:6379"], &["192.0.2.1", "--allow-remote"]);
    refused(TINY, &["--stores", "redis@redis://[2001:db8::1]:6379"], &["2001:db8::1", "--allow-remote"]);
    refused(TINY, &["--stores", "redis@redis://me:canary-PW@example.org"], &["example.org", "--allow-remote"]);
}

#[test]
fn a_password_in_an_address_is_in_no_message() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    for address in
        ["redis@redis://me:canary-PW@example.org", "redis@me:canary-PW", "redis@redis://:canary-PW@127.0.0.1:1"]
    {
        let mut command = place.kurabe(["run", &study, "--stores", address]);
        let said = finish(command.arg("--out").arg(place.out()).arg("--dir").arg(place.data()));
        assert_eq!(said.status, 2, "{said:?}");
        assert!(!said.err.contains("canary-PW"), "{}", said.err);
    }
    place.assert_nothing_is_left();
}

#[test]
fn stores_tell_what_is_here_and_each_tells_what_it_promises() {
    let said = say(&["stores"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for store in ["echo", "map", "file", "sqlite", "lmdb", "redis", "postgres"] {
        assert!(said.out.lines().any(|line| line.trim_start().starts_with(store)), "'{store}' in {}", said.out);
    }
    let one = say(&["stores", "redis"]).out;
    for word in ["licence", "aof-always (power)", "can lose: nothing that was answered", "as shipped", "source: https"]
    {
        assert!(one.contains(word), "'{word}' is missing in: {one}");
    }
    assert!(say(&["stores", "postgres"]).out.contains("never chosen by Kurabe"));
}

#[test]
fn a_missing_store_is_listed_with_the_command_that_gets_it() {
    let place = Place::new();
    let said = finish(place.kurabe(["stores"]).env("PATH", "/nonexistent").env("COLUMNS", "200"));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("missing; apt-get install"), "{}", said.out);
}

#[test]
fn studies_are_listed_and_printed_as_files_that_run() {
    let said = say(&["studies"]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("quick "), "{}", said.out);
    let place = Place::new();
    let mine = place.file("mine.toml", say(&["studies", "quick"]).out);
    let said = finish(place.kurabe(["plan", &mine]).arg("--dir").arg(place.data()));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.starts_with("mine: "), "{}", said.out);
}

#[test]
fn clients_tell_what_each_needs() {
    let place = Place::new();
    let said = finish(place.kurabe(["clients"]).env("KURABE_PYTHON", "/nonexistent/python3"));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("rust") && said.out.contains("built in"), "{}", said.out);
    assert!(said.out.contains("missing: the python client cannot start"), "{}", said.out);
}

#[test]
fn doctor_tells_the_machine_and_the_disk() {
    let place = Place::new();
    let said = finish(place.kurabe(["doctor", "--dir"]).arg(place.data()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for word in ["processor", "memory", "kernel", "file system", "fdatasync", "power class"] {
        assert!(said.out.contains(word), "'{word}' is missing in: {}", said.out);
    }
    let said = finish(place.kurabe(["doctor", "--json", "--dir"]).arg(place.data()));
    let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(json["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(json["device"]["fdatasync_ns_p50"].as_u64().unwrap() > 0);
    let said = finish(&mut place.kurabe(["doctor", "--dir", "./nowhere"]));
    assert_ne!(said.status, 0);
    assert!(said.err.contains("'./nowhere'"), "{}", said.err);
}

#[test]
fn a_plan_shows_candidates_order_time_and_disk_and_starts_nothing() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let said = finish(place.kurabe(["plan", &study, "--seed", "7", "--budget", "5m", "--dir"]).arg(place.data()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for word in ["1000 rows of 100 bytes", "candidate sqlite: process", "can lose:", "phase     read", "15 jobs", "5m"]
    {
        assert!(said.out.contains(word), "'{word}' is missing in: {}", said.out);
    }
    for round in 1..=3 {
        let line = said.out.lines().find(|line| line.starts_with(&format!("round {round}"))).unwrap();
        assert!(["echo", "map", "file", "sqlite", "lmdb"].iter().all(|name| line.contains(name)), "{line}");
    }
    assert!(!place.out().exists() && !place.path("kurabe-runs").exists());
    place.assert_nothing_is_left();
}

#[test]
fn a_plan_refuses_what_cannot_fit() {
    refused_by_plan(&["--rows", "4000000000"], &["4000000000 rows", "MiB", "--rows"]);
}

#[track_caller]
fn refused_by_plan(more: &[&str], words: &[&str]) {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["plan", &study]);
    assert_mistake(&finish(command.arg("--dir").arg(place.data()).args(more)), words);
}

#[test]
fn a_folder_that_is_no_run_is_told() {
    let place = Place::new();
    for verb in [&["show"][..], &["report"], &["run", "--resume"]] {
        assert_mistake(&finish(place.kurabe(verb).arg("nowhere")), &["'nowhere'", "does not exist"]);
        assert_mistake(&finish(place.kurabe(verb).arg(place.data())), &["holds no run.json"]);
    }
}

#[test]
fn quiet_says_nothing_on_stderr_and_plain_lines_need_no_terminal() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--quiet", "--rounds", "1", "--stores", "sqlite"]));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--rounds", "1", "--stores", "sqlite"]));
    assert!(said.err.contains("1 of 1: round 1/1  sqlite"), "{}", said.err);
    assert!(!said.err.contains('\u{1b}') && !said.out.contains('\u{1b}'), "{said:?}");
}

#[test]
fn a_run_can_be_shown_and_reported_again() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb", "--json"]));
    assert_eq!(said.status, 0, "{said:?}");
    let printed: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(printed, place.answer(), "show computes the same answer from the records");
    let shown = finish(place.kurabe(["show"]).arg(place.out()));
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    assert!(shown.out.contains("sqlite") && shown.out.contains("op/s"), "{}", shown.out);
    let again = place.path("again.html");
    let said = finish(place.kurabe(["report"]).arg(place.out()).arg("--out").arg(&again));
    assert_eq!((said.status, said.out.trim()), (0, again.to_str().unwrap()));
    let pages = [again, place.out().join("report.html")].map(|path| std::fs::read_to_string(path).unwrap());
    assert!(pages[0] == pages[1], "the page is the same every time");
    let said = finish(place.kurabe(["report"]).arg(place.out()).args(["--out", "nowhere/page.html"]));
    assert_eq!(said.status, 1);
    assert!(said.err.contains("'nowhere/page.html'"), "{}", said.err);
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let place = Place::new();
    finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb"]));
    // `script` gives its command a terminal.
    if std::process::Command::new("script").arg("--version").output().is_err() {
        println!("skipped: no 'script' in PATH");
        return;
    }
    let shown = |no_color: &str| {
        let line = format!("exec {} show {}", env!("CARGO_BIN_EXE_kurabe"), place.out().display());
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env("NO_COLOR", no_color).stdin(std::process::Stdio::null());
        finish(&mut command).out
    };
    assert!(shown("").contains('\u{1b}'), "an empty NO_COLOR does not count, so there are colours");
    let plain = shown("1");
    assert!(plain.contains("sqlite") && !plain.contains('\u{1b}'), "{plain:?}");
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let place = Place::new();
    let closed = || {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        writer
    };
    for args in [&["stores"][..], &["studies", "quick"], &["plan", "quick"], &[], &["doctor"]] {
        let said = finish(place.kurabe(args).stdout(closed()));
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{args:?}");
    }
    // `2>&1 | head -1`: the run goes on to its end without its reader.
    let mut command = place.run(TINY, &["--stores", "sqlite", "--rounds", "1"]);
    let said = finish(command.stdout(closed()).stderr(closed()));
    assert_eq!(said.status, 0);
    assert!(place.out().join("report.html").exists());
    assert_eq!(place.kurabe(["stores", "lmbd"]).stderr(closed()).status().unwrap().code(), Some(2));
}

#[test]
fn a_server_in_wire_needs_an_address() {
    if here(&["redis"]) {
        assert_mistake(&say(&["wire", "quick", "redis"]), &["redis@URL"]);
    }
}
