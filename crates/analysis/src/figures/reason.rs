//! Places and what costs them: whether a candidate has one, why not, and what does not count.

use kurabe_messages::{Message, RecordedText};
use kurabe_protocol::Operation;
use kurabe_record::{Guarantee, MinimumDurability};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::figures::budget::Skipped;
use crate::figures::configuration::ConfigurationRef;
use crate::figures::weakening::Weakening;

/// Why a candidate is not ranked in a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// Answers were not right, in at least one round.
    WrongAnswers {
        /// Wrong answers over all rounds.
        count: u64,
        /// One of them.
        example: Message,
        /// The first round with one, from 0.
        round: u32,
    },
    /// A live setting is not what was asked for.
    SettingsDiffer {
        /// The setting.
        name: String,
        /// What was asked for.
        asked: String,
        /// What the store reported.
        found: String,
        /// The first round in which that was so, from 0.
        round: u32,
    },
    /// A job did not get through the phase.
    JobFailed {
        /// Rounds in which that happened.
        rounds: usize,
        /// The first message.
        message: Message,
        /// The first round, from 0.
        round: u32,
    },
    /// The store has no such operation, load path, read scope…
    Unsupported {
        /// What is missing.
        what: RecordedText,
    },
    /// The study ended a service that the clients used during the phase, so nothing of the phase is ranked.
    PlannedOutage,
    /// So many operations failed in a row that the client gave up: the phase was not done as planned.
    GaveUp {
        /// Rounds in which that happened.
        rounds: usize,
        /// The most frequent message.
        message: Message,
        /// The first round, from 0.
        round: u32,
    },
    /// More operations failed in one round than the study allows.
    Failures {
        /// Failed operations over all rounds.
        count: u64,
        /// The most frequent message.
        message: Message,
    },
    /// The phase ended before one operation was complete.
    NothingCompleted {
        /// The first round in which that was so, from 0.
        round: u32,
    },
    /// What it keeps is unknown or less than the run asks for, and the phase writes.
    BelowDurability {
        /// What it keeps; absent where it is unknown.
        guarantee: Option<Guarantee>,
        /// What was asked for.
        minimum: MinimumDurability,
        /// What took from its durability setting; absent where nothing did.
        #[serde(serialize_with = "as_message")]
        #[schemars(with = "Option<Message>")]
        why: Option<Box<Weakening>>,
    },
    /// The budget had no room for it in this configuration, or with fewer rows.
    Skipped {
        /// Where and why.
        skipped: Skipped,
    },
    /// Its job failed with fewer rows, so it was not tried in this configuration.
    FailedBefore {
        /// Where.
        at: ConfigurationRef,
    },
    /// A load tool drives it, or asks its services: nobody checked what it was answered.
    NotChecked,
    /// Fewer than three rounds, or fewer in common with the others.
    TooFewRounds {
        /// Rounds with a rate.
        rounds: usize,
    },
}

/// An answer has its message alone.
fn as_message<S: Serializer>(why: &Option<Box<Weakening>>, serializer: S) -> Result<S::Ok, S::Error> {
    why.as_ref().map(|why| why.message()).serialize(serializer)
}

/// Something that was measured, or should have been, and does not count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct NotCounted {
    /// Candidate.
    pub candidate: String,
    /// The phases, in the order of the plan; none where it is no phase that does not count.
    pub phases: Vec<String>,
    /// Why.
    #[serde(rename = "reason")]
    #[schemars(with = "Message")]
    pub why: NotCountedReason,
}

/// Why something does not count. It is written as its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotCountedReason {
    /// What costs the rank.
    NotRanked(Reason),
    /// The job gave every phase and did not end cleanly: its figures count, its end is reported.
    BadEnd {
        /// The round, from 0.
        round: u32,
        /// What happened.
        message: RecordedText,
    },
    /// Latencies of one client process are no histogram.
    Latencies {
        /// Kind of operation.
        operation: Operation,
        /// What is wrong with them.
        error: String,
    },
}
