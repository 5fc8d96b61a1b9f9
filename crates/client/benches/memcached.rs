//! Kurabe's memcached client against memcslap (libmemcached): the same server, as many connections, values of about the
//! same size, one request at a time each. Both sides take turns; the figure is the median of the ratios of
//! neighbours. Kurabe verifies every answer and drives all connections with as many threads as there are cores, four at
//! most; memcslap has a thread each.
//!
//! memcslap stores items of its own before each test (some 2,500 bytes each, with keys of 100 bytes); its time is that
//! of the reads alone, its processor time holds the storing too, and a sixth of its reads find nothing. Kurabe's
//! values are so long that both carry about as many bytes a read.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::{Driver, Server};
use kurabe_protocol::{CallName, Distribution, Operation, Phase, Schema};
use support::{PAIRS, Side, measured};

const KEYS: u64 = 20_000;
const VALUE_BYTES: u32 = 2_000;
const CONNECTIONS: u32 = 50;
const OPERATIONS: u64 = 200_000;

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::memcached(&["-M"]) else { return };
    let files = common::files();
    let stream = common::rows_stream(files.path(), Distribution::Uniform, KEYS as u32);
    let mut phases = vec![Phase { connections: CONNECTIONS, ..common::phase("load", Operation::Load, KEYS) }];
    phases.extend((0..PAIRS).map(|pair| Phase {
        connections: CONNECTIONS,
        distribution: Distribution::Uniform,
        rows_stream: Some(stream.clone()),
        ..common::phase(&format!("read {pair}"), Operation::Read, OPERATIONS)
    }));
    let job = common::job("memcached", &server.url, files.path(), Schema::key_value(VALUE_BYTES), KEYS, phases);
    let mut driver = Driver::start_with(support::own_client(), &job).expect("a client");
    driver.ask(CallName::Create);
    driver.go_well("load");
    let pairs =
        support::in_turns(PAIRS, |pair| Side::of(&driver.go_well(&format!("read {pair}"))), || memcslap(&server));
    support::report("read by key", "memcslap", &pairs);
    assert_eq!(driver.stop(), 0);
}

fn memcslap(server: &Server) -> Side {
    let each = OPERATIONS / u64::from(CONNECTIONS);
    let mut command = Command::new("memcslap");
    command.arg(format!("--servers=127.0.0.1:{}", server.port)).arg("--test=get");
    command.arg(format!("--concurrency={CONNECTIONS}")).arg(format!("--execute-number={each}"));
    command.arg("--tcp-nodelay");
    let (output, cpu_ns) = measured(command);
    let line = output.lines().find(|line| line.starts_with("Time to get"));
    let seconds: Option<f64> = line.and_then(|line| line.rsplit(' ').nth(1)?.parse().ok());
    let seconds = seconds.unwrap_or_else(|| panic!("no time in: {output}"));
    Side { rate: OPERATIONS as f64 / seconds, cpu_ns: cpu_ns / OPERATIONS as f64 }
}
