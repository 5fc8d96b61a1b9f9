//! A file of the user's gets new contents and stays the same file: owner, rights, links and attributes are kept.
//!
//! Renaming a new file over the old one would be one step, and would lose all of these. So the old contents lie beside
//! the file, synced, until the new ones are: nothing is lost when the machine stops amid it, or the disk is full.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

use anyhow::Context;
use kurabe_messages::message;
use rustix::fs::FallocateFlags;
use tempfile::NamedTempFile;

use crate::cmd::Mistake;

/// Writes `new` into the file at `path`, which holds `old`.
pub fn rewrite(path: &Path, old: &[u8], new: &[u8]) -> anyhow::Result<()> {
    rewrite_by(path, old, new, write_over)
}

fn rewrite_by(
    path: &Path,
    old: &[u8],
    new: &[u8],
    write: impl FnOnce(&File, &[u8]) -> io::Result<()>,
) -> anyhow::Result<()> {
    if old == new {
        return Ok(());
    }
    let shown = path.display().to_string();
    let refused = |error: io::Error| Mistake(message!(cli_write_refused, path = &shown, error));
    let path = &path.canonicalize().map_err(refused)?;
    // Root could write it; whoever took the rights away did not want that.
    let mode = std::fs::metadata(path).map_err(refused)?.permissions().mode();
    if mode & 0o222 == 0 {
        return Err(Mistake(message!(cli_write_read_only, path = &shown)).into());
    }
    let file = OpenOptions::new().write(true).open(path).map_err(refused)?;
    let kept = keep_beside(path, old, mode).context(message!(cli_write_beside, path = &shown))?;
    let Err(error) = write(&file, new) else { return Ok(()) };
    if write_over(&file, old).is_ok() {
        return Err(error).context(message!(cli_write_unchanged, path = &shown));
    }
    let left = kept.into_temp_path();
    let beside = left.to_path_buf();
    left.keep().ok();
    Err(error).context(message!(cli_write_kept, path = &shown, kept = beside.display()))
}

/// The contents in a file of the same folder, where they survive a crash; it goes when the value does.
fn keep_beside(path: &Path, contents: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut kept = tempfile::Builder::new().prefix(&format!(".{name}.before-")).tempfile_in(folder)?;
    kept.write_all(contents)?;
    kept.as_file().set_permissions(Permissions::from_mode(mode & 0o777))?;
    kept.as_file().sync_all()?;
    File::open(folder)?.sync_all()?;
    Ok(kept)
}

/// Room first, so that a full disk changes nothing.
fn write_over(file: &File, contents: &[u8]) -> io::Result<()> {
    match rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, contents.len().max(1) as u64) {
        Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) | Ok(()) => {}
        Err(error) => return Err(error.into()),
    }
    file.write_all_at(contents, 0)?;
    file.set_len(contents.len() as u64)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn a_file_stays_the_same_file_with_its_links_and_rights() {
        let folder = tempfile::tempdir().unwrap();
        let [file, hard, soft] = ["file", "hard", "soft"].map(|name| folder.path().join(name));
        std::fs::write(&file, "old and long").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        std::os::unix::fs::symlink(&file, &soft).unwrap();
        let before = std::fs::metadata(&file).unwrap();
        rewrite(&soft, b"old and long", b"new").unwrap();
        let after = std::fs::metadata(&file).unwrap();
        assert_eq!((before.ino(), before.mode()), (after.ino(), after.mode()));
        for path in [&file, &hard, &soft] {
            assert_eq!(std::fs::read_to_string(path).unwrap(), "new");
        }
        assert!(std::fs::symlink_metadata(&soft).unwrap().is_symlink());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing lies beside it");
    }

    #[test]
    fn what_cannot_be_written_is_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "old").unwrap();
        let full = |file: &File, _: &[u8]| {
            file.write_all_at(b"ne", 0)?;
            Err(io::Error::from(io::ErrorKind::StorageFull))
        };
        let error = rewrite_by(&file, b"old", b"new and long", full).unwrap_err();
        assert!(error.to_string().contains("which is unchanged"), "{error}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
        std::fs::set_permissions(&file, Permissions::from_mode(0o444)).unwrap();
        let error = rewrite(&file, b"old", b"new").unwrap_err();
        assert!(error.is::<Mistake>() && error.to_string().contains("it is read-only"), "{error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing lies beside it");
    }
}
