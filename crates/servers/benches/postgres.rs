//! Kurabe's PostgreSQL client against pgbench: the same server, the same table with the same rows, the same statement,
//! prepared, keys drawn evenly; 1, 8 and 64 connections over TCP, 8 over a unix socket. pgbench and the driver `pipelined`
//! have one thread for all connections (`-j 1`), the usual driver has a thread a connection. Kurabe verifies every answer.
//! With depth each read of Kurabe's has a Sync of its own and is a transaction; pgbench's pipeline has one Sync for all.
//! pgbench's processor time holds its start.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::Server;
use kurabe_protocol::{Connect, Load, Schema};
use support::figures::Aim;
use support::servers::{NAMESPACE, Ours, Reads, SECONDS, Side, timed};

const ROWS: u64 = 100_000;
/// Reads under way at a time.
const DEPTH: u32 = 16;

const fn reads(
    what: &'static str,
    against: &'static str,
    connections: u32,
    rate_aim: Aim,
    cpu_aim: Aim,
) -> Reads<'static> {
    Reads { what, against, connections, depth: 1, batch: 1, connect: Connect::Once, rate_aim, cpu_aim }
}

const ONE: &str = "`pgbench -M prepared -c 1 -j 1`";
const EIGHT: &str = "`pgbench -M prepared -c 8 -j 1`";
const MANY: &str = "`pgbench -M prepared -c 64 -j 1`";
const PIPELINE: &str = "`pgbench -M prepared -c 8 -j 1`, pipelines of 16";

const TCP: [Reads<'static>; 3] = [
    reads("PostgreSQL reads by key, 1 connection", ONE, 1, Aim::Unset, Aim::Unset),
    reads("PostgreSQL reads by key, 8 connections", EIGHT, 8, Aim::AtLeast(1.1), Aim::AtMost(1.25)),
    reads("PostgreSQL reads by key, 64 connections", MANY, 64, Aim::Unset, Aim::Unset),
];
const SOCKET: [Reads<'static>; 1] =
    [reads("PostgreSQL reads by key, unix socket, 8 connections", EIGHT, 8, Aim::Unset, Aim::Unset)];
const PIPELINED: [Reads<'static>; 2] = [
    reads("PostgreSQL reads by key, 8 connections, driver 'pipelined'", EIGHT, 8, Aim::Unset, Aim::Unset),
    Reads {
        depth: DEPTH,
        ..reads("PostgreSQL reads by key, 8 connections, depth 16", PIPELINE, 8, Aim::Unset, Aim::Unset)
    },
];

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::postgres(&[]) else { return };
    let folder = server.folder().display().to_string();
    let socket = format!("postgresql://postgres@/postgres?host={folder}&port={}", server.port);
    let files = common::files();
    let scripts = Scripts::write(files.path());
    for (host, url, driver, reads) in [
        ("127.0.0.1", &server.url, None, TCP.as_slice()),
        (&*folder, &socket, None, &SOCKET),
        ("127.0.0.1", &server.url, Some("pipelined"), &PIPELINED),
    ] {
        let load = common::phase("load", Load::Bulk { rows: 1000 }, ROWS);
        let mut ours = Ours::start_at("postgres", driver, url, Schema::key_value(100), load, reads);
        let mut control = postgres::Client::connect(&server.url, postgres::NoTls).expect("a connection");
        control.batch_execute(&format!("VACUUM ANALYZE {NAMESPACE}")).expect("a table");
        for reads in reads {
            ours.compare(reads, || pgbench(host, server.port, &scripts, reads));
        }
        ours.stop();
    }
}

/// What pgbench does in one transaction: a read, or a pipeline of them.
struct Scripts {
    one: PathBuf,
    pipeline: PathBuf,
}

impl Scripts {
    fn write(folder: &Path) -> Scripts {
        let read = |script: &mut String, id: u32| {
            let last = ROWS - 1;
            let statement = format!("SELECT \"value\" FROM \"{NAMESPACE}\" WHERE \"id\" = :id{id};");
            writeln!(script, "\\set id{id} random(0, {last})\n{statement}").expect("text");
        };
        let (mut one, mut pipeline) = (String::new(), String::from("\\startpipeline\n"));
        read(&mut one, 0);
        (0..DEPTH).for_each(|id| read(&mut pipeline, id));
        pipeline.push_str("\\endpipeline\n");
        let scripts = Scripts { one: folder.join("one"), pipeline: folder.join("pipeline") };
        std::fs::write(&scripts.one, one).expect("a script");
        std::fs::write(&scripts.pipeline, pipeline).expect("a script");
        scripts
    }
}

fn pgbench(host: &str, port: u16, scripts: &Scripts, reads: &Reads<'_>) -> Side {
    let (script, reads_each) = match reads.depth.max(reads.batch) {
        1 => (&scripts.one, 1.0),
        each => (&scripts.pipeline, f64::from(each)),
    };
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &reads.connections.to_string()]);
    command.args(["-T", &SECONDS.to_string(), "-h", host, "-p", &port.to_string(), "-U", "postgres"]);
    command.arg("-f").arg(script).arg("postgres");
    timed(command, |output| {
        let number = |start: &str| output.lines().find_map(|line| line.strip_prefix(start)?.split([' ', '/']).next());
        let transactions: f64 = number("number of transactions actually processed: ")?.parse().ok()?;
        let rate: f64 = number("tps = ")?.parse().ok()?;
        Some((transactions * reads_each, rate * reads_each))
    })
}
