use super::*;
use kurabe_machine::QuietWait;
use kurabe_protocol::{Operation, Phase};
use kurabe_record::{Entry, JobError, JobErrorKind, PhaseOutcome, PhasePlan, PhaseRecord};
use proptest::prelude::*;
use serde_json::json;

const SECOND_NS: u64 = 1_000_000_000;
/// What a simulated job takes beside its phase.
const START_NS: u64 = SECOND_NS / 10;

fn size(rows: u64, rounds: u32) -> SizePlan {
    let mut phase = Phase::new("load", Operation::Load);
    phase.count = Some(rows);
    SizePlan { rows, rounds, phases: vec![PhasePlan { phase, deciding: true }] }
}

fn plan(candidates: usize, rounds: u32) -> Plan {
    let candidates = (0..candidates).map(|candidate| format!("c{candidate}")).collect();
    Plan { candidates, sizes: vec![size(10, rounds)], seed: 7, budget_ns: None }
}

/// A job whose load takes `load_ns` and which takes [`START_NS`] beside it.
fn job(plan: &Plan, next: &NextJob, load_ns: u64, failed: bool) -> JobRecord {
    let error = || JobError { kind: JobErrorKind::Client, phase: None, message: "planted".into() };
    let rows = plan.sizes[next.level].rows;
    JobRecord {
        number: next.number,
        rows,
        round: next.round,
        candidate: plan.candidates[next.candidate].clone(),
        started_at: String::new(),
        lasted_ns: START_NS + load_ns,
        hello: None,
        info: Default::default(),
        settings: Vec::new(),
        undone: Vec::new(),
        canary: None,
        quiet: QuietWait { waited_ns: 0, quiet: true, known: true },
        sync_probe: None,
        other_runs: 0,
        empty_disk_bytes: None,
        phases: vec![load_of(rows, load_ns)],
        final_count: None,
        absent: Vec::new(),
        error: failed.then(error),
    }
}

fn load_of(rows: u64, load_ns: u64) -> PhaseRecord {
    let worker = json!({"worker": 0, "operations": rows, "failed": 0, "first_start_ns": 5, "last_end_ns": 5 + load_ns});
    let result = json!({
        "phase": "load", "workers": [worker], "latency": [], "failures": [], "checks": kurabe_protocol::Checks::default(),
        "retries": 0, "rows_read": 0, "series": kurabe_protocol::Series::default(), "cpu_user_ns": 0, "cpu_system_ns": 0,
        "threads": 1, "rows_present": rows, "rows_unknown": 0, "stopped_by": "count",
    });
    PhaseRecord {
        name: "load".into(),
        operation: Operation::Load,
        outcome: PhaseOutcome::Ran,
        results: vec![serde_json::from_value(result).expect("a result")],
        client: None,
        service: None,
        harness_cpu_ns: None,
        settle_ns: None,
        disk_bytes: None,
        store_bytes: None,
        counters: None,
    }
}

/// A run as it came to its end.
struct Played {
    jobs: Vec<JobRecord>,
    cuts: Vec<CutRecord>,
    /// Both, in order.
    entries: Vec<Entry>,
    why: WhyDone,
}

impl Played {
    /// Rounds that a candidate has at a size.
    fn rounds(&self, candidate: &str, rows: u64) -> usize {
        self.jobs.iter().filter(|job| job.candidate == candidate && job.rows == rows).count()
    }

    fn spent_ns(&self) -> u64 {
        let stopped = self.cuts.iter().filter_map(|cut| cut.stopped_after_ns);
        self.jobs.iter().map(whole_ns).chain(stopped).sum()
    }

    fn cut(&self, candidate: &str) -> Option<&CutRecord> {
        self.cuts.iter().find(|cut| cut.candidate == candidate)
    }
}

/// Plays a plan to its end from what is done already; `load_ns` tells the time of a load by candidate and rows.
fn play_on(
    plan: &Plan,
    mut entries: Vec<Entry>,
    load_ns: &dyn Fn(usize, u64) -> u64,
    fails: &dyn Fn(&str) -> bool,
) -> Played {
    loop {
        let jobs: Vec<JobRecord> = entries
            .iter()
            .filter_map(|entry| if let Entry::Job(job) = entry { Some(*job.clone()) } else { None })
            .collect();
        let cuts: Vec<CutRecord> = entries
            .iter()
            .filter_map(|entry| if let Entry::Cut(cut) = entry { Some(cut.clone()) } else { None })
            .collect();
        let entry = match next(plan, Done { jobs: &jobs, cuts: &cuts }) {
            Next::Done(why) => return Played { jobs, cuts, entries, why },
            Next::Cut(cut) => Entry::Cut(cut),
            Next::Job(found) => {
                let took_ns = load_ns(found.candidate, plan.sizes[found.level].rows);
                match (found.limit_ns(), &found.if_stopped) {
                    (Some(limit_ns), Some(cut)) if START_NS + took_ns > limit_ns => {
                        Entry::Cut(CutRecord { stopped_after_ns: Some(limit_ns), ..cut.clone() })
                    }
                    _ => {
                        let failed = fails(&plan.candidates[found.candidate]);
                        Entry::Job(Box::new(job(plan, &found, took_ns, failed)))
                    }
                }
            }
        };
        entries.push(entry);
    }
}

fn play(plan: &Plan, load_ns: u64, fails: impl Fn(&str) -> bool) -> Played {
    play_on(plan, Default::default(), &|_, _| load_ns, &fails)
}

/// Three sizes with five, five and three rounds.
fn sized(candidates: usize, budget_s: u64) -> Plan {
    let sizes = vec![size(10_000, 5), size(100_000, 5), size(1_000_000, 3)];
    Plan { sizes, budget_ns: Some(budget_s * SECOND_NS), ..plan(candidates, 1) }
}

/// A candidate whose row costs so many ns, and `exponent` more in total time as data grows.
fn grows(row_ns: f64, exponent: f64, rows: u64) -> u64 {
    (row_ns * 10_000.0 * (rows as f64 / 10_000.0).powf(exponent)) as u64
}

proptest! {
    #[test]
    fn every_candidate_runs_once_a_round_and_rounds_never_mix(
        candidates in 1usize..9, rounds in 1u32..6, sizes in 1usize..4,
    ) {
        let sizes: Vec<SizePlan> = (0..sizes).map(|level| size(10 << level, rounds)).collect();
        let plan = Plan { sizes: sizes.clone(), ..plan(candidates, 1) };
        let played = play(&plan, 1, |_| false);
        prop_assert_eq!(played.why, WhyDone::Rounds);
        prop_assert_eq!(played.jobs.len(), candidates * rounds as usize * sizes.len());
        let places = sizes.iter().flat_map(|size| (0..size.rounds).map(|round| (size.rows, round)));
        for (place, jobs) in places.zip(played.jobs.chunks(candidates)) {
            prop_assert!(jobs.iter().all(|job| (job.rows, job.round) == place));
            let mut names: Vec<&String> = jobs.iter().map(|job| &job.candidate).collect();
            names.sort();
            names.dedup();
            prop_assert_eq!(names.len(), candidates);
        }
    }

    #[test]
    fn a_replay_goes_on_where_it_stopped(
        costs in proptest::collection::vec(1u32..2_000, 1..6), budget_s in 1u64..200, stop in 0usize..90,
    ) {
        let plan = sized(costs.len(), budget_s);
        let load_ns = |candidate: usize, rows: u64| grows(f64::from(costs[candidate]), 1.1, rows);
        let whole = play_on(&plan, Default::default(), &load_ns, &|_| false);
        let kept = whole.entries[..stop % (whole.entries.len() + 1)].to_vec();
        prop_assert_eq!(play_on(&plan, kept, &load_ns, &|_| false).entries, whole.entries);
    }

    #[test]
    fn the_budget_is_never_passed_by_more_than_one_estimate(
        costs in proptest::collection::vec((1u32..20_000, 0u32..20), 1..8), budget_s in 1u64..100,
    ) {
        let plan = sized(costs.len(), budget_s);
        let load_ns = |candidate: usize, rows: u64| {
            let (cost, more) = costs[candidate];
            grows(f64::from(cost), 1.0 + f64::from(more) / 10.0, rows)
        };
        let played = play_on(&plan, Default::default(), &load_ns, &|_| false);
        // A job is let in only if its estimate fits, and is stopped when it has taken that twice.
        prop_assert!(played.spent_ns() <= 2 * budget_s * SECOND_NS, "{} ns", played.spent_ns());
        prop_assert_eq!(played.why, WhyDone::Rounds);
        for cut in &played.cuts {
            let later = played.jobs.iter().filter(|job| job.candidate == cut.candidate);
            prop_assert!(later.clone().all(|job| job.rows <= cut.rows), "nothing runs beyond a cut");
            prop_assert_eq!(later.filter(|job| job.rows == cut.rows).count(), cut.rounds as usize);
        }
    }
}

#[test]
fn the_order_changes_from_round_to_round_and_from_size_to_size() {
    let plan = plan(6, 20);
    let places = (0..2).flat_map(|level| (0..20).map(move |round| (level, round)));
    let orders: std::collections::BTreeSet<Vec<usize>> =
        places.map(|(level, round)| order(&plan, level, round)).collect();
    assert!(orders.len() > 33, "{} different orders in 40 rounds", orders.len());
}

#[test]
fn with_one_size_a_round_that_does_not_fit_the_budget_does_not_start() {
    let plan = Plan { budget_ns: Some(10 * SECOND_NS), ..plan(2, 5) };
    let two_s = 2 * SECOND_NS - START_NS;
    let played = play(&plan, two_s, |_| false);
    assert_eq!((played.jobs.len(), played.why), (4, WhyDone::Budget { rounds: 2 }));
    let small = Plan { budget_ns: Some(1), ..plan };
    assert_eq!(play(&small, two_s, |_| false).jobs.len(), 2, "the first round always runs");
}

#[test]
fn a_candidate_that_failed_is_not_tried_again() {
    let plan = plan(3, 4);
    let played = play(&plan, 1, |name| name == "c1");
    assert_eq!((played.jobs.len(), played.why), (3 + 2 * 3, WhyDone::Rounds));
    let played = play(&plan, 1, |_| true);
    assert_eq!((played.jobs.len(), played.why), (3, WhyDone::Failed));
    let sized = Plan { budget_ns: None, ..sized(2, 1) };
    let played = play(&sized, 1, |name| name == "c0");
    assert_eq!((played.rounds("c0", 10_000), played.rounds("c0", 100_000)), (1, 0), "nor at a larger size");
    assert_eq!(played.rounds("c1", 1_000_000), 3);
}

#[test]
fn a_run_in_which_all_fail_ends_the_same_way_in_the_last_round_and_before_it() {
    for rounds in [1, 4] {
        assert_eq!(play(&plan(3, rounds), 1, |_| true).why, WhyDone::Failed, "{rounds} rounds");
    }
    let sized = Plan { budget_ns: None, sizes: vec![size(10, 1), size(100, 1)], ..plan(2, 1) };
    assert_eq!(play(&sized, 1, |_| true).why, WhyDone::Failed);
    let one = play(&plan(3, 1), 1, |name| name == "c1");
    assert_eq!(one.why, WhyDone::Rounds);
    let failed = Done { jobs: &one.jobs, cuts: &one.cuts }.failed();
    assert_eq!(failed.into_iter().collect::<Vec<_>>(), ["c1"]);
}

#[test]
fn the_slow_one_is_cut_and_the_fast_ones_grow_on() {
    // c0: 2 µs a row, so 2 s at a million. c1: 200 µs, 20 s at 100 thousand, 200 s at a million.
    let plan = sized(2, 180);
    let row_ns = [2_000.0, 200_000.0];
    let played = play_on(&plan, Default::default(), &|one, rows| grows(row_ns[one], 1.0, rows), &|_| false);
    assert_eq!((played.rounds("c0", 1_000_000), played.rounds("c1", 1_000_000)), (3, 0));
    assert_eq!(played.rounds("c1", 100_000), 5);
    let cut = played.cut("c1").expect("cut");
    assert_eq!((cut.rows, cut.rounds, cut.needed_rounds, cut.stopped_after_ns), (1_000_000, 0, 3, None));
    // Three rounds of 200 s and the start of each.
    let estimate_s = cut.estimate_ns.expect("known") as f64 / 1e9;
    assert!((estimate_s - 600.3).abs() < 0.1, "{estimate_s}");
    assert!(cut.left_ns < 180 * SECOND_NS && cut.left_ns > 50 * SECOND_NS, "{}", cut.left_ns);
    assert!(played.cut("c0").is_none());
}

#[test]
fn growth_that_was_seen_goes_into_the_estimate() {
    // Total time grows with rows^1.5: 1 s, 31.6 s, 1000 s. From 100 thousand on it is known to.
    let plan = sized(1, 100_000);
    let played = play_on(&plan, Default::default(), &|_, rows| grows(100_000.0, 1.5, rows), &|_| false);
    let at = |rows: u64| played.jobs.iter().filter(|job| job.rows <= rows).cloned().collect::<Vec<_>>();
    let estimate_s = |rows: u64, level| job_ns(&plan.sizes, &at(rows), "c0", level).expect("known") as f64 / 1e9;
    assert!((estimate_s(10_000, 1) - 10.1).abs() < 0.01, "linear where nothing else is known");
    assert!((estimate_s(100_000, 2) - 1_000.1).abs() < 0.1, "{}", estimate_s(100_000, 2));
    // Growth below linear is taken as linear: a start that weighs less is no law.
    let flat = play_on(&plan, Default::default(), &|_, rows| grows(100_000.0, 0.5, rows), &|_| false);
    let smaller: Vec<JobRecord> = flat.jobs.iter().filter(|job| job.rows < 1_000_000).cloned().collect();
    let linear = job_ns(&plan.sizes, &smaller, "c0", 2).expect("known") as f64 / 1e9;
    assert!((linear - (0.1 + 31.62)).abs() < 0.01, "{linear}");
    assert_eq!(job_ns(&plan.sizes, &[], "c0", 1), None);
}

#[test]
fn a_job_that_runs_past_its_share_is_stopped_and_cut() {
    // It jumps a hundredfold at 100 thousand: 0.1 s, then 100 s where 1 s was expected.
    let plan = sized(1, 20);
    let played = play_on(
        &plan,
        Default::default(),
        &|_, rows| if rows > 10_000 { 100 * SECOND_NS } else { SECOND_NS / 10 },
        &|_| false,
    );
    let cut = played.cut("c0").expect("cut");
    assert_eq!((cut.rows, cut.rounds), (100_000, 0));
    let limit_ns = cut.left_ns + cut.estimate_ns.expect("known");
    assert_eq!(cut.stopped_after_ns, Some(limit_ns));
    assert_eq!(limit_ns, (20 - 1) * SECOND_NS + 11 * SECOND_NS / 10);
}

#[test]
fn a_budget_without_room_for_the_first_round_cuts_who_comes_last() {
    let plan = sized(3, 1);
    let played = play(&plan, 2 * SECOND_NS, |_| false);
    assert_eq!((played.jobs.len(), played.cuts.len(), played.why), (0, 3, WhyDone::Rounds));
    assert_eq!(played.cuts[0].stopped_after_ns, Some(SECOND_NS));
    assert_eq!((played.cuts[1].stopped_after_ns, played.cuts[1].left_ns), (None, 0));
}
