//! The rows of the store, as requests ask for them: over the connection of the thread, under numbers that are given
//! once.
//!
//! A store that can neither scan nor tell its newest rows knows its rows by name alone. To go through the numbers one
//! by one would take for ever behind one high number, and to guess where they end would hide rows. So the numbers are
//! read from the store once, when they are first needed, and kept as [`KnownRows`] from then on. No memory goes to it where
//! the store can tell.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kurabe_client::served::{Served, Window, Write};
use kurabe_client::{RowBuffer, StoreError, WriteOutcome};
use kurabe_messages::{Language, message};
use kurabe_protocol::{CallName, Layout, Operation, ReplyOutcome};

use crate::known::KnownRows;

/// A number that was taken meanwhile is followed by the next, so often.
const TRIES: u32 = 100;
/// So many numbers are taken from what is known at a time.
const PIECE: usize = 1_000;
/// So long one request may look for rows one by one: the other requests of its thread wait meanwhile.
const LOOK_LIMIT: Duration = Duration::from_millis(200);

thread_local! {
    /// The connection of this thread.
    static WINDOW: RefCell<Option<Box<dyn Window>>> = const { RefCell::new(None) };
}

/// Gives the connection of this thread back.
pub(crate) fn close_window() {
    WINDOW.set(None);
}

/// The rows of a store.
pub(crate) struct Posts {
    store: Box<dyn Served>,
    layout: Arc<Layout>,
    /// The number of the next row that gets one here.
    next: AtomicU32,
    /// Which rows there are, once somebody needed it.
    known: Mutex<Option<KnownRows>>,
    /// Whether somebody needed it: set before the store is asked, so that no write is missed meanwhile.
    is_known: AtomicBool,
}

impl Posts {
    pub fn new(store: Box<dyn Served>, layout: Arc<Layout>) -> Posts {
        Posts { store, layout, next: AtomicU32::new(0), known: Mutex::new(None), is_known: AtomicBool::new(false) }
    }

    /// Looks which rows are there, so that a new one gets the next number.
    pub fn look(&self) -> Result<(), StoreError> {
        let mut window = self.store.window()?;
        let mut newest = None;
        match window.latest(1, &mut |row, _| newest = Some(row)) {
            Err(StoreError::Unsupported) => newest = self.with_known(&mut *window, |known| known.newest())?,
            told => told?,
        }
        self.next.store(newest.map_or(0, |row| row.saturating_add(1)), Ordering::Relaxed);
        Ok(())
    }

    /// What the store can do. Rows that are read one by one make up for what it cannot.
    pub fn operations(&self) -> Vec<Operation> {
        use Operation::{Delete, Increment, Insert, Latest, Load, Read, Scan, Update};
        let own = self.store.capabilities().operations;
        let can = |operation: &Operation| {
            own.contains(operation) || (matches!(operation, Scan | Latest) && own.contains(&Read))
        };
        [Load, Insert, Read, Update, Delete, Scan, Latest, Increment].into_iter().filter(can).collect()
    }

    /// Answers a call. Those that make and remove the table change which rows there are.
    pub fn call(&self, name: CallName) -> ReplyOutcome {
        let answer = self.store.call(name);
        if matches!(name, CallName::Create | CallName::Reset) {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            *known = None;
            self.is_known.store(false, Ordering::SeqCst);
        }
        answer
    }

    pub fn read(&self, row: u32, value: &mut RowBuffer) -> Result<bool, StoreError> {
        self.with(|window| window.read(row, value))
    }

    pub fn update(&self, row: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError> {
        self.with(|window| window.write(Write::Update, row, raw))
    }

    pub fn increment(&self, counter: u32) -> Result<(), StoreError> {
        self.with(|window| window.increment(counter))
    }

    pub fn delete(&self, row: u32) -> Result<WriteOutcome, StoreError> {
        self.with(|window| {
            let deleted = window.delete(row)?;
            self.forget(window, row)?;
            Ok(deleted)
        })
    }

    /// Writes a new row, under the number that it has or the next one; `None` where it exists.
    pub fn add(&self, row: Option<u32>, raw: &[u8]) -> Result<Option<u32>, StoreError> {
        if let Some(row) = row {
            let written = self.insert(row, raw)?;
            self.next.fetch_max(row.saturating_add(1), Ordering::Relaxed);
            return Ok((written == WriteOutcome::Done).then_some(row));
        }
        for _ in 0..TRIES {
            // The highest number names no row.
            let given = self.next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |row| row.checked_add(1));
            let Ok(row) = given else {
                return Err(StoreError::store(message!(board_numbers_used).text(Language::English)));
            };
            if self.insert(row, raw)? == WriteOutcome::Done {
                return Ok(Some(row));
            }
        }
        Err(StoreError::store(message!(board_no_free_number).text(Language::English)))
    }

    fn insert(&self, row: u32, raw: &[u8]) -> Result<WriteOutcome, StoreError> {
        let written = self.with(|window| window.write(Write::Insert, row, raw))?;
        // One that was there already may be that of another program.
        self.note(|known| known.insert(row));
        Ok(written)
    }

    /// Gives the newest rows to `take`, newest first.
    pub fn latest(&self, rows: u32, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.with(|window| match window.latest(rows, take) {
            Err(StoreError::Unsupported) => self.one_by_one(window, rows as usize, take),
            other => other,
        })
    }

    /// Gives rows below `end` to `take`, highest first, until that refuses one or the time is over; the number below
    /// which further ones may be.
    pub fn rows_before(&self, end: u32, take: &mut dyn FnMut(u32, &[u8]) -> bool) -> Result<Option<u32>, StoreError> {
        let until = Instant::now() + LOOK_LIMIT;
        self.with(|window| match self.is_known.load(Ordering::SeqCst) {
            true => self.known_below(window, end, until, take),
            false => self.any_below(window, end, until, take),
        })
    }

    /// Of a store that can tell its newest rows, whose numbers are not kept here.
    fn any_below(
        &self,
        window: &mut dyn Window,
        end: u32,
        until: Instant,
        take: &mut dyn FnMut(u32, &[u8]) -> bool,
    ) -> Result<Option<u32>, StoreError> {
        read_in_turn(window, (0..end).rev(), until, &mut RowBuffer::new(&self.layout), take)
    }

    fn known_below(
        &self,
        window: &mut dyn Window,
        end: u32,
        until: Instant,
        take: &mut dyn FnMut(u32, &[u8]) -> bool,
    ) -> Result<Option<u32>, StoreError> {
        let mut value = RowBuffer::new(&self.layout);
        let mut end = end;
        loop {
            let rows = self.with_known(window, |known| known.rows_before(end, PIECE))?;
            let Some(lowest) = rows.last() else { return Ok(None) };
            end = *lowest;
            let next = read_in_turn(window, rows.into_iter(), until, &mut value, take)?;
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Gives all rows to `take`, in any order.
    pub fn scan(&self, take: &mut dyn FnMut(u32, &[u8])) -> Result<(), StoreError> {
        self.with(|window| match window.scan(take) {
            Err(StoreError::Unsupported) => self.one_by_one(window, usize::MAX, take),
            other => other,
        })
    }

    /// Does something over the connection of this thread, which is made when it is first needed and when it was lost.
    fn with<T>(&self, work: impl FnOnce(&mut dyn Window) -> Result<T, StoreError>) -> Result<T, StoreError> {
        WINDOW.with_borrow_mut(|slot| {
            let mut window = match slot.take() {
                Some(window) => window,
                None => self.store.window()?,
            };
            let done = work(&mut *window);
            if !matches!(done, Err(StoreError::Disconnected(_))) {
                *slot = Some(window);
            }
            done
        })
    }

    fn one_by_one(
        &self,
        window: &mut dyn Window,
        most: usize,
        take: &mut dyn FnMut(u32, &[u8]),
    ) -> Result<(), StoreError> {
        let mut value = RowBuffer::new(&self.layout);
        let (mut end, mut found) = (u32::MAX, 0);
        while found < most {
            let rows = self.with_known(window, |known| known.rows_before(end, PIECE.min(most - found)))?;
            let Some(lowest) = rows.last() else { break };
            end = *lowest;
            for row in rows {
                if window.read(row, &mut value)? {
                    found += 1;
                    take(row, value.raw());
                } else {
                    self.forget(window, row)?;
                }
            }
        }
        Ok(())
    }

    /// Uses which rows there are; the store is asked for it the first time.
    fn with_known<T>(&self, window: &mut dyn Window, give: impl FnOnce(&KnownRows) -> T) -> Result<T, StoreError> {
        let mut slot = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*slot {
            return Ok(give(known));
        }
        self.is_known.store(true, Ordering::SeqCst);
        let mut known = KnownRows::default();
        match self.store.list_rows(&mut |row| known.insert(row)) {
            Err(StoreError::Unsupported) => window.scan(&mut |row, _| known.insert(row))?,
            listed => listed?,
        }
        Ok(give(slot.insert(known)))
    }

    /// Changes what is known, where somebody needs it.
    fn note(&self, change: impl FnOnce(&mut KnownRows)) {
        if self.is_known.load(Ordering::SeqCst) {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = known.as_mut().map(change);
        }
    }

    /// Notes that a row is gone. Somebody may have written it again and noted that before: so it is looked for once
    /// more.
    fn forget(&self, window: &mut dyn Window, row: u32) -> Result<(), StoreError> {
        if self.is_known.load(Ordering::SeqCst) {
            self.note(|known| known.remove(row));
            if window.read(row, &mut RowBuffer::new(&self.layout))? {
                self.note(|known| known.insert(row));
            }
        }
        Ok(())
    }
}

/// Gives rows to `take`, in this order, until that refuses one or the time is over; the number above the one that was
/// not given.
fn read_in_turn(
    window: &mut dyn Window,
    rows: impl Iterator<Item = u32>,
    until: Instant,
    value: &mut RowBuffer,
    take: &mut dyn FnMut(u32, &[u8]) -> bool,
) -> Result<Option<u32>, StoreError> {
    for row in rows {
        if Instant::now() >= until || (window.read(row, value)? && !take(row, value.raw())) {
            return Ok(Some(row + 1));
        }
    }
    Ok(None)
}

#[cfg(test)]
#[path = "posts_tests.rs"]
mod tests;
