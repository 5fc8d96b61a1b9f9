//! Claims, bindings and published figures as a study file has them.

use std::collections::BTreeMap;

use kurabe_record::{DurabilityLevel, Metric, OfLatency, PublishedUnit};
use serde::Deserialize;

use crate::toml_text::Placed;

/// A `[[claim]]`, or a condition inside one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireClaim {
    pub(super) name: Option<Placed<String>>,
    pub(super) says: Option<String>,
    pub(super) durability: Option<DurabilityLevel>,
    pub(super) bindings: Option<Vec<Placed<String>>>,
    pub(super) not_measured: Option<String>,

    pub(super) all: Option<Vec<Placed<WireClaim>>>,
    pub(super) any: Option<Vec<Placed<WireClaim>>>,
    pub(super) not: Option<Box<Placed<WireClaim>>>,

    pub(super) first: Option<Placed<String>>,
    pub(super) slowest: Option<Placed<String>>,
    pub(super) faster: Option<Placed<String>>,
    pub(super) slower: Option<Placed<String>>,
    pub(super) same_within: Option<f64>,
    pub(super) growth: Option<Placed<String>>,
    pub(super) loses_rows: Option<Placed<String>>,
    pub(super) fails: Option<Placed<String>>,
    pub(super) rate: Option<Placed<String>>,
    pub(super) size_on_disk: Option<Placed<String>>,
    pub(super) memory: Option<Placed<String>>,
    pub(super) latency: Option<Placed<String>>,
    pub(super) cpu: Option<Placed<String>>,
    pub(super) changes: Option<Placed<String>>,

    pub(super) than: Option<Placed<String>>,
    pub(super) among: Option<Vec<Placed<String>>>,
    pub(super) candidates: Option<Vec<Placed<String>>>,
    pub(super) candidate: Option<Placed<String>>,
    pub(super) phase: Option<Placed<String>>,
    pub(super) phases: Option<Vec<Placed<String>>>,
    pub(super) at: Option<BTreeMap<String, Placed<toml::Value>>>,
    pub(super) than_phase: Option<Placed<String>>,
    pub(super) than_at: Option<BTreeMap<String, Placed<toml::Value>>>,
    pub(super) by: Option<Metric>,
    pub(super) by_at_least: Option<Placed<f64>>,
    pub(super) by_at_most: Option<Placed<f64>>,
    pub(super) at_least: Option<Placed<String>>,
    pub(super) at_most: Option<Placed<String>>,
    pub(super) percentile: Option<Placed<String>>,
    pub(super) side: Option<Side>,
    pub(super) is: Option<WireLaw>,
    pub(super) from: Option<Placed<toml::Value>>,
    pub(super) to: Option<Placed<toml::Value>>,
}

/// Whose processor time.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Side {
    Client,
    Service,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WireLaw {
    Linear,
    Faster,
    Knee,
}

/// Names of keys, with whether they are given.
macro_rules! given {
    ($claim:ident: $($key:ident),*) => {
        vec![$((stringify!($key), $claim.$key.is_some())),*]
    };
}

impl WireClaim {
    /// The keys that say what a condition states.
    pub(super) fn heads(&self) -> Vec<(&'static str, bool)> {
        given!(self: all, any, not, first, slowest, faster, slower, same_within, growth, loses_rows, fails, rate,
            size_on_disk, memory, latency, cpu, changes, not_measured)
    }

    /// The keys beside them.
    pub(super) fn further(&self) -> Vec<(&'static str, bool)> {
        given!(self: than, among, candidates, candidate, phase, phases, at, than_phase, than_at, by, by_at_least,
            by_at_most, at_least, at_most, percentile, side, is, from, to)
    }
}

/// What stands beside a figure that is compared with an amount or with another's.
const COMPARED: &[&str] =
    &["than", "phase", "phases", "at", "than_phase", "than_at", "at_least", "at_most", "by_at_least", "by_at_most"];

/// What may stand beside what a condition states.
pub(super) fn keys_beside(head: &str) -> Vec<&'static str> {
    let (own, shared): (&[&str], &[&str]) = match head {
        "first" | "slowest" => (&["among", "phase", "phases", "at", "by"], &[]),
        "faster" | "slower" => {
            (&["than", "phase", "phases", "at", "than_phase", "than_at", "by", "by_at_least", "by_at_most"], &[])
        }
        "same_within" => (&["candidates", "phase", "phases", "at", "by"], &[]),
        "growth" => (&["is", "phase", "phases", "at", "from", "to"], &[]),
        "loses_rows" | "fails" => (&["at"], &[]),
        "rate" => (&["phase", "phases", "at", "at_least", "at_most"], &[]),
        "size_on_disk" | "memory" => (&[], COMPARED),
        "latency" => (&["percentile"], COMPARED),
        "cpu" => (&["side"], COMPARED),
        "changes" => {
            (&["candidate", "than", "from", "to", "phase", "phases", "at", "by", "by_at_least", "by_at_most"], &[])
        }
        _ => (&[], &[]),
    };
    [own, shared].concat()
}

/// A `[[binding]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireBinding {
    pub(super) name: Placed<String>,
    #[serde(default)]
    pub(super) binds: BTreeMap<String, Placed<String>>,
}

/// A `[[published]]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WirePublished {
    pub(super) title: Placed<String>,
    pub(super) conditions: String,
    pub(super) unit: PublishedUnit,
    pub(super) columns: Vec<WireColumn>,
    pub(super) rows: Vec<Placed<WireRow>>,
}

/// A column; where of ours it stands for may be said by its rows instead.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireColumn {
    pub(super) name: String,
    #[serde(default)]
    pub(super) phase: Option<Placed<String>>,
    #[serde(default)]
    pub(super) at: BTreeMap<String, Placed<toml::Value>>,
    #[serde(default)]
    pub(super) operations: Option<f64>,
    #[serde(default)]
    pub(super) of: Option<OfLatency>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRow {
    pub(super) name: String,
    pub(super) candidate: Placed<String>,
    #[serde(default)]
    pub(super) phase: Option<Placed<String>>,
    #[serde(default)]
    pub(super) at: BTreeMap<String, Placed<toml::Value>>,
    #[serde(default)]
    pub(super) operations: Option<f64>,
    pub(super) values: Vec<Placed<toml::Value>>,
}
