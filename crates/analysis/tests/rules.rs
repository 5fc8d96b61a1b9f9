//! Each rule of the analysis, on hand-made records.

mod common;

use common::{SECOND_NS, complete, durability, floor, hello, job, kind, phase, plan, ran, reads, run, store, tree};
use kurabe_analysis::{Answer, Caution, LimitBasis, Note, PhaseRow, Reason, Status, Verdict, analyse};
use kurabe_protocol::{Action, Failed, Histogram, Load, Mix, Operation, Runtime, Series};
use kurabe_record::{
    CandidateRecord, Class, CounterSum, EndRecord, EndStatus, FinalCount, Floor, JobError, JobErrorKind, JobRecord,
    LeftOut, PhaseOutcome, SettingCheck, SettingState,
};

const FAST: [u64; 5] = [1_000, 1_010, 990, 1_005, 995];
const SLOW: [u64; 5] = [500, 506, 494, 503, 497];

fn row<'a>(answer: &'a Answer, phase: usize, candidate: &str) -> &'a PhaseRow {
    answer.phases[phase].rows.iter().find(|row| row.candidate == candidate).expect("every candidate has a row")
}

fn reason(answer: &Answer, phase: usize, candidate: &str) -> Reason {
    match &row(answer, phase, candidate).status {
        Status::Unranked { reason } => reason.clone(),
        other => panic!("'{candidate}' should be unranked and is {other:?}"),
    }
}

fn place(answer: &Answer, phase: usize, candidate: &str) -> (usize, usize) {
    match row(answer, phase, candidate).status {
        Status::Ranked { place, sharing } => (place, sharing),
        ref other => panic!("'{candidate}' should be ranked and is {other:?}"),
    }
}

fn notes(answer: &Answer) -> Vec<String> {
    answer.notes.iter().map(Note::words).collect()
}

fn cautions(answer: &Answer) -> Vec<String> {
    answer.cautions.iter().map(Caution::words).collect()
}

/// Two stores with the single phase `read`; `change` alters the second one's jobs.
fn two_readers(change: impl FnOnce(&mut Vec<JobRecord>)) -> Answer {
    let run = run(5, vec![store("a"), store("b")], vec![plan("read", Action::Read)]);
    let mut changed = reads("b", &SLOW);
    change(&mut changed);
    analyse(&run, &[reads("a", &FAST), changed].concat(), Some(&complete()))
}

#[test]
fn the_faster_store_is_first_and_the_ratio_is_paired_by_round() {
    let answer = two_readers(|_| {});
    assert_eq!((place(&answer, 0, "a"), place(&answer, 0, "b")), ((1, 1), (2, 1)));
    let to_best = row(&answer, 0, "b").to_best.expect("the second has a ratio");
    assert_eq!(to_best.verdict, Verdict::Worse);
    assert!((to_best.ratio.value - 0.5).abs() < 1e-3, "{to_best:?}");
    assert!(answer.said()[0].starts_with("'a' is fastest in read (2.00 times 'b', "), "{:?}", answer.said());
    assert!(answer.not_counted.is_empty() && answer.notes.is_empty(), "{answer:?}");
}

#[test]
fn a_processor_that_was_not_equally_fast_is_told() {
    let with_spins = |spins_ns: [u64; 5]| {
        let slower = |jobs: &mut Vec<JobRecord>| {
            for (job, spin_ns) in jobs.iter_mut().zip(spins_ns) {
                job.canary.as_mut().expect("it has one").spin_ns = spin_ns;
            }
        };
        cautions(&two_readers(slower))
    };
    assert!(with_spins([2_050_000, 1_900_000, 2_050_000, 2_300_000, 2_050_000]).is_empty());
    assert!(with_spins([2_050_000; 5]).is_empty());
    let told = with_spins([2_050_000, 1_600_000, 3_100_000, 2_050_000, 2_050_000]);
    let expected = "The processor was not equally fast all the time: the same arithmetic took at most 1.60 ms before the \
                    fastest tenth of the jobs and at least 3.10 ms before the slowest. Rates differ by that too; places \
                    compare within rounds.";
    assert_eq!(told, [expected]);
    // Nine canaries are too few for tenths.
    let few = two_readers(|jobs| {
        jobs[0].canary = None;
        jobs[1].canary.as_mut().expect("it has one").spin_ns = 9_000_000;
    });
    assert!(few.cautions.is_empty());
}

#[test]
fn another_run_at_the_same_time_is_told() {
    let answer = two_readers(|jobs| {
        jobs[1].other_runs = 1;
        jobs[4].other_runs = 2;
    });
    let expected = "Another run of Kurabe measured on this machine beside 2 of 10 jobs: rates and times are those of a \
                    machine that was shared.";
    assert_eq!(cautions(&answer), [expected]);
}

#[test]
fn one_wrong_answer_in_one_of_five_rounds_costs_the_place_and_the_rate() {
    let answer = two_readers(|jobs| {
        let checks = &mut jobs[3].phases[0].results[0].checks;
        checks.lost = 1;
        checks.examples = vec!["row 7 was not found".into()];
    });
    let expected = Reason::WrongAnswers { count: 1, example: "row 7 was not found".into(), round: 3 };
    assert_eq!(reason(&answer, 0, "b"), expected);
    let row = row(&answer, 0, "b");
    assert!(row.metrics.is_empty() && row.latency.is_empty() && row.over_time.is_none());
    assert_eq!(answer.said().last().unwrap(), "'b' gave wrong answers in read (1) and has no place there.");
    assert_eq!(answer.not_counted[0].why.words(), "1 wrong answer, first in round 4: row 7 was not found");
}

#[test]
fn a_wrong_number_of_rows_at_the_end_counts_against_phases_that_write_only() {
    let phases = vec![plan("update", Action::Update), plan("read", Action::Read)];
    let run = run(3, vec![store("a")], phases);
    let jobs: Vec<JobRecord> = (0..3)
        .map(|round| {
            let phases = vec![ran("update", Operation::Update, 800), ran("read", Operation::Read, 900)];
            let mut job = job("a", round, phases);
            let counted_rows = if round == 1 { 90 } else { 100 };
            job.final_count = Some(FinalCount { counted_rows, least_rows: 100, most_rows: 100 });
            job
        })
        .collect();
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert!(matches!(reason(&answer, 0, "a"), Reason::WrongAnswers { count: 10, round: 1, .. }));
    assert_eq!(place(&answer, 1, "a"), (1, 1));
}

#[test]
fn counters_that_sum_up_wrong_cost_the_place_in_the_phase_that_increments_only() {
    let sums = [(799, 1, false), (800, 0, true), (805, 0, true), (810, 5, false)];
    for (sum, off_by, right) in sums {
        let phases = vec![plan("increment", Action::Increment), plan("read", Action::Read)];
        let run = run(3, vec![store("a")], phases);
        let jobs: Vec<JobRecord> = (0..3)
            .map(|round| {
                let mut phases = vec![ran("increment", Operation::Increment, 800), ran("read", Operation::Read, 900)];
                let sum = if round == 2 { sum } else { 800 };
                phases[0].counters = Some(CounterSum { sum, least: 800, most: 805 });
                job("a", round, phases)
            })
            .collect();
        let answer = analyse(&run, &jobs, Some(&complete()));
        if right {
            assert_eq!(place(&answer, 0, "a"), (1, 1), "sum {sum}");
        } else {
            let nearest = if sum < 800 { 800 } else { 805 };
            let example = format!("the counters sum up to {sum} and must sum up to {nearest}");
            assert_eq!(reason(&answer, 0, "a"), Reason::WrongAnswers { count: off_by, example, round: 2 });
        }
        assert_eq!(place(&answer, 1, "a"), (1, 1), "sum {sum}");
    }
}

#[test]
fn stores_whose_interval_includes_one_share_the_place() {
    let answer = two_readers(|jobs| *jobs = reads("b", &[1_004, 1_000, 1_002, 993, 999]));
    assert_eq!((place(&answer, 0, "a"), place(&answer, 0, "b")), ((1, 2), (1, 2)));
    assert!(answer.said()[0].contains("tie for the first place"), "{:?}", answer.said());
    assert!(answer.said()[1].contains("not decided in read"), "{:?}", answer.said());
    assert!(answer.phases[0].rankings[0].detectable.is_some_and(|share| share > 0.0 && share < 0.1));
}

#[test]
fn a_run_interrupted_after_two_rounds_has_rates_and_no_ranking() {
    let run = run(5, vec![store("a"), store("b")], vec![plan("read", Action::Read)]);
    let jobs = [reads("a", &FAST[..2]), reads("b", &SLOW[..2])].concat();
    let end = EndRecord { status: EndStatus::Interrupted, ..complete() };
    let answer = analyse(&run, &jobs, Some(&end));
    assert_eq!(reason(&answer, 0, "a"), Reason::TooFewRounds { rounds: 2 });
    assert!(answer.phases[0].rankings.is_empty());
    let rate = row(&answer, 0, "a").rate_per_s().expect("a rate is shown");
    assert!(rate.interval.is_none() && rate.rounds == 2);
    assert_eq!(answer.said(), ["There is no ranking: 2 of 5 rounds were measured, and it takes 3."]);
    assert_eq!(
        notes(&answer),
        [
            "2 of 5 rounds are complete: the run was interrupted.",
            "No ranking below 3 rounds: run with --rounds 3 or more."
        ]
    );
}

#[test]
fn percentiles_are_withheld_below_ten_operations_beyond() {
    let answer = two_readers(|jobs| *jobs = reads("b", &[100, 100, 100, 100, 100]));
    let latency = &row(&answer, 0, "b").latency[0];
    assert_eq!(latency.count, 500);
    assert!(latency.at(0.9).is_some(), "50 lie beyond");
    assert!(latency.at(0.99).is_none(), "5 lie beyond");
    assert!(latency.max_ns.is_some());
    assert!(row(&answer, 0, "a").latency[0].at(0.99).is_some(), "50 of 5000 lie beyond");
}

#[test]
fn an_unsupported_phase_is_named_and_costs_nothing_elsewhere() {
    let answer = two_readers(|jobs| {
        for job in jobs {
            job.phases = vec![phase("read", Operation::Read, PhaseOutcome::Unsupported("read".into()), Vec::new())];
        }
    });
    assert_eq!(reason(&answer, 0, "b"), Reason::Unsupported { what: "read".into() });
    assert_eq!(place(&answer, 0, "a"), (1, 1));
    assert_eq!(
        answer.said(),
        ["Only 'a' has a place in read.", "No first place was contested: there was nobody to compare with."]
    );
}

#[test]
fn failures_above_the_limit_keep_the_rate_and_cost_the_place() {
    let answer = two_readers(|jobs| {
        let result = &mut jobs[0].phases[0].results[0];
        result.workers[0].failed = 2;
        result.failures = vec![Failed { operation: Operation::Read, message: "timed out".into(), count: 2 }];
    });
    assert_eq!(reason(&answer, 0, "b"), Reason::Failures { count: 2, message: "timed out".into() });
    assert!(row(&answer, 0, "b").rate_per_s().is_some());
}

#[test]
fn failures_within_the_limit_keep_the_place() {
    let mut run = run(3, vec![store("a")], vec![plan("read", Action::Read)]);
    run.plan.allowed_errors = 2;
    let mut jobs = reads("a", &FAST[..3]);
    jobs[0].phases[0].results[0].workers[0].failed = 2;
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!(place(&answer, 0, "a"), (1, 1));
    assert_eq!(row(&answer, 0, "a").failed, 2);
}

#[test]
fn a_job_that_died_in_one_round_costs_the_place() {
    let answer = two_readers(|jobs| {
        jobs[2].phases.clear();
        let message = "the service did not come up".to_string();
        jobs[2].error = Some(JobError { kind: JobErrorKind::Service, phase: None, message });
    });
    let expected = Reason::JobFailed { rounds: 1, message: "the service did not come up".into(), round: 2 };
    assert_eq!(reason(&answer, 0, "b"), expected);
}

#[test]
fn a_job_that_failed_after_its_phases_counts_and_its_end_is_told() {
    let answer = two_readers(|jobs| {
        let message = "the service did not stop".to_string();
        jobs[4].error = Some(JobError { kind: JobErrorKind::Service, phase: None, message });
    });
    assert_eq!(place(&answer, 0, "b"), (2, 1));
    assert_eq!(answer.not_counted[0].why.words(), "the end of round 5, after all phases: the service did not stop");
}

#[test]
fn settings_that_the_harness_refused_cost_every_place() {
    let answer = two_readers(|jobs| {
        let message = "'fsync' cannot be read back".to_string();
        jobs[0].error = Some(JobError { kind: JobErrorKind::Settings, phase: None, message });
    });
    assert!(matches!(reason(&answer, 0, "b"), Reason::JobFailed { rounds: 1, round: 0, .. }));
}

#[test]
fn a_setting_that_reads_back_differently_costs_every_place() {
    let answer = two_readers(|jobs| {
        jobs[1].settings = vec![SettingCheck {
            name: "synchronous".into(),
            asked: Some("2".into()),
            found: Some("1".into()),
            state: SettingState::Differs,
        }];
    });
    let (name, asked, found) = ("synchronous".into(), "2".into(), "1".into());
    assert_eq!(reason(&answer, 0, "b"), Reason::SettingsDiffer { name, asked, found, round: 1 });
    assert!(row(&answer, 0, "b").rate_per_s().is_none());
}

#[test]
fn below_the_durability_floor_only_phases_that_write_lose_the_place() {
    let phases = vec![plan("update", Action::Update), plan("read", Action::Read)];
    let mut run = run(3, vec![store("a")], phases);
    run.plan.durability = Floor::Process;
    let phases = || vec![ran("update", Operation::Update, 800), ran("read", Operation::Read, 900)];
    let jobs: Vec<JobRecord> = (0..3).map(|round| job("a", round, phases())).collect();
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!(reason(&answer, 0, "a"), Reason::BelowDurability { class: Some(Class::None), why: None });
    assert_eq!(place(&answer, 1, "a"), (1, 1));
}

#[test]
fn what_a_store_of_unknown_class_writes_counts_only_without_a_durability_floor() {
    let mut unknown = store("a");
    unknown.durability = None;
    let mut run = run(3, vec![floor("echo"), unknown], vec![plan("update", Action::Update)]);
    let of = |name: &str| -> Vec<JobRecord> {
        (0..3).map(|round| job(name, round, vec![ran("update", Operation::Update, 800)])).collect()
    };
    let jobs = [of("echo"), of("a")].concat();
    assert_eq!(place(&analyse(&run, &jobs, Some(&complete())), 0, "a"), (1, 1));
    run.plan.durability = Floor::Process;
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!(reason(&answer, 0, "a"), Reason::BelowDurability { class: None, why: None });
    assert_eq!(row(&answer, 0, "echo").status, Status::Floor, "a floor of the harness promises nothing");
}

#[test]
fn a_round_in_which_nothing_was_completed_costs_the_place() {
    let answer = two_readers(|jobs| jobs[3].phases[0].results[0].workers[0].operations = 0);
    assert_eq!(reason(&answer, 0, "b"), Reason::NothingCompleted { round: 3 });
}

#[test]
fn as_shipped_writes_are_ranked_within_a_class_and_reads_over_all() {
    let mut safe = store("safe");
    safe.durability = Some(durability(Class::Power));
    let phases = vec![plan("update", Action::Update), plan("read", Action::Read)];
    let mut run = run(3, vec![store("quick"), safe], phases);
    run.plan.durability = Floor::Default;
    let jobs: Vec<JobRecord> = (0..6)
        .map(|number| {
            let (name, factor) = if number % 2 == 0 { ("quick", 10) } else { ("safe", 1) };
            let rate = (100 + u64::from(number)) * factor;
            let phases = vec![ran("update", Operation::Update, rate), ran("read", Operation::Read, rate)];
            job(name, number / 2, phases)
        })
        .collect();
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!((place(&answer, 0, "quick"), place(&answer, 0, "safe")), ((1, 1), (1, 1)));
    let classes: Vec<Option<Class>> = answer.phases[0].rankings.iter().map(|ranking| ranking.class).collect();
    assert_eq!(classes, [Some(Class::Power), Some(Class::None)]);
    assert_eq!((place(&answer, 1, "quick"), place(&answer, 1, "safe")), ((1, 1), (2, 1)));
}

#[test]
fn a_floor_has_a_rate_and_never_a_place() {
    let run = run(3, vec![floor("echo"), store("a")], vec![plan("read", Action::Read)]);
    let jobs = [reads("echo", &[9_000, 9_100, 9_050]), reads("a", &FAST[..3])].concat();
    let answer = analyse(&run, &jobs, Some(&complete()));
    let last = answer.phases[0].rows.last().unwrap();
    assert_eq!((last.candidate.as_str(), &last.status), ("echo", &Status::Floor));
    assert!(last.rate_per_s().is_some());
    assert_eq!(place(&answer, 0, "a"), (1, 1));
}

#[test]
fn an_embedded_store_is_marked_where_the_floor_takes_more_than_a_twentieth() {
    let run = run(3, vec![floor("echo"), store("a"), store("b")], vec![plan("read", Action::Read)]);
    let echo = reads("echo", &[30_000, 30_000, 30_000]);
    let jobs = [echo, reads("a", &[1_000, 1_000, 1_000]), reads("b", &[3_000, 3_000, 3_000])].concat();
    let answer = analyse(&run, &jobs, Some(&complete()));
    let limit = |name: &str| row(&answer, 0, name).limit.expect("echo took part");
    assert!(!limit("a").client_was_the_limit && limit("b").client_was_the_limit);
    let LimitBasis::Floor { share } = limit("b").basis else { panic!("an embedded store is told by the floor") };
    assert!((share - 0.1).abs() < 1e-9, "{share}");
    assert_eq!(row(&answer, 0, "echo").limit, None);
}

#[test]
fn the_client_of_a_service_was_the_limit_only_where_the_service_was_not() {
    let mut served = store("a");
    served.transport = kurabe_record::Reached::Tcp;
    let run = run(3, vec![served], vec![plan("read", Action::Read)]);
    let limit = |client: u64, service: u64| {
        let mut jobs = reads("a", &FAST[..3]);
        for job in &mut jobs {
            job.phases[0].client = Some(tree(SECOND_NS * client / 100, 1));
            job.phases[0].service = Some(tree(SECOND_NS * service / 100, 1));
        }
        let answer = analyse(&run, &jobs, Some(&complete()));
        row(&answer, 0, "a").limit.expect("both trees were seen").client_was_the_limit
    };
    assert!(limit(95, 80), "one busy thread, four cores for the service");
    assert!(!limit(50, 80), "the client waits");
    assert!(!limit(95, 390), "the service has no core left");
}

#[test]
fn kinds_of_a_mix_are_merged_over_rounds_each_for_itself() {
    let mut mix = plan("mix", Mix::new([(Action::Read, 95), (Action::Update, 5)]).expect("a mix"));
    mix.deciding = false;
    let run = run(3, vec![store("a")], vec![mix]);
    let jobs: Vec<JobRecord> = (0..3)
        .map(|round| {
            let mut record = ran("mix", Operation::Mix, 1_000);
            let (mut read, mut update) = (Histogram::default(), Histogram::default());
            read.record_times(1_000, 950);
            update.record_times(64_000, 50);
            record.results[0].latency = vec![kind(Operation::Read, &read), kind(Operation::Update, &update)];
            job("a", round, vec![record])
        })
        .collect();
    let answer = analyse(&run, &jobs, Some(&complete()));
    let latency = &row(&answer, 0, "a").latency;
    let seen: Vec<(Operation, u64, Option<u64>)> =
        latency.iter().map(|kind| (kind.operation, kind.count, kind.at(0.5))).collect();
    assert_eq!(seen, [(Operation::Read, 2_850, Some(1_000)), (Operation::Update, 150, Some(64_000))]);
}

#[test]
fn a_histogram_that_is_none_is_left_out_and_named() {
    let answer = two_readers(|jobs| jobs[0].phases[0].results[0].latency[0].buckets[0].0 = 1_000_001);
    assert_eq!(row(&answer, 0, "b").latency[0].count, SLOW[1..].iter().sum::<u64>());
    assert!(answer.not_counted[0].why.words().contains("'1000001' is not the lower bound"), "{:?}", answer.not_counted);
}

#[test]
fn the_series_of_processes_with_different_slots_are_added_up() {
    let run = run(1, vec![store("a")], vec![plan("read", Action::Read)]);
    let mut jobs = reads("a", &[1_000]);
    let results = &mut jobs[0].phases[0].results;
    results[0].series = Series { start_ns: SECOND_NS, slot_ns: SECOND_NS / 4, operations: vec![10, 20, 30, 40] };
    let mut second = results[0].clone();
    second.series = Series { start_ns: SECOND_NS, slot_ns: SECOND_NS / 2, operations: vec![100, 200] };
    results.push(second);
    let answer = analyse(&run, &jobs, Some(&complete()));
    let series = row(&answer, 0, "a").over_time.clone().expect("there is one");
    assert_eq!((series.slot_ns, series.rates_per_s), (SECOND_NS / 2, vec![260.0, 540.0]));
}

#[test]
fn slots_of_few_operations_are_joined_until_they_tell_something() {
    let run = run(1, vec![store("a")], vec![plan("read", Action::Read)]);
    let mut jobs = reads("a", &[1_000]);
    jobs[0].phases[0].results[0].series =
        Series { start_ns: SECOND_NS, slot_ns: SECOND_NS / 4, operations: vec![4, 7, 9, 11] };
    let answer = analyse(&run, &jobs, Some(&complete()));
    let series = row(&answer, 0, "a").over_time.clone().expect("there is one");
    assert_eq!((series.slot_ns, series.rates_per_s), (SECOND_NS / 2, vec![22.0, 40.0]));
}

#[test]
fn encoding_has_its_share_of_the_time_of_all_threads() {
    let run = run(1, vec![store("a")], vec![plan("read", Action::Read)]);
    let mut jobs = reads("a", &[1_000, 1_000]);
    let share = |jobs: &[JobRecord]| row(&analyse(&run, jobs, Some(&complete())), 0, "a").used.encoding_share;
    assert_eq!(share(&jobs), None, "nothing is encoded");
    for (job, encoding_ns) in jobs.iter_mut().zip([SECOND_NS / 2, SECOND_NS]) {
        let result = &mut job.phases[0].results[0];
        (result.threads, result.encoding_ns) = (2, Some(encoding_ns));
    }
    assert_eq!(share(&jobs), Some(1.5 / 4.0));
}

#[test]
fn the_loop_has_the_time_that_no_latency_has() {
    let run = run(1, vec![store("a")], vec![plan("read", Action::Read)]);
    let answer = analyse(&run, &reads("a", &[1_000]), Some(&complete()));
    let share = row(&answer, 0, "a").used.loop_share.expect("the adapter blocks");
    assert!((share - 0.1).abs() < 1e-9, "{share}");
}

#[test]
fn rows_on_disk_are_counted_without_the_empty_store() {
    let run = run(1, vec![store("a")], vec![plan("load", Load::Row)]);
    let mut record = ran("load", Operation::Load, 1_000);
    record.results[0].rows_present = 1_000;
    record.disk_bytes = Some(32_768 + 150_000);
    record.settle_ns = Some(7);
    record.client = Some(tree(1, 5));
    record.client.as_mut().unwrap().written_bytes = Some(300_000);
    let answer = analyse(&run, &[job("a", 0, vec![record])], Some(&complete()));
    let resources = answer.candidates[0].resources;
    assert_eq!((resources.disk_per_row_bytes, resources.written_per_row_bytes), (Some(150.0), Some(300.0)));
    assert_eq!((resources.settle_ns, resources.client_memory_bytes), (Some(7.0), Some(5)));
}

#[test]
fn two_clients_of_one_store_with_different_libraries_are_a_caution() {
    let mut python = store("sqlite+python");
    python.store = "sqlite".into();
    let run = run(1, vec![store("sqlite"), python], vec![plan("read", Action::Read)]);
    let mut jobs = [reads("sqlite", &[1_000]), reads("sqlite+python", &[100])].concat();
    jobs[0].hello = Some(hello("rust", &[("rusqlite", "0.41.0"), ("sqlite", "3.54.0")]));
    jobs[1].hello = Some(hello("python", &[("sqlite", "3.40.1")]));
    let caution = "'sqlite' runs sqlite 3.54.0 and 'sqlite+python' runs sqlite 3.40.1: their difference is that of the \
                   versions too.";
    assert_eq!(cautions(&analyse(&run, &jobs, Some(&complete()))), [caution]);
}

#[test]
fn pauses_of_a_virtual_machine_are_told_and_its_name_is_among_the_versions() {
    let run = run(2, vec![store("h2")], vec![plan("read", Action::Read)]);
    let mut jobs = reads("h2", &[1_000, 1_000]);
    for job in &mut jobs {
        let result = &mut job.phases[0].results[0];
        let wall_ns = result.workers[0].last_end_ns - result.workers[0].first_start_ns;
        result.runtime = Some(Runtime {
            version: Runtime::VERSION,
            name: "A Machine 17".into(),
            collector: "G1".into(),
            gc_pauses: 3,
            gc_pause_ns: wall_ns / 50,
            heap_peak_bytes: 300 << 20,
            heap_max_bytes: 1 << 30,
            compiler_warmup_ns: 5,
        });
    }
    let answer = analyse(&run, &jobs, Some(&complete()));
    let told = "The virtual machine of 'h2' stopped 6 times for garbage, 2.0 % of the measured time; its heap took up to 300 \
                of 1024 MiB.";
    assert_eq!(cautions(&answer), [told]);
    let version = "A Machine 17 with a heap of 1024 MiB and G1".to_string();
    assert!(answer.candidates[0].versions.contains(&version), "{:?}", answer.candidates[0].versions);
    jobs[0].phases[0].results[0].runtime = None;
    jobs[1].phases[0].results[0].runtime = None;
    assert!(analyse(&run, &jobs, Some(&complete())).cautions.is_empty());
}

#[test]
fn what_was_left_out_is_told_with_its_remedy() {
    let mut run = run(3, vec![store("a")], vec![plan("read", Action::Read)]);
    let remedy = Some("kurabe setup qdbm".to_string());
    run.left_out = vec![LeftOut {
        of: None,
        coordinates: Vec::new(),
        name: "qdbm".into(),
        reason: "libqdbm.so.14 is missing".into(),
        remedy,
    }];
    let answer = analyse(&run, &reads("a", &FAST[..3]), Some(&complete()));
    assert_eq!(notes(&answer), ["'qdbm' did not take part: libqdbm.so.14 is missing. To have it: kurabe setup qdbm"]);
}

#[test]
fn where_stores_win_different_phases_the_answer_says_so() {
    let (run, jobs, end) = common::sample::sample();
    let answer = analyse(&run, &jobs, Some(&end));
    assert!(
        answer.said().iter().any(|sentence| sentence.starts_with("Different stores are first")),
        "{:#?}",
        answer.said()
    );
    assert!((2..=5).contains(&answer.said().len()), "{:#?}", answer.said());
    assert_eq!(analyse(&run, &jobs, Some(&end)), answer, "the same records give the same answer");
}

#[test]
fn the_answer_says_what_may_be_lost_and_names_those_that_do_better() {
    let mut stores: Vec<CandidateRecord> = ["a", "b", "c", "d", "e"].into_iter().map(store).collect();
    let writes = |stores: Vec<CandidateRecord>, action: Action| {
        let operation = action.operation();
        let run = run(3, stores, vec![plan("phase", action)]);
        let names: Vec<String> = run.candidates.iter().map(|one| one.name.clone()).collect();
        let job = |round| names.iter().map(move |name| job(name, round, vec![ran("phase", operation, 1_000)]));
        let jobs: Vec<JobRecord> = (0..3).flat_map(job).collect();
        analyse(&run, &jobs, Some(&complete())).said().join(" ")
    };
    let all = writes(stores.clone(), Action::Update);
    assert!(
        all.contains(
            "As set here, with every store that was measured here acknowledged writes may be lost when a process"
        ),
        "{all}"
    );
    stores[1].durability = Some(durability(Class::Power));
    let mixed = writes(stores.clone(), Action::Update);
    assert!(mixed.contains("with 'b' acknowledged writes survive even when power fails; with the others"), "{mixed}");
    stores[2].durability = None;
    assert!(writes(stores.clone(), Action::Update).contains("what survives with 'c' is unknown"));
    assert!(!writes(stores, Action::Read).contains("As set here"), "nothing is written, nothing can be lost");
}

#[test]
fn a_run_without_jobs_says_so_and_does_not_panic() {
    let run = run(3, vec![store("a")], vec![plan("read", Action::Read)]);
    let answer = analyse(&run, &[], None);
    assert_eq!(reason(&answer, 0, "a"), Reason::TooFewRounds { rounds: 0 });
    assert!(notes(&answer)[0].contains("0 of 3 rounds"), "{:?}", answer.notes);
}
