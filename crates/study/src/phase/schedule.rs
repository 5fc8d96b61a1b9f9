//! The schedule of an open loop: that it can be kept in mind, and that its numbers fit.

use kurabe_messages::message;
use kurabe_protocol::phase::MOST_TIMED_INSERTS;
use kurabe_protocol::schedule::MOST_STARTS;
use kurabe_protocol::{End, Operation, Schedule};
use kurabe_record::Metric;

use super::{A_RATE, Checked};
use crate::error::StudyError;
use crate::rate_search::FIRST_RATE;

impl Checked<'_> {
    /// The schedule, where the phase has a rate.
    pub(super) fn schedule(&self, end: End) -> Result<Option<Schedule>, StudyError> {
        let wire = self.wire;
        if wire.slo.is_some() {
            self.check_search()?;
        }
        let Some(rate) = wire.rate.or(wire.slo.map(|_| FIRST_RATE)) else {
            let without = [("pattern", wire.pattern.is_some()), ("queue", wire.queue.is_some())];
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
        let schedule =
            Schedule { rate, pattern: wire.pattern.unwrap_or_default(), queue: wire.queue, gaps_stream: None };
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

    /// A search does its phase again and again.
    fn check_search(&self) -> Result<(), StudyError> {
        let (wire, operation) = (self.wire, self.wire.operation);
        if matches!(operation, Operation::Load | Operation::Open | Operation::Program) {
            return self.problem(message!(study_phase_meaningless, key = "slo", operation));
        } else if self.does(Operation::Insert) {
            return self.problem(message!(study_phase_slo_inserts));
        } else if !wire.actions.is_empty() {
            return self.problem(message!(study_either, keys = ["slo", "actions"]));
        }
        Ok(())
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
            (rank_by, None) => Ok(rank_by.unwrap_or_default()),
        }
    }
}
