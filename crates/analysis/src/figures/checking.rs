//! How answers were checked that hold nothing to compare.

use kurabe_protocol::Operation;
use kurabe_record::{CandidateRecord, PhaseOutcome, StoreKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::input::Input;

/// How answers were checked that hold nothing to compare; every other one was compared whole as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Checking {
    /// Present where counters were incremented: a single increment cannot be checked, only the sum of all counters.
    pub increments: Option<Increments>,
}

/// How increments were checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Increments {
    /// Stores that could not tell the sum of their counters: their increments were not checked at all.
    pub without_sum: Vec<String>,
}

impl Checking {
    pub(crate) fn of(input: &Input<'_>) -> Checking {
        Checking { increments: increments(input) }
    }
}

fn increments(input: &Input<'_>) -> Option<Increments> {
    let plans = || input.plan().phases.iter().filter(|plan| plan.phase.does(Operation::Increment));
    let ran = |candidate: &CandidateRecord| {
        let jobs = plans().flat_map(|plan| input.phase_jobs(candidate, plan));
        jobs.filter_map(|job| job.record).filter(|record| record.outcome == PhaseOutcome::Ran).collect::<Vec<_>>()
    };
    let stores = input.candidates().filter(|one| one.kind == StoreKind::Store);
    let (mut any, mut without_sum) = (false, Vec::new());
    for candidate in stores {
        let records = ran(candidate);
        any |= !records.is_empty();
        if records.iter().any(|record| record.counters.is_none()) {
            without_sum.push(candidate.name.clone());
        }
    }
    any.then_some(Increments { without_sum })
}
