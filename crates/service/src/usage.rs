//! What a process with all its descendants has used: processor time, memory, bytes written.

use std::fs;
use std::io;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::proc::{Stat, descendants, ticks_per_second};

/// How memory was measured.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMethod {
    /// One process: the peak of its resident memory since [`reset_peak`] or its start (VmHWM).
    PeakResident,
    /// Several processes: the sum of their proportional shares at this moment, shared memory counted once (Pss).
    SumProportional,
    /// Several processes whose shares may not be read: the sum of their resident memory at this moment, an upper
    /// bound that counts shared memory several times (VmRSS).
    SumResident,
}

/// What a process and all its living descendants have used up to a moment.
///
/// Descendants that were adopted by somebody outside the tree are not seen, nor is the time of children that nobody
/// waited for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeUsage {
    /// Processor time of all threads, ended ones and reaped children included.
    pub cpu_ns: u64,
    /// Memory, as `memory_method` says.
    pub memory_bytes: u64,
    /// How memory was measured.
    pub memory_method: MemoryMethod,
    /// Bytes that the processes, and children they waited for, caused to be written to storage, counted when the page
    /// is dirtied (`write_bytes` of proc_pid_io(5)); `None` where this may not be read.
    pub written_bytes: Option<u64>,
    /// Living processes.
    pub processes: u32,
    /// Their threads.
    pub threads: u32,
}

/// What was used between two looks at the same tree.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeUsageDelta {
    /// Processor time used meanwhile.
    pub cpu_ns: u64,
    /// Memory at the later look.
    pub memory_bytes: u64,
    /// How it was measured.
    pub memory_method: MemoryMethod,
    /// Bytes written meanwhile; `None` where one look could not tell.
    pub written_bytes: Option<u64>,
}

impl TreeUsage {
    /// What was used since an `earlier` look. Zero, never negative, where an adopted descendant took its part along.
    pub fn since(&self, earlier: &TreeUsage) -> TreeUsageDelta {
        TreeUsageDelta {
            cpu_ns: self.cpu_ns.saturating_sub(earlier.cpu_ns),
            memory_bytes: self.memory_bytes,
            memory_method: self.memory_method,
            written_bytes: self
                .written_bytes
                .zip(earlier.written_bytes)
                .map(|(later, earlier)| later.saturating_sub(earlier)),
        }
    }
}

/// Why nothing can be said about a tree.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The process has ended.
    #[error("process {pid} has ended; look at it before it is stopped")]
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

/// Measures the tree of `pid`.
pub fn usage(pid: u32) -> Result<TreeUsage, UsageError> {
    let tree = descendants(pid);
    if tree.is_empty() {
        return Err(UsageError::Gone { pid });
    }
    let (memory_bytes, memory_method) = memory(&tree);
    Ok(TreeUsage {
        cpu_ns: tree.iter().map(cpu_ns).sum(),
        memory_bytes,
        memory_method,
        written_bytes: tree.iter().map(|stat| written_bytes(stat.id.pid)).sum(),
        processes: tree.len() as u32,
        threads: tree.iter().map(|stat| stat.threads).sum(),
    })
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

/// The processor clock of the process, with reaped children.
///
/// The clock counts nanoseconds of the whole thread group, ended threads included; the sum over
/// /proc/PID/task/*/schedstat forgets those, and utime + stime know only ticks of 10 ms. Reaped children are kept by
/// the kernel in ticks only.
fn cpu_ns(stat: &Stat) -> u64 {
    let tick_ns = 1_000_000_000 / ticks_per_second();
    process_clock_ns(stat.id.pid).unwrap_or(stat.own_ticks * tick_ns) + stat.reaped_ticks * tick_ns
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

    fn sample(cpu_ns: u64, written_bytes: Option<u64>) -> TreeUsage {
        let memory_method = MemoryMethod::PeakResident;
        TreeUsage { cpu_ns, memory_bytes: 7, memory_method, written_bytes, processes: 1, threads: 1 }
    }

    #[test]
    fn a_difference_is_never_negative_and_knows_what_it_does_not_know() {
        let delta = sample(50, Some(10)).since(&sample(20, Some(4)));
        assert_eq!((delta.cpu_ns, delta.memory_bytes, delta.written_bytes), (30, 7, Some(6)));
        assert_eq!(sample(10, None).since(&sample(20, Some(4))).cpu_ns, 0);
        assert_eq!(sample(10, None).since(&sample(20, Some(4))).written_bytes, None);
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
        assert!(after.since(&before).cpu_ns >= 30_000_000);
        assert!(after.memory_bytes > 0 && after.threads >= 1);
    }
}
