//! The C interface of DuckDB, and owners of what it hands out. The only place that calls the library.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use super::sql::Settings;
use crate::common::library::functions;
use kurabe_client::adapter::StoreError;

/// A handle of the library.
type Handle = *mut c_void;

/// A `duckdb_result`; its public fields are all deprecated.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawAnswer {
    counts: [u64; 3],
    columns: *mut c_void,
    error: *mut c_char,
    data: *mut c_void,
}

const NOTHING: RawAnswer = RawAnswer {
    counts: [0; 3],
    columns: std::ptr::null_mut(),
    error: std::ptr::null_mut(),
    data: std::ptr::null_mut(),
};

/// A text or bytes value in a vector: up to 12 bytes lie in it, more behind a pointer.
#[repr(C)]
#[derive(Clone, Copy)]
struct Text {
    len: u32,
    prefix: [u8; 4],
    pointer: *const u8,
}

/// Most bytes that lie in a [`Text`] itself.
const INLINED: u32 = 12;

functions! {
    Functions {
        create_config: fn(*mut Handle) -> c_int;
        set_config: fn(Handle, *const c_char, *const c_char) -> c_int;
        destroy_config: fn(*mut Handle);
        open_ext: fn(*const c_char, *mut Handle, Handle, *mut *mut c_char) -> c_int;
        close: fn(*mut Handle);
        connect: fn(Handle, *mut Handle) -> c_int;
        disconnect: fn(*mut Handle);
        free: fn(*mut c_void);
        library_version: fn() -> *const c_char;
        query: fn(Handle, *const c_char, *mut RawAnswer) -> c_int;
        prepare: fn(Handle, *const c_char, *mut Handle) -> c_int;
        prepare_error: fn(Handle) -> *const c_char;
        destroy_prepare: fn(*mut Handle);
        bind_int64: fn(Handle, u64, i64) -> c_int;
        bind_varchar_length: fn(Handle, u64, *const c_char, u64) -> c_int;
        bind_blob: fn(Handle, u64, *const c_void, u64) -> c_int;
        execute_prepared: fn(Handle, *mut RawAnswer) -> c_int;
        rows_changed: fn(*mut RawAnswer) -> u64;
        result_error: fn(*mut RawAnswer) -> *const c_char;
        destroy_result: fn(*mut RawAnswer);
        fetch_chunk: fn(RawAnswer) -> Handle;
        data_chunk_get_size: fn(Handle) -> u64;
        data_chunk_get_vector: fn(Handle, u64) -> Handle;
        vector_get_data: fn(Handle) -> *mut c_void;
        destroy_data_chunk: fn(*mut Handle);
        appender_create: fn(Handle, *const c_char, *const c_char, *mut Handle) -> c_int;
        append_int64: fn(Handle, i64) -> c_int;
        append_varchar_length: fn(Handle, *const c_char, u64) -> c_int;
        append_blob: fn(Handle, *const c_void, u64) -> c_int;
        appender_end_row: fn(Handle) -> c_int;
        appender_flush: fn(Handle) -> c_int;
        appender_error: fn(Handle) -> *const c_char;
        appender_destroy: fn(*mut Handle) -> c_int;
    }
}

/// What the library says went wrong.
///
/// # Safety
/// `text` must be null or a C string that is there until this returns.
unsafe fn error_of(text: *const c_char) -> StoreError {
    if text.is_null() {
        return StoreError::store("DuckDB failed without a word");
    }
    // SAFETY: the caller vouches for it.
    StoreError::store(unsafe { CStr::from_ptr(text) }.to_string_lossy())
}

fn c_text(text: &str) -> Result<CString, StoreError> {
    CString::new(text).map_err(StoreError::store)
}

impl Functions {
    /// The version of the library.
    pub fn version(&self) -> String {
        // SAFETY: a constant text of the library.
        unsafe { CStr::from_ptr((self.library_version)()) }.to_string_lossy().into_owned()
    }

    fn config(&self, settings: &Settings) -> Result<Handle, StoreError> {
        let mut config = std::ptr::null_mut();
        // SAFETY: the place for the handle is ours; on failure nothing was made.
        if unsafe { (self.create_config)(&mut config) } != 0 {
            return Err(StoreError::store("DuckDB cannot make a configuration"));
        }
        for (name, value) in settings {
            let (name_text, value_text) = (c_text(name)?, c_text(value)?);
            // SAFETY: the handle is alive and both texts are copied.
            if unsafe { (self.set_config)(config, name_text.as_ptr(), value_text.as_ptr()) } != 0 {
                // SAFETY: made above.
                unsafe { (self.destroy_config)(&mut config) };
                return Err(StoreError::store(format!("DuckDB does not take '{value}' for {name}")));
            }
        }
        Ok(config)
    }
}

/// An open file. Only one may be open in a process, and no other process can open it meanwhile.
pub struct Database {
    functions: &'static Functions,
    raw: Handle,
    /// Whether the file is attached beside an empty database in memory, so that every session has to turn to it.
    is_attached: bool,
}

/// Name of an attached file.
const ATTACHED: &str = "kurabe_file";

// SAFETY: a database may be used by any number of threads; connections belong to one each.
unsafe impl Send for Database {}
// SAFETY: as above.
unsafe impl Sync for Database {}

impl Database {
    /// Opens the file. Without a log it is attached, since only that takes a mode of recovery.
    pub(super) fn open(
        functions: &'static Functions,
        path: &Path,
        settings: &Settings,
        without_log: bool,
    ) -> Result<Database, StoreError> {
        if !without_log {
            let path = CString::new(path.as_os_str().as_encoded_bytes()).map_err(StoreError::store)?;
            return Database::open_first(functions, &path, settings);
        }
        let name =
            path.to_str().ok_or_else(|| StoreError::store("the folder's name is not UTF-8"))?.replace('\'', "''");
        let memory = Arc::new(Database::open_first(functions, c":memory:", settings)?);
        let attach = format!("ATTACH '{name}' AS {ATTACHED} (RECOVERY_MODE no_wal_writes)");
        Session::new(&memory)?.run(&attach)?;
        let mut database = Arc::into_inner(memory).ok_or_else(|| StoreError::store("the database is still in use"))?;
        database.is_attached = true;
        Ok(database)
    }

    fn open_first(functions: &'static Functions, path: &CStr, settings: &Settings) -> Result<Database, StoreError> {
        let mut config = functions.config(settings)?;
        let (mut raw, mut error) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: all pointers are alive during the call; an error's text is ours to free.
        unsafe {
            let opened = (functions.open_ext)(path.as_ptr(), &mut raw, config, &mut error);
            (functions.destroy_config)(&mut config);
            if opened != 0 {
                let failed = error_of(error);
                (functions.free)(error.cast());
                return Err(failed);
            }
        }
        Ok(Database { functions, raw, is_attached: false })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // SAFETY: opened by `open`; every session holds the database, so none is left.
        unsafe { (self.functions.close)(&mut self.raw) }
    }
}

/// A connection. It belongs to one thread.
pub struct Session {
    functions: &'static Functions,
    raw: Handle,
    _database: Arc<Database>,
}

impl Session {
    pub fn new(database: &Arc<Database>) -> Result<Session, StoreError> {
        let functions = database.functions;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the database is open and held by the session.
        if unsafe { (functions.connect)(database.raw, &mut raw) } != 0 {
            return Err(StoreError::store("DuckDB refuses the connection"));
        }
        let session = Session { functions, raw, _database: database.clone() };
        if database.is_attached {
            session.run(&format!("USE {ATTACHED}"))?;
        }
        Ok(session)
    }

    /// Runs `sql`, which may be several statements.
    pub fn run(&self, sql: &str) -> Result<Answer, StoreError> {
        let sql = c_text(sql)?;
        let mut answer = Answer { functions: self.functions, raw: NOTHING };
        // SAFETY: session, text and the place for the answer are alive.
        let state = unsafe { (self.functions.query)(self.raw, sql.as_ptr(), &mut answer.raw) };
        answer.checked(state)
    }

    /// Prepares one statement.
    pub fn prepare(self: &Rc<Session>, sql: &str) -> Result<Statement, StoreError> {
        let text = c_text(sql)?;
        let mut statement = Statement { functions: self.functions, raw: std::ptr::null_mut(), _session: self.clone() };
        // SAFETY: as above; a statement is there to be asked and destroyed on failure too.
        unsafe {
            if (self.functions.prepare)(self.raw, text.as_ptr(), &mut statement.raw) != 0 {
                return Err(error_of((self.functions.prepare_error)(statement.raw)));
            }
        }
        Ok(statement)
    }

    /// A writer of whole rows into `table` that goes past SQL.
    pub fn appender(self: &Rc<Session>, table: &str) -> Result<Appender, StoreError> {
        let table = c_text(table)?;
        let mut appender = Appender { functions: self.functions, raw: std::ptr::null_mut(), _session: self.clone() };
        // SAFETY: as above; no schema means the usual one.
        let state =
            unsafe { (self.functions.appender_create)(self.raw, std::ptr::null(), table.as_ptr(), &mut appender.raw) };
        appender.checked(state).map(|()| appender)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: statements and appenders hold the session, so none is left. An open transaction is rolled back.
        unsafe { (self.functions.disconnect)(&mut self.raw) }
    }
}

/// A value to be bound.
#[derive(Clone, Copy)]
pub enum Value<'a> {
    Int(i64),
    Text(&'a [u8]),
    Bytes(&'a [u8]),
}

/// A prepared statement.
pub struct Statement {
    functions: &'static Functions,
    raw: Handle,
    _session: Rc<Session>,
}

impl Statement {
    /// Binds parameter `at`, counted from 1. The value is copied.
    #[inline(always)]
    pub fn bind(&mut self, at: usize, value: Value<'_>) -> Result<(), StoreError> {
        let (functions, at) = (self.functions, at as u64);
        // SAFETY: the statement is alive; the library copies the value.
        let state = unsafe {
            match value {
                Value::Int(number) => (functions.bind_int64)(self.raw, at, number),
                Value::Text(text) => {
                    (functions.bind_varchar_length)(self.raw, at, text.as_ptr().cast(), text.len() as u64)
                }
                Value::Bytes(bytes) => (functions.bind_blob)(self.raw, at, bytes.as_ptr().cast(), bytes.len() as u64),
            }
        };
        if state == 0 { Ok(()) } else { Err(StoreError::store(format!("DuckDB does not take parameter {at}"))) }
    }

    #[inline(always)]
    pub fn execute(&mut self) -> Result<Answer, StoreError> {
        let mut answer = Answer { functions: self.functions, raw: NOTHING };
        // SAFETY: the statement and the place for the answer are alive.
        let state = unsafe { (self.functions.execute_prepared)(self.raw, &mut answer.raw) };
        answer.checked(state)
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: made by `prepare` and destroyed here alone.
        unsafe { (self.functions.destroy_prepare)(&mut self.raw) }
    }
}

/// What a statement answered.
pub struct Answer {
    functions: &'static Functions,
    raw: RawAnswer,
}

impl Answer {
    fn checked(mut self, state: c_int) -> Result<Answer, StoreError> {
        if state == 0 {
            return Ok(self);
        }
        // SAFETY: a failed answer has a text until it is destroyed.
        Err(unsafe { error_of((self.functions.result_error)(&mut self.raw)) })
    }

    /// Rows that the statement wrote.
    #[inline(always)]
    pub fn changed(&mut self) -> u64 {
        // SAFETY: the answer is alive.
        unsafe { (self.functions.rows_changed)(&mut self.raw) }
    }

    /// The next rows, if there are any left.
    #[inline(always)]
    pub fn rows(&mut self) -> Option<Rows<'_>> {
        // SAFETY: as above; the library takes the structure by value and keeps its own state behind it.
        let raw = unsafe { (self.functions.fetch_chunk)(self.raw) };
        if raw.is_null() {
            return None;
        }
        // SAFETY: the chunk is alive.
        let len = unsafe { (self.functions.data_chunk_get_size)(raw) } as usize;
        Some(Rows { answer: self, raw, len })
    }

    /// The one number that it holds.
    pub fn number(mut self) -> Result<i64, StoreError> {
        let rows = self.rows().filter(|rows| rows.len > 0);
        rows.map(|rows| rows.column(0).int(0)).ok_or_else(|| StoreError::store("DuckDB gave no row"))
    }

    /// The one text that it holds.
    pub fn text(mut self) -> Result<String, StoreError> {
        let rows = self.rows().filter(|rows| rows.len > 0);
        let text = rows.map(|rows| String::from_utf8_lossy(rows.column(0).bytes(0)).into_owned());
        text.ok_or_else(|| StoreError::store("DuckDB gave no row"))
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // SAFETY: filled by one call and destroyed here alone.
        unsafe { (self.functions.destroy_result)(&mut self.raw) }
    }
}

/// Some rows of an answer, column by column.
pub struct Rows<'a> {
    answer: &'a Answer,
    raw: Handle,
    /// How many there are.
    pub len: usize,
}

impl Rows<'_> {
    /// A column; the statement must have it.
    #[inline(always)]
    pub fn column(&self, at: usize) -> Column<'_> {
        let functions = self.answer.functions;
        // SAFETY: the chunk is alive, and the column is one that the statement asked for.
        let data = unsafe { (functions.vector_get_data)((functions.data_chunk_get_vector)(self.raw, at as u64)) };
        Column { data, rows: self }
    }
}

impl Drop for Rows<'_> {
    fn drop(&mut self) {
        // SAFETY: given by `rows` and destroyed here alone.
        unsafe { (self.answer.functions.destroy_data_chunk)(&mut self.raw) }
    }
}

/// A column of some rows, without a null in it.
#[derive(Clone, Copy)]
pub struct Column<'a> {
    data: *const c_void,
    rows: &'a Rows<'a>,
}

impl<'a> Column<'a> {
    /// An int64; the column must be one.
    #[inline(always)]
    pub fn int(self, row: usize) -> i64 {
        assert!(row < self.rows.len);
        // SAFETY: the row is there and the column's type is that of the table or of a count.
        unsafe { *self.data.cast::<i64>().add(row) }
    }

    /// A text or bytes; the column must be one.
    #[inline(always)]
    pub fn bytes(self, row: usize) -> &'a [u8] {
        assert!(row < self.rows.len);
        // SAFETY: the row is there, and its bytes live as long as the chunk.
        unsafe {
            let text = self.data.cast::<Text>().add(row);
            let len = (*text).len;
            let start = if len <= INLINED { (&raw const (*text).prefix).cast::<u8>() } else { (*text).pointer };
            std::slice::from_raw_parts(start, len as usize)
        }
    }
}

/// Writes whole rows past SQL.
pub struct Appender {
    functions: &'static Functions,
    raw: Handle,
    _session: Rc<Session>,
}

impl Appender {
    fn checked(&self, state: c_int) -> Result<(), StoreError> {
        if state == 0 {
            return Ok(());
        }
        // SAFETY: the appender is alive, also after it failed.
        Err(unsafe { error_of((self.functions.appender_error)(self.raw)) })
    }

    /// The next value of the row.
    #[inline(always)]
    pub fn append(&mut self, value: Value<'_>) -> Result<(), StoreError> {
        let functions = self.functions;
        // SAFETY: the appender is alive; the library copies the value.
        let state = unsafe {
            match value {
                Value::Int(number) => (functions.append_int64)(self.raw, number),
                Value::Text(text) => {
                    (functions.append_varchar_length)(self.raw, text.as_ptr().cast(), text.len() as u64)
                }
                Value::Bytes(bytes) => (functions.append_blob)(self.raw, bytes.as_ptr().cast(), bytes.len() as u64),
            }
        };
        self.checked(state)
    }

    /// The row is whole.
    #[inline(always)]
    pub fn end_row(&mut self) -> Result<(), StoreError> {
        // SAFETY: as above.
        self.checked(unsafe { (self.functions.appender_end_row)(self.raw) })
    }

    /// Hands all rows to the table; commits them where no transaction is open.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        // SAFETY: as above.
        self.checked(unsafe { (self.functions.appender_flush)(self.raw) })
    }
}

impl Drop for Appender {
    fn drop(&mut self) {
        // SAFETY: made by `appender` and destroyed here alone; rows are flushed by the commit before.
        unsafe { (self.functions.appender_destroy)(&mut self.raw) };
    }
}
