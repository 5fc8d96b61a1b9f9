//! Lines with their names at the end: latencies by percentile, rates over time.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Scale};
use super::{Area, Drawn, Ink, Mark, TEXT_PX, picture, shortened, text, text_width_px};
use crate::ReportError;

/// One line.
#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub mark: Mark,
    pub points: Vec<(f64, f64)>,
}

/// A chart of lines.
pub struct LineChart<'a> {
    pub lines: &'a [Line],
    /// Ticks of the horizontal axis with their names.
    pub x_ticks: Vec<(f64, String)>,
    pub y: Axis,
    pub y_name: &'a dyn Fn(f64) -> String,
    pub markers: Markers,
}

/// Whether points are marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markers {
    Shown,
    Hidden,
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Axis, Axis>>;

const SIZE_PX: (u32, u32) = (480, 280);
const NAME_CHARS: usize = 15;
/// Least distance between names at the ends of lines.
const NAME_STEP_PX: i32 = TEXT_PX + 2;

/// Draws the chart.
pub fn lines(name: &str, chart: &LineChart<'_>) -> Result<String, ReportError> {
    picture(name, SIZE_PX, |root| draw(root, chart))
}

fn draw(root: &Area<'_>, chart: &LineChart<'_>) -> Drawn {
    let names: Vec<String> = chart.lines.iter().map(|line| shortened(&line.name, NAME_CHARS)).collect();
    let name_px = names.iter().map(|name| text_width_px(name)).max().unwrap_or(0) + 18;
    let tick_px = chart.y.ticks.iter().map(|tick| text_width_px(&(chart.y_name)(*tick))).max().unwrap_or(0);
    let mut context = ChartBuilder::on(root)
        .margin_top(8)
        .margin_right(name_px)
        .x_label_area_size(24)
        .y_label_area_size(tick_px + 12)
        .build_cartesian_2d(x_axis(chart), chart.y.clone())?;
    let x_name =
        |at: &f64| chart.x_ticks.iter().find(|(tick, _)| tick == at).map(|(_, name)| name.clone()).unwrap_or_default();
    context
        .configure_mesh()
        .disable_x_mesh()
        .bold_line_style(Ink::Grid.colour())
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .x_label_style(text(Ink::Faint, HPos::Center, VPos::Top))
        .y_label_style(text(Ink::Faint, HPos::Right, VPos::Center))
        .x_label_formatter(&x_name)
        .y_label_formatter(&|at| (chart.y_name)(*at))
        .draw()?;
    for line in chart.lines {
        context
            .plotting_area()
            .draw(&PathElement::new(line.points.clone(), Ink::Of(line.mark).colour().stroke_width(2)))?;
        if chart.markers == Markers::Shown {
            line.points.iter().try_for_each(|point| marker(&context, *point, line.mark))?;
        }
    }
    end_names(root, &context, chart, &names)
}

/// The horizontal axis: all points, with the ticks that were asked for.
fn x_axis(chart: &LineChart<'_>) -> Axis {
    let ticks: Vec<f64> = chart.x_ticks.iter().map(|(at, _)| *at).collect();
    let all = || chart.lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).chain(ticks.iter().copied());
    let low = all().fold(f64::INFINITY, f64::min);
    let high = all().fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = if low < high { (low, high) } else { (-0.5, 0.5) };
    Axis { scale: Scale::Linear, low, high, ticks }
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
fn end_names(root: &Area<'_>, context: &Chart<'_, '_>, chart: &LineChart<'_>, names: &[String]) -> Drawn {
    let mut ends: Vec<(i32, i32, usize)> = Vec::new();
    for (index, line) in chart.lines.iter().enumerate() {
        if let Some((x, y)) = line.points.last() {
            let (x_px, y_px) = context.backend_coord(&(*x, *y));
            ends.push((y_px, x_px, index));
        }
    }
    ends.sort_unstable();
    let wanted: Vec<i32> = ends.iter().map(|end| end.0).collect();
    let right_px = context.plotting_area().get_x_axis_pixel_range().end;
    for ((y_px, x_px, index), name_y_px) in ends.iter().zip(moved_apart(&wanted, SIZE_PX.1 as i32 - 34)) {
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
