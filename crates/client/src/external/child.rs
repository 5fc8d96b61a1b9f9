//! The child: lines out, lines in.

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::os::unix::process::{CommandExt, ExitStatusExt, parent_id};
use std::process::{self, ChildStdin, Command, Stdio};
use std::time::Duration;

use kurabe_protocol::CallName;
use kurabe_protocol::message::DRIVER_ENDED;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::fcntl_dupfd_cloexec;
use serde_json::{Map, Value, json};

use super::starts::Starts;
use super::stream;
use crate::adapter::StoreError;

/// A child that ends may take so long before its end is told without a status.
const END: Duration = Duration::from_millis(500);
/// The descriptors that a child says its lines on and reads planned starts from.
const LINES: RawFd = 3;
const STARTS: RawFd = 4;
/// Those of this process from which they are copied are higher.
const ABOVE: RawFd = 10;
/// The signal that nobody can refuse.
const KILLED: i32 = 9;
/// Longest line.
const MOST_LINE_BYTES: usize = 1 << 20;

/// A child that drives a store; killed when dropped.
pub(super) struct Child {
    process: process::Child,
    stdin: ChildStdin,
    lines: PipeReader,
    /// What it has said of a line to come, and lines that were not looked at.
    heard: Vec<u8>,
    starts: Starts,
    calls: u64,
    absent: Vec<String>,
}

/// What a child says.
pub(super) enum ChildMessage {
    Hello(Value),
    Reply(Map<String, Value>),
    Ready(String),
    /// Name of the phase, and what is told beside it.
    Result(String, Map<String, Value>),
    Other(String),
}

/// A child that does not keep to the protocol.
pub(super) fn protocol_error(what: &str) -> StoreError {
    StoreError::Store(format!("the client broke the protocol: {what}"))
}

impl ChildMessage {
    fn parse(line: &str) -> Result<ChildMessage, StoreError> {
        let Ok(Value::Object(mut object)) = serde_json::from_str(line) else {
            return Err(protocol_error(&format!("'{line:.200}' is no JSON object")));
        };
        if let Some(error) = object.get("error").filter(|_| !object.contains_key("reply")) {
            return Err(StoreError::Store(error.as_str().unwrap_or("it failed without words").to_string()));
        }
        let text = |value: &Value| value.as_str().map(str::to_string);
        Ok(if let Some(hello) = object.remove("hello") {
            ChildMessage::Hello(hello)
        } else if object.contains_key("reply") {
            ChildMessage::Reply(object)
        } else if let Some(phase) = object.get("ready").and_then(text) {
            ChildMessage::Ready(phase)
        } else if let Some(phase) = object.get("result").and_then(text) {
            object.remove("result");
            ChildMessage::Result(phase, object)
        } else {
            ChildMessage::Other(line.to_string())
        })
    }

    /// What is wrong where something else was `expected`.
    pub(super) fn unexpected_line(&self, expected: &str) -> StoreError {
        let got = match self {
            ChildMessage::Hello(_) => "'hello'".to_string(),
            ChildMessage::Reply(_) => "'reply'".to_string(),
            ChildMessage::Ready(phase) => format!("'ready' for phase '{phase}'"),
            ChildMessage::Result(phase, _) => format!("'result' of phase '{phase}'"),
            ChildMessage::Other(line) => format!("'{line:.200}'"),
        };
        protocol_error(&format!("expected {expected}, got {got}"))
    }
}

/// A client in the middle of a phase looks at nothing that it is told, so a kill of this process must reach it too.
pub(crate) fn dies_with_this_process(start: &mut Command) {
    let parent = process::id();
    // SAFETY: between fork and exec two system calls are made, and nothing is allocated.
    unsafe {
        start.pre_exec(move || {
            if libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) != 0 {
                return Err(io::Error::last_os_error());
            }
            // It may be dead already.
            if parent_id() == parent { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
        });
    }
}

/// Gives a child descriptors of its own. Its descriptor 1 is its stderr, since libraries and notices print there, and
/// not every language can point it elsewhere.
fn hand_over(copied: &[(OwnedFd, RawFd)], start: &mut Command) {
    let copied: Vec<(RawFd, RawFd)> = copied.iter().map(|(from, to)| (from.as_raw_fd(), *to)).collect();
    // SAFETY: between fork and exec system calls are made, and nothing is allocated. A descriptor that is copied is
    // closed at exec, its copy is not.
    unsafe {
        start.pre_exec(move || match copied.iter().any(|(from, to)| libc::dup2(*from, *to) < 0) {
            true => Err(io::Error::last_os_error()),
            false => Ok(()),
        });
    }
}

impl Child {
    /// Starts `command`; what it says on stdout and stderr is for people, as this process's own stderr is.
    pub(super) fn start(command: &[OsString]) -> Result<Child, StoreError> {
        let [program, args @ ..] = command else {
            return Err(StoreError::Store("no command of a client is given: kurabe drive COMMAND…".into()));
        };
        let failed =
            |error: std::io::Error| StoreError::Store(format!("cannot start '{}': {error}", program.to_string_lossy()));
        let mut start = Command::new(program);
        let (said, lines_end) = std::io::pipe().map_err(failed)?;
        let (starts, starts_end) = Starts::open()?;
        let high = |end: &dyn AsFd| fcntl_dupfd_cloexec(end, ABOVE).map_err(|error| failed(error.into()));
        let copied = [(high(&lines_end)?, LINES), (high(&starts_end)?, STARTS)];
        start.args(args).stdin(Stdio::piped()).stdout(std::io::stderr());
        dies_with_this_process(&mut start);
        hand_over(&copied, &mut start);
        let mut process = start.spawn().map_err(failed)?;
        // Or its end could not be heard.
        drop((start, copied, lines_end, starts_end));
        let stdin = process.stdin.take().ok_or_else(|| StoreError::Store("the client has no stdin".into()))?;
        stream::without_waiting(&said)?;
        Ok(Child { process, stdin, lines: said, heard: Vec::new(), starts, calls: 0, absent: Vec::new() })
    }

    /// Where it reads planned starts from.
    pub(super) fn starts(&self) -> &Starts {
        &self.starts
    }

    pub(super) fn pid(&self) -> u32 {
        self.process.id()
    }

    pub(super) fn send(&mut self, line: &Value) -> Result<(), StoreError> {
        self.stdin.write_all(format!("{line}\n").as_bytes()).map_err(|_| self.exit_error())
    }

    /// What it says next; waits for it.
    pub(super) fn hear(&mut self) -> Result<ChildMessage, StoreError> {
        loop {
            if let Some(said) = self.heard()? {
                return Ok(said);
            }
            self.await_line(None)?;
        }
    }

    /// What it has said next, if it has.
    pub(super) fn heard(&mut self) -> Result<Option<ChildMessage>, StoreError> {
        loop {
            if let Some(end) = self.heard.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.heard.drain(..=end).collect();
                return ChildMessage::parse(&String::from_utf8_lossy(&line[..end])).map(Some);
            }
            if self.heard.len() > MOST_LINE_BYTES {
                return Err(protocol_error(&format!("a line of more than {MOST_LINE_BYTES} bytes")));
            }
            let mut piece = [0; 1 << 13];
            match self.lines.read(&mut piece) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(bytes @ 1..) => self.heard.extend_from_slice(&piece[..bytes]),
                _ => return Err(self.exit_error()),
            }
        }
    }

    /// Waits until it says something or ends, for so long at most.
    pub(super) fn await_line(&self, limit: Option<Duration>) -> Result<(), StoreError> {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        match poll(&mut [PollFd::new(&self.lines, PollFlags::IN)], limit.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
            Err(error) => Err(StoreError::Store(format!("cannot wait for the client: {error}"))),
        }
    }

    /// Asks a call and waits for its reply.
    pub(super) fn call(&mut self, name: CallName) -> Result<Value, StoreError> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({"call": name, "id": id}))?;
        let mut reply = match self.hear()? {
            ChildMessage::Reply(reply) if reply.get("reply").and_then(Value::as_u64) == Some(id) => reply,
            other => return Err(other.unexpected_line("the answer to a call")),
        };
        if let Some(Value::Array(absent)) = reply.get("absent") {
            self.absent.extend(absent.iter().filter_map(Value::as_str).map(str::to_string));
        }
        match (reply.remove("ok"), reply.get("error").and_then(Value::as_str)) {
            (Some(value), _) => Ok(value),
            (None, Some(error)) => Err(StoreError::Store(error.to_string())),
            (None, None) if reply.get("unsupported") == Some(&Value::Bool(true)) => Err(StoreError::Unsupported),
            (None, None) => Err(protocol_error(&format!("a reply to '{name}' without 'ok', 'error' or 'unsupported'"))),
        }
    }

    pub(super) fn take_absent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.absent)
    }

    /// Ends it at once; the next word to it is an error.
    pub(super) fn kill(&mut self) {
        // One that has ended already is what is wanted.
        let _ = self.process.kill();
    }

    fn exit_error(&mut self) -> StoreError {
        let until = std::time::Instant::now() + END;
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) if status.signal() == Some(KILLED) => {
                    return StoreError::Disconnected(
                        "the client was killed, as the kernel does where memory ends".into(),
                    );
                }
                Ok(Some(status)) => return StoreError::Disconnected(format!("{DRIVER_ENDED} {status}")),
                Ok(None) if std::time::Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
                _ => return StoreError::Disconnected("the client closed its output".into()),
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A child that keeps to the protocol ends by itself after this; one that does not is killed.
        let _ = self.send(&json!({"stop": true}));
        let until = std::time::Instant::now() + END;
        while matches!(self.process.try_wait(), Ok(None)) && std::time::Instant::now() < until {
            std::thread::sleep(Duration::from_millis(2));
        }
        self.kill();
        let _ = self.process.wait();
    }
}
