use super::*;
use kurabe_protocol::{Action, End, Load, Phase, Schema, Work};
use kurabe_record::{AxisValue, JobError, JobErrorKind};

use crate::samples;

const MS: u64 = 1_000_000;

fn configuration(rows: u64, phases: Vec<PhasePlan>) -> Configuration {
    let factors = vec![Factor { axis: "rows".into(), value: AxisValue::Number(rows) }];
    Configuration {
        factors,
        rows,
        rounds: 5,
        schema: Schema::key_value(10),
        encoding: kurabe_protocol::Encoding::Raw,
        phases,
        only: Vec::new(),
    }
}

fn plan(name: &str, work: impl Into<Work>, end: End) -> PhasePlan {
    PhasePlan::new(Phase::new(name, work, end), true)
}

/// So many operations of one worker in so many milliseconds, and the flush time after them.
fn did(name: &str, operation: Operation, operations: u64, took_ms: u64, flush_ms: u64) -> PhaseRecord {
    PhaseRecord { flush_ns: Some(flush_ms * MS), ..samples::phase(name, operation, operations, took_ms * MS) }
}

/// A job of `c0` that lasted so long.
fn job(config: u32, lasted_ms: u64, phases: Vec<PhaseRecord>) -> JobRecord {
    JobRecord { configuration: config, ..samples::job("c0", lasted_ms * MS, phases) }
}

/// The estimate in milliseconds.
fn estimate_ms(configs: &[Configuration], jobs: &[JobRecord], config: usize) -> f64 {
    job_ns(configs, jobs, "c0", config).expect("something is known").ns as f64 / MS as f64
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 0.01, "{found} and not {expected}");
}

fn basis(configs: &[Configuration], jobs: &[JobRecord], config: usize) -> EstimateBasis {
    job_ns(configs, jobs, "c0", config).expect("something is known").basis
}

#[test]
fn where_jobs_are_done_the_estimate_is_their_mean_with_the_wait_for_a_quiet_device() {
    let configs = [configuration(10, Vec::new())];
    let mut jobs = vec![job(0, 1_000, Vec::new()), job(0, 3_000, Vec::new())];
    near(estimate_ms(&configs, &jobs, 0), 2_000.0);
    jobs[0].quiet.waited_ns = 500 * MS;
    near(estimate_ms(&configs, &jobs, 0), 2_250.0);
    // Neither a job that failed nor that of another candidate tells.
    let error = JobError { kind: JobErrorKind::Client, phase: None, message: "planted".into() };
    jobs.push(JobRecord { error: Some(error), ..job(0, 90_000, Vec::new()) });
    jobs.push(JobRecord { candidate: "c1".into(), ..job(0, 90_000, Vec::new()) });
    near(estimate_ms(&configs, &jobs, 0), 2_250.0);
    assert_eq!(job_ns(&configs, &jobs, "c2", 0), None);
}

/// A load of all rows, so many reads, and updates for three seconds.
fn work(rows: u64, reads: u64) -> Vec<PhasePlan> {
    vec![
        plan("load", Load::Row, End::Count(rows)),
        plan("read", Action::Read, End::Count(reads)),
        plan("update", Action::Update, End::DurationNs(3_000 * MS)),
    ]
}

#[test]
fn each_phase_grows_by_its_own_operations_and_what_lies_outside_stays() {
    let configs = [configuration(100, work(100, 50)), configuration(1_000, work(1_000, 100))];
    // 10 s: 1 s of load and 0.5 s to flush, 2 s of reads, 3 s of updates and 0.2 s to flush, 3.3 s of other things.
    let phases = vec![
        did("load", Operation::Load, 100, 1_000, 500),
        did("read", Operation::Read, 50, 2_000, 0),
        did("update", Operation::Update, 700, 3_000, 200),
    ];
    // Ten times the rows take 10 s to load, what is to be flushed is ten times as much too (5 s and 2 s); twice the reads
    // take 4 s; updates end by time.
    near(
        estimate_ms(&configs, &[job(0, 10_000, phases.clone())], 1),
        3_300.0 + 10_000.0 + 5_000.0 + 4_000.0 + 3_000.0 + 2_000.0,
    );
    // Of two jobs it is the mean: one that took 4 s to load and 13 s in all.
    let mut slower = phases.clone();
    slower[0] = did("load", Operation::Load, 100, 4_000, 500);
    let two = [job(0, 10_000, phases), job(0, 13_000, slower)];
    near(estimate_ms(&configs, &two, 1), 3_300.0 + 25_000.0 + 5_000.0 + 4_000.0 + 3_000.0 + 2_000.0);
}

#[test]
fn a_phase_that_ends_by_count_or_time_takes_the_shorter() {
    let end = |count| End::First { count, duration_ns: 3_000 * MS };
    let reads = |rows, count| configuration(rows, vec![plan("read", Action::Read, end(count))]);
    let done = [job(0, 1_000, vec![did("read", Operation::Read, 100, 1_000, 0)])];
    near(estimate_ms(&[reads(10, 100), reads(100, 200)], &done, 1), 2_000.0);
    near(estimate_ms(&[reads(10, 100), reads(100, 900)], &done, 1), 3_000.0);
}

#[test]
fn the_cost_of_an_operation_grows_as_it_did_between_the_two_levels_before() {
    let reads = |rows| configuration(rows, vec![plan("read", Action::Read, End::Count(100))]);
    let configs = [reads(10), reads(100), reads(1_000), reads(10_000)];
    let took = |first_ms, second_ms| {
        [
            job(0, first_ms, vec![did("read", Operation::Read, 100, first_ms, 0)]),
            job(1, second_ms, vec![did("read", Operation::Read, 100, second_ms, 0)]),
        ]
    };
    // 10 ms, then 20 ms: twice as dear with every tenfold.
    near(estimate_ms(&configs, &took(1_000, 2_000), 2), 4_000.0);
    near(estimate_ms(&configs, &took(1_000, 2_000), 3), 8_000.0);
    // One that became cheaper does not go on becoming so; and of one configuration nothing is known of growth.
    near(estimate_ms(&configs, &took(2_000, 1_000), 3), 1_000.0);
    near(estimate_ms(&configs, &took(1_000, 2_000)[1..], 3), 2_000.0);
    // Where nothing was done at the smaller configuration, there is no growth to go by.
    let mut none = took(1_000, 2_000);
    none[0].phases[0] = did("read", Operation::Read, 0, 1_000, 0);
    near(estimate_ms(&configs, &none, 3), 2_000.0);
}

#[test]
fn a_scan_takes_at_least_as_much_longer_as_there_are_rows() {
    let scans = |rows| configuration(rows, vec![plan("scan", Action::Scan, End::Count(3))]);
    let configs = [scans(10), scans(100), scans(1_000)];
    let done = |config, took_ms| job(config, took_ms, vec![did("scan", Operation::Scan, 3, took_ms, 0)]);
    near(estimate_ms(&configs, &[done(0, 300)], 1), 3_000.0);
    near(estimate_ms(&configs, &[done(0, 300), done(1, 600)], 2), 6_000.0);
    near(estimate_ms(&configs, &[done(0, 300), done(1, 30_000)], 2), 3_000_000.0);
}

#[test]
fn a_phase_that_completed_nothing_takes_as_long_again() {
    let reads = |rows, count| configuration(rows, vec![plan("read", Action::Read, End::Count(count))]);
    let mut nothing = did("read", Operation::Read, 0, 700, 40);
    nothing.results[0].workers[0].failed = 1;
    near(estimate_ms(&[reads(10, 5), reads(100, 50)], &[job(0, 1_000, vec![nothing])], 1), 1_000.0);
}

#[test]
fn the_nearest_smaller_level_is_taken_before_a_nearer_larger_one() {
    let loads = |rows| configuration(rows, vec![plan("load", Load::Row, End::Count(rows))]);
    let configs = [loads(10), loads(100), loads(110)];
    let done = |config, rows, took_ms| job(config, took_ms, vec![did("load", Operation::Load, rows, took_ms, 0)]);
    near(estimate_ms(&configs, &[done(0, 10, 100), done(2, 110, 99_000)], 1), 1_000.0);
    // Without a smaller one the nearest is as good a guess as any.
    near(estimate_ms(&configs, &[done(1, 100, 2_000), done(2, 110, 99_000)], 0), 200.0);
    // That is why it is called one.
    let known = [done(0, 10, 100), done(2, 110, 99_000)];
    assert_eq!([0, 1, 2].map(|config| basis(&configs, &known, config)), [EstimateBasis::Seen; 3]);
    assert_eq!([0, 1].map(|config| basis(&configs, &known[1..], config)), [EstimateBasis::Guess; 2]);
}

/// Jobs of `c0` at configuration 0, one for each time in ms that 1,000 operations of the phase took.
fn timed(phase: &str, took_ms: &[u64]) -> Vec<JobRecord> {
    took_ms.iter().map(|took_ms| job(0, 0, vec![did(phase, Operation::Read, 1_000, *took_ms, 0)])).collect()
}

/// By hand: the logarithms are 0, ln 1.1 and ln 1.21, their standard deviation is ln 1.1 = 0.0953102, so the interval is
/// the mean ± 4.3026527 · 0.0953102 / √3 = ± 0.2367646, and its ends are exp(0.4735292) apart.
const WIDE: [u64; 3] = [1_000, 1_100, 1_210];
const ITS_WIDTH: f64 = 1.605_65;

fn width(phases: Vec<PhasePlan>, jobs: &[JobRecord], names: &[&str]) -> f64 {
    widest_interval(&configuration(10, phases), 0, jobs, names)
}

#[test]
fn a_width_is_the_upper_end_of_an_interval_over_the_lower() {
    let reading = || vec![plan("read", Action::Read, End::Count(1_000))];
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-4, "{found} and not {expected}");
    near(width(reading(), &timed("read", &WIDE), &["c0"]), ITS_WIDTH);
    near(width(reading(), &timed("read", &[1_000; 3]), &["c0"]), 1.0);
    near(width(reading(), &timed("read", &WIDE[..2]), &["c0"]), 1.0);
    // As many operations in every second, however long a round takes.
    let longer = [1, 2, 5].map(|s| job(0, 0, vec![did("read", Operation::Read, 1_000 * s, 1_000 * s, 0)]));
    near(width(reading(), &longer, &["c0"]), 1.0);
    near(width(reading(), &timed("read", &WIDE), &["c1"]), 1.0);
    near(width(reading(), &timed("scan", &WIDE), &["c0"]), 1.0);
    // Of several candidates the widest; jobs of other configurations and candidates do not come in.
    let mut jobs = timed("read", &[1_000; 3]);
    jobs.extend(timed("read", &WIDE).into_iter().map(|job| JobRecord { candidate: "c1".into(), ..job }));
    near(width(reading(), &jobs, &["c0"]), 1.0);
    near(width(reading(), &jobs, &["c0", "c1"]), ITS_WIDTH);
    jobs.extend(timed("read", &WIDE).into_iter().map(|job| JobRecord { configuration: 1, ..job }));
    near(width(reading(), &jobs, &["c0"]), 1.0);
}

#[test]
fn rounds_without_a_rate_do_not_take_the_others_along() {
    let reading = || vec![plan("read", Action::Read, End::Count(1_000))];
    let mut jobs = timed("read", &WIDE);
    let mut nothing = timed("read", &[900]);
    let worker = &mut nothing[0].phases[0].results[0].workers[0];
    (worker.operations, worker.failed) = (0, 1);
    jobs.extend(nothing);
    jobs.extend(timed("read", &[0]));
    let found = width(reading(), &jobs, &["c0"]);
    assert!((found - ITS_WIDTH).abs() < 1e-4, "{found}");
}

#[test]
fn phases_that_do_not_decide_have_a_width_only_where_none_does() {
    let phases = |reads: bool, updates: bool| {
        let of = |name, work: Action, deciding| PhasePlan { deciding, ..plan(name, work, End::Count(1_000)) };
        vec![of("read", Action::Read, reads), of("update", Action::Update, updates)]
    };
    let jobs = [timed("read", &[1_000; 3]), timed("update", &WIDE)].concat();
    let told = |reads, updates| width(phases(reads, updates), &jobs, &["c0"]);
    assert!((told(true, false) - 1.0).abs() < 1e-9);
    assert!((told(true, true) - ITS_WIDTH).abs() < 1e-4 && (told(false, true) - ITS_WIDTH).abs() < 1e-4);
    assert!((told(false, false) - ITS_WIDTH).abs() < 1e-4);
}

#[test]
fn what_is_repeated_and_waited_for_makes_the_rest_of_a_run_longer() {
    let mut jobs = vec![job(0, 1_000, Vec::new()), job(0, 3_000, Vec::new())];
    near(pace(12_000 * MS, &jobs), 3.0);
    jobs[0].quiet.waited_ns = 2_000 * MS;
    near(pace(12_000 * MS, &jobs), 2.0);
    // Before the first job of a session nothing is known, and clocks are not exact.
    near(pace(12_000 * MS, &[]), 1.0);
    near(pace(5_999 * MS, &jobs), 1.0);
}
