//! Kurabe's MariaDB client against sysbench (oltp_point_select): the same server, InnoDB, 8 connections over TCP, one
//! row by its key, prepared statements, keys drawn evenly, values of 120 bytes. Both have a thread a connection. Kurabe
//! reads and verifies every row; sysbench throws its answers away.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::Server;
use kurabe_protocol::{Connect, Load, Schema};
use support::figures::Aim;
use support::servers::{Ours, Reads, SECONDS, timed};

const ROWS: u64 = 100_000;
const READS: Reads<'static> = Reads {
    what: "MariaDB reads by key, 8 connections",
    against: "`sysbench oltp_point_select`",
    connections: 8,
    depth: 1,
    batch: 1,
    connect: Connect::Once,
    rate_aim: Aim::AtLeast(1.0),
    cpu_aim: Aim::AtMost(1.0),
};

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::mariadb(&[]) else { return };
    support::measured(sysbench(&server, "prepare"));
    let load = common::phase("load", Load::Batch { rows: 1000 }, ROWS);
    let mut ours = Ours::start("mariadb", &server, Schema::key_value(120), load, &[READS]);
    ours.compare(&READS, || timed(sysbench(&server, "run"), told));
    ours.stop();
}

/// Queries and queries a second, as in `queries:      85859  (42852.28 per sec.)`; the number is padded.
fn told(output: &str) -> Option<(f64, f64)> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix("queries:"))?;
    let (queries, rate) = line.split_once('(')?;
    Some((queries.trim().parse().ok()?, rate.split(' ').next()?.parse().ok()?))
}

fn sysbench(server: &Server, verb: &str) -> Command {
    let mut command = Command::new("sysbench");
    command.args(["oltp_point_select", "--db-driver=mysql", "--mysql-host=127.0.0.1", "--mysql-user=root"]);
    command.args(["--mysql-db=test", "--tables=1", "--rand-type=uniform", "--events=0"]);
    command.arg(format!("--mysql-port={}", server.port)).arg(format!("--table-size={ROWS}"));
    command.arg(format!("--threads={}", READS.connections)).arg(format!("--time={SECONDS}")).arg(verb);
    command
}
