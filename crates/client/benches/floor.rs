//! The floor: what the loop costs beside the store, in ns an operation, and that it allocates nothing.
//!
//! `cargo bench -p kurabe-client --bench floor`. The loop reads from `echo`, which makes the right
//! value; choosing the row, making the value, checking it and counting are all in the figure. Two
//! readings of the clock belong to every operation whatever the program; they are measured in
//! turns with the loop and taken off.

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kurabe_client::adapter::Store;
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::clock::{self, now_ns, start_ns, system_ns};
use kurabe_client::ledger::Ledger;
use kurabe_client::phase::{Gate, Go, LoopShape, PhaseContext};
use kurabe_client::stores::echo::Echo;
use kurabe_protocol::{
    Candidate, Distribution, Job, Layout, Limits, Operation, Phase, Pool, Schema, StoppedBy, stream, value,
};

/// Turns of loop and clock, many and short: some of them are disturbed by nobody.
const ROUNDS: usize = 99;
const ROWS: u64 = 100_000;
const OPERATIONS: u64 = 200_000;
/// What the floor should be, in ns.
const TARGET_NS: f64 = 16.0;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is handed on to the system's allocator as it came; only a counter is added.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(memory) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, memory: Memory) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, memory) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, memory: Memory, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.realloc(pointer, memory, size) }
    }

    unsafe fn alloc_zeroed(&self, memory: Memory) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc_zeroed(memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Everything that a phase needs, made once.
struct Bench {
    job: Job,
    layout: Arc<Layout>,
    pool: Arc<Pool>,
    ledger: Ledger,
    store: Echo,
}

impl Bench {
    fn new(folder: &Path, schema: Schema) -> Bench {
        let pool_bytes = value::pool_bytes(1, 0.0);
        let pool_path = folder.join("pool");
        std::fs::write(&pool_path, &pool_bytes).expect("the pool is written");
        let layout = Arc::new(Layout::new(&schema));
        let job = Job {
            id: "floor".into(),
            candidate: Candidate { name: "echo".into(), store: "echo".into(), variant: None },
            schema,
            rows: ROWS,
            namespace: "t".into(),
            dir: None,
            url: None,
            settings: BTreeMap::new(),
            process: 0,
            processes: 1,
            pool: pool_path.display().to_string(),
            data: None,
            limits: Limits::default(),
            phases: Vec::new(),
        };
        let pool = Arc::new(Pool::new(&pool_bytes, &layout).expect("the pool has its size"));
        let store = Echo::open_beside(&job, &layout, &pool).expect("echo opens");
        Bench { ledger: Ledger::new(ROWS as u32, 0), job, layout, pool, store }
    }

    /// Runs one phase; returns ns an operation and the allocations of the whole run.
    fn run(&self, phase: &Phase) -> (f64, u64) {
        let abort = AtomicBool::new(false);
        let context = PhaseContext::new(&self.job, phase, &self.layout, &self.pool, &self.ledger, &abort)
            .expect("the streams are readable");
        let gate = Gate::of_one(Box::new(|| Go::Start));
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        let outcomes = BlockingLoop::run(&self.store, &context, &gate).expect("echo connects");
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        let outcome = &outcomes[0];
        assert_eq!(outcome.stopped_by, StoppedBy::Count);
        assert_eq!(outcome.checks.failed(), 0, "{:?}", outcome.checks.examples);
        assert_eq!(outcome.checks.checked, outcome.operations);
        ((outcome.last_end_ns - outcome.first_start_ns) as f64 / outcome.operations as f64, allocations)
    }
}

fn reads(rows_stream: &str, count: u64) -> Phase {
    let mut phase = Phase::new("read", Operation::Read);
    phase.count = Some(count);
    phase.distribution = Distribution::Uniform;
    phase.rows_stream = Some(rows_stream.to_string());
    phase
}

/// Two readings of a clock, in ns.
fn clock_pair_ns(first: impl Fn() -> u64, second: impl Fn() -> u64) -> f64 {
    let start = now_ns();
    let mut last = start;
    for _ in 0..OPERATIONS {
        last = std::hint::black_box(first()).max(std::hint::black_box(second()));
    }
    (last - start) as f64 / OPERATIONS as f64
}

/// Median and least of some figures. On a busy machine only the least is worth a look.
fn summary(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    (values[values.len() / 2], values[0])
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let stream_path = folder.path().join("rows");
    let stream = stream::rows_stream(Distribution::Uniform, ROWS as u32, 1).expect("uniform has a stream");
    std::fs::write(&stream_path, stream).expect("the stream is written");
    let stream_path = stream_path.display().to_string();
    clock::tie();
    let bench = Bench::new(folder.path(), Schema::key_value(100));

    // The first run also fills caches; its figure is not used.
    bench.run(&reads(&stream_path, 100_000));
    let few = bench.run(&reads(&stream_path, 100_000)).1;
    let many = bench.run(&reads(&stream_path, 1_000_000)).1;
    println!("allocations of a phase of 100,000 reads: {few}, of 1,000,000: {many}");
    assert_eq!(few, many, "the measured loop allocates");

    let round = || {
        let read = bench.run(&reads(&stream_path, OPERATIONS)).0;
        [clock_pair_ns(system_ns, system_ns), clock_pair_ns(start_ns, now_ns), read]
    };
    let rounds: Vec<[f64; 3]> = (0..ROUNDS).map(|_| round()).collect();
    let line = |name: &str, figure: &dyn Fn(&[f64; 3]) -> f64| {
        let (median, least) = summary(rounds.iter().map(figure));
        println!("{name:<42}{median:7.1} ({least:.1})");
    };
    println!("medians (least) of {ROUNDS} rounds, ns an operation");
    line("two readings of the system's clock:", &|round| round[0]);
    line("two stamps, as the loop takes them:", &|round| round[1]);
    line("echo read, whole:", &|round| round[2]);
    line("beyond two readings of the system's clock:", &|round| round[2] - round[0]);
    line("beyond two stamps:", &|round| round[2] - round[1]);
    println!("target: at most {TARGET_NS} beyond two readings of the clock");
}
