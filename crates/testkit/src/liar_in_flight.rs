//! Lying stores that have many operations under way.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use kurabe_client::adapter::Request;
use kurabe_client::in_flight::InFlightLoop;
use kurabe_client::{Answer, InFlight, Key, Lanes, Store, StoreError, WriteOutcome};
use kurabe_protocol::{Capabilities, Job, Layout, Phase};

use crate::liar::{Lie, Memory, alter, calls_as_honest, lie_of};

/// The liars of this shape by the names of their stores. Those that lie in scans are missing, since
/// a store of this shape has none.
pub const NAMED: [(&str, Lie); 9] = [
    ("liar-drops-in-flight", Lie::Drops { one_in: 10_000 }),
    ("liar-stale-in-flight", Lie::Stale { one_in: 50 }),
    ("liar-swapped-in-flight", Lie::Swapped { one_in: 1_000 }),
    ("liar-altered-in-flight", Lie::Altered { one_in: 1_000 }),
    ("liar-swallowed-error-in-flight", Lie::SwallowedError { one_in: 500 }),
    ("liar-lying-count-in-flight", Lie::LyingCount),
    ("liar-phantom-in-flight", Lie::Phantom),
    ("liar-exchanged-answers-in-flight", Lie::ExchangedAnswers { one_in: 50 }),
    ("liar-lost-increment-in-flight", Lie::LostIncrement { one_in: 1_000 }),
];

/// A store in flight that lies.
pub struct LiarInFlight<S> {
    honest: S,
    lie: Lie,
    layout: Arc<Layout>,
    memory: Arc<Memory>,
}

impl<S: InFlight<Shape = InFlightLoop>> Store for LiarInFlight<S> {
    type Shape = InFlightLoop;

    fn open(job: &Job, layout: &Arc<Layout>) -> Result<LiarInFlight<S>, StoreError> {
        let lie = lie_of(job, &NAMED)?;
        Ok(LiarInFlight { honest: S::open(job, layout)?, lie, layout: layout.clone(), memory: Arc::default() })
    }

    fn capabilities(&self) -> Capabilities {
        self.honest.capabilities()
    }

    calls_as_honest!();

    fn count(&self) -> Result<u64, StoreError> {
        self.honest.count().map(|rows| rows + u64::from(self.lie == Lie::LyingCount))
    }
}

impl<S: InFlight<Shape = InFlightLoop>> InFlight for LiarInFlight<S> {
    type Lanes = LiarLanes<S::Lanes>;

    fn connect(&self, phase: &Phase, lanes: u32) -> Result<Self::Lanes, StoreError> {
        Ok(LiarLanes {
            honest: self.honest.connect(phase, lanes)?,
            lie: self.lie,
            layout: self.layout.clone(),
            memory: self.memory.clone(),
            asked: HashMap::new(),
        })
    }
}

/// What becomes of the honest answer to a request.
#[derive(Clone, Copy)]
enum Plan {
    /// It is handed on.
    Pass,
    /// "Done", whatever was asked instead of the write.
    SayDone,
    /// A read of this row is answered with what it held before.
    SayOld(u32),
    /// A read of this row is answered with its last value where it is gone.
    SayDeleted(u32),
    /// The value is changed.
    Alter,
    /// The first two values are exchanged.
    Exchange,
    /// "Done", whatever was asked instead of the increment.
    SayIncremented,
}

/// Lanes that lie.
pub struct LiarLanes<L> {
    honest: L,
    lie: Lie,
    layout: Arc<Layout>,
    memory: Arc<Memory>,
    asked: HashMap<u32, Plan>,
}

impl<L: Lanes> LiarLanes<L> {
    fn plan_write(&self, is_delete: bool) -> Plan {
        if self.memory.skips_write(self.lie, is_delete) { Plan::SayDone } else { Plan::Pass }
    }

    fn plan_read(&self, row: u32) -> Plan {
        let memory = &self.memory;
        match self.lie {
            Lie::Stale { one_in } if memory.lies_at_read(one_in) => Plan::SayOld(row),
            Lie::Altered { one_in } if memory.lies_at_read(one_in) => Plan::Alter,
            Lie::Phantom => Plan::SayDeleted(row),
            _ => Plan::Pass,
        }
    }

    fn plan_multi_read(&self) -> Plan {
        match self.lie {
            Lie::ExchangedAnswers { one_in } if self.memory.lies_at_read(one_in) => Plan::Exchange,
            _ => Plan::Pass,
        }
    }
}

impl<L: Lanes> Lanes for LiarLanes<L> {
    fn start(&mut self, lane: u32, token: u32, request: Request<'_>) -> Result<(), StoreError> {
        let (plan, key) = match request {
            Request::Load(row) | Request::Insert(row) | Request::Update(row) => {
                self.memory.keep(self.lie, row.key.row, row.raw);
                (self.plan_write(false), row.key)
            }
            Request::Delete(key) => (self.plan_write(true), *key),
            Request::Read(key) => (self.plan_read(key.row), *key),
            Request::Increment(key) => {
                (if self.memory.skips_increment(self.lie) { Plan::SayIncremented } else { Plan::Pass }, *key)
            }
            Request::MultiRead(keys) => (self.plan_multi_read(), keys[0]),
            Request::Scan | Request::Latest(_) | Request::Search(_) | Request::LoadMany(_) | Request::Commit => {
                return self.honest.start(lane, token, request);
            }
        };
        self.asked.insert(token, plan);
        let swapped = Key::new(key.row ^ 1, &self.layout);
        let asked = match (plan, request, self.lie) {
            // A read in its place keeps the order of the lane and changes nothing.
            (Plan::SayDone | Plan::SayIncremented, ..) => Request::Read(&key),
            (_, Request::Read(_), Lie::Swapped { one_in }) if self.memory.lies_at_read(one_in) => {
                Request::Read(&swapped)
            }
            _ => request,
        };
        self.honest.start(lane, token, asked)
    }

    fn drain(&mut self, wait: Duration, sink: &mut impl FnMut(u32, Answer<'_>)) -> Result<(), StoreError> {
        let LiarLanes { honest, memory, asked, .. } = self;
        honest.drain(wait, &mut |token, answer| {
            let values = memory.values();
            match (asked.remove(&token).unwrap_or(Plan::Pass), &answer) {
                (Plan::SayDone, _) => sink(token, Answer::Written(WriteOutcome::Done)),
                (Plan::SayOld(row), Answer::Value(Some(_))) => {
                    let old = values.get(&row).and_then(|value| value.before.as_deref());
                    sink(token, old.map_or(answer.clone(), |old| Answer::Value(Some(old))));
                }
                (Plan::SayDeleted(row), Answer::Value(None)) => {
                    sink(token, Answer::Value(values.get(&row).map(|value| value.last.as_slice())));
                }
                (Plan::Alter, Answer::Value(Some(value))) => {
                    let mut value = value.to_vec();
                    alter(&mut value);
                    sink(token, Answer::Value(Some(&value)));
                }
                (Plan::SayIncremented, _) => sink(token, Answer::Incremented),
                (Plan::Exchange, Answer::Values(values)) if values.len() > 1 => {
                    let mut values = values.to_vec();
                    values.swap(0, 1);
                    sink(token, Answer::Values(&values));
                }
                _ => sink(token, answer),
            }
        })
    }
}
