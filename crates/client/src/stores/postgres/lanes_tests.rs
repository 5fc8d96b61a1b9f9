use std::collections::VecDeque;

use kurabe_protocol::{Action, End, Field, FieldType, Layout, Schema};
use proptest::prelude::*;

use super::super::talk::Asked;
use super::*;
use crate::adapter::{Key, Row, Written};
use crate::stores::common::lanes::{Heard, Taken, Talk};

/// A talk over one lane, and what it was answered.
struct Lane {
    talk: PostgresTalk,
    known: Known,
    asked: Option<<PostgresTalk as Talk>::Asked>,
    out: Vec<u8>,
}

/// An answer, as far as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Came {
    Written(Written),
    Value(Option<Vec<u8>>),
    Values(Vec<Option<Vec<u8>>>),
    Incremented,
    Rows(Vec<u8>),
    SomeRows(Vec<u8>),
    Failed(String),
}

fn came(answer: Answer<'_>) -> Came {
    match answer {
        Answer::Written(written) => Came::Written(written),
        Answer::Value(value) => Came::Value(value.map(<[u8]>::to_vec)),
        Answer::Values(values) => Came::Values(values.iter().map(|value| value.map(<[u8]>::to_vec)).collect()),
        Answer::Incremented => Came::Incremented,
        Answer::Rows(rows) => Came::Rows(rows.to_vec()),
        Answer::SomeRows(rows) => Came::SomeRows(rows.to_vec()),
        Answer::Failed(error) => Came::Failed(error.to_string()),
    }
}

fn lane(schema: &Schema, phase: &Phase) -> (Lane, Layout) {
    let layout = Layout::new(schema);
    let table = Table::new("ns", schema, &layout, false);
    let rows = Arc::new(Rows::new(&table, &layout));
    let known = Known::new(&rows, phase, RowBuffer::new(&layout));
    (Lane { talk: PostgresTalk::new(table, phase), known, asked: None, out: Vec::new() }, layout)
}

fn usual() -> (Lane, Layout) {
    lane(&Schema::key_value(30), &Phase::new("read", Action::Read, End::Count(1)))
}

fn committing() -> (Lane, Layout) {
    let phase = Phase { commit_every: 10, ..Phase::new("update", Action::Update, End::Count(1)) };
    lane(&Schema::key_value(30), &phase)
}

impl Lane {
    /// Asks, and gives what is sent.
    fn say(&mut self, request: &Request<'_>) -> Vec<u8> {
        self.out.clear();
        self.asked = Some(self.talk.say(&mut self.known, request, &mut self.out).expect("a request"));
        self.out.clone()
    }

    /// Hears `bytes` as long as something is taken of them; what came, and how many bytes are left.
    fn hear(&mut self, bytes: &[u8]) -> Result<(Vec<Came>, usize), String> {
        let (mut answers, mut at) = (Vec::new(), 0);
        self.out.clear();
        while at < bytes.len() {
            let Lane { known, asked, out, .. } = self;
            let heard =
                PostgresTalk::hear(known, asked.as_mut(), &bytes[at..], out, |answer| answers.push(came(answer)))?;
            let Some(Heard { taken: Taken { len, .. }, ends }) = heard else { break };
            assert!(len > 0 && at + len <= bytes.len());
            at += len;
            if ends {
                self.asked = None;
            }
        }
        Ok((answers, bytes.len() - at))
    }

    /// What a whole answer means.
    fn meaning(&mut self, request: &Request<'_>, messages: &[Vec<u8>]) -> Came {
        self.say(request);
        let (mut answers, left) = self.hear(&messages.concat()).expect("an answer that can be read");
        assert_eq!((answers.len(), left), (1, 0), "{answers:?}");
        answers.remove(0)
    }
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag][..], &(body.len() as u32 + 4).to_be_bytes(), body].concat()
}

fn bound() -> Vec<u8> {
    message(b'2', b"")
}

fn done(tag: &str) -> Vec<u8> {
    message(b'C', format!("{tag}\0").as_bytes())
}

fn ready() -> Vec<u8> {
    message(b'Z', b"I")
}

fn row(fields: &[&[u8]]) -> Vec<u8> {
    let fields: Vec<u8> =
        fields.iter().flat_map(|field| [&(field.len() as u32).to_be_bytes()[..], field].concat()).collect();
    message(b'D', &[&(0u16).to_be_bytes()[..], &fields].concat())
}

/// A row that tells how many fields it has.
fn row_of(fields: &[&[u8]]) -> Vec<u8> {
    let mut row = row(fields);
    row[5..7].copy_from_slice(&(fields.len() as u16).to_be_bytes());
    row
}

fn error(severity: &str, code: &str, words: &str) -> Vec<u8> {
    message(b'E', format!("S{severity}\0V{severity}\0C{code}\0M{words}\0\0").as_bytes())
}

fn notice() -> Vec<u8> {
    message(b'N', b"SWARNING\0VWARNING\0C01000\0Mlook\0\0")
}

#[test]
fn replies_mean_what_was_asked_for() {
    let (mut lane, layout) = usual();
    let key = Key::new(7, &layout);
    let row = Row { key, version: 0, raw: b"value", layout: &layout };
    let of = |tag: &str| [bound(), done(tag), ready()];
    let value = [bound(), row_of(&[b"abc"]), done("SELECT 1"), ready()];
    assert_eq!(lane.meaning(&Request::Read(&key), &value), Came::Value(Some(b"abc".to_vec())));
    assert_eq!(lane.meaning(&Request::Read(&key), &of("SELECT 0")), Came::Value(None));
    assert_eq!(lane.meaning(&Request::Load(&row), &of("INSERT 0 1")), Came::Written(Written::Done));
    assert_eq!(lane.meaning(&Request::Insert(&row), &of("INSERT 0 1")), Came::Written(Written::Done));
    assert_eq!(lane.meaning(&Request::Insert(&row), &of("INSERT 0 0")), Came::Written(Written::Exists));
    assert_eq!(lane.meaning(&Request::Update(&row), &of("UPDATE 1")), Came::Written(Written::Done));
    assert_eq!(lane.meaning(&Request::Update(&row), &of("UPDATE 0")), Came::Written(Written::Missing));
    assert_eq!(lane.meaning(&Request::Delete(&key), &of("DELETE 0")), Came::Written(Written::Missing));
    assert_eq!(lane.meaning(&Request::Increment(&key), &of("INSERT 0 1")), Came::Incremented);
    let refused = [bound(), error("ERROR", "23514", "no"), ready()];
    assert_eq!(lane.meaning(&Request::Update(&row), &refused), Came::Failed("no (SQLSTATE 23514)".into()));
    let late = [error("ERROR", "57014", "canceling statement"), ready()];
    assert_eq!(lane.meaning(&Request::Read(&key), &late), Came::Failed(StoreError::Timeout.to_string()));
}

#[test]
fn answers_that_cannot_be_right_are_failures() {
    let (mut lane, layout) = usual();
    let key = Key::new(7, &layout);
    let raw = Row { key, version: 0, raw: b"value", layout: &layout };
    let mut failed = |request: &Request<'_>, messages: &[Vec<u8>]| match lane.meaning(request, messages) {
        Came::Failed(words) => words,
        other => panic!("{other:?}"),
    };
    let read = |rows: &[Vec<u8>]| [&[bound()], rows, &[done("SELECT 1"), ready()]].concat();
    let one = row_of(&[b"abc"]);
    assert!(failed(&Request::Read(&key), &read(&[one.clone(), one])).contains("several rows"));
    assert!(failed(&Request::Read(&key), &read(&[row_of(&[b"a", b"b"])])).contains("number of columns"));
    assert!(failed(&Request::Read(&key), &read(&[message(b'D', &[0, 1, 255, 255, 255, 255])])).contains("NULL"));
    assert!(failed(&Request::Read(&key), &read(&[message(b'D', &[0, 1, 0, 0, 0, 9, b'a'])])).contains("beyond it"));
    assert!(failed(&Request::Read(&key), &read(&[message(b'D', &[0, 1, 0, 0, 0, 0, b'a'])])).contains("more than"));
    assert!(failed(&Request::Read(&key), &[ready()]).contains("before it was said"));
    assert!(failed(&Request::Update(&raw), &[bound(), done("UPDATE"), ready()]).contains("how many rows"));
    assert!(failed(&Request::Load(&raw), &[bound(), done("INSERT 0 0"), ready()]).contains("other rows"));
    assert!(failed(&Request::LoadMany(&[raw]), &[bound(), done("INSERT 0 2"), ready()]).contains("other rows"));
}

#[test]
fn rows_of_several_columns_are_raw_encoded_and_found_by_their_keys() {
    let field = Field::new;
    let schema = Schema {
        fields: vec![
            field("key", FieldType::Text, None),
            field("number", FieldType::Int64, None),
            field("body", FieldType::Bytes, Some(30)),
        ],
    };
    let (mut lane, layout) = lane(&schema, &Phase::new("many", Action::MultiRead { rows: 3 }, End::Count(1)));
    let raw = |number: i64, body: &[u8]| {
        let mut raw = RowBuffer::new(&layout);
        raw.push_int(number);
        raw.push_bytes(body);
        raw.raw().to_vec()
    };
    for count in [3, 100] {
        let keys: Vec<Key> = (0..count).map(|row| Key::new(row, &layout)).collect();
        let given =
            [&keys[2], &keys[0]].map(|key| row_of(&[key.text_bytes(), &i64::from(key.row).to_be_bytes(), b"body"]));
        let messages = [&[bound()], &given[..], &[done("SELECT 2"), ready()]].concat();
        let Came::Values(values) = lane.meaning(&Request::MultiRead(&keys), &messages) else { panic!("no values") };
        assert_eq!(values.len(), count as usize);
        assert_eq!((&values[0], &values[2]), (&Some(raw(0, b"body")), &Some(raw(2, b"body"))));
        assert!(values.iter().enumerate().all(|(at, value)| value.is_some() == (at == 0 || at == 2)));
    }
    let stranger = row_of(&[b"stranger", &1i64.to_be_bytes(), b"body"]);
    let messages = [bound(), stranger, done("SELECT 1"), ready()];
    let failed = lane.meaning(&Request::MultiRead(&[Key::new(0, &layout)]), &messages);
    assert_eq!(failed, Came::Failed("the server's answer has a row that nobody asked for".into()));
}

#[test]
fn half_a_reply_is_awaited_whereever_it_ends() {
    let (mut lane, layout) = usual();
    let key = Key::new(7, &layout);
    let whole = [bound(), row_of(&[b"abc"]), done("SELECT 1"), ready()].concat();
    for end in 0..whole.len() {
        lane.say(&Request::Read(&key));
        assert_eq!(lane.hear(&whole[..end]), Ok((Vec::new(), end)));
    }
}

#[test]
fn rows_of_a_scan_are_given_on_as_they_come() {
    let (mut lane, _) = usual();
    lane.say(&Request::Scan);
    let rows = [row_of(&[&1i64.to_be_bytes(), b"a"]), row_of(&[&2i64.to_be_bytes(), b"b"])].concat();
    let first = [bound(), rows.clone(), notice(), rows[..5].to_vec()].concat();
    assert_eq!(lane.hear(&first), Ok((vec![Came::SomeRows(rows.clone())], 5)));
    let rest = [rows.clone(), done("SELECT 4"), ready()].concat();
    assert_eq!(lane.hear(&rest), Ok((vec![Came::SomeRows(rows.clone()), Came::Rows(Vec::new())], 0)));
    assert!(lane.asked.is_none());
    lane.say(&Request::Scan);
    let broken = [bound(), rows.clone(), error("ERROR", "XX001", "a bad block"), ready()].concat();
    let failed = Came::Failed("a bad block (SQLSTATE XX001)".into());
    assert_eq!(lane.hear(&broken), Ok((vec![Came::SomeRows(rows), failed], 0)));
    let all: Vec<&[u8]> = rows_in(&first, 1000).collect();
    assert_eq!(all.len(), 2);
}

#[test]
fn what_a_server_says_without_being_asked_is_passed_over_anywhere() {
    let (mut lane, layout) = usual();
    let changed = message(b'S', b"TimeZone\0UTC\0");
    let told = message(b'A', &[&7u32.to_be_bytes()[..], b"channel\0words\0"].concat());
    assert_eq!(lane.hear(&[notice(), changed.clone(), told.clone()].concat()), Ok((Vec::new(), 0)));
    let value = [notice(), bound(), changed, row_of(&[b"abc"]), told, done("SELECT 1"), notice(), ready()];
    let key = Key::new(7, &layout);
    assert_eq!(lane.meaning(&Request::Read(&key), &value), Came::Value(Some(b"abc".to_vec())));
}

#[test]
fn an_error_that_ends_the_connection_is_told_in_the_servers_words() {
    let fatal = error("FATAL", "57P01", "terminating connection due to administrator command");
    let words = "terminating connection due to administrator command (SQLSTATE 57P01)";
    let (mut lane, layout) = usual();
    assert_eq!(lane.hear(&fatal), Err(words.to_string()), "nothing was asked");
    for request in [Request::Read(&Key::new(7, &layout)), Request::Scan] {
        lane.say(&request);
        assert_eq!(lane.hear(&fatal), Err(words.to_string()));
    }
    assert!(lane.hear(&done("SELECT 1")).is_err() || lane.asked.is_some());
    lane.asked = None;
    assert!(lane.hear(&done("SELECT 1")).unwrap_err().contains("out of turn"));
}

#[test]
fn what_is_only_announced_is_refused_at_once() {
    let (mut lane, layout) = usual();
    for request in [Request::Read(&Key::new(7, &layout)), Request::Scan] {
        for tag in [b'D', b'E', b'N', b'C'] {
            lane.say(&request);
            let words = lane.hear(&[&[tag][..], &(1u32 << 30).to_be_bytes()].concat()).unwrap_err();
            assert!(words.contains("1073741824 bytes"), "{words}");
        }
        for len in [0u32, 3, u32::MAX] {
            lane.say(&request);
            assert!(lane.hear(&[&b"D"[..], &len.to_be_bytes()].concat()).is_err(), "{len}");
        }
    }
}

#[test]
fn an_answer_without_an_end_is_given_up() {
    let (mut lane, layout) = usual();
    lane.say(&Request::Read(&Key::new(7, &layout)));
    let endless = [bound(), row_of(&[b"abc"]).repeat(200_000)].concat();
    let words = lane.hear(&endless).unwrap_err();
    assert!(words.contains("no end"), "{words}");
}

/// How often the text of a statement stands in what is sent.
fn count(sent: &[u8], text: &str) -> usize {
    sent.windows(text.len()).filter(|window| *window == text.as_bytes()).count()
}

#[test]
fn a_transaction_begins_with_its_first_write_and_ends_when_asked() {
    let (mut lane, layout) = committing();
    let row = Row { key: Key::new(7, &layout), version: 0, raw: b"value", layout: &layout };
    assert_eq!(count(&lane.say(&Request::Update(&row)), BEGIN.0), 1);
    let begun = [bound(), done("BEGIN"), bound(), done("UPDATE 1"), ready()].concat();
    assert_eq!(lane.hear(&begun), Ok((vec![Came::Written(Written::Done)], 0)));
    assert_eq!(count(&lane.say(&Request::Update(&row)), BEGIN.0), 0);
    lane.hear(&[bound(), done("UPDATE 1"), ready()].concat()).unwrap();
    assert_eq!(lane.say(&Request::Commit), message(b'Q', b"COMMIT\0"));
    assert_eq!(lane.hear(&[done("COMMIT"), ready()].concat()), Ok((vec![Came::Written(Written::Done)], 0)));
    assert_eq!(count(&lane.say(&Request::Update(&row)), BEGIN.0), 1);
    lane.hear(&begun).unwrap();
    // What failed behind the write that was answered made the server roll back.
    lane.say(&Request::Commit);
    let (answers, _) = lane.hear(&[done("ROLLBACK"), ready()].concat()).unwrap();
    assert!(matches!(&answers[..], [Came::Failed(words)] if words.contains("rolled back")), "{answers:?}");
}

#[test]
fn an_error_in_a_transaction_rolls_it_back_once_and_its_commit_tells() {
    let (mut lane, layout) = committing();
    let row = Row { key: Key::new(7, &layout), version: 0, raw: b"value", layout: &layout };
    lane.say(&Request::Update(&row));
    let first = lane.asked.clone();
    // Another one is sent before the first is answered.
    lane.say(&Request::Update(&row));
    let second = std::mem::replace(&mut lane.asked, first);
    let refused = [bound(), done("BEGIN"), bound(), error("ERROR", "23514", "no"), ready()].concat();
    assert_eq!(lane.hear(&refused), Ok((vec![Came::Failed("no (SQLSTATE 23514)".into())], 0)));
    assert_eq!(lane.out, message(b'Q', b"ROLLBACK\0"));
    lane.asked = second;
    let aborted = [error("ERROR", "25P02", "current transaction is aborted"), ready()].concat();
    assert!(matches!(&lane.hear(&aborted).unwrap().0[..], [Came::Failed(_)]));
    assert!(lane.out.is_empty(), "it is rolled back already");
    // The next write comes after the answer to the rollback, which nobody awaits.
    assert_eq!(count(&lane.say(&Request::Update(&row)), BEGIN.0), 1);
    let both = [done("ROLLBACK"), ready(), bound(), done("BEGIN"), bound(), done("UPDATE 1"), ready()].concat();
    assert_eq!(lane.hear(&both), Ok((vec![Came::Written(Written::Done)], 0)));
    lane.say(&Request::Commit);
    let (answers, _) = lane.hear(&[done("COMMIT"), ready()].concat()).unwrap();
    assert!(matches!(&answers[..], [Came::Failed(words)] if words.contains("rolled back after: no")), "{answers:?}");
}

#[test]
fn a_load_by_copy_is_one_request_with_its_rows_in_binary_form() {
    let bulk = Phase::new("load", Load::Bulk { rows: 2 }, End::Count(2));
    let (mut lane, layout) = lane(&Schema::key_value(30), &bulk);
    let row = |number| Row { key: Key::new(number, &layout), version: 0, raw: b"value", layout: &layout };
    let sent = lane.say(&Request::LoadMany(&[row(0), row(1)]));
    let data = [
        &b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0"[..],
        b"\0\x02\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\x05value",
        b"\0\x02\0\0\0\x08\0\0\0\0\0\0\0\x01\0\0\0\x05value\xff\xff",
    ];
    let end = [message(b'd', &data.concat()), message(b'c', b""), message(b'S', b"")].concat();
    assert!(sent.ends_with(&end), "{sent:?}");
    let copied = [bound(), message(b'G', b"\x01\0\x02\0\x01\0\x01"), done("COPY 2"), ready()].concat();
    assert_eq!(lane.hear(&copied), Ok((vec![Came::Written(Written::Done)], 0)));
}

/// A lane of a phase that reads in batches of three, of which `asked` were asked for and sent.
fn batch(asked: u32) -> (Lane, VecDeque<Asked>, Vec<u8>) {
    let phase = Phase { batch: 3, ..Phase::new("read", Action::Read, End::Count(9)) };
    let (mut lane, layout) = lane(&Schema::key_value(30), &phase);
    let mut sent = Vec::new();
    let mut said = VecDeque::new();
    for row in 0..asked {
        sent.extend(lane.say(&Request::Read(&Key::new(row, &layout))));
        said.extend(lane.asked.take());
    }
    PostgresTalk::seal(&mut lane.known, &mut sent);
    (lane, said, sent)
}

/// What comes for the reads of a batch, and how many bytes are left.
fn hear_batch(lane: &mut Lane, asked: &mut VecDeque<Asked>, bytes: &[u8]) -> Result<(Vec<Came>, usize), String> {
    let (mut answers, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let before = answers.len();
        let give = |answer: Answer<'_>| answers.push(came(answer));
        let heard = PostgresTalk::hear(&mut lane.known, asked.front_mut(), &bytes[at..], &mut Vec::new(), give)?;
        let Some(Heard { taken, ends }) = heard else { break };
        assert_eq!(ends, answers.len() > before, "each read ends with its answer");
        assert!(taken.len > 0 || ends, "it goes on");
        if ends {
            asked.pop_front();
        }
        at += taken.len;
    }
    Ok((answers, bytes.len() - at))
}

fn found(value: &[u8]) -> Vec<u8> {
    [bound(), row_of(&[value]), done("SELECT 1")].concat()
}

#[test]
fn a_batch_of_reads_has_one_sync_behind_all_of_them() {
    let sync = message(b'S', b"");
    let value = |value: &[u8]| Came::Value(Some(value.to_vec()));
    let (mut lane, mut asked, sent) = batch(3);
    assert!(sent.ends_with(&sync));
    assert_eq!(count(&sent, std::str::from_utf8(&sync).unwrap()), 1);
    let none = [bound(), done("SELECT 0")].concat();
    let whole = [found(b"a"), notice(), none, found(b"c"), notice(), ready()].concat();
    let came = vec![value(b"a"), Came::Value(None), value(b"c")];
    assert_eq!(hear_batch(&mut lane, &mut asked, &whole), Ok((came.clone(), 0)));
    // Nothing more is sent where nothing was said, and the next batch is as the first, cut off wherever it may be.
    let mut nothing = Vec::new();
    PostgresTalk::seal(&mut lane.known, &mut nothing);
    assert!(nothing.is_empty());
    for cut in 0..whole.len() {
        let (mut lane, mut asked, _) = batch(3);
        let (mut answers, left) = hear_batch(&mut lane, &mut asked, &whole[..cut]).unwrap();
        let (rest, left) = hear_batch(&mut lane, &mut asked, &whole[cut - left..]).unwrap();
        answers.extend(rest);
        assert_eq!((answers, left), (came.clone(), 0), "cut at {cut}");
    }
}

#[test]
fn what_stands_behind_a_refused_read_of_a_batch_was_not_done() {
    let (mut lane, mut asked, _) = batch(3);
    let refused = [found(b"a"), bound(), error("ERROR", "57014", "canceling statement"), ready()].concat();
    let (answers, left) = hear_batch(&mut lane, &mut asked, &refused).unwrap();
    let failed = |words: &str| Came::Failed(words.to_string());
    let not_done = failed(&StoreError::store("not done, since a read before it in its batch was refused").to_string());
    let late = failed(&StoreError::Timeout.to_string());
    assert_eq!((answers, left), (vec![Came::Value(Some(b"a".to_vec())), late, not_done], 0));
    // The connection goes on behind it.
    let (layout, mut sent) = (Layout::new(&Schema::key_value(30)), Vec::new());
    sent.extend(lane.say(&Request::Read(&Key::new(7, &layout))));
    asked.extend(lane.asked.take());
    PostgresTalk::seal(&mut lane.known, &mut sent);
    let (answers, left) = hear_batch(&mut lane, &mut asked, &[found(b"d"), ready()].concat()).unwrap();
    assert_eq!((answers, left), (vec![Came::Value(Some(b"d".to_vec()))], 0));
    // A server that says it is ready before it has answered has not done the read.
    let (mut lane, mut asked, _) = batch(2);
    let (answers, _) = hear_batch(&mut lane, &mut asked, &[bound(), ready()].concat()).unwrap();
    assert!(answers.iter().all(|came| matches!(came, Came::Failed(_))) && answers.len() == 2, "{answers:?}");
    let gone = error("FATAL", "57P01", "terminating connection due to administrator command");
    let (mut lane, mut asked, _) = batch(2);
    assert!(hear_batch(&mut lane, &mut asked, &gone).unwrap_err().contains("terminating connection"));
}

#[test]
fn only_phases_that_read_have_batches_with_one_sync() {
    let phase = Phase { batch: 3, ..Phase::new("update", Action::Update, End::Count(9)) };
    let (mut lane, layout) = lane(&Schema::key_value(30), &phase);
    let row = Row { key: Key::new(7, &layout), version: 0, raw: b"value", layout: &layout };
    assert!(lane.say(&Request::Update(&row)).ends_with(&message(b'S', b"")));
}

/// Bytes of which many are what a server sends.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(bound()),
        Just(done("UPDATE 1")),
        Just(ready()),
        Just(row_of(&[b"abc"])),
        Just(row_of(&[&1i64.to_be_bytes(), b"abc"])),
        Just(error("ERROR", "23514", "no")),
        Just(notice()),
        (any::<u8>(), prop::collection::vec(any::<u8>(), 0..12)).prop_map(|(tag, body)| message(tag, &body)),
        (prop::sample::select(b"12DCEZNSAGTtnsv".to_vec()), prop::collection::vec(any::<u8>(), 0..12))
            .prop_map(|(tag, body)| message(tag, &body)),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn no_bytes_of_a_server_make_the_reader_panic_or_take_more_than_there_is(
        bytes in bytes(), request in 0usize..6, cut in 0usize..200,
    ) {
        let (mut lane, mut asked, _) = batch(2);
        let _ = hear_batch(&mut lane, &mut asked, &bytes[..cut.min(bytes.len())]);
        let _ = hear_batch(&mut lane, &mut asked, &bytes);
        for (mut lane, layout) in [usual(), committing()] {
            let key = Key::new(7, &layout);
            let keys = [key, Key::new(8, &layout)];
            let row = Row { key, version: 0, raw: b"value", layout: &layout };
            match request {
                0 => drop(lane.say(&Request::Read(&key))),
                1 => drop(lane.say(&Request::Update(&row))),
                2 => drop(lane.say(&Request::MultiRead(&keys))),
                3 => drop(lane.say(&Request::Scan)),
                4 => drop(lane.say(&Request::Commit)),
                _ => {}
            }
            let _ = lane.hear(&bytes[..cut.min(bytes.len())]);
            let _ = lane.hear(&bytes);
            let mut sink = |_: u32, _: &[u8]| {};
            let mut sink = RowSink::new(&layout, &mut sink);
            for row in rows_in(&bytes, 1000) {
                let _ = lane.known_rows().give(row, &mut sink);
            }
        }
    }
}

impl Lane {
    fn known_rows(&self) -> Rows {
        let layout = Layout::new(&Schema::key_value(30));
        Rows::new(&Table::new("ns", &Schema::key_value(30), &layout, false), &layout)
    }
}
