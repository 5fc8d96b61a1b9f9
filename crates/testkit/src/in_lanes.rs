//! A store of one call a time behind the loop that has many connections on one thread, as servers with transactions are
//! driven: so that every liar, and every store that fails, meets that loop too, with commits, scans, searches and all.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use kurabe_client::adapter::{Answers, Range, Request};
use kurabe_client::in_flight::InFlightLoop;
use kurabe_client::{
    Answer, Blocking, Connection, InFlight, Key, Lanes, Row, RowBuffer, RowSink, Store, StoreError, WriteOutcome,
};
use kurabe_protocol::{Capabilities, Job, Layout, Phase, ReturnedKey};

use crate::liar::calls_as_honest;

/// What the names of such stores end with.
pub const SUFFIX: &str = "-in-lanes";
/// Bytes of rows that are given before more come.
const PART_BYTES: usize = 64 << 10;

/// The store.
pub struct InLanes<S> {
    honest: S,
    layout: Arc<Layout>,
}

impl<S: Blocking> Store for InLanes<S> {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<InLanes<S>, StoreError> {
        let mut job = job.clone();
        let name = job.candidate.store.strip_suffix(SUFFIX).map(str::to_string);
        job.candidate.store = name.ok_or_else(|| StoreError::store("its name has another end"))?;
        Ok(InLanes { honest: S::open(&job, layout)?, layout: layout.clone() })
    }

    fn capabilities(&self) -> Capabilities {
        self.honest.capabilities()
    }

    calls_as_honest!();

    fn count(&self) -> Result<u64, StoreError> {
        self.honest.count()
    }
}

impl<S: Blocking> InFlight for InLanes<S> {
    type Lanes = Connections<S::Connection>;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<Self::Lanes, StoreError> {
        Ok(Connections {
            connections: (0..lanes).map(|_| self.honest.connect(phase)).collect::<Result<_, _>>()?,
            layout: self.layout.clone(),
            waiting: VecDeque::new(),
            value: RowBuffer::new(&self.layout),
        })
    }
}

/// The connections of one thread, and what was asked of them.
pub struct Connections<C> {
    connections: Vec<C>,
    layout: Arc<Layout>,
    waiting: VecDeque<(u32, u32, Pending)>,
    value: RowBuffer,
}

/// A request that waits for the next drain.
enum Pending {
    Write(WriteKind, Owned),
    LoadMany(Vec<Owned>),
    Delete(Key),
    Increment(Key),
    Commit,
    Read(Key),
    MultiRead(Vec<Key>),
    Scan,
    Latest(u32),
    Search(Range),
}

#[derive(Clone, Copy)]
enum WriteKind {
    Load,
    Insert,
    Update,
}

/// A row that is kept until it is written.
struct Owned {
    key: Key,
    version: u32,
    raw: Vec<u8>,
}

impl Owned {
    fn of(row: &Row<'_>) -> Owned {
        Owned { key: row.key, version: row.version, raw: row.raw.to_vec() }
    }

    fn row<'a>(&'a self, layout: &'a Layout) -> Row<'a> {
        Row { key: self.key, version: self.version, raw: &self.raw, layout }
    }
}

fn written(written: Result<WriteOutcome, StoreError>) -> Answer<'static> {
    written.map_or_else(Answer::Failed, Answer::Written)
}

fn done(done: Result<(), StoreError>, answer: Answer<'static>) -> Answer<'static> {
    done.map_or_else(Answer::Failed, |()| answer)
}

impl<C: Connection> Lanes for Connections<C> {
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        let asked = match request {
            Request::Load(row) => Pending::Write(WriteKind::Load, Owned::of(row)),
            Request::Insert(row) => Pending::Write(WriteKind::Insert, Owned::of(row)),
            Request::Update(row) => Pending::Write(WriteKind::Update, Owned::of(row)),
            Request::LoadMany(rows) => Pending::LoadMany(rows.iter().map(Owned::of).collect()),
            Request::Delete(key) => Pending::Delete(*key),
            Request::Increment(key) => Pending::Increment(*key),
            Request::Commit => Pending::Commit,
            Request::Read(key) => Pending::Read(*key),
            Request::MultiRead(keys) => Pending::MultiRead(keys.to_vec()),
            Request::Scan => Pending::Scan,
            Request::Latest(rows) => Pending::Latest(rows),
            Request::Search(range) => Pending::Search(*range),
        };
        self.waiting.push_back((lane, token, asked));
        Ok(())
    }

    /// Does what was asked for longest, and half of the rest: lanes overtake each other.
    fn drain(&mut self, _wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        for _ in 0..self.waiting.len().div_ceil(2) {
            let Some((lane, token, asked)) = self.waiting.pop_front() else { break };
            let Connections { connections, layout, value, .. } = self;
            let (connection, layout) = (&mut connections[lane as usize], &**layout);
            let answer = match asked {
                Pending::Write(WriteKind::Load, row) => {
                    done(connection.load(&row.row(layout)), Answer::Written(WriteOutcome::Done))
                }
                Pending::Write(WriteKind::Insert, row) => written(connection.insert(&row.row(layout))),
                Pending::Write(WriteKind::Update, row) => written(connection.update(&row.row(layout))),
                Pending::LoadMany(rows) => {
                    let rows: Vec<Row<'_>> = rows.iter().map(|row| row.row(layout)).collect();
                    done(connection.load_many(&rows), Answer::Written(WriteOutcome::Done))
                }
                Pending::Delete(key) => written(connection.delete(&key)),
                Pending::Increment(key) => done(connection.increment(&key), Answer::Incremented),
                Pending::Commit => done(connection.commit(), Answer::Written(WriteOutcome::Done)),
                Pending::Read(key) => match connection.read(&key, value) {
                    Ok(found) => Answer::Value(found.then(|| value.raw())),
                    Err(error) => Answer::Failed(error),
                },
                Pending::MultiRead(keys) => {
                    multi_read(connection, &keys, layout, |answer| sink(token, answer));
                    continue;
                }
                Pending::Scan => {
                    rows(layout, |rows| connection.scan(rows), |answer| sink(token, answer));
                    continue;
                }
                Pending::Latest(most) => {
                    rows(layout, |rows| connection.latest(most, rows), |answer| sink(token, answer));
                    continue;
                }
                Pending::Search(range) => {
                    rows(layout, |rows| connection.search(&range, rows), |answer| sink(token, answer));
                    continue;
                }
            };
            sink(token, answer);
        }
        Ok(())
    }

    fn commits(&self) -> bool {
        true
    }

    fn retries(&self) -> u64 {
        self.connections.iter().map(Connection::retries).sum()
    }

    fn rows(&self, mut came: &[u8], sink: &mut RowSink<'_>) -> Result<(), StoreError> {
        let cut = || StoreError::store("a row is cut");
        while !came.is_empty() {
            let (head, rest) = came.split_first_chunk::<8>().ok_or_else(cut)?;
            let [row, len] = [0, 4].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
            let (raw, rest) = rest.split_at_checked(len as usize).ok_or_else(cut)?;
            sink.raw(ReturnedKey::Row(row), raw);
            came = rest;
        }
        Ok(())
    }
}

fn multi_read(connection: &mut impl Connection, keys: &[Key], layout: &Layout, give: impl FnOnce(Answer<'_>)) {
    let mut answers = Answers::new(keys.len(), layout);
    keys.iter().for_each(|key| answers.ask(*key));
    match connection.multi_read(&mut answers) {
        Ok(()) => give(Answer::Values(&answers.iter().map(|(_, value)| value).collect::<Vec<_>>())),
        Err(error) => give(Answer::Failed(error)),
    }
}

/// Gives the rows that `ask` puts into a sink in parts.
fn rows(
    layout: &Layout,
    ask: impl FnOnce(&mut RowSink<'_>) -> Result<(), StoreError>,
    mut give: impl FnMut(Answer<'_>),
) {
    let mut kept = Vec::new();
    let mut keep = |row: u32, raw: &[u8]| {
        if kept.len() >= PART_BYTES {
            give(Answer::SomeRows(&kept));
            kept.clear();
        }
        kept.extend_from_slice(&row.to_le_bytes());
        kept.extend_from_slice(&(raw.len() as u32).to_le_bytes());
        kept.extend_from_slice(raw);
    };
    let mut sink = RowSink::new(layout, &mut keep);
    let asked = ask(&mut sink);
    sink.finish();
    drop(sink);
    match asked {
        Ok(()) => give(Answer::Rows(&kept)),
        Err(error) => give(Answer::Failed(error)),
    }
}
