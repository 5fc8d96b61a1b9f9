//! `tokyocabinet`: Tokyo Cabinet, a library opened at run time, in this process. Its four kinds of databases are variants.
//!
//! The library allows a process one handle a file, so all connections share it, with the library's own locks where
//! there are several. It closes between phases only where a phase measures the opening. Counters are in a second
//! database of the same kind.

mod calls;
mod engine;
mod table;
mod walk;

use std::ffi::{CString, c_int};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{Capabilities, FieldType, Job, Layout, Operation, Phase, Schema};

use crate::common::library::{OpenLibrary, refuse_unknown};
use engine::{Content, Engine, Family, Put, Tuning};
use kurabe_client::adapter::{
    Answers, Blocking, Connection, Key, Range, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::folder_of;
use table::ColumnMap;

const LIBRARY: &str = "libtokyocabinet.so.9";
const REMEDY: &str = "install version 1.4.48 (package libtokyocabinet9)";
const SETTINGS: [&str; 5] = ["mode", "large", "bnum", "xmsiz", "limsiz"];
/// Address space of a fixed-length database where the job says nothing: more than any job writes.
const LIMIT_BYTES: i64 = 1 << 40;

/// The kinds of databases.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Hash,
    Btree,
    Fixed,
    Table,
}

impl Kind {
    fn of(job: &Job) -> Result<Kind, StoreError> {
        match job.candidate.variant.as_deref() {
            None | Some("hash") => Ok(Kind::Hash),
            Some("btree") => Ok(Kind::Btree),
            Some("fixed") => Ok(Kind::Fixed),
            Some("table") => Ok(Kind::Table),
            Some(other) => Err(StoreError::store(format!(
                "tokyocabinet has no variant '{other}'; it has hash, btree, fixed, table"
            ))),
        }
    }

    fn prefix(self) -> &'static str {
        match self {
            Kind::Hash => "tchdb",
            Kind::Btree => "tcbdb",
            Kind::Fixed => "tcfdb",
            Kind::Table => "tctdb",
        }
    }

    /// How files of this kind end.
    fn ending(self) -> &'static str {
        match self {
            Kind::Hash => "tch",
            Kind::Btree => "tcb",
            Kind::Fixed => "tcf",
            Kind::Table => "tct",
        }
    }
}

/// What a commit does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Nothing.
    Put,
    /// Nothing, and overwriting puts are delayed.
    PutAsync,
    /// Syncs the file.
    Sync,
    /// Ends a transaction.
    Tran,
    /// Ends a transaction that is synced.
    TranSync,
}

impl Mode {
    const ALL: [Mode; 5] = [Mode::Put, Mode::PutAsync, Mode::Sync, Mode::Tran, Mode::TranSync];

    fn word(self) -> &'static str {
        match self {
            Mode::Put => "put",
            Mode::PutAsync => "putasync",
            Mode::Sync => "sync",
            Mode::Tran => "tran",
            Mode::TranSync => "tran-sync",
        }
    }

    fn of(job: &Job, kind: Kind) -> Result<Mode, StoreError> {
        let Some(word) = job.settings.get("mode") else { return Ok(Mode::Put) };
        let mode = Mode::ALL.into_iter().find(|mode| mode.word() == word);
        match mode {
            Some(Mode::PutAsync) if kind != Kind::Hash => {
                Err(StoreError::store("mode 'putasync' is for the variant hash alone"))
            }
            Some(mode) => Ok(mode),
            None => {
                let known = Mode::ALL.map(Mode::word).join(", ");
                Err(StoreError::store(format!("tokyocabinet has no mode '{word}'; it has {known}")))
            }
        }
    }

    fn transactions(self) -> bool {
        matches!(self, Mode::Tran | Mode::TranSync)
    }
}

/// The databases of a job.
pub struct Tokyo {
    version: String,
    family: &'static Family,
    mode: Mode,
    schema: Schema,
    dir: PathBuf,
    namespace: String,
    /// Whether the job counts, so that the second database is needed.
    counts: bool,
    /// The handles, while they are open.
    open: Mutex<Option<Arc<Databases>>>,
    /// A transaction is of the whole database: whoever has it keeps this.
    turn: &'static Mutex<()>,
}

/// The open handles.
struct Databases {
    rows: Engine,
    counters: Option<Engine>,
}

impl Store for Tokyo {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Tokyo, StoreError> {
        let dir = folder_of(job, "tokyocabinet")?;
        refuse_unknown(job, "tokyocabinet", &SETTINGS)?;
        let kind = Kind::of(job)?;
        if kind == Kind::Fixed && layout.text_key() {
            return Err(StoreError::store("keys of variant fixed are numbers; take a schema with an int64 key"));
        }
        let mode = Mode::of(job, kind)?;
        let library = OpenLibrary::open(job, LIBRARY, REMEDY)?;
        let family = Family::find(&library, kind, job, layout, tuning(job)?)?;
        Ok(Tokyo {
            version: library.text("tcversion")?,
            // A process works on one job.
            family: Box::leak(Box::new(family)),
            mode,
            schema: job.schema.clone(),
            dir: dir.into(),
            namespace: job.namespace.clone(),
            counts: job.phases.iter().any(|phase| phase.does(Operation::Increment)),
            open: Mutex::new(None),
            turn: Box::leak(Box::default()),
        })
    }

    fn capabilities(&self) -> Capabilities {
        let kind = self.family.kind;
        let usual = if kind == Kind::Table { Capabilities::of_columns() } else { Capabilities::default() };
        let ordered = matches!(kind, Kind::Btree | Kind::Fixed);
        let mut operations = usual.operations.clone();
        operations.retain(|operation| ordered || *operation != Operation::Latest);
        if kind == Kind::Table && self.schema.values().iter().any(|field| field.field_type == FieldType::Int64) {
            operations.push(Operation::Search);
        }
        Capabilities {
            operations,
            key_types: if kind == Kind::Fixed { vec![FieldType::Int64] } else { usual.key_types.clone() },
            // Records of the fixed kind are numbered from 1 on, as far as its file reaches.
            own_data: kind != Kind::Fixed,
            transactions: self.mode.transactions(),
            // Sizes are ints; a row of a table has names beside its values.
            max_value_bytes: 1 << 30,
            ..usual
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("tokyocabinet".into(), self.version.clone())])
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let told = self.databases()?.rows.settings(self.mode);
        Ok(told.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()?;
        self.databases()?.rows.index(&self.schema)
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.close();
        // Beside each file are its log and the indexes, named after it.
        let ours = [Content::Rows, Content::Counters].map(|content| self.file_name(content));
        for entry in std::fs::read_dir(&self.dir).map_err(StoreError::store)? {
            let entry = entry.map_err(StoreError::store)?;
            if ours.iter().any(|name| entry.file_name().to_string_lossy().starts_with(name)) {
                std::fs::remove_file(entry.path()).map_err(StoreError::store)?;
            }
        }
        Ok(())
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.databases()?.rows.rows()
    }

    /// Length of the file of the rows; a fixed-length database and a table's indexes are more on the disk.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.databases()?.rows.file_bytes()
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.databases()?.counters.as_ref().map_or(Ok(0), Engine::sum)
    }
}

/// Settings of the file, where the job has some.
fn tuning(job: &Job) -> Result<Tuning, StoreError> {
    let number = |name: &str| match job.settings.get(name).map(|value| (value, value.parse::<i64>())) {
        None => Ok(None),
        Some((_, Ok(number))) if number > 0 => Ok(Some(number)),
        Some((value, _)) => Err(StoreError::store(format!("{name} '{value}' is no number; write digits only"))),
    };
    let large = match job.settings.get("large").map(String::as_str) {
        None | Some("no") => false,
        Some("yes") => true,
        Some(other) => return Err(StoreError::store(format!("large '{other}' is neither yes nor no"))),
    };
    Ok(Tuning {
        buckets: number("bnum")?.unwrap_or(0),
        map_bytes: number("xmsiz")?,
        large,
        limit_bytes: number("limsiz")?.unwrap_or(LIMIT_BYTES),
    })
}

impl Tokyo {
    fn file_name(&self, content: Content) -> String {
        let more = if content == Content::Counters { "-counters" } else { "" };
        format!("{}{more}.{}", self.namespace, self.family.kind.ending())
    }

    fn open_one(&self, content: Content, mode: c_int) -> Result<Engine, StoreError> {
        let path = CString::new(path_bytes(&self.dir.join(self.file_name(content)))).map_err(StoreError::store)?;
        self.family.open(&path, mode, content)
    }

    fn lock_open(&self) -> MutexGuard<'_, Option<Arc<Databases>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The handles; opened where they are not.
    fn databases(&self) -> Result<Arc<Databases>, StoreError> {
        let mut open = self.lock_open();
        if let Some(open) = &*open {
            return Ok(open.clone());
        }
        let synced = if self.mode == Mode::TranSync { calls::TSYNC } else { 0 };
        let mode = calls::WRITER | calls::CREATE | synced;
        let counters = self.counts.then(|| self.open_one(Content::Counters, mode)).transpose()?;
        let databases = Arc::new(Databases { rows: self.open_one(Content::Rows, mode)?, counters });
        Ok(open.insert(databases).clone())
    }

    /// Closes the handles. No connection has them: phases follow one another.
    fn close(&self) {
        *self.lock_open() = None;
    }
}

fn path_bytes(path: &Path) -> &[u8] {
    use std::os::unix::ffi::OsStrExt;
    path.as_os_str().as_bytes()
}

impl Blocking for Tokyo {
    type Connection = TokyoConnection;

    fn connect(&self, phase: &Phase) -> Result<TokyoConnection, StoreError> {
        let databases = match phase.operation() {
            // Each operation opens the file, which a process can have open once only.
            Operation::Open => {
                self.close();
                None
            }
            _ => Some(self.databases()?),
        };
        Ok(TokyoConnection {
            databases,
            schema: self.schema.clone(),
            mode: self.mode,
            turn: self.turn,
            held: None,
            dirty: [false; 2],
            columns: None,
        })
    }

    /// A second handle in the same process is refused, so that openings take turns.
    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let _turn = lock(self.turn);
        let database = self.open_one(Content::Rows, calls::READER)?;
        answers.one_by_one(|key, out| database.read(key, out))
    }
}

fn lock(turn: &'static Mutex<()>) -> MutexGuard<'static, ()> {
    turn.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A connection: the shared handles, and what it has written since its last commit.
pub struct TokyoConnection {
    databases: Option<Arc<Databases>>,
    schema: Schema,
    mode: Mode,
    turn: &'static Mutex<()>,
    /// The turn, from the first write of a transaction to its commit.
    held: Option<MutexGuard<'static, ()>>,
    /// Whether rows and counters have writes that wait for a commit; with transactions, an open one.
    dirty: [bool; 2],
    /// The columns of the row that is written.
    columns: Option<ColumnMap>,
}

impl TokyoConnection {
    #[inline(always)]
    fn databases(&self) -> Result<&Databases, StoreError> {
        self.databases.as_deref().ok_or_else(|| StoreError::store("the database is closed in phases that open it"))
    }

    fn engine(&self, content: Content) -> Result<&Engine, StoreError> {
        let databases = self.databases()?;
        match content {
            Content::Rows => Ok(&databases.rows),
            Content::Counters => {
                let none = || StoreError::store("the job has no phase that counts, so there are no counters");
                databases.counters.as_ref().ok_or_else(none)
            }
        }
    }

    /// Begins a transaction where writes need one and none is open.
    #[inline(always)]
    fn begin(&mut self, content: Content) -> Result<(), StoreError> {
        if self.dirty[content as usize] {
            return Ok(());
        }
        if self.mode.transactions() {
            if self.held.is_none() {
                self.held = Some(lock(self.turn));
            }
            self.engine(content)?.call(|common| common.tranbegin)?;
        }
        self.dirty[content as usize] = true;
        Ok(())
    }

    /// Ends what is open, by a commit or by an abort, and gives the turn away.
    fn end(&mut self, commit: bool) -> Result<(), StoreError> {
        let mut ended = Ok(());
        for content in [Content::Rows, Content::Counters] {
            if !std::mem::take(&mut self.dirty[content as usize]) {
                continue;
            }
            let engine = self.engine(content)?;
            ended = ended.and(match self.mode {
                Mode::Put | Mode::PutAsync => Ok(()),
                Mode::Sync => engine.call(|common| common.sync),
                Mode::Tran | Mode::TranSync if commit => engine.call(|common| common.trancommit),
                Mode::Tran | Mode::TranSync => engine.call(|common| common.tranabort),
            });
        }
        self.held = None;
        ended
    }

    fn put(&mut self, row: &Row<'_>, how: Put) -> Result<bool, StoreError> {
        self.begin(Content::Rows)?;
        let Some(databases) = &self.databases else { return Err(StoreError::Unsupported) };
        databases.rows.write(row, how, &mut self.columns)
    }

    fn overwrite(&self) -> Put {
        if self.mode == Mode::PutAsync { Put::Later } else { Put::Overwrite }
    }
}

impl Drop for TokyoConnection {
    fn drop(&mut self) {
        if let Err(error) = self.end(false) {
            eprintln!("tokyocabinet: cannot end a transaction: {error}");
        }
    }
}

impl Connection for TokyoConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.put(row, self.overwrite()).map(|_| ())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        Ok(if self.put(row, Put::Keep)? { WriteOutcome::Done } else { WriteOutcome::Exists })
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.databases()?.rows.read(key, out)
    }

    /// No kind has a write that demands an existing row: a lookup comes first.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.begin(Content::Rows)?;
        if !self.databases()?.rows.exists(&row.key)? {
            return Ok(WriteOutcome::Missing);
        }
        self.put(row, self.overwrite()).map(|_| WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.begin(Content::Rows)?;
        Ok(if self.databases()?.rows.delete(key)? { WriteOutcome::Done } else { WriteOutcome::Missing })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.end(true)
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.databases()?.rows.scan(sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.databases()?.rows.latest(rows, sink)
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let rows = &self.databases()?.rows;
        answers.one_by_one(|key, out| rows.read(key, out))
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.begin(Content::Counters)?;
        self.engine(Content::Counters)?.increment(key)
    }

    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.databases()?.rows.search(&self.schema, range, sink)
    }
}
