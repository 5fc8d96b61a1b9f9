//! All texts for users, in English and in Japanese.
//!
//! The texts are Fluent catalogues in `en/` and `ja/`, one file an area. A build fails where the languages differ in
//! their ids or arguments. Gettext was the alternative: it keys a text by its English, so a better wording breaks its
//! translation, and it has no types. Before, code built sentences, one function a language: translators could not read
//! them, and JSON had no ids. Fluent brings plurals and selectors, so this crate has no template logic of its own.
//!
//! A [`Message`] is an id and typed arguments, not text. It becomes text where it is shown: `Display` takes the current
//! language ([`set_language`], [`with_language`]), [`Message::text`] any; JSON holds id, arguments and English. A record
//! keeps it as a [`RecordedText`], which reads it back.
//!
//! To add a message:
//! 1. Write it in `en/AREA.ftl`, and declare each argument in a comment directly above: `# $names (names) the leaders`.
//!    The types are those in [`values`]; `$names-count` is the number of elements of a list, for plurals.
//! 2. Write it in `ja/AREA.ftl` from its meaning, without the comments.
//! 3. Use it: `message!(only_ranked, names, places = ranked)`. Each value goes through `into()`.
//!
//! [`by_name`] finds messages without arguments whose id begins with a prefix of [`BY_NAME`]; they need no step 3.

/// Makes a [`Message`] from its id in snake case and its arguments; `name` alone is short for `name = name`.
#[macro_export]
macro_rules! message {
    (@value $name:ident) => { ($name).into() };
    (@value $name:ident = $value:expr) => { ($value).into() };
    ($id:ident $(, $name:ident $(= $value:expr)?)* $(,)?) => {
        $crate::Message::from($crate::snake::$id { $($name: $crate::message!(@value $name $(= $value)?)),* })
    };
}

mod descriptions;
pub mod format;
mod language;
mod message;
mod recorded;
mod render;
mod samples;
pub mod values;

pub use descriptions::{described, parse_translations, set_descriptions};
pub use language::{Language, language, other_encoding, set_language, with_language};
pub use message::Message;
pub use recorded::RecordedText;
pub use samples::{BY_NAME, Entry, all, by_name, sample, samples};
pub use values::{Item, Kind, Value};

include!(concat!(env!("OUT_DIR"), "/catalogue.rs"));
