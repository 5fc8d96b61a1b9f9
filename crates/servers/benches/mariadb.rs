//! Kurabe's MariaDB client against sysbench (oltp_point_select): the same server, InnoDB, one row by its key, prepared
//! statements, keys drawn evenly, values of 120 bytes; 1, 8 and 64 connections over TCP, 8 over a unix socket. Both have a
//! thread a connection. Kurabe reads and verifies every row; sysbench throws its answers away. At a planned rate both draw
//! exponential gaps and count from the planned start.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::Server;
use kurabe_protocol::operation::Pattern;
use kurabe_protocol::{Histogram, Load, Schema};
use support::figures::Aim;
use support::servers::{Ours, Reads, ResponseTimes, SECONDS, Side, timed};

const ROWS: u64 = 100_000;
const SYSBENCH: &str = "`sysbench oltp_point_select`";

/// Where both sides connect to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Over {
    Tcp,
    Socket,
}

const fn reads(what: &'static str, connections: u32, rate_aim: Aim, cpu_aim: Aim) -> Reads<'static> {
    Reads { what, against: SYSBENCH, connections, depth: 1, batch: 1, planned: None, rate_aim, cpu_aim }
}

const PLANNED: Reads<'static> = Reads {
    against: "`sysbench oltp_point_select --rate=5000`",
    planned: Some((5_000, Pattern::Poisson)),
    ..reads("MariaDB reads by key, 8 connections, 5,000/s planned", 8, Aim::Unset, Aim::Unset)
};

/// And where.
const READS: [(Reads<'static>, Over); 5] = [
    (reads("MariaDB reads by key, 1 connection", 1, Aim::Unset, Aim::Unset), Over::Tcp),
    (reads("MariaDB reads by key, 8 connections", 8, Aim::AtLeast(0.95), Aim::AtMost(1.0)), Over::Tcp),
    (reads("MariaDB reads by key, 64 connections", 64, Aim::Unset, Aim::Unset), Over::Tcp),
    (reads("MariaDB reads by key, unix socket, 8 connections", 8, Aim::Unset, Aim::Unset), Over::Socket),
    (PLANNED, Over::Tcp),
];

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::mariadb(&["--max-connections=300"]) else { return };
    support::measured(sysbench(&server, Over::Tcp, 1, "prepare"));
    for (reads, over) in READS {
        compare(&server, over, &reads);
    }
}

fn compare(server: &Server, over: Over, reads: &Reads<'_>) {
    let socket = server.folder().join("socket").display().to_string();
    let url = match over {
        Over::Tcp => server.url.clone(),
        Over::Socket => format!("mysql://root@localhost/test?socket={socket}"),
    };
    let load = common::phase("load", Load::Batch { rows: 1000 }, ROWS);
    let mut ours = Ours::start_at("mariadb", None, &url, Schema::key_value(120), load, &[*reads]);
    ours.compare(reads, || run_sysbench(server, over, reads));
    ours.stop();
}

fn run_sysbench(server: &Server, over: Over, reads: &Reads<'_>) -> Side {
    let mut command = sysbench(server, over, reads.connections, "run");
    if let Some((rate, _)) = reads.planned {
        command.arg(format!("--rate={rate}")).arg("--histogram");
    }
    let mut response = None;
    let side = timed(command, |output| {
        response = reads.planned.map(|_| response_times(output));
        parse_rate(output)
    });
    Side { response, ..side }
}

/// Of the lines of its histogram, as in `       0.102 |*****      1234`: ms, and how many took so long.
fn response_times(output: &str) -> ResponseTimes {
    let mut seen = Histogram::default();
    for (ms, rest) in output.lines().filter_map(|line| line.split_once('|')) {
        let count = rest.rsplit(' ').next().and_then(|number| number.parse().ok());
        let (ms, count) = (ms.trim().parse::<f64>().expect("a time"), count.expect("a number"));
        seen.record_times((ms * 1e6) as u64, count);
    }
    ResponseTimes::of(&seen)
}

/// Queries and queries a second, as in `queries:      85859  (42852.28 per sec.)`; the number is padded.
fn parse_rate(output: &str) -> Option<(f64, f64)> {
    let line = output.lines().find_map(|line| line.trim().strip_prefix("queries:"))?;
    let (queries, rate) = line.split_once('(')?;
    Some((queries.trim().parse().ok()?, rate.split(' ').next()?.parse().ok()?))
}

fn sysbench(server: &Server, over: Over, threads: u32, verb: &str) -> Command {
    let mut command = Command::new("sysbench");
    command.args(["oltp_point_select", "--db-driver=mysql", "--mysql-user=root"]);
    match over {
        Over::Tcp => command.arg("--mysql-host=127.0.0.1").arg(format!("--mysql-port={}", server.port)),
        Over::Socket => command.arg(format!("--mysql-socket={}", server.folder().join("socket").display())),
    };
    command.args(["--mysql-db=test", "--tables=1", "--rand-type=uniform", "--events=0"]);
    command.arg(format!("--table-size={ROWS}")).arg(format!("--threads={threads}"));
    command.arg(format!("--time={SECONDS}")).arg(verb);
    command
}
