//! A store that is up for all cases of one candidate.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use kurabe_harness::job::service_variables;
use kurabe_harness::resolve::{Remote, resolve};
use kurabe_harness::{Candidate, Clients};
use kurabe_protocol::{
    CallName, Capabilities, Command, Encoding, Event, Hello, Job, Phase, PhaseResult, ReplyOutcome, Schema, StoppedBy,
};
use kurabe_service::{Guardian, Service, Start, Template};
use kurabe_study::{Catalogue, ClientOption, Connections, Overrides, Study};
use kurabe_testkit::{ClientProcess, Workbench};
use serde_json::Value;

use crate::Outcome;
use crate::cases::Warmup;

/// Rows of every case but those with large values: a multiple of all numbers of connections.
pub const ROWS: u32 = 800;
/// How long a server may refuse to answer after it was started.
const PATIENCE: Duration = Duration::from_secs(60);

/// Whether a candidate can take part here.
pub enum Presence {
    Here(Box<Candidate>),
    Missing(String),
}

/// Looks for a candidate as `kurabe run` does.
pub fn find(name: &str, durability: Option<&str>, clients: &Clients) -> Outcome<Presence> {
    let catalogue = crate::catalogue()?;
    let mut study = study(&catalogue, name)?;
    for spec in &mut study.candidates {
        spec.durability = durability.map(str::to_string);
        spec.settings.extend(client_settings(&catalogue, &spec.client.client, |option| option.in_tests.clone()));
    }
    let guardian = guardian(clients)?;
    match resolve(&study, &catalogue, clients, &guardian, Remote::Refused) {
        Ok(resolved) => match resolved.candidates.into_iter().next() {
            Some(candidate) => Ok(Presence::Here(Box::new(candidate))),
            None => Err("it cannot take part, and nobody says why".into()),
        },
        Err(error) => Ok(Presence::Missing(error.to_string())),
    }
}

/// The options of a client that have a value here.
fn client_settings(
    catalogue: &Catalogue,
    client: &str,
    value: impl Fn(&ClientOption) -> Option<String>,
) -> Vec<(String, String)> {
    let options = catalogue.client(client).map(|client| client.options.as_slice()).unwrap_or_default();
    options.iter().filter_map(|option| Some((option.name.clone(), value(option)?))).collect()
}

fn study(catalogue: &Catalogue, name: &str) -> Outcome<Study> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/conformance/study.toml");
    let overrides = Overrides { stores: vec![name.to_string()], ..Overrides::default() };
    Study::open(catalogue, path, &overrides).map_err(words)
}

fn guardian(clients: &Clients) -> Outcome<Guardian> {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    Guardian::start(&clients.exe, &format!("c{:x}x{number:x}", std::process::id())).map_err(words)
}

/// Any error in words.
pub fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The store of one candidate, with its folder.
pub struct StoreFixture {
    pub candidate: Candidate,
    pub bench: Workbench,
    /// For rows of a key and a value.
    pub capabilities: Capabilities,
    /// Names of the settings that the live store reports.
    pub settings: Vec<String>,
    /// For the schema of the last job.
    pub last_capabilities: Capabilities,
    /// What the connections of its client are.
    pub connections: Connections,
    /// Of the jobs to come.
    pub warmup: Warmup,
    /// Of the jobs to come.
    pub encoding: Encoding,
    /// Settings of the client where there is no warm-up.
    cold_settings: Vec<(String, String)>,
    guardian: Guardian,
    folder: tempfile::TempDir,
    service: Option<Service>,
    port_url: Option<String>,
    jobs: u32,
}

impl StoreFixture {
    /// Starts the service of `candidate`, where it has one, and asks its client what it can do.
    pub fn start(candidate: &Candidate, clients: &Clients) -> Outcome<StoreFixture> {
        let folder = tempfile::Builder::new().prefix("kurabe-conformance-").tempdir_in(data_folder()).map_err(words)?;
        open_to_all(folder.path())?;
        let catalogue = crate::catalogue()?;
        let client = &candidate.spec.client.client;
        let mut fixture = StoreFixture {
            connections: catalogue.connections(client),
            warmup: Warmup::LeftOut,
            encoding: Encoding::Raw,
            cold_settings: client_settings(&catalogue, client, |option| option.in_cold_tests.clone()),
            candidate: candidate.clone(),
            bench: Workbench::new(ROWS, 7).map_err(words)?,
            capabilities: Capabilities::default(),
            settings: Vec::new(),
            last_capabilities: Capabilities::default(),
            guardian: guardian(clients)?,
            folder,
            service: None,
            port_url: None,
            jobs: 0,
        };
        fixture.start_service()?;
        let mut client = fixture.client(&fixture.job("session", &Schema::key_value(100), ROWS, Vec::new())?)?;
        fixture.capabilities = client.capabilities.clone();
        client.await_store()?;
        client.stop()?;
        Ok(fixture)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Values of the placeholders in the arguments of its service and the settings of its adapter.
    fn variables(&self) -> Outcome<BTreeMap<String, String>> {
        let study = study(&crate::catalogue()?, &self.candidate.spec.name)?;
        Ok(service_variables(&study, &study.plan.configurations[0]))
    }

    fn start_service(&mut self) -> Outcome<()> {
        let variables = self.variables()?;
        let Some(startable) = self.candidate.startable() else { return Ok(()) };
        let blueprint = startable.blueprint(&self.guardian, variables);
        let data = self.data();
        if !data.exists() {
            let template = Template::initialise(&blueprint, self.folder.path()).map_err(words)?;
            template.copy_to(&data).map_err(words)?;
        }
        let args = self.candidate.service_args();
        let folder = self.folder.path().join("service");
        let start = Start { data: &data, folder: &folder, extra_args: &args };
        let service = Service::start(&blueprint, &start).map_err(words)?;
        self.port_url = Some(service.url().to_string());
        self.service = Some(service);
        Ok(())
    }

    /// Kills the service as a crash would, and starts it again on the same data. An embedded store has none: there it
    /// is the client that is killed.
    pub fn crash(&mut self) -> Outcome<()> {
        if let Some(service) = self.service.take() {
            // Not dropped: that would ask it to end first.
            service.kill().map_err(words)?;
            self.start_service()?;
        }
        Ok(())
    }

    /// A job of this candidate in a namespace of its own.
    pub fn job(&self, namespace: &str, schema: &Schema, rows: u32, phases: Vec<Phase>) -> Outcome<Job> {
        let spec = &self.candidate.spec;
        let mut job = self.bench.job(&spec.store, schema, phases);
        job.candidate.wire = self.candidate.store.wire().to_string();
        job.candidate.variant = spec.variant.clone();
        job.rows = u64::from(rows);
        job.namespace = format!("conformance_{namespace}");
        job.settings = self.candidate.adapter_settings(&self.variables()?);
        if self.warmup == Warmup::LeftOut {
            job.settings.extend(self.cold_settings.clone());
        }
        job.url = self.port_url.clone();
        job.encoding = self.encoding;
        if self.candidate.store.service.is_none() {
            let dir = self.folder.path().join(namespace);
            std::fs::create_dir_all(&dir).map_err(words)?;
            job.dir = Some(dir.display().to_string());
        }
        Ok(job)
    }

    /// A client at work on a job.
    pub fn client(&mut self, job: &Job) -> Outcome<Client> {
        self.jobs += 1;
        let command = &self.candidate.client;
        let args: Vec<&str> = command.args.iter().filter_map(|arg| arg.to_str()).collect();
        let mut process = ClientProcess::start(&command.program, &args).map_err(words)?;
        let Hello { capabilities, libraries, .. } = process.begin(job).map_err(words)?;
        self.last_capabilities.clone_from(&capabilities);
        Ok(Client { process, job: job.clone(), capabilities, tells_libraries: !libraries.is_empty() })
    }

    /// Ends the service cleanly.
    pub fn stop(mut self) -> Outcome<()> {
        self.service.take().map_or(Ok(()), |service| service.stop().map(|_| ()).map_err(words))
    }
}

/// In memory, where only processes are killed and a device has nothing to add; on the disk where every durability
/// setting is tried.
fn data_folder() -> &'static str {
    let memory = "/dev/shm";
    if crate::every_setting() || !Path::new(memory).is_dir() { "/var/tmp" } else { memory }
}

/// A server may run as a user of its own, who must be able to enter the folder.
fn open_to_all(folder: &Path) -> Outcome<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).map_err(words)
}

/// A client process that works on one job.
pub struct Client {
    process: ClientProcess,
    job: Job,
    pub capabilities: Capabilities,
    /// Whether its hello names libraries with their versions.
    pub tells_libraries: bool,
}

impl Client {
    /// Makes a call; `None` where it is unsupported.
    pub fn call(&mut self, name: CallName) -> Outcome<Option<Value>> {
        match self.process.call(name).map_err(words)? {
            ReplyOutcome::Ok(value) => match kurabe_protocol::reply::check(name, &value) {
                Ok(()) => Ok(Some(value)),
                Err(malformed) => Err(malformed.to_string()),
            },
            ReplyOutcome::Unsupported => Ok(None),
            ReplyOutcome::Error(error) => Err(format!("call {name:?}: {error}")),
        }
    }

    /// A number that a call answers with.
    pub fn number(&mut self, name: CallName, key: &str) -> Outcome<Option<u64>> {
        Ok(self.call(name)?.and_then(|value| value[key].as_u64()))
    }

    /// Waits until the store answers.
    pub fn await_store(&mut self) -> Outcome<()> {
        let until = Instant::now() + PATIENCE;
        loop {
            match self.call(CallName::Ping) {
                Ok(_) => return Ok(()),
                Err(error) if Instant::now() > until => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Runs a phase that may fail; `begun` is called right before it goes.
    pub fn run_as_it_comes(&mut self, phase: &Phase, begun: impl FnOnce()) -> Outcome<PhaseResult> {
        let wrong = |error: String| format!("phase '{}': {error}", phase.name);
        self.process.prepare(&phase.name).map_err(|error| wrong(error.to_string()))?;
        begun();
        self.process.go_and_audit(phase, &self.job).map_err(|error| wrong(error.to_string()))
    }

    /// Runs a phase; nothing may fail and no answer may be wrong.
    pub fn run(&mut self, phase: &Phase) -> Outcome<PhaseResult> {
        let name = &phase.name;
        self.process.prepare(name).map_err(|error| format!("phase '{name}': {error}"))?;
        let result = self.process.go_and_audit(phase, &self.job).map_err(|error| format!("phase '{name}': {error}"))?;
        let operations: u64 = result.workers.iter().map(|worker| worker.operations).sum();
        if let Some(failed) = result.failures.first() {
            return Err(format!("phase '{name}': {} of {} failed: {}", failed.count, failed.operation, failed.message));
        }
        if result.checks.failed() > 0 {
            return Err(format!("phase '{name}': wrong answers: {:?}", result.checks));
        }
        // What became of planned operations is audited.
        let is_whole = match phase.schedule {
            Some(_) => result.stopped_by == StoppedBy::Duration,
            None => result.stopped_by == StoppedBy::Count && Some(operations) == phase.end.count(),
        };
        if !is_whole {
            return Err(format!("phase '{name}': {operations} operations, ended by {:?}", result.stopped_by));
        }
        Ok(result)
    }

    /// Starts a phase and kills the process in the middle of it; returns how many operations it had told by then: all
    /// of them where it was done before.
    pub fn run_and_kill(mut self, phase: &Phase) -> Outcome<u64> {
        let wrong = |error: String| format!("phase '{}': {error}", phase.name);
        self.process.prepare(&phase.name).map_err(|error| wrong(error.to_string()))?;
        self.process.send(&Command::Go(phase.name.clone())).map_err(words)?;
        let mut told = 0;
        while told == 0 {
            let line = self.process.next_line("progress").map_err(|error| wrong(error.to_string()))?;
            match Event::parse(&line) {
                Ok(Event::Progress { operations, .. }) => told = operations,
                Ok(Event::Result(result)) => told = result.workers.iter().map(|worker| worker.operations).sum(),
                _ => return Err(wrong(format!("it said '{line:.200}'"))),
            }
        }
        self.kill();
        Ok(told)
    }

    /// Kills the process, as a crash would.
    pub fn kill(self) {
        drop(self.process);
    }

    /// Ends it cleanly.
    pub fn stop(mut self) -> Outcome<()> {
        self.process.send(&Command::Stop).map_err(words)?;
        let ending = self.process.finish().map_err(words)?;
        match ending.status {
            0 => Ok(()),
            status => Err(format!("the client ended with status {status}: {}", ending.stderr)),
        }
    }
}
