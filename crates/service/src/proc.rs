//! Reading /proc: the columns are those of proc_pid_stat(5).

use std::fs;
use std::io;

use rustix::process::{Pid, PidfdFlags, Signal};

/// A process that cannot be confused with a later one of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProcessId {
    /// The process number.
    pub pid: u32,
    /// When it started, in clock ticks since boot (column 22 of /proc/PID/stat).
    pub start_time: u64,
}

impl ProcessId {
    /// Names the process that has this number now; `None` where there is none.
    pub fn of(pid: u32) -> Option<ProcessId> {
        Stat::read(pid).map(|stat| stat.id)
    }

    /// Whether this very process still runs; one that ended and waits to be reaped does not.
    pub fn is_alive(self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.id == self && !stat.is_dead())
    }

    /// Sends a signal to this very process; `false` where it is gone.
    pub(crate) fn send(self, signal: Signal) -> io::Result<bool> {
        let Some(pid) = Pid::from_raw(self.pid as i32) else { return Ok(false) };
        // The descriptor is taken before the start time is compared: between the two the number cannot change hands.
        let sent = match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
            Ok(fd) if self.is_alive() => rustix::process::pidfd_send_signal(fd, signal),
            Ok(_) | Err(rustix::io::Errno::SRCH) => return Ok(false),
            Err(rustix::io::Errno::NOSYS) if self.is_alive() => rustix::process::kill_process(pid, signal),
            Err(errno) => Err(errno),
        };
        match sent {
            Ok(()) => Ok(true),
            Err(rustix::io::Errno::SRCH) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// One line of /proc/PID/stat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stat {
    pub id: ProcessId,
    pub state: char,
    pub parent: u32,
    pub group: u32,
    pub session: u32,
    /// utime + stime: also of threads that ended.
    pub own_ticks: u64,
    /// cutime + cstime: children that were waited for.
    pub reaped_ticks: u64,
    pub threads: u32,
    /// A thread of the kernel's own (PF_KTHREAD in flags).
    pub is_kernel: bool,
}

/// PF_KTHREAD of include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

impl Stat {
    pub fn read(pid: u32) -> Option<Stat> {
        Stat::parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(pid: u32, text: &str) -> Option<Stat> {
        // The name in parentheses may itself hold blanks and parentheses.
        let columns: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |column: usize| columns.get(column - 3)?.parse::<u64>().ok();
        Some(Stat {
            id: ProcessId { pid, start_time: number(22)? },
            state: columns.first()?.chars().next()?,
            parent: number(4)? as u32,
            group: number(5)? as u32,
            session: number(6)? as u32,
            own_ticks: number(14)?.saturating_add(number(15)?),
            reaped_ticks: number(16)?.saturating_add(number(17)?),
            threads: number(20)? as u32,
            is_kernel: number(9)? & KERNEL_THREAD != 0,
        })
    }

    /// Ended, though perhaps not reaped. A main thread that ended before its siblings also shows as Z.
    pub fn is_dead(&self) -> bool {
        self.state == 'X' || (self.state == 'Z' && self.threads <= 1)
    }
}

/// All processes that can be seen now.
pub(crate) fn snapshot() -> Vec<Stat> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    entries.filter_map(|entry| Stat::read(entry.ok()?.file_name().to_str()?.parse().ok()?)).collect()
}

/// `pid` and all its descendants by parentage, those that ended and wait to be reaped too; empty where `pid` has ended.
pub(crate) fn tree(pid: u32) -> Vec<Stat> {
    let mut rest = snapshot();
    let Some(root) = rest.iter().position(|stat| stat.id.pid == pid && !stat.is_dead()) else { return Vec::new() };
    let mut tree = vec![rest.swap_remove(root)];
    let mut next = 0;
    while next < tree.len() {
        let parent = tree[next].id.pid;
        let (children, others): (Vec<Stat>, Vec<Stat>) = rest.into_iter().partition(|stat| stat.parent == parent);
        tree.extend(children);
        rest = others;
        next += 1;
    }
    tree
}

/// `pid` and all its living descendants by parentage; empty where `pid` is gone.
pub(crate) fn descendants(pid: u32) -> Vec<Stat> {
    tree(pid).into_iter().filter(|stat| !stat.is_dead()).collect()
}

/// Whether the environment that the process was started with holds exactly this `NAME=value`.
pub(crate) fn has_environment_entry(pid: u32, entry: &[u8]) -> bool {
    fs::read(format!("/proc/{pid}/environ"))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|found| found == entry))
}

/// A clock tick, the unit of times in /proc/PID/stat, in ns.
pub(crate) fn tick_ns() -> u64 {
    1_000_000_000 / rustix::param::clock_ticks_per_second()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LINE: &str = "77 (a) b (c) S 5 77 76 0 -1 4194560 100 0 1 0 7 3 20 1 20 0 4 0 123456 1000 200";

    #[test]
    fn columns_are_read_behind_a_name_full_of_parentheses() {
        let stat = Stat::parse(77, LINE).unwrap();
        assert_eq!(stat.id, ProcessId { pid: 77, start_time: 123_456 });
        assert_eq!((stat.state, stat.parent, stat.group, stat.session), ('S', 5, 77, 76));
        assert_eq!((stat.own_ticks, stat.reaped_ticks, stat.threads), (10, 21, 4));
        assert!(!stat.is_kernel);
        let worker = "9 (kworker/u8:0-events_unbound) I 2 0 0 0 -1 69238880 0 0 0 0 7 3 0 0 20 0 1 0 12 0 0";
        assert!(Stat::parse(9, worker).unwrap().is_kernel);
    }

    #[test]
    fn a_broken_line_is_no_process() {
        assert_eq!(Stat::parse(77, "77 (a) S 5"), None);
        assert_eq!(Stat::parse(77, ""), None);
    }

    proptest! {
        #[test]
        fn no_line_makes_the_reader_panic(line in "[0-9]{0,3} ?\\(?[a-z() ]{0,9}\\)?( ?[A-Z]| -?[0-9]{1,20}| \\PC){0,30}") {
            if let Some(stat) = Stat::parse(7, &line) {
                prop_assert_eq!(stat.id.pid, 7);
            }
        }
    }

    #[test]
    fn a_process_with_another_start_time_is_another_process() {
        let me = ProcessId::of(std::process::id()).unwrap();
        assert!(me.is_alive());
        let other = ProcessId { start_time: me.start_time + 1, ..me };
        assert!(!other.is_alive());
        assert!(!other.send(Signal::KILL).unwrap());
    }
}
