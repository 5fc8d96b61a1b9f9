//! A sync every so often, for libraries that have no such setting of their own: what commits leave to the system is on the
//! device a bounded time later, as with a server whose log is synced by a thread.
//!
//! A sync by the commit that finds the last one too long ago would need no thread, but leave the last commits of a burst
//! unsynced. A thread for the whole life of the store would run beside phases that only read, where a second thread costs
//! every lock of the C library. So it is one thread for each phase that writes, which its connections share.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use kurabe_protocol::Phase;

use kurabe_client::adapter::StoreError;

/// The setting of a job: milliseconds from the end of a sync to the start of the next one.
pub(crate) const SYNC_EVERY: &str = "sync_every_ms";

/// How often the syncs of a job come, and the thread of the phase under way.
#[derive(Default)]
pub(crate) struct Syncing {
    pause: Option<Duration>,
    running: Mutex<Weak<Syncer>>,
    failed: Arc<OnceLock<StoreError>>,
}

impl Syncing {
    /// With this pause between two syncs; without one there are none.
    pub(crate) fn every(pause: Option<Duration>) -> Syncing {
        Syncing { pause, ..Syncing::default() }
    }

    /// The thread that a connection of `phase` shares with all others; `prepare` makes what it calls, where it is the first.
    /// None where the job asks for no syncs, or the phase writes nothing.
    pub(crate) fn for_phase<S>(
        &self,
        phase: &Phase,
        prepare: impl FnOnce() -> Result<S, StoreError>,
    ) -> Result<Option<Arc<Syncer>>, StoreError>
    where
        S: FnMut() -> Result<(), StoreError> + Send + 'static,
    {
        let Some(pause) = self.pause.filter(|_| phase.writes()) else { return Ok(None) };
        // One that failed as its phase ended has told nobody yet.
        no_error(&self.failed)?;
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(syncer) = running.upgrade() {
            return Ok(Some(syncer));
        }
        let syncer = Arc::new(Syncer::start(pause, self.failed.clone(), prepare()?)?);
        *running = Arc::downgrade(&syncer);
        Ok(Some(syncer))
    }
}

/// A thread that syncs until this is dropped, and then once more.
pub(crate) struct Syncer {
    stop: Arc<Stop>,
    failed: Arc<OnceLock<StoreError>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    is_asked: Mutex<bool>,
    asked: Condvar,
}

impl Stop {
    /// Waits for `pause`, or until it is asked; tells whether it is.
    fn wait(&self, pause: Duration) -> bool {
        let is_asked = self.is_asked.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.asked.wait_timeout_while(is_asked, pause, |is_asked| !*is_asked);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Syncer {
    fn start(
        pause: Duration,
        failed: Arc<OnceLock<StoreError>>,
        mut sync: impl FnMut() -> Result<(), StoreError> + Send + 'static,
    ) -> Result<Syncer, StoreError> {
        let stop = Arc::<Stop>::default();
        let (stop_seen, first_error) = (stop.clone(), failed.clone());
        let work = move || {
            loop {
                let is_last = stop_seen.wait(pause);
                if let Err(error) = sync() {
                    let _ = first_error.set(error);
                    return;
                }
                if is_last {
                    return;
                }
            }
        };
        let spawned = std::thread::Builder::new().name("syncer".into()).spawn(work);
        let thread = spawned.map_err(|error| StoreError::store(format!("cannot start a thread: {error}")))?;
        Ok(Syncer { stop, failed, thread: Some(thread) })
    }

    /// The first error of a sync: what was committed since the one before may be lost, so that a commit fails with it.
    #[inline(always)]
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        no_error(&self.failed)
    }
}

#[inline(always)]
fn no_error(failed: &OnceLock<StoreError>) -> Result<(), StoreError> {
    failed.get().map_or(Ok(()), |error| Err(error.clone()))
}

/// As [`Syncer::check`], where there may be none.
#[inline(always)]
pub(crate) fn check(syncer: &Option<Arc<Syncer>>) -> Result<(), StoreError> {
    syncer.as_ref().map_or(Ok(()), |syncer| syncer.check())
}

impl Drop for Syncer {
    fn drop(&mut self) {
        *self.stop.is_asked.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.asked.notify_all();
        let joined = self.thread.take().map_or(Ok(()), JoinHandle::join);
        if joined.is_err() {
            let _ = self.failed.set(StoreError::store("the thread that syncs failed"));
        }
        if let Err(error) = self.check() {
            // Commits have failed with it, unless it was the last sync; then the next phase that writes does.
            eprintln!("cannot sync: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};

    use kurabe_protocol::{Action, End};

    use super::*;

    const SOON: Option<Duration> = Some(Duration::from_millis(1));
    const NEVER: Option<Duration> = Some(Duration::from_secs(3600));

    fn writes() -> Phase {
        Phase::new("update", Action::Update, End::Count(1))
    }

    /// A thread that tells each of its syncs, and fails from the one after `good` on.
    fn telling(syncing: &Syncing, good: u32) -> (Arc<Syncer>, Receiver<u32>) {
        let (tell, told) = channel();
        let mut syncs = 0;
        let sync = move || {
            syncs += 1;
            let _ = tell.send(syncs);
            if syncs > good { Err(StoreError::store("no space left")) } else { Ok(()) }
        };
        (syncing.for_phase(&writes(), || Ok(sync)).expect("started").expect("a thread"), told)
    }

    #[test]
    fn it_syncs_again_and_again_and_a_last_time_when_the_last_connection_is_gone() {
        let (syncer, told) = telling(&Syncing::every(SOON), u32::MAX);
        assert_eq!([told.recv(), told.recv(), told.recv()], [Ok(1), Ok(2), Ok(3)]);
        drop(syncer);
        // The channel ends with the thread.
        assert!(told.iter().count() >= 1);

        let syncing = Syncing::every(NEVER);
        let (syncer, told) = telling(&syncing, u32::MAX);
        let unused = || -> Result<fn() -> Result<(), StoreError>, StoreError> { panic!("there is one already") };
        let shared = syncing.for_phase(&writes(), unused).expect("shared").expect("a thread");
        assert!(Arc::ptr_eq(&syncer, &shared));
        drop(syncer);
        assert!(told.try_recv().is_err(), "a connection is left, and the pause is long");
        drop(shared);
        assert_eq!(told.iter().collect::<Vec<_>>(), [1]);
    }

    #[test]
    fn commits_fail_with_its_first_error_and_so_does_the_next_phase_that_writes() {
        let syncing = Syncing::every(SOON);
        let (syncer, told) = telling(&syncing, 1);
        // The channel ends with the thread, and the thread with the error.
        assert_eq!(told.iter().collect::<Vec<_>>(), [1, 2]);
        let error = StoreError::store("no space left");
        assert_eq!(check(&Some(syncer)), Err(error.clone()));
        let sync = || Ok(|| Ok(()));
        assert_eq!(syncing.for_phase(&writes(), sync).map(|_| ()), Err(error));

        let syncing = Syncing::every(NEVER);
        let (syncer, _told) = telling(&syncing, 0);
        assert_eq!(syncer.check(), Ok(()));
        drop(syncer);
        assert!(syncing.for_phase(&writes(), sync).is_err(), "the last sync failed");
    }

    #[test]
    fn nothing_runs_where_nothing_is_asked_for_or_written() {
        let reads = Phase::new("read", Action::Read, End::Count(1));
        for (syncing, phase) in [(Syncing::every(None), writes()), (Syncing::every(SOON), reads)] {
            let unused = || -> Result<fn() -> Result<(), StoreError>, StoreError> { panic!("no thread is needed") };
            assert!(syncing.for_phase(&phase, unused).expect("none").is_none());
        }
        assert_eq!(check(&None), Ok(()));
    }
}
