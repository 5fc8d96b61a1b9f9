//! The folder of a job.

use std::path::Path;

use kurabe_protocol::Job;

use crate::adapter::StoreError;

/// The job's folder, which `store` cannot do without.
pub fn folder_of<'a>(job: &'a Job, store: &str) -> Result<&'a Path, StoreError> {
    let dir = job.dir.as_ref().map(Path::new);
    dir.ok_or_else(|| StoreError::store(format!("{store} needs a folder: the job has no 'dir'")))
}

/// Bytes of all files in a folder and below; those that vanish meanwhile are left out.
pub fn folder_bytes(folder: &Path) -> Result<u64, StoreError> {
    let failed = |error| StoreError::store(format!("cannot read the folder '{}': {error}", folder.display()));
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let Ok(entry) = entry else { continue };
        match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes += folder_bytes(&entry.path())?,
            Ok(metadata) => bytes += metadata.len(),
            Err(_) => {}
        }
    }
    Ok(bytes)
}
