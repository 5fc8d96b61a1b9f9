//! What an axis can vary: one line for each key of the work. A further key is a line here.

use kurabe_protocol::{Connect, Distribution, LoadPath, Operation, ReadScope};
use kurabe_record::AxisValue;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as ValueError, StrDeserializer};

use crate::phase::{MAX_BATCH_ROWS, MAX_CONNECTIONS, MAX_LATEST_ROWS, MAX_MULTI_READ_ROWS, MAX_UNDER_WAY, WirePhase};

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
    /// Durability of each candidate: a floor, or the name of a setting of its store.
    Durability,
    /// How each candidate is set.
    Profile,
    /// Client of each candidate.
    Client,
    /// A setting of each candidate's adapter or client, by name.
    Setting(String),
}

/// Before the name of a setting.
pub(crate) const SETTINGS: &str = "settings.";

impl Key {
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
            Key::Indexed | Key::Encoding | Key::Durability | Key::Profile | Key::Client | Key::Setting(_) => false,
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
            Key::Encoding => &["raw", "json", "yaml", "messagepack"],
            Key::Profile => &["default", "tuned"],
            Key::Rows | Key::ValueLen | Key::Durability | Key::Client | Key::Setting(_) => &[],
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
    /// Puts a value of the right kind into a phase; the numbers are looked at where all of a phase is.
    set: fn(&mut WirePhase, &AxisValue),
}

impl PhaseKey {
    /// The phase with this value.
    pub(crate) fn set(&self, phase: &mut WirePhase, value: &AxisValue) {
        (self.set)(phase, value);
    }
}

fn always(_: &WirePhase) -> bool {
    true
}

/// A number that fits no phase stays one that fits none.
fn number(value: &AxisValue) -> u32 {
    match value {
        AxisValue::Number(number) => u32::try_from(*number).unwrap_or(u32::MAX),
        AxisValue::Word(_) => 0,
    }
}

/// A word that was looked at before.
pub(crate) fn word<T: for<'a> Deserialize<'a> + Default>(value: &AxisValue) -> T {
    let AxisValue::Word(word) = value else { return T::default() };
    let word: StrDeserializer<'_, ValueError> = word.as_str().into_deserializer();
    T::deserialize(word).unwrap_or_default()
}

/// All keys of phases, in alphabetical order.
pub(crate) const PHASE_KEYS: &[PhaseKey] = &[
    PhaseKey {
        name: "batch",
        most: MAX_UNDER_WAY,
        words: &[],
        concerns: |phase| phase.operation != Operation::Load,
        set: |phase, value| phase.batch = number(value),
    },
    PhaseKey {
        name: "batch_rows",
        most: MAX_BATCH_ROWS,
        words: &[],
        concerns: |phase| phase.operation == Operation::Load && phase.load_path != LoadPath::Row,
        set: |phase, value| phase.batch_rows = Some(number(value)),
    },
    PhaseKey {
        name: "commit_every",
        most: u32::MAX as u64,
        words: &[],
        concerns: WirePhase::writes,
        set: |phase, value| phase.commit_every = number(value),
    },
    PhaseKey {
        name: "connections",
        most: MAX_CONNECTIONS,
        words: &[],
        concerns: always,
        set: |phase, value| phase.connections = number(value),
    },
    PhaseKey {
        name: "depth",
        most: MAX_UNDER_WAY,
        words: &[],
        concerns: |phase| phase.operation != Operation::Load,
        set: |phase, value| phase.depth = number(value),
    },
    PhaseKey {
        name: "distribution",
        most: 0,
        words: &["sequential", "uniform", "zipfian", "hotspot", "latest", "one"],
        concerns: WirePhase::chooses_rows,
        set: |phase, value| phase.distribution = word::<Distribution>(value),
    },
    PhaseKey {
        name: "latest_rows",
        most: MAX_LATEST_ROWS,
        words: &[],
        concerns: |phase| phase.does(Operation::Latest),
        set: |phase, value| phase.latest_rows = Some(number(value)),
    },
    PhaseKey {
        name: "load_path",
        most: 0,
        words: &["row", "batch", "bulk"],
        concerns: |phase| phase.operation == Operation::Load,
        set: |phase, value| {
            phase.load_path = word::<LoadPath>(value);
            // Of one row a request there is no number of rows.
            if phase.load_path == LoadPath::Row {
                phase.batch_rows = None;
            }
        },
    },
    PhaseKey {
        name: "multi_read_rows",
        most: MAX_MULTI_READ_ROWS,
        words: &[],
        concerns: |phase| phase.does(Operation::MultiRead),
        set: |phase, value| phase.multi_read_rows = Some(number(value)),
    },
    PhaseKey {
        name: "read_scope",
        most: 0,
        words: &["each", "snapshot"],
        concerns: |phase| phase.does(Operation::Read),
        set: |phase, value| phase.read_scope = word::<ReadScope>(value),
    },
    PhaseKey {
        name: "connect",
        most: 0,
        words: &["once", "each"],
        concerns: |phase| phase.operation != Operation::Load,
        set: |phase, value| phase.connect = word::<Connect>(value),
    },
];
