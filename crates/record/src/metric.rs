//! Figures that have names: what is measured of a phase, in which unit, and which way is better.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What can be told of a candidate in one round of a phase, and ranked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// Completed operations a second.
    #[default]
    Rate,
    /// Rows read a second, for phases that read many rows an operation.
    RowsRate,
    /// The highest rate at which response times keep what was asked, in operations a second.
    HighestRate,
    /// Half of the operations are at most so slow; of all kinds of a mix together, as the other percentiles are.
    P50,
    /// Nine in ten are.
    P90,
    /// 99 in 100 are.
    P99,
    /// 999 in 1,000 are.
    #[serde(rename = "p99.9")]
    P999,
    /// Processor time of the client's processes for one operation.
    ClientCpu,
    /// Processor time of the processes of the store's own service for one operation.
    ServiceCpu,
    /// Memory of the service, or of the client where there is no service.
    Memory,
    /// Blocks on disk for each row after a phase that writes, without those of an empty store.
    DiskPerRow,
}

/// The unit of a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MetricUnit {
    /// Operations or rows a second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// Bytes.
    Bytes,
}

/// Which way a metric is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
}

impl Metric {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Metric; 11] = [
        Metric::Rate,
        Metric::RowsRate,
        Metric::HighestRate,
        Metric::P50,
        Metric::P90,
        Metric::P99,
        Metric::P999,
        Metric::ClientCpu,
        Metric::ServiceCpu,
        Metric::Memory,
        Metric::DiskPerRow,
    ];

    /// The word in studies, flags and files.
    pub fn word(self) -> &'static str {
        match self {
            Metric::Rate => "rate",
            Metric::RowsRate => "rows-rate",
            Metric::HighestRate => "highest-rate",
            Metric::P50 => "p50",
            Metric::P90 => "p90",
            Metric::P99 => "p99",
            Metric::P999 => "p99.9",
            Metric::ClientCpu => "client-cpu",
            Metric::ServiceCpu => "service-cpu",
            Metric::Memory => "memory",
            Metric::DiskPerRow => "disk-per-row",
        }
    }

    /// The metric of a word.
    pub fn of(word: &str) -> Option<Metric> {
        Metric::ALL.into_iter().find(|metric| metric.word() == word)
    }

    /// Its unit.
    pub fn unit(self) -> MetricUnit {
        match self {
            Metric::Rate | Metric::RowsRate | Metric::HighestRate => MetricUnit::PerSecond,
            Metric::P50 | Metric::P90 | Metric::P99 | Metric::P999 | Metric::ClientCpu | Metric::ServiceCpu => {
                MetricUnit::Nanoseconds
            }
            Metric::Memory | Metric::DiskPerRow => MetricUnit::Bytes,
        }
    }

    /// Which way is better.
    pub fn better(self) -> Better {
        match self.unit() {
            MetricUnit::PerSecond => Better::Higher,
            MetricUnit::Nanoseconds | MetricUnit::Bytes => Better::Lower,
        }
    }

    /// The quantile, for a percentile of latencies.
    pub fn quantile(self) -> Option<f64> {
        match self {
            Metric::P50 => Some(0.5),
            Metric::P90 => Some(0.9),
            Metric::P99 => Some(0.99),
            Metric::P999 => Some(0.999),
            _ => None,
        }
    }

    pub(crate) fn is_rate(&self) -> bool {
        *self == Metric::Rate
    }
}

impl std::fmt::Display for Metric {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_is_that_of_files() {
        for metric in Metric::ALL {
            assert_eq!(serde_json::to_value(metric).unwrap(), metric.word());
            assert_eq!(Metric::of(metric.word()), Some(metric));
        }
        assert_eq!(Metric::of("p98"), None);
    }
}
