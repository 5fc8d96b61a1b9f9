//! What the adapter of a store implements.
//!
//! An adapter holds no policy. It takes no time stamps, checks no answers and chooses no row: all of that is the loop's
//! work. So no author can make a store look faster by checking less, and every store meets the same rules.
//!
//! A [`Store`] answers the calls of the harness and is opened once a process. Its operations come in one of two shapes:
//! [`Blocking`] (one call, one operation) or [`InFlight`] (start with a token, drain completions). Each loop is
//! compiled for each adapter, so there is no dynamic dispatch between two stamps.
//!
//! An adapter copies each answer into the client's memory. A store that could lend a pointer into its pages must copy
//! like the others: nobody has read an answer that nobody touched. That takes from LMDB what it is proud of
//! (docs/BIAS.md).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Ask, Capabilities, Eviction, Job, Layout, Phase, Pool, reply};

pub use crate::arrivals::Acknowledgements;
pub use crate::key::Key;
pub use crate::sink::RowSink;

mod rows;

pub use rows::{Answers, Range, Row, RowBuffer};

/// Why a store did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The store has no such thing. In a call it becomes the reply `unsupported`.
    #[error("unsupported")]
    Unsupported,
    /// The operation took longer than its limit.
    #[error("no answer within the time limit")]
    Timeout,
    /// The connection is gone; further operations on it are hopeless.
    #[error("connection lost: {0}")]
    Disconnected(String),
    /// The store's own words: the user of the address may not do this. A call leaves the figure out instead; see
    /// [`Store::absent`].
    #[error("{0}")]
    Denied(String),
    /// The store's own message.
    #[error("{0}")]
    Store(String),
}

impl StoreError {
    /// An error with the store's own message.
    pub fn store(message: impl std::fmt::Display) -> StoreError {
        StoreError::Store(message.to_string())
    }
}

/// What numbers the rows of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbering {
    /// Their keys, which Kurabe makes.
    Keys,
    /// The store, as they arrive. Rows are loaded by one connection, one after the other, and keys are not sent.
    Arrival(Acknowledgements),
}

/// Texts by name, for `info` and `settings`.
pub type Texts = BTreeMap<String, String>;

/// Who drives a store on behalf of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Name of its client.
    pub client: String,
    /// Version of it.
    pub version: String,
    /// Number of its process, where one does all of the job.
    pub pid: Option<u32>,
}

/// A store as one job uses it, opened once a process. Calls are never measured.
pub trait Store: Sized + Send + Sync + 'static {
    /// The loop that drives it: [`crate::blocking::BlockingLoop`] or [`crate::in_flight::InFlightLoop`].
    type Shape;

    /// Whether its driver brings an asynchronous runtime along, which no thread can enter that is in another one.
    const BRINGS_RUNTIME: bool = false;

    /// Who drives the store, where that is another program than this one.
    fn driver(&self) -> Option<Driver> {
        None
    }

    /// Prepares to work on `job`. Makes no namespace; a server need not be up yet.
    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Self, StoreError>;

    /// As [`Store::open`], with the pool that the client checks against. Only the baseline answers from it: a pool of
    /// its own beside this one would be more than second-level caches hold.
    fn open_beside(job: &Job, layout: &Arc<Layout>, _pool: &Arc<Pool>) -> Result<Self, StoreError> {
        Self::open(job, layout)
    }

    /// What this adapter can do, with the settings of the job.
    fn capabilities(&self) -> Capabilities;

    /// What numbers the rows: keys of Kurabe's, by which [`Connection::latest`] is ordered, or the store.
    fn numbering(&self) -> Numbering {
        Numbering::Keys
    }

    /// Libraries in use and their versions.
    fn libraries(&self) -> Texts;

    /// The answer to a call, from a store that is asked by calls itself. What is not answered otherwise below is asked
    /// so.
    fn call<A: Ask>(&self) -> Result<A::Answer, StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Does the store answer?
    fn ping(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Version and whatever else the store tells about itself.
    fn info(&self) -> Result<Texts, StoreError> {
        Ok(self.libraries())
    }

    /// Settings as the live store reports them.
    fn settings(&self) -> Result<Texts, StoreError> {
        self.call::<reply::Settings>()
    }

    /// Whether the server throws rows away where its memory ends; unsupported where no store of this kind does.
    fn evicts(&self) -> Result<Eviction, StoreError> {
        self.call::<reply::Evicts>()
    }

    /// What the call before left out of its answer, since the user of the address may not read it: in words, each with
    /// the store's own. Asked after every call; it is told once.
    fn absent(&self) -> Vec<String> {
        Vec::new()
    }

    /// Makes the namespace, empty.
    fn create(&self) -> Result<(), StoreError>;

    /// Removes the namespace and nothing else.
    fn reset(&self) -> Result<(), StoreError>;

    /// Number of rows.
    fn count(&self) -> Result<u64, StoreError> {
        self.call::<reply::Count>().map(|answer| answer.rows)
    }

    /// Gives the number of each row to `take`, in any order: for a service over a store that can neither scan nor tell
    /// its newest rows.
    fn list_rows(&self, _take: &mut dyn FnMut(u32)) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Size in bytes as the store reports it.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.call::<reply::Size>().map(|answer| answer.bytes)
    }

    /// Sum of all counters that [`Connection::increment`] made.
    fn sum(&self) -> Result<u64, StoreError> {
        self.call::<reply::Sum>().map(|answer| answer.sum)
    }

    /// The store's own integrity check: whether it is sound, and its words.
    fn check(&self) -> Result<(bool, String), StoreError> {
        Err(StoreError::Unsupported)
    }
}

/// A store whose operations block: one call, one operation.
pub trait Blocking: Store {
    /// One connection.
    type Connection: Connection + 'static;

    /// Connects for `phase`, with everything prepared that can be prepared: statements, buffers.
    fn connect(&self, phase: &Phase) -> Result<Self::Connection, StoreError>;

    /// The operation `open`: opens the store as a program that starts does, reads the rows of [`Answers::keys`] one
    /// after the other and closes everything again. As it stands it makes a connection; a store that keeps something
    /// open for the whole process beside its connections opens that anew, or does not name the operation among its
    /// capabilities.
    fn open_and_read(&self, phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let mut connection = self.connect(phase)?;
        answers.one_by_one(|key, out| connection.read(key, out))
    }
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// Written.
    Done,
    /// Not inserted: the key exists.
    Exists,
    /// Not updated or deleted: no such key.
    Missing,
}

/// A connection of a [`Blocking`] store. It belongs to one thread.
///
/// Writes between two commits form one transaction where the store has transactions. The loop
/// calls [`Connection::commit`] after every `commit_every` writes, also where that is 1.
pub trait Connection {
    /// Writes a row while loading; may overwrite.
    fn load(&mut self, row: &Row<'_>) -> Result<(), StoreError>;

    /// Writes a new row.
    fn insert(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError>;

    /// Reads the row of `key` into `out`; `false` where there is none. All fields are copied.
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError>;

    /// Replaces a whole row that must exist.
    fn update(&mut self, row: &Row<'_>) -> Result<WriteOutcome, StoreError>;

    /// Removes a row.
    fn delete(&mut self, key: &Key) -> Result<WriteOutcome, StoreError>;

    /// Makes the writes so far durable as the job's durability setting says.
    fn commit(&mut self) -> Result<(), StoreError>;

    /// Reads every row, in any order.
    fn scan(&mut self, _sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Reads the `rows` rows with the highest keys, highest first.
    fn latest(&mut self, _rows: u32, _sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Reads the rows of [`Answers::keys`] in one operation: one request where the store has such a one, otherwise one
    /// after the other, in one transaction where it has transactions.
    fn multi_read(&mut self, _answers: &mut Answers) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Adds 1 to the counter that is numbered as `key` is; one that does not exist yet is 0. Counters are kept apart
    /// from the rows, and [`Connection::commit`] follows as for other writes.
    fn increment(&mut self, _key: &Key) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Reads every row whose value is in the range, in any order.
    fn search(&mut self, _range: &Range, _sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Writes many rows in one request (load path `batch` or `bulk`, as the phase says).
    fn load_many(&mut self, _rows: &[Row<'_>]) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Attempts repeated inside operations so far.
    fn retries(&self) -> u64 {
        0
    }

    /// Time that encoding and decoding took inside operations so far.
    fn encoding_ns(&self) -> u64 {
        0
    }
}

/// A store that has many operations under way on one thread.
pub trait InFlight: Store {
    /// All connections of one thread.
    type Lanes: Lanes + 'static;

    /// Opens `lanes` connections for `phase`.
    fn connect(&self, phase: &Phase, lanes: u32) -> Result<Self::Lanes, StoreError>;
}

/// An operation handed to an [`InFlight`] store.
#[derive(Clone, Copy, Debug)]
pub enum Request<'a> {
    /// As [`Connection::load`].
    Load(&'a Row<'a>),
    /// As [`Connection::insert`].
    Insert(&'a Row<'a>),
    /// As [`Connection::read`].
    Read(&'a Key),
    /// As [`Connection::update`].
    Update(&'a Row<'a>),
    /// As [`Connection::delete`].
    Delete(&'a Key),
    /// As [`Connection::multi_read`]; the keys all differ.
    MultiRead(&'a [Key]),
    /// As [`Connection::increment`].
    Increment(&'a Key),
    /// As [`Connection::scan`].
    Scan,
    /// As [`Connection::latest`], for so many rows.
    Latest(u32),
    /// As [`Connection::search`].
    Search(&'a Range),
    /// As [`Connection::load_many`].
    LoadMany(&'a [Row<'a>]),
    /// As [`Connection::commit`], of the writes of the same lane that were answered before; with the token of the write
    /// that it follows.
    Commit,
}

/// What came of an operation in flight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// A write, or a commit, which is done.
    Written(WriteOutcome),
    /// A read: the raw encoded value, or none.
    Value(Option<&'a [u8]>),
    /// A multi-read: the raw encoded values in the order of the keys.
    Values(&'a [Option<&'a [u8]>]),
    /// An increment.
    Incremented,
    /// The end of a scan, a search or the newest rows, or of a multi-read whose rows come with their keys: what came,
    /// which [`Lanes::rows`] takes apart when there is time.
    Rows(&'a [u8]),
    /// A part of it, of which more is to come: [`Lanes::rows`] takes each part by itself, so that memory does not grow
    /// with the data.
    SomeRows(&'a [u8]),
    /// It failed.
    Failed(StoreError),
}

/// The connections of one thread.
pub trait Lanes {
    /// Starts an operation on a connection. It may stay in a buffer until [`Lanes::drain`].
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError>;

    /// Sends what is buffered, waits at most `wait` for the first completion and hands over all
    /// that are there. Tokens of one lane complete in the order in which they were started.
    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError>;

    /// Puts a new connection in the place of one that was lost, and on which nothing is under way.
    fn reconnect(&mut self, _lane: u32) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Connections that were made in the place of others since the first of all lanes.
    fn connects(&self) -> u64 {
        0
    }

    /// Whether writes wait for [`Request::Commit`]; without it each is committed when it is answered.
    fn commits(&self) -> bool {
        false
    }

    /// As [`Connection::retries`], of all connections.
    fn retries(&self) -> u64 {
        0
    }

    /// Takes an answer of many rows apart, outside of its time.
    fn rows(&self, _came: &[u8], _sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// As [`Connection::encoding_ns`].
    fn encoding_ns(&self) -> u64 {
        0
    }
}
