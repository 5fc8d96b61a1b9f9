//! Kurabe's way to SQLite against SQLite driven directly from C, in pairs that take turns.
//!
//! `cargo bench -p kurabe-client --bench sqlite`. Both use the very library that libsqlite3-sys
//! compiled, the same table, rows, order of keys and pragmas on the same file system.
//! Kurabe's side is a client process with the real loop and every answer checked;
//! `benches/sqlite_direct.c` only looks at lengths. Times are wall time over a whole part.
//! Needs a C compiler named `cc`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use kurabe_protocol::{
    Call, CallName, Candidate, Command, Distribution, Event, Job, Layout, Limits, Operation, Phase, Pool, ReadScope,
    Schema, stream, value,
};

const PAIRS: usize = 27;
const ROWS: u64 = 200_000;
const READS: u64 = 400_000;
const COMMIT_EVERY: u32 = 1_000;
/// Writes that commit one by one.
const INSERTS: u64 = 20_000;
const VALUE_BYTES: u32 = 100;
/// Where databases are made: a real file system, not one in memory.
const SCRATCH: &str = "/var/tmp";
/// Files that both sides read.
struct Files {
    folder: tempfile::TempDir,
    pool: PathBuf,
    rows_stream: PathBuf,
    values: PathBuf,
}

impl Files {
    fn make() -> Files {
        let folder = tempfile::tempdir_in(SCRATCH).expect("a folder");
        let [pool, rows_stream, values] = ["pool", "rows", "values"].map(|name| folder.path().join(name));
        let pool_bytes = value::pool_bytes(1, 0.0);
        let layout = Layout::new(&Schema::key_value(VALUE_BYTES));
        let filler = Pool::new(&pool_bytes, &layout).expect("the pool has its size");
        let mut all = vec![0; ROWS as usize * VALUE_BYTES as usize];
        for (row, value) in (0..).zip(all.chunks_exact_mut(VALUE_BYTES as usize)) {
            layout.write(&filler, row, 0, value);
        }
        let stream = stream::rows_stream(Distribution::Uniform, ROWS as u32, 1).expect("uniform has a stream");
        std::fs::write(&pool, pool_bytes).expect("the pool is written");
        std::fs::write(&rows_stream, stream).expect("the stream is written");
        std::fs::write(&values, all).expect("the values are written");
        Files { folder, pool, rows_stream, values }
    }
}

/// Nanoseconds an operation of the four parts.
#[derive(Clone, Copy)]
struct Times {
    load: f64,
    each: f64,
    snapshot: f64,
    insert: f64,
}

fn phases(files: &Files) -> [Phase; 4] {
    let mut load = Phase::new("load", Operation::Load);
    (load.count, load.commit_every) = (Some(ROWS), COMMIT_EVERY);
    let mut each = Phase::new("each", Operation::Read);
    (each.count, each.distribution) = (Some(READS), Distribution::Uniform);
    each.rows_stream = Some(files.rows_stream.display().to_string());
    let snapshot = Phase { name: "snapshot".into(), read_scope: ReadScope::Snapshot, ..each.clone() };
    let mut insert = Phase::new("insert", Operation::Insert);
    (insert.count, insert.first_row) = (Some(INSERTS), ROWS);
    [load, each, snapshot, insert]
}

fn kurabe(files: &Files) -> Times {
    let dir = tempfile::tempdir_in(SCRATCH).expect("a folder");
    let phases = phases(files);
    let job = Job {
        id: "bench".into(),
        candidate: Candidate { name: "sqlite".into(), store: "sqlite".into(), variant: None },
        schema: Schema::key_value(VALUE_BYTES),
        rows: ROWS,
        namespace: "t".into(),
        dir: Some(dir.path().display().to_string()),
        url: None,
        settings: BTreeMap::from([("journal_mode".into(), "wal".into()), ("synchronous".into(), "normal".into())]),
        process: 0,
        processes: 1,
        pool: files.pool.display().to_string(),
        data: None,
        limits: Limits::default(),
        phases: phases.to_vec(),
    };
    let create = Command::Call(Call { name: CallName::Create, id: 1 });
    let work = phases.iter().map(|phase| Command::Go(phase.name.clone()));
    let commands = [Command::Job(Box::new(job)), create].into_iter().chain(work).chain([Command::Stop]);
    let lines: String = commands.map(|command| command.to_line() + "\n").collect();
    let own = std::env::current_exe().expect("the path of this bench");
    let mut client = Process::new(own)
        .arg("client")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the client starts");
    client.stdin.take().expect("stdin").write_all(lines.as_bytes()).expect("sent");
    let output = client.wait_with_output().expect("the client ends");
    assert!(output.status.success(), "the client failed: {}", String::from_utf8_lossy(&output.stdout));
    times_of(&String::from_utf8_lossy(&output.stdout))
}

fn times_of(events: &str) -> Times {
    let mut parts = events.lines().filter_map(|line| match Event::parse(line).expect("an event") {
        Event::Result(result) => Some(result),
        _ => None,
    });
    let mut next = |count: u64| {
        let result = parts.next().expect("a result of each phase");
        assert_eq!(result.checks.failed(), 0, "{:?}", result.checks.examples);
        let worker = &result.workers[0];
        assert_eq!(worker.operations, count);
        (worker.last_end_ns - worker.first_start_ns) as f64 / count as f64
    };
    Times { load: next(ROWS), each: next(READS), snapshot: next(READS), insert: next(INSERTS) }
}

fn direct(program: &Path, files: &Files) -> Times {
    let dir = tempfile::tempdir_in(SCRATCH).expect("a folder");
    let output = Process::new(program)
        .arg(dir.path().join("data.sqlite"))
        .arg(&files.values)
        .arg(VALUE_BYTES.to_string())
        .arg(&files.rows_stream)
        .args([ROWS.to_string(), READS.to_string(), COMMIT_EVERY.to_string(), INSERTS.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("the C program runs");
    assert!(output.status.success(), "the C program failed");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().expect("a number"));
    let mut next = |count: u64| numbers.next().expect("four numbers") / count as f64;
    Times { load: next(ROWS), each: next(READS), snapshot: next(READS), insert: next(INSERTS) }
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

fn compile() -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sqlite_direct");
    let direct = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/sqlite_direct.c");
    let status = Process::new("cc")
        .args(["-O3", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(bundled_source())
        .arg(direct)
        .arg(built_library())
        .args(["-lm", "-lpthread", "-ldl", "-o"])
        .arg(&program)
        .status()
        .expect("cc runs");
    assert!(status.success(), "cc failed");
    program
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn print(name: &str, pairs: &[(Times, Times)], part: fn(&Times) -> f64, target: &str) {
    let direct = median(pairs.iter().map(|(_, direct)| part(direct)));
    let kurabe = median(pairs.iter().map(|(kurabe, _)| part(kurabe)));
    let ratio = median(pairs.iter().map(|(kurabe, direct)| part(kurabe) / part(direct)));
    let more = median(pairs.iter().map(|(kurabe, direct)| part(kurabe) - part(direct)));
    println!("{name:<38} {direct:9.0} {kurabe:9.0} {ratio:8.3} {more:+9.0}   {target}");
}

fn main() {
    if std::env::args().nth(1).is_some_and(|word| word == "client") {
        std::process::exit(kurabe_client::serve(&kurabe_client::stores::registry()));
    }
    let program = compile();
    let files = Files::make();
    let pairs: Vec<(Times, Times)> = (0..PAIRS)
        .map(|pair| {
            // Who goes first changes, so that neither always meets a warmer machine.
            if pair % 2 == 0 {
                let kurabe = kurabe(&files);
                (kurabe, direct(&program, &files))
            } else {
                let direct = direct(&program, &files);
                (kurabe(&files), direct)
            }
        })
        .collect();
    println!(
        "medians of {PAIRS} pairs in {}, ns an operation",
        files.folder.path().parent().unwrap_or(Path::new("")).display()
    );
    println!("{:<38} {:>9} {:>9} {:>8} {:>9}", "", "direct", "kurabe", "ratio", "more");
    print(&format!("load, commit every {COMMIT_EVERY}"), &pairs, |times| times.load, "");
    print("writes, a transaction each", &pairs, |times| times.insert, "target: ratio at most 1.05");
    print("reads, a transaction each", &pairs, |times| times.each, "target: ratio at most 1.05");
    print("reads in one snapshot", &pairs, |times| times.snapshot, "target: at most 80 ns more");
}
