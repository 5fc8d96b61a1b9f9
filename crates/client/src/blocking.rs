//! The measuring loop for stores whose calls block: one thread for each connection.
//!
//! Choosing a row, making a value and checking an answer cost as much as a fast store's answer. So the clock covers the
//! call and the copy alone. A phase that only reads or loads works in blocks of up to 16 operations (`block.rs`). The
//! worker prepares all of them, runs one right after the other, and then checks all. Two neighbours share a stamp.
//! Blocks lowered the overhead of loading a row into SQLite from 130 ns to 30 to 45 ns (commit 769e9201).
//!
//! Every other phase takes two stamps for each operation, because the ledger must know a write before it starts. A
//! phase of one connection has no second thread. Even asleep, one costs SQLite 100 to 230 ns a read (docs/SPEED.md).
//!
//! Blocks of 64 were tried: a read of Tokyo Cabinet took 30 to 60 ns more. A loop without checks would be faster still,
//! but then a fast wrong answer wins. docs/decisions/0002-check-outside-the-clock.md has the figures.

use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Action, Layout, Load, Operation, StoppedBy, Work};

use self::block::Block;
use crate::adapter::{Answers, Blocking, Connection, Row, RowBuffer, StoreError, WriteOutcome};
use crate::clock::{now_ns, start_ns};
use crate::descriptors::with_cause;
use crate::ledger::State;
use crate::outcome::Outcome;
use crate::phase::{AbortOnPanic, Gate, GateDecision, PhaseContext};
use crate::planned::{self, Part};
use crate::served::{self, Window};
use crate::shape::LoopShape;
use crate::think;
use crate::threads::on_threads;
use crate::worker::{After, Limit, Many, Op, Worker};

mod block;

/// Drives a [`Blocking`] store.
pub struct BlockingLoop;

impl<S: Blocking<Shape = BlockingLoop>> LoopShape<S> for BlockingLoop {
    fn run(store: &S, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        if gate.is_of_one() {
            // A process without a second thread is what a program with one connection is: the C library takes no
            // locks in it (an idle second thread costs SQLite 100 ns and more an operation, measured).
            return context.workers().map(|worker| run_worker(store, context, gate, worker)).collect();
        }
        on_threads(context.workers(), |worker| run_worker(store, context, gate, worker))
    }

    fn threads(context: &PhaseContext<'_>) -> u32 {
        context.workers().count() as u32
    }

    fn window(store: &Arc<S>, layout: &Arc<Layout>, _limit: Duration) -> Result<Box<dyn Window>, StoreError> {
        served::blocking(store, layout)
    }
}

fn run_worker<S: Blocking>(
    store: &S,
    context: &PhaseContext<'_>,
    gate: &Gate<'_>,
    index: u32,
) -> Result<Outcome, StoreError> {
    let _guard = AbortOnPanic(gate);
    let mut connection = store.connect(context.phase).map_err(with_cause).inspect_err(|_| gate.abort())?;
    let mut worker = Worker::new(context, index);
    worker.connect_to_source().inspect_err(|_| gate.abort())?;
    if context.phase.waits() {
        planned::wake_in_time();
    }
    // All memory is taken before the warm-up, and none is given back before the end: a store that asks for some in
    // every operation would search what is free in between each time.
    let (mut pace, mut buffers) = (Pace::of(&worker), Buffers::new(&worker));
    if let Some(warmup) = context.phase.warmup {
        let limit = Limit::warmup(warmup, context.begin(Part::Warmup));
        work(store, &mut worker, &mut connection, &mut pace, &mut buffers, limit);
    }
    worker.begin_measuring();
    let (retries, encoding_ns) = (connection.retries(), connection.encoding_ns());
    if gate.wait() == GateDecision::Leave {
        return Ok(worker.finish(StoppedBy::Abort, 0));
    }
    let limit = Limit::measured(context.phase, worker.base(), context.begin(Part::Measured));
    pace.measure();
    let stopped_by = work(store, &mut worker, &mut connection, &mut pace, &mut buffers, limit);
    let retries = connection.retries() - retries;
    let encoding_ns = connection.encoding_ns() - encoding_ns;
    Ok(Outcome { encoding_ns, ..worker.finish(stopped_by, retries) })
}

/// Works until a limit is reached.
fn work<S: Blocking>(
    store: &S,
    worker: &mut Worker<'_>,
    connection: &mut S::Connection,
    pace: &mut Pace,
    buffers: &mut Buffers,
    limit: Limit,
) -> StoppedBy {
    let mut now = now_ns();
    if let Pace::Thinking { think_ns } = pace {
        now = think::until(now + think::first_wait_ns(worker, *think_ns), worker.context, limit);
        if now >= limit.deadline_ns {
            return StoppedBy::Duration;
        }
    }
    let stopped_by = loop {
        if worker.number() >= limit.end_number {
            break StoppedBy::Count;
        }
        if worker.is_failing()
            && let Some(stopped_by) = find_again(store, worker, connection, limit)
        {
            break stopped_by;
        }
        if worker.context.aborted(now) {
            break StoppedBy::Abort;
        }
        now = match pace {
            Pace::Reads(block) => block.run(worker, connection, limit),
            Pace::Loads(block) => block.run(worker, connection, limit),
            Pace::ManyLoads { rows } => load_many(worker, connection, buffers, *rows, limit),
            Pace::Opens => open(store, worker, buffers),
            Pace::Steps => step(worker, connection, buffers, limit),
            Pace::Thinking { think_ns } => {
                let answered_ns = step(worker, connection, buffers, limit);
                // Behind the last there is nothing to think about, and one that failed is looked after first.
                let goes_on = worker.number() < limit.end_number && !worker.is_failing();
                if goes_on { think::until(answered_ns + *think_ns, worker.context, limit) } else { answered_ns }
            }
            Pace::Planned(part) => match planned_step(worker, connection, buffers, limit, *part) {
                Ok(now) => now,
                Err(stopped_by) => break stopped_by,
            },
        };
        if now >= limit.deadline_ns {
            break StoppedBy::Duration;
        }
    };
    if worker.uncommitted > 0 {
        commit_rest(worker, connection);
    }
    stopped_by
}

/// After a failure: whether the phase is over for this worker. Where the store is restarted amid the phase, the worker
/// waits and connects again first.
#[cold]
fn find_again<S: Blocking>(
    store: &S,
    worker: &mut Worker<'_>,
    connection: &mut S::Connection,
    limit: Limit,
) -> Option<StoppedBy> {
    loop {
        let now = now_ns();
        if worker.gave_up() {
            return Some(StoppedBy::Failures);
        } else if now >= limit.deadline_ns {
            return Some(StoppedBy::Duration);
        } else if worker.context.aborted(now) {
            return Some(StoppedBy::Abort);
        }
        match worker.after_failure() {
            After::GoOn => return None,
            After::Pause(ns) => std::thread::sleep(Duration::from_nanos(ns)),
            After::Connect => match store.connect(worker.context.phase) {
                Ok(again) => {
                    *connection = again;
                    worker.reconnected(Ok(()));
                    return None;
                }
                Err(error) => worker.reconnected(Err(&error)),
            },
        }
    }
}

/// What the loop needs beside the worker, allocated once.
struct Buffers {
    answer: RowBuffer,
    raw: Vec<u8>,
    /// Of a multi-read or an `open`.
    answers: Answers,
    asked: Vec<State>,
}

impl Buffers {
    fn new(worker: &Worker<'_>) -> Buffers {
        let layout = worker.context.layout;
        Buffers {
            answer: RowBuffer::new(layout),
            raw: vec![0; layout.room_bytes()],
            answers: worker.answers(),
            asked: Vec::new(),
        }
    }
}

/// How a phase goes on from one look at its limits to the next.
enum Pace {
    Reads(Block<block::Read>),
    Loads(Block<block::Load>),
    /// Many rows in one request.
    ManyLoads {
        rows: usize,
    },
    Opens,
    /// One operation at a time, since the ledger must know each write before it starts.
    Steps,
    /// The same, with a wait after each.
    Thinking {
        think_ns: u64,
    },
    /// One at a time, each at a planned start.
    Planned(Part),
}

impl Pace {
    fn of(worker: &Worker<'_>) -> Pace {
        if worker.context.planned.is_some() {
            return Pace::Planned(Part::Warmup);
        }
        if let Some(think_ns) = worker.context.phase.think_ns {
            return Pace::Thinking { think_ns };
        }
        match &worker.context.phase.work {
            Work::One(Action::Read) => Pace::Reads(Block::of(worker)),
            Work::Load(loading) => match loading.load {
                Load::Row => Pace::Loads(Block::of(worker)),
                Load::Batch { rows } | Load::Bulk { rows } => Pace::ManyLoads { rows: rows as usize },
            },
            Work::Open { .. } => Pace::Opens,
            Work::One(_) | Work::Mix(_) | Work::Program(_) => Pace::Steps,
        }
    }

    /// What follows is measured.
    fn measure(&mut self) {
        if let Pace::Planned(part) = self {
            *part = Part::Measured;
        }
    }
}

/// Waits for the next planned start and does one operation; returns its end, or why there is no further one.
fn planned_step<C: Connection>(
    worker: &mut Worker<'_>,
    connection: &mut C,
    buffers: &mut Buffers,
    limit: Limit,
    part: Part,
) -> Result<u64, StoppedBy> {
    let free_ns = now_ns();
    let starts = worker.context.planned.as_ref().map(|plan| plan.part(part));
    let planned_ns = starts.and_then(|starts| starts.take(free_ns)).ok_or(StoppedBy::Duration)?;
    let mut now = free_ns;
    while now < planned_ns {
        if worker.context.aborted(now) {
            return Err(StoppedBy::Abort);
        }
        now = planned::approach(now, planned_ns);
    }
    if now >= limit.deadline_ns {
        worker.give_back(planned_ns);
        return Err(StoppedBy::Duration);
    }
    worker.plan(planned_ns, free_ns);
    Ok(step(worker, connection, buffers, limit))
}

/// Does one operation, and the commit that it triggers; returns its end.
#[inline(always)]
fn step<C: Connection>(worker: &mut Worker<'_>, connection: &mut C, buffers: &mut Buffers, limit: Limit) -> u64 {
    let op = worker.next_op(&mut buffers.raw);
    let row = op.row(&buffers.raw, worker.context.layout);
    worker.prefetch_next();
    match op.kind {
        Operation::Read => {
            let start = start_ns();
            let outcome = connection.read(&op.key, &mut buffers.answer);
            let end = now_ns();
            match outcome {
                Ok(found) => {
                    worker.settle_read(&op, found.then_some(buffers.answer.raw()));
                    worker.count(op.kind, start, end, 1);
                }
                Err(error) => worker.fail(op.kind, &error, start, end),
            }
            end
        }
        Operation::Scan | Operation::Latest | Operation::Search => read_many(worker, connection, &op),
        Operation::MultiRead => multi_read(worker, connection, buffers),
        Operation::Open | Operation::Load | Operation::Mix | Operation::Program => {
            // None of them has a place in a mix, and alone each has a pace of its own.
            let now = now_ns();
            worker.fail(op.kind, &StoreError::Unsupported, now, now);
            now
        }
        Operation::Insert | Operation::Update | Operation::Delete | Operation::Increment => {
            worker.uncommitted += 1;
            let last = worker.number() >= limit.end_number;
            let commits = worker.uncommitted >= worker.context.phase.commit_every || last;
            let start = start_ns();
            let outcome = write(connection, op.kind, &row);
            let committed = if commits && outcome.is_ok() { connection.commit() } else { Ok(()) };
            let end = now_ns();
            match (outcome, committed) {
                (Ok(written), Ok(())) => {
                    match op.kind {
                        Operation::Increment => worker.settle_increment(),
                        _ => worker.settle_write(&op, written),
                    }
                    worker.count(op.kind, start, end, 1);
                    if commits {
                        worker.acknowledge();
                        worker.uncommitted = 0;
                    }
                }
                (Ok(_), Err(error)) => {
                    worker.fail_commit(op.kind, &error, start, end);
                    worker.uncommitted = 0;
                }
                (Err(error), _) => worker.fail(op.kind, &error, start, end),
            }
            end
        }
    }
}

#[inline(always)]
fn write<C: Connection>(connection: &mut C, kind: Operation, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
    match kind {
        Operation::Insert => connection.insert(row),
        Operation::Update => connection.update(row),
        Operation::Increment => connection.increment(&row.key).map(|()| WriteOutcome::Done),
        _ => connection.delete(&row.key),
    }
}

#[inline(never)]
fn read_many<C: Connection>(worker: &mut Worker<'_>, connection: &mut C, op: &Op) -> u64 {
    let context = worker.context;
    let asked = match (op.kind, context.search, context.latest_rows) {
        (Operation::Search, Some(search), _) => worker.search(op, search, |range, sink| connection.search(range, sink)),
        (Operation::Latest, _, Some(rows)) => {
            worker.read_many(Many::Latest { rows }, |sink| connection.latest(rows, sink))
        }
        _ => worker.read_many(Many::Scan, |sink| connection.scan(sink)),
    };
    match asked {
        Ok((start, end)) => worker.count(op.kind, start, end, 1),
        Err((error, start, end)) => worker.fail(op.kind, &error, start, end),
    }
    now_ns()
}

#[inline(never)]
fn multi_read<C: Connection>(worker: &mut Worker<'_>, connection: &mut C, buffers: &mut Buffers) -> u64 {
    let Buffers { answers, asked, .. } = buffers;
    worker.ask_many(answers, asked);
    let start = start_ns();
    let outcome = connection.multi_read(answers);
    let end = now_ns();
    match outcome {
        Ok(()) => {
            worker.settle_many(asked, answers.iter());
            worker.count(Operation::MultiRead, start, end, 1);
        }
        Err(error) => worker.fail(Operation::MultiRead, &error, start, end),
    }
    end
}

/// Opens the store, reads rows and closes it.
#[inline(never)]
fn open<S: Blocking>(store: &S, worker: &mut Worker<'_>, buffers: &mut Buffers) -> u64 {
    let Buffers { answers, asked, raw, .. } = buffers;
    let phase = worker.context.phase;
    worker.open_once(raw, answers, asked, |answers| store.open_and_read(phase, answers))
}

/// Loads many rows in one request; each has the latency of the whole.
#[inline(never)]
fn load_many<C: Connection>(
    worker: &mut Worker<'_>,
    connection: &mut C,
    buffers: &mut Buffers,
    rows: usize,
    limit: Limit,
) -> u64 {
    let layout = worker.context.layout;
    let len = layout.room_bytes();
    let mut ops = Vec::with_capacity(rows);
    buffers.raw.resize(len * rows, 0);
    while ops.len() < rows && worker.number() < limit.end_number {
        let at = ops.len() * len;
        ops.push(worker.next_op(&mut buffers.raw[at..at + len]));
    }
    let rows: Vec<Row<'_>> =
        ops.iter().enumerate().map(|(at, op)| op.row(&buffers.raw[at * len..(at + 1) * len], layout)).collect();
    let start = start_ns();
    let outcome = connection.load_many(&rows).and_then(|()| connection.commit());
    let end = now_ns();
    match outcome {
        Ok(()) => worker.count(Operation::Load, start, end, ops.len() as u64),
        Err(error) => worker.fail(Operation::Load, &error, start, end),
    }
    end
}

/// Commits what a phase that ended by time has left; the time counts, but for no single operation.
fn commit_rest<C: Connection>(worker: &mut Worker<'_>, connection: &mut C) {
    worker.uncommitted = 0;
    let start = start_ns();
    match connection.commit() {
        Ok(()) => {
            worker.acknowledge();
            worker.extend_to(now_ns());
        }
        Err(error) => worker.fail_commit(worker.context.phase.operation(), &error, start, now_ns()),
    }
}
