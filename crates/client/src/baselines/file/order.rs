//! How far the inserts of the file stand in the order of their keys, as far as this process knows: it decides how much
//! of the end has to be read for the newest rows.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Connections that can insert at the same time while the order is known.
const PLACES: usize = 1024;
/// In `late_by`: nobody knows. In a place: nothing is under way.
const NONE: u64 = u64::MAX;

/// No line of an insert stands behind one whose row is higher by more than `late_by`.
///
/// Whoever inserts says so before its line is written, and looks who else is at it: of two whose lines may come in
/// either order at least one sees the other. What a reader finds in the file is therefore covered by what it loads
/// afterwards.
pub(super) struct Order {
    late_by: AtomicU64,
    /// The highest row so far, and one more.
    next: AtomicU64,
    /// The lowest row of each connection that is not in the file yet.
    under_way: Box<[AtomicU64; PLACES]>,
    taken: Box<[AtomicUsize; PLACES]>,
    /// Places behind this one were never taken.
    places: AtomicUsize,
}

/// The place of a connection that inserts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place(usize);

impl Order {
    /// Of a file that may hold anything.
    pub(super) fn unknown() -> Order {
        Order {
            late_by: AtomicU64::new(NONE),
            next: AtomicU64::new(0),
            under_way: Box::new([const { AtomicU64::new(NONE) }; PLACES]),
            taken: Box::new([const { AtomicUsize::new(0) }; PLACES]),
            places: AtomicUsize::new(0),
        }
    }

    /// Somebody else writes, or keys have an order of their own.
    pub(super) fn forget(&self) {
        self.late_by.store(NONE, Ordering::SeqCst);
    }

    /// The file is empty.
    pub(super) fn restart(&self) {
        self.next.store(0, Ordering::SeqCst);
        self.late_by.store(0, Ordering::SeqCst);
    }

    /// By how many rows a line may come too late; `None` where nobody knows.
    #[inline(always)]
    pub(super) fn late_by(&self) -> Option<u32> {
        u32::try_from(self.late_by.load(Ordering::SeqCst)).ok()
    }

    /// A place for a connection; `None`, and the order is lost, where there is none left.
    pub(super) fn take(&self) -> Option<Place> {
        let free = |place: &AtomicUsize| place.compare_exchange(0, 1, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        let Some(at) = self.taken.iter().position(free) else {
            self.forget();
            return None;
        };
        self.places.fetch_max(at + 1, Ordering::SeqCst);
        Some(Place(at))
    }

    pub(super) fn give_back(&self, place: Place) {
        self.written(place);
        self.taken[place.0].store(0, Ordering::SeqCst);
    }

    /// A row is going to be inserted.
    #[inline(always)]
    pub(super) fn begins(&self, place: Place, row: u32) {
        if self.late_by.load(Ordering::Relaxed) == NONE {
            return;
        }
        let (row, mine) = (u64::from(row), &self.under_way[place.0]);
        if row < mine.load(Ordering::Relaxed) {
            mine.store(row, Ordering::SeqCst);
        }
        let higher = self.next.fetch_max(row + 1, Ordering::SeqCst).saturating_sub(row + 1);
        let others = self.under_way[..self.places.load(Ordering::SeqCst)].iter();
        let lowest = others.map(|other| other.load(Ordering::SeqCst)).min().unwrap_or(NONE);
        let late_by = higher.max(row.saturating_sub(lowest));
        if late_by > self.late_by.load(Ordering::Relaxed) {
            self.late_by.fetch_max(late_by, Ordering::SeqCst);
        }
    }

    /// All that this connection began is in the file.
    #[inline(always)]
    pub(super) fn written(&self, place: Place) {
        self.under_way[place.0].store(NONE, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_in_their_order_are_not_late() {
        let order = Order::unknown();
        assert_eq!(order.late_by(), None);
        order.restart();
        let one = order.take().expect("a place");
        for row in 0..100 {
            order.begins(one, row);
            order.written(one);
        }
        assert_eq!(order.late_by(), Some(0));
        order.begins(one, 90);
        assert_eq!(order.late_by(), Some(9));
        order.forget();
        order.begins(one, 3);
        assert_eq!(order.late_by(), None);
    }

    #[test]
    fn a_place_comes_back_and_without_one_nobody_knows_the_order() {
        let order = Order::unknown();
        order.restart();
        let places: Vec<Place> = (0..PLACES).map(|_| order.take().expect("a place")).collect();
        order.give_back(places[7]);
        assert_eq!(order.take(), Some(places[7]));
        assert_eq!((order.take(), order.late_by()), (None, None));
    }

    proptest! {
        /// Connections that hold some rows back and write them later, as buffered lines are.
        #[test]
        fn no_line_comes_later_than_is_said(steps in prop::collection::vec((0usize..4, 0u32..50, any::<bool>()), 1..200)) {
            let order = Order::unknown();
            order.restart();
            let places: Vec<Place> = (0..4).map(|_| order.take().expect("a place")).collect();
            let mut waiting: [Vec<u32>; 4] = Default::default();
            let mut file: Vec<u32> = Vec::new();
            for (connection, row, writes) in steps {
                order.begins(places[connection], row);
                waiting[connection].push(row);
                if writes {
                    file.append(&mut waiting[connection]);
                    order.written(places[connection]);
                }
                let late_by = order.late_by().expect("known");
                let mut highest = 0;
                for row in &file {
                    prop_assert!(highest <= row + late_by, "{file:?}: {late_by}");
                    highest = highest.max(*row);
                }
            }
        }
    }
}
