//! Names of files that were not synced yet.
//!
//! A name is durable when its folder was synced. One more rule holds on ext4, XFS and Btrfs alike, and stores rely on
//! it: a file that is synced is also found under the name that it was made with, and so are the folders above it.
//! Nothing else is promised: a name that was removed, or given by a rename, waits for its folder. (btrfs(5) and the
//! kernel's `Documentation/filesystems/ext4/journal.rst`; Pillai et al., "All File Systems Are Not Created Equal",
//! OSDI 2014, has what stores assume beyond.)

use std::collections::{BTreeMap, BTreeSet, HashSet};
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
#[derive(Clone, Debug)]
pub(crate) struct Journal {
    durable: BTreeMap<u64, Names>,
    /// Files and folders that had a durable name at some time.
    known: BTreeSet<u64>,
    pub(crate) unsynced: Vec<NameChange>,
}

impl Journal {
    /// With a root that holds nothing.
    pub(crate) fn new(root: u64) -> Journal {
        Journal { durable: BTreeMap::new(), known: BTreeSet::from([root]), unsynced: Vec::new() }
    }

    pub(crate) fn change(&mut self, change: NameChange) {
        self.unsynced.push(change);
    }

    /// Makes all durable.
    pub(crate) fn sync_all(&mut self) {
        let unsynced = std::mem::take(&mut self.unsynced);
        unsynced.into_iter().for_each(|change| self.make_durable(change));
    }

    /// A file or a folder is synced: the names in it become durable, and the one that it was made with.
    pub(crate) fn sync(&mut self, file: u64) {
        let mut wanted = vec![false; self.unsynced.len()];
        for (change, is_wanted) in self.unsynced.iter().zip(&mut wanted) {
            *is_wanted = change.iter().any(|edit| edit.folder == file);
        }
        let mut unknown = file;
        while !self.known.contains(&unknown) {
            let names =
                |change: &NameChange| change.iter().find(|edit| edit.file == Some(unknown)).map(|edit| edit.folder);
            let made = self.unsynced.iter().enumerate().find_map(|(at, change)| Some((at, names(change)?)));
            // One that was removed before it was synced has no name at all.
            let Some((at, folder)) = made else { break };
            wanted[at] = true;
            unknown = folder;
        }
        // What was done before to the same names comes along.
        let mut touched: HashSet<(u64, OsString)> = HashSet::new();
        for (change, is_wanted) in self.unsynced.iter().zip(&mut wanted).rev() {
            *is_wanted |= change.iter().any(|edit| touched.contains(&(edit.folder, edit.name.clone())));
            if *is_wanted {
                touched.extend(change.iter().map(|edit| (edit.folder, edit.name.clone())));
            }
        }
        let unsynced = std::mem::take(&mut self.unsynced);
        for (change, is_wanted) in unsynced.into_iter().zip(wanted) {
            if is_wanted {
                self.make_durable(change);
            } else {
                self.unsynced.push(change);
            }
        }
    }

    fn make_durable(&mut self, change: NameChange) {
        self.known.extend(change.iter().filter_map(|edit| edit.file));
        apply(&mut self.durable, change);
    }

    /// The durable names of all folders, with these changes beside.
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

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: u64 = 1;

    /// The durable names of the root and of folder 2, as text.
    fn durable(journal: &Journal) -> String {
        let names = journal.with([]);
        let of = |folder: u64| names.get(&folder).into_iter().flatten();
        let words = [ROOT, 2].into_iter().flat_map(|folder| {
            of(folder).map(move |(name, file)| format!("{folder}/{}={file}", name.to_string_lossy()))
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn journal(changes: &[&[Edit]]) -> Journal {
        let mut journal = Journal::new(ROOT);
        changes.iter().for_each(|change| journal.change(change.to_vec()));
        journal
    }

    fn at(name: &str) -> &OsStr {
        OsStr::new(name)
    }

    #[test]
    fn a_file_that_is_synced_is_found_where_it_was_made_with_the_folders_above() {
        let mut journal = journal(&[&[made(ROOT, at("d"), 2)], &[made(2, at("a"), 3)], &[made(2, at("b"), 4)]]);
        journal.sync(3);
        assert_eq!(durable(&journal), "1/d=2 2/a=3");
        journal.sync(2);
        assert_eq!(durable(&journal), "1/d=2 2/a=3 2/b=4");
    }

    #[test]
    fn a_name_that_was_removed_is_there_until_its_folder_is_synced() {
        let mut journal = journal(&[&[made(ROOT, at("journal"), 3)]]);
        journal.sync(3);
        journal.change(vec![removed(ROOT, at("journal"))]);
        journal.sync(3);
        assert_eq!(durable(&journal), "1/journal=3");
        journal.sync(ROOT);
        assert_eq!(durable(&journal), "");
    }

    #[test]
    fn a_rename_waits_for_one_of_its_folders_and_is_done_whole() {
        let moved = [removed(ROOT, at("new")), made(2, at("old"), 3)];
        let mut one =
            journal(&[&[made(ROOT, at("d"), 2)], &[made(2, at("old"), 4)], &[made(ROOT, at("new"), 3)], &moved]);
        one.sync(3);
        assert_eq!(durable(&one), "1/new=3", "the file is where it was made");
        one.sync(4);
        one.sync(2);
        assert_eq!(durable(&one), "1/d=2 2/old=3");
        assert!(one.unsynced.is_empty());
    }

    #[test]
    fn a_name_that_is_used_again_comes_with_what_was_before() {
        let mut journal = journal(&[
            &[made(ROOT, at("wal"), 3)],
            &[removed(ROOT, at("wal"))],
            &[made(ROOT, at("other"), 5)],
            &[made(ROOT, at("wal"), 4)],
        ]);
        journal.sync(4);
        assert_eq!(durable(&journal), "1/wal=4");
        assert_eq!(journal.unsynced.len(), 1, "the other waits");
        journal.sync_all();
        assert_eq!(durable(&journal), "1/other=5 1/wal=4");
    }

    #[test]
    fn a_file_without_a_name_can_be_synced() {
        let mut journal = journal(&[]);
        journal.sync(9);
        assert_eq!(durable(&journal), "");
    }
}
