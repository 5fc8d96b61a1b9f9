use kurabe_protocol::{Action, End, FieldType, Job, Phase, Schema, Warmup};
use proptest::prelude::*;

use super::reply::Pending;
use super::*;
use crate::common::lanes::Dialect;
use kurabe_client::adapter::{Answer, WriteOutcome};

fn job(phases: Vec<Phase>) -> Job {
    let mut job: Job = serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "redis", "store": "redis", "wire": "redis"},
        "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "",
        "limits": {"call_ns": 1, "operation_ns": 1}, "phases": [],
    }))
    .unwrap();
    job.phases = phases;
    job
}

fn inserts() -> Phase {
    Phase { connections: 4, ..Phase::new("insert", Action::Insert { first_row: 100 }, End::Count(20)) }
}

#[test]
fn the_rows_of_inserts_are_known_where_they_have_a_count() {
    let warm = Phase { warmup: Some(Warmup::Count(5)), ..inserts() };
    let known = KnownRows::of(&job(vec![inserts(), warm, Phase::new("read", Action::Read, End::Count(1))]));
    assert_eq!(known.ranges, [0..10, 100..128, 128..133], "the same rows once");
    assert!(known.is_complete);
}

#[test]
fn inserts_limited_by_time_have_no_known_end() {
    let timed = Phase { end: End::DurationNs(1), ..inserts() };
    assert!(!KnownRows::of(&job(vec![timed])).is_complete);
    let warm = Phase { warmup: Some(Warmup::DurationNs(1)), ..inserts() };
    assert!(!KnownRows::of(&job(vec![warm])).is_complete);
}

#[test]
fn a_name_tells_its_row_and_foreign_names_tell_none() {
    for key_type in [FieldType::Int64, FieldType::Text] {
        let mut schema = Schema::key_value(30);
        schema.fields[0].field_type = key_type;
        let names = KeyNames::new("ns", *Layout::new(&schema).keys(), Spelling::Plain);
        let name = names.row_name(4711);
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
    fn check(asked: Pending, bytes: &[u8], expected: impl Fn(&Answer<'_>) -> bool) {
        let mut given = false;
        let taken = Resp::take(Some(&asked), bytes, |answer| {
            given = true;
            assert!(expected(&answer), "{asked:?} gave {answer:?}");
        });
        assert_eq!(taken.map(|taken| taken.map(|taken| taken.len)), Ok(Some(bytes.len())));
        assert!(given);
    }
    let decode_reply = |asked, bytes: &[u8], expected: Answer<'_>| check(asked, bytes, |answer| *answer == expected);
    decode_reply(Pending::Read, b"$3\r\na\r\n\r\n", Answer::Value(Some(b"a\r\n")));
    decode_reply(Pending::Read, b"$0\r\n\r\n", Answer::Value(Some(b"")));
    decode_reply(Pending::Read, b"$-1\r\n", Answer::Value(None));
    decode_reply(Pending::Load, b"+OK\r\n", Answer::Written(WriteOutcome::Done));
    decode_reply(Pending::Insert, b"$-1\r\n", Answer::Written(WriteOutcome::Exists));
    decode_reply(Pending::Update, b"$-1\r\n", Answer::Written(WriteOutcome::Missing));
    decode_reply(Pending::Delete, b":0\r\n", Answer::Written(WriteOutcome::Missing));
    decode_reply(Pending::Delete, b":1\r\n", Answer::Written(WriteOutcome::Done));
    decode_reply(Pending::Increment, b":7\r\n", Answer::Incremented);
    decode_reply(
        Pending::MultiRead(3),
        b"*3\r\n$1\r\na\r\n$-1\r\n$2\r\nbc\r\n",
        Answer::Values(&[Some(b"a"), None, Some(b"bc")]),
    );
    check(Pending::MultiRead(2), b"*1\r\n$1\r\na\r\n", |answer| matches!(answer, Answer::Failed(_)));
    check(Pending::MultiRead(1), b"-ERR no\r\n", |answer| matches!(answer, Answer::Failed(_)));
    decode_reply(Pending::Load, b"-OOM no\r\n", Answer::Failed(StoreError::store("OOM no")));
    check(Pending::Load, b"$-1\r\n", |answer| matches!(answer, Answer::Failed(_)));
    check(Pending::Read, b":1\r\n", |answer| matches!(answer, Answer::Failed(_)));
}

#[test]
fn half_a_reply_is_awaited_and_one_that_nobody_asked_for_ends_the_connection() {
    assert_eq!(Resp::take(Some(&Pending::Read), b"$3\r\na", |_| panic!("not whole")), Ok(None));
    assert!(Resp::take(None, b"+OK\r\n", |_| panic!("nobody asked")).is_err());
}

#[test]
fn a_server_that_is_not_there_is_an_error_and_not_a_panic() {
    let mut job = job(vec![]);
    job.url = Some("unix:///nowhere/kurabe.sock".into());
    let store = Redis::open(&job, &Arc::new(Layout::new(&job.schema))).unwrap();
    let lanes = store.connect(&Phase::new("read", Action::Read, End::Count(1)), 1);
    assert!(matches!(lanes.err(), Some(StoreError::Disconnected(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_bytes_of_a_server_make_the_decoder_panic(bytes in prop::collection::vec(prop_oneof![
        Just(b'$'), Just(b'*'), Just(b'-'), Just(b'+'), Just(b':'), Just(b'\r'), Just(b'\n'), b'0'..=b'9', any::<u8>()
    ], 0..40)) {
        for asked in [Pending::Read, Pending::MultiRead(1)] {
            if let Ok(Some(taken)) = Resp::take(Some(&asked), &bytes, |_| ()) {
                prop_assert!(taken.len <= bytes.len());
            }
        }
    }
}

/// Answers every command of every connection with `reply`; gives its address.
fn canned_server(reply: &'static [u8]) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut chunk = [0; 4096];
                while let Ok(len @ 1..) = std::io::Read::read(&mut stream, &mut chunk) {
                    // One array a command.
                    for _ in chunk[..len].iter().filter(|byte| **byte == b'*') {
                        let _ = std::io::Write::write_all(&mut stream, reply);
                    }
                }
            });
        }
    });
    format!("redis://{address}")
}

#[test]
fn a_server_that_still_loads_is_not_ready_and_one_that_refuses_is_something_else() {
    for (reply, is_ready) in
        [(&b"-LOADING Redis is loading the dataset in memory\r\n"[..], false), (b"-ERR no such thing\r\n", true)]
    {
        let mut job = job(vec![]);
        job.url = Some(canned_server(reply));
        job.limits.call_ns = 10_000_000_000;
        job.limits.operation_ns = 10_000_000_000;
        let layout = Arc::new(Layout::new(&job.schema));
        let store = Redis::open(&job, &layout).unwrap();
        let asked = store.ping().unwrap_err();
        let connected = store.connect(&Phase::new("read", Action::Read, End::Count(1)), 1).err().expect("refused");
        for error in [asked, connected] {
            assert_eq!(error.is_not_ready(), !is_ready, "{error:?}");
        }
    }
}

#[test]
fn a_server_that_only_speaks_the_protocol_has_the_version_of_its_own() {
    let dragonfly = "# Server\r\nredis_version:7.4.0\r\ndragonfly_version:df-v1.30.3\r\n";
    assert_eq!(own_version(dragonfly, "redis").as_deref(), Some("dragonfly df-v1.30.3"));
    assert_eq!(own_version(dragonfly, "dragonfly").as_deref(), Some("df-v1.30.3"));
    let valkey =
        "# Server\r\nredis_version:7.4.0\r\nserver_name:valkey\r\nvalkey_version:8.1.1\r\ngcc_version:12.2.0\r\n";
    assert_eq!(own_version(valkey, "valkey").as_deref(), Some("8.1.1"));
    assert_eq!(own_version("# Server\r\nredis_version:7.4.0\r\ngcc_version:12.2.0\r\n", "redis"), None);
}
