//! Clients in other languages: a child follows a script and writes a tape, and this process judges it.
//!
//! A store behaves differently through each language and driver, so the language must be measured. The rules must not
//! be written in each. This process is the client towards the harness. It chooses operations a little ahead of the
//! child (`script.rs`). It judges answers a little behind it, by the one oracle (`judge.rs`). The child (`child.rs`)
//! drives the store, stamps each operation, and writes the CRC-32 of key and value (`tape.rs`).
//!
//! Scripts and tapes go through pipes (`stream.rs`), so memory does not grow with the length of a phase. A script
//! prepared in advance took 4.5 GB for eight connections and a minute (commit d91e2cf5). Script and judge work by the
//! clock. A judge that the child woke for each piece slowed Perl's `echo` by a fifth (commit c2703941).
//!
//! Row choice and oracle in each language were the first way. Each rule had to be written, and could be wrong, seven
//! times. Whole answers on the tape would be exact, but double what the client writes. A CRC-32 misses a randomly
//! altered value once in four thousand million times. docs/decisions/0004-one-client-protocol.md; docs/PROTOCOL.md has
//! the formats.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use kurabe_protocol::{
    Ask, Capabilities, Encoding, Job, Layout, Load, LoadPath, Loading, LossPolicy, Operation, Phase, RowsFrom, Runtime,
    StoppedBy, Warmup, reply,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::child::{Child, ChildMessage};
use self::judge::{Judge, PhaseStamps, Verdict};
use self::script::Script;
use self::starts::StartGiver;
use self::tape::Tape;
use crate::adapter::{Driver, Store, StoreError, Texts};
use crate::clock::{now_ns, system_ns};
use crate::outcome::Outcome;
use crate::phase::{Gate, GateDecision, PhaseContext};
use crate::planned::Part;
use crate::session::{Entry, serve_with};
use crate::shape::LoopShape;
use crate::worker::Worker;

pub(crate) mod child;
mod judge;
mod script;
mod starts;
mod stream;
mod tape;

/// Version of the protocol that they speak.
const VERSION: u32 = 2;
/// How often scripts are written, tapes judged and the harness looked at while a phase runs. The pipes hold what the
/// quickest child does in thrice the time. A child that woke this process by each piece that it reads or writes would
/// be slowed by that.
const EVERY: Duration = Duration::from_millis(10);
/// The same while an open loop waits for its workers to begin.
const SOON: Duration = Duration::from_millis(1);

/// The command of the child, which is this process's own.
static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();

/// Works on one job from stdin by a child that is started with `command`, with rows from the stores of `registry`;
/// returns the exit status.
pub fn serve_external(registry: &[Entry], command: Vec<OsString>) -> i32 {
    let _ = COMMAND.set(command);
    serve_with(registry, |_| Ok(Entry::of::<External>("external")))
}

/// The store of a job, driven by a child.
struct External {
    child: Mutex<Child>,
    driver: Driver,
    libraries: Texts,
    capabilities: Capabilities,
}

/// What the child says of itself.
#[derive(Deserialize)]
struct ChildHello {
    client: String,
    version: String,
    #[serde(default)]
    libraries: Texts,
    capabilities: Value,
}

impl External {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the child can do, with what the protocol has no words for taken away; what it says nothing of is as in
/// [`Capabilities::default`], but for encodings.
fn capabilities(told: Value) -> Result<Capabilities, StoreError> {
    // One that says nothing of encodings has none, and none of what only few clients do.
    let usual = Capabilities {
        encodings: vec![Encoding::Raw],
        load_paths: vec![LoadPath::Row],
        batch: false,
        own_data: false,
        schedules: false,
        thinks: false,
        ..Capabilities::default()
    };
    let mut all = serde_json::to_value(usual).map_err(StoreError::store)?;
    if let (Value::Object(all), Value::Object(told)) = (&mut all, told) {
        all.extend(told);
    }
    let told: Capabilities =
        serde_json::from_value(all).map_err(|error| child::protocol_error(&format!("its capabilities: {error}")))?;
    let load_paths = told.load_paths.iter().copied().filter(|path| *path != LoadPath::Bulk).collect();
    Ok(Capabilities {
        load_paths,
        max_depth: 1,
        thinks: false,
        shared_versions: false,
        scans_beside_writers: false,
        load_tool: None,
        ..told
    })
}

impl Store for External {
    type Shape = ExternalLoop;

    fn open(job: &Job, _layout: &Arc<Layout>) -> Result<External, StoreError> {
        let command = COMMAND.get().map(Vec::as_slice).unwrap_or_default();
        let mut child = Child::start(command)?;
        let mut told = serde_json::to_value(job).map_err(StoreError::store)?;
        if let Value::Object(told) = &mut told {
            // Phases come one by one, with their scripts.
            ["phases", "client_threads"].iter().for_each(|key| drop(told.remove(*key)));
        }
        child.send(&json!({"kurabe": VERSION, "job": told}))?;
        let hello: ChildHello = match child.hear()? {
            ChildMessage::Hello(hello) => {
                serde_json::from_value(hello).map_err(|error| child::protocol_error(&error.to_string()))?
            }
            other => return Err(other.unexpected_line("'hello'")),
        };
        let capabilities = capabilities(hello.capabilities)?;
        let driver = Driver { client: hello.client, version: hello.version, pid: Some(child.pid()) };
        Ok(External { child: Mutex::new(child), driver, libraries: hello.libraries, capabilities })
    }

    fn driver(&self) -> Option<Driver> {
        Some(self.driver.clone())
    }

    fn capabilities(&self) -> Capabilities {
        self.capabilities.clone()
    }

    fn libraries(&self) -> Texts {
        self.libraries.clone()
    }

    fn call<A: Ask>(&self) -> Result<A::Answer, StoreError> {
        let answer = self.child().call(A::NAME)?;
        reply::read::<A>(answer).map_err(|malformed| child::protocol_error(&malformed.to_string()))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.call::<reply::Ping>().map(drop)
    }

    fn info(&self) -> Result<Texts, StoreError> {
        self.call::<reply::Info>()
    }

    fn absent(&self) -> Vec<String> {
        self.child().take_absent()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.call::<reply::Create>().map(drop)
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.call::<reply::Reset>().map(drop)
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        self.call::<reply::Check>().map(|answer| (answer.sound, answer.detail))
    }
}

/// Lets the child do a phase by its scripts, and judges its tapes.
struct ExternalLoop;

impl LoopShape<External> for ExternalLoop {
    fn run(store: &External, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        // Operations are chosen as an honest store would answer, on a ledger that is thrown away.
        let planned = context.ledger.copy();
        let planning = context.with_ledger(&planned);
        // Each row of a request has a record of its own. Without the lines of a data file: where they are split again,
        // that is the child's.
        let single = row_by_row(context.phase);
        let mut judging = context.with_ledger(context.ledger);
        judging.phase = &single;
        let workers =
            context.workers().map(|worker| ChildWorker::new(&planning, &judging, worker)).collect::<Result<_, _>>()?;
        let follower = Follower {
            context,
            child: &mut store.child(),
            judge: Judge::new(&judging),
            workers,
            giver: None,
            stamps: PhaseStamps { prepare_ns: system_ns(), ..PhaseStamps::default() },
        };
        follower.phase(gate)
    }

    fn threads(_: &PhaseContext<'_>) -> u32 {
        // The caller looks after the child.
        1
    }
}

/// The phase with a load that writes one row in a request.
fn row_by_row(phase: &Phase) -> Phase {
    match phase.loading() {
        Some(loading) => Phase { work: Loading { load: Load::Row, ..loading.clone() }.into(), ..phase.clone() },
        None => phase.clone(),
    }
}

/// What the child is told of a phase.
fn prepare(context: &PhaseContext<'_>, workers: &[ChildWorker<'_>]) -> Value {
    let phase = context.phase;
    let operations: Vec<Operation> =
        Operation::ALL.into_iter().filter(|kind| *kind != Operation::Mix && phase.does(*kind)).collect();
    let workers: Vec<Value> = workers.iter().map(ChildWorker::start_message).collect();
    let mut told = json!({
        "phase": phase.name,
        "operations": operations,
        "commit_every": phase.commit_every,
        "read_scope": phase.read_scope,
        "workers": workers,
    });
    match (context.planned.as_deref(), phase.warmup) {
        (Some(plan), Some(_)) => told["warmup_ns"] = json!(plan.part(Part::Warmup).lasts_ns()),
        (None, Some(Warmup::DurationNs(duration_ns))) => told["warmup_ns"] = json!(duration_ns),
        _ => {}
    }
    match (context.planned.is_some(), phase.end.duration_ns()) {
        // The end comes with the starts.
        (true, _) => told["planned"] = json!(true),
        (false, Some(duration_ns)) => told["duration_ns"] = json!(duration_ns),
        _ => {}
    }
    if let Some(search) = context.search {
        told["search_field"] = json!(search.field);
    }
    if phase.on_loss != LossPolicy::GiveUp {
        told["on_loss"] = json!(phase.on_loss);
    }
    if let Some(load) = phase.load().filter(|load| load.path() != LoadPath::Row) {
        told["load_path"] = json!(load.path());
    }
    if *phase.rows_from() == RowsFrom::Lines {
        told["parse"] = json!(true);
    }
    told
}

/// What workers give that never started.
fn aborted_outcomes(context: &PhaseContext<'_>) -> Vec<Outcome> {
    context.workers().map(|worker| Worker::new(context, worker).finish(StoppedBy::Abort, 0)).collect()
}

/// A worker of the child, and what is written and read of it.
struct ChildWorker<'a> {
    script: Script<'a>,
    tape: Tape,
    verdict: Verdict<'a>,
}

impl<'a> ChildWorker<'a> {
    /// Operations are chosen in the one context, and judged in the other.
    fn new(
        planning: &'a PhaseContext<'a>,
        judging: &'a PhaseContext<'a>,
        worker: u32,
    ) -> Result<ChildWorker<'a>, StoreError> {
        let (script, tape) = (Script::open(planning, worker)?, Tape::open(judging)?);
        let verdict = Verdict::new(judging, worker, script.share);
        Ok(ChildWorker { script, tape, verdict })
    }

    /// What the child is told of it.
    fn start_message(&self) -> Value {
        let ChildWorker { script, tape, verdict } = self;
        let mut told = json!({
            "worker": verdict.worker(), "script": stream::path(&script.end), "tape": stream::path(&tape.end),
        });
        if let Some(warmup) = script.share.warmup {
            told["warmup"] = json!(warmup);
        }
        if let Some(measured) = script.share.measured {
            told["count"] = json!(measured);
        }
        told
    }
}

/// What a child tells of a phase beside its tapes.
#[derive(Deserialize)]
struct PhaseReport {
    #[serde(default)]
    retries: u64,
    #[serde(default)]
    encoding_ns: u64,
    runtime: Option<Runtime>,
}

/// Follows a child through a phase: writes its scripts, and judges its tapes.
struct Follower<'a, 'b> {
    context: &'b PhaseContext<'b>,
    child: &'b mut Child,
    judge: Judge<'a>,
    workers: Vec<ChildWorker<'a>>,
    /// Gives out planned starts, in an open loop.
    giver: Option<StartGiver>,
    stamps: PhaseStamps,
}

impl Follower<'_, '_> {
    fn phase(mut self, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        let name = &self.context.phase.name;
        self.child.send(&json!({"prepare": prepare(self.context, &self.workers)}))?;
        if self.context.phase.warmup.is_some() {
            self.give_starts(Part::Warmup);
        }
        let is_ready = match self.follow()? {
            Some(ChildMessage::Ready(phase)) if phase == *name => true,
            Some(other) => return Err(other.unexpected_line(&format!("'ready' for phase '{name}'"))),
            None => false,
        };
        self.stamps.ready_ns = Some(system_ns());
        self.giver.take().map(StartGiver::end).transpose()?;
        if !is_ready || gate.wait() != GateDecision::Start {
            // The child goes with this process, or is asked for nothing more in this phase.
            self.child.send(&json!({"skip": name}))?;
            return Ok(aborted_outcomes(self.context));
        }
        self.stamps.go_ns = Some(system_ns());
        self.child.send(&json!({"go": name}))?;
        let told = match self.follow()? {
            Some(ChildMessage::Result(phase, told)) if phase == *name => told,
            Some(other) => return Err(other.unexpected_line(&format!("'result' of phase '{name}'"))),
            None => {
                self.child.kill();
                return Ok(aborted_outcomes(self.context));
            }
        };
        self.stamps.result_ns = Some(system_ns());
        self.outcomes(told)
    }

    /// Writes and judges until the child says something; nothing where the phase is given up.
    fn follow(&mut self) -> Result<Option<ChildMessage>, StoreError> {
        loop {
            if self.context.aborted(now_ns()) {
                return Ok(None);
            }
            if let Some(said) = self.child.heard()? {
                return Ok(Some(said));
            }
            // A scan may give more at once than a pipe holds.
            while self.go_on()? {
                if self.context.aborted(now_ns()) {
                    return Ok(None);
                }
            }
            let begins = self.stamps.go_ns.is_some() && self.giver.is_none() && self.context.planned.is_some();
            if begins && self.workers.iter().all(|worker| worker.verdict.has_begun()) {
                self.give_starts(Part::Measured);
            }
            self.child.await_line(Some(if begins { SOON } else { EVERY }))?;
        }
    }

    /// Lets planned starts come, in an open loop.
    fn give_starts(&mut self, part: Part) {
        if let Some(plan) = &self.context.planned {
            self.giver = Some(self.child.starts().give(plan, part, self.workers.len()));
        }
    }

    /// Writes what the scripts' pipes take, and judges a piece of each tape; whether there may be more.
    fn go_on(&mut self) -> Result<bool, StoreError> {
        let mut more = false;
        for ChildWorker { script, tape, verdict } in &mut self.workers {
            script.feed(&mut verdict.steps)?;
            more |= tape.fill()?;
            self.judge.judge(verdict, tape, &self.stamps)?;
            self.context.progress(verdict.worker(), verdict.done());
        }
        Ok(more)
    }

    /// What the workers gave, once the child has written all.
    fn outcomes(mut self, told: Map<String, Value>) -> Result<Vec<Outcome>, StoreError> {
        let told: PhaseReport = serde_json::from_value(Value::Object(told))
            .map_err(|error| child::protocol_error(&format!("what it tells with 'result': {error}")))?;
        let is_over = self.giver.take().map(StartGiver::end).transpose()?.unwrap_or(false);
        while self.go_on()? {}
        if !self.workers.iter().all(|worker| worker.tape.is_whole()) {
            return Err(child::protocol_error("a tape ends in the middle of a record"));
        }
        let outcomes = self.workers.into_iter().map(|worker| worker.verdict.finish(is_over));
        let mut outcomes = outcomes.collect::<Result<Vec<_>, _>>()?;
        let begun_ns = self.context.planned.as_ref().and_then(|plan| plan.part(Part::Measured).begun_ns());
        self.stamps.check_span(&outcomes, begun_ns)?;
        if let Some(first) = outcomes.first_mut() {
            (first.retries, first.encoding_ns, first.runtime) = (told.retries, told.encoding_ns, told.runtime);
        }
        Ok(outcomes)
    }
}
