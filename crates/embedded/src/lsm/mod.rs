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

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use kurabe_protocol::{Capabilities, InsertMode, Job, KeyMap, Layout, LoadPath, Phase, ReadScope};

use crate::common::library::OpenLibrary;
use crate::common::single_open::SingleOpen;
use crate::common::syncer::Syncing;
use api::Common;
use connection::{COUNTERS, LsmConnection, LsmSetup};
use db::{Api, Db, Reading, Writing};
pub use engine::{Engine, LevelDb, RocksDb};
use kurabe_client::adapter::{Answers, Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::{folder_bytes, folder_of};
use kurabe_client::common::keys::KeyBytes;
use kurabe_client::common::refusals::refuse_snapshot_and_writes;
use settings::Settings;

/// Locks for counters where the store itself cannot add: one a group of counters.
const COUNTER_LOCKS: usize = 256;

/// A database in a folder.
pub struct Lsm<E: Engine> {
    api: &'static Api<E>,
    folder: PathBuf,
    settings: Settings,
    db: SingleOpen<Db<E>>,
    keys: KeyMap,
    counter_locks: Arc<[Mutex<()>]>,
    syncing: Syncing,
}

impl<E: Engine> Store for Lsm<E> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Lsm<E>, StoreError> {
        let folder = folder_of(job, E::NAME)?.join("db");
        let settings = Settings::parse::<E>(job)?;
        let library = OpenLibrary::open(job, E::LIBRARY, E::REMEDY)?;
        let api = Api { common: Common::find(&library, E::PREFIX)?, engine: E::of(&library)? };
        // The library itself is open for as long as the process, so its functions may be too.
        let api: &'static Api<E> = Box::leak(Box::new(api));
        let opener = (folder.clone(), settings.clone());
        let db = SingleOpen::new(move || api.open(&opener.0, &opener.1));
        db.get()?;
        let counter_locks = (0..COUNTER_LOCKS).map(|_| Mutex::default()).collect();
        let syncing = Syncing::every(settings.sync_every);
        Ok(Lsm { api, folder, settings, db, keys: *layout.keys(), counter_locks, syncing })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            insert: InsertMode::Upsert,
            // One write batch.
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
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
        let db = self.db.get()?;
        self.api.engine.settings(&db, &Writing::new(&db, &self.settings), &self.folder)
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    /// The folder belongs to the job alone.
    fn reset(&self) -> Result<(), StoreError> {
        self.db.while_closed(|| self.api.destroy(&self.folder))?;
        self.db.get().map(|_| ())
    }

    /// Neither counts its rows: all keys are read.
    fn count(&self) -> Result<u64, StoreError> {
        let reading = Reading::new(&self.db.get()?, false);
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
        let reading = Reading::new(&self.db.get()?, false);
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

impl<E: Engine> Blocking for Lsm<E> {
    type Connection = LsmConnection<E>;

    fn connect(&self, phase: &Phase) -> Result<LsmConnection<E>, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let Some(db) = self.db.for_phase(phase)? else { return Ok(LsmConnection::idle()) };
        let syncer = self.syncing.for_phase(phase, || {
            let db = db.clone();
            Ok(move || db.api.engine.sync_log(&db))
        })?;
        Ok(LsmConnection::new(LsmSetup {
            db,
            syncer,
            settings: &self.settings,
            keys: self.keys,
            counter_locks: self.counter_locks.clone(),
            phase,
        }))
    }

    /// The lock of the folder lets one opener in: several connections wait for one another here.
    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        self.db.reopen(|db| {
            let db = Arc::new(db);
            let reading = Reading::new(&db, false);
            answers.one_by_one(|key, out| reading.get(KeyBytes::of(key).bytes(), |value| out.set_raw(value)))
        })
    }
}
