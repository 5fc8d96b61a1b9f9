//! Kurabe is killed, and nothing is left of it.

mod common;

use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use common::{Killed, comes_true, open_folder, postgres, processes_in, processes_with, run_id, skip, start_helper};
use kurabe_service::{FolderLock, FolderLockError, Missing, ProcessId, find, usage};

/// By then everything must be gone.
const LIMIT: Duration = Duration::from_secs(5);

#[test]
fn a_killed_run_leaves_no_process_and_no_folder_and_hurts_nobody_else() {
    let dir = open_folder();
    let mut bystander = Killed(Command::new("sleep").arg("1000").spawn().unwrap());
    let run = run_id();
    let (victim, words) = start_helper(&["victim", &dir.path().display().to_string(), &run]);
    let mark = format!("KURABE_RUN={run}");
    let folder = Path::new(&words[0]);
    assert!(folder.join("data").exists());
    // The shell, its child, its child with a session of its own, and the orphan.
    assert!(comes_true(LIMIT, || processes_with(&mark).len() == 4), "{:?}", processes_with(&mark));

    drop(victim);
    let is_clean = comes_true(LIMIT, || processes_with(&mark).is_empty() && !folder.exists());
    assert!(is_clean, "{:?}", processes_with(&mark));
    assert!(bystander.0.try_wait().unwrap().is_none());
}

#[test]
fn the_guardian_ignores_the_signals_of_a_terminal() {
    let guardian = common::guardian();
    let pid = guardian.pid();
    for signal in ["-INT", "-TERM", "-HUP"] {
        assert!(Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
    }
    let scope = kurabe_service::Scope::new("/bin/true");
    let mut process = kurabe_service::spawn(&guardian, scope).unwrap();
    assert!(process.wait_timeout(LIMIT).unwrap().unwrap().success());
    assert!(kurabe_service::ProcessId::of(pid).is_some_and(|id| id.is_alive()));
    drop(process);
    drop(guardian);
    assert!(kurabe_service::ProcessId::of(pid).is_none_or(|id| !id.is_alive()));
}

#[test]
fn a_busy_backend_of_a_killed_run_is_found_without_parent_group_and_environment() {
    let spec = postgres();
    let guardian = common::guardian();
    let psql = match find(&spec, &Default::default(), &guardian) {
        Ok(found) => found.binaries["postgres"].with_file_name("psql"),
        Err(error @ Missing::Binary { .. }) => return skip("postgres", &error),
        Err(error) => panic!("{error}"),
    };
    let dir = open_folder();
    let spec = serde_json::to_string(&spec).unwrap();
    let (victim, words) = start_helper(&["victim-service", &dir.path().display().to_string(), &run_id(), &spec]);
    let folder = Path::new(&words[0]);
    // A query that never looks whether the main process still lives.
    let ask = |query: &str| {
        let mut command = Command::new(&psql);
        command.args(["-h", "127.0.0.1", "-p", &words[2], "-U", "postgres", "-c", query]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    // It accepts connections before it answers.
    assert!(comes_true(Duration::from_secs(60), || ask("select 1").status().unwrap().success()));
    let _client = Killed(ask("select count(*) from generate_series(1, 1e11)").spawn().unwrap());
    let backend = || processes_in(folder).into_iter().find(|id| title(id.pid).contains("SELECT"));
    // Deep in the query: before that it may still notice how its main process ends.
    let is_busy = || backend().and_then(|id| usage(id.pid).ok()).is_some_and(|usage| usage.cpu_ns > Some(300_000_000));
    assert!(comes_true(Duration::from_secs(60), is_busy));
    // Killed first, so that no parentage leads to the backend any more when the guardian looks.
    let main_process = ProcessId::of(words[1].parse().unwrap()).unwrap();
    assert!(Command::new("kill").args(["-KILL", &words[1]]).status().unwrap().success());
    assert!(comes_true(LIMIT, || !main_process.is_alive()) && is_busy());

    drop(victim);
    let is_clean = comes_true(LIMIT, || processes_in(folder).is_empty() && !folder.exists());
    assert!(is_clean, "{:?}", processes_in(folder));
}

fn title(pid: u32) -> String {
    String::from_utf8_lossy(&std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default()).into_owned()
}

#[test]
fn a_folder_has_one_owner_at_a_time() {
    let dir = open_folder();
    let (first, second) = (common::guardian(), common::guardian());
    let lock = FolderLock::take(dir.path(), "lock", &first).unwrap();
    match FolderLock::take(dir.path(), "lock", &second) {
        Err(FolderLockError::Taken { pid, .. }) => assert_eq!(pid, std::process::id()),
        other => panic!("{other:?}"),
    }
    drop(lock);
    drop(first);
    FolderLock::take(dir.path(), "lock", &second).unwrap();
}

#[test]
fn a_folder_is_free_only_when_the_guardian_of_its_dead_owner_is_done() {
    let dir = open_folder();
    let (first, second) = (common::guardian(), common::guardian());
    let lock = FolderLock::take(dir.path(), "lock", &first).unwrap();
    // As the guardian shares the lock, or will in a moment: the owner ends after it was told.
    let scope = kurabe_service::Scope::new("/bin/true");
    let mut gone = kurabe_service::spawn(&first, scope).unwrap();
    assert!(gone.wait_timeout(LIMIT).unwrap().unwrap().success());
    let file = std::fs::OpenOptions::new().write(true).open(dir.path().join("lock")).unwrap();
    file.write_all_at(format!("{}\n", gone.pid()).as_bytes(), 0).unwrap();
    drop(file);
    assert!(comes_true(LIMIT, || has_open(first.pid(), &dir.path().join("lock"))));
    drop(gone);
    drop(lock);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            is_over.store(true, Ordering::SeqCst);
            drop(first);
        });
        FolderLock::take(dir.path(), "lock", &second).unwrap();
        assert!(is_over.load(Ordering::SeqCst), "it was taken while the guardian held it");
    });
}

/// Whether a process has a file open.
fn has_open(pid: u32, path: &Path) -> bool {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().filter_map(Result::ok);
    open.filter_map(|entry| std::fs::read_link(entry.path()).ok()).any(|target| target == path)
}

#[test]
fn the_lock_of_a_folder_is_written_to_no_file_elsewhere() {
    let dir = open_folder();
    let letter = dir.path().join("letter");
    std::fs::write(&letter, "dear Anne").unwrap();
    std::os::unix::fs::symlink(&letter, dir.path().join("lock")).unwrap();
    let refused = FolderLock::take(dir.path(), "lock", &common::guardian());
    assert!(matches!(refused, Err(FolderLockError::System { .. })), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "dear Anne");
}
