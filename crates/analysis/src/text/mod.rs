//! Words: what the types of the other folders say in English, and how figures are written.

pub mod english;
pub mod format;
