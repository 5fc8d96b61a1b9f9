use std::ffi::{CStr, CString};
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kurabe_messages::{Message, message};
use rustix::fs::Access;

/// The account for services that name none, or one that is not here.
const FALLBACK: &str = "nobody";

/// The longest entry of the user database that is read.
const ENTRY_LIMIT_BYTES: usize = 1 << 20;

/// A user that a process is started as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The user's name.
    pub name: String,
    /// The user's number.
    pub uid: u32,
    /// The number of the user's main group; a process gets no other.
    pub gid: u32,
}

/// Why there is no account to start a service as.
#[derive(Debug, thiserror::Error)]
pub enum AccountError {
    /// The user database could not be read.
    #[error("{}", message!(service_user_lookup, name = .name, error = .source))]
    Lookup {
        /// The user's name.
        name: String,
        /// The system's reason.
        source: io::Error,
    },
    /// Neither the wanted user nor the fallback is here.
    #[error("{}", message!(service_no_nobody))]
    NoFallback,
}

/// Whom a process runs as: this account, or who runs Kurabe where `None`.
pub fn account_name(account: Option<&Account>) -> Message {
    match account {
        Some(account) => message!(service_user, name = &account.name),
        None => message!(service_this_user),
    }
}

impl Account {
    /// Finds a user by name; `None` where there is none.
    pub fn find(name: &str) -> Result<Option<Account>, AccountError> {
        let error = |source| AccountError::Lookup { name: name.to_owned(), source };
        let c_name = CString::new(name).map_err(|nul| error(nul.into()))?;
        let entry = lookup(&c_name).map_err(error)?;
        Ok(entry.map(|(uid, gid)| Account { name: name.to_owned(), uid, gid }))
    }
}

fn lookup(name: &CStr) -> io::Result<Option<(u32, u32)>> {
    let mut buffer = vec![0; 4096];
    loop {
        // SAFETY: passwd is plain data for which zero is a valid value.
        let mut entry: libc::passwd = unsafe { std::mem::zeroed() };
        let mut found = std::ptr::null_mut();
        // SAFETY: all pointers are valid for the call, and the length is that of the buffer.
        let status =
            unsafe { libc::getpwnam_r(name.as_ptr(), &mut entry, buffer.as_mut_ptr(), buffer.len(), &mut found) };
        match status {
            0 if found.is_null() => return Ok(None),
            0 => return Ok(Some((entry.pw_uid, entry.pw_gid))),
            libc::ERANGE if buffer.len() < ENTRY_LIMIT_BYTES => buffer.resize(buffer.len() * 2, 0),
            // getpwnam(3): some systems say "not found" in these ways.
            libc::ENOENT | libc::ESRCH => return Ok(None),
            code => return Err(io::Error::from_raw_os_error(code)),
        }
    }
}

/// The account that a service runs as: the `wanted` user, or nobody where that one is missing or not given. `None`
/// for an ordinary user, who cannot change to another: services then run as that user.
pub fn service_account(wanted: Option<&str>) -> Result<Option<Account>, AccountError> {
    if !rustix::process::geteuid().is_root() {
        return Ok(None);
    }
    if let Some(account) = wanted.map(Account::find).transpose()?.flatten() {
        return Ok(Some(account));
    }
    Account::find(FALLBACK)?.map(Some).ok_or(AccountError::NoFallback)
}

/// The first folder on the way to `path` that `account` (or this process, where `None`) cannot enter.
///
/// Judged by owner, group and mode; access lists are not looked at.
pub fn first_closed_folder(path: &Path, account: Option<&Account>) -> Option<PathBuf> {
    let real_path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let mut folders: Vec<&Path> = real_path.ancestors().collect();
    folders.reverse();
    folders.into_iter().find(|folder| !can_enter(folder, account)).map(Path::to_path_buf)
}

fn can_enter(folder: &Path, account: Option<&Account>) -> bool {
    let Some(account) = account else { return rustix::fs::access(folder, Access::EXEC_OK).is_ok() };
    let Ok(data) = fs::metadata(folder) else { return false };
    let needed = if account.uid == 0 {
        return true;
    } else if data.uid() == account.uid {
        0o100
    } else if data.gid() == account.gid {
        0o010
    } else {
        0o001
    };
    data.mode() & needed != 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn root_is_found_and_a_made_up_user_is_not() {
        assert_eq!(Account::find("root").unwrap().map(|account| account.uid), Some(0));
        assert_eq!(Account::find("no-such-user-here").unwrap(), None);
        assert!(Account::find("nul\0byte").is_err());
    }

    #[test]
    fn the_first_folder_that_cannot_be_entered_is_named() {
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        let real = dir.path().canonicalize().unwrap();
        let (closed, inner) = (real.join("closed"), real.join("closed/inner"));
        fs::create_dir_all(&inner).unwrap();
        let stranger = Account { name: "stranger".to_owned(), uid: 4_000_001, gid: 4_000_001 };
        for folder in [&real, &closed, &inner] {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        assert_eq!(first_closed_folder(&inner, Some(&stranger)), None);
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(first_closed_folder(&inner, Some(&stranger)), Some(closed.clone()));
        let owner = Account { uid: fs::metadata(&closed).unwrap().uid(), ..stranger };
        assert_eq!(first_closed_folder(&inner, Some(&owner)), None);
    }
}
