//! A plausible run of five rounds: two baselines, four stores that work, one that answers wrongly, one that is absent.

use kurabe_protocol::{
    Action, Checks, End, Histogram, Load, Mix, Operation, PhaseResult, Series, StoppedBy, WorkerResult,
};
use kurabe_record::{
    CandidateRecord, DurabilityLevel, EndRecord, FinalCount, JobRecord, KeptSetting, LeftOut, PhaseOutcome, PhasePlan,
    PhaseRecord, RunRecord, SettingCheck, SettingState, TreeUse,
};

use super::{ROWS, SECOND_NS, baseline, complete, durability, hello, job, kind, phase, plan, run, store};

const ROUNDS: u32 = 5;
const PHASE_NS: u64 = SECOND_NS / 5;
const SLOTS: u64 = 20;
/// Operations of one histogram: enough for p99.9 over five rounds.
const MOST_SAMPLES: u64 = 4_000;

/// How a candidate behaves: mean latency in ns of read, update, load and of one row in a scan.
struct Model {
    name: &'static str,
    read_ns: f64,
    update_ns: f64,
    load_ns: f64,
    row_ns: f64,
    /// Spread of rates between rounds and of latencies (a scale of the logistic distribution).
    noise: f64,
    tail: f64,
    disk_per_row_bytes: u64,
    memory_bytes: u64,
    versions: &'static [(&'static str, &'static str)],
}

const MODELS: [Model; 7] = [
    model("echo", [28.0, 31.0, 30.0, 2.0], [0.004, 0.10], 0, 6 << 20, &[]),
    model("map", [62.0, 80.0, 75.0, 9.0], [0.006, 0.14], 0, 34 << 20, &[]),
    model("file", [910.0, 7_200.0, 1_450.0, 310.0], [0.02, 0.30], 118, 9 << 20, &[]),
    model(
        "sqlite",
        [2_450.0, 9_300.0, 1_780.0, 180.0],
        [0.015, 0.24],
        124,
        21 << 20,
        &[("rusqlite", "0.41.0"), ("sqlite", "3.54.0")],
    ),
    model(
        "lmdb",
        [540.0, 7_350.0, 1_390.0, 61.0],
        [0.012, 0.20],
        161,
        48 << 20,
        &[("heed", "0.23.0"), ("lmdb", "0.9.33")],
    ),
    model("redis", [19_800.0, 20_600.0, 20_100.0, 1_100.0], [0.02, 0.18], 131, 14 << 20, &[("redis", "1.8.0")]),
    model("sqlite+python", [11_900.0, 21_400.0, 6_200.0, 890.0], [0.03, 0.26], 124, 26 << 20, &[("sqlite", "3.40.1")]),
];

const fn model(
    name: &'static str,
    [read_ns, update_ns, load_ns, row_ns]: [f64; 4],
    [noise, tail]: [f64; 2],
    disk_per_row_bytes: u64,
    memory_bytes: u64,
    versions: &'static [(&'static str, &'static str)],
) -> Model {
    Model { name, read_ns, update_ns, load_ns, row_ns, noise, tail, disk_per_row_bytes, memory_bytes, versions }
}

/// The sample run with its records.
pub fn sample() -> (RunRecord, Vec<JobRecord>, EndRecord) {
    let mut record = run(ROUNDS, candidates(), phases());
    record.command =
        "kurabe run quick --stores echo,map,file,sqlite,lmdb,redis,sqlite+python,tokyocabinet --rounds 5 --seed 42"
            .into();
    record.left_out = vec![LeftOut {
        base: None,
        factors: Vec::new(),
        name: "tokyocabinet".into(),
        reason: "library 'libtokyocabinet.so.9' is not installed".into(),
        remedy: Some("kurabe setup tokyocabinet".into()),
    }];
    let mut random = Random(42);
    let mut jobs = Vec::new();
    for round in 0..ROUNDS {
        for model in &MODELS {
            let mut job = sample_job(model, round, &mut random);
            job.number = jobs.len() as u32;
            jobs.push(job);
        }
    }
    (record, jobs, complete())
}

fn phases() -> Vec<PhasePlan> {
    let mut load = plan("load", Load::Row);
    load.phase.end = End::Count(ROWS);
    load.phase.commit_every = 1_000;
    let mix = plan("mix", Mix::new([(Action::Read, 95), (Action::Update, 5)]).expect("a mix"));
    let mut scan = plan("scan", Action::Scan);
    scan.deciding = false;
    let mut latest = plan("latest", Action::Latest { rows: 100 });
    latest.deciding = false;
    vec![load, plan("read", Action::Read), plan("update", Action::Update), mix, scan, latest]
}

fn candidates() -> Vec<CandidateRecord> {
    let setting = |name: &str, value: &str, reason: &str| KeptSetting {
        name: name.into(),
        value: value.into(),
        reason: reason.into(),
    };
    let mut file = store("file");
    file.title = "A plain file".into();
    let mut sqlite = store("sqlite");
    sqlite.title = "SQLite".into();
    sqlite.durability = Some(durability(DurabilityLevel::Consistent));
    sqlite.settings = vec![
        setting("journal_mode", "WAL", "readers and the writer do not block each other"),
        setting("cache_size", "-262144", "256 MiB, as every store with a cache has here"),
    ];
    let mut lmdb = store("lmdb");
    lmdb.title = "LMDB".into();
    lmdb.settings = vec![setting("map_size", "17179869184", "larger than the data can become")];
    let mut redis = store("redis");
    redis.title = "Redis".into();
    redis.transport = kurabe_record::StoreAccess::Tcp;
    redis.service_version = Some("7.0.15".into());
    redis.settings = vec![
        setting("maxmemory", "268435456", "twice the data"),
        setting("save", "", "no snapshot while something is measured"),
    ];
    let mut python = store("sqlite+python");
    python.store = "sqlite".into();
    python.title = "SQLite".into();
    python.client = "python".into();
    python.durability = Some(durability(DurabilityLevel::Consistent));
    vec![baseline("echo"), baseline("map"), file, sqlite, lmdb, redis, python]
}

fn sample_job(model: &Model, round: u32, random: &mut Random) -> JobRecord {
    let day = 1.0 + 0.03 * random.signed();
    let per_operation = [
        ("load", Operation::Load, model.load_ns),
        ("read", Operation::Read, model.read_ns),
        ("update", Operation::Update, model.update_ns),
        ("mix", Operation::Mix, 0.95 * model.read_ns + 0.05 * model.update_ns),
        ("scan", Operation::Scan, model.row_ns * ROWS as f64),
        ("latest", Operation::Latest, model.row_ns * 130.0 + model.read_ns),
    ];
    let mut phases = Vec::new();
    for (name, operation, mean_ns) in per_operation {
        let noisy_ns = mean_ns * day * (1.0 + model.noise * random.signed());
        phases.push(sample_phase(model, name, operation, noisy_ns));
    }
    let mut job = job(model.name, round, phases);
    job.hello = Some(hello(if model.name == "sqlite+python" { "python" } else { "rust" }, model.versions));
    job.settings = settings(model.name);
    job.final_count = Some(FinalCount { counted_rows: ROWS, least_rows: ROWS, most_rows: ROWS });
    if model.name == "file" {
        job.phases[5] =
            phase("latest", Operation::Latest, PhaseOutcome::Unsupported("order by key".into()), Vec::new());
    }
    if model.name == "sqlite+python" && round == 2 {
        let checks = &mut job.phases[2].results[0].checks;
        checks.stale = 3;
        checks.examples = vec!["row 4711 has version 1, at least 2 was acknowledged".into()];
    }
    job
}

fn settings(candidate: &str) -> Vec<SettingCheck> {
    let check = |name: &str, value: &str, state| SettingCheck {
        name: name.into(),
        asked: Some(value.into()),
        found: (state == SettingState::Confirmed).then(|| value.into()),
        state,
    };
    match candidate {
        "sqlite" | "sqlite+python" => vec![
            check("synchronous", "1", SettingState::Confirmed),
            check("journal_mode", "wal", SettingState::Confirmed),
        ],
        "redis" => vec![check("appendonly", "no", SettingState::Confirmed)],
        "lmdb" => vec![check("nosync", "on", SettingState::SetNotReadable)],
        _ => Vec::new(),
    }
}

fn sample_phase(model: &Model, name: &str, operation: Operation, mean_ns: f64) -> PhaseRecord {
    let wall_ns = if operation == Operation::Load { (mean_ns * ROWS as f64) as u64 } else { PHASE_NS };
    let operations = ((wall_ns as f64 / mean_ns) as u64).max(1);
    let wall_ns = (operations as f64 * mean_ns) as u64;
    let rows = match operation {
        Operation::Scan => ROWS,
        Operation::Latest => 100,
        _ => 0,
    };
    let kinds = match operation {
        Operation::Mix => vec![
            (Operation::Read, operations * 95 / 100, model.read_ns),
            (Operation::Update, operations / 20, model.update_ns),
        ],
        one => vec![(one, operations, mean_ns)],
    };
    let result = PhaseResult {
        phase: name.into(),
        workers: vec![WorkerResult {
            worker: 0,
            operations,
            failed: 0,
            first_start_ns: SECOND_NS,
            last_end_ns: SECOND_NS + wall_ns,
        }],
        latency: kinds.iter().map(|(one, count, mean)| kind(*one, &latencies(*mean, model.tail, *count))).collect(),
        failures: Vec::new(),
        checks: Checks { checked: operations, ..Checks::default() },
        retries: 0,
        rows_read: rows * operations,
        series: series(operations, wall_ns, operation),
        cpu_user_ns: Some(wall_ns * 7 / 10),
        cpu_system_ns: Some(wall_ns / 5),
        threads: 1,
        rows_present: ROWS,
        rows_unknown: 0,
        increments: None,
        runtime: None,
        encoding_ns: None,
        connects: None,
        open_loop: None,
        stopped_by: if operation == Operation::Load { StoppedBy::Count } else { StoppedBy::Duration },
        message: None,
    };
    let writes = matches!(operation, Operation::Load | Operation::Update | Operation::Mix);
    let written = if writes { operations * model.disk_per_row_bytes * 21 / 10 } else { 0 };
    let mut record = phase(name, operation, PhaseOutcome::Ran, vec![result]);
    let served = model.name == "redis";
    let client_memory_bytes = if served { 7 << 20 } else { model.memory_bytes };
    record.client = Some(used(wall_ns * 19 / 20, client_memory_bytes, written));
    record.service = served.then(|| used(wall_ns * 8 / 10, model.memory_bytes, written));
    record.flush_ns = writes.then_some(1_200_000 + model.disk_per_row_bytes * 90_000);
    record.disk_bytes = writes.then_some(32_768 + ROWS * model.disk_per_row_bytes);
    record
}

fn used(cpu_ns: u64, memory_bytes: u64, written_bytes: u64) -> TreeUse {
    TreeUse { written_bytes: Some(written_bytes), ..super::tree(cpu_ns, memory_bytes) }
}

/// Latencies of the log-logistic distribution, at even steps of probability.
fn latencies(mean_ns: f64, tail: f64, count: u64) -> Histogram {
    let mut histogram = Histogram::default();
    let samples = count.min(MOST_SAMPLES);
    for index in 0..samples {
        let share = (index as f64 + 0.5) / samples as f64;
        let latency_ns = 0.85 * mean_ns * ((share / (1.0 - share)).ln() * tail).exp();
        histogram.record_times(latency_ns as u64, count / samples);
    }
    histogram
}

/// An even rate with a dip in the sixth tenth of phases that write.
fn series(operations: u64, wall_ns: u64, operation: Operation) -> Series {
    let dips = matches!(operation, Operation::Load | Operation::Update);
    let weight = |slot: u64| match slot {
        11 | 12 if dips => 45,
        _ => 96 + (slot * 7) % 9,
    };
    let total: u64 = (0..SLOTS).map(weight).sum();
    let operations = (0..SLOTS).map(|slot| operations * weight(slot) / total).collect();
    Series { start_ns: SECOND_NS, slot_ns: wall_ns.div_ceil(SLOTS), operations }
}

/// Multiplicative congruential generator of Lewis, Goodman and Miller (1969): the sample must be the same everywhere.
struct Random(u64);

impl Random {
    /// From -1 to 1.
    fn signed(&mut self) -> f64 {
        self.0 = self.0 * 16_807 % 2_147_483_647;
        self.0 as f64 / 1_073_741_823.5 - 1.0
    }
}
