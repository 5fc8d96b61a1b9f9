//! How a run is asked for, and who is told what happens.

use std::path::PathBuf;

use kurabe_messages::Message;
use kurabe_protocol::Phase;
use kurabe_record::{Disturbance, JobRecord, Loaded, SkippedRecord};
use kurabe_service::BusyProgram;

use crate::resolve::Remote;

/// Who is told what happens during a run.
pub trait Observer {
    /// What takes part and what does not, before anything is measured, and what is measured already.
    fn planned(&self, _loaded: &Loaded) {}
    /// A job starts.
    fn job(&self, _job: &Starting<'_>) {}
    /// A phase starts.
    fn phase(&self, _name: &str, _phase: &Phase) {}
    /// Operations of the phase so far.
    fn progress(&self, _operations: u64) {}
    /// A job is recorded; with what disturbed it.
    fn done(&self, _record: &JobRecord, _disturbed: Option<&Disturbed>) {}
    /// A candidate is not measured any further, or its job was stopped.
    fn skipped(&self, _skipped: &SkippedRecord) {}
    /// Something is left that the user must look after.
    fn warn(&self, _message: &Message) {}
}

/// Nobody hears of it.
pub struct NoObserver;

impl Observer for NoObserver {}

/// A job that starts.
#[derive(Clone, Copy, Debug)]
pub struct Starting<'a> {
    /// Number of the job, from 0.
    pub number: u32,
    /// Number of the configuration.
    pub config: usize,
    /// Round, from 0.
    pub round: u32,
    /// Candidate.
    pub candidate: &'a str,
}

/// What disturbed a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Disturbed {
    /// Who took how much of the processors.
    pub disturbance: Disturbance,
    /// The other program that used most, where it was one and is known.
    pub program: Option<BusyProgram>,
}

/// Where and how a run takes place.
#[derive(Clone, Debug)]
pub struct Options {
    /// Folder in which data folders are made; it exists.
    pub dir: PathBuf,
    /// Folder of the results.
    pub out: PathBuf,
    /// Data folders stay.
    pub keep: DataRetention,
    /// Whether load may go to another machine.
    pub remote: Remote,
    /// Whether a server at an address may throw away what others keep there.
    pub evictions: Evictions,
    /// How the user kills and starts the server at an address, where it may be killed.
    pub own_server: Option<OwnServer>,
    /// What is done about other programs that keep the processors busy.
    pub others: OtherPrograms,
    /// The command that repeats the run.
    pub command: String,
}

/// Commands of the user who runs the server that is measured, for `sh -c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnServer {
    /// Kills it, as a crash would.
    pub kill: String,
    /// Starts it on what it left.
    pub start: String,
}

/// What is done about other programs that keep the processors busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherPrograms {
    /// They are waited for, a while, and jobs that they disturbed are measured again.
    Avoided,
    /// It is measured beside them.
    Borne,
}

/// What becomes of a server at an address that throws rows away where its memory ends: a run could cost its users
/// theirs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evictions {
    /// It is refused.
    Refused,
    /// It is measured.
    Allowed,
}

/// What becomes of data folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataRetention {
    /// They are removed.
    Nothing,
    /// They stay.
    Data,
}
