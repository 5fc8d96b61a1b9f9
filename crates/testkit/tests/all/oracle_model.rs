//! The oracle against a model: workers with interleaved reads and writes on a few rows.
//!
//! The model keeps the history of every row as a list of states and knows, for each read, which of
//! them lie between the last acknowledged before its start and the last started before its end. It
//! is written without a look at the ledger's arithmetic. The oracle must find exactly the answers
//! outside.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use kurabe_client::WriteOutcome;
use kurabe_client::ledger::Ledger;
use kurabe_client::phase::PhaseContext;
use kurabe_client::worker::{Op, Worker};
use kurabe_protocol::value::pool_bytes;
use kurabe_protocol::{Action, End, Layout, Mix, Operation, Phase, Pool, Schema, StoppedBy};
use kurabe_testkit::Workbench;
use proptest::prelude::*;

const WORKERS: usize = 3;
const ROWS: u32 = 6;
const CHOICES: usize = 600;

/// The version of the value that a row holds, or none.
type State = Option<u32>;

/// All states that a row went through, and how far its writes have got.
struct History {
    states: Vec<State>,
    versions_used: u32,
    acknowledged: usize,
}

/// An operation of a worker that was started.
struct UnderWay {
    op: Op,
    acknowledged_at_start: usize,
    expected: WriteOutcome,
}

/// What is done next: by whom, and how a read is answered where one ends.
#[derive(Clone, Debug)]
struct Step {
    worker: usize,
    answer: Answer,
}

#[derive(Clone, Debug)]
enum Answer {
    /// A state that was current at some time during the read; the number chooses among them.
    Linearizable(usize),
    /// Any state of the past, or a version that was never written.
    Any(u32),
    /// None, whatever the row holds.
    Absent,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let answer = prop_oneof![
        3 => (0usize..8).prop_map(Answer::Linearizable),
        2 => (0u32..8).prop_map(Answer::Any),
        1 => Just(Answer::Absent),
    ];
    prop::collection::vec((0..WORKERS, answer).prop_map(|(worker, answer)| Step { worker, answer }), 1..CHOICES)
}

struct Model {
    rows: Vec<History>,
    under_way: Vec<Option<UnderWay>>,
    inadmissible: u64,
    /// Whether any operation of the schedule deletes.
    deletes: bool,
}

impl Model {
    fn new(deletes: bool) -> Model {
        let history = || History { states: vec![Some(0)], versions_used: 1, acknowledged: 0 };
        Model {
            rows: (0..ROWS).map(|_| history()).collect(),
            under_way: (0..WORKERS).map(|_| None).collect(),
            inadmissible: 0,
            deletes,
        }
    }

    fn start(&mut self, worker: usize, op: Op) {
        let row = &mut self.rows[op.key.row as usize];
        let present = row.states.last().is_some_and(|state| state.is_some());
        let acknowledged_at_start = row.acknowledged;
        let mut expected = WriteOutcome::Done;
        if op.kind != Operation::Read {
            if present {
                let version = row.versions_used;
                row.versions_used += 1;
                row.states.push((op.kind == Operation::Update).then_some(version));
            } else {
                expected = WriteOutcome::Missing;
            }
        }
        self.under_way[worker] = Some(UnderWay { op, acknowledged_at_start, expected });
    }

    /// What the step answers, and whether that is admissible.
    fn answer(&self, read: &UnderWay, answer: &Answer) -> (State, bool) {
        let row = &self.rows[read.op.key.row as usize];
        let window = &row.states[read.acknowledged_at_start..];
        let state = match answer {
            Answer::Linearizable(choice) => window[choice % window.len()],
            Answer::Any(version) => Some(version % (row.versions_used + 2)),
            Answer::Absent => None,
        };
        // The one thing that the oracle does not tell apart: two updates, and a delete and an insert.
        let tolerated = self.deletes && state.is_none() && window.len() > 2;
        (state, window.contains(&state) || tolerated)
    }
}

/// Runs a schedule; returns what the oracle found and what the model says.
fn run(context: &PhaseContext<'_>, steps: &[Step]) -> (u64, u64) {
    let (layout, pool) = (context.layout, context.pool);
    let mut workers: Vec<Worker<'_>> = context.workers().map(|index| Worker::new(context, index)).collect();
    let mut model = Model::new(context.job_deletes);
    let mut raw = vec![0; layout.len_bytes()];
    for step in steps {
        let worker = &mut workers[step.worker];
        let Some(ended) = model.under_way[step.worker].take() else {
            model.start(step.worker, worker.next_op(&mut raw));
            continue;
        };
        if ended.op.kind == Operation::Read {
            let (state, admissible) = model.answer(&ended, &step.answer);
            model.inadmissible += u64::from(!admissible);
            if let Some(version) = state {
                layout.write(pool, ended.op.key.row, version, &mut raw);
            }
            worker.settle_read(&ended.op, state.map(|_| raw.as_slice()));
        } else {
            worker.settle_write(&ended.op, ended.expected);
            worker.acknowledge();
            let row = &mut model.rows[ended.op.key.row as usize];
            row.acknowledged = row.states.len() - 1;
        }
    }
    let outcomes = workers.into_iter().map(|worker| worker.finish(StoppedBy::Count, 0));
    (outcomes.map(|outcome| outcome.checks.failed()).sum(), model.inadmissible)
}

fn with_context<T>(kinds: &[Operation], rows: &[u32], schema: &Schema, work: impl FnOnce(&PhaseContext<'_>) -> T) -> T {
    let folder = tempfile::tempdir().expect("a folder");
    let (kinds_path, rows_path) = (folder.path().join("kinds"), folder.path().join("rows"));
    std::fs::write(&kinds_path, kinds.iter().map(|kind| kind.code()).collect::<Vec<u8>>()).expect("kinds");
    std::fs::write(&rows_path, rows.iter().flat_map(|row| row.to_le_bytes()).collect::<Vec<u8>>()).expect("rows");
    let text = |path: &std::path::Path| path.to_str().map(str::to_string);
    let mix = Mix::new([Action::Read, Action::Update, Action::Delete].map(|action| (action, 1))).expect("a mix");
    let phase = Phase {
        rows_stream: text(&rows_path),
        connections: WORKERS as u32,
        ..Phase::new("mix", mix.with_kinds_stream(text(&kinds_path).expect("a path")), End::Count(CHOICES as u64))
    };
    static BENCH: OnceLock<Workbench> = OnceLock::new();
    let bench = BENCH.get_or_init(|| Workbench::new(ROWS, 1).expect("a workbench"));
    let job = bench.job("model", schema, vec![phase]);
    let layout = Layout::new(schema);
    let pool = Pool::new(&pool_bytes(1, 0.0), &layout).expect("a pool");
    let ledger = Ledger::new(ROWS, ROWS as usize);
    let abort = AtomicBool::new(false);
    let context = PhaseContext::new(&job, &job.phases[0], &layout, &pool, &ledger, &abort).expect("a context");
    work(&context)
}

fn kinds() -> impl Strategy<Value = Vec<Operation>> {
    let kind = prop_oneof![
        6 => Just(Operation::Read),
        3 => Just(Operation::Update),
        1 => Just(Operation::Delete),
    ];
    prop::collection::vec(kind, 30..60)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]
    #[test]
    fn the_oracle_finds_exactly_the_answers_outside_of_their_window(
        kinds in kinds(),
        rows in prop::collection::vec(0..ROWS, 30..60),
        steps in steps(),
        long in any::<bool>(),
    ) {
        let schema = if long { Schema::key_value(100) } else { kurabe_testkit::workbench::seven_columns() };
        let (found, inadmissible) = with_context(&kinds, &rows, &schema, |context| run(context, &steps));
        prop_assert_eq!(found, inadmissible);
    }

    #[test]
    fn no_linearizable_answer_is_ever_accused(
        kinds in kinds(),
        rows in prop::collection::vec(0..ROWS, 30..60),
        steps in prop::collection::vec((0..WORKERS, 0usize..8), 1..CHOICES),
    ) {
        let steps: Vec<Step> = steps
            .into_iter()
            .map(|(worker, choice)| Step { worker, answer: Answer::Linearizable(choice) })
            .collect();
        // 30 bytes: hardly more than a head.
        let (found, _) = with_context(&kinds, &rows, &Schema::key_value(30), |context| run(context, &steps));
        prop_assert_eq!(found, 0);
    }
}
