//! Jobs that were disturbed and are run again.

use super::*;

/// As [`job`], with so many hundredths of the processors taken by the machine below while it loaded.
fn job_of_stolen(plan: &Plan<'_>, next: &NextJob, load_ns: u64, hundredths: u64) -> JobRecord {
    let mut job = job(plan, next, load_ns, false);
    job.phases[0].machine = Some(kurabe_record::MachineUse {
        busy_ns: 0,
        steal_ns: hundredths * SECOND_NS / 50,
        all_ns: 2 * SECOND_NS,
        quota_periods: None,
        throttled_periods: None,
    });
    job
}

/// Plays a plan in which the machine below takes so many hundredths from each job; returns what counts and what does not.
fn play_disturbed(plan: &Plan<'_>, stolen: impl Fn(&JobRecord, usize) -> u64) -> (Vec<JobRecord>, Vec<JobRecord>) {
    let (mut jobs, mut superseded): (Vec<JobRecord>, Vec<JobRecord>) = (Vec::new(), Vec::new());
    loop {
        assert!(jobs.len() + superseded.len() < 100, "it comes to an end");
        let done = Done { jobs: &jobs, superseded: &superseded, repeats: &[], skipped: &[] };
        let found = match next(plan, done) {
            NextStep::Job(found) => found,
            NextStep::Skipped(skipped) => panic!("nobody is skipped for being disturbed: {skipped:?}"),
            NextStep::Done(_) => return (jobs, superseded),
        };
        assert_eq!(found.number as usize, jobs.len() + superseded.len(), "every job has a number of its own");
        let plain = job(plan, &found, SECOND_NS, false);
        let tries = crate::plan::superseded(done, found.config, found.round, &plain.candidate).count();
        let mut job = job_of_stolen(plan, &found, SECOND_NS, stolen(&plain, tries));
        let disturbance = job.disturbance(&plan.study.configurations[found.config], false);
        job.superseded = disturbance.filter(|_| is_repeated(plan, done, &job)).map(|one| one.share);
        if job.superseded.is_some() { superseded.push(job) } else { jobs.push(job) }
    }
}

#[test]
fn a_job_that_the_machine_below_disturbed_is_measured_again_after_the_others() {
    let study = flat(2, None);
    let plan = plan(&study, 3);
    let once =
        |job: &JobRecord, tries: usize| if job.candidate == "c1" && job.round == 0 && tries == 0 { 20 } else { 0 };
    let (jobs, superseded) = play_disturbed(&plan, once);
    assert_eq!((jobs.len(), superseded.len()), (6, 1));
    assert_eq!(superseded[0].superseded, Some(0.2));
    let again = jobs.iter().find(|job| job.candidate == "c1" && job.round == 0).expect("measured again");
    assert_eq!(again.number, 3, "the others of the round came first");
}

#[test]
fn what_stays_disturbed_counts_at_last() {
    let study = flat(1, None);
    let (jobs, superseded) = play_disturbed(&plan(&study, 2), |_, _| 30);
    assert_eq!((jobs.len(), superseded.len()), (2, 2 * AGAIN));
    let (jobs, superseded) = play_disturbed(&plan(&study, 2), |_, _| 5);
    assert_eq!((jobs.len(), superseded.len()), (2, 0), "a little is usual");
}

#[test]
fn under_a_budget_a_job_is_measured_again_only_if_the_rounds_for_a_rank_are_paid_for() {
    for (budget_s, again) in [(100, 2 * AGAIN), (3, 0)] {
        let study = flat(1, Some(budget_s));
        let (jobs, superseded) = play_disturbed(&plan(&study, 2), |_, _| 30);
        assert_eq!((jobs.len(), superseded.len()), (2, again), "{budget_s} s");
    }
}

#[test]
fn nobody_is_skipped_whose_job_is_owed_when_others_took_longer_than_they_were_to() {
    let study = flat(1, Some(10));
    let plan = plan(&study, 2);
    let none = Done { jobs: &[], superseded: &[], repeats: &[], skipped: &[] };
    let NextStep::Job(found) = next(&plan, none) else { panic!("a job") };
    let disturbed = job_of_stolen(&plan, &found, SECOND_NS, 30);
    assert!(is_repeated(&plan, none, &disturbed), "there is time for all");
    let superseded = [JobRecord { superseded: Some(0.3), ..disturbed }];
    let NextStep::Job(other) = next(&plan, Done { superseded: &superseded, ..none }) else { panic!("a job") };
    assert_ne!(other.candidate, found.candidate);
    let jobs = [job(&plan, &other, 60 * SECOND_NS, false)];
    let done = Done { jobs: &jobs, superseded: &superseded, ..none };
    let NextStep::Job(again) = next(&plan, done) else { panic!("it is measured again") };
    assert_eq!((again.candidate, again.is_again), (found.candidate, true));
    let usual_ns = whole_ns(&superseded[0]);
    assert_eq!(again.limit_ns(), Some(2 * usual_ns), "as long as it took, and as much again");
    let again = job_of_stolen(&plan, &again, SECOND_NS, 30);
    assert!(!is_repeated(&plan, done, &again), "it counts, whatever it met");
    let jobs = [jobs[0].clone(), again];
    assert_eq!(next(&plan, Done { jobs: &jobs, ..done }), NextStep::Done(EndReason::Rounds));
}

#[test]
fn a_job_that_failed_is_not_measured_again() {
    let study = flat(1, None);
    let plan = plan(&study, 1);
    let none = Done { jobs: &[], superseded: &[], repeats: &[], skipped: &[] };
    let NextStep::Job(found) = next(&plan, none) else { panic!("a job") };
    let failed = JobRecord { error: job(&plan, &found, 1, true).error, ..job_of_stolen(&plan, &found, 1, 50) };
    assert!(!is_repeated(&plan, none, &failed));
    assert!(is_repeated(&plan, none, &job_of_stolen(&plan, &found, 1, 50)));
}

#[test]
fn jobs_that_counted_are_run_again_whatever_is_left_and_nothing_else_is() {
    let study = flat(2, Some(5));
    let plan = plan(&study, 2);
    let played = play(&plan, SECOND_NS, |_| false);
    assert_eq!((played.jobs.len(), played.why), (4, EndReason::Rounds));
    let (repeated, mut jobs): (Vec<JobRecord>, Vec<JobRecord>) =
        played.jobs.into_iter().partition(|job| job.number == 1);
    let slot = |job: &JobRecord| (job.configuration as usize, job.round, job.candidate.clone());
    let mut superseded = repeated.clone();
    let mut tries = 0;
    loop {
        let done = Done { jobs: &jobs, superseded: &superseded, repeats: &[1], skipped: &[] };
        let NextStep::Job(next) = next(&plan, done) else { break };
        let again = job(&plan, &next, SECOND_NS, false);
        assert_eq!((slot(&again), next.is_again, next.limit_ns()), (slot(&repeated[0]), true, None));
        assert_eq!(next.number, 4 + tries);
        tries += 1;
        // It is disturbed every time.
        if is_repeated(&plan, done, &again) { superseded.push(again) } else { jobs.push(again) }
    }
    assert!((1..=1 + AGAIN as u32).contains(&tries), "{tries} tries");
    assert_eq!(jobs.len(), 4);
}

#[test]
fn a_skipped_for_want_of_time_does_not_keep_a_job_away_that_is_to_be_run_again() {
    let study = flat(3, Some(2));
    let plan = plan(&study, 1);
    let none = Done { jobs: &[], superseded: &[], repeats: &[], skipped: &[] };
    let NextStep::Job(first) = next(&plan, none) else { panic!("a job") };
    let counted = [job(&plan, &first, SECOND_NS, false)];
    let NextStep::Skipped(skipped) = next(&plan, Done { jobs: &[job(&plan, &first, 5 * SECOND_NS, false)], ..none })
    else {
        panic!("no time is left")
    };
    let skipped = [skipped];
    let done = Done { superseded: &counted, repeats: &[counted[0].number], skipped: &skipped, ..none };
    let NextStep::Job(again) = next(&plan, done) else { panic!("it is run again") };
    assert_eq!((again.round, again.is_again), (first.round, true));
}
