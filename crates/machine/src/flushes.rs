//! How often the kernel told a disk to empty its cache: what nobody who answers before a sync can have caused.

use std::fs;
use std::path::{Path, PathBuf};

use crate::device::block_folder;

/// The flushes of the disk under a folder: the 16th number of its `stat` (Documentation/admin-guide/iostats.rst, Linux 5.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceFlushes {
    stat: PathBuf,
}

impl DeviceFlushes {
    /// Those of the disk under `dir`; `None` where its file system has no disk of its own, and where the disk says that it
    /// has no cache to empty (`write through`): the kernel sends it no flushes. Flushes are counted of whole disks.
    pub fn of(dir: &Path) -> Option<DeviceFlushes> {
        let folder = block_folder(dir)?;
        let is_partition = folder.join("partition").exists();
        let disk = if is_partition { folder.parent()? } else { &folder };
        let cache = fs::read_to_string(disk.join("queue/write_cache")).unwrap_or_default();
        (!is_write_through(&cache)).then(|| DeviceFlushes { stat: disk.join("stat") })
    }

    /// How many there were up to now; `None` where the system does not tell.
    pub fn count(&self) -> Option<u64> {
        parse(&fs::read_to_string(&self.stat).ok()?)
    }
}

/// Whether a disk's `queue/write_cache` says that writes are kept when they are answered
/// (Documentation/ABI/stable/sysfs-block).
fn is_write_through(write_cache: &str) -> bool {
    write_cache.trim() == "write through"
}

fn parse(stat: &str) -> Option<u64> {
    stat.split_whitespace().nth(15)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_a_cache_to_empty_counts_no_flushes() {
        assert!(is_write_through("write through\n"));
        assert!(!is_write_through("write back\n") && !is_write_through(""));
    }

    #[test]
    fn flushes_are_the_sixteenth_number() {
        let text =
            "  106583 12990 5485914 75376 32457 82341 12931936 64862 0 17440 141805 10774 54 1526264 1434 3365 132\n";
        assert_eq!(parse(text), Some(3365));
        assert_eq!(parse("1 2 3 4 5 6 7 8 9 10 11\n"), None, "of an older kernel");
    }
}
