//! What a job starts, behind traits: above them is what the harness decides, below them are processes.
//!
//! [`Processes`] is the one that runs. Another may start the same things elsewhere, or, in tests, pretend to, so that every
//! fault is tried at every point of a job in milliseconds.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{ChildStdin, ExitStatus};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use kurabe_machine::Canary;
use kurabe_messages::message;
use kurabe_protocol::Event;
use kurabe_record::JobErrorKind;
use kurabe_service::{Guardian, Process, Scope, Service, ServiceError, Start, Stream, Template, WaitOutcome, spawn};

use crate::clients::ClientCommand;
use crate::error::Reason;
use crate::fault::Fault;
use crate::resolve::Startable;

mod stdin;

/// Initialised data folders of services, by what they depend on.
pub type Templates = std::cell::RefCell<BTreeMap<String, Template>>;

/// Starts services and clients.
pub(crate) trait Launcher {
    /// Starts a service.
    fn start_service(&self, service: &Startable<'_>, what: &ServiceStart<'_>)
    -> Result<Box<dyn RunningService>, Fault>;

    /// Starts a client, which has no job yet. What it says on stderr goes to `log`.
    fn start_client(&self, command: &ClientCommand, log: &Path) -> Result<Box<dyn ClientPipe>, Fault>;

    /// Looks how fast the machine is that everything is started on; a canary that fails is no reason to stop.
    fn canary(&self, data: &Path, interrupt: &AtomicBool) -> Option<Canary>;

    /// Why nothing more can be started, where that is so.
    fn failure(&self) -> Option<Reason>;
}

/// Whether a service is started for the first time in its job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StartKind {
    /// On a fresh copy of its initialised data folder, on any free port.
    Fresh,
    /// On what it left when it ended, on the port that it had: clients were told its address.
    Again {
        /// That port, where it had one.
        port: Option<u16>,
    },
}

/// Where and with what a service is started.
pub(crate) struct ServiceStart<'a> {
    /// Whether it was started before.
    pub(crate) begin: StartKind,
    /// Where the run keeps its data.
    pub(crate) run_data: &'a Path,
    /// Its data folder, which is made.
    pub(crate) data: &'a Path,
    /// For its log and sockets.
    pub(crate) folder: &'a Path,
    /// Values of placeholders.
    pub(crate) variables: BTreeMap<String, String>,
    /// Initialised folders.
    pub(crate) templates: &'a Templates,
    /// Set when the user interrupts.
    pub(crate) interrupt: &'a AtomicBool,
}

/// A service that accepts connections; dropped, it ends.
pub(crate) trait RunningService {
    /// Number of its main process.
    fn pid(&self) -> u32;
    /// Where clients reach it.
    fn url(&self) -> &str;
    /// Where they reach it through a unix socket.
    fn unix_url(&self) -> Option<&str>;
    /// Its TCP port, where it has one.
    fn port(&self) -> Option<u16>;
    /// Whether it still runs.
    fn is_alive(&mut self) -> bool;
    /// Whether it is dead, or dying: a killed process closes its connections before its end can be seen, so clients may know
    /// first.
    fn dies_within(&mut self, limit: Duration) -> bool {
        let until = Instant::now() + limit;
        while self.is_alive() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        !self.is_alive()
    }
    /// The end of its log, without secrets.
    fn log_tail(&self, lines: usize) -> String;
    /// Ends it cleanly.
    fn stop(self: Box<Self>, interrupt: &AtomicBool) -> Result<(), Fault>;
    /// Kills it with all its processes, as a crash would.
    fn kill(self: Box<Self>) -> Result<(), Fault>;
}

/// A client process as lines in, events out; dropped, it ends.
pub(crate) trait ClientPipe {
    /// Number of its main process.
    fn pid(&self) -> u32;
    /// Writes as much of a text to its stdin as goes in, and waits so long at most where nothing does; returns its bytes.
    ///
    /// # Errors
    /// Where it does not read any more.
    fn write(&mut self, text: &str, wait: Duration) -> io::Result<usize>;
    /// Closes its stdin.
    fn close(&mut self);
    /// What it says next, if it says it within `limit`; in the inner error what is no event.
    fn hear(&mut self, limit: Duration) -> Result<Result<Event, String>, RecvTimeoutError>;
    /// Its exit status, if it ends within `limit`.
    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>>;
    /// The same, at the moment that it ends.
    fn wait_promptly(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>>;
    /// The same, but no longer than until the user interrupts.
    fn wait_unless(&mut self, interrupt: &AtomicBool, limit: Duration) -> io::Result<WaitOutcome>;
}

/// Processes on this machine, each known to the guardian.
pub(crate) struct Processes<'a> {
    pub(crate) guardian: &'a Guardian,
}

impl Launcher for Processes<'_> {
    fn start_service(
        &self,
        service: &Startable<'_>,
        what: &ServiceStart<'_>,
    ) -> Result<Box<dyn RunningService>, Fault> {
        let mut blueprint = service.blueprint(self.guardian, what.variables.clone());
        blueprint.interrupt = Some(what.interrupt);
        let start = Start { data: what.data, folder: what.folder, extra_args: &service.args };
        if let StartKind::Again { port } = what.begin {
            return Ok(Box::new(Service::start_again(&blueprint, &start, port)?));
        }
        let mut templates = what.templates.borrow_mut();
        let key = Template::key(&blueprint)?;
        if !templates.contains_key(&key) {
            templates.insert(key.clone(), Template::initialise(&blueprint, what.run_data)?);
        }
        if let Some(template) = templates.get(&key) {
            let copied = template.copy_unless(what.data, what.interrupt);
            if matches!(copied, Err(ServiceError::NoRoom { .. })) {
                // What nobody can copy takes the room of the others.
                templates.remove(&key);
            }
            copied?;
        }
        Ok(Box::new(Service::start(&blueprint, &start)?))
    }

    fn start_client(&self, command: &ClientCommand, log: &Path) -> Result<Box<dyn ClientPipe>, Fault> {
        let scope = Scope {
            stdin: Stream::Piped,
            stdout: Stream::Piped,
            stderr: Stream::File(log.to_path_buf()),
            ..Scope::new(&command.program).args(&command.args)
        };
        let mut process = spawn(self.guardian, scope)?;
        let stdin = process.take_stdin();
        // A client that never reads must not keep anybody waiting for ever.
        if let Some(stdin) = &stdin {
            stdin::do_not_block(stdin).map_err(|error| Fault::environment(message!(run_no_pipe, error)))?;
        }
        let no_output = || Fault::new(JobErrorKind::Client, message!(run_client_no_output));
        let stdout = process.take_stdout().ok_or_else(no_output)?;
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
        thread.map_err(|error| Fault::environment(message!(run_no_thread, error)))?;
        Ok(Box::new(ProcessPipe { process, stdin, events }))
    }

    fn canary(&self, data: &Path, interrupt: &AtomicBool) -> Option<Canary> {
        Canary::run(data, interrupt).ok()
    }

    fn failure(&self) -> Option<Reason> {
        (!self.guardian.is_alive()).then(|| message!(run_guardian_gone).into())
    }
}

impl RunningService for Service {
    fn pid(&self) -> u32 {
        Service::pid(self)
    }

    fn url(&self) -> &str {
        Service::url(self)
    }

    fn unix_url(&self) -> Option<&str> {
        Service::unix_url(self)
    }

    fn port(&self) -> Option<u16> {
        Service::port(self)
    }

    fn is_alive(&mut self) -> bool {
        Service::is_alive(self)
    }

    fn log_tail(&self, lines: usize) -> String {
        Service::log_tail(self, lines)
    }

    fn stop(self: Box<Self>, interrupt: &AtomicBool) -> Result<(), Fault> {
        let ended = (*self).stop_unless(interrupt);
        ended.map(|_| ()).map_err(|error| Fault::new(JobErrorKind::Service, error))
    }

    fn kill(self: Box<Self>) -> Result<(), Fault> {
        let killed = (*self).kill();
        killed.map(|_| ()).map_err(|error| Fault::new(JobErrorKind::Service, error))
    }
}

/// A client process, and the two ends of its pipes.
struct ProcessPipe {
    process: Process,
    stdin: Option<ChildStdin>,
    events: Receiver<Result<Event, String>>,
}

impl ClientPipe for ProcessPipe {
    fn pid(&self) -> u32 {
        self.process.pid()
    }

    fn write(&mut self, text: &str, wait: Duration) -> io::Result<usize> {
        stdin::write_some(self.stdin.as_mut().ok_or(io::ErrorKind::BrokenPipe)?, text.as_bytes(), wait)
    }

    fn close(&mut self) {
        self.stdin = None;
    }

    fn hear(&mut self, limit: Duration) -> Result<Result<Event, String>, RecvTimeoutError> {
        self.events.recv_timeout(limit)
    }

    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        self.process.wait_timeout(limit)
    }

    fn wait_promptly(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        self.process.wait_promptly(limit)
    }

    fn wait_unless(&mut self, interrupt: &AtomicBool, limit: Duration) -> io::Result<WaitOutcome> {
        self.process.wait_unless(interrupt, limit)
    }
}
