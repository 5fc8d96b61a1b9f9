//! What runs next: a pure function of the plan and the results so far.
//!
//! Sizes ascend. Inside a size rounds are interleaved: every candidate once, in an order shuffled by seed, size and
//! round, so that a drift of the machine falls on all of them alike. A replay over the recorded results gives the
//! same order again, which is how a run is resumed.
//!
//! The budget. With one size, a round starts only if it fits as a whole. With several, each candidate is judged by itself,
//! because one that is slow must not keep the others from growing: at the start of a size those stay, cheapest first,
//! for which as many rounds fit as a place takes; later a round of each must fit. The others are cut, which is recorded, and
//! are not tried at larger sizes either.

use std::collections::BTreeSet;

use kurabe_record::{CutRecord, JobRecord, SizePlan};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::estimate::{job_ns, whole_ns};

/// What is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Names of the candidates.
    pub candidates: Vec<String>,
    /// The sizes, ascending.
    pub sizes: Vec<SizePlan>,
    /// Seed of the order.
    pub seed: u64,
    /// Time budget in ns.
    pub budget_ns: Option<u64>,
}

/// What was done and decided so far, each in the order in which it was.
#[derive(Clone, Copy, Debug)]
pub struct Done<'a> {
    /// Jobs.
    pub jobs: &'a [JobRecord],
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
    /// Index of the size.
    pub level: usize,
    /// Round of this size, from 0.
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
    /// The next round would not fit into the budget.
    Budget {
        /// Rounds that were done.
        rounds: u32,
    },
    /// Every candidate has failed.
    Failed,
}

/// Rounds that a place takes.
const ROUNDS_FOR_A_PLACE: u32 = 3;

/// What follows after `done`.
pub fn next(plan: &Plan, done: Done<'_>) -> Next {
    for (level, size) in plan.sizes.iter().enumerate() {
        for round in 0..size.rounds {
            let at = At { plan, done, level, size, round };
            let members = at.members();
            if members.is_empty() {
                return Next::Done(why_done(plan, done));
            }
            if !at.has_begun()
                && let Some(end) = at.judge_round(&members)
            {
                return end;
            }
            let order = order(plan, level, round).into_iter();
            if let Some(candidate) = order.filter(|one| members.contains(one)).find(|one| !at.has_job(*one)) {
                return at.job(candidate);
            }
        }
    }
    Next::Done(why_done(plan, done))
}

/// The same wherever the last failure fell: in the last round, or in one after which nobody was left.
fn why_done(plan: &Plan, done: Done<'_>) -> WhyDone {
    match plan.candidates.iter().all(|name| done.failed().contains(&name.as_str())) {
        true => WhyDone::Failed,
        false => WhyDone::Rounds,
    }
}

/// The order of a round: a Fisher-Yates shuffle by ChaCha8, so that it is the same on every machine.
pub fn order(plan: &Plan, level: usize, round: u32) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    random.set_stream(((level as u64) << 32) + u64::from(round) + 1);
    let mut order: Vec<usize> = (0..plan.candidates.len()).collect();
    for last in (1..order.len()).rev() {
        let at = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        order.swap(last, at);
    }
    order
}

/// A round of a size.
struct At<'a> {
    plan: &'a Plan,
    done: Done<'a>,
    level: usize,
    size: &'a SizePlan,
    round: u32,
}

impl At<'_> {
    /// Candidates that were not cut and whose job did not fail in an earlier round. One failure leaves a candidate unranked, so
    /// further rounds of it would only cost time.
    fn members(&self) -> Vec<usize> {
        let is_before = |job: &&JobRecord| (job.rows, job.round) < (self.size.rows, self.round);
        let failed = |name: &String| {
            self.done.jobs.iter().filter(is_before).any(|job| &job.candidate == name && job.error.is_some())
        };
        let is_cut = |name: &String| {
            let here = |cut: &CutRecord| (cut.rows, cut.rounds) <= (self.size.rows, self.round);
            self.done.cuts.iter().any(|cut| &cut.candidate == name && here(cut))
        };
        let stays = |name: &String| !failed(name) && !is_cut(name);
        (0..self.plan.candidates.len()).filter(|one| stays(&self.plan.candidates[*one])).collect()
    }

    fn jobs(&self) -> impl Iterator<Item = &JobRecord> {
        self.done.jobs.iter().filter(|job| (job.rows, job.round) == (self.size.rows, self.round))
    }

    fn has_job(&self, candidate: usize) -> bool {
        self.jobs().any(|job| job.candidate == self.plan.candidates[candidate])
    }

    fn has_begun(&self) -> bool {
        self.jobs().next().is_some()
    }

    /// Whether each candidate is judged by itself.
    fn judges_candidates(&self) -> bool {
        self.plan.sizes.len() > 1
    }

    fn left_ns(&self) -> Option<u64> {
        let jobs: u64 = self.done.jobs.iter().map(whole_ns).sum();
        let stopped: u64 = self.done.cuts.iter().filter_map(|cut| cut.stopped_after_ns).sum();
        Some(self.plan.budget_ns?.saturating_sub(jobs.saturating_add(stopped)))
    }

    fn estimate_ns(&self, candidate: usize) -> Option<u64> {
        job_ns(&self.plan.sizes, self.done.jobs, &self.plan.candidates[candidate], self.level)
    }

    /// What the budget has to say before the first job of a round; `None` where it may start.
    fn judge_round(&self, members: &[usize]) -> Option<Next> {
        let left_ns = self.left_ns()?;
        if self.judges_candidates() {
            return self.one_too_many(members, left_ns).map(Next::Cut);
        }
        // The first round always runs; then one more as long as the last must fit.
        let before = self.round.checked_sub(1)?;
        let names: Vec<&String> = members.iter().map(|one| &self.plan.candidates[*one]).collect();
        let last = self.done.jobs.iter().filter(|job| job.round == before && names.contains(&&job.candidate));
        let fits = last.map(whole_ns).sum::<u64>() <= left_ns;
        (!fits).then_some(Next::Done(WhyDone::Budget { rounds: self.round }))
    }

    /// The first candidate, cheapest first, that does not fit any more.
    fn one_too_many(&self, members: &[usize], left_ns: u64) -> Option<CutRecord> {
        let needed_rounds = if self.round == 0 { self.size.rounds.min(ROUNDS_FOR_A_PLACE) } else { 1 };
        let mut known: Vec<(u64, usize)> =
            members.iter().filter_map(|one| Some((self.estimate_ns(*one)?, *one))).collect();
        known.sort_unstable();
        let mut left_ns = left_ns;
        for (estimate_ns, candidate) in known {
            let needed_ns = estimate_ns.saturating_mul(u64::from(needed_rounds));
            match left_ns.checked_sub(needed_ns) {
                Some(rest) => left_ns = rest,
                None => return Some(self.cut(candidate, needed_rounds, Some(needed_ns), left_ns)),
            }
        }
        None
    }

    fn cut(&self, candidate: usize, needed_rounds: u32, estimate_ns: Option<u64>, left_ns: u64) -> CutRecord {
        CutRecord {
            candidate: self.plan.candidates[candidate].clone(),
            rows: self.size.rows,
            rounds: self.round,
            needed_rounds,
            estimate_ns,
            left_ns,
            stopped_after_ns: None,
        }
    }

    /// The job, unless those before it in this round have left too little.
    fn job(&self, candidate: usize) -> Next {
        let if_stopped = self.left_ns().filter(|_| self.judges_candidates()).map(|left_ns| {
            let estimate_ns = self.estimate_ns(candidate);
            self.cut(candidate, 1, estimate_ns, left_ns)
        });
        match if_stopped {
            Some(cut) if cut.left_ns < cut.estimate_ns.unwrap_or(1) => Next::Cut(cut),
            if_stopped => Next::Job(NextJob {
                number: self.done.jobs.len() as u32,
                level: self.level,
                round: self.round,
                candidate,
                if_stopped,
            }),
        }
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
