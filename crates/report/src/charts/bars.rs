//! Horizontal bars with whiskers: what each candidate reached and how sure that is.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::axis::{Axis, Scale, short_rate};
use super::{Area, Drawn, Ink, Mark, picture, shortened, text, text_width_px};
use crate::ReportError;

/// One bar.
#[derive(Clone, Debug)]
pub struct Bar {
    pub name: String,
    pub value: f64,
    pub interval: Option<(f64, f64)>,
    /// What stands at its end.
    pub label: String,
    pub mark: Mark,
}

const ROW_PX: u32 = 28;
const AXIS_PX: u32 = 24;
const NAME_CHARS: usize = 18;

/// Bars in the order given, `width_px` wide. On a logarithmic axis lengths would mean nothing: there a dot stands at the
/// value, on a thin line.
pub fn bars(name: &str, bars: &[Bar], width_px: u32) -> Result<String, ReportError> {
    let height = ROW_PX * bars.len() as u32 + AXIS_PX + 6;
    picture(name, (width_px, height), |root| draw(root, bars))
}

/// The axis that bars stand on.
fn axis(bars: &[Bar]) -> Axis {
    let ends = bars.iter().flat_map(|bar| {
        let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
        [low, bar.value, high]
    });
    Axis::for_values(&ends.collect::<Vec<f64>>())
}

/// The scale on which [`bars`] shows them.
pub fn scale(bars: &[Bar]) -> Scale {
    axis(bars).scale
}

fn draw(root: &Area<'_>, bars: &[Bar]) -> Drawn {
    let axis = axis(bars);
    let rows = bars.len() as f64;
    let names: Vec<String> = bars.iter().map(|bar| shortened(&bar.name, NAME_CHARS)).collect();
    let name_px = names.iter().map(|name| text_width_px(name)).max().unwrap_or(0) + 12;
    let label_px = bars.iter().map(|bar| text_width_px(&bar.label)).max().unwrap_or(0) + 14;
    let mut chart = ChartBuilder::on(root)
        .margin_top(2)
        .margin_right(label_px)
        .x_label_area_size(AXIS_PX)
        .y_label_area_size(name_px)
        .build_cartesian_2d(axis.clone(), 0.0..rows)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .disable_y_axis()
        .bold_line_style(Ink::Grid.colour())
        .light_line_style(TRANSPARENT)
        .axis_style(TRANSPARENT)
        .x_label_style(text(Ink::Faint, HPos::Center, VPos::Top))
        .x_label_formatter(&|at| short_rate(*at))
        .draw()?;
    let (edge_px, _) = chart.backend_coord(&(axis.high, 0.0));
    for (index, (bar, shown)) in bars.iter().zip(&names).enumerate() {
        let y = rows - index as f64 - 0.5;
        draw_bar(chart.plotting_area(), &axis, bar, y)?;
        let (x_px, y_px) = chart.backend_coord(&(axis.low, y));
        root.draw(&Text::new(shown.clone(), (x_px - 10, y_px), text(Ink::Text, HPos::Right, VPos::Center)))?;
        let label_at = (edge_px + label_px - 2, y_px);
        root.draw(&Text::new(bar.label.clone(), label_at, text(Ink::Text, HPos::Right, VPos::Center)))?;
    }
    Ok(())
}

type Plot<'a> = DrawingArea<SVGBackend<'a>, Cartesian2d<Axis, RangedCoordf64>>;

fn draw_bar(area: &Plot<'_>, axis: &Axis, bar: &Bar, y: f64) -> Drawn {
    let fill = Ink::Of(bar.mark).colour().filled();
    match axis.scale {
        Scale::Linear => {
            area.draw(&Rectangle::new([(axis.low, y - 0.3), (bar.value, y + 0.3)], fill))?;
            whisker(area, bar, y)?;
            let Some((low, high)) = bar.interval else { return Ok(()) };
            let cap = |end: f64| PathElement::new([(end, y - 0.16), (end, y + 0.16)], whisker_style());
            area.draw(&cap(low))?;
            Ok(area.draw(&cap(high))?)
        }
        Scale::Log => {
            area.draw(&PathElement::new([(axis.low, y), (bar.value, y)], Ink::Grid.colour().stroke_width(2)))?;
            whisker(area, bar, y)?;
            Ok(area.draw(&Circle::new((bar.value, y), 5, fill))?)
        }
    }
}

fn whisker(area: &Plot<'_>, bar: &Bar, y: f64) -> Drawn {
    let Some((low, high)) = bar.interval else { return Ok(()) };
    Ok(area.draw(&PathElement::new([(low, y), (high, y)], whisker_style()))?)
}

fn whisker_style() -> ShapeStyle {
    Ink::Text.colour().stroke_width(2)
}
