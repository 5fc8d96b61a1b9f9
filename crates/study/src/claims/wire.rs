//! Claims, casts and published figures as a study file has them.

use std::collections::BTreeMap;

use kurabe_record::{Class, Metric, PublishedUnit};
use serde::Deserialize;

use crate::toml_text::Placed;

/// A `[[claim]]`, or a condition inside one.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireClaim {
    pub(super) name: Option<Placed<String>>,
    pub(super) says: Option<String>,
    pub(super) class: Option<Class>,
    pub(super) casts: Option<Vec<Placed<String>>>,
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

impl WireClaim {
    /// The keys that say what a condition states, with whether they are given.
    pub(super) fn heads(&self) -> [(&'static str, bool); 18] {
        [
            ("all", self.all.is_some()),
            ("any", self.any.is_some()),
            ("not", self.not.is_some()),
            ("first", self.first.is_some()),
            ("slowest", self.slowest.is_some()),
            ("faster", self.faster.is_some()),
            ("slower", self.slower.is_some()),
            ("same_within", self.same_within.is_some()),
            ("growth", self.growth.is_some()),
            ("loses_rows", self.loses_rows.is_some()),
            ("fails", self.fails.is_some()),
            ("rate", self.rate.is_some()),
            ("size_on_disk", self.size_on_disk.is_some()),
            ("memory", self.memory.is_some()),
            ("latency", self.latency.is_some()),
            ("cpu", self.cpu.is_some()),
            ("changes", self.changes.is_some()),
            ("not_measured", self.not_measured.is_some()),
        ]
    }

    /// The keys beside them, with whether they are given.
    pub(super) fn further(&self) -> [(&'static str, bool); 19] {
        [
            ("than", self.than.is_some()),
            ("among", self.among.is_some()),
            ("candidates", self.candidates.is_some()),
            ("candidate", self.candidate.is_some()),
            ("phase", self.phase.is_some()),
            ("phases", self.phases.is_some()),
            ("at", self.at.is_some()),
            ("than_phase", self.than_phase.is_some()),
            ("than_at", self.than_at.is_some()),
            ("by", self.by.is_some()),
            ("by_at_least", self.by_at_least.is_some()),
            ("by_at_most", self.by_at_most.is_some()),
            ("at_least", self.at_least.is_some()),
            ("at_most", self.at_most.is_some()),
            ("percentile", self.percentile.is_some()),
            ("side", self.side.is_some()),
            ("is", self.is.is_some()),
            ("from", self.from.is_some()),
            ("to", self.to.is_some()),
        ]
    }
}

/// A `[[cast]]`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireCast {
    pub(super) name: Placed<String>,
    #[serde(default)]
    pub(super) plays: BTreeMap<String, Placed<String>>,
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
