//! Other programs on the machine: waited for before a run begins and before a disturbed job is measured again.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kurabe_machine::{Busy, processors_wait};
use kurabe_messages::message;

use crate::options::{Observer, Options, OtherPrograms};

/// So long it is waited for others to end before a run begins.
const BEFORE_RUN: Duration = Duration::from_secs(30);
/// And before a job is measured again, ten times in a run of thirty jobs.
const BEFORE_AGAIN: Duration = Duration::from_secs(10);

/// Waits a while where other programs keep the processors busy, and says so; then goes on, whatever they do, since the report
/// tells it too.
pub(crate) fn wait_before_run(options: &Options, observer: &dyn Observer, interrupt: &AtomicBool) {
    if options.others == OtherPrograms::Borne {
        return;
    }
    let told = |busy: Busy| observer.warn(&message!(quiet_wait, share = busy.share, limit = BEFORE_RUN));
    if !processors_wait(BEFORE_RUN, interrupt, told).is_quiet {
        observer.warn(&message!(quiet_still_busy));
    }
}

/// Waits a while before a disturbed job is measured again; returns how long.
pub(crate) fn wait_before_again(interrupt: &AtomicBool) -> Duration {
    processors_wait(BEFORE_AGAIN, interrupt, |_| ()).waited
}
