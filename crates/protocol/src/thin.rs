//! How long the scripts of the thin profile are: every operation of a phase is chosen before it.

use crate::operation::{Operation, Warmup};
use crate::phase::{Phase, Work};

/// Bytes of an entry, without the rows of a `multi-read` or an `open`, of which each has [`ROW_BYTES`].
pub const ENTRY_BYTES: u64 = 12;
/// Bytes of a row that stands behind an entry.
pub const ROW_BYTES: u64 = 4;
/// Bytes of what the judge keeps of an entry.
pub const STEP_BYTES: u64 = 8;
/// Operations a second for which a script is long enough where time ends a phase: more than any client does that the
/// profile is for.
const MOST_A_SECOND: u64 = 1_000_000;
/// Workers may share that unevenly.
const UNEVEN: u64 = 4;
/// A script is no shorter where time ends a phase.
const LEAST: u64 = 1000;

/// Entries of the script of one worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entries {
    /// Of the warm-up, where a count ends it.
    pub warmup: Option<u64>,
    /// Of the measured part, where a count ends it.
    pub operations: Option<u64>,
    /// All that are measured at most.
    pub measured: u64,
    /// Those of the warm-up too.
    pub all: u64,
}

impl Entries {
    /// Of a worker in a phase.
    pub fn of(phase: &Phase, worker: u32) -> Entries {
        let workers = u64::from(phase.connections.max(1));
        // Worker w does the numbers w, w + W, w + 2W and so on below a count.
        let share = |count: u64| count.saturating_sub(worker.into()).div_ceil(workers);
        let enough = |duration_ns: u64| {
            let most = (u128::from(duration_ns) * u128::from(MOST_A_SECOND) / 1_000_000_000) as u64;
            share(most.saturating_mul(if workers > 1 { UNEVEN } else { 1 })).max(LEAST)
        };
        let (warmup, timed_warmup) = match phase.warmup {
            Some(Warmup::Count(count)) => (Some(share(count)), 0),
            Some(Warmup::DurationNs(duration_ns)) => (None, enough(duration_ns)),
            None => (Some(0), 0),
        };
        let operations = phase.end.count().map(share);
        let timed = phase.end.duration_ns().map(enough);
        let measured = operations.into_iter().chain(timed).min().unwrap_or(0);
        Entries { warmup, operations, measured, all: warmup.unwrap_or(timed_warmup).saturating_add(measured) }
    }
}

/// Memory that the scripts of all workers of a phase take before its first operation, in bytes.
pub fn script_bytes(phase: &Phase) -> u64 {
    let phase = phase.in_client();
    let entries: u64 = (0..phase.connections).map(|worker| Entries::of(phase, worker).all).fold(0, u64::saturating_add);
    let rows = match &phase.work {
        Work::Open { rows } => f64::from(*rows),
        Work::Mix(mix) => {
            let (mut all, mut with_rows) = (0.0, 0.0);
            for (operation, share) in mix.shares() {
                all += f64::from(share);
                if operation == Operation::MultiRead {
                    with_rows += f64::from(share) * f64::from(phase.multi_read_rows().unwrap_or(0));
                }
            }
            with_rows / all
        }
        _ => f64::from(phase.multi_read_rows().unwrap_or(0)),
    };
    let each = (ENTRY_BYTES + STEP_BYTES) as f64 + ROW_BYTES as f64 * rows;
    (entries as f64 * each) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phase::{Action, End, Mix};

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn a_script_is_as_long_as_a_count_says_or_as_any_client_gets_in_the_time() {
        let counted = Phase { connections: 3, ..Phase::new("read", Action::Read, End::Count(10)) };
        let of = |worker| Entries::of(&counted, worker).all;
        assert_eq!((of(0), of(1), of(2)), (4, 3, 3));
        let timed = Phase::new("read", Action::Read, End::DurationNs(2 * SECOND_NS));
        assert_eq!(Entries::of(&timed, 0).all, 2 * MOST_A_SECOND);
        let warm = Phase { warmup: Some(Warmup::DurationNs(SECOND_NS)), ..timed.clone() };
        assert_eq!(Entries::of(&warm, 0).all, 3 * MOST_A_SECOND);
        let first = Phase { end: End::First { count: 7, duration_ns: 2 * SECOND_NS }, ..timed };
        assert_eq!((Entries::of(&first, 0).all, Entries::of(&first, 0).operations), (7, Some(7)));
    }

    #[test]
    fn memory_of_scripts_is_that_of_all_workers_and_of_the_rows_that_are_asked_for() {
        let timed = |work: Work| Phase { connections: 8, ..Phase::new("phase", work, End::DurationNs(60 * SECOND_NS)) };
        assert_eq!(script_bytes(&timed(Action::Read.into())), 60 * MOST_A_SECOND * UNEVEN * 20);
        assert_eq!(script_bytes(&timed(Action::MultiRead { rows: 10 }.into())), 60 * MOST_A_SECOND * UNEVEN * 60);
        let mix = Mix::new([(Action::Read, 3), (Action::MultiRead { rows: 10 }, 1)]).expect("a mix");
        assert_eq!(script_bytes(&timed(mix.into())), 60 * MOST_A_SECOND * UNEVEN * 30);
        let endless = Phase::new("read", Action::Read, End::DurationNs(u64::MAX));
        assert!(script_bytes(&endless) > 1 << 50);
    }
}
