//! What a store that fails again and again failed of: some tell the reason once, and of a full disk in words of their own.

use kurabe_machine::full_disk;
use kurabe_messages::{Language, Message, RecordedText, message};
use kurabe_protocol::PhaseResult;

use super::Work;
use crate::error::in_english;
use crate::fault::Fault;
use crate::limits;

/// The message of a call that failed.
const CALL_FAILED: &str = "run-call-failed";

impl Work<'_> {
    /// Notes the first failure of the job; whether there was one in these results.
    ///
    /// # Errors
    /// Where one tells of a limit of the machine, which no store has set.
    pub(super) fn note_failures(&mut self, phase: &str, results: &[PhaseResult]) -> Result<bool, Fault> {
        let messages = || results.iter().flat_map(|result| &result.failures).map(|failed| &failed.message);
        if let Some(limit) = messages().find_map(|message| limits::limit_reached(message)) {
            return Err(Fault::environment(limit));
        }
        let first = messages().next().map(|message| (phase.to_string(), message.clone()));
        let has_failed = first.is_some();
        self.first_failure = self.first_failure.take().or(first);
        Ok(has_failed)
    }

    /// Says that the disk is full behind the reasons of operations that failed.
    pub(super) fn tell_full_disk(&self, results: &mut [PhaseResult]) {
        if results.iter().all(|result| result.failures.is_empty()) {
            return;
        }
        let Some(full) = self.full_disk() else { return };
        for result in results {
            let messages = result.failures.iter_mut().map(|failed| &mut failed.message);
            let words = |message: &String| in_english(with_disk_state(message.as_str().into(), &full));
            messages.chain(&mut result.message).for_each(|message| *message = words(message));
        }
    }

    /// The same of what ended the job.
    pub(super) fn with_full_disk(&self, fault: Fault) -> Fault {
        match (fault, self.full_disk()) {
            (Fault::Failed { kind, message }, Some(full)) => {
                Fault::Failed { kind, message: with_disk_state(message, &full) }
            }
            (fault, _) => fault,
        }
    }

    /// Puts the first failure of an operation before that of a call which came after it: a store that goes on failing says the
    /// reason once.
    pub(super) fn after_first_failure(&self, fault: Fault) -> Fault {
        match (fault, &self.first_failure) {
            (Fault::Failed { kind, message: RecordedText::Message(message) }, Some((phase, first)))
                if message.id() == CALL_FAILED && !message.text(Language::English).contains(first) =>
            {
                Fault::new(kind, message!(run_failed_first, phase, first, then = message))
            }
            (fault, _) => fault,
        }
    }

    /// Of the file system that its data is on, where that is here.
    fn full_disk(&self) -> Option<Message> {
        let is_here = self.candidate.record.at_url.is_none() && self.keeps_files();
        full_disk(&self.folder).filter(|_| is_here)
    }
}

/// What ends a job may quote a reason that says so already, with other numbers.
fn with_disk_state(message: RecordedText, full: &Message) -> RecordedText {
    let words = full.text(Language::English);
    let is_said = message.text(Language::English).contains(&format!("({}", beginning(&words)));
    if is_said { message } else { message!(run_on_full_disk, message, full = full.clone()).into() }
}

/// The words up to the numbers.
fn beginning(full: &str) -> &str {
    full.split_once(':').map_or(full, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_failed_is_known_by_its_message() {
        assert_eq!(message!(run_call_failed, call = "size", error = "poisoned").id(), CALL_FAILED);
    }

    #[test]
    fn a_full_disk_is_told_once() {
        let full = |mib: u64| message!(machine_disk_full, free = mib << 20, all = 96u64 << 20);
        let told = |message: &str, mib| with_disk_state(message.into(), &full(mib));
        let failed = told("No space left on device", 1);
        assert_eq!(failed.to_string(), format!("No space left on device ({})", full(1)));
        let quoted = format!("only 5 of 10 rows were loaded: {failed}");
        assert_eq!(told(&quoted, 0), quoted.as_str().into());
        assert_eq!(told("the disk is full", 0).to_string(), format!("the disk is full ({})", full(0)));
        let japanese = failed.text(Language::Japanese);
        assert_eq!(japanese, format!("No space left on device（{}）", full(1).text(Language::Japanese)));
    }
}
