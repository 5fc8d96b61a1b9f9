//! `vectors/oracle.json`: a history, an answer, a verdict.

use std::sync::atomic::AtomicBool;

use kurabe_protocol::value::pool_bytes;
use kurabe_protocol::{Action, End, Layout, Mix, Operation, Phase, Pool, Schema};
use serde::Deserialize;

use super::{Op, Worker, sample};
use crate::adapter::{StoreError, WriteOutcome};
use crate::ledger::{Ledger, State};
use crate::phase::PhaseContext;

#[derive(Deserialize)]
struct Vectors {
    loaded_rows: u32,
    len_bytes: u32,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    row: u32,
    history: Vec<Step>,
    #[serde(default)]
    during: Vec<Step>,
    operation: Operation,
    answer: Answer,
    verdict: String,
}

#[derive(Deserialize)]
struct Step {
    write: Operation,
    fate: Fate,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Fate {
    Acknowledged,
    Unknown,
}

#[derive(Deserialize)]
struct Answer {
    version: Option<u32>,
    of_row: Option<u32>,
    #[serde(default)]
    altered: bool,
    #[serde(default)]
    short: bool,
    written: Option<String>,
}

fn write_op(worker: &mut Worker<'_>, kind: Operation, row: u32) -> Op {
    worker.write_op(kind, |_| row, if kind == Operation::Delete { State::deleted } else { State::written })
}

fn write(worker: &mut Worker<'_>, step: &Step, row: u32) {
    let op = write_op(worker, step.write, row);
    if step.fate == Fate::Acknowledged {
        worker.settle_write(&op, WriteOutcome::Done);
        worker.acknowledge();
    } else {
        worker.fail(step.write, &StoreError::store("of unknown fate"), 1, 2);
    }
}

/// What a read gave, nothing where the row was not found.
fn value(answer: &Answer, row: u32, layout: &Layout, pool: &Pool) -> Option<Vec<u8>> {
    let mut raw = vec![0; layout.len_bytes()];
    layout.write(pool, answer.of_row.unwrap_or(row), answer.version?, &mut raw);
    if answer.altered {
        *raw.last_mut()? ^= 1;
    }
    raw.truncate(raw.len() - usize::from(answer.short));
    Some(raw)
}

fn judge(worker: &mut Worker<'_>, case: &Case, layout: &Layout, pool: &Pool) {
    if case.operation == Operation::Read {
        let op =
            worker.op(case.operation, |worker| (case.row, worker.context.ledger.acknowledged(case.row), State::NEVER));
        case.during.iter().for_each(|step| write(worker, step, case.row));
        return worker.settle_read(&op, value(&case.answer, case.row, layout, pool).as_deref());
    }
    let op = write_op(worker, case.operation, case.row);
    let written = match case.answer.written.as_deref() {
        Some("done") => WriteOutcome::Done,
        Some("exists") => WriteOutcome::Exists,
        Some("missing") => WriteOutcome::Missing,
        other => panic!("{}: no answer to a write: {other:?}", case.name),
    };
    worker.settle_write(&op, written);
}

#[test]
fn every_verdict_is_that_of_the_vectors() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/oracle.json");
    let vectors: Vectors = serde_json::from_str(&std::fs::read_to_string(path).expect("vectors")).expect("vectors");
    let schema = Schema::key_value(vectors.len_bytes);
    let layout = Layout::new(&schema);
    let pool = Pool::new(&pool_bytes(1, 0.0), &layout).expect("a pool");
    let folder = tempfile::tempdir().expect("a folder");
    let kinds = folder.path().join("kinds");
    std::fs::write(&kinds, [Operation::Read.code()]).expect("kinds");
    let actions =
        [Action::Read, Action::Insert { first_row: vectors.loaded_rows.into() }, Action::Update, Action::Delete];
    let mix = Mix::new(actions.map(|action| (action, 1))).expect("a mix");
    let mix = mix.with_kinds_stream(kinds.display().to_string());
    let job = sample::job(schema, vectors.loaded_rows, Phase::new("one", mix, End::Count(1)));
    assert!(vectors.cases.len() > 60);
    for case in &vectors.cases {
        let ledger = Ledger::new(vectors.loaded_rows, 16);
        let abort = AtomicBool::new(false);
        let context = PhaseContext::new(&job, &job.phases[0], &layout, &pool, &ledger, &abort).expect("a context");
        let mut worker = Worker::new(&context, 0);
        case.history.iter().for_each(|step| write(&mut worker, step, case.row));
        assert_eq!(worker.checks.failed(), 0, "{}: its history is no fault", case.name);
        judge(&mut worker, case, &layout, &pool);
        let checks = &worker.checks;
        let found = [
            ("wrong", checks.wrong),
            ("stale", checks.stale),
            ("lost", checks.lost),
            ("phantom", checks.phantom),
            ("miscounted", checks.miscounted),
        ];
        let found: Vec<(&str, u64)> = found.into_iter().filter(|(_, count)| *count > 0).collect();
        let expected: Vec<(&str, u64)> =
            if case.verdict == "right" { Vec::new() } else { vec![(case.verdict.as_str(), 1)] };
        assert_eq!(found, expected, "{}: {:?}", case.name, checks.examples);
    }
}
