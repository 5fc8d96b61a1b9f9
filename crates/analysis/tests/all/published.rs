//! What keeps less than a run asks for has no rank in it, and is compared all the same where its source compared it.

use kurabe_analysis::{ClaimVerdict, Unknown, answer};
use kurabe_record::{DurabilityLevel, PublishedCell, PublishedRow, PublishedTable, PublishedUnit};

use crate::claims::{claim, is, judged, place, ratio, that_writes, three};

#[test]
fn a_published_table_has_figures_of_what_keeps_less_than_the_run_asks_for() {
    let mut run = that_writes(three(), &["fast"]);
    let cell = |candidate: &str, value: f64| PublishedCell {
        value: Some(value),
        candidate: candidate.into(),
        place: Some(place("read")),
        operations: None,
        of: None,
    };
    let row = |name: &str, value: f64| PublishedRow { name: name.into(), cells: vec![cell(name, value)] };
    run.run.plan.claims.published = vec![PublishedTable {
        title: "Writes".into(),
        conditions: "there".into(),
        unit: PublishedUnit::PerSecond,
        columns: vec!["writes".into()],
        rows: vec![row("fast", 300.0), row("slow", 100.0), row("gone", 1.0)],
    }];
    let answer = answer(&run);
    let rows = &answer.published[0].rows;
    let ours = rows[1].cells[0].ours.as_ref().expect("'slow' is below the minimum, and was measured");
    assert!((990.0..1_010.0).contains(&ours.value), "{ours:?}");
    let to_winner = rows[1].cells[0].ours_to_winner.as_ref().expect("the source's winner was measured too");
    assert!((0.49..0.51).contains(&to_winner.value), "{to_winner:?}");
    let gone = &rows[2].cells[0];
    assert!(gone.ours.is_none() && matches!(gone.missing, Some(Unknown::NotHere { .. })), "{:?}", gone.missing);
}

#[test]
fn a_claim_about_a_cache_takes_whoever_keeps_nothing_and_no_other_claim_does() {
    let verdict = |level: DurabilityLevel, one: &str, other: &str| {
        let mut claim = claim("it", is(ratio(one, other, Some(1.0), None)));
        claim.durability = Some(level);
        judged(that_writes(three(), &["fast"]), vec![claim]).claims[0].judgements[0].verdict
    };
    assert_eq!(verdict(DurabilityLevel::Cache, "fast", "slow"), ClaimVerdict::Right);
    // A baseline promises nothing.
    assert_eq!(verdict(DurabilityLevel::Cache, "echo", "slow"), ClaimVerdict::Right);
    assert_eq!(verdict(DurabilityLevel::Kill, "echo", "slow"), ClaimVerdict::OtherWork);
    assert_eq!(verdict(DurabilityLevel::Consistent, "fast", "slow"), ClaimVerdict::OtherWork);
}
