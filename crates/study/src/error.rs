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
    /// A store that is known and cannot be had here.
    #[error("store '{name}' cannot be measured here: no package registry carries it; {}", run_your_own(way.as_deref()))]
    NotCarried {
        /// What was typed.
        name: String,
        /// How one that the user runs is given.
        way: Option<String>,
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

fn run_your_own(way: Option<&str>) -> String {
    way.map_or("no client here speaks its protocol".into(), |way| format!("run your own and give its address: {way}"))
}

/// The nearest of the known names as words behind a message, or all there are.
pub(crate) fn suggestion(name: &str, known: &[String]) -> String {
    match nearest(name, known) {
        Some(nearest) => format!("; did you mean '{nearest}'?"),
        None if known.is_empty() => String::new(),
        None => format!("; there is: {}", known.join(", ")),
    }
}

/// The known name that is most like `name`, where one is near enough to be meant.
pub fn nearest<'a>(name: &str, known: &'a [String]) -> Option<&'a String> {
    let score = |candidate: &String| distance(name, candidate);
    let best = known.iter().min_by_key(|candidate| score(candidate))?;
    let near = score(best) <= 1 + name.chars().count() / 3 || (name.len() >= 3 && best.starts_with(name));
    near.then_some(best)
}

/// How many letters have to be put in, taken out, changed or swapped to make the name `known` of what was typed.
pub fn distance(typed: &str, known: &str) -> usize {
    strsim::damerau_levenshtein(&typed.to_lowercase(), known)
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
}
