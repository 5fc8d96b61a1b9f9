//! Where and why a candidate was not measured any further.

use kurabe_record::{CutRecord, JobRecord, StudyPlan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::configuration::At;

/// Where and why a candidate was not measured any further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Cut {
    /// The configuration.
    pub at: At,
    /// Rounds that it had done in that configuration.
    pub rounds: u32,
    /// Rounds that had to fit: what was missing of those that a rank takes, or one more.
    pub needed_rounds: u32,
    /// Time that these would have taken, in ns; absent where nothing was known.
    pub estimate_ns: Option<u64>,
    /// What was left of the budget for it, in ns.
    pub left_ns: u64,
    /// Time of the job that was stopped, in ns; absent where none was begun.
    pub stopped_after_ns: Option<u64>,
}

impl Cut {
    /// As it is shown.
    pub fn of(plan: &StudyPlan, cut: &CutRecord) -> Cut {
        Cut {
            at: At::of(plan, cut.configuration as usize),
            rounds: cut.rounds,
            needed_rounds: cut.needed_rounds,
            estimate_ns: cut.estimate_ns,
            left_ns: cut.left_ns,
            stopped_after_ns: cut.stopped_after_ns,
        }
    }
}

/// The cuts that keep their candidates away, each candidate once in a configuration. Of several jobs that were stopped
/// there the last stands, with the time of all.
pub(crate) fn that_hold(cuts: &[CutRecord], jobs: &[JobRecord]) -> Vec<CutRecord> {
    let mut held: Vec<CutRecord> = Vec::new();
    for cut in cuts.iter().filter(|cut| cut.holds(jobs)) {
        match held.iter_mut().find(|one| (&one.candidate, one.configuration) == (&cut.candidate, cut.configuration)) {
            Some(before) => {
                let stopped = before.stopped_after_ns.into_iter().chain(cut.stopped_after_ns);
                let stopped_after_ns = stopped.reduce(u64::saturating_add);
                *before = CutRecord { stopped_after_ns, ..cut.clone() };
            }
            None => held.push(cut.clone()),
        }
    }
    held
}
