//! `map`: an ordered map in this process's memory, behind one lock.
//!
//! Not a store: it is the ceiling, what is left when nothing is kept on a disk or sent anywhere.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use kurabe_protocol::value::{TEXT_KEY_BYTES, row_of_text_key};
use kurabe_protocol::{Capabilities, Job, Layout, Operation, Phase};

use crate::adapter::{Answers, Blocking, Connection, Key, Row, RowBuffer, RowSink, Store, StoreError, Texts, Written};
use crate::blocking::BlockingLoop;

/// A key of either type, in an order that is that of the rows.
type MapKey = [u8; TEXT_KEY_BYTES];
type Rows = BTreeMap<MapKey, Vec<u8>>;
type Counters = BTreeMap<u32, u64>;

/// The ceiling.
pub struct Map {
    rows: Arc<RwLock<Rows>>,
    counters: Arc<RwLock<Counters>>,
    text_key: bool,
}

impl Store for Map {
    type Shape = BlockingLoop;

    fn open(_job: &Job, layout: &Arc<Layout>) -> Result<Map, StoreError> {
        Ok(Map { rows: Arc::default(), counters: Arc::default(), text_key: layout.text_key() })
    }

    fn capabilities(&self) -> Capabilities {
        let mut operations = Capabilities::default().operations;
        // What lies in the memory of this process cannot be opened by a program that starts.
        operations.retain(|operation| *operation != Operation::Open);
        Capabilities { operations, ..Capabilities::default() }
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
        Ok(read(&self.rows).len() as u64)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        Ok(read(&self.counters).values().sum())
    }
}

impl Blocking for Map {
    type Connection = MapConnection;

    fn connect(&self, _phase: &Phase) -> Result<MapConnection, StoreError> {
        Ok(MapConnection { rows: self.rows.clone(), counters: self.counters.clone(), text_key: self.text_key })
    }
}

/// A handle of the map.
pub struct MapConnection {
    rows: Arc<RwLock<Rows>>,
    counters: Arc<RwLock<Counters>>,
    text_key: bool,
}

impl MapConnection {
    #[inline(always)]
    fn key(&self, key: &Key) -> MapKey {
        if self.text_key {
            return *key.text_bytes();
        }
        let mut bytes = [0; TEXT_KEY_BYTES];
        bytes[..4].copy_from_slice(&key.row.to_be_bytes());
        bytes
    }

    fn row(&self, key: &MapKey) -> u32 {
        if self.text_key {
            return row_of_text_key(key).unwrap_or(u32::MAX);
        }
        u32::from_be_bytes([key[0], key[1], key[2], key[3]])
    }
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}

impl Connection for MapConnection {
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        write(&self.rows).insert(self.key(&row.key), row.raw.to_vec());
        Ok(())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        use std::collections::btree_map::Entry;
        match write(&self.rows).entry(self.key(&row.key)) {
            Entry::Occupied(_) => Ok(Written::Exists),
            Entry::Vacant(vacant) => {
                vacant.insert(row.raw.to_vec());
                Ok(Written::Done)
            }
        }
    }

    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let rows = read(&self.rows);
        let value = rows.get(&self.key(key));
        if let Some(value) = value {
            out.set_raw(value);
        }
        Ok(value.is_some())
    }

    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError> {
        match write(&self.rows).get_mut(&self.key(&row.key)) {
            Some(value) => {
                value.clear();
                value.extend_from_slice(row.raw);
                Ok(Written::Done)
            }
            None => Ok(Written::Missing),
        }
    }

    fn delete(&mut self, key: &Key) -> Result<Written, StoreError> {
        let removed = write(&self.rows).remove(&self.key(key));
        Ok(if removed.is_some() { Written::Done } else { Written::Missing })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        let mut map = write(&self.rows);
        for row in rows {
            map.insert(self.key(&row.key), row.raw.to_vec());
        }
        Ok(())
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        for (key, value) in read(&self.rows).iter() {
            sink.raw(self.row(key), value);
        }
        Ok(())
    }

    fn latest(&mut self, rows: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        for (key, value) in read(&self.rows).iter().rev().take(rows as usize) {
            sink.raw(self.row(key), value);
        }
        Ok(())
    }

    /// All keys under one lock.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        let rows = read(&self.rows);
        answers.one_by_one(|key, out| {
            let value = rows.get(&self.key(key));
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
