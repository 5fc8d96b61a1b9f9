use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use kurabe_messages::message;

/// What can go wrong while the machine is looked at.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// A file or folder could not be used.
    #[error("{}", message!(machine_io, action = .action, path = .path.display(), error = .source))]
    Io {
        /// What was tried: a word that the message `machine-io` knows, as in "create".
        action: &'static str,
        /// The file or folder it was tried with.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The user interrupted what was being measured.
    #[error("{}", message!(machine_interrupted))]
    Interrupted,
}

impl MachineError {
    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> MachineError {
        MachineError::Io { action, path: path.to_path_buf(), source: source.into() }
    }

    /// Fails once the user has interrupted.
    pub(crate) fn unless(interrupt: &AtomicBool) -> Result<(), MachineError> {
        match interrupt.load(Ordering::Relaxed) {
            true => Err(MachineError::Interrupted),
            false => Ok(()),
        }
    }
}
