//! TOML texts read into types. A mistake is told with its line and column, a wrong name with the nearest right one.
//!
//! The text is parsed by the library; what its own way into types would only say in a sentence (which key is unknown, which
//! are known) is needed here as data, so the way into types is here.

use std::fmt::Display;
use std::marker::PhantomData;
use std::ops::Range;

use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::{MAX_SAFE_INTEGER, SearchError};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, Error as _, Expected, IntoDeserializer, MapAccess, SeqAccess,
    Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

use crate::error::{StudyError, named, quoted, unknown, without_controls};

/// Reads `text`, which came from `origin`. Every key must be one that `T` knows.
pub(crate) fn read<T: DeserializeOwned>(origin: &str, text: &str) -> Result<T, StudyError> {
    read_over(origin, text, &[])
}

/// Reads a table that was put together of texts; what is wrong has no place in any of them.
pub(crate) fn of_table<T: DeserializeOwned>(table: &toml::Table) -> Result<T, Message> {
    let text = toml::to_string(table).map_err(quoted)?;
    let root = DeTable::parse(&text).map_err(|error| of_syntax(error.message()))?.into_inner();
    T::deserialize(Text { value: Value::Table(&root), unknown: None, at: 0 }).map_err(|error| error.problem)
}

/// The same, laid over other texts, each over the next, which have been read before: what `text` does not say is as there.
/// Tables are laid over tables key by key, and lists of tables that have names name by name; all else takes the place of
/// what was there. What `absent` of a text names (`table.key`) does not hold any more.
pub(crate) fn read_over<T: DeserializeOwned>(origin: &str, text: &str, below: &[&str]) -> Result<T, StudyError> {
    let failed = |problem: Message, span: Option<Range<usize>>| {
        let own = span.filter(|span| span.start <= text.len());
        match own {
            Some(span) => mistake(origin, text, span.start, problem),
            None => StudyError::value(origin, problem),
        }
    };
    // Behind the end of the text, so that no place in them is taken for one in it.
    let below: Vec<String> = below.iter().map(|below| "\n".repeat(text.len() + 1) + below).collect();
    let mut root = DeTable::new();
    for layer in below.iter().rev().map(String::as_str).chain([text]) {
        let parsed = DeTable::parse(layer);
        let mut own = parsed.map_err(|error| failed(of_syntax(error.message()), error.span()))?.into_inner();
        if !root.is_empty() {
            ITS_OWN.iter().for_each(|key| drop(root.remove(*key)));
            take_out(&mut root, &mut own).map_err(|(problem, span)| failed(problem, Some(span)))?;
        }
        lay_over(&mut root, own);
    }
    let root = Text { value: Value::Table(&root), unknown: None, at: 0 };
    T::deserialize(root).map_err(|error| failed(error.problem, error.span))
}

/// What the parser says of a text that is no TOML. It names what it wants in letters of TOML.
fn of_syntax(said: &str) -> Message {
    match said.trim() {
        "duplicate key" => message!(study_toml_twice),
        said => message!(study_toml_syntax, said),
    }
}

/// Keys that hold of the text in which they stand, and of none that is laid over it.
const ITS_OWN: [&str; 3] = ["name", "replaces", "identity"];

/// Takes out of the text below what the one over it says is absent.
fn take_out(below: &mut DeTable<'_>, own: &mut DeTable<'_>) -> Result<(), (Message, Range<usize>)> {
    let Some(absent) = own.remove("absent") else { return Ok(()) };
    let no_list = || (message!(study_absent_list), absent.span());
    for path in absent.get_ref().as_array().ok_or_else(no_list)?.iter() {
        let name = path.get_ref().as_str().ok_or_else(no_list)?;
        let wrong = || (message!(study_absent_unknown, key = name), path.span());
        let mut names = name.split('.').rev();
        let last = names.next().unwrap_or_default();
        let table = names.rev().try_fold(&mut *below, |table, name| match table.get_mut(name)?.get_mut() {
            DeValue::Table(inner) => Some(inner),
            _ => None,
        });
        table.and_then(|table| table.remove(last)).ok_or_else(wrong)?;
    }
    Ok(())
}

fn lay_over<'a>(below: &mut DeTable<'a>, own: DeTable<'a>) {
    for (key, value) in own {
        let Some(old) = below.get_mut(&key) else {
            below.insert(key, value);
            continue;
        };
        let is_named = |list: &DeArray<'a>| !list.is_empty() && list.iter().all(|item| name_of(item).is_some());
        match (old.get_mut(), value.get_ref()) {
            (DeValue::Table(old), DeValue::Table(new)) => lay_over(old, new.clone()),
            (DeValue::Array(old), DeValue::Array(new)) if is_named(old) && is_named(new) => lay_names_over(old, new),
            _ => *old = value,
        }
    }
}

fn lay_names_over<'a>(below: &mut DeArray<'a>, own: &DeArray<'a>) {
    for item in own.iter() {
        let same = below.iter_mut().find(|old| name_of(old) == name_of(item)).map(Spanned::get_mut);
        match (same, item.get_ref()) {
            (Some(DeValue::Table(old)), DeValue::Table(new)) => lay_over(old, new.clone()),
            _ => below.push(item.clone()),
        }
    }
}

/// The name of a table.
fn name_of<'a>(item: &'a Spanned<DeValue<'_>>) -> Option<&'a str> {
    item.get_ref().as_table()?.get("name")?.get_ref().as_str()
}

/// The text that stands under `key` at the top of `text`, where it is one.
pub(crate) fn word(text: &str, key: &str) -> Option<String> {
    let root = DeTable::parse(text).ok()?;
    root.get_ref().get(key)?.get_ref().as_str().map(str::to_string)
}

/// Whether `key = true` stands at the top of `text`.
pub(crate) fn flag(text: &str, key: &str) -> bool {
    let root = DeTable::parse(text).ok();
    root.and_then(|root| root.get_ref().get(key)?.get_ref().as_bool()).unwrap_or_default()
}

/// A value with the byte of the text at which it stands, for mistakes that are found later.
#[derive(Clone, Debug)]
pub(crate) struct Located<T> {
    pub(crate) value: T,
    pub(crate) at: usize,
}

/// The name by which [`Located`] asks for its place.
const PLACED: &str = "$kurabe::placed";

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Located<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Located<T>, D::Error> {
        struct Pair<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Pair<T> {
            type Value = Located<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a value of a text")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Located<T>, A::Error> {
                let missing = || A::Error::custom("a value has no place");
                let at = seq.next_element()?.ok_or_else(missing)?;
                Ok(Located { at, value: seq.next_element()?.ok_or_else(missing)? })
            }
        }
        deserializer.deserialize_newtype_struct(PLACED, Pair(PhantomData))
    }
}

/// A place and what stands there.
struct LocatedAccess<'a> {
    at: Option<usize>,
    text: Option<Text<'a>>,
}

impl<'de> SeqAccess<'de> for LocatedAccess<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        if let Some(at) = self.at.take() {
            return seed.deserialize(at.into_deserializer()).map(Some);
        }
        self.text.take().map(|text| seed.deserialize(text)).transpose()
    }
}

/// A mistake at a byte of a text.
pub(crate) fn mistake(origin: &str, text: &str, at: usize, problem: Message) -> StudyError {
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
    StudyError::value(origin, message!(study_at, problem, line, column))
}

/// What is wrong, and where as far as that is known.
#[derive(Debug, thiserror::Error)]
#[error("{problem}")]
struct ReadError {
    problem: Message,
    /// Whether a key is unknown: then the place is that of the key.
    is_key: bool,
    /// Whether a value is wrong, whose key is not named yet.
    is_value: bool,
    span: Option<Range<usize>>,
}

impl From<Message> for ReadError {
    fn from(problem: Message) -> ReadError {
        ReadError { problem, is_key: false, is_value: false, span: None }
    }
}

impl ReadError {
    /// At this place, where no closer one is known.
    fn at(mut self, span: Range<usize>) -> ReadError {
        self.span.get_or_insert(span);
        self
    }

    /// Of the value of this key, where none is named yet.
    fn of(self, key: &str) -> ReadError {
        match self.is_value {
            true => ReadError { problem: message!(study_in_key, key, problem = self.problem), is_value: false, ..self },
            false => self,
        }
    }

    fn value(found: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError {
            is_value: true,
            ..message!(study_wrong_kind, found = shown(found), wanted = wanted(expected)).into()
        }
    }
}

/// A value that stands where it cannot.
fn shown(found: Unexpected<'_>) -> Message {
    match found {
        Unexpected::Bool(value) => quoted(value),
        Unexpected::Unsigned(value) => quoted(value),
        Unexpected::Signed(value) => quoted(value),
        Unexpected::Float(value) => quoted(value),
        Unexpected::Char(value) => message!(name_quoted, name = value),
        Unexpected::Str(text) => message!(name_quoted, name = without_controls(text)),
        Unexpected::Seq => message!(study_kind_list),
        Unexpected::Map | Unexpected::StructVariant => message!(study_kind_table),
        other => quoted(other),
    }
}

/// What can stand there, from the word by which a type of Rust asks for it.
fn wanted(expected: &dyn Expected) -> Message {
    let word = expected.to_string();
    match word.as_str() {
        "u8" => message!(study_kind_whole, least = 0u64, most = u64::from(u8::MAX)),
        "u16" => message!(study_kind_whole, least = 0u64, most = u64::from(u16::MAX)),
        "u32" => message!(study_kind_whole, least = 0u64, most = u64::from(u32::MAX)),
        "u64" | "usize" => message!(study_kind_natural),
        "i8" | "i16" | "i32" | "i64" | "isize" => message!(study_kind_integer),
        "f32" | "f64" => message!(study_kind_number),
        "a boolean" => message!(study_kind_boolean),
        "a sequence" => message!(study_kind_list),
        "a map" => message!(study_kind_table),
        "a string" | "string" | "a borrowed string" | "str" => message!(study_kind_text),
        word if word.starts_with("struct ") => message!(study_kind_table),
        word if word.contains("string or map") || word.starts_with("enum ") => message!(study_kind_word_or_table),
        word if word.starts_with("a tuple") || word.starts_with("tuple") => message!(study_kind_list),
        _ => message!(study_kind_other),
    }
}

/// What other crates say of a value that they check by themselves, where there is a message for it.
fn of_another(text: &str) -> Message {
    let number = text.rsplit(' ').next().and_then(|word| word.parse().ok());
    match number {
        _ if text == SearchError::Either.to_string() => message!(study_search_either),
        Some(value) if text == SearchError::Large(value).to_string() => {
            message!(study_range, key = "search.at_least", least = 0u64, most = MAX_SAFE_INTEGER, value)
        }
        _ => quoted(text),
    }
}

impl serde::de::Error for ReadError {
    fn custom<T: Display>(message: T) -> ReadError {
        match RecordedText::of(message) {
            RecordedText::Message(message) => message.into(),
            RecordedText::Plain(text) => of_another(&text).into(),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError::value(found, expected)
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> ReadError {
        ReadError::value(found, expected)
    }

    fn invalid_length(len: usize, expected: &dyn Expected) -> ReadError {
        let found = message!(study_kind_list_of, count = len);
        ReadError { is_value: true, ..message!(study_wrong_kind, found, wanted = wanted(expected)).into() }
    }

    fn duplicate_field(name: &'static str) -> ReadError {
        message!(study_twice, named = named("key", name)).into()
    }

    fn unknown_field(name: &str, known: &'static [&'static str]) -> ReadError {
        ReadError { is_key: true, ..unknown("key", name, known).into() }
    }

    fn unknown_variant(name: &str, known: &'static [&'static str]) -> ReadError {
        unknown("word", name, known).into()
    }

    fn missing_field(name: &'static str) -> ReadError {
        message!(study_missing_key, key = name).into()
    }
}

#[derive(Clone, Copy)]
enum Value<'a> {
    Table(&'a DeTable<'a>),
    Other(&'a DeValue<'a>),
}

/// A value on its way into a type.
struct Text<'a> {
    value: Value<'a>,
    /// What to say where nobody wants the value: its key is unknown then.
    unknown: Option<(&'a str, &'static [&'static str])>,
    /// The byte at which it stands.
    at: usize,
}

impl<'a> Text<'a> {
    fn of(spanned: &'a Spanned<DeValue<'a>>) -> Text<'a> {
        let value = spanned.get_ref();
        let value = value.as_table().map_or(Value::Other(value), Value::Table);
        Text { value, unknown: None, at: spanned.span().start }
    }
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = ReadError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        let value = match self.value {
            Value::Table(table) => return visitor.visit_map(Entries::of(table, None)),
            Value::Other(value) => value,
        };
        let too_large = |number: &dyn Display| ReadError::from(message!(study_number_large, number));
        match value {
            DeValue::String(text) => visitor.visit_str(text),
            DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(number) => visitor.visit_i64(number),
                Err(_) => Err(too_large(number)),
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>() {
                Ok(number) => visitor.visit_f64(number),
                Err(_) => Err(too_large(number)),
            },
            DeValue::Boolean(value) => visitor.visit_bool(*value),
            DeValue::Datetime(_) => Err(message!(study_date_text).into()),
            DeValue::Array(items) => visitor.visit_seq(Items(items.iter())),
            DeValue::Table(table) => visitor.visit_map(Entries::of(table, None)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match name {
            PLACED => visitor.visit_seq(LocatedAccess { at: Some(self.at), text: Some(self) }),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Table(table) => visitor.visit_map(Entries::of(table, Some(fields))),
            Value::Other(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, ReadError> {
        match self.value {
            Value::Other(DeValue::String(text)) => visitor.visit_enum(text.as_ref().into_deserializer()),
            Value::Table(table) => {
                MapAccessDeserializer::new(Entries::of(table, None)).deserialize_enum(name, variants, visitor)
            }
            Value::Other(_) => Err(message!(study_expected, known = variants).into()),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ReadError> {
        match self.unknown {
            Some((name, known)) => Err(ReadError::unknown_field(name, known)),
            None => visitor.visit_unit(),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier
    }
}

/// The entries of a table, one after the other.
struct Entries<'a> {
    entries: Box<dyn Iterator<Item = (&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>)> + 'a>,
    value: Option<(&'a Spanned<DeString<'a>>, &'a Spanned<DeValue<'a>>)>,
    /// Keys of the type that is made of them, where that is known.
    known: Option<&'static [&'static str]>,
}

impl<'a> Entries<'a> {
    fn of(table: &'a DeTable<'a>, known: Option<&'static [&'static str]>) -> Entries<'a> {
        Entries { entries: Box::new(table.iter()), value: None, known }
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = ReadError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, ReadError> {
        self.value = self.entries.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let name = key.get_ref().as_ref().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|error: ReadError| error.at(key.span()))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, ReadError> {
        let Some((key, value)) = self.value.take() else { return Err(ReadError::custom("a key without a value")) };
        let unknown = self.known.map(|known| (key.get_ref().as_ref(), known));
        let text = Text { unknown, ..Text::of(value) };
        seed.deserialize(text).map_err(|error| {
            let span = if error.is_key { key.span() } else { value.span() };
            error.at(span).of(key.get_ref())
        })
    }
}

/// The items of an array, one after the other.
struct Items<'a>(std::slice::Iter<'a, Spanned<DeValue<'a>>>);

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = ReadError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, ReadError> {
        let Some(item) = self.0.next() else { return Ok(None) };
        seed.deserialize(Text::of(item)).map(Some).map_err(|error| error.at(item.span()))
    }
}

#[cfg(test)]
#[path = "toml_text_tests.rs"]
mod tests;
