use proptest::prelude::*;

use super::*;
use crate::operation::Pattern;

fn number() -> impl Strategy<Value = u32> {
    1u32..=u32::MAX
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        (0u64..1 << 53).prop_map(|first_row| Action::Insert { first_row }),
        Just(Action::Read),
        Just(Action::Update),
        Just(Action::Delete),
        Just(Action::Scan),
        number().prop_map(|rows| Action::Latest { rows }),
        number().prop_map(|rows| Action::MultiRead { rows }),
        Just(Action::Increment),
        ("[a-z]{1,8}", number()).prop_map(|(field, rows)| Action::Search(Search::of_rows(&field, rows))),
        ("[a-z]{1,8}", 0..=crate::MAX_SAFE_INTEGER)
            .prop_map(|(field, least)| Action::Search(Search::at_least(&field, least))),
    ]
}

fn mix() -> impl Strategy<Value = Mix> {
    (prop::collection::vec((action(), number()), 1..12), prop::option::of("[a-z/]{1,12}")).prop_map(
        |(mut parts, kinds_stream)| {
            let mut seen = Vec::new();
            parts.retain(|(action, _)| {
                let new = !seen.contains(&action.operation());
                seen.push(action.operation());
                new
            });
            Mix { kinds_stream, ..Mix::new(parts).expect("each kind is there once") }
        },
    )
}

fn work() -> impl Strategy<Value = Work> {
    prop_oneof![
        (number(), "memory|lines|mysql:innodb").prop_map(|(passes, rows_from)| Loading {
            passes,
            rows_from: rows_from.into(),
            ..Load::Row.into()
        }
        .into()),
        number().prop_map(|rows| Load::Batch { rows }.into()),
        number().prop_map(|rows| Load::Bulk { rows }.into()),
        number().prop_map(|rows| Work::Open { rows }),
        number().prop_map(|rows| Work::Program(Box::new(Phase::new(
            "inner",
            Action::MultiRead { rows },
            End::Count(3)
        )))),
        action().prop_map(Work::One),
        mix().prop_map(Work::Mix),
    ]
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![
        any::<u64>().prop_map(End::Count),
        any::<u64>().prop_map(End::DurationNs),
        any::<(u64, u64)>().prop_map(|(count, duration_ns)| End::First { count, duration_ns }),
    ]
}

fn warmup() -> impl Strategy<Value = Option<Warmup>> {
    prop_oneof![
        Just(None),
        any::<u64>().prop_map(|count| Some(Warmup::Count(count))),
        any::<u64>().prop_map(|ns| Some(Warmup::DurationNs(ns))),
    ]
}

fn phase() -> impl Strategy<Value = Phase> {
    use Distribution::{Hotspot, Latest, One, Sequential, Uniform, Zipfian};
    let distributions = prop::sample::select(vec![Sequential, Uniform, Zipfian, Hotspot, Latest, One]);
    let shape = [number(), number(), number(), number()];
    let scope = prop::sample::select(vec![ReadScope::Each, ReadScope::Snapshot]);
    let stream = prop::option::of("[a-z/]{1,12}");
    (".*", work(), end(), warmup(), shape, distributions, stream, scope).prop_map(
        |(name, work, end, warmup, shape, distribution, rows_stream, read_scope)| {
            let [connections, depth, batch, commit_every] = shape;
            let phase = Phase::new(&name, work, end);
            Phase { warmup, connections, depth, batch, distribution, rows_stream, commit_every, read_scope, ..phase }
        },
    )
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let stream = prop::option::of("[a-z/]{1,12}");
    let patterns = prop::sample::select(vec![Pattern::Poisson, Pattern::Constant]);
    (number(), prop::option::of(number()), patterns, prop::option::of(number()), stream).prop_map(
        |(rate, rate_to, pattern, queue, gaps_stream)| Schedule { rate, rate_to, pattern, queue, gaps_stream },
    )
}

proptest! {
    #[test]
    fn a_phase_is_the_same_after_the_wire(phase in phase()) {
        let text = serde_json::to_string(&phase).expect("a phase is JSON");
        prop_assert_eq!(serde_json::from_str::<Phase>(&text).expect("and JSON is the phase"), phase);
    }
}

proptest! {
    #[test]
    fn a_schedule_is_the_same_after_the_wire(schedule in schedule(), duration_ns: u64, action in action()) {
        let phase = Phase { schedule: Some(schedule), ..Phase::new("read", action, End::DurationNs(duration_ns)) };
        let text = serde_json::to_string(&phase).expect("a phase is JSON");
        prop_assert_eq!(serde_json::from_str::<Phase>(&text).expect("and JSON is the phase"), phase);
    }
}

#[test]
fn a_schedule_needs_work_that_can_wait_and_a_time() {
    let refused = |rest: &str| refusal(&format!(r#"{{"name":"p",{rest},"rate":5}}"#));
    let timed = refused(r#""operation":"read","count":1"#);
    assert!(timed.contains("no 'duration_ns'"), "{timed}");
    let load = refused(r#""operation":"load","duration_ns":1"#);
    assert!(load.contains("'load' has no planned starts"), "{load}");
    let zero = refusal(r#"{"name":"p","operation":"read","duration_ns":1,"rate":0}"#);
    assert!(zero.contains("'rate' is 0"), "{zero}");
    let to_zero = refused(r#""operation":"read","duration_ns":1,"rate_to":0"#);
    assert!(to_zero.contains("'rate_to' is 0"), "{to_zero}");
}

#[test]
fn a_connection_thinks_where_it_has_one_answer_at_a_time() {
    let thinks = |rest: &str| format!(r#"{{"name":"p",{rest},"duration_ns":1,"think_ns":7}}"#);
    let read: Phase = serde_json::from_str(&thinks(r#""operation":"read""#)).expect("a phase");
    assert_eq!(read.think_ns, Some(7));
    assert!(serde_json::to_string(&read).expect("JSON").contains(r#""think_ns":7"#));
    for (rest, what) in [
        (r#""operation":"load""#, "load"),
        (r#""operation":"read","rate":5"#, "rate"),
        (r#""operation":"read","depth":2"#, "depth"),
        (r#""operation":"read","batch":2"#, "batch"),
    ] {
        let refused = refusal(&thinks(rest));
        assert!(refused.contains(&format!("with '{what}' a connection does not wait")), "{refused}");
    }
}

#[test]
fn inserts_at_a_rate_need_numbers_for_what_is_planned_and_not_for_all_that_a_time_could_hold() {
    let schedule = Schedule { rate: 100, rate_to: None, pattern: Pattern::Poisson, queue: None, gaps_stream: None };
    let insert = Phase::new("insert", Action::Insert { first_row: 0 }, End::DurationNs(30_000_000_000));
    let phase = Phase { connections: 100, schedule: Some(schedule), ..insert.clone() };
    // 3,000 and ten standard deviations of 54, and as many more as each of a hundred connections may do.
    assert_eq!(phase.inserts_at_most(), (3_000 + 540 + 100 + 100 + 2) * 100);
    assert_eq!(insert.inserts_at_most(), MOST_TIMED_INSERTS + 2);
}

/// Phases as they stood on the wire and in records before their parts had types of their own, byte by byte.
const FLAT: [&str; 6] = [
    r#"{"name":"load","operation":"load","count":100,"connections":4,"depth":1,"batch":1,"distribution":"sequential","commit_every":1000,"load_path":"batch","batch_rows":70,"read_scope":"each","first_row":0}"#,
    r#"{"name":"mix","operation":"mix","duration_ns":5,"warmup":{"duration-ns":7},"connections":1,"depth":16,"batch":1,"distribution":"zipfian","rows_stream":"/r","kinds_stream":"/k","mix":[{"operation":"read","share":95},{"operation":"latest","share":3},{"operation":"insert","share":2}],"commit_every":1,"load_path":"row","batch_rows":1,"read_scope":"each","latest_rows":100,"first_row":400}"#,
    r#"{"name":"many","operation":"multi-read","count":9,"duration_ns":8,"connections":1,"depth":1,"batch":1,"distribution":"latest","commit_every":1,"load_path":"row","batch_rows":1,"read_scope":"snapshot","multi_read_rows":10,"first_row":0}"#,
    r#"{"name":"search","operation":"search","count":9,"warmup":{"count":3},"connections":1,"depth":1,"batch":8,"distribution":"hotspot","commit_every":1,"load_path":"row","batch_rows":1,"read_scope":"each","search":{"field":"price","rows":30},"first_row":0}"#,
    r#"{"name":"insert","operation":"insert","count":9,"connections":1,"depth":1,"batch":1,"distribution":"uniform","commit_every":10,"load_path":"row","batch_rows":1,"read_scope":"each","first_row":100}"#,
    r#"{"name":"open","operation":"open","count":9,"connections":1,"depth":1,"batch":1,"distribution":"uniform","commit_every":1,"load_path":"row","batch_rows":1,"read_scope":"each","first_row":0}"#,
];

#[test]
fn json_is_flat_byte_by_byte() {
    for flat in FLAT {
        let phase: Phase = serde_json::from_str(flat).expect("a phase");
        assert_eq!(serde_json::to_string(&phase).expect("JSON"), flat);
    }
}

fn refusal(text: &str) -> String {
    serde_json::from_str::<Phase>(text).expect_err("no such phase").to_string()
}

#[test]
fn what_an_operation_needs_must_be_there() {
    let lacks = |rest: &str| refusal(&format!(r#"{{"name":"p","count":1,{rest}}}"#));
    for (rest, problem) in [
        (r#""operation":"search""#, "phase 'p': it has the operation 'search', but no 'search'; give it"),
        (r#""operation":"latest""#, "phase 'p': it has the operation 'latest', but no 'latest_rows'; give it"),
        (r#""operation":"multi-read""#, "but no 'multi_read_rows'"),
        (r#""operation":"mix""#, "a mix without parts"),
        (r#""operation":"mix","mix":[{"operation":"read","share":0}]"#, "a mix without parts"),
        (r#""operation":"mix","mix":[{"operation":"search","share":1}]"#, "but no 'search'"),
        (r#""operation":"mix","mix":[{"operation":"load","share":1}]"#, "'load' has no place in a mix"),
        (r#""operation":"mix","mix":[{"operation":"read","share":1},{"operation":"read","share":2}]"#, "'read' twice"),
        (r#""operation":"latest","latest_rows":0"#, "'latest_rows' is 0"),
        (r#""operation":"load","load_path":"batch","batch_rows":0"#, "'batch_rows' is 0"),
        (r#""operation":"read","connections":0"#, "'connections' is 0"),
    ] {
        let said = lacks(rest);
        assert!(said.contains(problem), "{rest}: {said}");
    }
    assert!(refusal(r#"{"name":"p","operation":"read"}"#).contains("it has no end"));
}

#[test]
fn what_belongs_to_another_operation_is_left_aside() {
    let text = r#"{"name":"p","operation":"read","count":1,"latest_rows":7,"load_path":"bulk","batch_rows":9,"first_row":3,
        "mix":[{"operation":"update","share":1}],"search":{"field":"x","rows":1},"kinds_stream":"/k"}"#;
    let phase: Phase = serde_json::from_str(text).expect("a read");
    assert_eq!(phase, Phase::new("p", Action::Read, End::Count(1)));
}
