//! The start of a job: its service from a copy of the initialised data folder, its client processes, and what they are told.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kurabe_disk::Disk;
use kurabe_messages::{Message, message};
use kurabe_protocol::phase::PLANNED_TIMED_INSERTS;
use kurabe_protocol::{CallName, Hello, Job, LossPolicy, Operation, Phase};
use kurabe_record::{Configuration, JobErrorKind, PhasePlan, StoreAccess};
use kurabe_service::{FolderAccess, make_folder, make_folder_in_place};
use kurabe_study::Study;

use super::plugs::PLUGS;
use super::{ADDRESS_LIMIT, CALL_LIMIT, PING_LIMIT, RoundContext, Work, namespace};
use crate::client::Client;
use crate::fault::{Fault, WaitLimits};
use crate::resolve::Candidate;
use crate::services::{Recipe, ServiceRole};
use crate::streams::StreamFiles;

/// Values of the placeholders in the arguments of every service and the settings of every adapter: the cache and, where memory is the data,
/// its memory.
pub fn service_variables(study: &Study, config: &Configuration) -> BTreeMap<String, String> {
    let cache_mb = study.plan.cache_mb;
    let cache_bytes = cache_mb << 20;
    let memory_bytes = cache_bytes.max(2 * memory_of_rows(study, config));
    BTreeMap::from([
        ("cache_mb".to_string(), cache_mb.to_string()),
        ("cache_bytes".to_string(), cache_bytes.to_string()),
        ("memory_mb".to_string(), memory_bytes.div_ceil(1 << 20).to_string()),
        ("memory_bytes".to_string(), memory_bytes.to_string()),
        ("cores".to_string(), cores().to_string()),
        ("io_threads".to_string(), io_threads(cores()).to_string()),
    ])
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Threads for sockets of a server that works on one thread otherwise: two cores stay free for it and for the system. None
/// but its own below four cores and no more than eight, as Redis and Valkey advise in their files of settings.
fn io_threads(cores: usize) -> usize {
    if cores < 4 { 1 } else { (cores - 2).min(8) }
}

/// Bytes of all rows that the phases can hold where memory is the data, with 128 bytes a row for the store itself.
pub(crate) fn memory_of_rows(study: &Study, config: &Configuration) -> u64 {
    let inserts: u64 = config
        .phases
        .iter()
        .filter(|plan| plan.phase.does(Operation::Insert))
        .map(|plan| plan.phase.end.count().unwrap_or(PLANNED_TIMED_INSERTS))
        .sum();
    (config.rows + inserts) * (study.row_bytes(config) + 128)
}

/// The store of a client that asks a service over HTTP, whatever is behind it.
const HTTP: &str = "http";

/// What a job is made of beside its candidate.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The study.
    pub study: &'a Study,
    /// The configuration.
    pub config: &'a Configuration,
    /// Its phases, in the order of the round.
    pub phases: &'a [PhasePlan],
    /// Pool and streams.
    pub files: &'a StreamFiles,
}

/// The job of a candidate's first client process. `dir` is for the files of an embedded store, `url` leads to a
/// service that was started; a candidate at an address has its own.
pub fn compose(setup: Setup<'_>, candidate: &Candidate, dir: &Path, url: Option<String>) -> Job {
    let Setup { study, config, phases, files } = setup;
    Job {
        namespace: "kurabe_wire".into(),
        dir: candidate.store.service.is_none().then(|| dir.display().to_string()),
        url: candidate.spec.url.clone().or(url),
        settings: candidate.adapter_settings(&service_variables(study, config)),
        processes: processes(candidate, config),
        pool: files.pool(),
        data: study.data.as_ref().map(|data| data.files.clone()),
        encoding: config.encoding,
        client_threads: candidate.store.client_threads,
        // Programs are the harness's own.
        phases: phases
            .iter()
            .filter(|plan| plan.phase.program().is_none())
            .map(|plan| Phase { on_loss: on_loss(plan), ..files.fill(&plan.phase) })
            .collect(),
        ..Job::new(
            format!("0-{}", candidate.record.name),
            candidate.protocol_candidate(),
            config.schema.clone(),
            config.rows,
        )
    }
}

/// What clients do in a phase that lose their store.
fn on_loss(plan: &PhasePlan) -> LossPolicy {
    if plan.reconnects() { LossPolicy::Reconnect } else { LossPolicy::GiveUp }
}

/// Client processes of a job: no more than its phases have connections, whatever other configurations have.
pub(crate) fn processes(candidate: &Candidate, config: &Configuration) -> u32 {
    candidate.record.processes.min(config.max_connections()).max(1)
}

impl<'a> Work<'a> {
    /// How many client processes work on the job.
    pub(super) fn processes(&self) -> u32 {
        processes(self.candidate, self.context.config)
    }

    /// The folder of the job, which a service of another user must be able to enter.
    pub(super) fn make_folder(&self) -> Result<(), Fault> {
        // One that is gone is not made again on the way: it would be without its mark.
        self.check_data_folder(self.context.data)?;
        make_folder_in_place(&self.folder, FolderAccess::Everybody)
            .map_err(|error| Fault::of_folder(&self.folder, &error))
    }

    /// The folder of the store's data.
    pub(super) fn data(&self) -> PathBuf {
        self.disk.as_ref().map_or(&*self.folder, Disk::path).join("data")
    }

    /// Starts the services of the job, one after the other.
    pub(super) fn start_services(&mut self) -> Result<(), Fault> {
        PLUGS.iter().try_for_each(|plug| plug.before_store(self))?;
        let (data, folder) = (self.data(), self.folder.join("service"));
        self.start_store(ServiceRole::Store, self.candidate, data, folder)?;
        self.start_app()
    }

    /// Starts what stands before the store, from it outwards. The first is told the job as a client of the store is; the
    /// files of an embedded store are its own.
    fn start_app(&mut self) -> Result<(), Fault> {
        let candidate = self.candidate;
        for (at, app) in candidate.app.iter().enumerate() {
            let folder = self.folder.join(format!("app-{at}"));
            make_folder(&folder, FolderAccess::Everybody).map_err(|error| Fault::of_folder(&folder, &error))?;
            let mut variables = self.variables();
            let upstream = self.services.asked().map(|service| service.url().to_string()).unwrap_or_default();
            variables.insert("upstream".into(), upstream);
            variables.insert("kurabe".into(), self.context.exe.display().to_string());
            variables.insert("driver".into(), candidate.spec.client.driver.clone().unwrap_or_default());
            if at == 0 {
                let path = folder.join("job.json");
                let job = serde_json::to_vec(&self.direct_job(0)?).unwrap_or_default();
                std::fs::write(&path, job).map_err(|error| Fault::of_folder(&path, &error))?;
                variables.insert("job".into(), path.display().to_string());
            }
            let holds_store = at == 0 && candidate.store.service.is_none();
            let data = if holds_store { self.data() } else { folder.join("data") };
            let part = if app.descriptor.is_bandwidth_limit { ServiceRole::Link } else { ServiceRole::App };
            self.start_service(Recipe { part, service: app.startable(), data, folder, variables })?;
        }
        Ok(())
    }

    /// Starts the service of a candidate, where it has one.
    pub(super) fn start_store(
        &mut self,
        part: ServiceRole,
        candidate: &'a Candidate,
        data: PathBuf,
        folder: PathBuf,
    ) -> Result<(), Fault> {
        let Some(service) = candidate.startable() else { return Ok(()) };
        let variables = self.variables();
        self.start_service(Recipe { part, service, data, folder, variables })
    }

    fn start_service(&mut self, recipe: Recipe<'a>) -> Result<(), Fault> {
        let services_context = self.context.services_context();
        self.services.start(services_context, recipe)
    }

    /// Values of the placeholders in a service's arguments.
    pub(super) fn variables(&self) -> BTreeMap<String, String> {
        service_variables(self.context.study, self.context.config)
    }

    pub(super) fn start_clients(&mut self) -> Result<Hello, Fault> {
        let mut first = None;
        for process in 0..self.processes() {
            let (client, hello) = self.start_client(process, &self.client_log(process), self.halt)?;
            self.clients.push(client);
            first.get_or_insert(hello);
        }
        first.ok_or_else(|| Fault::new(JobErrorKind::Client, message!(run_no_client_process)))
    }

    /// Name of the log of a client process.
    pub(super) fn client_log(&self, process: u32) -> String {
        format!("job-{}-client-{process}.log", self.number)
    }

    pub(super) fn start_client(&self, process: u32, log: &str, halt: WaitLimits<'_>) -> Result<(Client, Hello), Fault> {
        let job = self.job(process)?;
        let log = self.context.logs.join(log);
        Client::start(self.context.launcher, &self.candidate.client, &job, &log, halt)
    }

    pub(super) fn job(&self, process: u32) -> Result<Job, Fault> {
        let job = self.direct_job(process)?;
        let (Some(innermost), Some(service)) = (self.candidate.app.first(), self.services.asked()) else {
            return Ok(job);
        };
        let mut settings = BTreeMap::new();
        settings.extend(innermost.operations.clone().map(|operations| ("operations".to_string(), operations)));
        if self.candidate.app.iter().any(|app| app.descriptor.answers_calls) {
            settings.insert("calls".into(), "yes".into());
        }
        // What its answers look like is an option of the app, and whoever asks it must know.
        let options = self.candidate.app.iter().flat_map(|app| &app.descriptor.options);
        let asked = options.filter_map(|option| job.settings.get_key_value(&option.name));
        settings.extend(asked.map(|(name, value)| (name.clone(), value.clone())));
        let candidate =
            kurabe_protocol::Candidate { store: HTTP.into(), wire: HTTP.into(), variant: None, ..job.candidate };
        Ok(Job { candidate, dir: None, url: Some(service.url().to_string()), settings, client_threads: 1, ..job })
    }

    /// What a client of the store itself is told.
    pub(super) fn direct_job(&self, process: u32) -> Result<Job, Fault> {
        let dir = self.data();
        if self.candidate.store.service.is_none() && self.candidate.app.is_empty() {
            // An embedded store makes files as the umask says, and may hold rows of a file that is closed to others.
            make_folder(&dir, FolderAccess::Owner).map_err(|error| Fault::of_folder(&dir, &error))?;
        }
        let url = self.services.get(ServiceRole::Store).map(|service| match self.candidate.record.transport {
            StoreAccess::Unix => service.unix_url().unwrap_or(service.url()).to_string(),
            StoreAccess::Tcp | StoreAccess::InProcess => service.url().to_string(),
        });
        let RoundContext { study, config, phases, files, .. } = *self.context;
        let mut job = compose(Setup { study, config, phases, files }, self.candidate, &dir, url);
        job.id = format!("{}-{}", self.number, self.candidate.record.name);
        job.namespace = namespace(self.context.run_id);
        job.process = process;
        PLUGS.iter().for_each(|plug| plug.tell(self, &mut job));
        Ok(job)
    }

    /// Waits until the store answers: a server that accepts connections may still be starting. One at an address is up
    /// already, or it is of no use.
    pub(super) fn await_store(&mut self) -> Result<(), Fault> {
        let at_address = self.candidate.spec.url.is_some();
        let limit = if at_address { ADDRESS_LIMIT } else { CALL_LIMIT };
        let until = Instant::now() + PING_LIMIT;
        let failed = |message: Message| Err(Fault::new(JobErrorKind::Service, message));
        loop {
            let halt = self.halt;
            let answer = self.caller().call(CallName::Ping, limit, halt);
            self.note_absent(CallName::Ping);
            match answer {
                Err(Fault::Failed { kind: JobErrorKind::Timeout, .. }) if at_address => {
                    return failed(message!(run_address_silent, limit));
                }
                Err(fault) => return Err(fault),
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(_)) if self.services.dead().is_some() => return Err(Fault::ServiceDied),
                Ok(Err(error)) if Instant::now() > until || self.services.get(ServiceRole::Store).is_none() => {
                    return failed(match at_address {
                        true => message!(run_address_wrong, error),
                        false => message!(run_store_wrong, error),
                    });
                }
                Ok(Err(_)) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }
}
