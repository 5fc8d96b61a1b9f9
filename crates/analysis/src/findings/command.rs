//! Commands to paste: that of the record with something else in it, so that nothing is lost that a person typed.

use std::fmt;

use kurabe_record::{RunRecord, StudyPlan};

/// Flags of `kurabe run` that have no value.
const SWITCHES: [&str; 7] =
    ["--all", "--full", "--pitfalls", "--as-published", "--allow-evictions", "--allow-remote", "--anyway"];
/// Flags of which only one may stand in a command.
const EITHER: [&[&str]; 3] =
    [&["--stores", "--all"], &["--rows", "--sizes", "--full"], &["--pitfall", "--pitfalls", "--as-published"]];
/// The seed where nobody asks for another: records have it always.
const USUAL_SEED: &str = "1";

/// The command of a run for these stores, as they are typed, in place of its own.
pub fn command_for(run: &RunRecord, stores: &[String]) -> String {
    let names: Vec<&str> = stores.iter().map(String::as_str).collect();
    Command::of(run).with_stores(&names).to_string()
}

/// A command that runs a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    study: String,
    /// In the order in which they were typed; a flag may stand there more than once.
    flags: Vec<(String, Option<String>)>,
}

impl Command {
    /// That of a record.
    pub(crate) fn of(run: &RunRecord) -> Command {
        Command::parsed(&run.command, &run.plan.study)
    }

    /// The parts of `kurabe run STUDY FLAG…`; of a text that is no such command the study alone.
    pub(crate) fn parsed(text: &str, study: &str) -> Command {
        let mut words = shlex::split(text).unwrap_or_default().into_iter().skip(2).peekable();
        let mut command = Command { study: study.to_string(), flags: Vec::new() };
        if let Some(named) = words.next_if(|word| !word.starts_with("--")) {
            command.study = named;
        }
        while let Some(word) = words.next() {
            let (flag, value) = match word.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag.to_string(), Some(value.to_string())),
                _ if SWITCHES.contains(&word.as_str()) => (word, None),
                _ => (word, words.next()),
            };
            if !(flag == "--seed" && value.as_deref() == Some(USUAL_SEED)) {
                command.flags.push((flag, value));
            }
        }
        command
    }

    /// The same with this flag, in place of what it cannot stand beside.
    pub(crate) fn with(mut self, flag: &str, value: impl Into<String>) -> Command {
        let at = self.take_out(flag);
        self.flags.insert(at, (flag.to_string(), Some(value.into())));
        self
    }

    /// The same with these candidates. An address may hold commas: beside one each has a flag of its own.
    pub(crate) fn with_stores(mut self, names: &[&str]) -> Command {
        // Whom it is about comes first.
        let at = if self.has("--stores") || self.has("--all") { self.take_out("--stores") } else { 0 };
        let lists: Vec<String> = match names.iter().any(|name| name.contains('@')) {
            true => names.iter().map(|name| (*name).to_string()).collect(),
            false => vec![names.join(",")],
        };
        let flags = lists.into_iter().map(|list| ("--stores".to_string(), Some(list)));
        self.flags.splice(at..at, flags);
        self
    }

    /// The same with these pitfalls, each with a flag of its own, in place of others.
    pub(crate) fn with_pitfalls(mut self, names: &[&str]) -> Command {
        let at = self.take_out("--pitfall");
        let flags = names.iter().map(|name| ("--pitfall".to_string(), Some((*name).to_string())));
        self.flags.splice(at..at, flags);
        self
    }

    /// The same without this flag, and without what cannot stand beside it.
    pub(crate) fn without(mut self, flag: &str) -> Command {
        self.take_out(flag);
        self
    }

    /// The same with an axis; one of the same name goes.
    pub(crate) fn with_axis(mut self, name: &str, values: &str) -> Command {
        self.flags.retain(|(flag, value)| !(flag == "--axis" && is_axis(value.as_deref(), name)));
        self.flags.push(("--axis".into(), Some(format!("{name}={values}"))));
        self
    }

    /// The same for another minimum durability: an axis over durability would be another question.
    pub(crate) fn with_durability(mut self, minimum: impl Into<String>) -> Command {
        self.flags.retain(|(flag, value)| !(flag == "--axis" && is_axis(value.as_deref(), "durability")));
        self.with("--durability", minimum)
    }

    /// The same with so many rounds, and with the time that they and `longer_ns` take where the run has a budget.
    pub(crate) fn with_rounds(self, plan: &StudyPlan, rounds: usize, longer_ns: Option<u64>) -> Command {
        let command = self.with("--rounds", rounds.to_string());
        let Some(budget_ns) = plan.budget_ns else { return command };
        let planned = plan.most_rounds().max(1);
        let times = (rounds as f64 / f64::from(planned)).max(1.0);
        command.with_budget(budget_ns as f64 * times + longer_ns.unwrap_or(0) as f64)
    }

    /// The same with so long a budget, in whole minutes.
    pub(crate) fn with_budget(self, ns: f64) -> Command {
        self.with("--budget", format!("{}m", (ns / 60e9).ceil() as u64))
    }

    /// Whether a flag stands in it.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|(known, _)| known == flag)
    }

    /// Takes out what cannot stand beside a flag, and tells where it stood.
    fn take_out(&mut self, flag: &str) -> usize {
        let group = EITHER.into_iter().find(|group| group.contains(&flag));
        let clashes = |known: &str| known == flag || group.is_some_and(|group| group.contains(&known));
        let at = self.flags.iter().position(|(known, _)| clashes(known)).unwrap_or(self.flags.len());
        self.flags.retain(|(known, _)| !clashes(known));
        at
    }
}

fn is_axis(value: Option<&str>, name: &str) -> bool {
    value.and_then(|value| value.split_once('=')).is_some_and(|(axis, _)| axis == name)
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut words = vec!["kurabe".to_string(), "run".to_string(), self.study.clone()];
        for (flag, value) in &self.flags {
            match value {
                // It would be taken for a flag.
                Some(value) if value.starts_with('-') => words.push(format!("{flag}={value}")),
                value => words.extend([flag].into_iter().chain(value).cloned()),
            }
        }
        f.write_str(&words.iter().map(|word| quoted(word)).collect::<Vec<String>>().join(" "))
    }
}

/// A word for a shell; a list or a pair stands as it is, which a quoting for every shell does not leave.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:@%+=,-".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_string();
    }
    // A word with a zero byte cannot be quoted, and cannot have been typed either.
    shlex::try_quote(word).map_or_else(|_| word.to_string(), |word| word.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TYPED: &str = "kurabe run quick --stores sqlite,lmdb --need 100/s --used-by several-machines --rounds 3 \
                         --budget 5m --data 'my people.csv' --key id --value name --value 'last name' --dir /data";

    fn command(text: &str) -> Command {
        Command::parsed(text, "quick")
    }

    #[test]
    fn what_was_typed_stays_and_what_is_asked_for_takes_the_place_of_its_like() {
        assert_eq!(command(TYPED).to_string(), TYPED);
        let more = command(TYPED).with_stores(&["sqlite", "postgres"]).with("--rounds", "9");
        let expected = TYPED.replace("sqlite,lmdb", "sqlite,postgres").replace("--rounds 3", "--rounds 9");
        assert_eq!(more.to_string(), expected);
        assert_eq!(command(TYPED).with_durability("power").to_string(), format!("{TYPED} --durability power"));
    }

    #[test]
    fn flags_that_cannot_stand_beside_each_other_never_do() {
        let all = command("kurabe run quick --all --full --seed 1");
        assert_eq!(all.clone().with_stores(&["a"]).to_string(), "kurabe run quick --stores a --full");
        assert_eq!(all.with("--rows", "9").to_string(), "kurabe run quick --all --rows 9");
        let axes = command("kurabe run quick --axis durability=process,power --axis rows=1,2 --seed 7");
        let expected = "kurabe run quick --axis rows=1,2 --seed 7 --durability power";
        assert_eq!(axes.clone().with_durability("power").to_string(), expected);
        let expected = "kurabe run quick --axis durability=process,power --seed 7 --axis rows=3,4";
        assert_eq!(axes.with_axis("rows", "3,4").to_string(), expected);
    }

    #[test]
    fn addresses_and_odd_words_come_out_as_one_word_each() {
        let one = command("kurabe run 'my study.toml' --stores 'a@mongodb://x,y' --stores b --key=-id");
        let text = one.with_stores(&["a@mongodb://x,y", "c"]).to_string();
        let words = shlex::split(&text).expect("a command");
        let expected = ["kurabe", "run", "my study.toml", "--stores", "a@mongodb://x,y", "--stores", "c", "--key=-id"];
        assert_eq!(words, expected);
        assert_eq!(command("something else").to_string(), "kurabe run quick");
    }
}
