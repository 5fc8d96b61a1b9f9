//! `lmdb`: LMDB through heed, in this process. Keys and raw encoded values in the unnamed database.
//!
//! An int64 key is 8 bytes big-endian, so that the order of bytes is that of the numbers; a text
//! key is its bytes. The folder belongs to the job alone, so no named database is needed, which
//! would add the update of a second tree to every commit.
//!
//! LMDB lets one writer at a time in: a write waits for the others' commits inside its own time.

use std::sync::Arc;

use heed::types::Bytes;
use heed::{CommitOrAbort, Database, Env, EnvFlags, EnvOpenOptions, MdbError, PutFlags, RoTxn, RwTxn, WithTls};
use kurabe_protocol::value::{TEXT_KEY_BYTES, row_of_text_key};
use kurabe_protocol::{Capabilities, FieldType, InsertMode, Job, Layout, LoadPath, Operation, Phase, ReadScope};

use crate::adapter::{Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, Written};
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

type Rows = Database<'static, Bytes, Bytes>;

/// An environment with one database.
pub struct Lmdb {
    env: &'static Env<WithTls>,
    rows: Rows,
    key_type: FieldType,
}

impl Store for Lmdb {
    type Shape = BlockingLoop;

    fn open(job: &Job, _layout: &Arc<Layout>) -> Result<Lmdb, StoreError> {
        let dir = job.dir.as_ref().ok_or_else(|| StoreError::store("lmdb needs a folder: the job has no 'dir'"))?;
        let settings = Settings::parse(job)?;
        let mut options = EnvOpenOptions::new();
        options.map_size(settings.map_bytes).max_readers(READERS);
        // SAFETY: the folder was made for this job, nobody changes its files but LMDB, and its lock
        // file is used. Flags that weaken the sync are what the job's durability setting asks for.
        let env = unsafe { options.flags(settings.flags).open(dir) }.map_err(failed)?;
        // A process works on one job and has one environment, which lives as long as the process:
        // write transactions can then be held between operations without borrowing from the store.
        let env: &'static Env<WithTls> = Box::leak(Box::new(env));
        let created = env.create_databases_and_commit(env.write_txn().map_err(failed)?, |opener, txn| {
            opener.create_database::<Bytes, Bytes>(txn, None).map(CommitOrAbort::<_, ()>::Commit)
        });
        let rows = created.map_err(failed)?.commit().ok_or_else(|| StoreError::store("cannot open the database"))?;
        Ok(Lmdb { env, rows, key_type: job.schema.key().field_type })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            operations: Operation::ALL.into_iter().filter(|operation| *operation != Operation::Mix).collect(),
            key_types: vec![FieldType::Int64, FieldType::Text],
            insert: InsertMode::Exists,
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            max_depth: 1,
            batch: false,
            max_connections: 1024,
            processes: true,
            shared_versions: true,
            // MAXDATASIZE of LMDB.
            max_value_bytes: u64::from(u32::MAX),
            filler_checked_every: 1,
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([("lmdb".into(), version())])
    }

    fn info(&self) -> Result<Texts, StoreError> {
        Ok(Texts::from([("version".into(), version())]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let live = self.env.get_flags().map_err(failed)?;
        let set: Vec<&str> = FLAGS.iter().filter(|(_, flag)| live & flag.bits() != 0).map(|(name, _)| *name).collect();
        let flags = if set.is_empty() { "none".to_string() } else { set.join(",") };
        Ok(Texts::from([
            ("flags".into(), flags),
            ("map_size".into(), self.env.info().map_size.to_string()),
            ("max_readers".into(), self.env.max_readers().to_string()),
        ]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        let mut txn = self.env.write_txn().map_err(failed)?;
        self.rows.clear(&mut txn).map_err(failed)?;
        txn.commit().map_err(failed)
    }

    fn count(&self) -> Result<u64, StoreError> {
        let txn = self.env.read_txn().map_err(failed)?;
        self.rows.len(&txn).map_err(failed)
    }

    /// Length of the data file, free pages too.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.env.real_disk_size().map_err(failed)
    }
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
        let scope = match phase.read_scope {
            ReadScope::Each => Scope::Each,
            ReadScope::Snapshot if phase.writes() => {
                return Err(StoreError::store(format!(
                    "phase '{}' writes: one snapshot for all reads is for phases that only read",
                    phase.name
                )));
            }
            ReadScope::Snapshot => Scope::Snapshot(self.env.read_txn().map_err(failed)?),
        };
        let (env, rows, key_type) = (self.env, self.rows, self.key_type);
        Ok(LmdbConnection { env, rows, key_type, scope, open: None, uncommitted: 0, undone: 0 })
    }
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
    env: &'static Env<WithTls>,
    rows: Rows,
    key_type: FieldType,
    scope: Scope,
    /// Writes that wait for their commit; other writers wait for it too.
    open: Option<RwTxn<'static>>,
    /// Writes in it.
    uncommitted: u32,
    /// Writes that an error undid since the last commit.
    undone: u32,
}

/// The bytes of a key.
enum KeyBytes<'a> {
    Int([u8; 8]),
    Text(&'a [u8; TEXT_KEY_BYTES]),
}

impl KeyBytes<'_> {
    #[inline(always)]
    fn of(key: &Key, key_type: FieldType) -> KeyBytes<'_> {
        match key_type {
            FieldType::Int64 => KeyBytes::Int(key.int().to_be_bytes()),
            FieldType::Text | FieldType::Bytes => KeyBytes::Text(key.text_bytes()),
        }
    }

    #[inline(always)]
    fn bytes(&self) -> &[u8] {
        match self {
            KeyBytes::Int(bytes) => bytes,
            KeyBytes::Text(bytes) => *bytes,
        }
    }
}

impl LmdbConnection {
    /// The row's number in its key; `u32::MAX` where the key is none of ours.
    fn row_number(&self, key: &[u8]) -> u32 {
        let number = match self.key_type {
            FieldType::Int64 => key.try_into().ok().and_then(|bytes| u32::try_from(i64::from_be_bytes(bytes)).ok()),
            FieldType::Text | FieldType::Bytes => row_of_text_key(key),
        };
        number.unwrap_or(u32::MAX)
    }

    /// Does `write` in the open transaction; begins one where none is open.
    #[inline(always)]
    fn write<T>(
        &mut self,
        write: impl FnOnce(Rows, &mut RwTxn<'static>) -> Result<T, heed::Error>,
    ) -> Result<T, StoreError> {
        let mut txn = match self.open.take() {
            Some(txn) => txn,
            None => self.env.write_txn().map_err(failed)?,
        };
        match write(self.rows, &mut txn) {
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
        match (&self.open, &self.scope) {
            // Its own writes must be seen, and LMDB allows a thread one transaction at a time.
            (Some(txn), _) => read(self.rows, txn),
            (_, Scope::Snapshot(txn)) => read(self.rows, txn),
            (_, Scope::Each) => self.env.read_txn().and_then(|txn| read(self.rows, &txn)),
        }
        .map_err(failed)
    }
}

impl Connection for LmdbConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let key = KeyBytes::of(&row.key, self.key_type);
        self.write(|rows, txn| rows.put(txn, key.bytes(), row.raw))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let key = KeyBytes::of(&row.key, self.key_type);
        self.write(|rows, txn| match rows.put_with_flags(txn, PutFlags::NO_OVERWRITE, key.bytes(), row.raw) {
            Ok(()) => Ok(Written::Done),
            Err(heed::Error::Mdb(MdbError::KeyExist)) => Ok(Written::Exists),
            Err(error) => Err(error),
        })
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = KeyBytes::of(key, self.key_type);
        self.look(|rows, txn| {
            let value = rows.get(txn, key.bytes())?;
            if let Some(value) = value {
                out.set_raw(value);
            }
            Ok(value.is_some())
        })
    }

    /// LMDB has no write that demands an existing key: a lookup comes first, in the same transaction.
    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        let key = KeyBytes::of(&row.key, self.key_type);
        self.write(|rows, txn| {
            if rows.get(txn, key.bytes())?.is_none() {
                return Ok(Written::Missing);
            }
            rows.put(txn, key.bytes(), row.raw)?;
            Ok(Written::Done)
        })
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        let key = KeyBytes::of(key, self.key_type);
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
                sink.raw(self.row_number(key), value);
            }
            Ok(())
        })
    }

    fn latest(&mut self, count: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.look(|rows, txn| {
            for row in rows.rev_iter(txn)?.take(count as usize) {
                let (key, value) = row?;
                sink.raw(self.row_number(key), value);
            }
            Ok(())
        })
    }

    /// All rows in one transaction; the loop's commit ends it.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.load(row))
    }
}
