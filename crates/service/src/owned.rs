//! Folders and files of a service, which belong to the user that it runs as.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{Gid, Uid};

use crate::error::ServiceError;
use crate::{Account, account_name, first_closed_folder};

/// Makes a folder that belongs to `account`, or to this process where `None`.
pub(crate) fn make_owned_folder(path: &Path, mode: u32, account: Option<&Account>) -> Result<(), ServiceError> {
    fs::create_dir_all(path).map_err(|source| ServiceError::io("make", path, source))?;
    set_mode(path, mode)?;
    give_to(path, account)
}

/// The variable TMPDIR with a folder of the service's own inside `folder`, made where missing. A server may hold every
/// temporary file for its own: of two MariaDBs that were initialised at once in one folder, one removed the other's
/// tables (10.11.19).
pub(crate) fn own_tmpdir(folder: &Path, account: Option<&Account>) -> Result<(OsString, OsString), ServiceError> {
    let path = folder.join("tmp");
    make_owned_folder(&path, 0o700, account)?;
    Ok(("TMPDIR".into(), path.into()))
}

/// Changes the owner to `account`; nothing where `None`.
pub(crate) fn give_to(path: &Path, account: Option<&Account>) -> Result<(), ServiceError> {
    let Some(account) = account else { return Ok(()) };
    let (uid, gid) = (Uid::from_raw(account.uid), Gid::from_raw(account.gid));
    rustix::fs::chown(path, Some(uid), Some(gid)).map_err(|errno| ServiceError::io("owner", path, errno))
}

fn set_mode(path: &Path, mode: u32) -> Result<(), ServiceError> {
    let permissions = fs::Permissions::from_mode(mode);
    fs::set_permissions(path, permissions).map_err(|source| ServiceError::io("mode", path, source))
}

/// Refuses a folder that the service's user cannot enter.
pub(crate) fn check_way(folder: &Path, account: Option<&Account>) -> Result<(), ServiceError> {
    match first_closed_folder(folder, account) {
        None => Ok(()),
        Some(closed) => Err(ServiceError::Closed { user: account_name(account), folder: closed }),
    }
}

pub(crate) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
