//! Think time: how long a connection of a closed loop waits after each answer before it asks again.

use std::thread;
use std::time::Duration;

use crate::clock::now_ns;
use crate::phase::PhaseContext;
use crate::worker::{Limit, Worker};

/// The longest sleep before abort is looked at again.
const NAP_NS: u64 = 5_000_000;

/// How long a worker waits before its first operation, in ns: the first ones of all connections are spread evenly over a
/// think time. Otherwise all would ask at once, think for as long, and ask at once again.
pub(crate) fn first_wait_ns(worker: &Worker<'_>, think_ns: u64) -> u64 {
    let share = u128::from(think_ns) * u128::from(worker.index) / u128::from(worker.context.phase.connections.max(1));
    u64::try_from(share).unwrap_or(think_ns)
}

/// Sleeps until `asks_ns`, the end of the phase, or an abort; returns the time then.
pub(crate) fn until(asks_ns: u64, context: &PhaseContext<'_>, limit: Limit) -> u64 {
    let wakes_ns = asks_ns.min(limit.deadline_ns);
    loop {
        let now = now_ns();
        if now >= wakes_ns || context.aborted(now) {
            return now;
        }
        thread::sleep(Duration::from_nanos((wakes_ns - now).min(NAP_NS)));
    }
}
