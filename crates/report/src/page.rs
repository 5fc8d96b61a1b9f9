//! The answer as one HTML page: the values that its templates need.

mod facts;
mod figures;

use kurabe_analysis::{Answer, PhaseAnswer};
use kurabe_record::{JobRecord, RunRecord};
use minijinja::value::Serde;
use minijinja::{Environment, Value};
use serde::Serialize;

use crate::ReportError;
use crate::charts::Mark;
use crate::tables::{self, Table};
use figures::FigureView;

const TEMPLATE: &str = include_str!("../templates/report.html");
const MACROS: &str = include_str!("../templates/macros.html");
const STYLE: &str = include_str!("../templates/style.css");

#[derive(Serialize)]
struct Page<'a> {
    style: Value,
    answer: &'a Answer,
    run: &'a RunRecord,
    places: Vec<FigureView>,
    phases: Vec<PhaseView>,
    resources: Table,
    durability: Table,
    settings: Vec<facts::CandidateSettings>,
    versions: Table,
    machine: Table,
    device: Table,
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
    usage: Table,
    rates: Option<FigureView>,
    figures: Vec<FigureView>,
}

pub(crate) fn render(answer: &Answer, run: &RunRecord, jobs: &[JobRecord]) -> Result<String, ReportError> {
    let marks = Marks::of(run);
    let deciding = answer.phases.iter().filter(|phase| phase.deciding);
    let mut places = Vec::new();
    for phase in deciding {
        places.extend(figures::places(phase, &marks)?);
    }
    let phases = answer.phases.iter().enumerate().map(|(index, phase)| phase_view(index, phase, run, &marks));
    let page = Page {
        style: Value::from_safe_string(STYLE.into()),
        answer,
        run,
        places,
        phases: phases.collect::<Result<Vec<PhaseView>, ReportError>>()?,
        resources: tables::resources(answer),
        durability: facts::durability(run, jobs),
        settings: facts::settings(run, jobs),
        versions: facts::versions(answer),
        machine: facts::machine(&run.machine),
        device: facts::device(&run.device),
        method: facts::method(answer, run),
        legend: tables::legend(answer),
    };
    let mut environment = Environment::new();
    environment.add_template("macros.html", MACROS)?;
    environment.add_template("report.html", TEMPLATE)?;
    Ok(environment.get_template("report.html")?.render(Serde(page))?)
}

fn phase_view(index: usize, phase: &PhaseAnswer, run: &RunRecord, marks: &Marks<'_>) -> Result<PhaseView, ReportError> {
    let mut shown = Vec::new();
    for kind in tables::kinds(&phase.rows) {
        shown.extend(figures::latencies(phase, &kind, marks)?);
    }
    shown.extend(figures::over_time(phase, marks)?);
    Ok(PhaseView {
        id: format!("phase-{}", index + 1),
        name: phase.name.clone(),
        subtitle: tables::phase_subtitle(phase),
        work: facts::work(&run.phases[index].phase),
        table: tables::phase(phase),
        usage: tables::usage(phase),
        rates: figures::rates(phase, marks)?,
        figures: shown,
    })
}

/// The mark of every candidate: stores are numbered in the order of the study, so that a store looks the same everywhere.
pub(crate) struct Marks<'a> {
    stores: Vec<&'a str>,
}

impl<'a> Marks<'a> {
    fn of(run: &'a RunRecord) -> Marks<'a> {
        let is_store = |kind| kind == kurabe_record::StoreKind::Store;
        Marks { stores: run.candidates.iter().filter(|one| is_store(one.kind)).map(|one| one.name.as_str()).collect() }
    }

    pub(crate) fn mark(&self, candidate: &str) -> Mark {
        self.stores.iter().position(|store| *store == candidate).map_or(Mark::Muted, Mark::Store)
    }
}
