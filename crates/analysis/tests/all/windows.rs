//! An axis over what may be lost: each window has a name of its own, and settings that stand at several values are
//! seen.

use kurabe_analysis::{Answer, analyse, phrases};
use kurabe_record::AxisValue;

use crate::common::windows::windows;
use crate::common::{complete, english, said};

fn answer() -> Answer {
    let (run, jobs) = windows();
    analyse(&run, &jobs, Some(&complete()))
}

fn word(text: &str) -> AxisValue {
    AxisValue::Word(text.into())
}

#[test]
fn every_ranking_says_which_window_was_allowed() {
    let answer = answer();
    let words: Vec<String> =
        answer.phases[0].rankings.iter().flat_map(|one| english(&phrases::scope_names(one.among))).collect();
    let expected =
        ["durability power", "window of 1 commit", "window of 10 ms", "window of 1 s", "durability consistent"];
    assert_eq!(words, expected);
    let json = serde_json::to_value(&answer.phases[0].rankings[2]).expect("JSON");
    assert_eq!((&json["durability"], &json["window"]), (&"window".into(), &"window=10ms".into()));
    let said = said(&answer).join(" ");
    assert!(said.contains("in update (window of 1 s)") && !said.contains("(durability window)"), "{said}");
    let other = english(&answer.advice.unless).join("; ");
    assert!(other.contains("at most 1 s of commits may be lost (window=1s): "), "{other}");
    assert!(!other.contains("(window=1s) (window=1s)"), "{other}");
}

#[test]
fn an_axis_over_what_may_be_lost_has_an_order_and_knows_settings_that_stand_twice() {
    let mut answer = answer();
    let axis = &mut answer.axes[0];
    assert!(axis.is_ordered() && axis.is_over_durability() && !axis.is_line());
    let lmdb = axis.curves.iter().find(|curve| curve.candidate == "lmdb").expect("a curve");
    let settings: Vec<Option<&str>> = lmdb.points.iter().map(|point| point.setting.as_deref()).collect();
    assert_eq!(settings, ["sync", "nometasync", "sync", "sync", "nometasync"].map(Some));
    let repeats = |value: &str| lmdb.repeats(&word(value)).cloned();
    assert_eq!((repeats("power"), repeats("window=1commits")), (None, None));
    assert_eq!((repeats("window=1s"), repeats("consistent")), (Some(word("power")), Some(word("window=1commits"))));
    axis.values.swap(1, 3);
    assert!(!axis.is_ordered(), "a larger window before a smaller one is no order");
    axis.values = ["power", "wal-full"].map(word).to_vec();
    assert!(!axis.is_ordered(), "settings by name have none");
}
