//! `sqlite`: SQLite, bundled, in this process. Rows live in a table with a real column a field.
//!
//! Every worker has its own handle with all statements prepared when it connects and held until it
//! leaves, so that an operation is bind, step, copy and reset and nothing else. A handle that finds
//! the file locked waits in short sleeps inside the operation; the sleeps are counted as retries.

mod prepared;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use kurabe_protocol::schema::Field;
use kurabe_protocol::value::{FieldValue, row_of_text_key};
use kurabe_protocol::{
    Capabilities, FieldType, InsertMode, Job, Layout, LoadPath, Operation, Phase, ReadScope, Schema,
};
use rusqlite::types::ValueRef;
use rusqlite::{Error, ErrorCode, OpenFlags, PrepFlags, Statement, ffi};

use crate::adapter::{Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, Written};
use crate::blocking::BlockingLoop;
use prepared::{Prepared, Step};

/// Pragmas that a job may set, in the order in which they must be set: the size of a page before
/// the first table, WAL before the synchronous level that is checked against it.
const PRAGMAS: [&str; 6] =
    ["page_size", "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint"];
/// Words of the levels that `PRAGMA synchronous` reports as numbers.
const SYNCHRONOUS: [&str; 4] = ["off", "normal", "full", "extra"];
/// First and longest sleep while the file is locked.
const SLEEPS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// A database file.
pub struct Sqlite {
    path: PathBuf,
    pragmas: Vec<(&'static str, String)>,
    sql: Sql,
    /// Longest wait for a lock.
    patience: Duration,
}

impl Store for Sqlite {
    type Shape = BlockingLoop;

    fn open(job: &Job, _layout: &Arc<Layout>) -> Result<Sqlite, StoreError> {
        let dir = job.dir.as_ref().ok_or_else(|| StoreError::store("sqlite needs a folder: the job has no 'dir'"))?;
        if let Some(unknown) = job.settings.keys().find(|name| !PRAGMAS.contains(&name.as_str())) {
            let known = PRAGMAS.join(", ");
            return Err(StoreError::store(format!("sqlite has no setting '{unknown}' here; it has {known}")));
        }
        Ok(Sqlite {
            path: PathBuf::from(dir).join("data.sqlite"),
            pragmas: PRAGMAS.iter().filter_map(|name| Some((*name, job.settings.get(*name)?.clone()))).collect(),
            sql: Sql { table: job.namespace.clone(), schema: job.schema.clone() },
            patience: Duration::from_nanos(job.limits.operation_ns),
        })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            operations: Operation::ALL.into_iter().filter(|operation| *operation != Operation::Mix).collect(),
            key_types: vec![FieldType::Int64, FieldType::Text],
            insert: InsertMode::Exists,
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            max_depth: 1,
            batch: false,
            max_connections: 1024,
            processes: true,
            shared_versions: true,
            // SQLITE_MAX_LENGTH as it is compiled.
            max_value_bytes: 1_000_000_000,
            filler_checked_every: 1,
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("sqlite".into(), rusqlite::version().into())])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.ask("SELECT 1").map(|_: i64| ())
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let version: String = self.ask("SELECT sqlite_version()")?;
        let source: String = self.ask("SELECT sqlite_source_id()")?;
        Ok(Texts::from([("version".into(), version), ("source".into(), source)]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        // A handle that is opened exactly as those of the workers: some of these belong to a handle.
        let handle = Handle::open(self)?;
        let mut texts = Texts::new();
        for name in PRAGMAS {
            let read = handle.sqlite().query_row(&format!("PRAGMA {name}"), [], |row| row.get_ref(0).map(text_of));
            let read = match read {
                Ok(read) => read,
                // mmap_size answers nothing where memory mapping is compiled out.
                Err(Error::QueryReturnedNoRows) => continue,
                Err(error) => return Err(failed(error)),
            };
            let word = (name == "synchronous").then(|| SYNCHRONOUS.get(read.parse::<usize>().ok()?)).flatten();
            texts.insert(name.into(), word.map_or(read, |word| (*word).to_string()));
        }
        Ok(texts)
    }

    fn create(&self) -> Result<(), StoreError> {
        let handle = Handle::open(self)?;
        handle.sqlite().execute_batch(&format!("{};{}", self.sql.drop(), self.sql.create())).map_err(failed)
    }

    fn reset(&self) -> Result<(), StoreError> {
        Handle::open(self)?.sqlite().execute_batch(&self.sql.drop()).map_err(failed)
    }

    fn count(&self) -> Result<u64, StoreError> {
        let rows: i64 = self.ask(&format!("SELECT count(*) FROM {}", self.sql.table()))?;
        u64::try_from(rows).map_err(StoreError::store)
    }

    /// Pages of the database, those that are still in the write-ahead log too, times their size.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let bytes: i64 = self.ask("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?;
        u64::try_from(bytes).map_err(StoreError::store)
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        let detail: String = self.ask("PRAGMA integrity_check(1)")?;
        Ok((detail == "ok", detail))
    }
}

impl Sqlite {
    /// The one value that `sql` answers.
    fn ask<T: rusqlite::types::FromSql>(&self, sql: &str) -> Result<T, StoreError> {
        Handle::open(self)?.sqlite().query_row(sql, [], |row| row.get(0)).map_err(failed)
    }
}

fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => String::new(),
    }
}

impl Blocking for Sqlite {
    type Connection = SqliteConnection;

    fn connect(&self, phase: &Phase) -> Result<SqliteConnection, StoreError> {
        if phase.read_scope == ReadScope::Snapshot && phase.writes() {
            return Err(StoreError::store(format!(
                "phase '{}' writes: one snapshot for all reads is for phases that only read",
                phase.name
            )));
        }
        let handle = Handle::open(self)?;
        let statements = Statements::prepare(&handle, &self.sql, phase)?;
        let mut connection = SqliteConnection {
            statements,
            key_type: self.sql.schema.key().field_type,
            columns: self.sql.schema.values().iter().map(|field| field.field_type).collect(),
            commit_every: phase.commit_every,
            transaction: Transaction::None,
            handle,
        };
        if phase.read_scope == ReadScope::Snapshot {
            connection.begin_snapshot(&self.sql)?;
        }
        Ok(connection)
    }
}

/// The statements' texts.
struct Sql {
    table: String,
    schema: Schema,
}

impl Sql {
    fn table(&self) -> String {
        format!("\"{}\"", self.table)
    }

    fn key(&self) -> String {
        format!("\"{}\"", self.schema.key().name)
    }

    fn create(&self) -> String {
        let column = |field: &Field| {
            let kind = match field.field_type {
                FieldType::Int64 => "INTEGER",
                FieldType::Text => "TEXT",
                FieldType::Bytes => "BLOB",
            };
            format!("\"{}\" {kind}", field.name)
        };
        let values: Vec<String> = self.schema.values().iter().map(column).collect();
        format!("CREATE TABLE {} ({} PRIMARY KEY, {})", self.table(), column(self.schema.key()), values.join(", "))
    }

    fn drop(&self) -> String {
        format!("DROP TABLE IF EXISTS {}", self.table())
    }

    fn values(&self) -> String {
        let names: Vec<String> = self.schema.values().iter().map(|field| format!("\"{}\"", field.name)).collect();
        names.join(", ")
    }

    fn write(&self, verb: &str, rows: u32) -> String {
        let columns = self.schema.fields.len();
        let row = format!("({})", vec!["?"; columns].join(", "));
        let rows = vec![row; rows as usize].join(", ");
        format!("{verb} INTO {} ({}, {}) VALUES {rows}", self.table(), self.key(), self.values())
    }

    /// The key is parameter 1, so that all statements bind alike.
    fn update(&self) -> String {
        let set: Vec<String> =
            (2..).zip(self.schema.values()).map(|(at, field)| format!("\"{}\" = ?{at}", field.name)).collect();
        format!("UPDATE {} SET {} WHERE {} = ?1", self.table(), set.join(", "), self.key())
    }
}

/// A handle at an address of its own, so that statements can be held beside it.
struct Handle {
    sqlite: *mut rusqlite::Connection,
    retries: Arc<AtomicU64>,
}

impl Handle {
    fn open(store: &Sqlite) -> Result<Handle, StoreError> {
        // Each handle belongs to one thread, so SQLite's own mutex around it is not needed.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut sqlite = rusqlite::Connection::open_with_flags(&store.path, flags).map_err(failed)?;
        let retries = Arc::new(AtomicU64::new(0));
        sqlite.busy_handler(Some(wait(retries.clone(), store.patience))).map_err(failed)?;
        for (name, value) in &store.pragmas {
            sqlite.pragma_update(None, name, value).map_err(failed)?;
        }
        Ok(Handle { sqlite: Box::into_raw(Box::new(sqlite)), retries })
    }

    fn sqlite(&self) -> &rusqlite::Connection {
        // SAFETY: the pointer comes from `Box::into_raw` and is freed in `drop` alone; the box is
        // never borrowed mutably after it was made.
        unsafe { &*self.sqlite }
    }

    /// Prepares a statement that may be held beside the handle.
    ///
    /// # Safety
    /// The statement must be dropped before the handle is.
    unsafe fn prepare(&self, sql: &str) -> Result<Statement<'static>, StoreError> {
        // SAFETY: as in `sqlite`; the caller keeps the handle for as long as the statement.
        let sqlite: &'static rusqlite::Connection = unsafe { &*self.sqlite };
        sqlite.prepare_with_flags(sql, PrepFlags::SQLITE_PREPARE_PERSISTENT).map_err(failed)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` in `open`, and nobody else frees it.
        drop(unsafe { Box::from_raw(self.sqlite) });
    }
}

/// What a handle does when another one holds the lock: sleep a little, count it, give up in time.
fn wait(retries: Arc<AtomicU64>, patience: Duration) -> impl FnMut(i32) -> bool + Send + 'static {
    let mut since = Instant::now();
    move |attempt| {
        if attempt == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= patience {
            return false;
        }
        retries.fetch_add(1, Ordering::Relaxed);
        let (first, longest) = SLEEPS;
        std::thread::sleep((first * 2u32.pow(attempt.clamp(0, 8) as u32)).min(longest));
        true
    }
}

fn failed(error: Error) -> StoreError {
    match &error {
        Error::SqliteFailure(code, _) if matches!(code.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Timeout
        }
        _ => StoreError::store(error),
    }
}

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
}

impl Statements {
    fn prepare(handle: &Handle, sql: &Sql, phase: &Phase) -> Result<Statements, StoreError> {
        // SAFETY: [`SqliteConnection`] holds the statements in a field before the handle, and
        // fields are dropped in order.
        let prepare = |sql: &str| unsafe { handle.prepare(sql) };
        // SAFETY: as above; the handle is open for as long as [`Handle`] lives.
        let bare = |sql: &str| unsafe { Prepared::new(handle.sqlite().handle(), sql) }.map_err(failed);
        let (table, key, values) = (sql.table(), sql.key(), sql.values());
        let many = match phase.load_path {
            LoadPath::Batch => {
                Some((phase.batch_rows as usize, prepare(&sql.write("INSERT OR REPLACE", phase.batch_rows))?))
            }
            LoadPath::Row | LoadPath::Bulk => None,
        };
        Ok(Statements {
            load: bare(&sql.write("INSERT OR REPLACE", 1))?,
            insert: bare(&sql.write("INSERT", 1))?,
            read: bare(&format!("SELECT {values} FROM {table} WHERE {key} = ?1"))?,
            update: bare(&sql.update())?,
            delete: bare(&format!("DELETE FROM {table} WHERE {key} = ?1"))?,
            scan: prepare(&format!("SELECT {key}, {values} FROM {table}"))?,
            latest: prepare(&format!("SELECT {key}, {values} FROM {table} ORDER BY {key} DESC LIMIT ?1"))?,
            begin: prepare("BEGIN IMMEDIATE")?,
            commit: prepare("COMMIT")?,
            many,
        })
    }
}

/// A handle with its statements.
pub struct SqliteConnection {
    /// Before the handle: statements must go first.
    statements: Statements,
    key_type: FieldType,
    /// Types of the fields after the key.
    columns: Vec<FieldType>,
    commit_every: u32,
    transaction: Transaction,
    handle: Handle,
}

impl SqliteConnection {
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
            self.statements.begin.raw_execute().map_err(failed)?;
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

/// Binds the key, which is parameter 1.
///
/// # Safety
/// `key` must live until the statement was executed.
#[inline(always)]
unsafe fn bind_key(statement: &mut Prepared, key: &Key, key_type: FieldType) -> Result<(), Error> {
    match key_type {
        FieldType::Int64 => statement.bind_int(1, key.int()),
        // SAFETY: promised by the caller.
        FieldType::Text | FieldType::Bytes => unsafe { statement.bind_text(1, key.text()) },
    }
}

/// Binds a row, whose key is parameter 1, and runs the statement; returns how many rows it changed.
#[inline(always)]
fn write_row(statement: &mut Prepared, row: &Row<'_>, key_type: FieldType) -> Result<usize, Error> {
    // SAFETY: key and row live until `execute` below has returned.
    unsafe {
        bind_key(statement, &row.key, key_type)?;
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
fn bind_row(statement: &mut Statement<'_>, at: usize, row: &Row<'_>, key_type: FieldType) -> Result<usize, Error> {
    match key_type {
        FieldType::Int64 => statement.raw_bind_parameter(at, row.key.int())?,
        FieldType::Text | FieldType::Bytes => statement.raw_bind_parameter(at, row.key.text())?,
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

/// The row's number in its key; `u32::MAX` where the key is none of ours.
fn row_number(key: ValueRef<'_>) -> u32 {
    match key {
        ValueRef::Integer(number) => u32::try_from(number).unwrap_or(u32::MAX),
        ValueRef::Text(text) => row_of_text_key(text).unwrap_or(u32::MAX),
        ValueRef::Blob(_) | ValueRef::Real(_) | ValueRef::Null => u32::MAX,
    }
}

/// Hands every row of a query over; column 0 is the key.
fn give(statement: &mut Statement<'_>, columns: usize, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(failed)? {
        let number = row_number(row.get_ref(0).map_err(failed)?);
        sink.fields(number, |out| copy(row, 1, columns, out).map_err(failed))?;
    }
    Ok(())
}

impl Connection for SqliteConnection {
    #[inline(always)]
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.begin()?;
        let done = write_row(&mut self.statements.load, row, self.key_type);
        done.map(|_| ()).map_err(|error| self.write_failed(error))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        self.begin()?;
        match write_row(&mut self.statements.insert, row, self.key_type) {
            Ok(_) => Ok(Written::Done),
            Err(Error::SqliteFailure(code, _)) if code.extended_code == ffi::SQLITE_CONSTRAINT_PRIMARYKEY => {
                Ok(Written::Exists)
            }
            Err(error) => Err(self.write_failed(error)),
        }
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let statement = &mut self.statements.read;
        // SAFETY: the key lives until the statement is reset below.
        unsafe { bind_key(statement, key, self.key_type) }.map_err(failed)?;
        let stepped = statement.step();
        if let Ok(Step::Row) = stepped {
            out.clear();
            for (at, field_type) in self.columns.iter().enumerate() {
                statement.copy_column(at, *field_type, out);
            }
        }
        // The reset ends the read's own transaction.
        statement.reset();
        stepped.map(|step| step == Step::Row).map_err(failed)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        self.begin()?;
        match write_row(&mut self.statements.update, row, self.key_type) {
            Ok(changed) => Ok(written(changed)),
            Err(error) => Err(self.write_failed(error)),
        }
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        self.begin()?;
        let statement = &mut self.statements.delete;
        // SAFETY: the key lives until `execute` has returned.
        match unsafe { bind_key(statement, key, self.key_type) }.and_then(|()| statement.execute()) {
            Ok(changed) => Ok(written(changed)),
            Err(error) => Err(self.write_failed(error)),
        }
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        match std::mem::replace(&mut self.transaction, Transaction::None) {
            Transaction::None => Ok(()),
            Transaction::Open => {
                let committed = self.statements.commit.raw_execute();
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
        give(&mut self.statements.scan, self.columns.len(), sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.statements.latest.raw_bind_parameter(1, rows).map_err(failed)?;
        give(&mut self.statements.latest, self.columns.len(), sink)
    }

    /// A full batch is one statement. A shorter one, the last of a worker, is written row by row in one transaction.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        if let Some((batch_rows, statement)) = &mut self.statements.many
            && *batch_rows == rows.len()
        {
            let mut at = 1;
            for row in rows {
                at = bind_row(statement, at, row, self.key_type).map_err(failed)?;
            }
            return statement.raw_execute().map(|_| ()).map_err(failed);
        }
        self.statements.begin.raw_execute().map_err(failed)?;
        self.transaction = Transaction::Open;
        rows.iter().try_for_each(|row| self.load(row)).and_then(|()| self.commit()).inspect_err(|_| self.roll_back())
    }

    fn retries(&self) -> u64 {
        self.handle.retries.load(Ordering::Relaxed)
    }
}

fn written(changed: usize) -> Written {
    if changed == 0 { Written::Missing } else { Written::Done }
}
