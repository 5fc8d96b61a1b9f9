//! Whether what clients tell of a phase can be true.
//!
//! Every figure of a phase comes from the party that is measured. What somebody else has seen of it stands in a [`Window`]:
//! when the clients were let go, and when their results had come, on the clock that their stamps are of. A stamp outside of
//! it, a time that is no part of it, and counts that contradict each other make a result that nobody can use. The bounds are
//! wide, since a machine may stop a client at any moment: they hold what cannot be, not what is unlikely.

use crate::histogram::{Bucket, bucket_highest};
use crate::message::{KindLatency, OpenLoop, PhaseResult, StoppedBy, WorkerResult};
use crate::operation::Operation;
use crate::phase::Phase;

/// Clocks are set right by so much of a time while it passes: 500 ppm are the most, doubled. One part in so many.
const DRIFT: u64 = 1000;
/// Stamps of two ways to the same clock are apart by less.
const APART_NS: u64 = 1_000_000;
/// What a client may need before its first operation and after its last one: to collect garbage and to put its result
/// together, on a busy machine.
const AROUND_NS: u64 = 5_000_000_000;
/// And so many times as long as its operations.
const AROUND_TIMES: u64 = 10;
/// Time ends a phase: its operations may fall short of that by so much.
const SHORT_NS: u64 = 100_000_000;
/// An operation takes longer than reading a clock twice.
const LEAST_MEAN_NS: u64 = 2;
/// Processor time is counted in ticks.
const CPU_NS: u64 = 100_000_000;

/// What was seen of a phase from outside.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// When the clients were let go, in ns of CLOCK_MONOTONIC.
    pub go_ns: u64,
    /// When the last result had come.
    pub came_ns: u64,
    /// Client processes of the job. Result `i` is of process `i`.
    pub processes: u32,
    /// Processors that a client can use.
    pub processors: u64,
    /// Whether results come as soon as operations have ended: not where answers are judged after them, or where whoever
    /// waits has something else to do.
    pub at_once: bool,
    /// Whether the latency of each operation is told: not where a load tool does them.
    pub times_each: bool,
    /// Whether operations go on until the time of the phase is over: not where their store may be gone by then.
    pub fills_time: bool,
}

/// Why a result cannot be true.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untrue {
    /// Of another clock.
    #[error("the client's clock is not that of this machine: {0}")]
    Clock(String),
    /// Figures that do not go together.
    #[error("the client's figures contradict each other: {0}")]
    Figures(String),
}

/// Looks through the results of a phase, one a process.
///
/// # Errors
/// The first thing in them that cannot be true.
pub fn audit(results: &[PhaseResult], phase: &Phase, window: &Window) -> Result<(), Untrue> {
    for (process, result) in (0..).zip(results) {
        workers(result, phase, process, window)?;
        window.holds(result)?;
        if window.times_each {
            latencies(result, phase, window)?;
        }
        planned(result, phase)?;
        answers(result)?;
        window.processor_time(result)?;
    }
    window.span(results, phase)
}

/// The workers that did anything.
fn active(result: &PhaseResult) -> impl Iterator<Item = &WorkerResult> {
    result.workers.iter().filter(|worker| worker.operations > 0 || worker.failed > 0)
}

fn figures(what: String) -> Result<(), Untrue> {
    Err(Untrue::Figures(what))
}

/// The workers of a process are there, each once, and did no more than they were to do.
fn workers(result: &PhaseResult, phase: &Phase, process: u32, window: &Window) -> Result<(), Untrue> {
    let mut told: Vec<u32> = result.workers.iter().map(|worker| worker.worker).collect();
    told.sort_unstable();
    let own: Vec<u32> = (process..phase.connections).step_by(window.processes.max(1) as usize).collect();
    if told != own {
        return figures(format!("{} workers are told where {} work, or others than these", told.len(), own.len()));
    }
    let failed: u64 = result.failures.iter().map(|failed| failed.count).fold(0, u64::saturating_add);
    let counted = result.workers.iter().map(|worker| worker.failed).fold(0, u64::saturating_add);
    // Failures of a warm-up are told too, and are no operations of the phase.
    if failed > counted && phase.warmup.is_none() {
        return figures(format!("{failed} failures are told, and {counted} operations failed"));
    }
    for worker in &result.workers {
        let done = worker.operations.saturating_add(worker.failed);
        let Some(count) = phase.end.count() else { continue };
        // Worker w does the numbers w, w + W, w + 2W and so on below the count.
        let share = count.saturating_sub(worker.worker.into()).div_ceil(u64::from(phase.connections.max(1)));
        let ended = result.stopped_by == StoppedBy::Count && worker.failed == 0;
        // The commit of what is left behind the last operation is none, and may fail too.
        let most = share.saturating_add(worker.failed.min(1));
        if done > most || (ended && done != share) {
            return figures(format!("worker {} did {done} of {share} operations", worker.worker));
        }
    }
    Ok(())
}

/// Every planned operation came to something, where there is a plan.
fn planned(result: &PhaseResult, phase: &Phase) -> Result<(), Untrue> {
    let open_loop = match (&result.open_loop, &phase.schedule) {
        (Some(open_loop), Some(_)) => open_loop,
        (None, None) => return Ok(()),
        (Some(_), None) => return figures("it has planned operations, and the phase has no rate".into()),
        (None, Some(_)) => return figures("it has no planned operations, and the phase has a rate".into()),
    };
    let OpenLoop { planned, dropped, open, .. } = open_loop;
    let of_workers = |count: fn(&WorkerResult) -> u64| result.workers.iter().map(count).fold(0, u64::saturating_add);
    let (done, failed) = (of_workers(|worker| worker.operations), of_workers(|worker| worker.failed));
    // The commit of what is left behind the last operation is none, and may fail too.
    let commits = failed.min(result.workers.len() as u64);
    let all = [done, failed, *dropped, *open].into_iter().fold(0, u64::saturating_add);
    if *planned > all || all - planned > commits {
        return figures(format!(
            "{planned} operations were planned, and {done} done, {failed} failed, {dropped} dropped and {open} left open"
        ));
    }
    let counted = |buckets: &[Bucket]| buckets.iter().map(|bucket| bucket.1).fold(0, u64::saturating_add);
    if counted(&open_loop.open_waited) != *open {
        return figures(format!("{open} operations were left open, and the waits of other than these are there"));
    }
    Ok(())
}

/// Latencies are those of the operations, and no longer than the phase.
fn latencies(result: &PhaseResult, phase: &Phase, window: &Window) -> Result<(), Untrue> {
    let service = result.service();
    let done = result.workers.iter().map(|worker| worker.operations).fold(0, u64::saturating_add);
    for told in [result.latency.as_slice(), service] {
        let counted = told.iter().map(|kind| kind.count).fold(0, u64::saturating_add);
        if counted != done {
            return figures(format!("{done} operations are told, and the latencies of {counted}"));
        }
        told.iter().filter(|kind| kind.count > 0).try_for_each(|kind| latencies_of(kind, phase, window))?;
    }
    let kinds = || service.iter().filter(|kind| kind.count > 0);
    // Those of a request of many operations count for each of them.
    let at_a_time = phase.depth.max(phase.batch).max(phase.load().map_or(1, |load| load.rows_at_a_time()));
    let sum: u128 = kinds().map(|kind| u128::from(kind.sum_ns)).sum();
    let worked: u128 = active(result)
        .map(|worker| u128::from(window.slack(worker.last_end_ns.saturating_sub(worker.first_start_ns))))
        .sum();
    if sum > worked * u128::from(at_a_time.max(1)) {
        return Err(Untrue::Clock(format!(
            "its operations took {sum} ns together, within {worked} ns in which its workers worked"
        )));
    }
    Ok(())
}

fn latencies_of(kind: &KindLatency, phase: &Phase, window: &Window) -> Result<(), Untrue> {
    let word = kind.operation;
    if !phase.does(word) || matches!(word, Operation::Mix | Operation::Program) {
        return figures(format!("latencies of '{word}' are told, which the phase does not do"));
    }
    let sum_of = |bound: fn(u64) -> u64| -> u128 {
        kind.buckets.iter().map(|bucket| u128::from(bound(bucket.0)) * u128::from(bucket.1)).sum()
    };
    let counted: u128 = kind.buckets.iter().map(|bucket| u128::from(bucket.1)).sum();
    let lies_in = |bucket: Option<&Bucket>, ns: u64| {
        bucket.is_some_and(|bucket| (bucket.0..=bucket_highest(bucket.0)).contains(&ns))
    };
    let is_sorted = kind.buckets.windows(2).all(|two| two[0].0 < two[1].0);
    let sum = u128::from(kind.sum_ns);
    if counted != u128::from(kind.count)
        || !is_sorted
        || !lies_in(kind.buckets.first(), kind.min_ns)
        || !lies_in(kind.buckets.last(), kind.max_ns)
        || sum < sum_of(|lowest| lowest)
        || sum > sum_of(bucket_highest)
    {
        return figures(format!("count, sum, least or greatest latency of '{word}' do not fit its histogram"));
    }
    if kind.max_ns > window.slack(window.length()) {
        let (took, all) = (kind.max_ns, window.length());
        return Err(Untrue::Clock(format!("one '{word}' took {took} ns in a phase of {all} ns")));
    }
    if sum < u128::from(kind.count) * u128::from(LEAST_MEAN_NS) {
        let count = kind.count;
        return Err(Untrue::Clock(format!(
            "{count} operations '{word}' took {sum} ns, less than reading a clock takes"
        )));
    }
    Ok(())
}

/// Every operation that is answered with something is checked.
fn answers(result: &PhaseResult) -> Result<(), Untrue> {
    let is_answered = |kind: &&KindLatency| !matches!(kind.operation, Operation::Load | Operation::Increment);
    let answered = result.latency.iter().filter(is_answered).map(|kind| kind.count).fold(0, u64::saturating_add);
    let checks = &result.checks;
    let found = [checks.wrong, checks.stale, checks.lost, checks.phantom, checks.miscounted];
    let checked = found.into_iter().fold(checks.checked, u64::saturating_add);
    if checked < answered {
        return figures(format!("{answered} operations were answered, and {} answers checked", checks.checked));
    }
    Ok(())
}

impl Window {
    fn length(&self) -> u64 {
        self.came_ns.saturating_sub(self.go_ns)
    }

    /// So long, and what two ways to one clock may be apart in it.
    fn slack(&self, ns: u64) -> u64 {
        ns.saturating_add(ns / DRIFT).saturating_add(APART_NS)
    }

    /// All stamps lie in the window, and in their order.
    fn holds(&self, result: &PhaseResult) -> Result<(), Untrue> {
        let apart = APART_NS + self.length() / DRIFT;
        for WorkerResult { worker, first_start_ns, last_end_ns, .. } in active(result) {
            let what = match () {
                () if first_start_ns.saturating_add(apart) < self.go_ns => {
                    format!("began {} ns before it was let go", self.go_ns - first_start_ns)
                }
                () if *last_end_ns > self.came_ns.saturating_add(apart) => {
                    format!("ended {} ns after its result had come", last_end_ns - self.came_ns)
                }
                () if last_end_ns < first_start_ns => {
                    format!("ended {} ns before it began", first_start_ns - last_end_ns)
                }
                () => continue,
            };
            return Err(Untrue::Clock(format!("worker {worker} {what}")));
        }
        Ok(())
    }

    /// Whether operations that took so long were most of what happened in it.
    fn is_filled_by(&self, span_ns: u64) -> Result<(), Untrue> {
        let length = self.length();
        if length > span_ns.saturating_mul(AROUND_TIMES).saturating_add(AROUND_NS) {
            let what = format!("its operations took {span_ns} ns of a phase that took {length} ns");
            return Err(Untrue::Clock(what));
        }
        Ok(())
    }

    fn processor_time(&self, result: &PhaseResult) -> Result<(), Untrue> {
        let Some(used) = result.cpu_ns() else { return Ok(()) };
        let most = self.length().saturating_mul(self.processors.max(1)).saturating_mul(2).saturating_add(CPU_NS);
        if used > most {
            return figures(format!("{used} ns of processor time within {} ns", self.length()));
        }
        Ok(())
    }

    /// From the first start to the last end is about the time that the phase took, as it was seen from outside.
    fn span(&self, results: &[PhaseResult], phase: &Phase) -> Result<(), Untrue> {
        let all = || results.iter().flat_map(active);
        let Some(first_ns) = all().map(|worker| worker.first_start_ns).min() else { return Ok(()) };
        let span_ns = all().map(|worker| worker.last_end_ns).max().unwrap_or(0).saturating_sub(first_ns);
        if self.at_once {
            self.is_filled_by(span_ns)?;
        }
        let by_time = results.iter().any(|result| result.stopped_by == StoppedBy::Duration);
        // A tool may tell a rate without the time of connecting.
        // Where starts are planned or connections think, the first and the last may be far from the ends of the phase.
        let fills = by_time && self.times_each && self.fills_time && !phase.waits();
        match phase.end.duration_ns().filter(|_| fills) {
            Some(duration_ns) if self.slack(span_ns) + SHORT_NS < duration_ns - duration_ns / 10 => {
                let what = format!("its operations took {span_ns} ns of a phase that ends after {duration_ns} ns");
                Err(Untrue::Clock(what))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[path = "audit_tests.rs"]
mod tests;
