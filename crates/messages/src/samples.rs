//! The catalogues as a list, and messages made without their types.

use crate::values::{Item, Kind, Value};
use crate::{ENTRIES, Message};

/// A message of the catalogues.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its id.
    pub id: &'static str,
    /// The English file, such as `en/lists.ftl`.
    pub file: &'static str,
    /// The names of its arguments and their types.
    pub arguments: &'static [(&'static str, Kind)],
}

/// How the ids begin that no code names: `by_name` finds them by the name of what they belong to.
pub const BY_NAME: [&str; 1] = ["help-"];

/// All messages.
pub fn all() -> &'static [Entry] {
    ENTRIES
}

/// The message of this id if it exists and has no arguments.
pub fn by_name(id: &str) -> Option<Message> {
    let entry = all().iter().find(|entry| entry.id == id && entry.arguments.is_empty())?;
    Some(Message::new(entry.id, Vec::new()))
}

/// The message of this id with sample arguments.
pub fn sample(id: &str) -> Option<Message> {
    samples(id).pop()
}

/// The message of this id with all arguments empty or absent, then with one element or count, then with several.
pub fn samples(id: &str) -> Vec<Message> {
    let made = |entry: &Entry, count: usize| {
        let value = |(name, kind): &(&'static str, Kind)| (*name, sample_value(*kind, count));
        Message::new(entry.id, entry.arguments.iter().map(value).collect())
    };
    let entry = all().iter().find(|entry| entry.id == id);
    entry.map(|entry| (0..=3).map(|count| made(entry, count)).collect()).unwrap_or_default()
}

fn sample_value(kind: Kind, count: usize) -> Value {
    let names: Vec<String> = ["a", "b", "c"][..count].iter().map(|name| name.to_string()).collect();
    let nested = || message!(interval_too_wide);
    let items: Vec<Item> = names.iter().map(Item::from).collect();
    let figure = 1.5 * count as f64;
    match kind {
        Kind::Text => Value::Text("a".into()),
        Kind::Line => Value::Line("a".into()),
        Kind::Described => Value::Described("a".into()),
        Kind::Names => Value::Names(names.into()),
        Kind::Either => Value::Either(names.into()),
        Kind::List => Value::List(items.into()),
        Kind::Clauses => Value::Clauses(items.into()),
        Kind::Series => Value::Series(items.into()),
        Kind::Message => Value::Message(nested()),
        Kind::OptionalMessage => Value::OptionalMessage((count > 0).then(nested).into()),
        Kind::Count => Value::Count(count.into()),
        Kind::Number => Value::Number(figure.into()),
        Kind::Ratio => Value::Ratio(figure.into()),
        Kind::Rate => Value::Rate(figure.into()),
        Kind::Times => Value::Times(figure.into()),
        Kind::Percent => Value::Percent(figure.into()),
        Kind::Duration => Value::Duration(figure.into()),
        Kind::Span => Value::Span(figure.into()),
        Kind::Size => Value::Size(figure.into()),
        Kind::Difference => Value::Difference(figure.into()),
        Kind::Significant2 => Value::Significant2(figure.into()),
        Kind::Significant3 => Value::Significant3(figure.into()),
    }
}
