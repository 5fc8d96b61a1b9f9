//! The folder of a run: `run.json`, `jobs.jsonl`, `logs/`, `report.html`. One that is kept for good may hold the first two
//! compressed by xz, `run.json.xz` and `jobs.jsonl.xz`, which are read where the plain file is not there, and never written.
//!
//! A line of `jobs.jsonl` is `{"crc32": "…", "entry": {…}}`; the checksum is that of the entry's
//! bytes as they stand in the line. Every line is synced before the next job starts. A last line
//! that was cut off by a crash is moved to `damaged.jsonl`, and its job runs again on resume.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::lines::{Lines, open_if_there, unpacked};
use crate::{Configuration, EndRecord, FORMAT, JobRecord, RepeatRecord, RunRecord, SkippedRecord, check};

const RUN: &str = "run.json";
const RUN_PACKED: &str = "run.json.xz";
pub(crate) const JOBS: &str = "jobs.jsonl";
pub(crate) const JOBS_PACKED: &str = "jobs.jsonl.xz";
const DAMAGED: &str = "damaged.jsonl";
const LOGS: &str = "logs";
/// Most bytes of `run.json`.
const MOST_RUN_BYTES: u64 = 256 << 20;

/// A line of `jobs.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A job was done.
    Job(Box<JobRecord>),
    /// A candidate is not measured any further at a configuration: the budget is too short.
    Skipped(SkippedRecord),
    /// A job that was recorded is run again, since it was disturbed.
    Repeat(RepeatRecord),
    /// The run, or one sitting of it, ended.
    End(EndRecord),
}

/// Why a folder of a run cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It holds a run.
    #[error(
        "'{0}' exists already; choose another folder with --out, or go on with that run by 'kurabe run --resume {0}'"
    )]
    Exists(String),
    /// It is no folder, or one that holds something else.
    #[error("'{path}' exists already and {what}; choose another folder with --out")]
    Occupied {
        /// What was named.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// It cannot be made.
    #[error("cannot make the folder '{path}': {source}; choose a folder that can be written with --out")]
    Make {
        /// The folder.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
    /// It is no folder of a run.
    #[error("'{path}' is no folder of a run: {reason}")]
    NoRun {
        /// The folder.
        path: String,
        /// What is missing.
        reason: String,
    },
    /// It was removed while the run was under way.
    #[error("'{0}' is gone: somebody has removed it, and what was recorded in it is lost")]
    Gone(String),
    /// Another process works in it.
    #[error("another kurabe is working in '{0}'; wait for it, or choose another folder with --out")]
    InUse(String),
    /// It was written by another version.
    #[error("'{path}' has format {got}, this kurabe reads format {FORMAT}; use the kurabe that wrote it")]
    Format {
        /// The folder.
        path: String,
        /// Its format.
        got: u64,
    },
    /// A line in the middle is damaged.
    #[error(
        "'{path}' is damaged in line {line}: {reason}; the lines before it can be kept by removing it and what follows"
    )]
    Damaged {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// Reading or writing failed.
    #[error("cannot {action} '{path}': {source}{}", remedy(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: String,
        /// The system's answer.
        source: std::io::Error,
    },
}

fn remedy(error: &std::io::Error) -> &'static str {
    match error.kind() {
        std::io::ErrorKind::StorageFull => "; free some space, then 'kurabe run --resume' goes on",
        std::io::ErrorKind::ReadOnlyFilesystem
        | std::io::ErrorKind::PermissionDenied
        | std::io::ErrorKind::NotADirectory => "; choose a folder that can be written with --out",
        _ => "",
    }
}

/// A last line that was cut off or altered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

/// A line that says what stands in the record already: a job or a skip of the same candidate, configuration and round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Number of the line, from 1.
    pub line: usize,
}

/// A run as read from its folder.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What it set out to do.
    pub run: RunRecord,
    /// What was measured, in order; each job once.
    pub jobs: Vec<JobRecord>,
    /// Jobs that are measured again, since the machine below or other programs disturbed them: they count for nothing.
    pub superseded: Vec<JobRecord>,
    /// Numbers of those of them that counted once, before somebody asked for the disturbed jobs again.
    pub repeats: Vec<u32>,
    /// Candidates that are not measured any further, and jobs that were stopped, in order; each skipped once.
    pub skipped: Vec<SkippedRecord>,
    /// Lines that were left out because they repeat one before.
    pub repeated: Vec<Repeated>,
    /// How it ended, if it did.
    pub end: Option<EndRecord>,
    /// The last line, where it is damaged; its job is not in `jobs`.
    pub damaged: Option<Damaged>,
}

/// The folder of a run that is being written. The lock on `run.json` lasts as long as this value.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    jobs: File,
    _lock: File,
}

#[derive(Serialize)]
struct LineOut<'a> {
    crc32: String,
    entry: &'a RawValue,
}

#[derive(Deserialize)]
struct LineIn<'a> {
    crc32: String,
    #[serde(borrow)]
    entry: &'a RawValue,
}

impl RunFolder {
    /// Makes the folder of a new run and writes `run.json`. The folder must not exist, or be empty. Of two at a time one
    /// gets it.
    pub fn create(path: &Path, run: &RunRecord) -> Result<RunFolder, FolderError> {
        RunFolder::check_free(path)?;
        let make = |source| FolderError::Make { path: path.display().to_string(), source };
        std::fs::create_dir_all(path).map_err(make)?;
        let text = serde_json::to_string_pretty(run).map_err(|error| failed_io("write", path, error.into()))?;
        let file = path.join(RUN);
        match File::create_new(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(FolderError::InUse(path.display().to_string()));
            }
            other => other.and_then(|file| write_synced(file, text.as_bytes())),
        }
        .map_err(|source| failed_io("write", &file, source))?;
        let logs = path.join(LOGS);
        std::fs::create_dir_all(&logs).map_err(|source| failed_io("make the folder", &logs, source))?;
        let jobs = path.join(JOBS);
        File::create(&jobs).map_err(|source| failed_io("make", &jobs, source))?;
        RunFolder::open(path)
    }

    /// Refuses what is no empty folder, with the words that fit what is there: asked before anything is waited for.
    ///
    /// # Errors
    /// There is a run already, or something else.
    pub fn check_free(path: &Path) -> Result<(), FolderError> {
        let shown = || path.display().to_string();
        let is_empty = || path.read_dir().is_ok_and(|mut entries| entries.next().is_none());
        if !path.exists() || (path.is_dir() && is_empty()) {
            return Ok(());
        }
        match kurabe_machine::open_file(&path.join(RUN)) {
            Ok(run) => match flock(&run) {
                Ok(()) => Err(FolderError::Exists(shown())),
                Err(_) => Err(FolderError::InUse(shown())),
            },
            Err(_) => {
                let what = if path.is_dir() { "holds something that is no run" } else { "is no folder" };
                Err(FolderError::Occupied { path: shown(), what })
            }
        }
    }

    /// Opens the folder of a run to go on with it. A damaged last line is moved away.
    pub fn resume(path: &Path) -> Result<(RunFolder, Loaded), FolderError> {
        let folder = RunFolder::open(path)?;
        let loaded = Loaded::read(path)?;
        if loaded.damaged.is_some() {
            move_last_line_away(path)?;
        }
        Ok((folder, loaded))
    }

    fn open(path: &Path) -> Result<RunFolder, FolderError> {
        let run = path.join(RUN);
        let lock = kurabe_machine::open_file(&run).map_err(|source| no_run(path, &source))?;
        flock(&lock).map_err(|_| FolderError::InUse(path.display().to_string()))?;
        // Somebody may have cleared away the logs of an earlier sitting.
        let logs = path.join(LOGS);
        std::fs::create_dir_all(&logs).map_err(|source| failed_io("make the folder", &logs, source))?;
        let jobs = path.join(JOBS);
        open_if_there(&jobs)?;
        let file = OpenOptions::new()
            .append(true)
            .create(true)
            .open(&jobs)
            .map_err(|source| failed_io("open", &jobs, source))?;
        Ok(RunFolder { path: path.to_path_buf(), jobs: file, _lock: lock })
    }

    /// Appends an entry and syncs it. Where that fails nothing of the line is left behind.
    pub fn append(&mut self, entry: &Entry) -> Result<(), FolderError> {
        let path = self.path.join(JOBS);
        let failed = |source| failed_io("write", &path, source);
        let metadata = self.jobs.metadata().map_err(failed)?;
        if metadata.nlink() == 0 {
            // A file without a name takes lines that nobody will ever read.
            return Err(FolderError::Gone(self.path.display().to_string()));
        }
        let before = metadata.len();
        let line = to_line(entry).map_err(failed)?;
        let written = self.jobs.write_all(line.as_bytes()).and_then(|()| self.jobs.sync_data());
        if written.is_err() {
            // A part of a line would be reported as damage later; the file still has room for less.
            let _ = self.jobs.set_len(before);
        }
        written.map_err(failed)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for logs.
    pub fn logs(&self) -> PathBuf {
        self.path.join(LOGS)
    }
}

impl Loaded {
    /// Reads the folder of a run without changing anything in it.
    pub fn read(path: &Path) -> Result<Loaded, FolderError> {
        let run = read_run(path)?;
        let mut lines = Lines::open(path)?;
        let mut loaded = Loaded {
            run,
            jobs: Vec::new(),
            superseded: Vec::new(),
            repeats: Vec::new(),
            skipped: Vec::new(),
            repeated: Vec::new(),
            end: None,
            damaged: None,
        };
        let mut known = BTreeSet::new();
        let mut line = Vec::new();
        while lines.next_into(&mut line)? {
            let number = lines.number();
            match from_line(&line, &loaded.run.plan.configurations) {
                Ok(entry) => loaded.add(entry, number, &mut known),
                Err(reason) if !lines.next_into(&mut line)? => loaded.damaged = Some(Damaged { line: number, reason }),
                Err(reason) => {
                    return Err(FolderError::Damaged {
                        path: lines.path().display().to_string(),
                        line: number,
                        reason,
                    });
                }
            }
        }
        Ok(loaded)
    }

    /// The next entry of the record. What a line says again counts once: a record that was copied together must not have
    /// more rounds than were measured.
    fn add(&mut self, entry: Entry, line: usize, known: &mut BTreeSet<(u32, u32, String)>) {
        let is_new = match &entry {
            Entry::Job(job) if job.superseded.is_some() => {
                !self.superseded.iter().any(|known| known.number == job.number)
            }
            Entry::Job(job) => known.insert((job.configuration, job.round, job.candidate.clone())),
            // One that was stopped may be stopped again, later.
            Entry::Skipped(skipped) => !self.skipped.contains(skipped),
            Entry::Repeat(repeat) => !self.repeats.contains(&repeat.number),
            Entry::End(_) => true,
        };
        match entry {
            _ if !is_new => self.repeated.push(Repeated { line }),
            Entry::Job(job) => {
                let kept = if job.superseded.is_some() { &mut self.superseded } else { &mut self.jobs };
                kept.push(*job);
                self.end = None;
            }
            Entry::Skipped(skipped) => {
                self.skipped.push(skipped);
                self.end = None;
            }
            Entry::Repeat(repeat) => {
                if let Some(job) = self.repeat(&repeat) {
                    known.remove(&(job.configuration, job.round, job.candidate.clone()));
                    self.superseded.push(job);
                }
                self.end = None;
            }
            Entry::End(end) => self.end = Some(end),
        }
    }

    /// Takes a job out of those that count; `None` where it is not among them.
    fn repeat(&mut self, repeat: &RepeatRecord) -> Option<JobRecord> {
        self.repeats.push(repeat.number);
        let at = self.jobs.iter().position(|job| job.number == repeat.number)?;
        Some(JobRecord { superseded: Some(repeat.share), ..self.jobs.remove(at) })
    }
}

/// The text of `run.json`, or of what it was compressed to.
fn run_text(path: &Path) -> std::io::Result<String> {
    let is_absent = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    let absent = match kurabe_machine::read_text(&path.join(RUN), MOST_RUN_BYTES) {
        Err(error) if is_absent(&error) => error,
        other => return other,
    };
    let packed = match kurabe_machine::open_file(&path.join(RUN_PACKED)) {
        Err(error) if is_absent(&error) => return Err(absent),
        other => other?,
    };
    let mut text = String::new();
    match unpacked(packed).take(MOST_RUN_BYTES).read_to_string(&mut text) {
        Ok(bytes) if bytes as u64 == MOST_RUN_BYTES => Err(std::io::ErrorKind::FileTooLarge.into()),
        Ok(_) => Ok(text),
        // Whatever it is, the file is not what it should be.
        Err(error) => Err(std::io::Error::new(std::io::ErrorKind::InvalidData, error.to_string())),
    }
}

fn read_run(path: &Path) -> Result<RunRecord, FolderError> {
    let text = run_text(path).map_err(|source| no_run(path, &source))?;
    let shown = path.display().to_string();
    let value: serde_json::Value = serde_json::from_str(&text)
        .map_err(|error| FolderError::NoRun { path: shown.clone(), reason: format!("run.json is no JSON: {error}") })?;
    let format = value.get("format").and_then(serde_json::Value::as_u64).unwrap_or(0);
    if format != u64::from(FORMAT) {
        return Err(FolderError::Format { path: shown, got: format });
    }
    let run: RunRecord = serde_json::from_value(value)
        .map_err(|error| FolderError::NoRun { path: shown.clone(), reason: format!("run.json: {error}") })?;
    check::run(&run).map_err(|reason| FolderError::NoRun { path: shown, reason: format!("run.json: {reason}") })?;
    Ok(run)
}

fn to_line(entry: &Entry) -> Result<String, std::io::Error> {
    let entry = serde_json::value::to_raw_value(entry)?;
    let crc32 = format!("{:08x}", crc32fast::hash(entry.get().as_bytes()));
    let mut line = serde_json::to_string(&LineOut { crc32, entry: &entry })?;
    line.push('\n');
    Ok(line)
}

/// The entry of a line.
fn from_line(line: &[u8], configs: &[Configuration]) -> Result<Entry, String> {
    let Some(line) = line.strip_suffix(b"\n") else { return Err("it is cut off".into()) };
    let line: LineIn<'_> = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    let crc32 = format!("{:08x}", crc32fast::hash(line.entry.get().as_bytes()));
    if crc32 != line.crc32 {
        return Err(format!("its checksum is {crc32}, not {}", line.crc32));
    }
    let entry: Entry = serde_json::from_str(line.entry.get()).map_err(|error| error.to_string())?;
    check::entry(&entry, configs).map(|()| entry)
}

/// Nothing is lost: the bytes go to `damaged.jsonl` before they leave `jobs.jsonl`.
fn move_last_line_away(path: &Path) -> Result<(), FolderError> {
    let jobs = path.join(JOBS);
    let text = std::fs::read(&jobs).map_err(|source| failed_io("read", &jobs, source))?;
    let end = text.strip_suffix(b"\n").unwrap_or(&text);
    let keep = end.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let damaged = path.join(DAMAGED);
    let append = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(&damaged)?;
        file.write_all(&text[keep..])?;
        file.write_all(if text.ends_with(b"\n") { b"" } else { b"\n" })?;
        file.sync_data()
    };
    append().map_err(|source| failed_io("write", &damaged, source))?;
    let shorten = || -> std::io::Result<()> {
        let file = OpenOptions::new().write(true).open(&jobs)?;
        file.set_len(keep as u64)?;
        file.sync_data()
    };
    shorten().map_err(|source| failed_io("shorten", &jobs, source))
}

fn write_synced(mut file: File, bytes: &[u8]) -> std::io::Result<()> {
    file.write_all(bytes)?;
    file.write_all(b"\n")?;
    file.sync_all()
}

/// Takes the lock of a run, which lasts as long as the file is open.
fn flock(run: &File) -> rustix::io::Result<()> {
    rustix::fs::flock(run, rustix::fs::FlockOperation::NonBlockingLockExclusive)
}

pub(crate) fn failed_io(action: &'static str, path: &Path, source: std::io::Error) -> FolderError {
    FolderError::Io { action, path: path.display().to_string(), source }
}

fn no_run(path: &Path, error: &std::io::Error) -> FolderError {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound if path.exists() => "it holds no run.json".to_string(),
        std::io::ErrorKind::NotFound => "it does not exist".to_string(),
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData | std::io::ErrorKind::FileTooLarge => {
            format!("run.json: {error}")
        }
        _ => error.to_string(),
    };
    FolderError::NoRun { path: path.display().to_string(), reason }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
