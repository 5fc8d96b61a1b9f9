//! What the benches of embedded stores share: the files of both sides, Kurabe's client as a process, and its figures.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kurabe_protocol::{
    Action, CallName, Candidate, Distribution, End, Job, Layout, Load, Phase, Pool, Schema, stream, value,
};

use super::figures::Figure;
use crate::common::{Driver, operations, rate};

/// Where databases are made: a real file system, not one in memory.
pub const SCRATCH: &str = "/var/tmp";
pub const VALUE_BYTES: u32 = 100;
/// Pairs of neighbours that are compared.
const PAIRS: usize = 27;

/// How many pairs are compared.
pub fn pairs() -> usize {
    super::pairs(PAIRS)
}

/// Files that both sides read.
pub struct Files {
    pub folder: tempfile::TempDir,
    pub pool: PathBuf,
    pub rows_stream: PathBuf,
    /// The values of all rows, one after the other.
    pub values: PathBuf,
}

impl Files {
    pub fn make(rows: u64) -> Files {
        let folder = scratch();
        let [pool, rows_stream, values] = ["pool", "rows", "values"].map(|name| folder.path().join(name));
        let pool_bytes = value::pool_bytes(1, 0.0);
        let layout = Layout::new(&Schema::key_value(VALUE_BYTES));
        let filler = Pool::new(&pool_bytes, &layout).expect("the pool has its size");
        let mut all = vec![0; rows as usize * VALUE_BYTES as usize];
        for (row, value) in (0..).zip(all.chunks_exact_mut(VALUE_BYTES as usize)) {
            layout.write(&filler, row, 0, value);
        }
        let stream = stream::rows_stream(Distribution::Uniform, rows as u32, 1).expect("uniform has a stream");
        std::fs::write(&pool, pool_bytes).expect("the pool is written");
        std::fs::write(&rows_stream, stream).expect("the stream is written");
        std::fs::write(&values, all).expect("the values are written");
        Files { folder, pool, rows_stream, values }
    }

    /// So many reads, of rows drawn evenly.
    pub fn read(&self, name: &str, count: u64) -> Phase {
        Phase {
            distribution: Distribution::Uniform,
            rows_stream: Some(self.rows_stream.display().to_string()),
            ..Phase::new(name, Action::Read, End::Count(count))
        }
    }

    /// A job of a store in the folder `dir`, with the settings that it ships with.
    pub fn job(&self, store: &str, dir: &Path, rows: u64, phases: &[Phase]) -> Job {
        Job {
            dir: Some(dir.display().to_string()),
            pool: self.pool.display().to_string(),
            phases: phases.to_vec(),
            ..Job::new("bench", Candidate::of(store), Schema::key_value(VALUE_BYTES), rows)
        }
    }
}

/// A folder for a database, gone with its value.
pub fn scratch() -> tempfile::TempDir {
    tempfile::tempdir_in(SCRATCH).expect("a folder")
}

/// The load, with a commit for every so many rows.
pub fn load(rows: u64, commit_every: u32) -> Phase {
    Phase { commit_every, ..Phase::new("load", Load::Row, End::Count(rows)) }
}

/// Whether a job makes its namespace, or finds it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    Made,
    Found,
}

/// Runs all phases of `job` in a client process, with every answer checked; ns an operation of each of them.
pub fn run(job: &Job, namespace: Namespace) -> Vec<f64> {
    let mut driver = Driver::start_with(super::own_client(), job).expect("a client");
    if namespace == Namespace::Made {
        driver.ask(CallName::Create);
    }
    let mut time = |phase: &Phase| {
        let result = driver.go_well(&phase.name);
        assert_eq!(Some(operations(&result)), phase.end.count());
        1e9 / rate(&result)
    };
    let times = job.phases.iter().map(&mut time).collect();
    assert_eq!(driver.stop(), 0);
    times
}

/// Compiles `benches/NAME.c` of the project with `arguments`: its libraries, and where their headers are.
pub fn compile(name: &str, arguments: &[String]) -> PathBuf {
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches").join(name).with_extension("c");
    let mut cc = Command::new("cc");
    cc.args(["-O3", "-Wall", "-Wextra", "-Werror"]).arg(source).args(arguments).arg("-o").arg(&program);
    assert!(cc.status().expect("cc runs").success(), "cc failed; it was given {arguments:?}");
    program
}

/// Runs a C program, which prints the ns of each of its parts; ns an operation of each of them.
pub fn direct(program: &Path, database: &Path, files: &Files, numbers: &[u64], counts: &[u64]) -> Vec<f64> {
    let output = Command::new(program)
        .args([database, &files.values])
        .arg(VALUE_BYTES.to_string())
        .arg(&files.rows_stream)
        .args(numbers.iter().map(u64::to_string))
        .stderr(Stdio::inherit())
        .output()
        .expect("the C program runs");
    assert!(output.status.success(), "the C program failed");
    let text = String::from_utf8_lossy(&output.stdout);
    let times: Vec<f64> = text.split_whitespace().map(|number| number.parse::<f64>().expect("a number")).collect();
    assert_eq!(times.len(), counts.len(), "a number for each part");
    times.iter().zip(counts).map(|(time, count)| time / *count as f64).collect()
}

/// Pairs of ns an operation of each part: Kurabe's and those of the direct program.
pub type Pairs = [(Vec<f64>, Vec<f64>)];

/// Tells part number `part` of the pairs.
pub fn tell(figure: &Figure<'_>, pairs: &Pairs, part: usize) {
    let part = || pairs.iter().map(|(kurabe, direct)| (kurabe[part], direct[part]));
    let (kurabe, direct) = (super::median(part().map(|pair| pair.0)).0, super::median(part().map(|pair| pair.1)).0);
    println!("{}: kurabe {kurabe:.0} ns, {} {direct:.0} ns an operation, in {SCRATCH}", figure.what, figure.against);
    figure.tell(part());
}
