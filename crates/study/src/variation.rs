//! Variations: named patches of a study.
//!
//! A value of an axis and a pitfall are both one. What either changes of the work (rows and phases) makes
//! configurations, what it changes of candidates makes candidates; how variations combine is the design of their axis.
//! A key may be given one value only: two variations at once that want different ones are a mistake of the study, and
//! not decided by their order.

use std::collections::BTreeMap;

use kurabe_record::{MinimumDurability, PITFALL, ServiceOutput, StoreProfile};
use serde::Deserialize;

use crate::candidate::{CandidateSpec, Typed, parse_candidate, setting_text, with_driver};
use crate::catalogue::Catalogue;
use crate::client::ClientName;
use crate::error::{StudyError, suggestion};
use crate::toml_text::Placed;

/// A named patch, as `[[axis.variation]]` has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variation {
    pub(crate) name: Placed<String>,
    #[serde(rename = "change")]
    pub(crate) changes: Vec<Placed<Change>>,
}

/// A part of a patch: what it changes, and for whom.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Change {
    /// For whom; for every store where it is absent.
    #[serde(default)]
    pub(crate) stores: Option<Vec<String>>,
    /// Which phase.
    #[serde(default)]
    pub(crate) phase: Option<Placed<String>>,
    /// Keys of that phase. One with an `operation` replaces the work whole.
    #[serde(default)]
    pub(crate) set: Option<toml::Table>,
    /// Phases that are left out.
    #[serde(default)]
    pub(crate) without: Vec<String>,
    /// Keys of the study that say what a row is, and how many there are (`rows`).
    #[serde(default)]
    pub(crate) rows: toml::Table,
    /// Another client, or driver of it.
    #[serde(default)]
    pub(crate) client: Option<String>,
    /// A service that stands before all others.
    #[serde(default)]
    pub(crate) proxy: Option<String>,
    /// Settings for the adapter or client, or for the service before the store.
    #[serde(default)]
    pub(crate) settings: BTreeMap<String, toml::Value>,
    /// Arguments for the service.
    #[serde(default)]
    pub(crate) args: Vec<String>,
    /// Name of the durability setting.
    #[serde(default)]
    pub(crate) durability: Option<String>,
    /// Where the service writes what it has to say.
    #[serde(default)]
    pub(crate) output: Option<ServiceOutput>,
    /// A minimum durability of its own.
    #[serde(skip)]
    pub(crate) minimum: Option<MinimumDurability>,
    /// A profile of its own.
    #[serde(skip)]
    pub(crate) profile: Option<StoreProfile>,
}

/// A change, the words for the variation that it is of, and where in the study it stands.
#[derive(Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) of: &'a str,
    pub(crate) change: &'a Change,
    pub(crate) at: Option<usize>,
}

/// What variations have set so far: the key, its value and who set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claimed(BTreeMap<String, (String, String)>);

impl Claimed {
    /// Leaves out of a change the keys of the work that a pitfall has set.
    pub(crate) fn leave_to_pitfall(&self, change: &mut Change) {
        let is_left = |key: &String| self.0.get(key).is_some_and(|(_, by)| by.starts_with(PITFALL));
        change.rows.retain(|key, _| !is_left(&of_rows(key)));
        if let (Some(phase), Some(set)) = (&change.phase, &mut change.set) {
            set.retain(|key, _| !is_left(&of_phase(key, &phase.value)));
        }
    }

    /// Whether a key of candidates that a change sets has been set.
    pub(crate) fn has_any(&self, change: &Change) -> bool {
        change.of_candidates().iter().any(|(key, _)| self.0.contains_key(key))
    }

    /// Notes that a variation sets a key.
    ///
    /// # Errors
    /// Another one has set it to another value.
    pub(crate) fn set(&mut self, key: String, value: impl ToString, of: &str) -> Result<(), String> {
        let value = value.to_string();
        match self.0.get(&key) {
            Some((other, by)) if *other != value => {
                if by == of {
                    return Err(format!("{of} sets {key} twice, to {other} and to {value}; leave one of them out"));
                }
                let way = match [by.as_str(), of].iter().all(|one| one.starts_with(PITFALL)) {
                    true => "alone = true keeps one of them out of what is measured together",
                    false => "leave one of them out",
                };
                Err(format!("{by} and {of} both set {key}, to {other} and to {value}; {way}"))
            }
            _ => {
                self.0.insert(key, (value, of.to_string()));
                Ok(())
            }
        }
    }
}

/// How a key of the rows is claimed.
pub(crate) fn of_rows(key: &str) -> String {
    format!("'{key}'")
}

/// How a key of a phase is claimed.
pub(crate) fn of_phase(key: &str, phase: &str) -> String {
    format!("'{key}' of phase '{phase}'")
}

impl Change {
    /// Whether it changes what all candidates do.
    pub(crate) fn is_of_work(&self) -> bool {
        self.phase.is_some() || self.set.is_some() || !self.without.is_empty() || !self.rows.is_empty()
    }

    /// Whether it changes what a candidate is.
    pub(crate) fn is_of_candidates(&self) -> bool {
        !self.of_candidates().is_empty()
    }

    /// What it changes of a candidate: keys and values.
    fn of_candidates(&self) -> Vec<(String, String)> {
        let settings = self.settings.iter().map(|(name, value)| (format!("settings.{name}"), value.to_string()));
        let words = [
            ("client", self.client.clone()),
            ("proxy", self.proxy.clone()),
            ("args", (!self.args.is_empty()).then(|| self.args.join(" "))),
            ("durability", self.durability.clone().or(self.minimum.map(|one| one.words().to_string()))),
            ("profile", self.profile.map(|one| one.to_string())),
            ("output", self.output.map(|one| one.to_string())),
        ];
        let given = words.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?)));
        given.chain(settings).map(|(key, value)| (format!("'{key}'"), value)).collect()
    }

    /// Whom it is for: candidates of the study's own, which are `named`, or stores that there are.
    pub(crate) fn check_stores(&self, catalogue: &Catalogue, named: &[String]) -> Result<(), String> {
        let Some(stores) = &self.stores else { return Ok(()) };
        if stores.is_empty() {
            return Err("stores = [] is for nobody; leave it out for every store".into());
        }
        let is_known = |name: &&String| named.contains(name) || parse_candidate(catalogue, name).is_ok();
        match stores.iter().find(|name| !is_known(name)) {
            Some(name) => {
                let stores = catalogue.stores().iter().map(|store| store.name.clone());
                let known: Vec<String> = named.iter().cloned().chain(stores).collect();
                // Behind it may be an address with a password.
                let name = Typed::of(name).name;
                Err(format!("there is no store '{name}'{}", suggestion(name, &known)))
            }
            None => Ok(()),
        }
    }

    /// Whether it is for a candidate.
    pub(crate) fn concerns(&self, candidate: &CandidateSpec) -> bool {
        self.stores.as_ref().is_none_or(|names| names.iter().any(|name| is_named(name, candidate)))
    }
}

impl CandidateSpec {
    /// Takes what a change has for candidates; the inner error is the reason why it cannot be that.
    pub(crate) fn patch(
        &mut self,
        catalogue: &Catalogue,
        Part { of, change, .. }: Part<'_>,
    ) -> Result<Result<(), String>, StudyError> {
        let store = catalogue.store(&self.store)?.of_variant(self.variant.as_deref());
        for (key, value) in change.of_candidates() {
            let claim = self.claimed.set(key, value, of);
            claim.map_err(|problem| StudyError::value(&format!("'{}'", self.name), problem))?;
        }
        let mut take = || -> Result<(), String> {
            if let Some(client) = &change.client {
                let asked = ClientName::of(client);
                let lacks = || format!("{} has no client '{client}'", store.title);
                self.client = match self.app.is_empty() {
                    // What stands before a store says what it drives it by: it is looked at with the whole candidate.
                    false => asked,
                    true if !catalogue.drives(&asked.client, &store) => return Err(lacks()),
                    true => with_driver(catalogue, &store.name, &asked).map_err(|_| lacks())?,
                };
            }
            self.is_baseline |= catalogue.is_load_tool(&self.client.client);
            if let Some(proxy) = &change.proxy {
                self.app.push(proxy.clone());
            }
            for (name, value) in &change.settings {
                self.settings.insert(name.clone(), setting_text(name, value)?);
            }
            self.args.extend(change.args.iter().cloned());
            if let Some(minimum) = change.minimum {
                self.minimum = Some(minimum);
                if store.durability_for(minimum).is_none() {
                    return Err(format!("{} has no setting of durability '{}'", store.title, minimum.words()));
                }
            }
            if let Some(name) = &change.durability {
                self.durability = Some(name.clone());
            }
            if let Some(profile) = change.profile {
                self.profile = Some(profile);
                if profile == StoreProfile::Tuned && !store.is_tunable() {
                    return Err(format!("{} has no settings of the profile 'tuned'", store.title));
                }
            }
            self.output = change.output.unwrap_or(self.output);
            Ok(())
        };
        Ok(take())
    }
}

/// Whether a name of a change means a candidate: its own name, or its store with or without the variant.
fn is_named(name: &str, candidate: &CandidateSpec) -> bool {
    let store = match &candidate.variant {
        Some(variant) => format!("{}:{variant}", candidate.store),
        None => candidate.store.clone(),
    };
    let base = candidate.base.as_deref().unwrap_or(&candidate.name);
    if !candidate.app.is_empty() {
        // What is meant by a store alone is the store without anything before it.
        return [candidate.name.as_str(), base].contains(&name);
    }
    [candidate.name.as_str(), base, &candidate.store, &store].contains(&name)
}
