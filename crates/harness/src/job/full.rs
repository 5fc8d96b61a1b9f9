//! Whether a disk is full where something failed on it: some stores tell that once, and others in words of their own.

use kurabe_machine::full_disk;
use kurabe_protocol::PhaseResult;

use super::Work;
use crate::fault::Fault;

impl Work<'_> {
    /// Says so behind the reasons of operations that failed.
    pub(super) fn tell_full_disk(&self, results: &mut [PhaseResult]) {
        if results.iter().all(|result| result.failures.is_empty()) {
            return;
        }
        let Some(full) = self.full_disk() else { return };
        for result in results {
            let messages = result.failures.iter_mut().map(|failed| &mut failed.message);
            messages.chain(&mut result.message).for_each(|message| *message = told(message, &full));
        }
    }

    /// The same of what ended the job.
    pub(super) fn with_full_disk(&self, fault: Fault) -> Fault {
        match (fault, self.full_disk()) {
            (Fault::Failed { kind, message }, Some(full)) => Fault::Failed { kind, message: told(&message, &full) },
            (fault, _) => fault,
        }
    }

    /// Of the file system that its data is on, where that is here.
    fn full_disk(&self) -> Option<String> {
        let is_here = self.candidate.record.at_url.is_none() && self.keeps_files();
        full_disk(&self.folder).filter(|_| is_here)
    }
}

fn told(message: &str, full: &str) -> String {
    format!("{message} ({full})")
}
