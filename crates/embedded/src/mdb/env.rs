//! An open environment, its transactions and cursors. The only place that calls the libraries.

use std::ffi::{CString, c_int, c_uint};
use std::path::Path;
use std::sync::Arc;

use super::engine::{Engine, Piece, RawCursor, RawEnv, RawTxn, number};
use super::settings::Settings;
use kurabe_client::adapter::StoreError;

/// Readers at a time over all processes; the libraries' own number is 126 or less.
const READERS: u32 = 2048;

/// Key and value of a row, as they lie in the map.
type KeyValue<'a> = (&'a [u8], &'a [u8]);

/// An open environment with its one database.
pub struct Environment<E: Engine> {
    engine: E,
    raw: *mut RawEnv,
    rows: c_uint,
}

// SAFETY: an environment may be used by any number of threads; transactions belong to one each.
unsafe impl<E: Engine> Send for Environment<E> {}
// SAFETY: as above.
unsafe impl<E: Engine> Sync for Environment<E> {}

impl<E: Engine> Environment<E> {
    pub fn open(engine: E, folder: &Path, settings: &Settings) -> Result<Environment<E>, StoreError> {
        let path = CString::new(folder.as_os_str().as_encoded_bytes()).map_err(StoreError::store)?;
        let (mut raw, mut rows) = (std::ptr::null_mut(), 0);
        // SAFETY: the place for the environment is ours.
        let created = unsafe { engine.create(&mut raw) };
        let mut environment = Environment { engine, raw, rows };
        environment.checked(created)?;
        // SAFETY: the environment was made and is closed when it is dropped. The folder was made for this job, and nobody
        // changes its files but the library, whose lock file is used.
        unsafe {
            environment.checked(engine.set_map_bytes(environment.raw, settings.map_bytes))?;
            environment.checked(engine.set_readers(environment.raw, READERS))?;
            environment.checked(engine.open(environment.raw, path.as_ptr(), settings.flags))?;
        }
        let txn = environment.begin(0)?;
        // SAFETY: the transaction is alive, and no other opens a database in this process.
        environment.checked(unsafe { engine.rows(txn.raw, &mut rows) })?;
        txn.commit()?;
        environment.rows = rows;
        Ok(environment)
    }

    #[inline(always)]
    fn checked(&self, code: c_int) -> Result<(), StoreError> {
        if code == number::DONE { Ok(()) } else { Err(self.failed(code)) }
    }

    #[cold]
    fn failed(&self, code: c_int) -> StoreError {
        StoreError::Store(self.engine.words(code))
    }

    /// A number that the library tells of an environment.
    fn query<T: Default>(&self, ask: impl FnOnce(*mut RawEnv, &mut T) -> c_int) -> Result<T, StoreError> {
        let mut value = T::default();
        self.checked(ask(self.raw, &mut value))?;
        Ok(value)
    }

    pub fn flags(&self) -> Result<c_uint, StoreError> {
        // SAFETY: the environment is open, here and in the two below.
        self.query(|env, flags| unsafe { self.engine.flags(env, flags) })
    }

    pub fn map_bytes(&self) -> Result<usize, StoreError> {
        // SAFETY: as above.
        self.query(|env, bytes| unsafe { self.engine.map_bytes(env, bytes) })
    }

    pub fn readers(&self) -> Result<c_uint, StoreError> {
        // SAFETY: as above.
        self.query(|env, readers| unsafe { self.engine.readers(env, readers) })
    }

    /// Syncs what commits left unsynced.
    pub fn sync(&self) -> Result<(), StoreError> {
        // SAFETY: as above.
        self.checked(unsafe { self.engine.sync(self.raw) })
    }

    /// A transaction: with [`number::READ_ONLY`] one that reads, else one that waits until no other writes.
    #[inline(always)]
    pub fn begin(&self, flags: c_uint) -> Result<Txn<'_, E>, StoreError> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: the environment is open.
        self.checked(unsafe { self.engine.begin(self.raw, flags, &mut raw) })?;
        Ok(Txn { environment: self, raw })
    }

    /// As [`Environment::begin`], to be kept beside the environment.
    ///
    /// # Safety
    /// The environment must be kept for as long as the transaction.
    #[inline(always)]
    pub unsafe fn begin_kept(environment: &Arc<Self>, flags: c_uint) -> Result<Txn<'static, E>, StoreError> {
        // SAFETY: what is in an `Arc` stays where it is; the caller keeps it.
        let environment: &'static Environment<E> = unsafe { &*Arc::as_ptr(environment) };
        environment.begin(flags)
    }
}

impl<E: Engine> Drop for Environment<E> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: made by `open`; transactions borrow the environment, so none is left.
            unsafe { self.engine.close(self.raw) }
        }
    }
}

/// A transaction of one thread; what is not committed is undone.
pub struct Txn<'e, E: Engine> {
    environment: &'e Environment<E>,
    /// Null once it is committed.
    raw: *mut RawTxn,
}

impl<E: Engine> Txn<'_, E> {
    /// Number of entries.
    pub fn entries(&self) -> Result<u64, StoreError> {
        let (environment, mut count) = (self.environment, 0);
        // SAFETY: the transaction is alive, here and in all functions below.
        environment.checked(unsafe { environment.engine.entries(self.raw, environment.rows, &mut count) })?;
        Ok(count)
    }

    /// Removes all entries.
    pub fn clear(&self) -> Result<(), StoreError> {
        let environment = self.environment;
        // SAFETY: as above.
        environment.checked(unsafe { environment.engine.clear(self.raw, environment.rows) })
    }

    /// The value of a key: bytes in the map, which stay until the transaction ends or writes.
    #[inline(always)]
    pub fn get(&self, key: &[u8]) -> Result<Option<&[u8]>, StoreError> {
        let (environment, mut value) = (self.environment, Piece::NOTHING);
        // SAFETY: as above; the value stays as long as nothing is written, which a writer's `&mut self` keeps away.
        unsafe {
            match environment.engine.get(self.raw, environment.rows, &mut Piece::of::<E>(key), &mut value) {
                number::DONE => Ok(Some(value.bytes::<E>())),
                number::NOT_FOUND => Ok(None),
                code => Err(environment.failed(code)),
            }
        }
    }

    /// Writes an entry; tells the library's number.
    #[inline(always)]
    fn put(&mut self, key: &[u8], value: &[u8], flags: c_uint) -> c_int {
        let (mut key, mut value, environment) = (Piece::of::<E>(key), Piece::of::<E>(value), self.environment);
        // SAFETY: as above; both are copied before the call returns.
        unsafe { environment.engine.put(self.raw, environment.rows, &mut key, &mut value, flags) }
    }

    pub fn cursor(&self) -> Result<Cursor<'_, E>, StoreError> {
        Ok(Cursor { engine: self.environment.engine, raw: self.raw_cursor()?, txn: self })
    }

    fn raw_cursor(&self) -> Result<*mut RawCursor, StoreError> {
        let (environment, mut raw) = (self.environment, std::ptr::null_mut());
        // SAFETY: as above.
        environment.checked(unsafe { environment.engine.cursor(self.raw, environment.rows, &mut raw) })?;
        Ok(raw)
    }

    /// Lets go of what a reading transaction sees and keeps its place in the table of readers.
    #[inline(always)]
    pub fn reset(&self) {
        // SAFETY: as above; no value is borrowed any more where callers are done with it.
        unsafe { self.environment.engine.reset(self.raw) }
    }

    /// Lets a transaction that was reset see what is newest now.
    #[inline(always)]
    pub fn renew(&self) -> Result<(), StoreError> {
        // SAFETY: as above.
        self.environment.checked(unsafe { self.environment.engine.renew(self.raw) })
    }

    pub fn commit(mut self) -> Result<(), StoreError> {
        let raw = std::mem::replace(&mut self.raw, std::ptr::null_mut());
        // SAFETY: as above; the library frees it, also where it fails.
        self.environment.checked(unsafe { self.environment.engine.commit(raw) })
    }
}

impl<E: Engine> Drop for Txn<'_, E> {
    fn drop(&mut self) {
        if !self.raw.is_null() {
            // SAFETY: as above, and nobody uses it any more.
            unsafe { self.environment.engine.abort(self.raw) }
        }
    }
}

/// A place in the order of the keys.
pub struct Cursor<'t, E: Engine> {
    engine: E,
    raw: *mut RawCursor,
    txn: &'t Txn<'t, E>,
}

impl<E: Engine> Cursor<'_, E> {
    /// Goes to the entry that `to` names, from `key` where that needs one; none at the end.
    #[inline(always)]
    pub fn go(&mut self, to: c_uint, key: &[u8]) -> Result<Option<KeyValue<'_>>, StoreError> {
        let (mut key, mut value) = (Piece::of::<E>(key), Piece::NOTHING);
        // SAFETY: the cursor is alive; what it answers stays in the map as long as the transaction is borrowed.
        unsafe {
            match self.engine.go(self.raw, &mut key, &mut value, to) {
                number::DONE => Ok(Some((key.bytes::<E>(), value.bytes::<E>()))),
                number::NOT_FOUND => Ok(None),
                code => Err(self.txn.environment.failed(code)),
            }
        }
    }
}

impl<E: Engine> Drop for Cursor<'_, E> {
    fn drop(&mut self) {
        // SAFETY: made by `Txn::cursor`, whose transaction is still borrowed.
        unsafe { self.engine.close_cursor(self.raw) }
    }
}

/// A transaction that writes, with the one cursor that its updates share.
pub struct Writer<E: Engine> {
    /// Null until an update needs it.
    cursor: *mut RawCursor,
    txn: Txn<'static, E>,
}

impl<E: Engine> Writer<E> {
    pub fn new(txn: Txn<'static, E>) -> Writer<E> {
        Writer { cursor: std::ptr::null_mut(), txn }
    }

    pub fn txn(&self) -> &Txn<'static, E> {
        &self.txn
    }

    #[inline(always)]
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let code = self.txn.put(key, value, 0);
        self.txn.environment.checked(code)
    }

    /// Writes an entry whose key must not exist; tells whether it did.
    #[inline(always)]
    pub fn insert(&mut self, key: &[u8], value: &[u8]) -> Result<bool, StoreError> {
        match self.txn.put(key, value, number::NO_OVERWRITE) {
            number::DONE => Ok(true),
            number::KEY_EXISTS => Ok(false),
            code => Err(self.txn.environment.failed(code)),
        }
    }

    /// Writes an entry behind all others, without a search; tells whether its key belongs there, and does nothing else.
    #[inline(always)]
    pub fn append(&mut self, key: &[u8], value: &[u8]) -> Result<bool, StoreError> {
        match self.txn.put(key, value, number::APPEND) {
            number::DONE => Ok(true),
            code if code == E::NOT_BEHIND => Ok(false),
            code => Err(self.txn.environment.failed(code)),
        }
    }

    /// Replaces the value of a key with one search for both; tells whether the key exists.
    #[inline(always)]
    pub fn update(&mut self, key: &[u8], value: &[u8]) -> Result<bool, StoreError> {
        if self.cursor.is_null() {
            self.cursor = self.txn.raw_cursor()?;
        }
        let environment = self.txn.environment;
        let (mut key, mut value, mut old) = (Piece::of::<E>(key), Piece::of::<E>(value), Piece::NOTHING);
        // SAFETY: the cursor is alive; key and value are copied before the second call returns.
        unsafe {
            match environment.engine.go(self.cursor, &mut key, &mut old, number::AT) {
                number::DONE => {}
                number::NOT_FOUND => return Ok(false),
                code => return Err(environment.failed(code)),
            }
            environment.checked(environment.engine.put_at(self.cursor, &mut key, &mut value, number::CURRENT))?;
        }
        Ok(true)
    }

    /// Removes an entry; tells whether it was there.
    #[inline(always)]
    pub fn delete(&mut self, key: &[u8]) -> Result<bool, StoreError> {
        let environment = self.txn.environment;
        // SAFETY: the transaction is alive.
        match unsafe { environment.engine.delete(self.txn.raw, environment.rows, &mut Piece::of::<E>(key)) } {
            number::DONE => Ok(true),
            number::NOT_FOUND => Ok(false),
            code => Err(environment.failed(code)),
        }
    }

    pub fn commit(mut self) -> Result<(), StoreError> {
        self.close_cursor();
        // The cursor is closed, so nothing is left to be dropped but the transaction.
        let Writer { txn, .. } = &mut self;
        let (environment, raw) = (txn.environment, std::mem::replace(&mut txn.raw, std::ptr::null_mut()));
        Txn { environment, raw }.commit()
    }

    /// Before the transaction ends: one library would free it then, the other never.
    fn close_cursor(&mut self) {
        let cursor = std::mem::replace(&mut self.cursor, std::ptr::null_mut());
        if !cursor.is_null() {
            // SAFETY: made by `update` in a transaction that is still alive.
            unsafe { self.txn.environment.engine.close_cursor(cursor) }
        }
    }
}

impl<E: Engine> Drop for Writer<E> {
    fn drop(&mut self) {
        self.close_cursor();
    }
}
