//! Rows of a load that come again from where they are.

use super::Worker;
use super::check::Finding;
use crate::adapter::StoreError;

impl Worker<'_> {
    /// Goes to the source of the rows, where the phase has one. Called before anything is measured.
    pub fn connect_to_source(&mut self) -> Result<(), StoreError> {
        let layout = self.context.layout;
        self.row_source = self.context.row_source.as_ref().map(|origin| origin.begin(layout)).transpose()?;
        Ok(())
    }

    /// Gets a row again that is about to be loaded.
    #[inline(never)]
    pub(super) fn get_again(&mut self, row: u32) {
        let Some(source) = &mut self.row_source else { return };
        let result = source.get(row, self.context.layout, self.context.pool);
        self.check_source_row(result);
    }

    /// Takes what came of getting a row again.
    pub(crate) fn check_source_row(&mut self, result: Result<(), String>) {
        self.checks.checked += 1;
        if let Err(wrong) = result {
            self.found(Finding::Wrong, wrong);
        }
    }
}
