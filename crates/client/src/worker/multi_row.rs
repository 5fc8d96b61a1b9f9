//! Operations that answer with many rows: how they are chosen and checked.

use kurabe_protocol::Operation;

use super::check::Finding;
use super::search::Searching;
use super::{Op, Worker};
use crate::adapter::{Answers, Key, RowSink, StoreError};
use crate::arrivals::ArrivalFault;
use crate::clock::{now_ns, start_ns};
use crate::ledger::State;
use crate::tally::Tally;

/// The row with the highest key, as far as is known.
struct Highest {
    /// Its place in the order of keys.
    place: u32,
    row: u32,
    state: State,
}

/// What gives many rows of itself, and is checked as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Many {
    /// All rows, in any order.
    Scan,
    /// So many of the newest rows, the newest first.
    Latest {
        /// Rows that are asked for.
        rows: u32,
    },
}

/// A scan or latest that is under way: what was known when it was asked, and what came so far.
pub struct ScanProgress {
    expected: Expected,
    tally: Tally,
}

/// What must come, as far as that is known when it is asked for.
enum Expected {
    /// All rows, in any order.
    All,
    /// So many by their keys, down from the newest row where it is known.
    ByKeys { wanted: u32, newest: Option<Highest> },
    /// So many by arrival: the tick, and the rows as they came.
    ByArrival { wanted: u32, asked_at: u32, rows: Vec<u32> },
}

/// What answers with many rows and is under way.
pub enum Reading {
    /// A scan or latest.
    Many(ScanProgress),
    /// A search.
    Search(Searching),
}

/// Stamps of an operation, or its error and stamps.
pub(super) type StampedResult = Result<(u64, u64), (StoreError, u64, u64)>;

impl Worker<'_> {
    /// Room for the answers to one multi-read or `open` of the phase; for none where it has neither.
    pub fn answers(&self) -> Answers {
        let phase = self.context.phase;
        let rows = phase.multi_read_rows().or(phase.open_rows()).map(|rows| rows.min(self.choice.readable_rows()));
        Answers::new(rows.map_or(0, |rows| rows as usize), self.context.layout)
    }

    /// Draws as many keys of a multi-read as there is room for, all different; `asked` is what is acknowledged of their rows.
    pub fn ask_many(&mut self, answers: &mut Answers, asked: &mut Vec<State>) {
        answers.clear();
        asked.clear();
        // What was drawn last, and the row that was taken for it: where the same is drawn again all between them is asked for.
        let mut last: Option<(u32, u32)> = None;
        for _ in 0..answers.room() {
            let drawn = self.choice.row_to_read();
            let mut row = last.filter(|(before, _)| *before == drawn).map_or(drawn, |(_, taken)| taken);
            while answers.asks_for(row) {
                row = self.choice.neighbour(row);
            }
            last = Some((drawn, row));
            self.ask(row, answers, asked);
        }
        answers.sort(self.context.layout.keys());
    }

    /// Asks for the row of `op` and those that follow it, as many as there is room for.
    pub fn ask_in_order(&self, op: &Op, answers: &mut Answers, asked: &mut Vec<State>) {
        answers.clear();
        asked.clear();
        let mut row = op.key.row;
        for _ in 0..answers.room() {
            self.ask(row, answers, asked);
            row = self.choice.neighbour(row);
        }
    }

    /// Does one operation `open`: `open` is to read the rows that are asked for over a connection of its own. Returns when it
    /// ended.
    pub fn open_once(
        &mut self,
        raw: &mut [u8],
        answers: &mut Answers,
        asked: &mut Vec<State>,
        open: impl FnOnce(&mut Answers) -> Result<(), StoreError>,
    ) -> u64 {
        let op = self.next_op(raw);
        self.ask_in_order(&op, answers, asked);
        let start = start_ns();
        let outcome = open(answers);
        let end = now_ns();
        match outcome {
            Ok(()) => {
                self.settle_many(asked, answers.iter());
                self.count(op.kind, start, end, 1);
            }
            Err(error) => self.fail(op.kind, &error, start, end),
        }
        end
    }

    fn ask(&self, row: u32, answers: &mut Answers, asked: &mut Vec<State>) {
        asked.push(self.context.ledger.acknowledged(row));
        answers.ask(Key::new(row, self.context.layout));
    }

    /// Checks the answers of a multi-read or of an `open`.
    pub fn settle_many<'b>(&mut self, asked: &[State], answers: impl Iterator<Item = (&'b Key, Option<&'b [u8]>)>) {
        for (before, (key, value)) in asked.iter().zip(answers) {
            let after = self.context.ledger.started(key.row);
            self.rows_read += u64::from(value.is_some());
            self.check_row(key.row, value, *before, after);
        }
    }

    /// Begins a scan or latest: what must be known before it is asked.
    pub fn begin_many(&self, many: Many) -> ScanProgress {
        let expected = match (many, self.context.ledger.arrivals()) {
            (Many::Scan, _) => Expected::All,
            (Many::Latest { rows: wanted }, None) => Expected::ByKeys { wanted, newest: self.newest() },
            (Many::Latest { rows: wanted }, Some(arrivals)) => {
                Expected::ByArrival { wanted, asked_at: arrivals.now(), rows: Vec::new() }
            }
        };
        ScanProgress { expected, tally: Tally::default() }
    }

    /// Takes rows of a scan or latest from `give` and checks every one.
    pub fn take_many(
        &mut self,
        coming: &mut ScanProgress,
        give: impl FnOnce(&mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let ScanProgress { expected, tally } = coming;
        let before = tally.count;
        let context = self.context;
        let quiet = context.phase.connections == 1 || !context.phase.writes();
        let mut check = |row: u32, raw: &[u8]| {
            let place = if let Expected::ByKeys { .. } = expected { context.layout.keys().rank(row) } else { row };
            let place_above = tally.take(row, place, context.knows(row));
            self.check_scanned(row, raw, quiet);
            match expected {
                Expected::All => {}
                Expected::ByKeys { .. } => self.check_gap(place, place_above),
                Expected::ByArrival { rows, .. } => rows.push(row),
            }
        };
        let mut sink = RowSink::new(context.layout, &mut check);
        let given = give(&mut sink);
        sink.finish();
        drop(sink);
        self.rows_read += tally.count - before;
        given
    }

    /// Checks a scan or latest as a whole.
    pub fn end_many(&mut self, ScanProgress { expected, tally }: ScanProgress) {
        match expected {
            Expected::All => self.check_scan(&tally),
            Expected::ByKeys { wanted, newest } => self.check_latest(wanted.into(), &tally, newest),
            Expected::ByArrival { wanted, asked_at, rows } => self.check_arrival(wanted, &rows, asked_at),
        }
    }

    /// Runs a scan or latest through `ask`, checks every row and the whole, and returns its stamps
    /// without the time that checking took.
    pub fn read_many(
        &mut self,
        many: Many,
        ask: impl FnOnce(&mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> StampedResult {
        let mut coming = self.begin_many(many);
        let (mut start, mut end) = (0, 0);
        let asked = self.take_many(&mut coming, |sink| {
            start = start_ns();
            let asked = ask(sink);
            end = now_ns() - sink.paused_ns();
            asked
        });
        asked.map_err(|error| (error, start, end))?;
        self.end_many(coming);
        Ok((start, end))
    }

    /// Begins what answers with many rows: a scan, latest or a search.
    pub fn begin_reading(&self, op: &Op) -> Result<Reading, StoreError> {
        let context = self.context;
        match (op.kind, context.search, context.latest_rows) {
            (Operation::Scan, ..) => Ok(Reading::Many(self.begin_many(Many::Scan))),
            (Operation::Latest, _, Some(rows)) => Ok(Reading::Many(self.begin_many(Many::Latest { rows }))),
            (Operation::Search, Some(search), _) => Ok(Reading::Search(self.begin_search(op, search))),
            _ => Err(StoreError::Unsupported),
        }
    }

    /// Takes rows that came of it and checks every one.
    pub fn take_reading(
        &mut self,
        reading: &mut Reading,
        give: impl FnOnce(&mut RowSink<'_>) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        match reading {
            Reading::Many(coming) => self.take_many(coming, give),
            Reading::Search(searching) => self.take_search(searching, give),
        }
    }

    /// Checks it as a whole.
    pub fn end_reading(&mut self, reading: Reading) {
        match reading {
            Reading::Many(coming) => self.end_many(coming),
            Reading::Search(searching) => self.end_search(searching),
        }
    }

    pub(super) fn check_scanned(&mut self, row: u32, raw: &[u8], quiet: bool) {
        let context = self.context;
        if !context.knows(row) {
            // Another process writes this row: its value must be whole, of whatever version.
            let version = context.layout.claimed_version(raw).unwrap_or(0);
            self.checks.checked += 1;
            if let Err(wrong) = context.layout.check(context.pool, row, raw, version, version) {
                self.wrong(row, raw, wrong, version, version);
            }
            return;
        }
        let before = if quiet { context.ledger.acknowledged(row) } else { State::LOADED };
        self.check_row(row, Some(raw), before, context.ledger.started(row));
    }

    /// The place in the order of keys of the highest row that exists, the row and its state; none where it is unknown.
    fn newest(&self) -> Option<Highest> {
        /// No study deletes so many of the highest keys that it takes longer to find one that is left.
        const LOOKED_AT: u32 = 1_000_000;
        let (ledger, keys) = (self.context.ledger, self.context.layout.keys());
        let Some(own) = keys.own() else {
            let (row, state) = ledger.newest()?;
            return Some(Highest { place: row, row, state });
        };
        let mut places = (own.count().saturating_sub(LOOKED_AT)..own.count()).rev();
        places.find_map(|place| {
            let row = keys.at_rank(place);
            let state = ledger.acknowledged(row);
            (row < ledger.loaded() && state.present()).then_some(Highest { place, row, state })
        })
    }

    /// Rows between two answers of `latest`, told by their places in the order of keys, must not exist.
    fn check_gap(&mut self, place: u32, above: Option<u32>) {
        /// Gaps come from deletes and from workers that stopped at different numbers; no honest one is longer.
        const LONGEST_GAP: u32 = 1_000_000;
        let Some(above) = above else { return };
        if above <= place || above - place > LONGEST_GAP {
            return;
        }
        let context = self.context;
        if !context.existence_is_known() {
            return;
        }
        let keys = context.layout.keys();
        let skipped = (place + 1..above).map(|place| keys.at_rank(place)).find(|between| {
            let state = context.ledger.acknowledged(*between);
            // A write that is not acknowledged may be a delete.
            let surely = state.present() && context.ledger.started(*between) == state;
            let loaded = !context.ledger.may_never_have_been_loaded(state);
            context.knows(*between) && surely && loaded
        });
        if let Some(between) = skipped {
            let (above, row) = (keys.at_rank(above), keys.at_rank(place));
            self.found(Finding::Lost, format!("latest gave row {above}, then row {row}, but row {between} exists"));
        }
    }

    fn check_scan(&mut self, tally: &Tally) {
        self.checks.checked += 1;
        let phase = self.context.phase;
        if phase.does(Operation::Insert) || phase.does(Operation::Delete) {
            return;
        }
        let Some(expected) = self.context.expected_presence() else { return };
        let expected = expected.times(self.context.copies.into());
        if tally.known != expected {
            let (gave, exist) = (tally.known.count, expected.count);
            let message = if gave == exist {
                format!("a scan gave as many rows as there are, {exist}, but some twice and others not at all")
            } else {
                // A row whose key or value is wrong is none of those that it gave.
                format!("a scan gave {gave} rows where {exist} exist, of {} that came", tally.count)
            };
            self.found(Finding::Miscounted, message);
        }
    }

    /// Checks rows that the store numbers, as `latest` gave them.
    fn check_arrival(&mut self, wanted: u32, rows: &[u32], asked_at: u32) {
        self.checks.checked += 1;
        let ledger = self.context.ledger;
        if rows.len() > wanted as usize {
            return self.found(Finding::Miscounted, format!("latest {wanted} gave {} rows", rows.len()));
        }
        let fault = ledger.arrivals().and_then(|arrivals| arrivals.fault(rows, wanted as usize, asked_at));
        match fault {
            None => {}
            Some(ArrivalFault::Twice(row)) => {
                self.found(Finding::Miscounted, format!("latest {wanted} gave row {row} twice"));
            }
            Some(ArrivalFault::Disordered { newer, older }) => {
                let words = format!("latest {wanted} gave row {newer} before row {older}, which was inserted after it");
                self.found(Finding::Miscounted, words);
            }
            Some(ArrivalFault::Missing(row)) if ledger.may_never_have_been_loaded(ledger.acknowledged(row)) => {}
            Some(ArrivalFault::Missing(row)) => {
                self.found(Finding::Lost, format!("latest {wanted} did not give row {row}, which is among the newest"));
            }
        }
    }

    fn check_latest(&mut self, wanted: u64, tally: &Tally, newest: Option<Highest>) {
        self.checks.checked += 1;
        let context = self.context;
        // Deletes that wait for their commit are acknowledged as present, but seen as gone.
        let maybe_gone = self.pending.iter().filter(|(_, state)| !state.present()).count() as u64;
        let exists = context.rows_present().saturating_sub(maybe_gone);
        let too_few = context.processes == 1 && context.existence_is_known() && tally.count < wanted.min(exists);
        if tally.count > wanted || too_few || tally.disordered {
            let order = if tally.disordered { "not newest first" } else { "in order" };
            let message = format!("latest {wanted} gave {} rows, {order}", tally.count);
            return self.found(Finding::Miscounted, message);
        }
        let Some(Highest { place, row: newest, state }) = newest else { return };
        // Where a write of the newest row started meanwhile, it may be a delete.
        let exists = context.ledger.started(newest) == state && !context.ledger.may_never_have_been_loaded(state);
        if let Some(first) = tally.first.filter(|first| *first < place && exists) {
            let first = context.layout.keys().at_rank(first);
            self.found(Finding::Lost, format!("latest began with row {first}, but row {newest} exists"));
        }
    }
}
