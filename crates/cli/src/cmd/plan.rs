//! `kurabe plan`: what a study would do, without doing it.

use kurabe_analysis::analyse;
use kurabe_harness::plan::{Plan, order};
use kurabe_harness::run::{Evictions, Keep, Observer, Setting, left_out_lines, prepare};
use kurabe_harness::{Clients, Options};
use kurabe_report::one_line;
use kurabe_study::{Catalogue, Study};

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
    let catalogue = Catalogue::builtin()?;
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
        command: String::new(),
    };
    let (resolved, record) = prepare(&study, &setting, &options)?;
    let mut text = format!("{}: {}\n\n", one_line(&study.name), one_line(&study.title));
    for line in super::data::sentences(&study) {
        text += &format!("data      {}\n", one_line(&line));
    }
    for size in study.sizes() {
        text += &format!("data      {} rows of {} bytes, {} round(s)\n", size.rows, study.row_bytes(), size.rounds);
    }
    for (candidate, judged) in record.candidates.iter().zip(analyse(&record, &[], None).candidates) {
        let class = candidate.durability.as_ref().map_or("unknown class".into(), |durability| {
            let class = judged.class.unwrap_or(durability.class);
            let window = judged.window.as_ref().unwrap_or(&durability.window);
            format!("{class} ({}; can lose: {window})", durability.name)
        });
        text += &format!("candidate {}: {}\n", one_line(&candidate.name), one_line(&class));
    }
    for line in left_out_lines(&resolved.left_out) {
        text += &format!("          {}\n", one_line(&line));
    }
    for plan in &study.phases {
        text += &format!("phase     {}\n", one_line(&describe(&plan.phase)));
    }
    let plan = Plan {
        candidates: resolved.candidates.iter().map(|candidate| candidate.record.name.clone()).collect(),
        sizes: study.sizes(),
        seed: study.seed,
        budget_ns: study.budget_ns,
    };
    text += &rounds(&plan);
    text += &format!("time      {}\n", time(&study, resolved.candidates.len()));
    text += &cuts(&study);
    text += &format!(
        "disk      {} on {}, {} MiB free\n",
        one_line(&dir.path().display().to_string()),
        record.device.file_system,
        record.device.free_bytes >> 20
    );
    super::say(&text)?;
    Ok(crate::status::GOOD)
}

const SHOWN_ROUNDS: u32 = 10;

/// The order of the candidates in each round of each size.
fn rounds(plan: &Plan) -> String {
    let mut text = String::new();
    for (level, size) in plan.sizes.iter().enumerate() {
        if plan.sizes.len() > 1 {
            text += &format!("size      {} rows\n", size.rows);
        }
        for round in 0..size.rounds.min(SHOWN_ROUNDS) {
            let order = order(plan, level, round);
            let names: Vec<&str> = order.into_iter().map(|at| plan.candidates[at].as_str()).collect();
            text += &format!("round {:<3} {}\n", round + 1, one_line(&names.join(", ")));
        }
        if size.rounds > SHOWN_ROUNDS {
            text += &format!("          and {} more\n", size.rounds - SHOWN_ROUNDS);
        }
    }
    text
}

/// What the budget does with several sizes. Who is cut cannot be told before anything is measured, only the rule.
fn cuts(study: &Study) -> String {
    if study.smaller_sizes.is_empty() || study.budget_ns.is_none() {
        return String::new();
    }
    "cuts      a candidate starts at a size only if three of its rounds there (or all, if fewer) fit what is left of the\n          \
     budget, the cheapest first; how long they take is told from its smaller sizes, as growth at least linear.\n          \
     Others are cut at that size and named in the answer, and a job that runs past its share is stopped.\n"
        .to_string()
}

fn describe(phase: &kurabe_protocol::Phase) -> String {
    let mut parts = vec![format!("{}: {}", phase.name, phase.operation)];
    if !phase.mix.is_empty() {
        let shares: Vec<String> = phase.mix.iter().map(|part| format!("{} {}", part.share, part.operation)).collect();
        parts.push(shares.join(" : "));
    }
    parts.extend(phase.count.map(|count| format!("{count} operations")));
    parts.extend(
        phase.duration_ns.map(|ns| humantime::format_duration(std::time::Duration::from_nanos(ns)).to_string()),
    );
    parts.push(format!("{} connection(s)", phase.connections));
    if phase.writes() {
        parts.push(format!("commit every {}", phase.commit_every));
    }
    parts.join(", ")
}

/// Timed phases are known, counted ones are not before the first round: so the estimate is a floor.
fn time(study: &Study, candidates: usize) -> String {
    let timed: u64 = study.phases.iter().filter_map(|plan| plan.phase.duration_ns).sum();
    let rounds: u64 = study.sizes().iter().map(|size| u64::from(size.rounds)).sum();
    let jobs = candidates as u64 * rounds;
    let total = std::time::Duration::from_nanos(jobs * (timed + OVERHEAD_NS));
    let budget = study
        .budget_ns
        .map(|ns| format!("; budget {}", humantime::format_duration(std::time::Duration::from_nanos(ns))));
    format!("at least {} s for {jobs} jobs{}", total.as_secs(), budget.unwrap_or_default())
}

/// Start and end of a job's processes, and the wait for a quiet disk.
const OVERHEAD_NS: u64 = 400_000_000;
