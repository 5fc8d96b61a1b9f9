//! Kurabe's MariaDB client against sysbench (oltp_point_select): the same server, InnoDB, 8 connections over TCP, one
//! row by its key, prepared statements, keys drawn evenly, values of 120 bytes, for two seconds. Both sides take turns; the
//! figure is the median of the ratios of neighbours. Both have a thread a connection. Kurabe reads and verifies every row;
//! sysbench throws its answers away.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::{Driver, Server};
use kurabe_protocol::{CallName, Distribution, LoadPath, Operation, Phase, Schema};
use support::{Side, measured};

/// The noisiest of the benches: eight threads of a client beside as many of the server.
const PAIRS: usize = 27;
const ROWS: u64 = 100_000;
const CONNECTIONS: u32 = 8;
/// By time, so that all connections are at work to the end: of a number of operations each of Kurabe's has its share,
/// while sysbench's take the next from one counter.
const SECONDS: u64 = 2;

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::mariadb(&[]) else { return };
    sysbench(&server, &["prepare"]);
    let files = common::files();
    let stream = common::rows_stream(files.path(), Distribution::Uniform, ROWS as u32);
    let batch = Phase { load_path: LoadPath::Batch, batch_rows: 1000, ..common::phase("load", Operation::Load, ROWS) };
    let mut phases = vec![batch];
    phases.extend((0..PAIRS).map(|pair| Phase {
        connections: CONNECTIONS,
        distribution: Distribution::Uniform,
        rows_stream: Some(stream.clone()),
        duration_ns: Some(SECONDS * 1_000_000_000),
        ..Phase::new(&format!("read {pair}"), Operation::Read)
    }));
    let job = common::job("mariadb", &server.url, files.path(), Schema::key_value(120), ROWS, phases);
    let mut driver = Driver::start_with(support::own_client(), &job).expect("a client");
    driver.ask(CallName::Create);
    driver.go_well("load");
    let pairs = support::in_turns(
        PAIRS,
        |pair| Side::of(&driver.go_well(&format!("read {pair}"))),
        || {
            let (output, cpu_ns) = sysbench(&server, &["run"]);
            let (queries, rate) = told(&output).unwrap_or_else(|| panic!("no rate in: {output}"));
            Side { rate, cpu_ns: cpu_ns / queries }
        },
    );
    support::report("read by key", "sysbench", &pairs);
    assert_eq!(driver.stop(), 0);
}

/// Queries and queries a second, as in `queries: 160340 (80122.91 per sec.)`.
fn told(output: &str) -> Option<(f64, f64)> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix("queries:"))?;
    let (queries, rate) = line.trim().split_once(" (")?;
    Some((queries.parse().ok()?, rate.split(' ').next()?.parse().ok()?))
}

fn sysbench(server: &Server, verb: &[&str]) -> (String, f64) {
    let mut command = Command::new("sysbench");
    command.args(["oltp_point_select", "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-user=root"]);
    command.args(["--mysql-db=test", "--tables=1", "--rand-type=uniform", "--events=0"]);
    command.arg(format!("--mysql-port={}", server.port)).arg(format!("--table-size={ROWS}"));
    command.arg(format!("--threads={CONNECTIONS}")).arg(format!("--time={SECONDS}")).args(verb);
    measured(command)
}
