//! `kurabe run`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use kurabe_analysis::Outcome;
use kurabe_harness::resolve::{Remote, default_dir};
use kurabe_harness::run::{Evictions, Keep, Setting, resume, run as run_study};
use kurabe_harness::{Clients, Options, RunOutcome};
use kurabe_record::{CandidateRecord, Floor, Loaded, Transport};
use kurabe_service::Guardian;
use kurabe_study::{
    CandidateSpec, Catalogue, Overrides, Study, StudyError, parse_candidate, parse_duration, parse_floor, parse_sizes,
    parse_transport,
};

use super::data::{DataArgs, Opened};
use crate::progress::{Manner, Progress};
use crate::{interrupt, status};

/// What is asked of a study, on every verb that takes one.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct StudyArgs {
    /// Candidates instead of the study's.
    #[arg(
        long,
        value_name = "A,B,C",
        help = "Candidates instead of the study's: STORE[:VARIANT][+CLIENT][@URL], separated by commas"
    )]
    pub stores: Option<String>,
    /// Candidates instead of the study's: every store and variant that is here
    #[arg(long, conflicts_with = "stores")]
    pub all: bool,
    /// What acknowledged writes must survive at least: none, process, power; or default (each as shipped)
    #[arg(long, value_name = "CLASS", value_parser = floor)]
    pub durability: Option<Floor>,
    /// Rounds: every candidate once in each
    #[arg(long, value_name = "N")]
    pub rounds: Option<u32>,
    /// Start a round only if it fits, such as 5m
    #[arg(long, value_name = "TIME")]
    pub budget: Option<String>,
    /// Rows that are loaded
    #[arg(long, value_name = "N")]
    pub rows: Option<u64>,
    /// Several sizes in rows, such as 10k,100k,1m: how cost grows
    #[arg(long, value_name = "A,B,C", conflicts_with = "rows")]
    pub sizes: Option<String>,
    #[command(flatten)]
    pub data: DataArgs,
    /// How servers that Kurabe starts are reached: tcp or unix
    #[arg(long, value_name = "KIND", value_parser = transport)]
    pub transport: Option<Transport>,
    /// Seed of order, streams and filler
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
}

fn floor(text: &str) -> Result<Floor, String> {
    parse_floor(text).map_err(|error| error.to_string())
}

fn transport(text: &str) -> Result<Transport, String> {
    parse_transport(text).map_err(|error| error.to_string())
}

impl StudyArgs {
    /// As the study takes it.
    pub fn overrides(&self) -> anyhow::Result<Overrides> {
        Ok(Overrides {
            stores: self.stores.clone(),
            all: self.all,
            durability: self.durability,
            rounds: self.rounds,
            budget_ns: self.budget.as_deref().map(|text| parse_duration("--budget", text)).transpose()?,
            rows: self.rows,
            sizes: self.sizes.as_deref().map(|text| parse_sizes("--sizes", text)).transpose()?,
            data: self.data.spec(),
            transport: self.transport,
            seed: self.seed,
        })
    }
}

/// Where data and results go.
#[derive(clap::Args, Clone, Debug)]
pub struct PlaceArgs {
    /// Folder in which data folders are made [default: /var/tmp]
    #[arg(long, value_name = "PATH")]
    pub dir: Option<PathBuf>,
    /// Send load to servers on other machines, if you may
    #[arg(long)]
    pub allow_remote: bool,
}

impl PlaceArgs {
    /// The folder for data.
    pub fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| default_dir().to_path_buf())
    }

    /// Whether load may leave this machine.
    pub fn remote(&self) -> Remote {
        if self.allow_remote { Remote::Allowed } else { Remote::Refused }
    }
}

#[derive(clap::Args, Debug)]
pub struct Args {
    /// A built-in study ('kurabe studies' lists them) or the path of a study file
    #[arg(value_name = "STUDY", required_unless_present = "resume")]
    study: Option<String>,
    #[command(flatten)]
    asked: StudyArgs,
    #[command(flatten)]
    place: PlaceArgs,
    /// Folder of the results [default: ./kurabe-runs/UTC-STUDY]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Go on with an interrupted run
    #[arg(long, value_name = "DIR", conflicts_with_all = ["study", "all", "out", "rounds", "rows", "sizes", "seed", "durability", "budget", "data"])]
    resume: Option<PathBuf>,
    /// Measure servers that throw rows away when their memory is full: others may lose theirs
    #[arg(long)]
    allow_evictions: bool,
    /// Keep the data folders
    #[arg(long)]
    keep: bool,
    /// No progress
    #[arg(short, long)]
    quiet: bool,
    /// Print the answer as JSON instead of tables
    #[arg(long)]
    json: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = Catalogue::builtin()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let (dir, guard) = (args.place.dir(), &guardian);
    // The folder of the data's rows stays until the run is over.
    let (Opened { study, folder: _rows }, out) = match &args.resume {
        Some(out) => (study_of(&catalogue, out, &args.asked, &dir, guard)?, out.clone()),
        None => {
            let name = args.study.as_deref().context("no study is named; try 'kurabe run quick'")?;
            let opened = super::data::open(&catalogue, name, &args.asked.overrides()?, &dir, guard)?;
            let out = args.out.clone().unwrap_or_else(|| usual_out(&opened.study.name));
            (opened, out)
        }
    };
    if !args.quiet {
        super::data::sentences(&study).iter().for_each(|line| super::tell(&format!("data: {line}")));
    }
    let clients = Clients { interrupt: interrupt::watch().context("cannot watch for Ctrl-C")?, ..clients };
    let progress = Progress::new(Manner::usual(args.quiet));
    let setting = Setting { catalogue: &catalogue, clients: &clients, guardian: &guardian, observer: &progress };
    let options = Options {
        dir: args.place.dir(),
        out,
        keep: if args.keep { Keep::Data } else { Keep::Nothing },
        remote: args.place.remote(),
        evictions: if args.allow_evictions { Evictions::Allowed } else { Evictions::Refused },
        command: command(&study, &args),
    };
    let outcome = match args.resume {
        Some(_) => resume(&study, &setting, &options),
        None => run_study(&study, &setting, &options),
    };
    progress.finish();
    conclude(&outcome?, &options.out, args.json)
}

/// Writes the report, shows the answer and tells the exit status. The answer is shown also where the report cannot be
/// written.
fn conclude(outcome: &RunOutcome, out: &Path, json: bool) -> anyhow::Result<i32> {
    let Loaded { run, jobs, .. } = &outcome.loaded;
    let answer = kurabe_analysis::answer(&outcome.loaded);
    let report = out.join("report.html");
    let written = std::fs::write(&report, kurabe_report::html(&answer, run, jobs)?);
    if json {
        super::say_json(&answer)?;
    } else {
        super::say_as_it_is(&kurabe_report::terminal(&answer, run, &super::terminal_style(out)))?;
        super::say(&format!("\nResults: {}\n", out.display()))?;
        if written.is_ok() {
            super::say(&format!("Report:  {}\n", report.display()))?;
        }
        if let Some(kept) = &outcome.kept {
            super::say(&format!("Data:    {}\n", kept.display()))?;
        }
    }
    written.with_context(|| {
        format!("cannot write '{}'; 'kurabe report {} --out FILE' writes it elsewhere", report.display(), out.display())
    })?;
    Ok(match answer.outcome {
        Outcome::Good => status::GOOD,
        Outcome::Interrupted => status::INTERRUPTED,
        Outcome::Failed | Outcome::Unfinished => status::FAILED,
    })
}

/// `./kurabe-runs/UTC-STUDY`.
fn usual_out(study: &str) -> PathBuf {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    let stamp: String = now.chars().filter(char::is_ascii_alphanumeric).collect();
    PathBuf::from("kurabe-runs").join(format!("{stamp}-{study}"))
}

/// The command that repeats the run; names of candidates hold no password.
fn command(study: &Study, args: &Args) -> String {
    let mut words = vec!["kurabe".to_string(), "run".to_string()];
    words.push(args.study.clone().unwrap_or_else(|| study.name.clone()));
    if args.asked.stores.is_some() {
        let names: Vec<&str> = study.candidates.iter().map(|candidate| candidate.name.as_str()).collect();
        words.extend(["--stores".to_string(), names.join(",")]);
    }
    words.extend(args.asked.all.then(|| "--all".to_string()));
    let floor = |floor: &Floor| format!("{floor:?}").to_lowercase();
    words.extend(args.asked.durability.iter().flat_map(|class| ["--durability".to_string(), floor(class)]));
    let number = |flag: &str, value: Option<u64>| value.map(|value| [flag.to_string(), value.to_string()]);
    words.extend(number("--rounds", args.asked.rounds.map(u64::from)).into_iter().flatten());
    words.extend(number("--rows", args.asked.rows).into_iter().flatten());
    words.extend(args.asked.sizes.iter().flat_map(|sizes| ["--sizes".to_string(), sizes.clone()]));
    words.extend(args.asked.data.words());
    words.extend(args.asked.budget.iter().flat_map(|budget| ["--budget".to_string(), budget.clone()]));
    let transport = |transport: &Transport| format!("{transport:?}").to_lowercase();
    words.extend(args.asked.transport.iter().flat_map(|kind| ["--transport".to_string(), transport(kind)]));
    words.extend(args.allow_evictions.then(|| "--allow-evictions".to_string()));
    words.extend(["--seed".to_string(), study.seed.to_string()]);
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// The study of a run that goes on, from its record. Addresses with a password must be given again.
fn study_of(
    catalogue: &Catalogue,
    out: &Path,
    asked: &StudyArgs,
    dir: &Path,
    guardian: &Guardian,
) -> anyhow::Result<Opened> {
    let run = Loaded::read(out)?.run;
    // Whether it is the same data is seen when the records are compared.
    let data = run.data.as_ref().map(|data| super::data::read(&data.asked, dir, guardian)).transpose()?;
    let (data, folder) = data.unzip();
    let candidates = match &asked.stores {
        Some(stores) => kurabe_study::parse_candidates(catalogue, stores)?,
        None => run.candidates.iter().map(|one| candidate_of(catalogue, one)).collect::<Result<_, _>>()?,
    };
    let study = Study {
        name: run.study,
        title: run.title,
        schema: run.schema,
        data,
        rows: run.rows,
        compressible: run.compressible,
        phases: run.phases,
        smaller_sizes: run.smaller_sizes,
        rounds: run.rounds,
        budget_ns: run.budget_ns,
        durability: run.durability,
        candidates,
        asked_by_name: true,
        allowed_errors: run.allowed_errors,
        quiet_wait_ns: run.quiet_wait_ns,
        cache_mb: run.cache_mb,
        transport: run.transport,
        seed: run.seed,
    };
    Ok(Opened { study, folder })
}

fn candidate_of(catalogue: &Catalogue, record: &CandidateRecord) -> Result<CandidateSpec, StudyError> {
    let Some(asked) = &record.asked else { return parse_candidate(catalogue, &record.name) };
    Ok(CandidateSpec {
        name: record.name.clone(),
        from_table: true,
        store: catalogue.store(&record.store)?.name.clone(),
        variant: record.variant.clone(),
        client: record.client.clone(),
        url: record.at_url.as_ref().map(|at| at.url.clone()),
        durability: asked.durability.clone(),
        settings: asked.settings.clone(),
        args: asked.args.clone(),
        binary: asked.binary.as_ref().map(PathBuf::from),
    })
}
