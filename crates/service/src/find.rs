use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Component, Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use kurabe_messages::{Message, message};

use crate::spec::{substitute, substitute_all};
use crate::{
    AccountError, Guardian, Process, Scope, ServiceSpec, SpawnError, Stream, UnknownPlaceholder, WaitOutcome,
    first_closed_folder, how_it_ended, service_account, spawn,
};

/// So long a program may take to tell its version: a fraction of a second, but a large one that is read from a busy disk,
/// beside trials that sync, was seen to need more than five.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// So much of what it says is read.
const VERSION_LIMIT_BYTES: u64 = 64 * 1024;

/// What the caller knows about where programs are.
#[derive(Clone, Debug, Default)]
pub struct ProgramPaths {
    /// Paths of binaries by placeholder, which are taken instead of looking for them.
    pub given: BTreeMap<String, PathBuf>,
    /// Folders by placeholder, such as one of programs that were fetched: they hold wherever the spec says where to look,
    /// and later in its commands.
    pub folders: BTreeMap<String, PathBuf>,
    /// Set when the user interrupts: a program is not waited for any more then.
    pub interrupt: Arc<AtomicBool>,
}

/// Where a service's programs are, and which version they say they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The path of each binary by the name of its placeholder.
    pub binaries: BTreeMap<String, PathBuf>,
    /// The folders that it was looked for with.
    pub folders: BTreeMap<String, PathBuf>,
    /// The first line that the version command printed; `None` where the spec has no such command.
    pub version: Option<String>,
}

impl Found {
    pub(crate) fn placeholders(&self) -> BTreeMap<String, String> {
        texts(self.folders.iter().chain(&self.binaries))
    }
}

fn texts<'a>(paths: impl Iterator<Item = (&'a String, &'a PathBuf)>) -> BTreeMap<String, String> {
    paths.map(|(name, path)| (name.clone(), path.to_string_lossy().into_owned())).collect()
}

/// Why a service cannot be used on this machine.
#[derive(Debug, thiserror::Error)]
pub enum Missing {
    /// None of the file names was found.
    #[error("{}", message!(service_missing, candidates = .candidates, folders = .folders))]
    Binary {
        /// The file names.
        candidates: Vec<String>,
        /// Where was looked besides PATH.
        folders: Vec<String>,
    },
    /// The path that was given is no program.
    #[error("{}", message!(service_not_a_program, path = .path.display(), name = .name))]
    Override {
        /// The placeholder.
        name: String,
        /// The path.
        path: PathBuf,
    },
    /// A path was given for a binary that the service does not have.
    #[error("{}", message!(service_unknown_binary, name = .name, known = .known))]
    UnknownOverride {
        /// The name that was given.
        name: String,
        /// The names that are known.
        known: Vec<String>,
    },
    /// A program that the service's user cannot get to.
    #[error(
        "{}",
        message!(service_closed_program, user = .user, program = .program.display(), folder = .folder.display())
    )]
    Closed {
        /// The user.
        user: String,
        /// The program.
        program: PathBuf,
        /// The first folder on the way that is closed.
        folder: PathBuf,
    },
    /// A program of the right name that is something else.
    #[error("{}", message!(service_another_program, program = .program, said = .said))]
    Another {
        /// The program.
        program: String,
        /// What it says of its version.
        said: String,
    },
    /// The program does not tell its version.
    #[error("{}", message!(service_no_version, program = .program, reason = .reason.clone()))]
    Version {
        /// The program.
        program: String,
        /// What happened.
        reason: Message,
    },
    /// The program was ended by a signal where it should have told its version.
    #[error("{}", message!(service_crashed, program = .program, how = how_it_ended(*.status)))]
    Crashed {
        /// The program.
        program: String,
        /// How it ended.
        status: ExitStatus,
    },
    /// The user that it would run as is missing.
    #[error(transparent)]
    Account(#[from] AccountError),
    /// The version command, or where to look, holds an unknown placeholder.
    #[error(transparent)]
    Placeholder(#[from] UnknownPlaceholder),
    /// The version command could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
}

/// Finds all binaries of a service and asks for its version.
///
/// A binary for which `places` gives no path is looked for in the real folder of the service's main program first, so
/// that all are of one version, then in PATH, then in the spec's folders. A name with a `/` is looked for as it is.
pub fn find(spec: &ServiceSpec, places: &ProgramPaths, guardian: &Guardian) -> Result<Found, Missing> {
    if let Some(name) = places.given.keys().find(|name| !spec.binaries.contains_key(*name)) {
        let known = spec.binaries.keys().cloned().collect();
        return Err(Missing::UnknownOverride { name: name.clone(), known });
    }
    let values = texts(places.folders.iter());
    let search = substitute_all(&spec.search, &values)?;
    let mut folders: Vec<PathBuf> = env::var_os("PATH").iter().flat_map(env::split_paths).collect();
    folders.extend(search.iter().flat_map(|pattern| expand(Path::new(pattern))));
    let mut binaries = BTreeMap::new();
    for name in main_program_first(spec) {
        let path = match places.given.get(name) {
            Some(path) if is_program(path) => real_path(path),
            Some(path) => return Err(Missing::Override { name: name.clone(), path: path.clone() }),
            None => find_one(&substitute_all(&spec.binaries[name], &values)?, &folders, &search)?,
        };
        check_way(spec, &path)?;
        if binaries.is_empty() {
            folders.splice(0..0, path.parent().map(Path::to_path_buf));
        }
        binaries.insert(name.clone(), path);
    }
    let mut found = Found { binaries, folders: places.folders.clone(), version: None };
    if !spec.version.is_empty() {
        found.version = Some(ask_version(spec, &found, guardian, &places.interrupt)?);
    }
    Ok(found)
}

/// Refuses a program that the service's user cannot get to: one in root's own folders, above all.
fn check_way(spec: &ServiceSpec, program: &Path) -> Result<(), Missing> {
    let Some(account) = service_account(spec.user.as_deref())? else { return Ok(()) };
    match first_closed_folder(program.parent().unwrap_or(program), Some(&account)) {
        None => Ok(()),
        Some(folder) => Err(Missing::Closed { user: account.name, program: program.to_path_buf(), folder }),
    }
}

/// Whether a file is there; its path may hold at most one `*` in each part.
pub fn file_exists(pattern: &str) -> bool {
    expand(Path::new(pattern)).iter().any(|path| path.exists())
}

/// Whether the system's linker can open a library, by name or path; otherwise its words.
pub fn open_library(name: &str) -> Result<(), String> {
    // SAFETY: opening runs the library's own initialisers. It is one that a store's descriptor or the user names, and
    // its adapter will open it in just this way.
    let library = unsafe { libloading::Library::new(name) };
    // It stays open: a library may leave something to run at the end of the thread (DuckDB 2.0 does), which must be there then.
    // What the linker said is the cause; the error itself only tells that it failed.
    library.map(std::mem::forget).map_err(|error| std::error::Error::source(&error).unwrap_or(&error).to_string())
}

/// The placeholders with that of the started program at the head: its folder decides for the others.
fn main_program_first(spec: &ServiceSpec) -> Vec<&String> {
    let word = spec.start.first().map(String::as_str).unwrap_or_default();
    let main = word.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let mut names: Vec<&String> = spec.binaries.keys().collect();
    names.sort_by_key(|name| Some(name.as_str()) != main);
    names
}

fn find_one(candidates: &[String], folders: &[PathBuf], search: &[String]) -> Result<PathBuf, Missing> {
    let paths = candidates.iter().flat_map(|candidate| {
        let is_path = candidate.contains('/');
        let inside = folders.iter().filter(move |_| !is_path).map(move |folder| folder.join(candidate));
        is_path.then(|| PathBuf::from(candidate)).into_iter().chain(inside)
    });
    let missing = || Missing::Binary { candidates: candidates.to_vec(), folders: search.to_vec() };
    paths.into_iter().find(|path| is_program(path)).map(|path| real_path(&path)).ok_or_else(missing)
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The path without links; but a program that is called by another name than its file's (redis-server is a link to
/// redis-check-rdb on some systems) keeps that name, because it acts by it.
fn real_path(path: &Path) -> PathBuf {
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    if real.file_name() == path.file_name() {
        return real;
    }
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_path_buf(), |(folder, name)| folder.join(name))
}

/// The folders that a pattern with at most one `*` in each part names, the highest version first.
fn expand(pattern: &Path) -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::new()];
    for part in pattern.components() {
        let text = part.as_os_str().to_string_lossy();
        folders = match text.split_once('*') {
            Some((start, end)) if matches!(part, Component::Normal(_)) => {
                folders.iter().flat_map(|folder| matching(folder, start, end)).collect()
            }
            _ => folders.into_iter().map(|folder| folder.join(part)).collect(),
        };
    }
    folders.sort_by_key(|folder| std::cmp::Reverse(numbers(folder)));
    folders
}

fn matching(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let fits = |name: &str| name.len() >= start.len() + end.len() && name.starts_with(start) && name.ends_with(end);
    entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().is_some_and(fits))
        .map(|e| e.path())
        .collect()
}

/// All numbers in a path, so that 15 comes before 9.6 and 9.10 before 9.9 when sorted downwards.
fn numbers(path: &Path) -> Vec<u64> {
    let text = path.to_string_lossy();
    text.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).collect()
}

fn ask_version(
    spec: &ServiceSpec,
    found: &Found,
    guardian: &Guardian,
    interrupt: &AtomicBool,
) -> Result<String, Missing> {
    let values = found.placeholders();
    let words = substitute_all(&spec.version, &values)?;
    let program = substitute(&spec.version[0], &values)?;
    let scope = Scope {
        cwd: Some(PathBuf::from("/")),
        stdout: Stream::Piped,
        stderr: Stream::Piped,
        user: service_account(spec.user.as_deref())?,
        ..Scope::new(&program).args(&words[1..])
    };
    let error = |reason: Message| Missing::Version { program: program.clone(), reason };
    let mut process = spawn(guardian, scope)?;
    let (status, said) = hear_version(&mut process, interrupt).map_err(error)?;
    let line = said.lines().map(str::trim).find(|line| !line.is_empty());
    let Some(line) = line else {
        return Err(match status.signal() {
            Some(_) => Missing::Crashed { program, status },
            None => error(message!(service_version_nothing, how = how_it_ended(status))),
        });
    };
    let is_right = spec.version_holds.as_ref().is_none_or(|word| line.contains(word.as_str()));
    let is_other = spec.version_lacks.as_ref().is_some_and(|word| line.contains(word.as_str()));
    match is_right && !is_other {
        true => Ok(line.to_owned()),
        false => Err(Missing::Another { program, said: line.to_owned() }),
    }
}

/// How a program ended that was started to tell its version, and the start of what it printed; why there is
/// neither.
pub fn hear_version(process: &mut Process, interrupt: &AtomicBool) -> Result<(ExitStatus, String), Message> {
    let unheard = |error: io::Error| message!(service_version_unheard, error);
    let waited = process.wait_unless(interrupt, VERSION_LIMIT).map_err(unheard)?;
    // Whatever it left behind would hold the pipes open, and the reading below would not end.
    process.kill_tree().map_err(|error| message!(service_version_unheard, error))?;
    let status = match waited {
        WaitOutcome::Ended(status) => status,
        WaitOutcome::Interrupted => return Err(message!(service_interrupted)),
        WaitOutcome::TooLong => return Err(message!(service_version_slow, limit = VERSION_LIMIT)),
    };
    let said = read_output(process).map_err(unheard)?;
    Ok((status, said))
}

/// Standard output, then standard error, where some programs print their version.
fn read_output(process: &mut Process) -> io::Result<String> {
    let mut bytes = Vec::new();
    if let Some(stdout) = process.take_stdout() {
        stdout.take(VERSION_LIMIT_BYTES).read_to_end(&mut bytes)?;
    }
    bytes.push(b'\n');
    if let Some(stderr) = process.take_stderr() {
        stderr.take(VERSION_LIMIT_BYTES).read_to_end(&mut bytes)?;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(path: &Path) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn the_highest_version_comes_first() {
        let dir = tempfile::tempdir().unwrap();
        for version in ["9.6", "15", "9.10", "not-one"] {
            fs::create_dir_all(dir.path().join(version).join("bin")).unwrap();
        }
        let found = expand(&dir.path().join("*/bin"));
        let names: Vec<String> =
            found.iter().map(|path| path.strip_prefix(dir.path()).unwrap().display().to_string()).collect();
        assert_eq!(names[..3], ["15/bin", "9.10/bin", "9.6/bin"]);
    }

    #[test]
    fn a_star_stands_for_a_piece_of_a_name() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["mysql-8", "mysql-9", "maria-10"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        assert_eq!(expand(&dir.path().join("mysql-*")), [dir.path().join("mysql-9"), dir.path().join("mysql-8")]);
        assert!(expand(Path::new("/nowhere/*/bin")).is_empty());
    }

    #[test]
    fn a_link_of_another_name_keeps_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().canonicalize().unwrap();
        program(&real.join("lib/tool"));
        std::os::unix::fs::symlink(real.join("lib/tool"), real.join("tool")).unwrap();
        std::os::unix::fs::symlink(real.join("lib/tool"), real.join("other")).unwrap();
        assert_eq!(real_path(&real.join("tool")), real.join("lib/tool"));
        assert_eq!(real_path(&real.join("other")), real.join("other"));
    }

    #[test]
    fn a_file_that_cannot_be_run_is_no_program() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tool");
        fs::write(&path, "").unwrap();
        assert!(!is_program(&path));
        program(&path);
        assert!(is_program(&path));
        assert!(!is_program(dir.path()));
    }
}
