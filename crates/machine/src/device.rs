use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use kurabe_messages::{Message, message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MachineError;
use crate::mounts::telling_options;
use crate::scratch::{Scratch, nearest_rank};

/// Syncs of one probe.
const SYNCS: usize = 64;

/// A median below this is not a device that waits for its medium. A proposal, not a law: a fast drive with
/// power-loss protection has not been measured against it.
const SYNC_FLOOR_NS: u64 = 10_000;

/// What stands under a folder: the file system and what a sync costs there.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, PartialEq)]
pub struct DeviceProbe {
    /// The file system's name, or its magic number in hexadecimal where the name is not known.
    pub file_system: String,
    /// Mount options that bear on durability, sorted; empty where none is set.
    pub mount_options: Vec<String>,
    /// What the kernel calls the block device under the file system, as in "nvme0n1p2"; absent where it has none of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block_device: Option<String>,
    /// What tells this file system from another of its kind (`f_fsid` of statfs(2), in hexadecimal); absent where there is
    /// no such thing, or it is new with every mount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_system_id: Option<String>,
    /// Space that an ordinary user may still fill.
    pub free_bytes: u64,
    /// Median time of an fdatasync after a changed 4 KiB block.
    pub fdatasync_ns_p50: u64,
    /// 90th percentile (nearest rank) of the same.
    pub fdatasync_ns_p90: u64,
    /// The longest of the same.
    pub fdatasync_ns_max: u64,
    /// All of them in the order of measurement.
    pub fdatasync_ns_samples: Vec<u64>,
}

/// Whether a claim to survive a power loss can hold in a folder.
#[derive(Serialize, JsonSchema, Clone, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum PowerVerdict {
    /// Nothing speaks against it (which is no proof: a drive may ignore flushes and be slow).
    Plausible,
    /// The claim would be void.
    Refused {
        /// Why, and what to do.
        reason: Message,
    },
}

impl DeviceProbe {
    /// Looks at the file system of `dir` and times 64 syncs of a changed block in a file that is deleted afterwards.
    ///
    /// Fails where `dir` does not exist or a file cannot be made in it, and once `interrupt` is set.
    pub fn run(dir: &Path, interrupt: &AtomicBool) -> Result<DeviceProbe, MachineError> {
        let real_dir = dir.canonicalize().map_err(|source| MachineError::io("find", dir, source))?;
        let stat = rustix::fs::statfs(&real_dir).map_err(|errno| MachineError::io("examine", dir, errno))?;
        let mountinfo = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let mut scratch = Scratch::create(&real_dir)?;
        let samples =
            (0..SYNCS).map(|_| scratch.timed_sync_ns(interrupt)).collect::<Result<Vec<u64>, MachineError>>()?;
        let mut sorted = samples.clone();
        sorted.sort_unstable();
        let file_system = file_system_name(stat.f_type as u64);
        Ok(DeviceProbe {
            block_device: block_device(&real_dir),
            file_system_id: file_system_id(&file_system, &real_dir),
            file_system,
            mount_options: telling_options(&mountinfo, &real_dir),
            free_bytes: stat.f_bavail as u64 * stat.f_bsize as u64,
            fdatasync_ns_p50: nearest_rank(&sorted, 0.5),
            fdatasync_ns_p90: nearest_rank(&sorted, 0.9),
            fdatasync_ns_max: sorted[SYNCS - 1],
            fdatasync_ns_samples: samples,
        })
    }

    /// Judges whether durability `power` may be claimed for data in the probed folder.
    pub fn power_verdict(&self) -> PowerVerdict {
        let reason = if ["tmpfs", "ramfs"].contains(&self.file_system.as_str()) {
            message!(device_in_memory, file_system = &self.file_system)
        } else if let Some(option) = self.mount_options.iter().find(|option| gives_up_flushes(option)) {
            message!(device_ignores_flushes, option)
        } else if self.fdatasync_ns_p50 < SYNC_FLOOR_NS {
            message!(device_sync_too_fast, median = self.fdatasync_ns_p50, least = SYNC_FLOOR_NS)
        } else {
            return PowerVerdict::Plausible;
        };
        PowerVerdict::Refused { reason: message!(device_refused, reason) }
    }
}

fn gives_up_flushes(option: &str) -> bool {
    ["nobarrier", "barrier=0", "barrier=none", "volatile", "fsync=volatile", "fsync_mode=nobarrier"].contains(&option)
}

/// The folder of /sys for the block device under `dir`; `None` where the file system has none of its own.
pub(crate) fn block_folder(dir: &Path) -> Option<PathBuf> {
    let device = fs::metadata(dir).ok()?.dev();
    let (major, minor) = (rustix::fs::major(device), rustix::fs::minor(device));
    fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).ok()
}

fn block_device(dir: &Path) -> Option<String> {
    Some(block_folder(dir)?.file_name()?.to_string_lossy().into_owned())
}

/// File systems in memory are alike, and those of containers are made anew with each: neither has an identity.
fn file_system_id(file_system: &str, dir: &Path) -> Option<String> {
    if ["tmpfs", "ramfs", "overlay"].contains(&file_system) {
        return None;
    }
    let id = rustix::fs::statvfs(dir).ok()?.f_fsid;
    (id != 0).then(|| format!("{id:x}"))
}

/// The name that belongs to the magic number which statfs(2) gives; ext2, ext3 and ext4 share one.
fn file_system_name(magic: u64) -> String {
    let name = match magic & 0xffff_ffff {
        0xef53 => "ext4/ext2/ext3",
        0x5846_5342 => "xfs",
        0x9123_683e => "btrfs",
        0x0102_1994 => "tmpfs",
        0x8584_58f6 => "ramfs",
        0x794c_7630 => "overlay",
        0x2fc1_2fc1 => "zfs",
        0xf2f5_2010 => "f2fs",
        0x6969 => "nfs",
        0xca45_1a4e => "bcachefs",
        0x6573_5546 => "fuse",
        0x5346_544e => "ntfs",
        0x0102_1997 => "9p",
        0xff53_4d42 => "cifs",
        0xfe53_4d42 => "smb2",
        0x00c3_6400 => "ceph",
        0x4d44 => "vfat",
        0x2011_bab0 => "exfat",
        0x3153_464a => "jfs",
        0x5265_4973 => "reiserfs",
        other => return format!("{other:#x}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(file_system: &str, options: &[&str], median_ns: u64) -> DeviceProbe {
        DeviceProbe {
            file_system: file_system.to_owned(),
            mount_options: options.iter().map(|option| (*option).to_owned()).collect(),
            block_device: None,
            file_system_id: None,
            free_bytes: 1,
            fdatasync_ns_p50: median_ns,
            fdatasync_ns_p90: median_ns,
            fdatasync_ns_max: median_ns,
            fdatasync_ns_samples: vec![median_ns],
        }
    }

    fn reason(probe: &DeviceProbe) -> String {
        match probe.power_verdict() {
            PowerVerdict::Refused { reason } => reason.to_string(),
            PowerVerdict::Plausible => String::new(),
        }
    }

    #[test]
    fn a_slow_disk_is_plausible() {
        assert_eq!(probe("ext4/ext2/ext3", &["data=writeback"], 10_000).power_verdict(), PowerVerdict::Plausible);
    }

    #[test]
    fn memory_is_refused_however_slow_it_is() {
        assert!(reason(&probe("tmpfs", &[], 1_000_000)).contains("'tmpfs' keeps its files in memory"));
        assert!(reason(&probe("ramfs", &[], 1_000_000)).contains("'ramfs' keeps its files in memory"));
    }

    #[test]
    fn mounts_that_give_up_flushes_are_refused_by_name() {
        assert!(reason(&probe("overlay", &["volatile"], 1_000_000)).contains("'volatile'"));
        assert!(reason(&probe("xfs", &["nobarrier"], 1_000_000)).contains("'nobarrier'"));
    }

    #[test]
    fn a_sync_too_fast_to_be_true_is_refused() {
        assert!(reason(&probe("ext4/ext2/ext3", &[], 9_999)).contains("9,999 ns"));
    }

    #[test]
    fn file_systems_are_named_by_their_magic_number() {
        assert_eq!(file_system_name(0xef53), "ext4/ext2/ext3");
        assert_eq!(file_system_name(0x0102_1994), "tmpfs");
        assert_eq!(file_system_name(0x1234), "0x1234");
    }
}
