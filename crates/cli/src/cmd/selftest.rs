//! `kurabe dev selftest`: what the measuring itself costs on this machine.

use kurabe_client::clock::now_ns;
use kurabe_harness::run::{Setting, run as run_study};
use kurabe_harness::{Clients, HarnessError, Options, Starting};
use kurabe_harness::{DataRetention, Evictions, Observer, OtherPrograms};
use kurabe_messages::message;
use kurabe_protocol::Operation;
use kurabe_record::JobRecord;
use kurabe_stats::median;
use kurabe_study::{Overrides, Study};

use super::place::PlaceArgs;
use crate::interrupt;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    place: PlaceArgs,
}

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

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let study = Study::open(&catalogue, "baseline", &Overrides::default())?;
    let clients = Clients { interrupt: interrupt::watch()?, ..Clients::usual()? };
    let guardian = super::guardian(&clients)?;
    let watch = ClockWatch::default();
    let setting = Setting { catalogue: &catalogue, clients: &clients, guardian: &guardian, observer: &watch };
    let dir = args.place.open()?;
    let folder = kurabe_service::RunFolder::create(dir.path(), &guardian, kurabe_service::FolderAccess::Owner)
        .map_err(HarnessError::from)?;
    let options = Options {
        dir: dir.path().to_path_buf(),
        out: folder.path().join("run"),
        keep: DataRetention::Nothing,
        remote: args.place.remote(),
        evictions: Evictions::Refused,
        others: OtherPrograms::Borne,
        command: "kurabe dev selftest".into(),
    };
    let outcome = run_study(&study, &setting, &options)?;
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
    let (rounds, path) = (study.plan.most_rounds(), dir.path().display());
    text += &format!("{}\n", message!(cli_selftest_medians, rounds, path));
    super::say(&text)?;
    Ok(if outcome.loaded.jobs.iter().any(|job| job.error.is_some()) {
        crate::status::FAILED
    } else {
        crate::status::GOOD
    })
}

/// Wall time of an operation on one thread.
fn operation_ns(job: &JobRecord, operation: Operation) -> Option<f64> {
    let phase = job.phases.iter().find(|phase| phase.operation == operation)?;
    let worker = phase.results.first()?.workers.first()?;
    Some((worker.last_end_ns - worker.first_start_ns) as f64 / worker.operations as f64)
}
