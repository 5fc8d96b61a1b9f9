//! What a client is, as data: `clients/<name>/client.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::{StudyError, toml_error};

/// A client's descriptor. The Rust client has none: it is Kurabe's own binary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientDescriptor {
    /// Name, that of its folder.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// The command that starts it; `{client}` is the folder of its sources, `{python}` the interpreter.
    pub run: Vec<String>,
    /// Whether one process can have several workers; otherwise there is a process for each connection.
    pub threads: bool,
    /// Stores that it can drive.
    pub stores: Vec<String>,
    /// For each store the command that succeeds where all that it needs is installed.
    #[serde(default)]
    pub probe: BTreeMap<String, Vec<String>>,
    /// The command that gets what is missing.
    #[serde(default)]
    pub install: Option<String>,
}

impl ClientDescriptor {
    pub(crate) fn parse(origin: &str, text: &str) -> Result<ClientDescriptor, StudyError> {
        toml::from_str(text).map_err(|error| toml_error(origin, text, &error))
    }
}
