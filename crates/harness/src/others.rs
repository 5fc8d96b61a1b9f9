//! Other programs on the machine: waited for before a run begins and before a disturbed job is measured again.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kurabe_machine::{Busy, processors_wait};

use crate::options::{Observer, Options, Others};

/// So long it is waited for others to end before a run begins.
const BEFORE_RUN: Duration = Duration::from_secs(30);
/// And before a job is measured again, ten times in a run of thirty jobs.
const BEFORE_AGAIN: Duration = Duration::from_secs(10);

/// Waits a while where other programs keep the processors busy, and says so; then goes on, whatever they do, since the report
/// tells it too.
pub(crate) fn wait_before_run(options: &Options, observer: &dyn Observer, interrupt: &AtomicBool) {
    if options.others == Others::Borne {
        return;
    }
    let told = |busy: Busy| {
        observer.warn(&format!(
            "other programs use {:.0} % of the processors, so results would be unreliable; waiting up to {} s for quiet \
             (--anyway starts now)",
            busy.share * 100.0,
            BEFORE_RUN.as_secs()
        ));
    };
    if !processors_wait(BEFORE_RUN, interrupt, told).is_quiet {
        observer.warn("still busy; starting beside them: jobs that they disturb are repeated, up to two times");
    }
}

/// Waits a while before a disturbed job is measured again; returns how long.
pub(crate) fn wait_before_again(interrupt: &AtomicBool) -> Duration {
    processors_wait(BEFORE_AGAIN, interrupt, |_| ()).waited
}
