//! Disturbed jobs: what took the processors from a job, CPU steal or other programs.
//!
//! Benchmarks run on shared machines. Other programs and CPU steal change a rate more than most stores differ. In each
//! phase the harness reads what all processors did and subtracts its own processes. A job that lost more than 5 % in a
//! deciding phase is repeated, twice at most. The share decides, never the result.
//!
//! The limit is no false alarm on an idle machine. On two cores the share of others was at most 1.5 % in `web`, whose
//! stores sync each commit, and 3.7 % in `dictionary`, where a terminal takes a line for each request of memcached.
//! Threads of the kernel are not counted as others: they write to disks and terminals for the job itself. What they
//! do for other programs goes unseen, but not those programs.
//!
//! Rejecting outliers by their value would remove the slow tail of a store too. Rejecting every disturbed run would
//! leave users without answers. Waiting for an idle machine may last for ever, so Kurabe waits only a while.
//! docs/decisions/0009-unstable-machines.md has more.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::folder::Loaded;
use crate::job::{JobRecord, LEAST_COUNTED_NS, MOST_STOLEN, PhaseRecord};
use crate::plan::{Configuration, PhasePlan};
use crate::run::RunRecord;

/// Others may use so much of the processors' time in a phase that decides. Interrupts of a disk or a network for us are
/// counted as theirs, since no process is charged for them.
pub const MOST_OTHERS: f64 = 0.05;
/// The system counts in hundredths of a second, and rounds the times of several processes: in one phase of a job so much tells
/// nothing, in ns.
const ROUNDED_NS: u64 = 30_000_000;

/// Who took the processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DisturbedBy {
    /// The hypervisor, as a virtual machine sees it (steal).
    CpuSteal,
    /// Other programs of this machine.
    Programs,
}

/// More of the processors than a job may lose was taken from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disturbance {
    /// By whom.
    pub by: DisturbedBy,
    /// The share of all processors in the phase in which it was most, of 1.
    pub share: f64,
}

/// The decision to run a recorded job again, since it was disturbed: it counts for nothing any more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RepeatRecord {
    /// Number of the job.
    pub number: u32,
    /// The share of the processors that was taken from it, of 1.
    pub share: f64,
}

impl JobRecord {
    /// What disturbed the job in the phases that decide, all where none does. Beside a server at an address nobody knows whose
    /// work the processors do, so there only the machine below can disturb.
    pub fn disturbance(&self, config: &Configuration, is_at_address: bool) -> Option<Disturbance> {
        // What a kill takes is no matter of speed.
        if config.counts_losses() {
            return None;
        }
        let stolen = Disturbance { by: DisturbedBy::CpuSteal, share: self.stolen(config) };
        if stolen.share > MOST_STOLEN {
            return Some(stolen);
        }
        let record = |plan: &PhasePlan| self.phases.iter().find(|phase| phase.name == plan.phase.name);
        // Of phases that are too short to tell alone, all together may tell.
        let all: Vec<&PhaseRecord> = config.deciding().filter_map(record).collect();
        let shares = all.iter().map(|one| self.others(&[one])).chain([self.others(&all)]);
        let share = shares.flatten().fold(0.0, f64::max);
        (share > MOST_OTHERS && !is_at_address).then_some(Disturbance { by: DisturbedBy::Programs, share })
    }

    /// The share of the processors that others surely used in some phases; `None` where they are too short to tell.
    fn others(&self, records: &[&PhaseRecord]) -> Option<f64> {
        let (mut others_ns, mut all_ns) = (0u64, 0u64);
        for record in records {
            let (Some(used), Some(ours_ns)) = (record.machine, record.whole_cpu_ns(&self.phases)) else { continue };
            others_ns += used.busy_ns.saturating_sub(ours_ns.saturating_add(ROUNDED_NS));
            all_ns += used.all_ns;
        }
        (all_ns >= LEAST_COUNTED_NS).then(|| others_ns as f64 / all_ns as f64)
    }
}

impl RunRecord {
    /// What disturbed a job of the run.
    pub fn disturbance(&self, job: &JobRecord) -> Option<Disturbance> {
        let is_at_address = self.candidate(&job.candidate).is_some_and(|one| one.at_url.is_some());
        job.disturbance(self.plan.configurations.get(job.configuration as usize)?, is_at_address)
    }
}

impl Loaded {
    /// The jobs that count although they were disturbed.
    pub fn disturbed(&self) -> Vec<RepeatRecord> {
        let good = self.jobs.iter().filter(|job| job.error.is_none());
        let of = |job: &JobRecord| {
            let disturbance = self.run.disturbance(job)?;
            Some(RepeatRecord { number: job.number, share: disturbance.share })
        };
        good.filter_map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{MachineUse, MemoryMethod, TreeUse};
    use kurabe_protocol::{End, Load, Operation, Phase, Schema};

    const SECOND_NS: u64 = 1_000_000_000;

    fn configuration() -> Configuration {
        let phase = |name: &str| Phase { name: name.into(), ..Phase::new("load", Load::Row, End::Count(9)) };
        Configuration {
            factors: Vec::new(),
            rows: 9,
            rounds: 3,
            schema: Schema::key_value(10),
            encoding: kurabe_protocol::Encoding::Raw,
            phases: vec![PhasePlan::new(phase("load"), true), PhasePlan::new(phase("aside"), false)],
            only: Vec::new(),
        }
    }

    fn tree(cpu_ns: u64) -> TreeUse {
        TreeUse {
            cpu_ns: Some(cpu_ns),
            memory_bytes: 0,
            memory_method: MemoryMethod::PeakResident,
            written_bytes: None,
            processes: 1,
            threads: 1,
        }
    }

    /// A job with one phase, in which all processors were busy for so long of so long, client and service a fifth each.
    fn job(phase: &str, busy_ns: u64, all_ns: u64) -> JobRecord {
        let part = Some(tree(all_ns / 5));
        let machine = MachineUse { busy_ns, steal_ns: 0, all_ns, quota_periods: None, throttled_periods: None };
        let record = PhaseRecord {
            client: part,
            service: part,
            machine: Some(machine),
            ..PhaseRecord::new(phase, Operation::Load)
        };
        JobRecord { phases: vec![record], ..JobRecord::begun(0, 0, 0, "a", String::new()) }
    }

    #[test]
    fn others_disturb_with_more_than_a_twentieth_in_a_phase_that_decides() {
        let share = |job: JobRecord| job.disturbance(&configuration(), false).map(|one| one.share);
        let busy = |others_ns: u64| 4 * SECOND_NS / 5 * 2 + others_ns;
        assert_eq!(share(job("load", busy(0), 4 * SECOND_NS)), None);
        assert_eq!(share(job("load", busy(SECOND_NS / 5), 4 * SECOND_NS)), None, "5 % less what is rounded");
        let found = share(job("load", busy(SECOND_NS), 4 * SECOND_NS)).expect("a quarter");
        assert!((found - 0.2425).abs() < 1e-9, "{found}");
        assert_eq!(share(job("aside", busy(SECOND_NS), 4 * SECOND_NS)), None, "it decides nothing");
        assert_eq!(share(job("load", SECOND_NS / 2, SECOND_NS / 2)), None, "too short to tell");
    }

    #[test]
    fn phases_that_are_too_short_alone_tell_together() {
        let mut job = job("load", SECOND_NS / 2, SECOND_NS * 3 / 5);
        let mut config = configuration();
        assert_eq!(job.disturbance(&config, false), None, "0.6 s of all processors");
        let second = PhaseRecord { name: "aside".into(), ..job.phases[0].clone() };
        job.phases.push(second);
        assert_eq!(job.disturbance(&config, false), None, "the other one does not decide");
        config.phases[1].deciding = true;
        let found = job.disturbance(&config, false).map(|one| one.by);
        assert_eq!(found, Some(DisturbedBy::Programs));
    }

    #[test]
    fn beside_a_server_at_an_address_nobody_is_blamed() {
        assert_eq!(job("load", 4 * SECOND_NS, 4 * SECOND_NS).disturbance(&configuration(), true), None);
    }

    #[test]
    fn the_machine_below_comes_first() {
        let mut job = job("load", 4 * SECOND_NS, 4 * SECOND_NS);
        job.phases[0].machine =
            job.phases[0].machine.map(|used| MachineUse { steal_ns: SECOND_NS, all_ns: 5 * SECOND_NS, ..used });
        let found = job.disturbance(&configuration(), false);
        assert_eq!(found, Some(Disturbance { by: DisturbedBy::CpuSteal, share: 0.2 }));
    }
}
