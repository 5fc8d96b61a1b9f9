//! `kurabe dev selftest`: what the measuring itself costs on this machine, whether an open loop measures what it says,
//! and whether an answer says no more than it may.
//!
//! A trial runs a study of a store of known speed and says for each figure what was seen, what is right, and whether it
//! passes. `figures.rs` judges; its tests show that it finds each defect that they plant.

mod figures;
mod overhead;

use std::path::Path;

use clap::ValueEnum;
use kurabe_analysis::trial::ranking_trial;
use kurabe_harness::run::{RunOutcome, Setting, run as run_study};
use kurabe_harness::{Clients, DataRetention, Evictions, HarnessError, NoObserver, Observer, Options, OtherPrograms};
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
/// Results that are drawn at random.
const RESULT_SETS: u64 = 1_000;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_enum)]
    trials: Vec<Trial>,
    #[arg(long, value_name = "TIME")]
    time: Option<String>,
    #[command(flatten)]
    place: PlaceArgs,
}

/// What can be tried, in the order in which it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
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
    /// Whether answers to results drawn at random say no more than they may.
    Ranking,
}

impl Trial {
    /// As it is typed.
    fn word(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let time_ns = parse_duration("--time", args.time.as_deref().unwrap_or(USUAL_TIME))?;
    if time_ns < LEAST_TIME_NS {
        return Err(super::Mistake(message!(cli_selftest_time, least = LEAST_TIME_NS)).into());
    }
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
    for trial in Trial::value_variants() {
        if !args.trials.is_empty() && !args.trials.contains(trial) {
            continue;
        }
        is_good &= match trial {
            Trial::Overhead => overhead::run(&bench)?,
            _ => bench.judge(*trial, time_ns)?,
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
            own_server: None,
            others: OtherPrograms::Borne,
            command: format!("kurabe dev selftest {name}"),
        };
        Ok(run_study(study, &setting, &options)?)
    }

    /// Runs the study of a trial and prints its figures; whether all of them pass.
    fn judge(&self, trial: Trial, time_ns: u64) -> anyhow::Result<bool> {
        let time_ns = if trial == Trial::Account { SHORT_NS } else { time_ns };
        let name = trial.word();
        let path = self.folder.join(format!("{name}.toml"));
        std::fs::write(&path, study_text(trial, time_ns))?;
        let study = Study::open(&self.catalogue, &path.to_string_lossy(), &Overrides::default())?;
        let outcome = self.run(&study, &name, &NoObserver)?;
        let failed = outcome.loaded.jobs.iter().filter_map(|job| job.error.as_ref()).next();
        if let Some(error) = failed {
            let text = message!(cli_selftest_failed, trial = name, error = error.message.to_string());
            super::say(&format!("{text}\n"))?;
            return Ok(false);
        }
        let figures = figures_of(trial, time_ns, &outcome).unwrap_or_default();
        let text: String = figures.iter().map(|figure| format!("{}\n", figure.line(&name))).collect();
        super::say(&text)?;
        Ok(!figures.is_empty() && figures.iter().all(|figure| figure.passes))
    }
}

fn study_text(trial: Trial, time_ns: u64) -> String {
    let text = match trial {
        Trial::Overhead => "",
        Trial::Lag => include_str!("lag.toml"),
        Trial::Stall => include_str!("stall.toml"),
        Trial::Account => include_str!("account.toml"),
        Trial::Queue => include_str!("queue.toml"),
        Trial::Ranking => include_str!("ranking.toml"),
    };
    let millis = |ns: u64| (ns / 1_000_000).to_string();
    text.replace("STALL_AFTER_MS", &millis(SECOND_NS))
        .replace("HANG_AFTER_MS", &millis(time_ns - SECOND_NS / 2))
        .replace("TIME", &format!("{}ms", millis(time_ns)))
}

/// The figures of a trial; none where a phase did not run.
fn figures_of(trial: Trial, time_ns: u64, outcome: &RunOutcome) -> Option<Vec<Figure>> {
    let planned = || outcome.loaded.run.plan.configurations.iter().flat_map(|level| &level.phases);
    let rate =
        |phase: &str| planned().find(|plan| plan.phase.name == phase)?.phase.schedule.as_ref().map(|one| one.rate);
    let result = |candidate: &str, phase: &str| -> Option<&PhaseResult> {
        let job = outcome.loaded.jobs.iter().find(|job| job.candidate == candidate)?;
        job.phases.iter().find(|record| record.name == phase)?.results.first()
    };
    let seen = |candidate: &str, phase: &str| OpenLoopSeen::of(result(candidate, phase)?, rate(phase)?, time_ns);
    let mut all = Vec::new();
    match trial {
        Trial::Overhead => {}
        Trial::Lag => all.extend(figures::lag(&seen("echo", "open-1")?)),
        Trial::Stall => {
            all.extend(figures::stall(16, &seen("stalls", "open-16")?));
            all.extend(figures::stall(128, &seen("stalls", "open-128")?));
            all.push(figures::stall_in_closed_loop(result("stalls", "closed-16")?)?);
        }
        Trial::Account => {
            for candidate in &outcome.loaded.run.candidates {
                for plan in planned().filter(|plan| plan.phase.schedule.is_some()) {
                    let (candidate, phase) = (&candidate.name, &plan.phase.name);
                    all.push(figures::accounted(candidate, phase, &seen(candidate, phase)?));
                }
            }
            all.extend(figures::overloaded(&seen("slow", "overload")?));
            all.extend(figures::dropping(&seen("slow", "overload-queue")?));
            all.extend(figures::hanging(&seen("hangs", "hang")?));
            all.extend(figures::after_warm_up(&seen("stalls-first", "warm")?));
        }
        Trial::Queue => {
            all.push(figures::waits(1, &seen("slow", "one")?));
            all.push(figures::waits(4, &seen("slow", "four")?));
        }
        Trial::Ranking => all.extend(figures::ranking(&ranking_trial(&outcome.loaded, RESULT_SETS), RESULT_SETS)),
    }
    Some(all)
}
