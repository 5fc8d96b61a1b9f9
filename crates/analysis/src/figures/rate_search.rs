//! The steps of searches for the highest rate that keeps an objective.

use kurabe_record::{PhasePlan, Slo, StepRecord};
use kurabe_stats::Histogram;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::latency;
use crate::figures::phase_job::PhaseJob;

/// What a candidate was asked for at several rates, over all rounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RateSearchAnswer {
    /// What response times were to keep.
    pub slo: Slo,
    /// Every step, by rate.
    pub steps: Vec<RatePoint>,
}

/// A step: response times at a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RatePoint {
    /// Operations a second that were planned.
    pub rate: u32,
    /// The round, from 0.
    pub round: u32,
    /// Half of the operations took at most so long from their planned start, in ns.
    pub p50_ns: Option<u64>,
    /// The percentile of the objective, in ns; of what was open at the end with what it had waited.
    pub at_objective_ns: Option<u64>,
    /// Whether the objective was kept.
    pub is_kept: bool,
}

impl RateSearchAnswer {
    /// Over all jobs that ran; `None` where the phase searches nothing.
    pub(crate) fn of(jobs: &[PhaseJob<'_>], plan: &PhasePlan) -> Option<RateSearchAnswer> {
        let slo = plan.rate_search.as_ref()?.slo;
        let steps_of = |job: &PhaseJob<'_>| {
            let steps = job.ran().map(|record| record.steps.as_slice()).unwrap_or_default();
            let round = job.job.round;
            steps.iter().map(|step| point(step, slo, round)).collect::<Vec<RatePoint>>()
        };
        let mut steps: Vec<RatePoint> = jobs.iter().flat_map(steps_of).collect();
        steps.sort_by_key(|point| (point.rate, point.round));
        (!steps.is_empty()).then_some(RateSearchAnswer { slo, steps })
    }
}

fn point(step: &StepRecord, slo: Slo, round: u32) -> RatePoint {
    let mut results = step.results.iter();
    let all = results.try_fold(Histogram::default(), |sum, result| sum.merged(&latency::of_all(result)?)).ok();
    let at = |p: f64| all.as_ref().and_then(|all| all.percentile(p));
    let is_kept = slo.is_kept_by(&step.results);
    RatePoint { rate: step.rate, round, p50_ns: at(0.5), at_objective_ns: at(slo.p), is_kept }
}
