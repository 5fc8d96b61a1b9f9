//! Why a job did not come to its end, and who is to blame: the user, the budget, a store, or the environment of all stores.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_machine::MachineError;
use kurabe_record::JobErrorKind;
use kurabe_service::{Cause, GuardianError, ServiceError, SpawnError};
use rustix::io::Errno;

use crate::launcher::Launcher;

/// How often a wait looks whether it must end.
pub(crate) const LOOK: Duration = Duration::from_millis(50);
/// Words for a guardian that is no more.
pub(crate) const NO_GUARDIAN: &str =
    "the guardian, which cleans up where kurabe is killed, has ended itself, and nothing is started without it";

/// What ends a wait before its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halt<'a> {
    /// Set when the user interrupts.
    pub(crate) interrupt: &'a AtomicBool,
    /// When the job has used up its share of the budget.
    pub(crate) until: Option<Instant>,
}

impl Halt<'_> {
    pub(crate) fn check(self) -> Result<(), Fault> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        match self.until {
            Some(until) if Instant::now() >= until => Err(Fault::OutOfTime),
            _ => Ok(()),
        }
    }
}

/// Why a job did not come to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The user interrupted the run.
    Interrupted,
    /// The job has used up its share of the budget.
    OutOfTime,
    /// What every job stands on has given way: the next one would fail alike, whatever its store. The run ends.
    Environment(String),
    /// A service died; which one is seen where it is told.
    ServiceDied,
    /// Something of the candidate failed.
    Failed {
        /// Where.
        kind: JobErrorKind,
        /// What, in words.
        message: String,
    },
}

impl Fault {
    pub(crate) fn new(kind: JobErrorKind, message: impl Into<String>) -> Fault {
        Fault::Failed { kind, message: message.into() }
    }

    /// A folder or file of the harness that cannot be made or used.
    pub(crate) fn of_folder(path: &Path, error: &std::io::Error) -> Fault {
        Fault::Environment(format!("cannot make '{}': {error}", path.display()))
    }

    fn of_spawn(error: SpawnError, kind: JobErrorKind) -> Fault {
        match (error.cause(), error) {
            (Cause::Program, error) => Fault::new(kind, error.to_string()),
            (Cause::Environment, SpawnError::Guardian(GuardianError::Gone { .. })) => {
                Fault::Environment(NO_GUARDIAN.into())
            }
            (Cause::Environment, SpawnError::Start { program, source, .. }) => Fault::Environment(format!(
                "'{}' cannot be started: {source}; end what uses up processes, open files or memory, or raise the limit of \
                 this user (ulimit)",
                program.file_name().unwrap_or(program.as_os_str()).to_string_lossy()
            )),
            (Cause::Environment, error) => Fault::Environment(error.to_string()),
        }
    }

    /// Kind and words of what is recorded of a candidate.
    pub(crate) fn of_candidate(self) -> (JobErrorKind, String) {
        match self {
            Fault::Failed { kind, message } => (kind, message),
            other => (JobErrorKind::Service, other.words()),
        }
    }

    /// In words, for somebody who has no record to read.
    pub(crate) fn words(self) -> String {
        match self {
            Fault::Interrupted | Fault::OutOfTime => "interrupted".to_string(),
            Fault::ServiceDied => "the service died".to_string(),
            Fault::Environment(message) | Fault::Failed { message, .. } => message,
        }
    }
}

/// A client that does not start.
impl From<SpawnError> for Fault {
    fn from(error: SpawnError) -> Fault {
        Fault::of_spawn(error, JobErrorKind::Client)
    }
}

impl From<ServiceError> for Fault {
    fn from(error: ServiceError) -> Fault {
        match error {
            ServiceError::Interrupted => Fault::Interrupted,
            ServiceError::Spawn(error) => Fault::of_spawn(error, JobErrorKind::Service),
            error if error.cause() == Cause::Environment => Fault::Environment(error.to_string()),
            error => Fault::new(JobErrorKind::Service, error.to_string()),
        }
    }
}

/// Only the harness itself looks at the machine.
impl From<MachineError> for Fault {
    fn from(error: MachineError) -> Fault {
        match error {
            MachineError::Interrupted => Fault::Interrupted,
            error => Fault::Environment(error.to_string()),
        }
    }
}

/// What every job stands on.
pub(crate) struct Environment<'a> {
    /// Folders and files that must be there, each with what it is.
    pub(crate) places: &'a [(&'a Path, &'static str)],
    /// Who starts everything.
    pub(crate) launcher: &'a dyn Launcher,
}

impl Environment<'_> {
    /// What has given way, if anything: a client or a server that stands on it fails in words of its own, which blame the
    /// wrong one.
    pub(crate) fn gone(&self) -> Option<String> {
        self.missing().or_else(|| self.launcher.broken())
    }

    /// The first of the places that is not there any more, or cannot be used.
    pub(crate) fn missing(&self) -> Option<String> {
        self.places.iter().find_map(|(path, what)| cannot_open(path, what))
    }
}

/// Opened, not only looked for: that tells also of a machine whose descriptors are used up.
fn cannot_open(path: &Path, what: &str) -> Option<String> {
    let error = std::fs::File::open(path).err()?;
    Some(match error.kind() {
        std::io::ErrorKind::NotFound => {
            format!("{what} '{}' is gone: somebody has removed or moved it", path.display())
        }
        _ if matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE)) => {
            format!(
                "no file can be opened any more: {error}; raise the limit with 'ulimit -n', or end what holds them open"
            )
        }
        _ => format!("{what} '{}' cannot be opened: {error}", path.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn an_error_of_the_ground_is_no_error_of_a_store() {
        let path = PathBuf::from("/data");
        let full = || std::io::Error::from_raw_os_error(28);
        let closed = std::io::ErrorKind::PermissionDenied.into();
        let of_service: Fault = ServiceError::Io { action: "make", path: path.clone(), source: closed }.into();
        assert!(matches!(of_service, Fault::Environment(_)));
        let of_client: Fault = SpawnError::Stream { path: path.clone(), program: path.clone(), source: full() }.into();
        assert!(matches!(of_client, Fault::Environment(_)));
        let of_machine: Fault = MachineError::Io { action: "open", path, source: full() }.into();
        assert!(matches!(of_machine, Fault::Environment(_)));
    }

    #[test]
    fn a_program_that_fails_is_an_error_of_its_store() {
        let full = std::io::Error::from_raw_os_error(28);
        let large: Fault = ServiceError::NoRoom { size_bytes: 40 << 20, folder: "/data".into(), source: full }.into();
        assert!(matches!(large, Fault::Failed { kind: JobErrorKind::Service, message } if message.contains("40 MiB")));
        let slow: Fault = ServiceError::NotReady { program: "mysqld".into(), limit_ms: 1, log: String::new() }.into();
        assert!(matches!(slow, Fault::Failed { kind: JobErrorKind::Service, .. }));
        let source = std::io::ErrorKind::NotFound.into();
        let gone: Fault = SpawnError::Start { program: "python3".into(), user: "this user".into(), source }.into();
        assert!(matches!(gone, Fault::Failed { kind: JobErrorKind::Client, .. }));
    }

    #[test]
    fn an_interrupt_is_an_interrupt_wherever_it_was_heard() {
        assert_eq!(Fault::from(ServiceError::Interrupted), Fault::Interrupted);
        assert_eq!(Fault::from(MachineError::Interrupted), Fault::Interrupted);
    }

    #[test]
    fn a_place_that_is_gone_is_named_and_what_it_was() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(cannot_open(dir.path(), "the data folder"), None);
        let gone = cannot_open(&dir.path().join("logs"), "the folder for logs").expect("gone");
        assert!(gone.starts_with("the folder for logs '") && gone.contains("is gone"), "{gone}");
    }
}
