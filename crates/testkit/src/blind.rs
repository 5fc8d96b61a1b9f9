//! A store that writes without a look at what is there: an update of a missing row makes it, a delete of one is done like
//! any other. It is honest where it says so, and else it is not.

use std::sync::Arc;

use kurabe_client::blocking::BlockingLoop;
use kurabe_client::{Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, WriteOutcome};
use kurabe_protocol::{Capabilities, Job, Layout, Phase};

use crate::liar::calls_as_honest;

/// What a blind store says and does.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlindMode {
    /// It says that it is blind, and writes.
    Honest,
    /// It does not say so.
    Untold,
    /// It says so, and drops updates of rows that are missing.
    Drops,
}

/// A blind store: `blind`, `blind-untold` or `blind-drops`.
pub struct Blind<S> {
    honest: S,
    manner: BlindMode,
}

impl<S: Blocking<Shape = BlockingLoop>> Store for Blind<S> {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Blind<S>, StoreError> {
        let manner = match job.candidate.store.as_str() {
            "blind" => BlindMode::Honest,
            "blind-untold" => BlindMode::Untold,
            _ => BlindMode::Drops,
        };
        Ok(Blind { honest: S::open(job, layout)?, manner })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { blind_writes: self.manner != BlindMode::Untold, ..self.honest.capabilities() }
    }

    calls_as_honest!();

    fn count(&self) -> Result<u64, StoreError> {
        self.honest.count()
    }
}

impl<S: Blocking<Shape = BlockingLoop>> Blocking for Blind<S> {
    type Connection = BlindConnection<S::Connection>;

    fn connect(&self, phase: &Phase) -> Result<Self::Connection, StoreError> {
        Ok(BlindConnection { honest: self.honest.connect(phase)?, manner: self.manner })
    }
}

/// A connection that writes without looking.
pub struct BlindConnection<C> {
    honest: C,
    manner: BlindMode,
}

impl<C: Connection> Connection for BlindConnection<C> {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.honest.load(row)
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.honest.insert(row)
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.honest.read(key, out)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        if self.honest.update(row)? == WriteOutcome::Missing && self.manner != BlindMode::Drops {
            self.honest.insert(row)?;
        }
        Ok(WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        self.honest.delete(key).map(|_| WriteOutcome::Done)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.honest.commit()
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.honest.scan(sink)
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.honest.latest(rows, sink)
    }
}
