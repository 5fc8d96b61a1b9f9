//! One open database of QDBM: Depot, a hash, or Villa, a B+ tree above it.

use std::ffi::{CStr, c_char, c_int, c_void};

use kurabe_protocol::KeyMap;

use crate::common::library::{OpenLibrary, functions};
use kurabe_client::adapter::{Key, Row, RowBuffer, RowSink, StoreError};
use kurabe_client::common::keys::KeyBytes;

/// An open database: the library alone looks inside.
pub(super) type Handle = *mut c_void;
type Text = *const c_char;
type Compare = unsafe extern "C" fn(Text, c_int, Text, c_int) -> c_int;

/// Modes of opening, alike in both kinds.
pub(super) const READER: c_int = 1;
pub(super) const WRITER: c_int = 1 << 1;
pub(super) const CREATE: c_int = 1 << 2;
/// Write modes: over one that may exist, and only where none exists.
const OVER: c_int = 0;
const KEEP: c_int = 1;
/// Error codes: the record exists, there is no such record.
const EXISTS: c_int = 4;
const NO_ITEM: c_int = 5;

functions! {
    /// Of both, from Depot.
    Common {
        dpecodeptr: fn() -> *const c_int;
        dperrmsg: fn(c_int) -> Text;
    }
}

functions! {
    /// Prefix `dp` or `vl`: what both kinds have with the same types.
    Alike {
        close: fn(Handle) -> c_int;
        put: fn(Handle, Text, c_int, Text, c_int, c_int) -> c_int;
        out: fn(Handle, Text, c_int) -> c_int;
        vsiz: fn(Handle, Text, c_int) -> c_int;
        sync: fn(Handle) -> c_int;
        fsiz: fn(Handle) -> c_int;
        rnum: fn(Handle) -> c_int;
    }
}

functions! {
    /// Prefix `dp`.
    Depot {
        open: fn(Text, c_int, c_int) -> Handle;
        getwb: fn(Handle, Text, c_int, c_int, c_int, *mut c_char) -> c_int;
        iterinit: fn(Handle) -> c_int;
        iternext: fn(Handle, *mut c_int) -> *mut c_char;
        bnum: fn(Handle) -> c_int;
    }
}

functions! {
    /// Prefix `vl`.
    Villa {
        open: fn(Text, c_int, Compare) -> Handle;
        getcache: fn(Handle, Text, c_int, *mut c_int) -> Text;
        curfirst: fn(Handle) -> c_int;
        curlast: fn(Handle) -> c_int;
        curnext: fn(Handle) -> c_int;
        curprev: fn(Handle) -> c_int;
        curkeycache: fn(Handle, *mut c_int) -> Text;
        curvalcache: fn(Handle, *mut c_int) -> Text;
        tranbegin: fn(Handle) -> c_int;
        trancommit: fn(Handle) -> c_int;
        tranabort: fn(Handle) -> c_int;
    }
}

enum Kind {
    Depot(Depot),
    Villa(Villa, Compare),
}

/// Everything that is needed to open databases of one kind.
pub(super) struct Family {
    common: Common,
    alike: Alike,
    kind: Kind,
    keys: KeyMap,
    /// Bytes to read a value into: one more than a right value or counter has, so that a longer one is not cut.
    room: usize,
    /// Buckets of a hash; the library's own number where it is 0.
    buckets: c_int,
}

impl Family {
    pub(super) fn find(
        library: &OpenLibrary,
        tree: bool,
        keys: KeyMap,
        value_bytes: usize,
        buckets: c_int,
    ) -> Result<Family, StoreError> {
        let kind = if tree {
            // SAFETY: the header declares it as a variable that holds the function.
            let compare = unsafe { library.variable::<Compare>("VL_CMPLEX")? };
            Kind::Villa(Villa::find(library, "vl")?, compare)
        } else {
            Kind::Depot(Depot::find(library, "dp")?)
        };
        let room = value_bytes.max(size_of::<u64>()) + 1;
        let alike = Alike::find(library, if tree { "vl" } else { "dp" })?;
        Ok(Family { common: Common::find(library, "")?, alike, kind, keys, room, buckets })
    }

    pub(super) fn is_tree(&self) -> bool {
        matches!(self.kind, Kind::Villa(..))
    }

    pub(super) fn open(&'static self, path: &CStr, mode: c_int) -> Result<File, StoreError> {
        // SAFETY: the path ends with a zero; the comparing function is the library's own.
        let raw = unsafe {
            match &self.kind {
                Kind::Depot(depot) => (depot.open)(path.as_ptr(), mode, self.buckets),
                Kind::Villa(villa, compare) => (villa.open)(path.as_ptr(), mode, *compare),
            }
        };
        if raw.is_null() {
            return Err(StoreError::store(format!("cannot open {}: {}", path.to_string_lossy(), self.failed())));
        }
        Ok(File { family: self, raw })
    }

    fn code(&self) -> c_int {
        // SAFETY: the library answers a pointer to its variable, the calling thread's where it was built for threads.
        unsafe { *(self.common.dpecodeptr)() }
    }

    fn failed(&self) -> StoreError {
        let code = self.code();
        // SAFETY: the library answers a constant text for every code.
        let words = unsafe { CStr::from_ptr((self.common.dperrmsg)(code)) };
        StoreError::store(format!("{} (code {code})", words.to_string_lossy()))
    }
}

/// An open database. The library has no locks of its own: whoever calls holds one.
pub(super) struct File {
    family: &'static Family,
    raw: Handle,
}

// SAFETY: a handle belongs to no thread; it is behind a lock, so that one thread at a time uses it.
unsafe impl Send for File {}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and closed here alone.
        if unsafe { (self.family.alike.close)(self.raw) } == 0 {
            eprintln!("qdbm: cannot close: {}", self.family.failed());
        }
    }
}

/// What ends or begins a transaction.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Begin,
    Commit,
    Abort,
}

impl File {
    fn done(&self, done: c_int) -> Result<(), StoreError> {
        if done != 0 { Ok(()) } else { Err(self.family.failed()) }
    }

    /// What a function that answers "no" means: nothing where the last error is `expected`.
    #[inline(always)]
    fn unless(&self, done: bool, expected: c_int) -> Result<bool, StoreError> {
        if done || self.family.code() == expected { Ok(done) } else { Err(self.family.failed()) }
    }

    pub(super) fn rows(&mut self) -> u64 {
        // SAFETY: the handle is open.
        unsafe { (self.family.alike.rnum)(self.raw) }.max(0) as u64
    }

    pub(super) fn file_bytes(&mut self) -> u64 {
        // SAFETY: the handle is open.
        unsafe { (self.family.alike.fsiz)(self.raw) }.max(0) as u64
    }

    /// Number of buckets of a hash.
    pub(super) fn buckets(&mut self) -> Option<c_int> {
        match &self.family.kind {
            // SAFETY: the handle is open and of this kind.
            Kind::Depot(depot) => Some(unsafe { (depot.bnum)(self.raw) }),
            Kind::Villa(..) => None,
        }
    }

    pub(super) fn sync(&mut self) -> Result<(), StoreError> {
        // SAFETY: the handle is open.
        self.done(unsafe { (self.family.alike.sync)(self.raw) })
    }

    /// Only the B+ tree has transactions.
    pub(super) fn transaction(&mut self, step: Step) -> Result<(), StoreError> {
        let Kind::Villa(villa, _) = &self.family.kind else { return Err(StoreError::Unsupported) };
        let call = match step {
            Step::Begin => villa.tranbegin,
            Step::Commit => villa.trancommit,
            Step::Abort => villa.tranabort,
        };
        // SAFETY: the handle is open and of this kind.
        self.done(unsafe { call(self.raw) })
    }

    fn put(&mut self, key: &KeyBytes<'_>, value: &[u8], mode: c_int) -> bool {
        let (key, key_len) = (key.bytes().as_ptr().cast(), key.c_len());
        // SAFETY: key and value live through the call, which copies them.
        unsafe {
            (self.family.alike.put)(self.raw, key, key_len, value.as_ptr().cast(), value.len() as c_int, mode) != 0
        }
    }

    pub(super) fn overwrite(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let done = self.put(&KeyBytes::of(&row.key), row.raw, OVER);
        self.done(done.into())
    }

    /// Whether it was written: not where it exists.
    pub(super) fn insert(&mut self, row: &Row<'_>) -> Result<bool, StoreError> {
        let done = self.put(&KeyBytes::of(&row.key), row.raw, KEEP);
        self.unless(done, EXISTS)
    }

    pub(super) fn exists(&mut self, key: &Key) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key);
        // SAFETY: the key lives through the call.
        let len = unsafe { (self.family.alike.vsiz)(self.raw, key.bytes().as_ptr().cast(), key.c_len()) };
        self.unless(len >= 0, NO_ITEM)
    }

    pub(super) fn delete(&mut self, key: &Key) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key);
        // SAFETY: the key lives through the call.
        let done = unsafe { (self.family.alike.out)(self.raw, key.bytes().as_ptr().cast(), key.c_len()) };
        self.unless(done != 0, NO_ITEM)
    }

    #[inline(always)]
    pub(super) fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.get(&KeyBytes::of(key), out)
    }

    #[inline(always)]
    fn get(&mut self, key: &KeyBytes<'_>, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let (bytes, key_len) = (key.bytes().as_ptr().cast(), key.c_len());
        match &self.family.kind {
            Kind::Depot(depot) => {
                let room = self.family.room;
                let get = |out: *mut c_void| {
                    // SAFETY: the key lives through the call, and the room is as large as is said.
                    unsafe { (depot.getwb)(self.raw, bytes, key_len, 0, room as c_int, out.cast()) }
                };
                // SAFETY: the library answers how much it wrote.
                if unsafe { out.fill(room, get) } {
                    return Ok(true);
                }
            }
            Kind::Villa(villa, _) => {
                let mut len = 0;
                // SAFETY: what is answered points into a page, which stays as it is until the next call.
                let value = unsafe { (villa.getcache)(self.raw, bytes, key_len, &mut len) };
                if !value.is_null() {
                    // SAFETY: as above.
                    out.set_raw(unsafe { slice(value, len) });
                    return Ok(true);
                }
            }
        }
        self.unless(false, NO_ITEM)
    }

    /// The library has no counters: read, add, write, while the caller keeps the others out.
    pub(super) fn increment(&mut self, key: &Key, counter: &mut RowBuffer) -> Result<(), StoreError> {
        let key = KeyBytes::of(key);
        let old = if self.get(&key, counter)? { number(counter.raw()) } else { 0 };
        let done = self.put(&key, &(old + 1).to_le_bytes(), OVER);
        self.done(done.into())
    }

    /// Sum of a database of counters.
    pub(super) fn sum(&mut self) -> Result<u64, StoreError> {
        let mut sum = 0;
        self.each(|_, value| sum += number(value))?;
        Ok(sum)
    }

    pub(super) fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let keys = self.family.keys;
        self.each(|key, value| sink.raw(keys.seen_bytes(key), value))
    }

    fn each(&mut self, visit: impl FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        match &self.family.kind {
            Kind::Depot(depot) => self.each_of_depot(depot, visit),
            Kind::Villa(villa, _) => self.each_of_villa(villa.curfirst, villa.curnext, u32::MAX, visit),
        }
    }

    fn each_of_depot(&mut self, depot: &Depot, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        let room = self.family.room;
        let mut value = RowBuffer::default();
        // SAFETY: the handle is open; a key that is answered is ours and is freed after its value was read.
        unsafe {
            self.done((depot.iterinit)(self.raw))?;
            loop {
                let mut key_len = 0;
                let key = (depot.iternext)(self.raw, &mut key_len);
                if key.is_null() {
                    return self.unless(false, NO_ITEM).map(|_| ());
                }
                let get = |out: *mut c_void| (depot.getwb)(self.raw, key, key_len, 0, room as c_int, out.cast());
                let found = value.fill(room, get);
                if found {
                    visit(slice(key, key_len), value.raw());
                }
                libc::free(key.cast());
                if !found {
                    return Err(self.family.failed());
                }
            }
        }
    }

    fn each_of_villa(
        &mut self,
        begin: unsafe extern "C" fn(Handle) -> c_int,
        step: unsafe extern "C" fn(Handle) -> c_int,
        most: u32,
        mut visit: impl FnMut(&[u8], &[u8]),
    ) -> Result<(), StoreError> {
        let Kind::Villa(villa, _) = &self.family.kind else { return Err(StoreError::Unsupported) };
        let mut left = most;
        // SAFETY: the handle is open; what is answered points into pages, which stay as they are until the cursor moves.
        unsafe {
            let mut more = begin(self.raw) != 0;
            while more && left > 0 {
                let (mut key_len, mut len) = (0, 0);
                let key = (villa.curkeycache)(self.raw, &mut key_len);
                let value = (villa.curvalcache)(self.raw, &mut len);
                if key.is_null() || value.is_null() {
                    return Err(self.family.failed());
                }
                visit(slice(key, key_len), slice(value, len));
                left -= 1;
                more = step(self.raw) != 0;
            }
        }
        if left == 0 { Ok(()) } else { self.unless(false, NO_ITEM).map(|_| ()) }
    }

    pub(super) fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let Kind::Villa(villa, _) = &self.family.kind else { return Err(StoreError::Unsupported) };
        let keys = self.family.keys;
        let give = |key: &[u8], value: &[u8]| sink.raw(keys.seen_bytes(key), value);
        self.each_of_villa(villa.curlast, villa.curprev, rows, give)
    }
}

/// A counter's value.
fn number(value: &[u8]) -> u64 {
    value.try_into().map_or(0, u64::from_le_bytes)
}

/// # Safety
/// `start` points to `len` bytes that stay as they are for `'a`.
unsafe fn slice<'a>(start: Text, len: c_int) -> &'a [u8] {
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(start.cast(), len as usize) }
}
