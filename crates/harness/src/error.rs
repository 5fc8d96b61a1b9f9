//! What keeps a run from starting or going on.

use kurabe_machine::MachineError;
use kurabe_record::FolderError;
use kurabe_service::{GuardianError, ServiceError, SpawnError};

/// Why a run cannot start or go on. A fault inside one job is a record, not an error.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// Something that was asked for cannot be had; nothing was started.
    #[error("{0}")]
    Refused(String),
    /// The user interrupted the run before its first job.
    #[error("interrupted before anything was measured")]
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
    /// What every job stands on has given way: no store is to blame.
    #[error("{0}. No store is to blame: the run ends here, and the job that was under way is not recorded")]
    Environment(String),
    /// A record that cannot be written as it is.
    #[error("a record cannot be written: {0}; please report this")]
    Record(#[from] serde_json::Error),
    /// A file of the harness.
    #[error("cannot write '{path}': {source}; choose another place with --dir")]
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
    pub(crate) fn in_record(&self) -> String {
        match self {
            HarnessError::Environment(what) => what.clone(),
            error => error.to_string(),
        }
    }

    pub(crate) fn io(path: &std::path::Path, source: std::io::Error) -> HarnessError {
        HarnessError::Io { path: path.display().to_string(), source }
    }
}
