//! Kurabe's two-way protocol: jobs, events, calls, streams, values and histogram buckets.
//!
//! This crate is the vocabulary that the harness and every client share. It knows no store, starts
//! no process and measures nothing; it depends on no other crate of Kurabe. The protocol in prose,
//! for authors of clients in other languages, is `docs/PROTOCOL.md`; the cases that the
//! tests read are in `vectors/`.

pub mod audit;
pub mod capabilities;
pub mod connection;
mod digits;
pub mod encoding;
pub mod histogram;
pub mod job;
pub mod keys;
pub mod message;
pub mod operation;
pub mod own;
pub mod phase;
mod pool;
pub mod reply;
pub mod schedule;
pub mod schema;
pub mod secrets;
pub mod stream;
mod text;
pub mod value;
mod zipf;

pub use audit::{Untrue, Window, audit};
pub use capabilities::{Capabilities, Eviction, InsertMode, LoadTool};
pub use digits::Digits;
pub use encoding::Encoding;
pub use histogram::Histogram;
pub use job::{Candidate, Job, Limits, RowSource};
pub use keys::{KeyMap, KeySource, ReturnedKey};
pub use message::{
    Call, CallName, Checks, Command, Event, Failed, Hello, Increments, KindLatency, MessageError, OpenLoop,
    PhaseResult, RateStep, Reply, ReplyOutcome, Runtime, Series, StoppedBy, WorkerResult, excerpt,
};
pub use operation::{
    Connect, Distribution, LoadPath, LossPolicy, Operation, Pattern, ReadScope, Search, SearchError, SearchRange,
    Warmup,
};
pub use own::{DataFiles, DataSource, OwnRows};
pub use phase::{Action, End, Load, Loading, Mix, Part, Phase, PhaseError, RowsFrom, Work};
pub use reply::{Ask, Malformed};
pub use schedule::Schedule;
pub use schema::{Field, FieldType, Schema, SchemaError};

pub use secrets::Secrets;
pub use value::{Layout, Pool, RowSeed, Wrong};

/// The version of the protocol that this crate speaks. A client refuses a job of another version.
pub const VERSION: u32 = 1;

/// Largest integer that every client's language can hold exactly (JavaScript, PHP and Perl use
/// doubles): all numbers on the wire stay below it.
pub const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;
