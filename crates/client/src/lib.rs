//! The heart of Kurabe's Rust client: what an adapter implements, and the measuring loops.
//!
//! A client is a program that speaks `docs/PROTOCOL.md` on stdin and stdout. This crate is the
//! library behind the hidden verb `kurabe client`; adapters lie in `kurabe-embedded` and
//! `kurabe-servers`. Reading order: [`adapter`] (what a store's file implements), [`worker`] (one
//! operation, prepared and checked), [`blocking`] and [`in_flight`] (the two loops), [`phase`]
//! (threads of one phase), [`session`] (the protocol), `wire` (its lines).
//!
//! The loops know no store and the stores know no loop: depth, batch, rate and connections are
//! policies of a loop; an adapter only does one thing at a time, as asked.

pub mod adapter;
mod arrivals;
pub mod baselines;
pub mod blocking;
mod calls;
pub mod choice;
pub mod clock;
pub mod common;
mod descriptors;
pub mod encoding;
pub mod external;
pub mod in_flight;
pub mod json_rows;
mod key;
pub mod ledger;
pub mod load_tool;
mod not_ready;
pub mod outcome;
mod own;
pub mod parse;
pub mod phase;
pub mod planned;
pub mod row_source;
mod series;
pub mod served;
pub mod session;
pub mod shape;
mod sink;
mod tally;
pub mod text_rows;
mod think;
mod threads;
mod wire;
pub mod worker;

pub use adapter::{
    Answer, Answers, Blocking, Connection, InFlight, Key, Lanes, Range, Row, RowBuffer, RowSink, Store, StoreError,
    WriteOutcome,
};
pub use external::serve_external;
pub use session::{Entry, open_served, serve, serve_by_tool};
