//! From a source's method to the correct work, one pitfall less at a time: a waterfall chart.

use kurabe_analysis::{Figure, Replication, Step};
use kurabe_messages::{Message, described, message};

use super::figures::{Cells, FigureView, NARROW_PX, WIDE_PX, safe};
use crate::ReportError;
use crate::charts::{self, Bar, Fall, Mark};
use crate::format;
use crate::tables::{self, Table};
use crate::text::Text;

/// A chart for each column whose steps were measured.
pub(crate) fn views<'a>(columns: impl Iterator<Item = &'a Replication>) -> Result<Vec<FigureView>, ReportError> {
    columns.filter_map(|one| view(one).transpose()).collect()
}

/// The column of which pitfalls changed most; one whose best row changed comes first.
pub(crate) fn main_column<'a>(columns: &[&'a Replication]) -> Option<&'a Replication> {
    let changed = |one: &Replication| one.steps.windows(2).any(|two| two[0].best != two[1].best);
    let most = |one: &Replication| {
        let changes = one.steps.iter().filter_map(|step| step.change);
        changes.map(|change| change.value.ln().abs()).fold(0.0, f64::max)
    };
    let with_steps = columns.iter().copied().filter(|one| one.steps.len() > 1);
    with_steps.max_by(|a, b| changed(a).cmp(&changed(b)).then(most(a).total_cmp(&most(b))))
}

/// How many times as good the source's best row is as its next best, after each step; `None` without steps.
pub(crate) fn view(one: &Replication) -> Result<Option<FigureView>, ReportError> {
    let [first, second, ..] = one.order.as_slice() else { return Ok(None) };
    if one.steps.len() < 2 {
        return Ok(None);
    }
    let (table, column) = (described(&one.table), described(&one.column));
    let caption = message!(chart_waterfall, table, column, first = described(first), second = described(second));
    let caption = caption.to_string();
    Ok(Some(FigureView {
        wide: safe(charts::waterfall(&caption, &falls(one, Width::Wide), WIDE_PX)?),
        narrow: Some(safe(charts::waterfall(&caption, &falls(one, Width::Narrow), NARROW_PX)?)),
        caption,
        table: numbers(one),
        cells: Cells::Short,
    }))
}

/// Whether there is room for more than figures.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    Wide,
    Narrow,
}

/// The source's method, each step from where the one before it ended, and the correct work.
fn falls(one: &Replication, width: Width) -> Vec<Fall> {
    let fall = |from: f64, step: &Step, name: Message, interval: Option<(f64, f64)>, is_named: bool| {
        let best = is_named && width == Width::Wide;
        let ratio = format!("{} ×", format::ratio(step.lead.value));
        let label = if best { format!("{} · {ratio}", described(&step.best)) } else { ratio };
        let mark = Mark::Store(one.order.iter().position(|row| *row == step.best).unwrap_or(one.order.len()));
        Fall { from, to: Bar { name: name.to_string(), value: step.lead.value, interval, label, mark } }
    };
    let steps = one.steps.windows(2).filter_map(|two| {
        let (before, step) = (&two[0], &two[1]);
        let pitfall = step.removes.as_ref()?;
        let name = match width {
            Width::Wide => message!(chart_without, pitfall),
            Width::Narrow => message!(chart_less, pitfall),
        };
        let interval = step.change.and_then(|change| ends(change.times(before.lead.value)));
        Some(fall(before.lead.value, step, name, interval, before.best != step.best))
    });
    let whole = |step: &Step, name: Message| fall(1.0, step, name, ends(step.lead), true);
    let published = one.steps.first().map(|step| whole(step, message!(chart_as_published)));
    let correct = one.steps.last().map(|step| whole(step, message!(chart_correct_work)));
    published.into_iter().chain(steps).chain(correct).collect()
}

fn ends(figure: Figure) -> Option<(f64, f64)> {
    figure.interval.map(|range| (range.low, range.high))
}

/// The steps as a table.
fn numbers(one: &Replication) -> Table {
    let row = |step: &Step| -> Vec<Text> {
        let name = match &step.removes {
            None => message!(chart_as_published),
            Some(pitfall) => message!(chart_without, pitfall),
        };
        vec![
            name.into(),
            step.change.map_or_else(Text::none, |change| tables::factor(change).into()),
            tables::factor(step.lead).into(),
            described(&step.best).into(),
        ]
    };
    Table::texts(
        [message!(word_step), message!(word_change), message!(word_lead), message!(word_fastest)],
        one.steps.iter().map(row),
    )
}

#[cfg(test)]
mod tests {
    use kurabe_analysis::{ClaimVerdict, Range};

    use super::*;

    fn step(removes: Option<&str>, lead: f64, change: Option<f64>, best: &str) -> Step {
        let figure =
            |value: f64| Figure { value, rounds: 5, interval: Some(Range { low: value / 1.1, high: value * 1.1 }) };
        Step {
            removes: removes.map(String::from),
            lead: figure(lead),
            change: change.map(figure),
            best: best.to_string(),
        }
    }

    fn column(name: &str, steps: Vec<Step>) -> Replication {
        Replication {
            table: "Read".into(),
            column: name.into(),
            order: vec!["A".into(), "B".into()],
            verdict: ClaimVerdict::Right,
            pairs: Vec::new(),
            too_few_rounds: None,
            steps,
        }
    }

    fn turned() -> Replication {
        let steps = vec![
            step(None, 20.0, None, "A"),
            step(Some("cold"), 10.0, Some(0.5), "A"),
            step(Some("old"), 0.2, Some(0.02), "B"),
        ];
        column("turned", steps)
    }

    #[test]
    fn each_step_begins_where_the_one_before_it_ended() {
        let falls = falls(&turned(), Width::Wide);
        let ends: Vec<(f64, f64)> = falls.iter().map(|fall| (fall.from, fall.to.value)).collect();
        assert_eq!(ends, [(1.0, 20.0), (20.0, 10.0), (10.0, 0.2), (1.0, 0.2)]);
        let labels: Vec<&str> = falls.iter().map(|fall| fall.to.label.as_str()).collect();
        assert_eq!(labels, ["A · 20.0 ×", "10.0 ×", "B · 0.200 ×", "B · 0.200 ×"], "a new best row is named");
        let marks: Vec<Mark> = falls.iter().map(|fall| fall.to.mark).collect();
        assert_eq!(marks, [Mark::Store(0), Mark::Store(0), Mark::Store(1), Mark::Store(1)]);
        // The interval of a step is that of its change.
        let (low, high) = falls[2].to.interval.expect("an interval");
        assert!((low - 10.0 * 0.02 / 1.1).abs() < 1e-9 && (high - 10.0 * 0.02 * 1.1).abs() < 1e-9);
    }

    #[test]
    fn a_chart_needs_two_steps() {
        assert!(view(&turned()).unwrap().is_some());
        assert!(view(&column("one", vec![step(None, 20.0, None, "A")])).unwrap().is_none());
    }

    #[test]
    fn the_column_that_turned_comes_before_one_that_changed_more() {
        let far = vec![step(None, 2.0, None, "A"), step(Some("cold"), 900.0, Some(450.0), "A")];
        let columns = [column("far", far), turned(), column("none", Vec::new())];
        assert_eq!(main_column(&columns.iter().collect::<Vec<_>>()).map(|one| one.column.as_str()), Some("turned"));
    }
}
