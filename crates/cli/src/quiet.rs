//! Whether the machine is quiet enough to measure: looked at before a run begins.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_machine::ProcessorTimes;

use crate::tell::tell;

/// What others may use of the processors before a run begins.
const MOST_BUSY: f64 = 0.10;
/// One look at the processors; the system counts in hundredths of a second.
const LOOK: Duration = Duration::from_millis(300);
/// So long it is waited for others to end.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits a while where other programs keep the processors busy, and says so; then goes on, whatever they do, since the report
/// tells it too. Returns at once where the system does not tell, or the user interrupts.
pub fn wait(interrupt: &AtomicBool) {
    let Some(first) = look(interrupt).filter(|share| *share > MOST_BUSY) else { return };
    tell(&format!(
        "kurabe: other programs use {:.0} % of the processors, so that nothing could be decided: waiting up to {} s for quiet \
         (--anyway begins at once)",
        first * 100.0,
        PATIENCE.as_secs()
    ));
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match look(interrupt) {
            Some(share) if share > MOST_BUSY => {}
            _ => return,
        }
    }
    tell("kurabe: they are still at work; it begins beside them, and nothing about time will be decided");
}

/// What all programs use of the processors for a moment; `None` where that cannot be told, or the user interrupts.
fn look(interrupt: &AtomicBool) -> Option<f64> {
    let before = ProcessorTimes::read()?;
    std::thread::sleep(LOOK);
    if interrupt.load(Ordering::Relaxed) {
        return None;
    }
    let used = ProcessorTimes::read()?.since(&before);
    (used.all_ns > 0).then(|| (used.busy_ns + used.steal_ns) as f64 / used.all_ns as f64)
}
