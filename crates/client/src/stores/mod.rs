//! The stores of this client, one file each. Adding one means its file and one line here.

mod echo;
mod map;

use crate::session::Entry;

/// Every store that this client was built with.
pub fn registry() -> Vec<Entry> {
    vec![Entry::of::<echo::Echo>("echo"), Entry::of::<map::Map>("map")]
}
