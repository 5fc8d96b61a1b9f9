//! The loop for stores whose operations block: one thread a connection.
//!
//! A phase that only reads works in blocks: rows are chosen for the whole block, then every read
//! is done between its own two stamps, then all answers are checked and counted. A phase that
//! writes works one operation at a time, since the ledger must know each write before it starts.

use kurabe_protocol::{LoadPath, Operation, StoppedBy};

use crate::adapter::{Answers, Blocking, Connection, Key, Row, RowBuffer, StoreError, Written};
use crate::clock::{now_ns, start_ns};
use crate::ledger::State;
use crate::outcome::Outcome;
use crate::phase::{AbortOnPanic, Gate, Go, LoopShape, PhaseContext};
use crate::worker::{Limit, Op, Worker};

/// Most operations of a block.
const BLOCK_OPERATIONS: usize = 64;
/// Most bytes of answers in a block: half a first-level cache.
const BLOCK_BYTES: usize = 16 << 10;
/// A block lasts at most about this long, so that abort and deadline are seen in time.
const BLOCK_NS: u64 = 1_000_000;

/// Drives a [`Blocking`] store.
pub struct BlockingLoop;

impl<S: Blocking<Shape = BlockingLoop>> LoopShape<S> for BlockingLoop {
    fn run(store: &S, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError> {
        if gate.is_of_one() {
            // A process without a second thread is what a program with one connection is: the C library takes no
            // locks in it (an idle second thread costs SQLite 100 ns and more an operation, measured).
            return context.workers().map(|worker| run_worker(store, context, gate, worker)).collect();
        }
        std::thread::scope(|scope| {
            let threads: Vec<_> =
                context.workers().map(|worker| scope.spawn(move || run_worker(store, context, gate, worker))).collect();
            // All are joined before the first error is looked at: one that panicked and was not joined would end the scope.
            let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
            joined
                .into_iter()
                .map(|outcome| {
                    outcome.unwrap_or_else(|panic| {
                        Err(StoreError::Store(format!("a worker failed: {}", panic_message(&*panic))))
                    })
                })
                .collect()
        })
    }

    fn threads(context: &PhaseContext<'_>) -> u32 {
        context.workers().count() as u32
    }
}

/// The words of a panic.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string())).unwrap_or_default()
}

fn run_worker<S: Blocking>(
    store: &S,
    context: &PhaseContext<'_>,
    gate: &Gate<'_>,
    index: u32,
) -> Result<Outcome, StoreError> {
    let _guard = AbortOnPanic(gate);
    let mut connection = store.connect(context.phase).inspect_err(|_| gate.abort())?;
    let mut worker = Worker::new(context, index);
    if let Some(warmup) = context.phase.warmup {
        work(store, &mut worker, &mut connection, Limit::warmup(warmup, now_ns()));
    }
    worker.begin_measuring();
    let retries = connection.retries();
    if gate.wait() == Go::Leave {
        return Ok(worker.finish(StoppedBy::Abort, 0));
    }
    let limit = Limit::measured(context.phase, worker.base(), now_ns());
    let stopped_by = work(store, &mut worker, &mut connection, limit);
    let retries = connection.retries() - retries;
    Ok(worker.finish(stopped_by, retries))
}

/// Works until a limit is reached.
fn work<S: Blocking>(store: &S, worker: &mut Worker<'_>, connection: &mut S::Connection, limit: Limit) -> StoppedBy {
    let phase = worker.context.phase;
    let mut buffers = Buffers::new(worker);
    let mut uncommitted = 0;
    let mut now = now_ns();
    let stopped_by = loop {
        if worker.number() >= limit.end_number {
            break StoppedBy::Count;
        }
        if worker.gave_up() {
            break StoppedBy::Failures;
        }
        if worker.context.aborted(now) {
            break StoppedBy::Abort;
        }
        now = match phase.operation {
            Operation::Read => read_block(worker, connection, &mut buffers, limit),
            Operation::Load if phase.load_path != LoadPath::Row => load_many(worker, connection, &mut buffers, limit),
            Operation::Open => open(store, worker, &mut buffers),
            _ => step(worker, connection, &mut buffers, &mut uncommitted, limit),
        };
        if now >= limit.deadline_ns {
            break StoppedBy::Duration;
        }
    };
    if uncommitted > 0 {
        commit_rest(worker, connection);
    }
    stopped_by
}

/// What the loop needs beside the worker, allocated once.
struct Buffers {
    reads: Vec<Read>,
    /// Errors of the block's failed reads, in their order.
    errors: Vec<StoreError>,
    block: usize,
    answer: RowBuffer,
    raw: Vec<u8>,
    /// Of a multi-read.
    answers: Answers,
    asked: Vec<State>,
}

/// One read of a block.
struct Read {
    key: Key,
    answer: RowBuffer,
    start_ns: u64,
    end_ns: u64,
    came: Came,
}

/// What came of a read. Its error, if there is one, is kept apart: this is written inside the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    Row,
    Nothing,
    Error,
}

impl Buffers {
    fn new(worker: &Worker<'_>) -> Buffers {
        let layout = worker.context.layout;
        let block = match worker.context.phase.operation {
            Operation::Read => (BLOCK_BYTES / layout.len_bytes().max(1)).clamp(1, BLOCK_OPERATIONS),
            _ => 0,
        };
        let read = || Read {
            key: Key::new(0, layout),
            answer: RowBuffer::new(layout),
            start_ns: 0,
            end_ns: 0,
            came: Came::Nothing,
        };
        Buffers {
            reads: (0..block).map(|_| read()).collect(),
            errors: Vec::new(),
            // Short blocks first: how long one lasts is not known yet.
            block: block.min(4),
            answer: RowBuffer::new(layout),
            raw: vec![0; layout.room_bytes()],
            answers: worker.answers(),
            asked: Vec::new(),
        }
    }
}

/// Does a block of reads; returns the last end.
fn read_block<C: Connection>(worker: &mut Worker<'_>, connection: &mut C, buffers: &mut Buffers, limit: Limit) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt") {
        // SAFETY: this processor has what the function is compiled for.
        return unsafe { read_block_wide(worker, connection, buffers, limit) };
    }
    reads_of_block(worker, connection, buffers, limit)
}

/// The block for processors with wide registers: values are made and compared in fewer steps.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
fn read_block_wide<C: Connection>(
    worker: &mut Worker<'_>,
    connection: &mut C,
    buffers: &mut Buffers,
    limit: Limit,
) -> u64 {
    reads_of_block(worker, connection, buffers, limit)
}

#[inline(always)]
fn reads_of_block<C: Connection>(
    worker: &mut Worker<'_>,
    connection: &mut C,
    buffers: &mut Buffers,
    limit: Limit,
) -> u64 {
    let workers = u64::from(worker.context.phase.connections);
    let left = (limit.end_number - worker.number()).div_ceil(workers);
    let planned = (buffers.block as u64).min(left) as usize;
    let block = &mut buffers.reads[..planned];
    worker.next_reads(block, |read| &mut read.key);
    let mut done = 0;
    let (layout, pool) = (worker.context.layout, worker.context.pool);
    for read in block.iter_mut() {
        // On its way while the store works: the check after the block will compare with it.
        layout.prefetch(pool, read.key.seed());
        read.start_ns = start_ns();
        let outcome = connection.read(&read.key, &mut read.answer);
        read.end_ns = now_ns();
        read.came = match outcome {
            Ok(true) => Came::Row,
            Ok(false) => Came::Nothing,
            Err(error) => {
                buffers.errors.push(error);
                Came::Error
            }
        };
        done += 1;
        if read.end_ns >= limit.deadline_ns {
            break;
        }
    }
    let block = &block[..done];
    let (first, last) = (block[0].start_ns, block[done - 1].end_ns);
    let failed = count_block(worker, block, &mut buffers.errors);
    worker.count_time(first, last, (done - failed) as u64);
    let lasted = last - first;
    if lasted < BLOCK_NS / 4 {
        buffers.block = (buffers.block * 2).min(buffers.reads.len());
    } else if lasted > BLOCK_NS {
        buffers.block = (buffers.block / 2).max(1);
    }
    last
}

/// Checks and counts the reads of a block; returns how many failed.
#[inline(always)]
fn count_block(worker: &mut Worker<'_>, block: &[Read], errors: &mut Vec<StoreError>) -> usize {
    let (layout, pool) = (worker.context.layout, worker.context.pool);
    // The filler that a check compares with is anywhere in the pool, and the store has used the caches since.
    block.iter().for_each(|read| layout.prefetch(pool, read.key.seed()));
    if errors.is_empty() {
        let answers = block.iter().map(|read| (&read.key, (read.came == Came::Row).then_some(read.answer.raw())));
        worker.settle_quiet_reads(answers);
        if let Some(histogram) = worker.read_histogram() {
            histogram.record_all(block.iter().map(|read| read.end_ns.saturating_sub(read.start_ns)));
        }
        return 0;
    }
    count_part(worker, block, errors)
}

/// As [`count_block`] for a block of which some reads failed.
#[cold]
#[inline(never)]
fn count_part(worker: &mut Worker<'_>, block: &[Read], errors: &mut Vec<StoreError>) -> usize {
    let came = || block.iter().filter(|read| read.came != Came::Error);
    worker.settle_quiet_reads(came().map(|read| (&read.key, (read.came == Came::Row).then_some(read.answer.raw()))));
    if let Some(histogram) = worker.read_histogram() {
        histogram.record_all(came().map(|read| read.end_ns.saturating_sub(read.start_ns)));
    }
    let failed = errors.len();
    for (read, error) in block.iter().filter(|read| read.came == Came::Error).zip(errors.drain(..)) {
        worker.fail(Operation::Read, &error, read.start_ns, read.end_ns);
    }
    failed
}

/// Does one operation, and the commit that it triggers; returns its end.
#[inline(always)]
fn step<C: Connection>(
    worker: &mut Worker<'_>,
    connection: &mut C,
    buffers: &mut Buffers,
    uncommitted: &mut u32,
    limit: Limit,
) -> u64 {
    let op = worker.next_op(&mut buffers.raw);
    let row = op.row(&buffers.raw, worker.context.layout);
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
        Operation::Open => {
            // In a mix: there is no place for it, since it needs the store itself.
            let now = now_ns();
            worker.fail(op.kind, &StoreError::Unsupported, now, now);
            now
        }
        Operation::Load
        | Operation::Insert
        | Operation::Update
        | Operation::Delete
        | Operation::Increment
        | Operation::Mix => {
            *uncommitted += 1;
            let last = worker.number() >= limit.end_number;
            let commits = *uncommitted >= worker.context.phase.commit_every || last;
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
                        *uncommitted = 0;
                    }
                }
                (Ok(_), Err(error)) => {
                    worker.fail_commit(op.kind, &error, start, end);
                    *uncommitted = 0;
                }
                (Err(error), _) => worker.fail(op.kind, &error, start, end),
            }
            end
        }
    }
}

#[inline(always)]
fn write<C: Connection>(connection: &mut C, kind: Operation, row: &Row<'_>) -> Result<Written, StoreError> {
    match kind {
        Operation::Load => connection.load(row).map(|()| Written::Done),
        Operation::Insert => connection.insert(row),
        Operation::Update => connection.update(row),
        Operation::Increment => connection.increment(&row.key).map(|()| Written::Done),
        _ => connection.delete(&row.key),
    }
}

#[inline(never)]
fn read_many<C: Connection>(worker: &mut Worker<'_>, connection: &mut C, op: &Op) -> u64 {
    let rows = worker.context.phase.latest_rows.unwrap_or(0);
    let asked = match op.kind {
        Operation::Search => worker.search(op, |range, sink| connection.search(range, sink)),
        Operation::Latest => worker.read_many(op.kind, |sink| connection.latest(rows, sink)),
        _ => worker.read_many(op.kind, |sink| connection.scan(sink)),
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

/// Opens the store, reads one row and closes it.
#[inline(never)]
fn open<S: Blocking>(store: &S, worker: &mut Worker<'_>, buffers: &mut Buffers) -> u64 {
    let op = worker.next_op(&mut buffers.raw);
    let start = start_ns();
    let outcome = store.open_and_read(worker.context.phase, &op.key, &mut buffers.answer);
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

/// Loads many rows in one request; each has the latency of the whole.
#[inline(never)]
fn load_many<C: Connection>(worker: &mut Worker<'_>, connection: &mut C, buffers: &mut Buffers, limit: Limit) -> u64 {
    let (phase, layout) = (worker.context.phase, worker.context.layout);
    let len = layout.room_bytes();
    let mut ops = Vec::with_capacity(phase.batch_rows as usize);
    buffers.raw.resize(len * phase.batch_rows as usize, 0);
    while ops.len() < phase.batch_rows as usize && worker.number() < limit.end_number {
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
    let start = start_ns();
    match connection.commit() {
        Ok(()) => {
            worker.acknowledge();
            worker.extend_to(now_ns());
        }
        Err(error) => worker.fail_commit(worker.context.phase.operation, &error, start, now_ns()),
    }
}
