//! `gdbm`: GNU dbm, a hash file, by a library opened at run time, in this process.
//!
//! A file has one writer or many readers, and a handle is for one thread at a time, so one handle is behind a lock. It
//! is closed between phases only where a phase measures the opening. Counters are in a second file.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{Capabilities, Job, KeyMap, Layout, Operation, Phase};

use crate::common::library::{OpenLibrary, functions, refuse_unknown};
use kurabe_client::adapter::{
    Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::folder_of;
use kurabe_client::common::keys::KeyBytes;

const LIBRARY: &str = "libgdbm.so.6";
const REMEDY: &str = "install version 1.18 or newer (package libgdbm6)";
const SETTINGS: [&str; 2] = ["mode", "block_size"];

/// Modes of opening: a reader, and a writer that makes the file where there is none. Both close it on exec.
const READER: c_int = 0x100;
const WRITER: c_int = 2 | 0x100;
/// Modes of storing: only where the key is new, and over what there is.
const INSERT: c_int = 0;
const REPLACE: c_int = 1;
/// Options that only answer: whether every call is synced, and the size of a block.
const SYNCS_EACH: c_int = 11;
const BLOCK_SIZE: c_int = 16;
/// Error codes: all is well, and there is no such record.
const NO_ERROR: c_int = 0;
const NO_ITEM: c_int = 15;

/// An open file: the library alone looks inside.
type Handle = *mut c_void;

/// `datum` of the library's header.
#[repr(C)]
#[derive(Clone, Copy)]
struct Datum {
    start: *mut c_char,
    len: c_int,
}

impl Datum {
    /// For the library to read from as long as `bytes` live; it writes into no datum that it is given.
    fn of(bytes: &[u8]) -> Datum {
        Datum { start: bytes.as_ptr().cast_mut().cast(), len: bytes.len() as c_int }
    }
}

mod calls {
    use super::{Datum, Handle, c_char, c_int, c_void, functions};

    functions! {
        /// Prefix `gdbm_`.
        Calls {
            open: fn(*const c_char, c_int, c_int, c_int, *const c_void) -> Handle;
            close: fn(Handle) -> c_int;
            store: fn(Handle, Datum, Datum, c_int) -> c_int;
            fetch: fn(Handle, Datum) -> Datum;
            delete: fn(Handle, Datum) -> c_int;
            exists: fn(Handle, Datum) -> c_int;
            firstkey: fn(Handle) -> Datum;
            nextkey: fn(Handle, Datum) -> Datum;
            count: fn(Handle, *mut u64) -> c_int;
            sync: fn(Handle) -> c_int;
            setopt: fn(Handle, c_int, *mut c_void, c_int) -> c_int;
            last_errno: fn(Handle) -> c_int;
            db_strerror: fn(Handle) -> *const c_char;
            errno_location: fn() -> *const c_int;
            strerror: fn(c_int) -> *const c_char;
        }
    }
}
use calls::Calls;

/// What the library answered: memory of `malloc` that is ours, freed when it is dropped.
struct Answered(Datum);

impl Answered {
    fn bytes(&self) -> &[u8] {
        // SAFETY: the library answered so many bytes, and they are freed with `self`. An empty value has an address too.
        unsafe { std::slice::from_raw_parts(self.0.start.cast(), self.0.len as usize) }
    }
}

impl Drop for Answered {
    fn drop(&mut self) {
        // SAFETY: the header leaves it to the caller to free it, which happens here alone.
        unsafe { libc::free(self.0.start.cast()) }
    }
}

/// What is the same for all files of a job.
struct Library {
    calls: Calls,
    keys: KeyMap,
    /// Bytes of a block of a new file; the file system's own where it is 0.
    block_bytes: c_int,
}

/// An open file.
struct GdbmFile {
    library: &'static Library,
    raw: Handle,
}

// SAFETY: a handle belongs to no thread; it is behind a lock, so that one thread at a time uses it.
unsafe impl Send for GdbmFile {}

impl Drop for GdbmFile {
    fn drop(&mut self) {
        // SAFETY: the handle is open, and closed here alone.
        if unsafe { (self.library.calls.close)(self.raw) } != 0 {
            eprintln!("gdbm: cannot close a file: {}", self.library.last_error());
        }
    }
}

impl Library {
    fn open(&'static self, path: &std::path::Path, mode: c_int) -> Result<GdbmFile, StoreError> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(StoreError::store)?;
        // SAFETY: the path ends with a zero; no function is to be called at a fatal error.
        let raw = unsafe { (self.calls.open)(name.as_ptr(), self.block_bytes, mode, 0o644, std::ptr::null()) };
        if raw.is_null() {
            return Err(StoreError::store(format!("cannot open {}: {}", path.display(), self.last_error())));
        }
        Ok(GdbmFile { library: self, raw })
    }

    /// The last error of this thread, for calls that leave no handle to ask.
    fn last_error(&self) -> String {
        // SAFETY: the library answers a pointer to its variable, and a constant text for every code.
        unsafe { text((self.calls.strerror)(*(self.calls.errno_location)())) }
    }
}

/// # Safety
/// `words` points to a text that ends with a zero.
unsafe fn text(words: *const c_char) -> String {
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

impl GdbmFile {
    fn code(&self) -> c_int {
        // SAFETY: the handle is open.
        unsafe { (self.library.calls.last_errno)(self.raw) }
    }

    #[cold]
    fn failed(&self) -> StoreError {
        // SAFETY: the handle is open, and the library answers a text.
        let words = unsafe { text((self.library.calls.db_strerror)(self.raw)) };
        StoreError::store(format!("{words} (code {})", self.code()))
    }

    fn done(&self, status: c_int) -> Result<(), StoreError> {
        if status == 0 { Ok(()) } else { Err(self.failed()) }
    }

    fn store(&mut self, key: &[u8], value: &[u8], mode: c_int) -> c_int {
        // SAFETY: key and value live through the call.
        unsafe { (self.library.calls.store)(self.raw, Datum::of(key), Datum::of(value), mode) }
    }

    fn overwrite(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let status = self.store(KeyBytes::of(&row.key).bytes(), row.raw, REPLACE);
        self.done(status)
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        match self.store(KeyBytes::of(&row.key).bytes(), row.raw, INSERT) {
            0 => Ok(WriteOutcome::Done),
            1 => Ok(WriteOutcome::Exists),
            _ => Err(self.failed()),
        }
    }

    /// The library has no write that demands an existing row: a lookup comes first, while the lock is held.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        // SAFETY: the key lives through the call.
        let exists = unsafe { (self.library.calls.exists)(self.raw, Datum::of(key.bytes())) } != 0;
        match exists {
            true => self.overwrite(row).map(|()| WriteOutcome::Done),
            false if matches!(self.code(), NO_ERROR | NO_ITEM) => Ok(WriteOutcome::Missing),
            false => Err(self.failed()),
        }
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(key);
        // SAFETY: the key lives through the call.
        match unsafe { (self.library.calls.delete)(self.raw, Datum::of(key.bytes())) } {
            0 => Ok(WriteOutcome::Done),
            _ if self.code() == NO_ITEM => Ok(WriteOutcome::Missing),
            _ => Err(self.failed()),
        }
    }

    /// What is answered, or nothing where the library says that there is none.
    #[inline(always)]
    fn answered(&self, answer: Datum) -> Result<Option<Answered>, StoreError> {
        match answer.start.is_null() {
            false => Ok(Some(Answered(answer))),
            true if self.code() == NO_ITEM => Ok(None),
            true => Err(self.failed()),
        }
    }

    #[inline(always)]
    fn fetch(&mut self, key: &[u8]) -> Result<Option<Answered>, StoreError> {
        // SAFETY: the key lives through the call.
        let answer = unsafe { (self.library.calls.fetch)(self.raw, Datum::of(key)) };
        self.answered(answer)
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let value = self.fetch(KeyBytes::of(key).bytes())?;
        if let Some(value) = &value {
            out.set_raw(value.bytes());
        }
        Ok(value.is_some())
    }

    /// The library has no counters: read, add, write, while the lock keeps the others out.
    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        let key = KeyBytes::of(key);
        let old = self.fetch(key.bytes())?.map_or(Ok(0), |value| number(value.bytes()))?;
        let status = self.store(key.bytes(), &(old + 1).to_le_bytes(), REPLACE);
        self.done(status)
    }

    /// Every record, in the order of the hash. The library walks over keys; each value takes a lookup.
    fn each(&mut self, mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        // SAFETY: the handle is open.
        let first = unsafe { (self.library.calls.firstkey)(self.raw) };
        let mut next = self.answered(first)?;
        while let Some(key) = next {
            let value = self.fetch(key.bytes())?.ok_or_else(|| StoreError::store("a key without a value"))?;
            visit(key.bytes(), value.bytes())?;
            // SAFETY: the key lives through the call.
            let following = unsafe { (self.library.calls.nextkey)(self.raw, key.0) };
            next = self.answered(following)?;
        }
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let keys = self.library.keys;
        self.each(|key, value| {
            sink.raw(keys.seen_bytes(key), value);
            Ok(())
        })
    }

    /// Sum of a file of counters.
    fn sum(&mut self) -> Result<u64, StoreError> {
        let mut sum = 0;
        self.each(|_, value| number(value).map(|counter| sum += counter))?;
        Ok(sum)
    }

    fn count(&mut self) -> Result<u64, StoreError> {
        let mut count = 0;
        // SAFETY: the handle is open, and there is room for the number.
        let status = unsafe { (self.library.calls.count)(self.raw, &mut count) };
        self.done(status).map(|()| count)
    }

    fn sync(&mut self) -> Result<(), StoreError> {
        // SAFETY: the handle is open.
        let status = unsafe { (self.library.calls.sync)(self.raw) };
        self.done(status)
    }

    /// What the library says about an option that is a number.
    fn option(&mut self, option: c_int) -> Result<c_int, StoreError> {
        let mut value: c_int = 0;
        let room = size_of::<c_int>() as c_int;
        // SAFETY: the handle is open, and the option is answered into a number of this size.
        let status = unsafe { (self.library.calls.setopt)(self.raw, option, (&raw mut value).cast(), room) };
        self.done(status).map(|()| value)
    }
}

/// A counter's value.
fn number(value: &[u8]) -> Result<u64, StoreError> {
    let bytes = value.try_into().map_err(|_| StoreError::store(format!("a counter has {} bytes", value.len())))?;
    Ok(u64::from_le_bytes(bytes))
}

/// What a commit does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Nothing.
    Put,
    /// Syncs the files that were written.
    Sync,
}

impl Mode {
    fn of(job: &Job) -> Result<Mode, StoreError> {
        match job.settings.get("mode").map(String::as_str) {
            None | Some("put") => Ok(Mode::Put),
            Some("sync") => Ok(Mode::Sync),
            Some(other) => Err(StoreError::store(format!("gdbm has no mode '{other}' here; it has put, sync"))),
        }
    }
}

/// What a file holds.
#[derive(Clone, Copy)]
enum Content {
    Rows,
    Counters,
}

const CONTENTS: [Content; 2] = [Content::Rows, Content::Counters];

/// The handles, each behind its lock; closed until they are needed.
#[derive(Default)]
struct Shared([Mutex<Option<GdbmFile>>; 2]);

impl Shared {
    fn lock(&self, content: Content) -> MutexGuard<'_, Option<GdbmFile>> {
        self.0[content as usize].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `work` with an open file, and keeps the others out meanwhile.
    #[inline(always)]
    fn with<T>(
        &self,
        content: Content,
        work: impl FnOnce(&mut GdbmFile) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match &mut *self.lock(content) {
            Some(file) => work(file),
            None => Err(StoreError::store("the file is closed in phases that open it")),
        }
    }
}

/// The files of a job.
pub struct Gdbm {
    version: String,
    library: &'static Library,
    shared: &'static Shared,
    mode: Mode,
    dir: PathBuf,
    namespace: String,
}

impl Store for Gdbm {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Gdbm, StoreError> {
        let dir = folder_of(job, "gdbm")?;
        refuse_unknown(job, "gdbm", &SETTINGS)?;
        // The library itself takes what is below 512 as "choose for me".
        let block_bytes = match job.settings.get("block_size").map(|text| (text, text.parse::<c_int>())) {
            None => 0,
            Some((_, Ok(bytes))) if bytes >= 512 => bytes,
            Some((text, _)) => {
                return Err(StoreError::store(format!(
                    "block_size '{text}' is no number of bytes; write 512 or more, in digits"
                )));
            }
        };
        let opened = OpenLibrary::open(job, LIBRARY, REMEDY)?;
        let calls = Calls::find(&opened, "gdbm_")?;
        let library = Library { calls, keys: *layout.keys(), block_bytes };
        Ok(Gdbm {
            version: opened.text("gdbm_version")?,
            // A process works on one job; its connections share these without counting.
            library: Box::leak(Box::new(library)),
            shared: Box::leak(Box::default()),
            mode: Mode::of(job)?,
            dir: dir.into(),
            namespace: job.namespace.clone(),
        })
    }

    fn capabilities(&self) -> Capabilities {
        let usual = Capabilities::default();
        let mut operations = usual.operations.clone();
        // A hash has no order.
        operations.retain(|operation| *operation != Operation::Latest);
        // The length of a value is an `int`, and key and value are written as one.
        Capabilities { operations, max_value_bytes: 1 << 30, ..usual }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("gdbm".into(), self.version.clone())])
    }

    /// Whether commits sync is this adapter's doing; that the library syncs no call by itself is asked of it.
    fn settings(&self) -> Result<Texts, StoreError> {
        let (each, block_bytes) = self.rows(|file| Ok((file.option(SYNCS_EACH)?, file.option(BLOCK_SIZE)?)))?;
        let mode = if self.mode == Mode::Sync { "sync" } else { "put" };
        Ok(Texts::from([
            ("mode".into(), mode.into()),
            ("syncs_each_call".into(), if each == 0 { "no" } else { "yes" }.into()),
            ("block_size".into(), block_bytes.to_string()),
        ]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()?;
        self.ready()
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.close();
        for content in CONTENTS {
            match std::fs::remove_file(self.path(content)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::store(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The library adds up what its buckets hold.
    fn count(&self) -> Result<u64, StoreError> {
        self.rows(GdbmFile::count)
    }

    /// Length of the file of rows; the library tells none.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        std::fs::metadata(self.path(Content::Rows)).map(|metadata| metadata.len()).map_err(StoreError::store)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.ready()?;
        self.shared.with(Content::Counters, GdbmFile::sum)
    }
}

impl Drop for Gdbm {
    fn drop(&mut self) {
        self.close();
    }
}

impl Gdbm {
    fn path(&self, content: Content) -> PathBuf {
        let more = if let Content::Counters = content { "-counters" } else { "" };
        self.dir.join(format!("{}{more}.gdbm", self.namespace))
    }

    /// Opens what is closed.
    fn ready(&self) -> Result<(), StoreError> {
        for content in CONTENTS {
            let mut file = self.shared.lock(content);
            if file.is_none() {
                *file = Some(self.library.open(&self.path(content), WRITER)?);
            }
        }
        Ok(())
    }

    fn close(&self) {
        CONTENTS.into_iter().for_each(|content| *self.shared.lock(content) = None);
    }

    fn rows<T>(&self, work: impl FnOnce(&mut GdbmFile) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.ready()?;
        self.shared.with(Content::Rows, work)
    }
}

impl Blocking for Gdbm {
    type Connection = GdbmConnection;

    fn connect(&self, phase: &Phase) -> Result<GdbmConnection, StoreError> {
        match phase.operation() {
            // Each operation opens the file anew, which a writer would keep it from.
            Operation::Open => self.close(),
            _ => self.ready()?,
        }
        Ok(GdbmConnection { shared: self.shared, mode: self.mode, dirty: [false; 2] })
    }

    /// A file has many readers at a time, so that openings do not wait for each other.
    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let mut file = self.library.open(&self.path(Content::Rows), READER)?;
        answers.one_by_one(|key, out| file.read(key, out))
    }
}

/// A connection: the shared handles, and which of them it has written to since its last commit.
pub struct GdbmConnection {
    shared: &'static Shared,
    mode: Mode,
    dirty: [bool; 2],
}

impl GdbmConnection {
    #[inline(always)]
    fn write<T>(
        &mut self,
        content: Content,
        work: impl FnOnce(&mut GdbmFile) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.dirty[content as usize] = true;
        self.shared.with(content, work)
    }
}

impl Connection for GdbmConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.write(Content::Rows, |file| file.overwrite(row))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.write(Content::Rows, |file| file.insert(row))
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.shared.with(Content::Rows, |file| file.read(key, out))
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.write(Content::Rows, |file| file.update(row))
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.write(Content::Rows, |file| file.delete(key))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        for content in CONTENTS {
            if std::mem::take(&mut self.dirty[content as usize]) && self.mode == Mode::Sync {
                self.shared.with(content, GdbmFile::sync)?;
            }
        }
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.shared.with(Content::Rows, |file| file.scan(sink))
    }

    /// The lock is taken once for all of them.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        self.shared.with(Content::Rows, |file| answers.one_by_one(|key, out| file.read(key, out)))
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.write(Content::Counters, |file| file.increment(key))
    }
}
