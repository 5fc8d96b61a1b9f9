//! `map`: an ordered map in this process's memory, behind one lock.
//!
//! Not a store: it is the ceiling, what is left when nothing is kept on a disk or sent anywhere.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use kurabe_protocol::{Capabilities, Job, KeyMap, Layout, LoadPath, Operation, Phase};

use crate::adapter::{
    Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, WriteOutcome,
};
use crate::blocking::BlockingLoop;

/// Rows under keys of either type, in the order of the keys.
#[derive(Default)]
struct Rows {
    ints: BTreeMap<i64, Vec<u8>>,
    texts: BTreeMap<Box<[u8]>, Vec<u8>>,
}

impl Rows {
    #[inline(always)]
    fn get(&self, key: &Key) -> Option<&Vec<u8>> {
        if key.is_text() { self.texts.get(key.text_bytes()) } else { self.ints.get(&key.int()) }
    }

    fn get_mut(&mut self, key: &Key) -> Option<&mut Vec<u8>> {
        if key.is_text() { self.texts.get_mut(key.text_bytes()) } else { self.ints.get_mut(&key.int()) }
    }

    fn put(&mut self, row: &Row<'_>) {
        let value = row.raw.to_vec();
        if row.key.is_text() {
            self.texts.insert(row.key.text_bytes().into(), value);
        } else {
            self.ints.insert(row.key.int(), value);
        }
    }

    fn remove(&mut self, key: &Key) -> bool {
        let removed = if key.is_text() { self.texts.remove(key.text_bytes()) } else { self.ints.remove(&key.int()) };
        removed.is_some()
    }

    fn clear(&mut self) {
        self.ints.clear();
        self.texts.clear();
    }
}

type Counters = BTreeMap<u32, u64>;

/// The ceiling.
pub struct Map {
    rows: Arc<RwLock<Rows>>,
    counters: Arc<RwLock<Counters>>,
    keys: KeyMap,
}

impl Store for Map {
    type Shape = BlockingLoop;

    fn open(_job: &Job, layout: &Arc<Layout>) -> Result<Map, StoreError> {
        Ok(Map { rows: Arc::default(), counters: Arc::default(), keys: *layout.keys() })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        // What lies in the memory of this process cannot be opened by a program that starts.
        operations.retain(|operation| *operation != Operation::Open);
        Capabilities { operations, load_paths: vec![LoadPath::Row, LoadPath::Batch], ..Capabilities::default() }
    }

    fn libraries(&self) -> Texts {
        Texts::new()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        write(&self.rows).clear();
        write(&self.counters).clear();
        Ok(())
    }

    fn count(&self) -> Result<u64, StoreError> {
        let rows = read(&self.rows);
        Ok((rows.ints.len() + rows.texts.len()) as u64)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        Ok(read(&self.counters).values().sum())
    }
}

impl Blocking for Map {
    type Connection = MapConnection;

    fn connect(&self, _phase: &Phase) -> Result<MapConnection, StoreError> {
        Ok(MapConnection { rows: self.rows.clone(), counters: self.counters.clone(), keys: self.keys })
    }
}

/// A handle of the map.
pub struct MapConnection {
    rows: Arc<RwLock<Rows>>,
    counters: Arc<RwLock<Counters>>,
    keys: KeyMap,
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl Connection for MapConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        write(&self.rows).put(row);
        Ok(())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let mut rows = write(&self.rows);
        if rows.get(&row.key).is_some() {
            return Ok(WriteOutcome::Exists);
        }
        rows.put(row);
        Ok(WriteOutcome::Done)
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let rows = read(&self.rows);
        let value = rows.get(key);
        if let Some(value) = value {
            out.set_raw(value);
        }
        Ok(value.is_some())
    }

    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        match write(&self.rows).get_mut(&row.key) {
            Some(value) => {
                value.clear();
                value.extend_from_slice(row.raw);
                Ok(WriteOutcome::Done)
            }
            None => Ok(WriteOutcome::Missing),
        }
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let removed = write(&self.rows).remove(key);
        Ok(if removed { WriteOutcome::Done } else { WriteOutcome::Missing })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let mut map = write(&self.rows);
        for row in rows {
            map.put(row);
        }
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let rows = read(&self.rows);
        rows.ints.iter().for_each(|(key, value)| sink.raw(self.keys.seen_int(*key), value));
        rows.texts.iter().for_each(|(key, value)| sink.raw(self.keys.seen_text(key), value));
        Ok(())
    }

    fn latest(&mut self, count: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        // Keys are of one type only.
        let (rows, count) = (read(&self.rows), count as usize);
        rows.ints.iter().rev().take(count).for_each(|(key, value)| sink.raw(self.keys.seen_int(*key), value));
        rows.texts.iter().rev().take(count).for_each(|(key, value)| sink.raw(self.keys.seen_text(key), value));
        Ok(())
    }

    /// All keys under one lock.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let rows = read(&self.rows);
        answers.one_by_one(|key, out| {
            let value = rows.get(key);
            if let Some(value) = value {
                out.set_raw(value);
            }
            Ok(value.is_some())
        })
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        *write(&self.counters).entry(key.row).or_default() += 1;
        Ok(())
    }
}
