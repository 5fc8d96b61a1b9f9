//! Small bad catalogues, and what a build says of each.

use crate::check::{Message, Source, check};

fn sources(language: &str, texts: &[&str]) -> Vec<Source> {
    let one = |(index, text): (usize, &&str)| Source {
        file: format!("{language}/{}.ftl", ["one", "two"][index]),
        text: text.to_string(),
    };
    texts.iter().enumerate().map(one).collect()
}

fn checked(english: &[&str], japanese: &[&str]) -> Result<Vec<Message>, Vec<String>> {
    check(&sources("en", english), &sources("ja", japanese))
}

/// The only problem of a catalogue of one file.
fn problem(english: &str, japanese: &str) -> String {
    let problems = checked(&[english], &[japanese]).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.into_iter().next().unwrap()
}

#[test]
fn a_sound_catalogue_gives_its_messages_with_types() {
    let english = "-store = store\n\n# Told once.\n# $names (names) the leaders\n# $why (message?)\nrow-won =\n    \
        { $names } { $names-count -> \n        [one] leads\n       *[other] lead\n    } the \
        { -store }{ $why }\n\nplain = Yes.\n";
    let messages =
        checked(&[english], &["-store = ストア\nrow-won = { $names } は { -store }\nplain = はい\n"]).unwrap();
    let ids: Vec<&str> = messages.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["plain", "row-won"]);
    let arguments: Vec<(&str, &str, &str)> =
        messages[1].arguments.iter().map(|it| (it.name.as_str(), it.kind.rust, it.about.as_str())).collect();
    assert_eq!(arguments, [("names", "Names", "the leaders"), ("why", "OptionalMessage", "")]);
    assert_eq!(messages[0].english, "plain = Yes.");
}

#[test]
fn both_languages_have_each_message() {
    let found = problem("a = A\n\nb = B\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:3: b is not in ja: add it to the file of the same name");
    let found = problem("a = A\n", "a = あ\nb = い\n");
    assert_eq!(found, "ja/one.ftl:2: b is not in en: add it to the file of the same name, or delete it here");
    let found = checked(&["a = A\n", "b = B\n"], &["a = あ\nb = い\n"]).unwrap_err();
    assert_eq!(found, ["ja/one.ftl:2: b is in another file in en: use the same file name in both languages"]);
}

#[test]
fn arguments_are_declared_and_used() {
    let found = problem("a = { $x }\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:1: a uses $x, which en does not declare: add '# $x (TYPE)' above it in en");
    let found = problem("# $x (text)\na = A\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:2: a declares $x, but does not use it: delete the comment");
    let found = problem("a = A\n", "a = { 1 ->\n [one] あ\n *[other] { $x }\n }\n");
    assert_eq!(found, "ja/one.ftl:1: a uses $x, which en does not declare: add '# $x (TYPE)' above it in en");
    let found = problem("# $x (text)\na = { $x }{ $x-count }\n", "a = あ\n");
    assert!(found.contains("a uses $x-count, which en does not declare"), "{found}");
}

#[test]
fn a_declaration_is_readable_by_the_build() {
    let found = problem("# $x (string)\na = A\n", "a = あ\n");
    assert!(
        found.starts_with("en/one.ftl:2: a gives $x the unknown type 'string': use one of text, described,"),
        "{found}"
    );
    let found = problem("# $x text\na = A\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:2: a has the comment '$x text': write '# $NAME (TYPE) what it is'");
    let found = problem("# $x (text)\n# $x (text)\na = { $x }\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:3: a cannot declare $x: it is a keyword, or there already; rename it");
    let found = checked(&["# $type (text)\na = A\n"], &["a = あ\n"]).unwrap_err();
    assert_eq!(found, ["en/one.ftl:2: a cannot declare $type: it is a keyword, or there already; rename it"]);
    let found = problem("# $x (text)\n\na = A\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:1: $x (text) declares an argument of no message: put it directly above its message");
    let found = problem("a = A\n", "# $x (text)\na = あ\n");
    assert_eq!(found, "ja/one.ftl:2: a declares arguments: only the comments of en do");
}

#[test]
fn ids_are_unique_and_usable() {
    let found = problem("a = A\n\na = B\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:3: a is in en/one.ftl already: delete or rename one");
    let found = checked(&["a = A\n", "\na = B\n"], &["a = あ\n"]).unwrap_err();
    assert_eq!(found, ["en/two.ftl:2: a is in en/one.ftl already: delete or rename one"]);
    for id in ["match", "aB", "a_b"] {
        let found = checked(&[&format!("{id} = A\n")], &[&format!("{id} = あ\n")]).unwrap_err();
        let expected =
            format!("en/one.ftl:1: {id} is no usable id: use lower case with hyphens, and no keyword of Rust");
        assert_eq!(found[0], expected);
    }
}

#[test]
fn a_syntax_error_has_its_line() {
    let found = problem("a = A\n\nb is B\n", "a = あ\n");
    assert!(found.starts_with("en/one.ftl:3: a syntax error: "), "{found}");
    assert!(found.ends_with("; correct the entry"), "{found}");
}

#[test]
fn selectors_tell_values_apart() {
    let found = problem("# $x (rate)\na = { $x ->\n [one] A\n *[other] B\n }\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:2: a selects by $x, a rate: select by a count, a text or a message?");
}

#[test]
fn a_text_stands_alone_but_for_terms_of_its_language() {
    let found = problem("-b = B\na = { -b }\n", "a = { -b }\n");
    assert_eq!(
        found,
        "ja/one.ftl:1: a uses the term -b, which its language does not have: define it, or write the word"
    );
    let found = problem("-b = B\n-b = C\na = { -b }\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:1: b is a term twice: delete or rename one");
    let found = problem("a = A\nb = { a }\n", "a = あ\nb = い\n");
    assert_eq!(found, "en/one.ftl:2: b uses the message a: pass it as an argument of type message");
    let found = problem("a = { NUMBER(1) }\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:1: a uses the function NUMBER: pass it as an argument of type message");
    let found = problem("a =\n    .title = A\n", "a = あ\n");
    assert_eq!(found, "en/one.ftl:1: a has attributes or no text: make each text a message of its own");
}
