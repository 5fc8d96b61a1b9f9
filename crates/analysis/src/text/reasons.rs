//! Why a candidate is not ranked, and where it was skipped.

use kurabe_messages::{Message, message};
use kurabe_stats::MIN_VALUES;

use super::configuration::configuration_name;
use super::durability::{can_lose, quoted_minimum};
use crate::figures::budget::Skipped;
use crate::figures::reason::{NotCountedReason, Reason};

/// A round as people count.
fn ordinal(round: u32) -> u64 {
    u64::from(round) + 1
}

impl Reason {
    /// For tables and lists.
    pub fn message(&self) -> Message {
        match self {
            Reason::WrongAnswers { count, example, round } => {
                message!(reason_wrong_answers, wrong = *count, round = ordinal(*round), example = example.clone())
            }
            Reason::SettingsDiffer { name, asked, found, round } => {
                message!(reason_setting_differs, setting = name, asked, found, round = ordinal(*round))
            }
            Reason::JobFailed { rounds, message: error, round } => {
                message!(
                    reason_job_failed,
                    round = ordinal(*round),
                    more = rounds.saturating_sub(1),
                    error = error.clone()
                )
            }
            Reason::Unsupported { what } => message!(reason_unsupported, what),
            Reason::PlannedOutage => message!(reason_service_ended),
            Reason::GaveUp { rounds, message: error, round } => {
                message!(
                    reason_gave_up,
                    round = ordinal(*round),
                    more = rounds.saturating_sub(1),
                    error = error.clone()
                )
            }
            Reason::Failures { count, message: error } => {
                message!(reason_failures, failed = *count, error = error.clone())
            }
            Reason::NothingCompleted { round } => message!(reason_nothing_completed, round = ordinal(*round)),
            Reason::BelowDurability { guarantee: None, minimum, .. } => {
                message!(reason_durability_unknown, minimum = quoted_minimum(*minimum))
            }
            Reason::BelowDurability { guarantee: Some(guarantee), minimum, why } => {
                let (minimum, loses) = (quoted_minimum(*minimum), can_lose(*guarantee, 1));
                message!(reason_below_durability, minimum, loses, why = why.as_ref().map(|why| why.message()))
            }
            Reason::Skipped { skipped } => skipped.message(),
            Reason::FailedBefore { at: before } => message!(reason_failed_before, at = configuration_name(before)),
            Reason::NotChecked => message!(reason_not_checked),
            Reason::TooFewRounds { rounds } => {
                message!(reason_too_few_rounds, rounds = *rounds, needed = MIN_VALUES)
            }
        }
    }
}

impl NotCountedReason {
    /// For tables and lists.
    pub fn message(&self) -> Message {
        match self {
            NotCountedReason::NotRanked(reason) => reason.message(),
            NotCountedReason::BadEnd { round, message: error } => {
                message!(reason_bad_end, round = ordinal(*round), error)
            }
            NotCountedReason::Latencies { operation, error } => message!(reason_bad_latencies, operation, error),
        }
    }
}

impl Skipped {
    /// Where and why.
    pub fn message(&self) -> Message {
        let why = match (self.stopped_after_ns, self.estimate_ns) {
            (Some(after), Some(expected)) => message!(reason_stopped_late, after, expected),
            (Some(after), None) => message!(reason_stopped_by_share, after),
            (None, Some(needed)) => {
                message!(reason_would_take_longer, rounds = self.needed_rounds, needed, left = self.left_ns)
            }
            (None, None) => message!(reason_nothing_left),
        };
        message!(reason_skipped, at = configuration_name(&self.at), rounds = self.rounds, why)
    }
}
