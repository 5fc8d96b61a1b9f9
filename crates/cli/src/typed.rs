//! The name by which the user's shell finds this program, put into every command that a terminal shows.
//!
//! Messages, records and documents say `kurabe`, as it is once it is installed. After a build it lies in a folder that
//! PATH does not name, and a command that somebody copies from the terminal would fail. An argument of each message was
//! the alternative. Commands stand in records and descriptors too, so one place at the terminal sees them all.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::help;

/// What names the program that took over from `kurabe`.
const SERVERS: &str = "kurabe-servers";

/// The text with commands that work from here.
pub fn commands(text: &str) -> Cow<'_, str> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        name(Path::new(&std::env::args_os().next()?), &path, &std::env::current_dir().ok()?)
    });
    match program {
        Some(program) if text.contains(help::NAME) => renamed(text, program),
        _ => Cow::Borrowed(text),
    }
}

/// What to type instead of `kurabe`; `None` where that is right, or where no path is known that a shell takes.
fn name(started_by: &Path, path: &OsStr, here: &Path) -> Option<String> {
    let program = match started_by.file_name()? == SERVERS {
        true => started_by.with_file_name(help::NAME),
        false => started_by.to_path_buf(),
    };
    // By its name alone: the shell found it, and finds it again.
    if program.components().count() == 1 && !started_by.is_absolute() {
        return Some(program.to_str()?.to_string()).filter(|name| name != help::NAME);
    }
    let program = here.join(program);
    let real = program.canonicalize().ok()?;
    let in_path = std::env::split_paths(path).map(|folder| folder.join(help::NAME)).find(|file| file.is_file());
    if in_path.and_then(|file| file.canonicalize().ok()).is_some_and(|file| file == real) {
        return None;
    }
    let short = match program.strip_prefix(here) {
        // A name without a folder is looked for in PATH.
        Ok(inside) if inside.components().count() == 1 => PathBuf::from(".").join(inside),
        Ok(inside) => inside.to_path_buf(),
        Err(_) => program.clone(),
    };
    Some(escaped(short.to_str()?))
}

/// A path for a shell. Quotes would stand within those of sentences, so each letter that means something has a backslash.
fn escaped(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-+,:@%=".contains(letter);
    path.chars().flat_map(|one| (!is_plain(one)).then_some('\\').into_iter().chain([one])).collect()
}

/// The text with another name before each verb and `--help`.
fn renamed<'a>(text: &'a str, program: &str) -> Cow<'a, str> {
    let (mut renamed, mut rest) = (String::new(), text);
    let mut last = None;
    while let Some(at) = rest.find(help::NAME) {
        let (before, behind) = (&rest[..at], &rest[at + help::NAME.len()..]);
        let begins = !before.chars().next_back().or(last).is_some_and(is_of_a_path);
        renamed += before;
        renamed += if begins && is_command(behind) { program } else { help::NAME };
        (last, rest) = (help::NAME.chars().next_back(), behind);
    }
    if renamed.is_empty() && rest.len() == text.len() { Cow::Borrowed(text) } else { Cow::Owned(renamed + rest) }
}

fn is_of_a_path(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || ['/', '.', '-', '_'].contains(&letter)
}

/// Whether the words behind the name make it a command.
fn is_command(behind: &str) -> bool {
    static VERBS: OnceLock<Vec<String>> = OnceLock::new();
    let verbs = VERBS.get_or_init(|| help::command().get_subcommands().map(|verb| verb.get_name().into()).collect());
    // The end of a line may stand between the words.
    let words = behind.trim_start_matches([' ', '\n']);
    if words.len() == behind.len() {
        return false;
    }
    let end = words.find(|letter: char| !letter.is_ascii_lowercase() && letter != '-').unwrap_or(words.len());
    let word = &words[..end];
    word.starts_with("--") || verbs.iter().any(|verb| verb == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_get_the_name_that_works_and_other_words_stay() {
        for (text, expected) in [
            ("To continue: kurabe run --resume r", "To continue: target/kurabe run --resume r"),
            ("'kurabe list' lists; kurabe show", "'target/kurabe list' lists; target/kurabe show"),
            ("All commands: kurabe --help", "All commands: target/kurabe --help"),
            ("続けるには：kurabe run", "続けるには：target/kurabe run"),
            ("not measured: kurabe\n  run quick", "not measured: target/kurabe\n  run quick"),
        ] {
            assert_eq!(renamed(text, "target/kurabe"), expected);
        }
        let others =
            ["kurabe: a fault", "kurabe 0.1", "another kurabe serves 'x'", "~/.config/kurabe run", "kurabekurabe"];
        for text in others {
            assert_eq!(renamed(text, "target/kurabe"), text);
        }
    }

    #[test]
    fn the_name_is_kurabe_only_where_path_finds_this_program() {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        let (target, other) = (here.join("target/release"), here.join("other"));
        for folder in [&target, &other] {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join("kurabe"), "").unwrap();
        }
        std::os::unix::fs::symlink(target.join("kurabe"), here.join("kurabe")).unwrap();
        let name = |started_by: &str, path: &Path| name(Path::new(started_by), path.as_os_str(), here);
        let nowhere = Path::new("/nowhere");
        assert_eq!(name("target/release/kurabe", nowhere), Some("target/release/kurabe".into()));
        assert_eq!(name("target/release/kurabe", &target), None);
        assert_eq!(name("target/release/kurabe", here), None, "a link to it is it");
        assert_eq!(name("target/release/kurabe", &other), Some("target/release/kurabe".into()), "another build");
        assert_eq!(name("./kurabe", nowhere), Some("./kurabe".into()));
        std::fs::create_dir(here.join("my tools")).unwrap();
        std::fs::write(here.join("my tools/kurabe"), "").unwrap();
        assert_eq!(name("my tools/kurabe", nowhere), Some("my\\ tools/kurabe".into()));
        assert_eq!(name("kurabe", nowhere), None);
        assert_eq!(name("kb", nowhere), Some("kb".into()));
        let servers = target.join("kurabe-servers");
        assert_eq!(name(servers.to_str().unwrap(), nowhere), Some("target/release/kurabe".into()));
    }
}
