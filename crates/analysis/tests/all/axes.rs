//! What changes along an axis: lines and groups over configurations, over phases of one job, over candidates.

use crate::common::{SECOND_NS, baseline, english, hello, job, level, plan, ran, run, said, store, tree};
use kurabe_analysis::{AxisAnswer, AxisCurve, AxisPoint, Judgement, MissingPoint, PointGap, Reason, Verdict, answer};
use kurabe_messages::message;
use kurabe_protocol::{Action, Operation};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, CandidateRecord, Configuration, DurabilityLevel, Factor, JobError, JobErrorKind,
    JobRecord, LeftOut, Loaded, MinimumDurability, PhasePlan, PhaseRecord, SkippedRecord, StoreAccess, StoreKind,
};

fn number(number: u64) -> AxisValue {
    AxisValue::Number(number)
}

fn word(word: &str) -> AxisValue {
    AxisValue::Word(word.into())
}

fn on(axis: &str, value: AxisValue) -> Factor {
    Factor { axis: axis.into(), value }
}

fn axis(name: &str, makes: AxisEffect, values: &[AxisValue]) -> Axis {
    Axis { name: name.into(), makes, phases: Vec::new(), values: values.to_vec(), design: Default::default() }
}

fn at(factors: &[Factor], rows: u64, phases: Vec<PhasePlan>) -> Configuration {
    Configuration { factors: factors.to_vec(), ..level(rows, 3, phases) }
}

fn reading() -> Vec<PhasePlan> {
    vec![plan("read", Action::Read)]
}

/// One job a round in a configuration with the single phase `read`, at these rates.
fn reads_at(candidate: &str, level: u32, rates: &[u64]) -> Vec<JobRecord> {
    let mut jobs = crate::common::reads(candidate, rates);
    jobs.iter_mut().for_each(|job| job.configuration = level);
    jobs
}

/// A phase that an axis made of the phase `of`.
fn made(of: &str, work: Action, name: &str, factors: &[Factor]) -> PhasePlan {
    PhasePlan { base: Some(of.into()), factors: factors.to_vec(), ..plan(name, work) }
}

fn loaded(
    candidates: Vec<CandidateRecord>,
    axes: Vec<Axis>,
    levels: Vec<Configuration>,
    jobs: Vec<JobRecord>,
) -> Loaded {
    let mut run = run(3, candidates, Vec::new());
    (run.plan.axes, run.plan.configurations) = (axes, levels);
    crate::common::loaded(run, jobs)
}

/// Stores `a` and `b` with 1, 2 and 8 connections, where `a` reads 1,000, 2,000 and 4,000 times a second and `b` half
/// that.
fn over_connections() -> Loaded {
    let values = [number(1), number(2), number(8)];
    let levels = values.iter().map(|value| at(&[on("connections", value.clone())], 100, reading())).collect();
    let jobs = (0..3).flat_map(|level| {
        let rates = [1_000, 1_010, 990].map(|rate| rate << level);
        [reads_at("a", level, &rates), reads_at("b", level, &rates.map(|rate| rate / 2))].concat()
    });
    let axes = vec![axis("connections", AxisEffect::Configurations, &values)];
    loaded(vec![store("a"), store("b")], axes, levels, jobs.collect())
}

fn curve<'a>(answer: &'a AxisAnswer, candidate: &str) -> &'a AxisCurve {
    answer.curves.iter().find(|curve| curve.candidate == candidate).expect("every candidate has a curve")
}

fn names(answer: &AxisAnswer) -> Vec<&str> {
    answer.curves.iter().map(|curve| curve.candidate.as_str()).collect()
}

/// Value, configuration and rate of every point.
fn points(curve: &AxisCurve) -> Vec<(AxisValue, u32, u64)> {
    let point = |point: &AxisPoint| (point.value.clone(), point.configuration, point.rate_per_s.value.round() as u64);
    curve.points.iter().map(point).collect()
}

/// Everything that is missing, with the reason.
fn missing(curve: &AxisCurve) -> Vec<(AxisValue, PointGap)> {
    curve.missing.iter().map(|MissingPoint { value, why }| (value.clone(), why.clone())).collect()
}

fn fail(job: &mut JobRecord, message: &str) {
    job.phases.clear();
    job.error = Some(JobError { kind: JobErrorKind::Client, phase: Some("read".into()), message: message.into() });
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-9
}

#[test]
fn a_line_tells_rate_time_and_ratio_to_its_first_value() {
    let answer = answer(&over_connections());
    let [line] = &answer.axes[..] else { panic!("one phase, one axis: {:?}", answer.axes) };
    assert_eq!(
        (line.axis.as_str(), line.makes, line.phase.as_str()),
        ("connections", AxisEffect::Configurations, "read")
    );
    assert_eq!((line.operation, line.deciding, line.beside.len()), (Operation::Read, true, 0));
    assert!(line.is_line() && !line.is_growth() && line.belongs_to(&answer.at));
    assert_eq!(line.values, [number(1), number(2), number(8)]);
    assert_eq!(names(line), ["a", "b"]);
    let a = curve(line, "a");
    assert_eq!((a.kind, a.missing.len(), a.skipped.as_ref()), (StoreKind::Store, 0, None));
    // The geometric mean of 1,000, 1,010 and 990.
    assert_eq!(points(a), [(number(1), 0, 1_000), (number(2), 1, 2_000), (number(8), 2, 4_000)]);
    // 250 µs at 4,000 a second; all latencies are 0.9 of 1 s divided by the rate, 222 to 227 µs.
    let last = &a.points[2];
    assert!((last.cost_ns.value - 250_000.0).abs() < 20.0, "{:?}", last.cost_ns);
    assert!((last.p50_ns.expect("there is one").value / 225_000.0 - 1.0).abs() < 0.02, "{:?}", last.p50_ns);
    assert!((last.p99_ns.expect("there is one").value / 225_000.0 - 1.0).abs() < 0.02, "{:?}", last.p99_ns);
    // Relative to one connection: twice and four times in every round, so the interval is a point.
    assert_eq!(a.points[0].to_first, None);
    for (point, times) in [(&a.points[1], 2.0), (last, 4.0)] {
        let to_first = point.to_first.expect("relative to one connection");
        let interval = to_first.ratio.interval.expect("three rounds");
        assert_eq!((to_first.verdict, to_first.ratio.rounds), (Verdict::Better, 3));
        assert!(near(to_first.ratio.value, times) && near(interval.low, times) && near(interval.high, times));
    }
    // What grows with rows grows with nothing else.
    assert!(a.points.iter().all(|point| point.total_ns.is_none()));
    assert_eq!((a.slope, a.judgement), (None, Judgement::Undecided));
}

#[test]
fn a_ratio_pairs_rounds_by_their_number_where_one_lacks_some() {
    let mut run = over_connections();
    run.run.plan.configurations.iter_mut().for_each(|level| level.rounds = 5);
    run.jobs = reads_at("a", 0, &[1_000, 2_000, 4_000, 8_000, 16_000]);
    // Three times the rate of the same round; rounds 2 and 5 were never begun.
    run.jobs.extend(reads_at("a", 1, &[3_000, 6_000, 12_000, 24_000]));
    run.jobs.retain(|job| (job.configuration, job.round) != (1, 1));
    let answer = answer(&run);
    let to_first = curve(&answer.axes[0], "a").points[1].to_first.expect("both were measured");
    let interval = to_first.ratio.interval.expect("three rounds in common");
    assert_eq!(to_first.ratio.rounds, 3);
    assert!(near(to_first.ratio.value, 3.0) && near(interval.low, 3.0) && near(interval.high, 3.0), "{to_first:?}");
}

#[test]
fn where_the_first_value_is_missing_the_next_one_that_counts_is_the_first() {
    let mut run = over_connections();
    // The rounds that went well have a rate, but a store is not judged over its good rounds alone.
    let in_second = |job: &&mut JobRecord| (job.candidate.as_str(), job.configuration, job.round) == ("b", 0, 1);
    run.jobs.iter_mut().filter(in_second).for_each(|job| fail(job, "no memory"));
    let answer = answer(&run);
    let b = curve(&answer.axes[0], "b");
    assert_eq!(points(b), [(number(2), 1, 1_000), (number(8), 2, 2_000)]);
    assert_eq!(b.points[0].to_first, None);
    assert!(near(b.points[1].to_first.expect("relative to two connections").ratio.value, 2.0));
    let failed = Reason::JobFailed { rounds: 1, message: message!(text_quoted, text = "no memory"), round: 1 };
    assert_eq!(missing(b), [(number(1), PointGap::Unranked(failed))]);
}

#[test]
fn memory_is_that_of_the_service_else_of_the_client_and_disk_is_that_of_the_level() {
    let mut run = over_connections();
    for job in &mut run.jobs {
        let record = &mut job.phases[0];
        record.client = Some(tree(1, 7));
        record.service = (job.candidate == "a").then(|| tree(1, 30 + u64::from(job.configuration)));
    }
    let answer = answer(&run);
    let memory = |name: &str| -> Vec<Option<u64>> {
        curve(&answer.axes[0], name).points.iter().map(|point| point.memory_bytes).collect()
    };
    assert_eq!(memory("a"), [Some(30), Some(31), Some(32)]);
    assert_eq!(memory("b"), [Some(7); 3]);
    assert_eq!(curve(&answer.axes[0], "a").points[0].disk_per_row_bytes, None, "nothing was written");
}

#[test]
fn answers_count_where_they_are_right_also_without_a_rank_and_elsewhere_the_reason_is_told() {
    let mut run = over_connections();
    run.run.plan.configurations[0].phases = vec![plan("update", Action::Update)];
    run.run.plan.configurations[1].phases = vec![plan("update", Action::Update)];
    run.run.plan.configurations[2].phases = vec![plan("update", Action::Update)];
    for job in &mut run.jobs {
        let PhaseRecord { name, operation, .. } = &mut job.phases[0];
        (*name, *operation) = ("update".into(), Operation::Update);
    }
    // Below the baseline of the run everywhere; 'b' has two rounds at the second configuration and wrong answers at the
    // third.
    run.run.plan.durability = MinimumDurability::Consistent;
    run.run.candidates[1].durability = Some(crate::common::durability(DurabilityLevel::Consistent));
    run.jobs.retain(|job| (job.candidate.as_str(), job.configuration, job.round) != ("b", 1, 2));
    run.jobs.last_mut().expect("of b").phases[0].results[0].checks.lost = 1;
    let answer = answer(&run);
    let (a, b) = (curve(&answer.axes[0], "a"), curve(&answer.axes[0], "b"));
    assert_eq!((a.points.len(), b.points.len()), (3, 2));
    assert_eq!((b.points[1].rate_per_s.rounds, b.points[1].rate_per_s.interval), (2, None));
    let [(value, PointGap::Unranked(Reason::WrongAnswers { count: 1, .. }))] = &missing(b)[..] else {
        panic!("{:?}", b.missing)
    };
    assert_eq!(*value, number(8));
}

#[test]
fn a_level_that_was_never_begun_is_told_for_stores_and_for_baselines() {
    let mut run = over_connections();
    run.run.candidates.push(baseline("echo"));
    run.jobs.extend(reads_at("echo", 2, &[9_000, 9_000, 9_000]));
    run.jobs.retain(|job| job.configuration == 2);
    let answer = answer(&run);
    let line = &answer.axes[0];
    assert_eq!(names(line), ["a", "b", "echo"], "baselines last");
    let echo = curve(line, "echo");
    assert_eq!((echo.kind, points(echo)), (StoreKind::Baseline, vec![(number(8), 2, 9_000)]));
    assert_eq!(missing(echo), [number(1), number(2)].map(|value| (value, PointGap::NoRate)));
    let too_few = PointGap::Unranked(Reason::TooFewRounds { rounds: 0 });
    assert_eq!(missing(curve(line, "a")), [number(1), number(2)].map(|value| (value, too_few.clone())));
}

#[test]
fn who_was_skipped_keeps_the_rounds_that_were_done_and_says_where_it_ended() {
    let mut run = over_connections();
    run.jobs.retain(|job| job.candidate == "a" || job.configuration < 2 || job.round < 1);
    run.skipped = vec![SkippedRecord {
        candidate: "b".into(),
        configuration: 2,
        rounds: 1,
        needed_rounds: 2,
        estimate_ns: Some(9 * SECOND_NS),
        left_ns: SECOND_NS,
        stopped_after_ns: None,
    }];
    let answer = answer(&run);
    let (a, b) = (curve(&answer.axes[0], "a"), curve(&answer.axes[0], "b"));
    let skipped = b.skipped.as_ref().expect("skipped");
    assert_eq!((skipped.at.configuration, skipped.rounds, a.skipped.as_ref()), (2, 1, None));
    assert_eq!(points(b).last(), Some(&(number(8), 2, 2_000)), "its one round there is right");
}

/// Rows by connections: at 1,000 rows and one connection 'a' does 8,000 scans and reads a second. Eight connections
/// make that four times as many; ten times the rows make it a tenth with one connection, and leave it with eight.
fn rows_by_connections() -> Loaded {
    let (rows, connections) = ([1_000, 10_000], [1, 8]);
    let phases = || vec![plan("read", Action::Read), plan("scan", Action::Scan)];
    let (mut levels, mut jobs) = (Vec::new(), Vec::new());
    for (rows, connections) in rows.iter().flat_map(|rows| connections.map(|one| (*rows, one))) {
        levels.push(at(&[on("rows", number(rows)), on("connections", number(connections))], rows, phases()));
        let rate = match (rows, connections) {
            (10_000, 1) => 800,
            (_, 1) => 8_000,
            _ => 32_000,
        };
        for round in 0..3 {
            let phases = vec![ran("read", Operation::Read, rate), ran("scan", Operation::Scan, rate)];
            let mut job = job("a", round, phases);
            job.configuration = levels.len() as u32 - 1;
            jobs.push(job);
        }
    }
    let axes = vec![
        axis("rows", AxisEffect::Configurations, &rows.map(number)),
        axis("connections", AxisEffect::Configurations, &connections.map(number)),
    ];
    loaded(vec![store("a")], axes, levels, jobs)
}

#[test]
fn an_axis_has_an_answer_for_every_setting_of_the_others() {
    let answer = answer(&rows_by_connections());
    let laid: Vec<(&str, &str, &[Factor], bool)> = answer
        .axes
        .iter()
        .map(|one| (one.axis.as_str(), one.phase.as_str(), one.beside.as_slice(), one.belongs_to(&answer.at)))
        .collect();
    let connections = |value| vec![on("connections", number(value))];
    let rows = |value| vec![on("rows", number(value))];
    // The answer is about the last configuration: 10,000 rows and eight connections.
    assert_eq!(
        laid,
        [
            ("rows", "read", &connections(1)[..], false),
            ("rows", "scan", &connections(1), false),
            ("rows", "read", &connections(8), true),
            ("rows", "scan", &connections(8), true),
            ("connections", "read", &rows(1_000), false),
            ("connections", "scan", &rows(1_000), false),
            ("connections", "read", &rows(10_000), true),
            ("connections", "scan", &rows(10_000), true),
        ]
    );
    let found = |at: usize| points(curve(&answer.axes[at], "a"));
    assert_eq!(found(0), [(number(1_000), 0, 8_000), (number(10_000), 2, 800)]);
    assert_eq!(found(2), [(number(1_000), 1, 32_000), (number(10_000), 3, 32_000)]);
    assert_eq!(found(4), [(number(1), 0, 8_000), (number(8), 1, 32_000)]);
    assert_eq!(found(6), [(number(1), 2, 800), (number(8), 3, 32_000)]);
}

#[test]
fn over_rows_a_total_is_one_operation_a_row_and_a_scan_is_its_own() {
    let answer = answer(&rows_by_connections());
    let told = |at: usize| {
        let one = &answer.axes[at];
        assert!(one.is_growth());
        let curve = curve(one, "a");
        assert!(curve.points.iter().all(|point| point.to_first.is_none()), "rounds over rows do not pair");
        let total = |at: usize| (curve.points[at].total_ns.expect("over rows").value / 1_000.0).round();
        (total(0), total(1), curve.slope.expect("two sizes").value, curve.judgement)
    };
    // 1,000 reads at 8,000 a second are 125 ms, 10,000 at 800 a second are 12.5 s: a hundredfold for ten times the
    // rows.
    let (first, last, slope, judgement) = told(0);
    assert_eq!((first, last, judgement), (125_000.0, 12_500_000.0, Judgement::MoreThanLinear));
    assert!((slope - 2.0).abs() < 1e-9);
    // One scan: 125 µs and 1.25 ms.
    let (first, last, slope, judgement) = told(1);
    assert_eq!((first, last, judgement), (125.0, 1_250.0, Judgement::Linear));
    assert!((slope - 1.0).abs() < 1e-9);
    // With eight connections nothing became slower: a scan of ten times the rows took as long.
    assert_eq!((told(2).3, told(3).3), (Judgement::Linear, Judgement::LessThanLinear));
    assert!(told(3).2.abs() < 1e-9);
}

/// One load, then reads and scans, each with 1 and 4 connections and rows of 10 and 500 bytes; at two sizes.
fn over_phases() -> Loaded {
    let settings: Vec<Vec<Factor>> = [1, 4]
        .iter()
        .flat_map(|connections| {
            [10, 500].map(|bytes| vec![on("connections", number(*connections)), on("read_bytes", number(bytes))])
        })
        .collect();
    let phases = || {
        let of = |work: Action, study: &'static str| {
            let made = move |(at, setting): (usize, &Vec<Factor>)| {
                made(study, work.clone(), &format!("{study}-{at}"), setting)
            };
            settings.iter().enumerate().map(made).collect::<Vec<PhasePlan>>()
        };
        [vec![plan("update", Action::Update)], of(Action::Read, "read"), of(Action::Scan, "scan")].concat()
    };
    let levels = [1_000, 2_000].map(|rows| at(&[on("rows", number(rows))], rows, phases()));
    let jobs = (0..2u32).flat_map(|level| {
        (0..3).map(move |round| {
            let mut records = vec![ran("update", Operation::Update, 500)];
            for at in 0..4 {
                let rate = (u64::from(level) + 1) * [1_000, 2_000, 3_000, 4_000][at];
                records.push(ran(&format!("read-{at}"), Operation::Read, rate));
                records.push(ran(&format!("scan-{at}"), Operation::Scan, rate / 100));
            }
            let mut job = job("a", round, records);
            job.configuration = level;
            job
        })
    });
    let axes = vec![
        axis("connections", AxisEffect::Phases, &[number(1), number(4)]),
        axis("read_bytes", AxisEffect::Phases, &[number(10), number(500)]),
    ];
    loaded(vec![store("a")], axes, levels.to_vec(), jobs.collect())
}

#[test]
fn phases_of_one_job_are_told_under_their_name_in_the_study_level_by_level() {
    let answer = answer(&over_phases());
    let laid: Vec<(String, String, Vec<String>, bool)> = answer
        .axes
        .iter()
        .map(|one| {
            let beside = one.beside.iter().map(|one| format!("{} {}", one.axis, one.value)).collect();
            (one.axis.clone(), one.phase.clone(), beside, one.belongs_to(&answer.at))
        })
        .collect();
    let mut expected = Vec::new();
    for (axis, other, values) in [("connections", "read_bytes", [10, 500]), ("read_bytes", "connections", [1, 4])] {
        for rows in [1_000, 2_000] {
            for phase in ["read", "scan"] {
                for value in values {
                    let beside = vec![format!("rows {rows}"), format!("{other} {value}")];
                    expected.push((axis.to_string(), phase.to_string(), beside, rows == 2_000));
                }
            }
        }
    }
    assert_eq!(laid, expected);
    let found = |at: usize| points(curve(&answer.axes[at], "a"));
    // Reads with 10 bytes are the phases 0 and 2, with 500 bytes 1 and 3; the second configuration is twice as fast.
    assert_eq!(found(0), [(number(1), 0, 1_000), (number(4), 0, 3_000)]);
    assert_eq!(found(1), [(number(1), 0, 2_000), (number(4), 0, 4_000)]);
    assert_eq!(found(2), [(number(1), 0, 10), (number(4), 0, 30)]);
    assert_eq!(found(5), [(number(1), 1, 4_000), (number(4), 1, 8_000)]);
    assert_eq!(found(9), [(number(10), 0, 3_000), (number(500), 0, 4_000)]);
    let ratio = curve(&answer.axes[0], "a").points[1].to_first.expect("relative to one connection").ratio;
    assert!(near(ratio.value, 3.0) && ratio.rounds == 3);
}

#[test]
fn a_skipped_is_a_matter_of_levels() {
    let mut run = over_phases();
    run.skipped = vec![SkippedRecord {
        candidate: "a".into(),
        configuration: 1,
        rounds: 3,
        needed_rounds: 1,
        estimate_ns: None,
        left_ns: 0,
        stopped_after_ns: None,
    }];
    assert!(answer(&run).axes.iter().all(|one| one.curves[0].skipped.is_none()));
}

/// 'sqlite' with two durabilities and two clients (one of the four was left out), and 'map', which has neither.
fn over_candidates() -> Loaded {
    let member = |durability: &str, client: &str| CandidateRecord {
        base: Some("sqlite".into()),
        factors: vec![on("durability", word(durability)), on("client", word(client))],
        ..store(&format!("sqlite:{durability}+{client}"))
    };
    let members = [member("nosync", "rust"), member("full", "rust"), member("nosync", "python")];
    let rates = [4_000, 1_000, 400];
    let mut jobs: Vec<JobRecord> =
        members.iter().zip(rates).flat_map(|(one, rate)| reads_at(&one.name, 0, &[rate, rate, rate])).collect();
    jobs.extend(reads_at("map", 0, &[9_000, 9_000, 9_000]));
    let axes = vec![
        axis("durability", AxisEffect::Candidates, &[word("nosync"), word("full")]),
        axis("client", AxisEffect::Candidates, &[word("rust"), word("python")]),
    ];
    let levels = vec![at(&[], 100, reading())];
    let mut run = loaded([vec![baseline("map")], members.to_vec()].concat(), axes, levels, jobs);
    run.run.left_out = vec![
        LeftOut {
            name: "redis:full".into(),
            base: Some("redis".into()),
            factors: vec![on("durability", word("full"))],
            reason: "redis-server is missing".into(),
            remedy: None,
        },
        LeftOut {
            name: "sqlite:full+python".into(),
            base: Some("sqlite".into()),
            factors: vec![on("durability", word("full")), on("client", word("python"))],
            reason: "the client cannot set it".into(),
            remedy: None,
        },
    ];
    run
}

#[test]
fn candidates_that_an_axis_made_of_one_are_one_and_what_it_cannot_be_says_why() {
    let answer = answer(&over_candidates());
    let [durability, client] = &answer.axes[..] else { panic!("one phase, two axes: {:?}", answer.axes) };
    assert!(!durability.is_line() && durability.belongs_to(&answer.at));
    assert_eq!((durability.makes, durability.phase.as_str()), (AxisEffect::Candidates, "read"));
    assert_eq!(names(durability), ["sqlite (rust)", "sqlite (python)"], "'map' does not lie on it");
    let rust = curve(durability, "sqlite (rust)");
    assert_eq!(points(rust), [(word("nosync"), 0, 4_000), (word("full"), 0, 1_000)]);
    assert_eq!(rust.missing, []);
    let ratio = rust.points[1].to_first.expect("relative to nosync");
    assert!(near(ratio.ratio.value, 0.25) && ratio.verdict == Verdict::Worse);
    let python = curve(durability, "sqlite (python)");
    assert_eq!(points(python), [(word("nosync"), 0, 400)]);
    assert_eq!(missing(python), [(word("full"), PointGap::LeftOut("the client cannot set it".into()))]);
    // The same candidates along the other axis.
    assert_eq!(names(client), ["sqlite (nosync)", "sqlite (full)"]);
    assert_eq!(points(curve(client, "sqlite (nosync)")), [(word("rust"), 0, 4_000), (word("python"), 0, 400)]);
    let full = curve(client, "sqlite (full)");
    assert_eq!(points(full), [(word("rust"), 0, 1_000)]);
    assert_eq!(missing(full), [(word("python"), PointGap::LeftOut("the client cannot set it".into()))]);
}

#[test]
fn what_nobody_left_out_was_not_measured() {
    let mut run = over_candidates();
    run.run.left_out.truncate(1);
    // Without the other axis the name is that of the candidate that both were made of.
    for one in &mut run.run.candidates {
        one.factors.retain(|one| one.axis == "durability");
    }
    run.run.candidates.retain(|one| !one.name.contains("python") && !one.name.contains("full"));
    run.run.plan.axes.truncate(1);
    let answer = answer(&run);
    assert_eq!(names(&answer.axes[0]), ["sqlite"]);
    let curve = curve(&answer.axes[0], "sqlite");
    assert_eq!(missing(curve), [(word("full"), PointGap::NotMeasured)]);
}

/// Two stores through two clients each, with these rates by store and client.
fn through_clients(rates: [[u64; 2]; 2]) -> Loaded {
    let member = |name: &str, client: &str| CandidateRecord {
        base: Some(name.into()),
        factors: vec![on("client", word(client))],
        ..store(&format!("{name}+{client}"))
    };
    let members = ["sqlite", "redis"].map(|name| ["rust", "python"].map(|client| member(name, client))).concat();
    let rates = rates.concat();
    // One in a hundred to and fro, so that there is an interval.
    let jobs = members.iter().zip(rates);
    let jobs = jobs.flat_map(|(one, rate)| reads_at(&one.name, 0, &[rate, rate + rate / 100, rate - rate / 100]));
    let axes = vec![axis("client", AxisEffect::Candidates, &[word("rust"), word("python")])];
    loaded(members.to_vec(), axes, vec![at(&[], 100, reading())], jobs.collect())
}

#[test]
fn it_is_said_whether_the_client_decides_more_than_the_store() {
    let said = |rates: [[u64; 2]; 2]| {
        let answer = answer(&through_clients(rates));
        let sentence = answer.sentences.iter().find(|one| matches!(one, kurabe_analysis::Sentence::Clients(_)));
        english(&sentence.expect("an axis over clients has one").messages()).join(" ")
    };
    let client = said([[80_000, 10_000], [40_000, 8_000]]);
    assert!(client.starts_with("In read the client matters more than the store: 'sqlite' is 8.00 times"), "{client}");
    assert!(
        client.contains("faster through rust than through python") && client.contains("at most 2.00 times"),
        "{client}"
    );
    let store = said([[80_000, 70_000], [10_000, 9_000]]);
    assert!(store.starts_with("In read the store matters more than the client:"), "{store}");
    let open = said([[80_000, 40_000], [40_000, 20_000]]);
    assert!(open.starts_with("Whether client or store matters more in read is inconclusive:"), "{open}");
}

#[test]
fn one_store_is_told_alone_and_one_client_tells_nothing() {
    let mut run = through_clients([[80_000, 10_000], [40_000, 8_000]]);
    run.run.candidates.retain(|one| one.base.as_deref() == Some("sqlite"));
    run.jobs.retain(|job| job.candidate.starts_with("sqlite"));
    let words = said(&answer(&run));
    assert!(
        words.iter().any(|words| words.starts_with("What the client changes in read: 'sqlite' is 8.00 times")),
        "{words:?}"
    );
    run.run.candidates.retain(|one| one.name == "sqlite+rust");
    run.jobs.retain(|job| job.candidate == "sqlite+rust");
    assert!(!answer(&run).sentences.iter().any(|one| matches!(one, kurabe_analysis::Sentence::Clients(_))));
}

#[test]
fn the_clients_of_a_store_are_judged_among_themselves() {
    let answer = answer(&through_clients([[80_000, 10_000], [8_000, 40_000]]));
    let stores: Vec<&str> = answer.clients.iter().map(|one| one.store.as_str()).collect();
    assert_eq!(stores, ["sqlite", "redis"]);
    let redis = &answer.clients[1];
    let names: Vec<&str> = redis.clients.iter().map(|one| one.client.as_str()).collect();
    assert_eq!(names, ["python", "rust"], "best first");
    let read = redis.phases.iter().find(|phase| phase.phase == "read").expect("it was measured");
    assert_eq!((read.rounds, read.level), (3, 0.95), "one pair is compared, not those of all stores");
    let [first, second] = &read.clients[..] else { panic!("two clients: {read:?}") };
    assert_eq!(
        (first.rank, first.sharing, first.to_best),
        (Some(1), 1, None),
        "another store is ahead of it, none of its own"
    );
    assert_eq!((second.client.as_str(), second.rank), ("rust", Some(2)));
    assert!(near(second.times_behind(read.metric).expect("it is behind").value, 5.0), "{second:?}");
}

#[test]
fn clients_are_no_stores_where_it_is_told_who_worked_and_what_to_take() {
    let run = through_clients([[80_000, 80_000], [8_000, 40_000]]);
    let answer = answer(&run);
    let done = kurabe_analysis::phrases::done(&answer, &run.run).to_string();
    assert!(done.starts_with("4 pairs of a store and a client did the same work"), "{done}");
    let expected = message!(recommendation_take_clients, store = "sqlite", clients = ["sqlite+rust", "sqlite+python"]);
    assert_eq!(answer.advice.headline, expected);
}

/// Two packages of two languages that happen to have one name are not two versions of one; a library that both have
/// inside is.
#[test]
fn libraries_of_clients_are_told_apart_only_where_they_are_the_store() {
    let mut run = through_clients([[80_000, 40_000], [8_000, 40_000]]);
    for one in &mut run.run.candidates {
        let (store, client) = one.name.split_once('+').expect("both");
        (one.store, one.client) = (store.into(), client.into());
        one.transport = if store == "redis" { StoreAccess::Tcp } else { StoreAccess::InProcess };
    }
    for job in &mut run.jobs {
        let of = |version| [("redis", version), ("sqlite", version)];
        let libraries = if job.candidate.ends_with("python") { of("8.1.0") } else { of("3.54.0") };
        job.hello = Some(hello("a client", &libraries));
    }
    let told: Vec<String> = answer(&run).cautions.iter().map(|one| one.message().to_string()).collect();
    let told: Vec<&String> = told.iter().filter(|words| words.contains("versions")).collect();
    assert_eq!(
        told,
        [
            "'sqlite+rust' runs sqlite 3.54.0, and 'sqlite+python' runs sqlite 8.1.0. Their difference includes that of the versions."
        ]
    );
}

#[test]
fn without_a_store_of_several_clients_there_is_nothing_to_judge() {
    let mut run = through_clients([[80_000, 10_000], [40_000, 8_000]]);
    run.run.candidates.retain(|one| one.name.ends_with("+rust"));
    run.jobs.retain(|job| job.candidate.ends_with("+rust"));
    assert_eq!(answer(&run).clients, []);
}
