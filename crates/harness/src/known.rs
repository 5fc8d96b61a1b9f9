//! What is known of every store when a run begins: what it is, what it can promise, and whether it is on this machine.

use std::collections::BTreeMap;

use kurabe_record::KnownStore;
use kurabe_service::{Guardian, ServiceSpec, find};
use kurabe_study::{Catalogue, StoreDescriptor};

use crate::clients::{BUILDS_SERVERS, Clients};

/// Every store of the catalogue, in its order. Nothing is started: a server is here where its programs are.
pub(crate) fn known_stores(catalogue: &Catalogue, clients: &Clients, guardian: &Guardian) -> Vec<KnownStore> {
    let drives_servers = clients.has_servers();
    let known = |store: &StoreDescriptor| {
        let about = store.about.clone()?;
        let usual = store.of_variant(store.variants.first().map(|variant| variant.name.as_str()));
        let found = is_here(store, clients, guardian);
        let is_undriven = found && store.service.is_some() && !drives_servers;
        let here = found && !is_undriven;
        let remedy = || if is_undriven { BUILDS_SERVERS.to_string() } else { store.remedy() };
        Some(KnownStore {
            name: store.name.clone(),
            title: store.title.clone(),
            licence: store.licence.clone(),
            about,
            guarantees: usual.guarantees(),
            here,
            remedy: (!here).then(remedy),
        })
    };
    catalogue.stores().iter().filter_map(known).collect()
}

/// Whether a store is on this machine. No program is asked for its version, which takes seconds for all.
pub fn is_here(store: &StoreDescriptor, clients: &Clients, guardian: &Guardian) -> bool {
    match &store.service {
        Some(service) => {
            let unasked = ServiceSpec { version: Vec::new(), ..service.clone() };
            find(&unasked, &clients.places(BTreeMap::new()), guardian).is_ok()
        }
        None => store.install.libraries.is_empty() || clients.usual_library(store).is_ok(),
    }
}
