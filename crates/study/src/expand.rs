//! Candidates at every value of the axes that make candidates.

use std::collections::BTreeSet;

use kurabe_record::{AxisValue, Coordinate, Makes, MinimumDurability, StoreKind, StoreProfile};

use crate::axes::CheckedAxis;
use crate::axis_keys::{Key, SETTINGS};
use crate::candidate::{CandidateSpec, with_driver};
use crate::catalogue::Catalogue;
use crate::client::ClientName;
use crate::error::StudyError;
use crate::words::parse_minimum;

/// Each store at each value. Floors stay as they are; what a store cannot be is kept with the reason, and takes no part, but for
/// clients that it does not have beside those that it has.
pub(crate) fn expand(
    catalogue: &Catalogue,
    origin: &str,
    candidates: Vec<CandidateSpec>,
    axes: &[CheckedAxis],
) -> Result<Vec<CandidateSpec>, StudyError> {
    let mut all = candidates;
    for axis in axes.iter().filter(|one| one.axis.makes == Makes::Candidates) {
        check(catalogue, origin, &all, axis)?;
        let mut next: Vec<CandidateSpec> = Vec::new();
        for spec in all {
            if stays(catalogue, &spec)? {
                next.push(spec);
                continue;
            }
            let here = axis.axis.values.iter().map(|value| at(catalogue, &spec, axis, value));
            let mut here = here.collect::<Result<Vec<_>, _>>()?;
            // Of many clients most stores have a few: the others are nothing that is missing.
            if matches!(axis.key, Key::Client) && here.iter().any(|one| one.cannot.is_none()) {
                here.retain(|one| one.cannot.is_none());
            }
            next.extend(here);
        }
        all = next;
    }
    for (at, one) in all.iter().enumerate() {
        if all[..at].iter().any(|other| other.name == one.name) {
            return Err(StudyError::value(origin, format!("candidate '{}' is named twice", one.name)));
        }
    }
    Ok(all)
}

/// Whether no axis makes others of a candidate.
fn stays(catalogue: &Catalogue, spec: &CandidateSpec) -> Result<bool, StudyError> {
    Ok(spec.as_floor || of_variant(catalogue, spec)?.kind == StoreKind::Floor)
}

fn of_variant(catalogue: &Catalogue, spec: &CandidateSpec) -> Result<crate::StoreDescriptor, StudyError> {
    Ok(catalogue.store(&spec.store)?.of_variant(spec.variant.as_deref()))
}

/// Whether the axis is over something that candidates have at all, and that none of them has said already.
fn check(
    catalogue: &Catalogue,
    origin: &str,
    candidates: &[CandidateSpec],
    axis: &CheckedAxis,
) -> Result<(), StudyError> {
    let origin = format!("{origin}: axis '{}'", axis.axis.name);
    let says = |spec: &CandidateSpec| match &axis.key {
        Key::Durability => spec.durability.is_some(),
        Key::Profile => spec.profile.is_some(),
        Key::Setting(name) => spec.settings.contains_key(name),
        Key::Client => spec.client_is_asked,
        Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding | Key::Phase(_) => false,
    };
    for spec in candidates.iter().filter(|spec| says(spec)) {
        if stays(catalogue, spec)? {
            continue;
        }
        let problem = format!("candidate '{}' says that itself; leave it out there, or take the axis out", spec.name);
        return Err(StudyError::value(&origin, problem));
    }
    let known: BTreeSet<String> = match &axis.key {
        Key::Setting(name) => {
            let mut known = BTreeSet::new();
            for spec in candidates {
                known.extend(settings_of(catalogue, spec)?);
            }
            if known.contains(name) {
                return Ok(());
            }
            known.into_iter().map(|name| format!("{SETTINGS}{name}")).collect()
        }
        Key::Client => {
            let mut known = BTreeSet::new();
            // Those of all stores: with `--stores` few of a study's may be left, of which none needs all clients.
            for store in catalogue.stores() {
                let drivers = store.clients.iter().flat_map(|client| {
                    catalogue.drivers(client, &store.name).into_iter().map(move |driver| format!("{client}:{driver}"))
                });
                known.extend(store.clients.iter().cloned().chain(drivers));
            }
            known.extend(catalogue.clients().iter().flat_map(|client| client.also.clone()));
            known
        }
        Key::Durability => {
            let mut known: BTreeSet<String> = MinimumDurability::WORDS.into_iter().map(str::to_string).collect();
            for spec in candidates {
                known.extend(of_variant(catalogue, spec)?.durability.into_iter().map(|setting| setting.name));
            }
            known
        }
        Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding | Key::Profile | Key::Phase(_) => return Ok(()),
    };
    let unknown = match &axis.key {
        Key::Setting(_) => Some(("setting", axis.axis.name.clone())),
        key => {
            let what = if matches!(key, Key::Client) { "client" } else { "durability" };
            let names = axis.axis.values.iter().map(AxisValue::to_string);
            names
                .into_iter()
                .find(|name| !known.contains(name) && parse_minimum(name).is_err())
                .map(|name| (what, name))
        }
    };
    match unknown {
        None => Ok(()),
        Some((what, name)) => Err(StudyError::Unknown { what, name, known: known.into_iter().collect() }),
    }
}

/// Settings that a candidate can be given: those that its store's adapter takes, and those of its client.
fn settings_of(catalogue: &Catalogue, spec: &CandidateSpec) -> Result<Vec<String>, StudyError> {
    let store = catalogue.store(&spec.store)?;
    let client = catalogue.client(&spec.client.client);
    let options = client.iter().flat_map(|client| &client.options).map(|option| option.name.clone());
    Ok(store.tunable.iter().cloned().chain(options).collect())
}

/// The candidate at a value, named after both.
fn at(
    catalogue: &Catalogue,
    spec: &CandidateSpec,
    axis: &CheckedAxis,
    value: &AxisValue,
) -> Result<CandidateSpec, StudyError> {
    let mut one = spec.clone();
    let word = value.to_string();
    one.from_table = true;
    one.of.get_or_insert_with(|| spec.name.clone());
    one.coordinates.push(Coordinate { axis: axis.axis.name.clone(), value: value.clone() });
    // With the way to have it all the same, where there is one.
    let at_address = |way: &str| {
        let is_there = spec.url.is_some();
        is_there.then(|| format!("a store at an address is measured as it is{way}"))
    };
    match &axis.key {
        Key::Durability => {
            one.name = named(&spec.name, &word);
            let store = of_variant(catalogue, spec)?;
            let cannot = match parse_minimum(&word) {
                Ok(minimum) => {
                    one.minimum = Some(minimum);
                    let is_reached = store.durability_for(minimum).is_some();
                    (!is_reached).then(|| format!("{} has no setting of durability '{}'", store.title, minimum.words()))
                }
                Err(_) if store.durability.iter().any(|setting| setting.name == word) => {
                    one.durability = Some(word);
                    None
                }
                Err(_) => Some(format!("{} has no durability setting '{word}'", store.title)),
            };
            one.cannot = one.cannot.or(at_address("; add --durability default")).or(cannot);
        }
        Key::Profile => {
            one.name = named(&spec.name, &word);
            let store = of_variant(catalogue, spec)?;
            one.profile = StoreProfile::of(&word);
            let is_same = one.profile == Some(StoreProfile::Tuned) && !store.is_tunable();
            let cannot = is_same.then(|| format!("{} has no settings of the profile 'tuned'", store.title));
            one.cannot = one.cannot.or(at_address("; add --profile default")).or(cannot);
        }
        Key::Client => {
            let store = catalogue.store(&spec.store)?;
            one.name = format!("{}+{word}", spec.name);
            let asked = ClientName::of(&word);
            let known = catalogue.drives(&asked.client, store);
            match with_driver(catalogue, &store.name, &asked) {
                Ok(client) if known && spec.stack.is_empty() => one.client = client,
                _ if !spec.stack.is_empty() => {
                    one.cannot =
                        one.cannot.or_else(|| Some("what stands before it drives it by a client of its own".into()));
                }
                _ => one.cannot = one.cannot.or_else(|| Some(format!("{} has no client '{word}'", store.title))),
            }
        }
        Key::Setting(name) => {
            one.name = named(&spec.name, &format!("{name}={word}"));
            let known = settings_of(catalogue, spec)?.contains(name);
            let unknown = || (!known).then(|| format!("it has no setting '{name}'"));
            one.settings.insert(name.clone(), word);
            let wrong = catalogue.client(&one.client.client).and_then(|client| client.problem(&one.settings));
            one.cannot = one.cannot.or(at_address("")).or_else(unknown).or(wrong);
        }
        Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding | Key::Phase(_) => {}
    }
    Ok(one)
}

/// `name (value)`, or `name (value, value)`.
fn named(name: &str, value: &str) -> String {
    match name.strip_suffix(')').filter(|inside| inside.contains(" (")) {
        Some(inside) => format!("{inside}, {value})"),
        None => format!("{name} ({value})"),
    }
}
