//! `tinycdb`: a constant database, made once and then read, by a library opened at run time, in this process.
//!
//! While rows are loaded they go into a file that nobody can read yet. The commit after the last row of the phase
//! finishes it and gives it its name; the commits before do nothing. Where a phase does not tell how many rows it
//! loads, the file is finished when the last connection leaves.

use std::ffi::{c_int, c_uchar, c_uint, c_void};
use std::fs::File;
use std::os::fd::AsRawFd;
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

const LIBRARY: &str = "libcdb.so.1";
const REMEDY: &str = "install version 0.78 (package libcdb1)";
/// Where the records begin.
const FIRST_RECORD: c_uint = 2048;

/// `struct cdb` of the library's header.
#[repr(C)]
struct Cdb {
    fd: c_int,
    file_len: c_uint,
    data_end: c_uint,
    memory: *const c_uchar,
    value_at: c_uint,
    value_len: c_uint,
    key_at: c_uint,
    key_len: c_uint,
}

/// `struct cdb_make` of the library's header, with room behind it for a later one.
#[repr(C)]
struct CdbMake {
    fd: c_int,
    data_at: c_uint,
    records: c_uint,
    buffer: [c_uchar; 4096],
    buffer_at: *mut c_uchar,
    hashes: [*mut c_void; 256],
    room: [u64; 256],
}

mod calls {
    use super::{Cdb, CdbMake, c_int, c_uint, c_void, functions};

    functions! {
        /// Prefix `cdb_`.
        Calls {
            init: fn(*mut Cdb, c_int) -> c_int;
            free: fn(*mut Cdb);
            get: fn(*const Cdb, c_uint, c_uint) -> *const c_void;
            find: fn(*mut Cdb, *const c_void, c_uint) -> c_int;
            seqnext: fn(*mut c_uint, *mut Cdb) -> c_int;
            make_start: fn(*mut CdbMake, c_int) -> c_int;
            make_add: fn(*mut CdbMake, *const c_void, c_uint, *const c_void, c_uint) -> c_int;
            make_put: fn(*mut CdbMake, *const c_void, c_uint, *const c_void, c_uint, c_int) -> c_int;
            make_finish: fn(*mut CdbMake) -> c_int;
        }
    }
}
use calls::Calls;

/// The library tells errors by `errno`.
fn failed(what: &str) -> StoreError {
    StoreError::store(format!("cannot {what}: {}", std::io::Error::last_os_error()))
}

/// The database of a job.
pub struct TinyCdb(Arc<Plan>);

struct Plan {
    calls: Calls,
    keys: KeyMap,
    path: PathBuf,
    /// Whether the finished file and its name are synced.
    sync: bool,
    duplicates: Duplicates,
    pending: Mutex<PendingFile>,
}

/// What becomes of a row that is in the file already, since it is loaded once more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Duplicates {
    /// It stays beside the new one; a read finds the first. Nothing is looked up, as in most programs.
    Keep,
    /// The new one takes its place, for which the library looks it up and moves what stands behind it.
    Replace,
    /// It stays, and the new one is left out.
    Skip,
}

impl Duplicates {
    const ALL: [Duplicates; 3] = [Duplicates::Keep, Duplicates::Replace, Duplicates::Skip];

    fn word(self) -> &'static str {
        match self {
            Duplicates::Keep => "keep",
            Duplicates::Replace => "replace",
            Duplicates::Skip => "skip",
        }
    }

    /// `enum cdb_put_mode` of the library's header.
    fn mode(self) -> c_int {
        match self {
            Duplicates::Keep => 0,
            Duplicates::Replace => 1,
            Duplicates::Skip => 2,
        }
    }
}

/// The file that is being made.
#[derive(Default)]
struct PendingFile {
    file: Option<Unfinished>,
    /// Connections that load.
    loaders: u32,
}

struct Unfinished {
    file: File,
    make: Box<CdbMake>,
    rows: u64,
}

// SAFETY: the structure points into itself and to memory of the library's own; it is used behind a lock.
unsafe impl Send for Unfinished {}

impl Plan {
    fn pending(&self) -> MutexGuard<'_, PendingFile> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn unfinished_path(&self) -> PathBuf {
        self.path.with_extension("cdb.new")
    }

    /// Begins a file where none is begun, and counts a loader.
    fn begin(&self) -> Result<(), StoreError> {
        let mut pending = self.pending();
        if pending.file.is_none() {
            if self.path.exists() {
                return Err(StoreError::store("the file is made already, and a constant database takes no more rows"));
            }
            // To look a row up the library reads what it has written.
            let file = File::options().read(true).write(true).create(true).truncate(true).open(self.unfinished_path());
            let file = file.map_err(StoreError::store)?;
            // SAFETY: the structure is plain, and the library fills all that it uses.
            let mut make: Box<CdbMake> = Box::new(unsafe { std::mem::zeroed() });
            // SAFETY: the structure stays where it is, as the library points into it; the file is open.
            if unsafe { (self.calls.make_start)(&mut *make, file.as_raw_fd()) } != 0 {
                return Err(failed("begin a file"));
            }
            pending.file = Some(Unfinished { file, make, rows: 0 });
        }
        pending.loaders += 1;
        Ok(())
    }

    fn add(&self, row: &Row<'_>) -> Result<(), StoreError> {
        let mut pending = self.pending();
        let Some(unfinished) = &mut pending.file else { return Err(StoreError::store("the file is finished")) };
        let key = KeyBytes::of(&row.key);
        let (value, len) = (row.raw.as_ptr().cast(), row.raw.len() as c_uint);
        // SAFETY: key and value live through the call, which copies them.
        let added = unsafe {
            let (bytes, key_len) = (key.bytes().as_ptr().cast(), key.c_len() as c_uint);
            match self.duplicates {
                Duplicates::Keep => (self.calls.make_add)(&mut *unfinished.make, bytes, key_len, value, len),
                other => (self.calls.make_put)(&mut *unfinished.make, bytes, key_len, value, len, other.mode()),
            }
        };
        // Above 0 it says that there was such a key.
        if added < 0 {
            return Err(failed("add a row (a file has at most 4 GiB)"));
        }
        unfinished.rows += 1;
        Ok(())
    }

    /// Finishes the file if it has `rows` rows, or as it is where that is not said; nothing where it is finished.
    fn finish(&self, pending: &mut PendingFile, rows: Option<u64>) -> Result<(), StoreError> {
        let complete = |unfinished: &mut Unfinished| rows.is_none_or(|rows| unfinished.rows >= rows);
        let Some(mut unfinished) = pending.file.take_if(complete) else { return Ok(()) };
        // SAFETY: the structure was begun and never finished.
        if unsafe { (self.calls.make_finish)(&mut *unfinished.make) } != 0 {
            return Err(failed("finish the file"));
        }
        if self.sync {
            unfinished.file.sync_all().map_err(StoreError::store)?;
        }
        std::fs::rename(self.unfinished_path(), &self.path).map_err(StoreError::store)?;
        if let (true, Some(folder)) = (self.sync, self.path.parent()) {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(StoreError::store)?;
        }
        Ok(())
    }
}

impl Store for TinyCdb {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<TinyCdb, StoreError> {
        let dir = folder_of(job, "tinycdb")?;
        refuse_unknown(job, "tinycdb", &["sync", "duplicates"])?;
        let sync = match job.settings.get("sync").map(String::as_str) {
            None | Some("no") => false,
            Some("yes") => true,
            Some(other) => return Err(StoreError::store(format!("sync '{other}' is neither yes nor no"))),
        };
        let asked = job.settings.get("duplicates").map_or("keep", String::as_str);
        let duplicates = Duplicates::ALL
            .into_iter()
            .find(|one| one.word() == asked)
            .ok_or_else(|| StoreError::store(format!("duplicates '{asked}' is unknown; give keep, replace or skip")))?;
        Ok(TinyCdb(Arc::new(Plan {
            calls: Calls::find(&OpenLibrary::open(job, LIBRARY, REMEDY)?, "cdb_")?,
            keys: *layout.keys(),
            path: dir.join(format!("{}.cdb", job.namespace)),
            sync,
            duplicates,
            pending: Mutex::default(),
        })))
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            operations: vec![Operation::Load, Operation::Read, Operation::Scan, Operation::MultiRead, Operation::Open],
            // A whole file has at most 4 GiB.
            max_value_bytes: 1 << 30,
            keeps_copies: self.0.duplicates == Duplicates::Keep,
            ..Capabilities::default()
        }
    }

    /// The library does not tell its version.
    fn libraries(&self) -> Texts {
        Texts::from([("tinycdb".into(), LIBRARY.into())])
    }

    /// What is done when a file is finished and with rows that come again; the library has no settings.
    fn settings(&self) -> Result<Texts, StoreError> {
        let sync = if self.0.sync { "yes" } else { "no" };
        Ok(Texts::from([("sync".into(), sync.into()), ("duplicates".into(), self.0.duplicates.word().into())]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.0.pending().file = None;
        for path in [self.0.path.clone(), self.0.unfinished_path()] {
            match std::fs::remove_file(path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::store(error)),
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, StoreError> {
        if !self.0.path.exists() {
            return Ok(0);
        }
        let mut rows = 0;
        Reader::open(&self.0)?.each(|_, _| rows += 1)?;
        Ok(rows)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        std::fs::metadata(&self.0.path).map(|file| file.len()).map_err(StoreError::store)
    }
}

impl Blocking for TinyCdb {
    type Connection = CdbConnection;

    fn connect(&self, phase: &Phase) -> Result<CdbConnection, StoreError> {
        let way = if phase.does(Operation::Load) {
            self.0.begin()?;
            // A warm-up loads more rows than are counted.
            Mode::Load(self.0.clone(), phase.end.count().filter(|_| phase.warmup.is_none()))
        } else {
            Mode::Read(Reader::open(&self.0)?)
        };
        Ok(CdbConnection(way))
    }
}

/// The finished file, mapped once more for each connection: looking up changes the structure.
struct Reader {
    plan: Arc<Plan>,
    cdb: Box<Cdb>,
    _file: File,
}

impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: the structure was initialised, and is freed here alone.
        unsafe { (self.plan.calls.free)(&mut *self.cdb) }
    }
}

impl Reader {
    fn open(plan: &Arc<Plan>) -> Result<Reader, StoreError> {
        let file = File::open(&plan.path)
            .map_err(|error| StoreError::store(format!("no finished database to read from: {error}")))?;
        // SAFETY: the structure is plain, and the library fills all of it; the file is open as long as it.
        let mut cdb: Box<Cdb> = Box::new(unsafe { std::mem::zeroed() });
        // SAFETY: as above.
        if unsafe { (plan.calls.init)(&mut *cdb, file.as_raw_fd()) } != 0 {
            return Err(failed("read the database"));
        }
        Ok(Reader { plan: plan.clone(), cdb, _file: file })
    }

    /// Bytes of the file; an error where it has not so many.
    fn bytes(&self, at: c_uint, len: c_uint) -> Result<&[u8], StoreError> {
        // SAFETY: the library answers a pointer to so many bytes of its map, which is as long-lived as `self`, or none.
        unsafe {
            let start = (self.plan.calls.get)(&*self.cdb, len, at);
            if start.is_null() {
                return Err(failed("read a record"));
            }
            Ok(std::slice::from_raw_parts(start.cast(), len as usize))
        }
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key);
        // SAFETY: the key lives through the call.
        match unsafe { (self.plan.calls.find)(&mut *self.cdb, key.bytes().as_ptr().cast(), key.c_len() as c_uint) } {
            0 => Ok(false),
            1.. => {
                out.set_raw(self.bytes(self.cdb.value_at, self.cdb.value_len)?);
                Ok(true)
            }
            _ => Err(failed("look up a key")),
        }
    }

    fn each(&mut self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        let mut at = FIRST_RECORD;
        loop {
            // SAFETY: the structure was initialised.
            match unsafe { (self.plan.calls.seqnext)(&mut at, &mut *self.cdb) } {
                0 => return Ok(()),
                1.. => {
                    let key = self.bytes(self.cdb.key_at, self.cdb.key_len)?;
                    visit(key, self.bytes(self.cdb.value_at, self.cdb.value_len)?);
                }
                _ => return Err(failed("walk through the records")),
            }
        }
    }
}

/// A connection that loads, or one that reads.
pub struct CdbConnection(Mode);

enum Mode {
    /// With the number of rows after which the file is complete.
    Load(Arc<Plan>, Option<u64>),
    Read(Reader),
}

impl CdbConnection {
    fn reader(&mut self) -> Result<&mut Reader, StoreError> {
        match &mut self.0 {
            Mode::Read(reader) => Ok(reader),
            Mode::Load(..) => Err(StoreError::store("nothing can be read while the file is made")),
        }
    }
}

impl Drop for CdbConnection {
    fn drop(&mut self) {
        let Mode::Load(plan, _) = &self.0 else { return };
        let mut pending = plan.pending();
        pending.loaders -= 1;
        if pending.loaders == 0
            && let Err(error) = plan.finish(&mut pending, None)
        {
            eprintln!("tinycdb: {error}");
        }
    }
}

impl Connection for CdbConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        match &self.0 {
            Mode::Load(plan, _) => plan.add(row),
            Mode::Read(_) => Err(StoreError::Unsupported),
        }
    }

    fn insert(&mut self, _row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        Err(StoreError::Unsupported)
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.reader()?.read(key, out)
    }

    fn update(&mut self, _row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        Err(StoreError::Unsupported)
    }

    fn delete(&mut self, _key: &Key) -> Result<WriteOutcome, StoreError> {
        Err(StoreError::Unsupported)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        match &self.0 {
            Mode::Load(plan, Some(rows)) => plan.finish(&mut plan.pending(), Some(*rows)),
            Mode::Load(_, None) | Mode::Read(_) => Ok(()),
        }
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let reader = self.reader()?;
        let keys = reader.plan.keys;
        reader.each(|key, value| sink.raw(keys.seen_bytes(key), value))
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let reader = self.reader()?;
        answers.one_by_one(|key, out| reader.read(key, out))
    }
}
