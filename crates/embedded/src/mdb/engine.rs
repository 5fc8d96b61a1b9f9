//! What the two libraries have to offer, under the same names here.
//!
//! libmdbx began as a copy of LMDB, so that nearly all functions are the same under two prefixes; the two words of a
//! piece of bytes are in the opposite order. LMDB is compiled in, libmdbx is opened at run time.

use std::ffi::{c_char, c_int, c_uint};

use kurabe_protocol::Job;

use crate::common::library::opaque;
use kurabe_client::adapter::StoreError;

opaque!(RawEnv, RawTxn, RawCursor);

/// A piece of bytes as the libraries take and give it: start and length, in the order of [`Engine::LENGTH_FIRST`].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Piece {
    words: [*const u8; 2],
}

impl Piece {
    /// None yet.
    pub const NOTHING: Piece = Piece { words: [std::ptr::null(); 2] };

    #[inline(always)]
    pub fn of<E: Engine>(bytes: &[u8]) -> Piece {
        let len = std::ptr::without_provenance(bytes.len());
        Piece { words: if E::LENGTH_FIRST { [len, bytes.as_ptr()] } else { [bytes.as_ptr(), len] } }
    }

    /// The bytes that the library answered.
    ///
    /// # Safety
    /// They must be there for as long as the slice is used.
    #[inline(always)]
    pub unsafe fn bytes<'a, E: Engine>(self) -> &'a [u8] {
        let [first, second] = self.words;
        let (start, len) = if E::LENGTH_FIRST { (second, first.addr()) } else { (first, second.addr()) };
        if len == 0 {
            return &[];
        }
        // SAFETY: the caller vouches for it; only an empty piece may be without a start.
        unsafe { std::slice::from_raw_parts(start, len) }
    }
}

/// What both call by the same number.
pub mod number {
    use std::ffi::{c_int, c_uint};

    pub const DONE: c_int = 0;
    pub const KEY_EXISTS: c_int = -30799;
    pub const NOT_FOUND: c_int = -30798;

    /// Flag of an environment.
    pub const NO_READAHEAD: c_uint = 0x80_0000;
    /// Flag of a transaction.
    pub const READ_ONLY: c_uint = 0x2_0000;
    /// Flags of a write.
    pub const NO_OVERWRITE: c_uint = 0x10;
    pub const CURRENT: c_uint = 0x40;
    pub const APPEND: c_uint = 0x2_0000;

    /// Where a cursor goes.
    pub const FIRST: c_uint = 0;
    pub const LAST: c_uint = 6;
    pub const NEXT: c_uint = 8;
    pub const PREVIOUS: c_uint = 12;
    pub const AT: c_uint = 15;
    pub const NOT_BELOW: c_uint = 17;
}

/// One of the two. Unless it says otherwise a function returns 0 or an error's number.
///
/// # Safety
/// All functions are those of the library: pointers must be alive, and used by the thread that has them.
pub trait Engine: Copy + Send + Sync + 'static {
    /// Name of the store.
    const NAME: &'static str;
    /// Its data file in the folder.
    const FILE: &'static str;
    /// Whether the length comes first in a [`Piece`].
    const LENGTH_FIRST: bool;
    /// What a write with [`number::APPEND`] fails with where the key is not behind all others.
    const NOT_BEHIND: c_int;
    /// Most bytes of a value.
    const MAX_VALUE_BYTES: u64;
    /// Flags of an environment that a job may set, by name, in the order in which they are read back. One that includes
    /// another stands before it.
    const FLAGS: &'static [(&'static str, c_uint)];
    /// Whether a job can ask for [`Engine::sync`] every so often.
    const SYNCS_LATER: bool = false;

    /// Looks up the functions.
    fn of(job: &Job) -> Result<Self, StoreError>;
    /// Version of the library.
    fn version(self) -> String;
    /// What the library says of an error.
    fn words(self, code: c_int) -> String;

    unsafe fn create(self, env: *mut *mut RawEnv) -> c_int;
    unsafe fn set_map_bytes(self, env: *mut RawEnv, bytes: usize) -> c_int;
    unsafe fn set_readers(self, env: *mut RawEnv, readers: c_uint) -> c_int;
    unsafe fn open(self, env: *mut RawEnv, folder: *const c_char, flags: c_uint) -> c_int;
    /// Also after an open that failed.
    unsafe fn close(self, env: *mut RawEnv);
    unsafe fn flags(self, env: *mut RawEnv, flags: *mut c_uint) -> c_int;
    unsafe fn map_bytes(self, env: *mut RawEnv, bytes: *mut usize) -> c_int;
    unsafe fn readers(self, env: *mut RawEnv, readers: *mut c_uint) -> c_int;

    /// Syncs what commits left unsynced; only where a job can ask for it.
    unsafe fn sync(self, _env: *mut RawEnv) -> c_int {
        number::DONE
    }

    unsafe fn begin(self, env: *mut RawEnv, flags: c_uint, txn: *mut *mut RawTxn) -> c_int;
    unsafe fn commit(self, txn: *mut RawTxn) -> c_int;
    unsafe fn abort(self, txn: *mut RawTxn);
    unsafe fn reset(self, txn: *mut RawTxn);
    unsafe fn renew(self, txn: *mut RawTxn) -> c_int;

    /// Opens the unnamed database.
    unsafe fn rows(self, txn: *mut RawTxn, rows: *mut c_uint) -> c_int;
    unsafe fn entries(self, txn: *mut RawTxn, rows: c_uint, count: *mut u64) -> c_int;
    unsafe fn clear(self, txn: *mut RawTxn, rows: c_uint) -> c_int;
    unsafe fn get(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece, value: *mut Piece) -> c_int;
    unsafe fn put(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece, value: *mut Piece, flags: c_uint) -> c_int;
    unsafe fn delete(self, txn: *mut RawTxn, rows: c_uint, key: *mut Piece) -> c_int;

    unsafe fn cursor(self, txn: *mut RawTxn, rows: c_uint, cursor: *mut *mut RawCursor) -> c_int;
    unsafe fn close_cursor(self, cursor: *mut RawCursor);
    unsafe fn go(self, cursor: *mut RawCursor, key: *mut Piece, value: *mut Piece, to: c_uint) -> c_int;
    unsafe fn put_at(self, cursor: *mut RawCursor, key: *mut Piece, value: *mut Piece, flags: c_uint) -> c_int;
}
