//! The Japanese texts of the studies, stores, clients and apps that travel in the binary.
//!
//! Beside each TOML file stands one of Fluent: `ja.ftl` in a folder, `STUDY.ja.ftl` beside a study. An id is the way to
//! the text: the keys with hyphens between them, an element of an array by its name, or by its number from 1 where it has
//! no name of one word (`durability-aof-always-window`, `published-2-title`). Other languages than Japanese have no
//! files, since the definitions are English.

use std::collections::HashMap;
use std::path::Path;

use include_dir::{Dir, File};
use kurabe_messages::{Language, message, parse_translations, set_descriptions};
use toml::Value;

use crate::catalogue::{APPS, CLIENTS, STORES, STUDIES};

/// Reasons by the names of programs.
const STANDS_FOR: &str = "stands_for";

/// Keys whose texts are for people.
const KEYS: [&str; 17] = [
    "backup",
    "by_hand",
    "conditions",
    "date",
    "fact",
    "licence",
    "name",
    "not_judged",
    "plain_reason",
    "reason",
    "says",
    "schema_change",
    "site",
    STANDS_FOR,
    "summary",
    "title",
    "window",
];

/// Gives the translations to the messages. A program calls it once, at its start.
pub fn translate_descriptions() {
    let all = files().flat_map(|(definition, translations)| {
        let translated: HashMap<String, String> =
            parse_translations(translations).unwrap_or_default().into_iter().collect();
        texts(definition).into_iter().filter_map(move |(id, text)| Some((text, translated.get(&id)?.clone())))
    });
    // This one is in no file, but stands in records beside those that are.
    let together = message!(study_all_pitfalls);
    let together = (together.text(Language::English), together.text(Language::Japanese));
    set_descriptions(all.chain([together]).collect());
}

/// Each definition in the binary with its translations; the file names are those of the definition and of the other.
fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let folders = [(&STORES, "store.toml"), (&CLIENTS, "client.toml"), (&APPS, "app.toml")];
    let in_folders = folders.into_iter().flat_map(|(all, name)| {
        all.dirs()
            .filter_map(move |folder| Some((text(all, &folder.path().join(name))?, folder.path().join("ja.ftl"), all)))
    });
    let studies = STUDIES.files().filter(|file| file.path().extension().is_some_and(|kind| kind == "toml"));
    let studies =
        studies.filter_map(|file| Some((file.contents_utf8()?, file.path().with_extension("ja.ftl"), &STUDIES)));
    in_folders.chain(studies).map(|(definition, beside, all)| (definition, text(all, &beside).unwrap_or_default()))
}

fn text(folder: &'static Dir<'static>, path: &Path) -> Option<&'static str> {
    folder.get_file(path).and_then(File::contents_utf8)
}

/// The texts of a definition with their ids.
fn texts(definition: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Ok(table) = definition.parse::<toml::Table>() {
        collect(&Value::Table(table), "", "", &mut found);
    }
    found
}

fn collect(value: &Value, key: &str, path: &str, found: &mut Vec<(String, String)>) {
    let below = |part: &str| if path.is_empty() { part.to_string() } else { format!("{path}-{part}") };
    match value {
        // Its keys are names of programs.
        Value::Table(table) if key == STANDS_FOR => {
            table.iter().for_each(|(part, value)| collect(value, key, &below(part), found));
        }
        Value::Table(table) => table.iter().for_each(|(key, value)| collect(value, key, &below(key), found)),
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                collect(value, "", &below(&name_of(value).unwrap_or_else(|| (index + 1).to_string())), found);
            }
        }
        // Candidates are called by their names everywhere.
        Value::String(text) if KEYS.contains(&key) && !path.starts_with("candidate-") => {
            let plain = |sign: char| if sign.is_ascii_alphanumeric() { sign } else { '-' };
            found.push((path.chars().map(plain).collect(), text.clone()));
        }
        _ => {}
    }
}

/// The name of an element of an array, where it is one word.
fn name_of(value: &Value) -> Option<String> {
    let name = ["name", "setting", "told", "version"].iter().find_map(|key| value.get(key)?.as_str())?;
    (!name.contains(' ')).then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a text needs a translation. A single word is mostly a name, and so is a licence as SPDX writes it.
    fn has_words(id: &str, text: &str) -> bool {
        let is_of_spdx =
            |word: &str| ["OR", "AND", "WITH"].contains(&word) || !word.ends_with(|last: char| last.is_lowercase());
        text.contains(' ') && !(id == "licence" && text.split(' ').all(is_of_spdx))
    }

    #[test]
    fn each_text_of_a_definition_has_a_translation_and_each_translation_a_text() {
        let mut problems = Vec::new();
        let mut known: HashMap<String, String> = HashMap::new();
        for (definition, translations) in files() {
            let name = definition.lines().find(|line| line.starts_with("title")).unwrap_or_default();
            let translated = parse_translations(translations).unwrap_or_else(|error| panic!("{name}: {error}"));
            let translated: HashMap<String, String> = translated.into_iter().collect();
            let texts: HashMap<String, String> = texts(definition).into_iter().collect();
            let lacks = texts.iter().filter(|(id, text)| has_words(id, text) && !translated.contains_key(*id));
            problems.extend(lacks.map(|(id, _)| format!("{name}: no Japanese for {id}")));
            let spare = translated.keys().filter(|id| !texts.contains_key(*id));
            problems.extend(spare.map(|id| format!("{name}: no text for {id}")));
            for (id, text) in texts {
                let Some(japanese) = translated.get(&id) else { continue };
                let before = known.insert(text.clone(), japanese.clone());
                if before.is_some_and(|before| before != *japanese) {
                    problems.push(format!("{name}: '{text}' has two translations"));
                }
            }
        }
        assert!(known.len() > 400, "{}", known.len());
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
