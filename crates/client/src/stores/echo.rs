//! `echo`: answers what is expected, and keeps nothing but the state of each row.
//!
//! Not a store: it is the floor, what Kurabe's own loop, values and checks cost.

use std::sync::Arc;

use kurabe_protocol::{Capabilities, FieldType, InsertMode, Job, Layout, LoadPath, Operation, Phase, Pool, ReadScope};

use crate::adapter::{Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, Written};
use crate::blocking::BlockingLoop;
use crate::ledger::{Ledger, State};

/// The floor.
pub struct Echo {
    shared: Arc<Shared>,
}

struct Shared {
    layout: Arc<Layout>,
    pool: Pool,
    states: Ledger,
}

/// Rows beyond the loaded ones that echo can keep the state of; untouched ones take no memory.
const SPARE_ROWS: usize = 100_000_000;

impl Store for Echo {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Echo, StoreError> {
        let bytes = std::fs::read(&job.pool).map_err(StoreError::store)?;
        let pool = Pool::new(&bytes, layout).ok_or_else(|| StoreError::store("the pool has a wrong size"))?;
        let rows = u32::try_from(job.rows).map_err(StoreError::store)?;
        let states = Ledger::new(rows, rows as usize + SPARE_ROWS);
        Ok(Echo { shared: Arc::new(Shared { layout: layout.clone(), pool, states }) })
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            operations: Operation::ALL.into_iter().filter(|operation| *operation != Operation::Mix).collect(),
            key_types: vec![FieldType::Int64, FieldType::Text],
            insert: InsertMode::Exists,
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            transactions: false,
            max_depth: 1,
            batch: false,
            max_connections: 1024,
            processes: false,
            shared_versions: true,
            max_value_bytes: u64::from(u32::MAX),
            filler_checked_every: 1,
        }
    }

    fn libraries(&self) -> Texts {
        Texts::new()
    }

    fn create(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn reset(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

impl Blocking for Echo {
    type Connection = EchoConnection;

    fn connect(&self, _phase: &Phase) -> Result<EchoConnection, StoreError> {
        Ok(EchoConnection { shared: self.shared.clone() })
    }
}

/// A connection to nothing.
pub struct EchoConnection {
    shared: Arc<Shared>,
}

impl EchoConnection {
    #[inline(always)]
    fn state(&self, row: u32) -> State {
        // Nothing but the load was done: no need to look the row up.
        if self.shared.states.any_written() { self.shared.states.acknowledged(row) } else { State::LOADED }
    }

    fn keep(&self, row: u32, state: State) {
        self.shared.states.start(row, state);
        self.shared.states.acknowledge(row, state);
    }

    fn give(&self, row: u32, sink: &mut RowSink<'_>) -> Result<bool, StoreError> {
        let state = self.shared.states.acknowledged(row);
        if state.present() {
            let Shared { layout, pool, .. } = &*self.shared;
            sink.raw_with(row, layout.len_bytes(), |out| layout.write(pool, row, state.version(), out));
        }
        Ok(state.present())
    }

    fn newest(&self) -> u32 {
        self.shared.states.highest_written()
    }
}

impl Connection for EchoConnection {
    fn load(&mut self, _row: &Row<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        if self.shared.states.acknowledged(row.key.row).present() {
            return Ok(Written::Exists);
        }
        self.keep(row.key.row, State::at(row.version));
        Ok(Written::Done)
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let state = self.state(key.row);
        if !state.present() {
            return Ok(false);
        }
        let Shared { layout, pool, .. } = &*self.shared;
        layout.write_row(pool, key.seed(), state.version(), out.room(layout.len_bytes()));
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        if !self.state(row.key.row).present() {
            return Ok(Written::Missing);
        }
        self.keep(row.key.row, State::at(row.version));
        Ok(Written::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        let state = self.shared.states.acknowledged(key.row);
        if !state.present() {
            return Ok(Written::Missing);
        }
        self.keep(key.row, state.deleted());
        Ok(Written::Done)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn load_many(&mut self, _rows: &[Row<'_>]) -> Result<(), StoreError> {
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        for row in 0..=self.newest() {
            self.give(row, sink)?;
        }
        Ok(())
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let mut given = 0;
        for row in (0..=self.newest()).rev() {
            if given == rows {
                break;
            }
            given += u32::from(self.give(row, sink)?);
        }
        Ok(())
    }
}
