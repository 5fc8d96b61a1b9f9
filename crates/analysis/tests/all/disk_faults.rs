//! What stores did while their disks failed: told by fault, and worst of several trials.

use kurabe_analysis::{AfterFault, DiskFaultAnswer, DuringFault, analyse};
use kurabe_protocol::{Action, Failed, Operation};
use kurabe_record::{Act, ActionPlan, ActionRecord, DiskFault, Guarantee, JobRecord, RunRecord, ServiceTarget};

use crate::common::{complete, job, plan, ran, run, store};

const MS: u64 = 1_000_000;

/// A trial: a second of updates in ten slots, with the disk broken from 0.3 s to 0.7 s.
fn trial(round: u32, fault: DiskFault, slots: impl AsRef<[u64]>) -> JobRecord {
    let (broken, cut) = actions();
    let mut job =
        job("store", round, vec![ran("update", Operation::Update, 1_000), ran("read", Operation::Read, 1_000)]);
    let update = &mut job.phases[0];
    update.results[0].series.operations = slots.as_ref().to_vec();
    let began = |plan: &ActionPlan| ActionRecord { began_ns: Some(plan.at_ns), ..ActionRecord::of(plan) };
    update.actions = vec![
        ActionRecord { disk_fault: Some(fault), lasted_ns: Some(400 * MS), ..began(&broken) },
        ActionRecord { recovery_ns: Some(7), ..began(&cut) },
    ];
    job.final_count = None;
    job
}

fn actions() -> (ActionPlan, ActionPlan) {
    let plan = |at_ns, act| ActionPlan { at_ns, at_most_ns: None, act };
    (plan(300 * MS, Act::Disk { fault: None, time_ns: 400 * MS }), plan(1_000 * MS, Act::Cut(ServiceTarget::Store)))
}

fn broken() -> RunRecord {
    let mut run = run(2, vec![store("store")], vec![plan("update", Action::Update), plan("read", Action::Read)]);
    let phases = &mut run.plan.configurations[0].phases;
    let (broken, cut) = actions();
    (phases[0].actions, phases[1].phase.counts_losses) = (vec![broken, cut], true);
    run.candidates[0].durability.as_mut().expect("a setting").guarantee = Guarantee::FULL;
    run
}

fn answered(jobs: &[JobRecord]) -> Vec<DiskFaultAnswer> {
    let answer = analyse(&broken(), jobs, Some(&complete()));
    assert!(answer.losses.is_empty() && answer.leaders.is_empty() && !answer.compares());
    answer.disk_faults.into_iter().filter(|one| one.trials > 0).collect()
}

const STEADY: [u64; 10] = [100; 10];
const STOPPED: [u64; 10] = [100, 100, 100, 50, 0, 0, 0, 0, 80, 100];
const NEVER_AGAIN: [u64; 4] = [100, 100, 100, 50];

fn failing(mut job: JobRecord) -> JobRecord {
    job.phases[0].results[0].workers[0].failed = 3;
    job.phases[0].results[0].failures =
        vec![Failed { operation: Operation::Update, message: "disk I/O error".into(), count: 3 }];
    job
}

#[test]
fn a_store_goes_on_waits_tells_errors_or_ends() {
    let slower = [100, 100, 100, 50, 10, 10, 10, 100, 100, 100];
    let mut ended = failing(trial(0, DiskFault::Full, NEVER_AGAIN));
    ended.phases[0].actions[1].died = Some("the service died; the end of its log:\nstart\nPANIC: no space\nbye".into());
    let cases = [
        (trial(0, DiskFault::Full, STEADY), DuringFault::WentOn, AfterFault::ByItself, None),
        (trial(0, DiskFault::Full, slower), DuringFault::Slower, AfterFault::ByItself, None),
        (trial(0, DiskFault::Full, STOPPED), DuringFault::Waited, AfterFault::ByItself, None),
        (trial(0, DiskFault::Full, NEVER_AGAIN), DuringFault::Waited, AfterFault::NotSeen, None),
        (
            failing(trial(0, DiskFault::Full, STOPPED)),
            DuringFault::Failed,
            AfterFault::ByItself,
            Some("disk I/O error"),
        ),
        (ended, DuringFault::Ended, AfterFault::NotSeen, Some("PANIC: no space")),
    ];
    for (job, during, after, said) in cases {
        let [one] = &answered(std::slice::from_ref(&job))[..] else { panic!("one fault") };
        assert_eq!((one.during, one.after, one.trials), (during, Some(after), 1));
        assert_eq!(one.said.as_deref(), said);
        assert_eq!(one.resumed_ns.is_some(), after == AfterFault::ByItself);
    }
}

#[test]
fn of_several_trials_the_worst_is_told_and_each_fault_has_its_own() {
    let jobs = [
        trial(0, DiskFault::Full, STEADY),
        failing(trial(1, DiskFault::Full, NEVER_AGAIN)),
        trial(2, DiskFault::Slow, STEADY),
    ];
    let found = answered(&jobs);
    assert_eq!(
        found.iter().map(|one| (one.fault, one.trials)).collect::<Vec<_>>(),
        [(DiskFault::Full, 2), (DiskFault::Slow, 1)]
    );
    assert_eq!((found[0].during, found[0].after), (DuringFault::Failed, Some(AfterFault::NotSeen)));
    assert_eq!((found[1].during, found[1].after), (DuringFault::WentOn, Some(AfterFault::ByItself)));
}

#[test]
fn what_was_lost_afterwards_is_told_with_its_fault() {
    let mut lost = trial(0, DiskFault::SyncError, STEADY);
    lost.phases[1].results[0].checks.lost_writes = 30;
    let mut gone = trial(1, DiskFault::Full, STOPPED);
    gone.phases[0].actions[1].not_back = Some("broken file".into());
    gone.phases.truncate(1);
    let answer = analyse(&broken(), &[lost, gone], Some(&complete()));
    assert_eq!(
        answer.advice.headline.to_string(),
        "'store' lost acknowledged writes, or did not give all rows, after the disk had failed."
    );
    let told: Vec<String> = answer.advice.because.iter().map(ToString::to_string).collect();
    assert!(told[0].contains("'store' gave no rows after a full disk and a power cut (1 of 1 trials): broken file"));
    assert!(told[1].contains("lost up to 30 acknowledged writes after failing syncs and a power cut"), "{told:?}");
    let kept = analyse(&broken(), &[trial(0, DiskFault::Full, STEADY)], Some(&complete()));
    assert!(kept.advice.headline.to_string().contains("In 1 trial no store lost more than its setting allows"));
}
