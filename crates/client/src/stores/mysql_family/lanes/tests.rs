use std::sync::Arc;

use kurabe_protocol::{Action, End, Field, FieldType, Job, Layout, Schema};
use mysql::Value;
use mysql::consts::{CapabilityFlags, Command};
use mysql_common::constants::MAX_PAYLOAD_LEN;
use mysql_common::packets::ComStmtExecuteRequestBuilder;
use mysql_common::proto::MySerialize;
use proptest::prelude::*;

use super::packet::{self, Refusal};
use super::rows::{put_fields, put_int};
use super::sign_in::Session;
use super::talk::Asked;
use super::*;
use crate::adapter::{Key, Range, Row, Store, Written};
use crate::stores::common::lanes::{Heard, Talk};
use crate::stores::mysql_family::product::Engine;
use crate::stores::mysql_family::statements::Params;
use crate::stores::mysql_family::table::Table;

fn schema() -> Schema {
    Schema {
        fields: vec![
            Field::new("id", FieldType::Int64, None),
            Field::new("age", FieldType::Int64, None),
            Field::new("name", FieldType::Text, Some(30)),
            Field::new("body", FieldType::Bytes, Some(40)),
        ],
    }
}

/// A connection of a job, as if every statement of the phase had been prepared under its place.
struct Stand {
    talk: MySql,
    known: Known,
    layout: Layout,
    sent: Vec<u8>,
}

fn session(marks_ends: bool, caches_columns: bool) -> Session {
    let mut capabilities = CapabilityFlags::CLIENT_PROTOCOL_41 | CapabilityFlags::CLIENT_DEPRECATE_EOF;
    if marks_ends {
        capabilities.remove(CapabilityFlags::CLIENT_DEPRECATE_EOF);
    }
    Session { capabilities, caches_columns }
}

impl Stand {
    fn with(session: Session, phase: &Phase) -> Stand {
        let (schema, mut id) = (schema(), 0);
        let layout = Layout::new(&schema);
        let table = Table::new("ns", &schema, &layout, Engine::Innodb);
        let columns = Columns::of(&table);
        let width = schema.fields.len();
        let statements = Statements::prepare(&table, phase, |text, params| {
            id += 1;
            let mut prepared = columns.prepared(id, params, &[])?;
            prepared.columns = match text.split(' ').next() {
                Some("SELECT") if params == Params::Keys(1) => width - 1,
                Some("SELECT") => width,
                _ => 0,
            };
            Ok::<_, StoreError>(prepared)
        });
        let statements = statements.expect("statements");
        let known = Known::new(session, statements, &table, Transaction::new(phase), RowBuffer::new(&layout));
        Stand { talk: MySql::new(&table), known, layout, sent: Vec::new() }
    }

    fn of(phase: &Phase) -> Stand {
        Stand::with(session(false, true), phase)
    }

    fn ask(&mut self, request: Request<'_>) -> Asked {
        self.sent.clear();
        self.talk.say(&mut self.known, &request, &mut self.sent).expect("a request")
    }

    /// Hears `bytes`, which come in one piece, packet by packet; whether the operation is over.
    fn hear(&mut self, asked: &mut Asked, bytes: &[u8], answers: &mut Vec<String>) -> Result<bool, String> {
        let mut at = 0;
        while at < bytes.len() {
            let give = |answer: Answer<'_>| answers.push(format!("{answer:?}"));
            let heard = MySql::hear(&mut self.known, Some(&mut *asked), &bytes[at..], &mut self.sent, give)?;
            let Some(Heard { taken, ends }) = heard else { return Ok(false) };
            at += taken.len;
            if ends {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The one answer that `bytes` give.
    fn answer(&mut self, asked: &mut Asked, bytes: &[u8]) -> String {
        let mut answers = Vec::new();
        assert_eq!(self.hear(asked, bytes, &mut answers), Ok(true), "{answers:?}");
        assert_eq!(answers.len(), 1, "{answers:?}");
        answers.remove(0)
    }

    fn key(&self, row: u32) -> Key {
        Key::new(row, &self.layout)
    }
}

/// Packets numbered from `first` on.
fn packets(first: u8, payloads: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut number = first;
    for payload in payloads {
        number = packet::packet(&mut out, number, |out| out.extend_from_slice(payload));
    }
    out
}

const DONE: &[u8] = &[0, 1, 0, 2, 0, 0, 0];
const NONE_MATCHED: &[u8] = &[0, 0, 0, 2, 0, 0, 0];
/// With two warnings.
const END: &[u8] = &[0xfe, 0, 0, 2, 0, 2, 0];
const OLD_END: &[u8] = &[0xfe, 0, 0, 2, 0];

fn refused(code: u16, words: &str) -> Vec<u8> {
    [&[0xff][..], &code.to_le_bytes(), b"#HY000", words.as_bytes()].concat()
}

fn phase(action: Action, commit_every: u32) -> Phase {
    Phase { commit_every, ..Phase::new("p", action, End::Count(1)) }
}

/// A row of the table as a server sends it: with its key or without.
fn sent_row(key: Option<i64>, layout: &Layout, raw: &[u8]) -> Vec<u8> {
    let columns = schema().fields.len() - usize::from(key.is_none());
    let mut payload = vec![0; 1 + (columns + 2).div_ceil(8)];
    key.into_iter().for_each(|key| put_int(key, &mut payload));
    put_fields(&Row { key: Key::new(0, layout), version: 0, raw, layout }, &mut payload);
    payload
}

fn raw_row(layout: &Layout) -> Vec<u8> {
    let mut raw = vec![0; layout.room_bytes()];
    let pool = kurabe_protocol::Pool::new(&kurabe_protocol::value::pool_bytes(1, 0.0), layout).expect("a pool");
    layout.write(&pool, 4, 0, &mut raw);
    raw
}

#[test]
fn what_is_sent_is_what_the_library_sends() {
    let mut stand = Stand::of(&phase(Action::Insert { first_row: 0 }, 1));
    let (layout, raw) = (Layout::new(&schema()), raw_row(&stand.layout));
    let row = Row { key: stand.key(4), version: 0, raw: &raw, layout: &layout };
    stand.ask(Request::Insert(&row));
    let table = Table::new("ns", &schema(), &layout, Engine::Innodb);
    let params: Vec<Value> = std::iter::once(table.key_param(&row.key)).chain(table.field_params(&row)).collect();
    let (request, as_long_data) = ComStmtExecuteRequestBuilder::new(1).build(&params);
    let mut expected = Vec::new();
    request.serialize(&mut expected);
    assert!(!as_long_data);
    assert_eq!(stand.sent[4..], expected);
    assert_eq!(stand.sent[..4], (expected.len() as u32).to_le_bytes(), "length, and the number 0");
}

#[test]
fn answers_to_writes_mean_what_was_asked_for() {
    let raw = raw_row(&Layout::new(&schema()));
    let layout = Layout::new(&schema());
    let row = Row { key: Key::new(4, &layout), version: 0, raw: &raw, layout: &layout };
    let check = |action: Action, request: Request<'_>, payload: &[u8], expected: &str| {
        let mut stand = Stand::of(&phase(action, 1));
        let mut asked = stand.ask(request);
        let answer = stand.answer(&mut asked, &packets(1, &[payload]));
        assert!(answer.contains(expected), "{request:?} {answer}");
    };
    let insert = || Action::Insert { first_row: 0 };
    check(insert(), Request::Insert(&row), DONE, &format!("{:?}", Answer::Written(Written::Done)));
    check(insert(), Request::Insert(&row), &refused(1062, "Duplicate"), "Written(Exists)");
    check(insert(), Request::Insert(&row), &refused(1213, "Deadlock found"), "Deadlock found (error 1213");
    check(Action::Update, Request::Update(&row), DONE, "Written(Done)");
    check(Action::Update, Request::Update(&row), NONE_MATCHED, "Written(Missing)");
    check(Action::Update, Request::Update(&row), &refused(1205, "Lock wait timeout"), "Failed(Timeout)");
    check(Action::Delete, Request::Delete(&row.key), NONE_MATCHED, "Written(Missing)");
    check(Action::Delete, Request::Delete(&row.key), &refused(1053, "shutdown"), "Failed(Disconnected");
    check(Action::Delete, Request::Delete(&row.key), &refused(1142, "denied"), "Failed(Denied");
    check(Action::Increment, Request::Increment(&row.key), DONE, "Incremented");
}

#[test]
fn rows_come_with_and_without_descriptions_and_in_any_pieces() {
    let layout = Layout::new(&schema());
    let raw = raw_row(&layout);
    let width = schema().fields.len() as u8;
    let row = sent_row(None, &layout, &raw);
    let described = vec![b"\x03def".as_slice(); usize::from(width - 1)];
    let whole = |caches: bool, marks_ends: bool, rows: &[&[u8]]| {
        let count = if caches { vec![width - 1, 0] } else { vec![width - 1] };
        let mut payloads: Vec<&[u8]> = vec![&count];
        if !caches {
            payloads.extend(&described);
        }
        payloads.extend(marks_ends.then_some(OLD_END));
        payloads.extend(rows);
        payloads.push(if marks_ends { OLD_END } else { END });
        packets(1, &payloads)
    };
    for (caches, marks_ends) in [(true, false), (true, true), (false, false), (false, true)] {
        for (rows, expected) in
            [(vec![&row[..]], format!("{:?}", Answer::Value(Some(&raw)))), (vec![], "Value(None)".into())]
        {
            let bytes = whole(caches, marks_ends, &rows);
            let mut stand = Stand::with(session(marks_ends, caches), &phase(Action::Read, 1));
            let key = stand.key(4);
            let mut asked = stand.ask(Request::Read(&key));
            assert_eq!(stand.answer(&mut asked, &bytes), expected);
            // Cut anywhere nothing is given, and what was taken is not asked for again.
            for cut in 0..bytes.len() {
                let mut stand = Stand::with(session(marks_ends, caches), &phase(Action::Read, 1));
                let mut asked = stand.ask(Request::Read(&key));
                assert_eq!(stand.hear(&mut asked, &bytes[..cut], &mut Vec::new()), Ok(false));
            }
        }
    }
}

#[test]
fn rows_that_are_not_as_the_table_is_are_errors_and_the_connection_goes_on() {
    let layout = Layout::new(&schema());
    let row = sent_row(None, &layout, &raw_row(&layout));
    let columns = schema().fields.len() as u8 - 1;
    let (mut null, mut long) = (row.clone(), row.clone());
    null[1] |= 1 << 3;
    long.push(0);
    for (wrong, words) in [(null, "column 1 holds NULL"), (long, "longer than"), (row[..12].to_vec(), "shorter than")] {
        let mut stand = Stand::of(&phase(Action::Read, 1));
        let key = stand.key(4);
        let mut asked = stand.ask(Request::Read(&key));
        let answer = stand.answer(&mut asked, &packets(1, &[&[columns, 0], &wrong, END]));
        assert!(answer.contains("Failed") && answer.contains(words), "{answer}");
        let mut asked = stand.ask(Request::Read(&key));
        assert!(stand.answer(&mut asked, &packets(1, &[&[columns, 0], &row, END])).starts_with("Value(Some"));
    }
}

#[test]
fn an_error_in_the_middle_of_rows_fails_the_operation_alone() {
    let layout = Layout::new(&schema());
    let row = sent_row(Some(4), &layout, &raw_row(&layout));
    let columns = schema().fields.len() as u8;
    let mut stand = Stand::of(&phase(Action::Scan, 1));
    let mut asked = stand.ask(Request::Scan);
    let killed = refused(1317, "Query execution was interrupted");
    let answer = stand.answer(&mut asked, &packets(1, &[&[columns, 0], &row, &row, &killed]));
    assert!(answer.contains("interrupted (error 1317"), "{answer}");
    let mut asked = stand.ask(Request::Scan);
    let answer = stand.answer(&mut asked, &packets(1, &[&[columns, 0], &row, END]));
    assert!(answer.starts_with("Rows("), "{answer}");
}

#[test]
fn many_rows_are_given_in_parts_before_they_fill_the_memory() {
    let layout = Layout::new(&schema());
    let row = sent_row(Some(4), &layout, &raw_row(&layout));
    let columns = schema().fields.len() as u8;
    let mut stand = Stand::of(&phase(Action::Scan, 1));
    let mut asked = stand.ask(Request::Scan);
    let mut kept = Vec::new();
    let mut rows: Vec<&[u8]> = vec![&[0; 0]; 0];
    let head = [columns, 0];
    rows.push(&head);
    rows.extend(std::iter::repeat_n(&row[..], 40_000));
    rows.push(END);
    let bytes = packets(1, &rows);
    let (mut at, mut parts, mut ended) = (0, 0, false);
    while !ended {
        let give = |answer: Answer<'_>| match answer {
            Answer::SomeRows(came) => {
                parts += 1;
                assert!(came.len() < 2 << 20, "{} bytes", came.len());
                kept.extend_from_slice(came);
            }
            Answer::Rows(came) => kept.extend_from_slice(came),
            other => panic!("{other:?}"),
        };
        let heard = MySql::hear(&mut stand.known, Some(&mut asked), &bytes[at..], &mut stand.sent, give);
        let heard = heard.expect("rows").expect("whole packets");
        (at, ended) = (at + heard.taken.len, heard.ends);
    }
    assert!(parts > 1, "{parts}");
    let mut seen = 0;
    let mut take = |row: u32, _: &[u8]| {
        assert_eq!(row, 4);
        seen += 1;
    };
    let mut sink = RowSink::new(&layout, &mut take);
    rows::give(&kept, &mut sink).expect("rows");
    sink.finish();
    drop(sink);
    assert_eq!(seen, 40_000);
}

#[test]
fn a_transaction_begins_once_and_is_rolled_back_after_an_error() {
    let layout = Layout::new(&schema());
    let raw = raw_row(&layout);
    let row = Row { key: Key::new(4, &layout), version: 0, raw: &raw, layout: &layout };
    let mut stand = Stand::of(&phase(Action::Update, 10));
    let mut asked = stand.ask(Request::Update(&row));
    assert!(stand.sent.ends_with(b"BEGIN"), "nothing is sent behind it");
    assert_eq!(stand.hear(&mut asked, &packets(1, &[NONE_MATCHED]), &mut Vec::new()), Ok(false));
    assert_eq!(stand.answer(&mut asked, &packets(1, &[DONE])), "Written(Done)");
    // The next one is in the same transaction, and fails.
    let mut asked = stand.ask(Request::Update(&row));
    assert_eq!(stand.sent[4], Command::COM_STMT_EXECUTE as u8);
    assert_eq!(stand.hear(&mut asked, &packets(1, &[&refused(1213, "Deadlock")]), &mut Vec::new()), Ok(false));
    assert!(stand.sent.ends_with(b"ROLLBACK"));
    assert!(stand.answer(&mut asked, &packets(1, &[NONE_MATCHED])).contains("Deadlock"));
    let told = stand.talk.say(&mut stand.known, &Request::Commit, &mut Vec::new());
    assert!(told.is_err_and(|error| error.to_string().contains("rolled back after: Deadlock")));
    // A duplicate key undoes its statement alone, and the commit is one.
    let mut stand = Stand::of(&phase(Action::Insert { first_row: 0 }, 10));
    let mut asked = stand.ask(Request::Insert(&row));
    stand.hear(&mut asked, &packets(1, &[NONE_MATCHED]), &mut Vec::new()).expect("begun");
    assert_eq!(stand.answer(&mut asked, &packets(1, &[&refused(1062, "Duplicate")])), "Written(Exists)");
    let mut asked = stand.ask(Request::Commit);
    assert!(stand.sent.ends_with(b"COMMIT"));
    assert_eq!(stand.answer(&mut asked, &packets(1, &[NONE_MATCHED])), "Written(Done)");
}

#[test]
fn an_increment_is_sent_again_after_a_deadlock_and_counted() {
    let mut stand = Stand::of(&phase(Action::Increment, 1));
    let key = stand.key(4);
    let mut asked = stand.ask(Request::Increment(&key));
    let sent = std::mem::take(&mut stand.sent);
    assert_eq!(stand.hear(&mut asked, &packets(1, &[&refused(1213, "Deadlock")]), &mut Vec::new()), Ok(false));
    assert_eq!((&stand.sent, stand.known.retries), (&sent, 1));
    assert_eq!(stand.answer(&mut asked, &packets(1, &[DONE])), "Incremented");
}

#[test]
fn the_last_rows_of_a_load_are_prepared_for_themselves_and_the_statement_is_closed() {
    let layout = Layout::new(&schema());
    let raw = raw_row(&layout);
    let row = |at| Row { key: Key::new(at, &layout), version: 0, raw: &raw, layout: &layout };
    let load = kurabe_protocol::Load::Batch { rows: 3 };
    let mut stand = Stand::of(&Phase::new("load", load, End::Count(10)));
    let mut asked = stand.ask(Request::LoadMany(&[row(0), row(1), row(2)]));
    assert_eq!(stand.sent[4..9], [Command::COM_STMT_EXECUTE as u8, 1, 0, 0, 0]);
    assert_eq!(stand.answer(&mut asked, &packets(1, &[DONE])), "Written(Done)");
    let mut asked = stand.ask(Request::LoadMany(&[row(3), row(4)]));
    assert_eq!(stand.sent[4], Command::COM_STMT_PREPARE as u8);
    let columns = schema().fields.len();
    let params = (columns * 2) as u8;
    let prepared = [0, 7, 0, 0, 0, 0, 0, params, 0, 0, 0, 0];
    let mut payloads: Vec<&[u8]> = vec![&prepared];
    payloads.extend(std::iter::repeat_n(b"\x03def".as_slice(), columns * 2));
    stand.sent.clear();
    assert_eq!(stand.hear(&mut asked, &packets(1, &payloads), &mut Vec::new()), Ok(false));
    assert_eq!(stand.sent[4..9], [Command::COM_STMT_EXECUTE as u8, 7, 0, 0, 0]);
    assert!(stand.sent.ends_with(&[5, 0, 0, 0, Command::COM_STMT_CLOSE as u8, 7, 0, 0, 0]));
    assert_eq!(stand.answer(&mut asked, &packets(1, &[DONE])), "Written(Done)");
}

#[test]
fn what_cannot_be_ends_the_connection_in_words() {
    let columns = schema().fields.len() as u8 - 1;
    let cases: [(Vec<u8>, &str); 7] = [
        (packets(2, &[DONE]), "packet number 2 where number 1"),
        (packets(1, &[&[]]), "an empty packet"),
        (packets(1, &[&[0xfb, b'/', b'e']]), "asked for a file"),
        (packets(1, &[&[columns + 1]]), "another number of columns"),
        (packets(1, &[&[columns, 0], &[7]]), "kind 0x07"),
        (packets(1, &[&[0xff]]), "the server's error cannot be read"),
        (packets(1, &[&[columns, 0], &[0xfe; 3], DONE]), ""),
    ];
    for (bytes, words) in cases {
        let mut stand = Stand::of(&phase(Action::Read, 1));
        let key = stand.key(4);
        let mut asked = stand.ask(Request::Read(&key));
        let heard = stand.hear(&mut asked, &bytes, &mut Vec::new());
        match words {
            "" => assert_eq!(heard, Ok(true)),
            words => assert!(heard.as_ref().is_err_and(|error| error.contains(words)), "{heard:?}"),
        }
    }
    // A row that is announced as long as can be is awaited, and one that is longer is not: nothing of it has come.
    let mut bytes = vec![0xff, 0xff, 0xff, 1];
    assert_eq!(packet::first(&bytes, 1), Ok(None));
    bytes.resize(4 + MAX_PAYLOAD_LEN, 0);
    for number in 2..6 {
        bytes.extend([0xff, 0xff, 0xff, number]);
        bytes.resize(bytes.len() + MAX_PAYLOAD_LEN, 0);
    }
    assert!(packet::first(&bytes, 1).unwrap_err().contains("too long"));
}

#[test]
fn long_payloads_go_in_several_packets_and_come_back_whole() {
    for len in [MAX_PAYLOAD_LEN - 1, MAX_PAYLOAD_LEN, MAX_PAYLOAD_LEN + 5, 2 * MAX_PAYLOAD_LEN] {
        let payload = vec![7; len];
        let mut out = Vec::new();
        let next = packet::command(&mut out, |out| out.extend_from_slice(&payload));
        assert_eq!(usize::from(next), len / MAX_PAYLOAD_LEN + 1);
        let packet = packet::first(&out, 0).expect("packets").expect("whole");
        assert_eq!((packet.payload.len(), packet.len, packet.next), (len, out.len(), next));
        assert_eq!(packet::first(&out[..out.len() - 1], 0), Ok(None));
    }
}

#[test]
fn a_server_that_goes_away_says_why() {
    let shutdown = packets(0, &[&refused(1053, "Server shutdown in progress")]);
    let mut stand = Stand::of(&phase(Action::Read, 1));
    let mut hear =
        |bytes: &[u8]| MySql::hear(&mut stand.known, None, bytes, &mut Vec::new(), |_| panic!("nobody asked"));
    assert!(hear(&shutdown).unwrap_err().contains("Server shutdown in progress (error 1053)"));
    assert_eq!(hear(&shutdown[..9]), Ok(None));
    assert!(hear(&packets(0, &[DONE])).unwrap_err().contains("nobody asked"));
}

#[test]
fn errors_before_the_greeting_have_no_state() {
    let with = Refusal::of(&refused(1040, "Too many connections")).expect("an error");
    let without = Refusal::of(&[&[0xff, 0x10, 0x04][..], b"Too many connections"].concat()).expect("an error");
    assert_eq!((with.code, with.state.as_str(), with.message.as_str()), (1040, "HY000", "Too many connections"));
    assert_eq!((without.code, without.state.as_str(), without.message.as_str()), (1040, "", "Too many connections"));
}

#[test]
fn a_connection_takes_one_statement_at_a_time() {
    let mut stand = Stand::of(&phase(Action::Read, 1));
    let key = stand.key(4);
    stand.ask(Request::Read(&key));
    assert!(stand.talk.say(&mut stand.known, &Request::Read(&key), &mut Vec::new()).is_err());
    let mut stand = Stand::of(&phase(Action::Read, 1));
    let range = Range { field: 1, low: 0, high: 1 };
    let refused = stand.talk.say(&mut stand.known, &Request::Search(&range), &mut Vec::new());
    assert_eq!(refused, Err(StoreError::Unsupported), "what the phase does not do was not prepared");
}

#[test]
fn a_server_that_is_not_there_is_a_lost_connection() {
    let job: Job = serde_json::from_value(serde_json::json!({
        "id": "j", "candidate": {"name": "mariadb", "store": "mariadb"}, "schema": Schema::key_value(100), "rows": 10,
        "namespace": "ns", "process": 0, "processes": 1, "pool": "",
        "url": "mysql://root@localhost/test?socket=/nowhere/kurabe.sock",
        "limits": {"call_ns": 1_000_000_000, "operation_ns": 1_000_000_000}, "phases": [],
    }))
    .expect("a job");
    let store = Server::<InLanes>::open(&job, &Arc::new(Layout::new(&job.schema))).expect("a store");
    let lanes = store.connect(&phase(Action::Read, 1), 1);
    assert!(matches!(lanes.err(), Some(StoreError::Disconnected(words)) if words.contains("/nowhere/kurabe.sock")));
}

/// Bytes that look like packets often enough to get somewhere.
fn like_packets() -> impl Strategy<Value = Vec<u8>> {
    let byte = || prop_oneof![Just(0_u8), Just(1), Just(3), Just(0xfb), Just(0xfe), Just(0xff), any::<u8>()];
    let payload = prop::collection::vec(byte(), 0..30);
    let packets = prop::collection::vec(payload, 0..8)
        .prop_map(|payloads| packets(1, &payloads.iter().map(Vec::as_slice).collect::<Vec<_>>()));
    prop_oneof![4 => packets, 1 => prop::collection::vec(byte(), 0..60)]
}

proptest! {
    #[test]
    fn no_bytes_of_a_server_make_it_panic(
        bytes in like_packets(), commit_every in 1..3_u32, marks_ends in any::<bool>(), caches in any::<bool>(),
    ) {
        let layout = Layout::new(&schema());
        let raw = raw_row(&layout);
        let row = Row { key: Key::new(4, &layout), version: 0, raw: &raw, layout: &layout };
        let (key, rows) = (row.key, [row, row]);
        let load = kurabe_protocol::Load::Batch { rows: 3 };
        for (phase, request) in [
            (phase(Action::Read, commit_every), Request::Read(&key)),
            (phase(Action::Scan, commit_every), Request::Scan),
            (phase(Action::Update, commit_every), Request::Update(&row)),
            (phase(Action::Increment, commit_every), Request::Increment(&key)),
            (Phase { commit_every, ..Phase::new("load", load, End::Count(9)) }, Request::LoadMany(&rows)),
            (phase(Action::Update, commit_every), Request::Commit),
        ] {
            let mut stand = Stand::with(session(marks_ends, caches), &phase);
            let mut asked = stand.ask(request);
            let mut answers = Vec::new();
            // An error is one of its own words, and ends the connection.
            let ended = stand.hear(&mut asked, &bytes, &mut answers).unwrap_or(true);
            prop_assert!(answers.len() <= usize::from(ended));
            prop_assert!(does_not_grow(&stand.sent, bytes.len()));
        }
    }
}

/// What follows an answer is what was asked, not what came: it does not grow with it.
fn does_not_grow(sent: &[u8], came: usize) -> bool {
    sent.len() <= (came + 2) * 2048
}

#[path = "sign_in_tests.rs"]
mod greetings;
