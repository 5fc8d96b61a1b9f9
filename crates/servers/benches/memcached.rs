//! Kurabe's memcached client against memcslap (libmemcached): the same server, as many connections, values of about the
//! same size, one request at a time each. Kurabe verifies every answer and drives all connections with as many threads as
//! there are cores, four at most; memcslap has a thread each.
//!
//! memcslap stores items of its own before each test (some 2,500 bytes each, with keys of 100 bytes), and a sixth of its
//! reads find nothing. Kurabe's values are so long that both carry about as many bytes a read.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::Command;

use common::Server;
use kurabe_protocol::{Load, Phase, Schema};
use support::figures::Aim;
use support::servers::{Ours, Reads, watched};

const KEYS: u64 = 20_000;
const VALUE_BYTES: u32 = 2_000;
const READS: Reads<'static> = Reads {
    what: "memcached reads, 50 connections",
    against: "`memcslap`",
    connections: 50,
    depth: 1,
    batch: 1,
    planned: None,
    rate_aim: Aim::AtLeast(1.0),
    cpu_aim: Aim::AtMost(1.0),
};
/// Reads of each of memcslap's connections, more than it does while it is watched; it stores as many items.
const MOST_READS: u64 = 30_000;

fn main() {
    support::serve_if_asked();
    // Room for what every run of memcslap stores.
    let Some(server) = Server::memcached(&["-M", "-m", "4096"]) else { return };
    let load = Phase { connections: READS.connections, ..common::phase("load", Load::Row, KEYS) };
    let mut ours = Ours::start("memcached", &server, Schema::key_value(VALUE_BYTES), load, &[READS]);
    ours.compare(&READS, || watched(memcslap(&server), || reads(&server)));
    ours.stop();
}

/// Reads that the server has answered.
fn reads(server: &Server) -> u64 {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).expect("a server");
    stream.write_all(b"stats\r\nquit\r\n").expect("a server that listens");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("an answer"));
    lines.find_map(|line| line.strip_prefix("STAT cmd_get ")?.parse().ok()).expect("a number of reads")
}

fn memcslap(server: &Server) -> Command {
    let mut command = Command::new("memcslap");
    command.arg(format!("--servers=127.0.0.1:{}", server.port)).args(["--test=get", "--tcp-nodelay"]);
    command.arg(format!("--concurrency={}", READS.connections)).arg(format!("--execute-number={MOST_READS}"));
    command
}
