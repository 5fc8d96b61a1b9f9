//! What processes used in a phase, seen from outside.

use kurabe_machine::{ProcessorTimes, Throttling};
use kurabe_record::{MachineUse, MemoryMethod, TreeUse};
use kurabe_service::{self as service, Programs, TreeUsage, TreeUsageDelta, reset_peak, usage};

/// Samples of process trees at the start of a phase.
pub(crate) struct Meter {
    trees: Vec<(u32, Option<TreeUsage>)>,
}

impl Meter {
    /// Starts to measure the trees of `pids`; their peaks of memory begin anew.
    pub(crate) fn start(pids: impl IntoIterator<Item = u32>) -> Meter {
        let sample = |pid| {
            // Where peaks cannot be reset they are those since the start, which is never too low.
            let _ = reset_peak(pid);
            (pid, usage(pid).ok())
        };
        Meter { trees: pids.into_iter().map(sample).collect() }
    }

    /// What the trees used since; `None` where one of them cannot be seen any more.
    pub(crate) fn stop(&self) -> Option<TreeUse> {
        let deltas: Option<Vec<(TreeUsageDelta, TreeUsage)>> = self
            .trees
            .iter()
            .map(|(pid, before)| {
                let after = usage(*pid).ok()?;
                Some((after.since(before.as_ref()?), after))
            })
            .collect();
        let deltas = deltas.filter(|deltas| !deltas.is_empty())?;
        let memory_method = match deltas[0].0.memory_method {
            service::MemoryMethod::PeakResident => MemoryMethod::PeakResident,
            service::MemoryMethod::SumProportional => MemoryMethod::SumProportional,
            service::MemoryMethod::SumResident => MemoryMethod::SumResident,
        };
        Some(TreeUse {
            cpu_ns: deltas.iter().map(|(delta, _)| delta.cpu_ns).sum(),
            memory_bytes: deltas.iter().map(|(delta, _)| delta.memory_bytes).sum(),
            memory_method,
            written_bytes: deltas.iter().map(|(delta, _)| delta.written_bytes).sum(),
            processes: deltas.iter().map(|(_, after)| after.processes).sum(),
            threads: deltas.iter().map(|(_, after)| after.threads).sum(),
        })
    }
}

/// Samples of all processors, and of the CPU quota, at the start of a phase.
pub(crate) struct MachineMeter {
    programs: Programs,
    processors: Option<ProcessorTimes>,
    quota: Option<Throttling>,
}

impl MachineMeter {
    pub(crate) fn start() -> MachineMeter {
        MachineMeter { programs: Programs::look(), processors: ProcessorTimes::read(), quota: Throttling::read() }
    }

    /// What they did since; `None` where the system does not tell.
    pub(crate) fn stop(&self) -> Option<MachineUse> {
        let used = ProcessorTimes::read()?.since(self.processors.as_ref()?);
        let throttling = self.quota.and_then(|before| Some(Throttling::read()?.since(&before)));
        Some(MachineUse {
            busy_ns: used.busy_ns.saturating_sub(self.programs.kernel_ns_since()),
            steal_ns: used.steal_ns,
            all_ns: used.all_ns,
            quota_periods: throttling.map(|counted| counted.periods),
            throttled_periods: throttling.map(|counted| counted.throttled_periods),
        })
    }
}

/// Now, as clients stamp their operations: ns of CLOCK_MONOTONIC.
pub(crate) fn monotonic_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// Processor time of this process so far, in ns.
pub(crate) fn own_cpu_ns() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
