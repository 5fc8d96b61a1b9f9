//! Which of its writes a store still has after an end that nobody planned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What acknowledged writes survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// May be lost when the store's own process dies.
    None,
    /// Survive SIGKILL of every process of the store.
    Process,
    /// Survive power loss, if the drive honours flushes.
    Power,
}

impl Class {
    /// The word used in tables and studies.
    pub fn word(self) -> &'static str {
        match self {
            Class::None => "none",
            Class::Process => "process",
            Class::Power => "power",
        }
    }
}

impl std::fmt::Display for Class {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}
