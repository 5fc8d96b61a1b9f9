//! What is sent for an operation over one connection, and what comes back: one statement at a time, as the protocol has it.
//!
//! Statements are those of the blocking driver, in its order: BEGIN with the first write of a transaction, ROLLBACK after what
//! failed in one, COMMIT when the loop says so.

use std::collections::VecDeque;

use mysql::consts::Command;
use mysql_common::constants::MAX_PAYLOAD_LEN;
use mysql_common::io::ParseBuf;
use mysql_common::packets::StmtPacket;

use super::packet::{self, END, ERROR, LOCAL_FILE, OK, Packet, Refusal};
use super::rows::{self, Columns, Prepared};
use super::sign_in::Session;
use crate::adapter::{Answer, Key, Request, Row, RowBuffer, StoreError, Written};
use crate::stores::common::lanes::{Heard, Taken, Talk};
use crate::stores::common::transaction::Transaction;
use crate::stores::mysql_family::connection::{DEADLOCK, DUPLICATE_KEY, RETRIES};
use crate::stores::mysql_family::statements::{Params, Statements};
use crate::stores::mysql_family::table::Table;

/// So many bytes of rows are kept before they are given.
const KEPT_BYTES: usize = 1 << 20;
/// Where the number of a statement stands in what executes it, behind the packet's head.
const STATEMENT_AT: std::ops::Range<usize> = 5..9;

/// The protocol, with the tables of one job.
pub struct MySql {
    table: Table,
    columns: Columns,
}

/// One connection: what was prepared over it, and where it stands.
pub struct Known {
    pub(super) session: Session,
    pub(super) statements: Statements<Prepared>,
    columns: Columns,
    transaction: Transaction,
    /// Number of the packet to come.
    number: u8,
    /// Whether an operation is under way.
    is_busy: bool,
    /// What follows BEGIN, what is repeated after a deadlock, and the parts of a load that are still to be sent.
    next: VecDeque<Part>,
    /// Where the rows of an answer stand.
    reply: Reply,
    row: RowBuffer,
    found: bool,
    kept: Vec<u8>,
    /// What was wrong with a row of an answer that goes on.
    bad: Option<StoreError>,
    pub(super) retries: u64,
}

/// A command that is ready to be sent, and the number of the packet that answers it.
struct Part {
    bytes: Vec<u8>,
    answer: u8,
    /// Of a load whose rows are fewer than the prepared statement takes: the text to prepare first.
    prepares: Option<String>,
}

/// What comes next in an answer with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reply {
    Head,
    /// So many descriptions of columns.
    Columns(usize),
    /// The packet that ends them.
    ColumnsEnd,
    Rows,
}

/// What is awaited for an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    what: What,
    step: Step,
    tries: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Load,
    LoadMany,
    Insert,
    /// An update or a delete.
    Change,
    Increment,
    Commit,
    /// So many columns of one row.
    Read(usize),
    /// So many columns of many rows.
    Rows(usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Begin,
    /// The number of a statement, and so many packets that describe it.
    Prepare,
    Described(usize),
    Execute,
    /// The end of a transaction that failed.
    Rollback(StoreError),
    /// A commit, and what it has to tell afterwards.
    Commit(Result<(), StoreError>),
}

/// What a packet leaves to be done.
enum Then {
    /// More packets come.
    Wait,
    Give(Given),
}

/// What came of an operation.
enum Given {
    Written(Written),
    Incremented,
    Value,
    Rows,
    Failed(StoreError),
}

impl MySql {
    pub(super) fn new(table: &Table) -> MySql {
        MySql { table: table.clone(), columns: Columns::of(table) }
    }
}

impl Known {
    pub(super) fn new(
        session: Session,
        statements: Statements<Prepared>,
        table: &Table,
        transaction: Transaction,
        row: RowBuffer,
    ) -> Known {
        Known {
            session,
            statements,
            columns: Columns::of(table),
            transaction,
            number: 1,
            is_busy: false,
            next: VecDeque::new(),
            reply: Reply::Head,
            row,
            found: false,
            kept: Vec::new(),
            bad: None,
            retries: 0,
        }
    }

    /// Sends a write, or BEGIN where it opens a transaction.
    #[inline(always)]
    fn write(
        &mut self,
        what: What,
        which: fn(&Statements<Prepared>) -> Option<&Prepared>,
        out: &mut Vec<u8>,
        params: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Asked, StoreError> {
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        let execute = |out: &mut Vec<u8>| {
            packet::command(out, |out| {
                statement.begin(out);
                params(out);
            })
        };
        // What makes a counter may deadlock with who makes the same one, and is sent again then.
        if what != What::Increment && !self.transaction.must_begin() {
            self.number = execute(out);
            return Ok(Asked { what, step: Step::Execute, tries: 0 });
        }
        let mut bytes = Vec::new();
        let answer = execute(&mut bytes);
        self.next.push_back(Part { bytes, answer, prepares: None });
        Ok(self.start_parts(what, out))
    }

    /// Sends the first part, or BEGIN before it.
    fn start_parts(&mut self, what: What, out: &mut Vec<u8>) -> Asked {
        if self.transaction.must_begin() {
            self.query("BEGIN", out);
            return Asked { what, step: Step::Begin, tries: 0 };
        }
        let step = self.send_part(what, out);
        Asked { what, step, tries: 0 }
    }

    /// Sends the next part; what may be repeated is kept.
    fn send_part(&mut self, what: What, out: &mut Vec<u8>) -> Step {
        let Some(part) = self.next.front() else { return Step::Execute };
        if let Some(text) = &part.prepares {
            self.number = packet::command(out, |out| {
                out.push(Command::COM_STMT_PREPARE as u8);
                out.extend_from_slice(text.as_bytes());
            });
            return Step::Prepare;
        }
        out.extend_from_slice(&part.bytes);
        self.number = part.answer;
        if what != What::Increment {
            self.next.pop_front();
        }
        Step::Execute
    }

    fn query(&mut self, text: &str, out: &mut Vec<u8>) {
        self.number = packet::command(out, |out| {
            out.push(Command::COM_QUERY as u8);
            out.extend_from_slice(text.as_bytes());
        });
    }

    /// Sends a statement that gives rows.
    #[inline(always)]
    fn ask(
        &mut self,
        what: fn(usize) -> What,
        which: fn(&Statements<Prepared>) -> Option<&Prepared>,
        out: &mut Vec<u8>,
        params: impl FnOnce(&mut Vec<u8>),
    ) -> Result<Asked, StoreError> {
        let statement = which(&self.statements).ok_or(StoreError::Unsupported)?;
        self.number = packet::command(out, |out| {
            statement.begin(out);
            params(out);
        });
        (self.reply, self.found, self.bad) = (Reply::Head, false, None);
        self.kept.clear();
        Ok(Asked { what: what(statement.columns), step: Step::Execute, tries: 0 })
    }

    /// Sends keys, one of them again where they are fewer than the statement has places.
    fn multi_read(&mut self, keys: &[Key], out: &mut Vec<u8>) -> Result<Asked, StoreError> {
        let places = self.statements.select_many.as_ref().map_or(0, |(places, _)| *places);
        let last = keys.last().ok_or_else(|| StoreError::store("a multi-read without keys"))?;
        let padded = keys.iter().chain(std::iter::repeat(last)).take(places);
        fn which(all: &Statements<Prepared>) -> Option<&Prepared> {
            all.select_many.as_ref().map(|(_, statement)| statement)
        }
        self.ask(What::Rows, which, out, |out| padded.for_each(|key| rows::put_key(key, out)))
    }

    fn commit(&mut self, out: &mut Vec<u8>) -> Result<Asked, StoreError> {
        let (is_open, told) = self.transaction.end();
        if !is_open {
            told.clone()?;
        }
        self.query("COMMIT", out);
        Ok(Asked { what: What::Commit, step: Step::Commit(told), tries: 0 })
    }

    /// Takes the next packet of an operation.
    #[inline(always)]
    fn take(&mut self, asked: &mut Asked, packet: &Packet<'_>, out: &mut Vec<u8>) -> Result<Then, String> {
        let kind = packet.kind()?;
        match (&asked.step, asked.what) {
            (Step::Execute, What::Read(columns) | What::Rows(columns)) => {
                self.take_of_rows(asked, columns, kind, packet, out)
            }
            (Step::Execute, _) => self.take_of_write(asked, kind, packet, out),
            _ => self.take_step(asked, kind, packet, out),
        }
    }

    /// A packet that answers neither a write nor a question.
    fn take_step(
        &mut self,
        asked: &mut Asked,
        kind: u8,
        packet: &Packet<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Then, String> {
        let refusal = if kind == ERROR { Some(Refusal::of(&packet.payload)?) } else { None };
        if refusal.is_none() && kind != OK && !matches!(asked.step, Step::Described(_)) {
            return Err(unexpected(kind));
        }
        Ok(match (std::mem::replace(&mut asked.step, Step::Execute), refusal) {
            (Step::Rollback(error), _) => Then::Give(Given::Failed(error)),
            (Step::Commit(told), None) => Then::Give(match told {
                Ok(()) => Given::Written(Written::Done),
                Err(error) => Given::Failed(error),
            }),
            (Step::Commit(_) | Step::Begin, Some(refusal)) => Then::Give(Given::Failed(refusal.told())),
            (Step::Begin, None) => {
                self.transaction.begun();
                asked.step = self.send_part(asked.what, out);
                Then::Wait
            }
            (Step::Prepare, None) => {
                let prepared: StmtPacket = ParseBuf(&packet.payload)
                    .parse(())
                    .map_err(|error| format!("the server's answer to a statement cannot be read: {error}"))?;
                asked.step = self.described(prepared.statement_id(), prepared.num_params().into(), out);
                Then::Wait
            }
            (Step::Described(left), None) => {
                asked.step = match left {
                    0 | 1 => self.send_part(asked.what, out),
                    left => Step::Described(left - 1),
                };
                Then::Wait
            }
            (_, Some(refusal)) => self.fail(asked, refusal.told(), out),
            (Step::Execute, None) => return Err(unexpected(kind)),
        })
    }

    /// Gives the part that waited for it the number of its statement, which is closed behind it.
    fn described(&mut self, id: u32, params: usize, out: &mut Vec<u8>) -> Step {
        if let Some(part) = self.next.front_mut() {
            part.prepares = None;
            patch(&mut part.bytes, id);
            packet::command(&mut part.bytes, |out| {
                out.push(Command::COM_STMT_CLOSE as u8);
                out.extend_from_slice(&id.to_le_bytes());
            });
        }
        match params + usize::from(params > 0 && self.session.marks_ends()) {
            0 => self.send_part(What::LoadMany, out),
            packets => Step::Described(packets),
        }
    }

    /// The answer to a write.
    #[inline(always)]
    fn take_of_write(
        &mut self,
        asked: &mut Asked,
        kind: u8,
        packet: &Packet<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Then, String> {
        match kind {
            OK => {}
            ERROR => return self.refused_write(asked, &Refusal::of(&packet.payload)?, out),
            kind => return Err(unexpected(kind)),
        }
        let matched = packet::affected(&packet.payload, self.session.capabilities)?;
        Ok(Then::Give(match asked.what {
            What::Change if matched == 0 => Given::Written(Written::Missing),
            What::Increment => Given::Incremented,
            What::LoadMany if !self.next.is_empty() => {
                asked.step = self.send_part(asked.what, out);
                return Ok(Then::Wait);
            }
            _ => Given::Written(Written::Done),
        }))
    }

    #[cold]
    fn refused_write(&mut self, asked: &mut Asked, refusal: &Refusal, out: &mut Vec<u8>) -> Result<Then, String> {
        let alone = self.transaction.commits_each();
        Ok(match (refusal.code, asked.what) {
            // The statement alone is undone; the transaction goes on.
            (DUPLICATE_KEY, What::Insert) => Then::Give(Given::Written(Written::Exists)),
            (DUPLICATE_KEY, What::Load) => Then::Give(Given::Failed(StoreError::store("the key exists already"))),
            (DEADLOCK, What::Increment) if alone && asked.tries < RETRIES => {
                asked.tries += 1;
                self.retries += 1;
                asked.step = self.send_part(asked.what, out);
                Then::Wait
            }
            (DEADLOCK, What::Increment) if alone => {
                Then::Give(Given::Failed(StoreError::store(format!("deadlocks, {RETRIES} times one after the other"))))
            }
            _ => self.fail(asked, refusal.told(), out),
        })
    }

    /// Some errors end the transaction and others only the statement; it is ended after all of them.
    #[cold]
    fn fail(&mut self, asked: &mut Asked, error: StoreError, out: &mut Vec<u8>) -> Then {
        let is_gone = matches!(error, StoreError::Disconnected(_));
        if self.transaction.fail(&error) && !is_gone {
            self.query("ROLLBACK", out);
            asked.step = Step::Rollback(error);
            return Then::Wait;
        }
        Then::Give(Given::Failed(error))
    }

    /// A packet of an answer with rows.
    #[inline(always)]
    fn take_of_rows(
        &mut self,
        asked: &mut Asked,
        columns: usize,
        kind: u8,
        packet: &Packet<'_>,
        out: &mut Vec<u8>,
    ) -> Result<Then, String> {
        let payload = &*packet.payload;
        match (self.reply, kind) {
            // A description of a column never begins so.
            (_, ERROR) => {
                let error = Refusal::of(payload)?.told();
                return Ok(self.fail(asked, error, out));
            }
            (Reply::Rows, OK) => self.take_row(asked.what, columns, payload),
            (Reply::Rows, END) if payload.len() < MAX_PAYLOAD_LEN => {
                let given = match (self.bad.take(), asked.what) {
                    (Some(error), _) => Given::Failed(error),
                    (None, What::Read(_)) => Given::Value,
                    (None, _) => Given::Rows,
                };
                return Ok(Then::Give(given));
            }
            (Reply::Head, kind) => self.reply = self.head(columns, kind, payload)?,
            (Reply::Columns(1), _) => self.reply = self.after_columns(),
            (Reply::Columns(left), _) => self.reply = Reply::Columns(left - 1),
            (Reply::ColumnsEnd, END) => self.reply = Reply::Rows,
            (Reply::ColumnsEnd | Reply::Rows, kind) => return Err(unexpected(kind)),
        }
        Ok(Then::Wait)
    }

    fn after_columns(&self) -> Reply {
        if self.session.marks_ends() { Reply::ColumnsEnd } else { Reply::Rows }
    }

    /// The first packet: how many columns there are, and whether they are described.
    #[inline(always)]
    fn head(&self, columns: usize, kind: u8, payload: &[u8]) -> Result<Reply, String> {
        match kind {
            LOCAL_FILE => return Err("the server asked for a file of this machine".into()),
            OK => return Err("the server gave no rows where some were asked for".into()),
            _ => {}
        }
        let mut rest = ParseBuf(payload);
        let count = rest.checked_eat_lenenc_int();
        if count != Some(columns as u64) {
            return Err(format!("the server gave rows of another number of columns than {columns}"));
        }
        let is_described = !self.session.caches_columns || rest.checked_eat_u8() != Some(0);
        Ok(if is_described { Reply::Columns(columns) } else { self.after_columns() })
    }

    #[inline(always)]
    fn take_row(&mut self, what: What, columns: usize, payload: &[u8]) {
        if matches!(what, What::Read(_)) && self.found {
            // A key has one row; of more the first is told.
            return;
        }
        self.row.clear();
        match (self.columns.take(payload, columns, &mut self.row), what) {
            (Err(error), _) => self.bad = Some(error),
            (Ok(Some(seen)), What::Rows(_)) => rows::keep(seen, self.row.raw(), &mut self.kept),
            (Ok(_), _) => self.found = true,
        }
    }

    /// Gives what came of an operation.
    #[inline(always)]
    fn give(&mut self, given: Given, mut give: impl FnMut(Answer<'_>)) {
        self.is_busy = false;
        match given {
            Given::Written(written) => give(Answer::Written(written)),
            Given::Incremented => give(Answer::Incremented),
            Given::Value => give(Answer::Value(self.found.then(|| self.row.raw()))),
            Given::Rows => give(Answer::Rows(&self.kept)),
            Given::Failed(error) => give(Answer::Failed(error)),
        }
    }
}

#[cold]
fn unexpected(kind: u8) -> String {
    format!("the server sent a packet of kind {kind:#04x}, which fits nothing that was asked for")
}

/// Puts the number of a statement into what executes it: it may be in several packets, but never in the head of one.
fn patch(bytes: &mut [u8], id: u32) {
    bytes[STATEMENT_AT].copy_from_slice(&id.to_le_bytes());
}

impl MySql {
    /// One INSERT for as many rows as a statement takes. The last of a load may be shorter and is prepared for itself.
    fn load_many(&self, known: &mut Known, rows: &[Row<'_>], out: &mut Vec<u8>) -> Result<Asked, StoreError> {
        let (most, statement) = known.statements.insert_many.as_ref().ok_or(StoreError::Unsupported)?;
        for rows in rows.chunks((*most).max(1)) {
            let is_whole = rows.len() == *most;
            let mut bytes = Vec::new();
            let answer = packet::command(&mut bytes, |out| {
                match is_whole {
                    true => statement.begin(out),
                    false => out.extend(self.columns.head(0, Params::Rows(rows.len()))),
                }
                rows::put_rows(rows, out);
            });
            let prepares = (!is_whole).then(|| self.table.insert(rows.len()));
            known.next.push_back(Part { bytes, answer, prepares });
        }
        Ok(known.start_parts(What::LoadMany, out))
    }
}

impl Talk for MySql {
    type Asked = Asked;
    type Lane = Known;

    #[inline(always)]
    fn say(&mut self, known: &mut Known, request: &Request<'_>, out: &mut Vec<u8>) -> Result<Asked, StoreError> {
        if known.is_busy {
            return Err(StoreError::store("a connection takes one statement at a time"));
        }
        known.next.clear();
        let asked = match request {
            Request::Read(key) => known.ask(What::Read, |all| all.select.as_ref(), out, |out| rows::put_key(key, out)),
            Request::Load(row) | Request::Insert(row) => {
                let what = if matches!(request, Request::Load(_)) { What::Load } else { What::Insert };
                known.write(what, |all| all.insert.as_ref(), out, |out| rows::put_rows(&[**row], out))
            }
            Request::Update(row) => known.write(
                What::Change,
                |all| all.update.as_ref(),
                out,
                |out| {
                    rows::put_fields(row, out);
                    rows::put_key(&row.key, out);
                },
            ),
            Request::Delete(key) => {
                known.write(What::Change, |all| all.delete.as_ref(), out, |out| rows::put_key(key, out))
            }
            Request::Increment(key) => {
                known.write(What::Increment, |all| all.increment.as_ref(), out, |out| rows::put_int(key.int(), out))
            }
            Request::MultiRead(keys) => known.multi_read(keys, out),
            Request::Scan => known.ask(What::Rows, |all| all.scan.as_ref(), out, |_| ()),
            Request::Latest(rows) => {
                known.ask(What::Rows, |all| all.latest.as_ref(), out, |out| rows::put_int(i64::from(*rows), out))
            }
            Request::Search(range) => known.ask(
                What::Rows,
                |all| all.search.as_ref(),
                out,
                |out| {
                    rows::put_int(range.low, out);
                    rows::put_int(range.high, out);
                },
            ),
            Request::LoadMany(rows) => self.load_many(known, rows, out),
            Request::Commit => known.commit(out),
        }?;
        known.is_busy = true;
        Ok(asked)
    }

    #[inline(always)]
    fn hear(
        known: &mut Known,
        asked: Option<&mut Asked>,
        bytes: &[u8],
        out: &mut Vec<u8>,
        mut give: impl FnMut(Answer<'_>),
    ) -> Result<Option<Heard>, String> {
        let Some(asked) = asked else { return unasked(bytes).map(|()| None) };
        let Some(packet) = packet::first(bytes, known.number)? else { return Ok(None) };
        known.number = packet.next;
        let ends = match known.take(asked, &packet, out)? {
            Then::Give(given) => {
                known.give(given, give);
                true
            }
            Then::Wait => {
                if known.kept.len() >= KEPT_BYTES {
                    give(Answer::SomeRows(&known.kept));
                    known.kept.clear();
                }
                false
            }
        };
        Ok(Some(Heard { taken: Taken::of(packet.len), ends }))
    }
}

/// A server that says something of itself says why it goes away.
#[cold]
fn unasked(bytes: &[u8]) -> Result<(), String> {
    let number = bytes.get(3).copied().unwrap_or(0);
    let Some(packet) = packet::first(bytes, number)? else { return Ok(()) };
    match packet.kind()? {
        ERROR => {
            let Refusal { code, message, .. } = Refusal::of(&packet.payload)?;
            Err(format!("the server ended the connection: {message} (error {code})"))
        }
        _ => Err("the server sent what nobody asked for".into()),
    }
}
