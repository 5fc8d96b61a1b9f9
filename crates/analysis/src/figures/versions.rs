//! Candidates of one store that run different versions of what is behind their name.

use std::collections::{BTreeMap, BTreeSet};

use kurabe_record::{CandidateRecord, StoreAccess, StoreKind, value_on};

use crate::figures::caution::{Caution, Differ};
use crate::figures::configuration::CLIENT;
use crate::figures::input::Input;

/// So many pairs of one store are told each for itself; of more it is told that there are some.
const MOST_PAIRS: usize = 3;

/// One for every pair of candidates of one store that run different versions of a library or service.
pub(crate) fn cautions(input: &Input<'_>) -> Vec<Caution> {
    let candidates: Vec<&CandidateRecord> = input.candidates().collect();
    let mut cautions = Vec::new();
    let mut told: BTreeMap<&str, Vec<Caution>> = BTreeMap::new();
    for (index, one) in candidates.iter().enumerate() {
        for other in candidates[index + 1..].iter().filter(|other| other.store == one.store) {
            told.entry(&one.store).or_default().extend(library_caution(input, one, other));
            cautions.extend(service_caution(one, other));
        }
    }
    for (store, pairs) in told {
        match pairs.len() {
            0..=MOST_PAIRS => cautions.extend(pairs),
            _ => cautions.push(Caution::ManyLibraries { store: store.to_string() }),
        }
    }
    cautions
}

fn library_caution(input: &Input<'_>, one: &CandidateRecord, other: &CandidateRecord) -> Option<Caution> {
    // One behind an app is asked over HTTP, which its name says.
    if one.app.is_empty() != other.app.is_empty() {
        return None;
    }
    // What a load tool is made of it does not tell.
    if one.by_load_tool || other.by_load_tool {
        return None;
    }
    let (ours, theirs) = (libraries(input, one), libraries(input, other));
    if ours.is_empty() || theirs.is_empty() || ours == theirs {
        return None;
    }
    let are_same = alike(one, other);
    let shared: BTreeSet<&str> =
        ours.keys().filter(|name| theirs.contains_key(**name) && are_same(name)).copied().collect();
    if shared.is_empty() && is_about_clients(one, other) {
        return None;
    }
    // Two drivers of two engines: the pair of each engine tells it already.
    if shared.is_empty() && one.variant != other.variant {
        return None;
    }
    let differ = if shared.is_empty() { Differ::Drivers } else { Differ::Versions };
    // Libraries that only one side has are named only where there is nothing that both have.
    let named = |libraries: &BTreeMap<&str, &str>| {
        let differs = |name: &str| shared.is_empty() || (shared.contains(name) && ours.get(name) != theirs.get(name));
        let list: Vec<String> = libraries
            .iter()
            .filter(|(name, _)| differs(name))
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        list.join(", ")
    };
    let (our_list, their_list) = (named(&ours), named(&theirs));
    (!our_list.is_empty()).then(|| Caution::Libraries {
        one: (one.name.clone(), our_list),
        other: (other.name.clone(), their_list),
        differ,
    })
}

/// Which libraries are the same where they have the same name. In two languages that is chance, but for a store that
/// both have inside the client.
fn alike<'a>(one: &'a CandidateRecord, other: &CandidateRecord) -> impl Fn(&str) -> bool + 'a {
    let same_language = one.language() == other.language();
    let inside = one.transport == StoreAccess::InProcess && other.transport == StoreAccess::InProcess;
    move |name| same_language || (inside && name == one.store)
}

/// Whether two candidates are there to show what a client costs: that each has libraries of its own is then no news.
fn is_about_clients(one: &CandidateRecord, other: &CandidateRecord) -> bool {
    let (client, other_client) = (value_on(&one.factors, CLIENT), value_on(&other.factors, CLIENT));
    let both_baselines = one.kind == StoreKind::Baseline && other.kind == StoreKind::Baseline;
    both_baselines || (client.is_some() && client != other_client)
}

fn service_caution(one: &CandidateRecord, other: &CandidateRecord) -> Option<Caution> {
    let (ours, theirs) = (one.service_version.as_ref()?, other.service_version.as_ref()?);
    (ours != theirs).then(|| Caution::Services {
        one: (one.name.clone(), ours.clone()),
        other: (other.name.clone(), theirs.clone()),
    })
}

fn libraries<'a>(input: &Input<'a>, candidate: &CandidateRecord) -> BTreeMap<&'a str, &'a str> {
    let hello = input.hello(&candidate.name);
    hello
        .into_iter()
        .flat_map(|hello| &hello.libraries)
        .map(|(name, version)| (name.as_str(), version.as_str()))
        .collect()
}
