//! Why a service could not be initialised, started or stopped.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use kurabe_messages::{Message, message};

use crate::spawn::short_name;
use crate::{AccountError, SpawnError, Survivors, UnknownPlaceholder, how_it_ended};

/// Why a service could not be initialised, started or stopped.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A file or folder could not be used.
    #[error("{}", message!(service_io, action = .action, path = .path.display(), error = .source))]
    Io {
        /// What was tried: a word that the message `service-io` knows, as in "make".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The initialised data folder, or a copy of it, has no room.
    #[error("{}", message!(service_no_room, size = *.size_bytes, folder = .folder.display(), error = .source))]
    NoRoom {
        /// Its size as far as it was read.
        size_bytes: u64,
        /// Where it should lie.
        folder: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The service's user cannot get to its data.
    #[error("{}", message!(service_closed, user = .user.clone(), folder = .folder.display()))]
    Closed {
        /// The user.
        user: Message,
        /// The first folder on the way that is closed.
        folder: PathBuf,
    },
    /// A command without a word.
    #[error("{}", message!(service_empty_command, key = .key))]
    EmptyCommand {
        /// The key of the spec.
        key: &'static str,
    },
    /// A command of the initialisation failed.
    #[error(
        "{}", message!(service_init_failed, program = .program, how = how_it_ended(*.status), log = last_lines(.log))
    )]
    InitFailed {
        /// The program's name.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of its output.
        log: String,
    },
    /// A command of the initialisation took too long.
    #[error("{}", message!(service_init_slow, program = .program, limit = *.limit, log = last_lines(.log)))]
    InitSlow {
        /// The program's name.
        program: String,
        /// The limit.
        limit: Duration,
        /// The end of its output.
        log: String,
    },
    /// The service ended before it accepted connections.
    #[error(
        "{}", message!(service_ended_early, program = .program, how = how_it_ended(*.status), log = last_lines(.log))
    )]
    Ended {
        /// The program's name.
        program: String,
        /// How it ended.
        status: ExitStatus,
        /// The end of its log.
        log: String,
    },
    /// The service did not accept connections in time.
    #[error("{}", message!(service_not_ready, program = .program, limit = *.limit, log = last_lines(.log)))]
    NotReady {
        /// The program's name.
        program: String,
        /// The limit.
        limit: Duration,
        /// The end of its log.
        log: String,
    },
    /// Every port was taken before the service could bind it.
    #[error("{}", message!(service_ports_taken, program = .program, ports = texts(.ports)))]
    PortsTaken {
        /// The program's name.
        program: String,
        /// The ports, in order.
        ports: Vec<u16>,
    },
    /// The user interrupted the wait.
    #[error("{}", message!(service_interrupted))]
    Interrupted,
    /// It cannot be told whether a process runs.
    #[error("{}", message!(service_wait, program = .program, error = .source))]
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
fn last_lines(log: &str) -> Message {
    if log.trim().is_empty() { message!(service_log_empty) } else { message!(service_log_end, log) }
}

fn texts(ports: &[u16]) -> Vec<String> {
    ports.iter().map(u16::to_string).collect()
}

impl ServiceError {
    pub(crate) fn io(action: &'static str, path: &Path, source: impl Into<io::Error>) -> ServiceError {
        ServiceError::Io { action, path: path.to_path_buf(), source: source.into() }
    }

    pub(crate) fn wait(program: &str, source: io::Error) -> ServiceError {
        ServiceError::Wait { program: short_name(Path::new(program)), source }
    }
}
