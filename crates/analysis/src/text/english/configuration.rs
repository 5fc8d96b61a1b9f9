//! Where something was measured, in words.

use kurabe_record::{AxisValue, Factor, MinimumDurability, PITFALL, value_on, without};

use super::durability::named_minimum;
use crate::figures::configuration::{At, DURABILITY};
use crate::text::format::{count, list};

/// A configuration: `1,000,000 rows and 8 connections`.
pub fn at(at: &At) -> String {
    let corrected = match without(&at.factors, PITFALL).as_slice() {
        [] => format!("{} rows", count(at.rows)),
        some => factors(some),
    };
    let with = |value| format!("{corrected} with {}", factor(PITFALL, value));
    value_on(&at.factors, PITFALL).map_or_else(|| corrected.clone(), with)
}

/// Several factors as a list.
pub fn factors(factors: &[Factor]) -> String {
    let words: Vec<String> = factors.iter().map(|one| factor(&one.axis, &one.value)).collect();
    list(&words)
}

/// A value on an axis.
pub fn factor(axis: &str, value: &AxisValue) -> String {
    let AxisValue::Number(number) = value else {
        return match (axis, value.to_string().as_str()) {
            ("indexed", "yes") => "an index".to_string(),
            ("indexed", "no") => "no index".to_string(),
            ("encoding", "json") => "rows as JSON".to_string(),
            ("encoding", "yaml") => "rows as YAML".to_string(),
            ("encoding", "messagepack") => "rows as MessagePack".to_string(),
            ("encoding", "raw") => "raw rows".to_string(),
            (PITFALL, _) => format!("the pitfall '{value}'"),
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
