//! A process with all that came of it, and how to end all of them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::proc::{ProcessId, Stat, has_environment_entry, snapshot};
use crate::shared_memory::{SharedMemory, note, remove};

const POLL: Duration = Duration::from_millis(2);

/// How to recognise an orphan that hid every other trace: some servers overwrite their environment with a title and
/// give each child a session of its own, so that nothing leads to such a child once its parent was killed.
pub(crate) struct OrphanSigns {
    /// Folders that are only ours: an orphan working in one of them is ours too, if the rest also holds.
    pub folders: Vec<PathBuf>,
    /// Users that our processes ran as.
    pub uids: HashSet<u32>,
    /// Nothing that started before this is ours.
    pub since: u64,
}

impl OrphanSigns {
    fn claims(&self, stat: &Stat) -> bool {
        // Whoever adopted this process when its own parent died also adopted our orphans.
        let reaper = rustix::process::getppid().map_or(1, |pid| pid.as_raw_pid() as u32);
        stat.parent == reaper
            && stat.id.start_time >= self.since
            && fs::metadata(format!("/proc/{}", stat.id.pid)).is_ok_and(|data| self.uids.contains(&data.uid()))
            && fs::read_link(format!("/proc/{}/cwd", stat.id.pid))
                .is_ok_and(|cwd| self.folders.iter().any(|folder| cwd.starts_with(folder)))
    }
}

/// So long processes are collected and killed before they are given up: one that waits for a busy disk dies only when that has
/// answered.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(15);

/// A growing set of processes that belong together.
pub(crate) struct Family {
    known: HashSet<ProcessId>,
    /// `NAME=value` that all of them were started with.
    tag: Vec<u8>,
    strays: Option<OrphanSigns>,
}

impl Family {
    pub fn new(roots: impl IntoIterator<Item = ProcessId>, tag: &str, strays: Option<OrphanSigns>) -> Family {
        Family { known: roots.into_iter().collect(), tag: tag.as_bytes().to_vec(), strays }
    }

    /// The members that run now: known ones, their descendants, groups and sessions, and whoever carries the tag.
    pub fn alive(&mut self) -> Vec<ProcessId> {
        let table = snapshot();
        let start_times: HashMap<u32, u64> = table.iter().map(|stat| (stat.id.pid, stat.id.start_time)).collect();
        // A group outlives its leader, and its number is not given away before; so a number that now belongs to a
        // process with another start time leads nobody of ours.
        let mut leaders: HashSet<u32> = self
            .known
            .iter()
            .filter(|id| start_times.get(&id.pid).is_none_or(|start| *start == id.start_time))
            .map(|id| id.pid)
            .collect();
        let mut members: HashSet<u32> =
            table.iter().filter(|stat| self.known.contains(&stat.id)).map(|stat| stat.id.pid).collect();
        let own_pid = std::process::id();
        let mut rest: Vec<&Stat> = table
            .iter()
            .filter(|stat| stat.id.pid > 1 && stat.id.pid != own_pid && !members.contains(&stat.id.pid))
            .collect();
        rest.retain(|stat| {
            let is_marked = has_environment_entry(stat.id.pid, &self.tag)
                || self.strays.as_ref().is_some_and(|strays| strays.claims(stat));
            if is_marked {
                members.insert(stat.id.pid);
                leaders.insert(stat.id.pid);
            }
            !is_marked
        });
        loop {
            let before = rest.len();
            rest.retain(|stat| {
                let belongs =
                    members.contains(&stat.parent) || leaders.contains(&stat.group) || leaders.contains(&stat.session);
                if belongs {
                    members.insert(stat.id.pid);
                    leaders.insert(stat.id.pid);
                }
                !belongs
            });
            if rest.len() == before {
                break;
            }
        }
        let found = table.iter().filter(|stat| members.contains(&stat.id.pid));
        self.known.extend(found.clone().map(|stat| stat.id));
        found.filter(|stat| !stat.is_dead()).map(|stat| stat.id).collect()
    }

    /// Shared memory of all members that run now.
    pub fn shared_memory(&mut self) -> SharedMemory {
        let mut shared = SharedMemory::new();
        self.alive().iter().for_each(|id| note(id.pid, &mut shared));
        shared
    }

    /// Kills all members until none is left, for at most `limit`, and removes the shared memory that they can no longer
    /// remove themselves. Returns how many were killed, or who is still there.
    pub fn kill(&mut self, limit: Duration) -> Result<usize, Vec<ProcessId>> {
        let deadline = Instant::now() + limit;
        let mut killed = HashSet::new();
        let mut shared = SharedMemory::new();
        loop {
            let members = self.freeze(deadline);
            if members.is_empty() {
                remove(&shared);
                return Ok(killed.len());
            }
            if Instant::now() >= deadline {
                return Err(members);
            }
            for id in members {
                note(id.pid, &mut shared);
                // Counted also where the kernel was faster: it hangs up on a stopped group that lost its parent. A
                // failure shows in the next look, where the process is still there.
                killed.insert(id);
                let _ = id.send(Signal::KILL);
            }
            std::thread::sleep(POLL);
        }
    }

    /// Stops members until no new one appears: a stopped process cannot fork away between the look and the kill.
    fn freeze(&mut self, deadline: Instant) -> Vec<ProcessId> {
        let mut stopped = HashSet::new();
        loop {
            let alive = self.alive();
            let fresh: Vec<ProcessId> = alive.iter().copied().filter(|id| stopped.insert(*id)).collect();
            for id in &fresh {
                // One that cannot be stopped can still be killed.
                let _ = id.send(Signal::STOP);
            }
            if fresh.is_empty() || Instant::now() >= deadline {
                return alive;
            }
        }
    }
}
