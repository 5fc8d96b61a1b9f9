//! The measuring loop for stores that have many operations under way: one thread drives all connections.
//!
//! Client and server share one machine. One thread for all connections leaves the server more of it, as in pgbench.
//! This thread starts requests and collects answers. There are a few threads where the server has several too.
//!
//! Depth and batch are policies of this loop. With depth *d* a connection gets a new operation whenever one completes,
//! up to *d* under way. With batch *b* it gets *b* at once when all before are answered. An adapter only starts what it
//! is given and hands over what arrived.
//!
//! The alternative is `blocking.rs`, a thread for each connection. Most programs use their drivers like that. The price
//! of one thread is in the latencies: an answer that waits for the thread counts as time of the operation
//! (docs/METHODOLOGY.md, "What the clock covers").

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Layout, Load, Operation, ReturnedKey, StoppedBy};

use self::commits::commits_after;
use self::opens::run_opens;
use self::slot::{AnswerState, Slot, SlotOutcome};
use crate::adapter::{InFlight, Lanes, Request, RowSink, StoreError};
use crate::clock::{now_ns, start_ns};
use crate::outcome::Outcome;
use crate::phase::{AbortOnPanic, Gate, GateDecision, PhaseContext};
use crate::planned::{self, Part};
use crate::served::{self, Window};
use crate::shape::LoopShape;
use crate::threads::on_threads;
use crate::worker::{Limit, Op, Reading, Worker};

mod as_planned;
mod commits;
mod opens;
mod reconnect;
mod slot;
mod thinking;

/// How long one wait for completions lasts before abort and deadline are looked at again.
const WAIT: Duration = Duration::from_millis(5);
/// The shortest wait: a runtime that does not wait at all does not look for answers either.
const GLANCE: Duration = Duration::from_nanos(1);

/// Drives an [`InFlight`] store.
pub struct InFlightLoop;

impl<S: InFlight<Shape = InFlightLoop>> LoopShape<S> for InFlightLoop {
    fn run(store: &S, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        if gate.is_of_one() {
            return run_part(store, context, gate, context.workers().collect());
        }
        let threads = <Self as LoopShape<S>>::threads(context) as usize;
        let part = |thread| context.workers().skip(thread).step_by(threads).collect();
        let outcomes = on_threads((0..threads).map(part), |part| run_part(store, context, gate, part))?;
        Ok(outcomes.into_iter().flatten().collect())
    }

    /// As many as the job says: more than the server has would meet at its threads, more than there are cores at those.
    fn threads(context: &PhaseContext<'_>) -> u32 {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let most = (context.client_threads as usize).min(cores).min(context.workers().count());
        most.max(1) as u32
    }

    fn window(store: &Arc<S>, layout: &Arc<Layout>, limit: Duration) -> Result<Box<dyn Window>, StoreError> {
        served::in_flight(store, layout, limit)
    }
}

/// What one thread does: all that `workers` have to do.
fn run_part<S: InFlight>(
    store: &S,
    context: &PhaseContext<'_>,
    gate: &Gate<'_>,
    workers: Vec<u32>,
) -> Result<Vec<Outcome>, StoreError> {
    let mut workers: Vec<Worker<'_>> = workers.into_iter().map(|index| Worker::new(context, index)).collect();
    workers.iter_mut().try_for_each(Worker::connect_to_source).inspect_err(|_| gate.abort())?;
    if workers.is_empty() {
        gate.wait();
        return Ok(Vec::new());
    }
    let _guard = AbortOnPanic(gate);
    if context.phase.operation() == Operation::Open {
        return run_opens(store, context, gate, workers);
    }
    let lanes = store.connect(context.phase, workers.len() as u32).inspect_err(|_| gate.abort())?;
    let mut flight = Flight::new(context, workers, lanes);
    if context.phase.waits() {
        planned::wake_in_time();
    }
    if let Some(warmup) = context.phase.warmup {
        let limit = Limit::warmup(warmup, context.begin(Part::Warmup));
        flight.run(Part::Warmup, |_| limit);
    }
    flight.workers.iter_mut().for_each(Worker::begin_measuring);
    (flight.encoded_before_ns, flight.retries_before) = (flight.lanes.encoding_ns(), flight.lanes.retries());
    flight.connects_before = flight.lanes.connects();
    if gate.wait() == GateDecision::Leave {
        return Ok(flight.finish(StoppedBy::Abort));
    }
    let start = context.begin(Part::Measured);
    let stopped_by = flight.run(Part::Measured, |worker| Limit::measured(context.phase, worker.base(), start));
    Ok(flight.finish(stopped_by))
}

struct Flight<'a, L> {
    workers: Vec<Worker<'a>>,
    lanes: L,
    slots: Vec<Slot>,
    per_lane: usize,
    batch: bool,
    /// Rows that a load has in one request; none where each has its own.
    loads_many: Option<usize>,
    /// Whether writes wait for a commit.
    commits: bool,
    limits: Vec<Limit>,
    /// Tokens that are free, a stack for each lane.
    free: Vec<Vec<u32>>,
    /// Tokens of operations that are over, and of writes whose commit is to be asked for, in the order in which they were
    /// answered.
    completed: Vec<u32>,
    /// Lanes on which a commit could not be asked for.
    doubted: Vec<usize>,
    /// Tokens of which some rows came, and more will.
    part: Vec<u32>,
    /// Lanes that wait for a store that is restarted.
    resting: Vec<usize>,
    /// Lanes that think, with when they ask again, in ns; the next first.
    thinking: VecDeque<(u64, usize)>,
    /// In an open loop, connections that can take a planned start, the longest free first; one with room for several operations
    /// has several entries.
    ready: Option<VecDeque<usize>>,
    under_way: usize,
    operation_ns: u64,
    /// Time that encoding took before the measured operations, and attempts that were repeated.
    encoded_before_ns: u64,
    retries_before: u64,
    connects_before: u64,
}

impl<'a, L: Lanes> Flight<'a, L> {
    fn new(context: &PhaseContext<'_>, workers: Vec<Worker<'a>>, lanes: L) -> Flight<'a, L> {
        let phase = context.phase;
        let per_lane = phase.depth.max(phase.batch).max(1) as usize;
        let loads_many = phase.load().filter(|load| *load != Load::Row).map(|load| load.rows_at_a_time() as usize);
        let total = workers.len() * per_lane;
        let of_worker = |slot: usize| Slot::new(context, &workers[slot / per_lane], loads_many.unwrap_or(1));
        Flight {
            slots: (0..total).map(of_worker).collect(),
            free: (0..workers.len())
                .map(|lane| (0..per_lane).rev().map(|slot| (lane * per_lane + slot) as u32).collect())
                .collect(),
            limits: Vec::new(),
            completed: Vec::with_capacity(total),
            doubted: Vec::new(),
            part: Vec::new(),
            resting: Vec::new(),
            thinking: VecDeque::new(),
            ready: context.planned.is_some().then(VecDeque::new),
            per_lane,
            batch: phase.batch > 1,
            loads_many,
            commits: lanes.commits(),
            workers,
            lanes,
            under_way: 0,
            operation_ns: context.operation_ns(),
            encoded_before_ns: 0,
            retries_before: 0,
            connects_before: 0,
        }
    }

    /// Works until every connection has reached its limit and everything under way is answered and committed.
    fn run(&mut self, part: Part, limit: impl Fn(&Worker<'_>) -> Limit) -> StoppedBy {
        if self.workers.iter().any(Worker::gave_up) {
            // In the warm-up.
            return StoppedBy::Failures;
        }
        self.limits = self.workers.iter().map(limit).collect();
        let context = self.workers[0].context;
        let mut stopped_by = match &context.planned {
            None => self.fly(),
            Some(plan) => self.fly_as_planned(plan.part(part)),
        };
        if stopped_by != StoppedBy::Abort && self.commit_rest().is_err() {
            stopped_by = StoppedBy::Failures;
        }
        stopped_by
    }

    fn fly(&mut self) -> StoppedBy {
        let deadline = self.limits.iter().map(|limit| limit.deadline_ns).min().unwrap_or(0);
        let mut stopped_by = StoppedBy::Count;
        let mut open = true;
        let mut last_completion = now_ns();
        self.begin_lanes();
        while self.under_way > 0 || (open && !(self.resting.is_empty() && self.thinking.is_empty())) {
            let wait = if self.thinking.is_empty() { WAIT } else { self.wait_for_thought() };
            if let Err(error) = self.drain(wait) {
                self.lose_all(&error);
                return StoppedBy::Failures;
            }
            let now = self.completed.last().map(|token| self.slots[*token as usize].end_ns);
            last_completion = now.unwrap_or(last_completion);
            if !self.part.is_empty() {
                self.take_parts();
                last_completion = now_ns();
            }
            self.settle(open);
            let now = now.unwrap_or_else(now_ns);
            if now.saturating_sub(last_completion) > self.operation_ns {
                self.lose_all(&StoreError::Timeout);
                return StoppedBy::Failures;
            }
            if open && now >= deadline {
                (open, stopped_by) = (false, StoppedBy::Duration);
            } else if open && self.workers.iter().any(Worker::gave_up) {
                (open, stopped_by) = (false, StoppedBy::Failures);
            } else if self.workers[0].context.aborted(now) {
                return StoppedBy::Abort;
            }
            if open && !self.resting.is_empty() {
                self.wake();
                last_completion = now;
            }
            if !self.thinking.is_empty() {
                last_completion = self.ask_again(last_completion, open);
            }
        }
        stopped_by
    }

    /// Starts as many operations on a connection as the policy allows.
    #[inline(always)]
    fn fill(&mut self, lane: usize) {
        if self.workers[lane].is_failing() && self.rests(lane) {
            return;
        }
        if let Some(ready) = &mut self.ready {
            return ready.push_back(lane);
        }
        if let Some(think_ns) = self.workers[lane].context.phase.think_ns {
            return self.think(lane, think_ns);
        }
        if self.batch && self.free[lane].len() < self.per_lane {
            return;
        }
        self.ask(lane);
    }

    /// Starts what a connection has room for.
    #[inline(always)]
    fn ask(&mut self, lane: usize) {
        while self.workers[lane].number() < self.limits[lane].end_number {
            let Some(token) = self.free[lane].pop() else { break };
            self.start(lane, token);
        }
    }

    #[inline(always)]
    fn start(&mut self, lane: usize, token: u32) {
        self.under_way += 1;
        if let Some(rows) = self.loads_many {
            return self.start_many_loads(lane, token, rows);
        }
        let slot = &mut self.slots[token as usize];
        let worker = &mut self.workers[lane];
        let op = worker.next_op(&mut slot.raw);
        slot.op = Some(op);
        slot.outcome = SlotOutcome::Pending;
        if self.commits {
            slot.commits = commits_after(worker, op.kind, self.limits[lane]);
        }
        let row = op.row(&slot.raw, worker.context.layout);
        let request = match op.kind {
            Operation::Load => Request::Load(&row),
            Operation::Insert => Request::Insert(&row),
            Operation::Update => Request::Update(&row),
            Operation::Delete => Request::Delete(&op.key),
            Operation::Read => Request::Read(&op.key),
            Operation::Increment => Request::Increment(&op.key),
            Operation::MultiRead => {
                worker.ask_many(&mut slot.answers, &mut slot.asked);
                slot.came.clear();
                Request::MultiRead(slot.answers.keys())
            }
            Operation::Scan | Operation::Latest | Operation::Search => return self.start_reading(lane, token, &op),
            Operation::Open | Operation::Mix | Operation::Program => {
                slot.start_ns = now_ns();
                return self.started(token, Err(StoreError::Unsupported));
            }
        };
        slot.start_ns = start_ns();
        let started = self.lanes.start(lane as u32, token, request);
        self.started(token, started);
    }

    /// Starts a load of many rows, which are committed together.
    #[inline(never)]
    fn start_many_loads(&mut self, lane: usize, token: u32, rows: usize) {
        let slot = &mut self.slots[token as usize];
        let worker = &mut self.workers[lane];
        slot.choose_loads(worker, rows, self.limits[lane].end_number);
        slot.op = slot.loads.first().copied();
        (slot.outcome, slot.commits) = (SlotOutcome::Pending, self.commits);
        let rows = slot.rows_to_load(worker.context);
        let start = start_ns();
        let started = self.lanes.start(lane as u32, token, Request::LoadMany(&rows));
        drop(rows);
        slot.start_ns = start;
        self.started(token, started);
    }

    /// Starts what answers with many rows.
    #[inline(never)]
    fn start_reading(&mut self, lane: usize, token: u32, op: &Op) {
        let slot = &mut self.slots[token as usize];
        slot.came.clear();
        slot.paused_ns = 0;
        let begun = self.workers[lane].begin_reading(op);
        slot.start_ns = start_ns();
        let started = begun.and_then(|reading| {
            let request = match (&reading, self.workers[lane].context.latest_rows) {
                (Reading::Search(search), _) => Request::Search(search.range()),
                (_, Some(rows)) if op.kind == Operation::Latest => Request::Latest(rows),
                _ => Request::Scan,
            };
            let started = self.lanes.start(lane as u32, token, request);
            slot.reading = Some(Ok(reading));
            started
        });
        self.started(token, started);
    }

    /// Notes whether an operation was started: one that was not is over.
    #[inline(always)]
    fn started(&mut self, token: u32, started: Result<(), StoreError>) {
        if let Err(error) = started {
            let slot = &mut self.slots[token as usize];
            slot.end_ns = now_ns();
            slot.start_ns = slot.start_ns.min(slot.end_ns);
            slot.outcome = SlotOutcome::Failed(error);
            self.completed.push(token);
        }
    }

    /// Takes what was answered, for which it waits at most so long.
    fn drain(&mut self, wait: Duration) -> Result<(), StoreError> {
        let Flight { slots, completed, part, .. } = self;
        // Operations that failed at their start are settled without waiting.
        let wait = if completed.is_empty() { wait } else { Duration::ZERO };
        self.lanes.drain(wait, &mut |token, answer| match slots[token as usize].take(answer) {
            AnswerState::All | AnswerState::Write => completed.push(token),
            AnswerState::SomeRows => part.push(token),
        })
    }

    /// Takes rows of what is not over.
    #[inline(never)]
    fn take_parts(&mut self) {
        let mut part = std::mem::take(&mut self.part);
        for token in part.drain(..) {
            let slot = &mut self.slots[token as usize];
            // What is over is taken when it is settled, and what came twice was taken with the first.
            // Those of a multi-read are few, and taken in one piece.
            let is_over = !matches!(slot.outcome, SlotOutcome::Pending) || slot.reading.is_none();
            if is_over || slot.came.is_empty() {
                continue;
            }
            let start = now_ns();
            if let Some(Ok(reading)) = &mut slot.reading {
                let worker = &mut self.workers[token as usize / self.per_lane];
                if let Err(error) = worker.take_reading(reading, |sink| self.lanes.rows(&slot.came, sink)) {
                    slot.reading = Some(Err(error));
                }
            }
            slot.came.clear();
            slot.paused_ns += now_ns() - start;
        }
        self.part = part;
    }

    /// Checks and counts everything that completed, and starts what follows.
    fn settle(&mut self, open: bool) {
        for at in 0..self.completed.len() {
            let token = self.completed[at];
            let lane = token as usize / self.per_lane;
            if self.commits && self.slots[token as usize].awaits_commit() && !self.ask_for_commit(lane, token) {
                continue;
            }
            self.settle_one(lane, token);
            self.under_way -= 1;
            self.free[lane].push(token);
        }
        // What was answered together with the write whose commit could not be asked for was lost with it.
        self.doubted.drain(..).for_each(|lane| self.workers[lane].mark_unknown());
        let completed = std::mem::take(&mut self.completed);
        if open {
            for token in &completed {
                self.fill(*token as usize / self.per_lane);
            }
        }
        // Operations that failed at their start were added meanwhile; keep them and the allocation.
        let failed_at_start = std::mem::replace(&mut self.completed, completed);
        self.completed.clear();
        self.completed.extend(failed_at_start);
    }

    #[inline(always)]
    fn settle_one(&mut self, lane: usize, token: u32) {
        let slot = &mut self.slots[token as usize];
        let worker = &mut self.workers[lane];
        let Some(op) = slot.op.take() else { return };
        worker.plan(slot.planned_ns, slot.free_ns);
        // Where commits are asked for, those acknowledge.
        let acknowledges = !self.commits || slot.commits;
        match std::mem::replace(&mut slot.outcome, SlotOutcome::Pending) {
            SlotOutcome::Written(_) if self.loads_many.is_some() => {
                worker.count(op.kind, slot.start_ns, slot.end_ns, slot.loads.len() as u64);
            }
            SlotOutcome::Written(written) => {
                // That of a commit was taken when it was answered.
                if !slot.commits {
                    worker.settle_write(&op, written);
                }
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
                if acknowledges {
                    worker.acknowledge();
                }
            }
            SlotOutcome::Value { found } => {
                worker.settle_read(&op, found.then_some(slot.answer.raw()));
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
            }
            SlotOutcome::Values => {
                worker.settle_many(&slot.asked, slot.answers.iter());
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
            }
            SlotOutcome::Rows if op.kind == Operation::MultiRead => self.settle_multi_read(lane, token),
            SlotOutcome::Rows => self.settle_reading(lane, token, &op),
            SlotOutcome::Incremented => {
                if !slot.commits {
                    worker.settle_increment();
                }
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
                if acknowledges {
                    worker.acknowledge();
                }
            }
            SlotOutcome::Failed(error) => {
                worker.fail(op.kind, &error, slot.start_ns, slot.end_ns);
                if slot.commits && self.loads_many.is_none() {
                    // The commit that was due is left to the next write, or to the end.
                    worker.uncommitted = worker.context.phase.commit_every.max(1);
                }
            }
            SlotOutcome::CommitFailed(error) => worker.fail_commit_of(&op, &error, slot.start_ns, slot.end_ns),
            SlotOutcome::Pending => {}
        }
    }

    /// Takes the rows of a multi-read that come in an order of the store's own, and checks every one.
    #[inline(never)]
    fn settle_multi_read(&mut self, lane: usize, token: u32) {
        let slot = &mut self.slots[token as usize];
        let worker = &mut self.workers[lane];
        let mut is_asked_for = true;
        let mut put = |seen: ReturnedKey<'_>, raw: &[u8]| match slot.answers.found_key(seen) {
            Some(row) => row.set_raw(raw),
            None => is_asked_for = false,
        };
        let mut sink = RowSink::forwarding(worker.context.layout, &mut put);
        let taken = self.lanes.rows(&slot.came, &mut sink);
        sink.finish();
        drop(sink);
        let nobody = || StoreError::store("the server gave a row that nobody asked for");
        match taken.and_then(|()| is_asked_for.then_some(()).ok_or_else(nobody)) {
            Ok(()) => {
                worker.settle_many(&slot.asked, slot.answers.iter());
                worker.count(Operation::MultiRead, slot.start_ns, slot.end_ns, 1);
            }
            Err(error) => worker.fail(Operation::MultiRead, &error, slot.start_ns, slot.end_ns),
        }
    }

    /// Takes the last rows of a scan, latest or a search, and checks the whole.
    #[inline(never)]
    fn settle_reading(&mut self, lane: usize, token: u32, op: &Op) {
        let slot = &mut self.slots[token as usize];
        let worker = &mut self.workers[lane];
        let end_ns = slot.end_ns - slot.paused_ns.min(slot.end_ns - slot.start_ns);
        let nobody = || Err(StoreError::store("rows came that nobody asked for"));
        let taken = slot.reading.take().unwrap_or_else(nobody).and_then(|mut reading| {
            worker.take_reading(&mut reading, |sink| self.lanes.rows(&slot.came, sink))?;
            worker.end_reading(reading);
            Ok(())
        });
        match taken {
            Ok(()) => worker.count(op.kind, slot.start_ns, end_ns, 1),
            Err(error) => worker.fail(op.kind, &error, slot.start_ns, end_ns),
        }
    }

    /// Counts everything under way as failed.
    fn lose_all(&mut self, error: &StoreError) {
        let end = now_ns();
        for token in 0..self.slots.len() {
            let slot = &mut self.slots[token];
            if let Some(op) = slot.op.take() {
                let worker = &mut self.workers[token / self.per_lane];
                match slot.written.take() {
                    Some(_) => worker.fail_commit_of(&op, error, slot.start_ns, end),
                    None => worker.fail(op.kind, error, slot.start_ns, end),
                }
            }
        }
        // No commit can follow on connections that owe answers.
        for worker in self.workers.iter_mut().filter(|worker| worker.uncommitted > 0) {
            worker.uncommitted = 0;
            worker.fail_commit(worker.context.phase.operation(), error, end, end);
        }
        self.completed.clear();
        self.under_way = 0;
    }

    fn finish(self, stopped_by: StoppedBy) -> Vec<Outcome> {
        let encoding_ns = self.lanes.encoding_ns() - self.encoded_before_ns;
        // A connection that was lost took what it counted along.
        let retries = self.lanes.retries().saturating_sub(self.retries_before);
        let connects = self.lanes.connects() - self.connects_before;
        let mut outcomes: Vec<Outcome> = self.workers.into_iter().map(|worker| worker.finish(stopped_by, 0)).collect();
        // They are those of the thread, whose workers take turns.
        if let Some(first) = outcomes.first_mut() {
            (first.encoding_ns, first.retries, first.connects) = (encoding_ns, retries, connects);
        }
        outcomes
    }
}
