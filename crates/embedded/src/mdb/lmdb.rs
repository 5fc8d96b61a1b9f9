//! LMDB, compiled in: its functions as they stand.

use std::ffi::{CStr, c_char, c_int, c_uint};
use std::mem::MaybeUninit;

use kurabe_protocol::Job;
use lmdb_master_sys as ffi;

use super::engine::{Engine, Piece, RawCursor, RawEnv, RawTxn, number};
use kurabe_client::adapter::StoreError;

/// LMDB.
#[derive(Clone, Copy)]
pub struct Lmdb;

/// Rights of the files that it makes.
const MODE: ffi::mdb_mode_t = 0o600;

// The numbers that are written out for both libraries are its own.
const _: () = {
    assert!(number::KEY_EXISTS == ffi::MDB_KEYEXIST && number::NOT_FOUND == ffi::MDB_NOTFOUND);
    assert!(number::NO_READAHEAD == ffi::MDB_NORDAHEAD && number::READ_ONLY == ffi::MDB_RDONLY);
    assert!(number::NO_OVERWRITE == ffi::MDB_NOOVERWRITE && number::CURRENT == ffi::MDB_CURRENT);
    assert!(number::APPEND == ffi::MDB_APPEND);
    assert!(number::FIRST == ffi::MDB_FIRST && number::LAST == ffi::MDB_LAST && number::NEXT == ffi::MDB_NEXT);
    assert!(number::PREVIOUS == ffi::MDB_PREV && number::AT == ffi::MDB_SET);
    assert!(number::NOT_BELOW == ffi::MDB_SET_RANGE);
    assert!(size_of::<Piece>() == size_of::<ffi::MDB_val>());
};

// SAFETY of every call: the caller vouches for the pointers, and the types are those behind them.
#[allow(clippy::undocumented_unsafe_blocks, reason = "said once above")]
impl Engine for Lmdb {
    const NAME: &'static str = "lmdb";
    const FILE: &'static str = "data.mdb";
    const LENGTH_FIRST: bool = true;
    const NOT_BEHIND: c_int = ffi::MDB_KEYEXIST;
    const MAX_VALUE_BYTES: u64 = u32::MAX as u64;
    const FLAGS: &'static [(&'static str, c_uint)] = &[
        ("nosync", ffi::MDB_NOSYNC),
        ("nometasync", ffi::MDB_NOMETASYNC),
        ("writemap", ffi::MDB_WRITEMAP),
        ("mapasync", ffi::MDB_MAPASYNC),
    ];

    fn of(_job: &Job) -> Result<Lmdb, StoreError> {
        Ok(Lmdb)
    }

    fn version(self) -> String {
        let (mut major, mut minor, mut patch) = (0, 0, 0);
        unsafe { ffi::mdb_version(&mut major, &mut minor, &mut patch) };
        format!("{major}.{minor}.{patch}")
    }

    fn words(self, code: c_int) -> String {
        unsafe { CStr::from_ptr(ffi::mdb_strerror(code)) }.to_string_lossy().into_owned()
    }

    unsafe fn create(self, env: *mut *mut RawEnv) -> c_int {
        unsafe { ffi::mdb_env_create(env.cast()) }
    }

    unsafe fn set_map_bytes(self, env: *mut RawEnv, bytes: usize) -> c_int {
        unsafe { ffi::mdb_env_set_mapsize(env.cast(), bytes) }
    }

    unsafe fn set_readers(self, env: *mut RawEnv, readers: c_uint) -> c_int {
        unsafe { ffi::mdb_env_set_maxreaders(env.cast(), readers) }
    }

    unsafe fn open(self, env: *mut RawEnv, folder: *const c_char, flags: c_uint) -> c_int {
        unsafe { ffi::mdb_env_open(env.cast(), folder, flags, MODE) }
    }

    unsafe fn close(self, env: *mut RawEnv) {
        unsafe { ffi::mdb_env_close(env.cast()) }
    }

    unsafe fn flags(self, env: *mut RawEnv, flags: *mut c_uint) -> c_int {
        unsafe { ffi::mdb_env_get_flags(env.cast(), flags) }
    }

    unsafe fn map_bytes(self, env: *mut RawEnv, bytes: *mut usize) -> c_int {
        let mut info = MaybeUninit::<ffi::MDB_envinfo>::zeroed();
        unsafe {
            let code = ffi::mdb_env_info(env.cast(), info.as_mut_ptr());
            *bytes = info.assume_init().me_mapsize;
            code
        }
    }

    unsafe fn readers(self, env: *mut RawEnv, readers: *mut c_uint) -> c_int {
        unsafe { ffi::mdb_env_get_maxreaders(env.cast(), readers) }
    }

    #[inline(always)]
    unsafe fn begin(self, env: *mut RawEnv, flags: c_uint, txn: *mut *mut RawTxn) -> c_int {
        unsafe { ffi::mdb_txn_begin(env.cast(), std::ptr::null_mut(), flags, txn.cast()) }
    }

    #[inline(always)]
    unsafe fn commit(self, txn: *mut RawTxn) -> c_int {
        unsafe { ffi::mdb_txn_commit(txn.cast()) }
    }

    #[inline(always)]
    unsafe fn abort(self, txn: *mut RawTxn) {
        unsafe { ffi::mdb_txn_abort(txn.cast()) }
    }

    #[inline(always)]
    unsafe fn reset(self, txn: *mut RawTxn) {
        unsafe { ffi::mdb_txn_reset(txn.cast()) }
    }

    #[inline(always)]
    unsafe fn renew(self, txn: *mut RawTxn) -> c_int {
        unsafe { ffi::mdb_txn_renew(txn.cast()) }
    }

    unsafe fn rows(self, txn: *mut RawTxn, rows: *mut c_uint) -> c_int {
        unsafe { ffi::mdb_dbi_open(txn.cast(), std::ptr::null(), 0, rows) }
    }

    unsafe fn entries(self, txn: *mut RawTxn, rows: c_uint, count: *mut u64) -> c_int {
        let mut stat = MaybeUninit::<ffi::MDB_stat>::zeroed();
        unsafe {
            let code = ffi::mdb_stat(txn.cast(), rows, stat.as_mut_ptr());
            *count = stat.assume_init().ms_entries as u64;
            code
        }
    }

    unsafe fn clear(self, txn: *mut RawTxn, rows: c_uint) -> c_int {
        unsafe { ffi::mdb_drop(txn.cast(), rows, 0) }
    }

    #[inline(always)]
    unsafe fn get(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece, value: *mut Piece) -> c_int {
        unsafe { ffi::mdb_get(txn.cast(), rows, key.cast(), value.cast()) }
    }

    #[inline(always)]
    unsafe fn put(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece, value: *mut Piece, flags: c_uint) -> c_int {
        unsafe { ffi::mdb_put(txn.cast(), rows, key.cast(), value.cast(), flags) }
    }

    #[inline(always)]
    unsafe fn delete(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece) -> c_int {
        unsafe { ffi::mdb_del(txn.cast(), rows, key.cast(), std::ptr::null_mut()) }
    }

    #[inline(always)]
    unsafe fn cursor(self, txn: *mut RawTxn, rows: c_uint, cursor: *mut *mut RawCursor) -> c_int {
        unsafe { ffi::mdb_cursor_open(txn.cast(), rows, cursor.cast()) }
    }

    #[inline(always)]
    unsafe fn close_cursor(self, cursor: *mut RawCursor) {
        unsafe { ffi::mdb_cursor_close(cursor.cast()) }
    }

    #[inline(always)]
    unsafe fn go(self, cursor: *mut RawCursor, key: *mut Piece, value: *mut Piece, to: c_uint) -> c_int {
        unsafe { ffi::mdb_cursor_get(cursor.cast(), key.cast(), value.cast(), to) }
    }

    #[inline(always)]
    unsafe fn put_at(self, cursor: *mut RawCursor, key: *mut Piece, value: *mut Piece, flags: c_uint) -> c_int {
        unsafe { ffi::mdb_cursor_put(cursor.cast(), key.cast(), value.cast(), flags) }
    }
}
