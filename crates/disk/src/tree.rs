//! Files and folders in memory, as their users see them, beside what has reached the device.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::SystemTime;

use fuser::{Errno, FileType, RenameFlags};
use kurabe_record::{CutRecord, Unsynced};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::changes::{Change, File, prefix};
use crate::names::{Journal, Names, made, removed};

pub(crate) const ROOT: u64 = 1;

/// Of a file or a folder, whatever it holds. Not kept apart: a cut takes no mode, owner or time.
#[derive(Clone, Debug)]
pub(crate) struct Attributes {
    pub(crate) mode: u16,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) rdev: u32,
    pub(crate) accessed: SystemTime,
    pub(crate) modified: SystemTime,
    pub(crate) changed: SystemTime,
}

impl Attributes {
    pub(crate) fn new(mode: u16, uid: u32, gid: u32, rdev: u32) -> Attributes {
        let now = SystemTime::now();
        Attributes { mode, uid, gid, rdev, accessed: now, modified: now, changed: now }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    File(File),
    Folder(Names),
    Link(OsString),
    /// A socket or a pipe.
    Special(FileType),
}

#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) attributes: Attributes,
    pub(crate) body: Body,
    /// Names that it has.
    pub(crate) names: u32,
    /// How often it is open.
    opens: u64,
}

impl Node {
    fn new(attributes: Attributes, body: Body) -> Node {
        Node { attributes, body, names: 0, opens: 0 }
    }

    pub(crate) fn kind(&self) -> FileType {
        match &self.body {
            Body::File(_) => FileType::RegularFile,
            Body::Folder(_) => FileType::Directory,
            Body::Link(_) => FileType::Symlink,
            Body::Special(kind) => *kind,
        }
    }

    fn is_folder(&self) -> bool {
        matches!(self.body, Body::Folder(_))
    }

    pub(crate) fn allocated_bytes(&self) -> u64 {
        match &self.body {
            Body::File(file) => file.now.allocated_bytes(),
            _ => 0,
        }
    }

    fn touch(&mut self) {
        self.attributes.modified = SystemTime::now();
        self.attributes.changed = self.attributes.modified;
    }
}

/// A file system.
pub(crate) struct Tree {
    nodes: BTreeMap<u64, Node>,
    journal: Journal,
    next: u64,
    /// Of all contents that users see.
    used_bytes: u64,
    /// Since all was synced.
    syncs: u64,
    room_bytes: u64,
    /// The room while it is full.
    full_at_bytes: Option<u64>,
}

impl Tree {
    /// An empty one.
    pub(crate) fn new(room_bytes: u64) -> Tree {
        let user = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Tree::rooted(Attributes::new(0o755, user.0, user.1, 0), ROOT + 1, room_bytes)
    }

    fn rooted(attributes: Attributes, next: u64, room_bytes: u64) -> Tree {
        let root = Node { names: 1, ..Node::new(attributes, Body::Folder(Names::new())) };
        Tree {
            nodes: BTreeMap::from([(ROOT, root)]),
            journal: Journal::default(),
            next,
            used_bytes: 0,
            syncs: 0,
            room_bytes,
            full_at_bytes: None,
        }
    }

    pub(crate) fn node(&self, file: u64) -> Result<&Node, Errno> {
        self.nodes.get(&file).ok_or(Errno::ENOENT)
    }

    pub(crate) fn node_mut(&mut self, file: u64) -> Result<&mut Node, Errno> {
        self.nodes.get_mut(&file).ok_or(Errno::ENOENT)
    }

    pub(crate) fn names(&self, folder: u64) -> Result<&Names, Errno> {
        match &self.node(folder)?.body {
            Body::Folder(names) => Ok(names),
            _ => Err(Errno::ENOTDIR),
        }
    }

    fn names_mut(&mut self, folder: u64) -> Result<&mut Names, Errno> {
        let node = self.node_mut(folder)?;
        node.touch();
        match &mut node.body {
            Body::Folder(names) => Ok(names),
            _ => Err(Errno::ENOTDIR),
        }
    }

    pub(crate) fn lookup(&self, folder: u64, name: &OsStr) -> Result<u64, Errno> {
        self.names(folder)?.get(name).copied().ok_or(Errno::ENOENT)
    }

    fn must_be_free(&self, folder: u64, name: &OsStr) -> Result<(), Errno> {
        if self.names(folder)?.contains_key(name) { Err(Errno::EEXIST) } else { Ok(()) }
    }

    /// Makes a file, a folder or whatever `body` is; returns its number.
    pub(crate) fn make(&mut self, folder: u64, name: &OsStr, attributes: Attributes, body: Body) -> Result<u64, Errno> {
        self.must_be_free(folder, name)?;
        let file = self.next;
        self.next += 1;
        self.nodes.insert(file, Node::new(attributes, body));
        self.name(folder, name, file)?;
        Ok(file)
    }

    fn name(&mut self, folder: u64, name: &OsStr, file: u64) -> Result<(), Errno> {
        self.names_mut(folder)?.insert(name.to_owned(), file);
        self.node_mut(file)?.names += 1;
        self.journal.change(vec![made(folder, name, file)]);
        Ok(())
    }

    /// Gives a file one more name.
    pub(crate) fn link(&mut self, file: u64, folder: u64, name: &OsStr) -> Result<(), Errno> {
        self.must_be_free(folder, name)?;
        if self.node(file)?.is_folder() {
            return Err(Errno::EPERM);
        }
        self.name(folder, name, file)
    }

    /// Removes the name of something that is no folder.
    pub(crate) fn unlink(&mut self, folder: u64, name: &OsStr) -> Result<(), Errno> {
        let file = self.lookup(folder, name)?;
        if self.node(file)?.is_folder() {
            return Err(Errno::EISDIR);
        }
        self.forget_name(folder, name, file)?;
        self.journal.change(vec![removed(folder, name)]);
        self.free(file);
        Ok(())
    }

    /// Gives the room of a file back that nobody can reach any more.
    fn free(&mut self, file: u64) {
        let Some(node) = self.nodes.get_mut(&file).filter(|node| node.names == 0 && node.opens == 0) else { return };
        let bytes = node.allocated_bytes();
        if let Body::File(file) = &mut node.body {
            file.free();
            self.used_bytes -= bytes;
        }
    }

    fn forget_name(&mut self, folder: u64, name: &OsStr, file: u64) -> Result<(), Errno> {
        self.names_mut(folder)?.remove(name);
        let node = self.node_mut(file)?;
        node.names = node.names.saturating_sub(1);
        node.attributes.changed = SystemTime::now();
        Ok(())
    }

    fn must_be_empty(&self, folder: u64) -> Result<(), Errno> {
        if self.names(folder)?.is_empty() { Ok(()) } else { Err(Errno::ENOTEMPTY) }
    }

    /// Removes an empty folder.
    pub(crate) fn rmdir(&mut self, folder: u64, name: &OsStr) -> Result<(), Errno> {
        let inner = self.lookup(folder, name)?;
        self.must_be_empty(inner)?;
        self.forget_name(folder, name, inner)?;
        self.journal.change(vec![removed(folder, name)]);
        Ok(())
    }

    /// Renames, as renameat2(2).
    pub(crate) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr), flags: RenameFlags) -> Result<(), Errno> {
        let file = self.lookup(from.0, from.1)?;
        let there = self.names(to.0)?.get(to.1).copied();
        if flags == RenameFlags::RENAME_EXCHANGE {
            let other = there.ok_or(Errno::ENOENT)?;
            self.names_mut(from.0)?.insert(from.1.to_owned(), other);
            self.names_mut(to.0)?.insert(to.1.to_owned(), file);
            self.journal.change(vec![made(from.0, from.1, other), made(to.0, to.1, file)]);
            return Ok(());
        }
        if !(flags - RenameFlags::RENAME_NOREPLACE).is_empty() {
            return Err(Errno::EINVAL);
        }
        if let Some(there) = there {
            if flags.contains(RenameFlags::RENAME_NOREPLACE) {
                return Err(Errno::EEXIST);
            }
            if there == file {
                return Ok(());
            }
            match (self.node(file)?.is_folder(), self.node(there)?.is_folder()) {
                (true, true) => self.must_be_empty(there)?,
                (true, false) => return Err(Errno::ENOTDIR),
                (false, true) => return Err(Errno::EISDIR),
                (false, false) => {}
            }
            self.forget_name(to.0, to.1, there)?;
            self.free(there);
        }
        self.names_mut(from.0)?.remove(from.1);
        self.names_mut(to.0)?.insert(to.1.to_owned(), file);
        self.journal.change(vec![removed(from.0, from.1), made(to.0, to.1, file)]);
        Ok(())
    }

    pub(crate) fn file(&self, file: u64) -> Result<&File, Errno> {
        match &self.node(file)?.body {
            Body::File(file) => Ok(file),
            Body::Folder(_) => Err(Errno::EISDIR),
            _ => Err(Errno::EINVAL),
        }
    }

    /// Changes the content of a file.
    ///
    /// # Errors
    /// `ENOSPC` where there is no room.
    pub(crate) fn change(&mut self, file: u64, change: Change) -> Result<(), Errno> {
        let growth_bytes = change.growth_bytes(&self.file(file)?.now);
        if growth_bytes > 0 && self.used_bytes + growth_bytes > self.room_bytes() {
            return Err(Errno::ENOSPC);
        }
        let node = self.node_mut(file)?;
        let Body::File(content) = &mut node.body else { return Err(Errno::EINVAL) };
        let before = content.now.allocated_bytes();
        content.change(change);
        let after = content.now.allocated_bytes();
        node.touch();
        self.used_bytes = self.used_bytes + after - before;
        Ok(())
    }

    /// From now on there is no more room than is taken; `false` gives back what there was.
    pub(crate) fn fill(&mut self, is_full: bool) {
        self.full_at_bytes = is_full.then_some(self.used_bytes);
    }

    /// Where a write finds no room any more.
    pub(crate) fn room_bytes(&self) -> u64 {
        self.full_at_bytes.map_or(self.room_bytes, |full| full.min(self.room_bytes))
    }

    /// Reserves room in a file, or makes some of it zeros: fallocate(2).
    pub(crate) fn allocate(&mut self, file: u64, at: u64, len: u64, mode: i32) -> Result<(), Errno> {
        let before = self.file(file)?.now.len();
        let keeps_size = mode & libc::FALLOC_FL_KEEP_SIZE != 0;
        match mode & !libc::FALLOC_FL_KEEP_SIZE {
            0 => self.change(file, Change::Allocate { at, len })?,
            libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_ZERO_RANGE => self.change(file, Change::Zero { at, len })?,
            _ => return Err(Errno::EOPNOTSUPP),
        }
        let is_longer = at.saturating_add(len) > before;
        if is_longer && !keeps_size { self.change(file, Change::Resize(at + len)) } else { Ok(()) }
    }

    pub(crate) fn open(&mut self, file: u64) -> Result<(), Errno> {
        self.node_mut(file)?.opens += 1;
        Ok(())
    }

    pub(crate) fn close(&mut self, file: u64) {
        if let Some(node) = self.nodes.get_mut(&file) {
            node.opens = node.opens.saturating_sub(1);
        }
        self.free(file);
    }

    pub(crate) fn used_bytes(&self) -> u64 {
        self.used_bytes
    }

    pub(crate) fn count(&self) -> u64 {
        self.nodes.len() as u64
    }

    /// A file or a folder is synced; `is_data` for fdatasync, and for writes that sync themselves.
    pub(crate) fn sync(&mut self, file: u64, is_data: bool) {
        self.syncs += 1;
        let writes_journal = match self.nodes.get_mut(&file).map(|node| &mut node.body) {
            Some(Body::File(file)) => file.sync(is_data),
            _ => true,
        };
        if writes_journal || self.journal.names(file) {
            self.journal.sync();
        }
    }

    /// A sync of a file fails: what it was to write is lost to the device. Names stay in the journal.
    pub(crate) fn fail_sync(&mut self, file: u64) {
        if let Some(Body::File(file)) = self.nodes.get_mut(&file).map(|node| &mut node.body) {
            file.fail_sync();
        }
    }

    /// Everything is synced, and what nobody can reach any more is gone.
    pub(crate) fn sync_all(&mut self) {
        for node in self.nodes.values_mut() {
            if let Body::File(file) = &mut node.body {
                file.sync(false);
            }
        }
        self.journal.sync();
        self.syncs = 0;
        let mentioned = self.journal.mentioned();
        self.nodes.retain(|file, node| *file == ROOT || node.names > 0 || node.opens > 0 || mentioned.contains(file));
        self.used_bytes = self.nodes.values().map(Node::allocated_bytes).sum();
    }

    /// What is left when the power is cut now, and what was not synced by then. `seed` draws what is left to chance.
    pub(crate) fn after_cut(&self, unsynced: Unsynced, seed: u64) -> (Tree, CutRecord) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let names = self.journal.with(prefix(&self.journal.unsynced, unsynced, &mut random));
        let root = self.nodes[&ROOT].attributes.clone();
        let mut tree = Tree::rooted(root, self.next, self.room_bytes);
        let mut folders = vec![ROOT];
        while let Some(folder) = folders.pop() {
            for (name, file) in names.get(&folder).into_iter().flatten() {
                let Some(node) = self.nodes.get(file) else { continue };
                if !tree.nodes.contains_key(file) {
                    let body = match &node.body {
                        Body::File(file) => Body::File(file.after_cut(unsynced, &mut random)),
                        Body::Folder(_) => Body::Folder(Names::new()),
                        other => other.clone(),
                    };
                    tree.nodes.insert(*file, Node::new(node.attributes.clone(), body));
                    folders.extend(node.is_folder().then_some(*file));
                } else if node.is_folder() {
                    // A folder has one place.
                    continue;
                }
                // Both are there: the folder was made above, the file just now.
                let _ = tree.name(folder, name, *file);
            }
        }
        tree.sync_all();
        (tree, self.cut_record(unsynced))
    }

    fn cut_record(&self, unsynced: Unsynced) -> CutRecord {
        let mut record =
            CutRecord { unsynced, writes: 0, bytes: 0, names: self.journal.unsynced.len() as u64, syncs: self.syncs };
        for node in self.nodes.values() {
            if let Body::File(file) = &node.body {
                let (writes, bytes) = file.unsynced();
                record.writes += writes;
                record.bytes += bytes;
            }
        }
        record
    }
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
