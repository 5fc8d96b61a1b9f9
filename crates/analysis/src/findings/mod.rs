//! What follows from the results of all configurations: growth and other axes, clients, claims, published tables,
//! pitfalls, the sentences of the answer and what to take. None of it reads the answer.

pub(crate) mod axes;
pub(crate) mod cells;
pub(crate) mod claims;
pub(crate) mod client_effect;
pub(crate) mod clients;
pub(crate) mod command;
pub(crate) mod growth;
pub(crate) mod headline;
pub(crate) mod participants;
pub(crate) mod pitfalls;
pub(crate) mod published;
pub(crate) mod recommend;
pub(crate) mod replication;
pub(crate) mod sentences;
