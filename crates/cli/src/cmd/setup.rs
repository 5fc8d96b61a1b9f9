//! `kurabe setup`: installs stores, clients and apps that are missing, after it has said how.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, IsTerminal, Read};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use kurabe_harness::Clients;
use kurabe_service::{Guardian, Scope, Stream, Waited, spawn};
use kurabe_study::{
    AppDescriptor, Catalogue, ClientDescriptor, ClientDriver, ClientName, StoreDescriptor, StudyError, Variant,
};

use super::presence;
use crate::interrupt;

#[derive(clap::Args, Debug)]
pub struct Args {
    /// Stores, or STORE:VARIANT; clients as +CLIENT or +CLIENT:DRIVER; apps as /APP
    #[arg(value_name = "STORE", required_unless_present = "all", conflicts_with = "all")]
    stores: Vec<String>,
    /// Every store, variant, client and app that can be installed here
    #[arg(long)]
    all: bool,
    /// Get also what is here, where a newer version may be had
    #[arg(long)]
    anew: bool,
    /// Do not ask
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
    let look = Look { catalogue: &catalogue, clients: &clients, guardian: &guardian };
    let system = System::here();
    let mut plan = Plan::default();
    for want in &wanted {
        match look.missing(want) {
            None if args.anew => plan.add(want, Lack::anew(), &look, &system)?,
            None => super::say(&format!("{} is here\n", want.name()))?,
            Some(lack) => plan.add(want, lack, &look, &system)?,
        }
    }
    for line in &plan.by_hand {
        super::say(&format!("{line}\n"))?;
    }
    if plan.steps.is_empty() {
        let all_is_well = plan.by_hand.is_empty() || (args.all && system.is_debian);
        return Ok(if all_is_well { crate::status::GOOD } else { crate::status::FAILED });
    }
    let commands = plan.commands(&system);
    super::say(&format!("\nTo be run:\n  {}\n", commands.join("\n  ")))?;
    if !args.yes && !agreed()? {
        super::say("Nothing was done.\n")?;
        return Ok(crate::status::FAILED);
    }
    let interrupt = interrupt::watch().context("cannot watch for Ctrl-C")?;
    let mut status = carry_out(&commands, &guardian, &interrupt)?;
    // What was installed may be what a client or an app is built with.
    let builds = plan.builds_after(&wanted, &look, &system)?;
    status = status.max(carry_out(&builds.commands(&system), &guardian, &interrupt)?);
    for want in &wanted {
        match look.missing(want) {
            None => super::say(&format!("{} is here\n", want.name()))?,
            Some(Lack { reason, .. }) => {
                super::say(&format!("{} is still missing: {reason}\n", want.name()))?;
                // Of all stores, those that cannot be had here were named above.
                if !args.all || !system.is_debian || plan.steps.iter().any(|step| step.name == want.name()) {
                    status = crate::status::FAILED;
                }
            }
        }
    }
    Ok(status)
}

/// Runs commands one after the other; returns the exit status that they come to. One store that cannot be had is no
/// reason to go without the others.
fn carry_out(commands: &[String], guardian: &Guardian, interrupt: &AtomicBool) -> anyhow::Result<i32> {
    let mut status = crate::status::GOOD;
    for command in commands {
        crate::tell::tell(&format!("kurabe: {command}"));
        if let Err(error) = run_command(command, guardian, interrupt) {
            if interrupt.load(Ordering::Relaxed) {
                return Err(error);
            }
            crate::tell::tell(&format!("kurabe: {error:#}"));
            status = crate::status::FAILED;
        }
    }
    Ok(status)
}

/// What is to be here.
enum Want<'a> {
    /// A store, or a variant that needs something of its own.
    Store(&'a StoreDescriptor, Option<&'a Variant>),
    /// A client, with one of its drivers where it has several.
    Client(&'a ClientDescriptor, Option<&'a ClientDriver>),
    /// A service before stores.
    App(&'a AppDescriptor),
}

impl Want<'_> {
    fn name(&self) -> String {
        match self {
            Want::Store(store, Some(variant)) => format!("{}:{}", store.name, variant.name),
            Want::Store(store, None) => store.name.clone(),
            Want::Client(client, Some(driver)) => format!("+{}:{}", client.name, driver.name),
            Want::Client(client, None) => format!("+{}", client.name),
            Want::App(app) => format!("/{}", app.name),
        }
    }
}

fn every(catalogue: &Catalogue) -> Vec<Want<'_>> {
    catalogue
        .stores()
        .iter()
        .flat_map(|store| {
            let own = store.variants.iter().filter(|variant| variant.file.is_some());
            std::iter::once(Want::Store(store, None)).chain(own.map(move |variant| Want::Store(store, Some(variant))))
        })
        .chain(catalogue.clients().iter().flat_map(of_client))
        .chain(catalogue.apps().iter().map(Want::App))
        .collect()
}

/// A client with each of its drivers.
fn of_client(client: &ClientDescriptor) -> Vec<Want<'_>> {
    match client.drivers.as_slice() {
        [] => vec![Want::Client(client, None)],
        drivers => drivers.iter().map(|driver| Want::Client(client, Some(driver))).collect(),
    }
}

/// The client that was named behind a `+`.
fn named_client<'a>(catalogue: &'a Catalogue, name: &str) -> Result<Vec<Want<'a>>, StudyError> {
    let unknown =
        |what: &'static str, known: Vec<String>| StudyError::Unknown { what, name: format!("+{name}"), known };
    let ClientName { client: client_name, driver } = ClientName::of(name);
    let known = || catalogue.clients().iter().map(|client| format!("+{}", client.name)).collect();
    let client = catalogue.client(&client_name).ok_or_else(|| unknown("client", known()))?;
    let Some(driver) = driver else { return Ok(of_client(client)) };
    let known = || client.drivers.iter().map(|known| format!("+{client_name}:{}", known.name)).collect();
    let driver = client.drivers.iter().find(|known| known.name == driver);
    Ok(vec![Want::Client(client, Some(driver.ok_or_else(|| unknown("driver", known()))?))])
}

/// The stores and clients that were named; a variant brings its store along.
fn named<'a>(catalogue: &'a Catalogue, names: &[String]) -> Result<Vec<Want<'a>>, StudyError> {
    let mut wanted: Vec<Want<'_>> = Vec::new();
    for name in names.iter().flat_map(|name| name.split(',')).filter(|name| !name.is_empty()) {
        if let Some(client) = name.strip_prefix('+') {
            wanted.extend(named_client(catalogue, client)?);
            continue;
        }
        if let Some(app) = name.strip_prefix('/') {
            wanted.push(Want::App(catalogue.app(app)?));
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
        let both = [Some(Want::Store(store, None)), variant.map(|variant| Want::Store(store, Some(variant)))];
        for want in both.into_iter().flatten() {
            if !wanted.iter().any(|known| known.name() == want.name()) {
                wanted.push(want);
            }
        }
    }
    Ok(wanted)
}

/// What is missing of something, and what gets it.
struct Lack {
    reason: String,
    remedy: Remedy,
}

impl Lack {
    /// Nothing is missing, but it was asked for.
    fn anew() -> Lack {
        Lack { reason: "it was asked for anew".into(), remedy: Remedy::Descriptor }
    }
}

/// What gets something.
enum Remedy {
    /// What its descriptor says.
    Descriptor,
    /// This command.
    Command(String),
    /// A build of the client.
    Build,
    /// Nothing that is known here.
    Unknown,
}

/// Looks for stores and clients.
struct Look<'a> {
    catalogue: &'a Catalogue,
    clients: &'a Clients,
    guardian: &'a Guardian,
}

impl Look<'_> {
    fn missing(&self, want: &Want<'_>) -> Option<Lack> {
        let lack = |reason: String| Lack { reason, remedy: Remedy::Descriptor };
        match want {
            Want::Store(store, Some(variant)) => presence::of_variant(store, variant).err().map(lack),
            Want::Store(store, None) => presence::of(store, self.clients, self.guardian).err().map(lack),
            Want::Client(client, driver) => self.missing_client(client, *driver),
            Want::App(app) => self.missing_app(app),
        }
    }

    /// Nothing is built for the answer.
    fn missing_app(&self, app: &AppDescriptor) -> Option<Lack> {
        if let Some((reason, remedy)) = self.clients.lacks_for_app(self.catalogue, app, self.guardian) {
            return Some(Lack { reason, remedy: remedy.map_or(Remedy::Unknown, Remedy::Command) });
        }
        let is_built = self.clients.app_is_built(self.catalogue, app);
        (!is_built).then(|| Lack { reason: "it has to be built".into(), remedy: Remedy::Build })
    }

    /// Nothing is built for the answer.
    fn missing_client(&self, client: &ClientDescriptor, driver: Option<&ClientDriver>) -> Option<Lack> {
        if let Err(error) = self.clients.write_sources(self.catalogue, client) {
            return Some(Lack { reason: error.to_string(), remedy: Remedy::Unknown });
        }
        let by = |(reason, remedy): (String, Option<String>)| Lack {
            reason,
            remedy: remedy.map_or(Remedy::Unknown, Remedy::Command),
        };
        if client.build.is_some() && !self.clients.is_ready(self.catalogue, &client.name) {
            let to_build = || Lack { reason: "it has to be built".into(), remedy: Remedy::Build };
            return Some(self.clients.lacks_for_build(self.catalogue, client).map_or_else(to_build, by));
        }
        // What it needs may differ from store to store, and one command gets all of it.
        let stores = driver.map_or(&client.stores, |driver| &driver.stores);
        let probe = |store: &String| self.clients.probe(self.catalogue, client, driver, store, self.guardian).err();
        stores.iter().find_map(probe).map(by)
    }
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
struct Step {
    /// The store or variant it is for.
    name: String,
    what: What,
}

enum What {
    /// A command of a descriptor, to be run as root.
    Debian(String),
    /// A script of ours that works in the cache folder, and needs no rights.
    Script { script: PathBuf, cache: PathBuf },
    /// A build by this binary: `kurabe VERB --build NAME`.
    Build { exe: PathBuf, verb: &'static str, of: String },
}

#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    by_hand: Vec<String>,
}

impl Plan {
    fn add(&mut self, want: &Want<'_>, lack: Lack, look: &Look<'_>, system: &System) -> anyhow::Result<()> {
        let name = want.name();
        let Lack { reason, remedy } = lack;
        let (store, variant) = match want {
            Want::Store(store, variant) => (*store, *variant),
            Want::Client(client, _) => {
                return self.add_other(("clients", &client.name), &name, &reason, remedy, look, system);
            }
            Want::App(app) => return self.add_other(("apps", &app.name), &name, &reason, remedy, look, system),
        };
        let debian = variant.map_or(&store.install.debian, |variant| &variant.debian);
        let cache = look.clients.cache.as_path();
        let folder = cache.join(format!("stores-{}", env!("CARGO_PKG_VERSION"))).join(&store.name);
        let script = match variant {
            Some(_) => None,
            None => look
                .catalogue
                .write_setup(&store.name, &folder)
                .with_context(|| format!("cannot write to '{}'", folder.display()))?,
        };
        let what = match (script, debian) {
            (Some(script), _) => What::Script { script, cache: cache.to_path_buf() },
            (None, Some(command)) if system.is_debian => What::Debian(command.clone()),
            _ => {
                let place = store.install.other.as_ref().unwrap_or(&store.homepage);
                let what = store.install.by_hand.as_ref().map(|what| format!("{what}; ")).unwrap_or_default();
                self.by_hand.push(format!("{name} is missing: {reason}; to be installed by hand: {what}{place}"));
                return Ok(());
            }
        };
        super::say(&format!("{name} is missing: {reason}\n"))?;
        self.steps.push(Step { name, what });
        Ok(())
    }

    /// A client or an app, by the verb that builds it. Commands of the package manager are run; whatever else gets one
    /// is for whoever it belongs to.
    fn add_other(
        &mut self,
        (verb, of): (&'static str, &str),
        name: &str,
        reason: &str,
        remedy: Remedy,
        look: &Look<'_>,
        system: &System,
    ) -> anyhow::Result<()> {
        let what = match remedy {
            Remedy::Build => What::Build { exe: look.clients.exe.clone(), verb, of: of.to_string() },
            Remedy::Command(command) if system.is_debian && command.contains("apt-get ") => What::Debian(command),
            Remedy::Command(command) => {
                self.by_hand.push(format!("{name} is missing: {reason}; get it with: {command}"));
                return Ok(());
            }
            Remedy::Descriptor | Remedy::Unknown => {
                self.by_hand.push(format!("{name} is missing: {reason}"));
                return Ok(());
            }
        };
        super::say(&format!("{name} is missing: {reason}\n"))?;
        self.steps.push(Step { name: name.to_string(), what });
        Ok(())
    }

    /// What has to be built now that the plan was carried out; nothing is built a second time.
    fn builds_after(&self, wanted: &[Want<'_>], look: &Look<'_>, system: &System) -> anyhow::Result<Plan> {
        let was_built =
            |name: &str| self.steps.iter().any(|step| step.name == name && matches!(step.what, What::Build { .. }));
        let mut builds = Plan::default();
        for want in wanted.iter().filter(|want| !was_built(&want.name())) {
            match look.missing(want) {
                Some(lack) if matches!(lack.remedy, Remedy::Build) => builds.add(want, lack, look, system)?,
                _ => {}
            }
        }
        Ok(builds)
    }

    /// The commands in order, each once.
    fn commands(&self, system: &System) -> Vec<String> {
        let mut seen = BTreeSet::new();
        let needs_index = |step: &Step| matches!(&step.what, What::Debian(command) if command.contains("apt-get"));
        let update = self.steps.iter().any(needs_index).then(|| system.as_root("apt-get update -qq"));
        let steps = self.steps.iter().map(|step| match &step.what {
            What::Debian(command) => system.as_root(command),
            What::Script { script, cache } => {
                joined(&["sh".into(), script.display().to_string(), cache.display().to_string()])
            }
            What::Build { exe, verb, of } => {
                joined(&[exe.display().to_string(), (*verb).into(), "--build".into(), of.clone()])
            }
        });
        update.into_iter().chain(steps).filter(|command| seen.insert(command.clone())).collect()
    }
}

/// A command as it is typed.
fn joined(words: &[String]) -> String {
    shlex::try_join(words.iter().map(String::as_str)).unwrap_or_else(|_| words.join(" "))
}

/// Asks on the terminal. Where nobody can answer, the flag must have said it.
fn agreed() -> anyhow::Result<bool> {
    if !std::io::stdin().is_terminal() {
        return Err(StudyError::value("setup", "there is no terminal to ask on; add --yes to do this").into());
    }
    super::say("Go on? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("cannot read the answer")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Longest time for one command: a download may be slow.
const LIMIT: Duration = Duration::from_secs(3600);

fn run_command(command: &str, guardian: &Guardian, interrupt: &AtomicBool) -> anyhow::Result<()> {
    let scope = Scope { stdout: Stream::Piped, stderr: Stream::Piped, ..Scope::new("sh").args(["-ec", command]) };
    let mut process = spawn(guardian, scope)?;
    let readers = [
        process.take_stdout().map(|stream| repeat(Box::new(stream))),
        process.take_stderr().map(|stream| repeat(Box::new(stream))),
    ];
    let status = match process.wait_unless(interrupt, LIMIT)? {
        Waited::Ended(status) => status,
        Waited::Interrupted => bail!(kurabe_harness::HarnessError::Interrupted),
        Waited::TooLong => bail!("'{command}' did not end within {} min", LIMIT.as_secs() / 60),
    };
    // What it left running would hold the pipes open.
    process.kill_tree().map_err(|survivors| anyhow::anyhow!("{survivors}"))?;
    for reader in readers.into_iter().flatten() {
        // A reader that panicked has shown all it could.
        let _ = reader.join();
    }
    if !status.success() {
        let hint = if command.contains("sudo -n") { "; where sudo wants a password, run 'sudo -v' first" } else { "" };
        bail!("'{command}' ended with {status}{hint}");
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
