//! What is read from a server: messages, one after the other, in the bytes that came.
//!
//! The crate's own reader takes a piece of memory for each message. This one leaves them where they lie, and gives errors,
//! which are few, to the crate.

use bytes::BytesMut;
use kurabe_protocol::schema::FieldType;
use kurabe_protocol::{KeyMap, Layout};
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres_protocol::message::backend::{self, ErrorResponseBody, Header};

use super::table::Table;
use crate::adapter::{RowBuffer, RowSink, StoreError};

/// Most bytes of a message that is no row: a server has no more to say.
pub(super) const MOST_BYTES: usize = 1 << 20;
/// Tag and length stand before what a message says.
const HEADER_BYTES: usize = 5;

/// A message that is whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) tag: u8,
    /// What it says.
    pub(super) body: &'a [u8],
    /// Its length in all.
    pub(super) len: usize,
    whole: &'a [u8],
}

impl<'a> Message<'a> {
    /// The message at the start of `bytes`; none where it is not whole yet. One that is announced to be longer than it can be
    /// is an error at once: nobody waits for its end, and no memory is taken for it.
    #[inline(always)]
    pub(super) fn first(bytes: &'a [u8], most_row_bytes: usize) -> Result<Option<Message<'a>>, String> {
        let Some(header) = Header::parse(bytes).map_err(|error| cannot_be_read(&error))? else { return Ok(None) };
        let (tag, said) = (header.tag(), header.len() as usize);
        let most = if tag == backend::DATA_ROW_TAG { most_row_bytes } else { MOST_BYTES };
        if said > most {
            return Err(too_long(tag, said, most));
        }
        let len = said + 1;
        let Some(whole) = bytes.get(..len) else { return Ok(None) };
        Ok(Some(Message { tag, body: &whole[HEADER_BYTES..], len, whole }))
    }

    /// Whether it is what a server may say at any time without being asked.
    pub(super) fn is_unasked(&self) -> bool {
        let unasked = [backend::NOTICE_RESPONSE_TAG, backend::PARAMETER_STATUS_TAG, backend::NOTIFICATION_RESPONSE_TAG];
        unasked.contains(&self.tag)
    }

    /// The error that it tells.
    #[cold]
    pub(super) fn error(&self) -> Result<ServerError, String> {
        let mut bytes = BytesMut::from(self.whole);
        match backend::Message::parse(&mut bytes) {
            Ok(Some(backend::Message::ErrorResponse(error))) => Ok(ServerError::of(&error)),
            Ok(_) => Err(unexpected(self.tag)),
            Err(error) => Err(cannot_be_read(&error)),
        }
    }
}

#[cold]
fn cannot_be_read(error: &std::io::Error) -> String {
    format!("the server's answer cannot be read: {error}")
}

/// As [`StoreError`]: an answer that cannot be read.
#[cold]
pub(super) fn unreadable(error: std::io::Error) -> StoreError {
    StoreError::store(cannot_be_read(&error))
}

#[cold]
fn too_long(tag: u8, len: usize, most: usize) -> String {
    let what = if tag == backend::DATA_ROW_TAG { "row" } else { "message" };
    format!("the server announced a {what} of {len} bytes, where {most} are the most that there can be")
}

/// Words about a message that has no place where it came.
#[cold]
pub(super) fn unexpected(tag: u8) -> String {
    format!("the server sent a message '{}' out of turn", char::from(tag).escape_default())
}

/// An error in the server's own words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ServerError {
    /// Whether the server ends the connection with it.
    pub(super) ends: bool,
    code: String,
    words: String,
}

impl ServerError {
    /// From its fields; what cannot be read of them is left out.
    pub(super) fn of(error: &ErrorResponseBody) -> ServerError {
        let (mut fields, mut found, mut severity) = (error.fields(), ServerError::default(), String::new());
        while let Ok(Some(field)) = fields.next() {
            let value = || String::from_utf8_lossy(field.value_bytes()).into_owned();
            match field.type_() {
                // In the server's language only where it tells no other.
                b'S' if severity.is_empty() => severity = value(),
                b'V' => severity = value(),
                b'C' => found.code = value(),
                b'M' => found.words = value(),
                _ => {}
            }
        }
        found.ends = severity == "FATAL" || severity == "PANIC";
        found
    }

    /// As an error of what was asked; words where the connection ends with it.
    #[cold]
    pub(super) fn unless_it_ends(self) -> Result<StoreError, String> {
        if self.ends { Err(self.into_words()) } else { Ok(self.into_error()) }
    }

    /// The server's own words.
    pub(super) fn into_words(self) -> String {
        with_way_out(format!("{} (SQLSTATE {})", self.words, self.code))
    }

    /// Which of them mean that the connection or the time is over.
    pub(super) fn into_error(self) -> StoreError {
        let ended = [SqlState::ADMIN_SHUTDOWN, SqlState::CRASH_SHUTDOWN];
        if self.code == SqlState::QUERY_CANCELED.code() {
            StoreError::Timeout
        } else if self.code == SqlState::CANNOT_CONNECT_NOW.code() {
            StoreError::not_ready(self.words)
        } else if ended.iter().any(|code| code.code() == self.code) {
            StoreError::Disconnected(self.words)
        } else {
            StoreError::store(self.into_words())
        }
    }
}

/// Takes rows apart.
#[derive(Clone)]
pub(super) struct Rows {
    /// Types of the columns, the key first.
    types: Vec<FieldType>,
    keys: KeyMap,
    /// Whether what stands after the key is one value that needs nothing around it.
    is_plain: bool,
    /// Most bytes that a message with a row can have.
    pub(super) most_bytes: usize,
}

impl Rows {
    /// Rows of `table`.
    pub(super) fn new(table: &Table, layout: &Layout) -> Rows {
        let types = table.field_types();
        let is_plain = types.len() == 2 && types[1] != FieldType::Int64 && !layout.framed();
        // Twice what is right, so that what is a little too long is told as a wrong row and not as a broken connection.
        let row = layout.len_bytes() + layout.keys().longest_bytes() + 8 * types.len();
        Rows { keys: table.rows.keys, is_plain, most_bytes: 2 * row + 1024, types }
    }

    /// Puts the raw value of a row without its key into `out`, where it needs more than to be handed on; gives it otherwise.
    #[inline(always)]
    pub(super) fn value<'a>(&self, body: &'a [u8], out: &'a mut RowBuffer) -> Result<&'a [u8], StoreError> {
        let mut fields = Fields::of(body, self.types.len() - 1)?;
        if self.is_plain {
            let value = fields.next()?;
            fields.end()?;
            return Ok(value);
        }
        out.clear();
        self.copy(&mut fields, out)?;
        Ok(out.raw())
    }

    /// Gives the key of a row, and appends its raw value to `out`.
    #[inline(always)]
    pub(super) fn keyed<'a>(&self, body: &'a [u8], out: &mut RowBuffer) -> Result<WireKey<'a>, StoreError> {
        let mut fields = Fields::of(body, self.types.len())?;
        let key = self.key(fields.next()?)?;
        self.copy(&mut fields, out)?;
        Ok(key)
    }

    /// Gives a row to `sink`.
    #[inline(always)]
    pub(super) fn give(&self, body: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let mut fields = Fields::of(body, self.types.len())?;
        let key = self.key(fields.next()?)?;
        let seen = match key {
            WireKey::Int(key) => self.keys.seen_int(key),
            WireKey::Text(key) => self.keys.seen_text(key),
        };
        sink.fields(seen, |out| self.copy(&mut fields, out))
    }

    #[inline(always)]
    fn key<'a>(&self, field: &'a [u8]) -> Result<WireKey<'a>, StoreError> {
        if self.keys.is_text() { Ok(WireKey::Text(field)) } else { int(field).map(WireKey::Int) }
    }

    #[inline(always)]
    fn copy(&self, fields: &mut Fields<'_>, out: &mut RowBuffer) -> Result<(), StoreError> {
        for field_type in &self.types[1..] {
            let field = fields.next()?;
            match field_type {
                FieldType::Int64 => out.push_int(int(field)?),
                FieldType::Text | FieldType::Bytes => out.push_bytes(field),
            }
        }
        fields.end()
    }
}

/// A key as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WireKey<'a> {
    Int(i64),
    Text(&'a [u8]),
}

fn int(field: &[u8]) -> Result<i64, StoreError> {
    let bytes: [u8; 8] = field.try_into().map_err(|_| odd_row("an int8 of another length than 8 bytes"))?;
    Ok(i64::from_be_bytes(bytes))
}

/// The words of a server or driver, and where they come from a pooler or a server that wants TLS, what helps.
pub(super) fn with_way_out(words: String) -> String {
    let ways = [
        ("unsupported startup parameter", "a pooler is before the server: give it ignore_startup_parameters = options"),
        (
            "query_wait_timeout",
            "a pooler has no connection left for it: raise its default_pool_size to those of the study",
        ),
        ("(SQLSTATE 42P05)", POOLED),
        ("(SQLSTATE 26000)", POOLED),
        ("no encryption (SQLSTATE 28000)", TLS),
        ("no TLS implementation", TLS),
    ];
    match ways.iter().find(|(sign, _)| words.contains(sign)) {
        Some((_, way)) => format!("{words}; {way}"),
        None => words,
    }
}

/// What helps where a server takes connections with TLS alone.
const TLS: &str = "only the Python client speaks TLS here: name the store as postgres+python@…";

/// What helps where statements that were prepared are not those of the connection.
const POOLED: &str = "a pooler may give each transaction another connection: set its pool_mode = session, or \
                      max_prepared_statements above 0 where it has that";

#[cold]
fn odd_row(what: &str) -> StoreError {
    StoreError::store(format!("the server gave a row with {what}"))
}

/// The fields of a row, one after the other.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Of a row that must have `count` of them.
    #[inline(always)]
    fn of(body: &'a [u8], count: usize) -> Result<Fields<'a>, StoreError> {
        match body.split_first_chunk::<2>() {
            Some((told, rest)) if usize::from(u16::from_be_bytes(*told)) == count => Ok(Fields(rest)),
            _ => Err(odd_row("another number of columns than was asked for")),
        }
    }

    #[inline(always)]
    fn next(&mut self) -> Result<&'a [u8], StoreError> {
        let (len, rest) = self.0.split_first_chunk::<4>().ok_or_else(|| odd_row("too few columns"))?;
        let len = usize::try_from(i32::from_be_bytes(*len)).map_err(|_| odd_row("a NULL"))?;
        let (field, rest) = rest.split_at_checked(len).ok_or_else(|| odd_row("a column that ends beyond it"))?;
        self.0 = rest;
        Ok(field)
    }

    #[inline(always)]
    fn end(&self) -> Result<(), StoreError> {
        if self.0.is_empty() { Ok(()) } else { Err(odd_row("more than its columns")) }
    }
}
