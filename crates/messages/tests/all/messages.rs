//! Messages as the other crates use them.

use std::error::Error;

use kurabe_messages::catalogue::{ListAndLast, NameQuoted};
use kurabe_messages::{Language, Message, all, by_name, message, sample, samples, with_language};
use serde_json::json;

#[test]
fn a_message_reads_in_the_current_language() {
    let minutes = "2";
    let span = message!(span_minutes, minutes);
    assert_eq!((span.to_string().as_str(), span.text(Language::Japanese).as_str()), ("2 min", "2 分"));
    assert_eq!(with_language(Language::Japanese, || format!("{span:>6}")), "   2 分");
}

#[test]
fn a_literal_of_the_type_is_the_same_message() {
    let literal: Message = NameQuoted { name: "a".into() }.into();
    assert_eq!(literal, message!(name_quoted, name = "a"));
    assert_ne!(literal, message!(name_quoted, name = "b"));
    let nested = ListAndLast { all: 1.into(), last: literal.into() };
    assert_eq!(Message::from(nested).to_string(), "1 and 'a'");
}

#[test]
fn a_text_is_never_read_as_fluent() {
    let name = "{ $name } { -term }\n[one] \u{2068}";
    assert_eq!(message!(name_quoted, name).to_string(), format!("'{name}'"));
}

#[test]
fn json_has_the_id_the_arguments_and_the_english() {
    let above = message!(percent_above, most = 100_000u64);
    let expected = json!({"id": "percent-above", "arguments": {"most": 100_000}, "text": "more than 100,000 %"});
    assert_eq!(with_language(Language::Japanese, || serde_json::to_value(&above).unwrap()), expected);
}

#[test]
fn values_in_json_are_arrays_numbers_texts_and_messages() {
    use kurabe_messages::Value;
    let span = || message!(span_minutes, minutes = "2");
    let span_json = json!({"id": "span-minutes", "arguments": {"minutes": "2"}, "text": "2 min"});
    for (value, expected) in [
        (Value::Text("x".into()), json!("x")),
        (Value::Names(["a", "b"].into()), json!(["a", "b"])),
        (Value::Either((&[String::from("a")][..]).into()), json!(["a"])),
        (Value::List(vec![span()].into()), json!([span_json])),
        (Value::Series((&vec!["a"]).into()), json!(["a"])),
        (Value::Message(span()), span_json.clone()),
        (Value::OptionalMessage(span().into()), span_json),
        (Value::OptionalMessage(None.into()), json!(null)),
        (Value::Count(3usize.into()), json!(3)),
        (Value::Rate(2.5.into()), json!(2.5)),
        (Value::Number(2026u32.into()), json!(2026)),
        (Value::Ratio(f64::NAN.into()), json!(null)),
    ] {
        assert_eq!(serde_json::to_value(&value).unwrap(), expected);
    }
}

#[test]
fn the_schema_names_what_json_has() {
    let schema = schemars::schema_for!(Message).to_value();
    assert_eq!(schema["required"], json!(["id", "arguments", "text"]));
    let json = serde_json::to_value(message!(interval_too_wide)).unwrap();
    let known = schema["properties"].as_object().unwrap();
    assert!(json.as_object().unwrap().keys().all(|key| known.contains_key(key)));
}

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
struct Outer {
    message: Message,
    source: std::num::ParseIntError,
}

#[test]
fn a_message_is_an_error_in_chains() {
    fn fails() -> anyhow::Result<()> {
        Err(message!(language_unknown, language = "x"))?;
        Ok(())
    }
    let error = fails().unwrap_err().context(message!(interval_too_wide));
    assert_eq!(format!("{error:#}"), "too wide: unknown language 'x': expected en or ja");
    assert!(error.chain().any(|it| it.downcast_ref::<Message>().is_some_and(|it| it.id() == "language-unknown")));
    assert!(message!(interval_too_wide).source().is_none());
    let outer = Outer { message: message!(interval_too_wide), source: "x".parse::<u8>().unwrap_err() };
    assert_eq!((outer.to_string().as_str(), outer.source().is_some()), ("too wide", true));
    let japanese = with_language(Language::Japanese, || format!("{error}"));
    assert_eq!(japanese, "広すぎる");
}

#[test]
fn messages_are_found_by_their_ids() {
    assert_eq!(by_name("interval-too-wide"), Some(message!(interval_too_wide)));
    assert_eq!((by_name("name-quoted"), by_name("no-such-id"), sample("no-such-id")), (None, None, None));
    let name = all().iter().find(|entry| entry.id == "name-quoted").unwrap();
    assert_eq!((name.file, name.arguments), ("en/lists.ftl", &[("name", kurabe_messages::Kind::Text)][..]));
    assert_eq!(sample("name-quoted"), Some(message!(name_quoted, name = "a")));
    assert_eq!(samples("percent-above")[1], message!(percent_above, most = 1u64));
}
