//! What a store is, whatever it does in a run: for those who have to choose one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::durability::Guarantee;

/// A store of the catalogue as it was known when a run began, whether or not it took part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct KnownStore {
    /// Name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Licence of the store itself.
    pub licence: String,
    /// What it is.
    pub about: About,
    /// What its settings keep, those left out that must be asked for by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guarantees: Vec<Guarantee>,
    /// Whether it is on this machine.
    pub here: bool,
    /// What gets it, where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// What a store is: facts with their sources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Where it runs.
    pub form: Form,
    /// What it keeps.
    pub model: Model,
    /// How many connections write at the same time.
    pub writers: Writers,
    /// Date of the newest release that was known when this was written, `YYYY-MM-DD` or `YYYY-MM`; absent where it has none
    /// of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released: Option<String>,
    /// Version of that release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_version: Option<String>,
    /// Where that is documented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_source: Option<String>,
    /// How it is maintained.
    #[serde(default, skip_serializing_if = "SupportStatus::is_maintained")]
    pub status: SupportStatus,
    /// Where that is documented; absent where it is maintained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status_source: Option<String>,
    /// Its release lines with the end of their support, where a line that is in use has one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<ReleaseLine>,
    /// Whom its licence binds beside those who change it; absent where nobody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence_binds: Option<LicenceBinds>,
    /// Languages that have a driver of it which is maintained, where these are few; empty where most languages have one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// What connections that write at the same time can do to each other, as it is driven here; absent in records from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
    /// Where that is documented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub isolation_source: Option<String>,
    /// What it can do against growing without end, by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgets: Vec<Retention>,
    /// Where that is documented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forgets_source: Option<String>,
    /// How a backup is taken.
    pub backup: String,
    /// Where that is documented.
    pub backup_source: String,
    /// How the shape of rows is changed.
    pub schema_change: String,
    /// Where that is documented.
    pub schema_change_source: String,
    /// For whom it is the plain choice: what to take where nothing else decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_choice: Option<UsedBy>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_reason: Option<String>,
    /// Where that is documented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain_source: Option<String>,
}

/// A line of releases.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReleaseLine {
    /// How its versions begin, such as `8.0`.
    pub version: String,
    /// Last day of support by those who made this build of it (its makers, or the distribution), `YYYY-MM-DD` or `YYYY-MM`.
    pub until: String,
    /// Where that is documented.
    pub source: String,
}

/// Whom a licence binds beside those who change the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LicenceBinds {
    /// Those who give away a program that it is linked into: the program comes under the same licence.
    Programs,
    /// Those who offer it to others over a network, as a service or as part of one.
    Services,
}

/// What connections that work at the same time can see of each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Nothing holds beyond a single request, and of two writes to a row at the same time one may be lost without a word.
    LastWriteWins,
    /// Nothing holds beyond a single request.
    SingleRequest,
    /// A transaction sees what others have not committed yet.
    ReadUncommitted,
    /// A transaction sees what others have committed meanwhile.
    ReadCommitted,
    /// What it has read stays the same; a value that it writes from what it has read may undo another's.
    RepeatableRead,
    /// As of one moment; of two that change the same row one is refused.
    Snapshot,
    /// As if one came after the other.
    Serializable,
}

/// What a store does by itself, so as not to grow without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Retention {
    /// Rows end at a time that was given with them.
    Expiry,
    /// Rows that are used least go when the memory is full.
    Eviction,
}

/// How a store is maintained, as its makers say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SupportStatus {
    /// It is maintained, or its makers say nothing else.
    #[default]
    Maintained,
    /// Only critical bugs are fixed.
    Limited,
    /// Nothing is: there will be no further release.
    Retired,
}

impl SupportStatus {
    fn is_maintained(&self) -> bool {
        *self == SupportStatus::Maintained
    }
}

/// Where a store runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Inside the program that uses it.
    Library,
    /// In a process of its own, which programs on several machines can reach.
    Server,
}

/// What a store keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Model {
    /// Tables, asked in SQL.
    #[serde(rename = "sql")]
    Sql,
    /// Documents.
    #[serde(rename = "documents")]
    Documents,
    /// Bytes under keys.
    #[serde(rename = "key-value")]
    KeyValue,
    /// Rows of many columns, spread over machines by their keys.
    #[serde(rename = "wide-column")]
    WideColumn,
    /// Lines.
    #[serde(rename = "text file")]
    TextFile,
}

/// How many connections write at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Writers {
    /// One: the others wait for its lock.
    One,
    /// Several.
    Several,
}

/// Who uses a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UsedBy {
    /// One program on one machine.
    OneProgram,
    /// Programs on several machines.
    SeveralMachines,
}

impl UsedBy {
    /// The word that stands in studies and on the command line.
    pub const WORDS: [(&'static str, UsedBy); 2] =
        [("one-program", UsedBy::OneProgram), ("several-machines", UsedBy::SeveralMachines)];

    /// That of a word.
    pub fn of(word: &str) -> Option<UsedBy> {
        UsedBy::WORDS.into_iter().find(|(known, _)| *known == word).map(|(_, used_by)| used_by)
    }

    /// Those for whom stores of a form are made.
    pub fn of_form(form: Form) -> UsedBy {
        match form {
            Form::Library => UsedBy::OneProgram,
            Form::Server => UsedBy::SeveralMachines,
        }
    }

    /// Whether a store of this form can serve it.
    pub fn fits(self, form: Form) -> bool {
        self == UsedBy::OneProgram || form == Form::Server
    }
}

impl std::fmt::Display for UsedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl About {
    /// Year of the newest release.
    pub fn released_year(&self) -> Option<i32> {
        self.released.as_ref()?.get(..4)?.parse().ok()
    }

    /// The release line that a version is of: of several that fit, the longest.
    pub fn line_of(&self, version: &str) -> Option<&ReleaseLine> {
        let is_of = |line: &&ReleaseLine| {
            version
                .strip_prefix(line.version.as_str())
                .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
        };
        self.lines.iter().filter(is_of).max_by_key(|line| line.version.len())
    }
}
