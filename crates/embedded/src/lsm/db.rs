//! An open database, and what belongs to it: batches, cursors, options. The only place that calls the library.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;
use std::sync::Arc;

use super::api::{
    Cache, Common, ErrorOut, Filter, Options, RawBatch, RawCursor, RawDb, ReadOptions, Snapshot, WriteOptions,
};
use super::engine::Engine;
use super::settings::Settings;
use kurabe_client::adapter::StoreError;

/// The functions of a library, looked up once a process.
pub struct Api<E> {
    pub(super) common: Common,
    pub(super) engine: E,
}

/// An open database.
pub struct Db<E: Engine> {
    pub(super) api: &'static Api<E>,
    pub(super) raw: *mut RawDb,
    _kept: OptionObjects<E>,
}

/// What must outlive an open database, since its options only point to it.
pub struct OptionObjects<E: Engine> {
    api: &'static Api<E>,
    pub(super) cache: Option<*mut Cache>,
    pub(super) filter: Option<*mut Filter>,
}

impl<E: Engine> OptionObjects<E> {
    fn new(api: &'static Api<E>, settings: &Settings) -> OptionObjects<E> {
        // SAFETY: a cache of a size; it is destroyed when this is dropped, as the filter is.
        let cache = settings.block_cache.map(|bytes| unsafe { (api.common.cache_create_lru)(bytes) });
        OptionObjects { api, cache, filter: settings.filter.and_then(|bits| api.engine.filter(bits)) }
    }
}

impl<E: Engine> Drop for OptionObjects<E> {
    fn drop(&mut self) {
        // SAFETY: made by `new`; no database uses them any more.
        unsafe {
            if let Some(cache) = self.cache {
                (self.api.common.cache_destroy)(cache);
            }
            if let Some(filter) = self.filter {
                self.api.engine.destroy_filter(filter);
            }
        }
    }
}

// SAFETY: both libraries allow any number of threads to call an open database at a time; it is closed when the last
// owner drops it.
unsafe impl<E: Engine> Send for Db<E> {}
// SAFETY: as above.
unsafe impl<E: Engine> Sync for Db<E> {}

pub fn chars(bytes: &[u8]) -> *const c_char {
    bytes.as_ptr().cast()
}

impl Common {
    /// Calls a function that reports its error in its last argument.
    #[inline(always)]
    pub fn call<T>(&self, call: impl FnOnce(ErrorOut) -> T) -> Result<T, StoreError> {
        let mut error = std::ptr::null_mut();
        let answer = call(&mut error);
        if error.is_null() { Ok(answer) } else { Err(self.error(error)) }
    }

    /// Takes over an error's text.
    #[cold]
    pub fn error(&self, error: *mut c_char) -> StoreError {
        // SAFETY: the library's text, which is ours to free.
        let message = unsafe { text_at(error) };
        // SAFETY: as above, and nobody uses it any more.
        unsafe { (self.free)(error.cast()) };
        StoreError::Store(message)
    }
}

impl<E: Engine> Api<E> {
    /// Opens the database in `folder`; makes it where there is none.
    pub fn open(&'static self, folder: &Path, settings: &Settings) -> Result<Db<E>, StoreError> {
        let kept = OptionObjects::new(self, settings);
        let raw = self.with_options(folder, Some((settings, &kept)), |options, folder, error| {
            // SAFETY: all pointers are alive during the call.
            unsafe { (self.common.open)(options, folder, error) }
        })?;
        Ok(Db { api: self, raw, _kept: kept })
    }

    /// Removes the files of the database in `folder`, which must not be open.
    pub fn destroy(&self, folder: &Path) -> Result<(), StoreError> {
        self.with_options(folder, None, |options, folder, error| {
            // SAFETY: all pointers are alive during the call.
            unsafe { (self.common.destroy_db)(options, folder, error) }
        })
    }

    /// Does `work` with options and the folder as the library wants them. An open database has its own copy of the
    /// options.
    fn with_options<T>(
        &self,
        folder: &Path,
        settings: Option<(&Settings, &OptionObjects<E>)>,
        work: impl FnOnce(*mut Options, *const c_char, ErrorOut) -> T,
    ) -> Result<T, StoreError> {
        let folder = CString::new(folder.as_os_str().as_encoded_bytes()).map_err(StoreError::store)?;
        let common = &self.common;
        // SAFETY: the options live until they are destroyed below, what is kept longer.
        unsafe {
            let options = (common.options_create)();
            (common.options_set_create_if_missing)(options, 1);
            let set =
                settings.map_or(Ok(()), |(settings, kept)| self.engine.set_options(common, options, settings, kept));
            let done = set.and_then(|()| common.call(|error| work(options, folder.as_ptr(), error)));
            (common.options_destroy)(options);
            done
        }
    }
}

impl<E: Engine> Drop for Db<E> {
    fn drop(&mut self) {
        // SAFETY: opened by `open` and closed here alone.
        unsafe { (self.api.common.close)(self.raw) }
    }
}

/// Options of reads, with a snapshot or without.
pub struct Reading<E: Engine> {
    pub(super) db: Arc<Db<E>>,
    pub(super) options: *mut ReadOptions,
    snapshot: Option<*const Snapshot>,
}

impl<E: Engine> Reading<E> {
    pub fn new(db: &Arc<Db<E>>, of_a_snapshot: bool) -> Reading<E> {
        let common = &db.api.common;
        // SAFETY: the database is open; options and snapshot are released when this is dropped.
        unsafe {
            let options = (common.readoptions_create)();
            let snapshot = of_a_snapshot.then(|| (common.create_snapshot)(db.raw));
            if let Some(snapshot) = snapshot {
                (common.readoptions_set_snapshot)(options, snapshot);
            }
            Reading { db: db.clone(), options, snapshot }
        }
    }

    /// Gives the value of `key` to `take`; `false` where there is none.
    #[inline(always)]
    pub fn get(&self, key: &[u8], take: impl FnOnce(&[u8])) -> Result<bool, StoreError> {
        self.db.api.engine.get(&self.db, self.options, key, take)
    }

    /// A cursor that stands nowhere yet.
    pub fn cursor(&self) -> Cursor<'_, E> {
        // SAFETY: database and options outlive the cursor, which borrows this.
        let raw = unsafe { (self.db.api.common.create_iterator)(self.db.raw, self.options) };
        Cursor { common: &self.db.api.common, raw, _reading: self }
    }
}

impl<E: Engine> Drop for Reading<E> {
    fn drop(&mut self) {
        let common = &self.db.api.common;
        // SAFETY: made in `new` and released here alone; the database is still open.
        unsafe {
            (common.readoptions_destroy)(self.options);
            if let Some(snapshot) = self.snapshot {
                (common.release_snapshot)(self.db.raw, snapshot);
            }
        }
    }
}

/// A place in the order of the keys.
pub struct Cursor<'a, E: Engine> {
    common: &'a Common,
    raw: *mut RawCursor,
    _reading: &'a Reading<E>,
}

impl<E: Engine> Cursor<'_, E> {
    pub fn first(&mut self) {
        // SAFETY: the cursor is alive, here and in all functions below.
        unsafe { (self.common.iter_seek_to_first)(self.raw) }
    }

    /// Goes to the first key that is not below `key`.
    pub fn seek(&mut self, key: &[u8]) {
        // SAFETY: as above; the key lives during the call.
        unsafe { (self.common.iter_seek)(self.raw, chars(key), key.len()) }
    }

    /// Goes to the last key below `key`.
    pub fn seek_before(&mut self, key: &[u8]) {
        self.seek(key);
        if self.valid() {
            self.previous();
        } else {
            // SAFETY: as above.
            unsafe { (self.common.iter_seek_to_last)(self.raw) }
        }
    }

    #[inline(always)]
    pub fn next(&mut self) {
        // SAFETY: as above; callers look at `entry` first.
        unsafe { (self.common.iter_next)(self.raw) }
    }

    #[inline(always)]
    pub fn previous(&mut self) {
        // SAFETY: as above.
        unsafe { (self.common.iter_prev)(self.raw) }
    }

    #[inline(always)]
    fn valid(&self) -> bool {
        // SAFETY: as above.
        unsafe { (self.common.iter_valid)(self.raw) != 0 }
    }

    /// Key and value where it stands; none at the end.
    #[inline(always)]
    pub fn entry(&self) -> Option<(&[u8], &[u8])> {
        if !self.valid() {
            return None;
        }
        let (mut key_len, mut value_len) = (0, 0);
        // SAFETY: a valid cursor has a key and a value; both stay until it moves, which needs `&mut self`.
        unsafe {
            let key = (self.common.iter_key)(self.raw, &mut key_len);
            let value = (self.common.iter_value)(self.raw, &mut value_len);
            Some((slice(key, key_len), slice(value, value_len)))
        }
    }

    /// Whether it ended because of an error.
    pub fn end(&self) -> Result<(), StoreError> {
        // SAFETY: as above.
        self.common.call(|error| unsafe { (self.common.iter_get_error)(self.raw, error) })
    }
}

impl<E: Engine> Drop for Cursor<'_, E> {
    fn drop(&mut self) {
        // SAFETY: made by `cursor` and destroyed here alone.
        unsafe { (self.common.iter_destroy)(self.raw) }
    }
}

/// The bytes at `start`.
///
/// # Safety
/// They must be there for as long as the slice is used; `start` may be null where there are none.
#[inline(always)]
pub unsafe fn slice<'a>(start: *const c_char, len: usize) -> &'a [u8] {
    if len == 0 {
        return &[];
    }
    // SAFETY: the caller vouches for it.
    unsafe { std::slice::from_raw_parts(start.cast(), len) }
}

/// The text at `text`.
///
/// # Safety
/// It must be a C string that is there until this returns.
pub unsafe fn text_at(text: *const c_char) -> String {
    // SAFETY: the caller vouches for it.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Writes, one at a time or gathered in a batch.
pub struct Writing<E: Engine> {
    pub(super) db: Arc<Db<E>>,
    pub(super) options: *mut WriteOptions,
    pub(super) batch: *mut RawBatch,
    /// Whether the batch holds something.
    pub(super) gathered: bool,
}

impl<E: Engine> Writing<E> {
    pub fn new(db: &Arc<Db<E>>, settings: &Settings) -> Writing<E> {
        let common = &db.api.common;
        // SAFETY: both are destroyed when this is dropped.
        let (options, batch) = unsafe { ((common.writeoptions_create)(), (common.writebatch_create)()) };
        // SAFETY: the options were just made.
        unsafe { (common.writeoptions_set_sync)(options, u8::from(settings.sync)) };
        // SAFETY: as above.
        unsafe { db.api.engine.set_write_options(options, settings) };
        Writing { db: db.clone(), options, batch, gathered: false }
    }

    #[inline(always)]
    pub fn put(&self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let common = &self.db.api.common;
        // SAFETY: key and value are copied before the call returns.
        common.call(|error| unsafe {
            let (value, value_len) = (chars(value), value.len());
            (common.put)(self.db.raw, self.options, chars(key), key.len(), value, value_len, error)
        })
    }

    #[inline(always)]
    pub fn delete(&self, key: &[u8]) -> Result<(), StoreError> {
        let common = &self.db.api.common;
        // SAFETY: as above.
        common.call(|error| unsafe { (common.delete)(self.db.raw, self.options, chars(key), key.len(), error) })
    }

    #[inline(always)]
    pub fn gather_put(&mut self, key: &[u8], value: &[u8]) {
        self.gathered = true;
        // SAFETY: as above.
        unsafe {
            (self.db.api.common.writebatch_put)(self.batch, chars(key), key.len(), chars(value), value.len());
        }
    }

    #[inline(always)]
    pub fn gather_delete(&mut self, key: &[u8]) {
        self.gathered = true;
        // SAFETY: as above.
        unsafe { (self.db.api.common.writebatch_delete)(self.batch, chars(key), key.len()) }
    }

    /// Writes what was gathered: all of it or nothing.
    pub fn write_gathered(&mut self) -> Result<(), StoreError> {
        if !std::mem::take(&mut self.gathered) {
            return Ok(());
        }
        let common = &self.db.api.common;
        // SAFETY: batch and options are alive.
        let written = common.call(|error| unsafe { (common.write)(self.db.raw, self.options, self.batch, error) });
        // SAFETY: as above.
        unsafe { (common.writebatch_clear)(self.batch) };
        written
    }
}

impl<E: Engine> Drop for Writing<E> {
    fn drop(&mut self) {
        let common = &self.db.api.common;
        // SAFETY: made in `new` and destroyed here alone.
        unsafe {
            (common.writebatch_destroy)(self.batch);
            (common.writeoptions_destroy)(self.options);
        }
    }
}
