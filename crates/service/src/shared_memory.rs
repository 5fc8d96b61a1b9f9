//! Shared memory that outlives the processes that made it: POSIX objects (files in /dev/shm) and System V segments.
//!
//! A server that is killed cannot remove its own, and they stay until the machine starts again. PostgreSQL 15 leaves two
//! files and a segment each time.

use std::collections::BTreeSet;
use std::ffi::c_int;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::inotify;

use crate::proc::snapshot;

/// Where POSIX shared memory lies, shm_overview(7). Folders in it hold ordinary files.
const POSIX: &str = "/dev/shm";
/// How /proc/PID/maps names a System V segment, whose number is the inode there.
const SYSTEM_V: &str = "/SYSV";

/// A piece of shared memory, and the user of a process that had it mapped: what belongs to others is not ours to remove.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shared {
    /// A file in /dev/shm.
    Posix { user: u32, path: PathBuf },
    /// A segment by its number.
    SystemV { user: u32, id: c_int },
}

/// What some processes share, noted while they live.
pub(crate) type SharedMemory = BTreeSet<Shared>;

impl Shared {
    /// As a line to the guardian tells it; [`Shared::parse`] reads it.
    pub fn words(&self) -> String {
        match self {
            Shared::Posix { user, path } => format!("{user} posix {}", path.display()),
            Shared::SystemV { user, id } => format!("{user} system-v {id}"),
        }
    }

    /// Whether both are one piece of memory; two users may have it mapped.
    fn is_same_memory(&self, other: &Shared) -> bool {
        match (self, other) {
            (Shared::Posix { path: one, .. }, Shared::Posix { path: another, .. }) => one == another,
            (Shared::SystemV { id: one, .. }, Shared::SystemV { id: another, .. }) => one == another,
            _ => false,
        }
    }

    /// Reads what [`Shared::words`] wrote.
    pub fn parse(text: &str) -> Option<Shared> {
        let mut words = text.splitn(3, ' ');
        let (user, kind, which) = (words.next()?.parse().ok()?, words.next()?, words.next()?);
        match kind {
            "posix" if Path::new(which).parent() == Some(Path::new(POSIX)) => {
                Some(Shared::Posix { user, path: which.into() })
            }
            "system-v" => Some(Shared::SystemV { user, id: which.parse().ok()? }),
            _ => None,
        }
    }
}

/// When to look for what a process shares that may die soon: often where the system tells that somebody has made an object, since
/// it is found only as long as its maker lives.
pub(crate) struct SharedWatch {
    /// What was found so far.
    pub found: SharedMemory,
    /// `None` where the system has no watches left: then nothing is told.
    objects: Option<OwnedFd>,
    /// System V segments are made unseen, so now and then it is time anyway.
    pause: Duration,
    next: Instant,
    busy_until: Instant,
}

/// So long an object may be made and not yet mapped.
const MAPPED_WITHIN: Duration = Duration::from_millis(50);

impl SharedWatch {
    /// Begins to watch. Where no object is made it is due after each `pause`.
    pub fn new(pause: Duration) -> SharedWatch {
        let watch = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC);
        let is_watched = |watch: &OwnedFd| inotify::add_watch(watch, POSIX, inotify::WatchFlags::CREATE).is_ok();
        let (objects, now) = (watch.ok().filter(is_watched), Instant::now());
        SharedWatch { found: SharedMemory::new(), objects, pause, next: now + pause, busy_until: now }
    }

    /// Whether it is time for a look.
    pub fn is_due(&mut self) -> bool {
        let now = Instant::now();
        if self.has_news() {
            self.busy_until = now + MAPPED_WITHIN;
        }
        let is_due = now < self.busy_until || now >= self.next;
        if is_due {
            self.next = now + self.pause;
        }
        is_due
    }

    fn has_news(&self) -> bool {
        let mut events = [0_u8; 4096];
        let read = |watch: &OwnedFd, events: &mut [u8]| rustix::io::read(watch, events).is_ok_and(|length| length > 0);
        let Some(watch) = &self.objects else { return false };
        let any = read(watch, &mut events);
        while any && read(watch, &mut events) {}
        any
    }
}

/// Adds what the process has mapped; nothing of one that cannot be looked at.
pub(crate) fn note(pid: u32, shared: &mut SharedMemory) {
    let Ok(user) = fs::metadata(format!("/proc/{pid}")).map(|data| data.uid()) else { return };
    let maps = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    shared.extend(maps.lines().filter_map(|line| read_map(line, user)));
}

/// What a line of proc_pid_maps(5) names, where that is shared memory.
fn read_map(line: &str, user: u32) -> Option<Shared> {
    let mut words = line.split_ascii_whitespace();
    let (inode, path) = (words.nth(4)?, words.next()?);
    if path.starts_with(SYSTEM_V) {
        return Some(Shared::SystemV { user, id: inode.parse().ok()? });
    }
    // A word more says that it is deleted.
    let is_object = Path::new(path).parent() == Some(Path::new(POSIX)) && words.next().is_none();
    is_object.then(|| Shared::Posix { user, path: path.into() })
}

/// Removes what is still there, belongs to the user who had it, and is used by nobody any more.
pub(crate) fn remove(shared: &SharedMemory) {
    if shared.is_empty() {
        return;
    }
    let mut in_use = SharedMemory::new();
    snapshot().iter().filter(|stat| !stat.is_dead()).for_each(|stat| note(stat.id.pid, &mut in_use));
    for one in unused(shared, &in_use) {
        match one {
            Shared::Posix { user, path } => {
                if fs::symlink_metadata(path).is_ok_and(|data| data.is_file() && data.uid() == *user) {
                    // Its maker may have removed it meanwhile.
                    let _ = fs::remove_file(path);
                }
            }
            Shared::SystemV { user, id } => remove_segment(*id, *user),
        }
    }
}

/// What of `shared` no process has mapped, whichever user's it is.
fn unused<'a>(shared: &'a SharedMemory, in_use: &SharedMemory) -> Vec<&'a Shared> {
    shared.iter().filter(|one| !in_use.iter().any(|other| one.is_same_memory(other))).collect()
}

/// Removes a segment that `user` made and that no process is attached to.
fn remove_segment(id: c_int, user: u32) {
    // SAFETY: shmid_ds is plain data for which zero is a valid value.
    let mut state: libc::shmid_ds = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call, which fills what it points to.
    let is_known = unsafe { libc::shmctl(id, libc::IPC_STAT, &mut state) } == 0;
    if is_known && state.shm_nattch == 0 && state.shm_perm.cuid == user {
        // SAFETY: IPC_RMID takes no third argument. It fails where somebody else was quicker.
        unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_segments_are_read_from_the_maps_and_other_files_are_not() {
        let maps = "\
7f00-7f01 rw-s 00000000 00:01 32770                      /SYSV0052e2c1 (deleted)
7f02-7f03 rw-s 00000000 00:1a 7                          /dev/shm/PostgreSQL.3141592
7f04-7f05 rw-s 00000000 00:1a 8                          /dev/shm/PostgreSQL.27 (deleted)
7f06-7f07 rw-s 00000000 00:1a 9                          /dev/shm/kurabe-1/job-0/data/data.mdb
7f08-7f09 r-xp 00000000 fe:00 10                         /usr/lib/libc.so.6
7f0a-7f0b rw-p 00000000 00:00 0
7f0c-7f0d rw-p 00000000 00:00 0                          [heap]
";
        let found: Vec<Shared> = maps.lines().filter_map(|line| read_map(line, 7)).collect();
        let object = Shared::Posix { user: 7, path: "/dev/shm/PostgreSQL.3141592".into() };
        assert_eq!(found, [Shared::SystemV { user: 7, id: 32770 }, object]);
        for one in &found {
            assert_eq!(Shared::parse(&one.words()).as_ref(), Some(one));
        }
    }

    #[test]
    fn only_what_lies_in_the_folder_of_shared_memory_is_taken_from_a_line() {
        for line in ["7 posix /etc/passwd", "7 posix /dev/shm/a/../b", "7 posix /dev/shm/x/y", "7 system-v x", "7"] {
            assert_eq!(Shared::parse(line), None, "{line}");
        }
    }

    #[test]
    fn what_a_process_of_another_user_has_mapped_is_in_use() {
        let object = |user, path: &str| Shared::Posix { user, path: path.into() };
        let ours =
            SharedMemory::from([object(7, "/dev/shm/a"), object(7, "/dev/shm/b"), Shared::SystemV { user: 7, id: 1 }]);
        let in_use = SharedMemory::from([object(0, "/dev/shm/a"), Shared::SystemV { user: 0, id: 1 }]);
        assert_eq!(unused(&ours, &in_use), [&object(7, "/dev/shm/b")]);
    }

    #[test]
    fn an_object_that_is_made_is_a_reason_to_look() {
        const NEVER: Duration = Duration::from_secs(100_000);
        let mut watch = SharedWatch::new(NEVER);
        let path = Path::new(POSIX).join(format!("kurabe-test-new-{}", std::process::id()));
        fs::write(&path, "x").unwrap();
        assert!(watch.is_due());
        fs::remove_file(&path).unwrap();
        assert!(!SharedWatch { objects: None, ..SharedWatch::new(NEVER) }.is_due());
        assert!(SharedWatch { objects: None, ..SharedWatch::new(Duration::ZERO) }.is_due());
    }

    #[test]
    fn what_another_user_made_stays() {
        let path = Path::new(POSIX).join(format!("kurabe-test-{}", std::process::id()));
        fs::write(&path, "x").unwrap();
        let own = fs::metadata(&path).unwrap().uid();
        let of = |user| SharedMemory::from([Shared::Posix { user, path: path.clone() }]);
        remove(&of(own + 1));
        assert!(path.exists());
        remove(&of(own));
        assert!(!path.exists());
    }
}
