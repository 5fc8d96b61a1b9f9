//! Commits of stores in which writes wait for one: asked for behind the write that makes one due, and at the end.

use kurabe_protocol::Operation;

use super::slot::SlotOutcome;
use super::{Flight, WAIT};
use crate::adapter::{Lanes, Request, StoreError};
use crate::clock::now_ns;
use crate::worker::{Limit, Worker};

impl<L: Lanes> Flight<'_, L> {
    /// Takes a write that was answered and asks for the commit that follows it. What was sent over the lane meanwhile is
    /// answered before that commit is, and is a part of it. Returns whether the operation is over, since it cannot be asked.
    #[inline(never)]
    pub(super) fn ask_for_commit(&mut self, lane: usize, token: u32) -> bool {
        let slot = &mut self.slots[token as usize];
        if let Some(op) = slot.op.filter(|_| self.loads_many.is_none()) {
            match &slot.written {
                Some(SlotOutcome::Written(written)) => self.workers[lane].settle_write(&op, *written),
                _ => self.workers[lane].settle_increment(),
            }
        }
        match self.lanes.start(lane as u32, token, Request::Commit) {
            Ok(()) => false,
            Err(error) => {
                slot.end_ns = now_ns();
                (slot.written, slot.outcome) = (None, SlotOutcome::CommitFailed(error));
                self.doubted.push(lane);
                true
            }
        }
    }

    /// Commits what a phase has left that ended by time; the time counts, but for no single operation.
    pub(super) fn commit_rest(&mut self) -> Result<(), StoreError> {
        let start = now_ns();
        let mut asked = Vec::new();
        for lane in 0..self.workers.len() {
            if !self.commits || std::mem::take(&mut self.workers[lane].uncommitted) == 0 {
                continue;
            }
            let token = (lane * self.per_lane) as u32;
            let slot = &mut self.slots[token as usize];
            (slot.commits, slot.start_ns, slot.outcome) = (false, start, SlotOutcome::Pending);
            match self.lanes.start(lane as u32, token, Request::Commit) {
                Ok(()) => asked.push(token),
                Err(error) => self.end_rest(token, Err(error)),
            }
        }
        while !asked.is_empty() {
            let late = now_ns() - start > self.operation_ns;
            if let Err(error) = if late { Err(StoreError::Timeout) } else { self.drain(WAIT) } {
                asked.drain(..).for_each(|token| self.end_rest(token, Err(error.clone())));
                return Err(error);
            }
            for token in std::mem::take(&mut self.completed) {
                asked.retain(|asked| *asked != token);
                match std::mem::replace(&mut self.slots[token as usize].outcome, SlotOutcome::Pending) {
                    SlotOutcome::Failed(error) => self.end_rest(token, Err(error)),
                    _ => self.end_rest(token, Ok(())),
                }
            }
        }
        Ok(())
    }

    /// Counts the end of a commit that belongs to no operation.
    fn end_rest(&mut self, token: u32, committed: Result<(), StoreError>) {
        let worker = &mut self.workers[token as usize / self.per_lane];
        let (start, end) = (self.slots[token as usize].start_ns, now_ns());
        match committed {
            Ok(()) => {
                worker.acknowledge();
                worker.extend_to(end);
            }
            Err(error) => worker.fail_commit(worker.context.phase.operation(), &error, start, end),
        }
    }
}

/// Whether a commit follows an operation: it is due, or the operation is the worker's last.
#[inline(always)]
pub(super) fn commits_after(worker: &mut Worker<'_>, kind: Operation, limit: Limit) -> bool {
    let writes = matches!(
        kind,
        Operation::Load | Operation::Insert | Operation::Update | Operation::Delete | Operation::Increment
    );
    if !writes {
        return false;
    }
    worker.uncommitted += 1;
    let commits = worker.uncommitted >= worker.context.phase.commit_every || worker.number() >= limit.end_number;
    if commits {
        worker.uncommitted = 0;
    }
    commits
}
