//! The tables of a run over several sizes: how each store grows, and one compact table a size.

use kurabe_analysis::format::{self, NONE, Unit};
use kurabe_analysis::{Answer, Growth, GrowthCurve, GrowthPoint, PhaseAnswer, PhaseRow, Reason, SizeAnswer, Status};
use kurabe_record::StoreKind;

use crate::tables::{Align, Table, Tone, interval, place};

/// The cost of an operation at every size, the exponent of total time with its interval, and what it says.
pub fn growth(growth: &Growth) -> Table {
    let curves = &growth.curves;
    let tone = |curve: &GrowthCurve| match curve.kind {
        StoreKind::Floor => Tone::Floor,
        StoreKind::Store if curve.points.is_empty() => Tone::Unranked,
        StoreKind::Store => Tone::Plain,
    };
    let mut table = Table::of_rows(curves.iter().map(tone));
    table.add("candidate", Align::Left, 0, curves.iter().map(|curve| curve.candidate.clone()));
    let at = |curve: &GrowthCurve, rows: u64| curve.points.iter().find(|point| point.rows == rows).cloned();
    let stores = curves.iter().filter(|curve| curve.kind == StoreKind::Store);
    let costs: Vec<f64> = stores.flat_map(|curve| &curve.points).map(|point| point.cost_ns.value).collect();
    let unit = Unit::of_durations(&costs);
    let sizes = sizes_of(growth);
    for (index, rows) in sizes.iter().copied().enumerate() {
        let cost = |curve: &GrowthCurve| match at(curve, rows) {
            Some(point) => unit.show(point.cost_ns.value),
            None if curve.cut.is_some_and(|cut| cut.rows <= rows) => "cut".into(),
            None => NONE.into(),
        };
        let title = format!("{} rows {}", format::rows(rows), unit.sign);
        // Where space is short the ends say most.
        let rank = if index == 0 || index + 1 == sizes.len() { 0 } else { 4 };
        table.add(&title, Align::Right, rank, curves.iter().map(cost));
    }
    let exponent = |curve: &GrowthCurve| curve.slope.map_or_else(|| NONE.into(), |slope| format!("{:.2}", slope.value));
    table.add("exponent", Align::Right, 0, curves.iter().map(exponent));
    let range = |curve: &GrowthCurve| {
        let range = curve.slope.and_then(|slope| slope.interval);
        range.map(|range| format!("{:.2} … {:.2}", range.low, range.high)).unwrap_or_default()
    };
    table.add("95\u{a0}%", Align::Left, 1, curves.iter().map(range));
    let judgement = |curve: &GrowthCurve| match curve.slope {
        Some(_) => curve.judgement.words().into(),
        None => String::new(),
    };
    table.add("growth", Align::Left, 0, curves.iter().map(judgement));
    let last = |of: fn(&GrowthPoint) -> Option<f64>| -> Vec<Option<f64>> {
        curves.iter().map(|curve| curve.points.last().and_then(of)).collect()
    };
    table.add_in_own_unit("on disk/row", 6, Unit::of_sizes, &last(|point| point.disk_per_row_bytes));
    table.add_in_own_unit("memory", 5, Unit::of_sizes, &last(|point| point.memory_bytes.map(|bytes| bytes as f64)));
    table
}

/// Sizes with a figure or a cut, ascending.
fn sizes_of(growth: &Growth) -> Vec<u64> {
    let points = growth.curves.iter().flat_map(|curve| &curve.points).map(|point| point.rows);
    let cuts = growth.curves.iter().filter_map(|curve| curve.cut).map(|cut| cut.rows);
    let mut sizes: Vec<u64> = points.chain(cuts).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// What stands beside a growth table's name.
pub fn growth_subtitle(growth: &Growth) -> &'static str {
    match growth.operation {
        kurabe_protocol::Operation::Scan => "time of one scan; exponent b of time ~ rows^b, 1 is linear",
        _ => "time of one operation; exponent b of the time for all rows ~ rows^b, 1 is linear",
    }
}

/// One size beside that of the answer: places and rates of all phases.
pub fn size(size: &SizeAnswer) -> Table {
    let Some(first) = size.phases.first() else { return Table::default() };
    let of = |phase: &PhaseAnswer, row: &PhaseRow| -> Option<PhaseRow> {
        phase.rows.iter().find(|other| other.candidate == row.candidate).cloned()
    };
    let tone = |row: &PhaseRow| match row.status {
        Status::Floor => Tone::Floor,
        _ if size.phases.iter().all(|phase| of(phase, row).is_none_or(|row| row.rate_per_s.is_none())) => {
            Tone::Unranked
        }
        _ => Tone::Plain,
    };
    let mut table = Table::of_rows(first.rows.iter().map(tone));
    table.add("candidate", Align::Left, 0, first.rows.iter().map(|row| row.candidate.clone()));
    for phase in &size.phases {
        let rows: Vec<Option<PhaseRow>> = first.rows.iter().map(|row| of(phase, row)).collect();
        let rate = |row: &Option<PhaseRow>| match row.as_ref().and_then(|row| row.rate_per_s) {
            Some(figure) => format::rate(figure.value),
            None => row.as_ref().and_then(short_reason).unwrap_or_else(|| NONE.into()),
        };
        let place = |row: &Option<PhaseRow>| row.as_ref().map(place).unwrap_or_default();
        let width = |row: &Option<PhaseRow>| {
            let figure = row.as_ref()?.rate_per_s?;
            Some(interval(figure.value, figure.interval?, format::rate))
        };
        table.add("#", Align::Right, 0, rows.iter().map(place));
        table.add(&format!("{} op/s", phase.name), Align::Right, 0, rows.iter().map(rate));
        table.add("95\u{a0}%", Align::Left, 1, rows.iter().map(|row| width(row).unwrap_or_default()));
    }
    table
}

fn short_reason(row: &PhaseRow) -> Option<String> {
    match &row.status {
        Status::Unranked { reason } => Some(Reason::short(reason).into()),
        Status::Ranked { .. } | Status::Floor => None,
    }
}

/// What did not count at other sizes and is not said of the answer's size already.
pub fn not_counted_elsewhere(answer: &Answer) -> Vec<String> {
    let told = |candidate: &str, reason: &str| {
        answer.not_counted.iter().any(|entry| entry.candidate == candidate && entry.reason == reason)
    };
    let mut lines = Vec::new();
    for size in &answer.other_sizes {
        for entry in size.not_counted.iter().filter(|entry| !told(&entry.candidate, &entry.reason)) {
            let at = format!(" at {} rows", format::count(size.rows));
            // A cut names its size itself.
            let at = if entry.reason.contains(&at) { "" } else { &at };
            let line = format!("{}{at}: {}", entry.candidate, entry.reason);
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines
}
