//! One phase in one process: its workers, the gate that starts them together, and the merged result.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{
    Checks, Failed, FieldType, Histogram, Increments, Job, KindLatency, Layout, OpenLoop, Operation, Phase,
    PhaseResult, Pool, Search, SearchRange, StoppedBy, WorkerResult,
};

use crate::choice::{ReadableRows, Streams};
use crate::clock::{cpu_ns_of, now_ns, process_cpu_ns};
use crate::ledger::{Ledger, Presence};
use crate::outcome::{Outcome, merged_latency};
use crate::planned::{OpenLoopPlan, Part, PlannedStarts};
use crate::row_source::RowOrigin;
use crate::series;

/// A counter on a cache line of its own, so that workers do not slow each other down.
#[repr(align(128))]
#[derive(Default)]
struct CachePadded(AtomicU64);

/// What a lone worker calls between its operations.
pub type PeriodicTask<'a> = Box<dyn Fn(&PhaseContext<'_>) + Send + Sync + 'a>;

/// How often: a system call every 5 ms is lost in any figure.
const PULSE_NS: u64 = 5_000_000;

/// What a search asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchTarget {
    /// Number of the int64 field that it looks at.
    pub field: usize,
    /// Which range.
    pub wanted: SearchRange,
}

/// Everything that the workers of one phase share.
pub struct PhaseContext<'a> {
    /// The phase.
    pub phase: &'a Phase,
    /// How values look.
    pub layout: &'a Layout,
    /// The filler.
    pub pool: &'a Pool,
    /// What is known about every row.
    pub ledger: &'a Ledger,
    /// The streams.
    pub streams: Streams,
    /// Rows that a read may draw.
    pub readable: ReadableRows,
    /// What a search asks for, where the phase has one.
    pub search: Option<SearchTarget>,
    /// How many rows `latest` asks for, where the phase has it.
    pub latest_rows: Option<u32>,
    /// Whether any phase of the job deletes.
    pub job_deletes: bool,
    /// Whether the store updates and deletes without a look at what is there.
    pub blind_writes: bool,
    /// Whether rows are encoded inside operations, other than raw.
    pub encodes: bool,
    /// At most so many threads drive connections between them.
    pub client_threads: u32,
    /// How often a scan gives each row: more than once only where a store keeps every copy that a load of several passes
    /// wrote.
    pub copies: u32,
    /// When operations start, in an open loop.
    pub planned: Option<Arc<OpenLoopPlan>>,
    /// Where the rows of a load come again from, where they do.
    pub row_source: Option<RowOrigin<'a>>,
    /// Number of client processes of the job.
    pub processes: u32,
    process: u32,
    /// Connections that decide which process owns a row, where several write.
    owners: Option<u32>,
    /// Rows that the load wrote and that other processes of the job count as theirs.
    rows_of_others: u64,
    loaded: Presence,
    abort: &'a AtomicBool,
    pulse: Option<PeriodicTask<'a>>,
    pulse_at_ns: AtomicU64,
    operation_ns: u64,
    progress: Vec<CachePadded>,
}

impl<'a> PhaseContext<'a> {
    /// The context of `phase` of `job`.
    pub fn new(
        job: &'a Job,
        phase: &'a Phase,
        layout: &'a Layout,
        pool: &'a Pool,
        ledger: &'a Ledger,
        abort: &'a AtomicBool,
    ) -> Result<PhaseContext<'a>, String> {
        let writes_later = |phase: &Phase| {
            [Operation::Insert, Operation::Update, Operation::Delete].iter().any(|kind| phase.does(*kind))
        };
        let split = job.processes > 1 && job.phases.iter().any(writes_later);
        let connections = job.phases.iter().map(|phase| phase.connections).max().unwrap_or(1);
        let streams = Streams::read(phase)?;
        let mut context = PhaseContext {
            phase,
            layout,
            pool,
            ledger,
            planned: OpenLoopPlan::of(phase, streams.gaps(), job.process, job.processes)?.map(Arc::new),
            streams,
            readable: if split { ReadableRows::Own } else { ReadableRows::All },
            search: phase.search().map(|search| search_for(job, phase, search)).transpose()?,
            latest_rows: phase.latest_rows(),
            job_deletes: job.phases.iter().any(|phase| phase.does(Operation::Delete)),
            blind_writes: false,
            encodes: !job.encoding.is_raw(),
            client_threads: job.client_threads,
            copies: 1,
            row_source: None,
            processes: job.processes,
            process: job.process,
            owners: split.then_some(connections),
            rows_of_others: rows_of_others(job, connections, ledger.loaded()),
            loaded: Presence::below(ledger.loaded()),
            abort,
            pulse: None,
            pulse_at_ns: AtomicU64::new(u64::MAX),
            operation_ns: job.limits.operation_ns,
            progress: (0..phase.connections).map(|_| CachePadded::default()).collect(),
        };
        if context.owners.is_some() && (phase.does(Operation::Scan) || phase.does(Operation::Latest)) {
            let mut own = Presence::default();
            (0..ledger.loaded()).filter(|row| context.knows(*row)).for_each(|row| own.add(row));
            context.loaded = own;
            context.rows_of_others = 0;
        }
        Ok(context)
    }

    /// The same phase over another ledger: to choose its operations before they are done.
    pub fn with_ledger<'b>(&'b self, ledger: &'b Ledger) -> PhaseContext<'b> {
        let PhaseContext { phase, layout, pool, readable, search, latest_rows, job_deletes, .. } = *self;
        let PhaseContext { blind_writes, encodes, client_threads, copies, processes, process, .. } = *self;
        let PhaseContext { owners, rows_of_others, loaded, abort, operation_ns, .. } = *self;
        PhaseContext {
            phase,
            layout,
            pool,
            ledger,
            streams: self.streams.clone(),
            readable,
            search,
            latest_rows,
            job_deletes,
            blind_writes,
            encodes,
            client_threads,
            copies,
            planned: self.planned.clone(),
            row_source: None,
            processes,
            process,
            owners,
            rows_of_others,
            loaded,
            abort,
            pulse: None,
            pulse_at_ns: AtomicU64::new(u64::MAX),
            operation_ns,
            progress: (0..phase.connections).map(|_| CachePadded::default()).collect(),
        }
    }

    /// When a part of the phase begins for a worker that comes to it now, in ns: in an open loop with the first of them.
    pub fn begin(&self, part: Part) -> u64 {
        let now = now_ns();
        self.planned.as_ref().map_or(now, |plan| plan.part(part).begin(now))
    }

    /// Numbers of the workers that this process runs.
    pub fn workers(&self) -> impl Iterator<Item = u32> {
        let (process, processes) = (self.process, self.processes);
        (0..self.phase.connections).filter(move |worker| worker % processes == process)
    }

    /// Whether this process knows the whole history of `row`.
    #[inline(always)]
    pub fn knows(&self, row: u32) -> bool {
        match self.owners {
            None => true,
            Some(connections) => row % connections % self.processes == self.process,
        }
    }

    /// Which rows exist, among those that this process knows.
    pub fn expected_presence(&self) -> Option<Presence> {
        self.ledger.presence(self.loaded)
    }

    /// Rows that surely exist, among those that this process knows.
    pub fn rows_present(&self) -> u64 {
        self.ledger.surely_present(self.loaded)
    }

    /// Whether every row that exists is known at any instant: nothing is inserted or deleted in
    /// this phase, or one worker does it all.
    pub fn existence_is_known(&self) -> bool {
        let phase = self.phase;
        phase.connections == 1 || !(phase.does(Operation::Insert) || phase.does(Operation::Delete))
    }

    /// Time limit of one operation.
    pub fn operation_ns(&self) -> u64 {
        self.operation_ns
    }

    /// Lets the one worker of this process call `pulse` every few milliseconds, since there is no other thread that
    /// could look at stdin or tell progress meanwhile.
    pub fn with_pulse(mut self, pulse: PeriodicTask<'a>) -> PhaseContext<'a> {
        self.pulse = Some(pulse);
        self.pulse_at_ns = AtomicU64::new(0);
        self
    }

    /// Whether the workers should stop as soon as they can; `now_ns` is the last stamp that was taken.
    #[inline(always)]
    pub fn aborted(&self, now_ns: u64) -> bool {
        if now_ns >= self.pulse_at_ns.load(Ordering::Relaxed) {
            self.beat(now_ns);
        }
        self.abort.load(Ordering::Relaxed)
    }

    #[cold]
    fn beat(&self, now_ns: u64) {
        self.pulse_at_ns.store(now_ns + PULSE_NS, Ordering::Relaxed);
        if let Some(pulse) = &self.pulse {
            pulse(self);
        }
    }

    /// Notes how far a worker has got.
    #[inline(always)]
    pub fn progress(&self, worker: u32, operations: u64) {
        self.progress[worker as usize].0.store(operations, Ordering::Relaxed);
    }

    /// Operations of all workers so far.
    pub fn operations(&self) -> u64 {
        self.progress.iter().map(|counter| counter.0.load(Ordering::Relaxed)).sum()
    }
}

/// Where workers wait after they are prepared, so that all start together.
pub struct Gate<'a> {
    state: Mutex<GateState>,
    changed: Condvar,
    /// Where the one worker is also the one who decides.
    decide: Option<Mutex<Decide<'a>>>,
}

/// Decides whether the phase takes place.
pub type Decide<'a> = Box<dyn FnMut() -> GateDecision + Send + 'a>;

#[derive(Clone, Debug, PartialEq, Eq)]
enum GateState {
    Closed { arrived: u32 },
    Open,
    Aborted,
}

/// Sends everybody away from the gate where the thread that holds it panics, in a driver say:
/// those who wait for this thread would wait for ever.
pub struct AbortOnPanic<'a, 'b>(pub &'a Gate<'b>);

impl Drop for AbortOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abort();
        }
    }
}

/// What a worker does after it waited at the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateDecision {
    /// Start.
    Start,
    /// The phase does not take place.
    Leave,
}

impl Default for Gate<'_> {
    fn default() -> Self {
        Gate { state: Mutex::new(GateState::Closed { arrived: 0 }), changed: Condvar::new(), decide: None }
    }
}

impl<'a> Gate<'a> {
    /// A gate for one worker, which decides itself when it gets there.
    pub fn of_one(decide: Decide<'a>) -> Gate<'a> {
        Gate { decide: Some(Mutex::new(decide)), ..Gate::default() }
    }

    /// Whether the one who waits here is also the one who decides.
    pub fn is_of_one(&self) -> bool {
        self.decide.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, GateState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the gate opens. Called once by each thread of a loop.
    pub fn wait(&self) -> GateDecision {
        if let Some(decide) = &self.decide {
            let mut decide = decide.lock().unwrap_or_else(PoisonError::into_inner);
            return (*decide)();
        }
        let mut state = self.lock();
        if let GateState::Closed { arrived } = &mut *state {
            *arrived += 1;
            self.changed.notify_all();
        }
        while matches!(*state, GateState::Closed { .. }) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if *state == GateState::Open { GateDecision::Start } else { GateDecision::Leave }
    }

    /// Waits until `threads` threads have arrived; `false` where the phase was aborted before.
    pub fn wait_for(&self, threads: u32) -> bool {
        let mut state = self.lock();
        loop {
            match *state {
                GateState::Closed { arrived } if arrived >= threads => return true,
                GateState::Closed { .. } => {
                    state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
                GateState::Open => return true,
                GateState::Aborted => return false,
            }
        }
    }

    /// Lets all workers start.
    pub fn open(&self) {
        self.turn(GateState::Open);
    }

    /// Sends all workers away.
    pub fn abort(&self) {
        self.turn(GateState::Aborted);
    }

    fn turn(&self, next: GateState) {
        let mut state = self.lock();
        if matches!(*state, GateState::Closed { .. }) {
            *state = next;
            self.changed.notify_all();
        }
    }
}

/// Processor time of the process that drives the store while the workers work.
pub struct CpuMeter {
    /// Another process than this one.
    driver: Option<u32>,
    /// User and kernel; nothing where the driver has ended.
    at_start: Option<(u64, u64)>,
}

impl CpuMeter {
    /// Starts to measure this process, or the one that drives the store for it.
    pub fn start(driver: Option<u32>) -> CpuMeter {
        CpuMeter { driver, at_start: process_cpu(driver) }
    }

    /// User and kernel since the start; nothing where that is not known: a driver that has ended took more than none.
    fn stop(&self) -> Option<(u64, u64)> {
        let ((user_ns, system_ns), now) = (self.at_start?, process_cpu(self.driver)?);
        Some((now.0.checked_sub(user_ns)?, now.1.checked_sub(system_ns)?))
    }
}

fn process_cpu(driver: Option<u32>) -> Option<(u64, u64)> {
    driver.map_or_else(|| Some(process_cpu_ns()), cpu_ns_of)
}

/// The result of a phase from what its workers gave.
pub fn merge(context: &PhaseContext<'_>, outcomes: Vec<Outcome>, cpu: &CpuMeter, threads: u32) -> PhaseResult {
    let (cpu_user_ns, cpu_system_ns) = cpu.stop().unzip();
    let mut checks = Checks::default();
    outcomes.iter().for_each(|outcome| checks.merge(&outcome.checks));
    let stopped_by = outcomes
        .iter()
        .map(|outcome| outcome.stopped_by)
        .max_by_key(|stopped| match stopped {
            StoppedBy::Count => 0,
            StoppedBy::Duration => 1,
            StoppedBy::Failures => 2,
            StoppedBy::Abort => 3,
        })
        .unwrap_or(StoppedBy::Count);
    let failures = merged_failures(&outcomes);
    let connects = outcomes.iter().map(|outcome| outcome.connects).sum();
    let encoding_ns = outcomes.iter().map(|outcome| outcome.encoding_ns).sum();
    let message = match (stopped_by, failures.first()) {
        (StoppedBy::Failures, Some(first)) => Some(format!("gave up: {}", first.message)),
        _ => None,
    };
    let service = merged_latency(outcomes.iter().flat_map(Outcome::service));
    let (latency, open_loop) = match &context.planned {
        None => (service, None),
        Some(planned) => {
            let response = merged_latency(outcomes.iter().flat_map(Outcome::response));
            (response, Some(open_loop(planned.part(Part::Measured), &outcomes, service, stopped_by, context.phase)))
        }
    };
    PhaseResult {
        phase: context.phase.name.clone(),
        workers: outcomes.iter().map(worker_result).collect(),
        latency,
        open_loop,
        failures,
        checks,
        retries: outcomes.iter().map(|outcome| outcome.retries).sum(),
        rows_read: outcomes.iter().map(|outcome| outcome.rows_read).sum(),
        series: series::merge(outcomes.iter().map(|outcome| outcome.series.clone()).collect()),
        cpu_user_ns,
        cpu_system_ns,
        threads,
        // What the processes of a job tell is added up.
        rows_present: context.rows_present().saturating_sub(context.rows_of_others),
        rows_unknown: context.ledger.unknown(),
        increments: increments(context, &outcomes),
        runtime: outcomes.iter().find_map(|outcome| outcome.runtime.clone()),
        encoding_ns: Some(encoding_ns).filter(|spent_ns| context.encodes || *spent_ns > 0),
        connects: Some(connects).filter(|made| *made > 0),
        stopped_by,
        message,
    }
}

/// What became of all planned operations. One that nobody had begun at the end is open where its start was planned before.
fn open_loop(
    starts: &PlannedStarts,
    outcomes: &[Outcome],
    service: Vec<KindLatency>,
    stopped_by: StoppedBy,
    phase: &Phase,
) -> OpenLoop {
    let planned = || outcomes.iter().filter_map(|outcome| outcome.planned.as_deref());
    let last_end_ns = outcomes.iter().map(|outcome| outcome.last_end_ns).max().unwrap_or(0);
    let end_ns = match (stopped_by, phase.end.duration_ns()) {
        (StoppedBy::Duration, Some(duration_ns)) => starts.begin(last_end_ns) + duration_ns,
        _ => last_end_ns,
    };
    let taken: Vec<u64> = planned().filter_map(|planned| planned.taken_ns).collect();
    let leftover = starts.end(end_ns, &taken);
    let (mut waited, mut lag) = (Histogram::default(), Histogram::default());
    leftover.open_waited_ns.iter().for_each(|waited_ns| waited.record(*waited_ns));
    planned().for_each(|planned| lag.merge(&planned.lag));
    OpenLoop {
        planned: starts.planned(),
        dropped: leftover.dropped,
        open: waited.count(),
        open_waited: waited.buckets(),
        service,
        lag: lag.buckets(),
        lag_max_ns: lag.max_ns(),
    }
}

/// Of `loaded` rows those that workers of other processes of the job own, as [`PhaseContext::knows`] tells them apart.
fn rows_of_others(job: &Job, connections: u32, loaded: u32) -> u64 {
    let is_anothers = |worker: &u32| job.processes > 1 && worker % job.processes != job.process;
    let of_worker = |worker: u32| u64::from(loaded / connections) + u64::from(worker < loaded % connections);
    (0..connections).filter(is_anothers).map(of_worker).sum()
}

fn increments(context: &PhaseContext<'_>, outcomes: &[Outcome]) -> Option<Increments> {
    let mut sum = Increments::default();
    outcomes.iter().for_each(|outcome| sum.merge(outcome.increments));
    context.phase.does(Operation::Increment).then_some(sum)
}

fn search_for(job: &Job, phase: &Phase, search: &Search) -> Result<SearchTarget, String> {
    let fields = &job.schema.fields;
    let found = (1..fields.len()).find(|at| fields[*at].name == search.field);
    match found.filter(|at| fields[*at].field_type == FieldType::Int64) {
        Some(field) if fields[field].distinct.is_some() && matches!(search.wanted, SearchRange::Rows(_)) => {
            Err(format!("phase '{}': '{}' has few values, of which no range is one of rows", phase.name, search.field))
        }
        Some(field) => Ok(SearchTarget { field, wanted: search.wanted }),
        None => Err(format!("phase '{}': '{}' is no int64 field beside the key", phase.name, search.field)),
    }
}

fn worker_result(outcome: &Outcome) -> WorkerResult {
    WorkerResult {
        worker: outcome.worker,
        operations: outcome.operations,
        failed: outcome.failed,
        first_start_ns: outcome.first_start_ns,
        last_end_ns: outcome.last_end_ns,
    }
}

/// By kind and message, in the order in which they came, whichever worker met them first: the first says most about a store that
/// goes on failing.
fn merged_failures(outcomes: &[Outcome]) -> Vec<Failed> {
    let (mut merged, mut places): (Vec<Failed>, _) = (Vec::new(), BTreeMap::new());
    let mut all: Vec<&(u64, Failed)> = outcomes.iter().flat_map(|outcome| &outcome.failures).collect();
    all.sort_by_key(|(end_ns, _)| *end_ns);
    for (_, failed) in all {
        let place = *places.entry((failed.operation, &failed.message)).or_insert_with(|| {
            merged.push(Failed { count: 0, ..failed.clone() });
            merged.len() - 1
        });
        merged[place].count += failed.count;
    }
    merged
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::adapter::StoreError;
    use crate::worker::{Worker, sample};
    use kurabe_protocol::value::pool_bytes;
    use kurabe_protocol::{Action, End, Schema};

    #[test]
    fn the_first_failure_is_told_first_whichever_worker_met_it() {
        let schema = Schema::key_value(10);
        let layout = Layout::new(&schema);
        let pool = Pool::new(&pool_bytes(1, 0.0), &layout).expect("a pool");
        let insert = Phase::new("insert", Action::Insert { first_row: 4 }, End::Count(10));
        let job = sample::job(schema, 4, Phase { connections: 2, ..insert });
        let (ledger, abort) = (Ledger::new(4, 10), AtomicBool::new(false));
        let context = PhaseContext::new(&job, &job.phases[0], &layout, &pool, &ledger, &abort).expect("a context");
        let outcomes = [(0, "poisoned", 7), (1, "no space left", 5)].map(|(index, words, end_ns)| {
            let mut worker = Worker::new(&context, index);
            for later_ns in [0, 10] {
                worker.fail(Operation::Insert, &StoreError::store(words), 1, end_ns + later_ns);
                worker.fail(Operation::Insert, &StoreError::store("poisoned"), 1, end_ns + later_ns + 1);
            }
            worker.finish(StoppedBy::Failures, 0)
        });
        let told = merge(&context, Vec::from(outcomes), &CpuMeter::start(None), 2);
        let told_failures: Vec<(&str, u64)> =
            told.failures.iter().map(|failed| (failed.message.as_str(), failed.count)).collect();
        assert_eq!(told_failures, [("no space left", 2), ("poisoned", 6)]);
        assert_eq!(told.message.as_deref(), Some("gave up: no space left"));
    }

    #[test]
    fn processor_time_of_a_driver_that_has_ended_is_not_known() {
        let mut driver = Command::new("sleep").arg("60").spawn().expect("a process");
        let (ended, own) = (CpuMeter::start(Some(driver.id())), CpuMeter::start(None));
        assert!(ended.stop().is_some(), "it lives");
        driver.kill().and_then(|()| driver.wait()).expect("its end");
        assert_eq!(ended.stop(), None);
        assert_eq!(CpuMeter::start(Some(driver.id())).stop(), None);
        assert!(own.stop().is_some());
    }
}
