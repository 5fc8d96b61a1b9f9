//! Rows of a load that come again from where they are: the lines of a data file, or another store.

use super::Worker;
use super::check::Finding;
use crate::adapter::{RowBuffer, StoreError};
use crate::fetch::Again;

impl Worker<'_> {
    /// Connects to the store that rows are fetched from, where the phase does that. Called before anything is measured.
    pub fn connect_to_source(&mut self) -> Result<(), StoreError> {
        if let Some(from) = &self.context.rows_from {
            let cursor = (from.open)(&from.job)?;
            self.again = Some(Again::Cursor(cursor, RowBuffer::new(self.context.layout)));
        }
        Ok(())
    }

    /// Splits the line of a row, or fetches it, again. What is written is known: it must be the same.
    #[inline(never)]
    pub(super) fn get_again(&mut self, row: u32) {
        let (layout, pool) = (self.context.layout, self.context.pool);
        let wrong = match &mut self.again {
            None => return,
            Some(Again::Lines(lines)) => {
                let is_there = lines.find(row, layout);
                return self.settle_line(row, is_there);
            }
            Some(Again::Cursor(cursor, out)) => {
                let begun = if row == 0 { cursor.restart() } else { Ok(()) };
                match begun.and_then(|()| cursor.next(out)) {
                    Ok(Some(found)) if found == row && layout.check(pool, row, out.raw(), 0, 0).is_ok() => None,
                    Ok(Some(found)) => {
                        Some(format!("row {row} was to be fetched, and row {found} came, or was not whole"))
                    }
                    Ok(None) => Some(format!("row {row} was to be fetched, and none came")),
                    Err(error) => Some(format!("row {row} could not be fetched: {error}")),
                }
            }
        };
        self.checks.checked += 1;
        if let Some(wrong) = wrong {
            self.found(Finding::Wrong, wrong);
        }
    }

    /// Takes what came of looking for the line of a row.
    pub(crate) fn settle_line(&mut self, row: u32, is_there: bool) {
        self.checks.checked += 1;
        if !is_there {
            self.found(Finding::Wrong, format!("no line of the data file holds row {row} as it was read first"));
        }
    }
}
