//! Clients of the thin profile: a child that does what a script says and keeps a tape of what came, judged here.
//!
//! To the harness this process is the client, whatever the language behind it: it speaks the protocol, chooses every
//! operation before the phase (`script.rs`), and judges every answer after it by the one oracle (`judge.rs`). The child
//! (`child.rs`) only drives the store: it makes the values of its writes, takes the time of each operation, and notes the
//! CRC-32 of what came (`tape.rs`). `docs/PROTOCOL.md` has the profile's messages and formats.

use std::ffi::OsString;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use kurabe_protocol::{
    Ask, Capabilities, Encoding, Eviction, Job, Layout, LoadPath, OnLoss, Operation, Phase, StoppedBy, Warmup, reply,
};
use serde::Deserialize;
use serde_json::{Value, json};

use self::child::{Child, Said};
use self::judge::{Judge, Seen};
use self::script::Script;
use crate::adapter::{Driver, Store, StoreError, Texts};
use crate::clock::{now_ns, system_ns};
use crate::outcome::Outcome;
use crate::phase::{Gate, Go, PhaseContext};
use crate::session::{Entry, serve_with};
use crate::shape::LoopShape;
use crate::worker::Worker;

mod child;
mod judge;
mod script;
mod tape;

/// Version of the profile.
const PROFILE: u32 = 1;
/// How often the harness is looked at, and progress is told, while a phase runs.
const LOOK: Duration = Duration::from_millis(20);

/// The command of the child, which is this process's own.
static COMMAND: OnceLock<Vec<OsString>> = OnceLock::new();

/// Works on one job from stdin by a child that is started with `command`, with rows from the stores of `registry`; returns the
/// exit status.
pub fn serve_thin(registry: &[Entry], command: Vec<OsString>) -> i32 {
    let _ = COMMAND.set(command);
    serve_with(registry, |_| Ok(Entry::of::<Thin>("thin")))
}

/// The store of a job, driven by a child.
struct Thin {
    child: Mutex<Child>,
    driver: Driver,
    libraries: Texts,
    capabilities: Capabilities,
}

/// What the child says of itself.
#[derive(Deserialize)]
struct Receipt {
    client: String,
    version: String,
    #[serde(default)]
    libraries: Texts,
    capabilities: Value,
}

impl Thin {
    fn child(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call<A: Ask>(&self) -> Result<A::Answer, StoreError> {
        let answer = self.child().call(A::NAME)?;
        reply::read::<A>(answer).map_err(|malformed| child::broken(&malformed.to_string()))
    }
}

/// What the child can do, with what the profile itself cannot taken away; what it says nothing of is as in
/// [`Capabilities::default`], but for encodings.
fn capabilities(told: Value) -> Result<Capabilities, StoreError> {
    // One that says nothing of encodings has none, and none of what only few clients do.
    let usual =
        Capabilities { encodings: vec![Encoding::Raw], own_data: false, parse: false, ..Capabilities::default() };
    let mut all = serde_json::to_value(usual).map_err(StoreError::store)?;
    if let (Value::Object(all), Value::Object(told)) = (&mut all, told) {
        all.extend(told);
    }
    let told: Capabilities =
        serde_json::from_value(all).map_err(|error| child::broken(&format!("its capabilities: {error}")))?;
    Ok(Capabilities {
        load_paths: vec![LoadPath::Row],
        max_depth: 1,
        batch: false,
        shared_versions: false,
        scans_beside_writers: false,
        fetch: false,
        ..told
    })
}

impl Store for Thin {
    type Shape = ThinLoop;

    fn open(job: &Job, _layout: &Arc<Layout>) -> Result<Thin, StoreError> {
        let command = COMMAND.get().map(Vec::as_slice).unwrap_or_default();
        let mut child = Child::start(command)?;
        let mut told = serde_json::to_value(job).map_err(StoreError::store)?;
        if let Value::Object(told) = &mut told {
            // Phases come one by one, with their scripts.
            ["phases", "client_threads"].iter().for_each(|key| drop(told.remove(*key)));
        }
        child.say(&json!({"thin": PROFILE, "job": told}))?;
        let receipt: Receipt = match child.hear()? {
            Said::Hello(receipt) => {
                serde_json::from_value(receipt).map_err(|error| child::broken(&error.to_string()))?
            }
            other => return Err(other.out_of_turn("'hello'")),
        };
        let capabilities = capabilities(receipt.capabilities)?;
        let driver = Driver { client: receipt.client, version: receipt.version, pid: child.pid() };
        Ok(Thin { child: Mutex::new(child), driver, libraries: receipt.libraries, capabilities })
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

    fn ping(&self) -> Result<(), StoreError> {
        self.call::<reply::Ping>().map(drop)
    }

    fn info(&self) -> Result<Texts, StoreError> {
        self.call::<reply::Info>()
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        self.call::<reply::Settings>()
    }

    fn evicts(&self) -> Result<Eviction, StoreError> {
        self.call::<reply::Evicts>()
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

    fn count(&self) -> Result<u64, StoreError> {
        self.call::<reply::Count>().map(|answer| answer.rows)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.call::<reply::Size>().map(|answer| answer.bytes)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.call::<reply::Sum>().map(|answer| answer.sum)
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        self.call::<reply::Check>().map(|answer| (answer.sound, answer.detail))
    }
}

/// Lets the child do a phase by its scripts, and judges its tapes.
struct ThinLoop;

impl LoopShape<Thin> for ThinLoop {
    fn run(store: &Thin, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        // Operations are chosen as an honest store would answer, on a ledger that is thrown away.
        let planned = context.ledger.copy();
        let planning = context.over(&planned);
        let scripts: Vec<Script> =
            context.workers().map(|worker| Script::write(&planning, worker)).collect::<Result<_, _>>()?;
        let name = &context.phase.name;
        let mut child = store.child();
        let prepare_ns = system_ns();
        child.say(&json!({"prepare": prepare(context, &scripts)}))?;
        let is_ready =
            child.await_phase(context, &scripts, |said| matches!(said, Said::Ready(phase) if phase == name))?;
        let ready_ns = system_ns();
        if !is_ready || gate.wait() != Go::Start {
            // The child goes with this process, or is asked for nothing more in this phase.
            child.say(&json!({"skip": name}))?;
            return Ok(left(context));
        }
        let go_ns = system_ns();
        child.say(&json!({"go": name}))?;
        if !child.await_phase(context, &scripts, |said| matches!(said, Said::Result(phase) if phase == name))? {
            child.kill();
            return Ok(left(context));
        }
        let seen = Seen { prepare_ns, ready_ns, go_ns, result_ns: system_ns() };
        drop(child);
        // Without the lines of a data file: where they are split again, that is the child's.
        let judging = context.over(context.ledger);
        let mut judge = Judge::new(&judging);
        let outcomes = scripts.into_iter().map(|script| judge.judge(script, &seen)).collect::<Result<Vec<_>, _>>()?;
        seen.is_filled_by(&outcomes)?;
        Ok(outcomes)
    }

    fn threads(_: &PhaseContext<'_>) -> u32 {
        // The caller looks after the child.
        1
    }
}

/// What the child is told of a phase.
fn prepare(context: &PhaseContext<'_>, scripts: &[Script]) -> Value {
    let phase = context.phase;
    let operations: Vec<Operation> =
        Operation::ALL.into_iter().filter(|kind| *kind != Operation::Mix && phase.does(*kind)).collect();
    let workers: Vec<Value> = scripts.iter().map(Script::told).collect();
    let mut told = json!({
        "phase": phase.name,
        "operations": operations,
        "commit_every": phase.commit_every,
        "read_scope": phase.read_scope,
        "workers": workers,
    });
    if let Some(Warmup::DurationNs(duration_ns)) = phase.warmup {
        told["warmup_ns"] = json!(duration_ns);
    }
    if let Some(duration_ns) = phase.end.duration_ns() {
        told["duration_ns"] = json!(duration_ns);
    }
    if let Some(search) = context.search {
        told["search_field"] = json!(search.field);
    }
    if phase.on_loss != OnLoss::GiveUp {
        told["on_loss"] = json!(phase.on_loss);
    }
    if parses(phase) {
        told["parse"] = json!(true);
    }
    told
}

/// Whether the child splits rows from the lines of a data file again, while it loads them.
fn parses(phase: &Phase) -> bool {
    phase.loading().is_some_and(|loading| loading.parse)
}

/// What workers give that never started.
fn left(context: &PhaseContext<'_>) -> Vec<Outcome> {
    context.workers().map(|worker| Worker::new(context, worker).finish(StoppedBy::Abort, 0)).collect()
}

impl Child {
    /// Waits for a line that `awaits`, telling progress meanwhile; `false` where the phase is given up.
    fn await_phase(
        &mut self,
        context: &PhaseContext<'_>,
        scripts: &[Script],
        awaits: impl Fn(&Said) -> bool,
    ) -> Result<bool, StoreError> {
        loop {
            if context.aborted(now_ns()) {
                return Ok(false);
            }
            scripts.iter().for_each(|script| context.progress(script.worker, script.told_operations()));
            match self.hear_within(LOOK)? {
                Some(said) if awaits(&said) => return Ok(true),
                Some(said) => {
                    return Err(said.out_of_turn(&format!("what comes next of phase '{}'", context.phase.name)));
                }
                None => {}
            }
        }
    }
}
