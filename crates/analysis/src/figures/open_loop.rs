//! What became of planned operations, where a phase has a rate.

use kurabe_protocol::{OpenLoop, PhaseResult};
use kurabe_record::Slo;
use kurabe_stats::{Histogram, HistogramError};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::latency::{self, LatencyAnswer, from_buckets};
use crate::figures::phase_job::PhaseJob;

/// The planned operations of a candidate in a phase, over all rounds: `planned = done + failed + dropped + open`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OpenLoopAnswer {
    /// Operations whose planned start lay in the phase.
    pub planned: u64,
    /// Those that were done.
    pub done: u64,
    /// Those that failed.
    pub failed: u64,
    /// Those that came while as many waited as may.
    pub dropped: u64,
    /// Those that had not been started when the phase ended.
    pub open: u64,
    /// Service times, from the real start, by kind of operation.
    pub service: Vec<LatencyAnswer>,
    /// 99 of 100 operations the client itself started at most so late, in ns: after the planned start, or after a connection was
    /// free where that was later. Absent where fewer than ten are beyond.
    pub lag_p99_ns: Option<u64>,
    /// The largest such lag, in ns.
    pub lag_max_ns: u64,
}

impl OpenLoopAnswer {
    /// Over all jobs that ran; `None` in a closed loop.
    pub(crate) fn of(jobs: &[PhaseJob<'_>]) -> Option<OpenLoopAnswer> {
        let records = || jobs.iter().filter_map(PhaseJob::ran);
        let loops = || records().flat_map(|record| &record.results).filter_map(|result| result.open_loop.as_ref());
        loops().next()?;
        let sum = |of: fn(&OpenLoop) -> u64| loops().map(of).sum();
        let lag = loops().try_fold(Histogram::default(), |sum, one| sum.merged(&lag(one)?)).ok();
        Some(OpenLoopAnswer {
            planned: sum(|one| one.planned),
            done: records().map(|record| record.operations()).sum(),
            failed: records().map(|record| record.failed()).sum(),
            dropped: sum(|one| one.dropped),
            open: sum(|one| one.open),
            service: latency::service(records().flat_map(|record| &record.results).flat_map(PhaseResult::service)),
            lag_p99_ns: lag.and_then(|lag| lag.percentile(0.99)),
            lag_max_ns: loops().map(|one| one.lag_max_ns).max().unwrap_or(0),
        })
    }

    /// Share of the planned operations that were done, of 1.
    pub fn done_share(&self) -> f64 {
        if self.planned == 0 { 1.0 } else { self.done as f64 / self.planned as f64 }
    }

    /// Whether more than one in a hundred planned operations was not done.
    pub fn is_missed(&self) -> bool {
        self.done_share() < Slo::LEAST_DONE
    }
}

fn lag(one: &OpenLoop) -> Result<Histogram, HistogramError> {
    from_buckets(&one.lag, Some(one.lag_max_ns).filter(|_| !one.lag.is_empty()))
}
