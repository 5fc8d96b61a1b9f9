//! How many operations a second keep an objective: what a study asks for (`slo`), and the phases that find it out.

use kurabe_protocol::{End, Operation, Phase, Schedule};
use kurabe_record::{Metric, PhasePlan, RateSearch, Slo};

/// The rate of the first step, where nothing tells a better one.
pub(crate) const FIRST_RATE: u32 = 1_000;
/// A step of a search that a study did not write lasts at least so long, in ns.
const LEAST_STEP_NS: u64 = 1_000_000_000;

/// Puts behind each phase that decides, and can have a rate, one that finds the highest rate that keeps `slo`.
pub(crate) fn add_searches(phases: &mut Vec<PhasePlan>, slo: Slo) {
    let add = |plan: PhasePlan| {
        let search = search_of(&plan, slo);
        std::iter::once(plan).chain(search)
    };
    *phases = std::mem::take(phases).into_iter().flat_map(add).collect();
}

fn search_of(plan: &PhasePlan, slo: Slo) -> Option<PhasePlan> {
    let phase = &plan.phase;
    let has_a_rate = !matches!(phase.operation(), Operation::Load | Operation::Open | Operation::Program);
    let is_asked = plan.deciding && plan.rate_search.is_none() && phase.schedule.is_none();
    // An insert writes each of its rows once, and a search does its phase again and again.
    if !is_asked || !has_a_rate || phase.batch > 1 || phase.does(Operation::Insert) {
        return None;
    }
    let step_ns = phase.end.duration_ns().unwrap_or(0).max(LEAST_STEP_NS);
    let schedule =
        Schedule { rate: FIRST_RATE, rate_to: None, pattern: Default::default(), queue: None, gaps_stream: None };
    let name = format!("{}-rate", phase.name);
    let end = End::DurationNs(step_ns);
    let phase = Phase { name, schedule: Some(schedule), think_ns: None, end, ..phase.clone() };
    Some(PhasePlan {
        rank_by: Metric::HighestRate,
        rate_search: Some(RateSearch { slo, begins_at: Some(plan.phase.name.clone()) }),
        ..PhasePlan::new(phase, false)
    })
}
