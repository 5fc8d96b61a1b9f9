//! What the command line says of itself: the help of each verb and flag, the short help, and where a verb went that had
//! another name.
//!
//! The parser is made by derive, and its texts are put in afterwards, from messages that are found by name: `help-VERB`,
//! `help-VERB-FLAG` where a verb needs its own, else `help-FLAG`. The first line is the short help (`-h`), all lines the
//! long one (`--help`). Of the parser's own words the notation of usage (`[OPTIONS]`, `<COMMAND>`) stays.

use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Command, CommandFactory};
use kurabe_messages::{Message, by_name, message};

use crate::{Cli, fold};

/// Verbs of the short help, in the order in which they are needed.
const SHORT: [&str; 10] = ["run", "plan", "list", "setup", "new", "show", "report", "compare", "serve", "doctor"];

/// Verbs that were, the command that does their work, and the one that builds what they built.
const MOVED: [(&str, &str, Option<&str>); 7] = [
    ("stores", "kurabe list stores", None),
    ("studies", "kurabe list studies", None),
    ("clients", "kurabe list clients", Some("kurabe setup +NAME")),
    ("stacks", "kurabe list apps", Some("kurabe setup /NAME")),
    ("wire", "kurabe dev wire", None),
    ("selftest", "kurabe dev selftest", None),
    ("generate", "kurabe dev generate", None),
];

/// Columns of a help at most, and those in front of the help of a flag.
const WIDTH: usize = 80;
const INDENT: usize = 10;

/// The command line, with its help from the catalogues in lines for a terminal.
pub fn command() -> Command {
    worded(with_flags(Cli::command()), crate::cmd::columns().unwrap_or(WIDTH).min(WIDTH))
}

/// The same in whole lines, for who breaks them: man pages and completions.
pub fn unfolded() -> Command {
    worded(with_flags(Cli::command()), usize::MAX)
}

/// The command, and all in it, with flags for help and version whose texts can be chosen.
fn with_flags(command: Command) -> Command {
    let flag = |name: &'static str, short: char, action: ArgAction| {
        Arg::new(name).short(short).long(name).action(action).help_heading("everywhere").display_order(FLAGS_LAST)
    };
    let is_whole = command.get_name() == NAME;
    let command = command.disable_help_flag(true).disable_version_flag(true).arg(flag("help", 'h', ArgAction::Help));
    let command = command.args(is_whole.then(|| flag("version", 'V', ArgAction::Version)));
    command.mut_subcommands(with_flags)
}

/// The verb with its help, that of its arguments, and its verbs, in lines of so many columns.
fn worded(command: Command, width: usize) -> Command {
    let verb = command.get_name().to_string();
    let (about, more) = of_verb(&verb).map(|message| parts(&message, width)).unwrap_or_default();
    let style = command.get_styles().get_usage();
    let usage = heading("usage");
    let template = format!("{{about-with-newline}}\n{style}{usage}:{style:#} {{usage}}\n\n{{all-args}}{{after-help}}");
    let command = command.help_template(template).subcommand_help_heading(heading("commands")).about(about);
    let command = more.into_iter().fold(command, Command::long_about);
    let examples = by_name(&format!("help-{verb}-examples")).map(|message| message.to_string());
    let command = examples.into_iter().fold(command, Command::after_help);
    command.mut_args(|argument| worded_argument(&verb, argument, width)).mut_subcommands(|verb| worded(verb, width))
}

/// The name of the whole, and the order of what all verbs have: behind everything.
pub const NAME: &str = "kurabe";
const FLAGS_LAST: usize = 1000;

fn worded_argument(verb: &str, argument: Arg, width: usize) -> Arg {
    if argument.is_hide_set() {
        return argument;
    }
    let (help, more) = of_argument(verb, &argument).map(|message| parts(&message, width - INDENT)).unwrap_or_default();
    let usual = if argument.is_positional() { "arguments" } else { "options" };
    let heading = heading(argument.get_help_heading().unwrap_or(usual));
    let argument = more.into_iter().fold(argument.help(help).help_heading(heading), Arg::long_help);
    // Their texts say what values there are, in their language.
    argument.next_line_help(true).hide_default_value(true).hide_possible_values(true)
}

fn of_verb(verb: &str) -> Option<Message> {
    by_name(&format!("help-{verb}"))
}

/// The message of an argument: its own one, else that which verbs share.
fn of_argument(verb: &str, argument: &Arg) -> Option<Message> {
    let name = argument.get_id().as_str().replace('_', "-");
    by_name(&format!("help-{verb}-{name}")).or_else(|| by_name(&format!("help-{name}")))
}

/// A heading, by its name in the catalogues.
fn heading(name: &str) -> String {
    by_name(&format!("help-heading-{name}")).map_or_else(|| name.to_string(), |message| message.to_string())
}

/// The first line of a help, and all of it where it has more.
fn parts(message: &Message, width: usize) -> (StyledStr, Option<StyledStr>) {
    let text = message.to_string();
    let first = text.lines().next().unwrap_or_default();
    let more = text.contains('\n').then(|| fold::fill_lines(&text, width).into());
    (fold::fill_lines(first, width).into(), more)
}

/// What `kurabe` alone prints.
pub fn short(command: &Command) -> String {
    let line = |name: &str| {
        let about = command.find_subcommand(name).and_then(Command::get_about)?;
        Some(format!("  {name:<9}{about}\n"))
    };
    let verbs: String = SHORT.into_iter().filter_map(line).collect();
    let text = |name: &str| by_name(name).map(|message| message.to_string()).unwrap_or_default();
    format!("{}\n\n{verbs}\n{}\n", text("help-short-begin"), text("help-short-end"))
}

/// What took the place of a verb that had this name.
pub fn moved(name: &str) -> Option<Message> {
    let (_, command, build) = MOVED.iter().find(|(verb, ..)| *verb == name)?;
    Some(match build {
        Some(build) => message!(clap_moved_build, command, build),
        None => message!(clap_moved, command),
    })
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use std::collections::BTreeSet;

    use kurabe_messages::{Language, with_language};

    use super::*;

    #[test]
    fn the_short_help_has_ten_verbs_in_lines_of_80_columns() {
        for language in Language::ALL {
            let text = with_language(language, || short(&command()));
            assert_narrow(&text);
            assert_eq!(text.lines().filter(|line| line.starts_with("  ")).count(), SHORT.len(), "{text}");
        }
    }

    fn assert_narrow(text: &str) {
        let wide: Vec<&str> = text.lines().filter(|line| textwrap::core::display_width(line) > WIDTH).collect();
        assert!(wide.is_empty(), "wider than {WIDTH} columns: {wide:#?}");
    }

    /// A command and all that are in it.
    fn all(command: &Command) -> Vec<Command> {
        std::iter::once(command.clone()).chain(command.get_subcommands().flat_map(all)).collect()
    }

    #[test]
    fn every_help_fits_80_columns_in_both_languages() {
        for language in Language::ALL {
            with_language(language, || {
                let mut whole = command();
                whole.build();
                for mut one in all(&whole) {
                    assert_narrow(&one.render_help().to_string());
                    assert_narrow(&one.render_long_help().to_string());
                }
            });
        }
    }

    #[test]
    fn every_verb_and_argument_has_a_message_and_every_message_belongs_to_one() {
        let mut used: BTreeSet<&str> = BTreeSet::from(["help-short-begin", "help-short-end", "help-heading-usage"]);
        let mut lacking = Vec::new();
        let mut note = |name: String, message: Option<Message>| match message {
            Some(message) => drop(used.insert(message.id())),
            None => lacking.push(name),
        };
        // Headings are keys until the texts are put in.
        let bare = with_flags(Cli::command());
        for verb in all(&bare) {
            let name = verb.get_name();
            note(name.to_string(), of_verb(name));
            if verb.has_subcommands() {
                note("commands".into(), by_name("help-heading-commands"));
            }
            by_name(&format!("help-{name}-examples")).into_iter().for_each(|it| note(String::new(), Some(it)));
            for argument in verb.get_arguments().filter(|argument| !argument.is_hide_set()) {
                note(format!("{name} {}", argument.get_id()), of_argument(name, argument));
                let usual = if argument.is_positional() { "arguments" } else { "options" };
                let heading = argument.get_help_heading().unwrap_or(usual);
                note(format!("the heading '{heading}'"), by_name(&format!("help-heading-{heading}")));
            }
        }
        assert!(lacking.is_empty(), "no message 'help-…' for: {}", lacking.join(", "));
        let is_help = |id: &&str| id.starts_with("help-");
        let idle: Vec<&str> = kurabe_messages::all()
            .iter()
            .map(|entry| entry.id)
            .filter(is_help)
            .filter(|id| !used.contains(id))
            .collect();
        assert!(idle.is_empty(), "of no verb and no argument: {}", idle.join(", "));
    }

    /// Verbs of the harness, which the parser does not know.
    const OF_THE_HARNESS: [&str; 5] = ["client", "tool", "drive", "link", "guardian"];

    /// Texts of the project in which commands stand: sources, descriptors and what lies beside them, studies, scripts.
    fn texts(path: &Path) -> Vec<PathBuf> {
        let is_text = |path: &Path| {
            path.extension().is_none_or(|end| ["rs", "toml", "md", "mjs", "sh", "ftl"].iter().any(|one| end == *one))
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
                    let of = command();
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
        for (verb, to, build) in MOVED {
            let error = command().try_get_matches_from([NAME, verb]).unwrap_err();
            assert_eq!(error.kind(), clap::error::ErrorKind::InvalidSubcommand, "{verb}");
            for one in std::iter::once(to).chain(build) {
                let error = command().try_get_matches_from(one.split(' ').chain(["--help"])).unwrap_err();
                assert_eq!(error.kind(), clap::error::ErrorKind::DisplayHelp, "{one}");
            }
        }
    }
}
