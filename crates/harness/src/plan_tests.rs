use super::*;
use kurabe_protocol::{End, Load, Operation, Phase, Schema};
use kurabe_record::{AxisValue, Configuration, Entry, Factor, JobError, JobErrorKind, PhasePlan, PhaseRecord};
use proptest::prelude::*;

use crate::samples::{self, study_plan as study};

#[path = "plan_again_tests.rs"]
mod again;

const SECOND_NS: u64 = 1_000_000_000;
/// What a simulated job takes beside its phase.
const START_NS: u64 = SECOND_NS / 10;

fn configuration(factors: &[(&str, u64)], rows: u64, rounds: u32) -> Configuration {
    let phase = Phase::new("load", Load::Row, End::Count(rows));
    let factor = |(axis, value): &(&str, u64)| Factor { axis: (*axis).into(), value: AxisValue::Number(*value) };
    Configuration {
        factors: factors.iter().map(factor).collect(),
        rows,
        rounds,
        schema: Schema::key_value(10),
        encoding: kurabe_protocol::Encoding::Raw,
        phases: vec![PhasePlan::new(phase, true)],
        only: Vec::new(),
    }
}

fn size(rows: u64, rounds: u32) -> Configuration {
    configuration(&[("rows", rows)], rows, rounds)
}

fn plan(study: &StudyPlan, candidates: usize) -> Plan<'_> {
    let participant = |at| Participant { name: format!("c{at}"), kind: StoreKind::Store };
    Plan { candidates: (0..candidates).map(participant).collect(), study }
}

/// One configuration of ten rows.
fn flat(rounds: u32, budget_s: Option<u64>) -> StudyPlan {
    study(vec![size(10, rounds)], budget_s)
}

/// Three sizes with five rounds each.
fn sized(budget_s: u64) -> StudyPlan {
    study(vec![size(10_000, 5), size(100_000, 5), size(1_000_000, 5)], Some(budget_s))
}

/// A job whose load takes `load_ns` and which takes [`START_NS`] beside it.
fn job(plan: &Plan<'_>, next: &NextJob, load_ns: u64, failed: bool) -> JobRecord {
    let error = || JobError { kind: JobErrorKind::Client, phase: None, message: "planted".into() };
    let phases = vec![load_of(plan.study.configurations[next.config].rows, load_ns)];
    JobRecord {
        number: next.number,
        configuration: next.config as u32,
        round: next.round,
        error: failed.then(error),
        ..samples::job(&plan.candidates[next.candidate].name, START_NS + load_ns, phases)
    }
}

fn load_of(rows: u64, load_ns: u64) -> PhaseRecord {
    samples::phase("load", Operation::Load, rows, load_ns)
}

/// A run as it came to its end.
struct Played {
    jobs: Vec<JobRecord>,
    skipped: Vec<SkippedRecord>,
    /// Both, in order.
    entries: Vec<Entry>,
    why: EndReason,
}

impl Played {
    /// Rounds that a candidate has at a configuration.
    fn rounds(&self, candidate: &str, config: u32) -> usize {
        self.jobs.iter().filter(|job| job.candidate == candidate && job.configuration == config).count()
    }

    fn spent_ns(&self) -> u64 {
        let stopped = self.skipped.iter().filter_map(|skipped| skipped.stopped_after_ns);
        self.jobs.iter().map(whole_ns).chain(stopped).sum()
    }

    fn skipped(&self, candidate: &str) -> Option<&SkippedRecord> {
        self.skipped.iter().find(|skipped| skipped.candidate == candidate)
    }
}

/// Plays a plan to its end from what is done already; `load_ns` tells the time of a load by candidate, configuration
/// and round.
fn play_on(
    plan: &Plan<'_>,
    mut entries: Vec<Entry>,
    load_ns: &dyn Fn(usize, usize, u32) -> u64,
    fails: &dyn Fn(&str, u32) -> bool,
) -> Played {
    let rounds: usize = plan.study.configurations.iter().map(|config| config.rounds as usize).sum();
    // A job that was stopped is tried again with twice the time: not often.
    let most = plan.candidates.len() * (rounds + 9 * plan.study.configurations.len());
    loop {
        assert!(
            entries.len() <= most,
            "a job a round and a few skips a configuration are all that a candidate can have"
        );
        let jobs: Vec<JobRecord> = entries
            .iter()
            .filter_map(|entry| if let Entry::Job(job) = entry { Some(*job.clone()) } else { None })
            .collect();
        let skipped: Vec<SkippedRecord> = entries
            .iter()
            .filter_map(|entry| if let Entry::Skipped(skipped) = entry { Some(skipped.clone()) } else { None })
            .collect();
        let entry = match next(plan, Done { jobs: &jobs, superseded: &[], repeats: &[], skipped: &skipped }) {
            NextStep::Done(why) => return Played { jobs, skipped, entries, why },
            NextStep::Skipped(skipped) => Entry::Skipped(skipped),
            NextStep::Job(found) => {
                let took_ns = load_ns(found.candidate, found.config, found.round);
                match (found.limit_ns(), &found.if_stopped) {
                    (Some(limit_ns), Some(skipped)) if START_NS + took_ns > limit_ns => {
                        Entry::Skipped(SkippedRecord { stopped_after_ns: Some(limit_ns), ..skipped.clone() })
                    }
                    _ => {
                        let failed = fails(&plan.candidates[found.candidate].name, found.config as u32);
                        Entry::Job(Box::new(job(plan, &found, took_ns, failed)))
                    }
                }
            }
        };
        entries.push(entry);
    }
}

fn play(plan: &Plan<'_>, load_ns: u64, fails: impl Fn(&str) -> bool) -> Played {
    play_on(plan, Default::default(), &|_, _, _| load_ns, &|name, _| fails(name))
}

/// A candidate whose row costs so many ns, and `exponent` more in total time as data grows.
fn grows(row_ns: f64, exponent: f64, rows: u64) -> u64 {
    (row_ns * 10_000.0 * (rows as f64 / 10_000.0).powf(exponent)) as u64
}

proptest! {
    #[test]
    fn every_candidate_runs_once_a_round_and_rounds_never_mix(
        candidates in 1usize..9, rounds in 1u32..6, sizes in 1usize..4, beside in 1u64..4,
    ) {
        let configs = (0..sizes).flat_map(|size| {
            (0..beside).map(move |other| configuration(&[("rows", 10 << size), ("depth", other)], 10 << size, rounds))
        });
        let study = study(configs.collect(), None);
        let plan = plan(&study, candidates);
        let played = play(&plan, 1, |_| false);
        prop_assert_eq!(played.why, EndReason::Rounds);
        prop_assert_eq!(played.jobs.len(), candidates * rounds as usize * study.configurations.len());
        let mut places = Vec::new();
        for jobs in played.jobs.chunks(candidates) {
            let place = (study.configurations[jobs[0].configuration as usize].rows, jobs[0].round, jobs[0].configuration);
            prop_assert!(jobs.iter().all(|job| (job.configuration, job.round) == (place.2, place.1)));
            let mut names: Vec<&String> = jobs.iter().map(|job| &job.candidate).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), candidates);
            places.push(place);
        }
        // Rows ascend, and configurations of the same rows take turns round by round.
        prop_assert!(places.is_sorted_by_key(|place| (place.0, place.1)));
    }

    #[test]
    fn a_replay_goes_on_where_it_stopped(
        costs in proptest::collection::vec(1u32..2_000, 1..6), budget_s in 1u64..200, stop in 0usize..90,
        wobble in 1u64..50,
    ) {
        let study = sized(budget_s);
        let plan = plan(&study, costs.len());
        let load_ns = |candidate: usize, config: usize, round: u32| {
            let ns = grows(f64::from(costs[candidate]), 1.1, study.configurations[config].rows);
            ns + ns / 100 * (u64::from(round) * wobble % 17)
        };
        let whole = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
        let kept = whole.entries[..stop % (whole.entries.len() + 1)].to_vec();
        prop_assert_eq!(play_on(&plan, kept, &load_ns, &|_, _| false).entries, whole.entries);
    }

    #[test]
    fn the_budget_is_never_passed_by_more_than_one_estimate(
        costs in proptest::collection::vec((1u32..20_000, 0u32..20), 1..8), budget_s in 1u64..100,
    ) {
        let study = sized(budget_s);
        let plan = plan(&study, costs.len());
        let load_ns = |candidate: usize, config: usize, _: u32| {
            let (cost, more) = costs[candidate];
            grows(f64::from(cost), 1.0 + f64::from(more) / 10.0, study.configurations[config].rows)
        };
        let played = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
        // A job is let in only if its estimate fits, and is stopped when it has taken that twice.
        prop_assert!(played.spent_ns() <= 2 * budget_s * SECOND_NS, "{} ns", played.spent_ns());
        for skipped in &played.skipped {
            let later = played.jobs.iter().filter(|job| job.candidate == skipped.candidate && job.configuration > skipped.configuration);
            prop_assert!(!skipped.holds(&played.jobs) || later.count() == 0, "nothing runs beyond a skip");
        }
    }

    #[test]
    fn a_store_that_needs_no_more_than_its_share_has_its_rounds_whatever_the_others_take(
        costs_s in proptest::collection::vec(1u64..400, 1..9), budget_s in 20u64..2_000, seed in 0u64..99,
    ) {
        let mut study = flat(5, Some(budget_s));
        study.seed = seed;
        let plan = plan(&study, costs_s.len());
        let load_ns = |one: usize, _: usize, _: u32| costs_s[one] * SECOND_NS - START_NS;
        let played = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
        let share_s = budget_s / costs_s.len() as u64;
        for (one, cost_s) in costs_s.iter().enumerate().filter(|(_, cost_s)| 3 * **cost_s <= share_s) {
            prop_assert!(played.rounds(&format!("c{one}"), 0) >= 3, "c{one} of {cost_s} s: {:?}", played.skipped);
        }
    }

    #[test]
    fn what_is_left_is_too_short_for_anything_that_was_left_out(
        costs_s in proptest::collection::vec(1u64..60, 1..7), budget_s in 20u64..600, grows_by in 2u64..20,
    ) {
        let study = study(vec![size(10, 3), size(20, 3)], Some(budget_s));
        let plan = plan(&study, costs_s.len());
        let load_ns = |one: usize, config: usize, _: u32| costs_s[one] * [1, grows_by][config] * SECOND_NS - START_NS;
        let played = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
        let left_ns = (budget_s * SECOND_NS).saturating_sub(played.spent_ns());
        for skipped in played.skipped.iter().filter(|skipped| skipped.holds(&played.jobs)) {
            let needed_ns = skipped.stopped_after_ns.map(|ns| 2 * ns).or(skipped.estimate_ns);
            prop_assert!(needed_ns.is_none_or(|needed_ns| left_ns < needed_ns), "{left_ns} ns are left: {skipped:?}");
        }
        for config in 0..2 {
            for one in 0..costs_s.len() {
                let name = format!("c{one}");
                let is_out = |skipped: &&SkippedRecord| skipped.candidate == name && skipped.configuration <= config && skipped.holds(&played.jobs);
                let is_through = played.rounds(&name, config) == 3 || played.skipped.iter().any(|skipped| is_out(&skipped));
                prop_assert!(is_through, "{name} at {config}: {:?}", played.skipped);
            }
        }
    }
}

#[test]
fn one_store_of_unknown_length_does_not_cost_the_others_their_rounds() {
    // Two minutes for six stores and two baselines; the jobs of one take longer than the rest needs for all rounds.
    let costs_ms = [300, 300, 1_300, 2_200, 5_000, 2_000, 1_500, 85_000];
    for seed in 0..20 {
        let mut study = flat(5, Some(120));
        study.seed = seed;
        let plan = plan(&study, costs_ms.len());
        let load_ns = |one: usize, _: usize, _: u32| costs_ms[one] * SECOND_NS / 1_000;
        let played = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
        let rounds: Vec<usize> = (0..7).map(|one| played.rounds(&format!("c{one}"), 0)).collect();
        assert_eq!(rounds, [5; 7], "seed {seed}: {:?}", played.skipped);
        let stopped: Vec<u64> = played.skipped.iter().filter_map(|skipped| skipped.stopped_after_ns).collect();
        assert!(
            !stopped.is_empty() && played.skipped.iter().all(|skipped| skipped.candidate == "c7"),
            "{:?}",
            played.skipped
        );
        // What the others leave is its own.
        assert!(120 * SECOND_NS - played.spent_ns() < 2 * stopped.iter().max().unwrap(), "seed {seed}: {stopped:?}");
    }
}

#[test]
fn what_was_stopped_is_done_with_what_the_others_left() {
    // 12 s a job where the share is 10 s.
    let mut study = flat(3, Some(40));
    let slow_first = |seed: &u64| order(&plan(&StudyPlan { seed: *seed, ..study.clone() }, 4), 0, 0)[0] == 0;
    study.seed = (0..).find(slow_first).expect("some seed");
    let load_ns = |one: usize, _: usize, _: u32| [12 * SECOND_NS, 1, 1, 1][one];
    let played = play_on(&plan(&study, 4), Default::default(), &load_ns, &|_, _| false);
    assert_eq!(played.skipped[0].stopped_after_ns, Some(10 * SECOND_NS));
    // 29 s are left then: room for two.
    assert_eq!([0, 1, 2, 3].map(|one| played.rounds(&format!("c{one}"), 0)), [2, 3, 3, 3], "{:?}", played.skipped);
    let holding: Vec<(u32, bool)> =
        played.skipped.iter().map(|skipped| (skipped.rounds, skipped.holds(&played.jobs))).collect();
    assert_eq!(holding, [(0, false), (2, true)]);
}

#[test]
fn one_round_at_the_largest_size_is_worth_more_than_a_skipped() {
    // Five minutes: c2 takes a second at the smallest size, and a hundred at the largest.
    let study = study(vec![size(10_000, 5), size(100_000, 5), size(1_000_000, 5)], Some(300));
    let row_ns = [3_000.0, 1_000.0, 100_000.0];
    let load_ns = |one: usize, config: usize, _: u32| grows(row_ns[one], 1.0, study.configurations[config].rows);
    let played = play_on(&plan(&study, 3), Default::default(), &load_ns, &|_, _| false);
    assert_eq!([0, 1, 2].map(|one| played.rounds(&format!("c{one}"), 2) > 2), [true, true, false]);
    assert!((1..=2).contains(&played.rounds("c2", 2)), "{:?}", played.skipped);
    let left_ns = 300 * SECOND_NS - played.spent_ns();
    assert!(left_ns < 101 * SECOND_NS, "{left_ns} ns are left");
    let skipped = played.skipped("c2").expect("skipped");
    assert_eq!((skipped.configuration, skipped.needed_rounds, skipped.stopped_after_ns), (2, 1, None));
    assert_eq!(skipped.rounds as usize, played.rounds("c2", 2));
}

#[test]
fn the_order_changes_from_round_to_round_and_from_level_to_level() {
    let study = study(vec![size(10, 20), size(20, 20)], None);
    let plan = plan(&study, 6);
    let places = (0..2).flat_map(|config| (0..20).map(move |round| (config, round)));
    let orders: std::collections::BTreeSet<Vec<usize>> =
        places.map(|(config, round)| order(&plan, config, round)).collect();
    assert!(orders.len() > 33, "{} different orders in 40 rounds", orders.len());
}

#[test]
fn all_orders_of_three_come_equally_often() {
    let study = flat(600, None);
    let plan = plan(&study, 3);
    let mut seen: std::collections::BTreeMap<Vec<usize>, usize> = Default::default();
    (0..600).for_each(|round| *seen.entry(order(&plan, 0, round)).or_default() += 1);
    // 100 of 600 are expected of each, with a standard deviation of 9.
    assert!(seen.len() == 6 && seen.values().all(|count| (70..130).contains(count)), "{seen:?}");
}

#[test]
fn the_order_of_a_recorded_round_is_the_same_for_ever() {
    // A run that was begun by an earlier Kurabe goes on by these.
    let study = study(vec![size(10, 2), size(20, 2)], None);
    let plan = plan(&study, 5);
    let orders = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(config, round)| order(&plan, config, round));
    assert_eq!(orders, [[3, 1, 2, 0, 4], [3, 2, 0, 4, 1], [3, 2, 0, 4, 1], [0, 2, 1, 4, 3]]);
}

#[test]
fn configurations_of_the_same_rows_change_their_order_apart_from_that_of_candidates() {
    // At three rows there are six configurations, and configuration 3 is among them: the streams of both shuffles have
    // a 3 above.
    let configs = (1..7).map(|depth| configuration(&[("depth", depth)], 3, 20)).collect();
    let study = study(configs, None);
    let plan = plan(&study, 6);
    let jobs = play(&plan, 1, |_| false).jobs;
    let rounds = jobs.chunks(36).map(|jobs| jobs.iter().step_by(6).map(|job| job.configuration as usize).collect());
    let rounds: Vec<Vec<usize>> = rounds.collect();
    let different: BTreeSet<&Vec<usize>> = rounds.iter().collect();
    assert!(rounds.len() == 20 && different.len() > 15, "{rounds:?}");
    let candidates: Vec<Vec<usize>> = (0..20).map(|round| order(&plan, 3, round)).collect();
    let alike = rounds.iter().filter(|configs| candidates.contains(configs)).count();
    assert!(alike < 4, "of 20 orders out of 720, {alike} are orders of candidates too");
}

#[test]
fn configurations_of_the_same_rows_have_as_many_rounds_as_each_asks_for() {
    let study = study(vec![configuration(&[("depth", 1)], 10, 2), configuration(&[("depth", 8)], 10, 5)], None);
    let played = play(&plan(&study, 2), 1, |_| false);
    assert_eq!([0, 1].map(|config| played.rounds("c0", config)), [2, 5]);
    assert_eq!((played.jobs.len(), played.why), (14, EndReason::Rounds));
}

#[test]
fn a_round_that_just_fits_the_budget_starts() {
    // Five rounds of two jobs of 2 s each take 20 s.
    let study = flat(5, Some(20));
    let played = play(&plan(&study, 2), 2 * SECOND_NS - START_NS, |_| false);
    assert_eq!((played.jobs.len(), played.skipped.len(), played.why), (10, 0, EndReason::Rounds));
    // So do three rounds, where there is time for no more.
    let study = flat(3, Some(12));
    let played = play(&plan(&study, 2), 2 * SECOND_NS - START_NS, |_| false);
    assert_eq!((played.jobs.len(), played.skipped.len(), played.why), (6, 0, EndReason::Rounds));
    let study = flat(5, Some(12));
    let played = play(&plan(&study, 2), 2 * SECOND_NS - START_NS, |_| false);
    assert_eq!((played.jobs.len(), played.why), (6, EndReason::Budget { rounds: 3 }));
}

#[test]
fn the_noise_of_a_baseline_draws_no_rounds() {
    let configs = || (1..3).map(|depth| configuration(&[("depth", depth)], 10, 5)).collect::<Vec<Configuration>>();
    // The baseline is noisy at the first configuration, the store at the second.
    let load_ns = |candidate: usize, config: usize, round: u32| {
        let share = if candidate == config { 50 } else { 1 };
        SECOND_NS + u64::from(round % 3) * SECOND_NS * share / 100
    };
    let study = study(configs(), Some(1_000));
    let mut plan = plan(&study, 2);
    plan.candidates[0].kind = StoreKind::Baseline;
    let played = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
    let blocks: Vec<(u32, u32)> = played.jobs.chunks(2).map(|jobs| (jobs[0].configuration, jobs[0].round)).collect();
    assert_eq!(blocks[6..8], [(1, 3), (1, 4)], "{blocks:?}");
}

#[test]
fn a_round_that_does_not_fit_the_budget_does_not_start() {
    // Five rounds of two jobs of 2 s each would take 20 s.
    let study = flat(5, Some(15));
    let played = play(&plan(&study, 2), 2 * SECOND_NS - START_NS, |_| false);
    assert_eq!((played.jobs.len(), played.skipped.len(), played.why), (6, 0, EndReason::Budget { rounds: 3 }));
}

#[test]
fn where_not_all_get_the_rounds_for_a_rank_the_cheapest_do() {
    let study = flat(5, Some(30));
    let load_ns = |candidate: usize, _: usize, _: u32| [SECOND_NS, 2 * SECOND_NS, 9 * SECOND_NS][candidate];
    let played = play_on(&plan(&study, 3), Default::default(), &load_ns, &|_, _| false);
    // One round of all takes 12.3 s, and two more of the first two 6.4 s; then one more of the third fits, and no other.
    assert_eq!([0, 1, 2].map(|one| played.rounds(&format!("c{one}"), 0)), [3, 3, 2]);
    let skipped = played.skipped("c2").expect("skipped");
    assert_eq!((skipped.rounds, skipped.needed_rounds, skipped.estimate_ns), (2, 1, Some(9 * SECOND_NS + START_NS)));
}

#[test]
fn a_candidate_that_failed_is_not_tried_again() {
    let four = flat(4, None);
    let of_four = plan(&four, 3);
    let played = play(&of_four, 1, |name| name == "c1");
    assert_eq!((played.jobs.len(), played.why), (3 + 2 * 3, EndReason::Rounds));
    let played = play(&of_four, 1, |_| true);
    assert_eq!((played.jobs.len(), played.why), (3, EndReason::Failed));
    let sizes = StudyPlan { budget_ns: None, ..sized(1) };
    let played = play(&plan(&sizes, 2), 1, |name| name == "c0");
    assert_eq!((played.rounds("c0", 0), played.rounds("c0", 1)), (1, 0), "nor with more rows");
    assert_eq!(played.rounds("c1", 2), 5);
    // With other connections it may go well.
    let beside =
        study(vec![configuration(&[("connections", 1)], 10, 2), configuration(&[("connections", 8)], 10, 2)], None);
    let played =
        play_on(&plan(&beside, 2), Default::default(), &|_, _, _| 1, &|name, config| name == "c0" && config == 1);
    assert_eq!((played.rounds("c0", 0), played.rounds("c0", 1), played.rounds("c1", 1)), (2, 1, 2));
}

#[test]
fn a_run_in_which_all_fail_ends_the_same_way_in_the_last_round_and_before_it() {
    for rounds in [1, 4] {
        assert_eq!(play(&plan(&flat(rounds, None), 3), 1, |_| true).why, EndReason::Failed, "{rounds} rounds");
    }
    let two = study(vec![size(10, 1), size(100, 1)], None);
    assert_eq!(play(&plan(&two, 2), 1, |_| true).why, EndReason::Failed);
    let one = play(&plan(&flat(1, None), 3), 1, |name| name == "c1");
    assert_eq!(one.why, EndReason::Rounds);
    let failed = Done { jobs: &one.jobs, superseded: &[], repeats: &[], skipped: &one.skipped }.failed();
    assert_eq!(failed.into_iter().collect::<Vec<_>>(), ["c1"]);
}

#[test]
fn the_slow_one_is_skipped_and_the_fast_ones_grow_on() {
    // c0: 2 µs a row, so 2 s at a million. c1: 200 µs, 20 s at 100 thousand, 200 s at a million.
    let study = sized(180);
    let row_ns = [2_000.0, 200_000.0];
    let load_ns = |one: usize, config: usize, _: u32| grows(row_ns[one], 1.0, study.configurations[config].rows);
    let played = play_on(&plan(&study, 2), Default::default(), &load_ns, &|_, _| false);
    assert_eq!((played.rounds("c0", 2), played.rounds("c1", 2)), (5, 0));
    let skipped = played.skipped("c1").expect("skipped");
    assert_eq!(
        (skipped.configuration, skipped.rounds, skipped.needed_rounds, skipped.stopped_after_ns),
        (2, 0, 1, None)
    );
    // A round of 200 s and its start.
    let estimate_s = skipped.estimate_ns.expect("known") as f64 / 1e9;
    assert!((estimate_s - 200.1).abs() < 0.1, "{estimate_s}");
    assert!(skipped.left_ns < 180 * SECOND_NS && skipped.left_ns > 50 * SECOND_NS, "{}", skipped.left_ns);
    assert!(played.skipped("c0").is_none());
}

#[test]
fn a_dear_store_at_a_small_size_does_not_keep_a_cheap_one_from_the_largest() {
    // c1 takes 4 s at 10 thousand rows and would take 40 s at 100 thousand: 120 s for three rounds of the 100 s there are.
    let study = sized(100);
    let row_ns = [2_000.0, 400_000.0, 20_000.0];
    let load_ns = |one: usize, config: usize, _: u32| grows(row_ns[one], 1.0, study.configurations[config].rows);
    let played = play_on(&plan(&study, 3), Default::default(), &load_ns, &|_, _| false);
    assert_eq!(played.skipped("c1").map(|skipped| skipped.configuration), Some(1));
    assert_eq!((played.rounds("c0", 2), played.rounds("c2", 2)), (3, 3), "{:?}", played.skipped);
    // It is in the rounds that come afterwards where they fit.
    assert_eq!(played.rounds("c1", 0), 5);
}

#[test]
fn the_rounds_for_a_place_come_first_at_every_level_and_more_go_where_intervals_are_widest() {
    let configs = || (1..4).map(|depth| configuration(&[("depth", depth)], 10, 5)).collect::<Vec<Configuration>>();
    let long = study(configs(), Some(1_000));
    // Steady but at the middle one.
    let load_ns = |_: usize, config: usize, round: u32| match config {
        1 => SECOND_NS + u64::from(round % 3) * SECOND_NS,
        _ => SECOND_NS + u64::from(round % 3) * SECOND_NS / 100,
    };
    let played = play_on(&plan(&long, 2), Default::default(), &load_ns, &|_, _| false);
    let blocks: Vec<(u32, u32)> = played.jobs.chunks(2).map(|jobs| (jobs[0].configuration, jobs[0].round)).collect();
    assert!(blocks[..9].iter().all(|(_, round)| *round < 3), "{blocks:?}");
    assert_eq!(blocks[9..11], [(1, 3), (1, 4)], "where intervals are widest");
    assert_eq!((blocks.len(), played.why), (15, EndReason::Rounds));
    // With time for one block more, it is one of that configuration: two jobs of 2.1 s, the mean of its rounds so far.
    let ns: u64 = played.jobs[..18].iter().map(whole_ns).sum();
    let mut short = study(configs(), None);
    short.budget_ns = Some(ns + 42 * SECOND_NS / 10);
    let played = play_on(&plan(&short, 2), Default::default(), &load_ns, &|_, _| false);
    assert_eq!((played.rounds("c0", 1), played.rounds("c1", 1), played.skipped.len()), (4, 4, 0));
    assert_eq!(played.why, EndReason::Budget { rounds: 10 });
    // Where that does not fit by a hair, it is one of the others.
    short.budget_ns = Some(ns + 42 * SECOND_NS / 10 - 1);
    let played = play_on(&plan(&short, 2), Default::default(), &load_ns, &|_, _| false);
    assert_eq!([0, 1, 2].map(|config| played.rounds("c1", config)), [4, 3, 3]);
    assert_eq!((played.skipped.len(), played.why), (0, EndReason::Budget { rounds: 10 }));
}

#[test]
fn growth_that_was_seen_goes_into_the_estimate() {
    // Total time grows with rows^1.5: 1 s, 31.6 s, 1000 s. From 100 thousand on it is known to.
    let study = sized(100_000);
    let plan = plan(&study, 1);
    let steep = |_: usize, config: usize, _: u32| grows(100_000.0, 1.5, study.configurations[config].rows);
    let played = play_on(&plan, Default::default(), &steep, &|_, _| false);
    let at = |most: u32| played.jobs.iter().filter(|job| job.configuration <= most).cloned().collect::<Vec<_>>();
    let estimate_s =
        |most: u32, config| job_ns(&study.configurations, &at(most), "c0", config).expect("known").ns as f64 / 1e9;
    assert!((estimate_s(0, 1) - 10.1).abs() < 0.01, "linear where nothing else is known");
    assert!((estimate_s(1, 2) - 1_000.1).abs() < 0.1, "{}", estimate_s(1, 2));
    // Growth below linear is taken as linear: a start that weighs less is no law.
    let slow = |_: usize, config: usize, _: u32| grows(100_000.0, 0.5, study.configurations[config].rows);
    let flat = play_on(&plan, Default::default(), &slow, &|_, _| false);
    let smaller: Vec<JobRecord> = flat.jobs.iter().filter(|job| job.configuration < 2).cloned().collect();
    let linear = job_ns(&study.configurations, &smaller, "c0", 2).expect("known").ns as f64 / 1e9;
    assert!((linear - (0.1 + 31.62)).abs() < 0.01, "{linear}");
    assert_eq!(job_ns(&study.configurations, &[], "c0", 1), None);
}

#[test]
fn an_estimate_follows_the_level_that_is_the_same_in_everything_but_rows() {
    let at = |rows: u64, connections: u64| configuration(&[("rows", rows), ("connections", connections)], rows, 3);
    let study = study(vec![at(10, 1), at(10, 8), at(100, 1), at(100, 8)], None);
    let plan = plan(&study, 1);
    let load_ns = |_: usize, config: usize, _: u32| [SECOND_NS, 3 * SECOND_NS, 0, 0][config];
    let played = play_on(&plan, Default::default(), &load_ns, &|_, _| false);
    let small: Vec<JobRecord> = played.jobs.iter().filter(|job| job.configuration < 2).cloned().collect();
    let estimate_s =
        |jobs: &[JobRecord], config| job_ns(&study.configurations, jobs, "c0", config).expect("known").ns as f64 / 1e9;
    assert!((estimate_s(&small, 2) - 10.1).abs() < 0.01 && (estimate_s(&small, 3) - 30.1).abs() < 0.01);
    // Where only the other connections are known, they are the best guess there is.
    let one: Vec<JobRecord> = small.iter().filter(|job| job.configuration == 0).cloned().collect();
    assert!((estimate_s(&one, 1) - 1.1).abs() < 0.01 && (estimate_s(&one, 3) - 10.1).abs() < 0.01);
}

#[test]
fn other_work_with_as_many_rows_is_tried_once_before_it_is_judged() {
    // A commit each takes 10 s, a commit for many rows 1 s: from the one the other cannot be told.
    let at = |every: u64| configuration(&[("commit_every", every)], 10, 3);
    let study = study(vec![at(1), at(100)], Some(45));
    let load_ns = |_: usize, config: usize, _: u32| [10 * SECOND_NS, SECOND_NS][config];
    let played = play_on(&plan(&study, 1), Default::default(), &load_ns, &|_, _| false);
    assert_eq!((played.rounds("c0", 0), played.rounds("c0", 1)), (3, 3), "{:?}", played.skipped);
}

#[test]
fn no_time_is_kept_for_who_failed_at_another_level() {
    // c0 fails in its first round at the first configuration: 1.1 s there, three times as much at the second. With six
    // jobs of 5.1 s by c1 that makes 35 s, and the budget has no more.
    let study = study(vec![configuration(&[("depth", 1)], 10, 3), configuration(&[("depth", 8)], 10, 3)], Some(35));
    let load_ns = |candidate: usize, _: usize, _: u32| [SECOND_NS, 5 * SECOND_NS][candidate];
    let fails = |name: &str, config: u32| (name, config) == ("c0", 0);
    let played = play_on(&plan(&study, 2), Default::default(), &load_ns, &fails);
    assert_eq!([0, 1].map(|config| played.rounds("c0", config)), [1, 3]);
    assert_eq!(([0, 1].map(|config| played.rounds("c1", config)), played.skipped.len()), ([3, 3], 0));
    assert_eq!(played.spent_ns(), 35 * SECOND_NS);
}

#[test]
fn a_job_that_runs_past_its_share_is_stopped_and_skipped() {
    // It jumps a hundredfold at 100 thousand: 0.1 s, then 100 s where 1 s was expected.
    let study = sized(20);
    let load_ns = |_: usize, config: usize, _: u32| if config > 0 { 100 * SECOND_NS } else { SECOND_NS / 10 };
    let played = play_on(&plan(&study, 1), Default::default(), &load_ns, &|_, _| false);
    let skipped = played.skipped("c0").expect("skipped");
    assert_eq!((skipped.configuration, skipped.rounds), (1, 0));
    let limit_ns = skipped.left_ns + skipped.estimate_ns.expect("known");
    assert_eq!(skipped.stopped_after_ns, Some(limit_ns));
    // Three rounds of 0.2 s were done.
    assert_eq!(limit_ns, 20 * SECOND_NS - 6 * SECOND_NS / 10 + 11 * SECOND_NS / 10);
}

#[test]
fn a_budget_without_room_for_the_first_round_is_shared() {
    let study = sized(1);
    let played = play(&plan(&study, 3), 2 * SECOND_NS, |_| false);
    assert_eq!((played.jobs.len(), played.skipped.len(), played.why), (0, 3, EndReason::Budget { rounds: 0 }));
    // Each has its share, and nobody more.
    let is_a_third = |ns: u64| ns.abs_diff(SECOND_NS / 3) < 2;
    assert!(
        played.skipped.iter().all(|skipped| skipped.stopped_after_ns.is_some_and(is_a_third)),
        "{:?}",
        played.skipped
    );
}
