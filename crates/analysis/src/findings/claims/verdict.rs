//! What becomes of a claim.

use schemars::JsonSchema;
use serde::Serialize;

/// What became of a claim, or of a statement in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The results show it.
    Right,
    /// The results show it, and by more than is claimed.
    RightAndMoreSo,
    /// The results show its contrary.
    Wrong,
    /// The results show neither.
    Undecided,
    /// A side is missing, did other work, or is played by another program than the source's.
    OtherWork,
}

impl ClaimVerdict {
    /// All of them, in the order in which they are counted.
    pub const ALL: [ClaimVerdict; 5] = [
        ClaimVerdict::Right,
        ClaimVerdict::RightAndMoreSo,
        ClaimVerdict::Wrong,
        ClaimVerdict::Undecided,
        ClaimVerdict::OtherWork,
    ];

    /// Whether the claim is right, by as much as it says or by more.
    pub fn is_right(self) -> bool {
        matches!(self, ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo)
    }
}
