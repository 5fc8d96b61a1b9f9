//! Ctrl-C: the first ends the run in good order, the second at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// A flag that the first SIGINT or SIGTERM sets. The second ends the process with status 130; the guardian then
/// removes what is left.
pub fn watch() -> std::io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Order matters: the conditional exit looks at the flag before this signal sets it.
        flag::register_conditional_shutdown(signal, crate::status::INTERRUPTED, interrupted.clone())?;
        flag::register(signal, interrupted.clone())?;
    }
    Ok(interrupted)
}
