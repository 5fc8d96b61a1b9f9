//! Charts with their captions and their numbers as tables.

use kurabe_analysis::format;
use kurabe_analysis::{Figure, LatencyAnswer, PhaseAnswer, PhaseRow, Status};
use minijinja::Value;
use serde::Serialize;

use super::Marks;
use crate::ReportError;
use crate::charts::{self, Axis, Bar, Line, LineChart, Mark, Markers, Scale};
use crate::tables::{self, Table};

/// A chart, its caption, and its numbers.
#[derive(Serialize)]
pub(crate) struct FigureView {
    caption: String,
    wide: Value,
    /// The same drawn for narrow screens, where the wide one would be too small to read.
    narrow: Option<Value>,
    table: Table,
}

const WIDE_PX: u32 = 960;
const HALF_PX: u32 = 470;
const NARROW_PX: u32 = 350;

/// The ranked candidates of a deciding phase; one chart a class where classes are ranked apart.
pub(crate) fn places(phase: &PhaseAnswer, marks: &Marks<'_>) -> Result<Vec<FigureView>, ReportError> {
    let mut views = Vec::new();
    for ranking in &phase.rankings {
        let row = |name: &String| phase.rows.iter().find(|row| row.candidate == *name);
        let bars: Vec<Bar> =
            ranking.candidates.iter().filter_map(row).filter_map(|row| place_bar(row, marks)).collect();
        if bars.is_empty() {
            continue;
        }
        let class = ranking.class.map(|class| format!(", class {class}")).unwrap_or_default();
        let caption = format!("{}{class}: operations a second{}", phase.name, scale_note(&bars));
        let rows = ranking.candidates.iter().filter_map(row).map(place_cells);
        let table = Table::texts(&["place", "candidate", "op/s", "95 % interval", "of best", "95 % interval"], rows);
        views.push(FigureView {
            wide: safe(charts::bars(&caption, &bars, HALF_PX)?),
            narrow: Some(safe(charts::bars(&caption, &bars, NARROW_PX)?)),
            caption,
            table,
        });
    }
    Ok(views)
}

fn place_cells(row: &PhaseRow) -> Vec<String> {
    let place = if let Status::Ranked { place, .. } = row.status { place.to_string() } else { String::new() };
    let ends = |figure: Figure, show: fn(f64) -> String| {
        let range = figure.interval.map(|range| format!("{} … {}", show(range.low), show(range.high)));
        [show(figure.value), range.unwrap_or_default()]
    };
    let none = || [format::NONE.to_string(), String::new()];
    let rate = row.rate_per_s.map_or_else(none, |figure| ends(figure, format::rate));
    let ratio = row.to_best.map_or_else(none, |to_best| ends(to_best.ratio, format::ratio));
    [vec![place, row.candidate.clone()], rate.to_vec(), ratio.to_vec()].concat()
}

fn scale_note(bars: &[Bar]) -> &'static str {
    match charts::scale(bars) {
        Scale::Linear => "",
        Scale::Log => " (log scale)",
    }
}

fn place_bar(row: &PhaseRow, marks: &Marks<'_>) -> Option<Bar> {
    let Status::Ranked { place, sharing } = row.status else { return None };
    let rate = row.rate_per_s?;
    let tie = if sharing > 1 { "=" } else { "" };
    Some(Bar {
        name: format!("{place}{tie} {}", row.candidate),
        value: rate.value,
        interval: rate.interval.map(|range| (range.low, range.high)),
        label: format::rate(rate.value),
        mark: marks.mark(&row.candidate),
    })
}

/// Every rate of a phase, floors and those without a place too.
pub(crate) fn rates(phase: &PhaseAnswer, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let bars: Vec<Bar> = phase.rows.iter().filter_map(|row| rate_bar(row, marks)).collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let intervals = if bars.iter().any(|bar| bar.interval.is_some()) { " with 95 % intervals" } else { "" };
    let caption = format!("{}: operations a second{intervals}{}; grey has no place", phase.name, scale_note(&bars));
    let narrow: Vec<Bar> = bars.iter().map(|bar| Bar { label: format::rate(bar.value), ..bar.clone() }).collect();
    Ok(Some(FigureView {
        wide: safe(charts::bars(&caption, &bars, WIDE_PX)?),
        narrow: Some(safe(charts::bars(&caption, &narrow, NARROW_PX)?)),
        caption,
        table: tables::rounds(phase),
    }))
}

fn rate_bar(row: &PhaseRow, marks: &Marks<'_>) -> Option<Bar> {
    let rate = row.rate_per_s?;
    let width = rate.interval.map(|range| format::interval(rate.value, range.low, range.high, format::rate));
    // Both ends of a wide interval would not fit; they stand in the table.
    let width = width.filter(|text| text.starts_with('±')).map(|text| format!(" {text}"));
    Some(Bar {
        name: row.candidate.clone(),
        value: rate.value,
        interval: rate.interval.map(|range| (range.low, range.high)),
        label: format!("{}{}", format::rate(rate.value), width.unwrap_or_default()),
        mark: if matches!(row.status, Status::Ranked { .. }) { marks.mark(&row.candidate) } else { Mark::Muted },
    })
}

/// Latencies of one kind of operation by percentile.
pub(crate) fn latencies(phase: &PhaseAnswer, kind: &str, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let line = |row: &PhaseRow| {
        let points = latency_points(tables::latency(row, kind)?);
        (!points.is_empty()).then(|| Line { name: row.candidate.clone(), mark: marks.mark(&row.candidate), points })
    };
    let lines: Vec<Line> = phase.rows.iter().filter_map(line).collect();
    let values: Vec<f64> = lines.iter().flat_map(|line| &line.points).map(|(_, y)| *y).filter(|y| *y > 0.0).collect();
    if values.is_empty() {
        return Ok(None);
    }
    let caption = if phase.operation.word() == kind {
        format!("{}: latency by percentile (log scale)", phase.name)
    } else {
        format!("{}, operation {kind}: latency by percentile (log scale)", phase.name)
    };
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(0.0, f64::max);
    let names = ["p50", "p90", "p99", "p99.9", "max"];
    let chart = LineChart {
        lines: &lines,
        x_ticks: names.into_iter().enumerate().map(|(at, name)| (at as f64, name.to_string())).collect(),
        y: Axis::log(low, high),
        y_name: &tick_duration,
        markers: Markers::Shown,
    };
    let wide = safe(charts::lines(&caption, &chart)?);
    Ok(Some(FigureView { caption, wide, narrow: None, table: tables::percentiles(&phase.rows, kind) }))
}

/// Percentiles up to the first that is withheld; the largest latency only where none is, so that no line spans a gap.
fn latency_points(latency: &LatencyAnswer) -> Vec<(f64, f64)> {
    let known = latency.percentiles.iter().map_while(|percentile| percentile.value_ns);
    let mut values: Vec<u64> = known.collect();
    if values.len() == latency.percentiles.len() {
        values.extend(latency.max_ns);
    }
    values.iter().enumerate().map(|(at, ns)| (at as f64, *ns as f64)).collect()
}

/// A power of ten of nanoseconds: `10 µs`.
fn tick_duration(ns: f64) -> String {
    let text = format::duration(ns.round());
    let (figure, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let figure = if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.') } else { figure };
    format!("{figure} {unit}")
}

/// Rates of stores over the time of a phase; floors are left out, they would flatten the rest.
pub(crate) fn over_time(phase: &PhaseAnswer, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let line = |row: &PhaseRow| {
        let series = row.series.as_ref().filter(|series| series.rates_per_s.len() > 2)?;
        let at = |(slot, rate): (usize, &f64)| ((slot as f64 + 0.5) * series.slot_ns as f64 / 1e9, *rate);
        let points: Vec<(f64, f64)> = series.rates_per_s.iter().enumerate().map(at).collect();
        (row.status != Status::Floor).then(|| Line {
            name: row.candidate.clone(),
            mark: marks.mark(&row.candidate),
            points,
        })
    };
    let lines: Vec<Line> = phase.rows.iter().filter_map(line).collect();
    if lines.is_empty() {
        return Ok(None);
    }
    let last = lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).fold(0.0, f64::max);
    let seconds = Axis::linear(last);
    let (y, scale) = rate_axis(&lines);
    let caption = format!("{}: operations a second over time, in the round of the median rate{scale}", phase.name);
    let chart = LineChart {
        lines: &lines,
        x_ticks: seconds.ticks.iter().map(|at| (*at, seconds_name(*at))).collect(),
        y,
        y_name: &charts::short_rate,
        markers: Markers::Hidden,
    };
    let wide = safe(charts::lines(&caption, &chart)?);
    Ok(Some(FigureView { caption, wide, narrow: None, table: series_table(phase) }))
}

/// Linear from zero, unless the stores' usual rates spread widely. Stalls alone do not make it logarithmic: they are what
/// the chart is there to show.
fn rate_axis(lines: &[Line]) -> (Axis, &'static str) {
    let usual = |line: &Line| {
        let mut rates: Vec<f64> = line.points.iter().map(|(_, y)| *y).collect();
        rates.sort_by(f64::total_cmp);
        rates.get(rates.len() / 2).copied().unwrap_or(0.0)
    };
    let all = || lines.iter().flat_map(|line| &line.points).map(|(_, y)| *y);
    let high = all().fold(0.0, f64::max);
    match Axis::for_values(&lines.iter().map(usual).collect::<Vec<f64>>()).scale {
        Scale::Linear => (Axis::linear(high), ""),
        Scale::Log => {
            let low = all().filter(|rate| *rate > 0.0).fold(high, f64::min);
            let has_zero = all().any(|rate| rate == 0.0);
            (Axis::log(low, high), if has_zero { " (log scale; zero lies at the lower edge)" } else { " (log scale)" })
        }
    }
}

fn seconds_name(seconds: f64) -> String {
    if seconds == 0.0 { "0 s".into() } else { tick_duration(seconds * 1e9) }
}

fn series_table(phase: &PhaseAnswer) -> Table {
    let rows = phase.rows.iter().filter(|row| row.status != Status::Floor).filter_map(|row| {
        let series = row.series.as_ref()?;
        let rates: Vec<String> = series.rates_per_s.iter().map(|rate| format::rate(*rate)).collect();
        Some(vec![
            row.candidate.clone(),
            (series.round + 1).to_string(),
            format::duration(series.slot_ns as f64),
            rates.join(" · "),
        ])
    });
    Table::texts(&["candidate", "round", "slot", "op/s, slot by slot"], rows)
}

fn safe(svg: String) -> Value {
    Value::from_safe_string(svg)
}
