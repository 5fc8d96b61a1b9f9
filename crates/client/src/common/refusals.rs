//! What several adapters refuse in the same words.

use kurabe_protocol::{Phase, ReadScope};

use crate::adapter::StoreError;

/// A connection of a phase that opens the store is used for nothing else.
#[cold]
pub fn nothing_open() -> StoreError {
    StoreError::store("nothing is open in a phase whose operation is to open the store")
}

/// One snapshot for all reads is refused where the phase writes too.
pub fn refuse_snapshot_and_writes(phase: &Phase) -> Result<(), StoreError> {
    if phase.read_scope == ReadScope::Each || !phase.writes() {
        return Ok(());
    }
    let name = &phase.name;
    Err(StoreError::store(format!("phase '{name}' writes: one snapshot for all reads is for phases that only read")))
}
