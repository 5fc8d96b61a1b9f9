//! `kurabe plan`: what a study would do, without doing it.

use std::fmt::Display;
use std::path::Path;

use kurabe_analysis::{ConfigurationRef, analyse, phrases};
use kurabe_harness::plan::{Participant, Plan, order};
use kurabe_harness::run::{Setting, left_out_lines, prepare};
use kurabe_harness::{Clients, Options};
use kurabe_harness::{DataRetention, Evictions, NoObserver, OtherPrograms};
use kurabe_messages::{Message, described, message};
use kurabe_protocol::Phase;
use kurabe_record::{Axis, AxisEffect, AxisValue, CandidateRecord, RunRecord};
use kurabe_report::one_line;
use kurabe_study::{Study, duration_text};

use super::place::PlaceArgs;
use super::run::StudyArgs;
use crate::fold;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "STUDY")]
    study: String,
    #[command(flatten)]
    asked: StudyArgs,
    #[command(flatten)]
    place: PlaceArgs,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let overrides = args.asked.overrides()?;
    let dir = args.place.open()?;
    let opened = super::data::open(&catalogue, &args.study, &overrides, dir.path(), &guardian)?;
    let study = opened.study;
    let setting = Setting { catalogue: &catalogue, clients: &clients, guardian: &guardian, observer: &NoObserver };
    let options = Options {
        dir: dir.path().to_path_buf(),
        out: Default::default(),
        keep: DataRetention::Nothing,
        remote: args.place.remote(),
        evictions: Evictions::Refused,
        own_server: None,
        others: OtherPrograms::Borne,
        command: String::new(),
    };
    let (resolved, record) = prepare(&study, &setting, &options)?;
    let mut lines = vec![
        line(message!(cli_plan_label_time), time(&study, &record.candidates)),
        line(message!(cli_plan_label_disk), disk(dir.path(), &record)),
    ];
    lines.extend(super::data::facts(&study).into_iter().map(|fact| line(message!(cli_plan_label_data), fact)));
    lines.extend(study.plan.axes.iter().map(|axis| line(message!(cli_plan_label_axis), axis_words(axis))));
    lines.extend(configurations(&study));
    lines.extend(stores(&record));
    lines.extend(left_out_lines(&resolved.left_out).into_iter().map(more));
    for plan in study.plan.configurations.iter().take(1).flat_map(|config| &config.phases) {
        let work = format!("{}: {}{}", plan.phase.name, kurabe_report::conditions(plan), weights(&plan.phase));
        lines.push(line(message!(word_phase), work));
    }
    let plan = Plan { candidates: resolved.candidates.iter().map(Participant::of).collect(), study: &study.plan };
    lines.extend(rounds(&plan));
    // Who is skipped is not known before anything is measured, only the rule.
    let rule = message!(cli_plan_skipped).to_string().replace('\n', " ");
    lines.extend(study.plan.budget_ns.map(|_| line(message!(cli_plan_label_skipped), rule)));
    let text = format!(
        "{}: {}\n\n{}",
        one_line(&study.plan.study),
        one_line(&described(&study.plan.title).to_string()),
        lines.concat()
    );
    super::say(&super::folded(&text))?;
    Ok(crate::status::GOOD)
}

/// Columns of the labels.
const LABELS: usize = 10;

fn line(label: Message, value: impl Display) -> String {
    format!("{}{}\n", fold::padded(&label.to_string(), LABELS), one_line(&value.to_string()))
}

/// More of what the line before began.
fn more(value: impl Display) -> String {
    format!("{}{}\n", " ".repeat(LABELS), one_line(&value.to_string()))
}

fn disk(folder: &Path, record: &RunRecord) -> Message {
    let device = &record.device;
    message!(cli_plan_disk, folder = folder.display(), system = &device.file_system, free = device.free_bytes)
}

/// What each configuration loads.
fn configurations(study: &Study) -> Vec<String> {
    let configurations = study.plan.configurations.iter().enumerate();
    let lines = configurations.map(|(number, config)| {
        let others = config.factors.iter().filter(|one| one.axis != "rows");
        let factors: Vec<Message> = others.map(|one| phrases::factor(&one.axis, &one.value)).collect();
        let (rows, bytes, rounds) = (config.rows, study.row_bytes(config), config.rounds);
        let what = message!(cli_plan_rows, rows, bytes, factors, rounds);
        let is_one = study.plan.configurations.len() == 1;
        let what = if is_one { what } else { message!(cli_plan_configuration, number = number as u64, what) };
        line(message!(cli_plan_label_data), what)
    });
    lines.collect()
}

/// What the candidates keep.
fn stores(record: &RunRecord) -> Vec<String> {
    let judged = analyse(record, &[], None).candidates;
    let lines = record.candidates.iter().zip(judged).map(|(candidate, judged)| {
        let what = candidate.durability.as_ref().map_or(message!(word_durability_unknown), |durability| {
            let level = judged.guarantee.unwrap_or(durability.guarantee).level();
            let window = judged.window.clone().unwrap_or_else(|| described(&durability.window));
            message!(cli_plan_durability, level, setting = &durability.name, window)
        });
        line(message!(word_store), message!(cli_plan_named, name = &candidate.name, what))
    });
    lines.collect()
}

/// The shares of a mix as the study has them, where they are no percentages: they are weights then.
fn weights(phase: &Phase) -> String {
    let shares = phase.mix().map(|mix| mix.shares()).unwrap_or_default();
    let sum: u64 = shares.iter().map(|(_, share)| u64::from(*share)).sum();
    if shares.is_empty() || sum == 100 {
        return String::new();
    }
    let percent = |share: u32| format!("{:.1}", f64::from(share) * 100.0 / sum as f64);
    let shares = shares.iter().map(|(operation, share)| message!(cli_plan_share, percent = percent(*share), operation));
    format!(" ({})", message!(cli_plan_weights, sum, shares = shares.collect::<Vec<Message>>()))
}

const SHOWN_ROUNDS: u32 = 10;
const SHOWN_LEVELS: usize = 12;

fn axis_words(axis: &Axis) -> Message {
    let makes = match axis.makes {
        AxisEffect::Configurations => message!(cli_plan_makes_configurations),
        AxisEffect::Phases => message!(cli_plan_makes_phases),
        AxisEffect::Candidates => message!(cli_plan_makes_candidates),
    };
    let values: Vec<String> = axis.values.iter().map(AxisValue::to_string).collect();
    match axis.phases.is_empty() {
        true => message!(cli_plan_axis, name = &axis.name, values, makes),
        false => message!(cli_plan_axis_phases, name = &axis.name, phases = &axis.phases, values, makes),
    }
}

/// The order of the candidates in each round of each configuration.
fn rounds(plan: &Plan<'_>) -> Vec<String> {
    let configurations = &plan.study.configurations;
    let mut lines = Vec::new();
    for (config, planned) in configurations.iter().enumerate().take(SHOWN_LEVELS) {
        if configurations.len() > 1 {
            let what = phrases::configuration_name(&ConfigurationRef::of(plan.study, config));
            let what = message!(cli_plan_configuration, number = config as u64, what);
            lines.push(line(message!(cli_plan_label_order), what));
        }
        for round in 0..planned.rounds.min(SHOWN_ROUNDS) {
            let mut order = order(plan, config, round);
            order.retain(|at| plan.study.takes_part(config, &plan.candidates[*at].name));
            let names: Vec<&str> = order.into_iter().map(|at| plan.candidates[at].name.as_str()).collect();
            lines.push(line(message!(cli_plan_label_round, round = round + 1), names.join(", ")));
        }
        if planned.rounds > SHOWN_ROUNDS {
            lines.push(more(message!(cli_plan_more_rounds, count = u64::from(planned.rounds - SHOWN_ROUNDS))));
        }
    }
    if let Some(count) = configurations.len().checked_sub(SHOWN_LEVELS).filter(|count| *count > 0) {
        lines.push(more(message!(cli_plan_more_configurations, count)));
    }
    lines
}

/// Timed phases are known, counted ones are not before the first round: so the estimate is the least.
fn time(study: &Study, candidates: &[CandidateRecord]) -> Message {
    let mut jobs = 0;
    let mut total_ns = 0u64;
    for (at, config) in study.plan.configurations.iter().enumerate() {
        let timed_ns: u64 = config.phases.iter().filter_map(|plan| plan.phase.end.duration_ns()).sum();
        let part = candidates.iter().filter(|one| study.plan.takes_part(at, &one.name));
        let here = part.count() as u64 * u64::from(config.rounds);
        jobs += here;
        total_ns = total_ns.saturating_add(here.saturating_mul(timed_ns + OVERHEAD_NS));
    }
    let least = std::time::Duration::from_nanos(total_ns).as_secs();
    match study.plan.budget_ns.map(duration_text) {
        Some(budget) => message!(cli_plan_time_budget, least, jobs, budget),
        None => message!(cli_plan_time, least, jobs),
    }
}

/// Start and end of a job's processes, and the wait for a quiet disk.
const OVERHEAD_NS: u64 = 400_000_000;
