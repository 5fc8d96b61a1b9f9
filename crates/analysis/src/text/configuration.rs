//! Where something was measured.

use kurabe_messages::format::count;
use kurabe_messages::{Message, message};
use kurabe_record::{AxisValue, Factor, MinimumDurability, PITFALL, value_on, without};

use super::durability::named_minimum;
use crate::figures::configuration::{ConfigurationRef, DURABILITY};

/// A configuration: `1,000,000 rows and 8 connections`.
pub fn configuration_name(at: &ConfigurationRef) -> Message {
    let corrected = match without(&at.factors, PITFALL).as_slice() {
        [] => message!(configuration_rows, rows = at.rows),
        some => factors(some),
    };
    match value_on(&at.factors, PITFALL) {
        Some(value) => message!(configuration_with_pitfall, at = corrected, pitfall = factor(PITFALL, value)),
        None => corrected,
    }
}

/// Several factors as a list.
pub fn factors(factors: &[Factor]) -> Message {
    match factors {
        [one] => factor(&one.axis, &one.value),
        several => {
            let factors: Vec<Message> = several.iter().map(|one| factor(&one.axis, &one.value)).collect();
            message!(configuration_factors, factors)
        }
    }
}

/// A value on an axis.
pub fn factor(axis: &str, value: &AxisValue) -> Message {
    match (axis, value) {
        ("rows", AxisValue::Number(rows)) => message!(configuration_rows, rows = *rows),
        ("connections", AxisValue::Number(number)) => message!(configuration_connections, connections = *number),
        ("value_len_bytes", AxisValue::Number(bytes)) => message!(configuration_value_length, bytes = *bytes),
        ("commit_every", AxisValue::Number(writes)) => message!(configuration_commit_every, writes = *writes),
        (_, AxisValue::Number(value)) => message!(configuration_number, axis, value = *value),
        (PITFALL, AxisValue::Word(pitfall)) => message!(configuration_pitfall, pitfall),
        (DURABILITY, AxisValue::Word(word)) => match word.parse() {
            Ok(minimum) => named_minimum(minimum),
            Err(_) => message!(configuration_word, axis, value = word),
        },
        (_, AxisValue::Word(word)) => match (axis, word.as_str()) {
            ("indexed", "yes") => message!(configuration_index),
            ("indexed", "no") => message!(configuration_no_index),
            ("encoding", "raw") => message!(configuration_raw_rows),
            ("encoding", "json") => message!(configuration_encoding, encoding = "JSON"),
            ("encoding", "yaml") => message!(configuration_encoding, encoding = "YAML"),
            ("encoding", "messagepack") => message!(configuration_encoding, encoding = "MessagePack"),
            ("encoding", "protobuf") => message!(configuration_encoding, encoding = "Protocol Buffers"),
            _ => message!(configuration_word, axis, value = word),
        },
    }
}

/// A value of an axis in a cell or beside a chart: `1,000`, `power`, `≤ 10 ms`.
pub fn value_in_short(axis: &str, value: &AxisValue) -> String {
    match value {
        AxisValue::Number(number) => count(*number),
        AxisValue::Word(word) if axis == DURABILITY => {
            word.parse().map_or_else(|_| word.clone(), |minimum: MinimumDurability| minimum.short().to_string())
        }
        AxisValue::Word(word) => word.clone(),
    }
}
