//! Kurabe's harness: the plan, the rounds, the client processes and the record of a job.
//!
//! It knows no store: what it needs about one is in its descriptor, and everything that touches one
//! is a client's work. Reading order: [`plan`] (what runs next), [`resolve`] (what can take part),
//! [`job`] (one candidate in one round), [`run`] (all of it).

mod build;
mod client;
mod error;
mod estimate;
mod fault;
mod gather;
mod hidden;
pub mod job;
mod measure;
pub mod plan;
pub mod resolve;
mod room;
pub mod run;
mod streams;
mod support;

pub use error::HarnessError;
pub use plan::{Done, Next, NextJob, Plan, WhyDone};
pub use resolve::{Candidate, ClientCommand, Clients, Resolved};
pub use run::{Observer, Options, RunOutcome, Starting};
pub use streams::StreamFiles;
