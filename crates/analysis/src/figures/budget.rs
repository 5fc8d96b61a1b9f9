//! Where and why a candidate was not measured any further.

use kurabe_record::{JobRecord, SkippedRecord, StudyPlan};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::configuration::ConfigurationRef;

/// Where and why a candidate was not measured any further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Skipped {
    /// The configuration.
    pub at: ConfigurationRef,
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

impl Skipped {
    /// As it is shown.
    pub fn of(plan: &StudyPlan, skipped: &SkippedRecord) -> Skipped {
        Skipped {
            at: ConfigurationRef::of(plan, skipped.configuration as usize),
            rounds: skipped.rounds,
            needed_rounds: skipped.needed_rounds,
            estimate_ns: skipped.estimate_ns,
            left_ns: skipped.left_ns,
            stopped_after_ns: skipped.stopped_after_ns,
        }
    }
}

/// The skips that keep their candidates away, each candidate once in a configuration. Of several jobs that were stopped
/// there the last stands, with the time of all.
pub(crate) fn effective(skipped: &[SkippedRecord], jobs: &[JobRecord]) -> Vec<SkippedRecord> {
    let mut held: Vec<SkippedRecord> = Vec::new();
    for skipped in skipped.iter().filter(|skipped| skipped.holds(jobs)) {
        match held
            .iter_mut()
            .find(|one| (&one.candidate, one.configuration) == (&skipped.candidate, skipped.configuration))
        {
            Some(before) => {
                let stopped = before.stopped_after_ns.into_iter().chain(skipped.stopped_after_ns);
                let stopped_after_ns = stopped.reduce(u64::saturating_add);
                *before = SkippedRecord { stopped_after_ns, ..skipped.clone() };
            }
            None => held.push(skipped.clone()),
        }
    }
    held
}
