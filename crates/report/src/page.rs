//! Answer and comparison as HTML pages: the values that their templates need.

mod axes;
pub(crate) mod facts;
mod figures;

use kurabe_analysis::english::{self, done};
use kurabe_analysis::{Answer, ClaimsAnswer, Comparison, PhaseAnswer, Sentence, Side};
use kurabe_messages::{Message, language};
use kurabe_protocol::Phase;
use kurabe_record::{JobRecord, RunRecord, StoreKind};
use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;

use crate::ReportError;
use crate::axis_tables;
use crate::changes;
use crate::charts::{self, Mark};
use crate::claims;
use crate::headline;
use crate::plain::on_page;
use crate::tables::{self, Table};
use crate::words::Word;
use figures::FigureView;

const REPORT: &str = include_str!("../templates/report.html");
const COMPARE: &str = include_str!("../templates/compare.html");
const MACROS: &str = include_str!("../templates/macros.html");
const STYLE: &str = include_str!("../templates/style.css");

#[derive(Serialize)]
struct Page<'a> {
    style: Value,
    answer: &'a Answer,
    run: &'a RunRecord,
    done: String,
    matrix: Table,
    matrix_legend: String,
    /// What each store is.
    known: Table,
    /// The configuration that the answer is about, where there are others.
    at: Option<String>,
    sentences: Vec<String>,
    short: Table,
    ranks: Vec<FigureView>,
    clients: Vec<axes::ClientsView>,
    axes: Vec<axes::AxisView>,
    /// The settings that an axis over durability chose.
    axis_settings: Option<Table>,
    settings_title: &'static str,
    settings_used: &'static str,
    cautions: Vec<String>,
    notes: Vec<String>,
    claims: Vec<claims::ClaimView>,
    claims_summary: Option<String>,
    claims_source: Option<String>,
    published: Vec<claims::PublishedView>,
    pitfalls: Vec<claims::PitfallView>,
    skipped: Vec<String>,
    other_configurations: Vec<axes::LevelView>,
    elsewhere: Vec<String>,
    phases: Vec<PhaseView>,
    amid: Table,
    resources: Table,
    durability: Table,
    settings: Vec<facts::CandidateSettings>,
    versions: Table,
    machine: Table,
    device: Table,
    study: Table,
    method: Vec<String>,
    legend: Vec<String>,
}

#[derive(Serialize)]
struct PhaseView {
    id: String,
    name: String,
    subtitle: String,
    work: String,
    table: Table,
    /// The column of the table that names the candidate.
    head: usize,
    usage: Table,
    rates: Option<FigureView>,
    figures: Vec<FigureView>,
}

pub(crate) fn render(answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) -> Result<String, ReportError> {
    let marks = Marks::of(run);
    let deciding: Vec<&PhaseAnswer> = answer.phases.iter().filter(|phase| phase.deciding).collect();
    let is_steady = headline::is_steady(answer);
    let judged = answer.claims.as_ref();
    let ranks = figures::ranks(&deciding, &marks, is_steady)?;
    let phases = answer.phases.iter().zip(kurabe_analysis::plans(answer, run)).enumerate();
    let phases = phases.map(|(index, (phase, plan))| phase_view(index, phase, &plan.phase, &marks, is_steady));
    fill(
        "report.html",
        Page {
            style: Value::from_safe_string(STYLE.into()),
            answer,
            run,
            done: done(answer, run),
            matrix: crate::matrix::table(answer),
            matrix_legend: crate::matrix::legend(answer),
            known: crate::known::table(answer),
            at: (!answer.other_configurations.is_empty()).then(|| english::at(&answer.at)),
            sentences: answer.sentences.iter().map(Sentence::words).collect(),
            short: headline::table(&headline::headlines(answer, run)),
            ranks,
            clients: axes::clients(answer),
            axes: axes::views(answer, &marks)?,
            axis_settings: axis_tables::settings(answer),
            settings_title: Word::SettingsOverDurability.english(),
            settings_used: Word::SettingsRepeat.english(),
            cautions: answer.cautions.iter().map(|one| one.message().to_string()).collect(),
            notes: answer.notes.iter().map(|one| one.message().to_string()).collect(),
            claims: judged.map(|judged| claims::views(judged, language())).unwrap_or_default(),
            claims_summary: judged.map(|judged| judged.summary().to_string()),
            claims_source: judged.and_then(ClaimsAnswer::source).map(|source| source.to_string()),
            published: claims::tables(answer, language()),
            pitfalls: claims::pitfalls(answer, language()),
            skipped: axes::skipped(answer),
            other_configurations: axes::other_configurations(answer),
            elsewhere: axis_tables::not_counted_elsewhere(answer),
            phases: phases.collect::<Result<Vec<PhaseView>, ReportError>>()?,
            amid: tables::amid(answer),
            resources: tables::resources(answer),
            durability: facts::durability(answer, run, jobs),
            settings: facts::settings(run, jobs),
            versions: facts::versions(answer),
            machine: facts::machine(&run.machine),
            device: facts::device(&run.device),
            study: facts::study(answer, run),
            method: facts::method(answer, run),
            legend: crate::legend::legend(answer),
        },
    )
}

fn fill(template: &str, page: impl Serialize) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    // Every text passes here, whoever wrote it; what was made as HTML does so unchanged.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => minijinja::escape_formatter(out, state, &Value::from(on_page(text).as_ref())),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_template("macros.html", MACROS)?;
    environment.add_template("report.html", REPORT)?;
    environment.add_template("compare.html", COMPARE)?;
    Ok(environment.get_template(template)?.render(Serde(page))?)
}

/// Several runs on one page.
#[derive(Serialize)]
struct ComparisonPage<'a> {
    style: Value,
    comparison: &'a Comparison,
    changes: Vec<String>,
    cautions: Vec<String>,
    not_compared: Vec<String>,
    runs: Table,
    machines: Table,
    phases: Vec<ComparedView>,
    commands: Vec<&'a str>,
}

#[derive(Serialize)]
struct ComparedView {
    id: String,
    name: String,
    /// "above 1 is faster".
    good: String,
    table: Table,
    figure: Option<FigureView>,
}

pub(crate) fn render_comparison(comparison: &Comparison, sides: &[Side<'_>]) -> Result<String, ReportError> {
    let marks = sides.first().map_or(Marks { stores: Vec::new() }, |side| Marks::of(side.run));
    let mut phases = Vec::new();
    for (index, phase) in comparison.phases.iter().enumerate() {
        phases.push(ComparedView {
            id: format!("phase-{}", index + 1),
            name: phase.name.clone(),
            good: changes::good_ratios(phase.metric).to_string(),
            table: tables::comparison(phase),
            figure: figures::ratios(phase, &marks)?,
        });
    }
    fill(
        "compare.html",
        ComparisonPage {
            style: Value::from_safe_string(STYLE.into()),
            comparison,
            changes: changes::changes(comparison).iter().map(Message::to_string).collect(),
            cautions: comparison.cautions.iter().map(|one| one.message().to_string()).collect(),
            not_compared: comparison.not_compared.iter().map(|one| one.message().to_string()).collect(),
            runs: facts::runs(sides),
            machines: facts::machines(sides),
            phases,
            commands: sides.iter().map(|side| side.run.command.as_str()).collect(),
        },
    )
}

fn phase_view(
    index: usize,
    phase: &PhaseAnswer,
    plan: &Phase,
    marks: &Marks<'_>,
    is_steady: bool,
) -> Result<PhaseView, ReportError> {
    let mut shown = Vec::new();
    for kind in tables::kinds(&phase.rows) {
        shown.extend(figures::latencies(phase, &kind, marks)?);
    }
    shown.extend(figures::over_time(phase)?);
    // Smaller percentiles and processor times stand in tables of their own.
    let table = tables::below_rank(tables::phase(phase, is_steady), 7);
    Ok(PhaseView {
        id: format!("phase-{}", index + 1),
        name: phase.name.clone(),
        subtitle: tables::phase_subtitle(phase),
        work: facts::work(plan),
        head: tables::name_column(&table),
        table,
        usage: tables::usage(phase),
        rates: figures::rates(phase, marks)?,
        figures: shown,
    })
}

/// The mark of every candidate. A store has its own, the same in every run, unless another store of the run has it already.
pub(crate) struct Marks<'a> {
    stores: Vec<(&'a str, usize)>,
}

impl<'a> Marks<'a> {
    fn of(run: &'a RunRecord) -> Marks<'a> {
        let mut stores: Vec<(&str, usize)> = Vec::new();
        let candidates = run.candidates.iter().filter(|one| one.kind == StoreKind::Store);
        for one in candidates {
            let own = own_mark(&one.store);
            let free = (own..own + charts::COLOURS)
                .find(|mark| stores.iter().all(|(_, known)| known % charts::COLOURS != mark % charts::COLOURS));
            // With more stores than colours they begin again, with another dash.
            stores.push((one.name.as_str(), free.unwrap_or(stores.len() + charts::COLOURS)));
        }
        Marks { stores }
    }

    /// Where an axis made several of a candidate, what they have in common has the mark of the first.
    pub(crate) fn mark(&self, candidate: &str) -> Mark {
        let is_one_of = |store: &str| store.strip_prefix(candidate).is_some_and(|rest| rest.starts_with([' ', '+']));
        let exactly = self.stores.iter().find(|(store, _)| *store == candidate);
        let known = exactly.or_else(|| self.stores.iter().find(|(store, _)| is_one_of(store)));
        known.map_or(Mark::Muted, |(_, mark)| Mark::Store(*mark))
    }
}

/// The colour that a store has wherever it can: by its name alone, so that it is the same in every run.
fn own_mark(store: &str) -> usize {
    // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): any hash would do, as long as it stays the same.
    let hash = store
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    (hash % charts::COLOURS as u64) as usize
}
