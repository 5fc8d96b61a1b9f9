//! The oracle: liars are caught, honest stores are not accused.
//!
//! One binary for all of them, since each has to be linked.

mod common;
mod encodings;
mod honest;
mod liars;
mod oracle_model;
mod session;
mod studies;
