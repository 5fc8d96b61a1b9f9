//! A job: everything a client process needs to do its part of one candidate's work in one round.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::encoding::Encoding;
use crate::own::DataFiles;
use crate::phase::Phase;
use crate::schema::Schema;

/// One candidate's work in one round, as one client process receives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// Name of the job within its run, for messages.
    pub id: String,
    /// What is measured.
    pub candidate: Candidate,
    /// Shape of a row.
    pub schema: Schema,
    /// Rows that exist after the load: rows `0..rows`. A multiple of the connections of every phase.
    pub rows: u64,
    /// Prefix or table name of everything this job writes; the job touches nothing else in a store.
    pub namespace: String,
    /// Folder for the files of an embedded store; it exists and is empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dir: Option<String>,
    /// Address of a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Settings for the adapter: durability, cache and whatever its descriptor names.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Number of this client process, from 0.
    pub process: u32,
    /// How many client processes work on this job.
    pub processes: u32,
    /// Path of the pool of filler.
    pub pool: String,
    /// Rows of a data file instead of generated ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataFiles>,
    /// Another store that holds the same rows, for a load that fetches them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_from: Option<RowSource>,
    /// How rows are encoded where a store keeps no columns.
    #[serde(default, skip_serializing_if = "Encoding::is_raw")]
    pub encoding: Encoding,
    /// At most so many threads of a client drive the connections of a server between them, where one thread can drive many:
    /// as many as the server has that answer requests. A client whose connections have a thread each takes no notice.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub client_threads: u32,
    /// Time limits.
    pub limits: Limits,
    /// The phases in order.
    pub phases: Vec<Phase>,
}

impl Job {
    /// The job of one process over generated rows as they are, with no phase and nowhere to write yet.
    pub fn new(id: impl Into<String>, candidate: Candidate, schema: Schema, rows: u64) -> Job {
        Job {
            id: id.into(),
            candidate,
            schema,
            rows,
            namespace: "kurabe".into(),
            dir: None,
            url: None,
            settings: BTreeMap::new(),
            process: 0,
            processes: 1,
            pool: String::new(),
            data: None,
            rows_from: None,
            encoding: Encoding::Raw,
            client_threads: 1,
            limits: Limits::default(),
            phases: Vec::new(),
        }
    }

    /// The first row behind all that its phases can insert; `None` where they insert none.
    pub fn inserts_end(&self) -> Option<u64> {
        self.phases.iter().filter_map(|phase| Some(phase.first_row()? + phase.inserts_at_most())).max()
    }
}

fn one() -> u32 {
    1
}

// serde asks with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_one(value: &u32) -> bool {
    *value == 1
}

/// A store that holds the rows of a job before it begins, all in version 0, in the namespace of the job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RowSource {
    /// The store.
    pub candidate: Candidate,
    /// Address of its server.
    pub url: String,
}

/// What is measured, as a client needs to know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// Name in tables.
    pub name: String,
    /// Store.
    pub store: String,
    /// The protocol that the store speaks, by which an adapter is chosen; the store's name where it has one of its own.
    pub wire: String,
    /// Variant of the store: engine or kind of table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
}

impl Candidate {
    /// A store alone, which speaks a protocol of its own name.
    pub fn of(store: &str) -> Candidate {
        Candidate { name: store.into(), store: store.into(), wire: store.into(), variant: None }
    }
}

/// Time limits that a client keeps by itself; the harness keeps them from outside too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// Limit of one call, in ns.
    pub call_ns: u64,
    /// Limit of one operation, in ns.
    pub operation_ns: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { call_ns: 60_000_000_000, operation_ns: 30_000_000_000 }
    }
}
