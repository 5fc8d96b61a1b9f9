//! `lmdb`: LMDB through heed, in this process. Keys and raw encoded values in the unnamed database.
//!
//! The folder belongs to the job alone, so no named database is needed, which would add the update
//! of a second tree to every commit. Counters lie behind the rows, under keys with a prefix.
//!
//! LMDB lets one writer at a time in: a write waits for the others' commits inside its own time.

use std::ops::Bound;
use std::path::Path;
use std::sync::Arc;

use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, MdbError, PutFlags, RoTxn, RwTxn, WithTls};
use kurabe_protocol::{Capabilities, Job, KeyMap, Layout, LoadPath, Phase, ReadScope};

use super::common::folder::folder_of;
use super::common::keys::KeyBytes;
use super::common::once::Once;
use super::common::refusals::{nothing_open, refuse_snapshot_and_writes};
use crate::adapter::{Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, Written};
use crate::blocking::BlockingLoop;

/// Address space of the map where the job says nothing: more than any job writes. The file grows
/// only as it is written.
const MAP_BYTES: usize = 1 << 40;
/// Readers at a time over all processes; LMDB's own default is 126.
const READERS: u32 = 2048;
/// Flags that a job may set, by name, in the order in which they are read back.
const FLAGS: [(&str, EnvFlags); 4] = [
    ("nosync", EnvFlags::NO_SYNC),
    ("nometasync", EnvFlags::NO_META_SYNC),
    ("writemap", EnvFlags::WRITE_MAP),
    ("mapasync", EnvFlags::MAP_ASYNC),
];

/// First byte of a counter's key: above that of every row, which is 0 or a letter.
const COUNTER: u8 = 0xff;

type Rows = Database<'static, Bytes, Bytes>;

/// An environment with one database.
pub struct Lmdb {
    once: Once<Environment>,
    keys: KeyMap,
}

struct Environment {
    env: Env<WithTls>,
    rows: Rows,
}

impl Environment {
    fn open(dir: &Path, settings: &Settings) -> Result<Environment, StoreError> {
        let mut options = EnvOpenOptions::new();
        options.map_size(settings.map_bytes).max_readers(READERS);
        // SAFETY: the folder was made for this job, nobody changes its files but LMDB, and its lock
        // file is used. Flags that weaken the sync are what the job's durability setting asks for.
        let env = unsafe { options.flags(settings.flags).open(dir) }.map_err(failed)?;
        let created = env.create_databases_and_commit(env.write_txn().map_err(failed)?, |opener, txn| {
            opener.create_database::<Bytes, Bytes>(txn, None).map(CommitOrAbort::<_, ()>::Commit)
        });
        let rows = created.map_err(failed)?.commit().ok_or_else(|| StoreError::store("cannot open the database"))?;
        Ok(Environment { env, rows })
    }
}

impl Store for Lmdb {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Lmdb, StoreError> {
        let (dir, settings) = (folder_of(job, "lmdb")?.to_path_buf(), Settings::parse(job)?);
        let once = Once::new(move || Environment::open(&dir, &settings));
        once.get()?;
        Ok(Lmdb { once, keys: *layout.keys() })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Many rows in one transaction.
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            processes: true,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("lmdb".into(), version())])
    }

    fn info(&self) -> Result<Texts, StoreError> {
        Ok(Texts::from([("version".into(), version())]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let Environment { env, .. } = &*self.once.get()?;
        let live = env.get_flags().map_err(failed)?;
        let set: Vec<&str> = FLAGS.iter().filter(|(_, flag)| live & flag.bits() != 0).map(|(name, _)| *name).collect();
        let flags = if set.is_empty() { "none".to_string() } else { set.join(",") };
        Ok(Texts::from([
            ("flags".into(), flags),
            ("map_size".into(), env.info().map_size.to_string()),
            ("max_readers".into(), env.max_readers().to_string()),
        ]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        let Environment { env, rows } = &*self.once.get()?;
        let mut txn = env.write_txn().map_err(failed)?;
        rows.clear(&mut txn).map_err(failed)?;
        txn.commit().map_err(failed)
    }

    fn count(&self) -> Result<u64, StoreError> {
        let Environment { env, rows } = &*self.once.get()?;
        let txn = env.read_txn().map_err(failed)?;
        let counters = rows.prefix_iter(&txn, &[COUNTER]).map_err(failed)?.count() as u64;
        Ok(rows.len(&txn).map_err(failed)? - counters)
    }

    /// Length of the data file, free pages too.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.once.get()?.env.real_disk_size().map_err(failed)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let Environment { env, rows } = &*self.once.get()?;
        let txn = env.read_txn().map_err(failed)?;
        let mut counters = rows.prefix_iter(&txn, &[COUNTER]).map_err(failed)?;
        counters.try_fold(0, |sum, counter| Ok(sum + counter_of(Some(counter.map_err(failed)?.1))))
    }
}

/// The number in a counter's value; 0 where there is none.
fn counter_of(value: Option<&[u8]>) -> u64 {
    value.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

fn version() -> String {
    let version = heed::lmdb_version();
    format!("{}.{}.{}", version.major, version.minor, version.patch)
}

fn failed(error: heed::Error) -> StoreError {
    StoreError::store(error)
}

struct Settings {
    flags: EnvFlags,
    map_bytes: usize,
}

impl Settings {
    fn parse(job: &Job) -> Result<Settings, StoreError> {
        let mut settings = Settings { flags: EnvFlags::empty(), map_bytes: MAP_BYTES };
        for (name, value) in &job.settings {
            match name.as_str() {
                "flags" => settings.flags = parse_flags(value)?,
                "map_size" => {
                    settings.map_bytes = value.parse().map_err(|_| {
                        StoreError::store(format!("map_size '{value}' is no number of bytes; write digits only"))
                    })?;
                }
                other => {
                    return Err(StoreError::store(format!("lmdb has no setting '{other}'; it has flags, map_size")));
                }
            }
        }
        Ok(settings)
    }
}

fn parse_flags(value: &str) -> Result<EnvFlags, StoreError> {
    let mut words = value.split(',').filter(|word| !word.is_empty() && *word != "none");
    words.try_fold(EnvFlags::empty(), |flags, word| {
        let known = FLAGS.iter().find(|(name, _)| *name == word);
        let (_, flag) = known.ok_or_else(|| {
            let names: Vec<&str> = FLAGS.iter().map(|(name, _)| *name).collect();
            StoreError::store(format!("lmdb has no flag '{word}' here; it has none, {}", names.join(", ")))
        })?;
        Ok(flags | *flag)
    })
}

impl Blocking for Lmdb {
    type Connection = LmdbConnection;

    fn connect(&self, phase: &Phase) -> Result<LmdbConnection, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let environment = self.once.for_phase(phase)?;
        let scope = match (phase.read_scope, &environment) {
            (ReadScope::Snapshot, Some(open)) => Scope::Snapshot(open.env.clone().static_read_txn().map_err(failed)?),
            _ => Scope::Each,
        };
        Ok(LmdbConnection { open: None, environment, keys: self.keys, scope, uncommitted: 0, undone: 0 })
    }

    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        self.once.anew(|environment| {
            let Environment { env, rows } = &environment;
            let read = |key: &Key, out: &mut RowBuffer| {
                env.read_txn().and_then(|txn| copy(*rows, &txn, KeyBytes::of(key).bytes(), out)).map_err(failed)
            };
            answers.one_by_one(read)
        })
    }
}

/// Copies the value of a key.
#[inline(always)]
fn copy(rows: Rows, txn: &RoTxn<'_>, key: &[u8], out: &mut RowBuffer) -> Result<bool, heed::Error> {
    let value = rows.get(txn, key)?;
    if let Some(value) = value {
        out.set_raw(value);
    }
    Ok(value.is_some())
}

/// What a read sees.
enum Scope {
    /// A transaction of its own.
    Each,
    /// The one of the phase.
    Snapshot(RoTxn<'static, WithTls>),
}

/// A thread's way into the environment.
pub struct LmdbConnection {
    /// Writes that wait for their commit; other writers wait for it too. Before the environment: it must go first.
    open: Option<RwTxn<'static>>,
    scope: Scope,
    environment: Option<Arc<Environment>>,
    keys: KeyMap,
    /// Writes in the open transaction.
    uncommitted: u32,
    /// Writes that an error undid since the last commit.
    undone: u32,
}

impl LmdbConnection {
    /// Does `write` in the open transaction; begins one where none is open.
    #[inline(always)]
    fn write<T>(
        &mut self,
        write: impl FnOnce(Rows, &mut RwTxn<'static>) -> Result<T, heed::Error>,
    ) -> Result<T, StoreError> {
        let environment = self.environment.as_ref().ok_or_else(nothing_open)?;
        let mut txn = match self.open.take() {
            Some(txn) => txn,
            None => {
                // SAFETY: the environment is in an `Arc` that this connection keeps for longer than the transaction,
                // and nothing borrows it mutably.
                let env: &'static Env<WithTls> = unsafe { &(*Arc::as_ptr(environment)).env };
                env.write_txn().map_err(failed)?
            }
        };
        match write(environment.rows, &mut txn) {
            Ok(done) => {
                self.open = Some(txn);
                self.uncommitted += 1;
                Ok(done)
            }
            // After most errors LMDB takes nothing but the abort, so dropping the transaction here
            // loses no more than is lost.
            Err(error) => {
                self.undone += std::mem::take(&mut self.uncommitted);
                Err(failed(error))
            }
        }
    }

    /// Does `read` in the transaction that reads belong to now.
    #[inline(always)]
    fn look<T>(&self, read: impl FnOnce(Rows, &RoTxn<'_>) -> Result<T, heed::Error>) -> Result<T, StoreError> {
        let Environment { env, rows } = &**self.environment.as_ref().ok_or_else(nothing_open)?;
        match (&self.open, &self.scope) {
            // Its own writes must be seen, and LMDB allows a thread one transaction at a time.
            (Some(txn), _) => read(*rows, txn),
            (_, Scope::Snapshot(txn)) => read(*rows, txn),
            // Used where it came: to be moved first would stop the processor, which cannot read as one piece what it has
            // just stored as several.
            (_, Scope::Each) => match env.read_txn() {
                Ok(ref txn) => read(*rows, txn),
                Err(error) => Err(error),
            },
        }
        .map_err(failed)
    }
}

impl Connection for LmdbConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|rows, txn| rows.put(txn, key.bytes(), row.raw))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|rows, txn| match rows.put_with_flags(txn, PutFlags::NO_OVERWRITE, key.bytes(), row.raw) {
            Ok(()) => Ok(Written::Done),
            Err(heed::Error::Mdb(MdbError::KeyExist)) => Ok(Written::Exists),
            Err(error) => Err(error),
        })
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key);
        self.look(|rows, txn| copy(rows, txn, key.bytes(), out))
    }

    /// LMDB has no write that demands an existing key: a lookup comes first, in the same transaction.
    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let key = KeyBytes::of(&row.key);
        self.write(|rows, txn| {
            if rows.get(txn, key.bytes())?.is_none() {
                return Ok(Written::Missing);
            }
            rows.put(txn, key.bytes(), row.raw)?;
            Ok(Written::Done)
        })
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        let key = KeyBytes::of(key);
        let removed = self.write(|rows, txn| rows.delete(txn, key.bytes()))?;
        Ok(if removed { Written::Done } else { Written::Missing })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let open = self.open.take();
        self.uncommitted = 0;
        match std::mem::take(&mut self.undone) {
            0 => open.map_or(Ok(()), |txn| txn.commit().map_err(failed)),
            undone => Err(StoreError::store(format!("an earlier error undid {undone} writes of this transaction"))),
        }
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.look(|rows, txn| {
            for row in rows.iter(txn)? {
                let (key, value) = row?;
                if key.first() == Some(&COUNTER) {
                    break;
                }
                sink.raw(self.keys.seen_bytes(key), value);
            }
            Ok(())
        })
    }

    fn latest(&mut self, count: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let below_counters: (Bound<&[u8]>, Bound<&[u8]>) = (Bound::Unbounded, Bound::Excluded(&[COUNTER]));
        self.look(|rows, txn| {
            for row in rows.rev_range(txn, &below_counters)?.take(count as usize) {
                let (key, value) = row?;
                sink.raw(self.keys.seen_bytes(key), value);
            }
            Ok(())
        })
    }

    /// A get for each key, all in one transaction.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        self.look(|rows, txn| {
            Ok(answers.one_by_one(|key, out| copy(rows, txn, KeyBytes::of(key).bytes(), out).map_err(failed)))
        })?
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        let mut counter = [COUNTER; 5];
        counter[1..].copy_from_slice(&key.row.to_be_bytes());
        self.write(|rows, txn| {
            let next = counter_of(rows.get(txn, &counter)?) + 1;
            rows.put(txn, &counter, &next.to_le_bytes())
        })
    }

    /// All rows in one transaction; the loop's commit ends it.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.load(row))
    }
}
