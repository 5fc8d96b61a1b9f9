//! The client's end of the protocol: lines in, lines out.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use kurabe_protocol::{Command, Event, Job, Secrets, excerpt};

/// Why a client ends before its job does.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The job is refused.
    #[error("{0}")]
    Refused(String),
    /// The job cannot go on.
    #[error("{0}")]
    Failed(String),
    /// The harness is gone: stdin ended without `stop`.
    #[error("stdin ended before 'stop'")]
    Abandoned,
}

impl ClientError {
    pub(crate) fn exit_status(&self) -> i32 {
        match self {
            ClientError::Failed(_) => 1,
            ClientError::Refused(_) => 2,
            ClientError::Abandoned => 3,
        }
    }
}

/// Stdin and descriptor 1 of a client.
#[derive(Clone)]
pub(crate) struct Wire {
    input: Arc<Mutex<Input>>,
    out: Arc<File>,
    /// Set when stdin ended without `stop`; workers look at it between blocks.
    pub(crate) abort: Arc<AtomicBool>,
    /// What the job's address holds that nothing which is said may hold.
    secrets: Arc<OnceLock<Secrets>>,
}

/// What came on stdin. It is read by whoever waits or looks, never by a thread of its own: see [`crate::blocking`].
#[derive(Default)]
struct Input {
    /// The start of a line whose end has not come.
    partial: Vec<u8>,
    lines: VecDeque<Line>,
    stopped: bool,
    ended: bool,
}

enum Line {
    Command(Command),
    Bad(String),
}

impl Wire {
    /// Keeps a private copy of stdout for events and points descriptor 1 at stderr (libraries print there).
    pub(crate) fn open() -> Result<Wire, ClientError> {
        let failed = |error: std::io::Error| ClientError::Failed(format!("cannot set up stdout: {error}"));
        let out: OwnedFd = std::io::stdout().as_fd().try_clone_to_owned().map_err(failed)?;
        rustix::stdio::dup2_stdout(std::io::stderr()).map_err(|error| failed(error.into()))?;
        Ok(Wire {
            input: Arc::default(),
            out: Arc::new(File::from(out)),
            abort: Arc::default(),
            secrets: Arc::default(),
        })
    }

    /// The job, which comes first; what its address holds is in no line from then on.
    pub(crate) fn first_job(&self) -> Result<Box<Job>, ClientError> {
        match self.next()? {
            Command::Job(job) => {
                self.secrets.get_or_init(|| Secrets::of(job.url.as_deref()));
                Ok(job)
            }
            other => Err(ClientError::Refused(format!("expected a job first, got '{}'", excerpt(&other.to_line())))),
        }
    }

    /// The next command; waits for it.
    pub(crate) fn next(&self) -> Result<Command, ClientError> {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            match input.lines.pop_front() {
                Some(Line::Command(command)) => return Ok(command),
                Some(Line::Bad(error)) => return Err(ClientError::Refused(error)),
                None if input.ended => return Err(ClientError::Abandoned),
                None => input.read(),
            }
        }
    }

    /// Looks at stdin without waiting: its end without `stop` aborts.
    pub(crate) fn look(&self) {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        while !input.ended && readable() {
            input.read();
        }
        if input.ended && !input.stopped {
            self.abort.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn say(&self, mut event: Event) -> Result<(), ClientError> {
        if let Some(secrets) = self.secrets.get() {
            event.hide(secrets);
        }
        let mut line = event.to_line();
        line.push('\n');
        // A harness that does not read any more is gone.
        (&*self.out).write_all(line.as_bytes()).map_err(|_| ClientError::Abandoned)
    }
}

impl Input {
    /// Reads what is there, and waits where nothing is.
    fn read(&mut self) {
        let mut bytes = [0; 16 << 10];
        match rustix::io::read(std::io::stdin(), &mut bytes) {
            Ok(0) => self.ended = true,
            Ok(count) => self.take(&bytes[..count]),
            Err(rustix::io::Errno::INTR | rustix::io::Errno::AGAIN) => {}
            Err(_) => self.ended = true,
        }
        if self.ended && !self.partial.is_empty() {
            let line = std::mem::take(&mut self.partial);
            self.line(&line);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.partial.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut self.partial);
                self.line(&line);
            }
        }
    }

    fn line(&mut self, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        if text.trim().is_empty() {
            return;
        }
        let line = match Command::parse(text.trim_end()) {
            Ok(command) => {
                self.stopped |= command == Command::Stop;
                Line::Command(command)
            }
            Err(error) => Line::Bad(error.to_string()),
        };
        self.lines.push_back(line);
    }
}

/// Whether stdin has something to read, its end included.
fn readable() -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let mut waits = [PollFd::new(&stdin, PollFlags::IN)];
    poll(&mut waits, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}
