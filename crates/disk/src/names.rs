//! Names of files that were not synced yet: one journal, in order.
//!
//! What makes a name durable is more than POSIX promises and less than anybody hopes: here as on ext4 and XFS, which have
//! one journal for all names. It is written up to now when a folder is synced, and when a file is whose size or name
//! changed; `fsync` does so after any write too, since that changed a time, and `fdatasync` does not. Until then a name
//! is not there, and a removed one still is. A cut leaves a first part of the journal and never a later part alone.
//!
//! The alternative, a name that waits for its own folder, is what POSIX says and what Btrfs comes near to. By it MySQL
//! 8.0 loses a log file that it renamed and synced, which on ext4 and XFS does not happen.
//! (The kernel's `Documentation/filesystems/ext4/journal.rst`; Pillai et al., "All File Systems Are Not Created Equal",
//! OSDI 2014, on what stores assume.)

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};

/// Files by name.
pub(crate) type Names = BTreeMap<OsString, u64>;

/// What a name in a folder stands for from now on; nothing where it is removed.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) folder: u64,
    pub(crate) name: OsString,
    pub(crate) file: Option<u64>,
}

/// Edits that are done all or not at all: one of a name that is made or removed, two of a rename.
pub(crate) type NameChange = Vec<Edit>;

/// The names that are durable, and the changes that are not.
#[derive(Clone, Debug, Default)]
pub(crate) struct Journal {
    durable: BTreeMap<u64, Names>,
    pub(crate) unsynced: Vec<NameChange>,
}

impl Journal {
    pub(crate) fn change(&mut self, change: NameChange) {
        self.unsynced.push(change);
    }

    /// Makes all durable.
    pub(crate) fn sync(&mut self) {
        let unsynced = std::mem::take(&mut self.unsynced);
        unsynced.into_iter().for_each(|change| apply(&mut self.durable, change));
    }

    /// Whether a change that is not durable gives a file a name.
    pub(crate) fn names(&self, file: u64) -> bool {
        self.unsynced.iter().flatten().any(|edit| edit.file == Some(file))
    }

    /// The durable names of all folders, with these changes behind them.
    pub(crate) fn with<'a>(&self, changes: impl IntoIterator<Item = &'a NameChange>) -> BTreeMap<u64, Names> {
        let mut names = self.durable.clone();
        changes.into_iter().for_each(|change| apply(&mut names, change.clone()));
        names
    }

    /// The files that a durable name or a change speaks of.
    pub(crate) fn mentioned(&self) -> HashSet<u64> {
        let durable = self.durable.values().flat_map(BTreeMap::values).copied();
        durable.chain(self.unsynced.iter().flatten().filter_map(|edit| edit.file)).collect()
    }
}

fn apply(names: &mut BTreeMap<u64, Names>, change: NameChange) {
    for Edit { folder, name, file } in change {
        let names = names.entry(folder).or_default();
        match file {
            Some(file) => drop(names.insert(name, file)),
            None => drop(names.remove(&name)),
        }
    }
}

/// A name that is made.
pub(crate) fn made(folder: u64, name: &OsStr, file: u64) -> Edit {
    Edit { folder, name: name.to_owned(), file: Some(file) }
}

/// A name that is removed.
pub(crate) fn removed(folder: u64, name: &OsStr) -> Edit {
    Edit { folder, name: name.to_owned(), file: None }
}
