//! What is sent for an operation and what its reply means.
//!
//! The bytes are made by the crate `redis` and taken apart by the crate `redis-protocol` (RESP2),
//! each the faster of the two at it, and neither allocates for an operation.

use std::io::ErrorKind;

use redis::{Cmd, ConnectionInfo};
use redis_protocol::resp2::decode::decode_range;
use redis_protocol::resp2::types::RangeFrame;

use crate::common::key_names::KeyNames;
use crate::common::lanes::socket::Stream;
use crate::common::lanes::{Dialect, ReplyFrame};
use kurabe_client::adapter::{Answer, Request, StoreError, WriteOutcome};

/// What a reply is awaited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
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

impl Pending {
    /// What is awaited for a request; nothing where strings under keys cannot answer it.
    pub(super) fn of(request: &Request<'_>) -> Option<Pending> {
        Some(match request {
            Request::Load(_) => Pending::Load,
            Request::Insert(_) => Pending::Insert,
            Request::Update(_) => Pending::Update,
            Request::Read(_) => Pending::Read,
            Request::Delete(_) => Pending::Delete,
            Request::MultiRead(keys) => Pending::MultiRead(keys.len()),
            Request::Increment(_) => Pending::Increment,
            Request::Scan | Request::Latest(_) | Request::Search(_) | Request::LoadMany(_) | Request::Commit => {
                return None;
            }
        })
    }
}

/// RESP2, with keys of one namespace.
pub struct Resp {
    names: KeyNames,
    name: Vec<u8>,
    /// Kept between requests for its allocations.
    command: Cmd,
}

impl Resp {
    pub(super) fn new(names: KeyNames) -> Resp {
        Resp { names, name: Vec::new(), command: Cmd::new() }
    }
}

impl Dialect for Resp {
    type Pending = Pending;

    #[inline(always)]
    fn ask(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Pending, StoreError> {
        let Resp { names, name, command } = self;
        let asked = Pending::of(request).ok_or(StoreError::Unsupported)?;
        command.clear();
        match request {
            Request::Load(row) => command.arg(b"SET").arg(names.write(&row.key, name)).arg(row.raw),
            Request::Insert(row) => command.arg(b"SET").arg(names.write(&row.key, name)).arg(row.raw).arg(b"NX"),
            Request::Update(row) => command.arg(b"SET").arg(names.write(&row.key, name)).arg(row.raw).arg(b"XX"),
            Request::Read(key) => command.arg(b"GET").arg(names.write(key, name)),
            Request::Delete(key) => command.arg(b"DEL").arg(names.write(key, name)),
            Request::Increment(key) => command.arg(b"INCR").arg(names.write_counter(key.row, name)),
            Request::MultiRead(keys) => {
                command.arg(b"MGET");
                keys.iter().fold(&mut *command, |command, key| command.arg(names.write(key, name)))
            }
            Request::Scan | Request::Latest(_) | Request::Search(_) | Request::LoadMany(_) | Request::Commit => {
                return Err(StoreError::Unsupported);
            }
        };
        command.write_packed_command(out);
        Ok(asked)
    }

    #[inline(always)]
    fn take(
        asked: Option<&Pending>,
        bytes: &[u8],
        give: impl FnOnce(Answer<'_>),
    ) -> Result<Option<ReplyFrame>, String> {
        let Some((frame, len)) = decode(bytes)? else { return Ok(None) };
        let Some(asked) = asked else {
            return Err(format!("the server sent what nobody asked for: {}", failure(&frame, bytes)));
        };
        answer(*asked, &frame, bytes, give);
        Ok(Some(ReplyFrame::of(len)))
    }
}

/// Takes the first reply from `bytes`; returns what it means and its length, or nothing where it is not whole yet.
#[inline(always)]
pub(super) fn decode(bytes: &[u8]) -> Result<Option<(RangeFrame, usize)>, String> {
    decode_range(bytes).map_err(|error| format!("the server's reply cannot be read: {error}"))
}

/// Gives what a reply means for what was asked.
#[inline(always)]
pub(super) fn answer(asked: Pending, reply: &RangeFrame, bytes: &[u8], give: impl FnOnce(Answer<'_>)) {
    if let (Pending::MultiRead(keys), RangeFrame::Array(replies)) = (asked, reply)
        && replies.len() == keys
    {
        return match replies.iter().map(|reply| value(reply, bytes)).collect::<Result<Vec<_>, _>>() {
            Ok(values) => give(Answer::Values(&values)),
            Err(error) => give(Answer::Failed(error)),
        };
    }
    give(match (asked, reply) {
        (Pending::Read, RangeFrame::BulkString((start, end))) => Answer::Value(Some(&bytes[*start..*end])),
        (Pending::Read, RangeFrame::Null) => Answer::Value(None),
        (Pending::Load | Pending::Insert | Pending::Update, RangeFrame::SimpleString(_)) => {
            Answer::Written(WriteOutcome::Done)
        }
        (Pending::Insert, RangeFrame::Null) => Answer::Written(WriteOutcome::Exists),
        (Pending::Update, RangeFrame::Null) => Answer::Written(WriteOutcome::Missing),
        (Pending::Delete, RangeFrame::Integer(0)) => Answer::Written(WriteOutcome::Missing),
        (Pending::Delete, RangeFrame::Integer(_)) => Answer::Written(WriteOutcome::Done),
        (Pending::Increment, RangeFrame::Integer(_)) => Answer::Incremented,
        _ => Answer::Failed(failure(reply, bytes)),
    });
}

/// A value in the answer to MGET.
fn value<'a>(reply: &RangeFrame, bytes: &'a [u8]) -> Result<Option<&'a [u8]>, StoreError> {
    match reply {
        RangeFrame::BulkString((start, end)) => Ok(Some(&bytes[*start..*end])),
        RangeFrame::Null => Ok(None),
        other => Err(failure(other, bytes)),
    }
}

/// How the message of a server begins that still reads its data into memory.
pub(super) const LOADING: &str = "LOADING";

/// The server's own message, or words about a reply that does not fit.
#[cold]
pub(super) fn failure(reply: &RangeFrame, bytes: &[u8]) -> StoreError {
    match reply {
        RangeFrame::Error((start, end)) => StoreError::store(String::from_utf8_lossy(&bytes[*start..*end])),
        other => StoreError::store(format!("the server gave a reply of an unexpected kind: {other:?}")),
    }
}

/// Signs in, selects the database, and asks for a sign of life: a server that has too many clients tells so only now.
pub(super) fn sign_in(stream: &mut dyn Stream, address: &ConnectionInfo) -> Result<(), StoreError> {
    let settings = address.redis_settings();
    let mut pipeline = redis::pipe();
    if let Some(password) = settings.password() {
        // Servers before version 6 know no users: one argument.
        pipeline.cmd("AUTH").arg(settings.username()).arg(password);
    }
    if settings.db() != 0 {
        pipeline.cmd("SELECT").arg(settings.db());
    }
    pipeline.cmd("PING");
    let mut replies = pipeline.len();
    let commands = pipeline.get_packed_pipeline();
    let lost = |error: std::io::Error| StoreError::Disconnected(error.to_string());
    stream.write_all(&commands).map_err(lost)?;
    let (mut bytes, mut chunk) = (Vec::new(), [0u8; 512]);
    while replies > 0 {
        if let Some((frame, len)) = decode(&bytes).map_err(StoreError::Disconnected)? {
            if !matches!(frame, RangeFrame::SimpleString(_)) {
                let error = match failure(&frame, &bytes) {
                    StoreError::Store(words) if words.starts_with(LOADING) => StoreError::not_ready(words),
                    other => other,
                };
                // To a user who may not PING the server has answered too.
                if replies > 1 || !error.to_string().starts_with("NOPERM") {
                    return Err(error);
                }
            }
            bytes.drain(..len);
            replies -= 1;
            continue;
        }
        match stream.read(&mut chunk) {
            Ok(0) => return Err(StoreError::Disconnected("the server closed the connection".into())),
            Ok(len) => bytes.extend_from_slice(&chunk[..len]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(lost(error)),
        }
    }
    Ok(())
}
