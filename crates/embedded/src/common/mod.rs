//! What several libraries need: those opened at run time, handles that a process may have only once, syncs every so often.
//! Nothing here knows a store.

pub(crate) mod library;
pub(crate) mod settings;
pub(crate) mod single_open;
pub(crate) mod syncer;
