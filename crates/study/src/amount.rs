//! Amounts with their units, as claims and needs have them: `5ms`, `100 MiB`, `1000/s`.

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
/// In words: what is no amount, or one of another kind.
pub(crate) fn parse_amount(text: &str, metric: Metric) -> Result<f64, String> {
    let (kind, amount) = match (rate(text), bytes(text), parse_duration("", text)) {
        (Some(rate), ..) => (MetricUnit::PerSecond, rate),
        (_, Some(bytes), _) => (MetricUnit::Bytes, bytes),
        (.., Ok(ns)) => (MetricUnit::Nanoseconds, ns as f64),
        _ => return Err(format!("'{text}' is no amount; write it like {}", example(metric.unit()))),
    };
    if kind != metric.unit() {
        return Err(format!(
            "'{text}' is {}, and {metric} is {}; write it like {}",
            words(kind),
            words(metric.unit()),
            example(metric.unit())
        ));
    }
    if amount > 0.0 && amount.is_finite() { Ok(amount) } else { Err(format!("'{text}' is not above 0")) }
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

fn words(unit: MetricUnit) -> &'static str {
    match unit {
        MetricUnit::PerSecond => "so many a second",
        MetricUnit::Nanoseconds => "a time",
        MetricUnit::Bytes => "a number of bytes",
    }
}

fn example(unit: MetricUnit) -> &'static str {
    match unit {
        MetricUnit::PerSecond => "1000/s",
        MetricUnit::Nanoseconds => "5ms",
        MetricUnit::Bytes => "100 MiB",
    }
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
        let said = parse_amount("5 MiB", Metric::P99).unwrap_err();
        assert_eq!(said, "'5 MiB' is a number of bytes, and p99 is a time; write it like 5ms");
        assert!(parse_amount("5ms", Metric::Rate).unwrap_err().contains("so many a second"));
        assert!(parse_amount("fast", Metric::Rate).unwrap_err().contains("1000/s"));
        assert!(parse_amount("0s", Metric::P99).unwrap_err().contains("not above 0"));
    }
}
