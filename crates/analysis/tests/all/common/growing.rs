//! A run over three sizes: one store whose reads grow faster than the data, one that is skipped, one that fails.

use kurabe_protocol::{Action, End, Load, Operation};
use kurabe_record::{
    Axis, AxisEffect, AxisValue, Configuration, Factor, JobError, JobErrorKind, JobRecord, Loaded, PhasePlan,
    SkippedRecord,
};

use super::{SECOND_NS, baseline, job, level, loaded, plan, ran, run, store};

/// Rows and rounds.
pub const SIZES: [(u64, u32); 3] = [(10_000, 5), (100_000, 5), (1_000_000, 3)];

/// Cost of a loaded row and of a read at the smallest size, in ns, and the exponents of both in total time.
struct Model {
    name: &'static str,
    cost_ns: [f64; 2],
    exponents: [f64; 2],
}

const MODELS: [Model; 5] = [
    Model { name: "echo", cost_ns: [30.0, 28.0], exponents: [1.0, 1.0] },
    Model { name: "lmdb", cost_ns: [600.0, 400.0], exponents: [1.02, 1.3] },
    Model { name: "sqlite", cost_ns: [1_500.0, 500.0], exponents: [1.0, 1.01] },
    Model { name: "postgres", cost_ns: [21_000.0, 23_000.0], exponents: [1.0, 1.05] },
    Model { name: "broken", cost_ns: [900.0, 900.0], exponents: [1.0, 1.0] },
];

/// 'postgres' is skipped at the largest size, 'broken' fails in round 2 of the middle one.
pub fn growing() -> Loaded {
    let mut record = run(3, MODELS.iter().map(|model| candidate(model.name)).collect(), Vec::new());
    record.command = "kurabe run primary-key --seed 42".into();
    let plan = &mut record.plan;
    plan.study = "primary-key".into();
    plan.title = "Which store stays fast as the data grows?".into();
    plan.budget_ns = Some(600 * SECOND_NS);
    let on_axis = |rows: u64| Factor { axis: "rows".into(), value: AxisValue::Number(rows) };
    let values = SIZES.iter().map(|(rows, _)| AxisValue::Number(*rows)).collect();
    plan.axes = vec![Axis {
        name: "rows".into(),
        makes: AxisEffect::Configurations,
        phases: Vec::new(),
        values,
        design: Default::default(),
    }];
    let sized = |(rows, rounds): &(u64, u32)| Configuration {
        factors: vec![on_axis(*rows)],
        ..level(*rows, *rounds, phases(*rows))
    };
    plan.configurations = SIZES.iter().map(sized).collect();
    let mut jobs = Vec::new();
    for (rows, rounds) in SIZES {
        for round in 0..rounds {
            for (index, model) in MODELS.iter().enumerate() {
                let gone = match model.name {
                    "postgres" => rows == 1_000_000,
                    "broken" => (rows, round) > (100_000, 1),
                    _ => false,
                };
                if !gone {
                    jobs.push(sized_job(model, rows, round, index));
                }
            }
        }
    }
    (0u32..).zip(&mut jobs).for_each(|(number, job)| job.number = number);
    let skipped = SkippedRecord {
        candidate: "postgres".into(),
        configuration: 2,
        rounds: 0,
        needed_rounds: 3,
        estimate_ns: Some(558 * SECOND_NS),
        left_ns: 187 * SECOND_NS,
        stopped_after_ns: None,
    };
    Loaded { skipped: vec![skipped], ..loaded(record, jobs) }
}

fn candidate(name: &str) -> kurabe_record::CandidateRecord {
    if name == "echo" { baseline(name) } else { store(name) }
}

fn phases(rows: u64) -> Vec<PhasePlan> {
    let mut load = plan("load", Load::Row);
    load.phase.end = End::Count(rows);
    let mut read = plan("read", Action::Read);
    read.phase.end = End::Count(rows.min(100_000));
    vec![load, read]
}

fn sized_job(model: &Model, rows: u64, round: u32, index: usize) -> JobRecord {
    let tenfold = (rows as f64 / 10_000.0).log10();
    let phase = |at: usize, name: &str, operation: Operation| {
        // A spread of about 2 % that is the same everywhere.
        let noise =
            1.0 + 0.02 * (((round as usize * 7 + index * 3 + at * 5 + rows.ilog10() as usize) % 5) as f64 - 2.0) / 2.0;
        let cost_ns = model.cost_ns[at] * 10f64.powf(tenfold * (model.exponents[at] - 1.0)) * noise;
        let mut record = ran(name, operation, (1e9 / cost_ns) as u64);
        record.results[0].rows_present = rows;
        record.disk_bytes = (operation == Operation::Load).then_some(32_768 + rows * (120 + 40 * index as u64));
        record
    };
    let mut job = job(model.name, round, vec![phase(0, "load", Operation::Load), phase(1, "read", Operation::Read)]);
    job.configuration = SIZES.iter().position(|size| size.0 == rows).expect("a size") as u32;
    if model.name == "broken" && (rows, round) == (100_000, 1) {
        job.phases.truncate(1);
        job.error =
            Some(JobError { kind: JobErrorKind::Client, phase: Some("read".into()), message: "disk is full".into() });
    }
    job
}
