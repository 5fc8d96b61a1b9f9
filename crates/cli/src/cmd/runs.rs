//! How verbs name a run: by its folder, by its name in `./kurabe-runs`, or not at all, which means the newest one there.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};

use kurabe_messages::message;
use kurabe_study::distance;

use super::Mistake;

/// Folder of the results of runs that name none.
pub const RUNS: &str = "kurabe-runs";
/// Most names that are offered in place of a wrong one.
const MOST_OFFERED: usize = 3;

/// The folder of the run that was named, else that of the newest run in [`RUNS`]: folders are named after their time.
///
/// # Errors
/// There is no run in [`RUNS`], or none of this name; what is wrong with a folder that exists is found when it is read.
pub fn folder(named: Option<PathBuf>) -> Result<PathBuf, Mistake> {
    match named {
        None => newest(Path::new(RUNS)),
        Some(named) if named.exists() => Ok(named),
        Some(named) => named_in(Path::new(RUNS), named),
    }
}

/// Names of the runs in a folder, the newest last.
fn names(runs: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(runs).into_iter().flatten().filter_map(Result::ok);
    let is_run = |path: &Path| ["run.json", "run.json.xz"].iter().any(|file| path.join(file).is_file());
    let folders = entries.filter(|entry| is_run(&entry.path()));
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

fn newest(runs: &Path) -> Result<PathBuf, Mistake> {
    let newest = names(runs).pop().map(|name| runs.join(name));
    newest.ok_or_else(|| Mistake(message!(cli_run_none)))
}

/// A run in `runs`; where it has none of this name, the mistake offers the nearest. Where it has no run at all, the folder
/// is what was meant, and reading it tells that it is missing.
fn named_in(runs: &Path, named: PathBuf) -> Result<PathBuf, Mistake> {
    let mut names = names(runs);
    if names.is_empty() {
        return Ok(named);
    }
    let typed = named.file_name().unwrap_or(named.as_os_str()).to_string_lossy();
    if named.parent() == Some(Path::new("")) && names.iter().any(|name| *name == typed) {
        return Ok(runs.join(named));
    }
    // Of those that are as near, the newest come first.
    names.sort_by_cached_key(|name| (distance(&typed, name), Reverse(name.clone())));
    let nearest: Vec<String> = names.iter().take(MOST_OFFERED).map(|name| format!("'{name}'")).collect();
    Err(Mistake(message!(cli_run_unknown, name = named.display(), nearest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder with runs of these names, and a folder that is none.
    fn runs(names: &[&str]) -> tempfile::TempDir {
        let runs = tempfile::tempdir().unwrap();
        std::fs::create_dir(runs.path().join("20270101T000000Z-no-run")).unwrap();
        for name in names {
            std::fs::create_dir(runs.path().join(name)).unwrap();
            std::fs::write(runs.path().join(name).join("run.json"), "").unwrap();
        }
        runs
    }

    #[test]
    fn a_run_is_found_by_its_name_and_without_one_the_newest_is_meant() {
        let runs = runs(&["20260101T000000Z-web", "20260102T000000Z-quick"]);
        let runs = runs.path();
        assert_eq!(newest(runs).unwrap(), runs.join("20260102T000000Z-quick"));
        let web = named_in(runs, "20260101T000000Z-web".into()).unwrap();
        assert_eq!(web, runs.join("20260101T000000Z-web"));
        assert!(named_in(runs, "20270101T000000Z-no-run".into()).is_err());
        assert!(named_in(runs, "elsewhere/20260101T000000Z-web".into()).is_err());
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest_and_of_those_the_newest_first() {
        let [old, new] = ["20260101T000000Z-quick", "20260102T000000Z-quick"];
        let runs = runs(&[old, new, "20260103T000000Z-web", "20260103T000000Z-primary-key"]);
        let refused = |typed: &str| named_in(runs.path(), typed.into()).unwrap_err().to_string();
        let nearest = format!("'{new}', '{old}', '20260103T000000Z-web'");
        assert_eq!(refused("quick"), format!("there is no run 'quick'\nThe nearest in ./kurabe-runs: {nearest}"));
        assert!(
            refused("kurabe-runs/20260101T00000Z-quick").contains(&format!("The nearest in ./kurabe-runs: '{old}'"))
        );
    }

    #[test]
    fn without_any_run_a_name_is_taken_for_a_folder() {
        let runs = runs(&[]);
        assert_eq!(named_in(runs.path(), "nowhere".into()).unwrap(), Path::new("nowhere"));
        assert!(newest(runs.path()).unwrap_err().to_string().contains("kurabe run quick"));
    }
}
