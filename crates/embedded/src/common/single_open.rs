//! For libraries that let a process open a database only once at a time: the lock of the store's folder or file.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use kurabe_protocol::{Operation, Phase};

use kurabe_client::adapter::StoreError;

/// What is open, shared by all connections of the process; whoever opens it anew puts it away first.
pub(crate) struct SingleOpen<T> {
    open: Mutex<Option<Arc<T>>>,
    opener: Box<dyn Fn() -> Result<T, StoreError> + Send + Sync>,
}

impl<T> SingleOpen<T> {
    /// Nothing is opened yet.
    pub(crate) fn new(opener: impl Fn() -> Result<T, StoreError> + Send + Sync + 'static) -> SingleOpen<T> {
        SingleOpen { open: Mutex::default(), opener: Box::new(opener) }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Arc<T>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes what is open, and keeps others from opening it as long as the guard lives.
    fn close(&self) -> Result<MutexGuard<'_, Option<Arc<T>>>, StoreError> {
        let mut open = self.lock();
        if let Some(shared) = open.take() {
            let alone = Arc::try_unwrap(shared).map_err(|shared| {
                *open = Some(shared);
                StoreError::store("the store is in use by other connections of this process")
            })?;
            drop(alone);
        }
        Ok(open)
    }

    /// What is open; opens it where it is not.
    pub(crate) fn get(&self) -> Result<Arc<T>, StoreError> {
        let mut open = self.lock();
        if let Some(open) = &*open {
            return Ok(open.clone());
        }
        Ok(open.insert(Arc::new((self.opener)()?)).clone())
    }

    /// What the connections of a phase share. In a phase whose operation is to open the store that is nothing, and
    /// what was open before is closed.
    pub(crate) fn for_phase(&self, phase: &Phase) -> Result<Option<Arc<T>>, StoreError> {
        if phase.operation() == Operation::Open {
            return self.close().map(|_| None);
        }
        self.get().map(Some)
    }

    /// Does `work` while nobody has it open.
    pub(crate) fn while_closed<R>(&self, work: impl FnOnce() -> Result<R, StoreError>) -> Result<R, StoreError> {
        let _kept_away = self.close()?;
        work()
    }

    /// Opens it for `work`, which closes it again. Others wait: a second opening would be refused.
    pub(crate) fn reopen<R>(&self, work: impl FnOnce(T) -> Result<R, StoreError>) -> Result<R, StoreError> {
        self.while_closed(|| work((self.opener)()?))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use kurabe_protocol::{End, Work};

    use super::*;

    #[test]
    fn it_is_open_once_at_a_time_and_never_closed_under_a_user() {
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let once = SingleOpen::new(|| Ok(OPENED.fetch_add(1, Ordering::Relaxed)));
        let user = once.get().expect("opened");
        assert_eq!((*user, *once.get().expect("shared")), (0, 0));
        assert!(once.while_closed(|| Ok(())).is_err() && once.reopen(Ok).is_err());
        assert_eq!(*once.get().expect("still open"), 0);
        drop(user);
        assert_eq!(once.reopen(Ok), Ok(1));
        assert_eq!(*once.get().expect("opened again"), 2);
        assert!(once.for_phase(&Phase::new("open", Work::Open { rows: 1 }, End::Count(1))).expect("closed").is_none());
        assert_eq!(*once.get().expect("opened again"), 3);
    }
}
