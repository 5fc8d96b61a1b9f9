//! The judge of a tape: every answer goes through the one oracle, as the value that its CRC-32 tells.
//!
//! Which version a row may have is known, so its value is made here and its CRC-32 compared; one that differs is
//! compared with the versions before and after, so that an old value is found as such. A row of which a write may or
//! may not have happened has two versions that are right, and both are tried.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use kurabe_protocol::{LossPolicy, Operation, RowsFrom, StoppedBy, Untrue};

use super::child::protocol_error;
use super::script::{RequestedRows, Share, Step};
use super::tape::{Digest, Record, Tape, TapeOutcome};
use crate::adapter::{Key, RowSink, StoreError, WriteOutcome};
use crate::clock::system_ns;
use crate::outcome::Outcome;
use crate::phase::PhaseContext;
use crate::planned::{Part, PlannedStarts};
use crate::row_source::no_line;
use crate::worker::{Limit, Many, Op, Worker};

/// A language whose numbers are floating point rounds its stamps by less.
const APART_NS: u64 = 1000;
/// And its clock is apart from this one by less: it may count from a wall clock that is being set right meanwhile.
const ACROSS_NS: u64 = 1_000_000;
/// What a child may need between `go` and its first operation, and between its last one and the answer, on a busy
/// machine.
const EDGES_NS: u64 = 1_000_000_000;
/// And so many times as long as one of its operations: to make the rows that a scan gave may take longer than the scan.
const EDGE_OPERATIONS: u64 = 10;
/// So many versions before the one that is right are looked through for an old value.
const VERSIONS_BACK: u32 = 1000;
/// And so many of a row that another process writes: how often it did is not known here.
const VERSIONS_OF_OTHERS: u32 = 1 << 18;
/// Another process has inserted at most so many times as many rows as this one, and so many more.
const FASTER: u32 = 8;
const INSERTS_AHEAD: u32 = 10_000;

/// Judges the tapes of all workers of a phase, as they come: they read no row that another writes meanwhile.
pub(super) struct Judge<'a> {
    context: &'a PhaseContext<'a>,
    keys: KeyIndex,
    value: Vec<u8>,
    /// Which planned starts were taken, by their number.
    taken: Vec<bool>,
}

/// Rows by the CRC-32 of their keys.
#[derive(Default)]
struct KeyIndex {
    rows: HashMap<u32, u32>,
    /// Those whose key has the CRC-32 of another row's.
    collisions: HashMap<u32, Vec<u32>>,
    /// Rows below this are in it.
    end: u32,
}

impl KeyIndex {
    /// Takes the rows up to `last` in.
    fn grow(&mut self, context: &PhaseContext<'_>, last: u32) {
        for row in self.end..=last {
            let crc = key_crc(&Key::new(row, context.layout));
            match self.rows.entry(crc) {
                Entry::Vacant(free) => drop(free.insert(row)),
                Entry::Occupied(_) => self.collisions.entry(crc).or_default().push(row),
            }
        }
        self.end = self.end.max(last.saturating_add(1));
    }

    fn rows(&self, crc: u32) -> impl Iterator<Item = u32> {
        let others = self.collisions.get(&crc).into_iter().flatten();
        self.rows.get(&crc).into_iter().chain(others).copied()
    }
}

/// The CRC-32 of a key: of its text, or of an int64 key in 8 bytes little-endian.
fn key_crc(key: &Key) -> u32 {
    if key.is_text() { crc32fast::hash(key.text_bytes()) } else { crc32fast::hash(&key.int().to_le_bytes()) }
}

/// Stamps of a phase, in ns of CLOCK_MONOTONIC: when this process sent each line to the child, and when the
/// answer came.
#[derive(Default)]
pub(super) struct PhaseStamps {
    pub(super) prepare_ns: u64,
    pub(super) ready_ns: Option<u64>,
    pub(super) go_ns: Option<u64>,
    pub(super) result_ns: Option<u64>,
}

impl PhaseStamps {
    /// Whether the operations of all workers were about all that happened between `go` and the answer to it: the child
    /// has only to hear the one, and to make the rows of its last answers and say the other.
    /// In an open loop starts were given out from `begun_ns` on.
    pub(super) fn check_span(&self, outcomes: &[Outcome], begun_ns: Option<u64>) -> Result<(), StoreError> {
        // Who gives up may have waited for its store before.
        if outcomes.iter().any(|outcome| outcome.stopped_by == StoppedBy::Failures) {
            return Ok(());
        }
        let done = |outcome: &Outcome| outcome.operations + outcome.failed;
        let active = || outcomes.iter().filter(|outcome| done(outcome) > 0);
        let Some(mut first_ns) = active().map(|outcome| outcome.first_start_ns).min() else { return Ok(()) };
        if let Some(begun_ns) = begun_ns {
            // Its first operation was planned for later.
            first_ns = first_ns.min(begun_ns);
        }
        let last_ns = active().map(|outcome| outcome.last_end_ns).max().unwrap_or(first_ns);
        let (Some(go_ns), Some(result_ns)) = (self.go_ns, self.result_ns) else { return Ok(()) };
        let (span_ns, length_ns) = (last_ns.saturating_sub(first_ns), result_ns.saturating_sub(go_ns));
        let each_ns = span_ns / outcomes.iter().map(done).max().unwrap_or(0).max(1);
        let edges_ns = EDGES_NS.saturating_add(each_ns.saturating_mul(EDGE_OPERATIONS));
        if length_ns.saturating_sub(span_ns) > edges_ns {
            let what = format!("its operations took {span_ns} ns of a phase that took {length_ns} ns");
            return Err(StoreError::store(Untrue::Clock(what)));
        }
        Ok(())
    }
}

/// What the stamps of a tape lie between: each operation follows the one before it, and all was done when it is told.
struct Clock {
    follows_ns: u64,
    /// What a stamp may lie before that: more where it is one of another clock.
    apart_ns: u64,
}

/// When a record was there at the latest, and what is meant by that.
#[derive(Clone, Copy)]
struct Latest {
    ns: u64,
    words: &'static str,
}

impl Clock {
    fn from(follows_ns: u64) -> Clock {
        Clock { follows_ns, apart_ns: ACROSS_NS }
    }

    fn take(&mut self, record: &Record, latest: Latest) -> Result<(), StoreError> {
        let Record { start_ns, end_ns, .. } = *record;
        if end_ns < start_ns {
            return Err(protocol_error("an operation ends before it starts"));
        }
        let other = |what: String| Err(StoreError::store(Untrue::Clock(what)));
        if start_ns.saturating_add(self.apart_ns) < self.follows_ns {
            let early = self.follows_ns - start_ns;
            return other(format!("an operation begins {early} ns before what came before it had ended"));
        }
        if end_ns > latest.ns.saturating_add(ACROSS_NS) {
            let late = end_ns - latest.ns;
            return other(format!("an operation ends {late} ns after {}", latest.words));
        }
        (self.follows_ns, self.apart_ns) = (end_ns, APART_NS);
        Ok(())
    }
}

/// How far the tape of a worker is judged.
pub(super) struct Verdict<'a> {
    /// Entries of its script whose records have not come.
    pub(super) steps: VecDeque<Step>,
    worker: Worker<'a>,
    share: Share,
    requested: RequestedRows,
    clock: Clock,
    deadline_ns: u64,
    /// Entries of the script that are done.
    done: u64,
    measured: u64,
    /// Whether a commit is due that did not come since the write before it failed.
    due: bool,
    begun: bool,
    /// Stamps of the request that the next record belongs to.
    request: Option<(u64, u64)>,
    /// The planned start that the next operation has, in an open loop.
    start_ns: Option<u64>,
}

impl<'a> Verdict<'a> {
    pub(super) fn new(context: &'a PhaseContext<'a>, worker: u32, share: Share) -> Verdict<'a> {
        let mut worker = Worker::new(context, worker);
        // The child has the rule, and its tape ends where it gave up.
        worker.gives_up_at_once();
        Verdict {
            steps: VecDeque::new(),
            requested: RequestedRows::new(&worker),
            worker,
            share,
            clock: Clock::from(0),
            deadline_ns: u64::MAX,
            done: 0,
            measured: 0,
            due: false,
            begun: false,
            request: None,
            start_ns: None,
        }
    }

    /// Number of the worker over all processes.
    pub(super) fn worker(&self) -> u32 {
        self.worker.index
    }

    /// Whether what is measured has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.begun
    }

    /// Operations whose records came.
    pub(super) fn done(&self) -> u64 {
        self.done
    }

    /// What the worker gave, once its tape is whole; whether the time of an open loop `is_over`.
    pub(super) fn finish(mut self, is_over: bool) -> Result<Outcome, StoreError> {
        if let Some(start_ns) = self.start_ns {
            self.worker.give_back(start_ns);
        }
        let stopped_by = match () {
            () if !self.begun => return Err(protocol_error("a tape without a beginning of what is measured")),
            () if self.worker.gave_up() => StoppedBy::Failures,
            () if self.share.measured.is_some_and(|count| self.measured >= count) => StoppedBy::Count,
            // Nothing has succeeded since, for so long as it was to wait.
            () if self.worker.context.phase.on_loss == LossPolicy::Reconnect
                && self.worker.is_failing()
                && !(is_over && self.looked_until_the_end()) =>
            {
                StoppedBy::Failures
            }
            () if is_over || self.worker.last_end_ns() >= self.deadline_ns => StoppedBy::Duration,
            () => return Err(protocol_error(&format!("a tape ends after {} operations, too soon", self.measured))),
        };
        Ok(self.worker.finish(stopped_by, 0))
    }

    /// Whether a worker whose store was lost still looked for it when the time of an open loop was over.
    fn looked_until_the_end(&self) -> bool {
        let plan = self.worker.context.planned.as_deref().map(|plan| plan.part(Part::Measured));
        let end_ns = plan.and_then(|starts| Some(starts.begun_ns()? + starts.lasts_ns()));
        end_ns.is_some_and(|end_ns| self.worker.last_end_ns().saturating_add(LossPolicy::PATIENCE_NS) > end_ns)
    }

    fn take_stamps(&mut self, record: &Record, stamps: &PhaseStamps, read_ns: u64) -> Result<(), StoreError> {
        if let Some(request) = self.request {
            let is_same = request == (record.start_ns, record.end_ns);
            return if is_same { Ok(()) } else { Err(protocol_error("records of one request have different stamps")) };
        }
        if record.outcome == TapeOutcome::Begins {
            let go_ns = stamps.go_ns.filter(|_| !self.begun);
            self.clock = Clock::from(go_ns.ok_or_else(|| protocol_error("an outcome 7 where no 'go' was said"))?);
            self.begun = true;
        } else if self.done == 0 && !self.begun {
            self.clock = Clock::from(stamps.prepare_ns);
        }
        let told = if self.begun {
            stamps.result_ns.map(|ns| Latest { ns, words: "'result' came" })
        } else {
            stamps.ready_ns.map(|ns| Latest { ns, words: "'ready' came, and no outcome 7 stands before it" })
        };
        self.clock.take(record, told.unwrap_or(Latest { ns: read_ns, words: "its record was read" }))
    }
}

impl<'a> Judge<'a> {
    pub(super) fn new(context: &'a PhaseContext<'a>) -> Judge<'a> {
        let value = vec![0; context.layout.len_bytes()];
        let starts = context.planned.as_deref().map_or(0, |plan| plan.part(Part::Measured).offsets().len());
        Judge { context, keys: KeyIndex::default(), value, taken: vec![false; starts] }
    }

    /// Judges what has come of a tape.
    pub(super) fn judge(
        &mut self,
        verdict: &mut Verdict<'a>,
        tape: &mut Tape,
        stamps: &PhaseStamps,
    ) -> Result<(), StoreError> {
        let read_ns = system_ns();
        while let Some(record) = tape.next()? {
            if record.outcome == TapeOutcome::Taken {
                self.take_start(verdict, &record, read_ns)?;
                continue;
            }
            verdict.take_stamps(&record, stamps, read_ns)?;
            let worker = &mut verdict.worker;
            match record.outcome {
                TapeOutcome::Begins => {
                    worker.begin_measuring_at(record.start_ns);
                    let limit = Limit::measured(self.context.phase, worker.base(), record.start_ns);
                    verdict.deadline_ns = limit.deadline_ns;
                }
                TapeOutcome::RestCommitted => {
                    worker.acknowledge();
                    worker.extend_to(record.end_ns);
                    verdict.due = false;
                }
                TapeOutcome::RestNotCommitted => {
                    let kind = self.context.phase.operation();
                    worker.fail_commit(kind, &tape.error(), record.start_ns, record.end_ns);
                    verdict.due = false;
                }
                _ => self.operation(verdict, record, tape)?,
            }
        }
        Ok(())
    }

    /// Takes note of a planned start, which is one that was given out, and to nobody else.
    fn take_start(&mut self, verdict: &mut Verdict<'a>, record: &Record, read_ns: u64) -> Result<(), StoreError> {
        let Record { start_ns, end_ns: free_ns, .. } = *record;
        let plan = self.context.planned.as_deref();
        let plan = plan.ok_or_else(|| protocol_error("an outcome 8 in a phase without planned starts"))?;
        if verdict.start_ns.is_some() {
            return Err(protocol_error("two outcomes 8 without an operation between them"));
        }
        if verdict.begun && !self.is_given(plan.part(Part::Measured), start_ns) {
            return Err(protocol_error("an outcome 8 with a start that was not given out, or twice"));
        }
        // The worker asked for it after its last operation, and before it was told.
        let asked = Record { start_ns: free_ns, ..*record };
        verdict.clock.take(&asked, Latest { ns: read_ns, words: "its record was read" })?;
        verdict.start_ns = Some(start_ns);
        verdict.worker.plan(start_ns, free_ns);
        Ok(())
    }

    /// Whether this is one of the starts, and is taken for the first time.
    fn is_given(&mut self, starts: &PlannedStarts, start_ns: u64) -> bool {
        let Some(offset_ns) = starts.begun_ns().and_then(|begun_ns| start_ns.checked_sub(begun_ns)) else {
            return false;
        };
        let offsets = starts.offsets();
        let first = offsets.partition_point(|other_ns| *other_ns < offset_ns);
        // Two may be planned for the same instant.
        let mut same = (first..offsets.len()).take_while(|at| offsets[*at] == offset_ns);
        same.any(|at| !std::mem::replace(&mut self.taken[at], true))
    }

    fn operation(&mut self, verdict: &mut Verdict<'a>, record: Record, tape: &Tape) -> Result<(), StoreError> {
        let Verdict { steps, worker, requested, start_ns: planned, .. } = verdict;
        let step = steps.pop_front().ok_or_else(|| protocol_error("a tape is longer than its script"))?;
        let Record { start_ns, end_ns, outcome } = record;
        if self.context.planned.is_some() {
            let planned_ns = planned.take();
            let planned_ns = planned_ns.ok_or_else(|| protocol_error("an operation without an outcome 8 before it"))?;
            if start_ns.saturating_add(ACROSS_NS) < planned_ns {
                let early_ns = planned_ns - start_ns;
                return Err(protocol_error(&format!("an operation begins {early_ns} ns before it was planned")));
            }
        }
        let mut op = worker.choose_op();
        worker.align(&mut op, step.after);
        // They are drawn from the stream, whatever came.
        requested.draw(worker, &op);
        verdict.due |= step.commits;
        match outcome {
            TapeOutcome::Failed => worker.fail(op.kind, &tape.error(), start_ns, end_ns),
            TapeOutcome::CommitFailed => {
                worker.fail_commit(op.kind, &tape.error(), start_ns, end_ns);
                verdict.due = false;
            }
            TapeOutcome::Done | TapeOutcome::Exists | TapeOutcome::Missing => {
                self.settle(worker, &op, outcome, tape, requested)?;
                worker.count(op.kind, start_ns, end_ns, 1);
                // Where the write before it failed, a commit that is due comes behind the next one.
                if op.kind.writes() && !step.together && std::mem::take(&mut verdict.due) {
                    worker.acknowledge();
                }
            }
            // They are no operations.
            TapeOutcome::Begins | TapeOutcome::Taken | TapeOutcome::RestCommitted | TapeOutcome::RestNotCommitted => {}
        }
        verdict.done += 1;
        verdict.measured += u64::from(verdict.begun);
        verdict.request = step.together.then_some((start_ns, end_ns));
        Ok(())
    }

    fn settle(
        &mut self,
        worker: &mut Worker<'a>,
        op: &Op,
        outcome: TapeOutcome,
        tape: &Tape,
        requested: &RequestedRows,
    ) -> Result<(), StoreError> {
        use Operation::{Delete, Increment, Insert, Load, MultiRead, Open, Read, Update};
        let answers_as_writes = matches!(op.kind, Load | Insert | Update | Delete);
        if outcome != TapeOutcome::Done && !answers_as_writes {
            return Err(protocol_error(&format!("a {} that says what a write does", op.kind)));
        }
        let expected = match op.kind {
            Load => Some(usize::from(*self.context.phase.rows_from() == RowsFrom::Lines)),
            Insert | Update | Delete | Increment => Some(0),
            Read => Some(1),
            MultiRead | Open => Some(requested.answers.keys().len()),
            _ => None,
        };
        let mut rows = tape.rows();
        if let Some(expected) = expected.filter(|expected| *expected != rows.len()) {
            return Err(protocol_error(&format!("a {} with {} rows instead of {expected}", op.kind, rows.len())));
        }
        match op.kind {
            Load | Insert | Update | Delete => {
                worker.settle_write(op, of(outcome));
                // The line from which the row came again.
                rows.for_each(|line| {
                    let is_same = self.is_as_first_read(&op.key, line);
                    worker.check_source_row(if is_same { Ok(()) } else { Err(no_line(op.key.row)) });
                });
            }
            Increment => worker.settle_increment(),
            Read => rows.next().into_iter().for_each(|digest| self.read(worker, op, digest)),
            MultiRead | Open => self.read_all(worker, requested, rows),
            _ => self.read_many(worker, op, rows),
        }
        Ok(())
    }

    /// Whether what was split from a line is the row as the data file was read first.
    fn is_as_first_read(&self, key: &Key, line: Digest) -> bool {
        let value = self.context.layout.own_value(key.row, 0).unwrap_or_default();
        line == Digest { key: key_crc(key), value: crc32fast::hash(value) }
    }

    fn read(&mut self, worker: &mut Worker<'a>, op: &Op, digest: Digest) {
        if digest.is_nothing() {
            return worker.settle_read(op, None);
        }
        match self.value_of(&op.key, digest) {
            Some(value) => worker.settle_read(op, Some(value)),
            None => worker.found_other(op.key.row, digest.value),
        }
    }

    fn read_all(&mut self, worker: &mut Worker<'a>, requested: &RequestedRows, rows: impl Iterator<Item = Digest>) {
        let requested = requested.states.iter().zip(requested.answers.keys()).zip(rows);
        for ((before, key), digest) in requested {
            let before = std::slice::from_ref(before);
            if digest.is_nothing() {
                worker.settle_many(before, std::iter::once((key, None)));
                continue;
            }
            match self.value_of(key, digest) {
                Some(value) => worker.settle_many(before, std::iter::once((key, Some(value)))),
                None => worker.found_other(key.row, digest.value),
            }
        }
    }

    /// Scan, latest, search: the rows that came are told by their keys.
    fn read_many(&mut self, worker: &mut Worker<'a>, op: &Op, rows: impl Iterator<Item = Digest>) {
        self.keys.grow(self.context, self.last_row());
        let mut others = Vec::new();
        let context = self.context;
        let give = |sink: &mut RowSink<'_>| {
            for digest in rows {
                match self.row_of(digest) {
                    Ok((row, value)) => sink.raw(kurabe_protocol::ReturnedKey::Row(row), value),
                    Err(row) => others.push((row, digest.value)),
                }
            }
            Ok(())
        };
        // Its stamps are those of the judge; what it says is said by the checks.
        let _ = match (op.kind, context.search, context.latest_rows) {
            (Operation::Search, Some(search), _) => worker.search(op, search, |_, sink| give(sink)),
            (Operation::Latest, _, Some(rows)) => worker.read_many(Many::Latest { rows }, give),
            _ => worker.read_many(Many::Scan, give),
        };
        others.into_iter().for_each(|(row, crc)| worker.found_other(row, crc));
    }

    /// The last row that there can be.
    fn last_row(&self) -> u32 {
        let ledger = self.context.ledger;
        let (loaded, last) = (ledger.loaded(), ledger.highest_written());
        let inserts = ledger.capacity() > loaded as usize;
        if self.context.processes == 1 || !inserts {
            return last;
        }
        let ahead = last.saturating_sub(loaded).saturating_mul(FASTER).saturating_add(INSERTS_AHEAD);
        loaded.saturating_add(ahead).min(ledger.capacity() as u32 - 1)
    }

    /// The row whose key came, and its value; the row alone where no version of it has such a value.
    fn row_of(&mut self, digest: Digest) -> Result<(u32, &[u8]), u32> {
        let rows: Vec<u32> = self.keys.rows(digest.key).collect();
        let found = rows.iter().copied().find(|row| self.make_value(*row, digest.value));
        match found {
            Some(row) => Ok((row, &self.value)),
            None => Err(rows.first().copied().unwrap_or(u32::MAX)),
        }
    }

    /// The value that came for `key`, where it is one of its row.
    fn value_of(&mut self, key: &Key, digest: Digest) -> Option<&[u8]> {
        let found = digest.key == key_crc(key) && self.make_value(key.row, digest.value);
        found.then_some(self.value.as_slice())
    }

    /// Makes the value of `row` that has this CRC-32: of a version that is right, else of one before or behind; whether
    /// there is one.
    fn make_value(&mut self, row: u32, crc: u32) -> bool {
        let (context, value) = (self.context, &mut self.value);
        let (least, most) = (context.ledger.acknowledged(row).version(), context.ledger.started(row).version());
        let back = least.saturating_sub(VERSIONS_BACK)..least;
        let unknown = if context.knows(row) { 0..0 } else { most + 1..VERSIONS_OF_OTHERS };
        let mut versions = (least..=most).rev().chain(back.rev()).chain([most + 1]).chain(unknown);
        versions.any(|version| {
            match context.layout.own_value(row, version) {
                Some(own) => {
                    value.clear();
                    value.extend_from_slice(own);
                }
                None => context.layout.write(context.pool, row, version, value),
            }
            crc32fast::hash(value) == crc
        })
    }
}

fn of(outcome: TapeOutcome) -> WriteOutcome {
    match outcome {
        TapeOutcome::Exists => WriteOutcome::Exists,
        TapeOutcome::Missing => WriteOutcome::Missing,
        _ => WriteOutcome::Done,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use kurabe_protocol::value::pool_bytes;
    use kurabe_protocol::{Action, End, Layout, Phase, Pool, Schema};

    use super::*;
    use crate::ledger::Ledger;
    use crate::worker::sample;

    const MS: u64 = 1_000_000;

    /// The verdict on a worker that did so many operations in so many ns, in a phase that was seen to take so many.
    fn verdict(times: u64, span_ns: u64, length_ns: u64, stopped_by: StoppedBy) -> Result<(), StoreError> {
        let schema = Schema::key_value(10);
        let layout = Layout::new(&schema);
        let pool = Pool::new(&pool_bytes(1, 0.0), &layout).expect("a pool");
        let job = sample::job(schema, 4, Phase::new("read", Action::Read, End::Count(times)));
        let (ledger, abort) = (Ledger::new(4, 0), AtomicBool::new(false));
        let context = PhaseContext::new(&job, &job.phases[0], &layout, &pool, &ledger, &abort).expect("a context");
        let mut worker = Worker::new(&context, 0);
        let go_ns = 5_000 * MS;
        worker.count(Operation::Read, go_ns, go_ns + span_ns, times);
        let stamps = PhaseStamps { go_ns: Some(go_ns), result_ns: Some(go_ns + length_ns), ..PhaseStamps::default() };
        stamps.check_span(&[worker.finish(stopped_by, 0)], None)
    }

    #[test]
    fn a_clock_that_is_slow_and_agrees_with_itself_is_found_after_a_second() {
        let count = StoppedBy::Count;
        let slow = verdict(1000, 2 * MS, 2_000 * MS, count);
        assert!(slow.is_err_and(|error| error.to_string().contains("clock")), "a thousandth of the time");
        assert!(verdict(1000, 1_500 * MS, 3_000 * MS, count).is_err(), "half of it");
        assert!(verdict(1000, 2_900 * MS, 3_000 * MS, count).is_ok());
        assert!(verdict(1000, MS, 900 * MS, count).is_ok(), "too short to tell");
        assert!(verdict(1, 1_000 * MS, 9_000 * MS, count).is_ok(), "the rows of one scan");
        assert!(verdict(1000, 2 * MS, 12_000 * MS, StoppedBy::Failures).is_ok(), "it waited for its store");
    }
}
