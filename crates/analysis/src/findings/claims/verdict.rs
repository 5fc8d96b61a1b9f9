//! What becomes of a claim.

use kurabe_stats::Evidence;
use schemars::JsonSchema;
use serde::Serialize;

/// What became of a claim, or of a statement in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The results show it.
    Right,
    /// The results show it, and by more than is claimed.
    RightAndMoreSo,
    /// The results show its contrary.
    Wrong,
    /// The results show neither, or the run did not measure a side.
    Undecided,
    /// A side did other work, or is played by another program than the source's.
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

    /// By evidence, where either direction may err with so small a chance at most.
    pub(crate) fn of(evidence: Evidence, most: f64) -> ClaimVerdict {
        match evidence {
            Evidence { holds, .. } if holds <= most => ClaimVerdict::Right,
            Evidence { refuted, .. } if refuted <= most => ClaimVerdict::Wrong,
            _ => ClaimVerdict::Undecided,
        }
    }

    /// Whether the claim is right, by as much as it says or by more.
    pub fn is_right(self) -> bool {
        matches!(self, ClaimVerdict::Right | ClaimVerdict::RightAndMoreSo)
    }

    /// Kleene's tables for "at least so many": all of them is a conjunction, one of them a disjunction. A side that
    /// did other work leaves more open than one that is not known well enough, since no further run of it brings it.
    pub(crate) fn at_least(count: usize, parts: &[ClaimVerdict]) -> ClaimVerdict {
        let number = |wanted: fn(&ClaimVerdict) -> bool| parts.iter().filter(|one| wanted(one)).count();
        let (right, wrong) = (number(|one| one.is_right()), number(|one| *one == ClaimVerdict::Wrong));
        let is_more = parts.contains(&ClaimVerdict::RightAndMoreSo);
        match right >= count {
            true if is_more => ClaimVerdict::RightAndMoreSo,
            true => ClaimVerdict::Right,
            false if parts.len() - wrong < count => ClaimVerdict::Wrong,
            false if parts.contains(&ClaimVerdict::OtherWork) => ClaimVerdict::OtherWork,
            false => ClaimVerdict::Undecided,
        }
    }
}
