//! What is sent for an operation and what its reply means.
//!
//! The bytes are made by the crate `redis` and taken apart by the crate `redis-protocol` (RESP2),
//! each the faster of the two at it, and neither allocates for an operation.

use redis::Cmd;
use redis_protocol::resp2::decode::decode_range;
use redis_protocol::resp2::types::RangeFrame;

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
    /// MGET of so many keys.
    MultiRead(usize),
    /// INCR.
    Increment,
}

impl Asked {
    pub(super) fn of(request: &Request<'_>) -> Asked {
        match request {
            Request::Load(_) => Asked::Load,
            Request::Insert(_) => Asked::Insert,
            Request::Update(_) => Asked::Update,
            Request::Read(_) => Asked::Read,
            Request::Delete(_) => Asked::Delete,
            Request::MultiRead(keys) => Asked::MultiRead(keys.len()),
            Request::Increment(_) => Asked::Increment,
        }
    }
}

/// The key that a request is about.
#[inline(always)]
pub(super) fn key_of<'a>(request: &Request<'a>) -> &'a Key {
    match request {
        Request::Load(row) | Request::Insert(row) | Request::Update(row) => &row.key,
        Request::Read(key) | Request::Delete(key) | Request::Increment(key) => key,
        Request::MultiRead(keys) => &keys[0],
    }
}

/// Appends a request about the key named `name` to `out`. `command` is kept between calls for its allocations.
#[inline(always)]
pub(super) fn encode_request(out: &mut Vec<u8>, command: &mut Cmd, request: &Request<'_>, name: &[u8]) {
    command.clear();
    match request {
        Request::Load(row) => command.arg(b"SET").arg(name).arg(row.raw),
        Request::Insert(row) => command.arg(b"SET").arg(name).arg(row.raw).arg(b"NX"),
        Request::Update(row) => command.arg(b"SET").arg(name).arg(row.raw).arg(b"XX"),
        Request::Read(_) => command.arg(b"GET").arg(name),
        Request::Delete(_) => command.arg(b"DEL").arg(name),
        Request::Increment(_) => command.arg(b"INCR").arg(name),
        Request::MultiRead(_) => command.arg(b"MGET").arg(name),
    };
    command.write_packed_command(out);
}

/// Takes the first reply from `bytes`; returns what it means and its length, or nothing where it is not whole yet.
#[inline(always)]
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(RangeFrame, usize)>, String> {
    decode_range(bytes).map_err(|error| format!("the server's reply cannot be read: {error}"))
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
