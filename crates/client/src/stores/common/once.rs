//! For libraries that let a process open a database only once at a time.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{Operation, Phase};

use crate::adapter::StoreError;

/// What is open, shared by all connections of the process.
pub(crate) struct Once<T> {
    open: Mutex<Option<Arc<T>>>,
    opener: Box<dyn Fn() -> Result<T, StoreError> + Send + Sync>,
}

impl<T> Once<T> {
    /// Nothing is opened yet.
    pub(crate) fn new(opener: impl Fn() -> Result<T, StoreError> + Send + Sync + 'static) -> Once<T> {
        Once { open: Mutex::default(), opener: Box::new(opener) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is open; opens it where it is not.
    pub(crate) fn get(&self) -> Result<Arc<T>, StoreError> {
        let mut open = self.lock();
        if let Some(open) = &*open {
            return Ok(open.clone());
        }
        let opened = Arc::new((self.opener)()?);
        *open = Some(opened.clone());
        Ok(opened)
    }

    /// What the connections of a phase share. In a phase whose operation is to open the store that is nothing, and
    /// what was open before is closed.
    pub(crate) fn for_phase(&self, phase: &Phase) -> Result<Option<Arc<T>>, StoreError> {
        if phase.operation == Operation::Open {
            self.lock().take();
            return Ok(None);
        }
        self.get().map(Some)
    }

    /// Opens it for `work` alone and closes it again. Others wait: a second opening would be refused.
    pub(crate) fn anew<R>(&self, work: impl FnOnce(&mut T) -> Result<R, StoreError>) -> Result<R, StoreError> {
        let mut open = self.lock();
        open.take();
        let mut opened = (self.opener)()?;
        work(&mut opened)
    }
}
