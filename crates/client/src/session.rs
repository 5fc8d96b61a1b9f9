//! The protocol's state machine: one job, its phases and calls.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use kurabe_protocol::{
    CallName, Command, Event, Hello, Job, Layout, Operation, Phase, PhaseResult, Pool, Reply, ReplyOutcome, VERSION,
    Warmup,
};
use serde_json::{Value, json};

use crate::adapter::{Store, StoreError};
use crate::blocking::panic_message;
use crate::ledger::Ledger;
use crate::phase::{CpuMeter, Gate, LoopShape, PhaseContext, merge};

/// A store that a client can drive.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Name of the store.
    pub name: &'static str,
    run: fn(Box<Job>, Wire) -> Result<(), ClientError>,
}

impl Entry {
    /// The entry of a store named `name`.
    pub const fn of<S: Store>(name: &'static str) -> Entry {
        Entry { name, run: run_job::<S> }
    }
}

/// Why a client ends before its job does.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The job is refused.
    #[error("{0}")]
    Refused(String),
    /// The job cannot go on.
    #[error("{0}")]
    Failed(String),
    /// The harness is gone: stdin ended without `stop`.
    #[error("stdin ended before 'stop'")]
    Abandoned,
}

impl ClientError {
    fn exit_status(&self) -> i32 {
        match self {
            ClientError::Failed(_) => 1,
            ClientError::Refused(_) => 2,
            ClientError::Abandoned => 3,
        }
    }
}

/// How often progress is told.
const PROGRESS: Duration = Duration::from_millis(500);
/// Most rows that inserts limited by time alone can write: the size of the ledger's address range.
const TIMED_INSERTS: u64 = 100_000_000;

/// Works on one job from stdin with the stores of `registry`; returns the exit status.
pub fn serve(registry: &[Entry]) -> i32 {
    let outcome = Wire::open().and_then(|mut wire| {
        let result = first_job(&mut wire).and_then(|job| match find(registry, &job) {
            Ok(entry) => (entry.run)(job, wire.clone()),
            Err(error) => Err(error),
        });
        if let Err(error @ (ClientError::Refused(_) | ClientError::Failed(_))) = &result {
            wire.say(&Event::Error { message: error.to_string() })?;
        }
        result
    });
    outcome.map_or_else(|error| error.exit_status(), |()| 0)
}

fn find<'a>(registry: &'a [Entry], job: &Job) -> Result<&'a Entry, ClientError> {
    let name = &job.candidate.store;
    registry.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let known: Vec<&str> = registry.iter().map(|entry| entry.name).collect();
        ClientError::Refused(format!("this client has no store '{name}'; it has {}", known.join(", ")))
    })
}

fn first_job(wire: &mut Wire) -> Result<Box<Job>, ClientError> {
    match wire.next()? {
        Command::Job(job) => Ok(job),
        other => Err(ClientError::Refused(format!("expected a job first, got '{}'", other.to_line()))),
    }
}

/// The client's end of the protocol: lines in, lines out.
#[derive(Clone)]
pub struct Wire {
    lines: Arc<std::sync::Mutex<Receiver<Line>>>,
    out: Arc<File>,
    /// Set when stdin ended without `stop`; workers look at it between blocks.
    abort: Arc<AtomicBool>,
}

enum Line {
    Command(Command),
    Bad(String),
    End,
}

impl Wire {
    /// Keeps a private copy of stdout for events, points descriptor 1 at stderr (libraries print
    /// there) and starts to read stdin.
    fn open() -> Result<Wire, ClientError> {
        let failed = |error: std::io::Error| ClientError::Failed(format!("cannot set up stdout: {error}"));
        let out: OwnedFd = std::io::stdout().as_fd().try_clone_to_owned().map_err(failed)?;
        rustix::stdio::dup2_stdout(std::io::stderr()).map_err(|error| failed(error.into()))?;
        let (sender, lines) = channel();
        let abort = Arc::new(AtomicBool::new(false));
        let seen = abort.clone();
        std::thread::spawn(move || read_lines(&sender, &seen));
        Ok(Wire { lines: Arc::new(std::sync::Mutex::new(lines)), out: Arc::new(File::from(out)), abort })
    }

    fn receive(&self, wait: Option<Duration>) -> Result<Option<Command>, ClientError> {
        let lines = self.lines.lock().map_err(|_| ClientError::Abandoned)?;
        let line = match wait {
            None => lines.recv().map_err(|_| ClientError::Abandoned)?,
            Some(wait) => match lines.recv_timeout(wait) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) => return Ok(None),
                Err(RecvTimeoutError::Disconnected) => return Err(ClientError::Abandoned),
            },
        };
        match line {
            Line::Command(command) => Ok(Some(command)),
            Line::Bad(error) => Err(ClientError::Refused(error)),
            Line::End => Err(ClientError::Abandoned),
        }
    }

    fn next(&mut self) -> Result<Command, ClientError> {
        self.receive(None).map(|command| command.unwrap_or(Command::Stop))
    }

    fn say(&self, event: &Event) -> Result<(), ClientError> {
        let mut line = event.to_line();
        line.push('\n');
        // A harness that does not read any more is gone.
        (&*self.out).write_all(line.as_bytes()).map_err(|_| ClientError::Abandoned)
    }
}

fn read_lines(sender: &Sender<Line>, abort: &AtomicBool) {
    let mut stopped = false;
    for line in BufReader::new(std::io::stdin()).lines() {
        let Ok(line) = line else { break };
        if line.trim().is_empty() {
            continue;
        }
        let line = match Command::parse(&line) {
            Ok(command) => {
                stopped |= command == Command::Stop;
                Line::Command(command)
            }
            Err(error) => Line::Bad(error.to_string()),
        };
        if sender.send(line).is_err() {
            return;
        }
    }
    if !stopped {
        abort.store(true, Ordering::Relaxed);
        // The session may have ended; then nobody needs to know.
        let _ = sender.send(Line::End);
    }
}

struct Session<'a, S> {
    job: &'a Job,
    store: S,
    layout: Arc<Layout>,
    pool: Pool,
    ledger: Ledger,
    wire: Wire,
}

fn run_job<S: Store>(job: Box<Job>, wire: Wire) -> Result<(), ClientError> {
    let session = Session::<S>::open(&job, wire)?;
    session.wire.say(&Event::Hello(Box::new(session.hello())))?;
    session.work()
}

impl<S: Store> Session<'_, S> {
    fn open(job: &Job, wire: Wire) -> Result<Session<'_, S>, ClientError> {
        let refused = |error: String| ClientError::Refused(format!("job '{}': {error}", job.id));
        job.schema.validate().map_err(|error| refused(error.to_string()))?;
        let layout = Arc::new(Layout::new(&job.schema));
        let bytes = std::fs::read(&job.pool).map_err(|error| refused(format!("cannot read the pool: {error}")))?;
        let pool = Pool::new(&bytes, &layout).ok_or_else(|| refused("the pool has a wrong size".into()))?;
        let ledger = new_ledger(job).map_err(refused)?;
        let store = S::open(job, &layout).map_err(|error| ClientError::Failed(error.to_string()))?;
        Ok(Session { job, store, layout, pool, ledger, wire })
    }

    fn hello(&self) -> Hello {
        Hello {
            kurabe: VERSION,
            client: "rust".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            libraries: self.store.libraries(),
            capabilities: self.store.capabilities(),
        }
    }

    fn work(mut self) -> Result<(), ClientError> {
        loop {
            match self.wire.next()? {
                Command::Job(_) => return Err(ClientError::Refused("a second job came".into())),
                Command::Call(call) => {
                    let outcome = self.answer(call.name);
                    self.wire.say(&Event::Reply(Reply { id: call.id, outcome }))?;
                }
                Command::Prepare(phase) => {
                    if let After::Stop = self.run_phase(&phase, Begin::WhenTold)? {
                        break;
                    }
                }
                Command::Go(phase) => {
                    if let After::Stop = self.run_phase(&phase, Begin::AtOnce)? {
                        break;
                    }
                }
                Command::Skip(_) => {}
                Command::Stop => break,
            }
        }
        self.wire.say(&Event::End)
    }

    fn phase(&self, name: &str) -> Result<&Phase, ClientError> {
        let phase = self.job.phases.iter().find(|phase| phase.name == name);
        phase.ok_or_else(|| ClientError::Refused(format!("job '{}' has no phase '{name}'", self.job.id)))
    }

    /// Prepares a phase, starts it and tells its result. The workers run on threads of their own;
    /// this thread reads commands and tells progress.
    fn run_phase(&self, name: &str, begin: Begin) -> Result<After, ClientError> {
        let phase = self.phase(name)?;
        let context = PhaseContext::new(self.job, phase, &self.layout, &self.pool, &self.ledger, &self.wire.abort)
            .map_err(ClientError::Failed)?;
        let gate = Gate::default();
        std::thread::scope(|scope| {
            let (finished, outcomes) = channel();
            let work = scope.spawn(|| {
                let outcome = S::Shape::run(&self.store, &context, &gate);
                // The session may have given up meanwhile; then nobody needs the outcome.
                let _ = { finished }.send(outcome);
            });
            let threads = S::Shape::threads(&context);
            let after = if gate.wait_for(threads) { self.begin(name, begin, &gate)? } else { After::Next };
            let cpu = CpuMeter::start();
            if after == After::Next {
                gate.open();
            }
            let outcomes = loop {
                match outcomes.recv_timeout(PROGRESS) {
                    Ok(outcomes) => break outcomes,
                    Err(RecvTimeoutError::Timeout) => self.tell_progress(name, &context)?,
                    Err(RecvTimeoutError::Disconnected) => {
                        let why = work.join().err().map(|panic| panic_message(&*panic)).unwrap_or_default();
                        return Err(ClientError::Failed(format!("phase '{name}': its thread failed: {why}")));
                    }
                }
            };
            let outcomes = outcomes.map_err(|error| ClientError::Failed(format!("phase '{name}': {error}")))?;
            if self.wire.abort.load(Ordering::Relaxed) {
                return Err(ClientError::Abandoned);
            }
            if after == After::Next {
                let result: PhaseResult = merge(&context, outcomes, &cpu, threads);
                self.wire.say(&Event::Result(Box::new(result)))?;
            }
            Ok(if after == After::Stop { After::Stop } else { After::Next })
        })
    }

    /// Tells that the phase is prepared and waits for what comes next. The gate is closed for good
    /// where the phase does not take place, or the workers would wait for ever.
    fn begin(&self, name: &str, begin: Begin, gate: &Gate) -> Result<After, ClientError> {
        let decide = || {
            self.wire.say(&Event::Ready(name.to_string()))?;
            if begin == Begin::AtOnce {
                return Ok(After::Next);
            }
            match self.wire.receive(None)? {
                Some(Command::Go(next)) if next == name => Ok(After::Next),
                Some(Command::Skip(next)) if next == name => Ok(After::Skipped),
                Some(Command::Stop) => Ok(After::Stop),
                other => {
                    let got = other.map(|command| command.to_line()).unwrap_or_default();
                    Err(ClientError::Refused(format!("phase '{name}' is prepared, but '{got}' came")))
                }
            }
        };
        let decided = decide();
        if !matches!(decided, Ok(After::Next)) {
            gate.abort();
        }
        decided
    }

    fn tell_progress(&self, name: &str, context: &PhaseContext<'_>) -> Result<(), ClientError> {
        let event = Event::Progress { phase: name.to_string(), operations: context.operations() };
        // A harness that is gone is noticed here too; the workers must not outlive it.
        self.wire.say(&event).inspect_err(|_| self.wire.abort.store(true, Ordering::Relaxed))
    }

    fn answer(&self, name: CallName) -> ReplyOutcome {
        let answer: Result<Value, StoreError> = match name {
            CallName::Ping => self.store.ping().map(|()| json!(true)),
            CallName::Info => self.store.info().map(|texts| json!(texts)),
            CallName::Settings => self.store.settings().map(|texts| json!(texts)),
            CallName::Create => self.store.create().map(|()| json!(true)),
            CallName::Reset => self.store.reset().map(|()| json!(true)),
            CallName::Count => self.store.count().map(|rows| json!({"rows": rows})),
            CallName::Size => self.store.size_bytes().map(|bytes| json!({"bytes": bytes})),
            CallName::Check => self.store.check().map(|(sound, detail)| json!({"sound": sound, "detail": detail})),
            CallName::Backup | CallName::Restore | CallName::Alter => Err(StoreError::Unsupported),
        };
        match answer {
            Ok(value) => ReplyOutcome::Ok(value),
            Err(StoreError::Unsupported) => ReplyOutcome::Unsupported,
            Err(error) => ReplyOutcome::Error(error.to_string()),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    AtOnce,
    WhenTold,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Next,
    Skipped,
    Stop,
}

/// The ledger of a job: loaded rows and everything that its phases can insert.
fn new_ledger(job: &Job) -> Result<Ledger, String> {
    let inserts = |phase: &&Phase| phase.does(Operation::Insert);
    let warmup = |phase: &Phase| match phase.warmup {
        None => 0,
        Some(Warmup::Count(count)) => count,
        Some(Warmup::DurationNs(_)) => TIMED_INSERTS,
    };
    // The warm-up's numbers and the measured ones are both rounded up to whole rounds of workers.
    let end = |phase: &Phase| {
        let rows = warmup(phase) + phase.count.unwrap_or(TIMED_INSERTS) + 2 * u64::from(phase.connections);
        phase.first_row + rows
    };
    let writes = job.phases.iter().any(|phase| phase.does(Operation::Update) || phase.does(Operation::Delete));
    let inserted_end = job.phases.iter().filter(inserts).map(end).max();
    // A job that only loads and reads asks for no state, so the table may be empty.
    let capacity = inserted_end.unwrap_or(if writes { job.rows } else { 0 }).max(if writes { job.rows } else { 0 });
    let limit = u64::from(u32::MAX);
    if job.rows > limit || capacity > limit {
        return Err(format!("{} rows and inserts are more than {limit}", job.rows.max(capacity)));
    }
    Ok(Ledger::new(job.rows as u32, capacity as usize))
}
