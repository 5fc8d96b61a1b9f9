//! What the tests of the binary share: the command, folders, small studies, a census of processes, a server of their
//! own.
#![allow(dead_code)] // Every test binary uses its own part.

pub mod board;
pub mod census;
pub mod kill;
pub mod server;

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kurabe_record::Loaded;
use serde_json::Value;
use tempfile::TempDir;

/// What nothing may exceed: a wait that ends here has failed.
pub const PATIENCE: Duration = Duration::from_secs(60);
/// So long anything may stay after a kill.
pub const CLEANING: Duration = Duration::from_secs(5);

/// A study of 1,000 rows and phases of 50 ms.
pub const TINY: &str = r#"
title = "Does everything work?"
rows = 1_000
value_len_bytes = 100
rounds = 3
durability = "consistent"
stores = ["echo", "map", "file", "sqlite", "lmdb"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
commit_every = 100
deciding = true
[[phase]]
operation = "read"
duration = "50ms"
deciding = true
[[phase]]
operation = "update"
duration = "50ms"
"#;

/// A study whose read phase lasts so long that something can be done to it meanwhile.
pub const LONG: &str = r#"
title = "What happens in the middle?"
rows = 1_000
value_len_bytes = 100
rounds = 1
stores = ["sqlite"]
quiet_wait = "1ms"
[[phase]]
operation = "load"
commit_every = 100
[[phase]]
operation = "read"
duration = "5s"
deciding = true
"#;

/// A place of its own for one test: a folder for data, one for results, and a word in the environment of everything
/// that is started in it.
pub struct Place {
    root: TempDir,
    pub word: String,
}

impl Place {
    pub fn new() -> Place {
        // On a disk, and open to the users that services run as.
        let open = std::fs::Permissions::from_mode(0o755);
        let root = tempfile::Builder::new().prefix("kurabe-test-").permissions(open).tempdir_in("/var/tmp").unwrap();
        std::fs::create_dir(root.path().join("data")).unwrap();
        std::fs::set_permissions(root.path().join("data"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let word = root.path().file_name().unwrap().to_str().unwrap().to_string();
        Place { root, word }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A file in this place, and its path as text.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_string()
    }

    /// A copy of the programs that every user may run, wherever the project lies; the path of `kurabe`.
    pub fn public_binary(&self) -> PathBuf {
        self.program("kurabe-servers", env!("CARGO_BIN_EXE_kurabe-servers"));
        self.program("kurabe", env!("CARGO_BIN_EXE_kurabe"))
    }

    /// A copy of a program in this place. Another process writes it: one that is forked by another test meanwhile would
    /// have it open for writing, and nobody could start it.
    pub fn program(&self, name: &str, of: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("cp").arg(of).arg(&path).status().unwrap().success());
        path
    }

    /// Lets every user make files in this place.
    pub fn open_to_everybody(&self) {
        for path in [self.path(""), self.data()] {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).unwrap();
        }
    }

    pub fn data(&self) -> PathBuf {
        self.path("data")
    }

    pub fn out(&self) -> PathBuf {
        self.path("out")
    }

    /// The binary, in this place, with nothing of the caller's that changes what it prints.
    pub fn kurabe<I: AsRef<std::ffi::OsStr>>(&self, args: impl IntoIterator<Item = I>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kurabe"));
        command.args(args).current_dir(self.root.path()).env(census::WORD, &self.word).stdin(Stdio::null());
        // Runs of other tests, at the same time, are not seen.
        command.env_remove("NO_COLOR").env_remove("COLUMNS").env("TMPDIR", self.root.path()).env("KURABE_ANYWAY", "1");
        // Nor what a developer has defined, or speaks.
        command.env("XDG_CONFIG_HOME", self.root.path()).env("LC_ALL", "C");
        command
    }

    /// `kurabe run` of a study with the folders of this place.
    pub fn run(&self, study: &str, more: &[&str]) -> Command {
        let study = self.file("tiny.toml", study);
        let mut command = self.kurabe(["run", &study]);
        command.arg("--dir").arg(self.data()).arg("--out").arg(self.out()).arg("--tables").args(more);
        command
    }

    /// The same, with a run that is to go on.
    pub fn resume(&self) -> Command {
        let mut command = self.kurabe(["run", "--resume"]);
        command.arg(self.out()).arg("--dir").arg(self.data()).arg("--tables");
        command
    }

    /// The record of the run of this place, read by the types that wrote it.
    pub fn loaded(&self) -> Loaded {
        Loaded::read(&self.out()).unwrap()
    }

    /// The answer of the run of this place, as the binary prints it.
    pub fn answer(&self) -> Value {
        let said = finish(self.kurabe(["show", "--json"]).arg(self.out()));
        assert_eq!(said.status, 0, "{}", said.err);
        serde_json::from_str(&said.out).unwrap()
    }

    /// Nothing of this place runs, listens or lies in its folder for data.
    #[track_caller]
    pub fn assert_nothing_is_left(&self) {
        let clear = || census::of(self).is_empty() && entries(&self.data()).is_empty();
        assert!(
            comes_true(CLEANING, clear),
            "left behind: {:?}, {:?}",
            census::of(self).iter().map(census::describe).collect::<Vec<_>>(),
            entries(&self.data())
        );
    }
}

/// What a command said and how it ended.
#[derive(Debug)]
pub struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// Runs a command to its end. A panic that reaches the user fails every test.
#[track_caller]
pub fn finish(command: &mut Command) -> Said {
    said(command.output().unwrap())
}

#[track_caller]
pub fn said(output: Output) -> Said {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let said = Said { status: code(&output), out: text(&output.stdout), err: text(&output.stderr) };
    assert!(!said.err.contains("panicked") && !said.out.contains("panicked"), "{said:?}");
    said
}

/// The status, as a shell tells it.
fn code(output: &Output) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap_or_default())
}

/// A mistake in what was typed: status 2, nothing on stdout, and a message that holds all `words`.
#[track_caller]
pub fn assert_mistake(said: &Said, words: &[&str]) {
    assert_eq!(said.status, 2, "{said:?}");
    assert_eq!(said.out, "", "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "'{word}' is missing in: {}", said.err);
    }
}

/// `run` and `plan` of a study in `place` with these flags are a mistake, and nothing was made for it.
#[track_caller]
pub fn assert_refused(place: &Place, study: impl AsRef<[u8]>, more: &[&str], words: &[&str]) {
    let path = place.file("mine.toml", study);
    for verb in ["run", "plan"] {
        let mut command = place.kurabe([verb, &path]);
        command.arg("--dir").arg(place.data().join("new")).args(more);
        if verb == "run" {
            command.arg("--out").arg(place.out());
        }
        assert_mistake(&finish(&mut command), words);
        assert!(!place.out().exists() && !place.data().join("new").exists(), "'{verb}' made a folder");
    }
    place.assert_nothing_is_left();
}

/// The candidates in the order of their jobs. One that was measured again, since the machine below disturbed it, stands
/// where it was first.
pub fn order(loaded: &Loaded) -> Vec<String> {
    let mut jobs: Vec<_> = loaded.jobs.iter().chain(&loaded.superseded).collect();
    jobs.sort_by_key(|job| job.number);
    let mut seen = BTreeSet::new();
    jobs.retain(|job| seen.insert((job.configuration, job.round, &job.candidate)));
    jobs.into_iter().map(|job| job.candidate.clone()).collect()
}

/// A command that runs on while the test looks at it; killed with the test.
pub struct Running {
    child: Option<Child>,
    lines: Receiver<String>,
    heard: Vec<String>,
}

impl Running {
    pub fn start(command: &mut Command) -> Running {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stderr = child.stderr.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Running { child: Some(child), lines, heard: Vec::new() }
    }

    pub fn pid(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    /// Waits for a line on stderr that holds `text`, and gives it.
    #[track_caller]
    pub fn hear(&mut self, text: &str) -> String {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.heard.push(line),
                Err(error) => panic!("no '{text}' in {:?}: {error}", self.heard),
            }
            if let Some(line) = self.heard.last().filter(|line| line.contains(text)) {
                return line.clone();
            }
        }
    }

    /// Waits until so many jobs are done that count. How many there are to be grows with each that the machine below
    /// disturbed.
    #[track_caller]
    pub fn hear_jobs(&mut self, jobs: usize) {
        let mut counted = BTreeSet::new();
        while counted.len() < jobs {
            let line = self.hear(" of ");
            let number = line.split_once(" of ").and_then(|(number, _)| number.parse::<u64>().ok());
            counted.extend(number.filter(|_| !line.contains("repeated later")));
        }
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        census::signal(self.pid(), signal);
    }

    /// Waits for its end.
    #[track_caller]
    pub fn finish(mut self) -> Said {
        let output = self.child.take().unwrap().wait_with_output().unwrap();
        let mut said = said(output);
        self.heard.extend(self.lines.iter());
        said.err = self.heard.join("\n");
        assert!(!said.err.contains("panicked"), "{said:?}");
        said
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It may have ended already; its guardian removes the rest.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Names in a folder; none where it is gone.
pub fn entries(folder: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Waits until the condition holds; `false` where it does not within the limit.
pub fn comes_true(limit: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + limit;
    while Instant::now() < deadline {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    condition()
}

/// Waits until there is something.
#[track_caller]
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("{what}: not within {PATIENCE:?}");
}

/// Whether all the stores are here. A test that needs a missing one is left out, unless they are required.
#[track_caller]
pub fn here(stores: &[&str]) -> bool {
    let place = Place::new();
    let said = finish(&mut place.kurabe([
        "plan",
        &place.file("tiny.toml", TINY),
        "--stores",
        &stores.join(","),
        "--durability",
        "default",
    ]));
    if said.status == 0 {
        return true;
    }
    let reason = said.err.trim();
    assert!(std::env::var("KURABE_REQUIRE_STORES").as_deref() != Ok("1"), "required: {reason}");
    println!("skipped: {reason}");
    false
}

/// A program that a service is found as, in a folder that is put before all others in PATH.
pub fn fake_server(place: &Place, name: &str, script: &str) -> String {
    let folder = place.path("bin");
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:{}", folder.display(), std::env::var("PATH").unwrap())
}

/// A small file system in memory at a folder, for as long as this value lives.
pub struct Mount {
    at: PathBuf,
}

impl Mount {
    /// `None` where mounting is not allowed, which is usual for anybody but root.
    pub fn tmpfs(at: &Path, options: &str) -> Option<Mount> {
        std::fs::create_dir_all(at).unwrap();
        let done = Command::new("mount").args(["-t", "tmpfs", "-o", options, "kurabe-test"]).arg(at).output();
        if done.is_ok_and(|output| output.status.success()) {
            return Some(Mount { at: at.to_path_buf() });
        }
        println!("skipped: mounting needs root");
        None
    }

    pub fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let done = Command::new("mount").args(["-o", &options]).arg(&self.at).status().unwrap();
        assert!(done.success());
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Lazily: a failing test may still have something open in it.
        let _ = Command::new("umount").arg("-l").arg(&self.at).status();
    }
}
