use std::time::Duration;

use kurabe_protocol::{Job, Phase, Schema};
use proptest::prelude::*;

use super::reply::{Asked, answer, decode};
use super::*;
use crate::adapter::{Answer, Written};

fn job(phases: Vec<Phase>) -> Job {
    let mut job: Job = serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "redis", "store": "redis"}, "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "",
        "limits": {"call_ns": 1, "operation_ns": 1}, "phases": [],
    }))
    .unwrap();
    job.phases = phases;
    job
}

fn inserts() -> Phase {
    Phase { first_row: 100, connections: 4, count: Some(20), ..Phase::new("insert", Operation::Insert) }
}

#[test]
fn the_rows_of_inserts_are_known_where_they_have_a_count() {
    let warm = Phase { warmup: Some(Warmup::Count(5)), ..inserts() };
    let known = KnownRows::of(&job(vec![inserts(), warm, Phase::new("read", Operation::Read)]));
    assert_eq!(known.ranges, [0..10, 100..124, 100..129]);
    assert!(known.is_complete);
}

#[test]
fn inserts_limited_by_time_have_no_known_end() {
    let timed = Phase { count: None, duration_ns: Some(1), ..inserts() };
    assert!(!KnownRows::of(&job(vec![timed])).is_complete);
    let warm = Phase { warmup: Some(Warmup::DurationNs(1)), ..inserts() };
    assert!(!KnownRows::of(&job(vec![warm])).is_complete);
}

#[test]
fn a_name_tells_its_row_and_foreign_names_tell_none() {
    for text_key in [false, true] {
        let names = KeyNames::new("ns", text_key);
        let name = names.of_row(4711);
        assert_eq!(names.row(&name), Some(4711), "{}", String::from_utf8_lossy(&name));
        assert_eq!(names.row(b"ns2:4711"), None);
        assert_eq!(names.row(b"ns:other"), None);
    }
}

#[test]
fn a_bad_address_is_refused_without_its_password() {
    let mut job = job(vec![]);
    job.url = Some("redis://me:secret@host:notaport/0".into());
    let layout = Arc::new(Layout::new(&job.schema));
    let error = Redis::open(&job, &layout).err().expect("refused").to_string();
    assert!(!error.contains("secret") && error.contains("redis://"), "{error}");
    job.url = None;
    assert!(Redis::open(&job, &layout).is_err());
}

#[test]
fn replies_mean_what_was_asked_for() {
    let meaning = |asked, bytes: &'static [u8]| {
        let (frame, len) = decode(bytes).unwrap().expect("a whole reply");
        assert_eq!(len, bytes.len());
        answer(asked, &frame, bytes)
    };
    assert_eq!(meaning(Asked::Read, b"$3\r\na\r\n\r\n"), Answer::Value(Some(b"a\r\n")));
    assert_eq!(meaning(Asked::Read, b"$0\r\n\r\n"), Answer::Value(Some(b"")));
    assert_eq!(meaning(Asked::Read, b"$-1\r\n"), Answer::Value(None));
    assert_eq!(meaning(Asked::Load, b"+OK\r\n"), Answer::Written(Written::Done));
    assert_eq!(meaning(Asked::Insert, b"$-1\r\n"), Answer::Written(Written::Exists));
    assert_eq!(meaning(Asked::Update, b"$-1\r\n"), Answer::Written(Written::Missing));
    assert_eq!(meaning(Asked::Delete, b":0\r\n"), Answer::Written(Written::Missing));
    assert_eq!(meaning(Asked::Delete, b":1\r\n"), Answer::Written(Written::Done));
    assert_eq!(meaning(Asked::Load, b"-OOM no\r\n"), Answer::Failed(StoreError::store("OOM no")));
    assert!(matches!(meaning(Asked::Load, b"$-1\r\n"), Answer::Failed(_)));
    assert!(matches!(meaning(Asked::Read, b":1\r\n"), Answer::Failed(_)));
}

#[test]
fn a_server_that_is_not_there_is_an_error_and_not_a_panic() {
    let address = "unix:///nowhere/kurabe.sock".into_connection_info().unwrap();
    let lanes = RedisLanes::open(&address, Duration::from_secs(1), KeyNames::new("ns", false), 1, 1);
    assert!(matches!(lanes.err(), Some(StoreError::Disconnected(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_bytes_of_a_server_make_the_decoder_panic(bytes in prop::collection::vec(prop_oneof![
        Just(b'$'), Just(b'*'), Just(b'-'), Just(b'+'), Just(b':'), Just(b'\r'), Just(b'\n'), b'0'..=b'9', any::<u8>()
    ], 0..40)) {
        if let Ok(Some((frame, len))) = decode(&bytes) {
            prop_assert!(len <= bytes.len());
            answer(Asked::Read, &frame, &bytes);
        }
    }
}
