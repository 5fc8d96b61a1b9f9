//! Connections that think: each waits after an answer before it asks again.

use std::time::Duration;

use super::{Flight, GLANCE, WAIT};
use crate::adapter::Lanes;
use crate::clock::now_ns;
use crate::think::first_wait_ns;

impl<L: Lanes> Flight<'_, L> {
    /// Begins on all connections: those that think ask for the first time one after the other.
    pub(super) fn begin_lanes(&mut self) {
        self.thinking.clear();
        let Some(think_ns) = self.workers[0].context.phase.think_ns else {
            return (0..self.workers.len()).for_each(|lane| self.fill(lane));
        };
        let now = now_ns();
        let first = |(lane, worker)| (now + first_wait_ns(worker, think_ns), lane);
        self.thinking.extend(self.workers.iter().enumerate().map(first));
    }

    /// Lets a connection think whose operation is over.
    #[cold]
    pub(super) fn think(&mut self, lane: usize, think_ns: u64) {
        if self.workers[lane].number() >= self.limits[lane].end_number {
            return;
        }
        let asks_ns = self.slots[lane * self.per_lane].end_ns + think_ns;
        // One that was connected again may ask before others that are here already.
        let at = self.thinking.partition_point(|(other_ns, _)| *other_ns <= asks_ns);
        self.thinking.insert(at, (asks_ns, lane));
    }

    /// How long to wait for answers: until the next connection asks again.
    pub(super) fn wait_for_thought(&self) -> Duration {
        let left_ns = self.thinking.front().map(|(asks_ns, _)| asks_ns.saturating_sub(now_ns()));
        left_ns.map_or(WAIT, |left_ns| Duration::from_nanos(left_ns).clamp(GLANCE, WAIT))
    }

    /// Starts operations on those that have thought, or none any more where the phase is not `open`; returns when the last
    /// operation was over, which is now where none is under way.
    pub(super) fn ask_again(&mut self, last_completion: u64, open: bool) -> u64 {
        if !open {
            self.thinking.clear();
            return last_completion;
        }
        let now = now_ns();
        let last_completion = if self.under_way == 0 { now } else { last_completion };
        while let Some((_, lane)) = self.thinking.front().copied().filter(|(asks_ns, _)| *asks_ns <= now) {
            self.thinking.pop_front();
            self.ask(lane);
        }
        last_completion
    }
}
