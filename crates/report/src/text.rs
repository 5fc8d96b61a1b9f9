//! Titles and cells of tables.
//!
//! A cell is a message, or a text that no language changes: a name, a figure, an error of a store. A plain string for
//! both was the alternative; then a store named "rank" would become a word of Kurabe in Japanese. Neither has a language
//! yet: `Display` and templates write in the current one ([`kurabe_messages::with_language`]), so that one table serves
//! all of them.

use std::fmt;

use kurabe_messages::{Item, Message, Value, message};
use serde::{Serialize, Serializer};

use crate::format::NONE;

/// A title or a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Text {
    /// In the language of whoever reads it.
    Message(Message),
    /// The same in every language.
    Verbatim(String),
}

impl Text {
    /// What stands where there is no figure.
    pub(crate) fn none() -> Text {
        NONE.to_string().into()
    }

    /// Whether it is this message and nothing else.
    pub(crate) fn is(&self, message: &Message) -> bool {
        matches!(self, Text::Message(own) if own == message)
    }

    /// Whether it is this message or has it as an argument.
    pub(crate) fn has(&self, message: &Message) -> bool {
        matches!(self, Text::Message(own) if has(own, message))
    }

    /// Whether it heads intervals.
    pub(crate) fn is_interval(&self) -> bool {
        let ids = [message!(table_interval, level = "").id(), message!(table_interval_from, level = "").id()];
        matches!(self, Text::Message(own) if ids.contains(&own.id()))
    }

    /// Whether there is nothing to show.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Text::Verbatim(text) if text.is_empty())
    }
}

/// Messages in the current language.
pub(crate) fn texts(messages: impl IntoIterator<Item = Message>) -> Vec<String> {
    messages.into_iter().map(|message| message.to_string()).collect()
}

fn has(whole: &Message, part: &Message) -> bool {
    let in_value = |value: &Value| matches!(value, Value::Message(nested) if has(nested, part));
    whole == part || whole.arguments().iter().any(|(_, value)| in_value(value))
}

impl Default for Text {
    fn default() -> Text {
        Text::Verbatim(String::new())
    }
}

impl From<Message> for Text {
    fn from(message: Message) -> Text {
        Text::Message(message)
    }
}

/// The text stays as it is: a name, a figure, a message of something else.
impl From<String> for Text {
    fn from(text: String) -> Text {
        Text::Verbatim(text)
    }
}

impl From<Text> for Item {
    fn from(text: Text) -> Item {
        match text {
            Text::Message(message) => message.into(),
            Text::Verbatim(text) => text.into(),
        }
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Text::Message(message) => message.fmt(f),
            Text::Verbatim(text) => f.pad(text),
        }
    }
}

/// A message for templates: its text alone.
pub(crate) fn in_current_language<S: Serializer>(message: &Message, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(message)
}

/// For templates, which fill a page in the current language.
impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
