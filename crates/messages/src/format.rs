//! Numbers for people: significant figures, thousands separators, one unit a column. The only place that formats any.
//! A function takes the language where its result has words.

use crate::{Language, Message};

/// What stands where there is no figure.
pub const NONE: &str = "–";

/// A count with thousands separators.
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of rows as it is typed in `--sizes`: `10k`, `1m`, and in full where that is not exact.
pub fn rows(value: u64) -> String {
    match value {
        _ if value > 0 && value.is_multiple_of(1_000_000) => format!("{}m", count(value / 1_000_000)),
        _ if value > 0 && value.is_multiple_of(1_000) => format!("{}k", count(value / 1_000)),
        _ => count(value),
    }
}

/// `value` at `figures` significant figures, with thousands separators and never in scientific notation.
pub fn significant(value: f64, figures: i32) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let mut magnitude = value.abs().log10().floor() as i32;
    // 9.996 at three figures is 10.0: rounding may raise the magnitude by one.
    let unit = 10f64.powi(magnitude - figures + 1);
    if (value.abs() / unit).round() >= 10f64.powi(figures) {
        magnitude += 1;
    }
    let decimals = figures - 1 - magnitude;
    if decimals > 0 {
        return format!("{value:.*}", decimals as usize);
    }
    let unit = 10f64.powi(-decimals);
    let whole = ((value.abs() / unit).round() * unit).round() as u64;
    if value < 0.0 { format!("-{}", count(whole)) } else { count(whole) }
}

/// A rate a second at four significant figures.
pub fn rate(per_s: f64) -> String {
    significant(per_s, 4)
}

/// A ratio at three significant figures, near 1 with three decimals: there the third one decides.
pub fn ratio(value: f64) -> String {
    if (0.9..1.1).contains(&value) { format!("{value:.3}") } else { significant(value, 3) }
}

/// How many times as fast, at two significant figures: near 1 as a ratio, from 100 on at three figures.
pub fn times(times: f64) -> String {
    match times {
        near if (0.95..1.05).contains(&near) => ratio(near),
        _ => significant(times, if times < 100.0 { 2 } else { 3 }),
    }
}

/// Above this the digits of a percentage tell nothing more.
const MOST_PERCENT: f64 = 100_000.0;

/// A share or a relative difference as a percentage at two significant figures: 0.07 is `7.0 %`.
pub fn percent(share: f64, language: Language) -> String {
    let percent = share * 100.0;
    if percent > MOST_PERCENT {
        return message!(percent_above, most = MOST_PERCENT as u64).text(language);
    }
    if percent >= 9.95 {
        format!("{} %", count(percent.round() as u64))
    } else {
        format!("{} %", significant(percent, 2))
    }
}

/// A relative difference in words: a percentage while it is below one, else the factor that it is; beyond a thousand
/// the figure itself says nothing. 0.07 is `7.0 %`, 11 is `a factor of 12`.
pub fn difference(share: f64, language: Language) -> String {
    match share {
        _ if share < 1.0 => percent(share, language),
        _ if share < 999.0 => message!(factor_of, factor = significant(1.0 + share, 2)).text(language),
        _ => message!(factor_above, most = 1_000u64).text(language),
    }
}

/// A confidence level: 0.95 is `95 %`, 0.98333 is `98.3 %`; what would round to 100 keeps the digits that matter.
pub fn level(level: f64) -> String {
    let decimals = (-((1.0 - level).max(1e-9) * 100.0).log10()).ceil().max(0.0) as usize;
    let decimals = if (level - 0.95).abs() < 1e-9 { 0 } else { decimals.max(1) };
    // Downwards: the configuration is at least what is said.
    let scale = 10f64.powi(decimals as i32);
    format!("{:.decimals$}\u{a0}%", (level * 100.0 * scale + 1e-6).floor() / scale)
}

/// An interval that reaches further than this factor to a side says only that nothing is known.
const WIDEST: f64 = 1000.0;

/// An interval beside its value: `± 3.1 %` where it is narrow enough to be even on both sides, else both ends, or
/// `too wide` where these would be no more than long numbers.
pub fn interval(value: f64, low: f64, high: f64, show: fn(f64) -> String, language: Language) -> String {
    let width = (high / value - 1.0).max(1.0 - low / value);
    if width <= 0.2 {
        return format!("± {}", percent(width, language));
    }
    if high > value * WIDEST || low < value / WIDEST {
        return message!(interval_too_wide).text(language);
    }
    format!("{} … {}", show(low), show(high))
}

/// A unit of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Its sign.
    pub sign: &'static str,
    size: f64,
}

const DURATIONS: [Unit; 4] = [
    Unit { sign: "ns", size: 1.0 },
    Unit { sign: "µs", size: 1e3 },
    Unit { sign: "ms", size: 1e6 },
    Unit { sign: "s", size: 1e9 },
];

const SIZES: [Unit; 4] = [
    Unit { sign: "B", size: 1.0 },
    Unit { sign: "KiB", size: 1024.0 },
    Unit { sign: "MiB", size: 1_048_576.0 },
    Unit { sign: "GiB", size: 1_073_741_824.0 },
];

impl Unit {
    /// The unit for a column of durations in ns.
    pub fn of_durations(values: &[f64]) -> Unit {
        Unit::of(&DURATIONS, values)
    }

    /// The unit for a column of sizes in bytes.
    pub fn of_sizes(values: &[f64]) -> Unit {
        Unit::of(&SIZES, values)
    }

    /// The largest unit in which the middle value (on the log scale) is at least 1.
    fn of(units: &[Unit], values: &[f64]) -> Unit {
        let logs: Vec<f64> = values.iter().filter(|value| **value > 0.0).map(|value| value.ln()).collect();
        let middle = if logs.is_empty() { 1.0 } else { (logs.iter().sum::<f64>() / logs.len() as f64).exp() };
        // A middle of exactly one unit comes back from its logarithm a little smaller.
        units.iter().rev().find(|unit| middle * (1.0 + 1e-9) >= unit.size).copied().unwrap_or(units[0])
    }

    /// `value` in this unit without its sign: three significant figures, at most three decimals, the smallest units
    /// whole.
    pub fn show(self, value: f64) -> String {
        let value = value / self.size;
        match value {
            _ if self.size == 1.0 => count(value.round() as u64),
            small if (0.0005..0.1).contains(&small) => format!("{small:.3}"),
            other => significant(other, 3),
        }
    }
}

/// One duration in ns with its own unit.
pub fn duration(ns: f64) -> String {
    let unit = Unit::of_durations(&[ns]);
    format!("{} {}", unit.show(ns), unit.sign)
}

/// A time in ns as people say it: seconds below two minutes, then minutes, then hours.
pub fn span(ns: f64, language: Language) -> String {
    let seconds = ns / 1e9;
    let message = match seconds {
        _ if seconds < 9.95 => message!(span_seconds, seconds = format!("{seconds:.1}")),
        _ if seconds < 120.0 => message!(span_seconds, seconds = format!("{seconds:.0}")),
        _ if seconds < 7_200.0 => message!(span_minutes, minutes = format!("{:.0}", seconds / 60.0)),
        _ => message!(span_hours, hours = format!("{:.0}", seconds / 3_600.0)),
    };
    message.text(language)
}

/// One size in bytes with its own unit.
pub fn size(bytes: f64) -> String {
    let unit = Unit::of_sizes(&[bytes]);
    format!("{} {}", unit.show(bytes), unit.sign)
}

/// How a list grows: by one more element, and by its last one.
#[derive(Clone, Copy)]
pub(crate) struct Joint {
    more: fn(&str, &str) -> Message,
    last: fn(&str, &str) -> Message,
}

pub(crate) const AND: Joint = Joint {
    more: |all, next| message!(list_and_more, all, next),
    last: |all, last| message!(list_and_last, all, last),
};
pub(crate) const OR: Joint =
    Joint { more: |all, next| message!(list_or_more, all, next), last: |all, last| message!(list_or_last, all, last) };
const fn even(more: fn(&str, &str) -> Message) -> Joint {
    Joint { more, last: more }
}
pub(crate) const CLAUSES: Joint = even(|all, next| message!(clauses_more, all, next));
pub(crate) const SERIES: Joint = even(|all, next| message!(series_more, all, next));

/// The elements as one text.
pub(crate) fn joined(elements: impl IntoIterator<Item = String>, joint: Joint, language: Language) -> String {
    let mut elements = elements.into_iter().peekable();
    let mut all = elements.next().unwrap_or_default();
    while let Some(element) = elements.next() {
        let join = if elements.peek().is_some() { joint.more } else { joint.last };
        all = join(&all, &element).text(language);
    }
    all
}

/// A name in the quotes of the language.
pub(crate) fn name(name: &str, language: Language) -> String {
    message!(name_quoted, name).text(language)
}

/// Names as a list in words: `a`, `a and b`, `a, b and c`.
pub fn list(names: &[impl AsRef<str>], language: Language) -> String {
    joined(names.iter().map(|name| name.as_ref().to_string()), AND, language)
}

/// Names of which one is chosen: `a`, `a or b`, `a, b or c`.
pub fn either(names: &[impl AsRef<str>], language: Language) -> String {
    joined(names.iter().map(|name| name.as_ref().to_string()), OR, language)
}

/// The same as [`list`] with each name in quotes: `'a'`, `'a' and 'b'`.
pub fn quoted(names: &[impl AsRef<str>], language: Language) -> String {
    joined(names.iter().map(|one| name(one.as_ref(), language)), AND, language)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EN: Language = Language::English;
    const JA: Language = Language::Japanese;

    #[test]
    fn figures_keep_their_significant_digits_and_separators() {
        assert_eq!(rate(1_234_567.0), "1,235,000");
        assert_eq!(rate(987.65), "987.6");
        assert_eq!(rate(99_996.0), "100,000");
        assert_eq!(ratio(0.043_27), "0.0433");
        assert_eq!(ratio(9.996), "10.0");
        assert_eq!((ratio(0.0).as_str(), ratio(1.0004).as_str(), ratio(0.974)), ("0", "1.000", "0.974".to_string()));
        assert_eq!(count(1_000), "1,000");
        assert_eq!(count(999), "999");
        assert_eq!((rows(10_000), rows(25_000_000), rows(1_234)), ("10k".into(), "25m".into(), "1,234".into()));
    }

    #[test]
    fn percentages_have_two_figures_below_ten_and_none_after_the_point_above() {
        assert_eq!(
            (percent(0.0312, EN).as_str(), percent(0.996, EN).as_str(), percent(2.5, EN).as_str()),
            ("3.1 %", "100 %", "250 %")
        );
        assert_eq!(percent(1e30, EN), "more than 100,000 %");
    }

    #[test]
    fn a_difference_is_a_percentage_or_a_factor() {
        assert_eq!((difference(0.07, EN).as_str(), difference(0.999, EN).as_str()), ("7.0 %", "100 %"));
        assert_eq!(
            (difference(1.0, EN).as_str(), difference(377.55, EN).as_str()),
            ("a factor of 2.0", "a factor of 380")
        );
        assert_eq!(difference(f64::INFINITY, EN), "a factor above 1,000");
    }

    #[test]
    fn a_confidence_level_is_never_rounded_up() {
        assert_eq!((level(0.95).as_str(), level(1.0 - 0.05 / 3.0).as_str()), ("95\u{a0}%", "98.3\u{a0}%"));
        assert_eq!((level(0.975).as_str(), level(1.0 - 0.05 / 45.0).as_str()), ("97.5\u{a0}%", "99.8\u{a0}%"));
        assert_eq!(level(1.0 - 0.05 / 435.0), "99.98\u{a0}%");
    }

    #[test]
    fn a_narrow_interval_is_one_width_and_a_wide_one_both_ends() {
        assert_eq!(interval(100.0, 97.0, 103.1, rate, EN), "± 3.1 %");
        assert_eq!(interval(100.0, 70.0, 143.0, rate, EN), "70.00 … 143.0");
        assert_eq!(interval(100.0, 0.09, 143.0, rate, EN), "too wide");
        assert_eq!(interval(0.3, 1e-40, 1e40, ratio, EN), "too wide");
    }

    #[test]
    fn a_column_takes_the_unit_of_its_middle_value() {
        let unit = Unit::of_durations(&[900.0, 4_000.0, 80_000.0]);
        assert_eq!(unit.sign, "µs");
        assert_eq!((unit.show(900.0).as_str(), unit.show(80_000.0).as_str()), ("0.900", "80.0"));
        assert_eq!((unit.show(25.0).as_str(), unit.show(0.4).as_str()), ("0.025", "0.000400"));
        assert_eq!(duration(1_500_000_000.0), "1.50 s");
        assert_eq!((size(512.4).as_str(), duration(1_000.0).as_str()), ("512 B", "1.00 µs"));
    }

    #[test]
    fn a_span_is_rounded_to_what_people_say() {
        let second_ns = 1e9;
        assert_eq!((span(1.24e9, EN).as_str(), span(119.0 * second_ns, EN).as_str()), ("1.2 s", "119 s"));
        assert_eq!((span(125.0 * second_ns, EN).as_str(), span(9_000.0 * second_ns, EN).as_str()), ("2 min", "2 h"));
    }

    #[test]
    fn lists_read_as_words() {
        assert_eq!((list(&["a"], EN).as_str(), list(&["a", "b", "c"], EN).as_str()), ("a", "a, b and c"));
        assert_eq!((quoted(&["a"], EN).as_str(), quoted(&["a", "b", "c"], EN).as_str()), ("'a'", "'a', 'b' and 'c'"));
    }

    #[test]
    fn times_near_one_are_ratios_and_from_a_hundred_have_three_figures() {
        assert_eq!((times(1.04).as_str(), times(1.05).as_str(), times(0.5).as_str()), ("1.040", "1.1", "0.50"));
        assert_eq!((times(8.04).as_str(), times(99.4).as_str(), times(123.4).as_str()), ("8.0", "99", "123"));
    }

    #[test]
    fn words_follow_the_language() {
        assert_eq!(
            (span(125e9, JA).as_str(), span(9e12, JA).as_str(), span(5e9, JA).as_str()),
            ("2 分", "2 時間", "5.0 秒")
        );
        assert_eq!((percent(1e30, JA).as_str(), percent(0.07, JA).as_str()), ("100,000 % 超", "7.0 %"));
        assert_eq!((difference(11.0, JA).as_str(), difference(1e9, JA).as_str()), ("12 倍", "1,000 倍超"));
        assert_eq!(interval(100.0, 0.09, 143.0, rate, JA), "広すぎる");
        assert_eq!((list(&["a", "b"], JA).as_str(), quoted(&["a", "b"], JA).as_str()), ("a、b", "「a」、「b」"));
    }
}
