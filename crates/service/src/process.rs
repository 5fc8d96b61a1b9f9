use std::io;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_messages::message;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use crate::Guardian;
use crate::family::{Family, KILL_LIMIT};
use crate::proc::{ProcessId, descendants};
use crate::shared_memory::{SharedMemory, SharedWatch, note, remove};

const SHORTEST_POLL: Duration = Duration::from_micros(200);
const LONGEST_POLL: Duration = Duration::from_millis(5);
/// How often a wait looks whether the user interrupts.
const LOOK: Duration = Duration::from_millis(100);
/// What is left of the time of grace once the user interrupts: enough for a server that is about to end.
const INTERRUPTED_GRACE: Duration = Duration::from_millis(500);

/// A running process that [`crate::spawn`] started. Dropped, it is killed with all its descendants.
#[derive(Debug)]
pub struct Process {
    child: Child,
    id: ProcessId,
    tag: String,
    guardian: Guardian,
}

/// What a wait that can be interrupted came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOutcome {
    /// The process ended.
    Ended(ExitStatus),
    /// The user interrupted.
    Interrupted,
    /// It still runs after the limit.
    TooLong,
}

/// What made a process end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// It had ended before it was asked to.
    Itself,
    /// The signal, within the time of grace.
    Signal,
    /// SIGKILL, after the time of grace.
    Kill,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// What made it end.
    pub by: EndedBy,
    /// Its exit status.
    pub status: ExitStatus,
    /// Descendants that were still there afterwards, and were killed.
    pub stragglers: usize,
}

/// Processes that could not be killed in time.
#[derive(Debug, thiserror::Error)]
#[error("{}", message!(service_survivors, pids = .pids.iter().map(u32::to_string).collect::<Vec<String>>()))]
pub struct Survivors {
    /// Their numbers.
    pub pids: Vec<u32>,
}

impl Process {
    pub(crate) fn new(child: Child, id: ProcessId, tag: String, guardian: Guardian) -> Process {
        Process { child, id, tag, guardian }
    }

    /// The process number.
    pub fn pid(&self) -> u32 {
        self.id.pid
    }

    /// Number and start time: a name that no later process can have.
    pub fn id(&self) -> ProcessId {
        self.id
    }

    /// The writing end of its input, once, where that is piped.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// The reading end of its output, once, where that is piped.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// The reading end of its error output, once, where that is piped.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// Its exit status, where it has ended.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Waits until it ends, at most `limit`; `None` where it still runs then.
    pub fn wait_timeout(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let deadline = Instant::now() + limit;
        let mut pause = SHORTEST_POLL;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(LONGEST_POLL);
        }
    }

    /// As [`Process::wait_timeout`], and returns the moment that it ends: the kernel tells, nothing is asked again and again.
    pub fn wait_promptly(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        if let Some(status) = self.child.try_wait()? {
            return Ok(Some(status));
        }
        // Its status was not fetched, so the number is its own.
        let pid = Pid::from_raw(self.id.pid as i32).ok_or(io::ErrorKind::InvalidInput)?;
        let watch = pidfd_open(pid, PidfdFlags::empty())?;
        let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: i64::from(limit.subsec_nanos()) };
        match poll(&mut [PollFd::new(&watch, PollFlags::IN)], Some(&limit)) {
            Ok(_) | Err(Errno::INTR) => self.child.try_wait(),
            Err(error) => Err(error.into()),
        }
    }

    /// Waits until it ends, at most `limit`, and no longer than until `interrupt` is set. Where it still runs, it is
    /// killed with the rest of its tree when it is dropped.
    pub fn wait_unless(&mut self, interrupt: &AtomicBool, limit: Duration) -> io::Result<WaitOutcome> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if let Some(status) = self.wait_timeout(LOOK.min(left))? {
                return Ok(WaitOutcome::Ended(status));
            }
            if interrupt.load(Ordering::Relaxed) {
                return Ok(WaitOutcome::Interrupted);
            }
            if Instant::now() >= deadline {
                return Ok(WaitOutcome::TooLong);
            }
        }
    }

    /// Sends a signal to the process alone; `false` where it has ended.
    pub fn signal(&self, signal: Signal) -> io::Result<bool> {
        self.id.send(signal)
    }

    /// Asks the process to end, waits up to `grace`, and then kills what is left of its tree.
    pub fn stop(&mut self, signal: Signal, grace: Duration) -> io::Result<Ended> {
        self.stop_unless(signal, grace, &AtomicBool::new(false))
    }

    /// As [`Process::stop`]; once `interrupt` is set, at most half a second of the time of grace is left.
    pub fn stop_unless(&mut self, signal: Signal, grace: Duration, interrupt: &AtomicBool) -> io::Result<Ended> {
        if let Some(status) = self.child.try_wait()? {
            let stragglers = self.kill_tree().map_err(io::Error::other)?;
            return Ok(Ended { by: EndedBy::Itself, status, stragglers });
        }
        // Looked up while the parent lives: afterwards nothing may lead to them.
        let mut family = self.family();
        family.alive();
        self.id.send(signal)?;
        let graceful = match self.wait_unless(interrupt, grace)? {
            WaitOutcome::Ended(status) => Some(status),
            WaitOutcome::Interrupted => self.wait_timeout(INTERRUPTED_GRACE.min(grace))?,
            WaitOutcome::TooLong => None,
        };
        let killed = kill(&mut family).map_err(io::Error::other)?;
        Ok(match graceful {
            Some(status) => Ended { by: EndedBy::Signal, status, stragglers: killed },
            None => Ended { by: EndedBy::Kill, status: self.child.wait()?, stragglers: killed.saturating_sub(1) },
        })
    }

    /// Kills the process and all its descendants, also those with a session of their own, and waits until none is
    /// left. Returns how many were killed.
    pub fn kill_tree(&mut self) -> Result<usize, Survivors> {
        let killed = kill(&mut self.family());
        self.end_group();
        // The process is dead now, so this only fetches its status; it may have been fetched before.
        let _ = self.child.wait();
        killed
    }

    /// Kills what can be killed without a look at /proc: without descriptors nobody is seen there, and the wait for the
    /// process would have no end.
    fn end_group(&mut self) {
        // The number is the process's own until its status was fetched, and that of its group too.
        if matches!(self.child.try_wait(), Ok(None)) {
            // Where there is no such group any more nothing is left to do.
            let _ = Pid::from_raw(self.id.pid as i32).map(|pid| kill_process_group(pid, Signal::KILL));
        }
    }

    /// What the process and its descendants share in memory now. The guardian is told of it, until
    /// [`Process::remove_shared`].
    pub(crate) fn watch_shared(&self) -> SharedMemory {
        let mut shared = SharedMemory::new();
        // First without a look at every process of the machine: it may be about to die.
        descendants(self.id.pid).iter().for_each(|stat| note(stat.id.pid, &mut shared));
        shared.extend(self.family().shared_memory());
        // A guardian that has ended is found out by whoever starts the next process.
        let _ = self.guardian.watch_shared(&shared);
        shared
    }

    /// Removes what ended processes have left of `shared`.
    pub(crate) fn remove_shared(&self, shared: &SharedMemory) {
        remove(shared);
        let _ = self.guardian.forget_shared(shared);
    }

    /// Looks for shared memory of a process that may die before it is looked at again, where it is time for that.
    pub(crate) fn look_for_shared(&self, watch: &mut SharedWatch) {
        if watch.is_due() {
            watch.found.extend(self.watch_shared());
        }
    }

    /// Ends what is left of a process that came to nothing, and removes what it shared.
    pub(crate) fn clear(&mut self, watch: &SharedWatch) {
        // Where one cannot be killed it is tried again when this value is dropped.
        let _ = self.kill_tree();
        self.remove_shared(&watch.found);
    }

    fn family(&self) -> Family {
        Family::new([self.id], &self.tag, None)
    }
}

fn kill(family: &mut Family) -> Result<usize, Survivors> {
    family.kill(KILL_LIMIT).map_err(|left| Survivors { pids: left.iter().map(|id| id.pid).collect() })
}

impl Drop for Process {
    fn drop(&mut self) {
        // Where it cannot be killed the guardian is not told, so that it tries again when Kurabe ends.
        if self.kill_tree().is_ok() {
            let _ = self.guardian.forget(self.id);
        }
    }
}
