use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};

use kurabe_messages::message;
use rustix::process::Signal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Found, Guardian};

/// What a service needs to be found, initialised, started and stopped. It must run in the foreground.
///
/// Arguments hold placeholders: `{name}` for each of `binaries`, `{data}` and `{log}` in `init` and `start`, `{port}`
/// and `{socket_dir}` in `start` and the URLs, and variables of the caller. Folders of the caller ([`crate::ProgramPaths`])
/// also stand in `search` and `binaries`. A brace not followed by a letter stands for itself.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct ServiceSpec {
    /// The user to run as when Kurabe is root; nobody where that user is missing or none is named.
    pub user: Option<String>,
    /// Folders to look in after PATH, with at most one `*` in each part of a path; higher versions come first.
    #[serde(default)]
    pub search: Vec<String>,
    /// The command that tells the version in its first line; none where the service cannot tell.
    #[serde(default)]
    pub version: Vec<String>,
    /// A word that this line must hold, where a program of the same name may be something else.
    pub version_holds: Option<String>,
    /// A word that tells from this line that the program is something else.
    pub version_lacks: Option<String>,
    /// Commands that make an empty data folder into an initialised one, in order.
    #[serde(default)]
    pub init: Vec<Vec<String>>,
    /// The command that is the service.
    pub start: Vec<String>,
    /// The signal that asks it to end.
    #[serde(default)]
    pub stop_signal: StopSignal,
    /// How long it may take to end before it is killed.
    #[serde(default = "ten_seconds")]
    pub stop_grace_ms: u64,
    /// How long it may take until it accepts connections.
    #[serde(default = "thirty_seconds")]
    pub ready_timeout_ms: u64,
    /// Where clients reach it. Without `{port}` it is awaited at a socket in `{socket_dir}`.
    pub url: String,
    /// Where clients reach it through a unix socket.
    pub unix_url: Option<String>,
    /// Lines of its log that tell of work which it does beside its clients.
    #[serde(default)]
    pub background: Vec<BackgroundLine>,
    /// Names of placeholders, each with the file names to look for, in this order; one with a `/` is taken as it is.
    pub binaries: BTreeMap<String, Vec<String>>,
}

/// How a log tells of work that may hold clients up.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct BackgroundLine {
    /// What stands in the line.
    pub line: String,
    /// What the service does then, in a word or two.
    pub what: String,
}

fn ten_seconds() -> u64 {
    10_000
}

fn thirty_seconds() -> u64 {
    30_000
}

/// The signal that asks a service to end.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(rename_all = "UPPERCASE")]
pub enum StopSignal {
    /// SIGTERM.
    #[default]
    Term,
    /// SIGINT.
    Int,
    /// SIGQUIT.
    Quit,
}

impl From<StopSignal> for Signal {
    fn from(signal: StopSignal) -> Signal {
        match signal {
            StopSignal::Term => Signal::TERM,
            StopSignal::Int => Signal::INT,
            StopSignal::Quit => Signal::QUIT,
        }
    }
}

/// A service that was found, with all that is needed to initialise and start it.
#[derive(Clone, Debug)]
pub struct Blueprint<'a> {
    /// What the service needs.
    pub spec: &'a ServiceSpec,
    /// Where its programs are.
    pub found: &'a Found,
    /// Who cleans up after it.
    pub guardian: &'a Guardian,
    /// Placeholders of the caller. The names `data`, `log`, `port`, `socket_dir` and those of binaries and of the folders
    /// that they were looked for with are taken.
    /// Values whose names hold `password`, `secret` or `token` are masked in messages.
    pub variables: BTreeMap<String, String>,
    /// Set when the user interrupts: waits for the service end at once then.
    pub interrupt: Option<&'a AtomicBool>,
    /// Whether it writes what it says to a terminal, where nobody reads it, instead of to its log.
    pub terminal: bool,
}

impl<'a> Blueprint<'a> {
    /// A blueprint without variables.
    pub fn new(spec: &'a ServiceSpec, found: &'a Found, guardian: &'a Guardian) -> Blueprint<'a> {
        Blueprint { spec, found, guardian, variables: BTreeMap::new(), interrupt: None, terminal: false }
    }

    /// Whether the user has interrupted.
    pub(crate) fn interrupted(&self) -> bool {
        self.interrupt.is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// All placeholders: the caller's, the binaries, and `more`, the later ones before the earlier.
    pub(crate) fn placeholders(&self, more: &[(&str, String)]) -> BTreeMap<String, String> {
        let mut all = self.variables.clone();
        all.extend(self.found.placeholders());
        all.extend(more.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        all
    }
}

/// A placeholder that stands for nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", message!(service_placeholder, name = format!("{{{}}}", .name), text = .text, known = .known))]
pub struct UnknownPlaceholder {
    /// Its name.
    pub name: String,
    /// The text that it stands in.
    pub text: String,
    /// The names that are known.
    pub known: Vec<String>,
}

/// Puts values in the place of `{name}`.
pub(crate) fn substitute(text: &str, values: &BTreeMap<String, String>) -> Result<String, UnknownPlaceholder> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        let (before, after) = (&rest[..at], &rest[at + 1..]);
        result.push_str(before);
        let length = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
        let name = &after[..length];
        if name.is_empty() {
            result.push('{');
            rest = after;
            continue;
        }
        let value = values.get(name).filter(|_| after[length..].starts_with('}')).ok_or_else(|| {
            UnknownPlaceholder { name: name.to_owned(), text: text.to_owned(), known: values.keys().cloned().collect() }
        })?;
        result.push_str(value);
        rest = &after[length + 1..];
    }
    result.push_str(rest);
    Ok(result)
}

/// [`substitute`] for each word of a command.
pub(crate) fn substitute_all(
    words: &[String],
    values: &BTreeMap<String, String>,
) -> Result<Vec<String>, UnknownPlaceholder> {
    words.iter().map(|word| substitute(word, values)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values() -> BTreeMap<String, String> {
        BTreeMap::from([("port".to_owned(), "5".to_owned()), ("data".to_owned(), "/d {port}".to_owned())])
    }

    #[test]
    fn placeholders_are_replaced_once_and_wherever_they_stand() {
        assert_eq!(substitute("-p{port}:{port}", &values()).unwrap(), "-p5:5");
        assert_eq!(substitute("{data}", &values()).unwrap(), "/d {port}");
        assert_eq!(substitute("{\"a\": {}} {", &values()).unwrap(), "{\"a\": {}} {");
    }

    #[test]
    fn an_unknown_or_unclosed_placeholder_is_named() {
        let error = substitute("x={prot}", &values()).unwrap_err();
        assert_eq!(error.to_string(), "unknown placeholder '{prot}' in 'x={prot}'; known here: data, port");
        assert_eq!(substitute("x={port", &values()).unwrap_err().name, "port");
    }

    #[test]
    fn a_spec_is_read_with_its_defaults_and_a_typo_is_refused() {
        let text = "start = [\"{x}\"]\nurl = \"x://127.0.0.1:{port}\"\n[binaries]\nx = [\"x\"]\n";
        let spec: ServiceSpec = toml::from_str(text).unwrap();
        assert_eq!((spec.stop_signal, spec.stop_grace_ms, spec.ready_timeout_ms), (StopSignal::Term, 10_000, 30_000));
        let spec: ServiceSpec = toml::from_str(&format!("stop_signal = \"INT\"\n{text}")).unwrap();
        assert_eq!(Signal::from(spec.stop_signal), Signal::INT);
        assert!(toml::from_str::<ServiceSpec>(&format!("stop_signal = \"KILL\"\n{text}")).is_err());
        assert!(toml::from_str::<ServiceSpec>(&format!("stop_graze_ms = 5\n{text}")).is_err());
    }
}
