//! The language of this program, chosen before anything is printed: help and mistakes of the parser are in it too.

use kurabe_messages::{Language, Message, set_language};
use kurabe_study::translate_descriptions;

/// Sets the language that `--language` names, else that of the environment; gives what is to be told of the latter. The
/// service that a harness starts (`serve --job`) speaks English, as its words end in records.
pub fn choose(arguments: &[String]) -> Option<Message> {
    let is_of_harness = arguments.iter().any(|word| word == "--job" || word.starts_with("--job="));
    if is_of_harness {
        return None;
    }
    // The parser refuses a language that is unknown.
    let (language, warning) = match named(arguments).map(str::parse) {
        Some(Ok(language)) => (language, None),
        _ => Language::from_environment(|name| std::env::var(name).ok()),
    };
    set_language(language);
    if language != Language::English {
        translate_descriptions();
    }
    warning
}

/// What is behind the last `--language`.
fn named(arguments: &[String]) -> Option<&str> {
    let flags = arguments.iter().take_while(|word| *word != "--").enumerate();
    let values = flags.filter_map(|(at, word)| match word.strip_prefix("--language")? {
        "" => arguments.get(at + 1).map(String::as_str),
        rest => rest.strip_prefix('='),
    });
    values.last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_is_found_wherever_it_is_typed() {
        let of = |line: &str| named(&line.split(' ').map(String::from).collect::<Vec<_>>()).map(String::from);
        assert_eq!(of("--language ja run quick"), Some("ja".into()));
        assert_eq!(of("run quick --language=en"), Some("en".into()));
        assert_eq!(of("run --language"), None);
        assert_eq!(of("run --languages ja"), None);
        assert_eq!(of("run -- --language ja"), None);
    }
}
