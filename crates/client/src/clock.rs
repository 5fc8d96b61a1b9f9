//! The one clock of all measurements.

/// Now, in ns of CLOCK_MONOTONIC: comparable between all processes of a machine.
#[inline(always)]
pub fn now_ns() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid timespec for the kernel to fill; the clock exists on every Linux,
    // so the call cannot fail and its status need not be looked at.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
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
