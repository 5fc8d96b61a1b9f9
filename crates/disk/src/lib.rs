//! A disk that can fail, and whose power can be cut: a file system in memory that keeps what was synced apart from what
//! was only written.
//!
//! A process that is killed loses what it held itself; the kernel still writes what it was given. A power failure takes
//! that too, and no ordinary user can make one. So the files of a store lie on a file system of our own, through FUSE.
//! It keeps each write until its file is synced, and each name until a sync writes the journal. When the power is cut, every
//! request fails from one moment on, and some or all of what was not synced is forgotten ([`Unsynced`]). What is left
//! is mounted in the same place, and the store is started on it.
//!
//! The alternatives: a device mapper target (dm-log-writes, dm-flakey) needs a kernel module and a block device. LazyFS
//! (Ramos et al., PVLDB 17(11), 2024) passes the removal of names on to the file system below at once, so that it sees
//! no folder that was not synced. A library before the C library's functions sees no store that calls the kernel
//! itself, and no mapped memory. Here mapped memory is seen: the kernel writes it through FUSE when it is synced, and
//! what it had not written is lost with the cache.
//!
//! What it does not have: time that a device takes, and the order in which a real one would write. No rate that was
//! measured on it says anything of a disk.

mod changes;
mod content;
mod names;
mod requests;
mod tree;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use fuser::{BackgroundSession, Config, MountOption, SessionACL};
use kurabe_record::{CutRecord, DiskFault, Unsynced};
use rustix::mount::{UnmountFlags, unmount};

use requests::Shared;
use tree::Tree;

/// A disk that is mounted; dropped, it is gone with all that is on it.
pub struct Disk {
    path: PathBuf,
    shared: Shared,
    session: Option<BackgroundSession>,
}

/// A disk without power.
pub struct Cut {
    tree: Option<Tree>,
}

impl Disk {
    /// Mounts an empty one at `path`, a folder that exists. It holds `room_bytes` at most, in memory.
    ///
    /// # Errors
    /// Where the system has no FUSE, or does not let this user mount.
    pub fn mount(path: &Path, room_bytes: u64) -> io::Result<Disk> {
        let mut disk = Disk { path: path.canonicalize()?, shared: Shared::new(Tree::new(room_bytes)), session: None };
        disk.power_on()?;
        Ok(disk)
    }

    fn power_on(&mut self) -> io::Result<()> {
        let mut config = Config::default();
        config.mount_options = vec![
            MountOption::FSName("kurabe".into()),
            MountOption::DefaultPermissions,
            MountOption::NoDev,
            MountOption::NoSuid,
        ];
        // Services run as users of their own; where that is no choice, everybody is the one who mounts.
        let is_root = rustix::process::geteuid().is_root();
        config.acl = if is_root { SessionACL::All } else { SessionACL::Owner };
        self.session = Some(fuser::spawn_mount(self.shared.clone(), &self.path, &config)?);
        Ok(())
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Syncs everything that was written, also through mapped memory, as the system does by itself after some time.
    pub fn sync_all(&self) {
        // Not `syncfs`: through FUSE it does not wait until mapped memory is written.
        sync_files(&self.path);
        if let Some(tree) = self.shared.lock().as_mut() {
            tree.sync_all();
        }
    }

    /// From now on the disk fails so, or is whole again.
    pub fn set_fault(&self, fault: Option<DiskFault>) {
        self.shared.set_fault(fault);
    }

    /// Cuts the power. Nobody reads or writes while `kill` sends signals to those who do; it must not wait for them.
    /// Afterwards every request fails, so that they can end.
    pub fn cut(&self, kill: impl FnOnce()) -> Cut {
        let mut tree = self.shared.lock();
        kill();
        Cut { tree: tree.take() }
    }

    /// The power is back: mounts what is left in the same place. Nobody may use the disk any more. `seed` draws what is
    /// left to chance.
    ///
    /// # Errors
    /// As [`Disk::mount`], and where there was no cut.
    pub fn restore(&mut self, cut: Cut, unsynced: Unsynced, seed: u64) -> io::Result<CutRecord> {
        let before = cut.tree.ok_or_else(|| io::Error::other("no power to cut"))?;
        self.power_off();
        let (tree, record) = before.after_cut(unsynced, seed);
        self.shared = Shared::new(tree);
        self.power_on()?;
        Ok(record)
    }

    /// Whoever still has a file open keeps the old one alive for himself only.
    fn power_off(&mut self) {
        if let Some(session) = self.session.take() {
            // Where this user may not, the session asks the program that may.
            let _ = unmount(&self.path, UnmountFlags::DETACH);
            drop(session);
        }
    }
}

/// Syncs all files in a folder. Who is removed meanwhile, or cannot be opened, has nothing that is to be kept.
fn sync_files(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => sync_files(&entry.path()),
            Ok(kind) if kind.is_file() => drop(File::open(entry.path()).and_then(|file| file.sync_all())),
            _ => {}
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.power_off();
    }
}
