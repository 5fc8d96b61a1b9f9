//! The JSON Schemas of what Kurabe writes, from its types.

use kurabe_record::{Entry, RunRecord};
use schemars::JsonSchema;

use crate::answer::Answer;

/// The schema of `run.json`.
pub fn run() -> String {
    text::<RunRecord>()
}

/// The schema of `entry` in a line of `jobs.jsonl`.
pub fn entry() -> String {
    text::<Entry>()
}

/// The schema of the answer.
pub fn answer() -> String {
    text::<Answer>()
}

fn text<T: JsonSchema>() -> String {
    format!("{:#}\n", schemars::schema_for!(T).to_value())
}
