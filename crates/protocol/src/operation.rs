//! What an operation does, and what it does it to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a `search` asks for: all rows whose value in one int64 field lies in a range.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "WireSearch", into = "WireSearch")]
pub struct Search {
    /// Name of an int64 field that is not the key.
    pub field: String,
    /// Which range.
    pub wanted: SearchRange,
}

/// Which range a search asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchRange {
    /// One that begins at the value of a drawn row and is so many rows wide: so many answer where none was updated since
    /// the load.
    Rows(u32),
    /// All values from this one on.
    AtLeast(u64),
}

impl Search {
    /// A search for a range of so many rows.
    pub fn of_rows(field: &str, rows: u32) -> Search {
        Search { field: field.into(), wanted: SearchRange::Rows(rows) }
    }

    /// A search for all values from `least` on.
    pub fn at_least(field: &str, least: u64) -> Search {
        Search { field: field.into(), wanted: SearchRange::AtLeast(least) }
    }
}

/// A search as it stands on the wire, in records and in studies.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Search")]
struct WireSearch {
    /// Name of an int64 field that is not the key.
    field: String,
    /// Width of the range in rows: so many rows answer where none was updated since the load. Either this or `at_least` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<u32>,
    /// Least value of the range, which has no other end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at_least: Option<u64>,
}

/// Why a search cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// Neither or both of `rows` and `at_least`.
    #[error("a search asks either for rows = N or for at_least = N; give one of them")]
    Either,
    /// A number that not every client's language holds.
    #[error("search.at_least must be from 0 to 9007199254740991, got {0}")]
    Large(u64),
}

impl TryFrom<WireSearch> for Search {
    type Error = SearchError;

    fn try_from(wire: WireSearch) -> Result<Search, SearchError> {
        let wanted = match (wire.rows, wire.at_least) {
            (Some(rows), None) => SearchRange::Rows(rows),
            (None, Some(least)) if least > crate::MAX_SAFE_INTEGER => return Err(SearchError::Large(least)),
            (None, Some(least)) => SearchRange::AtLeast(least),
            (None, None) | (Some(_), Some(_)) => return Err(SearchError::Either),
        };
        Ok(Search { field: wire.field, wanted })
    }
}

impl From<Search> for WireSearch {
    fn from(search: Search) -> WireSearch {
        let (rows, at_least) = match search.wanted {
            SearchRange::Rows(rows) => (Some(rows), None),
            SearchRange::AtLeast(least) => (None, Some(least)),
        };
        WireSearch { field: search.field, rows, at_least }
    }
}

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Writes rows in order into the empty namespace; may overwrite.
    Load,
    /// Writes a new row; fails with `exists` where the store can tell.
    Insert,
    /// Reads one row by its primary key, all fields.
    Read,
    /// Replaces a whole row that must exist.
    Update,
    /// Removes a row; a missing key answers `missing`.
    Delete,
    /// Reads everything, all fields.
    Scan,
    /// Reads the newest rows by key, newest first.
    Latest,
    /// Reads several rows by their primary keys in one operation.
    MultiRead,
    /// Adds 1 to a counter, which is made where there is none. Counters are numbered as rows are, but apart from them.
    Increment,
    /// Reads all rows whose value in one column lies in a range.
    Search,
    /// Opens the store, reads one row or several and closes it again.
    Open,
    /// A mix of the others, each drawn from the kinds stream.
    Mix,
    /// A whole program: starts a client, which does a phase of its own, and waits until it has ended. The harness does it;
    /// clients are never asked for it.
    Program,
}

impl Operation {
    /// Whether it writes anything: a row, or a counter.
    pub fn writes(self) -> bool {
        use Operation::{Delete, Increment, Insert, Load, Update};
        matches!(self, Load | Insert | Update | Delete | Increment)
    }

    /// All operations, in the order of their codes.
    pub const ALL: [Operation; 13] = [
        Operation::Load,
        Operation::Insert,
        Operation::Read,
        Operation::Update,
        Operation::Delete,
        Operation::Scan,
        Operation::Latest,
        Operation::MultiRead,
        Operation::Increment,
        Operation::Search,
        Operation::Open,
        Operation::Mix,
        Operation::Program,
    ];

    /// Code in a kinds stream: the position in [`Operation::ALL`].
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The operation of a code.
    pub fn from_code(code: u8) -> Option<Operation> {
        Operation::ALL.get(usize::from(code)).copied()
    }

    /// The word used on the wire, in study files and in tables.
    pub fn word(self) -> &'static str {
        match self {
            Operation::Load => "load",
            Operation::Insert => "insert",
            Operation::Read => "read",
            Operation::Update => "update",
            Operation::Delete => "delete",
            Operation::Scan => "scan",
            Operation::Latest => "latest",
            Operation::MultiRead => "multi-read",
            Operation::Increment => "increment",
            Operation::Search => "search",
            Operation::Open => "open",
            Operation::Mix => "mix",
            Operation::Program => "program",
        }
    }
}

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// How rows are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// The operation's number, modulo the rows.
    #[default]
    Sequential,
    /// Every row equally often.
    Uniform,
    /// A few rows very often (Zipf, exponent 0.99), spread over the key space.
    Zipfian,
    /// 80 % of the operations go to 20 % of the rows, which are spread over the key space.
    Hotspot,
    /// The newest rows most often: the stream holds distances back from the newest row, with the law of `zipfian`.
    Latest,
    /// Always the same row, the one in the middle: `rows / 2`, rounded down.
    One,
}

impl std::fmt::Display for Distribution {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// How the planned starts of an open loop follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Pattern {
    /// As those of many users who know nothing of each other: gaps drawn from the exponential distribution.
    #[default]
    Poisson,
    /// At equal distances.
    Constant,
}

impl std::fmt::Display for Pattern {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// How `load` sends its rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadPath {
    /// One request a row.
    #[default]
    Row,
    /// Many rows in one request.
    Batch,
    /// The store's own bulk path.
    Bulk,
}

impl std::fmt::Display for LoadPath {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// What a read sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadScope {
    /// Each read is its own transaction.
    #[default]
    Each,
    /// All reads of a worker share one snapshot, taken when the phase starts.
    Snapshot,
}

impl std::fmt::Display for ReadScope {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// How long a connection is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Connect {
    /// For the whole phase: it is made before the clock runs.
    #[default]
    Once,
    /// For one operation: it is made inside the time of that.
    Each,
}

/// What a client does in a phase where its connection to the store is lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LossPolicy {
    /// It gives the store up: nothing is planned that could bring it back.
    #[default]
    GiveUp,
    /// It connects again, with a pause after each failure, until nothing has succeeded for ten seconds.
    Reconnect,
}

impl LossPolicy {
    /// So long a client that reconnects goes on without any success.
    pub const PATIENCE_NS: u64 = 10_000_000_000;
}

impl std::fmt::Display for Connect {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// Operations before the measured ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Warmup {
    /// This many operations over all workers.
    Count(u64),
    /// Operations for this time, in ns.
    DurationNs(u64),
}
