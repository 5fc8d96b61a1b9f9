//! What one job gave in one phase, over all of its client processes.

use kurabe_protocol::{Operation, PhaseResult, StoppedBy};
use kurabe_record::{JobRecord, PhaseOutcome, PhasePlan, PhaseRecord, Span};

/// A job with its record of one phase; a job that failed before has none.
#[derive(Clone, Copy)]
pub(crate) struct PhaseJob<'a> {
    pub(crate) job: &'a JobRecord,
    pub(crate) record: Option<&'a PhaseRecord>,
}

impl<'a> PhaseJob<'a> {
    /// The job with its record of a phase.
    pub(crate) fn of(job: &'a JobRecord, plan: &PhasePlan) -> PhaseJob<'a> {
        PhaseJob { job, record: job.phases.iter().find(|phase| phase.name == plan.phase.name) }
    }

    /// The record, if the phase ran to its end.
    pub(crate) fn ran(&self) -> Option<&'a PhaseRecord> {
        let record = self.record?;
        let to_its_end = record.outcome == PhaseOutcome::Ran
            && !record.results.is_empty()
            && record.results.iter().all(|result| result.stopped_by != StoppedBy::Abort);
        to_its_end.then_some(record)
    }

    /// Completed operations a second.
    pub(crate) fn rate_per_s(&self) -> Option<f64> {
        let record = self.ran()?;
        per_second(record.operations(), record.span()?)
    }

    /// Rows read a second, for phases that read many rows an operation.
    pub(crate) fn rows_per_s(&self) -> Option<f64> {
        let record = self.ran()?;
        let reads_many = matches!(record.operation, Operation::Scan | Operation::Latest);
        let rows = record.results.iter().map(|result| result.rows_read).sum();
        if reads_many { per_second(rows, record.span()?) } else { None }
    }
}

fn per_second(count: u64, span: Span) -> Option<f64> {
    (count > 0 && span.wall_ns() > 0).then(|| count as f64 * 1e9 / span.wall_ns() as f64)
}

/// Operations completed that changed something: a row, or a counter.
pub(crate) fn changes(record: &PhaseRecord) -> u64 {
    match record.operation {
        Operation::Increment => record.operations(),
        _ => rows_written(record),
    }
}

/// Operations completed that wrote a row.
pub(crate) fn rows_written(record: &PhaseRecord) -> u64 {
    let writes =
        |operation| matches!(operation, Operation::Load | Operation::Insert | Operation::Update | Operation::Delete);
    if record.operation != Operation::Mix {
        return if writes(record.operation) { record.operations() } else { 0 };
    }
    let kinds = record.results.iter().flat_map(|result: &PhaseResult| &result.latency);
    kinds.filter(|kind| writes(kind.operation)).map(|kind| kind.count).sum()
}
