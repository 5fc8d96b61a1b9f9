//! A client process: lines out, lines in, each awaited with a limit.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::ChildStdin;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use kurabe_protocol::{Call, CallName, Command, Event, Hello, Job, ReplyOutcome, Secrets};
use kurabe_record::JobErrorKind;
use kurabe_service::{Guardian, Process, Scope, Stream, Waited, spawn};
use serde_json::Value;

use crate::clients::ClientCommand;
use crate::fault::{Fault, Halt, LOOK};
use crate::gather::Patience;

/// A client that was told to end may take this long.
const END_LIMIT: Duration = Duration::from_secs(5);
/// The receipt must come within this time: an interpreter may have to start.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// A client at work on a job.
pub(crate) struct ClientProcess {
    process: Process,
    stdin: Option<ChildStdin>,
    events: Receiver<Result<Event, String>>,
    log: PathBuf,
    next_call: u64,
    /// Of the address in its job: a client hides them itself, and here is who makes sure.
    secrets: Secrets,
    /// What its answers left out since the user may not read it.
    absent: Vec<String>,
}

impl ClientProcess {
    /// Starts a client, hands it its job and waits for its receipt.
    pub(crate) fn start(
        guardian: &Guardian,
        command: &ClientCommand,
        job: &Job,
        log: &Path,
        halt: Halt<'_>,
    ) -> Result<(ClientProcess, Hello), Fault> {
        let scope = Scope {
            stdin: Stream::Piped,
            stdout: Stream::Piped,
            stderr: Stream::File(log.to_path_buf()),
            ..Scope::new(&command.program).args(&command.args)
        };
        let mut process = spawn(guardian, scope)?;
        let stdin = process.take_stdin();
        let stdout =
            process.take_stdout().ok_or_else(|| Fault::new(JobErrorKind::Client, "the client has no stdout"))?;
        let (sender, events) = channel();
        let listen = move || {
            for line in BufReader::new(stdout).lines() {
                let Ok(line) = line else { break };
                if sender.send(Event::parse(&line).map_err(|error| error.to_string())).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().spawn(listen);
        thread.map_err(|error| Fault::Ground(format!("cannot start a thread for a client's words: {error}")))?;
        let secrets = Secrets::of(job.url.as_deref());
        let log = log.to_path_buf();
        let mut client = ClientProcess { process, stdin, events, log, next_call: 1, secrets, absent: Vec::new() };
        client.send(&Command::Job(Box::new(job.clone())))?;
        match client.receive(HELLO_LIMIT, "its receipt", halt)? {
            Event::Hello(hello) => Ok((client, *hello)),
            other => Err(client.out_of_turn("its receipt", &other)),
        }
    }

    /// Number of the client's main process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Sends a command. A client that does not read any more has died; its last words tell why.
    pub(crate) fn send(&mut self, command: &Command) -> Result<(), Fault> {
        let mut line = command.to_line();
        line.push('\n');
        let written = self.stdin.as_mut().map(|stdin| stdin.write_all(line.as_bytes()));
        match written {
            Some(Ok(())) => Ok(()),
            _ => Err(self.died()),
        }
    }

    /// The next event but progress; `what` names it in messages.
    pub(crate) fn receive(&mut self, limit: Duration, what: &str, halt: Halt<'_>) -> Result<Event, Fault> {
        let mut patience = Patience::new(limit);
        loop {
            halt.check()?;
            match self.hear(LOOK)? {
                Some(Event::Progress { operations, .. }) => patience.hear(operations),
                Some(event) => return Ok(event),
                None if patience.is_over() => return Err(too_late(what, limit)),
                None => {}
            }
        }
    }

    /// What it says next, if it says it within `limit`.
    pub(crate) fn hear(&mut self, limit: Duration) -> Result<Option<Event>, Fault> {
        match self.heard(self.events.recv_timeout(limit)) {
            Ok(Ok(Event::Error { message })) => Err(Fault::new(JobErrorKind::Client, message)),
            Ok(Ok(event)) => Ok(Some(event)),
            Ok(Err(error)) => Err(Fault::new(JobErrorKind::Client, format!("the client broke the protocol: {error}"))),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    /// What came, without the secrets of the address.
    fn heard<E>(&self, told: Result<Result<Event, String>, E>) -> Result<Result<Event, String>, E> {
        told.map(|told| match told {
            Ok(mut event) => {
                event.hide(&self.secrets);
                Ok(event)
            }
            Err(error) => Err(self.secrets.clean(&error)),
        })
    }

    /// What answers left out since this was asked last.
    pub(crate) fn take_absent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.absent)
    }

    /// Asks a call and waits for its reply.
    pub(crate) fn call(
        &mut self,
        name: CallName,
        limit: Duration,
        halt: Halt<'_>,
    ) -> Result<Result<Option<Value>, String>, Fault> {
        let id = self.next_call;
        self.next_call += 1;
        self.send(&Command::Call(Call { name, id }))?;
        match self.receive(limit, "the answer to a call", halt)? {
            Event::Reply(reply) if reply.id == id => {
                self.absent.extend(reply.absent);
                Ok(match reply.outcome {
                    ReplyOutcome::Ok(value) => Ok(Some(value)),
                    ReplyOutcome::Unsupported => Ok(None),
                    ReplyOutcome::Error(message) => Err(message),
                })
            }
            other => Err(self.out_of_turn("the answer to a call", &other)),
        }
    }

    /// Ends the client in good order; one that does not end in time is killed.
    pub(crate) fn stop(mut self, halt: Halt<'_>) -> Result<(), Fault> {
        self.send(&Command::Stop)?;
        self.stdin = None;
        match self.process.wait_unless(halt.interrupt, END_LIMIT) {
            Ok(Waited::Ended(status)) if status.success() => Ok(()),
            Ok(Waited::Interrupted) => Err(Fault::Interrupted),
            Ok(Waited::Ended(status)) => {
                Err(Fault::new(JobErrorKind::Client, format!("the client ended with {status}{}", self.last_words())))
            }
            _ => {
                // Its tree is killed when this value is dropped.
                Err(Fault::new(JobErrorKind::Timeout, "the client did not end within 5 s after 'stop'"))
            }
        }
    }

    pub(crate) fn out_of_turn(&self, expected: &str, got: &Event) -> Fault {
        let message = format!("the client broke the protocol: expected {expected}, got '{}'", got.to_line());
        Fault::new(JobErrorKind::Client, message)
    }

    fn died(&mut self) -> Fault {
        let how = match self.process.wait_timeout(Duration::from_millis(500)) {
            Ok(Some(status)) => format!("the client ended with {status}"),
            _ => "the client closed its output".to_string(),
        };
        // What it said last may still be in the pipe.
        while let Ok(Ok(event)) = self.heard(self.events.try_recv()) {
            if let Event::Error { message } = event {
                return Fault::new(JobErrorKind::Client, message);
            }
        }
        Fault::new(JobErrorKind::Client, how + &self.last_words())
    }

    /// What it said on its stderr: a few lines whole, since the first may hold the cause; of more the last, which says
    /// most about a death.
    fn last_words(&self) -> String {
        const FEW: usize = 4;
        let text = self.secrets.clean(&std::fs::read_to_string(&self.log).unwrap_or_default());
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        match lines[..] {
            [] => String::new(),
            [.., last] if lines.len() > FEW => format!(": {last}"),
            _ => format!(": {}", lines.join("; ")),
        }
    }
}

/// A client from which `what` did not come in time.
pub(crate) fn too_late(what: &str, limit: Duration) -> Fault {
    Fault::new(JobErrorKind::Timeout, format!("timeout: {what} did not come within {} s", limit.as_secs()))
}
