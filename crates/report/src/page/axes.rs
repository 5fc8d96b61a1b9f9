//! The axes of a study on the page: lines over numbers, groups over words, each with its numbers, and growth in words.

use kurabe_analysis::{
    Answer, AxisAnswer, AxisCurve, AxisPoint, ConfigurationAnswer, Figure, Growing, Judgement, LEVEL, phrases,
};
use kurabe_messages::{Message, message};
use kurabe_protocol::Operation;
use kurabe_record::{AxisValue, Metric, MetricUnit, StoreKind};
use serde::Serialize;

use super::Marks;
use super::figures::{Cells, FigureView, HALF_PX, NARROW_PX, bars_view, safe, tick_duration};
use crate::ReportError;
use crate::axis_tables;
use crate::charts::{self, Axis, Bar, Line, LineChart, LinePoint, short_rate};
use crate::clients;
use crate::format::{self, NONE};
use crate::headline;
use crate::tables::{Table, below_rank, figure_of, interval_title, shown_by, with_columns};
use crate::text::Text;
use crate::words;

/// With more values than this their intervals stand in the numbers of the chart only.
const WITH_INTERVALS: usize = 4;

/// One phase along one axis.
#[derive(Serialize)]
pub(crate) struct AxisView {
    name: Text,
    subtitle: Text,
    table: Table,
    figures: Vec<FigureView>,
}

/// A store through its clients.
#[derive(Serialize)]
pub(crate) struct ClientsView {
    name: Text,
    subtitle: Text,
    table: Table,
}

pub(crate) fn clients(answer: &Answer) -> Vec<ClientsView> {
    let view = |store| ClientsView {
        name: clients::title(store).into(),
        subtitle: clients::subtitle(store).into(),
        // Latencies are with their phase: what a client takes shall need little scrolling.
        table: below_rank(clients::table(store), 6),
    };
    clients::shown(answer).map(view).collect()
}

pub(crate) fn views(answer: &Answer, marks: &Marks<'_>) -> Result<Vec<AxisView>, ReportError> {
    axis_tables::shown(answer).map(|axis| view(axis, marks)).collect()
}

fn view(axis: &AxisAnswer, marks: &Marks<'_>) -> Result<AxisView, ReportError> {
    let figures = if axis.is_growth() {
        growth_figures(axis, marks)?
    } else if axis.is_ordered() {
        line_figures(axis, marks)?
    } else {
        groups(axis, marks)?.into_iter().collect()
    };
    Ok(AxisView {
        name: axis_tables::title(axis),
        subtitle: axis_tables::subtitle(axis).into(),
        table: if axis.is_growth() {
            judgements(axis)
        } else if axis.is_ordered() {
            // Latencies have a chart with their numbers, and so have intervals where they would make the page too wide.
            let keeps_intervals = axis.values.len() <= WITH_INTERVALS;
            let of_ratio = axis_tables::RANK_OF_RATIO;
            with_columns(axis_tables::table(axis), |column| {
                !column.title.has(&message!(word_p99))
                    && (keeps_intervals || !column.title.is_interval() || column.rank == of_ratio)
            })
        } else {
            axis_tables::table(axis)
        },
        figures,
    })
}

fn growth_figures(axis: &AxisAnswer, marks: &Marks<'_>) -> Result<Vec<FigureView>, ReportError> {
    let phase = &axis.phase;
    let (caption, grown) = match (axis.growing(), axis.operation) {
        (Growing::Figure(metric), _) => {
            (message!(chart_growth, phase, what = words::metric_in_words(metric)), ranked(axis))
        }
        (Growing::Time, operation) => {
            let is_row = matches!(operation, Operation::Load | Operation::Insert);
            let what = if is_row { message!(chart_time_per_row) } else { message!(chart_time_per_operation) };
            (message!(chart_growth, phase, what), duration(axis_tables::grown(Growing::Time)))
        }
    };
    Ok(chart(axis, caption, marks, &grown)?.into_iter().collect())
}

/// The caption of a chart of a figure over the values of an axis.
fn against(axis: &AxisAnswer, what: Message) -> Message {
    let phase = &axis.phase;
    match axis.is_over_durability() {
        true => message!(chart_against_loss, phase, what),
        false => message!(chart_against, phase, what, axis = &axis.axis),
    }
}

fn line_figures(axis: &AxisAnswer, marks: &Marks<'_>) -> Result<Vec<FigureView>, ReportError> {
    let caption = |what| against(axis, what);
    let first = chart(axis, caption(words::metric_in_words(axis.metric)), marks, &ranked(axis))?;
    let slow = match axis.metric {
        Metric::P99 => None,
        _ => chart(axis, caption(message!(chart_p99)), marks, &duration(|point| point.p99_ns))?,
    };
    Ok([first, slow].into_iter().flatten().collect())
}

/// What a chart shows of each point.
struct Shown<'a> {
    of: fn(&AxisPoint) -> Option<Figure>,
    /// A tick of its axis.
    name: &'a dyn Fn(f64) -> String,
    /// A figure in its table.
    show: fn(f64) -> String,
}

/// What ranks the phase.
fn ranked(axis: &AxisAnswer) -> Shown<'static> {
    let name: &dyn Fn(f64) -> String = match axis.metric.unit() {
        MetricUnit::PerSecond => &short_rate,
        MetricUnit::Nanoseconds => &tick_duration,
        MetricUnit::Bytes => &format::size,
    };
    Shown { of: |point| point.figure, name, show: shown_by(axis.metric) }
}

fn duration(of: fn(&AxisPoint) -> Option<Figure>) -> Shown<'static> {
    Shown { of, name: &tick_duration, show: format::duration }
}

fn number(value: &AxisValue) -> Option<f64> {
    match value {
        AxisValue::Number(number) => Some(*number as f64),
        AxisValue::Word(_) => None,
    }
}

/// Where a value stands: a number at itself, a word at its place among the others.
fn position(axis: &AxisAnswer, value: &AxisValue) -> Option<f64> {
    if axis.is_line() {
        return number(value).map(|number| number.max(0.5));
    }
    axis.values.iter().position(|one| one == value).map(|place| (place + 1) as f64)
}

/// The x axis over values from `least` to `most`.
fn x_axis(axis: &AxisAnswer, least: f64, most: f64) -> Axis {
    if !axis.is_line() {
        Axis::places(axis.values.len())
    } else if axis.is_growth() {
        Axis::log(least, most)
    } else {
        Axis::from_values(
            axis.values.iter().filter_map(number).filter(|value| (least..=most).contains(value)).collect(),
        )
    }
}

/// Rates and times are logarithmic, and numbers that they stand over. A line that ends early with a cross was skipped.
fn chart(
    axis: &AxisAnswer,
    caption: Message,
    marks: &Marks<'_>,
    shown: &Shown<'_>,
) -> Result<Option<FigureView>, ReportError> {
    let line = |curve: &AxisCurve| {
        let point = |point: &AxisPoint| {
            let figure = (shown.of)(point)?;
            let interval = figure.interval.map(|range| (range.low, range.high));
            Some(LinePoint { x: position(axis, &point.value)?, y: figure.value, interval })
        };
        let points: Vec<LinePoint> = curve.points.iter().filter_map(point).collect();
        let skipped = if curve.skipped.is_some() { " ✕" } else { "" };
        (!points.is_empty()).then(|| Line {
            name: format!("{}{skipped}", curve.candidate),
            mark: marks.mark(&curve.candidate),
            points,
            reaches: None,
            knee: None,
        })
    };
    let lines: Vec<Line> = axis.curves.iter().filter_map(line).collect();
    let points = || lines.iter().flat_map(|line| &line.points);
    let ends = || {
        let of_point = |point: &LinePoint| {
            let (low, high) = point.interval.filter(|(low, high)| *high < 100.0 * low).unwrap_or((point.y, point.y));
            [point.y, low, high]
        };
        points().flat_map(of_point).filter(|y| *y > 0.0)
    };
    if lines.is_empty() || ends().next().is_none() {
        return Ok(None);
    }
    let any_skipped = axis.curves.iter().any(|curve| curve.skipped.is_some());
    let scale = if axis.is_line() { message!(chart_both_log) } else { message!(chart_log) };
    let notes: Vec<Message> = std::iter::once(scale).chain(any_skipped.then(|| message!(chart_skipped))).collect();
    let caption = message!(chart_with_notes, caption, notes).to_string();
    let (least, most) =
        points().fold((f64::INFINITY, 0.0f64), |(least, most), point| (least.min(point.x), most.max(point.x)));
    let x = x_axis(axis, least, most);
    let tick = |at: f64| match axis.is_line() {
        true => short_rate(at),
        false => {
            let value = axis.values.get(at as usize - 1);
            value.map(|value| phrases::value_in_short(&axis.axis, value)).unwrap_or_default()
        }
    };
    let drawn = |width_px| LineChart {
        width_px,
        lines: &lines,
        x: x.clone(),
        x_name: &tick,
        y: Axis::log(ends().fold(f64::INFINITY, f64::min), ends().fold(0.0, f64::max)),
        y_name: shown.name,
        limit: None,
    };
    let wide = safe(charts::lines(&caption, &drawn(HALF_PX))?);
    let narrow = Some(safe(charts::lines(&caption, &drawn(NARROW_PX))?));
    let table = if axis.values.len() > WITH_INTERVALS { listed(axis, shown) } else { numbers(axis, shown) };
    Ok(Some(FigureView { caption, wide, narrow, table, cells: Cells::Short }))
}

/// A row for each candidate, a column for each value.
fn numbers(axis: &AxisAnswer, shown: &Shown<'_>) -> Table {
    let title = |value| match axis.is_over_durability() {
        true => phrases::value_in_short(&axis.axis, value),
        false => phrases::factor(&axis.axis, value).to_string(),
    };
    let values = axis.values.iter().map(|value| Text::from(title(value)));
    let titles = std::iter::once(Text::from(message!(word_candidate))).chain(values);
    let cell = |curve: &AxisCurve, value: &AxisValue| {
        let Some(figure) = axis_tables::point_at(curve, value).and_then(shown.of) else {
            return axis_tables::gap(curve, value);
        };
        let interval = figure
            .interval
            .map(|range| format!(" ({})", format::interval(figure.value, range.low, range.high, shown.show)));
        let text = format!("{}{}", (shown.show)(figure.value), interval.unwrap_or_default());
        axis_tables::with_repeat(text, curve, value)
    };
    let row = |curve: &AxisCurve| {
        let cells = axis.values.iter().map(|value| cell(curve, value));
        std::iter::once(Text::from(curve.candidate.clone())).chain(cells).collect()
    };
    Table::texts(titles, axis.curves.iter().map(row))
}

/// A row for each candidate and value, where columns for all values would not fit beside a chart.
fn listed(axis: &AxisAnswer, shown: &Shown<'_>) -> Table {
    let interval = |figure: Figure| {
        let range = figure.interval;
        range.map(|range| format!("{} … {}", (shown.show)(range.low), (shown.show)(range.high))).unwrap_or_default()
    };
    let row = |curve: &AxisCurve, value: &AxisValue| -> Vec<Text> {
        let figure = axis_tables::point_at(curve, value).and_then(shown.of);
        let cell = match figure {
            Some(figure) => axis_tables::with_repeat((shown.show)(figure.value), curve, value),
            None => axis_tables::gap(curve, value),
        };
        let value = phrases::value_in_short(&axis.axis, value);
        vec![curve.candidate.clone().into(), value.into(), cell, figure.map(interval).unwrap_or_default().into()]
    };
    let titles = [
        message!(word_candidate).into(),
        axis.axis.clone().into(),
        message!(word_value).into(),
        interval_title(LEVEL).into(),
    ];
    let rows = axis.curves.iter().flat_map(|curve| axis.values.iter().map(move |value| row(curve, value)));
    Table::texts::<Text, Text>(titles, rows)
}

/// Words without an order: a bar for each candidate and value.
fn groups(axis: &AxisAnswer, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let mut bars: Vec<Bar> = Vec::new();
    for curve in axis.curves.iter().filter(|curve| curve.kind == StoreKind::Store) {
        let bar = |point: &AxisPoint| {
            let figure = point.figure?;
            Some(Bar {
                name: format!("{} · {}", curve.candidate, phrases::value_in_short(&axis.axis, &point.value)),
                value: figure.value,
                interval: figure.interval.map(|range| (range.low, range.high)),
                label: figure_of(axis.metric, figure.value),
                mark: marks.mark(&curve.candidate),
            })
        };
        bars.extend(curve.points.iter().filter_map(bar));
    }
    bars_view(against(axis, words::metric_in_words(axis.metric)), &bars, numbers(axis, &ranked(axis)))
}

/// What the exponents say, in words.
fn judgements(axis: &AxisAnswer) -> Table {
    let row = |curve: &AxisCurve| {
        let slope = curve.slope.map_or_else(|| NONE.to_string(), |slope| format::significant(slope.value, 3));
        let interval = curve.slope.and_then(|slope| slope.interval);
        let interval = interval.map_or_else(
            || NONE.to_string(),
            |range| format!("{} … {}", format::significant(range.low, 3), format::significant(range.high, 3)),
        );
        let tenfold = curve
            .slope
            .map_or_else(|| NONE.to_string(), |slope| format!("{} ×", format::ratio(10f64.powf(slope.value))));
        vec![
            Text::from(curve.candidate.clone()),
            of_an_operation(curve.judgement).into(),
            tenfold.into(),
            slope.into(),
            interval.into(),
        ]
    };
    let [tenfold, exponent] = match axis.growing() {
        Growing::Time => [message!(word_tenfold_time), message!(word_exponent_of_total)],
        Growing::Figure(_) => [message!(word_tenfold), message!(word_exponent)],
    };
    let titles = [message!(word_candidate), message!(word_as_data_grow), tenfold, exponent, interval_title(LEVEL)];
    Table::texts(titles, axis.curves.iter().map(row))
}

fn of_an_operation(judgement: Judgement) -> Message {
    match judgement {
        Judgement::LessThanLinear => message!(word_operation_cheaper),
        Judgement::Linear => message!(word_operation_constant),
        Judgement::MoreThanLinear => message!(word_operation_dearer),
        _ => words::growth(judgement),
    }
}

/// Where and why candidates were not measured any further, each once.
pub(crate) fn skipped(answer: &Answer) -> Vec<Message> {
    let mut skipped: Vec<Message> = Vec::new();
    for curve in answer.axes.iter().flat_map(|one| &one.curves) {
        let one = curve.skipped.as_ref();
        let one = one.map(|one| message!(table_not_counted, candidates = [&curve.candidate], reason = one.message()));
        skipped.extend(one.filter(|one| !skipped.contains(one)));
    }
    skipped
}

/// The other configurations, the last first, each with its ranks and rates.
#[derive(Serialize)]
pub(crate) struct LevelView {
    title: Text,
    caption: Text,
    table: Table,
}

pub(crate) fn other_configurations(answer: &Answer) -> Vec<LevelView> {
    let view = |level: &ConfigurationAnswer| {
        let (at, rounds) = (phrases::configuration_name(&level.at), level.rounds.measured);
        LevelView {
            title: message!(table_configuration, at = at.clone(), rounds).into(),
            caption: message!(table_configuration_ranks, at).into(),
            table: axis_tables::level(level, headline::is_steady(answer)),
        }
    };
    answer.other_configurations.iter().rev().map(view).collect()
}
