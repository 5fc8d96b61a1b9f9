//! How much of the planned work was done, and by whom.

use kurabe_record::{CandidateRecord, JobRecord, PhaseOutcome, PhasePlan, PhaseRecord};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::configuration::ConfigurationRef;
use crate::figures::input::Input;
use crate::figures::troubles::gave_up;

/// How much of the planned work a candidate did in this configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Work {
    /// Rounds in which its job ended cleanly and did something of what was planned.
    pub rounds: usize,
    /// Whether it was there to the end.
    pub extent: Extent,
}

/// Whether a candidate did what was planned, and else why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Extent {
    /// It did all that the run came to.
    Whole,
    /// Its job failed; it was not tried again.
    Failed {
        /// The round, from 0.
        round: u32,
    },
    /// Its job failed with fewer rows, so it was not tried in this configuration.
    FailedBefore {
        /// Where.
        at: ConfigurationRef,
    },
    /// Its client gave up in a phase, because too many operations failed in a row.
    GaveUp {
        /// The first round in which it did, from 0.
        round: u32,
    },
    /// It can do nothing of what was planned, and says so.
    Unsupported,
    /// The budget had no room for all of its rounds.
    Skipped,
    /// The run ended before its first job did.
    NotMeasured,
}

impl Work {
    pub(crate) fn of(input: &Input<'_>, candidate: &CandidateRecord) -> Work {
        let jobs = || input.jobs_of(&candidate.name);
        let rounds = jobs().filter(|job| job.error.is_none() && !is_unsupported(job)).count();
        let failed = jobs().find(|job| job.error.is_some());
        let is_to_go_on = |name: &str| !input.plan().phase(name).is_some_and(PhasePlan::ends_a_service);
        let given_up = |job: &&JobRecord| job.phases.iter().any(|phase| gave_up(phase) && is_to_go_on(&phase.name));
        let extent = if let Some(job) = failed {
            Extent::Failed { round: job.round }
        } else if let Some(job) = input.failed_before(&candidate.name) {
            Extent::FailedBefore { at: ConfigurationRef::of(&input.run.plan, job.configuration as usize) }
        } else if let Some(job) = jobs().find(given_up) {
            Extent::GaveUp { round: job.round }
        } else if input.is_skipped(&candidate.name, input.plan().rounds) {
            Extent::Skipped
        } else if jobs().next().is_some() && jobs().all(is_unsupported) {
            Extent::Unsupported
        } else if rounds == 0 {
            Extent::NotMeasured
        } else {
            Extent::Whole
        };
        Work { rounds, extent }
    }
}

/// Whether its client could do none of the phases.
fn is_unsupported(job: &JobRecord) -> bool {
    let cannot = |phase: &PhaseRecord| matches!(phase.outcome, PhaseOutcome::Unsupported(_));
    !job.phases.is_empty() && job.phases.iter().all(cannot)
}
