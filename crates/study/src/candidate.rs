//! Candidates as they are typed: `STORE[:VARIANT][+CLIENT][@URL]`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::catalogue::Catalogue;
use crate::error::StudyError;

/// A candidate as it was asked for, checked against what there is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CandidateSpec {
    /// Name in tables: what was typed, without user and password of the address.
    pub name: String,
    /// Store.
    pub store: String,
    /// Variant.
    pub variant: Option<String>,
    /// Client.
    pub client: String,
    /// Address of a running server. It may hold a password: never print it.
    pub url: Option<String>,
    /// Name of the durability setting, instead of the cheapest that reaches the floor.
    pub durability: Option<String>,
    /// Further settings for the adapter.
    pub settings: BTreeMap<String, String>,
    /// Further arguments for the service.
    pub args: Vec<String>,
    /// The service's main program, or the store's library, instead of the one that is found.
    pub binary: Option<PathBuf>,
}

/// Reads a list of candidates, separated by commas. No two may be the same.
pub fn parse_candidates(catalogue: &Catalogue, text: &str) -> Result<Vec<CandidateSpec>, StudyError> {
    let mut candidates: Vec<CandidateSpec> = Vec::new();
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        let candidate = parse_candidate(catalogue, part)?;
        if candidates.iter().any(|known| known.name == candidate.name) {
            return Err(StudyError::value("--stores", format!("'{}' is named twice", candidate.name)));
        }
        candidates.push(candidate);
    }
    if candidates.is_empty() {
        return Err(StudyError::value("--stores", "no store is named; 'kurabe stores' lists them"));
    }
    Ok(candidates)
}

/// Reads `STORE[:VARIANT][+CLIENT][@URL]`.
pub fn parse_candidate(catalogue: &Catalogue, text: &str) -> Result<CandidateSpec, StudyError> {
    let (rest, url) = match text.split_once('@') {
        Some((rest, url)) => (rest, Some(url)),
        None => (text, None),
    };
    let (rest, client) = match rest.split_once('+') {
        Some((rest, client)) => (rest, Some(client)),
        None => (rest, None),
    };
    let (store_name, variant) = match rest.split_once(':') {
        Some((store, variant)) => (store, Some(variant)),
        None => (rest, None),
    };
    let store = catalogue.store(store_name)?;
    if let Some(variant) = variant.filter(|variant| !store.has_variant(variant)) {
        return Err(StudyError::Unknown {
            what: "variant",
            name: format!("{store_name}:{variant}"),
            known: store.variants.iter().map(|known| format!("{store_name}:{}", known.name)).collect(),
        });
    }
    let client = client.unwrap_or(&store.clients[0]);
    if !store.clients.iter().any(|known| known == client) {
        return Err(StudyError::Unknown {
            what: "client",
            name: format!("{store_name}+{client}"),
            known: store.clients.iter().map(|known| format!("{store_name}+{known}")).collect(),
        });
    }
    let shown = url.map(|url| shown_url(text, url)).transpose()?;
    if url.is_some() && store.service.is_none() {
        return Err(StudyError::value(
            &format!("'{store_name}@…'"),
            format!("{} is no server and has no address; leave '@URL' out", store.title),
        ));
    }
    Ok(CandidateSpec {
        name: shown.map_or_else(|| rest_name(text), |url| format!("{}@{url}", rest_name(text))),
        store: store.name.clone(),
        variant: variant.or(store.variants.first().map(|first| first.name.as_str())).map(str::to_string),
        client: client.to_string(),
        url: url.map(str::to_string),
        durability: None,
        settings: BTreeMap::new(),
        args: Vec::new(),
        binary: None,
    })
}

fn rest_name(text: &str) -> String {
    text.split_once('@').map_or(text, |(rest, _)| rest).to_string()
}

/// The address without user, password and query: what may be printed and stored.
fn shown_url(text: &str, url: &str) -> Result<String, StudyError> {
    let origin = format!("'{}@…'", rest_name(text));
    let problem = |reason: &str| {
        StudyError::value(&origin, format!("the address {reason}; write it like redis://127.0.0.1:6379"))
    };
    // Otherwise what stands before the first colon, a user's name perhaps, would be read as the scheme.
    let is_scheme = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if !url.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) {
        return Err(problem("does not begin with its kind and '://'"));
    }
    let parsed = url::Url::parse(url).map_err(|error| problem(&format!("cannot be read: {error}")))?;
    let mut shown = parsed.clone();
    // Addresses without an authority have no user to remove.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_query(None);
    shown.set_fragment(None);
    Ok(shown.to_string())
}

impl CandidateSpec {
    /// Every host that a driver may connect to for this address: that of the address itself, and those that drivers
    /// of PostgreSQL take from its query. Paths of sockets are no hosts.
    pub fn hosts(&self) -> Vec<String> {
        let Some(url) = self.url.as_deref().and_then(|url| url::Url::parse(url).ok()) else { return Vec::new() };
        let queried = url.query_pairs().filter(|(name, _)| name == "host" || name == "hostaddr");
        let queried: Vec<String> = queried.map(|(_, value)| value.into_owned()).collect();
        let hosts = url.host_str().into_iter().map(str::to_string).chain(queried);
        let single = hosts.flat_map(|list| list.split(',').map(str::to_string).collect::<Vec<_>>());
        // A path, also one that is percent-encoded in place of the host, is a socket of this machine.
        single
            .filter(|host| {
                !host.is_empty() && !host.starts_with('/') && !host.starts_with("%2F") && !host.starts_with("%2f")
            })
            .collect()
    }

    /// The address without user, password and query.
    pub fn shown_url(&self) -> Option<String> {
        self.name.split_once('@').map(|(_, url)| url.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_candidate_is_read_part_by_part() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let plain = parse_candidate(&catalogue, "sqlite").expect("sqlite");
        assert_eq!((plain.name.as_str(), plain.client.as_str(), plain.url), ("sqlite", "rust", None));
        let python = parse_candidate(&catalogue, "redis+python").expect("redis+python");
        assert_eq!((python.store.as_str(), python.client.as_str()), ("redis", "python"));
    }

    #[test]
    fn a_password_is_in_the_address_and_nowhere_else() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let candidate = parse_candidate(&catalogue, "redis@redis://me:canary@127.0.0.1:7001/3").expect("an address");
        assert_eq!(candidate.name, "redis@redis://127.0.0.1:7001/3");
        assert_eq!(candidate.url.as_deref(), Some("redis://me:canary@127.0.0.1:7001/3"));
        assert_eq!(candidate.hosts(), ["127.0.0.1"]);
        for address in ["me:canary", "me:canary@127.0.0.1:7001", "me:canary@redis://127.0.0.1:7001", "127.0.0.1:canary"]
        {
            let error = parse_candidate(&catalogue, &format!("redis@{address}")).expect_err("no address").to_string();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn hosts_in_the_query_of_an_address_are_seen_too() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let hosts = |url: &str| parse_candidate(&catalogue, &format!("postgres@{url}")).expect("an address").hosts();
        assert_eq!(hosts("postgresql://localhost/db?host=10.0.0.1"), ["localhost", "10.0.0.1"]);
        assert_eq!(
            hosts("postgresql://localhost/db?hostaddr=10.0.0.1,10.0.0.2"),
            ["localhost", "10.0.0.1", "10.0.0.2"]
        );
        assert!(hosts("postgresql:///db?host=/var/run/postgresql").is_empty());
    }

    #[test]
    fn mistakes_are_named_with_the_nearest_name() {
        let catalogue = Catalogue::builtin().expect("the built-in descriptors are right");
        let error = |text: &str| parse_candidates(&catalogue, text).expect_err("a mistake").to_string();
        assert_eq!(error("sqlight"), "unknown store 'sqlight'; did you mean 'sqlite'?");
        assert_eq!(error("redis+pythn"), "unknown client 'redis+pythn'; did you mean 'redis+python'?");
        assert_eq!(error("sqlite,sqlite"), "--stores: 'sqlite' is named twice");
        assert!(error("sqlite@sqlite://x").contains("no server"));
        assert!(error(" , ").contains("no store is named"));
    }
}
