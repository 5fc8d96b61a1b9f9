//! Blocks of operations: rows are chosen and values made for all of them, then one follows another without anything
//! between, then all are checked and counted.
//!
//! The end of one operation is the start of the next: reading the clock takes as long as a fast store's answer does in
//! part, and a second reading of the same instant would tell nothing more.

use kurabe_protocol::Operation;

use crate::adapter::{Connection, Key, Row, RowBuffer, StoreError};
use crate::clock::Stamp;
use crate::worker::{Limit, Worker};

/// Most operations of a block: enough to spread what a block costs, few enough that keys, values and answers leave most of
/// the first-level cache to the store.
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

/// What came of an operation. Its error, if there is one, is kept apart: this is written inside the loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Came {
    /// What was asked for: the row, or a write.
    Done,
    /// No such row.
    Nothing,
    Error,
    /// The write was taken, its commit failed.
    CommitError,
}

/// The operations of a block, allocated once.
pub(super) struct Block<T> {
    places: Vec<Place<T>>,
    len: BlockLen,
    /// Errors of the operations that failed, in their order.
    errors: Vec<StoreError>,
}

struct Place<T> {
    what: T,
    end: Stamp,
    came: Came,
}

/// A read of a block.
pub(super) struct Read {
    key: Key,
    answer: RowBuffer,
}

/// A row of a block to be loaded; `raw` holds its fields.
pub(super) struct Load {
    key: Key,
    raw: Vec<u8>,
}

impl<T> Block<T> {
    fn new(len: BlockLen, make: impl Fn() -> T) -> Block<T> {
        let place = || Place { what: make(), end: Stamp::default(), came: Came::Nothing };
        Block { places: (0..len.most).map(|_| place()).collect(), len, errors: Vec::new() }
    }
}

impl Block<Read> {
    /// For the reads of `worker`.
    pub(super) fn of_reads(worker: &Worker<'_>) -> Block<Read> {
        let layout = worker.context.layout;
        let make = || Read { key: Key::new(0, layout), answer: RowBuffer::new(layout) };
        Block::new(BlockLen::new(layout.len_bytes()), make)
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
        let block = &mut self.places[..planned];
        worker.next_reads(block, |place| &mut place.what.key);
        let (layout, pool) = (worker.context.layout, worker.context.pool);
        let deadline = Stamp::of(limit.deadline_ns);
        let mut done = 0;
        let first = Stamp::start();
        for Place { what: Read { key, answer }, end, came } in block.iter_mut() {
            // On its way while the store works: the check after the block will compare with it.
            layout.prefetch_seed(pool, key.seed());
            let outcome = connection.read(key, answer);
            *end = Stamp::end();
            *came = match outcome {
                Ok(true) => Came::Done,
                Ok(false) => Came::Nothing,
                Err(error) => {
                    self.errors.push(error);
                    Came::Error
                }
            };
            done += 1;
            if *end >= deadline {
                break;
            }
        }
        let block = &block[..done];
        // The filler that a check compares with is anywhere in the pool, and the store has used the caches since.
        block.iter().for_each(|place| layout.prefetch_seed(pool, place.what.key.seed()));
        worker.settle_quiet_reads(block.iter().filter(|place| place.came != Came::Error).map(Place::answer));
        let last_ns = count(worker, Operation::Read, first, block, &mut self.errors);
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

impl Place<Read> {
    #[inline(always)]
    fn answer(&self) -> (&Key, Option<&[u8]>) {
        (&self.what.key, (self.came == Came::Done).then_some(self.what.answer.raw()))
    }
}

impl Block<Load> {
    /// For the rows that `worker` loads one by one.
    pub(super) fn of_loads(worker: &Worker<'_>) -> Block<Load> {
        let layout = worker.context.layout;
        let make = || Load { key: Key::new(0, layout), raw: vec![0; layout.room_bytes()] };
        Block::new(BlockLen::new(layout.room_bytes()), make)
    }

    /// Loads the next block of rows, and commits as often as the phase asks; returns the last end. `uncommitted` counts
    /// the rows since the last commit.
    pub(super) fn run<C: Connection>(
        &mut self,
        worker: &mut Worker<'_>,
        connection: &mut C,
        uncommitted: &mut u32,
        limit: Limit,
    ) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if is_wide() {
            // SAFETY: this processor has what the function is compiled for.
            return unsafe { self.run_wide(worker, connection, uncommitted, limit) };
        }
        self.run_here(worker, connection, uncommitted, limit)
    }

    /// As [`Block::<Read>::run_wide`].
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt")]
    fn run_wide<C: Connection>(
        &mut self,
        worker: &mut Worker<'_>,
        connection: &mut C,
        uncommitted: &mut u32,
        limit: Limit,
    ) -> u64 {
        self.run_here(worker, connection, uncommitted, limit)
    }

    #[inline(always)]
    fn run_here<C: Connection>(
        &mut self,
        worker: &mut Worker<'_>,
        connection: &mut C,
        uncommitted: &mut u32,
        limit: Limit,
    ) -> u64 {
        let planned = self.len.planned(worker, limit);
        let block = &mut self.places[..planned];
        worker.next_loads(block, |place| (&mut place.what.key, &mut place.what.raw));
        let (layout, pool, phase) = (worker.context.layout, worker.context.pool, worker.context.phase);
        let deadline = Stamp::of(limit.deadline_ns);
        // Nothing is loaded behind the last row of this block.
        let ends = worker.number() >= limit.end_number;
        let mut done = 0;
        let first = Stamp::start();
        for Place { what: Load { key, raw }, end, came } in block.iter_mut() {
            // On its way while the store works: the row in this place of the next block will be made from it.
            layout.prefetch(pool, key.row.wrapping_add(planned as u32 * phase.connections), 0);
            done += 1;
            *uncommitted += 1;
            let commits = *uncommitted >= phase.commit_every || (ends && done == planned);
            let raw = layout.own_value(key.row, 0).unwrap_or(raw);
            let loaded = connection.load(&Row { key: *key, version: 0, raw, layout });
            let committed = if commits && loaded.is_ok() {
                *uncommitted = 0;
                connection.commit()
            } else {
                Ok(())
            };
            *end = Stamp::end();
            *came = match (loaded, committed) {
                (Ok(()), Ok(())) => Came::Done,
                (Err(error), _) => {
                    self.errors.push(error);
                    Came::Error
                }
                (Ok(()), Err(error)) => {
                    self.errors.push(error);
                    Came::CommitError
                }
            };
            if *end >= deadline {
                break;
            }
        }
        let last_ns = count(worker, Operation::Load, first, &block[..done], &mut self.errors);
        self.len.adapt(last_ns - first.ns());
        last_ns
    }
}

/// Counts the operations of a block, which started at `first`; returns the end of the last. `errors` is empty afterwards.
#[inline(always)]
fn count<T>(
    worker: &mut Worker<'_>,
    kind: Operation,
    first: Stamp,
    block: &[Place<T>],
    errors: &mut Vec<StoreError>,
) -> u64 {
    let (first_ns, last_ns) = (first.ns(), block.last().map_or(first, |place| place.end).ns());
    let done = block.len() - errors.len();
    let mut start = first;
    let latencies = block.iter().filter_map(|place| {
        let latency_ns = place.end.since_ns(std::mem::replace(&mut start, place.end));
        matches!(place.came, Came::Done | Came::Nothing).then_some(latency_ns)
    });
    worker.count_latencies(kind, latencies);
    worker.count_time(first_ns, last_ns, done as u64);
    if !errors.is_empty() {
        count_failed(worker, kind, first, block, errors);
    }
    last_ns
}

#[cold]
#[inline(never)]
fn count_failed<T>(
    worker: &mut Worker<'_>,
    kind: Operation,
    first: Stamp,
    block: &[Place<T>],
    errors: &mut Vec<StoreError>,
) {
    let starts = std::iter::once(first).chain(block.iter().map(|place| place.end));
    let failed = block.iter().zip(starts).filter(|(place, _)| matches!(place.came, Came::Error | Came::CommitError));
    for ((place, start), error) in failed.zip(errors.drain(..)) {
        match place.came {
            Came::CommitError => worker.fail_commit(kind, &error, start.ns(), place.end.ns()),
            _ => worker.fail(kind, &error, start.ns(), place.end.ns()),
        }
    }
}
