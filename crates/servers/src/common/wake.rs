//! Waiting for a time in microseconds: the libraries that wait for sockets count in whole milliseconds.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Whether a wait is one that is counted in less than milliseconds: those of an open loop are.
pub(crate) fn is_short(wait: Duration) -> bool {
    !wait.subsec_nanos().is_multiple_of(1_000_000)
}

fn timespec(wait: Duration) -> Timespec {
    Timespec { tv_sec: wait.as_secs() as i64, tv_nsec: i64::from(wait.subsec_nanos()) }
}

/// Waits until something comes, at most so long. `events` is readable where something has come.
pub(crate) fn wait_for(events: impl AsFd, wait: Duration) {
    // Whoever is interrupted looks again.
    let _ = poll(&mut [PollFd::new(&events, PollFlags::IN)], Some(&timespec(wait)));
}

/// An alarm of the system's in a runtime.
pub(crate) struct Alarm(AsyncFd<OwnedFd>);

impl Alarm {
    /// An alarm in the runtime that is entered.
    pub(crate) fn new() -> io::Result<Alarm> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        // SAFETY: the timer is owned by the registration, so its descriptor is open for as long as that lives.
        Ok(Alarm(unsafe { AsyncFd::register_with_interest(timer, Interest::READABLE) }?))
    }

    /// Ends after so long, or at once where there is no alarm.
    pub(crate) async fn after(&self, wait: Duration) -> io::Result<()> {
        let never = Timespec { tv_sec: 0, tv_nsec: 0 };
        let once = Itimerspec { it_interval: never, it_value: timespec(wait) };
        timerfd_settime(self.0.get_ref(), TimerfdTimerFlags::empty(), &once)?;
        loop {
            let mut ready = self.0.readable().await?;
            let read = ready.try_io(|timer| Ok(rustix::io::read(timer.get_ref(), &mut [0; 8])?));
            // What was ready of an alarm before is not this one.
            if matches!(read, Ok(Ok(_))) {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn an_alarm_ends_after_its_time_and_can_be_set_again() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let alarm = Alarm::new().expect("an alarm");
            for wait in [Duration::from_micros(300), Duration::from_nanos(1), Duration::from_micros(700)] {
                let start = Instant::now();
                alarm.after(wait).await.expect("its end");
                assert!(start.elapsed() >= wait);
            }
        });
    }

    #[test]
    fn what_is_counted_in_milliseconds_is_left_to_the_libraries() {
        let of = |ns: u64| is_short(Duration::from_nanos(ns));
        assert_eq!([of(0), of(5_000_000), of(5_000_001), of(1)], [false, false, true, true]);
    }
}
