//! The time stamp counter of x86-64.

use std::arch::x86_64::{__cpuid, __rdtscp, _rdtsc};
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::{Tie, system_ns};

/// So long the counter is watched before it is used. A pair of readings is right within some 50 ns, so its pace is
/// known within 3 in a million then, and better later in the life of the process.
const WATCHED_NS: u64 = 20_000_000;
/// Pairs of readings of which the closest is taken.
const PAIRS: usize = 16;

/// Now, perhaps before the instructions in front of it are done.
#[inline(always)]
pub(super) fn ticks() -> u64 {
    // SAFETY: every x86-64 has it.
    unsafe { _rdtsc() }
}

/// Now, when the instructions before it are done.
#[inline(always)]
pub(super) fn ticks_after() -> u64 {
    let mut processor = 0;
    // SAFETY: nobody calls it before `is_steady` saw that this processor has it.
    unsafe { __rdtscp(&mut processor) }
}

/// The counter and the system's clock at one instant.
#[derive(Clone, Copy)]
struct Pair {
    ticks: u64,
    ns: u64,
}

impl Pair {
    /// The closest of some: a thread may be taken off its processor between two readings.
    fn read() -> Pair {
        let one = || {
            let (before, ns, after) = (ticks_after(), system_ns(), ticks_after());
            (after.wrapping_sub(before), Pair { ticks: before.wrapping_add(after.wrapping_sub(before) / 2), ns })
        };
        (1..PAIRS).map(|_| one()).fold(one(), |closest, next| if next.0 < closest.0 { next } else { closest }).1
    }
}

/// Whether the counter runs at one pace in all states of all processors, as the processor says (CPUID 8000_0007h, EDX
/// bit 8: AMD APM vol. 3 and Intel SDM vol. 2A) and as the kernel does by making it its own clock.
fn is_steady() -> bool {
    const RDTSCP: u32 = 1 << 27;
    const INVARIANT: u32 = 1 << 8;
    if __cpuid(0x8000_0000).eax < 0x8000_0007 {
        return false;
    }
    if __cpuid(0x8000_0001).edx & RDTSCP == 0 || __cpuid(0x8000_0007).edx & INVARIANT == 0 {
        return false;
    }
    let source = std::fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
    matches!(source.as_deref().map(str::trim), Ok("tsc" | "kvm-clock"))
}

/// As [`super::tie`].
pub(super) fn tie(tie: &Tie) {
    static FIRST: OnceLock<Option<Pair>> = OnceLock::new();
    let Some(first) = FIRST.get_or_init(|| is_steady().then(Pair::read)) else { return };
    let watched = system_ns().saturating_sub(first.ns);
    std::thread::sleep(Duration::from_nanos(WATCHED_NS.saturating_sub(watched)));
    let now = Pair::read();
    let (ns, ticks) = (u128::from(now.ns - first.ns), u128::from(now.ticks.wrapping_sub(first.ticks)));
    let Some(scale) = (ns << 32).checked_div(ticks) else { return };
    tie.base_ticks.store(now.ticks, Ordering::Relaxed);
    tie.base_ns.store(now.ns, Ordering::Relaxed);
    tie.scale.store(scale as u64, Ordering::Relaxed);
}
