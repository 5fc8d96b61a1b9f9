//! What several servers need: connections in flight, TLS, names of keys, what came of a commit whose answer is lost. Nothing
//! here knows a store.

pub(crate) mod absent;
pub(crate) mod connection_loss;
pub(crate) mod key_names;
pub(crate) mod lanes;
pub(crate) mod tls;
pub(crate) mod transaction;
pub(crate) mod wake;
