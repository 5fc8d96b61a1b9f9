//! The language of help, answers and mistakes: from the flag, else from the environment; JSON is English.

use std::process::Command;

use crate::common::{Place, Said, TINY, finish};

/// What is said in a locale; `None` is an environment without any.
fn in_locale(locale: Option<(&str, &str)>, args: &[&str]) -> Said {
    let place = Place::new();
    finish(with_locale(&mut place.kurabe(args), locale))
}

fn with_locale<'a>(command: &'a mut Command, locale: Option<(&str, &str)>) -> &'a mut Command {
    for name in ["LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LANG"] {
        command.env_remove(name);
    }
    command.envs(locale)
}

fn is_japanese(text: &str) -> bool {
    text.chars().any(|letter| ('ぁ'..='ヶ').contains(&letter))
}

#[test]
fn the_flag_sets_the_language_of_help_answers_and_mistakes() {
    let help = in_locale(None, &["--language", "ja", "run", "--help"]);
    assert_eq!((help.status, help.err.as_str()), (0, ""));
    for word in ["使い方:", "スタディ", "--durability <LEVEL>", "落とし穴"] {
        assert!(help.out.contains(word), "'{word}' is missing in: {}", help.out);
    }
    assert!(in_locale(None, &["run", "--help", "--language=ja"]).out.contains("使い方:"), "wherever it is typed");
    let mistake = in_locale(None, &["--language", "ja", "run", "--rwos", "5"]);
    assert_eq!((mistake.status, mistake.out.as_str()), (2, ""));
    assert!(is_japanese(&mistake.err) && mistake.err.contains("「--rows」"), "{}", mistake.err);
    let mistake = in_locale(None, &["--language", "ja", "show", "nowhere"]);
    assert_eq!(mistake.status, 2);
}

#[test]
fn the_environment_sets_it_where_no_flag_does() {
    let list = in_locale(Some(("LANG", "ja_JP.UTF-8")), &["list"]);
    assert_eq!((list.status, list.err.as_str()), (0, ""));
    assert!(list.out.contains("ストア"), "{}", list.out);
    let list = in_locale(Some(("LANG", "ja_JP.UTF-8")), &["list", "--language", "en"]);
    assert!(list.out.starts_with("Stores ("), "{}", list.out);
    for locale in [None, Some(("LANG", "C")), Some(("LC_ALL", "POSIX"))] {
        let list = in_locale(locale, &["list"]);
        assert_eq!((list.status, list.err.as_str()), (0, ""), "{locale:?}");
        assert!(list.out.starts_with("Stores ("), "{}", list.out);
    }
}

#[test]
fn japanese_in_another_encoding_is_english_with_one_warning() {
    let list = in_locale(Some(("LANG", "ja_JP.eucJP")), &["list"]);
    assert_eq!(list.status, 0);
    assert!(list.out.starts_with("Stores ("), "{}", list.out);
    assert_eq!(list.err.matches("eucJP").count(), 2, "the locale and its encoding, once: {}", list.err);
    assert_eq!(list.err.matches("kurabe: ").count(), 1, "{}", list.err);
    let quiet = in_locale(Some(("LANG", "ja_JP.eucJP")), &["list", "--language", "ja"]);
    assert!(quiet.err.is_empty() && is_japanese(&quiet.out), "the flag is a choice: {quiet:?}");
}

#[test]
fn a_language_that_is_unknown_is_a_mistake() {
    let said = in_locale(None, &["--language", "jp", "list"]);
    assert_eq!((said.status, said.out.as_str()), (2, ""));
    assert!(said.err.contains("expected 'en' or 'ja'"), "{}", said.err);
    assert_eq!(in_locale(None, &["list", "--language"]).status, 2);
}

#[test]
fn json_is_english_and_a_run_in_japanese_has_no_english_sentence() {
    let place = Place::new();
    let args = ["--language", "ja", "--stores", "sqlite,lmdb", "--rounds", "1"];
    let said = finish(with_locale(&mut place.run(TINY, &args), None));
    assert_eq!(said.status, 0, "{said:?}");
    let shown = format!("{}{}", said.out, said.err);
    assert!(is_japanese(&shown), "{shown}");
    let english: Vec<&str> = shown.lines().filter(|line| is_english(line)).collect();
    assert!(english.is_empty(), "{english:#?}");
    let json = |language: &str| finish(place.kurabe(["show", "--json", "--language", language]).arg(place.out())).out;
    assert!(json("ja") == json("en") && !is_japanese(&json("ja")));
    let page = place.path("articles.md");
    let refused = finish(place.kurabe(["report", "--language", "ja", "--articles"]).arg(&page).arg(place.out()));
    assert!(refused.status == 2 && is_japanese(&refused.err) && !page.exists(), "{refused:?}");
}

#[test]
fn studies_stores_clients_and_apps_are_described_in_the_language_of_the_reader() {
    for what in [&["studies"][..], &["stores", "redis"], &["stores", "postgres"], &["apps"], &["clients", "jvm"]] {
        let said = in_locale(None, &[&["--language", "ja", "list"], what].concat());
        assert_eq!(said.status, 0, "{said:?}");
        // Commands that install are for a shell.
        let english = said.out.lines().filter(|line| !line.contains("apt-get") && is_english(line));
        assert_eq!(english.collect::<Vec<_>>(), Vec::<&str>::new(), "{what:?}");
    }
}

/// Whether a line has a sentence of Latin words: four in a row that are no command, no path, no list and no name.
fn is_english(line: &str) -> bool {
    let line = line.split("kurabe ").next().unwrap_or_default();
    let is_word = |word: &&str| word.len() > 1 && word.chars().all(|letter| letter.is_ascii_alphabetic());
    let words: Vec<&str> = line.split_whitespace().collect();
    words.windows(4).any(|four| four.iter().all(|word| is_word(&word.trim_matches(['.', ';', ':']))))
}

#[test]
fn an_english_sentence_is_seen() {
    assert!(is_english("report the store that wins here"));
    assert!(!is_english("sqlite は lmdb より速い: kurabe run quick with more rounds"));
    assert!(!is_english("  sqlite   1,234   lmdb   5.6 %"));
}
