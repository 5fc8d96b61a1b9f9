//! The records of a run at one of its configurations, as the rules ask for them.

use kurabe_protocol::Hello;
use kurabe_record::{
    CandidateRecord, Configuration, EndRecord, JobRecord, PhasePlan, Repeated, RunRecord, SkippedRecord,
};
use kurabe_stats::MIN_VALUES;

use crate::figures::budget::Skipped;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::phase_job::PhaseJob;
use crate::figures::reason::Reason;
use crate::figures::rounds::Rounds;

/// What stands in the record and does not count, of all configurations.
#[derive(Clone, Copy)]
pub(crate) struct Discarded<'a> {
    /// Lines that stand there more than once.
    pub(crate) repeated: &'a [Repeated],
    /// Jobs that were measured again.
    pub(crate) superseded: &'a [JobRecord],
}

/// The records of a run at one configuration, as the rules ask for them.
pub(crate) struct Input<'a> {
    pub(crate) run: &'a RunRecord,
    /// Number of the configuration.
    pub(crate) at: usize,
    /// Of this configuration.
    pub(crate) jobs: Vec<&'a JobRecord>,
    /// Jobs of other configurations.
    pub(crate) elsewhere: Vec<&'a JobRecord>,
    /// Of all configurations.
    pub(crate) skipped: &'a [SkippedRecord],
    /// The last end record, if the run has one.
    pub(crate) end: Option<&'a EndRecord>,
    pub(crate) discarded: Discarded<'a>,
}

impl<'a> Input<'a> {
    /// The configuration.
    pub(crate) fn plan(&self) -> &'a Configuration {
        &self.run.plan.configurations[self.at]
    }

    /// Those that take part at this configuration.
    pub(crate) fn candidates(&self) -> impl Iterator<Item = &'a CandidateRecord> {
        let takes_part = |one: &&CandidateRecord| self.run.plan.takes_part(self.at, &one.name);
        self.run.candidates.iter().filter(takes_part)
    }

    pub(crate) fn jobs_of(&self, candidate: &str) -> impl Iterator<Item = &'a JobRecord> {
        self.jobs.iter().copied().filter(move |job| job.candidate == candidate)
    }

    /// What the candidate's client said of itself first.
    pub(crate) fn hello(&self, candidate: &str) -> Option<&'a Hello> {
        self.jobs_of(candidate).find_map(|job| job.hello.as_ref())
    }

    pub(crate) fn phase_jobs(&self, candidate: &CandidateRecord, plan: &PhasePlan) -> Vec<PhaseJob<'a>> {
        self.jobs_of(&candidate.name).map(|job| PhaseJob::of(job, plan)).collect()
    }

    /// Rounds that were started: one more than the highest number of a job's round.
    pub(crate) fn started_rounds(&self) -> usize {
        self.jobs.iter().map(|job| job.round as usize + 1).max().unwrap_or(0)
    }

    /// A round is complete when every candidate that was to have a job in it has one that ended cleanly.
    pub(crate) fn rounds(&self) -> Rounds {
        let good = |candidate: &CandidateRecord, round: u32| {
            self.jobs_of(&candidate.name).any(|job| job.round == round && job.error.is_none())
        };
        let all = |round: &u32| {
            let mut expected = self.candidates().filter(|one| self.expects(&one.name, *round)).peekable();
            expected.peek().is_some() && expected.all(|candidate| good(candidate, *round))
        };
        let any = |round: &u32| self.candidates().any(|candidate| good(candidate, *round));
        let started = 0..self.started_rounds() as u32;
        Rounds {
            planned: self.plan().rounds as usize,
            complete: started.clone().filter(all).count(),
            measured: started.filter(any).count(),
            end: self.end.map(|end| end.status),
        }
    }
}

impl Input<'_> {
    /// Whether a candidate is to have a job in a round: it was not skipped and did not fail before.
    fn expects(&self, candidate: &str, round: u32) -> bool {
        let failed_here = |job: &&&JobRecord| job.error.is_some() && job.round < round;
        let here = self.jobs.iter().filter(|job| job.candidate == candidate).filter(failed_here).count();
        let before = self.failed_before(candidate).is_some();
        !self.is_skipped(candidate, round) && here == 0 && !before
    }

    /// Whether a candidate was skipped in a round of this configuration or before.
    pub(crate) fn is_skipped(&self, candidate: &str, round: u32) -> bool {
        self.skips_of(candidate).any(|skipped| skipped.configuration as usize != self.at || skipped.rounds <= round)
    }

    /// Cuts that keep a candidate from this configuration.
    fn skips_of(&self, candidate: &str) -> impl Iterator<Item = &SkippedRecord> {
        let ends = |skipped: &&SkippedRecord| self.run.plan.ends_with(skipped.configuration as usize, self.at);
        self.skipped.iter().filter(move |skipped| skipped.candidate == candidate).filter(ends)
    }

    /// The job of another configuration that failed and keeps a candidate from this one.
    pub(crate) fn failed_before(&self, candidate: &str) -> Option<&JobRecord> {
        let ends = |job: &&&JobRecord| {
            job.configuration as usize != self.at && self.run.plan.ends_with(job.configuration as usize, self.at)
        };
        self.elsewhere.iter().filter(ends).find(|job| job.candidate == candidate && job.error.is_some()).copied()
    }

    /// Why a candidate has no job, or too few for a rank, at this configuration.
    pub(crate) fn not_measured(&self, candidate: &str, jobs: usize) -> Option<Reason> {
        if let Some(skipped) = self.skips_of(candidate).find(|_| jobs < MIN_VALUES) {
            return Some(Reason::Skipped { skipped: Skipped::of(&self.run.plan, skipped) });
        }
        let failed = self.failed_before(candidate).filter(|_| jobs == 0);
        failed.map(|job| Reason::FailedBefore { at: ConfigurationRef::of(&self.run.plan, job.configuration as usize) })
    }
}
