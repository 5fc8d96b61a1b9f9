//! A client: lines out, lines in, each awaited with a limit.

use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use kurabe_messages::{Message, message};
use kurabe_protocol::message::DRIVER_ENDED;
use kurabe_protocol::{Call, CallName, Command, Event, Hello, Job, ReplyOutcome, Secrets, excerpt, reply};
use kurabe_record::JobErrorKind;
use kurabe_service::{WaitOutcome, ended_children_cpu_ns, how_it_ended};
use serde_json::Value;

use crate::clients::ClientCommand;
use crate::error::{in_english, in_record};
use crate::fault::{Fault, LOOK, WaitLimits};
use crate::gather::ResultDeadline;
use crate::launcher::{ClientPipe, Launcher};
use crate::measure::monotonic_ns;

mod log;

/// A client that was told to end may take this long: an embedded store may have much to write when it is closed.
const END_LIMIT: Duration = Duration::from_secs(30);
/// What a program that has ended said last is heard within this time: something that it left behind may hold its output open.
const LAST_WORDS_LIMIT: Duration = Duration::from_secs(5);
/// What is said to a client is read within this time, or some of it: no line is longer than what it must read at once.
const READ_LIMIT: Duration = Duration::from_secs(30);
/// The hello must come within this time: an interpreter may have to start.
const HELLO_LIMIT: Duration = Duration::from_secs(30);

/// A client that was a program: its time, its processor time in user and system, and what it said, or why it failed.
pub(crate) struct WholeRun {
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
    pub(crate) cpu_ns: (u64, u64),
    pub(crate) outcome: Result<Vec<Event>, String>,
}

/// A client at work on a job.
pub(crate) struct Client {
    pipe: Box<dyn ClientPipe>,
    log: PathBuf,
    next_call: u64,
    /// Of the address in its job: a client hides them itself, and here is who makes sure.
    secrets: Secrets,
    /// What its answers left out since the user may not read it.
    absent: Vec<String>,
    /// The process that drives the store, where its hello names another than the one that speaks.
    driver: Option<u32>,
}

impl Client {
    /// Starts a client, hands it its job and waits for its hello.
    pub(crate) fn start(
        launcher: &dyn Launcher,
        command: &ClientCommand,
        job: &Job,
        log: &Path,
        halt: WaitLimits<'_>,
    ) -> Result<(Client, Hello), Fault> {
        let mut client = Client::launch(launcher, command, job.url.as_deref(), log)?;
        client.send(&Command::Job(Box::new(job.clone())), halt)?;
        match client.receive(HELLO_LIMIT, &message!(run_awaited_hello), halt)? {
            Event::Hello(mut hello) => {
                client.driver = hello.driver_pid.take();
                Ok((client, *hello))
            }
            other => Err(client.unexpected_event(message!(run_awaited_hello), &other)),
        }
    }

    /// Starts a client, which has no job yet; `url` is the address in the one to come.
    fn launch(
        launcher: &dyn Launcher,
        command: &ClientCommand,
        url: Option<&str>,
        log: &Path,
    ) -> Result<Client, Fault> {
        let pipe = launcher.start_client(command, log)?;
        let (log, secrets) = (log.to_path_buf(), Secrets::of(url));
        Ok(Client { pipe, log, next_call: 1, secrets, absent: Vec::new(), driver: None })
    }

    /// Whether another process than the one that speaks drives the store.
    pub(crate) fn has_driver(&self) -> bool {
        self.driver.is_some()
    }

    /// Runs a client as a program: it works off `lines`, which end with `stop`, and ends. The time is from before its start
    /// until it was reaped.
    pub(crate) fn run_whole(
        launcher: &dyn Launcher,
        command: &ClientCommand,
        url: Option<&str>,
        lines: &str,
        log: &Path,
        limit: Duration,
        halt: WaitLimits<'_>,
    ) -> Result<WholeRun, Fault> {
        let cpu_before = ended_children_cpu_ns();
        let start_ns = monotonic_ns();
        let mut client = Client::launch(launcher, command, url, log)?;
        let (mut rest, mut was_read) = (lines, true);
        let mut patience = ResultDeadline::new(limit);
        let mut told = Vec::new();
        let status = loop {
            halt.check()?;
            // As long as it has not read what it is to do, its end is not near.
            let written = if rest.is_empty() { Ok(0) } else { client.pipe.write(rest, LOOK) };
            was_read &= written.is_ok();
            let was_to_read = !rest.is_empty();
            rest = written.map_or("", |bytes| &rest[bytes..]);
            if was_to_read && rest.is_empty() {
                client.pipe.close();
            }
            let wait = if rest.is_empty() { LOOK } else { Duration::ZERO };
            match client.pipe.wait_promptly(wait) {
                Ok(Some(status)) => break status,
                Ok(None) if patience.is_over() => return Err(too_late(&message!(run_awaited_end), limit)),
                Ok(None) => client.listen(Duration::ZERO, &mut patience, &mut told),
                Err(error) => return Err(Fault::environment(message!(run_no_wait, error))),
            }
        };
        let end_ns = monotonic_ns();
        let cpu = ended_children_cpu_ns();
        client.listen(LAST_WORDS_LIMIT, &mut patience, &mut told);
        let outcome = match told.iter().any(|event| matches!(event, Event::Error { .. })) {
            false if !status.success() => {
                let (how, said) = (how_it_ended(status), client.last_words());
                Err(in_english(message!(run_program_ended, how, said)))
            }
            false if !was_read => Err(in_english(message!(run_program_unread))),
            _ => Ok(told),
        };
        Ok(WholeRun { start_ns, end_ns, cpu_ns: (cpu.0 - cpu_before.0, cpu.1 - cpu_before.1), outcome })
    }

    /// Takes what it says until it has ended its words, or says nothing for so long.
    fn listen(&mut self, wait: Duration, patience: &mut ResultDeadline, told: &mut Vec<Event>) {
        while let Ok(heard) = self.hear_any(wait) {
            match heard {
                Ok(Event::Progress { operations, .. }) => patience.hear(operations),
                Ok(event) => told.push(event),
                Err(what) => {
                    let message = in_english(message!(run_program_broke_protocol, what));
                    told.push(Event::Error { message });
                }
            }
        }
    }

    /// Number of the process that drives the store: what it and its children use is the client's.
    pub(crate) fn pid(&self) -> u32 {
        self.driver.unwrap_or_else(|| self.pipe.pid())
    }

    /// Sends a command. A client that does not read any more has died; its last words tell why.
    pub(crate) fn send(&mut self, command: &Command, halt: WaitLimits<'_>) -> Result<(), Fault> {
        let mut line = command.to_line();
        line.push('\n');
        let (mut rest, mut until) = (line.as_str(), Instant::now() + READ_LIMIT);
        while !rest.is_empty() {
            halt.check()?;
            match self.pipe.write(rest, LOOK) {
                Ok(0) if Instant::now() > until => {
                    let nothing = message!(run_client_reads_nothing, limit = READ_LIMIT);
                    return Err(Fault::new(JobErrorKind::Timeout, nothing));
                }
                Ok(0) => {}
                Ok(bytes) => {
                    rest = &rest[bytes..];
                    until = Instant::now() + READ_LIMIT;
                }
                Err(_) => return Err(self.exit_fault()),
            }
        }
        Ok(())
    }

    /// The next event but progress; `what` names it in messages.
    pub(crate) fn receive(&mut self, limit: Duration, what: &Message, halt: WaitLimits<'_>) -> Result<Event, Fault> {
        let mut patience = ResultDeadline::new(limit);
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
        match self.hear_any(limit) {
            Ok(Ok(Event::Error { message })) => Err(self.client_error(message)),
            Ok(Ok(event)) => Ok(Some(event)),
            Ok(Err(error)) => Err(protocol_fault(error)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.exit_fault()),
        }
    }

    /// What comes, without the secrets of the address.
    fn hear_any(&mut self, limit: Duration) -> Result<Result<Event, String>, RecvTimeoutError> {
        self.pipe.hear(limit).map(|told| match told {
            Ok(mut event) => {
                event.hide(&self.secrets);
                event.cut();
                Ok(event)
            }
            Err(error) => Err(excerpt(&self.secrets.clean(&error))),
        })
    }

    /// What answers left out since this was asked last.
    pub(crate) fn take_absent(&mut self) -> Vec<String> {
        std::mem::take(&mut self.absent)
    }

    /// Asks a call and waits for its reply, which has the form of an answer to it; the inner error is the store's.
    pub(crate) fn call(
        &mut self,
        name: CallName,
        limit: Duration,
        halt: WaitLimits<'_>,
    ) -> Result<Result<Option<Value>, String>, Fault> {
        let id = self.next_call;
        self.next_call += 1;
        self.send(&Command::Call(Call { name, id }), halt)?;
        match self.receive(limit, &message!(run_awaited_reply), halt)? {
            Event::Reply(reply) if reply.id == id => {
                self.absent.extend(reply.absent);
                match reply.outcome {
                    ReplyOutcome::Ok(value) => {
                        reply::check(name, &value).map_err(protocol_fault)?;
                        Ok(Ok(Some(value)))
                    }
                    ReplyOutcome::Unsupported if matches!(name, CallName::Create | CallName::Reset) => {
                        Err(protocol_fault(message!(run_call_unknown, call = name)))
                    }
                    ReplyOutcome::Unsupported => Ok(Ok(None)),
                    ReplyOutcome::Error(message) => Ok(Err(message)),
                }
            }
            other => Err(self.unexpected_event(message!(run_awaited_reply), &other)),
        }
    }

    /// Ends the client cleanly; one that does not end in time is killed.
    pub(crate) fn stop(mut self, halt: WaitLimits<'_>) -> Result<(), Fault> {
        self.send(&Command::Stop, halt)?;
        self.pipe.close();
        match self.pipe.wait_unless(halt.interrupt, END_LIMIT) {
            Ok(WaitOutcome::Ended(status)) if status.success() => Ok(()),
            Ok(WaitOutcome::Interrupted) => Err(Fault::Interrupted),
            Ok(WaitOutcome::Ended(status)) => {
                let (how, said) = (how_it_ended(status), self.last_words());
                Err(Fault::new(JobErrorKind::Client, message!(run_client_ended, how, said)))
            }
            // Its tree is killed when this value is dropped.
            _ => Err(Fault::new(JobErrorKind::Timeout, message!(run_client_stays, limit = END_LIMIT))),
        }
    }

    pub(crate) fn unexpected_event(&self, expected: Message, got: &Event) -> Fault {
        protocol_fault(message!(run_unexpected, expected, got = excerpt(&got.to_line())))
    }

    fn exit_fault(&mut self) -> Fault {
        let status = self.pipe.wait(Duration::from_millis(500)).ok().flatten();
        // What it said last may still be in the pipe.
        while let Ok(Ok(event)) = self.hear_any(Duration::ZERO) {
            if let Event::Error { message } = event {
                return self.client_error(message);
            }
        }
        let said = self.last_words();
        let died = match status {
            Some(status) => message!(run_client_ended, how = how_it_ended(status), said),
            None => message!(run_client_closed, said),
        };
        Fault::new(JobErrorKind::Client, died)
    }

    /// An error that it told. Where it tells that its child has ended, in another language, that one's words are on its stderr.
    fn client_error(&self, message: String) -> Fault {
        let more = if message.contains(DRIVER_ENDED) { self.last_words() } else { String::new() };
        Fault::new(JobErrorKind::Client, message + &more)
    }

    /// What it said on its stderr: a few lines whole, since the first may hold the cause; of more the last, which says
    /// most about a death.
    fn last_words(&self) -> String {
        const FEW: usize = 4;
        let text = self.secrets.clean(&log::ends_of(&self.log));
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        match lines[..] {
            [] => String::new(),
            [.., last] if lines.len() > FEW => format!(": {last}"),
            _ => format!(": {}", lines.join("; ")),
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // What it goes on to say until it is gone is little.
        log::cut(&self.log);
    }
}

/// A client that says what it must not say.
pub(crate) fn protocol_fault(what: impl std::fmt::Display) -> Fault {
    Fault::new(JobErrorKind::Client, message!(run_client_broke_protocol, what = in_record(what)))
}

/// A client from which `what` did not come in time.
pub(crate) fn too_late(what: &Message, limit: Duration) -> Fault {
    Fault::new(JobErrorKind::Timeout, message!(run_client_late, what = what.clone(), limit))
}
