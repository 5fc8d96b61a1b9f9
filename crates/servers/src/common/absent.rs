//! What the calls of a server leave out, since the user of its address may not read it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use kurabe_client::adapter::StoreError;

/// Collects what is left out, until it is told.
#[derive(Default)]
pub(crate) struct Absent(Mutex<Vec<String>>);

impl Absent {
    fn texts(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer; none where the user may not have it, and then it is noted that `what` is absent.
    pub(crate) fn unless_denied<T>(&self, what: &str, answer: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(StoreError::Denied(words)) => {
                self.texts().push(format!("{what}: {words}"));
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// As [`Absent::unless_denied`] for the whole answer of a call.
    pub(crate) fn or_unsupported<T>(&self, what: &str, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        self.unless_denied(what, answer)?.ok_or(StoreError::Unsupported)
    }

    /// What was left out since it was asked last.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.texts())
    }
}
