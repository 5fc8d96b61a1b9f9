//! The operation `open` of stores that have many operations under way: a connection for a few reads.

use std::time::Duration;

use kurabe_protocol::StoppedBy;

use super::WAIT;
use crate::adapter::{Answers, InFlight, Key, Lanes, Request, RowBuffer, StoreError};
use crate::clock::now_ns;
use crate::outcome::Outcome;
use crate::phase::{Gate, GateDecision, PhaseContext};
use crate::worker::{After, Limit, Worker};

/// The operation `open`: connects, reads its rows one after the other and leaves; the workers take turns.
pub(super) fn run_opens<S: InFlight>(
    store: &S,
    context: &PhaseContext<'_>,
    gate: &Gate<'_>,
    mut workers: Vec<Worker<'_>>,
) -> Result<Vec<Outcome>, StoreError> {
    if let Some(warmup) = context.phase.warmup {
        let limit = Limit::warmup(warmup, now_ns());
        open_in_turns(store, context, &mut workers, |_| limit);
    }
    workers.iter_mut().for_each(Worker::begin_measuring);
    if gate.wait() == GateDecision::Leave {
        return Ok(workers.into_iter().map(|worker| worker.finish(StoppedBy::Abort, 0)).collect());
    }
    let start = now_ns();
    let limit = |worker: &Worker<'_>| Limit::measured(context.phase, worker.base(), start);
    let stopped_by = open_in_turns(store, context, &mut workers, limit);
    Ok(workers.into_iter().map(|worker| worker.finish(stopped_by, 0)).collect())
}

/// Opens and reads, one worker after the other, until all have reached their limit.
fn open_in_turns<S: InFlight>(
    store: &S,
    context: &PhaseContext<'_>,
    workers: &mut [Worker<'_>],
    limit: impl Fn(&Worker<'_>) -> Limit,
) -> StoppedBy {
    let limits: Vec<Limit> = workers.iter().map(limit).collect();
    let mut answers = workers.first().map_or_else(|| Answers::new(0, context.layout), Worker::answers);
    let mut asked = Vec::new();
    loop {
        let mut opened = false;
        for (worker, limit) in workers.iter_mut().zip(&limits) {
            let now = now_ns();
            if now >= limit.deadline_ns {
                return StoppedBy::Duration;
            } else if worker.gave_up() {
                return StoppedBy::Failures;
            } else if context.aborted(now) {
                return StoppedBy::Abort;
            }
            if worker.is_failing()
                && let After::Pause(ns) = worker.after_failure()
            {
                std::thread::sleep(Duration::from_nanos(ns));
            }
            if worker.number() < limit.end_number {
                worker.open_once(&mut [], &mut answers, &mut asked, |answers| open_and_read(store, context, answers));
                opened = true;
            }
        }
        if !opened {
            return StoppedBy::Count;
        }
    }
}

fn open_and_read<S: InFlight>(store: &S, context: &PhaseContext<'_>, answers: &mut Answers) -> Result<(), StoreError> {
    let mut lanes = store.connect(context.phase, 1)?;
    answers.one_by_one(|key, out| read_one(&mut lanes, context, key, out))
}

/// Reads one row over a connection with nothing else under way.
fn read_one(
    lanes: &mut impl Lanes,
    context: &PhaseContext<'_>,
    key: &Key,
    out: &mut RowBuffer,
) -> Result<bool, StoreError> {
    lanes.start(0, 0, Request::Read(key))?;
    let started = now_ns();
    let mut outcome = None;
    while outcome.is_none() {
        if now_ns() - started > context.operation_ns() {
            return Err(StoreError::Timeout);
        }
        lanes.drain(WAIT, &mut |_, answer| {
            outcome = Some(answer.of_read(out));
        })?;
    }
    outcome.unwrap_or(Err(StoreError::Timeout))
}
