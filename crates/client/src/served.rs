//! A store behind a service: rows in and rows out for whoever asks, in place of a loop that measures.
//!
//! The adapters stay as they are. A [`Served`] store is opened once a process; each thread of the service has a [`Window`] of
//! its own, which does one operation at a time and answers a write when it is committed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use kurabe_protocol::{
    Action, CallName, Capabilities, End, Job, Layout, Mix, Operation, Phase, ReplyOutcome, ReturnedKey,
};

use crate::adapter::{
    Answer, Blocking, Connection, InFlight, Key, Lanes, Request, Row, RowBuffer, RowSink, Store, StoreError,
    WriteOutcome,
};
use crate::calls;
use crate::shape::LoopShape;

mod store_thread;

/// How long one wait for an answer lasts before the limit of the operation is looked at again.
const WAIT: Duration = Duration::from_millis(50);
/// Rows that statements for the newest rows are prepared for; asked for are as many as each request says.
const LATEST_ROWS: u32 = 100;

/// A store that was opened for a service.
pub trait Served: Send + Sync {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Answers a call as a client does that was asked by the harness.
    fn call(&self, name: CallName) -> ReplyOutcome;

    /// Whether it answers.
    fn ping(&self) -> Result<(), StoreError>;

    /// Gives the number of each row to `take`, in any order, where the store has a way to tell that no window has.
    fn list_rows(&self, take: &mut (dyn FnMut(u32) + Send)) -> Result<(), StoreError>;

    /// A connection of its own for one thread.
    fn window(&self) -> Result<Box<dyn Window>, StoreError>;
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Write {
    /// A new row; one that exists stays as it is.
    Insert,
    /// Another version of a row that exists.
    Update,
}

/// A connection of one thread. Rows are numbered as in a job; values are raw encoded.
pub trait Window {
    /// Writes a row and commits.
    fn write(&mut self, how: Write, row: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError>;

    /// Removes a row and commits.
    fn delete(&mut self, row: u32) -> Result<WriteOutcome, StoreError>;

    /// Adds 1 to a counter and commits.
    fn increment(&mut self, counter: u32) -> Result<(), StoreError>;

    /// Reads a row into `out`; `false` where there is none.
    fn read(&mut self, row: u32, out: &mut RowBuffer) -> Result<bool, StoreError>;

    /// Gives the rows with the highest keys to `take`, highest first.
    fn latest(&mut self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError>;

    /// Gives all rows to `take`, in any order.
    fn scan(&mut self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError>;
}

/// The phase that the connections of a service are made for: all that the store can do, each write committed by itself.
pub fn phase(capabilities: &Capabilities, connections: u32) -> Phase {
    use Operation::{Delete, Increment, Insert, Latest, Read, Scan, Update};
    let action = |operation: &Operation| match operation {
        Insert => Some(Action::Insert { first_row: 0 }),
        Read => Some(Action::Read),
        Update => Some(Action::Update),
        Delete => Some(Action::Delete),
        Increment => Some(Action::Increment),
        Latest => Some(Action::Latest { rows: LATEST_ROWS }),
        Scan => Some(Action::Scan),
        _ => None,
    };
    let actions = capabilities.operations.iter().filter_map(action).map(|action| (action, 1));
    let work = Mix::new(actions).map_or_else(|_| Action::Read.into(), kurabe_protocol::Work::Mix);
    Phase { connections, ..Phase::new("serve", work, End::Count(1)) }
}

/// Opens the store of `job` for a service.
pub(crate) fn open<S: Store<Shape: LoopShape<S>>>(job: &Job) -> Result<Box<dyn Served>, StoreError> {
    job.schema.validate().map_err(StoreError::store)?;
    let layout = Arc::new(Layout::new(&job.schema));
    let store = Arc::new(S::open(job, &layout)?);
    let limit = Duration::from_nanos(job.limits.operation_ns);
    Ok(Box::new(OpenStore { store, layout, limit }))
}

struct OpenStore<S> {
    store: Arc<S>,
    layout: Arc<Layout>,
    limit: Duration,
}

impl<S: Store<Shape: LoopShape<S>>> OpenStore<S> {
    /// Asks the store, on a thread of its own where its driver wants that.
    fn ask_store<T: Send>(&self, ask: impl FnOnce(&S) -> T + Send) -> Result<T, StoreError> {
        if !S::BRINGS_RUNTIME {
            return Ok(ask(&self.store));
        }
        let answer = std::thread::scope(|scope| scope.spawn(|| ask(&self.store)).join());
        answer.map_err(|_| StoreError::store("the store's driver failed"))
    }
}

impl<S: Store<Shape: LoopShape<S>>> Served for OpenStore<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    fn call(&self, name: CallName) -> ReplyOutcome {
        self.ask_store(|store| calls::answer(store, name))
            .unwrap_or_else(|error| ReplyOutcome::Error(error.to_string()))
    }

    fn ping(&self) -> Result<(), StoreError> {
        self.ask_store(S::ping)?
    }

    fn list_rows(&self, take: &mut (dyn FnMut(u32) + Send)) -> Result<(), StoreError> {
        self.ask_store(|store| store.list_rows(take))?
    }

    fn window(&self) -> Result<Box<dyn Window>, StoreError> {
        let (store, layout, limit) = (self.store.clone(), self.layout.clone(), self.limit);
        if !S::BRINGS_RUNTIME {
            return S::Shape::window(&store, &layout, limit);
        }
        let value = RowBuffer::new(&layout);
        store_thread::window(move || S::Shape::window(&store, &layout, limit), value)
    }
}

/// The window of a store whose operations block.
pub(crate) fn blocking<S: Blocking>(store: &Arc<S>, layout: &Arc<Layout>) -> Result<Box<dyn Window>, StoreError> {
    let connection = store.connect(&phase(&store.capabilities(), 1))?;
    Ok(Box::new(BlockingWindow { connection, layout: layout.clone(), _store: store.clone() }))
}

struct BlockingWindow<S: Blocking> {
    /// Before the store: it goes first.
    connection: S::Connection,
    layout: Arc<Layout>,
    _store: Arc<S>,
}

/// A row to write. Its version is that of the writer, whom nobody asks here.
fn row<'a>(row: u32, raw: &'a [u8], layout: &'a Layout) -> Row<'a> {
    Row { key: Key::new(row, layout), version: 0, raw, layout }
}

impl<S: Blocking> BlockingWindow<S> {
    /// Gives the rows that `ask` makes the store give to `take`.
    fn many(
        &mut self,
        take: &mut dyn FnMut(u32, &[u8]),
        ask: impl FnOnce(&mut S::Connection, &mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut hand = |seen: ReturnedKey<'_>, raw: &[u8]| {
            if let ReturnedKey::Row(row) = seen {
                take(row, raw);
            }
        };
        let mut sink = RowSink::forwarding(&self.layout, &mut hand);
        ask(&mut self.connection, &mut sink)?;
        sink.finish();
        Ok(())
    }
}

impl<S: Blocking> Window for BlockingWindow<S> {
    fn write(&mut self, how: Write, number: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError> {
        let row = row(number, raw, &self.layout);
        let written = match how {
            Write::Insert => self.connection.insert(&row)?,
            Write::Update => self.connection.update(&row)?,
        };
        self.connection.commit()?;
        Ok(written)
    }

    fn delete(&mut self, row: u32) -> Result<WriteOutcome, StoreError> {
        let written = self.connection.delete(&Key::new(row, &self.layout))?;
        self.connection.commit()?;
        Ok(written)
    }

    fn increment(&mut self, counter: u32) -> Result<(), StoreError> {
        self.connection.increment(&Key::new(counter, &self.layout))?;
        self.connection.commit()
    }

    fn read(&mut self, row: u32, out: &mut RowBuffer) -> Result<bool, StoreError> {
        self.connection.read(&Key::new(row, &self.layout), out)
    }

    fn latest(&mut self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.many(take, |connection, sink| connection.latest(rows, sink))
    }

    fn scan(&mut self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.many(take, |connection, sink| connection.scan(sink))
    }
}

/// The window of a store that has operations under way: one connection, one at a time.
pub(crate) fn in_flight<S: InFlight>(
    store: &Arc<S>,
    layout: &Arc<Layout>,
    limit: Duration,
) -> Result<Box<dyn Window>, StoreError> {
    let lanes = store.connect(&phase(&store.capabilities(), 1), 1)?;
    Ok(Box::new(InFlightWindow::<S> { lanes, layout: layout.clone(), limit, _store: store.clone() }))
}

struct InFlightWindow<S: InFlight> {
    lanes: S::Lanes,
    layout: Arc<Layout>,
    limit: Duration,
    _store: Arc<S>,
}

impl<S: InFlight> InFlightWindow<S> {
    /// Does one operation and waits for its answer.
    fn ask<T>(
        &mut self,
        request: Request<'_>,
        mut mean: impl FnMut(Answer<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.ask_in_parts(request, |answer| Some(mean(answer)))
    }

    /// As [`InFlightWindow::ask`]; `mean` gives nothing where more is to come.
    fn ask_in_parts<T>(
        &mut self,
        request: Request<'_>,
        mut mean: impl FnMut(Answer<'_>) -> Option<Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.lanes.start(0, 0, request)?;
        let until = Instant::now() + self.limit;
        let mut outcome = None;
        loop {
            self.lanes.drain(WAIT, &mut |_, answer| outcome = mean(answer))?;
            if let Some(outcome) = outcome.take() {
                return outcome;
            }
            // An answer that comes later would be taken for that of the next operation.
            if Instant::now() >= until {
                return Err(StoreError::Disconnected(StoreError::Timeout.to_string()));
            }
        }
    }
}

impl<S: InFlight> InFlightWindow<S> {
    /// Gives the rows that `request` is answered with to `take`.
    fn many(&mut self, request: Request<'_>, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        // All of it: they stay in one piece until the answer is sent too.
        let mut came = Vec::new();
        self.ask_in_parts(request, |answer| match answer {
            Answer::Rows(rows) => {
                came.extend_from_slice(rows);
                Some(Ok(()))
            }
            Answer::SomeRows(rows) => {
                came.extend_from_slice(rows);
                None
            }
            Answer::Failed(error) => Some(Err(error)),
            _ => Some(Err(StoreError::store("the answer to a question for rows is none"))),
        })?;
        let mut hand = |seen: ReturnedKey<'_>, raw: &[u8]| {
            if let ReturnedKey::Row(row) = seen {
                take(row, raw);
            }
        };
        let mut sink = RowSink::forwarding(&self.layout, &mut hand);
        self.lanes.rows(&came, &mut sink)?;
        sink.finish();
        Ok(())
    }
}

fn written(answer: Answer<'_>) -> Result<WriteOutcome, StoreError> {
    match answer {
        Answer::Written(written) => Ok(written),
        Answer::Incremented => Ok(WriteOutcome::Done),
        Answer::Failed(error) => Err(error),
        Answer::Value(_) | Answer::Values(_) | Answer::Rows(_) | Answer::SomeRows(_) => {
            Err(StoreError::store("the answer to a write is a value"))
        }
    }
}

impl<S: InFlight> Window for InFlightWindow<S> {
    fn write(&mut self, how: Write, number: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError> {
        let layout = self.layout.clone();
        let row = row(number, raw, &layout);
        match how {
            Write::Insert => self.ask(Request::Insert(&row), written),
            Write::Update => self.ask(Request::Update(&row), written),
        }
    }

    fn delete(&mut self, row: u32) -> Result<WriteOutcome, StoreError> {
        let key = Key::new(row, &self.layout);
        self.ask(Request::Delete(&key), written)
    }

    fn increment(&mut self, counter: u32) -> Result<(), StoreError> {
        let key = Key::new(counter, &self.layout);
        self.ask(Request::Increment(&key), written).map(drop)
    }

    fn read(&mut self, row: u32, out: &mut RowBuffer) -> Result<bool, StoreError> {
        let key = Key::new(row, &self.layout);
        self.ask(Request::Read(&key), |answer| answer.of_read(out))
    }

    fn latest(&mut self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.many(Request::Latest(rows), take)
    }

    fn scan(&mut self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.many(Request::Scan, take)
    }
}
