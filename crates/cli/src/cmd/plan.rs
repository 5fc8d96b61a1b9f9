//! `kurabe plan`: what a study would do, without doing it.

use kurabe_analysis::{At, analyse, english, format};
use kurabe_harness::plan::{Participant, Plan, order};
use kurabe_harness::run::{Setting, left_out_lines, prepare};
use kurabe_harness::{Clients, Options};
use kurabe_harness::{Evictions, Keep, Observer, Others};
use kurabe_protocol::Phase;
use kurabe_record::{Axis, AxisValue, CandidateRecord, Makes, RunRecord};
use kurabe_report::one_line;
use kurabe_study::{Study, duration_text};

use super::place::PlaceArgs;
use super::run::StudyArgs;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// A built-in study or the path of a study file
    #[arg(value_name = "STUDY")]
    study: String,
    #[command(flatten)]
    asked: StudyArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

struct Silent;
impl Observer for Silent {}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let overrides = args.asked.overrides()?;
    let dir = args.place.open()?;
    let opened = super::data::open(&catalogue, &args.study, &overrides, dir.path(), &guardian)?;
    let study = opened.study;
    let setting = Setting { catalogue: &catalogue, clients: &clients, guardian: &guardian, observer: &Silent };
    let options = Options {
        dir: dir.path().to_path_buf(),
        out: Default::default(),
        keep: Keep::Nothing,
        remote: args.place.remote(),
        evictions: Evictions::Refused,
        others: Others::Borne,
        command: String::new(),
    };
    let (resolved, record) = prepare(&study, &setting, &options)?;
    let mut text = format!("{}: {}\n\n", one_line(&study.plan.study), one_line(&study.plan.title));
    text += &format!("time      {}\n", time(&study, &record.candidates));
    text += &format!(
        "disk      {} on {}, {} MiB free\n",
        one_line(&dir.path().display().to_string()),
        record.device.file_system,
        format::count(record.device.free_bytes >> 20)
    );
    for line in super::data::sentences(&study) {
        text += &format!("data      {}\n", one_line(&line));
    }
    for axis in &study.plan.axes {
        text += &format!("axis      {}\n", one_line(&axis_line(axis)));
    }
    text += &levels(&study);
    text += &stores(&record);
    for line in left_out_lines(&resolved.left_out) {
        text += &format!("          {}\n", one_line(&line));
    }
    for plan in study.plan.configurations.iter().take(1).flat_map(|config| &config.phases) {
        let work = format!("{}: {}{}", plan.phase.name, kurabe_report::work(&plan.phase), weights(&plan.phase));
        text += &format!("phase     {}\n", one_line(&work));
    }
    let plan = Plan { candidates: resolved.candidates.iter().map(Participant::of).collect(), study: &study.plan };
    text += &rounds(&plan);
    text += &skipped(&study);
    super::say(&super::folded(&text))?;
    Ok(crate::status::GOOD)
}

/// What each configuration loads.
fn levels(study: &Study) -> String {
    let mut text = String::new();
    for (at, config) in study.plan.configurations.iter().enumerate() {
        let name = if study.plan.configurations.len() > 1 { format!("configuration {at}: ") } else { String::new() };
        let beside: Vec<String> = config
            .factors
            .iter()
            .filter(|one| one.axis != "rows")
            .map(|one| format!(", {}", english::factor(&one.axis, &one.value)))
            .collect();
        text += &format!(
            "data      {name}{} rows of {} bytes{}, {} round{}\n",
            format::count(config.rows),
            format::count(study.row_bytes(config)),
            beside.concat(),
            config.rounds,
            if config.rounds == 1 { "" } else { "s" }
        );
    }
    text
}

/// What the candidates keep.
fn stores(record: &RunRecord) -> String {
    let mut text = String::new();
    for (candidate, judged) in record.candidates.iter().zip(analyse(record, &[], None).candidates) {
        let kept = candidate.durability.as_ref().map_or("durability unknown".into(), |durability| {
            let level = judged.guarantee.unwrap_or(durability.guarantee).level();
            let window = judged.window.as_ref().unwrap_or(&durability.window);
            format!("{level} ({}; can lose: {window})", durability.name)
        });
        text += &format!("store     {}: {}\n", one_line(&candidate.name), one_line(&kept));
    }
    text
}

/// The shares of a mix as the study has them, where they are no percentages: they are weights then.
fn weights(phase: &Phase) -> String {
    let shares = phase.mix().map(|mix| mix.shares()).unwrap_or_default();
    let sum: u64 = shares.iter().map(|(_, share)| u64::from(*share)).sum();
    if shares.is_empty() || sum == 100 {
        return String::new();
    }
    let percent = |share: u32| f64::from(share) * 100.0 / sum as f64;
    let shares: Vec<String> = shares.iter().map(|(kind, share)| format!("{:.1} % {kind}", percent(*share))).collect();
    format!(" (weights that sum up to {sum}: {})", shares.join(", "))
}

const SHOWN_ROUNDS: u32 = 10;
const SHOWN_LEVELS: usize = 12;

fn axis_line(axis: &Axis) -> String {
    let values: Vec<String> = axis.values.iter().map(AxisValue::to_string).collect();
    let phases = if axis.phases.is_empty() { String::new() } else { format!(" of {}", axis.phases.join(", ")) };
    let makes = match axis.makes {
        Makes::Configurations => "configurations: jobs of their own, each over a new load",
        Makes::Phases => "phases of one job, in an order that changes from round to round",
        Makes::Candidates => "candidates, ranked against each other",
    };
    format!("{}{phases}: {} ({makes})", axis.name, values.join(", "))
}

/// The order of the candidates in each round of each configuration.
fn rounds(plan: &Plan<'_>) -> String {
    let mut text = String::new();
    for (config, planned) in plan.study.configurations.iter().enumerate().take(SHOWN_LEVELS) {
        if plan.study.configurations.len() > 1 {
            text +=
                &format!("order     configuration {config}: {}\n", one_line(&english::at(&At::of(plan.study, config))));
        }
        for round in 0..planned.rounds.min(SHOWN_ROUNDS) {
            let mut order = order(plan, config, round);
            order.retain(|at| {
                let one = &plan.candidates[*at];
                plan.study.takes_part(config, &one.name)
            });
            let names: Vec<&str> = order.into_iter().map(|at| plan.candidates[at].name.as_str()).collect();
            text += &format!("round {:<3} {}\n", round + 1, one_line(&names.join(", ")));
        }
        if planned.rounds > SHOWN_ROUNDS {
            text += &format!("          and {} more\n", planned.rounds - SHOWN_ROUNDS);
        }
    }
    if let Some(more) = plan.study.configurations.len().checked_sub(SHOWN_LEVELS).filter(|more| *more > 0) {
        text += &format!("          and {more} more configurations\n");
    }
    text
}

/// What the budget does. Who is skipped cannot be told before anything is measured, only the rule.
fn skipped(study: &Study) -> String {
    if study.plan.budget_ns.is_none() {
        return String::new();
    }
    "skipped      three rounds (or all, if fewer) come first in every configuration: they are paid for from the cheapest on, as far as \
     the budget goes; then fewer where one fits; then more where intervals are widest; then once more what was stopped since \
     it took more than its share. Whoever lacks rounds is skipped and named in the answer. How long a job takes is told from \
     fewer rows, as growth at least linear.\n"
        .to_string()
}

/// Timed phases are known, counted ones are not before the first round: so the estimate is a baseline.
fn time(study: &Study, candidates: &[CandidateRecord]) -> String {
    let mut jobs = 0;
    let mut total_ns = 0u64;
    for (at, config) in study.plan.configurations.iter().enumerate() {
        let timed_ns: u64 = config.phases.iter().filter_map(|plan| plan.phase.end.duration_ns()).sum();
        let part = candidates.iter().filter(|one| study.plan.takes_part(at, &one.name));
        let here = part.count() as u64 * u64::from(config.rounds);
        jobs += here;
        total_ns = total_ns.saturating_add(here.saturating_mul(timed_ns + OVERHEAD_NS));
    }
    let budget = study.plan.budget_ns.map(|ns| format!("; budget {}", duration_text(ns)));
    let total_s = std::time::Duration::from_nanos(total_ns).as_secs();
    format!("at least {total_s} s for {jobs} jobs{}", budget.unwrap_or_default())
}

/// Start and end of a job's processes, and the wait for a quiet disk.
const OVERHEAD_NS: u64 = 400_000_000;
