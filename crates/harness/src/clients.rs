//! Where clients come from: their programs, what they need, and how they are built.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use kurabe_messages::{Message, message};
use kurabe_service::{
    FolderAccess, Guardian, ProgramPaths, Scope, ServiceError, Stream, WaitOutcome, file_exists, find, hear_version,
    make_folder, open_library, spawn,
};
use kurabe_study::{
    AppDescriptor, CandidateSpec, Catalogue, ClientDescriptor, ClientDriver, ClientName, Interpreter, Probe,
    StoreDescriptor,
};

use crate::build::{Words, build_once, is_built, is_here, lacks_for_build, remove};
use crate::error::{HarnessError, MissingPart, Reason};

/// The program that drives servers.
const SERVERS: &str = "kurabe-servers";
/// What makes it, in Kurabe's own folder.
pub const BUILDS_SERVERS: &str = "make build";

/// Probes that succeeded in this process.
static PROBED: Mutex<BTreeSet<(OsString, Vec<OsString>)>> = Mutex::new(BTreeSet::new());

/// The program and arguments that start a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCommand {
    /// Program.
    pub program: PathBuf,
    /// Arguments.
    pub args: Vec<OsString>,
}

/// What the Rust client is to drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drives {
    /// Baselines and libraries alone.
    Libraries,
    /// Servers too.
    Servers,
}

/// Where clients come from.
#[derive(Clone, Debug)]
pub struct Clients {
    /// Kurabe's own binary, whose hidden verb is the Rust client of libraries.
    pub exe: PathBuf,
    /// Folder that sources of the other clients are written to.
    pub cache: PathBuf,
    /// Set when the user interrupts: what is being built or measured is given up.
    pub interrupt: Arc<AtomicBool>,
}

impl Clients {
    /// The usual places: this binary and the user's cache folder.
    pub fn usual() -> Result<Clients, HarnessError> {
        let exe = std::env::current_exe().map_err(|error| HarnessError::refused(message!(run_own_program, error)))?;
        Ok(Clients { exe, cache: cache_folder(), interrupt: Arc::default() })
    }

    /// The program beside Kurabe's own whose Rust client drives servers too.
    pub fn servers(&self) -> PathBuf {
        self.exe.with_file_name(SERVERS)
    }

    /// Whether that program is here, unasked what it is.
    pub fn has_servers(&self) -> bool {
        self.servers().is_file()
    }

    /// Why no server can be driven: that program is not here, or is of another build. [`BUILDS_SERVERS`] is the remedy.
    pub fn lacks_servers(&self, guardian: &Guardian) -> Option<Reason> {
        let program = self.servers();
        let asked = (program.clone().into_os_string(), Vec::new());
        let mut probed = PROBED.lock().unwrap_or_else(PoisonError::into_inner);
        if probed.contains(&asked) {
            return None;
        }
        let shown = program.display();
        let said = |program: &Path| self.said_version(program, guardian);
        // Each says its name, then the build.
        let build = |said: &str| said.split_once(' ').map(|(_, build)| build.trim().to_string());
        if !self.has_servers() {
            return Some(message!(resolve_no_servers, program = shown).into());
        }
        match said(&program) {
            None => Some(message!(resolve_servers_silent, program = shown).into()),
            Some(servers) if !servers.starts_with(SERVERS) => {
                Some(message!(resolve_servers_other, program = shown).into())
            }
            Some(servers) if build(&servers) != said(&self.exe).as_deref().and_then(build) => {
                Some(message!(resolve_servers_build, program = shown, exe = self.exe.display()).into())
            }
            Some(_) => {
                probed.insert(asked);
                None
            }
        }
    }

    /// The command of a client for a candidate with these settings; for another than the Rust client its sources are
    /// written first.
    pub fn command(
        &self,
        catalogue: &Catalogue,
        name: &ClientName,
        settings: &BTreeMap<String, String>,
        drives: Drives,
    ) -> Result<ClientCommand, HarnessError> {
        let own = match drives {
            Drives::Libraries => self.exe.clone(),
            Drives::Servers => self.servers(),
        };
        let driver = name.driver.as_deref();
        let Some(client) = catalogue.client(&name.client) else {
            let args = std::iter::once("client").chain(driver).map(OsString::from).collect();
            return Ok(ClientCommand { program: own, args });
        };
        self.write_sources(catalogue, client)?;
        let mut words = self.words(catalogue, client, settings);
        words.add("{driver}", driver.unwrap_or_default());
        let (program, args) = words.fill(&client.run);
        if client.load_tool {
            let args = [OsString::from("tool"), client.name.clone().into(), program].into_iter().chain(args).collect();
            return Ok(ClientCommand { program: own, args });
        }
        // The Rust client chooses its operations, and judges its answers.
        let args = [OsString::from("drive"), program].into_iter().chain(args).collect();
        Ok(ClientCommand { program: own, args })
    }

    /// Writes the sources of a client, where they travel in the binary.
    pub fn write_sources(&self, catalogue: &Catalogue, client: &ClientDescriptor) -> Result<(), HarnessError> {
        if client.folder.is_some() {
            return Ok(());
        }
        let folder = self.folder(catalogue, client);
        open_cache(&self.cache)
            .and_then(|()| catalogue.write_client(&client.name, &folder))
            .map_err(|error| HarnessError::io(&folder, error))
    }

    /// Whether a client can be started without building anything first.
    pub fn is_ready(&self, catalogue: &Catalogue, name: &str) -> bool {
        let Some(client) = catalogue.client(name) else { return true };
        let words = self.words(catalogue, client, &BTreeMap::new());
        is_built(client.build.as_ref(), &words) && is_here(&client.run, &words)
    }

    /// Builds a client where it has to be built and was not yet; otherwise what is in the way and the remedy. Its sources
    /// were written by [`Clients::write_sources`].
    pub fn build(
        &self,
        catalogue: &Catalogue,
        client: &ClientDescriptor,
        guardian: &Guardian,
    ) -> Result<(), MissingPart> {
        let Some(build) = &client.build else { return Ok(()) };
        let words = self.words(catalogue, client, &BTreeMap::new());
        build_once(&client_title(client), build, &words, guardian, &self.interrupt)
            .map_err(|reason| (reason, Some(build.install.clone())))
    }

    /// Removes what was built of `client`, so that it is built anew: its libraries may find here now what they lacked.
    pub fn discard_client(&self, catalogue: &Catalogue, client: &ClientDescriptor) -> Result<(), HarnessError> {
        discard(&self.words(catalogue, client, &BTreeMap::new()))
    }

    /// What is not here that the build of `client` takes, and the remedy.
    pub fn lacks_for_build(&self, catalogue: &Catalogue, client: &ClientDescriptor) -> Option<MissingPart> {
        let words = self.words(catalogue, client, &BTreeMap::new());
        let build = client.build.as_ref()?;
        lacks_for_build(&client_title(client), build, &words).map(|reason| (reason.into(), Some(build.install.clone())))
    }

    /// Whether everything is there that `client` needs to drive `store`; otherwise what is missing and the remedy. A
    /// client that has to be built is built here, once. Its sources were written by [`Clients::write_sources`].
    pub fn probe(
        &self,
        catalogue: &Catalogue,
        client: &ClientDescriptor,
        driver: Option<&ClientDriver>,
        store: &str,
        guardian: &Guardian,
    ) -> Result<(), MissingPart> {
        let words = self.words(catalogue, client, &BTreeMap::new());
        self.build(catalogue, client, guardian)?;
        // A load tool has a program and nothing else; not all of them can be asked for their version without a failure.
        if client.load_tool && !is_here(&client.run, &words) {
            let program = words.fill(&client.run).0;
            let reason = message!(resolve_no_program, program = program.to_string_lossy());
            return Err((reason.into(), client.install.clone()));
        }
        let Some(command) = client.probe_of(store, driver) else { return Ok(()) };
        let install = driver.and_then(|driver| driver.install.as_ref()).or(client.install.as_ref());
        let missing = |reason: Message| (reason.into(), install.map(|text| words.text(text)));
        match self.succeeds(words.fill(command), guardian) {
            Ok(true) => Ok(()),
            Ok(false) => {
                let client = client_title(client);
                Err(missing(match driver {
                    Some(driver) => message!(resolve_driver_lacks, client, store, driver = &driver.name),
                    None => message!(resolve_client_lacks, client, store),
                }))
            }
            Err(error) => Err(missing(message!(resolve_client_start, client = client_title(client), error))),
        }
    }

    /// Whether a probe succeeds. One that did is not asked again: a virtual machine takes half a second.
    fn succeeds(&self, asked: (OsString, Vec<OsString>), guardian: &Guardian) -> Result<bool, ServiceError> {
        if PROBED.lock().unwrap_or_else(PoisonError::into_inner).contains(&asked) {
            return Ok(true);
        }
        let mut process = spawn(guardian, Scope::new(PathBuf::from(&asked.0)).args(asked.1.clone()))?;
        let ended = process.wait_unless(&self.interrupt, Duration::from_secs(20));
        let is_good = matches!(ended, Ok(WaitOutcome::Ended(status)) if status.success());
        if is_good {
            PROBED.lock().unwrap_or_else(PoisonError::into_inner).insert(asked);
        }
        Ok(is_good)
    }

    /// The library of a store that has one: what to tell the adapter, nothing where the first name is found as it is.
    pub fn find_library(&self, store: &StoreDescriptor, spec: &CandidateSpec) -> Result<Option<String>, Reason> {
        if store.install.probe != Probe::Library {
            return Ok(None);
        }
        if let Some(path) = &spec.binary {
            let path = path.to_string_lossy().into_owned();
            return open_library(&path)
                .map(|()| Some(path.clone()))
                .map_err(|error| message!(resolve_given_library, path = &path, title = &store.title, error).into());
        }
        self.usual_library(store)
    }

    /// As [`Clients::find_library`], for no candidate in particular.
    pub fn usual_library(&self, store: &StoreDescriptor) -> Result<Option<String>, Reason> {
        let names = store.install.libraries.iter().map(|name| name.replace("{cache}", &self.cache.to_string_lossy()));
        let mut errors = Vec::new();
        for (at, name) in names.enumerate() {
            match open_library(&name) {
                Ok(()) => return Ok((at > 0 || name.contains('/')).then_some(name)),
                Err(error) => errors.push(error),
            }
        }
        Err(message!(resolve_no_library, title = &store.title, errors).into())
    }

    /// Where programs of services are: at the paths that are given, else in PATH and in the cache folder.
    pub fn places(&self, given: BTreeMap<String, PathBuf>) -> ProgramPaths {
        ProgramPaths {
            given,
            folders: BTreeMap::from([("cache".to_string(), self.cache.clone())]),
            interrupt: self.interrupt.clone(),
        }
    }

    fn words(&self, catalogue: &Catalogue, client: &ClientDescriptor, settings: &BTreeMap<String, String>) -> Words {
        let sources = self.folder(catalogue, client);
        let mut words = match client.digest.get(..16) {
            // Sources that lie anywhere may change: what is built of them is named after what they hold.
            Some(digest) => {
                let place = self.cache.join("own-clients").join(format!("{}-{digest}", client.name));
                Words::at(sources, "{client}", place)
            }
            None => Words::of(sources, "{client}"),
        };
        client.option_values(settings).iter().for_each(|(name, value)| words.add(&format!("{{option:{name}}}"), value));
        self.add_programs(&mut words, &client.interpreters);
        words
    }

    /// Lets the names of programs stand for where they are, and `{cache}` for the folder of the cache.
    fn add_programs(&self, words: &mut Words, interpreters: &BTreeMap<String, Interpreter>) {
        for (name, interpreter) in interpreters {
            words.add(&format!("{{{name}}}"), &self.program(interpreter).to_string_lossy());
        }
        words.add("{cache}", &self.cache.to_string_lossy());
    }

    /// Where the programs of an app are looked for; one that has to be built is built first, once.
    ///
    /// # Errors
    /// What is in the way, and the remedy.
    pub fn app_places(
        &self,
        catalogue: &Catalogue,
        app: &AppDescriptor,
        guardian: &Guardian,
    ) -> Result<ProgramPaths, MissingPart> {
        let mut places = self.places_of_app(app);
        if let Some(lack) = lacks_file(app) {
            return Err(lack);
        }
        if let Some(reason) = self.too_old(app, guardian) {
            return Err((reason.into(), app.install.clone()));
        }
        let Some(build) = &app.build else { return Ok(places) };
        let words = self.app_words(catalogue, app).map_err(|error| (error.into(), None))?;
        build_once(&message!(build_app, name = &app.name), build, &words, guardian, &self.interrupt)
            .map_err(|reason| (reason, Some(build.install.clone())))?;
        places.folders.insert("built".into(), words.built().to_path_buf());
        Ok(places)
    }

    /// Whether the libraries are here by which an app drives a store with this client; otherwise what is missing and
    /// the remedy. The app was built before.
    pub fn probe_app(
        &self,
        catalogue: &Catalogue,
        app: &AppDescriptor,
        (client, store): (&ClientName, &str),
        guardian: &Guardian,
    ) -> Result<(), MissingPart> {
        let Some(command) = app.probe.get(&client.to_string()) else { return Ok(()) };
        let words = self.app_words(catalogue, app).map_err(|error| (error.into(), None))?;
        let named = message!(build_app, name = &app.name);
        let missing = |reason: Message| (reason.into(), Some(format!("kurabe setup /{} --anew", app.name)));
        match self.succeeds(words.fill(command), guardian) {
            Ok(true) => Ok(()),
            Ok(false) => {
                Err(missing(message!(resolve_driver_lacks, client = named, store, driver = client.to_string())))
            }
            Err(error) => Err(missing(message!(resolve_client_start, client = named, error))),
        }
    }

    /// What of an app is not here, and the remedy; nothing is built for the answer.
    pub fn lacks_for_app(
        &self,
        catalogue: &Catalogue,
        app: &AppDescriptor,
        guardian: &Guardian,
    ) -> Option<MissingPart> {
        if let Some(lack) = lacks_file(app) {
            return Some(lack);
        }
        if let Some(build) = &app.build {
            let words = match self.app_words(catalogue, app) {
                Ok(words) => words,
                Err(error) => return Some((error.into(), None)),
            };
            if let Some(lacking) = lacks_for_build(&message!(build_app, name = &app.name), build, &words) {
                return Some((lacking.into(), Some(build.install.clone())));
            }
        }
        if let Some(reason) = self.too_old(app, guardian) {
            return Some((reason.into(), app.install.clone()));
        }
        self.find_app(app, guardian).err().map(|reason| (reason, app.install.clone()))
    }

    /// A program of an app that is older than what will do. One that is not here, or that gives no version, is found
    /// elsewhere.
    fn too_old(&self, app: &AppDescriptor, guardian: &Guardian) -> Option<Message> {
        app.interpreters.values().find_map(|interpreter| {
            let oldest = interpreter.oldest.as_deref()?;
            let program = self.program(interpreter);
            let told = self.version_of(&program, guardian)?;
            let is_older = version_numbers(&told) < version_numbers(oldest);
            is_older.then(|| {
                let (title, program, variable) = (&app.title, program.display(), &interpreter.variable);
                message!(resolve_too_old, title, oldest, program, version = told, variable)
            })
        })
    }

    /// The version that a program tells of itself: the first number with a point in it.
    fn version_of(&self, program: &Path, guardian: &Guardian) -> Option<String> {
        let said = self.said_version(program, guardian)?;
        let mut words = said.split(|c: char| !(c.is_ascii_digit() || c == '.')).map(|word| word.trim_matches('.'));
        words.find(|word| word.contains('.')).map(str::to_string)
    }

    /// All that a program says when it is asked for its version.
    fn said_version(&self, program: &Path, guardian: &Guardian) -> Option<String> {
        let scope = Scope { stdout: Stream::Piped, ..Scope::new(program).args(["--version"]) };
        let mut process = spawn(guardian, scope).ok()?;
        let (status, said) = hear_version(&mut process, &self.interrupt).ok()?;
        status.success().then_some(said)
    }

    /// The version of an app that is here, where it tells one; else why it is not here.
    pub fn find_app(&self, app: &AppDescriptor, guardian: &Guardian) -> Result<Option<String>, Reason> {
        let places = self.places_of_app(app);
        find(&app.service, &places, guardian).map(|found| found.version).map_err(Reason::from)
    }

    /// Removes what was built of `app`, so that it is built anew.
    pub fn discard_app(&self, catalogue: &Catalogue, app: &AppDescriptor) -> Result<(), HarnessError> {
        discard(&self.app_words(catalogue, app)?)
    }

    /// Whether what of an app has to be built was built.
    pub fn app_is_built(&self, catalogue: &Catalogue, app: &AppDescriptor) -> bool {
        self.app_words(catalogue, app).is_ok_and(|words| is_built(app.build.as_ref(), &words))
    }

    /// Where an app is looked for: with the programs that the environment or the cache names, since a plain name is looked
    /// for in PATH, and the folder of its sources, where they do not travel in the binary.
    fn places_of_app(&self, app: &AppDescriptor) -> ProgramPaths {
        let given = app.interpreters.iter().filter(|(name, _)| app.service.binaries.contains_key(*name));
        let given = given.map(|(name, interpreter)| (name.clone(), self.program(interpreter)));
        let mut places = self.places(given.filter(|(_, path)| path.is_absolute()).collect());
        places.folders.extend(app.folder.iter().map(|folder| ("app".to_string(), folder.clone())));
        places
    }

    /// The words of an app, whose sources are written first.
    fn app_words(&self, catalogue: &Catalogue, app: &AppDescriptor) -> Result<Words, HarnessError> {
        let client = app.client.as_deref().and_then(|client| catalogue.client(client));
        let mut words = Words::of(self.app_folder(catalogue, app, client)?, "{app}");
        if let Some(client) = client {
            let folder = self.folder(catalogue, client);
            catalogue.write_client(&client.name, &folder).map_err(|error| HarnessError::io(&folder, error))?;
            words.add("{client}", &folder.to_string_lossy());
        }
        self.add_programs(&mut words, &app.interpreters);
        Ok(words)
    }

    /// The folder of an app's sources, and of these alone, which go with those of its client.
    fn app_folder(
        &self,
        catalogue: &Catalogue,
        app: &AppDescriptor,
        client: Option<&ClientDescriptor>,
    ) -> Result<PathBuf, HarnessError> {
        if let Some(folder) = &app.folder {
            return Ok(folder.clone());
        }
        let (name, version) = (&app.name, env!("CARGO_PKG_VERSION"));
        let of_client = client.map_or(0, |client| catalogue.client_sources(&client.name));
        let sources = catalogue.app_sources(name) ^ of_client.rotate_left(1);
        let folder = self.cache.join(format!("apps-{version}")).join(format!("{name}-{sources:016x}"));
        open_cache(&self.cache)
            .and_then(|()| catalogue.write_app(name, &folder))
            .map_err(|error| HarnessError::io(&folder, error))?;
        Ok(folder)
    }

    /// The program that the environment names, else the one that was put in the cache, else the one in PATH.
    fn program(&self, interpreter: &Interpreter) -> PathBuf {
        let cached = interpreter.cached.as_ref().map(|path| self.cache.join(path)).filter(|path| path.exists());
        let named = std::env::var_os(&interpreter.variable).map(PathBuf::from);
        named.or(cached).unwrap_or_else(|| PathBuf::from(&interpreter.program))
    }

    /// Folder of the sources of a client, and of these alone: a file that another build of Kurabe has and this one has
    /// not would be built too.
    fn folder(&self, catalogue: &Catalogue, client: &ClientDescriptor) -> PathBuf {
        if let Some(folder) = &client.folder {
            return folder.clone();
        }
        let name = &client.name;
        let version = format!("clients-{}", env!("CARGO_PKG_VERSION"));
        self.cache.join(version).join(format!("{name}-{:016x}", catalogue.client_sources(name)))
    }
}

/// The numbers of a version, so that 20.15 is older than 20.20 and newer than 9.
fn version_numbers(version: &str) -> Vec<u64> {
    version.split('.').filter_map(|digits| digits.parse().ok()).collect()
}

/// A file that an app needs and that is not there, and what gets it.
fn lacks_file(app: &AppDescriptor) -> Option<MissingPart> {
    let file = app.needs.iter().find(|file| !file_exists(file))?;
    Some((message!(resolve_app_file, title = &app.title, file).into(), app.install.clone()))
}

fn discard(words: &Words) -> Result<(), HarnessError> {
    remove(words.built()).map_err(|error| HarnessError::io(words.built(), error))
}

fn client_title(client: &ClientDescriptor) -> Message {
    message!(build_client, name = &client.name)
}

/// `$XDG_CACHE_HOME/kurabe`; else, for root, `/var/cache/kurabe`, since the programs in it are run by the users of services,
/// who cannot enter root's home; else `~/.cache/kurabe`, or a folder in the temporary directory.
fn cache_folder() -> PathBuf {
    let of_root = rustix::process::geteuid().is_root().then(|| PathBuf::from("/var/cache"));
    let of_home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache"));
    let base = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or(of_root).or_else(of_home);
    base.unwrap_or_else(std::env::temp_dir).join("kurabe")
}

/// Makes the cache folder where it is missing. Programs that root gets later lie in it too, and the users of services must
/// be able to enter it, whatever root's umask is.
fn open_cache(cache: &Path) -> std::io::Result<()> {
    if cache.exists() {
        return Ok(());
    }
    let reach = if rustix::process::geteuid().is_root() { FolderAccess::Everybody } else { FolderAccess::Owner };
    make_folder(cache, reach)
}
