//! A service that stands still for a while, as where its machine stalls, or its garbage is collected; or for good.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::proc::{self, ProcessId};

/// How often an interrupt is looked for.
const LOOK: Duration = Duration::from_millis(10);

/// Those that were stopped; they go on whatever happens here.
struct Stopped(Vec<ProcessId>);

impl Drop for Stopped {
    fn drop(&mut self) {
        // Who is gone meanwhile needs no signal.
        self.0.iter().for_each(|id| drop(id.send(Signal::CONT)));
    }
}

/// Stops process `pid` and all its descendants for `time`, at most until `interrupt` is set.
///
/// # Errors
/// Where a signal cannot be sent; those that were stopped go on then.
pub fn pause(pid: u32, time: Duration, interrupt: &AtomicBool) -> io::Result<()> {
    let begun = Instant::now();
    let mut stopped = Stopped(Vec::new());
    for process in proc::descendants(pid) {
        process.id.send(Signal::STOP)?;
        stopped.0.push(process.id);
    }
    while let Some(left) = time.checked_sub(begun.elapsed()).filter(|left| !left.is_zero()) {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        std::thread::sleep(left.min(LOOK));
    }
    Ok(())
}

/// Kills process `pid` and all its descendants and waits for none: one that is within a request to a disk ends only when
/// that was answered.
pub fn send_kill(pid: u32) {
    // Who is gone already needs no signal.
    proc::descendants(pid).iter().for_each(|process| drop(process.id.send(Signal::KILL)));
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_and_its_children_stand_still_and_go_on() {
        // The shell and its child both count with the clock; the child's parent waits for it.
        let script = "sh -c 'while :; do echo x; sleep 0.01; done'; :";
        let mut shell = Command::new("sh").args(["-c", script]).stdout(Stdio::null()).spawn().expect("a shell");
        std::thread::sleep(Duration::from_millis(50));
        let states = |pid: u32| -> Vec<char> { proc::descendants(pid).iter().map(|process| process.state).collect() };
        assert!(states(shell.id()).len() >= 2);
        let pid = shell.id();
        let (begun, never) = (Instant::now(), AtomicBool::new(false));
        let seen = std::thread::scope(|scope| {
            let paused = scope.spawn(|| pause(pid, Duration::from_millis(300), &never));
            std::thread::sleep(Duration::from_millis(150));
            let seen = states(pid);
            paused.join().expect("no panic").expect("signals");
            seen
        });
        assert!(seen.iter().all(|state| *state == 'T'), "{seen:?}");
        assert!(begun.elapsed() >= Duration::from_millis(300));
        assert!(states(pid).iter().all(|state| *state != 'T'));
        let now = Instant::now();
        pause(pid, Duration::from_secs(60), &AtomicBool::new(true)).expect("signals");
        assert!(now.elapsed() < Duration::from_secs(30), "an interrupt ends it");
        proc::descendants(pid).iter().for_each(|process| drop(process.id.send(Signal::KILL)));
        shell.wait().expect("its end");
    }
}
