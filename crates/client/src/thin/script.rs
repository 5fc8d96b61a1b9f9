//! Which operations a worker will do, chosen before the phase.
//!
//! Entries of 12 bytes follow one another, each three numbers u32 little-endian: the code of the kind, with 256 added where
//! a commit is due behind it; the row; and an argument. For a write the argument is the version that it leaves; for
//! `latest`, `multi-read` and `open` the number of rows, and the rows of the last two stand behind the entry, 4 bytes each.
//! For a search row and argument are the least and the greatest value.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::os::fd::AsRawFd;

use kurabe_protocol::Operation;
use kurabe_protocol::thin::{Entries, STEP_BYTES};
use rustix::fs::{MemfdFlags, memfd_create};
use serde_json::{Value, json};

use super::tape::HEAD_BYTES;
use crate::adapter::{Answers, StoreError};
use crate::ledger::State;
use crate::phase::PhaseContext;
use crate::worker::{Op, Worker};

/// Added to the code of a kind: a commit is due.
const COMMIT: u32 = 256;

/// The script of one worker, and the tape that its answers come on. Both are in memory, and go with this process.
pub(super) struct Script {
    pub(super) worker: u32,
    pub(super) tape: File,
    script: File,
    /// What each entry does to its row.
    pub(super) steps: Vec<Step>,
    /// Entries of the warm-up, where a count ends it.
    warmup: Option<u64>,
    /// Measured entries, where a count ends them.
    operations: Option<u64>,
}

// What memory is planned for.
const _: () = assert!(size_of::<Step>() as u64 == STEP_BYTES);

/// What the judge must know of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// State of the row afterwards.
    pub(super) after: State,
    /// Whether a commit is due.
    pub(super) commits: bool,
}

impl Script {
    /// Chooses the operations of `worker`; `context` has a ledger of its own for that.
    pub(super) fn write(context: &PhaseContext<'_>, worker: u32) -> Result<Script, StoreError> {
        let failed = |error: std::io::Error| StoreError::Store(format!("cannot write a script: {error}"));
        let Entries { warmup, operations, measured, all: entries } = Entries::of(context.phase, worker);
        let script =
            File::from(memfd_create("kurabe-script", MemfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?);
        let tape = File::from(memfd_create("kurabe-tape", MemfdFlags::CLOEXEC).map_err(|error| failed(error.into()))?);
        let mut writer = Writer::new(context, worker, BufWriter::with_capacity(1 << 20, &script));
        let mut steps = Vec::with_capacity(entries as usize);
        for number in 1..=entries {
            // The last of a count commits what is left, within its own time.
            let is_last =
                Some(number) == warmup || (operations == Some(measured) && number == entries && warmup.is_some());
            steps.push(writer.write(is_last).map_err(failed)?);
        }
        writer.out.flush().map_err(failed)?;
        drop(writer);
        Ok(Script { worker, tape, script, steps, warmup, operations })
    }

    /// What the child is told of it.
    pub(super) fn told(&self) -> Value {
        let path = |file: &File| format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd());
        let mut told = json!({"worker": self.worker, "script": path(&self.script), "tape": path(&self.tape)});
        if let Some(warmup) = self.warmup {
            told["warmup"] = json!(warmup);
        }
        if let Some(operations) = self.operations {
            told["count"] = json!(operations);
        }
        told
    }

    /// Operations that can be seen on the tape so far: about as many, since records that give rows are longer.
    pub(super) fn told_operations(&self) -> u64 {
        self.tape.metadata().map_or(0, |tape| tape.len() / (HEAD_BYTES + 8))
    }

    /// Whether the child has done all that a count asks for; never, where time alone ends the phase.
    pub(super) fn is_whole(&self, measured: u64) -> bool {
        self.operations.is_some_and(|operations| measured >= operations)
    }
}

/// Chooses one operation after the other, on the supposition that the store is honest.
struct Writer<'a, W: Write> {
    worker: Worker<'a>,
    answers: Answers,
    asked: Vec<State>,
    raw: Vec<u8>,
    out: W,
}

impl<'a, W: Write> Writer<'a, W> {
    fn new(context: &'a PhaseContext<'a>, worker: u32, out: W) -> Writer<'a, W> {
        let worker = Worker::new(context, worker);
        let (answers, raw) = (worker.answers(), vec![0; context.layout.room_bytes()]);
        Writer { worker, answers, asked: Vec::new(), raw, out }
    }

    fn write(&mut self, is_last: bool) -> std::io::Result<Step> {
        let op = self.worker.next_op(&mut self.raw);
        let writes = matches!(
            op.kind,
            Operation::Load | Operation::Insert | Operation::Update | Operation::Delete | Operation::Increment
        );
        let mut commits = false;
        if writes {
            self.worker.uncommitted += 1;
            commits = is_last || self.worker.uncommitted >= self.worker.context.phase.commit_every;
            match op.kind {
                Operation::Increment => self.worker.settle_increment(),
                _ => self.worker.settle_write(&op, self.worker.expected(&op)),
            }
            if commits {
                self.worker.acknowledge();
                self.worker.uncommitted = 0;
            }
        }
        self.entry(&op, commits)?;
        Ok(Step { after: op.after(), commits })
    }

    fn entry(&mut self, op: &Op, commits: bool) -> std::io::Result<()> {
        let (row, argument) = match op.kind {
            Operation::Search => self.worker.search_bounds(op).unwrap_or_default(),
            Operation::Latest => (0, self.worker.context.latest_rows.unwrap_or(0)),
            Operation::MultiRead => {
                self.worker.ask_many(&mut self.answers, &mut self.asked);
                (0, self.answers.keys().len() as u32)
            }
            Operation::Open => {
                self.worker.ask_in_order(op, &mut self.answers, &mut self.asked);
                (op.key.row, self.answers.keys().len() as u32)
            }
            Operation::Load | Operation::Insert | Operation::Update | Operation::Delete => (op.key.row, op.version()),
            _ => (op.key.row, 0),
        };
        let kind = u32::from(op.kind.code()) + if commits { COMMIT } else { 0 };
        for number in [kind, row, argument] {
            self.out.write_all(&number.to_le_bytes())?;
        }
        if matches!(op.kind, Operation::MultiRead | Operation::Open) {
            for key in self.answers.keys() {
                self.out.write_all(&key.row.to_le_bytes())?;
            }
        }
        Ok(())
    }
}
