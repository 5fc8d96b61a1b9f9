//! The folder of a run: `run.json`, `jobs.jsonl`, `logs/`, `report.html`.
//!
//! A run may take hours and may be killed at any moment. So a finished job is one line that is appended and synced
//! before the next job starts. A kill costs the job under way and no other. Lines are never changed: a decision to
//! repeat or skip a job is a further line. Nothing derived is stored, so a later Kurabe can judge an old run by better
//! rules.
//!
//! A line of `jobs.jsonl` is `{"crc32": "…", "entry": {…}}`; the checksum is that of the entry's bytes as they stand in
//! the line. A last line that a crash truncated moves to `damaged.jsonl`, and its job runs again on resume. Damage in
//! the middle is an error, because Kurabe skips no line silently.
//!
//! A run that is kept for good may hold `run.json.xz` and `jobs.jsonl.xz` instead. Kurabe reads those where the plain
//! file is absent, and never writes them. Uncompressed plans were 27,000 lines of the source tree (commit c7eda30d).

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use kurabe_messages::{Message, message};
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
    #[error("{}", message!(record_exists, path = .0))]
    Exists(String),
    /// It is no folder, or one that holds something else.
    #[error("{0}")]
    Occupied(Message),
    /// It cannot be made.
    #[error("{}", message!(record_make, path, error = .error))]
    Make {
        /// The folder.
        path: String,
        /// The system's answer.
        error: std::io::Error,
    },
    /// It is no folder of a run.
    #[error("{}", message!(record_no_run, path, reason = .reason.clone()))]
    NoRun {
        /// The folder.
        path: String,
        /// What is missing.
        reason: Message,
    },
    /// It was removed while the run was under way.
    #[error("{}", message!(record_gone, path = .0))]
    Gone(String),
    /// Another process works in it.
    #[error("{}", message!(record_in_use, path = .0))]
    InUse(String),
    /// It was written by another version.
    #[error("{}", message!(record_format, path, got = *.got, format = FORMAT))]
    Format {
        /// The folder.
        path: String,
        /// Its format.
        got: u64,
    },
    /// A line in the middle is damaged.
    #[error("{}", message!(record_damaged, path, line = *.line, reason = .reason.clone()))]
    Damaged {
        /// The file.
        path: String,
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        reason: Message,
    },
    /// Reading or writing failed.
    #[error("{0}")]
    Io(Message),
}

fn remedy(error: &std::io::Error) -> Option<Message> {
    match error.kind() {
        std::io::ErrorKind::StorageFull => Some(message!(record_free_space)),
        std::io::ErrorKind::ReadOnlyFilesystem
        | std::io::ErrorKind::PermissionDenied
        | std::io::ErrorKind::NotADirectory => Some(message!(record_choose_folder)),
        _ => None,
    }
}

/// A last line that was cut off or altered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Number of the line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: Message,
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
        std::fs::create_dir_all(path).map_err(|error| cannot_make(path, error))?;
        let text = serde_json::to_string_pretty(run).map_err(|error| cannot_write(path, error.into()))?;
        let file = path.join(RUN);
        match File::create_new(&file) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(FolderError::InUse(path.display().to_string()));
            }
            other => other.and_then(|file| write_synced(file, text.as_bytes())),
        }
        .map_err(|error| cannot_write(&file, error))?;
        let logs = path.join(LOGS);
        std::fs::create_dir_all(&logs).map_err(|error| cannot_make(&logs, error))?;
        let jobs = path.join(JOBS);
        File::create(&jobs).map_err(|error| cannot_write(&jobs, error))?;
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
                let (path, is_dir) = (shown(), path.is_dir());
                let other = || message!(record_other_content, path = &path);
                Err(FolderError::Occupied(if is_dir { other() } else { message!(record_no_folder, path = &path) }))
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
        std::fs::create_dir_all(&logs).map_err(|error| cannot_make(&logs, error))?;
        let jobs = path.join(JOBS);
        open_if_there(&jobs)?;
        let file =
            OpenOptions::new().append(true).create(true).open(&jobs).map_err(|error| cannot_write(&jobs, error))?;
        Ok(RunFolder { path: path.to_path_buf(), jobs: file, _lock: lock })
    }

    /// Appends an entry and syncs it. Where that fails nothing of the line is left behind.
    pub fn append(&mut self, entry: &Entry) -> Result<(), FolderError> {
        let path = self.path.join(JOBS);
        let failed = |error| cannot_write(&path, error);
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
    let no_run = |reason: Message| FolderError::NoRun { path: shown.clone(), reason };
    let value: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| no_run(message!(record_run_no_json, error)))?;
    let format = match value.get("format") {
        None => 0,
        Some(format) => format.as_u64().ok_or_else(|| no_run(message!(record_format_no_number, value = format)))?,
    };
    if format != u64::from(FORMAT) {
        return Err(FolderError::Format { path: shown, got: format });
    }
    let wrong = |error: Message| no_run(message!(record_run_json, error));
    let run: RunRecord = serde_json::from_value(value).map_err(|error| wrong(message!(text_quoted, text = error)))?;
    check::run(&run).map_err(wrong)?;
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
fn from_line(line: &[u8], configs: &[Configuration]) -> Result<Entry, Message> {
    let quoted = |error: serde_json::Error| message!(text_quoted, text = error);
    let Some(line) = line.strip_suffix(b"\n") else { return Err(message!(record_cut_off)) };
    let line: LineIn<'_> = serde_json::from_slice(line).map_err(quoted)?;
    let crc32 = format!("{:08x}", crc32fast::hash(line.entry.get().as_bytes()));
    if crc32 != line.crc32 {
        return Err(message!(record_checksum, found = crc32, written = line.crc32));
    }
    let entry: Entry = serde_json::from_str(line.entry.get()).map_err(quoted)?;
    check::entry(&entry, configs).map(|()| entry)
}

/// Nothing is lost: the bytes go to `damaged.jsonl` before they leave `jobs.jsonl`.
fn move_last_line_away(path: &Path) -> Result<(), FolderError> {
    let jobs = path.join(JOBS);
    let text = std::fs::read(&jobs).map_err(|error| cannot_read(&jobs, error))?;
    let end = text.strip_suffix(b"\n").unwrap_or(&text);
    let keep = end.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let damaged = path.join(DAMAGED);
    let append = || -> std::io::Result<()> {
        let mut file = OpenOptions::new().append(true).create(true).open(&damaged)?;
        file.write_all(&text[keep..])?;
        file.write_all(if text.ends_with(b"\n") { b"" } else { b"\n" })?;
        file.sync_data()
    };
    append().map_err(|error| cannot_write(&damaged, error))?;
    let shorten = || -> std::io::Result<()> {
        let file = OpenOptions::new().write(true).open(&jobs)?;
        file.set_len(keep as u64)?;
        file.sync_data()
    };
    shorten().map_err(|error| cannot_write(&jobs, error))
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

fn cannot_make(path: &Path, error: std::io::Error) -> FolderError {
    FolderError::Make { path: path.display().to_string(), error }
}

fn cannot_write(path: &Path, error: std::io::Error) -> FolderError {
    let remedy = remedy(&error);
    FolderError::Io(message!(record_cannot_write, path = path.display(), error, remedy))
}

pub(crate) fn cannot_read(path: &Path, error: std::io::Error) -> FolderError {
    let remedy = remedy(&error);
    FolderError::Io(message!(record_cannot_read, path = path.display(), error, remedy))
}

fn no_run(path: &Path, error: &std::io::Error) -> FolderError {
    let reason = match error.kind() {
        std::io::ErrorKind::NotFound if path.exists() => message!(record_no_run_json),
        std::io::ErrorKind::NotFound => message!(record_absent),
        std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData | std::io::ErrorKind::FileTooLarge => {
            message!(record_run_json, error = message!(text_quoted, text = error))
        }
        _ => message!(text_quoted, text = error),
    };
    FolderError::NoRun { path: path.display().to_string(), reason }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
