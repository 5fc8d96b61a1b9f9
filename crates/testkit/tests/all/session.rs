//! The protocol by hand-fed lines through a real client process.

use crate::common::program;
use kurabe_protocol::{Action, CallName, Command, Distribution, End, Event, Job, Phase, ReplyOutcome, Schema, Warmup};
use kurabe_testkit::{ClientExit, ClientProcess, Workbench};

fn bench() -> Workbench {
    Workbench::new(400, 1).expect("a workbench")
}

fn start() -> ClientProcess {
    ClientProcess::start(program(), &[]).expect("a client")
}

fn small_job(bench: &Workbench, store: &str) -> Job {
    let phases = vec![bench.load(1), bench.phase("read", Action::Read, Distribution::Uniform, 1_000)];
    bench.job(store, &Schema::key_value(100), phases)
}

/// Feeds all lines at once, as a pipe does, and lets the client end.
fn pipe(lines: &[String]) -> ClientExit {
    let mut client = start();
    lines.iter().for_each(|line| client.send_line(line).expect("a line"));
    client.close_stdin();
    client.finish().expect("an end")
}

fn job_line(job: &Job) -> String {
    Command::Job(Box::new(job.clone())).to_line()
}

#[track_caller]
fn refused(ending: &ClientExit, words: &[&str]) {
    assert_eq!(ending.status, 2, "{ending:?}");
    let last = ending.lines.last().expect("a line");
    assert!(last.starts_with(r#"{"error":"#), "{last}");
    for word in words {
        assert!(last.contains(word), "'{word}' is not in {last}");
    }
}

#[test]
fn an_unknown_version_is_refused() {
    let bench = bench();
    let line = job_line(&small_job(&bench, "honest")).replacen(r#""kurabe":1"#, r#""kurabe":2"#, 1);
    let ending = pipe(&[line]);
    refused(&ending, &["version 2"]);
    assert_eq!(ending.lines.len(), 1);
}

#[test]
fn an_unknown_store_is_named_with_the_known_ones() {
    let bench = bench();
    refused(&pipe(&[job_line(&small_job(&bench, "oracle9"))]), &["'oracle9'", "honest", "liar-stale"]);
}

#[test]
fn lines_that_are_no_messages_are_refused() {
    let bench = bench();
    refused(&pipe(&["hello?".into()]), &["not a JSON object", "hello?"]);
    refused(&pipe(&[Command::Go("read".into()).to_line()]), &["expected a job first"]);
    let job = job_line(&small_job(&bench, "honest"));
    refused(&pipe(&[job.clone(), r#"{"dance":1}"#.into()]), &["dance"]);
    refused(&pipe(&[job, r#"{"go":"swim"}"#.into()]), &["no phase 'swim'"]);
}

#[test]
fn an_unusable_schema_is_refused() {
    let bench = bench();
    let mut job = small_job(&bench, "honest");
    job.schema.fields[1].len_bytes = None;
    refused(&pipe(&[job_line(&job)]), &["'value'", "len_bytes"]);
}

#[test]
fn a_second_job_is_refused() {
    let bench = bench();
    let job = job_line(&small_job(&bench, "honest"));
    refused(&pipe(&[job.clone(), job]), &["a second job"]);
}

#[test]
fn queued_lines_are_worked_off_in_order() {
    let bench = bench();
    let lines = [
        job_line(&small_job(&bench, "honest")),
        r#"{"call":"create","id":1}"#.into(),
        r#"{"go":"load"}"#.into(),
        r#"{"go":"read"}"#.into(),
        r#"{"stop":true}"#.into(),
    ];
    let ending = pipe(&lines);
    assert_eq!(ending.status, 0, "{ending:?}");
    let kinds: Vec<String> = ending
        .lines
        .iter()
        .map(|line| match Event::parse(line).expect("a message") {
            Event::Hello(_) => "hello".to_string(),
            Event::Ready(phase) => format!("ready {phase}"),
            Event::Result(result) => format!("result {} {}", result.phase, result.workers[0].operations),
            Event::Reply(reply) => format!("reply {} {:?}", reply.id, reply.outcome),
            other => other.to_line(),
        })
        .filter(|kind| !kind.contains("progress"))
        .collect();
    let expected = [
        "hello",
        "reply 1 Ok(Bool(true))",
        "ready load",
        "result load 400",
        "ready read",
        "result read 1000",
        r#"{"end":true}"#,
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn unknown_keys_are_ignored() {
    let bench = bench();
    let job = job_line(&small_job(&bench, "honest")).replacen(r#""id":"#, r#""later":{"a":[1]},"id":"#, 1).replacen(
        r#""operation":"load""#,
        r#""operation":"load","colour":"red""#,
        1,
    );
    let ending = pipe(&[job, r#"{"go":"load","soon":1}"#.into(), r#"{"stop":true,"why":"done"}"#.into()]);
    assert_eq!(ending.status, 0, "{ending:?}");
    assert!(ending.lines.iter().any(|line| line.starts_with(r#"{"result":"#)));
}

#[test]
fn the_end_of_stdin_without_stop_ends_a_running_phase() {
    let bench = bench();
    let hour = 3_600_000_000_000;
    for store in ["honest", "honest-in-flight"] {
        for action in [Action::Read, Action::Update] {
            let mut endless = bench.phase("endless", action.clone(), Distribution::Uniform, 0);
            (endless.end, endless.connections) = (End::DurationNs(hour), 2);
            let job = bench.job(store, &Schema::key_value(100), vec![bench.load(2), endless]);
            let mut client = start();
            client.begin(&job).expect("hello");
            client.prepare("load").expect("ready");
            client.go("load").expect("a result");
            client.prepare("endless").expect("ready");
            client.send(&Command::Go("endless".into())).expect("sent");
            let progress = client.next_line("progress").expect("a line");
            assert!(matches!(Event::parse(&progress), Ok(Event::Progress { .. })), "{progress}");
            client.close_stdin();
            assert_eq!(client.finish().expect("an end").status, 3, "{store} {action:?}");
        }
    }
}

#[test]
fn the_end_of_stdin_ends_a_warmup_and_a_prepared_phase() {
    let bench = bench();
    for store in ["honest", "honest-in-flight"] {
        let mut endless = bench.phase("endless", Action::Read, Distribution::Uniform, 10);
        endless.warmup = Some(Warmup::DurationNs(3_600_000_000_000));
        let job = bench.job(store, &Schema::key_value(100), vec![bench.load(1), endless]);
        let ending = pipe(&[job_line(&job), r#"{"go":"load"}"#.into(), r#"{"prepare":"endless"}"#.into()]);
        assert_eq!(ending.status, 3, "{ending:?}");
        let ending = pipe(&[job_line(&small_job(&bench, store)), r#"{"prepare":"load"}"#.into()]);
        assert_eq!(ending.status, 3, "{ending:?}");
    }
    assert_eq!(pipe(&[]).status, 3);
}

#[test]
fn what_a_library_prints_goes_to_stderr() {
    let bench = bench();
    let lines = [job_line(&small_job(&bench, "noisy")), r#"{"go":"load"}"#.to_string(), r#"{"stop":true}"#.to_string()];
    let ending = pipe(&lines);
    assert_eq!(ending.status, 0, "{ending:?}");
    assert!(ending.lines.iter().all(|line| Event::parse(line).is_ok()), "{:?}", ending.lines);
    assert!(ending.stderr.contains("NOTICE: connected for 'load'"), "{}", ending.stderr);
}

#[test]
fn a_phase_can_be_skipped_before_and_after_it_was_prepared() {
    let bench = bench();
    for store in ["honest", "honest-in-flight"] {
        let mut job = small_job(&bench, store);
        job.phases.push(Phase { name: "again".into(), ..job.phases[1].clone() });
        let mut client = start();
        client.begin(&job).expect("hello");
        client.prepare("load").expect("ready");
        client.go("load").expect("a result");
        client.send(&Command::Skip("again".into())).expect("sent");
        client.prepare("read").expect("ready");
        client.send(&Command::Skip("read".into())).expect("sent");
        let rows = client.call(CallName::Count).expect("a reply");
        assert_eq!(rows, ReplyOutcome::Ok(serde_json::json!({"rows": 400})));
        client.prepare("again").expect("ready");
        assert_eq!(client.go("again").expect("a result").workers[0].operations, 1_000);
        client.send(&Command::Stop).expect("sent");
        assert_eq!(client.finish().expect("an end").status, 0);
    }
}

#[test]
fn stop_after_prepare_is_a_good_end() {
    let bench = bench();
    let lines = [job_line(&small_job(&bench, "honest")), r#"{"prepare":"load"}"#.into(), r#"{"stop":true}"#.into()];
    let ending = pipe(&lines);
    assert_eq!(ending.status, 0, "{ending:?}");
    assert_eq!(ending.lines.last().map(String::as_str), Some(r#"{"end":true}"#));
}

#[test]
fn another_line_than_go_or_skip_after_prepare_is_refused() {
    let bench = bench();
    let job = job_line(&small_job(&bench, "honest"));
    refused(&pipe(&[job.clone(), r#"{"prepare":"load"}"#.into(), r#"{"go":"read"}"#.into()]), &["'load' is prepared"]);
    refused(&pipe(&[job, r#"{"prepare":"load"}"#.into(), r#"{"call":"ping","id":1}"#.into()]), &["'load' is prepared"]);
}

#[test]
fn calls_are_answered_between_phases() {
    let bench = bench();
    let mut client = start();
    client.begin(&small_job(&bench, "honest")).expect("hello");
    assert_eq!(client.call(CallName::Ping).expect("a reply"), ReplyOutcome::Ok(true.into()));
    assert_eq!(client.call(CallName::Create).expect("a reply"), ReplyOutcome::Ok(true.into()));
    client.prepare("load").expect("ready");
    client.go("load").expect("a result");
    let rows = |client: &mut ClientProcess| match client.call(CallName::Count).expect("a reply") {
        ReplyOutcome::Ok(value) => value["rows"].as_u64(),
        other => panic!("{other:?}"),
    };
    assert_eq!(rows(&mut client), Some(400));
    for reserved in [CallName::Backup, CallName::Restore, CallName::Alter, CallName::Check, CallName::Settings] {
        assert_eq!(client.call(reserved).expect("a reply"), ReplyOutcome::Unsupported, "{reserved:?}");
    }
    assert_eq!(client.call(CallName::Reset).expect("a reply"), ReplyOutcome::Ok(true.into()));
    assert_eq!(rows(&mut client), Some(0));
    client.send(&Command::Stop).expect("sent");
    assert_eq!(client.finish().expect("an end").status, 0);
}

#[test]
fn a_connection_that_fails_or_panics_ends_the_job_with_the_name_of_the_phase() {
    for (store, words) in [("unreachable", "connection refused"), ("panicking", "index out of bounds in a driver")] {
        let bench = bench();
        let mut job = small_job(&bench, store);
        job.phases[0].connections = 4;
        for begin in ["prepare", "go"] {
            let mut client = start();
            client.send_line(&job_line(&job)).expect("sent");
            client.send_line(&format!(r#"{{"{begin}":"load"}}"#)).expect("sent");
            let ending = client.finish().expect("no hang");
            assert_eq!(ending.status, 1, "{ending:?}");
            let last = ending.lines.last().expect("a line");
            assert!(last.starts_with(r#"{"error":"phase 'load'"#) && last.contains(words), "{last}");
        }
    }
}

#[test]
fn an_operation_that_the_shape_does_not_have_fails_and_is_not_faked() {
    let bench = bench();
    for action in [Action::Scan, Action::Latest { rows: 10 }] {
        let phase = bench.phase("many", action, Distribution::Sequential, 5);
        let job = bench.job("honest-in-flight", &Schema::key_value(100), vec![bench.load(1), phase]);
        let driven = crate::common::run(&job);
        let result = driven.phase("many");
        assert_eq!(result.workers[0].operations, 0, "{result:?}");
        assert_eq!(result.failures[0].message, "unsupported");
    }
}
