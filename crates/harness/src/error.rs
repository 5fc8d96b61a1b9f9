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
    Machine(#[from] MachineError),
    /// The guardian.
    #[error(transparent)]
    Guardian(#[from] GuardianError),
    /// A process.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A service.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// A file of the harness.
    #[error("cannot write '{path}': {source}; choose another place with --dir")]
    Io {
        /// The file.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

impl HarnessError {
    pub(crate) fn io(path: &std::path::Path, source: std::io::Error) -> HarnessError {
        HarnessError::Io { path: path.display().to_string(), source }
    }
}
