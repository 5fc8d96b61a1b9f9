//! A disk that is really mounted, used by real processes. Needs root and /dev/fuse.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use kurabe_disk::Disk;
use kurabe_record::Unsynced;
use rustix::mm::{MapFlags, MsyncFlags, ProtFlags, mmap, msync, munmap};
use tempfile::TempDir;

const ROOM: u64 = 64 << 20;

/// A disk in a folder of its own; nothing where this machine cannot mount one, which is said.
fn disk() -> Option<(TempDir, Disk)> {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path().join("disk");
    fs::create_dir(&at).expect("a folder");
    match Disk::mount(&at, ROOM) {
        Ok(disk) => Some((folder, disk)),
        Err(error) if !Path::new("/dev/fuse").exists() || !rustix::process::geteuid().is_root() => {
            println!("no disk can be mounted here: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn cut(disk: &mut Disk, unsynced: Unsynced) {
    let cut = disk.cut(|| ());
    disk.restore(cut, unsynced, 1).expect("it is mounted again");
}

fn is_mounted(path: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/self/mounts").expect("a table of mounts");
    mounts.lines().any(|line| line.split(' ').nth(1) == path.to_str())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}

fn sync_folder(path: &Path) {
    File::open(path).and_then(|folder| folder.sync_all()).expect("a folder is synced");
}

#[test]
fn what_was_synced_is_there_after_a_cut_and_nothing_else() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().to_path_buf();
    let mut kept = File::create(at.join("kept")).expect("a file");
    kept.write_all(b"synced").and_then(|()| kept.sync_data()).expect("it is synced");
    kept.write_all(b" and not").expect("room");
    fs::write(at.join("lost"), "x").expect("room");
    assert_eq!(fs::read_to_string(at.join("kept")).ok().as_deref(), Some("synced and not"));
    drop(kept);
    cut(&mut disk, Unsynced::Dropped);
    assert_eq!(names(&at), ["kept"]);
    assert_eq!(fs::read_to_string(at.join("kept")).ok().as_deref(), Some("synced"));
}

#[test]
fn writes_through_a_descriptor_that_syncs_each_are_synced() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().join("log");
    for flag in [libc::O_DSYNC, libc::O_SYNC] {
        let mut log = OpenOptions::new().create(true).append(true).custom_flags(flag).open(&at).expect("a file");
        log.write_all(b"line\n").expect("room");
    }
    cut(&mut disk, Unsynced::Dropped);
    assert_eq!(fs::read_to_string(&at).ok().as_deref(), Some("line\nline\n"));
}

#[test]
fn mapped_memory_is_lost_unless_it_was_synced() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().join("map");
    for (is_synced, wanted) in [(true, b'b'), (false, b'a')] {
        let file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(&at).expect("a file");
        file.write_all_at(&[b'a'; 8192], 0).and_then(|()| file.sync_all()).expect("it is synced");
        // SAFETY: the mapping is of a file of that length, and used before it ends.
        unsafe {
            let flags = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
            let map = mmap(std::ptr::null_mut(), 8192, flags.0, flags.1, &file, 0).expect("a mapping");
            map.cast::<u8>().add(5000).write(b'b');
            if is_synced {
                msync(map, 8192, MsyncFlags::SYNC).expect("it is synced");
            }
            cut(&mut disk, Unsynced::Kept);
            munmap(map, 8192).expect("it was mapped");
        }
        let bytes = fs::read(&at).expect("it is there");
        assert_eq!((bytes.len(), bytes[5000] as char, bytes[4999]), (8192, wanted as char, b'a'));
        fs::remove_file(&at).expect("it is there");
    }
}

/// As a system does after some time, and as a harness does before it cuts.
#[test]
fn the_system_writes_mapped_memory_back_when_it_is_told_to() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().join("map");
    let file = OpenOptions::new().create_new(true).read(true).write(true).open(&at).expect("a file");
    file.set_len(4096).expect("room");
    // SAFETY: as above.
    let map = unsafe {
        mmap(std::ptr::null_mut(), 4096, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0).expect("a map")
    };
    // SAFETY: as above.
    unsafe { map.cast::<u8>().write(b'x') };
    disk.sync_all();
    cut(&mut disk, Unsynced::Dropped);
    assert_eq!(fs::read(&at).expect("it is there")[0], b'x');
    // SAFETY: as above.
    unsafe { munmap(map, 4096).expect("it was mapped") };
}

/// The gap of SQLite with a journal that is deleted, and how it is closed.
#[test]
fn a_removed_name_comes_back_until_its_folder_is_synced() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().to_path_buf();
    for is_synced in [false, true] {
        fs::write(at.join("journal"), "x").expect("room");
        sync_folder(&at);
        fs::remove_file(at.join("journal")).expect("it is there");
        if is_synced {
            sync_folder(&at);
        }
        cut(&mut disk, Unsynced::Dropped);
        assert_eq!(names(&at).is_empty(), is_synced, "{is_synced}");
    }
}

#[test]
fn writers_that_are_killed_at_a_cut_find_no_disk_and_those_after_it_do() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().join("log");
    for _ in 0..5 {
        let script = format!("while :; do echo line >>'{0}'; sync -d '{0}'; done", at.display());
        let mut writer = Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).spawn().expect("a shell");
        std::thread::sleep(Duration::from_millis(150));
        let before = fs::metadata(&at).expect("it was made").len();
        let cut = disk.cut(|| writer.kill().expect("it runs"));
        writer.wait().expect("it ends");
        assert!(fs::write(&at, "x").is_err(), "there is no power");
        let record = disk.restore(cut, Unsynced::Dropped, 1).expect("it is mounted again");
        assert!(record.writes <= 1, "{record:?}");
        let after = fs::read_to_string(&at).expect("it is there");
        assert!(after.len() as u64 + 5 >= before && after.lines().all(|line| line == "line"), "{after}");
    }
}

#[test]
fn it_is_a_file_system_as_any_other() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().to_path_buf();
    fs::create_dir_all(at.join("a/b")).expect("room");
    fs::write(at.join("a/b/file"), vec![7; 300_000]).expect("room");
    fs::hard_link(at.join("a/b/file"), at.join("a/second")).expect("it is there");
    symlink("b/file", at.join("a/link")).expect("a free name");
    assert_eq!(fs::metadata(at.join("a/second")).expect("it is there").nlink(), 2);
    assert_eq!(fs::read(at.join("a/link")).expect("it leads there").len(), 300_000);
    fs::rename(at.join("a/b"), at.join("c")).expect("it is there");
    assert_eq!(names(&at.join("a")), ["link", "second"]);
    assert_eq!(fs::remove_dir(at.join("c")).expect_err("it is not empty").raw_os_error(), Some(libc::ENOTEMPTY));

    let mut file = OpenOptions::new().read(true).write(true).open(at.join("c/file")).expect("it is there");
    rustix::fs::fallocate(&file, rustix::fs::FallocateFlags::empty(), 0, 400_000).expect("room");
    assert_eq!(file.seek(SeekFrom::End(0)).ok(), Some(400_000));
    file.set_len(10).expect("it is shorter");
    assert_eq!(fs::read(at.join("a/second")).expect("it is there"), [7; 10]);
    fs::remove_file(at.join("c/file")).expect("it is there");
    assert_eq!(file.metadata().expect("it is open").len(), 10, "one that is open outlives its name");
    drop(file);

    let many: Vec<PathBuf> = (0..2_000).map(|number| at.join(format!("c/a-name-of-some-length-{number:05}"))).collect();
    many.iter().for_each(|path| fs::write(path, "x").expect("room"));
    assert_eq!(names(&at.join("c")).len(), 2_000);
    let full = fs::write(at.join("big"), vec![1; ROOM as usize + 1]).expect_err("there is no room");
    assert_eq!(full.raw_os_error(), Some(libc::ENOSPC));
    cut(&mut disk, Unsynced::Kept);
    assert_eq!(names(&at.join("c")).len(), 2_000);
}

#[test]
fn a_disk_that_is_dropped_is_mounted_no_more_also_where_a_file_is_open() {
    let Some((_folder, mut disk)) = disk() else { return };
    let at = disk.path().to_path_buf();
    let mut open = File::create(at.join("open")).expect("a file");
    assert!(is_mounted(&at));
    cut(&mut disk, Unsynced::Kept);
    assert!(open.write_all(b"x").is_err(), "it is of the disk before");
    drop(disk);
    assert!(!is_mounted(&at));
    assert_eq!(names(&at), Vec::<String>::new());
}
