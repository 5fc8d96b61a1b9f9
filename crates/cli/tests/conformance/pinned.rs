//! What every candidate says that it can do, and which settings its live store reports, pinned by a file: what one no
//! longer has is no longer tried, and nothing else would tell.
//!
//! A line of the file is a candidate. The first one of a store has all that it says, the others what they say more
//! (`+`) or less (`-`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use crate::Outcome;
use crate::fixture::{StoreFixture, words};

/// What one candidate says, a word each: `batch`, `max_depth=1`, `operations.scan`, `settings.fsync`.
type Pinned = BTreeSet<String>;

/// Settings that only newer versions of a store have, by which a machine is not to be told.
const OF_NEWER_VERSIONS: [&str; 1] = ["io_method"];

/// Candidates write the file one after the other.
static FILE: Mutex<()> = Mutex::new(());

fn path() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/pinned.txt"))
}

/// A candidate must be what the file says; with `KURABE_BLESS=1` the file becomes what it is. Where a durability
/// setting that was asked for makes it another, it stands there with that setting too.
pub fn compare(fixture: &StoreFixture) -> Outcome<()> {
    let spec = &fixture.candidate.spec;
    let of_setting = spec.durability.as_ref().map(|setting| format!("{}[{setting}]", spec.name));
    let mut found = said(&serde_json::to_value(&fixture.capabilities).map_err(words)?);
    let settings = fixture.settings.iter().filter(|name| !OF_NEWER_VERSIONS.contains(&name.as_str()));
    found.extend(settings.map(|name| format!("settings.{}", name.replace(' ', "_"))));
    let _one_at_a_time = FILE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut all = read(&std::fs::read_to_string(path()).unwrap_or_default());
    if std::env::var("KURABE_BLESS").is_ok_and(|value| value == "1") {
        let name = match of_setting {
            Some(name) if all.get(&spec.name).is_some_and(|usual| *usual != found) => name,
            _ => spec.name.clone(),
        };
        all.insert(name, found);
        return std::fs::write(path(), written(&all)).map_err(words);
    }
    match of_setting.and_then(|name| all.get(&name)).or(all.get(&spec.name)) {
        Some(pinned) if *pinned == found => Ok(()),
        Some(pinned) => {
            let change = difference(pinned, &found).join(" ");
            Err(format!("it is not as pinned.txt has it: {change}; bless it with KURABE_BLESS=1"))
        }
        None => Err("pinned.txt does not have it; bless it with KURABE_BLESS=1".into()),
    }
}

/// The words of an object of flags, numbers, words and lists of words.
fn said(object: &Value) -> Pinned {
    let word = |value: &Value| value.as_str().map_or(value.to_string(), str::to_string);
    let of = |(name, value): (&String, &Value)| match value {
        Value::Bool(is_so) => {
            if *is_so {
                vec![name.clone()]
            } else {
                Vec::new()
            }
        }
        Value::Array(list) => list.iter().map(|one| format!("{name}.{}", word(one))).collect(),
        other => vec![format!("{name}={}", word(other))],
    };
    object.as_object().into_iter().flatten().flat_map(of).collect()
}

fn difference(from: &Pinned, to: &Pinned) -> Vec<String> {
    let less = from.difference(to).map(|word| format!("-{word}"));
    less.chain(to.difference(from).map(|word| format!("+{word}"))).collect()
}

fn store_of(name: &str) -> &str {
    name.split([':', '+', '[']).next().unwrap_or(name)
}

fn read(text: &str) -> BTreeMap<String, Pinned> {
    let (mut all, mut first) = (BTreeMap::<String, Pinned>::new(), ("", Pinned::new()));
    for line in text.lines() {
        let mut words = line.split(' ');
        let name = words.next().unwrap_or_default();
        if store_of(name) != first.0 {
            first = (store_of(name), words.map(str::to_string).collect());
            all.insert(name.to_string(), first.1.clone());
            continue;
        }
        let mut own = first.1.clone();
        for word in words {
            match word.strip_prefix('-') {
                Some(less) => own.remove(less),
                None => own.insert(word.trim_start_matches('+').to_string()),
            };
        }
        all.insert(name.to_string(), own);
    }
    all
}

fn written(all: &BTreeMap<String, Pinned>) -> String {
    // By store first: '+' and '[' stand elsewhere among letters.
    let mut sorted: Vec<(&String, &Pinned)> = all.iter().collect();
    sorted.sort_by_key(|(name, _)| (store_of(name), *name));
    let (mut text, mut first) = (String::new(), ("", &Pinned::new()));
    for (name, own) in sorted {
        let words = match store_of(name) == first.0 {
            true => difference(first.1, own),
            false => own.iter().cloned().collect(),
        };
        if store_of(name) != first.0 {
            first = (store_of(name), own);
        }
        text += &[vec![name.clone()], words].concat().join(" ");
        text.push('\n');
    }
    text
}
