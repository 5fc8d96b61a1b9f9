use std::path::Path;

use kurabe_protocol::Job;
use kurabe_testkit::{Driven, drive};

/// The client whose stores lie.
pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_kurabe-liar-client"))
}

/// Runs a job to its end.
#[track_caller]
pub fn run(job: &Job) -> Driven {
    drive(program(), &[], job).unwrap_or_else(|error| panic!("{}: {error}", job.id))
}
