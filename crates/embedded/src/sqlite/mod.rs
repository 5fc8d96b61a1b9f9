//! `sqlite`: SQLite, bundled, in this process. Rows live in a table with a real column a field.
//!
//! Every worker has its own handle with all statements prepared when it connects and held until it
//! leaves, so that an operation is bind, step, copy and reset and nothing else. A handle that finds
//! the file locked waits in short sleeps inside the operation; the sleeps are counted as retries.

mod connection;
mod handle;
mod prepared;
mod sql;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, FieldType, Job, KeyMap, Layout, LoadPath, Operation, Phase, ReadScope};
use rusqlite::Error;
use rusqlite::types::ValueRef;

use crate::common::settings::millis;
use crate::common::syncer::{SYNC_EVERY, Syncer, Syncing};
use connection::{SqliteConnection, read_row};
use handle::{Handle, failed};
use kurabe_client::adapter::{Answers, Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::folder_of;
use kurabe_client::common::refusals::{nothing_open, refuse_snapshot_and_writes};
use prepared::Prepared;
use sql::Sql;

/// Pragmas that a job may set, in the order in which they must be set: the size of a page before
/// the first table, the locking mode before WAL, which takes its index into memory then, and WAL before the synchronous
/// level that is checked against it.
const PRAGMAS: [&str; 7] =
    ["page_size", LOCKING_MODE, "journal_mode", "synchronous", "cache_size", "mmap_size", "wal_autocheckpoint"];
/// Pragma that says whether a handle keeps its locks until it is closed: `normal` or `exclusive`.
const LOCKING_MODE: &str = "locking_mode";
/// Setting for the declared type of text columns, and the types that it may name. `string` has numeric affinity: digits
/// become a number (<https://sqlite.org/datatype3.html>, "Determination Of Column Affinity").
const TEXT_TYPE: &str = "text_type";
const TEXT_TYPES: [&str; 2] = ["TEXT", "STRING"];
/// Words of the levels that `PRAGMA synchronous` reports as numbers.
const SYNCHRONOUS: [&str; 4] = ["off", "normal", "full", "extra"];

/// A database file.
pub struct Sqlite {
    path: PathBuf,
    pragmas: Vec<(&'static str, String)>,
    sql: Sql,
    /// Types of the fields after the key.
    columns: Vec<FieldType>,
    keys: KeyMap,
    /// Longest wait for a lock.
    patience: Duration,
    /// Whether a handle keeps all others out of the file.
    is_exclusive: bool,
    syncing: Syncing,
}

impl Store for Sqlite {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Sqlite, StoreError> {
        let dir = folder_of(job, "sqlite")?;
        let is_known =
            |name: &&String| PRAGMAS.contains(&name.as_str()) || [TEXT_TYPE, SYNC_EVERY].contains(&name.as_str());
        if let Some(unknown) = job.settings.keys().find(|name| !is_known(name)) {
            let known = PRAGMAS.join(", ");
            return Err(StoreError::store(format!(
                "sqlite has no setting '{unknown}' here; it has {known}, {TEXT_TYPE}, {SYNC_EVERY}"
            )));
        }
        let locking_mode = job.settings.get(LOCKING_MODE).map_or("normal", String::as_str);
        let is_exclusive = locking_mode.eq_ignore_ascii_case("exclusive");
        if !is_exclusive && !locking_mode.eq_ignore_ascii_case("normal") {
            return Err(StoreError::store(format!(
                "{LOCKING_MODE} cannot be '{locking_mode}'; it is normal or exclusive"
            )));
        }
        let pause = job.settings.get(SYNC_EVERY).map(|value| millis(SYNC_EVERY, value)).transpose()?;
        if pause.is_some() && is_exclusive {
            return Err(StoreError::store(format!(
                "{SYNC_EVERY} needs a handle of its own, which {LOCKING_MODE} '{locking_mode}' keeps out"
            )));
        }
        let text_type = job.settings.get(TEXT_TYPE).map_or(TEXT_TYPES[0], String::as_str);
        let Some(text_type) = TEXT_TYPES.into_iter().find(|known| known.eq_ignore_ascii_case(text_type)) else {
            return Err(StoreError::store(format!("{TEXT_TYPE} cannot be '{text_type}'; it is text or string")));
        };
        Ok(Sqlite {
            path: dir.join("data.sqlite"),
            pragmas: PRAGMAS.iter().filter_map(|name| Some((*name, job.settings.get(*name)?.clone()))).collect(),
            columns: job.schema.values().iter().map(|field| field.field_type).collect(),
            keys: *layout.keys(),
            sql: Sql { table: job.namespace.clone(), schema: job.schema.clone(), text_type },
            patience: Duration::from_nanos(job.limits.operation_ns),
            is_exclusive,
            syncing: Syncing::every(pause),
        })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        if self.columns.contains(&FieldType::Int64) {
            operations.push(Operation::Search);
        }
        Capabilities {
            operations,
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            processes: !self.is_exclusive,
            max_connections: if self.is_exclusive { 1 } else { Capabilities::default().max_connections },
            // SQLITE_MAX_LENGTH as it is compiled.
            max_value_bytes: 1_000_000_000,
            ..Capabilities::of_columns()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("sqlite".into(), rusqlite::version().into())])
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.ask("SELECT 1").map(|_: i64| ())
    }

    fn info(&self) -> Result<Texts, StoreError> {
        let version: String = self.ask("SELECT sqlite_version()")?;
        let source: String = self.ask("SELECT sqlite_source_id()")?;
        let options: String = self.ask("SELECT group_concat(compile_options, ' ') FROM pragma_compile_options")?;
        Ok(Texts::from([("version".into(), version), ("source".into(), source), ("compile_options".into(), options)]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        // A handle that is opened exactly as those of the workers: some of these belong to a handle.
        let handle = Handle::open(self)?;
        let mut texts = Texts::new();
        for name in PRAGMAS {
            let read = handle.sqlite().query_row(&format!("PRAGMA {name}"), [], |row| row.get_ref(0).map(text_of));
            let read = match read {
                Ok(read) => read,
                // mmap_size answers nothing where memory mapping is compiled out.
                Err(Error::QueryReturnedNoRows) => continue,
                Err(error) => return Err(failed(error)),
            };
            let word = (name == "synchronous").then(|| SYNCHRONOUS.get(read.parse::<usize>().ok()?)).flatten();
            texts.insert(name.into(), word.map_or(read, |word| (*word).to_string()));
        }
        Ok(texts)
    }

    fn create(&self) -> Result<(), StoreError> {
        let handle = Handle::open(self)?;
        handle.sqlite().execute_batch(&format!("{};{}", self.sql.drop(), self.sql.create())).map_err(failed)
    }

    fn reset(&self) -> Result<(), StoreError> {
        Handle::open(self)?.sqlite().execute_batch(&self.sql.drop()).map_err(failed)
    }

    fn count(&self) -> Result<u64, StoreError> {
        let rows: i64 = self.ask(&format!("SELECT count(*) FROM {}", self.sql.table()))?;
        u64::try_from(rows).map_err(StoreError::store)
    }

    /// Pages of the database, those that are still in the write-ahead log too, times their size.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let bytes: i64 = self.ask("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")?;
        u64::try_from(bytes).map_err(StoreError::store)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let sum: i64 = self.ask(&format!("SELECT coalesce(sum(n), 0) FROM {}", self.sql.counters()))?;
        u64::try_from(sum).map_err(StoreError::store)
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        let detail: String = self.ask("PRAGMA integrity_check(1)")?;
        Ok((detail == "ok", detail))
    }
}

impl Sqlite {
    /// The thread that syncs the log during `phase`, with a handle of its own.
    fn syncer(&self, phase: &Phase) -> Result<Option<Arc<Syncer>>, StoreError> {
        let patience = self.patience;
        self.syncing.for_phase(phase, || {
            let handle = Handle::open(self)?;
            Ok(move || handle.sync_log(patience))
        })
    }

    /// The one value that `sql` answers.
    fn ask<T: rusqlite::types::FromSql>(&self, sql: &str) -> Result<T, StoreError> {
        Handle::open(self)?.sqlite().query_row(sql, [], |row| row.get(0)).map_err(failed)
    }
}

fn text_of(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Text(text) | ValueRef::Blob(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Null => String::new(),
    }
}

impl Blocking for Sqlite {
    type Connection = SqliteConnection;

    fn connect(&self, phase: &Phase) -> Result<SqliteConnection, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        SqliteConnection::new(self, phase)
    }

    /// Opens the file, sets the pragmas, prepares the one statement and uses it.
    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let handle = Handle::open(self)?;
        // SAFETY: the statement is made after the handle, so it is dropped before it.
        let mut read = unsafe { Prepared::new(handle.sqlite().handle(), &self.sql.read()) }.map_err(failed)?;
        answers.one_by_one(|key, out| read_row(&mut read, key, &self.columns, out))
    }
}
