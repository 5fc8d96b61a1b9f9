//! Kurabe's way to SQLite against SQLite driven directly from C, in pairs that take turns.
//!
//! `cargo bench -p kurabe-servers --bench sqlite`. Both use the very library that libsqlite3-sys
//! compiled, the same table, rows, order of keys and pragmas on the same file system.
//! Kurabe's side is a client process with the real loop and every answer checked;
//! `benches/sqlite_direct.c` only looks at lengths. Times are wall time over a whole part.
//! Needs a C compiler named `cc`.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use kurabe_protocol::{Action, End, Phase, ReadScope};
use support::embedded::{self, Files, Namespace};
use support::figures::{Aim, Figure, Unit};

const ROWS: u64 = 200_000;
const READS: u64 = 400_000;
const COMMIT_EVERY: u32 = 1_000;
/// Writes that commit one by one.
const INSERTS: u64 = 20_000;
/// Operations of the parts.
const COUNTS: [u64; 4] = [ROWS, READS, READS, INSERTS];

fn kurabe(files: &Files) -> Vec<f64> {
    let dir = embedded::scratch();
    let each = files.read("each", READS);
    let snapshot = Phase { name: "snapshot".into(), read_scope: ReadScope::Snapshot, ..each.clone() };
    let insert = Phase::new("insert", Action::Insert { first_row: ROWS }, End::Count(INSERTS));
    let mut job = files.job("sqlite", dir.path(), ROWS, &[embedded::load(ROWS, COMMIT_EVERY), each, snapshot, insert]);
    job.settings = BTreeMap::from([("journal_mode".into(), "wal".into()), ("synchronous".into(), "normal".into())]);
    embedded::run(&job, Namespace::Made)
}

fn direct(program: &Path, files: &Files) -> Vec<f64> {
    let dir = embedded::scratch();
    let numbers = [ROWS, READS, u64::from(COMMIT_EVERY), INSERTS];
    embedded::direct(program, &dir.path().join("data.sqlite"), files, &numbers, &COUNTS)
}

/// Folder of the SQLite source that the crate libsqlite3-sys carries.
fn bundled_source() -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    // Crates for other systems need not be here.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = Process::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--manifest-path", manifest])
        .args(["--filter-platform", &platform])
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("metadata of this workspace");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages.iter().find(|package| package["name"] == "libsqlite3-sys").expect("libsqlite3-sys is used");
    let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
    manifest.parent().expect("a folder").join("sqlite3")
}

/// The library that the crate itself compiled for this bench: the newest in the build folder beside the executable.
fn built_library() -> PathBuf {
    let own = std::env::current_exe().expect("the path of this bench");
    let build = own.ancestors().nth(2).expect("target/PROFILE").join("build");
    let folders = build.read_dir().expect("the build folder").filter_map(|entry| Some(entry.ok()?.path()));
    let libraries = folders
        .filter(|folder| folder.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libsqlite3-sys-")))
        .map(|folder| folder.join("out/libsqlite3.a"));
    let newest = |path: &PathBuf| path.metadata().and_then(|metadata| metadata.modified()).ok();
    libraries.filter(|library| library.exists()).max_by_key(newest).expect("libsqlite3-sys was built")
}

fn main() {
    support::serve_if_asked();
    let words = |path: PathBuf| path.display().to_string();
    let library = [words(built_library()), "-I".into(), words(bundled_source())];
    let system = ["-lm", "-lpthread", "-ldl"].map(String::from);
    let program = embedded::compile("sqlite_direct", &[&library[..], &system[..]].concat());
    let files = Files::make(ROWS);
    let pairs = support::in_turns(embedded::pairs(), |_| kurabe(&files), || direct(&program, &files));
    let tell = |part, what: &str, unit, aim| {
        let what = format!("SQLite, {what}");
        embedded::tell(&Figure { what: &what, against: "C program", unit, aim }, &pairs, part);
    };
    tell(3, "each write its own transaction", Unit::Times, Aim::AtMost(1.05));
    tell(1, "each read its own transaction", Unit::Times, Aim::AtMost(1.05));
    tell(2, "reads in one snapshot", Unit::NsMore, Aim::AtMost(80.0));
    tell(0, &format!("load, commit every {COMMIT_EVERY}"), Unit::NsMore, Aim::Unset);
}
