//! What runs next: a pure function of the plan and the results so far.
//!
//! Rounds are interleaved: every candidate once, in an order shuffled by seed and round, so that a
//! drift of the machine falls on all of them alike. A replay over the recorded results gives the
//! same order again, which is how a run is resumed.

use kurabe_record::JobRecord;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// What is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Names of the candidates.
    pub candidates: Vec<String>,
    /// Rounds.
    pub rounds: u32,
    /// Seed of the order.
    pub seed: u64,
    /// Time budget in ns.
    pub budget_ns: Option<u64>,
}

/// The next job, or the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// Run this candidate in this round.
    Job {
        /// Number of the job, from 0.
        number: u32,
        /// Round, from 0.
        round: u32,
        /// Index of the candidate.
        candidate: usize,
    },
    /// Nothing is left to do.
    Done(WhyDone),
}

/// Why nothing is left to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyDone {
    /// All rounds were done.
    Rounds,
    /// The next round would not fit into the budget.
    Budget {
        /// Rounds that were done.
        rounds: u32,
    },
    /// Every candidate has failed.
    Failed,
}

/// What follows after `done`, in the order in which they were done.
pub fn next(plan: &Plan, done: &[JobRecord]) -> Next {
    for round in 0..plan.rounds {
        let fit = still_in(plan, done, round);
        if fit.is_empty() {
            return Next::Done(WhyDone::Failed);
        }
        let of_round = |candidate: &usize| {
            done.iter().any(|job| job.round == round && job.candidate == plan.candidates[*candidate])
        };
        let order: Vec<usize> = order(plan, round).into_iter().filter(|candidate| fit.contains(candidate)).collect();
        if !order.iter().any(of_round) && !fits_budget(plan, done, &fit, round) {
            return Next::Done(WhyDone::Budget { rounds: round });
        }
        if let Some(candidate) = order.into_iter().find(|candidate| !of_round(candidate)) {
            return Next::Job { number: done.len() as u32, round, candidate };
        }
    }
    Next::Done(WhyDone::Rounds)
}

/// The order of a round: a Fisher-Yates shuffle by ChaCha8, so that it is the same on every machine.
pub fn order(plan: &Plan, round: u32) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
    random.set_stream(u64::from(round) + 1);
    let mut order: Vec<usize> = (0..plan.candidates.len()).collect();
    for last in (1..order.len()).rev() {
        let at = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        order.swap(last, at);
    }
    order
}

/// Candidates whose job did not fail in an earlier round. One failure leaves a candidate unranked,
/// so further rounds of it would only cost time.
fn still_in(plan: &Plan, done: &[JobRecord], round: u32) -> Vec<usize> {
    let failed =
        |name: &String| done.iter().any(|job| job.round < round && &job.candidate == name && job.error.is_some());
    (0..plan.candidates.len()).filter(|candidate| !failed(&plan.candidates[*candidate])).collect()
}

/// A round starts only if all before and one more as long as the last fit into the budget.
fn fits_budget(plan: &Plan, done: &[JobRecord], fit: &[usize], round: u32) -> bool {
    let (Some(budget), Some(before)) = (plan.budget_ns, round.checked_sub(1)) else { return true };
    let spent: u64 = done.iter().map(whole_ns).sum();
    let estimate: u64 = done
        .iter()
        .filter(|job| job.round == before && fit.iter().any(|one| plan.candidates[*one] == job.candidate))
        .map(whole_ns)
        .sum();
    spent.saturating_add(estimate) <= budget
}

fn whole_ns(job: &JobRecord) -> u64 {
    job.lasted_ns.saturating_add(job.quiet.waited_ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_machine::QuietWait;
    use kurabe_record::{JobError, JobErrorKind};
    use proptest::prelude::*;

    fn plan(candidates: usize, rounds: u32) -> Plan {
        let candidates = (0..candidates).map(|candidate| format!("c{candidate}")).collect();
        Plan { candidates, rounds, seed: 7, budget_ns: None }
    }

    fn job(plan: &Plan, next: &Next, lasted_ns: u64, failed: bool) -> JobRecord {
        let Next::Job { number, round, candidate } = next else { panic!("a job was expected") };
        let error = || JobError { kind: JobErrorKind::Client, phase: None, message: "planted".into() };
        JobRecord {
            number: *number,
            rows: 1,
            round: *round,
            candidate: plan.candidates[*candidate].clone(),
            started_at: String::new(),
            lasted_ns,
            hello: None,
            info: Default::default(),
            settings: Vec::new(),
            canary: None,
            quiet: QuietWait { waited_ns: 0, quiet: true, known: true },
            empty_disk_bytes: None,
            phases: Vec::new(),
            final_count: None,
            error: failed.then(error),
        }
    }

    fn play(plan: &Plan, lasted_ns: u64, fails: impl Fn(&str) -> bool) -> (Vec<JobRecord>, WhyDone) {
        let mut done = Vec::new();
        loop {
            match next(plan, &done) {
                Next::Done(why) => return (done, why),
                found => {
                    let mut record = job(plan, &found, lasted_ns, false);
                    if fails(&record.candidate) {
                        record = job(plan, &found, lasted_ns, true);
                    }
                    done.push(record);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn every_candidate_runs_once_a_round_and_rounds_never_mix(candidates in 1usize..9, rounds in 1u32..9) {
            let plan = plan(candidates, rounds);
            let (done, why) = play(&plan, 1, |_| false);
            prop_assert_eq!(why, WhyDone::Rounds);
            prop_assert_eq!(done.len(), candidates * rounds as usize);
            for (round, jobs) in done.chunks(candidates).enumerate() {
                prop_assert!(jobs.iter().all(|job| job.round == round as u32));
                let mut names: Vec<&String> = jobs.iter().map(|job| &job.candidate).collect();
                names.sort();
                names.dedup();
                prop_assert_eq!(names.len(), candidates);
            }
        }

        #[test]
        fn a_replay_goes_on_where_it_stopped(candidates in 1usize..6, rounds in 1u32..6, cut in 0usize..40) {
            let plan = plan(candidates, rounds);
            let (done, _) = play(&plan, 1, |_| false);
            let cut = cut % done.len();
            let Next::Job { round, candidate, .. } = next(&plan, &done[..cut]) else { panic!("a job is left") };
            prop_assert_eq!((round, &plan.candidates[candidate]), (done[cut].round, &done[cut].candidate));
        }
    }

    #[test]
    fn the_order_changes_from_round_to_round() {
        let plan = plan(6, 20);
        let orders: std::collections::BTreeSet<Vec<usize>> = (0..20).map(|round| order(&plan, round)).collect();
        assert!(orders.len() > 15, "{} different orders in 20 rounds", orders.len());
    }

    #[test]
    fn a_round_that_does_not_fit_the_budget_does_not_start() {
        let plan = Plan { budget_ns: Some(10), ..plan(2, 5) };
        let (done, why) = play(&plan, 2, |_| false);
        assert_eq!((done.len(), why), (4, WhyDone::Budget { rounds: 2 }));
        let small = Plan { budget_ns: Some(1), ..plan };
        assert_eq!(play(&small, 2, |_| false).0.len(), 2, "the first round always runs");
    }

    #[test]
    fn a_candidate_that_failed_is_not_tried_again() {
        let plan = plan(3, 4);
        let (done, why) = play(&plan, 1, |name| name == "c1");
        assert_eq!((done.len(), why), (3 + 2 * 3, WhyDone::Rounds));
        let (done, why) = play(&plan, 1, |_| true);
        assert_eq!((done.len(), why), (3, WhyDone::Failed));
    }
}
