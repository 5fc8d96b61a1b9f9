//! Ctrl-C, a request to end and a terminal that is gone: the first ends the run cleanly, a second Ctrl-C at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that the first SIGINT, SIGTERM or SIGHUP sets. A second SIGINT or SIGTERM ends the process with status 130;
/// the guardian then removes what is left.
///
/// SIGHUP comes from a terminal that goes, a lost ssh for one, and mostly more than once: it never ends the process at
/// once, and where it is ignored, as under nohup, it stays so.
pub fn watch() -> std::io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Order matters: the conditional exit looks at the flag before this signal sets it.
        flag::register_conditional_shutdown(signal, crate::status::INTERRUPTED, interrupted.clone())?;
        flag::register(signal, interrupted.clone())?;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if !is_ignored(&status, SIGHUP) {
        flag::register(SIGHUP, interrupted.clone())?;
    }
    Ok(interrupted)
}

/// Whether this process ignores a signal, from the line `SigIgn` of proc_pid_status(5).
fn is_ignored(status: &str, signal: i32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ignored_signal_is_told_from_its_mask() {
        let status = |mask: &str| format!("Name:\tkurabe\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\n");
        assert!(is_ignored(&status("0000000000001001"), SIGHUP));
        assert!(!is_ignored(&status("0000000000001000"), SIGHUP));
        assert!(is_ignored(&status("0000000000000002"), SIGINT));
        assert!(!is_ignored("", SIGHUP));
    }
}
