//! Clients that have to be built: once a version, in the cache, so that a build which is cut off leaves nothing half and
//! two at a time do not clash.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_service::{Guardian, Scope, Stream, Waited, spawn};
use kurabe_study::{ClientBuild, ClientDescriptor};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use crate::fault::LOOK;

/// A build fetches its libraries the first time.
const BUILD_LIMIT: Duration = Duration::from_secs(900);

/// What the placeholders in a client's descriptor stand for.
pub(crate) struct Words {
    replaced: Vec<(String, String)>,
    /// Folder of the sources.
    sources: PathBuf,
    /// Folder of what was built of exactly these sources.
    built: PathBuf,
}

impl Words {
    /// For a client whose sources are in the folder `sources` and a candidate with these settings.
    pub(crate) fn of(sources: PathBuf, client: &ClientDescriptor, settings: &BTreeMap<String, String>) -> Words {
        let built = sources.with_extension("built");
        let path = |path: &Path| path.to_string_lossy().into_owned();
        let mut replaced = vec![("{client}".to_string(), path(&sources)), ("{built}".to_string(), path(&built))];
        let options = client.option_values(settings).into_iter();
        replaced.extend(options.map(|(name, value)| (format!("{{option:{name}}}"), value)));
        Words { replaced, sources, built }
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

/// Whether a client was built, where it has to be, and the program is here that runs it.
pub(crate) fn is_built(client: &ClientDescriptor, words: &Words) -> bool {
    let built = client.build.as_ref().is_none_or(|build| words.built.join(&build.product).exists());
    built && client.run.first().is_some_and(|program| in_path(&words.text(program)))
}

/// What is not here that a client needs to be built; nothing where all is, or where it is not built at all.
pub(crate) fn lacks_for_build(client: &ClientDescriptor, words: &Words) -> Option<String> {
    let program = client.build.as_ref()?.needs.iter().find(|program| !in_path(&words.text(program)))?;
    Some(format!("the {} client must be built, and '{}' is not here", client.name, words.text(program)))
}

/// Builds a client where that was not done yet; otherwise says what is in the way.
pub(crate) fn build_client(
    client: &ClientDescriptor,
    build: &ClientBuild,
    words: &Words,
    guardian: &Guardian,
    interrupt: &AtomicBool,
) -> Result<(), String> {
    let product = words.built.join(&build.product);
    if product.exists() {
        return Ok(());
    }
    let name = &client.name;
    if let Some(reason) = lacks_for_build(client, words) {
        return Err(reason);
    }
    let io =
        |error: std::io::Error| format!("the {name} client cannot be built in '{}': {error}", words.built.display());
    // The lock goes with the process, however that ends; who waited for it finds the work done.
    let _lock = lock(&words.sources.with_extension("lock"), interrupt).map_err(io)?;
    if product.exists() {
        return Ok(());
    }
    let fresh = words.sources.with_extension("building");
    remove(&fresh).map_err(io)?;
    let log = words.sources.with_extension("build.log");
    remove(&log).map_err(io)?;
    eprintln!(
        "kurabe: building the {name} client, once for this version; its libraries are fetched the first time, which may take \
         minutes; see '{}'",
        log.display()
    );
    let start = Instant::now();
    run(&build.command, words, &fresh, &log, guardian, interrupt)
        .map_err(|why| format!("the {name} client cannot be built: {why}"))?;
    eprintln!("kurabe: the {name} client is built, in {} s", start.elapsed().as_secs());
    let made = fresh.join(&build.product);
    if !made.exists() {
        return Err(format!("the {name} client was built without '{}'; see '{}'", build.product, log.display()));
    }
    std::fs::create_dir_all(&words.built).map_err(io)?;
    std::fs::rename(&made, &product).map_err(io)?;
    remove(&fresh).map_err(io)?;
    if !build.after.is_empty()
        && let Err(why) = run(&build.after, words, &fresh, &log.with_extension("after.log"), guardian, interrupt)
    {
        eprintln!("kurabe: the {name} client works, but starts more slowly than it could: {why}");
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
) -> Result<(), String> {
    let command: Vec<String> = command.iter().map(|word| word.replace("{build}", &fresh.to_string_lossy())).collect();
    let (program, args) = words.fill(&command);
    let scope = Scope {
        stdout: Stream::File(log.to_path_buf()),
        stderr: Stream::File(log.to_path_buf()),
        cwd: Some(words.sources.clone()),
        ..Scope::new(PathBuf::from(&program)).args(args)
    };
    let mut process = spawn(guardian, scope).map_err(|error| error.to_string())?;
    match process.wait_unless(interrupt, BUILD_LIMIT).map_err(|error| error.to_string())? {
        Waited::Ended(status) if status.success() => Ok(()),
        Waited::Ended(status) => Err(format!("its build ended with {status}: {}", first_error(log))),
        Waited::Interrupted => Err("its build was interrupted".into()),
        Waited::TooLong => {
            Err(format!("its build took longer than {} s; see '{}'", BUILD_LIMIT.as_secs(), log.display()))
        }
    }
}

/// The first line of a build's log that says what is wrong, and where the rest stands.
fn first_error(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let line = text.lines().find(|line| line.contains("ERROR")).or_else(|| text.lines().find(|line| !line.is_empty()));
    let line: String = line.unwrap_or("it said nothing").chars().take(300).collect();
    format!("{line}; see '{}'", log.display())
}

/// Waits for whoever builds the same client now, no longer than until `interrupt` is set.
fn lock(path: &Path, interrupt: &AtomicBool) -> std::io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if interrupt.load(Ordering::Relaxed) => {
                return Err(std::io::Error::other("interrupted while another run builds it"));
            }
            Err(Errno::WOULDBLOCK) => std::thread::sleep(LOOK),
            locked => return locked.map(|()| file).map_err(std::io::Error::from),
        }
    }
}

/// Removes a file or folder that may be there.
fn remove(path: &Path) -> std::io::Result<()> {
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
