//! What a client is, as data: `clients/<name>/client.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::error::StudyError;
use crate::toml_text;

/// A client's descriptor. The Rust client has none: it is Kurabe's own binary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientDescriptor {
    /// Name, that of its folder.
    pub name: String,
    /// Other names by which a candidate may ask for it.
    #[serde(default)]
    pub also: Vec<String>,
    /// Title for people.
    pub title: String,
    /// The command that starts it; `{client}` is the folder of its sources, `{built}` that of what was built of them,
    /// `{python}` and `{java}` are interpreters, `{option:NAME}` the value of an option.
    pub run: Vec<String>,
    /// How it is built, where its sources cannot run as they are.
    #[serde(default)]
    pub build: Option<ClientBuild>,
    /// What a candidate may set of the client itself.
    #[serde(default, rename = "option")]
    pub options: Vec<ClientOption>,
    /// What its connections are. Whether they see each other's versions tells its receipt (`shared_versions`).
    pub connections: Connections,
    /// Stores that it can drive.
    pub stores: Vec<String>,
    /// For each store the command that succeeds where all that it needs is installed.
    #[serde(default)]
    pub probe: BTreeMap<String, Vec<String>>,
    /// The command that gets what is missing.
    #[serde(default)]
    pub install: Option<String>,
}

/// What the connections of a client are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// All of them are in one process.
    Threads,
    /// Each is a process of its own.
    Processes,
}

/// How a client is built, once a machine and version: in a folder of its own, which takes its place when all is well.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientBuild {
    /// The command; `{build}` is the folder that it fills.
    pub command: Vec<String>,
    /// File in that folder which is there afterwards.
    pub product: String,
    /// Programs that must be in PATH.
    pub needs: Vec<String>,
    /// The command that installs those programs.
    pub install: String,
}

/// A setting of the client itself. A candidate gives it among its settings, and it stands in the record as they do.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientOption {
    /// Name among the settings of a candidate.
    pub name: String,
    /// What its value is.
    pub kind: OptionKind,
    /// Value where a candidate gives none.
    pub default: String,
    /// Value in tests of what is right, where nothing is timed; the usual one where absent.
    #[serde(default)]
    pub in_tests: Option<String>,
    /// Value in those of them that go without a warm-up; that of `in_tests` where absent.
    #[serde(default)]
    pub in_cold_tests: Option<String>,
    /// What it is for.
    pub reason: String,
}

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionKind {
    /// Digits.
    Count,
    /// Bytes: digits, and `k`, `m` or `g` after them for powers of 1024.
    Size,
    /// Options of a program, parted by spaces; there may be none.
    Words,
}

impl OptionKind {
    /// What is wrong with a value, in words.
    pub fn problem(self, value: &str) -> Option<&'static str> {
        let number = |digits: &str| (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            OptionKind::Count => (!number(value)).then_some("is no number; write it like 500"),
            OptionKind::Size => {
                let digits = value.strip_suffix(['k', 'm', 'g']).unwrap_or(value);
                let some = number(digits) && digits.bytes().any(|byte| byte != b'0');
                (!some).then_some("is no size; write it like 512m or 2g")
            }
            OptionKind::Words => {
                let option = |word: &str| word.len() > 1 && word.starts_with('-') && word.bytes().all(is_plain);
                let all = value.split_ascii_whitespace().all(option);
                (!all).then_some("are no options; write them like '-XX:+UseZGC -Xms1g'")
            }
        }
    }
}

/// Whether a byte means itself to a shell and to the programs that part options.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_+=:.,/%@".contains(&byte)
}

impl ClientDescriptor {
    pub(crate) fn parse(origin: &str, text: &str) -> Result<ClientDescriptor, StudyError> {
        toml_text::read(origin, text)
    }

    /// Whether a candidate that asks for `name` means this client.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.also.iter().any(|other| other == name)
    }

    /// What is wrong with the settings of a candidate that are for the client itself.
    pub(crate) fn problem(&self, asked: &BTreeMap<String, String>) -> Option<String> {
        let wrong = |option: &ClientOption| {
            let value = asked.get(&option.name)?;
            option.kind.problem(value).map(|problem| format!("settings.{} = '{value}' {problem}", option.name))
        };
        self.options.iter().find_map(wrong)
    }

    /// Settings for the client itself, where `asked` are those of a candidate.
    pub fn option_values(&self, asked: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let value = |option: &ClientOption| asked.get(&option.name).unwrap_or(&option.default).clone();
        self.options.iter().map(|option| (option.name.clone(), value(option))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn a_client_has_one_folder_and_may_have_several_names() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let jdbc = catalogue.client("jdbc").expect("jdbc is a name of the JVM client");
        assert_eq!((jdbc.name.as_str(), jdbc), ("jvm", catalogue.client("jvm").expect("the JVM client")));
        assert!(catalogue.client("jdb").is_none());
    }

    #[test]
    fn options_are_those_that_are_asked_for_or_usual() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let jvm = catalogue.client("jvm").expect("the JVM client");
        let asked =
            BTreeMap::from([("jvm_heap".to_string(), "2g".to_string()), ("other".to_string(), "1".to_string())]);
        let values = jvm.option_values(&asked);
        assert_eq!(values.get("jvm_heap").map(String::as_str), Some("2g"));
        assert_eq!((values.get("jvm_warmup_ms").map(String::as_str), values.len()), (Some("500"), 3));
        assert_eq!(jvm.problem(&asked), None);
    }

    #[test]
    fn words_are_options_and_nothing_for_a_shell() {
        for right in ["", " ", "-Xms1g", "-XX:+UseZGC -XX:MaxDirectMemorySize=1g -Dx.y=/tmp/z,1"] {
            assert_eq!(OptionKind::Words.problem(right), None, "{right}");
        }
        for wrong in ["Xms1g", "-", "-Xms1g; ls", "-Dx=$HOME", "-Dx=*", "-Dx='a b'", "-D\u{e9}"] {
            assert!(OptionKind::Words.problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn every_client_can_drive_what_names_it() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        for store in catalogue.stores() {
            for name in store.clients.iter().filter(|name| *name != "rust") {
                let client = catalogue.client(name).unwrap_or_else(|| panic!("{}: no client '{name}'", store.name));
                assert!(client.stores.contains(&store.name), "{} is not among the stores of {name}", store.name);
                assert!(client.probe.contains_key(&store.name), "{name} has no probe for {}", store.name);
            }
        }
    }
}
