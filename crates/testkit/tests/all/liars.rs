//! Every liar is caught, in the phases that can see its lie and with the counter that names it.

use std::sync::OnceLock;

use crate::common::run;
use kurabe_protocol::{Action, Checks, Distribution, Phase, Schema, Search};
use kurabe_testkit::workbench::{Shape, schemas};
use kurabe_testkit::{Driven, Workbench};

const ROWS: u32 = 40_000;

/// Of what a liar does wrong, the counter that must tell it.
type Counter = fn(&Checks) -> u64;

/// Those that lie when they search.
const SEARCH_LIES: [(&str, Counter); 3] = [
    ("liar-truncated-search", |checks| checks.lost),
    ("liar-repeated-search", |checks| checks.miscounted),
    ("liar-widened-search", |checks| checks.wrong),
];

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
    let phases = |shape, _: &Schema, connections, depth| bench().all_phases(shape, connections, depth, operations);
    in_every_shape(liar, phases, expect);
}

/// The same with increments, multi-reads and searches.
fn with_newer_operations(liar: &str, expect: impl Fn(&Driven, Shape)) {
    let phases =
        |shape, schema: &Schema, connections, depth| bench().newer_phases(shape, schema, connections, depth, FEW);
    in_every_shape(liar, phases, expect);
}

fn in_every_shape(
    liar: &str,
    phases: impl Fn(Shape, &Schema, u32, u32) -> std::io::Result<Vec<Phase>>,
    expect: impl Fn(&Driven, Shape),
) {
    let (in_flight, in_lanes) = (format!("{liar}-in-flight"), format!("{liar}-in-lanes"));
    let known = |name: &str| kurabe_testkit::registry().iter().any(|entry| entry.name == name);
    for schema in schemas() {
        let run = |store: &str, shape, connections, depth| {
            let phases = phases(shape, &schema, connections, depth).expect("phases");
            expect(&run(&bench().job(store, &schema, phases)), shape);
        };
        for connections in [1, 4] {
            run(liar, Shape::Blocking, connections, 1);
            run(&in_lanes, Shape::Blocking, connections, 1);
            for depth in [1, 8].into_iter().filter(|_| known(&in_flight)) {
                run(&in_flight, Shape::InFlight, connections, depth);
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
        // It alters one answer in a thousand, and the first phase of reads has `FEW`: each is found, not a share.
        assert_eq!(driven.phase("read").checks.wrong, FEW / 1_000);
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
    // Many, since few of them are deletes, and a row that was not deleted must be read afterwards.
    with_every_load("liar-swallowed-error", MANY, |driven, shape| {
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

/// The row was there, so it is no phantom: the insert passed it by, and it is lost.
#[test]
fn an_insert_over_a_row_that_exists_loses_that_row() {
    let again = bench().phase("insert-again", Action::Insert { first_row: 0 }, Distribution::Sequential, FEW);
    for (store, lost) in
        [("liar-insert-over", FEW), ("liar-insert-over-in-lanes", FEW), ("honest", 0), ("honest-in-lanes", 0)]
    {
        let phases = vec![bench().load(1), again.clone()];
        let driven = run(&bench().job(store, &Schema::key_value(100), phases));
        let checks = &driven.phase("insert-again").checks;
        assert_eq!((checks.lost, checks.failed()), (lost, lost), "{store}: {checks:?}");
        assert!(checks.examples.iter().all(|words| words.contains("the row exists")), "{checks:?}");
    }
}

#[test]
fn deleted_rows_that_are_answered_are_found() {
    with_every_load("liar-phantom", FEW, |driven, _| {
        clean(driven, "read-updated");
        caught(driven, "mix", |checks| checks.phantom);
        caught(driven, "read-mixed", |checks| checks.phantom);
    });
}

/// Increments that the client knows to be acknowledged, after each phase.
fn acknowledged(driven: &Driven) -> Vec<Option<u64>> {
    let mut sum = 0;
    let increments = driven.results.iter().map(|result| result.increments.map_or(0, |some| some.acknowledged));
    increments
        .map(|acknowledged| {
            sum += acknowledged;
            Some(sum)
        })
        .collect()
}

#[test]
fn answers_of_a_multi_read_that_are_exchanged_are_found() {
    with_newer_operations("liar-exchanged-answers", |driven, _| {
        caught(driven, "multi-read", |checks| checks.wrong);
        caught(driven, "mix-new", |checks| checks.wrong);
        assert_eq!(driven.summed, acknowledged(driven));
    });
}

#[test]
fn increments_that_were_acknowledged_and_not_done_are_missing_in_the_sum() {
    with_newer_operations("liar-lost-increment", |driven, _| {
        driven.results.iter().for_each(|result| clean(driven, &result.phase));
        let told = acknowledged(driven);
        assert_eq!(driven.summed[..2], [Some(0), Some(0)]);
        for after in 2..driven.results.len() {
            assert!(driven.summed[after] < told[after], "{:?} of {:?}", driven.summed, told);
        }
    });
}

#[test]
fn rows_left_out_of_a_search_or_given_twice_are_found() {
    for (liar, counter) in SEARCH_LIES {
        let searches = std::cell::Cell::new(0);
        with_newer_operations(liar, |driven, _| {
            clean(driven, "mix-new");
            if driven.results.iter().any(|result| result.phase == "search") {
                searches.set(searches.get() + 1);
                caught(driven, "search", counter);
                caught(driven, "search-at-least", counter);
            }
        });
        assert_eq!(searches.get(), 4, "with one connection and with four, by both loops");
    }
}

/// A column of two values, of which a search asks for the larger: after the load, and after updates, inserts and deletes.
#[test]
fn a_search_in_a_column_of_two_values_gives_exactly_the_rows_with_the_larger() {
    let mut schema = kurabe_testkit::workbench::seven_columns();
    schema.fields[2].distinct = Some(2);
    (schema.fields[0].prefix, schema.fields[0].digits) = (Some("prefix_".into()), Some(9));
    let search = |name: &str, connections| Phase {
        connections,
        ..bench().phase(name, Action::Search(Search::at_least("visits", 2)), Distribution::Sequential, 4)
    };
    let driven = |store: &str, connections| {
        let mix = [
            (Action::Update, 40),
            (Action::Insert { first_row: ROWS.into() }, 30),
            (Action::Delete, 30),
            (Action::Search(Search::at_least("visits", 2)), 1),
        ];
        let mix = bench().mix("mix-few", &mix, 3_000).expect("a mix");
        let phases = vec![
            bench().load(connections),
            search("loaded", connections),
            Phase { connections, ..mix },
            search("after", connections),
        ];
        run(&bench().job(store, &schema, phases))
    };
    for connections in [1, 4] {
        let honest = driven("honest-search", connections);
        honest.results.iter().for_each(|result| clean(&honest, &result.phase));
        assert_eq!(honest.phase("loaded").rows_read, 4 * u64::from(ROWS) / 2);
        for (liar, counter) in SEARCH_LIES {
            let lying = driven(liar, connections);
            for phase in ["loaded", "after"] {
                caught(&lying, phase, counter);
                assert_eq!(counter(&lying.phase(phase).checks), 4, "one row a search: {:?}", lying.phase(phase).checks);
            }
        }
    }
}

#[test]
fn increments_multi_reads_and_searches_of_honest_stores_raise_no_alarm() {
    for honest in ["honest-search", "honest"] {
        let phases = |shape, schema: &Schema, connections, depth| {
            let mut phases = bench().newer_phases(shape, schema, connections, depth, FEW)?;
            phases.retain(|phase| !phase.name.starts_with("search") || honest == "honest-search");
            Ok(phases)
        };
        in_every_shape(honest, phases, |driven, _| {
            driven.results.iter().for_each(|result| clean(driven, &result.phase));
            assert_eq!(driven.summed, acknowledged(driven));
            assert!(driven.summed.last() > Some(&Some(FEW)), "{:?}", driven.summed);
        });
    }
}
