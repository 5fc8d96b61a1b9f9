//! Reads that are sent together: one Sync stands behind all of a batch, as a program that sends them in one go has it.
//!
//! The server runs them as one transaction that reads only, and answers all of them before it is ready for more. Where it
//! refuses one, it passes over what comes behind that up to the Sync (PostgreSQL's manual, "Pipelining").

use std::collections::VecDeque;

use kurabe_protocol::{Connect, Operation, Phase};

/// The message: its tag, and its length without that.
const SYNC: &[u8] = b"S\0\0\0\x04";

/// What is known of the batches of one connection.
#[derive(Clone, Debug)]
pub(super) struct Batches {
    are_made: bool,
    /// Reads that no Sync stands behind yet.
    open: u32,
    /// Reads that are not answered, of each batch whose Sync was sent and whose end did not come.
    unanswered: VecDeque<u32>,
}

impl Batches {
    /// Those of a phase; only reads make any: a write of its own is to be committed by itself.
    pub(super) fn new(phase: &Phase) -> Batches {
        let are_made = phase.batch > 1 && phase.operation() == Operation::Read && phase.connect == Connect::Once;
        Batches { are_made, open: 0, unanswered: VecDeque::new() }
    }

    /// Takes a read into the open batch, where the phase has batches.
    #[inline(always)]
    pub(super) fn take(&mut self, is_read: bool) -> bool {
        let taken = self.are_made && is_read;
        self.open += u32::from(taken);
        taken
    }

    /// Appends the Sync of the open batch, if there is one.
    #[inline(always)]
    pub(super) fn seal(&mut self, out: &mut Vec<u8>) {
        if self.open > 0 {
            out.extend_from_slice(SYNC);
            self.unanswered.push_back(std::mem::take(&mut self.open));
        }
    }

    /// Reads that are not answered yet of the batch that is being answered.
    #[inline(always)]
    pub(super) fn unanswered(&self) -> Option<u32> {
        self.unanswered.front().copied()
    }

    /// One of them is.
    #[inline(always)]
    pub(super) fn answered(&mut self) {
        if let Some(first) = self.unanswered.front_mut() {
            *first = first.saturating_sub(1);
        }
    }

    /// The server is ready for what comes behind the batch.
    pub(super) fn end(&mut self) {
        self.unanswered.pop_front();
    }
}
