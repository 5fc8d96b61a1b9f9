//! Whether the results of a phase can be true, beside what was seen of it here.

use kurabe_protocol::{Phase, PhaseResult, Window, audit};
use kurabe_record::{JobErrorKind, PhasePlan};

use super::Work;
use crate::fault::Fault;

impl Work<'_> {
    /// Fails where a result cannot be one of a phase whose clients were let go at the first of two stamps, and whose last
    /// result had come at the second. `phase` is that of `plan`, or a step of it.
    pub(super) fn audit(
        &self,
        plan: &PhasePlan,
        phase: &Phase,
        results: &[PhaseResult],
        seen: (u64, u64),
    ) -> Result<(), Fault> {
        let window = Window {
            processes: self.processes(),
            // While something else was done, results may have waited.
            at_once: plan.actions.is_empty(),
            fills_time: !plan.breaks_disk(),
            // By what was asked for, and not by what a client says of itself.
            times_each: !self.candidate.record.by_load_tool || phase.loading().is_some(),
            ..window(seen)
        };
        audit(results, phase, &window).map_err(|untrue| Fault::new(JobErrorKind::Client, untrue))
    }
}

/// Of one process between these stamps, which may have done other things too.
pub(super) fn window((go_ns, came_ns): (u64, u64)) -> Window {
    let processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    Window { go_ns, came_ns, processes: 1, processors, at_once: false, times_each: true, fills_time: true }
}
