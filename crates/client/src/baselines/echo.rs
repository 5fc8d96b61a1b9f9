//! `echo`: answers what is expected, and keeps nothing but the state of each row.
//!
//! Not a store: it is the baseline, what Kurabe's own loop, values and checks cost.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use kurabe_protocol::{
    Capabilities, Encoding, FieldType, Job, Layout, LoadPath, Operation, Phase, Pool, ReadScope, ReturnedKey,
};

use super::delay::Delay;
use crate::adapter::{
    Answers, Blocking, Connection, Key, Range, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use crate::blocking::BlockingLoop;
use crate::ledger::{Ledger, State};

/// The baseline.
pub struct Echo {
    shared: Arc<Shared>,
    columns: bool,
}

struct Shared {
    layout: Arc<Layout>,
    pool: Arc<Pool>,
    states: Ledger,
    /// Of all counters together: what one of them holds is never asked for.
    sum: AtomicU64,
    /// How slow it is, where it is on purpose.
    delay: Option<Delay>,
}

/// The pool of a job, for whoever answers from it and was not given that of the client.
pub fn pool_of(job: &Job, layout: &Layout) -> Result<Arc<Pool>, StoreError> {
    let bytes = std::fs::read(&job.pool).map_err(StoreError::store)?;
    Pool::new(&bytes, layout).map(Arc::new).ok_or_else(|| StoreError::store("the pool has a wrong size"))
}

impl Store for Echo {
    type Shape = BlockingLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Echo, StoreError> {
        Echo::open_beside(job, layout, &pool_of(job, layout)?)
    }

    fn open_beside(job: &Job, layout: &Arc<Layout>, pool: &Arc<Pool>) -> Result<Echo, StoreError> {
        let rows = u32::try_from(job.rows).map_err(StoreError::store)?;
        // Each phase inserts rows of its own; those that nobody touches take no memory.
        let room = usize::try_from(job.inserts_end().unwrap_or(0).max(job.rows)).map_err(StoreError::store)?;
        let states = Ledger::new(rows, room);
        let columns = job.schema.values().iter().any(|field| field.field_type == FieldType::Int64);
        let (layout, pool) = (layout.clone(), pool.clone());
        let shared = Shared { layout, pool, states, sum: AtomicU64::new(0), delay: Delay::of(job)? };
        Ok(Echo { shared: Arc::new(shared), columns })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        if self.columns {
            operations.push(Operation::Search);
        }
        Capabilities {
            operations,
            load_paths: vec![LoadPath::Row, LoadPath::Batch],
            read_scopes: vec![ReadScope::Each, ReadScope::Snapshot],
            // It keeps nothing that could be read back.
            encodings: vec![Encoding::Raw],
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::new()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        self.shared.sum.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn sum(&self) -> Result<u64, StoreError> {
        Ok(self.shared.sum.load(Ordering::Relaxed))
    }
}

impl Blocking for Echo {
    type Connection = EchoConnection;

    fn connect(&self, phase: &Phase) -> Result<EchoConnection, StoreError> {
        let began_ns = self.shared.delay.as_ref().map_or(0, |delay| delay.connect(&phase.name));
        Ok(EchoConnection { shared: self.shared.clone(), began_ns })
    }
}

/// A connection to nothing.
pub struct EchoConnection {
    shared: Arc<Shared>,
    /// When its phase began, in ns, where it is slow on purpose.
    began_ns: u64,
}

impl EchoConnection {
    #[inline(always)]
    fn delay(&self) {
        if let Some(delay) = &self.shared.delay {
            delay.wait(self.began_ns);
        }
    }

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
            match layout.own_value(row, state.version()) {
                Some(value) => sink.raw(ReturnedKey::Row(row), value),
                None => sink.raw_with(row, layout.len_bytes(), |out| layout.write(pool, row, state.version(), out)),
            }
        }
        Ok(state.present())
    }

    /// So many of these rows, of those that are there.
    fn give_first(
        &self,
        rows: u32,
        candidates: impl Iterator<Item = u32>,
        sink: &mut RowSink<'_>,
    ) -> Result<(), StoreError> {
        let mut given = 0;
        for row in candidates {
            if given == rows {
                break;
            }
            given += u32::from(self.give(row, sink)?);
        }
        Ok(())
    }

    fn newest(&self) -> u32 {
        self.shared.states.highest_written()
    }
}

impl Connection for EchoConnection {
    fn load(&mut self, _row: &Row<'_>) -> Result<(), StoreError> {
        Ok(())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.delay();
        if self.shared.states.acknowledged(row.key.row).present() {
            return Ok(WriteOutcome::Exists);
        }
        self.keep(row.key.row, State::with_version(row.version));
        Ok(WriteOutcome::Done)
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.delay();
        let state = self.state(key.row);
        if !state.present() {
            return Ok(false);
        }
        let Shared { layout, pool, .. } = &*self.shared;
        match layout.own_value(key.row, state.version()) {
            Some(value) => out.set_raw(value),
            None => layout.write_row(pool, key.seed(), state.version(), out.room(layout.len_bytes())),
        }
        Ok(true)
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.delay();
        if !self.state(row.key.row).present() {
            return Ok(WriteOutcome::Missing);
        }
        self.keep(row.key.row, State::with_version(row.version));
        Ok(WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let state = self.shared.states.acknowledged(key.row);
        if !state.present() {
            return Ok(WriteOutcome::Missing);
        }
        self.keep(key.row, state.deleted());
        Ok(WriteOutcome::Done)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn load_many(&mut self, _rows: &[Row<'_>]) -> Result<(), StoreError> {
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.shared.states.rows_used().try_for_each(|row| self.give(row, sink).map(drop))
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let keys = self.shared.layout.keys();
        match keys.own() {
            None => self.give_first(rows, self.shared.states.rows_used().rev(), sink),
            // The keys of a data file have an order of their own.
            Some(own) => self.give_first(rows, (0..own.count()).rev().map(|place| keys.at_rank(place)), sink),
        }
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        answers.one_by_one(|key, out| self.read(key, out))
    }

    fn increment(&mut self, _key: &Key) -> Result<(), StoreError> {
        self.shared.sum.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Values grow with the row's number, so while none was updated the first row of the range is calculated.
    fn search(&mut self, range: &Range, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let value = |row, version| self.shared.layout.int_value(row, version, range.field).unwrap_or_default();
        let step = value(1, 0) - value(0, 0);
        let newest = self.newest();
        // Columns of few values, and of more than there are numbers, begin again.
        let grows = step > 1 && value(newest, 0) == value(0, 0) + i64::from(newest) * step;
        let quiet = grows && !self.shared.states.any_written();
        let start = if quiet { (range.low - value(0, 0)).max(0) / step } else { 0 };
        // Where it is not 0 every row from 0 on was used.
        for row in self.shared.states.rows_used().skip(usize::try_from(start).unwrap_or(usize::MAX)) {
            let value = value(row, self.shared.states.acknowledged(row).version());
            if (range.low..=range.high).contains(&value) {
                self.give(row, sink)?;
            } else if quiet && value > range.high {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Action, End, Schema};
    use serde_json::json;

    use super::*;

    #[test]
    fn there_is_room_for_the_inserts_of_every_phase() {
        let timed = |first_row: u64| Phase::new("insert", Action::Insert { first_row }, End::DurationNs(1));
        let first = timed(10);
        let second = timed(10 + first.inserts_at_most());
        let last = second.first_row().unwrap_or_default() + second.inserts_at_most() - 1;
        let mut job: Job = serde_json::from_value(json!({
            "id": "j", "candidate": {"name": "echo", "store": "echo", "wire": "echo"},
            "schema": Schema::key_value(10), "rows": 10,
            "namespace": "ns", "process": 0, "processes": 1, "pool": "",
            "limits": {"call_ns": 1, "operation_ns": 1}, "phases": [],
        }))
        .expect("a job");
        job.phases = vec![first, second];
        let layout = Arc::new(Layout::new(&job.schema));
        let pool = Pool::new(&kurabe_protocol::value::pool_bytes(7, 0.0), &layout).expect("a pool");
        let echo = Echo::open_beside(&job, &layout, &Arc::new(pool)).expect("it opens");
        let state = State::with_version(1);
        echo.shared.states.start(last as u32, state);
        echo.shared.states.acknowledge(last as u32, state);
        assert!(echo.shared.states.acknowledged(last as u32).present());
    }
}
