//! The protocol's state machine: one job, its phases and calls.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kurabe_protocol::{
    Command, Event, Hello, Job, KeyMap, Layout, Load, Operation, Phase, PhaseResult, Pool, Reply, VERSION, excerpt,
};

use crate::adapter::{Blocking, InFlight, Numbering, Store, StoreError};
use crate::blocking::BlockingLoop;
use crate::calls;
use crate::choice::ReadableRows;
use crate::clock::{self, now_ns};
use crate::encoding::{Encoded, EncodedInFlight};
use crate::in_flight::InFlightLoop;
use crate::ledger::Ledger;
use crate::load_tool::{self, ToolStore, Tooled};
use crate::outcome::Outcome;
use crate::own;
use crate::parse::Source;
use crate::phase::{CpuMeter, Gate, GateDecision, PeriodicTask, PhaseContext, merge};
use crate::row_source::{self, OpenCursor};
use crate::served::{self, Served};
use crate::shape::LoopShape;
use crate::threads::panic_message;
use crate::wire::{ClientError, Wire};

/// How the job of a store is worked on, with rows from other stores.
type RunJob = fn(Box<Job>, Wire, &[Entry]) -> Result<(), ClientError>;

/// A protocol that a client speaks.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name that stores give as their wire: their own, where nobody else speaks it.
    pub name: &'static str,
    /// By which driver, where this client has several; the first is the usual one.
    pub driver: Option<&'static str>,
    run: RunJob,
    /// The same by the load tool of this process, where load tools can drive it.
    by_tool: Option<RunJob>,
    open: fn(&Job) -> Result<Box<dyn Served>, StoreError>,
    cursor: Option<OpenCursor>,
}

impl Entry {
    /// The entry of a store named `name` whose rows are never encoded: it keeps columns, or nothing.
    pub const fn of<S: Store<Shape: LoopShape<S>>>(name: &'static str) -> Entry {
        Entry { name, driver: None, run: run_job::<S>, by_tool: None, open: served::open::<S>, cursor: None }
    }

    /// The entry of a blocking store that keeps bytes.
    pub const fn of_bytes<S: Blocking<Shape = BlockingLoop>>(name: &'static str) -> Entry {
        let run = run_either::<S, Encoded<S>>;
        Entry { name, driver: None, run, by_tool: None, open: served::open::<S>, cursor: None }
    }

    /// The entry of a store in flight that keeps bytes.
    pub const fn of_bytes_in_flight<S: InFlight<Shape = InFlightLoop>>(name: &'static str) -> Entry {
        let run = run_either::<S, EncodedInFlight<S>>;
        Entry { name, driver: None, run, by_tool: None, open: served::open::<S>, cursor: None }
    }
}

impl Entry {
    /// The same by a driver of this name.
    pub const fn by(self, driver: &'static str) -> Entry {
        Entry { driver: Some(driver), ..self }
    }

    /// The same, which load tools can drive too.
    pub const fn by_tools<S: Tooled<Shape: LoopShape<S>>>(self) -> Entry {
        Entry { by_tool: Some(run_job::<ToolStore<S>>), ..self }
    }

    /// The same, with rows that loads of other stores can fetch.
    pub const fn fetching(self, cursor: OpenCursor) -> Entry {
        Entry { cursor: Some(cursor), ..self }
    }
}

/// Opens the store of `job` by its usual driver for a service, from those of `registry`.
///
/// # Errors
/// Where there is no such store, its schema cannot be, or it cannot be opened.
pub fn open_served(registry: &[Entry], job: &Job) -> Result<Box<dyn Served>, StoreError> {
    let entry = find(registry, job, None).map_err(StoreError::store)?;
    (entry.open)(job)
}

/// How often progress is told.
const PROGRESS_NS: u64 = 500_000_000;
/// How often stdin is looked at while threads work.
const LOOK: Duration = Duration::from_millis(20);

/// Works on one job from stdin with the stores of `registry`, by `driver` where one is named; returns the exit status.
pub fn serve(registry: &[Entry], driver: Option<&str>) -> i32 {
    serve_with(registry, |job| find(registry, job, driver).copied())
}

/// Works on one job from stdin by the load tool `name`, which is the program `program`, with a store of `registry`;
/// returns the exit status.
pub fn serve_by_tool(registry: &[Entry], name: String, program: OsString) -> i32 {
    load_tool::choose(name, program);
    serve_with(registry, |job| {
        let entry = find(registry, job, None)?;
        let refused = || ClientError::Refused(format!("no load tool drives '{}'", job.candidate.store));
        Ok(Entry { run: entry.by_tool.ok_or_else(refused)?, ..*entry })
    })
}

/// Works on one job from stdin with the store that `entry` gives for it, and rows from those of `registry`; returns the exit
/// status.
pub(crate) fn serve_with(registry: &[Entry], entry: impl Fn(&Job) -> Result<Entry, ClientError>) -> i32 {
    let outcome = Wire::open().and_then(|wire| {
        let result = wire.first_job().and_then(|job| {
            let entry = entry(&job)?;
            (entry.run)(job, wire.clone(), registry)
        });
        if let Err(error @ (ClientError::Refused(_) | ClientError::Failed(_))) = &result {
            wire.say(Event::Error { message: error.to_string() })?;
        }
        result
    });
    outcome.map_or_else(|error| error.exit_status(), |()| 0)
}

fn find<'a>(registry: &'a [Entry], job: &Job, driver: Option<&str>) -> Result<&'a Entry, ClientError> {
    let name = &job.candidate.store;
    let of_store = || registry.iter().filter(|entry| entry.name == job.candidate.wire);
    let mut meant = of_store().filter(|entry| driver.is_none() || entry.driver == driver);
    meant.next().ok_or_else(|| {
        let known: Vec<&str> = of_store().filter_map(|entry| entry.driver).collect();
        ClientError::Refused(match (driver, of_store().next()) {
            (Some(driver), Some(_)) if known.is_empty() => {
                format!("this client has one driver for '{name}', which has no name; leave '{driver}' out")
            }
            (Some(driver), Some(_)) => {
                format!("this client has no driver '{driver}' for '{name}'; it has {}", known.join(", "))
            }
            _ => {
                let mut known: Vec<&str> = registry.iter().map(|entry| entry.name).collect();
                known.dedup();
                format!("this client has no store '{name}'; it has {}", known.join(", "))
            }
        })
    })
}

struct Session<'a, S> {
    job: &'a Job,
    /// Where a load may fetch its rows from.
    registry: &'a [Entry],
    store: S,
    layout: Arc<Layout>,
    pool: Arc<Pool>,
    ledger: Ledger,
    /// The lines that a load splits again, where one does.
    lines: Option<Source<'a>>,
    wire: Wire,
}

/// Runs a job with the adapter as it is where rows stay raw, else with the one that encodes them.
fn run_either<S: Store<Shape: LoopShape<S>>, E: Store<Shape: LoopShape<E>>>(
    job: Box<Job>,
    wire: Wire,
    registry: &[Entry],
) -> Result<(), ClientError> {
    if job.encoding.is_raw() { run_job::<S>(job, wire, registry) } else { run_job::<E>(job, wire, registry) }
}

fn run_job<S: Store<Shape: LoopShape<S>>>(job: Box<Job>, wire: Wire, registry: &[Entry]) -> Result<(), ClientError> {
    let session = Session::<S>::open(&job, wire, registry)?;
    session.wire.say(Event::Hello(Box::new(session.hello())))?;
    session.work()
}

impl<'a, S: Store<Shape: LoopShape<S>>> Session<'a, S> {
    fn open(job: &'a Job, wire: Wire, registry: &'a [Entry]) -> Result<Session<'a, S>, ClientError> {
        let refused = |error: String| ClientError::Refused(format!("job '{}': {error}", job.id));
        job.schema.validate().map_err(|error| refused(error.to_string()))?;
        let layout = match &job.data {
            Some(files) => Layout::of_rows(&job.schema, own::map(files, job.rows).map_err(refused)?),
            None => Layout::new(&job.schema),
        };
        let layout = Arc::new(layout);
        let bytes = std::fs::read(&job.pool).map_err(|error| refused(format!("cannot read the pool: {error}")))?;
        let pool =
            Pool::new(&bytes, &layout).map(Arc::new).ok_or_else(|| refused("the pool has a wrong size".into()))?;
        let ledger = new_ledger(job, layout.keys()).map_err(refused)?;
        let lines = row_source::lines(job).map_err(refused)?;
        let store = S::open_beside(job, &layout, &pool).map_err(|error| ClientError::Failed(error.to_string()))?;
        let ledger = match store.numbering() {
            Numbering::Keys => ledger,
            Numbering::Arrival(acknowledgements) => ledger.with_arrivals(acknowledgements),
        };
        // What another process does is judged after it was done.
        let notes_times = store.driver().is_none() && job.phases.iter().any(|phase| phase.counts_losses);
        let ledger = if notes_times { ledger.with_times() } else { ledger };
        Ok(Session { job, registry, store, layout, pool, ledger, lines, wire })
    }

    fn hello(&self) -> Hello {
        let driver = self.store.driver();
        let (client, version) = match &driver {
            Some(driver) => (driver.client.clone(), driver.version.clone()),
            None => ("rust".into(), env!("CARGO_PKG_VERSION").into()),
        };
        Hello {
            kurabe: VERSION,
            client,
            version,
            libraries: self.store.libraries(),
            capabilities: self.store.capabilities(),
            driver_pid: driver.and_then(|driver| driver.pid),
        }
    }

    fn work(self) -> Result<(), ClientError> {
        loop {
            match self.wire.next()? {
                Command::Job(_) => return Err(ClientError::Refused("a second job came".into())),
                Command::Call(call) => {
                    let outcome = calls::answer(&self.store, call.name);
                    self.wire.say(Event::Reply(Reply { id: call.id, outcome, absent: self.store.absent() }))?;
                }
                Command::Prepare(phase) => {
                    if let PhaseExit::Stop = self.run_phase(self.phase(&phase)?, StartMode::OnGo)? {
                        break;
                    }
                }
                Command::PrepareStep(step) => {
                    let phase = self.phase(&step.phase)?.at_rate(step.rate, step.duration_ns);
                    if let PhaseExit::Stop = self.run_phase(&phase, StartMode::OnGo)? {
                        break;
                    }
                }
                Command::Go(phase) => {
                    if let PhaseExit::Stop = self.run_phase(self.phase(&phase)?, StartMode::Immediate)? {
                        break;
                    }
                }
                Command::Skip(_) => {}
                Command::Stop => break,
            }
        }
        self.wire.say(Event::End)
    }

    fn phase(&self, name: &str) -> Result<&Phase, ClientError> {
        let phase = self.job.phases.iter().find(|phase| phase.name == name);
        phase.ok_or_else(|| ClientError::Refused(format!("job '{}' has no phase '{name}'", self.job.id)))
    }

    fn meter(&self) -> CpuMeter {
        CpuMeter::start(self.store.driver().and_then(|driver| driver.pid))
    }

    /// Whether rows are written in a phase, or were updated or deleted in one before it.
    fn is_written_by(&self, phase: &Phase) -> bool {
        let changes = |phase: &Phase| phase.does(Operation::Update) || phase.does(Operation::Delete);
        let mut before = self.job.phases.iter().take_while(|other| other.name != phase.name);
        phase.writes_rows() || before.any(changes)
    }

    /// Prepares a phase, starts it and tells its result.
    fn run_phase(&self, phase: &Phase, begin: StartMode) -> Result<PhaseExit, ClientError> {
        let name = phase.name.as_str();
        let mut context = PhaseContext::new(self.job, phase, &self.layout, &self.pool, &self.ledger, &self.wire.abort)
            .map_err(ClientError::Failed)?;
        let capabilities = self.store.capabilities();
        context.blind_writes = capabilities.blind_writes;
        // What a client behind a driver encodes it encodes inside its own clock.
        context.encodes &= self.store.driver().is_none();
        if !capabilities.encodings.contains(&self.job.encoding) {
            return Err(ClientError::Refused(format!("encoding '{}' does not exist here", self.job.encoding)));
        }
        // Processes that do not see each other's versions tell them by the digits in generated values.
        if self.job.data.is_some() && self.job.processes > 1 {
            return Err(ClientError::Refused(format!("phase '{name}': rows of a data file need one process")));
        }
        let cursor = |wire: &str| self.registry.iter().find(|entry| entry.name == wire)?.cursor;
        context.row_source = row_source::origin(self.job, phase, self.lines, cursor).map_err(ClientError::Failed)?;
        if !capabilities.shared_versions && self.is_written_by(phase) {
            context.readable = ReadableRows::Own;
        }
        if capabilities.keeps_copies {
            context.copies = self.job.phases.iter().find_map(Phase::loading).map_or(1, |loading| loading.passes);
        }
        let path = phase.load().map(Load::path);
        if let Some(path) = path.filter(|path| !capabilities.load_paths.contains(path)) {
            return Err(ClientError::Refused(format!("phase '{name}': load path '{path}' does not exist here")));
        }
        clock::tie();
        let threads = S::Shape::threads(&context);
        let (context, (after, cpu, outcomes)) = if threads == 1 {
            let context = context.with_pulse(self.pulse(name));
            let ran = self.run_alone(name, begin, &context)?;
            (context, ran)
        } else {
            let ran = self.run_on_threads(name, begin, &context)?;
            (context, ran)
        };
        if self.wire.abort.load(Ordering::Relaxed) {
            return Err(ClientError::Abandoned);
        }
        if let (PhaseExit::Next, Some(cpu)) = (after, cpu) {
            let result: PhaseResult = merge(&context, outcomes, &cpu, threads);
            self.wire.say(Event::Result(Box::new(result)))?;
        }
        Ok(if after == PhaseExit::Stop { PhaseExit::Stop } else { PhaseExit::Next })
    }

    /// One worker: this thread is it, and the process has no other. Between operations it looks at stdin and tells
    /// progress.
    fn run_alone(&self, name: &str, begin: StartMode, context: &PhaseContext<'_>) -> Result<PhaseRun, ClientError> {
        let decided = Mutex::new((Ok(PhaseExit::Next), None));
        let gate = Gate::of_one(Box::new(|| {
            let after = self.begin(name, begin);
            let go = if matches!(after, Ok(PhaseExit::Next)) { GateDecision::Start } else { GateDecision::Leave };
            *decided.lock().unwrap_or_else(PoisonError::into_inner) = (after, Some(self.meter()));
            go
        }));
        let work = AssertUnwindSafe(|| S::Shape::run(&self.store, context, &gate));
        let outcomes = catch_unwind(work)
            .unwrap_or_else(|panic| Err(StoreError::Store(format!("a worker failed: {}", panic_message(&*panic)))));
        drop(gate);
        let (after, cpu) = decided.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcomes = outcomes.map_err(|error| ClientError::Failed(format!("phase '{name}': {error}")))?;
        Ok((after?, cpu, outcomes))
    }

    /// Several workers, each on a thread of its own; this thread looks at stdin and tells progress.
    fn run_on_threads(
        &self,
        name: &str,
        begin: StartMode,
        context: &PhaseContext<'_>,
    ) -> Result<PhaseRun, ClientError> {
        let gate = Gate::default();
        let pulse = self.pulse(name);
        std::thread::scope(|scope| {
            let (finished, outcomes) = channel();
            let work = scope.spawn(|| {
                let outcome = S::Shape::run(&self.store, context, &gate);
                // The session may have given up meanwhile; then nobody needs the outcome.
                let _ = { finished }.send(outcome);
            });
            let arrived = gate.wait_for(S::Shape::threads(context));
            let after = if arrived { self.begin(name, begin).inspect_err(|_| gate.abort())? } else { PhaseExit::Next };
            let cpu = self.meter();
            if after == PhaseExit::Next {
                gate.open();
            } else {
                gate.abort();
            }
            let outcomes = loop {
                match outcomes.recv_timeout(LOOK) {
                    Ok(outcomes) => break outcomes,
                    Err(RecvTimeoutError::Timeout) => pulse(context),
                    Err(RecvTimeoutError::Disconnected) => {
                        let why = work.join().err().map(|panic| panic_message(&*panic)).unwrap_or_default();
                        return Err(ClientError::Failed(format!("phase '{name}': its thread failed: {why}")));
                    }
                }
            };
            let outcomes = outcomes.map_err(|error| ClientError::Failed(format!("phase '{name}': {error}")))?;
            Ok((after, Some(cpu), outcomes))
        })
    }

    /// Tells that the phase is prepared and waits for what comes next.
    fn begin(&self, name: &str, begin: StartMode) -> Result<PhaseExit, ClientError> {
        self.wire.say(Event::Ready(name.to_string()))?;
        if begin == StartMode::Immediate {
            return Ok(PhaseExit::Next);
        }
        match self.wire.next()? {
            Command::Go(next) if next == name => Ok(PhaseExit::Next),
            Command::Skip(next) if next == name => Ok(PhaseExit::Skipped),
            Command::Stop => Ok(PhaseExit::Stop),
            other => {
                let got = excerpt(&other.to_line());
                Err(ClientError::Refused(format!("phase '{name}' is prepared, but '{got}' came")))
            }
        }
    }

    /// Looks at stdin, and tells progress twice a second.
    fn pulse<'b>(&'b self, name: &'b str) -> PeriodicTask<'b> {
        let told_ns = AtomicU64::new(now_ns());
        Box::new(move |context| {
            self.wire.look();
            let now = now_ns();
            if now - told_ns.load(Ordering::Relaxed) < PROGRESS_NS {
                return;
            }
            told_ns.store(now, Ordering::Relaxed);
            let event = Event::Progress { phase: name.to_string(), operations: context.operations() };
            // A harness that is gone is noticed here too; the workers must not outlive it.
            if self.wire.say(event).is_err() {
                self.wire.abort.store(true, Ordering::Relaxed);
            }
        })
    }
}

/// How a phase went on after it was prepared, the processor time since, and what its workers gave.
type PhaseRun = (PhaseExit, Option<CpuMeter>, Vec<Outcome>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum StartMode {
    Immediate,
    OnGo,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PhaseExit {
    Next,
    Skipped,
    Stop,
}

/// The ledger of a job: loaded rows and everything that its phases can insert.
fn new_ledger(job: &Job, keys: &KeyMap) -> Result<Ledger, String> {
    let writes = job.phases.iter().any(|phase| phase.does(Operation::Update) || phase.does(Operation::Delete));
    // A job that only loads and reads asks for no state, so the table may be empty.
    let capacity =
        job.inserts_end().unwrap_or(if writes { job.rows } else { 0 }).max(if writes { job.rows } else { 0 });
    let limit = keys.most_rows().unwrap_or(u64::from(u32::MAX));
    if job.rows > limit || capacity > limit {
        return Err(format!(
            "{} rows and inserts are more than {limit}, which their keys tell apart",
            job.rows.max(capacity)
        ));
    }
    Ok(Ledger::new(job.rows as u32, capacity as usize))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baselines::map::Map;

    #[test]
    fn the_first_driver_of_a_store_is_the_usual_one_and_an_unknown_one_is_refused_in_words() {
        let job = |store: &str| -> Job {
            serde_json::from_value(serde_json::json!({
                "id": "j", "candidate": {"name": store, "store": store, "wire": store},
                "schema": kurabe_protocol::Schema::key_value(100),
                "rows": 1, "namespace": "ns", "process": 0, "processes": 1, "pool": "",
                "limits": {"call_ns": 1, "operation_ns": 1}, "phases": [],
            }))
            .expect("a job")
        };
        let map = || Entry::of_bytes::<Map>("two");
        let registry = [map().by("a"), map().by("b"), Entry::of_bytes::<Map>("one")];
        let found = |store, driver| {
            find(&registry, &job(store), driver).map(|entry| entry.driver).map_err(|error| error.to_string())
        };
        assert_eq!(found("two", None), Ok(Some("a")));
        assert_eq!(found("two", Some("b")), Ok(Some("b")));
        assert_eq!(found("one", None), Ok(None));
        assert_eq!(found("two", Some("c")).unwrap_err(), "this client has no driver 'c' for 'two'; it has a, b");
        assert!(found("one", Some("a")).unwrap_err().contains("has no name"));
        assert_eq!(found("three", None).unwrap_err(), "this client has no store 'three'; it has two, one");
    }
}
