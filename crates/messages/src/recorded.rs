//! Texts that are kept: in a record, or as an argument of a message.
//!
//! A record is read later, by people of either language. Its English alone was the first choice: the pages of a
//! Japanese reader then had Kurabe's own reasons in English. A text in each language was the alternative: it freezes
//! today's wording, and doubles the record. So a record keeps the message where Kurabe has one, beside its English.
//! What a store, a driver or a user said stays a plain text.
//!
//! Errors show their words through `Display` alone, so that `thiserror` can derive it. [`RecordedText::of`] therefore
//! watches what an error displays: a message and nothing else is that message.

use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::{self, Display};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value as Json};

use crate::language::{Language, language};
use crate::values::{Described, Either, Item, Kind, Line, Names, OptionalMessage, Text, Value};
use crate::{Message, all};

/// A message, or a text that is none. In JSON it is the object of the message with its English, or a string.
///
/// `Display` writes in the current language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordedText {
    /// In no language that Kurabe knows: a name, a path, what a store or a user said.
    Plain(String),
    /// In the language of the reader.
    Message(Message),
}

impl RecordedText {
    /// The message that `what` displays if it displays one and nothing else; otherwise its text.
    pub fn of(what: impl Display) -> RecordedText {
        let (text, mut shown) = watch(|| what.to_string());
        match shown.pop().filter(|message| shown.is_empty() && message.text(language()) == text) {
            Some(message) => RecordedText::Message(message),
            None => RecordedText::Plain(text),
        }
    }

    /// Its text in `language`.
    pub fn text(&self, language: Language) -> Cow<'_, str> {
        match self {
            RecordedText::Plain(text) => text.into(),
            RecordedText::Message(message) => message.text(language).into(),
        }
    }
}

impl Display for RecordedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordedText::Plain(text) => f.pad(text),
            RecordedText::Message(message) => message.fmt(f),
        }
    }
}

impl From<Message> for RecordedText {
    fn from(message: Message) -> RecordedText {
        RecordedText::Message(message)
    }
}

impl From<String> for RecordedText {
    fn from(text: String) -> RecordedText {
        RecordedText::Plain(text)
    }
}

impl From<&str> for RecordedText {
    fn from(text: &str) -> RecordedText {
        RecordedText::Plain(text.to_string())
    }
}

thread_local! {
    /// The messages that were displayed on this thread since the innermost watch began.
    static SHOWN: RefCell<Option<Vec<Message>>> = const { RefCell::new(None) };
}

/// Tells a watch of this thread that a message is displayed.
pub(crate) fn note_shown(message: &Message) {
    SHOWN.with_borrow_mut(|shown| {
        if let Some(shown) = shown {
            shown.push(message.clone());
        }
    });
}

/// What `work` makes, and the messages that it displays.
fn watch(work: impl FnOnce() -> String) -> (String, Vec<Message>) {
    /// Puts back the outer watch, also where `work` panics.
    struct Outer(Option<Vec<Message>>);
    impl Drop for Outer {
        fn drop(&mut self) {
            SHOWN.set(self.0.take());
        }
    }
    let _outer = Outer(SHOWN.replace(Some(Vec::new())));
    let text = work();
    (text, SHOWN.take().unwrap_or_default())
}

impl Serialize for RecordedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            RecordedText::Plain(text) => text.serialize(serializer),
            RecordedText::Message(message) => message.serialize(serializer),
        }
    }
}

/// As JSON has it, whatever wrote that.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    Plain(String),
    Message { id: String, arguments: Map<String, Json>, text: String },
}

impl<'de> Deserialize<'de> for RecordedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RecordedText, D::Error> {
        Ok(match Stored::deserialize(deserializer)? {
            Stored::Plain(text) => RecordedText::Plain(text),
            Stored::Message { id, arguments, text } => match message(&id, &arguments) {
                Some(message) => RecordedText::Message(message),
                None => RecordedText::Plain(text),
            },
        })
    }
}

impl JsonSchema for RecordedText {
    fn schema_name() -> Cow<'static, str> {
        "RecordedText".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let message = generator.subschema_for::<Message>();
        json_schema!({
            "description": "A message of Kurabe, or a text of a store, a driver or a user.",
            "anyOf": [{ "type": "string" }, message]
        })
    }
}

/// The message of the catalogue; `None` where it has no such id, or other arguments.
fn message(id: &str, arguments: &Map<String, Json>) -> Option<Message> {
    let entry = all().iter().find(|entry| entry.id == id && entry.arguments.len() == arguments.len())?;
    let read = |(name, kind): &(&'static str, Kind)| Some((*name, value(*kind, arguments.get(*name)?)?));
    Some(Message::new(entry.id, entry.arguments.iter().map(read).collect::<Option<_>>()?))
}

/// An argument of the declared type; `None` where it has another one.
fn value(kind: Kind, json: &Json) -> Option<Value> {
    let text = || RecordedText::deserialize(json).ok();
    let nested = || match text()? {
        RecordedText::Message(message) => Some(message),
        RecordedText::Plain(_) => None,
    };
    let names = || Vec::<String>::deserialize(json).ok();
    let items =
        || Some(Vec::<RecordedText>::deserialize(json).ok()?.into_iter().map(Item::from).collect::<Vec<Item>>());
    let figure = || json.as_f64();
    Some(match kind {
        Kind::Text => Value::Text(Text(text()?)),
        Kind::Line => Value::Line(Line(text()?)),
        Kind::Described => Value::Described(Described(text()?)),
        Kind::Names => Value::Names(Names(names()?)),
        Kind::Either => Value::Either(Either(names()?)),
        Kind::List => Value::List(items()?.into()),
        Kind::Clauses => Value::Clauses(items()?.into()),
        Kind::Series => Value::Series(items()?.into()),
        Kind::Message => Value::Message(nested()?),
        Kind::OptionalMessage if json.is_null() => Value::OptionalMessage(OptionalMessage(None)),
        Kind::OptionalMessage => Value::OptionalMessage(nested()?.into()),
        Kind::Count => Value::Count(json.as_u64()?.into()),
        Kind::Number => Value::Number(figure()?.into()),
        Kind::Ratio => Value::Ratio(figure()?.into()),
        Kind::Rate => Value::Rate(figure()?.into()),
        Kind::Times => Value::Times(figure()?.into()),
        Kind::Percent => Value::Percent(figure()?.into()),
        Kind::Duration => Value::Duration(figure()?.into()),
        Kind::Span => Value::Span(figure()?.into()),
        Kind::Size => Value::Size(figure()?.into()),
        Kind::Difference => Value::Difference(figure()?.into()),
        Kind::Significant2 => Value::Significant2(figure()?.into()),
        Kind::Significant3 => Value::Significant3(figure()?.into()),
    })
}

#[cfg(test)]
#[path = "recorded_tests.rs"]
mod tests;
