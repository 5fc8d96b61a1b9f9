//! The phases along the axes of a study: what changes with connections, rows, durability…

use kurabe_messages::{Message, RecordedText};
use kurabe_protocol::{Operation, SearchRange, Work};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, Configuration, Factor, Metric, MinimumDurability, PhasePlan, SkippedRecord, StoreKind,
    StudyPlan, value_on,
};
use kurabe_stats::paired_ratio;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::budget::Skipped;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::configuration::{CLIENT, DURABILITY};
use crate::figures::figure::{Figure, Range, RatioFigure};
use crate::figures::reason::Reason;
use crate::findings::cells::{Cell, Cells, family};
use crate::findings::growth::{Growing, GrowthSlope, Judgement};
use crate::grouping::grouped;
use crate::rank::phase::{PhaseRow, ranked_alike};
use crate::rank::status::Status;

/// One phase along one axis, everything else being fixed.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AxisAnswer {
    /// Name of the axis.
    pub axis: String,
    /// What its values make.
    pub makes: AxisEffect,
    /// Name of the phase; as the study has it where the axis made several of it.
    pub phase: String,
    /// Kind of operation.
    pub operation: Operation,
    /// Whether its ranking is part of the answer.
    pub deciding: bool,
    /// What it is ranked by at all values; the rate where that is not the same.
    pub metric: Metric,
    /// Where this lies on the other axes, but for those that make candidates.
    pub beside: Vec<Factor>,
    /// The values, in order. Numbers, and minimums of durability from the strongest to the weakest, are a line; other
    /// values are groups.
    pub values: Vec<AxisValue>,
    /// The candidates in the order in which the phase shows them in the configuration of the answer; baselines last. On
    /// an axis that makes candidates, those that it made of one are one.
    pub curves: Vec<AxisCurve>,
}

/// One candidate along an axis.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AxisCurve {
    /// Candidate.
    pub candidate: String,
    /// A store, or a baseline.
    pub kind: StoreKind,
    /// Where its answers count, in the order of the values.
    pub points: Vec<AxisPoint>,
    /// Why it has no point at the other values.
    pub missing: Vec<MissingPoint>,
    /// Over `rows`: the exponent of its total time where a rate ranks the phase, else of the figure that does; absent
    /// below two points.
    pub slope: Option<GrowthSlope>,
    /// Over `rows`: what the exponent says.
    pub judgement: Judgement,
    /// Where it was not measured any further, if the budget was too short.
    pub skipped: Option<Skipped>,
}

/// One candidate in one phase at one value of an axis. All figures are over rounds.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct AxisPoint {
    /// The value.
    pub value: AxisValue,
    /// Number of the configuration.
    pub configuration: u32,
    /// What ranks the phase, in the unit of its metric; absent where the candidate lacks it.
    pub figure: Option<Figure>,
    /// Completed operations a second.
    pub rate_per_s: Figure,
    /// Half of the operations are at most so slow, in ns.
    pub p50_ns: Option<Figure>,
    /// 99 in 100 are, in ns.
    pub p99_ns: Option<Figure>,
    /// Time for one operation, in ns: one over the rate, so it falls with more connections.
    pub cost_ns: Figure,
    /// Over `rows`: time for one operation on every row, in ns: `rows` times the cost, also where a sample was
    /// measured. For a scan, which meets every row, it is the cost.
    pub total_ns: Option<Figure>,
    /// What ranks the phase relative to that at the first value, paired by round. Absent at the first value, and over
    /// `rows`, whose rounds are not measured in turns.
    pub to_first: Option<RatioFigure>,
    /// Blocks on disk for each row after the last phase that writes, in bytes.
    pub disk_per_row_bytes: Option<f64>,
    /// Memory of the service, or of the client where there is no service, in this phase, in bytes.
    pub memory_bytes: Option<u64>,
    /// Over `durability`: the setting of its store that it used. Values at which a store has no setting of its own use
    /// that of another value: their figures differ by noise alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
}

/// A value at which a candidate has no point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MissingPoint {
    /// The value.
    pub value: AxisValue,
    /// Why.
    #[serde(rename = "reason")]
    #[schemars(with = "Message")]
    pub why: PointGap,
}

/// Why a candidate has no point at a value. It is written as its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointGap {
    /// What costs the rank costs the point too.
    Unranked(Reason),
    /// It has no rate in this phase.
    NoRate,
    /// It cannot be what the axis asks of it, with the reason.
    LeftOut(RecordedText),
    /// It was not measured there.
    NotMeasured,
}

impl AxisAnswer {
    /// Whether all values are numbers, so that the axis is a line.
    pub fn is_line(&self) -> bool {
        self.values.iter().all(|value| matches!(value, AxisValue::Number(_)))
    }

    /// Whether its values have an order: numbers, or minimums of durability of which each allows to lose more than the
    /// last.
    pub fn is_ordered(&self) -> bool {
        let allowed = |value: &AxisValue| match value {
            AxisValue::Word(word) => word.parse::<MinimumDurability>().ok()?.allows(),
            AxisValue::Number(_) => None,
        };
        let grows = |pair: &[AxisValue]| allowed(&pair[0]).zip(allowed(&pair[1])).is_some_and(|(a, b)| a < b);
        self.is_line() || (self.is_over_durability() && self.values.windows(2).all(grows))
    }

    /// Whether it is over what may be lost.
    pub fn is_over_durability(&self) -> bool {
        self.axis == DURABILITY
    }

    /// Whether it is about rows: then there is growth to speak of.
    pub fn is_growth(&self) -> bool {
        self.axis == "rows"
    }

    /// What is told to grow along `rows`.
    pub fn growing(&self) -> Growing {
        Growing::of(self.metric)
    }

    /// Whether it is over clients.
    pub fn is_over_clients(&self) -> bool {
        self.axis == CLIENT
    }

    /// Whether everything that is fixed is as in the configuration and, among phases of one, as in the phase that an
    /// answer is about.
    pub fn belongs_to(&self, at: &ConfigurationRef) -> bool {
        self.beside.iter().all(|one| value_on(&at.factors, &one.axis).is_none_or(|value| *value == one.value))
    }
}

impl AxisCurve {
    /// The first value at which it used the same setting of its store as at this later one.
    pub fn repeats(&self, value: &AxisValue) -> Option<&AxisValue> {
        let setting = self.points.iter().find(|point| point.value == *value)?.setting.as_ref()?;
        let first = self.points.iter().find(|point| point.setting.as_ref() == Some(setting))?;
        Some(&first.value).filter(|first| *first != value)
    }
}

/// What lies beside an axis: the other factors of the work, and the name of a phase.
type AxisContext<'a> = (Vec<Factor>, &'a str);

/// What the axes are computed from.
pub(crate) struct Axes<'a> {
    pub(crate) cells: Cells<'a>,
    /// Which configuration the answer is about.
    pub(crate) headline: usize,
    pub(crate) skipped: &'a [SkippedRecord],
}

impl<'a> Axes<'a> {
    /// Every phase along every axis; none where losses are counted, which have a table of their own.
    pub(crate) fn all(&self) -> Vec<AxisAnswer> {
        if self.plan().configurations.iter().any(Configuration::counts_losses) {
            return Vec::new();
        }
        self.plan().axes.iter().flat_map(|axis| self.along(axis)).collect()
    }

    fn plan(&self) -> &'a StudyPlan {
        self.cells.plan()
    }

    /// An answer for every phase beside every combination of the other factors of the work. What the axis made of one
    /// phase, or of one candidate, is one.
    fn along(&self, axis: &'a Axis) -> Vec<AxisAnswer> {
        let phases = |at: usize| self.plan().configurations[at].phases.iter().map(move |plan| (at, plan));
        let cells = self.plan().corrected().flat_map(phases).flat_map(|(at, plan)| self.cells.of_phase(at, plan));
        let on_axis = cells.filter(|cell| cell.value(&axis.name).is_some());
        let name = |cell: &Cell<'a>| match axis.makes {
            AxisEffect::Phases => cell.plan.study_name(),
            AxisEffect::Configurations | AxisEffect::Candidates => &cell.plan.phase.name,
        };
        let groups: Vec<(AxisContext<'_>, Vec<Cell<'a>>)> =
            grouped(on_axis.map(|cell| ((cell.other_factors(&axis.name), name(&cell)), cell)));
        // Where an axis is varied alone, the others have a single value beside most of its own.
        let is_varied =
            |cells: &[Cell<'a>]| axis.makes != AxisEffect::Configurations || cells[0].at != cells[cells.len() - 1].at;
        let varied = groups.into_iter().filter(|(_, cells)| is_varied(cells));
        varied.map(|((beside, phase), cells)| self.answer(axis, phase, beside, &cells)).collect()
    }

    /// Those that an axis has curves of, in the order in which the configuration of the answer shows a phase.
    fn families(&self, axis: &Axis, first: &Cell<'a>) -> Vec<String> {
        let mut families: Vec<String> = Vec::new();
        let shown = self.plan().configurations[self.headline].phase(&first.plan.phase.name);
        for cell in shown.into_iter().flat_map(|plan| self.cells.of_phase(self.headline, plan)) {
            let is_on_axis = axis.makes != AxisEffect::Candidates || cell.value(&axis.name).is_some();
            families.extend(Some(cell.family(&axis.name)).filter(|name| is_on_axis && !families.contains(name)));
        }
        families
    }

    fn answer(&self, axis: &Axis, phase: &str, beside: Vec<Factor>, cells: &[Cell<'a>]) -> AxisAnswer {
        let plan = cells[0].plan;
        let metric = ranked_alike(cells.iter().map(|cell| cell.phase));
        let curve = |name: String| {
            let of_value =
                |value| cells.iter().find(|one| one.value(&axis.name) == Some(value) && one.family(&axis.name) == name);
            let own: Vec<&Cell<'a>> = axis.values.iter().filter_map(of_value).collect();
            self.curve(axis, (plan, metric), &own, name)
        };
        AxisAnswer {
            axis: axis.name.clone(),
            makes: axis.makes,
            phase: phase.to_string(),
            operation: plan.phase.operation(),
            deciding: plan.deciding,
            metric,
            beside,
            values: axis.values.clone(),
            curves: self.families(axis, &cells[0]).into_iter().map(curve).collect(),
        }
    }

    fn curve(
        &self,
        axis: &Axis,
        (plan, metric): (&PhasePlan, Metric),
        cells: &[&Cell<'a>],
        candidate: String,
    ) -> AxisCurve {
        let seen: Vec<&Cell<'a>> = cells.iter().copied().filter(|cell| counts(cell.row)).collect();
        let over_rows = axis.name == "rows";
        let point = |cell: &&Cell<'a>| self.point((plan, metric), axis, &seen, cell);
        let points: Vec<AxisPoint> = seen.iter().filter_map(point).collect();
        let slope = over_rows.then(|| slope((plan, metric), &seen)).flatten();
        let known = |value: &&AxisValue| !points.iter().any(|point| point.value == **value);
        let missing = axis.values.iter().filter(known).map(|value| self.missing(axis, &candidate, value, cells));
        let record = self.cells.run.candidate(&candidate);
        let skipped = self
            .skipped
            .iter()
            .find(|skipped| skipped.candidate == candidate && axis.makes == AxisEffect::Configurations);
        AxisCurve {
            kind: record.map_or(StoreKind::Store, |record| record.kind),
            missing: missing.collect(),
            points,
            slope,
            judgement: slope.map_or(Judgement::Undecided, |slope| slope.judgement_of(Growing::of(metric))),
            skipped: skipped.map(|skipped| Skipped::of(self.plan(), skipped)),
            candidate,
        }
    }

    fn point(
        &self,
        (plan, metric): (&PhasePlan, Metric),
        axis: &Axis,
        seen: &[&Cell<'a>],
        cell: &Cell<'a>,
    ) -> Option<AxisPoint> {
        let over_rows = axis.name == "rows";
        let value = |cell: &Cell<'a>| cell.value(&axis.name);
        let rate_per_s = cell.row.rate_per_s()?;
        let candidates = &self.cells.results[cell.at].candidates;
        let resources = candidates.iter().find(|one| one.name == cell.row.candidate).map(|one| one.resources);
        let first = seen.first().filter(|first| !over_rows && value(first) != value(cell));
        let (used, setting) = (&cell.row.used, &cell.candidate.durability);
        let setting = setting.as_ref();
        Some(AxisPoint {
            value: value(cell)?.clone(),
            configuration: cell.at as u32,
            figure: cell.row.figure(metric),
            rate_per_s,
            p50_ns: cell.row.figure(Metric::P50),
            p99_ns: cell.row.figure(Metric::P99),
            cost_ns: time_for(1.0, rate_per_s),
            total_ns: over_rows.then(|| time_for(operations_of(plan, cell.config.rows), rate_per_s)),
            to_first: first.and_then(|first| ratio(metric, cell, first)),
            disk_per_row_bytes: resources.and_then(|resources| resources.disk_per_row_bytes),
            memory_bytes: used.service_memory_bytes.or(used.client_memory_bytes),
            setting: setting.filter(|_| axis.name == DURABILITY).map(|setting| setting.name.clone()),
        })
    }

    fn missing(&self, axis: &Axis, candidate: &str, value: &AxisValue, cells: &[&Cell<'a>]) -> MissingPoint {
        let missing = |why: PointGap| MissingPoint { value: value.clone(), why };
        if let Some(cell) = cells.iter().find(|cell| cell.value(&axis.name) == Some(value)) {
            return missing(match &cell.row.status {
                Status::Unranked { reason } => PointGap::Unranked(reason.clone()),
                Status::Ranked { .. } | Status::Baseline => PointGap::NoRate,
            });
        }
        let is_it = |one: &&kurabe_record::LeftOut| {
            value_on(&one.factors, &axis.name) == Some(value)
                && family(one.base.as_deref().unwrap_or(&one.name), &one.factors, &axis.name) == candidate
        };
        let left_out = self.cells.run.left_out.iter().find(is_it);
        missing(left_out.map_or(PointGap::NotMeasured, |left_out| PointGap::LeftOut(left_out.reason.clone())))
    }
}

/// Whether the answers of a row count: a place they need not have.
pub(crate) fn counts(row: &PhaseRow) -> bool {
    match &row.status {
        Status::Ranked { .. } | Status::Baseline => true,
        Status::Unranked { reason } => {
            matches!(reason, Reason::TooFewRounds { .. } | Reason::Skipped { .. } | Reason::BelowDurability { .. })
        }
    }
}

/// What of a value of a metric grows with the rows: of a rate the time for all rows, else the value itself.
pub(crate) fn growing(metric: Metric, plan: &PhasePlan, rows: u64, value: f64) -> f64 {
    match metric {
        Metric::Rate => operations_of(plan, rows) / value,
        Metric::RowsRate => rows as f64 / value,
        _ => value,
    }
}

/// Operations in a total: one a row, but a scan meets every row by itself.
pub(crate) fn operations_of(plan: &PhasePlan, rows: u64) -> f64 {
    let all_at_once = plan.phase.search().is_some_and(|search| matches!(search.wanted, SearchRange::AtLeast(_)));
    match &plan.phase.work {
        _ if all_at_once || plan.phase.operation() == Operation::Scan => 1.0,
        Work::Open { rows: each } => rows as f64 / f64::from((*each).max(1)),
        _ => rows as f64,
    }
}

/// The time that so many operations take at a rate, in ns.
fn time_for(operations: f64, rate_per_s: Figure) -> Figure {
    let time = |rate: f64| operations * 1e9 / rate;
    Figure {
        value: time(rate_per_s.value),
        interval: rate_per_s.interval.map(|rate| Range { low: time(rate.high), high: time(rate.low) }),
        rounds: rate_per_s.rounds,
    }
}

fn slope((plan, metric): (&PhasePlan, Metric), seen: &[&Cell<'_>]) -> Option<GrowthSlope> {
    let rounds = seen.iter().flat_map(|cell| {
        let rows = cell.config.rows;
        cell.row.rounds(metric).iter().map(move |round| (rows as f64, growing(metric, plan, rows, round.value)))
    });
    GrowthSlope::of(&rounds.collect::<Vec<(f64, f64)>>())
}

/// The figure of a cell relative to another of the same rounds.
fn ratio(metric: Metric, cell: &Cell<'_>, first: &Cell<'_>) -> Option<RatioFigure> {
    debug_assert_eq!(cell.phase.operation, first.phase.operation);
    let [values, of_first] = [cell, first].map(|cell| cell.row.oriented(metric));
    paired_ratio(&values, &of_first).map(|ratio| RatioFigure::of(&ratio, metric.better()))
}
