use serde_json::json;

use super::*;
use crate::{samples, with_language};

fn read(json: Json) -> RecordedText {
    serde_json::from_value(json).expect("a text or a message")
}

/// An error as `thiserror` derives it.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{}", message!(name_quoted, name = .0))]
    Own(&'static str),
    #[error(transparent)]
    Inner(Box<Failure>),
    #[error("at {}", message!(name_quoted, name = .0))]
    Mixed(&'static str),
    #[error("{}", message!(list_and_last, all = "1", last = message!(name_quoted, name = .0)))]
    Nested(Box<Failure>),
}

#[test]
fn every_message_comes_back_from_json_as_it_was() {
    for message in all().iter().flat_map(|entry| samples(entry.id)) {
        let recorded = RecordedText::from(message);
        let text = serde_json::to_string(&recorded).expect("JSON");
        assert_eq!(serde_json::from_str::<RecordedText>(&text).expect("JSON"), recorded, "{text}");
    }
}

#[test]
fn a_plain_text_comes_back_as_it_was_and_is_a_string_in_json() {
    for text in ["", "database is locked", "{\"id\": \"name-quoted\"}"] {
        let recorded = RecordedText::from(text);
        assert_eq!(serde_json::to_value(&recorded).expect("JSON"), json!(text));
        assert_eq!(read(json!(text)), recorded);
    }
    assert!(serde_json::from_value::<RecordedText>(json!(7)).is_err());
}

#[test]
fn a_message_that_no_longer_fits_is_its_english() {
    let text = "the english of then";
    for (id, arguments) in [
        ("no-such-id", json!({})),
        ("name-quoted", json!({})),
        ("name-quoted", json!({"other": "a"})),
        ("name-quoted", json!({"name": "a", "more": "b"})),
        ("name-quoted", json!({"name": 7})),
        ("percent-above", json!({"most": "many"})),
        ("percent-above", json!({"most": -1})),
        ("run-client-broke-protocol", json!({"what": 7})),
        ("run-no-power", json!({"dir": "/d", "reason": "a text"})),
        ("run-no-power", json!({"dir": "/d", "reason": {"id": "no-such-id", "arguments": {}, "text": "x"}})),
    ] {
        let json = json!({"id": id, "arguments": arguments, "text": text});
        assert_eq!(read(json.clone()), RecordedText::from(text), "{json}");
    }
    let nested = json!({"id": "no-such-id", "arguments": {}, "text": "x"});
    let outer = json!({"id": "name-quoted", "arguments": {"name": nested}, "text": "'x'"});
    assert_eq!(read(outer), message!(name_quoted, name = "x").into(), "only the text in it falls back");
}

#[test]
fn an_error_that_shows_a_message_is_that_message() {
    let quoted = |name: &str| RecordedText::from(message!(name_quoted, name));
    assert_eq!(RecordedText::of(Failure::Own("a")), quoted("a"));
    assert_eq!(RecordedText::of(Failure::Inner(Box::new(Failure::Own("a")))), quoted("a"));
    assert_eq!(RecordedText::of(Failure::Mixed("a")), RecordedText::from("at 'a'"));
    assert_eq!(RecordedText::of("'a'"), RecordedText::from("'a'"));
    assert_eq!(RecordedText::of(quoted("a")), quoted("a"));
    let nested = Failure::Nested(Box::new(Failure::Own("a")));
    let japanese = with_language(Language::Japanese, || RecordedText::of(&nested));
    assert_eq!(japanese, RecordedText::of(&nested), "an inner error is in no language yet either");
    assert_eq!(japanese.text(Language::English), "1 and ''a''");
    assert_eq!(japanese.text(Language::Japanese), "1、「「a」」");
}

#[test]
fn a_message_is_displayed_in_the_current_language_and_recorded_with_its_english() {
    let record = || serde_json::to_string(&RecordedText::of(Failure::Own("a"))).expect("JSON");
    assert_eq!(with_language(Language::Japanese, record), with_language(Language::English, record));
    let recorded: RecordedText = serde_json::from_str(&record()).expect("JSON");
    assert_eq!(recorded.to_string(), "'a'");
    assert_eq!(with_language(Language::Japanese, || format!("{recorded:>5}")), "  「a」");
}

#[test]
fn the_schema_takes_both_forms() {
    let schema = schemars::schema_for!(RecordedText).to_value();
    assert_eq!(schema["anyOf"][0], json!({"type": "string"}));
    assert_eq!(schema["anyOf"][1], json!({"$ref": "#/$defs/Message"}));
}
