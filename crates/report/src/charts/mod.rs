//! Charts as SVG, drawn by plotters; colours become classes, so that one drawing serves light, dark and paper.

mod axis;
mod lines;
mod rows;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use axis::{Axis, Scale, short_rate};
pub use lines::{Line, LineChart, LinePoint, lines};
pub use rows::{Bar, Point, Span, Strip, bars, ratios, scale, shares, spans, strips};

use crate::ReportError;

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Colours that candidates have; further ones start again and differ by dash and marker.
pub const COLOURS: usize = 8;
/// Dash patterns and marker shapes.
const DASHES: usize = 4;

/// Size of all text, in px.
const TEXT_PX: i32 = 12;
/// Estimated mean width of a character at that size.
const CHAR_PX: f64 = 7.2;

/// Which mark stands for a candidate, the same in every chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The n-th store.
    Store(usize),
    /// A floor, or a rate without a place.
    Muted,
}

/// What a colour is for. The drawing carries numbers in the place of colours; [`to_classes`] turns them into classes.
#[derive(Clone, Copy)]
pub(crate) enum Ink {
    Text,
    Faint,
    Grid,
    Of(Mark),
}

impl Ink {
    fn colour(self) -> RGBColor {
        match self {
            Ink::Text => RGBColor(1, 0, 0),
            Ink::Faint => RGBColor(2, 0, 0),
            Ink::Grid => RGBColor(3, 0, 0),
            Ink::Of(Mark::Muted) => RGBColor(4, 0, 0),
            Ink::Of(Mark::Store(index)) => RGBColor(16 + (index % COLOURS) as u8, (index / 2 % DASHES) as u8, 0),
        }
    }
}

/// Every class that [`Ink::colour`] can lead to.
fn class_of(hex: &str) -> Option<String> {
    let number = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
    Some(match (number(0)?, number(2)?) {
        (1, _) => "ink-text".into(),
        (2, _) => "ink-faint".into(),
        (3, _) => "ink-grid".into(),
        (4, _) => "ink-muted".into(),
        (colour, dash) => format!("ink-{} dash-{dash}", colour.checked_sub(16)? + 1),
    })
}

/// Draws into a new picture of `size` px and gives it a name for those who cannot see it.
fn picture(name: &str, size: (u32, u32), draw: impl FnOnce(&Area<'_>) -> Drawn) -> Result<String, ReportError> {
    let mut svg = String::new();
    let failed = |reason: String| ReportError::Chart { chart: name.to_string(), reason };
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&root).map_err(|error| failed(error.to_string()))?;
        root.present().map_err(|error| failed(error.to_string()))?;
    }
    Ok(to_classes(&svg, name, size))
}

fn to_classes(svg: &str, name: &str, (width, height): (u32, u32)) -> String {
    let mut out = String::with_capacity(svg.len());
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let label = minijinja::HtmlEscape(name);
    // Drawn a little smaller than the columns of the page, it grows into them.
    let most = width * 6 / 5;
    out.push_str(&format!(
        "<svg role=\"img\" aria-label=\"{label}\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{most}px\">\n<title>{label}</title>"
    ));
    let body = body.replace(" font-family=\"sans-serif\"", "").replace(" opacity=\"1\"", "");
    let mut rest = body.as_str();
    while let Some(at) = rest.find("=\"#") {
        let (before, after) = rest.split_at(at);
        let hex = &after[3..9];
        let attribute = if before.ends_with(" stroke") { "stroke" } else { "fill" };
        match class_of(hex) {
            Some(class) => {
                out.push_str(&before[..before.len() - attribute.len()]);
                out.push_str(&format!("class=\"{attribute} {class}\""));
            }
            None => {
                out.push_str(before);
                out.push_str(&after[..10]);
            }
        }
        rest = &after[10..];
    }
    out.push_str(rest);
    out
}

/// A text style; plotters writes a font size that is smaller by a factor.
fn text(ink: Ink, horizontal: HPos, vertical: VPos) -> TextStyle<'static> {
    let font = ("sans-serif", f64::from(TEXT_PX) * 1.24).into_font();
    font.color(&ink.colour()).pos(Pos::new(horizontal, vertical))
}

fn text_width_px(text: &str) -> i32 {
    (text.chars().count() as f64 * CHAR_PX).ceil() as i32
}

/// The name, cut where it is longer than `chars`.
fn shortened(name: &str, chars: usize) -> String {
    if name.chars().count() <= chars {
        return name.to_string();
    }
    name.chars().take(chars.saturating_sub(1)).chain(['…']).collect()
}
