//! What an app is, as data: `apps/<name>/app.toml`. It is a service that stands before a store and is asked in its place.

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_protocol::Operation;
use kurabe_service::ServiceSpec;
use serde::Deserialize;

use crate::client::{ClientBuild, ClientName, Interpreter, add};
use crate::error::{StudyError, unknown, unlisted};
use crate::store::StoreDescriptor;
use crate::toml_text;

/// What stands for every store.
const EVERY: &str = "*";

/// An app's descriptor.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppDescriptor {
    /// Name, that of its folder.
    pub name: String,
    /// Whether it stands in for a built-in app of its name.
    #[serde(default)]
    pub replaces: bool,
    /// Title for people.
    pub title: String,
    /// What it is, in a sentence.
    pub summary: String,
    /// Where it comes from.
    pub homepage: String,
    /// Licence.
    pub licence: String,
    /// Whether it answers calls; else the store's own client does that, beside it.
    #[serde(default)]
    pub answers_calls: bool,
    /// The stores before which it can stand; none where it stands before other services.
    #[serde(default)]
    pub before: Vec<Before>,
    /// Whether it stands before another service, whatever that is, and knows nothing of stores.
    #[serde(default)]
    pub is_proxy: bool,
    /// Whether it does nothing but let so much through as a slow line would: its processor time is told apart.
    #[serde(default)]
    pub is_bandwidth_limit: bool,
    /// How many processors it can use at most, where its program says so itself: one, where one thread does the work.
    #[serde(default)]
    pub cores: Option<u32>,
    /// What a candidate may set of it, among its settings.
    #[serde(default, rename = "option")]
    pub options: Vec<AppOption>,
    /// Whether it speaks no HTTP, so that another one must stand before it.
    #[serde(default)]
    pub needs_proxy: bool,
    /// The client whose adapters it uses; `{client}` in its build is their folder.
    #[serde(default)]
    pub client: Option<String>,
    /// The folder of its sources, where they do not travel in the binary.
    #[serde(skip)]
    pub folder: Option<std::path::PathBuf>,
    /// Files that must be there beside its programs, with at most one `*` in each part of their paths.
    #[serde(default)]
    pub needs: Vec<String>,
    /// By a client of `before`: a command that succeeds where the libraries of that client are here. The package manager
    /// may not get an old one; all else works without it.
    #[serde(default)]
    pub probe: BTreeMap<String, Vec<String>>,
    /// The command that installs what it needs.
    #[serde(default)]
    pub install: Option<String>,
    /// Programs that its build names.
    #[serde(default, rename = "interpreter")]
    pub interpreters: BTreeMap<String, Interpreter>,
    /// How it is built, where its sources cannot run as they are; `{app}` is their folder.
    #[serde(default)]
    pub build: Option<ClientBuild>,
    /// How it is found, started and stopped. `{built}` is the folder of what was built, `{driver}` that of its client,
    /// `{kurabe}` is this binary, `{job}` a file with the job of its store (none for a proxy), `{upstream}` the address of
    /// what it stands before, where that is a service.
    pub service: ServiceSpec,
}

/// A setting of an app.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppOption {
    /// Name among the settings of a candidate.
    pub name: String,
    /// What it can be, the usual one first.
    pub values: Vec<String>,
}

/// Stores before which an app can stand, and how.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Before {
    /// Their names; that of a protocol means all that speak it, `*` all.
    pub stores: Vec<String>,
    /// By which clients it drives them, the usual one first.
    pub clients: Vec<String>,
    /// What it can do; where absent it tells so itself.
    #[serde(default)]
    pub operations: Option<Vec<Operation>>,
}

impl AppDescriptor {
    /// Reads a descriptor.
    pub(crate) fn parse(origin: &str, text: &str) -> Result<AppDescriptor, StudyError> {
        let app: AppDescriptor = toml_text::read(origin, text)?;
        let lacks = app.before.is_empty() != app.is_proxy;
        if app.is_bandwidth_limit && !app.is_proxy {
            return Err(StudyError::value(origin, message!(definitions_link_is_proxy)));
        }
        if lacks || app.before.iter().any(|before| before.clients.is_empty()) {
            return Err(StudyError::value(origin, message!(definitions_app_before)));
        }
        let clients: Vec<&String> = app.before.iter().flat_map(|before| &before.clients).collect();
        if let Some(name) = app.probe.keys().find(|name| !clients.contains(name)) {
            return Err(StudyError::value(origin, unknown("client", name, &clients)));
        }
        Ok(app)
    }

    /// Takes a store before others of whose protocol it stands.
    pub(crate) fn stand_before(&mut self, store: &StoreDescriptor) {
        for before in &mut self.before {
            add(&mut before.stores, store.wire(), &store.name);
        }
    }

    /// How it stands before a store; `None` where it cannot.
    pub fn before(&self, store: &str) -> Option<&Before> {
        self.before.iter().find(|before| before.stores.iter().any(|name| name == store || name == EVERY))
    }

    /// What is wrong with the settings of a candidate that are for it.
    pub(crate) fn problem(&self, asked: &BTreeMap<String, String>) -> Option<Message> {
        self.options.iter().find_map(|option| {
            let value = asked.get(&option.name).filter(|value| !option.values.contains(value))?;
            let (origin, problem) = (format!("settings.{}", option.name), unlisted(value, &option.values));
            Some(message!(study_in, origin, problem))
        })
    }

    /// Names of the stores before which it can stand.
    pub fn stores(&self) -> Vec<String> {
        self.before.iter().flat_map(|before| before.stores.clone()).collect()
    }
}

impl Before {
    /// Whether it drives them by this client.
    pub fn has_client(&self, name: &ClientName) -> bool {
        self.clients.iter().any(|known| *known == name.to_string() || *known == name.client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_is_for_a_client_by_which_the_app_drives_a_store() {
        let text = include_str!("../../../apps/express/app.toml");
        let app = AppDescriptor::parse("app.toml", text).expect("an app");
        assert!(app.probe.contains_key("node:read-last-lines-1.8"));
        let wrong = text.replace("\"node:read-last-lines-1.8\" = [", "\"node:read-last-lines-1.9\" = [");
        let said = AppDescriptor::parse("app.toml", &wrong).expect_err("no such client").to_string();
        assert!(said.starts_with("app.toml: unknown client 'node:read-last-lines-1.9'; did you mean"), "{said}");
    }
}
