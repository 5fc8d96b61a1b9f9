//! The memory of the oracle: how far the writes of every row have got.
//!
//! A store can be fast at giving wrong answers, so every answer is compared with what was written. Each value proves
//! which write it came from, and each row has one writer. Two states of a row are kept: *started* and *acknowledged*.
//! The state that a read saw must lie between two others. One was acknowledged before it began, one was started before
//! it ended. That is a regular register with one writer (Lamport, "On interprocess communication", 1986).
//!
//! A state is the number of writes and whether the row is present after the last one. The value of write `n` carries
//! version `n - 1`. A row that was loaded and never written again needs no entry: its table is zero pages. SQLite's
//! client took 15.3 MiB at 1 million and at 100 million rows (docs/METHODOLOGY.md).
//!
//! Counts and checksums of a phase would be cheaper, but they show neither which row nor which write was wrong. A
//! sample misses a fault that occurs once in a run. A history for a checker finds more, but needs memory for each
//! operation. docs/decisions/0001-values-that-prove-their-write.md has the price of this choice.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use crate::arrivals::{Acknowledgements, Arrivals, zeroed};
use crate::clock::now_ns;

/// State of a row after some of its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State(u32);

impl State {
    /// Never written.
    pub const NEVER: State = State(0);
    /// Loaded, and not written since.
    pub const LOADED: State = State(0b11);

    /// The state of a row whose value has `version`.
    #[inline(always)]
    pub fn with_version(version: u32) -> State {
        State(((version + 1) << 1) | 1)
    }

    /// Whether the row exists in this state.
    #[inline(always)]
    pub fn present(self) -> bool {
        self.0 & 1 == 1
    }

    /// Number of writes done.
    #[inline(always)]
    pub fn writes(self) -> u32 {
        self.0 >> 1
    }

    /// Version that the value has in this state, where there is one.
    #[inline(always)]
    pub fn version(self) -> u32 {
        self.writes().saturating_sub(1)
    }

    /// The state after one more write that leaves a value.
    #[inline(always)]
    pub fn written(self) -> State {
        State(((self.writes() + 1) << 1) | 1)
    }

    /// The state after a delete.
    #[inline(always)]
    pub fn deleted(self) -> State {
        State((self.writes() + 1) << 1)
    }
}

/// Which rows exist, as a count and two sums: a row too few, too many or twice changes at least one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Presence {
    /// Rows.
    pub count: u64,
    /// Sum of their numbers, modulo 2^64.
    pub sum: u64,
    /// Sum of the squares of their numbers, modulo 2^64.
    pub squares: u64,
}

impl Presence {
    /// Rows `0 .. rows`.
    pub fn below(rows: u32) -> Presence {
        let n = u128::from(rows);
        // The usual closed forms; 128 bits hold them exactly, then they are taken modulo 2^64.
        let sum = n * n.saturating_sub(1) / 2;
        let squares = n * n.saturating_sub(1) * (2 * n).saturating_sub(1) / 6;
        Presence { count: u64::from(rows), sum: sum as u64, squares: squares as u64 }
    }

    /// Each of the rows so many times.
    pub fn times(self, copies: u64) -> Presence {
        let Presence { count, sum, squares } = self;
        let times = |number: u64| number.wrapping_mul(copies);
        Presence { count: times(count), sum: times(sum), squares: times(squares) }
    }

    /// Adds one row.
    #[inline(always)]
    pub fn add(&mut self, row: u32) {
        let row = u64::from(row);
        self.count += 1;
        self.sum = self.sum.wrapping_add(row);
        self.squares = self.squares.wrapping_add(row * row);
    }
}

/// The states of all rows of a job, shared by its workers. Every row is written by one worker only.
pub struct Ledger {
    loaded: u32,
    started: Box<[AtomicU32]>,
    acknowledged: Box<[AtomicU32]>,
    any_written: AtomicBool,
    /// Whether a row of each block was written. Tables are long where time alone ends inserts, and mostly untouched.
    touched: Box<[AtomicBool]>,
    /// What was inserted or deleted since the load, as differences modulo 2^64.
    changed: [AtomicU64; 3],
    newest_inserted: AtomicU32,
    unknown: AtomicU64,
    /// Those of the unknown that are acknowledged as present.
    maybe_gone: AtomicU64,
    load_failed: AtomicBool,
    /// Where the store numbers the rows.
    arrivals: Option<Arrivals>,
    /// When writes were acknowledged, where losses are counted.
    times: Option<Times>,
}

/// When writes were acknowledged.
struct Times {
    /// Where times count from, in ns.
    base_ns: u64,
    /// The last one of each row, in µs after the base and one more; 0 where there was none. They wrap after an hour.
    rows: Box<[AtomicU32]>,
    /// The last one of all.
    last_us: AtomicU32,
}

impl Times {
    fn note(&self, row: u32) {
        let us = ((now_ns() - self.base_ns) / 1_000) as u32;
        self.last_us.fetch_max(us, Ordering::Relaxed);
        self.rows[row as usize].store(us.saturating_add(1), Ordering::Relaxed);
    }
}

/// What a write of unknown fate may have done to the existence of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Made it: an insert.
    MayExist,
    /// Removed it: a delete.
    MayBeGone,
    /// Nothing: an update.
    Exists,
}

/// Rows of a block.
const BLOCK: usize = 1 << 16;

impl Ledger {
    /// A ledger for rows below `capacity`, of which those below `loaded` are loaded first.
    pub fn new(loaded: u32, capacity: usize) -> Ledger {
        Ledger {
            loaded,
            started: zeroed(capacity),
            acknowledged: zeroed(capacity),
            any_written: AtomicBool::new(false),
            touched: (0..capacity.div_ceil(BLOCK)).map(|_| AtomicBool::new(false)).collect(),
            changed: Default::default(),
            newest_inserted: AtomicU32::new(0),
            unknown: AtomicU64::new(0),
            maybe_gone: AtomicU64::new(0),
            load_failed: AtomicBool::new(false),
            arrivals: None,
            times: None,
        }
    }

    /// The same, which also notes when writes are acknowledged.
    pub fn with_times(self) -> Ledger {
        let rows = zeroed(self.capacity());
        Ledger { times: Some(Times { base_ns: now_ns(), rows, last_us: AtomicU32::new(0) }), ..self }
    }

    /// From the last acknowledged write of a row to the last one of all, in ns; `None` where the row was only loaded, or
    /// nobody noted times.
    pub fn before_last_ns(&self, row: u32) -> Option<u64> {
        let times = self.times.as_ref()?;
        let us = times.rows.get(row as usize)?.load(Ordering::Relaxed).checked_sub(1)?;
        Some(u64::from(times.last_us.load(Ordering::Relaxed).saturating_sub(us)) * 1_000)
    }

    /// The same for rows that the store numbers: when each of them came is noted too.
    pub fn with_arrivals(self, acknowledgements: Acknowledgements) -> Ledger {
        let arrivals = Arrivals::new(self.loaded, self.capacity(), acknowledgements);
        Ledger { arrivals: Some(arrivals), ..self }
    }

    /// When each row came, where the store numbers them.
    pub(crate) fn arrivals(&self) -> Option<&Arrivals> {
        self.arrivals.as_ref()
    }

    /// Another ledger with the same states, to choose operations by before they are done.
    pub fn copy(&self) -> Ledger {
        let copy = Ledger::new(self.loaded, self.capacity());
        let load = |from: &AtomicU64| AtomicU64::new(from.load(Ordering::Relaxed));
        // What was never written is not even looked at: that would take a second for each of the longest tables.
        let touched = self.touched.iter().enumerate().filter(|(_, block)| block.load(Ordering::Relaxed));
        for (at, _) in touched {
            copy.touched[at].store(true, Ordering::Relaxed);
            let rows = at * BLOCK..self.capacity().min((at + 1) * BLOCK);
            for (to, from) in [(&copy.started, &self.started), (&copy.acknowledged, &self.acknowledged)] {
                for (to, from) in to[rows.clone()].iter().zip(&from[rows.clone()]) {
                    to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
                }
            }
        }
        Ledger {
            any_written: AtomicBool::new(self.any_written()),
            changed: [0, 1, 2].map(|part: usize| load(&self.changed[part])),
            newest_inserted: AtomicU32::new(self.newest_inserted.load(Ordering::Relaxed)),
            unknown: load(&self.unknown),
            maybe_gone: load(&self.maybe_gone),
            load_failed: AtomicBool::new(self.load_failed.load(Ordering::Relaxed)),
            ..copy
        }
    }

    /// Rows that the load wrote: `0 .. loaded`.
    pub fn loaded(&self) -> u32 {
        self.loaded
    }

    /// Rows that any phase of the job can write.
    pub fn capacity(&self) -> usize {
        self.started.len()
    }

    /// Whether anything was written since the load.
    #[inline(always)]
    pub fn any_written(&self) -> bool {
        self.any_written.load(Ordering::Relaxed)
    }

    #[inline(always)]
    fn decode(&self, row: u32, entry: u32) -> State {
        if entry != 0 {
            State(entry)
        } else if row < self.loaded {
            State::LOADED
        } else {
            State::NEVER
        }
    }

    /// The last acknowledged state. Take it before a read starts.
    #[inline(always)]
    pub fn acknowledged(&self, row: u32) -> State {
        match self.acknowledged.get(row as usize) {
            Some(entry) => self.decode(row, entry.load(Ordering::Acquire)),
            None => self.decode(row, 0),
        }
    }

    /// The last started state. Take it after a read ended.
    #[inline(always)]
    pub fn started(&self, row: u32) -> State {
        match self.started.get(row as usize) {
            Some(entry) => self.decode(row, entry.load(Ordering::Acquire)),
            None => self.decode(row, 0),
        }
    }

    /// Notes that a write is about to start. Only the row's owner may call it.
    #[inline(always)]
    pub fn start(&self, row: u32, state: State) {
        let touched = &self.touched[row as usize / BLOCK];
        if !touched.load(Ordering::Relaxed) {
            touched.store(true, Ordering::Relaxed);
            self.any_written.store(true, Ordering::Relaxed);
        }
        if let Some(arrivals) = &self.arrivals {
            arrivals.start(row);
        }
        self.started[row as usize].store(state.0, Ordering::Release);
    }

    /// Notes that a write is acknowledged. Only the row's owner may call it.
    #[inline(always)]
    pub fn acknowledge(&self, row: u32, state: State) {
        if self.acknowledged(row).present() != state.present() {
            self.change_presence(row, state.present());
        }
        if let Some(arrivals) = &self.arrivals {
            arrivals.acknowledge(row);
        }
        if let Some(times) = &self.times {
            times.note(row);
        }
        self.acknowledged[row as usize].store(state.0, Ordering::Release);
    }

    fn change_presence(&self, row: u32, present: bool) {
        let mut one = Presence::default();
        one.add(row);
        for (total, part) in self.changed.iter().zip([one.count, one.sum, one.squares]) {
            let part = if present { part } else { part.wrapping_neg() };
            total.fetch_add(part, Ordering::Relaxed);
        }
        if present {
            // Who sees the row sees that its block is touched.
            self.newest_inserted.fetch_max(row, Ordering::Release);
        }
    }

    /// Which rows exist now, when `loaded` of them existed before anything was inserted or deleted.
    /// `None` while the fate of some is unknown.
    pub fn presence(&self, loaded: Presence) -> Option<Presence> {
        if self.unknown() > 0 {
            return None;
        }
        let [count, sum, squares] = [0, 1, 2].map(|part: usize| self.changed[part].load(Ordering::Relaxed));
        Some(Presence {
            count: loaded.count.wrapping_add(count),
            sum: loaded.sum.wrapping_add(sum),
            squares: loaded.squares.wrapping_add(squares),
        })
    }

    /// The acknowledged row with the highest key and its state, where it is known to exist.
    pub fn newest(&self) -> Option<(u32, State)> {
        let newest = self.highest_written();
        // Looked at once: another worker may have deleted the row when it is looked at again.
        let state = self.acknowledged(newest);
        state.present().then_some((newest, state))
    }

    /// The highest row that was ever loaded or inserted.
    pub fn highest_written(&self) -> u32 {
        self.newest_inserted.load(Ordering::Acquire).max(self.loaded.saturating_sub(1))
    }

    /// All rows that may exist and some that do not, in order: blocks that were neither loaded nor written are left out, since
    /// phases that time alone ends leave hundreds of millions of rows unused between theirs.
    pub fn rows_used(&self) -> impl DoubleEndedIterator<Item = u32> {
        let end = self.highest_written() as usize + 1;
        (0..end.div_ceil(BLOCK)).flat_map(move |block| {
            let start = block * BLOCK;
            let is_touched = self.touched.get(block).is_some_and(|touched| touched.load(Ordering::Relaxed));
            let used = if is_touched { start + BLOCK } else { self.loaded as usize };
            start as u32..used.min(end).clamp(start, start + BLOCK) as u32
        })
    }

    /// Rows whose existence is unknown since an insert or delete failed.
    pub fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }

    /// Notes a write whose fate is unknown.
    pub fn add_unknown(&self, fate: Fate) {
        self.unknown.fetch_add(u64::from(fate != Fate::Exists), Ordering::Relaxed);
        self.maybe_gone.fetch_add(u64::from(fate == Fate::MayBeGone), Ordering::Relaxed);
    }

    /// Notes loads that failed: any row that was only loaded may be absent, since single loads are
    /// not kept apart.
    pub fn add_failed_loads(&self, rows: u64) {
        self.load_failed.store(true, Ordering::Relaxed);
        self.unknown.fetch_add(rows, Ordering::Relaxed);
        self.maybe_gone.fetch_add(rows, Ordering::Relaxed);
    }

    /// Whether a row in this acknowledged state may be absent since a load failed.
    pub fn may_never_have_been_loaded(&self, acknowledged: State) -> bool {
        acknowledged == State::LOADED && self.load_failed.load(Ordering::Relaxed)
    }

    /// Rows that surely exist, when `loaded` of them were loaded.
    pub fn surely_present(&self, loaded: Presence) -> u64 {
        let present = loaded.count.wrapping_add(self.changed[0].load(Ordering::Relaxed));
        present.saturating_sub(self.maybe_gone.load(Ordering::Relaxed))
    }

    /// Takes the start of `after` back: the store said that it changed nothing. Where a later write
    /// of the row is under way already, its start stands.
    pub fn take_back(&self, row: u32, before: State, after: State) {
        if let Some(entry) = self.started.get(row as usize).filter(|_| self.started(row) == after) {
            entry.store(before.0, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loaded_rows_need_no_entry() {
        let ledger = Ledger::new(10, 20);
        assert_eq!(ledger.acknowledged(3), State::LOADED);
        assert_eq!(ledger.started(3), State::LOADED);
        assert_eq!(ledger.acknowledged(10), State::NEVER);
        assert_eq!(ledger.acknowledged(1_000), State::NEVER);
        assert!(!ledger.any_written());
    }

    #[test]
    fn it_is_known_when_writes_were_acknowledged_where_that_is_asked_for() {
        let ledger = Ledger::new(4, 4).with_times();
        for row in [1, 2] {
            std::thread::sleep(std::time::Duration::from_millis(2));
            ledger.start(row, State::with_version(1));
            ledger.acknowledge(row, State::with_version(1));
        }
        assert_eq!((ledger.before_last_ns(2), ledger.before_last_ns(3)), (Some(0), None));
        assert!(ledger.before_last_ns(1).is_some_and(|ns| ns >= 2_000_000));
        assert_eq!(Ledger::new(4, 4).before_last_ns(1), None);
    }

    #[test]
    fn a_copy_has_the_states_of_all_rows_and_goes_its_own_way() {
        let capacity = 3 * BLOCK + 5;
        let ledger = Ledger::new(10, capacity);
        let rows = [0, 9, BLOCK as u32 - 1, BLOCK as u32, capacity as u32 - 1];
        for (at, row) in rows.into_iter().enumerate() {
            ledger.start(row, State::with_version(at as u32 + 1));
            if at % 2 == 0 {
                ledger.acknowledge(row, State::with_version(at as u32 + 1));
            }
        }
        let copy = ledger.copy();
        let states = |ledger: &Ledger| {
            let state = |row| (ledger.started(row), ledger.acknowledged(row));
            (0..capacity as u32).map(state).collect::<Vec<_>>()
        };
        assert_eq!(states(&copy), states(&ledger));
        assert_eq!((copy.any_written(), copy.highest_written()), (true, ledger.highest_written()));
        copy.start(2 * BLOCK as u32, State::with_version(7));
        assert_eq!(ledger.started(2 * BLOCK as u32), State::NEVER);
        assert_eq!(states(&copy.copy()), states(&copy));
    }

    #[test]
    fn rows_that_were_used_leave_out_what_lies_between_them() {
        let (loaded, far) = (BLOCK as u32 + 3, 4 * BLOCK as u32 + 7);
        let ledger = Ledger::new(loaded, 6 * BLOCK);
        assert_eq!(ledger.rows_used().collect::<Vec<_>>(), (0..loaded).collect::<Vec<_>>());
        for row in [loaded + 2, far] {
            ledger.start(row, State::with_version(1));
            ledger.acknowledge(row, State::with_version(1));
        }
        let used: Vec<u32> = ledger.rows_used().collect();
        let expected: Vec<u32> = (0..2 * BLOCK as u32).chain(4 * BLOCK as u32..=far).collect();
        assert!(used == expected, "{} rows, the last {:?}", used.len(), used.last());
        let down: Vec<u32> = ledger.rows_used().rev().collect();
        assert!(down.iter().eq(expected.iter().rev()));
        assert_eq!(Ledger::new(0, 5).rows_used().count(), 0);
    }

    #[test]
    fn states_follow_the_writes_of_a_row() {
        let updated = State::LOADED.written();
        assert_eq!((updated.version(), updated.present()), (1, true));
        let deleted = updated.deleted();
        assert_eq!((deleted.writes(), deleted.present()), (3, false));
        let again = deleted.written();
        assert_eq!((again.version(), again.present()), (3, true));
        assert_eq!(State::NEVER.written(), State::LOADED);
    }

    #[test]
    fn presence_follows_inserts_and_deletes() {
        let ledger = Ledger::new(10, 20);
        let mut expected = Presence::default();
        (0..10).for_each(|row| expected.add(row));
        assert_eq!(Presence::below(10), expected);
        ledger.acknowledge(12, State::NEVER.written());
        ledger.acknowledge(3, State::LOADED.deleted());
        let mut expected = Presence::default();
        (0..13).filter(|row| ![3, 10, 11].contains(row)).for_each(|row| expected.add(row));
        assert_eq!(ledger.presence(Presence::below(10)), Some(expected));
        assert_eq!(ledger.newest(), Some((12, State::LOADED)));
        ledger.acknowledge(12, State::LOADED.deleted());
        assert_eq!(ledger.newest(), None);
        ledger.acknowledge(12, State::with_version(2));
        assert_eq!(ledger.surely_present(Presence::below(10)), 10);
        ledger.add_unknown(Fate::MayExist);
        assert_eq!(ledger.presence(Presence::below(10)), None);
        assert_eq!(ledger.surely_present(Presence::below(10)), 10);
        ledger.add_unknown(Fate::MayBeGone);
        assert_eq!((ledger.surely_present(Presence::below(10)), ledger.unknown()), (9, 2));
    }

    #[test]
    fn a_started_write_is_not_acknowledged() {
        let ledger = Ledger::new(10, 10);
        ledger.start(4, State::LOADED.written());
        assert_eq!(ledger.acknowledged(4), State::LOADED);
        assert_eq!(ledger.started(4), State::LOADED.written());
        ledger.acknowledge(4, State::LOADED.written());
        assert_eq!(ledger.acknowledged(4), State::LOADED.written());
        assert!(ledger.any_written());
    }
}
