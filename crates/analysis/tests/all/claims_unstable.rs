//! Claims about a run on an unstable machine: only what lies far from a bound is decided, by the factor of
//! recommendations.

use crate::claims::{claim, is, judged, place, ratio, three, verdict_in};
use crate::common::growing::growing;
use kurabe_analysis::{ClaimVerdict, Unknown};
use kurabe_record::{GrowthLaw, Loaded, Statement};

use ClaimVerdict::{Right, RightAndMoreSo, Undecided, Wrong};

/// The same run where every other job found a processor half as fast.
fn unstable(mut run: Loaded) -> Loaded {
    for job in run.jobs.iter_mut().step_by(2) {
        job.canary.as_mut().expect("every job has one").spin_ns *= 2;
    }
    run
}

fn verdict(statement: Statement) -> ClaimVerdict {
    verdict_in(unstable(three()), is(statement))
}

#[test]
fn a_figure_decides_only_four_times_beyond_the_bound() {
    // 'fast' reads about twice as fast as 'slow'.
    assert_eq!(verdict_in(three(), is(ratio("fast", "slow", Some(1.0), None))), Right);
    assert_eq!(verdict(ratio("fast", "slow", Some(1.0), None)), Undecided);
    assert_eq!(verdict(ratio("slow", "fast", Some(1.0), None)), Undecided);
    assert_eq!(verdict(ratio("fast", "slow", Some(0.45), None)), Right);
    assert_eq!(verdict(ratio("fast", "slow", Some(0.55), None)), Undecided);
    assert_eq!(verdict(ratio("fast", "slow", Some(9.0), None)), Wrong);
    assert_eq!(verdict(ratio("fast", "slow", Some(7.0), None)), Undecided);
    // Between two bounds it must lie far from both.
    assert_eq!(verdict(ratio("fast", "slow", Some(0.4), None)), Right);
    assert_eq!(verdict(ratio("fast", "slow", Some(0.4), Some(9.0))), Right);
    assert_eq!(verdict(ratio("fast", "slow", Some(0.4), Some(4.0))), Undecided);
}

#[test]
fn who_claims_far_less_than_is_seen_is_right_and_more_so() {
    // 'echo' does about ninety times as much as 'slow'.
    let more = |most: f64| verdict(ratio("echo", "slow", Some(2.0), Some(most)));
    assert_eq!(more(20.0), RightAndMoreSo);
    assert_eq!(more(30.0), Right, "ninety is not four times thirty");
}

#[test]
fn the_answer_says_what_keeps_it_open() {
    let open = |run: Loaded, statement: Statement| {
        let answer = judged(unstable(run), vec![claim("it", is(statement))]);
        let finding = answer.claims[0].judgements[0].findings[0].clone();
        (finding.unknown.clone(), finding.message().to_string())
    };
    let (unknown, said) = open(three(), ratio("fast", "slow", Some(1.0), None));
    assert_eq!(unknown, Some(Unknown::Unsteady));
    let json =
        serde_json::to_value(judged(unstable(three()), vec![claim("it", is(ratio("fast", "slow", Some(1.0), None)))]));
    let finding = json.expect("a value")["claims"][0]["judgements"][0]["findings"][0].clone();
    assert_eq!(
        (finding["verdict"].as_str(), finding["messages"][0]["id"].as_str()),
        (Some("undecided"), Some("claim-finding"))
    );
    assert!(finding["messages"][0].to_string().contains("the machine was unstable"), "{finding}");
    assert!(said.contains("only a figure 4.0 times beyond the claim decides"), "{said}");
    let grows = Statement::Growth {
        candidate: "lmdb".into(),
        place: place("read"),
        law: GrowthLaw::Faster,
        from_rows: None,
        to_rows: None,
    };
    assert_eq!(open(growing(), grows).0, Some(Unknown::UnsteadyGrowth));
}
