//! What a scan or latest gave, in constant memory.

use crate::ledger::Presence;

/// What a scan or latest gave so far.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    /// Those whose history this client knows.
    pub(crate) known: Presence,
    /// Place in the order of keys of the first row that came.
    pub(crate) first: Option<u32>,
    last: Option<u32>,
    pub(crate) disordered: bool,
}

impl Tally {
    /// Takes the next row, whose key has `place` in the order of keys; returns the place of the one before.
    #[inline(always)]
    pub(crate) fn take(&mut self, row: u32, place: u32, known: bool) -> Option<u32> {
        self.count += 1;
        if known {
            self.known.add(row);
        }
        self.first.get_or_insert(place);
        let before = self.last.replace(place);
        self.disordered |= before.is_some_and(|before| before <= place);
        before
    }
}
