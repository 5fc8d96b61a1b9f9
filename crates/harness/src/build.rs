//! Clients and apps that have to be built: once a version, in the cache, so that a build which is cut off leaves nothing half and
//! two at a time do not clash.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_messages::{Message, message};
use kurabe_service::{Guardian, Scope, Stream, WaitOutcome, how_it_ended, spawn};
use kurabe_study::ClientBuild;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::error::Reason;
use crate::fault::LOOK;

/// A build fetches its libraries the first time.
const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// What the placeholders in a client's descriptor stand for.
pub(crate) struct Words {
    replaced: Vec<(String, String)>,
    /// Folder of the sources.
    sources: PathBuf,
    /// What the lock and the logs of a build stand beside.
    place: PathBuf,
    /// Folder of what was built of exactly these sources.
    built: PathBuf,
}

impl Words {
    /// For sources in the folder `sources`, which stands for `word`; what is built of them stands beside.
    pub(crate) fn of(sources: PathBuf, word: &str) -> Words {
        let place = sources.clone();
        Words::at(sources, word, place)
    }

    /// The same, where what is built stands beside `place`.
    pub(crate) fn at(sources: PathBuf, word: &str, place: PathBuf) -> Words {
        let built = place.with_extension("built");
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let replaced = vec![(word.to_string(), path(&sources)), ("{built}".to_string(), path(&built))];
        Words { replaced, sources, place, built }
    }

    /// Where what is built of them stands.
    pub(crate) fn built(&self) -> &Path {
        &self.built
    }

    /// Lets a word stand for something more: a program, a folder of the machine.
    pub(crate) fn add(&mut self, word: &str, text: &str) {
        self.replaced.push((word.to_string(), text.to_string()));
    }

    /// A text with its placeholders filled in.
    pub(crate) fn text(&self, text: &str) -> String {
        self.replaced.iter().fold(text.to_string(), |text, (word, value)| text.replace(word, value))
    }

    /// A command with its placeholders filled in: program and arguments.
    pub(crate) fn fill(&self, words: &[String]) -> (OsString, Vec<OsString>) {
        let mut filled = words.iter().map(|word| OsString::from(self.text(word)));
        (filled.next().unwrap_or_default(), filled.collect())
    }
}

/// Whether that was built which has to be.
pub(crate) fn is_built(build: Option<&ClientBuild>, words: &Words) -> bool {
    build.is_none_or(|build| words.built.join(&build.product).exists())
}

/// Whether the program of a command is here.
pub(crate) fn is_here(command: &[String], words: &Words) -> bool {
    command.first().is_some_and(|program| in_path(&words.text(program)))
}

/// What is not here that a build needs; nothing where all is. `what` is what is built.
pub(crate) fn lacks_for_build(what: &Message, build: &ClientBuild, words: &Words) -> Option<Message> {
    let program = build.needs.iter().find(|program| !in_path(&words.text(program)))?;
    Some(message!(build_lacks, what = what.clone(), program = words.text(program)))
}

/// Builds what was not built yet; otherwise says what is in the way.
pub(crate) fn build_once(
    what: &Message,
    build: &ClientBuild,
    words: &Words,
    guardian: &Guardian,
    interrupt: &AtomicBool,
) -> Result<(), Reason> {
    let what = || what.clone();
    let product = words.built.join(&build.product);
    if product.exists() {
        return Ok(());
    }
    if let Some(reason) = lacks_for_build(&what(), build, words) {
        return Err(reason.into());
    }
    let io = |error: std::io::Error| {
        Reason::from(message!(build_folder, what = what(), folder = words.built.display(), error))
    };
    words.place.parent().map_or(Ok(()), std::fs::create_dir_all).map_err(io)?;
    // The lock goes with the process, however that ends; who waited for it finds the work done.
    let _lock = lock(&words.place.with_extension("lock"), interrupt).map_err(io)?;
    if product.exists() {
        return Ok(());
    }
    let fresh = words.place.with_extension("building");
    remove(&fresh).map_err(io)?;
    let log = words.place.with_extension("build.log");
    remove(&log).map_err(io)?;
    eprintln!("kurabe: {}", message!(build_started, what = what(), log = log.display()));
    let start = Instant::now();
    run(&build.command, words, &fresh, &log, guardian, interrupt)
        .map_err(|why| message!(build_failed, what = what(), why))?;
    eprintln!("kurabe: {}", message!(build_done, what = what(), time = start.elapsed()));
    let made = fresh.join(&build.product);
    if !made.exists() {
        return Err(message!(build_no_product, what = what(), product = &build.product, log = log.display()).into());
    }
    std::fs::create_dir_all(&words.built).map_err(io)?;
    std::fs::rename(&made, &product).map_err(io)?;
    remove(&fresh).map_err(io)?;
    if !build.after.is_empty()
        && let Err(why) = run(&build.after, words, &fresh, &log.with_extension("after.log"), guardian, interrupt)
    {
        eprintln!("kurabe: {}", message!(build_slow_start, what = what(), why));
    }
    Ok(())
}

fn run(
    command: &[String],
    words: &Words,
    fresh: &Path,
    log: &Path,
    guardian: &Guardian,
    interrupt: &AtomicBool,
) -> Result<(), Reason> {
    let command: Vec<String> = command.iter().map(|word| word.replace("{build}", &fresh.to_string_lossy())).collect();
    let (program, args) = words.fill(&command);
    let scope = Scope {
        stdout: Stream::File(log.to_path_buf()),
        stderr: Stream::File(log.to_path_buf()),
        cwd: Some(words.sources.clone()),
        ..Scope::new(PathBuf::from(&program)).args(args)
    };
    let mut process = spawn(guardian, scope)?;
    match process.wait_unless(interrupt, BUILD_LIMIT)? {
        WaitOutcome::Ended(status) if status.success() => Ok(()),
        WaitOutcome::Ended(status) => Err(failed(how_it_ended(status), log).into()),
        WaitOutcome::Interrupted => Err(message!(build_interrupted).into()),
        WaitOutcome::TooLong => Err(message!(build_too_long, limit = BUILD_LIMIT, log = log.display()).into()),
    }
}

/// A build that failed, with the first line of its log that says what is wrong.
fn failed(how: Message, log: &Path) -> Message {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let line = text.lines().find(|line| line.contains("ERROR")).or_else(|| text.lines().find(|line| !line.is_empty()));
    let line = line.map(|line| line.chars().take(300).collect::<String>());
    match line {
        Some(line) => message!(build_ended, how, line, log = log.display()),
        None => message!(build_ended_silently, how, log = log.display()),
    }
}

/// Waits for whoever builds the same client now, no longer than until `interrupt` is set.
fn lock(path: &Path, interrupt: &AtomicBool) -> std::io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if interrupt.load(Ordering::Relaxed) => {
                return Err(std::io::Error::other(message!(build_lock_interrupted)));
            }
            Err(Errno::WOULDBLOCK) => std::thread::sleep(LOOK),
            locked => return locked.map(|()| file).map_err(std::io::Error::from),
        }
    }
}

/// Removes a file or folder that may be there.
pub(crate) fn remove(path: &Path) -> std::io::Result<()> {
    let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Whether a program can be found: a path as it is, a name in PATH.
fn in_path(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).exists();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_another_build_holds_is_not_waited_for_after_an_interrupt() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("lock");
        let held = lock(&path, &AtomicBool::new(false)).expect("the lock");
        assert!(lock(&path, &AtomicBool::new(true)).is_err());
        drop(held);
        assert!(lock(&path, &AtomicBool::new(true)).is_ok(), "nobody is waited for");
    }
}
