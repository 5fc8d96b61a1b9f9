//! The schedule of an open loop: that it can be kept in mind, and that its numbers fit.

use kurabe_messages::message;
use kurabe_protocol::phase::MOST_TIMED_INSERTS;
use kurabe_protocol::schedule::MOST_STARTS;
use kurabe_protocol::{End, Operation, Schedule};
use kurabe_record::Metric;

use super::{A_RATE, Checked};
use crate::error::StudyError;
use crate::rate_search::FIRST_RATE;
use crate::words::parse_duration;

/// Ten lie beyond the percentile 99 of so many operations, with some to spare for those that fail.
const ENOUGH_FOR_P99: u128 = 1_100;
/// An hour.
const MOST_THINK_NS: u64 = 3_600_000_000_000;

impl Checked<'_> {
    /// The schedule, where the phase has a rate.
    pub(super) fn schedule(&self, end: End) -> Result<Option<Schedule>, StudyError> {
        let wire = self.wire;
        if wire.slo.is_some() {
            self.check_search()?;
        }
        let Some(rate) = wire.rate.or(wire.slo.map(|_| FIRST_RATE)) else {
            let without = [
                ("rate_to", wire.rate_to.is_some()),
                ("pattern", wire.pattern.is_some()),
                ("queue", wire.queue.is_some()),
            ];
            return match without.into_iter().find(|(_, given)| *given) {
                Some((key, _)) => self.problem(message!(study_belongs, key, place = A_RATE)),
                None => Ok(None),
            };
        };
        if matches!(wire.operation, Operation::Load | Operation::Open | Operation::Program) {
            return self.problem(message!(study_phase_meaningless, key = "rate", operation = wire.operation));
        }
        let End::DurationNs(duration_ns) = end else { return self.problem(message!(study_phase_rate_end)) };
        if wire.batch > 1 {
            return self.problem(message!(study_either, keys = ["rate", "batch"]));
        }
        let pattern = wire.pattern.unwrap_or_default();
        let schedule = Schedule { rate, rate_to: wire.rate_to, pattern, queue: wire.queue, gaps_stream: None };
        let planned = schedule.starts_in(duration_ns);
        if planned > MOST_STARTS {
            return self.problem(message!(study_phase_rate_many, planned, most = MOST_STARTS));
        }
        // One connection may do all of them, and its rows are as far apart as there are connections.
        let numbers = planned.saturating_mul(wire.connections.into());
        if self.does(Operation::Insert) && numbers > MOST_TIMED_INSERTS {
            return self.problem(message!(study_phase_rate_inserts, numbers, most = MOST_TIMED_INSERTS));
        }
        Ok(Some(schedule))
    }

    /// How long a connection thinks after each answer, where it does.
    pub(super) fn think_ns(&self, end: End) -> Result<Option<u64>, StudyError> {
        let wire = self.wire;
        let Some(think) = &wire.think else { return Ok(None) };
        if matches!(wire.operation, Operation::Load | Operation::Open | Operation::Program) {
            return self.problem(message!(study_phase_meaningless, key = "think", operation = wire.operation));
        }
        let others = [
            ("rate", wire.rate.is_some()),
            ("slo", wire.slo.is_some()),
            ("depth", wire.depth > 1),
            ("batch", wire.batch > 1),
        ];
        if let Some((other, _)) = others.into_iter().find(|(_, given)| *given) {
            return self.problem(message!(study_either, keys = ["think", other]));
        }
        let think_ns = parse_duration(self.origin, think)?;
        if !(1..=MOST_THINK_NS).contains(&think_ns) {
            return self.problem(message!(study_above_zero, key = "think", most = "1h", value = think));
        }
        if end.duration_ns().is_some_and(|duration_ns| think_ns >= duration_ns) {
            return self.problem(message!(study_phase_think_long));
        }
        Ok(Some(think_ns))
    }

    /// A search does its phase again and again.
    fn check_search(&self) -> Result<(), StudyError> {
        let (wire, operation) = (self.wire, self.wire.operation);
        if matches!(operation, Operation::Load | Operation::Open | Operation::Program) {
            return self.problem(message!(study_phase_meaningless, key = "slo", operation));
        } else if self.does(Operation::Insert) {
            return self.problem(message!(study_phase_slo_inserts));
        } else if !wire.actions.is_empty() {
            return self.problem(message!(study_either, keys = ["slo", "actions"]));
        } else if wire.rate_to.is_some() {
            return self.problem(message!(study_either, keys = ["slo", "rate_to"]));
        }
        Ok(())
    }

    /// What ranks the phase where the study does not say. Where all that is planned is done, rates say nothing, and where
    /// connections think, next to nothing: what differs is for how long somebody waits. A queue of limited length drops
    /// operations, and who drops most of them has the shortest waits.
    fn usual_rank(&self) -> Metric {
        let wire = self.wire;
        let duration_ns = wire.duration.as_deref().and_then(|text| parse_duration(self.origin, text).ok());
        let planned = wire.rate.map(|rate| {
            let twice_the_mean = u128::from(rate) + u128::from(wire.rate_to.unwrap_or(rate));
            twice_the_mean * u128::from(duration_ns.unwrap_or(0)) / 2_000_000_000
        });
        match planned {
            Some(_) if wire.queue.is_some() => Metric::Rate,
            Some(planned) if planned >= ENOUGH_FOR_P99 => Metric::P99,
            Some(_) => Metric::P50,
            None if wire.think.is_some() => Metric::P50,
            None => Metric::Rate,
        }
    }

    /// What ranks the phase: a search the rate that it finds, and nothing else.
    pub(super) fn rank_by(&self) -> Result<Metric, StudyError> {
        match (self.wire.rank_by, self.wire.slo) {
            (None | Some(Metric::HighestRate), Some(_)) => Ok(Metric::HighestRate),
            (Some(_), Some(_)) => self.problem(message!(study_phase_slo_rank)),
            (Some(Metric::HighestRate), None) => {
                let place = "slo = \"p99<5ms\"";
                self.problem(message!(study_belongs, key = "rank_by = \"highest-rate\"", place))
            }
            (Some(rank_by), None) => Ok(rank_by),
            (None, None) => Ok(self.usual_rank()),
        }
    }
}
