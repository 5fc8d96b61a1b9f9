//! One operation under way: what it is, and what came of it.

use crate::adapter::{Answer, Answers, Row, RowBuffer, StoreError, WriteOutcome};
use crate::clock::now_ns;
use crate::ledger::State;
use crate::phase::PhaseContext;
use crate::worker::{Op, Reading, Worker};

/// One operation under way.
pub(super) struct Slot {
    pub(super) op: Option<Op>,
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    /// In an open loop: when it was to start, and when its connection was free.
    pub(super) planned_ns: u64,
    pub(super) free_ns: u64,
    /// The fields of the row to write, or those of many rows.
    pub(super) raw: Vec<u8>,
    pub(super) answer: RowBuffer,
    /// Of a multi-read: the answers, and what was acknowledged of its rows before.
    pub(super) answers: Answers,
    pub(super) asked: Vec<State>,
    /// Of what answers with many rows: what it is, what came and was not taken apart yet, and the time that this took so far.
    pub(super) reading: Option<Result<Reading, StoreError>>,
    pub(super) came: Vec<u8>,
    pub(super) paused_ns: u64,
    /// Rows that a load has in one request.
    pub(super) loads: Vec<Op>,
    /// Whether a commit follows, and what came of the write that it follows.
    pub(super) commits: bool,
    pub(super) written: Option<SlotOutcome>,
    pub(super) outcome: SlotOutcome,
}

/// What came of an operation.
pub(super) enum SlotOutcome {
    Pending,
    Written(WriteOutcome),
    Value {
        found: bool,
    },
    Values,
    Rows,
    Incremented,
    Failed(StoreError),
    /// The write was taken, its commit failed.
    CommitFailed(StoreError),
}

/// What an answer leaves to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerState {
    /// The operation is over.
    All,
    /// The write is done, its commit is to be asked for.
    Write,
    /// Rows are to be taken, and more will come.
    SomeRows,
}

impl Slot {
    /// Room for the operations of `worker`, of which one writes at most `rows` rows.
    pub(super) fn new(context: &PhaseContext<'_>, worker: &Worker<'_>, rows: usize) -> Slot {
        Slot {
            op: None,
            start_ns: 0,
            end_ns: 0,
            planned_ns: 0,
            free_ns: 0,
            raw: vec![0; context.layout.room_bytes() * rows],
            answer: RowBuffer::new(context.layout),
            answers: worker.answers(),
            asked: Vec::new(),
            reading: None,
            came: Vec::new(),
            paused_ns: 0,
            loads: Vec::new(),
            commits: false,
            written: None,
            outcome: SlotOutcome::Pending,
        }
    }

    /// Chooses the rows of a load of many, at most `rows` and none from `end_number` on; the first of them is what is told of
    /// it.
    pub(super) fn choose_loads(&mut self, worker: &mut Worker<'_>, rows: usize, end_number: u64) {
        let len = worker.context.layout.room_bytes();
        self.loads.clear();
        while self.loads.len() < rows && worker.number() < end_number {
            let at = self.loads.len() * len;
            self.loads.push(worker.next_op(&mut self.raw[at..at + len]));
        }
    }

    /// The rows of such a load.
    pub(super) fn rows_to_load<'a>(&'a self, context: &'a PhaseContext<'_>) -> Vec<Row<'a>> {
        let raw = self.raw.chunks(context.layout.room_bytes().max(1));
        // Values of no bytes have no chunks.
        let raw = raw.chain(std::iter::repeat(&[][..]));
        self.loads.iter().zip(raw).map(|(op, raw)| op.row(raw, context.layout)).collect()
    }

    /// Takes an answer, and its end.
    #[inline(always)]
    pub(super) fn take(&mut self, answer: Answer<'_>) -> AnswerState {
        let outcome = match answer {
            Answer::Written(written) => SlotOutcome::Written(written),
            Answer::Value(Some(value)) => {
                self.answer.set_raw(value);
                SlotOutcome::Value { found: true }
            }
            Answer::Value(None) => SlotOutcome::Value { found: false },
            Answer::Values(values) => {
                let found = values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)));
                found.for_each(|(at, value)| self.answers.found(at).set_raw(value));
                SlotOutcome::Values
            }
            Answer::Incremented => SlotOutcome::Incremented,
            Answer::Rows(came) => {
                self.came.extend_from_slice(came);
                SlotOutcome::Rows
            }
            Answer::SomeRows(came) => {
                self.came.extend_from_slice(came);
                return AnswerState::SomeRows;
            }
            Answer::Failed(error) => SlotOutcome::Failed(error),
        };
        self.end_ns = now_ns();
        if !self.commits {
            self.outcome = outcome;
            return AnswerState::All;
        }
        self.take_of_two(outcome)
    }

    /// Whether the write was answered and its commit is still to be asked for, or under way.
    #[inline(always)]
    pub(super) fn awaits_commit(&self) -> bool {
        self.written.is_some()
    }

    /// Takes the answer to a write, or to the commit that followed it.
    fn take_of_two(&mut self, outcome: SlotOutcome) -> AnswerState {
        self.outcome = match (self.written.take(), outcome) {
            (None, written @ (SlotOutcome::Written(_) | SlotOutcome::Incremented)) => {
                self.written = Some(written);
                return AnswerState::Write;
            }
            (None, failed) => failed,
            (Some(written), SlotOutcome::Written(_)) => written,
            (Some(_), SlotOutcome::Failed(error)) => SlotOutcome::CommitFailed(error),
            (Some(_), _) => SlotOutcome::CommitFailed(StoreError::store("the answer to a commit is none")),
        };
        AnswerState::All
    }
}

impl Answer<'_> {
    /// As that to a read of one row: whether there is such a row, which is put into `out`.
    pub(crate) fn of_read(self, out: &mut RowBuffer) -> Result<bool, StoreError> {
        match self {
            Answer::Value(Some(value)) => {
                out.set_raw(value);
                Ok(true)
            }
            Answer::Value(None) => Ok(false),
            Answer::Failed(error) => Err(error),
            _ => Err(StoreError::store("the answer to a read is none")),
        }
    }
}
