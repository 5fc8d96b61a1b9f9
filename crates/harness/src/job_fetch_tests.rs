//! Jobs whose load fetches its rows from another store.

use super::*;

#[test]
fn a_service_that_rows_are_fetched_from_is_started_first_filled_and_stopped_last() {
    let (end, world) = run_fetching(None, true);
    let record = recorded(&end);
    assert_eq!(record.error, None);
    assert_eq!(
        (world.started.borrow().join(" "), world.stopped.borrow().join(" ")),
        ("mysql redis".into(), "redis mysql".into())
    );
    assert_eq!(record.phases.len(), 3, "filling is no phase of the job");
    assert_eq!(world.clients_alive.get(), 0);
}

#[test]
fn without_the_store_to_fetch_from_no_phase_is_done() {
    let (end, world) = run_fetching(None, false);
    let record = recorded(&end);
    assert_eq!((&record.error, record.phases.len()), (&None, 3));
    for phase in &record.phases {
        let lacks = |why: &str| why == "mysql, to fetch rows from, is not here";
        assert!(
            matches!(&phase.outcome, PhaseOutcome::Unsupported(why) if lacks(&why.to_string())),
            "{:?}",
            phase.outcome
        );
    }
    assert_eq!(world.started.borrow().join(" "), "redis");
}

#[test]
fn the_death_of_either_service_is_told_of_the_right_one() {
    let messages = run_fetching(None, true).1.said.get();
    for at in 0..messages {
        for (trouble, who) in [
            (Trouble::SourceDies, "the service that rows are fetched from died"),
            (Trouble::ServiceDies, "the service died"),
        ] {
            let (end, world) = run_fetching(Some((trouble, at)), true);
            let place = format!("{trouble:?} at message {at}");
            assert_eq!(world.clients_alive.get(), 0, "{place}: a client is left");
            let JobEnd::Done(record) = end else { panic!("{place}: not recorded") };
            let error = record.error.unwrap_or_else(|| panic!("{place}: no error"));
            assert_eq!(error.kind, JobErrorKind::Service, "{place}: {}", error.message);
            assert!(error.message.to_string().starts_with(who), "{place}: {}", error.message);
        }
    }
}
