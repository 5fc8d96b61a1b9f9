//! The control client of a job: it loads nothing, so calls can be asked while a phase runs, and a store that was ended and
//! started again is asked over a connection of its own. A job without actions has none: its first client is asked.

use std::time::Instant;

use kurabe_protocol::{Job, Phase};

use super::Work;
use crate::client::Client;
use crate::fault::Fault;
use crate::services::ServiceRole;

/// What the clients that measure do at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clients {
    /// They are in a phase.
    AtWork,
    /// They wait for a command.
    Idle,
}

impl Work<'_> {
    /// Starts it, where something is to be done amid a phase and the store can be reached by more than one process.
    pub(super) fn start_control(&mut self) -> Result<(), Fault> {
        if self.context.phases.iter().all(|plan| plan.actions.is_empty()) {
            return Ok(());
        }
        self.control = match self.control_job()? {
            Some(job) => {
                let log = self.context.logs.join(format!("job-{}-control.log", self.number));
                let (client, _) = Client::start(self.context.launcher, &self.candidate.client, &job, &log, self.halt)?;
                Some(client)
            }
            None => None,
        };
        Ok(())
    }

    /// What it is told: the store itself, also where others ask a service before it; that service, where the store lives
    /// inside it and it answers calls.
    fn control_job(&self) -> Result<Option<Job>, Fault> {
        let app = &self.candidate.app;
        let at_address = self.candidate.record.at_url.is_some() && app.is_empty();
        let job = if self.services.has(ServiceRole::Store) || at_address {
            self.direct_job(0)?
        } else if app.iter().any(|app| app.descriptor.answers_calls) {
            self.job(0)?
        } else {
            return Ok(None);
        };
        // It does none of the phases, but which rows there can be follows from them. It is one process with one connection,
        // which is what every client can be.
        let phases = job.phases.into_iter().map(|phase| Phase { connections: 1, ..phase }).collect();
        Ok(Some(Job { id: format!("{}-control", job.id), processes: 1, phases, ..job }))
    }

    /// Who is asked between phases.
    pub(super) fn caller(&mut self) -> &mut Client {
        self.control.as_mut().unwrap_or(&mut self.clients[0])
    }

    /// Starts services again that were ended as planned, and a new control client, whose connection went with them. Returns
    /// how long that took until the store answered, in ns; nothing where none had ended. Where only `clients` could be asked
    /// and they are at work, it ends with the start of the service: a client answers a call when its phase has ended.
    pub(super) fn revive(&mut self, clients: Clients) -> Result<Option<u64>, Fault> {
        let begun = Instant::now();
        let services_context = self.context.services_context();
        let was_down = self.start_own_server(self.halt)?;
        if !self.services.revive(services_context)? && !was_down {
            return Ok(None);
        }
        // Without a word: what it would say goes to a connection that is gone.
        self.control = None;
        self.start_control()?;
        if self.control.is_some() || clients == Clients::Idle {
            self.await_store()?;
        }
        Ok(Some(begun.elapsed().as_nanos() as u64))
    }
}
