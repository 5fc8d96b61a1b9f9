//! Runs side by side: what became faster, what is no comparison, and what else differs.

use crate::common::{SECOND_NS, baseline, complete, hello, job, level, plan, ran, reads, run, store};
use kurabe_analysis::{
    Answer, ComparedRate, ComparedRow, Comparison, OtherRows, SameWork, Side, Verdict, analyse, compare,
};
use kurabe_protocol::{Action, End, Operation, Schema};
use kurabe_record::{
    CandidateRecord, DataFormat, DataRecord, DataSpec, Duplicates, DurabilityLevel, HeaderChoice, JobRecord,
    KeptSetting, MinimumDurability, RunRecord, StoreAccess, StoreKind, Transport,
};

const EVEN: [u64; 5] = [1_000, 1_010, 990, 1_005, 995];

/// Records of a run, with its answer once it is whole.
struct Recorded {
    run: RunRecord,
    jobs: Vec<JobRecord>,
}

impl Recorded {
    fn answer(&self) -> Answer {
        analyse(&self.run, &self.jobs, Some(&complete()))
    }

    fn of(&mut self, candidate: &str) -> &mut CandidateRecord {
        self.run.candidates.iter_mut().find(|one| one.name == candidate).expect("it takes part")
    }
}

/// Five rounds of reads: these rates, the same times 0.9 and 9 times as many by the baseline.
fn readers() -> Recorded {
    let candidates = vec![baseline("echo"), store("a"), store("b")];
    let jobs =
        [reads("echo", &EVEN.map(|rate| rate * 9)), reads("a", &EVEN), reads("b", &EVEN.map(|rate| rate * 9 / 10))];
    Recorded { run: run(5, candidates, vec![plan("read", Action::Read)]), jobs: jobs.concat() }
}

fn compared(runs: &[Recorded]) -> Comparison {
    let answers: Vec<Answer> = runs.iter().map(Recorded::answer).collect();
    let sides: Vec<Side<'_>> = (1..)
        .zip(runs.iter().zip(&answers))
        .map(|(at, (one, answer))| Side { name: format!("run-{at}"), run: &one.run, jobs: &one.jobs, answer })
        .collect();
    compare(&sides)
}

/// Makes the jobs of a candidate so many times as fast, in hundredths.
fn sped_up(recorded: &mut Recorded, candidate: &str, hundredths: u64) {
    for job in recorded.jobs.iter_mut().filter(|job| job.candidate == candidate) {
        let record = &mut job.phases[0];
        *record = ran(&record.name, record.operation, record.operations() * hundredths / 100);
    }
}

fn row<'a>(comparison: &'a Comparison, candidate: &str) -> &'a ComparedRow {
    comparison.phases[0].rows.iter().find(|row| row.candidate == candidate).expect("both runs have it")
}

/// The sentences about the second run after `change`, those about its machine first.
fn cautions(change: impl FnOnce(&mut Recorded)) -> Vec<String> {
    let mut other = readers();
    change(&mut other);
    let comparison = compared(&[readers(), other]);
    let machines = comparison.machines.iter().flat_map(|other| &other.differences);
    machines.chain(&comparison.cautions).map(|one| one.message().to_string()).collect()
}

#[test]
fn each_run_is_compared_with_the_first_store_by_store() {
    let (mut second, mut third) = (readers(), readers());
    sped_up(&mut second, "a", 200);
    sped_up(&mut third, "b", 50);
    second.run.id = "second".into();
    let comparison = compared(&[readers(), second, third]);
    let named: Vec<(&str, &str)> = comparison.runs.iter().map(|one| (one.name.as_str(), one.run.as_str())).collect();
    let id = "20261102T101500Z-quick";
    assert_eq!(named, [("run-1", id), ("run-2", "second"), ("run-3", id)]);
    assert_eq!((comparison.runs[0].study.as_str(), comparison.runs[0].kurabe.as_str()), ("quick", "0.1.0"));
    assert_eq!(comparison.runs[0].started_at, "2026-11-02T10:15:00Z");
    let [phase] = &comparison.phases[..] else { panic!("one phase: {:?}", comparison.phases) };
    let shown: Vec<(&str, StoreKind)> = phase.rows.iter().map(|row| (row.candidate.as_str(), row.kind)).collect();
    assert_eq!(
        shown,
        [("a", StoreKind::Store), ("b", StoreKind::Store), ("echo", StoreKind::Baseline)],
        "baselines last"
    );
    let told = |row: &ComparedRow| -> Vec<(usize, SameWork, Verdict, u64)> {
        let rate =
            |one: &ComparedRate| (one.run, one.work, one.ratio.verdict, (one.ratio.ratio.value * 100.0).round() as u64);
        row.others.iter().map(rate).collect()
    };
    let same = SameWork::Same;
    assert_eq!(told(&phase.rows[0]), [(1, same, Verdict::Better, 200), (2, same, Verdict::Tie, 100)]);
    assert_eq!(told(&phase.rows[1]), [(1, same, Verdict::Tie, 100), (2, same, Verdict::Worse, 50)]);
    assert_eq!(told(&phase.rows[2]), [(1, same, Verdict::Tie, 100), (2, same, Verdict::Tie, 100)]);
    let a = &phase.rows[0];
    assert_eq!((a.first.value.round(), a.first.rounds, a.others[0].rate_per_s.value.round()), (1_000.0, 5, 2_000.0));
    assert!(a.others[0].detectable.is_some_and(|share| share > 0.0 && share < 0.1), "{:?}", a.others[0]);
    assert!(comparison.cautions.is_empty() && comparison.not_compared.is_empty() && comparison.other_work.is_empty());
}

#[test]
fn the_stores_of_a_phase_are_one_family_and_baselines_do_not_widen_their_intervals() {
    let levels = |change: &dyn Fn(&mut Recorded)| {
        let mut second = readers();
        change(&mut second);
        let comparison = compared(&[readers(), second]);
        ["a", "b", "echo"].map(|name| row(&comparison, name).others[0].level)
    };
    let near = |found: [f64; 3], expected: [f64; 3]| {
        found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12)
    };
    // Holm: of two stores the first is tested at 5 % / 2; once one differs the other is tested at 5 %.
    let none = levels(&|_| {});
    assert!(near(none, [0.975, 0.975, 0.95]), "{none:?}");
    let one = levels(&|second| sped_up(second, "a", 200));
    assert!(near(one, [0.95; 3]), "{one:?}");
}

#[test]
fn what_only_one_run_has_is_named() {
    let phases = |names: &[&str]| names.iter().map(|name| plan(name, Action::Read)).collect::<Vec<_>>();
    let (mut first, mut second) = (readers(), readers());
    first.run.plan.configurations[0].phases = phases(&["read", "warm", "cold"]);
    second.run.plan.configurations[0].phases = phases(&["read", "again"]);
    first.run.candidates.push(store("c"));
    second.run.candidates.retain(|one| one.name != "b");
    second.run.candidates.push(store("d"));
    second.jobs.retain(|job| job.candidate != "b");
    let comparison = compared(&[first, readers(), second]);
    assert_eq!(
        comparison.not_compared.iter().map(|one| one.message().to_string()).collect::<Vec<String>>(),
        [
            "Only run 1 has the candidate 'c'",
            "Only run 1 has the phases 'warm' and 'cold'",
            "Only run 1 has the candidates 'b' and 'c'",
            "Only run 3 has the candidate 'd'",
            "Only run 1 has the phases 'warm' and 'cold'",
            "Only run 3 has the phase 'again'",
        ]
    );
    let [phase] = &comparison.phases[..] else { panic!("one phase in common: {:?}", comparison.phases) };
    let shown: Vec<(&str, usize)> = phase.rows.iter().map(|row| (row.candidate.as_str(), row.others.len())).collect();
    assert_eq!((phase.name.as_str(), shown), ("read", vec![("a", 2), ("b", 1), ("echo", 2)]));
}

#[test]
fn a_rate_that_does_not_count_is_no_comparison_and_told_once() {
    let wrong = |recorded: &mut Recorded, name: &str| {
        let job = recorded.jobs.iter_mut().find(|job| job.candidate == name).expect("it has jobs");
        let checks = &mut job.phases[0].results[0].checks;
        (checks.lost, checks.examples) = (1, vec!["row 7 was not found".into()]);
    };
    let (mut first, mut second) = (readers(), readers());
    wrong(&mut first, "a");
    wrong(&mut second, "b");
    let comparison = compared(&[first, second, readers()]);
    let why = "1 wrong answer, in round 1: row 7 was not found";
    assert_eq!(
        comparison.not_compared.iter().map(|one| one.message().to_string()).collect::<Vec<String>>(),
        [format!("'b' in read does not count in run 2: {why}"), format!("'a' in read does not count in run 1: {why}")],
        "in the order in which rows are shown; once, although it is so against both"
    );
    let shown: Vec<(&str, Vec<usize>)> = comparison.phases[0]
        .rows
        .iter()
        .map(|row| (row.candidate.as_str(), row.others.iter().map(|one| one.run).collect()))
        .collect();
    assert_eq!(shown, [("b", vec![2]), ("echo", vec![1, 2])]);
}

#[test]
fn too_few_rounds_give_a_ratio_without_a_verdict() {
    let mut second = readers();
    second.jobs.retain(|job| job.round < 2);
    let comparison = compared(&[readers(), second]);
    let other = &row(&comparison, "a").others[0];
    assert_eq!((other.ratio.verdict, other.ratio.ratio.interval, other.detectable), (Verdict::CannotTell, None, None));
    assert!((other.ratio.ratio.value - 1.005).abs() < 1e-3, "{other:?}");
    assert!(comparison.not_compared.is_empty());
}

/// Three rounds of reads and updates.
fn two_phases() -> Recorded {
    let phases = vec![plan("read", Action::Read), plan("update", Action::Update)];
    let done = |round| job("a", round, vec![ran("read", Operation::Read, 900), ran("update", Operation::Update, 90)]);
    Recorded { run: run(3, vec![store("a")], phases), jobs: (0..3).map(done).collect() }
}

#[test]
fn phases_that_do_other_work_are_marked_run_by_run() {
    let mut operations = two_phases();
    operations.run.plan.configurations[0].phases[1].phase.end = End::DurationNs(7 * SECOND_NS);
    let mut rows = two_phases();
    rows.run.plan.configurations[0].rows = 200_000;
    let comparison = compared(&[two_phases(), operations, rows, two_phases()]);
    let other: Vec<(usize, Vec<&str>, &[OtherRows])> = comparison
        .other_work
        .iter()
        .map(|one| (one.run, one.phases.iter().map(String::as_str).collect(), one.why.as_slice()))
        .collect();
    let why = [OtherRows::Count { run: 2, rows: [100_000, 200_000] }];
    assert_eq!(other, [(1, vec!["update"], &[][..]), (2, vec!["read", "update"], &why)]);
    let work = |phase: usize| -> Vec<SameWork> {
        comparison.phases[phase].rows[0].others.iter().map(|one| one.work).collect()
    };
    assert_eq!(work(0), [SameWork::Same, SameWork::Other, SameWork::Same]);
    assert_eq!(work(1), [SameWork::Other, SameWork::Other, SameWork::Same]);
}

fn data(file: &str, crc32: u32) -> Option<DataRecord> {
    Some(DataRecord {
        asked: DataSpec {
            file: file.into(),
            key: "1".into(),
            values: Vec::new(),
            format: None,
            header: HeaderChoice::Guess,
            duplicates: Duplicates::First,
            short_lines: Default::default(),
        },
        format: DataFormat::Csv,
        header: true,
        bytes: 1,
        crc32,
        lines: 1,
        records: 1,
        headings: Default::default(),
        empty_lines: Default::default(),
        bad: Vec::new(),
        duplicate_keys: Default::default(),
        rows: 1,
        columns: Vec::new(),
    })
}

#[test]
fn rows_that_are_not_the_same_are_told_in_words() {
    let why = |change: &dyn Fn(&mut RunRecord)| {
        let (mut first, mut second) = (readers(), readers());
        first.run.data = data("words.csv", 0x1f);
        second.run.data = first.run.data.clone();
        change(&mut second.run);
        let why = compared(&[first, second]).other_work.pop().map(|one| one.why).unwrap_or_default();
        why.iter().map(|one| one.message().to_string()).collect::<Vec<String>>()
    };
    assert!(why(&|_| {}).is_empty());
    let told = "data: 'words.csv' (CRC-32 0000001f) in run 1, 'words.csv' (CRC-32 00000020) in run 2";
    assert_eq!(why(&|run| run.data = data("words.csv", 0x20)), [told]);
    assert_eq!(why(&|run| run.data = None), ["data: 'words.csv' (CRC-32 0000001f) in run 1, generated in run 2"]);
    assert_eq!(why(&|run| run.plan.compressible = 0.25), ["compressible share: 50 % in run 1, 25 % in run 2"]);
    let other_shape = |run: &mut RunRecord| run.plan.configurations[0].schema = Schema::key_value(101);
    assert_eq!(why(&other_shape), ["the rows have other columns"]);
}

#[test]
fn of_several_levels_those_of_the_answers_are_compared() {
    let mut later = readers();
    // The second run has a smaller configuration before; its answer is about the same one.
    later.run.plan.configurations.insert(0, level(7, 5, vec![plan("read", Action::Read)]));
    later.run.plan.configurations[0].schema = Schema::key_value(7);
    later.jobs.iter_mut().for_each(|job| job.configuration = 1);
    let comparison = compared(&[readers(), later]);
    assert_eq!((comparison.other_work, comparison.phases.len()), (Vec::new(), 1));
}

#[test]
fn whatever_differs_between_machines_and_studies_is_told() {
    assert!(cautions(|_| {}).is_empty());
    let told = cautions(|other| {
        let run = &mut other.run;
        run.kurabe = "0.2.0".into();
        run.plan.study = "own".into();
        run.plan.durability = MinimumDurability::Consistent;
        run.plan.cache_mb = 64;
        run.plan.transport = Transport::Unix;
        run.plan.seed = 43;
        run.machine.cpu_model = None;
        run.machine.usable_cores = 2;
        run.machine.cpu_quota_millis = Some(1_500);
        run.machine.kernel_release = "6.12.0".into();
        run.machine.memory_bytes = Some(8 << 30);
        run.device.file_system = "xfs".into();
    });
    assert_eq!(
        told,
        [
            "Usable cores: '4' in run 1, '2' in run 2",
            "CPU quota: none in run 1, 1.5 processors in run 2",
            "Kernel: '6.1.0-18-amd64' in run 1, '6.12.0' in run 2",
            "Memory in MiB: '16384' in run 1, '8192' in run 2",
            "File system: 'ext4/ext2/ext3' in run 1, 'xfs' in run 2",
            "Study: 'quick' in run 1, 'own' in run 2",
            "Minimum durability: 'cache' in run 1, 'consistent' in run 2",
            "Cache of servers in MiB: '256' in run 1, '64' in run 2",
            "Transport: 'tcp' in run 1, 'unix' in run 2",
            "Seed: '42' in run 1, '43' in run 2",
            "Kurabe version: '0.1.0' in run 1, '0.2.0' in run 2",
            "Processor: 'AMD EPYC 7763' in run 1, unknown in run 2",
        ]
    );
    let other_start = cautions(|other| other.run.machine.memory_bytes = Some((16 << 30) - (300 << 20)));
    assert!(other_start.is_empty(), "a kernel keeps more for itself at another start: {other_start:?}");
    assert_eq!(
        cautions(|other| other.run.machine.memory_bytes = None),
        ["Memory in MiB: '16384' in run 1, unknown in run 2"]
    );
}

#[test]
fn whatever_a_candidate_was_before_and_is_not_now_is_told() {
    let told = cautions(|other| {
        let one = other.of("b");
        one.service_version = Some("7.0.15".into());
        one.transport = StoreAccess::Tcp;
        one.durability = Some(crate::common::durability(DurabilityLevel::Power));
        one.client = "python".into();
        one.store = "other".into();
        one.variant = Some("btree".into());
        let setting =
            |name: &str| KeptSetting { name: name.into(), value: "on".into(), reason: "it must be said".into() };
        one.settings = vec![setting("wal"), setting("mmap")];
    });
    assert_eq!(
        told,
        [
            "Client of 'b': 'rust' in run 1, 'python' in run 2",
            "Durability of 'b': 'nosync' in run 1, 'wal-full' in run 2",
            "Server version of 'b': none in run 1, '7.0.15' in run 2",
            "Settings of 'b': none in run 1, 'wal on; mmap on' in run 2",
            "Store of 'b': 'b' in run 1, 'other' in run 2",
            "Transport of 'b': 'in process' in run 1, 'tcp' in run 2",
            "Variant of 'b': none in run 1, 'btree' in run 2",
        ]
    );
    assert_eq!(
        cautions(|other| other.of("a").durability = None),
        ["Durability of 'a': 'nosync' in run 1, unknown in run 2"]
    );
}

#[test]
fn versions_of_libraries_are_those_that_the_clients_of_a_candidate_told() {
    let with = |versions: &[(&str, &[(&str, &str)])]| {
        let mut recorded = readers();
        for (candidate, libraries) in versions {
            let jobs = recorded.jobs.iter_mut().filter(|job| job.candidate == *candidate);
            jobs.for_each(|job| job.hello = Some(hello("rust", libraries)));
        }
        recorded
    };
    let before = with(&[("a", &[("lmdb", "0.9.33"), ("heed", "0.23.0")]), ("b", &[("sqlite", "3.54.0")])]);
    let after = with(&[("a", &[("lmdb", "0.9.34")]), ("b", &[("sqlite", "3.54.0")])]);
    assert_eq!(
        compared(&[before, after]).cautions.iter().map(|one| one.message().to_string()).collect::<Vec<String>>(),
        [
            "Library heed of 'a': '0.23.0' in run 1, none in run 2",
            "Library lmdb of 'a': '0.9.33' in run 1, '0.9.34' in run 2",
        ]
    );
}
