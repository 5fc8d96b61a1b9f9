//! Messages to the user.

use std::io::Write;

use crate::ascii;

/// Prints a message to stderr; whatever of it is not ours acts on no terminal. Where nobody reads it any more the work
/// goes on without.
pub fn tell(message: &str) {
    let lines = kurabe_report::lines(message);
    let _ = writeln!(std::io::stderr(), "{}", ascii::shown(&lines, &std::io::stderr()));
}
