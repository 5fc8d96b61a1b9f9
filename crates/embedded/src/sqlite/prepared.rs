//! A prepared statement without a layer between it and SQLite: what the loop calls for every row.
//!
//! rusqlite copies every bound text (SQLITE_TRANSIENT), since it cannot know how long the caller keeps it. Here the
//! row outlives the step, so it is bound in place, as a C program would do it.

use std::ffi::CString;
use std::os::raw::c_int;

use kurabe_protocol::{FieldType, KeyMap, ReturnedKey};
use rusqlite::{Error, ffi};

use kurabe_client::adapter::RowBuffer;

/// A statement of one handle. It must be dropped before the handle is closed.
pub(super) struct Prepared {
    statement: *mut ffi::sqlite3_stmt,
    database: *mut ffi::sqlite3,
}

// SAFETY: handle and statement belong to one worker; they move to its thread once, when it connects, and are never
// used from two threads.
unsafe impl Send for Prepared {}

/// What a step came to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Row,
    Done,
}

impl Prepared {
    /// Prepares `sql` on a handle.
    ///
    /// # Safety
    /// `database` must be open, and stay open for as long as this value lives.
    pub(super) unsafe fn new(database: *mut ffi::sqlite3, sql: &str) -> Result<Prepared, Error> {
        let text = CString::new(sql)?;
        let mut statement = std::ptr::null_mut();
        // SAFETY: the handle is open, the text ends with a NUL, and SQLite fills `statement` or leaves it null.
        let code = unsafe {
            ffi::sqlite3_prepare_v3(
                database,
                text.as_ptr(),
                -1,
                ffi::SQLITE_PREPARE_PERSISTENT as _,
                &mut statement,
                std::ptr::null_mut(),
            )
        };
        let prepared = Prepared { statement, database };
        if code == ffi::SQLITE_OK { Ok(prepared) } else { Err(prepared.error(code)) }
    }

    /// Binds a number.
    #[inline(always)]
    pub(super) fn bind_int(&mut self, at: usize, value: i64) -> Result<(), Error> {
        // SAFETY: the statement is live; SQLite refuses a parameter that is not there.
        self.checked(unsafe { ffi::sqlite3_bind_int64(self.statement, at as c_int, value) })
    }

    /// Binds a text in place.
    ///
    /// # Safety
    /// `value` must live and stay as it is until the statement was stepped to its end and reset.
    #[inline(always)]
    pub(super) unsafe fn bind_text(&mut self, at: usize, value: &str) -> Result<(), Error> {
        let pointer = value.as_ptr().cast();
        // SAFETY: the caller keeps the text; its length is given, so it needs no NUL.
        let code = unsafe {
            ffi::sqlite3_bind_text(self.statement, at as c_int, pointer, value.len() as c_int, ffi::SQLITE_STATIC())
        };
        self.checked(code)
    }

    /// Binds bytes in place.
    ///
    /// # Safety
    /// As [`Prepared::bind_text`].
    #[inline(always)]
    pub(super) unsafe fn bind_bytes(&mut self, at: usize, value: &[u8]) -> Result<(), Error> {
        let pointer = value.as_ptr().cast();
        // SAFETY: the caller keeps the bytes.
        let code = unsafe {
            ffi::sqlite3_bind_blob(self.statement, at as c_int, pointer, value.len() as c_int, ffi::SQLITE_STATIC())
        };
        self.checked(code)
    }

    /// Runs to the next row or to the end.
    #[inline(always)]
    pub(super) fn step(&mut self) -> Result<Step, Error> {
        // SAFETY: the statement is live.
        match unsafe { ffi::sqlite3_step(self.statement) } {
            ffi::SQLITE_ROW => Ok(Step::Row),
            ffi::SQLITE_DONE => Ok(Step::Done),
            code => Err(self.error(code)),
        }
    }

    /// Ends the run; in autocommit that ends the transaction too.
    #[inline(always)]
    pub(super) fn reset(&mut self) {
        // SAFETY: the statement is live. The code repeats the error of the last step, which is told already.
        unsafe { ffi::sqlite3_reset(self.statement) };
    }

    /// Runs a statement that gives no rows; returns how many rows it changed.
    #[inline(always)]
    pub(super) fn execute(&mut self) -> Result<usize, Error> {
        let stepped = self.step();
        // The count is that of the last statement of the handle that changed anything, so it is taken before the reset.
        // SAFETY: the handle is open.
        let changed = unsafe { ffi::sqlite3_changes64(self.database) };
        self.reset();
        stepped.map(|_| usize::try_from(changed).unwrap_or(0))
    }

    /// Copies a column of the current row; the type is the schema's, so a value of another type fails the check.
    #[inline(always)]
    pub(super) fn copy_column(&mut self, at: usize, field_type: FieldType, out: &mut RowBuffer) {
        let at = at as c_int;
        // SAFETY: a row is current. The bytes stay valid until the next step or reset, and they are copied here; the
        // length is asked for after the pointer, as SQLite's manual demands.
        unsafe {
            let bytes = match field_type {
                FieldType::Int64 => return out.push_int(ffi::sqlite3_column_int64(self.statement, at)),
                // Asked for as text, SQLite would first copy it to put a NUL behind it, which nobody needs here.
                FieldType::Text | FieldType::Bytes => ffi::sqlite3_column_blob(self.statement, at).cast::<u8>(),
            };
            let len = ffi::sqlite3_column_bytes(self.statement, at);
            if !bytes.is_null() && len > 0 {
                out.push_bytes(std::slice::from_raw_parts(bytes, len as usize));
            } else if ffi::sqlite3_column_type(self.statement, at) != ffi::SQLITE_NULL {
                // An empty blob has no pointer, nor has NULL, which no field is ever written as.
                out.push_bytes(&[]);
            }
        }
    }

    /// The key, which is the first column.
    #[inline(always)]
    pub(super) fn key_column(&mut self, keys: &KeyMap) -> ReturnedKey<'_> {
        // SAFETY: a row is current, and what is answered borrows the statement, so no step comes in between; the length
        // is asked for after the pointer.
        unsafe {
            if !keys.is_text() {
                return keys.seen_int(ffi::sqlite3_column_int64(self.statement, 0));
            }
            let text = ffi::sqlite3_column_text(self.statement, 0);
            let len = ffi::sqlite3_column_bytes(self.statement, 0);
            if text.is_null() || len <= 0 {
                return ReturnedKey::Row(u32::MAX);
            }
            keys.seen_text(std::slice::from_raw_parts(text.cast::<u8>(), len as usize))
        }
    }

    #[inline(always)]
    fn checked(&self, code: c_int) -> Result<(), Error> {
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.error(code)) }
    }

    #[cold]
    fn error(&self, code: c_int) -> Error {
        // SAFETY: the handle is open; SQLite's message is copied at once.
        let (extended, message) = unsafe {
            let message = std::ffi::CStr::from_ptr(ffi::sqlite3_errmsg(self.database));
            (ffi::sqlite3_extended_errcode(self.database), message.to_string_lossy().into_owned())
        };
        let code = if extended & 0xff == code & 0xff { extended } else { code };
        Error::SqliteFailure(ffi::Error::new(code), Some(message))
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: made by `sqlite3_prepare_v3` and finalized once; a null statement is allowed.
        unsafe { ffi::sqlite3_finalize(self.statement) };
    }
}
