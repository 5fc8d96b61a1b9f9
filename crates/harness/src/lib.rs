//! Kurabe's harness: the plan, the rounds, the client processes and the record of a job.
//!
//! It knows no store: what it needs about one is in its descriptor, and everything that touches one
//! is a client's work. Reading order: [`plan`] (what runs next), [`resolve`] (what can take part),
//! [`job`] (one candidate in one round), [`run`] (all of it).

mod build;
mod client;
mod clients;
mod error;
mod estimate;
mod fault;
mod gather;
pub mod job;
mod known;
mod launcher;
mod limits;
mod measure;
mod options;
mod others;
pub mod plan;
mod power;
mod redaction;
pub mod resolve;
mod restarts;
mod room;
pub mod run;
#[cfg(test)]
mod samples;
mod services;
mod streams;
mod support;

pub use clients::{BUILDS_SERVERS, ClientCommand, Clients, Drives};
pub use error::{HarnessError, MissingPart, Reason};
pub use estimate::{RemainingJobs, left_ns, pace, still_to_come, whole_ns};
pub use known::is_here;
pub use options::{
    DataRetention, Disturbed, Evictions, NoObserver, Observer, Options, OtherPrograms, OwnServer, Starting,
};
pub use plan::{Done, EndReason, NextJob, NextStep, Plan};
pub use resolve::{Candidate, Resolved};
pub use run::RunOutcome;
pub use streams::StreamFiles;
