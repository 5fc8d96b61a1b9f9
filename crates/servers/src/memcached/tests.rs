use kurabe_protocol::{Action, End, Job, Phase, Schema};
use proptest::prelude::*;

use super::meta::Pending;
use super::*;
use crate::common::lanes::Dialect;
use kurabe_client::adapter::{Answer, WriteOutcome};

fn job(url: &str) -> Job {
    serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "memcached", "store": "memcached", "wire": "memcached"},
        "schema": Schema::key_value(100),
        "rows": 10, "namespace": "ns", "process": 0, "processes": 1, "pool": "", "url": url,
        "limits": {"call_ns": 1_000_000_000, "operation_ns": 1_000_000_000}, "phases": [],
    }))
    .unwrap()
}

fn open(url: &str) -> Result<Memcached, StoreError> {
    let job = job(url);
    Memcached::open(&job, &Arc::new(Layout::new(&job.schema)))
}

#[test]
fn addresses_are_hosts_with_ports_or_paths() {
    let address = |url| open(url).map(|store| store.address.to_string());
    assert_eq!(address("memcache://127.0.0.1:11211"), Ok("127.0.0.1:11211".into()));
    assert_eq!(address("memcache://[::1]:11211/"), Ok("::1:11211".into()));
    assert_eq!(address("memcache:///run/socket"), Ok("/run/socket".into()));
    assert!(address("memcache://127.0.0.1").is_err() && address("redis://127.0.0.1:1").is_err());
}

#[test]
fn a_server_that_is_not_there_is_an_error_and_not_a_panic() {
    let store = open("memcache:///nowhere/socket").unwrap();
    assert!(matches!(store.ping(), Err(StoreError::Disconnected(_))));
    let lanes = store.connect(&Phase::new("read", Action::Read, End::Count(1)), 1);
    assert!(matches!(lanes.err(), Some(StoreError::Disconnected(_))));
}

#[test]
fn replies_mean_what_was_asked_for() {
    fn check(asked: Pending, bytes: &[u8], expected: impl Fn(&Answer<'_>) -> bool) {
        let mut given = false;
        let taken = Meta::take(Some(&asked), bytes, |answer| {
            given = true;
            assert!(expected(&answer), "{asked:?} gave {answer:?}");
        });
        assert_eq!(taken.map(|taken| taken.map(|taken| taken.len)), Ok(Some(bytes.len())));
        assert!(given);
    }
    let decode_reply = |asked, bytes: &[u8], expected: Answer<'_>| check(asked, bytes, |answer| *answer == expected);
    decode_reply(Pending::Read, b"VA 3 s3\r\na\r\n\r\n", Answer::Value(Some(b"a\r\n")));
    decode_reply(Pending::Read, b"EN\r\n", Answer::Value(None));
    decode_reply(Pending::Load, b"HD\r\n", Answer::Written(WriteOutcome::Done));
    decode_reply(Pending::Insert, b"NS\r\n", Answer::Written(WriteOutcome::Exists));
    decode_reply(Pending::Update, b"NS\r\n", Answer::Written(WriteOutcome::Missing));
    decode_reply(Pending::Delete, b"HD\r\n", Answer::Written(WriteOutcome::Done));
    decode_reply(Pending::Delete, b"NF\r\n", Answer::Written(WriteOutcome::Missing));
    decode_reply(Pending::Increment, b"HD\r\n", Answer::Incremented);
    decode_reply(
        Pending::MultiRead(3),
        b"VA 1 s1\r\na\r\nEN\r\nVA 2 s2\r\nbc\r\n",
        Answer::Values(&[Some(b"a"), None, Some(b"bc")]),
    );
    decode_reply(Pending::Load, b"SERVER_ERROR out of memory\r\n", Answer::Failed(StoreError::store("out of memory")));
    check(Pending::MultiRead(2), b"EN\r\nSERVER_ERROR no\r\n", |answer| matches!(answer, Answer::Failed(_)));
    check(Pending::Load, b"NS\r\n", |answer| matches!(answer, Answer::Failed(_)));
    check(Pending::Read, b"HD\r\n", |answer| matches!(answer, Answer::Failed(_)));
}

#[test]
fn half_a_reply_is_awaited_and_one_that_nobody_asked_for_ends_the_connection() {
    let whole = b"VA 3 s3\r\nabc\r\nEN\r\n";
    for len in 0..whole.len() {
        assert_eq!(Meta::take(Some(&Pending::MultiRead(2)), &whole[..len], |_| panic!("not whole")), Ok(None));
    }
    assert!(Meta::take(None, b"HD\r\n", |_| panic!("nobody asked")).is_err());
    assert!(Meta::take(Some(&Pending::Read), b"VA 3 s3\r\nabcde\r\n", |_| panic!("too long")).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn no_bytes_of_a_server_make_the_decoder_panic(bytes in prop::collection::vec(prop_oneof![
        Just(b'V'), Just(b'A'), Just(b's'), Just(b' '), Just(b'E'), Just(b'N'), Just(b'\r'), Just(b'\n'), b'0'..=b'9', any::<u8>()
    ], 0..40)) {
        for asked in [Pending::Read, Pending::MultiRead(2)] {
            if let Ok(Some(taken)) = Meta::take(Some(&asked), &bytes, |_| ()) {
                prop_assert!(taken.len <= bytes.len());
            }
        }
    }
}

/// A store for rows with these keys.
fn open_own(keys: &[&str]) -> Memcached {
    let (mut rows, mut index, mut order) = (Vec::new(), Vec::new(), Vec::new());
    for (row, key) in (0u32..).zip(keys) {
        index.extend((rows.len() as u64).to_le_bytes());
        kurabe_protocol::own::write_record(key.as_bytes(), b"v", &mut rows);
        order.extend(row.to_le_bytes());
    }
    let files = serde_json::from_value(serde_json::json!({
        "rows": "", "index": "", "order": "", "count": keys.len(), "spaced_keys": keys.iter().any(|key| key.contains(' ')),
        "longest_key_bytes": keys.iter().map(|key| key.len()).max(),
    }));
    let own = OwnRows::new(&files.unwrap(), rows.leak(), index.leak(), order.leak()).unwrap();
    let mut job = job("memcache:///nowhere/socket");
    job.rows = keys.len() as u64;
    job.schema.fields[0].field_type = kurabe_protocol::FieldType::Text;
    Memcached::open(&job, &Arc::new(Layout::of_rows(&job.schema, Box::leak(Box::new(own))))).unwrap()
}

#[test]
fn a_long_key_with_few_spaces_fits_and_one_of_spaces_does_not() {
    let long = format!("two words{}", "x".repeat(200));
    assert!(open_own(&[&long, "a"]).capabilities().max_key_bytes >= long.len() as u64);
    let spaces = " ".repeat(100);
    assert!(open_own(&[&spaces]).capabilities().max_key_bytes < spaces.len() as u64);
    let plain = "x".repeat(250);
    assert!(open_own(&[&plain]).capabilities().max_key_bytes < plain.len() as u64, "the namespace needs its room too");
}
