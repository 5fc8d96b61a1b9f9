//! Jobs amid whose phases something is done: services that end as planned, and calls.

use kurabe_record::{Act, ActionPlan, ActionRecord, ServiceTarget};

use super::*;

/// A setting whose writes survive the death of the store's process.
const SURVIVES: &str = "aof-always";
const NEVER_NS: u64 = 3_600_000_000_000;

fn at(at_ns: u64, act: Act) -> ActionPlan {
    ActionPlan { at_ns, at_most_ns: None, act }
}

/// The usual study, in whose second phase these are done.
fn study_with(actions: &[ActionPlan]) -> Study {
    let mut study = study(false);
    study.plan.configurations[0].phases[1].actions = actions.to_vec();
    study
}

fn run_with(actions: &[ActionPlan], trouble: Option<(Trouble, u32)>) -> (JobEnd, Rc<FakeWorld>) {
    run_job_of(&study_with(actions), [here_as(STORE, SURVIVES), here(SOURCE)], trouble, true, None)
}

fn actions(end: &JobEnd) -> &[ActionRecord] {
    &recorded(end).phases[1].actions
}

fn unsupported(candidate: Candidate, act: Act) -> String {
    let (end, world) = run_job_of(&study_with(&[at(0, act)]), [candidate, here(SOURCE)], None, true, None);
    assert_eq!(world.clients_alive.get(), 0);
    assert_eq!(recorded(&end).phases.len(), 3, "the other phases go on");
    match &recorded(&end).phases[1].outcome {
        PhaseOutcome::Unsupported(why) => why.to_string(),
        other => panic!("{act}: {other:?}"),
    }
}

#[test]
fn a_store_that_is_killed_as_planned_is_started_again_where_it_was_and_the_job_goes_on() {
    let (end, world) = run_with(&[at(0, Act::Kill(ServiceTarget::Store))], None);
    let record = recorded(&end);
    assert_eq!(record.error, None);
    assert_eq!(
        (world.killed.borrow().join(" "), world.started.borrow().join(" ")),
        (STORE.into(), "redis redis".into())
    );
    assert_eq!(*world.begun.borrow(), [StartKind::Fresh, StartKind::Again { port: Some(1) }]);
    let [killed] = actions(&end) else { panic!("{:?}", actions(&end)) };
    assert!(killed.began_ns.is_some() && killed.lasted_ns.is_some() && killed.recovery_ns.is_some(), "{killed:?}");
    assert_eq!(killed.failed, None);
    assert_eq!(record.phases[2].counters, Some(CounterSum { sum: ROWS, least: ROWS, most: ROWS }));
    assert!(record.final_count.is_some());
    assert_eq!((world.stopped.borrow().join(" "), world.clients_alive.get()), (STORE.into(), 0));
}

#[test]
fn a_store_that_is_restarted_as_planned_ends_in_good_order_and_is_there_again_at_once() {
    let (end, world) = run_with(&[at(0, Act::Restart(ServiceTarget::Store)), at(0, Act::Call(CallName::Size))], None);
    assert_eq!(recorded(&end).error, None);
    assert_eq!((world.stopped.borrow().join(" "), world.killed.borrow().len()), ("redis redis".into(), 0));
    let [restarted, asked] = actions(&end) else { panic!("{:?}", actions(&end)) };
    assert!(restarted.recovery_ns.is_some() && asked.recovery_ns.is_none());
    assert_eq!(asked.answer, Some(json!({"bytes": 5})), "asked of the store that is there again");
}

/// What a study does that counts losses: its last phase reads every row.
fn counting(actions: &[ActionPlan]) -> Study {
    let mut study = study_with(actions);
    study.plan.configurations[0].phases[2].phase =
        Phase { counts_losses: true, ..Phase::new("every-row", Action::Read, End::Count(ROWS)) };
    study
}

#[test]
fn a_store_that_may_lose_something_is_killed_where_losses_are_counted_and_no_rows_are_missed() {
    let study = counting(&[at(0, Act::Kill(ServiceTarget::Store))]);
    let (end, world) = run_job_of(&study, [here_as(STORE, "memory"), here(SOURCE)], None, true, None);
    let record = recorded(&end);
    assert_eq!((&record.error, world.killed.borrow().join(" ")), (&None, STORE.into()));
    assert_eq!((record.phases[2].outcome.clone(), record.final_count), (PhaseOutcome::Ran, None));
}

#[test]
fn a_moment_is_drawn_from_its_range_for_each_job() {
    let action = ActionPlan { at_most_ns: Some(3_000), ..at(1_000, Act::Kill(ServiceTarget::Store)) };
    let plan =
        PhasePlan { actions: vec![action], ..PhasePlan::new(Phase::new("p", Action::Read, End::Count(1)), true) };
    let moment = |drawn| Agenda::of(&plan, drawn).moment(&plan.actions[0]).as_nanos();
    assert_eq!((moment(0), moment(u64::MAX / 2), moment(u64::MAX)), (1_000, 1_999, 2_999));
}

#[test]
fn of_two_services_the_one_that_is_meant_ends() {
    let descriptor = Catalogue::builtin().expect("built-in").app(APP).expect("an app").clone();
    let app = vec![App { descriptor, found: found(), operations: None }];
    for (target, name) in [(ServiceTarget::Store, STORE), (ServiceTarget::App, APP)] {
        let candidate = Candidate { app: app.clone(), ..here_as(STORE, SURVIVES) };
        let study = study_with(&[at(0, Act::Kill(target))]);
        let (end, world) = run_job_of(&study, [candidate, here(SOURCE)], None, true, None);
        assert_eq!(recorded(&end).error, None);
        assert_eq!(
            (world.killed.borrow().join(" "), world.started.borrow().last().cloned()),
            (name.into(), Some(name.into()))
        );
        assert_eq!(world.stopped.borrow().join(" "), "serve redis", "the order of the end stays");
    }
}

/// A client answers calls between phases, and says its result before it does: asked amid its phase it would seem to break the
/// protocol.
#[test]
fn a_service_with_the_store_inside_is_restarted_and_no_client_at_work_is_asked() {
    let mut descriptor = Catalogue::builtin().expect("built-in").app(APP).expect("an app").clone();
    for (answers_calls, clients) in [(true, 3), (false, 1)] {
        descriptor.answers_calls = answers_calls;
        let app = vec![App { descriptor: descriptor.clone(), found: found(), operations: None }];
        let candidate = Candidate { app, ..samples::candidate("sqlite", "wal-normal") };
        let study = study_with(&[at(0, Act::Restart(ServiceTarget::App))]);
        let (end, world) = run_job_of(&study, [candidate, here(SOURCE)], None, true, None);
        assert_eq!(recorded(&end).error, None);
        let [restarted] = actions(&end) else { panic!("{:?}", actions(&end)) };
        assert!(restarted.recovery_ns.is_some(), "{restarted:?}");
        assert_eq!(world.started.borrow().join(" "), "serve serve");
        let started = world.heard.borrow().iter().filter(|said| *said == "kurabe").count();
        assert_eq!(started, clients, "with a control client before and one after the restart, or none");
    }
}

#[test]
fn what_the_phase_was_too_short_for_is_said_and_not_done() {
    let (end, world) =
        run_with(&[at(NEVER_NS, Act::Kill(ServiceTarget::Store)), at(NEVER_NS, Act::Call(CallName::Count))], None);
    assert_eq!(recorded(&end).error, None);
    assert_eq!((world.killed.borrow().len(), world.started.borrow().len()), (0, 1));
    for missed in actions(&end) {
        assert_eq!(missed.failed, Some(message!(run_action_too_late).into()));
        assert_eq!((missed.began_ns, missed.recovery_ns), (None, None));
    }
}

#[test]
fn a_job_without_actions_has_no_client_for_calls() {
    let (_, world) = run();
    assert_eq!(world.heard.borrow().iter().filter(|said| *said == "kurabe").count(), 1);
    let (_, world) = run_with(&[at(0, Act::Call(CallName::Size))], None);
    assert_eq!(world.heard.borrow().iter().filter(|said| *said == "kurabe").count(), 2);
}

#[test]
fn what_cannot_be_ended_or_asked_is_unsupported_with_the_reason() {
    let kill = Act::Kill(ServiceTarget::Store);
    assert!(unsupported(here_as(STORE, "memory"), kill).contains("promises nothing"));
    assert!(unsupported(here_as(STORE, SURVIVES), Act::Restart(ServiceTarget::App)).contains("no app before"));
    let inside = || samples::candidate("lmdb", "sync");
    assert!(unsupported(inside(), kill).contains("runs inside its client"));
    assert!(unsupported(inside(), Act::Call(CallName::Size)).contains("runs inside its client"));
    let address = || samples::candidate("redis@redis://127.0.0.1:1", "none");
    assert!(unsupported(address(), kill).contains("at an address"));
}

#[test]
fn every_trouble_at_every_point_of_a_job_whose_store_ends_is_told_of_the_one_whose_fault_it_is() {
    for act in [Act::Kill(ServiceTarget::Store), Act::Restart(ServiceTarget::Store)] {
        let planned = [at(0, act), at(0, Act::Call(CallName::Size))];
        // Between its death and its new start a store that was killed cannot die.
        let planned = if matches!(act, Act::Kill(_)) { &planned[..1] } else { &planned[..] };
        let messages = run_with(planned, None).1.said.get();
        assert!(messages >= 20, "{messages} points");
        for point in 0..messages {
            for trouble in
                [Trouble::ClientDies, Trouble::ServiceDies, Trouble::BothDie, Trouble::Interrupt, Trouble::FolderGone]
            {
                let (end, world) = run_with(planned, Some((trouble, point)));
                let said = world.heard.borrow().get(point as usize).cloned();
                let place = format!("{act}: {trouble:?} at message {point}, {said:?}");
                assert_eq!(world.clients_alive.get(), 0, "{place}: a client is left");
                let lets_go = world.heard.borrow().iter().take(point as usize + 1).filter(|said| *said == "go").count();
                if said.as_deref() == Some("go") && lets_go == 2 {
                    // It is about to be ended anyway: whatever the client says then is told.
                    let is_told = match &end {
                        JobEnd::Done(record) => record.error.is_some(),
                        JobEnd::Interrupted | JobEnd::EnvironmentGone(_) => true,
                        JobEnd::OutOfTime(_) => false,
                    };
                    assert!(is_told, "{place}");
                    continue;
                }
                judge(trouble, &end, &place, said.as_deref() == Some("stop"));
            }
        }
    }
}
