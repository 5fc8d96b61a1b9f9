//! Golden files: expected output kept beside the tests.

use std::path::Path;

/// The variable that makes [`assert_golden`] write instead of compare, when it is `1`.
pub const BLESS: &str = "KURABE_BLESS";

/// Fails where `actual` is not what the file at `path` holds, naming the first line that differs.
/// With `KURABE_BLESS=1` the file is written instead. A missing file fails as well: an output that
/// nobody has looked at proves nothing. In CI (variable `CI`) nothing is ever blessed.
///
/// # Panics
/// Where the two differ, the file is missing or cannot be read or written.
#[track_caller]
pub fn assert_golden(path: impl AsRef<Path>, actual: &str) {
    let bless = std::env::var_os(BLESS).is_some_and(|value| value == "1");
    let mode = if bless && std::env::var_os("CI").is_none() { Mode::Bless } else { Mode::Compare };
    if let Err(message) = check(path.as_ref(), actual, mode) {
        panic!("{message}");
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Compare,
    Bless,
}

fn check(path: &Path, actual: &str, mode: Mode) -> Result<(), String> {
    let shown = path.display();
    if mode == Mode::Bless {
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        return folder
            .and_then(|()| std::fs::write(path, actual))
            .map_err(|error| format!("cannot write the golden file '{shown}': {error}"));
    }
    let expected = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read the golden file '{shown}': {error}; {BLESS}=1 writes it"))?;
    match first_difference(&expected, actual) {
        None => Ok(()),
        Some(difference) => Err(format!("'{shown}' {difference}\nif the change is meant, {BLESS}=1 writes it")),
    }
}

/// The first line that differs, with both sides; the end of a text is a side too.
fn first_difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (mut left, mut right) = (expected.split_inclusive('\n'), actual.split_inclusive('\n'));
    let mut number = 1;
    loop {
        let (golden, got) = (left.next(), right.next());
        if golden != got {
            let side = |line: Option<&str>| line.map_or("(end)".to_string(), |line| format!("{line:?}"));
            return Some(format!("differs in line {number}:\n  golden: {}\n  actual: {}", side(golden), side(got)));
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_shown_with_both_sides() {
        let difference = first_difference("a\nb\nc\n", "a\nx\ny\n").expect("they differ");
        assert_eq!(difference, "differs in line 2:\n  golden: \"b\\n\"\n  actual: \"x\\n\"");
        assert_eq!(first_difference("a\nb", "a\nb"), None);
        let longer = first_difference("a\n", "a\nb").expect("one is longer");
        assert_eq!(longer, "differs in line 2:\n  golden: (end)\n  actual: \"b\"");
        assert!(first_difference("a\n", "a").is_some(), "a missing newline is a difference");
    }

    #[test]
    fn a_missing_file_fails_until_it_is_blessed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("new").join("table.txt");
        let missing = check(&path, "x\n", Mode::Compare).expect_err("missing");
        assert!(missing.contains("KURABE_BLESS=1"), "{missing}");
        check(&path, "x\n", Mode::Bless).expect("written");
        check(&path, "x\n", Mode::Compare).expect("equal now");
        assert!(check(&path, "y\n", Mode::Compare).is_err());
    }
}
