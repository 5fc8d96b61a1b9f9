//! How figures are written: `kurabe_messages::format`, in the current language where the result has words.

use kurabe_messages::language;

pub use kurabe_messages::format::{NONE, Unit, count, duration, level, rate, ratio, rows, significant, size};

/// A share as a percentage: 0.07 is `7.0 %`.
pub fn percent(share: f64) -> String {
    kurabe_messages::format::percent(share, language())
}

/// A relative difference: a percentage below one, else the factor.
pub fn difference(share: f64) -> String {
    kurabe_messages::format::difference(share, language())
}

/// An interval beside its value: `± 3.1 %`, both ends, or that it is too wide.
pub fn interval(value: f64, low: f64, high: f64, show: fn(f64) -> String) -> String {
    kurabe_messages::format::interval(value, low, high, show, language())
}

/// A time in ns as people say it: `119 s`, `2 min`, `3 h`.
pub fn span(ns: u64) -> String {
    kurabe_messages::format::span(ns as f64, language())
}
