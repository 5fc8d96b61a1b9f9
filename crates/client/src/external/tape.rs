//! What the child noted of each operation.
//!
//! Records follow one another without gaps, all numbers little-endian: `start_ns` u64, `end_ns` u64, `outcome` u32, `n`
//! u32. Behind it stand `n` rows of 8 bytes, the CRC-32 of a key and of a raw encoded value (both 0: nothing there),
//! or, where the outcome is a failure, its message of `n` bytes.

use std::io::{ErrorKind, PipeReader, PipeWriter, Read};
use std::ops::Range;

use super::child::protocol_error;
use super::stream;
use crate::adapter::StoreError;
use crate::phase::PhaseContext;

/// Bytes of a record before its rows.
const HEAD_BYTES: usize = 24;
/// Bytes of a row.
const ROW_BYTES: usize = 8;
/// Bytes that are taken from the pipe at a time.
const PIECE_BYTES: usize = 1 << 18;
/// Longest message; of a longer one nobody would read the end.
const MOST_MESSAGE_BYTES: usize = 1 << 16;
/// So much of it is kept.
const MESSAGE_CHARS: usize = 1000;

/// The outcome of an operation, or another event of the phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TapeOutcome {
    /// Done.
    Done,
    /// Not inserted: the key exists.
    Exists,
    /// Not updated or deleted: no such key.
    Missing,
    /// It failed; its fate is unknown.
    Failed,
    /// It was done, and the commit after it failed.
    CommitFailed,
    /// No operation: what was left to commit at the end was committed.
    RestCommitted,
    /// No operation: that commit failed.
    RestNotCommitted,
    /// No operation: from here on it is measured.
    Begins,
    /// No operation: a planned start was taken. The first stamp is that start, the second when its worker was free.
    Taken,
}

impl TapeOutcome {
    fn of(code: u32) -> Option<TapeOutcome> {
        use TapeOutcome::{
            Begins, CommitFailed, Done, Exists, Failed, Missing, RestCommitted, RestNotCommitted, Taken,
        };
        let all = [Done, Exists, Missing, Failed, CommitFailed, RestCommitted, RestNotCommitted, Begins, Taken];
        all.get(code as usize).copied()
    }

    fn is_failure(self) -> bool {
        matches!(self, TapeOutcome::Failed | TapeOutcome::CommitFailed | TapeOutcome::RestNotCommitted)
    }
}

/// The CRC-32 of a key and of the value that came with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Digest {
    pub(super) key: u32,
    pub(super) value: u32,
}

impl Digest {
    /// No such row.
    pub(super) fn is_nothing(self) -> bool {
        self == Digest { key: 0, value: 0 }
    }
}

/// A record; its rows or its message are in the buffer of [`Tape`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) outcome: TapeOutcome,
}

/// The records of a worker, in their order, as they come.
pub(super) struct Tape {
    /// The child's end, which it opens by its path.
    pub(super) end: PipeWriter,
    reader: PipeReader,
    bytes: Vec<u8>,
    /// Bytes of the records that were read.
    consumed: usize,
    /// Rows, or the message, of the last record.
    rest: Range<usize>,
    most_rows: usize,
}

impl Tape {
    /// The tape of a worker in the phase of `context`.
    pub(super) fn open(context: &PhaseContext<'_>) -> Result<Tape, StoreError> {
        let (reader, end) = stream::pipe(context.phase.connections)?;
        stream::without_waiting(&reader)?;
        let rows = context.ledger.capacity().max(context.ledger.loaded() as usize);
        // A store that gives each row twice is found by what it gives; one that gives without end, by this.
        let most_rows = rows.saturating_mul(2 * context.copies.max(1) as usize).saturating_add(PIECE_BYTES);
        Ok(Tape { end, reader, bytes: Vec::new(), consumed: 0, rest: 0..0, most_rows })
    }

    /// Takes a piece of what has come, without waiting; whether there may be more.
    pub(super) fn fill(&mut self) -> Result<bool, StoreError> {
        self.bytes.drain(..self.consumed);
        (self.consumed, self.rest) = (0, 0..0);
        let before = self.bytes.len();
        match (&self.reader).take(PIECE_BYTES as u64).read_to_end(&mut self.bytes) {
            // What came before that is taken.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            read => drop(read.map_err(|error| StoreError::Store(format!("cannot read a tape: {error}")))?),
        }
        Ok(self.bytes.len() - before == PIECE_BYTES)
    }

    /// The next record; none where it has not come whole.
    pub(super) fn next(&mut self) -> Result<Option<Record>, StoreError> {
        let Some(head) = self.bytes.get(self.consumed..self.consumed + HEAD_BYTES) else { return Ok(None) };
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
        let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
        let (start_ns, end_ns, code, count) = (long(0), long(8), short(16), short(20) as usize);
        let outcome = TapeOutcome::of(code).ok_or_else(|| protocol_error(&format!("a tape has the outcome {code}")))?;
        let len = match outcome.is_failure() {
            true if count > MOST_MESSAGE_BYTES => {
                return Err(protocol_error(&format!("a message of {count} bytes, {MOST_MESSAGE_BYTES} are the most")));
            }
            true => count,
            false if count > self.most_rows => {
                return Err(protocol_error(&format!("an answer of {count} rows, {} are the most", self.most_rows)));
            }
            false => count * ROW_BYTES,
        };
        let rest = self.consumed + HEAD_BYTES..self.consumed + HEAD_BYTES + len;
        if rest.end > self.bytes.len() {
            return Ok(None);
        }
        (self.consumed, self.rest) = (rest.end, rest);
        Ok(Some(Record { start_ns, end_ns, outcome }))
    }

    /// Whether nothing is left of a record in part.
    pub(super) fn is_whole(&self) -> bool {
        self.consumed == self.bytes.len()
    }

    /// The rows of the last record.
    pub(super) fn rows(&self) -> impl ExactSizeIterator<Item = Digest> {
        let half = |row: &[u8], at: usize| u32::from_le_bytes(std::array::from_fn(|byte| row[at + byte]));
        let rows = self.bytes[self.rest.clone()].chunks_exact(ROW_BYTES);
        rows.map(move |row| Digest { key: half(row, 0), value: half(row, 4) })
    }

    /// The message of the last record, shortened.
    pub(super) fn error(&self) -> StoreError {
        let text = String::from_utf8_lossy(&self.bytes[self.rest.clone()]);
        StoreError::Store(text.chars().take(MESSAGE_CHARS).collect())
    }
}
