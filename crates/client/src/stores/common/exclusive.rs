//! A handle that only one opener can have at a time: the lock of the store's folder or file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::adapter::StoreError;

/// The handle of this process, open while somebody needs it. Workers share it; whoever must open the store anew puts
/// it away first.
pub(crate) struct Exclusive<H> {
    handle: Mutex<Option<Arc<H>>>,
}

impl<H> Exclusive<H> {
    /// Shares `handle`.
    pub(crate) fn new(handle: H) -> Exclusive<H> {
        Exclusive { handle: Mutex::new(Some(Arc::new(handle))) }
    }

    /// The shared handle; opened where it was put away.
    pub(crate) fn get(&self, open: impl FnOnce() -> Result<H, StoreError>) -> Result<Arc<H>, StoreError> {
        let mut handle = self.lock();
        if let Some(handle) = &*handle {
            return Ok(handle.clone());
        }
        Ok(handle.insert(Arc::new(open()?)).clone())
    }

    /// Closes the shared handle and does `work` while no other thread can open one.
    pub(crate) fn alone<T>(&self, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
        let mut handle = self.lock();
        if let Some(shared) = handle.take() {
            let shared = Arc::try_unwrap(shared).map_err(|shared| {
                *handle = Some(shared);
                StoreError::store("the store is in use by other connections of this process")
            })?;
            drop(shared);
        }
        work()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<H>>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of all files in a folder and below; those that vanish meanwhile are left out.
pub(crate) fn folder_bytes(folder: &std::path::Path) -> Result<u64, StoreError> {
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
