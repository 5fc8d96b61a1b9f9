//! Encodings: the form in which a store that knows nothing of columns keeps a row.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a row is encoded in the value of a key-value store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Encoding {
    /// The raw encoding of [`crate::value`], which costs next to nothing.
    #[default]
    Raw,
    /// JSON: an object of columns.
    Json,
    /// YAML: a mapping of columns.
    Yaml,
    /// MessagePack: a map of columns.
    Messagepack,
    /// Protocol Buffers: a message whose fields are the columns.
    Protobuf,
}

impl Encoding {
    /// All encodings.
    pub const ALL: [Encoding; 5] =
        [Encoding::Raw, Encoding::Json, Encoding::Yaml, Encoding::Messagepack, Encoding::Protobuf];

    /// Whether it is the raw one.
    pub fn is_raw(&self) -> bool {
        *self == Encoding::Raw
    }
}

impl std::fmt::Display for Encoding {
    /// The word that stands in JSON.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}
