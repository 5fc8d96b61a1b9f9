//! Planned starts for a child: each is written to its descriptor 4 when its time has come.
//!
//! The pipe is the queue of the open loop. A worker that is free reads the next start from it, and waits in that read
//! until there is one. So a client needs no timer and no queue of its own, in whatever language. What nobody has read at
//! the end is read back here: it was left open.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{ErrorKind, PipeReader, PipeWriter, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::ioctl_fionread;

use super::child::protocol_error;
use super::stream;
use crate::adapter::StoreError;
use crate::clock::system_ns;
use crate::planned::{OpenLoopPlan, Part, wake_in_time};

/// Bytes of a start.
const START_BYTES: usize = 8;
/// What ends a part of a phase for the worker that reads it.
const END: [u8; START_BYTES] = [0; START_BYTES];
/// The longest sleep before it is looked at whether the part is given up.
const NAP: Duration = Duration::from_millis(5);

/// The pipe of a child's planned starts.
#[derive(Clone)]
pub(super) struct Starts(Arc<Ends>);

struct Ends {
    to: PipeWriter,
    /// The reading end once more, which does not wait.
    back: File,
}

impl Starts {
    /// The pipe, and the child's end of it.
    pub(super) fn open() -> Result<(Starts, PipeReader), StoreError> {
        let (end, to) = stream::pipe(1)?;
        stream::without_waiting(&to)?;
        let failed = |error: rustix::io::Errno| StoreError::Store(format!("cannot make a pipe for starts: {error}"));
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let back = open(stream::path(&end), flags, Mode::empty()).map_err(failed)?;
        Ok((Starts(Arc::new(Ends { to, back: back.into() })), end))
    }

    /// Begins to give out the starts of a part to so many workers.
    pub(super) fn give(&self, plan: &Arc<OpenLoopPlan>, part: Part, workers: usize) -> StartGiver {
        let (is_given_up, starts, plan) = (Arc::new(AtomicBool::new(false)), self.clone(), plan.clone());
        let told = is_given_up.clone();
        let thread = thread::spawn(move || Giving { starts: &starts, is_given_up: &told }.all(&plan, part, workers));
        StartGiver { starts: self.clone(), is_given_up, thread: Some(thread) }
    }

    /// Starts that nobody has read yet.
    fn waiting(&self) -> usize {
        ioctl_fionread(&self.0.back).unwrap_or(0) as usize / START_BYTES
    }

    /// Takes what nobody has read out of the pipe again.
    fn read_back(&self, mut take: impl FnMut(u64)) {
        let mut start = [0; START_BYTES];
        while let Ok(START_BYTES) = (&self.0.back).read(&mut start) {
            take(u64::from_le_bytes(start));
        }
    }

    /// Writes a start, or an end; whether there was room for it.
    fn write(&self, start: [u8; START_BYTES]) -> std::io::Result<bool> {
        loop {
            match (&self.0.to).write(&start) {
                Ok(_) => return Ok(true),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

/// Gives out the starts of one part of a phase, in a thread of its own; given up when dropped.
pub(super) struct StartGiver {
    starts: Starts,
    is_given_up: Arc<AtomicBool>,
    thread: Option<JoinHandle<std::io::Result<bool>>>,
}

impl StartGiver {
    /// Ends it, where it has not ended; whether the time of the part was over.
    pub(super) fn end(mut self) -> Result<bool, StoreError> {
        match self.stop() {
            Some(Ok(Ok(is_over))) => Ok(is_over),
            Some(Ok(Err(error))) => Err(protocol_error(&format!("descriptor 4 cannot be written: {error}"))),
            _ => Err(StoreError::Store("the thread that gives out planned starts has failed".into())),
        }
    }

    fn stop(&mut self) -> Option<thread::Result<std::io::Result<bool>>> {
        self.is_given_up.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        // Ends that workers did not wait for.
        self.starts.read_back(|_| ());
        ended
    }
}

impl Drop for StartGiver {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A part whose starts are given out.
struct Giving<'a> {
    starts: &'a Starts,
    is_given_up: &'a AtomicBool,
}

impl Giving<'_> {
    /// Gives all of them out, each at its time; whether the time of the part was over.
    fn all(&self, plan: &OpenLoopPlan, part: Part, workers: usize) -> std::io::Result<bool> {
        wake_in_time();
        let planned = plan.part(part);
        if part == Part::Warmup {
            self.wait_until_asked()?;
        }
        let begun_ns = planned.begin(system_ns());
        // Nobody sees whether a worker waits for the next: one at least may stand in the pipe.
        let most_waiting = planned.most_waiting().max(1);
        let (mut full, mut dropped, mut next) = (VecDeque::new(), 0, 0);
        for offset_ns in planned.offsets() {
            if !self.wait_until(begun_ns + offset_ns) {
                break;
            }
            if most_waiting < usize::MAX && self.starts.waiting() + full.len() >= most_waiting {
                dropped += 1;
            } else {
                full.push_back(begun_ns + offset_ns);
            }
            while let Some(start_ns) = full.front()
                && self.starts.write(start_ns.to_le_bytes())?
            {
                full.pop_front();
            }
            next += 1;
        }
        let is_over = self.wait_until(begun_ns + planned.lasts_ns());
        let mut open = Vec::new();
        // What a warm-up began with is none of the plan.
        self.starts.read_back(|start_ns| open.extend(start_ns.checked_sub(begun_ns)));
        open.extend(full.iter().map(|start_ns| start_ns - begun_ns));
        planned.settle(next, &open, dropped);
        (0..workers).try_for_each(|_| self.starts.write(END).map(drop))?;
        Ok(is_over)
    }

    /// A warm-up begins when the child has taken its first start: it may have to connect before.
    fn wait_until_asked(&self) -> std::io::Result<()> {
        self.starts.write(system_ns().to_le_bytes())?;
        while self.starts.waiting() > 0 && !self.is_given_up.load(Ordering::Relaxed) {
            thread::sleep(NAP);
        }
        Ok(())
    }

    /// Sleeps; false where the part was given up before.
    fn wait_until(&self, at_ns: u64) -> bool {
        loop {
            if self.is_given_up.load(Ordering::Relaxed) {
                return false;
            }
            match at_ns.saturating_sub(system_ns()) {
                0 => return true,
                left_ns => thread::sleep(Duration::from_nanos(left_ns).min(NAP)),
            }
        }
    }
}
