//! What a candidate cost beside time.

use kurabe_protocol::{Load, Operation, PhaseResult};
use kurabe_record::{JobRecord, PhasePlan, PhaseRecord, TreeUse};
use kurabe_stats::median;
use schemars::JsonSchema;
use serde::Serialize;

use crate::figures::input::Input;
use crate::figures::phase_job::{PhaseJob, rows_written};

/// Processor and memory in one phase. Processor times are those of whole process trees over all rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PhaseUse {
    /// Client's processor time for one operation, in ns.
    pub client_cpu_per_operation_ns: Option<f64>,
    /// Of whole programs: what each computed itself, in ns, as `time` tells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_user_ns: Option<f64>,
    /// Of whole programs: what the kernel did for each, in ns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub program_system_ns: Option<f64>,
    /// Processor time of the store's own service for one operation, in ns.
    pub service_cpu_per_operation_ns: Option<f64>,
    /// That of the services before the store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app_cpu_per_operation_ns: Option<f64>,
    /// That of a link that only lets so much through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_cpu_per_operation_ns: Option<f64>,
    /// Harness's processor time over elapsed time: 1 is one core.
    pub harness_cpu_share: Option<f64>,
    /// Share of the workers' time that lies outside any latency (preparation and checks); adapters that block only.
    pub loop_share: Option<f64>,
    /// Share of the client's threads' time that encoding and decoding rows takes; absent where rows are raw.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_share: Option<f64>,
    /// Client's memory in bytes, the largest over rounds.
    pub client_memory_bytes: Option<u64>,
    /// Service's memory in bytes, the largest over rounds.
    pub service_memory_bytes: Option<u64>,
}

/// What a candidate cost beside time: medians over the jobs that ended cleanly, memory the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Resources {
    /// Jobs behind these figures.
    pub jobs: usize,
    /// Blocks on disk for each row after the last phase that writes, without those of an empty store, in bytes.
    pub disk_per_row_bytes: Option<f64>,
    /// Bytes sent to the device by client and service for each row written, over the phases that write.
    pub written_per_row_bytes: Option<f64>,
    /// Flush time (flush and syncfs), summed over the phases that write, in ns.
    pub flush_ns: Option<f64>,
    /// Client's memory in bytes, the largest over phases and rounds.
    pub client_memory_bytes: Option<u64>,
    /// Service's memory in bytes, the largest over phases and rounds.
    pub service_memory_bytes: Option<u64>,
    /// Time until a client process has started, in ns.
    pub client_start_ns: Option<f64>,
    /// Client's processor time over all phases, in ns.
    pub client_cpu_ns: Option<f64>,
    /// Service's processor time over all phases, in ns.
    pub service_cpu_ns: Option<f64>,
}

/// Processor and memory of one candidate in one phase.
pub(crate) fn in_phase(jobs: &[PhaseJob<'_>], plan: &PhasePlan) -> PhaseUse {
    let ran: Vec<&PhaseRecord> = jobs.iter().filter_map(PhaseJob::ran).collect();
    let per_operation = |cpu_ns: fn(&PhaseRecord) -> Option<u64>| {
        let seen: Vec<(u64, u64)> =
            ran.iter().filter_map(|record| Some((cpu_ns(record)?, record.operations()))).collect();
        shares(&seen)
    };
    let harness: Vec<(u64, u64)> =
        ran.iter().filter_map(|record| Some((record.harness_cpu_ns?, record.span()?.wall_ns()))).collect();
    let of_program = |cpu_ns| plan.phase.does(Operation::Program).then(|| per_operation(cpu_ns)).flatten();
    PhaseUse {
        program_user_ns: of_program(|record| cpu_of(record, |result| result.cpu_user_ns)),
        program_system_ns: of_program(|record| cpu_of(record, |result| result.cpu_system_ns)),
        client_cpu_per_operation_ns: per_operation(PhaseRecord::client_cpu_ns),
        service_cpu_per_operation_ns: per_operation(service_cpu_ns),
        app_cpu_per_operation_ns: per_operation(|record| record.app?.cpu_ns),
        link_cpu_per_operation_ns: per_operation(|record| record.link?.cpu_ns),
        harness_cpu_share: shares(&harness),
        loop_share: loop_share(jobs, plan),
        encoding_share: encoding_share(&ran),
        client_memory_bytes: ran.iter().filter_map(|record| memory_bytes(record.client.as_ref())).max(),
        service_memory_bytes: ran.iter().filter_map(|record| memory_bytes(record.served().as_ref())).max(),
    }
}

/// A part of the processor time that all client processes report; `None` where one does not know it.
fn cpu_of(record: &PhaseRecord, part: fn(&PhaseResult) -> Option<u64>) -> Option<u64> {
    record.results.iter().map(part).sum()
}

/// The sum of the first parts over that of the second ones. A record from elsewhere may hold any figures.
fn shares(pairs: &[(u64, u64)]) -> Option<f64> {
    let sum = |part: fn(&(u64, u64)) -> u64| pairs.iter().map(part).fold(0, u64::saturating_add);
    quotient(sum(|pair| pair.0), sum(|pair| pair.1))
}

/// Client's processor time for one operation, in ns.
pub(crate) fn client_cpu_per_operation_ns(record: &PhaseRecord) -> Option<f64> {
    quotient(record.client_cpu_ns()?, record.operations())
}

/// Service's processor time for one operation, in ns.
pub(crate) fn service_cpu_per_operation_ns(record: &PhaseRecord) -> Option<f64> {
    quotient(service_cpu_ns(record)?, record.operations())
}

/// Blocks on disk for each row after a phase that writes, without those of an empty store, in bytes.
pub(crate) fn disk_per_row_of(job: &PhaseJob<'_>, plan: &PhasePlan) -> Option<f64> {
    let record = job.ran().filter(|_| plan.phase.writes())?;
    let rows = record.results.iter().map(|result| result.rows_present).sum();
    quotient(record.disk_bytes?.saturating_sub(job.job.empty_disk_bytes?), rows)
}

/// That of the store's own service.
pub(crate) fn service_cpu_ns(record: &PhaseRecord) -> Option<u64> {
    record.service?.cpu_ns
}

/// That of all services together.
pub(crate) fn served_cpu_ns(record: &PhaseRecord) -> Option<u64> {
    record.served()?.cpu_ns
}

/// Processor time of all that the harness had at work in a phase of a candidate, itself included; `None` where a part
/// of it is not known.
pub(crate) fn whole_cpu_ns(input: &Input<'_>, candidate: &str, record: &PhaseRecord) -> Option<u64> {
    let others: Vec<&PhaseRecord> = input.jobs_of(candidate).flat_map(|job| &job.phases).collect();
    record.whole_cpu_ns(others.iter().copied())
}

fn memory_bytes(tree: Option<&TreeUse>) -> Option<u64> {
    tree.map(|tree| tree.memory_bytes)
}

fn quotient(dividend: u64, divisor: u64) -> Option<f64> {
    (divisor > 0).then(|| dividend as f64 / divisor as f64)
}

/// One minus the sum of latencies over the workers' time. Only where operations of a worker follow each other one by
/// one: otherwise latencies overlap and their sum says nothing.
fn loop_share(jobs: &[PhaseJob<'_>], plan: &PhasePlan) -> Option<f64> {
    let phase = &plan.phase;
    // In an open loop a worker waits for its next planned start; one that thinks waits too.
    if phase.waits() || phase.depth > 1 || phase.batch > 1 || phase.load().is_some_and(|load| load != Load::Row) {
        return None;
    }
    let (mut latency_ns, mut workers_ns) = (0, 0);
    for job in jobs {
        let blocking = job.job.hello.as_ref().is_some_and(|hello| hello.capabilities.max_depth == 1);
        let Some(record) = job.ran().filter(|_| blocking) else { continue };
        let kinds = record.results.iter().flat_map(|result| &result.latency);
        latency_ns += kinds.map(|kind| kind.sum_ns).sum::<u64>();
        workers_ns += record.span()?.workers_ns;
    }
    quotient(latency_ns, workers_ns).map(|share| 1.0 - share).filter(|share| *share >= 0.0)
}

/// Of the time that all threads of the client had: operations of one thread may lie side by side, but it encodes one
/// row at a time.
fn encoding_share(ran: &[&PhaseRecord]) -> Option<f64> {
    let (mut encoding_ns, mut threads_ns) = (0, 0);
    for record in ran {
        let wall_ns = record.span()?.wall_ns();
        for result in &record.results {
            encoding_ns += result.encoding_ns?;
            threads_ns += u64::from(result.threads) * wall_ns;
        }
    }
    quotient(encoding_ns, threads_ns)
}

pub(crate) fn over_jobs(input: &Input<'_>, jobs: &[&JobRecord]) -> Resources {
    let good: Vec<&JobRecord> = jobs.iter().copied().filter(|job| job.error.is_none()).collect();
    let over = |figure: &dyn Fn(&JobRecord) -> Option<f64>| median(good.iter().filter_map(|job| figure(job)));
    let phases = || good.iter().flat_map(|job| &job.phases);
    Resources {
        jobs: good.len(),
        disk_per_row_bytes: over(&|job| disk_per_row_bytes(input, job)),
        written_per_row_bytes: over(&|job| written_per_row_bytes(input, job)),
        flush_ns: over(&|job| summed(job, |record| record.flush_ns)),
        client_memory_bytes: phases().filter_map(|phase| memory_bytes(phase.client.as_ref())).max(),
        service_memory_bytes: phases().filter_map(|phase| memory_bytes(phase.served().as_ref())).max(),
        client_start_ns: over(&|job| job.client_start_ns.map(|ns| ns as f64)),
        client_cpu_ns: over(&|job| whole(job, |_| true, PhaseRecord::client_cpu_ns)),
        service_cpu_ns: over(&|job| whole(job, |record| record.served().is_some(), served_cpu_ns)),
    }
}

/// The sum over the phases that have the figure; `None` where none has.
fn summed(job: &JobRecord, figure: fn(&PhaseRecord) -> Option<u64>) -> Option<f64> {
    let seen: Vec<u64> = job.phases.iter().filter_map(figure).collect();
    (!seen.is_empty()).then(|| seen.iter().sum::<u64>() as f64)
}

/// The sum over the phases that have a part, where the figure of each is known; `None` where no phase has it.
fn whole(job: &JobRecord, has: fn(&PhaseRecord) -> bool, figure: fn(&PhaseRecord) -> Option<u64>) -> Option<f64> {
    let all: Vec<u64> = job.phases.iter().filter(|record| has(record)).map(figure).collect::<Option<_>>()?;
    (!all.is_empty()).then(|| all.iter().sum::<u64>() as f64)
}

/// The phases of a job that write, in order.
fn writing<'a>(input: &'a Input<'_>, job: &'a JobRecord) -> impl DoubleEndedIterator<Item = &'a PhaseRecord> {
    job.phases
        .iter()
        .filter(|record| input.plan().phases.iter().any(|plan| plan.phase.name == record.name && plan.phase.writes()))
}

fn disk_per_row_bytes(input: &Input<'_>, job: &JobRecord) -> Option<f64> {
    let last = writing(input, job).rfind(|record| record.disk_bytes.is_some())?;
    let rows = last.results.iter().map(|result| result.rows_present).sum();
    quotient(last.disk_bytes?.saturating_sub(job.empty_disk_bytes?), rows)
}

fn written_per_row_bytes(input: &Input<'_>, job: &JobRecord) -> Option<f64> {
    // Nobody sees the disk of a server at an address.
    if input.run.candidate(&job.candidate).is_some_and(|candidate| candidate.at_url.is_some()) {
        return None;
    }
    let (mut bytes, mut rows) = (0, 0);
    // Programs have ended before anybody could see what they wrote.
    for record in writing(input, job).filter(|record| record.operation != Operation::Program) {
        bytes += written_bytes(record)?;
        rows += rows_written(record);
    }
    quotient(bytes, rows)
}

/// Bytes of client and service; `None` where either was seen without its bytes.
fn written_bytes(record: &PhaseRecord) -> Option<u64> {
    let client = record.client.as_ref()?.written_bytes?;
    let service = record.served().map_or(Some(0), |tree| tree.written_bytes)?;
    Some(client + service)
}
