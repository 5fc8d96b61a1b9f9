//! Whose fault it is that something did not start: the program's own, or that of the environment of all programs.

use std::io;

use crate::{ServiceError, SpawnError};

/// Who is to blame for what did not start or end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The program, or what it is told: others can still be started.
    Program,
    /// The machine, a folder of Kurabe's or its guardian: everything that is started next would fail alike.
    Environment,
}

impl SpawnError {
    /// Who is to blame.
    pub fn cause(&self) -> Cause {
        match self {
            SpawnError::Start { source, .. } if !is_shortage(source) => Cause::Program,
            _ => Cause::Environment,
        }
    }
}

impl ServiceError {
    /// Who is to blame. What Kurabe itself does for a service (its folders, its log) needs nothing of the service's. But
    /// room that ends is taken by its data: a job's own folder was made just before.
    pub fn cause(&self) -> Cause {
        match self {
            ServiceError::Spawn(error) => error.cause(),
            ServiceError::Io { source, .. } if is_full(source) => Cause::Program,
            ServiceError::Io { .. }
            | ServiceError::Closed { .. }
            | ServiceError::Wait { .. }
            | ServiceError::Account(_) => Cause::Environment,
            _ => Cause::Program,
        }
    }
}

/// Whether a disk or a quota has no more room.
pub(crate) fn is_full(error: &io::Error) -> bool {
    [libc::ENOSPC, libc::EDQUOT].iter().any(|code| error.raw_os_error() == Some(*code))
}

/// Whether the machine has no more of what every process needs: descriptors, processes, memory.
fn is_shortage(error: &io::Error) -> bool {
    [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM].iter().any(|code| error.raw_os_error() == Some(*code))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use super::*;
    use crate::{AccountError, GuardianError, account_name};

    fn start(code: i32) -> SpawnError {
        let source = io::Error::from_raw_os_error(code);
        SpawnError::Start { program: "redis-server".into(), user: account_name(None), source }
    }

    #[test]
    fn a_program_that_is_gone_is_to_blame_itself_and_a_machine_without_processes_or_descriptors_is_not_its_fault() {
        for code in [libc::ENOENT, libc::EACCES, libc::ENOEXEC] {
            assert_eq!(start(code).cause(), Cause::Program);
            assert_eq!(ServiceError::from(start(code)).cause(), Cause::Program);
        }
        for code in [libc::EMFILE, libc::ENFILE, libc::EAGAIN, libc::ENOMEM] {
            assert_eq!(start(code).cause(), Cause::Environment);
            assert_eq!(ServiceError::from(start(code)).cause(), Cause::Environment);
        }
    }

    #[test]
    fn a_guardian_a_log_and_a_folder_are_the_fault_of_the_environment() {
        let gone = || GuardianError::Gone { source: io::ErrorKind::BrokenPipe.into() };
        let source = || io::Error::from_raw_os_error(libc::EACCES);
        let (path, program) = (PathBuf::from("/logs/a.log"), PathBuf::from("redis-server"));
        let of_spawn = [SpawnError::Guardian(gone()), SpawnError::Stream { path, program, source: source() }];
        assert!(of_spawn.iter().all(|error| error.cause() == Cause::Environment));
        let of_service = [
            ServiceError::Spawn(gone().into()),
            ServiceError::Io { action: "make", path: "/data/job-1".into(), source: source() },
            ServiceError::Account(AccountError::NoFallback),
        ];
        assert!(of_service.iter().all(|error| error.cause() == Cause::Environment));
    }

    #[test]
    fn a_service_whose_data_has_no_room_is_to_blame_and_the_others_go_on() {
        for code in [libc::ENOSPC, libc::EDQUOT] {
            let source = || io::Error::from_raw_os_error(code);
            let copy = ServiceError::NoRoom { size_bytes: 1, folder: "/data/job-1".into(), source: source() };
            let log = ServiceError::Io { action: "open", path: "/data/job-1/service.log".into(), source: source() };
            assert!([copy, log].iter().all(|error| error.cause() == Cause::Program));
        }
    }

    #[test]
    fn a_service_that_says_why_it_does_not_start_is_to_blame() {
        let slow =
            ServiceError::NotReady { program: "mysqld".into(), limit: Duration::ZERO, log: "No space left".into() };
        let taken = ServiceError::PortsTaken { program: "mysqld".into(), ports: vec![1] };
        assert!([slow, taken].iter().all(|error| error.cause() == Cause::Program));
    }
}
