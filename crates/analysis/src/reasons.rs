//! Why a candidate has no place, in words.

use kurabe_stats::MIN_VALUES;

use crate::answer::Reason;
use crate::format::count;
use crate::troubles::wrong_answers;

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
            Reason::GaveUp { rounds, message, round } => {
                let more = if *rounds > 1 { format!(", and in {} more", rounds - 1) } else { String::new() };
                format!("the client gave up in round {}{more}, after too many failures in a row: {message}", round + 1)
            }
            Reason::Failures { count: failed, message } => {
                format!("{} operations failed, most often: {message}", count(*failed))
            }
            Reason::NothingCompleted { round } => format!("no operation was complete in round {}", round + 1),
            Reason::BelowDurability { class: Some(class), why } => {
                let why = why.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                format!("its class '{class}' is below the durability floor of this run{why}")
            }
            Reason::BelowDurability { class: None, .. } => {
                "its durability is unknown, so it may be below the floor of this run".into()
            }
            Reason::Cut { cut } => cut.words(),
            Reason::FailedBefore { rows } => format!("its job failed at {} rows", count(*rows)),
            Reason::TooFewRounds { rounds } => {
                let plural = if *rounds == 1 { "" } else { "s" };
                format!("{rounds} comparable round{plural}; a place needs {MIN_VALUES}")
            }
        }
    }

    /// The reason in two or three words, for a table's cell.
    pub fn short(&self) -> &'static str {
        match self {
            Reason::WrongAnswers { .. } => "wrong answers",
            Reason::SettingsDiffer { .. } => "settings differ",
            Reason::JobFailed { .. } => "job failed",
            Reason::Unsupported { .. } => "unsupported",
            Reason::GaveUp { .. } => "gave up",
            Reason::Failures { .. } => "failures",
            Reason::NothingCompleted { .. } => "nothing completed",
            Reason::BelowDurability { class: Some(_), .. } => "below floor",
            Reason::BelowDurability { class: None, .. } => "class unknown",
            Reason::Cut { .. } => "cut",
            Reason::FailedBefore { .. } => "failed before",
            Reason::TooFewRounds { .. } => "too few rounds",
        }
    }
}
