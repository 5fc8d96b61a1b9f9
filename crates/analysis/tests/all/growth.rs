//! Runs over several sizes: what the answer is about, how each store grows, and who was skipped.

use crate::common::growing::growing;
use crate::common::said;
use kurabe_analysis::{Answer, AxisAnswer, AxisCurve, GrowthSlope, Judgement, Range, Reason, Status, answer};
use kurabe_record::{AxisValue, EndRecord, EndStatus, Loaded, SkippedRecord};

fn curve<'a>(answer: &'a Answer, phase: usize, candidate: &str) -> &'a AxisCurve {
    let AxisAnswer { curves, .. } = &answer.axes[phase];
    curves.iter().find(|curve| curve.candidate == candidate).expect("every candidate has a curve")
}

fn reason(answer: &Answer, candidate: &str) -> Reason {
    let row = answer.phases[1].rows.iter().find(|row| row.candidate == candidate).expect("a row");
    match &row.status {
        Status::Unranked { reason } => reason.clone(),
        other => panic!("'{candidate}' should be unranked and is {other:?}"),
    }
}

#[test]
fn the_answer_is_about_the_largest_size_at_which_two_stores_are_compared() {
    let shown = answer(&growing());
    assert_eq!(shown.at.rows, 1_000_000);
    assert_eq!(shown.other_configurations.iter().map(|level| level.at.rows).collect::<Vec<_>>(), [10_000, 100_000]);
    assert_eq!((shown.rounds.planned, shown.rounds.complete), (3, 3), "who was skipped or failed is not waited for");
    assert!(shown.notes.is_empty(), "{:?}", shown.notes);
    // With one store left at the largest size the answer is about the one below.
    let mut lone = growing();
    lone.jobs.retain(|job| job.configuration < 2 || job.candidate == "lmdb");
    lone.skipped.push(SkippedRecord { candidate: "sqlite".into(), ..lone.skipped[0].clone() });
    let shown = answer(&lone);
    assert_eq!(shown.at.rows, 100_000);
    assert_eq!(shown.other_configurations.iter().map(|level| level.at.rows).collect::<Vec<_>>(), [10_000, 1_000_000]);
    assert!(said(&shown)[0].starts_with("At 100,000 rows: "), "{:?}", said(&shown));
    assert_eq!(curve(&shown, 0, "lmdb").points.len(), 3, "growth is about all sizes");
}

#[test]
fn exponents_are_those_of_the_model_and_judged() {
    let shown = answer(&growing());
    let found = |phase, name| {
        let curve = curve(&shown, phase, name);
        let slope = curve.slope.expect("three sizes");
        (slope.value, slope.values, curve.judgement)
    };
    for (phase, name, expected, values, judgement) in [
        (0, "lmdb", 1.02, 13, Judgement::Linear),
        (1, "lmdb", 1.3, 13, Judgement::MoreThanLinear),
        (1, "sqlite", 1.01, 13, Judgement::Linear),
        (1, "postgres", 1.05, 10, Judgement::Linear),
    ] {
        let (value, behind, judged) = found(phase, name);
        assert!((value - expected).abs() < 0.01, "{name}: {value}");
        assert_eq!((behind, judged), (values, judgement), "{name}");
    }
    let points = &curve(&shown, 1, "sqlite").points;
    assert_eq!(
        points.iter().map(|point| point.value.clone()).collect::<Vec<_>>(),
        [10_000, 100_000, 1_000_000].map(AxisValue::Number)
    );
    let last = &points[2];
    assert!((last.cost_ns.value * last.rate_per_s.value - 1e9).abs() < 1.0);
    assert!(
        (last.total_ns.expect("over rows").value / last.cost_ns.value - 1e6).abs() < 1e-3,
        "a million reads, also where a sample was read"
    );
    let (cost, rate) = (last.cost_ns.interval.expect("three rounds"), last.rate_per_s.interval.expect("three rounds"));
    assert!((cost.low * rate.high - 1e9).abs() < 1.0 && cost.low < cost.high);
    assert_eq!(last.disk_per_row_bytes, Some(200.0));
}

#[test]
fn what_an_exponent_says_is_what_all_of_its_interval_allows() {
    let judged = |interval: Option<(f64, f64)>| {
        let interval = interval.map(|(low, high)| Range { low, high });
        GrowthSlope { value: 1.0, interval, sizes: 3, values: 9 }.judgement()
    };
    for (low, high, judgement) in [
        // A tenth around 1 is linear, both ends included, also where it does not hold 1.
        (0.9, 1.1, Judgement::Linear),
        (1.01, 1.05, Judgement::Linear),
        (0.92, 0.98, Judgement::Linear),
        (1.01, 1.2, Judgement::MoreThanLinear),
        (1.3, 1.4, Judgement::MoreThanLinear),
        (0.5, 0.99, Judgement::LessThanLinear),
        // An interval that holds 1 and goes further allows two of them.
        (1.0, 1.2, Judgement::Undecided),
        (0.9, 1.11, Judgement::Undecided),
        (0.5, 1.0, Judgement::Undecided),
        (0.89, 1.1, Judgement::Undecided),
        (0.5, 1.5, Judgement::Undecided),
    ] {
        assert_eq!(judged(Some((low, high))), judgement, "{low} to {high}");
    }
    assert_eq!(judged(None), Judgement::Undecided);
}

#[test]
fn two_stores_that_cross_are_told_from_each_other_at_both_ends() {
    let shown = answer(&growing());
    // 'lmdb' reads faster at 10 thousand rows (400 to 500 ns) and slower at a million (1,592 to 524 ns).
    let told = |text: &str| said(&shown).iter().any(|sentence| sentence.contains(text));
    assert!(told("At 1,000,000 rows: 'lmdb' is fastest in load"), "{:?}", said(&shown));
    assert!(told("'sqlite' is fastest in read"), "{:?}", said(&shown));
    assert!(told("Others lead at 10,000 rows: 'lmdb' in read."), "{:?}", said(&shown));
    assert!(told("Time grows faster than the data in read ('lmdb': rows^1.30)."), "{:?}", said(&shown));
    assert!(
        told("Kurabe skipped 'postgres' (it needs about 9 min) at 1,000,000 rows, because the budget is too short."),
        "{:?}",
        said(&shown)
    );
}

#[test]
fn who_was_skipped_or_failed_before_is_named_with_the_reason() {
    let shown = answer(&growing());
    let skipped = reason(&shown, "postgres");
    let expected = "skipped (budget) at 1,000,000 rows: 3 rounds need about 9 min, but 3 min of the budget were left";
    assert_eq!(skipped.message().to_string(), expected);
    assert!(matches!(reason(&shown, "broken"), Reason::FailedBefore { at } if at.rows == 100_000));
    let skipped = curve(&shown, 0, "postgres").skipped.clone().expect("skipped");
    assert_eq!(
        (skipped.at.rows, skipped.estimate_ns, curve(&shown, 0, "postgres").points.len()),
        (1_000_000, Some(558_000_000_000), 2)
    );
    // What failed at 100 thousand rows does not count there; before, it does.
    assert_eq!(curve(&shown, 1, "broken").points.iter().map(|point| point.configuration).collect::<Vec<_>>(), [0]);
    assert_eq!((curve(&shown, 1, "broken").slope, curve(&shown, 1, "broken").judgement), (None, Judgement::Undecided));
}

#[test]
fn skips_are_told_in_words_that_fit_what_happened() {
    let words = |change: &dyn Fn(&mut SkippedRecord)| {
        let mut run = growing();
        change(&mut run.skipped[0]);
        reason(&answer(&run), "postgres").message().to_string()
    };
    let stopped = words(&|skipped| skipped.stopped_after_ns = Some(700_000_000_000));
    assert_eq!(stopped, "skipped (budget) at 1,000,000 rows: Kurabe stopped it after 12 min, but expected about 9 min");
    let unknown = words(&|skipped| (skipped.estimate_ns, skipped.stopped_after_ns) = (None, Some(40_000_000_000)));
    assert!(unknown.ends_with("Kurabe stopped it after 40 s, its share of the budget"), "{unknown}");
    let nothing = words(&|skipped| skipped.estimate_ns = None);
    assert_eq!(nothing, "skipped (budget) at 1,000,000 rows: nothing was left of the budget");
    let later = words(&|skipped| {
        (skipped.configuration, skipped.rounds, skipped.needed_rounds, skipped.estimate_ns) =
            (2, 2, 1, Some(5_000_000_000))
    });
    assert_eq!(
        later,
        "skipped (budget) at 1,000,000 rows after 2 rounds: 1 round needs about 5.0 s, but 3 min of the budget were left"
    );
}

#[test]
fn an_interrupted_run_is_about_what_it_came_to() {
    let mut run: Loaded = growing();
    run.jobs.retain(|job| job.configuration == 0);
    run.skipped.clear();
    run.end = Some(EndRecord { status: EndStatus::Interrupted, ..run.end.expect("an end") });
    let shown = answer(&run);
    assert_eq!((shown.at.rows, shown.axes.len()), (10_000, 2));
    assert!(curve(&shown, 0, "lmdb").slope.is_none());
    assert!(
        shown.notes.iter().any(|note| note.message().to_string().contains("the run was interrupted")),
        "{:?}",
        shown.notes
    );
    run.jobs.clear();
    assert!(said(&answer(&run))[0].contains("Kurabe ranks no store"));
}
