//! What the child noted of each operation.
//!
//! Records follow one another without gaps, all numbers little-endian: `start_ns` u64, `end_ns` u64, `outcome` u32, `n` u32.
//! Behind it stand `n` rows of 8 bytes, the CRC-32 of a key and of a raw encoded value (both 0: nothing there), or, where
//! the outcome is a failure, its message of `n` bytes.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};

use super::child::broken;
use crate::adapter::StoreError;

/// Bytes of a record before its rows.
pub(super) const HEAD_BYTES: u64 = 24;
/// Longest message that is kept.
const MESSAGE_BYTES: u64 = 1000;

/// What came of an operation, or what else happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
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
}

impl Came {
    fn of(code: u32) -> Option<Came> {
        use Came::{Begins, CommitFailed, Done, Exists, Failed, Missing, RestCommitted, RestNotCommitted};
        let all = [Done, Exists, Missing, Failed, CommitFailed, RestCommitted, RestNotCommitted, Begins];
        all.get(code as usize).copied()
    }

    fn is_failure(self) -> bool {
        matches!(self, Came::Failed | Came::CommitFailed | Came::RestNotCommitted)
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

/// A record; its rows or its message are in the buffers of [`Tape`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub(super) start_ns: u64,
    pub(super) end_ns: u64,
    pub(super) came: Came,
}

/// The records of a worker, in their order.
pub(super) struct Tape {
    from: BufReader<File>,
    /// Rows of the record that was read last.
    pub(super) rows: Vec<Digest>,
    message: String,
}

impl Tape {
    pub(super) fn open(mut file: File) -> Result<Tape, StoreError> {
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
        Ok(Tape { from: BufReader::with_capacity(1 << 20, file), rows: Vec::new(), message: String::new() })
    }

    /// The message of the record that was read last.
    pub(super) fn error(&self) -> StoreError {
        StoreError::Store(self.message.clone())
    }

    /// The next record; none at the end.
    pub(super) fn next(&mut self) -> Result<Option<Record>, StoreError> {
        let mut head = [0; HEAD_BYTES as usize];
        match self.from.read_exact(&mut head[..1]) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            read => read.map_err(unreadable)?,
        }
        self.from.read_exact(&mut head[1..]).map_err(cut)?;
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
        let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
        let code = short(16);
        let came = Came::of(code).ok_or_else(|| broken(&format!("a tape has the outcome {code}")))?;
        let count = u64::from(short(20));
        self.rows.clear();
        if came.is_failure() {
            self.read_message(count)?;
        } else {
            self.read_rows(count)?;
        }
        Ok(Some(Record { start_ns: long(0), end_ns: long(8), came }))
    }

    fn read_rows(&mut self, count: u64) -> Result<(), StoreError> {
        for _ in 0..count {
            let mut row = [0; 8];
            self.from.read_exact(&mut row).map_err(cut)?;
            let half = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| row[at + byte]));
            self.rows.push(Digest { key: half(0), value: half(4) });
        }
        Ok(())
    }

    fn read_message(&mut self, bytes: u64) -> Result<(), StoreError> {
        let mut message = Vec::new();
        let mut rest = (&mut self.from).take(bytes);
        rest.by_ref().take(MESSAGE_BYTES).read_to_end(&mut message).map_err(unreadable)?;
        std::io::copy(&mut rest, &mut std::io::sink()).map_err(unreadable)?;
        self.message = String::from_utf8_lossy(&message).into_owned();
        Ok(())
    }
}

fn cut(error: std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::UnexpectedEof => broken("a tape ends in the middle of a record"),
        _ => unreadable(error),
    }
}

fn unreadable(error: std::io::Error) -> StoreError {
    StoreError::Store(format!("cannot read a tape: {error}"))
}
