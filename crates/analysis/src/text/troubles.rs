//! What went wrong in a job.

use kurabe_messages::{Message, message};

use crate::figures::troubles::{Trouble, TroubleKind};

impl Trouble {
    /// What went wrong, as a message.
    pub fn message(&self) -> Message {
        let what = match &self.kind {
            TroubleKind::Failed { message } => return message!(note_trouble_failed, message = message.clone()),
            TroubleKind::WrongAnswers { count, example } => {
                message!(note_trouble_wrong_answers, count = *count, example = example.clone())
            }
            TroubleKind::GaveUp { message } => message!(note_trouble_gave_up, message = message.clone()),
            TroubleKind::Failures { count, message } => {
                message!(note_trouble_failures, count = *count, message = message.clone())
            }
        };
        match &self.phase {
            Some(phase) => message!(note_trouble_in, phase, what),
            None => what,
        }
    }
}
