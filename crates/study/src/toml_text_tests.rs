use std::collections::BTreeMap;

use kurabe_messages::{Language, with_language};

use super::*;

#[derive(Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Outer {
    rounds: u32,
    #[serde(default)]
    kind: Option<Kind>,
    #[serde(default)]
    mix: BTreeMap<Kind, u32>,
    #[serde(default)]
    inner: Vec<Inner>,
    #[serde(default)]
    any: Option<toml::Value>,
}

/// As types of other crates, which take every key.
#[derive(Debug, PartialEq, serde::Deserialize)]
struct Inner {
    len_bytes: u64,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Read,
    MultiRead,
}

fn error(text: &str) -> String {
    read::<Outer>("my.toml", text).expect_err("a mistake").to_string()
}

#[test]
fn values_of_every_kind_are_read() {
    let text = "rounds = 0x10\nkind = 'multi-read'\nmix = { read = 1_000 }\nany = [1.5, true, 'x', { a = -1 }]\n[[inner]]\nlen_bytes = 3\n";
    let read: Outer = read("my.toml", text).expect("a text");
    assert_eq!((read.rounds, &read.kind, read.mix[&Kind::Read]), (16, &Some(Kind::MultiRead), 1_000));
    assert_eq!(read.inner, [Inner { len_bytes: 3 }]);
    assert_eq!(read.any.expect("a value").to_string(), "[1.5, true, \"x\", { a = -1 }]");
}

#[test]
fn a_text_laid_over_another_says_only_what_is_different() {
    let below = "rounds = 3\nkind = 'read'\nmix = { read = 1, multi-read = 2 }\n[any]\nlist = [1, 2]\n\
                 [[any.of]]\nname = 'a'\nx = 1\ny = 1\n[[any.of]]\nname = 'b'\n";
    let own =
        "rounds = 5\nmix = { read = 7 }\n[any]\nlist = [3]\n[[any.of]]\nname = 'c'\n[[any.of]]\nname = 'a'\ny = 2\n";
    let read: Outer = read_over("my.toml", own, &[below]).expect("a text over another");
    assert_eq!((read.rounds, read.kind), (5, Some(Kind::Read)));
    assert_eq!(read.mix, BTreeMap::from([(Kind::Read, 7), (Kind::MultiRead, 2)]));
    let any = toml::toml! {
        list = [3]
        of = [{ name = "a", x = 1, y = 2 }, { name = "b" }, { name = "c" }]
    };
    assert_eq!(read.any, Some(toml::Value::Table(any)));
    let less: Outer = read_over("my.toml", "absent = ['kind', 'mix.read']", &[below]).expect("a text over another");
    assert_eq!((less.kind, less.mix.len()), (None, 1));
    let error = read_over::<Outer>("my.toml", "absent = ['mix.raed']", &[below]).expect_err("a mistake").to_string();
    assert_eq!(error, "my.toml: the extended file has no key 'mix.raed' (line 1, column 11)");
    for absent in ["'kind'", "{ a = 1 }", "[5]"] {
        let text = format!("absent = {absent}");
        let error = read_over::<Outer>("my.toml", &text, &[below]).expect_err("no list").to_string();
        assert_eq!(error, "my.toml: 'absent' must be a list of keys, such as ['install.debian'] (line 1, column 10)");
    }
    // A place in the text below is none in this one, whatever letters stand there.
    let error =
        read_over::<Outer>("my.toml", "# 日日日\nabsent = ['rounds']\n", &[below]).expect_err("missing").to_string();
    assert_eq!(error, "my.toml: the key 'rounds' is missing");
    let wrong = "kind = 5\nrounds = 1\n# 日日日日日日日日日日日日日日日日\n";
    let error =
        read_over::<Outer>("my.toml", "# 日日日日日日日日\n", &[wrong]).expect_err("of the text below").to_string();
    assert!(!error.contains("line"), "{error}");
    let error = read_over::<Outer>("my.toml", "\nround = 1\n", &[below]).expect_err("a mistake").to_string();
    assert_eq!(error, "my.toml: unknown key 'round'; did you mean 'rounds'? (line 2, column 1)");
}

#[test]
fn an_unknown_key_is_named_with_its_place_wherever_it_stands() {
    let said = error("rounds = 3\nround = 4\n");
    assert_eq!(said, "my.toml: unknown key 'round'; did you mean 'rounds'? (line 2, column 1)");
    let said = error("rounds = 3\n[[inner]]\nlen_bytes = 1\n  length = 2\n");
    assert_eq!(said, "my.toml: unknown key 'length'; expected len_bytes (line 4, column 3)");
    assert_eq!(error("rounds = 3\n[inner]\nx = 1\n").matches("line 2").count(), 1);
}

#[test]
fn an_unknown_word_is_named_with_the_nearest() {
    assert_eq!(
        error("rounds = 3\nkind = 'reed'\n"),
        "my.toml: unknown word 'reed'; did you mean 'read'? (line 2, column 8)"
    );
    assert_eq!(
        error("rounds = 3\nmix = { multiread = 1 }\n"),
        "my.toml: unknown word 'multiread'; did you mean 'multi-read'? (line 2, column 9)"
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_told_with_its_place() {
    assert!(error("rounds = 'x'\n").ends_with("(line 1, column 10)"));
    for (text, expected) in [
        ("rounds = -1", "key 'rounds': expected a whole number from 0 to 4,294,967,295, got -1"),
        ("rounds = 5_000_000_000", "key 'rounds': expected a whole number from 0 to 4,294,967,295, got 5000000000"),
        ("rounds = 'x'", "key 'rounds': expected a whole number from 0 to 4,294,967,295, got 'x'"),
        ("rounds = []", "key 'rounds': expected a whole number from 0 to 4,294,967,295, got a list"),
        ("rounds = 1\ninner = [3]", "key 'inner': expected a table, got 3"),
        ("rounds = 1\ninner = 'x'", "key 'inner': expected a list, got 'x'"),
        ("rounds = 1\n[[inner]]\nlen_bytes = -2", "key 'len_bytes': expected a whole number, 0 or more, got -2"),
        ("rounds = 1\nmix = { read = true }", "key 'read': expected a whole number from 0 to 4,294,967,295, got true"),
        ("rounds = 1\nrounds = 2", "a key appears twice"),
    ] {
        assert!(error(text).starts_with(&format!("my.toml: {expected}")), "{}", error(text));
    }
    let japanese = with_language(Language::Japanese, || error("rounds = 1\ninner = 'x'"));
    assert!(!["invalid", "expected", "sequence"].iter().any(|word| japanese.contains(word)), "{japanese}");
    assert!(error("rounds = 99999999999999999999\n").contains("too large"));
    assert!(error("rounds = 1979-05-27\n").contains("(line 1, column 10)") && error("rounds = \n").contains("line 1"));
    assert_eq!(error("kind = 'read'\n"), "my.toml: the key 'rounds' is missing");
}
