//! A result that can be true, and one for each way in which it cannot.

use super::*;
use crate::histogram::Histogram;
use crate::message::{Checks, Failed, Series};
use crate::operation::Pattern;
use crate::phase::{Action, End, Load};
use crate::schedule::Schedule;

const GO_NS: u64 = 5_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;
const READS: u64 = 1000;

/// Of a phase of two seconds, of which two workers worked the second one.
fn window() -> Window {
    Window {
        go_ns: GO_NS,
        came_ns: GO_NS + 2 * SECOND_NS,
        processes: 1,
        processors: 2,
        at_once: true,
        fills_time: true,
        times_each: true,
    }
}

fn phase() -> Phase {
    Phase { connections: 2, ..Phase::new("read", Action::Read, End::Count(READS)) }
}

fn latency(operation: Operation, count: u64, each_ns: u64) -> KindLatency {
    let mut histogram = Histogram::default();
    histogram.record_times(each_ns, count);
    KindLatency {
        operation,
        buckets: histogram.buckets(),
        count,
        sum_ns: histogram.sum_ns(),
        min_ns: histogram.min_ns(),
        max_ns: histogram.max_ns(),
    }
}

fn result() -> PhaseResult {
    let worker = |worker| WorkerResult {
        worker,
        operations: READS / 2,
        failed: 0,
        first_start_ns: GO_NS + SECOND_NS,
        last_end_ns: GO_NS + 2 * SECOND_NS - 1000,
    };
    PhaseResult {
        connects: None,
        open_loop: None,
        phase: "read".into(),
        workers: vec![worker(0), worker(1)],
        latency: vec![latency(Operation::Read, READS, 1_500_000)],
        failures: Vec::new(),
        checks: Checks { checked: READS, ..Checks::default() },
        retries: 0,
        rows_read: 0,
        series: Series::default(),
        cpu_user_ns: Some(SECOND_NS),
        cpu_system_ns: Some(SECOND_NS / 2),
        threads: 2,
        rows_present: 10,
        rows_unknown: 0,
        increments: None,
        runtime: None,
        encoding_ns: None,
        stopped_by: StoppedBy::Count,
        message: None,
    }
}

/// What is found where the result is changed.
fn found(change: impl FnOnce(&mut PhaseResult)) -> String {
    let mut result = result();
    change(&mut result);
    audit(&[result], &phase(), &window()).expect_err("it cannot be true").to_string()
}

#[test]
fn what_can_be_true_is_taken() {
    assert_eq!(audit(&[result()], &phase(), &window()), Ok(()));
    let idle = |mut result: PhaseResult| {
        for worker in &mut result.workers {
            *worker = WorkerResult { operations: 0, first_start_ns: 0, last_end_ns: 0, ..*worker };
        }
        PhaseResult { latency: Vec::new(), stopped_by: StoppedBy::Failures, ..result }
    };
    assert_eq!(audit(&[idle(result())], &phase(), &window()), Ok(()), "nobody did anything");
    // A store that is gone: what failed has no latency, and is not checked.
    let mut failing = result();
    failing.workers[0] = WorkerResult { operations: 0, failed: 100, ..failing.workers[0] };
    failing.latency = vec![latency(Operation::Read, READS / 2, 1_500_000)];
    failing.checks.checked = READS / 2;
    failing.failures = vec![Failed { operation: Operation::Read, message: "gone".into(), count: 100 }];
    failing.stopped_by = StoppedBy::Failures;
    assert_eq!(audit(&[failing], &phase(), &window()), Ok(()));
}

#[test]
fn requests_of_many_operations_have_the_latency_of_the_whole_each() {
    let load = Phase::new("load", Load::Batch { rows: 100 }, End::Count(READS));
    let mut batches = result();
    batches.workers.truncate(1);
    batches.workers[0].operations = READS;
    batches.latency = vec![latency(Operation::Load, READS, 90_000_000)];
    batches.checks.checked = 0;
    assert_eq!(audit(&[batches.clone()], &load, &window()), Ok(()));
    let single = Phase::new("load", Load::Row, End::Count(READS));
    assert!(audit(&[batches], &single, &window()).is_err());
}

#[test]
fn stamps_of_another_clock_are_found() {
    let began = found(|result| result.workers[1].first_start_ns = GO_NS - SECOND_NS);
    assert_eq!(
        began,
        "the client's clock is not that of this machine: worker 1 began 1000000000 ns before it was let go"
    );
    let ended = found(|result| result.workers[0].last_end_ns = GO_NS + 4 * SECOND_NS);
    assert!(ended.ends_with("worker 0 ended 2000000000 ns after its result had come"), "{ended}");
    let endless = found(|result| result.workers[0].last_end_ns = u64::MAX);
    assert!(endless.contains("after its result had come"), "{endless}");
    let turned = found(|result| result.workers[0].last_end_ns = result.workers[0].first_start_ns - 7);
    assert!(turned.ends_with("worker 0 ended 7 ns before it began"), "{turned}");
    let never = found(|result| (result.workers[0].first_start_ns, result.workers[0].last_end_ns) = (0, 0));
    assert!(never.contains("before it was let go"), "{never}");
}

#[test]
fn a_time_that_is_no_part_of_the_phase_is_found() {
    // A clock that counts microseconds, beside latencies of one that does not.
    let short = |result: &mut PhaseResult| {
        result.workers.iter_mut().for_each(|worker| worker.last_end_ns = worker.first_start_ns + SECOND_NS / 1000);
    };
    let together = found(short);
    assert!(together.contains("1500000000 ns together"), "{together}");
    // All of it by that clock.
    let mut micro = result();
    short(&mut micro);
    micro.latency = vec![latency(Operation::Read, READS, 1500)];
    let long = Window { came_ns: GO_NS + 20 * SECOND_NS, ..window() };
    let told = |result: &PhaseResult, phase: &Phase, window: Window| {
        audit(std::slice::from_ref(result), phase, &window).map_err(|untrue| untrue.to_string())
    };
    let found_micro = told(&micro, &phase(), long).expect_err("its clock is slow");
    assert!(found_micro.ends_with("took 1000000 ns of a phase that took 20000000000 ns"), "{found_micro}");
    let later = Window { at_once: false, ..long };
    assert_eq!(told(&micro, &phase(), later), Ok(()), "its answers were judged for the rest of the time");
    micro.stopped_by = StoppedBy::Duration;
    let timed = Phase { end: End::DurationNs(SECOND_NS), ..phase() };
    let timed = told(&micro, &timed, later).expect_err("its clock is slow");
    assert!(timed.ends_with("of a phase that ends after 1000000000 ns"), "{timed}");
    let nothing = found(|result| result.latency = vec![latency(Operation::Read, READS, 1)]);
    assert!(nothing.ends_with("1000 operations 'read' took 1000 ns, less than reading a clock takes"), "{nothing}");
    let long = found(|result| {
        result.latency = vec![latency(Operation::Read, READS - 1, 1000), latency(Operation::Read, 1, 3 * SECOND_NS)];
    });
    assert!(long.contains("one 'read' took 3000000000 ns"), "{long}");
    let busy = found(|result| result.cpu_user_ns = Some(9 * SECOND_NS));
    assert!(busy.contains("processor time"), "{busy}");
}

#[test]
fn figures_that_contradict_each_other_are_found() {
    let contradiction = |change: fn(&mut PhaseResult), word: &str| {
        let words = found(change);
        assert!(words.starts_with("the client's figures contradict each other: ") && words.contains(word), "{words}");
    };
    contradiction(|result| result.latency.clear(), "1000 operations are told, and the latencies of 0");
    contradiction(|result| result.workers[0].operations = 1, "worker 0 did 1 of 500 operations");
    contradiction(|result| result.workers[0].operations = u64::MAX, "of 500 operations");
    contradiction(|result| result.workers.clear(), "0 workers are told where 2 work");
    contradiction(|result| result.workers[1].worker = 0, "or others than these");
    contradiction(|result| result.checks.checked = READS - 1, "1000 operations were answered, and 999 answers checked");
    contradiction(|result| result.latency[0].count += 1, "the latencies of 1001");
    contradiction(|result| result.latency[0].buckets[0].1 -= 1, "do not fit its histogram");
    contradiction(|result| result.latency[0].sum_ns /= 2, "do not fit its histogram");
    contradiction(|result| result.latency[0].min_ns = 0, "do not fit its histogram");
    contradiction(|result| result.latency[0].max_ns *= 2, "do not fit its histogram");
    contradiction(|result| result.latency[0].buckets.clear(), "do not fit its histogram");
    contradiction(|result| result.latency[0].operation = Operation::Scan, "which the phase does not do");
    let failure = |result: &mut PhaseResult| {
        result.failures = vec![Failed { operation: Operation::Read, message: "no".into(), count: 1 }];
    };
    contradiction(failure, "1 failures are told, and 0 operations failed");
}

/// A phase with planned starts, and a result of it: of 1,010 operations 4 were dropped, and 6 left open.
fn planned() -> (Phase, PhaseResult) {
    let schedule = Schedule { rate: 505, rate_to: None, pattern: Pattern::Poisson, queue: Some(9), gaps_stream: None };
    let end = End::DurationNs(2 * SECOND_NS);
    let phase = Phase { connections: 2, schedule: Some(schedule), ..Phase::new("read", Action::Read, end) };
    let open_loop = OpenLoop {
        planned: READS + 10,
        dropped: 4,
        open: 6,
        open_waited: vec![Bucket(100, 2), Bucket(200, 4)],
        service: vec![latency(Operation::Read, READS, 1_500_000)],
        lag: vec![Bucket(50, READS)],
        lag_max_ns: 50,
    };
    // Response times of all that waited add up to more than the time in which anybody worked.
    let response = vec![latency(Operation::Read, READS, 900_000_000)];
    let ended = PhaseResult { stopped_by: StoppedBy::Duration, latency: response, ..result() };
    (phase, PhaseResult { open_loop: Some(open_loop), ..ended })
}

#[test]
fn every_planned_operation_must_have_come_to_something() {
    let (timed, result) = planned();
    assert_eq!(audit(&[result], &timed, &window()), Ok(()));
    let contradiction = |change: fn(&mut PhaseResult, &mut OpenLoop), words: &str| {
        let (timed, mut result) = planned();
        let mut open_loop = result.open_loop.take().expect("an open loop");
        change(&mut result, &mut open_loop);
        let found = audit(&[PhaseResult { open_loop: Some(open_loop), ..result }], &timed, &window());
        let found = found.expect_err(words).to_string();
        assert!(found.contains(words), "{found}");
    };
    contradiction(
        |_, open| open.planned += 1,
        "1011 operations were planned, and 1000 done, 0 failed, 4 dropped and 6",
    );
    contradiction(|_, open| open.planned -= 1, "1009 operations were planned");
    contradiction(|_, open| open.dropped = 3, "3 dropped");
    contradiction(|_, open| open.open_waited.clear(), "6 operations were left open, and the waits of other");
    contradiction(|_, open| open.service.clear(), "the latencies of 0");
    contradiction(|_, open| open.service[0].count += 1, "the latencies of 1001");
    contradiction(|result, _| result.latency.clear(), "the latencies of 0");
    let (timed, result) = planned();
    let closed = audit(std::slice::from_ref(&result), &Phase { schedule: None, ..timed.clone() }, &window());
    assert!(closed.expect_err("a closed loop").to_string().contains("the phase has no rate"));
    let untold =
        audit(&[PhaseResult { open_loop: None, latency: result.service().to_vec(), ..result }], &timed, &window());
    assert!(untold.expect_err("an open loop").to_string().contains("the phase has a rate"));
}

#[test]
fn an_answer_that_was_found_wrong_counts_as_checked() {
    let mut result = result();
    result.checks = Checks { checked: READS - 1, miscounted: 1, ..Checks::default() };
    assert_eq!(audit(&[result], &phase(), &window()), Ok(()));
}

#[test]
fn a_commit_of_what_is_left_that_fails_is_no_operation_too_many() {
    let failed = |count: u64| {
        let mut result = result();
        result.workers[1].failed = count;
        result.failures = vec![Failed { operation: Operation::Read, message: "cannot sync".into(), count }];
        audit(&[result], &phase(), &window()).map_err(|untrue| untrue.to_string())
    };
    assert_eq!(failed(1), Ok(()));
    assert!(failed(2).unwrap_err().contains("worker 1 did 502 of 500 operations"));
}
