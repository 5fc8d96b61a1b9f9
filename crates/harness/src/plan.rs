//! What runs next: a pure function of the plan and the results so far. A replay over the recorded results gives the same
//! order again, which is how a run is resumed.
//!
//! A **block** is one round of one level: every candidate once, in an order shuffled by seed, level and round, so that a
//! drift of the machine falls on all of them alike. Rows ascend; levels of the same rows take turns round by round, for
//! the same reason.
//!
//! **The budget** serves the question. First come the rounds that a place takes, at every level and as far as each
//! candidate gets: what is still missing of them is sorted by the time it will take, and who fits, the cheapest first, goes
//! on. The others are cut, which is recorded; they are not tried with more rows either. What is left of the budget goes, a
//! block at a time, to the level whose intervals are widest.

use std::collections::BTreeSet;

use kurabe_record::{CutRecord, JobRecord, MOST_STOLEN, StoreKind, StudyPlan};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::estimate::{Basis, Estimate, job_ns, whole_ns, widest_interval};
use crate::resolve::Candidate;

/// What is planned, and for whom.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan<'a> {
    /// The candidates.
    pub candidates: Vec<Entrant>,
    /// The study.
    pub study: &'a StudyPlan,
}

/// A candidate, as far as the plan needs to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entrant {
    /// Its name.
    pub name: String,
    /// A store, or a floor.
    pub kind: StoreKind,
    /// The trap that made it, if one did.
    pub trap: Option<String>,
}

impl Entrant {
    /// A candidate that takes part.
    pub fn of(candidate: &Candidate) -> Entrant {
        let record = &candidate.record;
        Entrant { name: record.name.clone(), kind: record.kind, trap: record.trap.clone() }
    }
}

/// What was done and decided so far, each in the order in which it was.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// Jobs that count.
    pub jobs: &'a [JobRecord],
    /// Jobs that are to be measured again.
    pub set_aside: &'a [JobRecord],
    /// Candidates that were cut.
    pub cuts: &'a [CutRecord],
}

impl<'a> Done<'a> {
    /// Names of the candidates of which a job failed.
    pub fn failed(self) -> BTreeSet<&'a str> {
        self.jobs.iter().filter(|job| job.error.is_some()).map(|job| job.candidate.as_str()).collect()
    }
}

/// What follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Run this job.
    Job(NextJob),
    /// This candidate is not measured any further: to be recorded before anything else.
    Cut(CutRecord),
    /// Nothing is left to do.
    Done(WhyDone),
}

/// The next job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextJob {
    /// Number of the job, from 0.
    pub number: u32,
    /// Index of the level.
    pub level: usize,
    /// Round of this level, from 0.
    pub round: u32,
    /// Index of the candidate.
    pub candidate: usize,
    /// What is to be recorded if the job is stopped because it takes longer than [`NextJob::limit_ns`].
    pub if_stopped: Option<CutRecord>,
}

impl NextJob {
    /// Longest time that the job may take, in ns: what is left of the budget and its estimate once more. `None` where
    /// there is no limit.
    pub fn limit_ns(&self) -> Option<u64> {
        self.if_stopped.as_ref().map(|cut| cut.left_ns.saturating_add(cut.estimate_ns.unwrap_or(0)))
    }
}

/// Why nothing is left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyDone {
    /// All rounds were done, but for candidates that failed or were cut.
    Rounds,
    /// No further round fits into the budget.
    Budget {
        /// Rounds that were done, over all levels.
        rounds: u32,
    },
    /// Every candidate has failed.
    Failed,
}

/// Rounds that a place takes.
const ROUNDS_FOR_A_PLACE: u32 = 3;

/// What follows after `done`.
pub fn next(plan: &Plan<'_>, done: Done<'_>) -> Next {
    let state = State { plan, done };
    let first = first_blocks(plan).into_iter().find_map(|block| state.go_on(block));
    first.or_else(|| state.further_round()).unwrap_or_else(|| Next::Done(state.why_done()))
}

/// One round of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    level: usize,
    round: u32,
}

/// The rounds that come first: all without a budget, else those that a place takes.
fn first_rounds(plan: &Plan<'_>, level: usize) -> u32 {
    let rounds = plan.study.levels[level].rounds;
    if plan.study.budget_ns.is_some() { rounds.min(ROUNDS_FOR_A_PLACE) } else { rounds }
}

/// The blocks of the rounds that come first, in their order.
fn first_blocks(plan: &Plan<'_>) -> Vec<Block> {
    let rows: BTreeSet<u64> = plan.study.levels.iter().map(|level| level.rows).collect();
    let of_rows = |rows: u64| {
        let levels: Vec<usize> =
            (0..plan.study.levels.len()).filter(|level| plan.study.levels[*level].rows == rows).collect();
        let rounds = levels.iter().map(|level| first_rounds(plan, *level)).max().unwrap_or(0);
        let in_round = move |round: u32| {
            let order = shuffled(plan.study.seed, rows.wrapping_shl(32) ^ u64::from(!round), levels.len());
            let levels: Vec<usize> = order.into_iter().map(|at| levels[at]).collect();
            levels.into_iter().map(move |level| Block { level, round })
        };
        let blocks: Vec<Block> = (0..rounds).flat_map(in_round).collect();
        blocks
    };
    let blocks = rows.into_iter().flat_map(of_rows);
    blocks.filter(|block| block.round < first_rounds(plan, block.level)).collect()
}

/// The order of a round.
pub fn order(plan: &Plan<'_>, level: usize, round: u32) -> Vec<usize> {
    shuffled(plan.study.seed, ((level as u64) << 32) + u64::from(round) + 1, plan.candidates.len())
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
    /// What is still to do in a block; `None` where it is done.
    fn go_on(self, block: Block) -> Option<Next> {
        let members = self.members(block);
        let waiting = |candidate: &usize| members.contains(candidate) && !self.has_job(block, *candidate);
        let candidate = self.in_turn(block).into_iter().find(waiting)?;
        let is_new = self.jobs(block).next().is_none();
        let cut = self.left_ns().filter(|_| is_new).and_then(|left_ns| self.one_too_many(block, left_ns));
        Some(cut.map_or_else(|| self.job(block, candidate), Next::Cut))
    }

    /// Candidates that go on at a level: they were not cut there, and no job of theirs failed there in another round.
    /// One failure leaves a candidate unranked, so further rounds of it would only cost time.
    fn members(self, block: Block) -> Vec<usize> {
        let ends = |level: u32| self.plan.study.ends_with(level as usize, block.level);
        let is_here = |job: &JobRecord| (job.level as usize, job.round) == (block.level, block.round);
        let failed = |name: &str| {
            let failures = self.done.jobs.iter().filter(|job| job.error.is_some() && job.candidate == name);
            failures.filter(|job| !is_here(job)).any(|job| ends(job.level))
        };
        let is_cut = |name: &str| self.done.cuts.iter().any(|cut| cut.candidate == name && ends(cut.level));
        let is_in = |at: &usize| {
            let trap = self.plan.candidates[*at].trap.as_deref();
            self.plan.study.takes_part(block.level, self.name(*at), trap)
        };
        let stays = |at: &usize| is_in(at) && !failed(self.name(*at)) && !is_cut(self.name(*at));
        (0..self.plan.candidates.len()).filter(stays).collect()
    }

    fn name(self, candidate: usize) -> &'a str {
        &self.plan.candidates[candidate].name
    }

    fn jobs(self, block: Block) -> impl Iterator<Item = &'a JobRecord> {
        self.done.jobs.iter().filter(move |job| (job.level as usize, job.round) == (block.level, block.round))
    }

    /// The order of a block: those whose job was set aside come after the others, when what disturbed it may be over.
    fn in_turn(self, block: Block) -> Vec<usize> {
        let mut order = order(self.plan, block.level, block.round);
        order.sort_by_key(|candidate| set_aside(self.done, block.level, block.round, self.name(*candidate)));
        order
    }

    fn has_job(self, block: Block, candidate: usize) -> bool {
        self.jobs(block).any(|job| job.candidate == self.name(candidate))
    }

    /// Rounds of a level that a candidate has done.
    fn rounds(self, level: usize, candidate: usize) -> u32 {
        let name = self.name(candidate);
        self.done.jobs.iter().filter(|job| job.level as usize == level && job.candidate == name).count() as u32
    }

    fn left_ns(self) -> Option<u64> {
        let jobs: u64 = self.done.jobs.iter().chain(self.done.set_aside).map(whole_ns).sum();
        let stopped: u64 = self.done.cuts.iter().filter_map(|cut| cut.stopped_after_ns).sum();
        Some(self.plan.study.budget_ns?.saturating_sub(jobs.saturating_add(stopped)))
    }

    fn estimate(self, candidate: usize, level: usize) -> Option<Estimate> {
        job_ns(&self.plan.study.levels, self.done.jobs, self.name(candidate), level)
    }

    fn estimate_ns(self, candidate: usize, level: usize) -> Option<u64> {
        self.estimate(candidate, level).map(|estimate| estimate.ns)
    }

    /// The first member of a new block for whose missing rounds there is no time, where all that is still to come, here and
    /// at every later level, is paid for from the cheapest on.
    fn one_too_many(self, block: Block, left_ns: u64) -> Option<CutRecord> {
        let mut needs: Vec<Need> = Vec::new();
        for level in 0..self.plan.study.levels.len() {
            for candidate in self.members(Block { level, round: u32::MAX }) {
                let rounds = first_rounds(self.plan, level).saturating_sub(self.rounds(level, candidate));
                let Some(estimate) = self.estimate(candidate, level).filter(|_| rounds > 0) else { continue };
                // Other work may be far quicker: one round tells.
                let rounds = if estimate.basis == Basis::Guess { 1 } else { rounds };
                needs.push(Need { ns: estimate.ns.saturating_mul(u64::from(rounds)), level, candidate, rounds });
            }
        }
        needs.sort_unstable();
        let mut left_ns = left_ns;
        for need in needs {
            match left_ns.checked_sub(need.ns) {
                Some(rest) => left_ns = rest,
                None if need.level == block.level => {
                    return Some(self.cut(block.level, need.candidate, need.rounds, Some(need.ns), left_ns));
                }
                None => {}
            }
        }
        None
    }

    fn cut(
        self,
        level: usize,
        candidate: usize,
        needed_rounds: u32,
        estimate_ns: Option<u64>,
        left_ns: u64,
    ) -> CutRecord {
        CutRecord {
            candidate: self.name(candidate).to_string(),
            level: level as u32,
            rounds: self.rounds(level, candidate),
            needed_rounds,
            estimate_ns,
            left_ns,
            stopped_after_ns: None,
        }
    }

    /// The job, unless those before it have left too little.
    fn job(self, block: Block, candidate: usize) -> Next {
        let if_stopped = self.left_ns().map(|left_ns| {
            let estimate_ns = self.estimate_ns(candidate, block.level);
            self.cut(block.level, candidate, 1, estimate_ns, left_ns)
        });
        match if_stopped {
            Some(cut) if cut.left_ns < cut.estimate_ns.unwrap_or(1) => Next::Cut(cut),
            if_stopped => Next::Job(NextJob {
                number: (self.done.jobs.len() + self.done.set_aside.len()) as u32,
                level: block.level,
                round: block.round,
                candidate,
                if_stopped,
            }),
        }
    }

    /// Under a budget, once every level has the rounds that a place takes: the block that is under way, else one more of
    /// the level whose intervals are widest among those that fit.
    fn further_round(self) -> Option<Next> {
        let left_ns = self.left_ns()?;
        let levels = 0..self.plan.study.levels.len();
        let blocks: Vec<Block> = levels.filter_map(|level| self.further_block(level)).collect();
        if let Some(begun) = blocks.iter().find(|block| self.jobs(**block).next().is_some()) {
            return self.go_on_as_it_fits(*begun, left_ns);
        }
        let fits = |block: &&Block| {
            let estimates = self.members(**block).into_iter().map(|one| self.estimate_ns(one, block.level));
            estimates.sum::<Option<u64>>().is_some_and(|needed_ns| needed_ns <= left_ns)
        };
        let width = |block: &Block| {
            let stores: Vec<&str> = self.members(*block).into_iter().filter_map(|one| self.store(one)).collect();
            widest_interval(&self.plan.study.levels[block.level], block.level, self.done.jobs, &stores)
        };
        // Of equals the first, so that small levels are not behind.
        let widest = blocks.iter().filter(fits).rev().max_by(|a, b| width(a).total_cmp(&width(b)))?;
        self.go_on_as_it_fits(*widest, left_ns)
    }

    fn store(self, candidate: usize) -> Option<&'a str> {
        let one = &self.plan.candidates[candidate];
        (one.kind == StoreKind::Store).then_some(one.name.as_str())
    }

    /// The block of a level that follows those that came first: one that is under way, or the one after them.
    fn further_block(self, level: usize) -> Option<Block> {
        let planned = self.plan.study.levels[level].rounds;
        let first = first_rounds(self.plan, level);
        (first..planned).map(|round| Block { level, round }).find(|block| {
            let members = self.members(*block);
            members.iter().any(|one| !self.has_job(*block, *one))
        })
    }

    /// The next job of a block. Where it does not fit any more nobody is cut: everybody has the rounds for a place.
    fn go_on_as_it_fits(self, block: Block, left_ns: u64) -> Option<Next> {
        let members = self.members(block);
        let waiting = |candidate: &usize| members.contains(candidate) && !self.has_job(block, *candidate);
        let candidate = self.in_turn(block).into_iter().find(waiting)?;
        let fits = self.estimate_ns(candidate, block.level).is_none_or(|estimate_ns| estimate_ns <= left_ns);
        fits.then(|| self.job(block, candidate))
    }

    /// The same wherever the last failure fell: in the last round, or in one after which nobody was left.
    fn why_done(self) -> WhyDone {
        let failed = self.done.failed();
        if self.plan.candidates.iter().all(|one| failed.contains(one.name.as_str())) {
            return WhyDone::Failed;
        }
        let levels = 0..self.plan.study.levels.len();
        let is_missing = |level: usize| self.further_block(level).is_some();
        if self.plan.study.budget_ns.is_none() || !levels.clone().any(is_missing) {
            return WhyDone::Rounds;
        }
        let candidates = 0..self.plan.candidates.len();
        let rounds = levels.map(|level| candidates.clone().map(|one| self.rounds(level, one)).max().unwrap_or(0));
        WhyDone::Budget { rounds: rounds.sum() }
    }
}

/// How often a candidate's job of a round of a level was set aside.
fn set_aside(done: Done<'_>, level: usize, round: u32, candidate: &str) -> usize {
    let is_it = |job: &&JobRecord| (job.level as usize, job.round, job.candidate.as_str()) == (level, round, candidate);
    done.set_aside.iter().filter(is_it).count()
}

/// So often a job is measured again where the machine below disturbed it; the last of them counts, whatever it met.
const AGAIN: usize = 2;

/// The share of the processors that the machine below took from a job, where that is so much that it is to be measured again:
/// its figures would not be those of the store. Under a budget only as long as all that is still to come is paid for, with
/// this job once more.
pub fn disturbed(
    plan: &Plan<'_>,
    done: Done<'_>,
    job: &JobRecord,
    still_to_come_ns: impl FnOnce() -> Option<u64>,
) -> Option<f64> {
    let level = job.level as usize;
    let stolen = job.stolen(&plan.study.levels[level]);
    if stolen <= MOST_STOLEN || job.error.is_some() || set_aside(done, level, job.round, &job.candidate) >= AGAIN {
        return None;
    }
    let fits = match (State { plan, done }).left_ns() {
        None => true,
        // This one is not among what was done yet.
        Some(left_ns) => still_to_come_ns().is_some_and(|more_ns| left_ns >= more_ns.saturating_add(2 * whole_ns(job))),
    };
    fits.then_some(stolen)
}

/// Time that a candidate needs for the rounds that it lacks at a level. The cheapest is the least.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Need {
    ns: u64,
    level: usize,
    candidate: usize,
    rounds: u32,
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
