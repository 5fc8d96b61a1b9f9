//! The address of a running server: `scheme://[user[:password]@]host[:port][,host…][/path][?query]`.
//!
//! It may hold a password. So nothing of it is told but the scheme, the hosts and the path, and where it cannot be read
//! the words name none of it.

use kurabe_messages::{Message, message};
use url::Url;

/// An address that could be read. It has no `Debug`, since that would print the password.
pub(crate) struct Address {
    hosts: Vec<Host>,
    /// The address with the first of its hosts alone.
    single: Url,
}

struct Host {
    /// As it is typed; a path may stand in its place, percent-encoded.
    name: String,
    port: Option<u16>,
}

/// What is wrong with an address; nothing of the address is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AddressError {
    /// No scheme.
    NoScheme,
    /// A host or a port that is none.
    Host(url::ParseError),
    /// As the last, where a comma stands in it.
    HostOrStore,
    /// An `@` where no user can stand: perhaps what stands before it is part of a password.
    LateUser,
    /// A comma in the path: what follows is no candidate, and no database is named so.
    LateComma,
}

impl AddressError {
    pub(crate) fn message(self) -> Message {
        match self {
            AddressError::NoScheme => message!(study_candidate_no_scheme),
            AddressError::Host(error) => {
                let error = match error {
                    url::ParseError::InvalidPort => message!(study_candidate_port),
                    _ => message!(study_candidate_host_name),
                };
                message!(study_candidate_host, error)
            }
            AddressError::HostOrStore => message!(study_candidate_host_or_store),
            AddressError::LateUser => message!(study_candidate_late_user),
            AddressError::LateComma => message!(study_candidate_late_comma),
        }
    }
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Address, AddressError> {
        // Otherwise what stands before the first colon, a user's name perhaps, would be read as the scheme.
        let is_scheme = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic())
                && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
        };
        let (scheme, rest) =
            text.split_once("://").filter(|(scheme, _)| is_scheme(scheme)).ok_or(AddressError::NoScheme)?;
        let (authority, tail) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if tail.contains('@') {
            return Err(AddressError::LateUser);
        }
        let (user, hosts) = authority.rsplit_once('@').map_or(("", authority), |(user, hosts)| (user, hosts));
        let failed = |error| if hosts.contains(',') { AddressError::HostOrStore } else { AddressError::Host(error) };
        let read = |host: &str| {
            let url = Url::parse(&format!("{scheme}://{host}")).map_err(failed)?;
            Ok(Host { name: url.host_str().unwrap_or_default().to_string(), port: url.port() })
        };
        let read = hosts.split(',').map(read).collect::<Result<Vec<Host>, _>>()?;
        if read.len() > 1 && read.iter().any(|host| host.name.is_empty()) {
            return Err(AddressError::HostOrStore);
        }
        // A user without a host is for a socket that the query names.
        let first = hosts.split(',').next().unwrap_or_default();
        let user = if first.is_empty() || user.is_empty() { String::new() } else { format!("{user}@") };
        let single = Url::parse(&format!("{scheme}://{user}{first}{tail}")).map_err(failed)?;
        if single.path().contains(',') {
            return Err(AddressError::LateComma);
        }
        Ok(Address { hosts: read, single })
    }

    /// The address without user, password and query: what may be printed and stored.
    pub(crate) fn shown(&self) -> String {
        let port = |host: &Host| host.port.map(|port| format!(":{port}")).unwrap_or_default();
        let hosts: Vec<String> = self.hosts.iter().map(|host| format!("{}{}", host.name, port(host))).collect();
        format!("{}://{}{}", self.single.scheme(), hosts.join(","), self.single.path())
    }

    /// Every host that a driver may connect to: those of the address itself, and those that drivers of PostgreSQL take
    /// from its query. Paths of sockets are no hosts.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.places().filter(|host| !host.is_empty() && !is_path(host)).collect()
    }

    /// Whether it leads to a socket of this machine: by its scheme, or by a path in place of a host or in its query.
    pub(crate) fn is_socket(&self) -> bool {
        let scheme = self.single.scheme();
        let mut queried = self.single.query_pairs();
        scheme == "unix"
            || scheme.ends_with("+unix")
            || queried.any(|(name, path)| name == "socket" && is_path(&path))
            || self.places().any(|host| is_path(&host))
            // MongoDB's own tools write the path of a socket as it is.
            || (self.hosts.iter().all(|host| host.name.is_empty()) && self.single.path().ends_with(".sock"))
    }

    /// Hosts, and paths in place of hosts.
    fn places(&self) -> impl Iterator<Item = String> {
        let queried = self.single.query_pairs().filter(|(name, _)| name == "host" || name == "hostaddr");
        let queried = queried.flat_map(|(_, list)| list.split(',').map(str::to_string).collect::<Vec<_>>());
        self.hosts.iter().map(|host| host.name.clone()).chain(queried)
    }
}

/// A path, also one that is percent-encoded.
fn is_path(host: &str) -> bool {
    host.starts_with('/') || host.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("%2f"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_ports_and_the_path_are_shown_and_nothing_else() {
        let shown = |text: &str| Address::parse(text).map(|address| address.shown());
        for (text, expected) in [
            ("redis://127.0.0.1:6379", "redis://127.0.0.1:6379"),
            ("redis://me:pw@127.0.0.1:6379/3", "redis://127.0.0.1:6379/3"),
            ("redis://:p,w@[::1]:6379", "redis://[::1]:6379"),
            ("mongodb://me:p@w@a:1,b:2/db?replicaSet=x", "mongodb://a:1,b:2/db"),
            ("postgresql://me:pw@/db?host=/run/postgresql", "postgresql:///db"),
            ("postgresql://me@a,b/db?password=x,y", "postgresql://a,b/db"),
            ("unix:///run/redis.sock", "unix:///run/redis.sock"),
        ] {
            assert_eq!(shown(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_told_without_a_word_of_it() {
        let error = |text: &str| Address::parse(text).map(|_| ()).expect_err(text);
        for text in ["CANARY", "me:CANARY@host", "me:CANARY@redis://host", "://CANARY", "1x://CANARY"] {
            assert_eq!(error(text), AddressError::NoScheme, "{text}");
        }
        assert!(matches!(error("redis://host:CANARY"), AddressError::Host(_)));
        assert!(matches!(error("redis://me:CAN/ARY@host"), AddressError::LateUser));
        assert!(matches!(error("redis://me:1/CANARY@host"), AddressError::LateUser));
        assert!(matches!(error("redis://me:1#CANARY@host"), AddressError::LateUser));
        assert!(matches!(error("redis://host:1,CANARY:x"), AddressError::HostOrStore));
        assert!(matches!(error("redis://a,,b"), AddressError::HostOrStore));
        assert!(matches!(error("redis://host:1/0,CANARY"), AddressError::LateComma));
    }

    #[test]
    fn every_host_is_seen_wherever_it_stands() {
        let hosts = |text: &str| Address::parse(text).expect(text).hosts();
        assert_eq!(hosts("mongodb://me:pw@a:1,10.0.0.1:2/db"), ["a", "10.0.0.1"]);
        assert_eq!(hosts("postgresql://localhost/db?host=10.0.0.1"), ["localhost", "10.0.0.1"]);
        assert_eq!(hosts("postgresql://localhost/db?hostaddr=10.0.0.1,b"), ["localhost", "10.0.0.1", "b"]);
        assert_eq!(hosts("postgresql:///db?host=/var/run/postgresql"), [""; 0]);
        assert_eq!(hosts("mongodb://%2Ftmp%2Fmongodb.sock/db"), [""; 0]);
    }

    #[test]
    fn a_socket_is_known_by_scheme_or_path_and_not_by_a_name() {
        let is_socket = |text: &str| Address::parse(text).expect(text).is_socket();
        for text in [
            "unix:///run/redis.sock",
            "redis+unix:///run/redis.sock?db=1",
            "mysql://root@localhost/test?socket=/run/mysql.sock",
            "mysql://root@localhost/test?socket=%2Frun%2Fmysql.sock",
            "postgresql://me@/db?host=/run/postgresql",
            "postgresql://%2Frun%2Fpostgresql/db",
            "mongodb://%2ftmp%2fmongodb.sock/db",
            "mongodb:///tmp/mongodb-1.sock",
        ] {
            assert!(is_socket(text), "{text}");
        }
        for text in [
            "redis://unix-box:6379",
            "redis://127.0.0.1:6379/unix",
            "postgresql://me:unix@127.0.0.1/db?application_name=unix",
            "mysql://root@localhost/socket",
        ] {
            assert!(!is_socket(text), "{text}");
        }
    }
}
