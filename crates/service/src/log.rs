//! The end of a service's log, free of secrets.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// So much of a log's end is looked at.
const TAIL_BYTES: u64 = 64 * 1024;
/// So many lines with a reason are shown before the last ones.
const REASONS: usize = 5;
const MASK: &str = "***";

/// The last `count` lines behind the byte `from`, without secrets; empty where there is no file. Some programs end with
/// long advice: so the last lines above that tell of an error come first, and an ellipsis between.
pub(crate) fn tail(path: &Path, from: u64, count: usize, variables: &BTreeMap<String, String>) -> String {
    let bytes = read_end(path, from).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let (above, last) = lines.split_at(lines.len().saturating_sub(count));
    let reasons: Vec<&str> = above.iter().copied().filter(|line| tells_of_an_error(line)).collect();
    let reasons = &reasons[reasons.len().saturating_sub(REASONS)..];
    let ellipsis: &[&str] = if reasons.is_empty() { &[] } else { &["…"] };
    redact(&[reasons, ellipsis, last].concat().join("\n"), variables)
}

fn tells_of_an_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains("error") || line.contains("fatal")
}

fn read_end(path: &Path, from: u64) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES).max(from)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text with secrets masked: values of variables named like a secret, and passwords in URLs.
pub fn redact(text: &str, variables: &BTreeMap<String, String>) -> String {
    let mut masked = text.to_owned();
    for (name, value) in variables {
        let name = name.to_ascii_lowercase();
        let is_secret = ["password", "passwd", "secret", "token"].iter().any(|word| name.contains(word));
        if is_secret && !value.is_empty() {
            masked = masked.replace(value.as_str(), MASK);
        }
    }
    mask_url_passwords(&masked)
}

/// Masks what stands between the colon and the last `@` of an authority, as in `scheme://user:password@host`.
fn mask_url_passwords(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        masked.push_str(before);
        let end = after.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(after.len());
        let (authority, remainder) = after.split_at(end);
        match authority.rsplit_once('@').and_then(|(user, host)| Some((user.split_once(':')?.0, host))) {
            Some((user, host)) => masked.extend([user, ":", MASK, "@", host]),
            None => masked.push_str(authority),
        }
        rest = remainder;
    }
    masked.push_str(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_in_urls_are_masked_and_the_rest_stays() {
        let none = BTreeMap::new();
        assert_eq!(redact("at postgres://me:p@ss:w@host:5/db now", &none), "at postgres://me:***@host:5/db now");
        assert_eq!(redact("http://host:80/ and redis://:pw@h", &none), "http://host:80/ and redis://:***@h");
        assert_eq!(redact("no url here", &none), "no url here");
    }

    #[test]
    fn values_of_secret_variables_are_masked_wherever_they_stand() {
        let variables = BTreeMap::from([
            ("root_password".to_owned(), "hunter2".to_owned()),
            ("cache".to_owned(), "256".to_owned()),
        ]);
        assert_eq!(redact("--pass=hunter2 --cache=256", &variables), "--pass=*** --cache=256");
    }

    #[test]
    fn an_error_above_the_last_lines_is_shown_too() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, "starting\nERROR: no room\n[FATAL] aborting\n\nread the manual\nask the list\n").unwrap();
        let expected = "ERROR: no room\n[FATAL] aborting\n…\nread the manual\nask the list";
        assert_eq!(tail(&path, 0, 2, &BTreeMap::new()), expected);
        std::fs::write(&path, (0..30).map(|n| format!("error {n}\n")).collect::<String>()).unwrap();
        let expected = (23..28).map(|n| format!("error {n}\n")).collect::<String>() + "…\nerror 28\nerror 29";
        assert_eq!(tail(&path, 0, 2, &BTreeMap::new()), expected);
    }

    #[test]
    fn the_last_lines_are_given_in_order() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("log");
        std::fs::write(&path, (0..30_000).map(|n| format!("line {n}\n")).collect::<String>()).unwrap();
        let length = std::fs::metadata(&path).unwrap().len();
        assert_eq!(tail(&path, 0, 2, &BTreeMap::new()), "line 29998\nline 29999");
        assert_eq!(tail(&path, length - 11, 2, &BTreeMap::new()), "line 29999");
        assert_eq!(tail(&dir.path().join("none"), 0, 2, &BTreeMap::new()), "");
    }
}
