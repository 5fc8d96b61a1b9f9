//! `kurabe dev selftest`, in its shortest form. What passes on a loud machine is not asked here: counts are exact anywhere,
//! and the rules that judge times have tests of their own.

use crate::common::{Place, assert_mistake, finish};

#[test]
fn every_planned_operation_comes_to_something() {
    let place = Place::new();
    let said = finish(place.kurabe(["dev", "selftest", "account", "--dir"]).arg(place.path("data")));
    let counted: Vec<&str> =
        said.out.lines().filter(|line| line.contains("operations told of those planned")).collect();
    assert_eq!(counted.len(), 12, "{}{}", said.out, said.err);
    assert!(counted.iter().all(|line| line.starts_with("account   passes ")), "{}", said.out);
    assert!(said.out.contains("p99 of response times after a stall in the warm-up"), "{}", said.out);
    place.assert_nothing_is_left();
}

#[test]
fn a_stall_is_shown_with_what_is_right() {
    let place = Place::new();
    let said = finish(place.kurabe(["dev", "selftest", "stall", "--time", "4s", "--dir"]).arg(place.path("data")));
    for words in ["p99 of response times, 128 connections", "right is 816 ms to 1.10 s", "p99 in a closed loop"] {
        assert!(said.out.contains(words), "{words} is not in\n{}{}", said.out, said.err);
    }
    assert!(!said.out.contains("account"), "{}", said.out);
}

#[test]
fn no_answer_to_results_at_random_says_too_much() {
    let place = Place::new();
    let said = finish(place.kurabe(["dev", "selftest", "ranking", "--dir"]).arg(place.path("data")));
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert!(
        said.out.contains("ranking   passes answers of 1,000 that say more than they may: 0; right is 0"),
        "{}",
        said.out
    );
    assert_eq!(said.out.matches("ranking   passes ").count(), 4, "{}", said.out);
}

#[test]
fn what_is_no_trial_and_a_time_in_which_none_fits_are_refused() {
    let place = Place::new();
    let said = finish(&mut place.kurabe(["dev", "selftest", "stalls"]));
    assert_mistake(&said, &["stalls", "stall"]);
    let said = finish(&mut place.kurabe(["dev", "selftest", "stall", "--time", "1s"]));
    assert_mistake(&said, &["--time", "4.00 s"]);
    let said = finish(&mut place.kurabe(["dev", "selftest", "stall", "--time", "long"]));
    assert_mistake(&said, &["--time", "long"]);
}
