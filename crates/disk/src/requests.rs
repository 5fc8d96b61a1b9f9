//! What the kernel asks, answered from the tree; after a cut with EIO.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo, LockOwner,
    OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen,
    ReplyStatfs, ReplyWrite, Request, TimeOrNow, WriteFlags,
};
use kurabe_record::DiskFault;

use crate::changes::{Change, File};
use crate::names::Names;
use crate::tree::{Attributes, Body, ROOT, Tree};

/// Everything changes through the kernel, so what it knows stays true.
const FOR_EVER: Duration = Duration::from_secs(86_400);
const NO_HANDLE: FileHandle = FileHandle(0);
const BLOCK_BYTES: u64 = 4096;
/// The unit of st_blocks, inode(7).
const STAT_BLOCK_BYTES: u64 = 512;
const LONGEST_NAME: u32 = 255;

/// What a write or a sync takes on a slow disk.
const SLOW: Duration = Duration::from_millis(200);

/// A tree that is gone once the power is cut. Who holds the lock makes everybody wait.
#[derive(Clone)]
pub(crate) struct Shared {
    tree: Arc<Mutex<Option<Tree>>>,
    fault: Arc<Mutex<Option<DiskFault>>>,
}

impl Shared {
    pub(crate) fn new(tree: Tree) -> Shared {
        Shared { tree: Arc::new(Mutex::new(Some(tree))), fault: Arc::default() }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, Option<Tree>> {
        // A request that panicked has changed nothing by halves that a reader could not see as well.
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on the disk fails so, or is whole.
    pub(crate) fn set_fault(&self, fault: Option<DiskFault>) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = fault;
        if let Some(tree) = self.lock().as_mut() {
            tree.fill(fault == Some(DiskFault::Full));
        }
    }

    fn fault(&self) -> Option<DiskFault> {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the tree where the disk lets it.
    fn change<T>(&self, work: impl FnOnce(&mut Tree) -> Result<T, Errno>) -> Result<T, Errno> {
        match self.fault() {
            Some(DiskFault::WriteError) => return Err(Errno::EIO),
            Some(DiskFault::ReadOnly) => return Err(Errno::EROFS),
            Some(DiskFault::Slow) => std::thread::sleep(SLOW),
            Some(DiskFault::Full | DiskFault::SyncError) | None => {}
        }
        self.with(work)
    }

    /// Syncs a file or a folder where the disk lets it.
    fn sync(&self, file: u64, is_data: bool) -> Result<(), Errno> {
        match self.fault() {
            Some(DiskFault::SyncError) => {
                return self.with(|tree| {
                    tree.fail_sync(file);
                    Err(Errno::EIO)
                });
            }
            Some(DiskFault::ReadOnly) => return Err(Errno::EROFS),
            Some(DiskFault::Slow) => std::thread::sleep(SLOW),
            Some(DiskFault::Full | DiskFault::WriteError) | None => {}
        }
        self.with(|tree| {
            tree.sync(file, is_data);
            Ok(())
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Tree) -> Result<T, Errno>) -> Result<T, Errno> {
        self.lock().as_mut().map_or(Err(Errno::EIO), work)
    }

    fn make(&self, folder: INodeNo, name: &OsStr, attributes: Attributes, body: Body) -> Result<FileAttr, Errno> {
        self.change(|tree| {
            let file = tree.make(folder.0, name, attributes, body)?;
            attributes_of(tree, file)
        })
    }
}

fn attributes_of(tree: &Tree, file: u64) -> Result<FileAttr, Errno> {
    let node = tree.node(file)?;
    let size = match &node.body {
        Body::File(file) => file.now.len(),
        Body::Link(target) => target.len() as u64,
        Body::Folder(_) | Body::Special(_) => 0,
    };
    let Attributes { mode, uid, gid, rdev, accessed, modified, changed } = node.attributes;
    Ok(FileAttr {
        ino: INodeNo(file),
        size,
        blocks: node.allocated_bytes() / STAT_BLOCK_BYTES,
        atime: accessed,
        mtime: modified,
        ctime: changed,
        crtime: changed,
        kind: node.kind(),
        perm: mode,
        nlink: node.names.max(u32::from(node.kind() == FileType::Directory) * 2),
        uid,
        gid,
        rdev,
        blksize: BLOCK_BYTES as u32,
        flags: 0,
    })
}

fn new_attributes(request: &Request, mode: u32, umask: u32, rdev: u32) -> Attributes {
    Attributes::new((mode & !umask & 0o7777) as u16, request.uid(), request.gid(), rdev)
}

fn answer_entry(answer: Result<FileAttr, Errno>, reply: ReplyEntry) {
    match answer {
        Ok(attributes) => reply.entry(&FOR_EVER, &attributes, Generation(0)),
        Err(error) => reply.error(error),
    }
}

fn answer_attributes(answer: Result<FileAttr, Errno>, reply: ReplyAttr) {
    match answer {
        Ok(attributes) => reply.attr(&FOR_EVER, &attributes),
        Err(error) => reply.error(error),
    }
}

fn answer_nothing(answer: Result<(), Errno>, reply: ReplyEmpty) {
    match answer {
        Ok(()) => reply.ok(),
        Err(error) => reply.error(error),
    }
}

fn moment(time: TimeOrNow) -> SystemTime {
    match time {
        TimeOrNow::SpecificTime(time) => time,
        TimeOrNow::Now => SystemTime::now(),
    }
}

impl Filesystem for Shared {
    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        answer_entry(self.with(|tree| attributes_of(tree, tree.lookup(parent.0, name)?)), reply);
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        answer_attributes(self.with(|tree| attributes_of(tree, ino.0)), reply);
    }

    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let answer = self.change(|tree| {
            if let Some(size) = size {
                tree.change(ino.0, Change::Resize(size))?;
            }
            let attributes = &mut tree.node_mut(ino.0)?.attributes;
            attributes.mode = mode.map_or(attributes.mode, |mode| (mode & 0o7777) as u16);
            attributes.uid = uid.unwrap_or(attributes.uid);
            attributes.gid = gid.unwrap_or(attributes.gid);
            attributes.accessed = atime.map_or(attributes.accessed, moment);
            attributes.modified = mtime.map_or(attributes.modified, moment);
            attributes.changed = SystemTime::now();
            attributes_of(tree, ino.0)
        });
        answer_attributes(answer, reply);
    }

    fn readlink(&self, _: &Request, ino: INodeNo, reply: ReplyData) {
        let target = self.with(|tree| match &tree.node(ino.0)?.body {
            Body::Link(target) => Ok(target.clone()),
            _ => Err(Errno::EINVAL),
        });
        match target {
            Ok(target) => reply.data(target.as_encoded_bytes()),
            Err(error) => reply.error(error),
        }
    }

    fn mknod(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        rdev: u32,
        reply: ReplyEntry,
    ) {
        let body = match mode & libc::S_IFMT {
            libc::S_IFREG => Body::File(File::default()),
            libc::S_IFSOCK => Body::Special(FileType::Socket),
            libc::S_IFIFO => Body::Special(FileType::NamedPipe),
            _ => return reply.error(Errno::EPERM),
        };
        answer_entry(self.make(parent, name, new_attributes(request, mode, umask, rdev), body), reply);
    }

    fn mkdir(&self, request: &Request, parent: INodeNo, name: &OsStr, mode: u32, umask: u32, reply: ReplyEntry) {
        let attributes = new_attributes(request, mode, umask, 0);
        answer_entry(self.make(parent, name, attributes, Body::Folder(Names::new())), reply);
    }

    fn unlink(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer_nothing(self.change(|tree| tree.unlink(parent.0, name)), reply);
    }

    fn rmdir(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        answer_nothing(self.change(|tree| tree.rmdir(parent.0, name)), reply);
    }

    fn symlink(&self, request: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let attributes = new_attributes(request, 0o777, 0, 0);
        answer_entry(self.make(parent, name, attributes, Body::Link(target.as_os_str().to_owned())), reply);
    }

    fn rename(
        &self,
        _: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        answer_nothing(self.change(|tree| tree.rename((parent.0, name), (newparent.0, newname), flags)), reply);
    }

    fn link(&self, _: &Request, ino: INodeNo, newparent: INodeNo, newname: &OsStr, reply: ReplyEntry) {
        let answer = self.change(|tree| {
            tree.link(ino.0, newparent.0, newname)?;
            attributes_of(tree, ino.0)
        });
        answer_entry(answer, reply);
    }

    fn open(&self, _: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        if self.fault() == Some(DiskFault::ReadOnly) && flags.0 & libc::O_ACCMODE != libc::O_RDONLY {
            return reply.error(Errno::EROFS);
        }
        match self.with(|tree| tree.open(ino.0)) {
            Ok(()) => reply.opened(NO_HANDLE, FopenFlags::FOPEN_KEEP_CACHE),
            Err(error) => reply.error(error),
        }
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.with(|tree| Ok(tree.file(ino.0)?.now.read(offset, size as usize))) {
            Ok(bytes) => reply.data(&bytes),
            Err(error) => reply.error(error),
        }
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        _: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match self.change(|tree| tree.change(ino.0, Change::Write { at: offset, bytes: data.to_vec() })) {
            Ok(()) => reply.written(data.len() as u32),
            Err(error) => reply.error(error),
        }
    }

    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        // What a file held back is written at its close; that syncs nothing.
        reply.ok();
    }

    fn release(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        _: OpenFlags,
        _: Option<LockOwner>,
        _: bool,
        reply: ReplyEmpty,
    ) {
        let closed = self.with(|tree| {
            tree.close(ino.0);
            Ok(())
        });
        answer_nothing(closed, reply);
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, is_data: bool, reply: ReplyEmpty) {
        answer_nothing(self.sync(ino.0, is_data), reply);
    }

    fn fsyncdir(&self, request: &Request, ino: INodeNo, handle: FileHandle, is_data: bool, reply: ReplyEmpty) {
        self.fsync(request, ino, handle, is_data, reply);
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let filled = self.with(|tree| {
            let itself = [(ino.0, FileType::Directory, OsStr::new(".")), (ROOT, FileType::Directory, OsStr::new(".."))];
            let inside = tree.names(ino.0)?.iter().filter_map(|(name, file)| {
                let node = tree.node(*file).ok()?;
                Some((*file, node.kind(), name.as_os_str()))
            });
            let all = itself.into_iter().chain(inside).zip(1..).skip(offset as usize);
            for ((file, kind, name), next) in all {
                if reply.add(INodeNo(file), next, kind, name) {
                    break;
                }
            }
            Ok(())
        });
        match filled {
            Ok(()) => reply.ok(),
            Err(error) => reply.error(error),
        }
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let counts = self.with(|tree| Ok((tree.room_bytes(), tree.used_bytes(), tree.count())));
        match counts {
            Ok((room, used, files)) => {
                let (blocks, free) = (room / BLOCK_BYTES, room.saturating_sub(used) / BLOCK_BYTES);
                let block = BLOCK_BYTES as u32;
                reply.statfs(blocks, free, free, files + free, free, block, LONGEST_NAME, block);
            }
            Err(error) => reply.error(error),
        }
    }

    fn create(
        &self,
        request: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        umask: u32,
        _: i32,
        reply: ReplyCreate,
    ) {
        let made = self.change(|tree| {
            let attributes = new_attributes(request, mode, umask, 0);
            let file = tree.make(parent.0, name, attributes, Body::File(File::default()))?;
            tree.open(file)?;
            attributes_of(tree, file)
        });
        match made {
            Ok(attributes) => {
                let flags = FopenFlags::FOPEN_KEEP_CACHE;
                reply.created(&FOR_EVER, &attributes, Generation(0), NO_HANDLE, flags);
            }
            Err(error) => reply.error(error),
        }
    }

    fn fallocate(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        answer_nothing(self.change(|tree| tree.allocate(ino.0, offset, length, mode)), reply);
    }
}
