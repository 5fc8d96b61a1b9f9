//! What a client is, as data: `clients/<name>/client.toml`.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Component, Path, PathBuf};

use kurabe_messages::{Message, message};
use serde::Deserialize;

use crate::error::StudyError;
use crate::store::StoreDescriptor;
use crate::toml_text;

/// A client's descriptor. The Rust client has none: it is Kurabe's own binary.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientDescriptor {
    /// Name, that of its folder.
    pub name: String,
    /// Whether it stands in for a built-in client of its name.
    #[serde(default)]
    pub replaces: bool,
    /// Other names by which a candidate may ask for it.
    #[serde(default)]
    pub also: Vec<String>,
    /// Title for people.
    pub title: String,
    /// Whether its workers find a store again that is restarted amid a phase (`on_loss`).
    #[serde(default)]
    pub survives_restart: bool,
    /// Whether it is a load tool that Kurabe knows: `run` is its program, Kurabe's own client loads the store and runs
    /// it, its answers are not checked, and it is never ranked.
    #[serde(default)]
    pub load_tool: bool,
    /// The command that starts it; `{client}` is the folder of its sources, `{built}` that of what was built of them,
    /// `{NAME}` an interpreter, `{driver}` the driver, `{option:NAME}` the value of an option.
    pub run: Vec<String>,
    /// Programs that its commands name.
    #[serde(default, rename = "interpreter")]
    pub interpreters: BTreeMap<String, Interpreter>,
    /// Libraries of its language that it can drive stores by, where there are several; of those of a store the first is the
    /// usual one.
    #[serde(default, rename = "driver")]
    pub drivers: Vec<ClientDriver>,
    /// How it is built, where its sources cannot run as they are.
    #[serde(default)]
    pub build: Option<ClientBuild>,
    /// What a candidate may set of the client itself.
    #[serde(default, rename = "option")]
    pub options: Vec<ClientOption>,
    /// What its connections are. Whether they see each other's versions tells its hello (`shared_versions`).
    pub connections: Connections,
    /// Stores that it can drive; the name of a protocol means all that speak it.
    pub stores: Vec<String>,
    /// For each store, or as `*` for all, the command that succeeds where all that it needs is installed.
    #[serde(default)]
    pub probe: BTreeMap<String, Vec<String>>,
    /// The command that gets what is missing.
    #[serde(default)]
    pub install: Option<String>,
    /// Folder of its sources, where it is not one of those that travel in the binary.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
    /// Digest of that folder; empty where there is none.
    #[serde(skip)]
    pub digest: String,
}

/// A program that the commands of a client name, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interpreter {
    /// Variable of the environment that names another one.
    pub variable: String,
    /// Its place in the cache folder, where it may have been put.
    #[serde(default)]
    pub cached: Option<String>,
    /// Its name in PATH.
    pub program: String,
    /// The oldest version that will do, of those that it tells of itself by `--version`; any where absent. Of a client its
    /// probes tell that.
    #[serde(default)]
    pub oldest: Option<String>,
}

/// A library by which a client drives stores.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientDriver {
    /// Name, which stands behind that of the client: `+CLIENT:DRIVER`.
    pub name: String,
    /// Stores that it drives.
    pub stores: Vec<String>,
    /// The command that succeeds where it is installed; that of the client where absent.
    #[serde(default)]
    pub probe: Option<Vec<String>>,
    /// The command that gets it; that of the client where absent.
    #[serde(default)]
    pub install: Option<String>,
    /// Whether no command gets it: `install` says what a person does.
    #[serde(default)]
    pub by_hand: bool,
    /// By store the variants that it drives, where it does not drive all.
    #[serde(default)]
    pub variants: BTreeMap<String, Vec<String>>,
    /// By store the durability settings that it can give, where it cannot give all.
    #[serde(default)]
    pub durability: BTreeMap<String, Vec<String>>,
    /// By store the other settings that it cannot give.
    #[serde(default)]
    pub without: BTreeMap<String, Vec<String>>,
}

impl ClientDriver {
    /// Why it does not drive this variant of a store, if it does not.
    pub fn lacks_variant(&self, store: &str, variant: Option<&str>) -> Option<Message> {
        let driven = self.variants.get(store)?;
        let variant = variant.filter(|variant| !driven.iter().any(|known| known == variant))?;
        Some(message!(study_candidate_no_variant, driver = &self.name, variants = driven, store, variant))
    }
}

/// What the connections of a client are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Connections {
    /// All of them are in one process.
    Threads,
    /// Each is a process of its own.
    Processes,
}

/// How a client is built, once a machine and version: in a folder of its own, which takes its place when all is well.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientBuild {
    /// The command; `{build}` is the folder that it fills.
    pub command: Vec<String>,
    /// File or folder in that folder which is there afterwards.
    pub product: String,
    /// The command that is run once when the product is in its place, `{built}`: it may put more beside it, and nothing is
    /// lost where it fails.
    #[serde(default)]
    pub after: Vec<String>,
    /// Programs that must be in PATH.
    pub needs: Vec<String>,
    /// The command that installs those programs.
    pub install: String,
}

/// A setting of the client itself. A candidate gives it among its settings, and it stands in the record as they do.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientOption {
    /// Name among the settings of a candidate.
    pub name: String,
    /// What its value is.
    pub kind: OptionKind,
    /// Value where a candidate gives none.
    pub default: String,
    /// Value in tests of what is right, where nothing is timed; the usual one where absent.
    #[serde(default)]
    pub in_tests: Option<String>,
    /// Value in those of them that go without a warm-up; that of `in_tests` where absent.
    #[serde(default)]
    pub in_cold_tests: Option<String>,
    /// What it is for.
    pub reason: String,
}

/// What the value of an option is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OptionKind {
    /// Digits.
    Count,
    /// Bytes: digits, and `k`, `m` or `g` after them for powers of 1024.
    Size,
    /// Options of a program, parted by spaces; there may be none.
    Words,
}

impl OptionKind {
    /// What is wrong with a value.
    pub(crate) fn problem(self, value: &str) -> Option<Message> {
        let number = |digits: &str| (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let (is_right, expected) = match self {
            OptionKind::Count => (number(value), message!(study_a_count_option)),
            OptionKind::Size => {
                let digits = value.strip_suffix(['k', 'm', 'g']).unwrap_or(value);
                (number(digits) && digits.bytes().any(|byte| byte != b'0'), message!(study_a_size_option))
            }
            OptionKind::Words => {
                let option = |word: &str| word.len() > 1 && word.starts_with('-') && word.bytes().all(is_plain);
                (value.split_ascii_whitespace().all(option), message!(study_options))
            }
        };
        (!is_right).then(|| message!(study_invalid, value, expected))
    }
}

/// Whether a byte means itself to a shell and to the programs that part options.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_+=:.,/%@".contains(&byte)
}

/// Puts `name` beside `wire`, where only the latter is there.
pub(crate) fn add(names: &mut Vec<String>, wire: &str, name: &str) -> bool {
    let is_new = names.iter().any(|one| one == wire) && !names.iter().any(|one| one == name);
    if is_new {
        names.push(name.to_string());
    }
    is_new
}

/// The same for what is said of each.
fn copy(said: &mut BTreeMap<String, Vec<String>>, wire: &str, name: &str) {
    if let Some(of_wire) = said.get(wire).cloned() {
        said.entry(name.to_string()).or_insert(of_wire);
    }
}

/// By which client something is driven, and by which of its drivers where it has several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientName {
    /// A name of the client.
    pub client: String,
    /// The driver; the usual one where absent.
    pub driver: Option<String>,
}

impl ClientName {
    /// Reads `CLIENT[:DRIVER]`.
    pub fn of(text: &str) -> ClientName {
        let (client, driver) = text.split_once(':').map_or((text, None), |(client, driver)| (client, Some(driver)));
        ClientName { client: client.into(), driver: driver.map(str::to_string) }
    }
}

/// As it is typed.
impl Display for ClientName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.driver {
            Some(driver) => write!(f, "{}:{driver}", self.client),
            None => f.write_str(&self.client),
        }
    }
}

impl ClientDescriptor {
    pub(crate) fn parse(origin: &str, text: &str) -> Result<ClientDescriptor, StudyError> {
        let client: ClientDescriptor = toml_text::read(origin, text)?;
        if client.run.first().is_none_or(|program| program.trim().is_empty()) {
            let example = "run = [\"{client}/main\"]";
            return Err(StudyError::value(origin, message!(definitions_no_program, example)));
        }
        if let Some(build) = &client.build
            && !Path::new(&build.product).components().all(|part| matches!(part, Component::Normal(_)))
        {
            return Err(StudyError::value(origin, message!(definitions_product_outside, product = &build.product)));
        }
        Ok(client)
    }

    /// Takes a store in whose protocol it drives: what it says of the protocol it says of the store.
    pub(crate) fn drive(&mut self, store: &StoreDescriptor) {
        let (name, wire) = (&store.name, store.wire());
        if name == wire {
            return;
        }
        copy(&mut self.probe, wire, name);
        add(&mut self.stores, wire, name);
        for driver in &mut self.drivers {
            if add(&mut driver.stores, wire, name) {
                copy(&mut driver.variants, wire, name);
                copy(&mut driver.durability, wire, name);
                copy(&mut driver.without, wire, name);
            }
        }
    }

    /// Whether `name` is a name of this client.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.also.iter().any(|other| other == name)
    }

    /// The command that succeeds where all is here that it needs to drive `store`, by this driver.
    pub fn probe_of<'a>(&'a self, store: &str, driver: Option<&'a ClientDriver>) -> Option<&'a Vec<String>> {
        let own = driver.and_then(|driver| driver.probe.as_ref());
        own.or_else(|| self.probe.get(store)).or_else(|| self.probe.get("*"))
    }

    /// The drivers by which it drives `store`.
    pub fn drivers_of<'a>(&'a self, store: &'a str) -> impl Iterator<Item = &'a ClientDriver> {
        self.drivers.iter().filter(move |driver| driver.stores.iter().any(|known| known == store))
    }

    /// The driver of this name, for a store that it drives.
    pub fn driver(&self, store: &str, name: &str) -> Option<&ClientDriver> {
        let is_it = |driver: &&ClientDriver| driver.name == name && driver.stores.iter().any(|known| known == store);
        self.drivers.iter().find(is_it)
    }

    /// What is wrong with the settings of a candidate that are for the client itself.
    pub(crate) fn problem(&self, asked: &BTreeMap<String, String>) -> Option<Message> {
        let wrong = |option: &ClientOption| {
            let problem = option.kind.problem(asked.get(&option.name)?)?;
            Some(message!(study_in, origin = format!("settings.{}", option.name), problem))
        };
        self.options.iter().find_map(wrong)
    }

    /// Settings for the client itself, where `asked` are those of a candidate.
    pub fn option_values(&self, asked: &BTreeMap<String, String>) -> BTreeMap<String, String> {
        let value = |option: &ClientOption| asked.get(&option.name).unwrap_or(&option.default).clone();
        self.options.iter().map(|option| (option.name.clone(), value(option))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Catalogue;

    #[test]
    fn a_client_has_one_folder_and_may_have_several_names() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let jdbc = catalogue.client("jdbc").expect("jdbc is a name of the JVM client");
        assert_eq!((jdbc.name.as_str(), jdbc), ("jvm", catalogue.client("jvm").expect("the JVM client")));
        assert!(catalogue.client("jdb").is_none());
    }

    #[test]
    fn options_are_those_that_are_asked_for_or_usual() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let jvm = catalogue.client("jvm").expect("the JVM client");
        let asked =
            BTreeMap::from([("jvm_heap".to_string(), "2g".to_string()), ("other".to_string(), "1".to_string())]);
        let values = jvm.option_values(&asked);
        assert_eq!(values.get("jvm_heap").map(String::as_str), Some("2g"));
        assert_eq!((values.get("jvm_warmup_ms").map(String::as_str), values.len()), (Some("500"), 3));
        assert_eq!(jvm.problem(&asked), None);
    }

    #[test]
    fn words_are_options_and_nothing_for_a_shell() {
        for right in ["", " ", "-Xms1g", "-XX:+UseZGC -XX:MaxDirectMemorySize=1g -Dx.y=/tmp/z,1"] {
            assert_eq!(OptionKind::Words.problem(right), None, "{right}");
        }
        for wrong in ["Xms1g", "-", "-Xms1g; ls", "-Dx=$HOME", "-Dx=*", "-Dx='a b'", "-D\u{e9}"] {
            assert!(OptionKind::Words.problem(wrong).is_some(), "{wrong}");
        }
    }

    fn testkit_folder() -> std::path::PathBuf {
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../testkit")
    }

    #[test]
    fn a_driver_stands_behind_its_client_and_the_first_is_the_usual_one() {
        let catalogue = Catalogue::builtin()
            .and_then(|one| one.with_definitions(&testkit_folder()))
            .expect("the clients of the test kit are right");
        let client = |text: &str| crate::parse_candidate(&catalogue, text).map(|spec| spec.client.to_string());
        assert_eq!(client("redis+toy").expect("a client"), "toy:buffered");
        assert_eq!(client("redis+toy:bytewise").expect("a driver"), "toy:bytewise");
        assert_eq!(client("sqlite+python").expect("a client without drivers"), "python");
        let error = |text: &str| client(text).expect_err("a mistake").to_string();
        assert!(
            error("redis+toy:bytwise").contains("did you mean 'redis+toy:bytewise'?"),
            "{}",
            error("redis+toy:bytwise")
        );
        assert!(error("sqlite+python:fast").contains("one driver for this store"), "{}", error("sqlite+python:fast"));
        assert!(error("sqlite+toy").contains("does not drive sqlite"), "{}", error("sqlite+toy"));
    }

    #[test]
    fn drivers_are_those_of_stores_that_the_client_drives() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        for client in catalogue.clients().iter().filter(|client| !client.drivers.is_empty()) {
            for store in &client.stores {
                // What takes no library has a probe of its own.
                let is_driven = client.drivers_of(store).next().is_some() || client.probe_of(store, None).is_some();
                assert!(is_driven, "{} has no driver for {store}", client.name);
            }
            for driver in &client.drivers {
                assert!(driver.stores.iter().all(|store| client.stores.contains(store)), "{}", driver.name);
                for (name, settings) in &driver.durability {
                    let store = catalogue.store(name).expect("a store that is known");
                    let is_known = |setting: &String| store.durability.iter().any(|known| known.name == *setting);
                    assert!(!settings.is_empty() && settings.iter().all(is_known), "{} of {name}", driver.name);
                    assert!(driver.stores.contains(name), "{} does not drive {name}", driver.name);
                }
                for (name, variants) in &driver.variants {
                    let store = catalogue.store(name).expect("a store that is known");
                    assert!(
                        !variants.is_empty() && variants.iter().all(|one| store.has_variant(one)),
                        "{}",
                        driver.name
                    );
                }
                for (name, settings) in &driver.without {
                    let store = catalogue.store(name).expect("a store that is known");
                    let is_known = |setting: &String| store.settings.iter().any(|known| known.name == *setting);
                    assert!(settings.iter().all(is_known), "{} of {name}", driver.name);
                }
            }
        }
    }

    #[test]
    fn every_client_has_a_probe_for_what_it_drives() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        for store in catalogue.stores() {
            for name in store.clients.iter().filter(|name| *name != "rust") {
                let client = catalogue.client(name).unwrap_or_else(|| panic!("{}: no client '{name}'", store.name));
                if client.load_tool {
                    assert!(
                        client.install.is_some() && client.run.len() == 1,
                        "{name} is a program that is found or not"
                    );
                    continue;
                }
                let drivers: Vec<Option<&ClientDriver>> = client.drivers_of(&store.name).map(Some).collect();
                let all = if drivers.is_empty() { vec![None] } else { drivers };
                let probed = all.into_iter().all(|driver| client.probe_of(&store.name, driver).is_some());
                assert!(probed, "{name} has no probe for {}", store.name);
            }
        }
    }
}
