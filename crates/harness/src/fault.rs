//! Why a job did not come to its end, and who is to blame: the user, the budget, a store, or the environment of all stores.

use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_machine::MachineError;
use kurabe_messages::{Message, RecordedText, message};
use kurabe_record::JobErrorKind;
use kurabe_service::{Cause, GuardianError, ServiceError, SpawnError};
use rustix::io::Errno;

use crate::error::{Reason, in_record};
use crate::launcher::Launcher;

/// How often a wait looks whether it must end.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// What ends a wait before its time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WaitLimits<'a> {
    /// Set when the user interrupts.
    pub(crate) interrupt: &'a AtomicBool,
    /// When the job has used up its share of the budget.
    pub(crate) deadline: Option<Instant>,
}

impl WaitLimits<'_> {
    pub(crate) fn check(self) -> Result<(), Fault> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Fault::Interrupted);
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Fault::OutOfTime),
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
    Environment(Reason),
    /// A service died; which one is seen where it is told.
    ServiceDied,
    /// Something of the candidate failed.
    Failed {
        /// Where.
        kind: JobErrorKind,
        /// What, as it is recorded.
        message: RecordedText,
    },
}

impl Fault {
    /// A failure of the candidate.
    pub(crate) fn new(kind: JobErrorKind, message: impl fmt::Display) -> Fault {
        Fault::Failed { kind, message: in_record(message) }
    }

    /// What every job needs is gone.
    pub(crate) fn environment(what: impl Into<Reason>) -> Fault {
        Fault::Environment(what.into())
    }

    /// A folder or file of the harness that cannot be made or used.
    pub(crate) fn of_folder(path: &Path, error: &std::io::Error) -> Fault {
        Fault::environment(message!(run_cannot_make, path = path.display(), error))
    }

    fn of_spawn(error: SpawnError, kind: JobErrorKind) -> Fault {
        match (error.cause(), error) {
            (Cause::Program, error) => Fault::new(kind, error),
            (Cause::Environment, SpawnError::Guardian(GuardianError::Gone { .. })) => {
                Fault::environment(message!(run_guardian_gone))
            }
            (Cause::Environment, SpawnError::Start { program, source, .. }) => {
                let program = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
                Fault::environment(message!(run_cannot_start, program, error = source))
            }
            (Cause::Environment, error) => Fault::environment(error),
        }
    }

    /// Kind and words of what is recorded of a candidate.
    pub(crate) fn of_candidate(self) -> (JobErrorKind, RecordedText) {
        match self {
            Fault::Failed { kind, message } => (kind, message),
            other => (JobErrorKind::Service, other.words()),
        }
    }

    /// In words, as a record would have them.
    pub(crate) fn words(self) -> RecordedText {
        match self {
            Fault::Interrupted | Fault::OutOfTime => in_record(message!(service_interrupted)),
            Fault::ServiceDied => in_record(message!(run_service_died)),
            Fault::Environment(what) => what.in_record(),
            Fault::Failed { message, .. } => message,
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
            error if error.cause() == Cause::Environment => Fault::environment(error),
            error => Fault::new(JobErrorKind::Service, error),
        }
    }
}

/// Only the harness itself looks at the machine.
impl From<MachineError> for Fault {
    fn from(error: MachineError) -> Fault {
        match error {
            MachineError::Interrupted => Fault::Interrupted,
            error => Fault::environment(error),
        }
    }
}

/// What every job stands on.
pub(crate) struct Environment<'a> {
    /// Folders and files that must be there, each with what it is: a word that the message `run-place-gone` knows.
    pub(crate) places: &'a [(&'a Path, &'static str)],
    /// Who starts everything.
    pub(crate) launcher: &'a dyn Launcher,
}

impl Environment<'_> {
    /// What has given way, if anything: a client or a server that stands on it fails in words of its own, which blame the
    /// wrong one.
    pub(crate) fn failure(&self) -> Option<Reason> {
        self.missing().or_else(|| self.launcher.failure())
    }

    /// The first of the places that is not there any more, or cannot be used.
    pub(crate) fn missing(&self) -> Option<Reason> {
        self.places.iter().find_map(|(path, what)| cannot_open(path, what)).map(Reason::from)
    }
}

/// Opened, not only looked for: that tells also of a machine whose descriptors are used up.
fn cannot_open(path: &Path, what: &str) -> Option<Message> {
    let error = std::fs::File::open(path).err()?;
    let is_used_up = matches!(Errno::from_io_error(&error), Some(Errno::MFILE | Errno::NFILE));
    Some(match error.kind() {
        std::io::ErrorKind::NotFound => message!(run_place_gone, what, path = path.display()),
        _ if is_used_up => message!(run_no_more_files, error),
        _ => message!(run_place_closed, what, path = path.display(), error),
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
        assert!(
            matches!(large, Fault::Failed { kind: JobErrorKind::Service, message } if message.to_string().contains("40.0 MiB"))
        );
        let slow: Fault =
            ServiceError::NotReady { program: "mysqld".into(), limit: Duration::ZERO, log: String::new() }.into();
        assert!(matches!(slow, Fault::Failed { kind: JobErrorKind::Service, .. }));
        let source = std::io::ErrorKind::NotFound.into();
        let gone: Fault =
            SpawnError::Start { program: "python3".into(), user: message!(service_this_user), source }.into();
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
        assert_eq!(cannot_open(dir.path(), "data"), None);
        let gone = cannot_open(&dir.path().join("logs"), "logs").expect("gone").to_string();
        assert!(gone.starts_with("the folder for logs '") && gone.contains("is gone"), "{gone}");
    }
}
