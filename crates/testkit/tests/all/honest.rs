//! Honest stores are never accused, whatever the load; nor are those that fail and say so.

use crate::common::run;
use kurabe_protocol::{Action, Distribution, End, Phase, PhaseResult, Schema, StoppedBy, Warmup};
use kurabe_testkit::workbench::{Shape, schemas};
use kurabe_testkit::{Driven, Workbench};

use Action::{Delete, Insert, Latest, Read, Scan, Update};

const OPERATIONS: u64 = 150_000;

#[track_caller]
fn not_accused(result: &PhaseResult) {
    assert_eq!(result.checks.failed(), 0, "an honest store was accused in '{}': {:?}", result.phase, result.checks);
}

/// No finding, no failure, something checked, and as many rows as the client knows of.
#[track_caller]
fn honest(driven: &Driven) {
    for (result, counted) in driven.results.iter().zip(&driven.counted) {
        not_accused(result);
        assert!(result.failures.is_empty(), "{:?}", result.failures);
        assert!(result.phase == "load" || result.checks.checked > 0, "nothing was checked in '{}'", result.phase);
        assert_eq!((*counted, result.rows_unknown), (Some(result.rows_present), 0), "after '{}'", result.phase);
    }
}

#[test]
fn honest_stores_raise_no_alarm_in_ten_runs() {
    for (seed, connections) in [(1, 1), (2, 2), (3, 4), (4, 8), (5, 4)] {
        // A multiple of all connections, and few enough that the workers meet.
        let bench = Workbench::new(4_000, seed).expect("a workbench");
        let schema = &schemas()[seed as usize % 2];
        let phases = bench.all_phases(Shape::Blocking, connections, 1, OPERATIONS).expect("phases");
        honest(&run(&bench.job("honest", schema, phases.clone())));
        honest(&run(&bench.job("honest-in-lanes", schema, phases)));
        let phases = bench.all_phases(Shape::InFlight, connections, 1 << seed, OPERATIONS).expect("phases");
        honest(&run(&bench.job("honest-in-flight", schema, phases)));
    }
}

#[test]
fn a_few_rows_under_every_operation_at_once_raise_no_alarm() {
    let (insert, latest) = (Insert { first_row: 80 }, Latest { rows: 90 });
    let everything = [(Read, 40), (Update, 30), (insert, 5), (Delete, 5), (Scan, 5), (latest, 15)];
    for (connections, commit_every) in [(1, 1), (1, 10), (4, 1), (4, 7)] {
        let bench = Workbench::new(80, 21).expect("a workbench");
        let mut mix = bench.mix("everything", &everything, 12_000).expect("a mix");
        // More rows than there are at first, fewer than there are at last.
        (mix.connections, mix.commit_every) = (connections, commit_every);
        for store in ["honest", "honest-in-lanes"] {
            let phases = vec![bench.load(connections), mix.clone()];
            honest(&run(&bench.job(store, &Schema::key_value(100), phases)));
        }
    }
}

/// Rows come and go: a good part of the updates and deletes meet none.
fn blind(store: &str, connections: u32, commit_every: u32) -> Driven {
    let bench = Workbench::new(80, 31).expect("a workbench");
    let (insert, latest) = (Insert { first_row: 80 }, Latest { rows: 90 });
    let kinds = [(Read, 40), (Update, 20), (Delete, 25), (Scan, 5), (insert, 5), (latest, 5)];
    let mut mix = bench.mix("blind", &kinds, 12_000).expect("a mix");
    (mix.connections, mix.commit_every) = (connections, commit_every);
    run(&bench.job(store, &Schema::key_value(100), vec![bench.load(connections), mix]))
}

#[test]
fn a_store_that_writes_without_looking_and_says_so_raises_no_alarm() {
    for (connections, commit_every) in [(1, 1), (1, 10), (4, 1), (4, 7)] {
        honest(&blind("blind", connections, commit_every));
        honest(&blind("blind-in-lanes", connections, commit_every));
    }
}

#[test]
fn a_store_that_writes_without_looking_and_does_not_say_so_is_found() {
    let checks = &blind("blind-untold", 4, 1).phase("blind").checks.clone();
    assert!(checks.phantom > 0, "{checks:?}");
}

#[test]
fn blind_updates_that_are_dropped_are_found() {
    let checks = &blind("blind-drops", 4, 1).phase("blind").checks.clone();
    assert!(checks.lost > 0, "{checks:?}");
}

#[test]
fn a_table_that_is_deleted_away_under_latest_raises_no_alarm() {
    for connections in [1, 4] {
        let bench = Workbench::new(400, 5).expect("a workbench");
        let mut mix =
            bench.mix("shrinking", &[(Delete, 20), (Latest { rows: 20 }, 70), (Scan, 10)], 20_000).expect("a mix");
        mix.connections = connections;
        honest(&run(&bench.job("honest", &Schema::key_value(30), vec![bench.load(connections), mix])));
    }
}

#[test]
fn phases_that_end_by_time_raise_no_alarm() {
    let bench = Workbench::new(2_000, 8).expect("a workbench");
    let timed = |mut phase: Phase, commit_every: u32| {
        phase.end = End::DurationNs(150_000_000);
        phase.warmup = Some(Warmup::DurationNs(20_000_000));
        (phase.connections, phase.commit_every, phase.depth) = (4, commit_every, 4);
        phase
    };
    let mix = [(Read, 50), (Update, 30), (Insert { first_row: 2_000 }, 10), (Delete, 10)];
    for store in ["honest", "honest-in-flight", "honest-in-lanes"] {
        let phases = vec![
            bench.load(4),
            timed(bench.phase("read", Read, Distribution::Uniform, 0), 1),
            timed(bench.phase("update", Update, Distribution::Zipfian, 0), 100),
            timed(bench.phase("read-updated", Read, Distribution::Uniform, 0), 1),
            timed(bench.mix("mix", &mix, 0).expect("a mix"), 10),
            timed(bench.phase("read-mixed", Read, Distribution::Uniform, 0), 1),
        ];
        let driven = run(&bench.job(store, &Schema::key_value(100), phases));
        honest(&driven);
        assert!(driven.results[1..].iter().all(|result| result.stopped_by == StoppedBy::Duration));
    }
}

#[test]
fn rows_inserted_by_a_warmup_are_known() {
    let bench = Workbench::new(100, 8).expect("a workbench");
    for store in ["honest", "honest-in-flight"] {
        let mut insert = bench.phase("insert", Insert { first_row: 100 }, Distribution::Sequential, 1_000);
        (insert.warmup, insert.connections) = (Some(Warmup::Count(5_000)), 4);
        let driven = run(&bench.job(store, &Schema::key_value(100), vec![bench.load(4), insert]));
        honest(&driven);
        assert_eq!(driven.counted[1], Some(6_100), "{store}");
    }
}

#[test]
fn a_store_that_fails_and_says_so_is_not_accused_of_lying() {
    let mix = [(Read, 50), (Update, 30), (Insert { first_row: 2_000 }, 10), (Delete, 10)];
    for store in ["flaky-writes", "flaky-commits", "flaky-writes-in-lanes", "flaky-commits-in-lanes"] {
        for (connections, commit_every) in [(1, 1), (4, 1), (4, 10)] {
            // Shown where it is accused.
            println!("{store} over {connections}, a commit every {commit_every}");
            let bench = Workbench::new(2_000, 3).expect("a workbench");
            let mut phases = vec![
                bench.load(connections),
                bench.phase("read", Read, Distribution::Uniform, 20_000),
                bench.phase("update", Update, Distribution::Zipfian, 20_000),
                bench.mix("mix", &mix, 50_000).expect("a mix"),
                bench.phase("scan", Scan, Distribution::Sequential, 2),
                bench.phase("read-mixed", Read, Distribution::Uniform, 20_000),
            ];
            for phase in &mut phases {
                (phase.connections, phase.commit_every) = (connections, commit_every);
            }
            let driven = run(&bench.job(store, &Schema::key_value(100), phases));
            driven.results.iter().for_each(not_accused);
            assert!(!driven.phase("mix").failures.is_empty(), "{store} did not fail");
            for (result, counted) in driven.results.iter().zip(&driven.counted) {
                let counted = counted.expect("a count");
                let most = result.rows_present + result.rows_unknown;
                let known = result.rows_present..=most;
                assert!(known.contains(&counted), "{store}, '{}': {counted} rows, known {known:?}", result.phase);
            }
        }
    }
}

#[test]
fn failures_are_counted_apart_from_what_was_done() {
    let bench = Workbench::new(2_000, 3).expect("a workbench");
    let work = || vec![bench.load(1), bench.phase("read", Read, Distribution::Uniform, 3_000)];
    let expected = [
        ("flaky-writes", 1, [20, 0], "deadlock found"),
        ("flaky-commits", 1, [20, 0], "cannot sync"),
        ("flaky-reads", 1, [0, 30], "try again"),
        // 2,000 rows in blocks of 20 are 100 commits, of which one fails.
        ("flaky-commits", 20, [1, 0], "cannot sync"),
    ];
    let in_lanes =
        expected.map(|(store, every, failed, message)| (format!("{store}-in-lanes"), every, failed, message));
    let expected = expected.map(|(store, every, failed, message)| (store.to_string(), every, failed, message));
    for (store, commit_every, failed, message) in expected.into_iter().chain(in_lanes) {
        let mut phases = work();
        phases[0].commit_every = commit_every;
        let driven = run(&bench.job(&store, &Schema::key_value(100), phases));
        for ((result, failed), asked) in driven.results.iter().zip(failed).zip([2_000, 3_000]) {
            let place = format!("{store}, '{}'", result.phase);
            not_accused(result);
            let worker = &result.workers[0];
            assert_eq!((worker.operations, worker.failed), (asked - failed, failed), "{place}");
            let told: Vec<_> = result.failures.iter().map(|failed| (failed.message.as_str(), failed.count)).collect();
            assert_eq!(told, if failed > 0 { vec![(message, failed)] } else { Vec::new() }, "{place}");
            let latency = &result.latency[0];
            assert_eq!(
                (latency.count, result.series.operations.iter().sum()),
                (asked - failed, asked - failed),
                "{place}"
            );
            assert!(latency.sum_ns <= worker.last_end_ns - worker.first_start_ns, "{place}");
        }
    }
}

#[test]
fn a_store_that_is_gone_is_given_up() {
    let bench = Workbench::new(1_000, 3).expect("a workbench");
    let shares = [(Read, 50), (Update, 50)];
    let phases = vec![
        bench.load(2),
        bench.phase("read", Read, Distribution::Uniform, 1_000_000),
        bench.phase("update", Update, Distribution::Uniform, 1_000_000),
        bench.mix("mix", &shares, 1_000_000).expect("a mix"),
    ];
    for store in ["dead", "dead-in-lanes"] {
        let driven = run(&bench.job(store, &Schema::key_value(100), phases.clone()));
        for result in &driven.results[1..] {
            assert_eq!(result.stopped_by, StoppedBy::Failures, "{store}, '{}'", result.phase);
            assert_eq!(result.message.as_deref(), Some("gave up: the server has gone away"));
            assert!(result.workers.iter().all(|worker| worker.operations == 0 && worker.failed < 1_000));
        }
    }
}

#[test]
fn a_store_that_is_gone_in_the_warmup_is_given_up_too() {
    let bench = Workbench::new(1_000, 3).expect("a workbench");
    let mut read = bench.phase("read", Read, Distribution::Uniform, 1_000_000);
    read.warmup = Some(Warmup::Count(10_000));
    let driven = run(&bench.job("dead", &Schema::key_value(100), vec![bench.load(1), read]));
    let result = driven.phase("read");
    assert_eq!(result.stopped_by, StoppedBy::Failures);
    assert_eq!(result.message.as_deref(), Some("gave up: the server has gone away"));
}
