//! Charts with a row for each candidate: its name at the left, its figure at the right, and what is drawn between them.
//! They stay readable with thirty candidates, and no colour is needed to know which is which.

use plotters::coord::types::RangedCoordf64;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Scale, short_rate};
use super::{Area, Drawn, Ink, Mark, fitted, picture, text, text_width_px};
use crate::ReportError;

/// One candidate's rate.
#[derive(Clone, Debug)]
pub struct Bar {
    pub name: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    /// What stands at its end.
    pub label: String,
    pub mark: Mark,
}

/// One candidate's latencies, from the smallest percentile to the largest value.
#[derive(Clone, Debug)]
pub struct Span {
    pub name: String,
    /// Values with their marks; ascending.
    pub points: Vec<(Point, f64)>,
    pub label: String,
    pub mark: Mark,
}

/// What a mark in a [`Span`] stands for; each has a shape of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    Median,
    P99,
    P999,
    Largest,
}

/// One candidate's rate over time.
#[derive(Clone, Debug)]
pub struct Strip {
    pub name: String,
    /// Seconds and rates.
    pub points: Vec<(f64, f64)>,
    /// The same for the beginning and the end of what is planned.
    pub planned: Option<[(f64, f64); 2]>,
}

impl Strip {
    fn highest(&self) -> f64 {
        self.points.iter().chain(self.planned.iter().flatten()).map(|point| point.1).fold(0.0, f64::max)
    }
}

/// One step of a waterfall: its bar lies between where the step before it ended and its own value.
#[derive(Clone, Debug)]
pub struct Fall {
    /// Where it starts.
    pub from: f64,
    /// Where it ends.
    pub to: Bar,
}

const ROW_PX: u32 = 26;
const STRIP_PX: u32 = 40;
const AXIS_PX: u32 = 24;
/// Of the width of a chart, names take so much at most.
const NAMES_SHARE: f64 = 0.42;

type Plot<'a> = DrawingArea<SVGBackend<'a>, Cartesian2d<Axis, RangedCoordf64>>;

/// What all row charts share.
struct Frame<'a> {
    axis: Axis,
    x_name: &'a dyn Fn(f64) -> String,
    row_px: u32,
    names: Vec<&'a str>,
    labels: Vec<&'a str>,
    /// A value with a line of its own through all rows.
    reference: Option<f64>,
}

impl Frame<'_> {
    /// `row` draws what belongs to the row with this number, whose middle lies at this height; a row is 1 high.
    fn picture(
        &self,
        name: &str,
        width_px: u32,
        row: impl Fn(&Plot<'_>, usize, f64) -> Drawn,
    ) -> Result<String, ReportError> {
        let height = self.row_px * self.names.len() as u32 + AXIS_PX + 6;
        picture(name, (width_px, height), |root| self.draw(root, width_px, row))
    }

    fn draw(&self, root: &Area<'_>, width_px: u32, row: impl Fn(&Plot<'_>, usize, f64) -> Drawn) -> Drawn {
        let rows = self.names.len() as f64;
        let most_px = (NAMES_SHARE * f64::from(width_px)) as i32 - 12;
        let names: Vec<String> = self.names.iter().map(|name| fitted(name, most_px)).collect();
        let name_px = names.iter().map(|name| text_width_px(name)).max().unwrap_or(0) + 12;
        let label_px = self.labels.iter().map(|label| text_width_px(label)).max().unwrap_or(0) + 14;
        let mut chart = ChartBuilder::on(root)
            .margin_top(2)
            .margin_right(label_px)
            .x_label_area_size(AXIS_PX)
            .y_label_area_size(name_px)
            .build_cartesian_2d(self.axis.clone(), 0.0..rows)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .bold_line_style(Ink::Grid.colour())
            .light_line_style(TRANSPARENT)
            .axis_style(TRANSPARENT)
            .x_label_style(text(Ink::Faint, HPos::Center, VPos::Top))
            .x_label_formatter(&|at| (self.x_name)(*at))
            .draw()?;
        let area = chart.plotting_area();
        if let Some(at) = self.reference {
            area.draw(&PathElement::new([(at, 0.0), (at, rows)], Ink::Faint.colour().stroke_width(1)))?;
        }
        let (edge_px, _) = chart.backend_coord(&(self.axis.high, 0.0));
        for (index, (name, label)) in names.iter().zip(&self.labels).enumerate() {
            let y = rows - index as f64 - 0.5;
            row(area, index, y)?;
            let (x_px, y_px) = chart.backend_coord(&(self.axis.low, y));
            root.draw(&Text::new(name.clone(), (x_px - 10, y_px), text(Ink::Text, HPos::Right, VPos::Center)))?;
            let label_at = (edge_px + label_px - 2, y_px);
            root.draw(&Text::new((*label).to_string(), label_at, text(Ink::Text, HPos::Right, VPos::Center)))?;
        }
        Ok(())
    }
}

/// Bars in the order given, `width_px` wide. On a logarithmic axis lengths would mean nothing: there a dot stands at the
/// value, on a thin line.
pub fn bars(name: &str, bars: &[Bar], width_px: u32) -> Result<String, ReportError> {
    let axis = bar_axis(bars);
    frame(bars, &axis, None, &short_rate).picture(name, width_px, |area, at, y| match axis.scale {
        Scale::Linear => {
            let bar = &bars[at];
            let fill = Ink::Of(bar.mark).colour().filled();
            area.draw(&Rectangle::new([(axis.low, y - 0.3), (bar.value, y + 0.3)], fill))?;
            whisker(area, bar.interval, y)
        }
        Scale::Log => dot(area, &bars[at], axis.low, y),
    })
}

/// Shares of the best with their intervals, on an axis from zero to `high` that several charts may have in common; a line
/// stands at the best. An interval that goes on beyond the axis ends in an arrow head.
pub fn shares(name: &str, bars: &[Bar], high: f64, width_px: u32) -> Result<String, ReportError> {
    let axis = Axis::linear(high.max(1.0));
    frame(bars, &axis, Some(1.0), &|at| format!("{} %", short_rate(at * 100.0))).picture(
        name,
        width_px,
        |area, at, y| {
            let bar = &bars[at];
            let fill = Ink::Of(bar.mark).colour().filled();
            area.draw(&Rectangle::new([(axis.low, y - 0.3), (bar.value, y + 0.3)], fill))?;
            whisker_up_to(area, bar.interval, y, axis.high)
        },
    )
}

/// Ratios with their intervals around a line at 1, on a logarithmic axis.
pub fn ratios(name: &str, bars: &[Bar], width_px: u32) -> Result<String, ReportError> {
    let show = |at: f64| format!("{} ×", short_rate(at));
    frame(bars, &ratio_axis(bars), Some(1.0), &show).picture(name, width_px, |area, at, y| dot(area, &bars[at], 1.0, y))
}

/// Ratios that lead from one to the next, on a logarithmic axis around a line at 1: a length is how many times something
/// changed.
pub fn waterfall(name: &str, falls: &[Fall], width_px: u32) -> Result<String, ReportError> {
    let bars: Vec<Bar> = falls.iter().map(|fall| fall.to.clone()).collect();
    let axis = ratio_axis(&bars);
    let show = |at: f64| format!("{} ×", short_rate(at));
    frame(&bars, &axis, Some(1.0), &show).picture(name, width_px, |area, at, y| {
        let Fall { from, to } = &falls[at];
        let fill = Ink::Of(to.mark).colour().filled();
        area.draw(&Rectangle::new([(from.min(to.value), y - 0.3), (from.max(to.value), y + 0.3)], fill))?;
        if at + 1 < falls.len() {
            let style = Ink::Faint.colour().stroke_width(1);
            area.draw(&PathElement::new([(to.value, y - 0.3), (to.value, y - 0.7)], style))?;
        }
        whisker(area, to.interval, y)
    })
}

fn ratio_axis(bars: &[Bar]) -> Axis {
    let ends = || {
        bars.iter().flat_map(|bar| [bar.value, bar.interval.map_or(1.0, |i| i.0), bar.interval.map_or(1.0, |i| i.1)])
    };
    Axis::ratios(ends().fold(0.8, f64::min), ends().fold(1.25, f64::max))
}

fn frame<'a>(bars: &'a [Bar], axis: &Axis, reference: Option<f64>, x_name: &'a dyn Fn(f64) -> String) -> Frame<'a> {
    Frame {
        axis: axis.clone(),
        x_name,
        row_px: ROW_PX,
        names: bars.iter().map(|bar| bar.name.as_str()).collect(),
        labels: bars.iter().map(|bar| bar.label.as_str()).collect(),
        reference,
    }
}

/// A dot on a thin line that starts at `from`.
fn dot(area: &Plot<'_>, bar: &Bar, from: f64, y: f64) -> Drawn {
    area.draw(&PathElement::new([(from, y), (bar.value, y)], Ink::Grid.colour().stroke_width(2)))?;
    whisker(area, bar.interval, y)?;
    Ok(area.draw(&Circle::new((bar.value, y), 5, Ink::Of(bar.mark).colour().filled()))?)
}

/// The axis that bars stand on.
fn bar_axis(bars: &[Bar]) -> Axis {
    let ends = bars.iter().flat_map(|bar| {
        let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
        [low, bar.value, high]
    });
    Axis::for_values(&ends.collect::<Vec<f64>>())
}

/// The scale on which [`bars`] shows them.
pub fn scale(bars: &[Bar]) -> Scale {
    bar_axis(bars).scale
}

/// An interval as a line with caps.
fn whisker(area: &Plot<'_>, interval: Option<(f64, f64)>, y: f64) -> Drawn {
    whisker_up_to(area, interval, y, f64::INFINITY)
}

/// The same; where it goes on beyond `high`, an arrow head takes the place of the cap.
fn whisker_up_to(area: &Plot<'_>, interval: Option<(f64, f64)>, y: f64, high: f64) -> Drawn {
    let Some((low, end)) = interval else { return Ok(()) };
    let style: ShapeStyle = Ink::Text.colour().stroke_width(2);
    let cap = |at: f64| area.draw(&PathElement::new([(at, y - 0.16), (at, y + 0.16)], style));
    area.draw(&PathElement::new([(low, y), (end.min(high), y)], style))?;
    cap(low)?;
    if end <= high {
        return Ok(cap(end)?);
    }
    let head = Polygon::new(vec![(0, -5), (9, 0), (0, 5)], Ink::Text.colour().filled());
    Ok(area.draw(&(EmptyElement::at((high, y)) + head))?)
}

/// Latencies on a logarithmic axis, a row for each candidate.
pub fn spans(name: &str, spans: &[Span], x_name: &dyn Fn(f64) -> String, width_px: u32) -> Result<String, ReportError> {
    let values = || spans.iter().flat_map(|span| &span.points).map(|point| point.1).filter(|value| *value > 0.0);
    let frame = Frame {
        axis: Axis::log(values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max)),
        x_name,
        row_px: ROW_PX,
        names: spans.iter().map(|span| span.name.as_str()).collect(),
        labels: spans.iter().map(|span| span.label.as_str()).collect(),
        reference: None,
    };
    frame.picture(name, width_px, |area, at, y| {
        let span = &spans[at];
        let ends = [span.points.first(), span.points.last()];
        if let [Some(first), Some(last)] = ends {
            let style = Ink::Faint.colour().stroke_width(1);
            area.draw(&PathElement::new([(first.1, y), (last.1, y)], style))?;
        }
        span.points.iter().try_for_each(|(point, value)| marker(area, *point, (*value, y), span.mark))
    })
}

fn marker(area: &Plot<'_>, point: Point, at: (f64, f64), mark: Mark) -> Drawn {
    let ink = Ink::Of(mark).colour();
    let diamond = vec![(0, -6), (6, 0), (0, 6), (-6, 0)];
    match point {
        Point::Median => area.draw(&Circle::new(at, 5, ink.filled()))?,
        Point::P99 => area.draw(&TriangleMarker::new(at, 6, ink.filled()))?,
        Point::P999 => area.draw(&(EmptyElement::at(at) + Polygon::new(diamond, ink.filled())))?,
        Point::Largest => {
            let style = ink.stroke_width(2);
            area.draw(&(EmptyElement::at(at) + PathElement::new(vec![(0, -6), (0, 6)], style)))?
        }
    }
    Ok(())
}

/// Rates over time, a row for each candidate from zero to its own highest rate, or to the highest that was planned.
pub fn strips(
    name: &str,
    strips: &[Strip],
    seconds: &Axis,
    x_name: &dyn Fn(f64) -> String,
    width_px: u32,
) -> Result<String, ReportError> {
    let labels: Vec<String> = strips.iter().map(|strip| format!("0 … {}", short_rate(strip.highest()))).collect();
    let frame = Frame {
        axis: seconds.clone(),
        x_name,
        row_px: STRIP_PX,
        names: strips.iter().map(|strip| strip.name.as_str()).collect(),
        labels: labels.iter().map(String::as_str).collect(),
        reference: None,
    };
    frame.picture(name, width_px, |area, at, y| {
        let strip = &strips[at];
        let bottom = y - 0.42;
        let highest = strip.highest();
        let height = |rate: f64| bottom + if highest > 0.0 { 0.84 * rate / highest } else { 0.0 };
        area.draw(&PathElement::new(
            [(seconds.low, bottom), (seconds.high, bottom)],
            Ink::Grid.colour().stroke_width(1),
        ))?;
        if let Some(planned) = strip.planned {
            let ends = planned.map(|(x, rate)| (x, height(rate)));
            area.draw(&DashedPathElement::new(ends, 4, 4, Ink::Text.colour().stroke_width(1)))?;
        }
        let line: Vec<(f64, f64)> = strip.points.iter().map(|(x, rate)| (*x, height(*rate))).collect();
        Ok(area.draw(&PathElement::new(line, Ink::Faint.colour().stroke_width(1)))?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_goes_on_beyond_the_axis_ends_in_an_arrow_head() {
        let heads = |interval| {
            let bar = Bar { name: "a".into(), value: 0.9, interval, label: String::new(), mark: Mark::Store(0) };
            shares("x", &[bar], 1.5, 400).expect("drawn").matches("<polygon").count()
        };
        assert_eq!((heads(None), heads(Some((0.7, 1.5)))), (0, 0));
        assert_eq!(heads(Some((0.7, 1.6))), 1);
    }
}
