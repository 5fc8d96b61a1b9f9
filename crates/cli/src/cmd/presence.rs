//! Whether a store, a client or an app is on this machine, and how it gets there. Nothing is built for the answer.

use std::collections::BTreeMap;
use std::fmt::Display;

use kurabe_harness::Clients;
use kurabe_messages::{Message, message};
use kurabe_service::{Guardian, file_exists, find};
use kurabe_study::{AppDescriptor, Catalogue, ClientDescriptor, ClientDriver, Probe, StoreDescriptor, Variant};

/// What Kurabe knows, and what looks for it on this machine.
#[derive(Clone, Copy)]
pub struct Inventory<'a> {
    /// All that is known.
    pub catalogue: &'a Catalogue,
    /// Where clients and programs are.
    pub clients: &'a Clients,
    /// Cleans up after what is started to look.
    pub guardian: &'a Guardian,
}

/// What is missing of something, and what gets it.
pub struct Lack {
    /// What is missing, in words.
    pub reason: String,
    /// What gets it.
    pub remedy: Remedy,
}

/// What gets something.
pub enum Remedy {
    /// What its descriptor says.
    Descriptor,
    /// This command.
    Command(String),
    /// A build of the client or app; of one that is built already, `anew`.
    Build { anew: bool },
    /// Nothing that is known here.
    Unknown,
}

impl Lack {
    fn by_command((reason, command): (impl Display, Option<String>)) -> Lack {
        Lack { reason: reason.to_string(), remedy: command.map_or(Remedy::Unknown, Remedy::Command) }
    }

    fn build() -> Lack {
        Lack { reason: message!(cli_list_must_build).to_string(), remedy: Remedy::Build { anew: false } }
    }

    /// What is missing, in the words of a list: `setup` names what is to be built as `kurabe setup` takes it.
    pub fn message(&self, setup: &str) -> Message {
        let reason = &self.reason;
        match &self.remedy {
            Remedy::Build { .. } => message!(cli_list_not_built_yet, name = setup),
            Remedy::Command(command) => message!(cli_list_missing_get, reason, command),
            Remedy::Descriptor | Remedy::Unknown => message!(cli_list_missing_reason, reason),
        }
    }
}

impl Inventory<'_> {
    /// The version of a store, or a word for it; otherwise what is missing.
    pub fn store(&self, store: &StoreDescriptor) -> Result<String, String> {
        match (&store.install.probe, &store.service) {
            (Probe::Library, _) => {
                let library = self.clients.usual_library(store).map_err(|reason| reason.to_string())?;
                Ok(library.unwrap_or_else(|| message!(cli_list_found_library).to_string()))
            }
            (_, Some(service)) => match find(service, &self.clients.places(BTreeMap::new()), self.guardian) {
                Ok(found) => Ok(found.version.unwrap_or_else(|| message!(cli_list_found).to_string())),
                Err(error) => Err(error.to_string()),
            },
            (_, None) => Ok(match store.clients.first() {
                Some(client) if client != "rust" => message!(cli_list_in_client, client).to_string(),
                _ => message!(cli_list_built_in).to_string(),
            }),
        }
    }

    /// What is missing to start a client at all.
    pub fn lacks_for_client(&self, client: &ClientDescriptor) -> Option<Lack> {
        if let Err(error) = self.clients.write_sources(self.catalogue, client) {
            return Some(Lack { reason: error.to_string(), remedy: Remedy::Unknown });
        }
        if client.build.is_none() || self.clients.is_ready(self.catalogue, &client.name) {
            return None;
        }
        Some(self.clients.lacks_for_build(self.catalogue, client).map_or_else(Lack::build, Lack::by_command))
    }

    /// What a client that can be started lacks to drive a store.
    pub fn lacks_for_store(
        &self,
        client: &ClientDescriptor,
        driver: Option<&ClientDriver>,
        store: &str,
    ) -> Option<Lack> {
        self.clients.probe(self.catalogue, client, driver, store, self.guardian).err().map(Lack::by_command)
    }

    /// What is missing of an app.
    pub fn lacks_for_app(&self, app: &AppDescriptor) -> Option<Lack> {
        if let Some(lacking) = self.clients.lacks_for_app(self.catalogue, app, self.guardian) {
            return Some(Lack::by_command(lacking));
        }
        (!self.clients.app_is_built(self.catalogue, app)).then(Lack::build)
    }
}

/// What a variant needs beside its store, and is missing.
pub fn of_variant(store: &StoreDescriptor, variant: &Variant) -> Result<(), String> {
    match &variant.file {
        Some(file) if !file_exists(file) => {
            Err(message!(resolve_variant_file, title = &store.title, file, variant = &variant.name).to_string())
        }
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
