//! `kurabe run`.

use std::path::{Path, PathBuf};

use anyhow::Context;
use kurabe_analysis::Outcome;
use kurabe_harness::resolve::Remote;
use kurabe_harness::run::{Setting, resume, run as run_study};
use kurabe_harness::{Clients, Options, RunOutcome};
use kurabe_harness::{DataRetention, Evictions, OtherPrograms, OwnServer};
use kurabe_messages::{Message, message};
use kurabe_record::{Act, Loaded, MinimumDurability, ServiceTarget, Slo, Transport, UsedBy};
use kurabe_report::{ClaimsShown, TerminalStyle};
use kurabe_service::Guardian;
use kurabe_study::{
    AskedAxis, AskedProfile, CandidateSpec, Catalogue, Overrides, PitfallChoice, Study, StudyError, parse_duration,
    parse_equivalent, parse_minimum, parse_need, parse_profile, parse_rate, parse_size, parse_sizes, parse_transport,
    parse_used_by,
};

use super::claims::Check;
use super::data::{DataArgs, OpenStudy};
use super::next_step;
use super::place::{OutDir, PlaceArgs};
use crate::progress::{Progress, ProgressMode};
use crate::{interrupt, status};

/// Headings of the help, as the catalogues name them.
const COMPARED: &str = "compared";
const HOW_MUCH: &str = "amount";
const CLAIMS: &str = "claims";
const WHERE: &str = "where";
const SHOWN: &str = "shown";

/// What is asked of a study, on every verb that takes one.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct StudyArgs {
    #[arg(
        help_heading = COMPARED,
        long,
        value_name = "A,B,C"
    )]
    pub stores: Vec<String>,
    #[command(flatten)]
    pub work: WorkArgs,
    #[command(flatten)]
    pub data: DataArgs,
}

/// What is asked of a study and is settled by its record once a run has begun: none of it goes with `--resume`.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct WorkArgs {
    #[arg(help_heading = COMPARED, long, conflicts_with = "stores")]
    pub all: bool,
    #[arg(help_heading = COMPARED, long, value_name = "LEVEL", value_parser = parse_minimum)]
    pub durability: Option<MinimumDurability>,
    #[arg(help_heading = COMPARED, long, value_name = "PROFILE", value_parser = parse_profile)]
    pub profile: Option<AskedProfile>,
    #[arg(help_heading = COMPARED, long, value_name = "N/s", value_parser = need, allow_negative_numbers = true)]
    pub need: Option<f64>,
    #[arg(help_heading = COMPARED, long, value_name = "N", value_parser = users, conflicts_with = "need", allow_negative_numbers = true)]
    pub users: Option<u32>,
    #[arg(help_heading = COMPARED, long, value_name = "TIME", requires = "users", allow_negative_numbers = true)]
    pub think: Option<String>,
    #[arg(help_heading = COMPARED, long, value_name = "pN<TIME")]
    pub slo: Option<Slo>,
    #[arg(help_heading = COMPARED, long, value_name = "N/s", value_parser = rate, allow_negative_numbers = true)]
    pub rate: Option<u32>,
    #[arg(help_heading = COMPARED, long, value_name = "N%", value_parser = equivalent, allow_negative_numbers = true)]
    pub equivalent: Option<f64>,
    #[arg(help_heading = COMPARED, long, value_name = "WHO", value_parser = parse_used_by)]
    pub used_by: Option<UsedBy>,
    #[arg(help_heading = HOW_MUCH, long, value_name = "N", value_parser = rounds, allow_negative_numbers = true)]
    pub rounds: Option<u32>,
    #[arg(help_heading = HOW_MUCH, long, value_name = "TIME", allow_negative_numbers = true)]
    pub budget: Option<String>,
    #[arg(help_heading = HOW_MUCH, long, value_name = "N", allow_negative_numbers = true)]
    pub rows: Option<String>,
    #[arg(help_heading = HOW_MUCH, long, conflicts_with_all = ["rows", "sizes"])]
    pub full: bool,
    #[arg(help_heading = HOW_MUCH, long, value_name = "A,B,C", conflicts_with = "rows", allow_negative_numbers = true)]
    pub sizes: Option<String>,
    #[arg(help_heading = COMPARED, long = "axis", value_name = "[PHASE.]NAME=A,B,C")]
    pub axes: Vec<String>,
    #[arg(help_heading = COMPARED, long, value_name = "KIND", value_parser = parse_transport)]
    pub transport: Option<Transport>,
    #[arg(help_heading = CLAIMS, long = "pitfall", value_name = "NAME", conflicts_with_all = ["pitfalls", "as_published"])]
    pub pitfall: Vec<String>,
    #[arg(help_heading = CLAIMS, long, conflicts_with = "as_published")]
    pub pitfalls: bool,
    #[arg(help_heading = CLAIMS, long)]
    pub as_published: bool,
    #[arg(help_heading = HOW_MUCH, long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<u64>,
}

fn need(text: &str) -> Result<f64, StudyError> {
    parse_need("--need", text)
}

fn rate(text: &str) -> Result<u32, StudyError> {
    parse_rate("--rate", text)
}

fn users(text: &str) -> Result<u32, Message> {
    text.replace('_', "").parse().ok().filter(|users| *users > 0).ok_or_else(|| message!(cli_users_value))
}

/// How long a user thinks where nobody says.
const THINK: &str = "10s";

impl WorkArgs {
    /// What is needed, in operations a second: so much, or what so many users start who think for so long.
    fn need_per_s(&self) -> anyhow::Result<Option<f64>> {
        let Some(users) = self.users else { return Ok(self.need) };
        let think_ns = parse_duration("--think", self.think.as_deref().unwrap_or(THINK))?;
        if think_ns == 0 {
            return Err(StudyError::value("--think", message!(cli_think_value)).into());
        }
        Ok(Some(f64::from(users) * 1e9 / think_ns as f64))
    }
}

fn equivalent(text: &str) -> Result<f64, StudyError> {
    parse_equivalent("--equivalent", text)
}

/// A share as it is typed: seven hundredths are `7%`, whatever a float makes of them.
fn percent(share: f64) -> String {
    format!("{}%", (share * 1e6).round() / 1e4)
}

fn rounds(text: &str) -> Result<u32, Message> {
    text.parse().map_err(|_| message!(cli_rounds_value))
}

fn seed(text: &str) -> Result<u64, Message> {
    text.parse().map_err(|_| message!(cli_seed_value, most = u64::MAX))
}

impl StudyArgs {
    /// As the study takes it.
    pub fn overrides(&self) -> anyhow::Result<Overrides> {
        let work = &self.work;
        Ok(Overrides {
            stores: self.stores.clone(),
            all: work.all,
            durability: work.durability,
            profile: work.profile,
            rounds: work.rounds,
            budget_ns: work.budget.as_deref().map(|text| parse_duration("--budget", text)).transpose()?,
            rows: work.rows.as_deref().map(|text| parse_size("--rows", text)).transpose()?,
            full: work.full,
            sizes: work.sizes.as_deref().map(|text| parse_sizes("--sizes", text)).transpose()?,
            axes: work.axes.iter().map(|text| AskedAxis::parse(text)).collect::<Result<_, _>>()?,
            data: self.data.asked(),
            transport: work.transport,
            seed: work.seed,
            need_per_s: work.need_per_s()?,
            rate: work.rate,
            slo: work.slo,
            equivalent: work.equivalent,
            used_by: work.used_by,
            pitfalls: match (work.pitfall.is_empty(), work.pitfalls, work.as_published) {
                (false, ..) => PitfallChoice::Named(work.pitfall.clone()),
                (_, true, _) => PitfallChoice::All,
                (.., true) => PitfallChoice::AsPublished,
                _ => PitfallChoice::None,
            },
        })
    }
}

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "STUDY")]
    study: Option<String>,
    #[command(flatten)]
    asked: StudyArgs,
    #[command(flatten)]
    place: PlaceArgs,
    #[arg(help_heading = WHERE, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(help_heading = WHERE, long, value_name = "DIR", conflicts_with_all = ["study", "out", "WorkArgs", "DataArgs"])]
    resume: Option<PathBuf>,
    #[arg(help_heading = WHERE, long)]
    allow_evictions: bool,
    #[arg(help_heading = WHERE, long, value_name = "COMMAND", requires = "start")]
    kill: Option<String>,
    #[arg(help_heading = WHERE, long, value_name = "COMMAND", requires = "kill")]
    start: Option<String>,
    #[arg(help_heading = WHERE, long)]
    keep: bool,
    #[arg(help_heading = WHERE, long)]
    anyway: bool,
    #[arg(help_heading = SHOWN, short, long)]
    quiet: bool,
    #[arg(help_heading = CLAIMS, long, value_name = "HOW", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "wrong")]
    check: Option<Check>,
    #[arg(help_heading = SHOWN, long)]
    json: bool,
    #[arg(help_heading = SHOWN, long)]
    tables: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    if args.study.is_none() && args.resume.is_none() {
        let list = super::list::studies::all(&catalogue)?;
        crate::tell::tell(&format!("kurabe: {}", message!(cli_run_no_study, studies = list.trim_end())));
        return Ok(status::MISTAKE);
    }
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let overrides = args.asked.overrides()?;
    // It outlives all that lies in it.
    let dir = args.place.open()?;
    let guard = &guardian;
    // The folder of the data's rows stays until the run is over.
    let (OpenStudy { study, folder: _rows }, out) = match &args.resume {
        Some(out) => {
            check_commands(out, &args)?;
            (study_of(&catalogue, out, &args.asked, dir.path(), guard)?, OutDir::named(out.clone()))
        }
        None => {
            let name = args.study.as_deref().context(message!(cli_run_name_study))?;
            let opened = super::data::open(&catalogue, name, &overrides, dir.path(), guard)?;
            let out = match &args.out {
                Some(out) => OutDir::named(out.clone()),
                None => OutDir::new(&opened.study.plan.study)?,
            };
            (opened, out)
        }
    };
    if args.check.is_some() && study.plan.claims.claims.is_empty() {
        anyhow::bail!(super::Mistake(message!(cli_check_no_claim)));
    }
    if !args.quiet {
        let tell = |fact: &String| crate::tell::tell(&message!(cli_run_data, fact).to_string());
        super::data::facts(&study).iter().for_each(tell);
    }
    let clients = Clients { interrupt: interrupt::watch().context(message!(cli_signals))?, ..clients };
    let progress = Progress::new(ProgressMode::usual(args.quiet));
    let setting = Setting { catalogue: &catalogue, clients: &clients, guardian: &guardian, observer: &progress };
    let options = Options {
        dir: dir.path().to_path_buf(),
        out: out.path().to_path_buf(),
        keep: if args.keep { DataRetention::Data } else { DataRetention::Nothing },
        remote: args.place.remote(),
        evictions: if args.allow_evictions { Evictions::Allowed } else { Evictions::Refused },
        own_server: own_server(&study, &args)?,
        others: others(args.anyway),
        command: command(&study, &args),
    };
    let outcome = match args.resume {
        Some(_) => resume(&study, &setting, &options),
        None => run_study(&study, &setting, &options),
    };
    progress.finish();
    let shown = if args.json { OutputFormat::Json } else { OutputFormat::Text { full: args.tables } };
    conclude(outcome?, &options.out, shown, &args)
}

/// A run whose server was killed by commands does not go on without them: its trials would be none.
fn check_commands(out: &Path, args: &Args) -> anyhow::Result<()> {
    let command = Loaded::read(out)?.run.command;
    let kills = shlex::split(&command).unwrap_or_default().iter().any(|word| word == "--kill");
    match kills && args.kill.is_none() {
        true => anyhow::bail!(super::Mistake(message!(cli_resume_kill, command))),
        false => Ok(()),
    }
}

/// How the user kills and starts his own server. The commands are for one server, in a study that kills it.
fn own_server(study: &Study, args: &Args) -> anyhow::Result<Option<OwnServer>> {
    let (Some(kill), Some(start)) = (args.kill.clone(), args.start.clone()) else { return Ok(None) };
    let takes_part = |spec: &&CandidateSpec| spec.cannot.is_none() && spec.url.is_some();
    let actions = study.plan.configurations.iter().flat_map(|config| &config.phases).flat_map(|plan| &plan.actions);
    let kills = actions.filter(|action| matches!(action.act, Act::Kill(ServiceTarget::Store))).count() > 0;
    match study.candidates.iter().filter(takes_part).count() {
        _ if !kills => anyhow::bail!(super::Mistake(message!(cli_kill_nothing))),
        1 => Ok(Some(OwnServer { kill, start })),
        servers => anyhow::bail!(super::Mistake(message!(cli_kill_one_server, servers))),
    }
}

/// Tests run beside each other, so they say so for all of them.
fn others(anyway: bool) -> OtherPrograms {
    if anyway || std::env::var_os("KURABE_ANYWAY").is_some() { OtherPrograms::Borne } else { OtherPrograms::Avoided }
}

/// How the answer is shown.
#[derive(Clone, Copy)]
enum OutputFormat {
    Json,
    Text { full: bool },
}

/// Writes the report, shows the answer and tells the exit status. The answer is shown also where the report cannot be
/// written.
fn conclude(mut outcome: RunOutcome, out: &Path, shown: OutputFormat, args: &Args) -> anyhow::Result<i32> {
    let report = out.join("report.html");
    let answer = kurabe_analysis::answer(&outcome.loaded);
    let page = kurabe_report::html(&answer, &outcome.loaded.run, &outcome.loaded.jobs, kurabe_messages::language())?;
    let written = std::fs::write(&report, page);
    let check = args.check;
    if let OutputFormat::Text { full } = shown {
        // Records and pages hold no folder of the machine; commands to paste do.
        outcome.loaded.run.command += &(args.place.flags() + &super::definitions_flags());
        let (answer, run) = (kurabe_analysis::answer(&outcome.loaded), &outcome.loaded.run);
        let claims = if check.is_some() { ClaimsShown::All } else { ClaimsShown::OfOwnStores };
        let folder = if out.is_dir() { out } else { Path::new("") };
        let style = TerminalStyle { claims, ..super::terminal_style(folder, full) };
        super::say_drawn(&kurabe_report::terminal(&answer, run, &style))?;
        if written.is_ok() {
            super::say(&format!("{}\n", message!(cli_run_report, path = report.display())))?;
        }
        if let Some(kept) = &outcome.kept {
            super::say(&format!("{}\n", message!(cli_run_kept, path = kept.display())))?;
        }
        // Last, where a reader's eye is.
        super::say_drawn(&format!("\n{}", kurabe_report::recommendation(&answer, &style)))?;
        for line in next_step::lines(&outcome.loaded, &answer, (out, &args.place)) {
            super::say(&format!("{line}\n"))?;
        }
    } else {
        super::say_json(&answer)?;
    }
    if let Some(fault) = &outcome.fault {
        crate::tell::tell(&format!("kurabe: {fault}"));
        // Without its record it cannot go on, and the answer above is all that is left.
        if out.join("run.json").exists() {
            let command = next_step::resume(out, &args.place);
            crate::tell::tell(&format!("kurabe: {}", message!(cli_run_resume, command)));
        }
        return Ok(status::FAILED);
    }
    written.with_context(|| {
        let command = format!("kurabe report {} --out FILE", out.display());
        message!(cli_run_report_failed, path = report.display(), command)
    })?;
    // What was interrupted has told nothing yet: its own status comes first.
    let checked = check.filter(|_| answer.outcome == Outcome::Good);
    let checked = checked.map(|how| super::claims::check(answer.claims.as_ref(), how)).transpose()?;
    Ok(match answer.outcome {
        Outcome::Good => checked.unwrap_or(status::GOOD),
        Outcome::Interrupted => status::INTERRUPTED,
        Outcome::Failed | Outcome::Unfinished => status::FAILED,
    })
}

/// The command that repeats the run; names of candidates hold no password.
fn command(study: &Study, args: &Args) -> String {
    let (asked, work) = (&args.asked, &args.asked.work);
    let mut words = vec!["kurabe".to_string(), "run".to_string()];
    words.push(args.study.clone().unwrap_or_else(|| study.plan.study.clone()));
    if !asked.stores.is_empty() {
        let mut names: Vec<&str> = Vec::new();
        // A baseline of the study's own comes by itself, and cannot be typed.
        for candidate in study.candidates.iter().filter(|one| !(one.from_table && one.is_baseline)) {
            let name = candidate.base.as_deref().unwrap_or(&candidate.name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        // An address may hold commas, so with one each candidate has a flag of its own.
        let lists = match names.iter().any(|name| name.contains('@')) {
            true => names.iter().map(|name| name.to_string()).collect(),
            false => vec![names.join(",")],
        };
        words.extend(lists.into_iter().flat_map(|list| ["--stores".to_string(), list]));
    }
    let switches = [
        ("--all", work.all),
        ("--full", work.full),
        ("--pitfalls", work.pitfalls),
        ("--as-published", work.as_published),
        ("--allow-evictions", args.allow_evictions),
        ("--allow-remote", args.place.remote() == Remote::Allowed),
    ];
    words.extend(switches.into_iter().filter(|(_, on)| *on).map(|(flag, _)| flag.to_string()));
    let mut say = |flag: &str, value: Option<String>| {
        words.extend(value.into_iter().flat_map(|value| [flag.to_string(), value]));
    };
    say("--kill", args.kill.clone());
    say("--start", args.start.clone());
    say("--need", work.need.map(|need| format!("{need}/s")));
    say("--users", work.users.map(|users| users.to_string()));
    say("--think", work.think.clone());
    say("--rate", work.rate.map(|rate| format!("{rate}/s")));
    say("--slo", work.slo.map(|slo| slo.to_string()));
    say("--equivalent", work.equivalent.map(percent));
    say("--used-by", work.used_by.map(|used_by| used_by.to_string()));
    say("--durability", work.durability.map(|minimum| minimum.to_string()));
    say("--profile", work.profile.map(|profile| profile.word().to_string()));
    say("--rounds", work.rounds.map(|rounds| rounds.to_string()));
    say("--rows", work.rows.clone());
    say("--sizes", work.sizes.clone());
    work.axes.iter().for_each(|axis| say("--axis", Some(axis.clone())));
    say("--budget", work.budget.clone());
    say("--transport", work.transport.map(|kind| kind.to_string()));
    work.pitfall.iter().for_each(|pitfall| say("--pitfall", Some(pitfall.clone())));
    say("--seed", Some(study.plan.seed.to_string()));
    words.extend(asked.data.words());
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// The study of a run that goes on, from its record. Addresses with a password must be given again.
fn study_of(
    catalogue: &Catalogue,
    out: &Path,
    asked: &StudyArgs,
    dir: &Path,
    guardian: &Guardian,
) -> anyhow::Result<OpenStudy> {
    let run = Loaded::read(out)?.run;
    // Whether it is the same data is seen when the records are compared.
    let data = run.data.as_ref().map(|data| super::data::read(catalogue, &data.asked, dir, guardian)).transpose()?;
    let (data, folder) = data.unzip();
    Ok(OpenStudy { study: Study::of_run(catalogue, &run, &asked.stores, data)?, folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a run that goes on takes into account.
    const HONOURED: [&str; 13] = [
        "stores",
        "dir",
        "allow_remote",
        "allow_evictions",
        "kill",
        "start",
        "resume",
        "keep",
        "quiet",
        "json",
        "check",
        "tables",
        "anyway",
    ];

    #[test]
    fn every_flag_goes_with_resume_or_is_refused_beside_it() {
        let command = <Args as clap::Args>::augment_args(clap::Command::new("run"));
        let resume = command.get_arguments().find(|arg| arg.get_id() == "resume").unwrap();
        let refused: Vec<&str> =
            command.get_arg_conflicts_with(resume).iter().map(|arg| arg.get_id().as_str()).collect();
        for arg in command.get_arguments().map(|arg| arg.get_id().as_str()) {
            assert_ne!(refused.contains(&arg), HONOURED.contains(&arg), "'{arg}' with --resume");
        }
        for word in ["transport", "key", "values", "study", "seed"] {
            assert!(refused.contains(&word), "'{word}' is not refused");
        }
    }
}
