//! The values of metrics: what one job gave in one phase, and all rounds together.

use kurabe_record::{Better, Metric, MetricUnit, PhasePlan, PhaseRecord};
use kurabe_stats::{Histogram, rate_estimate};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::Figure;
use crate::figures::latency::of_all;
use crate::figures::phase_job::PhaseJob;
use crate::figures::resources;

/// A metric of one candidate in one phase.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Series {
    /// What it is.
    pub metric: Metric,
    /// Its unit.
    pub unit: MetricUnit,
    /// Which way is better.
    pub better: Better,
    /// Over rounds: those that all of its ranking have in common, where it is ranked by this metric. Absent where a
    /// value is not above zero.
    pub figure: Option<Figure>,
    /// The rounds that have it, in order.
    pub rounds: Vec<RoundValue>,
}

/// The value of a metric in one round.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RoundValue {
    /// Round, from 0.
    pub round: u32,
    /// In the unit of the metric.
    pub value: f64,
}

/// All metrics that have a value in any round.
pub(crate) fn all(jobs: &[PhaseJob<'_>], plan: &PhasePlan) -> Vec<Series> {
    Metric::ALL.into_iter().filter_map(|metric| series(metric, jobs, plan)).collect()
}

fn series(metric: Metric, jobs: &[PhaseJob<'_>], plan: &PhasePlan) -> Option<Series> {
    let value = |job: &PhaseJob<'_>| Some(RoundValue { round: job.job.round, value: value(metric, job, plan)? });
    let rounds: Vec<RoundValue> = jobs.iter().filter_map(value).collect();
    let values: Vec<f64> = rounds.iter().map(|round| round.value).collect();
    (!rounds.is_empty()).then(|| Series {
        metric,
        unit: metric.unit(),
        better: metric.better(),
        figure: rate_estimate(&values).map(Figure::of),
        rounds,
    })
}

/// The value of a metric in one job; `None` where it has none there.
fn value(metric: Metric, job: &PhaseJob<'_>, plan: &PhasePlan) -> Option<f64> {
    let record = job.ran()?;
    match metric {
        Metric::Rate => job.rate_per_s(),
        Metric::RowsRate => job.rows_per_s(),
        Metric::HighestRate => record.highest_rate(&plan.rate_search.as_ref()?.slo).map(f64::from),
        Metric::P50 | Metric::P90 | Metric::P99 | Metric::P999 => percentile_ns(record, metric.quantile()?),
        Metric::ClientCpu => resources::client_cpu_per_operation_ns(record),
        Metric::ServiceCpu => resources::service_cpu_per_operation_ns(record),
        Metric::Memory => {
            let tree = record.served().or(record.client)?;
            Some(tree.memory_bytes as f64)
        }
        Metric::DiskPerRow => resources::disk_per_row_of(job, plan),
    }
    .filter(|value| value.is_finite() && *value > 0.0)
}

/// A percentile of all operations of a phase, over all kinds and client processes: of response times in an open loop.
fn percentile_ns(record: &PhaseRecord, quantile: f64) -> Option<f64> {
    let mut results = record.results.iter();
    let all = results.try_fold(Histogram::default(), |sum, result| sum.merged(&of_all(result).ok()?).ok())?;
    all.percentile(quantile).map(|ns| ns as f64)
}

/// Values so that more is better, whatever the metric: what ranks and ratios are computed from.
pub(crate) fn oriented(better: Better, value: f64) -> f64 {
    match better {
        Better::Higher => value,
        Better::Lower => 1.0 / value,
    }
}
