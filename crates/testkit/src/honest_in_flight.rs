//! An honest store in memory that has many operations under way.
//!
//! Every request takes effect at a moment of its own between its start and its answer: some at
//! once, some when they are drained, lanes in changing order. Within a lane the order is kept. So
//! whatever an honest server may do to a client that pipelines, this does often.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kurabe_client::adapter::{Request, Texts};
use kurabe_client::in_flight::InFlightLoop;
use kurabe_client::{Answer, InFlight, Lanes, Store, StoreError, WriteOutcome};
use kurabe_protocol::{Capabilities, Job, Layout, Operation, Phase};

/// Rows and counters.
#[derive(Default)]
struct Data {
    rows: BTreeMap<u32, Vec<u8>>,
    counters: BTreeMap<u32, u64>,
}

/// The honest store.
pub struct HonestInFlight {
    data: Arc<Mutex<Data>>,
}

fn lock(data: &Mutex<Data>) -> MutexGuard<'_, Data> {
    data.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Store for HonestInFlight {
    type Shape = InFlightLoop;

    fn open(_job: &Job, _layout: &Arc<Layout>) -> Result<HonestInFlight, StoreError> {
        Ok(HonestInFlight { data: Arc::default() })
    }

    fn capabilities(&self) -> Capabilities {
        use Operation::{Delete, Increment, Insert, Load, MultiRead, Read, Update};
        Capabilities {
            operations: vec![Load, Insert, Read, Update, Delete, MultiRead, Increment],
            max_depth: 1024,
            batch: true,
            ..Capabilities::default()
        }
    }

    fn libraries(&self) -> Texts {
        Texts::new()
    }

    fn create(&self) -> Result<(), StoreError> {
        self.reset()
    }

    fn reset(&self) -> Result<(), StoreError> {
        *lock(&self.data) = Data::default();
        Ok(())
    }

    fn count(&self) -> Result<u64, StoreError> {
        Ok(lock(&self.data).rows.len() as u64)
    }

    fn sum(&self) -> Result<u64, StoreError> {
        Ok(lock(&self.data).counters.values().sum())
    }
}

impl InFlight for HonestInFlight {
    type Lanes = HonestLanes;

    fn connect(&self, _phase: &Phase, lanes: u32) -> Result<HonestLanes, StoreError> {
        let lane = || Lane { waiting: VecDeque::new(), answered: VecDeque::new() };
        Ok(HonestLanes {
            data: self.data.clone(),
            lanes: (0..lanes).map(|_| lane()).collect(),
            random: 0x9e37_79b9_7f4a_7c15,
        })
    }
}

/// The lanes of one thread.
pub struct HonestLanes {
    data: Arc<Mutex<Data>>,
    lanes: Vec<Lane>,
    random: u64,
}

/// Requests that have not taken effect, and answers that were not handed over.
struct Lane {
    waiting: VecDeque<(u32, PendingRequest)>,
    answered: VecDeque<(u32, Effect)>,
}

enum PendingRequest {
    Load(u32, Vec<u8>),
    Insert(u32, Vec<u8>),
    Read(u32),
    Update(u32, Vec<u8>),
    Delete(u32),
    MultiRead(Vec<u32>),
    Increment(u32),
}

enum Effect {
    Written(WriteOutcome),
    Value(Option<Vec<u8>>),
    Values(Vec<Option<Vec<u8>>>),
    Incremented,
}

impl HonestLanes {
    /// Numbers that look random: xorshift64 (Marsaglia, Journal of Statistical Software 8(14), 2003).
    fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % below
    }

    /// Lets the oldest waiting requests of a lane take effect.
    fn take_effect(&mut self, lane: usize, requests: u64) {
        let Lane { waiting, answered } = &mut self.lanes[lane];
        let mut data = lock(&self.data);
        for _ in 0..requests {
            let Some((token, request)) = waiting.pop_front() else { break };
            answered.push_back((token, apply(&mut data, request)));
        }
    }
}

fn apply(data: &mut Data, request: PendingRequest) -> Effect {
    let Data { rows, counters } = data;
    let done = |done: bool, otherwise| Effect::Written(if done { WriteOutcome::Done } else { otherwise });
    match request {
        PendingRequest::Load(row, raw) => {
            rows.insert(row, raw);
            Effect::Written(WriteOutcome::Done)
        }
        PendingRequest::Insert(row, raw) => {
            let vacant = !rows.contains_key(&row);
            if vacant {
                rows.insert(row, raw);
            }
            done(vacant, WriteOutcome::Exists)
        }
        PendingRequest::Read(row) => Effect::Value(rows.get(&row).cloned()),
        PendingRequest::Update(row, raw) => {
            done(rows.get_mut(&row).map(|value| *value = raw).is_some(), WriteOutcome::Missing)
        }
        PendingRequest::Delete(row) => done(rows.remove(&row).is_some(), WriteOutcome::Missing),
        PendingRequest::MultiRead(asked) => Effect::Values(asked.iter().map(|row| rows.get(row).cloned()).collect()),
        PendingRequest::Increment(row) => {
            *counters.entry(row).or_default() += 1;
            Effect::Incremented
        }
    }
}

impl Lanes for HonestLanes {
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        let request = match request {
            Request::Load(row) => PendingRequest::Load(row.key.row, row.raw.to_vec()),
            Request::Insert(row) => PendingRequest::Insert(row.key.row, row.raw.to_vec()),
            Request::Read(key) => PendingRequest::Read(key.row),
            Request::Update(row) => PendingRequest::Update(row.key.row, row.raw.to_vec()),
            Request::Delete(key) => PendingRequest::Delete(key.row),
            Request::MultiRead(keys) => PendingRequest::MultiRead(keys.iter().map(|key| key.row).collect()),
            Request::Increment(key) => PendingRequest::Increment(key.row),
            Request::Scan | Request::Latest(_) | Request::Search(_) | Request::LoadMany(_) | Request::Commit => {
                return Err(StoreError::Unsupported);
            }
        };
        let lane = lane as usize;
        self.lanes[lane].waiting.push_back((token, request));
        if self.draw(4) == 0 {
            let requests = 1 + self.draw(2);
            self.take_effect(lane, requests);
        }
        Ok(())
    }

    fn drain(&mut self, _wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let lanes = self.lanes.len();
        let first = self.draw(lanes as u64) as usize;
        for lane in (0..lanes).map(|lane| (first + lane) % lanes) {
            let requests = self.draw(4);
            self.take_effect(lane, requests);
            let answers = self.draw(4);
            for _ in 0..answers {
                let Some((token, effect)) = self.lanes[lane].answered.pop_front() else { break };
                match &effect {
                    Effect::Written(written) => sink(token, Answer::Written(*written)),
                    Effect::Value(value) => sink(token, Answer::Value(value.as_deref())),
                    Effect::Values(values) => {
                        let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
                        sink(token, Answer::Values(&values));
                    }
                    Effect::Incremented => sink(token, Answer::Incremented),
                }
            }
        }
        Ok(())
    }
}
