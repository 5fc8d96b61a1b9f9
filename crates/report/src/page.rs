//! Answer and comparison as HTML pages: the values that their templates need.

pub(crate) mod articles;
mod axes;
pub(crate) mod conditions;
pub(crate) mod facts;
mod figures;
mod rate_search;
pub(crate) mod waterfall;

use kurabe_analysis::{Advice, Answer, ClaimsAnswer, Comparison, PhaseAnswer, Pick, Side, phrases};
use kurabe_messages::{Message, by_name, described, language, message};
use kurabe_record::{Better, JobRecord, Metric, PhasePlan, RunRecord, StoreKind};
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, Value};
use serde::Serialize;

use crate::ReportError;
use crate::axis_tables;
use crate::changes;
use crate::charts::{self, Mark};
use crate::claims;
use crate::headline;
use crate::plain::on_page;
use crate::tables::{self, Table};
use crate::text::Text;
use figures::FigureView;

const REPORT: &str = include_str!("../templates/report.html");
const ARTICLES: &str = include_str!("../templates/articles.html");
const COMPARE: &str = include_str!("../templates/compare.html");
const MACROS: &str = include_str!("../templates/macros.html");
const STYLE: &str = include_str!("../templates/style.css");

#[derive(Serialize)]
struct Page<'a> {
    style: Value,
    language: &'static str,
    study: &'a str,
    title: Text,
    command: &'a str,
    meta: Text,
    done: Text,
    pick: &'a Pick,
    advice: AdviceView,
    matrix: Table,
    matrix_legend: Vec<Text>,
    /// What each store is.
    known: Table,
    sentences: Vec<Text>,
    short: Table,
    cautions: Vec<Text>,
    notes: Vec<Text>,
    ranks: Vec<FigureView>,
    clients: Vec<axes::ClientsView>,
    axes: Vec<axes::AxisView>,
    /// The settings that an axis over durability chose.
    axis_settings: Option<Table>,
    claims: Vec<claims::ClaimView>,
    claims_summary: Option<Text>,
    replications: Vec<String>,
    waterfalls: Vec<FigureView>,
    published: Vec<claims::PublishedView>,
    pitfalls: Vec<claims::PitfallView>,
    skipped: Vec<Text>,
    other_configurations: Vec<axes::LevelView>,
    not_counted: Vec<Text>,
    elsewhere: Vec<Text>,
    absent: Vec<Text>,
    phases: Vec<PhaseView>,
    actions: Table,
    resources: Table,
    durability: Table,
    minimum_durability: Text,
    settings: Vec<facts::CandidateSettings>,
    versions: Table,
    machine: Table,
    device: Table,
    facts_of_study: Table,
    method: Vec<String>,
    legend: Vec<Text>,
}

#[derive(Serialize)]
struct PhaseView {
    id: String,
    name: String,
    /// The configuration that the answer is about, where there are others.
    at: Option<Text>,
    subtitle: Text,
    conditions: Text,
    /// How response times differ from service times, in an open loop.
    waits: Option<Text>,
    ranking_caption: Text,
    usage_caption: Text,
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
    let ranks = figures::ranks(&deciding, &marks, is_steady)?;
    // Where losses are counted, how fast stores were until they were ended is no matter.
    let is_ranked = answer.compares();
    let phases = answer.phases.iter().filter(|_| is_ranked).zip(kurabe_analysis::plans(answer, run)).enumerate();
    let at = (!answer.other_configurations.is_empty()).then(|| Text::from(phrases::configuration_name(&answer.at)));
    let phases = phases.map(|(index, (phase, plan))| {
        let view = phase_view(index, phase, plan, &marks, is_steady)?;
        Ok(PhaseView { at: at.clone(), ..view })
    });
    let page = Page {
        style: Value::from_safe_string(STYLE.into()),
        language: language().code(),
        study: &answer.study,
        title: described(&answer.title).into(),
        command: &run.command,
        meta: meta(answer, run).into(),
        done: phrases::done(answer, run).into(),
        pick: &answer.recommendation.pick,
        advice: AdviceView::of(&answer.advice),
        matrix: crate::matrix::table(answer),
        matrix_legend: texts(crate::matrix::legend(answer)),
        known: crate::known::table(answer),
        sentences: texts(answer.messages()),
        short: headline::table(&headline::headlines(answer, run)),
        cautions: answer.cautions.iter().map(|one| one.message().into()).collect(),
        notes: answer.notes.iter().map(|one| one.message().into()).collect(),
        ranks,
        clients: axes::clients(answer),
        axes: axes::views(answer, &marks)?,
        axis_settings: axis_tables::settings(answer),
        claims: answer.claims.as_ref().map(claims::views).unwrap_or_default(),
        claims_summary: answer.claims.as_ref().map(claims_summary),
        replications: claims::replications(answer),
        waterfalls: waterfall::views(answer.replications.iter())?,
        published: claims::tables(answer),
        pitfalls: claims::pitfalls(answer, claims::PitfallRows::All),
        skipped: texts(axes::skipped(answer)),
        other_configurations: axes::other_configurations(answer),
        not_counted: answer.not_counted.iter().map(|entry| tables::not_counted(entry).into()).collect(),
        elsewhere: texts(axis_tables::not_counted_elsewhere(answer)),
        absent: texts(tables::absent(answer)),
        phases: phases.collect::<Result<Vec<PhaseView>, ReportError>>()?,
        actions: tables::actions(answer),
        resources: tables::resources(answer),
        durability: facts::durability(answer, run, jobs),
        minimum_durability: message!(table_minimum_durability, level = run.plan.durability.short()).into(),
        settings: facts::settings(run, jobs),
        versions: facts::versions(answer),
        machine: facts::machine(&run.machine),
        device: facts::device(&run.device),
        facts_of_study: facts::study(answer, run),
        method: facts::method(answer, run),
        legend: texts(crate::legend::legend(answer)),
    };
    fill("report.html", page)
}

/// What to take, for the template.
#[derive(Serialize)]
struct AdviceView {
    headline: Text,
    about: Option<Text>,
    /// What stands above the reasons.
    why: Text,
    because: Vec<Text>,
    unless: Vec<Text>,
    excluded: Vec<Text>,
    not_measured: Vec<Text>,
    others: Vec<Text>,
}

impl AdviceView {
    fn of(advice: &Advice) -> AdviceView {
        let all = |messages: &[Message]| texts(messages.to_vec());
        AdviceView {
            headline: advice.headline.clone().into(),
            about: advice.about.clone().map(Text::from),
            why: advice.why.clone().into(),
            because: all(&advice.because),
            unless: all(&advice.unless),
            excluded: all(&advice.excluded),
            not_measured: all(&advice.not_measured),
            others: all(&advice.others),
        }
    }
}

fn texts(messages: Vec<Message>) -> Vec<Text> {
    messages.into_iter().map(Text::from).collect()
}

/// The line under the title.
fn meta(answer: &Answer, run: &RunRecord) -> Message {
    message!(
        table_meta,
        study = &answer.study,
        complete = answer.rounds.complete,
        planned = answer.rounds.planned,
        started = &run.started_at,
        kurabe = &run.kurabe,
        run = &answer.run
    )
}

fn claims_summary(judged: &ClaimsAnswer) -> Text {
    let summary = judged.summary();
    match judged.source() {
        Some(source) => message!(table_claims_of, source, summary).into(),
        None => summary.into(),
    }
}

/// A message without arguments, for templates.
fn say(id: &str) -> Result<String, Error> {
    let message = by_name(id);
    message
        .map(|message| message.to_string())
        .ok_or_else(|| Error::new(ErrorKind::UndefinedError, format!("no message '{id}'")))
}

fn fill(template: &str, page: impl Serialize) -> Result<String, ReportError> {
    let mut environment = Environment::new();
    // Every text passes here, whoever wrote it; what was made as HTML does so unchanged.
    environment.set_formatter(|out, state, value| match value.as_str() {
        Some(text) if !value.is_safe() => minijinja::escape_formatter(out, state, &Value::from(on_page(text).as_ref())),
        _ => minijinja::escape_formatter(out, state, value),
    });
    environment.add_function("say", say);
    environment.add_template("macros.html", MACROS)?;
    environment.add_template("report.html", REPORT)?;
    environment.add_template("compare.html", COMPARE)?;
    environment.add_template("articles.html", ARTICLES)?;
    Ok(environment.get_template(template)?.render(Serde(page))?)
}

/// Several runs on one page.
#[derive(Serialize)]
struct ComparisonPage<'a> {
    style: Value,
    language: &'static str,
    changes: Vec<Text>,
    cautions: Vec<Text>,
    /// Whether nothing but the figures differs.
    is_same: bool,
    not_compared: Vec<Text>,
    runs: Table,
    machines: Table,
    phases: Vec<ComparedView>,
    commands: Vec<CommandView<'a>>,
}

/// The command of one run.
#[derive(Serialize)]
struct CommandView<'a> {
    label: Text,
    command: &'a str,
}

#[derive(Serialize)]
struct ComparedView {
    id: String,
    name: String,
    /// Which ratios are good.
    good: Text,
    caption: Text,
    table: Table,
    figure: Option<FigureView>,
}

pub(crate) fn render_comparison(comparison: &Comparison, sides: &[Side<'_>]) -> Result<String, ReportError> {
    let marks = sides.first().map_or(Marks { stores: Vec::new() }, |side| Marks::of(side.run));
    let mut phases = Vec::new();
    for (index, phase) in comparison.phases.iter().enumerate() {
        let good = match (phase.metric, phase.metric.better()) {
            (Metric::Rate, _) => message!(page_compare_above_faster),
            (_, Better::Higher) => message!(page_compare_above_better),
            (_, Better::Lower) => message!(page_compare_below_better),
        };
        phases.push(ComparedView {
            id: format!("phase-{}", index + 1),
            name: phase.name.clone(),
            good: good.into(),
            caption: message!(table_against_first, phase = &phase.name).into(),
            table: tables::comparison(phase),
            figure: figures::ratios(phase, &marks)?,
        });
    }
    fill(
        "compare.html",
        ComparisonPage {
            style: Value::from_safe_string(STYLE.into()),
            language: language().code(),
            changes: texts(changes::changes(comparison)),
            cautions: comparison.cautions.iter().map(|one| one.message().into()).collect(),
            is_same: [comparison.cautions.len(), comparison.other_work.len(), comparison.machines.len()] == [0; 3],
            not_compared: comparison.not_compared.iter().map(|one| one.message().into()).collect(),
            runs: facts::runs(sides),
            machines: facts::machines(sides),
            phases,
            commands: sides.iter().enumerate().map(command).collect(),
        },
    )
}

fn command<'a>((index, side): (usize, &'a Side<'_>)) -> CommandView<'a> {
    CommandView { label: message!(table_command_of_run, run = index + 1).into(), command: &side.run.command }
}

/// The beginning and the end of a phase, in seconds, with the operations a second that are planned for then, where it has one
/// rate or a ramp.
fn planned_rates(plan: &PhasePlan) -> Option<[(f64, f64); 2]> {
    let schedule = plan.phase.schedule.as_ref().filter(|_| plan.rate_search.is_none())?;
    let lasts_s = plan.phase.end.duration_ns()? as f64 / 1e9;
    Some([(0.0, schedule.rate.into()), (lasts_s, schedule.rate_to.unwrap_or(schedule.rate).into())])
}

fn phase_view(
    index: usize,
    phase: &PhaseAnswer,
    plan: &PhasePlan,
    marks: &Marks<'_>,
    is_steady: bool,
) -> Result<PhaseView, ReportError> {
    let mut shown = Vec::new();
    for kind in tables::kinds(&phase.rows) {
        shown.extend(figures::latencies(phase, &kind, marks)?);
    }
    shown.extend(rate_search::figure(phase, marks)?);
    shown.extend(figures::over_time(phase, planned_rates(plan))?);
    // Smaller percentiles and processor times have tables of their own.
    let table = tables::below_rank(tables::phase(phase, is_steady), 7);
    Ok(PhaseView {
        id: format!("phase-{}", index + 1),
        name: phase.name.clone(),
        at: None,
        subtitle: tables::phase_subtitle(phase).into(),
        conditions: conditions::of_plan(plan).into(),
        waits: tables::waits(phase).map(Text::from),
        ranking_caption: message!(table_ranking_of, phase = &phase.name).into(),
        usage_caption: message!(table_usage_of, phase = &phase.name).into(),
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
