//! What a store's adapter implements.
//!
//! A [`Store`] answers the calls of the harness and is opened once a process. Its operations come in
//! one of two shapes: [`Blocking`] (one call, one operation) or [`InFlight`] (start with a token,
//! drain completions). Adapters neither take time stamps nor check answers, and they never choose a
//! row: that is the loop's work.

use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::Arc;
use std::time::Duration;

use kurabe_protocol::{Capabilities, Eviction, Job, KeyMap, Layout, Phase, Pool, Seen};

pub use crate::key::Key;
use crate::outcome::Outcome;
use crate::phase::{Gate, PhaseContext};
use crate::served::Window;
pub use crate::sink::RowSink;

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

/// Texts by name, for `info` and `settings`.
pub type Texts = BTreeMap<String, String>;

/// A process that drives a store on behalf of this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driver {
    /// Name of its client.
    pub client: String,
    /// Version of it.
    pub version: String,
    /// Number of the process.
    pub pid: u32,
}

/// A loop that can drive a store of type `S`.
pub trait LoopShape<S: Store> {
    /// Connects, warms up, waits at the gate and works. Returns what each worker gave, or the error
    /// that kept the phase from starting.
    fn run(store: &S, context: &PhaseContext<'_>, gate: &Gate<'_>) -> Result<Vec<Outcome>, StoreError>;

    /// Threads that work in this shape. Where there is one, `run` does not start it: the caller is it.
    fn threads(context: &PhaseContext<'_>) -> u32;

    /// A connection for one thread of a service; `limit` is that of one operation where the adapter keeps none.
    fn window(_store: &Arc<S>, _layout: &Arc<Layout>, _limit: Duration) -> Result<Box<dyn Window>, StoreError> {
        Err(StoreError::Unsupported)
    }
}

/// A store as one job uses it, opened once a process. Calls are never measured.
pub trait Store: Sized + Send + Sync + 'static {
    /// The loop that drives it: [`crate::blocking::BlockingLoop`] or [`crate::in_flight::InFlightLoop`].
    type Shape: LoopShape<Self>;

    /// Whether its driver brings an asynchronous runtime along, which no thread can enter that is in another one.
    const BRINGS_RUNTIME: bool = false;

    /// Who drives the store, where that is another process than this one.
    fn driver(&self) -> Option<Driver> {
        None
    }

    /// Prepares to work on `job`. Makes no namespace; a server need not be up yet.
    fn open(job: &Job, layout: &Arc<Layout>) -> Result<Self, StoreError>;

    /// As [`Store::open`], with the pool that the client checks against. Only the floor answers from it: a pool of its
    /// own beside this one would be more than second-level caches hold.
    fn open_beside(job: &Job, layout: &Arc<Layout>, _pool: &Arc<Pool>) -> Result<Self, StoreError> {
        Self::open(job, layout)
    }

    /// What this adapter can do, with the settings of the job.
    fn capabilities(&self) -> Capabilities;

    /// Libraries in use and their versions.
    fn libraries(&self) -> Texts;

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
        Err(StoreError::Unsupported)
    }

    /// Whether the server throws rows away where its memory ends; unsupported where no store of this kind does.
    fn evicts(&self) -> Result<Eviction, StoreError> {
        Err(StoreError::Unsupported)
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
        Err(StoreError::Unsupported)
    }

    /// Gives the number of each row to `take`, in any order: for a service over a store that can neither scan nor tell its
    /// newest rows.
    fn list_rows(&self, _take: &mut dyn FnMut(u32)) -> Result<(), StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Size in bytes as the store reports it.
    fn size_bytes(&self) -> Result<u64, StoreError> {
        Err(StoreError::Unsupported)
    }

    /// Sum of all counters that [`Connection::increment`] made.
    fn sum(&self) -> Result<u64, StoreError> {
        Err(StoreError::Unsupported)
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

    /// The operation `open`: opens the store as a program that starts does, reads the rows of [`Answers::keys`] one after the
    /// other and closes everything again. As it stands it makes a connection; a store that keeps something open for the whole
    /// process beside its connections opens that anew, or does not name the operation among its capabilities.
    fn open_and_read(&self, phase: &Phase, answers: &mut Answers) -> Result<(), StoreError> {
        let mut connection = self.connect(phase)?;
        answers.one_by_one(|key, out| connection.read(key, out))
    }
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
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
    fn insert(&mut self, row: &Row<'_>) -> Result<Written, StoreError>;

    /// Reads the row of `key` into `out`; `false` where there is none. All fields are copied.
    fn read(&mut self, key: &Key, out: &mut RowBuffer) -> Result<bool, StoreError>;

    /// Replaces a whole row that must exist.
    fn update(&mut self, row: &Row<'_>) -> Result<Written, StoreError>;

    /// Removes a row.
    fn delete(&mut self, key: &Key) -> Result<Written, StoreError>;

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
    Written(Written),
    /// A read: the raw encoded value, or none.
    Value(Option<&'a [u8]>),
    /// A multi-read: the raw encoded values in the order of the keys.
    Values(&'a [Option<&'a [u8]>]),
    /// An increment.
    Incremented,
    /// The end of a scan, a search or the newest rows, or of a multi-read whose rows come with their keys: what came, which
    /// [`Lanes::rows`] takes apart when there is time.
    Rows(&'a [u8]),
    /// A part of it, of which more is to come: [`Lanes::rows`] takes each part by itself, so that memory does not grow with
    /// the data.
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

/// A row to write.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its key.
    pub key: Key,
    /// Version of the row that is written.
    pub version: u32,
    /// The fields after the key in raw encoding.
    pub raw: &'a [u8],
    /// For adapters with columns: how to take the raw encoding apart.
    pub layout: &'a Layout,
}

/// A row that was read, in raw encoding.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    raw: Vec<u8>,
    framed: bool,
}

impl RowBuffer {
    /// A buffer for one row of `layout`; it does not grow while answers have their right length, or one byte more.
    pub fn new(layout: &Layout) -> RowBuffer {
        RowBuffer { raw: Vec::with_capacity(layout.len_bytes() + 1), framed: layout.framed() }
    }

    /// What was read.
    #[inline(always)]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Forgets the row before.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.raw.clear();
    }

    /// Takes a value that is raw encoded already.
    #[inline(always)]
    pub fn set_raw(&mut self, raw: &[u8]) {
        self.raw.clear();
        self.raw.extend_from_slice(raw);
    }

    /// Appends an int64 field.
    #[inline(always)]
    pub fn push_int(&mut self, value: i64) {
        self.raw.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends a text or bytes field.
    #[inline(always)]
    pub fn push_bytes(&mut self, value: &[u8]) {
        if self.framed {
            self.raw.extend_from_slice(&(value.len() as u32).to_le_bytes());
        }
        self.raw.extend_from_slice(value);
    }

    /// Takes what a C function writes in place: it is given the start of `room` bytes and answers how many it wrote, or a
    /// negative number for none. Returns whether there were any.
    ///
    /// # Safety
    /// `write` writes as many bytes as it answers, from the start on, and no more than `room`. An answer above that counts
    /// as all of the room.
    #[inline(always)]
    pub(crate) unsafe fn fill(&mut self, room: usize, write: impl FnOnce(*mut c_void) -> c_int) -> bool {
        self.raw.clear();
        self.raw.reserve(room);
        let len = usize::try_from(write(self.raw.as_mut_ptr().cast()));
        // SAFETY: there is room for so many, and they were written, as the caller promises.
        len.inspect(|len| unsafe { self.raw.set_len(*len.min(&room)) }).is_ok()
    }

    /// Room of exactly `len` bytes for a value that is made in place.
    #[inline(always)]
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        if self.raw.len() != len {
            self.raw.resize(len, 0);
        }
        &mut self.raw
    }
}

/// What a search asks for: rows whose int64 field lies between two bounds, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Number of the field in the schema; the key is field 0.
    pub field: usize,
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

/// The keys of a multi-read or of an `open`, all different, and the answers to them.
pub struct Answers {
    keys: Vec<Key>,
    /// Which rows are asked for, where they are too many to look through the keys.
    asked: Option<RowSet>,
    /// Places of the keys in the order by which they are looked up, where they are so many.
    sorted: Vec<u32>,
    /// As many as there can be keys.
    rows: Vec<RowBuffer>,
    found: Vec<bool>,
}

/// A set of rows.
#[derive(Default)]
struct RowSet(Vec<u64>);

impl RowSet {
    fn has(&self, row: u32) -> bool {
        self.0.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    fn add(&mut self, row: u32) {
        let at = row as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (row % 64);
    }

    fn remove(&mut self, row: u32) {
        if let Some(word) = self.0.get_mut(row as usize / 64) {
            *word &= !(1 << (row % 64));
        }
    }
}

impl Answers {
    /// So many keys are looked through sooner than they are looked up.
    const FEW: usize = 64;

    /// Room for `count` rows of `layout`.
    pub fn new(count: usize, layout: &Layout) -> Answers {
        Answers {
            keys: Vec::with_capacity(count),
            asked: (count > Answers::FEW).then(RowSet::default),
            sorted: Vec::new(),
            rows: (0..count).map(|_| RowBuffer::new(layout)).collect(),
            found: vec![false; count],
        }
    }

    /// How many rows there is room for.
    pub(crate) fn room(&self) -> usize {
        self.rows.len()
    }

    /// Forgets keys and answers.
    pub(crate) fn clear(&mut self) {
        if let Some(asked) = &mut self.asked {
            self.keys.iter().for_each(|key| asked.remove(key.row));
        }
        self.keys.clear();
        self.sorted.clear();
        self.found.fill(false);
    }

    /// Whether the row is asked for already.
    pub(crate) fn asks_for(&self, row: u32) -> bool {
        match &self.asked {
            Some(asked) => asked.has(row),
            None => self.keys.iter().any(|key| key.row == row),
        }
    }

    /// Asks for one more key. There is room for as many as [`Answers::new`] was told.
    pub fn ask(&mut self, key: Key) {
        if let Some(asked) = &mut self.asked {
            asked.add(key.row);
        }
        self.keys.push(key);
    }

    /// Makes many keys ready to be looked up as stores of these keys give them. Called outside of what is measured: a long
    /// search for the place of each answer would be taken for the store's time.
    pub(crate) fn sort(&mut self, map: &KeyMap) {
        if self.asked.is_none() {
            return;
        }
        let keys = &self.keys;
        self.sorted.extend(0..keys.len() as u32);
        let key = |at: &u32| &keys[*at as usize];
        match (map.own().is_some(), map.is_text()) {
            (false, _) => self.sorted.sort_unstable_by_key(|at| key(at).row),
            (true, false) => self.sorted.sort_unstable_by_key(|at| key(at).int()),
            (true, true) => self.sorted.sort_unstable_by(|a, b| key(a).text_bytes().cmp(key(b).text_bytes())),
        }
    }

    /// The place of the key that `compare` finds equal; it tells where the one before it stands.
    #[inline(always)]
    fn place(&self, compare: impl Fn(&Key) -> std::cmp::Ordering) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.keys.iter().position(|key| compare(key).is_eq());
        }
        let found = self.sorted.binary_search_by(|at| compare(&self.keys[*at as usize])).ok()?;
        Some(self.sorted[found] as usize)
    }

    /// The keys.
    #[inline(always)]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Notes that the row of key number `at` exists; its value goes into the buffer.
    #[inline(always)]
    pub fn found(&mut self, at: usize) -> &mut RowBuffer {
        self.found[at] = true;
        self.rows[at].clear();
        &mut self.rows[at]
    }

    /// As [`Answers::found`] for stores that answer in an order of their own; `None` where the key was not asked for.
    #[inline(always)]
    pub fn found_key(&mut self, seen: Seen<'_>) -> Option<&mut RowBuffer> {
        let at = match seen {
            Seen::Row(row) => self.place(|key| key.row.cmp(&row)),
            Seen::OwnInt(int) => self.place(|key| key.int().cmp(&int)),
            Seen::OwnText(text) => self.place(|key| key.text_bytes().cmp(text)),
        };
        Some(self.found(at?))
    }

    /// Asks `read` for every key in turn: for stores without a request for many.
    #[inline(always)]
    pub fn one_by_one(
        &mut self,
        mut read: impl FnMut(&Key, &mut RowBuffer) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        for (at, key) in self.keys.iter().enumerate() {
            self.found[at] = read(key, &mut self.rows[at])?;
        }
        Ok(())
    }

    /// Every key with its answer.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, Option<&[u8]>)> {
        let rows = self.rows.iter().zip(&self.found);
        self.keys.iter().zip(rows).map(|(key, (row, found))| (key, found.then_some(row.raw())))
    }
}
