//! Whether stdout was open when the program began. Before `main` the runtime puts /dev/null where it was not, and what
//! is printed there would be lost without a word.

use std::os::fd::BorrowedFd;
use std::sync::atomic::{AtomicBool, Ordering};

static WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Runs before the runtime of Rust does.
#[used]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static BEFORE_MAIN: extern "C" fn() = look;

extern "C" fn look() {
    // SAFETY: the descriptor is only asked for its flags, and is not -1; that it may be closed is the question.
    let stdout = unsafe { BorrowedFd::borrow_raw(1) };
    WAS_CLOSED.store(rustix::io::fcntl_getfd(stdout).is_err(), Ordering::Relaxed);
}

/// Whether it was closed then.
pub fn was_closed() -> bool {
    WAS_CLOSED.load(Ordering::Relaxed)
}
