//! Hand-made records for tests: a small vocabulary, and one whole sample run.
#![allow(dead_code, reason = "the tests of the report use a part of it, those of the analysis another")]

pub mod growing;
pub mod sample;
pub mod windows;

use kurabe_analysis::Answer;
use kurabe_machine::{Canary, DeviceProbe, Machine, QuietWait};
use kurabe_messages::{Language, Message};
use kurabe_protocol::{
    Capabilities, Checks, End, FieldType, Hello, Histogram, InsertMode, KindLatency, LoadPath, Operation, Phase,
    PhaseResult, ReadScope, Schema, Series, StoppedBy, Work, WorkerResult,
};
use kurabe_record::{
    BaselineKind, Bound, CandidateRecord, Configuration, DurabilityLevel, DurabilityRecord, EndRecord, EndStatus,
    FORMAT, Guarantee, Integrity, JobRecord, Loaded, Loss, MemoryMethod, MinimumDurability, PhaseOutcome, PhasePlan,
    PhaseRecord, Proof, RunRecord, StoreKind, StudyPlan, TreeUse,
};

/// The sentences of an answer in English.
pub fn said(answer: &Answer) -> Vec<String> {
    english(&answer.messages())
}

/// Messages in English.
pub fn english(messages: &[Message]) -> Vec<String> {
    messages.iter().map(|message| message.text(Language::English)).collect()
}

pub const SECOND_NS: u64 = 1_000_000_000;
/// Rows of a run of one size.
pub const ROWS: u64 = 100_000;

pub fn run(rounds: u32, candidates: Vec<CandidateRecord>, phases: Vec<PhasePlan>) -> RunRecord {
    RunRecord {
        format: FORMAT,
        kurabe: "0.1.0".into(),
        id: "20261102T101500Z-quick".into(),
        started_at: "2026-11-02T10:15:00Z".into(),
        command: format!("kurabe run quick --rounds {rounds} --seed 42"),
        plan: study_plan(rounds, phases),
        data: None,
        candidates,
        stores: Vec::new(),
        left_out: Vec::new(),
        machine: machine(),
        definitions: None,
        device: device(),
    }
}

fn study_plan(rounds: u32, phases: Vec<PhasePlan>) -> StudyPlan {
    StudyPlan {
        study: "quick".into(),
        title: "Which store is fastest at small rows?".into(),
        seed: 42,
        budget_ns: None,
        quiet_wait_ns: SECOND_NS / 5,
        cache_mb: 256,
        transport: Default::default(),
        durability: MinimumDurability::Cache,
        profile: Default::default(),
        slo: None,
        equivalent: None,
        compressible: 0.5,
        allowed_errors: 0,
        axes: Vec::new(),
        configurations: vec![level(ROWS, rounds, phases)],
        used_by: None,
        plain_choice: None,
        claims: Default::default(),
        pitfalls: Vec::new(),
    }
}

/// A configuration that lies on no axis.
pub fn level(rows: u64, rounds: u32, phases: Vec<PhasePlan>) -> Configuration {
    Configuration {
        factors: Vec::new(),
        rows,
        rounds,
        schema: Schema::key_value(100),
        encoding: kurabe_protocol::Encoding::Raw,
        phases,
        only: Vec::new(),
    }
}

fn machine() -> Machine {
    Machine {
        cpu_model: Some("AMD EPYC 7763".into()),
        cores: 4,
        usable_cores: 4,
        affinity_cores: Some(4),
        cpu_quota_millis: None,
        memory_bytes: Some(16 << 30),
        swap_bytes: Some(0),
        swap_used_bytes: Some(0),
        kernel_release: "6.1.0-18-amd64".into(),
        architecture: "x86_64".into(),
        virtualisation: Some("KVM".into()),
        cpu_governor: None,
        clock_source: None,
        load_average_1min: Some(0.12),
    }
}

fn device() -> DeviceProbe {
    DeviceProbe {
        file_system: "ext4/ext2/ext3".into(),
        mount_options: Vec::new(),
        block_device: None,
        file_system_id: None,
        free_bytes: 80 << 30,
        fdatasync_ns_p50: 412_000,
        fdatasync_ns_p90: 780_000,
        fdatasync_ns_max: 3_100_000,
        fdatasync_ns_samples: vec![412_000, 780_000, 3_100_000],
    }
}

pub fn plan(name: &str, work: impl Into<Work>) -> PhasePlan {
    PhasePlan::new(Phase::new(name, work, End::DurationNs(SECOND_NS / 5)), true)
}

/// The factor of the pitfall 'lazy'.
#[allow(dead_code)]
pub fn lazy() -> Vec<kurabe_record::Factor> {
    vec![kurabe_record::Factor::new(kurabe_record::PITFALL, &kurabe_record::AxisValue::Word("lazy".into()))]
}

/// What the pitfall 'lazy' makes of a candidate.
#[allow(dead_code)]
pub fn made_lazy(base: &str) -> CandidateRecord {
    CandidateRecord { base: Some(base.into()), factors: lazy(), ..store(&format!("{base} [lazy]")) }
}

/// The configuration of the pitfall 'lazy' beside another one.
#[allow(dead_code)]
pub fn lazy_beside(config: &Configuration, base: &str) -> Configuration {
    Configuration { factors: lazy(), only: vec![format!("{base} [lazy]")], ..config.clone() }
}

/// A store inside the client's process, of class `none`.
pub fn store(name: &str) -> CandidateRecord {
    CandidateRecord {
        name: name.into(),
        store: name.into(),
        title: name.to_uppercase(),
        variant: None,
        client: "rust".into(),
        kind: StoreKind::Store,
        baseline: None,
        service_version: None,
        at_url: None,
        durability: Some(durability(DurabilityLevel::Cache)),
        settings: Vec::new(),
        asked: None,
        base: None,
        factors: Vec::new(),
        processes: 1,
        transport: kurabe_record::StoreAccess::InProcess,
        app: Vec::new(),
        asked_by: None,
        by_load_tool: false,
    }
}

/// What a setting of a level keeps, the simplest there is.
pub fn kept(level: DurabilityLevel) -> Guarantee {
    let (kill, power, integrity) = match level {
        DurabilityLevel::Cache => (Loss::All, Loss::All, Integrity::I0),
        DurabilityLevel::Kill => (Loss::Nothing, Loss::Writeback, Integrity::I3),
        DurabilityLevel::Window => (Loss::Millis(600), Loss::Millis(600), Integrity::I0),
        DurabilityLevel::Consistent => (Loss::Nothing, Loss::Checkpoint(Bound::Commits(1003)), Integrity::I0),
        DurabilityLevel::Power => (Loss::Nothing, Loss::Nothing, Integrity::I0),
    };
    Guarantee { kill, power, integrity }
}

pub fn durability(level: DurabilityLevel) -> DurabilityRecord {
    let (name, window) = match level {
        DurabilityLevel::Power => ("wal-full", "nothing"),
        DurabilityLevel::Consistent => ("wal-normal", "commits since the last sync, if power fails"),
        _ => ("nosync", "everything since the last checkpoint"),
    };
    DurabilityRecord {
        name: name.into(),
        guarantee: kept(level),
        window: window.into(),
        proof: vec![Proof::Documents],
        source: "https://example.org/durability".into(),
    }
}

pub fn baseline(name: &str) -> CandidateRecord {
    let baseline = match name {
        "echo" => Some(BaselineKind::Loop),
        "map" => Some(BaselineKind::Memory),
        _ => None,
    };
    CandidateRecord { kind: StoreKind::Baseline, baseline, durability: None, ..store(name) }
}

pub fn job(candidate: &str, round: u32, phases: Vec<PhaseRecord>) -> JobRecord {
    JobRecord {
        lasted_ns: 2 * SECOND_NS,
        hello: Some(hello("rust", &[])),
        canary: Some(Canary { fdatasync_ns_p50: 420_000, spin_ns: 2_050_000 }),
        quiet: QuietWait { waited_ns: 40_000_000, quiet: true, known: true },
        empty_disk_bytes: Some(32_768),
        phases,
        ..JobRecord::begun(round, 0, round, candidate, "2026-11-02T10:15:01Z".into())
    }
}

pub fn hello(client: &str, libraries: &[(&str, &str)]) -> Hello {
    Hello {
        kurabe: 1,
        client: client.into(),
        version: "0.1.0".into(),
        libraries: libraries.iter().map(|(name, version)| ((*name).into(), (*version).into())).collect(),
        capabilities: Capabilities {
            operations: Operation::ALL.to_vec(),
            key_types: vec![FieldType::Int64, FieldType::Text],
            insert: InsertMode::Exists,
            load_paths: vec![LoadPath::Row],
            read_scopes: vec![ReadScope::Each],
            transactions: true,
            max_depth: 1,
            batch: false,
            max_connections: 64,
            processes: true,
            shared_versions: true,
            max_value_bytes: 1 << 20,
            ..Capabilities::default()
        },
        driver_pid: None,
    }
}

/// A phase of one worker that completed `rate` operations in one second, each of the same latency.
pub fn ran(name: &str, operation: Operation, rate: u64) -> PhaseRecord {
    let mut latency = Histogram::default();
    latency.record_times(SECOND_NS * 9 / 10 / rate, rate);
    let series = Series { start_ns: SECOND_NS, slot_ns: SECOND_NS / 10, operations: vec![rate / 10; 10] };
    let result = PhaseResult {
        phase: name.into(),
        workers: vec![WorkerResult {
            worker: 0,
            operations: rate,
            failed: 0,
            first_start_ns: SECOND_NS,
            last_end_ns: 2 * SECOND_NS,
        }],
        latency: vec![kind(operation, &latency)],
        failures: Vec::new(),
        checks: Checks { checked: rate, ..Checks::default() },
        retries: 0,
        rows_read: 0,
        series,
        cpu_user_ns: Some(SECOND_NS * 7 / 10),
        cpu_system_ns: Some(SECOND_NS / 10),
        threads: 1,
        rows_present: 100_000,
        rows_unknown: 0,
        increments: None,
        runtime: None,
        encoding_ns: None,
        connects: None,
        open_loop: None,
        stopped_by: StoppedBy::Duration,
        message: None,
    };
    phase(name, operation, PhaseOutcome::Ran, vec![result])
}

pub fn phase(name: &str, operation: Operation, outcome: PhaseOutcome, results: Vec<PhaseResult>) -> PhaseRecord {
    PhaseRecord { outcome, results, harness_cpu_ns: Some(SECOND_NS / 100), ..PhaseRecord::new(name, operation) }
}

pub fn kind(operation: Operation, histogram: &Histogram) -> KindLatency {
    KindLatency {
        operation,
        buckets: histogram.buckets(),
        count: histogram.count(),
        sum_ns: histogram.sum_ns(),
        min_ns: histogram.min_ns(),
        max_ns: histogram.max_ns(),
    }
}

pub fn tree(cpu_ns: u64, memory_bytes: u64) -> TreeUse {
    TreeUse {
        cpu_ns: Some(cpu_ns),
        memory_bytes,
        memory_method: MemoryMethod::PeakResident,
        written_bytes: Some(0),
        processes: 1,
        threads: 2,
    }
}

/// One job a round of a candidate with the single phase `read`, at these rates.
pub fn reads(candidate: &str, rates: &[u64]) -> Vec<JobRecord> {
    let jobs = (0u32..).zip(rates);
    jobs.map(|(round, rate)| job(candidate, round, vec![ran("read", Operation::Read, *rate)])).collect()
}

pub fn complete() -> EndRecord {
    EndRecord { status: EndStatus::Complete, ended_at: "2026-11-02T10:16:00Z".into(), message: None }
}

/// A run that came to its end, as it is read.
pub fn loaded(run: RunRecord, jobs: Vec<JobRecord>) -> Loaded {
    Loaded {
        run,
        jobs,
        superseded: Vec::new(),
        repeats: Vec::new(),
        skipped: Vec::new(),
        repeated: Vec::new(),
        end: Some(complete()),
        damaged: None,
    }
}
