//! What is sent for an operation and what its reply means. The bytes are made and taken apart by
//! the crate `redis-protocol` (RESP2), without an allocation.

use redis_protocol::error::RedisProtocolError;
use redis_protocol::resp2::decode::decode_range;
use redis_protocol::resp2::encode::encode_borrowed;
use redis_protocol::resp2::types::{BorrowedFrame, RangeFrame};

use crate::adapter::{Answer, Key, Request, StoreError, Written};

/// What a reply is awaited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// SET.
    Load,
    /// SET NX: nothing is set where the key exists.
    Insert,
    /// SET XX: nothing is set where the key does not exist.
    Update,
    /// GET.
    Read,
    /// DEL.
    Delete,
}

impl Asked {
    pub(super) fn of(request: &Request<'_>) -> Asked {
        match request {
            Request::Load(_) => Asked::Load,
            Request::Insert(_) => Asked::Insert,
            Request::Update(_) => Asked::Update,
            Request::Read(_) => Asked::Read,
            Request::Delete(_) => Asked::Delete,
        }
    }
}

/// The key that a request is about.
#[inline(always)]
pub(super) fn key_of<'a>(request: &Request<'a>) -> &'a Key {
    match request {
        Request::Load(row) | Request::Insert(row) | Request::Update(row) => &row.key,
        Request::Read(key) | Request::Delete(key) => key,
    }
}

/// Appends a request about the key named `name`.
#[inline(always)]
pub(super) fn encode_request(out: &mut Vec<u8>, request: &Request<'_>, name: &[u8]) -> Result<(), StoreError> {
    match request {
        Request::Load(row) => encode(out, [b"SET", name, row.raw]),
        Request::Insert(row) => encode(out, [b"SET", name, row.raw, b"NX"]),
        Request::Update(row) => encode(out, [b"SET", name, row.raw, b"XX"]),
        Request::Read(_) => encode(out, [b"GET", name]),
        Request::Delete(_) => encode(out, [b"DEL", name]),
    }
}

/// Appends a command of `words`.
#[inline(always)]
pub(super) fn encode<const N: usize>(out: &mut Vec<u8>, words: [&[u8]; N]) -> Result<(), StoreError> {
    let words = words.map(BorrowedFrame::BulkString);
    let command = BorrowedFrame::Array(&words);
    let start = out.len();
    out.resize(start + command.encode_len(false), 0);
    match encode_borrowed(&mut out[start..], &command, false) {
        Ok(_) => Ok(()),
        Err(error) => {
            out.truncate(start);
            Err(StoreError::store(error))
        }
    }
}

/// Takes the first reply from `bytes`; returns what it means and its length, or nothing where it is not whole yet.
#[inline(always)]
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(RangeFrame, usize)>, String> {
    decode_range(bytes).map_err(|error: RedisProtocolError| format!("the server's reply cannot be read: {error}"))
}

/// What a reply means for what was asked.
#[inline(always)]
pub(super) fn answer<'a>(asked: Asked, reply: &RangeFrame, bytes: &'a [u8]) -> Answer<'a> {
    match (asked, reply) {
        (Asked::Read, RangeFrame::BulkString((start, end))) => Answer::Value(Some(&bytes[*start..*end])),
        (Asked::Read, RangeFrame::Null) => Answer::Value(None),
        (Asked::Load | Asked::Insert | Asked::Update, RangeFrame::SimpleString(_)) => Answer::Written(Written::Done),
        (Asked::Insert, RangeFrame::Null) => Answer::Written(Written::Exists),
        (Asked::Update, RangeFrame::Null) => Answer::Written(Written::Missing),
        (Asked::Delete, RangeFrame::Integer(0)) => Answer::Written(Written::Missing),
        (Asked::Delete, RangeFrame::Integer(_)) => Answer::Written(Written::Done),
        _ => Answer::Failed(failure(reply, bytes)),
    }
}

/// The server's own message, or words about a reply that does not fit.
#[cold]
pub(super) fn failure(reply: &RangeFrame, bytes: &[u8]) -> StoreError {
    match reply {
        RangeFrame::Error((start, end)) => StoreError::store(String::from_utf8_lossy(&bytes[*start..*end])),
        other => StoreError::store(format!("the server gave a reply of an unexpected kind: {other:?}")),
    }
}
