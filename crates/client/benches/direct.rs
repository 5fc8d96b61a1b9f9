//! Kurabe's way to LMDB and redb against a plain loop over the same library calls, in pairs that take turns.
//!
//! `cargo bench -p kurabe-client --bench direct`. Both sides read the same rows in the same order from a folder that a
//! client process loaded, each read in a transaction of its own, and copy the value. Kurabe's side is a client process
//! with the real loop and every answer checked; the plain loop takes no stamps and looks at lengths only. Each side
//! runs in a process of its own; times are wall time over all reads.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Instant;

use kurabe_protocol::{
    Call, CallName, Candidate, Command, Distribution, Event, Job, Limits, Operation, Phase, Schema, Warmup, stream,
    value,
};

const PAIRS: usize = 27;
const ROWS: u64 = 100_000;
const READS: u64 = 400_000;
const VALUE_BYTES: u32 = 100;
const STORES: [&str; 2] = ["lmdb", "redb"];
/// Where databases are made: a real file system, not one in memory.
const SCRATCH: &str = "/var/tmp";

/// What both sides read.
struct Files {
    folder: tempfile::TempDir,
    pool: PathBuf,
    rows_stream: PathBuf,
}

impl Files {
    fn make() -> Files {
        let folder = tempfile::tempdir_in(SCRATCH).expect("a folder");
        let [pool, rows_stream] = ["pool", "rows"].map(|name| folder.path().join(name));
        let stream = stream::rows_stream(Distribution::Uniform, ROWS as u32, 1).expect("uniform has a stream");
        std::fs::write(&pool, value::pool_bytes(1, 0.0)).expect("the pool is written");
        std::fs::write(&rows_stream, stream).expect("the stream is written");
        Files { folder, pool, rows_stream }
    }

    /// The folder of a store, which is loaded once.
    fn of(&self, store: &str) -> PathBuf {
        self.folder.path().join(store)
    }
}

/// Runs the phases in a client process; returns ns an operation of the last one.
fn client(store: &str, files: &Files, create: bool, phases: &[Phase]) -> f64 {
    let job = Job {
        id: "bench".into(),
        candidate: Candidate { name: store.into(), store: store.into(), variant: None },
        schema: Schema::key_value(VALUE_BYTES),
        rows: ROWS,
        namespace: "t".into(),
        dir: Some(files.of(store).display().to_string()),
        url: None,
        settings: BTreeMap::new(),
        process: 0,
        processes: 1,
        pool: files.pool.display().to_string(),
        data: None,
        limits: Limits::default(),
        phases: phases.to_vec(),
    };
    let create = create.then_some(Command::Call(Call { name: CallName::Create, id: 1 }));
    let work = phases.iter().map(|phase| Command::Go(phase.name.clone()));
    let commands = [Command::Job(Box::new(job))].into_iter().chain(create).chain(work).chain([Command::Stop]);
    let lines: String = commands.map(|command| command.to_line() + "\n").collect();
    let output = own(&["client"], &lines);
    let results = output.lines().filter_map(|line| match Event::parse(line).expect("an event") {
        Event::Result(result) => Some(result),
        _ => None,
    });
    let mut ns = 0.0;
    for (result, phase) in results.zip(phases) {
        assert_eq!(result.checks.failed(), 0, "{:?}", result.checks.examples);
        let worker = &result.workers[0];
        assert_eq!(Some(worker.operations), phase.count);
        ns = (worker.last_end_ns - worker.first_start_ns) as f64 / worker.operations as f64;
    }
    ns
}

/// This bench as another process, with `input` on its stdin; returns its stdout.
fn own(arguments: &[&str], input: &str) -> String {
    let mut child = Process::new(std::env::current_exe().expect("the path of this bench"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the bench starts itself");
    child.stdin.take().expect("stdin").write_all(input.as_bytes()).expect("sent");
    let output = child.wait_with_output().expect("an end");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{arguments:?} failed: {text}");
    text
}

fn load() -> Phase {
    let mut load = Phase::new("load", Operation::Load);
    (load.count, load.commit_every) = (Some(ROWS), 1_000);
    load
}

fn read(files: &Files) -> Phase {
    let mut read = Phase::new("read", Operation::Read);
    (read.count, read.distribution) = (Some(READS), Distribution::Uniform);
    read.rows_stream = Some(files.rows_stream.display().to_string());
    read.warmup = Some(Warmup::Count(ROWS));
    read
}

/// Reads `READS` rows after a warm-up of `ROWS`, as the phase above does; prints ns a read.
fn plain_loop(rows_stream: &Path, mut read: impl FnMut(i64, &mut Vec<u8>)) {
    let bytes = std::fs::read(rows_stream).expect("the stream");
    let numbers = bytes.chunks_exact(4).map(|entry| u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]));
    let numbers: Vec<u32> = numbers.take((ROWS + READS) as usize).collect();
    assert_eq!(numbers.len() as u64, ROWS + READS, "the stream is long enough");
    let mut value = Vec::with_capacity(VALUE_BYTES as usize);
    let (warmup, measured) = numbers.split_at(ROWS as usize);
    let mut all = |rows: &[u32]| {
        for row in rows {
            read(i64::from(*row), &mut value);
            assert_eq!(value.len(), VALUE_BYTES as usize, "a row of the right length");
        }
    };
    all(warmup);
    let start = Instant::now();
    all(measured);
    println!("{}", start.elapsed().as_nanos() as f64 / READS as f64);
}

fn plain_lmdb(folder: &Path, rows_stream: &Path) {
    use heed::types::Bytes;
    let mut options = heed::EnvOpenOptions::new();
    options.map_size(1 << 40).max_readers(2048);
    // SAFETY: nobody else has the environment open.
    let env = unsafe { options.open(folder) }.expect("the environment");
    let txn = env.write_txn().expect("a transaction");
    let created = env.create_databases_and_commit(txn, |opener, txn| {
        opener.create_database::<Bytes, Bytes>(txn, None).map(heed::CommitOrAbort::<_, ()>::Commit)
    });
    let rows = created.expect("a commit").commit().expect("the database");
    plain_loop(rows_stream, |row, value| {
        let txn = env.read_txn().expect("a transaction");
        let found = rows.get(&txn, &row.to_be_bytes()).expect("an answer").expect("the row");
        value.clear();
        value.extend_from_slice(found);
    });
}

fn plain_redb(folder: &Path, rows_stream: &Path) {
    use redb::ReadableDatabase;
    const ROWS: redb::TableDefinition<'static, &[u8], &[u8]> = redb::TableDefinition::new("rows");
    let database = redb::Database::open(folder.join("data.redb")).expect("the database");
    plain_loop(rows_stream, |row, value| {
        let rows = database.begin_read().expect("a transaction").open_table(ROWS).expect("the table");
        let found = rows.get(row.to_be_bytes().as_slice()).expect("an answer").expect("the row");
        value.clear();
        value.extend_from_slice(found.value());
    });
}

fn direct(store: &str, files: &Files) -> f64 {
    let (folder, stream) = (files.of(store), files.rows_stream.display().to_string());
    let printed = own(&["direct", store, &folder.display().to_string(), &stream], "");
    printed.trim().parse().expect("a number")
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare(store: &str, files: &Files) {
    std::fs::create_dir(files.of(store)).expect("a folder");
    client(store, files, true, &[load()]);
    let kurabe = || client(store, files, false, &[read(files)]);
    let pairs: Vec<(f64, f64)> = (0..PAIRS)
        .map(|pair| {
            // Who goes first changes, so that neither always meets a warmer machine.
            if pair % 2 == 0 {
                let kurabe = kurabe();
                (kurabe, direct(store, files))
            } else {
                let direct = direct(store, files);
                (kurabe(), direct)
            }
        })
        .collect();
    let direct = median(pairs.iter().map(|(_, direct)| *direct));
    let kurabe = median(pairs.iter().map(|(kurabe, _)| *kurabe));
    let more = median(pairs.iter().map(|(kurabe, direct)| kurabe - direct));
    println!("{store:<8} {direct:9.0} {kurabe:9.0} {more:+9.0}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["client"] => std::process::exit(kurabe_client::serve(&kurabe_client::stores::registry())),
        ["direct", "lmdb", folder, stream] => return plain_lmdb(Path::new(folder), Path::new(stream)),
        ["direct", "redb", folder, stream] => return plain_redb(Path::new(folder), Path::new(stream)),
        _ => {}
    }
    let files = Files::make();
    println!("reads, a transaction each; medians of {PAIRS} pairs in {SCRATCH}, ns a read");
    println!("{:<8} {:>9} {:>9} {:>9}", "", "direct", "kurabe", "more");
    STORES.iter().for_each(|store| compare(store, &files));
}
