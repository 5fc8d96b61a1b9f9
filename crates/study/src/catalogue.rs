//! The catalogue: stores, clients, apps and studies that travel in the binary, and those that a user brings.
//!
//! A store is data. What Kurabe must know about it is a descriptor, and a folder of definitions adds some without a
//! build. A product may speak the protocol of another, as Valkey does that of Redis. Its descriptor `extends` the other
//! and says only what differs; `absent` names what does not hold any more. The store at the end of the chain gives the
//! wire, by which a client chooses its adapter.
//!
//! Before that, each product repeated the descriptor of its family. Each client knew by name which products belong to
//! it (commit 7451a577). Now clients alone say what they drive, by store or by wire. By `identity` the harness tells
//! which product a server is; eight clients had checked that, each by itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use include_dir::{Dir, File, include_dir};
use kurabe_messages::{Message, message};

use crate::app::AppDescriptor;
use crate::client::{ClientDescriptor, ClientDriver, ClientName, Connections};
use crate::definitions;
use crate::error::{StudyError, unknown};
use crate::store::{KnownStore, RelatedStore, StoreDescriptor};
use crate::toml_text;

pub(crate) static STORES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../stores");
pub(crate) static STUDIES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../studies");
pub(crate) static APPS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../apps");
pub(crate) static CLIENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../clients");

/// The client that has no descriptor.
pub(crate) const RUST: &str = "rust";

/// What the names of data files in the binary begin with.
const BUILTIN: &str = "builtin:";

/// The stores, clients and studies that this Kurabe knows.
#[derive(Clone, Debug)]
pub struct Catalogue {
    store_texts: Vec<StoreText>,
    stores: Vec<StoreDescriptor>,
    /// What is measured at an address and nowhere else.
    at_address: Vec<StoreDescriptor>,
    known: Vec<KnownStore>,
    clients: Vec<ClientDescriptor>,
    apps: Vec<AppDescriptor>,
    /// Texts by name.
    studies: BTreeMap<String, String>,
    /// Digest of what folders of definitions brought.
    definitions: Option<String>,
}

/// The descriptor of a store as it was written: others may be laid over it.
#[derive(Clone, Debug)]
struct StoreText {
    /// Its folder's name.
    name: String,
    origin: String,
    text: String,
    /// The store that it is laid over.
    extends: Option<String>,
    /// Its folder, where it does not travel in the binary.
    folder: Option<PathBuf>,
}

impl StoreText {
    fn of(name: &str, origin: String, text: &str, folder: Option<PathBuf>) -> StoreText {
        let extends = toml_text::word(text, "extends");
        StoreText { name: name.into(), origin, text: text.into(), extends, folder }
    }

    fn read(&self, all: &[StoreText]) -> Result<StoreDescriptor, StudyError> {
        let mut chain: Vec<&StoreText> = vec![self];
        while let Some(name) = chain.last().and_then(|last| last.extends.as_ref()) {
            let known = || all.iter().map(|one| one.name.as_str()).collect::<Vec<&str>>();
            let problem = |problem: Message| Err(StudyError::value(&self.origin, problem));
            match all.iter().find(|one| one.name == *name) {
                None => {
                    let unknown = unknown("store", name, &known());
                    return problem(message!(study_in, origin = "extends", problem = unknown));
                }
                Some(next) if chain.iter().any(|one| one.name == next.name) => {
                    return problem(message!(definitions_extends_circle, name));
                }
                Some(next) => chain.push(next),
            }
        }
        let below: Vec<&str> = chain[1..].iter().map(|one| one.text.as_str()).collect();
        let store = StoreDescriptor::parse(&self.origin, &self.text, &below)?;
        // What extends another store speaks its protocol.
        let of_base = chain.last().filter(|_| chain.len() > 1).map(|base| base.name.clone());
        let wire = store.wire.clone().or(of_base);
        Ok(StoreDescriptor { folder: self.folder.clone(), wire, ..store })
    }
}

impl Catalogue {
    /// Reads the built-in descriptors.
    pub fn builtin() -> Result<Catalogue, StudyError> {
        let clients = texts(&CLIENTS, "client.toml").map(|(origin, text)| ClientDescriptor::parse(&origin, text));
        let apps = texts(&APPS, "app.toml").map(|(origin, text)| AppDescriptor::parse(&origin, text));
        let mut catalogue = Catalogue {
            store_texts: store_texts(),
            stores: Vec::new(),
            at_address: Vec::new(),
            known: known_stores()?,
            clients: clients.collect::<Result<_, _>>()?,
            apps: apps.collect::<Result<_, _>>()?,
            studies: studies(),
            definitions: None,
        };
        catalogue.connect()?;
        Ok(catalogue)
    }

    /// Besides, what is in a folder of definitions; nothing of it is copied anywhere.
    pub fn with_definitions(mut self, folder: &Path) -> Result<Catalogue, StudyError> {
        let root = definitions::open(folder)?;
        let found = definitions::in_folders(&root, "stores", "store.toml")?;
        let (clients, apps) = (
            definitions::in_folders(&root, "clients", "client.toml")?,
            definitions::in_folders(&root, "apps", "app.toml")?,
        );
        for part in [&found, &clients, &apps] {
            self.definitions = Some(definitions::digest_of(self.definitions.as_deref(), part));
        }
        for one in &found {
            let is_known = self.store_texts.iter().any(|known| known.name == one.name);
            one.check("store", toml_text::flag(&one.text, "replaces"), is_known)?;
        }
        self.store_texts.retain(|known| !found.iter().any(|one| one.name == known.name));
        self.store_texts
            .extend(found.iter().map(|one| StoreText::of(&one.name, one.origin(), &one.text, one.folder())));
        for one in &found {
            let text = self.store_texts.iter().find(|text| text.name == one.name);
            text.map_or(Ok(()), |text| one.check_name(&text.read(&self.store_texts)?.name))?;
        }
        for found in clients {
            let client = ClientDescriptor::parse(&found.origin(), &found.text)?;
            found.check_name(&client.name)?;
            found.check(
                "client",
                client.replaces && client.name != RUST,
                client.name == RUST || self.client(&client.name).is_some(),
            )?;
            self.clients.retain(|one| one.name != client.name);
            let is_taken =
                |name: &&String| *name == RUST || !definitions::is_plain(name) || self.client(name).is_some();
            if let Some(name) = client.also.iter().find(is_taken) {
                return Err(StudyError::value(&found.origin(), message!(definitions_also, name)));
            }
            self.clients.push(ClientDescriptor { folder: found.folder(), digest: found.digest, ..client });
        }
        for found in apps {
            let app = AppDescriptor::parse(&found.origin(), &found.text)?;
            found.check_name(&app.name)?;
            found.check("app", app.replaces, self.app(&app.name).is_ok())?;
            self.apps.retain(|one| one.name != app.name);
            self.apps.push(AppDescriptor { folder: found.folder(), ..app });
        }
        for found in definitions::files(&root, "studies")? {
            let replaces = crate::study::replaces(&found.origin(), &found.text)?;
            found.check("study", replaces, self.studies.contains_key(&found.name))?;
            self.studies.insert(found.name, found.text);
        }
        self.connect()?;
        Ok(self)
    }

    /// SHA-256 over the stores, clients and apps that folders of definitions brought; `None` where there is no such
    /// folder.
    pub fn definitions(&self) -> Option<&str> {
        self.definitions.as_deref()
    }

    /// Reads the stores, and says which clients drive and which apps stand before each.
    fn connect(&mut self) -> Result<(), StudyError> {
        let stores = self.store_texts.iter().map(|text| text.read(&self.store_texts));
        let mut stores = stores.collect::<Result<Vec<StoreDescriptor>, _>>()?;
        // Baselines first, then by name: the order of every list.
        stores.sort_by_key(|store| (store.kind != kurabe_record::StoreKind::Baseline, store.name.clone()));
        for client in &self.clients {
            let is_known = |name: &str| stores.iter().any(|store| store.name == *name || store.wire() == name);
            if let Some(name) = client.stores.iter().find(|name| !is_known(name)) {
                let known = stores.iter().map(|store| store.name.clone()).collect();
                return Err(StudyError::Unknown { what: "store", name: name.clone(), known });
            }
        }
        let kin: Vec<(String, RelatedStore)> =
            stores.iter().map(|store| (store.wire().to_string(), store.as_kin())).collect();
        for store in &mut stores {
            self.clients.iter_mut().for_each(|client| client.drive(store));
            self.apps.iter_mut().for_each(|app| app.stand_before(store));
            let rust = store.rust_client.then(|| RUST.to_string());
            let driving = self.clients.iter().filter(|client| client.stores.contains(&store.name));
            let clients = rust.into_iter().chain(driving.map(|client| client.name.clone())).collect();
            let others = kin.iter().filter(|(wire, other)| wire == store.wire() && !other.is(&store.name));
            store.connect(others.map(|(_, other)| other.clone()).collect(), clients)?;
        }
        self.clients.iter_mut().for_each(|client| client.stores.sort());
        (self.at_address, self.stores) = stores.into_iter().partition(|store| store.at_address_only);
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

    /// All apps.
    pub fn apps(&self) -> &[AppDescriptor] {
        &self.apps
    }

    /// The app named `name`.
    pub fn app(&self, name: &str) -> Result<&AppDescriptor, StudyError> {
        self.apps.iter().find(|app| app.name == name).ok_or_else(|| StudyError::Unknown {
            what: "app",
            name: name.to_string(),
            known: self.apps.iter().map(|app| app.name.clone()).collect(),
        })
    }

    /// The store named `name`.
    pub fn store(&self, name: &str) -> Result<&StoreDescriptor, StudyError> {
        let found = self.stores.iter().chain(&self.at_address).find(|store| store.name == name);
        found.ok_or_else(|| match self.known.iter().find(|store| store.name == name) {
            Some(store) => StudyError::Other(match store.way() {
                Some(way) => message!(study_not_carried, name, way),
                None => message!(study_not_spoken, name),
            }),
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

    /// Whether the client that `name` is a name of is a load tool, whose answers nobody checks.
    pub fn is_load_tool(&self, name: &str) -> bool {
        self.client(name).is_some_and(|client| client.load_tool)
    }

    /// Whether the client that `name` is a name of drives a store.
    pub(crate) fn drives(&self, name: &str, store: &StoreDescriptor) -> bool {
        let name = self.client(name).map_or(name, |client| &client.name);
        store.clients.iter().any(|known| known == name)
    }

    /// The driver that is named, for a store that it drives; the Rust client's have no descriptor.
    pub fn driver(&self, name: &ClientName, store: &str) -> Option<&ClientDriver> {
        self.client(&name.client)?.driver(store, name.driver.as_ref()?)
    }

    /// Names of the drivers by which a client drives a store, the usual one first; none where it has only one.
    pub fn drivers<'a>(&'a self, client: &str, store: &'a str) -> Vec<&'a str> {
        if client == RUST {
            let drivers = self.store(store).into_iter().flat_map(|store| &store.drivers);
            return drivers.map(|driver| driver.name.as_str()).collect();
        }
        let drivers = self.client(client).into_iter().flat_map(|client| client.drivers_of(store));
        drivers.map(|driver| driver.name.as_str()).collect()
    }

    /// Names of the studies.
    pub fn studies(&self) -> Vec<String> {
        self.studies.keys().cloned().collect()
    }

    /// The text of a study.
    pub fn study_text(&self, name: &str) -> Result<&str, StudyError> {
        self.studies.get(name).map(String::as_str).ok_or_else(|| StudyError::Unknown {
            what: "study",
            name: name.to_string(),
            known: self.studies(),
        })
    }

    /// The content of a built-in data file, where `file` is the name of one: `builtin:NAME`.
    pub fn builtin_data(&self, file: &str) -> Result<Option<&'static [u8]>, StudyError> {
        let Some(name) = file.strip_prefix(BUILTIN) else { return Ok(None) };
        let is_data = |one: &File<'_>| one.path().extension().is_some_and(|end| end != "toml" && end != "ftl");
        if let Some(found) = STUDIES.get_file(name).filter(|one| is_data(one)) {
            return Ok(Some(found.contents()));
        }
        let known = STUDIES.files().filter(|one| is_data(one));
        let known = known.map(|one| format!("{BUILTIN}{}", one.path().display())).collect();
        Err(StudyError::Unknown { what: "data-file", name: file.to_string(), known })
    }

    /// A number that changes with the sources of a client: what was built of others is not of these.
    pub fn client_sources(&self, name: &str) -> u64 {
        digest(CLIENTS.get_dir(name))
    }

    /// The same of an app.
    pub fn app_sources(&self, name: &str) -> u64 {
        digest(APPS.get_dir(name))
    }

    /// Writes the sources of an app below `folder`, where they are not yet.
    pub fn write_app(&self, name: &str, folder: &Path) -> std::io::Result<()> {
        let Some(dir) = APPS.get_dir(name) else { return Ok(()) };
        write_dir(dir, dir.path(), folder)
    }

    /// Writes the sources of a client below `folder`, where they are not yet.
    pub fn write_client(&self, name: &str, folder: &Path) -> std::io::Result<()> {
        let Some(dir) = CLIENTS.get_dir(name) else { return Ok(()) };
        write_dir(dir, dir.path(), folder)
    }
}

impl Catalogue {
    /// Writes the folder of a store to `folder` where it holds a script `setup.sh`, with what such scripts share beside it, and
    /// gives the path of the script.
    pub fn write_setup(&self, store: &str, folder: &Path) -> std::io::Result<Option<PathBuf>> {
        let own = self.store(store).ok().and_then(|store| store.folder.as_ref());
        if let Some(own) = own {
            let script = own.join("setup.sh");
            return Ok(script.is_file().then_some(script));
        }
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

fn store_texts() -> Vec<StoreText> {
    let of = |(origin, text): (String, &str)| {
        let name = Path::new(&origin).parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        StoreText::of(&name, origin.clone(), text, None)
    };
    texts(&STORES, "store.toml").map(of).collect()
}

fn studies() -> BTreeMap<String, String> {
    let of = |file: &File<'_>| {
        let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?.to_string();
        Some((name, file.contents_utf8()?.to_string()))
    };
    STUDIES.files().filter_map(of).collect()
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
        assert_eq!(catalogue.drivers("rust", "lmdb"), ["one", "two"]);
        let client = |text: &str| crate::parse_candidate(&catalogue, text).map(|spec| spec.client.to_string());
        for usual in ["lmdb", "lmdb+rust", "lmdb+rust:one"] {
            assert_eq!(client(usual).expect("a client"), "rust", "{usual}");
        }
        assert_eq!(client("lmdb+rust:two").expect("a driver"), "rust:two");
        let error = |text: &str| client(text).expect_err("a mistake").to_string();
        assert!(error("lmdb+rust:tow").contains("did you mean 'lmdb+rust:two'?"), "{}", error("lmdb+rust:tow"));
        assert!(error("redb+rust:two").contains("one driver for this store"), "{}", error("redb+rust:two"));
    }
}
