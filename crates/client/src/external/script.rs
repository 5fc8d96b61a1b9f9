//! Which operations a worker is to do: chosen while the child works, not far ahead of it.
//!
//! Entries of 12 bytes follow one another, each three numbers u32 little-endian: the code of the kind, with 256 added
//! where a commit is due behind it, and 512 where it goes in one request with the entry behind it; the row; and an
//! argument. For a write the argument is the version that it leaves; for `latest`, `multi-read` and `open` the number
//! of rows, and the rows of the last two stand behind the entry, 4 bytes each. For a search row and argument are the
//! least and the greatest value.

use std::collections::VecDeque;
use std::io::{ErrorKind, PipeReader, PipeWriter, Write};

use kurabe_protocol::{Load, Operation, Phase, Warmup};

use super::child::protocol_error;
use super::stream;
use crate::adapter::{Answers, StoreError};
use crate::ledger::State;
use crate::phase::PhaseContext;
use crate::planned::{OpenLoopPlan, Part};
use crate::worker::{Op, Worker};

/// Added to the code of a kind: a commit is due.
const COMMIT: u32 = 256;
/// Added to the code of a kind: the next entry goes in the same request.
const TOGETHER: u32 = 512;
/// Bytes of entries that are chosen at a time.
const PIECE_BYTES: usize = 1 << 16;
/// A child may have read so many entries whose records have not come. It needs a tenth: what the pipes and its buffers
/// hold.
const MOST_AHEAD: usize = 1 << 20;

/// What the judge must know of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// State of the row afterwards.
    pub(super) after: State,
    /// Whether a commit is due.
    pub(super) commits: bool,
    /// Whether it goes in one request with the next.
    pub(super) together: bool,
}

/// The rows that an operation of several asks for.
pub(super) struct RequestedRows {
    /// Their keys.
    pub(super) answers: Answers,
    /// Their states before it.
    pub(super) states: Vec<State>,
}

impl RequestedRows {
    pub(super) fn new(worker: &Worker<'_>) -> RequestedRows {
        RequestedRows { answers: worker.answers(), states: Vec::new() }
    }

    /// Draws those of `op`, where it asks for several.
    pub(super) fn draw(&mut self, worker: &mut Worker<'_>, op: &Op) {
        match op.kind {
            Operation::MultiRead => worker.ask_many(&mut self.answers, &mut self.states),
            Operation::Open => worker.ask_in_order(op, &mut self.answers, &mut self.states),
            _ => {}
        }
    }
}

/// How many operations a worker is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Of the warm-up, where a count ends it.
    pub(super) warmup: Option<u64>,
    /// Measured ones, where a count ends them.
    pub(super) measured: Option<u64>,
}

impl Share {
    /// Of a worker in a phase. In an open loop nobody knows which connection will do how many.
    fn of(phase: &Phase, worker: u32) -> Share {
        if phase.schedule.is_some() {
            return Share { warmup: phase.warmup.map_or(Some(0), |_| None), measured: None };
        }
        let workers = u64::from(phase.connections.max(1));
        // Worker w does the numbers w, w + W, w + 2W and so on below a count.
        let share = |count: u64| count.saturating_sub(worker.into()).div_ceil(workers);
        let warmup = match phase.warmup {
            Some(Warmup::Count(count)) => Some(share(count)),
            Some(Warmup::DurationNs(_)) => None,
            None => Some(0),
        };
        Share { warmup, measured: phase.end.count().map(share) }
    }

    /// All that it does; nothing where time may end them.
    fn all(self) -> Option<u64> {
        Some(self.warmup?.saturating_add(self.measured?))
    }

    /// How many follow before the warm-up or the phase ends by its count, where so many are done.
    fn before_an_end(self, done: u64) -> u64 {
        let ends = [self.warmup, self.all()].into_iter().flatten();
        ends.filter(|end| *end > done).min().map_or(u64::MAX, |end| end - done)
    }

    fn is_over(self, done: u64) -> bool {
        self.all().is_some_and(|all| done >= all)
    }
}

/// The script of one worker.
pub(super) struct Script<'a> {
    pub(super) share: Share,
    /// The child's end, which it opens by its path.
    pub(super) end: PipeReader,
    /// Nothing once all is written.
    to: Option<PipeWriter>,
    writer: Writer<'a>,
    chosen: u64,
    /// Entries of which there are never more: in an open loop one worker may do all that is planned, and rows of inserts
    /// have numbers for no more.
    most: u64,
    /// How many more go in the request that is being chosen.
    group_left: u64,
    group: u32,
    piece: Vec<u8>,
    /// So many bytes of the piece are in the pipe.
    taken: usize,
}

impl<'a> Script<'a> {
    /// The script of `worker`; `context` has a ledger of its own, on which operations are chosen as an honest store
    /// would answer.
    pub(super) fn open(context: &'a PhaseContext<'a>, worker: u32) -> Result<Script<'a>, StoreError> {
        let (end, to) = stream::pipe(context.phase.connections)?;
        stream::without_waiting(&to)?;
        let group = match context.phase.load() {
            Some(Load::Batch { rows }) => rows,
            _ => context.phase.batch,
        };
        Ok(Script {
            share: Share::of(context.phase, worker),
            end,
            to: Some(to),
            writer: Writer::new(context, worker),
            chosen: 0,
            most: most_entries(context),
            group_left: 0,
            group: group.max(1),
            piece: Vec::with_capacity(PIECE_BYTES),
            taken: 0,
        })
    }

    /// Writes as much as the pipe takes, without waiting, and puts what the judge must know of it to `steps`.
    pub(super) fn feed(&mut self, steps: &mut VecDeque<Step>) -> Result<(), StoreError> {
        while let Some(to) = &mut self.to {
            match to.write(&self.piece[self.taken..]) {
                Ok(bytes) => self.taken += bytes,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(StoreError::Store(format!("cannot write a script: {error}"))),
            }
            if self.taken == self.piece.len() {
                self.choose(steps)?;
            }
        }
        Ok(())
    }

    /// Fills the piece anew; where nothing is left to choose, the script has ended.
    fn choose(&mut self, steps: &mut VecDeque<Step>) -> Result<(), StoreError> {
        if steps.len() > MOST_AHEAD {
            return Err(protocol_error(&format!(
                "it has read {} operations whose records it does not write",
                steps.len()
            )));
        }
        self.piece.clear();
        self.taken = 0;
        while self.piece.len() < PIECE_BYTES && self.chosen < self.most && !self.share.is_over(self.chosen) {
            if self.group_left == 0 {
                self.group_left = self.share.before_an_end(self.chosen).min(u64::from(self.group));
            }
            self.group_left -= 1;
            self.chosen += 1;
            let is_counted_out = Some(self.chosen) == self.share.warmup || Some(self.chosen) == self.share.all();
            steps.push_back(self.writer.write(&mut self.piece, self.group_left > 0, is_counted_out));
        }
        if self.piece.is_empty() {
            self.to = None;
        }
        Ok(())
    }
}

/// Most entries of a worker: without a plan its counts and times are the limit. A warm-up has a start more, its first.
fn most_entries(context: &PhaseContext<'_>) -> u64 {
    let planned = |plan: &OpenLoopPlan| plan.part(Part::Warmup).planned() + plan.part(Part::Measured).planned() + 1;
    context.planned.as_deref().map_or(u64::MAX, planned)
}

/// Chooses one operation after the other, on the supposition that the store is honest.
struct Writer<'a> {
    worker: Worker<'a>,
    requested: RequestedRows,
    /// Whether a request of a load is a transaction by itself, however many rows it has.
    commits_each: bool,
}

impl<'a> Writer<'a> {
    fn new(context: &'a PhaseContext<'a>, worker: u32) -> Writer<'a> {
        let worker = Worker::new(context, worker);
        let commits_each = matches!(context.phase.load(), Some(Load::Batch { .. }));
        Writer { requested: RequestedRows::new(&worker), worker, commits_each }
    }

    /// Puts the next entry to `out`; it goes `together` with the one behind it. The last of a count commits what is
    /// left, within its own time.
    fn write(&mut self, out: &mut Vec<u8>, together: bool, is_last: bool) -> Step {
        let op = self.worker.choose_op();
        let mut commits = false;
        if op.kind.writes() {
            self.worker.uncommitted += 1;
            let is_due =
                is_last || self.commits_each || self.worker.uncommitted >= self.worker.context.phase.commit_every;
            match op.kind {
                Operation::Increment => self.worker.settle_increment(),
                _ => self.worker.settle_write(&op, self.worker.expected(&op)),
            }
            // A request is committed whole.
            commits = is_due && !together;
            if commits {
                self.worker.acknowledge();
                self.worker.uncommitted = 0;
            }
        }
        let step = Step { after: op.after(), commits, together };
        self.entry(out, &op, step);
        step
    }

    fn entry(&mut self, out: &mut Vec<u8>, op: &Op, step: Step) {
        self.requested.draw(&mut self.worker, op);
        let rows = self.requested.answers.keys();
        let (row, argument) = match op.kind {
            Operation::Search => self.worker.search_bounds(op).unwrap_or_default(),
            Operation::Latest => (0, self.worker.context.latest_rows.unwrap_or(0)),
            Operation::MultiRead => (0, rows.len() as u32),
            Operation::Open => (op.key.row, rows.len() as u32),
            Operation::Load | Operation::Insert | Operation::Update | Operation::Delete => (op.key.row, op.version()),
            _ => (op.key.row, 0),
        };
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let kind = u32::from(op.kind.code()) + flag(step.commits, COMMIT) + flag(step.together, TOGETHER);
        for number in [kind, row, argument] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        if matches!(op.kind, Operation::MultiRead | Operation::Open) {
            for key in rows {
                out.extend_from_slice(&key.row.to_le_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::operation::Pattern;
    use kurabe_protocol::{Action, End, Schedule};

    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn a_script_ends_where_a_count_does_and_never_by_time() {
        let counted = Phase { connections: 3, ..Phase::new("read", Action::Read, End::Count(10)) };
        let all = |phase: &Phase, worker| Share::of(phase, worker).all();
        assert_eq!([0, 1, 2].map(|worker| all(&counted, worker)), [Some(4), Some(3), Some(3)]);
        let warm = Phase { warmup: Some(Warmup::Count(5)), ..counted.clone() };
        assert_eq!([0, 1, 2].map(|worker| all(&warm, worker)), [Some(6), Some(5), Some(4)]);
        let timed = Phase::new("read", Action::Read, End::DurationNs(2 * SECOND_NS));
        assert_eq!(all(&timed, 0), None);
        assert_eq!(all(&Phase { warmup: Some(Warmup::DurationNs(SECOND_NS)), ..counted }, 0), None);
        let schedule =
            Schedule { rate: 1000, rate_to: None, pattern: Pattern::Constant, queue: None, gaps_stream: None };
        assert_eq!(Share::of(&Phase { schedule: Some(schedule), ..warm }, 0), Share { warmup: None, measured: None });
        let first = Phase { end: End::First { count: 7, duration_ns: 2 * SECOND_NS }, ..timed };
        assert_eq!(Share::of(&first, 0), Share { warmup: Some(0), measured: Some(7) });
    }

    #[test]
    fn no_request_goes_beyond_the_end_of_a_count() {
        let share = Share { warmup: Some(5), measured: Some(10) };
        assert_eq!([0, 4, 5, 14].map(|done| share.before_an_end(done)), [5, 1, 10, 1]);
        assert_eq!(Share { measured: None, ..share }.before_an_end(5), u64::MAX);
    }
}
