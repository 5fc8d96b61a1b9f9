//! What acknowledged writes of a candidate survive: what its durability setting promises, less what weakened it.
//!
//! A setting that was read back proves little if a library or a disk ignores `fsync`. So three things can take from the
//! promise. One is a setting of the live store that undoes it. One is a device where nothing survives a power failure.
//! The third is a commit that the disk cannot have had: commits quicker than single syncs around the job, or fewer
//! flushes of the device than nine tenths of the commits.
//!
//! Flushes find a store that does not sync, however slow the disk is. Time finds it only where a sync takes longer than
//! a request. On a busy virtual machine the same sync took 0.07 ms and 4 ms within seconds. So quick commits convict a
//! candidate only beside a steady probe, and in most rounds. Otherwise the answer has a caution, or what the candidate
//! keeps is unknown.
//!
//! Documents alone were not enough: with Redis' `everysec` a kill trial on a busy disk showed a loss of 2 s. No setting
//! has a power trial as proof yet. docs/decisions/0008-durability-as-three-facts.md.

use kurabe_machine::PowerVerdict;
use kurabe_messages::{Message, described, message};
use kurabe_protocol::{Operation, PhaseResult};
use kurabe_record::{
    CandidateRecord, Configuration, Guarantee, Integrity, Loss, PhasePlan, RunRecord, Span, StoreKind,
};
use kurabe_stats::Histogram;

use crate::figures::caution::{Caution, QuickCommitCause};
use crate::figures::flushes::LEAST_COMMITS;
use crate::figures::input::Input;
use crate::figures::latency::histogram;
use crate::figures::phase_job::PhaseJob;
use crate::figures::weakening::{WeakenedBy, Weakening};

/// Writes whose median is below this share of what the quickest tenth of the syncs took did not wait for one.
const QUICK: f64 = 0.5;

/// What is left of a promise, and what took from it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Promise {
    /// What is kept; `None` where it is unknown or where there is none.
    pub(crate) guarantee: Option<Guarantee>,
    /// What can be lost, in words; `None` where that is unknown.
    pub(crate) window: Option<Message>,
    /// What took from it, the gravest first.
    pub(crate) weakened: Vec<Weakening>,
}

impl Promise {
    /// The promise of one candidate.
    pub(crate) fn of(input: &Input<'_>, candidate: &CandidateRecord) -> Promise {
        let durability = candidate.durability.as_ref().filter(|_| candidate.kind == StoreKind::Store);
        let none = Promise { guarantee: None, window: None, weakened: Vec::new() };
        let Some(durability) = durability else { return none };
        let promised = durability.guarantee;
        let device = of_device(input.run, candidate);
        let mut weakened = settings(input, candidate);
        weakened.extend(device.clone());
        weakened.retain(|one| promised.is_stronger_in_any(one.guarantee));
        if weakened.is_empty() && promised == Guarantee::FULL {
            let quick = quick_commits(input, candidate);
            // One phase is enough.
            weakened.extend(quick.iter().find_map(QuickPhase::convicts));
            if weakened.is_empty() && quick.iter().any(|quick| quick.verdict == Verdict::Hidden) {
                return none;
            }
        }
        weakened.sort_by_key(|one| promised.at_most(one.guarantee).level());
        let kept = weakened.iter().fold(promised, |kept, one| kept.at_most(one.guarantee));
        // A device that keeps nothing takes all that power could take, more than what the setting itself leaves open.
        let device = device.filter(|_| weakened.first().is_none_or(|one| one.guarantee.kill == Loss::Nothing));
        let worst = device.as_ref().or(weakened.first());
        let window = worst.map_or_else(|| described(&durability.window), |worst| worst.window.clone());
        Promise { guarantee: Some(kept), window: Some(window), weakened }
    }
}

/// One sentence for every candidate that does not keep what its durability setting promises, and for commits that were
/// quick and from which nothing follows. What the device took stands in the notes, once for all.
pub(crate) fn cautions(input: &Input<'_>) -> Vec<Caution> {
    let of = |candidate: &CandidateRecord| {
        let promise = Promise::of(input, candidate);
        let mut cautions: Vec<Caution> = broken_promise(candidate, &promise).into_iter().collect();
        let is_powerful = candidate.durability.as_ref().is_some_and(|setting| setting.guarantee == Guarantee::FULL);
        if is_powerful && candidate.kind == StoreKind::Store && promise.weakened.is_empty() {
            cautions.extend(quick_commits(input, candidate).into_iter().filter_map(|quick| quick.tells(candidate)));
        }
        cautions
    };
    input.candidates().flat_map(of).collect()
}

fn broken_promise(candidate: &CandidateRecord, promise: &Promise) -> Option<Caution> {
    let told = promise.weakened.iter().filter(|one| !matches!(one.cause, WeakenedBy::Device { .. }));
    let weakened: Vec<Weakening> = told.cloned().collect();
    let (promised, left) = (candidate.durability.as_ref()?.guarantee, promise.guarantee?);
    let caution = || Caution::Broken { candidate: candidate.name.clone(), promised, left, weakened: weakened.clone() };
    (!weakened.is_empty()).then(caution)
}

/// Settings that the live store reported in any job, each once.
fn settings(input: &Input<'_>, candidate: &CandidateRecord) -> Vec<Weakening> {
    let mut weakened: Vec<Weakening> = Vec::new();
    for one in input.jobs_of(&candidate.name).flat_map(|job| &job.undone) {
        let (name, found, source) = (one.setting.clone(), one.found.clone(), one.source.clone());
        let cause = WeakenedBy::Setting { name, found, source };
        if !weakened.iter().any(|known| known.cause == cause) {
            weakened.push(Weakening { guarantee: one.guarantee, window: described(&one.window), cause });
        }
    }
    weakened
}

/// Data that lay where a sync makes nothing safe. Of a server at an address it is not known where its data lie.
fn of_device(run: &RunRecord, candidate: &CandidateRecord) -> Option<Weakening> {
    match run.device.power_verdict() {
        PowerVerdict::Refused { reason } if candidate.at_url.is_none() => Some(Weakening {
            guarantee: Guarantee { power: Loss::All, ..Guarantee::FULL },
            window: message!(window_of_device),
            cause: WeakenedBy::Device { reason },
        }),
        _ => None,
    }
}

/// A phase in whose rounds commits were quicker than the syncs beside them.
struct QuickPhase {
    phase: String,
    /// The first of these rounds.
    round: Round,
    verdict: Verdict,
}

/// What follows from quick commits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// They were not synced: they were quicker than the disk ever was.
    Unsynced,
    /// They were not synced: the disk was flushed less often.
    Unflushed,
    /// Nothing: others may have synced for them.
    Shared,
    /// Nothing: the disk was not the same before and after, or was quicker at another time; it was flushed often
    /// enough.
    Unsteady,
    /// Whether they were synced cannot be seen.
    Hidden,
}

/// One round of a phase beside its probe.
#[derive(Clone, Copy)]
struct Round {
    round: u32,
    /// Of the latencies of writes.
    median_ns: u64,
    /// What the quickest tenth of the syncs beside the job took at most.
    sync_ns: u64,
    /// The least of that in all of the run.
    best_ns: u64,
    is_steady: bool,
    /// Writes, each with a commit.
    commits: u64,
    /// Flushes of the disk meanwhile, and how many of them others are taken to have caused; absent where the disk does
    /// not count them.
    flushes: Option<(u64, u64)>,
}

/// Fewer flushes than this share of the commits are too few; the rest is for what is counted a little early or late.
const FEW: f64 = 0.9;

impl Round {
    /// The disk was flushed less often than its commits need, those of others included.
    fn lacks_flushes(&self) -> bool {
        let needed = FEW * self.commits as f64;
        self.commits >= LEAST_COMMITS && self.flushes.is_some_and(|(all, _)| (all as f64) < needed)
    }

    /// The disk was flushed as often as its commits need, also without twice what others are taken to have caused.
    fn has_flushes(&self) -> bool {
        let needed = FEW * self.commits as f64;
        self.flushes.is_some_and(|(all, foreign)| all.saturating_sub(2 * foreign) as f64 >= needed)
    }

    /// Quicker than the syncs beside it.
    fn is_quick(&self) -> bool {
        (self.median_ns as f64) < QUICK * self.sync_ns as f64
    }

    /// Quicker than the disk was at any time, beside a probe that was steady.
    fn is_impossible(&self) -> bool {
        self.is_steady && (self.median_ns as f64) < QUICK * self.best_ns.min(self.sync_ns) as f64
    }
}

impl QuickPhase {
    fn convicts(&self) -> Option<Weakening> {
        let Round { round, median_ns, best_ns, sync_ns, commits, flushes, .. } = self.round;
        let phase = self.phase.clone();
        let cause = match (self.verdict, flushes) {
            (Verdict::Unsynced, _) => {
                WeakenedBy::QuickCommits { phase, round, median_ns, sync_ns: best_ns.min(sync_ns) }
            }
            (Verdict::Unflushed, Some((flushes, _))) => WeakenedBy::FewFlushes { phase, round, commits, flushes },
            _ => return None,
        };
        let window = message!(window_of_early_answers);
        // What is not synced reaches the device in any order.
        let guarantee = Guarantee { kill: Loss::Nothing, power: Loss::Writeback, integrity: Integrity::I3 };
        Some(Weakening { guarantee, window, cause })
    }

    fn tells(self, candidate: &CandidateRecord) -> Option<Caution> {
        let because = match self.verdict {
            Verdict::Unsynced | Verdict::Unflushed => return None,
            Verdict::Shared => QuickCommitCause::SharedSync,
            Verdict::Unsteady => QuickCommitCause::UnsteadyDisk,
            Verdict::Hidden => QuickCommitCause::BusyDisk,
        };
        let Round { round, median_ns, sync_ns, .. } = self.round;
        let candidate = candidate.name.clone();
        Some(Caution::QuickCommits { candidate, phase: self.phase, round, median_ns, sync_ns, because })
    }
}

/// The phases of a candidate in which commits were quicker than syncs, in most of the rounds that can tell.
fn quick_commits(input: &Input<'_>, candidate: &CandidateRecord) -> Vec<QuickPhase> {
    // A disk that Kurabe mounts is memory, and as quick.
    if input.plan().has_own_disk() {
        return Vec::new();
    }
    let phases = input.plan().phases.iter().filter(|plan| plan.phase.commits_each());
    let best_ns = best_ns(input);
    phases.filter_map(|plan| quick_phase(input, candidate, plan, best_ns)).collect()
}

/// The least that the quickest tenth of a probe took, over the probe of the run and those of all jobs: what the disk
/// can do when nothing else keeps it, or the processors, busy.
fn best_ns(input: &Input<'_>) -> u64 {
    let mut of_run = input.run.device.fdatasync_ns_samples.clone();
    of_run.sort_unstable();
    let jobs = input.jobs.iter().chain(&input.elsewhere).filter_map(|job| job.sync_probe.as_ref()?.baseline_ns());
    of_run.get(of_run.len().div_ceil(10).saturating_sub(1)).copied().into_iter().chain(jobs).min().unwrap_or(0)
}

fn quick_phase(input: &Input<'_>, candidate: &CandidateRecord, plan: &PhasePlan, best_ns: u64) -> Option<QuickPhase> {
    let kinds = judged_kinds(input.plan());
    let jobs = input.phase_jobs(candidate, plan);
    let rounds: Vec<Round> = jobs.iter().filter_map(|job| beside_probe(job, &kinds, best_ns)).collect();
    // Most, and not any: one round in which the probe met a busy disk must not outweigh the others.
    let first_of_most = |is_one: fn(&Round) -> bool, of: usize| {
        let ones: Vec<Round> = rounds.iter().copied().filter(is_one).collect();
        ones.first().copied().filter(|_| 2 * ones.len() > of)
    };
    let steady = rounds.iter().filter(|round| round.is_steady).count();
    let quick = || first_of_most(Round::is_quick, rounds.len());
    let (round, verdict) = if !plan.phase.commits_alone() {
        (quick()?, Verdict::Shared)
    } else if let Some(round) = first_of_most(Round::is_impossible, steady) {
        (round, Verdict::Unsynced)
    } else if let Some(round) =
        first_of_most(Round::lacks_flushes, rounds.iter().filter(|one| one.flushes.is_some()).count())
    {
        (round, Verdict::Unflushed)
    } else if first_of_most(Round::has_flushes, rounds.len()).is_some() {
        (quick()?, Verdict::Unsteady)
    } else {
        (quick()?, Verdict::Hidden)
    };
    Some(QuickPhase { phase: plan.phase.name.clone(), round, verdict })
}

/// Writes that change something for sure: where rows are deleted, a delete or an update may find nothing to write.
fn judged_kinds(config: &Configuration) -> Vec<Operation> {
    let deletes = config.does(Operation::Delete);
    let mut kinds = vec![Operation::Load, Operation::Insert, Operation::Increment];
    kinds.extend((!deletes).then_some(Operation::Update));
    kinds
}

fn beside_probe(job: &PhaseJob<'_>, kinds: &[Operation], best_ns: u64) -> Option<Round> {
    let (probe, record) = (job.job.sync_probe.as_ref()?, job.ran()?);
    let mut writes = Histogram::default();
    let latencies = record.results.iter().flat_map(PhaseResult::service);
    for latency in latencies.filter(|latency| kinds.contains(&latency.operation)) {
        writes = writes.merged(&histogram(latency).ok()?).ok()?;
    }
    let (median_ns, sync_ns) = (writes.percentile(0.5)?, probe.baseline_ns()?);
    let wall_ns = record.span().map_or(0, Span::wall_ns);
    let flushes = record.device_flushes.and_then(|all| Some((all, probe.foreign_flushes(wall_ns)?)));
    let (round, is_steady, commits) = (job.job.round, probe.is_steady(), writes.count());
    Some(Round { round, median_ns, sync_ns, best_ns, is_steady, commits, flushes })
}
