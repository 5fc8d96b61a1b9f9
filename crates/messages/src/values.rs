//! The types of arguments. Each takes what callers have by `into()`.
//!
//! | in a comment | type | as text |
//! |---|---|---|
//! | `text` | [`Text`] | as it is |
//! | `line` | [`Line`] | its first line |
//! | `described` | [`Described`] | its translation, where a definition has one |
//! | `names` | [`Names`] | in quotes, joined by "and" |
//! | `either` | [`Either`] | in quotes, joined by "or" |
//! | `list` | [`List`] | joined by "and" |
//! | `clauses` | [`Clauses`] | joined by semicolons |
//! | `series` | [`Series`] | joined by commas |
//! | `message` | [`Message`] | in the same language |
//! | `message?` | [`OptionalMessage`] | nothing where it is absent, which a selector knows as `[none]` |
//! | `count` | [`Count`] | with thousands separators; for plurals |
//! | `number` | [`Number`] | without separators: a year, a line |
//! | `ratio`, `rate`, `times` | [`Ratio`], [`Rate`], [`Times`] | as [`crate::format`] does |
//! | `percent`, `difference` (of a share) | [`Percent`], [`Difference`] | as [`crate::format`] does |
//! | `significant2`, `significant3` | [`Significant2`], [`Significant3`] | as [`crate::format`] does |
//! | `duration`, `span` | [`Duration`], [`Span`] (ns) | as [`crate::format`] does |
//! | `size` | [`Size`] (bytes) | as [`crate::format`] does |

use std::fmt::Display;

use serde::{Serialize, Serializer};

pub use crate::message::Message;
use crate::recorded::RecordedText;

/// A name, a path, an error. An error that shows a message stays that message, in no language yet.
///
/// It has no `Display`: that is what lets it be made from all that has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Text(pub(crate) RecordedText);

impl<T: Display> From<T> for Text {
    fn from(value: T) -> Text {
        Text(RecordedText::of(value))
    }
}

/// A text of a definition: of a study, a store, a client or an app. What travels in the binary has translations; what a
/// user wrote is shown as it is. A message in its place stays one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Described(pub(crate) RecordedText);

impl<T: Display> From<T> for Described {
    fn from(value: T) -> Described {
        Described(RecordedText::of(value))
    }
}

/// What may have lines, such as the end of a log, and is to stand within a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Line(pub(crate) RecordedText);

impl<T: Display> From<T> for Line {
    fn from(value: T) -> Line {
        Line(RecordedText::of(value))
    }
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Item {
    /// As it is.
    Text(Text),
    /// In the language of the list.
    Message(Message),
}

impl From<Message> for Item {
    fn from(message: Message) -> Item {
        Item::Message(message)
    }
}

impl From<RecordedText> for Item {
    fn from(text: RecordedText) -> Item {
        match text {
            RecordedText::Message(message) => Item::Message(message),
            text => Item::Text(Text(text)),
        }
    }
}

impl From<Text> for Item {
    fn from(text: Text) -> Item {
        text.0.into()
    }
}

/// `From` for the strings that callers have.
macro_rules! item_from {
    ($($type:ty),+) => {
        $(impl From<$type> for Item {
            fn from(text: $type) -> Item {
                Item::Text(text.into())
            }
        })+
    };
}

item_from!(String, &String, &str);

/// A sequence of elements, made from vectors, slices, arrays and iterators.
macro_rules! sequences {
    ($($(#[$doc:meta])+ $name:ident of $element:ty;)+) => {
        $(
            $(#[$doc])+
            #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
            pub struct $name(pub(crate) Vec<$element>);

            impl<T: Into<$element>> FromIterator<T> for $name {
                fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> $name {
                    $name(elements.into_iter().map(Into::into).collect())
                }
            }

            impl<T: Into<$element>> From<Vec<T>> for $name {
                fn from(elements: Vec<T>) -> $name {
                    elements.into_iter().collect()
                }
            }

            impl<T: Into<$element>, const N: usize> From<[T; N]> for $name {
                fn from(elements: [T; N]) -> $name {
                    elements.into_iter().collect()
                }
            }

            impl<T: Clone + Into<$element>> From<&Vec<T>> for $name {
                fn from(elements: &Vec<T>) -> $name {
                    elements.iter().cloned().collect()
                }
            }

            impl<T: Clone + Into<$element>> From<&[T]> for $name {
                fn from(elements: &[T]) -> $name {
                    elements.iter().cloned().collect()
                }
            }
        )+
    };
}

sequences! {
    /// Names of candidates, stores, phases: 'a', 'b' and 'c'.
    Names of String;
    /// Names of which one is meant: 'a', 'b' or 'c'.
    Either of String;
    /// Parts of a sentence: a, b and c.
    List of Item;
    /// Sentences in one: a; b; c.
    Clauses of Item;
    /// Short parts: a, b, c.
    Series of Item;
}

/// A message, or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct OptionalMessage(pub(crate) Option<Message>);

impl From<Option<Message>> for OptionalMessage {
    fn from(message: Option<Message>) -> OptionalMessage {
        OptionalMessage(message)
    }
}

impl From<Message> for OptionalMessage {
    fn from(message: Message) -> OptionalMessage {
        OptionalMessage(Some(message))
    }
}

/// A count of things. Plurals depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count(pub(crate) u64);

/// `From` for the types of counts; a literal needs its suffix, as in `3u64`.
macro_rules! count_from {
    ($($type:ty),+) => {
        $(impl From<$type> for Count {
            fn from(count: $type) -> Count {
                Count(count as u64)
            }
        })+
    };
}

count_from!(u64, usize, u32, u16, u8);

/// Figures that a function of `format` shows.
macro_rules! quantities {
    ($($(#[$doc:meta])+ $name:ident;)+) => {
        $(
            $(#[$doc])+
            #[derive(Clone, Copy, Debug)]
            pub struct $name(pub(crate) f64);

            impl From<f64> for $name {
                fn from(value: f64) -> $name {
                    $name(value)
                }
            }

            impl From<u64> for $name {
                fn from(value: u64) -> $name {
                    $name(value as f64)
                }
            }

            impl From<u32> for $name {
                fn from(value: u32) -> $name {
                    $name(f64::from(value))
                }
            }

            impl From<usize> for $name {
                fn from(value: usize) -> $name {
                    $name(value as f64)
                }
            }

            /// The same figure, bit by bit: a message that has one can be compared, also where it is not a number.
            impl PartialEq for $name {
                fn eq(&self, other: &$name) -> bool {
                    self.0.to_bits() == other.0.to_bits()
                }
            }

            impl Eq for $name {}

            impl Serialize for $name {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serialize_number(self.0, serializer)
                }
            }
        )+
    };
}

/// A whole number without a point, up to where an `f64` tells all of them apart.
fn serialize_number<S: Serializer>(value: f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        serializer.serialize_i64(value as i64)
    } else {
        serializer.serialize_f64(value)
    }
}

quantities! {
    /// A number without separators: a year, a line.
    Number;
    /// A ratio: `0.987`.
    Ratio;
    /// A rate a second: `12,340`.
    Rate;
    /// How many times as fast: `2.1`.
    Times;
    /// A share as a percentage: 0.07 is `7.0 %`.
    Percent;
    /// A duration in ns with its unit: `1.50 ms`.
    Duration;
    /// A time in ns as people say it: `2 min`.
    Span;
    /// A size in bytes with its unit: `1.50 MiB`.
    Size;
    /// A relative difference: `7.0 %`, `a factor of 12`.
    Difference;
    /// A figure at two significant digits.
    Significant2;
    /// A figure at three significant digits.
    Significant3;
}

impl From<std::time::Duration> for Duration {
    fn from(duration: std::time::Duration) -> Duration {
        Duration(duration.as_nanos() as f64)
    }
}

impl From<std::time::Duration> for Span {
    fn from(duration: std::time::Duration) -> Span {
        Span(duration.as_nanos() as f64)
    }
}

/// One variant a type.
macro_rules! kinds {
    ($($name:ident),+ $(,)?) => {
        /// The type of an argument.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Kind {
            $(#[doc = concat!("A [`", stringify!($name), "`].")] $name),+
        }

        /// An argument of any type.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize)]
        #[serde(untagged)]
        pub enum Value {
            $(#[doc = concat!("A [`", stringify!($name), "`].")] $name($name)),+
        }

        impl Value {
            /// Its type.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Value::$name(_) => Kind::$name),+
                }
            }
        }
    };
}

kinds! {
    Text, Described, Line, Names, Either, List, Clauses, Series, Message, OptionalMessage, Count, Number, Ratio, Rate, Times, Percent,
    Duration, Span, Size, Difference, Significant2, Significant3,
}
