//! The Rust that the catalogues become.

use std::fmt::Write;

use crate::check::{Message, Source, snake};

/// `only-ranked` as `OnlyRanked`.
fn camel(id: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    id.split('-').filter(|word| !word.is_empty()).map(capital).collect()
}

/// The whole file.
pub fn rust(messages: &[Message], english: &[Source], japanese: &[Source]) -> String {
    let structs: String = messages.iter().map(structure).collect();
    let entries: String = messages.iter().map(entry).collect();
    let aliases: String = messages
        .iter()
        .map(|message| format!("    pub type {} = super::catalogue::{};\n", snake(&message.id), camel(&message.id)))
        .collect();
    format!(
        "/// One type a message: its English text, and its arguments as fields.\n\
         pub mod catalogue {{\n{structs}}}\n\
         /// The same types under the ids in snake case, for `message!`.\n\
         #[doc(hidden)]\n#[allow(non_camel_case_types, missing_docs)]\npub mod snake {{\n{aliases}}}\n\
         pub(crate) const ENTRIES: &[Entry] = &[\n{entries}];\n{}{}",
        files("ENGLISH", english),
        files("JAPANESE", japanese)
    )
}

fn structure(message: &Message) -> String {
    let (name, id) = (camel(&message.id), &message.id);
    let doc = format!("```text\n{}\n```", message.english);
    let (mut fields, mut values) = (String::new(), String::new());
    for argument in &message.arguments {
        let (field, rust) = (snake(&argument.name), argument.kind.rust);
        let doc = if argument.about.is_empty() { argument.kind.word } else { &argument.about };
        // Writing to a string cannot fail.
        let _ = writeln!(fields, "        #[doc = {doc:?}]\n        pub {field}: crate::values::{rust},");
        let _ = write!(values, "({:?}, crate::values::Value::{rust}(it.{field})), ", argument.name);
    }
    let it = if values.is_empty() { "_" } else { "it" };
    format!(
        "    #[doc = {doc:?}]\n    #[derive(Clone, Debug, PartialEq, Eq)]\n    pub struct {name} {{\n{fields}    }}\n\
         \x20   impl From<{name}> for crate::Message {{\n        fn from({it}: {name}) -> crate::Message {{\n\
         \x20           crate::Message::new({id:?}, vec![{values}])\n        }}\n    }}\n"
    )
}

fn entry(message: &Message) -> String {
    let arguments: String =
        message.arguments.iter().map(|it| format!("({:?}, Kind::{}), ", it.name, it.kind.rust)).collect();
    format!("    Entry {{ id: {:?}, file: {:?}, arguments: &[{arguments}] }},\n", message.id, message.file)
}

fn files(name: &str, sources: &[Source]) -> String {
    let include =
        |source: &Source| format!("include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/{}\"))", source.file);
    let files: Vec<String> = sources.iter().map(include).collect();
    format!("pub(crate) const {name}: &[&str] = &[{}];\n", files.join(", "))
}
