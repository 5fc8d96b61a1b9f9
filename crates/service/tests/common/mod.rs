//! What the tests of this crate share.
#![allow(dead_code)] // Every test binary uses its own part.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use kurabe_service::{Guardian, ProcessId, ServiceSpec};

pub const HELPER: &str = env!("CARGO_BIN_EXE_kurabe-guardian-test");

/// A run's name that no other test has.
pub fn run_id() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("test-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub fn guardian() -> Guardian {
    Guardian::start(Path::new(HELPER), &run_id()).unwrap()
}

/// A folder on a disk that every user can enter.
pub fn open_folder() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    tempfile::Builder::new().prefix("kurabe-test-").permissions(mode).tempdir_in("/var/tmp").unwrap()
}

/// Waits until the condition holds; `false` where it does not within the limit.
pub fn comes_true(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    condition()
}

/// All processes whose environment or command line holds the text.
pub fn processes_with(text: &str) -> Vec<u32> {
    let holds = |pid: u32| {
        ["environ", "cmdline"].iter().any(|file| {
            std::fs::read(format!("/proc/{pid}/{file}"))
                .is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        })
    };
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid| *pid != std::process::id() && holds(*pid))
        .filter_map(ProcessId::of)
        .filter(|id| id.is_alive())
        .map(|id| id.pid)
        .collect()
}

/// All living processes that work in the folder.
pub fn processes_in(folder: &Path) -> Vec<ProcessId> {
    let pids = std::fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(folder)))
        .filter_map(ProcessId::of)
        .filter(|id| id.is_alive())
        .collect()
}

/// A child that does not outlive its test, also where that fails.
pub struct Killed(pub Child);

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended already, which is what a test of a kill wants.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The helper with its words, and the words of the first line that it prints.
pub fn start_helper(words: &[&str]) -> (Killed, Vec<String>) {
    let mut child = Killed(Command::new(HELPER).args(words).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, line.split_whitespace().map(str::to_owned).collect())
}

pub fn redis() -> ServiceSpec {
    toml::from_str(
        r#"
        user = "redis"
        version = ["{redis}", "--version"]
        start = ["{redis}", "--bind", "127.0.0.1", "--port", "{port}", "--dir", "{data}", "--save", "", "--daemonize", "no",
                 "--unixsocket", "{socket_dir}/redis.sock"]
        url = "redis://127.0.0.1:{port}/"
        unix_url = "unix://{socket_dir}/redis.sock"
        [binaries]
        redis = ["redis-server"]
        "#,
    )
    .unwrap()
}

pub fn postgres() -> ServiceSpec {
    toml::from_str(
        r#"
        user = "postgres"
        search = ["/usr/lib/postgresql/*/bin"]
        version = ["{postgres}", "--version"]
        init = [["{initdb}", "-D", "{data}", "-A", "trust", "-U", "postgres", "--no-sync"]]
        start = ["{postgres}", "-D", "{data}", "-c", "listen_addresses=127.0.0.1", "-c", "port={port}",
                 "-c", "unix_socket_directories={socket_dir}"]
        stop_signal = "INT"
        url = "postgres://postgres@127.0.0.1:{port}/postgres"
        unix_url = "postgres:///postgres?host={socket_dir}&port={port}&user=postgres"
        [binaries]
        postgres = ["postgres"]
        initdb = ["initdb"]
        "#,
    )
    .unwrap()
}

/// A service made of a shell script.
pub fn script(text: &str) -> ServiceSpec {
    let json = serde_json::json!({
        "start": ["{sh}", "-c", text, "script", "{port}"],
        "url": "x://127.0.0.1:{port}",
        "ready_timeout_ms": 10_000,
        "binaries": { "sh": ["/bin/sh"] },
    });
    serde_json::from_value(json).unwrap()
}

/// The helper where every user may run it. Copied by another process, because a file that is open for writing in
/// this one cannot be executed by a child that was forked meanwhile.
pub fn public_helper(folder: &Path) -> PathBuf {
    let path = folder.join("helper");
    assert!(Command::new("cp").arg(HELPER).arg(&path).status().unwrap().success());
    path
}

/// Whether a test that needs a store may be left out: only where nobody asked for it.
pub fn skip(store: &str, reason: &dyn std::fmt::Display) {
    assert!(std::env::var("KURABE_REQUIRE_STORES").as_deref() != Ok("1"), "'{store}' is required: {reason}");
    println!("skipped: {store}: {reason}");
}
