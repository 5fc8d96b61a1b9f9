//! Honest stores that fail: every error is told, and what it did to the data is not.
//!
//! After a failed write either outcome is right, so an oracle that accuses these stores is wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kurabe_client::blocking::BlockingLoop;
use kurabe_client::{Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, WriteOutcome};
use kurabe_protocol::{Capabilities, Job, Layout, Operation, Phase};

use crate::liar::calls_as_honest;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Failure {
    /// One write in a hundred says that it failed; every second of those was done all the same.
    Writes,
    /// One commit in a hundred says that it failed; the writes were done.
    Commits,
    /// One read in a hundred fails.
    Reads,
    /// Everything after the load fails.
    AllAfterLoad,
}

/// An honest store with failures: `flaky-writes`, `flaky-commits`, `flaky-reads` or `dead`.
pub struct Flaky<S> {
    honest: S,
    failure: Failure,
    turns: Arc<AtomicU64>,
}

impl<S: Blocking<Shape = BlockingLoop>> Store for Flaky<S> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Flaky<S>, StoreError> {
        let failure = match job.candidate.store.as_str() {
            "flaky-writes" => Failure::Writes,
            "flaky-commits" => Failure::Commits,
            "flaky-reads" => Failure::Reads,
            _ => Failure::AllAfterLoad,
        };
        Ok(Flaky { honest: S::open(job, layout)?, failure, turns: Arc::default() })
    }

    fn capabilities(&self) -> Capabilities {
        self.honest.capabilities()
    }

    calls_as_honest!();

    fn count(&self) -> Result<u64, StoreError> {
        self.honest.count()
    }
}

impl<S: Blocking<Shape = BlockingLoop>> Blocking for Flaky<S> {
    type Connection = FlakyConnection<S::Connection>;

    fn connect(&self, phase: &Phase) -> Result<Self::Connection, StoreError> {
        Ok(FlakyConnection {
            honest: self.honest.connect(phase)?,
            failure: self.failure,
            loads: phase.operation() == Operation::Load,
            turns: self.turns.clone(),
        })
    }
}

/// A connection with failures.
pub struct FlakyConnection<C> {
    honest: C,
    failure: Failure,
    loads: bool,
    turns: Arc<AtomicU64>,
}

impl<C: Connection> FlakyConnection<C> {
    fn alive(&self) -> Result<(), StoreError> {
        if self.failure == Failure::AllAfterLoad && !self.loads {
            return Err(StoreError::store("the server has gone away"));
        }
        Ok(())
    }

    fn turn(&self) -> u64 {
        self.turns.fetch_add(1, Ordering::Relaxed) % 200
    }

    fn write<T>(&mut self, write: impl FnOnce(&mut C) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.alive()?;
        let failed = || StoreError::store("deadlock found");
        if self.failure != Failure::Writes {
            return write(&mut self.honest);
        }
        match self.turn() {
            50 => Err(failed()),
            150 => write(&mut self.honest).and_then(|_| Err(failed())),
            _ => write(&mut self.honest),
        }
    }
}

impl<C: Connection> Connection for FlakyConnection<C> {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.write(|honest| honest.load(row))
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.write(|honest| honest.insert(row))
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.alive()?;
        if self.failure == Failure::Reads && self.turn() % 100 == 50 {
            return Err(StoreError::store("try again"));
        }
        self.honest.read(key, out)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.write(|honest| honest.update(row))
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.write(|honest| honest.delete(key))
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        if self.failure == Failure::Commits && self.turn() % 100 == 50 {
            return Err(StoreError::store("cannot sync"));
        }
        self.honest.commit()
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.alive()?;
        self.honest.scan(sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.alive()?;
        self.honest.latest(rows, sink)
    }
}
