//! How many rounds of a configuration there are.

use kurabe_record::EndStatus;
use schemars::JsonSchema;
use serde::Serialize;

/// Rounds planned and done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Rounds {
    /// Rounds of the plan.
    pub planned: usize,
    /// Rounds in which every candidate that was neither skipped nor had failed before had a job that ended cleanly.
    pub complete: usize,
    /// Rounds in which at least one candidate had such a job.
    pub measured: usize,
    /// How the run ended; absent where no end was written.
    pub end: Option<EndStatus>,
}
