//! A window on a thread of its own, for stores whose drivers bring a runtime along: one cannot be started on a thread that
//! serves on another.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::{Window, Write};
use crate::adapter::{RowBuffer, StoreError, WriteOutcome};

/// A request to the thread of the store.
enum Command {
    Write(Write, u32, Vec<u8>),
    Delete(u32),
    Increment(u32),
    Read(u32),
    Latest(u32),
    Scan,
}

/// Its answer.
enum Reply {
    Written(WriteOutcome),
    Incremented,
    Value(Option<Vec<u8>>),
    Rows(Vec<(u32, Vec<u8>)>),
}

struct ThreadWindow {
    commands: SyncSender<Command>,
    replies: Receiver<Result<Reply, StoreError>>,
}

/// A window that `open` makes on a thread of its own, where it stays; `value` is room for one row.
pub(super) fn window(
    open: impl FnOnce() -> Result<Box<dyn Window>, StoreError> + Send + 'static,
    value: RowBuffer,
) -> Result<Box<dyn Window>, StoreError> {
    let (commands, to_do) = sync_channel(1);
    let (done, replies) = sync_channel(1);
    let work = move || match open() {
        Err(error) => drop(done.send(Err(error))),
        Ok(window) => {
            if done.send(Ok(Reply::Incremented)).is_ok() {
                serve(window, &to_do, &done, value);
            }
        }
    };
    let started = std::thread::Builder::new().name("store".into()).spawn(work);
    started.map_err(|error| StoreError::store(format!("cannot start a thread: {error}")))?;
    let window = ThreadWindow { commands, replies };
    window.hear()?;
    Ok(Box::new(window))
}

/// Does what is asked until nobody asks any more.
fn serve(
    mut window: Box<dyn Window>,
    commands: &Receiver<Command>,
    done: &SyncSender<Result<Reply, StoreError>>,
    mut value: RowBuffer,
) {
    for command in commands {
        let mut rows = Vec::new();
        let mut take = |row: u32, raw: &[u8]| rows.push((row, raw.to_vec()));
        let answer = match command {
            Command::Write(how, row, raw) => window.write(how, row, &raw).map(Reply::Written),
            Command::Delete(row) => window.delete(row).map(Reply::Written),
            Command::Increment(counter) => window.increment(counter).map(|()| Reply::Incremented),
            Command::Read(row) => {
                let found = window.read(row, &mut value);
                found.map(|found| Reply::Value(found.then(|| value.raw().to_vec())))
            }
            Command::Latest(most) => window.latest(most, &mut take).map(|()| Reply::Rows(rows)),
            Command::Scan => window.scan(&mut take).map(|()| Reply::Rows(rows)),
        };
        if done.send(answer).is_err() {
            return;
        }
    }
}

impl ThreadWindow {
    fn hear(&self) -> Result<Reply, StoreError> {
        self.replies.recv().unwrap_or_else(|_| Err(StoreError::Disconnected("the thread of the store ended".into())))
    }

    fn ask(&self, command: Command) -> Result<Reply, StoreError> {
        match self.commands.send(command) {
            Ok(()) => self.hear(),
            Err(_) => Err(StoreError::Disconnected("the thread of the store ended".into())),
        }
    }

    fn written(&self, command: Command) -> Result<WriteOutcome, StoreError> {
        match self.ask(command)? {
            Reply::Written(written) => Ok(written),
            _ => Err(StoreError::store("the answer to a write is none")),
        }
    }

    fn rows(&self, command: Command, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        if let Reply::Rows(rows) = self.ask(command)? {
            rows.iter().for_each(|(row, raw)| take(*row, raw));
        }
        Ok(())
    }
}

impl Window for ThreadWindow {
    fn write(&mut self, how: Write, row: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError> {
        self.written(Command::Write(how, row, raw.to_vec()))
    }

    fn delete(&mut self, row: u32) -> Result<WriteOutcome, StoreError> {
        self.written(Command::Delete(row))
    }

    fn increment(&mut self, counter: u32) -> Result<(), StoreError> {
        self.ask(Command::Increment(counter)).map(drop)
    }

    fn read(&mut self, row: u32, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let Reply::Value(Some(value)) = self.ask(Command::Read(row))? else { return Ok(false) };
        out.set_raw(&value);
        Ok(true)
    }

    fn latest(&mut self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.rows(Command::Latest(rows), take)
    }

    fn scan(&mut self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.rows(Command::Scan, take)
    }
}
