use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use kurabe_messages::{Message, message};
use rustix::io::Errno;
use rustix::process::{Pid, Resource, Rlimit, Signal};

use crate::guardian::RUN_VARIABLE;
use crate::proc::ProcessId;
use crate::{Account, Guardian, GuardianError, Process, account_name};

/// The variable by which descendants of one process are recognised.
pub(crate) const SCOPE_VARIABLE: &str = "KURABE_SCOPE";

/// Open files are never raised above this: some servers walk or allocate up to their limit, and containers may
/// allow a thousand million.
const OPEN_FILES_CEILING: u64 = 1 << 20;

/// Where one of the three standard streams leads.
#[derive(Clone, Debug, Default)]
pub enum Stream {
    /// Nowhere: reads end at once, writes vanish.
    #[default]
    Null,
    /// To Kurabe, which must read or write it.
    Piped,
    /// To a file: read from its beginning, or written at its end (made where missing).
    File(PathBuf),
    /// To what was opened before.
    Opened(Arc<OwnedFd>),
}

/// All that a process is started with.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The program: a path, or a name that PATH is searched for.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables beyond those of Kurabe itself.
    pub env: Vec<(OsString, OsString)>,
    /// The folder it starts in; Kurabe's own where `None`.
    pub cwd: Option<PathBuf>,
    /// Standard input.
    pub stdin: Stream,
    /// Standard output.
    pub stdout: Stream,
    /// Standard error.
    pub stderr: Stream,
    /// The user to run as; Kurabe's own where `None`.
    pub user: Option<Account>,
    /// The signal by which it ends cleanly, where it must be given the time for that when Kurabe dies; else it is
    /// killed.
    pub stop_signal: Option<Signal>,
}

impl Scope {
    /// A program without arguments, with all streams leading nowhere.
    pub fn new(program: impl Into<PathBuf>) -> Scope {
        Scope { program: program.into(), ..Scope::default() }
    }

    /// Adds arguments.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, args: impl IntoIterator<Item = A>) -> Scope {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }
}

/// Why a process did not start.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The program could not be run.
    #[error("{}", message!(service_start, program = .program.display(), user = .user.clone(), error = .source))]
    Start {
        /// The program.
        program: PathBuf,
        /// The user it should have run as.
        user: Message,
        /// The system's reason.
        source: io::Error,
    },
    /// A file for a stream could not be opened.
    #[error(
        "{}", message!(service_stream, path = .path.display(), program = .program.display(), error = .source)
    )]
    Stream {
        /// The file.
        path: PathBuf,
        /// The program it was opened for.
        program: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// /proc does not show the new process.
    #[error("{}", message!(service_unseen, program = .program.display()))]
    Unseen {
        /// The program.
        program: PathBuf,
    },
    /// The process could not be put under guard, and was ended.
    #[error(transparent)]
    Guardian(#[from] GuardianError),
}

/// Starts a process: whatever the harness starts, and what it initialises or asks for its version, starts here.
///
/// Three processes do not, each for a reason: the guardian outlives Kurabe; a browser that shows a report does too; and a client of
/// another language is the child of a client process, which knows nothing of this crate. That child carries the run's name
/// in its environment and dies with its parent, so nothing of it is left behind either.
///
/// The process leads a group of its own, may open as many files as the hard limit allows, has no open file of Kurabe's but
/// its three streams, loses supplementary groups with a change of user, and is known to the guardian before this returns. Called from the
/// main thread it is killed (or told to stop) by the kernel the moment Kurabe dies; from another thread the guardian alone does it, because
/// the kernel would take the end of that thread for the end of Kurabe.
pub fn spawn(guardian: &Guardian, scope: Scope) -> Result<Process, SpawnError> {
    let tag = guardian.next_scope();
    let mut command = Command::new(&scope.program);
    command
        .args(&scope.args)
        .envs(scope.env.iter().map(|(name, value)| (name, value)))
        .env(RUN_VARIABLE, guardian.run_id())
        .env(SCOPE_VARIABLE, &tag)
        .stdin(open_stream(&scope, &scope.stdin, Direction::Read)?)
        .stdout(open_stream(&scope, &scope.stdout, Direction::Append)?)
        .stderr(open_stream(&scope, &scope.stderr, Direction::Append)?)
        .process_group(0);
    if let Some(cwd) = &scope.cwd {
        command.current_dir(cwd);
    }
    if let Some(account) = &scope.user {
        // The standard library clears supplementary groups together with this, before the change of user.
        command.gid(account.gid).uid(account.uid);
    }
    inherit_streams_only(&mut command);
    let setup = ChildSetup {
        open_files: open_files_limit(),
        death_signal_from: is_main_thread().then(rustix::process::getpid),
        death_signal: scope.stop_signal.unwrap_or(Signal::KILL),
    };
    // SAFETY: `apply` makes system calls only, and allocates nothing. It runs after the change of user.
    unsafe { command.pre_exec(move || setup.apply().map_err(io::Error::from)) };
    let child = command.spawn().map_err(|source| SpawnError::Start {
        program: scope.program.clone(),
        user: account_name(scope.user.as_ref()),
        source,
    })?;
    let Some(id) = ProcessId::of(child.id()) else {
        end_unguarded(child);
        return Err(SpawnError::Unseen { program: scope.program });
    };
    // The guardian cannot see our end before the child is past exec: until then the child holds our end of the pipe.
    // After exec it carries the run's name, so a kill between these two lines leaves nothing behind either.
    match guardian.watch(id, scope.stop_signal) {
        Ok(()) => Ok(Process::new(child, id, format!("{SCOPE_VARIABLE}={tag}"), guardian.clone())),
        Err(error) => {
            end_unguarded(child);
            Err(error.into())
        }
    }
}

/// Leaves a program nothing open but its three streams: neither what Kurabe has open, nor what whoever started Kurabe had, a
/// lock say, which a server would hold on to.
pub(crate) fn inherit_streams_only(command: &mut Command) {
    let highest = highest_descriptor();
    // SAFETY: `close_on_exec` makes system calls only, and allocates nothing.
    unsafe {
        command.pre_exec(move || {
            close_on_exec(highest);
            Ok(())
        });
    }
}

/// Closed when the program begins, not at once: the standard library tells through one of them whether it did.
fn close_on_exec(highest: i32) {
    const FIRST: libc::c_uint = 3;
    // SAFETY: numbers only.
    let done = unsafe { libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC) };
    if done == 0 {
        return;
    }
    // Linux before 5.11.
    each_close_on_exec(FIRST as i32..=highest);
}

fn each_close_on_exec(descriptors: std::ops::RangeInclusive<i32>) {
    descriptors.for_each(|descriptor| {
        // SAFETY: numbers only. One that is not open is no harm.
        unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
    });
}

fn highest_descriptor() -> i32 {
    let entries = std::fs::read_dir("/proc/self/fd").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).max().unwrap_or(1 << 10)
}

fn end_unguarded(mut child: std::process::Child) {
    // A failure means that it has ended already.
    let _ = child.kill();
    let _ = child.wait();
}

#[derive(Clone, Copy)]
enum Direction {
    Read,
    Append,
}

fn open_stream(scope: &Scope, stream: &Stream, direction: Direction) -> Result<Stdio, SpawnError> {
    let path = match stream {
        Stream::Null => return Ok(Stdio::null()),
        Stream::Piped => return Ok(Stdio::piped()),
        Stream::File(path) => path,
        Stream::Opened(opened) => {
            let error =
                |source| SpawnError::Stream { path: "/dev/ptmx".into(), program: scope.program.clone(), source };
            return Ok(opened.try_clone().map_err(error)?.into());
        }
    };
    let file = match direction {
        Direction::Read => File::open(path),
        Direction::Append => OpenOptions::new().create(true).append(true).open(path),
    };
    let error = |source| SpawnError::Stream { path: path.clone(), program: scope.program.clone(), source };
    Ok(file.map_err(error)?.into())
}

fn is_main_thread() -> bool {
    rustix::thread::gettid() == rustix::process::getpid()
}

fn open_files_limit() -> Rlimit {
    let now = rustix::process::getrlimit(Resource::Nofile);
    let wanted = now.maximum.unwrap_or(OPEN_FILES_CEILING).min(OPEN_FILES_CEILING);
    Rlimit { current: Some(now.current.unwrap_or(wanted).max(wanted)), maximum: now.maximum }
}

/// What the child does between fork and exec.
struct ChildSetup {
    open_files: Rlimit,
    death_signal_from: Option<Pid>,
    death_signal: Signal,
}

impl ChildSetup {
    fn apply(&self) -> Result<(), Errno> {
        rustix::process::setrlimit(Resource::Nofile, self.open_files)?;
        if let Some(parent) = self.death_signal_from {
            rustix::process::set_parent_process_death_signal(Some(self.death_signal))?;
            // A parent that died before this line will send nothing any more.
            if rustix::process::getppid() != Some(parent) {
                return Err(Errno::SRCH);
            }
        }
        Ok(())
    }
}

/// The program's file name, for messages.
pub(crate) fn short_name(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_marked_also_where_the_kernel_cannot_do_it_at_once() {
        use std::os::fd::{AsRawFd, FromRawFd};
        let null = File::open("/dev/null").unwrap();
        let is_marked = |file: &File| rustix::io::fcntl_getfd(file).unwrap().contains(rustix::io::FdFlags::CLOEXEC);
        // SAFETY: a number, and the new descriptor is owned by the file alone.
        let open = unsafe { File::from_raw_fd(libc::fcntl(null.as_raw_fd(), libc::F_DUPFD, 3)) };
        assert!(!is_marked(&open) && highest_descriptor() >= open.as_raw_fd());
        each_close_on_exec(3..=highest_descriptor());
        assert!(is_marked(&open));
    }

    #[test]
    fn the_limit_of_open_files_is_never_lowered() {
        let now = rustix::process::getrlimit(Resource::Nofile);
        let limit = open_files_limit();
        assert!(limit.current >= now.current.or(Some(0)));
        assert_eq!(limit.maximum, now.maximum);
    }
}
