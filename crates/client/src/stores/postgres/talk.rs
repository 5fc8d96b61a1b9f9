//! What is sent over a lane for an operation, and what its reply means.
//!
//! An operation is Bind and Execute of a prepared statement, and a Sync of its own: with many under way none stands or falls
//! with another. So each ends with one ReadyForQuery, by whose number the answer is known to what it belongs. Only reads that
//! are sent as a batch share one, see [`Batches`].

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::BytesMut;
use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{Load, Phase};
use postgres_protocol::message::{backend, frontend};

use super::batches::Batches;
use super::bind;
use super::message::{MOST_BYTES, Message, Rows, WireKey, unexpected};
use super::statements::Which;
use super::table::{Param, Table};
use crate::adapter::{Answer, Key, Request, Row, RowBuffer, StoreError, Written};
use crate::stores::common::lanes::{Heard, Taken, Talk};
use crate::stores::common::transaction::Transaction;

/// Opens a transaction: name and text.
pub(super) const BEGIN: (&str, &str) = ("begin", "BEGIN");
/// So many keys are looked through sooner than they are looked up.
const FEW_KEYS: usize = 64;

/// What a reply is awaited for.
#[derive(Clone, Debug)]
pub struct Asked {
    what: What,
    /// The transaction that it is in.
    transaction: Option<u64>,
}

impl Asked {
    /// How many rows an answer that is taken as a whole can have.
    fn most_rows(&self) -> usize {
        if let What::MultiRead(keys) = &self.what { keys.keys.len() } else { 1 }
    }
}

#[derive(Clone, Debug)]
enum What {
    Load,
    Insert,
    Update,
    Delete,
    Increment,
    Read,
    MultiRead(Keys),
    /// So many rows in one request.
    LoadMany(u64),
    /// Many rows, which are given on as they come; whether the end of them came, and an error.
    Rows {
        told: bool,
        error: Option<StoreError>,
    },
    /// What it has to tell of writes that were rolled back before.
    Commit(Option<StoreError>),
}

impl What {
    /// Nothing of it came yet.
    const ROWS: What = What::Rows { told: false, error: None };
}

/// The keys of a multi-read.
#[derive(Clone, Debug)]
struct Keys {
    keys: Vec<Key>,
    /// Places of the keys in their order, where they are many.
    sorted: Vec<u32>,
}

impl Keys {
    fn new(keys: &[Key]) -> Keys {
        let mut sorted = Vec::new();
        if keys.len() > FEW_KEYS {
            sorted.extend(0..keys.len() as u32);
            sorted.sort_unstable_by(|one, other| {
                let (one, other) = (&keys[*one as usize], &keys[*other as usize]);
                one.text_bytes().cmp(other.text_bytes()).then(one.int().cmp(&other.int()))
            });
        }
        Keys { keys: keys.to_vec(), sorted }
    }

    fn place(&self, found: WireKey<'_>) -> Option<usize> {
        let compare = |key: &Key| match found {
            WireKey::Int(int) => key.int().cmp(&int),
            WireKey::Text(text) => key.text_bytes().cmp(text),
        };
        if self.sorted.is_empty() {
            return self.keys.iter().position(|key| compare(key).is_eq());
        }
        let found = self.sorted.binary_search_by(|at| compare(&self.keys[*at as usize])).ok()?;
        Some(self.sorted[found] as usize)
    }
}

/// What is known of a connection.
#[derive(Clone)]
pub struct Known {
    rows: Arc<Rows>,
    transaction: Transaction,
    /// Number of the transaction that was opened last.
    number: u64,
    /// Requests that were sent, and those that were answered.
    sent: u64,
    heard: u64,
    /// Numbers of requests that nobody asked for: after an error a server refuses everything until the transaction ends.
    silent: VecDeque<u64>,
    batches: Batches,
    row: RowBuffer,
}

impl Known {
    pub(super) fn new(rows: &Arc<Rows>, phase: &Phase, row: RowBuffer) -> Known {
        let (transaction, batches) = (Transaction::new(phase), Batches::new(phase));
        Known { rows: rows.clone(), transaction, number: 0, sent: 0, heard: 0, silent: VecDeque::new(), batches, row }
    }

    /// The transaction that is open.
    fn open(&self) -> Option<u64> {
        (!self.transaction.commits_each() && !self.transaction.must_begin()).then_some(self.number)
    }

    /// After an error: ends the transaction that it was in, if that is still open.
    #[cold]
    fn fail(&mut self, asked: &Asked, error: &StoreError, out: &mut Vec<u8>) {
        if asked.transaction.is_some() && asked.transaction == self.open() && self.transaction.fail(error) {
            bind::query("ROLLBACK", out);
            self.silent.push_back(self.sent);
            self.sent += 1;
        }
    }
}

/// PostgreSQL's protocol, version 3.0, with the table of one job.
pub struct PostgresTalk {
    table: Table,
    types: Vec<FieldType>,
    /// Whether many rows are loaded by COPY.
    copies: bool,
    /// Kept between requests for its memory.
    out: BytesMut,
}

impl PostgresTalk {
    pub(super) fn new(table: Table, phase: &Phase) -> PostgresTalk {
        let copies = matches!(phase.load(), Some(Load::Bulk { .. }));
        PostgresTalk { types: table.field_types(), table, copies, out: BytesMut::new() }
    }

    #[inline(always)]
    fn row(&mut self, which: Which, row: &Row<'_>) -> Result<(), StoreError> {
        let key = self.table.key_param(&row.key);
        let params = std::iter::once(key).chain(row.layout.fields(row.raw).map(Param::from));
        bind::bind(which.name(), params, &mut self.out)
    }

    #[inline(always)]
    fn request(&mut self, request: &Request<'_>) -> Result<What, StoreError> {
        let PostgresTalk { table, out, .. } = self;
        let mut ask = |which: Which, params: &[Param<'_>]| bind::bind(which.name(), params.iter().copied(), out);
        match request {
            Request::Load(row) => self.row(Which::Load, row).map(|()| What::Load),
            Request::Insert(row) => self.row(Which::Insert, row).map(|()| What::Insert),
            Request::Update(row) => self.row(Which::Update, row).map(|()| What::Update),
            Request::Read(key) => ask(Which::Select, &[table.key_param(key)]).map(|()| What::Read),
            Request::Delete(key) => ask(Which::Delete, &[table.key_param(key)]).map(|()| What::Delete),
            Request::Increment(key) => ask(Which::Increment, &[Param::Int(key.int())]).map(|()| What::Increment),
            Request::Scan => ask(Which::Scan, &[]).map(|()| What::ROWS),
            Request::Latest(rows) => ask(Which::Latest, &[Param::Int((*rows).into())]).map(|()| What::ROWS),
            Request::Search(range) => {
                ask(Which::Search, &[Param::Int(range.low), Param::Int(range.high)]).map(|()| What::ROWS)
            }
            Request::MultiRead(keys) => {
                let keys_of = keys.iter().map(|key| table.key_param(key));
                bind::array(Which::SelectMany.name(), self.types[0], keys_of, out)?;
                Ok(What::MultiRead(Keys::new(keys)))
            }
            Request::LoadMany(rows) => {
                self.many(rows)?;
                Ok(What::LoadMany(rows.len() as u64))
            }
            Request::Commit => Err(StoreError::Unsupported),
        }
    }

    #[inline(never)]
    fn many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let PostgresTalk { table, types, copies, out } = self;
        let rows = rows.iter().map(|row| table.row_params(row));
        if *copies {
            return bind::copy(Which::Copy.name(), rows, out);
        }
        bind::columns(Which::InsertMany.name(), types, &rows.collect::<Vec<_>>(), out)
    }

    /// Writes of the lane that were answered are to stay.
    #[inline(never)]
    fn commit(known: &mut Known, out: &mut Vec<u8>) -> Result<Asked, StoreError> {
        let (is_open, told) = known.transaction.end();
        if !is_open {
            told.clone()?;
        }
        bind::query("COMMIT", out);
        known.sent += 1;
        Ok(Asked { what: What::Commit(told.err()), transaction: None })
    }
}

impl Talk for PostgresTalk {
    type Asked = Asked;
    type Lane = Known;

    #[inline(always)]
    fn say(&mut self, known: &mut Known, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Asked, StoreError> {
        if matches!(request, Request::Commit) {
            return PostgresTalk::commit(known, out);
        }
        self.out.clear();
        let opens = known.transaction.must_begin()
            && matches!(
                request,
                Request::Load(_) | Request::Insert(_) | Request::Update(_) | Request::Delete(_) | Request::Increment(_)
            );
        if opens {
            bind::bind(BEGIN.0, [], &mut self.out)?;
        }
        let what = self.request(request)?;
        if known.batches.take(matches!(what, What::Read)) {
            out.extend_from_slice(&self.out);
            return Ok(Asked { what, transaction: None });
        }
        frontend::sync(&mut self.out);
        out.extend_from_slice(&self.out);
        if opens {
            known.transaction.begun();
            known.number += 1;
        }
        known.sent += 1;
        Ok(Asked { what, transaction: known.open() })
    }

    #[inline(always)]
    fn seal(known: &mut Known, out: &mut Vec<u8>) {
        known.batches.seal(out);
    }

    #[inline(always)]
    fn hear(
        known: &mut Known,
        asked: Option<&mut Asked>,
        bytes: &[u8],
        out: &mut Vec<u8>,
        give: impl FnMut(Answer<'_>),
    ) -> Result<Option<Heard>, String> {
        if let Some(unanswered) = known.batches.unanswered() {
            return hear_batch(known, unanswered, asked, bytes, out, give);
        }
        let is_silent = known.silent.front() == Some(&known.heard);
        match asked {
            None if !is_silent => unasked(known, bytes),
            Some(asked) if !is_silent && matches!(asked.what, What::Rows { .. }) => {
                stream(known, asked, bytes, out, give)
            }
            asked => {
                let most_rows = asked.as_ref().map_or(1, |asked| asked.most_rows());
                let reply = Reply::first(bytes, Ends::WhenReady, known.rows.most_bytes, most_rows)?;
                let Some(reply) = reply else { return Ok(None) };
                let len = reply.bytes.len();
                known.heard += 1;
                match asked.filter(|_| !is_silent) {
                    Some(asked) => answer(known, asked, reply, out, give),
                    None => drop(known.silent.pop_front()),
                }
                Ok(Some(Heard { taken: Taken::of(len), ends: !is_silent }))
            }
        }
    }
}

/// Takes the answer to one read of a batch, or the end of the batch.
#[inline(never)]
fn hear_batch(
    known: &mut Known,
    unanswered: u32,
    asked: Option<&mut Asked>,
    bytes: &[u8],
    out: &mut Vec<u8>,
    give: impl FnMut(Answer<'_>),
) -> Result<Option<Heard>, String> {
    let Some(asked) = asked.filter(|_| unanswered > 0) else {
        let Some(message) = Message::first(bytes, known.rows.most_bytes)? else { return Ok(None) };
        if message.tag != backend::READY_FOR_QUERY_TAG {
            return unasked(known, bytes);
        }
        known.batches.end();
        return Ok(Some(Heard { taken: Taken::of(message.len), ends: false }));
    };
    let reply = Reply::first(bytes, Ends::WithItsStatement, known.rows.most_bytes, asked.most_rows())?;
    let Some(reply) = reply else { return Ok(None) };
    let len = reply.bytes.len();
    known.batches.answered();
    answer(known, asked, reply, out, give);
    Ok(Some(Heard { taken: Taken::of(len), ends: true }))
}

/// What a server says without being asked; an error ends the connection.
#[cold]
fn unasked(known: &Known, bytes: &[u8]) -> Result<Option<Heard>, String> {
    let Some(message) = Message::first(bytes, known.rows.most_bytes)? else { return Ok(None) };
    match message.tag {
        backend::ERROR_RESPONSE_TAG => Err(message.error()?.into_words()),
        _ if message.is_unasked() => Ok(Some(Heard { taken: Taken::of(message.len), ends: false })),
        other => Err(unexpected(other)),
    }
}

/// Gives rows on as they come, so that memory does not grow with them.
#[inline(never)]
fn stream(
    known: &mut Known,
    asked: &mut Asked,
    bytes: &[u8],
    out: &mut Vec<u8>,
    mut give: impl FnMut(Answer<'_>),
) -> Result<Option<Heard>, String> {
    let first = |at: usize| Message::first(&bytes[at..], known.rows.most_bytes);
    let heard = |len: usize, ends: bool| Ok(Some(Heard { taken: Taken::of(len), ends }));
    let mut rows = 0;
    while let Some(row) = first(rows)?.filter(|message| message.tag == backend::DATA_ROW_TAG) {
        rows += row.len;
    }
    if rows > 0 {
        give(Answer::SomeRows(&bytes[..rows]));
        return heard(rows, false);
    }
    let Some(message) = first(0)? else { return Ok(None) };
    let What::Rows { told, error } = &mut asked.what else { return Err(unexpected(message.tag)) };
    match message.tag {
        backend::BIND_COMPLETE_TAG => {}
        backend::COMMAND_COMPLETE_TAG => *told = true,
        backend::ERROR_RESPONSE_TAG => *error = Some(message.error()?.unless_it_ends()?),
        backend::READY_FOR_QUERY_TAG => {
            let error = error.take().or_else(|| (!*told).then(|| odd("is over before it was said to be")));
            known.heard += 1;
            match error {
                Some(error) => {
                    known.fail(asked, &error, out);
                    give(Answer::Failed(error));
                }
                None => give(Answer::Rows(&[])),
            }
            return heard(message.len, true);
        }
        _ if message.is_unasked() => {}
        other => return Err(unexpected(other)),
    }
    heard(message.len, false)
}

/// Where a reply ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// With ReadyForQuery.
    WhenReady,
    /// Where its statement is done or refused: others come before ReadyForQuery, which is no part of it.
    WithItsStatement,
}

/// A whole reply.
struct Reply<'a> {
    bytes: &'a [u8],
    /// Its first row, and how many there are.
    row: Option<&'a [u8]>,
    rows: usize,
    /// What the server calls that which it has done; of several statements the last.
    tag: Option<&'a [u8]>,
    error: Option<StoreError>,
}

impl<'a> Reply<'a> {
    /// The reply at the start of `bytes`; none where it is not whole yet.
    #[inline(always)]
    fn first(
        bytes: &'a [u8],
        ends: Ends,
        most_row_bytes: usize,
        most_rows: usize,
    ) -> Result<Option<Reply<'a>>, String> {
        let mut reply = Reply { bytes, row: None, rows: 0, tag: None, error: None };
        let mut at = 0;
        while let Some(message) = Message::first(&bytes[at..], most_row_bytes)? {
            let before = at;
            at += message.len;
            match message.tag {
                backend::DATA_ROW_TAG => {
                    reply.row = reply.row.or(Some(message.body));
                    reply.rows += 1;
                }
                backend::COMMAND_COMPLETE_TAG => reply.tag = message.body.strip_suffix(&[0]),
                backend::READY_FOR_QUERY_TAG => {
                    reply.bytes = &bytes[..if ends == Ends::WhenReady { at } else { before }];
                    if ends == Ends::WithItsStatement {
                        // What the server refused stands before this one in its batch.
                        reply.error =
                            Some(StoreError::store("not done, since a read before it in its batch was refused"));
                    }
                    return Ok(Some(reply));
                }
                backend::ERROR_RESPONSE_TAG => reply.error = Some(message.error()?.unless_it_ends()?),
                backend::BIND_COMPLETE_TAG | backend::COPY_IN_RESPONSE_TAG => {}
                _ if message.is_unasked() => {}
                other => return Err(unexpected(other)),
            }
            if ends == Ends::WithItsStatement && (reply.tag.is_some() || reply.error.is_some()) {
                reply.bytes = &bytes[..at];
                return Ok(Some(reply));
            }
        }
        // It is kept until it is whole: one without an end must not fill the memory.
        if at > most_row_bytes.saturating_mul(most_rows + 1).saturating_add(MOST_BYTES) {
            return Err(format!(
                "the server's answer has no end: {at} bytes came, and {most_rows} rows were asked for"
            ));
        }
        Ok(None)
    }

    /// How many rows the server says that it has changed.
    #[inline(always)]
    fn changed(&self) -> Result<u64, StoreError> {
        let digits = self.tag.and_then(|tag| tag.rsplit(|byte| *byte == b' ').next());
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        number.ok_or_else(|| odd("does not tell how many rows it changed"))
    }

    /// Its rows, without those that it was found to be too short for.
    fn rows(&self, most_row_bytes: usize) -> impl Iterator<Item = &'a [u8]> {
        rows_in(self.bytes, most_row_bytes)
    }
}

/// The rows in whole messages.
pub(super) fn rows_in(bytes: &[u8], most_row_bytes: usize) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    let messages = std::iter::from_fn(move || {
        let message = Message::first(&bytes[at..], most_row_bytes).ok()??;
        at += message.len;
        Some(message)
    });
    messages.filter(|message| message.tag == backend::DATA_ROW_TAG).map(|message| message.body)
}

#[cold]
fn odd(what: &str) -> StoreError {
    StoreError::store(format!("the server's answer {what}"))
}

/// Gives what a reply means for what was asked.
#[inline(always)]
fn answer(known: &mut Known, asked: &Asked, mut reply: Reply<'_>, out: &mut Vec<u8>, mut give: impl FnMut(Answer<'_>)) {
    if let Some(error) = reply.error.take() {
        known.fail(asked, &error, out);
        return give(Answer::Failed(error));
    }
    let meant = match &asked.what {
        What::Read => {
            let meant = read(known, &reply).map(|value| give(Answer::Value(value)));
            return meant.unwrap_or_else(|error| give(Answer::Failed(error)));
        }
        What::MultiRead(keys) => {
            let meant = multi_read(known, keys, &reply, &mut give);
            return meant.unwrap_or_else(|error| give(Answer::Failed(error)));
        }
        What::Load => reply.changed().and_then(|rows| done(rows == 1)),
        What::LoadMany(asked) => reply.changed().and_then(|rows| done(rows == *asked)),
        What::Insert => {
            reply.changed().map(|rows| Answer::Written(if rows == 0 { Written::Exists } else { Written::Done }))
        }
        What::Update | What::Delete => {
            reply.changed().map(|rows| Answer::Written(if rows == 0 { Written::Missing } else { Written::Done }))
        }
        What::Increment => reply.changed().map(|_| Answer::Incremented),
        What::Commit(Some(error)) => Err(error.clone()),
        // A transaction in which something failed is ended by COMMIT too, and the server calls it by another name.
        What::Commit(None) if reply.tag == Some(b"COMMIT") => Ok(Answer::Written(Written::Done)),
        What::Commit(None) => Err(odd("to COMMIT is that it was rolled back")),
        What::Rows { .. } => Err(odd("is whole before its rows were given on")),
    };
    give(meant.unwrap_or_else(Answer::Failed));
}

fn done(all: bool) -> Result<Answer<'static>, StoreError> {
    if all { Ok(Answer::Written(Written::Done)) } else { Err(odd("is that other rows were written than were sent")) }
}

/// The raw value of the one row of a reply.
#[inline(always)]
fn read<'a>(known: &'a mut Known, reply: &Reply<'a>) -> Result<Option<&'a [u8]>, StoreError> {
    match (reply.row, reply.rows) {
        _ if reply.tag.is_none() => Err(odd("is over before it was said to be")),
        (None, _) => Ok(None),
        (Some(row), 1) => known.rows.value(row, &mut known.row).map(Some),
        _ => Err(odd("has several rows where one was asked for")),
    }
}

#[inline(never)]
fn multi_read(
    known: &mut Known,
    keys: &Keys,
    reply: &Reply<'_>,
    give: &mut impl FnMut(Answer<'_>),
) -> Result<(), StoreError> {
    if reply.tag.is_none() {
        return Err(odd("is over before it was said to be"));
    }
    let Known { rows, row: out, .. } = known;
    let mut ranges = vec![None; keys.keys.len()];
    out.clear();
    for row in reply.rows(rows.most_bytes) {
        let start = out.raw().len();
        let key = rows.keyed(row, out)?;
        let range =
            keys.place(key).and_then(|at| ranges.get_mut(at)).ok_or_else(|| odd("has a row that nobody asked for"))?;
        *range = Some(start..out.raw().len());
    }
    let values: Vec<Option<&[u8]>> = ranges.into_iter().map(|range| range.map(|range| &out.raw()[range])).collect();
    give(Answer::Values(&values));
    Ok(())
}
