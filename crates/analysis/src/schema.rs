//! The JSON Schemas of what Kurabe writes, from its types.

use kurabe_record::{Entry, RunRecord};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;

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

/// Of what is written: a key that is left out where it is empty is not required.
fn text<T: JsonSchema>() -> String {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    format!("{:#}\n", settings.into_generator().into_root_schema_for::<T>().to_value())
}
