//! Charts as SVG, drawn by plotters; colours become classes, so that one drawing serves light, dark and paper.

mod axis;
mod lines;
mod rows;

use kurabe_record::windows_in_short;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use axis::{Axis, Scale, short_rate};
pub use lines::{Line, LineChart, LinePoint, lines};
pub use rows::{Bar, Fall, Point, Span, Strip, bars, ratios, scale, shares, spans, strips, waterfall};

use crate::ReportError;

pub(crate) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(crate) type Drawn = Result<(), Box<dyn std::error::Error>>;

/// Colours that candidates have; further ones start again and differ by dash and marker.
pub const COLOURS: usize = 8;
/// Dash patterns and marker shapes.
const DASHES: usize = 4;

/// Size of all text, in px.
const TEXT_PX: i32 = 12;

/// Which mark stands for a candidate, the same in every chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The n-th store.
    Store(usize),
    /// A baseline, or a rate without a rank.
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

/// Room that a text needs in whatever font the page finds: it is not known when the chart is drawn.
fn text_width_px(text: &str) -> i32 {
    (text.chars().map(char_width_em).sum::<f64>() * f64::from(TEXT_PX)).ceil() as i32
}

/// The advance width of a character in DejaVu Sans, rounded up: the widest of the fonts that the page names.
fn char_width_em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' => 0.28,
        ' ' | ',' | '.' | '·' | 'I' | 'J' => 0.32,
        ':' | ';' | '/' | '-' | '|' | '\u{a0}' => 0.37,
        '(' | ')' | '[' | ']' | 'f' | 't' | '!' => 0.4,
        'r' => 0.42,
        's' | 'z' | '_' | '?' => 0.54,
        'c' | 'k' => 0.58,
        'v' | 'x' | 'y' => 0.6,
        'w' | '=' | '+' | '<' | '>' | '#' | '≤' | '≥' | '×' | '±' | '–' => 0.84,
        'm' | 'W' | 'M' | '%' | '@' => 1.0,
        'a'..='z' | '0'..='9' => 0.64,
        'A'..='Z' => 0.8,
        _ => 1.0,
    }
}

/// A name as a person reads it, with its middle left out where it takes more room: what makes names differ is at their ends.
fn fitted(name: &str, most_px: i32) -> String {
    let name = windows_in_short(name);
    if text_width_px(&name) <= most_px {
        return name.into_owned();
    }
    let letters: Vec<char> = name.chars().collect();
    let cut = |kept: usize| -> String {
        let (head, tail) = (kept.div_ceil(2), kept / 2);
        letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
    };
    let fits = (0..letters.len()).rev().map(cut).find(|cut| text_width_px(cut) <= most_px);
    fits.unwrap_or_else(|| "…".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_its_room_and_keeps_both_ends() {
        assert_eq!(fitted("sqlite (window=1commits)", 150), "sqlite (≤ 1 commit)");
        for (name, most_px) in
            [("postgres:logged+python (tuned, window=100commits)", 150), ("あ".repeat(40).as_str(), 99)]
        {
            let fitted = fitted(name, most_px);
            assert!(text_width_px(&fitted) <= most_px && fitted.chars().count() > 4, "{fitted}");
            assert_eq!(fitted.chars().next(), name.chars().next());
            assert_eq!(fitted.chars().last(), name.chars().last());
        }
        assert_eq!(fitted("sqlite", 3), "…");
    }

    #[test]
    fn a_text_has_no_less_room_than_the_widest_font_takes() {
        // As Chromium measured them in DejaVu Sans of 12 px.
        let measured = [
            ("sqlite (≤ 1 commit)", 116.5),
            ("1,002,000", 61.1),
            ("mmmmWWWW", 94.2),
            ("lmdb · consistent", 103.5),
            ("postgres:logged+python", 148.8),
        ];
        for (text, px) in measured {
            let room = f64::from(text_width_px(text));
            assert!(room >= px && room < 1.15 * px, "{text}: {room}");
        }
    }
}
