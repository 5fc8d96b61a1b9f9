//! Mistakes in what was typed. Every message names the mistake, where it is and the way out.

use std::fmt;

use kurabe_messages::{Message, message};
use kurabe_protocol::SchemaError;

/// A mistake in a study, a candidate or a descriptor: exit status 2, before anything is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyError {
    /// A name that is not known.
    Unknown {
        /// Kind of thing: store, study, client…
        what: &'static str,
        /// What was typed.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// A mistake in a file or a flag.
    Value {
        /// The file, or the flag.
        origin: String,
        /// What is wrong and what would be right.
        problem: Message,
    },
    /// Anything else that keeps a study from being read, such as a data file that cannot be used.
    Other(Message),
}

impl StudyError {
    /// A mistake in a file or a flag.
    pub fn value(origin: &str, problem: Message) -> StudyError {
        StudyError::Value { origin: origin.to_string(), problem }
    }

    /// What to say of it.
    pub fn message(&self) -> Message {
        match self {
            StudyError::Unknown { what, name, known } => unknown(what, name, known),
            StudyError::Value { origin, problem } => message!(study_in, origin, problem = problem.clone()),
            StudyError::Other(message) => message.clone(),
        }
    }

    /// What to say of it where the reader knows that it is in `origin`.
    pub(crate) fn problem(self, origin: &str) -> Message {
        match self {
            StudyError::Value { origin: own, problem } if own == origin => problem,
            other => other.message(),
        }
    }

    /// The same mistake in a part of a file, such as a phase.
    pub(crate) fn within(self, origin: &str, part: Message) -> StudyError {
        StudyError::value(origin, message!(study_in_part, part, problem = self.problem(origin)))
    }
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for StudyError {}

/// A kind of thing; several words are joined by hyphens.
pub(crate) fn kind_name(what: &str) -> Message {
    message!(study_thing, what)
}

/// A kind of thing and its name: `phase 'read'`.
pub(crate) fn named(what: &str, name: &str) -> Message {
    message!(study_named, thing = kind_name(what), name)
}

/// A name that is not known.
pub(crate) fn unknown(what: &str, name: &str, known: &[impl AsRef<str>]) -> Message {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    message!(study_unknown, thing = kind_name(what), name, hint = hint(name, &known))
}

/// A value that is none of a few: the error names all, since of values the nearest says little.
pub(crate) fn unlisted(value: &str, known: &[impl AsRef<str>]) -> Message {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    message!(study_unknown, thing = kind_name("value"), name = value, hint = Some(message!(study_expected, known)))
}

/// A number that is not in its range.
pub(crate) fn range(key: &str, least: u64, most: u64, value: impl fmt::Display) -> Message {
    message!(study_range, key, least, most, value)
}

/// A name with its control characters escaped, as a terminal can show it.
pub(crate) fn without_controls(name: &str) -> String {
    let shown = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    name.chars().map(shown).collect()
}

/// What was read or answered, as it is.
pub(crate) fn quoted(text: impl fmt::Display) -> Message {
    message!(text_quoted, text)
}

/// What is wrong with the columns of rows.
pub(crate) fn of_schema(error: &SchemaError) -> Message {
    let (name, problem) = match error {
        SchemaError::TooFewFields(count) => return message!(study_schema_few, count = *count),
        SchemaError::TooManyFields(count) => return message!(study_schema_many, count = *count),
        SchemaError::Twice(name) => return message!(study_twice, named = named("field", name)),
        SchemaError::KeyType(name) => (name, message!(study_schema_key)),
        SchemaError::Name(name) => (name, message!(study_schema_name)),
        SchemaError::Length(name) => (name, message!(study_schema_length)),
        SchemaError::Index(name) => (name, message!(study_schema_index)),
        SchemaError::Prefix(name) => (name, message!(study_schema_prefix)),
        SchemaError::Digits(name) => (name, message!(study_schema_digits)),
        SchemaError::Distinct(name) => (name, message!(study_schema_distinct)),
        SchemaError::Constant(name) => (name, message!(study_schema_constant)),
    };
    message!(study_in_part, part = named("field", name), problem)
}

/// The nearest of the known names, or all there are.
fn hint(name: &str, known: &[&str]) -> Option<Message> {
    match nearest(name, known) {
        Some(name) => Some(message!(did_you_mean, name = *name)),
        None if known.is_empty() => None,
        None => Some(message!(study_expected, known = known.to_vec())),
    }
}

/// The known name that is most like `name`, where one is near enough to be meant.
pub fn nearest<'a, S: AsRef<str>>(name: &str, known: &'a [S]) -> Option<&'a S> {
    let score = |candidate: &S| distance(name, candidate.as_ref());
    let best = known.iter().min_by_key(|candidate| score(candidate))?;
    let near = score(best) <= 1 + name.chars().count() / 3 || (name.len() >= 3 && best.as_ref().starts_with(name));
    near.then_some(best)
}

/// How many letters have to be put in, taken out, changed or swapped to make the name `known` of what was typed.
pub fn distance(typed: &str, known: &str) -> usize {
    strsim::damerau_levenshtein(&typed.to_lowercase(), known)
}

#[cfg(test)]
mod tests {
    use super::*;

    use kurabe_messages::Language;

    #[test]
    fn the_nearest_name_is_suggested_and_a_far_one_is_not() {
        let error = |name: &str| {
            let known = ["sqlite", "lmdb", "redis", "postgres"].map(str::to_string).to_vec();
            StudyError::Unknown { what: "store", name: name.into(), known }
        };
        assert_eq!(error("sqlit").to_string(), "unknown store 'sqlit'; did you mean 'sqlite'?");
        assert_eq!(error("postgresql").to_string(), "unknown store 'postgresql'; did you mean 'postgres'?");
        assert_eq!(error("zzz").to_string(), "unknown store 'zzz'; expected one of: sqlite, lmdb, redis, postgres");
        let japanese = error("sqlit").message().text(Language::Japanese);
        assert_eq!(japanese, "ストア「sqlit」はありません。「sqlite」ではありませんか");
    }

    #[test]
    fn a_part_comes_behind_its_file_and_before_what_has_another_origin() {
        let problem = || quoted("wrong");
        let within = |origin: &str| StudyError::value(origin, problem()).within("my.toml", named("phase", "read"));
        assert_eq!(within("my.toml").to_string(), "my.toml: phase 'read': wrong");
        assert_eq!(within("'redis@…'").to_string(), "my.toml: phase 'read': 'redis@…': wrong");
    }
}
