//! Blocks of operations: rows are chosen and values made for all of them, then one follows another without anything
//! between, then all are checked and counted.
//!
//! The end of one operation is the start of the next: reading the clock takes as long as a fast store's answer does in
//! part, and a second reading of the same instant would tell nothing more.

use kurabe_protocol::{Layout, Operation};

use crate::adapter::{Connection, Key, Row, RowBuffer, StoreError};
use crate::clock::Stamp;
use crate::phase::PhaseContext;
use crate::worker::{Limit, Worker};

/// Most operations of a block: enough to spread what a block costs, few enough that keys, values and answers leave most
/// of the first-level cache to the store.
const MOST_OPERATIONS: usize = 16;
/// Most bytes of values in a block: half a first-level cache.
const MOST_BYTES: usize = 16 << 10;
/// A block lasts at most about this long, so that abort and deadline are seen in time.
const MOST_NS: u64 = 1_000_000;

/// How many operations the next block has.
pub(super) struct BlockLen {
    now: usize,
    most: usize,
}

impl BlockLen {
    /// For values of `len_bytes`. Short blocks first: how long one lasts is not known yet.
    fn new(len_bytes: usize) -> BlockLen {
        let most = (MOST_BYTES / len_bytes.max(1)).clamp(1, MOST_OPERATIONS);
        BlockLen { now: most.min(4), most }
    }

    /// Operations of the next block of `worker`, at least one.
    #[inline(always)]
    fn planned(&self, worker: &Worker<'_>, limit: Limit) -> usize {
        let workers = u64::from(worker.context.phase.connections);
        let left = (limit.end_number - worker.number()).div_ceil(workers);
        (self.now as u64).min(left) as usize
    }

    /// Takes how long a block lasted.
    #[inline(always)]
    fn adapt(&mut self, lasted_ns: u64) {
        if lasted_ns < MOST_NS / 4 {
            self.now = (self.now * 2).min(self.most);
        } else if lasted_ns > MOST_NS {
            self.now = (self.now / 2).max(1);
        }
    }
}

/// How an operation of a block ended. Its error is kept apart, since this is written inside the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Completion {
    /// What was asked for: the row, or a write.
    Done,
    /// No such row.
    Nothing,
    Error,
    /// The write was taken, its commit failed.
    CommitError,
}

impl Completion {
    #[inline(always)]
    fn is_failure(self) -> bool {
        matches!(self, Completion::Error | Completion::CommitError)
    }
}

/// What the operations of a block do.
pub(super) trait Work: Sized {
    /// Their kind.
    const KIND: Operation;

    /// An operation for rows of `layout`, to be chosen anew for each block.
    fn new(layout: &Layout) -> Self;

    /// Bytes of values that an operation holds.
    fn len_bytes(layout: &Layout) -> usize;

    /// Gives each operation its row.
    fn choose(worker: &mut Worker<'_>, block: &mut [BlockSlot<Self>]);

    /// Performs this operation, and prefetches what follows it; an error says what failed.
    fn perform<C: Connection>(
        &mut self,
        connection: &mut C,
        context: &mut BlockContext<'_>,
    ) -> Result<Completion, (Completion, StoreError)>;

    /// Checks the answers of a block that is done.
    fn settle(worker: &mut Worker<'_>, block: &[BlockSlot<Self>]);
}

/// What an operation knows of the block that it is in.
pub(super) struct BlockContext<'a> {
    context: &'a PhaseContext<'a>,
    /// Operations of the block.
    planned: usize,
    uncommitted: &'a mut u32,
    /// Whether no row follows this one in the phase.
    is_last: bool,
}

/// The operations of a block, allocated once.
pub(super) struct Block<T> {
    slots: Vec<BlockSlot<T>>,
    len: BlockLen,
    /// Errors of the operations that failed, in their order.
    errors: Vec<StoreError>,
}

pub(super) struct BlockSlot<T> {
    op: T,
    end: Stamp,
    completion: Completion,
}

impl<T: Work> Block<T> {
    /// For the operations of `worker`.
    pub(super) fn of(worker: &Worker<'_>) -> Block<T> {
        let layout = worker.context.layout;
        let len = BlockLen::new(T::len_bytes(layout));
        let slot = || BlockSlot { op: T::new(layout), end: Stamp::default(), completion: Completion::Nothing };
        Block { slots: (0..len.most).map(|_| slot()).collect(), len, errors: Vec::new() }
    }

    /// Does the next block; returns the last end.
    pub(super) fn run<C: Connection>(&mut self, worker: &mut Worker<'_>, connection: &mut C, limit: Limit) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if is_wide() {
            // SAFETY: this processor has what the function is compiled for.
            return unsafe { self.run_wide(worker, connection, limit) };
        }
        self.run_here(worker, connection, limit)
    }

    /// The block for processors with wide registers: values are made and compared in fewer steps.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
    fn run_wide<C: Connection>(&mut self, worker: &mut Worker<'_>, connection: &mut C, limit: Limit) -> u64 {
        self.run_here(worker, connection, limit)
    }

    #[inline(always)]
    fn run_here<C: Connection>(&mut self, worker: &mut Worker<'_>, connection: &mut C, limit: Limit) -> u64 {
        let planned = self.len.planned(worker, limit);
        let block = &mut self.slots[..planned];
        T::choose(worker, block);
        let ends = worker.number() >= limit.end_number;
        let mut context =
            BlockContext { context: worker.context, planned, uncommitted: &mut worker.uncommitted, is_last: false };
        let deadline = Stamp::of(limit.deadline_ns);
        let mut done = 0;
        let first = Stamp::start();
        for BlockSlot { op, end, completion } in block.iter_mut() {
            done += 1;
            context.is_last = ends && done == planned;
            let outcome = op.perform(connection, &mut context);
            *end = Stamp::end();
            *completion = outcome.unwrap_or_else(|(completion, error)| {
                self.errors.push(error);
                completion
            });
            if *end >= deadline {
                break;
            }
        }
        let block = &block[..done];
        T::settle(worker, block);
        let last_ns = count(worker, first, block, &mut self.errors);
        self.len.adapt(last_ns - first.ns());
        last_ns
    }
}

/// Whether this processor has what the wide blocks are compiled for.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn is_wide() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") && is_x86_feature_detected!("lzcnt")
}

/// A read of a block.
pub(super) struct Read {
    key: Key,
    answer: RowBuffer,
}

impl Work for Read {
    const KIND: Operation = Operation::Read;

    fn new(layout: &Layout) -> Read {
        Read { key: Key::new(0, layout), answer: RowBuffer::new(layout) }
    }

    fn len_bytes(layout: &Layout) -> usize {
        layout.len_bytes()
    }

    #[inline(always)]
    fn choose(worker: &mut Worker<'_>, block: &mut [BlockSlot<Read>]) {
        worker.next_reads(block, |slot| &mut slot.op.key);
    }

    #[inline(always)]
    fn perform<C: Connection>(
        &mut self,
        connection: &mut C,
        context: &mut BlockContext<'_>,
    ) -> Result<Completion, (Completion, StoreError)> {
        // On its way while the store works: the check after the block will compare with it.
        context.context.layout.prefetch_seed(context.context.pool, self.key.seed());
        match connection.read(&self.key, &mut self.answer) {
            Ok(true) => Ok(Completion::Done),
            Ok(false) => Ok(Completion::Nothing),
            Err(error) => Err((Completion::Error, error)),
        }
    }

    #[inline(always)]
    fn settle(worker: &mut Worker<'_>, block: &[BlockSlot<Read>]) {
        let (layout, pool) = (worker.context.layout, worker.context.pool);
        // The filler that a check compares with is anywhere in the pool, and the store has used the caches since.
        block.iter().for_each(|slot| layout.prefetch_seed(pool, slot.op.key.seed()));
        worker.settle_quiet_reads(block.iter().filter(|slot| !slot.completion.is_failure()).map(BlockSlot::answer));
    }
}

impl BlockSlot<Read> {
    #[inline(always)]
    fn answer(&self) -> (&Key, Option<&[u8]>) {
        (&self.op.key, (self.completion == Completion::Done).then_some(self.op.answer.raw()))
    }
}

/// A row of a block to be loaded, and the commit that is due after it; `raw` holds its fields.
pub(super) struct Load {
    key: Key,
    raw: Vec<u8>,
}

impl Work for Load {
    const KIND: Operation = Operation::Load;

    fn new(layout: &Layout) -> Load {
        Load { key: Key::new(0, layout), raw: vec![0; layout.room_bytes()] }
    }

    fn len_bytes(layout: &Layout) -> usize {
        layout.room_bytes()
    }

    #[inline(always)]
    fn choose(worker: &mut Worker<'_>, block: &mut [BlockSlot<Load>]) {
        worker.next_loads(block, |slot| (&mut slot.op.key, &mut slot.op.raw));
    }

    #[inline(always)]
    fn perform<C: Connection>(
        &mut self,
        connection: &mut C,
        context: &mut BlockContext<'_>,
    ) -> Result<Completion, (Completion, StoreError)> {
        let PhaseContext { layout, pool, phase, .. } = *context.context;
        // On its way while the store works: the row in this place of the next block will be made from it.
        layout.prefetch(pool, self.key.row.wrapping_add(context.planned as u32 * phase.connections), 0);
        *context.uncommitted += 1;
        let raw = layout.own_value(self.key.row, 0).unwrap_or(&self.raw);
        connection.load(&Row { key: self.key, version: 0, raw, layout }).map_err(|error| (Completion::Error, error))?;
        if *context.uncommitted >= phase.commit_every || context.is_last {
            *context.uncommitted = 0;
            connection.commit().map_err(|error| (Completion::CommitError, error))?;
        }
        Ok(Completion::Done)
    }

    /// What was loaded is looked at by the reads to come.
    #[inline(always)]
    fn settle(_: &mut Worker<'_>, _: &[BlockSlot<Load>]) {}
}

/// Counts the operations of a block, which started at `first`; returns the end of the last. `errors` is empty
/// afterwards.
#[inline(always)]
fn count<T: Work>(worker: &mut Worker<'_>, first: Stamp, block: &[BlockSlot<T>], errors: &mut Vec<StoreError>) -> u64 {
    let (first_ns, last_ns) = (first.ns(), block.last().map_or(first, |slot| slot.end).ns());
    let done = block.len() - errors.len();
    let mut start = first;
    let latencies = block.iter().filter_map(|slot| {
        let latency_ns = slot.end.since_ns(std::mem::replace(&mut start, slot.end));
        (!slot.completion.is_failure()).then_some(latency_ns)
    });
    worker.count_latencies(T::KIND, latencies);
    worker.count_time(first_ns, last_ns, done as u64);
    if !errors.is_empty() {
        count_failed(worker, first, block, errors);
    }
    last_ns
}

#[cold]
#[inline(never)]
fn count_failed<T: Work>(worker: &mut Worker<'_>, first: Stamp, block: &[BlockSlot<T>], errors: &mut Vec<StoreError>) {
    let starts = std::iter::once(first).chain(block.iter().map(|slot| slot.end));
    let failed = block.iter().zip(starts).filter(|(slot, _)| slot.completion.is_failure());
    for ((slot, start), error) in failed.zip(errors.drain(..)) {
        match slot.completion {
            Completion::CommitError => worker.fail_commit(T::KIND, &error, start.ns(), slot.end.ns()),
            _ => worker.fail(T::KIND, &error, start.ns(), slot.end.ns()),
        }
    }
}
