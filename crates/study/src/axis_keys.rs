//! What an axis can vary: one line for each key of the work. A further key is a line here.

use kurabe_messages::message;
use kurabe_protocol::{LoadPath, Operation};
use kurabe_record::AxisValue;

use crate::error::{StudyError, named};
use crate::phase::{
    DraftPhase, MAX_BATCH_ROWS, MAX_CONNECTIONS, MAX_LATEST_ROWS, MAX_MULTI_READ_ROWS, MAX_RATE, MAX_UNDER_WAY,
    WirePhase,
};
use crate::variation::Variation;

/// What an axis varies.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    /// Rows that the load writes.
    Rows,
    /// Length of the value of a key-value row.
    ValueLen,
    /// Whether the columns that are searched have an index.
    Indexed,
    /// How rows are encoded where a store keeps no columns.
    Encoding,
    /// A key of a phase.
    Phase(&'static PhaseKey),
    /// Durability of each candidate: a minimum, or the name of a setting of its store.
    Durability,
    /// How each candidate is set.
    Profile,
    /// Client of each candidate.
    Client,
    /// A setting of each candidate's adapter or client, by name.
    Setting(String),
    /// What patches of the study's own change, each under a name.
    Own(Vec<Variation>),
}

/// Before the name of a setting.
pub(crate) const SETTINGS: &str = "settings.";

/// The value of an axis over durability that stands for every setting of a store.
pub(crate) const EACH: &str = "each";

impl Key {
    /// Whether a value stands for every durability setting of a store.
    pub(crate) fn is_each(&self, value: &AxisValue) -> bool {
        matches!(self, Key::Durability) && value.to_string() == EACH
    }

    /// The key of that name; `None` where it is none.
    pub(crate) fn of(name: &str) -> Option<Key> {
        Some(match name {
            "rows" => Key::Rows,
            "value_len_bytes" => Key::ValueLen,
            "indexed" => Key::Indexed,
            "encoding" => Key::Encoding,
            "durability" => Key::Durability,
            "profile" => Key::Profile,
            "client" => Key::Client,
            _ => match name.strip_prefix(SETTINGS) {
                Some(setting) if !setting.is_empty() => Key::Setting(setting.to_string()),
                _ => Key::Phase(PHASE_KEYS.iter().find(|key| key.name == name)?),
            },
        })
    }

    /// Names of all keys.
    pub(crate) fn names() -> Vec<String> {
        let words =
            ["rows", "value_len_bytes", "indexed", "encoding", "durability", "profile", "client", "settings.NAME"];
        words.into_iter().chain(PHASE_KEYS.iter().map(|key| key.name)).map(str::to_string).collect()
    }

    /// Whether its values are numbers.
    pub(crate) fn is_number(&self) -> bool {
        match self {
            Key::Rows | Key::ValueLen => true,
            Key::Phase(key) => key.words.is_empty(),
            Key::Indexed
            | Key::Encoding
            | Key::Durability
            | Key::Profile
            | Key::Client
            | Key::Setting(_)
            | Key::Own(_) => false,
        }
    }

    /// Its largest number, where it is a key of a phase that takes numbers.
    pub(crate) fn most(&self) -> Option<u64> {
        match self {
            Key::Phase(key) => Some(key.most).filter(|most| *most > 0),
            _ => None,
        }
    }

    /// Words that it takes; empty where they are not known here.
    pub(crate) fn words(&self) -> &'static [&'static str] {
        match self {
            Key::Phase(key) => key.words,
            Key::Indexed => &["no", "yes"],
            Key::Encoding => &["raw", "json", "yaml", "messagepack", "protobuf"],
            Key::Profile => &["default", "tuned"],
            Key::Rows | Key::ValueLen | Key::Durability | Key::Client | Key::Setting(_) | Key::Own(_) => &[],
        }
    }
}

/// A key of a phase that an axis can vary.
#[derive(Debug)]
pub(crate) struct PhaseKey {
    pub(crate) name: &'static str,
    /// Its largest number; its least is 1. 0 where it takes words.
    pub(crate) most: u64,
    /// The words that it takes; none where it takes numbers.
    pub(crate) words: &'static [&'static str],
    /// Whether it means anything for a phase.
    pub(crate) concerns: fn(&WirePhase) -> bool,
}

impl PhaseKey {
    /// The key with a value, as a phase has it.
    pub(crate) fn table(&self, value: &AxisValue) -> toml::Table {
        toml::Table::from_iter([(self.name.to_string(), toml_of(value))])
    }
}

/// A value as TOML has it; a number that fits no key stays one that fits none.
pub(crate) fn toml_of(value: &AxisValue) -> toml::Value {
    match value {
        AxisValue::Number(number) => toml::Value::Integer(i64::try_from(*number).unwrap_or(i64::MAX)),
        AxisValue::Word(word) => toml::Value::String(word.clone()),
    }
}

/// Refuses a key that stands in a phase and changes nothing of it.
pub(crate) fn check_meaning(origin: &str, draft: &DraftPhase) -> Result<(), StudyError> {
    let is_idle = |key: &&PhaseKey| draft.table.contains_key(key.name) && !(key.concerns)(&draft.wire);
    let Some(key) = PHASE_KEYS.iter().find(is_idle) else { return Ok(()) };
    let problem = message!(study_phase_meaningless, key = key.name, operation = draft.wire.operation);
    let part = named("phase", &draft.wire.shown_name());
    Err(StudyError::value(origin, message!(study_in_part, part, problem)))
}

fn always(_: &WirePhase) -> bool {
    true
}

/// All keys of phases, in alphabetical order.
pub(crate) const PHASE_KEYS: &[PhaseKey] = &[
    PhaseKey { name: "batch", most: MAX_UNDER_WAY, words: &[], concerns: |phase| phase.operation != Operation::Load },
    PhaseKey {
        name: "batch_rows",
        most: MAX_BATCH_ROWS,
        words: &[],
        concerns: |phase| phase.operation == Operation::Load && phase.load_path != LoadPath::Row,
    },
    PhaseKey { name: "commit_every", most: u32::MAX as u64, words: &[], concerns: WirePhase::writes },
    PhaseKey { name: "connections", most: MAX_CONNECTIONS, words: &[], concerns: always },
    PhaseKey { name: "depth", most: MAX_UNDER_WAY, words: &[], concerns: |phase| phase.operation != Operation::Load },
    PhaseKey {
        name: "distribution",
        most: 0,
        words: &["sequential", "uniform", "zipfian", "hotspot", "latest", "one"],
        concerns: WirePhase::chooses_rows,
    },
    PhaseKey {
        name: "latest_rows",
        most: MAX_LATEST_ROWS,
        words: &[],
        concerns: |phase| phase.does(Operation::Latest),
    },
    PhaseKey {
        name: "load_path",
        most: 0,
        words: &["row", "batch", "bulk"],
        concerns: |phase| phase.operation == Operation::Load,
    },
    PhaseKey {
        name: "multi_read_rows",
        most: MAX_MULTI_READ_ROWS,
        words: &[],
        concerns: |phase| phase.does(Operation::MultiRead),
    },
    PhaseKey {
        name: "rate",
        most: MAX_RATE,
        words: &[],
        concerns: |phase| !matches!(phase.operation, Operation::Load | Operation::Open | Operation::Program),
    },
    PhaseKey {
        name: "read_scope",
        most: 0,
        words: &["each", "snapshot"],
        concerns: |phase| phase.does(Operation::Read),
    },
    PhaseKey {
        name: "connect",
        most: 0,
        words: &["once", "each"],
        concerns: |phase| phase.operation != Operation::Load,
    },
];
