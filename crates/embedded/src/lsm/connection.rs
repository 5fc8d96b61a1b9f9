//! One worker's way into a database.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use kurabe_protocol::{KeyMap, Load, Operation, Phase, ReadScope};

use super::db::{Db, Reading, Writing};
use super::engine::{Engine, Keys};
use super::settings::Settings;
use crate::common::syncer::{Syncer, check};
use kurabe_client::adapter::{Answers, Connection, Key, Row, RowBuffer, RowSink, StoreError, WriteOutcome};
use kurabe_client::common::keys::KeyBytes;
use kurabe_client::common::refusals::nothing_open;

/// What the keys of counters begin with: above every int64 key that is a row's number and above every text.
pub const COUNTERS: [u8; 1] = [0xff];

/// The key of a counter.
fn counter_key(row: u32) -> [u8; 5] {
    let number = row.to_be_bytes();
    [COUNTERS[0], number[0], number[1], number[2], number[3]]
}

/// The value of a counter.
pub fn counter(value: &[u8]) -> Result<u64, StoreError> {
    let bytes = value.try_into().map_err(|_| StoreError::store(format!("a counter has {} bytes", value.len())))?;
    Ok(u64::from_le_bytes(bytes))
}

/// What a connection is made of.
pub struct LsmSetup<'a, E: Engine> {
    pub db: Arc<Db<E>>,
    pub syncer: Option<Arc<Syncer>>,
    pub settings: &'a Settings,
    pub keys: KeyMap,
    pub counter_locks: Arc<[Mutex<()>]>,
    pub phase: &'a Phase,
}

/// A worker's options, batch and buffers.
pub struct LsmConnection<E: Engine> {
    /// None in phases whose operations open the database themselves.
    open: Option<Open<E>>,
}

struct Open<E: Engine> {
    reading: Reading<E>,
    writing: Writing<E>,
    keys: KeyMap,
    /// Whether writes wait in the batch for their commit.
    gathers: bool,
    /// Whether it must be known which rows the batch holds.
    looks: bool,
    /// Rows of the batch, and whether they exist once it is written.
    waiting: HashMap<u32, bool>,
    /// Counters to be added to at the next commit, where the store cannot do it by itself.
    increments: Vec<u32>,
    counter_locks: Arc<[Mutex<()>]>,
    /// Keys of a multi-read, one after the other, and where each ends.
    key_bytes: Vec<u8>,
    key_ends: Vec<usize>,
    asked: Keys,
    syncer: Option<Arc<Syncer>>,
}

impl<E: Engine> LsmConnection<E> {
    /// A connection without a database.
    pub fn idle() -> LsmConnection<E> {
        LsmConnection { open: None }
    }

    pub fn new(setup: LsmSetup<'_, E>) -> LsmConnection<E> {
        let phase = setup.phase;
        let multi_read_rows = phase.multi_read_rows().map_or(0, |rows| rows as usize);
        let open = Open {
            reading: Reading::new(&setup.db, phase.read_scope == ReadScope::Snapshot),
            writing: Writing::new(&setup.db, setup.settings),
            keys: setup.keys,
            gathers: phase.commit_every > 1 || phase.load().is_some_and(|load| load != Load::Row),
            looks: phase.does(Operation::Update) || phase.does(Operation::Delete),
            waiting: HashMap::new(),
            increments: Vec::new(),
            counter_locks: setup.counter_locks,
            key_bytes: Vec::new(),
            key_ends: Vec::with_capacity(multi_read_rows),
            asked: Keys::default(),
            syncer: setup.syncer,
        };
        LsmConnection { open: Some(open) }
    }

    #[inline(always)]
    fn open(&mut self) -> Result<&mut Open<E>, StoreError> {
        self.open.as_mut().ok_or_else(nothing_open)
    }
}

impl<E: Engine> Open<E> {
    #[inline(always)]
    fn put(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let key = KeyBytes::of(&row.key);
        if !self.gathers {
            return self.writing.put(key.bytes(), row.raw);
        }
        self.writing.gather_put(key.bytes(), row.raw);
        if self.looks {
            self.waiting.insert(row.key.row, true);
        }
        Ok(())
    }

    /// Whether a row exists, those that wait for their commit included.
    #[inline(always)]
    fn exists(&self, key: &Key) -> Result<bool, StoreError> {
        match self.waiting.get(&key.row) {
            Some(exists) => Ok(*exists),
            None => self.reading.get(KeyBytes::of(key).bytes(), |_| ()),
        }
    }

    /// Adds to counters by reading and writing them: under locks, so that no increment of others falls in between.
    fn add_to_counters(&mut self) -> Result<(), StoreError> {
        let lock_of = |row: &u32| *row as usize % self.counter_locks.len();
        let mut locks: Vec<usize> = self.increments.iter().map(lock_of).collect();
        // All take them in the same order, so nobody waits in a circle.
        locks.sort_unstable();
        locks.dedup();
        let _held: Vec<_> =
            locks.iter().map(|at| self.counter_locks[*at].lock().unwrap_or_else(PoisonError::into_inner)).collect();
        self.increments.sort_unstable();
        let mut rest = self.increments.as_slice();
        while let [row, ..] = rest {
            let times = rest.partition_point(|other| other <= row);
            let key = counter_key(*row);
            let mut value = Ok(0);
            self.reading.get(&key, |found| value = counter(found))?;
            self.writing.gather_put(&key, &(value? + times as u64).to_le_bytes());
            rest = &rest[times..];
        }
        self.writing.write_gathered()
    }
}

impl<E: Engine> Connection for LsmConnection<E> {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        self.open()?.put(row)
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        self.open()?.put(row).map(|()| WriteOutcome::Done)
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let open = self.open()?;
        open.reading.get(KeyBytes::of(key).bytes(), |value| out.set_raw(value))
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let open = self.open()?;
        if !open.exists(&row.key)? {
            return Ok(WriteOutcome::Missing);
        }
        open.put(row).map(|()| WriteOutcome::Done)
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let open = self.open()?;
        if !open.exists(key)? {
            return Ok(WriteOutcome::Missing);
        }
        let bytes = KeyBytes::of(key);
        if open.gathers {
            open.writing.gather_delete(bytes.bytes());
            open.waiting.insert(key.row, false);
        } else {
            open.writing.delete(bytes.bytes())?;
        }
        Ok(WriteOutcome::Done)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        let open = self.open()?;
        check(&open.syncer)?;
        open.waiting.clear();
        if open.increments.is_empty() {
            return open.writing.write_gathered();
        }
        let written = open.add_to_counters();
        open.increments.clear();
        written
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let open = self.open()?;
        let mut cursor = open.reading.cursor();
        cursor.first();
        while let Some((key, value)) = cursor.entry().filter(|(key, _)| *key < COUNTERS.as_slice()) {
            sink.raw(open.keys.seen_bytes(key), value);
            cursor.next();
        }
        cursor.end()
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let open = self.open()?;
        let mut cursor = open.reading.cursor();
        let mut left = rows;
        cursor.seek_before(&COUNTERS);
        while let Some((key, value)) = cursor.entry().filter(|_| left > 0) {
            sink.raw(open.keys.seen_bytes(key), value);
            left -= 1;
            if left > 0 {
                cursor.previous();
            }
        }
        cursor.end()
    }

    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let Open { key_bytes, key_ends, asked, reading, .. } = self.open()?;
        key_bytes.clear();
        key_ends.clear();
        for key in answers.keys() {
            key_bytes.extend_from_slice(KeyBytes::of(key).bytes());
            key_ends.push(key_bytes.len());
        }
        // Only now do the keys stay where they are.
        asked.clear();
        let mut start = 0;
        for end in key_ends {
            asked.push(&key_bytes[start..*end]);
            start = *end;
        }
        reading.db.api.engine.multi_get(reading, asked, answers)
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        let open = self.open()?;
        if E::MERGES {
            let engine = &open.reading.db.api.engine;
            return engine.add(&mut open.writing, &counter_key(key.row), open.gathers);
        }
        open.increments.push(key.row);
        Ok(())
    }

    /// All rows in one batch, which the loop's commit writes.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let open = self.open()?;
        rows.iter().try_for_each(|row| open.put(row))
    }
}
