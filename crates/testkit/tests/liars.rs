//! Every liar is caught, in the phases that can see its lie and with the counter that names it.

mod common;

use std::sync::OnceLock;

use common::run;
use kurabe_protocol::Checks;
use kurabe_testkit::workbench::{Shape, schemas};
use kurabe_testkit::{Driven, Workbench};

const ROWS: u32 = 40_000;

/// Enough that even one row in ten thousand is read.
const MANY: u64 = 120_000;
/// Enough for lies that are told more often.
const FEW: u64 = 30_000;

fn bench() -> &'static Workbench {
    static BENCH: OnceLock<Workbench> = OnceLock::new();
    BENCH.get_or_init(|| Workbench::new(ROWS, 11).expect("a workbench"))
}

/// Runs the liar in every shape of load and hands each outcome to `expect`.
fn with_every_load(liar: &str, operations: u64, expect: impl Fn(&Driven, Shape)) {
    let bench = bench();
    let in_flight = format!("{liar}-in-flight");
    let known = |name: &str| kurabe_testkit::registry().iter().any(|entry| entry.name == name);
    for schema in schemas() {
        for connections in [1, 4] {
            let phases = bench.all_phases(Shape::Blocking, connections, 1, operations).expect("phases");
            expect(&run(&bench.job(liar, &schema, phases)), Shape::Blocking);
            for depth in [1, 8].into_iter().filter(|_| known(&in_flight)) {
                let phases = bench.all_phases(Shape::InFlight, connections, depth, operations).expect("phases");
                expect(&run(&bench.job(&in_flight, &schema, phases)), Shape::InFlight);
            }
        }
    }
}

#[track_caller]
fn caught(driven: &Driven, phase: &str, counter: fn(&Checks) -> u64) {
    let checks = &driven.phase(phase).checks;
    assert!(checks.failed() > 0, "nothing was found in '{phase}': {checks:?}");
    assert!(counter(checks) > 0, "it was found in '{phase}' under another name: {checks:?}");
    assert!(!checks.examples.is_empty(), "'{phase}' gives no example");
}

#[track_caller]
fn clean(driven: &Driven, phase: &str) {
    let checks = &driven.phase(phase).checks;
    assert_eq!(checks.failed(), 0, "an honest phase '{phase}' was accused: {checks:?}");
}

#[test]
fn one_dropped_write_in_ten_thousand_is_found() {
    with_every_load("liar-drops", MANY, |driven, shape| {
        caught(driven, "read", |checks| checks.lost);
        caught(driven, "read-updated", |checks| checks.stale + checks.lost);
        if shape == Shape::Blocking {
            caught(driven, "scan", |checks| checks.miscounted);
        }
    });
}

#[test]
fn stale_reads_are_found() {
    with_every_load("liar-stale", FEW, |driven, _| {
        clean(driven, "read");
        caught(driven, "read-updated", |checks| checks.stale);
        caught(driven, "mix", |checks| checks.stale);
    });
}

#[test]
fn values_of_other_rows_are_found() {
    with_every_load("liar-swapped", FEW, |driven, _| {
        for phase in ["read", "read-updated", "mix", "read-mixed"] {
            caught(driven, phase, |checks| checks.wrong);
        }
    });
}

#[test]
fn one_altered_byte_is_found() {
    with_every_load("liar-altered", FEW, |driven, _| {
        for phase in ["read", "read-updated", "mix", "read-mixed"] {
            caught(driven, phase, |checks| checks.wrong);
        }
    });
}

#[test]
fn rows_left_out_of_a_scan_or_latest_are_found() {
    with_every_load("liar-truncated-scan", FEW, |driven, _| {
        clean(driven, "read-mixed");
        for phase in ["scan", "scan-mixed", "latest"] {
            caught(driven, phase, |checks| checks.miscounted);
        }
    });
}

#[test]
fn rows_given_twice_to_keep_the_number_are_found() {
    with_every_load("liar-repeated-scan", FEW, |driven, _| {
        for phase in ["scan", "scan-mixed", "latest"] {
            caught(driven, phase, |checks| checks.miscounted);
        }
    });
}

#[test]
fn swallowed_errors_are_found() {
    with_every_load("liar-swallowed-error", FEW, |driven, shape| {
        caught(driven, "read", |checks| checks.lost);
        caught(driven, "read-updated", |checks| checks.stale);
        caught(driven, "read-mixed", |checks| checks.phantom);
        if shape == Shape::Blocking {
            caught(driven, "scan-mixed", |checks| checks.miscounted);
        }
    });
}

#[test]
fn a_lying_count_differs_from_the_rows_that_the_client_knows() {
    with_every_load("liar-lying-count", FEW, |driven, _| {
        for (result, counted) in driven.results.iter().zip(&driven.counted) {
            assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
            assert_eq!(result.rows_unknown, 0);
            assert_eq!(*counted, Some(result.rows_present + 1), "after '{}'", result.phase);
        }
    });
}

#[test]
fn a_wrong_order_of_latest_is_found() {
    with_every_load("liar-disordered", FEW, |driven, _| {
        clean(driven, "scan-mixed");
        caught(driven, "latest", |checks| checks.miscounted);
    });
}

#[test]
fn a_latest_without_the_newest_row_is_found() {
    with_every_load("liar-late-latest", FEW, |driven, _| caught(driven, "latest", |checks| checks.lost));
}

#[test]
fn deleted_rows_that_are_answered_are_found() {
    with_every_load("liar-phantom", FEW, |driven, _| {
        clean(driven, "read-updated");
        caught(driven, "mix", |checks| checks.phantom);
        caught(driven, "read-mixed", |checks| checks.phantom);
    });
}
