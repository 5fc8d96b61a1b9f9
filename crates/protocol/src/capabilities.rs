//! What an adapter can do, as its hello tells it, and what its server does where memory ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::encoding::Encoding;
use crate::keys::MAX_KEY_BYTES;
use crate::operation::{Distribution, LoadPath, Operation, ReadScope};
use crate::schema::FieldType;

/// What an adapter can do. "Unsupported" is always told here, never by an error's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Capabilities {
    /// Operations, without `mix`.
    pub operations: Vec<Operation>,
    /// Types that a key can have.
    pub key_types: Vec<FieldType>,
    /// What an insert of an existing key does.
    pub insert: InsertMode,
    /// Load paths.
    pub load_paths: Vec<LoadPath>,
    /// Read scopes.
    pub read_scopes: Vec<ReadScope>,
    /// Whether writes between two commits are one transaction; otherwise a commit is a sync.
    pub transactions: bool,
    /// Largest number of operations that a connection can have under way; 1 for blocking adapters.
    pub max_depth: u32,
    /// Whether several requests can be sent together.
    pub batch: bool,
    /// Most connections in one process.
    pub max_connections: u32,
    /// Whether several processes can work on one namespace.
    pub processes: bool,
    /// Whether the workers of this client see each other's versions. Without, a worker reads only
    /// its own rows in phases that write.
    pub shared_versions: bool,
    /// Whether operations that answer with many rows can be checked while several workers write: what they give is not
    /// determined then.
    #[serde(default = "usually", skip_serializing_if = "is_usual")]
    pub scans_beside_writers: bool,
    /// Largest raw encoded value in bytes.
    pub max_value_bytes: u64,
    /// Longest text key in bytes.
    #[serde(default = "usual_key_bytes")]
    pub max_key_bytes: u64,
    /// Whether a text or bytes field can be empty.
    #[serde(default)]
    pub empty_values: bool,
    /// Whether rows can come from a data file (`data` of a job), and a load can split them from its lines again.
    #[serde(default)]
    pub own_data: bool,
    /// Whether `update` and `delete` write without a look at what is there: an update of a missing row makes it, and
    /// a delete of one is done like any other.
    #[serde(default)]
    pub blind_writes: bool,
    /// Encodings of rows that it knows.
    #[serde(default = "raw_alone")]
    pub encodings: Vec<Encoding>,
    /// Whether the store keeps columns, so that nothing is encoded.
    #[serde(default)]
    pub keeps_columns: bool,
    /// Whether one `open` can read several rows (`open_rows` of a phase).
    #[serde(default)]
    pub open_rows: bool,
    /// Whether a load can write all rows several times (`passes` of a phase).
    #[serde(default)]
    pub passes: bool,
    /// Whether each operation can have a connection of its own (`connect` of a phase).
    #[serde(default)]
    pub reconnects: bool,
    /// Whether operations can have planned starts (`rate` of a phase).
    #[serde(default)]
    pub schedules: bool,
    /// Whether a connection can wait between its operations (`think_ns` of a phase).
    #[serde(default)]
    pub thinks: bool,
    /// Whether a store keeps every copy of a row that a load of several passes writes: then a scan gives each of them.
    #[serde(default)]
    pub keeps_copies: bool,
    /// Set where a load tool does every phase but loads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_tool: Option<LoadTool>,
}

/// A program that drives a store and tells a rate. It works for whole seconds, one operation at a time on each
/// connection, and nobody sees its answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadTool {
    /// How it can choose rows.
    pub distributions: Vec<Distribution>,
}

fn raw_alone() -> Vec<Encoding> {
    vec![Encoding::Raw]
}

fn usually() -> bool {
    true
}

// serde asks with a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_usual(value: &bool) -> bool {
    *value
}

impl Capabilities {
    /// The capabilities of a store that keeps columns.
    pub fn of_columns() -> Capabilities {
        Capabilities { encodings: raw_alone(), keeps_columns: true, ..Capabilities::default() }
    }
}

/// The longest key that a data file may have.
fn usual_key_bytes() -> u64 {
    MAX_KEY_BYTES as u64
}

impl Default for Capabilities {
    /// What most stores in the client's own process can do, and what the loops of the Rust client do with any store; an
    /// adapter names what is different. Rows are loaded one by
    /// one: no way of many rows at a time is granted to an adapter that does not name it.
    fn default() -> Capabilities {
        use Operation::{Delete, Increment, Insert, Latest, Load, MultiRead, Open, Read, Scan, Update};
        Capabilities {
            operations: vec![Load, Insert, Read, Update, Delete, Scan, Latest, MultiRead, Increment, Open],
            key_types: vec![FieldType::Int64, FieldType::Text],
            insert: InsertMode::Exists,
            load_paths: vec![LoadPath::Row],
            read_scopes: vec![ReadScope::Each],
            transactions: false,
            max_depth: 1,
            batch: false,
            max_connections: 1024,
            processes: false,
            shared_versions: true,
            scans_beside_writers: true,
            max_value_bytes: u64::from(u32::MAX),
            max_key_bytes: usual_key_bytes(),
            empty_values: true,
            own_data: true,
            blind_writes: false,
            encodings: Encoding::ALL.to_vec(),
            keeps_columns: false,
            open_rows: true,
            passes: true,
            reconnects: false,
            schedules: true,
            thinks: true,
            keeps_copies: false,
            load_tool: None,
        }
    }
}

/// What an insert of an existing key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InsertMode {
    /// Fails with `exists`.
    Exists,
    /// Overwrites: the store cannot tell.
    Upsert,
}

/// What a server does where its memory ends, as far as it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Eviction {
    /// How it throws rows away, in its own words; none where it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Bytes that it can still take before it does; absent where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_bytes: Option<u64>,
}
