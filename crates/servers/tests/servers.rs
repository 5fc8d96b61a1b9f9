//! The adapters of servers, driven through a client process over the protocol, on real servers.

mod common;

#[path = "servers/mariadb.rs"]
mod mariadb_server;
#[path = "servers/memcached.rs"]
mod memcached_server;
#[path = "servers/mongodb.rs"]
mod mongodb_server;
#[path = "servers/postgres.rs"]
mod postgres_server;
#[path = "servers/redis.rs"]
mod redis_server;
#[path = "servers/tls.rs"]
mod tls;

use std::path::Path;

use common::{Driver, kinds_stream, phase, rows_stream};
use kurabe_protocol::{Action, CallName, Distribution, End, Load, Mix, Phase, StoppedBy};

/// Rows of a test's job: a multiple of 1, 8 and 50.
const ROWS: u64 = 2000;

/// The drivers that the descriptor of a store tells, in its order.
fn told_drivers(store: &str) -> Vec<String> {
    let path = format!("{}/../../stores/{store}/store.toml", env!("CARGO_MANIFEST_DIR"));
    let descriptor: toml::Table = std::fs::read_to_string(&path).expect("a descriptor").parse().expect("TOML");
    let told = descriptor.get("driver").and_then(|drivers| drivers.as_array());
    told.into_iter().flatten().filter_map(|driver| driver["name"].as_str()).map(str::to_string).collect()
}

#[test]
fn the_drivers_of_this_client_are_those_of_the_descriptors() {
    let registry = kurabe_servers::registry();
    // What apps and addresses are asked by is no store.
    for entry in registry.iter().filter(|entry| !["http", "url"].contains(&entry.name)) {
        let of_store = registry.iter().filter(|other| other.name == entry.name);
        let ours: Vec<&str> = of_store.filter_map(|one| one.driver).collect();
        assert_eq!(ours, told_drivers(entry.name), "{}", entry.name);
    }
}

/// Every operation on single rows, with `shape` applied to each phase: load, reads, writes, a mix.
fn single_row_phases(folder: &Path, shape: impl Fn(Phase) -> Phase) -> Vec<Phase> {
    let insert = Action::Insert { first_row: 20_000 };
    let parts = [(Action::Read, 50), (Action::Update, 20), (insert, 15), (Action::Delete, 15)];
    let mix = Mix::new(parts).expect("a mix");
    let kinds_stream = kinds_stream(folder, &mix.shares());
    let uniform = Some(rows_stream(folder, Distribution::Uniform, ROWS as u32));
    let zipfian = Some(rows_stream(folder, Distribution::Zipfian, ROWS as u32));
    let drawn = |phase: Phase| Phase { distribution: Distribution::Uniform, rows_stream: uniform.clone(), ..phase };
    let skewed = |phase: Phase| Phase { distribution: Distribution::Zipfian, rows_stream: zipfian.clone(), ..phase };
    let phases = vec![
        phase("load", Load::Row, ROWS),
        drawn(phase("read", Action::Read, 3000)),
        skewed(phase("update", Action::Update, 1000)),
        phase("insert", Action::Insert { first_row: 10_000 }, 777),
        drawn(phase("mix", mix.with_kinds_stream(kinds_stream), 3000)),
        phase("delete", Action::Delete, 1234),
        drawn(phase("read-again", Action::Read, 2000)),
    ];
    phases.into_iter().map(shape).collect()
}

/// Runs all `phases` and compares the rows that the oracle expects with the store's own count.
fn run_all(driver: &mut Driver, phases: &[Phase]) {
    for phase in phases {
        let result = driver.go_well(&phase.name);
        assert_eq!(common::operations(&result), phase.end.count().expect("a count"), "phase '{}'", phase.name);
        assert_eq!(driver.rows(), result.rows_present, "after phase '{}'", phase.name);
    }
}

/// Runs `name`, which inserts rows that exist, then deletes everything twice over.
fn exists_and_missing(driver: &mut Driver) {
    driver.ask(CallName::Create);
    driver.go_well("load");
    driver.go_well("insert-again");
    assert_eq!(driver.rows(), ROWS);
    driver.go_well("delete-twice");
    assert_eq!(driver.rows(), 0);
    // Nothing to update either.
    driver.go_well("update-nothing");
    driver.go_well("insert-back");
    assert_eq!(driver.rows(), ROWS);
    driver.go_well("read");
}

/// A load and reads, of a job on `url`, by a user who may do that and no more.
fn works_with_few_rights(store: &str, url: &str, look: impl FnOnce(&mut Driver)) {
    let files = common::files();
    let phases = vec![phase("load", Load::Row, ROWS), phase("read", Action::Read, ROWS)];
    let schema = kurabe_protocol::Schema::key_value(100);
    let mut driver = Driver::start(&common::job(store, url, files.path(), schema, ROWS, phases.clone()));
    assert_eq!(driver.ask(CallName::Ping), true);
    driver.ask(CallName::Create);
    run_all(&mut driver, &phases);
    look(&mut driver);
    driver.ask(CallName::Reset);
    assert_eq!(driver.stop(), 0);
}

fn exists_and_missing_phases(shape: impl Fn(Phase) -> Phase) -> Vec<Phase> {
    let phases = [
        phase("load", Load::Row, ROWS),
        phase("insert-again", Action::Insert { first_row: 0 }, ROWS),
        phase("delete-twice", Action::Delete, 2 * ROWS),
        phase("update-nothing", Action::Update, ROWS),
        phase("insert-back", Action::Insert { first_row: 0 }, ROWS),
        phase("read", Action::Read, ROWS),
    ];
    phases.into_iter().map(shape).collect()
}

/// Starts the phase `endless`, kills the server in it and expects failures in words, and no hang.
fn killed_in_mid_phase(driver: &mut Driver, mut server: common::Server) {
    driver.say(&kurabe_protocol::Command::Go("endless".into()));
    driver.await_progress();
    server.kill();
    let result = match driver.event() {
        kurabe_protocol::Event::Result(result) => result,
        other => panic!("expected a result, got {other:?}"),
    };
    assert_eq!(result.stopped_by, StoppedBy::Failures);
    assert!(
        result.failures.iter().all(|failed| failed.message.starts_with("connection lost")),
        "{:?}",
        result.failures
    );
    assert!(result.workers.iter().map(|worker| worker.failed).sum::<u64>() > 0);
    assert_eq!(result.checks.failed(), 0, "{:?}", result.checks);
    assert!(matches!(driver.call(CallName::Ping), kurabe_protocol::ReplyOutcome::Error(_)));
}

fn endless(connections: u32, depth: u32) -> Phase {
    let one_minute_ns = 60_000_000_000;
    Phase { connections, depth, ..Phase::new("endless", Action::Update, End::DurationNs(one_minute_ns)) }
}
