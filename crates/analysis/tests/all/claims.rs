//! Claims over records with known intervals: every kind of statement holds, is refuted and stays open; and how often a
//! family of false claims fools the reader.

use crate::common::growing::growing;
use crate::common::{baseline, durability, kept, lazy_beside, made_lazy, plan, reads, run, store};
use kurabe_analysis::{Answer, ClaimVerdict, ClaimsAnswer, KeepsLess, PitfallAnswer, Unknown, answer};
use kurabe_protocol::{Action, Failed, Operation};
use kurabe_record::{
    AxisValue, Binding, Bounds, Claim, Condition, DurabilityLevel, Extreme, Factor, FinalCount, GrowthLaw, JobError,
    JobErrorKind, JobRecord, Judged, KnownFact, LeftOut, Loaded, Metric, MinimumDurability, PhaseOutcome, PhasePlan,
    PhaseRecord, PhaseRef, Pitfall, Statement,
};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, LogNormal};

use ClaimVerdict::{OtherWork, Right, RightAndMoreSo, Undecided, Wrong};

const FAST: [u64; 5] = [2_000, 2_020, 1_980, 2_010, 1_990];
const SLOW: [u64; 5] = [1_000, 1_010, 990, 1_005, 995];
/// About as fast as [`SLOW`], with a spread that hides which is faster.
const LIKE_SLOW: [u64; 5] = [1_040, 970, 1_010, 960, 1_030];

/// What a pitfall did, in words.
fn told(pitfall: &PitfallAnswer) -> Vec<String> {
    pitfall.messages().iter().map(ToString::to_string).collect()
}

pub(crate) fn place(phase: &str) -> PhaseRef {
    PhaseRef { phase: phase.into(), at: Vec::new() }
}

fn at(axis: &str, value: &str) -> Factor {
    Factor { axis: axis.into(), value: AxisValue::Word(value.into()) }
}

pub(crate) fn is(statement: Statement) -> Condition {
    Condition::Is(Box::new(statement))
}

pub(crate) fn claim(name: &str, condition: Condition) -> Claim {
    Claim {
        name: name.into(),
        says: format!("{name} is true."),
        durability: None,
        bindings: Vec::new(),
        judged: Judged::By(condition),
    }
}

/// `fast`, `slow` and `like` read in five rounds; `echo` is a baseline.
pub(crate) fn three() -> Loaded {
    let candidates = vec![store("fast"), store("slow"), store("like"), baseline("echo")];
    let record = run(5, candidates, vec![crate::common::plan("read", Action::Read)]);
    let rates: [(&str, &[u64]); 4] =
        [("fast", &FAST), ("slow", &SLOW), ("like", &LIKE_SLOW), ("echo", &[90_000, 90_100, 90_050, 89_900, 90_000])];
    let jobs = rates.into_iter().flat_map(|(name, rates)| reads(name, rates)).collect();
    crate::common::loaded(record, jobs)
}

pub(crate) fn judged(mut run: Loaded, claims: Vec<Claim>) -> ClaimsAnswer {
    run.run.plan.claims.claims = claims;
    run.run.plan.claims.digest = run.run.plan.claims.computed_digest();
    answer(&run).claims.expect("claims")
}

pub(crate) fn verdict_in(run: Loaded, condition: Condition) -> ClaimVerdict {
    judged(run, vec![claim("it", condition)]).claims[0].judgements[0].verdict
}

fn verdict(statement: Statement) -> ClaimVerdict {
    verdict_in(three(), is(statement))
}

pub(crate) fn ratio(candidate: &str, than: &str, at_least: Option<f64>, at_most: Option<f64>) -> Statement {
    Statement::Ratio {
        candidate: candidate.into(),
        than: than.into(),
        metric: Metric::Rate,
        place: place("read"),
        than_place: None,
        bounds: Bounds { at_least, at_most },
    }
}

pub(crate) fn extreme(end: Extreme, candidate: &str) -> Statement {
    Statement::Extreme {
        end,
        candidate: candidate.into(),
        among: Vec::new(),
        metric: Metric::Rate,
        place: place("read"),
    }
}

fn amount(metric: Metric, at_least: Option<f64>, at_most: Option<f64>) -> Statement {
    Statement::Amount { candidate: "slow".into(), metric, place: place("read"), bounds: Bounds { at_least, at_most } }
}

#[test]
fn a_ratio_is_right_wrong_or_undecided() {
    assert_eq!(verdict(ratio("fast", "slow", Some(1.0), None)), Right);
    assert_eq!(verdict(ratio("slow", "fast", Some(1.0), None)), Wrong);
    assert_eq!(verdict(ratio("like", "slow", Some(1.0), None)), Undecided, "a tie is open");
    assert_eq!(verdict(ratio("fast", "slow", Some(1.5), Some(2.5))), Right);
    assert_eq!(verdict(ratio("fast", "slow", Some(2.5), None)), Wrong);
    assert_eq!(verdict(ratio("fast", "slow", Some(2.0), None)), Undecided, "it is about twice");
    // The same within a tenth.
    assert_eq!(verdict(ratio("like", "slow", Some(1.0 / 1.2), Some(1.2))), Right);
    assert_eq!(verdict(ratio("fast", "slow", Some(1.0 / 1.2), Some(1.2))), Wrong);
    assert_eq!(verdict(ratio("like", "slow", Some(1.0 / 1.02), Some(1.02))), Undecided);
}

/// "Refuted" where the author was more right than he claimed cannot happen.
#[test]
fn who_claims_less_than_is_seen_is_right_and_more_so() {
    // It is about twice, and about half.
    assert_eq!(verdict(ratio("fast", "slow", Some(1.2), Some(1.5))), RightAndMoreSo);
    assert_eq!(verdict(ratio("fast", "slow", Some(1.0), Some(1.5))), RightAndMoreSo);
    assert_eq!(verdict(ratio("slow", "fast", Some(0.7), Some(0.8))), RightAndMoreSo);
    assert_eq!(verdict(ratio("slow", "fast", Some(0.7), Some(1.0))), RightAndMoreSo);
    assert_eq!(verdict(ratio("fast", "slow", Some(1.5), Some(2.0))), Right, "more or not: it is right");
    assert_eq!(verdict(ratio("slow", "fast", Some(1.2), Some(1.5))), Wrong, "the other way");
    assert_eq!(verdict(ratio("fast", "slow", Some(2.5), Some(3.0))), Wrong, "less than he claims");
    let less = || is(ratio("fast", "slow", Some(1.2), Some(1.5)));
    let plain = || is(ratio("fast", "like", Some(1.0), None));
    assert_eq!(verdict_in(three(), Condition::All(vec![less(), plain()])), RightAndMoreSo);
    assert_eq!(verdict_in(three(), Condition::Not(Box::new(less()))), Wrong);
}

/// Whatever bounds away from one are claimed, what lies beyond the far one is no refutation.
#[test]
fn no_far_bound_refutes() {
    for near in [1.0, 1.1, 1.3, 1.6, 1.9] {
        for width in [1.001, 1.05, 1.2, 1.5, 3.0] {
            let (low, high) = (near, near * width);
            let more = verdict(ratio("fast", "slow", Some(low), Some(high)));
            let less = verdict(ratio("slow", "fast", Some(1.0 / high), Some(1.0 / low)));
            assert!(more.is_right() && less.is_right(), "{low} to {high}: {more:?} {less:?}");
        }
    }
}

#[test]
fn at_least_so_many_counts_and_pays_for_the_search() {
    let (yes, no, open, none) = (
        || is(ratio("fast", "slow", Some(1.0), None)),
        || is(ratio("slow", "fast", Some(1.0), None)),
        || is(ratio("like", "slow", Some(1.0), None)),
        || is(amount(Metric::ServiceCpu, None, Some(1.0))),
    );
    let two = |parts: Vec<Condition>| verdict_in(three(), Condition::AtLeast(2, parts));
    assert_eq!(two(vec![yes(), yes(), no()]), Right);
    assert_eq!(two(vec![yes(), no(), no()]), Wrong);
    assert_eq!(two(vec![yes(), open(), no()]), Undecided);
    assert_eq!(two(vec![yes(), none(), no()]), OtherWork);
    assert_eq!(two(vec![open(), none(), yes()]), OtherWork);
}

#[test]
fn a_stand_in_decides_nothing_and_is_told() {
    let mut run = three();
    let reason = "it is no more to be had";
    run.run.plan.claims.bindings = vec![Binding {
        name: "here".into(),
        binds: [("old".to_string(), "fast".to_string())].into(),
        stands_for: [("old".to_string(), reason.to_string())].into(),
    }];
    let others = claim("others", is(ratio("fast", "slow", Some(1.0), None)));
    let answer = judged(run, vec![claim("it", is(ratio("old", "slow", Some(1.0), None))), others]);
    let it = &answer.claims[0].judgements[0];
    assert_eq!((it.verdict, answer.claims[1].judgements[0].verdict), (OtherWork, Right));
    assert!(it.findings[0].figure.is_some(), "the figure is shown");
    let told = it.stand_ins().expect("a stand-in").to_string();
    assert!(told.contains("'fast' stands in for 'old'") && told.contains(reason), "{told}");
}

#[test]
fn a_known_fact_judges_without_a_run_and_is_counted() {
    let fact = |is_right| KnownFact { is_right, fact: "so it is".into(), source: "https://example.org/".into() };
    let known =
        |name: &str, is_right| Claim { judged: Judged::Known(fact(is_right)), ..claim(name, Condition::All(vec![])) };
    let answer = judged(three(), vec![known("a", true), known("b", false)]);
    assert_eq!(answer.claims.iter().map(|one| one.by_fact()).collect::<Vec<_>>(), [Some(Right), Some(Wrong)]);
    assert_eq!((answer.count(Right), answer.count(Wrong), answer.count(OtherWork)), (1, 1, 0));
}

#[test]
fn first_and_last_are_over_all_others_and_baselines_are_none() {
    assert_eq!(verdict(extreme(Extreme::First, "fast")), Right);
    assert_eq!(verdict(extreme(Extreme::First, "slow")), Wrong);
    assert_eq!(verdict(extreme(Extreme::Last, "fast")), Wrong);
    assert_eq!(verdict(extreme(Extreme::Last, "slow")), Undecided, "it ties with 'like'");
    let mut two = three();
    two.jobs.retain(|job| job.candidate != "like");
    assert_eq!(verdict_in(two.clone(), is(extreme(Extreme::Last, "slow"))), Undecided, "one was not measured");
    two.run.candidates.retain(|one| one.name != "like");
    assert_eq!(verdict_in(two, is(extreme(Extreme::Last, "slow"))), Right);
    let mut alone = three();
    alone.jobs.retain(|job| job.candidate == "fast" || job.candidate == "echo");
    alone.run.candidates.retain(|one| one.name == "fast" || one.name == "echo");
    assert_eq!(verdict_in(alone, is(extreme(Extreme::First, "fast"))), OtherWork);
}

#[test]
fn a_store_is_played_by_the_only_candidate_that_it_has() {
    let of_store = |names: &[&str]| {
        let mut run = three();
        let candidates = run.run.candidates.iter_mut().filter(|one| names.contains(&one.name.as_str()));
        candidates.for_each(|one| one.store = "swift".into());
        run
    };
    let swifter = || is(ratio("swift", "slow", Some(1.0), None));
    assert_eq!(verdict_in(three(), swifter()), Undecided);
    assert_eq!(verdict_in(of_store(&["fast"]), swifter()), Right);
    assert_eq!(verdict_in(of_store(&["fast", "like"]), swifter()), Undecided, "either could be meant");
    let mut binding = of_store(&["fast"]);
    binding.run.plan.claims.bindings = vec![Binding {
        name: "as they are".into(),
        binds: std::collections::BTreeMap::new(),
        stands_for: std::collections::BTreeMap::new(),
    }];
    assert_eq!(verdict_in(binding, swifter()), Undecided, "a binding says who plays");
}

#[test]
fn an_amount_is_right_wrong_or_undecided() {
    assert_eq!(verdict(amount(Metric::Rate, Some(900.0), None)), Right);
    assert_eq!(verdict(amount(Metric::Rate, Some(1_200.0), None)), Wrong);
    assert_eq!(verdict(amount(Metric::Rate, Some(1_000.0), None)), Undecided);
    // An operation takes nine tenths of a millisecond: less than its p99 bucket.
    assert_eq!(verdict(amount(Metric::P99, None, Some(1.0e6))), Right);
    assert_eq!(verdict(amount(Metric::P99, None, Some(0.5e6))), Wrong);
    assert_eq!(verdict(amount(Metric::ServiceCpu, None, Some(1.0))), OtherWork, "there is no service");
}

#[test]
fn combinations_are_those_of_kleene() {
    let (yes, no, open, none) = (
        || is(ratio("fast", "slow", Some(1.0), None)),
        || is(ratio("slow", "fast", Some(1.0), None)),
        || is(ratio("like", "slow", Some(1.0), None)),
        || is(amount(Metric::ServiceCpu, None, Some(1.0))),
    );
    let all = |parts: Vec<Condition>| verdict_in(three(), Condition::All(parts));
    let any = |parts: Vec<Condition>| verdict_in(three(), Condition::Any(parts));
    let not = |part: Condition| verdict_in(three(), Condition::Not(Box::new(part)));
    assert_eq!([all(vec![yes(), yes()]), all(vec![yes(), no()]), all(vec![yes(), open()])], [Right, Wrong, Undecided]);
    assert_eq!(
        [all(vec![no(), none()]), all(vec![yes(), none()]), all(vec![open(), none()])],
        [Wrong, OtherWork, OtherWork]
    );
    assert_eq!([any(vec![no(), yes()]), any(vec![no(), no()]), any(vec![no(), open()])], [Right, Wrong, Undecided]);
    assert_eq!([any(vec![yes(), none()]), any(vec![no(), none()])], [Right, OtherWork]);
    assert_eq!([not(yes()), not(no()), not(open()), not(none())], [Wrong, Right, Undecided, OtherWork]);
}

fn growth(candidate: &str, law: GrowthLaw) -> Statement {
    Statement::Growth {
        candidate: candidate.into(),
        place: place(if candidate == "lmdb" { "read" } else { "load" }),
        law,
        from_rows: None,
        to_rows: None,
    }
}

#[test]
fn growth_is_linear_faster_or_has_a_knee() {
    let verdict = |statement| verdict_in(growing(), is(statement));
    assert_eq!(
        [verdict(growth("sqlite", GrowthLaw::Linear)), verdict(growth("lmdb", GrowthLaw::Linear))],
        [Right, Wrong]
    );
    assert_eq!(
        [verdict(growth("lmdb", GrowthLaw::Faster)), verdict(growth("sqlite", GrowthLaw::Faster))],
        [Right, Wrong]
    );
    // It was skipped at a million rows, so that nobody knows all of its sizes.
    assert_eq!(verdict(growth("postgres", GrowthLaw::Linear)), Undecided);
    assert_eq!(verdict(growth("sqlite", GrowthLaw::Knee)), Undecided, "a straight line");
}

#[test]
fn growth_needs_three_sizes_ten_times_apart() {
    for sizes in [vec![0, 1], vec![0, 2]] {
        let mut run = growing();
        let rows: Vec<u64> = sizes.iter().map(|at: &usize| run.run.plan.configurations[*at].rows).collect();
        let axis = run.run.plan.axes.iter_mut().find(|axis| axis.name == "rows").unwrap();
        axis.values.retain(|value| rows.iter().any(|rows| *value == AxisValue::Number(*rows)));
        let answer = judged(run, vec![claim("it", is(growth("lmdb", GrowthLaw::Faster)))]);
        let it = &answer.claims[0].judgements[0];
        assert_eq!(it.verdict, Undecided, "{sizes:?}");
        assert!(matches!(it.findings[0].unknown, Some(Unknown::NarrowSizes { sizes: 2, .. })), "{:?}", it.findings[0]);
    }
}

#[test]
fn a_knee_is_seen_where_the_exponent_rises() {
    let mut run = growing();
    // At the largest size everything takes four times as long as the line says.
    for job in run.jobs.iter_mut().filter(|job| job.configuration == 2 && job.candidate == "sqlite") {
        let worker = &mut job.phases[0].results[0].workers[0];
        worker.last_end_ns = worker.first_start_ns + 4 * (worker.last_end_ns - worker.first_start_ns);
    }
    assert_eq!(verdict_in(run.clone(), is(growth("sqlite", GrowthLaw::Knee))), Right);
    for job in run.jobs.iter_mut().filter(|job| job.configuration == 1 && job.candidate == "sqlite") {
        let worker = &mut job.phases[0].results[0].workers[0];
        worker.last_end_ns = worker.first_start_ns + 16 * (worker.last_end_ns - worker.first_start_ns);
    }
    assert_eq!(verdict_in(run, is(growth("sqlite", GrowthLaw::Knee))), Wrong, "it falls after the middle size");
}

#[test]
fn rows_that_are_lost_and_jobs_that_fail_are_facts() {
    let lost = || is(Statement::LosesRows { candidate: "slow".into(), at: Vec::new() });
    let fails = || is(Statement::Fails { candidate: "slow".into(), at: Vec::new() });
    assert_eq!([verdict_in(three(), lost()), verdict_in(three(), fails())], [Wrong, Wrong], "five good rounds");
    let mut losing = three();
    let of_slow = |run: &mut Loaded, change: &dyn Fn(&mut JobRecord)| {
        run.jobs.iter_mut().filter(|job| job.candidate == "slow").take(1).for_each(change)
    };
    of_slow(&mut losing, &|job| job.phases[0].results[0].checks.lost = 3);
    assert_eq!(verdict_in(losing, lost()), Right);
    let mut counted = three();
    of_slow(&mut counted, &|job| {
        job.final_count = Some(FinalCount { counted_rows: 90, least_rows: 100, most_rows: 100 });
    });
    assert_eq!(verdict_in(counted, lost()), Right);
    let mut failing = three();
    of_slow(&mut failing, &|job| {
        job.error = Some(JobError { kind: JobErrorKind::Client, phase: None, message: "full".into() });
    });
    assert_eq!(verdict_in(failing, fails()), Right);
    let locked = || Failed { operation: Operation::Read, message: "database is locked".into(), count: 2 };
    let mut refusing = three();
    of_slow(&mut refusing, &|job| job.phases[0].results[0].failures.push(locked()));
    assert_eq!(verdict_in(refusing, fails()), Right, "an operation that fails");
    let mut short = three();
    short.jobs.retain(|job| job.round < 2);
    assert_eq!(verdict_in(short, lost()), Undecided, "two rounds tell nothing");
}

/// `slow` under a pitfall that makes it as quick as `fast`, in the same rounds.
fn with_lazy() -> Loaded {
    let mut run = three();
    run.run.candidates.push(made_lazy("slow"));
    let made = lazy_beside(&run.run.plan.configurations[0], "slow");
    run.run.plan.configurations.push(made);
    run.run.plan.pitfalls.push(Pitfall::separate("lazy", "It is lazy."));
    let lazy = reads("slow [lazy]", &[3_000, 3_030, 2_970, 3_015, 2_985]);
    run.jobs.extend(lazy.into_iter().map(|job| JobRecord { configuration: 1, ..job }));
    run
}

/// That with the pitfall 'slow' passes 'fast', which is first without it.
fn passes_by_pitfall() -> Statement {
    Statement::Ratio {
        candidate: "slow".into(),
        than: "fast".into(),
        metric: Metric::Rate,
        place: PhaseRef { phase: "read".into(), at: vec![at("pitfall", "lazy")] },
        than_place: None,
        bounds: Bounds { at_least: Some(1.0), at_most: None },
    }
}

/// That the pitfall makes a rate, or its ratio to that of another, at least so many times what it was.
fn change_by_pitfall(candidate: &str, than: Option<&str>, at_least: f64) -> Statement {
    Statement::Change {
        axis: "pitfall".into(),
        from: AxisValue::Word("none".into()),
        to: AxisValue::Word("lazy".into()),
        candidate: candidate.into(),
        than: than.map(str::to_string),
        metric: Metric::Rate,
        place: place("read"),
        bounds: Bounds { at_least: Some(at_least), at_most: None },
    }
}

#[test]
fn a_change_along_an_axis_or_by_a_pitfall_is_a_ratio_of_ratios() {
    let verdict = |statement| verdict_in(with_lazy(), is(statement));
    assert_eq!(verdict(change_by_pitfall("slow", None, 2.5)), Right);
    assert_eq!(verdict(change_by_pitfall("slow", None, 3.5)), Wrong);
    assert_eq!(verdict(change_by_pitfall("slow", None, 3.0)), Undecided);
    assert_eq!(verdict(change_by_pitfall("slow", Some("fast"), 2.5)), Right, "the other one stays as it is");
    assert_eq!(verdict(passes_by_pitfall()), Right);
    assert_eq!(verdict(ratio("slow", "fast", Some(1.0), None)), Wrong);
}

/// Lets every other canary of these jobs sing at half the speed.
fn shaken(mut run: Loaded, is_it: fn(&JobRecord) -> bool) -> Loaded {
    for (at, job) in run.jobs.iter_mut().filter(|job| is_it(job)).enumerate() {
        if let Some(canary) = job.canary.as_mut().filter(|_| at % 2 == 1) {
            canary.spin_ns *= 2;
        }
    }
    run
}

#[test]
fn what_shook_the_machine_beside_a_claim_is_no_matter_of_it() {
    // Ten canaries are the fewest that are believed: the jobs of the pitfall are told twice.
    let with_pitfall = || {
        let mut run = with_lazy();
        let again: Vec<JobRecord> = run.jobs.iter().filter(|job| job.configuration == 1).cloned().collect();
        run.jobs.extend(again.into_iter().map(|job| JobRecord { candidate: "echo".into(), ..job }));
        run
    };
    let of_pitfall: fn(&JobRecord) -> bool = |job| job.configuration == 1;
    let corrected: fn(&JobRecord) -> bool = |job| job.configuration == 0;
    let verdicts = |run: fn(&JobRecord) -> bool| {
        let judge = |statement| verdict_in(shaken(with_pitfall(), run), is(statement));
        (judge(ratio("fast", "slow", Some(1.5), None)), judge(change_by_pitfall("slow", None, 1.5)))
    };
    assert_eq!(verdicts(|_| false), (Right, Right));
    assert_eq!(verdicts(of_pitfall), (Right, Undecided), "the corrected work was measured in quiet");
    assert_eq!(verdicts(corrected), (Undecided, Undecided));
}

#[test]
fn a_claim_about_a_pitfall_is_undecided_in_a_run_without_it() {
    let change = |run: Loaded| verdict_in(run, is(change_by_pitfall("slow", None, 2.0)));
    assert_eq!((change(three()), change(with_lazy())), (Undecided, Right));
    let lost = |run: Loaded| {
        verdict_in(run, is(Statement::LosesRows { candidate: "slow".into(), at: vec![at("pitfall", "lazy")] }))
    };
    assert_eq!((lost(three()), lost(with_lazy())), (Undecided, Wrong));
}

#[test]
fn what_the_run_did_not_measure_is_undecided_with_the_command_that_measures_it() {
    let judgement = |run: Loaded, condition: Condition| {
        let answer = judged(run, vec![claim("it", condition)]);
        let one = answer.claims[0].judgements[0].clone();
        let found: Vec<String> = one.findings.iter().map(|found| found.message().to_string()).collect();
        (one.verdict, one.settle.and_then(|settle| settle.command), found.join("; "))
    };
    let mut typed = three();
    typed.run.command = "kurabe run quick --stores fast,slow --pitfalls --rounds 5".into();
    let (verdict, command, found) = judgement(typed, is(passes_by_pitfall()));
    assert_eq!(
        (verdict, command.as_deref()),
        (Undecided, Some("kurabe run quick --stores fast,slow --pitfall lazy --rounds 5"))
    );
    assert!(found.contains("this run did not measure the pitfall 'lazy'"), "{found}");
    // Who is not here, and with the pitfall, which is not looked at then.
    let both = Condition::All(vec![is(ratio("fast", "gone", Some(1.0), None)), is(passes_by_pitfall())]);
    let (verdict, command, found) = judgement(three(), both);
    let expected = "kurabe run quick --stores fast,gone,slow --rounds 5 --seed 42 --pitfall lazy";
    assert_eq!((verdict, command.as_deref()), (Undecided, Some(expected)));
    assert!(found.contains("'gone' is not in this run"), "{found}");
    // What was left out is brought by no flag: its reason says what it lacks.
    let mut without = with_lazy();
    without.run.candidates.retain(|one| one.name != "slow [lazy]");
    without.run.left_out = vec![LeftOut {
        name: "slow [lazy]".into(),
        base: Some("slow".into()),
        factors: vec![at("pitfall", "lazy")],
        reason: "an old library is not here".into(),
        remedy: None,
    }];
    for statement in [
        passes_by_pitfall(),
        Statement::LosesRows { candidate: "slow".into(), at: vec![at("pitfall", "lazy")] },
        change_by_pitfall("slow", None, 0.5),
    ] {
        let (verdict, command, found) = judgement(without.clone(), is(statement));
        assert_eq!((verdict, command), (Undecided, None));
        assert!(found.contains("'slow [lazy]' was left out: an old library is not here"), "{found}");
    }
}

#[test]
fn a_pitfall_stands_in_no_ranking_and_says_who_wins_with_it() {
    let answer: Answer = answer(&with_lazy());
    assert!(answer.phases[0].rows.iter().all(|row| row.candidate != "slow [lazy]"));
    assert!(answer.other_configurations.is_empty(), "its level is none of the study's");
    let pitfall = &answer.pitfalls[0];
    assert_eq!(pitfall.phases[0].first.corrected, ["fast"]);
    assert_eq!(pitfall.phases[0].first.with_pitfall, ["slow"]);
    let effect = &pitfall.phases[0].effects[0];
    assert_eq!((effect.candidate.as_str(), effect.is_seen()), ("slow", true));
    let (before, after) = effect.to_winner.expect("both have figures");
    assert!((before.value - 0.5).abs() < 0.01 && (after.value - 1.5).abs() < 0.02, "{before:?} {after:?}");
    let told = told(pitfall);
    assert!(told[0].contains("with the pitfall 'lazy', 'slow' wins instead of 'fast'"), "{told:?}");
}

#[test]
fn a_pitfall_whose_answers_are_wrong_is_no_fault_of_the_run() {
    let mut run = with_lazy();
    for job in run.jobs.iter_mut().filter(|job| job.configuration == 1) {
        job.phases[0].results[0].checks.wrong = 7;
    }
    let answer = answer(&run);
    assert_eq!(answer.outcome, kurabe_analysis::Outcome::Good);
    assert!(answer.pitfalls[0].phases[0].effects[0].reason.is_some());
    let told = told(&answer.pitfalls[0]);
    assert!(told[0].contains("'slow' does not count: "), "{told:?}");
}

#[test]
fn who_is_not_here_or_gave_wrong_answers_decides_nothing_and_is_named() {
    let missing = judged(three(), vec![claim("it", is(ratio("fast", "gone", Some(1.0), None)))]);
    let found = &missing.claims[0].judgements[0].findings[0];
    assert!(matches!(&found.unknown, Some(Unknown::NotHere { candidate, .. }) if candidate == "gone"));
    let mut wrong = three();
    wrong.jobs[0].phases[0].results[0].checks.wrong = 1;
    assert_eq!(verdict_in(wrong, is(ratio("fast", "slow", Some(1.0), None))), OtherWork);
}

#[test]
fn an_open_claim_says_how_many_rounds_would_settle_it() {
    let answer = judged(three(), vec![claim("it", is(ratio("like", "slow", Some(0.98), None)))]);
    let judgement = &answer.claims[0].judgements[0];
    let settle = judgement.settle.as_ref().expect("a way out");
    assert!(settle.rounds.is_some_and(|rounds| (6..=100).contains(&rounds)), "{settle:?}");
    let command = settle.command.as_ref().expect("a command");
    assert!(command.starts_with("kurabe run quick --stores like,slow --rounds"), "{command}");
}

/// The same run, but they update, and of what the run asks for only these keep it.
pub(crate) fn that_writes(mut run: Loaded, keepers: &[&str]) -> Loaded {
    for level in &mut run.run.plan.configurations {
        level.phases = vec![plan("read", Action::Update)];
    }
    run.jobs.iter_mut().for_each(|job| job.phases[0].operation = Operation::Update);
    run.run.plan.durability = MinimumDurability::Consistent;
    for one in run.run.candidates.iter_mut().filter(|one| keepers.contains(&one.name.as_str())) {
        one.durability = Some(durability(DurabilityLevel::Consistent));
    }
    run
}

#[test]
fn what_a_pitfall_that_keeps_less_does_is_told_and_that_it_keeps_less() {
    let run = that_writes(with_lazy(), &["fast", "slow"]);
    let answer = answer(&run);
    let phase = &answer.pitfalls[0].phases[0];
    assert_eq!(
        (&phase.first.corrected[..], &phase.first.with_pitfall[..]),
        (&["fast".to_string()][..], &["slow".into()][..])
    );
    let [effect] = &phase.effects[..] else { panic!("one is with_pitfall: {:?}", phase.effects) };
    assert_eq!((&effect.reason, effect.is_seen()), (&None, true));
    assert_eq!(
        effect.keeps_less,
        Some(KeepsLess { corrected: kept(DurabilityLevel::Consistent), with_pitfall: kept(DurabilityLevel::Cache) })
    );
    let told = told(&answer.pitfalls[0]);
    assert_eq!(told[0], "With the pitfall 'lazy', 'slow' keeps durability 'cache' instead of 'consistent'.");
    assert!(told[1].contains("'slow' wins instead of 'fast'; the rate of 'slow' is 3.00 times as high ("), "{told:?}");
    assert_eq!(verdict_in(run, is(change_by_pitfall("slow", None, 2.5))), Right);
    let with_pitfall = |keepers: &[&str]| verdict_in(that_writes(with_lazy(), keepers), is(passes_by_pitfall()));
    assert_eq!(with_pitfall(&["fast", "slow"]), Right);
    // Where it is below the baseline in either way nothing of it counts.
    assert_eq!(with_pitfall(&["fast"]), OtherWork);
    let below = kurabe_analysis::answer(&that_writes(with_lazy(), &["fast"]));
    let phase = &below.pitfalls[0].phases[0];
    assert!(phase.effects[0].reason.is_some() && phase.effects[0].keeps_less.is_none());
    assert_eq!(phase.first.with_pitfall, ["fast"]);
}

/// Lets every job do its one phase again under these names.
fn read_again_as(run: &mut Loaded, names: &[impl AsRef<str>]) {
    let names = || names.iter().map(|name| name.as_ref().to_string());
    for level in &mut run.run.plan.configurations {
        let PhasePlan { phase, .. } = &level.phases[0];
        let again: Vec<PhasePlan> = names().map(|name| plan(&name, phase.work.clone())).collect();
        level.phases.extend(again);
    }
    for job in &mut run.jobs {
        let read = job.phases[0].clone();
        job.phases.extend(names().map(|name| PhaseRecord { name, ..read.clone() }));
    }
}

#[test]
fn who_does_not_count_with_a_pitfall_is_told_once_and_nobody_wins_by_it() {
    let mut run = with_lazy();
    read_again_as(&mut run, &["again"]);
    // Of the phases of the pitfall none was possible.
    for job in run.jobs.iter_mut().filter(|job| job.configuration == 1) {
        for phase in &mut job.phases {
            phase.outcome = PhaseOutcome::Unsupported("no laziness".into());
        }
    }
    let answer = answer(&run);
    let told = told(&answer.pitfalls[0]);
    assert_eq!(told, ["With the pitfall 'lazy', 'slow' does not count: unsupported: no laziness."]);
    assert!(answer.pitfalls[0].phases.iter().all(|phase| phase.first.with_pitfall.is_empty()));
}

#[test]
fn what_a_pitfall_changes_need_not_pay_for_the_phases_that_it_leaves() {
    let mut run = with_lazy();
    read_again_as(&mut run, &(0..20).map(|one| format!("after-{one}")).collect::<Vec<_>>());
    run.run.plan.configurations[1].phases[0].phase.connections += 1;
    for job in run.jobs.iter_mut().filter(|job| job.configuration == 1) {
        // In the other phases it is as slow as ever, but for the spread.
        let slow = [1_003, 1_001, 992, 1_008, 990][job.round as usize];
        for phase in &mut job.phases[1..] {
            phase.results = reads("slow", &[slow])[0].phases[0].results.clone();
        }
    }
    let answer = answer(&run);
    let pitfall = &answer.pitfalls[0];
    let meant: Vec<&str> =
        pitfall.phases.iter().filter(|phase| phase.effects[0].is_meant).map(|phase| phase.phase.as_str()).collect();
    assert_eq!(meant, ["read"]);
    assert_eq!(pitfall.level, 0.95, "one comparison");
    assert!(pitfall.level_elsewhere > 0.99, "{}", pitfall.level_elsewhere);
}

#[test]
fn a_command_that_settles_a_claim_keeps_what_was_typed() {
    let mut run = three();
    run.run.command = "kurabe run quick --stores fast,slow,like --data 'my people.csv' --key id --need 9/s".into();
    let answer = judged(run, vec![claim("it", is(ratio("like", "slow", Some(0.98), None)))]);
    let settle = answer.claims[0].judgements[0].settle.as_ref().expect("a way out");
    let command = settle.command.as_ref().expect("a command");
    let start = "kurabe run quick --stores like,slow --data 'my people.csv' --key id --need 9/s --rounds ";
    assert!(command.starts_with(start), "{command}");
}

#[test]
fn claims_are_about_a_run_of_other_stores_only_where_all_that_play_are_in_it() {
    let about = |command: &str, other: &str| {
        let mut run = three();
        run.run.command = command.into();
        judged(run, vec![claim("it", is(ratio("fast", other, Some(1.0), None)))]).about_these
    };
    assert!(about("kurabe run quick --rounds 5", "gone"), "the study's own stores");
    assert!(about("kurabe run quick --stores fast,slow", "slow"), "all that play");
    assert!(!about("kurabe run quick --stores fast,slow", "gone"));
    assert!(!about("kurabe run quick --all", "gone"));
}

#[test]
fn what_keeps_less_than_the_run_asks_for_is_judged_by_a_run_that_asks_for_no_more() {
    let asked = |one: &str, other: &str| {
        let answer = judged(that_writes(three(), &["fast"]), vec![claim("it", is(ratio(one, other, Some(1.0), None)))]);
        let judgement = answer.claims[0].judgements[0].clone();
        (judgement.verdict, judgement.settle.and_then(|settle| settle.command))
    };
    let command = "kurabe run quick --stores fast,slow --rounds 5 --seed 42 --durability cache".to_string();
    assert_eq!(asked("fast", "slow"), (OtherWork, Some(command)));
    let with_gone = "kurabe run quick --stores fast,gone --rounds 5 --seed 42".to_string();
    assert_eq!(asked("fast", "gone"), (Undecided, Some(with_gone)), "no durability brings it");
    let mut less = that_writes(three(), &["fast"]);
    less.run.plan.durability = MinimumDurability::Cache;
    assert_eq!(verdict_in(less, is(ratio("fast", "slow", Some(1.0), None))), Right);
}

#[test]
fn a_binding_is_judged_with_those_who_play_in_it() {
    let mut run = three();
    let binds = |one: &str| [("hero".to_string(), one.to_string())].into();
    run.run.plan.claims.bindings = vec![
        Binding { name: "one".into(), binds: binds("fast"), stands_for: std::collections::BTreeMap::new() },
        Binding { name: "two".into(), binds: binds("slow"), stands_for: std::collections::BTreeMap::new() },
    ];
    let answer = judged(run, vec![claim("it", is(ratio("hero", "like", Some(1.2), None)))]);
    let told: Vec<_> =
        answer.claims[0].judgements.iter().map(|one| (one.binding.as_deref().unwrap(), one.verdict)).collect();
    assert_eq!(told, [("one", Right), ("two", Wrong)]);
}

#[test]
fn a_binding_of_which_nobody_is_in_the_run_is_not_told() {
    let bindings = |names: &[&str]| -> Vec<Binding> {
        let binding = |name: &&str| Binding {
            name: format!("with {name}"),
            binds: [("hero".to_string(), name.to_string()), ("other".to_string(), format!("{name}'s other"))].into(),
            stands_for: std::collections::BTreeMap::new(),
        };
        names.iter().map(binding).collect()
    };
    let told = |names: &[&str], statement: Statement| -> Vec<(String, ClaimVerdict)> {
        let mut run = three();
        run.run.plan.claims.bindings = bindings(names);
        let answer = judged(run, vec![claim("it", is(statement))]);
        answer.claims[0].judgements.iter().map(|one| (one.binding.clone().unwrap(), one.verdict)).collect()
    };
    let beaten = || ratio("hero", "like", Some(1.2), None);
    assert_eq!(
        told(&["nobody", "fast"], beaten()),
        [
            // "like" plays itself in every binding, so one side is here.
            ("with nobody".to_string(), Undecided),
            ("with fast".to_string(), Right)
        ]
    );
    let alone = || ratio("hero", "other", Some(1.2), None);
    assert_eq!(told(&["nobody", "fast"], alone()), [("with fast".to_string(), Undecided)]);
    assert_eq!(told(&["nobody", "no one"], alone()), [("with nobody".to_string(), Undecided)]);
}

#[test]
fn claims_that_were_changed_after_the_run_are_told() {
    let mut run = three();
    run.run.plan.claims.claims = vec![claim("it", is(ratio("fast", "slow", Some(1.0), None)))];
    run.run.plan.claims.digest = run.run.plan.claims.computed_digest();
    assert!(answer(&run).claims.unwrap().fixed_before);
    run.run.plan.claims.claims[0].says = "Something else.".into();
    let changed = answer(&run).claims.unwrap();
    assert!(!changed.fixed_before);
    assert_eq!(changed.summary().id(), "claim-summary-edited");
}

/// Twelve stores of the same speed, and in each family twelve claims that one is faster than the next: all of them
/// false.
#[test]
fn a_false_claim_holds_in_at_most_5_of_100_families() {
    let mut rng = ChaCha8Rng::seed_from_u64(20_261_123);
    let rates = LogNormal::new(10_000f64.ln(), 0.05).expect("valid parameters");
    let names: Vec<String> = (0..12).map(|at| format!("s{at}")).collect();
    let mut fooled = 0;
    for _ in 0..300 {
        let candidates = names.iter().map(|name| store(name)).collect();
        let record = run(5, candidates, vec![crate::common::plan("read", Action::Read)]);
        let jobs = names
            .iter()
            .flat_map(|name| {
                let rates: Vec<u64> = (0..5).map(|_| rates.sample(&mut rng) as u64).collect();
                reads(name, &rates)
            })
            .collect();
        let loaded = crate::common::loaded(record, jobs);
        let faster = |at: usize| is(ratio(&names[at], &names[(at + 1) % 12], Some(1.0), None));
        let claims = (0..12).map(|at| claim(&format!("c{at}"), faster(at))).collect();
        let answer = judged(loaded, claims);
        fooled += usize::from(answer.count(Right) > 0);
    }
    assert!(fooled <= 15, "{fooled} of 300 families");
}
