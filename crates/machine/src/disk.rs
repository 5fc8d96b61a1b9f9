use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use kurabe_messages::{Message, message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MachineError;

/// How often a wait looks whether the user interrupts.
const LOOK: Duration = Duration::from_millis(50);

/// What a folder and everything in it takes on disk.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskUsage {
    /// Space really allocated (`st_blocks` · 512), folders included.
    pub allocated_bytes: u64,
    /// Sum of the lengths of all that is not a folder.
    pub apparent_bytes: u64,
    /// Number of all that is not a folder; a file with several names counts once.
    pub files: u64,
}

/// Why no more can be written to the file system that holds `dir`; nothing where it can. What the system keeps for
/// its own user is no room for a store.
pub fn full_disk(dir: &Path) -> Option<Message> {
    let stat = rustix::fs::statvfs(dir).ok()?;
    why_full(stat.f_bavail * stat.f_frsize, stat.f_blocks * stat.f_frsize, stat.f_favail, stat.f_files)
}

/// A store that was refused room may have given back what it had taken for that: a little is nothing.
fn why_full(free_bytes: u64, all_bytes: u64, free_files: u64, all_files: u64) -> Option<Message> {
    const LITTLE: u64 = 50;
    const LITTLE_BYTES: u64 = 64 << 20;
    if free_bytes < LITTLE_BYTES && free_bytes < all_bytes / LITTLE {
        return Some(message!(machine_disk_full, free = free_bytes, all = all_bytes));
    }
    // Some file systems do not count files.
    let is_counted = all_files > 0;
    (is_counted && free_files == 0).then(|| message!(machine_disk_no_files, files = all_files))
}

/// Measures `dir` with all below it. Links are not followed; what vanishes meanwhile is left out.
///
/// Fails where a folder may not be read.
pub fn disk_usage(dir: &Path) -> Result<DiskUsage, MachineError> {
    fs::symlink_metadata(dir).map_err(|source| MachineError::io("measure", dir, source))?;
    let mut usage = DiskUsage::default();
    let mut seen = HashSet::new();
    let mut pending = vec![dir.to_path_buf()];
    while let Some(path) = pending.pop() {
        match add(&path, &mut usage, &mut seen) {
            Ok(children) => pending.extend(children),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(MachineError::io("measure", &path, source)),
        }
    }
    Ok(usage)
}

/// Counts one path and returns what lies directly in it.
fn add(path: &Path, usage: &mut DiskUsage, seen: &mut HashSet<(u64, u64)>) -> io::Result<Vec<PathBuf>> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        usage.allocated_bytes += metadata.blocks() * 512;
        return fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect();
    }
    if metadata.nlink() == 1 || seen.insert((metadata.dev(), metadata.ino())) {
        usage.allocated_bytes += metadata.blocks() * 512;
        usage.apparent_bytes += metadata.len();
        usage.files += 1;
    }
    Ok(Vec::new())
}

/// Writes out all of the file system that holds `dir`, and returns how long that took, in ns.
///
/// Fails where `dir` cannot be opened or the device reports a write error, and once `interrupt` is set: nothing can end
/// the kernel's work, so a thread of its own waits for that, and is left to it.
pub fn syncfs(dir: &Path, interrupt: &AtomicBool) -> Result<u64, MachineError> {
    let error = |source: io::Error| MachineError::io("sync-all", dir, source);
    let folder = File::open(dir).map_err(|source| MachineError::io("open", dir, source))?;
    let (sender, synced) = sync_channel(1);
    let sync = move || {
        let start = Instant::now();
        let synced = rustix::fs::syncfs(&folder).map(|()| start.elapsed().as_nanos() as u64);
        // Nobody listens any more after an interrupt.
        let _ = sender.send(synced);
    };
    std::thread::Builder::new().spawn(sync).map_err(error)?;
    loop {
        MachineError::unless(interrupt)?;
        match synced.recv_timeout(LOOK) {
            Ok(synced) => return synced.map_err(|errno| error(errno.into())),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Err(error(io::Error::other("its thread has ended"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_told_in_words() {
        let mib = |bytes: u64| bytes << 20;
        assert_eq!(why_full(mib(10), mib(96), 100, 1000), None);
        assert_eq!(why_full(mib(100), mib(1 << 20), 100, 1000), None, "a little of a large one is much");
        let full = why_full(mib(1), mib(96), 100, 1000);
        assert_eq!(
            full.map(|full| full.to_string()).as_deref(),
            Some("the disk is full: 1.00 MiB of 96.0 MiB are free")
        );
        assert_eq!(why_full(mib(50), mib(96), 0, 48), Some(message!(machine_disk_no_files, files = 48u64)));
        assert_eq!(why_full(mib(50), mib(96), 0, 0), None, "files are not counted");
    }

    #[test]
    fn a_hard_link_counts_once_and_a_link_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let inner = dir.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a"), vec![1; 10_000]).unwrap();
        let before = disk_usage(dir.path()).unwrap();
        fs::hard_link(inner.join("a"), dir.path().join("b")).unwrap();
        assert_eq!(disk_usage(dir.path()).unwrap(), before);
        assert_eq!((before.apparent_bytes, before.files), (10_000, 1));

        std::os::unix::fs::symlink("/usr", dir.path().join("c")).unwrap();
        let after = disk_usage(dir.path()).unwrap();
        assert_eq!((after.apparent_bytes, after.files), (10_000 + "/usr".len() as u64, 2));
    }

    #[test]
    fn a_sparse_file_takes_less_than_its_length() {
        let dir = tempfile::tempdir().unwrap();
        File::create(dir.path().join("holes")).unwrap().set_len(64 << 20).unwrap();
        let usage = disk_usage(dir.path()).unwrap();
        assert_eq!(usage.apparent_bytes, 64 << 20);
        assert!(usage.allocated_bytes < 1 << 20, "{usage:?}");
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = disk_usage(Path::new("/nowhere/at/all")).unwrap_err().to_string();
        assert!(error.contains("'/nowhere/at/all'"), "{error}");
        assert!(syncfs(Path::new("/nowhere/at/all"), &AtomicBool::new(false)).is_err());
    }

    #[test]
    fn files_that_vanish_meanwhile_do_no_harm() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_path_buf();
        let writer = std::thread::spawn(move || {
            for number in 0..2_000 {
                let file = path.join(format!("f{}", number % 7));
                fs::write(&file, b"x").unwrap();
                fs::remove_file(&file).unwrap();
            }
        });
        while !writer.is_finished() {
            disk_usage(dir.path()).unwrap();
        }
        writer.join().unwrap();
    }
}
