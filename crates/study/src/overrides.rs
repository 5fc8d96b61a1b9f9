//! What the command line changes in a study.

use kurabe_record::{MinimumDurability, Slo, StoreProfile, Transport, UsedBy};
use serde::Deserialize;

use crate::asked_data::AskedData;
use crate::axes::AskedAxis;
use crate::pitfalls::PitfallChoice;

/// What the command line changes in a study.
#[derive(Clone, Debug, Default)]
pub struct Overrides {
    /// `--stores`, as often as it was given; none where it was not.
    pub stores: Vec<String>,
    /// `--all`: every store and variant of the catalogue, as far as they are here.
    pub all: bool,
    /// `--durability`.
    pub durability: Option<MinimumDurability>,
    /// `--profile`.
    pub profile: Option<AskedProfile>,
    /// `--rounds`.
    pub rounds: Option<u32>,
    /// `--budget`, in ns.
    pub budget_ns: Option<u64>,
    /// `--rows`: one size instead of the study's.
    pub rows: Option<u64>,
    /// `--full`: as many rows as the study's source had, and no budget of the study's own.
    pub full: bool,
    /// `--sizes`: several sizes instead of the study's, the same as an axis over `rows`.
    pub sizes: Option<Vec<u64>>,
    /// `--axis`, as often as it was given.
    pub axes: Vec<AskedAxis>,
    /// `--data` and what goes with it.
    pub data: Option<AskedData>,
    /// `--transport`.
    pub transport: Option<Transport>,
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--pitfall`, `--as-published` and `--pitfalls`.
    pub pitfalls: PitfallChoice,
    /// `--need`, or what `--users` start, in operations a second.
    pub need_per_s: Option<f64>,
    /// `--rate`: planned operations a second in each phase that decides.
    pub rate: Option<u32>,
    /// `--slo`.
    pub slo: Option<Slo>,
    /// `--equivalent`, as a share.
    pub equivalent: Option<f64>,
    /// `--used-by`.
    pub used_by: Option<UsedBy>,
}

/// Which profiles are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskedProfile {
    /// As each store ships.
    #[default]
    Default,
    /// As its makers advise.
    Tuned,
    /// Both, each store once in each: the same as an axis over `profile`.
    Both,
}

impl AskedProfile {
    /// The words that stand in studies and on the command line.
    pub const WORDS: [(&'static str, AskedProfile); 3] =
        [("default", AskedProfile::Default), ("tuned", AskedProfile::Tuned), ("both", AskedProfile::Both)];

    /// Its word.
    pub fn word(self) -> &'static str {
        AskedProfile::WORDS.iter().find(|(_, one)| *one == self).map_or("default", |(word, _)| word)
    }

    /// How stores are set where no axis says.
    pub(crate) fn without_axis(self) -> StoreProfile {
        match self {
            AskedProfile::Default | AskedProfile::Both => StoreProfile::Default,
            AskedProfile::Tuned => StoreProfile::Tuned,
        }
    }
}
