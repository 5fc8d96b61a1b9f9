//! The one clock of all measurements: CLOCK_MONOTONIC, read from the processor's counter where the kernel trusts it.
//!
//! A system clock call waits for everything before it, reads behind a lock of the kernel and then computes. For a store
//! in memory that is a large part of a read. So a stamp is a reading of the counter. Once a phase, [`tie`] aligns the
//! counter with the system's clock. Its pace is then known within a few in a million.
//!
//! The stamp at the end of an operation waits for everything before it. The stamp at the start does not wait, so it can
//! only be early. A latency may be a few ns too long and is never too short.
//!
//! The alternative, CLOCK_MONOTONIC for every stamp, is slower, as `make bench` shows. It stays in use where the kernel
//! itself does not trust the counter. docs/decisions/0002-check-outside-the-clock.md has the figures.

use std::sync::atomic::{AtomicU64, Ordering};

#[cfg(target_arch = "x86_64")]
mod counter;

/// How the counter's ticks become ns: `base_ns + (ticks - base_ticks) * scale / 2^32`. A scale of 0: there is none.
struct Tie {
    base_ticks: AtomicU64,
    base_ns: AtomicU64,
    scale: AtomicU64,
}

static TIE: Tie = Tie { base_ticks: AtomicU64::new(0), base_ns: AtomicU64::new(0), scale: AtomicU64::new(0) };

impl Tie {
    /// Whoever ties does so while no worker is there: their threads are begun afterwards.
    #[inline(always)]
    fn is_there(&self) -> bool {
        self.scale.load(Ordering::Relaxed) != 0
    }

    /// The instant of a tick; a tick is a ns of the system's where there is no tie.
    #[inline(always)]
    fn ns(&self, ticks: u64) -> u64 {
        if !self.is_there() {
            return ticks;
        }
        let since = ticks.wrapping_sub(self.base_ticks.load(Ordering::Relaxed));
        self.base_ns.load(Ordering::Relaxed) + self.span_ns(since)
    }

    /// So many ticks in ns.
    #[inline(always)]
    fn span_ns(&self, ticks: u64) -> u64 {
        let scale = self.scale.load(Ordering::Relaxed);
        if scale == 0 { ticks } else { scaled(ticks, scale) }
    }

    /// The first tick that is not before an instant.
    #[inline(always)]
    fn ticks(&self, ns: u64) -> u64 {
        let scale = self.scale.load(Ordering::Relaxed);
        if scale == 0 {
            return ns;
        }
        let since = u128::from(ns.saturating_sub(self.base_ns.load(Ordering::Relaxed))) << 32;
        let ticks = since.div_ceil(u128::from(scale)) + u128::from(self.base_ticks.load(Ordering::Relaxed));
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

#[inline(always)]
fn scaled(ticks: u64, scale: u64) -> u64 {
    ((u128::from(ticks) * u128::from(scale)) >> 32) as u64
}

/// Now, in ns of CLOCK_MONOTONIC, when everything before it is done: comparable between all processes of a machine.
#[inline(always)]
pub fn now_ns() -> u64 {
    Stamp::end().ns()
}

/// The start of what follows. The processor may take it a little before the instructions in front of it are done, which
/// makes what is measured longer, never shorter.
#[inline(always)]
pub fn start_ns() -> u64 {
    Stamp::start().ns()
}

/// A stamp as it was read: ticks of the counter, or ns where every stamp is the system's. What it means in ns can be
/// reckoned later, when nobody measures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

impl Stamp {
    /// As [`start_ns`].
    #[inline(always)]
    pub fn start() -> Stamp {
        #[cfg(target_arch = "x86_64")]
        if TIE.is_there() {
            return Stamp(counter::ticks());
        }
        Stamp(system_ns())
    }

    /// As [`now_ns`].
    #[inline(always)]
    pub fn end() -> Stamp {
        #[cfg(target_arch = "x86_64")]
        if TIE.is_there() {
            return Stamp(counter::ticks_after());
        }
        Stamp(system_ns())
    }

    /// The stamp of an instant, which may be one to come.
    #[inline(always)]
    pub fn of(ns: u64) -> Stamp {
        Stamp(if ns == u64::MAX { ns } else { TIE.ticks(ns) })
    }

    /// In ns of CLOCK_MONOTONIC.
    #[inline(always)]
    pub fn ns(self) -> u64 {
        TIE.ns(self.0)
    }

    /// ns from `start` to this stamp; 0 where it lies before it.
    #[inline(always)]
    pub fn since_ns(self, start: Stamp) -> u64 {
        TIE.span_ns(self.0.saturating_sub(start.0))
    }
}

/// Now, in ns of CLOCK_MONOTONIC, from the system.
pub fn system_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the kernel to fill; the clock exists on every Linux,
    // so the call cannot fail and its status need not be looked at.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Ties the counter to the system's clock, where it is steady; to be called before each phase, while nobody measures.
/// The first time in a process it takes 20 ms.
pub fn tie() {
    #[cfg(target_arch = "x86_64")]
    counter::tie(&TIE);
}

/// Processor time of this process so far: user and kernel, in ns.
pub fn process_cpu_ns() -> (u64, u64) {
    // SAFETY: rusage is plain old data, all zeros is a valid value, and getrusage fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1_000;
    (ns(usage.ru_utime), ns(usage.ru_stime))
}

/// Processor time of another process so far, as [`process_cpu_ns`], to a tick of the system's (proc_pid_stat(5));
/// `None` where it has ended.
pub fn cpu_ns_of(pid: u32) -> Option<(u64, u64)> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_ascii_whitespace().skip(11).map_while(|field| field.parse::<u64>().ok());
    let ns = |ticks: u64| ticks * 1_000_000_000 / rustix::param::clock_ticks_per_second();
    Some((ns(ticks.next()?), ns(ticks.next()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_scaled_without_overflow() {
        let half = 1 << 31;
        assert_eq!((scaled(0, half), scaled(7, half), scaled(u64::MAX, half)), (0, 3, u64::MAX / 2));
    }

    #[test]
    fn stamps_lie_between_the_systems() {
        tie();
        let first = system_ns();
        // 10 in a million of the time since the tie, and a microsecond for the tie itself.
        let slack = |ns: u64| 1_000 + (ns - TIE.base_ns.load(Ordering::Relaxed).min(ns)) / 100_000;
        for _ in 0..1_000 {
            let (before, stamp, after) = (system_ns(), now_ns(), system_ns());
            assert!(stamp + slack(after) >= before && stamp <= after + slack(after), "{before} {stamp} {after}");
            let (before, stamp, after) = (system_ns(), start_ns(), system_ns());
            assert!(stamp + slack(after) >= before && stamp <= after + slack(after), "{before} {stamp} {after}");
        }
        assert!(now_ns() + slack(first) >= first);
    }
}
