//! The tables of the axes of a study: what changes along each, how cost grows with rows, and one compact table a
//! configuration.

use kurabe_analysis::{
    Answer, AxisAnswer, AxisCurve, AxisPoint, ConfigurationAnswer, Figure, Growing, LEVEL, NotCounted,
    NotCountedReason, PhaseAnswer, PhaseRow, PointGap, Reason, Status, phrases,
};
use kurabe_messages::{Message, message};
use kurabe_protocol::Operation;
use kurabe_record::{AxisValue, Metric, MetricUnit, StoreKind};

use crate::format::{self, NONE, Unit};
use crate::tables::{self, Align, Table, Tone, in_unit, interval_title, shown_by, width};
use crate::text::Text;
use crate::words;

/// The axes that belong to the configuration that an answer is about; the rest is in the JSON. Clients have tables of
/// their own.
pub fn shown(answer: &Answer) -> impl Iterator<Item = &AxisAnswer> {
    let is_elsewhere = |axis: &AxisAnswer| axis.is_over_clients() && !answer.clients.is_empty();
    answer.axes.iter().filter(move |axis| axis.belongs_to(&answer.at) && !is_elsewhere(axis))
}

/// What stands above a table of an axis.
pub fn title(axis: &AxisAnswer) -> Text {
    if axis.is_growth() {
        return message!(table_growth_of, phase = &axis.phase).into();
    }
    format!("{}: {}", axis.axis, axis.phase).into()
}

/// What stands beside it.
pub fn subtitle(axis: &AxisAnswer) -> Message {
    let about = match (axis.is_growth(), axis.growing(), axis.operation) {
        (true, Growing::Figure(metric), _) => message!(table_growth_of_figure, metric = words::metric(metric)),
        (true, Growing::Time, Operation::Scan) => message!(table_growth_of_scan),
        (true, Growing::Time, _) => message!(table_growth_of_operation),
        (false, ..) => {
            let what = words::metric_in_words(axis.metric);
            let value = |value| phrases::value_in_short(&axis.axis, value);
            match (axis.values.first(), axis.values.last()) {
                (Some(first), Some(last)) => {
                    message!(table_axis_ratio, what, first = value(first), last = value(last))
                }
                _ => what,
            }
        }
    };
    match axis.beside.as_slice() {
        [] => about,
        beside => message!(table_axis_at, factors = phrases::factors(beside), about),
    }
}

/// A table for an axis, whatever it is over.
pub fn table(axis: &AxisAnswer) -> Table {
    if axis.is_growth() { growth(axis) } else { values(axis) }
}

fn start(axis: &AxisAnswer) -> Table {
    let tone = |curve: &AxisCurve| match curve.kind {
        StoreKind::Baseline => Tone::Baseline,
        StoreKind::Store if curve.points.is_empty() => Tone::Unranked,
        StoreKind::Store => Tone::Plain,
    };
    let mut table = Table::of_rows(axis.curves.iter().map(tone));
    table.add(message!(word_candidate), Align::Left, 0, axis.curves.iter().map(|curve| curve.candidate.clone()));
    table
}

/// The point of a curve at a value.
pub fn point_at<'a>(curve: &'a AxisCurve, value: &AxisValue) -> Option<&'a AxisPoint> {
    curve.points.iter().find(|point| point.value == *value)
}

/// Why a point is missing.
pub fn gap(curve: &AxisCurve, value: &AxisValue) -> Text {
    let missing = curve.missing.iter().find(|missing| missing.value == *value);
    missing.map_or_else(Text::none, |missing| words::gap(&missing.why).into())
}

/// A figure, with a mark where its store was set as at an earlier value of the axis: nobody shall take the noise between the
/// two for a difference.
pub fn with_repeat(figure: String, curve: &AxisCurve, value: &AxisValue) -> Text {
    if curve.repeats(value).is_some() { format!("{figure}\u{a0}=").into() } else { figure.into() }
}

/// The settings that stores used over an axis of durability; `None` where there is no such axis.
pub fn settings(answer: &Answer) -> Option<Table> {
    let axis = shown(answer).find(|axis| axis.is_over_durability())?;
    let stores = || axis.curves.iter().filter(|curve| curve.kind == StoreKind::Store);
    let mut table = Table::of_rows(stores().map(|_| Tone::Plain));
    table.add(message!(word_candidate), Align::Left, 0, stores().map(|curve| curve.candidate.clone()));
    for value in &axis.values {
        let setting = |curve: &AxisCurve| match point_at(curve, value) {
            Some(point) => point.setting.clone().map_or_else(Text::none, |name| with_repeat(name, curve, value)),
            None => gap(curve, value),
        };
        table.add(phrases::value_in_short(&axis.axis, value), Align::Left, 0, stores().map(setting));
    }
    Some(table)
}

/// Where space is short the ends of a scale say most; of things with names each says as much.
fn rank(axis: &AxisAnswer, index: usize) -> u8 {
    match axis.values[index] {
        _ if index == 0 || index + 1 == axis.values.len() => 0,
        AxisValue::Word(_) => 1,
        AxisValue::Number(_) => 4,
    }
}

/// The rank of the interval of the ratio among columns.
pub const RANK_OF_RATIO: u8 = 2;

/// What ranks the phase at every value with its interval, the last of them relative to the first, and the slowest operations.
fn values(axis: &AxisAnswer) -> Table {
    let (curves, show) = (&axis.curves, shown_by(axis.metric));
    let mut table = start(axis);
    for (index, value) in axis.values.iter().enumerate() {
        let figure = |curve: &AxisCurve| match point_at(curve, value) {
            Some(point) => point.figure.map_or_else(Text::none, |figure| with_repeat(show(figure.value), curve, value)),
            None => gap(curve, value),
        };
        table.add(
            phrases::value_in_short(&axis.axis, value),
            Align::Right,
            rank(axis, index),
            curves.iter().map(figure),
        );
        let interval = |curve: &AxisCurve| width(point_at(curve, value).and_then(|point| point.figure), show);
        table.add(interval_title(LEVEL), Align::Left, 5, curves.iter().map(interval));
    }
    let last = |curve: &AxisCurve| {
        let point = axis.values.last().and_then(|value| point_at(curve, value))?;
        point.to_first.map(|ratio| ratio.ratio)
    };
    let ratio = |curve: &AxisCurve| last(curve).map_or_else(|| NONE.to_string(), |figure| format::ratio(figure.value));
    table.add(message!(word_ratio), Align::Right, 1, curves.iter().map(ratio));
    let ratio_width = |curve: &AxisCurve| width(last(curve), format::ratio);
    table.add(interval_title(LEVEL), Align::Left, RANK_OF_RATIO, curves.iter().map(ratio_width));
    if axis.metric != Metric::P99 {
        add_p99(&mut table, axis, 3);
    }
    table
}

/// The slowest hundredth at every value, in one unit.
fn add_p99(table: &mut Table, axis: &AxisAnswer, least_rank: u8) {
    let stores = axis.curves.iter().filter(|curve| curve.kind == StoreKind::Store);
    let known = stores.flat_map(|curve| &curve.points).filter_map(|point| Some(point.p99_ns?.value));
    let known: Vec<f64> = known.collect();
    if known.is_empty() {
        return;
    }
    let unit = Unit::of_durations(&known);
    for (index, value) in axis.values.iter().enumerate() {
        let cell = |curve: &AxisCurve| {
            let figure = point_at(curve, value).and_then(|point| point.p99_ns);
            figure.map_or_else(|| NONE.to_string(), |figure| unit.show(figure.value))
        };
        let title =
            message!(table_at_value, title = message!(word_p99), value = phrases::value_in_short(&axis.axis, value));
        table.add(in_unit(title, unit), Align::Right, least_rank.max(rank(axis, index)), axis.curves.iter().map(cell));
    }
}

/// What grows along rows, at one size: the cost of an operation, or the figure that ranks the phase.
pub(crate) fn grown(growing: Growing) -> fn(&AxisPoint) -> Option<Figure> {
    match growing {
        Growing::Time => |point| Some(point.cost_ns),
        Growing::Figure(_) => |point| point.figure,
    }
}

/// The cost of an operation or the figure at every size, the exponent with its interval, and what it says.
fn growth(axis: &AxisAnswer) -> Table {
    let curves = &axis.curves;
    let mut table = start(axis);
    let stores = curves.iter().filter(|curve| curve.kind == StoreKind::Store);
    let of = grown(axis.growing());
    let known: Vec<f64> = stores.flat_map(|curve| &curve.points).filter_map(|point| Some(of(point)?.value)).collect();
    let unit = match axis.metric.unit() {
        MetricUnit::Bytes => Unit::of_sizes(&known),
        MetricUnit::PerSecond | MetricUnit::Nanoseconds => Unit::of_durations(&known),
    };
    for (index, value) in axis.values.iter().enumerate() {
        let cost = |curve: &AxisCurve| match point_at(curve, value) {
            Some(point) => of(point).map_or_else(Text::none, |figure| unit.show(figure.value).into()),
            None => gap(curve, value),
        };
        let title = message!(table_at_rows, rows = rows(value));
        table.add(in_unit(title, unit), Align::Right, rank(axis, index), curves.iter().map(cost));
    }
    let exponent =
        |curve: &AxisCurve| curve.slope.map_or_else(|| NONE.to_string(), |slope| format!("{:.2}", slope.value));
    table.add(message!(word_exponent), Align::Right, 0, curves.iter().map(exponent));
    let range = |curve: &AxisCurve| {
        let range = curve.slope.and_then(|slope| slope.interval);
        range.map(|range| format!("{:.2} … {:.2}", range.low, range.high)).unwrap_or_default()
    };
    table.add(interval_title(LEVEL), Align::Left, 1, curves.iter().map(range));
    let judgement = |curve: &AxisCurve| match curve.slope {
        Some(_) => words::growth(curve.judgement).into(),
        None => Text::default(),
    };
    table.add(message!(word_growth), Align::Left, 0, curves.iter().map(judgement));
    let last = |of: fn(&AxisPoint) -> Option<f64>| -> Vec<Option<f64>> {
        curves.iter().map(|curve| curve.points.last().and_then(of)).collect()
    };
    table.add_in_own_unit(message!(word_disk_per_row), 6, Unit::of_sizes, &last(|point| point.disk_per_row_bytes));
    table.add_in_own_unit(
        message!(word_memory),
        5,
        Unit::of_sizes,
        &last(|point| point.memory_bytes.map(|bytes| bytes as f64)),
    );
    table
}

fn rows(value: &AxisValue) -> String {
    match value {
        AxisValue::Number(rows) => format::rows(*rows),
        AxisValue::Word(word) => word.clone(),
    }
}

/// One configuration beside that of the answer: ranks, where the machine was stable, and what ranks each phase.
pub fn level(level: &ConfigurationAnswer, is_steady: bool) -> Table {
    let Some(first) = level.phases.first() else { return Table::default() };
    let of = |phase: &PhaseAnswer, row: &PhaseRow| -> Option<PhaseRow> {
        phase.rows.iter().find(|other| other.candidate == row.candidate).cloned()
    };
    let tone = |row: &PhaseRow| match row.status {
        Status::Baseline => Tone::Baseline,
        _ if level.phases.iter().all(|phase| of(phase, row).is_none_or(|row| row.rate_per_s().is_none())) => {
            Tone::Unranked
        }
        _ => Tone::Plain,
    };
    let mut table = Table::of_rows(first.rows.iter().map(tone));
    table.add(message!(word_candidate), Align::Left, 0, first.rows.iter().map(|row| row.candidate.clone()));
    for phase in &level.phases {
        let rows: Vec<Option<PhaseRow>> = first.rows.iter().map(|row| of(phase, row)).collect();
        let (metric, show) = (phase.rank_by, shown_by(phase.rank_by));
        let ranked = |row: &Option<PhaseRow>| row.as_ref().and_then(|row| row.figure(metric));
        let figure = |row: &Option<PhaseRow>| match ranked(row) {
            Some(figure) => show(figure.value).into(),
            None => row.as_ref().and_then(short_reason).map_or_else(Text::none, Text::from),
        };
        let rank = |row: &Option<PhaseRow>| row.as_ref().map(tables::rank).unwrap_or_default();
        let interval = |row: &Option<PhaseRow>| width(ranked(row), show);
        if is_steady {
            table.add(message!(word_rank_short), Align::Right, 0, rows.iter().map(rank));
        }
        let title = message!(table_of_phase, phase = &phase.name, title = words::metric(metric));
        table.add(title, Align::Right, 0, rows.iter().map(figure));
        table.add(interval_title(LEVEL), Align::Left, 1, rows.iter().map(interval));
    }
    table
}

fn short_reason(row: &PhaseRow) -> Option<Message> {
    match &row.status {
        Status::Unranked { reason } => Some(words::reason(reason)),
        Status::Ranked { .. } | Status::Baseline => None,
    }
}

/// What is not counted in other configurations, and values of an axis that candidates cannot have, where the answer's own
/// configuration does not say so already: a line for everything with the same reason.
pub fn not_counted_elsewhere(answer: &Answer) -> Vec<Message> {
    let mut cells: Vec<SharedReason> = Vec::new();
    for level in &answer.other_configurations {
        let is_new = |entry: &&NotCounted| !is_listed(&answer.not_counted, &entry.candidate, &entry.why);
        for entry in level.not_counted.iter().filter(is_new) {
            // What was skipped names its configuration itself.
            let names_place = matches!(&entry.why, NotCountedReason::NotRanked(Reason::Skipped { .. }));
            let place = (!names_place).then(|| phrases::configuration_name(&level.at));
            cells.push(SharedReason::new(&entry.candidate, place, entry.why.message()));
        }
    }
    let levels =
        || std::iter::once(&answer.not_counted).chain(answer.other_configurations.iter().map(|one| &one.not_counted));
    for axis in &answer.axes {
        for (curve, missing) in axis.curves.iter().flat_map(|curve| curve.missing.iter().map(move |one| (curve, one))) {
            let listed = match &missing.why {
                PointGap::LeftOut(_) => false,
                PointGap::Unranked(reason @ Reason::Unsupported { .. }) => {
                    let why = NotCountedReason::NotRanked(reason.clone());
                    levels().any(|entries| is_listed(entries, &curve.candidate, &why))
                }
                PointGap::Unranked(_) | PointGap::NoRate | PointGap::NotMeasured => true,
            };
            if !listed {
                let at = phrases::factor(&axis.axis, &missing.value);
                cells.push(SharedReason::new(&curve.candidate, Some(at), missing.why.message()));
            }
        }
    }
    together(cells).into_iter().map(SharedReason::message).collect()
}

/// Something that is not counted, with all candidates and places that share the reason.
struct SharedReason {
    candidates: Vec<String>,
    places: Vec<Message>,
    reason: Message,
}

impl SharedReason {
    fn new(candidate: &str, place: Option<Message>, reason: Message) -> SharedReason {
        SharedReason { candidates: vec![candidate.to_string()], places: place.into_iter().collect(), reason }
    }

    fn message(self) -> Message {
        let SharedReason { candidates, places, reason } = self;
        match places.as_slice() {
            [] => message!(table_not_counted, candidates, reason),
            _ => message!(table_not_counted_at, candidates, places, reason),
        }
    }
}

/// Places of one candidate for one reason, then candidates with the same places.
fn together(cells: Vec<SharedReason>) -> Vec<SharedReason> {
    let mut by_candidate: Vec<SharedReason> = Vec::new();
    for cell in cells {
        match by_candidate.iter_mut().find(|one| (&one.candidates, &one.reason) == (&cell.candidates, &cell.reason)) {
            Some(known) => add(&mut known.places, cell.places),
            None => by_candidate.push(cell),
        }
    }
    let mut groups: Vec<SharedReason> = Vec::new();
    for cell in by_candidate {
        match groups.iter_mut().find(|one| (&one.places, &one.reason) == (&cell.places, &cell.reason)) {
            Some(known) => add(&mut known.candidates, cell.candidates),
            None => groups.push(cell),
        }
    }
    groups
}

fn add<T: PartialEq>(known: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !known.contains(&one) {
            known.push(one);
        }
    }
}

fn is_listed(entries: &[NotCounted], candidate: &str, why: &NotCountedReason) -> bool {
    entries.iter().any(|one| one.candidate == candidate && one.why == *why)
}
