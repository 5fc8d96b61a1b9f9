//! The end of a job: everything stopped cleanly, or whose fault it was that it did not come to that.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kurabe_messages::{Language, message};
use kurabe_protocol::CallName;
use kurabe_record::JobErrorKind;

use super::{CALL_LIMIT, DEATH_LIMIT, Work, namespace};
use crate::fault::{Environment, Fault, WaitLimits};
use crate::limits;
use crate::services::DeadService;

/// Rows on somebody's server are removed within this time; a server that hangs would keep a user waiting who has typed
/// Ctrl-C.
const CLEANING_LIMIT: Duration = Duration::from_secs(30);

impl Work<'_> {
    pub(super) fn stop_in_good_order(&mut self) -> Result<(), Fault> {
        let halt = self.halt;
        let clients = std::mem::take(&mut self.clients).into_iter().chain(self.control.take());
        clients.into_iter().try_for_each(|client| client.stop(halt))?;
        self.services.stop(halt.interrupt)
    }

    /// Fails where a folder for data is not where it was: a store may go on without noticing.
    pub(super) fn check_data_folder(&self, folder: &Path) -> Result<(), Fault> {
        let environment = Environment { places: &[(folder, "data")], launcher: self.context.launcher };
        environment.missing().map_or(Ok(()), |what| Err(Fault::Environment(what)))
    }

    /// Whose fault it really was. A client that lost its store reports a fault of its own; where the service is dead, that
    /// is the cause, and where the environment is gone, that.
    pub(super) fn blame(&mut self, fault: Fault) -> Fault {
        if matches!(fault, Fault::Interrupted | Fault::OutOfTime) {
            return fault;
        }
        let places = [
            (self.context.data, "data"),
            (&self.folder, "data"),
            (self.context.files.pool_path(), "filler"),
            (self.context.logs, "logs"),
        ];
        if let Some(what) = (Environment { places: &places, launcher: self.context.launcher }).failure() {
            return Fault::Environment(what);
        }
        if let Fault::Failed { kind: JobErrorKind::Client, message } = &fault
            && let Some(limit) = limits::limit_reached(&message.text(Language::English))
        {
            return Fault::environment(limit);
        }
        let noticed = match &fault {
            Fault::ServiceDied => None,
            Fault::Failed { kind, message } if *kind != JobErrorKind::Service => {
                Some(message!(run_noticed, how = message))
            }
            _ => return fault,
        };
        let Some(DeadService { who, log }) = self.services.dying(DEATH_LIMIT) else { return fault };
        Fault::new(JobErrorKind::Service, message!(run_died, who, noticed, log = log.trim()))
    }

    /// After a fault or an interrupt our rows would stay on somebody's server: a fresh client removes them.
    pub(super) fn leave_server_as_it_was(&mut self) {
        if self.candidate.record.at_url.is_none() || !self.touched {
            return;
        }
        self.clients.clear();
        self.control = None;
        let name = &self.candidate.record.name;
        if self.context.interrupt.load(Ordering::Relaxed) {
            self.context.observer.warn(&message!(run_removing, name));
        }
        let calm = AtomicBool::new(false);
        let calm = WaitLimits { interrupt: &calm, deadline: Some(Instant::now() + CLEANING_LIMIT) };
        if let Err(fault) = self.start_own_server(calm) {
            self.context.observer.warn(&message!(run_own_server_down, name, error = fault.words()));
        }
        let cleaned = self.start_client(0, "clean-up.log", calm).and_then(|(mut client, _)| {
            client.call(CallName::Reset, CALL_LIMIT, calm)?.map_err(|error| Fault::new(JobErrorKind::Client, error))?;
            client.stop(calm)
        });
        if cleaned.is_err() {
            let names = format!("{}*", namespace(self.context.run_id));
            self.context.observer.warn(&message!(run_not_removed, name, names));
        }
    }

    /// Ends whatever still runs; processes are killed with their trees when dropped.
    pub(super) fn end(self) {
        drop(self.clients);
        drop(self.control);
        drop(self.services);
        drop(self.disk);
    }
}
