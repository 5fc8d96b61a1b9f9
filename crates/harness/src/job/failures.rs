//! What a store that fails again and again failed of: some tell the reason once, and of a full disk in words of their own.

use kurabe_machine::full_disk;
use kurabe_messages::message;
use kurabe_protocol::PhaseResult;

use super::{CALL, Work};
use crate::error::in_record;
use crate::fault::Fault;
use crate::limits;

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
            messages.chain(&mut result.message).for_each(|message| *message = with_disk_state(message, &full));
        }
    }

    /// The same of what ended the job.
    pub(super) fn with_full_disk(&self, fault: Fault) -> Fault {
        match (fault, self.full_disk()) {
            (Fault::Failed { kind, message }, Some(full)) => {
                Fault::Failed { kind, message: with_disk_state(&message, &full) }
            }
            (fault, _) => fault,
        }
    }

    /// Puts the first failure of an operation before that of a call which came after it: a store that goes on failing says the
    /// reason once.
    pub(super) fn after_first_failure(&self, fault: Fault) -> Fault {
        match (fault, &self.first_failure) {
            (Fault::Failed { kind, message }, Some((phase, first)))
                if message.starts_with(CALL) && !message.contains(first) =>
            {
                Fault::new(kind, message!(run_failed_first, phase, first, then = message))
            }
            (fault, _) => fault,
        }
    }

    /// Of the file system that its data is on, where that is here.
    fn full_disk(&self) -> Option<String> {
        let is_here = self.candidate.record.at_url.is_none() && self.keeps_files();
        full_disk(&self.folder).filter(|_| is_here).map(in_record)
    }
}

/// What ends a job may quote a reason that says so already, with other numbers.
fn with_disk_state(message: &str, full: &str) -> String {
    let is_said = message.contains(&format!("({}", beginning(full)));
    if is_said { message.to_string() } else { format!("{message} ({full})") }
}

/// The words up to the numbers.
fn beginning(full: &str) -> &str {
    full.split_once(':').map_or(full, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_record_of_a_call_that_failed_begins_as_is_expected() {
        let failed = in_record(message!(run_call_failed, call = "size", error = "poisoned"));
        assert!(failed.starts_with(CALL), "{failed}");
    }

    #[test]
    fn a_full_disk_is_told_once() {
        let full = |mib: u32| format!("the disk is full: {mib} of 96 MiB are free");
        let failed = with_disk_state("No space left on device", &full(1));
        assert_eq!(failed, "No space left on device (the disk is full: 1 of 96 MiB are free)");
        let quoted = format!("only 5 of 10 rows were loaded: {failed}");
        assert_eq!(with_disk_state(&quoted, &full(0)), quoted);
        assert_eq!(
            with_disk_state("the disk is full", &full(0)),
            "the disk is full (the disk is full: 0 of 96 MiB are free)"
        );
    }
}
