//! Why a service could not be initialised, started or stopped.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

use crate::spawn::short_name;
use crate::{AccountError, SpawnError, Survivors, UnknownPlaceholder, how_it_ended};

/// Why a service could not be initialised, started or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A file or folder could not be used.
    #[error("cannot {action} '{path}': {source}; check the folder, or choose another with --dir")]
    Io {
        /// What was tried, as in "make".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The initialised data folder, or a copy of it, has no room.
    #[error(
        "its initialised data folder of {} MiB does not fit in '{folder}': {source}; free room there, or choose another folder \
         with --dir",
        .size_bytes.div_ceil(1 << 20)
    )]
    NoRoom {
        /// Its size as far as it was read.
        size_bytes: u64,
        /// Where it should lie.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The service's user cannot get to its data.
    #[error("{user} cannot enter '{folder}'; choose a place that every user can enter with --dir")]
    Closed {
        /// The user, in words.
        user: String,
        /// The first folder on the way that is closed.
        folder: PathBuf,
    },
    /// A command without a word.
    #[error("a command of '{key}' is empty; give it at least a program")]
    EmptyCommand {
        /// The key of the spec.
        key: &'static str,
    },
    /// A command of the initialisation failed.
    #[error("'{program}' did not make the data folder: it {}; {}", how_it_ended(*.status), last_lines(.log))]
    InitFailed {
        /// The program's name.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of its output.
        log: String,
    },
    /// A command of the initialisation took too long.
    #[error("'{program}' did not end within {limit_s} s; {}", last_lines(.log))]
    InitSlow {
        /// The program's name.
        program: String,
        /// The limit, in seconds.
        limit_s: u64,
        /// The end of its output.
        log: String,
    },
    /// The service ended before it accepted connections.
    #[error("'{program}' did not get ready: it {}; {}", how_it_ended(*.status), last_lines(.log))]
    Ended {
        /// The program's name.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of its log.
        log: String,
    },
    /// The service did not accept connections in time.
    #[error("'{program}' was not ready within {limit_ms} ms; {}", last_lines(.log))]
    NotReady {
        /// The program's name.
        program: String,
        /// The limit, in milliseconds.
        limit_ms: u64,
        /// The end of its log.
        log: String,
    },
    /// Every port was taken before the service could bind it.
    #[error("'{program}' found its port taken each time ({ports:?}); end what takes them, or try again")]
    PortsTaken {
        /// The program's name.
        program: String,
        /// The ports, in order.
        ports: Vec<u16>,
    },
    /// The user interrupted the wait.
    #[error("interrupted")]
    Interrupted,
    /// It cannot be told whether a process runs.
    #[error("cannot wait for '{program}': {source}; try again")]
    Wait {
        /// The program.
        program: String,
        /// The system's reason.
        source: io::Error,
    },
    /// There is no user to run it as.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// A command or URL holds an unknown placeholder.
    #[error(transparent)]
    Placeholder(#[from] UnknownPlaceholder),
    /// A process could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// A process could not be killed.
    #[error(transparent)]
    Survivors(#[from] Survivors),
}

/// The end of a log, behind what happened.
fn last_lines(log: &str) -> String {
    if log.trim().is_empty() { "its log is empty".to_owned() } else { format!("the last lines of its log:\n{log}") }
}

impl ServiceError {
    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> ServiceError {
        ServiceError::Io { action, path: path.to_path_buf(), source: source.into() }
    }

    pub(crate) fn wait(program: &str, source: io::Error) -> ServiceError {
        ServiceError::Wait { program: short_name(Path::new(program)), source }
    }
}
