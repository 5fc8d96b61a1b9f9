//! One open database of any of the four kinds, behind the same few operations.

use std::ffi::{CStr, CString, c_int, c_void};

use kurabe_protocol::{Job, KeyMap, Layout, ReturnedKey, Schema};

use super::calls::{self, Common, Object};
use super::table::{ColumnMap, Table};
use super::walk::walk;
use super::{Kind, Mode};
use crate::common::library::OpenLibrary;
use kurabe_client::adapter::{Key, Range, Row, RowBuffer, RowSink, StoreError};
use kurabe_client::common::keys::KeyBytes;

/// How a row is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    /// Over one that may exist.
    Overwrite,
    /// Later, in a batch of the library's own; only the hash database can do so.
    Later,
    /// Only where none exists.
    Keep,
}

/// The functions of one kind.
pub(super) enum Calls {
    Hash(calls::Hash, calls::Keyed),
    Btree(calls::Btree, calls::Keyed, calls::Xstr),
    Fixed(calls::Fixed),
    Table(Table),
}

/// Everything that is needed to open databases of one kind.
pub(super) struct Family {
    pub(super) kind: Kind,
    pub(super) common: Common,
    pub(super) calls: Calls,
    /// Those of the hash database, which the B+ tree and the table have inside.
    hash: calls::Hash,
    tuning: Tuning,
    keys: KeyMap,
    value_bytes: usize,
    /// Several threads use a handle.
    mutex: bool,
}

/// Settings of the file.
#[derive(Clone, Copy)]
pub(super) struct Tuning {
    pub(super) buckets: i64,
    pub(super) map_bytes: Option<i64>,
    pub(super) large: bool,
    pub(super) limit_bytes: i64,
}

impl Family {
    pub(super) fn find(
        library: &OpenLibrary,
        kind: Kind,
        job: &Job,
        layout: &Layout,
        tuning: Tuning,
    ) -> Result<Family, StoreError> {
        let prefix = kind.prefix();
        let keyed = || calls::Keyed::find(library, prefix);
        let hash = calls::Hash::find(library, "tchdb")?;
        let calls = match kind {
            Kind::Hash => Calls::Hash(hash, keyed()?),
            Kind::Btree => {
                Calls::Btree(calls::Btree::find(library, prefix)?, keyed()?, calls::Xstr::find(library, "tcxstr")?)
            }
            Kind::Fixed => Calls::Fixed(calls::Fixed::find(library, prefix)?),
            Kind::Table => Calls::Table(Table::find(library, &job.schema)?),
        };
        Ok(Family {
            kind,
            common: Common::find(library, prefix)?,
            calls,
            hash,
            tuning,
            keys: *layout.keys(),
            value_bytes: layout.len_bytes(),
            mutex: job.phases.iter().any(|phase| phase.connections > 1),
        })
    }

    /// Opens the database at `path`.
    pub(super) fn open(&'static self, path: &CStr, mode: c_int, content: Content) -> Result<Engine, StoreError> {
        let common = &self.common;
        // SAFETY: the object is made, set up and opened in the order that the library asks for.
        unsafe {
            let (get, room) = (ReadCall::of(&self.calls), self.value_bytes + 1);
            let engine = Engine { raw: (common.new)(), get, room, family: self };
            let ready = (!self.mutex || (common.setmutex)(engine.raw)) && self.tune(engine.raw, content);
            if !ready || !(common.open)(engine.raw, path.as_ptr(), mode) {
                return Err(StoreError::store(format!("cannot open {}: {}", path.to_string_lossy(), engine.failed())));
            }
            Ok(engine)
        }
    }

    /// # Safety
    /// `raw` is an object of this kind that is not open yet.
    unsafe fn tune(&self, raw: Object, content: Content) -> bool {
        let Tuning { buckets, map_bytes, large, limit_bytes } = self.tuning;
        let options = if large { calls::LARGE } else { 0 };
        // SAFETY: promised by the caller. Numbers that are not positive leave the library's own.
        unsafe {
            let tuned = match &self.calls {
                Calls::Hash(hash, _) => (hash.tune)(raw, buckets, -1, -1, options),
                Calls::Btree(btree, _, _) => (btree.tune)(raw, 0, 0, buckets, -1, -1, options),
                Calls::Table(table) => (table.calls.tune)(raw, buckets, -1, -1, options),
                Calls::Fixed(fixed) => {
                    let width = if content == Content::Counters { size_of::<c_int>() } else { self.value_bytes };
                    (fixed.tune)(raw, width as i32, limit_bytes)
                }
            };
            let mapped = |bytes| match &self.calls {
                Calls::Hash(hash, _) => (hash.setxmsiz)(raw, bytes),
                Calls::Btree(btree, ..) => (btree.setxmsiz)(raw, bytes),
                Calls::Table(table) => (table.calls.setxmsiz)(raw, bytes),
                Calls::Fixed(_) => true,
            };
            tuned && map_bytes.is_none_or(mapped)
        }
    }
}

/// What a database holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Rows,
    Counters,
}

/// An open database.
pub(super) struct Engine {
    raw: Object,
    get: ReadCall,
    /// Bytes that a value may have: one more than a right one, so that a longer one is not cut to a right one.
    room: usize,
    family: &'static Family,
}

/// What a read calls. It lies beside the object: looked for among all calls of the family, it cost a read some 3 ns.
#[derive(Clone, Copy)]
enum ReadCall {
    Hash(unsafe extern "C" fn(Object, calls::Bytes, c_int, *mut c_void, c_int) -> c_int),
    Fixed(unsafe extern "C" fn(Object, i64, *mut c_void, c_int) -> c_int),
    Btree(&'static calls::Btree),
    Table(&'static Table),
}

impl ReadCall {
    fn of(calls: &'static Calls) -> ReadCall {
        match calls {
            Calls::Hash(hash, _) => ReadCall::Hash(hash.get3),
            Calls::Fixed(fixed) => ReadCall::Fixed(fixed.get4),
            Calls::Btree(btree, ..) => ReadCall::Btree(btree),
            Calls::Table(table) => ReadCall::Table(table),
        }
    }
}

// SAFETY: where a job has several connections the handle has the library's own locks (`setmutex`), and all functions
// that are called here may then be called from any thread; where it has one, one thread uses it.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

impl Drop for Engine {
    fn drop(&mut self) {
        // SAFETY: the object was made by `new` of this family and is deleted here alone, which closes it first.
        unsafe {
            if (self.family.common.fsiz)(self.raw) > 0 && !(self.family.common.close)(self.raw) {
                eprintln!("tokyocabinet: cannot close: {}", self.failed());
            }
            (self.family.common.del)(self.raw);
        }
    }
}

impl Engine {
    pub(super) fn failed(&self) -> StoreError {
        let code = self.code();
        // SAFETY: the library answers a constant text for every code.
        let words = unsafe { CStr::from_ptr((self.family.common.errmsg)(code)) };
        StoreError::store(format!("{} (code {code})", words.to_string_lossy()))
    }

    fn code(&self) -> c_int {
        // SAFETY: the object is valid as long as `self`.
        unsafe { (self.family.common.ecode)(self.raw) }
    }

    /// What a function that answers "no" means: nothing where the last error is `expected`.
    #[inline(always)]
    fn unless(&self, done: bool, expected: c_int) -> Result<bool, StoreError> {
        if done || self.code() == expected { Ok(done) } else { Err(self.failed()) }
    }

    /// Calls one of the functions that take nothing but the object.
    pub(super) fn call(
        &self,
        which: impl FnOnce(&Common) -> unsafe extern "C" fn(Object) -> bool,
    ) -> Result<(), StoreError> {
        // SAFETY: the object is valid as long as `self`.
        if unsafe { which(&self.family.common)(self.raw) } { Ok(()) } else { Err(self.failed()) }
    }

    /// Puts that a hash database still holds back are neither in its number of records nor in its file. Any lookup
    /// writes them first; this one is for a key that nobody has.
    fn write_delayed(&self) -> Result<(), StoreError> {
        let Calls::Hash(_, keyed) = &self.family.calls else { return Ok(()) };
        // SAFETY: a key of no bytes is not read.
        let len = unsafe { (keyed.vsiz)(self.raw, b"".as_ptr().cast(), 0) };
        self.unless(len >= 0, calls::NO_RECORD).map(|_| ())
    }

    pub(super) fn rows(&self) -> Result<u64, StoreError> {
        self.write_delayed()?;
        // SAFETY: the object is valid as long as `self`.
        Ok(unsafe { (self.family.common.rnum)(self.raw) })
    }

    pub(super) fn file_bytes(&self) -> Result<u64, StoreError> {
        self.write_delayed()?;
        // SAFETY: the object is valid as long as `self`.
        Ok(unsafe { (self.family.common.fsiz)(self.raw) })
    }

    #[inline(always)]
    fn key<'a>(&self, key: &'a Key) -> KeyBytes<'a> {
        if self.family.kind == Kind::Table && !key.is_text() {
            return KeyBytes::decimal(key.int());
        }
        KeyBytes::of(key)
    }

    /// A stored key as it was seen.
    fn returned_key<'a>(&self, key: &'a [u8]) -> ReturnedKey<'a> {
        let digits = || std::str::from_utf8(key).ok()?.parse::<i64>().ok();
        let keys = &self.family.keys;
        match self.family.kind {
            Kind::Fixed => digits().map_or(ReturnedKey::Row(u32::MAX), |id| keys.seen_int(id - 1)),
            Kind::Table if !keys.is_text() => digits().map_or(ReturnedKey::Row(u32::MAX), |key| keys.seen_int(key)),
            _ => keys.seen_bytes(key),
        }
    }

    #[inline(always)]
    pub(super) fn read(&self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let (raw, room) = (self.raw, self.room);
        // SAFETY: the object is an open database of this kind, key and room live through the calls, and the library
        // answers how much it wrote.
        let found = unsafe {
            match self.get {
                ReadCall::Hash(get) => {
                    let key = KeyBytes::of(key);
                    let (bytes, len) = (key.bytes().as_ptr().cast(), key.c_len());
                    out.fill(room, |out| get(raw, bytes, len, out, room as c_int))
                }
                ReadCall::Fixed(get) => out.fill(room, |out| get(raw, id(key), out, room as c_int)),
                ReadCall::Btree(btree) => return self.read_tree(btree, key, out),
                ReadCall::Table(table) => table.read(raw, &self.key(key), out),
            }
        };
        self.unless(found, calls::NO_RECORD)
    }

    #[inline(always)]
    fn read_tree(&self, btree: &calls::Btree, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = self.key(key);
        let mut len: c_int = 0;
        // SAFETY: the key lives through the call. What `get3` answers points into a page, which stays as it is until
        // the next call on the handle: it is for one thread. What `get` answers is ours.
        unsafe {
            let bytes = key.bytes().as_ptr().cast();
            let value = match self.family.mutex {
                true => (btree.get)(self.raw, bytes, key.c_len(), &mut len).cast_const(),
                false => (btree.get3)(self.raw, bytes, key.c_len(), &mut len),
            };
            if value.is_null() {
                return self.unless(false, calls::NO_RECORD);
            }
            out.set_raw(std::slice::from_raw_parts(value.cast(), len as usize));
            if self.family.mutex {
                libc::free(value.cast_mut());
            }
        }
        Ok(true)
    }

    /// Whether it was written: not where it exists and must not.
    #[inline(always)]
    pub(super) fn write(&self, row: &Row<'_>, how: Put, columns: &mut Option<ColumnMap>) -> Result<bool, StoreError> {
        let (value, len) = (row.raw.as_ptr().cast(), row.raw.len() as c_int);
        let key = self.key(&row.key);
        let (bytes, key_len) = (key.bytes().as_ptr().cast(), key.c_len());
        // SAFETY: key and value live through the calls, which copy them.
        let done = unsafe {
            match &self.family.calls {
                Calls::Hash(hash, _) => {
                    let write = match how {
                        Put::Overwrite => hash.put,
                        Put::Later => hash.putasync,
                        Put::Keep => hash.putkeep,
                    };
                    write(self.raw, bytes, key_len, value, len)
                }
                Calls::Btree(btree, ..) => {
                    let write = if how == Put::Keep { btree.putkeep } else { btree.put };
                    write(self.raw, bytes, key_len, value, len)
                }
                Calls::Fixed(fixed) => {
                    let write = if how == Put::Keep { fixed.putkeep } else { fixed.put };
                    write(self.raw, id(&row.key), value, len)
                }
                Calls::Table(table) => {
                    let columns = columns.get_or_insert_with(|| table.columns());
                    table.write(self.raw, &key, row, how == Put::Keep, columns)
                }
            }
        };
        if how == Put::Keep {
            self.unless(done, calls::KEEP)
        } else if done {
            Ok(true)
        } else {
            Err(self.failed())
        }
    }

    pub(super) fn exists(&self, key: &Key) -> Result<bool, StoreError> {
        // SAFETY: the key lives through the call.
        let len = unsafe {
            match &self.family.calls {
                Calls::Fixed(fixed) => (fixed.vsiz)(self.raw, id(key)),
                Calls::Hash(_, keyed) | Calls::Btree(_, keyed, _) | Calls::Table(Table { keyed, .. }) => {
                    let key = self.key(key);
                    (keyed.vsiz)(self.raw, key.bytes().as_ptr().cast(), key.c_len())
                }
            }
        };
        self.unless(len >= 0, calls::NO_RECORD)
    }

    pub(super) fn delete(&self, key: &Key) -> Result<bool, StoreError> {
        // SAFETY: the key lives through the call.
        let done = unsafe {
            match &self.family.calls {
                Calls::Fixed(fixed) => (fixed.out)(self.raw, id(key)),
                Calls::Hash(_, keyed) | Calls::Btree(_, keyed, _) | Calls::Table(Table { keyed, .. }) => {
                    let key = self.key(key);
                    (keyed.out)(self.raw, key.bytes().as_ptr().cast(), key.c_len())
                }
            }
        };
        self.unless(done, calls::NO_RECORD)
    }

    pub(super) fn increment(&self, key: &Key) -> Result<(), StoreError> {
        // SAFETY: the key lives through the call.
        let sum = unsafe {
            match &self.family.calls {
                Calls::Fixed(fixed) => (fixed.addint)(self.raw, id(key), 1),
                Calls::Hash(_, keyed) | Calls::Btree(_, keyed, _) | Calls::Table(Table { keyed, .. }) => {
                    let key = self.key(key);
                    (keyed.addint)(self.raw, key.bytes().as_ptr().cast(), key.c_len(), 1)
                }
            }
        };
        if sum == c_int::MIN { Err(self.failed()) } else { Ok(()) }
    }

    /// Every record, in one call that lets nobody else in.
    fn each(&self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        // SAFETY: the object is valid as long as `self`, and the visitor calls nothing of the library.
        let walked =
            unsafe { walk(&mut visit, |visitor, given| (self.family.common.foreach)(self.raw, visitor, given)) };
        if walked { Ok(()) } else { Err(self.failed()) }
    }

    pub(super) fn scan(&self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        match &self.family.calls {
            Calls::Table(table) => self.each(|key, value| table.give(self.returned_key(key), value, sink)),
            _ => self.each(|key, value| sink.raw(self.returned_key(key), value)),
        }
    }

    /// Sum of a database of counters.
    pub(super) fn sum(&self) -> Result<u64, StoreError> {
        let mut sum = 0;
        self.each(|_, value| {
            sum += match &self.family.calls {
                Calls::Table(_) => Table::counter(value),
                // The library adds to an int as the machine has it.
                _ => value.try_into().map_or(0, |bytes| c_int::from_ne_bytes(bytes).max(0) as u64),
            }
        })?;
        Ok(sum)
    }

    pub(super) fn latest(&self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        match &self.family.calls {
            Calls::Btree(btree, _, xstr) => self.latest_of_tree(btree, xstr, rows, sink),
            Calls::Fixed(fixed) => self.latest_of_fixed(fixed, rows, sink),
            Calls::Hash(..) | Calls::Table(_) => Err(StoreError::Unsupported),
        }
    }

    fn latest_of_tree(
        &self,
        btree: &calls::Btree,
        xstr: &calls::Xstr,
        rows: u32,
        sink: &mut RowSink<'_>,
    ) -> Result<(), StoreError> {
        // SAFETY: cursor and buffers are made and deleted here; what the buffers hold is ours until the next call.
        unsafe {
            let (cursor, key, value) = ((btree.curnew)(self.raw), (xstr.new)(), (xstr.new)());
            let bytes =
                |text: Object| std::slice::from_raw_parts::<u8>((xstr.ptr)(text).cast(), (xstr.size)(text) as usize);
            let mut more = (btree.curlast)(cursor);
            let mut left = rows;
            while more && left > 0 && (btree.currec)(cursor, key, value) {
                sink.raw(self.returned_key(bytes(key)), bytes(value));
                left -= 1;
                more = left > 0 && (btree.curprev)(cursor);
            }
            let ended = left == 0 || self.code() == calls::NO_RECORD;
            (xstr.del)(value);
            (xstr.del)(key);
            (btree.curdel)(cursor);
            if ended { Ok(()) } else { Err(self.failed()) }
        }
    }

    /// From the highest number down; numbers without a record are passed over.
    fn latest_of_fixed(&self, fixed: &calls::Fixed, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let room = self.room;
        let mut value = RowBuffer::default();
        let mut left = rows;
        // SAFETY: the object is an open database of this kind, and the room is as large as is said.
        let mut id = unsafe { (fixed.max)(self.raw) } as i64;
        while id > 0 && left > 0 {
            // SAFETY: as above.
            if unsafe { value.fill(room, |out| (fixed.get4)(self.raw, id, out, room as c_int)) } {
                sink.raw(self.family.keys.seen_int(id - 1), value.raw());
                left -= 1;
            } else {
                self.unless(false, calls::NO_RECORD)?;
            }
            id -= 1;
        }
        Ok(())
    }

    pub(super) fn search(&self, schema: &Schema, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let Calls::Table(table) = &self.family.calls else { return Err(StoreError::Unsupported) };
        let name = CString::new(schema.fields[range.field].name.as_str()).map_err(StoreError::store)?;
        // SAFETY: the object is an open table.
        let searched =
            unsafe { table.search(self.raw, &name, range, |key, row| sink.fields(self.returned_key(key), row)) };
        if searched { Ok(()) } else { Err(self.failed()) }
    }

    pub(super) fn index(&self, schema: &Schema) -> Result<(), StoreError> {
        let Calls::Table(table) = &self.family.calls else { return Ok(()) };
        for field in schema.values().iter().filter(|field| field.indexed) {
            let name = CString::new(field.name.as_str()).map_err(StoreError::store)?;
            // SAFETY: the object is an open table, and the name ends with a zero.
            if !unsafe { (table.calls.setindex)(self.raw, name.as_ptr(), calls::DECIMAL) } {
                return Err(self.failed());
            }
        }
        Ok(())
    }

    /// What the open database says about itself.
    pub(super) fn settings(&self, mode: Mode) -> Vec<(&'static str, String)> {
        let yes = |set: bool| if set { "yes" } else { "no" }.to_string();
        let mut told = vec![("mode", mode.word().to_string()), ("mutex", yes(self.family.mutex))];
        // SAFETY: the object is open; the hash database inside it is the third word of a B+ tree and the second of a
        // table, as the library's headers have it.
        unsafe {
            let words = self.raw.cast::<*mut c_void>();
            let inside = match &self.family.calls {
                Calls::Hash(..) => self.raw,
                Calls::Btree(..) => *words.add(2),
                Calls::Table(_) => *words.add(1),
                Calls::Fixed(fixed) => {
                    told.push(("tsync", yes((fixed.omode)(self.raw) & calls::TSYNC != 0)));
                    told.push(("limsiz", (fixed.limsiz)(self.raw).to_string()));
                    return told;
                }
            };
            told.push(("tsync", yes((self.hash_calls().omode)(inside) & calls::TSYNC != 0)));
            told.push(("large", yes((self.hash_calls().opts)(inside) & calls::LARGE != 0)));
            told.push(("bnum", (self.hash_calls().bnum)(inside).to_string()));
            told.push(("xmsiz", (self.hash_calls().xmsiz)(inside).to_string()));
        }
        told
    }

    fn hash_calls(&self) -> &calls::Hash {
        &self.family.hash
    }
}

/// Numbers of records begin with 1.
#[inline(always)]
fn id(key: &Key) -> i64 {
    key.int() + 1
}
