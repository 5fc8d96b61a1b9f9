//! Whether a store is on this machine, and how it gets there.

use std::collections::BTreeMap;

use kurabe_harness::Clients;
use kurabe_service::{Guardian, file_exists, find};
use kurabe_study::{Probe, StoreDescriptor, Variant};

/// The version, or a word for it; otherwise what is missing.
pub fn of(store: &StoreDescriptor, clients: &Clients, guardian: &Guardian) -> Result<String, String> {
    match (&store.install.probe, &store.service) {
        (Probe::Library, _) => clients.usual_library(store).map(|path| path.unwrap_or_else(|| "library found".into())),
        (_, Some(service)) => match find(service, &BTreeMap::new(), guardian) {
            Ok(found) => Ok(found.version.unwrap_or_else(|| "found".into())),
            Err(error) => Err(error.to_string()),
        },
        (_, None) => Ok("built in".into()),
    }
}

/// What a variant needs beside its store, and is missing.
pub fn of_variant(store: &StoreDescriptor, variant: &Variant) -> Result<(), String> {
    match &variant.file {
        Some(file) if !file_exists(file) => Err(format!("{} needs '{file}' for '{}'", store.title, variant.name)),
        _ => Ok(()),
    }
}
