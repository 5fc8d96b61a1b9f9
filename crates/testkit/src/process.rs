//! A harness small enough for a test: one client process, spoken to by hand.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command as Program, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use kurabe_client::clock::now_ns;
use kurabe_protocol::{
    Call, CallName, Command, Event, Hello, Job, Phase, PhaseResult, ReplyOutcome, Untrue, Window, audit,
};

/// How long a client may be silent. A phase tells its progress twice a second, so a client that is
/// silent for so long hangs.
const SILENCE: Duration = Duration::from_secs(30);

/// Why a conversation with a client did not go on.
#[derive(Debug, thiserror::Error)]
pub enum DriveError {
    /// The program could not be started or spoken to.
    #[error("cannot talk to '{program}': {source}")]
    Io {
        /// The client program.
        program: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The client says nothing any more.
    #[error("the client is silent for {} s; it was asked for {asked}", SILENCE.as_secs())]
    Silent {
        /// What it should have said.
        asked: String,
    },
    /// The client closed its stdout.
    #[error("the client ended; it was asked for {asked}; its stderr: '{stderr}'")]
    Ended {
        /// What it should have said.
        asked: String,
        /// What it wrote for people.
        stderr: String,
    },
    /// The client said something else.
    #[error("the client was asked for {asked} and said '{got}'")]
    Unexpected {
        /// What it should have said.
        asked: String,
        /// What it said.
        got: String,
    },
    /// What it said of a phase cannot be true.
    #[error("phase '{phase}': {untrue}")]
    Untrue {
        /// The phase.
        phase: String,
        /// Why it cannot.
        untrue: Untrue,
    },
}

/// How a client ended.
#[derive(Debug)]
pub struct ClientExit {
    /// Exit status; -1 where a signal ended it.
    pub status: i32,
    /// Lines on stdout that were not read before.
    pub lines: Vec<String>,
    /// Everything on stderr.
    pub stderr: String,
}

/// A client process and the two ends of its pipe. It is killed when this is dropped.
pub struct ClientProcess {
    program: String,
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    calls: u64,
}

impl ClientProcess {
    /// Starts the client `program` with `arguments`.
    pub fn start(program: &Path, arguments: &[&str]) -> Result<ClientProcess, DriveError> {
        let name = program.display().to_string();
        let mut child = Program::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|source| DriveError::Io { program: name.clone(), source })?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                // What came before an error is still worth showing.
                let _ = stderr.read_to_end(&mut text);
                String::from_utf8_lossy(&text).into_owned()
            })
        });
        Ok(ClientProcess { program: name, child, stdin, lines, stderr, calls: 0 })
    }

    /// Writes one line, whatever it is.
    pub fn send_line(&mut self, line: &str) -> Result<(), DriveError> {
        let io = |source| DriveError::Io { program: self.program.clone(), source };
        match &mut self.stdin {
            Some(stdin) => stdin.write_all(format!("{line}\n").as_bytes()).map_err(io),
            None => Err(io(std::io::Error::other("its stdin is closed already"))),
        }
    }

    /// Writes one message.
    pub fn send(&mut self, command: &Command) -> Result<(), DriveError> {
        self.send_line(&command.to_line())
    }

    /// Closes the client's stdin: the harness is gone.
    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The next line; `asked` says what for, in errors.
    pub fn next_line(&mut self, asked: &str) -> Result<String, DriveError> {
        self.lines.recv_timeout(SILENCE).map_err(|error| match error {
            RecvTimeoutError::Timeout => DriveError::Silent { asked: asked.to_string() },
            RecvTimeoutError::Disconnected => {
                let stderr = self.collect_stderr();
                DriveError::Ended { asked: asked.to_string(), stderr }
            }
        })
    }

    /// The next message other than progress.
    pub fn next_event(&mut self, asked: &str) -> Result<Event, DriveError> {
        loop {
            let line = self.next_line(asked)?;
            match Event::parse(&line) {
                Ok(Event::Progress { .. }) => {}
                Ok(event) => return Ok(event),
                Err(_) => return Err(DriveError::Unexpected { asked: asked.to_string(), got: line }),
            }
        }
    }

    /// Sends a job and awaits the hello.
    pub fn begin(&mut self, job: &Job) -> Result<Hello, DriveError> {
        self.send(&Command::Job(Box::new(job.clone())))?;
        match self.next_event("hello")? {
            Event::Hello(hello) => Ok(*hello),
            other => Err(unexpected("hello", &other)),
        }
    }

    /// Asks something that is never measured.
    pub fn call(&mut self, name: CallName) -> Result<ReplyOutcome, DriveError> {
        self.calls += 1;
        let id = self.calls;
        self.send(&Command::Call(Call { name, id }))?;
        match self.next_event("a reply")? {
            Event::Reply(reply) if reply.id == id => Ok(reply.outcome),
            other => Err(unexpected("a reply", &other)),
        }
    }

    /// Prepares a phase.
    pub fn prepare(&mut self, phase: &str) -> Result<(), DriveError> {
        self.send(&Command::Prepare(phase.to_string()))?;
        self.ready(phase)
    }

    /// Starts a prepared phase and awaits its result.
    pub fn go(&mut self, phase: &str) -> Result<PhaseResult, DriveError> {
        self.send(&Command::Go(phase.to_string()))?;
        self.result(phase)
    }

    /// Starts a prepared phase of `job` and awaits its result, which must be one that can be true.
    pub fn go_and_audit(&mut self, phase: &Phase, job: &Job) -> Result<PhaseResult, DriveError> {
        let go_ns = now_ns();
        let result = self.go(&phase.name)?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from) as u64;
        let window = Window {
            go_ns,
            came_ns: now_ns(),
            processes: job.processes,
            processors,
            at_once: false,
            times_each: true,
            fills_time: true,
        };
        // Results are told apart by their place, which is that of their process.
        if job.process == 0 {
            let untrue = |untrue| DriveError::Untrue { phase: phase.name.clone(), untrue };
            audit(std::slice::from_ref(&result), phase, &window).map_err(untrue)?;
        }
        Ok(result)
    }

    /// Awaits `ready`.
    pub fn ready(&mut self, phase: &str) -> Result<(), DriveError> {
        match self.next_event("ready")? {
            Event::Ready(name) if name == phase => Ok(()),
            other => Err(unexpected("ready", &other)),
        }
    }

    /// Awaits the result of a phase.
    pub fn result(&mut self, phase: &str) -> Result<PhaseResult, DriveError> {
        match self.next_event("a result")? {
            Event::Result(result) if result.phase == phase => Ok(*result),
            other => Err(unexpected("a result", &other)),
        }
    }

    /// Reads everything that is left, and waits for the end. Send `stop` or close stdin before.
    pub fn finish(mut self) -> Result<ClientExit, DriveError> {
        let mut lines = Vec::new();
        loop {
            match self.lines.recv_timeout(SILENCE) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => return Err(DriveError::Silent { asked: "its end".into() }),
            }
        }
        let status = self.child.wait().map_err(|source| DriveError::Io { program: self.program.clone(), source })?;
        let stderr = self.collect_stderr();
        Ok(ClientExit { status: status.code().unwrap_or(-1), lines, stderr })
    }

    fn collect_stderr(&mut self) -> String {
        self.stderr.take().and_then(|reader| reader.join().ok()).unwrap_or_default()
    }
}

impl Drop for ClientProcess {
    fn drop(&mut self) {
        // Both fail only where the client has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn unexpected(asked: &str, got: &Event) -> DriveError {
    DriveError::Unexpected { asked: asked.to_string(), got: got.to_line() }
}

/// What a job gave.
#[derive(Debug)]
pub struct Driven {
    /// The hello.
    pub hello: Hello,
    /// Results of the phases in order.
    pub results: Vec<PhaseResult>,
    /// Rows that the store counted after each phase.
    pub counted: Vec<Option<u64>>,
    /// Sum of all counters after each phase.
    pub summed: Vec<Option<u64>>,
}

impl Driven {
    /// The result of the phase `name`.
    ///
    /// # Panics
    /// Where the job has no such phase.
    #[track_caller]
    pub fn phase(&self, name: &str) -> &PhaseResult {
        let found = self.results.iter().find(|result| result.phase == name);
        found.unwrap_or_else(|| panic!("the job has no phase '{name}'"))
    }
}

/// Runs all phases of `job` in a client process of `program` with `arguments`, as a harness would: create the
/// namespace, prepare and start each phase, count the rows and sum up the counters after it, reset, stop.
pub fn drive(program: &Path, arguments: &[&str], job: &Job) -> Result<Driven, DriveError> {
    let mut client = ClientProcess::start(program, arguments)?;
    let hello = client.begin(job)?;
    done(client.call(CallName::Create)?, "create")?;
    let (mut results, mut counted, mut summed) = (Vec::new(), Vec::new(), Vec::new());
    for phase in &job.phases {
        client.prepare(&phase.name)?;
        results.push(client.go_and_audit(phase, job)?);
        for (numbers, call, key) in [(&mut counted, CallName::Count, "rows"), (&mut summed, CallName::Sum, "sum")] {
            numbers.push(match client.call(call)? {
                ReplyOutcome::Ok(value) => value[key].as_u64(),
                _ => None,
            });
        }
    }
    done(client.call(CallName::Reset)?, "reset")?;
    client.send(&Command::Stop)?;
    let ending = client.finish()?;
    if ending.status != 0 || ending.lines != [Event::End.to_line()] {
        let got = format!("status {}, {}", ending.status, ending.lines.join(" "));
        return Err(DriveError::Unexpected { asked: "a good end".into(), got });
    }
    Ok(Driven { hello, results, counted, summed })
}

fn done(outcome: ReplyOutcome, asked: &str) -> Result<(), DriveError> {
    match outcome {
        ReplyOutcome::Ok(answer) if answer == true => Ok(()),
        other => Err(DriveError::Unexpected { asked: asked.to_string(), got: format!("{other:?}") }),
    }
}
