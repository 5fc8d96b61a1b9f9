//! Load tools as clients: measured in the rounds of the others, never ranked, and believed in nothing that they do not
//! tell.

use serde_json::Value;

use crate::common::board::Board;
use crate::common::{Place, Said, assert_mistake, fake_server, finish, here};

/// Phases that wrk, ab and siege can do of a service, and one that they cannot.
const HTTP: &str = r#"
title = "Do load tools agree?"
rows = 100
value_len_bytes = 100
rounds = 3
baselines = []
stores = ["sqlite/serve"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
[[phase]]
operation = "read"
distribution = "one"
connections = 4
warmup = "10ms"
duration = "1s"
deciding = true
"#;

/// Of everything a little, of which each tool can do something.
const MANY: &str = r#"
title = "What can load tools do?"
rows = 100
value_len_bytes = 100
rounds = 1
baselines = []
stores = ["map/serve"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
[[phase]]
operation = "read"
distribution = "uniform"
connections = 4
duration = "1s"
deciding = true
[[phase]]
name = "each"
operation = "read"
distribution = "one"
connections = 4
connect = "each"
duration = "1s"
[[phase]]
operation = "latest"
latest_rows = 10
connections = 4
duration = "1s"
[[phase]]
operation = "update"
distribution = "uniform"
connections = 4
duration = "1s"
[[phase]]
name = "counted"
operation = "read"
distribution = "one"
count = 100
"#;

fn run(place: &Place, study: &str, stores: &[&str]) -> Said {
    place.open_to_everybody();
    let stores: Vec<&str> = stores.iter().flat_map(|one| ["--stores", one]).collect();
    finish(&mut place.run(study, &stores))
}

/// The row of a candidate in a phase of an answer.
fn row<'a>(answer: &'a Value, phase: &str, candidate: &str) -> &'a Value {
    let named = |rows: &'a Value, key: &str, name: &str| {
        rows.as_array().unwrap().iter().find(|one| one[key] == name).unwrap_or_else(|| panic!("{name} in {rows}"))
    };
    named(&named(&answer["phases"], "name", phase)["rows"], "candidate", candidate)
}

/// Why it has no place.
fn reason(row: &Value) -> &Value {
    &row["status"]["reason"]["kind"]
}

/// A tool has a rate, no latency and no place; a note says why and sets it against Kurabe's own client, and nothing
/// else of the answer names it.
#[track_caller]
fn assert_beside(answer: &Value, said: &Said, phase: &str, tools: &[&str], own: &str) {
    for tool in tools {
        let row = row(answer, phase, tool);
        assert_eq!((&row["status"]["state"], reason(row)), (&"unranked".into(), &"not-checked".into()), "{row}");
        let metrics: Vec<&str> =
            row["metrics"].as_array().unwrap().iter().map(|one| one["metric"].as_str().unwrap()).collect();
        assert!(metrics.contains(&"rate") && metrics.contains(&"client-cpu"), "{metrics:?}");
        assert!(!metrics.contains(&"p99") && row["latency"].as_array().unwrap().is_empty(), "{row}");
        let is_its = |note: &&Value| note["id"] == "load-tool-compared" && note["arguments"]["candidate"] == *tool;
        let note = answer["notes"].as_array().unwrap().iter().find(is_its);
        let note = note.unwrap_or_else(|| panic!("{answer:#}"));
        assert_eq!(note["arguments"]["own"], *own, "{note}");
        for words in ["does not check its answers", "rate ×", "client CPU", phase] {
            assert!(note["text"].as_str().unwrap().contains(words), "'{words}' in: {note}");
        }
        // Commands that repeat the run name all of its candidates.
        let advice = &answer["recommendation"];
        let parts = [&answer["leaders"], &answer["sentences"], &advice["pick"], &advice["because"], &advice["others"]];
        for part in parts.into_iter().chain([&advice["excluded"], &answer["advice"]["headline"]]) {
            assert!(!part.to_string().contains(tool), "{part}");
        }
    }
    assert!(said.out.contains("answers not checked"), "{}", said.out);
}

#[test]
fn load_tools_before_a_service_are_measured_beside_kurabes_own_client_and_never_ranked() {
    let tools = ["sqlite/serve+ab", "sqlite/serve+siege", "sqlite/serve+wrk"];
    let all = [&["sqlite/serve"], tools.as_slice()].concat();
    if !here(&all) {
        return;
    }
    let place = Place::new();
    let said = run(&place, HTTP, &all);
    assert_eq!(said.status, 0, "{said:?}");
    let loaded = place.loaded();
    assert_eq!(loaded.jobs.len(), 12);
    for job in &loaded.jobs {
        assert!(job.error.is_none(), "{}: {:?}", job.candidate, job.error);
        let hello = job.hello.as_ref().unwrap();
        let (read, tool) = (&job.phases[1].results[0], job.candidate.split_once('+').map(|(_, tool)| tool));
        assert_eq!(hello.client, tool.unwrap_or("rust"));
        assert_eq!(hello.capabilities.load_tool.is_some(), tool.is_some());
        assert_eq!((read.checks.checked == 0, read.latency.is_empty()), (tool.is_some(), tool.is_some()));
        assert_eq!(job.phases[0].results[0].checks.failed(), 0);
        assert!(hello.version.contains('.'), "{}", hello.version);
    }
    let answer = place.answer();
    assert_eq!(row(&answer, "read", "sqlite/serve")["status"]["state"], "ranked");
    assert_beside(&answer, &said, "read", &tools, "sqlite/serve");
    place.assert_nothing_is_left();
}

#[test]
fn pgbench_reads_and_updates_the_rows_that_kurabe_loaded() {
    let all = ["postgres", "postgres+pgbench"];
    if !here(&all) {
        return;
    }
    let place = Place::new();
    let study = HTTP.replace("\"one\"", "\"uniform\"");
    let study = format!(
        "{study}[[phase]]\noperation = \"update\"\ndistribution = \"one\"\nconnections = 2\nduration = \"1s\"\n"
    );
    let said = run(&place, &study, &all);
    assert_eq!(said.status, 0, "{said:?}");
    for job in &place.loaded().jobs {
        assert!(job.error.is_none(), "{}: {:?}", job.candidate, job.error);
        let count = job.final_count.as_ref().unwrap();
        assert_eq!((count.counted_rows, count.most_rows), (100, 100));
    }
    let answer = place.answer();
    assert_beside(&answer, &said, "read", &["postgres+pgbench"], "postgres");
    assert_beside(&answer, &said, "update", &["postgres+pgbench"], "postgres");
    place.assert_nothing_is_left();
}

#[test]
fn a_load_tool_leaves_out_what_it_cannot_do_and_says_why() {
    let all = ["map/serve+ab", "map/serve+wrk", "postgres+pgbench"];
    if !here(&all) {
        return;
    }
    let place = Place::new();
    let said = run(&place, MANY, &all);
    assert_eq!(said.status, 0, "{said:?}");
    let answer = place.answer();
    let lacks = |candidate: &str, phase: &str| {
        let what = row(&answer, phase, candidate)["status"]["reason"]["what"].clone();
        what.get("text").cloned().unwrap_or(what)
    };
    let cases: [(&str, [(&str, Value); 5]); 3] = [
        (
            "map/serve+wrk",
            [
                ("read", "no distribution uniform; it has one".into()),
                ("each", "no connection for each operation".into()),
                ("latest", Value::Null),
                ("update", "no update".into()),
                ("counted", "no end but by time, in whole seconds (duration = \"2s\")".into()),
            ],
        ),
        (
            "map/serve+ab",
            [
                ("read", "no distribution uniform; it has one".into()),
                ("each", Value::Null),
                ("latest", Value::Null),
                ("update", "no update".into()),
                ("counted", "no end but by time, in whole seconds (duration = \"2s\")".into()),
            ],
        ),
        (
            "postgres+pgbench",
            [
                ("read", Value::Null),
                ("each", Value::Null),
                ("latest", "no latest".into()),
                ("update", Value::Null),
                ("counted", "no end but by time, in whole seconds (duration = \"2s\")".into()),
            ],
        ),
    ];
    for (candidate, phases) in cases {
        for (phase, what) in phases {
            assert_eq!(lacks(candidate, phase), what, "{candidate} {phase}");
            let expected = if what.is_null() { "not-checked" } else { "unsupported" };
            assert_eq!(reason(row(&answer, phase, candidate)), expected, "{candidate} {phase}");
        }
    }
}

#[test]
fn load_tools_ask_a_service_at_an_address() {
    if !here(&["map/serve+ab", "map/serve+siege", "map/serve+wrk"]) {
        return;
    }
    let place = Place::new();
    let board = Board::start(&place, &["--store", "map"]);
    let stores = ["ab", "siege", "wrk"].map(|tool| format!("url+{tool}@http://127.0.0.1:{}/rows", board.port));
    let study = HTTP.replace("rounds = 3", "rounds = 1");
    let said = run(&place, &study, &stores.each_ref().map(String::as_str));
    assert_eq!(said.status, 0, "{said:?}");
    let out = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(out.contains("no answer was checked"), "{out}");
    let answer = place.answer();
    for store in &stores {
        assert_eq!(reason(row(&answer, "read", store)), "not-checked");
    }
    // Where the load is not answered as it should be, no tool is asked at all.
    let place = Place::new();
    let wrong = stores.map(|store| store.replace("/rows", "/nix"));
    let said = run(&place, &study.replace("rounds = 3", "rounds = 1"), &wrong.each_ref().map(String::as_str));
    assert_eq!(said.status, 1, "{said:?}");
    for job in &place.loaded().jobs {
        let error = job.error.as_ref().expect("a failed job");
        assert!(error.message.to_string().contains("answered 404"), "{}: {}", job.candidate, error.message);
    }
    drop(board);
}

#[test]
fn what_a_load_tool_says_when_it_fails_fails_its_job() {
    if !here(&["map/serve+wrk"]) {
        return;
    }
    let version = "[ \"$1\" = -v ] && { echo wrk 9.9; exit 1; };";
    for (script, words) in [
        ("echo 'no luck today'; exit 3", "wrk ended with exit status: 3: no luck today"),
        ("echo 'all is well'", "wrk printed what cannot be read: all is well"),
        (
            "printf '  9 requests in 1.00s, 1KB read\\n  Socket errors: connect 0, read 5, write 0, timeout 0\\nRequests/sec: 9.0\\n'",
            "wrk tells of 5 operations that failed",
        ),
        ("printf '  0 requests in 1.00s, 1KB read\\nRequests/sec: 0.0\\n'", "wrk tells of nothing that was answered"),
        // It does not work as long as the phase lasts.
        ("printf '  9 requests in 0.10s, 1KB read\\nRequests/sec: 90.0\\n'", "s of 1 s, and tells of 0.10 s"),
    ] {
        let place = Place::new();
        fake_server(&place, "wrk", &format!("{version} {script}"));
        place.open_to_everybody();
        let mut command = place.run(HTTP, &["--rounds", "1", "--stores", "map/serve+wrk"]);
        let said = finish(command.env("KURABE_WRK", place.path("bin/wrk")));
        assert_eq!(said.status, 1, "{said:?}");
        let error = place.loaded().jobs[0].error.clone().expect("a failed job");
        assert!(error.message.to_string().contains(words), "{}", error.message);
        place.assert_nothing_is_left();
    }
}

#[test]
fn a_load_tool_that_is_missing_or_asks_what_it_cannot_is_refused() {
    let place = Place::new();
    let study = place.file("study.toml", HTTP);
    let plan = |stores: &str| {
        let mut command = place.kurabe(["plan", &study, "--stores", stores]);
        finish(command.env("KURABE_WRK", "/nowhere/wrk"))
    };
    assert_mistake(&plan("map/serve+wrk"), &["'/nowhere/wrk' is not installed", "apt-get install -y", "wrk"]);
    assert_mistake(&plan("map/serve+wrkk"), &["load tool", "did you mean 'wrk'"]);
    assert_mistake(&plan("map/serve+pgbench"), &["load tool", "wrk"]);
    assert_mistake(&plan("sqlite+wrk"), &["does not drive sqlite", "url"]);
    for (table, words) in [
        (
            "store = 'url'\nurl = 'http://127.0.0.1:1/'\nclient = 'ab'\nsettings = { method = 'POST' }",
            ["plain GET", "leave 'settings' out"],
        ),
        ("store = 'map'\nasked_by = 'wrk'", ["'asked_by'", "'client'"]),
    ] {
        let study = place.file("table.toml", format!("{HTTP}[[candidate]]\nname = 'mine'\n{table}\n"));
        assert_mistake(&finish(&mut place.kurabe(["plan", &study])), &words);
    }
}
