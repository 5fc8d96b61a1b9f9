//! Where a board keeps its posts, and whose they are.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use kurabe_harness::HarnessError;
use kurabe_harness::resolve::Candidate;
use kurabe_messages::{Message, message};
use kurabe_service::{FolderAccess, FolderLock, FolderLockError, Guardian, RunFolder};
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
        begun: TableAge,
        /// No other kurabe serves it as long as this is here.
        _lock: FolderLock,
    },
    /// One that goes.
    Passing(RunFolder),
}

/// When the table of a board was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableAge {
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
        let path_shown = path.display();
        match kurabe_machine::read_file(&path.join(MARK), MOST_MARK_BYTES) {
            Ok(mark) => serde_json::from_slice(&mark)
                .map(Some)
                .map_err(|error| Mistake(message!(serve_mark, path = path_shown, error))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Mistake(message!(serve_folder_read, path = path_shown, error))),
        }
    }

    fn check(&self, path: &Path, candidate: &Candidate) -> Result<(), Mistake> {
        if (&self.store, &self.variant) == (&candidate.record.store, &candidate.record.variant) {
            return Ok(());
        }
        Err(Mistake(message!(serve_other_store, path = path.display(), store = self)))
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
                RunFolder::create(dir, guardian, FolderAccess::Everybody).map_err(HarnessError::from)?,
            ));
        };
        match Mark::read(path)? {
            Some(mark) => mark.check(path, candidate)?,
            None if is_empty(path) => kurabe_service::make_folder(path, FolderAccess::Everybody)
                .map_err(|error| Mistake(message!(serve_folder_make, path = path.display(), error)))?,
            None => return Err(Mistake(message!(serve_not_a_board, path = path.display())).into()),
        }
        let path = fs::canonicalize(path)?;
        let lock = FolderLock::take(&path, LOCK, guardian).map_err(refused)?;
        // What stood there before may have been changed by somebody who had the lock.
        let mark = Mark::read(&path)?;
        mark.iter().try_for_each(|mark| mark.check(&path, candidate))?;
        let begun = if mark.is_some_and(|mark| mark.has_table) { TableAge::Before } else { TableAge::Now };
        let folder = Folder::Kept { path, begun, _lock: lock };
        if begun == TableAge::Now {
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
    pub fn begun(&self) -> TableAge {
        match self {
            Folder::Kept { begun, .. } => *begun,
            Folder::Passing(_) => TableAge::Now,
        }
    }

    /// Notes whose it is. The note is whole or the one before: without it nobody finds the posts again.
    pub fn mark(&self, candidate: &Candidate, has_table: bool) -> anyhow::Result<()> {
        if let Folder::Kept { path, begun: TableAge::Now, .. } = self {
            let text = serde_json::to_string(&Mark::of(candidate, has_table))? + "\n";
            let failed = || message!(serve_write, path = path.display());
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
    pub fn message(&self) -> Message {
        match self {
            Folder::Kept { path, .. } => message!(serve_posts_kept, path = path.display()),
            Folder::Passing(_) => message!(serve_posts_gone),
        }
    }
}

/// Why a folder could not be locked, with the way out.
fn refused(error: FolderLockError) -> anyhow::Error {
    match error {
        FolderLockError::Taken { folder, pid } => Mistake(message!(serve_taken, path = folder.display(), pid)).into(),
        FolderLockError::Guardian(_) => error.into(),
        FolderLockError::Clearing { .. } | FolderLockError::System { .. } => {
            Mistake(message!(serve_lock, error)).into()
        }
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
