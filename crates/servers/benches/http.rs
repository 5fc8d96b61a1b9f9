//! Kurabe's HTTP client against vegeta at a planned rate: nginx with one process, one address, 64 connections that stay
//! open, equal gaps. Kurabe counts from the planned start and looks at every answer; vegeta counts from the real one.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::Server;
use kurabe_protocol::operation::Pattern;
use kurabe_protocol::{Load, Schema};
use support::figures::Aim;
use support::servers::{Ours, Reads, ResponseTimes, SECONDS, Side};

const CONNECTIONS: u32 = 64;
const RATE: u32 = 5_000;

const PLANNED: Reads<'static> = Reads {
    what: "HTTP requests to nginx, 64 connections, 5,000/s planned",
    against: "`vegeta attack -rate=5000/s -max-workers=64`",
    connections: CONNECTIONS,
    depth: 1,
    batch: 1,
    planned: Some((RATE, Pattern::Constant)),
    rate_aim: Aim::Unset,
    cpu_aim: Aim::Unset,
};

fn main() {
    support::serve_if_asked();
    let Some(vegeta) = vegeta() else { return println!("skipped: 'vegeta' is not installed; 'make bench' does it") };
    let Some(server) = Server::nginx() else { return };
    let files = common::files();
    let load = common::phase("load", Load::Row, u64::from(CONNECTIONS));
    let mut ours = Ours::start_at("url", None, &server.url, Schema::key_value(100), load, &[PLANNED]);
    ours.compare(&PLANNED, || attack(&vegeta, &server.url, files.path()));
    ours.stop();
}

/// The program, in PATH or where `make bench` puts it.
fn vegeta() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from(common::cache()).join("bin")])
        .map(|folder| folder.join("vegeta"))
        .find(|program| program.is_file())
}

fn attack(vegeta: &Path, url: &str, folder: &Path) -> Side {
    let (targets, results) = (folder.join("targets"), folder.join("results"));
    std::fs::write(&targets, format!("GET {url}\n")).expect("a file");
    let mut command = Command::new(vegeta);
    command.args(["attack", &format!("-rate={RATE}/s"), &format!("-duration={SECONDS}s")]);
    for limit in ["workers", "max-workers", "connections", "max-connections"] {
        command.arg(format!("-{limit}={CONNECTIONS}"));
    }
    command.arg("-targets").arg(&targets).arg("-output").arg(&results);
    let (_, cpu_ns) = support::measured(command);
    let mut report = Command::new(vegeta);
    report.args(["report", "-type=json"]).arg(&results);
    let (told, _) = support::measured(report);
    let told: serde_json::Value = serde_json::from_str(&told).expect("a report");
    assert_eq!(told["success"], 1.0, "{told}");
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let times = &told["latencies"];
    let response = ResponseTimes { p50_ns: number(&times["50th"]), p99_ns: number(&times["99th"]) };
    Side { rate: number(&told["rate"]), cpu_ns: cpu_ns / number(&told["requests"]), response: Some(response) }
}
