//! What figures rest on: the metrics of a phase, what candidates are ranked by, whether the client was the limit.

use crate::common::{
    SECOND_NS, baseline, complete, durability, english, job, kind, plan, ran, reads, run, said, store, tree,
};
use kurabe_analysis::{
    Answer, Because, ClientLimit, Decision, LimitBasis, PhaseRow, RankBy, Reason, Sentence, Status, Verdict, analyse,
    answer_by, phrases,
};
use kurabe_protocol::{Action, Histogram, Load, Mix, Operation};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, CandidateRecord, CandidateRequest, DurabilityLevel, Factor, JobRecord, Loaded, Metric,
    MinimumDurability, PhasePlan, RunRecord, StoreAccess, StoreProfile,
};

const FAST: [u64; 3] = [1_000, 1_010, 990];

fn row<'a>(answer: &'a Answer, candidate: &str) -> &'a PhaseRow {
    answer.phases[0].rows.iter().find(|row| row.candidate == candidate).expect("every candidate has a row")
}

fn limit(run: &RunRecord, jobs: &[JobRecord]) -> Option<ClientLimit> {
    row(&analyse(run, jobs, Some(&complete())), "a").limit
}

/// A store `a` over TCP whose client used so many hundredths of each of two threads and the service of each of four
/// cores.
fn served(client: u64, service: u64) -> (RunRecord, Vec<JobRecord>) {
    let record = run(3, vec![CandidateRecord { transport: StoreAccess::Tcp, ..store("a") }], reading());
    let mut jobs = reads("a", &FAST);
    for job in &mut jobs {
        let phase = &mut job.phases[0];
        phase.results.push(phase.results[0].clone());
        phase.client = Some(tree(2 * SECOND_NS * client / 100, 1));
        phase.service = Some(tree(4 * SECOND_NS * service / 100, 1));
    }
    (record, jobs)
}

fn reading() -> Vec<PhasePlan> {
    vec![plan("read", Action::Read)]
}

#[test]
fn how_busy_client_and_service_were_is_told_over_threads_and_cores_of_all_rounds() {
    let told = |client, service| {
        let (run, jobs) = served(client, service);
        let ClientLimit { client_was_the_limit, basis } = limit(&run, &jobs).expect("both trees were seen");
        let LimitBasis::Service { client_busy, service_busy } = basis else { panic!("it is a service: {basis:?}") };
        assert!((client_busy * 100.0 - client as f64).abs() < 1e-9, "{client_busy}");
        assert!((service_busy * 100.0 - service as f64).abs() < 1e-9, "{service_busy}");
        client_was_the_limit
    };
    assert!(told(95, 40));
    assert!(told(90, 89), "from 90 % on a client is busy");
    assert!(!told(89, 40) && !told(95, 90) && !told(50, 95));
}

#[test]
fn rounds_of_different_length_weigh_as_long_as_they_were() {
    let (run, mut jobs) = served(100, 10);
    // The third round takes two seconds, in which the client waits half of the time.
    jobs[2].phases[0].results.iter_mut().flat_map(|result| &mut result.workers).for_each(|one| {
        one.last_end_ns += SECOND_NS;
    });
    let basis = limit(&run, &jobs).expect("both trees were seen").basis;
    let LimitBasis::Service { client_busy, service_busy } = basis else { panic!("it is a service: {basis:?}") };
    // 6 of 8 seconds of threads, 1.2 of 16 seconds of cores.
    assert!((client_busy - 0.75).abs() < 1e-9 && (service_busy - 0.075).abs() < 1e-9, "{basis:?}");
}

#[test]
fn where_no_process_tree_was_seen_nothing_is_said_of_the_limit() {
    let (run, mut jobs) = served(95, 40);
    jobs.iter_mut().for_each(|job| job.phases[0].service = None);
    assert_eq!(limit(&run, &jobs), None);
    let (run, mut jobs) = served(95, 40);
    jobs.iter_mut().flat_map(|job| &mut job.phases[0].results).for_each(|result| result.threads = 0);
    assert_eq!(limit(&run, &jobs), None, "nor where no thread was counted");
}

/// A store inside the client, beside two baselines of which `echo` is that of the loop.
fn embedded(echo: [u64; 3], a: [u64; 3]) -> (RunRecord, Vec<JobRecord>) {
    let run = run(3, vec![baseline("map"), baseline("echo"), store("a")], reading());
    (run, [reads("map", &[9, 9, 9]), reads("echo", &echo), reads("a", &a)].concat())
}

fn share(limit: Option<ClientLimit>) -> (f64, bool) {
    let ClientLimit { client_was_the_limit, basis } = limit.expect("the baseline took part");
    let LimitBasis::Baseline { share } = basis else { panic!("it is no service: {basis:?}") };
    (share, client_was_the_limit)
}

#[test]
fn a_store_in_the_client_is_held_against_the_baseline_of_the_loop() {
    let told = |echo, a| {
        let (run, jobs) = embedded(echo, a);
        share(limit(&run, &jobs))
    };
    // One second a round: 600 and 60 operations in three.
    assert_eq!(told([100, 200, 300], [10, 20, 30]), (0.1, true));
    assert_eq!(told([200, 200, 200], [10, 10, 10]), (0.05, false), "a twentieth is not above a twentieth");
}

#[test]
fn where_nothing_was_completed_or_no_time_went_by_there_is_no_share() {
    let (run, mut jobs) = embedded(FAST, FAST);
    let idle = |jobs: &mut [JobRecord], name: &str| {
        for job in jobs.iter_mut().filter(|job| job.candidate == name) {
            let worker = &mut job.phases[0].results[0].workers[0];
            (worker.operations, worker.failed) = (0, 1);
        }
    };
    idle(&mut jobs, "a");
    assert_eq!(limit(&run, &jobs), None);
    let (run, mut jobs) = embedded(FAST, FAST);
    idle(&mut jobs, "echo");
    assert_eq!(limit(&run, &jobs), None);
    let (run, mut jobs) = embedded(FAST, FAST);
    for job in jobs.iter_mut().filter(|job| job.candidate == "a") {
        let worker = &mut job.phases[0].results[0].workers[0];
        worker.last_end_ns = worker.first_start_ns;
    }
    assert_eq!(limit(&run, &jobs), None);
}

#[test]
fn the_baseline_of_the_loop_is_none_for_phases_that_read_many_rows() {
    for (action, operation) in [(Action::Scan, Operation::Scan), (Action::Latest { rows: 5 }, Operation::Latest)] {
        let run = run(3, vec![baseline("echo"), store("a")], vec![plan("many", action)]);
        let done = |name: &str| (0..3).map(|round| job(name, round, vec![ran("many", operation, 1_000)])).collect();
        let jobs: Vec<Vec<JobRecord>> = ["echo", "a"].map(done).into();
        assert_eq!(limit(&run, &jobs.concat()), None, "{operation:?}");
    }
}

/// The value of a metric in the first round of `a`.
fn value(answer: &Answer, metric: Metric) -> Option<f64> {
    row(answer, "a").rounds(metric).first().map(|round| round.value)
}

#[test]
fn percentiles_of_a_mix_are_over_all_kinds_and_processes() {
    let mix = Mix::new([(Action::Read, 90), (Action::Update, 10)]).expect("a mix");
    let run = run(1, vec![store("a")], vec![plan("mix", mix)]);
    let mut record = ran("mix", Operation::Mix, 1_000);
    let of = |operation, latency_ns, count| {
        let mut histogram = Histogram::default();
        histogram.record_times(latency_ns, count);
        kind(operation, &histogram)
    };
    // Of 2,000 operations 1,100 take 1 µs, 800 take 8 µs and 100 take 64 µs.
    record.results[0].latency = vec![of(Operation::Read, 1_000, 900), of(Operation::Update, 64_000, 100)];
    record.results.push(record.results[0].clone());
    record.results[1].latency = vec![of(Operation::Read, 8_000, 800), of(Operation::Update, 1_000, 200)];
    let answer = analyse(&run, &[job("a", 0, vec![record])], Some(&complete()));
    let near = |metric, expected: f64| {
        let found = value(&answer, metric).expect("there are enough");
        assert!((found / expected - 1.0).abs() < 0.01, "{metric}: {found} and not {expected}");
    };
    near(Metric::P50, 1_000.0);
    near(Metric::P90, 8_000.0);
    near(Metric::P99, 64_000.0);
    assert_eq!(value(&answer, Metric::P999), None, "two lie beyond");
}

#[test]
fn metrics_have_a_value_where_something_was_used() {
    let run = run(1, vec![store("a")], vec![plan("load", Load::Row)]);
    let told = |client_bytes: u64, service_bytes: Option<u64>| {
        let mut record = ran("load", Operation::Load, 1_000);
        record.results[0].rows_present = 1_000;
        record.disk_bytes = Some(32_768 + 150_000);
        record.client = Some(tree(2_000_000, client_bytes));
        record.service = service_bytes.map(|bytes| tree(3_000_000, bytes));
        analyse(&run, &[job("a", 0, vec![record])], Some(&complete()))
    };
    let inside = told(5, None);
    let all = [Metric::Rate, Metric::Memory, Metric::DiskPerRow, Metric::ClientCpu, Metric::ServiceCpu];
    let of = |answer: &Answer| all.map(|metric| value(answer, metric));
    assert_eq!(of(&inside), [Some(1_000.0), Some(5.0), Some(150.0), Some(2_000.0), None]);
    assert_eq!(of(&told(5, Some(7))), [Some(1_000.0), Some(7.0), Some(150.0), Some(2_000.0), Some(3_000.0)]);
    assert_eq!(value(&told(0, None), Metric::Memory), None, "no memory at all is no value");
    assert!(row(&inside, "a").series(Metric::RowsRate).is_none(), "one row an operation");
}

/// Stores `a` and `b`: `a` reads twice as often, `b` needs half of the memory.
fn two() -> Loaded {
    let run = run(3, vec![store("a"), store("b")], reading());
    let mut jobs = [reads("a", &FAST), reads("b", &[500, 505, 495])].concat();
    for job in &mut jobs {
        job.phases[0].client = Some(tree(1, if job.candidate == "a" { 2_000 } else { 1_000 } + u64::from(job.round)));
    }
    crate::common::loaded(run, jobs)
}

#[test]
fn ranked_by_a_metric_of_which_less_is_better_the_one_with_less_leads() {
    let answer = answer_by(&two(), RankBy::Metric(Metric::Memory));
    let phase = &answer.phases[0];
    assert_eq!((phase.rank_by, phase.rankings[0].metric), (Metric::Memory, Metric::Memory));
    assert_eq!(phase.rankings[0].candidates, ["b", "a"]);
    // The ratio is that of the metric: twice the memory, which is worse.
    let to_best = row(&answer, "a").to_best.expect("the second has a ratio");
    assert!((to_best.ratio.value - 2.0).abs() < 2e-3, "{to_best:?}");
    let interval = to_best.ratio.interval.expect("three rounds");
    assert!(interval.low < interval.high && interval.low > 1.9 && to_best.verdict == Verdict::Worse, "{to_best:?}");
    let figure = row(&answer, "a").figure(Metric::Memory).expect("three rounds");
    let interval = figure.interval.expect("three rounds");
    assert!((figure.value - 2_001.0).abs() < 0.01 && interval.low < 2_001.0 && interval.high > 2_001.0, "{figure:?}");
    let leaders = &answer.leaders[0];
    assert_eq!((leaders.names(), leaders.next.as_deref(), leaders.ranked), (vec!["b"], Some("a"), 2));
    let lead = leaders.lead.expect("it leads alone");
    assert!((lead.value - 2.0).abs() < 2e-3, "{lead:?}");
    assert_eq!(row(&answer, "b").status, Status::Ranked { rank: 1, sharing: 1 });
}

#[test]
fn a_row_with_a_rank_says_what_is_decided_between_it_and_the_best() {
    let against = |rates: [u64; 3]| {
        let run = run(3, vec![store("a"), store("b"), baseline("echo")], reading());
        let jobs = [reads("a", &FAST), reads("b", &rates), reads("echo", &FAST)].concat();
        let answer = analyse(&run, &jobs, Some(&complete()));
        assert_eq!(row(&answer, "echo").against_best, None, "a baseline is not ranked");
        let of = |candidate: &str| row(&answer, candidate).against_best.expect("three rounds");
        let (best, other) = if row(&answer, "a").to_best.is_none() { (of("a"), of("b")) } else { (of("b"), of("a")) };
        assert!(best.may_be_best && best.equivalent && best.decision.is_none() && best.margin == Some(0.0), "{best:?}");
        (other.may_be_best, other.equivalent, other.decision.expect("not the best"))
    };
    assert_eq!(against([500, 505, 495]), (false, false, Decision::Worse));
    assert_eq!(against([1_001, 1_005, 993]), (true, true, Decision::Equivalent));
    assert_eq!(against([990, 1_000, 980]), (false, true, Decision::Worse), "a small difference that is shown");
    let (may_be_best, equivalent, decision) = against([500, 2_000, 1_000]);
    assert!(may_be_best && !equivalent, "{decision:?}");
    assert!(matches!(decision, Decision::Inconclusive { rounds: Some(4..) }), "{decision:?}");
}

#[test]
fn what_no_candidate_has_is_no_way_to_rank_them() {
    let by = |metric| answer_by(&two(), RankBy::Metric(metric)).phases[0].rank_by;
    assert_eq!((by(Metric::P50), by(Metric::ServiceCpu)), (Metric::P50, Metric::Rate));
    let mut run = two();
    run.run.plan.configurations[0].phases[0].rank_by = Metric::Memory;
    let by = |metric| answer_by(&run, RankBy::Metric(metric)).phases[0].rank_by;
    assert_eq!((by(Metric::Rate), by(Metric::ServiceCpu)), (Metric::Rate, Metric::Memory));
    assert_eq!(answer_by(&run, RankBy::Study).phases[0].rank_by, Metric::Memory);
    // Nor is what the study asks for, where nobody has it.
    run.run.plan.configurations[0].phases[0].rank_by = Metric::ServiceCpu;
    assert_eq!(answer_by(&run, RankBy::Study).phases[0].rank_by, Metric::Rate);
}

#[test]
fn of_two_that_share_the_first_rank_the_interval_is_told_unless_it_says_nothing() {
    let because = |rates: [u64; 3]| {
        let run = run(3, vec![store("a"), store("b")], reading());
        let answer = analyse(&run, &[reads("a", &[1_000; 3]), reads("b", &rates)].concat(), Some(&complete()));
        assert_eq!(row(&answer, "a").status, Status::Ranked { rank: 1, sharing: 2 });
        let leaders = &answer.leaders[0];
        assert_eq!((leaders.names().len(), leaders.next.as_ref(), leaders.lead), (2, None, None));
        let Sentence::Winners { groups, .. } = &answer.sentences[0] else { panic!("{:?}", answer.sentences) };
        groups[0].places[0].because.clone()
    };
    // With logarithms of the ratios of -d, 0 and d the interval is ± 4.3027 · d / √3. The rates are those of d = 0.27,
    // so that its ends are 3.8 times apart, and of d = 0.29, which makes 4.2: from four times on it goes from a half to
    // twice.
    let told = because([763, 1_000, 1_310]);
    let Because::Shared { low, high, .. } = told else { panic!("it is told: {told:?}") };
    assert!((high / low - 3.82).abs() < 0.05, "{low} to {high}");
    assert_eq!(because([748, 1_000, 1_336]), Because::Plain);
}

#[test]
fn nobody_is_called_the_fastest_on_a_machine_that_was_not_the_same_all_the_time() {
    let said = |other_runs: u32| {
        let run = run(3, vec![store("a"), store("b")], reading());
        let mut jobs = [reads("a", &[2_000, 2_010, 1_990]), reads("b", &[1_000; 3])].concat();
        jobs[0].other_runs = other_runs;
        let answer = analyse(&run, &jobs, Some(&complete()));
        (said(&answer).join(" "), answer.advice.headline.to_string())
    };
    let (sentences, _) = said(0);
    assert!(sentences.contains("'a' is fastest in read"), "{sentences}");
    let (sentences, headline) = said(1);
    assert!(sentences.contains("'a' had the best mean in read") && !sentences.contains("'a' is"), "{sentences}");
    assert!(headline.starts_with("Inconclusive: the machine was unstable"), "{headline}");
}

#[test]
fn who_leads_is_told_of_the_phases_that_decide_and_of_all_where_none_does() {
    let leaders = |deciding: [bool; 2]| {
        let phases = [("read", Action::Read), ("scan", Action::Scan)];
        let made = phases.into_iter().zip(deciding);
        let made = made.map(|((name, action), deciding)| PhasePlan { deciding, ..plan(name, action) });
        let run = run(3, vec![store("a")], made.collect());
        let done = |round| job("a", round, vec![ran("read", Operation::Read, 90), ran("scan", Operation::Scan, 9)]);
        let answer = analyse(&run, &(0..3).map(done).collect::<Vec<_>>(), Some(&complete()));
        assert!(answer.phases.iter().flat_map(|phase| &phase.rows).all(|row| row.failure.is_none()), "nothing failed");
        answer.leaders.iter().map(|one| one.phase.clone()).collect::<Vec<_>>()
    };
    assert_eq!(leaders([true, false]), ["read"]);
    assert_eq!(leaders([false, true]), ["scan"]);
    assert_eq!(leaders([false, false]), ["read", "scan"]);
}

#[test]
fn as_shipped_every_level_of_durability_is_a_group_of_its_own_where_something_is_written() {
    let of = |name: &str, level: Option<DurabilityLevel>| CandidateRecord {
        durability: level.map(durability),
        ..store(name)
    };
    let stores = vec![
        of("unknown", None),
        of("quick", Some(DurabilityLevel::Cache)),
        of("process", Some(DurabilityLevel::Consistent)),
        of("short", Some(DurabilityLevel::Consistent)),
    ];
    let mut run = run(3, stores, vec![plan("update", Action::Update)]);
    run.plan.durability = MinimumDurability::Default;
    let rounds = [("unknown", 3), ("quick", 3), ("process", 3), ("short", 2)];
    let jobs = rounds.into_iter().flat_map(|(name, rounds)| {
        (0..rounds).map(move |round| job(name, round, vec![ran("update", Operation::Update, 800)]))
    });
    let answer = analyse(&run, &jobs.collect::<Vec<_>>(), Some(&complete()));
    let rankings: Vec<(Option<DurabilityLevel>, Vec<String>)> =
        answer.phases[0].rankings.iter().map(|one| (one.among.durability, one.candidates.clone())).collect();
    let of = |level, name: &str| (level, vec![name.to_string()]);
    assert_eq!(
        rankings,
        [
            of(Some(DurabilityLevel::Consistent), "process"),
            of(Some(DurabilityLevel::Cache), "quick"),
            of(None, "unknown")
        ],
        "none where nobody is"
    );
    let short = Status::Unranked { reason: Reason::TooFewRounds { rounds: 2 } };
    assert_eq!(row(&answer, "short").status, short);
}

#[test]
fn a_rate_beside_a_rank_is_that_of_the_rounds_that_all_who_are_ranked_have() {
    let mut run = two();
    run.run.plan.configurations[0].rounds = 5;
    // Two more rounds of 'a', ten times as fast, which 'b' has not done.
    run.jobs.extend(reads("a", &[10_000; 5]).into_iter().skip(3));
    let answer = answer_by(&run, RankBy::Study);
    let rate = row(&answer, "a").rate_per_s().expect("it is ranked");
    assert_eq!((rate.rounds, rate.value.round(), answer.phases[0].rankings[0].rounds), (3, 1_000.0, 3));
    // Alone it has all five: the fifth root of 1,000 · 1,010 · 990 · 10,000².
    run.run.candidates.truncate(1);
    let rate = row(&answer_by(&run, RankBy::Study), "a").rate_per_s().expect("it is ranked");
    assert_eq!((rate.rounds, rate.value.round()), (5, 2_512.0));
}

#[test]
fn a_phase_shows_who_has_a_rank_then_who_has_none_then_baselines() {
    let run = run(3, vec![baseline("echo"), store("b"), store("a")], reading());
    let jobs = [reads("echo", &FAST), reads("b", &FAST[..2]), reads("a", &FAST)].concat();
    let answer = analyse(&run, &jobs, Some(&complete()));
    let shown: Vec<&str> = answer.phases[0].rows.iter().map(|row| row.candidate.as_str()).collect();
    assert_eq!(shown, ["a", "b", "echo"]);
}

#[test]
fn each_minimum_of_an_axis_has_a_ranking_and_an_answer_of_its_own() {
    let minima = [("power", MinimumDurability::Power), ("consistent", MinimumDurability::Consistent)];
    let at = |name: &str, (word, minimum): (&str, MinimumDurability)| {
        let level = minimum.level().expect("a level");
        CandidateRecord {
            asked: Some(CandidateRequest { minimum: Some(minimum), ..CandidateRequest::default() }),
            base: Some(name.into()),
            factors: vec![Factor { axis: "durability".into(), value: AxisValue::Word(word.into()) }],
            durability: Some(durability(level)),
            store: name.into(),
            ..store(&format!("{name} ({word})"))
        }
    };
    let stores = minima.into_iter().flat_map(|minimum| ["a", "b"].map(|name| at(name, minimum))).collect();
    let mut run = run(3, stores, vec![plan("update", Action::Update)]);
    run.plan.axes = vec![Axis {
        name: "durability".into(),
        phases: Vec::new(),
        makes: AxisEffect::Candidates,
        design: Default::default(),
        values: minima.iter().map(|(word, _)| AxisValue::Word((*word).into())).collect(),
    }];
    let rates = [("a (power)", 900), ("b (power)", 300), ("a (consistent)", 1_000), ("b (consistent)", 9_000)];
    let jobs = rates.into_iter().flat_map(|(name, rate)| {
        (0..3).map(move |round| job(name, round, vec![ran("update", Operation::Update, rate + u64::from(round))]))
    });
    let answer = analyse(&run, &jobs.collect::<Vec<_>>(), Some(&complete()));
    let rankings: Vec<(Option<DurabilityLevel>, Vec<String>)> =
        answer.phases[0].rankings.iter().map(|one| (one.among.durability, one.candidates.clone())).collect();
    let of = |level, names: [&str; 2]| (Some(level), names.map(str::to_string).to_vec());
    assert_eq!(
        rankings,
        [
            of(DurabilityLevel::Power, ["a (power)", "b (power)"]),
            of(DurabilityLevel::Consistent, ["b (consistent)", "a (consistent)"])
        ]
    );
    let advice = &answer.advice;
    assert_eq!(advice.headline.to_string(), "Take 'a (power)'. At 'consistent': take 'b (consistent)'.");
    let other = advice.unless[0].to_string();
    assert!(other.starts_with("a power failure may cost the latest commits") && other.contains("9.0 times"), "{other}");
}

#[test]
fn each_profile_has_a_ranking_and_an_answer_of_its_own() {
    let at = |name: &str, (word, profile): (&str, StoreProfile)| CandidateRecord {
        asked: Some(CandidateRequest { profile: Some(profile), ..CandidateRequest::default() }),
        base: Some(name.into()),
        factors: vec![Factor { axis: "profile".into(), value: AxisValue::Word(word.into()) }],
        store: name.into(),
        ..store(&format!("{name} ({word})"))
    };
    let stores = StoreProfile::WORDS.into_iter().flat_map(|profile| ["a", "b"].map(|name| at(name, profile))).collect();
    let mut run = run(3, stores, reading());
    run.plan.axes = vec![Axis {
        name: "profile".into(),
        phases: Vec::new(),
        makes: AxisEffect::Candidates,
        design: Default::default(),
        values: StoreProfile::WORDS.iter().map(|(word, _)| AxisValue::Word((*word).into())).collect(),
    }];
    let rates = [("a (default)", 9_000), ("b (default)", 3_000), ("a (tuned)", 10_000), ("b (tuned)", 90_000)];
    let jobs = rates.into_iter().flat_map(|(name, rate)| reads(name, &[rate, rate + 10, rate + 20]));
    let answer = analyse(&run, &jobs.collect::<Vec<_>>(), Some(&complete()));
    let rankings: Vec<(String, Vec<String>)> = answer.phases[0]
        .rankings
        .iter()
        .map(|one| (english(&phrases::scope_names(one.among)).join(", "), one.candidates.clone()))
        .collect();
    let of = |words: &str, names: [&str; 2]| (words.to_string(), names.map(str::to_string).to_vec());
    assert_eq!(
        rankings,
        [of("profile default", ["a (default)", "b (default)"]), of("profile tuned", ["b (tuned)", "a (tuned)"])]
    );
    let advice = &answer.advice;
    assert_eq!(advice.headline.to_string(), "Take 'a (default)'. With profile 'tuned': take 'b (tuned)'.");
    let other = advice.unless[0].to_string();
    assert!(other.starts_with("you set stores as their makers advise (profile tuned): take 'b (tuned)'"), "{other}");
}
