//! A job for tests of one worker.

use kurabe_protocol::{Candidate, Job, Phase, Schema};

/// A job of one process with one phase, whose store is never opened.
pub(crate) fn job(schema: Schema, rows: u32, phase: Phase) -> Job {
    Job { phases: vec![phase], ..Job::new("sample", Candidate::of("n"), schema, rows.into()) }
}
