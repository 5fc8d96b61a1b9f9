//! A small preallocated file whose one block is overwritten and synced: what a commit costs on this device.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::MachineError;

const BLOCK_BYTES: usize = 4096;

/// The file; removed on drop.
pub(crate) struct Scratch {
    file: File,
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
        let scratch = Scratch { file, path, writes: 0 };
        // Written and synced once, so that the timed overwrites change neither size nor extents.
        scratch.file.write_all_at(&[0; BLOCK_BYTES], 0).map_err(|source| scratch.error("write", source))?;
        scratch.file.sync_all().map_err(|source| scratch.error("sync", source))?;
        Ok(scratch)
    }

    /// Overwrites the block with bytes not written before and returns how long its fdatasync took, in ns.
    pub(crate) fn timed_sync_ns(&mut self) -> Result<u64, MachineError> {
        self.writes += 1;
        let block: [u8; BLOCK_BYTES] = std::array::from_fn(|at| self.writes.wrapping_mul(at as u64 + 31) as u8);
        self.file.write_all_at(&block, 0).map_err(|source| self.error("write", source))?;
        let start = Instant::now();
        self.file.sync_data().map_err(|source| self.error("sync", source))?;
        Ok(start.elapsed().as_nanos() as u64)
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
        scratch.timed_sync_ns().unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        drop(scratch);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
