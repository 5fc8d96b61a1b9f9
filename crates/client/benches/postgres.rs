//! Kurabe's PostgreSQL client against pgbench: the same server, the same table with the same rows, the same statement,
//! prepared, 8 connections over TCP, keys drawn evenly. Kurabe verifies every answer; it has a thread a connection,
//! pgbench one thread for all (`-j 1`). pgbench's processor time holds its start.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::path::Path;
use std::process::Command;

use common::Server;
use kurabe_protocol::{Connect, Load, Schema};
use support::figures::Aim;
use support::servers::{NAMESPACE, Ours, Reads, SECONDS, timed};

const ROWS: u64 = 100_000;
const READS: Reads<'static> = Reads {
    what: "PostgreSQL reads by key, 8 connections",
    against: "`pgbench -M prepared -c 8 -j 1`",
    connections: 8,
    depth: 1,
    batch: 1,
    connect: Connect::Once,
    rate_aim: Aim::AtLeast(1.0),
    cpu_aim: Aim::Unset,
};

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::postgres(&[]) else { return };
    let load = common::phase("load", Load::Bulk { rows: 1000 }, ROWS);
    let mut ours = Ours::start("postgres", &server, Schema::key_value(100), load, &[READS]);
    let mut control = postgres::Client::connect(&server.url, postgres::NoTls).expect("a connection");
    control.batch_execute(&format!("VACUUM ANALYZE {NAMESPACE}")).expect("a table");
    let files = common::files();
    let script = files.path().join("script");
    let statement = format!("SELECT \"value\" FROM \"{NAMESPACE}\" WHERE \"id\" = :id;");
    std::fs::write(&script, format!("\\set id random(0, {})\n{statement}\n", ROWS - 1)).expect("a script");
    ours.compare(&READS, || timed(pgbench(&server, &script), told));
    ours.stop();
}

/// Transactions and transactions a second.
fn told(output: &str) -> Option<(f64, f64)> {
    let number = |start: &str| output.lines().find_map(|line| line.strip_prefix(start)?.split([' ', '/']).next());
    let transactions = number("number of transactions actually processed: ")?;
    Some((transactions.parse().ok()?, number("tps = ")?.parse().ok()?))
}

fn pgbench(server: &Server, script: &Path) -> Command {
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &READS.connections.to_string()]);
    command.args(["-T", &SECONDS.to_string(), "-h", "127.0.0.1", "-p", &server.port.to_string(), "-U", "postgres"]);
    command.arg("-f").arg(script).arg("postgres");
    command
}
