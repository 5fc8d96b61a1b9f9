//! The published tables of a study's source, with ours beside each figure. Machines differ, so what is compared is each
//! figure's ratio to that of the source's winner.

use kurabe_record::{DurabilityLevel, LatencyStatistic, Metric, PublishedCell, PublishedTable, PublishedUnit};
use kurabe_stats::paired_ratio;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::figure::{Figure, Range};
use crate::findings::axes::operations_of;
use crate::findings::claims::binding::{Cell, Context, Evidences};
use crate::findings::claims::finding::Unknown;

/// A published table with ours in it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OurTable {
    /// What it is called in the source.
    pub title: String,
    /// Under which conditions theirs were measured.
    pub conditions: String,
    /// Unit of both.
    pub unit: PublishedUnit,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<OurRow>,
}

/// A row of it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OurRow {
    /// Its name in the source.
    pub name: String,
    /// Its cells, one a column.
    pub cells: Vec<OurCell>,
}

/// A published figure with ours.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct OurCell {
    /// Theirs, in the unit of the table.
    pub theirs: Option<f64>,
    /// Theirs over that of the winner of the column in the source.
    pub theirs_to_winner: Option<f64>,
    /// The candidate of ours.
    pub candidate: String,
    /// Ours, in the unit of the table and for as much work.
    pub ours: Option<Figure>,
    /// Ours over that of the source's winner, paired by round.
    pub ours_to_winner: Option<Figure>,
    /// Why there is none of ours.
    pub missing: Option<Unknown>,
}

/// The time for so many times the operations that were done is still told from their rate; that for more would be a
/// forecast of growth, which nobody measured.
const MOST_SCALED: f64 = 20.0;

/// All tables.
pub(crate) fn tables(evidences: &Evidences<'_>) -> Vec<OurTable> {
    let context = Context::of_figures(evidences);
    evidences.run.plan.claims.published.iter().map(|table| ours(&context, table)).collect()
}

fn ours(context: &Context<'_>, table: &PublishedTable) -> OurTable {
    let winners: Vec<Option<&PublishedCell>> = (0..table.columns.len()).map(|column| winner(table, column)).collect();
    let cell = |(column, cell): (usize, &PublishedCell)| {
        let first = table.rows.first().and_then(|row| row.cells.get(column));
        of_cell(context, table.unit, cell, winners[column], first)
    };
    OurTable {
        title: table.title.clone(),
        conditions: table.conditions.clone(),
        unit: table.unit,
        columns: table.columns.clone(),
        rows: table
            .rows
            .iter()
            .map(|row| OurRow { name: row.name.clone(), cells: row.cells.iter().enumerate().map(cell).collect() })
            .collect(),
    }
}

/// The best figure of a column of the source.
fn winner(table: &PublishedTable, column: usize) -> Option<&PublishedCell> {
    let cells = table.rows.iter().filter_map(|row| row.cells.get(column)).filter(|cell| cell.value.is_some());
    let value = |cell: &&PublishedCell| cell.value.unwrap_or_default();
    match table.unit {
        PublishedUnit::PerSecond => cells.max_by(|a, b| value(a).total_cmp(&value(b))),
        _ => cells.min_by(|a, b| value(a).total_cmp(&value(b))),
    }
}

fn of_cell(
    context: &Context<'_>,
    unit: PublishedUnit,
    cell: &PublishedCell,
    winner: Option<&PublishedCell>,
    first: Option<&PublishedCell>,
) -> OurCell {
    let mut ours = OurCell {
        theirs: cell.value,
        theirs_to_winner: cell.value.zip(winner.and_then(|winner| winner.value)).map(|(one, best)| one / best),
        candidate: context.player(&cell.candidate).to_string(),
        ours: None,
        ours_to_winner: None,
        missing: None,
    };
    match measured(context, unit, cell) {
        None => {}
        Some(Err(unknown)) => ours.missing = Some(unknown),
        Some(Ok(mine)) if unit == PublishedUnit::Times => {
            // A ratio stands beside a ratio, never the time behind it.
            let first = first.and_then(|first| measured(context, unit, first)?.ok());
            ours.ours = first
                .and_then(|first| paired_ratio(&mine.values, &first.values))
                .map(|ratio| Figure::of(ratio.estimate));
        }
        Some(Ok(mine)) => {
            ours.ours = Some(mine.figure);
            let best = winner.and_then(|winner| measured(context, unit, winner)?.ok());
            let ratio = best.and_then(|best| paired_ratio(&mine.values, &best.values));
            ours.ours_to_winner = ratio.map(|ratio| Figure::of(ratio.estimate));
        }
    }
    ours
}

/// A figure of ours in the unit of a table, with its values by round.
pub(super) struct MeasuredCell {
    pub(super) figure: Figure,
    pub(super) values: Vec<Option<f64>>,
}

/// The longest operation of all rounds, in ms. It is one, and has no interval.
fn longest(found: &Cell<'_>) -> Result<MeasuredCell, Unknown> {
    let ns = found.row.latency.iter().filter_map(|kind| kind.max_ns).max();
    let none = || Unknown::NoFigure { candidate: found.candidate.name.clone(), metric: Metric::P999 };
    // Only counted: what a source publishes is its own choice, whatever ranks the phase here.
    let rounds = found.row.rounds(Metric::Rate).len();
    let value = ns.map(|ns| ns as f64 / 1e6).ok_or_else(none)?;
    Ok(MeasuredCell { figure: Figure { value, interval: None, rounds }, values: Vec::new() })
}

/// Ours; `None` where nothing of ours corresponds to a figure.
pub(super) fn measured(
    context: &Context<'_>,
    unit: PublishedUnit,
    cell: &PublishedCell,
) -> Option<Result<MeasuredCell, Unknown>> {
    let place = cell.place.as_ref()?;
    let of_cell = |found: Cell<'_>| {
        // A source published what it ran, whatever that kept; a rank of ours needs more.
        if let Some(unknown) = found.uncounted_at(Some(DurabilityLevel::Cache)) {
            return Err(unknown);
        }
        let plan = &context.evidences.run.plan.configurations[found.at];
        let phase = plan.phases.iter().find(|one| one.phase.name == found.phase.name);
        let done = phase.map_or(1.0, |phase| operations_of(phase, plan.rows));
        let operations = cell.operations.unwrap_or(done);
        let is_time = matches!(unit, PublishedUnit::Seconds | PublishedUnit::MinutesSeconds);
        if is_time && operations > done * MOST_SCALED {
            return Err(Unknown::TooSmall { operations: operations as u64, done: done as u64 });
        }
        if cell.of == Some(LatencyStatistic::Longest) {
            return longest(&found);
        }
        let metric = match unit {
            PublishedUnit::Bytes => Metric::DiskPerRow,
            _ => cell.of.and_then(LatencyStatistic::metric).unwrap_or_default(),
        };
        let convert = |value: f64| match unit {
            PublishedUnit::PerSecond => value,
            PublishedUnit::Milliseconds => value / 1e6,
            PublishedUnit::Bytes => value * plan.rows as f64,
            PublishedUnit::Seconds | PublishedUnit::MinutesSeconds | PublishedUnit::Times => operations / value,
        };
        let no_figure = Unknown::NoFigure { candidate: found.candidate.name.clone(), metric };
        let figure = found.row.figure(metric).ok_or(no_figure)?;
        let values = context.values(&found, metric)?;
        let both = |range: Range| {
            let (one, other) = (convert(range.low), convert(range.high));
            Range { low: one.min(other), high: one.max(other) }
        };
        Ok(MeasuredCell {
            figure: Figure { value: convert(figure.value), interval: figure.interval.map(both), ..figure },
            values: values.into_iter().map(|value| value.map(convert)).collect(),
        })
    };
    Some(context.cell(&cell.candidate, place).and_then(of_cell))
}
