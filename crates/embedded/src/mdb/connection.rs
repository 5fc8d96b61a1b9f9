//! One worker's way into an environment.

use std::sync::Arc;

use kurabe_protocol::{KeyMap, Phase, ReadScope};

use super::engine::{Engine, number};
use super::env::{Environment, Txn, Writer};
use super::settings::Settings;
use crate::common::syncer::{Syncer, check};
use kurabe_client::adapter::{Answers, Connection, Key, Row, RowBuffer, RowSink, StoreError, WriteOutcome};
use kurabe_client::common::keys::KeyBytes;
use kurabe_client::common::refusals::nothing_open;

/// First byte of a counter's key: above that of every row, which is 0 or a letter.
pub const COUNTER: u8 = 0xff;

/// The number in a counter's value; 0 where there is none.
pub fn counter_of(value: Option<&[u8]>) -> u64 {
    value.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes)
}

/// Copies the value of a key.
#[inline(always)]
pub fn copy<E: Engine>(txn: &Txn<'_, E>, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
    let value = txn.get(KeyBytes::of(key).bytes())?;
    if let Some(value) = value {
        out.set_raw(value);
    }
    Ok(value.is_some())
}

/// Where reads look, unless the connection's own writes wait for their commit.
enum Reads<E: Engine> {
    /// In a transaction of their own, begun anew.
    Begun,
    /// In a transaction of their own: always the same one, renewed. It is reset between two reads.
    Renewed(Txn<'static, E>),
    /// In the one of the phase.
    Snapshot(Txn<'static, E>),
}

/// A worker's transactions.
pub struct MdbConnection<E: Engine> {
    /// Writes that wait for their commit; other writers wait for it too. Before the environment, as `reads`: what borrows it
    /// must go first.
    open: Option<Writer<E>>,
    reads: Reads<E>,
    environment: Option<Arc<Environment<E>>>,
    keys: KeyMap,
    /// Whether a load still appends.
    appends: bool,
    /// Writes in the open transaction.
    uncommitted: u32,
    /// Writes that an error undid since the last commit.
    undone: u32,
    /// After the transactions: its last sync would wait for one that writes.
    syncer: Option<Arc<Syncer>>,
}

impl<E: Engine> MdbConnection<E> {
    pub fn new(
        environment: Option<Arc<Environment<E>>>,
        settings: &Settings,
        keys: KeyMap,
        phase: &Phase,
        syncer: Option<Arc<Syncer>>,
    ) -> Result<MdbConnection<E>, StoreError> {
        // SAFETY: the connection keeps the environment and drops it last.
        let begin = |environment| unsafe { Environment::begin_kept(environment, number::READ_ONLY) };
        let reads = match (&environment, phase.read_scope) {
            (Some(environment), ReadScope::Snapshot) => Reads::Snapshot(begin(environment)?),
            (Some(environment), ReadScope::Each) if settings.renews => {
                let txn = begin(environment)?;
                txn.reset();
                Reads::Renewed(txn)
            }
            _ => Reads::Begun,
        };
        let appends = settings.appends;
        Ok(MdbConnection { open: None, reads, environment, keys, appends, uncommitted: 0, undone: 0, syncer })
    }

    /// Does `write` in the open transaction; begins one where none is open.
    #[inline(always)]
    fn write<T>(&mut self, write: impl FnOnce(&mut Writer<E>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        if self.open.is_none() {
            let environment = self.environment.as_ref().ok_or_else(nothing_open)?;
            // SAFETY: as in `new`.
            self.open = Some(Writer::new(unsafe { Environment::begin_kept(environment, 0) }?));
        }
        let writer = self.open.as_mut().ok_or_else(nothing_open)?;
        let done = write(writer);
        match &done {
            Ok(_) => self.uncommitted += 1,
            // After most errors the library takes nothing but the abort, so that dropping the transaction here loses no
            // more than is lost.
            Err(_) => {
                self.open = None;
                self.undone += std::mem::take(&mut self.uncommitted);
            }
        }
        done
    }

    /// Does `read` in the transaction that reads belong to now.
    #[inline(always)]
    fn look<T>(&self, read: impl FnOnce(&Txn<'_, E>) -> Result<T, StoreError>) -> Result<T, StoreError> {
        // Its own writes must be seen, and a thread has one transaction at a time.
        if let Some(writer) = &self.open {
            return read(writer.txn());
        }
        match &self.reads {
            Reads::Snapshot(txn) => read(txn),
            Reads::Renewed(txn) => {
                txn.renew()?;
                let done = read(txn);
                txn.reset();
                done
            }
            Reads::Begun => {
                let environment = self.environment.as_ref().ok_or_else(nothing_open)?;
                // Used where it came: to be moved first would stop the processor, which cannot read as one piece what it
                // has just stored as several.
                match environment.begin(number::READ_ONLY) {
                    Ok(ref txn) => read(txn),
                    Err(error) => Err(error),
                }
            }
        }
    }
}

impl<E: Engine> Connection for MdbConnection<E> {
    /// Appends as long as the rows come in the order of their keys; the first that does not is put, as all after it.
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError> {
        let key = KeyBytes::of(&row.key);
        let appends = self.appends;
        self.appends = self.write(|writer| {
            if appends && writer.append(key.bytes(), row.raw)? {
                return Ok(true);
            }
            writer.put(key.bytes(), row.raw).map(|()| false)
        })?;
        Ok(())
    }

    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        let inserted = self.write(|writer| writer.insert(key.bytes(), row.raw))?;
        Ok(if inserted { WriteOutcome::Done } else { WriteOutcome::Exists })
    }

    #[inline(always)]
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.look(|txn| copy(txn, key, out))
    }

    /// Neither has a write that demands an existing key: a cursor looks for it, and writes where it stands.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(&row.key);
        let updated = self.write(|writer| writer.update(key.bytes(), row.raw))?;
        Ok(if updated { WriteOutcome::Done } else { WriteOutcome::Missing })
    }

    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError> {
        let key = KeyBytes::of(key);
        let removed = self.write(|writer| writer.delete(key.bytes()))?;
        Ok(if removed { WriteOutcome::Done } else { WriteOutcome::Missing })
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        check(&self.syncer)?;
        let open = self.open.take();
        self.uncommitted = 0;
        match std::mem::take(&mut self.undone) {
            0 => open.map_or(Ok(()), Writer::commit),
            undone => Err(StoreError::store(format!("an earlier error undid {undone} writes of this transaction"))),
        }
    }

    fn scan(&mut self, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.look(|txn| {
            let mut cursor = txn.cursor()?;
            let mut to = number::FIRST;
            while let Some((key, value)) = cursor.go(to, &[])? {
                if key.first() == Some(&COUNTER) {
                    break;
                }
                sink.raw(self.keys.seen_bytes(key), value);
                to = number::NEXT;
            }
            Ok(())
        })
    }

    fn latest(&mut self, count: u32, sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        self.look(|txn| {
            let mut cursor = txn.cursor()?;
            let behind_rows = cursor.go(number::NOT_BELOW, &[COUNTER])?.is_some();
            let mut to = if behind_rows { number::PREVIOUS } else { number::LAST };
            for _ in 0..count {
                let Some((key, value)) = cursor.go(to, &[])? else { break };
                sink.raw(self.keys.seen_bytes(key), value);
                to = number::PREVIOUS;
            }
            Ok(())
        })
    }

    /// A get for each key, all in one transaction.
    fn multi_read(&mut self, answers: &mut Answers) -> Result<(), StoreError> {
        self.look(|txn| answers.one_by_one(|key, out| copy(txn, key, out)))
    }

    fn increment(&mut self, key: &Key) -> Result<(), StoreError> {
        let mut counter = [COUNTER; 5];
        counter[1..].copy_from_slice(&key.row.to_be_bytes());
        self.write(|writer| {
            let next = counter_of(writer.txn().get(&counter)?) + 1;
            writer.put(&counter, &next.to_le_bytes())
        })
    }

    /// All rows in one transaction; the loop's commit ends it.
    fn load_many(&mut self, rows: &[Row<'_>]) -> Result<(), StoreError> {
        rows.iter().try_for_each(|row| self.load(row))
    }
}
