//! Amounts with their units, as claims and needs have them: `5ms`, `100 MiB`, `1000/s`.

use kurabe_messages::{Message, message};
use kurabe_record::{Metric, MetricUnit};

use crate::words::parse_duration;

/// Units of bytes.
const BYTES: [(&str, f64); 8] = [
    ("B", 1.0),
    ("kB", 1e3),
    ("KiB", 1024.0),
    ("MB", 1e6),
    ("MiB", 1_048_576.0),
    ("GB", 1e9),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];

/// An amount in the unit of a metric: ns, bytes, or a second.
///
/// # Errors
/// What is no amount, or one of another kind.
pub(crate) fn parse_amount(text: &str, metric: Metric) -> Result<f64, Message> {
    let invalid = |expected: Message| message!(study_invalid, value = text, expected);
    let example = || match metric.unit() {
        MetricUnit::PerSecond => message!(study_claim_a_rate),
        MetricUnit::Nanoseconds => message!(study_claim_a_time),
        MetricUnit::Bytes => message!(study_claim_a_size),
    };
    let (kind, amount) = match (rate(text), bytes(text), parse_duration("", text)) {
        (Some(rate), ..) => (MetricUnit::PerSecond, rate),
        (_, Some(bytes), _) => (MetricUnit::Bytes, bytes),
        (.., Ok(ns)) => (MetricUnit::Nanoseconds, ns as f64),
        _ => return Err(invalid(example())),
    };
    if kind != metric.unit() {
        return Err(invalid(message!(study_claim_for_metric, expected = example(), metric)));
    }
    if amount > 0.0 && amount.is_finite() { Ok(amount) } else { Err(invalid(message!(study_claim_an_amount))) }
}

fn rate(text: &str) -> Option<f64> {
    number(text.trim().strip_suffix("/s")?)
}

fn bytes(text: &str) -> Option<f64> {
    let text = text.trim();
    let at = text.find(|c: char| c.is_ascii_alphabetic())?;
    let (amount, unit) = text.split_at(at);
    let (_, size) = BYTES.into_iter().find(|(known, _)| *known == unit)?;
    Some(number(amount)? * size)
}

fn number(text: &str) -> Option<f64> {
    let digits: String = text.trim().chars().filter(|c| *c != '_' && *c != ',').collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_the_unit_of_its_metric() {
        assert_eq!(parse_amount("5ms", Metric::P99), Ok(5e6));
        assert_eq!(parse_amount("1 MiB", Metric::Memory), Ok(1_048_576.0));
        assert_eq!(parse_amount("120 B", Metric::DiskPerRow), Ok(120.0));
        assert_eq!(parse_amount("10_000/s", Metric::Rate), Ok(10_000.0));
    }

    #[test]
    fn another_unit_is_refused_in_words() {
        let said = |text: &str, metric| parse_amount(text, metric).unwrap_err().to_string();
        assert_eq!(said("5 MiB", Metric::P99), "invalid value '5 MiB': expected a time such as 5ms for p99");
        assert!(said("5ms", Metric::Rate).contains("a rate such as 1000/s for rate"));
        assert!(said("fast", Metric::Rate).contains("expected a rate such as 1000/s"));
        assert!(said("0s", Metric::P99).contains("expected an amount above 0"));
    }
}
