use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{FlockOperation, flock};

/// The file on which every run holds a shared lock while it measures.
const FILE: &str = "kurabe-at-work";

/// The runs that measure on this machine at one time: each holds a lock that the others can see in /proc/locks, and that
/// ends with its process, however it ends.
#[derive(Debug)]
pub struct Company {
    /// `None` where the file cannot be had: then nobody is seen, and nobody sees this run.
    lock: Option<File>,
}

impl Company {
    /// Begins to be one of them; `dir` is a folder that all runs share, that for temporary files.
    pub fn join(dir: &Path) -> Company {
        let lock = open(&dir.join(FILE)).ok();
        Company { lock: lock.filter(|file| flock(file, FlockOperation::NonBlockingLockShared).is_ok()) }
    }

    /// How many other processes are at work now.
    pub fn others(&self) -> u32 {
        let inode = self.lock.as_ref().and_then(|file| Some(file.metadata().ok()?.ino()));
        inode.map_or(0, |inode| holders(&locks().unwrap_or_default(), inode, std::process::id()))
    }
}

/// All locks of the machine. The kernel gives some 4 KiB of one state at a time, and the next piece may repeat lines or
/// leave some out where locks came and went between: so they are asked for in as few pieces as it goes, and twice.
fn locks() -> io::Result<String> {
    let (mut text, mut piece) = (Vec::new(), vec![0; 64 << 10]);
    for _ in 0..2 {
        let mut file = File::open("/proc/locks")?;
        loop {
            let len = file.read(&mut piece)?;
            if len == 0 {
                break;
            }
            text.extend_from_slice(&piece[..len]);
        }
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The file may be another user's, who alone may write to it: to lock it, reading is enough.
fn open(path: &Path) -> io::Result<File> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().read(true).append(true).create(true).open(path)
        }
        opened => opened,
    }
}

/// Processes but `own` that hold a shared lock on `inode`, in the words of proc_locks(5).
fn holders(locks: &str, inode: u64, own: u32) -> u32 {
    let (inode, own) = (inode.to_string(), own.to_string());
    let holder = |line| {
        let words: Vec<&str> = str::split_whitespace(line).collect();
        let [_, "FLOCK", _, "READ", process, file, ..] = words[..] else { return None };
        (process != own && file.rsplit(':').next() == Some(inode.as_str())).then_some(process)
    };
    locks.lines().filter_map(holder).collect::<BTreeSet<&str>>().len() as u32
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn only_processes_that_hold_the_lock_beside_us_are_counted_and_each_once() {
        let locks = "1: FLOCK  ADVISORY  READ 71 fe:00:1318 0 EOF\n2: FLOCK  ADVISORY  READ 72 fe:00:1318 0 EOF\n\
                     3: -> FLOCK  ADVISORY  READ 73 fe:00:1318 0 EOF\n4: POSIX  ADVISORY  READ 74 fe:00:1318 0 EOF\n\
                     5: FLOCK  ADVISORY  READ 75 fe:00:131 0 EOF\n6: FLOCK  ADVISORY  WRITE 76 fe:00:1318 0 EOF\n\
                     7: FLOCK  ADVISORY  READ 72 fe:00:1318 0 EOF\n";
        assert_eq!((holders(locks, 1318, 71), holders(locks, 1318, 1), holders(locks, 9, 1)), (1, 2, 0));
    }

    #[test]
    fn another_process_is_seen_until_it_ends() {
        let dir = tempfile::tempdir().unwrap();
        let company = Company::join(dir.path());
        assert_eq!(company.others(), 0);
        let mut other = Command::new("flock")
            // Without a fork: the process that is killed below is the one that holds the lock.
            .args(["--shared", "--no-fork"])
            .arg(dir.path().join(FILE))
            .args(["sleep", "1000"])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while company.others() == 0 {
            assert!(Instant::now() < deadline, "the other process is not seen");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(company.others(), 1);
        other.kill().unwrap();
        other.wait().unwrap();
        assert_eq!(company.others(), 0);
    }

    #[test]
    fn where_no_file_can_be_had_nobody_is_seen() {
        assert_eq!(Company::join(Path::new("/proc")).others(), 0);
    }
}
