//! `kurabe dev selftest`: what the measuring itself costs on this machine, and whether an open loop measures what it says.
//!
//! A trial runs a study of a store of known speed and says for each figure what was seen, what is right, and whether it
//! passes. `figures.rs` judges; its tests show that it finds each defect that they plant.

mod figures;
mod overhead;

use std::path::Path;

use kurabe_harness::run::{RunOutcome, Setting, run as run_study};
use kurabe_harness::{Clients, DataRetention, Evictions, HarnessError, Observer, Options, OtherPrograms};
use kurabe_messages::message;
use kurabe_protocol::PhaseResult;
use kurabe_service::{FolderAccess, RunFolder};
use kurabe_study::{Catalogue, Overrides, Study, parse_duration};

use self::figures::{Figure, OpenLoopSeen};
use super::place::{DataDir, PlaceArgs};
use crate::interrupt;

/// How long a phase of a trial lasts where nobody says.
const USUAL_TIME: &str = "30s";
/// Those of which only counts matter last so long.
const SHORT_NS: u64 = 4_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;
/// A stall of a second has to fit in, and what comes before and after.
const LEAST_TIME_NS: u64 = 4 * SECOND_NS;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_enum)]
    trials: Vec<Trial>,
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// What can be tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Trial {
    /// What a clock reading and an operation cost.
    Overhead,
    /// Whether 200,000 operations a second start when they were planned.
    Lag,
    /// Whether a stall counts for all who would have waited.
    Stall,
    /// Whether every planned operation comes to something.
    Account,
    /// Whether operations wait as long as queueing theory says.
    Queue,
}

impl Trial {
    /// In the order in which they are done.
    const ALL: [Trial; 5] = [Trial::Overhead, Trial::Lag, Trial::Stall, Trial::Account, Trial::Queue];

    fn word(self) -> &'static str {
        match self {
            Trial::Overhead => "overhead",
            Trial::Lag => "lag",
            Trial::Stall => "stall",
            Trial::Account => "account",
            Trial::Queue => "queue",
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let time_ns = parse_duration("--time", args.time.as_deref().unwrap_or(USUAL_TIME))?;
    if time_ns < LEAST_TIME_NS {
        return Err(super::Mistake(message!(cli_selftest_time, least = LEAST_TIME_NS)).into());
    }
    let trials = if args.trials.is_empty() { Trial::ALL.to_vec() } else { args.trials };
    let clients = Clients { interrupt: interrupt::watch()?, ..Clients::usual()? };
    let guardian = super::guardian(&clients)?;
    let dir = args.place.open()?;
    let folder = RunFolder::create(dir.path(), &guardian, FolderAccess::Owner).map_err(HarnessError::from)?;
    let bench = Bench {
        catalogue: super::catalogue()?,
        clients: &clients,
        guardian: &guardian,
        dir: &dir,
        folder: folder.path(),
        place: &args.place,
    };
    let mut is_good = true;
    for trial in Trial::ALL.into_iter().filter(|trial| trials.contains(trial)) {
        is_good &= match trial {
            Trial::Overhead => overhead::run(&bench)?,
            _ => bench.judge(trial, time_ns)?,
        };
    }
    Ok(if is_good { crate::status::GOOD } else { crate::status::FAILED })
}

/// Where trials run.
struct Bench<'a> {
    catalogue: Catalogue,
    clients: &'a Clients,
    guardian: &'a kurabe_service::Guardian,
    dir: &'a DataDir,
    folder: &'a Path,
    place: &'a PlaceArgs,
}

impl Bench<'_> {
    /// Runs a study with its results in the folder `name`.
    fn run(&self, study: &Study, name: &str, observer: &dyn Observer) -> anyhow::Result<RunOutcome> {
        let setting = Setting { catalogue: &self.catalogue, clients: self.clients, guardian: self.guardian, observer };
        let options = Options {
            dir: self.dir.path().to_path_buf(),
            out: self.folder.join(name),
            keep: DataRetention::Nothing,
            remote: self.place.remote(),
            evictions: Evictions::Refused,
            others: OtherPrograms::Borne,
            command: format!("kurabe dev selftest {name}"),
        };
        Ok(run_study(study, &setting, &options)?)
    }

    /// Runs the study of a trial and prints its figures; whether all of them pass.
    fn judge(&self, trial: Trial, time_ns: u64) -> anyhow::Result<bool> {
        let time_ns = if trial == Trial::Account { SHORT_NS } else { time_ns };
        let path = self.folder.join(format!("{}.toml", trial.word()));
        std::fs::write(&path, study_text(trial, time_ns))?;
        let study = Study::open(&self.catalogue, &path.to_string_lossy(), &Overrides::default())?;
        let outcome = self.run(&study, trial.word(), &Quiet)?;
        let failed = outcome.loaded.jobs.iter().filter_map(|job| job.error.as_ref()).next();
        if let Some(error) = failed {
            super::say(&format!(
                "{}\n",
                message!(cli_selftest_failed, trial = trial.word(), error = error.message.to_string())
            ))?;
            return Ok(false);
        }
        let figures = figures_of(trial, time_ns, &outcome);
        let text: String = figures.iter().map(|figure| format!("{}\n", figure.line(trial.word()))).collect();
        super::say(&text)?;
        Ok(!figures.is_empty() && figures.iter().all(|figure| figure.passes))
    }
}

/// Nobody looks at the progress of a trial.
struct Quiet;

impl Observer for Quiet {}

fn study_text(trial: Trial, time_ns: u64) -> String {
    let text = match trial {
        Trial::Overhead => "",
        Trial::Lag => include_str!("lag.toml"),
        Trial::Stall => include_str!("stall.toml"),
        Trial::Account => include_str!("account.toml"),
        Trial::Queue => include_str!("queue.toml"),
    };
    let millis = |ns: u64| (ns / 1_000_000).to_string();
    text.replace("STALL_AFTER_MS", &millis(SECOND_NS))
        .replace("HANG_AFTER_MS", &millis(time_ns - SECOND_NS / 2))
        .replace("TIME", &format!("{}ms", millis(time_ns)))
}

fn figures_of(trial: Trial, time_ns: u64, outcome: &RunOutcome) -> Vec<Figure> {
    let result = |candidate: &str, phase: &str| -> Option<&PhaseResult> {
        let job = outcome.loaded.jobs.iter().find(|job| job.candidate == candidate)?;
        job.phases.iter().find(|record| record.name == phase)?.results.first()
    };
    let seen = |candidate: &str, phase: &str, rate: u32| {
        result(candidate, phase).and_then(|result| OpenLoopSeen::of(result, rate, time_ns))
    };
    let figures: Option<Vec<Figure>> = match trial {
        Trial::Overhead => None,
        Trial::Lag => seen("echo", "open-1", 200_000).map(|seen| figures::lag(&seen)),
        Trial::Stall => (|| {
            let mut all = figures::stall(16, &seen("stalls", "open-16", 2_000)?);
            all.extend(figures::stall(128, &seen("stalls", "open-128", 2_000)?));
            all.push(figures::stall_in_closed_loop(result("stalls", "closed-16")?)?);
            Some(all)
        })(),
        Trial::Account => (|| {
            let mut all = Vec::new();
            for candidate in ["slow", "hangs", "stalls-first"] {
                for (phase, rate) in [("overload", 6_000), ("overload-queue", 6_000), ("hang", 1_000), ("warm", 1_000)]
                {
                    all.push(figures::accounted(candidate, phase, &seen(candidate, phase, rate)?));
                }
            }
            all.extend(figures::overloaded(&seen("slow", "overload", 6_000)?));
            all.extend(figures::dropping(&seen("slow", "overload-queue", 6_000)?));
            all.extend(figures::hanging(&seen("hangs", "hang", 1_000)?));
            all.extend(figures::after_warm_up(&seen("stalls-first", "warm", 1_000)?));
            Some(all)
        })(),
        Trial::Queue => (|| {
            let mut all = vec![figures::waits(1, &seen("slow", "one", 350)?)];
            all.push(figures::waits(4, &seen("slow", "four", 1_500)?));
            Some(all)
        })(),
    };
    figures.unwrap_or_default()
}
