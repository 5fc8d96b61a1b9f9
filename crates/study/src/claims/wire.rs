//! Claims, bindings and published figures as a study file has them.

use std::collections::BTreeMap;

use kurabe_record::{DurabilityLevel, LatencyStatistic, Metric, PublishedUnit};
use serde::Deserialize;

use crate::toml_text::Located;

/// A `[[claim]]`, or a condition inside one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireClaim {
    pub(super) name: Option<Located<String>>,
    pub(super) says: Option<String>,
    pub(super) durability: Option<DurabilityLevel>,
    pub(super) bindings: Option<Vec<Located<String>>>,
    pub(super) not_judged: Option<String>,
    pub(super) known: Option<WireVerdict>,
    pub(super) fact: Option<String>,
    pub(super) fact_source: Option<String>,

    pub(super) all: Option<Vec<Located<WireClaim>>>,
    pub(super) any: Option<Vec<Located<WireClaim>>>,
    pub(super) most: Option<Vec<Located<WireClaim>>>,
    pub(super) many: Option<Vec<Located<WireClaim>>>,
    pub(super) not: Option<Box<Located<WireClaim>>>,

    pub(super) first: Option<Located<String>>,
    pub(super) slowest: Option<Located<String>>,
    pub(super) faster: Option<Located<String>>,
    pub(super) slower: Option<Located<String>>,
    pub(super) same_within: Option<f64>,
    pub(super) growth: Option<Located<String>>,
    pub(super) loses_rows: Option<Located<String>>,
    pub(super) fails: Option<Located<String>>,
    pub(super) rate: Option<Located<String>>,
    pub(super) size_on_disk: Option<Located<String>>,
    pub(super) memory: Option<Located<String>>,
    pub(super) latency: Option<Located<String>>,
    pub(super) cpu: Option<Located<String>>,
    pub(super) changes: Option<Located<String>>,

    pub(super) than: Option<Located<String>>,
    pub(super) among: Option<Vec<Located<String>>>,
    pub(super) candidates: Option<Vec<Located<String>>>,
    pub(super) candidate: Option<Located<String>>,
    pub(super) phase: Option<Located<String>>,
    pub(super) phases: Option<Vec<Located<String>>>,
    pub(super) at: Option<BTreeMap<String, Located<toml::Value>>>,
    pub(super) than_phase: Option<Located<String>>,
    pub(super) than_at: Option<BTreeMap<String, Located<toml::Value>>>,
    pub(super) by: Option<Metric>,
    pub(super) by_at_least: Option<Located<f64>>,
    pub(super) by_at_most: Option<Located<f64>>,
    pub(super) at_least: Option<Located<String>>,
    pub(super) at_most: Option<Located<String>>,
    pub(super) percentile: Option<Located<String>>,
    pub(super) side: Option<ClaimSide>,
    pub(super) is: Option<WireLaw>,
    pub(super) from: Option<Located<toml::Value>>,
    pub(super) to: Option<Located<toml::Value>>,
}

/// What a known fact makes of a claim.
#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub(super) enum WireVerdict {
    Right,
    Wrong,
}

/// Whose processor time.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ClaimSide {
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
        given!(self: all, any, most, many, not, first, slowest, faster, slower, same_within, growth, loses_rows, fails, rate,
            size_on_disk, memory, latency, cpu, changes, known, not_judged)
    }

    /// The keys beside them.
    pub(super) fn further(&self) -> Vec<(&'static str, bool)> {
        given!(self: than, among, candidates, candidate, phase, phases, at, than_phase, than_at, by, by_at_least,
            by_at_most, at_least, at_most, percentile, side, is, from, to, fact, fact_source)
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
        "known" => (&["fact", "fact_source"], &[]),
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
    pub(super) name: Located<String>,
    #[serde(default)]
    pub(super) binds: BTreeMap<String, Located<String>>,
    #[serde(default)]
    pub(super) stands_for: BTreeMap<String, Located<String>>,
}

/// A `[[published]]` table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WirePublished {
    pub(super) title: Located<String>,
    pub(super) conditions: String,
    pub(super) unit: PublishedUnit,
    pub(super) columns: Vec<WireColumn>,
    pub(super) rows: Vec<Located<WireRow>>,
}

/// A column; where of ours it stands for may be said by its rows instead.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireColumn {
    pub(super) name: String,
    #[serde(default)]
    pub(super) phase: Option<Located<String>>,
    #[serde(default)]
    pub(super) at: BTreeMap<String, Located<toml::Value>>,
    #[serde(default)]
    pub(super) operations: Option<f64>,
    #[serde(default)]
    pub(super) of: Option<LatencyStatistic>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireRow {
    pub(super) name: String,
    pub(super) candidate: Located<String>,
    #[serde(default)]
    pub(super) phase: Option<Located<String>>,
    #[serde(default)]
    pub(super) at: BTreeMap<String, Located<toml::Value>>,
    #[serde(default)]
    pub(super) operations: Option<f64>,
    pub(super) values: Vec<Located<toml::Value>>,
}
