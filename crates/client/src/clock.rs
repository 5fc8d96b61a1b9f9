//! The one clock of all measurements: CLOCK_MONOTONIC, taken from the processor's counter where that is steady.
//!
//! The system's way to its clock waits for everything before it, reads behind a lock of the kernel's and then computes:
//! for a store that answers from memory that is much of a read. So stamps are readings of the counter, and once a phase
//! the counter is tied to the system's clock ([`tie`]). Where the kernel does not trust the counter, nor do we, and
//! every stamp is the system's.

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
    /// The instant of a tick, or the system's where there is no tie.
    #[inline(always)]
    fn ns(&self, ticks: impl FnOnce() -> u64) -> u64 {
        // Whoever ties does so while no worker is there: their threads are begun afterwards.
        let scale = self.scale.load(Ordering::Relaxed);
        if scale == 0 {
            return system_ns();
        }
        let since = ticks().wrapping_sub(self.base_ticks.load(Ordering::Relaxed));
        self.base_ns.load(Ordering::Relaxed) + scaled(since, scale)
    }
}

#[inline(always)]
fn scaled(ticks: u64, scale: u64) -> u64 {
    ((u128::from(ticks) * u128::from(scale)) >> 32) as u64
}

/// Now, in ns of CLOCK_MONOTONIC, when everything before it is done: comparable between all processes of a machine.
#[inline(always)]
pub fn now_ns() -> u64 {
    #[cfg(target_arch = "x86_64")]
    return TIE.ns(counter::ticks_after);
    #[cfg(not(target_arch = "x86_64"))]
    system_ns()
}

/// The start of what follows. The processor may take it a little before the instructions in front of it are done, which
/// makes what is measured longer, never shorter.
#[inline(always)]
pub fn start_ns() -> u64 {
    #[cfg(target_arch = "x86_64")]
    return TIE.ns(counter::ticks);
    #[cfg(not(target_arch = "x86_64"))]
    system_ns()
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
