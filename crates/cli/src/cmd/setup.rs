//! `kurabe setup`: installs stores, clients and apps that are missing, after it has said how.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use kurabe_harness::{Clients, HarnessError};
use kurabe_messages::{Message, described, message};
use kurabe_service::{Guardian, Scope, Stream, WaitOutcome, spawn};
use kurabe_study::{
    AppDescriptor, Catalogue, ClientDescriptor, ClientDriver, ClientName, StoreDescriptor, StudyError, Variant,
};

use super::Mistake;
use super::presence::{self, Inventory, Lack, Remedy};
use crate::interrupt;

#[derive(clap::Args, Debug)]
pub struct Args {
    #[arg(value_name = "STORE", required_unless_present = "all", conflicts_with = "all")]
    stores: Vec<String>,
    #[arg(long)]
    all: bool,
    #[arg(long)]
    anew: bool,
    #[arg(short, long)]
    yes: bool,
}

pub fn run(args: Args) -> anyhow::Result<i32> {
    if rustix::process::geteuid().is_root() {
        // What root installs is for everybody: programs in the cache are run by the users of services.
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    }
    let catalogue = super::catalogue()?;
    let wanted = if args.all { every(&catalogue) } else { named(&catalogue, &args.stores)? };
    let clients = Clients::usual()?;
    let guardian = super::guardian(&clients)?;
    let inventory = Inventory { catalogue: &catalogue, clients: &clients, guardian: &guardian };
    let system = System::here();
    let mut plan = Plan::default();
    for want in &wanted {
        match want.missing(&inventory).or_else(|| want.reinstall().filter(|_| args.anew)) {
            None => super::say(&format!("{}\n", message!(cli_setup_here, name = want.name())))?,
            Some(lack) => plan.add(*want, lack, &inventory, &system)?,
        }
    }
    for line in &plan.by_hand {
        super::say(&format!("{line}\n"))?;
    }
    if plan.steps.is_empty() {
        let all_is_well = plan.by_hand.is_empty() || (args.all && system.is_debian);
        return Ok(if all_is_well { crate::status::GOOD } else { crate::status::FAILED });
    }
    let tasks = plan.tasks(&system);
    let lines: Vec<String> = tasks.iter().map(SetupStep::text).collect();
    super::say(&format!("\n{}\n  {}\n", message!(cli_setup_plan), lines.join("\n  ")))?;
    if !args.yes && !confirm()? {
        super::say(&format!("{}\n", message!(cli_setup_nothing)))?;
        return Ok(crate::status::FAILED);
    }
    let clients = Clients { interrupt: interrupt::watch().context(message!(cli_signals))?, ..clients.clone() };
    let inventory = Inventory { clients: &clients, ..inventory };
    let mut status = carry_out(&tasks, &inventory)?;
    // What was installed may be what a client or an app is built with.
    let builds = plan.builds_after(&wanted, &inventory, &system)?;
    status = status.max(carry_out(&builds.tasks(&system), &inventory)?);
    for want in &wanted {
        match want.missing(&inventory) {
            None => super::say(&format!("{}\n", message!(cli_setup_here, name = want.name())))?,
            Some(Lack { reason, .. }) => {
                super::say(&format!("{}\n", message!(cli_setup_still_missing, name = want.name(), reason)))?;
                // Of all stores, those that cannot be installed here were named above.
                if !args.all || !system.is_debian || plan.steps.iter().any(|step| step.name == want.name()) {
                    status = crate::status::FAILED;
                }
            }
        }
    }
    Ok(status)
}

/// Does one task after the other; returns the exit status that they come to. One store that cannot be installed is no reason to
/// go without the others.
fn carry_out(tasks: &[SetupStep<'_>], inventory: &Inventory<'_>) -> anyhow::Result<i32> {
    let mut status = crate::status::GOOD;
    for task in tasks {
        if let Err(error) = task.carry_out(inventory) {
            if inventory.clients.interrupt.load(Ordering::Relaxed) {
                return Err(error);
            }
            crate::tell::tell(&format!("kurabe: {}", crate::in_words(&error)));
            status = crate::status::FAILED;
        }
    }
    Ok(status)
}

/// What is to be here.
#[derive(Clone, Copy)]
enum SetupTarget<'a> {
    /// A store, or a variant that needs something of its own.
    Store(&'a StoreDescriptor, Option<&'a Variant>),
    /// A client, with one of its drivers where it has several.
    Client(&'a ClientDescriptor, Option<&'a ClientDriver>),
    /// A service before stores.
    App(&'a AppDescriptor),
}

impl SetupTarget<'_> {
    fn name(&self) -> String {
        match self {
            SetupTarget::Store(store, Some(variant)) => format!("{}:{}", store.name, variant.name),
            SetupTarget::Store(store, None) => store.name.clone(),
            SetupTarget::Client(client, Some(driver)) => format!("+{}:{}", client.name, driver.name),
            SetupTarget::Client(client, None) => format!("+{}", client.name),
            SetupTarget::App(app) => format!("/{}", app.name),
        }
    }

    /// What is missing of it.
    fn missing(&self, inventory: &Inventory<'_>) -> Option<Lack> {
        let lack = |reason: String| Lack { reason, remedy: Remedy::Descriptor };
        match self {
            SetupTarget::Store(store, Some(variant)) => presence::of_variant(store, variant).err().map(lack),
            SetupTarget::Store(store, None) => inventory.store(store).err().map(lack),
            SetupTarget::Client(client, driver) => inventory.lacks_for_client(client).or_else(|| {
                // What it needs may differ from store to store, and one command gets all of it.
                let stores = driver.map_or(&client.stores, |driver| &driver.stores);
                stores.iter().find_map(|store| inventory.lacks_for_store(client, *driver, store))
            }),
            SetupTarget::App(app) => inventory.lacks_for_app(app),
        }
    }

    /// What gets it anew, though nothing is missing; a client or an app that is not built comes with its libraries.
    fn reinstall(&self) -> Option<Lack> {
        let remedy = match self {
            SetupTarget::Store(..) => Remedy::Descriptor,
            SetupTarget::Client(ClientDescriptor { build: Some(_), .. }, _)
            | SetupTarget::App(AppDescriptor { build: Some(_), .. }) => Remedy::Build { anew: true },
            _ => return None,
        };
        Some(Lack { reason: message!(cli_list_anew).to_string(), remedy })
    }
}

fn every(catalogue: &Catalogue) -> Vec<SetupTarget<'_>> {
    catalogue
        .stores()
        .iter()
        .flat_map(|store| {
            let own = store.variants.iter().filter(|variant| variant.file.is_some());
            std::iter::once(SetupTarget::Store(store, None))
                .chain(own.map(move |variant| SetupTarget::Store(store, Some(variant))))
        })
        .chain(catalogue.clients().iter().flat_map(of_client))
        .chain(catalogue.apps().iter().map(SetupTarget::App))
        .collect()
}

/// A client with each of its drivers.
fn of_client(client: &ClientDescriptor) -> Vec<SetupTarget<'_>> {
    match client.drivers.as_slice() {
        [] => vec![SetupTarget::Client(client, None)],
        drivers => drivers.iter().map(|driver| SetupTarget::Client(client, Some(driver))).collect(),
    }
}

/// The client that was named behind a `+`.
fn named_client<'a>(catalogue: &'a Catalogue, name: &str) -> Result<Vec<SetupTarget<'a>>, StudyError> {
    let unknown =
        |what: &'static str, known: Vec<String>| StudyError::Unknown { what, name: format!("+{name}"), known };
    let ClientName { client: client_name, driver } = ClientName::of(name);
    let known = || catalogue.clients().iter().map(|client| format!("+{}", client.name)).collect();
    let client = catalogue.client(&client_name).ok_or_else(|| unknown("client", known()))?;
    let Some(driver) = driver else { return Ok(of_client(client)) };
    let known = || client.drivers.iter().map(|known| format!("+{client_name}:{}", known.name)).collect();
    let driver = client.drivers.iter().find(|known| known.name == driver);
    Ok(vec![SetupTarget::Client(client, Some(driver.ok_or_else(|| unknown("driver", known()))?))])
}

/// The stores and clients that were named; a variant brings its store along.
fn named<'a>(catalogue: &'a Catalogue, names: &[String]) -> Result<Vec<SetupTarget<'a>>, StudyError> {
    let mut wanted: Vec<SetupTarget<'_>> = Vec::new();
    for name in names.iter().flat_map(|name| name.split(',')).filter(|name| !name.is_empty()) {
        if let Some(client) = name.strip_prefix('+') {
            wanted.extend(named_client(catalogue, client)?);
            continue;
        }
        if let Some(app) = name.strip_prefix('/') {
            wanted.push(SetupTarget::App(catalogue.app(app)?));
            continue;
        }
        let (store_name, variant) =
            name.split_once(':').map_or((name, None), |(store, variant)| (store, Some(variant)));
        let store = catalogue.store(store_name)?;
        let variant = match variant {
            None => None,
            Some(variant) => Some(store.variants.iter().find(|known| known.name == variant).ok_or_else(|| {
                let known = store.variants.iter().map(|known| format!("{store_name}:{}", known.name));
                StudyError::Unknown { what: "variant", name: name.to_string(), known: known.collect() }
            })?),
        };
        let both =
            [Some(SetupTarget::Store(store, None)), variant.map(|variant| SetupTarget::Store(store, Some(variant)))];
        for want in both.into_iter().flatten() {
            if !wanted.iter().any(|known| known.name() == want.name()) {
                wanted.push(want);
            }
        }
    }
    Ok(wanted)
}

/// What kind of system this is.
struct System {
    /// Debian or one of its relatives, with apt-get.
    is_debian: bool,
    is_root: bool,
}

impl System {
    fn here() -> System {
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let family = |line: &str| line.starts_with("ID=") || line.starts_with("ID_LIKE=");
        let is_relative = release.lines().filter(|line| family(line)).any(|line| line.contains("debian"));
        let path = std::env::var_os("PATH").unwrap_or_default();
        let has_apt = std::env::split_paths(&path).any(|folder| folder.join("apt-get").is_file());
        System { is_debian: is_relative && has_apt, is_root: rustix::process::geteuid().is_root() }
    }

    /// A command of a descriptor as it is run: by root, and without questions.
    fn as_root(&self, command: &str) -> String {
        let sudo = if self.is_root { "" } else { "sudo -n " };
        // More than one plain command needs a shell of its own, all of which must be root's.
        let is_plain = !command.contains(['&', '|', ';', '>', '<', '$', '`', '\'', '"', '\n']);
        match shlex::try_quote(command) {
            Ok(quoted) if !is_plain => format!("{sudo}env DEBIAN_FRONTEND=noninteractive sh -ec {quoted}"),
            _ => format!("{sudo}env DEBIAN_FRONTEND=noninteractive {command}"),
        }
    }
}

/// One thing to do.
struct Step<'a> {
    /// The store, client or app it is for.
    name: String,
    task: SetupStep<'a>,
}

/// How it is done.
#[derive(Clone)]
enum SetupStep<'a> {
    /// A command of a shell.
    Command(String),
    /// A build; `anew` where what was built goes first.
    BuildClient {
        client: &'a ClientDescriptor,
        anew: bool,
    },
    BuildApp {
        app: &'a AppDescriptor,
        anew: bool,
    },
}

impl SetupStep<'_> {
    /// As it is shown before it is done; tasks that are shown alike are one.
    fn text(&self) -> String {
        match self {
            SetupStep::Command(command) => command.clone(),
            SetupStep::BuildClient { client, .. } => {
                message!(cli_setup_build_client, client = &client.name).to_string()
            }
            SetupStep::BuildApp { app, .. } => message!(cli_setup_build_app, app = &app.name).to_string(),
        }
    }

    fn needs_index(&self) -> bool {
        matches!(self, SetupStep::Command(command) if command.contains("apt-get"))
    }

    fn carry_out(&self, inventory: &Inventory<'_>) -> anyhow::Result<()> {
        let Inventory { catalogue, clients, guardian } = *inventory;
        let built = match self {
            SetupStep::Command(command) => return run_command(command, guardian, &clients.interrupt),
            SetupStep::BuildClient { client, anew } => {
                if *anew {
                    clients.discard_client(catalogue, client)?;
                }
                clients.build(catalogue, client, guardian)
            }
            SetupStep::BuildApp { app, anew } => {
                if *anew {
                    clients.discard_app(catalogue, app)?;
                }
                clients.app_places(catalogue, app, guardian).map(drop)
            }
        };
        if clients.interrupt.load(Ordering::Relaxed) {
            bail!(HarnessError::Interrupted);
        }
        built.map_err(|(reason, remedy)| match remedy {
            Some(command) => anyhow::anyhow!(message!(cli_setup_build_needs, reason, command)),
            None => anyhow::anyhow!("{reason}"),
        })
    }
}

#[derive(Default)]
struct Plan<'a> {
    steps: Vec<Step<'a>>,
    by_hand: Vec<Message>,
}

impl<'a> Plan<'a> {
    fn add(
        &mut self,
        want: SetupTarget<'a>,
        lack: Lack,
        inventory: &Inventory<'_>,
        system: &System,
    ) -> anyhow::Result<()> {
        let (name, reason) = (want.name(), &lack.reason);
        let task = match (want, lack.remedy) {
            (SetupTarget::Store(store, variant), _) => match store_task(store, variant, inventory, system)? {
                Ok(task) => task,
                Err(place) => {
                    self.by_hand.push(message!(cli_setup_by_hand, name, reason, place));
                    return Ok(());
                }
            },
            (SetupTarget::Client(client, _), Remedy::Build { anew }) => SetupStep::BuildClient { client, anew },
            (SetupTarget::App(app), Remedy::Build { anew }) => SetupStep::BuildApp { app, anew },
            // Commands of the package manager are run; whatever else gets one is for whoever it belongs to.
            (_, Remedy::Command(command)) if system.is_debian && command.contains("apt-get ") => {
                SetupStep::Command(system.as_root(&command))
            }
            (_, Remedy::Command(command)) => {
                self.by_hand.push(message!(cli_missing_get, name, reason, command));
                return Ok(());
            }
            (_, Remedy::Descriptor | Remedy::Unknown) => {
                self.by_hand.push(message!(cli_missing, name, reason));
                return Ok(());
            }
        };
        super::say(&format!("{}\n", message!(cli_missing, name = &name, reason)))?;
        self.steps.push(Step { name, task });
        Ok(())
    }

    /// What has to be built now that the plan was carried out; nothing is built a second time.
    fn builds_after(
        &self,
        wanted: &[SetupTarget<'a>],
        inventory: &Inventory<'_>,
        system: &System,
    ) -> anyhow::Result<Plan<'a>> {
        let is_build = |task: &SetupStep<'_>| !matches!(task, SetupStep::Command(_));
        let was_built = |name: &str| self.steps.iter().any(|step| step.name == name && is_build(&step.task));
        let mut builds = Plan::default();
        for want in wanted.iter().filter(|want| !was_built(&want.name())) {
            match want.missing(inventory) {
                Some(lack) if matches!(lack.remedy, Remedy::Build { .. }) => {
                    builds.add(*want, lack, inventory, system)?
                }
                _ => {}
            }
        }
        Ok(builds)
    }

    /// The tasks in order, each once.
    fn tasks(&self, system: &System) -> Vec<SetupStep<'a>> {
        let mut seen = BTreeSet::new();
        let needs_index = self.steps.iter().any(|step| step.task.needs_index());
        let update = needs_index.then(|| SetupStep::Command(system.as_root("apt-get update -qq")));
        let steps = self.steps.iter().map(|step| step.task.clone());
        update.into_iter().chain(steps).filter(|task| seen.insert(task.text())).collect()
    }
}

/// What gets a store or a variant: a script of ours that works in the cache folder and needs no rights, or a command of its
/// descriptor, run as root; else where to get it by hand.
fn store_task(
    store: &StoreDescriptor,
    variant: Option<&Variant>,
    inventory: &Inventory<'_>,
    system: &System,
) -> anyhow::Result<Result<SetupStep<'static>, String>> {
    let cache = inventory.clients.cache.as_path();
    let folder = cache.join(format!("stores-{}", env!("CARGO_PKG_VERSION"))).join(&store.name);
    let script = match variant {
        Some(_) => None,
        None => inventory
            .catalogue
            .write_setup(&store.name, &folder)
            .with_context(|| message!(cli_setup_write, path = folder.display()))?,
    };
    let debian = variant.map_or(&store.install.debian, |variant| &variant.debian);
    Ok(match (script, debian) {
        (Some(script), _) => {
            Ok(SetupStep::Command(joined(&["sh".into(), script.display().to_string(), cache.display().to_string()])))
        }
        (None, Some(command)) if system.is_debian => Ok(SetupStep::Command(system.as_root(command))),
        _ => {
            let place = store.install.other.as_ref().unwrap_or(&store.homepage);
            let what = store.install.by_hand.as_ref().map(|what| format!("{}; ", described(what))).unwrap_or_default();
            Err(format!("{what}{place}"))
        }
    })
}

/// A command as it is typed.
fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// Asks on the terminal. Where nobody can answer, the flag must have said it.
fn confirm() -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(Mistake(message!(cli_setup_no_terminal)).into());
    }
    super::say(&format!("{} ", message!(cli_setup_ask)))?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context(message!(cli_setup_answer))?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Longest time for one command: a download may be slow.
const LIMIT: Duration = Duration::from_secs(3600);

fn run_command(command: &str, guardian: &Guardian, interrupt: &AtomicBool) -> anyhow::Result<()> {
    let scope = Scope { stdout: Stream::Piped, stderr: Stream::Piped, ..Scope::new("sh").args(["-ec", command]) };
    crate::tell::tell(&format!("kurabe: {command}"));
    let mut process = spawn(guardian, scope)?;
    let readers = [
        process.take_stdout().map(|stream| repeat(Box::new(stream))),
        process.take_stderr().map(|stream| repeat(Box::new(stream))),
    ];
    let status = match process.wait_unless(interrupt, LIMIT)? {
        WaitOutcome::Ended(status) => status,
        WaitOutcome::Interrupted => bail!(HarnessError::Interrupted),
        WaitOutcome::TooLong => {
            bail!(message!(cli_setup_too_long, command, limit = LIMIT.as_nanos() as u64))
        }
    };
    // What it left running would hold the pipes open.
    process.kill_tree().map_err(|survivors| anyhow::anyhow!("{survivors}"))?;
    for reader in readers.into_iter().flatten() {
        // A reader that panicked has shown all it could.
        let _ = reader.join();
    }
    if !status.success() {
        bail!(match command.contains("sudo -n") {
            true => message!(cli_setup_failed_sudo, command, status),
            false => message!(cli_setup_failed, command, status),
        });
    }
    Ok(())
}

/// Repeats what a command says, on stderr, line by line.
fn repeat(stream: Box<dyn Read + Send>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut lines = BufReader::new(stream);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
            let text = String::from_utf8_lossy(&line);
            // Of a line that was written over and over only the last state is shown.
            crate::tell::tell(&format!("  {}", text.trim_end().rsplit('\r').next().unwrap_or_default()));
            line.clear();
        }
    })
}
