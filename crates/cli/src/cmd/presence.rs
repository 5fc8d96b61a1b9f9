//! Whether a store is on this machine, and how it gets there.

use std::collections::BTreeMap;

use kurabe_harness::Clients;
use kurabe_service::{Guardian, file_exists, find};
use kurabe_study::{Probe, StoreDescriptor, Variant};

/// The version, or a word for it; otherwise what is missing.
pub fn of(store: &StoreDescriptor, clients: &Clients, guardian: &Guardian) -> Result<String, String> {
    match (&store.install.probe, &store.service) {
        (Probe::Library, _) => clients.usual_library(store).map(|path| path.unwrap_or_else(|| "library found".into())),
        (_, Some(service)) => match find(service, &clients.places(BTreeMap::new()), guardian) {
            Ok(found) => Ok(found.version.unwrap_or_else(|| "found".into())),
            Err(error) => Err(error.to_string()),
        },
        (_, None) => Ok(match store.clients.first() {
            Some(client) if client != "rust" => format!("in the {client} client"),
            _ => "built in".into(),
        }),
    }
}

/// What a variant needs beside its store, and is missing.
pub fn of_variant(store: &StoreDescriptor, variant: &Variant) -> Result<(), String> {
    match &variant.file {
        Some(file) if !file_exists(file) => Err(format!("{} needs '{file}' for '{}'", store.title, variant.name)),
        _ => Ok(()),
    }
}

/// The number in what a program or library says of its version, which may be a long line.
pub fn short_version(told: &str) -> Option<String> {
    let number = |word: &str| {
        let start = word.find(|character: char| character.is_ascii_digit())?;
        let rest = &word[start..];
        let end = rest.find(|character: char| !character.is_ascii_digit() && character != '.').unwrap_or(rest.len());
        rest[..end].contains('.').then(|| rest[..end].trim_end_matches('.').to_string())
    };
    // The line may begin with the program's path.
    told.split_whitespace().filter(|word| !word.starts_with('/')).find_map(number)
}

#[cfg(test)]
mod tests {
    use super::short_version;

    #[test]
    fn the_number_is_found_in_what_programs_say() {
        for (told, number) in [
            ("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64", "7.0.15"),
            ("/opt/maria-11.2/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for linux", "10.11.19"),
            ("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)", "15.18"),
            ("v1.5.5", "1.5.5"),
            ("memcached 1.6.18", "1.6.18"),
            ("db version v6.0.5", "6.0.5"),
            ("Cassandra 5.0.9 on openjdk 17.0.15 2025-04-15", "5.0.9"),
        ] {
            assert_eq!(short_version(told).as_deref(), Some(number));
        }
        assert_eq!(short_version("libcdb.so.1"), None);
    }
}
