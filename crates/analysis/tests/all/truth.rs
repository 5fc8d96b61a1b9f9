//! The answer promises nothing that was not so: of stores that failed, gave up, failed a little or were never measured.

use crate::common::{baseline, complete, job, phase, plan, ran, reads, run, said, store};
use kurabe_analysis::{
    Answer, Extent, Outcome, Reason, Rounds, Spread, Status, TroubleKind, analyse, answer, troubles,
};
use kurabe_messages::{Language, RecordedText, message};
use kurabe_protocol::{Action, Failed, Operation, StoppedBy};
use kurabe_record::{
    Act, ActionPlan, ActionRecord, CounterSum, EndRecord, EndStatus, FinalCount, JobError, JobErrorKind, JobRecord,
    LeftOut, Loaded, PhaseOutcome, Repeated, RunRecord, ServiceTarget, SettingCheck, SettingState,
};

const RATES: [u64; 3] = [1_000, 1_010, 990];

fn readers(names: &[&str]) -> (RunRecord, Vec<JobRecord>) {
    let run = run(3, names.iter().map(|name| store(name)).collect(), vec![plan("read", Action::Read)]);
    (run, names.iter().flat_map(|name| reads(name, &RATES)).collect())
}

fn fail(job: &mut JobRecord) {
    job.phases.clear();
    job.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message: "it did not come up".into() });
}

fn jobs_of<'a>(jobs: &'a mut [JobRecord], name: &'a str) -> impl Iterator<Item = &'a mut JobRecord> {
    jobs.iter_mut().filter(move |job| job.candidate == name)
}

fn ended(status: EndStatus) -> EndRecord {
    EndRecord { status, ..complete() }
}

fn extent(answer: &Answer, name: &str) -> Extent {
    answer.candidates.iter().find(|one| one.name == name).expect("a candidate").work.extent.clone()
}

fn notes(answer: &Answer) -> Vec<String> {
    answer.notes.iter().map(|note| note.message().to_string()).collect()
}

fn reason<'a>(answer: &'a Answer, name: &str) -> Option<&'a Reason> {
    let row = answer.phases[0].rows.iter().find(|row| row.candidate == name).expect("a row");
    if let Status::Unranked { reason } = &row.status { Some(reason) } else { None }
}

/// Some failures of one message in the only phase of a job.
fn failures(job: &mut JobRecord, count: u64) {
    let result = &mut job.phases[0].results[0];
    result.workers[0].failed = count;
    result.failures = vec![Failed { operation: Operation::Read, message: "out of luck".into(), count }];
}

#[test]
fn what_a_user_may_not_read_is_told_once_and_costs_nothing() {
    let (run, mut jobs) = readers(&["a", "b"]);
    jobs_of(&mut jobs, "b").for_each(|job| job.absent = vec!["size of the table: you need PROCESS".into()]);
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!((answer.outcome, reason(&answer, "b")), (Outcome::Good, None));
    let told: Vec<String> = notes(&answer).into_iter().filter(|note| note.contains("PROCESS")).collect();
    assert_eq!(
        told,
        ["Figures of 'b' are missing because its user may not read them: size of the table: you need PROCESS."]
    );
}

#[test]
fn a_certificate_that_was_not_checked_is_told() {
    let (run, mut jobs) = readers(&["a", "b"]);
    for (candidate, found) in [("a", "certificate not checked"), ("b", "certificate checked")] {
        let setting =
            SettingCheck { name: "tls".into(), asked: None, found: Some(found.into()), state: SettingState::Reported };
        jobs_of(&mut jobs, candidate).for_each(|job| job.settings.push(setting.clone()));
    }
    let told = notes(&analyse(&run, &jobs, Some(&complete())));
    let words =
        "Kurabe did not check the server certificate of 'a' (tls=unverified). Another server could have answered.";
    assert!(told.iter().any(|note| note == words), "{told:?}");
}

#[test]
fn whatever_costs_a_rank_as_a_fault_makes_the_outcome_bad() {
    let outcome = |change: &dyn Fn(&mut JobRecord)| {
        let (run, mut jobs) = readers(&["a", "b"]);
        change(&mut jobs[1]);
        (analyse(&run, &jobs, Some(&complete())).outcome, troubles(&run, &jobs[1]).len())
    };
    assert_eq!(outcome(&|_| {}), (Outcome::Good, 0));
    let bad: [&dyn Fn(&mut JobRecord); 8] = [
        &|job| job.phases[0].counters = Some(CounterSum { sum: 7, least: 8, most: 8 }),
        &|job| job.phases[0].results[0].checks.lost = 1,
        &|job| job.final_count = Some(FinalCount { counted_rows: 9, least_rows: 10, most_rows: 10 }),
        &|job| failures(job, 1),
        &|job| job.phases[0].results[0].stopped_by = StoppedBy::Failures,
        &|job| job.phases[0].results[0].stopped_by = StoppedBy::Abort,
        &|job| job.phases.clear(),
        &|job| {
            job.error = Some(JobError { kind: JobErrorKind::Service, phase: None, message: "it did not stop".into() });
        },
    ];
    for (index, change) in bad.into_iter().enumerate() {
        assert_eq!(outcome(change), (Outcome::Failed, 1), "case {index}");
    }
    let unsupported = |job: &mut JobRecord| {
        job.phases = vec![phase("read", Operation::Read, PhaseOutcome::Unsupported("read".into()), Vec::new())];
    };
    assert_eq!(outcome(&unsupported), (Outcome::Good, 0), "what a store cannot do is no fault");
}

#[test]
fn an_outcome_tells_an_interrupt_and_a_record_without_an_end() {
    let (run, jobs) = readers(&["a"]);
    let outcome = |end: Option<EndRecord>| analyse(&run, &jobs, end.as_ref()).outcome;
    assert_eq!(outcome(Some(ended(EndStatus::Interrupted))), Outcome::Interrupted);
    assert_eq!(outcome(Some(ended(EndStatus::Failed))), Outcome::Failed);
    assert_eq!(outcome(None), Outcome::Unfinished);
}

#[test]
fn lost_increments_are_told_of_a_job_like_other_wrong_answers() {
    let (run, mut jobs) = readers(&["a"]);
    jobs[0].phases[0].counters = Some(CounterSum { sum: 5, least: 8, most: 8 });
    let told: Vec<String> = troubles(&run, &jobs[0]).iter().map(|trouble| trouble.message().to_string()).collect();
    assert_eq!(told, ["read: 3 wrong answers: the counters add up to 5 instead of 8"]);
}

#[test]
fn rounds_and_the_end_are_the_same_wherever_a_failure_falls() {
    for round in 0..3 {
        let (run, mut jobs) = readers(&["a", "b"]);
        jobs_of(&mut jobs, "b").skip(round).for_each(fail);
        jobs.retain(|job| job.candidate == "a" || job.round as usize <= round);
        for end in [EndStatus::Complete, EndStatus::Failed] {
            let answer = analyse(&run, &jobs, Some(&ended(end)));
            assert_eq!(answer.rounds, Rounds { planned: 3, complete: 2, measured: 3, end: Some(end) });
            let told = format!("2 of 3 rounds are complete: 'b' failed in round {}.", round + 1);
            assert_eq!(notes(&answer), [told]);
            assert_eq!((answer.outcome, extent(&answer, "a")), (Outcome::Failed, Extent::Whole));
            assert_eq!(extent(&answer, "b"), Extent::Failed { round: round as u32 });
        }
    }
}

#[test]
fn where_a_job_failed_and_the_budget_ended_the_run_both_are_told() {
    let (mut run, mut jobs) = readers(&["a", "b"]);
    run.plan.configurations[0].rounds = 5;
    jobs_of(&mut jobs, "b").take(1).for_each(fail);
    jobs.retain(|job| job.candidate == "a" || job.round == 0);
    let message = Some("3 of 5 rounds fitted into the budget".into());
    let answer = analyse(&run, &jobs, Some(&EndRecord { message, ..ended(EndStatus::Failed) }));
    let expected = "2 of 5 rounds are complete: 'b' failed in round 1; the run ended early: 3 of 5 rounds fitted into the \
                    budget.";
    assert_eq!(notes(&answer), [expected]);
}

#[test]
fn reasons_of_kurabe_are_read_in_the_language_of_the_reader_and_those_of_others_as_they_are() {
    let (mut run, mut jobs) = readers(&["a", "b", "c"]);
    let absent = |name: &str, reason: RecordedText| LeftOut {
        name: name.into(),
        base: None,
        factors: Vec::new(),
        reason,
        remedy: None,
    };
    run.left_out = vec![absent("d", message!(run_lacks_batch).into()), absent("e", "no such driver.".into())];
    for job in jobs_of(&mut jobs, "b") {
        job.phases[0].outcome = PhaseOutcome::Unsupported(message!(run_lacks_depth, depth = 4u32, most = 1u32).into());
    }
    for job in jobs_of(&mut jobs, "c") {
        fail(job);
        job.error.as_mut().expect("an error").message = message!(run_service_died).into();
    }
    let end = EndRecord { message: Some(message!(run_end_interrupted).into()), ..ended(EndStatus::Interrupted) };
    let answer = analyse(&run, &jobs, Some(&end));
    let told = |language| {
        let reasons = ["b", "c"].map(|name| reason(&answer, name).expect("a reason").message().text(language));
        let notes = answer.notes.iter().map(|note| note.message().text(language));
        notes.chain(reasons).collect::<Vec<String>>().join("\n")
    };
    let [english, japanese] = Language::ALL.map(told);
    for message in [
        message!(run_lacks_batch),
        message!(run_lacks_depth, depth = 4u32, most = 1u32),
        message!(run_service_died),
        message!(run_end_interrupted),
    ] {
        for (text, language) in [(&english, Language::English), (&japanese, Language::Japanese)] {
            assert!(text.contains(&message.text(language)), "{}: {text}", message.id());
        }
        assert!(!japanese.contains(&message.text(Language::English)), "{japanese}");
    }
    assert!(english.contains("no such driver") && japanese.contains("no such driver"), "{japanese}");
}

#[test]
fn a_level_that_is_whole_is_not_called_incomplete_where_the_run_ended_early() {
    let (run, jobs) = readers(&["a", "b"]);
    let message = Some("every candidate had failed by then".into());
    let answer = analyse(&run, &jobs, Some(&EndRecord { message, ..ended(EndStatus::Failed) }));
    let expected = "All 3 rounds shown here are complete; the run ended early: every candidate had failed by then.";
    assert_eq!(notes(&answer), [expected]);
    let answer = analyse(&run, &jobs, Some(&ended(EndStatus::Failed)));
    assert_eq!(notes(&answer), ["All 3 rounds shown here are complete. Jobs of other configurations failed."]);
}

#[test]
fn nothing_is_promised_of_stores_that_were_never_measured() {
    let update = vec![plan("update", Action::Update)];
    let run = run(1, vec![store("a"), store("b")], update);
    let mut jobs: Vec<JobRecord> =
        ["a", "b"].map(|name| job(name, 0, vec![ran("update", Operation::Update, 900)])).into();
    jobs.iter_mut().for_each(fail);
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!((answer.rounds.complete, answer.rounds.measured), (0, 0));
    assert_eq!(said(&answer), ["Kurabe ranks no store, because no job completed without an error."]);
    assert_eq!(notes(&answer)[0], "0 of 1 rounds are complete: 'a' and 'b' failed in round 1.");
    let never = analyse(&run, &[], None);
    assert_eq!((extent(&never, "a"), extent(&never, "b")), (Extent::NotMeasured, Extent::NotMeasured));
}

#[test]
fn a_store_that_can_do_nothing_of_the_work_did_not_do_it_and_did_not_fail() {
    let run = run(3, vec![store("a"), store("b")], vec![plan("update", Action::Update)]);
    let of = |name: &str| -> Vec<JobRecord> {
        (0..3).map(|round| job(name, round, vec![ran("update", Operation::Update, 900)])).collect()
    };
    let mut cannot = of("b");
    cannot
        .iter_mut()
        .for_each(|job| job.phases[0].outcome = PhaseOutcome::Unsupported("no rows of a data file".into()));
    let answer = analyse(&run, &[of("a"), cannot].concat(), Some(&complete()));
    assert_eq!((answer.outcome, extent(&answer, "b")), (Outcome::Good, Extent::Unsupported));
    let said = said(&answer).join(" ");
    assert!(
        said.contains("'a' can lose everything in a process crash or a power failure") && !said.contains("'b'"),
        "{said}"
    );
}

#[test]
fn what_may_be_lost_is_said_only_of_those_that_were_measured() {
    let run = run(3, vec![store("a"), store("b")], vec![plan("update", Action::Update)]);
    let of = |name: &str| -> Vec<JobRecord> {
        (0..3).map(|round| job(name, round, vec![ran("update", Operation::Update, 900)])).collect()
    };
    let mut failed = of("b");
    failed.truncate(1);
    fail(&mut failed[0]);
    let said = said(&analyse(&run, &[of("a"), failed].concat(), Some(&complete()))).join(" ");
    assert!(
        said.contains("With these settings, 'a' can lose everything in a process crash or a power failure.")
            && !said.contains("'b'"),
        "{said}"
    );
}

#[test]
fn no_first_rank_is_decided_where_every_rival_failed() {
    let (run, mut jobs) = readers(&["a", "b"]);
    jobs_of(&mut jobs, "b").for_each(fail);
    let said = said(&analyse(&run, &jobs, Some(&complete())));
    let uncontested = "No first rank was contested: there was nothing to compare with.";
    assert_eq!(said, ["'a' is the only ranked store in read.", uncontested]);
}

#[test]
fn failures_that_the_study_allows_keep_the_rank_and_are_told() {
    let (mut run, mut jobs) = readers(&["a", "b"]);
    run.plan.allowed_errors = 100;
    jobs_of(&mut jobs, "b").for_each(|job| failures(job, 7));
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!((answer.outcome, reason(&answer, "b")), (Outcome::Good, None));
    let expected = "Operations of 'b' failed: 21 in read. The study allows 100 in each phase of a job. Rates and latencies exclude \
                    them. The most frequent error: out of luck";
    assert_eq!(notes(&answer), [expected]);
}

#[test]
fn a_client_that_gave_up_is_not_ranked_however_many_failures_are_allowed() {
    let (mut run, mut jobs) = readers(&["a", "b"]);
    run.plan.allowed_errors = 100_000;
    for job in jobs_of(&mut jobs, "b").skip(1) {
        failures(job, 101);
        job.phases[0].results[0].stopped_by = StoppedBy::Failures;
    }
    let answer = analyse(&run, &jobs, Some(&complete()));
    let expected = Reason::GaveUp { rounds: 2, message: message!(text_quoted, text = "out of luck"), round: 1 };
    assert_eq!((answer.outcome, reason(&answer, "b")), (Outcome::Failed, Some(&expected)));
    let row = answer.phases[0].rows.iter().find(|row| row.candidate == "b").expect("a row");
    assert!(row.rate_per_s().is_none(), "the rate would be that of the time before it broke");
    assert_eq!(extent(&answer, "b"), Extent::GaveUp { round: 1 });
    let kinds: Vec<TroubleKind> = troubles(&run, &jobs[4]).into_iter().map(|trouble| trouble.kind).collect();
    assert_eq!(kinds, [TroubleKind::GaveUp { message: kurabe_messages::message!(text_quoted, text = "out of luck") }]);
    let told = "the client gave up in round 2 and 1 other, after too many failures in a row: out of luck";
    assert_eq!(answer.not_counted[0].why.message().to_string(), told);
}

/// What was planned is no fault; a wrong answer stays one.
#[test]
fn a_phase_in_which_a_service_was_to_end_is_not_ranked_and_its_failures_are_no_trouble() {
    let (mut run, mut jobs) = readers(&["a", "b"]);
    let action = ActionPlan { at_ns: 5, at_most_ns: None, act: Act::Kill(ServiceTarget::Store) };
    run.plan.configurations[0].phases[0].actions = vec![action.clone()];
    for (at, job) in (1u64..).zip(&mut jobs) {
        failures(job, 101);
        job.phases[0].results[0].stopped_by = StoppedBy::Failures;
        let done = ActionRecord { recovery_ns: Some(at * 100), lasted_ns: Some(at), ..ActionRecord::of(&action) };
        job.phases[0].actions = vec![done];
    }
    let missed = ActionRecord { failed: Some("the phase had ended before".into()), ..ActionRecord::of(&action) };
    jobs[5].phases[0].actions = vec![missed];
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert_eq!((answer.outcome, reason(&answer, "b")), (Outcome::Good, Some(&Reason::PlannedOutage)));
    assert_eq!(extent(&answer, "a"), Extent::Whole);
    let [a, b] = &answer.actions[..] else { panic!("{:?}", answer.actions) };
    assert_eq!((a.candidate.as_str(), a.done, a.failed), ("a", 3, 0));
    assert_eq!(a.recovery_ns, Some(Spread { least: 100, median: 200, greatest: 300 }));
    assert_eq!((b.done, b.failed, &b.failure), (2, 1, &Some("the phase had ended before".into())));
    assert_eq!(b.recovery_ns, Some(Spread { least: 400, median: 500, greatest: 500 }));

    jobs[0].phases[0].results[0].checks.lost = 1;
    let answer = analyse(&run, &jobs, Some(&complete()));
    assert!(matches!(reason(&answer, "a"), Some(Reason::WrongAnswers { count: 1, .. })));
    assert_eq!(answer.outcome, Outcome::Failed);
}

#[test]
fn lines_that_say_a_job_again_are_told() {
    let (run, jobs) = readers(&["a", "b"]);
    let repeated = vec![Repeated { line: 4 }, Repeated { line: 7 }];
    let loaded = Loaded { repeated, ..crate::common::loaded(run, jobs) };
    let expected = "Lines 4 and 7 of jobs.jsonl repeat earlier lines. Kurabe counts each job once.";
    assert_eq!(notes(&answer(&loaded)), [expected]);
}

#[test]
fn increments_whose_sum_a_store_cannot_tell_are_known() {
    let (reads, jobs) = readers(&["a", "b"]);
    assert_eq!(analyse(&reads, &jobs, Some(&complete())).checking, Default::default());

    let run = run(1, vec![baseline("echo"), store("a"), store("b")], vec![plan("increment", Action::Increment)]);
    let counted = |name: &str, counters| {
        let mut phase = ran("increment", Operation::Increment, 800);
        phase.counters = counters;
        job(name, 0, vec![phase])
    };
    let sum = Some(CounterSum { sum: 800, least: 800, most: 800 });
    let jobs = [counted("echo", None), counted("a", sum), counted("b", None)];
    let increments = analyse(&run, &jobs, Some(&complete())).checking.increments.expect("there are increments");
    assert_eq!(increments.without_sum, ["b"]);
}
