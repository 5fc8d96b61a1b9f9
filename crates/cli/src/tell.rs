//! Messages to the user.

use std::io::Write;

/// Prints a message to stderr; whatever of it is not ours acts on no terminal. Where nobody reads it any more the work
/// goes on without.
pub fn tell(message: &str) {
    let _ = writeln!(std::io::stderr(), "{}", kurabe_report::lines(message));
}
