//! The loop for stores that have many operations under way: one thread for all connections, or a few where the server
//! has several too.
//!
//! Depth and batch are policies here: with depth *d* a connection gets a new operation whenever one
//! completes, up to *d* under way; with batch *b* it gets *b* at once when all before are answered.
//! The adapter only starts what it is given and hands over what is there.

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Layout, Operation, StoppedBy};

use crate::adapter::{Answer, Answers, InFlight, Key, Lanes, LoopShape, Request, RowBuffer, StoreError, Written};
use crate::clock::{now_ns, start_ns};
use crate::ledger::State;
use crate::outcome::Outcome;
use crate::phase::{AbortOnPanic, Gate, Go, PhaseContext};
use crate::served::{self, Window};
use crate::threads::on_threads;
use crate::worker::{Begun, Limit, Many, Op, Worker};

/// How long one wait for completions lasts before abort and deadline are looked at again.
const WAIT: Duration = Duration::from_millis(5);

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
    if let Some(warmup) = context.phase.warmup {
        let limit = Limit::warmup(warmup, now_ns());
        flight.run(|_| limit);
    }
    flight.workers.iter_mut().for_each(Worker::begin_measuring);
    flight.encoded_before_ns = flight.lanes.encoding_ns();
    if gate.wait() == Go::Leave {
        return Ok(flight.finish(StoppedBy::Abort));
    }
    let start = now_ns();
    let stopped_by = flight.run(|worker| Limit::measured(context.phase, worker.base(), start));
    Ok(flight.finish(stopped_by))
}

/// The operation `open`: connects, reads its rows one after the other and leaves; the workers take turns.
fn run_opens<S: InFlight>(
    store: &S,
    context: &PhaseContext<'_>,
    gate: &Gate<'_>,
    mut workers: Vec<Worker<'_>>,
) -> Result<Vec<Outcome>, StoreError> {
    if let Some(warmup) = context.phase.warmup {
        let limit = Limit::warmup(warmup, now_ns());
        open_in_turns(store, context, &mut workers, |_| limit);
    }
    workers.iter_mut().for_each(Worker::begin_measuring);
    if gate.wait() == Go::Leave {
        return Ok(workers.into_iter().map(|worker| worker.finish(StoppedBy::Abort, 0)).collect());
    }
    let start = now_ns();
    let limit = |worker: &Worker<'_>| Limit::measured(context.phase, worker.base(), start);
    let stopped_by = open_in_turns(store, context, &mut workers, limit);
    Ok(workers.into_iter().map(|worker| worker.finish(stopped_by, 0)).collect())
}

/// Opens and reads, one worker after the other, until all have reached their limit.
fn open_in_turns<S: InFlight>(
    store: &S,
    context: &PhaseContext<'_>,
    workers: &mut [Worker<'_>],
    limit: impl Fn(&Worker<'_>) -> Limit,
) -> StoppedBy {
    let limits: Vec<Limit> = workers.iter().map(limit).collect();
    let mut answers = workers.first().map_or_else(|| Answers::new(0, context.layout), Worker::answers);
    let mut asked = Vec::new();
    loop {
        let mut opened = false;
        for (worker, limit) in workers.iter_mut().zip(&limits) {
            let now = now_ns();
            if now >= limit.deadline_ns {
                return StoppedBy::Duration;
            } else if worker.gave_up() {
                return StoppedBy::Failures;
            } else if context.aborted(now) {
                return StoppedBy::Abort;
            }
            if worker.number() < limit.end_number {
                open_once(store, worker, &mut answers, &mut asked);
                opened = true;
            }
        }
        if !opened {
            return StoppedBy::Count;
        }
    }
}

fn open_once<S: InFlight>(store: &S, worker: &mut Worker<'_>, answers: &mut Answers, asked: &mut Vec<State>) {
    let op = worker.next_op(&mut []);
    worker.ask_in_order(&op, answers, asked);
    let start = start_ns();
    let outcome = open_and_read(store, worker.context, answers);
    let end = now_ns();
    match outcome {
        Ok(()) => {
            worker.settle_many(asked, answers.iter());
            worker.count(op.kind, start, end, 1);
        }
        Err(error) => worker.fail(op.kind, &error, start, end),
    }
}

fn open_and_read<S: InFlight>(store: &S, context: &PhaseContext<'_>, answers: &mut Answers) -> Result<(), StoreError> {
    let mut lanes = store.connect(context.phase, 1)?;
    answers.one_by_one(|key, out| read_one(&mut lanes, context, key, out))
}

/// Reads one row over a connection with nothing else under way.
fn read_one(
    lanes: &mut impl Lanes,
    context: &PhaseContext<'_>,
    key: &Key,
    out: &mut RowBuffer,
) -> Result<bool, StoreError> {
    lanes.start(0, 0, Request::Read(key))?;
    let started = now_ns();
    let mut outcome = None;
    while outcome.is_none() {
        if now_ns() - started > context.operation_ns() {
            return Err(StoreError::Timeout);
        }
        lanes.drain(WAIT, &mut |_, answer| {
            outcome = Some(match answer {
                Answer::Value(Some(value)) => {
                    out.set_raw(value);
                    Ok(true)
                }
                Answer::Value(None) => Ok(false),
                Answer::Failed(error) => Err(error),
                _ => Err(StoreError::store("the answer to a read is none")),
            });
        })?;
    }
    outcome.unwrap_or(Err(StoreError::Timeout))
}

/// One operation under way.
struct Slot {
    op: Option<Op>,
    start_ns: u64,
    end_ns: u64,
    raw: Vec<u8>,
    answer: RowBuffer,
    /// Of a multi-read: the answers, and what was acknowledged of its rows before.
    answers: Answers,
    asked: Vec<State>,
    /// Of a scan or latest: what it is, what was known before, and what came.
    many: Option<(Many, Begun)>,
    came: Vec<u8>,
    outcome: SlotOutcome,
}

enum SlotOutcome {
    Pending,
    Written(Written),
    Value { found: bool },
    Values,
    Rows,
    Incremented,
    Failed(StoreError),
}

struct Flight<'a, L> {
    workers: Vec<Worker<'a>>,
    lanes: L,
    slots: Vec<Slot>,
    per_lane: usize,
    batch: bool,
    limits: Vec<Limit>,
    /// Tokens that are free, a stack for each lane.
    free: Vec<Vec<u32>>,
    completed: Vec<u32>,
    under_way: usize,
    operation_ns: u64,
    /// Time that encoding took before the measured operations.
    encoded_before_ns: u64,
}

impl<'a, L: Lanes> Flight<'a, L> {
    fn new(context: &PhaseContext<'_>, workers: Vec<Worker<'a>>, lanes: L) -> Flight<'a, L> {
        let phase = context.phase;
        let per_lane = phase.depth.max(phase.batch).max(1) as usize;
        let answers = || workers.first().map_or_else(|| Answers::new(0, context.layout), Worker::answers);
        let slot = || Slot {
            op: None,
            start_ns: 0,
            end_ns: 0,
            raw: vec![0; context.layout.room_bytes()],
            answer: RowBuffer::new(context.layout),
            answers: answers(),
            asked: Vec::new(),
            many: None,
            came: Vec::new(),
            outcome: SlotOutcome::Pending,
        };
        let total = workers.len() * per_lane;
        Flight {
            slots: (0..total).map(|_| slot()).collect(),
            free: (0..workers.len())
                .map(|lane| (0..per_lane).rev().map(|slot| (lane * per_lane + slot) as u32).collect())
                .collect(),
            limits: Vec::new(),
            completed: Vec::with_capacity(total),
            per_lane,
            batch: phase.batch > 1,
            workers,
            lanes,
            under_way: 0,
            operation_ns: context.operation_ns(),
            encoded_before_ns: 0,
        }
    }

    /// Works until every connection has reached its limit and everything under way is answered.
    fn run(&mut self, limit: impl Fn(&Worker<'_>) -> Limit) -> StoppedBy {
        if self.workers.iter().any(Worker::gave_up) {
            // In the warm-up.
            return StoppedBy::Failures;
        }
        self.limits = self.workers.iter().map(limit).collect();
        let deadline = self.limits.iter().map(|limit| limit.deadline_ns).min().unwrap_or(0);
        let mut stopped_by = StoppedBy::Count;
        let mut open = true;
        let mut last_completion = now_ns();
        (0..self.workers.len()).for_each(|lane| self.fill(lane));
        while self.under_way > 0 {
            if let Err(error) = self.drain() {
                self.lose_all(&error);
                return StoppedBy::Failures;
            }
            let now = self.completed.last().map(|token| self.slots[*token as usize].end_ns);
            last_completion = now.unwrap_or(last_completion);
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
        }
        stopped_by
    }

    /// Starts as many operations on a connection as the policy allows.
    #[inline(always)]
    fn fill(&mut self, lane: usize) {
        if self.batch && self.free[lane].len() < self.per_lane {
            return;
        }
        while self.workers[lane].number() < self.limits[lane].end_number {
            let Some(token) = self.free[lane].pop() else { break };
            self.start(lane, token);
        }
    }

    #[inline(always)]
    fn start(&mut self, lane: usize, token: u32) {
        let slot = &mut self.slots[token as usize];
        let worker = &mut self.workers[lane];
        let op = worker.next_op(&mut slot.raw);
        let row = op.row(&slot.raw, worker.context.layout);
        let request = match op.kind {
            Operation::Load => Some(Request::Load(&row)),
            Operation::Insert => Some(Request::Insert(&row)),
            Operation::Update => Some(Request::Update(&row)),
            Operation::Delete => Some(Request::Delete(&op.key)),
            Operation::Read => Some(Request::Read(&op.key)),
            Operation::Increment => Some(Request::Increment(&op.key)),
            Operation::MultiRead => {
                worker.ask_many(&mut slot.answers, &mut slot.asked);
                Some(Request::MultiRead(slot.answers.keys()))
            }
            Operation::Scan => {
                slot.many = Some((Many::Scan, worker.begin_many(Many::Scan)));
                Some(Request::Scan)
            }
            Operation::Latest => {
                let rows = worker.context.phase.latest_rows().unwrap_or(0);
                let many = Many::Latest { rows };
                slot.many = Some((many, worker.begin_many(many)));
                Some(Request::Latest(rows))
            }
            Operation::Search | Operation::Open | Operation::Mix | Operation::Program => None,
        };
        slot.start_ns = start_ns();
        let started = match request {
            Some(request) => self.lanes.start(lane as u32, token, request),
            None => Err(StoreError::Unsupported),
        };
        slot.op = Some(op);
        slot.outcome = SlotOutcome::Pending;
        self.under_way += 1;
        if let Err(error) = started {
            slot.end_ns = now_ns();
            slot.outcome = SlotOutcome::Failed(error);
            self.completed.push(token);
        }
    }

    fn drain(&mut self) -> Result<(), StoreError> {
        let (slots, completed) = (&mut self.slots, &mut self.completed);
        // Operations that failed at their start are settled without waiting.
        let wait = if completed.is_empty() { WAIT } else { Duration::ZERO };
        self.lanes.drain(wait, &mut |token, answer| {
            let slot = &mut slots[token as usize];
            slot.outcome = match answer {
                Answer::Written(written) => SlotOutcome::Written(written),
                Answer::Value(Some(value)) => {
                    slot.answer.set_raw(value);
                    SlotOutcome::Value { found: true }
                }
                Answer::Value(None) => SlotOutcome::Value { found: false },
                Answer::Values(values) => {
                    let found = values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
                    found.for_each(|(at, value)| slot.answers.found(at).set_raw(value));
                    SlotOutcome::Values
                }
                Answer::Incremented => SlotOutcome::Incremented,
                Answer::Rows(came) => {
                    slot.came.clear();
                    slot.came.extend_from_slice(came);
                    SlotOutcome::Rows
                }
                Answer::Failed(error) => SlotOutcome::Failed(error),
            };
            slot.end_ns = now_ns();
            completed.push(token);
        })
    }

    /// Checks and counts everything that completed, and starts what follows.
    fn settle(&mut self, open: bool) {
        for at in 0..self.completed.len() {
            let token = self.completed[at];
            let lane = token as usize / self.per_lane;
            self.settle_one(lane, token);
            self.under_way -= 1;
            self.free[lane].push(token);
        }
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
        match std::mem::replace(&mut slot.outcome, SlotOutcome::Pending) {
            SlotOutcome::Written(written) => {
                worker.settle_write(&op, written);
                worker.acknowledge();
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
            }
            SlotOutcome::Value { found } => {
                worker.settle_read(&op, found.then_some(slot.answer.raw()));
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
            }
            SlotOutcome::Values => {
                worker.settle_many(&slot.asked, slot.answers.iter());
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
            }
            SlotOutcome::Rows => {
                let Some((many, begun)) = slot.many.take() else { return };
                match worker.take_many(many, begun, |sink| self.lanes.rows(&slot.came, sink)) {
                    Ok(()) => worker.count(op.kind, slot.start_ns, slot.end_ns, 1),
                    Err(error) => worker.fail(op.kind, &error, slot.start_ns, slot.end_ns),
                }
            }
            SlotOutcome::Incremented => {
                worker.settle_increment();
                worker.acknowledge();
                worker.count(op.kind, slot.start_ns, slot.end_ns, 1);
            }
            SlotOutcome::Failed(error) => worker.fail(op.kind, &error, slot.start_ns, slot.end_ns),
            SlotOutcome::Pending => {}
        }
    }

    /// Counts everything under way as failed.
    fn lose_all(&mut self, error: &StoreError) {
        let end = now_ns();
        for token in 0..self.slots.len() {
            if let Some(op) = self.slots[token].op.take() {
                self.workers[token / self.per_lane].fail(op.kind, error, self.slots[token].start_ns, end);
            }
        }
        self.under_way = 0;
    }

    fn finish(self, stopped_by: StoppedBy) -> Vec<Outcome> {
        let encoding_ns = self.lanes.encoding_ns() - self.encoded_before_ns;
        let mut outcomes: Vec<Outcome> = self.workers.into_iter().map(|worker| worker.finish(stopped_by, 0)).collect();
        // It is that of the thread, whose workers take turns.
        outcomes.first_mut().into_iter().for_each(|first| first.encoding_ns = encoding_ns);
        outcomes
    }
}
