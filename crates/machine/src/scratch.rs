//! A small preallocated file whose one block is overwritten and synced: what a commit costs on this device.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rustix::fs::OFlags;

use crate::MachineError;

const BLOCK_BYTES: usize = 4096;

/// A block where writes past the page cache want it.
#[repr(align(4096))]
struct Block([u8; BLOCK_BYTES]);

/// The file; removed on drop.
pub(crate) struct Scratch {
    file: File,
    /// The same file, open for writes past the page cache.
    direct: Option<File>,
    path: PathBuf,
    writes: u64,
}

impl Scratch {
    pub(crate) fn create(dir: &Path) -> Result<Scratch, MachineError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = dir.join(format!(".kurabe-probe-{}-{number}", std::process::id()));
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&path)
            .map_err(|source| MachineError::io("create", &path, source))?;
        let scratch = Scratch { file, direct: None, path, writes: 0 };
        // Written and synced once, so that the timed overwrites change neither size nor extents.
        scratch.file.write_all_at(&[0; BLOCK_BYTES], 0).map_err(|source| scratch.error("write", source))?;
        scratch.file.sync_all().map_err(|source| scratch.error("sync", source))?;
        Ok(scratch)
    }

    /// Overwrites the block with bytes not written before and returns how long its fdatasync took, in ns. Fails once
    /// `interrupt` is set.
    pub(crate) fn timed_sync_ns(&mut self, interrupt: &AtomicBool) -> Result<u64, MachineError> {
        MachineError::unless(interrupt)?;
        let block = self.fresh_block();
        self.file.write_all_at(&block.0, 0).map_err(|source| self.error("write", source))?;
        let start = Instant::now();
        self.file.sync_data().map_err(|source| self.error("sync", source))?;
        Ok(start.elapsed().as_nanos() as u64)
    }

    /// Overwrites the block as [`Scratch::timed_sync_ns`] does, but past the page cache and synced by the write itself
    /// (`O_DIRECT`, `O_DSYNC`): a device may have a quicker way for that than a flush of all it holds. Returns how long
    /// the write took, in ns; `None` where the file system has no such writes.
    pub(crate) fn timed_direct_ns(&mut self) -> Option<u64> {
        let block = self.fresh_block();
        let flags = (OFlags::DIRECT | OFlags::DSYNC).bits() as i32;
        if self.direct.is_none() {
            self.direct = OpenOptions::new().write(true).custom_flags(flags).open(&self.path).ok();
        }
        let file = self.direct.as_ref()?;
        let start = Instant::now();
        file.write_all_at(&block.0, 0).ok()?;
        Some(start.elapsed().as_nanos() as u64)
    }

    /// Bytes that were not written before.
    fn fresh_block(&mut self) -> Block {
        self.writes += 1;
        Block(std::array::from_fn(|at| self.writes.wrapping_mul(at as u64 + 31) as u8))
    }

    fn error(&self, action: &'static str, source: std::io::Error) -> MachineError {
        MachineError::io(action, &self.path, source)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // The folder may be gone already together with the file; there is nothing left to clean then.
        let _ = fs::remove_file(&self.path);
    }
}

/// The value at rank ceil(share · n) of a sorted list (nearest-rank definition of a percentile).
pub(crate) fn nearest_rank(sorted: &[u64], share: f64) -> u64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_rank_follows_its_definition() {
        let sorted: Vec<u64> = (1..=64).collect();
        assert_eq!(nearest_rank(&sorted, 0.5), 32);
        assert_eq!(nearest_rank(&sorted, 0.9), 58);
        assert_eq!(nearest_rank(&[7], 0.5), 7);
    }

    #[test]
    fn a_scratch_file_is_gone_after_use() {
        let dir = tempfile::tempdir().unwrap();
        let mut scratch = Scratch::create(dir.path()).unwrap();
        scratch.timed_sync_ns(&AtomicBool::new(false)).unwrap();
        let interrupted = scratch.timed_sync_ns(&AtomicBool::new(true));
        assert!(matches!(interrupted, Err(MachineError::Interrupted)));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        drop(scratch);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
