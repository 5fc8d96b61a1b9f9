//! A worker's handle with its statements.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{FieldType, KeyMap, Load, Operation, Phase, ReadScope, ReturnedKey};
use rusqlite::types::ValueRef;
use rusqlite::{Error, Statement, ffi};

use super::handle::{Handle, failed};
use super::prepared::{Prepared, Step};
use super::sql::Sql;
use super::{Sqlite, nothing_open};
use crate::common::syncer::{Syncer, check};
use kurabe_client::adapter::{Answers, Connection, Key, Range, Row, RowBuffer, RowSink, StoreError, WriteOutcome};

/// What a handle has under way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Transaction {
    /// Nothing: every statement commits by itself.
    None,
    /// Writes that wait for their commit.
    Open,
    /// As open, but SQLite rolled earlier writes of it back after an error.
    Torn,
}

struct Statements {
    load: Prepared,
    insert: Prepared,
    read: Prepared,
    update: Prepared,
    delete: Prepared,
    scan: Statement<'static>,
    latest: Statement<'static>,
    begin: Statement<'static>,
    commit: Statement<'static>,
    /// Rows of one request and the statement that writes them.
    many: Option<(usize, Statement<'static>)>,
    multi_read: Option<Prepared>,
    increment: Option<Prepared>,
    search: Option<Statement<'static>>,
}

impl Statements {
    fn prepare(handle: &Handle, sql: &Sql, phase: &Phase) -> Result<Statements, StoreError> {
        // SAFETY: [`SqliteConnection`] holds the statements in a field before the handle, and
        // fields are dropped in order.
        let prepare = |sql: &str| unsafe { handle.prepare(sql) };
        // SAFETY: as above; the handle is open for as long as [`Handle`] lives.
        let bare = |sql: &str| unsafe { Prepared::new(handle.sqlite().handle(), sql) }.map_err(failed);
        let many = match phase.load() {
            Some(Load::Batch { rows }) => Some((rows as usize, prepare(&sql.write("INSERT OR REPLACE", rows))?)),
            None | Some(Load::Row | Load::Bulk { .. }) => None,
        };
        Ok(Statements {
            load: bare(&sql.write("INSERT OR REPLACE", 1))?,
            insert: bare(&sql.write("INSERT", 1))?,
            read: bare(&sql.read())?,
            update: bare(&sql.update())?,
            delete: bare(&sql.delete())?,
            scan: prepare(&sql.scan())?,
            latest: prepare(&sql.latest())?,
            begin: prepare("BEGIN IMMEDIATE")?,
            commit: prepare("COMMIT")?,
            many,
            multi_read: phase.multi_read_rows().map(|rows| bare(&sql.multi_read(rows))).transpose()?,
            increment: phase.does(Operation::Increment).then(|| bare(&sql.increment())).transpose()?,
            search: phase.search().map(|search| prepare(&sql.search(&search.field))).transpose()?,
        })
    }
}

/// A handle with its statements.
pub struct SqliteConnection {
    /// Before the handle: statements must go first. None in a phase whose operation is to open the store.
    statements: Option<Statements>,
    keys: KeyMap,
    /// Types of the fields after the key.
    columns: Vec<FieldType>,
    commit_every: u32,
    transaction: Transaction,
    handle: Handle,
    /// After the handle: its last sync is that of all that the connections of the phase wrote.
    syncer: Option<Arc<Syncer>>,
}

impl SqliteConnection {
    /// Connects with everything prepared that the phase can need.
    pub(super) fn new(store: &Sqlite, phase: &Phase) -> Result<SqliteConnection, StoreError> {
        // A handle that had opened the write-ahead log would spare the others that; this one waits unused.
        let opens = phase.operation() == Operation::Open;
        let handle = if opens { Handle::bare(store)? } else { Handle::open(store)? };
        let statements = (!opens).then(|| Statements::prepare(&handle, &store.sql, phase)).transpose()?;
        let mut connection = SqliteConnection {
            statements,
            keys: store.keys,
            columns: store.columns.clone(),
            commit_every: phase.commit_every,
            transaction: Transaction::None,
            handle,
            syncer: store.syncer(phase)?,
        };
        if phase.read_scope == ReadScope::Snapshot && !opens {
            connection.begin_snapshot(&store.sql)?;
        }
        Ok(connection)
    }

    #[inline(always)]
    fn statements(&mut self) -> Result<&mut Statements, StoreError> {
        self.statements.as_mut().ok_or_else(nothing_open)
    }

    /// Opens the one read transaction of a phase. It ends when the handle is closed.
    fn begin_snapshot(&mut self, sql: &Sql) -> Result<(), StoreError> {
        let sqlite = self.handle.sqlite();
        sqlite.execute_batch("BEGIN").map_err(failed)?;
        // A deferred transaction takes its snapshot at the first read.
        match sqlite.query_row(&format!("SELECT {} FROM {} LIMIT 1", sql.key(), sql.table()), [], |_| Ok(())) {
            Ok(()) | Err(Error::QueryReturnedNoRows) => Ok(()),
            Err(error) => Err(failed(error)),
        }
    }

    /// Begins the transaction of the next `commit_every` writes, where there is more than one.
    #[inline(always)]
    fn begin(&mut self) -> Result<(), StoreError> {
        if self.commit_every > 1 && self.transaction == Transaction::None {
            self.statements()?.begin.raw_execute().map_err(failed)?;
            self.transaction = Transaction::Open;
        }
        Ok(())
    }

    /// Ends a transaction that cannot be committed. Where SQLite ended it by itself there is nothing to end.
    #[cold]
    fn roll_back(&mut self) {
        self.transaction = Transaction::None;
        if !self.handle.sqlite().is_autocommit()
            && let Err(error) = self.handle.sqlite().execute_batch("ROLLBACK")
        {
            // The commit's own error is told already; the next write will fail with this one.
            eprintln!("sqlite: cannot roll back: {error}");
        }
    }

    /// An error of a write; SQLite may have rolled back the whole transaction with it.
    #[cold]
    fn write_failed(&mut self, error: Error) -> StoreError {
        if self.transaction != Transaction::None && self.handle.sqlite().is_autocommit() {
            self.transaction = Transaction::Torn;
        }
        failed(error)
    }
}

/// Binds a key to parameter `at`.
///
/// # Safety
/// `key` must live until the statement was executed.
#[inline(always)]
unsafe fn bind_key(statement: &mut Prepared, at: usize, key: &Key) -> Result<(), Error> {
    if !key.is_text() {
        return statement.bind_int(at, key.int());
    }
    // SAFETY: promised by the caller.
    unsafe { statement.bind_text(at, key.text()) }
}

/// Binds a row, whose key is parameter 1, and runs the statement; returns how many rows it changed.
#[inline(always)]
fn write_row(statement: &mut Prepared, row: &Row<'_>) -> Result<usize, Error> {
    // SAFETY: key and row live until `execute` below has returned.
    unsafe {
        bind_key(statement, 1, &row.key)?;
        for (at, field) in (2..).zip(row.layout.fields(row.raw)) {
            match field {
                FieldValue::Int(number) => statement.bind_int(at, number)?,
                FieldValue::Text(text) => statement.bind_text(at, text)?,
                FieldValue::Bytes(bytes) => statement.bind_bytes(at, bytes)?,
            }
        }
    }
    statement.execute()
}

/// Binds a row of a batch, whose key is parameter `at`; returns the number of the next parameter.
fn bind_row(statement: &mut Statement<'_>, at: usize, row: &Row<'_>) -> Result<usize, Error> {
    if row.key.is_text() {
        statement.raw_bind_parameter(at, row.key.text())?;
    } else {
        statement.raw_bind_parameter(at, row.key.int())?;
    }
    let mut next = at + 1;
    for field in row.layout.fields(row.raw) {
        match field {
            FieldValue::Int(number) => statement.raw_bind_parameter(next, number)?,
            FieldValue::Text(text) => statement.raw_bind_parameter(next, text)?,
            FieldValue::Bytes(bytes) => statement.raw_bind_parameter(next, bytes)?,
        }
        next += 1;
    }
    Ok(next)
}

/// Reads the row of a key: bind, step, copy, reset.
#[inline(always)]
pub(super) fn read_row(
    statement: &mut Prepared,
    key: &Key,
    columns: &[FieldType],
    out: &mut RowBuffer,
) -> Result<bool, StoreError> {
    // SAFETY: the key lives until the statement is reset below.
    unsafe { bind_key(statement, 1, key) }.map_err(failed)?;
    let stepped = statement.step();
    if let Ok(Step::Row) = stepped {
        out.clear();
        for (at, field_type) in columns.iter().enumerate() {
            statement.copy_column(at, *field_type, out);
        }
    }
    // The reset ends the read's own transaction.
    statement.reset();
    stepped.map(|step| step == Step::Row).map_err(failed)
}

/// Copies the columns from `first` on.
#[inline(always)]
fn copy(row: &rusqlite::Row<'_>, first: usize, columns: usize, out: &mut RowBuffer) -> Result<(), Error> {
    for column in first..first + columns {
        match row.get_ref(column)? {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => out.push_bytes(bytes),
            ValueRef::Integer(number) => out.push_int(number),
            // No field is ever written so: what is missing now makes the check fail.
            ValueRef::Real(_) | ValueRef::Null => {}
        }
    }
    Ok(())
}

/// A key as it is given.
fn returned_key<'a>(keys: &KeyMap, key: ValueRef<'a>) -> ReturnedKey<'a> {
    match key {
        ValueRef::Integer(number) => keys.seen_int(number),
        ValueRef::Text(text) => keys.seen_text(text),
        ValueRef::Blob(_) | ValueRef::Real(_) | ValueRef::Null => ReturnedKey::Row(u32::MAX),
    }
}

/// Hands every row of a query over; column 0 is the key.
fn give(
    statement: &mut Statement<'_>,
    keys: &KeyMap,
    columns: usize,
    sink: &mut RowSink<'_>,
) -> Result<(), StoreError> {
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(failed)? {
        let key = returned_key(keys, row.get_ref(0).map_err(failed)?);
        sink.fields(key, |out| copy(row, 1, columns, out).map_err(failed))?;
    }
    Ok(())
}

impl Connection for SqliteConnection {
    #[inline(always)]
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.begin()?;
        let done = write_row(&mut self.statements()?.load, row);
        done.map(|_| ()).map_err(|error| self.write_failed(error))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.begin()?;
        match write_row(&mut self.statements()?.insert, row) {
            Ok(_) => Ok(WriteOutcome::Done),
            Err(Error::SqliteFailure(code, _)) if code.extended_code == ffi::SQLITE_CONSTRAINT_PRIMARYKEY => {
                Ok(WriteOutcome::Exists)
            }
            Err(error) => Err(self.write_failed(error)),
        }
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let statements = self.statements.as_mut().ok_or_else(nothing_open)?;
        read_row(&mut statements.read, key, &self.columns, out)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.begin()?;
        match write_row(&mut self.statements()?.update, row) {
            Ok(changed) => Ok(written(changed)),
            Err(error) => Err(self.write_failed(error)),
        }
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.begin()?;
        let statement = &mut self.statements()?.delete;
        // SAFETY: the key lives until `execute` has returned.
        match unsafe { bind_key(statement, 1, key) }.and_then(|()| statement.execute()) {
            Ok(changed) => Ok(written(changed)),
            Err(error) => Err(self.write_failed(error)),
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        check(&self.syncer)?;
        match std::mem::replace(&mut self.transaction, Transaction::None) {
            Transaction::None => Ok(()),
            Transaction::Open => {
                let committed = self.statements()?.commit.raw_execute();
                committed.map(|_| ()).map_err(|error| {
                    self.roll_back();
                    failed(error)
                })
            }
            Transaction::Torn => {
                self.roll_back();
                Err(StoreError::store("an earlier error rolled back writes of this transaction"))
            }
        }
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let columns = self.columns.len();
        let keys = self.keys;
        give(&mut self.statements()?.scan, &keys, columns, sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let columns = self.columns.len();
        let keys = self.keys;
        let statement = &mut self.statements()?.latest;
        statement.raw_bind_parameter(1, rows).map_err(failed)?;
        give(statement, &keys, columns, sink)
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let columns = self.columns.len();
        let keys = self.keys;
        let statement = self.statements()?.search.as_mut().ok_or(StoreError::Unsupported)?;
        statement.raw_bind_parameter(1, range.low).map_err(failed)?;
        statement.raw_bind_parameter(2, range.high).map_err(failed)?;
        give(statement, &keys, columns, sink)
    }

    /// One `IN` of all keys. Where fewer are asked for than the phase says, the rest stays NULL, which equals no key.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let statements = self.statements.as_mut().ok_or_else(nothing_open)?;
        let statement = statements.multi_read.as_mut().ok_or(StoreError::Unsupported)?;
        for (at, key) in (1..).zip(answers.keys()) {
            // SAFETY: the keys live until the statement is reset below.
            unsafe { bind_key(statement, at, key) }.map_err(failed)?;
        }
        let mut stepped = statement.step();
        while let Ok(Step::Row) = stepped {
            if let Some(out) = answers.found_key(statement.key_column(&self.keys)) {
                for (at, field_type) in (1..).zip(&self.columns) {
                    statement.copy_column(at, *field_type, out);
                }
            }
            stepped = statement.step();
        }
        statement.reset();
        stepped.map(|_| ()).map_err(failed)
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.begin()?;
        let statement = self.statements()?.increment.as_mut().ok_or(StoreError::Unsupported)?;
        match statement.bind_int(1, key.int()).and_then(|()| statement.execute()) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.write_failed(error)),
        }
    }

    /// A full batch is one statement. A shorter one, the last of a worker, is written row by row in one transaction.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        if let Some((batch_rows, statement)) = &mut self.statements()?.many
            && *batch_rows == rows.len()
        {
            let mut at = 1;
            for row in rows {
                at = bind_row(statement, at, row).map_err(failed)?;
            }
            return statement.raw_execute().map(|_| ()).map_err(failed);
        }
        self.statements()?.begin.raw_execute().map_err(failed)?;
        self.transaction = Transaction::Open;
        rows.iter().try_for_each(|row| self.load(row)).and_then(|()| self.commit()).inspect_err(|_| self.roll_back())
    }

    fn retries(&self) -> u64 {
        self.handle.retries.load(Ordering::Relaxed)
    }
}

fn written(changed: usize) -> WriteOutcome {
    if changed == 0 { WriteOutcome::Missing } else { WriteOutcome::Done }
}
