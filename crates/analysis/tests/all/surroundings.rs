//! What the machine and the way to a store did to the figures.

use crate::common::{complete, job, plan, ran, run, store};
use kurabe_analysis::{Answer, analyse};
use kurabe_protocol::{Action, Connect, Operation};
use kurabe_record::{JobRecord, MachineUse, PhasePlan};

/// The answer about one candidate that reads at 900 a second in three rounds; `change` alters each job.
fn answer_of(plan: PhasePlan, change: impl Fn(&mut JobRecord)) -> Answer {
    let mut run = run(3, vec![store("a")], vec![plan]);
    run.machine.cpu_quota_millis = Some(500);
    let mut jobs: Vec<JobRecord> =
        (0..3).map(|round| job("a", round, vec![ran("read", Operation::Read, 900)])).collect();
    jobs.iter_mut().for_each(change);
    analyse(&run, &jobs, Some(&complete()))
}

fn cautions(answer: &Answer) -> Vec<String> {
    answer.cautions.iter().map(|caution| caution.message().to_string()).collect()
}

fn notes(answer: &Answer) -> Vec<String> {
    answer.notes.iter().map(|note| note.message().to_string()).collect()
}

#[test]
fn a_quota_that_was_used_up_is_told_and_one_that_was_hardly_ever_is_not() {
    let throttled = |periods: Option<u64>, throttled: Option<u64>| {
        let used =
            MachineUse { busy_ns: 1, steal_ns: 0, all_ns: 1, quota_periods: periods, throttled_periods: throttled };
        cautions(&answer_of(plan("read", Action::Read), |job| job.phases[0].machine = Some(used)))
    };
    assert_eq!(
        throttled(Some(10), Some(4)),
        [
            "The processes used up their CPU quota of 0.5 processors in 40 % of its periods during 'read'. They wait until \
             such a period ends, so the quota limits the rates. Raise cpu.max of the control group."
        ]
    );
    for (periods, used_up) in [(None, None), (Some(0), Some(0)), (Some(1_000), Some(9))] {
        assert!(throttled(periods, used_up).is_empty(), "{periods:?}, {used_up:?}");
    }
}

#[test]
fn a_service_that_closes_the_connections_that_a_phase_keeps_is_told() {
    let with = |plan: PhasePlan, connects: Option<u64>| {
        notes(&answer_of(plan, |job| job.phases[0].results[0].connects = connects))
    };
    let read = || plan("read", Action::Read);
    assert_eq!(
        with(read(), Some(898)),
        [
            "The service of 'a' closes connections: its client opened 2,694 for 2,700 operations in read. A service that \
             keeps connections may be faster, because operations wait for each new one."
        ]
    );
    assert!(with(read(), Some(12)).is_empty(), "a few are no rule");
    assert!(with(read(), None).is_empty());
    let mut each = read();
    each.phase.connect = Connect::Each;
    assert!(with(each, Some(898)).is_empty(), "asked for");
}
