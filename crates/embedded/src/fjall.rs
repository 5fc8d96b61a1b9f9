//! `fjall`: a log-structured merge tree written in Rust, in this process.
//!
//! Rows and counters are two keyspaces of one database, with one journal. It is opened as a
//! database with transactions, since an insert has to know whether its key exists: those of a single writer, where a
//! write waits for the others' commits inside its own time, or optimistic ones, which look at the end whether others
//! changed what they read. Rows have one writer here; counters have many, so that who adds to them holds a lock. Beside
//! an optimistic transaction reads stand alone: in it they would see the rows of its begin, and end it with a conflict.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use fjall::{
    Database, Keyspace, KeyspaceCreateOptions, OptimisticTxDatabase, OptimisticWriteTx, PersistMode, Readable,
    SingleWriterTxDatabase, SingleWriterTxKeyspace, SingleWriterWriteTx, Snapshot,
};
use kurabe_protocol::{Capabilities, Job, KeyMap, Layout, LoadPath, Operation, Phase, ReadScope};
use log::{Level, LevelFilter, Log, Metadata, Record};

use crate::common::settings::{bytes, millis};
use crate::common::single_open::SingleOpen;
use crate::common::syncer::{SYNC_EVERY, Syncer, Syncing, check};
use kurabe_client::adapter::{
    Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::folder_of;
use kurabe_client::common::keys::KeyBytes;
use kurabe_client::common::refusals::{nothing_open, refuse_snapshot_and_writes};
use kurabe_client::common::versions;

/// What a commit waits for, by name. Without one the journal stays in a buffer of the process.
const PERSIST: [(&str, Option<PersistMode>); 4] = [
    ("none", None),
    ("buffer", Some(PersistMode::Buffer)),
    ("sync-data", Some(PersistMode::SyncData)),
    ("sync-all", Some(PersistMode::SyncAll)),
];

/// A database.
pub struct Fjall {
    once: SingleOpen<OpenDatabase>,
    keys: KeyMap,
    persist: Option<PersistMode>,
    syncing: Syncing,
}

/// The database and its keyspaces.
struct OpenDatabase {
    rows: Keyspace,
    counters: Keyspace,
    database: Writers,
    /// Held by whoever adds to counters in an optimistic transaction, from its begin to its commit.
    adding: &'static Mutex<()>,
}

/// A database, by how its transactions get along with each other.
enum Writers {
    /// One writes at a time.
    Single(SingleWriterTxDatabase, SingleTables),
    /// Several do, and one whose reads were overtaken fails.
    Optimistic(OptimisticTxDatabase),
}

/// The keyspaces as transactions of a single writer want them.
struct SingleTables {
    rows: SingleWriterTxKeyspace,
    counters: SingleWriterTxKeyspace,
}

/// Names of the keyspaces.
const ROWS: &str = "rows";
const COUNTERS: &str = "counters";

impl Writers {
    fn open(dir: &Path, settings: &Settings) -> Result<Writers, fjall::Error> {
        macro_rules! open {
            ($database:ty) => {{
                let builder = <$database>::builder(dir).manual_journal_persist(settings.persist.is_none());
                match settings.cache_bytes {
                    Some(bytes) => builder.cache_size(bytes).open()?,
                    None => builder.open()?,
                }
            }};
        }
        if settings.optimistic {
            return Ok(Writers::Optimistic(open!(OptimisticTxDatabase)));
        }
        let database = open!(SingleWriterTxDatabase);
        let keyspace = |name: &str| database.keyspace(name, KeyspaceCreateOptions::default);
        let tables = SingleTables { rows: keyspace(ROWS)?, counters: keyspace(COUNTERS)? };
        Ok(Writers::Single(database, tables))
    }

    /// The keyspaces of rows and counters.
    fn keyspaces(&self) -> Result<(Keyspace, Keyspace), fjall::Error> {
        match self {
            Writers::Single(_, tables) => Ok((tables.rows.inner().clone(), tables.counters.inner().clone())),
            Writers::Optimistic(database) => {
                let keyspace = |name: &str| database.keyspace(name, KeyspaceCreateOptions::default);
                Ok((keyspace(ROWS)?.inner().clone(), keyspace(COUNTERS)?.inner().clone()))
            }
        }
    }

    fn inner(&self) -> &Database {
        match self {
            Writers::Single(database, _) => database.inner(),
            Writers::Optimistic(database) => database.inner(),
        }
    }

    /// What is committed now.
    fn snapshot(&self) -> Snapshot {
        match self {
            Writers::Single(database, _) => database.read_tx(),
            Writers::Optimistic(database) => database.read_tx(),
        }
    }
}

/// A transaction that writes.
enum WriteTx {
    Single(SingleWriterWriteTx<'static>, &'static SingleTables),
    /// With the lock of the counters, where it may add to them.
    Optimistic(Box<OptimisticWriteTx>, Option<MutexGuard<'static, ()>>),
}

/// Reads in a transaction of either kind.
macro_rules! with {
    ($txn:expr, $inner:ident => $work:expr) => {
        match $txn {
            WriteTx::Single($inner, _) => $work,
            WriteTx::Optimistic($inner, _) => $work,
        }
    };
}

impl WriteTx {
    /// Whether it takes reads of rows of others.
    fn reads(&self) -> bool {
        matches!(self, WriteTx::Single(..))
    }

    fn insert(&mut self, opened: &OpenDatabase, key: &[u8], value: &[u8]) {
        match self {
            WriteTx::Single(txn, tables) => txn.insert(&tables.rows, key, value),
            WriteTx::Optimistic(txn, _) => txn.insert(&opened.rows, key, value),
        }
    }

    fn remove(&mut self, opened: &OpenDatabase, key: &[u8]) {
        match self {
            WriteTx::Single(txn, tables) => txn.remove(&tables.rows, key),
            WriteTx::Optimistic(txn, _) => txn.remove(&opened.rows, key),
        }
    }

    /// Adds 1 to a counter.
    fn add(&mut self, opened: &OpenDatabase, key: [u8; 4]) -> Result<(), fjall::Error> {
        let next = |counter: Option<&fjall::UserValue>| {
            let next = counter.map_or(0, |value| counter_of(value)) + 1;
            Some(next.to_le_bytes().into())
        };
        match self {
            WriteTx::Single(txn, tables) => txn.update_fetch(&tables.counters, key, next),
            WriteTx::Optimistic(txn, _) => txn.update_fetch(&opened.counters, key, next),
        }
        .map(|_| ())
    }

    fn commit(self) -> Result<(), StoreError> {
        match self {
            WriteTx::Single(txn, _) => txn.commit().map_err(failed),
            WriteTx::Optimistic(txn, _lock) => txn.commit().map_err(failed)?.map_err(failed),
        }
    }
}

impl OpenDatabase {
    fn open(dir: &Path, settings: &Settings, adding: &'static Mutex<()>) -> Result<OpenDatabase, StoreError> {
        let database = Writers::open(dir, settings).map_err(failed)?;
        let (rows, counters) = database.keyspaces().map_err(failed)?;
        Ok(OpenDatabase { rows, counters, database, adding })
    }
}

fn failed(error: impl std::fmt::Display) -> StoreError {
    let words = error.to_string();
    match FIRST_ERROR.get().filter(|_| words == fjall::Error::Poisoned.to_string()) {
        Some(first) => StoreError::Store(format!("{words}, since {first}")),
        None => StoreError::Store(words),
    }
}

/// What fjall wrote of the first error of its own threads: whoever meets it later learns only that there was one.
static FIRST_ERROR: OnceLock<String> = OnceLock::new();

/// Keeps that, since fjall tells it to a log alone.
struct FirstErrorLog;

impl Log for FirstErrorLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() == Level::Error
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let _ = FIRST_ERROR.set(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Lets errors of fjall's threads be kept; nothing is written below errors, so that logging takes no time.
fn keep_first_error() {
    if log::set_logger(&FirstErrorLog).is_ok() {
        log::set_max_level(LevelFilter::Error);
    }
}

struct Settings {
    persist: Option<PersistMode>,
    /// fjall's own 32 MiB where the job says nothing.
    cache_bytes: Option<u64>,
    optimistic: bool,
    sync_every: Option<Duration>,
}

impl Settings {
    fn parse(job: &Job) -> Result<Settings, StoreError> {
        let persist = Some(PersistMode::Buffer);
        let mut settings = Settings { persist, cache_bytes: None, optimistic: false, sync_every: None };
        for (name, value) in &job.settings {
            match name.as_str() {
                "persist" => {
                    let known = PERSIST.iter().find(|(word, _)| word == value);
                    let (_, persist) = known.ok_or_else(|| {
                        let words: Vec<&str> = PERSIST.iter().map(|(word, _)| *word).collect();
                        failed(format!("persist '{value}' is not known; it is one of {}", words.join(", ")))
                    })?;
                    settings.persist = *persist;
                }
                "cache_size" => settings.cache_bytes = Some(bytes(name, value)?),
                SYNC_EVERY => settings.sync_every = Some(millis(name, value)?),
                "transactions" => match value.as_str() {
                    "single-writer" => settings.optimistic = false,
                    "optimistic" => settings.optimistic = true,
                    other => {
                        return Err(failed(format!(
                            "transactions cannot be '{other}'; they are single-writer or optimistic"
                        )));
                    }
                },
                other => {
                    return Err(failed(format!(
                        "fjall has no setting '{other}'; it has persist, cache_size, transactions, {SYNC_EVERY}"
                    )));
                }
            }
        }
        Ok(settings)
    }
}

impl Store for Fjall {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Fjall, StoreError> {
        let dir = folder_of(job, "fjall")?.to_path_buf();
        let settings = Settings::parse(job)?;
        let (persist, syncing) = (settings.persist, Syncing::every(settings.sync_every));
        keep_first_error();
        let adding: &'static Mutex<()> = Box::leak(Box::default());
        let once = SingleOpen::new(move || OpenDatabase::open(&dir, &settings, adding));
        once.get()?;
        Ok(Fjall { once, keys: *layout.keys(), persist, syncing })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Many rows in one transaction.
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        versions::libraries(&["fjall", "lsm-tree"])
    }

    /// The cache is all that a live database tells; how a transaction persists cannot be asked.
    fn settings(&self) -> Result<Texts, StoreError> {
        let bytes = self.once.get()?.database.inner().cache_capacity();
        Ok(Texts::from([("cache_size".into(), bytes.to_string())]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        let opened = self.once.get()?;
        for keyspace in [&opened.rows, &opened.counters] {
            if !keyspace.is_empty().map_err(failed)? {
                keyspace.clear().map_err(failed)?;
            }
        }
        opened.database.inner().persist(PersistMode::SyncAll).map_err(failed)
    }

    /// fjall counts by reading all keys.
    fn count(&self) -> Result<u64, StoreError> {
        Ok(self.once.get()?.rows.len().map_err(failed)? as u64)
    }

    /// Tables and journals; a journal has its whole length from the start.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.once.get()?.database.inner().disk_space().map_err(failed)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let opened = self.once.get()?;
        let mut counters = opened.counters.iter();
        counters.try_fold(0, |sum, counter| Ok(sum + counter_of(&counter.value().map_err(failed)?)))
    }
}

/// The number in a counter's value.
fn counter_of(value: &[u8]) -> u64 {
    value.try_into().map_or(0, u64::from_le_bytes)
}

impl Blocking for Fjall {
    type Connection = FjallConnection;

    fn connect(&self, phase: &Phase) -> Result<FjallConnection, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let opened = self.once.for_phase(phase)?;
        let snapshot = match (phase.read_scope, &opened) {
            (ReadScope::Snapshot, Some(opened)) => Some(opened.database.snapshot()),
            _ => None,
        };
        let syncer = self.syncing.for_phase(phase, || {
            let opened = opened.clone().ok_or_else(nothing_open)?;
            Ok(move || opened.database.inner().persist(PersistMode::SyncData).map_err(failed))
        })?;
        let (keys, persist, adds) = (self.keys, self.persist, phase.does(Operation::Increment));
        Ok(FjallConnection { writing: None, snapshot, opened, keys, persist, adds, syncer })
    }

    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        self.once.reopen(|opened| {
            answers.one_by_one(|key, out| {
                let key = KeyBytes::of(key);
                Ok(copy(opened.rows.get(key.bytes()).map_err(failed)?.as_deref(), out))
            })
        })
    }
}

#[inline(always)]
fn copy(value: Option<&[u8]>, out: &mut RowBuffer) -> bool {
    if let Some(value) = value {
        out.set_raw(value);
    }
    value.is_some()
}

/// A thread's way into the database.
pub struct FjallConnection {
    /// Writes that wait for their commit; other writers wait for it too. Before the database: it must go first.
    writing: Option<WriteTx>,
    /// What all reads of the phase see, where they share a snapshot.
    snapshot: Option<Snapshot>,
    opened: Option<Arc<OpenDatabase>>,
    keys: KeyMap,
    persist: Option<PersistMode>,
    /// Whether the phase adds to counters.
    adds: bool,
    syncer: Option<Arc<Syncer>>,
}

impl FjallConnection {
    /// A transaction that writes.
    fn begin(&self, opened: &Arc<OpenDatabase>) -> Result<WriteTx, fjall::Error> {
        // SAFETY: the database is in an `Arc` that this connection keeps for longer than the transaction, and nothing
        // borrows it mutably.
        let opened: &'static OpenDatabase = unsafe { &*Arc::as_ptr(opened) };
        Ok(match &opened.database {
            Writers::Single(database, tables) => WriteTx::Single(database.write_tx().durability(self.persist), tables),
            Writers::Optimistic(database) => {
                // First the lock: what the transaction sees is what there is when it begins.
                let lock = self.adds.then(|| opened.adding.lock().unwrap_or_else(PoisonError::into_inner));
                WriteTx::Optimistic(Box::new(database.write_tx()?.durability(self.persist)), lock)
            }
        })
    }

    /// The open transaction, where reads are made in it.
    #[inline(always)]
    fn reading(&self) -> Option<&WriteTx> {
        self.writing.as_ref().filter(|txn| txn.reads())
    }

    /// Does `write` in the open transaction; begins one where none is open.
    #[inline(always)]
    fn write<T>(
        &mut self,
        write: impl FnOnce(&OpenDatabase, &mut WriteTx) -> Result<T, fjall::Error>,
    ) -> Result<T, StoreError> {
        let opened = self.opened.as_ref().ok_or_else(nothing_open)?;
        if self.writing.is_none() {
            self.writing = Some(self.begin(opened).map_err(failed)?);
        }
        let txn = self.writing.as_mut().ok_or_else(nothing_open)?;
        // An error is one of a read: what the transaction holds is in memory and stays as it is.
        write(opened, txn).map_err(failed)
    }

    /// Hands over rows of the newest state that this connection may see.
    fn give(
        &self,
        sink: &mut RowSink<'_>,
        rows: impl FnOnce(fjall::Iter, &mut dyn FnMut(fjall::Guard) -> Result<(), StoreError>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let opened = self.opened.as_ref().ok_or_else(nothing_open)?;
        let all = match (self.reading(), &self.snapshot) {
            (Some(txn), _) => with!(txn, txn => txn.iter(&opened.rows)),
            (None, Some(snapshot)) => snapshot.iter(&opened.rows),
            (None, None) => opened.database.snapshot().iter(&opened.rows),
        };
        rows(all, &mut |row| {
            let (key, value) = row.into_inner().map_err(failed)?;
            sink.raw(self.keys.seen_bytes(&key), &value);
            Ok(())
        })
    }
}

impl Connection for FjallConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|opened, txn| {
            txn.insert(opened, key.bytes(), row.raw);
            Ok(())
        })
    }

    /// fjall has no insert that fails where the key exists: a lookup comes first, in the same transaction.
    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|opened, txn| {
            if with!(txn, txn => txn.contains_key(&opened.rows, key.bytes()))? {
                return Ok(WriteOutcome::Exists);
            }
            txn.insert(opened, key.bytes(), row.raw);
            Ok(WriteOutcome::Done)
        })
    }

    /// A read that stands alone is fjall's own get, which needs no transaction.
    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key);
        let opened = self.opened.as_ref().ok_or_else(nothing_open)?;
        let value = match (self.reading(), &self.snapshot) {
            (Some(txn), _) => with!(txn, txn => txn.get(&opened.rows, key.bytes())),
            (None, Some(snapshot)) => snapshot.get(&opened.rows, key.bytes()),
            (None, None) => opened.rows.get(key.bytes()),
        };
        Ok(copy(value.map_err(failed)?.as_deref(), out))
    }

    /// As [`FjallConnection::insert`]: the lookup tells whether the row exists.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|opened, txn| {
            if !with!(txn, txn => txn.contains_key(&opened.rows, key.bytes()))? {
                return Ok(WriteOutcome::Missing);
            }
            txn.insert(opened, key.bytes(), row.raw);
            Ok(WriteOutcome::Done)
        })
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(key);
        self.write(|opened, txn| {
            if !with!(txn, txn => txn.contains_key(&opened.rows, key.bytes()))? {
                return Ok(WriteOutcome::Missing);
            }
            txn.remove(opened, key.bytes());
            Ok(WriteOutcome::Done)
        })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        check(&self.syncer)?;
        self.writing.take().map_or(Ok(()), WriteTx::commit)
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.give(sink, |mut all, give| all.try_for_each(give))
    }

    fn latest(&mut self, count: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.give(sink, |all, give| all.rev().take(count as usize).try_for_each(give))
    }

    /// A get for each key, all in one snapshot.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let opened = self.opened.as_ref().ok_or_else(nothing_open)?;
        let each;
        let snapshot = match (self.reading(), &self.snapshot) {
            (Some(txn), _) => {
                return answers.one_by_one(|key, out| {
                    let value = with!(txn, txn => txn.get(&opened.rows, KeyBytes::of(key).bytes())).map_err(failed)?;
                    Ok(copy(value.as_deref(), out))
                });
            }
            (None, Some(snapshot)) => snapshot,
            (None, None) => {
                each = opened.database.snapshot();
                &each
            }
        };
        answers.one_by_one(|key, out| {
            let value = snapshot.get(&opened.rows, KeyBytes::of(key).bytes()).map_err(failed)?;
            Ok(copy(value.as_deref(), out))
        })
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.write(|opened, txn| txn.add(opened, key.row.to_be_bytes()))
    }

    /// All rows in one transaction; the loop's commit ends it.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.load(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_meets_a_poisoned_database_is_told_the_first_error_of_its_threads() {
        keep_first_error();
        log::error!("Worker #1 crashed: no space left");
        log::error!("Worker #2 crashed: no such file");
        let told = failed(fjall::Error::Poisoned).to_string();
        assert!(told.ends_with("Poisoned, since Worker #1 crashed: no space left"), "{told}");
        assert!(!failed(fjall::Error::KeyspaceDeleted).to_string().contains("Worker"));
    }
}
