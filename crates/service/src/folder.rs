use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use kurabe_messages::message;

use crate::{Guardian, GuardianError};

/// The file that marks a folder as Kurabe's, with the run's name in it.
const MARKER: &str = ".kurabe";

/// Who may enter a folder, whatever the umask says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderAccess {
    /// Everybody: a service inside it runs as a user of its own.
    Everybody,
    /// Its owner alone: rows of a user's own data lie in it.
    Owner,
}

/// Makes a folder, and its parents where they are missing; `reach` is for the folder itself.
///
/// # Errors
///
/// Where the system refuses.
pub fn make_folder(path: &Path, reach: FolderAccess) -> io::Result<()> {
    fs::create_dir_all(path)?;
    set_reach(path, reach)
}

/// As [`make_folder`], where its parent must be there: a folder of a run that somebody has removed is not made again on the
/// way, without its mark.
///
/// # Errors
///
/// Where the system refuses.
pub fn make_folder_in_place(path: &Path, reach: FolderAccess) -> io::Result<()> {
    match fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => set_reach(path, reach),
    }
}

/// The mode given to mkdir is cut by the umask, so it is set afterwards.
fn set_reach(path: &Path, reach: FolderAccess) -> io::Result<()> {
    let mode = match reach {
        FolderAccess::Everybody => 0o755,
        FolderAccess::Owner => 0o700,
    };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

/// A new folder of this run. It is removed with all that is in it when this value is dropped, or by the guardian where
/// Kurabe was killed.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    guardian: Guardian,
    fate: Disposal,
}

#[derive(Debug, PartialEq)]
enum Disposal {
    Remove,
    Keep,
}

/// Why a folder could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The system refused.
    #[error("{}", message!(service_folder, dir = .dir.display(), error = .source))]
    Create {
        /// The folder it should have been made in.
        dir: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The guardian could not be told.
    #[error(transparent)]
    Guardian(#[from] GuardianError),
}

impl RunFolder {
    /// Makes and marks a folder with a name of its own in `dir`, which must exist.
    pub fn create(dir: &Path, guardian: &Guardian, reach: FolderAccess) -> Result<RunFolder, FolderError> {
        let create_error = |source| FolderError::Create { dir: dir.to_path_buf(), source };
        let real_dir = dir.canonicalize().map_err(create_error)?;
        let path = real_dir.join(format!("kurabe-{}-{:08x}", guardian.run_id(), rand::random::<u32>()));
        fs::DirBuilder::new().mode(0o700).create(&path).map_err(create_error)?;
        // From here on a failure drops the value, and with it the folder.
        let folder = RunFolder { path, guardian: guardian.clone(), fate: Disposal::Remove };
        guardian.watch_folder(&folder.path)?;
        mark(&folder.path, guardian.run_id(), reach).map_err(create_error)?;
        Ok(folder)
    }

    /// Where the folder is; absolute and without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Leaves the folder on disk and returns where it is.
    pub fn keep(mut self) -> PathBuf {
        self.fate = Disposal::Keep;
        self.path.clone()
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        // Where the removal fails the guardian is not told, so that it tries again at the end.
        if self.fate == Disposal::Keep || fs::remove_dir_all(&self.path).is_ok() {
            let _ = self.guardian.forget_folder(&self.path);
        }
    }
}

/// Makes a folder of a run, which everybody may enter, in `dir`; `watch` is told of it before anything lies in it.
pub(crate) fn make_marked(
    dir: &Path,
    run_id: &str,
    watch: impl FnOnce(&Path) -> Result<(), GuardianError>,
) -> io::Result<PathBuf> {
    let path = dir.join(format!("kurabe-{:08x}", rand::random::<u32>()));
    fs::DirBuilder::new().mode(0o700).create(&path)?;
    watch(&path).map_err(io::Error::other)?;
    mark(&path, run_id, FolderAccess::Everybody)?;
    Ok(path)
}

fn mark(path: &Path, run_id: &str, reach: FolderAccess) -> io::Result<()> {
    set_reach(path, reach)?;
    fs::write(path.join(MARKER), format!("{run_id}\n"))
}

/// Whether `folder` is a real folder, and its marker a real file with the name of this run.
pub(crate) fn is_marked(folder: &Path, run_id: &str) -> bool {
    let marker = folder.join(MARKER);
    fs::symlink_metadata(folder).is_ok_and(|data| data.is_dir())
        && fs::symlink_metadata(&marker).is_ok_and(|data| data.is_file())
        && fs::read_to_string(&marker).is_ok_and(|text| text.trim_end() == run_id)
}
