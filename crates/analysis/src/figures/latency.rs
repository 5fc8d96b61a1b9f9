//! Latencies of a phase, merged over rounds and client processes; never averaged.

use std::collections::BTreeMap;

use kurabe_protocol::histogram::Bucket;
use kurabe_protocol::{KindLatency, OpenLoop, Operation, PhaseResult};
use kurabe_record::{CandidateRecord, PhasePlan};
use kurabe_stats::{Histogram, HistogramError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::phase_job::PhaseJob;
use crate::figures::reason::{NotCounted, NotCountedReason};

/// The quantiles that are shown.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// From where a latency counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LatencyKind {
    /// From the real start.
    Service,
    /// From the planned start, in an open loop.
    Response,
}

/// Latencies of one kind of operation, merged over rounds and client processes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencyAnswer {
    /// Kind.
    pub operation: Operation,
    /// From where they count.
    pub time: LatencyKind,
    /// Operations counted; of response times those too that were still open at the end, with what they had waited by then.
    pub count: u64,
    /// Percentiles, ascending.
    pub percentiles: Vec<Percentile>,
    /// The largest latency, exact, in ns.
    pub max_ns: Option<u64>,
}

impl LatencyAnswer {
    /// The value at quantile `p` in ns, where it is given.
    pub fn percentile(&self, p: f64) -> Option<u64> {
        self.percentiles.iter().find(|percentile| percentile.p == p).and_then(|percentile| percentile.value_ns)
    }
}

/// A percentile with its order-statistic interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Percentile {
    /// The quantile: 0.99 for the 99th percentile.
    pub p: f64,
    /// Value in ns; absent where fewer than ten operations lie beyond it.
    pub value_ns: Option<u64>,
    /// Lower end of its 95 % interval, in ns.
    pub low_ns: Option<u64>,
    /// Upper end of its 95 % interval, in ns.
    pub high_ns: Option<u64>,
}

/// Latencies by kind: response times in an open loop, else service times. A histogram that is none is left out and said so.
pub(crate) fn merged(
    jobs: &[PhaseJob<'_>],
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    not_counted: &mut Vec<NotCounted>,
) -> Vec<LatencyAnswer> {
    let results = jobs.iter().filter_map(PhaseJob::ran).flat_map(|record| &record.results);
    let of_result = |result: &PhaseResult| -> Vec<_> {
        result.latency.iter().map(|latency| (latency.operation, with_open(result, latency))).collect()
    };
    let time = if plan.phase.schedule.is_some() { LatencyKind::Response } else { LatencyKind::Service };
    by_kind(time, results.flat_map(of_result), |operation, error| {
        not_counted.push(NotCounted {
            candidate: candidate.name.clone(),
            phases: vec![plan.phase.name.clone()],
            why: NotCountedReason::Latencies { operation, error: error.to_string() },
        });
    })
}

/// Service times by kind; one that is no histogram is left out.
pub(crate) fn service<'a>(latencies: impl Iterator<Item = &'a KindLatency>) -> Vec<LatencyAnswer> {
    by_kind(LatencyKind::Service, latencies.map(|latency| (latency.operation, histogram(latency))), |_, _| ())
}

/// Histograms merged by kind; `left_out` is called for each that cannot be.
fn by_kind(
    time: LatencyKind,
    histograms: impl Iterator<Item = (Operation, Result<Histogram, HistogramError>)>,
    mut left_out: impl FnMut(Operation, HistogramError),
) -> Vec<LatencyAnswer> {
    let mut kinds: BTreeMap<Operation, Histogram> = BTreeMap::new();
    for (operation, histogram) in histograms {
        let sum = kinds.remove(&operation).unwrap_or_default();
        let kept = histogram.and_then(|histogram| sum.clone().merged(&histogram));
        let kept = kept.unwrap_or_else(|error| {
            left_out(operation, error);
            sum
        });
        kinds.insert(operation, kept);
    }
    kinds.iter().filter(|(_, sum)| sum.count() > 0).map(|(kind, sum)| answer(*kind, time, sum)).collect()
}

/// Latencies of a kind, with what those had waited at least that were still open at the end. Of a mix nobody knows of which kind
/// they would have been: each kind has as large a share of them as of those that were done.
fn with_open(result: &PhaseResult, latency: &KindLatency) -> Result<Histogram, HistogramError> {
    let done = histogram(latency)?;
    // Of a kind that was never done nothing is known.
    let is_open = |open_loop: &&OpenLoop| open_loop.open > 0 && latency.count > 0;
    let Some(open_loop) = result.open_loop.as_ref().filter(is_open) else { return Ok(done) };
    let all: u64 = result.latency.iter().map(|kind| kind.count).sum();
    let share = |count: u64| (u128::from(count) * u128::from(latency.count)).div_ceil(u128::from(all.max(1))) as u64;
    let waits: Vec<Bucket> = open_loop.open_waited.iter().map(|one| Bucket(one.0, share(one.1))).collect();
    done.merged(&from_buckets(&waits, waits.last().map(|one| one.0))?)
}

pub(crate) fn from_buckets(buckets: &[Bucket], max_ns: Option<u64>) -> Result<Histogram, HistogramError> {
    Histogram::from_pairs(buckets.iter().map(|bucket| [bucket.0, bucket.1]), max_ns)
}

/// Latencies of all operations of a process, with what the open ones had waited at least.
pub(crate) fn of_all(result: &PhaseResult) -> Result<Histogram, HistogramError> {
    let mut kinds = result.latency.iter();
    kinds.try_fold(Histogram::default(), |sum, kind| sum.merged(&with_open(result, kind)?))
}

pub(crate) fn histogram(latency: &KindLatency) -> Result<Histogram, HistogramError> {
    from_buckets(&latency.buckets, (latency.count > 0).then_some(latency.max_ns))
}

fn answer(operation: Operation, time: LatencyKind, histogram: &Histogram) -> LatencyAnswer {
    let percentile = |p: f64| {
        let value_ns = histogram.percentile(p);
        let interval = value_ns.and_then(|_| histogram.percentile_interval(p));
        Percentile {
            p,
            value_ns,
            low_ns: interval.and_then(|interval| interval.low_ns),
            high_ns: interval.and_then(|interval| interval.high_ns),
        }
    };
    LatencyAnswer {
        operation,
        time,
        count: histogram.count(),
        percentiles: QUANTILES.into_iter().map(percentile).collect(),
        max_ns: histogram.max_ns(),
    }
}
