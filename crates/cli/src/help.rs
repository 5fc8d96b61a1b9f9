//! What the command line tells of itself: the short help, and where a verb went that had another name.

use clap::Command;
use clap::error::{ContextKind, ContextValue};

/// Verbs of the short help, in the order in which they are needed.
const SHORT: [&str; 10] = ["run", "plan", "list", "setup", "new", "show", "report", "compare", "serve", "doctor"];

/// Verbs that were, and what does their work.
const MOVED: [(&str, &str); 7] = [
    ("stores", "use 'kurabe list stores'"),
    ("studies", "use 'kurabe list studies'"),
    ("clients", "use 'kurabe list clients', and 'kurabe setup +NAME' to build one"),
    ("stacks", "use 'kurabe list apps', and 'kurabe setup /NAME' to build one"),
    ("wire", "use 'kurabe dev wire'"),
    ("selftest", "use 'kurabe dev selftest'"),
    ("generate", "use 'kurabe dev generate'"),
];

/// What `kurabe` alone prints.
pub fn short(command: &Command) -> String {
    let line = |name: &str| {
        let about = command.find_subcommand(name).and_then(Command::get_about)?;
        Some(format!("  {name:<9}{about}\n"))
    };
    let verbs: String = SHORT.into_iter().filter_map(line).collect();
    format!(
        "Kurabe measures data stores with your work, on your machine.\n\
         Each store does the same verified work, in interleaved rounds.\n\
         The answer names the store to take, and what would change that.\n\n\
         {verbs}\n\
         Try first:  kurabe run quick\nAll verbs:  kurabe --help\n"
    )
}

/// The error of the parser; of a verb that had another name it names the new one.
pub fn with_hint(mut error: clap::Error) -> clap::Error {
    let moved = match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(typed)) => MOVED.iter().find(|(verb, _)| verb == typed),
        _ => None,
    };
    if let Some((_, hint)) = moved {
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*hint).into()]));
    }
    error
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use clap::CommandFactory;

    use super::*;
    use crate::Cli;

    #[test]
    fn the_short_help_has_ten_verbs_in_lines_of_80_columns() {
        let text = short(&Cli::command());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("  ")).count(), SHORT.len(), "{text}");
    }

    /// Verbs of the harness, which the parser does not know.
    const OF_THE_HARNESS: [&str; 5] = ["client", "tool", "drive", "link", "guardian"];

    /// Texts of the project in which commands stand: sources, descriptors and what lies beside them, studies, scripts.
    fn texts(path: &Path) -> Vec<PathBuf> {
        let is_text = |path: &Path| {
            path.extension().is_none_or(|end| ["rs", "toml", "md", "mjs", "sh"].iter().any(|one| end == *one))
        };
        if !path.is_dir() {
            return if is_text(path) { vec![path.to_path_buf()] } else { Vec::new() };
        }
        let entries = std::fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry"));
        let entries = entries.filter(|entry| !["target", "node_modules"].iter().any(|name| entry.file_name() == *name));
        entries.flat_map(|entry| texts(&entry.path())).collect()
    }

    /// The words behind each `kurabe` that begins a command: one behind a quote, a colon, a pipe, a path or nothing.
    fn commands(text: &str) -> Vec<Vec<&str>> {
        let begins = |before: &str| {
            before.is_empty()
                || before.ends_with(['\'', '"', '`', '/', '\n'])
                || [": ", "| "].iter().any(|end| before.ends_with(end))
        };
        let found = text.match_indices("kurabe ").filter(|(at, _)| begins(&text[..*at]));
        let words = found.map(|(at, name)| text[at + name.len()..].split([' ', '\n', '\'', '"', '`', ',', ';']));
        let is_word = |word: &&str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase());
        words.map(|words| words.take_while(is_word).take(2).collect()).collect()
    }

    #[test]
    fn every_command_in_texts_has_a_verb_that_is_there() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut seen = 0;
        for path in
            ["crates", "apps", "clients", "stores", "studies", "scripts", "Makefile"].map(|path| project.join(path))
        {
            for file in texts(&path) {
                // What is no text has no command.
                let Ok(text) = std::fs::read_to_string(&file) else { continue };
                for words in commands(&text).iter().filter(|words| !words.is_empty()) {
                    let of = Cli::command();
                    let verb = of.find_subcommand(words[0]);
                    let is_known = match (verb, words.get(1)) {
                        (Some(verb), Some(next)) if verb.has_subcommands() => verb.find_subcommand(next).is_some(),
                        (verb, _) => verb.is_some() || OF_THE_HARNESS.contains(&words[0]),
                    };
                    assert!(is_known, "'kurabe {}' in {}", words.join(" "), file.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen} commands were found");
    }

    #[test]
    fn every_verb_that_moved_is_gone_and_its_hint_is_a_command() {
        for (verb, hint) in MOVED {
            let error = Cli::command().try_get_matches_from(["kurabe", verb]).unwrap_err();
            let said = with_hint(error).to_string();
            assert!(said.contains(&format!("tip: {hint}")), "{said}");
            for command in hint.split('\'').skip(1).step_by(2) {
                let words = command.split(' ').chain(["--help"]);
                let error = Cli::command().try_get_matches_from(words).unwrap_err();
                assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{command}");
            }
        }
    }
}
