//! `leveldb` and `rocksdb`: two stores of one family, through their C interfaces, which are almost the same. The
//! library is opened at run time.
//!
//! Rows are raw values under their keys. Counters are in the same database under keys that begin with a byte that no
//! row's key begins with and come after all rows.
//!
//! Neither has a write that fails for a key that exists or is missing: `insert` overwrites; before an update or a
//! delete comes a lookup, which another connection's write may follow.

mod api;
mod connection;
mod db;
mod engine;
mod settings;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use kurabe_protocol::{Capabilities, InsertMode, Job, KeyMap, Layout, Operation, Phase, ReadScope};

use crate::adapter::{Blocking, Key, RowBuffer, Store, StoreError, Texts};
use crate::blocking::BlockingLoop;
use crate::stores::common::exclusive::{Exclusive, folder_bytes};
use crate::stores::common::keys::KeyBytes;
use crate::stores::common::library::Opened;
use api::Common;
use connection::{COUNTERS, LsmConnection, LsmSetup};
use db::{Api, Db, Reading, Writing};
pub use engine::{Engine, LevelDb, RocksDb};
use settings::Settings;

/// Locks for counters where the store itself cannot add: one a group of counters.
const COUNTER_LOCKS: usize = 256;

/// A database in a folder.
pub struct Lsm<E: Engine> {
    api: &'static Api<E>,
    folder: PathBuf,
    settings: Settings,
    db: Exclusive<Db<E>>,
    keys: KeyMap,
    counter_locks: Arc<[Mutex<()>]>,
}

impl<E: Engine> Store for Lsm<E> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Lsm<E>, StoreError> {
        let folder = job.dir.as_ref().ok_or_else(|| {
            let name = E::NAME;
            StoreError::store(format!("{name} needs a folder: the job has no 'dir'"))
        })?;
        let folder = Path::new(folder).join("db");
        let settings = Settings::parse::<E>(job)?;
        let library = Opened::open(job, E::LIBRARY, E::REMEDY)?;
        let api = Api { common: Common::find(&library, E::PREFIX)?, engine: E::of(&library)? };
        // The library itself is open for as long as the process, so its functions may be too.
        let api: &'static Api<E> = Box::leak(Box::new(api));
        let db = Exclusive::new(api.open(&folder, &settings)?);
        let counter_locks = (0..COUNTER_LOCKS).map(|_| Mutex::default()).collect();
        Ok(Lsm { api, folder, settings, db, keys: *layout.keys(), counter_locks })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            insert: InsertMode::Upsert,
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([(E::NAME.into(), self.api.engine.version(&self.folder))])
    }

    fn info(&self) -> Result<Texts, StoreError> {
        Ok(Texts::from([("version".into(), self.api.engine.version(&self.folder))]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let db = self.db()?;
        self.api.engine.settings(&db, &Writing::new(&db, &self.settings), &self.folder)
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    /// The folder belongs to the job alone.
    fn reset(&self) -> Result<(), StoreError> {
        self.db.alone(|| self.api.destroy(&self.folder))?;
        self.db().map(|_| ())
    }

    /// Neither counts its rows: all keys are read.
    fn count(&self) -> Result<u64, StoreError> {
        let reading = Reading::new(&self.db()?, false);
        let mut cursor = reading.cursor();
        let mut rows = 0;
        cursor.first();
        while cursor.entry().is_some_and(|(key, _)| key < COUNTERS.as_slice()) {
            rows += 1;
            cursor.next();
        }
        cursor.end().map(|()| rows)
    }

    /// Length of all files; what they tell of themselves leaves the log out.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        folder_bytes(&self.folder)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        let reading = Reading::new(&self.db()?, false);
        let mut cursor = reading.cursor();
        let mut sum = 0;
        cursor.seek(&COUNTERS);
        while let Some((_, value)) = cursor.entry() {
            sum += connection::counter(value)?;
            cursor.next();
        }
        cursor.end().map(|()| sum)
    }
}

impl<E: Engine> Lsm<E> {
    fn db(&self) -> Result<Arc<Db<E>>, StoreError> {
        self.db.get(|| self.api.open(&self.folder, &self.settings))
    }
}

impl<E: Engine> Blocking for Lsm<E> {
    type Connection = LsmConnection<E>;

    fn connect(&self, phase: &Phase) -> Result<LsmConnection<E>, StoreError> {
        if phase.read_scope == ReadScope::Snapshot && phase.writes() {
            return Err(StoreError::store(format!(
                "phase '{}' writes: one snapshot for all reads is for phases that only read",
                phase.name
            )));
        }
        if phase.operation == Operation::Open {
            // Its operations open the database themselves, and only one opener can have it.
            self.db.alone(|| Ok(()))?;
            return Ok(LsmConnection::idle());
        }
        Ok(LsmConnection::new(LsmSetup {
            db: self.db()?,
            settings: &self.settings,
            keys: self.keys,
            counter_locks: self.counter_locks.clone(),
            phase,
        }))
    }

    /// The lock of the folder lets one opener in: several connections wait for one another here.
    fn open_and_read(&self, _phase: &Phase, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.db.alone(|| {
            let db = Arc::new(self.api.open(&self.folder, &self.settings)?);
            let key = KeyBytes::of(key);
            Reading::new(&db, false).get(key.bytes(), |value| out.set_raw(value))
        })
    }
}
