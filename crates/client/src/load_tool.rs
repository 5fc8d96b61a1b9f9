//! Load tools: programs that drive a store and tell a rate, as the client of a candidate.
//!
//! wrk, ab, siege and pgbench choose their own requests, take their own time and tell a number when they end. Nobody
//! sees what they were answered, so nothing that they do can be judged; a candidate of theirs is measured in the same
//! rounds as any other and never ranked. Teaching each the protocol of other clients would mean to write another
//! program, whose rate is not the tool's. So the store stays Kurabe's: it is made, loaded and counted by the adapter
//! that it has, and the tool does a phase that is no load, as one process, for as long as the phase lasts. What a tool
//! cannot be asked for stands among the capabilities ([`LoadTool`]); a report that tells of a failure, or cannot be
//! read, ends the job.

use std::ffi::OsString;
use std::io::{ErrorKind, PipeReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kurabe_protocol::{
    Ask, Capabilities, Checks, Connect, Distribution, Encoding, FieldType, Histogram, Increments, Job, Layout,
    LoadTool, Operation, Phase, Pool, ReadScope, Series, StoppedBy, Warmup, excerpt,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::adapter::{Driver, Store, StoreError, Texts};
use crate::clock::{now_ns, system_ns};
use crate::external::child::dies_with_this_process;
use crate::outcome::Outcome;
use crate::phase::{Gate, GateDecision, PhaseContext};
use crate::shape::LoopShape;

/// How often the harness is looked at while a tool works.
const EVERY: Timespec = Timespec { tv_sec: 0, tv_nsec: 20_000_000 };
/// How often it is looked whether a tool has ended that says nothing more.
const END: Duration = Duration::from_millis(2);
/// More than any of them prints; what comes behind it is not kept.
const MOST_BYTES: usize = 1 << 20;
/// Lines of a tool's words in an error.
const WORDS: usize = 4;
const SECOND_NS: u64 = 1_000_000_000;

/// A load tool, as it drives stores of type `S`.
pub struct Tool<S> {
    /// Its name, that of its client.
    pub name: &'static str,
    /// The option by which it tells its version.
    pub version: &'static str,
    /// What it does beside loads, which are Kurabe's.
    pub operations: &'static [Operation],
    /// How it can choose rows.
    pub distributions: &'static [Distribution],
    /// Whether it can make a connection for each operation.
    pub connects_each: bool,
    /// Gives a command, which begins with its program, what is to be asked.
    pub ask: fn(&S, &ToolWork<'_>, &mut Command) -> Result<(), StoreError>,
    /// Reads what it printed; `None` where that is no report.
    pub parse_report: fn(&str) -> Option<ToolReport>,
}

/// What a tool is to do.
pub struct ToolWork<'a> {
    /// The job.
    pub job: &'a Job,
    /// The phase.
    pub phase: &'a Phase,
    /// For so many seconds.
    pub seconds: u64,
    /// A folder for files of its own, its home, which goes with the run.
    pub folder: &'a Path,
}

/// What a tool tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ToolReport {
    /// Operations that were answered as it wants them to be.
    pub operations: u64,
    /// The others.
    pub failed: u64,
    /// Operations a second.
    pub rate: f64,
}

impl ToolReport {
    /// The time in which its operations have its rate, in ns.
    fn took_ns(self) -> u64 {
        (self.operations as f64 / self.rate * SECOND_NS as f64) as u64
    }
}

/// A store that load tools can drive.
pub trait Tooled: Store {
    /// Those tools.
    const TOOLS: &'static [Tool<Self>];
}

/// The tool of this process: its name and its program.
static CHOSEN: OnceLock<(String, OsString)> = OnceLock::new();

/// Says once which tool this process is to run.
pub(crate) fn choose(name: String, program: OsString) {
    let _ = CHOSEN.set((name, program));
}

/// A store whose phases, but for loads, are done by the tool of this process.
pub struct ToolStore<S: 'static> {
    store: S,
    tool: &'static Tool<S>,
    version: String,
    job: Job,
    home: ToolFolder,
}

impl<S: Tooled> Store for ToolStore<S> {
    type Shape = ToolLoop;

    const BRINGS_RUNTIME: bool = S::BRINGS_RUNTIME;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Self, StoreError> {
        ToolStore::wrap(job, S::open(job, layout)?)
    }

    fn open_beside(job: &Job, layout: &Arc<Layout>, pool: &Arc<Pool>) -> Result<Self, StoreError> {
        ToolStore::wrap(job, S::open_beside(job, layout, pool)?)
    }

    fn driver(&self) -> Option<Driver> {
        Some(Driver { client: self.tool.name.into(), version: self.version.clone(), pid: None })
    }

    fn capabilities(&self) -> Capabilities {
        let all = self.store.capabilities();
        let is_done = |one: &Operation| *one == Operation::Load || self.tool.operations.contains(one);
        Capabilities {
            operations: all.operations.iter().copied().filter(is_done).collect(),
            key_types: vec![FieldType::Int64],
            read_scopes: vec![ReadScope::Each],
            max_depth: 1,
            batch: false,
            processes: false,
            own_data: false,
            encodings: vec![Encoding::Raw],
            reconnects: self.tool.connects_each,
            schedules: false,
            thinks: false,
            load_tool: Some(LoadTool { distributions: self.tool.distributions.to_vec() }),
            ..all
        }
    }

    fn libraries(&self) -> Texts {
        self.store.libraries()
    }

    fn call<A: Ask>(&self) -> Result<A::Answer, StoreError> {
        self.store.call::<A>()
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.store.ping()
    }

    fn info(&self) -> Result<Texts, StoreError> {
        self.store.info()
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        self.store.settings()
    }

    fn evicts(&self) -> Result<kurabe_protocol::Eviction, StoreError> {
        self.store.evicts()
    }

    fn absent(&self) -> Vec<String> {
        self.store.absent()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.store.create()
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.store.reset()
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.store.count()
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.store.sum()
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        self.store.check()
    }
}

impl<S: Tooled> ToolStore<S> {
    fn wrap(job: &Job, store: S) -> Result<ToolStore<S>, StoreError> {
        let (name, program) =
            CHOSEN.get().ok_or_else(|| StoreError::store("no load tool is named: kurabe tool NAME PROGRAM"))?;
        let tool = S::TOOLS.iter().find(|tool| tool.name == name).ok_or_else(|| {
            StoreError::store(format!("the load tool '{name}' does not drive '{}'", job.candidate.store))
        })?;
        let home = ToolFolder::of(job, program.clone())?;
        // Some end with a failure after they have told their version.
        let (said, _) = run(home.command().arg(tool.version), || false)?.ok_or(StoreError::Timeout)?;
        Ok(ToolStore { store, tool, version: version_in(&said), job: job.clone(), home })
    }

    /// Lets the tool do a phase for so many seconds; `None` where it is given up.
    fn work(&self, context: &PhaseContext<'_>, seconds: u64) -> Result<Option<ToolReport>, StoreError> {
        let mut command = self.home.command();
        let work = ToolWork { job: &self.job, phase: context.phase, seconds, folder: &self.home.folder };
        (self.tool.ask)(&self.store, &work, &mut command)?;
        let begun_ns = system_ns();
        let Some((said, status)) = run(&mut command, || context.aborted(now_ns()))? else { return Ok(None) };
        let told = self.judge(&said, status)?;
        let took_ns = system_ns() - begun_ns;
        let told_ns = told.took_ns();
        if took_ns < seconds * SECOND_NS * 9 / 10 || told_ns > took_ns + took_ns / 10 {
            let (took, told) = (took_ns as f64 / 1e9, told_ns as f64 / 1e9);
            let problem = format!("worked for {took:.2} s of {seconds} s, and tells of {told:.2} s");
            return Err(StoreError::store(format!("{} {problem}: {}", self.tool.name, words(&said))));
        }
        Ok(Some(told))
    }

    /// What a tool told, where it is a report of work that did not fail.
    fn judge(&self, said: &str, status: ExitStatus) -> Result<ToolReport, StoreError> {
        let name = self.tool.name;
        let failed = |what: String| Err(StoreError::store(format!("{name} {what}: {}", words(said))));
        match (self.tool.parse_report)(said) {
            _ if !status.success() => failed(format!("ended with {status}")),
            None => failed("printed what cannot be read".into()),
            Some(told) if told.failed > 0 => failed(format!("tells of {} operations that failed", told.failed)),
            Some(told) if told.operations == 0 || !(told.rate.is_finite() && told.rate > 0.0) => {
                failed("tells of nothing that was answered".into())
            }
            Some(told) => Ok(told),
        }
    }
}

/// The program of a tool, and where it finds nothing of its user's and leaves what it makes.
struct ToolFolder {
    program: OsString,
    folder: PathBuf,
}

impl ToolFolder {
    /// In the folder of the run, above that of the pool: it goes with that, whatever ends the run.
    fn of(job: &Job, program: OsString) -> Result<ToolFolder, StoreError> {
        let folder = Path::new(&job.pool).ancestors().nth(2).unwrap_or(Path::new(".")).join("load-tool");
        std::fs::create_dir_all(&folder)
            .map_err(|error| StoreError::store(format!("cannot make '{}': {error}", folder.display())))?;
        Ok(ToolFolder { program, folder })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("HOME", &self.folder);
        command
    }
}

/// Loads by the loop of the store; every other phase is the tool's.
pub struct ToolLoop;

impl<S: Tooled<Shape: LoopShape<S>>> LoopShape<ToolStore<S>> for ToolLoop {
    fn run(store: &ToolStore<S>, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        if context.phase.loading().is_some() {
            return S::Shape::run(&store.store, context, gate);
        }
        let left = || Ok(outcomes(context, None));
        if let Some(Warmup::DurationNs(ns)) = context.phase.warmup
            && store.work(context, ns.div_ceil(SECOND_NS).max(1))?.is_none()
        {
            return left();
        }
        if gate.wait() != GateDecision::Start {
            return left();
        }
        let seconds = context.phase.end.duration_ns().unwrap_or(0) / SECOND_NS;
        Ok(outcomes(context, store.work(context, seconds)?))
    }

    fn threads(context: &PhaseContext<'_>) -> u32 {
        // The caller looks after the tool.
        if context.phase.loading().is_some() { S::Shape::threads(context) } else { 1 }
    }
}

/// What each connection is taken to have done: a tool tells of all together. Its last operation ended just now, and the
/// first began so much earlier that the rate is the one that it tells. Nothing where the phase was left.
fn outcomes(context: &PhaseContext<'_>, told: Option<ToolReport>) -> Vec<Outcome> {
    let end_ns = system_ns();
    let took_ns = told.map_or(0, ToolReport::took_ns);
    let all = told.map_or(0, |told| told.operations);
    let workers: Vec<u32> = context.workers().collect();
    let of_each = |(at, worker): (usize, &u32)| Outcome {
        worker: *worker,
        operations: (all + workers.len() as u64 - 1 - at as u64) / workers.len() as u64,
        failed: 0,
        first_start_ns: end_ns.saturating_sub(took_ns),
        last_end_ns: end_ns,
        latency: Vec::<(Operation, Histogram)>::new(),
        planned: None,
        failures: Vec::new(),
        checks: Checks::default(),
        retries: 0,
        encoding_ns: 0,
        rows_read: 0,
        increments: Increments::default(),
        series: Series::default(),
        connects: 0,
        runtime: None,
        stopped_by: if told.is_some() { StoppedBy::Duration } else { StoppedBy::Abort },
    };
    workers.iter().enumerate().map(of_each).collect()
}

/// Runs a command to its end: what it printed and how it ended; `None` where `is_over` says that nobody waits for it,
/// and it was killed.
fn run(command: &mut Command, is_over: impl Fn() -> bool) -> Result<Option<(String, ExitStatus)>, StoreError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| StoreError::store(format!("cannot start '{program}': {error}"));
    let (mut said, end) = std::io::pipe().map_err(failed)?;
    command.stdin(Stdio::null()).stdout(end.try_clone().map_err(failed)?).stderr(end);
    dies_with_this_process(command);
    let mut process = Running(command.spawn().map_err(failed)?);
    // Or its end could not be heard.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut heard = Vec::new();
    while hear(&mut said, &mut heard).map_err(|error| StoreError::store(format!("cannot hear '{program}': {error}")))? {
        if is_over() {
            return Ok(None);
        }
    }
    loop {
        let ended = process.0.try_wait();
        match ended.map_err(|error| StoreError::store(format!("cannot wait for '{program}': {error}")))? {
            Some(status) => return Ok(Some((String::from_utf8_lossy(&heard).into_owned(), status))),
            None if is_over() => return Ok(None),
            None => std::thread::sleep(END),
        }
    }
}

/// Waits a little for what it says next, and keeps that; whether there may be more.
fn hear(said: &mut PipeReader, heard: &mut Vec<u8>) -> std::io::Result<bool> {
    let mut ready = [PollFd::new(&*said, PollFlags::IN)];
    match poll(&mut ready, Some(&EVERY)) {
        Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(true),
        Ok(_) => {}
        Err(error) => return Err(error.into()),
    }
    let mut piece = [0; 1 << 13];
    match said.read(&mut piece) {
        Ok(0) => Ok(false),
        Ok(len) => {
            let kept = len.min(MOST_BYTES - heard.len());
            heard.write_all(&piece[..kept]).map(|()| true)
        }
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(true),
        Err(error) => Err(error),
    }
}

/// A tool, which ends when this is dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The words of a tool that say most about a failure: those about errors, else the last.
fn words(said: &str) -> String {
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_error = |line: &&str| line.to_lowercase().contains("error");
    let errors: Vec<&str> = lines.iter().copied().filter(is_error).take(WORDS).collect();
    match (errors.len(), lines.len()) {
        (_, 0) => "it printed nothing".into(),
        (0, many) => excerpt(&lines[many.saturating_sub(WORDS)..].join("; ")),
        _ => excerpt(&errors.join("; ")),
    }
}

/// The first number with a point in it; all that there is where it holds none.
fn version_in(said: &str) -> String {
    let mut numbers = said.split(|c: char| !(c.is_ascii_digit() || c == '.')).map(|word| word.trim_matches('.'));
    numbers.find(|word| word.contains('.')).map_or_else(|| words(said), str::to_string)
}

/// The number that stands behind a word of a report, whatever stands between them.
pub fn number(report: &str, word: &str) -> Option<f64> {
    let rest = report.split_once(word)?.1.trim_start_matches([':', '"', ' ', '\t']);
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

/// Whether a phase is to make a connection for each operation.
pub fn connects_each(phase: &Phase) -> bool {
    phase.connect == Connect::Each
}
