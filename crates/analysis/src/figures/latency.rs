//! Latencies of a phase, merged over rounds and client processes; never averaged.

use std::collections::BTreeMap;

use kurabe_protocol::{KindLatency, Operation};
use kurabe_record::{CandidateRecord, PhasePlan};
use kurabe_stats::{Histogram, HistogramError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::phase_job::PhaseJob;
use crate::figures::reason::{NotCounted, NotCountedReason};

/// The quantiles that are shown.
const QUANTILES: [f64; 4] = [0.5, 0.9, 0.99, 0.999];

/// Latencies of one kind of operation, merged over rounds and client processes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LatencyAnswer {
    /// Kind.
    pub operation: Operation,
    /// Operations counted.
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

/// Latencies by kind. A histogram that is none is left out and said so.
pub(crate) fn merged(
    jobs: &[PhaseJob<'_>],
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    not_counted: &mut Vec<NotCounted>,
) -> Vec<LatencyAnswer> {
    let mut kinds: BTreeMap<Operation, Histogram> = BTreeMap::new();
    let results = jobs.iter().filter_map(PhaseJob::ran).flat_map(|record| &record.results);
    for latency in results.flat_map(|result| &result.latency) {
        let sum = kinds.remove(&latency.operation).unwrap_or_default();
        let kept = histogram(latency).and_then(|histogram| sum.clone().merged(&histogram));
        if let Err(error) = &kept {
            not_counted.push(NotCounted {
                candidate: candidate.name.clone(),
                phases: vec![plan.phase.name.clone()],
                why: NotCountedReason::Latencies { operation: latency.operation, error: error.to_string() },
            });
        }
        kinds.insert(latency.operation, kept.unwrap_or(sum));
    }
    kinds.iter().filter(|(_, histogram)| histogram.count() > 0).map(|(kind, sum)| answer(*kind, sum)).collect()
}

pub(crate) fn histogram(latency: &KindLatency) -> Result<Histogram, HistogramError> {
    let max_ns = (latency.count > 0).then_some(latency.max_ns);
    Histogram::from_pairs(latency.buckets.iter().map(|bucket| [bucket.0, bucket.1]), max_ns)
}

fn answer(operation: Operation, histogram: &Histogram) -> LatencyAnswer {
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
        count: histogram.count(),
        percentiles: QUANTILES.into_iter().map(percentile).collect(),
        max_ns: histogram.max_ns(),
    }
}
