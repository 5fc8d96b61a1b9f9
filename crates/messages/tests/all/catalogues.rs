//! What holds for the catalogues beyond a build: short files, short sentences, no text without a use.

use std::fs;
use std::path::{Path, PathBuf};

use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement, VariantKey};
use fluent_syntax::parser;
use kurabe_messages::{BY_NAME, Kind, all};

use crate::check::snake;

const MOST_WORDS: usize = 20;
const MOST_LINES: usize = 600;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, extensions: &[&str], found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extensions, found);
        } else if path.extension().is_some_and(|it| extensions.iter().any(|known| it == *known)) {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
}

fn catalogues(language: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    files(&root().join(language), &["ftl"], &mut found);
    found
}

#[test]
fn files_are_short_and_have_the_same_names_in_both_languages() {
    let names = |language: &str| -> Vec<PathBuf> {
        let folder = root().join(language);
        let mut names: Vec<PathBuf> =
            catalogues(language).iter().map(|(path, _)| path.strip_prefix(&folder).unwrap().into()).collect();
        names.sort();
        names
    };
    assert_eq!(names("en"), names("ja"));
    for (path, text) in catalogues("en").into_iter().chain(catalogues("ja")) {
        assert!(text.lines().count() < MOST_LINES, "{} has {MOST_LINES} lines or more: split it", path.display());
    }
}

/// The texts that a pattern can become: one for each variant of its selectors, with one word for each argument.
fn texts(pattern: &Pattern<&str>) -> Vec<String> {
    let mut all = vec![String::new()];
    for element in &pattern.elements {
        let next: Vec<String> = match element {
            PatternElement::TextElement { value } => vec![value.to_string()],
            PatternElement::Placeable { expression: Expression::Inline(_) } => vec!["X".into()],
            PatternElement::Placeable { expression: Expression::Select { variants, .. } } => {
                variants.iter().flat_map(|variant| texts(&variant.value)).collect()
            }
        };
        all = all.iter().flat_map(|text| next.iter().map(move |next| format!("{text}{next}"))).collect();
    }
    all
}

/// The sentences of a text. A point inside a word, as in `app.toml`, ends none.
fn sentences(text: &str) -> Vec<Vec<&str>> {
    let mut all = vec![Vec::new()];
    for line in text.lines() {
        for word in line.split_whitespace() {
            if word.contains(char::is_alphanumeric) {
                all.last_mut().unwrap().push(word);
            }
            if word.trim_end_matches(['\'', '"', ')']).ends_with(['.', ':', ';', '?', '!']) {
                all.push(Vec::new());
            }
        }
        all.push(Vec::new());
    }
    all
}

/// The sentences of a catalogue that are too long, with their ids.
fn too_long(catalogue: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in parser::parse(catalogue).unwrap().body {
        let Entry::Message(message) = entry else { continue };
        for text in texts(&message.value.unwrap()) {
            let long = sentences(&text).into_iter().filter(|words| words.len() > MOST_WORDS);
            found.extend(long.map(|words| format!("{} ({} words): {}", message.id.name, words.len(), words.join(" "))));
        }
    }
    found.dedup();
    found
}

#[test]
fn no_english_sentence_is_longer_than_twenty_words() {
    let found: Vec<String> = catalogues("en").iter().flat_map(|(_, text)| too_long(text)).collect();
    assert!(found.is_empty(), "make two sentences of each:\n{}", found.join("\n"));
}

#[test]
fn words_are_counted_by_sentence_variant_and_argument() {
    let ten = "one two three four five six seven eight nine { $count }";
    assert!(too_long(&format!("a = {ten} {ten}\n")).is_empty());
    assert!(too_long(&format!("a = {ten}: {ten}. {ten}\n    {ten} – {ten}\n")).is_empty());
    assert_eq!(too_long(&format!("a = {ten} app.toml {ten}\n")).len(), 1);
    let select = format!("a = {ten} {{ $count ->\n    [one] {ten}\n   *[other] {ten} more\n }}\n");
    assert_eq!(too_long(&select).len(), 1);
}

/// The selectors on numbers in a pattern that have a plural category as a key; `numbers` are the names of numbers.
fn plurals<'a>(pattern: &Pattern<&'a str>, numbers: &dyn Fn(&str) -> bool, found: &mut Vec<&'a str>) {
    for element in &pattern.elements {
        let PatternElement::Placeable { expression: Expression::Select { selector, variants } } = element else {
            continue;
        };
        let is_number = matches!(selector, InlineExpression::VariableReference { id } if numbers(id.name));
        for variant in variants {
            match variant.key {
                VariantKey::Identifier { name } if is_number && !variant.default => found.push(name),
                _ => {}
            }
            plurals(&variant.value, numbers, found);
        }
    }
}

/// Japanese numbers have one plural category, `other`: `[one]` would never be chosen, so `[1]` is written.
#[test]
fn japanese_selects_numbers_by_their_value() {
    let mut wrong = Vec::new();
    for (path, text) in catalogues("ja") {
        for entry in parser::parse(text.as_str()).unwrap().body {
            let Entry::Message(message) = entry else { continue };
            let entry = all().iter().find(|known| known.id == message.id.name).unwrap();
            let is_count = |name: &str| entry.arguments.contains(&(name, Kind::Count));
            let mut found = Vec::new();
            let numbers = |name: &str| is_count(name) || name.ends_with("-count");
            plurals(message.value.as_ref().unwrap(), &numbers, &mut found);
            wrong.extend(found.iter().map(|key| format!("{}: {}: [{key}]", path.display(), message.id.name)));
        }
    }
    assert!(wrong.is_empty(), "write [1], [2] … in Japanese:\n{}", wrong.join("\n"));
}

/// Whether `word` is in `text` and not a part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let part = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || it == '_');
    text.match_indices(word)
        .any(|(start, _)| !part(text[..start].chars().next_back()) && !part(text[start + word.len()..].chars().next()))
}

/// Whether code or a page uses the message: in `message!`, by its type, or by its id in quotes on a page.
fn is_used(id: &str, code: &str, pages: &str) -> bool {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let name: String = id.split('-').map(capital).collect();
    let mark = format!("message!({}", snake(id));
    let quoted = [format!("\"{id}\""), format!("'{id}'")];
    has_word(code, &mark)
        || has_word(code, &name)
        || has_word(pages, &mark)
        || quoted.iter().any(|it| pages.contains(it))
}

/// All sources of the workspace without white space after `(`, which is where a long line breaks.
fn sources(extensions: &[&str]) -> String {
    let mut found = Vec::new();
    for krate in fs::read_dir(root().join("..")).unwrap() {
        let krate = krate.unwrap().path();
        for folder in ["src", "templates"].map(|name| krate.join(name)) {
            if folder.is_dir() {
                files(&folder, extensions, &mut found);
            }
        }
    }
    found.iter().map(|(_, text)| joined(text)).collect::<Vec<String>>().join("\n")
}

fn joined(text: &str) -> String {
    text.split('(')
        .enumerate()
        .map(|(index, it)| if index == 0 { it } else { it.trim_start() })
        .collect::<Vec<_>>()
        .join("(")
}

#[test]
fn every_message_is_used() {
    let (code, pages) = (sources(&["rs"]), sources(&["html"]));
    let unused: Vec<&str> = all()
        .iter()
        .map(|entry| entry.id)
        .filter(|id| !BY_NAME.iter().any(|prefix| id.starts_with(prefix)) && !is_used(id, &code, &pages))
        .collect();
    assert!(unused.is_empty(), "no code uses these, so delete them in both languages: {}", unused.join(", "));
}

#[test]
fn messages_that_are_looked_up_by_name_have_no_arguments() {
    for entry in all() {
        let by_name = BY_NAME.iter().any(|prefix| entry.id.starts_with(prefix));
        assert!(!by_name || entry.arguments.is_empty(), "{} has arguments, so by_name cannot find it", entry.id);
    }
}

#[test]
fn a_use_is_the_whole_word() {
    let code = joined("x(message!(\n    list_and_more,\n all)); Message::from(NameQuoted { name })");
    assert!(is_used("list-and-more", &code, "") && is_used("name-quoted", &code, ""));
    assert!(!is_used("list-and", &code, "") && !is_used("name", &code, ""));
    assert!(is_used("page-title", "", "{{ message('page-title') }}") && !is_used("page", "", "'page-title'"));
}
