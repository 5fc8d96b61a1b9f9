//! Clients in other languages that do not keep to the protocol, and one that does: in a run, beside the Rust client.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kurabe_protocol::operation::Pattern;
use kurabe_protocol::{Action, Command, End, Job, Load, Phase, Schedule, Schema, StoppedBy, Warmup};
use kurabe_testkit::{ClientProcess, Driven, LyingServer, WireLie, Workbench, drive};

use crate::common::census::is_alive;
use crate::common::{Place, assert_mistake, comes_true, finish, here};

const ROWS: u32 = 200;
const CLOCK: &str = "the client's clock is not that of this machine";

fn testkit() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit")
}

fn job(bench: &Workbench, server: &LyingServer) -> Job {
    let all = End::Count(ROWS.into());
    let phases = vec![
        Phase::new("load", Load::Row, all),
        Phase::new("read", Action::Read, all),
        Phase::new("update", Action::Update, all),
    ];
    let mut job = bench.job("redis", &Schema::key_value(100), phases);
    job.url = Some(server.url());
    job
}

/// The toy with `change`, Perl that is run before it, as a program of Perl.
fn toy(change: &str) -> String {
    let folder = testkit().join("clients").join("toy");
    format!(
        "use lib '{0}'; require Protocol; our $note = \\&Protocol::note; our $measure = \\&Protocol::measure; \
         our ($records, $phases) = (0, 0); \
         {{ no warnings; {change} }} @ARGV = ('buffered'); do '{0}/toy.pl'; die $@ if $@;",
        folder.display()
    )
}

/// What comes of such a toy: the results, or what went wrong.
fn driven_with(change: &str) -> Result<Driven, String> {
    driven_in(change, |_| ())
}

/// The same in a job that `alter` alters.
fn driven_in(change: &str, alter: impl FnOnce(&mut Job)) -> Result<Driven, String> {
    let (bench, server) = (Workbench::new(ROWS, 7).unwrap(), LyingServer::start(WireLie::Nothing).unwrap());
    let program = toy(change);
    let arguments = ["drive", "perl", "-e", &program];
    let mut job = job(&bench, &server);
    alter(&mut job);
    drive(Path::new(env!("CARGO_BIN_EXE_kurabe")), &arguments, &job).map_err(|error| error.to_string())
}

#[test]
fn a_client_that_keeps_to_the_protocol_gives_what_every_client_gives() {
    let driven = driven_with("").expect("it is honest");
    assert_eq!((driven.hello.client.as_str(), driven.hello.capabilities.shared_versions), ("toy", false));
    assert!(driven.hello.driver_pid.is_some());
    for result in &driven.results {
        assert_eq!(result.workers[0].operations, u64::from(ROWS), "{}", result.phase);
        assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
        assert_eq!(result.latency[0].count, u64::from(ROWS));
        assert!(result.latency[0].min_ns > 0 && result.workers[0].first_start_ns > 0);
        let counted: u64 = result.series.operations.iter().sum();
        assert_eq!(counted, u64::from(ROWS));
    }
    assert_eq!((driven.phase("read").checks.checked, driven.phase("read").rows_present), (200, 200));
    assert_eq!(driven.counted, [Some(200), Some(200), Some(200)]);
}

/// What authors of clients read first must work as it stands.
#[test]
fn the_example_in_the_documentation_is_a_client() {
    let page = include_str!("../../../../docs/PROTOCOL.md");
    let program = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example");
    let place = Place::new();
    let folder = place.path("clients/example");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("example.py"), program).unwrap();
    let descriptor = "name = 'example'\ntitle = 'A dict of Python'\nrun = ['{python}', '{client}/example.py']\n\
                      connections = 'threads'\nstores = ['map']\nprobe = { map = ['{python}', '-c', '1'] }\n\
                      [interpreter.python]\nvariable = 'KURABE_PYTHON'\nprogram = 'python3'\n";
    std::fs::write(folder.join("client.toml"), descriptor).unwrap();
    let mut run = place.run(crate::common::TINY, &["--stores", "map,map+example"]);
    let said = finish(run.arg("--definitions").arg(place.path(".")));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    let jobs: Vec<_> = loaded.jobs.iter().filter(|job| job.candidate == "map+example").collect();
    assert!(!jobs.is_empty() && jobs.iter().all(|job| job.error.is_none()), "{jobs:?}");
    let results = jobs.iter().flat_map(|job| &job.phases).flat_map(|phase| &phase.results);
    assert!(results.clone().all(|result| result.checks.failed() == 0 && result.workers[0].failed == 0));
    assert!(results.map(|result| result.checks.checked).sum::<u64>() > 1000, "reads and updates");
}

/// On a full disk every commit fails, and what is written in between succeeds.
#[test]
fn commits_that_fail_end_a_phase_whatever_is_written_in_between() {
    let fails = "my $run = \\&Protocol::run; *Protocol::run = sub { *Toy::commit = sub { die qq(no space left\\n) } if ++$phases == 3; \
                 $run->(@_) };";
    let driven = driven_in(fails, |job| {
        job.phases[2].commit_every = 4;
        job.phases[2].end = End::Count(8_000);
    });
    let result = driven.expect("a store that fails is no end of a job").phase("update").clone();
    assert_eq!((result.stopped_by, result.workers[0].failed), (StoppedBy::Failures, 100), "{:?}", result.failures);
    assert_eq!(result.workers[0].operations, 300, "those before each commit");
    assert_eq!(result.failures[0].message, "no space left");
}

#[test]
fn a_client_that_breaks_the_protocol_is_told_apart() {
    let cases = [
        // What it writes on its tape.
        (
            "*Protocol::note = sub { $note->(@_); print { $_[0]{tape} } 'x' if ++$records == 201 };",
            "in the middle of a record",
        ),
        (
            "*Protocol::measure = sub { $measure->({ %{ $_[0] } }); open my $t, '>>', $_[0]{one}{tape}; print $t 'half' };",
            "in the middle of a record",
        ),
        (
            "*Protocol::note = sub { $note->(@_); my $now = Protocol::now_ns(); $note->($_[0], $now, $now, @_[3, 4]) if $_[3] != 7 };",
            "longer than its script",
        ),
        ("*Protocol::note = sub { $note->(@_[0 .. 2], $_[3] || 99, $_[4]) };", "the outcome 99"),
        ("*Protocol::note = sub { $note->($_[0], $_[2], $_[1] - 1, @_[3, 4]) };", "ends before it starts"),
        // Clocks that are not that of this machine: of microseconds, one behind, one ahead, none, one that wraps round.
        ("*Protocol::note = sub { $note->($_[0], int $_[1] / 1000, int $_[2] / 1000, @_[3, 4]) };", CLOCK),
        ("*Protocol::note = sub { $note->($_[0], $_[1] - 9e9, $_[2] - 9e9, @_[3, 4]) };", CLOCK),
        ("*Protocol::note = sub { $note->($_[0], $_[1] + 1e15, $_[2] + 1e15, @_[3, 4]) };", CLOCK),
        ("*Protocol::note = sub { $note->($_[0], 0, 0, @_[3, 4]) };", CLOCK),
        ("*Protocol::note = sub { $note->(@_[0, 1], ++$records == 300 ? ~0 : $_[2], @_[3, 4]) };", CLOCK),
        // One that takes no time, in a phase that does.
        ("*Protocol::note = sub { $note->($_[0], $_[3] == 7 ? @_[1, 2] : ($_[2] - 1, $_[2]), @_[3, 4]) };", CLOCK),
        ("*Protocol::note = sub { $note->(@_[0 .. 3], '') };", "a read with 0 rows instead of 1"),
        ("*Protocol::note = sub { $note->(@_[0 .. 2], $_[3] == 7 ? 7 : 1, $_[4]) };", "says what a write does"),
        ("*Protocol::note = sub { $note->(@_) if $_[3] != 7 };", "'ready' came, and no outcome 7 stands before it"),
        ("*Protocol::note = sub { $note->(@_) if ++$records < 100 };", "too soon"),
        (
            "*Protocol::note = sub { print { $_[0]{tape} } pack('Q<Q<VV', @_[1 .. 3], 1 << 27) };",
            "an answer of 134217728 rows",
        ),
        ("*Protocol::note = sub { $note->(@_[0 .. 2], $_[3] || 3, 'x' x (1 << 17)) };", "a message of 131072 bytes"),
        // One that comes before the one that it follows.
        (
            "*Protocol::note = sub { if ($_[3] != 7 && ++$records % 50 == 0) { $kept = [@_] } \
             else { $note->(@_); $note->(@$kept) if $kept; $kept = undef } };",
            CLOCK,
        ),
        // What it says.
        ("*Protocol::measure = sub { exit 7 };", "the client ended with exit status: 7"),
        (
            "*Protocol::measure = sub { kill 'KILL', $$; sleep 9 };",
            "the client was killed, as the kernel does where memory ends",
        ),
        (
            "*Protocol::measure = sub { print {$Protocol::out} qq({\"result\":\"other\"}\\n); $measure->(@_) };",
            "expected 'result' of phase",
        ),
        ("*Protocol::measure = sub { print {$Protocol::out} qq(hello\\n); $measure->(@_) };", "is no JSON object"),
        (
            "*Protocol::measure = sub { print {$Protocol::out} 'x' x (1 << 22); $measure->(@_) };",
            "a line of more than 1048576 bytes",
        ),
        ("*Protocol::measure = sub { print {$Protocol::out} qq({\"error\":\"no more\"}\\n); exit 1 };", "no more"),
        ("*Protocol::prepare = sub { die qq(cannot\\n) };", "cannot"),
    ];
    for (change, expected) in cases {
        match driven_with(change) {
            Ok(driven) => panic!("{change}: it was taken for honest: {:?}", driven.results),
            Err(error) => assert!(error.contains(expected), "{change}: {error}"),
        }
    }
}

/// The reads are planned.
fn planned(job: &mut Job) {
    let schedule = Schedule { rate: 2_000, rate_to: None, pattern: Pattern::Constant, queue: None, gaps_stream: None };
    let read = Phase::new("read", Action::Read, End::DurationNs(300_000_000));
    job.phases[1] = Phase { schedule: Some(schedule), warmup: Some(Warmup::Count(100)), ..read };
}

#[test]
fn a_client_begins_what_was_planned_and_tells_of_each() {
    let driven = driven_in("", planned).expect("it is honest");
    let read = driven.phase("read");
    let told = read.open_loop.as_ref().expect("an open loop");
    assert_eq!((told.planned, told.dropped), (599, 0));
    assert_eq!(read.workers[0].operations + told.open, 599, "{told:?}");
    assert_eq!((read.stopped_by, read.checks.failed()), (StoppedBy::Duration, 0));
    assert!(read.latency[0].sum_ns >= told.service[0].sum_ns, "a response takes as long as its service at least");
    assert_eq!(driven.phase("update").workers[0].operations, u64::from(ROWS), "a closed loop after it");
}

/// A script is chosen ahead, and rows that are inserted have numbers for what is planned alone.
#[test]
fn inserts_at_a_rate_are_chosen_no_further_ahead_than_they_are_planned() {
    let inserts = |job: &mut Job| {
        let schedule =
            Schedule { rate: 100, rate_to: None, pattern: Pattern::Constant, queue: None, gaps_stream: None };
        let insert = Action::Insert { first_row: ROWS.into() };
        let phase = Phase::new("read", insert, End::DurationNs(300_000_000));
        job.phases =
            vec![job.phases[0].clone(), Phase { schedule: Some(schedule), warmup: Some(Warmup::Count(20)), ..phase }];
    };
    let driven = driven_in("", inserts).expect("it is honest");
    let insert = driven.phase("read");
    let told = insert.open_loop.as_ref().expect("an open loop");
    let done = insert.workers[0].operations;
    assert_eq!((done + told.open, insert.checks.failed()), (29, 0), "{told:?}");
    assert!(insert.rows_present >= u64::from(ROWS) + done, "the warm-up inserts too");
}

#[test]
fn a_client_that_tells_of_other_starts_than_it_was_given_is_found_out() {
    let cases = [
        (
            "*Protocol::note = sub { $note->($_[0], $_[1] + ($_[3] == 8 && ++$records > 150 ? 1000 : 0), @_[2 .. 4]) };",
            "a start that was not given out",
        ),
        (
            "*Protocol::note = sub { $kept = $_[1] if $_[3] == 8 && ++$records == 150; \
             $note->($_[0], $_[3] == 8 && $records == 151 ? $kept : $_[1], @_[2 .. 4]) };",
            "or twice",
        ),
        ("*Protocol::note = sub { $note->(@_) if $_[3] != 8 };", "an operation without an outcome 8 before it"),
        ("*Protocol::note = sub { $note->(@_) if $_[3] == 8; $note->(@_) };", "two outcomes 8"),
        (
            "*Protocol::note = sub { $note->(@_[0, 1], $_[2] + ($_[3] == 8 && ++$records == 150 ? 9e9 : 0), @_[3, 4]) };",
            CLOCK,
        ),
        // One that does as many as it can.
        (
            "*Protocol::next_start = sub { return $sham++ % 51 < 50 ? Protocol::now_ns() : 0 };",
            "a start that was not given out",
        ),
    ];
    for (change, expected) in cases {
        match driven_in(change, planned) {
            Ok(driven) => panic!("{change}: it was taken for honest: {:?}", driven.phase("read")),
            Err(error) => assert!(error.contains(expected), "{change}: {error}"),
        }
    }
    let closed = driven_with("*Protocol::note = sub { $note->(@_[0 .. 2], 8, '') if $_[3] == 0; $note->(@_) };");
    let error = closed.map(|driven| driven.results).expect_err("a closed loop has no starts");
    assert!(error.contains("an outcome 8 in a phase without planned starts"), "{error}");
}

/// A client that stops in the middle leaves the rest of the plan open, and is told so: it had time.
#[test]
fn a_client_that_ends_an_open_loop_too_soon_is_told_so() {
    let stops = "*Protocol::next_start = sub { return 0 };";
    let error = driven_in(stops, planned).map(|driven| driven.results).expect_err("nothing is done");
    assert!(error.contains("too soon"), "{error}");
}

/// A script that time ends has no end, so one that wants to read it whole would read for ever.
#[test]
fn a_client_that_reads_its_script_far_ahead_is_told_so() {
    let reads = "*Protocol::measure = sub { if (++$phases == 2) { local $/; my $all = readline $_[0]{script} } $measure->(@_) };";
    let driven = driven_in(reads, |job| job.phases[1].end = End::DurationNs(600_000_000_000));
    let error = driven.map(|driven| driven.results).expect_err("it read for ten minutes");
    assert!(error.contains("operations whose records it does not write"), "{error}");
}

/// In a phase it looks at no pipe, so nothing that closes would tell it.
#[test]
fn a_child_in_the_middle_of_a_phase_dies_with_a_harness_that_is_killed() {
    let (bench, server) = (Workbench::new(ROWS, 7).unwrap(), LyingServer::start(WireLie::Nothing).unwrap());
    let place = Place::new();
    let begun = place.path("begun");
    let program = toy(&format!("*Protocol::measure = sub {{ mkdir '{}'; sleep 600 }};", begun.display()));
    let exe = Path::new(env!("CARGO_BIN_EXE_kurabe"));
    let mut harness = ClientProcess::start(exe, &["drive", "perl", "-e", &program]).unwrap();
    let child = harness.begin(&job(&bench, &server)).unwrap().driver_pid.expect("it has one");
    harness.prepare("load").unwrap();
    harness.send(&Command::Go("load".into())).unwrap();
    assert!(comes_true(Duration::from_secs(20), || begun.exists()) && is_alive(child));
    // Which kills it.
    drop(harness);
    assert!(comes_true(Duration::from_secs(20), || !is_alive(child)), "the child goes on without its harness");
}

#[test]
fn a_content_of_no_version_is_found_with_its_row() {
    let altered =
        "*Protocol::note = sub { $note->(@_[0 .. 3], length $_[4] ? $_[4] ^ (\"\\0\" x 4 . \"\\1\\0\\0\\0\") : '') };";
    let checks = driven_with(altered).expect("wrong answers are no end of a job").phase("read").checks.clone();
    assert_eq!((checks.wrong, checks.failed()), (200, 200));
    assert!(checks.examples[0].starts_with("row 0 holds an altered value, of CRC-32 "), "{:?}", checks.examples);
    let other_key = altered.replace("\"\\0\" x 4 . \"\\1\\0\\0\\0\"", "\"\\1\" . \"\\0\" x 7");
    assert_ne!(other_key, altered);
    assert_eq!(driven_with(&other_key).expect("wrong answers").phase("read").checks.wrong, 200);
}

#[test]
fn one_that_is_killed_and_one_that_is_too_old_keep_nobody_from_going_on() {
    if !here(&["sqlite+perl"]) {
        return;
    }
    let place = Place::new();
    let run = |script: &str, more: &[&str]| {
        use std::os::unix::fs::PermissionsExt;
        let perl = place.file("perl", format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(&perl, std::fs::Permissions::from_mode(0o755)).unwrap();
        finish(place.run(crate::common::TINY, more).env("KURABE_PERL", &perl))
    };
    // An interpreter that is too old, or lacks a module, fails in its probe; who asked for it by name is told what gets
    // it.
    let said = run("exit 1", &["--stores", "sqlite,sqlite+perl"]);
    assert_mistake(&said, &["the perl client lacks what it needs for sqlite by dbd", "libdbd-sqlite3-perl"]);
    // One that the kernel ends for want of memory, in the middle of its first phase.
    let killed = "case \"$*\" in *client.pl*) exec perl -e 'open STDOUT, q(>&=3); while (<STDIN>) { kill 9, $$ if /prepare/; \
                  print qq({\"hello\":{\"client\":\"perl\",\"version\":\"0\",\"capabilities\":{\"operations\":[\"load\",\"read\",\"update\",\"scan\"]}}}\\n) if /kurabe/; \
                  print qq({\"reply\":$1,\"ok\":) . (/ping|create|reset/ ? qq(true}\\n) : qq({}}\\n)) if /\"id\":(\\d+)/ }' \
                  ;; esac; exit 0";
    let script = killed.replace("print qq", "$|=1; print qq");
    let said = run(&script, &["--stores", "sqlite,echo+perl", "--rounds", "2"]);
    let loaded = place.loaded();
    let of = |name: &str| loaded.jobs.iter().filter(|job| job.candidate == name).collect::<Vec<_>>();
    let errors: Vec<String> =
        of("echo+perl").iter().filter_map(|job| job.error.as_ref()).map(|error| error.message.to_string()).collect();
    assert!(errors.len() == 1 && errors[0].contains("was killed, as the kernel does"), "{errors:?}{}", said.err);
    assert!(of("sqlite").len() == 2 && of("sqlite").iter().all(|job| job.error.is_none()), "the other goes on");
    place.assert_nothing_is_left();
}

/// What a driver may give for a number in JavaScript: digits are the number, and one beyond 2^53 is none that a study
/// has.
#[test]
fn numbers_of_javascript_are_what_they_say_and_none_is_rounded_to_another() {
    if !here(&["redis+node"]) {
        return;
    }
    let values = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/node/values.mjs");
    let script = format!(
        "import {{ Values }} from '{}';\n\
         const schema = {{ fields: [{{ name: 'id', type: 'int64' }}, {{ name: 'n', type: 'int64' }}] }};\n\
         const values = new Values(schema, Buffer.alloc(1 << 20, 'x'));\n\
         const given = [7, '7', 7n, '9007199254740993', 9007199254740993n, 9007199254740992];\n\
         console.log(given.map((one) => values.raw([one]).readBigInt64LE()).join(' '));",
        values.display()
    );
    let node = std::env::var("KURABE_NODE").unwrap_or_else(|_| "node".into());
    let said = finish(std::process::Command::new(node).args(["--input-type=module", "-e", &script]));
    let beyond = "9007199254740993 9007199254740993 9007199254740992";
    assert_eq!(said.out.trim(), format!("7 7 7 {beyond}"), "{}", said.err);
}

#[test]
fn a_run_ranks_an_external_client_beside_another() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let run = |stores: &str| {
        finish(place.run(crate::common::TINY, &["--stores", stores]).arg("--definitions").arg(testkit()))
    };
    assert_mistake(&run("redis+toy:fast"), &["unknown driver 'redis+toy:fast'", "redis+toy:buffered"]);
    let said = run("redis,redis+toy,redis+toy:bytewise");
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    let clients: Vec<&str> = loaded.run.candidates.iter().map(|candidate| candidate.client.as_str()).collect();
    assert_eq!(clients, ["rust", "toy:buffered", "toy:bytewise"]);
    let checked = |job: &kurabe_record::JobRecord| {
        job.phases.iter().flat_map(|phase| &phase.results).map(|result| result.checks.checked).sum::<u64>()
    };
    for job in &loaded.jobs {
        assert!(checked(job) > 0 && job.error.is_none(), "{}: {:?}", job.candidate, job.error);
        assert!(job.phases.iter().all(|phase| phase.client.is_some()), "{}", job.candidate);
    }
    place.assert_nothing_is_left();
}

#[test]
fn several_processes_of_an_external_client_count_every_row_once() {
    if !here(&["redis"]) {
        return;
    }
    let place = Place::new();
    let study = crate::common::TINY.replace("duration = \"50ms\"", "connections = 4\ncount = 400");
    let mut run = place.run(&study, &["--stores", "redis+toy", "--rounds", "1"]);
    let said = finish(run.arg("--definitions").arg(testkit()));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let loaded = place.loaded();
    assert_eq!(loaded.run.candidates[0].processes, 4);
    let count = loaded.jobs[0].final_count.expect("the store counts its rows");
    assert_eq!((count.counted_rows, count.least_rows, count.most_rows), (1_000, 1_000, 1_000));
    place.assert_nothing_is_left();
}

/// A process of the baseline knows of its own increments alone.
#[test]
fn baselines_of_several_processes_tell_no_sum_of_their_counters() {
    let stores = ["echo+perl", "echo+php", "echo+ruby"];
    if !here(&stores) {
        return;
    }
    let place = Place::new();
    let increment = "operation = \"increment\"\ndistribution = \"uniform\"\ncount = 400\nconnections = ";
    let study = crate::common::TINY.replace("operation = \"update\"\nduration = \"50ms\"", &format!("{increment}4"));
    let said = finish(&mut place.run(&study, &["--stores", &stores.join(","), "--rounds", "1"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    let sum = |job: &kurabe_record::JobRecord| job.phases[2].counters.map(|counters| (counters.sum, counters.least));
    assert!(place.loaded().jobs.iter().all(|job| sum(job).is_none()));
    let place = Place::new();
    let said = finish(&mut place.run(&study.replace("connections = 4", "connections = 1"), &["--stores", "echo+perl"]));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(place.loaded().jobs.iter().all(|job| sum(job) == Some((400, 400))));
}
