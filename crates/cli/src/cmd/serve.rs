//! `kurabe serve`: a bulletin board over one store, for any HTTP client.

use std::fs;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use kurabe_board::{App, BoardError, Control, Hosts, Server};
use kurabe_client::served;
use kurabe_harness::job::service_variables;
use kurabe_harness::resolve::{Candidate, resolve};
use kurabe_harness::{Clients, HarnessError};
use kurabe_protocol::{CallName, FieldType, Job, Limits, ReplyOutcome, Schema};
use kurabe_record::{Floor, StoreKind};
use kurabe_service::{Guardian, Reach, RunFolder, Service, Start, Template};
use kurabe_study::{Overrides, Study, parse_floor};
use serde::{Deserialize, Serialize};

use super::Mistake;
use super::place::PlaceArgs;

/// The study whose rows a board has.
const STUDY: &str = "board";
/// Name of the table, or the prefix of keys.
const NAMESPACE: &str = "board";
/// Longest category and longest text of a post, in bytes.
const LONGEST_BYTES: [u32; 2] = [200, 10_000];
/// What a folder of data says of itself.
const MARK: &str = "board.json";
/// Most bytes of it.
const MOST_MARK_BYTES: u64 = 1 << 20;
/// Where in it the store keeps its files.
const DATA: &str = "data";
/// Threads where nobody says: enough for a database server to commit several posts together.
const THREADS: usize = 8;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// The store: STORE, STORE:VARIANT, or either with @URL
    #[arg(long, value_name = "NAME", required_unless_present = "job")]
    store: Option<String>,
    /// Folder in which the posts stay, made where it is not there; without it they go when the service ends
    #[arg(long, value_name = "DIR", conflicts_with = "job")]
    data: Option<PathBuf>,
    /// Where it listens; for others than this machine give an address of this machine, such as 0.0.0.0:8080
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Threads, each with a connection to the store [default: 8, or as many as the store allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// What acknowledged posts must survive: none, process, power; or default (as the store is shipped)
    #[arg(long, value_name = "CLASS", value_parser = parse_floor, default_value = "power")]
    durability: Floor,
    /// Another name under which the service may be written to, such as board.example:8080; again for each
    #[arg(long = "host", value_name = "NAME:PORT")]
    hosts: Vec<String>,
    #[command(flatten)]
    place: PlaceArgs,
    /// A job whose rows are served, for measurements
    #[arg(long, value_name = "FILE", hide = true)]
    job: Option<PathBuf>,
}

pub fn run(args: &Args) -> anyhow::Result<i32> {
    match &args.job {
        Some(job) => serve_job(args, job),
        None => serve_board(args),
    }
}

/// Serves the rows of a job: calls make its table.
fn serve_job(args: &Args, path: &Path) -> anyhow::Result<i32> {
    let text = fs::read(path).with_context(|| format!("cannot read '{}'", path.display()))?;
    let job: Job = serde_json::from_slice(&text).with_context(|| format!("'{}' is no job", path.display()))?;
    serve(args, listen(args)?, &job, &job.candidate.name, Control::Allowed)
}

/// Takes the port before anything is made: it may be taken.
fn listen(args: &Args) -> Result<Server, Mistake> {
    Server::listen(args.listen).map_err(|error| Mistake(format!("{error}; choose another with --listen")))
}

fn serve_board(args: &Args) -> anyhow::Result<i32> {
    let catalogue = super::catalogue()?;
    let name = args.store.clone().unwrap_or_default();
    let overrides = Overrides { stores: vec![name.clone()], durability: Some(args.durability), ..Overrides::default() };
    let study = Study::open(&catalogue, STUDY, &overrides)?;
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let resolved = resolve(&study, &catalogue, &clients, &guardian, args.place.remote())?;
    let candidate = resolved.candidates.first().context("the store cannot take part")?;
    check(&study, candidate, args)?;
    let dir = args.place.open()?;
    let server = listen(args)?;
    let folder = Folder::open(args.data.as_deref(), dir.path(), &guardian, candidate)?;
    let service = start(&study, candidate, &folder, &guardian)?;
    let job = job(&study, candidate, &folder, service.as_ref())?;
    folder.mark(candidate, true)?;
    let title = format!("A board over {}", candidate.store.title);
    let told = folder.told();
    let status = serve(args, server, &job, &title, Control::Refused)?;
    if let Some(service) = service {
        service.stop().map_err(HarnessError::from)?;
    }
    crate::tell::tell(&format!("kurabe: {told}"));
    Ok(status)
}

/// What cannot be, told before anything is started.
fn check(study: &Study, candidate: &Candidate, args: &Args) -> Result<(), Mistake> {
    let store = &candidate.store;
    if candidate.record.client != "rust" {
        return Err(Mistake(format!(
            "a board asks its store through the Rust client; leave '+{}' out",
            candidate.record.client
        )));
    }
    if store.kind != StoreKind::Store && args.data.is_some() {
        return Err(Mistake(format!("{} keeps nothing in a folder; leave --data out", store.title)));
    }
    if candidate.spec.url.is_some() && args.data.is_some() {
        return Err(Mistake("a server at an address keeps its rows where it does; leave --data out".into()));
    }
    let least = study.plan.durability.least();
    let promised = candidate.durability.as_ref().map(|durability| durability.class);
    match (least, promised) {
        (Some(least), Some(promised)) if promised < least && store.kind == StoreKind::Store => Err(Mistake(format!(
            "{} has no setting of class '{least}'; ask for less with --durability {promised}",
            store.title
        ))),
        _ => Ok(()),
    }
}

/// Where a board keeps its rows.
enum Folder {
    /// One that the user named; the second says whether it had been begun before.
    Kept(PathBuf, Begun),
    /// One that goes.
    Passing(RunFolder),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begun {
    Now,
    Before,
}

/// What stands in a kept folder: another store's files must not be taken for this one's.
#[derive(Debug, Serialize, Deserialize)]
struct Mark {
    store: String,
    variant: Option<String>,
    /// Whether its table was made: before that there can be no post.
    has_table: bool,
}

impl Mark {
    fn of(candidate: &Candidate, has_table: bool) -> Mark {
        let record = &candidate.record;
        Mark { store: record.store.clone(), variant: record.variant.clone(), has_table }
    }

    fn is_of(&self, candidate: &Candidate) -> bool {
        (&self.store, &self.variant) == (&candidate.record.store, &candidate.record.variant)
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.store)?;
        self.variant.iter().try_for_each(|variant| write!(f, ":{variant}"))
    }
}

impl Folder {
    fn open(data: Option<&Path>, dir: &Path, guardian: &Guardian, candidate: &Candidate) -> anyhow::Result<Folder> {
        let Some(path) = data else {
            return Ok(Folder::Passing(
                RunFolder::create(dir, guardian, Reach::Everybody).map_err(HarnessError::from)?,
            ));
        };
        let shown = path.display();
        match kurabe_machine::read_file(&path.join(MARK), MOST_MARK_BYTES) {
            Ok(mark) => {
                let mark: Mark = serde_json::from_slice(&mark)
                    .map_err(|error| Mistake(format!("'{shown}' holds a '{MARK}' that cannot be read: {error}")))?;
                if !mark.is_of(candidate) {
                    let words = format!(
                        "'{shown}' is a board over '{mark}'; serve it with --store {mark}, or name another folder"
                    );
                    return Err(Mistake(words).into());
                }
                let begun = if mark.has_table { Begun::Before } else { Begun::Now };
                if begun == Begun::Now {
                    // What was left when the first start failed: nobody has posted anything.
                    fs::remove_dir_all(path.join(DATA)).or_else(is_missing)?;
                }
                Ok(Folder::Kept(fs::canonicalize(path)?, begun))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let is_empty = fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
                if !is_empty {
                    let words =
                        format!("'{shown}' has something in it that is no board; name an empty folder with --data");
                    return Err(Mistake(words).into());
                }
                kurabe_service::make_folder(path, Reach::Everybody).map_err(|error| {
                    Mistake(format!("cannot make '{shown}': {error}; name another folder with --data"))
                })?;
                let folder = Folder::Kept(fs::canonicalize(path)?, Begun::Now);
                folder.mark(candidate, false)?;
                Ok(folder)
            }
            Err(error) => {
                Err(Mistake(format!("cannot read '{shown}': {error}; name another folder with --data")).into())
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Folder::Kept(path, _) => path,
            Folder::Passing(folder) => folder.path(),
        }
    }

    fn begun(&self) -> Begun {
        match self {
            Folder::Kept(_, begun) => *begun,
            Folder::Passing(_) => Begun::Now,
        }
    }

    /// Notes whose it is.
    fn mark(&self, candidate: &Candidate, has_table: bool) -> anyhow::Result<()> {
        if let Folder::Kept(path, Begun::Now) = self {
            let text = serde_json::to_string(&Mark::of(candidate, has_table))?;
            fs::write(path.join(MARK), text + "\n").with_context(|| format!("cannot write in '{}'", path.display()))?;
        }
        Ok(())
    }

    /// What is said of it in the end.
    fn told(&self) -> String {
        match self {
            Folder::Kept(path, _) => format!("the posts are in '{}'", path.display()),
            Folder::Passing(_) => "the posts are gone; --data DIR keeps them".into(),
        }
    }
}

fn is_missing(error: std::io::Error) -> std::io::Result<()> {
    if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) }
}

/// Starts the server of a store that has one, over the folder.
fn start(
    study: &Study,
    candidate: &Candidate,
    folder: &Folder,
    guardian: &Guardian,
) -> anyhow::Result<Option<Service>> {
    let level = study.plan.levels.first().context("the study has no level")?;
    let Some(startable) = candidate.startable().filter(|_| candidate.spec.url.is_none()) else { return Ok(None) };
    let blueprint = startable.blueprint(guardian, service_variables(study, level));
    let data = folder.path().join(DATA);
    if folder.begun() == Begun::Now {
        let template = Template::initialise(&blueprint, folder.path()).map_err(HarnessError::from)?;
        template.copy_to(&data).map_err(HarnessError::from)?;
    }
    let start = Start { data: &data, folder: &folder.path().join("service"), extra_args: &startable.args };
    Ok(Some(Service::start(&blueprint, &start).map_err(HarnessError::from)?))
}

/// What the store is asked for: the rows of the study, with room for longer texts.
fn job(study: &Study, candidate: &Candidate, folder: &Folder, service: Option<&Service>) -> anyhow::Result<Job> {
    let level = study.plan.levels.first().context("the study has no level")?;
    let mut schema: Schema = level.schema.clone();
    let texts = schema.fields[1..].iter_mut().filter(|field| field.field_type == FieldType::Text);
    texts.zip(LONGEST_BYTES).for_each(|(field, longest)| field.len_bytes = Some(longest));
    let dir = folder.path().join(DATA);
    let is_embedded = candidate.store.service.is_none();
    if is_embedded {
        kurabe_service::make_folder(&dir, Reach::Owner).with_context(|| format!("cannot make '{}'", dir.display()))?;
    }
    let url = candidate.spec.url.clone().or(service.map(|service| service.url().to_string()));
    let record = &candidate.record;
    let mut job = Job {
        id: STUDY.into(),
        candidate: kurabe_protocol::Candidate {
            name: record.name.clone(),
            store: record.store.clone(),
            variant: record.variant.clone(),
        },
        schema,
        rows: 0,
        namespace: NAMESPACE.into(),
        dir: is_embedded.then(|| dir.display().to_string()),
        url,
        settings: candidate.adapter_settings(),
        process: 0,
        processes: 1,
        pool: String::new(),
        data: None,
        rows_from: None,
        encoding: Default::default(),
        client_threads: 1,
        limits: Limits::default(),
        phases: Vec::new(),
    };
    let registry = kurabe_client::stores::registry();
    let store = kurabe_client::open_served(&registry, &job).map_err(BoardError::from)?;
    // Some stores lock only where they are told of several connections.
    job.phases = vec![served::phase(&store.capabilities(), THREADS as u32)];
    if folder.begun() == Begun::Now {
        match store.call(CallName::Create) {
            ReplyOutcome::Ok(_) => {}
            ReplyOutcome::Unsupported => {
                return Err(Mistake(format!("{} cannot make a table", candidate.store.title)).into());
            }
            ReplyOutcome::Error(words) => anyhow::bail!("{} cannot make the table: {words}", candidate.store.title),
        }
    }
    Ok(job)
}

/// Serves until it is asked to end.
fn serve(args: &Args, server: Server, job: &Job, title: &str, control: Control) -> anyhow::Result<i32> {
    let registry = kurabe_client::stores::registry();
    let store = kurabe_client::open_served(&registry, job).map_err(BoardError::from)?;
    let most = store.capabilities().max_connections as usize;
    let threads = args.threads.map_or(THREADS, usize::from).min(most.max(1));
    let mut hosts = Hosts::of(server.address).and(args.hosts.iter().cloned());
    if matches!(control, Control::Allowed) {
        hosts = hosts.behind_others_here();
    }
    let app = Arc::new(App::new(store, job, title, hosts, control));
    if control == Control::Refused {
        app.look()?;
    }
    let shown = match server.address {
        address if address.ip().is_unspecified() => {
            format!("http://127.0.0.1:{} and every other address of this machine", address.port())
        }
        address => format!("http://{address}"),
    };
    crate::tell::tell(&format!("kurabe: {title}, at {shown} (Ctrl-C ends it)"));
    kurabe_board::serve(server, &app, threads)?;
    Ok(crate::status::GOOD)
}
