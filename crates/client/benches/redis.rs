//! Kurabe's Redis client against redis-benchmark: the same server, as many keys of the same size,
//! values of the same size, keys drawn evenly, the same number of connections. Both sides take
//! turns; the figure is the median of the ratios of neighbours. Kurabe verifies every answer.
//!
//! - `depth 1`: 50 connections, one request at a time each, against `redis-benchmark -c 50`.
//! - `batch 16`: 16 requests sent together, against `-P 16`.
//! - `depth 16`: 16 requests under way, each sent when one is answered; redis-benchmark has no such mode, so `-P 16` again.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::{Driver, Server};
use kurabe_protocol::{CallName, Distribution, Operation, Phase, Schema};
use support::{PAIRS, Side, measured};

const KEYS: u64 = 100_000;
const VALUE_BYTES: u32 = 100;
const CONNECTIONS: u32 = 50;

struct Shape {
    name: &'static str,
    depth: u32,
    batch: u32,
    pipeline: u32,
    operations: u64,
}

const SHAPES: [Shape; 3] = [
    Shape { name: "depth 1", depth: 1, batch: 1, pipeline: 1, operations: 200_000 },
    Shape { name: "batch 16", depth: 1, batch: 16, pipeline: 16, operations: 800_000 },
    Shape { name: "depth 16", depth: 16, batch: 1, pipeline: 16, operations: 800_000 },
];

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::redis(&[]) else { return };
    load_keys_of_redis_benchmark(&server);
    let files = common::files();
    let mut phases =
        vec![Phase { connections: CONNECTIONS, depth: 16, ..common::phase("load", Operation::Load, KEYS) }];
    let stream = common::rows_stream(files.path(), Distribution::Uniform, KEYS as u32);
    for shape in &SHAPES {
        phases.extend((0..PAIRS).map(|pair| Phase {
            connections: CONNECTIONS,
            depth: shape.depth,
            batch: shape.batch,
            distribution: Distribution::Uniform,
            rows_stream: Some(stream.clone()),
            ..common::phase(&format!("{} {pair}", shape.name), Operation::Read, shape.operations)
        }));
    }
    let mut schema = Schema::key_value(VALUE_BYTES);
    schema.fields[0].field_type = kurabe_protocol::FieldType::Text;
    let mut job = common::job("redis", &server.url, files.path(), schema, KEYS, phases);
    // "bench:" and 11 more are as long as "rawb:" and 12 more.
    job.namespace = "bench".into();
    let mut driver = Driver::start_with(support::own_client(), &job).expect("a client");
    driver.ask(CallName::Create);
    driver.go_well("load");
    for shape in &SHAPES {
        let pairs = support::in_turns(
            PAIRS,
            |pair| Side::of(&driver.go_well(&format!("{} {pair}", shape.name))),
            || redis_benchmark(&server, shape),
        );
        support::report(shape.name, "redis-benchmark", &pairs);
    }
    assert_eq!(driver.stop(), 0);
}

fn load_keys_of_redis_benchmark(server: &Server) {
    let mut connection =
        redis::Client::open(server.url.as_str()).and_then(|client| client.get_connection()).expect("a server");
    let value = vec![b'x'; VALUE_BYTES as usize];
    let rows: Vec<u64> = (0..KEYS).collect();
    for rows in rows.chunks(1000) {
        let mut pipeline = redis::pipe();
        rows.iter().for_each(|row| {
            pipeline.set(format!("rawb:{row:012}"), &value).ignore();
        });
        pipeline.exec(&mut connection).expect("a server that takes keys");
    }
}

fn redis_benchmark(server: &Server, shape: &Shape) -> Side {
    let mut command = Command::new("redis-benchmark");
    command.args(["-p", &server.port.to_string(), "-c", &CONNECTIONS.to_string()]);
    command.args(["-n", &shape.operations.to_string(), "-r", &KEYS.to_string()]);
    command.args(["-P", &shape.pipeline.to_string(), "--csv", "GET", "rawb:__rand_int__"]);
    let (output, cpu_ns) = measured(command);
    let last = output.lines().last().expect("a line of figures");
    let rate = last.split(',').nth(1).and_then(|rate| rate.trim_matches('"').parse().ok()).expect("a rate");
    Side { rate, cpu_ns: cpu_ns / shape.operations as f64 }
}
