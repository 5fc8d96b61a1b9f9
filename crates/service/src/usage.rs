//! What a process with all its descendants has used: processor time, memory, bytes written.
//!
//! The kernel keeps the processor time of a living process with that process, and that of an ended one with the parent that
//! waited for it. A process that ends while the tree is read may so be missed in both places, and then a whole server seems to
//! have used nothing. So a tree is read again until nobody in it was waited for between two looks at it, and what
//! a process has used that is gone at a later look must be found with those that waited. Where either fails the figure is
//! not known, never zero. A control group would count the same without such care, but needs rights that not every user has.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::time::{Duration, Instant};

use kurabe_messages::message;

use crate::proc::{ProcessId, Stat, descendants, tick_ns, tree};

/// How memory was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryMethod {
    /// One process: the peak of its resident memory since [`reset_peak`] or its start (VmHWM).
    PeakResident,
    /// Several processes: the sum of their proportional shares at this moment, shared memory counted once (Pss).
    SumProportional,
    /// Several processes whose shares may not be read: the sum of their resident memory at this moment, an upper
    /// bound that counts shared memory several times (VmRSS).
    SumResident,
}

/// What a process and all its descendants have used up to a moment.
///
/// Descendants that were adopted by somebody outside the tree are not seen, nor is the time of children that nobody
/// waited for; [`TreeUsage::since`] finds out where such a one is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeUsage {
    /// Processor time of all threads, ended ones and reaped children included; `None` where processes went on ending while
    /// they were looked at.
    pub cpu_ns: Option<u64>,
    /// Memory, as `memory_method` says.
    pub memory_bytes: u64,
    /// How memory was measured.
    pub memory_method: MemoryMethod,
    /// Bytes that the processes, and children they waited for, caused to be written to storage, counted when the page
    /// is dirtied (`write_bytes` of proc_pid_io(5)); `None` where this may not be read, and where `cpu_ns` is not known.
    pub written_bytes: Option<u64>,
    /// Living processes.
    pub processes: u32,
    /// Their threads.
    pub threads: u32,
    /// Who used the processors; those that wait to be reaped too.
    members: BTreeMap<ProcessId, ProcessUsage>,
}

/// The part of one process in the use of its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ProcessUsage {
    parent: u32,
    /// Its own processor time.
    own_ns: u64,
    /// That of children that it waited for, with theirs: to whole ticks.
    reaped_ns: u64,
}

/// What was used between two looks at the same tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeUsageDelta {
    /// Processor time used meanwhile; `None` where one look could not tell, or a process has left the tree with its part.
    pub cpu_ns: Option<u64>,
    /// Memory at the later look.
    pub memory_bytes: u64,
    /// How it was measured.
    pub memory_method: MemoryMethod,
    /// Bytes written meanwhile; `None` where one look could not tell, or a process has left the tree with its part.
    pub written_bytes: Option<u64>,
}

impl TreeUsage {
    /// What was used since an `earlier` look.
    pub fn since(&self, earlier: &TreeUsage) -> TreeUsageDelta {
        let both = self.cpu_ns.zip(earlier.cpu_ns).filter(|_| self.has_inherited_from(earlier));
        let written = self.written_bytes.zip(earlier.written_bytes).filter(|_| both.is_some());
        TreeUsageDelta {
            // A difference in the ticks of those who waited is no use.
            cpu_ns: both.map(|(later, earlier)| later.saturating_sub(earlier)),
            memory_bytes: self.memory_bytes,
            memory_method: self.memory_method,
            written_bytes: written.and_then(|(later, earlier)| later.checked_sub(earlier)),
        }
    }

    /// Whether the time of those that are gone since an `earlier` look is found with those that waited for them.
    fn has_inherited_from(&self, earlier: &TreeUsage) -> bool {
        let gone = || earlier.members.iter().filter(|(id, _)| !self.members.contains_key(id)).map(|(_, gone)| gone);
        let gone_ns: u64 = gone().map(|gone| gone.own_ns + gone.reaped_ns).sum();
        let waited_ns: u64 = self
            .members
            .iter()
            .map(|(id, now)| now.reaped_ns.saturating_sub(earlier.members.get(id).map_or(0, |before| before.reaped_ns)))
            .sum();
        // User and system time of each who waited are cut to whole ticks.
        let waiting = gone().map(|gone| gone.parent).collect::<BTreeSet<u32>>().len() as u64;
        gone_ns <= waited_ns + 2 * waiting * tick_ns()
    }
}

/// Why nothing can be said about a tree.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The process has ended.
    #[error("{}", message!(service_process_gone, pid = *.pid))]
    Gone {
        /// Its number.
        pid: u32,
    },
}

/// Whether peaks of memory could be set back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeakReset {
    /// For all processes of the tree.
    Done,
    /// Not for all: peaks are those since the start.
    NotPermitted,
}

/// So long a tree is looked at again that changes meanwhile.
const LOOKS_LIMIT: Duration = Duration::from_millis(500);
/// Between two looks at a tree that changes.
const LOOK_PAUSE: Duration = Duration::from_millis(1);

/// Measures the tree of `pid`.
pub fn usage(pid: u32) -> Result<TreeUsage, UsageError> {
    let until = Instant::now() + LOOKS_LIMIT;
    let mut before = tree(pid);
    loop {
        if before.is_empty() {
            return Err(UsageError::Gone { pid });
        }
        let members: BTreeMap<ProcessId, ProcessUsage> = before.iter().map(|stat| (stat.id, member(stat))).collect();
        let written_bytes = before.iter().map(|stat| written_bytes(stat.id.pid)).sum();
        let is_settled = before.iter().all(is_as_before);
        if !is_settled && Instant::now() < until {
            std::thread::sleep(LOOK_PAUSE);
            before = tree(pid);
            continue;
        }
        let living: Vec<Stat> = before.into_iter().filter(|stat| !stat.is_dead()).collect();
        let (memory_bytes, memory_method) = memory(&living);
        return Ok(TreeUsage {
            cpu_ns: is_settled.then(|| members.values().map(|member| member.own_ns + member.reaped_ns).sum()),
            memory_bytes,
            memory_method,
            written_bytes: if is_settled { written_bytes } else { None },
            processes: living.len() as u32,
            threads: living.iter().map(|stat| stat.threads).sum(),
            members,
        });
    }
}

/// Whether a process is still there, and has waited for nobody meanwhile: where that is so of all, nobody's time has changed
/// hands. One that was born meanwhile has taken nothing from another.
fn is_as_before(before: &Stat) -> bool {
    Stat::read(before.id.pid).is_some_and(|now| now.id == before.id && now.reaped_ticks == before.reaped_ticks)
}

/// Sets the peaks of resident memory of the tree of `pid` back to what is resident now.
pub fn reset_peak(pid: u32) -> Result<PeakReset, UsageError> {
    let tree = descendants(pid);
    if tree.is_empty() {
        return Err(UsageError::Gone { pid });
    }
    let reset = |stat: &Stat| match fs::write(format!("/proc/{}/clear_refs", stat.id.pid), "5") {
        // One that ended meanwhile has no peak any more.
        Err(error) => error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH),
        Ok(()) => true,
    };
    Ok(if tree.iter().map(reset).fold(true, |all, one| all & one) { PeakReset::Done } else { PeakReset::NotPermitted })
}

/// The processor time of a process.
///
/// Its clock counts nanoseconds of the whole thread group, ended threads included; the sum over
/// /proc/PID/task/*/schedstat forgets those, and utime + stime know only ticks of 10 ms. Reaped children are kept by
/// the kernel in ticks only.
fn member(stat: &Stat) -> ProcessUsage {
    ProcessUsage {
        parent: stat.parent,
        own_ns: process_clock_ns(stat.id.pid).unwrap_or(stat.own_ticks * tick_ns()),
        reaped_ns: stat.reaped_ticks * tick_ns(),
    }
}

/// Processor time of all children of this process that were reaped so far, with those that they reaped: user and system, in
/// ns.
pub fn ended_children_cpu_ns() -> (u64, u64) {
    // SAFETY: rusage is plain old data, all zeros is a valid value, and getrusage fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &mut usage);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    (ns(usage.ru_utime), ns(usage.ru_stime))
}

fn process_clock_ns(pid: u32) -> Option<u64> {
    let mut clock = 0;
    // SAFETY: the pointer is valid for the call.
    if unsafe { libc::clock_getcpuclockid(pid as libc::pid_t, &mut clock) } != 0 {
        return None;
    }
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for the call.
    if unsafe { libc::clock_gettime(clock, &mut time) } != 0 {
        return None;
    }
    Some(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

fn memory(tree: &[Stat]) -> (u64, MemoryMethod) {
    let sum = |file: &str, key: &str| -> Option<u64> {
        tree.iter().map(|stat| kib_field_bytes(&format!("/proc/{}/{file}", stat.id.pid), key)).sum()
    };
    if let [only] = tree {
        let peak = kib_field_bytes(&format!("/proc/{}/status", only.id.pid), "VmHWM").unwrap_or(0);
        return (peak, MemoryMethod::PeakResident);
    }
    match sum("smaps_rollup", "Pss") {
        Some(bytes) => (bytes, MemoryMethod::SumProportional),
        None => (sum("status", "VmRSS").unwrap_or(0), MemoryMethod::SumResident),
    }
}

/// The value of a line `key:  N kB`; zero for a process that ended meanwhile or has no memory, `None` where it may not
/// be read.
fn kib_field_bytes(path: &str, key: &str) -> Option<u64> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if is_gone(&error) => return Some(0),
        Err(_) => return None,
    };
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    let kib = value.and_then(|value| value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    Some(kib.unwrap_or(0) * 1024)
}

fn written_bytes(pid: u32) -> Option<u64> {
    match fs::read_to_string(format!("/proc/{pid}/io")) {
        Ok(text) => text.lines().find_map(|line| line.strip_prefix("write_bytes:")?.trim().parse().ok()),
        Err(error) if is_gone(&error) => Some(0),
        Err(_) => None,
    }
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound || error.raw_os_error() == Some(libc::ESRCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree of processes, each with its parent and the own and inherited time of it, in ms.
    fn sample(members: &[(u32, u32, u64, u64)], written_bytes: Option<u64>) -> TreeUsage {
        let ns = |ms: u64| ms * 1_000_000;
        let member = |&(pid, parent, own, reaped): &(u32, u32, u64, u64)| {
            (ProcessId { pid, start_time: 7 }, ProcessUsage { parent, own_ns: ns(own), reaped_ns: ns(reaped) })
        };
        let members: BTreeMap<ProcessId, ProcessUsage> = members.iter().map(member).collect();
        TreeUsage {
            cpu_ns: Some(members.values().map(|member| member.own_ns + member.reaped_ns).sum()),
            memory_bytes: 7,
            memory_method: MemoryMethod::PeakResident,
            written_bytes,
            processes: 1,
            threads: 1,
            members,
        }
    }

    fn ms(ms: u64) -> Option<u64> {
        Some(ms * 1_000_000)
    }

    #[test]
    fn a_difference_counts_the_living_and_those_that_were_waited_for() {
        let before = sample(&[(1, 0, 20, 0), (2, 1, 400, 0)], Some(4));
        let delta = sample(&[(1, 0, 50, 900), (3, 1, 5, 0)], Some(10)).since(&before);
        assert_eq!((delta.cpu_ns, delta.memory_bytes, delta.written_bytes), (ms(535), 7, Some(6)));
        assert_eq!(sample(&[(1, 0, 50, 900)], None).since(&before).written_bytes, None);
        assert_eq!(sample(&[(1, 0, 50, 900)], Some(3)).since(&before).written_bytes, None, "a decrease");
    }

    #[test]
    fn what_a_process_took_along_is_not_known_also_where_others_used_more() {
        let before = sample(&[(1, 0, 20, 0), (2, 1, 400, 0)], Some(4));
        for after in [sample(&[(1, 0, 20, 0)], Some(9)), sample(&[(1, 0, 900, 300)], Some(9))] {
            let delta = after.since(&before);
            assert_eq!((delta.cpu_ns, delta.written_bytes), (None, None), "{after:?}");
        }
        let unsettled = TreeUsage { cpu_ns: None, ..before.clone() };
        assert_eq!((before.since(&unsettled).cpu_ns, unsettled.since(&before).cpu_ns), (None, None));
    }

    #[test]
    fn ticks_of_those_that_wait_are_no_loss() {
        let before = sample(&[(1, 0, 20, 0), (2, 1, 15, 0)], None);
        assert_eq!(sample(&[(1, 0, 20, 0)], None).since(&before).cpu_ns, Some(0));
        assert_eq!(sample(&[(1, 0, 20, 10)], None).since(&before).cpu_ns, Some(0));
        assert_eq!(sample(&[(1, 0, 23, 10)], None).since(&before).cpu_ns, ms(0));
    }

    #[test]
    fn threads_that_ended_still_count() {
        let own_cpu_ns = || process_clock_ns(std::process::id()).unwrap();
        let before = usage(std::process::id()).unwrap();
        let spin = std::thread::spawn(move || {
            let start = own_cpu_ns();
            while own_cpu_ns() < start + 30_000_000 {}
        });
        spin.join().unwrap();
        let after = usage(std::process::id()).unwrap();
        assert!(after.since(&before).cpu_ns >= ms(30));
        assert!(after.memory_bytes > 0 && after.threads >= 1);
    }
}
