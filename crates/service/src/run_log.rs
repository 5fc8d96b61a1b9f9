//! The part of a log that one process writes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::ServiceError;
use crate::owned::give_to;
use crate::{Account, log};

/// Name of a service's log in its folder.
pub const SERVICE_LOG: &str = "service.log";
/// So many lines of a log go into a message.
const LOG_LINES: usize = 15;

/// A log, and where in it the present process began to write.
#[derive(Clone, Debug)]
pub(crate) struct RunLog {
    pub path: PathBuf,
    from: u64,
}

/// Opens a log for one more process that runs as `account` and may also open it by name.
pub(crate) fn run_log(path: &Path, account: Option<&Account>) -> Result<RunLog, ServiceError> {
    let open = fs::OpenOptions::new().create(true).append(true).open(path).and_then(|file| file.metadata());
    let from = open.map_err(|source| ServiceError::io("open", path, source))?.len();
    give_to(path, account)?;
    Ok(RunLog { path: path.to_path_buf(), from })
}

impl RunLog {
    /// Its last lines, as many as go into a message, without secrets.
    pub fn tail(&self, variables: &BTreeMap<String, String>) -> String {
        self.last_lines(LOG_LINES, variables)
    }

    /// Its last `count` lines, without secrets.
    pub fn last_lines(&self, count: usize, variables: &BTreeMap<String, String>) -> String {
        log::tail(&self.path, self.from, count, variables)
    }

    /// Whether the process says that its port was taken.
    pub fn says_port_taken(&self) -> bool {
        self.tail(&BTreeMap::new()).to_ascii_lowercase().contains("address already in use")
    }
}
