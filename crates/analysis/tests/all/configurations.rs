//! Runs over several configurations: who is waited for, which configuration the answer is about, and where others lead.

use crate::common::{SECOND_NS, level, plan, run, said, store};
use kurabe_analysis::{Answer, Reason, Sentence, SkippedStore, Status, answer};
use kurabe_protocol::Action;
use kurabe_record::{AxisValue, Configuration, Factor, JobError, JobErrorKind, JobRecord, Loaded, SkippedRecord};

/// Stores `a` and `b` in configurations of so many rows, three rounds each; `rates` tells the rates of both by
/// configuration.
fn levels(rows: &[u64], rates: impl Fn(usize) -> [[u64; 3]; 2]) -> Loaded {
    let mut record = run(3, vec![store("a"), store("b")], Vec::new());
    let numbered = |(number, rows): (u64, &u64)| Configuration {
        factors: vec![Factor { axis: "connections".into(), value: AxisValue::Number(number) }],
        ..level(*rows, 3, vec![plan("read", Action::Read)])
    };
    record.plan.configurations = (1..).zip(rows).map(numbered).collect();
    let mut jobs = Vec::new();
    for at in 0..rows.len() {
        for (name, rates) in ["a", "b"].into_iter().zip(rates(at)) {
            jobs.extend(
                crate::common::reads(name, &rates).into_iter().map(|job| JobRecord { configuration: at as u32, ..job }),
            );
        }
    }
    crate::common::loaded(record, jobs)
}

const FAST: [u64; 3] = [1_000, 1_010, 990];
const SLOW: [u64; 3] = [500, 505, 495];

/// Everywhere `a` is twice as fast.
fn steady(rows: &[u64]) -> Loaded {
    levels(rows, |_| [FAST, SLOW])
}

fn skipped(candidate: &str, level: u32, rounds: u32) -> SkippedRecord {
    SkippedRecord {
        candidate: candidate.into(),
        configuration: level,
        rounds,
        needed_rounds: 3 - rounds.min(2),
        estimate_ns: Some(9 * SECOND_NS),
        left_ns: SECOND_NS,
        stopped_after_ns: None,
    }
}

fn failed(job: &mut JobRecord) {
    job.phases.clear();
    job.error = Some(JobError { kind: JobErrorKind::Client, phase: None, message: "no memory".into() });
}

/// Complete rounds by number of the configuration.
fn complete_rounds(answer: &Answer) -> Vec<usize> {
    let mut rounds = vec![(answer.at.configuration, answer.rounds.complete)];
    rounds.extend(answer.other_configurations.iter().map(|level| (level.at.configuration, level.rounds.complete)));
    rounds.sort_unstable();
    rounds.into_iter().map(|(_, complete)| complete).collect()
}

/// Why `b` is not ranked in a configuration; `None` where it has one.
fn why_not(answer: &Answer, level: u32) -> Option<Reason> {
    let phases = match answer.other_configurations.iter().find(|other| other.at.configuration == level) {
        Some(other) => &other.phases,
        None => &answer.phases,
    };
    let row = phases[0].rows.iter().find(|row| row.candidate == "b").expect("a row");
    if let Status::Unranked { reason } = &row.status { Some(reason.clone()) } else { None }
}

fn keep(run: &mut Loaded, candidate: &str, level: u32, rounds: u32) {
    run.jobs.retain(|job| (job.candidate.as_str(), job.configuration) != (candidate, level) || job.round < rounds);
}

#[test]
fn who_was_skipped_is_waited_for_up_to_the_skipped_and_not_with_more_rows() {
    let mut run = steady(&[10, 20, 40]);
    keep(&mut run, "b", 1, 1);
    keep(&mut run, "b", 2, 0);
    assert_eq!(complete_rounds(&answer(&run)), [3, 1, 0], "nobody was skipped, so 'b' is missing");
    run.skipped = vec![skipped("b", 1, 1)];
    let shown = answer(&run);
    assert_eq!(complete_rounds(&shown), [3, 3, 3]);
    assert!(
        matches!(why_not(&shown, 1), Some(Reason::Skipped { skipped }) if skipped.at.configuration == 1 && skipped.rounds == 1)
    );
    assert!(matches!(why_not(&shown, 2), Some(Reason::Skipped { skipped }) if skipped.at.configuration == 1));
    // The round before the skips must be there.
    keep(&mut run, "b", 1, 0);
    assert_eq!(complete_rounds(&answer(&run)), [3, 2, 3]);
}

#[test]
fn a_skipped_at_other_connections_with_as_many_rows_is_none_here() {
    let mut run = steady(&[10, 10]);
    run.skipped = vec![skipped("b", 0, 1)];
    keep(&mut run, "b", 0, 1);
    keep(&mut run, "b", 1, 2);
    let shown = answer(&run);
    assert_eq!(complete_rounds(&shown), [3, 2], "at the other level 'b' is waited for");
    assert_eq!(why_not(&shown, 1), Some(Reason::TooFewRounds { rounds: 2 }));
}

#[test]
fn a_skipped_after_the_rounds_for_a_rank_leaves_the_rank() {
    let mut run = steady(&[10]);
    run.run.plan.configurations[0].rounds = 5;
    run.skipped = vec![skipped("b", 0, 3)];
    let shown = answer(&run);
    assert_eq!((why_not(&shown, 0), complete_rounds(&shown)), (None, vec![3]));
    keep(&mut run, "b", 0, 2);
    run.skipped = vec![skipped("b", 0, 2)];
    let shown = answer(&run);
    assert!(matches!(why_not(&shown, 0), Some(Reason::Skipped { skipped }) if skipped.rounds == 2));
    assert_eq!(complete_rounds(&shown), [3]);
}

/// A job of `b` that was stopped at the first configuration, in its first round.
fn stopped(after_ns: u64) -> SkippedRecord {
    SkippedRecord { estimate_ns: None, stopped_after_ns: Some(after_ns), ..skipped("b", 0, 0) }
}

fn skipped_stores(answer: &Answer) -> Vec<SkippedStore> {
    let skipped =
        answer.sentences.iter().find_map(|one| if let Sentence::Skipped(skipped) = one { Some(skipped) } else { None });
    skipped.into_iter().flatten().flat_map(|(_, stores)| stores.clone()).collect()
}

#[test]
fn a_job_that_was_stopped_and_done_after_all_skips_nobody() {
    let mut run = steady(&[10, 20]);
    run.skipped = vec![stopped(SECOND_NS)];
    let shown = answer(&run);
    assert_eq!((complete_rounds(&shown), why_not(&shown, 0), why_not(&shown, 1)), (vec![3, 3], None, None));
    assert_eq!(skipped_stores(&shown), []);
}

#[test]
fn of_jobs_that_were_stopped_the_time_of_all_is_told() {
    let mut run = steady(&[10, 20]);
    keep(&mut run, "b", 0, 0);
    keep(&mut run, "b", 1, 0);
    run.skipped = vec![stopped(SECOND_NS), stopped(3 * SECOND_NS)];
    let shown = answer(&run);
    assert_eq!(complete_rounds(&shown), [3, 3]);
    let expected = SkippedStore { candidate: "b".into(), needed_ns: None, took_ns: Some(4 * SECOND_NS) };
    assert_eq!(skipped_stores(&shown), [expected]);
    let words = said(&shown).join(" ");
    assert!(words.contains("'b' (unfinished after 4.0 s) at "), "{words}");
}

#[test]
fn who_failed_is_not_waited_for_with_more_rows_but_elsewhere() {
    let mut run = steady(&[10, 10, 20]);
    failed(
        run.jobs
            .iter_mut()
            .find(|job| (job.candidate.as_str(), job.configuration, job.round) == ("b", 0, 2))
            .expect("one"),
    );
    keep(&mut run, "b", 1, 2);
    keep(&mut run, "b", 2, 0);
    let shown = answer(&run);
    assert_eq!(complete_rounds(&shown), [2, 2, 3]);
    assert!(matches!(why_not(&shown, 0), Some(Reason::JobFailed { rounds: 1, round: 2, .. })));
    assert_eq!(why_not(&shown, 1), Some(Reason::TooFewRounds { rounds: 2 }));
    assert!(matches!(why_not(&shown, 2), Some(Reason::FailedBefore { at }) if at.configuration == 0 && at.rows == 10));
    // What was measured there all the same is told as it is.
    let mut run = steady(&[10, 20]);
    failed(
        run.jobs
            .iter_mut()
            .find(|job| (job.candidate.as_str(), job.configuration, job.round) == ("b", 0, 2))
            .expect("one"),
    );
    keep(&mut run, "b", 1, 1);
    assert_eq!(why_not(&answer(&run), 1), Some(Reason::TooFewRounds { rounds: 1 }));
}

#[test]
fn the_answer_is_about_the_last_level_with_two_places_else_one_else_any_rate() {
    let about = |change: &dyn Fn(&mut Loaded)| {
        let mut run = steady(&[10, 10, 10]);
        change(&mut run);
        let answer = answer(&run);
        let others: Vec<u32> = answer.other_configurations.iter().map(|level| level.at.configuration).collect();
        let all: Vec<u32> = (0..3).filter(|level| *level != answer.at.configuration).collect();
        assert_eq!(others, all, "the others in the order of the plan");
        (answer.at.configuration, said(&answer))
    };
    assert_eq!(about(&|_| {}).0, 2);
    assert_eq!(about(&|run| keep(run, "b", 2, 2)).0, 1, "two ranks before one");
    let alone = about(&|run| {
        run.jobs.retain(|job| job.candidate == "a");
        keep(run, "a", 2, 2);
    });
    assert_eq!(alone.0, 1, "one rank before none");
    assert!(alone.1[0].starts_with("At 2 connections: "), "{:?}", alone.1);
    let short = about(&|run| {
        run.jobs.retain(|job| job.round < 2 && job.configuration < 2);
    });
    assert_eq!(short.0, 1, "a rate before nothing");
    assert!(short.1[0].starts_with("At 2 connections: Kurabe ranks no store"), "{:?}", short.1);
    assert_eq!(about(&|run| run.jobs.clear()).0, 0);
}

#[test]
fn levels_are_named_at_which_none_of_those_that_lead_here_leads() {
    let tie = [[1_000, 1_010, 990], [1_004, 1_000, 996]];
    // 'b' leads at the first and the fourth, both share the second, 'a' leads at the third and the last.
    let run = levels(&[10; 5], |at| match at {
        0 | 3 => [SLOW, FAST],
        1 => tie,
        _ => [FAST, SLOW],
    });
    let shown = answer(&run);
    assert_eq!(shown.at.configuration, 4);
    let levels = shown.sentences.iter().find_map(|sentence| match sentence {
        Sentence::OthersFirst(levels) => Some(levels),
        _ => None,
    });
    let first = [(vec!["b".to_string()], vec!["read".to_string()])];
    let elsewhere: Vec<_> =
        levels.expect("another leads").iter().map(|(at, firsts)| (at.configuration, &firsts[..])).collect();
    assert_eq!(elsewhere, [(0, &first[..]), (3, &first[..])]);
    // Where nobody else leads nothing is said of it.
    let told = answer(&steady(&[10; 5])).sentences;
    assert!(!told.iter().any(|sentence| matches!(sentence, Sentence::OthersFirst(_))), "{told:?}");
}

#[test]
fn who_leads_elsewhere_is_asked_phase_by_phase() {
    // 'a' reads faster here and there; 'b' scans faster there only, twice.
    let mut run = steady(&[10, 10]);
    let scans = [plan("scan", Action::Scan), plan("again", Action::Scan)];
    run.run.plan.configurations.iter_mut().for_each(|level| level.phases.extend(scans.clone()));
    for job in &mut run.jobs {
        let leads = (job.candidate == "a") == (job.configuration == 1);
        let rates = if leads { FAST } else { SLOW };
        for phase in ["scan", "again"] {
            job.phases.push(crate::common::ran(phase, kurabe_protocol::Operation::Scan, rates[job.round as usize]));
        }
    }
    let shown = answer(&run);
    let told = said(&shown).join(" ");
    assert!(told.contains("Others lead at 1 connection: 'b' in scan and again."), "{told}");
    assert!(!told.contains("'b' in read"), "{told}");
}
