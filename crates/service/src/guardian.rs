//! Kurabe's side of the guardian: a process of its own that cleans up after a killed Kurabe.
//!
//! Kurabe starts servers and fills temporary folders. After `kill -9` nobody is left to stop and remove them. A
//! database that keeps running disturbs the next run. So the same program runs once more, in a session of its own, at
//! the end of a pipe. Kurabe registers each process with its start time, so that a reused number is not mistaken. It
//! registers each data folder too. If the pipe ends without `done`, Kurabe was killed, and the guardian stops and
//! deletes what is registered. It deletes only folders with the run's mark, because a name could be that of somebody
//! else's folder.
//!
//! Three alternatives cover less. The kernel's death signal (`PR_SET_PDEATHSIG`) reaches direct children only. It takes
//! the end of a thread for that of its process. A subreaper adopts orphans only while it lives, and it is Kurabe that
//! dies. A control group covers everything, but needs rights that not every user has.
//! docs/decisions/0005-a-guardian-process.md has the consequences.

use std::io::{self, Read, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kurabe_messages::message;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::Signal;

use crate::folder::make_marked;
use crate::proc::ProcessId;
use crate::shared_memory::SharedMemory;
use crate::spawn::inherit_streams_only;

/// The word that the guardian says when it is ready.
pub(crate) const READY: &[u8] = b"ready\n";

/// A guardian that says nothing for so long is none.
const READY_LIMIT: Duration = Duration::from_secs(10);

/// Folders with a short path that every user can enter, in the order in which they are tried.
const SHORT_PLACES: [&str; 2] = ["/tmp", "/var/tmp"];

/// The variable by which descendants of a run are recognised.
pub(crate) const RUN_VARIABLE: &str = "KURABE_RUN";

/// Kurabe's handle to its guardian: a process that outlives a SIGKILL of Kurabe, ends what Kurabe started and
/// deletes its folders. Clones talk to the same guardian, which leaves when the last of them is dropped.
#[derive(Clone, Debug)]
pub struct Guardian {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    run_id: String,
    child: Mutex<Child>,
    /// `None` once the guardian was dismissed.
    pipe: Mutex<Option<ChildStdin>>,
    next_scope: AtomicU64,
    sockets: Mutex<Sockets>,
}

/// Where sockets lie whose own folders are of no use for that.
#[derive(Debug, Default)]
struct Sockets {
    /// Made where it is needed. Nobody forgets it, so the guardian removes it at the end, whatever that is.
    root: Option<PathBuf>,
    /// For which folder each folder in it stands, in order.
    folders: Vec<PathBuf>,
}

/// Why there is no guardian.
#[derive(Debug, thiserror::Error)]
pub enum GuardianError {
    /// The run's name cannot stand in a file name and an environment variable.
    #[error("{}", message!(service_run_id, run = .run_id))]
    RunId {
        /// The name that was given.
        run_id: String,
    },
    /// The program could not be started.
    #[error("{}", message!(service_guardian_start, program = .exe.display(), error = .source))]
    Start {
        /// The program.
        exe: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The program started and did not answer as a guardian does.
    #[error("{}", message!(service_guardian_silent, program = .exe.display()))]
    Silent {
        /// The program.
        exe: PathBuf,
    },
    /// The guardian ended before Kurabe.
    #[error("{}", message!(service_guardian_gone, error = .source))]
    Gone {
        /// The system's reason.
        source: io::Error,
    },
    /// A path cannot be told in a line of text.
    #[error("{}", message!(service_line_break, path = .path.display()))]
    LineBreak {
        /// The path.
        path: PathBuf,
    },
}

impl Guardian {
    /// Starts `exe guardian` in a session of its own and waits until it is ready.
    ///
    /// `run_id` names the run and must be unlike that of any other run on this machine: 1 to 64 letters, digits,
    /// `-`, `_` and `.`. Whatever carries it in its environment is killed when Kurabe dies.
    pub fn start(exe: &Path, run_id: &str) -> Result<Guardian, GuardianError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if run_id.is_empty() || run_id.len() > 64 || !run_id.bytes().all(is_plain) {
            return Err(GuardianError::RunId { run_id: run_id.to_owned() });
        }
        let start_error = |source| GuardianError::Start { exe: exe.to_path_buf(), source };
        let mut command = Command::new(exe);
        command.arg("guardian").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        // Not through `spawn`: the guardian must have no death signal and nobody who guards it. A process of another
        // run must not take it for its own either.
        command.env_remove(RUN_VARIABLE);
        inherit_streams_only(&mut command);
        // SAFETY: setsid is async-signal-safe and nothing is allocated.
        unsafe { command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from)) };
        let mut child = command.spawn().map_err(start_error)?;
        let answered = wait_for_ready(&mut child).unwrap_or(false);
        let pipe = child.stdin.take();
        if !answered {
            // It may have ended by itself; both calls then have nothing to do.
            let _ = child.kill();
            let _ = child.wait();
            return Err(GuardianError::Silent { exe: exe.to_path_buf() });
        }
        let inner = Inner {
            run_id: run_id.to_owned(),
            child: Mutex::new(child),
            pipe: Mutex::new(pipe),
            next_scope: AtomicU64::new(0),
            sockets: Mutex::default(),
        };
        let guardian = Guardian { inner: Arc::new(inner) };
        guardian.tell(format!("run {run_id}").as_bytes())?;
        Ok(guardian)
    }

    /// The name of the run, as given to [`Guardian::start`].
    pub fn run_id(&self) -> &str {
        &self.inner.run_id
    }

    /// The number of the guardian's process.
    pub fn pid(&self) -> u32 {
        self.inner.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// Whether it is still there: what is started without it would outlive a Kurabe that is killed.
    pub fn is_alive(&self) -> bool {
        let mut child = self.inner.child.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(child.try_wait(), Ok(None))
    }

    /// A name for one more process of this run.
    pub(crate) fn next_scope(&self) -> String {
        format!("{}/{}", self.inner.run_id, self.inner.next_scope.fetch_add(1, Ordering::Relaxed))
    }

    /// A process to be killed, or first told to stop by a signal of its own.
    pub(crate) fn watch(&self, id: ProcessId, stop_signal: Option<Signal>) -> Result<(), GuardianError> {
        self.tell(format!("pid {} {}", id.pid, id.start_time).as_bytes())?;
        let stop = |signal: Signal| self.tell(format!("stop {} {}", id.pid, signal.as_raw()).as_bytes());
        stop_signal.map_or(Ok(()), stop)
    }

    pub(crate) fn forget(&self, id: ProcessId) -> Result<(), GuardianError> {
        self.tell(format!("gone {}", id.pid).as_bytes())
    }

    pub(crate) fn watch_folder(&self, path: &Path) -> Result<(), GuardianError> {
        self.tell_path(b"folder ", path)
    }

    pub(crate) fn forget_folder(&self, path: &Path) -> Result<(), GuardianError> {
        self.tell_path(b"keep ", path)
    }

    /// A file whose lock the guardian shares until all that it guards is gone.
    pub(crate) fn hold(&self, path: &Path) -> Result<(), GuardianError> {
        self.tell_path(b"hold ", path)
    }

    /// Shared memory that nobody may be left to remove.
    pub(crate) fn watch_shared(&self, shared: &SharedMemory) -> Result<(), GuardianError> {
        shared.iter().try_for_each(|one| self.tell(format!("shared {}", one.words()).as_bytes()))
    }

    pub(crate) fn forget_shared(&self, shared: &SharedMemory) -> Result<(), GuardianError> {
        shared.iter().try_for_each(|one| self.tell(format!("unshared {}", one.words()).as_bytes()))
    }

    /// A folder with a short and plain path for sockets that cannot lie in `folder`; always the same one for the same
    /// `folder`. It goes when the guardian does.
    pub(crate) fn short_folder(&self, folder: &Path) -> io::Result<PathBuf> {
        let mut sockets = self.inner.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let root = match &sockets.root {
            Some(root) => root.clone(),
            None => {
                let make = |dir: &str| make_marked(Path::new(dir), self.run_id(), |path| self.watch_folder(path));
                SHORT_PLACES.iter().skip(1).fold(make(SHORT_PLACES[0]), |made, dir| made.or_else(|_| make(dir)))?
            }
        };
        sockets.root = Some(root.clone());
        let known = sockets.folders.iter().position(|known| known == folder);
        let number = known.unwrap_or_else(|| {
            sockets.folders.push(folder.to_path_buf());
            sockets.folders.len() - 1
        });
        Ok(root.join(number.to_string()))
    }

    fn tell_path(&self, verb: &[u8], path: &Path) -> Result<(), GuardianError> {
        let bytes = path.as_os_str().as_encoded_bytes();
        if bytes.contains(&b'\n') {
            return Err(GuardianError::LineBreak { path: path.to_path_buf() });
        }
        self.tell(&[verb, bytes].concat())
    }

    fn tell(&self, line: &[u8]) -> Result<(), GuardianError> {
        let mut pipe = self.inner.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = |source| GuardianError::Gone { source };
        let pipe = pipe.as_mut().ok_or_else(|| gone(io::ErrorKind::BrokenPipe.into()))?;
        pipe.write_all(&[line, b"\n"].concat()).map_err(gone)
    }
}

fn wait_for_ready(child: &mut Child) -> io::Result<bool> {
    let Some(mut stdout) = child.stdout.take() else { return Ok(false) };
    let limit = Timespec { tv_sec: READY_LIMIT.as_secs() as i64, tv_nsec: 0 };
    rustix::event::poll(&mut [PollFd::new(&stdout, PollFlags::IN)], Some(&limit))?;
    if rustix::event::poll(&mut [PollFd::new(&stdout, PollFlags::IN)], Some(&Timespec::default()))? == 0 {
        return Ok(false);
    }
    let mut answer = [0; READY.len()];
    stdout.read_exact(&mut answer)?;
    Ok(answer == *READY)
}

impl Drop for Inner {
    fn drop(&mut self) {
        let pipe = self.pipe.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut pipe) = pipe {
            // A guardian that has ended already needs no dismissal.
            let _ = pipe.write_all(b"done\n");
        }
        let child = self.child.get_mut().unwrap_or_else(PoisonError::into_inner);
        let _ = child.wait();
    }
}
