//! The service of a job that rows are fetched from: started before the store, and filled by a client of its own, which is
//! gone before anything is measured.

use kurabe_protocol::{CallName, Command, Distribution, End, Event, Job, Load, Phase, RowsFrom};
use kurabe_record::JobErrorKind;

use super::{CALL_LIMIT, Work, limit, namespace};
use crate::client::Client;
use crate::fault::Fault;
use crate::resolve::Candidate;
use crate::services::Part;

/// Name of the phase that fills it.
const FILL: &str = "fill";
/// Rows of one request while it is filled.
const ROWS_OF_REQUEST: u32 = 500;

impl Work<'_> {
    /// Why a load cannot fetch its rows, where it is to.
    pub(super) fn lacks_rows_from(&self, phase: &Phase) -> Option<String> {
        let from = self.stage.study.plan.rows_from.as_deref().unwrap_or("no store");
        (phase.fetches() && self.stage.rows_from.is_none()).then(|| format!("{from}, to fetch rows from, is not here"))
    }

    /// Starts it, where a load of the configuration fetches rows.
    pub(super) fn start_rows_from(&mut self) -> Result<(), Fault> {
        let Some(from) = self.stage.rows_from.filter(|_| self.stage.config.fetches()) else { return Ok(()) };
        let (data, folder) = (self.folder.join("rows-from"), self.folder.join("rows-from-service"));
        self.start_store(Part::RowsFrom, from, data, folder)
    }

    /// Writes all rows of the configuration into it.
    pub(super) fn fill_rows_from(&self) -> Result<(), Fault> {
        let (Some(told), Some(from)) = (self.told_rows_from(), self.stage.rows_from) else { return Ok(()) };
        let config = self.stage.config;
        let fill = Phase {
            distribution: Distribution::Sequential,
            commit_every: ROWS_OF_REQUEST,
            ..Phase::new(FILL, Load::Batch { rows: ROWS_OF_REQUEST }, End::Count(config.rows))
        };
        let job = self.job_of_rows_from(from, told, fill.clone())?;
        let log = self.stage.logs.join(format!("job-{}-rows-from.log", self.number));
        let (mut client, _) = Client::start(self.stage.launcher, &from.client, &job, &log, self.halt)?;
        let failed = |words: String| Fault::new(JobErrorKind::Service, format!("the rows to fetch: {words}"));
        client.call(CallName::Create, CALL_LIMIT, self.halt)?.map_err(failed)?;
        client.send(&Command::Go(FILL.into()), self.halt)?;
        loop {
            match client.receive(limit(&fill), "the rows to fetch", self.halt)? {
                Event::Ready(_) => {}
                Event::Result(result) => {
                    let written: u64 = result.workers.iter().map(|worker| worker.operations).sum();
                    if written != config.rows {
                        let why = result.failures.first().map(|failed| format!(": {}", failed.message));
                        let why = why.unwrap_or_default();
                        return Err(failed(format!("only {written} of {} are there{why}", config.rows)));
                    }
                    return client.stop(self.halt);
                }
                other => return Err(client.out_of_turn("the result of filling", &other)),
            }
        }
    }

    /// Where the client of the store finds the rows to fetch.
    pub(super) fn told_rows_from(&self) -> Option<RowsFrom> {
        let from = self.stage.rows_from?;
        Some(RowsFrom {
            store: from.record.store.clone(),
            wire: from.store.wire().to_string(),
            variant: from.record.variant.clone(),
            url: self.services.get(Part::RowsFrom)?.url().to_string(),
            namespace: namespace(self.stage.run_id),
        })
    }

    fn job_of_rows_from(&self, from: &Candidate, told: RowsFrom, fill: Phase) -> Result<Job, Fault> {
        Ok(Job {
            id: format!("{}-rows-from", self.number),
            candidate: kurabe_protocol::Candidate {
                name: from.record.name.clone(),
                store: told.store,
                wire: told.wire,
                variant: told.variant,
            },
            namespace: told.namespace,
            dir: None,
            url: Some(told.url),
            settings: from.adapter_settings(&self.variables()),
            processes: 1,
            encoding: Default::default(),
            client_threads: from.store.client_threads,
            rows_from: None,
            phases: vec![fill],
            ..self.job(0)?
        })
    }
}
