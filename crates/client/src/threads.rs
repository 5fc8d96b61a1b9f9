//! Work on several threads, all of which end before it goes on.

use crate::adapter::StoreError;

/// Does `work` with each of `parts` on a thread of its own; returns what came of all, or the first error.
pub(crate) fn on_threads<P: Send, T: Send>(
    parts: impl Iterator<Item = P>,
    work: impl Fn(P) -> Result<T, StoreError> + Sync,
) -> Result<Vec<T>, StoreError> {
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        // All are joined before the first error is looked at: one that panicked and was not joined would end the scope.
        let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        let failed = |panic: Box<dyn std::any::Any + Send>| {
            Err(StoreError::Store(format!("a worker failed: {}", panic_message(&*panic))))
        };
        joined.into_iter().map(|outcome| outcome.unwrap_or_else(failed)).collect()
    })
}

/// The words of a panic.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string())).unwrap_or_default()
}
