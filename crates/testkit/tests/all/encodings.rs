//! Rows that are encoded: honest stores raise no alarm, liars are caught as without, and the time is told.

use crate::common::run;
use kurabe_protocol::{Encoding, Job};
use kurabe_testkit::workbench::{Shape, seven_columns};
use kurabe_testkit::{Driven, Workbench};

const ENCODED: [Encoding; 4] = [Encoding::Json, Encoding::Yaml, Encoding::Messagepack, Encoding::Protobuf];

fn bench() -> Workbench {
    Workbench::new(2_000, 5).expect("a workbench")
}

/// What a store does with every phase over rows of this encoding.
fn driven(bench: &Workbench, store: &str, shape: Shape, encoding: Encoding) -> Driven {
    let schema = seven_columns();
    let depth = if shape == Shape::InFlight { 8 } else { 1 };
    let mut phases = bench.all_phases(shape, 4, depth, 20_000).expect("phases");
    let newer = bench.newer_phases(shape, &schema, 4, depth, 5_000).expect("phases");
    // No store that keeps bytes searches.
    phases.extend(newer.into_iter().filter(|phase| phase.name != "load" && !phase.name.starts_with("search")));
    run(&Job { encoding, ..bench.job(store, &schema, phases) })
}

#[test]
fn honest_stores_of_encoded_rows_raise_no_alarm_and_tell_the_time_it_takes() {
    let bench = bench();
    for (store, shape) in [("honest", Shape::Blocking), ("honest-in-flight", Shape::InFlight)] {
        for encoding in ENCODED {
            for result in &driven(&bench, store, shape, encoding).results {
                assert_eq!(result.checks.failed(), 0, "{store}, {encoding}, '{}': {:?}", result.phase, result.checks);
                assert!(result.failures.is_empty(), "{:?}", result.failures);
                let in_operations: u64 = result.latency.iter().map(|kind| kind.sum_ns).sum();
                let encoding_ns = result.encoding_ns.expect("it is told");
                let encodes = result.phase != "increment";
                assert_eq!(encoding_ns > 0, encodes, "{store}, {encoding}, '{}'", result.phase);
                // Operations of a depth have their latencies side by side, so their sum is no less.
                assert!(encoding_ns <= in_operations, "'{}': {encoding_ns} of {in_operations}", result.phase);
            }
        }
        for result in &driven(&bench, store, shape, Encoding::Raw).results {
            assert_eq!(result.encoding_ns, None, "nothing is encoded");
        }
    }
}

#[test]
fn a_store_that_alters_what_it_keeps_is_caught_in_every_encoding() {
    let bench = bench();
    for (store, shape) in [("liar-altered", Shape::Blocking), ("liar-altered-in-flight", Shape::InFlight)] {
        for encoding in ENCODED {
            let driven = driven(&bench, store, shape, encoding);
            let wrong = driven.phase("read").checks.wrong;
            assert!(wrong > 0, "{store}, {encoding}: {:?}", driven.phase("read").checks);
        }
    }
}
