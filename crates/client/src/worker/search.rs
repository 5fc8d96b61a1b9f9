//! Searches: which range is asked for, and which rows must come.

use kurabe_protocol::{MAX_SAFE_INTEGER, SearchRange};

use super::check::Finding;
use super::multi_row::StampedResult;
use super::{Op, Worker};
use crate::adapter::{Range, RowSink, StoreError};
use crate::clock::{now_ns, start_ns};
use crate::ledger::State;
use crate::phase::SearchTarget;

/// What one search asks for, and the rows whose coming is looked at.
struct SearchPlan {
    range: Range,
    /// First of the rows that are looked at, and how many they are.
    first: u32,
    rows: u32,
    /// What was acknowledged of each of them before; empty where nothing is written meanwhile.
    before: Vec<State>,
}

/// A search that is under way.
pub struct Searching {
    plan: SearchPlan,
    received: ReceivedRows,
}

impl Searching {
    /// What it asks for.
    pub fn range(&self) -> &Range {
        &self.plan.range
    }
}

/// Which rows came, a bit each.
struct ReceivedRows {
    first: u32,
    bits: Vec<u64>,
}

impl ReceivedRows {
    fn empty(first: u32, rows: u64) -> ReceivedRows {
        ReceivedRows { first, bits: vec![0; rows.div_ceil(64) as usize] }
    }

    /// Marks a row; whether it came before. Rows beyond those that can be are told by the check of their keys.
    fn mark(&mut self, row: u32) -> bool {
        let Some(at) = row.checked_sub(self.first) else { return false };
        let Some(bits) = self.bits.get_mut(at as usize / 64) else { return false };
        let bit = 1 << (at % 64);
        let again = *bits & bit != 0;
        *bits |= bit;
        again
    }

    fn has(&self, row: u32) -> bool {
        let at = row - self.first;
        self.bits[at as usize / 64] & (1 << (at % 64)) != 0
    }
}

impl Worker<'_> {
    /// Runs a search through `ask` and checks every row and the whole; returns its stamps without the time that
    /// checking took.
    pub fn search(
        &mut self,
        op: &Op,
        search: SearchTarget,
        ask: impl FnOnce(&Range, &mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> StampedResult {
        let mut searching = self.begin_search(op, search);
        let range = searching.plan.range;
        let (mut start, mut end) = (0, 0);
        let asked = self.take_search(&mut searching, |sink| {
            start = start_ns();
            let asked = ask(&range, sink);
            end = now_ns() - sink.paused_ns();
            asked
        });
        asked.map_err(|error| (error, start, end))?;
        self.end_search(searching);
        Ok((start, end))
    }

    /// Begins the search of `op`: which range it asks for, and what is known of its rows.
    pub fn begin_search(&self, op: &Op, search: SearchTarget) -> Searching {
        let plan = self.plan_search(op, search);
        // Of a search without an upper end rows can come that are inserted meanwhile.
        let marked = match search.wanted {
            SearchRange::Rows(_) => u64::from(plan.rows),
            SearchRange::AtLeast(_) => u64::from(plan.rows).max(self.context.ledger.capacity() as u64),
        };
        let received = ReceivedRows::empty(plan.first, marked);
        Searching { plan, received }
    }

    /// Takes rows that a search found from `give` and checks every one.
    pub fn take_search(
        &mut self,
        searching: &mut Searching,
        give: impl FnOnce(&mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (context, range, received) = (self.context, searching.plan.range, &mut searching.received);
        let mut count = 0;
        let mut check = |row: u32, raw: &[u8]| {
            count += 1;
            self.check_scanned(row, raw, false);
            let value = context.layout.int_field(raw, range.field);
            if !value.is_some_and(|value| (range.low..=range.high).contains(&value)) {
                self.found(Finding::Wrong, format!("a search gave row {row}, whose value is not in the range"));
            }
            if received.mark(row) {
                self.found(Finding::Miscounted, format!("a search gave row {row} again"));
            }
        };
        let mut sink = RowSink::new(context.layout, &mut check);
        let given = give(&mut sink);
        sink.finish();
        drop(sink);
        self.rows_read += count;
        given
    }

    /// Checks a search as a whole.
    pub fn end_search(&mut self, Searching { plan, received }: Searching) {
        self.check_search(&plan, &received);
    }

    /// Least and greatest value that the search of `op` asks for, as far as 32 bits hold them; generated values have 31.
    pub(crate) fn search_bounds(&self, op: &Op) -> Option<(u32, u32)> {
        let range = self.plan_search(op, self.context.search?).range;
        let bound = |value: i64| u32::try_from(value).unwrap_or(u32::MAX);
        Some((bound(range.low), bound(range.high)))
    }

    fn plan_search(&self, op: &Op, SearchTarget { field, wanted }: SearchTarget) -> SearchPlan {
        let context = self.context;
        let (range, first, rows) = match wanted {
            SearchRange::Rows(rows) => {
                let loaded = context.ledger.loaded().max(1);
                let rows = rows.clamp(1, loaded);
                let first = op.key.row.min(loaded - rows);
                let value = |row: u32| context.layout.int_value(row, 0, field).unwrap_or_default();
                (Range { field, low: value(first), high: value(first + rows - 1) }, first, rows)
            }
            // No value is larger than the other end: stores get a range as they do otherwise.
            SearchRange::AtLeast(least) => {
                let range = Range { field, low: least as i64, high: MAX_SAFE_INTEGER as i64 };
                (range, 0, context.ledger.highest_written().saturating_add(1))
            }
        };
        let is_written = context.phase.writes_rows();
        let looked_at = if is_written { first..first + rows } else { 0..0 };
        SearchPlan { range, first, rows, before: looked_at.map(|row| context.ledger.acknowledged(row)).collect() }
    }

    /// Every row that was in the range all the time must have come.
    fn check_search(&mut self, plan: &SearchPlan, received: &ReceivedRows) {
        self.checks.checked += 1;
        let (context, range) = (self.context, plan.range);
        for (at, row) in (plan.first..plan.first + plan.rows).enumerate() {
            if received.has(row) || !context.knows(row) {
                continue;
            }
            // Where nothing is written it still is what it was.
            let before = plan.before.get(at).copied().unwrap_or_else(|| context.ledger.acknowledged(row));
            let certain = before.present()
                && context.ledger.started(row) == before
                && !context.ledger.may_never_have_been_loaded(before);
            let value = context.layout.int_value(row, before.version(), range.field);
            if certain && value.is_some_and(|value| (range.low..=range.high).contains(&value)) {
                self.found(Finding::Lost, format!("a search for {} to {} left row {row} out", range.low, range.high));
            }
        }
    }
}
