//! A server that its user runs: killed by one command of his and started again by another.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use kurabe_messages::{Message, message};
use kurabe_protocol::CallName;
use kurabe_record::JobErrorKind;
use rustix::process::{Pid, Signal, kill_process_group};

use super::{CALL_LIMIT, Work};
use crate::fault::{Fault, LOOK, WaitLimits};
use crate::options::OwnServer;

/// A command that kills ends within this time.
const KILL_LIMIT: Duration = Duration::from_secs(60);
/// A server is gone so long after that command has ended.
const GONE_LIMIT: Duration = Duration::from_secs(10);
/// A server answers so long after it was started: it may have a log to replay.
const START_LIMIT: Duration = Duration::from_secs(300);
/// A command that starts and has failed is tried again after this time.
const START_AGAIN: Duration = Duration::from_secs(1);

impl<'a> Work<'a> {
    /// The commands of the server, where its user gave them and it is asked directly.
    pub(super) fn own_server(&self) -> Option<&'a OwnServer> {
        let is_asked = self.candidate.record.at_url.is_some() && self.candidate.app.is_empty();
        self.context.own_server.filter(|_| is_asked)
    }

    /// Kills it by its user's command; in the message why it was not killed. Whatever the command says, the server tells:
    /// it is gone where the connection that asked it before has no answer any more.
    pub(super) fn kill_own_server(&mut self, server: &OwnServer) -> Result<Option<Message>, Fault> {
        let mut child = self.shell(&server.kill, "kill")?;
        // From now on it may be down, also where the command does not come to its end.
        self.is_own_server_down = true;
        let Some(status) = self.await_kill(&mut child)? else {
            return Ok(Some(message!(run_kill_command_slow, limit = KILL_LIMIT)));
        };
        let until = Instant::now() + GONE_LIMIT;
        while self.ask(CallName::Ping)?.is_ok() {
            self.halt.check()?;
            if Instant::now() > until {
                self.is_own_server_down = false;
                return Ok(Some(message!(run_kill_command_idle, status = status.to_string(), limit = GONE_LIMIT)));
            }
            thread::sleep(LOOK);
        }
        Ok(None)
    }

    /// Waits until the command that kills has ended; nothing where that took too long. It does nothing any more afterwards: it
    /// might kill the server that was started again.
    fn await_kill(&self, child: &mut Child) -> Result<Option<ExitStatus>, Fault> {
        let until = Instant::now() + KILL_LIMIT;
        loop {
            if let Some(status) = ended(child) {
                return Ok(Some(status));
            }
            let halted = self.halt.check();
            if halted.is_err() || Instant::now() > until {
                end_group(child);
                return halted.map(|()| None);
            }
            thread::sleep(LOOK);
        }
    }

    /// Starts it again, where it was killed, and waits until it answers; whether it was.
    ///
    /// # Errors
    /// Where it does not answer in time.
    pub(super) fn start_own_server(&mut self, halt: WaitLimits<'_>) -> Result<bool, Fault> {
        let Some(server) = self.context.own_server.filter(|_| self.is_own_server_down) else { return Ok(false) };
        let mut child = self.shell(&server.start, "start")?;
        let (until, mut begun) = (Instant::now() + START_LIMIT, Instant::now());
        // A server that stays in the foreground goes on when the job is over: it is not ours.
        while let Err(fault) = self.ask_own_server(halt) {
            halt.check()?;
            if Instant::now() > until || !matches!(fault, Fault::Failed { .. }) {
                let ended = ended(&mut child).map(|status| message!(run_command_ended, status = status.to_string()));
                let why = message!(run_start_command, ended, limit = START_LIMIT, error = fault.words());
                return Err(Fault::new(JobErrorKind::Service, why));
            }
            // What is left of the old one, such as its lock, may be there for some moments more.
            let has_failed = ended(&mut child).is_some_and(|status| !status.success());
            if has_failed && begun.elapsed() > START_AGAIN {
                (child, begun) = (self.shell(&server.start, "start")?, Instant::now());
            }
            thread::sleep(LOOK);
        }
        self.is_own_server_down = false;
        Ok(true)
    }

    /// Asks it over a connection of its own whether it answers.
    fn ask_own_server(&self, halt: WaitLimits<'_>) -> Result<(), Fault> {
        let (mut client, _) = self.start_client(0, "own-server.log", halt)?;
        let answer = client.call(CallName::Ping, CALL_LIMIT, halt)?;
        client.stop(halt)?;
        answer.map(drop).map_err(|error| Fault::new(JobErrorKind::Service, error))
    }

    /// A command of the user's, in a group of its own: a Ctrl-C at the terminal is not meant for his server. What it says goes
    /// to the logs of the run.
    fn shell(&self, command: &str, what: &str) -> Result<Child, Fault> {
        let path = self.context.logs.join(format!("job-{}-{what}-command.log", self.number));
        let log = File::options().create(true).append(true).open(&path);
        let log = log.map_err(|error| Fault::of_folder(&path, &error))?;
        let errors = log.try_clone().map_err(|error| Fault::of_folder(&path, &error))?;
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).process_group(0).stdin(Stdio::null()).stdout(log).stderr(errors);
        shell.spawn().map_err(|error| Fault::environment(message!(run_cannot_start, program = "sh", error)))
    }
}

/// Kills a command with all that it has started in its group.
fn end_group(child: &mut Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    let _ = child.wait();
}

/// How a command ended, where it has.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    child.try_wait().ok().flatten()
}
