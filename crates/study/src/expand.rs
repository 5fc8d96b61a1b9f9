//! Candidates at every value of the axes that make candidates.

use std::collections::BTreeSet;

use kurabe_messages::{Message, message};
use kurabe_record::{AxisEffect, AxisValue, Factor, MinimumDurability, StoreKind};

use crate::axes::CheckedAxis;
use crate::axis_keys::{EACH, Key, SETTINGS};
use crate::candidate::CandidateSpec;
use crate::catalogue::Catalogue;
use crate::error::{StudyError, named};
use crate::variation::{Variation, VariationPart};
use crate::words::parse_minimum;

/// Each store at each value. Baselines stay as they are; what a store cannot be is kept with the reason, and takes no part, but for
/// clients that it does not have beside those that it has.
pub(crate) fn expand(
    catalogue: &Catalogue,
    origin: &str,
    candidates: Vec<CandidateSpec>,
    axes: &[CheckedAxis],
) -> Result<Vec<CandidateSpec>, StudyError> {
    let mut all = candidates;
    for axis in axes.iter().filter(|one| one.axis.makes == AxisEffect::Candidates) {
        check(catalogue, origin, &all, axis)?;
        let mut next: Vec<CandidateSpec> = Vec::new();
        for spec in all {
            if stays(catalogue, &spec)? || !axis.concerns_any(&spec) {
                next.push(spec);
                continue;
            }
            let values = values(catalogue, &spec, axis)?;
            let here = values.iter().map(|value| at(catalogue, &spec, axis, value));
            let mut here = here.collect::<Result<Vec<_>, _>>()?;
            // Of many clients most stores have a few: the others are nothing that is missing.
            if matches!(axis.key, Key::Client) && here.iter().any(|one| one.cannot.is_none()) {
                here.retain(|one| one.cannot.is_none());
            }
            next.extend(here);
        }
        if let Key::Own(variations) = &axis.key {
            let checked = check_own(catalogue, origin, variations, &next);
            checked.map_err(|error| error.within(origin, axis.cause().words()))?;
        }
        all = next;
    }
    check_names(origin, &all)?;
    Ok(all)
}

/// The values of an axis for a candidate.
fn values(catalogue: &Catalogue, spec: &CandidateSpec, axis: &CheckedAxis) -> Result<Vec<AxisValue>, StudyError> {
    let mut values = Vec::new();
    for value in &axis.axis.values {
        if axis.key.is_each(value) {
            let settings = of_variant(catalogue, spec)?.durability.into_iter().map(|setting| setting.name);
            values.extend(settings.map(AxisValue::Word));
        } else {
            values.push(value.clone());
        }
    }
    Ok(values)
}

/// Whether each has a name of its own.
pub(crate) fn check_names(origin: &str, all: &[CandidateSpec]) -> Result<(), StudyError> {
    let twice = all.iter().enumerate().find(|(at, one)| all[..*at].iter().any(|other| other.name == one.name));
    match twice {
        Some((_, one)) => Err(twice_named(origin, &one.name)),
        None => Ok(()),
    }
}

/// Two candidates have this name.
pub(crate) fn twice_named(origin: &str, name: &str) -> StudyError {
    StudyError::value(origin, message!(study_twice, named = named("candidate", name)))
}

/// Whether somebody can be what each patch of a study's own asks for, and whom it is for is there at all.
fn check_own(
    catalogue: &Catalogue,
    origin: &str,
    variations: &[Variation],
    made: &[CandidateSpec],
) -> Result<(), StudyError> {
    let names: Vec<String> = made.iter().flat_map(|one| [one.base.clone(), Some(one.name.clone())]).flatten().collect();
    for variation in variations {
        let part = || named("variation", &variation.name.value);
        let wrong = |problem: Message| StudyError::value(origin, problem).within(origin, part());
        let changes = || variation.changes.iter().map(|change| &change.value);
        changes().try_for_each(|change| change.check_stores(catalogue, &names)).map_err(wrong)?;
        let is_its = |one: &&CandidateSpec| {
            let value = one.factors.last().map(|factor| factor.value.to_string());
            value.as_ref() == Some(&variation.name.value) && changes().any(|change| change.concerns(one))
        };
        let mut reasons = made.iter().filter(is_its).map(|one| one.cannot.clone());
        if let Some(Some(reason)) = reasons.next()
            && reasons.all(|one| one.is_some())
        {
            return Err(wrong(reason));
        }
    }
    Ok(())
}

/// Whether no axis makes others of a candidate.
fn stays(catalogue: &Catalogue, spec: &CandidateSpec) -> Result<bool, StudyError> {
    Ok(spec.is_baseline || of_variant(catalogue, spec)?.kind == StoreKind::Baseline)
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
    let says = |spec: &CandidateSpec| match &axis.key {
        Key::Durability => spec.durability.is_some(),
        Key::Profile => spec.profile.is_some(),
        Key::Setting(name) => spec.settings.contains_key(name),
        Key::Client => spec.client_is_asked,
        Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding | Key::Phase(_) | Key::Own(_) => false,
    };
    for spec in candidates.iter().filter(|spec| says(spec)) {
        if stays(catalogue, spec)? {
            continue;
        }
        let problem = message!(study_axis_candidate_sets, candidate = &spec.name);
        return Err(StudyError::value(origin, problem).within(origin, axis.cause().words()));
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
            let words = MinimumDurability::WORDS.into_iter().chain([EACH]);
            let mut known: BTreeSet<String> = words.map(str::to_string).collect();
            for spec in candidates {
                known.extend(of_variant(catalogue, spec)?.durability.into_iter().map(|setting| setting.name));
            }
            known
        }
        Key::Rows | Key::ValueLen | Key::Indexed | Key::Encoding | Key::Profile | Key::Phase(_) | Key::Own(_) => {
            return Ok(());
        }
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
    one.base.get_or_insert_with(|| spec.name.clone());
    one.factors.push(Factor::new(&axis.axis.name, value));
    one.name = match &axis.key {
        Key::Client => format!("{}+{word}", spec.name),
        Key::Setting(name) => with_value(&spec.name, &format!("{name}={word}")),
        _ => with_value(&spec.name, &word),
    };
    let cannot = cannot(catalogue, spec, axis, &word)?;
    let changes = axis.changes(value, &[]);
    for (change, at) in changes.iter().filter(|(change, _)| change.concerns(spec)) {
        let part = VariationPart { cause: &axis.cause(), change, at: *at };
        let lacks = one.patch(catalogue, part)?.err();
        one.cannot = one.cannot.or(cannot.clone()).or(lacks);
    }
    match &axis.key {
        Key::Setting(_) => {
            let wrong = catalogue.client(&one.client.client).and_then(|client| client.problem(&one.settings));
            one.cannot = one.cannot.or(wrong);
            Ok(one)
        }
        Key::Own(_) => {
            let wrong = one.clone().checked(catalogue, "").err();
            one.cannot = one.cannot.or(wrong.map(|error| error.problem("")));
            Ok(one)
        }
        _ => Ok(one),
    }
}

/// Why a candidate cannot be what an axis makes of it: with the way to have it all the same, where there is one.
fn cannot(
    catalogue: &Catalogue,
    spec: &CandidateSpec,
    axis: &CheckedAxis,
    value: &str,
) -> Result<Option<Message>, StudyError> {
    let flag = match &axis.key {
        Key::Client if !spec.app.is_empty() => return Ok(Some(message!(study_axis_client_of_app))),
        Key::Client => return Ok(None),
        Key::Durability => Some("--durability default"),
        Key::Profile => Some("--profile default"),
        _ => None,
    };
    if spec.url.is_some() {
        return Ok(Some(match flag {
            Some(flag) => message!(study_axis_at_address_flag, flag),
            None => message!(study_axis_at_address),
        }));
    }
    let store = of_variant(catalogue, spec)?;
    match &axis.key {
        Key::Durability
            if parse_minimum(value).is_err() && !store.durability.iter().any(|setting| setting.name == value) =>
        {
            Ok(Some(message!(study_axis_no_durability, store = store.title, setting = value)))
        }
        Key::Setting(name) if !settings_of(catalogue, spec)?.contains(name) => {
            Ok(Some(message!(study_axis_no_setting, setting = name)))
        }
        _ => Ok(None),
    }
}

/// `name (value)`, or `name (value, value)`.
fn with_value(name: &str, value: &str) -> String {
    match name.strip_suffix(')').filter(|inside| inside.contains(" (")) {
        Some(inside) => format!("{inside}, {value})"),
        None => format!("{name} ({value})"),
    }
}
