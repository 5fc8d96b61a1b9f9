//! Kurabe's way to a hash database of Tokyo Cabinet against the same library driven directly from C, in pairs that
//! take turns.
//!
//! `cargo bench -p kurabe-client --bench tokyocabinet`. Both use the library that is installed, the same rows, order of
//! keys and settings on the same file system. Kurabe's side is a client process with the real loop and every answer
//! checked; `benches/tokyocabinet_direct.c` only looks at lengths. Times are wall time over a whole part. Needs a C
//! compiler named `cc`, and no headers of the library.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use kurabe_protocol::{
    Call, CallName, Candidate, Command, Distribution, Event, Job, Layout, Limits, Operation, Phase, Pool, Schema,
    stream, value,
};

const PAIRS: usize = 27;
const ROWS: u64 = 100_000;
const READS: u64 = 1_000_000;
const VALUE_BYTES: u32 = 100;
/// Where databases are made: a real file system, not one in memory.
const SCRATCH: &str = "/var/tmp";

/// Files that both sides read.
struct Files {
    _folder: tempfile::TempDir,
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
        Files { _folder: folder, pool, rows_stream, values }
    }
}

/// Nanoseconds an operation of the two parts.
#[derive(Clone, Copy)]
struct Times {
    load: f64,
    read: f64,
}

fn kurabe(files: &Files) -> Times {
    let dir = tempfile::tempdir_in(SCRATCH).expect("a folder");
    let mut load = Phase::new("load", Operation::Load);
    (load.count, load.commit_every) = (Some(ROWS), 1_000);
    let mut read = Phase::new("read", Operation::Read);
    (read.count, read.distribution) = (Some(READS), Distribution::Uniform);
    read.rows_stream = Some(files.rows_stream.display().to_string());
    let phases = [load, read];
    let job = Job {
        id: "bench".into(),
        candidate: Candidate { name: "tc".into(), store: "tokyocabinet".into(), variant: Some("hash".into()) },
        schema: Schema::key_value(VALUE_BYTES),
        rows: ROWS,
        namespace: "t".into(),
        dir: Some(dir.path().display().to_string()),
        url: None,
        settings: BTreeMap::from([("mode".into(), "put".into()), ("large".into(), "yes".into())]),
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
    let events = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the client failed: {events}");
    times_of(&events)
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
    Times { load: next(ROWS), read: next(READS) }
}

fn direct(program: &Path, files: &Files) -> Times {
    let dir = tempfile::tempdir_in(SCRATCH).expect("a folder");
    let output = Process::new(program)
        .arg(dir.path().join("t.tch"))
        .arg(&files.values)
        .arg(VALUE_BYTES.to_string())
        .arg(&files.rows_stream)
        .args([ROWS.to_string(), READS.to_string()])
        .stderr(Stdio::inherit())
        .output()
        .expect("the C program runs");
    assert!(output.status.success(), "the C program failed");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut numbers = text.split_whitespace().map(|number| number.parse::<f64>().expect("a number"));
    let mut next = |count: u64| numbers.next().expect("two numbers") / count as f64;
    Times { load: next(ROWS), read: next(READS) }
}

fn compile() -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tokyocabinet_direct");
    let status = Process::new("cc")
        .args(["-O3", "-Wall", "-Wextra", "-Werror"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/tokyocabinet_direct.c"))
        .args(["-l:libtokyocabinet.so.9", "-o"])
        .arg(&program)
        .status()
        .expect("cc runs");
    assert!(status.success(), "cc failed; the library comes with the package libtokyocabinet9");
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
    println!("{name:<20} {direct:9.0} {kurabe:9.0} {ratio:8.3} {more:+9.0}   {target}");
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
    println!("medians of {PAIRS} pairs in {SCRATCH}, ns an operation");
    println!("{:<20} {:>9} {:>9} {:>8} {:>9}", "", "direct", "kurabe", "ratio", "more");
    print("load", &pairs, |times| times.load, "");
    print("reads", &pairs, |times| times.read, "target: at most 80 ns more");
}
