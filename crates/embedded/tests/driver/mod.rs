//! Drives a client process over the protocol, as the harness does.

mod library;

use std::fmt::Debug;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};
use std::sync::OnceLock;

use kurabe_protocol::{
    Action, Call, CallName, Candidate, Command, Distribution, End, Event, Hello, Job, Mix, Operation, Phase,
    PhaseResult, ReplyOutcome, Schema, StoppedBy, Work, stream, value,
};

pub use library::library_of;

/// Entries that tests keep of a stream: streams are read cyclically, so a short one does.
const ENTRIES: usize = 20_000;
const SEED: u64 = 7;

/// Files that all jobs of a test binary read.
pub struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    /// The pool of filler and nothing else yet.
    pub fn get() -> &'static Files {
        static FILES: OnceLock<Files> = OnceLock::new();
        FILES.get_or_init(|| {
            let files = Files { folder: tempfile::tempdir().expect("a folder") };
            std::fs::write(files.path("pool"), value::pool_bytes(SEED, 0.0)).expect("the pool");
            files
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Path of the pool.
    pub fn pool(&self) -> String {
        self.path("pool").display().to_string()
    }

    /// Path of a rows stream; none for sequential.
    pub fn rows(&self, distribution: Distribution, rows: u64) -> Option<String> {
        let bytes = stream::rows_stream(distribution, rows as u32, SEED)?;
        Some(self.keep(&format!("{distribution:?}-{rows}"), bytes.get(..4 * ENTRIES).unwrap_or(&bytes)))
    }

    /// Path of a kinds stream.
    pub fn kinds(&self, mix: &[(Operation, u32)]) -> String {
        let name: String = mix.iter().map(|(operation, share)| format!("-{operation}-{share}")).collect();
        self.keep(&format!("kinds{name}"), &stream::kinds_stream(mix, SEED)[..ENTRIES])
    }

    /// Tests run side by side, so a file appears whole or not at all.
    fn keep(&self, name: &str, bytes: &[u8]) -> String {
        let mut file = tempfile::NamedTempFile::new_in(self.folder.path()).expect("a file");
        file.write_all(bytes).expect("written");
        let path = self.path(name);
        file.persist(&path).expect("renamed");
        path.display().to_string()
    }
}

/// A phase of `count` operations over `connections`.
pub fn phase(name: &str, work: impl Into<Work>, count: u64, connections: u32) -> Phase {
    Phase { connections, ..Phase::new(name, work, End::Count(count)) }
}

/// A mix of `parts`.
pub fn mix(name: &str, parts: &[(Action, u32)], count: u64, connections: u32) -> Phase {
    let mix = Mix::new(parts.to_vec()).expect("a mix");
    let kinds_stream = Files::get().kinds(&mix.shares());
    phase(name, mix.with_kinds_stream(kinds_stream), count, connections)
}

/// A job of one client process. `candidate` is a store, or a store and its variant with a colon between them.
pub fn job(candidate: &str, schema: &Schema, rows: u64, dir: &Path, phases: Vec<Phase>) -> Job {
    let (store, variant) = candidate.split_once(':').map_or((candidate, None), |(store, of)| (store, Some(of.into())));
    let of = Candidate { name: candidate.into(), variant, ..Candidate::of(store) };
    Job {
        namespace: "t".into(),
        dir: Some(dir.display().to_string()),
        settings: library_of(store).ok().flatten().map(|path| ("library".to_string(), path)).into_iter().collect(),
        pool: Files::get().pool(),
        phases,
        ..Job::new(format!("{store}-test"), of, schema.clone(), rows)
    }
}

/// A client process that works on one job.
pub struct Client {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// Its hello.
    pub hello: Hello,
    calls: u64,
}

impl Client {
    /// Starts this test binary as a client, by way of its test `client_process`, and hands it the job.
    pub fn start(job: &Job) -> Client {
        let mut child = Process::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", "client_process", "--ignored", "--nocapture"])
            .env("KURABE_TEST_CLIENT", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a client");
        let (mut stdin, stdout) = (child.stdin.take().expect("stdin"), child.stdout.take().expect("stdout"));
        writeln!(stdin, "{}", Command::Job(Box::new(job.clone())).to_line()).expect("sent");
        let mut stdout = BufReader::new(stdout);
        match next(&mut stdout) {
            Some(Event::Hello(hello)) => Client { child, stdin, stdout, hello: *hello, calls: 0 },
            other => panic!("expected hello, got {other:?}"),
        }
    }

    fn send(&mut self, command: Command) {
        writeln!(self.stdin, "{}", command.to_line()).expect("sent");
    }

    fn next(&mut self) -> Event {
        next(&mut self.stdout).expect("the client ended early")
    }

    /// Makes a call; `None` where it is unsupported.
    pub fn call(&mut self, name: CallName) -> Option<serde_json::Value> {
        self.calls += 1;
        self.send(Command::Call(Call { name, id: self.calls }));
        match self.next() {
            Event::Reply(reply) if reply.id == self.calls => match reply.outcome {
                ReplyOutcome::Ok(value) => Some(value),
                ReplyOutcome::Unsupported => None,
                ReplyOutcome::Error(error) => panic!("{name:?}: {error}"),
            },
            other => panic!("expected a reply, got {other:?}"),
        }
    }

    /// Runs a phase and demands that nothing was wrong and nothing was left out.
    pub fn run(&mut self, phase: &Phase) -> PhaseResult {
        self.send(Command::Go(phase.name.clone()));
        loop {
            match self.next() {
                Event::Result(result) => {
                    assert_sound(phase, &result);
                    return *result;
                }
                Event::Ready(_) | Event::Progress { .. } => {}
                other => panic!("phase '{}': {other:?}", phase.name),
            }
        }
    }

    /// Ends the job cleanly.
    pub fn stop(mut self) {
        self.send(Command::Stop);
        equal(self.next(), Event::End, "the last line");
        assert!(self.child.wait().expect("an end").success(), "the client's exit status");
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Where a test failed the client is still there; one that has ended cannot be killed, which is no matter.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn next(stdout: &mut impl BufRead) -> Option<Event> {
    let mut line = String::new();
    loop {
        line.clear();
        if stdout.read_line(&mut line).expect("readable") == 0 {
            return None;
        }
        // The test framework of the client's own binary says what it runs before the client speaks.
        if line.starts_with('{') {
            return Some(Event::parse(&line).expect("an event"));
        }
    }
}

fn equal<T: PartialEq + Debug>(got: T, expected: T, what: &str) {
    assert_eq!(got, expected, "{what}");
}

fn assert_sound(phase: &Phase, result: &PhaseResult) {
    let name = &phase.name;
    let checks = &result.checks;
    let bad = [checks.wrong, checks.stale, checks.lost, checks.phantom, checks.miscounted];
    assert_eq!(bad, [0; 5], "phase '{name}': {:?}", checks.examples);
    assert!(result.failures.is_empty(), "phase '{name}': {:?}", result.failures);
    equal(result.stopped_by, StoppedBy::Count, name);
    let operations: u64 = result.workers.iter().map(|worker| worker.operations).sum();
    equal(Some(operations), phase.end.count(), name);
    equal(result.latency.iter().map(|kind| kind.count).sum::<u64>(), operations, name);
    equal(result.workers.len(), phase.connections as usize, name);
    equal(result.rows_unknown, 0, name);
    if phase.operation() != Operation::Load {
        // An increment has no answer to check; the sum of the counters is.
        let increments = result.increments.unwrap_or_default();
        equal(increments.unknown, 0, name);
        assert!(
            checks.checked + increments.acknowledged >= operations,
            "phase '{name}' checked {} of {operations}",
            checks.checked
        );
    }
}
