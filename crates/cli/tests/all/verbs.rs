//! What a person types, right and wrong, and what the binary answers before anything is measured.

use crate::common::{Place, Said, TINY, assert_mistake, assert_refused, entries, finish, here};

/// What is said in a place of its own, where nothing is left.
pub(crate) fn say(args: &[&str]) -> Said {
    let place = Place::new();
    let said = finish(&mut place.kurabe(args));
    place.assert_nothing_is_left();
    assert_eq!(entries(&place.path("")), ["data"], "'{args:?}' left something where it was typed");
    said
}

/// A study with these flags is refused.
#[track_caller]
pub(crate) fn refused(study: impl AsRef<[u8]>, more: &[&str], words: &[&str]) {
    assert_refused(&Place::new(), study, more, words);
}

#[test]
fn no_arguments_give_a_short_help_with_the_first_command_to_try() {
    let said = say(&[]);
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert!(said.out.contains("\n\nTry first:     kurabe run quick\n"), "{}", said.out);
    assert_eq!(verbs(&said.out).len(), 10, "{}", said.out);
}

/// The verbs of a help, each at the start of a line.
fn verbs(help: &str) -> Vec<&str> {
    let lines = help.lines().filter_map(|line| line.strip_prefix("  "));
    let words = lines.filter_map(|line| line.split(' ').next());
    words.filter(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())).collect()
}

#[test]
fn help_goes_to_stdout_with_status_0() {
    for args in [&["--help"][..], &["run", "--help"], &["list", "--help"], &["dev", "wire", "--help"], &["--version"]] {
        let said = say(args);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{args:?}");
        assert!(said.out.contains("kurabe"), "{}", said.out);
    }
    let all = say(&["--help"]).out;
    let known =
        ["run", "plan", "list", "setup", "new", "show", "report", "compare", "claims", "serve", "doctor", "dev"];
    assert_eq!(verbs(&all), known, "{all}");
    assert_eq!(verbs(&say(&["dev", "--help"]).out), ["wire", "selftest", "generate"]);
}

#[test]
fn a_verb_or_flag_that_nobody_knows_is_a_mistake() {
    assert_mistake(&say(&["rum", "quick"]), &["'rum'", "'run'"]);
    assert_mistake(&say(&["run", "quick", "--round", "3"]), &["--round", "--rounds"]);
    assert_mistake(&say(&["run"]), &["no study is named", "web ", "quick "]);
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
    assert_mistake(&say(&["list", "studies", "quik"]), &["unknown study 'quik'", "'quick'"]);
    assert_mistake(&say(&["list", "stores", "lmbd"]), &["unknown store 'lmbd'", "'lmdb'"]);
    assert_mistake(&say(&["list", "clients", "jwm"]), &["unknown client 'jwm'", "'jvm'"]);
    assert_mistake(&say(&["list", "apps", "nginz"]), &["unknown app 'nginz'", "'nginx'"]);
    assert_mistake(&say(&["list", "store"]), &["'store'", "Did you mean 'stores'?"]);
    assert_mistake(&say(&["list", "lmbd"]), &["'lmbd'", "Did you mean 'lmdb'?"]);
    assert_mistake(&say(&["list", "nothing-of-the-kind"]), &["'nothing-of-the-kind'", "'kurabe list' names all"]);
    assert_mistake(&say(&["list", "store", "lmdb"]), &["unknown kind 'store'", "'stores'"]);
    assert_mistake(&say(&["dev", "wire", "quick", "sqlit"]), &["'sqlit'", "'sqlite'"]);
}

#[test]
fn flags_that_make_no_sense_say_what_would() {
    refused(TINY, &["--stores", "sqlite,sqlite"], &["candidate 'sqlite' appears twice"]);
    refused(TINY, &["--stores", ","], &["'kurabe list stores'"]);
    refused(TINY, &["--rounds", "0"], &["rounds must be from 1"]);
    refused(TINY, &["--rounds", "-1"], &["'-1'", "from 1 to 1000"]);
    refused(TINY, &["--rows", "0"], &["rows must be from 1"]);
    refused(TINY, &["--rows", "-1"], &["--rows: invalid value '-1'", "10k"]);
    refused(TINY, &["--sizes", "-1"], &["--sizes: invalid value '-1'", "10k"]);
    refused(TINY, &["--seed", "-1"], &["'-1'", "expected a number from 0"]);
    refused(TINY, &["--budget", "soon"], &["--budget", "invalid value 'soon'", "5m"]);
    refused(TINY, &["--stores", "sqlite@sqlite://127.0.0.1"], &["not a server"]);
}

#[test]
fn a_bad_study_file_is_told_with_its_place() {
    refused(format!("{TINY}duratoin = \"1s\"\n"), &[], &["'duratoin'", "'duration'", "line 20, column 1"]);
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
    for address in [
        "redis@redis://me:canary-PW@example.org",
        "redis@me:canary-PW",
        "redis@redis://:canary-PW@127.0.0.1:1",
        "sqlite,redis@redis://u:123,canary-PW@127.0.0.1:1",
        "redis@redis://127.0.0.1:1/?password=x,canary-PW",
        "redis@redis://u:1,sqlite,canary-PW@127.0.0.1:1",
        "redis@redis://u:1/canary-PW@127.0.0.1:1",
        "redis://u:canary-PW@127.0.0.1:1",
    ] {
        let mut command = place.kurabe(["run", &study, "--stores", address]);
        let said = finish(command.arg("--out").arg(place.out()).arg("--dir").arg(place.data()));
        assert_eq!(said.status, 2, "{said:?}");
        assert!(!said.err.contains("canary-PW"), "{}", said.err);
    }
    place.assert_nothing_is_left();
}

#[test]
fn completions_and_the_man_page_know_every_verb() {
    for what in ["bash", "zsh", "fish", "man"] {
        let said = say(&["dev", "generate", what]);
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{what}");
        for word in ["run", "list", "claims", "need", "durability", "selftest"] {
            // The man page names verbs in capitals.
            assert!(said.out.to_lowercase().contains(word), "'{word}' is missing in {what}");
        }
        assert!(what != "zsh" || said.out.contains(":en|ja:(en ja)"), "zsh offers the languages");
        assert!(!said.out.contains("guardian"), "what the harness starts is nobody else's: {what}");
    }
    assert_mistake(&say(&["dev", "generate", "basch"]), &["basch", "bash"]);
}

#[test]
fn a_verb_that_has_another_name_now_is_a_mistake_that_names_it() {
    for (old, new) in [("stores", "list stores"), ("stacks", "list apps"), ("wire", "dev wire")] {
        assert_mistake(&say(&[old, "redis"]), &[&format!("'{old}'"), &format!("Use: kurabe {new}")]);
    }
}

#[test]
fn doctor_tells_the_machine_and_the_disk() {
    let place = Place::new();
    let said = finish(place.kurabe(["doctor", "--dir"]).arg(place.data()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for word in ["processor", "memory", "kernel", "file system", "fdatasync", "flushes", "durability power"] {
        assert!(said.out.contains(word), "'{word}' is missing in: {}", said.out);
    }
    let said = finish(place.kurabe(["doctor", "--json", "--dir"]).arg(place.data()));
    let json: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert!(json["machine"]["cores"].as_u64().unwrap() > 0);
    assert!(json["device"]["fdatasync_ns_p50"].as_u64().unwrap() > 0);
    let said = finish(&mut place.kurabe(["doctor", "--dir", "./nowhere"]));
    assert_mistake(&said, &["./nowhere", "--dir"]);
}

#[test]
fn a_plan_shows_candidates_order_time_and_disk_and_starts_nothing() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let said = finish(place.kurabe(["plan", &study, "--seed", "7", "--budget", "5m", "--dir"]).arg(place.data()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    for word in
        ["1,000 rows of 100 bytes", "store     sqlite: consistent", "can lose:", "phase     read", "15 jobs", "5m"]
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
fn a_plan_tells_shares_of_a_mix_that_are_weights() {
    let shown = |mix: &str| {
        let place = Place::new();
        let study = format!("{TINY}[[phase]]\noperation = \"mix\"\nmix = {{ {mix} }}\ncount = 10\n");
        let said = finish(place.kurabe(["plan", &place.file("mix.toml", study), "--dir"]).arg(place.data()));
        said.out.split_whitespace().collect::<Vec<&str>>().join(" ")
    };
    let text = shown("read = 70, insert = 40");
    assert!(text.contains("(weights that add up to 110: 36.4 % insert"), "{text}");
    assert!(!shown("read = 70, insert = 30").contains("weights"));
}

#[test]
fn a_plan_refuses_what_cannot_fit() {
    refused_by_plan(&["--rows", "4000000000"], &["4,000,000,000 rows", "GiB", "--rows"]);
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
        assert_mistake(&finish(place.kurabe(verb).arg(place.data())), &["has no run.json"]);
    }
}

#[test]
fn every_verb_takes_a_run_by_its_folder_by_its_name_or_the_newest() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["run", &study, "--quiet", "--rounds", "2", "--stores", "sqlite,lmdb", "--dir"]);
    assert_eq!(finish(command.arg(place.data())).status, 0);
    let [name] = entries(&place.path("kurabe-runs")).try_into().expect("one run");
    let folder = format!("kurabe-runs/{name}");
    let say = |verb: &str, runs: &[&str]| finish(place.kurabe([verb]).args(runs));
    for runs in [&[][..], &[name.as_str()], &[folder.as_str()]] {
        assert!(say("show", runs).out.contains("sqlite"), "show {runs:?}");
        assert_eq!(say("report", runs).out, format!("{folder}/report.html\n"), "report {runs:?}");
        assert_mistake(&say("claims", runs), &[&folder, "has no claims"]);
    }
    assert!(say("compare", &[&name, &folder]).out.contains("copy of run 1"));
    assert_eq!(say("report", &[&name, &name]).out, format!("{folder}/compare.html\n"));
    for verb in ["show", "claims", "report"] {
        assert_mistake(&say(verb, &["tiny"]), &["there is no run 'tiny'", &format!("'{name}'")]);
    }
    assert_mistake(&say("compare", &[&name, "tiny"]), &["there is no run 'tiny'", &format!("'{name}'")]);
    assert_mistake(&say("compare", &[&name]), &["<RUN> <RUN>"]);
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
    let shown = finish(place.kurabe(["show", "--full"]).arg(place.out()));
    assert_eq!((shown.status, shown.err.as_str()), (0, ""));
    assert!(shown.out.contains("sqlite") && shown.out.contains("op/s"), "{}", shown.out);
    let short = finish(place.kurabe(["show"]).arg(place.out())).out;
    assert!(short.lines().count() < shown.out.lines().count() && !short.contains("op/s"), "{short}");
    let again = place.path("again.html");
    let said = finish(place.kurabe(["report"]).arg(place.out()).arg("--out").arg(&again));
    assert_eq!((said.status, said.out.trim()), (0, again.to_str().unwrap()));
    let pages = [again, place.out().join("report.html")].map(|path| std::fs::read_to_string(path).unwrap());
    assert!(pages[0] == pages[1], "the page is the same every time");
    let said = finish(place.kurabe(["report"]).arg(place.out()).args(["--out", "nowhere/page.html"]));
    assert_mistake(&said, &["'nowhere/page.html'", "in a folder that exists"]);
}

#[test]
fn an_answer_goes_into_a_document_and_several_runs_onto_one_page() {
    let place = Place::new();
    let said = finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb"]));
    assert_eq!(said.status, 0, "{said:?}");
    let report = |more: &[&str]| finish(place.kurabe(["report"]).arg(place.out()).args(more));
    let document =
        place.file("README.md", "before\n<!-- kurabe:result -->\nformerly\n<!-- /kurabe:result -->\nafter\n");
    assert_eq!(report(&["--splice", &document]).status, 0);
    let spliced = std::fs::read_to_string(&document).unwrap();
    assert!(spliced.starts_with("before\n<!-- kurabe:result -->\n**Does everything work?**"), "{spliced}");
    assert!(spliced.ends_with("<!-- /kurabe:result -->\nafter\n") && !spliced.contains("formerly"), "{spliced}");
    assert_eq!(report(&["--splice", &document, "--language", "ja"]).status, 0);
    assert!(std::fs::read_to_string(&document).unwrap().contains("ストア"));
    assert_eq!(report(&["--splice", &document, "--language", "ja", "--tables"]).status, 0);
    assert!(std::fs::read_to_string(&document).unwrap().contains("候補"));
    let bare = place.file("bare.md", "no marks\n");
    assert_mistake(&report(&["--splice", &bare]), &["bare.md", "put the lines '<!-- kurabe:result -->'"]);
    assert_eq!(std::fs::read_to_string(&bare).unwrap(), "no marks\n");
    assert_mistake(&report(&["--splice", "nowhere.md"]), &["'nowhere.md'", "No such file"]);
    let out = place.out().display().to_string();
    assert_mistake(&report(&[&out, "--splice", &document]), &["--splice takes one run"]);
    assert_eq!(report(&[&out]).out.trim(), place.out().join("compare.html").to_str().unwrap());
    let page = std::fs::read_to_string(place.out().join("compare.html")).unwrap();
    assert!(page.contains("no difference in any of 6 figures detected"), "a run against itself");
    assert!(page.contains("Run 2 is a copy of run 1"), "{page}");
}

#[test]
fn runs_of_other_machines_can_be_refused_and_what_is_no_file_always_is() {
    let place = Place::new();
    finish(&mut place.run(TINY, &["--stores", "sqlite,lmdb"]));
    let other = place.path("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::copy(place.out().join("jobs.jsonl"), other.join("jobs.jsonl")).unwrap();
    let run = std::fs::read_to_string(place.out().join("run.json")).unwrap();
    let mut run: serde_json::Value = serde_json::from_str(&run).unwrap();
    (run["machine"]["usable_cores"], run["id"]) = (1_000.into(), "another".into());
    std::fs::write(other.join("run.json"), run.to_string()).unwrap();
    let compare =
        |other: &std::path::Path| finish(place.kurabe(["compare", "--same-machine"]).arg(place.out()).arg(other));
    let said = compare(&other);
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    assert!(said.err.contains("made on another machine") && said.err.contains("'1000' in run 2"), "{}", said.err);
    assert_eq!(compare(&place.out()).status, 0);
    let csv = finish(place.kurabe(["show", "--csv", "--bom"]).arg(place.out())).out;
    assert!(csv.starts_with("\u{feff}run,study,"), "{csv}");
    let folder = place.path("zero");
    std::fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("run.json")).unwrap();
    assert_mistake(&finish(place.kurabe(["show"]).arg(&folder)), &["it is a device, not a file"]);
    assert_mistake(&finish(&mut place.kurabe(["plan", "/dev/zero"])), &["it is a device, not a file"]);
    let said = finish(place.kurabe(["report"]).arg(place.out()).args(["--splice", "/dev/zero"]));
    assert_mistake(&said, &["it is a device, not a file"]);
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
    for args in [&["list"][..], &["list", "stores"], &["list", "quick"], &["plan", "quick"], &[], &["doctor"]] {
        let said = finish(place.kurabe(args).stdout(closed()));
        assert_eq!((said.status, said.err.as_str()), (0, ""), "{args:?}");
    }
    // `2>&1 | head -1`: the run goes on to its end without its reader.
    let mut command = place.run(TINY, &["--stores", "sqlite", "--rounds", "1"]);
    let said = finish(command.stdout(closed()).stderr(closed()));
    assert_eq!(said.status, 0);
    assert!(place.out().join("report.html").exists());
    assert_eq!(place.kurabe(["list", "lmbd"]).stderr(closed()).status().unwrap().code(), Some(2));
}

#[test]
fn wire_takes_one_candidate() {
    assert_mistake(&say(&["dev", "wire", "quick", "map,sqlite"]), &["expected one candidate, got 2"]);
}

#[test]
fn a_server_in_wire_needs_an_address() {
    if here(&["redis"]) {
        assert_mistake(&say(&["dev", "wire", "quick", "redis"]), &["redis@URL"]);
    }
}

#[test]
fn the_study_that_new_writes_runs_and_is_never_overwritten() {
    let place = Place::new();
    let said = finish(&mut place.kurabe(["new", "my.toml"]));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_mistake(&finish(&mut place.kurabe(["new", "my.toml"])), &["'my.toml'", "exists already"]);
    assert_mistake(&finish(&mut place.kurabe(["new", "my"])), &["'my'", ".toml"]);
    assert_mistake(
        &finish(&mut place.kurabe(["new", "nowhere/my.toml"])),
        &["'nowhere/my.toml'", "in a folder that exists"],
    );
    let mut run = place.kurabe(["run", "my.toml", "--quiet", "--rounds", "1", "--rows", "1000"]);
    let said = finish(run.arg("--dir").arg(place.data()).arg("--out").arg(place.out()));
    assert_eq!((said.status, said.err.as_str()), (0, ""));
    assert_eq!(place.loaded().run.candidates.len(), 4);
}

/// Every key that is commented out is one that a study may hold.
#[test]
fn what_new_has_commented_out_can_be_commented_in() {
    let place = Place::new();
    finish(&mut place.kurabe(["new", "my.toml"]));
    // One size excludes several.
    let text = std::fs::read_to_string(place.path("my.toml")).unwrap().replacen("\nrows = 10_000\n", "\n", 1);
    let is_toml = |line: &str| line.starts_with("[[") || line.contains(" = ");
    // Programs want a study in which nothing but the load writes.
    let text = text.split("# Whole programs").next().expect("a text");
    let full: Vec<String> = text
        .lines()
        .map(|line| match line.strip_prefix("# ") {
            Some(rest) if is_toml(rest) => rest.to_string(),
            _ => line.to_string(),
        })
        // These exclude what else is there.
        .filter(|line| {
            !["value_len_bytes", "key =", "variant =", "args =", "binary =", "output =", "url =", "depth =", "passes ="]
                .iter()
                .any(|key| line.starts_with(key))
        })
        .collect();
    let full = place.file("full.toml", full.join("\n"));
    let said = finish(place.kurabe(["plan", &full]).arg("--dir").arg(place.data()));
    assert_eq!(said.status, 0, "{said:?}");
    assert!(said.out.contains("sqlite, big cache"), "{}", said.out);
}

#[test]
fn all_takes_every_store_that_is_here_and_names_the_rest() {
    let place = Place::new();
    let study = place.file("tiny.toml", TINY);
    let mut command = place.kurabe(["plan", &study, "--all", "--dir"]);
    let said = finish(command.arg(place.data()).env("PATH", "/nonexistent"));
    assert_eq!(said.status, 0, "{said:?}");
    for word in ["store     echo", "store     sqlite", "redis is left out"] {
        assert!(said.out.contains(word), "'{word}' is missing in: {}", said.out);
    }
    refused(TINY, &["--all", "--stores", "sqlite"], &["--all", "--stores"]);
}

#[test]
fn setup_says_what_it_would_do_and_does_nothing_unasked() {
    assert_mistake(&say(&["setup", "sqlit"]), &["'sqlit'", "'sqlite'"]);
    assert_mistake(&say(&["setup"]), &["<STORE>"]);
    let said = say(&["setup", "sqlite"]);
    assert_eq!((said.status, said.out.as_str(), said.err.as_str()), (0, "sqlite is here\n", ""));
    let place = Place::new();
    // Only a shell and an apt-get that writes down how it was called are in PATH.
    let bin = place.path("bin");
    std::fs::create_dir(&bin).unwrap();
    let without = finish(place.kurabe(["setup", "redis"]).env("PATH", &bin));
    assert_eq!(without.status, 1, "{without:?}");
    assert!(without.out.contains("by hand: https://redis.io"), "{without:?}");
    let debian = std::fs::read_to_string("/etc/os-release").is_ok_and(|text| text.contains("debian"));
    if !debian || !rustix::process::geteuid().is_root() {
        return;
    }
    let script = format!("#!/bin/sh\necho \"$DEBIAN_FRONTEND $*\" >> {}\n", place.path("log").display());
    let apt = bin.join("apt-get");
    std::fs::write(&apt, script).unwrap();
    std::fs::set_permissions(&apt, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    for program in ["sh", "env"] {
        std::os::unix::fs::symlink(format!("/usr/bin/{program}"), bin.join(program)).unwrap();
    }
    let asked = finish(place.kurabe(["setup", "redis"]).env("PATH", &bin));
    assert_eq!(asked.status, 2, "{asked:?}");
    assert!(asked.out.contains("apt-get update") && asked.out.contains("redis-server"), "{asked:?}");
    assert!(asked.err.contains("--yes") && !place.path("log").exists(), "{asked:?}");
    let done = finish(place.kurabe(["setup", "redis", "--yes"]).env("PATH", &bin));
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.out.contains("redis is still missing"), "{done:?}");
    let log = std::fs::read_to_string(place.path("log")).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "noninteractive update -qq");
    assert!(lines[1].starts_with("noninteractive install -y") && lines[1].ends_with("redis-server"), "{log}");
    place.assert_nothing_is_left();
}

/// Runs the script of a store with a program of our own in the place of the one that fetches, and looks what it left.
fn fetch_with(store: &str, fetcher: &str, script: &str) -> (std::process::Output, Vec<std::path::PathBuf>) {
    let place = Place::new();
    let (bin, cache) = (place.path("bin"), place.path("cache"));
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join(fetcher), format!("#!/bin/sh\nset -eu\n{script}\n")).unwrap();
    std::fs::set_permissions(bin.join(fetcher), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let setup = format!("{}/../../stores/{store}/setup.sh", env!("CARGO_MANIFEST_DIR"));
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let done = std::process::Command::new("sh").arg(setup).arg(&cache).env("PATH", path).output().unwrap();
    let mut left = Vec::new();
    let mut folders = vec![cache];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() { folders.push(path) } else { left.push(path) }
        }
    }
    (done, left)
}

#[test]
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn a_fetch_that_brings_something_else_or_breaks_off_leaves_nothing() {
    // Where Maven puts what it copied.
    let into = "for word; do case $word in -DoutputDirectory=*) cd_to=${word#*=}; mkdir -p \"$cd_to\"; cd \"$cd_to\";; esac; done";
    for store in ["duckdb", "mysql", "rocksdb"] {
        let (other, left) = fetch_with(store, "mvn", &format!("{into}\necho something else > the.jar"));
        let said = String::from_utf8_lossy(&other.stderr);
        assert!(!other.status.success() && said.contains("sha256"), "{store}: {other:?}");
        assert_eq!(left, Vec::<std::path::PathBuf>::new(), "{store}");
        let (half, left) = fetch_with(store, "mvn", &format!("{into}\necho half > the.jar\nexit 3"));
        assert!(!half.status.success(), "{store}: {half:?}");
        assert_eq!(left, Vec::<std::path::PathBuf>::new(), "{store}");
    }
}
