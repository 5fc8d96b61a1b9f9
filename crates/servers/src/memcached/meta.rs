//! The meta commands of memcached: what is sent for an operation and what its reply means.
//!
//! Requests are made and the first line of a reply is taken apart by the crate `memcache`. A value is not copied by it:
//! its length is asked for with the flag `s`, and it is taken from where it lies.

use memcache::exp::{Error, MetaCommand, MetaOp, MetaResponse, ReturnCode};

use crate::common::key_names::KeyNames;
use crate::common::lanes::{Dialect, ReplyFrame};
use kurabe_client::adapter::{Answer, Key, Request, StoreError, WriteOutcome};

/// What a reply is awaited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pending {
    /// `ms`.
    Load,
    /// `ms` in the mode add: nothing is stored where the key exists.
    Insert,
    /// `ms` in the mode replace: nothing is stored where the key does not exist.
    Update,
    /// `mg`.
    Read,
    /// `md`.
    Delete,
    /// So many `mg`, sent together.
    MultiRead(usize),
    /// `ma`.
    Increment,
}

/// The meta commands, with keys of one namespace.
pub struct Meta {
    names: KeyNames,
    name: Vec<u8>,
}

impl Meta {
    pub(super) fn new(names: KeyNames) -> Meta {
        Meta { names, name: Vec::new() }
    }

    #[inline(always)]
    fn named(&mut self, op: MetaOp, key: &Key) -> MetaCommand {
        MetaCommand::new(op, self.names.write(key, &mut self.name))
    }
}

/// Appends a command to `out`.
#[inline(always)]
pub(super) fn encode(command: &MetaCommand, out: &mut Vec<u8>) -> Result<(), StoreError> {
    command.encode_into(out).map_err(StoreError::store)
}

/// Asks for the value named `name`.
pub(super) fn get(name: &[u8]) -> MetaCommand {
    MetaCommand::new(MetaOp::Get, name).flag(*b"v").flag(*b"s")
}

impl Dialect for Meta {
    type Pending = Pending;

    #[inline(always)]
    fn ask(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Pending, StoreError> {
        let (command, asked) = match request {
            Request::Load(row) => (self.named(MetaOp::Set, &row.key).value(row.raw), Pending::Load),
            Request::Insert(row) => (self.named(MetaOp::Set, &row.key).flag(*b"ME").value(row.raw), Pending::Insert),
            Request::Update(row) => (self.named(MetaOp::Set, &row.key).flag(*b"MR").value(row.raw), Pending::Update),
            Request::Read(key) => (get(self.names.write(key, &mut self.name)), Pending::Read),
            Request::Delete(key) => (self.named(MetaOp::Delete, key), Pending::Delete),
            Request::Increment(key) => {
                // Where there is none it is made with the value 1, and stays for ever.
                let name = self.names.write_counter(key.row, &mut self.name);
                (MetaCommand::new(MetaOp::Arithmetic, name).flag(*b"N0").flag(*b"J1"), Pending::Increment)
            }
            Request::MultiRead(keys) => {
                for key in *keys {
                    encode(&get(self.names.write(key, &mut self.name)), out)?;
                }
                return Ok(Pending::MultiRead(keys.len()));
            }
            Request::Scan | Request::Latest(_) | Request::Search(_) | Request::LoadMany(_) | Request::Commit => {
                return Err(StoreError::Unsupported);
            }
        };
        encode(&command, out)?;
        Ok(asked)
    }

    #[inline(always)]
    fn take(
        asked: Option<&Pending>,
        bytes: &[u8],
        give: impl FnOnce(Answer<'_>),
    ) -> Result<Option<ReplyFrame>, String> {
        let asked = match asked {
            Some(Pending::MultiRead(keys)) => return Ok(take_many(*keys, bytes, give)?.map(ReplyFrame::of)),
            other => other,
        };
        let Some((reply, len)) = take_reply(bytes)? else { return Ok(None) };
        let Some(asked) = asked else {
            return Err(format!("the server sent what nobody asked for: {reply:?}"));
        };
        give(match reply {
            Reply::Refused(words) => Answer::Failed(StoreError::Store(words)),
            reply => decode_reply(*asked, &reply).unwrap_or_else(|| Answer::Failed(unexpected(&reply))),
        });
        Ok(Some(ReplyFrame::of(len)))
    }
}

/// The replies to as many `mg` as there are keys, once all of them are there.
fn take_many(keys: usize, bytes: &[u8], give: impl FnOnce(Answer<'_>)) -> Result<Option<usize>, String> {
    let mut values = Vec::with_capacity(keys);
    let (mut used, mut failed) = (0, None);
    for _ in 0..keys {
        let Some((reply, len)) = take_reply(&bytes[used..])? else { return Ok(None) };
        used += len;
        match reply {
            Reply::Value(value) => values.push(Some(value)),
            Reply::Code(ReturnCode::En) => values.push(None),
            Reply::Refused(words) => failed = Some(StoreError::Store(words)),
            other => failed = Some(unexpected(&other)),
        }
    }
    give(failed.map_or(Answer::Values(&values), Answer::Failed));
    Ok(Some(used))
}

/// A whole reply.
#[derive(Debug)]
pub(super) enum Reply<'a> {
    Value(&'a [u8]),
    Code(ReturnCode),
    /// The server's own words.
    Refused(String),
}

/// Takes the first reply from `bytes`: it and its length, or nothing where it is not whole yet.
#[inline(always)]
pub(super) fn take_reply(bytes: &[u8]) -> Result<Option<(Reply<'_>, usize)>, String> {
    let Some(end) = memchr::memchr(b'\n', bytes) else { return Ok(None) };
    let line = bytes[..end].strip_suffix(b"\r").unwrap_or(&bytes[..end]);
    let start = end + 1;
    let header = match MetaResponse::parse_header(line) {
        Ok(header) => header,
        Err(Error::Rejected(words) | Error::Server(words)) => return Ok(Some((Reply::Refused(words), start))),
        Err(error) => return Err(format!("the server's reply cannot be read: {error}")),
    };
    if header.rc() != ReturnCode::Va {
        return Ok(Some((Reply::Code(header.rc()), start)));
    }
    let size = header.flags().find_map(|flag| flag.strip_prefix(b"s"));
    let len: usize = size
        .and_then(|size| std::str::from_utf8(size).ok()?.parse().ok())
        .ok_or("the server gave a value without its size")?;
    let end = start.saturating_add(len).saturating_add(2);
    match bytes.get(start..end).map(|block| block.split_at(len)) {
        None => Ok(None),
        Some((value, b"\r\n")) => Ok(Some((Reply::Value(value), end))),
        Some(_) => Err("the server gave a value of another length than it said".into()),
    }
}

/// What a reply means for what was asked.
#[inline(always)]
fn decode_reply<'a>(asked: Pending, reply: &Reply<'a>) -> Option<Answer<'a>> {
    let code = match reply {
        Reply::Value(value) => return (asked == Pending::Read).then_some(Answer::Value(Some(value))),
        Reply::Code(code) => *code,
        Reply::Refused(_) => return None,
    };
    Some(match (asked, code) {
        (Pending::Read, ReturnCode::En) => Answer::Value(None),
        (Pending::Load | Pending::Insert | Pending::Update | Pending::Delete, ReturnCode::Hd) => {
            Answer::Written(WriteOutcome::Done)
        }
        (Pending::Insert, ReturnCode::Ns) => Answer::Written(WriteOutcome::Exists),
        (Pending::Update, ReturnCode::Ns) | (Pending::Delete, ReturnCode::Nf) => Answer::Written(WriteOutcome::Missing),
        (Pending::Increment, ReturnCode::Hd) => Answer::Incremented,
        _ => return None,
    })
}

#[cold]
fn unexpected(reply: &Reply<'_>) -> StoreError {
    match reply {
        Reply::Value(value) => StoreError::store(format!("the server gave a value of {} bytes", value.len())),
        other => StoreError::store(format!("the server gave a reply of an unexpected kind: {other:?}")),
    }
}
