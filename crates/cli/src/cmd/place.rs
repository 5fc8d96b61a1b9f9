//! Where data and results go: folders that are there, or that are made and go again where nothing came of them.

use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kurabe_harness::resolve::{Remote, default_dir};

use super::Mistake;

/// Where data go.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Where it happens")]
pub struct PlaceArgs {
    /// Folder in which data folders are made.
    #[arg(
        long,
        value_name = "PATH",
        help = "Folder in which data folders are made; where it is not there it is made for the time being, in a folder that is [default: /var/tmp]"
    )]
    dir: Option<PathBuf>,
    /// Send load to servers on other machines, if you may
    #[arg(long)]
    allow_remote: bool,
}

impl PlaceArgs {
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
        let shown = dir.display();
        let mut made = Made::default();
        if !dir.exists() {
            let parent = dir.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            if !parent.is_dir() {
                let parent = parent.display();
                return Err(Mistake(format!(
                    "'{shown}' cannot be made, since '{parent}' is no folder; make that first, or choose another --dir"
                )));
            }
            // The umask may close it to the users of services; what must not be read is closed further down.
            let open = |()| std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(0o755));
            made.folder(&dir)
                .and_then(open)
                .map_err(|error| Mistake(format!("cannot make '{shown}': {error}; choose another --dir")))?;
        }
        if !dir.is_dir() {
            return Err(Mistake(format!("'{shown}' is no folder; name one with --dir")));
        }
        let real = dir
            .canonicalize()
            .map_err(|error| Mistake(format!("cannot use '{shown}': {error}; choose another --dir")))?;
        if real.to_str().is_none() {
            let problem = "its name is no UTF-8, in which clients and servers are told where their files go";
            return Err(Mistake(format!("'{shown}' cannot be used: {problem}; choose another --dir")));
        }
        Ok(DataDir { path: dir, _made: made })
    }
}

/// The folder for data. Where it was made for this command it goes with this value, unless something was left in it.
pub struct DataDir {
    path: PathBuf,
    _made: Made,
}

impl DataDir {
    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Folders that this command made; those that are empty in the end are removed.
#[derive(Default)]
struct Made(Vec<PathBuf>);

impl Made {
    fn folder(&mut self, path: &Path) -> std::io::Result<()> {
        std::fs::create_dir(path)?;
        self.0.push(path.to_path_buf());
        Ok(())
    }
}

impl Drop for Made {
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
    _made: Made,
}

impl OutDir {
    /// The folder that was named: it is made when there is something to write.
    pub fn named(path: PathBuf) -> OutDir {
        OutDir { path, _made: Made::default() }
    }

    /// A new folder `kurabe-runs/UTC-STUDY` here, with a number behind it where there is one already. It goes with this
    /// value where nothing was written to it.
    pub fn new(study: &str) -> Result<OutDir, Mistake> {
        let cannot = |path: &Path, error: std::io::Error| {
            Mistake(format!("cannot make '{}': {error}; choose a folder with --out", path.display()))
        };
        let mut made = Made::default();
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
        assert!(refused(&base.path().join("a/b")).contains("/a' is no folder; make that first"));
        assert!(refused(&file).contains("/file' is no folder; name one with --dir"));
        assert!(refused(&file.join("below")).contains("is no folder"));
        let odd = base.path().join(std::ffi::OsStr::from_bytes(b"odd-\xff"));
        assert!(refused(&odd).contains("UTF-8"));
        assert!(!base.path().join("a").exists() && !odd.exists());
    }
}
