//! Files that somebody else names or brings, read whole: a pipe would wait for ever, a device would never end.

use std::fs::{File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use kurabe_messages::{Message, message};

/// What something is that is no regular file, in two words.
pub fn no_file(kind: FileType) -> Option<Message> {
    match kind {
        _ if kind.is_file() => None,
        _ if kind.is_dir() => Some(message!(machine_folder)),
        _ if kind.is_fifo() => Some(message!(machine_pipe)),
        _ if kind.is_socket() => Some(message!(machine_socket)),
        _ => Some(message!(machine_device)),
    }
}

/// Opens a regular file for reading, at once whatever it is. Links are followed.
///
/// # Errors
/// Where it cannot be opened, or is no regular file.
pub fn open_file(path: &Path) -> io::Result<File> {
    let flags = (rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY).bits();
    let flags = i32::try_from(flags).map_err(io::Error::other)?;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    match no_file(file.metadata()?.file_type()) {
        None => Ok(file),
        Some(what) => Err(io::Error::new(io::ErrorKind::InvalidInput, message!(machine_not_a_file, what))),
    }
}

/// The whole of a regular file of at most `most_bytes`.
///
/// # Errors
/// Where it cannot be read, is no regular file, or is larger.
pub fn read_file(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(most_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most_bytes {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message!(machine_file_too_large, most = most_bytes)));
    }
    Ok(bytes)
}

/// The same as text.
///
/// # Errors
/// As [`read_file`], and where it is not UTF-8.
pub fn read_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, most_bytes)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, message!(machine_not_utf8, error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_are_read_and_only_so_far() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "four").unwrap();
        std::os::unix::fs::symlink(path("file"), path("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", path("zero")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path("fifo"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
        assert_eq!(read_text(&path("file"), 4).unwrap(), "four");
        assert_eq!(read_text(&path("link"), 4).unwrap(), "four");
        let refused = |name: &str, most_bytes| read_text(&path(name), most_bytes).unwrap_err().to_string();
        assert_eq!(refused("file", 3), "it is larger than 3 bytes");
        assert_eq!(refused("fifo", 9), "it is a pipe, not a file");
        assert_eq!(refused("zero", 9), "it is a device, not a file");
        assert_eq!(refused(".", 9), "it is a folder, not a file");
        std::fs::write(path("file"), b"\xff").unwrap();
        assert!(refused("file", 9).starts_with("it is not UTF-8"));
    }
}
