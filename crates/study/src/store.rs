//! What a store is, as data: `stores/<name>/store.toml`.

use std::collections::BTreeMap;

use kurabe_record::{Class, Floor, StoreKind};
use kurabe_service::ServiceSpec;
use serde::Deserialize;

use crate::error::{StudyError, toml_error};

/// A store's descriptor.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreDescriptor {
    /// Name, that of its folder.
    pub name: String,
    /// Title for people.
    pub title: String,
    /// Licence of the store itself.
    pub licence: String,
    /// Where to read about it.
    pub homepage: String,
    /// Whether it keeps data at all.
    pub kind: StoreKind,
    /// What it is and how it is driven here, in a sentence.
    pub summary: String,
    /// Clients that can drive it; the first is the default.
    pub clients: Vec<String>,
    /// Variants, such as engines; empty where there is one only.
    #[serde(default)]
    pub variants: Vec<String>,
    /// How it gets onto a machine.
    pub install: Install,
    /// Durability settings, from cheapest to dearest.
    pub durability: Vec<Durability>,
    /// Every other setting that is not the store's own default.
    #[serde(default, rename = "setting")]
    pub settings: Vec<Setting>,
    /// Its server, if it has one.
    #[serde(default)]
    pub service: Option<ServiceSpec>,
}

/// How a store gets onto a machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Install {
    /// How its presence is known.
    pub probe: Probe,
    /// The command on Debian and its relatives.
    #[serde(default)]
    pub debian: Option<String>,
    /// Where to look on other systems.
    #[serde(default)]
    pub other: Option<String>,
}

/// How the presence of a store is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Probe {
    /// It is compiled into the client.
    Builtin,
    /// The binaries of its service are found.
    Service,
}

/// A durability setting.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Durability {
    /// Name of the setting.
    pub name: String,
    /// What acknowledged writes survive.
    pub class: Class,
    /// What can be lost, in words.
    pub window: String,
    /// Whether the store ships like this.
    #[serde(default)]
    pub default: bool,
    /// It may corrupt or need a repair tool: never chosen by Kurabe.
    #[serde(default)]
    pub by_name_only: bool,
    /// Where that is documented.
    pub source: String,
    /// Why it is in the list.
    pub reason: String,
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

/// A setting that is not about durability.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// Name.
    pub name: String,
    /// Why.
    pub reason: String,
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
    /// Reads a descriptor and checks what the type cannot say.
    pub(crate) fn parse(origin: &str, text: &str) -> Result<StoreDescriptor, StudyError> {
        let store: StoreDescriptor = toml::from_str(text).map_err(|error| toml_error(origin, text, &error))?;
        let problem = |problem: String| Err(StudyError::value(origin, problem));
        if store.clients.is_empty() {
            return problem("'clients' must name at least one client".into());
        }
        let ordered = store.durability.iter().filter(|setting| !setting.by_name_only);
        if !ordered.map(|setting| setting.class).is_sorted() {
            return problem("durability settings must stand from cheapest to dearest class".into());
        }
        if store.durability.iter().filter(|setting| setting.default).count() > 1 {
            return problem("only one durability setting can be the default".into());
        }
        if (store.install.probe == Probe::Service) != store.service.is_some() {
            return problem("install.probe is 'service' exactly where there is a [service]".into());
        }
        Ok(store)
    }

    /// The cheapest setting that promises at least `floor`; `None` where the store cannot give it.
    pub fn durability_for(&self, floor: Floor) -> Option<&Durability> {
        let at_least =
            |class: Class| self.durability.iter().find(|setting| !setting.by_name_only && setting.class >= class);
        match floor {
            Floor::Default => self.durability.iter().find(|setting| setting.default).or(self.durability.first()),
            Floor::None => at_least(Class::None),
            Floor::Process => at_least(Class::Process),
            Floor::Power => at_least(Class::Power),
        }
    }
}
