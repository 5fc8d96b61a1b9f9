//! `lmdb` and `libmdbx`: a memory-mapped tree of copied pages, in this process. Keys and raw encoded values in the
//! unnamed database.
//!
//! The folder belongs to the job alone, so no named database is needed, which would add the update
//! of a second tree to every commit. Counters lie behind the rows, under keys with a prefix.
//!
//! Both let one writer at a time in: a write waits for the others' commits inside its own time.
//!
//! Their C functions are called without a crate between: it would hide the transaction that is renewed, and the cursor
//! that writes where it stands.

mod connection;
mod engine;
mod env;
mod lmdb;
mod mdbx;
mod settings;

use std::path::PathBuf;
use std::sync::Arc;

use kurabe_protocol::{Capabilities, Job, KeyMap, Layout, LoadPath, Phase, ReadScope};

use crate::common::single_open::SingleOpen;
use crate::common::syncer::Syncing;
use connection::{COUNTER, MdbConnection, copy, counter_of};
use engine::{Engine, number};
use env::{Environment, Txn};
use kurabe_client::adapter::{Answers, Blocking, Store, StoreError, Texts};
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::common::folder::folder_of;
use kurabe_client::common::refusals::{nothing_open, refuse_snapshot_and_writes};
pub use lmdb::Lmdb;
pub use mdbx::Mdbx;
use settings::{Settings, words_of};

/// An environment with one database.
pub struct Mdb<E: Engine> {
    engine: E,
    folder: PathBuf,
    settings: Settings,
    once: SingleOpen<Environment<E>>,
    keys: KeyMap,
    syncing: Syncing,
}

impl<E: Engine> Mdb<E> {
    /// Does `work` in a transaction that reads.
    fn look<T>(&self, work: impl FnOnce(&Txn<'_, E>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        work(&self.once.get()?.begin(number::READ_ONLY)?)
    }

    /// Number and sum of the counters.
    fn counters(txn: &Txn<'_, E>) -> Result<(u64, u64), StoreError> {
        let (mut count, mut sum) = (0, 0);
        let mut cursor = txn.cursor()?;
        let mut to = number::NOT_BELOW;
        while let Some((_, value)) = cursor.go(to, &[COUNTER])? {
            (count, sum) = (count + 1, sum + counter_of(Some(value)));
            to = number::NEXT;
        }
        Ok((count, sum))
    }
}

impl<E: Engine> Store for Mdb<E> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Mdb<E>, StoreError> {
        let (folder, settings) = (folder_of(job, E::NAME)?.to_path_buf(), Settings::parse::<E>(job)?);
        let engine = E::of(job)?;
        let opener = (folder.clone(), settings.clone());
        let once = SingleOpen::new(move || Environment::open(engine, &opener.0, &opener.1));
        once.get()?;
        let syncing = Syncing::every(settings.sync_every);
        Ok(Mdb { engine, folder, settings, once, keys: *layout.keys(), syncing })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            // Many rows in one transaction.
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: true,
            processes: true,
            max_value_bytes: E::MAX_VALUE_BYTES,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::from([(E::NAME.into(), self.engine.version())])
    }

    fn info(&self) -> Result<Texts, StoreError> {
        Ok(Texts::from([("version".into(), self.engine.version())]))
    }

    fn settings(&self) -> Result<Texts, StoreError> {
        let environment = self.once.get()?;
        let live = environment.flags()?;
        Ok(Texts::from([
            ("flags".into(), words_of::<E>(live)),
            ("map_size".into(), environment.map_bytes()?.to_string()),
            ("max_readers".into(), environment.readers()?.to_string()),
            ("readahead".into(), (live & number::NO_READAHEAD == 0).to_string()),
        ]))
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        let environment = self.once.get()?;
        let txn = environment.begin(0)?;
        txn.clear()?;
        txn.commit()
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.look(|txn| Ok(txn.entries()? - Self::counters(txn)?.0))
    }

    /// Length of the data file, free pages too.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        let file = self.folder.join(E::FILE);
        let failed = |error| StoreError::store(format!("cannot read the length of '{}': {error}", file.display()));
        Ok(std::fs::metadata(&file).map_err(failed)?.len())
    }

    fn sum(&self) -> Result<u64, StoreError> {
        self.look(|txn| Ok(Self::counters(txn)?.1))
    }
}

impl<E: Engine> Blocking for Mdb<E> {
    type Connection = MdbConnection<E>;

    fn connect(&self, phase: &Phase) -> Result<MdbConnection<E>, StoreError> {
        refuse_snapshot_and_writes(phase)?;
        let environment = self.once.for_phase(phase)?;
        let syncer = self.syncing.for_phase(phase, || {
            let environment = environment.clone().ok_or_else(nothing_open)?;
            Ok(move || environment.sync())
        })?;
        MdbConnection::new(environment, &self.settings, self.keys, phase, syncer)
    }

    fn open_and_read(&self, _phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        self.once
            .reopen(|environment| answers.one_by_one(|key, out| copy(&environment.begin(number::READ_ONLY)?, key, out)))
    }
}
