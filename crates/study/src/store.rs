//! What a store is, as data: `stores/<name>/store.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kurabe_messages::{Message, message};
use kurabe_record::{About, BaselineKind, Form, StoreKind, StoreProfile, SupportStatus};
use kurabe_service::ServiceSpec;
use serde::Deserialize;

use crate::client::ClientDriver;
use crate::durability::{Durability, WeakeningRule};
use crate::error::{StudyError, named, unknown};
use crate::toml_text;

/// A store that people ask for and that no package registry carries: Kurabe knows its name and cannot measure it by itself.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownStore {
    /// Name.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// The store whose protocol it speaks, by which one at an address can be measured.
    #[serde(default)]
    pub speaks: Option<String>,
}

impl KnownStore {
    /// How one that the user runs is given; `None` where no client here speaks its protocol.
    pub fn way(&self) -> Option<String> {
        self.speaks.as_ref().map(|store| format!("--stores {store}@{store}://HOST:PORT"))
    }
}

/// A store's descriptor.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreDescriptor {
    /// Name, that of its folder.
    pub name: String,
    /// The store whose descriptor this one is laid over: what it does not say is as there.
    #[serde(default)]
    pub extends: Option<String>,
    /// Keys of the extended descriptor that do not hold; they were taken out when it was read.
    #[serde(default)]
    pub(crate) absent: Vec<String>,
    /// Whether it stands in for a built-in store of its name.
    #[serde(default)]
    pub replaces: bool,
    /// The protocol that it speaks, by which clients know it; its name where it has one of its own.
    #[serde(default)]
    pub(crate) wire: Option<String>,
    /// By what the server tells that it is this one, and no other that speaks its protocol; any of them will do.
    #[serde(default)]
    pub identity: Vec<Identity>,
    /// The other stores that speak its protocol.
    #[serde(skip)]
    pub(crate) kin: Vec<RelatedStore>,
    /// Its folder, where it does not travel in the binary.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
    /// Title for people.
    pub title: String,
    /// Licence of the store itself.
    pub licence: String,
    /// Where to read about it.
    pub homepage: String,
    /// Whether it keeps data at all.
    pub kind: StoreKind,
    /// Whether it is no store of its own, but whatever is at an address: it stands in no list.
    #[serde(default)]
    pub at_address_only: bool,
    /// Whether it keeps columns, so that no row of it is encoded.
    #[serde(default)]
    pub keeps_columns: bool,
    /// What it is the baseline of, if rates are compared with it.
    #[serde(default)]
    pub baseline: Option<BaselineKind>,
    /// What it is and how it is driven here, in a sentence.
    pub summary: String,
    /// Whether the Rust client drives it.
    #[serde(default = "yes")]
    pub rust_client: bool,
    /// Clients that can drive it; the first is the default.
    #[serde(skip)]
    pub clients: Vec<String>,
    /// Drivers by which the Rust client drives it, where it has several; the first is the usual one.
    #[serde(default, rename = "driver")]
    pub drivers: Vec<RustDriver>,
    /// Bytes that it may take on disk for each byte of a row while it is measured: indexes, logs, copies.
    #[serde(default = "most_space")]
    pub space_factor: u64,
    /// Variants, such as engines; the first is meant where none is named. Empty where there is one only.
    #[serde(default, rename = "variant")]
    pub variants: Vec<Variant>,
    /// What it is, for those who have to choose; every store has it, and no baseline.
    #[serde(default)]
    pub about: Option<About>,
    /// How it gets onto a machine.
    pub install: Install,
    /// Durability settings, from cheapest to dearest.
    pub durability: Vec<Durability>,
    /// Settings that undo what a durability setting promises, wherever they come from.
    #[serde(default, rename = "undoes")]
    pub undoing: Vec<WeakeningRule>,
    /// What a server at an address must not tell of itself.
    #[serde(default, rename = "unsuitable")]
    pub unsuitable: Vec<Unsuitable>,
    /// Every other setting that is not the store's own default.
    #[serde(default, rename = "setting")]
    pub settings: Vec<Setting>,
    /// Settings beside its durability that its adapter takes from a candidate.
    #[serde(default)]
    pub tunable: Vec<String>,
    /// Its server, if it has one.
    #[serde(default)]
    pub service: Option<ServiceSpec>,
    /// Whether loads of other stores can fetch their rows from it.
    #[serde(default)]
    pub gives_rows: bool,
    /// How many threads of the client drive its connections between them, where one can drive many: as many as the server
    /// has that answer requests, since one could not keep them busy.
    #[serde(default = "one_thread")]
    pub client_threads: u32,
}

fn yes() -> bool {
    true
}

fn one_thread() -> u32 {
    1
}

/// Enough for every store that was tried: data, its log, and both once more while files are merged.
fn most_space() -> u64 {
    6
}

/// A driver of the Rust client, which has no descriptor of its own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RustDriver {
    /// Name, which stands behind that of the client: `+rust:DRIVER`.
    pub name: String,
    /// What it is, in a sentence.
    pub summary: String,
}

/// By what a server tells which product it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Name of what it tells, in the call `info`.
    pub told: String,
    /// What stands in it, in capital or small letters; anything where absent.
    #[serde(default)]
    pub holds: Option<String>,
}

impl Identity {
    fn is_told(&self, info: &BTreeMap<String, String>) -> bool {
        let lower = str::to_ascii_lowercase;
        info.get(&self.told).is_some_and(|value| self.holds.as_ref().is_none_or(|it| lower(value).contains(&lower(it))))
    }
}

/// Another store that speaks the same protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RelatedStore {
    name: String,
    title: String,
    identity: Vec<Identity>,
}

impl RelatedStore {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name
    }
}

/// An engine or a kind of table of a store.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Name.
    pub name: String,
    /// What it is, in a sentence.
    pub summary: String,
    /// Whether it keeps data at all; that of the store where it does not say.
    #[serde(default)]
    pub kind: Option<StoreKind>,
    /// Whether it keeps columns; that of the store where it does not say.
    #[serde(default)]
    pub keeps_columns: Option<bool>,
    /// Arguments for the service.
    #[serde(default)]
    pub args: Vec<String>,
    /// Settings for the adapter.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// What the live store must report.
    #[serde(default)]
    pub expect: BTreeMap<String, String>,
    /// A file that must be there beside what the store needs, with at most one `*` in each part of its path.
    #[serde(default)]
    pub file: Option<String>,
    /// The command that gets that file on Debian and its relatives.
    #[serde(default)]
    pub debian: Option<String>,
}

/// How a store gets onto a machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// How its presence is known.
    pub probe: Probe,
    /// File names or paths of the library, for the probe `library`: the first that can be opened is used. `{cache}`
    /// stands for Kurabe's folder in the user's cache.
    #[serde(default)]
    pub libraries: Vec<String>,
    /// The command on Debian and its relatives.
    #[serde(default)]
    pub debian: Option<String>,
    /// Where to look on other systems.
    #[serde(default)]
    pub other: Option<String>,
    /// What a person has to bring, where no command of any package manager can.
    #[serde(default)]
    pub by_hand: Option<String>,
}

/// How the presence of a store is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// It is compiled into the client.
    Builtin,
    /// The binaries of its service are found.
    Service,
    /// Its library can be opened; the adapter does so when it starts.
    Library,
}

/// What makes a server at an address one that cannot be measured, a read-only replica for one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unsuitable {
    /// Name of what the live server tells, in the call `info` or `settings`.
    pub told: String,
    /// It is suitable with these values alone; capital and small letters are the same.
    pub unless: Vec<String>,
    /// What the server is then and the way out, in words.
    pub reason: String,
}

/// Most settings that a store may have in the profile `tuned`, so that all have the same room.
const MOST_TUNED: usize = 10;

/// A setting that is not about durability.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Name.
    pub name: String,
    /// Why.
    pub reason: String,
    /// The profile that has it: one of `tuned` is not in `default`, one of `default` is in both.
    #[serde(default)]
    pub profile: StoreProfile,
    /// Where its makers advise it; every setting of `tuned` has one.
    #[serde(default)]
    pub source: Option<String>,
    /// The variants that it is for; all where it names none.
    #[serde(default)]
    pub variants: Vec<String>,
    /// Arguments for the service.
    #[serde(default)]
    pub args: Vec<String>,
    /// Settings for the adapter.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// What the live store must report.
    #[serde(default)]
    pub expect: BTreeMap<String, String>,
}

impl StoreDescriptor {
    /// The command that gets the store: its package's, or `kurabe setup` where that takes more than one command. In words
    /// where no command can.
    pub fn remedy(&self) -> String {
        let known = self.install.debian.as_ref().or(self.install.by_hand.as_ref());
        known.cloned().unwrap_or_else(|| format!("kurabe setup {}", self.name))
    }

    /// Reads a descriptor that is laid over those that it extends, and checks what the type cannot say.
    pub(crate) fn parse(origin: &str, text: &str, extended: &[&str]) -> Result<StoreDescriptor, StudyError> {
        let store: StoreDescriptor = toml_text::read_over(origin, text, extended)?;
        match store.problem() {
            Some(problem) => Err(StudyError::value(origin, problem)),
            None => Ok(store),
        }
    }

    /// What is wrong with it that the type cannot say.
    fn problem(&self) -> Option<Message> {
        let told_by_all = |one: &Identity| one.told.is_empty() || (one.told == "version" && one.holds.is_none());
        let (probe, is_served) = (self.install.probe, self.service.is_some());
        let belongs = |key: &str, place: &str| Some(message!(study_belongs, key, place));
        if !self.absent.is_empty() {
            return belongs("absent", "extends = \"NAME\"");
        }
        if self.identity.iter().any(told_by_all) {
            return Some(message!(store_file_identity));
        }
        if self.client_threads == 0 {
            return Some(message!(study_least, key = "client_threads", least = 1u64));
        }
        if self.baseline.is_some() && self.kind != StoreKind::Baseline {
            return belongs("baseline", "kind = \"baseline\"");
        }
        if self.about.is_some() != (self.kind == StoreKind::Store && !self.at_address_only) {
            return Some(message!(store_file_about));
        }
        if let Some(wrong) = self.about.as_ref().and_then(|about| problem_of(about, is_served)) {
            return Some(wrong);
        }
        if (probe == Probe::Service) != is_served {
            return together(["install.probe = \"service\"", "[service]"]);
        }
        if (probe == Probe::Library) == self.install.libraries.is_empty() {
            return together(["install.probe = \"library\"", "install.libraries"]);
        }
        if self.install.by_hand.is_some() && self.install.debian.is_some() {
            return Some(message!(study_either, keys = ["install.by_hand", "install.debian"]));
        }
        self.problem_of_settings()
    }

    /// What is wrong with its settings.
    fn problem_of_settings(&self) -> Option<Message> {
        let names = self.durability.iter().flat_map(|one| &one.variants);
        let names = names.chain(self.undoing.iter().flat_map(|one| &one.variants));
        let mut names = names.chain(self.settings.iter().flat_map(|one| &one.variants));
        if let Some(name) = names.find(|name| !self.has_variant(name)) {
            let known: Vec<&str> = self.variants.iter().map(|variant| variant.name.as_str()).collect();
            let problem = unknown("variant", name, &known);
            return Some(message!(study_in, origin = "variants", problem));
        }
        let wrong = self.undoing.iter().find_map(WeakeningRule::problem);
        if let Some(wrong) = wrong.or_else(|| self.durability.iter().find_map(Durability::problem)) {
            return Some(wrong);
        }
        let tuned = || self.settings.iter().filter(|setting| setting.profile == StoreProfile::Tuned);
        if let Some(unsourced) = tuned().find(|setting| setting.source.is_none()) {
            let problem = message!(store_file_needs, key = "profile = \"tuned\"", needed = ["source"]);
            return Some(message!(study_in_part, part = named("setting", &unsourced.name), problem));
        }
        if tuned().count() > MOST_TUNED {
            return Some(message!(store_file_tuned_many, most = MOST_TUNED));
        }
        match self.variants.as_slice() {
            [] => self.problem_of_default(),
            variants => variants.iter().find_map(|one| {
                let problem = self.of_variant(Some(&one.name)).problem_of_default()?;
                Some(message!(study_in_part, part = named("variant", &one.name), problem))
            }),
        }
    }

    /// What is wrong with the durability settings of one variant.
    fn problem_of_default(&self) -> Option<Message> {
        let defaults = self.durability.iter().filter(|setting| setting.default).count();
        (defaults > 1).then(|| message!(store_file_one_default))
    }

    /// The protocol that it speaks.
    pub fn wire(&self) -> &str {
        self.wire.as_deref().unwrap_or(&self.name)
    }

    pub(crate) fn as_kin(&self) -> RelatedStore {
        RelatedStore { name: self.name.clone(), title: self.title.clone(), identity: self.identity.clone() }
    }

    /// Gives it the other stores of its protocol and its clients; all that it says of clients must be of these, and it must
    /// not be known by what another is known by.
    pub(crate) fn connect(&mut self, kin: Vec<RelatedStore>, clients: Vec<String>) -> Result<(), StudyError> {
        (self.kin, self.clients) = (kin, clients);
        let file = self.folder.as_ref().map(|folder| folder.join("store.toml").display().to_string());
        let origin = file.unwrap_or_else(|| format!("store '{}'", self.name));
        let problem = |problem: Message| Err(StudyError::value(&origin, problem));
        if self.clients.is_empty() {
            return problem(message!(store_file_no_client, store = &self.name));
        }
        if let Some(same) = self.kin.iter().find(|other| other.identity.iter().any(|one| self.identity.contains(one))) {
            return problem(message!(store_file_same_identity, store = &self.name, other = &same.name));
        }
        let mut given_by = self.durability.iter().flat_map(|one| &one.clients);
        match given_by.find(|name| !self.clients.contains(name)) {
            Some(name) => {
                let unknown = unknown("client", name, &self.clients);
                problem(message!(study_in, origin = "durability.clients", problem = unknown))
            }
            None => Ok(()),
        }
    }

    /// Whether there is a variant of this name.
    pub fn has_variant(&self, name: &str) -> bool {
        self.variants.iter().any(|variant| variant.name == name)
    }

    /// The descriptor of one variant: its kind, and of settings and durability what is for it. Its own arguments and
    /// settings become a setting of their own.
    pub fn of_variant(&self, name: Option<&str>) -> StoreDescriptor {
        let Some(variant) = self.variants.iter().find(|variant| Some(variant.name.as_str()) == name) else {
            return self.clone();
        };
        let mut store = self.clone();
        let is_for = |variants: &[String]| variants.is_empty() || variants.contains(&variant.name);
        store.durability.retain(|setting| is_for(&setting.variants));
        store.settings.retain(|setting| is_for(&setting.variants));
        store.undoing.retain(|setting| is_for(&setting.variants));
        store.kind = variant.kind.unwrap_or(store.kind);
        store.keeps_columns = variant.keeps_columns.unwrap_or(store.keeps_columns);
        if !(variant.args.is_empty() && variant.settings.is_empty() && variant.expect.is_empty()) {
            store.settings.push(Setting {
                name: format!("variant: {}", variant.name),
                reason: variant.summary.clone(),
                profile: StoreProfile::Default,
                source: None,
                variants: Vec::new(),
                args: variant.args.clone(),
                settings: variant.settings.clone(),
                expect: variant.expect.clone(),
            });
        }
        store.variants = vec![variant.clone()];
        store
    }

    /// Whether it has settings of the profile `tuned`.
    pub fn is_tunable(&self) -> bool {
        self.settings.iter().any(|setting| setting.profile == StoreProfile::Tuned)
    }

    /// The descriptor with the settings of one profile.
    pub fn of_profile(mut self, profile: StoreProfile) -> StoreDescriptor {
        self.settings.retain(|setting| setting.profile == StoreProfile::Default || setting.profile == profile);
        self
    }

    /// The descriptor as a client can have it.
    pub fn by_client(mut self, name: &str) -> StoreDescriptor {
        self.durability.retain(|setting| setting.clients.is_empty() || setting.clients.iter().any(|one| one == name));
        self
    }

    /// The descriptor as a driver can have it, which may not be able to give every setting.
    pub fn by_driver(mut self, driver: Option<&ClientDriver>) -> StoreDescriptor {
        let Some(driver) = driver else { return self };
        if let Some(given) = driver.durability.get(&self.name) {
            self.durability.retain(|setting| given.contains(&setting.name));
        }
        if let Some(lacking) = driver.without.get(&self.name) {
            self.settings.retain(|setting| !lacking.contains(&setting.name));
        }
        self
    }

    /// Why a server that tells this of itself is not this store, but another one that speaks its protocol. One that tells
    /// nothing is believed.
    pub fn is_another(&self, info: &BTreeMap<String, String>) -> Option<Message> {
        let is = |identity: &[Identity]| identity.iter().any(|one| one.is_told(info));
        if is(&self.identity) {
            return None;
        }
        let store = &self.title;
        if let Some(other) = self.kin.iter().find(|other| is(&other.identity)) {
            return Some(message!(store_file_is_another, server = &other.title, store, name = &other.name));
        }
        let first = self.identity.first().filter(|_| info.contains_key("version"))?;
        let plain = self.kin.iter().find(|other| other.identity.is_empty());
        let hint = plain.map(|it| message!(store_file_use, store = &it.title, name = &it.name));
        let reported = info.keys().filter(|name| name.contains("version") || name.contains("name"));
        let reported: Vec<&str> = reported.map(String::as_str).collect();
        Some(message!(store_file_not_known, store, key = &first.told, reported, hint))
    }

    /// Why a server at an address that tells this of itself cannot be measured. What is not told refuses nothing.
    pub fn unsuitable(&self, told: &BTreeMap<String, String>) -> Option<Message> {
        self.unsuitable.iter().find_map(|one| {
            let value = told.get(&one.told)?;
            let fits = one.unless.iter().any(|fit| fit.eq_ignore_ascii_case(value));
            (!fits).then(|| message!(store_file_unsuitable, reason = &one.reason, key = &one.told, value))
        })
    }
}

/// Keys of which one says nothing without the others.
fn together<const N: usize>(keys: [&str; N]) -> Option<Message> {
    Some(message!(store_file_together, keys = keys.map(str::to_string)))
}

/// What is wrong with what is said about a store.
fn problem_of(about: &About, is_served: bool) -> Option<Message> {
    let needs =
        |key: &str, needed: [&str; 2]| Some(message!(store_file_needs, key, needed = needed.map(str::to_string)));
    if (about.form == Form::Server) != is_served {
        return together(["about.form = \"server\"", "[service]"]);
    }
    let released = [&about.released, &about.released_version, &about.released_source];
    if released.iter().any(|one| one.is_some()) && !released.iter().all(|one| one.is_some()) {
        return together(["about.released", "about.released_version", "about.released_source"]);
    }
    if let Some(value) = about.released.as_ref().filter(|_| about.released_year().is_none()) {
        let problem = message!(study_invalid, value, expected = message!(study_a_date));
        return Some(message!(study_in, origin = "about.released", problem));
    }
    if (about.status == SupportStatus::Maintained) != about.status_source.is_none() {
        return Some(message!(store_file_status_source));
    }
    if about.isolation.is_none() || about.isolation_source.is_none() {
        return needs("about", ["isolation", "isolation_source"]);
    }
    if about.forgets.is_empty() != about.forgets_source.is_none() {
        return together(["about.forgets", "about.forgets_source"]);
    }
    let reasoned = about.plain_reason.is_some() && about.plain_source.is_some();
    match about.plain_choice.is_some() && !reasoned {
        true => needs("about.plain_choice", ["plain_reason", "plain_source"]),
        false => None,
    }
}

#[cfg(test)]
#[path = "store_tests.rs"]
mod tests;
