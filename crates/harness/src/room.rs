//! What must fit before anything starts: the data of every size on the disk, and a first round in the budget.

use std::collections::BTreeSet;

use kurabe_machine::DeviceProbe;
use kurabe_messages::message;
use kurabe_study::{Study, duration_text};

use crate::error::HarnessError;
use crate::options::DataRetention;
use crate::resolve::{Candidate, Resolved};
use crate::streams::StreamFiles;

/// Bytes that a store keeps beside the fields of a row.
const ROW_BYTES: u64 = 32;
/// The shortest job: its processes must start and end.
const LEAST_JOB_NS: u64 = 50_000_000;

/// Refuses a study whose data may not fit, and names the smallest size that does not.
pub(crate) fn check_space(
    study: &Study,
    device: &DeviceProbe,
    resolved: &Resolved,
    keep: DataRetention,
) -> Result<(), HarnessError> {
    let factor_of = |candidate: &Candidate| candidate.store.space_factor;
    let largest = resolved.candidates.iter().map(factor_of).max().unwrap_or(0);
    let sum: u64 = resolved.candidates.iter().map(factor_of).sum();
    let mut kept_bytes = 0u64;
    let sizes: BTreeSet<u64> = study.plan.configurations.iter().map(|config| config.rows).collect();
    for config in &study.plan.configurations {
        let row_bytes = study.row_bytes(config) + ROW_BYTES;
        // Jobs follow each other and remove their data, unless it is to stay.
        let factor = match keep {
            DataRetention::Nothing => largest,
            DataRetention::Data => sum * u64::from(config.rounds),
        };
        // Rows that are fetched lie in another store meanwhile.
        let fetched = config.rows_from().next().and_then(|store| resolved.rows_from.get(store)).map_or(0, factor_of);
        let factor = factor + fetched;
        let data_bytes = config.rows.saturating_mul(row_bytes).saturating_mul(factor);
        let needed = kept_bytes.saturating_add(data_bytes);
        let needed = needed.saturating_add(StreamFiles::len_bytes(config));
        if needed > device.free_bytes {
            let (rows, free) = (config.rows, device.free_bytes);
            return Err(HarnessError::refused(message!(run_no_space, rows, needed, free, sizes = sizes.len())));
        }
        if keep == DataRetention::Data {
            kept_bytes = needed;
        }
    }
    Ok(())
}

/// Refuses a study whose budget is shorter than any first round: nothing could come of it.
pub(crate) fn check_budget(study: &Study, candidates: usize) -> Result<(), HarnessError> {
    let (Some(budget_ns), Some(first)) = (study.plan.budget_ns, study.plan.configurations.first()) else {
        return Ok(());
    };
    let timed_ns: u64 = first
        .phases
        .iter()
        .filter(|plan| plan.phase.end.count().is_none())
        .filter_map(|plan| plan.phase.end.duration_ns())
        .sum();
    let round_ns = (candidates as u64).saturating_mul(timed_ns.saturating_add(LEAST_JOB_NS));
    if round_ns <= budget_ns {
        return Ok(());
    }
    let words = |ns: u64| duration_text(ns.next_multiple_of(1_000_000));
    let (budget, least) = (words(budget_ns), words(round_ns));
    Err(HarnessError::refused(message!(run_short_budget, budget, rows = first.rows, least)))
}
