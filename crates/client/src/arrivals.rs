//! The order of rows that a store numbers itself, as far as anybody else can know it.
//!
//! A row that was acknowledged before the insert of another one started has the lower number: that is what real time
//! says (Herlihy and Wing, "Linearizability", 1990). Rows that were on their way together may have either order. The
//! numbers themselves are not asked for, since a service may keep them to itself.
//!
//! One clock ticks at each start and each acknowledgement, and each tick knows its row. So an answer is checked in a
//! time that grows with its own length, however many rows there are.

use std::sync::atomic::{AtomicU32, Ordering};

/// When each row of a job arrived. Rows of the load came one after the other: their ticks are their numbers.
pub struct Arrivals {
    loaded: u32,
    clock: AtomicU32,
    /// Ticks of rows behind the load, each and one more; 0 where there is none.
    started: Box<[AtomicU32]>,
    acknowledged: Box<[AtomicU32]>,
    /// Rows that started at the ticks behind the load, each and one more; 0 where none did.
    rows: Box<[AtomicU32]>,
    acknowledgements: Acknowledgements,
}

/// What an acknowledgement of an insert is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acknowledgements {
    /// The store has the row.
    Stored,
    /// Somebody has taken the row and will give it to the store: no order follows from that.
    Early,
}

/// What is wrong about the rows of `latest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrivalFault {
    /// The row came twice.
    Twice(u32),
    /// `newer` came before `older`, but was acknowledged before `older` started.
    Disordered { newer: u32, older: u32 },
    /// The row was acknowledged before `latest` was asked for, is newer than one that came, and did not come.
    Missing(u32),
}

impl Arrivals {
    /// Of rows below `capacity`, of which those below `loaded` are loaded.
    pub(crate) fn new(loaded: u32, capacity: usize, acknowledgements: Acknowledgements) -> Arrivals {
        let inserts = capacity.saturating_sub(loaded as usize);
        Arrivals {
            loaded,
            clock: AtomicU32::new(loaded),
            started: zeroed(inserts),
            acknowledged: zeroed(inserts),
            rows: zeroed(2 * inserts),
            acknowledgements,
        }
    }

    /// Now.
    pub(crate) fn now(&self) -> u32 {
        self.clock.load(Ordering::Acquire)
    }

    /// The insert of `row` is about to start.
    pub(crate) fn start(&self, row: u32) {
        if let Some(tick) = self.tick(&self.started, row) {
            let at = self.rows.get((tick - self.loaded) as usize);
            at.into_iter().for_each(|at| at.store(row + 1, Ordering::Release));
        }
    }

    /// The insert of `row` was acknowledged.
    pub(crate) fn acknowledge(&self, row: u32) {
        if self.acknowledgements == Acknowledgements::Stored {
            self.tick(&self.acknowledged, row);
        }
    }

    /// Notes the next tick for a row that has none yet.
    fn tick(&self, ticks: &[AtomicU32], row: u32) -> Option<u32> {
        let noted = ticks.get(row.checked_sub(self.loaded)? as usize)?;
        if noted.load(Ordering::Relaxed) != 0 {
            return None;
        }
        let tick = self.clock.fetch_add(1, Ordering::AcqRel);
        noted.store(tick + 1, Ordering::Release);
        Some(tick)
    }

    fn noted(&self, ticks: &[AtomicU32], row: u32) -> Option<u32> {
        let Some(behind) = row.checked_sub(self.loaded) else { return Some(row) };
        ticks.get(behind as usize)?.load(Ordering::Acquire).checked_sub(1)
    }

    fn started(&self, row: u32) -> Option<u32> {
        self.noted(&self.started, row)
    }

    fn acknowledged(&self, row: u32) -> Option<u32> {
        let is_stored = self.acknowledgements == Acknowledgements::Stored;
        is_stored.then(|| self.noted(&self.acknowledged, row)).flatten()
    }

    /// The row that started at `tick`.
    fn row_at(&self, tick: u32) -> Option<u32> {
        let Some(behind) = tick.checked_sub(self.loaded) else { return Some(tick) };
        self.rows.get(behind as usize)?.load(Ordering::Acquire).checked_sub(1)
    }

    /// What is wrong about an answer of `latest`, the newest first, that was asked for at `asked_at` with `wanted` rows.
    /// Rows that nobody inserted are left out: they are found by their values.
    pub(crate) fn fault(&self, latest: &[u32], wanted: usize, asked_at: u32) -> Option<ArrivalFault> {
        let mut sorted: Vec<u32> = latest.iter().copied().filter(|row| self.started(*row).is_some()).collect();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Some(ArrivalFault::Twice(pair[0]));
        }
        // Of the rows so far the one that was acknowledged first.
        let mut first: Option<(u32, u32)> = None;
        for &row in latest {
            let Some(started) = self.started(row) else { continue };
            if let Some((_, newer)) = first.filter(|(end, _)| *end < started) {
                return Some(ArrivalFault::Disordered { newer, older: row });
            }
            first = first.into_iter().chain(self.acknowledged(row).map(|end| (end, row))).min();
        }
        let from = match first {
            _ if latest.len() < wanted => 0,
            Some((end, _)) => end + 1,
            None => asked_at,
        };
        let is_due = |row: u32| {
            let started = self.started(row).is_some_and(|started| started >= from);
            started && self.acknowledged(row).is_some_and(|end| end < asked_at)
        };
        let due = || (from..asked_at).filter_map(|tick| self.row_at(tick)).filter(|row| is_due(*row));
        if due().count() == sorted.iter().filter(|row| is_due(**row)).count() {
            return None;
        }
        due().find(|row| sorted.binary_search(row).is_err()).map(ArrivalFault::Missing)
    }
}

/// Zeroed entries that take no memory until they are written (calloc gives untouched pages).
pub(crate) fn zeroed(len: usize) -> Box<[AtomicU32]> {
    let entries = vec![0u32; len].into_boxed_slice();
    // SAFETY: AtomicU32 has the same size, alignment and valid bit patterns as u32 (documented by
    // the standard library), and the box is the only owner.
    unsafe { Box::from_raw(Box::into_raw(entries) as *mut [AtomicU32]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LOADED: u32 = 5;

    fn arrivals() -> Arrivals {
        Arrivals::new(LOADED, 100, Acknowledgements::Stored)
    }

    /// Inserts of rows one after the other.
    fn insert(arrivals: &Arrivals, rows: impl IntoIterator<Item = u32>) {
        for row in rows {
            arrivals.start(row);
            arrivals.acknowledge(row);
        }
    }

    #[test]
    fn the_newest_come_first_and_none_is_left_out() {
        let all = arrivals();
        // Rows of two workers, whose numbers say nothing about time.
        insert(&all, [6, 5, 8]);
        let fault = |latest: &[u32], wanted| all.fault(latest, wanted, all.now());
        assert_eq!(fault(&[8, 5, 6, 4], 4), None);
        assert_eq!(fault(&[8, 5, 6, 4, 3, 2, 1, 0], 8), None);
        assert_eq!(fault(&[8, 5, 6, 4, 3, 2, 1, 0], 9), None);
        assert_eq!(fault(&[5, 6, 4], 3), Some(ArrivalFault::Missing(8)), "the newest");
        assert_eq!(fault(&[8, 6, 4], 3), Some(ArrivalFault::Missing(5)), "one between");
        assert_eq!(fault(&[8, 5, 6, 4, 3, 2, 0], 9), Some(ArrivalFault::Missing(1)), "one of the load");
        assert_eq!(fault(&[3, 2, 1, 0], 4), Some(ArrivalFault::Missing(4)), "the oldest for the newest");
        assert_eq!(fault(&[8, 6, 5, 4], 4), Some(ArrivalFault::Disordered { newer: 6, older: 5 }));
        assert_eq!(fault(&[8, 5, 6, 3, 4], 5), Some(ArrivalFault::Disordered { newer: 3, older: 4 }));
        assert_eq!(fault(&[8, 5, 5], 3), Some(ArrivalFault::Twice(5)));
        assert_eq!(fault(&[], 3), Some(ArrivalFault::Missing(0)));
        assert_eq!(fault(&[8, u32::MAX, 5], 3), None, "its value tells it");
    }

    #[test]
    fn rows_that_were_on_their_way_together_have_either_order_and_may_not_have_come() {
        let all = arrivals();
        all.start(5);
        all.start(6);
        let asked_at = all.now();
        all.acknowledge(6);
        all.acknowledge(5);
        for latest in [[6, 5, 4], [5, 6, 4], [6, 4, 3], [5, 4, 3], [4, 3, 2]] {
            assert_eq!(all.fault(&latest, 3, asked_at), None, "{latest:?}");
        }
        assert_eq!(all.fault(&[5, 4, 3], 3, all.now()), Some(ArrivalFault::Missing(6)));
    }

    #[test]
    fn an_early_acknowledgement_tells_no_order() {
        let all = Arrivals::new(LOADED, 100, Acknowledgements::Early);
        insert(&all, [5, 6]);
        assert_eq!(all.fault(&[0, 6, 5], 3, all.now()), None);
        assert_eq!(all.fault(&[0, 6, 0], 3, all.now()), Some(ArrivalFault::Twice(0)));
    }

    proptest! {
        /// A store that gives a row its number at some moment between start and acknowledgement.
        #[test]
        fn an_honest_store_has_no_fault_and_one_that_leaves_out_a_due_row_has(
            steps in prop::collection::vec((0u8..4, any::<prop::sample::Index>()), 1..80),
            wanted in 1usize..12,
        ) {
            let all = arrivals();
            let mut stored: Vec<u32> = (0..LOADED).collect();
            let (mut on_their_way, mut unanswered) = (Vec::new(), Vec::new());
            for (next, (step, which)) in (LOADED..).zip(steps) {
                match step {
                    0 => {
                        all.start(next);
                        on_their_way.push(next);
                    }
                    1 if !on_their_way.is_empty() => {
                        let row = on_their_way.swap_remove(which.index(on_their_way.len()));
                        stored.push(row);
                        unanswered.push(row);
                    }
                    2 if !unanswered.is_empty() => {
                        all.acknowledge(unanswered.swap_remove(which.index(unanswered.len())));
                    }
                    _ => {
                        let latest: Vec<u32> = stored.iter().rev().take(wanted).copied().collect();
                        prop_assert_eq!(all.fault(&latest, wanted, all.now()), None);
                        // The newest that is acknowledged is missing, and one more comes in its place.
                        let due = latest.iter().position(|row| all.acknowledged(*row).is_some());
                        if let Some(at) = due.filter(|_| stored.len() > wanted) {
                            let mut without: Vec<u32> = stored.iter().rev().take(wanted + 1).copied().collect();
                            let missing = without.remove(at);
                            let oldest = without.iter().filter_map(|row| all.acknowledged(*row)).min();
                            if oldest.is_some_and(|end| Some(end) < all.started(missing)) {
                                prop_assert!(all.fault(&without, wanted, all.now()).is_some());
                            }
                        }
                    }
                }
            }
        }
    }
}
