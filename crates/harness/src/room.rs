//! What must fit before anything starts: the data of every size on the disk, and a first round in the budget.

use kurabe_machine::DeviceProbe;
use kurabe_protocol::thin::script_bytes;
use kurabe_study::{Profile, Study, duration_text};

use crate::error::HarnessError;
use crate::options::Keep;
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
    keep: Keep,
) -> Result<(), HarnessError> {
    let factor = |candidate: &Candidate| candidate.store.space_factor;
    let largest = resolved.candidates.iter().map(factor).max().unwrap_or(0);
    let sum: u64 = resolved.candidates.iter().map(factor).sum();
    let fetched = resolved.rows_from.as_ref().map_or(0, factor);
    let mut kept_bytes = 0u64;
    let several = study.plan.levels.iter().any(|level| level.rows != study.plan.levels[0].rows);
    for level in &study.plan.levels {
        let row_bytes = study.row_bytes(level) + ROW_BYTES;
        // Jobs follow each other and remove their data, unless it is to stay.
        let factor = match keep {
            Keep::Nothing => largest,
            Keep::Data => sum * u64::from(level.rounds),
        };
        // Rows that are fetched lie in another store meanwhile.
        let factor = factor + if level.fetches() { fetched } else { 0 };
        let data_bytes = level.rows.saturating_mul(row_bytes).saturating_mul(factor);
        let needed = kept_bytes.saturating_add(data_bytes);
        let needed = needed.saturating_add(StreamFiles::len_bytes(level));
        if needed > device.free_bytes {
            let fewer = if several { "leave that size out of --sizes" } else { "use fewer --rows" };
            return Err(HarnessError::Refused(format!(
                "{} rows may need {} MiB on disk, {} MiB are free; {fewer}, or use another --dir",
                level.rows,
                needed >> 20,
                device.free_bytes >> 20
            )));
        }
        if keep == Keep::Data {
            kept_bytes = needed;
        }
    }
    Ok(())
}

/// The scripts of clients of the thin profile have at most so much memory, and half of what is free.
const MOST_SCRIPT_BYTES: u64 = 4 << 30;

/// Refuses a study in which a client of the thin profile would take too much memory before an operation is done: all of
/// those of a phase are chosen before it.
pub(crate) fn check_scripts(
    study: &Study,
    resolved: &Resolved,
    available_bytes: Option<u64>,
) -> Result<(), HarnessError> {
    let most = available_bytes.map_or(MOST_SCRIPT_BYTES, |bytes| MOST_SCRIPT_BYTES.min(bytes / 2));
    let Some(thin) = resolved.candidates.iter().find(|candidate| candidate.client.profile == Profile::Thin) else {
        return Ok(());
    };
    let phases = study.plan.levels.iter().flat_map(|level| &level.phases).map(|plan| &plan.phase);
    let Some((needed, phase)) = phases.map(|phase| (script_bytes(phase), phase)).max_by_key(|(needed, _)| *needed)
    else {
        return Ok(());
    };
    if needed <= most {
        return Ok(());
    }
    let shorter = match (phase.end.duration_ns(), phase.connections) {
        (None, _) => "give it a smaller 'count'",
        (Some(_), 1) => "give it a shorter 'duration', or a 'count' beside it",
        (Some(_), _) => "give it a shorter 'duration', a 'count' beside it, or one connection",
    };
    Err(HarnessError::Refused(format!(
        "phase '{}' takes {} MiB of memory before its first operation, and {} MiB are the most here: all that the client of \
         '{}' could do in its time is chosen before it; {shorter}, or take that client out",
        phase.name,
        needed >> 20,
        most >> 20,
        thin.record.name
    )))
}

/// Refuses a study whose budget is shorter than any first round: nothing could come of it.
pub(crate) fn check_budget(study: &Study, candidates: usize) -> Result<(), HarnessError> {
    let (Some(budget_ns), Some(first)) = (study.plan.budget_ns, study.plan.levels.first()) else { return Ok(()) };
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
    Err(HarnessError::Refused(format!(
        "a budget of {} is too short for one round at {} rows, which takes {} at the least; give more, or fewer --stores",
        words(budget_ns),
        first.rows,
        words(round_ns)
    )))
}

#[cfg(test)]
mod tests {
    use kurabe_protocol::{Action, End, Phase, Schema};
    use kurabe_record::{Level, PhasePlan};

    use super::*;
    use crate::samples;

    /// A phase of so many seconds over 8 connections, of a client of this profile.
    fn checked(profile: Profile, seconds: u64, available_bytes: Option<u64>) -> Result<(), String> {
        let read = Phase::new("read", Action::Read, End::DurationNs(seconds * 1_000_000_000));
        let level = Level {
            coordinates: Vec::new(),
            rows: 8,
            rounds: 1,
            schema: Schema::key_value(10),
            encoding: kurabe_protocol::Encoding::Raw,
            phases: vec![PhasePlan::new(Phase { connections: 8, ..read }, true)],
            trapped: None,
        };
        let plan = samples::study_plan(vec![level], None);
        let study = Study { plan, data: None, candidates: Vec::new(), asked_by_name: false };
        let mut candidate = samples::candidate("redis", "none");
        candidate.client.profile = profile;
        let resolved = Resolved { candidates: vec![candidate], ..Resolved::default() };
        check_scripts(&study, &resolved, available_bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn a_script_that_takes_too_much_memory_is_refused_with_the_figure_and_the_way_out() {
        assert_eq!(checked(Profile::Thin, 10, None), Ok(()));
        assert_eq!(checked(Profile::Full, 3600, None), Ok(()));
        let refused = checked(Profile::Thin, 60, None).expect_err("4.5 GiB");
        assert!(
            refused.contains("phase 'read' takes 4577 MiB") && refused.contains("4096 MiB are the most"),
            "{refused}"
        );
        assert!(refused.contains("shorter 'duration'") && refused.contains("'redis'"), "{refused}");
        let small = checked(Profile::Thin, 10, Some(1 << 30)).expect_err("on a small machine");
        assert!(small.contains("512 MiB are the most"), "{small}");
    }
}
