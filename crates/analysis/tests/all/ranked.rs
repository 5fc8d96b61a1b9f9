//! Phases that are ranked by a latency: every finding is about it, and less is better. Rates say the opposite here, so
//! that whatever looks at them is seen.

use crate::common::{complete, english, job, kind, lazy_beside, level, made_lazy, plan, ran, run, said, store};
use kurabe_analysis::{
    Answer, AxisAnswer, AxisCurve, Comparison, Judgement, RankBy, Sentence, Side, Verdict, analyse, answer, answer_by,
    compare,
};
use kurabe_protocol::{Action, Histogram, Operation};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, CandidateRecord, Claim, Condition, Configuration, Factor, GrowthLaw, JobRecord,
    Judged, Loaded, Metric, PhasePlan, PhaseRecord, PhaseRef, Pitfall, Statement,
};

/// Of each thousand operations all take this long, one in a hundred more or less from round to round.
const SPREAD: [f64; 3] = [1.0, 1.01, 0.99];

fn by_p99(work: Action) -> Vec<PhasePlan> {
    vec![PhasePlan { rank_by: Metric::P99, ..plan("work", work) }]
}

/// A phase at a rate, where every operation takes so many µs whatever the rate is.
fn took(operation: Operation, rate: u64, latency_us: f64) -> PhaseRecord {
    let mut record = ran("work", operation, rate);
    let mut histogram = Histogram::default();
    histogram.record_times((latency_us * 1e3) as u64, 10_000);
    record.results[0].latency = vec![kind(operation, &histogram)];
    record
}

/// Three rounds in a configuration.
fn jobs(candidate: &str, at: u32, rate: u64, latency_us: f64) -> Vec<JobRecord> {
    jobs_of(Operation::Read, candidate, at, rate, latency_us)
}

fn jobs_of(operation: Operation, candidate: &str, at: u32, rate: u64, latency_us: f64) -> Vec<JobRecord> {
    let of_round = |(round, spread): (u32, f64)| {
        let mut job = job(candidate, round, vec![took(operation, rate + u64::from(round), latency_us * spread)]);
        job.configuration = at;
        job
    };
    (0..).zip(SPREAD).map(of_round).collect()
}

fn on(axis: &str, value: AxisValue) -> Factor {
    Factor { axis: axis.into(), value }
}

fn axis(name: &str, makes: AxisEffect, values: Vec<AxisValue>) -> Axis {
    Axis { name: name.into(), makes, phases: Vec::new(), values, design: Default::default() }
}

fn loaded(candidates: Vec<CandidateRecord>, levels: Vec<Configuration>, jobs: Vec<JobRecord>) -> Loaded {
    let mut run = run(3, candidates, Vec::new());
    run.plan.configurations = levels;
    crate::common::loaded(run, jobs)
}

/// Stores `a` and `b` along an axis of numbers: what `a` takes at each of them, in µs; the rate of both doubles.
fn along(name: &str, values: &[u64], latencies_us: &[f64]) -> Loaded {
    let at = |value: &u64| Configuration {
        factors: vec![on(name, AxisValue::Number(*value))],
        ..level(if name == "rows" { *value } else { 100 }, 3, by_p99(Action::Read))
    };
    let of_level = |(level, latency_us): (u32, &f64)| {
        [jobs("a", level, 1_000 << level, *latency_us), jobs("b", level, 1_000 << level, 100.0)].concat()
    };
    let jobs = (0..).zip(latencies_us).flat_map(of_level).collect();
    let mut run = loaded(vec![store("a"), store("b")], values.iter().map(at).collect(), jobs);
    run.run.plan.axes =
        vec![axis(name, AxisEffect::Configurations, values.iter().map(|one| AxisValue::Number(*one)).collect())];
    run
}

fn curve<'a>(axis: &'a AxisAnswer, candidate: &str) -> &'a AxisCurve {
    axis.curves.iter().find(|curve| curve.candidate == candidate).expect("every candidate has a curve")
}

fn near(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.02
}

#[test]
fn along_an_axis_the_ratio_to_the_first_value_is_that_of_the_latency_and_more_is_worse() {
    let answer = answer(&along("connections", &[1, 8], &[100.0, 300.0]));
    let [line] = &answer.axes[..] else { panic!("one phase, one axis: {:?}", answer.axes) };
    assert_eq!(line.metric, Metric::P99);
    let last = &curve(line, "a").points[1];
    assert!(near(last.figure.expect("three rounds").value, 300_000.0), "{:?}", last.figure);
    assert!(near(last.rate_per_s.value, 2_000.0), "the rate stands beside it: {:?}", last.rate_per_s);
    let to_first = last.to_first.expect("relative to one connection");
    let interval = to_first.ratio.interval.expect("three rounds");
    assert!(near(to_first.ratio.value, 3.0) && interval.low <= interval.high && interval.low > 2.9, "{to_first:?}");
    assert_eq!(to_first.verdict, Verdict::Worse, "though the rate is twice as high");
}

#[test]
fn an_axis_whose_levels_are_ranked_by_several_metrics_is_told_by_the_rate() {
    let mut run = along("connections", &[1, 8], &[100.0, 300.0]);
    run.run.plan.configurations[1].phases[0].rank_by = Metric::Rate;
    let answer = answer(&run);
    let (line, last) = (&answer.axes[0], &curve(&answer.axes[0], "a").points[1]);
    assert_eq!((line.metric, last.figure), (Metric::Rate, Some(last.rate_per_s)));
    assert_eq!(last.to_first.expect("both have rates").verdict, Verdict::Better);
}

#[test]
fn a_level_that_was_never_begun_is_no_reason_to_leave_the_metric() {
    let mut run = along("connections", &[1, 8, 64], &[100.0, 300.0, 900.0]);
    run.jobs.retain(|job| job.configuration < 2);
    let answer = answer(&run);
    assert_eq!(answer.axes[0].metric, Metric::P99);
    assert!(near(curve(&answer.axes[0], "a").points[1].to_first.expect("both were measured").ratio.value, 3.0));
}

#[test]
fn over_rows_the_exponent_is_that_of_the_latency_itself() {
    // Ten times the rows make it √10 times as slow; 'b' takes as long as ever, and the rates of both rise.
    let run = along("rows", &[1_000, 10_000, 100_000], &[100.0, 316.2, 1_000.0]);
    let told = |answer: &Answer| {
        let curve = curve(&answer.axes[0], "a");
        (curve.slope.expect("three sizes").value, curve.judgement)
    };
    let by_latency = answer(&run);
    let (slope, judgement) = told(&by_latency);
    assert!((slope - 0.5).abs() < 0.01, "{slope}");
    assert_eq!(judgement, Judgement::Grows);
    assert_eq!(curve(&by_latency.axes[0], "b").judgement, Judgement::Same);
    let grows: Vec<String> = said(&by_latency).into_iter().filter(|one| one.contains("grows")).collect();
    let [grows] = &grows[..] else { panic!("one sentence: {grows:?}") };
    assert!(
        grows.starts_with("The p99 grows with the data in work ('a': rows^0.5") && grows.ends_with(")."),
        "{grows}"
    );
    // The same run by its rates.
    let by_rate = answer_by(&run, RankBy::Metric(Metric::Rate));
    assert_eq!((by_rate.axes[0].metric, told(&by_rate).1), (Metric::Rate, Judgement::LessThanLinear));
    assert!(said(&by_rate).contains(&"Time grows no faster than the data in any store.".to_string()));
}

/// Two stores through two clients each, with these latencies in µs by store and client; the slower, the higher the
/// rate.
fn through_clients(latencies_us: [[f64; 2]; 2]) -> Loaded {
    let member = |name: &str, client: &str| CandidateRecord {
        base: Some(name.into()),
        factors: vec![on("client", AxisValue::Word(client.into()))],
        ..store(&format!("{name}+{client}"))
    };
    let members = ["sqlite", "redis"].map(|name| ["rust", "python"].map(|client| member(name, client))).concat();
    let of_each = members.iter().zip(latencies_us.concat());
    let jobs = of_each.flat_map(|(one, latency_us)| jobs(&one.name, 0, 10 * latency_us as u64, latency_us)).collect();
    let mut run = loaded(members.clone(), vec![level(100, 3, by_p99(Action::Read))], jobs);
    let clients = ["rust", "python"].map(|client| AxisValue::Word(client.into()));
    run.run.plan.axes = vec![axis("client", AxisEffect::Candidates, clients.to_vec())];
    run
}

#[test]
fn the_client_with_the_lower_latency_is_the_best_of_its_store() {
    let answer = answer(&through_clients([[100.0, 500.0], [900.0, 300.0]]));
    let redis = answer.clients.iter().find(|one| one.store == "redis").expect("it has two clients");
    let work = &redis.phases[0];
    assert_eq!(work.metric, Metric::P99);
    let [first, second] = &work.clients[..] else { panic!("two clients: {work:?}") };
    assert_eq!((first.client.as_str(), first.rank, first.to_best), ("python", Some(1), None));
    assert!(near(first.figure.expect("three rounds").value, 300_000.0), "{first:?}");
    assert!(near(first.rate_per_s.value, 3_000.0), "{first:?}");
    let to_best = second.to_best.expect("it is behind");
    assert!(near(to_best.ratio.value, 3.0) && to_best.verdict == Verdict::Worse, "{to_best:?}");
    assert!(near(second.times_behind(work.metric).expect("it is behind").value, 3.0));
}

#[test]
fn what_a_client_decides_is_told_of_the_latency() {
    let said = |latencies_us| {
        let answer = answer(&through_clients(latencies_us));
        let sentence = answer.sentences.iter().find(|one| matches!(one, Sentence::Clients(_)));
        english(&sentence.expect("an axis over clients has one").messages()).join(" ")
    };
    let client = said([[100.0, 800.0], [200.0, 1_000.0]]);
    let starts = "In work the client matters more than the store: the p99 of 'sqlite' is ";
    assert!(client.starts_with(starts) && client.contains("better through rust than through python"), "{client}");
    assert!(client.contains("'sqlite' and 'redis' through rust"), "the better one first: {client}");
    let store = said([[100.0, 110.0], [800.0, 900.0]]);
    assert!(store.starts_with("In work the store matters more than the client:"), "{store}");
}

fn grows(candidate: &str, law: GrowthLaw) -> Claim {
    let place = PhaseRef { phase: "work".into(), at: Vec::new() };
    let statement = Statement::Growth { candidate: candidate.into(), place, law, from_rows: None, to_rows: None };
    Claim {
        name: "it".into(),
        says: "It grows.".into(),
        durability: None,
        bindings: Vec::new(),
        judged: Judged::By(Condition::Is(Box::new(statement))),
    }
}

#[test]
fn a_claim_about_growth_is_about_the_latency_whatever_the_reader_ranks_by() {
    use kurabe_analysis::ClaimVerdict::{Right, Wrong};
    let mut run = along("rows", &[1_000, 10_000, 100_000], &[10.0, 300.0, 10_000.0]);
    let mut judged = |claim: Claim| {
        run.run.plan.claims.claims = vec![claim];
        run.run.plan.claims.digest = run.run.plan.claims.computed_digest();
        let of = |answer: Answer| {
            let one = answer.claims.expect("claims").claims.remove(0).judgements.remove(0);
            (one.verdict, one.findings[0].message().to_string())
        };
        let as_planned = of(answer(&run));
        assert_eq!(of(answer_by(&run, RankBy::Metric(Metric::Rate))), as_planned);
        as_planned
    };
    let (verdict, words) = judged(grows("a", GrowthLaw::Faster));
    assert_eq!(verdict, Right, "{words}");
    assert!(words.starts_with("work: growth exponent of p99 of 'a' from 1,000 to 100,000 rows = 1.50 ("), "{words}");
    assert_eq!(judged(grows("b", GrowthLaw::Faster)).0, Wrong, "it is as slow as ever");
    assert_eq!(judged(grows("a", GrowthLaw::Linear)).0, Wrong);
}

/// `slow` under a pitfall, in the same rounds.
fn with_pitfall(with_it: Vec<JobRecord>, work: Action) -> Loaded {
    let base = level(100, 3, by_p99(Action::Read));
    let planned = lazy_beside(&level(100, 3, by_p99(work)), "slow");
    let made = made_lazy("slow");
    let jobs = [jobs("fast", 0, 1_000, 100.0), jobs("slow", 0, 2_000, 600.0), with_it].concat();
    let mut run = loaded(vec![store("fast"), store("slow"), made], vec![base, planned], jobs);
    run.run.plan.pitfalls = vec![Pitfall::separate("lazy", "It is lazy.")];
    run
}

#[test]
fn what_a_pitfall_changes_is_the_latency_and_the_lower_one_wins() {
    let answer = answer(&with_pitfall(jobs("slow [lazy]", 1, 500, 50.0), Action::Read));
    let phase = &answer.pitfalls[0].phases[0];
    assert_eq!((phase.metric, phase.per_row), (Metric::P99, false));
    assert_eq!(
        (&phase.first.corrected[..], &phase.first.with_pitfall[..]),
        (&["fast".into()][..], &["slow".into()][..])
    );
    let effect = &phase.effects[0];
    assert!(near(effect.corrected.expect("three rounds").value, 600_000.0), "{effect:?}");
    assert!(near(effect.change.expect("both count").value, 1.0 / 12.0) && effect.is_seen(), "{effect:?}");
    let (before, after) = effect.to_winner.expect("both have figures");
    assert!(near(before.value, 6.0) && near(after.value, 0.5), "{before:?} {after:?}");
    let words = answer.pitfalls[0].messages()[0].to_string();
    assert!(words.contains("the p99 of 'slow' is 0.08"), "{words}");
}

#[test]
fn with_a_pitfall_that_reads_many_rows_at_once_the_latency_is_that_of_a_row() {
    let many = Action::MultiRead { rows: 10 };
    let with_it = jobs_of(Operation::MultiRead, "slow [lazy]", 1, 2_000, 1_200.0);
    let answer = answer(&with_pitfall(with_it, many));
    let phase = &answer.pitfalls[0].phases[0];
    assert!(phase.per_row);
    // 1.2 ms for ten rows, where one took 600 µs.
    assert!(near(phase.effects[0].with_pitfall.expect("three rounds").value, 120_000.0), "{:?}", phase.effects[0]);
    assert!(near(phase.effects[0].change.expect("both count").value, 0.2), "{:?}", phase.effects[0]);
}

#[test]
fn on_an_unstable_machine_nobody_is_called_the_fastest_or_the_best() {
    let mut run = along("connections", &[1], &[100.0]);
    // It takes ten canaries to tell.
    run.run.plan.configurations[0].rounds = 6;
    let again: Vec<JobRecord> = run.jobs.iter().map(|job| JobRecord { round: job.round + 3, ..job.clone() }).collect();
    run.jobs.extend(again);
    for job in run.jobs.iter_mut().skip(1).step_by(2) {
        job.canary.as_mut().expect("every job has one").spin_ns *= 2;
    }
    let said = said(&answer(&run));
    assert!(said.iter().any(|one| one.starts_with("Inconclusive: ")), "{said:?}");
}

#[test]
fn runs_are_compared_by_the_latency_and_a_lower_one_is_better() {
    let of_run = |rate: u64, latency_us: f64| {
        let jobs = [jobs("a", 0, rate, latency_us), jobs("b", 0, 1_000, 100.0)].concat();
        loaded(vec![store("a"), store("b")], vec![level(100, 3, by_p99(Action::Read))], jobs)
    };
    // Half the rate, a third of the latency.
    let runs = [of_run(1_000, 300.0), of_run(500, 100.0)];
    let answers = [0, 1].map(|at: usize| analyse(&runs[at].run, &runs[at].jobs, Some(&complete())));
    let side =
        |at: usize| Side { name: format!("run-{at}"), run: &runs[at].run, jobs: &runs[at].jobs, answer: &answers[at] };
    let Comparison { phases, .. } = compare(&[side(0), side(1)]);
    assert_eq!(phases[0].metric, Metric::P99);
    let a = phases[0].rows.iter().find(|row| row.candidate == "a").expect("both runs have it");
    assert!(near(a.first.value, 300_000.0), "{a:?}");
    let other = &a.others[0];
    assert!(near(other.figure.value, 100_000.0) && near(other.rate_per_s.value, 500.0), "{other:?}");
    let interval = other.ratio.ratio.interval.expect("three rounds");
    assert!(near(other.ratio.ratio.value, 1.0 / 3.0) && interval.high < 0.4, "{other:?}");
    assert_eq!(other.ratio.verdict, Verdict::Better);
    // One of them is ranked by its rate: all that both are about.
    let by_rate = answer_by(&runs[1], RankBy::Metric(Metric::Rate));
    let Comparison { phases, .. } = compare(&[side(0), Side { answer: &by_rate, ..side(1) }]);
    let a = phases[0].rows.iter().find(|row| row.candidate == "a").expect("both runs have it");
    assert_eq!((phases[0].metric, a.others[0].ratio.verdict), (Metric::Rate, Verdict::Worse));
}
