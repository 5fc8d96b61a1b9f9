use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Dir, FileType, FlockOperation, Mode, OFlags, flock};
use rustix::io::Errno;

/// The folder that all runs of a machine share while they measure.
const FOLDER: &str = "kurabe-runs-at-work";
/// Everybody may put a file there, and remove his own only.
const FOLDER_MODE: u32 = 0o1777;
/// To lock a file of another user's, one must be able to read it; there is nothing in it.
const FILE_MODE: u32 = 0o644;
/// Another run may remove the empty folder between two steps of this one.
const ATTEMPTS: usize = 10;
/// More files than this are somebody's joke.
const MOST_FILES: usize = 1000;

/// The runs that measure on this machine at one time. Each has a file of its own in a shared folder and holds a lock on
/// it, which ends with its process, however it ends; the file goes with it, or is removed by a later run.
///
/// The folder lies where everybody may write, so nothing in it is trusted: no link is followed, nothing is waited for (a
/// FIFO of that name is no folder, and one in it no run), and the umask decides nothing.
#[derive(Debug)]
pub struct OtherRuns {
    folder: OwnedFd,
    name: String,
    /// Holds the lock.
    _file: OwnedFd,
}

impl OtherRuns {
    /// Begins to be seen by other runs; `dir` is a folder that all of them share, that for temporary files.
    ///
    /// # Errors
    ///
    /// Where the folder or the file cannot be had, or something else has the folder's name: then other runs cannot be
    /// seen, nor see this one.
    pub fn join(dir: &Path) -> io::Result<OtherRuns> {
        let mut attempts = 0..ATTEMPTS;
        loop {
            match attempt(dir) {
                Err(Errno::NOENT) if attempts.next().is_some() && dir.is_dir() => {}
                joined => return joined.map_err(io::Error::from),
            }
        }
    }

    /// How many other runs are at work now.
    pub fn count(&self) -> u32 {
        let Ok(entries) = Dir::read_from(&self.folder) else { return 0 };
        let entries = entries.filter_map(Result::ok).take(MOST_FILES);
        let others = entries.filter(|entry| entry.file_name().to_bytes() != self.name.as_bytes());
        others.filter(|entry| self.is_at_work(entry.file_name())).count() as u32
    }

    /// Whether somebody holds the lock on this file; one that nobody holds is what a killed run left, and is removed.
    fn is_at_work(&self, name: &std::ffi::CStr) -> bool {
        // A file that is being made has a dot until it is locked.
        if name.to_bytes().starts_with(b".") {
            return false;
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = rustix::fs::openat(&self.folder, name, flags, Mode::empty()) else { return false };
        if !rustix::fs::fstat(&file).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_file()) {
            return false;
        }
        match flock(&file, FlockOperation::NonBlockingLockShared) {
            Err(Errno::WOULDBLOCK) => true,
            Ok(()) => {
                // Another user's cannot be removed, and does no harm.
                let _ = rustix::fs::unlinkat(&self.folder, name, AtFlags::empty());
                false
            }
            Err(_) => false,
        }
    }
}

impl Drop for OtherRuns {
    fn drop(&mut self) {
        // What cannot be removed is seen to be nobody's.
        let _ = rustix::fs::unlinkat(&self.folder, &self.name, AtFlags::empty());
    }
}

fn attempt(dir: &Path) -> Result<OtherRuns, Errno> {
    let path = dir.join(FOLDER);
    let is_new = match rustix::fs::mkdir(&path, Mode::from_raw_mode(FOLDER_MODE)) {
        Ok(()) => true,
        Err(Errno::EXIST) => false,
        Err(error) => return Err(error),
    };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::openat(CWD, &path, flags, Mode::empty())?;
    if is_new {
        rustix::fs::fchmod(&folder, Mode::from_raw_mode(FOLDER_MODE))?;
    }
    let name = format!("{}-{:x}", std::process::id(), random()?);
    let unready = format!(".{name}");
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(&folder, &unready, flags, Mode::from_raw_mode(FILE_MODE))?;
    let ready = rustix::fs::fchmod(&file, Mode::from_raw_mode(FILE_MODE))
        .and_then(|()| flock(&file, FlockOperation::NonBlockingLockExclusive))
        .and_then(|()| rustix::fs::renameat(&folder, &unready, &folder, &name));
    if let Err(error) = ready {
        let _ = rustix::fs::unlinkat(&folder, &unready, AtFlags::empty());
        return Err(error);
    }
    Ok(OtherRuns { folder, name, _file: file })
}

/// A number by which two files of one process differ; not a secret.
fn random() -> Result<u32, Errno> {
    use std::io::Read;
    let mut bytes = [0; 4];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(u32::from_ne_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    fn files(dir: &Path) -> usize {
        std::fs::read_dir(dir.join(FOLDER)).unwrap().count()
    }

    #[test]
    fn runs_see_each_other_until_they_end_and_leave_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let first = OtherRuns::join(dir.path()).unwrap();
        assert_eq!(first.count(), 0);
        let second = OtherRuns::join(dir.path()).unwrap();
        assert_eq!((first.count(), second.count()), (1, 1));
        drop(second);
        assert_eq!(first.count(), 0);
        drop(first);
        assert_eq!(files(dir.path()), 0);
    }

    #[test]
    fn a_run_that_was_killed_is_not_counted_and_its_file_goes() {
        let dir = tempfile::tempdir().unwrap();
        let ours = OtherRuns::join(dir.path()).unwrap();
        let theirs = dir.path().join(FOLDER).join("71-1");
        // Without a fork: the process that is killed below is the one that holds the lock.
        let lock = || {
            let mut command = Command::new("flock");
            command.args(["--exclusive", "--no-fork"]).arg(&theirs).args(["sleep", "1000"]).stdin(Stdio::null());
            command.spawn().unwrap()
        };
        let mut other = lock();
        let deadline = Instant::now() + Duration::from_secs(60);
        while ours.count() == 0 {
            assert!(Instant::now() < deadline, "the other process is not seen");
            std::thread::sleep(Duration::from_millis(50));
            // A look may have removed the file before it was locked.
            if !theirs.exists() {
                other.kill().unwrap();
                other.wait().unwrap();
                other = lock();
            }
        }
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(ours.count(), 0);
        assert!(!theirs.exists());
    }

    #[test]
    fn what_is_no_folder_is_not_waited_for_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let fifo = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
        fifo(&dir.path().join(FOLDER));
        assert!(OtherRuns::join(dir.path()).is_err());

        let linked = tempfile::tempdir().unwrap();
        symlink(dir.path(), linked.path().join(FOLDER)).unwrap();
        assert!(OtherRuns::join(linked.path()).is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is made behind a link");

        let odd = tempfile::tempdir().unwrap();
        let ours = OtherRuns::join(odd.path()).unwrap();
        fifo(&odd.path().join(FOLDER).join("72-1"));
        symlink("/dev/zero", odd.path().join(FOLDER).join("73-1")).unwrap();
        std::fs::create_dir(odd.path().join(FOLDER).join("74-1")).unwrap();
        assert_eq!(ours.count(), 0);
    }

    #[test]
    fn the_umask_closes_neither_folder_nor_file() {
        let dir = tempfile::tempdir().unwrap();
        // The umask is the whole process's: another one sets it.
        let exe = std::env::current_exe().unwrap();
        let status = Command::new("sh")
            .args(["-c", "umask 077; exec \"$0\" --exact other_runs::tests::with_that_umask --ignored --quiet"])
            .arg(exe)
            .env("OTHER_RUNS_DIR", dir.path())
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success());
        let mode = std::fs::metadata(dir.path().join(FOLDER)).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, FOLDER_MODE);
    }

    #[test]
    #[ignore = "run by the test above, under a umask of its own"]
    fn with_that_umask() {
        let Some(dir) = std::env::var_os("OTHER_RUNS_DIR") else { return };
        let ours = OtherRuns::join(Path::new(&dir)).unwrap();
        let file = Path::new(&dir).join(FOLDER).join(&ours.name);
        assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, FILE_MODE);
    }

    #[test]
    fn where_no_folder_can_be_had_it_is_told() {
        assert!(OtherRuns::join(Path::new("/proc")).is_err());
        assert!(OtherRuns::join(Path::new("/no/such/folder")).is_err());
    }
}
