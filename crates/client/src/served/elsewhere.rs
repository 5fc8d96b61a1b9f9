//! A window on a thread of its own, for stores whose drivers bring a runtime along: one cannot be started on a thread that
//! serves on another.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{Window, Write};
use crate::adapter::{RowBuffer, StoreError, Written};

/// What is asked of the other thread.
enum Asked {
    Write(Write, u32, Vec<u8>),
    Delete(u32),
    Increment(u32),
    Read(u32),
    Latest(u32),
    Scan,
}

/// What it answers.
enum Answered {
    Written(Written),
    Incremented,
    Value(Option<Vec<u8>>),
    Rows(Vec<(u32, Vec<u8>)>),
}

struct Elsewhere {
    asked: SyncSender<Asked>,
    answered: Receiver<Result<Answered, StoreError>>,
}

/// A window that `open` makes on a thread of its own, where it stays; `value` is room for one row.
pub(super) fn window(
    open: impl FnOnce() -> Result<Box<dyn Window>, StoreError> + Send + 'static,
    value: RowBuffer,
) -> Result<Box<dyn Window>, StoreError> {
    let (asked, to_do) = sync_channel(1);
    let (done, answered) = sync_channel(1);
    let work = move || match open() {
        Err(error) => drop(done.send(Err(error))),
        Ok(window) => {
            if done.send(Ok(Answered::Incremented)).is_ok() {
                serve(window, &to_do, &done, value);
            }
        }
    };
    let started = std::thread::Builder::new().name("store".into()).spawn(work);
    started.map_err(|error| StoreError::store(format!("cannot start a thread: {error}")))?;
    let elsewhere = Elsewhere { asked, answered };
    elsewhere.hear()?;
    Ok(Box::new(elsewhere))
}

/// Does what is asked until nobody asks any more.
fn serve(
    mut window: Box<dyn Window>,
    asked: &Receiver<Asked>,
    done: &SyncSender<Result<Answered, StoreError>>,
    mut value: RowBuffer,
) {
    for asked in asked {
        let mut rows = Vec::new();
        let mut take = |row: u32, raw: &[u8]| rows.push((row, raw.to_vec()));
        let answer = match asked {
            Asked::Write(how, row, raw) => window.write(how, row, &raw).map(Answered::Written),
            Asked::Delete(row) => window.delete(row).map(Answered::Written),
            Asked::Increment(counter) => window.increment(counter).map(|()| Answered::Incremented),
            Asked::Read(row) => {
                let found = window.read(row, &mut value);
                found.map(|found| Answered::Value(found.then(|| value.raw().to_vec())))
            }
            Asked::Latest(most) => window.latest(most, &mut take).map(|()| Answered::Rows(rows)),
            Asked::Scan => window.scan(&mut take).map(|()| Answered::Rows(rows)),
        };
        if done.send(answer).is_err() {
            return;
        }
    }
}

impl Elsewhere {
    fn hear(&self) -> Result<Answered, StoreError> {
        self.answered.recv().unwrap_or_else(|_| Err(StoreError::Disconnected("the thread of the store ended".into())))
    }

    fn ask(&self, asked: Asked) -> Result<Answered, StoreError> {
        match self.asked.send(asked) {
            Ok(()) => self.hear(),
            Err(_) => Err(StoreError::Disconnected("the thread of the store ended".into())),
        }
    }

    fn written(&self, asked: Asked) -> Result<Written, StoreError> {
        match self.ask(asked)? {
            Answered::Written(written) => Ok(written),
            _ => Err(StoreError::store("the answer to a write is none")),
        }
    }

    fn rows(&self, asked: Asked, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        if let Answered::Rows(rows) = self.ask(asked)? {
            rows.iter().for_each(|(row, raw)| take(*row, raw));
        }
        Ok(())
    }
}

impl Window for Elsewhere {
    fn write(&mut self, how: Write, row: u32, raw: &[u8]) -> Result<Written, StoreError> {
        self.written(Asked::Write(how, row, raw.to_vec()))
    }

    fn delete(&mut self, row: u32) -> Result<Written, StoreError> {
        self.written(Asked::Delete(row))
    }

    fn increment(&mut self, counter: u32) -> Result<(), StoreError> {
        self.ask(Asked::Increment(counter)).map(drop)
    }

    fn read(&mut self, row: u32, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let Answered::Value(Some(value)) = self.ask(Asked::Read(row))? else { return Ok(false) };
        out.set_raw(&value);
        Ok(true)
    }

    fn latest(&mut self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.rows(Asked::Latest(rows), take)
    }

    fn scan(&mut self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.rows(Asked::Scan, take)
    }
}
