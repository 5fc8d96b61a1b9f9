//! Response time against rate, where a phase was searched for the highest rate that keeps an objective.

use kurabe_analysis::{CurvePoint, PhaseAnswer, PhaseRow, RatePoint};
use kurabe_messages::{Message, message};
use kurabe_record::Metric;

use super::Marks;
use super::figures::{Cells, FigureView, HALF_PX, NARROW_PX, safe, tick_duration};
use crate::ReportError;
use crate::charts::{self, Axis, Line, LineChart, LinePoint};
use crate::format;
use crate::table::Table;
use crate::text::Text;

/// The curve of each candidate: the percentile of the objective at every rate that was tried, over all rounds.
pub(crate) fn figure(phase: &PhaseAnswer, marks: &Marks<'_>) -> Result<Option<FigureView>, ReportError> {
    let searched = || phase.rows.iter().filter_map(|row| Some((row, row.rate_search.as_ref()?)));
    let Some((_, first)) = searched().next() else { return Ok(None) };
    let (slo, lines): (_, Vec<Line>) = (first.slo, searched().filter_map(|(row, _)| line(row, marks)).collect());
    let points = || lines.iter().flat_map(|line| &line.points);
    let ends = |of: fn(&LinePoint) -> f64| {
        points().map(of).fold((f64::INFINITY, 0.0f64), |(least, most), at| (least.min(at), most.max(at)))
    };
    if lines.is_empty() {
        return Ok(None);
    }
    let caption = message!(chart_response_against_rate, phase = &phase.name, objective = slo);
    let mut notes = vec![message!(chart_both_log), message!(chart_objective)];
    notes.extend(lines.iter().any(|line| line.knee.is_some()).then(|| message!(chart_knee)));
    let caption = message!(chart_with_notes, caption, notes).to_string();
    let (x, y) = (ends(|point| point.x), ends(|point| point.y));
    let limit = slo.below_ns as f64;
    let drawn = |width_px| LineChart {
        width_px,
        lines: &lines,
        x: Axis::log(x.0, x.1),
        x_name: &charts::short_rate,
        y: Axis::log(y.0.min(limit), y.1.max(limit)),
        y_name: &tick_duration,
        limit: Some(limit),
    };
    let wide = safe(charts::lines(&caption, &drawn(HALF_PX))?);
    let narrow = Some(safe(charts::lines(&caption, &drawn(NARROW_PX))?));
    Ok(Some(FigureView { caption, wide, narrow, table: numbers(phase), cells: Cells::Short }))
}

fn line(row: &PhaseRow, marks: &Marks<'_>) -> Option<Line> {
    let point = |point: &CurvePoint| LinePoint { x: point.rate, y: point.at_objective_ns, interval: None };
    let search = row.rate_search.as_ref()?;
    let points: Vec<LinePoint> = search.curve.iter().map(point).collect();
    let knee = search.knee.map(|knee| (knee.rate, knee.at_objective_ns));
    let mark = marks.mark(&row.candidate);
    let reaches = row.figure(Metric::HighestRate).map(|figure| figure.value);
    (!points.is_empty()).then(|| Line { name: row.candidate.clone(), mark, points, reaches, knee })
}

/// Every step.
fn numbers(phase: &PhaseAnswer) -> Table {
    let titles: [Message; 6] = [
        message!(word_candidate),
        message!(word_round),
        message!(word_op_per_s),
        message!(word_p50),
        message!(table_at_objective),
        message!(word_verdict),
    ];
    let time =
        |ns: Option<u64>| Text::from(ns.map_or_else(|| format::NONE.to_string(), |ns| format::duration(ns as f64)));
    let cells = |row: &PhaseRow, step: &RatePoint| -> Vec<Text> {
        let is_kept = if step.is_kept { message!(table_kept) } else { message!(table_broken) };
        vec![
            row.candidate.clone().into(),
            (step.round + 1).to_string().into(),
            format::count(step.rate.into()).into(),
            time(step.p50_ns),
            time(step.at_objective_ns),
            is_kept.into(),
        ]
    };
    let rows = phase.rows.iter().flat_map(|row| {
        row.rate_search.iter().flat_map(move |search| search.steps.iter().map(move |step| cells(row, step)))
    });
    Table::texts(titles, rows)
}
