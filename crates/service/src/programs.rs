//! Which program of somebody else keeps the processors busy.
//!
//! The system counts the time of all processes together, so that others used much is known without this. Here they are named:
//! a look before and one after tell who used most in between. A program that started and ended in between is seen in the time
//! of its parent, such as `make` for compilers. Threads of the kernel are nobody's programs: what they do may be a part of
//! ours, such as the output to a terminal.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use crate::guardian::RUN_VARIABLE;
use crate::proc::{ProcessId, Stat, has_environment_entry, snapshot, tick_ns};

/// With less of a processor than this nobody disturbs.
const LEAST_CORES: f64 = 0.02;
/// It waits for the children of others, whose time says nothing about itself.
const INIT: u32 = 1;

/// Processor times of all processes at a moment.
#[derive(Debug)]
pub struct Programs {
    seen: BTreeMap<ProcessId, ProcessSample>,
    at: Instant,
}

/// A process as it was seen.
#[derive(Clone, Copy, Debug)]
struct ProcessSample {
    ticks: u64,
    parent: u32,
}

/// A program that used much of the processors.
#[derive(Clone, Debug, PartialEq)]
pub struct BusyProgram {
    /// Its name, at most 15 letters of it.
    pub name: String,
    /// Number of its process.
    pub pid: u32,
    /// Processors that it kept busy, such as 0.9.
    pub cores: f64,
}

impl Programs {
    /// All of them now.
    pub fn look() -> Programs {
        Programs {
            seen: snapshot().iter().map(|stat| (stat.id, ProcessSample::of(stat))).collect(),
            at: Instant::now(),
        }
    }

    /// The program that used most since then and is no part of the run `run_id`; `None` where none used anything to speak of.
    pub fn busiest_since(&self, run_id: &str) -> Option<BusyProgram> {
        let seconds = self.at.elapsed().as_secs_f64();
        let now: Vec<Stat> = snapshot().into_iter().filter(|stat| !stat.is_kernel).collect();
        let earlier = self.ticks_before(&now);
        let used = |stat: &Stat| {
            (ProcessSample::of(stat).ticks.saturating_sub(earlier.get(&stat.id.pid).copied().unwrap_or(0)), stat.id)
        };
        let mut all: Vec<(u64, ProcessId)> = now.iter().map(used).filter(|(ticks, _)| *ticks > 0).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let is_ours = format!("{RUN_VARIABLE}={run_id}");
        let is_other =
            |id: &ProcessId| id.pid != std::process::id() && !has_environment_entry(id.pid, is_ours.as_bytes());
        all.into_iter().find_map(|(ticks, id)| {
            let cores = (ticks * tick_ns()) as f64 / 1e9 / seconds;
            let name = fs::read_to_string(format!("/proc/{}/comm", id.pid)).ok()?;
            (cores >= LEAST_CORES && is_other(&id)).then(|| BusyProgram {
                name: name.trim().into(),
                pid: id.pid,
                cores,
            })
        })
    }

    /// Processor time of the kernel's own threads since then, in ns.
    pub fn kernel_ns_since(&self) -> u64 {
        let before = |stat: &Stat| self.seen.get(&stat.id).map_or(0, |seen| seen.ticks);
        let kernel = snapshot().into_iter().filter(|stat| stat.is_kernel);
        let ticks: u64 = kernel.map(|stat| ProcessSample::of(&stat).ticks.saturating_sub(before(&stat))).sum();
        ticks * tick_ns()
    }

    /// What each living process had used before, together with those of its descendants that ended since: their whole time is
    /// their parent's when it waits for them.
    fn ticks_before(&self, now: &[Stat]) -> BTreeMap<u32, u64> {
        let is_alive = |id: &ProcessId| now.iter().any(|stat| stat.id == *id);
        let by_pid: BTreeMap<u32, (ProcessId, ProcessSample)> =
            self.seen.iter().map(|(id, seen)| (id.pid, (*id, *seen))).collect();
        let mut before: BTreeMap<u32, u64> = BTreeMap::new();
        for (id, seen) in &self.seen {
            let mut heir = (*id, *seen);
            // A number that was used again could make a ring of parents.
            for _ in 0..by_pid.len() {
                match by_pid.get(&heir.1.parent).filter(|_| !is_alive(&heir.0)) {
                    Some(parent) => heir = *parent,
                    None => break,
                }
            }
            let ticks = before.entry(heir.0.pid).or_default();
            *ticks = ticks.saturating_add(seen.ticks);
        }
        before
    }
}

impl ProcessSample {
    fn of(stat: &Stat) -> ProcessSample {
        let reaped = if stat.id.pid == INIT { 0 } else { stat.reaped_ticks };
        ProcessSample { ticks: stat.own_ticks.saturating_add(reaped), parent: stat.parent }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    /// A program of that name that keeps a processor busy until it is dropped.
    struct Busy(Child);

    impl Busy {
        fn start(run_id: &str) -> Busy {
            let mut command = Command::new("sh");
            Busy(command.args(["-c", "while :; do :; done"]).env(RUN_VARIABLE, run_id).spawn().expect("a shell"))
        }
    }

    impl Drop for Busy {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    /// The ticks of a process as they come to so many.
    fn await_ticks(pid: u32, least: u64) {
        while Stat::read(pid).is_some_and(|stat| stat.own_ticks < least) {
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_busy_program_is_named_unless_it_is_part_of_the_run() {
        let before = Programs::look();
        let busy = Busy::start("another-run");
        await_ticks(busy.0.id(), 30);
        let after = |run_id: &str| {
            // Others may be busier still on this machine: all that are as busy are looked at.
            let only = Programs { seen: without(busy.0.id()), at: before.at };
            only.busiest_since(run_id).map(|one| one.pid)
        };
        assert_eq!(after("this-run"), Some(busy.0.id()));
        assert_ne!(after("another-run"), Some(busy.0.id()));
    }

    /// Times of all processes but one, as they will be when they have used nothing more.
    fn without(pid: u32) -> BTreeMap<ProcessId, ProcessSample> {
        let others = snapshot().into_iter().filter(|stat| stat.id.pid != pid);
        others.map(|stat| (stat.id, ProcessSample { ticks: u64::MAX, parent: INIT })).collect()
    }

    fn stat(pid: u32, parent: u32) -> Stat {
        Stat {
            id: ProcessId { pid, start_time: 1 },
            state: 'S',
            parent,
            group: 1,
            session: 1,
            own_ticks: 0,
            reaped_ticks: 0,
            threads: 1,
            is_kernel: false,
        }
    }

    #[test]
    fn what_children_used_before_is_not_their_parents_use_when_they_end() {
        // A build with a compiler in a shell, both of which end.
        let before = [Stat { own_ticks: 5, ..stat(10, 2) }, stat(11, 10), Stat { own_ticks: 700, ..stat(12, 11) }];
        let seen = before.iter().map(|stat| (stat.id, ProcessSample::of(stat))).collect();
        let programs = Programs { seen, at: Instant::now() };
        let now = [Stat { own_ticks: 6, reaped_ticks: 720, ..stat(10, 2) }];
        assert_eq!(programs.ticks_before(&now), BTreeMap::from([(10, 705)]));
    }
}
