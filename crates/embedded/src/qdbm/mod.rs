//! `qdbm`: QDBM, a library opened at run time, in this process. Depot, its hash, and Villa, its B+ tree, are variants.
//!
//! The library has no locks, so one handle is behind one. It closes between phases only where a phase measures the
//! opening. Counters are in a second database of the same kind.

mod file;

use std::ffi::{CString, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{Capabilities, Job, Layout, Operation, Phase};

use crate::common::library::{OpenLibrary, refuse_unknown};
use file::{Family, File, Step};
use kurabe_client::adapter::{
    Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::folder_of;

const LIBRARY: &str = "libqdbm.so.14";
const REMEDY: &str = "install version 1.8.78 (package libqdbm14)";
const SETTINGS: [&str; 2] = ["mode", "bnum"];

/// What a commit does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Nothing.
    Put,
    /// Syncs the file.
    Sync,
    /// Ends a transaction.
    Tran,
}

impl Mode {
    fn of(job: &Job, tree: bool) -> Result<Mode, StoreError> {
        match job.settings.get("mode").map(String::as_str) {
            None | Some("put") => Ok(Mode::Put),
            Some("sync") => Ok(Mode::Sync),
            Some("tran") if tree => Ok(Mode::Tran),
            Some("tran") => Err(StoreError::store("mode 'tran' is for the variant btree alone")),
            Some(other) => Err(StoreError::store(format!("qdbm has no mode '{other}'; it has put, sync, tran"))),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Mode::Put => "put",
            Mode::Sync => "sync",
            Mode::Tran => "tran",
        }
    }
}

/// What a database holds.
#[derive(Clone, Copy)]
enum Content {
    Rows,
    Counters,
}

/// The handles, each behind its lock; closed until they are needed.
#[derive(Default)]
struct Shared {
    files: [Mutex<Option<File>>; 2],
    /// A transaction is of the whole database: whoever has it keeps this.
    turn: Mutex<()>,
}

fn lock<T>(lock: &'static Mutex<T>) -> MutexGuard<'static, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Does `work` with an open file, and keeps the others out meanwhile.
    #[inline(always)]
    fn with<T>(
        &'static self,
        content: Content,
        work: impl FnOnce(&mut File) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match &mut *lock(&self.files[content as usize]) {
            Some(file) => work(file),
            None => Err(StoreError::store("the database is closed in phases that open it")),
        }
    }
}

/// The databases of a job.
pub struct Qdbm {
    version: String,
    family: &'static Family,
    shared: &'static Shared,
    mode: Mode,
    dir: PathBuf,
    namespace: String,
}

impl Store for Qdbm {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Qdbm, StoreError> {
        let dir = folder_of(job, "qdbm")?;
        refuse_unknown(job, "qdbm", &SETTINGS)?;
        let tree = match job.candidate.variant.as_deref() {
            None | Some("hash") => false,
            Some("btree") => true,
            Some(other) => {
                return Err(StoreError::store(format!("qdbm has no variant '{other}'; it has hash, btree")));
            }
        };
        let buckets = match job.settings.get("bnum").map(|text| (text, text.parse::<c_int>())) {
            None => 0,
            Some((_, Ok(number))) if number > 0 => number,
            Some((text, _)) => return Err(StoreError::store(format!("bnum '{text}' is no number; write digits only"))),
        };
        let library = OpenLibrary::open(job, LIBRARY, REMEDY)?;
        let family = Family::find(&library, tree, *layout.keys(), layout.len_bytes(), buckets)?;
        Ok(Qdbm {
            version: library.text("dpversion")?,
            // A process works on one job; its connections share these without counting.
            family: Box::leak(Box::new(family)),
            shared: Box::leak(Box::default()),
            mode: Mode::of(job, tree)?,
            dir: dir.into(),
            namespace: job.namespace.clone(),
        })
    }

    fn capabilities(&self) -> Capabilities {
        let usual = Capabilities::default();
        let mut operations = usual.operations.clone();
        operations.retain(|operation| self.family.is_tree() || *operation != Operation::Latest);
        Capabilities {
            operations,
            transactions: self.mode == Mode::Tran,
            // A whole file has at most 2 GiB.
            max_value_bytes: 1 << 30,
            ..usual
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("qdbm".into(), self.version.clone())])
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let mut told = Texts::from([("mode".into(), self.mode.word().into())]);
        if let Some(buckets) = self.rows(|file| Ok(file.buckets()))? {
            told.insert("bnum".into(), buckets.to_string());
        }
        Ok(told)
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()?;
        self.ready()
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.close();
        for content in [Content::Rows, Content::Counters] {
            match std::fs::remove_file(self.path(content)) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(StoreError::store(error)),
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.rows(|file| Ok(file.rows()))
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.rows(|file| Ok(file.file_bytes()))
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.ready()?;
        self.shared.with(Content::Counters, File::sum)
    }
}

impl Drop for Qdbm {
    /// A file that is not closed cannot be opened again without a repair.
    fn drop(&mut self) {
        self.close();
    }
}

impl Qdbm {
    fn path(&self, content: Content) -> PathBuf {
        let kind = if self.family.is_tree() { "villa" } else { "depot" };
        let more = if let Content::Counters = content { "-counters" } else { "" };
        self.dir.join(format!("{}{more}.{kind}", self.namespace))
    }

    fn open_one(&self, content: Content, mode: c_int) -> Result<File, StoreError> {
        let path = CString::new(self.path(content).as_os_str().as_bytes()).map_err(StoreError::store)?;
        self.family.open(&path, mode)
    }

    /// Opens what is closed.
    fn ready(&self) -> Result<(), StoreError> {
        for content in [Content::Rows, Content::Counters] {
            let mut file = lock(&self.shared.files[content as usize]);
            if file.is_none() {
                *file = Some(self.open_one(content, file::WRITER | file::CREATE)?);
            }
        }
        Ok(())
    }

    fn close(&self) {
        self.shared.files.iter().for_each(|file| *lock(file) = None);
    }

    fn rows<T>(&self, work: impl FnOnce(&mut File) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.ready()?;
        self.shared.with(Content::Rows, work)
    }
}

impl Blocking for Qdbm {
    type Connection = QdbmConnection;

    fn connect(&self, phase: &Phase) -> Result<QdbmConnection, StoreError> {
        match phase.operation() {
            // Each operation opens the file anew.
            Operation::Open => self.close(),
            _ => self.ready()?,
        }
        let counter = RowBuffer::default();
        Ok(QdbmConnection { shared: self.shared, mode: self.mode, held: None, dirty: [false; 2], counter })
    }

    /// The library is for one thread at a time, so that openings take turns.
    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let _turn = lock(&self.shared.turn);
        let mut file = self.open_one(Content::Rows, file::READER)?;
        answers.one_by_one(|key, out| file.read(key, out))
    }
}

/// A connection: the shared handles, and what it has written since its last commit.
pub struct QdbmConnection {
    shared: &'static Shared,
    mode: Mode,
    /// The turn, from the first write of a transaction to its commit.
    held: Option<MutexGuard<'static, ()>>,
    /// Whether rows and counters have writes that wait for a commit; with transactions, an open one.
    dirty: [bool; 2],
    counter: RowBuffer,
}

impl QdbmConnection {
    /// Does `work`, in a transaction where writes need one.
    #[inline(always)]
    fn write<T>(
        &mut self,
        content: Content,
        work: impl FnOnce(&mut File, &mut RowBuffer) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let begins = !self.dirty[content as usize] && self.mode == Mode::Tran;
        if begins && self.held.is_none() {
            self.held = Some(lock(&self.shared.turn));
        }
        let (dirty, counter) = (&mut self.dirty[content as usize], &mut self.counter);
        self.shared.with(content, |file| {
            if begins {
                file.transaction(Step::Begin)?;
            }
            *dirty = true;
            work(file, counter)
        })
    }

    /// Ends what is open, and gives the turn away.
    fn end(&mut self, step: Step) -> Result<(), StoreError> {
        let mut ended = Ok(());
        for content in [Content::Rows, Content::Counters] {
            if std::mem::take(&mut self.dirty[content as usize]) {
                ended = ended.and(match self.mode {
                    Mode::Put => Ok(()),
                    Mode::Sync => self.shared.with(content, File::sync),
                    Mode::Tran => self.shared.with(content, |file| file.transaction(step)),
                });
            }
        }
        self.held = None;
        ended
    }
}

impl Drop for QdbmConnection {
    fn drop(&mut self) {
        if let Err(error) = self.end(Step::Abort) {
            eprintln!("qdbm: cannot end a transaction: {error}");
        }
    }
}

impl Connection for QdbmConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.write(Content::Rows, |file, _| file.overwrite(row))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let done = self.write(Content::Rows, |file, _| file.insert(row))?;
        Ok(if done { WriteOutcome::Done } else { WriteOutcome::Exists })
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.shared.with(Content::Rows, |file| file.read(key, out))
    }

    /// The library has no write that demands an existing row: a lookup comes first, while the lock is held.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.write(Content::Rows, |file, _| {
            if !file.exists(&row.key)? {
                return Ok(WriteOutcome::Missing);
            }
            file.overwrite(row).map(|()| WriteOutcome::Done)
        })
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let done = self.write(Content::Rows, |file, _| file.delete(key))?;
        Ok(if done { WriteOutcome::Done } else { WriteOutcome::Missing })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.end(Step::Commit)
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.shared.with(Content::Rows, |file| file.scan(sink))
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.shared.with(Content::Rows, |file| file.latest(rows, sink))
    }

    /// The lock is taken once for all of them.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        self.shared.with(Content::Rows, |file| answers.one_by_one(|key, out| file.read(key, out)))
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.write(Content::Counters, |file, counter| file.increment(key, counter))
    }
}
