//! libmdbx, opened at run time.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use kurabe_protocol::Job;

use super::engine::{Engine, Piece, RawCursor, RawEnv, RawTxn, number};
use crate::common::library::{OpenLibrary, functions};
use kurabe_client::adapter::StoreError;

/// Rights of the files that it makes.
const MODE: libc::mode_t = 0o600;
/// What leaves a number of the geometry to libmdbx.
const ITS_OWN: isize = -1;
/// Words of `MDBX_envinfo` before `mi_bootid`, with which it is content; the second is the upper limit of the data file.
const INFO_WORDS: usize = 18;

functions! {
    /// What is used of it.
    Functions {
        env_create: fn(*mut *mut RawEnv) -> c_int;
        env_set_geometry: fn(*mut RawEnv, isize, isize, isize, isize, isize, isize) -> c_int;
        env_set_maxreaders: fn(*mut RawEnv, c_uint) -> c_int;
        env_open: fn(*mut RawEnv, *const c_char, c_uint, libc::mode_t) -> c_int;
        env_close_ex: fn(*mut RawEnv, bool) -> c_int;
        env_get_flags: fn(*const RawEnv, *mut c_uint) -> c_int;
        env_get_maxreaders: fn(*const RawEnv, *mut c_uint) -> c_int;
        env_sync_ex: fn(*mut RawEnv, bool, bool) -> c_int;
        env_info_ex: fn(*const RawEnv, *const RawTxn, *mut [u64; INFO_WORDS], usize) -> c_int;
        txn_begin_ex: fn(*mut RawEnv, *mut RawTxn, c_uint, *mut *mut RawTxn, *mut c_void) -> c_int;
        txn_commit_ex: fn(*mut RawTxn, *mut c_void) -> c_int;
        txn_abort: fn(*mut RawTxn) -> c_int;
        txn_reset: fn(*mut RawTxn) -> c_int;
        txn_renew: fn(*mut RawTxn) -> c_int;
        dbi_open: fn(*mut RawTxn, *const c_char, c_uint, *mut c_uint) -> c_int;
        dbi_stat: fn(*const RawTxn, c_uint, *mut Stat, usize) -> c_int;
        drop: fn(*mut RawTxn, c_uint, bool) -> c_int;
        get: fn(*const RawTxn, c_uint, *const Piece, *mut Piece) -> c_int;
        put: fn(*mut RawTxn, c_uint, *const Piece, *mut Piece, c_uint) -> c_int;
        del: fn(*mut RawTxn, c_uint, *const Piece, *const Piece) -> c_int;
        cursor_open: fn(*mut RawTxn, c_uint, *mut *mut RawCursor) -> c_int;
        cursor_close: fn(*mut RawCursor);
        cursor_get: fn(*mut RawCursor, *mut Piece, *mut Piece, c_uint) -> c_int;
        cursor_put: fn(*mut RawCursor, *const Piece, *mut Piece, c_uint) -> c_int;
        strerror: fn(c_int) -> *const c_char;
    }
}

/// `MDBX_stat`.
#[repr(C)]
#[derive(Default)]
pub struct Stat {
    page_bytes_and_depth: [u32; 2],
    pages: [u64; 3],
    entries: u64,
    changed_by: u64,
}

/// libmdbx.
#[derive(Clone, Copy)]
pub struct Mdbx {
    functions: &'static Functions,
    /// Major, minor and patch.
    version: [u16; 3],
}

// SAFETY of every call: the caller vouches for the pointers, and the types are those of the header.
#[allow(clippy::undocumented_unsafe_blocks, reason = "said once above")]
impl Engine for Mdbx {
    const NAME: &'static str = "libmdbx";
    const FILE: &'static str = "mdbx.dat";
    const LENGTH_FIRST: bool = false;
    // MDBX_EKEYMISMATCH
    const NOT_BEHIND: c_int = -30418;
    // MDBX_MAXDATASIZE
    const MAX_VALUE_BYTES: u64 = 0x7fff_0000;
    const SYNCS_LATER: bool = true;
    const FLAGS: &'static [(&'static str, c_uint)] = &[
        // It sets that of `nometasync` with both.
        ("utterly-nosync", 0x15_0000),
        ("safe-nosync", 0x5_0000),
        ("nometasync", 0x4_0000),
        ("writemap", 0x8_0000),
        ("liforeclaim", 0x400_0000),
    ];

    fn of(job: &Job) -> Result<Mdbx, StoreError> {
        let library = OpenLibrary::open(job, "libmdbx.so", "install libmdbx 0.13")?;
        // SAFETY: the structure begins with these numbers since version 0.13, and nobody changes them.
        let version: [u16; 3] = unsafe { library.variable("mdbx_version") }?;
        if version[..2] != [0, 13] {
            let [major, minor, patch] = version;
            return Err(StoreError::store(format!(
                "libmdbx {major}.{minor}.{patch} is not known here, the layout of its answers may be another; \
                 install libmdbx 0.13"
            )));
        }
        // The library itself is open for as long as the process, so its functions may be too.
        Ok(Mdbx { functions: Box::leak(Box::new(Functions::find(&library, "mdbx_")?)), version })
    }

    fn version(self) -> String {
        let [major, minor, patch] = self.version;
        format!("{major}.{minor}.{patch}")
    }

    fn words(self, code: c_int) -> String {
        unsafe {
            let words = (self.functions.strerror)(code);
            if words.is_null() {
                return format!("error {code}");
            }
            CStr::from_ptr(words).to_string_lossy().into_owned()
        }
    }

    unsafe fn create(self, env: *mut *mut RawEnv) -> c_int {
        unsafe { (self.functions.env_create)(env) }
    }

    /// The limit of the file; how it grows up to there is libmdbx's own matter.
    unsafe fn set_map_bytes(self, env: *mut RawEnv, bytes: usize) -> c_int {
        let limit = isize::try_from(bytes).unwrap_or(isize::MAX);
        unsafe { (self.functions.env_set_geometry)(env, ITS_OWN, ITS_OWN, limit, ITS_OWN, ITS_OWN, ITS_OWN) }
    }

    unsafe fn set_readers(self, env: *mut RawEnv, readers: c_uint) -> c_int {
        unsafe { (self.functions.env_set_maxreaders)(env, readers) }
    }

    unsafe fn open(self, env: *mut RawEnv, folder: *const c_char, flags: c_uint) -> c_int {
        unsafe { (self.functions.env_open)(env, folder, flags, MODE) }
    }

    unsafe fn close(self, env: *mut RawEnv) {
        unsafe { (self.functions.env_close_ex)(env, false) };
    }

    unsafe fn flags(self, env: *mut RawEnv, flags: *mut c_uint) -> c_int {
        unsafe { (self.functions.env_get_flags)(env, flags) }
    }

    unsafe fn map_bytes(self, env: *mut RawEnv, bytes: *mut usize) -> c_int {
        let mut info = [0; INFO_WORDS];
        unsafe {
            let code = (self.functions.env_info_ex)(env, std::ptr::null(), &mut info, size_of_val(&info));
            *bytes = info[1] as usize;
            code
        }
    }

    unsafe fn readers(self, env: *mut RawEnv, readers: *mut c_uint) -> c_int {
        unsafe { (self.functions.env_get_maxreaders)(env, readers) }
    }

    /// Whatever its thresholds say, and where a commit is under way after it.
    unsafe fn sync(self, env: *mut RawEnv) -> c_int {
        match unsafe { (self.functions.env_sync_ex)(env, true, false) } {
            // MDBX_RESULT_TRUE: there was nothing to sync.
            -1 => number::DONE,
            code => code,
        }
    }

    #[inline(always)]
    unsafe fn begin(self, env: *mut RawEnv, flags: c_uint, txn: *mut *mut RawTxn) -> c_int {
        unsafe { (self.functions.txn_begin_ex)(env, std::ptr::null_mut(), flags, txn, std::ptr::null_mut()) }
    }

    #[inline(always)]
    unsafe fn commit(self, txn: *mut RawTxn) -> c_int {
        unsafe { (self.functions.txn_commit_ex)(txn, std::ptr::null_mut()) }
    }

    #[inline(always)]
    unsafe fn abort(self, txn: *mut RawTxn) {
        unsafe { (self.functions.txn_abort)(txn) };
    }

    #[inline(always)]
    unsafe fn reset(self, txn: *mut RawTxn) {
        unsafe { (self.functions.txn_reset)(txn) };
    }

    #[inline(always)]
    unsafe fn renew(self, txn: *mut RawTxn) -> c_int {
        unsafe { (self.functions.txn_renew)(txn) }
    }

    unsafe fn rows(self, txn: *mut RawTxn, rows: *mut c_uint) -> c_int {
        unsafe { (self.functions.dbi_open)(txn, std::ptr::null(), 0, rows) }
    }

    unsafe fn entries(self, txn: *mut RawTxn, rows: c_uint, count: *mut u64) -> c_int {
        let mut stat = Stat::default();
        unsafe {
            let code = (self.functions.dbi_stat)(txn, rows, &mut stat, size_of_val(&stat));
            *count = stat.entries;
            code
        }
    }

    unsafe fn clear(self, txn: *mut RawTxn, rows: c_uint) -> c_int {
        unsafe { (self.functions.drop)(txn, rows, false) }
    }

    #[inline(always)]
    unsafe fn get(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece, value: *mut Piece) -> c_int {
        unsafe { (self.functions.get)(txn, rows, key, value) }
    }

    #[inline(always)]
    unsafe fn put(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece, value: *mut Piece, flags: c_uint) -> c_int {
        unsafe { (self.functions.put)(txn, rows, key, value, flags) }
    }

    #[inline(always)]
    unsafe fn delete(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece) -> c_int {
        unsafe { (self.functions.del)(txn, rows, key, std::ptr::null()) }
    }

    #[inline(always)]
    unsafe fn cursor(self, txn: *mut RawTxn, rows: c_uint, cursor: *mut *mut RawCursor) -> c_int {
        unsafe { (self.functions.cursor_open)(txn, rows, cursor) }
    }

    #[inline(always)]
    unsafe fn close_cursor(self, cursor: *mut RawCursor) {
        unsafe { (self.functions.cursor_close)(cursor) }
    }

    #[inline(always)]
    unsafe fn go(self, cursor: *mut RawCursor, key: *mut Piece, value: *mut Piece, to: c_uint) -> c_int {
        unsafe { (self.functions.cursor_get)(cursor, key, value, to) }
    }

    #[inline(always)]
    unsafe fn put_at(self, cursor: *mut RawCursor, key: *mut Piece, value: *mut Piece, flags: c_uint) -> c_int {
        unsafe { (self.functions.cursor_put)(cursor, key, value, flags) }
    }
}
