//! What becomes of a claim.

use schemars::JsonSchema;
use serde::Serialize;

/// What became of a claim, or of a statement in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The results show it.
    Holds,
    /// The results show its contrary.
    Refuted,
    /// The results show neither.
    Open,
    /// A side is missing, or did other work.
    NotComparable,
}
