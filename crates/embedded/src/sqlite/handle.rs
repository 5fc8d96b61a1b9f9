//! Handles, and what they do while the file is locked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Error, ErrorCode, OpenFlags, PrepFlags, Statement};

use super::Sqlite;
use kurabe_client::adapter::StoreError;

/// First and longest sleep while the file is locked.
const SLEEPS: (Duration, Duration) = (Duration::from_micros(20), Duration::from_millis(1));

/// A handle at an address of its own, so that statements can be held beside it.
pub(super) struct Handle {
    sqlite: *mut rusqlite::Connection,
    pub(super) retries: Arc<AtomicU64>,
}

// SAFETY: the pointer is that of a box which belongs to the handle alone, and what is in the box may go to other threads.
unsafe impl Send for Handle {}

/// What SQLite tells of a checkpoint.
struct Checkpoint {
    /// Whether locks of others kept it from the log; then it tells nothing else.
    is_busy: bool,
    /// Frames in the log, and those of them that are in the database; -1 where there is no log.
    log: i64,
    copied: i64,
}

impl Checkpoint {
    /// Whether the log was synced, by this checkpoint or one before it; `before` was told right before.
    fn has_synced(&self, before: &Checkpoint) -> Result<bool, StoreError> {
        if self.is_busy || before.is_busy {
            return Ok(false);
        }
        if self.log < 0 {
            return Err(StoreError::store("the database has no write-ahead log that could be synced"));
        }
        Ok(self.copied == self.log || self.copied > before.copied)
    }
}

impl Handle {
    /// A handle with the job's pragmas.
    pub(super) fn open(store: &Sqlite) -> Result<Handle, StoreError> {
        let handle = Handle::bare(store)?;
        for (name, value) in &store.pragmas {
            handle.sqlite().pragma_update(None, name, value).map_err(failed)?;
        }
        Ok(handle)
    }

    /// A handle that has not looked at the file yet.
    pub(super) fn bare(store: &Sqlite) -> Result<Handle, StoreError> {
        // Each handle belongs to one thread, so SQLite's own mutex around it is not needed.
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut sqlite = rusqlite::Connection::open_with_flags(&store.path, flags).map_err(failed)?;
        let retries = Arc::new(AtomicU64::new(0));
        sqlite.busy_handler(Some(wait(retries.clone(), store.patience))).map_err(failed)?;
        Ok(Handle { sqlite: Box::into_raw(Box::new(sqlite)), retries })
    }

    /// Syncs the write-ahead log: the first step of a checkpoint (<https://sqlite.org/wal.html>, "Checkpointing"). A passive one
    /// waits for nobody, and syncs nothing while others see a state older than what it would copy; then it is tried again.
    pub(super) fn sync_log(&self, patience: Duration) -> Result<(), StoreError> {
        let start = Instant::now();
        loop {
            let before = self.checkpoint("NOOP")?;
            let after = self.checkpoint("PASSIVE")?;
            if after.has_synced(&before)? {
                return Ok(());
            }
            if start.elapsed() >= patience {
                let message = "readers kept the write-ahead log from being synced for as long as an operation may take";
                return Err(StoreError::store(message));
            }
            std::thread::sleep(SLEEPS.1);
        }
    }

    fn checkpoint(&self, mode: &str) -> Result<Checkpoint, StoreError> {
        let read =
            |row: &rusqlite::Row<'_>| Ok(Checkpoint { is_busy: row.get(0)?, log: row.get(1)?, copied: row.get(2)? });
        self.sqlite().query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], read).map_err(failed)
    }

    pub(super) fn sqlite(&self) -> &rusqlite::Connection {
        // SAFETY: the pointer comes from `Box::into_raw` and is freed in `drop` alone; the box is
        // never borrowed mutably after it was made.
        unsafe { &*self.sqlite }
    }

    /// Prepares a statement that may be held beside the handle.
    ///
    /// # Safety
    /// The statement must be dropped before the handle is.
    pub(super) unsafe fn prepare(&self, sql: &str) -> Result<Statement<'static>, StoreError> {
        // SAFETY: as in `sqlite`; the caller keeps the handle for as long as the statement.
        let sqlite: &'static rusqlite::Connection = unsafe { &*self.sqlite };
        sqlite.prepare_with_flags(sql, PrepFlags::SQLITE_PREPARE_PERSISTENT).map_err(failed)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: made by `Box::into_raw` in `open`, and nobody else frees it.
        drop(unsafe { Box::from_raw(self.sqlite) });
    }
}

/// What a handle does when another one holds the lock: sleep a little, count it, give up in time.
fn wait(retries: Arc<AtomicU64>, patience: Duration) -> impl FnMut(i32) -> bool + Send + 'static {
    let mut since = Instant::now();
    move |attempt| {
        if attempt == 0 {
            since = Instant::now();
        }
        if since.elapsed() >= patience {
            return false;
        }
        retries.fetch_add(1, Ordering::Relaxed);
        let (first, longest) = SLEEPS;
        std::thread::sleep((first * 2u32.pow(attempt.clamp(0, 8) as u32)).min(longest));
        true
    }
}

pub(super) fn failed(error: Error) -> StoreError {
    match &error {
        Error::SqliteFailure(code, _) if matches!(code.code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            StoreError::Timeout
        }
        _ => StoreError::store(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checkpoint_that_moved_nothing_or_met_another_has_not_synced_the_log() {
        let told = |is_busy, log, copied| Checkpoint { is_busy, log, copied };
        let synced = |after: Checkpoint, copied_before| after.has_synced(&told(false, 9, copied_before));
        assert_eq!(synced(told(false, 9, 9), 2), Ok(true));
        assert_eq!(synced(told(false, 9, 9), 9), Ok(true), "all was synced before");
        assert_eq!(synced(told(false, 9, 4), 2), Ok(true), "as far as a reader lets it");
        assert_eq!(synced(told(false, 9, 2), 2), Ok(false), "a reader holds it up");
        assert_eq!(synced(told(true, -1, -1), 2), Ok(false), "another is under way");
        assert_eq!(told(false, 9, 2).has_synced(&told(true, -1, -1)), Ok(false), "it is not known what moved");
        assert!(synced(told(false, -1, -1), -1).is_err(), "no log");
    }
}
