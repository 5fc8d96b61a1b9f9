//! What a terminal shows. This is the only way to it, so commands get the program's name that works there (`typed`).
//!
//! A terminal whose locale names another encoding than UTF-8 gets ASCII for the signs of figures and tables, where it
//! would show two or three letters that mean nothing. A locale that names no encoding (`C`, unset) changes nothing: most
//! terminals of today show UTF-8 all the same.

use std::borrow::Cow;
use std::io::IsTerminal;
use std::sync::OnceLock;

use crate::typed;

/// Signs, and what stands for them.
const SIGNS: [(char, &str); 16] = [
    ('×', "x"),
    ('µ', "u"),
    ('–', "-"),
    ('—', "-"),
    ('…', "..."),
    ('±', "+-"),
    ('✕', "x"),
    ('≥', ">="),
    ('≤', "<="),
    ('≈', "~"),
    ('→', "->"),
    ('↑', "^"),
    ('↓', "v"),
    ('│', "|"),
    ('─', "-"),
    ('\u{a0}', " "),
];

/// The text as `stream` is to show it.
pub fn shown<'a>(text: &'a str, stream: &impl IsTerminal) -> Cow<'a, str> {
    if !stream.is_terminal() {
        return Cow::Borrowed(text);
    }
    let text = typed::commands(text);
    if takes_utf8() || text.is_ascii() { text } else { Cow::Owned(plain(&text)) }
}

/// Whether terminals of this locale show UTF-8.
pub fn takes_utf8() -> bool {
    static TAKES_UTF8: OnceLock<bool> = OnceLock::new();
    *TAKES_UTF8.get_or_init(|| is_utf8(|name| std::env::var(name).ok()))
}

fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == letter) {
            Some((_, instead)) => plain.push_str(instead),
            None => plain.push(letter),
        }
    }
    plain
}

/// Whether the locale leaves room for UTF-8.
fn is_utf8(lookup: impl Fn(&str) -> Option<String>) -> bool {
    kurabe_messages::other_encoding(lookup).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_locale_that_names_another_encoding_is_not_utf8() {
        let of = |locale: &str| is_utf8(|name| (name == "LANG").then(|| locale.to_string()));
        for locale in ["", "C", "POSIX", "ja_JP", "ja_JP.", "C.UTF-8", "en_US.utf8", "de_DE.UTF-8@euro"] {
            assert!(of(locale), "{locale}");
        }
        for locale in ["ja_JP.eucJP", "de_DE.ISO-8859-1", "de_DE.ISO-8859-15@euro"] {
            assert!(!of(locale), "{locale}");
        }
        let first = is_utf8(|name| Some(if name == "LC_ALL" { "en_US.ISO-8859-1" } else { "C.UTF-8" }.into()));
        assert!(!first);
    }

    #[test]
    fn signs_become_ascii_and_names_stay() {
        assert_eq!(plain("2.1 × b, 3 µs ± 5 % … –"), "2.1 x b, 3 us +- 5 % ... -");
        assert_eq!(plain("größe"), "größe");
    }
}
