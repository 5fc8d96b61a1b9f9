//! The judge of a tape: every answer goes through the one oracle, as the value that its CRC-32 tells.
//!
//! Which version a row may have is known, so its value is made here and its CRC-32 compared; one that differs is compared
//! with the versions before and after, so that an old value is found as such. A row of which a write may or may not have
//! happened has two versions that are right, and both are tried.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kurabe_protocol::{OnLoss, Operation, StoppedBy, Untrue};

use super::child::broken;
use super::script::{Script, Step};
use super::tape::{Came, Digest, Record, Tape};
use crate::adapter::{Answers, Key, RowSink, StoreError, Written};
use crate::ledger::State;
use crate::outcome::Outcome;
use crate::phase::PhaseContext;
use crate::worker::{Limit, Many, Op, Worker};

/// A language whose numbers are floating point rounds its stamps by less.
const APART_NS: u64 = 1000;
/// And its clock is apart from this one by less: it may count from a wall clock that is being set right meanwhile.
const ACROSS_NS: u64 = 1_000_000;
/// What a child may need between `go` and its first operation, and between its last one and the answer, on a busy machine.
const EDGES_NS: u64 = 1_000_000_000;
/// And so many times as long as one of its operations: to make the rows that a scan gave may take longer than the scan.
const EDGE_OPERATIONS: u64 = 10;
/// So many versions before the one that is right are looked through for an old value.
const VERSIONS_BACK: u32 = 1000;

/// Judges the tapes of all workers of a phase, one after the other: they read no row that another writes meanwhile.
pub(super) struct Judge<'a> {
    context: &'a PhaseContext<'a>,
    keys: KeyIndex,
    value: Vec<u8>,
}

/// Rows by the CRC-32 of their keys.
#[derive(Default)]
struct KeyIndex {
    rows: HashMap<u32, u32>,
    /// Those whose key has the CRC-32 of another row's.
    others: HashMap<u32, Vec<u32>>,
    /// Rows below this are in it.
    below: u32,
}

impl KeyIndex {
    /// Takes the rows up to `last` in.
    fn grow(&mut self, context: &PhaseContext<'_>, last: u32) {
        for row in self.below..=last {
            let crc = key_crc(&Key::new(row, context.layout));
            match self.rows.entry(crc) {
                Entry::Vacant(free) => drop(free.insert(row)),
                Entry::Occupied(_) => self.others.entry(crc).or_default().push(row),
            }
        }
        self.below = self.below.max(last.saturating_add(1));
    }

    fn rows(&self, crc: u32) -> impl Iterator<Item = u32> {
        let others = self.others.get(&crc).into_iter().flatten();
        self.rows.get(&crc).into_iter().chain(others).copied()
    }
}

/// The CRC-32 of a key: of its text, or of an int64 key in 8 bytes little-endian.
fn key_crc(key: &Key) -> u32 {
    if key.is_text() { crc32fast::hash(key.text_bytes()) } else { crc32fast::hash(&key.int().to_le_bytes()) }
}

/// What was seen of a phase here, in ns of CLOCK_MONOTONIC: when each word to the child was said, and when its answer came.
pub(super) struct Seen {
    pub(super) prepare_ns: u64,
    pub(super) ready_ns: u64,
    pub(super) go_ns: u64,
    pub(super) result_ns: u64,
}

impl Seen {
    /// Whether the operations of all workers were about all that happened between `go` and the answer to it: the child has only
    /// to hear the one, and to make the rows of its last answers and say the other.
    pub(super) fn is_filled_by(&self, outcomes: &[Outcome]) -> Result<(), StoreError> {
        // Who gives up may have waited for its store before.
        if outcomes.iter().any(|outcome| outcome.stopped_by == StoppedBy::Failures) {
            return Ok(());
        }
        let done = |outcome: &Outcome| outcome.operations + outcome.failed;
        let active = || outcomes.iter().filter(|outcome| done(outcome) > 0);
        let Some(first_ns) = active().map(|outcome| outcome.first_start_ns).min() else { return Ok(()) };
        let last_ns = active().map(|outcome| outcome.last_end_ns).max().unwrap_or(first_ns);
        let (span_ns, length_ns) = (last_ns.saturating_sub(first_ns), self.result_ns.saturating_sub(self.go_ns));
        let each_ns = span_ns / outcomes.iter().map(done).max().unwrap_or(0).max(1);
        let edges_ns = EDGES_NS.saturating_add(each_ns.saturating_mul(EDGE_OPERATIONS));
        if length_ns.saturating_sub(span_ns) > edges_ns {
            let what = format!("its operations took {span_ns} ns of a phase that took {length_ns} ns");
            return Err(StoreError::store(Untrue::Clock(what)));
        }
        Ok(())
    }
}

/// What the stamps of a tape lie between: each operation follows the one before it, and all was done when the answer came.
struct Clock {
    follows_ns: u64,
    /// What a stamp may lie before that: more where it is one of another clock.
    apart_ns: u64,
    until_ns: u64,
    /// The answer, in words.
    answer: &'static str,
}

impl Clock {
    fn of(follows_ns: u64, until_ns: u64, answer: &'static str) -> Clock {
        Clock { follows_ns, apart_ns: ACROSS_NS, until_ns, answer }
    }

    fn take(&mut self, record: &Record) -> Result<(), StoreError> {
        let Record { start_ns, end_ns, .. } = *record;
        if end_ns < start_ns {
            return Err(broken("an operation ends before it starts"));
        }
        let other = |what: String| Err(StoreError::store(Untrue::Clock(what)));
        if start_ns.saturating_add(self.apart_ns) < self.follows_ns {
            let early = self.follows_ns - start_ns;
            return other(format!("an operation begins {early} ns before what came before it had ended"));
        }
        if end_ns > self.until_ns.saturating_add(ACROSS_NS) {
            let late = end_ns - self.until_ns;
            return other(format!("an operation ends {late} ns after {}", self.answer));
        }
        (self.follows_ns, self.apart_ns) = (end_ns, APART_NS);
        Ok(())
    }
}

/// How a worker went on.
#[derive(Default)]
struct Progress {
    /// Entries of the script that are done.
    done: usize,
    measured: u64,
    /// Whether a commit is due that did not come since the write before it failed.
    due: bool,
    begun: bool,
}

impl<'a> Judge<'a> {
    pub(super) fn new(context: &'a PhaseContext<'a>) -> Judge<'a> {
        Judge { context, keys: KeyIndex::default(), value: vec![0; context.layout.len_bytes()] }
    }

    /// What the worker of a script gave.
    pub(super) fn judge(&mut self, script: Script, seen: &Seen) -> Result<Outcome, StoreError> {
        let mut worker = Worker::new(self.context, script.worker);
        // The child has the rule, and its tape ends where it gave up.
        worker.gives_up_at_once();
        let mut tape = Tape::open(script.tape.try_clone().map_err(StoreError::store)?)?;
        let mut buffers = Buffers::new(&worker);
        let mut progress = Progress::default();
        let mut deadline_ns = u64::MAX;
        let mut clock = Clock::of(seen.prepare_ns, seen.ready_ns, "'ready' came, and no outcome 7 stands before it");
        while let Some(record) = tape.next()? {
            if record.came == Came::Begins {
                clock = Clock::of(seen.go_ns, seen.result_ns, "'result' came");
            }
            clock.take(&record)?;
            match record.came {
                Came::Begins => {
                    worker.begin_measuring_at(record.start_ns);
                    deadline_ns = Limit::measured(self.context.phase, worker.base(), record.start_ns).deadline_ns;
                    progress.begun = true;
                }
                Came::RestCommitted => {
                    worker.acknowledge();
                    worker.extend_to(record.end_ns);
                    progress.due = false;
                }
                Came::RestNotCommitted => {
                    let kind = self.context.phase.operation();
                    worker.fail_commit(kind, &tape.error(), record.start_ns, record.end_ns);
                    progress.due = false;
                }
                _ => {
                    let step =
                        script.steps.get(progress.done).ok_or_else(|| broken("a tape is longer than its script"))?;
                    self.operation(&mut worker, *step, record, &mut tape, &mut buffers, &mut progress)?;
                    progress.done += 1;
                    progress.measured += u64::from(progress.begun);
                }
            }
        }
        let stopped_by = match () {
            () if !progress.begun => return Err(broken("a tape without a beginning of what is measured")),
            () if worker.gave_up() => StoppedBy::Failures,
            () if script.is_whole(progress.measured) => StoppedBy::Count,
            // Nothing has succeeded since, for so long as it was to wait.
            () if self.context.phase.on_loss == OnLoss::Reconnect && worker.is_failing() => StoppedBy::Failures,
            () if worker.last_end_ns() >= deadline_ns => StoppedBy::Duration,
            () if progress.done == script.steps.len() => {
                let done = progress.done;
                return Err(StoreError::Store(format!(
                    "the client did all {done} operations of its script before the phase was over; make it shorter"
                )));
            }
            () => return Err(broken(&format!("a tape ends after {} operations, too soon", progress.measured))),
        };
        Ok(worker.finish(stopped_by, 0))
    }

    fn operation(
        &mut self,
        worker: &mut Worker<'a>,
        step: Step,
        record: Record,
        tape: &mut Tape,
        buffers: &mut Buffers,
        progress: &mut Progress,
    ) -> Result<(), StoreError> {
        let Record { start_ns, end_ns, came } = record;
        let mut op = worker.next_op(&mut buffers.raw);
        worker.align(&mut op, step.after);
        // Both are drawn from the stream, whatever came.
        match op.kind {
            Operation::MultiRead => worker.ask_many(&mut buffers.answers, &mut buffers.asked),
            Operation::Open => worker.ask_in_order(&op, &mut buffers.answers, &mut buffers.asked),
            _ => {}
        }
        progress.due |= step.commits;
        match came {
            Came::Failed => worker.fail(op.kind, &tape.error(), start_ns, end_ns),
            Came::CommitFailed => {
                worker.fail_commit(op.kind, &tape.error(), start_ns, end_ns);
                progress.due = false;
            }
            Came::Done | Came::Exists | Came::Missing => {
                self.settle(worker, &op, came, &tape.rows, buffers)?;
                worker.count(op.kind, start_ns, end_ns, 1);
                // Where the write before it failed, a commit that is due comes behind the next one.
                if op.kind.writes() && std::mem::take(&mut progress.due) {
                    worker.acknowledge();
                }
            }
            // They are no operations.
            Came::Begins | Came::RestCommitted | Came::RestNotCommitted => {}
        }
        Ok(())
    }

    fn settle(
        &mut self,
        worker: &mut Worker<'a>,
        op: &Op,
        came: Came,
        rows: &[Digest],
        buffers: &Buffers,
    ) -> Result<(), StoreError> {
        use Operation::{Delete, Increment, Insert, Load, MultiRead, Open, Read, Update};
        let answers_as_writes = matches!(op.kind, Load | Insert | Update | Delete);
        if came != Came::Done && !answers_as_writes {
            return Err(broken(&format!("a {} that says what a write does", op.kind)));
        }
        let expected = match op.kind {
            Load => Some(usize::from(super::parses(self.context.phase))),
            Insert | Update | Delete | Increment => Some(0),
            Read => Some(1),
            MultiRead | Open => Some(buffers.answers.keys().len()),
            _ => None,
        };
        if let Some(expected) = expected.filter(|expected| *expected != rows.len()) {
            return Err(broken(&format!("a {} with {} rows instead of {expected}", op.kind, rows.len())));
        }
        match op.kind {
            Load | Insert | Update | Delete => {
                worker.settle_write(op, of(came));
                // The line from which the row came again.
                rows.iter().for_each(|line| worker.settle_line(op.key.row, self.is_as_first_read(&op.key, *line)));
            }
            Increment => worker.settle_increment(),
            Read => self.read(worker, op, rows[0]),
            MultiRead | Open => self.read_all(worker, buffers, rows),
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

    fn read_all(&mut self, worker: &mut Worker<'a>, buffers: &Buffers, rows: &[Digest]) {
        let asked = buffers.asked.iter().zip(buffers.answers.keys()).zip(rows);
        for ((before, key), digest) in asked {
            let before = std::slice::from_ref(before);
            if digest.is_nothing() {
                worker.settle_many(before, std::iter::once((key, None)));
                continue;
            }
            match self.value_of(key, *digest) {
                Some(value) => worker.settle_many(before, std::iter::once((key, Some(value)))),
                None => worker.found_other(key.row, digest.value),
            }
        }
    }

    /// Scan, latest, search: the rows that came are told by their keys.
    fn read_many(&mut self, worker: &mut Worker<'a>, op: &Op, rows: &[Digest]) {
        self.keys.grow(self.context, self.context.ledger.highest_written());
        let mut others = Vec::new();
        let context = self.context;
        let mut give = |sink: &mut RowSink<'_>| {
            for digest in rows {
                match self.row_of(*digest) {
                    Ok((row, value)) => sink.raw(kurabe_protocol::Seen::Row(row), value),
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
        let mut versions = (least..=most).rev().chain(back.rev()).chain([most + 1]);
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

fn of(came: Came) -> Written {
    match came {
        Came::Exists => Written::Exists,
        Came::Missing => Written::Missing,
        _ => Written::Done,
    }
}

/// What the judge needs beside the worker.
struct Buffers {
    raw: Vec<u8>,
    answers: Answers,
    asked: Vec<State>,
}

impl Buffers {
    fn new(worker: &Worker<'_>) -> Buffers {
        Buffers { raw: vec![0; worker.context.layout.room_bytes()], answers: worker.answers(), asked: Vec::new() }
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
        let seen = Seen { prepare_ns: 1, ready_ns: 2, go_ns, result_ns: go_ns + length_ns };
        seen.is_filled_by(&[worker.finish(stopped_by, 0)])
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
