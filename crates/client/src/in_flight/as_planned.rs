//! The open loop: operations start when they were planned, on the connection that has been free the longest.

use std::collections::VecDeque;
use std::time::Duration;

use kurabe_protocol::StoppedBy;

use super::{Flight, GLANCE, WAIT};
use crate::adapter::{Lanes, StoreError};
use crate::clock::now_ns;
use crate::planned::{PlannedStarts, nap};
use crate::worker::Worker;

impl<L: Lanes> Flight<'_, L> {
    /// Works until all planned operations of the part are over, or its time is.
    pub(super) fn fly_as_planned(&mut self, starts: &PlannedStarts) -> StoppedBy {
        let deadline = self.limits.iter().map(|limit| limit.deadline_ns).min().unwrap_or(0);
        self.ready.iter_mut().for_each(|ready| ready.clear());
        let lanes = self.workers.len();
        (0..self.per_lane * lanes).for_each(|turn| self.fill(turn % lanes));
        // A start that was taken and is still to come.
        let (mut ahead, mut open) = (None, true);
        let (mut stopped_by, mut last_completion) = (StoppedBy::Duration, now_ns());
        loop {
            if self.under_way == 0 {
                last_completion = now_ns();
            }
            if open {
                (ahead, open) = self.start_what_is_due(starts, ahead, deadline);
            }
            if self.under_way == 0 && !open {
                return stopped_by;
            }
            let now = match self.drain(wait_for(ahead)) {
                Ok(()) => now_ns(),
                Err(error) => {
                    self.lose_all(&error);
                    return StoppedBy::Failures;
                }
            };
            if !self.completed.is_empty() || !self.part.is_empty() {
                last_completion = now;
            }
            if !self.part.is_empty() {
                self.take_parts();
            }
            self.settle(open);
            if now.saturating_sub(last_completion) > self.operation_ns {
                self.lose_all(&StoreError::Timeout);
                return StoppedBy::Failures;
            } else if open && self.workers.iter().any(Worker::gave_up) {
                (open, stopped_by) = (false, StoppedBy::Failures);
            } else if self.workers[0].context.aborted(now) {
                return StoppedBy::Abort;
            }
            if !open && let Some(planned_ns) = ahead.take() {
                self.workers[0].give_back(planned_ns);
            }
            if open && !self.resting.is_empty() {
                self.wake();
                last_completion = now;
            }
        }
    }

    /// Starts what is due on connections that are free; returns the start to come that it took, and whether more follow.
    fn start_what_is_due(&mut self, starts: &PlannedStarts, ahead: Option<u64>, deadline: u64) -> (Option<u64>, bool) {
        let mut ahead = ahead;
        let mut now = now_ns();
        while let Some(lane) = self.lane_in_front() {
            let Some(planned_ns) = ahead.take().or_else(|| starts.take(now)) else { return (None, false) };
            if now >= deadline {
                self.workers[0].give_back(planned_ns);
                return (None, false);
            } else if planned_ns > now {
                return (Some(planned_ns), true);
            }
            self.ready.as_mut().and_then(VecDeque::pop_front);
            let Some(token) = self.free[lane].pop() else { break };
            let slot = &mut self.slots[token as usize];
            // It was free when its last operation ended.
            (slot.planned_ns, slot.free_ns) = (planned_ns, slot.end_ns);
            self.start(lane, token);
            now = now_ns();
        }
        (ahead, now < deadline)
    }

    /// The connection that has been free the longest. One that was connected again may have too many entries.
    fn lane_in_front(&mut self) -> Option<usize> {
        let ready = self.ready.as_mut()?;
        while ready.front().is_some_and(|lane| self.free[*lane].is_empty()) {
            ready.pop_front();
        }
        ready.front().copied()
    }
}

/// How long to wait for answers: until the start to come.
fn wait_for(ahead: Option<u64>) -> Duration {
    match ahead {
        Some(planned_ns) => nap(now_ns(), planned_ns).unwrap_or(GLANCE).min(WAIT),
        None => WAIT,
    }
}
