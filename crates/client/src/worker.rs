//! One worker: chooses its operations, notes them in the ledger, checks the answers and counts.
//!
//! Both loops use it; what differs between them is only how an operation reaches the store and
//! where the time stamps stand.

use kurabe_protocol::{Checks, Failed, Increments, Layout, Load, Operation, Phase, StoppedBy, Warmup};

use crate::adapter::{Key, Row, StoreError, WriteOutcome};
use crate::choice::Choice;
use crate::clock::now_ns;
use crate::ledger::{Fate, State};
use crate::outcome::{LatencyByKind, Outcome};
use crate::phase::PhaseContext;
use crate::planned::Planned;
use crate::row_source::RowSource;
use crate::series::SeriesRecorder;

mod check;
#[cfg(test)]
mod failures;
mod multi_row;
mod outage;
mod row_source;
#[cfg(test)]
pub(crate) mod sample;
mod search;
#[cfg(test)]
mod vectors;

pub use multi_row::{Many, Reading};
pub(crate) use outage::After;
use outage::Outage;

/// After so many failures in a row a worker gives up: the store is gone, and counting on would only heat the machine.
pub const FAILURES_IN_A_ROW: u64 = 100;
/// Different messages of failed operations that are kept.
const MESSAGES: usize = 20;

/// An operation that is under way.
#[derive(Clone, Copy, Debug)]
pub struct Op {
    /// Kind, never `mix`.
    pub kind: Operation,
    /// Key of its row or counter, or of the first row of its range; row 0 for scan, latest and multi-read.
    pub key: Key,
    /// For reads the acknowledged state, for writes the state before.
    before: State,
    /// For writes the state after.
    after: State,
}

impl Op {
    /// Version of the row that a write leaves.
    pub fn version(&self) -> u32 {
        self.after.version()
    }

    /// State of the row that a write leaves.
    pub(crate) fn after(&self) -> State {
        self.after
    }

    /// How far the row may have got, once the write is under way.
    /// An update of a row that may be gone leaves nothing, or the version that its delete used up.
    fn under_way(&self) -> State {
        if self.kind == Operation::Update && !self.after.present() { self.after.deleted() } else { self.after }
    }

    /// The row to write, with its fields in `raw`.
    /// A row of a data file has them where it lies.
    pub fn row<'a>(&self, raw: &'a [u8], layout: &'a Layout) -> Row<'a> {
        let raw = layout.own_value(self.key.row, self.version()).unwrap_or(raw);
        Row { key: self.key, version: self.version(), raw, layout }
    }
}

/// When a loop stops.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// First operation number that is not done any more.
    pub end_number: u64,
    /// First instant at which no operation is started any more.
    pub deadline_ns: u64,
}

impl Limit {
    /// The limit of the measured operations of `phase`, whose numbers start at `base`.
    pub fn measured(phase: &Phase, base: u64, start_ns: u64) -> Limit {
        Limit {
            end_number: phase.end.count().map_or(u64::MAX, |count| base.saturating_add(count)),
            deadline_ns: phase.end.duration_ns().map_or(u64::MAX, |duration| start_ns.saturating_add(duration)),
        }
    }

    /// The limit of the warm-up.
    pub fn warmup(warmup: Warmup, start_ns: u64) -> Limit {
        match warmup {
            Warmup::Count(count) => Limit { end_number: count, deadline_ns: u64::MAX },
            Warmup::DurationNs(duration) => {
                Limit { end_number: u64::MAX, deadline_ns: start_ns.saturating_add(duration) }
            }
        }
    }
}

/// One worker in one phase.
pub struct Worker<'a> {
    /// The phase.
    pub context: &'a PhaseContext<'a>,
    /// Number of the worker over all processes.
    pub index: u32,
    /// Writes since the last commit, where commits are this side's.
    pub uncommitted: u32,
    choice: Choice,
    /// Service times, in histograms that are made before the clock runs.
    latency: LatencyByKind,
    /// What it notes beside in an open loop.
    planned: Option<Box<Planned>>,
    checks: Checks,
    /// By kind and message, each with the end of the first.
    failures: Vec<(u64, Failed)>,
    pending: Vec<(u32, State)>,
    /// Increments that wait for their commit.
    pending_increments: u64,
    increments: Increments,
    operations: u64,
    failed: u64,
    failed_in_a_row: u64,
    /// Where it is to find a store again that was restarted, and what it knows of that.
    outage: Option<Outage>,
    /// Whether a write failed since the last commit that came to be: what succeeds meanwhile is no end of the row.
    is_write_failing: bool,
    first_start_ns: u64,
    last_end_ns: u64,
    series: SeriesRecorder,
    rows_read: u64,
    /// Where the rows of a load come from again, where they do.
    row_source: Option<Box<dyn RowSource + 'a>>,
}

impl<'a> Worker<'a> {
    /// The worker number `index` of the phase.
    pub fn new(context: &'a PhaseContext<'a>, index: u32) -> Worker<'a> {
        let rows = context.ledger.loaded();
        let kinds = || -> LatencyByKind {
            let is_timed = |kind| kind != Operation::Mix && context.phase.does(kind);
            Operation::ALL.map(|kind| is_timed(kind).then(Box::default))
        };
        Worker {
            choice: Choice::new(context.phase, &context.streams, index, rows, context.readable),
            context,
            index,
            uncommitted: 0,
            latency: kinds(),
            planned: context.planned.is_some().then(|| Box::new(Planned::new(kinds()))),
            checks: Checks::default(),
            failures: Vec::new(),
            pending: Vec::with_capacity(context.phase.commit_every as usize),
            pending_increments: 0,
            increments: Increments::default(),
            operations: 0,
            failed: 0,
            failed_in_a_row: 0,
            outage: Outage::of(context.phase.on_loss),
            is_write_failing: false,
            first_start_ns: 0,
            last_end_ns: 0,
            series: SeriesRecorder::default(),
            rows_read: 0,
            row_source: None,
        }
    }

    /// Forgets what the warm-up counted, but not what the oracle found, and starts the time series.
    pub fn begin_measuring(&mut self) {
        self.begin_measuring_at(now_ns());
    }

    /// As [`Worker::begin_measuring`], for what began at `start_ns`.
    pub fn begin_measuring_at(&mut self, start_ns: u64) {
        self.latency.iter_mut().flatten().for_each(|histogram| histogram.clear());
        self.planned.iter_mut().for_each(|planned| planned.clear());
        (self.operations, self.failed, self.rows_read) = (0, 0, 0);
        if !self.gave_up() {
            // Otherwise they say why there will be no measured operation.
            self.failures.clear();
        }
        (self.first_start_ns, self.last_end_ns) = (0, 0);
        self.series.begin(start_ns);
    }

    /// Number of the worker's next operation.
    pub fn number(&self) -> u64 {
        self.choice.number()
    }

    /// Where the measured operations start: the first number of this round of workers.
    pub fn base(&self) -> u64 {
        self.choice.number() - u64::from(self.index)
    }

    /// End of the last operation that was counted.
    pub fn last_end_ns(&self) -> u64 {
        self.last_end_ns
    }

    /// Whether the worker has given up.
    pub fn gave_up(&self) -> bool {
        self.failed_in_a_row >= FAILURES_IN_A_ROW
    }

    /// Gives each of `reads` the key of its row, in a phase that only reads; `key` tells where.
    #[inline(always)]
    pub fn next_reads<T>(&mut self, reads: &mut [T], key: impl Fn(&mut T) -> &mut Key) {
        let layout = self.context.layout;
        self.choice.rows_to_read(reads, |read, row| key(read).become_row(row, layout));
    }

    /// Gives each of `loads` the key and the fields of its row, in a phase that loads; `parts` tells where.
    #[inline(always)]
    pub fn next_loads<T>(&mut self, loads: &mut [T], parts: impl Fn(&mut T) -> (&mut Key, &mut [u8])) {
        let (layout, pool) = (self.context.layout, self.context.pool);
        for load in loads {
            let (key, raw) = parts(load);
            key.become_row(self.choice.row_to_insert() as u32, layout);
            self.choice.advance();
            layout.write_row(pool, key.seed(), State::LOADED.version(), raw);
            if self.row_source.is_some() {
                let row = key.row;
                self.get_again(row);
            }
        }
    }

    /// Fetches what the value of the operation to come is made from, while something else is waited for.
    #[inline(always)]
    pub fn prefetch_next(&self) {
        let Some((kind, row)) = self.choice.foreseen() else { return };
        let version = match kind {
            Operation::Update => self.context.ledger.started(row).written().version(),
            Operation::Read => self.context.ledger.started(row).version(),
            _ => 0,
        };
        self.context.layout.prefetch(self.context.pool, row, version);
    }

    /// Chooses the next operation and notes it as started. For writes `raw` is filled with the fields.
    #[inline(always)]
    pub fn next_op(&mut self, raw: &mut [u8]) -> Op {
        let op = self.choose_op();
        if matches!(op.kind, Operation::Load | Operation::Insert | Operation::Update) {
            self.context.layout.write_row(self.context.pool, op.key.seed(), op.version(), raw);
            if op.kind == Operation::Load && self.row_source.is_some() {
                self.get_again(op.key.row);
            }
        }
        op
    }

    /// As [`Worker::next_op`], where nobody needs the value of a write.
    #[inline(always)]
    pub fn choose_op(&mut self) -> Op {
        let kind = self.choice.next_kind();
        let op = match kind {
            Operation::Read | Operation::Open => self.op(kind, |worker| {
                let row = worker.choice.row_to_read();
                (row, worker.context.ledger.acknowledged(row), State::NEVER)
            }),
            Operation::Load => self.op(kind, |worker| {
                let row = worker.choice.row_to_insert();
                (row as u32, State::NEVER, State::LOADED)
            }),
            Operation::Insert => self.write_op(kind, |worker| worker.choice.row_to_insert() as u32, State::written),
            Operation::Update => self.write_op(kind, |worker| worker.choice.row_to_write(), State::written),
            Operation::Delete => self.write_op(kind, |worker| worker.choice.row_to_write(), State::deleted),
            // Counters belong to nobody: all workers meet at the hot ones.
            Operation::Increment | Operation::Search => {
                self.op(kind, |worker| (worker.choice.row_of_anybody(), State::NEVER, State::NEVER))
            }
            Operation::Scan | Operation::Latest | Operation::MultiRead | Operation::Mix | Operation::Program => {
                self.op(kind, |_| (0, State::NEVER, State::NEVER))
            }
        };
        self.choice.advance();
        op
    }

    #[inline(always)]
    fn op(&mut self, kind: Operation, choose: impl FnOnce(&mut Self) -> (u32, State, State)) -> Op {
        let (row, before, after) = choose(self);
        Op { kind, key: Key::new(row, self.context.layout), before, after }
    }

    #[inline(always)]
    fn write_op(&mut self, kind: Operation, row: impl FnOnce(&mut Self) -> u32, next: fn(State) -> State) -> Op {
        let op = self.op(kind, |worker| {
            let row = row(worker);
            let before = worker.context.ledger.started(row);
            // Deleting or updating what is absent changes nothing and uses no version up; but a blind update writes.
            let writes = kind == Operation::Insert || (worker.context.blind_writes && kind == Operation::Update);
            let after = if writes || before.present() { next(before) } else { before };
            worker.context.ledger.start(row, after);
            (row, before, after)
        });
        self.start_doubtful(&op);
        op
    }

    /// Notes an update of a row whose delete is of unknown fate: others may read what it writes, or nothing.
    #[inline(always)]
    fn start_doubtful(&self, op: &Op) {
        let ledger = self.context.ledger;
        if op.under_way() != op.after && ledger.acknowledged(op.key.row).present() {
            ledger.start(op.key.row, op.under_way());
        }
    }

    /// Notes when the next operation that is counted was to start, and when its connection was free.
    #[inline(always)]
    pub fn plan(&mut self, planned_ns: u64, free_ns: u64) {
        if let Some(planned) = &mut self.planned {
            (planned.planned_ns, planned.free_ns) = (planned_ns, free_ns);
        }
    }

    /// Gives back a planned start that was taken: the phase ends before it.
    pub fn give_back(&mut self, planned_ns: u64) {
        if let Some(planned) = &mut self.planned {
            planned.taken_ns = Some(planned_ns);
        }
    }

    /// Counts `times` operations of one kind that share their stamps.
    #[inline(always)]
    pub fn count(&mut self, kind: Operation, start_ns: u64, end_ns: u64, times: u64) {
        if let Some(planned) = &mut self.planned {
            planned.count(kind, start_ns, end_ns);
        }
        if let Some(histogram) = &mut self.latency[kind as usize] {
            histogram.record_times(end_ns.saturating_sub(start_ns), times);
        }
        self.count_time(start_ns, end_ns, times);
    }

    /// Counts `times` completed operations between two stamps.
    #[inline(always)]
    pub fn count_time(&mut self, start_ns: u64, end_ns: u64, times: u64) {
        // One that waits for a store to come back has found it.
        if times > 0 && (!self.is_write_failing || self.outage.is_some()) {
            self.failed_in_a_row = 0;
        }
        self.operations += times;
        if self.first_start_ns == 0 {
            self.first_start_ns = start_ns;
        }
        self.last_end_ns = self.last_end_ns.max(end_ns);
        self.series.add(end_ns, times);
        self.context.progress(self.index, self.operations);
    }

    /// Counts the latencies of many operations of one kind; [`Worker::count_time`] follows.
    #[inline(always)]
    pub fn count_latencies(&mut self, kind: Operation, latencies_ns: impl Iterator<Item = u64>) {
        if let Some(histogram) = &mut self.latency[kind as usize] {
            histogram.record_all(latencies_ns);
        }
    }

    /// Notes the end of a commit that belongs to no operation: the last one of a phase that ended by time.
    pub fn extend_to(&mut self, end_ns: u64) {
        self.last_end_ns = self.last_end_ns.max(end_ns);
    }

    /// Counts a failed operation; what it wrote stays started, so its fate is unknown. So is that of the writes before it that
    /// wait for a commit, since what fails may take them along.
    #[cold]
    pub fn fail(&mut self, kind: Operation, error: &StoreError, start_ns: u64, end_ns: u64) {
        self.mark_unknown();
        self.failed += 1;
        self.is_write_failing |= matches!(
            kind,
            Operation::Insert | Operation::Update | Operation::Delete | Operation::Increment | Operation::Mix
        );
        self.note_failure(error, end_ns);
        if self.first_start_ns == 0 {
            self.first_start_ns = start_ns;
        }
        self.last_end_ns = self.last_end_ns.max(end_ns);
        match kind {
            Operation::Load => {
                let rows = self.context.phase.load().map(Load::rows_at_a_time);
                rows.into_iter().for_each(|rows| self.context.ledger.add_failed_loads(rows.into()));
            }
            Operation::Insert => self.context.ledger.add_unknown(Fate::MayExist),
            Operation::Delete => self.context.ledger.add_unknown(Fate::MayBeGone),
            Operation::Increment => self.increments.unknown += 1,
            _ => {}
        }
        let message = error.to_string();
        let known = self.failures.iter().position(|(_, known)| known.operation == kind && known.message == message);
        match known {
            Some(at) => self.failures[at].1.count += 1,
            // Messages that differ in every operation must not fill the memory.
            None if self.failures.len() >= MESSAGES => {}
            None => self.failures.push((end_ns, Failed { operation: kind, message, count: 1 })),
        }
    }

    /// After how many failures in a row it stands now. Where the phase reconnects, time decides and not their number.
    fn note_failure(&mut self, error: &StoreError, now_ns: u64) {
        let in_a_row = self.failed_in_a_row + 1;
        self.failed_in_a_row = match (&mut self.outage, error) {
            (Some(outage), _) => outage.note(error, in_a_row, now_ns),
            (None, StoreError::Disconnected(_)) => FAILURES_IN_A_ROW,
            (None, _) => in_a_row,
        };
    }

    /// Counts a commit that failed: all its writes are of unknown fate.
    #[cold]
    pub fn fail_commit(&mut self, kind: Operation, error: &StoreError, start_ns: u64, end_ns: u64) {
        self.mark_unknown();
        let ledger = self.context.ledger;
        if kind == Operation::Load {
            // The rows of the commit before this one; `fail` adds the last.
            let before = u64::from(self.context.phase.commit_every).saturating_sub(1);
            ledger.add_failed_loads(before);
        }
        self.fail(kind, error, start_ns, end_ns);
    }

    /// The writes that wait for a commit are of unknown fate.
    #[cold]
    pub(crate) fn mark_unknown(&mut self) {
        let ledger = self.context.ledger;
        self.increments.unknown += std::mem::take(&mut self.pending_increments);
        for (row, state) in self.pending.drain(..) {
            ledger.add_unknown(match (ledger.acknowledged(row).present(), state.present()) {
                (_, false) => Fate::MayBeGone,
                (false, true) => Fate::MayExist,
                (true, true) => Fate::Exists,
            });
        }
    }

    /// As [`Worker::fail_commit`], of an operation that was taken already.
    #[cold]
    pub(crate) fn fail_commit_of(&mut self, op: &Op, error: &StoreError, start_ns: u64, end_ns: u64) {
        if op.kind == Operation::Increment {
            self.pending_increments = self.pending_increments.saturating_sub(1);
        } else if let Some(at) = self.pending.iter().rposition(|(row, state)| (*row, *state) == (op.key.row, op.after))
        {
            self.pending.remove(at);
        }
        self.fail_commit(op.kind, error, start_ns, end_ns);
    }

    /// Takes what a write did; it is acknowledged by the next [`Worker::acknowledge`].
    #[inline(always)]
    pub fn settle_write(&mut self, op: &Op, written: WriteOutcome) {
        if op.kind == Operation::Load {
            if written != WriteOutcome::Done {
                self.contradiction(op, written);
            }
            return;
        }
        self.checks.checked += 1;
        if written != self.expected(op) {
            return self.contradiction(op, written);
        }
        match written {
            WriteOutcome::Done => self.pending.push((op.key.row, op.after)),
            WriteOutcome::Exists | WriteOutcome::Missing => {
                self.context.ledger.take_back(op.key.row, op.before, op.under_way())
            }
        }
    }

    /// What an honest store answers to a write.
    #[inline(always)]
    pub fn expected(&self, op: &Op) -> WriteOutcome {
        match op.kind {
            Operation::Insert if op.before.present() => WriteOutcome::Exists,
            Operation::Update | Operation::Delete if !op.before.present() && !self.context.blind_writes => {
                WriteOutcome::Missing
            }
            _ => WriteOutcome::Done,
        }
    }

    /// Makes a write leave the state that was planned for it, whatever the ones before it came to: what was written is known.
    pub(crate) fn align(&self, op: &mut Op, after: State) {
        let writes = matches!(op.kind, Operation::Insert | Operation::Update | Operation::Delete);
        if writes && op.after != after {
            op.after = after;
            self.context.ledger.start(op.key.row, after);
            self.start_doubtful(op);
        }
    }

    /// Takes an increment; it is acknowledged by the next [`Worker::acknowledge`].
    #[inline(always)]
    pub fn settle_increment(&mut self) {
        self.pending_increments += 1;
    }

    /// All writes since the last call are acknowledged: their commit has returned.
    #[inline(always)]
    pub fn acknowledge(&mut self) {
        for (row, state) in self.pending.drain(..) {
            self.context.ledger.acknowledge(row, state);
        }
        self.increments.acknowledged += std::mem::take(&mut self.pending_increments);
        // Who gave up commits the rest, and has given up all the same.
        if std::mem::take(&mut self.is_write_failing) && !self.gave_up() {
            self.failed_in_a_row = 0;
        }
    }

    /// What the worker gave.
    pub fn finish(self, stopped_by: StoppedBy, retries: u64) -> Outcome {
        let latency = Operation::ALL
            .into_iter()
            .zip(self.latency)
            .filter_map(|(kind, histogram)| Some((kind, *histogram?)))
            .collect();
        Outcome {
            worker: self.index,
            operations: self.operations,
            failed: self.failed,
            first_start_ns: self.first_start_ns,
            last_end_ns: self.last_end_ns,
            latency,
            planned: self.planned,
            failures: self.failures,
            checks: self.checks,
            retries,
            encoding_ns: 0,
            connects: 0,
            rows_read: self.rows_read,
            increments: self.increments,
            series: self.series.finish(),
            runtime: None,
            stopped_by,
        }
    }
}
