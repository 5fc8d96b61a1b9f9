//! Where something was measured, in words.

use kurabe_record::{AxisValue, Coordinate, MinimumDurability};

use super::durability::named_minimum;
use crate::figures::configuration::{At, DURABILITY};
use crate::text::format::{count, list};

/// A level: `1,000,000 rows and 8 connections`.
pub fn at(at: &At) -> String {
    let at_level =
        if at.coordinates.is_empty() { format!("{} rows", count(at.rows)) } else { coordinates(&at.coordinates) };
    at.trap.as_ref().map_or(at_level.clone(), |trap| format!("{at_level} with the trap '{trap}'"))
}

/// Several coordinates as a list.
pub fn coordinates(coordinates: &[Coordinate]) -> String {
    let words: Vec<String> = coordinates.iter().map(|one| coordinate(&one.axis, &one.value)).collect();
    list(&words)
}

/// A value on an axis.
pub fn coordinate(axis: &str, value: &AxisValue) -> String {
    let AxisValue::Number(number) = value else {
        return match (axis, value.to_string().as_str()) {
            ("indexed", "yes") => "an index".to_string(),
            ("indexed", "no") => "no index".to_string(),
            ("encoding", "json") => "rows as JSON".to_string(),
            ("encoding", "yaml") => "rows as YAML".to_string(),
            ("encoding", "messagepack") => "rows as MessagePack".to_string(),
            ("encoding", "raw") => "raw rows".to_string(),
            ("trap", _) => format!("the trap '{value}'"),
            (DURABILITY, word) => word.parse().map_or_else(|_| format!("{axis} {word}"), named_minimum),
            _ => format!("{axis} {value}"),
        };
    };
    let plural = if *number == 1 { "" } else { "s" };
    let shown = count(*number);
    match axis {
        "rows" => format!("{shown} rows"),
        "connections" => format!("{shown} connection{plural}"),
        "value_len_bytes" => format!("values of {shown} bytes"),
        "commit_every" => format!("a commit every {shown} write{plural}"),
        _ => format!("{axis} {shown}"),
    }
}

/// A value of an axis in a cell or beside a chart: `1,000`, `power`, `≤ 10 ms`.
pub fn value_in_short(axis: &str, value: &AxisValue) -> String {
    match value {
        AxisValue::Number(number) => count(*number),
        AxisValue::Word(word) if axis == DURABILITY => {
            word.parse().map_or_else(|_| word.clone(), MinimumDurability::short)
        }
        AxisValue::Word(word) => word.clone(),
    }
}
