//! Kurabe's PostgreSQL client against pgbench: the same server, the same table with the same rows,
//! the same statement, prepared, 8 connections over TCP, keys drawn evenly. Both sides take turns;
//! the figure is the median of the ratios of neighbours. Kurabe verifies every answer; it has a
//! thread a connection, pgbench one thread for all (`-j 1`).

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::Command;

use common::{Driver, Server};
use kurabe_protocol::{CallName, Distribution, LoadPath, Operation, Phase, Schema};
use support::{PAIRS, Side, measured};

const ROWS: u64 = 100_000;
const CONNECTIONS: u32 = 8;
const OPERATIONS: u64 = 120_000;

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::postgres(&[]) else { return };
    let files = common::files();
    let stream = common::rows_stream(files.path(), Distribution::Uniform, ROWS as u32);
    let bulk = Phase { load_path: LoadPath::Bulk, batch_rows: 1000, ..common::phase("load", Operation::Load, ROWS) };
    let mut phases = vec![bulk];
    phases.extend((0..PAIRS).map(|pair| Phase {
        connections: CONNECTIONS,
        distribution: Distribution::Uniform,
        rows_stream: Some(stream.clone()),
        ..common::phase(&format!("read {pair}"), Operation::Read, OPERATIONS)
    }));
    let job = common::job("postgres", &server.url, files.path(), Schema::key_value(100), ROWS, phases);
    let mut driver = Driver::start_with(support::own_client(), &job).expect("a client");
    driver.ask(CallName::Create);
    driver.go_well("load");
    let mut control = postgres::Client::connect(&server.url, postgres::NoTls).expect("a connection");
    control.batch_execute("VACUUM ANALYZE ns").expect("a table");
    let script = files.path().join("script");
    let lines = format!("\\set id random(0, {})\nSELECT \"value\" FROM \"ns\" WHERE \"id\" = :id;\n", ROWS - 1);
    std::fs::write(&script, lines).expect("a script");
    let pairs = support::in_turns(
        PAIRS,
        |pair| Side::of(&driver.go_well(&format!("read {pair}"))),
        || pgbench(&server, &script),
    );
    support::report("read by key", "pgbench", &pairs);
    assert_eq!(driver.stop(), 0);
}

fn pgbench(server: &Server, script: &Path) -> Side {
    let each = OPERATIONS / u64::from(CONNECTIONS);
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &CONNECTIONS.to_string(), "-t", &each.to_string()]);
    command.args(["-h", "127.0.0.1", "-p", &server.port.to_string(), "-U", "postgres", "-f"]);
    command.arg(script).arg("postgres");
    let (output, cpu_ns) = measured(command);
    let rate = output.lines().find_map(|line| line.strip_prefix("tps = ")?.split(' ').next()?.parse().ok());
    Side { rate: rate.unwrap_or_else(|| panic!("no rate in: {output}")), cpu_ns: cpu_ns / OPERATIONS as f64 }
}
