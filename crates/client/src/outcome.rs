//! What a worker gives at the end of a phase, and the latencies of all of them.

use kurabe_protocol::{Checks, Failed, Histogram, Increments, KindLatency, Operation, Runtime, Series, StoppedBy};

use crate::planned::Planned;

/// A histogram for each kind that a phase does.
pub type LatencyByKind = [Option<Box<Histogram>>; Operation::ALL.len()];

/// What one worker gave.
pub struct Outcome {
    /// Number of the worker over all processes.
    pub worker: u32,
    /// Operations completed.
    pub operations: u64,
    /// Operations failed.
    pub failed: u64,
    /// Start of the first measured operation; 0 where there was none.
    pub first_start_ns: u64,
    /// End of the last measured operation.
    pub last_end_ns: u64,
    /// Service times by kind.
    pub latency: Vec<(Operation, Histogram)>,
    /// What it noted of planned operations, where they are.
    pub planned: Option<Box<Planned>>,
    /// Failures by kind and message, each with the end of the first in ns.
    pub failures: Vec<(u64, Failed)>,
    /// What the oracle found.
    pub checks: Checks,
    /// Repeated attempts.
    pub retries: u64,
    /// Time of encoding and decoding inside operations.
    pub encoding_ns: u64,
    /// Rows read by operations that answer with many.
    pub rows_read: u64,
    /// Increments, those of the warm-up included.
    pub increments: Increments,
    /// Operations over time.
    pub series: Series,
    /// Connections that were made amid its operations.
    pub connects: u64,
    /// What the virtual machine of its process did, where it has one.
    pub runtime: Option<Runtime>,
    /// What ended the worker.
    pub stopped_by: StoppedBy,
}

impl Outcome {
    /// Its service times.
    pub fn service(&self) -> impl Iterator<Item = (Operation, &Histogram)> {
        self.latency.iter().map(|(kind, histogram)| (*kind, histogram))
    }

    /// Its response times; none in a closed loop.
    pub fn response(&self) -> impl Iterator<Item = (Operation, &Histogram)> {
        let histograms = self.planned.iter().flat_map(|planned| &planned.response);
        Operation::ALL.into_iter().zip(histograms).filter_map(|(kind, one)| Some((kind, one.as_deref()?)))
    }
}

/// The latencies of several workers as they travel on the wire, one entry a kind.
pub fn merged_latency<'a>(latencies: impl Iterator<Item = (Operation, &'a Histogram)>) -> Vec<KindLatency> {
    let mut merged: [Option<Histogram>; Operation::ALL.len()] = Default::default();
    for (kind, histogram) in latencies {
        merged[kind as usize].get_or_insert_default().merge(histogram);
    }
    let told = |(operation, merged): (Operation, Option<Histogram>)| {
        let merged = merged?;
        Some(KindLatency {
            operation,
            buckets: merged.buckets(),
            count: merged.count(),
            sum_ns: merged.sum_ns(),
            min_ns: merged.min_ns(),
            max_ns: merged.max_ns(),
        })
    };
    Operation::ALL.into_iter().zip(merged).filter_map(told).collect()
}
