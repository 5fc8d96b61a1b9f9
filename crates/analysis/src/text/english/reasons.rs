//! Why a candidate is not ranked, and where it was skipped.

use kurabe_stats::MIN_VALUES;

use super::configuration::at;
use super::durability::{kept, quoted_minimum};
use crate::figures::budget::Skipped;
use crate::figures::reason::{Reason, WhyNot};
use crate::text::format::{count, span};

impl Reason {
    /// The reason in words, for tables and lists.
    pub fn words(&self) -> String {
        match self {
            Reason::WrongAnswers { count: wrong, example, round } => {
                format!("{}, first in round {}: {example}", wrong_answers(*wrong), round + 1)
            }
            Reason::SettingsDiffer { name, asked, found, round } => {
                format!("setting '{name}' reads back as '{found}' in round {}, '{asked}' was asked for", round + 1)
            }
            Reason::JobFailed { rounds, message, round } => {
                let more = if *rounds > 1 { format!(", and in {} more", rounds - 1) } else { String::new() };
                format!("failed in round {}{more}: {message}", round + 1)
            }
            Reason::Unsupported { what } => format!("unsupported: {what}"),
            Reason::EndedAmid => "a service was ended amid the phase, as planned: nothing of it is ranked".into(),
            Reason::GaveUp { rounds, message, round } => {
                let more = if *rounds > 1 { format!(", and in {} more", rounds - 1) } else { String::new() };
                format!("the client gave up in round {}{more}, after too many failures in a row: {message}", round + 1)
            }
            Reason::Failures { count: failed, message } => {
                format!("{} operations failed, most often: {message}", count(*failed))
            }
            Reason::NothingCompleted { round } => format!("no operation was complete in round {}", round + 1),
            Reason::BelowDurability { guarantee: Some(guarantee), minimum, why } => {
                let why = why.as_ref().map(|why| format!(" ({why})")).unwrap_or_default();
                format!("it keeps less than {}: {}{why}", quoted_minimum(*minimum), kept(*guarantee))
            }
            Reason::BelowDurability { guarantee: None, minimum, .. } => {
                format!("what it keeps is unknown, so it may be less than {}", quoted_minimum(*minimum))
            }
            Reason::Skipped { skipped } => skipped.words(),
            Reason::FailedBefore { at: level } => format!("its job failed at {}", at(level)),
            Reason::NotChecked => "a load tool drives it: its answers are not checked, and it is never ranked".into(),
            Reason::TooFewRounds { rounds } => {
                let plural = if *rounds == 1 { "" } else { "s" };
                format!("{rounds} comparable round{plural}; a place needs {MIN_VALUES}")
            }
        }
    }
}

impl WhyNot {
    /// In words.
    pub fn words(&self) -> String {
        match self {
            WhyNot::NotRanked(reason) => reason.words(),
            WhyNot::BadEnd { round, message } => format!("the end of round {}, after all phases: {message}", round + 1),
            WhyNot::Latencies { operation, error } => {
                format!("latencies of '{operation}' from one client process: {error}")
            }
        }
    }
}

impl Skipped {
    /// Where and why in words.
    pub fn words(&self) -> String {
        let rounds = |rounds: u32| format!("{rounds} round{}", if rounds == 1 { "" } else { "s" });
        let done = if self.rounds == 0 { String::new() } else { format!(" after {}", rounds(self.rounds)) };
        let why = match (self.stopped_after_ns, self.estimate_ns) {
            (Some(after_ns), Some(estimate_ns)) => {
                format!("stopped after {}, about {} were expected", span(after_ns), span(estimate_ns))
            }
            (Some(after_ns), None) => {
                format!("stopped after {}, its share of the budget", span(after_ns))
            }
            (None, Some(estimate_ns)) => format!(
                "{} would take about {}, {} were left of the budget",
                rounds(self.needed_rounds),
                span(estimate_ns),
                span(self.left_ns)
            ),
            (None, None) => "nothing was left of the budget".into(),
        };
        format!("skipped at {}{done}: {why}", at(&self.at))
    }
}

/// A number of wrong answers in words.
fn wrong_answers(wrong: u64) -> String {
    format!("{} wrong answer{}", count(wrong), if wrong == 1 { "" } else { "s" })
}
