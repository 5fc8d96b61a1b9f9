//! Which mount holds a folder, and which of its options bear on durability.

use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Options that change what a sync promises or costs; others are left out of the record.
const TELLING_OPTIONS: [&str; 11] = [
    "nobarrier",
    "barrier=0",
    "barrier=none",
    "volatile",
    "fsync=volatile",
    "fsync_mode=nobarrier",
    "data=writeback",
    "data=journal",
    "sync",
    "dirsync",
    "async",
];

/// The telling options of the mount that holds `path` (absolute, without links), sorted.
/// `mountinfo` is the text of /proc/self/mountinfo, whose columns proc_pid_mountinfo(5) explains.
pub(crate) fn telling_options(mountinfo: &str, path: &Path) -> Vec<String> {
    // A later mount on the same point hides the earlier one: the last of the longest wins.
    let deepest = mountinfo
        .lines()
        .filter_map(parse_line)
        .filter(|mount| path.starts_with(&mount.point))
        .max_by_key(|mount| mount.point.components().count());
    let mut options = deepest.map(|mount| mount.options).unwrap_or_default();
    options.sort();
    options.dedup();
    options
}

struct Mount {
    point: PathBuf,
    options: Vec<String>,
}

fn parse_line(line: &str) -> Option<Mount> {
    let (mount_part, super_part) = line.split_once(" - ")?;
    let mut columns = mount_part.split(' ');
    let point = unescape(columns.nth(4)?);
    let mount_options = columns.next()?;
    let super_options = super_part.split(' ').nth(2).unwrap_or_default();
    let options = mount_options
        .split(',')
        .chain(super_options.split(','))
        .filter(|option| TELLING_OPTIONS.contains(option))
        .map(str::to_owned)
        .collect();
    Some(Mount { point, options })
}

/// Undoes the kernel's escapes of space, tab, newline and backslash (`\040` and so on).
fn unescape(text: &str) -> PathBuf {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        match code.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) if bytes[at] == b'\\' => {
                plain.push(byte);
                at += 4;
            }
            _ => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(plain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MOUNTS: &str = "\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
40 27 254:1 / /srv/my\\040data rw,noatime - ext4 /dev/vdb rw,nobarrier,data=writeback
41 27 0:50 / /over rw - overlay overlay rw,lowerdir=/a,upperdir=/b,workdir=/c,volatile
42 41 0:51 / /over rw - tmpfs tmpfs rw";

    #[test]
    fn options_come_from_the_deepest_mount() {
        assert_eq!(telling_options(MOUNTS, Path::new("/srv/my data/run")), ["data=writeback", "nobarrier"]);
        assert_eq!(telling_options(MOUNTS, Path::new("/srv/other")), Vec::<String>::new());
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in "([0-9]{1,2} |/\\PC{0,6} |\\\\[0-9]{0,4}|- |rw,sync ?|\\PC|\n){0,40}") {
            let options = telling_options(&text, Path::new("/over/x"));
            prop_assert!(options.iter().all(|option| TELLING_OPTIONS.contains(&option.as_str())));
        }
    }

    #[test]
    fn a_later_mount_on_the_same_point_hides_the_earlier() {
        assert_eq!(telling_options(MOUNTS, Path::new("/over/x")), Vec::<String>::new());
        let only_overlay = MOUNTS.rsplit_once('\n').unwrap().0;
        assert_eq!(telling_options(only_overlay, Path::new("/over/x")), ["volatile"]);
    }
}
