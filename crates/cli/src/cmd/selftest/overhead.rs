//! What the measuring itself costs: a clock reading, and an operation of a store that does nothing.

use kurabe_client::clock::now_ns;
use kurabe_harness::{Observer, Starting};
use kurabe_messages::message;
use kurabe_protocol::Operation;
use kurabe_record::JobRecord;
use kurabe_stats::median;
use kurabe_study::{Overrides, Study};

use super::Bench;

/// Measures the clock before every job, so that both figures come from the same moments.
#[derive(Default)]
struct ClockWatch {
    reads_ns: std::cell::RefCell<Vec<f64>>,
}

impl Observer for ClockWatch {
    fn job(&self, _job: &Starting<'_>) {
        self.reads_ns.borrow_mut().push(clock_read_ns());
    }
}

/// Cost of one clock read: the mean of a million in a row.
fn clock_read_ns() -> f64 {
    const READS: u32 = 1_000_000;
    let start = now_ns();
    let mut last = start;
    for _ in 0..READS {
        last = now_ns();
    }
    (last - start) as f64 / f64::from(READS)
}

/// Runs the study `baseline` and prints the figures; whether all jobs ran.
pub(super) fn run(bench: &Bench<'_>) -> anyhow::Result<bool> {
    let study = Study::open(&bench.catalogue, "baseline", &Overrides::default())?;
    let watch = ClockWatch::default();
    let outcome = bench.run(&study, "overhead", &watch)?;
    let clock = median(watch.reads_ns.borrow().iter().copied()).unwrap_or(f64::NAN);
    let mut text = format!("{:<22}{}\n", "clock", message!(cli_selftest_clock, cost = clock));
    for candidate in &outcome.loaded.run.candidates {
        for operation in [Operation::Read, Operation::Update] {
            let jobs = outcome.loaded.jobs.iter().filter(|job| job.candidate == candidate.name);
            let cost = median(jobs.filter_map(|job| operation_ns(job, operation))).unwrap_or(f64::NAN);
            let cost = message!(cli_selftest_operation, cost, net = cost - 2.0 * clock);
            text += &format!("{:<6}{:<16}{cost}\n", candidate.name, operation.word());
        }
    }
    let (rounds, path) = (study.plan.most_rounds(), bench.dir.path().display());
    text += &format!("{}\n", message!(cli_selftest_medians, rounds, path));
    crate::cmd::say(&text)?;
    Ok(outcome.loaded.jobs.iter().all(|job| job.error.is_none()))
}

/// Wall time of an operation on one thread.
fn operation_ns(job: &JobRecord, operation: Operation) -> Option<f64> {
    let phase = job.phases.iter().find(|phase| phase.operation == operation)?;
    let worker = phase.results.first()?.workers.first()?;
    Some((worker.last_end_ns - worker.first_start_ns) as f64 / worker.operations as f64)
}
