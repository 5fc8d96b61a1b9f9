//! What writes that fail leave behind, and when a worker gives up.

use std::sync::atomic::AtomicBool;

use kurabe_protocol::value::pool_bytes;
use kurabe_protocol::{Action, End, Layout, Operation, Phase, Pool, Schema};

use super::{FAILURES_IN_A_ROW, Worker, sample};
use crate::adapter::{StoreError, WriteOutcome};
use crate::ledger::Ledger;
use crate::phase::PhaseContext;

const ROWS: u32 = 4;

/// Lets `work` be done by the worker of a phase that inserts, with a commit after many; returns the rows that must exist
/// afterwards, and those of unknown fate.
fn rows_after(work: impl FnOnce(&mut Worker<'_>)) -> (u64, u64) {
    let schema = Schema::key_value(10);
    let layout = Layout::new(&schema);
    let pool = Pool::new(&pool_bytes(1, 0.0), &layout).expect("a pool");
    let insert = Phase::new("insert", Action::Insert { first_row: ROWS.into() }, End::Count(10_000));
    let job = sample::job(schema, ROWS, Phase { commit_every: 100, ..insert });
    let ledger = Ledger::new(ROWS, 20_000);
    let abort = AtomicBool::new(false);
    let context = PhaseContext::new(&job, &job.phases[0], &layout, &pool, &ledger, &abort).expect("a context");
    work(&mut Worker::new(&context, 0));
    (context.rows_present(), ledger.unknown())
}

fn full() -> StoreError {
    StoreError::store("no space left")
}

/// So many inserts that the store takes, and that wait for their commit.
fn insert(worker: &mut Worker<'_>, times: u32) {
    for _ in 0..times {
        let op = worker.next_op(&mut [0; 64]);
        worker.settle_write(&op, WriteOutcome::Done);
        worker.count(op.kind, 1, 2, 1);
    }
}

fn fail(worker: &mut Worker<'_>) {
    let op = worker.next_op(&mut [0; 64]);
    worker.fail(op.kind, &full(), 1, 2);
}

#[test]
fn writes_that_wait_for_a_commit_are_of_unknown_fate_where_one_behind_them_fails() {
    let kept = rows_after(|worker| {
        insert(worker, 5);
        worker.acknowledge();
    });
    assert_eq!(kept, (u64::from(ROWS) + 5, 0));
    // What failed may have taken the others along, whatever the commit says that comes after it.
    let doubtful = rows_after(|worker| {
        insert(worker, 5);
        fail(worker);
        insert(worker, 2);
        worker.acknowledge();
    });
    assert_eq!(doubtful, (u64::from(ROWS) + 2, 6));
    let lost = rows_after(|worker| {
        insert(worker, 5);
        worker.fail_commit(Operation::Insert, &full(), 1, 2);
    });
    assert_eq!(lost, (u64::from(ROWS), 6));
}

#[test]
fn only_a_commit_ends_a_row_of_failures() {
    rows_after(|worker| {
        for round in 0..FAILURES_IN_A_ROW {
            assert!(!worker.gave_up(), "after {round} commits that failed");
            insert(worker, 50);
            worker.fail_commit(Operation::Insert, &full(), 1, 2);
        }
        assert!(worker.gave_up(), "every commit failed");
        worker.acknowledge();
        assert!(worker.gave_up(), "the rest is committed after the last operation");
    });
    rows_after(|worker| {
        for _ in 0..2 * FAILURES_IN_A_ROW {
            insert(worker, 50);
            fail(worker);
            worker.acknowledge();
        }
        assert!(!worker.gave_up(), "every commit came to be");
    });
    rows_after(|worker| {
        for _ in 0..2 * FAILURES_IN_A_ROW {
            worker.fail(Operation::Read, &full(), 1, 2);
            worker.count(Operation::Read, 1, 2, 1);
        }
        assert!(!worker.gave_up(), "every other read was answered");
    });
}
