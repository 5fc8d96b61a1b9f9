//! Candidates as they are typed, `STORE[:VARIANT][+CLIENT[:DRIVER]][/APP…[+TOOL]][@URL]`, and as a table
//! `[[candidate]]` of a study.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kurabe_messages::{Message, message};
use kurabe_record::{Factor, MinimumDurability, ServiceOutput, StoreProfile, Transport};
use serde::Deserialize;

use crate::address::Address;
use crate::catalogue::{Catalogue, RUST};
use crate::client::{ClientDescriptor, ClientName};
use crate::error::{StudyError, named, unknown, without_controls};
use crate::store::StoreDescriptor;
use crate::variation::Claimed;

/// A candidate as it was asked for, checked against what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateSpec {
    /// Name in tables: what was typed, without user and password of the address; or the name of the table.
    pub name: String,
    /// Whether it is a table of a study: then its name says nothing about it.
    pub from_table: bool,
    /// Store.
    pub store: String,
    /// Variant.
    pub variant: Option<String>,
    /// Client and driver.
    pub client: ClientName,
    /// Whether the client was asked for by name.
    pub client_is_asked: bool,
    /// Services that stand before the store, from it outwards: then the last one is asked in its place, and the client is
    /// what the first one drives the store by.
    pub app: Vec<String>,
    /// The load tool that asks the last of these, in place of Kurabe's own client.
    pub asked_by: Option<String>,
    /// Address of a running server. It may hold a password: never print it.
    pub url: Option<String>,
    /// Whether the study names it among its baselines, whatever it is, or a load tool drives it: a baseline without a
    /// place.
    pub is_baseline: bool,
    /// Name of the durability setting, instead of the one that the minimum asks for.
    pub durability: Option<String>,
    /// A minimum durability of its own, instead of the study's.
    pub minimum: Option<MinimumDurability>,
    /// A profile of its own, instead of the study's.
    pub profile: Option<StoreProfile>,
    /// Further settings for the adapter.
    pub settings: BTreeMap<String, String>,
    /// Further arguments for the service.
    pub args: Vec<String>,
    /// Where its service writes what it says.
    pub output: ServiceOutput,
    /// The service's main program, or the store's library, instead of the one that is found.
    pub binary: Option<PathBuf>,
    /// Name of the candidate that it was made from, where an axis or a pitfall made it.
    pub base: Option<String>,
    /// Its values of the axes that make candidates, and of [`PITFALL`](kurabe_record::PITFALL); empty where there is
    /// none.
    pub factors: Vec<Factor>,
    /// Why it cannot be what an axis asks of it; then it takes no part.
    pub cannot: Option<Message>,
    /// What axes have set of it.
    pub(crate) claimed: Claimed,
}

/// A candidate as it is typed, in its parts.
pub(crate) struct CandidateText<'a> {
    /// What stands before the `@`.
    pub(crate) name: &'a str,
    store: &'a str,
    variant: Option<&'a str>,
    client: Option<&'a str>,
    app: Option<&'a str>,
    asked_by: Option<&'a str>,
    /// What stands behind it.
    pub(crate) url: Option<&'a str>,
}

impl<'a> CandidateText<'a> {
    pub(crate) fn of(text: &'a str) -> CandidateText<'a> {
        let split =
            |text: &'a str, at: char| text.split_once(at).map_or((text, None), |(head, rest)| (head, Some(rest)));
        let (name, url) = split(text, '@');
        let (inner, app) = split(name, '/');
        let (rest, client) = split(inner, '+');
        let (store, variant) = split(rest, ':');
        let (app, asked_by) = app.map_or((None, None), |app| {
            let (app, asked_by) = split(app, '+');
            (Some(app), asked_by)
        });
        CandidateText { name, store, variant, client, app, asked_by, url }
    }

    /// Whether store, variant, client and app are all known.
    pub(crate) fn is_known(&self, catalogue: &Catalogue) -> bool {
        parts(catalogue, self.store, self.variant, self.client, &self.app()).is_ok()
            && check_asker(catalogue, self.asked_by, &self.app(), "").is_ok()
    }

    fn app(&self) -> Vec<String> {
        self.app.into_iter().flat_map(|app| app.split('/')).map(str::to_string).collect()
    }
}

/// Reads `STORE[:VARIANT][+CLIENT[:DRIVER]][/APP…[+TOOL]][@URL]`. Nothing of an address is in the words of a mistake.
pub fn parse_candidate(catalogue: &Catalogue, text: &str) -> Result<CandidateSpec, StudyError> {
    let typed = CandidateText::of(text);
    if typed.name.contains("://") {
        return Err(StudyError::Other(message!(study_candidate_bare_address)));
    }
    // The address first: where it is none, what stands before the '@' may be a part of it.
    catalogue.store(typed.store)?;
    let of_store = format!("'{}@…'", typed.store);
    let shown = typed.url.map(|url| address(&of_store, url).map(|address| address.shown())).transpose()?;
    let app = typed.app();
    let (store, variant, client) = parts(catalogue, typed.store, typed.variant, typed.client, &app)?;
    let origin = if typed.url.is_some() { format!("'{}@…'", typed.name) } else { format!("'{}'", typed.name) };
    check_address(store, typed.url, &app, &origin)?;
    check_asker(catalogue, typed.asked_by, &app, &origin)?;
    let name = shown.map_or_else(|| typed.name.to_string(), |url| format!("{}@{url}", typed.name));
    let (client_is_asked, url) = (typed.client.is_some(), typed.url.map(str::to_string));
    let asked_by = typed.asked_by.map(str::to_string);
    let is_baseline = asked_by.is_some() || catalogue.is_load_tool(&client.client);
    let spec = CandidateSpec::new(name, &store.name, variant, client);
    Ok(CandidateSpec { client_is_asked, app, asked_by, url, is_baseline, ..spec })
}

/// The store that is any service over HTTP: who drives it asks an app too.
const AT_URL: &str = "url";

/// The store, the variant and the client that are meant, all of them and the app known.
fn parts<'a>(
    catalogue: &'a Catalogue,
    store_name: &str,
    variant: Option<&str>,
    client: Option<&str>,
    app: &[String],
) -> Result<(&'a StoreDescriptor, Option<String>, ClientName), StudyError> {
    let store = catalogue.store(store_name)?;
    if let Some(variant) = variant.filter(|variant| !store.has_variant(variant)) {
        return Err(StudyError::Unknown {
            what: "variant",
            name: format!("{store_name}:{variant}"),
            known: store.variants.iter().map(|known| format!("{store_name}:{}", known.name)).collect(),
        });
    }
    let asked = client.map(ClientName::of);
    let asked = match client_of_app(catalogue, store_name, asked.clone(), app)? {
        Some(client) => return Ok((store, variant_of(store, variant), client)),
        None => asked.unwrap_or_else(|| ClientName::of(&store.clients[0])),
    };
    let name = &asked.client;
    if !catalogue.drives(name, store) {
        if let Some(client) = catalogue.client(name) {
            let stores = &client.stores;
            let problem = message!(study_candidate_not_driven, client = name, store = store_name, stores);
            return Err(StudyError::value(&format!("'{store_name}+{asked}'"), problem));
        }
        return Err(StudyError::Unknown {
            what: "client",
            name: format!("{store_name}+{name}"),
            known: store.clients.iter().map(|known| format!("{store_name}+{known}")).collect(),
        });
    }
    let client = with_driver(catalogue, store_name, &asked)?;
    Ok((store, variant_of(store, variant), client))
}

/// The variant that is meant: the first where none is named.
fn variant_of(store: &StoreDescriptor, asked: Option<&str>) -> Option<String> {
    asked.or(store.variants.first().map(|first| first.name.as_str())).map(str::to_string)
}

/// The client by which the first service of an app drives the store; `None` where there is no app.
fn client_of_app(
    catalogue: &Catalogue,
    store: &str,
    asked: Option<ClientName>,
    app: &[String],
) -> Result<Option<ClientName>, StudyError> {
    let Some((first, proxies)) = app.split_first() else { return Ok(None) };
    let problem = |name: &str, words: Message| Err(StudyError::value(&format!("'{store}/{name}'"), words));
    for name in proxies {
        let proxy = catalogue.app(name)?;
        if !proxy.is_proxy {
            return problem(name, message!(study_candidate_not_proxy, app = &proxy.title));
        }
    }
    let descriptor = catalogue.app(first)?;
    let app = &descriptor.title;
    if descriptor.is_proxy {
        let example = format!("{store}/serve/{first}");
        return problem(first, message!(study_candidate_is_proxy, app, example));
    }
    // What only lets things through makes no HTTP of them.
    let speaks = |name: &String| catalogue.app(name).is_ok_and(|proxy| !proxy.is_bandwidth_limit);
    if descriptor.needs_proxy && !proxies.first().is_some_and(speaks) {
        let example = format!("{store}/{first}/nginx");
        return problem(first, message!(study_candidate_needs_proxy, app, example));
    }
    let Some(before) = descriptor.before(store) else {
        return problem(first, message!(study_candidate_app_store, app, store, stores = descriptor.stores()));
    };
    let chosen = asked.unwrap_or_else(|| ClientName::of(&before.clients[0]));
    if !before.has_client(&chosen) {
        let clients = &before.clients;
        return problem(first, message!(study_candidate_app_client, app, store, clients, client = chosen));
    }
    Ok(Some(chosen))
}

/// A client with the driver that is meant, where it has several for the store. The usual one of the Rust client goes without
/// its name: `rust` is the same in every store.
pub(crate) fn with_driver(catalogue: &Catalogue, store: &str, asked: &ClientName) -> Result<ClientName, StudyError> {
    let (name, driver) = (&asked.client, asked.driver.as_deref());
    let by = |driver: Option<&str>| ClientName { client: name.clone(), driver: driver.map(str::to_string) };
    let drivers = catalogue.drivers(name, store);
    let chosen = drivers.iter().position(|known| driver.is_none_or(|driver| driver == *known));
    match (driver, chosen) {
        (_, Some(0)) if name == RUST => Ok(by(None)),
        (_, Some(chosen)) => Ok(by(Some(drivers[chosen]))),
        (None, None) => Ok(by(None)),
        (Some(driver), None) if drivers.is_empty() => {
            Err(StudyError::value(&format!("'{store}+{name}:{driver}'"), message!(study_candidate_one_driver)))
        }
        (Some(driver), None) => Err(StudyError::Unknown {
            what: "driver",
            name: format!("{store}+{name}:{driver}"),
            known: drivers.iter().map(|known| format!("{store}+{name}:{known}")).collect(),
        }),
    }
}

/// Whether an address stands where one can, and is there where one must.
fn check_address(store: &StoreDescriptor, url: Option<&str>, app: &[String], origin: &str) -> Result<(), StudyError> {
    let problem = match url {
        Some(_) if !app.is_empty() => message!(study_candidate_app_address),
        Some(_) if store.service.is_none() && !store.at_address_only => {
            message!(study_candidate_no_server, store = &store.title)
        }
        None if store.at_address_only => message!(study_candidate_needs_address),
        _ => return Ok(()),
    };
    Err(StudyError::value(origin, problem))
}

/// Whether whoever is named to ask a service is a load tool that asks services.
fn check_asker(catalogue: &Catalogue, asked_by: Option<&str>, app: &[String], origin: &str) -> Result<(), StudyError> {
    let Some(name) = asked_by else { return Ok(()) };
    if app.is_empty() {
        return Err(StudyError::value(origin, message!(study_candidate_asked_by)));
    }
    let asks = |client: &&ClientDescriptor| client.load_tool && client.stores.iter().any(|store| store == AT_URL);
    let known = || catalogue.clients().iter().filter(asks);
    match known().any(|client| client.name == name) {
        true => Ok(()),
        false => Err(StudyError::Unknown {
            what: "load-tool",
            name: name.to_string(),
            known: known().map(|client| client.name.clone()).collect(),
        }),
    }
}

/// Every store of the catalogue in each of its variants, driven by its first client.
pub(crate) fn every_candidate(catalogue: &Catalogue) -> Result<Vec<CandidateSpec>, StudyError> {
    let names = catalogue.stores().iter().flat_map(|store| match store.variants.as_slice() {
        [] => vec![store.name.clone()],
        variants => variants.iter().map(|variant| format!("{}:{}", store.name, variant.name)).collect(),
    });
    names.map(|name| parse_candidate(catalogue, &name)).collect()
}

/// A candidate as a table of a study: `[[candidate]]`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CandidateTable {
    name: String,
    store: String,
    #[serde(default)]
    variant: Option<String>,
    #[serde(default)]
    client: Option<String>,
    #[serde(default)]
    app: Vec<String>,
    #[serde(default)]
    asked_by: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    durability: Option<String>,
    #[serde(default)]
    settings: BTreeMap<String, toml::Value>,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    output: ServiceOutput,
    #[serde(default)]
    binary: Option<PathBuf>,
}

/// Longest name of a candidate: what a table on a terminal shows of one.
const MAX_NAME_CHARS: usize = 40;

impl CandidateTable {
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether it says how a candidate that was typed is to run: one of its name, or of its store and variant, whoever drives
    /// it, where the table leaves that open.
    fn is_about(&self, typed: &CandidateSpec, catalogue: &Catalogue) -> bool {
        let is_open = self.client.is_none() && self.app.is_empty() && typed.app.is_empty();
        let variant = || Some(variant_of(catalogue.store(&self.store).ok()?, self.variant.as_deref()));
        let is_same = || self.store == typed.store && variant().is_some_and(|variant| variant == typed.variant);
        self.url.is_none() && typed.url.is_none() && (self.name == typed.name || (is_open && is_same()))
    }

    /// Gives a candidate that was typed what a table of the study says of how it is to run. Where several tables could be
    /// meant, none is.
    pub(crate) fn lend(
        tables: &[CandidateTable],
        typed: &mut CandidateSpec,
        catalogue: &Catalogue,
        origin: &str,
    ) -> Result<(), StudyError> {
        let about: Vec<&CandidateTable> = tables.iter().filter(|table| table.is_about(typed, catalogue)).collect();
        let table = match about.as_slice() {
            [one] => one,
            several => match several.iter().find(|table| table.name == typed.name) {
                Some(named) => named,
                None => return Ok(()),
            },
        };
        let CandidateSpec { durability, settings, args, output, binary, .. } = table.check(catalogue, origin)?;
        (typed.durability, typed.settings, typed.args) = (durability, settings, args);
        (typed.output, typed.binary) = (output, binary);
        Ok(())
    }

    /// The candidate, checked. `origin` is the study's file.
    pub(crate) fn check(&self, catalogue: &Catalogue, origin: &str) -> Result<CandidateSpec, StudyError> {
        let part = || named("candidate", &without_controls(&self.name));
        self.checked(catalogue, origin).map_err(|error| error.within(origin, part()))
    }

    fn checked(&self, catalogue: &Catalogue, origin: &str) -> Result<CandidateSpec, StudyError> {
        let problem = |problem: Message| StudyError::value(origin, problem);
        let chars = self.name.chars().count();
        if self.name.trim().is_empty() || chars > MAX_NAME_CHARS || self.name.chars().any(char::is_control) {
            return Err(problem(message!(study_candidate_name, most = MAX_NAME_CHARS)));
        }
        let (asked_variant, asked_client) = (self.variant.as_deref(), self.client.as_deref());
        let (store, variant, client) = parts(catalogue, &self.store, asked_variant, asked_client, &self.app)?;
        let settings = self.settings.iter().map(|(name, value)| Ok((name.clone(), setting_text(name, value)?)));
        let settings = settings.collect::<Result<BTreeMap<_, _>, _>>().map_err(problem)?;
        let spec = CandidateSpec {
            from_table: true,
            client_is_asked: self.client.is_some(),
            app: self.app.clone(),
            asked_by: self.asked_by.clone(),
            url: self.url.clone(),
            durability: self.durability.clone(),
            settings,
            args: self.args.clone(),
            output: self.output,
            binary: self.binary.clone(),
            ..CandidateSpec::new(self.name.clone(), &store.name, variant, client)
        };
        spec.checked(catalogue, origin)
    }
}

/// The value of a setting as adapters and clients take it.
pub(crate) fn setting_text(name: &str, value: &toml::Value) -> Result<String, Message> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(_) | toml::Value::Float(_) | toml::Value::Boolean(_) => Ok(value.to_string()),
        _ => Err(message!(study_setting_type, name)),
    }
}

impl CandidateSpec {
    /// A store with a client, as it is without anything else.
    pub(crate) fn new(name: String, store: &str, variant: Option<String>, client: ClientName) -> CandidateSpec {
        CandidateSpec {
            name,
            from_table: false,
            store: store.to_string(),
            variant,
            client,
            client_is_asked: false,
            app: Vec::new(),
            asked_by: None,
            url: None,
            is_baseline: false,
            durability: None,
            minimum: None,
            profile: None,
            settings: BTreeMap::new(),
            args: Vec::new(),
            output: ServiceOutput::Log,
            binary: None,
            base: None,
            factors: Vec::new(),
            cannot: None,
            claimed: Claimed::default(),
        }
    }

    /// The candidate, with its driver by its usual name, where all that it says of a store has somebody to take it.
    pub(crate) fn checked(mut self, catalogue: &Catalogue, origin: &str) -> Result<CandidateSpec, StudyError> {
        let client = self.client.to_string();
        let (store, _, client) = parts(catalogue, &self.store, self.variant.as_deref(), Some(&client), &self.app)?;
        check_address(store, self.url.as_deref(), &self.app, origin)?;
        check_asker(catalogue, self.asked_by.as_deref(), &self.app, origin)?;
        let is_tool = catalogue.is_load_tool(&client.client);
        if store.at_address_only && !self.settings.is_empty() && is_tool {
            return Err(StudyError::value(origin, message!(study_candidate_plain_get, client)));
        }
        self.is_baseline |= is_tool || self.asked_by.is_some();
        match &self.url {
            Some(url) => self.check_at_url(store, url, origin)?,
            None => self.check_started(&store.of_variant(self.variant.as_deref()), origin)?,
        }
        let wrong = catalogue.client(&client.client).and_then(|client| client.problem(&self.settings));
        let apps = self.app.iter().filter_map(|name| catalogue.app(name).ok());
        if let Some(wrong) = wrong.or_else(|| apps.into_iter().find_map(|app| app.problem(&self.settings))) {
            return Err(StudyError::value(origin, wrong));
        }
        self.client = client;
        Ok(self)
    }

    /// A store at an address is taken as it is.
    fn check_at_url(&self, store: &StoreDescriptor, url: &str, origin: &str) -> Result<(), StudyError> {
        let given = [
            ("durability", self.durability.is_some()),
            ("settings", !self.settings.is_empty() && !store.at_address_only),
            ("args", !self.args.is_empty()),
            ("output", self.output != ServiceOutput::Log),
            ("binary", self.binary.is_some()),
        ];
        if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
            return Err(StudyError::value(origin, message!(study_candidate_at_address, key = *key)));
        }
        address(origin, url).map(drop)
    }

    /// What is given must have somebody to take it. `store` is as it is for the variant.
    fn check_started(&self, store: &StoreDescriptor, origin: &str) -> Result<(), StudyError> {
        let problem = |problem: Message| Err(StudyError::value(origin, problem));
        let title = &store.title;
        let known: Vec<&str> = store.durability.iter().map(|setting| setting.name.as_str()).collect();
        if let Some(name) = self.durability.as_deref().filter(|name| !known.contains(name)) {
            return problem(unknown("durability-setting", name, &known));
        }
        if store.service.is_none() {
            let given = [("args", !self.args.is_empty()), ("output", self.output != ServiceOutput::Log)];
            if let Some((key, _)) = given.into_iter().find(|(_, given)| *given) {
                return problem(message!(study_candidate_no_service, store = title, key));
            }
        }
        if self.binary.is_some() && store.service.is_none() && store.install.libraries.is_empty() {
            return problem(message!(study_candidate_built_in, store = title));
        }
        // Nobody vouches for durability that is mixed by hand.
        let mixed = store.durability.iter().find_map(|setting| {
            let in_settings = setting.settings.keys().find(|name| self.settings.contains_key(*name)).cloned();
            let theirs: Vec<String> = setting.args.iter().filter_map(|word| flag(word)).collect();
            let in_args = self.args.iter().find(|word| flag(word).is_some_and(|name| theirs.contains(&name)));
            let in_args = in_args.and_then(|word| word.split('=').next()).map(str::to_string);
            in_settings.or(in_args)
        });
        if let Some(name) = mixed {
            return problem(message!(study_candidate_durability, setting = name, known));
        }
        Ok(())
    }
}

/// What servers allow before the name of a setting and what means the same setting.
const FLAG_PREFIXES: [&str; 5] = ["loose-", "skip-", "disable-", "enable-", "maximum-"];

/// The name of the setting in a word of a server's arguments (`--name`, `name=value`, `-cname=value`), in the one spelling of
/// those that servers take for the same. What is spelt in yet another way is found when settings are read back.
fn flag(word: &str) -> Option<String> {
    let name = word.split_once('=').map(|(name, _)| name);
    let name = match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(long), _) => long.split('=').next()?,
        // A letter, and what belongs to it.
        (None, Some(_)) => name?.get(2..)?,
        (None, None) => name?,
    };
    let mut name = name.to_lowercase().replace('_', "-");
    while let Some(bare) = FLAG_PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)) {
        name = bare.to_string();
    }
    Some(name)
}

/// Reads the address of a candidate; what is wrong with it is told without a word of it.
fn address(origin: &str, url: &str) -> Result<Address, StudyError> {
    Address::parse(url).map_err(|error| StudyError::value(origin, error.message()))
}

impl CandidateSpec {
    /// Every host that a driver may connect to for this address.
    pub fn hosts(&self) -> Vec<String> {
        self.address().map(|address| address.hosts()).unwrap_or_default()
    }

    /// The address without user, password and query.
    pub fn shown_url(&self) -> Option<String> {
        self.address().map(|address| address.shown())
    }

    /// How the server at the address is reached; `None` where there is no address.
    pub fn reached_by(&self) -> Option<Transport> {
        self.address().map(|address| if address.is_socket() { Transport::Unix } else { Transport::Tcp })
    }

    fn address(&self) -> Option<Address> {
        self.url.as_deref().and_then(|url| Address::parse(url).ok())
    }
}

#[cfg(test)]
#[path = "candidate_tests.rs"]
mod tests;
