//! What kills or power cuts took of acknowledged writes: one trial a job, over all jobs of a configuration.
//!
//! A trial is judged where its service was ended so and every row was read afterwards. A row that holds less than was
//! acknowledged has lost writes; a write without an acknowledgement is neither lost nor a phantom. That nothing was
//! lost in n trials bounds how often something is: Clopper and Pearson, "The use of confidence or fiducial limits
//! illustrated in the case of the binomial", Biometrika 26 (1934), one-sided; for large n the rule of three.
//!
//! A baseline of such a study acknowledges first and writes later. Where no loss of one is found, that others lost
//! nothing shows nothing; what was found stays.

use kurabe_messages::RecordedText;
use kurabe_record::{Act, ActionRecord, Bound, CandidateRecord, Guarantee, Integrity, Loss, PhaseRecord, StoreKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::actions::Spread;
use crate::figures::input::Input;
use crate::figures::phase_job::PhaseJob;

/// How sure a bound is.
const CONFIDENCE: f64 = 0.95;

/// How stores were ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossFault {
    /// Their processes were killed.
    Kill,
    /// The power of their disks was cut.
    PowerCut,
}

impl LossFault {
    fn of(act: Act) -> Option<LossFault> {
        match act {
            Act::Kill(_) => Some(LossFault::Kill),
            Act::Cut(_) => Some(LossFault::PowerCut),
            Act::Restart(_) | Act::Call(_) | Act::Disk { .. } | Act::Pause { .. } => None,
        }
    }

    /// What a setting says that it takes.
    fn loss(self, guarantee: Guarantee) -> Loss {
        match self {
            LossFault::Kill => guarantee.kill,
            LossFault::PowerCut => guarantee.power,
        }
    }
}

/// What kills or power cuts took of the acknowledged writes of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct LossAnswer {
    /// Name of the candidate.
    pub candidate: String,
    /// Whether it acknowledges first and writes later, to show that losses are found.
    pub is_control: bool,
    /// Name of its durability setting.
    pub setting: Option<String>,
    /// How it was ended.
    pub fault: LossFault,
    /// What the setting says that this takes at most.
    #[schemars(with = "Option<String>")]
    pub promised: Option<Loss>,
    /// What it says of the state of the data then; after a kill nothing.
    pub integrity: Option<Integrity>,
    /// Trials after which every row was read, or the store did not start again or gave no rows.
    pub trials: usize,
    /// Trials that were planned and not judged.
    pub not_judged: usize,
    /// Trials in which anything was amiss.
    pub amiss: usize,
    /// Trials in which acknowledged writes were lost.
    pub lost: usize,
    /// Trials after which a row could not be read, or held what was never written to it.
    pub damaged: usize,
    /// Trials after which the store did not start again, or gave no rows.
    pub not_back: usize,
    /// Why, the first time; where no trial was judged, why it was not ended.
    pub failure: Option<RecordedText>,
    /// Lost writes in the trials in which there were some.
    pub lost_writes: Option<Spread>,
    /// From the acknowledgement of the first of them to the last of all, at least, in ns.
    pub lost_ns: Option<Spread>,
    /// From the new start until the store answered, in ns.
    pub recovery_ns: Option<Spread>,
    /// Bytes that were written and not synced when the power was cut.
    pub unsynced_bytes: Option<Spread>,
    /// Syncs of files and folders per acknowledged write, over all power cuts. With several connections a sync may serve
    /// several writes.
    pub syncs_per_write: Option<f64>,
    /// Where no trial lost anything, the greatest share of such trials that may, at 95 % confidence.
    pub most_share: Option<f64>,
    /// What follows.
    pub verdict: LossVerdict,
}

/// What follows from the trials of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossVerdict {
    /// No trial was judged.
    NotMeasured,
    /// Nothing was lost, but no loss of a control was found either: that shows nothing.
    HarnessBroken,
    /// More was lost than its setting says.
    Broken,
    /// Something was lost, no more than its setting says.
    Allowed,
    /// Something was lost, and what its setting says is no number of commits and no time, or the loss has no time.
    Lost,
    /// Nothing was lost.
    Kept,
}

/// What became of one trial.
struct Trial<'a> {
    end: &'a ActionRecord,
    /// Writes that were acknowledged before.
    writes: u64,
    /// The phase that reads every row; absent where the store did not start again or gave no rows.
    read: Option<Reading<'a>>,
}

/// A phase that read every row behind the end of a store.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a>(pub(crate) &'a PhaseRecord);

impl Reading<'_> {
    /// Whether a row could not be read, or held what was never written to it.
    pub(crate) fn is_damaged(&self) -> bool {
        self.checks().any(|checks| checks.damaged() > 0) || self.0.failed() > 0
    }

    fn checks(&self) -> impl Iterator<Item = &kurabe_protocol::Checks> {
        self.0.results.iter().map(|result| &result.checks)
    }

    pub(crate) fn lost_writes(&self) -> u64 {
        self.checks().map(|checks| checks.lost_writes).sum()
    }

    fn lost_ns(&self) -> Option<u64> {
        self.checks().filter_map(|checks| checks.lost_ns).max()
    }
}

impl Trial<'_> {
    fn is_damaged(&self) -> bool {
        self.read.as_ref().is_some_and(Reading::is_damaged)
    }

    fn is_amiss(&self) -> bool {
        self.read.is_none() || self.is_damaged() || self.lost_writes() > 0
    }

    fn lost_writes(&self) -> u64 {
        self.read.as_ref().map_or(0, Reading::lost_writes)
    }

    fn lost_ns(&self) -> Option<u64> {
        self.read.as_ref().and_then(Reading::lost_ns)
    }
}

/// The losses of every candidate; none where the configuration counts none. Where a disk failed before, they stand
/// beside its faults: no setting promises anything about those.
pub(crate) fn answers(input: &Input<'_>) -> Vec<LossAnswer> {
    let plan = input.plan();
    let reads = plan.phases.iter().find(|plan| plan.phase.counts_losses).filter(|_| !plan.breaks_disk());
    let Some(reads) = reads else { return Vec::new() };
    let fault = if input.plan().cuts_power() { LossFault::PowerCut } else { LossFault::Kill };
    let mut all: Vec<LossAnswer> = input
        .candidates()
        .map(|candidate| {
            let jobs = input.jobs_of(&candidate.name);
            let trials = jobs.map(|job| {
                let is_end = |one: &&ActionRecord| LossFault::of(one.plan.act) == Some(fault) && one.failed.is_none();
                // Where nothing was acknowledged, nothing could be lost.
                let mut written = job.phases.iter().filter(|phase| phase.operations() > 0);
                let (end, writes) =
                    written.find_map(|phase| Some((phase.actions.iter().find(is_end)?, phase.operations())))?;
                let read = PhaseJob::of(job, reads).ran();
                (end.not_back.is_some() || read.is_some()).then_some(Trial { end, writes, read: read.map(Reading) })
            });
            let answer = of_candidate(candidate, fault, trials.collect());
            // Where no trial was judged, why it was not ended says more.
            let actions = input.jobs_of(&candidate.name).flat_map(|job| &job.phases).flat_map(|phase| &phase.actions);
            let not_ended = || actions.into_iter().find_map(|action| action.failed.clone());
            let failure = answer.failure.clone().or_else(|| not_ended().filter(|_| answer.trials == 0));
            LossAnswer { failure, ..answer }
        })
        .collect();
    if !all.iter().any(|one| one.is_control && one.lost > 0) {
        for one in all.iter_mut().filter(|one| one.verdict == LossVerdict::Kept) {
            (one.verdict, one.most_share) = (LossVerdict::HarnessBroken, None);
        }
    }
    all
}

/// Of what became of its jobs; a trial is absent where it cannot be judged.
fn of_candidate(candidate: &CandidateRecord, fault: LossFault, jobs: Vec<Option<Trial<'_>>>) -> LossAnswer {
    let planned = jobs.len();
    let trials: Vec<Trial<'_>> = jobs.into_iter().flatten().collect();
    let durability = candidate.durability.as_ref();
    let guarantee = durability.map(|setting| setting.guarantee);
    let lossy = || trials.iter().filter(|trial| trial.lost_writes() > 0);
    let mut answer = LossAnswer {
        candidate: candidate.name.clone(),
        is_control: candidate.kind == StoreKind::Baseline,
        setting: durability.map(|setting| setting.name.clone()),
        fault,
        promised: guarantee.map(|guarantee| fault.loss(guarantee)),
        integrity: guarantee.map(|guarantee| guarantee.integrity).filter(|_| fault == LossFault::PowerCut),
        trials: trials.len(),
        not_judged: planned - trials.len(),
        amiss: trials.iter().filter(|trial| trial.is_amiss()).count(),
        lost: lossy().count(),
        damaged: trials.iter().filter(|trial| trial.is_damaged()).count(),
        not_back: trials.iter().filter(|trial| trial.read.is_none()).count(),
        failure: trials.iter().find_map(|trial| trial.end.not_back.clone()),
        lost_writes: Spread::of(lossy().map(Trial::lost_writes)),
        lost_ns: Spread::of(lossy().filter_map(Trial::lost_ns)),
        recovery_ns: Spread::of(trials.iter().filter_map(|trial| trial.end.recovery_ns)),
        unsynced_bytes: Spread::of(trials.iter().filter_map(|trial| Some(trial.end.at_cut?.bytes))),
        syncs_per_write: syncs_per_write(&trials),
        most_share: None,
        verdict: LossVerdict::NotMeasured,
    };
    answer.most_share = (answer.trials > 0 && answer.amiss == 0).then(|| most_share(answer.trials));
    answer.verdict = answer.judged();
    answer
}

fn syncs_per_write(trials: &[Trial<'_>]) -> Option<f64> {
    let syncs: u64 = trials.iter().map(|trial| Some(trial.end.at_cut?.syncs)).sum::<Option<u64>>()?;
    let writes: u64 = trials.iter().map(|trial| trial.writes).sum();
    (writes > 0).then(|| syncs as f64 / writes as f64)
}

/// The greatest probability of an event that did not happen in so many trials.
fn most_share(trials: usize) -> f64 {
    1.0 - (1.0 - CONFIDENCE).powf(1.0 / trials as f64)
}

impl LossAnswer {
    fn judged(&self) -> LossVerdict {
        match self.exceeds() {
            _ if self.trials == 0 => LossVerdict::NotMeasured,
            _ if self.amiss == 0 => LossVerdict::Kept,
            Some(true) => LossVerdict::Broken,
            Some(false) => LossVerdict::Allowed,
            None => LossVerdict::Lost,
        }
    }

    fn lost_most(&self) -> u64 {
        self.lost_writes.map_or(0, |lost| lost.greatest)
    }

    /// Whether more was lost than its setting says; `None` where that cannot be compared.
    fn exceeds(&self) -> Option<bool> {
        let promised = self.promised?;
        if promised == Loss::Nothing {
            return Some(self.amiss > 0);
        }
        let is_gone = match self.integrity {
            None if promised == Loss::All => return Some(false),
            None => self.not_back > 0 || self.damaged > 0,
            // What may lose everything may lose its table too.
            Some(Integrity::I0 | Integrity::I1) if promised == Loss::All => self.damaged > 0,
            Some(Integrity::I0 | Integrity::I1) => self.not_back > 0 || self.damaged > 0,
            Some(Integrity::I2) => self.damaged > 0,
            Some(Integrity::I3) => false,
        };
        if is_gone {
            return Some(true);
        }
        match promised {
            Loss::Commits(most) => Some(self.lost_most() > most),
            // A checkpoint that is held up comes later.
            Loss::Checkpoint(Bound::Commits(most)) => (self.lost_most() <= most).then_some(false),
            Loss::Millis(most) => match (self.lost_writes, self.lost_ns) {
                (Some(_), None) => None,
                (_, lost) => Some(lost.is_some_and(|lost| lost.greatest > most.saturating_mul(1_000_000))),
            },
            Loss::All => Some(false),
            // A disk whose power is cut writes nothing back by itself before.
            Loss::Writeback if self.fault == LossFault::PowerCut => Some(false),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_that_of_the_rule_of_three_where_there_are_many_trials() {
        assert!((most_share(20) - 0.1391).abs() < 1e-4, "{}", most_share(20));
        assert!((most_share(1000) * 1000.0 - 3.0).abs() < 0.01);
        assert!((most_share(1) - 0.95).abs() < 1e-12);
    }
}
