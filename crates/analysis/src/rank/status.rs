//! Whether a candidate has a rank in a phase.

use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::reason::Reason;

/// Whether a candidate is ranked in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "state", rename_all = "kebab-case")]
pub enum Status {
    /// It has.
    Ranked {
        /// 1 is best; those that tie share it and the next number is skipped.
        rank: usize,
        /// How many candidates share it, this one included.
        sharing: usize,
    },
    /// It is no store and shows what the harness costs.
    Baseline,
    /// It has none.
    Unranked {
        /// Why.
        reason: Reason,
    },
}

impl Status {
    /// Whether the figures of a store may be compared: it is ranked, or lacks rounds for one.
    pub(crate) fn counts(&self) -> bool {
        match self {
            Status::Ranked { .. } => true,
            Status::Baseline => false,
            Status::Unranked { reason } => matches!(reason, Reason::TooFewRounds { .. } | Reason::Skipped { .. }),
        }
    }

    /// Whether all that costs figures with a pitfall their rank, beside those without it, is that the pitfall makes a
    /// store keep less.
    pub(crate) fn only_keeps_less(&self, corrected: &Status) -> bool {
        matches!(self, Status::Unranked { reason: Reason::BelowDurability { .. } }) && corrected.counts()
    }
}
