//! What can take part: services found, durability chosen, clients ready. Nothing is measured here.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use kurabe_messages::{Message, message};
use kurabe_protocol::Operation;
use kurabe_record::{
    AppRecord, CandidateRecord, Configuration, Guarantee, LeftOut, PITFALL, PhasePlan, ServiceOutput, SettingCheck,
    StoreKind, WeakenedSetting, value_on,
};
use kurabe_service::{Blueprint, Cause, Found, Guardian, Missing, ServiceSpec, file_exists, find};
use kurabe_study::{
    AppDescriptor, CandidateSpec, Catalogue, ClientDescriptor, ClientName, Connections, Durability, Setting,
    StoreDescriptor, Study, parse_candidate,
};

use crate::clients::{BUILDS_SERVERS, ClientCommand, Clients, Drives};
use crate::error::{HarnessError, MissingPart, Reason, in_record};

pub(crate) use record::durability_record;
use record::{client_settings, record};

mod record;

/// A candidate that can take part.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// As it stands in the record.
    pub record: CandidateRecord,
    /// As it was asked for.
    pub spec: CandidateSpec,
    /// Its store, as it is for its variant.
    pub store: StoreDescriptor,
    /// The durability setting that was chosen.
    pub durability: Option<Durability>,
    /// The binaries of its service.
    pub found: Option<Found>,
    /// Services before the store, from it outwards.
    pub app: Vec<App>,
    /// Its library, where that is no plain name that the system finds.
    pub library: Option<String>,
    /// Its client.
    pub client: ClientCommand,
    /// Settings of the client itself.
    pub options: BTreeMap<String, String>,
}

/// A service before a store, found.
#[derive(Clone, Debug)]
pub struct App {
    /// What it is.
    pub descriptor: AppDescriptor,
    /// Its binaries.
    pub found: Found,
    /// What it can do, in words; where absent it tells so itself.
    pub operations: Option<String>,
}

/// A service that can be started, whatever it is for.
#[derive(Clone, Debug)]
pub struct Startable<'a> {
    /// Whose it is: a store or an app.
    pub name: &'a str,
    /// How.
    pub spec: &'a ServiceSpec,
    /// Its binaries.
    pub found: &'a Found,
    /// Arguments after those of the spec.
    pub args: Vec<String>,
    /// Whether it writes to a terminal.
    pub terminal: bool,
}

impl Startable<'_> {
    /// What is needed to start it.
    pub fn blueprint<'a>(&'a self, guardian: &'a Guardian, variables: BTreeMap<String, String>) -> Blueprint<'a> {
        Blueprint { variables, terminal: self.terminal, ..Blueprint::new(self.spec, self.found, guardian) }
    }
}

impl App {
    /// How it is started.
    pub fn startable(&self) -> Startable<'_> {
        let App { descriptor, found, .. } = self;
        Startable { name: &descriptor.name, spec: &descriptor.service, found, args: Vec::new(), terminal: false }
    }
}

impl Candidate {
    /// What its client is told of it.
    pub fn protocol_candidate(&self) -> kurabe_protocol::Candidate {
        kurabe_protocol::Candidate {
            name: self.record.name.clone(),
            store: self.record.store.clone(),
            wire: self.store.wire().to_string(),
            variant: self.record.variant.clone(),
        }
    }

    /// How the service of its store is started; `None` where it has none or is at an address.
    pub fn startable(&self) -> Option<Startable<'_>> {
        Some(Startable {
            name: &self.store.name,
            spec: self.store.service.as_ref()?,
            found: self.found.as_ref()?,
            args: self.service_args(),
            terminal: self.spec.output == ServiceOutput::Terminal,
        })
    }

    /// What is given to it, or expected of it, in the one order that holds for all of it: the store's settings, those of
    /// the durability setting above them, and what the candidate gives itself above both. The last one wins. A candidate
    /// cannot give what is part of a durability setting, so nothing of a promise is overruled without a word.
    fn in_order<'a, I: IntoIterator>(
        &'a self,
        of_store: impl Fn(&'a Setting) -> I + 'a,
        of_durability: impl Fn(&'a Durability) -> I + 'a,
        own: I,
    ) -> impl Iterator<Item = I::Item> {
        let store = self.store.settings.iter().flat_map(of_store);
        store.chain(self.durability.iter().flat_map(of_durability)).chain(own)
    }

    /// Settings for its adapter, with its library and the options of its client. `variables` are the values of the
    /// placeholders, which are those of a service's arguments.
    pub fn adapter_settings(&self, variables: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let owned = |(name, value): (&String, &String)| (name.clone(), fill(value, variables));
        let mut settings: BTreeMap<String, String> = match self.spec.url {
            // A server at an address is taken as it is.
            Some(_) => self.spec.settings.clone(),
            None => {
                let library = self.library.iter().map(|path| ("library".to_string(), path.clone()));
                let given = self.in_order(|one| &one.settings, |one| &one.settings, &self.spec.settings).map(owned);
                library.chain(given).collect()
            }
        };
        settings.extend(self.options.clone());
        settings
    }

    /// Arguments for its service after those of the descriptor.
    pub fn service_args(&self) -> Vec<String> {
        self.in_order(|one| &one.args, |one| &one.args, &self.spec.args).cloned().collect()
    }

    /// What the live store must report, by name. Nothing of a server at an address.
    pub fn expected_settings(&self) -> BTreeMap<String, String> {
        if self.spec.url.is_some() {
            return BTreeMap::new();
        }
        let own = &self.spec.settings;
        let expected =
            self.in_order(|one| expected_beside(one, own), |one| one.expect.iter().collect(), own.iter().collect());
        expected.map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// Which of the settings as read back undo what its durability setting promises.
    pub(crate) fn undone(&self, checks: &[SettingCheck]) -> Vec<WeakenedSetting> {
        let Some(durability) = &self.durability else { return Vec::new() };
        let found = checks.iter().filter_map(|check| Some((check.name.clone(), check.found.clone()?))).collect();
        self.store.undone(durability.guarantee(), &found)
    }

    /// Whether it is a store that is started here, not one at an address.
    pub(crate) fn is_a_store_of_ours(&self) -> bool {
        self.store.kind == StoreKind::Store && self.spec.url.is_none()
    }

    /// Whether commits of its jobs can be compared with the disk: it promises to survive the loss of power, its files are
    /// on a disk that is known, and there are commits that nobody shares.
    pub(crate) fn commits_can_be_judged(&self, phases: &[PhasePlan]) -> bool {
        let promises = self.durability.as_ref().is_some_and(|durability| durability.guarantee() == Guarantee::FULL);
        promises && self.is_a_store_of_ours() && phases.iter().any(|plan| plan.phase.commits_alone())
    }
}

/// What a store must report of a setting beside what a candidate gives itself: where that replaces a part of the setting, what
/// follows from it reads back otherwise.
fn expected_beside<'a>(setting: &'a Setting, own: &BTreeMap<String, String>) -> Vec<(&'a String, &'a String)> {
    let is_replaced = setting.settings.keys().any(|name| own.contains_key(name));
    let stays = |(name, _): &(&String, &String)| !is_replaced || setting.settings.contains_key(*name);
    setting.expect.iter().filter(stays).collect()
}

/// A setting's value with the placeholders in it replaced.
pub(crate) fn fill(value: &str, variables: &BTreeMap<String, String>) -> String {
    let replaced = |text: String, (name, value): (&String, &String)| text.replace(&format!("{{{name}}}"), value);
    variables.iter().fold(value.to_string(), replaced)
}

/// What can take part, and what cannot and why.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// Candidates.
    pub candidates: Vec<Candidate>,
    /// The rest.
    pub left_out: Vec<LeftOut>,
    /// Where loads fetch their rows from, as they name it, as far as it is here.
    pub rows_from: BTreeMap<String, Candidate>,
}

/// Whether a run may send load to another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remote {
    /// Only to this machine.
    Refused,
    /// The user said so.
    Allowed,
}

/// Looks for everything that `study` names. A store that is missing is left out and named; where it was asked for by
/// name that is an error.
pub fn resolve(
    study: &Study,
    catalogue: &Catalogue,
    clients: &Clients,
    guardian: &Guardian,
    remote: Remote,
) -> Result<Resolved, HarnessError> {
    let mut resolved = Resolved::default();
    for spec in &study.candidates {
        check_host(spec, remote)?;
        let found = candidate(study, catalogue, clients, guardian, spec)?;
        if clients.interrupt.load(Ordering::Relaxed) {
            return Err(HarnessError::Interrupted);
        }
        match found {
            Ok(candidate) => resolved.candidates.push(candidate),
            // A path that somebody wrote down and that leads nowhere is a mistake, not a store that is missing. What a
            // pitfall makes of a candidate nobody asked for by name: without its library the others still run.
            Err(Absent::Missing((reason, remedy)))
                if (study.asked_by_name && value_on(&spec.factors, PITFALL).is_none()) || spec.binary.is_some() =>
            {
                let name = &spec.name;
                return Err(HarnessError::refused(match remedy {
                    Some(remedy) => message!(resolve_install, name, reason, remedy),
                    None => message!(resolve_missing, name, reason),
                }));
            }
            Err(Absent::Missing((reason, remedy))) => resolved.left_out.push(left_out(spec, reason, remedy)),
            Err(Absent::Cannot(left_out)) => resolved.left_out.push(left_out),
        }
    }
    for from in study.plan.configurations.iter().flat_map(Configuration::rows_from) {
        let spec = parse_candidate(catalogue, from).map_err(HarnessError::refused)?;
        if !resolved.rows_from.contains_key(from)
            && let Ok(source) = candidate(study, catalogue, clients, guardian, &spec)?
        {
            resolved.rows_from.insert(from.to_string(), source);
        }
    }
    if resolved.candidates.is_empty() {
        let reason = |one: &LeftOut| message!(resolve_missing, name = &one.name, reason = &one.reason);
        let reasons: Vec<Message> = resolved.left_out.iter().map(reason).collect();
        return Err(HarnessError::refused(message!(resolve_nobody, reasons)));
    }
    Ok(resolved)
}

enum Absent {
    /// It is not on this machine.
    Missing(MissingPart),
    /// It cannot be what is asked of it: it has no setting of that durability, or no such client or setting.
    Cannot(LeftOut),
}

fn left_out(spec: &CandidateSpec, reason: impl Display, remedy: Option<String>) -> LeftOut {
    let reason = in_record(reason);
    LeftOut { name: spec.name.clone(), base: spec.base.clone(), factors: spec.factors.clone(), reason, remedy }
}

fn check_host(spec: &CandidateSpec, remote: Remote) -> Result<(), HarnessError> {
    let is_local = |host: &String| {
        let bare = host.trim_matches(['[', ']']);
        host == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    };
    let hosts = spec.hosts();
    let Some(host) = hosts.iter().find(|host| !is_local(host)).filter(|_| remote == Remote::Refused) else {
        return Ok(());
    };
    Err(HarnessError::refused(message!(resolve_remote, name = &spec.name, host)))
}

fn candidate(
    study: &Study,
    catalogue: &Catalogue,
    clients: &Clients,
    guardian: &Guardian,
    spec: &CandidateSpec,
) -> Result<Result<Candidate, Absent>, HarnessError> {
    if let Some(reason) = &spec.cannot {
        return Ok(Err(Absent::Cannot(left_out(spec, reason, None))));
    }
    let store = catalogue.store(&spec.store).map_err(HarnessError::refused)?;
    let driver = catalogue.driver(&spec.client, &spec.store);
    let lacks = driver.and_then(|driver| driver.lacks_variant(&spec.store, spec.variant.as_deref()));
    if let Some(reason) = lacks {
        return Ok(Err(Absent::Cannot(left_out(spec, reason, None))));
    }
    let profile = spec.profile.unwrap_or(study.plan.profile);
    let store = store.of_variant(spec.variant.as_deref()).by_client(&spec.client.client).by_driver(driver);
    let store = &store.of_profile(profile);
    let missing = |reason: Reason, remedy: Option<String>| Ok(Err(Absent::Missing((reason, remedy))));
    let found = match service(clients, guardian, spec, store)? {
        Ok(found) => found,
        Err(absent) => return Ok(Err(absent)),
    };
    let drives = drives(study, catalogue, spec, store);
    if let Some(reason) = (drives == Drives::Servers).then(|| clients.lacks_servers(guardian)).flatten() {
        return missing(reason, Some(BUILDS_SERVERS.into()));
    }
    let library = match clients.find_library(store, spec) {
        Ok(library) => library,
        Err(reason) => return missing(reason, Some(store.remedy())),
    };
    if let Some((reason, remedy)) = spec.url.is_none().then(|| missing_file(store)).flatten() {
        return missing(reason, remedy);
    }
    let app = match app(catalogue, clients, guardian, spec)? {
        Ok(app) => app,
        Err((reason, remedy)) => return missing(reason, remedy),
    };
    // Behind an app the store's client is its own affair, unless it uses one of ours; what is before it is asked by ours.
    let is_used = |client: &ClientDescriptor| {
        app.first().is_none_or(|app| app.descriptor.client.as_ref().is_some_and(|name| client.is_named(name)))
    };
    if let Some(client) = catalogue.client(&spec.client.client).filter(|client| is_used(client)) {
        clients.write_sources(catalogue, client)?;
        if let Err((reason, remedy)) = clients.probe(catalogue, client, driver, &spec.store, guardian) {
            return missing(reason, remedy);
        }
    }
    let asked_by = match &spec.asked_by {
        Some(tool) => ClientName::of(tool),
        None if app.is_empty() => spec.client.clone(),
        None => ClientName::of(HTTP_CLIENT),
    };
    if let Some(tool) = spec.asked_by.as_ref().and_then(|tool| catalogue.client(tool))
        && let Err((reason, remedy)) = clients.probe(catalogue, tool, None, &spec.store, guardian)
    {
        return missing(reason, remedy);
    }
    let durability = match durability(study, spec, store)? {
        Ok(durability) => durability,
        Err(absent) => return Ok(Err(absent)),
    };
    let processes = match catalogue.connections(&asked_by.client) {
        Connections::Processes => study.plan.max_connections(),
        Connections::Threads => 1,
    };
    let mut record = record(study, spec, store, durability.as_ref(), found.as_ref(), processes);
    record.app = app.iter().map(app_record).collect();
    record.by_load_tool = catalogue.is_load_tool(&asked_by.client);
    // It is no baseline of anything.
    record.baseline = record.baseline.filter(|_| !record.by_load_tool);
    let descriptor = catalogue.client(&asked_by.client);
    record.settings.extend(descriptor.into_iter().flat_map(|client| client_settings(client, spec)));
    let options = descriptor.map(|client| client.option_values(&spec.settings)).unwrap_or_default();
    let client = clients.command(catalogue, &asked_by, &spec.settings, drives)?;
    let (spec, store) = (spec.clone(), store.clone());
    Ok(Ok(Candidate { record, spec, store, durability, found, app, library, client, options }))
}

/// What the Rust client is to drive for a candidate: a server, what stands before a store, or the server that a load fetches
/// its rows from; where the store is asked by another client, nothing of it. For a load tool it loads the store.
fn drives(study: &Study, catalogue: &Catalogue, spec: &CandidateSpec, store: &StoreDescriptor) -> Drives {
    let is_asked_by_rust =
        !spec.app.is_empty() || catalogue.client(&spec.client.client).is_none_or(|client| client.load_tool);
    let is_server = store.service.is_some() || spec.url.is_some() || !spec.app.is_empty();
    let fetches = study.plan.configurations.iter().any(|config| config.rows_from().next().is_some());
    if fetches || (is_asked_by_rust && is_server) { Drives::Servers } else { Drives::Libraries }
}

/// Finds the service of a candidate's store, where that is to be started.
fn service(
    clients: &Clients,
    guardian: &Guardian,
    spec: &CandidateSpec,
    store: &StoreDescriptor,
) -> Result<Result<Option<Found>, Absent>, HarnessError> {
    let Some(service) = store.service.as_ref().filter(|_| spec.url.is_none()) else { return Ok(Ok(None)) };
    Ok(Err(match find(service, &clients.places(overrides(service, spec)), guardian) {
        Ok(found) => return Ok(Ok(Some(found))),
        Err(Missing::Spawn(error)) if error.cause() == Cause::Environment => return Err(error.into()),
        // No mistake in what was typed, and the others can be measured.
        Err(error @ Missing::Crashed { .. }) => Absent::Cannot(left_out(spec, error, None)),
        // What nobody can be told to type is part of the reason.
        Err(error) => Absent::Missing(match &store.install.by_hand {
            Some(what) => (message!(resolve_by_hand, error, what).into(), None),
            None => (error.into(), Some(store.remedy())),
        }),
    }))
}

/// Chooses the durability setting of a candidate.
fn durability(
    study: &Study,
    spec: &CandidateSpec,
    store: &StoreDescriptor,
) -> Result<Result<Option<Durability>, Absent>, HarnessError> {
    let minimum = spec.minimum.unwrap_or(study.plan.durability);
    Ok(Ok(match (store.kind, &spec.url) {
        (_, Some(_)) => None,
        (StoreKind::Baseline, None) => store.durability.first().cloned(),
        (StoreKind::Store, None) if spec.durability.is_some() => Some(durability_by_name(store, spec)?),
        // One that cannot reach the minimum runs with what it has: it is unranked in phases that write, but not in others.
        (StoreKind::Store, None) => match store.durability_for(minimum).or(store.strongest_durability()) {
            Some(durability) => Some(durability.clone()),
            None => {
                let reason = message!(resolve_no_durability, title = &store.title, minimum);
                return Ok(Err(Absent::Cannot(left_out(spec, reason, None))));
            }
        },
    }))
}

/// The client that asks what stands before a store.
const HTTP_CLIENT: &str = "rust";

fn app_record(app: &App) -> AppRecord {
    AppRecord {
        name: app.descriptor.name.clone(),
        title: app.descriptor.title.clone(),
        cores: app.descriptor.cores,
        is_bandwidth_limit: app.descriptor.is_bandwidth_limit,
        version: app.found.version.clone(),
    }
}

/// Finds what stands before the store of a candidate.
fn app(
    catalogue: &Catalogue,
    clients: &Clients,
    guardian: &Guardian,
    spec: &CandidateSpec,
) -> Result<Result<Vec<App>, MissingPart>, HarnessError> {
    let mut app = Vec::new();
    for name in &spec.app {
        let descriptor = catalogue.app(name).map_err(HarnessError::refused)?.clone();
        let places = match clients.app_places(catalogue, &descriptor, guardian) {
            Ok(places) => places,
            Err(lack) => return Ok(Err(lack)),
        };
        let found = match find(&descriptor.service, &places, guardian) {
            Ok(found) => found,
            Err(Missing::Spawn(error)) if error.cause() == Cause::Environment => return Err(error.into()),
            Err(error) => return Ok(Err((error.into(), descriptor.install.clone()))),
        };
        let driven_by = (&spec.client, spec.store.as_str());
        if let Err(lack) = clients.probe_app(catalogue, &descriptor, driven_by, guardian) {
            return Ok(Err(lack));
        }
        let operations = descriptor.before(&spec.store).and_then(|before| before.operations.as_ref());
        let words = |operations: &Vec<Operation>| operations.iter().map(|one| one.word()).collect::<Vec<_>>().join(" ");
        let operations = operations.map(words);
        app.push(App { descriptor, found, operations });
    }
    Ok(Ok(app))
}

/// The path that a candidate gives for the main program of its service.
fn overrides(service: &ServiceSpec, spec: &CandidateSpec) -> BTreeMap<String, PathBuf> {
    let main = service.start.first().and_then(|word| word.strip_prefix('{')?.strip_suffix('}'));
    main.zip(spec.binary.clone()).map(|(name, path)| (name.to_string(), path)).into_iter().collect()
}

/// A file that a variant needs and that is not there, and how to get it.
fn missing_file(store: &StoreDescriptor) -> Option<MissingPart> {
    let [variant] = store.variants.as_slice() else { return None };
    let file = variant.file.as_deref().filter(|file| !file_exists(file))?;
    let lack = message!(resolve_variant_file, title = &store.title, file, variant = &variant.name);
    Some((lack.into(), variant.debian.clone()))
}

/// The durability setting that a candidate names.
fn durability_by_name(store: &StoreDescriptor, spec: &CandidateSpec) -> Result<Durability, HarnessError> {
    let name = spec.durability.as_deref().unwrap_or_default();
    store.durability.iter().find(|setting| setting.name == name).cloned().ok_or_else(|| {
        let known: Vec<&str> = store.durability.iter().map(|setting| setting.name.as_str()).collect();
        let (candidate, title) = (&spec.name, &store.title);
        HarnessError::refused(message!(resolve_unknown_durability, name = candidate, title, setting = name, known))
    })
}

/// The durability that a running server has: the first setting whose every expectation it reports.
pub(crate) fn durability_of<'a>(
    store: &'a StoreDescriptor,
    found: &BTreeMap<String, String>,
) -> Option<&'a Durability> {
    let fits = |setting: &&Durability| {
        !setting.expect.is_empty() && setting.expect.iter().all(|(name, value)| found.get(name) == Some(value))
    };
    store.durability.iter().find(fits)
}

/// Where data folders are made when the user does not say.
pub fn default_dir() -> &'static Path {
    Path::new("/var/tmp")
}

#[cfg(test)]
#[path = "resolve_tests.rs"]
mod tests;
