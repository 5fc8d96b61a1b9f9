//! The plan: what runs next, as a pure function of the study and the results so far.
//!
//! A million operations in one process are one sample of its memory layout, its file and its moment. So the unit is a
//! job of fresh processes: repetition must happen where the variance arises (Kalibera and Jones, ISMM 2013). A
//! **block** is one round of one configuration: every candidate once, in an order shuffled by seed, configuration and
//! round. A drift of the machine then falls on all candidates alike. With a simulated drift of 2 % a job, 0.1 % of runs
//! show a false difference among ten equal candidates (docs/STATISTICS.md). Rows ascend; configurations of the same
//! rows take turns round by round.
//!
//! Nothing else decides the order. So a replay of the recorded results gives the same order, and `--resume` continues
//! it.
//!
//! One candidate after the other, with more repetitions, does not remove a drift. A fixed order within a round gives
//! each candidate the same neighbour every time. docs/decisions/0003-fresh-processes-in-interleaved-rounds.md has more,
//! and `plan/budget.rs` says what a limit of time is spent on.

mod budget;

use std::collections::BTreeSet;

use kurabe_record::{Configuration, JobRecord, SkippedRecord, StoreKind, StudyPlan};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::estimate::{Estimate, job_ns, whole_ns};
use crate::resolve::Candidate;

/// What is planned, and for whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<'a> {
    /// The candidates.
    pub candidates: Vec<Participant>,
    /// The study.
    pub study: &'a StudyPlan,
}

/// A candidate, as far as the plan needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    /// Its name.
    pub name: String,
    /// A store, or a baseline.
    pub kind: StoreKind,
}

impl Participant {
    /// A candidate that takes part.
    pub fn of(candidate: &Candidate) -> Participant {
        let record = &candidate.record;
        Participant { name: record.name.clone(), kind: record.kind }
    }
}

/// What was done and decided so far, each in the order in which it was.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// Jobs that count.
    pub jobs: &'a [JobRecord],
    /// Jobs that are to be measured again.
    pub superseded: &'a [JobRecord],
    /// Numbers of those of them that counted once: they are run again whatever is left of the budget, which they do not use up.
    pub repeats: &'a [u32],
    /// Candidates that were skipped.
    pub skipped: &'a [SkippedRecord],
}

impl<'a> Done<'a> {
    /// Names of the candidates of which a job failed.
    pub fn failed(self) -> BTreeSet<&'a str> {
        self.jobs.iter().filter(|job| job.error.is_some()).map(|job| job.candidate.as_str()).collect()
    }
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NextStep {
    /// Run this job.
    Job(NextJob),
    /// The budget has no time for this candidate: to be recorded before anything else.
    Skipped(SkippedRecord),
    /// Nothing is left to do.
    Done(EndReason),
}

/// The next job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextJob {
    /// Number of the job, from 0.
    pub number: u32,
    /// Index of the configuration.
    pub config: usize,
    /// Round of this configuration, from 0.
    pub round: u32,
    /// Index of the candidate.
    pub candidate: usize,
    /// Whether it was disturbed before, and is measured again.
    pub is_again: bool,
    /// What is to be recorded if the job is stopped because it takes longer than [`NextJob::limit_ns`].
    pub if_stopped: Option<SkippedRecord>,
}

impl NextJob {
    /// Longest time that the job may take, in ns: its share of the budget and its estimate once more. `None` where there is
    /// no limit.
    pub fn limit_ns(&self) -> Option<u64> {
        self.if_stopped.as_ref().map(|skipped| skipped.left_ns.saturating_add(skipped.estimate_ns.unwrap_or(0)))
    }
}

/// Why nothing is left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// All rounds were done, but for candidates that failed or were skipped.
    Rounds,
    /// No further round fits into the budget.
    Budget {
        /// Rounds that were done, over all configurations.
        rounds: u32,
    },
    /// Every candidate has failed.
    Failed,
}

/// Rounds that a place takes.
const ROUNDS_FOR_A_PLACE: u32 = 3;

/// What follows after `done`.
pub fn next(plan: &Plan<'_>, done: Done<'_>) -> NextStep {
    let state = State { plan, done };
    let found = state.repeated().or_else(|| match state.left_ns() {
        None => state.in_order(),
        Some(left_ns) => state.within_budget(left_ns),
    });
    found.unwrap_or_else(|| NextStep::Done(state.end_reason()))
}

/// One round of one configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    config: usize,
    round: u32,
}

/// The rounds that come first: all without a budget, else those that a place takes.
fn first_rounds(plan: &Plan<'_>, config: usize) -> u32 {
    let rounds = plan.study.configurations[config].rounds;
    if plan.study.budget_ns.is_some() { rounds.min(ROUNDS_FOR_A_PLACE) } else { rounds }
}

/// The blocks of the rounds that come first, in their order.
fn first_blocks(plan: &Plan<'_>) -> Vec<Block> {
    let rows: BTreeSet<u64> = plan.study.configurations.iter().map(|config| config.rows).collect();
    let of_rows = |rows: u64| {
        let configs: Vec<usize> = (0..plan.study.configurations.len())
            .filter(|config| plan.study.configurations[*config].rows == rows)
            .collect();
        let rounds = configs.iter().map(|config| first_rounds(plan, *config)).max().unwrap_or(0);
        let in_round = move |round: u32| {
            let order = shuffled(plan.study.seed, rows.wrapping_shl(32) ^ u64::from(!round), configs.len());
            let configs: Vec<usize> = order.into_iter().map(|at| configs[at]).collect();
            configs.into_iter().map(move |config| Block { config, round })
        };
        let blocks: Vec<Block> = (0..rounds).flat_map(in_round).collect();
        blocks
    };
    let blocks = rows.into_iter().flat_map(of_rows);
    blocks.filter(|block| block.round < first_rounds(plan, block.config)).collect()
}

/// The order of a round.
pub fn order(plan: &Plan<'_>, config: usize, round: u32) -> Vec<usize> {
    shuffled(plan.study.seed, ((config as u64) << 32) + u64::from(round) + 1, plan.candidates.len())
}

/// Numbers below `count`: a Fisher-Yates shuffle by ChaCha8, so that it is the same on every machine.
pub(crate) fn shuffled(seed: u64, stream: u64, count: usize) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(stream);
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..order.len()).rev() {
        let at = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        order.swap(last, at);
    }
    order
}

#[derive(Clone, Copy)]
struct State<'a> {
    plan: &'a Plan<'a>,
    done: Done<'a>,
}

impl<'a> State<'a> {
    /// A job that counted, and is to be run again: a skip for want of time does not keep it away.
    fn repeated(self) -> Option<NextStep> {
        let was = |number: &u32| self.done.superseded.iter().find(|job| job.number == *number);
        self.done.repeats.iter().filter_map(was).find_map(|job| {
            let block = Block { config: job.configuration as usize, round: job.round };
            let candidate = self.plan.candidates.iter().position(|one| one.name == job.candidate)?;
            let waits = !self.has_job(block, candidate) && !self.done.failed().contains(job.candidate.as_str());
            waits.then(|| self.job(block, candidate, None))
        })
    }

    /// All rounds of all configurations, in their order.
    fn in_order(self) -> Option<NextStep> {
        let waits = |block: Block| Some((block, self.waiting(block).into_iter().next()?));
        let (block, candidate) = first_blocks(self.plan).into_iter().find_map(waits)?;
        Some(self.job(block, candidate, None))
    }

    /// Candidates that have no job in a block yet, in the order in which they are to have one.
    fn waiting(self, block: Block) -> Vec<usize> {
        let members = self.members(block);
        let waits = |candidate: &usize| members.contains(candidate) && !self.has_job(block, *candidate);
        self.job_order(block).into_iter().filter(waits).collect()
    }

    /// Candidates that go on at a configuration: they were not skipped there, and no job of theirs failed there in another
    /// round. One failure leaves a candidate unranked, so further rounds of it would only cost time.
    fn members(self, block: Block) -> Vec<usize> {
        let ends = |config: u32| self.plan.study.ends_with(config as usize, block.config);
        let is_here = |job: &JobRecord| (job.configuration as usize, job.round) == (block.config, block.round);
        let failed = |name: &str| {
            let failures = self.done.jobs.iter().filter(|job| job.error.is_some() && job.candidate == name);
            failures.filter(|job| !is_here(job)).any(|job| ends(job.configuration))
        };
        let is_skipped = |name: &str| self.skips_of(name).any(|skipped| ends(skipped.configuration));
        let is_in = |at: &usize| self.plan.study.takes_part(block.config, self.name(*at));
        let stays = |at: &usize| is_in(at) && !failed(self.name(*at)) && !is_skipped(self.name(*at));
        (0..self.plan.candidates.len()).filter(stays).collect()
    }

    /// The skips that keep a candidate away.
    fn skips_of(self, name: &str) -> impl Iterator<Item = &'a SkippedRecord> {
        self.done.skipped.iter().filter(move |skipped| skipped.candidate == name && skipped.holds(self.done.jobs))
    }

    fn name(self, candidate: usize) -> &'a str {
        &self.plan.candidates[candidate].name
    }

    fn jobs(self, block: Block) -> impl Iterator<Item = &'a JobRecord> {
        self.done.jobs.iter().filter(move |job| (job.configuration as usize, job.round) == (block.config, block.round))
    }

    /// The order of a block: those whose job was superseded come after the others, when what disturbed it may be over.
    fn job_order(self, block: Block) -> Vec<usize> {
        let mut order = order(self.plan, block.config, block.round);
        order.sort_by_key(|candidate| superseded(self.done, block.config, block.round, self.name(*candidate)).count());
        order
    }

    fn has_job(self, block: Block, candidate: usize) -> bool {
        self.jobs(block).any(|job| job.candidate == self.name(candidate))
    }

    /// Rounds of a configuration that a candidate has done.
    fn rounds(self, config: usize, candidate: usize) -> u32 {
        let name = self.name(candidate);
        self.done.jobs.iter().filter(|job| job.configuration as usize == config && job.candidate == name).count() as u32
    }

    fn left_ns(self) -> Option<u64> {
        let counted_once = |job: &&JobRecord| self.done.repeats.contains(&job.number);
        let superseded = self.done.superseded.iter().filter(|job| !counted_once(job));
        let jobs: u64 = self.done.jobs.iter().chain(superseded).map(whole_ns).sum();
        let stopped: u64 = self.done.skipped.iter().filter_map(|skipped| skipped.stopped_after_ns).sum();
        Some(self.plan.study.budget_ns?.saturating_sub(jobs.saturating_add(stopped)))
    }

    fn estimate(self, candidate: usize, config: usize) -> Option<Estimate> {
        job_ns(&self.plan.study.configurations, self.done.jobs, self.name(candidate), config)
    }

    fn estimate_ns(self, candidate: usize, config: usize) -> Option<u64> {
        self.estimate(candidate, config).map(|estimate| estimate.ns)
    }

    /// The job; what is to be recorded if it is stopped.
    fn job(self, block: Block, candidate: usize, if_stopped: Option<SkippedRecord>) -> NextStep {
        NextStep::Job(NextJob {
            number: (self.done.jobs.len() + self.done.superseded.len()) as u32,
            config: block.config,
            round: block.round,
            candidate,
            is_again: superseded(self.done, block.config, block.round, self.name(candidate)).next().is_some(),
            if_stopped,
        })
    }

    /// The same wherever the last failure fell: in the last round, or in one after which nobody was left.
    fn end_reason(self) -> EndReason {
        let failed = self.done.failed();
        if self.plan.candidates.iter().all(|one| failed.contains(one.name.as_str())) {
            return EndReason::Failed;
        }
        let most =
            |config: usize| (0..self.plan.candidates.len()).map(|one| self.rounds(config, one)).max().unwrap_or(0);
        let configs = self.plan.study.configurations.iter().enumerate();
        let is_missing = |(at, config): (usize, &Configuration)| most(at) < config.rounds;
        if self.plan.study.budget_ns.is_none() || !configs.clone().any(is_missing) {
            return EndReason::Rounds;
        }
        EndReason::Budget { rounds: configs.map(|(at, _)| most(at)).sum() }
    }
}

/// The jobs of a candidate of a round of a configuration that were superseded.
fn superseded<'a>(done: Done<'a>, config: usize, round: u32, candidate: &str) -> impl Iterator<Item = &'a JobRecord> {
    let is_it = move |job: &&JobRecord| {
        (job.configuration as usize, job.round, job.candidate.as_str()) == (config, round, candidate)
    };
    done.superseded.iter().filter(is_it)
}

/// So often a job is measured again where it was disturbed; the last of them counts, whatever it met. When somebody goes on
/// with a run to have its disturbed jobs again, that begins anew.
const AGAIN: usize = 2;

/// Whether a disturbed job is to be measured again: its figures would not be those of the store. Under a budget only as long as
/// the rounds that a rank takes are paid for, with this job once more.
pub fn is_repeated(plan: &Plan<'_>, done: Done<'_>, job: &JobRecord) -> bool {
    let before = || superseded(done, job.configuration as usize, job.round, &job.candidate);
    let asked_at = before().map(|job| job.number).filter(|number| done.repeats.contains(number)).max();
    let tries = before().filter(|job| asked_at.is_none_or(|asked_at| job.number > asked_at)).count();
    if job.error.is_some() || tries >= AGAIN {
        return false;
    }
    let state = State { plan, done };
    state.left_ns().is_none_or(|left_ns| {
        // Its time is spent, and it is not among what was done yet.
        left_ns.checked_sub(whole_ns(job)).is_some_and(|left_ns| state.is_paid_for(left_ns, job))
    })
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
