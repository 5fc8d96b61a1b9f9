//! What several stores need: keys as bytes, libraries opened at run time, handles that a process may have only once,
//! connections in flight. Nothing here knows a store.

pub(crate) mod absent;
pub(crate) mod columns;
pub(crate) mod folder;
pub(crate) mod key_names;
pub(crate) mod keys;
pub(crate) mod lanes;
pub(crate) mod library;
pub(crate) mod lost;
pub(crate) mod once;
pub(crate) mod refusals;
pub(crate) mod settings;
pub(crate) mod sql;
pub(crate) mod syncer;
#[cfg(feature = "tls")]
pub(crate) mod tls;
pub(crate) mod transaction;
pub(crate) mod versions;
