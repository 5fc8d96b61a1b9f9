//! Texts of definitions in the language of the reader.
//!
//! Studies, stores, clients and apps are TOML files in English. Those that travel in the binary have a file `ja.ftl`
//! beside them. An id for each text in the TOML was the alternative: a user who writes a definition would meet ids that
//! he does not need. So a text is looked up by itself, and a user's text, or one that a record keeps from an older
//! Kurabe, is shown as it is. Which text an id of `ja.ftl` belongs to is the business of who reads the definitions.

use std::collections::HashMap;
use std::fmt::Display;
use std::sync::OnceLock;

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, PatternElement};

use crate::{Language, Message};

/// Japanese by English.
static IN_JAPANESE: OnceLock<HashMap<String, String>> = OnceLock::new();

/// Gives the translations of texts of definitions, Japanese by English. A program calls it once, at its start.
pub fn set_descriptions(translations: HashMap<String, String>) {
    let _ = IN_JAPANESE.set(translations);
}

/// A message that is a text of a definition and nothing else, or a message in its place.
pub fn described(text: impl Display) -> Message {
    message!(described, text)
}

pub(crate) fn shown(text: &str, language: Language) -> String {
    let translated = IN_JAPANESE.get().filter(|_| language == Language::Japanese).and_then(|all| all.get(text));
    translated.map_or(text, String::as_str).to_string()
}

/// The texts of a file of translations by their ids: plain texts on one line each. What is anything else is an error.
pub fn parse_translations(source: &str) -> Result<Vec<(String, String)>, String> {
    let resource = FluentResource::try_new(source.to_string()).map_err(|(_, errors)| format!("{errors:?}"))?;
    let texts = resource.entries().filter_map(|entry| match entry {
        Entry::Comment(_) | Entry::GroupComment(_) | Entry::ResourceComment(_) => None,
        Entry::Message(message) => Some(match message.value.as_ref().map(|value| value.elements.as_slice()) {
            Some([PatternElement::TextElement { value }]) => Ok((message.id.name.to_string(), value.to_string())),
            _ => Err(format!("{} is no plain text on one line", message.id.name)),
        }),
        other => Some(Err(format!("is no text: {other:?}"))),
    });
    texts.collect()
}
