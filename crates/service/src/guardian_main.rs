//! The guardian's side: reads what to guard, and cleans up when Kurabe is gone.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, BufRead, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::mount::{UnmountFlags, unmount};
use rustix::process::Signal;

use crate::family::{Family, KILL_LIMIT, OrphanSigns};
use crate::folder::is_marked;
use crate::folder_lock::share;
use crate::guardian::{READY, RUN_VARIABLE};
use crate::proc::ProcessId;
use crate::shared_memory::{Shared, SharedMemory, remove};

/// So long services may take to end cleanly.
const STOP_LIMIT: Duration = Duration::from_secs(1);
const STOP_POLL: Duration = Duration::from_millis(5);

/// Between two looks: an orphan may still be on its way to its new parent at the first.
const SECOND_LOOK: Duration = Duration::from_millis(50);

/// A folder may be written to by a process that dies at this moment; so often it is tried again.
const DELETE_ATTEMPTS: u32 = 5;

/// What a guardian has been told so far.
#[derive(Default)]
struct Watch {
    run_id: Option<String>,
    pids: HashMap<u32, u64>,
    /// Of these processes, those that end by a signal of their own.
    stops: HashMap<u32, Signal>,
    uids: HashSet<u32>,
    folders: BTreeSet<PathBuf>,
    shared: SharedMemory,
    /// Locks that last as long as the guardian.
    held: Vec<fs::File>,
    is_done: bool,
}

/// Runs the guardian until its standard input ends; the program behind [`crate::Guardian::start`] calls this for its
/// verb `guardian` and exits with the returned status.
///
/// Lines: `run ID`, `pid PID START_TIME`, `stop PID SIGNAL`, `gone PID`, `folder PATH`, `keep PATH`, `hold PATH`,
/// `shared WORDS`, `unshared WORDS`, `done`. Where the input ends without
/// `done`, Kurabe died: all registered processes that are still the same ones are killed with their descendants, and
/// the registered folders that carry the run's mark are deleted. After `done` only what
/// Kurabe itself tried to end or delete in vain is still registered, and tried again. A file to hold stays locked until the
/// guardian ends. Status 0 if nothing is left, else 1.
pub fn guardian_main() -> i32 {
    ignore_terminal_signals();
    // Otherwise the guardian would hold the file system it was started on.
    let _ = rustix::process::chdir("/");
    let since = ProcessId::of(std::process::id()).map_or(0, |id| id.start_time);
    let mut stdout = io::stdout();
    if stdout.write_all(READY).and_then(|()| stdout.flush()).is_err() {
        return 1;
    }
    let watch = read_watch(io::stdin().lock());
    let Some(run_id) = watch.run_id.clone() else { return 0 };
    let has_leftovers = !watch.is_done || !watch.pids.is_empty();
    let is_clear = !has_leftovers || kill_all(&watch, &run_id, since);
    remove(&watch.shared);
    let left = watch.folders.iter().filter(|folder| !delete(folder, &run_id)).count();
    i32::from(!is_clear || left > 0)
}

fn ignore_terminal_signals() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT] {
        // SAFETY: SIG_IGN installs no handler; no other thread runs yet.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

fn read_watch(input: impl BufRead) -> Watch {
    let mut watch = Watch::default();
    // A line that cannot be read is the end of the input: Kurabe is gone.
    for line in input.split(b'\n').map_while(Result::ok) {
        watch.hear(&line);
        if watch.is_done {
            break;
        }
    }
    watch
}

impl Watch {
    fn hear(&mut self, line: &[u8]) {
        let (verb, rest) = match line.iter().position(|byte| *byte == b' ') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &line[line.len()..]),
        };
        let text = std::str::from_utf8(rest).unwrap_or_default();
        let path = || PathBuf::from(std::ffi::OsString::from_vec(rest.to_vec()));
        match verb {
            b"run" => self.run_id = Some(text.to_owned()),
            b"pid" => {
                let numbers =
                    text.split_once(' ').and_then(|(pid, start)| Some((pid.parse().ok()?, start.parse().ok()?)));
                if let Some((pid, start_time)) = numbers {
                    self.pids.insert(pid, start_time);
                    self.uids.extend(fs::metadata(format!("/proc/{pid}")).map(|data| data.uid()));
                }
            }
            b"stop" => {
                let words =
                    text.split_once(' ').and_then(|(pid, signal)| Some((pid.parse().ok()?, signal.parse().ok()?)));
                self.stops.extend(words.and_then(|(pid, signal)| Some((pid, Signal::from_named_raw(signal)?))));
            }
            b"gone" => {
                if let Ok(pid) = text.parse::<u32>() {
                    self.pids.remove(&pid);
                    self.stops.remove(&pid);
                }
            }
            b"folder" => drop(self.folders.insert(path())),
            b"keep" => drop(self.folders.remove(&path())),
            b"hold" => self.held.extend(share(&path())),
            b"shared" => self.shared.extend(Shared::parse(text)),
            b"unshared" => drop(Shared::parse(text).map(|one| self.shared.remove(&one))),
            b"done" => self.is_done = true,
            // From a newer Kurabe: what is not understood is not guarded, all else is.
            _ => {}
        }
    }
}

fn kill_all(watch: &Watch, run_id: &str, since: u64) -> bool {
    let roots = watch.pids.iter().map(|(pid, start_time)| ProcessId { pid: *pid, start_time: *start_time });
    let folders = watch.folders.iter().filter(|folder| is_marked(folder, run_id)).cloned().collect();
    let strays = OrphanSigns { folders, uids: watch.uids.clone(), since };
    let mut family = Family::new(roots, &format!("{RUN_VARIABLE}={run_id}"), Some(strays));
    stop_all(watch);
    let first = family.kill(KILL_LIMIT);
    std::thread::sleep(SECOND_LOOK);
    first.is_ok() & family.kill(KILL_LIMIT / 3).is_ok()
}

/// Tells services to end cleanly, and waits a little for it: some have things outside their folders to take away.
/// The kernel has told them already when Kurabe died, unless another thread than the first had started them.
fn stop_all(watch: &Watch) {
    let id = |pid: &u32| Some(ProcessId { pid: *pid, start_time: *watch.pids.get(pid)? });
    let services: Vec<(ProcessId, Signal)> =
        watch.stops.iter().filter_map(|(pid, signal)| Some((id(pid)?, *signal))).collect();
    for (id, signal) in &services {
        // One that has ended needs no signal, and one that cannot be told is killed.
        let _ = id.send(*signal);
    }
    let until = Instant::now() + STOP_LIMIT;
    while services.iter().any(|(id, _)| id.is_alive()) && Instant::now() < until {
        std::thread::sleep(STOP_POLL);
    }
}

/// Deletes a folder that carries the run's mark; a link, or a folder of somebody else, is left alone.
fn delete(folder: &Path, run_id: &str) -> bool {
    if !is_marked(folder, run_id) {
        // Killed between making the folder and marking it: an empty one is ours and removed, nothing else.
        let _ = fs::remove_dir(folder);
        return fs::symlink_metadata(folder).is_err();
    }
    unmount_below(folder);
    for _ in 0..DELETE_ATTEMPTS {
        if fs::remove_dir_all(folder).is_ok() {
            return true;
        }
        std::thread::sleep(SECOND_LOOK);
    }
    false
}

/// Takes away what Kurabe had mounted in a folder: whoever was behind it is gone.
fn unmount_below(folder: &Path) {
    let mounts = fs::read("/proc/self/mounts").unwrap_or_default();
    let inside: Vec<PathBuf> = mount_points(&mounts).filter(|path| path.starts_with(folder)).collect();
    // One inside another comes after it.
    for path in inside.iter().rev() {
        // Where it stays mounted, the folder stays too, and the status tells.
        let _ = unmount(path, UnmountFlags::DETACH);
    }
}

/// The second field of each line, proc_pid_mounts(5), with `\040` and such for what would end it.
fn mount_points(mounts: &[u8]) -> impl Iterator<Item = PathBuf> {
    let fields = mounts.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b' ').nth(1));
    fields.map(|field| {
        let mut path = Vec::new();
        let mut rest = field;
        while let Some((byte, after)) = rest.split_first() {
            let octal = after.get(..3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
            match octal {
                Some(escaped) if *byte == b'\\' => {
                    path.push(escaped);
                    rest = &after[3..];
                }
                _ => {
                    path.push(*byte);
                    rest = after;
                }
            }
        }
        PathBuf::from(std::ffi::OsString::from_vec(path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guardian_guards_what_it_was_told_and_not_told_to_forget() {
        let lines = "run r1\npid 4000000000 17\nstop 4000000000 2\npid 4000000001 18\nstop 4000000001 15\n\
                     gone 4000000000\nfolder /a b\nfolder /c\nkeep /c\n";
        let watch = read_watch(lines.as_bytes());
        assert_eq!(watch.run_id.as_deref(), Some("r1"));
        assert_eq!(watch.pids, HashMap::from([(4_000_000_001, 18)]));
        assert_eq!(watch.stops, HashMap::from([(4_000_000_001, Signal::TERM)]));
        assert_eq!(watch.folders, BTreeSet::from([PathBuf::from("/a b")]));
        assert!(!watch.is_done);
    }

    #[test]
    fn shared_memory_is_watched_until_it_is_told_to_be_gone() {
        let lines = "run r1\nshared 7 system-v 1\nshared 7 posix /dev/shm/a\nunshared 7 system-v 1\nshared nonsense\n";
        let watch = read_watch(lines.as_bytes());
        assert_eq!(watch.shared, SharedMemory::from([Shared::Posix { user: 7, path: "/dev/shm/a".into() }]));
    }

    #[test]
    fn done_ends_the_watch_and_unknown_lines_do_no_harm() {
        assert!(read_watch("run r1\nfrobnicate 7\npid x y\ndone\n".as_bytes()).is_done);
    }

    #[test]
    fn a_folder_of_somebody_else_and_a_link_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let foreign = dir.path().join("foreign");
        fs::create_dir(&foreign).unwrap();
        fs::write(foreign.join("letter"), "x").unwrap();
        assert!(!delete(&foreign, "r1"));
        assert!(foreign.join("letter").exists());

        fs::write(foreign.join(".kurabe"), "another\n").unwrap();
        assert!(!delete(&foreign, "r1"));
        assert!(foreign.join("letter").exists());

        fs::write(foreign.join(".kurabe"), "r1\n").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&foreign, &link).unwrap();
        assert!(!delete(&link, "r1"));
        assert!(foreign.join("letter").exists());
    }

    #[test]
    fn a_place_where_something_is_mounted_may_have_a_blank() {
        let mounts = b"proc /proc proc rw 0 0\nkurabe /tmp/a\\040b\\134/disk fuse rw 0 0\n";
        let points: Vec<PathBuf> = mount_points(mounts).collect();
        assert_eq!(points, [PathBuf::from("/proc"), PathBuf::from("/tmp/a b\\/disk")]);
    }

    #[test]
    fn links_inside_a_marked_folder_are_removed_and_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (ours, outside) = (dir.path().join("ours"), dir.path().join("outside"));
        fs::create_dir(&ours).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("letter"), "x").unwrap();
        fs::write(ours.join(".kurabe"), "r1\n").unwrap();
        std::os::unix::fs::symlink(&outside, ours.join("link")).unwrap();
        assert!(delete(&ours, "r1"));
        assert!(!ours.exists() && outside.join("letter").exists());
    }
}
