//! What a job may set.

use std::ffi::CString;
use std::time::Duration;

use kurabe_protocol::Job;

use super::engine::Engine;
use crate::common::settings::{bytes, millis, truth};
use crate::common::syncer::SYNC_EVERY;
use kurabe_client::adapter::StoreError;

/// Settings of a job; without any the stores' own.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether every write waits until the device has it.
    pub sync: bool,
    /// Whether writes leave the log out.
    pub disable_wal: bool,
    /// Bytes of the cache of blocks.
    pub block_cache: Option<usize>,
    /// Bits per key of a Bloom filter.
    pub filter: Option<u8>,
    /// Bytes of the table in memory.
    pub write_buffer: Option<usize>,
    /// Options in RocksDB's own words.
    pub options: Option<CString>,
    /// How long after a sync of the log the next one begins.
    pub sync_every: Option<Duration>,
}

impl Settings {
    pub fn parse<E: Engine>(job: &Job) -> Result<Settings, StoreError> {
        let mut settings = Settings::default();
        for (name, value) in &job.settings {
            match name.as_str() {
                "library" => {}
                "sync" => settings.sync = truth(name, value)?,
                "disable_wal" if E::SETTINGS.contains(&"disable_wal") => settings.disable_wal = truth(name, value)?,
                "block_cache" => settings.block_cache = Some(bytes(name, value)?),
                "write_buffer" if E::SETTINGS.contains(&"write_buffer") => {
                    settings.write_buffer = Some(bytes(name, value)?);
                }
                "filter" => settings.filter = bits(value)?,
                "options" if E::SETTINGS.contains(&"options") => {
                    settings.options = Some(CString::new(value.as_str()).map_err(StoreError::store)?);
                }
                SYNC_EVERY if E::SETTINGS.contains(&SYNC_EVERY) => settings.sync_every = Some(millis(name, value)?),
                other => {
                    let known = E::SETTINGS.join(", ");
                    return Err(StoreError::store(format!(
                        "{} has no setting '{other}' here; it has {known}",
                        E::NAME
                    )));
                }
            }
        }
        Ok(settings)
    }
}

/// Bits per key; none where it says 0.
fn bits(value: &str) -> Result<Option<u8>, StoreError> {
    match value.parse() {
        Ok(bits @ 0..=100) => Ok(Some(bits).filter(|bits| *bits > 0)),
        _ => Err(StoreError::store(format!("filter '{value}' is no number of bits per key; give 0 to 100"))),
    }
}
