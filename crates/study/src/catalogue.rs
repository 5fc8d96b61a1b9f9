//! Everything that travels inside the binary: stores, clients, studies.

use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};

use crate::client::{ClientDescriptor, ClientDriver, Connections, parted};
use crate::error::StudyError;
use crate::stack::StackDescriptor;
use crate::store::{KnownStore, StoreDescriptor};
use crate::toml_text;

static STORES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../stores");
static STUDIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../studies");
static STACKS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../stacks");
static CLIENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../clients");

/// The client that has no descriptor.
pub(crate) const RUST: &str = "rust";

/// What the names of data files in the binary begin with.
const BUILTIN: &str = "builtin:";

/// The stores, clients and studies that this Kurabe knows.
#[derive(Clone, Debug)]
pub struct Catalogue {
    stores: Vec<StoreDescriptor>,
    /// What is measured at an address and nowhere else.
    at_address: Vec<StoreDescriptor>,
    known: Vec<KnownStore>,
    clients: Vec<ClientDescriptor>,
    stacks: Vec<StackDescriptor>,
}

impl Catalogue {
    /// Reads the built-in descriptors.
    pub fn builtin() -> Result<Catalogue, StudyError> {
        let stores = texts(&STORES, "store.toml").map(|(origin, text)| StoreDescriptor::parse(&origin, text));
        let clients = texts(&CLIENTS, "client.toml").map(|(origin, text)| ClientDescriptor::parse(&origin, text));
        let stacks = texts(&STACKS, "stack.toml").map(|(origin, text)| StackDescriptor::parse(&origin, text));
        let stores: Vec<StoreDescriptor> = stores.collect::<Result<_, _>>()?;
        let (at_address, stores) = stores.into_iter().partition(|store| store.at_address_only);
        let mut catalogue = Catalogue {
            stores,
            at_address,
            known: known_stores()?,
            clients: clients.collect::<Result<_, _>>()?,
            stacks: stacks.collect::<Result<_, _>>()?,
        };
        // Floors first, then by name: the order of every list.
        catalogue.stores.sort_by_key(|store| (store.kind != kurabe_record::StoreKind::Floor, store.name.clone()));
        Ok(catalogue)
    }

    /// Besides, the clients that are in folders of `folder`: each has its `client.toml`, and is not copied anywhere.
    pub fn with_clients_in(mut self, folder: &Path) -> Result<Catalogue, StudyError> {
        for folder in folders_with(folder, "client.toml", "clients")? {
            let (path, text) = descriptor_in(&folder, "client.toml")?;
            let client = ClientDescriptor::parse(&path.display().to_string(), &text)?;
            self.add_client(ClientDescriptor { folder: Some(folder), ..client }, &path)?;
        }
        Ok(self)
    }

    /// Besides, the stacks that are in folders of `folder`, each with its `stack.toml`.
    pub fn with_stacks_in(mut self, folder: &Path) -> Result<Catalogue, StudyError> {
        for folder in folders_with(folder, "stack.toml", "stacks")? {
            let (path, text) = descriptor_in(&folder, "stack.toml")?;
            let origin = path.display().to_string();
            let stack = StackDescriptor::parse(&origin, &text)?;
            if self.stack(&stack.name).is_ok() {
                return Err(StudyError::value(&origin, format!("there is a stack '{}' already", stack.name)));
            }
            self.stacks.push(StackDescriptor { folder: Some(folder), ..stack });
        }
        Ok(self)
    }

    fn add_client(&mut self, client: ClientDescriptor, path: &Path) -> Result<(), StudyError> {
        let origin = path.display().to_string();
        if client.name == RUST || self.client(&client.name).is_some() {
            return Err(StudyError::value(&origin, format!("there is a client '{}' already", client.name)));
        }
        for name in &client.stores {
            self.store(name)?;
            self.stores.iter_mut().filter(|store| store.name == *name).for_each(|store| {
                store.clients.push(client.name.clone());
            });
        }
        self.clients.push(client);
        Ok(())
    }

    /// All stores, but for what is at an address and nowhere else.
    pub fn stores(&self) -> &[StoreDescriptor] {
        &self.stores
    }

    /// Stores that are known and cannot be measured here, since no package registry carries them.
    pub fn known_stores(&self) -> &[KnownStore] {
        &self.known
    }

    /// All clients but the Rust client.
    pub fn clients(&self) -> &[ClientDescriptor] {
        &self.clients
    }

    /// All stacks.
    pub fn stacks(&self) -> &[StackDescriptor] {
        &self.stacks
    }

    /// The stack named `name`.
    pub fn stack(&self, name: &str) -> Result<&StackDescriptor, StudyError> {
        self.stacks.iter().find(|stack| stack.name == name).ok_or_else(|| StudyError::Unknown {
            what: "stack",
            name: name.to_string(),
            known: self.stacks.iter().map(|stack| stack.name.clone()).collect(),
        })
    }

    /// The store named `name`.
    pub fn store(&self, name: &str) -> Result<&StoreDescriptor, StudyError> {
        let found = self.stores.iter().chain(&self.at_address).find(|store| store.name == name);
        found.ok_or_else(|| match self.known.iter().find(|store| store.name == name) {
            Some(store) => StudyError::NotCarried { name: name.to_string(), way: store.way() },
            None => StudyError::Unknown {
                what: "store",
                name: name.to_string(),
                known: self.stores.iter().map(|store| store.name.clone()).collect(),
            },
        })
    }

    /// What the connections of a client are. The Rust client, which has no descriptor, has them all in one process.
    pub fn connections(&self, client: &str) -> Connections {
        self.client(client).map_or(Connections::Threads, |client| client.connections)
    }

    /// The client that `name` is a name of; `None` for the Rust client.
    pub fn client(&self, name: &str) -> Option<&ClientDescriptor> {
        self.clients.iter().find(|client| client.is_named(name))
    }

    /// The driver that `client` names behind its colon, for a store that it drives; the Rust client's have no descriptor.
    pub fn driver(&self, client: &str, store: &str) -> Option<&ClientDriver> {
        self.client(client)?.driver(store, parted(client).1?)
    }

    /// Names of the drivers by which a client drives a store, the usual one first; none where it has only one.
    pub fn drivers<'a>(&'a self, client: &str, store: &'a str) -> Vec<&'a str> {
        if parted(client).0 == RUST {
            let drivers = self.store(store).into_iter().flat_map(|store| &store.drivers);
            return drivers.map(|driver| driver.name.as_str()).collect();
        }
        let drivers = self.client(client).into_iter().flat_map(|client| client.drivers_of(store));
        drivers.map(|driver| driver.name.as_str()).collect()
    }

    /// Names of the built-in studies.
    pub fn studies(&self) -> Vec<String> {
        let mut names: Vec<String> = STUDIES
            .files()
            .filter_map(|file| Some(file.path().file_name()?.to_str()?.strip_suffix(".toml")?.to_string()))
            .collect();
        names.sort();
        names
    }

    /// The text of a built-in study.
    pub fn study_text(&self, name: &str) -> Result<&'static str, StudyError> {
        let file = STUDIES.get_file(format!("{name}.toml")).and_then(|file| file.contents_utf8());
        file.ok_or_else(|| StudyError::Unknown { what: "study", name: name.to_string(), known: self.studies() })
    }

    /// The content of a built-in data file, where `file` is the name of one: `builtin:NAME`.
    pub fn builtin_data(&self, file: &str) -> Result<Option<&'static [u8]>, StudyError> {
        let Some(name) = file.strip_prefix(BUILTIN) else { return Ok(None) };
        let is_data = |one: &File<'_>| one.path().extension().is_some_and(|end| end != "toml");
        if let Some(found) = STUDIES.get_file(name).filter(|one| is_data(one)) {
            return Ok(Some(found.contents()));
        }
        let known = STUDIES.files().filter(|one| is_data(one));
        let known = known.map(|one| format!("{BUILTIN}{}", one.path().display())).collect();
        Err(StudyError::Unknown { what: "data file", name: file.to_string(), known })
    }

    /// A number that changes with the sources of a client: what was built of others is not of these.
    pub fn client_sources(&self, name: &str) -> u64 {
        digest(CLIENTS.get_dir(name))
    }

    /// The same of a stack.
    pub fn stack_sources(&self, name: &str) -> u64 {
        digest(STACKS.get_dir(name))
    }

    /// Writes the sources of a stack below `folder`, where they are not yet.
    pub fn write_stack(&self, name: &str, folder: &Path) -> std::io::Result<()> {
        let Some(dir) = STACKS.get_dir(name) else { return Ok(()) };
        write_dir(dir, dir.path(), folder)
    }

    /// Writes the sources of a client below `folder`, where they are not yet.
    pub fn write_client(&self, name: &str, folder: &Path) -> std::io::Result<()> {
        let Some(dir) = CLIENTS.get_dir(name) else { return Ok(()) };
        write_dir(dir, dir.path(), folder)
    }
}

/// The folders in `folder` that hold `file`, by name.
fn folders_with(folder: &Path, file: &str, what: &str) -> Result<Vec<PathBuf>, StudyError> {
    let entries = std::fs::read_dir(folder).and_then(|entries| {
        entries.map(|entry| entry.map(|entry| entry.path())).collect::<std::io::Result<Vec<PathBuf>>>()
    });
    let mut folders = entries.map_err(|error| {
        let problem = format!("this folder of {what} cannot be read: {error}");
        StudyError::value(&folder.display().to_string(), problem)
    })?;
    folders.retain(|folder| folder.join(file).is_file());
    folders.sort();
    Ok(folders)
}

/// Most bytes of a descriptor.
const MAX_DESCRIPTOR_BYTES: u64 = 1 << 20;

/// Path and text of a descriptor.
fn descriptor_in(folder: &Path, file: &str) -> Result<(PathBuf, String), StudyError> {
    let path = folder.join(file);
    match kurabe_machine::read_text(&path, MAX_DESCRIPTOR_BYTES) {
        Ok(text) => Ok((path, text)),
        Err(error) => Err(StudyError::value(&path.display().to_string(), format!("it cannot be read: {error}"))),
    }
}

impl Catalogue {
    /// Writes the folder of a store to `folder` where it holds a script `setup.sh`, with what such scripts share beside it, and
    /// gives the path of the script.
    pub fn write_setup(&self, store: &str, folder: &Path) -> std::io::Result<Option<PathBuf>> {
        let script = format!("{store}/setup.sh");
        let Some(dir) = STORES.get_dir(store).filter(|dir| dir.contains(&script)) else { return Ok(None) };
        write_dir(dir, dir.path(), folder)?;
        let beside = folder.parent().unwrap_or(folder);
        let mut scripts = STORES.files().filter(|file| file.path().extension().is_some_and(|kind| kind == "sh"));
        scripts.try_for_each(|file| write_file(file, &beside.join(file.path())))?;
        Ok(Some(folder.join("setup.sh")))
    }
}

/// A number that changes with what is in a folder.
fn digest(dir: Option<&Dir<'_>>) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    fn add(dir: &Dir<'_>, hasher: &mut DefaultHasher) {
        dir.files().for_each(|file| (file.path(), file.contents()).hash(hasher));
        dir.dirs().for_each(|inner| add(inner, hasher));
    }
    let mut hasher = DefaultHasher::new();
    dir.iter().for_each(|dir| add(dir, &mut hasher));
    hasher.finish()
}

fn texts(dir: &'static Dir<'_>, file: &'static str) -> impl Iterator<Item = (String, &'static str)> {
    dir.dirs().filter_map(move |folder| {
        let path = folder.path().join(file);
        let text = dir.get_file(&path)?.contents_utf8()?;
        Some((format!("{}/{}", dir.path().display(), path.display()), text))
    })
}

fn known_stores() -> Result<Vec<KnownStore>, StudyError> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Known {
        store: Vec<KnownStore>,
    }
    let text = STORES.get_file("known.toml").and_then(File::contents_utf8).unwrap_or_default();
    Ok(toml_text::read::<Known>("stores/known.toml", text)?.store)
}

/// Writes a file to `path`, with the folders above it.
fn write_file(file: &File<'_>, path: &Path) -> std::io::Result<()> {
    use std::sync::atomic::{AtomicU32, Ordering};
    static WRITTEN: AtomicU32 = AtomicU32::new(0);
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    // Another Kurabe may be reading it: only what differs is written, and in one step.
    if std::fs::read(path).ok().as_deref() == Some(file.contents()) {
        return Ok(());
    }
    // So may another thread.
    let number = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let fresh = path.with_extension(format!("new-{}-{number}", std::process::id()));
    std::fs::write(&fresh, file.contents())?;
    std::fs::rename(&fresh, path)
}

fn write_dir(dir: &Dir<'_>, base: &Path, folder: &Path) -> std::io::Result<()> {
    for file in dir.files() {
        write_file(file, &folder.join(file.path().strip_prefix(base).unwrap_or(file.path())))?;
    }
    dir.dirs()
        .filter(|inner| !inner.path().ends_with("__pycache__"))
        .try_for_each(|inner| write_dir(inner, base, folder))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::RustDriver;

    #[test]
    fn drivers_of_the_rust_client_stand_in_the_store_and_the_usual_one_goes_without_its_name() {
        let mut catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let driver = |name: &str| RustDriver { name: name.into(), summary: "a driver".into() };
        for store in catalogue.stores.iter_mut().filter(|store| store.name == "lmdb") {
            store.drivers = vec![driver("one"), driver("two")];
        }
        assert_eq!(catalogue.drivers("rust:two", "lmdb"), ["one", "two"]);
        let client = |text: &str| crate::parse_candidate(&catalogue, text).map(|spec| spec.client);
        for usual in ["lmdb", "lmdb+rust", "lmdb+rust:one"] {
            assert_eq!(client(usual).expect("a client"), "rust", "{usual}");
        }
        assert_eq!(client("lmdb+rust:two").expect("a driver"), "rust:two");
        let error = |text: &str| client(text).expect_err("a mistake").to_string();
        assert!(error("lmdb+rust:tow").contains("did you mean 'lmdb+rust:two'?"), "{}", error("lmdb+rust:tow"));
        assert!(error("redb+rust:two").contains("one driver for this store"), "{}", error("redb+rust:two"));
    }
}
