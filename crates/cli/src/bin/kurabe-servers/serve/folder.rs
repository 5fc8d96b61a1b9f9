//! Where a board keeps its posts, and whose they are.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use kurabe_harness::HarnessError;
use kurabe_harness::resolve::Candidate;
use kurabe_service::{FolderLock, FolderLockError, Guardian, Reach, RunFolder};
use serde::{Deserialize, Serialize};

use kurabe::Mistake;

/// What a folder of data says of itself.
const MARK: &str = "board.json";
/// Most bytes of it.
const MOST_MARK_BYTES: u64 = 1 << 20;
/// Its name until it is whole.
const MARK_TO_BE: &str = "board.json.new";
/// The file by which it has one owner at a time.
const LOCK: &str = "board.lock";
/// Where in it the store keeps its files.
pub const DATA: &str = "data";

/// Where a board keeps its rows.
pub enum Folder {
    /// One that the user named.
    Kept {
        /// Where it is.
        path: PathBuf,
        /// Whether it had been begun before.
        begun: Begun,
        /// No other kurabe serves it as long as this is here.
        _lock: FolderLock,
    },
    /// One that goes.
    Passing(RunFolder),
}

/// When the table of a board was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It has none yet.
    Now,
    /// By an earlier kurabe.
    Before,
}

/// What stands in a kept folder: another store's files must not be taken for this one's.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    store: String,
    variant: Option<String>,
    /// Whether its table was made: before that there can be no post.
    has_table: bool,
}

impl Mark {
    fn of(candidate: &Candidate, has_table: bool) -> Mark {
        let record = &candidate.record;
        Mark { store: record.store.clone(), variant: record.variant.clone(), has_table }
    }

    /// That of a folder; nothing where it has none.
    fn read(path: &Path) -> Result<Option<Mark>, Mistake> {
        let shown = path.display();
        match kurabe_machine::read_file(&path.join(MARK), MOST_MARK_BYTES) {
            Ok(mark) => serde_json::from_slice(&mark)
                .map(Some)
                .map_err(|error| Mistake(format!("'{shown}' holds a '{MARK}' that cannot be read: {error}"))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Mistake(format!("cannot read '{shown}': {error}; name another folder with --data"))),
        }
    }

    fn check(&self, path: &Path, candidate: &Candidate) -> Result<(), Mistake> {
        if (&self.store, &self.variant) == (&candidate.record.store, &candidate.record.variant) {
            return Ok(());
        }
        let shown = path.display();
        Err(Mistake(format!(
            "'{shown}' is a board over '{self}'; serve it with --store {self}, or name another folder"
        )))
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.store)?;
        self.variant.iter().try_for_each(|variant| write!(f, ":{variant}"))
    }
}

impl Folder {
    /// That of `data`, else one in `dir` that goes in the end.
    pub fn open(data: Option<&Path>, dir: &Path, guardian: &Guardian, candidate: &Candidate) -> anyhow::Result<Folder> {
        let Some(path) = data else {
            return Ok(Folder::Passing(
                RunFolder::create(dir, guardian, Reach::Everybody).map_err(HarnessError::from)?,
            ));
        };
        let shown = path.display();
        match Mark::read(path)? {
            Some(mark) => mark.check(path, candidate)?,
            None if is_empty(path) => kurabe_service::make_folder(path, Reach::Everybody)
                .map_err(|error| Mistake(format!("cannot make '{shown}': {error}; name another folder with --data")))?,
            None => {
                let words = format!("'{shown}' has something in it that is no board; name an empty folder with --data");
                return Err(Mistake(words).into());
            }
        }
        let path = fs::canonicalize(path)?;
        let lock = FolderLock::take(&path, LOCK, guardian).map_err(refused)?;
        // What stood there before may have been changed by somebody who had the lock.
        let mark = Mark::read(&path)?;
        mark.iter().try_for_each(|mark| mark.check(&path, candidate))?;
        let begun = if mark.is_some_and(|mark| mark.has_table) { Begun::Before } else { Begun::Now };
        let folder = Folder::Kept { path, begun, _lock: lock };
        if begun == Begun::Now {
            // What was left when the first start failed: nobody has posted anything.
            fs::remove_dir_all(folder.path().join(DATA)).or_else(is_missing)?;
            folder.mark(candidate, false)?;
        }
        Ok(folder)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Folder::Kept { path, .. } => path,
            Folder::Passing(folder) => folder.path(),
        }
    }

    /// When its table was made.
    pub fn begun(&self) -> Begun {
        match self {
            Folder::Kept { begun, .. } => *begun,
            Folder::Passing(_) => Begun::Now,
        }
    }

    /// Notes whose it is. The note is whole or the one before: without it nobody finds the posts again.
    pub fn mark(&self, candidate: &Candidate, has_table: bool) -> anyhow::Result<()> {
        if let Folder::Kept { path, begun: Begun::Now, .. } = self {
            let text = serde_json::to_string(&Mark::of(candidate, has_table))? + "\n";
            let failed = || format!("cannot write in '{}'", path.display());
            let new = path.join(MARK_TO_BE);
            let write = || {
                let mut file = fs::File::create(&new)?;
                file.write_all(text.as_bytes())?;
                file.sync_all()?;
                fs::rename(&new, path.join(MARK))
            };
            write().with_context(failed)?;
            fs::File::open(path).and_then(|folder| folder.sync_all()).with_context(failed)?;
        }
        Ok(())
    }

    /// What is said of it in the end.
    pub fn told(&self) -> String {
        match self {
            Folder::Kept { path, .. } => format!("the posts are in '{}'", path.display()),
            Folder::Passing(_) => "the posts are gone; --data DIR keeps them".into(),
        }
    }
}

/// Why a folder could not be locked, with the way out.
fn refused(error: FolderLockError) -> anyhow::Error {
    match error {
        FolderLockError::Taken { folder, pid } => Mistake(format!(
            "another kurabe serves '{}' (pid {pid}); end that one, or name another folder with --data",
            folder.display()
        ))
        .into(),
        FolderLockError::Guardian(_) => error.into(),
        FolderLockError::Clearing { .. } => Mistake(error.to_string()).into(),
        FolderLockError::System { .. } => Mistake(format!("{error}; name another folder with --data")).into(),
    }
}

/// Whether nothing is in a folder, or only what a start that failed has left.
fn is_empty(path: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(path) else { return true };
    entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == LOCK || entry.file_name() == MARK_TO_BE))
}

fn is_missing(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }
}
