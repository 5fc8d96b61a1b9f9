//! Mistakes in what was typed. Every message names the mistake, where it stands and the way out.

/// A mistake in a study, a candidate or a descriptor: exit status 2, before anything is started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StudyError {
    /// A name that is not known.
    #[error("unknown {what} '{name}'{}", suggestion(name, known))]
    Unknown {
        /// Kind of thing: store, study, client…
        what: &'static str,
        /// What was typed.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The TOML text cannot be read; the message holds line and column.
    #[error("{origin}: {message}")]
    Toml {
        /// The file.
        origin: String,
        /// What is wrong, with its place.
        message: String,
    },
    /// The file cannot be read.
    #[error("cannot read the study '{path}': {reason}")]
    File {
        /// The file.
        path: String,
        /// The system's answer.
        reason: String,
    },
    /// A data file that cannot be used.
    #[error("{0}")]
    Data(String),
    /// A value that makes no sense.
    #[error("{origin}: {problem}")]
    Value {
        /// The file, or the flag.
        origin: String,
        /// What is wrong and what would be right.
        problem: String,
    },
}

impl StudyError {
    /// A value that makes no sense.
    pub fn value(origin: &str, problem: impl Into<String>) -> StudyError {
        StudyError::Value { origin: origin.to_string(), problem: problem.into() }
    }
}

fn suggestion(name: &str, known: &[String]) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("; did you mean '{nearest}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; there is: {}", known.join(", ")),
    }
}

/// The known name that is most like `name`, where one is near enough to be meant.
fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let score = |candidate: &String| strsim::damerau_levenshtein(&name.to_lowercase(), candidate);
    let best = known.iter().min_by_key(|candidate| score(candidate))?;
    let near = score(best) <= 1 + name.chars().count() / 3 || (name.len() >= 3 && best.starts_with(name));
    near.then_some(best)
}

/// Turns an error of the TOML reader into ours; an unknown key gets the nearest known one.
pub(crate) fn toml_error(origin: &str, text: &str, error: &toml::de::Error) -> StudyError {
    let place = error.span().map(|span| {
        let before = &text[..span.start.min(text.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
        format!(" (line {line}, column {column})")
    });
    let message = unknown_key(error.message()).unwrap_or_else(|| error.message().trim().to_string());
    StudyError::Toml { origin: origin.to_string(), message: message + &place.unwrap_or_default() }
}

/// Serde says "unknown field `x`, expected one of `a`, `b`": keep the name and suggest the nearest.
fn unknown_key(message: &str) -> Option<String> {
    let rest = message.strip_prefix("unknown field `")?;
    let (name, rest) = rest.split_once('`')?;
    let known: Vec<String> = rest.split('`').skip(1).step_by(2).map(str::to_string).collect();
    Some(format!("unknown key '{name}'{}", suggestion(name, &known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_string()).collect()
    }

    #[test]
    fn the_nearest_name_is_suggested_and_a_far_one_is_not() {
        let stores = known(&["sqlite", "lmdb", "redis", "postgres"]);
        let error =
            |name: &str| StudyError::Unknown { what: "store", name: name.into(), known: stores.clone() }.to_string();
        assert_eq!(error("sqlit"), "unknown store 'sqlit'; did you mean 'sqlite'?");
        assert_eq!(error("postgresql"), "unknown store 'postgresql'; did you mean 'postgres'?");
        assert_eq!(error("zzz"), "unknown store 'zzz'; there is: sqlite, lmdb, redis, postgres");
    }

    #[test]
    fn an_unknown_key_is_named_with_its_place() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Wire {
            #[allow(dead_code)]
            rounds: u32,
        }
        let text = "rounds = 3\nround = 4\n";
        let error = toml::from_str::<Wire>(text).expect_err("unknown key");
        let error = toml_error("my.toml", text, &error).to_string();
        assert_eq!(error, "my.toml: unknown key 'round'; did you mean 'rounds'? (line 2, column 1)");
    }
}
