//! Lines with their names at the end: how cost grows with the number of rows, or a rate with what may be lost.

use plotters::coord::ranged1d::Ranged;
use plotters::element::DashedPathElement;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::Axis;
use super::{Area, Drawn, Ink, Mark, TEXT_PX, fitted, picture, text, text_width_px};
use crate::ReportError;

/// One line.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub mark: Mark,
    pub points: Vec<LinePoint>,
    /// Where on the x axis it reaches the limit of the chart, where that is known.
    pub reaches: Option<f64>,
    /// Where it bends.
    pub knee: Option<(f64, f64)>,
}

/// One point of a line.
#[derive(Clone, Copy, Debug)]
pub struct LinePoint {
    pub x: f64,
    pub y: f64,
    pub interval: Option<(f64, f64)>,
}

/// A chart of lines.
pub struct LineChart<'a> {
    pub width_px: u32,
    pub lines: &'a [Line],
    pub x: Axis,
    pub x_name: &'a dyn Fn(f64) -> String,
    pub y: Axis,
    pub y_name: &'a dyn Fn(f64) -> String,
    /// What lines are to stay below.
    pub limit: Option<f64>,
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

const LEAST_HEIGHT_PX: u32 = 300;
/// Room of a name, at most.
const NAME_PX: i32 = 150;
/// Lines need so much to be read; names are cut where they would leave less.
const LEAST_PLOT_PX: i32 = 190;
/// Distance between the intervals of two lines at one place.
const APART_PX: f64 = 3.0;
/// Least distance between names at the ends of lines.
const NAME_STEP_PX: i32 = TEXT_PX + 2;

/// Draws the chart, high enough for all of its names.
pub fn lines(name: &str, chart: &LineChart<'_>) -> Result<String, ReportError> {
    let layout = Layout::of(chart);
    let below_px = layout.tick_rows * NAME_STEP_PX as usize + 34;
    let height = LEAST_HEIGHT_PX.max(chart.lines.len() as u32 * NAME_STEP_PX as u32 + below_px as u32);
    picture(name, (chart.width_px, height), |root| draw(root, chart, &layout, height))
}

/// Where the parts of a chart lie.
struct Layout {
    names: Vec<String>,
    left_px: i32,
    right_px: i32,
    /// Rows in which the ticks of the x axis stand by turns, where one row is too short for them.
    tick_rows: usize,
}

impl Layout {
    fn of(chart: &LineChart<'_>) -> Layout {
        let widest =
            |names: &mut dyn Iterator<Item = String>| names.map(|name| text_width_px(&name)).max().unwrap_or(0);
        let x_tick_px = widest(&mut chart.x.ticks.iter().map(|tick| (chart.x_name)(*tick)));
        let y_tick_px = widest(&mut chart.y.ticks.iter().map(|tick| (chart.y_name)(*tick)));
        // Ticks at the ends of the axis reach half over them.
        let left_px = (y_tick_px + 12).max(x_tick_px / 2 + 2);
        let most_px = (chart.width_px as i32 - LEAST_PLOT_PX - left_px - 18).clamp(40, NAME_PX);
        let names: Vec<String> = chart.lines.iter().map(|line| fitted(&line.name, most_px)).collect();
        let right_px = (widest(&mut names.iter().cloned()) + 18).max(x_tick_px / 2 + 2);
        let plot_px = chart.width_px as i32 - left_px - right_px;
        let places: Vec<i32> = chart.x.ticks.iter().map(|tick| chart.x.map(tick, (0, plot_px))).collect();
        let apart = |rows: usize| {
            let gaps = places.iter().zip(places.iter().skip(rows)).map(|(one, next)| next - one);
            gaps.min().is_none_or(|gap| gap >= x_tick_px + 6)
        };
        let tick_rows = (1..=places.len().max(1)).find(|rows| apart(*rows)).unwrap_or(1);
        Layout { names, left_px, right_px, tick_rows }
    }
}

fn draw(root: &Area<'_>, chart: &LineChart<'_>, layout: &Layout, height_px: u32) -> Drawn {
    let mut context = ChartBuilder::on(root)
        .margin_top(8)
        .margin_right(layout.right_px)
        .x_label_area_size(10 + layout.tick_rows as i32 * NAME_STEP_PX)
        .y_label_area_size(layout.left_px)
        .build_cartesian_2d(chart.x.clone(), chart.y.clone())?;
    context
        .configure_mesh()
        .bold_line_style(Ink::Grid.colour())
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .disable_x_axis()
        .y_label_style(text(Ink::Faint, HPos::Right, VPos::Center))
        .y_label_formatter(&|at| (chart.y_name)(*at))
        .draw()?;
    limits(&context, chart)?;
    for (at, line) in chart.lines.iter().enumerate() {
        let area = context.plotting_area();
        let path: Vec<(f64, f64)> = line.points.iter().map(|point| (point.x, point.y)).collect();
        area.draw(&PathElement::new(path, Ink::Of(line.mark).colour().stroke_width(2)))?;
        for point in &line.points {
            if let Some(ends) = point.interval {
                let beside = (at as f64 - (chart.lines.len() - 1) as f64 / 2.0) * APART_PX;
                interval(root, &context, (point.x, beside as i32), ends, line.mark)?;
            }
            marker(&context, (point.x, point.y), line.mark)?;
        }
        if let Some(knee) = line.knee {
            area.draw(&Circle::new(knee, 9, Ink::Of(line.mark).colour().stroke_width(2)))?;
        }
    }
    x_ticks(root, &context, chart, layout)?;
    let lowest_px = height_px as i32 - 20 - layout.tick_rows as i32 * NAME_STEP_PX;
    end_names(root, &context, chart, &layout.names, lowest_px)
}

/// The limit, and where each line reaches it.
fn limits(context: &Chart<'_, '_>, chart: &LineChart<'_>) -> Drawn {
    let Some(limit) = chart.limit else { return Ok(()) };
    let area = context.plotting_area();
    let ends = [(chart.x.low, limit), (chart.x.high, limit)];
    area.draw(&DashedPathElement::new(ends, 6, 4, Ink::Faint.colour().stroke_width(1)))?;
    for line in chart.lines {
        let Some(x) = line.reaches else { continue };
        let ends = [(x, limit), (x, chart.y.low)];
        area.draw(&DashedPathElement::new(ends, 2, 3, Ink::Of(line.mark).colour().stroke_width(1)))?;
    }
    Ok(())
}

/// The names of the ticks, each below its place, by turns in as many rows as they need.
fn x_ticks(root: &Area<'_>, context: &Chart<'_, '_>, chart: &LineChart<'_>, layout: &Layout) -> Drawn {
    let style = text(Ink::Faint, HPos::Center, VPos::Top);
    for (at, tick) in chart.x.ticks.iter().enumerate() {
        let (x_px, y_px) = context.backend_coord(&(*tick, chart.y.low));
        let row = (at % layout.tick_rows) as i32;
        root.draw(&Text::new((chart.x_name)(*tick), (x_px, y_px + 7 + row * NAME_STEP_PX), style.clone()))?;
    }
    Ok(())
}

/// The interval of a point, in the colour of its line and a little beside it: others may lie at the same place.
fn interval(
    root: &Area<'_>,
    context: &Chart<'_, '_>,
    (x, beside_px): (f64, i32),
    (low, high): (f64, f64),
    mark: Mark,
) -> Drawn {
    let (x_px, top_px) = context.backend_coord(&(x, high));
    let (_, bottom_px) = context.backend_coord(&(x, low));
    let style = Ink::Of(mark).colour().stroke_width(1);
    Ok(root.draw(&PathElement::new([(x_px + beside_px, top_px), (x_px + beside_px, bottom_px)], style))?)
}

/// Circle, square, triangle, diamond: lines differ without their colour too.
fn marker(context: &Chart<'_, '_>, at: (f64, f64), mark: Mark) -> Drawn {
    let area = context.plotting_area();
    let style = Ink::Of(mark).colour().filled();
    let Mark::Store(index) = mark else { return Ok(area.draw(&Circle::new(at, 2, style))?) };
    match index % super::DASHES {
        0 => area.draw(&Circle::new(at, 4, style))?,
        1 => area.draw(&(EmptyElement::at(at) + Rectangle::new([(-4, -4), (4, 4)], style)))?,
        2 => area.draw(&TriangleMarker::new(at, 6, style))?,
        _ => area.draw(&(EmptyElement::at(at) + Polygon::new(vec![(0, -6), (6, 0), (0, 6), (-6, 0)], style)))?,
    }
    Ok(())
}

/// Names stand at the last points, moved apart where they would overlap, with a thin line to where they belong.
fn end_names(
    root: &Area<'_>,
    context: &Chart<'_, '_>,
    chart: &LineChart<'_>,
    names: &[String],
    lowest_px: i32,
) -> Drawn {
    let mut ends: Vec<(i32, i32, usize)> = Vec::new();
    for (index, line) in chart.lines.iter().enumerate() {
        if let Some(last) = line.points.last() {
            let (x_px, y_px) = context.backend_coord(&(last.x, last.y));
            ends.push((y_px, x_px, index));
        }
    }
    ends.sort_unstable();
    let wanted: Vec<i32> = ends.iter().map(|end| end.0).collect();
    let right_px = context.plotting_area().get_x_axis_pixel_range().end;
    for ((y_px, x_px, index), name_y_px) in ends.iter().zip(moved_apart(&wanted, lowest_px)) {
        let ink = Ink::Of(chart.lines[*index].mark);
        root.draw(&PathElement::new([(x_px + 5, *y_px), (right_px + 12, name_y_px)], Ink::Grid.colour()))?;
        root.draw(&Text::new(names[*index].clone(), (right_px + 15, name_y_px), text(ink, HPos::Left, VPos::Center)))?;
    }
    Ok(())
}

/// Ascending positions at least [`NAME_STEP_PX`] apart and at most `lowest`, as near to those wanted as one pass each way gets.
fn moved_apart(wanted: &[i32], lowest: i32) -> Vec<i32> {
    let mut placed: Vec<i32> = wanted.to_vec();
    for index in 1..placed.len() {
        placed[index] = placed[index].max(placed[index - 1] + NAME_STEP_PX);
    }
    let mut limit = lowest;
    for position in placed.iter_mut().rev() {
        *position = (*position).min(limit);
        limit = *position - NAME_STEP_PX;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_overlap_and_stay_in_the_picture() {
        assert_eq!(moved_apart(&[10, 100], 200), [10, 100]);
        assert_eq!(moved_apart(&[10, 12, 13], 200), [10, 24, 38]);
        assert_eq!(moved_apart(&[195, 198, 199], 200), [172, 186, 200]);
    }
}
