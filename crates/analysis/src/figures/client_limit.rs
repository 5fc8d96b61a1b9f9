//! Whether a rate is that of the client rather than that of the store.

use kurabe_protocol::Operation;
use kurabe_record::{BaselineKind, CandidateRecord, PhasePlan, StoreAccess, StoreKind};
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::input::Input;
use crate::figures::phase_job::PhaseJob;

/// From this share of its threads' time a client counts as busy, and a service with its cores.
pub(crate) const BUSY: f64 = 0.90;
/// Above this share of a store's time the baseline is worth a mark.
const FLOOR_SHARE: f64 = 0.05;

/// Whether the client was the limit of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ClientLimit {
    /// Whether it was.
    pub client_was_the_limit: bool,
    /// The figures that tell.
    pub basis: LimitBasis,
}

/// How it is told whether the client was the limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum LimitBasis {
    /// Processor times: the client's threads are at least 90 % busy and the service's cores are not.
    Service {
        /// Client's processor time over threads × elapsed time.
        client_busy: f64,
        /// Service's processor time over usable cores × elapsed time.
        service_busy: f64,
    },
    /// For stores inside the client: the time that an operation of the `echo` baseline takes, above 5 % of the store's.
    Baseline {
        /// Mean time of an operation of the baseline over that of the store.
        share: f64,
    },
}

/// Whether the client was the limit; `None` where that cannot be told (a store at an address, no baseline in the run).
pub(crate) fn client_limit(
    input: &Input<'_>,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    jobs: &[PhaseJob<'_>],
) -> Option<ClientLimit> {
    if candidate.kind == StoreKind::Baseline {
        return None;
    }
    if candidate.transport == StoreAccess::InProcess {
        return against_baseline(input, candidate, plan, jobs);
    }
    let (client_busy, service_busy) = busy_shares(jobs, f64::from(input.run.machine.usable_cores.max(1)))?;
    let client_was_the_limit = client_busy >= BUSY && service_busy < BUSY;
    Some(ClientLimit { client_was_the_limit, basis: LimitBasis::Service { client_busy, service_busy } })
}

fn busy_shares(jobs: &[PhaseJob<'_>], cores: f64) -> Option<(f64, f64)> {
    let (mut client_ns, mut service_ns, mut threads_ns, mut cores_ns) = (0.0, 0.0, 0.0, 0.0);
    for record in jobs.iter().filter_map(PhaseJob::ran) {
        let client = record.client.and_then(|tree| tree.cpu_ns);
        let service = record.served().and_then(|tree| tree.cpu_ns);
        let (Some(client), Some(service), Some(span)) = (client, service, record.span()) else { continue };
        let threads: u32 = record.results.iter().map(|result| result.threads).sum();
        let wall_ns = span.wall_ns() as f64;
        client_ns += client as f64;
        service_ns += service as f64;
        threads_ns += f64::from(threads) * wall_ns;
        cores_ns += cores * wall_ns;
    }
    (threads_ns > 0.0).then(|| (client_ns / threads_ns, service_ns / cores_ns))
}

fn against_baseline(
    input: &Input<'_>,
    candidate: &CandidateRecord,
    plan: &PhasePlan,
    jobs: &[PhaseJob<'_>],
) -> Option<ClientLimit> {
    // The baseline of the loop makes every row of a scan anew while stores copy theirs, so it is no baseline there; the
    // share of the harness overhead, which stands above each table, says how much of such a phase is ours.
    // Where connections wait, most of the time of both is that.
    if matches!(plan.phase.operation(), Operation::Scan | Operation::Latest) || plan.phase.waits() {
        return None;
    }
    // In its own language; where that has none here, what the loop costs in Rust is the least that it can.
    let baselines = || input.candidates().filter(|candidate| candidate.baseline == Some(BaselineKind::Loop));
    let of = |wanted: &str| baselines().find(|baseline| baseline.language() == wanted);
    let baseline = of(candidate.language()).or_else(|| of("rust"))?;
    let share = mean_operation_ns(&input.phase_jobs(baseline, plan))? / mean_operation_ns(jobs)?;
    Some(ClientLimit { client_was_the_limit: share > FLOOR_SHARE, basis: LimitBasis::Baseline { share } })
}

/// Time of the workers for one operation, everything included.
fn mean_operation_ns(jobs: &[PhaseJob<'_>]) -> Option<f64> {
    let (mut time_ns, mut count) = (0, 0);
    for record in jobs.iter().filter_map(PhaseJob::ran) {
        time_ns += record.span()?.workers_ns;
        count += record.operations();
    }
    (time_ns > 0 && count > 0).then(|| time_ns as f64 / count as f64)
}
