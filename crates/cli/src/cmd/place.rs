//! Where data and results go: folders that are there, or that are made and go again where nothing came of them.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kurabe_harness::resolve::{Remote, default_dir};
use kurabe_messages::message;

use super::Mistake;

/// Where data go.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "where")]
pub struct PlaceArgs {
    #[arg(long, value_name = "PATH")]
    dir: Option<PathBuf>,
    #[arg(long)]
    allow_remote: bool,
}

impl PlaceArgs {
    /// As `--dir` names it.
    #[cfg(test)]
    pub fn at(dir: &str) -> PlaceArgs {
        PlaceArgs { dir: Some(dir.into()), ..PlaceArgs::default() }
    }

    /// The folder for data as it was named.
    pub fn dir(&self) -> PathBuf {
        self.dir.clone().unwrap_or_else(|| default_dir().to_path_buf())
    }

    /// The folder as a flag, for a command; nothing where none was named.
    pub fn flags(&self) -> String {
        self.dir.as_ref().and_then(|dir| super::flag("--dir", dir)).unwrap_or_default()
    }

    /// Whether load may leave this machine.
    pub fn remote(&self) -> Remote {
        if self.allow_remote { Remote::Allowed } else { Remote::Refused }
    }

    /// The folder for data, which must be there or be made in one that is.
    pub fn open(&self) -> Result<DataDir, Mistake> {
        let dir = self.dir();
        let path = &dir.display().to_string();
        let mut made = CreatedFolders::default();
        if !dir.exists() {
            let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !parent.is_dir() {
                return Err(Mistake(message!(cli_dir_parent, path, parent = parent.display())));
            }
            // The umask may close it to the users of services; what must not be read is closed further down.
            let open = |()| std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755));
            made.folder(&dir).and_then(open).map_err(|error| Mistake(message!(cli_dir_make, path, error)))?;
        }
        if !dir.is_dir() {
            return Err(Mistake(message!(cli_dir_not_folder, path)));
        }
        let real = dir.canonicalize().map_err(|error| Mistake(message!(cli_dir_use, path, error)))?;
        if real.to_str().is_none() {
            return Err(Mistake(message!(cli_dir_utf8, path)));
        }
        Ok(DataDir { path: dir, _made: made })
    }
}

/// The folder for data. Where it was made for this command it goes with this value, unless something was left in it.
pub struct DataDir {
    path: PathBuf,
    _made: CreatedFolders,
}

impl DataDir {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Folders that this command made; those that are empty in the end are removed.
#[derive(Default)]
struct CreatedFolders(Vec<PathBuf>);

impl CreatedFolders {
    fn folder(&mut self, path: &Path) -> std::io::Result<()> {
        std::fs::create_dir(path)?;
        self.0.push(path.to_path_buf());
        Ok(())
    }
}

impl Drop for CreatedFolders {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            // Fails where there is something in it, as it should.
            let _ = std::fs::remove_dir(path);
        }
    }
}

/// The folder for the results of a run.
pub struct OutDir {
    path: PathBuf,
    _made: CreatedFolders,
}

impl OutDir {
    /// The folder that was named: it is made when there is something to write.
    pub fn named(path: PathBuf) -> OutDir {
        OutDir { path, _made: CreatedFolders::default() }
    }

    /// A new folder `kurabe-runs/UTC-STUDY` here, with a number behind it where there is one already. It goes with this
    /// value where nothing was written to it.
    pub fn new(study: &str) -> Result<OutDir, Mistake> {
        let cannot = |path: &Path, error: std::io::Error| Mistake(message!(cli_out_make, path = path.display(), error));
        let mut made = CreatedFolders::default();
        let runs = Path::new(super::runs::RUNS);
        match made.folder(runs) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(cannot(runs, error)),
            _ => {}
        }
        let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
        let stamp: String = now.chars().filter(char::is_ascii_alphanumeric).collect();
        let mut path = runs.join(format!("{stamp}-{study}"));
        let mut number = 1u64;
        loop {
            match made.folder(&path) {
                Ok(()) => return Ok(OutDir { path, _made: made }),
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(cannot(&path, error)),
                Err(_) => number += 1,
            }
            path = runs.join(format!("{stamp}-{study}-{number}"));
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(dir: &Path) -> PlaceArgs {
        PlaceArgs { dir: Some(dir.to_path_buf()), allow_remote: false }
    }

    #[test]
    fn a_folder_that_was_made_goes_again_unless_something_is_in_it() {
        let base = tempfile::tempdir().unwrap();
        let dir = base.path().join("new");
        let open = place(&dir).open().unwrap();
        assert!(open.path().is_dir());
        drop(open);
        assert!(!dir.exists());
        let open = place(&dir).open().unwrap();
        std::fs::write(dir.join("kept"), "").unwrap();
        drop(open);
        assert!(dir.exists());
        std::fs::remove_file(dir.join("kept")).unwrap();
        drop(place(&dir).open().unwrap());
        assert!(dir.exists(), "it was there before");
    }

    #[test]
    fn a_folder_without_a_parent_a_file_and_a_name_that_nobody_can_be_told_are_refused() {
        use std::os::unix::ffi::OsStrExt;
        let base = tempfile::tempdir().unwrap();
        let file = base.path().join("file");
        std::fs::write(&file, "").unwrap();
        let refused = |dir: &Path| place(dir).open().map(|_| ()).unwrap_err().to_string();
        assert!(refused(&base.path().join("a/b")).contains("/a' is not a folder\nMake that folder first"));
        assert!(refused(&file).contains("/file' is not a folder\nName a folder with --dir"));
        assert!(refused(&file.join("below")).contains("is not a folder"));
        let odd = base.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
        assert!(refused(&odd).contains("UTF-8"));
        assert!(!base.path().join("a").exists() && !odd.exists());
    }
}
