//! Under which conditions candidates are compared with each other.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::durability::MinimumDurability;

/// What a store is set to beside its durability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StoreProfile {
    /// As it ships, with what the run needs: a port, a folder, room for the connections.
    #[default]
    Default,
    /// As its makers advise for a program that it is the main store of, with the memory that all get.
    Tuned,
}

impl StoreProfile {
    /// The word that stands in studies and on the command line.
    pub const WORDS: [(&'static str, StoreProfile); 2] =
        [("default", StoreProfile::Default), ("tuned", StoreProfile::Tuned)];

    /// That of a word.
    pub fn of(word: &str) -> Option<StoreProfile> {
        StoreProfile::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, profile)| profile)
    }

    /// Whether stores are set as they ship.
    pub fn is_default(&self) -> bool {
        *self == StoreProfile::Default
    }
}

impl fmt::Display for StoreProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// What is asked of every candidate of a ranking: those that keep more or are set otherwise are ranked among themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Conditions {
    /// The least that it keeps.
    pub durability: MinimumDurability,
    /// How it is set.
    pub profile: StoreProfile,
}
