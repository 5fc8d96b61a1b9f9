//! Variations: named patches of a study.
//!
//! There were four ways to vary a study: axes, pitfalls, candidate tables and flags. Each had its own types and its own
//! path through the analysis, and two of them could set one key. Now a value of an axis and a pitfall are both a list
//! of changes. What a variation changes of the work (rows and phases) makes configurations. What it changes of
//! candidates makes candidates. How variations combine is the design of their axis.
//!
//! A key may get one value only. Two variations that want different ones are a mistake of the study; their order
//! decides nothing. That refusal found two mistakes in our own studies (commit 8fb5c686).
//!
//! Four ways with checks against each other were the alternative: every new key needs the check in all of them. A
//! general template language can express anything, so nothing could be compared by factor.
//! docs/decisions/0013-variations-as-patches.md.

use std::collections::BTreeMap;

use kurabe_messages::{Message, message};
use kurabe_record::{MinimumDurability, ServiceOutput, StoreProfile};
use serde::Deserialize;

use crate::candidate::{CandidateSpec, CandidateText, parse_candidate, setting_text, with_driver};
use crate::catalogue::Catalogue;
use crate::client::ClientName;
use crate::error::{StudyError, named, quoted, unknown};
use crate::toml_text::Located;

/// A named patch, as `[[axis.variation]]` has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Variation {
    pub(crate) name: Located<String>,
    #[serde(rename = "change")]
    pub(crate) changes: Vec<Located<Change>>,
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
    pub(crate) phase: Option<Located<String>>,
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

/// What a variation is of: an axis or a pitfall, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Axis(String),
    Pitfall(String),
}

impl Cause {
    /// How mistakes name it.
    pub(crate) fn words(&self) -> Message {
        match self {
            Cause::Axis(name) => named("axis", name),
            Cause::Pitfall(name) => named("pitfall", name),
        }
    }

    fn is_pitfall(&self) -> bool {
        matches!(self, Cause::Pitfall(_))
    }
}

/// A change, what it is of, and where in the study it stands.
#[derive(Clone, Copy)]
pub(crate) struct VariationPart<'a> {
    pub(crate) cause: &'a Cause,
    pub(crate) change: &'a Change,
    pub(crate) at: Option<usize>,
}

/// A key that variations set.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ClaimedKey {
    /// Of the rows or of a candidate.
    Plain(String),
    /// Of a phase.
    Phase { key: String, phase: String },
}

impl ClaimedKey {
    pub(crate) fn of_phase(key: &str, phase: &str) -> ClaimedKey {
        ClaimedKey::Phase { key: key.to_string(), phase: phase.to_string() }
    }

    fn words(&self) -> Message {
        match self {
            ClaimedKey::Plain(key) => message!(study_phase_key, key),
            ClaimedKey::Phase { key, phase } => message!(study_phase_key_of, key, phase),
        }
    }
}

/// What variations have set so far: the key, its value and who set it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Claimed(BTreeMap<ClaimedKey, (Message, Cause)>);

impl Claimed {
    /// Leaves out of a change the keys of the work that a pitfall has set.
    pub(crate) fn leave_to_pitfall(&self, change: &mut Change) {
        let is_left = |key: ClaimedKey| self.0.get(&key).is_some_and(|(_, by)| by.is_pitfall());
        change.rows.retain(|key, _| !is_left(ClaimedKey::Plain(key.to_string())));
        if let (Some(phase), Some(set)) = (&change.phase, &mut change.set) {
            set.retain(|key, _| !is_left(ClaimedKey::of_phase(key, &phase.value)));
        }
    }

    /// Whether a key of candidates that a change sets has been set.
    pub(crate) fn has_any(&self, change: &Change) -> bool {
        change.of_candidates().into_iter().any(|(key, _)| self.0.contains_key(&ClaimedKey::Plain(key)))
    }

    /// Notes that a variation sets a key.
    ///
    /// # Errors
    /// Another one has set it to another value.
    pub(crate) fn set(&mut self, key: ClaimedKey, value: Message, cause: &Cause) -> Result<(), Message> {
        let Some((first, by)) = self.0.get(&key).filter(|(first, _)| *first != value) else {
            self.0.insert(key, (value, cause.clone()));
            return Ok(());
        };
        let (key, one, other) = (key.words(), by.words(), cause.words());
        let (first, second) = (first.clone(), value);
        Err(match by.is_pitfall() && cause.is_pitfall() {
            _ if by == cause => message!(study_phase_sets_twice, cause = other, key, first, second),
            true => message!(study_phase_pitfalls_set, one, other, key, first, second),
            false => message!(study_phase_both_set, one, other, key, first, second),
        })
    }
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
            ("durability", self.durability.clone().or(self.minimum.map(|one| one.to_string()))),
            ("profile", self.profile.map(|one| one.to_string())),
            ("output", self.output.map(|one| one.to_string())),
        ];
        let given = words.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?)));
        given.chain(settings).collect()
    }

    /// Whom it is for: candidates of the study's own, which are `named`, or stores that there are.
    pub(crate) fn check_stores(&self, catalogue: &Catalogue, named: &[String]) -> Result<(), Message> {
        let Some(stores) = &self.stores else { return Ok(()) };
        if stores.is_empty() {
            return Err(message!(study_phase_no_stores));
        }
        let is_known = |name: &&String| named.contains(name) || parse_candidate(catalogue, name).is_ok();
        match stores.iter().find(|name| !is_known(name)) {
            Some(name) => {
                let stores = catalogue.stores().iter().map(|store| store.name.clone());
                let known: Vec<String> = named.iter().cloned().chain(stores).collect();
                // Behind it may be an address with a password.
                Err(unknown("store", CandidateText::of(name).name, &known))
            }
            None => Ok(()),
        }
    }

    /// Whether some candidate may be concerned by both: one is for all, or both name it.
    pub(crate) fn may_meet(&self, other: &Change) -> bool {
        let (Some(ours), Some(theirs)) = (&self.stores, &other.stores) else { return true };
        ours.iter().any(|name| theirs.contains(name))
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
        VariationPart { cause, change, .. }: VariationPart<'_>,
    ) -> Result<Result<(), Message>, StudyError> {
        let store = catalogue.store(&self.store)?.of_variant(self.variant.as_deref());
        for (key, value) in change.of_candidates() {
            let claim = self.claimed.set(ClaimedKey::Plain(key), quoted(value), cause);
            claim.map_err(|problem| StudyError::value(&format!("'{}'", self.name), problem))?;
        }
        let mut take = || -> Result<(), Message> {
            let title = &store.title;
            if let Some(client) = &change.client {
                let asked = ClientName::of(client);
                let lacks = || message!(study_axis_no_client, store = title, client);
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
                    return Err(message!(study_axis_no_minimum, store = title, minimum = minimum.words()));
                }
            }
            if let Some(name) = &change.durability {
                self.durability = Some(name.clone());
            }
            if let Some(profile) = change.profile {
                self.profile = Some(profile);
                if profile == StoreProfile::Tuned && !store.is_tunable() {
                    return Err(message!(study_axis_no_tuned, store = title));
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
