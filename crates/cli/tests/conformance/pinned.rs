//! What every candidate says that it can do, and which settings its live store reports, pinned by a file: what one no longer
//! has is no longer tried, and nothing else would tell.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use kurabe_protocol::Capabilities;
use serde::{Deserialize, Serialize};

use crate::Outcome;
use crate::stand::{Stand, words};

/// What is pinned of one candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Pinned {
    capabilities: Capabilities,
    /// Names of the settings that are read back.
    settings: Vec<String>,
}

/// Settings that only newer versions of a store have, by which a machine is not to be told.
const OF_NEWER_VERSIONS: [&str; 1] = ["io_method"];

/// Candidates write the file one after the other.
static FILE: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/pinned.json"))
}

/// A candidate must be what the file says; with `KURABE_BLESS=1` the file becomes what it is. Where a durability setting that
/// was asked for makes it another, it stands there with that setting too.
pub fn compare(stand: &Stand) -> Outcome<()> {
    let spec = &stand.candidate.spec;
    let of_setting = spec.durability.as_ref().map(|setting| format!("{} [{setting}]", spec.name));
    let mut settings = stand.settings.clone();
    settings.retain(|name| !OF_NEWER_VERSIONS.contains(&name.as_str()));
    let found = Pinned { capabilities: stand.capabilities.clone(), settings };
    let _one_at_a_time = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let text = std::fs::read_to_string(path()).unwrap_or_else(|_| "{}".into());
    let mut all: BTreeMap<String, Pinned> = serde_json::from_str(&text).map_err(words)?;
    if std::env::var("KURABE_BLESS").is_ok_and(|value| value == "1") {
        let name = match of_setting {
            Some(name) if all.get(&spec.name).is_some_and(|usual| *usual != found) => name,
            _ => spec.name.clone(),
        };
        all.insert(name, found);
        let text = serde_json::to_string_pretty(&all).map_err(words)?;
        return std::fs::write(path(), text + "\n").map_err(words);
    }
    match of_setting.and_then(|name| all.get(&name)).or(all.get(&spec.name)) {
        Some(pinned) if *pinned == found => Ok(()),
        Some(pinned) => {
            Err(format!("it is not as pinned.json has it: {found:?}, was {pinned:?}; bless it with KURABE_BLESS=1"))
        }
        None => Err("pinned.json does not have it; bless it with KURABE_BLESS=1".into()),
    }
}
