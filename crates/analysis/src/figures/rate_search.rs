//! The steps of searches for the highest rate that keeps an objective.

use std::collections::BTreeMap;

use kurabe_record::{PhasePlan, Slo, StepRecord};
use kurabe_stats::{Histogram, median};
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
    /// The percentile of the objective against the rate, by rate.
    pub curve: Vec<CurvePoint>,
    /// The point of the curve at which the rate divided by that percentile is greatest: beyond it, waiting grows faster than
    /// the rate. Absent where that is an end of the curve, so that no bend was seen.
    ///
    /// After Kleinrock's power, which divides by the mean: "Power and deterministic rules of thumb for probabilistic problems in computer communications",
    /// ICC 1979.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee: Option<CurvePoint>,
}

/// The median of the steps at about the same rate, since every round tries others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CurvePoint {
    /// Operations a second that were planned.
    pub rate: f64,
    /// The percentile of the objective, in ns.
    pub at_objective_ns: f64,
}

/// Rates that differ by less are about the same.
const SAME_RATE: f64 = 1.1;

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
        let curve = curve(&steps);
        (!steps.is_empty()).then(|| RateSearchAnswer { slo, knee: knee(&curve), curve, steps })
    }
}

fn knee(curve: &[CurvePoint]) -> Option<CurvePoint> {
    let power = |point: &CurvePoint| point.rate / point.at_objective_ns;
    let (at, point) = curve.iter().enumerate().max_by(|one, other| power(one.1).total_cmp(&power(other.1)))?;
    (at > 0 && at + 1 < curve.len()).then_some(*point)
}

fn curve(steps: &[RatePoint]) -> Vec<CurvePoint> {
    let mut at_rates: BTreeMap<i32, Vec<(f64, f64)>> = BTreeMap::new();
    for step in steps {
        let Some(ns) = step.at_objective_ns.filter(|ns| *ns > 0) else { continue };
        let rate = f64::from(step.rate);
        at_rates.entry((rate.ln() / SAME_RATE.ln()).round() as i32).or_default().push((rate, ns as f64));
    }
    let point = |steps: &Vec<(f64, f64)>| {
        let of = |of: fn(&(f64, f64)) -> f64| median(steps.iter().map(of));
        Some(CurvePoint { rate: of(|step| step.0)?, at_objective_ns: of(|step| step.1)? })
    };
    at_rates.values().filter_map(point).collect()
}

fn point(step: &StepRecord, slo: Slo, round: u32) -> RatePoint {
    let mut results = step.results.iter();
    let all = results.try_fold(Histogram::default(), |sum, result| sum.merged(&latency::of_all(result)?)).ok();
    let at = |p: f64| all.as_ref().and_then(|all| all.percentile(p));
    let is_kept = slo.is_kept_by(&step.results);
    RatePoint { rate: step.rate, round, p50_ns: at(0.5), at_objective_ns: at(slo.p), is_kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a queue M/M/1 that serves 10,000 a second, at these shares of it.
    fn queue(loads: &[f64]) -> Vec<CurvePoint> {
        let point = |load: &f64| CurvePoint { rate: 10_000.0 * load, at_objective_ns: 1e5 / (1.0 - load) };
        loads.iter().map(point).collect()
    }

    #[test]
    fn the_knee_of_a_queue_is_at_half_of_what_it_can_do() {
        let knee = knee(&queue(&[0.1, 0.3, 0.5, 0.7, 0.9])).expect("a knee");
        assert_eq!(knee.rate, 5_000.0);
    }

    #[test]
    fn where_waiting_only_begins_to_grow_or_was_never_low_there_is_no_knee() {
        assert_eq!(knee(&queue(&[0.1, 0.2, 0.3])), None);
        assert_eq!(knee(&queue(&[0.6, 0.8, 0.9])), None);
        assert_eq!(knee(&[]), None);
    }
}
