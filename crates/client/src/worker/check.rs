//! What an answer is worth: whether the row can have had that state, and what is said where it cannot.
//!
//! A read is right if its version lies between the last one acknowledged before it started and the last one started before it
//! ended. A row is acknowledged when the commit that holds it has returned; a write of unknown fate stays started, and so do the
//! writes before it that wait for their commit. What is wrong is `wrong` (another row, torn, altered), `stale` (too old), `lost` (must
//! exist and was not found; an insert that was taken though the row was there), `phantom` (never written, or deleted; an insert that
//! was refused though there was no such row) or `miscounted` (many rows: too few, too many, twice, or in a wrong order). Cases are
//! in `vectors/oracle.json`.

use kurabe_protocol::{Checks, Operation, Wrong};

use super::{Op, Worker};
use crate::adapter::{Key, WriteOutcome};
use crate::ledger::State;

/// What is wrong about an answer.
pub(super) enum Finding {
    Wrong,
    Stale,
    Lost,
    Phantom,
    Miscounted,
}

impl Worker<'_> {
    /// Takes what no honest store answers to the write, and brings the ledger to what it did.
    #[cold]
    pub(super) fn contradiction(&mut self, op: &Op, written: WriteOutcome) {
        let ledger = self.context.ledger;
        let row = op.key.row;
        // After a write of unknown fate the store may rightly answer either way.
        let acknowledged = ledger.acknowledged(row);
        let uncertain =
            acknowledged.present() != op.before.present() || ledger.may_never_have_been_loaded(acknowledged);
        match written {
            WriteOutcome::Done => {
                // An update of a row that was held to be deleted: it exists after all, with the value just sent.
                let after = if op.kind == Operation::Delete { op.after } else { State::with_version(op.version()) };
                ledger.start(row, after);
                self.pending.push((row, after));
            }
            WriteOutcome::Exists | WriteOutcome::Missing => ledger.take_back(row, op.before, op.under_way()),
        }
        if uncertain {
            return;
        }
        let kind = op.kind;
        match written {
            WriteOutcome::Missing => {
                self.found(Finding::Lost, format!("{kind} of row {row}: the store has no such row"))
            }
            WriteOutcome::Exists => {
                self.found(Finding::Phantom, format!("{kind} of row {row}: the store says that it exists already"));
            }
            WriteOutcome::Done if kind == Operation::Insert => {
                let words = format!("insert of row {row}: accepted, but the row exists and must have been met");
                self.found(Finding::Lost, words);
            }
            WriteOutcome::Done => {
                self.found(Finding::Phantom, format!("{kind} of row {row}: accepted, but the row cannot exist"));
            }
        }
    }

    /// Takes an answer whose content is none that the row had or will have: only its CRC-32 is known.
    #[cold]
    pub(crate) fn found_other(&mut self, row: u32, crc32: u32) {
        self.checks.checked += 1;
        match row {
            u32::MAX => self.found(Finding::Phantom, "a row with a key that no row has was read".into()),
            row => self.found(Finding::Wrong, format!("row {row} holds an altered value, of CRC-32 {crc32:08x}")),
        }
    }

    /// Checks an answer of a read that was chosen by [`Worker::next_op`].
    #[inline(always)]
    pub fn settle_read(&mut self, op: &Op, value: Option<&[u8]>) {
        let after = self.context.ledger.started(op.key.row);
        self.check_row(op.key.row, value, op.before, after);
    }

    /// Checks the answers of a block of reads in a phase in which nothing is written.
    #[inline(always)]
    pub fn settle_quiet_reads<'b>(&mut self, reads: impl Iterator<Item = (&'b Key, Option<&'b [u8]>)>) {
        let context = self.context;
        let untouched = !context.ledger.any_written();
        let mut right = 0;
        for (key, value) in reads {
            // Since the load nothing was written: only the first version can be right, and it almost always is.
            if let Some(raw) = value
                && untouched
                && context.layout.check_row(context.pool, key.seed(), raw, 0, 0).is_ok()
            {
                right += 1;
            } else {
                self.settle_other_read(key.row, value);
            }
        }
        self.checks.checked += right;
    }

    #[inline(never)]
    fn settle_other_read(&mut self, row: u32, value: Option<&[u8]>) {
        let ledger = self.context.ledger;
        self.check_row(row, value, ledger.acknowledged(row), ledger.started(row));
    }

    /// Checks a value, or that there is none, against the states `before` and `after` between which the row was read.
    #[inline(always)]
    pub(super) fn check_row(&mut self, row: u32, value: Option<&[u8]>, before: State, after: State) {
        self.checks.checked += 1;
        let Some(raw) = value else {
            // Between two present states one write is an update; two may be a delete and an insert.
            let deletes = self.context.job_deletes && after.writes() > before.writes() + 1;
            let may_be_absent = !before.present() || !after.present() || deletes;
            if !may_be_absent && !self.context.ledger.may_never_have_been_loaded(before) {
                self.lacks_writes(row, before.writes());
                self.found(Finding::Lost, format!("row {row} must exist and was not found"));
            }
            return;
        };
        let low = if before.present() { before.version() } else { before.writes() };
        // A delete uses a version up and leaves no value of it.
        let high = if after.present() { after.version() } else { after.version().saturating_sub(1) };
        if after == State::NEVER || low > high {
            return self.found(Finding::Phantom, format!("row {row} was read but does not exist"));
        }
        if let Err(wrong) = self.context.layout.check(self.context.pool, row, raw, low, high) {
            self.wrong(row, raw, wrong, low, high);
        }
    }

    /// Says what is wrong about a value that is no version from `low` to `high` of its row.
    #[cold]
    #[inline(never)]
    pub(super) fn wrong(&mut self, row: u32, raw: &[u8], wrong: Wrong, low: u32, high: u32) {
        let start = String::from_utf8_lossy(&raw[..raw.len().min(48)]).into_owned();
        let (finding, what) = match wrong {
            Wrong::Version(version) if version < low => {
                self.lacks_writes(row, low - version);
                (Finding::Stale, format!("row {row} was read at version {version}, {low} was acknowledged before"))
            }
            Wrong::Version(version) => {
                (Finding::Phantom, format!("row {row} was read at version {version}, only {high} was ever started"))
            }
            Wrong::Length => (
                Finding::Wrong,
                format!("row {row} has {} bytes instead of {}: '{start}'", raw.len(), self.context.layout.len_bytes()),
            ),
            Wrong::Row => (Finding::Wrong, format!("row {row} holds the value of another row: '{start}'")),
            Wrong::Content => (Finding::Wrong, format!("row {row} holds an altered value: '{start}'")),
        };
        self.found(finding, what);
    }

    /// Notes that a row lacks its last acknowledged writes.
    fn lacks_writes(&mut self, row: u32, writes: u32) {
        if self.context.phase.counts_losses {
            self.checks.lost_writes += u64::from(writes);
            self.checks.lost_ns = self.checks.lost_ns.max(self.context.ledger.before_last_ns(row));
        }
    }

    /// Counts a finding and keeps the first few in words.
    #[cold]
    #[inline(never)]
    pub(super) fn found(&mut self, finding: Finding, example: String) {
        let counter = match finding {
            Finding::Wrong => &mut self.checks.wrong,
            Finding::Stale => &mut self.checks.stale,
            Finding::Lost => &mut self.checks.lost,
            Finding::Phantom => &mut self.checks.phantom,
            Finding::Miscounted => &mut self.checks.miscounted,
        };
        *counter += 1;
        if self.checks.examples.len() < Checks::EXAMPLES {
            self.checks.examples.push(example);
        }
    }
}
