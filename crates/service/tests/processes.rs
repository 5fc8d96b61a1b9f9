//! Real processes: trees, hidden grandchildren, users, signals, usage.

mod common;

use std::io::{BufRead, BufReader, Read};
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use common::{HELPER, comes_true, guardian, open_folder, processes_with, public_helper};
use kurabe_service::{
    EndedBy, FolderAccess, Guardian, GuardianError, MemoryMethod, PeakReset, Process, RunFolder, Scope, Signal, Stream,
    UsageError, reset_peak, spawn, usage,
};

/// Starts a shell script and waits for its first line.
fn shell(guardian: &Guardian, script: &str) -> (Process, BufReader<std::process::ChildStdout>, String) {
    let scope = Scope { stdout: Stream::Piped, ..Scope::new("/bin/sh").args(["-c", script]) };
    let mut process = spawn(guardian, scope).unwrap();
    let mut output = BufReader::new(process.take_stdout().unwrap());
    let mut line = String::new();
    output.read_line(&mut line).unwrap();
    (process, output, line.trim().to_owned())
}

fn is_running(pid: &str) -> bool {
    kurabe_service::ProcessId::of(pid.parse().unwrap()).is_some_and(|id| id.is_alive())
}

#[test]
fn a_tree_is_killed_as_a_whole() {
    let guardian = guardian();
    let (mut process, _output, child) = shell(&guardian, "sleep 1000 & echo $!; wait");
    assert!(is_running(&child));
    assert_eq!(process.kill_tree().unwrap(), 2);
    assert!(!is_running(&child));
    assert_eq!(process.kill_tree().unwrap(), 0);
}

#[test]
fn a_grandchild_in_a_session_of_its_own_is_found_by_its_environment() {
    let guardian = guardian();
    let script = "(setsid sh -c 'echo $$; exec sleep 1000' &) ; sleep 1000";
    let (mut process, _output, orphan) = shell(&guardian, script);
    let parent_of = |pid: &str| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1).map(str::to_owned))
    };
    let shell_pid = process.pid().to_string();
    assert!(comes_true(Duration::from_secs(10), || parent_of(&orphan).is_some_and(|parent| parent != shell_pid)));
    process.kill_tree().unwrap();
    assert!(!is_running(&orphan));
}

#[test]
fn a_dropped_process_is_gone_with_its_children() {
    let guardian = guardian();
    let (process, _output, child) = shell(&guardian, "sleep 1000 & echo $!; wait");
    drop(process);
    assert!(!is_running(&child));
    assert_eq!(processes_with(&format!("KURABE_RUN={}", guardian.run_id())), Vec::<u32>::new());
}

#[test]
fn killing_one_process_leaves_another_of_the_same_run_alone() {
    let guardian = guardian();
    let (mut first, _first_output, _) = shell(&guardian, "sleep 1000 & echo $!; wait");
    let (mut second, _second_output, child) = shell(&guardian, "sleep 1000 & echo $!; wait");
    first.kill_tree().unwrap();
    assert!(is_running(&child) && second.try_wait().unwrap().is_none());
}

#[test]
fn a_stop_says_how_the_process_ended() {
    let guardian = guardian();
    let grace = Duration::from_secs(20);
    let (mut polite, _output, _) = shell(&guardian, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done");
    let ended = polite.stop(Signal::TERM, grace).unwrap();
    assert_eq!((ended.by, ended.status.code()), (EndedBy::Signal, Some(7)));

    let (mut deaf, _output, _) = shell(&guardian, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
    let ended = deaf.stop(Signal::TERM, Duration::from_millis(100)).unwrap();
    assert_eq!((ended.by, ended.status.code()), (EndedBy::Kill, None));

    let (mut quick, _output, _) = shell(&guardian, "echo ready; exit 3");
    assert!(quick.wait_timeout(grace).unwrap().is_some());
    let ended = quick.stop(Signal::TERM, grace).unwrap();
    assert_eq!((ended.by, ended.status.code()), (EndedBy::Itself, Some(3)));
    assert!(!quick.signal(Signal::TERM).unwrap());
}

#[test]
fn a_stop_kills_what_a_graceful_parent_left_behind() {
    let guardian = guardian();
    let (mut process, _output, child) =
        shell(&guardian, "trap 'exit 0' INT; setsid sleep 1000 & echo $!; while :; do sleep 0.01; done");
    let ended = process.stop(Signal::INT, Duration::from_secs(20)).unwrap();
    assert_eq!((ended.by, ended.stragglers), (EndedBy::Signal, 1));
    assert!(!is_running(&child));
}

#[test]
fn streams_lead_to_files_and_variables_arrive() {
    let guardian = guardian();
    let folder = open_folder();
    let path = folder.path().join("out");
    std::fs::write(&path, "before\n").unwrap();
    let scope = Scope {
        env: vec![("FRUIT".into(), "plum".into())],
        cwd: Some(folder.path().to_path_buf()),
        stdout: Stream::File(path.clone()),
        ..Scope::new("/bin/sh").args(["-c", "echo $FRUIT $KURABE_RUN; pwd"])
    };
    let status = spawn(&guardian, scope).unwrap().wait_timeout(Duration::from_secs(20)).unwrap().unwrap();
    assert!(status.success());
    let expected = format!("before\nplum {}\n{}\n", guardian.run_id(), folder.path().display());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let guardian = guardian();
    let error = spawn(&guardian, Scope::new("/no/such/program")).unwrap_err();
    assert!(error.to_string().contains("'/no/such/program'"), "{error}");
}

#[test]
fn a_program_that_is_no_guardian_is_refused() {
    let start = |exe: &str, run_id: &str| Guardian::start(std::path::Path::new(exe), run_id).unwrap_err();
    assert!(matches!(start("/bin/true", "r"), GuardianError::Silent { .. }));
    assert!(matches!(start("/no/such/program", "r"), GuardianError::Start { .. }));
    assert!(matches!(start(HELPER, "not good"), GuardianError::RunId { .. }));
    assert!(matches!(start(HELPER, ""), GuardianError::RunId { .. }));
}

#[test]
fn a_run_folder_goes_unless_it_is_kept() {
    let guardian = guardian();
    let dir = open_folder();
    let folder = RunFolder::create(dir.path(), &guardian, FolderAccess::Everybody).unwrap();
    let path = folder.path().to_path_buf();
    assert!(path.join(".kurabe").exists());
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o755);
    assert_eq!(mode(RunFolder::create(dir.path(), &guardian, FolderAccess::Owner).unwrap().path()), 0o700);
    drop(folder);
    assert!(!path.exists());
    let kept = RunFolder::create(dir.path(), &guardian, FolderAccess::Everybody).unwrap().keep();
    drop(guardian);
    assert!(kept.exists());
}

#[test]
fn a_child_of_another_user_has_its_death_signal_and_no_groups() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root can change the user");
        return;
    }
    let folder = open_folder();
    let output = Command::new(public_helper(folder.path())).args(["drop-user", "nobody"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let value = |key: &str| said.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let nobody = kurabe_service::Account::find("nobody").unwrap().unwrap();
    assert_eq!(value("death_signal"), Some("9"), "{said}");
    assert_eq!(value("Uid:"), Some([nobody.uid.to_string().as_str(); 4].join(" ").as_str()), "{said}");
    assert_eq!(value("Gid:"), Some([nobody.gid.to_string().as_str(); 4].join(" ").as_str()), "{said}");
    assert_eq!(value("Groups:"), Some(""), "{said}");
    assert_eq!(value("is_group_leader"), Some("true"), "{said}");
}

#[test]
fn a_thread_that_is_not_the_main_one_sets_no_death_signal() {
    let guardian = guardian();
    let report = move || {
        let scope = Scope { stdout: Stream::Piped, ..Scope::new(HELPER).args(["report"]) };
        let mut text = String::new();
        spawn(&guardian, scope).unwrap().take_stdout().unwrap().read_to_string(&mut text).unwrap();
        text
    };
    let said = std::thread::spawn(report).join().unwrap();
    assert!(said.contains("death_signal 0\n"), "{said}");
}

#[test]
fn a_process_has_nothing_open_of_what_kurabe_has() {
    let null = std::fs::File::open("/dev/null").unwrap();
    // SAFETY: a number, and the new descriptor is owned by the file alone. It is one that a program started from here gets.
    let open = unsafe { std::fs::File::from_raw_fd(libc::fcntl(null.as_raw_fd(), libc::F_DUPFD, 200)) };
    let number = open.as_raw_fd().to_string();
    let listed = Command::new("ls").arg("/proc/self/fd").output().unwrap().stdout;
    assert!(String::from_utf8(listed).unwrap().lines().any(|line| line == number), "it is inherited elsewhere");

    let guardian = guardian();
    let scope = Scope { stdout: Stream::Piped, ..Scope::new("ls").args(["/proc/self/fd"]) };
    let mut process = spawn(&guardian, scope).unwrap();
    let mut listed = String::new();
    process.take_stdout().unwrap().read_to_string(&mut listed).unwrap();
    // The fourth is the folder that it reads.
    assert_eq!(listed, "0\n1\n2\n3\n");
    let of_guardian = std::fs::read_dir(format!("/proc/{}/fd", guardian.pid())).unwrap();
    assert!(of_guardian.flatten().all(|entry| entry.file_name() != number.as_str()));
}

#[test]
fn usage_covers_the_tree_and_ends_with_it() {
    let guardian = guardian();
    let (mut one, _output, _) = shell(&guardian, "echo ready; read never < /dev/zero");
    assert!(comes_true(Duration::from_secs(20), || usage(one.pid()).unwrap().cpu_ns > Some(20_000_000)));
    let alone = usage(one.pid()).unwrap();
    assert_eq!((alone.processes, alone.threads, alone.memory_method), (1, 1, MemoryMethod::PeakResident));
    one.kill_tree().unwrap();
    assert!(matches!(usage(one.pid()), Err(UsageError::Gone { .. })));

    let (two, _output, _) = shell(&guardian, "sleep 1000 & echo ready; wait");
    let pair = usage(two.pid()).unwrap();
    assert_eq!((pair.processes, pair.memory_method), (2, MemoryMethod::SumProportional));
    assert!(pair.memory_bytes > 0);
}

#[test]
fn reaped_children_still_count() {
    let guardian = guardian();
    let spin = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let (process, _output, _) =
        shell(&guardian, &format!("sh -c '{spin}'; echo done; read never < /dev/tty || sleep 1000"));
    // The child took more than two ticks; the shell itself next to nothing.
    assert!(usage(process.pid()).unwrap().cpu_ns > Some(20_000_000));
}

#[test]
fn written_bytes_are_counted() {
    let guardian = guardian();
    let folder = open_folder();
    let file = folder.path().join("file");
    let script =
        format!("dd if=/dev/zero of={} bs=1M count=8 conv=fsync 2>/dev/null; echo done; sleep 1000", file.display());
    let (process, _output, _) = shell(&guardian, &script);
    assert!(usage(process.pid()).unwrap().written_bytes.is_some_and(|bytes| bytes >= 8 << 20));
}

#[test]
fn a_peak_can_be_set_back() {
    let guardian = guardian();
    let script = "import sys\nx = bytearray(64 << 20)\ndel x\nprint('ready', flush=True)\nsys.stdin.read()";
    if Command::new("python3").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("skipped: no python3 here");
        return;
    }
    let scope = Scope { stdin: Stream::Piped, stdout: Stream::Piped, ..Scope::new("python3").args(["-c", script]) };
    let mut process = spawn(&guardian, scope).unwrap();
    let mut line = String::new();
    BufReader::new(process.take_stdout().unwrap()).read_line(&mut line).unwrap();
    assert!(usage(process.pid()).unwrap().memory_bytes > 64 << 20);
    assert_eq!(reset_peak(process.pid()).unwrap(), PeakReset::Done);
    assert!(usage(process.pid()).unwrap().memory_bytes < 64 << 20);
}

#[test]
fn an_interrupt_ends_a_long_time_of_grace() {
    let guardian = guardian();
    let (mut deaf, _output, _) = shell(&guardian, "trap '' TERM; echo ready; while :; do sleep 0.01; done");
    let interrupt = AtomicBool::new(true);
    // Without the interrupt this would last an hour.
    let ended = deaf.stop_unless(Signal::TERM, Duration::from_secs(3600), &interrupt).unwrap();
    assert_eq!(ended.by, EndedBy::Kill);
    let (mut polite, _output, _) = shell(&guardian, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.01; done");
    let ended = polite.stop_unless(Signal::TERM, Duration::from_secs(3600), &interrupt).unwrap();
    assert_eq!((ended.by, ended.status.code()), (EndedBy::Signal, Some(7)), "what ends soon ends by itself");
}
