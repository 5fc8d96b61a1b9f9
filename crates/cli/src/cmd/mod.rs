//! The verbs, one file each.

pub mod claims;
pub mod compare;
pub mod data;
pub mod doctor;
pub mod generate;
pub mod list;
pub mod new;
mod next_step;
pub mod place;
pub mod plan;
pub mod presence;
pub mod report;
pub mod run;
mod runs;
pub mod selftest;
pub mod serve;
pub mod setup;
pub mod show;
pub mod wire;

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::Context;
use kurabe_analysis::{Answer, RankBy};
use kurabe_harness::Clients;
use kurabe_messages::{Message, language, message};
use kurabe_record::{Loaded, Metric};
use kurabe_report::{ClaimsShown, Colour, Detail, TerminalStyle};
use kurabe_service::Guardian;
use kurabe_study::definitions::PARTS;
use kurabe_study::{Catalogue, StudyError};

use crate::{ascii, fold};

/// What was typed wrongly in a way that the parser cannot see.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub Message);

/// Why a file that was named could not be written: a mistake where its folder is none or closed, else what happened.
pub fn unwritten(path: &Path, error: std::io::Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::NotFound
        | ErrorKind::NotADirectory
        | ErrorKind::IsADirectory
        | ErrorKind::PermissionDenied
        | ErrorKind::ReadOnlyFilesystem => Mistake(message!(cli_write_refused, path = path.display(), error)).into(),
        _ => anyhow::Error::new(error).context(message!(cli_write, path = path.display())),
    }
}

/// Prints text to stdout; whatever of it is not ours acts on no terminal.
pub fn say(text: &str) -> anyhow::Result<()> {
    let lines: Vec<String> = text.split('\n').map(kurabe_report::one_line).collect();
    say_drawn(&lines.join("\n"))
}

/// Prints to stdout what was made for a terminal, with its colours.
pub fn say_drawn(text: &str) -> anyhow::Result<()> {
    say_as_it_is(&ascii::shown(text, &std::io::stdout()))
}

/// Breaks lines that are too long for the terminal at words; what goes on stands below the text, not below its label. A
/// command stays on one line, so that it can be copied.
pub fn folded(text: &str) -> String {
    let width = terminal_style(Path::new(""), false).width;
    let fold = |line: &str| {
        let shift = line.len() - line.trim_start().len();
        // Behind a label and the blanks that follow it.
        let hang = line[shift..].find("  ").map_or(shift, |at| line.len() - line[shift + at..].trim_start().len());
        if ["apt-get ", "kurabe "].iter().any(|command| line[hang..].starts_with(command)) {
            return line.to_string();
        }
        // A long label leaves no room beside it.
        let indent = " ".repeat(if hang <= width / 2 { hang } else { shift + 2 });
        fold::fill(line, textwrap::Options::new(width).subsequent_indent(&indent))
    };
    text.split('\n').map(fold).collect::<Vec<String>>().join("\n")
}

/// Prints a value to stdout as JSON.
pub fn say_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    say_as_it_is(&format!("{}\n", kurabe_report::in_json(&serde_json::to_string_pretty(value)?)))
}

/// Prints to stdout what is for programs. A reader that closed its end (`| head`)
/// has seen enough: that is no error.
pub fn say_as_it_is(text: &str) -> anyhow::Result<()> {
    if crate::stdout::was_closed() {
        anyhow::bail!(message!(cli_stdout_closed));
    }
    match std::io::stdout().write_all(text.as_bytes()).and_then(|()| std::io::stdout().flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error).context(message!(cli_stdout)),
        _ => Ok(()),
    }
}

/// The folders that `--definitions` named.
static DEFINITIONS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Notes the folders of definitions that were named.
pub fn define(folders: Vec<PathBuf>) {
    // The command line is read once.
    let _ = DEFINITIONS.set(folders);
}

/// Everything that this Kurabe knows: what is built in, what is in the user's folder, and what is in the folders that
/// `--definitions` named.
pub fn catalogue() -> Result<Catalogue, StudyError> {
    let is_used = |folder: &PathBuf| PARTS.iter().any(|part| folder.join(part).is_dir());
    let own = own_definitions().filter(is_used);
    let named = DEFINITIONS.get().into_iter().flatten().cloned();
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in own.into_iter().chain(named) {
        // One that is named twice, or is the user's own, is read once.
        let is_same =
            |known: &PathBuf| known.canonicalize().ok().is_some_and(|it| folder.canonicalize().is_ok_and(|a| a == it));
        if !folders.iter().any(is_same) {
            folders.push(folder);
        }
    }
    folders.iter().try_fold(Catalogue::builtin()?, |all, folder| all.with_definitions(folder))
}

/// A flag that names a path, for a command to paste; nothing where a shell cannot take the path.
pub(crate) fn flag(name: &str, path: &Path) -> Option<String> {
    shlex::try_quote(path.to_str()?).ok().map(|path| format!(" {name} {path}"))
}

/// The flags that named folders of definitions, for a command to paste.
pub(crate) fn definitions_flags() -> String {
    DEFINITIONS.get().into_iter().flatten().filter_map(|folder| flag("--definitions", folder)).collect()
}

/// `$XDG_CONFIG_HOME/kurabe`, else `~/.config/kurabe`.
pub(crate) fn own_definitions() -> Option<PathBuf> {
    let of = |variable: &str| std::env::var_os(variable).filter(|folder| !folder.is_empty()).map(PathBuf::from);
    Some(of("XDG_CONFIG_HOME").or_else(|| Some(of("HOME")?.join(".config")))?.join("kurabe"))
}

/// A guardian for this command's processes, with an identity that no other run has.
pub fn guardian(clients: &Clients) -> anyhow::Result<Guardian> {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_nanos();
    let id = format!("{:x}{:x}", now & 0xffff_ffff_ffff, std::process::id());
    Ok(Guardian::start(&clients.exe, &id)?)
}

/// Reads a run and computes its answer.
pub fn answer(path: &Path, by: Option<Metric>) -> anyhow::Result<(Loaded, Answer)> {
    let loaded = Loaded::read(path)?;
    let answer = kurabe_analysis::answer_by(&loaded, by.map_or(RankBy::Study, RankBy::Metric));
    Ok((loaded, answer))
}

/// Reads the name of a metric.
pub fn metric(text: &str) -> Result<Metric, StudyError> {
    let known = || Metric::ALL.iter().map(|metric| metric.word().to_string()).collect();
    Metric::of(text).ok_or_else(|| StudyError::Unknown { what: "metric", name: text.to_string(), known: known() })
}

/// Columns of the terminal, as far as it or the environment says. In fewer than 40 a table is one letter a line.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let named = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    size.into_iter().chain(named).find(|width| *width > 0).map(|width: usize| width.max(40))
}

/// How the terminal is: its width, and whether it wants colours (NO_COLOR, <https://no-color.org>).
pub fn terminal_style(run_folder: &Path, full: bool) -> TerminalStyle {
    let terminal = std::io::stdout().is_terminal();
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = if terminal && !plain { Colour::Ansi } else { Colour::Plain };
    let width = columns().unwrap_or(120);
    let detail = if full { Detail::Full } else { Detail::Short };
    let claims = ClaimsShown::OfOwnStores;
    TerminalStyle { width, colour, detail, run_folder: run_folder.display().to_string(), claims, language: language() }
}
