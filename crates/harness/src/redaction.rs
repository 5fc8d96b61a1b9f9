//! Paths of the machine, and the names of users in them, stay out of records: one function for every text that enters one.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::HarnessError;

/// What names a thing of the run: two names that are one must stay one.
const IDENTITIES: [&str; 3] = ["candidate", "name", "phase"];

/// Paths with the words that stand for them, longest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct HiddenPaths {
    words: Vec<(String, &'static str)>,
}

impl HiddenPaths {
    /// Hides these places, in the form in which they were given as well as in their real one, and the home of the user.
    pub(crate) fn new(places: &[(&Path, &'static str)]) -> HiddenPaths {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let temporary = std::env::var_os("TMPDIR").map(PathBuf::from);
        let of_user = [(home.as_deref(), "$HOME"), (temporary.as_deref(), "$TMPDIR")];
        let of_user = of_user.into_iter().filter_map(|(path, word)| Some((path?, word)));
        let mut words: Vec<(String, &'static str)> = Vec::new();
        for (path, word) in places.iter().copied().chain(of_user) {
            let forms = [Some(path.to_path_buf()), std::path::absolute(path).ok(), path.canonicalize().ok()];
            for form in forms.into_iter().flatten().filter(|form| is_telling(form)) {
                let text = form.to_string_lossy().trim_end_matches('/').to_string();
                // As they stand in an address of a socket.
                let forms = [text.replace('/', "%2F"), text.replace('/', "%2f"), text];
                words.extend(forms.into_iter().map(|form| (form, word)));
            }
        }
        words.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        HiddenPaths { words }
    }

    /// The text with words instead of paths.
    pub(crate) fn text(&self, text: &str) -> String {
        self.words.iter().fold(text.to_string(), |text, (path, word)| replace(&text, path, word))
    }

    /// A record with words instead of paths in all its texts but the names of things.
    pub(crate) fn record<T: Serialize + DeserializeOwned>(&self, record: &T) -> Result<T, HarnessError> {
        let mut value = serde_json::to_value(record)?;
        self.hide(&mut value, &IDENTITIES);
        Ok(serde_json::from_value(value)?)
    }

    /// Hides paths in all texts below `value` but those under the keys `kept`. In a message nothing names a thing.
    fn hide(&self, value: &mut Value, kept: &[&str]) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide(value, kept)),
            Value::Object(fields) => {
                for (key, value) in fields.iter_mut().filter(|(key, _)| !kept.contains(&key.as_str())) {
                    self.hide(value, if key == "arguments" { &[] } else { kept });
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Whether a path is more than a word that may stand in any text.
fn is_telling(path: &Path) -> bool {
    let names = path.components().filter(|part| matches!(part, Component::Normal(_))).count();
    names > 1 || (path.is_absolute() && names == 1)
}

/// Replaces `path` where it stands as a path: `/tmp` neither in `/var/tmp` nor in `/tmpfile`.
fn replace(text: &str, path: &str, word: &str) -> String {
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(path) {
        let (before, after) = (&rest[..at], &rest[at + path.len()..]);
        let begins = !before.chars().next_back().or(replaced.chars().next_back()).is_some_and(is_part);
        let ends = !after.chars().next().is_some_and(|c| is_part(c) && c != '.');
        replaced.push_str(before);
        replaced.push_str(if begins && ends { word } else { path });
        rest = after;
    }
    replaced + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_messages::{RecordedText, message};
    use serde_json::json;

    fn hidden(places: &[(&str, &'static str)]) -> HiddenPaths {
        let places: Vec<(&Path, &'static str)> = places.iter().map(|(path, word)| (Path::new(*path), *word)).collect();
        HiddenPaths::new(&places)
    }

    #[test]
    fn a_path_is_hidden_wherever_it_stands_and_the_longer_one_first() {
        let hidden = hidden(&[("/srv/fast", "$DIR"), ("/srv/fast/kurabe-1a-2b", "$DATA"), ("out/run", "$RUN")]);
        let cases = [
            (
                "While appending to file: /srv/fast/kurabe-1a-2b/job-3/data/000004.log: No space",
                "While appending to file: $DATA/job-3/data/000004.log: No space",
            ),
            ("cannot open '/srv/fast/kurabe-1a-2b'", "cannot open '$DATA'"),
            ("/srv/fast is full.", "$DIR is full."),
            ("see out/run/logs/job-1.log", "see $RUN/logs/job-1.log"),
            ("postgres://%2Fsrv%2Ffast%2Fkurabe-1a-2b%2Fjob-1/db", "postgres://$DATA%2Fjob-1/db"),
            ("/srv/faster and /mnt/srv/fast", "/srv/faster and /mnt/srv/fast"),
        ];
        for (text, expected) in cases {
            assert_eq!(hidden.text(text), expected);
        }
    }

    #[test]
    fn a_path_with_capitals_is_hidden_too() {
        assert_eq!(hidden(&[("/mnt/SMALL/Data", "$DATA")]).text("in /mnt/SMALL/Data/x"), "in $DATA/x");
    }

    #[test]
    fn a_short_relative_path_is_no_secret_but_the_real_one_is() {
        let here = std::env::current_dir().expect("a folder").join("out");
        let hidden = hidden(&[("out", "$RUN")]);
        assert_eq!(hidden.text("without an out"), "without an out");
        assert_eq!(hidden.text(&format!("'{}'", here.display())), "'$RUN'");
    }

    #[test]
    fn a_link_is_hidden_as_it_was_given_and_as_what_it_leads_to() {
        let dir = tempfile::tempdir().expect("a folder");
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        std::fs::create_dir(&real).expect("a folder");
        std::os::unix::fs::symlink(&real, &link).expect("a link");
        let hidden = HiddenPaths::new(&[(&link, "$DATA")]);
        let text = hidden.text(&format!("{} {}", link.display(), real.display()));
        assert_eq!(text, "$DATA $DATA");
    }

    #[test]
    fn a_path_in_a_message_is_hidden_under_every_name_and_in_its_text() {
        let hidden = hidden(&[("/srv/fast", "$DIR")]);
        let failed = |place: &str| RecordedText::from(message!(resolve_missing, name = place, reason = place));
        assert_eq!(hidden.record(&failed("/srv/fast/x")).expect("a text"), failed("$DIR/x"));
    }

    #[test]
    fn every_text_of_a_record_is_looked_at_and_names_stay_names() {
        let hidden = hidden(&[("/srv/fast", "$DIR")]);
        let mut record = json!({
            "candidate": "/srv/fast/sqlite", "phases": [{"name": "/srv/fast", "results": [
                {"phase": "/srv/fast", "failures": [{"message": "no room in /srv/fast/x", "count": 3}]}]}],
            "info": {"home": "/srv/fast"}, "settings": [{"name": "socket", "found": "/srv/fast/s"}],
        });
        let expected = json!({
            "candidate": "/srv/fast/sqlite", "phases": [{"name": "/srv/fast", "results": [
                {"phase": "/srv/fast", "failures": [{"message": "no room in $DIR/x", "count": 3}]}]}],
            "info": {"home": "$DIR"}, "settings": [{"name": "socket", "found": "$DIR/s"}],
        });
        hidden.hide(&mut record, &IDENTITIES);
        assert_eq!(record, expected);
    }
}
