//! Kurabe's Redis client against redis-benchmark: the same server, as many keys of the same size, values of the same size,
//! keys drawn evenly, the same number of connections. Kurabe verifies every answer.
//!
//! - One request at a time on each of 50 connections, against `redis-benchmark -c 50`.
//! - `batch 16`: 16 requests sent together, against `-P 16`.
//! - `depth 16`: 16 requests under way, each sent when one is answered; redis-benchmark has no such mode, so `-P 16` again.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::Server;
use kurabe_protocol::{FieldType, Load, Phase, Schema};
use support::figures::Aim;
use support::servers::{Ours, Reads, watched};

const KEYS: u64 = 100_000;
const VALUE_BYTES: u32 = 100;
const CONNECTIONS: u32 = 50;
/// More reads than redis-benchmark does while it is watched.
const MOST_READS: u64 = 100_000_000;

const ONE: Reads<'static> = Reads {
    what: "Redis reads, 50 connections",
    against: "`redis-benchmark -c 50`",
    connections: CONNECTIONS,
    depth: 1,
    batch: 1,
    planned: None,
    rate_aim: Aim::AtLeast(1.0),
    cpu_aim: Aim::AtMost(1.0),
};

const BATCH: Reads<'static> = Reads {
    what: "Redis reads, batch 16",
    against: "`redis-benchmark -P 16`",
    batch: 16,
    rate_aim: Aim::AtLeast(0.8),
    cpu_aim: Aim::Unset,
    ..ONE
};
const DEPTH: Reads<'static> =
    Reads { what: "Redis reads, depth 16", depth: 16, batch: 1, rate_aim: Aim::Unset, ..BATCH };

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::redis(&[]) else { return };
    let client = redis::Client::open(server.url.as_str()).expect("an address");
    let mut control = client.get_connection().expect("a server");
    load_keys_of_redis_benchmark(&mut control);
    let load = Phase { connections: CONNECTIONS, depth: 16, ..common::phase("load", Load::Row, KEYS) };
    let mut schema = Schema::key_value(VALUE_BYTES);
    // "bench:" and 11 more are as long as "rawb:" and 12 more.
    schema.fields[0].field_type = FieldType::Text;
    let shapes = [(ONE, 1), (BATCH, 16), (DEPTH, 16)];
    let mut ours = Ours::start("redis", &server, schema, load, &shapes.each_ref().map(|(reads, _)| *reads));
    for (reads, pipeline) in &shapes {
        ours.compare(reads, || watched(redis_benchmark(&server, *pipeline), || reads_of(&mut control)));
    }
    ours.stop();
}

fn load_keys_of_redis_benchmark(control: &mut redis::Connection) {
    let value = vec![b'x'; VALUE_BYTES as usize];
    let rows: Vec<u64> = (0..KEYS).collect();
    for rows in rows.chunks(1000) {
        let mut pipeline = redis::pipe();
        rows.iter().for_each(|row| {
            pipeline.set(format!("rawb:{row:012}"), &value).ignore();
        });
        pipeline.exec(control).expect("a server that takes keys");
    }
}

/// Reads that the server has answered.
fn reads_of(control: &mut redis::Connection) -> u64 {
    let told: String = redis::cmd("INFO").arg("commandstats").query(control).expect("an answer");
    let calls = told.lines().find_map(|line| line.strip_prefix("cmdstat_get:calls=")?.split(',').next()?.parse().ok());
    // It tells nothing of what nobody has asked for yet.
    calls.unwrap_or(0)
}

fn redis_benchmark(server: &Server, pipeline: u32) -> Command {
    let mut command = Command::new("redis-benchmark");
    command.args(["-p", &server.port.to_string(), "-c", &CONNECTIONS.to_string()]);
    command.args(["-n", &MOST_READS.to_string(), "-r", &KEYS.to_string()]);
    command.args(["-P", &pipeline.to_string(), "--csv", "GET", "rawb:__rand_int__"]);
    command
}
