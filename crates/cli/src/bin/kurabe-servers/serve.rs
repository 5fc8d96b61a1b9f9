//! `kurabe serve`: a bulletin board over one store, for any HTTP client.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use kurabe::{Mistake, ServeArgs, status, tell};
use kurabe_board::{App, Authority, BoardError, Control, Ended, Hosts, Server};
use kurabe_client::served::{self, Served};
use kurabe_harness::job::service_variables;
use kurabe_harness::resolve::{Candidate, resolve};
use kurabe_harness::{Clients, HarnessError};
use kurabe_messages::{RecordedText, message};
use kurabe_protocol::{CallName, FieldType, Job, ReplyOutcome, Schema};
use kurabe_record::StoreKind;
use kurabe_service::{FolderAccess, Guardian, Service, Start, Template};
use kurabe_study::{Overrides, Study};
use signal_hook::consts::SIGBUS;
use signal_hook::low_level::emulate_default_handler;

mod folder;

use folder::{DATA, Folder, TableAge};

/// The study whose rows a board has.
const STUDY: &str = "board";
/// Name of the table, or the prefix of keys.
const NAMESPACE: &str = "board";
/// Longest category and longest text of a post, in bytes.
const LONGEST_BYTES: [u32; 2] = [200, 10_000];
/// A server that was started here and refuses to answer for so long will not answer.
const ANSWER_LIMIT: Duration = Duration::from_secs(30);
const ANSWER_POLL: Duration = Duration::from_millis(20);
/// How often somebody is told that a server is waited for.
const TELL_EVERY: Duration = Duration::from_secs(5);
/// Lines of a server's log that are shown when it has ended.
const LAST_LINES: usize = 3;
/// Threads where nobody says: enough for a database server to commit several posts together.
const THREADS: usize = 8;

pub fn run(args: &ServeArgs) -> anyhow::Result<i32> {
    match &args.job {
        Some(job) => serve_job(args, job),
        None => serve_board(args),
    }
}

/// Serves the rows of a job: calls make its table.
fn serve_job(args: &ServeArgs, path: &Path) -> anyhow::Result<i32> {
    let text = fs::read(path).with_context(|| message!(serve_read, path = path.display()))?;
    let job = serde_json::from_slice(&text).with_context(|| message!(serve_not_a_job, path = path.display()))?;
    match serve(args, listen(args)?, &job, &job.candidate.name.as_str().into(), Control::Allowed, &mut || None)? {
        Ended::Asked => Ok(status::GOOD),
        Ended::NoStore(words) => anyhow::bail!(words),
    }
}

/// Takes the port before anything is made: it may be taken.
fn listen(args: &ServeArgs) -> Result<Server, Mistake> {
    let (address, flag) = match args.port {
        Some(port) => (SocketAddr::from((Ipv4Addr::LOCALHOST, port)), "--port"),
        None => (args.listen, "--listen"),
    };
    Server::listen(address).map_err(|error| Mistake(message!(serve_listen, error, flag)))
}

fn serve_board(args: &ServeArgs) -> anyhow::Result<i32> {
    let catalogue = kurabe::catalogue()?;
    let name = args.store.clone().unwrap_or_default();
    let overrides = Overrides { stores: vec![name.clone()], durability: Some(args.durability), ..Overrides::default() };
    let study = Study::open(&catalogue, STUDY, &overrides)?;
    let clients = Clients::usual()?;
    let guardian = kurabe::guardian(&clients)?;
    let resolved = resolve(&study, &catalogue, &clients, &guardian, args.place.remote())?;
    let candidate = resolved.candidates.first().context(message!(serve_no_store))?;
    check(&study, candidate, args)?;
    let dir = args.place.open()?;
    let server = listen(args)?;
    let folder = Folder::open(args.data.as_deref(), dir.path(), &guardian, candidate)?;
    let mut service = start(&study, candidate, &folder, &guardian)?;
    let job = job(&study, candidate, &folder, service.as_mut())?;
    folder.mark(candidate, true)?;
    let title = message!(serve_title, store = &candidate.store.title).into();
    let told = folder.message();
    if candidate.store.service.is_none() {
        tell_of_bus_error(&candidate.store.title)?;
    }
    let ended = serve(args, server, &job, &title, Control::Refused, &mut || {
        let service = service.as_mut()?;
        let has_ended = !service.is_alive();
        has_ended.then(|| {
            let store = &candidate.store.title;
            let told = match last_words(service) {
                Some(said) => message!(serve_server_ended, store, said),
                None => message!(serve_server_ended_silently, store),
            };
            told.to_string()
        })
    });
    if let Some(service) = service {
        service.stop().map_err(HarnessError::from)?;
    }
    tell(&format!("kurabe: {told}"));
    match ended? {
        Ended::Asked => Ok(status::GOOD),
        Ended::NoStore(words) => anyhow::bail!(message!(serve_lost, words)),
    }
}

/// What a server said last, on one line.
fn last_words(service: &Service) -> Option<String> {
    let said = service.log_tail(LAST_LINES);
    (!said.trim().is_empty()).then(|| said.trim().replace('\n', " | "))
}

/// A store that maps its files into memory is killed by the kernel where the disk cannot hold what it wrote, and
/// everything in this process with it. Whoever reads the screen is told why.
fn tell_of_bus_error(store: &str) -> anyhow::Result<()> {
    let words = format!("kurabe: {}\n", message!(serve_bus_error, store));
    let tell = move || {
        // One system call, and nothing is allocated. Where stderr is closed there is nobody to tell.
        let _ = rustix::io::write(rustix::stdio::stderr(), words.as_bytes());
        let _ = emulate_default_handler(SIGBUS);
    };
    // SAFETY: what `tell` does is async-signal-safe.
    unsafe { signal_hook::low_level::register(SIGBUS, tell) }.context(message!(serve_signals))?;
    Ok(())
}

/// What cannot be, told before anything is started.
fn check(study: &Study, candidate: &Candidate, args: &ServeArgs) -> Result<(), Mistake> {
    let store = &candidate.store;
    if candidate.record.client != "rust" {
        return Err(Mistake(message!(serve_client, client = &candidate.record.client)));
    }
    if store.kind != StoreKind::Store && args.data.is_some() {
        return Err(Mistake(message!(serve_nothing_kept, store = &store.title)));
    }
    if candidate.spec.url.is_some() && args.data.is_some() {
        return Err(Mistake(message!(serve_address_data)));
    }
    let asked = study.plan.durability;
    match candidate.durability.as_ref().map(|durability| durability.guarantee()) {
        Some(kept) if !kept.meets(asked) && store.kind == StoreKind::Store => {
            Err(Mistake(message!(serve_durability, store = &store.title, asked, kept = kept.minimum())))
        }
        _ => Ok(()),
    }
}

/// Starts the server of a store that has one, over the folder.
fn start(
    study: &Study,
    candidate: &Candidate,
    folder: &Folder,
    guardian: &Guardian,
) -> anyhow::Result<Option<Service>> {
    let config = study.plan.configurations.first().context(message!(cli_no_configuration))?;
    let Some(startable) = candidate.startable().filter(|_| candidate.spec.url.is_none()) else { return Ok(None) };
    let blueprint = startable.blueprint(guardian, service_variables(study, config));
    let data = folder.path().join(DATA);
    if folder.begun() == TableAge::Now {
        let template = Template::initialise(&blueprint, folder.path()).map_err(HarnessError::from)?;
        template.copy_to(&data).map_err(HarnessError::from)?;
    }
    let start = Start { data: &data, folder: &folder.path().join("service"), extra_args: &startable.args };
    Ok(Some(Service::start(&blueprint, &start).map_err(HarnessError::from)?))
}

/// What the store is asked for: the rows of the study, with room for longer texts.
fn job(study: &Study, candidate: &Candidate, folder: &Folder, service: Option<&mut Service>) -> anyhow::Result<Job> {
    let config = study.plan.configurations.first().context(message!(cli_no_configuration))?;
    let mut schema: Schema = config.schema.clone();
    let texts = schema.fields[1..].iter_mut().filter(|field| field.field_type == FieldType::Text);
    texts.zip(LONGEST_BYTES).for_each(|(field, longest)| field.len_bytes = Some(longest));
    let dir = folder.path().join(DATA);
    let is_embedded = candidate.store.service.is_none();
    if is_embedded {
        kurabe_service::make_folder(&dir, FolderAccess::Owner)
            .with_context(|| message!(serve_make, path = dir.display()))?;
    }
    let url = candidate.spec.url.clone().or(service.as_ref().map(|service| service.url().to_string()));
    let mut job = Job {
        namespace: NAMESPACE.into(),
        dir: is_embedded.then(|| dir.display().to_string()),
        url,
        settings: candidate.adapter_settings(&service_variables(study, config)),
        ..Job::new(STUDY, candidate.protocol_candidate(), schema, 0)
    };
    let registry = crate::registry();
    let store = kurabe_client::open_served(&registry, &job).map_err(BoardError::from)?;
    await_answer(&*store, &candidate.store.title, service)?;
    // Some stores lock only where they are told of several connections.
    job.phases = vec![served::phase(&store.capabilities(), THREADS as u32)];
    if folder.begun() == TableAge::Now {
        match store.call(CallName::Create) {
            ReplyOutcome::Ok(_) => {}
            ReplyOutcome::Unsupported => {
                return Err(Mistake(message!(serve_no_table, store = &candidate.store.title)).into());
            }
            ReplyOutcome::Error(error) => {
                anyhow::bail!(message!(serve_table_failed, store = &candidate.store.title, error))
            }
        }
    }
    Ok(job)
}

/// Waits until a store answers. A server that accepts connections may still read its data, for minutes where there is
/// much: as long as it says so it is waited for.
fn await_answer(store: &dyn Served, title: &str, mut service: Option<&mut Service>) -> anyhow::Result<()> {
    let began = Instant::now();
    let mut told = began;
    loop {
        let Err(error) = store.ping() else { return Ok(()) };
        if let Some(service) = service.as_deref_mut()
            && !service.is_alive()
        {
            anyhow::bail!(match last_words(service) {
                Some(said) => message!(serve_start_ended, store = title, said),
                None => message!(serve_start_ended_silently, store = title),
            });
        }
        let may_come = service.is_some() && began.elapsed() < ANSWER_LIMIT;
        if !may_come && !error.is_not_ready() {
            return Err(BoardError::from(error).into());
        }
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            let waited = began.elapsed().as_secs();
            tell(&format!("kurabe: {}", message!(serve_waiting, store = title, waited, error)));
        }
        std::thread::sleep(ANSWER_POLL);
    }
}

/// Serves until it is asked to end, or until `lost` says why there is no store any more.
fn serve(
    args: &ServeArgs,
    server: Server,
    job: &Job,
    title: &RecordedText,
    control: Control,
    lost: &mut dyn FnMut() -> Option<String>,
) -> anyhow::Result<Ended> {
    let registry = crate::registry();
    let store = kurabe_client::open_served(&registry, job).map_err(BoardError::from)?;
    let most = store.capabilities().max_connections as usize;
    let threads = args.threads.map_or(THREADS, usize::from).min(most.max(1));
    let mut hosts =
        Hosts::of(server.address).and(args.hosts.iter().flat_map(|host| names(host, server.address.port())));
    if matches!(control, Control::Allowed) {
        hosts = hosts.behind_others_here();
    }
    let app = Arc::new(App::new(store, job, title.clone(), hosts, control));
    if control == Control::Refused {
        app.look()?;
    }
    let told = match server.address {
        address if address.ip().is_unspecified() => {
            message!(serve_at_all, title, address = format!("http://127.0.0.1:{}", address.port()))
        }
        address => message!(serve_at, title, address = format!("http://{address}")),
    };
    tell(&format!("kurabe: {told}"));
    Ok(kurabe_board::serve(server, &app, threads, lost)?)
}

/// A host as requests may name it: with the port at which it listens too, where none was given.
fn names(host: &Authority, port: u16) -> Vec<String> {
    match host.port() {
        Some(_) => vec![host.to_string()],
        None => vec![host.to_string(), format!("{host}:{port}")],
    }
}
