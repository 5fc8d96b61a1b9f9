//! One owner for a folder that stays.
//!
//! The lock is a `flock` on a file in the folder, so it ends with the process. Servers end a moment later than the Kurabe
//! that started them was killed, and may still write meanwhile. So the guardian, which ends them, holds the lock too: the
//! owner proves with an exclusive lock that it is alone, then both share it.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kurabe_messages::message;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::{Guardian, GuardianError, ProcessId};

/// So long the guardian of an owner that was killed may take to end what that one had started.
const CLEARING: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// The right to use a folder. It lasts as long as this value or the guardian that was told of it.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why a folder could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum FolderLockError {
    /// Its owner runs.
    #[error("{}", message!(service_lock_taken, folder = .folder.display(), pid = *.pid))]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// Its owner.
        pid: u32,
    },
    /// Its owner is gone, and the lock is still held.
    #[error("{}", message!(service_lock_clearing, folder = .folder.display()))]
    Clearing {
        /// The folder.
        folder: PathBuf,
    },
    /// The system refused.
    #[error("{}", message!(service_lock_failed, path = .path.display(), error = .source))]
    System {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The guardian could not be told.
    #[error(transparent)]
    Guardian(#[from] GuardianError),
}

impl FolderLock {
    /// Takes the folder by its file `name`, which is made where it is not there. Where the last owner was killed, it waits
    /// until the guardian of that one is done.
    pub fn take(folder: &Path, name: &str, guardian: &Guardian) -> Result<FolderLock, FolderLockError> {
        let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        let path = folder.join(name);
        let failed = |source: io::Error| FolderLockError::System { path: path.clone(), source };
        let until = Instant::now() + CLEARING;
        loop {
            let file = open(&path).map_err(failed)?;
            if try_lock(&file, FlockOperation::NonBlockingLockExclusive).map_err(failed)? {
                note_owner(&file).map_err(failed)?;
                // A change of kind lets go for a moment: whoever came in between has it.
                if try_lock(&file, FlockOperation::NonBlockingLockShared).map_err(failed)? {
                    guardian.hold(&path)?;
                    return Ok(FolderLock { _file: file });
                }
            } else if let Some(pid) = owner(&path).filter(|pid| is_alive(*pid)) {
                return Err(FolderLockError::Taken { folder, pid });
            }
            if Instant::now() >= until {
                return Err(FolderLockError::Clearing { folder });
            }
            std::thread::sleep(POLL);
        }
    }
}

/// Takes part in the lock that the owner has, for its guardian; nothing where somebody else has the folder already.
pub(crate) fn share(path: &Path) -> Option<File> {
    let file = open(path).ok()?;
    try_lock(&file, FlockOperation::NonBlockingLockShared).ok()?.then_some(file)
}

/// A link to a file elsewhere, and what is no file, are not written to.
fn open(path: &Path) -> io::Result<File> {
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK;
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).custom_flags(flags).open(path)?;
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, message!(service_not_a_file))),
    }
}

fn try_lock(file: &File, how: FlockOperation) -> io::Result<bool> {
    match flock(file, how) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

fn note_owner(file: &File) -> io::Result<()> {
    let text = format!("{}\n", std::process::id());
    file.write_all_at(text.as_bytes(), 0)?;
    file.set_len(text.len() as u64)
}

fn owner(path: &Path) -> Option<u32> {
    let mut text = [0; 16];
    let len = open(path).ok()?.read_at(&mut text, 0).ok()?;
    std::str::from_utf8(&text[..len]).ok()?.trim_end().parse().ok()
}

fn is_alive(pid: u32) -> bool {
    ProcessId::of(pid).is_some_and(ProcessId::is_alive)
}
