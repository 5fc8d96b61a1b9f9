//! What adapters of libraries and of servers need: keys as bytes, columns, SQL. Nothing here knows a store.

pub mod columns;
pub mod folder;
pub mod keys;
pub mod refusals;
pub mod sql;
pub mod versions;
