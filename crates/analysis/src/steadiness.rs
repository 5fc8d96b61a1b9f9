//! Whether the machine was one and the same for all jobs, and ours alone.

use crate::Input;
use crate::format::duration;

/// Fewer canaries say too little about their tenths.
const MIN_CANARIES: usize = 10;
/// In a calm run the slowest tenth of the canaries took 1.07 times as long as the fastest, in two runs at once 1.10 and 1.19
/// (24 or 25 jobs each).
const STEADY_RATIO: f64 = 1.25;

/// A sentence where the canaries' arithmetic, the same before every job, did not take the same time: the slowest of the
/// fastest tenth of them beside the fastest of the slowest tenth.
pub(crate) fn unsteady_processor(input: &Input<'_>) -> Option<String> {
    let mut spins_ns: Vec<u64> = input.jobs.iter().filter_map(|job| Some(job.canary.as_ref()?.spin_ns)).collect();
    if spins_ns.len() < MIN_CANARIES {
        return None;
    }
    spins_ns.sort_unstable();
    let tenth = spins_ns.len().div_ceil(10);
    let (fast, slow) = (spins_ns[tenth - 1] as f64, spins_ns[spins_ns.len() - tenth] as f64);
    (slow > fast * STEADY_RATIO).then(|| {
        format!(
            "The processor was not equally fast all the time: the same arithmetic took at most {} before the fastest \
             tenth of the jobs and at least {} before the slowest. Rates differ by that too; places compare within rounds.",
            duration(fast),
            duration(slow)
        )
    })
}

/// A sentence where other runs of Kurabe were at work beside jobs of this one.
pub(crate) fn company(input: &Input<'_>) -> Option<String> {
    let beside = input.jobs.iter().filter(|job| job.other_runs > 0).count();
    (beside > 0).then(|| {
        format!(
            "Another run of Kurabe measured on this machine beside {beside} of {} jobs: rates and times are those of a \
             machine that was shared.",
            input.jobs.len()
        )
    })
}
