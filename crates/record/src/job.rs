//! What one job gave: a line of `jobs.jsonl`.

use std::collections::BTreeMap;

use kurabe_machine::{Canary, QuietWait, SyncProbe};
use kurabe_messages::RecordedText;
use kurabe_protocol::{Hello, Operation, PhaseResult, WorkerResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::action::ActionRecord;
use crate::durability::Guarantee;
use crate::plan::{Configuration, PhasePlan};
use crate::slo::{RateBracket, Slo};

/// The machine below may take so much of the processors in a phase that decides; then its figures are not those of the store.
pub const MOST_STOLEN: f64 = 0.05;
/// With less time of all processors the hundredths of a second that the system counts in tell nothing, in ns.
pub const LEAST_COUNTED_NS: u64 = 1_000_000_000;

/// One candidate's work in one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobRecord {
    /// Number of the job in the run, from 0, in the order of execution.
    pub number: u32,
    /// Which configuration of the plan, from 0.
    pub configuration: u32,
    /// Round at this configuration, from 0.
    pub round: u32,
    /// Candidate.
    pub candidate: String,
    /// Start, UTC, RFC 3339.
    pub started_at: String,
    /// Time from the first process started to the last one gone, in ns.
    pub lasted_ns: u64,
    /// Hello of the client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hello: Option<Hello>,
    /// Time from the start of a client process until its hello came, in ns, as a mean over those that were started one after
    /// the other: interpreter, libraries, and for a client in another language the process that speaks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_start_ns: Option<u64>,
    /// What the store told about itself.
    pub info: BTreeMap<String, String>,
    /// Settings as read back, beside what was asked.
    pub settings: Vec<SettingCheck>,
    /// Those of them that undo what the candidate's durability setting promises.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<WeakenedSetting>,
    /// State of processor and disk just before the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canary: Option<Canary>,
    /// Wait for a quiet disk before the job; where it is measured again, that for quiet processors too.
    pub quiet: QuietWait,
    /// What a sync cost beside the job's data, before and after it; only where commits of the job can be judged by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_probe: Option<SyncProbe>,
    /// Other runs of Kurabe that measured on this machine when the job began or ended, the greater number.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub other_runs: u32,
    /// Where it is measured again, since the machine below or other programs took too much of the processors in a phase that
    /// decides: the share that they took, of 1. Such a job counts for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded: Option<f64>,
    /// Name of the other program that used most of the processors beside it; only where others disturbed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_other: Option<String>,
    /// Blocks of the data folder just after initialisation, in bytes; absent where they cannot be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty_disk_bytes: Option<u64>,
    /// The phases, in order.
    pub phases: Vec<PhaseRecord>,
    /// Rows at the end as the store counts them, and as they must be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub final_count: Option<FinalCount>,
    /// Figures that are absent since the user of the address may not read them, each with the server's words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<String>,
    /// Why the job did not end cleanly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<JobError>,
}

impl JobRecord {
    /// A job of which nothing is known yet but which it is, and when it began.
    pub fn begun(number: u32, configuration: u32, round: u32, candidate: &str, started_at: String) -> JobRecord {
        JobRecord {
            number,
            configuration,
            round,
            candidate: candidate.to_string(),
            started_at,
            lasted_ns: 0,
            hello: None,
            client_start_ns: None,
            info: BTreeMap::new(),
            settings: Vec::new(),
            undone: Vec::new(),
            canary: None,
            quiet: QuietWait { waited_ns: 0, quiet: false, known: false },
            sync_probe: None,
            other_runs: 0,
            superseded: None,
            busiest_other: None,
            empty_disk_bytes: None,
            phases: Vec::new(),
            final_count: None,
            absent: Vec::new(),
            error: None,
        }
    }

    /// The largest share of the processors that the machine below took in a phase that decides, of all phases where none
    /// does; of 1.
    pub fn stolen(&self, config: &Configuration) -> f64 {
        let of = |plan: &PhasePlan| self.phases.iter().find(|phase| phase.name == plan.phase.name)?.machine.as_ref();
        let counted = config.deciding().filter_map(of).filter(|used| used.all_ns >= LEAST_COUNTED_NS);
        counted.map(|used| used.steal_ns as f64 / used.all_ns as f64).fold(0.0, f64::max)
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The decision not to measure a candidate any further at a configuration, and at any with more rows, because the
/// budget is too short. Where a job of it was stopped, it may be tried again when the others have their rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkippedRecord {
    /// Candidate.
    pub candidate: String,
    /// Which configuration of the plan, from 0.
    pub configuration: u32,
    /// Rounds that it had done at this configuration.
    pub rounds: u32,
    /// Rounds that had to fit; more than one only in records of earlier versions.
    pub needed_rounds: u32,
    /// Time that these would have taken, from its jobs with fewer rows or of earlier rounds, in ns; absent where nothing was
    /// known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimate_ns: Option<u64>,
    /// What it might take of the budget, in ns.
    pub left_ns: u64,
    /// Time of the job that was stopped because it ran past its share of the budget, in ns; absent where none was begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_after_ns: Option<u64>,
}

impl SkippedRecord {
    /// Whether it still keeps its candidate away, by all jobs that count: one that was stopped may have been tried again since,
    /// with more time.
    pub fn holds(&self, jobs: &[JobRecord]) -> bool {
        let is_here = |job: &&JobRecord| job.configuration == self.configuration && job.candidate == self.candidate;
        jobs.iter().filter(is_here).count() <= self.rounds as usize
    }
}

/// Rows at the end of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FinalCount {
    /// As the store counts them.
    pub counted_rows: u64,
    /// Fewest rows that are right.
    pub least_rows: u64,
    /// Most rows that are right; more than the fewest only where the fate of writes is unknown.
    pub most_rows: u64,
}

impl FinalCount {
    /// Whether the store has the rows that it must have.
    pub fn is_right(&self) -> bool {
        (self.least_rows..=self.most_rows).contains(&self.counted_rows)
    }
}

/// A setting beside what the live store says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SettingCheck {
    /// Name as the store reports it.
    pub name: String,
    /// Value that was asked for; absent where the setting is only reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<String>,
    /// Value that the live store reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// What follows.
    pub state: SettingState,
}

/// A setting of the live store that undoes what its durability setting promises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WeakenedSetting {
    /// Name as the store reports it.
    pub setting: String,
    /// Value that the live store reported.
    pub found: String,
    /// What is kept at most with it.
    pub guarantee: Guarantee,
    /// What can be lost with it, in words.
    pub window: String,
    /// Where that is documented.
    pub source: String,
}

/// What reading a setting back showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SettingState {
    /// The live store has what was asked for.
    Confirmed,
    /// It has something else: the job does not count.
    Differs,
    /// It was set, but the store cannot tell.
    SetNotReadable,
    /// Not asked for, only reported.
    Reported,
}

/// One phase of a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PhaseRecord {
    /// Name.
    pub name: String,
    /// Kind of operation.
    pub operation: Operation,
    /// What came of it.
    pub outcome: PhaseOutcome,
    /// What the client processes gave, one entry each; empty unless it ran.
    pub results: Vec<PhaseResult>,
    /// The client's process trees between `go` and the last result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<TreeUse>,
    /// The service's process tree in the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<TreeUse>,
    /// The process tree of the service that rows were fetched from, in the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows_from: Option<TreeUse>,
    /// What the services before the store took together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<TreeUse>,
    /// What a link that only lets so much through took, which is neither client nor service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<TreeUse>,
    /// Processor time of the harness in the same time, in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness_cpu_ns: Option<u64>,
    /// Processors of the whole machine in the same time; absent in older records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<MachineUse>,
    /// Flushes of the disk under the data in the same time, whosever they were; absent where it counts none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_flushes: Option<u64>,
    /// Time of flush and syncfs after a phase that writes, in ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flush_ns: Option<u64>,
    /// Blocks of the data folder after the phase (and after settling), in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// Size as the store reports it, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_bytes: Option<u64>,
    /// The sum of all counters after a phase that increments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<CounterSum>,
    /// What was done while it ran, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionRecord>,
    /// What the store did beside its clients, as its log told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub background: Vec<BackgroundRecord>,
    /// Where it was done at several rates: each time, in the order of time. Everything else is of the highest rate that kept what
    /// was asked, else of the lowest.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepRecord>,
}

/// Work of a store beside its clients, of which its log told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackgroundRecord {
    /// When the line was seen, in ns after the clients were let go.
    pub at_ns: u64,
    /// What it did, as its descriptor names it.
    pub what: String,
}

/// A phase at one of several rates.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRecord {
    /// Operations a second that were planned.
    pub rate: u32,
    /// How long, in ns.
    pub duration_ns: u64,
    /// What the client processes gave, without the course of time.
    pub results: Vec<PhaseResult>,
}

/// The time that a phase took, in ns of CLOCK_MONOTONIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first start of an operation.
    pub start_ns: u64,
    /// The last end.
    pub end_ns: u64,
    /// Sum of the workers' own times.
    pub workers_ns: u64,
}

impl Span {
    /// From the first start to the last end, in ns.
    pub fn wall_ns(self) -> u64 {
        self.end_ns - self.start_ns
    }
}

impl PhaseRecord {
    /// Why a service that was ended during the phase could not be started again, or gave no rows.
    pub fn not_back(&self) -> Option<&RecordedText> {
        self.actions.iter().find_map(|action| action.not_back.as_ref())
    }

    /// A phase of which nothing was measured yet.
    pub fn new(name: &str, operation: Operation) -> PhaseRecord {
        PhaseRecord {
            name: name.to_string(),
            operation,
            outcome: PhaseOutcome::Ran,
            results: Vec::new(),
            client: None,
            service: None,
            rows_from: None,
            app: None,
            link: None,
            harness_cpu_ns: None,
            machine: None,
            device_flushes: None,
            flush_ns: None,
            disk_bytes: None,
            store_bytes: None,
            counters: None,
            actions: Vec::new(),
            background: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The highest rate that kept `slo`, of several steps.
    pub fn highest_rate(&self, slo: &Slo) -> Option<u32> {
        let steps = self.steps.iter();
        steps.fold(RateBracket::EMPTY, |all, step| all.with(step.rate, slo.is_kept_by(&step.results))).kept
    }

    fn workers(&self) -> impl Iterator<Item = &WorkerResult> {
        self.results.iter().flat_map(|result| &result.workers)
    }

    /// Operations completed, over all workers of all processes.
    pub fn operations(&self) -> u64 {
        self.workers().map(|worker| worker.operations).sum()
    }

    /// Operations failed, over all workers of all processes.
    pub fn failed(&self) -> u64 {
        self.workers().map(|worker| worker.failed).sum()
    }

    /// From the first start to the last end over all workers of all processes that did anything; an operation that failed
    /// took its time too. `None` where nobody did anything.
    pub fn span(&self) -> Option<Span> {
        let workers = || {
            let did = |worker: &&WorkerResult| worker.operations + worker.failed > 0;
            self.workers().filter(did).filter(|worker| worker.last_end_ns >= worker.first_start_ns)
        };
        Some(Span {
            start_ns: workers().map(|worker| worker.first_start_ns).min()?,
            end_ns: workers().map(|worker| worker.last_end_ns).max()?,
            workers_ns: workers().map(|worker| worker.last_end_ns - worker.first_start_ns).sum(),
        })
    }
}

/// The sum of all counters of a job, beside what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CounterSum {
    /// As the store has it.
    pub sum: u64,
    /// Increments that were acknowledged so far.
    pub least: u64,
    /// All that were asked for; more than the acknowledged only where the fate of some is unknown.
    pub most: u64,
}

impl CounterSum {
    /// Whether no acknowledged increment is missing and none happened that nobody asked for.
    pub fn is_right(&self) -> bool {
        (self.least..=self.most).contains(&self.sum)
    }
}

/// What came of a phase.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PhaseOutcome {
    /// It ran; whether its answers were right stands in the results.
    Ran,
    /// The store has no such operation, load path, read scope…
    Unsupported(RecordedText),
    /// It did not end cleanly.
    Failed(RecordedText),
}

/// What a tree of processes used in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TreeUse {
    /// Processor time, reaped children included, in ns; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns: Option<u64>,
    /// Memory in bytes.
    pub memory_bytes: u64,
    /// How memory was measured.
    pub memory_method: MemoryMethod,
    /// Bytes sent to the device by these processes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// Processes at the end.
    pub processes: u32,
    /// Threads at the end.
    pub threads: u32,
}

impl TreeUse {
    /// Both together.
    fn and(self, other: TreeUse) -> TreeUse {
        TreeUse {
            cpu_ns: self.cpu_ns.zip(other.cpu_ns).map(|(one, more)| one + more),
            memory_bytes: self.memory_bytes + other.memory_bytes,
            memory_method: self.memory_method,
            written_bytes: self.written_bytes.zip(other.written_bytes).map(|(one, more)| one + more),
            processes: self.processes + other.processes,
            threads: self.threads + other.threads,
        }
    }
}

impl PhaseRecord {
    /// What the service of the store and those before it took together; `None` where there is none of either.
    pub fn served(&self) -> Option<TreeUse> {
        match (self.service, self.app) {
            (Some(service), Some(app)) => Some(service.and(app)),
            (one, other) => one.or(other),
        }
    }

    /// Processor time of the clients, in ns: of the whole tree where it was seen, else as they tell it of themselves; `None`
    /// where it is not known.
    pub fn client_cpu_ns(&self) -> Option<u64> {
        self.client.map_or_else(|| self.results.iter().map(PhaseResult::cpu_ns).sum(), |tree| tree.cpu_ns)
    }

    /// Processor time of all that belongs to the run, the harness included, in ns. `others` are phases that the same services
    /// may have served. `None` where a part of it is not known: one that was there in another phase was not seen in this one.
    pub fn whole_cpu_ns<'a>(&self, others: impl IntoIterator<Item = &'a PhaseRecord> + Clone) -> Option<u64> {
        let service_ns = |part: ServiceField| match part(self) {
            Some(tree) => tree.cpu_ns,
            None => others.clone().into_iter().all(|other| part(other).is_none()).then_some(0),
        };
        let services_ns: u64 = SERVICES.into_iter().map(service_ns).sum::<Option<u64>>()?;
        Some(self.client_cpu_ns()? + services_ns + self.harness_cpu_ns.unwrap_or(0))
    }
}

/// What a part of those that serve a job took in a phase.
type ServiceField = fn(&PhaseRecord) -> Option<TreeUse>;

const SERVICES: [ServiceField; 4] =
    [|record| record.service, |record| record.app, |record| record.link, |record| record.rows_from];

/// What the processors of the machine did in a phase, whosever work it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MachineUse {
    /// Time of work without that of the kernel's own threads, which is nobody's, in ns over all processors.
    pub busy_ns: u64,
    /// Time that the machine below took, in ns over all processors.
    pub steal_ns: u64,
    /// Time of all processors, idle or not, in ns.
    pub all_ns: u64,
    /// Periods of the control group with the tightest CPU quota; absent where there is no quota.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quota_periods: Option<u64>,
    /// Those of them in which the quota was used up, and everything stood still until their end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled_periods: Option<u64>,
}

/// How the memory of a tree of processes was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MemoryMethod {
    /// The most that was resident during the phase, of a tree of one process.
    #[serde(rename = "peak resident")]
    PeakResident,
    /// The sum of proportional shares at the end of the phase.
    #[serde(rename = "sum of proportional")]
    SumProportional,
    /// The sum of resident sizes at the end of the phase, which counts shared memory several times.
    #[serde(rename = "sum of resident")]
    SumResident,
}

/// Why a job did not end cleanly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct JobError {
    /// Where the fault was.
    pub kind: JobErrorKind,
    /// The phase, if one was under way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// What happened, with the last lines of the right log.
    pub message: RecordedText,
}

/// Where a fault was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum JobErrorKind {
    /// The service did not come up, or died.
    Service,
    /// The client failed or died.
    Client,
    /// A setting does not read back as asked.
    Settings,
    /// A time limit was reached.
    Timeout,
    /// The disk, the memory or a folder of the harness; only of earlier versions: such a fault ends the run, and is in no job.
    Harness,
}
