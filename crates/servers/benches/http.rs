//! Kurabe's HTTP client against wrk, ab and siege: nginx with one worker answers the same 100 bytes to each, from its settings
//! and not from a file. Kurabe looks at the status of every answer and takes its body whole.
//!
//! - 100 connections that stay, one request at a time on each: `wrk -t1`, `ab -k` and `siege -b`, which all have one thread for
//!   that but siege, which has a thread a connection.
//! - A connection for each request, 100 at a time: `ab`.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::process::Command;

use common::Server;
use kurabe_protocol::{Connect, Load, Phase, Schema};
use support::figures::Aim;
use support::servers::{Ours, Reads, SECONDS, Side, timed};

const CONNECTIONS: u32 = 100;
/// More requests than any of them does in [`SECONDS`].
const MOST_REQUESTS: &str = "100000000";

const WRK: Reads<'static> = Reads {
    what: "HTTP, 100 connections",
    against: "`wrk -t1`",
    connections: CONNECTIONS,
    depth: 1,
    batch: 1,
    connect: Connect::Once,
    rate_aim: Aim::AtLeast(0.95),
    cpu_aim: Aim::AtMost(1.0),
};
const AB: Reads<'static> = Reads { against: "`ab -k`", rate_aim: Aim::AtLeast(1.0), cpu_aim: Aim::AtMost(0.5), ..WRK };
const SIEGE: Reads<'static> = Reads { against: "`siege -b`", rate_aim: Aim::Unset, cpu_aim: Aim::Unset, ..WRK };
const EACH: Reads<'static> =
    Reads { what: "HTTP, a connection for each of 100 requests", against: "`ab`", connect: Connect::Each, ..SIEGE };

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::nginx(&"x".repeat(100)) else { return };
    let load = Phase { connections: CONNECTIONS, ..common::phase("load", Load::Row, u64::from(CONNECTIONS)) };
    let mut ours = Ours::start("url", &server, Schema::key_value(1), load, &[WRK, AB, SIEGE, EACH]);
    ours.compare(&WRK, || wrk(&server));
    ours.compare(&AB, || ab(&server, &["-k"]));
    ours.compare(&SIEGE, || siege(&server));
    ours.compare(&EACH, || ab(&server, &[]));
    ours.stop();
}

/// The first number behind a word.
fn number(output: &str, word: &str) -> Option<f64> {
    let rest = output.split_once(word)?.1.trim_start_matches([':', '"', ' ', '\t']);
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next()?.parse().ok()
}

fn wrk(server: &Server) -> Side {
    let mut command = Command::new("wrk");
    command.args(["-t1", &format!("-c{CONNECTIONS}"), &format!("-d{SECONDS}s"), &server.url]);
    timed(command, |output| {
        // As in "  123456 requests in 2.10s, 31.00MB read".
        let line = output.lines().find(|line| line.contains(" requests in "))?;
        Some((line.split_whitespace().next()?.parse().ok()?, number(output, "Requests/sec")?))
    })
}

fn ab(server: &Server, more: &[&str]) -> Side {
    let mut command = Command::new("ab");
    command.arg("-q").args(more).args(["-c", &CONNECTIONS.to_string(), "-t", &SECONDS.to_string()]);
    // Behind the time, which sets a number of its own.
    command.args(["-n", MOST_REQUESTS, &format!("{}/", server.url)]);
    timed(command, |output| Some((number(output, "Complete requests")?, number(output, "Requests per second")?)))
}

fn siege(server: &Server) -> Side {
    let home = common::files();
    let mut command = Command::new("siege");
    // As it comes it closes each connection after one answer; these are all of its settings.
    let settings = home.path().join("siegerc");
    std::fs::write(&settings, "connection = keep-alive\nparser = false\n").expect("a file of settings");
    command.env("HOME", home.path()).arg("-R").arg(settings);
    command.args(["-b", "-q", "-j", "-c", &CONNECTIONS.to_string()]);
    command.args(["-t", &format!("{SECONDS}S"), &server.url]);
    timed(command, |output| Some((number(output, "\"transactions\"")?, number(output, "\"transaction_rate\"")?)))
}
