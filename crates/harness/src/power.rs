//! Whether a disk can fail here, or its power be cut: that needs a file system of our own.

use std::path::Path;

use kurabe_disk::Disk;
use kurabe_messages::message;
use kurabe_service::{FolderAccess, Guardian, RunFolder};
use kurabe_study::Study;

use crate::error::HarnessError;

/// Refuses a study that breaks a disk, or cuts its power, where this user cannot mount one. `dir` is where a run keeps its
/// data.
/// What is tried lies in a folder of the run: where Kurabe is killed meanwhile, the guardian takes it away.
pub(crate) fn check_power_cuts(study: &Study, dir: &Path, guardian: &Guardian) -> Result<(), HarnessError> {
    if !study.plan.configurations.iter().any(|config| config.has_own_disk()) {
        return Ok(());
    }
    let folder = RunFolder::create(dir, guardian, FolderAccess::Owner).map_err(HarnessError::refused)?;
    let at = folder.path().join("disk");
    let tried = std::fs::create_dir(&at).and_then(|()| Disk::mount(&at, 0).map(drop));
    tried.map_err(|error| HarnessError::refused(message!(run_no_power_cut, error = error.to_string())))
}

/// How much a disk holds: half of the memory that is free. Beyond it, a store finds its disk full.
pub(crate) fn room_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.map_or(MOST_BYTES, |kib| kib * 512)
}

/// Where the system does not tell.
const MOST_BYTES: u64 = 1 << 30;
