//! A store of rows by name for tests: it cannot scan, tells its newest rows where it should, and counts what it is
//! asked.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use kurabe_client::served::{Served, Window, Write};
use kurabe_client::{RowBuffer, StoreError, WriteOutcome};
use kurabe_protocol::{CallName, Capabilities, Operation, ReplyOutcome};

/// What a test sees of it.
#[derive(Clone, Default)]
pub struct Fake {
    pub rows: Arc<Mutex<BTreeMap<u32, Vec<u8>>>>,
    pub reads: Arc<AtomicUsize>,
    pub lists: Arc<AtomicUsize>,
    /// Whether it tells its newest rows.
    pub tells_latest: bool,
    /// Where it is there, a read says so and never comes to an end.
    pub stuck: Option<Sender<()>>,
}

impl Served for Fake {
    fn capabilities(&self) -> Capabilities {
        use Operation::{Delete, Insert, Read, Update};
        Capabilities { operations: vec![Insert, Read, Update, Delete], ..Capabilities::default() }
    }

    fn call(&self, name: CallName) -> ReplyOutcome {
        if name == CallName::Reset {
            self.rows.lock().unwrap().clear();
        }
        ReplyOutcome::Ok(serde_json::json!(true))
    }

    fn ping(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn list_rows(&self, take: &mut (dyn FnMut(u32) + Send)) -> Result<(), StoreError> {
        self.lists.fetch_add(1, Ordering::SeqCst);
        self.rows.lock().unwrap().keys().copied().for_each(take);
        Ok(())
    }

    fn window(&self) -> Result<Box<dyn Window>, StoreError> {
        Ok(Box::new(self.clone()))
    }
}

impl Window for Fake {
    fn write(&mut self, how: Write, row: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError> {
        let mut rows = self.rows.lock().unwrap();
        match (how, rows.contains_key(&row)) {
            (Write::Insert, true) => return Ok(WriteOutcome::Exists),
            (Write::Update, false) => return Ok(WriteOutcome::Missing),
            _ => {}
        }
        rows.insert(row, raw.to_vec());
        Ok(WriteOutcome::Done)
    }

    fn delete(&mut self, row: u32) -> Result<WriteOutcome, StoreError> {
        let removed = self.rows.lock().unwrap().remove(&row);
        Ok(removed.map_or(WriteOutcome::Missing, |_| WriteOutcome::Done))
    }

    fn increment(&mut self, _counter: u32) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    fn read(&mut self, row: u32, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.reads.fetch_add(1, Ordering::SeqCst);
        if let Some(stuck) = &self.stuck {
            stuck.send(()).unwrap();
            loop {
                std::thread::park();
            }
        }
        let rows = self.rows.lock().unwrap();
        let found = rows.get(&row);
        found.into_iter().for_each(|raw| out.set_raw(raw));
        Ok(found.is_some())
    }

    fn latest(&mut self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        if !self.tells_latest {
            return Err(StoreError::Unsupported);
        }
        self.rows.lock().unwrap().iter().rev().take(rows as usize).for_each(|(row, raw)| take(*row, raw));
        Ok(())
    }

    fn scan(&mut self, _take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }
}
