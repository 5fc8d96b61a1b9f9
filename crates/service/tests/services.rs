//! Services, small ones made of scripts and real ones.

mod common;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::Duration;

use common::{
    comes_true, guardian, open_folder, postgres, processes_in, public_helper, redis, run_id, script, skip, start_helper,
};
use kurabe_service::{
    Blueprint, EndedBy, Found, Guardian, Missing, ProgramPaths, Service, ServiceError, ServiceSpec, Start, Template,
    find, usage,
};

/// Finds, initialises, copies and starts in one go.
fn start_in(spec: &ServiceSpec, found: &Found, guardian: &Guardian, folder: &Path) -> Result<Service, ServiceError> {
    let blueprint = Blueprint::new(spec, found, guardian);
    let template = Template::initialise(&blueprint, folder)?;
    let data = folder.join("data");
    template.copy_to(&data)?;
    Service::start(&blueprint, &Start { data: &data, folder: &folder.join("work"), extra_args: &[] })
}

fn start_script(text: &str) -> Result<Service, ServiceError> {
    let (guardian, folder, spec) = (guardian(), open_folder(), script(text));
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    start_in(&spec, &found, &guardian, folder.path())
}

/// What is found of a real store, or `None` where it is missing and not required.
fn find_or_skip(name: &str, spec: &ServiceSpec, guardian: &Guardian) -> Option<Found> {
    match find(spec, &ProgramPaths::default(), guardian) {
        Ok(found) => Some(found),
        Err(error @ Missing::Binary { .. }) => {
            skip(name, &error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn a_server_that_ends_at_once_gives_the_last_lines_of_its_log() {
    let text = "i=0; while [ $i -lt 40 ]; do i=$((i+1)); echo line $i; done; echo at x://me:hunter2@host >&2; exit 5";
    let error = start_script(text).unwrap_err();
    let ServiceError::Ended { status, log, .. } = &error else { panic!("{error}") };
    assert_eq!(status.code(), Some(5));
    assert_eq!(log.lines().count(), 15);
    assert!(log.starts_with("line 27\n") && log.ends_with("line 40\nat x://me:***@host"), "{log}");
    assert!(error.to_string().contains("line 40"), "{error}");
}

#[test]
fn a_server_sees_a_terminal_that_takes_all_that_it_writes() {
    // More than a terminal holds unread: a server whose words nobody took would stand still.
    let text =
        "[ -t 1 ] && [ -t 2 ] || exit 8; i=0; while [ $i -lt 4000 ]; do i=$((i+1)); echo line $i of many; done; exit 7";
    let (guardian, folder, spec) = (guardian(), open_folder(), script(text));
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let code = |terminal, name: &str| {
        let blueprint = Blueprint { terminal, ..Blueprint::new(&spec, &found, &guardian) };
        let (data, work) = (folder.path().join(format!("data-{name}")), folder.path().join(name));
        Template::initialise(&blueprint, folder.path()).unwrap().copy_to(&data).unwrap();
        let error = Service::start(&blueprint, &Start { data: &data, folder: &work, extra_args: &[] }).unwrap_err();
        let ServiceError::Ended { status, .. } = error else { panic!("{error}") };
        status.code()
    };
    assert_eq!(code(true, "terminal"), Some(7));
    assert_eq!(code(false, "log"), Some(8));
}

#[test]
fn a_server_that_never_listens_is_given_up_and_killed() {
    let mut spec = script("echo waiting; sleep 1000");
    spec.ready_timeout_ms = 300;
    let (guardian, folder) = (guardian(), open_folder());
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let error = start_in(&spec, &found, &guardian, folder.path()).unwrap_err();
    assert!(matches!(&error, ServiceError::NotReady { log, .. } if log == "waiting"), "{error}");
    assert_eq!(processes_in(folder.path()), []);
}

#[test]
fn an_interrupt_ends_the_wait_for_a_service_at_once() {
    let spec = script("sleep 1000");
    let mut slow_init = script("exit 0");
    slow_init.init = vec![vec!["/bin/sleep".into(), "1000".into()]];
    for spec in [spec, slow_init] {
        let (guardian, folder) = (guardian(), open_folder());
        let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
        let interrupt = std::sync::atomic::AtomicBool::new(false);
        let blueprint = Blueprint { interrupt: Some(&interrupt), ..Blueprint::new(&spec, &found, &guardian) };
        let outcome = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                interrupt.store(true, std::sync::atomic::Ordering::Relaxed);
            });
            let template = Template::initialise(&blueprint, folder.path())?;
            let data = folder.path().join("data");
            template.copy_to(&data)?;
            let work = folder.path().join("work");
            Service::start(&blueprint, &Start { data: &data, folder: &work, extra_args: &[] })
        });
        assert!(matches!(outcome, Err(ServiceError::Interrupted)), "{outcome:?}");
        assert_eq!(processes_in(folder.path()), []);
    }
}

#[test]
fn a_port_that_was_taken_meanwhile_is_replaced() {
    let (guardian, folder) = (guardian(), open_folder());
    let helper = public_helper(folder.path());
    // Somebody takes the first port, and writes down which, before the server gets to it.
    let text = "if [ -e \"$2\" ]; then exec \"$3\" listen \"$1\"; fi; echo \"$1\" > \"$2\"; \
                echo 'bind: Address already in use' >&2; exit 1";
    let json = serde_json::json!({
        "start": ["{sh}", "-c", text, "script", "{port}", "{data}/taken", "{helper}"],
        "url": "x://127.0.0.1:{port}",
        "binaries": { "helper": [helper], "sh": ["/bin/sh"] },
    });
    let spec: ServiceSpec = serde_json::from_value(json).unwrap();
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let mut service = start_in(&spec, &found, &guardian, folder.path()).unwrap();
    let taken = std::fs::read_to_string(folder.path().join("data/taken")).unwrap().trim().parse::<u16>().unwrap();
    let port = service.port().unwrap();
    assert_ne!(port, taken);
    assert_eq!(service.url(), format!("x://127.0.0.1:{port}"));
    assert!(service.is_alive());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    assert_eq!(service.stop().unwrap().by, EndedBy::Signal);
}

#[test]
fn a_placeholder_nobody_knows_is_named_before_anything_starts() {
    let mut spec = script("exit 0");
    spec.start.push("{prot}".to_owned());
    let (guardian, folder) = (guardian(), open_folder());
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let error = start_in(&spec, &found, &guardian, folder.path()).unwrap_err();
    assert!(error.to_string().contains("'{prot}'"), "{error}");
}

#[test]
fn a_folder_that_the_services_user_cannot_enter_is_named() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root starts services as another user");
        return;
    }
    let (guardian, folder, spec) = (guardian(), open_folder(), script("exit 0"));
    let closed = folder.path().join("closed");
    std::fs::create_dir_all(closed.join("inner")).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let error = Template::initialise(&Blueprint::new(&spec, &found, &guardian), &closed.join("inner")).unwrap_err();
    let expected = format!("user 'nobody' cannot enter '{}'", closed.display());
    assert!(error.to_string().starts_with(&expected) && error.to_string().contains("--dir"), "{error}");
}

#[test]
fn a_failed_initialisation_shows_what_was_printed() {
    let mut spec = script("exit 0");
    spec.init = vec![["{sh}", "-c", "echo no room here; exit 9"].map(str::to_owned).to_vec()];
    let (guardian, folder) = (guardian(), open_folder());
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let error = Template::initialise(&Blueprint::new(&spec, &found, &guardian), folder.path()).unwrap_err();
    assert!(matches!(&error, ServiceError::InitFailed { log, .. } if log == "no room here"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn every_service_has_temporary_files_of_its_own() {
    let mut spec = script("echo $TMPDIR > {data}/at-start; touch $TMPDIR/x; exec sleep 1000");
    spec.init = vec![["{sh}", "-c", "echo $TMPDIR > {data}/at-init; touch $TMPDIR/x"].map(str::to_owned).to_vec()];
    spec.ready_timeout_ms = 300;
    let (guardian, folder) = (guardian(), open_folder());
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let seen = ["one", "two"].map(|name| {
        let work = folder.path().join(name);
        std::fs::create_dir(&work).unwrap();
        assert!(matches!(start_in(&spec, &found, &guardian, &work), Err(ServiceError::NotReady { .. })));
        assert!(work.join("work/tmp/x").exists());
        ["at-init", "at-start"].map(|file| std::fs::read_to_string(work.join("data").join(file)).unwrap())
    });
    for (name, [at_init, at_start]) in ["one", "two"].iter().zip(&seen) {
        let work = folder.path().join(name).display().to_string();
        assert!(at_init.starts_with(&format!("{work}/template-")) && at_init.ends_with("/tmp\n"), "{at_init}");
        assert_eq!(*at_start, format!("{work}/work/tmp\n"));
    }
}

#[test]
fn a_copy_keeps_modes_and_owners_and_leaves_out_what_belongs_to_a_running_server() {
    let mut spec = script("exit 0");
    let make = "cd {data}; mkdir -m 750 sub; echo x > sub/file; chmod 640 sub/file; ln -s sub/file link; echo 1 > a.pid; mkfifo pipe";
    spec.init = vec![["{sh}", "-c", make].map(str::to_owned).to_vec()];
    let (guardian, folder) = (guardian(), open_folder());
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let template = Template::initialise(&Blueprint::new(&spec, &found, &guardian), folder.path()).unwrap();
    let copy = folder.path().join("copy");
    template.copy_to(&copy).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(&copy).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["link", "sub"]);
    for (name, mode) in [("", 0o700), ("sub", 0o750), ("sub/file", 0o640)] {
        let (old, new) = (template.data().join(name).metadata().unwrap(), copy.join(name).metadata().unwrap());
        assert_eq!((new.mode() & 0o7777, new.uid(), new.gid()), (mode, old.uid(), old.gid()), "'{name}'");
    }
    assert_eq!(std::fs::read_link(copy.join("link")).unwrap(), Path::new("sub/file"));
    assert!(template.copy_to(&copy).is_err());
}

#[test]
fn a_missing_program_and_a_wrong_override_are_named() {
    let guardian = guardian();
    let mut spec = script("exit 0");
    spec.binaries.insert("sh".to_owned(), vec!["no-such-program".to_owned(), "nor-this-one".to_owned()]);
    let error = find(&spec, &ProgramPaths::default(), &guardian).unwrap_err();
    assert!(error.to_string().starts_with("no 'no-such-program' or 'nor-this-one' in PATH"), "{error}");
    let given = |name: &str, path: &str| ProgramPaths {
        given: BTreeMap::from([(name.to_owned(), path.into())]),
        ..ProgramPaths::default()
    };
    assert!(matches!(find(&spec, &given("sh", "/etc/passwd"), &guardian), Err(Missing::Override { .. })));
    assert!(matches!(find(&spec, &given("shell", "/bin/sh"), &guardian), Err(Missing::UnknownOverride { .. })));
    assert!(find(&spec, &given("sh", "/bin/sh"), &guardian).is_ok());
}

/// A script that prints `text`, in a folder that every user can enter.
fn write_program(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, format!("#!/bin/sh\necho {text}\n")).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_program_in_a_folder_of_the_caller_is_found_and_its_folder_holds_in_commands() {
    let (guardian, folder) = (guardian(), open_folder());
    let tool = folder.path().join("tool 2/bin/kurabe-tool");
    let mut spec = script("exit 0");
    spec.binaries = BTreeMap::from([(
        "tool".to_owned(),
        vec!["{cache}/tool 1/bin/kurabe-tool".to_owned(), "{cache}/tool 2/bin/kurabe-tool".to_owned()],
    )]);
    spec.start = vec!["{tool}".to_owned()];
    spec.version = ["{tool}", "{cache}"].map(str::to_owned).to_vec();
    let folders = BTreeMap::from([("cache".to_owned(), folder.path().to_path_buf())]);
    let places = ProgramPaths { folders, ..ProgramPaths::default() };
    assert!(matches!(find(&spec, &places, &guardian), Err(Missing::Binary { .. })), "it is not there yet");
    write_program(&tool, "tool 2.1 in $1");
    let found = find(&spec, &places, &guardian).unwrap();
    assert_eq!(found.binaries["tool"], tool.canonicalize().unwrap());
    assert_eq!(found.version, Some(format!("tool 2.1 in {}", folder.path().display())));
    // Without the folder the placeholder means nothing, and is named.
    let error = find(&spec, &ProgramPaths::default(), &guardian).unwrap_err();
    assert!(matches!(&error, Missing::Placeholder(unknown) if unknown.name == "cache"), "{error}");
    // By its name alone it is found through the folders to look in.
    spec.search = vec!["{cache}/*/bin".to_owned()];
    spec.binaries.insert("tool".to_owned(), vec!["kurabe-tool".to_owned()]);
    assert_eq!(find(&spec, &places, &guardian).unwrap().binaries, found.binaries);
}

#[test]
fn another_program_of_the_same_name_is_refused() {
    let (guardian, folder) = (guardian(), open_folder());
    let tool = folder.path().join("tool");
    write_program(&tool, "tool 1.2-Other");
    let mut spec = script("exit 0");
    spec.binaries = BTreeMap::from([("tool".to_owned(), vec![tool.display().to_string()])]);
    spec.version = vec!["{tool}".to_owned()];
    let mut outcome = |holds: Option<&str>, lacks: Option<&str>| {
        (spec.version_holds, spec.version_lacks) = (holds.map(str::to_owned), lacks.map(str::to_owned));
        find(&spec, &ProgramPaths::default(), &guardian)
    };
    assert!(outcome(Some("Other"), Some("Real")).is_ok());
    let error = outcome(None, Some("Other")).unwrap_err().to_string();
    assert!(error.ends_with("is another program of that name: it calls itself 'tool 1.2-Other'"), "{error}");
    assert!(matches!(outcome(Some("Real"), None), Err(Missing::Another { .. })));
}

#[test]
fn a_program_that_the_services_user_cannot_get_to_is_named() {
    if !rustix::process::geteuid().is_root() {
        println!("skipped: only root starts services as another user");
        return;
    }
    let (guardian, folder) = (guardian(), open_folder());
    let closed = folder.path().join("closed");
    write_program(&closed.join("tool"), "tool 1");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    let mut spec = script("exit 0");
    spec.binaries = BTreeMap::from([("tool".to_owned(), vec![closed.join("tool").display().to_string()])]);
    let error = find(&spec, &ProgramPaths::default(), &guardian).unwrap_err().to_string();
    assert!(error.contains("user 'nobody'") && error.contains(&format!("'{}'", closed.display())), "{error}");
}

#[test]
fn a_version_that_is_not_told_is_an_error() {
    let guardian = guardian();
    let mut spec = script("exit 0");
    spec.version = ["{sh}", "-c", "exit 4"].map(str::to_owned).to_vec();
    let error = find(&spec, &ProgramPaths::default(), &guardian).unwrap_err();
    assert!(error.to_string().contains("printed nothing"), "{error}");
    spec.version = ["{sh}", "-c", "echo; echo tool 1.2 >&2"].map(str::to_owned).to_vec();
    assert_eq!(find(&spec, &ProgramPaths::default(), &guardian).unwrap().version.as_deref(), Some("tool 1.2"));
}

#[test]
fn a_program_that_a_signal_ends_says_what_that_means() {
    let guardian = guardian();
    let mut spec = script("kill -ILL $$");
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let words = "it was ended by signal 4 (SIGILL): this build needs processor instructions, such as AVX, that this processor \
                 lacks; its log is empty";
    let error = start_in(&spec, &found, &guardian, open_folder().path()).unwrap_err();
    assert_eq!(error.to_string(), format!("'sh' ended before it accepted connections: {words}"));
    spec.init = vec![["{sh}", "-c", "kill -ILL $$"].map(str::to_owned).to_vec()];
    let error = start_in(&spec, &found, &guardian, open_folder().path()).unwrap_err();
    assert_eq!(error.to_string(), format!("'sh' did not make the data folder: {words}"));
    spec.version = ["{sh}", "-c", "kill -ILL $$"].map(str::to_owned).to_vec();
    let error = find(&spec, &ProgramPaths::default(), &guardian).unwrap_err();
    assert!(matches!(error, Missing::Crashed { .. }) && error.to_string().contains("(SIGILL)"), "{error}");
}

#[test]
fn redis_starts_answers_and_stops() {
    let (guardian, folder, spec) = (guardian(), open_folder(), redis());
    let Some(found) = find_or_skip("redis", &spec, &guardian) else { return };
    assert!(found.version.as_deref().is_some_and(|version| version.contains("v=")), "{found:?}");
    let mut service = start_in(&spec, &found, &guardian, folder.path()).unwrap();
    let mut connection = TcpStream::connect(("127.0.0.1", service.port().unwrap())).unwrap();
    connection.write_all(b"PING\r\n").unwrap();
    let mut answer = [0; 7];
    connection.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"+PONG\r\n");
    let socket = service.unix_url().unwrap().strip_prefix("unix://").unwrap().to_owned();
    assert!(std::os::unix::net::UnixStream::connect(socket).is_ok());
    assert!(service.is_alive());
    assert!(!service.log_tail(3).is_empty());
    assert_eq!(service.stop().unwrap().by, EndedBy::Signal);
    assert!(TcpStream::connect(connection.peer_addr().unwrap()).is_err());
}

#[test]
fn redis_without_a_port_is_awaited_at_its_socket() {
    let (guardian, folder, mut spec) = (guardian(), open_folder(), redis());
    spec.url = "unix://{socket_dir}/redis.sock".to_owned();
    let position = spec.start.iter().position(|word| word == "{port}").unwrap();
    spec.start[position] = "0".to_owned();
    let Some(found) = find_or_skip("redis", &spec, &guardian) else { return };
    let service = start_in(&spec, &found, &guardian, folder.path()).unwrap();
    assert_eq!(service.port(), None);
    assert!(service.url().ends_with("/redis.sock"));
}

/// A folder with a path that no socket can have, in another one.
fn deep(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("nightly comparison, of 'all' & データ置き場").join("x".repeat(60));
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn socket_of(service: &Service) -> std::path::PathBuf {
    service.unix_url().unwrap().strip_prefix("unix://").unwrap().into()
}

#[test]
fn sockets_are_reached_also_where_the_data_lies_deep_or_has_a_comma_in_its_path() {
    let (guardian, folder, spec) = (guardian(), open_folder(), redis());
    let Some(found) = find_or_skip("redis", &spec, &guardian) else { return };
    let folder = deep(folder.path());
    let service = start_in(&spec, &found, &guardian, &folder).unwrap();
    let (socket, port) = (socket_of(&service), service.port());
    assert!(std::os::unix::net::UnixStream::connect(&socket).is_ok(), "{socket:?}");
    drop(service);
    // A client was told where it is.
    let blueprint = Blueprint::new(&spec, &found, &guardian);
    let start = Start { data: &folder.join("data"), folder: &folder.join("work"), extra_args: &[] };
    let again = Service::start_again(&blueprint, &start, port).unwrap();
    assert_eq!(socket_of(&again), socket);
    let other = Start { folder: &folder.join("other"), ..start };
    assert_ne!(socket_of(&Service::start(&blueprint, &other).unwrap()), socket);
    drop(again);
    drop(guardian);
    assert!(!socket.parent().unwrap().parent().unwrap().exists());
}

#[test]
fn sockets_that_lie_elsewhere_go_when_kurabe_is_killed() {
    let (guardian, folder, spec) = (guardian(), open_folder(), redis());
    if find_or_skip("redis", &spec, &guardian).is_none() {
        return;
    }
    let long = folder.path().join("x".repeat(90));
    std::fs::create_dir(&long).unwrap();
    let words = ["victim-service", long.to_str().unwrap(), &run_id(), &serde_json::to_string(&spec).unwrap()];
    let (victim, words) = start_helper(&words);
    let socket = Path::new(words[3].strip_prefix("unix://").unwrap());
    assert!(std::os::unix::net::UnixStream::connect(socket).is_ok(), "{socket:?}");
    let root = socket.parent().unwrap().parent().unwrap();
    assert!(!root.starts_with(folder.path()));
    drop(victim);
    assert!(comes_true(Duration::from_secs(5), || !root.exists()), "{root:?}");
}

#[test]
fn a_copy_that_does_not_fit_tells_how_large_it_is() {
    let (guardian, folder, mut spec) = (guardian(), open_folder(), script("exit 0"));
    let text = "dd if=/dev/zero of=\"$1/large\" bs=1M count=3 2>/dev/null";
    spec.init = vec![["{sh}", "-c", text, "script", "{data}"].map(str::to_owned).to_vec()];
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    let template = Template::initialise(&Blueprint::new(&spec, &found, &guardian), folder.path()).unwrap();
    let small = folder.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let mount =
        std::process::Command::new("mount").args(["-t", "tmpfs", "-o", "size=1m", "kurabe-test"]).arg(&small).output();
    if !mount.is_ok_and(|output| output.status.success()) {
        return println!("skipped: mounting needs root");
    }
    let error = template.copy_to(&small.join("data")).unwrap_err();
    assert!(std::process::Command::new("umount").arg(&small).status().unwrap().success());
    assert_eq!(error.cause(), kurabe_service::Cause::Program);
    let expected =
        format!("the initialised data folder of 3.00 MiB does not fit in '{}': No space left", small.display());
    assert!(error.to_string().starts_with(&expected), "{error}");
}

#[test]
fn postgres_is_initialised_once_copied_started_and_stopped_twice() {
    let (guardian, folder, spec) = (guardian(), open_folder(), postgres());
    let Some(found) = find_or_skip("postgres", &spec, &guardian) else { return };
    assert!(found.version.as_deref().is_some_and(|version| version.starts_with("postgres")), "{found:?}");
    assert_eq!(found.binaries["postgres"].parent(), found.binaries["initdb"].parent());
    let blueprint = Blueprint::new(&spec, &found, &guardian);
    let template = Template::initialise(&blueprint, folder.path()).unwrap();
    for name in ["first", "second"] {
        let (data, work) = (folder.path().join(name), folder.path().join(format!("{name}-work")));
        template.copy_to(&data).unwrap();
        let extra_args = ["-c", "shared_buffers=16MB"].map(str::to_owned);
        let start = Start { data: &data, folder: &work, extra_args: &extra_args };
        let service = Service::start(&blueprint, &start).unwrap();
        // It accepts connections before its helpers are there.
        let has_helpers = || usage(service.pid()).unwrap().processes > 1;
        assert!(comes_true(Duration::from_secs(20), has_helpers));
        let usage = usage(service.pid()).unwrap();
        assert!(usage.cpu_ns > Some(0) && usage.memory_bytes > 0, "{usage:?}");
        let ended = service.stop().unwrap();
        assert_eq!((ended.by, ended.status.code()), (EndedBy::Signal, Some(0)), "{ended:?}");
    }
    assert_eq!(processes_in(folder.path()), []);
}

#[test]
fn a_killed_postgres_starts_again_on_its_data() {
    let (guardian, folder, spec) = (guardian(), open_folder(), postgres());
    let Some(found) = find_or_skip("postgres", &spec, &guardian) else { return };
    let service = start_in(&spec, &found, &guardian, folder.path()).unwrap();
    assert!(service.kill().unwrap() > 1);
    assert_eq!(processes_in(folder.path()), []);
    let (data, work) = (folder.path().join("data"), folder.path().join("work"));
    let start = Start { data: &data, folder: &work, extra_args: &[] };
    let service = Service::start(&Blueprint::new(&spec, &found, &guardian), &start).unwrap();
    assert!(service.port().is_some());
}

/// The files of shared memory that a process has mapped, and the numbers of its System V segments.
fn shared_by(pid: u32) -> (Vec<std::path::PathBuf>, Vec<String>) {
    let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap();
    let named = |start: &str| -> Vec<(String, String)> {
        let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let lines = maps.lines().map(words).filter(|words| words.get(5).is_some_and(|path| path.starts_with(start)));
        lines.map(|words| (words[4].clone(), words[5].clone())).collect()
    };
    let files = named("/dev/shm/").into_iter().map(|(_, path)| path.into()).collect();
    (files, named("/SYSV").into_iter().map(|(id, _)| id).collect())
}

/// Numbers of all System V segments of the machine.
fn segments() -> Vec<String> {
    let table = std::fs::read_to_string("/proc/sysvipc/shm").unwrap();
    table.lines().skip(1).filter_map(|line| Some(line.split_whitespace().nth(1)?.to_owned())).collect()
}

fn is_gone((files, ids): &(Vec<std::path::PathBuf>, Vec<String>)) -> bool {
    let left = segments();
    !files.iter().any(|file| file.exists()) && !ids.iter().any(|id| left.contains(id))
}

#[test]
fn a_postgres_that_is_dropped_or_killed_leaves_no_shared_memory() {
    let (guardian, spec) = (guardian(), postgres());
    let Some(found) = find_or_skip("postgres", &spec, &guardian) else { return };
    type End = (&'static str, fn(Service));
    let ends: [End; 3] = [
        ("dropped", drop),
        ("killed by us", |service| assert!(service.kill().unwrap() > 1)),
        ("killed by somebody", |service| {
            let pid = rustix::process::Pid::from_raw(service.pid() as i32).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            // Its helpers end by themselves once they see that it is gone; nobody could look at them any more.
            std::thread::sleep(Duration::from_millis(300));
            drop(service);
        }),
    ];
    for (name, end) in ends {
        let folder = open_folder();
        let service = start_in(&spec, &found, &guardian, folder.path()).unwrap();
        let shared = shared_by(service.pid());
        assert!(!shared.0.is_empty() && !shared.1.is_empty(), "{shared:?}");
        end(service);
        assert!(is_gone(&shared), "{name}: {shared:?}");
        assert_eq!(processes_in(folder.path()), []);
    }
}

#[test]
fn what_is_shared_and_left_before_a_service_is_ready_is_removed() {
    let guardian = guardian();
    let spec = script("exit 0");
    let found = find(&spec, &ProgramPaths::default(), &guardian).unwrap();
    for trial in 0..2 {
        let object = format!("/dev/shm/kurabe-{}-{trial}", run_id());
        let text = format!(
            "import mmap, os, time\nfile = os.open('{object}', os.O_CREAT | os.O_RDWR, 0o600)\nos.ftruncate(file, 4096)\n\
             memory = mmap.mmap(file, 4096)\nos.close(file)\nprint('made', flush=True)\ntime.sleep(1)\nos.abort()\n"
        );
        let python = ["python3", "-c", &text].map(str::to_owned).to_vec();
        let spec = match trial % 2 {
            0 => ServiceSpec { init: vec![python], ..spec.clone() },
            _ => ServiceSpec { start: python, ..spec.clone() },
        };
        match start_in(&spec, &found, &guardian, open_folder().path()) {
            Err(ServiceError::InitFailed { log, .. } | ServiceError::Ended { log, .. }) => {
                assert_eq!(log.lines().next(), Some("made"), "{log}");
            }
            other => return skip("python3", &format!("{other:?}")),
        }
        assert!(!Path::new(&object).exists(), "{object}");
    }
}

#[test]
fn the_shared_memory_of_a_killed_run_is_removed_by_its_guardian() {
    let (guardian, folder, spec) = (guardian(), open_folder(), postgres());
    if find_or_skip("postgres", &spec, &guardian).is_none() {
        return;
    }
    let text = serde_json::to_string(&spec).unwrap();
    let run_id = common::run_id();
    let words = ["victim-service", folder.path().to_str().unwrap(), &run_id, &text];
    let (mut victim, told) = common::start_helper(&words);
    let shared = shared_by(told[1].parse().unwrap());
    assert!(!shared.0.is_empty() && !shared.1.is_empty(), "{shared:?}");
    victim.0.kill().unwrap();
    victim.0.wait().unwrap();
    assert!(comes_true(Duration::from_secs(20), || is_gone(&shared)), "{shared:?}");
}
