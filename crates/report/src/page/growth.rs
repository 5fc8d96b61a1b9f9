//! How cost grows with the number of rows: charts on logarithmic axes, their numbers, and judgements in words.

use kurabe_analysis::format::{self, NONE};
use kurabe_analysis::{Answer, Figure, Growth, GrowthCurve, GrowthPoint, Judgement, SizeAnswer};
use kurabe_protocol::Operation;
use serde::Serialize;

use super::Marks;
use super::figures::{FigureView, safe, tick_duration};
use crate::ReportError;
use crate::charts::{self, Axis, Line, LineChart, LinePoint};
use crate::growth_tables;
use crate::tables::Table;

/// One phase over all sizes.
#[derive(Serialize)]
pub(crate) struct GrowthView {
    name: String,
    judgements: Table,
    figures: Vec<FigureView>,
}

pub(crate) fn views(growth: &[Growth], marks: &Marks<'_>) -> Result<Vec<GrowthView>, ReportError> {
    growth.iter().map(|one| view(one, marks)).collect()
}

fn view(growth: &Growth, marks: &Marks<'_>) -> Result<GrowthView, ReportError> {
    let one = match growth.operation {
        Operation::Load | Operation::Insert => "one row",
        _ => "one operation",
    };
    let total = match growth.operation {
        Operation::Scan => "going through all rows",
        Operation::Load | Operation::Insert => "all rows",
        _ => "one operation on every row",
    };
    let charts = [
        chart(growth, &format!("{}: time of {one} against the number of rows", growth.phase), marks, |point| {
            point.cost_ns
        })?,
        chart(growth, &format!("{}: time of {total} against the number of rows", growth.phase), marks, |point| {
            point.total_ns
        })?,
    ];
    Ok(GrowthView {
        name: growth.phase.clone(),
        judgements: judgements(growth),
        figures: charts.into_iter().flatten().collect(),
    })
}

/// Both axes are logarithmic. A line that ends early with a cross was cut.
fn chart(
    growth: &Growth,
    caption: &str,
    marks: &Marks<'_>,
    of: fn(&GrowthPoint) -> Figure,
) -> Result<Option<FigureView>, ReportError> {
    let line = |curve: &GrowthCurve| {
        let point = |point: &GrowthPoint| {
            let figure = of(point);
            LinePoint {
                x: point.rows as f64,
                y: figure.value,
                interval: figure.interval.map(|range| (range.low, range.high)),
            }
        };
        let cut = if curve.cut.is_some() { " ✕" } else { "" };
        (!curve.points.is_empty()).then(|| Line {
            name: format!("{}{cut}", curve.candidate),
            mark: marks.mark(&curve.candidate),
            points: curve.points.iter().map(point).collect(),
        })
    };
    let lines: Vec<Line> = growth.curves.iter().filter_map(line).collect();
    let ends = || {
        let of_point = |point: &LinePoint| {
            [point.y, point.interval.map_or(point.y, |i| i.0), point.interval.map_or(point.y, |i| i.1)]
        };
        lines.iter().flat_map(|line| &line.points).flat_map(of_point).filter(|y| *y > 0.0)
    };
    let rows = || growth.curves.iter().flat_map(|curve| &curve.points).map(|point| point.rows as f64);
    if lines.is_empty() || ends().next().is_none() {
        return Ok(None);
    }
    let cut = if growth.curves.iter().any(|curve| curve.cut.is_some()) { "; ✕ was cut" } else { "" };
    let caption = format!("{caption} (both axes log scale{cut})");
    let chart = LineChart {
        lines: &lines,
        x: Axis::log(rows().fold(f64::INFINITY, f64::min), rows().fold(0.0, f64::max)),
        x_name: &|rows| charts::short_rate(rows),
        y: Axis::log(ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max)),
        y_name: &tick_duration,
    };
    let wide = safe(charts::lines(&caption, &chart)?);
    Ok(Some(FigureView { caption, wide, narrow: None, table: numbers(growth, of) }))
}

/// A row for each candidate, a column for each size.
fn numbers(growth: &Growth, of: fn(&GrowthPoint) -> Figure) -> Table {
    let sizes = growth_tables::sizes_of(growth);
    let titles: Vec<String> = std::iter::once("candidate".into())
        .chain(sizes.iter().map(|rows| format!("{} rows", format::count(*rows))))
        .collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let cell = |curve: &GrowthCurve, rows: u64| {
        let Some(point) = curve.points.iter().find(|point| point.rows == rows) else {
            return if curve.cut.is_some_and(|cut| cut.rows <= rows) { "cut".into() } else { NONE.into() };
        };
        let figure = of(point);
        let interval = figure
            .interval
            .map(|range| format!(" ({})", format::interval(figure.value, range.low, range.high, format::duration)));
        format!("{}{}", format::duration(figure.value), interval.unwrap_or_default())
    };
    Table::texts(
        &titles,
        growth.curves.iter().map(|curve| {
            std::iter::once(curve.candidate.clone()).chain(sizes.iter().map(|rows| cell(curve, *rows))).collect()
        }),
    )
}

/// What the exponents say, in words.
fn judgements(growth: &Growth) -> Table {
    let row = |curve: &GrowthCurve| {
        let slope = curve.slope.map_or_else(|| NONE.into(), |slope| format::significant(slope.value, 3));
        let interval = curve.slope.and_then(|slope| slope.interval);
        let interval = interval.map_or_else(
            || NONE.into(),
            |range| format!("{} … {}", format::significant(range.low, 3), format::significant(range.high, 3)),
        );
        let tenfold =
            curve.slope.map_or_else(|| NONE.into(), |slope| format!("{} ×", format::ratio(10f64.powf(slope.value))));
        vec![curve.candidate.clone(), words(curve.judgement).into(), tenfold, slope, interval]
    };
    let titles = ["candidate", "as the data grows", "ten times the rows take", "exponent of total time", "95\u{a0}%"];
    Table::texts(&titles, growth.curves.iter().map(row))
}

fn words(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::LessThanLinear => "an operation becomes cheaper",
        Judgement::Linear => "an operation costs about the same",
        Judgement::MoreThanLinear => "an operation becomes dearer",
        Judgement::Undecided => "cannot be told from these sizes",
    }
}

/// Where and why candidates were not measured any further, each once.
pub(crate) fn cuts(growth: &[Growth]) -> Vec<String> {
    let mut cuts: Vec<String> = Vec::new();
    for curve in growth.iter().flat_map(|one| &one.curves) {
        let text = curve.cut.map(|cut| format!("'{}' was {}.", curve.candidate, cut.words()));
        cuts.extend(text.filter(|text| !cuts.contains(text)));
    }
    cuts
}

/// The other sizes, the largest first, each with its places and rates.
#[derive(Serialize)]
pub(crate) struct SizeView {
    title: String,
    table: Table,
}

pub(crate) fn other_sizes(answer: &Answer) -> Vec<SizeView> {
    let view = |size: &SizeAnswer| {
        let rounds = if size.rounds.measured == 1 { "round" } else { "rounds" };
        SizeView {
            title: format!("At {} rows, {} {rounds}", format::count(size.rows), size.rounds.measured),
            table: growth_tables::size(size),
        }
    };
    answer.other_sizes.iter().rev().map(view).collect()
}
