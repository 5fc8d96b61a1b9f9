//! Where a service is: `http://host[:port][/path]`.

use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use kurabe_protocol::Job;

use crate::common::lanes::socket::Address;
use kurabe_client::adapter::StoreError;

/// The address of a service, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ServiceUrl {
    /// Name or number; one of version 6 without its brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// All behind it; a slash where there is nothing.
    pub(super) path: String,
}

impl ServiceUrl {
    pub(super) fn of(job: &Job) -> Result<ServiceUrl, StoreError> {
        let url = job.url.as_deref().ok_or_else(|| StoreError::store("the job has no address of a service"))?;
        ServiceUrl::parse(url)
    }

    fn parse(url: &str) -> Result<ServiceUrl, StoreError> {
        let unreadable = || StoreError::store("the address cannot be read: expected http://host[:port][/path]");
        let rest = url.strip_prefix("http://").ok_or_else(unreadable)?;
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| unreadable())?),
            _ => (authority, 80),
        };
        let path = if path.starts_with('/') { path.to_string() } else { format!("/{path}") };
        Ok(ServiceUrl { host: host.trim_matches(['[', ']']).to_string(), port, path })
    }

    /// What stands in `Host`.
    pub(super) fn authority(&self) -> String {
        let ServiceUrl { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    pub(super) fn address(&self) -> Address {
        Address::Tcp(self.host.clone(), self.port)
    }

    /// A connection.
    pub(super) fn connect(&self, limit: Duration) -> Result<TcpStream, StoreError> {
        let lost = |error: std::io::Error| StoreError::Disconnected(error.to_string());
        let mut addresses = (self.host.as_str(), self.port).to_socket_addrs().map_err(lost)?;
        let address = addresses.next().ok_or_else(|| StoreError::store("the name of the service has no address"))?;
        let stream = TcpStream::connect_timeout(&address, limit).map_err(lost)?;
        stream.set_read_timeout(Some(limit)).map_err(lost)?;
        Ok(stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn addresses_are_taken_apart() {
        let of = |url: &str| ServiceUrl::parse(url).map(|place| (place.authority(), place.path)).ok();
        let place = |authority: &str, path: &str| Some((authority.to_string(), path.to_string()));
        assert_eq!(of("http://127.0.0.1:8080/a/b?c=d"), place("127.0.0.1:8080", "/a/b?c=d"));
        assert_eq!(of("http://localhost"), place("localhost:80", "/"));
        assert_eq!(of("http://localhost?x"), place("localhost:80", "/?x"));
        assert_eq!(of("http://[::1]:81/"), place("[::1]:81", "/"));
        assert_eq!((of("https://localhost"), of("http://localhost:x/")), (None, None));
    }
}
