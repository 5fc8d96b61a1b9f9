//! The baseline: what the loop costs beside the store, in ns an operation, and that it allocates nothing.
//!
//! `cargo bench -p kurabe-servers --bench baseline`. The loop reads from `echo`, which makes the right
//! value; choosing the row, making the value, checking it and counting are all in the figure. Two
//! readings of the clock belong to every operation whatever the program; they are measured in
//! turns with the loop and taken off. And that the client's memory does not grow with the operations: that is the peak of
//! a client process, as the kernel tells it.

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "support/mod.rs"]
mod support;

use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use kurabe_client::adapter::Store;
use kurabe_client::baselines::echo::Echo;
use kurabe_client::blocking::BlockingLoop;
use kurabe_client::clock::{self, now_ns, start_ns, system_ns};
use kurabe_client::ledger::Ledger;
use kurabe_client::phase::{Gate, GateDecision, PhaseContext};
use kurabe_client::shape::LoopShape;
use kurabe_protocol::{
    Action, CallName, Candidate, Distribution, End, Job, Layout, Phase, Pool, Schema, StoppedBy, stream, value,
};
use support::embedded::Files;
use support::figures::{Aim, Figure, Unit};

/// Turns of loop and clock, many and short: some of them are disturbed by nobody.
const ROUNDS: usize = 99;
const ROWS: u64 = 100_000;
const OPERATIONS: u64 = 200_000;
/// Pairs of clients whose memory is compared.
const MEMORY_PAIRS: usize = 5;
/// Reads of a client whose memory is looked at, and rows that it reads.
const FEW_READS: u64 = 10_000;
const MANY_READS: u64 = 10_000_000;
const FEW_ROWS: u64 = 10_000;

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
        let pool = pool_path.display().to_string();
        let job = Job { pool, ..Job::new("baseline", Candidate::of("echo"), schema, ROWS) };
        let pool = Arc::new(Pool::new(&pool_bytes, &layout).expect("the pool has its size"));
        let store = Echo::open_beside(&job, &layout, &pool).expect("echo opens");
        Bench { ledger: Ledger::new(ROWS as u32, 0), job, layout, pool, store }
    }

    /// Runs one phase; returns ns an operation and the allocations of the whole run.
    fn run(&self, phase: &Phase) -> (f64, u64) {
        let abort = AtomicBool::new(false);
        let context = PhaseContext::new(&self.job, phase, &self.layout, &self.pool, &self.ledger, &abort)
            .expect("the streams are readable");
        let gate = Gate::of_one(Box::new(|| GateDecision::Start));
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
    let mut phase = Phase::new("read", Action::Read, End::Count(count));
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

/// Peak memory of a client process after so many reads, in MiB.
fn client_memory_mib(files: &Files, reads: u64) -> f64 {
    let mut job = files.job("echo", files.folder.path(), FEW_ROWS, &[files.read("read", reads)]);
    job.dir = None;
    let mut driver = common::Driver::start_with(support::own_client(), &job).expect("a client");
    driver.ask(CallName::Create);
    driver.go_well("read");
    let status = std::fs::read_to_string(format!("/proc/{}/status", driver.pid())).expect("a process that runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    assert_eq!(driver.stop(), 0);
    peak.and_then(|peak| peak.parse::<f64>().ok()).expect("a peak in kB") / 1024.0
}

/// Tells what the client's memory is after many reads against few.
fn memory() {
    let files = Files::make(FEW_ROWS);
    let (few, many) = (|| client_memory_mib(&files, FEW_READS), |_| client_memory_mib(&files, MANY_READS));
    let figure = Figure {
        what: "client memory after 10 million echo reads",
        against: "after 10 thousand",
        unit: Unit::MibMore,
        aim: Aim::AtMost(16.0),
    };
    figure.tell(support::in_turns(support::pairs(MEMORY_PAIRS), many, few));
}

fn main() {
    support::serve_if_asked();
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
    let figure = |what, against, unit, aim| Figure { what, against, unit, aim };
    let (what, against) = ("echo reads, allocations of a phase of 1,000,000", "a phase of 100,000");
    figure(what, against, Unit::AllocationsMore, Aim::AtMost(0.0)).tell([(many as f64, few as f64)]);

    let round = || {
        let read = bench.run(&reads(&stream_path, OPERATIONS)).0;
        [clock_pair_ns(system_ns, system_ns), clock_pair_ns(start_ns, now_ns), read]
    };
    let rounds: Vec<[f64; 3]> = (0..support::pairs(ROUNDS)).map(|_| round()).collect();
    let against_number = |at: usize| rounds.iter().map(move |round| (round[2], round[at]));
    let what = "echo reads, with value, histogram and check";
    let against = "two readings of the system's clock";
    figure(what, against, Unit::NsMore, Aim::AtMost(16.0)).tell(against_number(0));
    figure(what, "two stamps of the processor's counter", Unit::NsMore, Aim::Unset).tell(against_number(1));
    memory();
}
