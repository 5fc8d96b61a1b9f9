//! What was done amid phases, over all jobs of a configuration: whether it could be, and how long the store took to be
//! there again.

use kurabe_messages::RecordedText;
use kurabe_record::{ActionPlan, ActionRecord, PhasePlan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::input::Input;

/// What became of one action with one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ActionAnswer {
    /// Name of the phase.
    pub phase: String,
    /// What was planned.
    #[serde(flatten)]
    pub plan: ActionPlan,
    /// Name of the candidate.
    pub candidate: String,
    /// Jobs in which it was done.
    pub done: usize,
    /// Jobs in which it could not be done.
    pub failed: usize,
    /// Why, the first time.
    pub failure: Option<RecordedText>,
    /// How long it took, in ns.
    pub lasted_ns: Option<Spread>,
    /// How long the service took from its new start until the store answered, in ns.
    pub recovery_ns: Option<Spread>,
    /// What a call was answered, the last time.
    pub answer: Option<serde_json::Value>,
}

/// The least, the middle and the greatest of some times, in ns. Of one all three are that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Spread {
    /// The shortest.
    pub least: u64,
    /// The median; of two in the middle the longer.
    pub median: u64,
    /// The longest.
    pub greatest: u64,
}

impl Spread {
    pub(crate) fn of(values: impl Iterator<Item = u64>) -> Option<Spread> {
        let mut values: Vec<u64> = values.collect();
        values.sort_unstable();
        Some(Spread { least: *values.first()?, median: values[values.len() / 2], greatest: *values.last()? })
    }
}

/// Every action of a configuration with every candidate that came to it, in the order of the plan.
pub(crate) fn answers(input: &Input<'_>) -> Vec<ActionAnswer> {
    let plans = input.plan().phases.iter();
    let planned = plans.flat_map(|plan| plan.actions.iter().enumerate().map(move |(at, action)| (plan, at, action)));
    planned.flat_map(|(plan, at, action)| of_action(input, plan, at, action)).collect()
}

fn of_action(input: &Input<'_>, plan: &PhasePlan, at: usize, action: &ActionPlan) -> Vec<ActionAnswer> {
    let of_candidate = |candidate: &kurabe_record::CandidateRecord| {
        let jobs = input.phase_jobs(candidate, plan);
        let records: Vec<&ActionRecord> = jobs.iter().filter_map(|job| job.record?.actions.get(at)).collect();
        let failed: Vec<&ActionRecord> = records.iter().copied().filter(|record| record.failed.is_some()).collect();
        (!records.is_empty()).then(|| ActionAnswer {
            phase: plan.phase.name.clone(),
            plan: action.clone(),
            candidate: candidate.name.clone(),
            done: records.len() - failed.len(),
            failed: failed.len(),
            failure: failed.first().and_then(|record| record.failed.clone()),
            lasted_ns: Spread::of(records.iter().filter_map(|record| record.lasted_ns)),
            recovery_ns: Spread::of(records.iter().filter_map(|record| record.recovery_ns)),
            answer: records.iter().rev().find_map(|record| record.answer.clone()),
        })
    };
    input.candidates().filter_map(of_candidate).collect()
}
