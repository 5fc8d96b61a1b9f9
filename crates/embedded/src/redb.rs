//! `redb`: a copy-on-write B-tree in one file, written in Rust, in this process.
//!
//! Rows and counters are two tables. The table of rows has bytes as keys and values, as
//! [`kurabe_client::common::keys`] makes them, so that one table type serves both types of keys.
//!
//! redb lets one writer at a time in: a write waits for the others' commits inside its own time.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Job, KeyMap, Layout, LoadPath, Phase, ReadScope};
use redb::{
    AccessGuard, Database, Durability, Range, ReadOnlyTable, ReadableDatabase, ReadableTable, ReadableTableMetadata,
    SavepointError, Table, TableDefinition, TableError, WriteTransaction,
};

use crate::common::settings::{bytes, millis, truth};
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

const ROWS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("rows");
const COUNTERS: TableDefinition<'static, u32, u64> = TableDefinition::new("counters");

type Rows<'a> = Table<'a, &'static [u8], &'static [u8]>;
type QuietRows = ReadOnlyTable<&'static [u8], &'static [u8]>;
type Value<'a> = AccessGuard<'a, &'static [u8]>;

/// A database file.
pub struct Redb {
    once: SingleOpen<Database>,
    keys: KeyMap,
    commit: Commit,
    syncing: Syncing,
}

/// How write transactions commit.
#[derive(Clone, Copy)]
struct Commit {
    durability: Durability,
    /// Whether a second sync stands between the pages and the slot that makes them valid.
    two_phase: bool,
    /// Whether the state of the allocator is saved with them, which takes two phases too.
    quick_repair: bool,
}

fn failed(error: impl std::fmt::Display) -> StoreError {
    StoreError::store(error)
}

struct Settings {
    commit: Commit,
    /// redb's own 1 GiB where the job says nothing.
    cache_bytes: Option<usize>,
    sync_every: Option<Duration>,
}

impl Settings {
    fn parse(job: &Job) -> Result<Settings, StoreError> {
        let commit = Commit { durability: Durability::Immediate, two_phase: false, quick_repair: false };
        let mut settings = Settings { commit, cache_bytes: None, sync_every: None };
        for (name, value) in &job.settings {
            match (name.as_str(), value.as_str()) {
                ("durability", "immediate") => settings.commit.durability = Durability::Immediate,
                ("durability", "none") => settings.commit.durability = Durability::None,
                ("durability", other) => {
                    return Err(failed(format!("durability '{other}' is not known; it is immediate or none")));
                }
                ("cache_size", word) => settings.cache_bytes = Some(bytes(name, word)?),
                ("two_phase_commit", word) => settings.commit.two_phase = truth(name, word)?,
                (SYNC_EVERY, word) => settings.sync_every = Some(millis(name, word)?),
                ("quick_repair", word) => settings.commit.quick_repair = truth(name, word)?,
                (other, _) => {
                    return Err(failed(format!(
                        "redb has no setting '{other}'; it has durability, cache_size, two_phase_commit, quick_repair, \
                         {SYNC_EVERY}"
                    )));
                }
            }
        }
        Ok(settings)
    }
}

impl Store for Redb {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Redb, StoreError> {
        let dir = folder_of(job, "redb")?;
        let path = dir.join("data.redb");
        let Settings { commit, cache_bytes, sync_every } = Settings::parse(job)?;
        let once = SingleOpen::new(move || {
            let mut builder = Database::builder();
            if let Some(bytes) = cache_bytes {
                builder.set_cache_size(bytes);
            }
            builder.create(&path).map_err(failed)
        });
        once.get()?;
        Ok(Redb { once, keys: *layout.keys(), commit, syncing: Syncing::every(sync_every) })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Many rows in one transaction.
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            // MAX_VALUE_LENGTH of redb.
            max_value_bytes: 3 << 30,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        versions::libraries(&["redb"])
    }

    /// Asks a transaction, begun as those of the workers are, for what redb gives to durable ones alone: it has no
    /// other way to tell.
    fn settings(&self) -> Result<Texts, StoreError> {
        let txn = begin(&*self.once.get()?, self.commit)?;
        let word = match txn.persistent_savepoint() {
            Ok(_) => "immediate",
            Err(SavepointError::ImmediateDurabilityRequired) => "none",
            Err(error) => return Err(failed(error)),
        };
        txn.abort().map_err(failed)?;
        Ok(Texts::from([("durability".into(), word.into())]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()?;
        let txn = begin(&*self.once.get()?, self.commit)?;
        txn.open_table(ROWS).map_err(failed)?;
        txn.open_table(COUNTERS).map_err(failed)?;
        txn.commit().map_err(failed)
    }

    fn reset(&self) -> Result<(), StoreError> {
        let txn = begin(&*self.once.get()?, self.commit)?;
        txn.delete_table(ROWS).map_err(failed)?;
        txn.delete_table(COUNTERS).map_err(failed)?;
        txn.commit().map_err(failed)
    }

    fn count(&self) -> Result<u64, StoreError> {
        quiet_rows(&*self.once.get()?)?.len().map_err(failed)
    }

    /// Pages in use, times their size; the file also has free ones.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let txn = begin(&*self.once.get()?, self.commit)?;
        let stats = txn.stats().map_err(failed)?;
        txn.abort().map_err(failed)?;
        Ok(stats.allocated_pages() * stats.page_size() as u64)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let counters = match self.once.get()?.begin_read().map_err(failed)?.open_table(COUNTERS) {
            Err(TableError::TableDoesNotExist(_)) => return Ok(0),
            opened => opened.map_err(failed)?,
        };
        let mut all = counters.iter().map_err(failed)?;
        all.try_fold(0, |sum, counter| Ok(sum + counter.map_err(failed)?.1.value()))
    }

    fn check(&self) -> Result<(bool, String), StoreError> {
        let sound = self.once.reopen(|mut database| database.check_integrity().map_err(failed))?;
        Ok((sound, if sound { "ok" } else { "redb found errors and repaired them" }.to_string()))
    }
}

fn begin(database: &Database, commit: Commit) -> Result<WriteTransaction, StoreError> {
    let mut txn = database.begin_write().map_err(failed)?;
    txn.set_durability(commit.durability).map_err(failed)?;
    txn.set_two_phase_commit(commit.two_phase);
    txn.set_quick_repair(commit.quick_repair);
    Ok(txn)
}

/// The rows as a transaction that begins now sees them.
#[inline(always)]
fn quiet_rows(database: &Database) -> Result<QuietRows, StoreError> {
    database.begin_read().map_err(failed)?.open_table(ROWS).map_err(failed)
}

impl Blocking for Redb {
    type Connection = RedbConnection;

    fn connect(&self, phase: &Phase) -> Result<RedbConnection, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let database = self.once.for_phase(phase)?;
        let snapshot = match (phase.read_scope, &database) {
            (ReadScope::Snapshot, Some(database)) => Some(quiet_rows(database)?),
            _ => None,
        };
        let (keys, commit) = (self.keys, self.commit);
        let syncer = self.syncing.for_phase(phase, || {
            let database = database.clone().ok_or_else(nothing_open)?;
            let durable = Commit { durability: Durability::Immediate, ..commit };
            // A durable commit makes all before it durable, whatever it holds itself.
            Ok(move || begin(&database, durable)?.commit().map_err(failed))
        })?;
        Ok(RedbConnection { writing: None, snapshot, database, keys, commit, undone: 0, syncer })
    }

    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        self.once.reopen(|database| {
            let rows = quiet_rows(&database)?;
            answers.one_by_one(|key, out| copy(rows.get(KeyBytes::of(key).bytes()).map_err(failed)?, out))
        })
    }
}

/// A thread's way into the database.
pub struct RedbConnection {
    /// Writes that wait for their commit; other writers wait for it too.
    writing: Option<Writing>,
    /// What all reads of the phase see, where they share a snapshot.
    snapshot: Option<QuietRows>,
    database: Option<Arc<Database>>,
    keys: KeyMap,
    commit: Commit,
    /// Writes that an error undid since the last commit.
    undone: u32,
    /// After the transaction: its last commit would wait for it.
    syncer: Option<Arc<Syncer>>,
}

/// A write transaction with its tables, each opened when it is first needed: opening one takes a search by its name.
struct Writing {
    /// Before the transaction: tables must be closed first.
    rows: Option<Rows<'static>>,
    counters: Option<Table<'static, u32, u64>>,
    txn: Rc<WriteTransaction>,
    writes: u32,
}

impl Writing {
    /// The transaction for tables that are held beside it.
    fn txn(&self) -> &'static WriteTransaction {
        // SAFETY: the transaction lies behind an `Rc` that this value keeps; what borrows it are the two tables, which
        // are dropped before it, by the order of the fields and in `commit`. It is not borrowed mutably meanwhile.
        unsafe { &*Rc::as_ptr(&self.txn) }
    }

    #[inline(always)]
    fn rows(&mut self) -> Result<&mut Rows<'static>, StoreError> {
        let rows = match self.rows.take() {
            Some(rows) => rows,
            None => self.txn().open_table(ROWS).map_err(failed)?,
        };
        Ok(self.rows.insert(rows))
    }

    fn counters(&mut self) -> Result<&mut Table<'static, u32, u64>, StoreError> {
        let counters = match self.counters.take() {
            Some(counters) => counters,
            None => self.txn().open_table(COUNTERS).map_err(failed)?,
        };
        Ok(self.counters.insert(counters))
    }

    fn commit(self) -> Result<(), StoreError> {
        let Writing { rows, counters, txn, .. } = self;
        drop((rows, counters));
        let txn = Rc::into_inner(txn).ok_or_else(|| failed("the transaction is still in use"))?;
        txn.commit().map_err(failed)
    }
}

/// Where reads look now.
enum View<'a> {
    /// In the connection's own transaction: its writes must be seen.
    Own(&'a Rows<'static>),
    /// In the snapshot of the phase.
    Shared(&'a QuietRows),
    /// In a transaction for this operation.
    Each(QuietRows),
}

impl View<'_> {
    #[inline(always)]
    fn get(&self, key: &[u8]) -> Result<Option<Value<'_>>, StoreError> {
        match self {
            View::Own(rows) => rows.get(key),
            View::Shared(rows) => rows.get(key),
            View::Each(rows) => rows.get(key),
        }
        .map_err(failed)
    }

    fn all(&self) -> Result<Range<'_, &'static [u8], &'static [u8]>, StoreError> {
        match self {
            View::Own(rows) => rows.iter(),
            View::Shared(rows) => rows.iter(),
            View::Each(rows) => rows.iter(),
        }
        .map_err(failed)
    }
}

#[inline(always)]
fn copy(value: Option<Value<'_>>, out: &mut RowBuffer) -> Result<bool, StoreError> {
    if let Some(value) = &value {
        out.set_raw(value.value());
    }
    Ok(value.is_some())
}

impl RedbConnection {
    #[inline(always)]
    fn view(&mut self) -> Result<View<'_>, StoreError> {
        if let Some(writing) = &mut self.writing {
            return writing.rows().map(|rows| View::Own(rows));
        }
        match &self.snapshot {
            Some(rows) => Ok(View::Shared(rows)),
            None => quiet_rows(self.database.as_ref().ok_or_else(nothing_open)?).map(View::Each),
        }
    }

    /// Does `write` in the open transaction; begins one where none is open.
    #[inline(always)]
    fn write<T>(&mut self, write: impl FnOnce(&mut Writing) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut writing = match self.writing.take() {
            Some(writing) => writing,
            None => {
                let txn = begin(self.database.as_ref().ok_or_else(nothing_open)?, self.commit)?;
                Writing { rows: None, counters: None, txn: Rc::new(txn), writes: 0 }
            }
        };
        let done = write(&mut writing);
        match &done {
            Ok(_) => {
                writing.writes += 1;
                self.writing = Some(writing);
            }
            // What is left of the transaction cannot be trusted: it is aborted as it is dropped.
            Err(_) => self.undone += writing.writes,
        }
        done
    }
}

impl Connection for RedbConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|writing| writing.rows()?.insert(key.bytes(), row.raw).map(|_| ()).map_err(failed))
    }

    /// redb has no insert that fails where the key exists: a lookup comes first, in the same transaction.
    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|writing| {
            let rows = writing.rows()?;
            if rows.get(key.bytes()).map_err(failed)?.is_some() {
                return Ok(WriteOutcome::Exists);
            }
            rows.insert(key.bytes(), row.raw).map(|_| WriteOutcome::Done).map_err(failed)
        })
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key);
        copy(self.view()?.get(key.bytes())?, out)
    }

    /// As [`RedbConnection::insert`]: the lookup tells whether the row exists.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|writing| {
            let rows = writing.rows()?;
            if rows.get(key.bytes()).map_err(failed)?.is_none() {
                return Ok(WriteOutcome::Missing);
            }
            rows.insert(key.bytes(), row.raw).map(|_| WriteOutcome::Done).map_err(failed)
        })
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(key);
        self.write(|writing| {
            let removed = writing.rows()?.remove(key.bytes()).map_err(failed)?;
            Ok(if removed.is_some() { WriteOutcome::Done } else { WriteOutcome::Missing })
        })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        check(&self.syncer)?;
        let writing = self.writing.take();
        match std::mem::take(&mut self.undone) {
            0 => writing.map_or(Ok(()), Writing::commit),
            undone => Err(failed(format!("an earlier error undid {undone} writes of this transaction"))),
        }
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let keys = self.keys;
        for row in self.view()?.all()? {
            let (key, value) = row.map_err(failed)?;
            sink.raw(keys.seen_bytes(key.value()), value.value());
        }
        Ok(())
    }

    fn latest(&mut self, count: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let keys = self.keys;
        for row in self.view()?.all()?.rev().take(count as usize) {
            let (key, value) = row.map_err(failed)?;
            sink.raw(keys.seen_bytes(key.value()), value.value());
        }
        Ok(())
    }

    /// A get for each key, all in one transaction.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let view = self.view()?;
        answers.one_by_one(|key, out| copy(view.get(KeyBytes::of(key).bytes())?, out))
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        self.write(|writing| {
            let counters = writing.counters()?;
            let next = counters.get(key.row).map_err(failed)?.map_or(0, |counter| counter.value()) + 1;
            counters.insert(key.row, next).map(|_| ()).map_err(failed)
        })
    }

    /// All rows in one transaction; the loop's commit ends it.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.load(row))
    }
}
