//! Charts with their captions and their numbers as tables.

use kurabe_analysis::{ComparedPhase, Figure, LEVEL, LatencyAnswer, PhaseAnswer, PhaseRow, SameWork, Status, phrases};
use kurabe_messages::{Item, Message, message};
use kurabe_record::StoreKind;
use minijinja::Value;
use serde::Serialize;

use super::Marks;
use crate::ReportError;
use crate::changes::good_side;
use crate::charts::{self, Axis, Bar, Mark, Point, Scale, Span, Strip};
use crate::format::{self, NONE};
use crate::plain::visible;
use crate::tables::{self, Align, Table, figure_of, interval_title, tone};
use crate::words;

/// A chart, its caption, and its numbers.
#[derive(Serialize)]
pub(crate) struct FigureView {
    pub(crate) caption: String,
    pub(crate) wide: Value,
    /// The same drawn for narrow screens, where the wide one would be too small to read.
    pub(crate) narrow: Option<Value>,
    pub(crate) table: Table,
    pub(crate) cells: Cells,
}

/// How the cells of a chart's numbers are set.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Cells {
    /// Each on one line.
    Short,
    /// Over as many lines as they need.
    Wrapped,
}

pub(crate) const WIDE_PX: u32 = 960;
pub(crate) const HALF_PX: u32 = 470;
pub(crate) const NARROW_PX: u32 = 350;
/// Between the two: still readable where a narrow screen makes it smaller.
const MIDDLE_PX: u32 = 420;
/// Bars of a chart on the first screen; more would hide the rest of the answer.
const FIRST_BARS: usize = 10;
/// Points of a line over time; more would not be seen and make the page heavy.
const STRIP_POINTS: usize = 160;

/// Further than this a chart of shares does not reach; an interval that does is cut there.
const MOST_SHARE: f64 = 1.5;

/// The ranked candidates of the phases that decide, each as its share of the best, paired by round: ranks are decided by
/// these intervals. All have one scale; one chart a level of durability where these are ranked apart. Runs of an unstable
/// machine are not ranked: their names have no rank.
pub(crate) fn ranks(
    phases: &[&PhaseAnswer],
    marks: &Marks<'_>,
    is_steady: bool,
) -> Result<Vec<FigureView>, ReportError> {
    let mut charts: Vec<(String, Vec<Bar>, Table)> = Vec::new();
    for phase in phases {
        for ranking in &phase.rankings {
            let row = |name: &String| phase.rows.iter().find(|row| row.candidate == *name);
            let all: Vec<Bar> = ranking
                .candidates
                .iter()
                .filter_map(row)
                .filter_map(|row| rank_bar(row, phase, marks, is_steady))
                .collect();
            if all.is_empty() {
                continue;
            }
            let shown = all.len().min(FIRST_BARS);
            let among = phrases::scope_names(ranking.among).into_iter().map(Item::from);
            let places: Vec<Item> = std::iter::once(Item::from(&phase.name)).chain(among).collect();
            let caption = match shown < all.len() {
                true => message!(chart_ranks_first, places, shown, all = all.len()),
                false => message!(chart_ranks, places),
            };
            let rows = ranking.candidates.iter().filter_map(row).map(|row| rank_cells(row, is_steady));
            let figures = [
                message!(word_candidate),
                message!(word_op_per_s),
                interval_title(LEVEL),
                message!(word_of_best),
                interval_title(ranking.level),
            ];
            let titles = is_steady.then(|| message!(word_rank)).into_iter().chain(figures);
            charts.push((caption.to_string(), all[..shown].to_vec(), Table::texts(titles, rows)));
        }
    }
    let ends = charts.iter().flat_map(|(_, bars, _)| bars).map(|bar| bar.interval.map_or(bar.value, |ends| ends.1));
    let high = ends.fold(1.0, f64::max).min(MOST_SHARE);
    let view = |(caption, bars, table): (String, Vec<Bar>, Table)| {
        Ok(FigureView {
            wide: safe(charts::shares(&caption, &bars, high, HALF_PX)?),
            narrow: Some(safe(charts::shares(&caption, &bars, high, NARROW_PX)?)),
            caption,
            table,
            cells: Cells::Short,
        })
    };
    charts.into_iter().map(view).collect()
}

fn rank_cells(row: &PhaseRow, is_steady: bool) -> Vec<String> {
    let rank = is_steady.then(|| match row.status {
        Status::Ranked { rank, .. } => rank.to_string(),
        Status::Unranked { .. } | Status::Baseline => String::new(),
    });
    let ends = |figure: Figure, show: fn(f64) -> String| {
        let range = figure.interval.map(|range| format!("{} … {}", show(range.low), show(range.high)));
        [show(figure.value), range.unwrap_or_default()]
    };
    let none = || [format::NONE.to_string(), String::new()];
    let rate = row.rate_per_s().map_or_else(none, |figure| ends(figure, format::rate));
    let ratio = row.to_best.map_or_else(none, |to_best| ends(to_best.ratio, format::ratio));
    let who = rank.into_iter().chain([row.candidate.clone()]).collect();
    [who, rate.to_vec(), ratio.to_vec()].concat()
}

/// The caption with what else a reader must know.
fn with_notes(caption: Message, notes: Vec<Message>) -> String {
    if notes.is_empty() {
        return caption.to_string();
    }
    message!(chart_with_notes, caption, notes).to_string()
}

fn scale_note(bars: &[Bar]) -> Option<Message> {
    match charts::scale(bars) {
        Scale::Linear => None,
        Scale::Log => Some(message!(chart_log)),
    }
}

fn rank_bar(row: &PhaseRow, phase: &PhaseAnswer, marks: &Marks<'_>, is_steady: bool) -> Option<Bar> {
    let Status::Ranked { rank, sharing } = row.status else { return None };
    let figure = row.figure(phase.rank_by)?;
    let share = row.times_behind(phase.rank_by).map(Figure::inverse);
    let rank = if is_steady { format!("{} ", tables::rank_of(rank, sharing)) } else { String::new() };
    Some(Bar {
        name: format!("{rank}{}", row.candidate),
        value: share.map_or(1.0, |share| share.value),
        interval: share.and_then(|share| share.interval).map(|range| (range.low, range.high)),
        label: tables::figure_of(phase.rank_by, figure.value),
        mark: marks.mark(&row.candidate),
    })
}

/// Every rate of a phase, baselines and those without a rank too.
pub(crate) fn rates(phase: &PhaseAnswer, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let bars: Vec<Bar> = phase.rows.iter().filter_map(|row| rate_bar(row, marks)).collect();
    if bars.is_empty() {
        return Ok(None);
    }
    let has_intervals = bars.iter().any(|bar| bar.interval.is_some());
    let intervals = has_intervals.then(|| message!(chart_intervals, level = format::level(LEVEL)));
    let muted = bars.iter().any(|bar| bar.mark == Mark::Muted).then(|| message!(chart_muted));
    let notes = intervals.into_iter().chain(scale_note(&bars)).chain(muted).collect();
    let caption = with_notes(message!(chart_rates, phase = &phase.name), notes);
    let narrow: Vec<Bar> = bars.iter().map(|bar| Bar { label: format::rate(bar.value), ..bar.clone() }).collect();
    Ok(Some(FigureView {
        wide: safe(charts::bars(&caption, &bars, WIDE_PX)?),
        narrow: Some(safe(charts::bars(&caption, &narrow, NARROW_PX)?)),
        caption,
        table: rounds(phase),
        cells: Cells::Short,
    }))
}

fn rate_bar(row: &PhaseRow, marks: &Marks<'_>) -> Option<Bar> {
    let rate = row.rate_per_s()?;
    let width = rate.interval.map(|range| format::interval(rate.value, range.low, range.high, format::rate));
    // Both ends of a wide interval would not fit; the table has them.
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
    let span = |row: &PhaseRow| {
        let latency = tables::latency(row, kind)?;
        let points = latency_points(latency);
        let label = latency.percentile(0.5).map_or_else(|| format::NONE.into(), |ns| format::duration(ns as f64));
        (!points.is_empty()).then(|| Span {
            name: row.candidate.clone(),
            mark: marks.mark(&row.candidate),
            points,
            label,
        })
    };
    let spans: Vec<Span> = phase.rows.iter().filter_map(span).collect();
    if spans.is_empty() {
        return Ok(None);
    }
    let operation = (phase.operation.word() != kind).then_some(kind);
    let places: Vec<&str> = std::iter::once(phase.name.as_str()).chain(operation).collect();
    let caption = message!(chart_latencies, places).to_string();
    let wide = safe(charts::spans(&caption, &spans, &tick_duration, MIDDLE_PX)?);
    let table = tables::percentiles(&phase.rows, kind);
    Ok(Some(FigureView { caption, wide, narrow: None, table, cells: Cells::Short }))
}

/// Percentiles that are known, and the largest latency. A value of zero has no place on a logarithmic axis.
fn latency_points(latency: &LatencyAnswer) -> Vec<(Point, f64)> {
    let known = [(Point::Median, 0.5), (Point::P99, 0.99), (Point::P999, 0.999)];
    let percentiles = known.into_iter().filter_map(|(point, p)| Some((point, latency.percentile(p)? as f64)));
    let largest = latency.max_ns.map(|ns| (Point::Largest, ns as f64));
    percentiles.chain(largest).filter(|(_, ns)| *ns > 0.0).collect()
}

/// A power of ten of nanoseconds: `10 µs`.
pub(crate) fn tick_duration(ns: f64) -> String {
    let text = format::duration(ns.round());
    let (figure, unit) = text.split_once(' ').unwrap_or((&text, ""));
    let figure = if figure.contains('.') { figure.trim_end_matches('0').trim_end_matches('.') } else { figure };
    format!("{figure} {unit}")
}

/// Rates of stores over the time of a phase, each on its own scale: it shows stalls, not who is faster. `planned` are
/// beginning and end of an open loop, in seconds, with its rate then.
pub(crate) fn over_time(
    phase: &PhaseAnswer,
    planned: Option<[(f64, f64); 2]>,
) -> Result<Option<FigureView>, ReportError> {
    let strip = |row: &PhaseRow| {
        let series = row.over_time.as_ref().filter(|series| series.rates_per_s.len() > 2)?;
        let group = series.rates_per_s.len().div_ceil(STRIP_POINTS);
        let at = |(slot, rates): (usize, &[f64])| {
            let middle = slot as f64 * group as f64 + rates.len() as f64 / 2.0;
            (middle * series.slot_ns as f64 / 1e9, rates.iter().sum::<f64>() / rates.len() as f64)
        };
        let points: Vec<(f64, f64)> = series.rates_per_s.chunks(group).enumerate().map(at).collect();
        (row.status != Status::Baseline).then(|| Strip { name: row.candidate.clone(), points, planned })
    };
    let strips: Vec<Strip> = phase.rows.iter().filter_map(strip).collect();
    if strips.is_empty() {
        return Ok(None);
    }
    let drawn = strips.iter().flat_map(|strip| &strip.points).chain(planned.iter().flatten());
    let last = drawn.map(|(x, _)| *x).fold(0.0, f64::max);
    let caption = message!(chart_over_time, phase = &phase.name);
    let caption = with_notes(caption, planned.map(|_| message!(chart_planned_rate)).into_iter().collect());
    let wide = safe(charts::strips(&caption, &strips, &Axis::linear(last), &seconds_name, MIDDLE_PX)?);
    Ok(Some(FigureView { caption, wide, narrow: None, table: series_table(phase), cells: Cells::Wrapped }))
}

fn seconds_name(seconds: f64) -> String {
    if seconds == 0.0 { "0 s".into() } else { tick_duration(seconds * 1e9) }
}

/// The ratios of a phase over runs.
pub(crate) fn ratios(phase: &ComparedPhase, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let several = phase.rows.iter().any(|row| row.others.len() > 1);
    let mut bars = Vec::new();
    for row in phase.rows.iter().filter(|row| row.kind == StoreKind::Store) {
        for other in row.others.iter().filter(|other| other.work == SameWork::Same) {
            let figure = other.ratio.ratio;
            let run = if several { format!(" · {}", other.run + 1) } else { String::new() };
            bars.push(Bar {
                name: format!("{}{run}", row.candidate),
                value: figure.value,
                interval: figure.interval.map(|range| (range.low, range.high)),
                label: tables::verdict(phase.metric, other).to_string(),
                mark: marks.mark(&row.candidate),
            });
        }
    }
    if bars.is_empty() {
        return Ok(None);
    }
    let (metric, good) = (words::metric_in_words(phase.metric), good_side(phase.metric));
    let caption = message!(chart_ratios, phase = &phase.name, metric, good);
    let numbered = several.then(|| message!(chart_run_numbers));
    let caption = with_notes(caption, std::iter::once(message!(chart_log)).chain(numbered).collect());
    Ok(Some(FigureView {
        wide: safe(charts::ratios(&caption, &bars, WIDE_PX)?),
        narrow: Some(safe(charts::ratios(&caption, &bars, NARROW_PX)?)),
        caption,
        table: tables::comparison(phase),
        cells: Cells::Short,
    }))
}

fn series_table(phase: &PhaseAnswer) -> Table {
    let rows = phase.rows.iter().filter(|row| row.status != Status::Baseline).filter_map(|row| {
        let series = row.over_time.as_ref()?;
        let rates: Vec<String> = series.rates_per_s.iter().map(|rate| format::rate(*rate)).collect();
        Some(vec![
            row.candidate.clone(),
            (series.round + 1).to_string(),
            format::duration(series.slot_ns as f64),
            rates.join(" · "),
        ])
    });
    Table::texts(
        [message!(word_candidate), message!(word_round), message!(word_slot), message!(word_op_per_s_by_slot)],
        rows,
    )
}

/// Bars that stand for themselves, with their numbers; `None` where there are none.
pub(crate) fn bars_view(caption: Message, bars: &[Bar], table: Table) -> Result<Option<FigureView>, ReportError> {
    if bars.is_empty() {
        return Ok(None);
    }
    let caption = with_notes(caption, scale_note(bars).into_iter().collect());
    Ok(Some(FigureView {
        wide: safe(charts::bars(&caption, bars, HALF_PX)?),
        narrow: Some(safe(charts::bars(&caption, bars, NARROW_PX)?)),
        caption,
        table,
        cells: Cells::Short,
    }))
}

pub(crate) fn safe(svg: String) -> Value {
    Value::from_safe_string(visible(&svg).into_owned())
}

/// What a phase is ranked by, in every round.
fn rounds(phase: &PhaseAnswer) -> Table {
    let metric = phase.rank_by;
    let values = |row: &PhaseRow| row.rounds(metric).to_vec();
    let rounds = phase.rows.iter().flat_map(values).map(|value| value.round + 1).max().unwrap_or(0);
    let mut table = Table::of_rows(phase.rows.iter().map(tone));
    table.add(message!(word_candidate), Align::Left, 0, phase.rows.iter().map(|row| row.candidate.clone()));
    for round in 0..rounds {
        let cell = |row: &PhaseRow| {
            let value = row.rounds(metric).iter().find(|value| value.round == round);
            value.map_or_else(|| NONE.to_string(), |value| figure_of(metric, value.value))
        };
        table.add(message!(table_round, round = u64::from(round) + 1), Align::Right, 0, phase.rows.iter().map(cell));
    }
    table
}
