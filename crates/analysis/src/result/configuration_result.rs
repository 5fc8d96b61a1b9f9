//! The result of one configuration: all that follows from its own jobs, and nothing that takes another one.

use crate::figures::actions::{self, ActionAnswer};
use crate::figures::candidate::{CandidateAnswer, candidate};
use crate::figures::caution::Caution;
use crate::figures::checking::Checking;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::disk_faults::{self, DiskFaultAnswer};
use crate::figures::input::Input;
use crate::figures::losses::{self, LossAnswer};
use crate::figures::reason::NotCounted;
use crate::figures::rounds::Rounds;
use crate::figures::{guarantee, stability, versions};
use crate::rank::phase::PhaseAnswer;
use crate::rank::ranking::{self, RankBy};
use crate::result::notes::{self, Note, Noted};

/// What is known of one configuration (one level of the plan) from its own jobs.
pub(crate) struct ConfigurationResult {
    /// Which one.
    pub(crate) at: ConfigurationRef,
    /// Rounds planned and done.
    pub(crate) rounds: Rounds,
    /// The phases in the order of the plan.
    pub(crate) phases: Vec<PhaseAnswer>,
    /// The candidates in the order of the study.
    pub(crate) candidates: Vec<CandidateAnswer>,
    /// What did not count, and why.
    pub(crate) not_counted: Vec<NotCounted>,
    /// How answers were checked.
    pub(crate) checking: Checking,
    /// What stands above the figures.
    pub(crate) cautions: Vec<Caution>,
    /// What a reader must know beside them.
    pub(crate) notes: Vec<Note>,
    /// What was done during phases.
    pub(crate) actions: Vec<ActionAnswer>,
    /// What kills took.
    pub(crate) losses: Vec<LossAnswer>,
    /// What stores did when their disks failed.
    pub(crate) disk_faults: Vec<DiskFaultAnswer>,
}

impl ConfigurationResult {
    /// Of the records of a configuration.
    pub(crate) fn of(input: &Input<'_>, rank_by: RankBy) -> ConfigurationResult {
        let rounds = input.rounds();
        let mut not_counted = Vec::new();
        let phases = ranking::phases(input, rank_by, &mut not_counted);
        let candidates: Vec<CandidateAnswer> = input.candidates().map(|one| candidate(input, one)).collect();
        if !input.plan().counts_losses() {
            not_counted.extend(notes::not_counted(&phases, &rounds));
        }
        not_counted.extend(notes::bad_ends(input));
        let notes = Noted { input, rounds: &rounds, candidates: &candidates, phases: &phases }.notes();
        ConfigurationResult {
            at: ConfigurationRef::of(&input.run.plan, input.at),
            rounds,
            phases,
            candidates,
            not_counted,
            checking: Checking::of(input),
            cautions: cautions(input),
            notes,
            actions: actions::answers(input),
            losses: losses::answers(input),
            disk_faults: disk_faults::answers(input),
        }
    }

    /// Whether the machine was the same all the time: else nothing about time is decided.
    pub(crate) fn is_steady(&self) -> bool {
        !self.cautions.iter().any(Caution::is_unsteady)
    }
}

fn cautions(input: &Input<'_>) -> Vec<Caution> {
    let mut cautions = versions::cautions(input);
    cautions.extend(guarantee::cautions(input));
    cautions.extend(stability::pauses(input));
    cautions.extend(stability::other_runs(input));
    cautions.extend(stability::unsteady_processor(input));
    cautions.extend(stability::shared_processors(input));
    cautions.extend(stability::throttled(input));
    cautions
}
