//! What a job may set.

use std::ffi::c_uint;
use std::time::Duration;

use kurabe_protocol::Job;

use super::engine::{Engine, number};
use crate::common::settings::{bytes, millis};
use crate::common::syncer::SYNC_EVERY;
use kurabe_client::adapter::StoreError;

/// Address space of the map where the job says nothing: more than any job writes. The file grows only as it is written.
const MAP_BYTES: usize = 1 << 40;

/// Settings of a job; without any the libraries' own, but for the map.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Flags of the environment.
    pub flags: c_uint,
    pub map_bytes: usize,
    /// Whether a connection keeps its reading transaction and renews it for each read.
    pub renews: bool,
    /// Whether a load appends while the rows come in the order of their keys.
    pub appends: bool,
    /// How long after a sync the next one begins.
    pub sync_every: Option<Duration>,
}

impl Settings {
    pub fn parse<E: Engine>(job: &Job) -> Result<Settings, StoreError> {
        let mut settings = Settings { flags: 0, map_bytes: MAP_BYTES, renews: false, appends: false, sync_every: None };
        for (name, value) in &job.settings {
            match name.as_str() {
                "library" => {}
                "flags" => settings.flags |= parse_flags::<E>(value)?,
                "map_size" => settings.map_bytes = bytes(name, value)?,
                "readahead" => {
                    let off = one_of(name, value, ["true", "false"])?;
                    settings.flags |= if off { number::NO_READAHEAD } else { 0 };
                }
                "reads" => settings.renews = one_of(name, value, ["begin", "renew"])?,
                "load" => settings.appends = one_of(name, value, ["put", "append"])?,
                SYNC_EVERY if E::SYNCS_LATER => settings.sync_every = Some(millis(name, value)?),
                other => {
                    let more = if E::SYNCS_LATER { format!(", {SYNC_EVERY}") } else { String::new() };
                    return Err(StoreError::store(format!(
                        "{} has no setting '{other}'; it has flags, map_size, readahead, reads, load{more}",
                        E::NAME
                    )));
                }
            }
        }
        Ok(settings)
    }
}

/// Whether `value` is the second of two words.
fn one_of(name: &str, value: &str, [first, second]: [&str; 2]) -> Result<bool, StoreError> {
    if value != first && value != second {
        return Err(StoreError::store(format!("{name} cannot be '{value}'; it is {first} or {second}")));
    }
    Ok(value == second)
}

fn parse_flags<E: Engine>(value: &str) -> Result<c_uint, StoreError> {
    let mut words = value.split(',').filter(|word| !word.is_empty() && *word != "none");
    words.try_fold(0, |flags, word| {
        let known = E::FLAGS.iter().find(|(name, _)| *name == word);
        let (_, flag) = known.ok_or_else(|| {
            let names: Vec<&str> = E::FLAGS.iter().map(|(name, _)| *name).collect();
            StoreError::store(format!("{} has no flag '{word}' here; it has none, {}", E::NAME, names.join(", ")))
        })?;
        Ok(flags | flag)
    })
}

/// The words of `live` flags.
pub fn words_of<E: Engine>(mut live: c_uint) -> String {
    let mut words = Vec::new();
    for (name, flag) in E::FLAGS {
        if live & flag == *flag {
            live &= !flag;
            words.push(*name);
        }
    }
    if words.is_empty() { "none".to_string() } else { words.join(",") }
}
