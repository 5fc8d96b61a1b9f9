//! Connections to a store that is restarted amid the phase: they rest after a failure and are made again.

use super::Flight;
use crate::adapter::Lanes;
use crate::worker::After;

impl<L: Lanes> Flight<'_, L> {
    /// Whether a connection starts nothing for now, since its last operation failed.
    #[cold]
    pub(super) fn rests(&mut self, lane: usize) -> bool {
        let worker = &self.workers[lane];
        if worker.gave_up() || worker.after_failure() == After::GoOn {
            return false;
        }
        if !self.resting.contains(&lane) {
            self.resting.push(lane);
        }
        true
    }

    /// Connects those again whose pause is over, and lets them go on.
    #[cold]
    pub(super) fn wake(&mut self) {
        for lane in std::mem::take(&mut self.resting) {
            let worker = &mut self.workers[lane];
            if worker.after_failure() == After::Connect && self.free[lane].len() == self.per_lane {
                worker.reconnected(self.lanes.reconnect(lane as u32).as_ref().copied());
            }
            // One that must wait longer rests again.
            for _ in 0..if self.ready.is_some() { self.free[lane].len() } else { 1 } {
                self.fill(lane);
            }
        }
    }
}
