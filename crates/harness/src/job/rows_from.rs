//! The service of a job that rows are fetched from: started before the store, and filled by a client of its own, which is
//! gone before anything is measured.

use kurabe_messages::{Message, RecordedText, message};
use kurabe_protocol::{CallName, Command, Distribution, End, Event, Job, Load, Phase, RowSource, RowsFrom};
use kurabe_record::JobErrorKind;

use super::plugs::Plug;
use super::{CALL_LIMIT, Work, limit};
use crate::client::Client;
use crate::fault::Fault;
use crate::resolve::Candidate;
use crate::services::ServiceRole;

/// Name of the phase that fills it.
const FILL: &str = "fill";
/// Rows of one request while it is filled.
const ROWS_OF_REQUEST: u32 = 500;

/// Loads whose rows are fetched.
pub(super) struct FetchedRows;

impl Plug for FetchedRows {
    fn lacks(&self, work: &Work<'_>, phase: &Phase) -> Option<Message> {
        let RowsFrom::Store(from) = phase.rows_from() else { return None };
        if work.context.rows_from.is_none() {
            return Some(message!(run_lacks_row_source, store = from));
        }
        // Rows are fetched by the loops of the Rust client, which a client in another language has not.
        work.clients.iter().any(Client::has_driver).then(|| message!(run_lacks_fetching))
    }

    fn before_store(&self, work: &mut Work<'_>) -> Result<(), Fault> {
        let Some(from) = work.context.rows_from else { return Ok(()) };
        let (data, folder) = (work.folder.join("rows-from"), work.folder.join("rows-from-service"));
        work.start_store(ServiceRole::RowsFrom, from, data, folder)
    }

    fn before_clients(&self, work: &Work<'_>) -> Result<(), Fault> {
        work.context.rows_from.map_or(Ok(()), |from| work.fill_rows_from(from))
    }

    fn tell(&self, work: &Work<'_>, job: &mut Job) {
        let source =
            |from: &Candidate, url: &str| RowSource { candidate: from.protocol_candidate(), url: url.to_string() };
        let service = work.services.get(ServiceRole::RowsFrom);
        job.rows_from = work.context.rows_from.zip(service).map(|(from, service)| source(from, service.url()));
    }
}

impl Work<'_> {
    /// Writes all rows of the configuration into the service.
    fn fill_rows_from(&self, from: &Candidate) -> Result<(), Fault> {
        let config = self.context.config;
        let fill = Phase {
            distribution: Distribution::Sequential,
            commit_every: ROWS_OF_REQUEST,
            ..Phase::new(FILL, Load::Batch { rows: ROWS_OF_REQUEST }, End::Count(config.rows))
        };
        let job = self.job_of_rows_from(from, fill.clone())?;
        let log = self.context.logs.join(format!("job-{}-rows-from.log", self.number));
        let (mut client, _) = Client::start(self.context.launcher, &from.client, &job, &log, self.halt)?;
        let failed = |error: RecordedText| Fault::new(JobErrorKind::Service, message!(run_rows_to_fetch, error));
        client.call(CallName::Create, CALL_LIMIT, self.halt)?.map_err(|error| failed(error.into()))?;
        client.send(&Command::Go(FILL.into()), self.halt)?;
        loop {
            match client.receive(limit(&fill), &message!(run_awaited_rows), self.halt)? {
                Event::Ready(_) => {}
                Event::Result(result) => {
                    let written: u64 = result.workers.iter().map(|worker| worker.operations).sum();
                    if written != config.rows {
                        let why = result.failures.first().map(|failed| format!(": {}", failed.message));
                        let (rows, why) = (config.rows, why.unwrap_or_default());
                        return Err(failed(message!(run_rows_missing, written, rows, why).into()));
                    }
                    return client.stop(self.halt);
                }
                other => return Err(client.unexpected_event(message!(run_awaited_filling), &other)),
            }
        }
    }

    fn job_of_rows_from(&self, from: &Candidate, fill: Phase) -> Result<Job, Fault> {
        Ok(Job {
            id: format!("{}-rows-from", self.number),
            candidate: from.protocol_candidate(),
            dir: None,
            url: self.services.get(ServiceRole::RowsFrom).map(|service| service.url().to_string()),
            settings: from.adapter_settings(&self.variables()),
            processes: 1,
            encoding: Default::default(),
            client_threads: from.store.client_threads,
            rows_from: None,
            phases: vec![fill],
            ..self.direct_job(0)?
        })
    }
}
