//! The bulletin board: an HTTP service over one store, for any HTTP client and for a browser.
//!
//! A store is opened through the Rust client's adapters. Each thread of the service has a connection of its own and
//! does one operation at a time, so that nothing is handed from thread to thread: see [`server`]. Routes, and what each
//! answers, stand in [`app`]; a write is answered when the store has acknowledged it.

pub mod app;
#[cfg(test)]
mod fake;
mod guard;
mod known;
pub mod link;
mod page;
mod posts;
mod refusal;
mod rows;
pub mod server;

pub use app::{App, BoardError, Control};
pub use axum::http::uri::Authority;
pub use guard::Hosts;
pub use server::{Ended, Server, serve};
