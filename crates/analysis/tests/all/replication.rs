//! Whether a source's order comes back, and what turned it.

use crate::claims::three;
use crate::common::{reads, store};
use kurabe_analysis::{ClaimVerdict, Replication, answer};
use kurabe_record::{
    AxisValue, CandidateRecord, Configuration, Factor, JobRecord, Loaded, PITFALL, PhaseRef, Pitfall, PublishedCell,
    PublishedRow, PublishedTable, PublishedUnit,
};

/// The rates of 'slow' as published, and with the first of two pitfalls removed; without any it has 1,000/s.
fn run(as_published: [u64; 5], step: [u64; 5], theirs: [f64; 2]) -> Loaded {
    let mut run = three();
    for (state, rates, together) in
        [("as-published", as_published, &["early", "late"][..]), ("as-published-1", step, &["late"][..])]
    {
        let name = format!("slow [{state}]");
        let factors = vec![Factor { axis: PITFALL.into(), value: AxisValue::Word(state.into()) }];
        run.run.candidates.push(CandidateRecord {
            base: Some("slow".into()),
            factors: factors.clone(),
            ..store(&name)
        });
        let configuration = run.run.plan.configurations.len() as u32;
        let made = Configuration { factors, only: vec![name.clone()], ..run.run.plan.configurations[0].clone() };
        run.run.plan.configurations.push(made);
        let together = together.iter().map(|name| name.to_string()).collect();
        run.run.plan.pitfalls.push(Pitfall { together, ..Pitfall::separate(state, "x") });
        run.jobs.extend(reads(&name, &rates).into_iter().map(|job| JobRecord { configuration, ..job }));
    }
    let row = |name: &str, candidate: &str, value: f64| PublishedRow {
        name: name.into(),
        cells: vec![PublishedCell {
            value: Some(value),
            candidate: candidate.into(),
            place: Some(PhaseRef { phase: "read".into(), at: Vec::new() }),
            operations: None,
            of: None,
        }],
    };
    run.run.plan.claims.published = vec![PublishedTable {
        title: "Reads".into(),
        conditions: "a notebook".into(),
        unit: PublishedUnit::PerSecond,
        columns: vec!["reads".into()],
        rows: vec![row("Fast", "fast", theirs[0]), row("Slow", "slow", theirs[1])],
    }];
    run
}

const THRICE: [u64; 5] = [3_000, 3_030, 2_970, 3_015, 2_985];
const HALF: [u64; 5] = [1_500, 1_515, 1_485, 1_507, 1_493];

fn only(run: &Loaded) -> Replication {
    let all = answer(run).replications;
    assert_eq!(all.len(), 1);
    all.into_iter().next().unwrap()
}

#[test]
fn an_order_comes_back_and_each_step_has_its_part() {
    let found = only(&run(THRICE, HALF, [200.0, 300.0]));
    assert_eq!(
        (found.verdict, found.order.as_slice()),
        (ClaimVerdict::Right, &["Slow".to_string(), "Fast".into()][..])
    );
    let steps: Vec<(Option<&str>, String, &str)> = found
        .steps
        .iter()
        .map(|step| (step.removes.as_deref(), format!("{:.2}", step.lead.value), step.best.as_str()))
        .collect();
    assert_eq!(
        steps,
        [(None, "1.50".into(), "Slow"), (Some("early"), "0.75".into(), "Fast"), (Some("late"), "0.50".into(), "Fast")]
    );
    let changes: f64 = found.steps.iter().filter_map(|step| step.change).map(|change| change.value).product();
    assert!((changes - 0.5 / 1.5).abs() < 1e-3, "the steps make the whole: {changes}");
    let told: Vec<String> = found.messages().iter().map(ToString::to_string).collect();
    assert_eq!(told.len(), 3);
    assert!(told[0].ends_with("came back by its own method: Slow > Fast."), "{}", told[0]);
    assert!(
        told[1].contains("Without 'early'") && told[1].ends_with("From here on Fast is the fastest."),
        "{}",
        told[1]
    );
    assert!(!told[2].contains("From here on"), "{}", told[2]);
}

#[test]
fn an_order_that_does_not_come_back_names_the_pair() {
    let found = only(&run(THRICE, HALF, [300.0, 200.0]));
    assert_eq!(found.verdict, ClaimVerdict::Wrong);
    let told = found.messages()[0].to_string();
    assert!(told.contains("did not come back") && told.contains("Fast over Slow: ×1.5 there, ×"), "{told}");
    // Two that tie contradict a lead that counts, and no smaller one.
    let tie = |theirs| only(&run([2_000, 2_100, 1_900, 2_050, 1_950], HALF, theirs));
    assert_eq!(tie([200.0, 300.0]).verdict, ClaimVerdict::Wrong);
    let level = tie([280.0, 300.0]);
    assert_eq!(level.verdict, ClaimVerdict::Right);
    assert!(level.messages()[0].to_string().ends_with("Slow ≈ Fast."), "{:?}", level.messages());
    assert_eq!(only(&run(THRICE, HALF, [300.0, 280.0])).verdict, ClaimVerdict::Wrong);
}

#[test]
fn a_run_without_the_sources_method_says_nothing_of_its_order() {
    let mut plain = run(THRICE, HALF, [200.0, 300.0]);
    plain.run.plan.pitfalls.clear();
    assert!(answer(&plain).replications.is_empty());
}

#[test]
fn with_one_or_two_rounds_the_order_is_undecided_for_want_of_rounds() {
    for rounds in 1..=2 {
        let mut short = run(THRICE, HALF, [200.0, 300.0]);
        short.jobs.retain(|job| job.round < rounds);
        let found = only(&short);
        assert_eq!((found.verdict, found.too_few_rounds), (ClaimVerdict::Undecided, Some(rounds as usize)));
        let told = found.messages()[0].to_string();
        assert!(told.contains(&format!("It has {rounds} round")) && told.ends_with("and needs 3."), "{told}");
    }
    assert_eq!(only(&run(THRICE, HALF, [200.0, 300.0])).too_few_rounds, None);
}
