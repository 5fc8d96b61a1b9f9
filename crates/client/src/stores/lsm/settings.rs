//! What a job may set.

use kurabe_protocol::Job;

use super::engine::Engine;
use crate::adapter::StoreError;

/// Settings of a job; without any the stores' own.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether every write waits until the device has it.
    pub sync: bool,
    /// Whether writes leave the log out.
    pub disable_wal: bool,
    /// Bytes of the cache of blocks.
    pub block_cache: Option<usize>,
}

impl Settings {
    pub fn parse<E: Engine>(job: &Job) -> Result<Settings, StoreError> {
        let mut settings = Settings::default();
        for (name, value) in &job.settings {
            match name.as_str() {
                "library" => {}
                "sync" => settings.sync = truth(name, value)?,
                "disable_wal" if E::SETTINGS.contains(&"disable_wal") => settings.disable_wal = truth(name, value)?,
                "block_cache" => {
                    let bytes = value.parse().map_err(|_| {
                        StoreError::store(format!("block_cache '{value}' is no number of bytes; write digits only"))
                    })?;
                    settings.block_cache = Some(bytes);
                }
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

fn truth(name: &str, value: &str) -> Result<bool, StoreError> {
    value.parse().map_err(|_| StoreError::store(format!("{name} '{value}' is neither true nor false")))
}
