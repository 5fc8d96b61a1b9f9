//! What no store can be faster than: no store at all, a map in memory, a text file.

mod delay;
pub mod echo;
mod file;
pub mod map;

use crate::session::Entry;

/// The baselines.
pub fn registry() -> Vec<Entry> {
    vec![Entry::of::<echo::Echo>("echo"), Entry::of_bytes::<map::Map>("map"), Entry::of::<file::TextFile>("file")]
}
