//! Mistakes that the parser finds, in words of the catalogues: what is wrong and where on one line, what helps on the next.

use std::error::Error;
use std::io::{IsTerminal, Write};
use std::net::AddrParseError;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use kurabe_messages::{Language, Message, RecordedText, message};
use kurabe_report::Colour;
use kurabe_study::{StudyError, nearest};

use crate::cmd::{say_drawn, terminal_style};
use crate::{help, status, tell};

/// Prints the mistake, or the help where that was asked for, and ends.
pub fn exit(error: &clap::Error, arguments: &[String]) -> ! {
    match message(error, &verb(arguments)) {
        Some(message) => tell(&format!("kurabe: {message}")),
        None => std::process::exit(print(error)),
    }
    std::process::exit(status::MISTAKE)
}

/// Prints a help, a version, or what has no words here; gives the exit status.
fn print(error: &clap::Error) -> i32 {
    // A terminal is shown commands that work there.
    if !error.use_stderr() && std::io::stdout().is_terminal() {
        let (text, colour) = (error.render(), terminal_style(Path::new(""), false).colour);
        let text = if colour == Colour::Ansi { text.ansi().to_string() } else { text.to_string() };
        return say_drawn(&text).map_or_else(|error| crate::fail(&error), |()| error.exit_code());
    }
    match error.print().and_then(|()| std::io::stdout().flush()) {
        Err(failed) if failed.kind() != std::io::ErrorKind::BrokenPipe => {
            crate::fail(&anyhow::Error::from(failed).context(message!(cli_stdout)))
        }
        _ => error.exit_code(),
    }
}

/// The command that was typed, without its flags.
fn verb(arguments: &[String]) -> String {
    let mut command = help::command();
    let mut words = vec![help::NAME.to_string()];
    for word in arguments.iter().skip(1) {
        let inner = command.find_subcommand(word).cloned();
        if let Some(inner) = inner {
            words.push(word.clone());
            command = inner;
        }
    }
    words.join(" ")
}

/// What is wrong; nothing for a help, and for what has no words here.
fn message(error: &clap::Error, verb: &str) -> Option<Message> {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    };
    let number = |kind| match error.get(kind) {
        Some(ContextValue::Number(number)) => Some(*number as u64),
        _ => None,
    };
    let argument = || text(ContextKind::InvalidArg);
    let hint = message!(clap_hint_flags, verb);
    Some(match error.kind() {
        ErrorKind::UnknownArgument => {
            let nearest = text(ContextKind::SuggestedArg);
            let hint = nearest.map_or(hint, |nearest| message!(clap_hint_nearest, nearest, verb));
            message!(clap_unknown_argument, argument = argument()?, verb, hint)
        }
        ErrorKind::InvalidSubcommand => {
            let name = text(ContextKind::InvalidSubcommand)?;
            let known: Vec<String> =
                help::command().get_subcommands().map(|verb| verb.get_name().to_string()).collect();
            let nearest = text(ContextKind::SuggestedSubcommand).or_else(|| nearest(&name, &known).cloned());
            let hint = help::moved(&name).or_else(|| Some(message!(clap_hint_verb, nearest = nearest?, verb)));
            message!(clap_unknown_verb, name, hint = hint.unwrap_or_else(|| message!(clap_hint_verbs, verb)))
        }
        ErrorKind::MissingSubcommand => message!(clap_missing_verb, verb, hint = message!(clap_hint_verbs, verb)),
        ErrorKind::InvalidValue => match (text(ContextKind::InvalidValue), texts(ContextKind::ValidValue)) {
            (None, _) => message!(clap_no_value, argument = argument()?, hint),
            (Some(value), _) if value.is_empty() => message!(clap_no_value, argument = argument()?, hint),
            (Some(value), known) => message!(clap_unlisted_value, value, argument = argument()?, known, hint),
        },
        ErrorKind::ValueValidation => {
            let (value, argument) = (text(ContextKind::InvalidValue)?, argument()?);
            let reason = reason(error)?;
            match reason.text(Language::English).contains(&format!("'{value}'")) {
                true => message!(clap_bad_argument, argument, reason),
                false => message!(clap_bad_value, value, argument, reason),
            }
        }
        ErrorKind::ArgumentConflict => {
            let (argument, others) = (argument()?, texts(ContextKind::PriorArg));
            match others.as_slice() {
                [] => return None,
                [one] if *one == argument => message!(clap_twice, argument, hint),
                _ => message!(clap_conflict, argument, others, hint),
            }
        }
        ErrorKind::MissingRequiredArgument => {
            message!(clap_missing, arguments = texts(ContextKind::InvalidArg), verb, hint)
        }
        ErrorKind::TooFewValues => {
            let (least, count) = (number(ContextKind::MinValues)?, number(ContextKind::ActualNumValues)?);
            message!(clap_few_values, argument = argument()?, least, count, hint)
        }
        ErrorKind::InvalidUtf8 => message!(clap_not_utf8, verb, hint),
        _ => return None,
    })
}

/// Why a value was refused. The flag that it is for was named before.
fn reason(error: &clap::Error) -> Option<RecordedText> {
    let source = error.source()?;
    if source.is::<AddrParseError>() {
        return Some(message!(clap_no_address).into());
    }
    Some(match source.downcast_ref() {
        Some(StudyError::Value { origin, problem }) if origin.starts_with("--") => problem.clone().into(),
        _ => match RecordedText::of(source) {
            RecordedText::Plain(text) => of_parser(&text).map_or_else(|| text.clone().into(), RecordedText::from),
            message => message,
        },
    })
}

/// What the parser says of a number, as it writes that: `99999 is not in 0..=65535`.
fn of_parser(text: &str) -> Option<Message> {
    if text.contains("invalid digit") {
        return Some(message!(clap_no_number));
    }
    let (least, most) = text.split_once(" is not in ")?.1.split_once("..=")?;
    let (least, most) = (least.parse::<u64>().ok()?, most.parse::<u64>().ok()?);
    Some(message!(clap_range, least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        let arguments: Vec<String> = line.split(' ').map(String::from).collect();
        let error = help::command().try_get_matches_from(&arguments).unwrap_err();
        message(&error, &verb(&arguments)).unwrap_or_else(|| panic!("'{line}': {error}")).to_string()
    }

    #[test]
    fn each_mistake_says_what_where_and_what_helps() {
        for (line, expected) in [
            (
                "kurabe run --rwos 5",
                "unexpected argument '--rwos' for 'kurabe run'\nDid you mean '--rows'? All flags: kurabe run --help",
            ),
            (
                "kurabe run quick --xyzzy",
                "unexpected argument '--xyzzy' for 'kurabe run'\nAll flags: kurabe run --help",
            ),
            (concat!("kurabe", " rnu"), "unknown command 'rnu'\nDid you mean 'run'? All commands: kurabe --help"),
            (concat!("kurabe", " xyzzy"), "unknown command 'xyzzy'\nAll commands: kurabe --help"),
            ("kurabe run --seed", "'--seed <N>' needs a value\nAll flags: kurabe run --help"),
            (
                "kurabe dev wire",
                "'kurabe dev wire' needs '<STUDY>' and '<CANDIDATE>'\nAll flags: kurabe dev wire --help",
            ),
            (
                "kurabe run --rows 1 --sizes 2",
                "'--rows <N>' cannot go with '--sizes <A,B,C>'\nAll flags: kurabe run --help",
            ),
            ("kurabe run --seed 1 --seed 2", "'--seed <N>' cannot be given twice\nAll flags: kurabe run --help"),
            ("kurabe compare a", "'<RUN> <RUN>...' needs at least 2 values, got 1\nAll flags: kurabe compare --help"),
            (
                "kurabe dev generate x",
                "invalid value 'x' for '<WHAT>': expected 'bash', 'zsh', 'fish', 'man', 'schema-run', 'schema-entry' or 'schema-answer'\nAll flags: kurabe dev generate --help",
            ),
            (
                "kurabe --language jp run",
                "invalid value 'jp' for '--language <en|ja>': expected 'en' or 'ja'\nAll flags: kurabe run --help",
            ),
            (
                "kurabe serve --threads 9999",
                "invalid value '9999' for '--threads <N>': expected a whole number from 1 to 1,024",
            ),
            ("kurabe serve --threads x", "invalid value 'x' for '--threads <N>': expected a whole number"),
            (
                "kurabe serve --listen here",
                "invalid value 'here' for '--listen <IP:PORT>': expected an IP address and a port, such as 127.0.0.1:8080",
            ),
        ] {
            assert_eq!(said(line), expected);
        }
    }

    #[test]
    fn the_reason_of_a_bad_value_names_the_flag_once() {
        let said = said("kurabe run --need 5/x");
        assert_eq!(said.matches("--need").count(), 1, "{said}");
        assert!(said.contains("100/s"), "{said}");
    }
}
