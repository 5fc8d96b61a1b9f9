//! Kurabe's PostgreSQL driver `pipelined` against pgbench, both with one thread for 8 connections: the same server, the
//! same table with the same rows, the same statement, prepared, keys drawn evenly. Kurabe verifies every answer. With
//! depth each read of Kurabe's has a Sync of its own and is a transaction; pgbench's pipeline has one Sync for all.
//! At a planned rate both draw exponential gaps and count from the planned start; pgbench writes a line for each
//! transaction then. pgbench's processor time holds its start. The usual driver is set against pgbench by the study
//! `agreement-postgres`.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::Server;
use kurabe_protocol::operation::Pattern;
use kurabe_protocol::{Histogram, Load, Schema};
use support::figures::Aim;
use support::servers::{NAMESPACE, Ours, Reads, ResponseTimes, SECONDS, Side, timed};

const ROWS: u64 = 100_000;
/// Reads under way at a time.
const DEPTH: u32 = 16;

const ONE: Reads<'static> = Reads {
    what: "PostgreSQL reads by key, 8 connections, driver 'pipelined'",
    against: "`pgbench -M prepared -c 8 -j 1`",
    connections: 8,
    depth: 1,
    batch: 1,
    planned: None,
    rate_aim: Aim::Unset,
    cpu_aim: Aim::Unset,
};
const DEEP: Reads<'static> = Reads {
    what: "PostgreSQL reads by key, 8 connections, depth 16",
    against: "`pgbench -M prepared -c 8 -j 1`, pipelines of 16",
    depth: DEPTH,
    ..ONE
};
const PLANNED: Reads<'static> = Reads {
    what: "PostgreSQL reads by key, 8 connections, 5,000/s planned, driver 'pipelined'",
    against: "`pgbench -M prepared -c 8 -j 1 --rate 5000`",
    planned: Some((5_000, Pattern::Poisson)),
    ..ONE
};

fn main() {
    support::serve_if_asked();
    let Some(server) = Server::postgres(&[]) else { return };
    let files = common::files();
    let scripts = Scripts::write(files.path());
    let load = common::phase("load", Load::Bulk { rows: 1000 }, ROWS);
    let all = [ONE, DEEP, PLANNED];
    let mut ours = Ours::start_at("postgres", Some("pipelined"), &server.url, Schema::key_value(100), load, &all);
    let mut control = postgres::Client::connect(&server.url, postgres::NoTls).expect("a connection");
    control.batch_execute(&format!("VACUUM ANALYZE {NAMESPACE}")).expect("a table");
    for reads in &all {
        ours.compare(reads, || pgbench(server.port, &scripts, reads));
    }
    ours.stop();
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

fn pgbench(port: u16, scripts: &Scripts, reads: &Reads<'_>) -> Side {
    let log = scripts.one.with_file_name("log");
    let (script, reads_each) = match reads.depth.max(reads.batch) {
        1 => (&scripts.one, 1.0),
        each => (&scripts.pipeline, f64::from(each)),
    };
    let mut command = Command::new("pgbench");
    command.args(["-n", "-M", "prepared", "-j", "1", "-c", &reads.connections.to_string()]);
    command.args(["-T", &SECONDS.to_string(), "-h", "127.0.0.1", "-p", &port.to_string(), "-U", "postgres"]);
    if let Some((rate, _)) = reads.planned {
        command.args(["--rate", &rate.to_string(), "-l", "--log-prefix"]).arg(&log);
    }
    command.arg("-f").arg(script).arg("postgres");
    let side = timed(command, |output| {
        let number = |start: &str| output.lines().find_map(|line| line.strip_prefix(start)?.split([' ', '/']).next());
        let transactions: f64 = number("number of transactions actually processed: ")?.parse().ok()?;
        let rate: f64 = number("tps = ")?.parse().ok()?;
        Some((transactions * reads_each, rate * reads_each))
    });
    Side { response: reads.planned.map(|_| response_times(&log)), ..side }
}

/// Of the lines that pgbench wrote to `log.PID`, which it names itself; the third number is a time from the planned
/// start, in µs.
fn response_times(log: &Path) -> ResponseTimes {
    let written = std::fs::read_dir(log.parent().expect("a folder")).expect("a folder").flatten();
    let path = written.map(|entry| entry.path()).find(|path| path.file_stem() == log.file_name());
    let path = path.expect("a log");
    let mut seen = Histogram::default();
    for line in std::fs::read_to_string(&path).expect("a log").lines() {
        let micros: u64 = line.split(' ').nth(2).and_then(|number| number.parse().ok()).expect("a time");
        seen.record(micros * 1_000);
    }
    // The next pair writes another.
    std::fs::remove_file(path).expect("a log");
    ResponseTimes::of(&seen)
}
