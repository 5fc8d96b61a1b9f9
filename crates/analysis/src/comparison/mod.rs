//! Several answers side by side.

pub(crate) mod compare;
pub(crate) mod difference;
