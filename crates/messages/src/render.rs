//! From a message to a text, through Fluent.

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::types::FluentType;
use fluent_bundle::{FluentArgs, FluentError, FluentResource, FluentValue};
use intl_memoizer::IntlLangMemoizer;
use intl_memoizer::concurrent::IntlLangMemoizer as ConcurrentMemoizer;

use crate::format::{AND, CLAUSES, OR, SERIES};
use crate::values::{Described, Item, Line, OptionalMessage, Value};
use crate::{ENGLISH, JAPANESE, Language, Message, RecordedText, descriptions, format};

type Bundle = FluentBundle<FluentResource>;

static IN_ENGLISH: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::English, ENGLISH));
static IN_JAPANESE: LazyLock<Bundle> = LazyLock::new(|| bundle(Language::Japanese, JAPANESE));

fn bundle(language: Language, files: &[&str]) -> Bundle {
    let identifier = language.code().parse().expect("a code of BCP 47");
    let mut bundle = Bundle::new_concurrent(vec![identifier]);
    // The marks are for texts from right to left; a terminal shows them as boxes.
    bundle.set_use_isolating(false);
    bundle.set_formatter(Some(|value, _| formatted(value)));
    for file in files {
        let resource = FluentResource::try_new((*file).to_string()).expect("the build script parsed this file");
        bundle.add_resource(resource).expect("the build script saw that ids are unique");
    }
    bundle
}

/// The value of an absent message: a selector sees this word, a text nothing.
static ABSENT: &str = "none";

/// What Fluent does not write as Kurabe does.
fn formatted(value: &FluentValue) -> Option<String> {
    match value {
        FluentValue::Number(number) if number.value.fract() == 0.0 && number.value >= 0.0 => {
            Some(format::count(number.value as u64))
        }
        // By its address: any other text may be the word "none" too.
        FluentValue::String(text) if std::ptr::eq(text.as_ptr(), ABSENT.as_ptr()) => Some(String::new()),
        _ => None,
    }
}

/// An optional message that is present. As a type of its own it equals no key of a selector, not even `[none]`.
#[derive(Clone, Debug, PartialEq)]
struct Present(String);

impl FluentType for Present {
    fn duplicate(&self) -> Box<dyn FluentType + Send> {
        Box::new(self.clone())
    }

    fn as_string(&self, _: &IntlLangMemoizer) -> Cow<'static, str> {
        self.0.clone().into()
    }

    fn as_string_threadsafe(&self, _: &ConcurrentMemoizer) -> Cow<'static, str> {
        self.0.clone().into()
    }
}

/// The text of `message`. What Fluent complains of, here or in what is nested, goes into `errors`. A catalogue that
/// passes its tests makes none.
pub(crate) fn text(message: &Message, language: Language, errors: &mut Vec<FluentError>) -> String {
    let bundle = match language {
        Language::English => &*IN_ENGLISH,
        Language::Japanese => &*IN_JAPANESE,
    };
    let mut arguments = FluentArgs::with_capacity(message.arguments().len());
    for (name, value) in message.arguments() {
        if let Some(count) = elements(value) {
            arguments.set(format!("{name}-count"), count as f64);
        }
        arguments.set(*name, shown(value, language, errors));
    }
    let pattern = bundle.get_message(message.id()).and_then(|found| found.value());
    let pattern = pattern.expect("the build script saw a text for each id in each language");
    bundle.format_pattern(pattern, Some(&arguments), errors).into_owned()
}

/// The number of elements of a list.
fn elements(value: &Value) -> Option<usize> {
    match value {
        Value::Names(names) => Some(names.0.len()),
        Value::Either(names) => Some(names.0.len()),
        Value::List(items) => Some(items.0.len()),
        Value::Clauses(items) => Some(items.0.len()),
        Value::Series(items) => Some(items.0.len()),
        _ => None,
    }
}

fn shown(value: &Value, language: Language, errors: &mut Vec<FluentError>) -> FluentValue<'static> {
    let text = match value {
        Value::Text(text) => self::recorded(&text.0, language, errors),
        Value::Described(Described(RecordedText::Plain(text))) => descriptions::shown(text, language),
        Value::Described(Described(text)) => self::recorded(text, language, errors),
        Value::Line(Line(text)) => {
            self::recorded(text, language, errors).lines().next().unwrap_or_default().to_string()
        }
        Value::Names(names) => format::joined(names.0.iter().map(|name| format::name(name, language)), AND, language),
        Value::Either(names) => format::joined(names.0.iter().map(|name| format::name(name, language)), OR, language),
        Value::List(items) => format::joined(texts(&items.0, language, errors), AND, language),
        Value::Clauses(items) => format::joined(texts(&items.0, language, errors), CLAUSES, language),
        Value::Series(items) => format::joined(texts(&items.0, language, errors), SERIES, language),
        Value::Message(message) => self::text(message, language, errors),
        Value::OptionalMessage(OptionalMessage(None)) => return FluentValue::String(ABSENT.into()),
        Value::OptionalMessage(OptionalMessage(Some(message))) => {
            return FluentValue::Custom(Box::new(Present(self::text(message, language, errors))));
        }
        Value::Count(count) => return FluentValue::from(count.0 as f64),
        Value::Number(number) => number.0.to_string(),
        Value::Ratio(value) => format::ratio(value.0),
        Value::Rate(value) => format::rate(value.0),
        Value::Times(value) => format::times(value.0),
        Value::Percent(value) => format::percent(value.0, language),
        Value::Duration(value) => format::duration(value.0),
        Value::Span(value) => format::span(value.0, language),
        Value::Size(value) => format::size(value.0),
        Value::Difference(value) => format::difference(value.0, language),
        Value::Significant2(value) => format::significant(value.0, 2),
        Value::Significant3(value) => format::significant(value.0, 3),
    };
    FluentValue::String(text.into())
}

fn recorded(text: &RecordedText, language: Language, errors: &mut Vec<FluentError>) -> String {
    match text {
        RecordedText::Plain(text) => text.clone(),
        RecordedText::Message(message) => self::text(message, language, errors),
    }
}

fn texts(items: &[Item], language: Language, errors: &mut Vec<FluentError>) -> Vec<String> {
    let mut text = |item: &Item| match item {
        Item::Text(text) => recorded(&text.0, language, errors),
        Item::Message(message) => self::text(message, language, errors),
    };
    items.iter().map(&mut text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{all, samples};

    #[test]
    fn every_message_renders_in_every_language_with_sample_arguments() {
        for entry in all() {
            for message in samples(entry.id) {
                for language in Language::ALL {
                    let mut errors = Vec::new();
                    let text = text(&message, language, &mut errors);
                    assert!(errors.is_empty(), "{} in {language}: {errors:?} in '{text}'", entry.id);
                }
            }
        }
    }

    #[test]
    fn a_message_without_an_argument_of_its_text_is_an_error() {
        let mut errors = Vec::new();
        text(&Message::new("name-quoted", Vec::new()), Language::English, &mut errors);
        assert_eq!(errors.len(), 1);
    }

    #[test]
    fn an_absent_message_selects_none_and_the_word_none_does_not() {
        let source = "a = { $why -> \n [none] nothing\n *[other] since { $why }\n }{ $why }\n\
            b = { $count -> \n [0] no row\n [one] one row\n *[other] { $count } rows\n }\n";
        let bundle = bundle(Language::English, &[source]);
        let shown = |id: &str, name: &'static str, value: &Value| {
            let mut arguments = FluentArgs::new();
            arguments.set(name, super::shown(value, Language::English, &mut Vec::new()));
            let pattern = bundle.get_message(id).and_then(|message| message.value()).unwrap();
            bundle.format_pattern(pattern, Some(&arguments), &mut Vec::new()).into_owned()
        };
        let none = Value::OptionalMessage(None.into());
        let named_none = message!(name_quoted, name = "none");
        assert_eq!(shown("a", "why", &none), "nothing");
        assert_eq!(shown("a", "why", &Value::OptionalMessage(named_none.into())), "since 'none''none'");
        assert_eq!(shown("a", "why", &Value::Text("none".into())), "nothingnone");
        let rows = |count: u64| shown("b", "count", &Value::Count(count.into()));
        assert_eq!([rows(0), rows(1), rows(12_345)], ["no row", "one row", "12,345 rows"]);
    }

    #[test]
    fn a_line_is_the_first_of_a_text_or_a_message() {
        let line = |text: RecordedText| match super::shown(&Value::Line(text.into()), Language::Japanese, &mut vec![]) {
            FluentValue::String(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        let quoted = message!(name_quoted, name = "a\nb");
        assert_eq!((line("a\nb".into()), line(quoted.into()), line("".into())), ("a".into(), "「a".into(), "".into()));
    }

    #[test]
    fn lists_read_as_words_of_their_language() {
        let shown = |value: &Value, language| match super::shown(value, language, &mut Vec::new()) {
            FluentValue::String(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        let names = ["a", "b", "c"];
        let item = || Item::from(message!(span_minutes, minutes = "2"));
        for (value, english, japanese) in [
            (Value::Names(names.into()), "'a', 'b' and 'c'", "「a」、「b」、「c」"),
            (Value::Either(names.into()), "'a', 'b' or 'c'", "「a」、「b」または「c」"),
            (Value::List(vec![item(), "x".into(), item()].into()), "2 min, x and 2 min", "2 分、x、2 分"),
            (Value::Clauses(vec![item(), item(), item()].into()), "2 min; 2 min; 2 min", "2 分。2 分。2 分"),
            (Value::Series(vec![item(), item(), item()].into()), "2 min, 2 min, 2 min", "2 分、2 分、2 分"),
            (Value::Names(["a"].into()), "'a'", "「a」"),
            (Value::List(Vec::<Message>::new().into()), "", ""),
        ] {
            assert_eq!((shown(&value, Language::English).as_str(), value.kind()), (english, value.kind()));
            assert_eq!(shown(&value, Language::Japanese), japanese);
        }
    }

    #[test]
    fn a_figure_is_written_by_the_function_of_its_type() {
        let shown = |value: Value| match super::shown(&value, Language::English, &mut Vec::new()) {
            FluentValue::String(text) => text.into_owned(),
            other => panic!("{other:?}"),
        };
        let all = [
            shown(Value::Number(2026u64.into())),
            shown(Value::Ratio(1.0004.into())),
            shown(Value::Rate(1_234_567.0.into())),
            shown(Value::Times(8.04.into())),
            shown(Value::Percent(0.07.into())),
            shown(Value::Duration(1_500_000u64.into())),
            shown(Value::Span(std::time::Duration::from_secs(125).into())),
            shown(Value::Size(1_572_864u64.into())),
            shown(Value::Difference(11.0.into())),
            shown(Value::Significant2(1_234.5.into())),
            shown(Value::Significant3(1_234.5.into())),
        ];
        let expected = [
            "2026",
            "1.000",
            "1,235,000",
            "8.0",
            "7.0 %",
            "1.50 ms",
            "2 min",
            "1.50 MiB",
            "a factor of 12",
            "1,200",
            "1,230",
        ];
        assert_eq!(all, expected);
    }
}
