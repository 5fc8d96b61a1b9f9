//! With the setting `sync_every_ms` the file that a store commits to is really synced, and without it not: the calls are
//! counted. This program has the C library's functions that sync. A loader takes a program's own functions before those of
//! libraries, so that a store's library calls them too, also one that is opened at run time.

#[allow(dead_code, reason = "a part of it is enough here")]
mod driver;

use std::collections::BTreeMap;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use driver::{job, library_of};
use kurabe_client::served::{Served, Window, Write};
use kurabe_protocol::{CallName, Job, Layout, ReplyOutcome, Schema};

/// Stores that have the setting, and how the name of the file ends that has what is committed.
const STORES: &[(&str, &str)] =
    &[("sqlite", "-wal"), ("rocksdb", ".log"), ("fjall", ".jnl"), ("redb", "data.redb"), ("libmdbx", "mdbx.dat")];
/// Longer than any sync takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// Files that were synced, each noted when its sync began.
static SYNCED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn note(fd: c_int) {
    let path = std::fs::read_link(format!("/proc/self/fd/{fd}")).unwrap_or_default();
    SYNCED.lock().unwrap_or_else(PoisonError::into_inner).push(path);
}

// SAFETY: both do what the C library's functions of these names do.
#[unsafe(no_mangle)]
extern "C" fn fdatasync(fd: c_int) -> c_int {
    note(fd);
    // SAFETY: a system call that takes a number.
    unsafe { libc::syscall(libc::SYS_fdatasync, fd) as c_int }
}

// SAFETY: as above.
#[unsafe(no_mangle)]
extern "C" fn fsync(fd: c_int) -> c_int {
    note(fd);
    // SAFETY: as above.
    unsafe { libc::syscall(libc::SYS_fsync, fd) as c_int }
}

/// How often a file in `folder` was synced whose name ends so.
fn syncs(folder: &Path, ending: &str) -> usize {
    let is_meant = |path: &&PathBuf| path.starts_with(folder) && path.display().to_string().ends_with(ending);
    SYNCED.lock().unwrap_or_else(PoisonError::into_inner).iter().filter(is_meant).count()
}

/// Settings of a durability setting of the store's descriptor.
fn settings(store: &str, durability: &str) -> BTreeMap<String, String> {
    let path = format!("{}/../../stores/{store}/store.toml", env!("CARGO_MANIFEST_DIR"));
    let descriptor: toml::Table = std::fs::read_to_string(path).expect("a descriptor").parse().expect("TOML");
    let all = descriptor["durability"].as_array().expect("settings");
    let meant = all.iter().find(|one| one["name"].as_str() == Some(durability)).expect("the setting");
    let texts = meant["settings"].as_table().expect("settings").iter();
    texts.map(|(name, value)| (name.clone(), value.as_str().expect("a text").to_string())).collect()
}

/// A job with these settings; `None` where the store's library is not here.
fn job_of(store: &str, folder: &Path, settings: BTreeMap<String, String>) -> Option<Job> {
    if let Err(missing) = library_of(store) {
        let required = std::env::var("KURABE_REQUIRE_STORES").is_ok_and(|value| value == "1");
        assert!(!required, "{missing}, but KURABE_REQUIRE_STORES is 1");
        println!("skipped: {missing}");
        return None;
    }
    let mut job = job(store, &Schema::key_value(100), 100, folder, Vec::new());
    job.settings.extend(settings);
    Some(job)
}

/// An empty store with a connection.
fn open(job: &Job) -> (Box<dyn Served>, Box<dyn Window>) {
    let registry = kurabe_embedded::registry();
    let store = kurabe_client::open_served(&registry, job).expect("opened");
    assert!(matches!(store.call(CallName::Create), ReplyOutcome::Ok(_)));
    let window = store.window().expect("connected");
    (store, window)
}

fn insert(window: &mut dyn Window, row: u32) -> Result<(), kurabe_client::StoreError> {
    let raw = vec![b'x'; Layout::new(&Schema::key_value(100)).len_bytes()];
    window.write(Write::Insert, row, &raw).map(|_| ())
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn what_is_committed_is_synced_soon_after_and_when_the_last_connection_is_gone() {
    for &(store, file) in STORES {
        let folder = tempfile::tempdir().expect("a folder");
        let Some(job) = job_of(store, folder.path(), settings(store, "synced-50ms")) else { continue };
        let (_store, mut window) = open(&job);
        for row in 0..3 {
            insert(&mut *window, row).expect("written");
            let before = syncs(folder.path(), file);
            wait_for(&format!("{store} syncs after row {row}"), || syncs(folder.path(), file) > before);
        }
        insert(&mut *window, 3).expect("written");
        let before = syncs(folder.path(), file);
        drop(window);
        assert!(syncs(folder.path(), file) > before, "{store}: the last sync");
    }
}

#[test]
fn without_the_setting_nothing_is_synced() {
    for &(store, file) in STORES {
        let folder = tempfile::tempdir().expect("a folder");
        let mut unsynced = settings(store, "synced-50ms");
        unsynced.remove("sync_every_ms").expect("the setting");
        let Some(job) = job_of(store, folder.path(), unsynced) else { continue };
        let (_store, mut window) = open(&job);
        // The first commit to a log that begins anew syncs its header.
        insert(&mut *window, 0).expect("written");
        let before = syncs(folder.path(), file);
        (1..4).for_each(|row| insert(&mut *window, row).expect("written"));
        std::thread::sleep(Duration::from_millis(200));
        assert_eq!(syncs(folder.path(), file), before, "{store}");
    }
}

#[test]
fn commits_to_sqlite_fail_where_a_reader_keeps_the_log_from_being_synced_too_long() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut job = job_of("sqlite", folder.path(), settings("sqlite", "synced-50ms")).expect("compiled in");
    job.limits.operation_ns = 300_000_000;
    let (store, mut window) = open(&job);
    insert(&mut *window, 0).expect("written");
    let before = syncs(folder.path(), "data.sqlite");
    wait_for("a whole checkpoint", || syncs(folder.path(), "data.sqlite") > before);
    let reader = rusqlite::Connection::open(folder.path().join("data.sqlite")).expect("opened");
    reader.execute_batch("BEGIN; SELECT count(*) FROM t").expect("a snapshot");
    let mut row = 0;
    let mut error = None;
    wait_for("a commit fails", || {
        row += 1;
        error = insert(&mut *window, row).err();
        error.is_some()
    });
    let told = error.expect("an error").to_string();
    assert!(told.starts_with("readers kept the write-ahead log from being synced"), "{told}");
    drop(reader);
    drop(window);
    assert!(store.window().is_err(), "what was not synced is not forgotten");
}
