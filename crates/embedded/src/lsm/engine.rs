//! What differs between the two.

use std::ffi::{CStr, CString, c_char};
use std::path::Path;

use super::api::{Common, Filter, LevelFunctions, Options, ReadOptions, RocksFunctions, WriteOptions};
use super::db::{Db, OptionObjects, Reading, Writing, chars, slice, text_at};
use super::settings::Settings;
use crate::common::library::OpenLibrary;
use crate::common::syncer::SYNC_EVERY;
use kurabe_client::adapter::{Answers, RowBuffer, StoreError, Texts};

/// One of the two.
pub trait Engine: Sized + Send + Sync + 'static {
    /// Name of the store.
    const NAME: &'static str;
    /// What the names of its functions begin with.
    const PREFIX: &'static str;
    /// File name of its library.
    const LIBRARY: &'static str;
    /// What to do where the library is missing or too old.
    const REMEDY: &'static str;
    /// Settings that a job may have.
    const SETTINGS: &'static [&'static str];
    /// Whether it adds to a counter by itself, without a read.
    const MERGES: bool;

    /// Looks up the functions.
    fn of(library: &OpenLibrary) -> Result<Self, StoreError>;

    /// Version of the library; `folder` has a database that it wrote.
    fn version(&self, folder: &Path) -> String;

    /// Settings as the open database reports them.
    fn settings(&self, db: &Db<Self>, writing: &Writing<Self>, folder: &Path) -> Result<Texts, StoreError>;

    /// A filter of so many bits per key, where a database only points to it.
    fn filter(&self, _bits: u8) -> Option<*mut Filter> {
        None
    }

    /// Destroys what [`Engine::filter`] made.
    ///
    /// # Safety
    /// No database may use it any more.
    unsafe fn destroy_filter(&self, _filter: *mut Filter) {}

    /// Sets what an open database needs.
    ///
    /// # Safety
    /// The options must be alive, and what is kept for as long as the database.
    unsafe fn set_options(
        &self,
        common: &Common,
        options: *mut Options,
        settings: &Settings,
        kept: &OptionObjects<Self>,
    ) -> Result<(), StoreError>;

    /// Sets what [`Settings::sync`] does not say.
    ///
    /// # Safety
    /// The options must be alive.
    unsafe fn set_write_options(&self, _options: *mut WriteOptions, _settings: &Settings) {}

    /// Gives the value of `key` to `take`; `false` where there is none.
    fn get(
        &self,
        db: &Db<Self>,
        options: *const ReadOptions,
        key: &[u8],
        take: impl FnOnce(&[u8]),
    ) -> Result<bool, StoreError>;

    /// Reads `keys`, those of `answers`, as well as it can.
    fn multi_get(&self, reading: &Reading<Self>, keys: &mut Keys, answers: &mut Answers) -> Result<(), StoreError>;

    /// Syncs the log with all writes so far; only where a job can ask for it.
    fn sync_log(&self, _db: &Db<Self>) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Adds 1 to a counter, in the batch where `gather` says so; only where [`Engine::MERGES`].
    fn add(&self, _writing: &mut Writing<Self>, _key: &[u8], _gather: bool) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }
}

/// Keys of a multi-read as RocksDB wants them, and room for its answers.
#[derive(Default)]
pub struct Keys {
    starts: Vec<*const c_char>,
    lengths: Vec<usize>,
    values: Vec<*mut c_char>,
    value_lengths: Vec<usize>,
    errors: Vec<*mut c_char>,
}

impl Keys {
    /// Forgets the keys before.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.lengths.clear();
    }

    /// One more key, which must stay where it is until the read is over.
    pub fn push(&mut self, key: &[u8]) {
        self.starts.push(chars(key));
        self.lengths.push(key.len());
    }
}

/// LevelDB.
pub struct LevelDb(LevelFunctions);

impl Engine for LevelDb {
    const NAME: &'static str = "leveldb";
    const PREFIX: &'static str = "leveldb_";
    const LIBRARY: &'static str = "libleveldb.so.1d";
    const REMEDY: &'static str = "install LevelDB 1.18 or newer";
    const SETTINGS: &'static [&'static str] = &["sync", "block_cache", "filter", "write_buffer"];
    const MERGES: bool = false;

    fn of(library: &OpenLibrary) -> Result<LevelDb, StoreError> {
        LevelFunctions::find(library, Self::PREFIX).map(LevelDb)
    }

    fn version(&self, _folder: &Path) -> String {
        // SAFETY: two functions without arguments.
        unsafe { format!("{}.{}", (self.0.major_version)(), (self.0.minor_version)()) }
    }

    /// It has no way to tell any.
    fn settings(&self, _: &Db<LevelDb>, _: &Writing<LevelDb>, _: &Path) -> Result<Texts, StoreError> {
        Err(StoreError::Unsupported)
    }

    fn filter(&self, bits: u8) -> Option<*mut Filter> {
        // SAFETY: a filter of a size, which the caller destroys.
        Some(unsafe { (self.0.filterpolicy_create_bloom)(bits.into()) })
    }

    unsafe fn destroy_filter(&self, filter: *mut Filter) {
        // SAFETY: the caller vouches for it.
        unsafe { (self.0.filterpolicy_destroy)(filter) }
    }

    unsafe fn set_options(
        &self,
        _common: &Common,
        options: *mut Options,
        settings: &Settings,
        kept: &OptionObjects<LevelDb>,
    ) -> Result<(), StoreError> {
        // SAFETY: the caller vouches for the pointers.
        unsafe {
            if let Some(cache) = kept.cache {
                (self.0.options_set_cache)(options, cache);
            }
            if let Some(filter) = kept.filter {
                (self.0.options_set_filter_policy)(options, filter);
            }
            if let Some(bytes) = settings.write_buffer {
                (self.0.options_set_write_buffer_size)(options, bytes);
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn get(
        &self,
        db: &Db<LevelDb>,
        options: *const ReadOptions,
        key: &[u8],
        take: impl FnOnce(&[u8]),
    ) -> Result<bool, StoreError> {
        let common = &db.api.common;
        let mut len = 0;
        // SAFETY: database and options are alive, the key during the call.
        let value =
            common.call(|error| unsafe { (self.0.get)(db.raw, options, chars(key), key.len(), &mut len, error) })?;
        if value.is_null() {
            return Ok(false);
        }
        // SAFETY: `len` bytes that are ours until they are freed, once.
        unsafe {
            take(slice(value, len));
            (common.free)(value.cast());
        }
        Ok(true)
    }

    /// There is no request for many.
    fn multi_get(&self, reading: &Reading<LevelDb>, keys: &mut Keys, answers: &mut Answers) -> Result<(), StoreError> {
        let mut keys = keys.starts.iter().zip(&keys.lengths);
        answers.one_by_one(|_, out: &mut RowBuffer| {
            let Some((start, len)) = keys.next() else { return Ok(false) };
            // SAFETY: the caller keeps the keys where they are.
            reading.get(unsafe { slice(*start, *len) }, |value| out.set_raw(value))
        })
    }
}

/// RocksDB.
pub struct RocksDb(RocksFunctions);

/// Settings in the file in which an open database notes its options.
const NOTED: [&str; 14] = [
    "compression",
    "write_buffer_size",
    "max_write_buffer_number",
    "max_background_jobs",
    "manual_wal_flush",
    "wal_recovery_mode",
    "bytes_per_sync",
    "wal_bytes_per_sync",
    "compaction_pri",
    "level_compaction_dynamic_level_bytes",
    "filter_policy",
    "block_size",
    "cache_index_and_filter_blocks",
    "pin_l0_filter_and_index_blocks_in_cache",
];

impl RocksDb {
    fn property(&self, db: &Db<RocksDb>, name: &CStr) -> Option<String> {
        // SAFETY: the database is open; the answer is null or a text that is ours to free, once.
        unsafe {
            let value = (self.0.property_value)(db.raw, name.as_ptr());
            let text = (!value.is_null()).then(|| text_at(value));
            (db.api.common.free)(value.cast());
            text
        }
    }
}

/// A value in the newest options file of `folder`.
fn noted(folder: &Path, name: &str) -> Option<String> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let number = |file: &String| file.strip_prefix("OPTIONS-").and_then(|number| number.parse::<u64>().ok());
    let newest = entries.filter(|file| number(file).is_some()).max_by_key(number)?;
    let text = std::fs::read_to_string(folder.join(newest)).ok()?;
    let value = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix('='))?;
    Some(value.to_string())
}

impl Engine for RocksDb {
    const NAME: &'static str = "rocksdb";
    const PREFIX: &'static str = "rocksdb_";
    const LIBRARY: &'static str = "librocksdb.so.7.8";
    const REMEDY: &'static str = "install RocksDB 7.8 or newer";
    const SETTINGS: &'static [&'static str] = &["sync", "disable_wal", "block_cache", "filter", "options", SYNC_EVERY];
    const MERGES: bool = true;

    fn of(library: &OpenLibrary) -> Result<RocksDb, StoreError> {
        RocksFunctions::find(library, Self::PREFIX).map(RocksDb)
    }

    /// The C interface does not tell it, but every database notes it.
    fn version(&self, folder: &Path) -> String {
        noted(folder, "rocksdb_version").unwrap_or_default()
    }

    fn settings(&self, db: &Db<RocksDb>, writing: &Writing<RocksDb>, folder: &Path) -> Result<Texts, StoreError> {
        // SAFETY: the write options are those with which every connection writes, and alive.
        let (sync, disable_wal) = unsafe {
            ((self.0.writeoptions_get_sync)(writing.options), (self.0.writeoptions_get_disable_WAL)(writing.options))
        };
        let mut texts = Texts::from([
            ("sync".into(), (sync != 0).to_string()),
            ("disable_wal".into(), (disable_wal != 0).to_string()),
        ]);
        texts.extend(self.property(db, c"rocksdb.block-cache-capacity").map(|bytes| ("block_cache".into(), bytes)));
        texts.extend(NOTED.iter().filter_map(|name| Some(((*name).to_string(), noted(folder, name)?))));
        Ok(texts)
    }

    unsafe fn set_options(
        &self,
        common: &Common,
        options: *mut Options,
        settings: &Settings,
        kept: &OptionObjects<RocksDb>,
    ) -> Result<(), StoreError> {
        // In words, since only a filter that is made of them is noted with its bits.
        let filter = settings
            .filter
            .map(|bits| CString::new(format!("block_based_table_factory={{filter_policy=bloomfilter:{bits}:false;}}")));
        let filter = filter.transpose().map_err(StoreError::store)?;
        // SAFETY: the caller vouches for the pointers; the factory takes a copy of the table options.
        unsafe {
            (self.0.options_set_uint64add_merge_operator)(options);
            if let Some(cache) = kept.cache {
                let table = (self.0.block_based_options_create)();
                (self.0.block_based_options_set_block_cache)(table, cache);
                (self.0.options_set_block_based_table_factory)(options, table);
                (self.0.block_based_options_destroy)(table);
            }
        }
        // What the words do not name stays as it is.
        [&filter, &settings.options].into_iter().flatten().try_for_each(|words| {
            // SAFETY: all pointers are alive during the call, which takes a copy of the options before it changes them: both
            // may be the same.
            common.call(|error| unsafe { (self.0.get_options_from_string)(options, words.as_ptr(), options, error) })
        })
    }

    unsafe fn set_write_options(&self, options: *mut WriteOptions, settings: &Settings) {
        // SAFETY: the caller vouches for the options.
        unsafe { (self.0.writeoptions_disable_WAL)(options, i32::from(settings.disable_wal)) }
    }

    /// Pinned in the cache of blocks, so that the copy of the caller is the only one.
    #[inline(always)]
    fn get(
        &self,
        db: &Db<RocksDb>,
        options: *const ReadOptions,
        key: &[u8],
        take: impl FnOnce(&[u8]),
    ) -> Result<bool, StoreError> {
        // SAFETY: database and options are alive, the key during the call.
        let pinned = db
            .api
            .common
            .call(|error| unsafe { (self.0.get_pinned)(db.raw, options, chars(key), key.len(), error) })?;
        if pinned.is_null() {
            return Ok(false);
        }
        let mut len = 0;
        // SAFETY: the value stays until it is destroyed, once.
        unsafe {
            let value = (self.0.pinnableslice_value)(pinned, &mut len);
            take(slice(value, len));
            (self.0.pinnableslice_destroy)(pinned);
        }
        Ok(true)
    }

    fn multi_get(&self, reading: &Reading<RocksDb>, keys: &mut Keys, answers: &mut Answers) -> Result<(), StoreError> {
        let count = keys.starts.len();
        keys.values.resize(count, std::ptr::null_mut());
        keys.value_lengths.resize(count, 0);
        keys.errors.resize(count, std::ptr::null_mut());
        let common = &reading.db.api.common;
        // SAFETY: all five lists have `count` places; the keys stay during the call.
        unsafe {
            (self.0.multi_get)(
                reading.db.raw,
                reading.options,
                count,
                keys.starts.as_ptr(),
                keys.lengths.as_ptr(),
                keys.values.as_mut_ptr(),
                keys.value_lengths.as_mut_ptr(),
                keys.errors.as_mut_ptr(),
            );
        }
        let mut failed = Ok(());
        for (at, value) in keys.values[..count].iter().enumerate() {
            if !keys.errors[at].is_null() {
                failed = Err(common.error(keys.errors[at]));
            }
            if !value.is_null() {
                // SAFETY: as many bytes as the library says, ours until they are freed, once.
                unsafe {
                    answers.found(at).set_raw(slice(*value, keys.value_lengths[at]));
                    (common.free)(value.cast());
                }
            }
        }
        failed
    }

    fn sync_log(&self, db: &Db<RocksDb>) -> Result<(), StoreError> {
        // SAFETY: the database is open.
        db.api.common.call(|error| unsafe { (self.0.flush_wal)(db.raw, 1, error) })
    }

    fn add(&self, writing: &mut Writing<RocksDb>, key: &[u8], gather: bool) -> Result<(), StoreError> {
        let one = 1u64.to_le_bytes();
        if gather {
            writing.gathered = true;
            // SAFETY: the batch is alive and copies both.
            unsafe { (self.0.writebatch_merge)(writing.batch, chars(key), key.len(), chars(&one), one.len()) };
            return Ok(());
        }
        // SAFETY: database and options are alive; both texts are copied.
        writing.db.api.common.call(|error| unsafe {
            (self.0.merge)(writing.db.raw, writing.options, chars(key), key.len(), chars(&one), one.len(), error)
        })
    }
}
