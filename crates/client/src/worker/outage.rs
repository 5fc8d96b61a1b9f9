//! A worker whose store is restarted amid the phase: it pauses after each failure, connects again, and gives up when nothing
//! has succeeded for a while. Without pauses a hundred refused connections take no longer than a millisecond.

use kurabe_protocol::LossPolicy;

use super::{FAILURES_IN_A_ROW, Worker};
use crate::adapter::StoreError;
use crate::clock::now_ns;

/// First pause after a failure; it doubles with each further one.
const SHORTEST_PAUSE_NS: u64 = 1_000_000;
/// Longest pause between two tries.
const LONGEST_PAUSE_NS: u64 = 100_000_000;

/// What a worker knows of the store that it lost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outage {
    /// The first of the failures in a row.
    since_ns: u64,
    /// No sooner than this anything is tried again.
    next_try_ns: u64,
    /// Whether the connection is gone, or only an operation failed.
    is_lost: bool,
}

/// What is to be done after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum After {
    /// The next operation.
    GoOn,
    /// A new connection, and then the next operation.
    Connect,
    /// Nothing for so many ns.
    Pause(u64),
}

impl Outage {
    /// Of a phase that reconnects.
    pub(super) fn of(on_loss: LossPolicy) -> Option<Outage> {
        (on_loss == LossPolicy::Reconnect).then(Outage::default)
    }

    /// Notes a failure, `in_a_row` with those before it; returns how many count.
    pub(super) fn note(&mut self, error: &StoreError, in_a_row: u64, now_ns: u64) -> u64 {
        if in_a_row == 1 {
            self.since_ns = now_ns;
        }
        self.is_lost |= matches!(error, StoreError::Disconnected(_));
        let pause_ns = (SHORTEST_PAUSE_NS << in_a_row.min(10)).min(LONGEST_PAUSE_NS);
        self.next_try_ns = now_ns + pause_ns;
        if now_ns.saturating_sub(self.since_ns) >= LossPolicy::PATIENCE_NS {
            FAILURES_IN_A_ROW
        } else {
            in_a_row.min(FAILURES_IN_A_ROW - 1)
        }
    }
}

impl Worker<'_> {
    /// Whether its last operation failed.
    #[inline(always)]
    pub fn is_failing(&self) -> bool {
        self.failed_in_a_row > 0
    }

    /// What a worker does next whose last operation failed, and that has not given up.
    pub(crate) fn after_failure(&self) -> After {
        match &self.outage {
            Some(outage) if self.is_failing() => match outage.next_try_ns.saturating_sub(now_ns()) {
                0 if outage.is_lost => After::Connect,
                0 => After::GoOn,
                pause_ns => After::Pause(pause_ns),
            },
            _ => After::GoOn,
        }
    }

    /// Notes what an attempt to connect again came to. What waited for a commit on the connection before is of unknown fate.
    pub(crate) fn reconnected(&mut self, outcome: Result<(), &StoreError>) {
        if let Err(error) = outcome {
            return self.note_failure(error, now_ns());
        }
        self.uncommitted = 0;
        self.mark_unknown();
        if let Some(outage) = &mut self.outage {
            outage.is_lost = false;
        }
    }

    /// Lets the rule be that of another loop, which has decided already when to give up.
    pub(crate) fn gives_up_at_once(&mut self) {
        self.outage = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    fn disconnected() -> StoreError {
        StoreError::Disconnected("refused".into())
    }

    #[test]
    fn pauses_grow_and_a_thousand_failures_are_no_reason_to_give_up_but_ten_seconds_are() {
        let mut outage = Outage::of(LossPolicy::Reconnect).expect("it reconnects");
        let (mut now, mut in_a_row, mut tries) = (5 * S, 0, 0);
        while in_a_row < FAILURES_IN_A_ROW {
            in_a_row = outage.note(&disconnected(), in_a_row + 1, now);
            assert!(outage.next_try_ns > now && outage.next_try_ns <= now + LONGEST_PAUSE_NS);
            now = outage.next_try_ns;
            tries += 1;
        }
        assert!((15 * S..=16 * S).contains(&now), "given up after {now} ns");
        assert!((100..200).contains(&tries), "{tries} tries");
    }

    #[test]
    fn a_success_starts_the_time_again() {
        let mut outage = Outage::of(LossPolicy::Reconnect).expect("it reconnects");
        assert_eq!(outage.note(&disconnected(), 1, S), 1);
        assert_eq!(outage.note(&disconnected(), 1, 20 * S), 1, "the first in a row again");
        assert_eq!(outage.note(&disconnected(), 2, 29 * S), 2);
        assert_eq!(outage.note(&disconnected(), 3, 30 * S), FAILURES_IN_A_ROW);
    }

    #[test]
    fn a_phase_that_does_not_reconnect_has_none() {
        assert!(Outage::of(LossPolicy::GiveUp).is_none());
    }
}
