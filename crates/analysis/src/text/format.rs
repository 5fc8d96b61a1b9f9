//! How figures are written: `kurabe_messages::format`, in English where the result has words.

use kurabe_messages::Language::English;
pub use kurabe_messages::format::{NONE, Unit, count, duration, level, rate, ratio, rows, significant, size};

/// A share or a relative difference as a percentage at two significant figures: 0.07 is `7.0 %`.
pub fn percent(share: f64) -> String {
    kurabe_messages::format::percent(share, English)
}

/// A relative difference in words: a percentage below one, else the factor that it is.
pub fn difference(share: f64) -> String {
    kurabe_messages::format::difference(share, English)
}

/// An interval beside its value: one width, both ends, or `too wide`.
pub fn interval(value: f64, low: f64, high: f64, show: fn(f64) -> String) -> String {
    kurabe_messages::format::interval(value, low, high, show, English)
}

/// A time in ns as people say it: seconds below two minutes, then minutes, then hours.
pub fn span(ns: u64) -> String {
    kurabe_messages::format::span(ns as f64, English)
}

/// Names as a list in words: `a`, `a and b`, `a, b and c`.
pub fn list(names: &[impl AsRef<str>]) -> String {
    kurabe_messages::format::list(names, English)
}

/// The same with each name in quotes: `'a'`, `'a' and 'b'`.
pub fn quoted(names: &[impl AsRef<str>]) -> String {
    kurabe_messages::format::quoted(names, English)
}
