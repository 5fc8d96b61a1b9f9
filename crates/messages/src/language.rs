//! The language of the messages.

use std::cell::Cell;
use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::Message;

/// A language that all messages have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Japanese.
    Japanese,
}

impl Language {
    /// All of them.
    pub const ALL: [Language; 2] = [Language::English, Language::Japanese];

    /// Its code in BCP 47: `en` or `ja`.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Japanese => "ja",
        }
    }

    /// The language of the locale, from the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty.
    ///
    /// Japanese in another encoding than UTF-8 ([`other_encoding`]) becomes English with a message that says so.
    pub fn from_environment(lookup: impl Fn(&str) -> Option<String>) -> (Language, Option<Message>) {
        let locale = locale("LC_MESSAGES", &lookup);
        if locale.split(['_', '-', '.', '@']).next() != Some("ja") {
            return (Language::English, None);
        }
        match other_encoding(lookup) {
            Some((locale, encoding)) => (Language::English, Some(message!(language_needs_utf8, locale, encoding))),
            None => (Language::Japanese, None),
        }
    }
}

/// The locale of a category: the first of `LC_ALL`, its own variable and `LANG` that is not empty.
fn locale(category: &str, lookup: &impl Fn(&str) -> Option<String>) -> String {
    ["LC_ALL", category, "LANG"].iter().filter_map(|name| lookup(name)).find(|it| !it.is_empty()).unwrap_or_default()
}

/// The locale of characters (`LC_CTYPE`) and its encoding, where it names another one than UTF-8, as `ja_JP.eucJP` does.
/// One that names none (`C`, `ja_JP`, unset) leaves room for UTF-8: most terminals of today show it all the same.
pub fn other_encoding(lookup: impl Fn(&str) -> Option<String>) -> Option<(String, String)> {
    let locale = locale("LC_CTYPE", &lookup);
    // As in ja_JP.UTF-8@modifier.
    let encoding = locale.split('@').next()?.split_once('.')?.1.to_string();
    let is_other = !encoding.is_empty() && !["utf8", "utf-8"].contains(&encoding.to_ascii_lowercase().as_str());
    is_other.then_some((locale, encoding))
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.code())
    }
}

impl FromStr for Language {
    type Err = Message;

    /// From its code.
    fn from_str(code: &str) -> Result<Language, Message> {
        let known = Language::ALL.into_iter().find(|language| language.code() == code);
        known.ok_or_else(|| message!(language_unknown, language = code))
    }
}

/// Whether the process speaks Japanese; a bool while there are two languages.
static IS_JAPANESE: AtomicBool = AtomicBool::new(false);

thread_local! {
    static HERE: Cell<Option<Language>> = const { Cell::new(None) };
}

/// Sets the language of the process. A program calls it once, at its start.
pub fn set_language(language: Language) {
    IS_JAPANESE.store(language == Language::Japanese, Ordering::Relaxed);
}

/// The language in which `Display` writes on this thread.
pub fn language() -> Language {
    let process = || if IS_JAPANESE.load(Ordering::Relaxed) { Language::Japanese } else { Language::English };
    HERE.get().unwrap_or_else(process)
}

/// Calls `work` with another language on this thread, and only there.
pub fn with_language<T>(language: Language, work: impl FnOnce() -> T) -> T {
    /// Puts back what was there, also where `work` panics.
    struct Back(Option<Language>);
    impl Drop for Back {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let _back = Back(HERE.replace(Some(language)));
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> (Language, Option<Message>) {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string());
        Language::from_environment(find)
    }

    #[test]
    fn the_first_variable_that_is_not_empty_decides() {
        assert_eq!(of(&[]), (Language::English, None));
        assert_eq!(of(&[("LANG", "ja_JP.UTF-8")]), (Language::Japanese, None));
        assert_eq!(of(&[("LC_ALL", ""), ("LC_MESSAGES", "ja"), ("LANG", "C")]), (Language::Japanese, None));
        assert_eq!(of(&[("LC_ALL", "C"), ("LANG", "ja_JP.UTF-8")]), (Language::English, None));
    }

    #[test]
    fn a_locale_that_is_not_japanese_means_english_without_a_word() {
        for locale in ["C", "POSIX", "C.UTF-8", "en_US.UTF-8", "de_DE.ISO-8859-1", "jam_JM.UTF-8", "@x", "."] {
            assert_eq!(of(&[("LANG", locale)]), (Language::English, None), "{locale}");
        }
        for locale in ["ja", "ja_JP", "ja_JP.", "ja.", "ja@x", "ja_JP.utf8", "ja_JP.UTF-8@x", "ja-JP"] {
            assert_eq!(of(&[("LANG", locale)]), (Language::Japanese, None), "{locale}");
        }
    }

    #[test]
    fn japanese_in_another_encoding_means_english_and_a_message() {
        for (locale, encoding) in [("ja_JP.eucJP", "eucJP"), ("ja_JP.SJIS", "SJIS")] {
            let (language, told) = of(&[("LANG", locale)]);
            assert_eq!(language, Language::English);
            assert_eq!(told, Some(message!(language_needs_utf8, locale, encoding)));
        }
    }

    #[test]
    fn the_encoding_is_that_of_characters_whatever_names_the_language() {
        let euc = ("LC_CTYPE", "ja_JP.eucJP");
        assert_eq!(of(&[euc, ("LANG", "ja_JP.UTF-8")]).0, Language::English);
        assert_eq!(of(&[("LC_ALL", "ja_JP.UTF-8"), euc]), (Language::Japanese, None));
        assert_eq!(of(&[("LC_MESSAGES", "ja_JP.eucJP"), ("LANG", "C.UTF-8")]), (Language::Japanese, None));
        assert_eq!(of(&[euc, ("LANG", "C")]), (Language::English, None), "it is no matter to English");
    }

    #[test]
    fn a_language_is_named_by_its_code() {
        assert_eq!("ja".parse(), Ok(Language::Japanese));
        let error = "jp".parse::<Language>().unwrap_err();
        assert_eq!(error.text(Language::English), "unknown language 'jp': expected en or ja");
        assert_eq!((Language::English.to_string().as_str(), "en".parse()), ("en", Ok(Language::English)));
    }

    #[test]
    fn a_language_holds_on_its_thread_until_its_work_ends() {
        let here = with_language(Language::Japanese, || (language(), std::thread::spawn(language).join().unwrap()));
        assert_eq!(here, (Language::Japanese, Language::English));
        let _ = std::panic::catch_unwind(|| with_language(Language::Japanese, || panic!("on purpose")));
        assert_eq!(language(), Language::English);
    }
}
