//! What keeps a run from starting or going on.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use kurabe_machine::MachineError;
use kurabe_messages::{Language, RecordedText, message, with_language};
use kurabe_record::FolderError;
use kurabe_service::{GuardianError, ServiceError, SpawnError};

/// Why something cannot be: a message or another error. Its text is in the language of whoever shows it; a record has its English.
#[derive(Clone)]
pub struct Reason(Arc<dyn Error + Send + Sync>);

impl Reason {
    /// As a record has it, whatever language the user reads.
    pub fn in_record(&self) -> RecordedText {
        in_record(self)
    }
}

/// As a record has it, whatever language the user reads: the message, else the English.
pub(crate) fn in_record(what: impl fmt::Display) -> RecordedText {
    with_language(Language::English, || RecordedText::of(what))
}

/// The English, where a record has the words of a client.
pub(crate) fn in_english(what: impl fmt::Display) -> String {
    with_language(Language::English, || what.to_string())
}

impl<E: Error + Send + Sync + 'static> From<E> for Reason {
    fn from(error: E) -> Reason {
        Reason(Arc::new(error))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl PartialEq for Reason {
    fn eq(&self, other: &Reason) -> bool {
        self.in_record() == other.in_record()
    }
}

impl Eq for Reason {}

/// Why something is not here, and the command that gets it.
pub type MissingPart = (Reason, Option<String>);

/// Why a run cannot start or go on. A fault inside one job is a record, not an error.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// Something that was asked for is not available; nothing was started.
    #[error("{0}")]
    Refused(Reason),
    /// The user interrupted the run before its first job.
    #[error("{}", message!(run_interrupted))]
    Interrupted,
    /// The folder of the run.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The folder for data.
    #[error(transparent)]
    DataFolder(#[from] kurabe_service::FolderError),
    /// The machine.
    #[error(transparent)]
    Machine(MachineError),
    /// The guardian.
    #[error(transparent)]
    Guardian(#[from] GuardianError),
    /// A process.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A service.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// What every job needs is gone: no store is to blame.
    #[error("{}", message!(run_environment, problem = .0))]
    Environment(Reason),
    /// A record that cannot be written as it is.
    #[error("{}", message!(run_record, error = .0))]
    Record(#[from] serde_json::Error),
    /// A file of the harness.
    #[error("{}", message!(run_io, path = .path, error = .source))]
    Io {
        /// The file.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl From<MachineError> for HarnessError {
    fn from(error: MachineError) -> HarnessError {
        match error {
            MachineError::Interrupted => HarnessError::Interrupted,
            error => HarnessError::Machine(error),
        }
    }
}

impl HarnessError {
    /// As it stands at the end of a record.
    pub(crate) fn in_record(&self) -> RecordedText {
        match self {
            HarnessError::Environment(what) => what.in_record(),
            error => in_record(error),
        }
    }

    /// Refuses a run before anything starts.
    pub(crate) fn refused(why: impl Into<Reason>) -> HarnessError {
        HarnessError::Refused(why.into())
    }

    pub(crate) fn io(path: &std::path::Path, source: std::io::Error) -> HarnessError {
        HarnessError::Io { path: path.display().to_string(), source }
    }
}

#[cfg(test)]
mod tests {
    use kurabe_record::JobErrorKind;

    use super::*;
    use crate::fault::Fault;

    #[test]
    fn a_record_is_the_same_whatever_the_user_reads() {
        let gone = || message!(run_guardian_gone);
        let japanese = gone().text(Language::Japanese);
        let (shown, recorded, failed) = with_language(Language::Japanese, || {
            let error = HarnessError::Environment(gone().into());
            (error.to_string(), error.in_record(), Fault::new(JobErrorKind::Service, gone()))
        });
        assert!(shown.contains(&japanese), "{shown}");
        assert_eq!(recorded, gone().into());
        assert_eq!(failed, Fault::Failed { kind: JobErrorKind::Service, message: gone().into() });
    }

    #[test]
    fn an_error_of_a_service_is_a_reason_in_either_language() {
        let reason = with_language(Language::Japanese, || Reason::from(GuardianError::RunId { run_id: "a b".into() }));
        let recorded = reason.in_record();
        assert!(recorded.text(Language::English).starts_with("'a b' is not a name for a run"), "{reason}");
        assert!(recorded.text(Language::Japanese).starts_with("「a b」"), "{reason}");
        assert!(with_language(Language::Japanese, || reason.to_string()).starts_with("「a b」"), "{reason}");
    }
}
