//! Who may ask, and who may write: a page of another site must not, though the browser of somebody here could send its
//! request.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, Request, StatusCode, Version};
use kurabe_messages::{Message, message};

/// The names under which this service is known.
#[derive(Clone, Debug)]
pub struct Hosts {
    names: Vec<String>,
    /// Whether what stands before it here may pass on requests for a port of its own.
    proxied: bool,
}

/// What this machine calls itself.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

impl Hosts {
    /// Those of a service that listens at `address`.
    pub fn of(address: SocketAddr) -> Hosts {
        let port = address.port();
        let mut names = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            names.extend(LOOPBACK.map(|name| format!("{name}:{port}")));
        }
        Hosts { names, proxied: false }
    }

    /// And those that people gave, such as `board.example:80`.
    pub fn and(mut self, names: impl IntoIterator<Item = String>) -> Hosts {
        self.names.extend(names);
        self
    }

    /// And this machine at any port, for requests that another service here passes on unchanged. No page of another
    /// site can call itself so.
    pub fn behind_others_here(self) -> Hosts {
        Hosts { proxied: true, ..self }
    }

    /// Why a request is none for this service, where that is so. A name that somebody else owns may lead here, and then
    /// a page of that name could read; a number can only be typed.
    pub fn misdirected<B>(&self, request: &Request<B>) -> Option<(StatusCode, Message)> {
        let mut lines = request.headers().get_all(HOST).iter();
        let host = lines.next().map(|host| host.to_str().unwrap_or_default());
        if lines.next().is_some() {
            return Some((StatusCode::BAD_REQUEST, message!(board_one_host)));
        }
        let target = request.uri().authority().map(|target| target.as_str());
        let Some(host) = host else {
            let is_old = request.version() < Version::HTTP_11 && target.is_none();
            return (!is_old).then(|| (StatusCode::BAD_REQUEST, message!(board_needs_host)));
        };
        if target.is_some_and(|target| !target.eq_ignore_ascii_case(host)) {
            return Some((StatusCode::BAD_REQUEST, message!(board_hosts_differ)));
        }
        (!self.is_for_us(host) && !is_numeric(host)).then(|| (StatusCode::FORBIDDEN, message!(board_other_host)))
    }

    fn is_for_us(&self, host: &str) -> bool {
        self.knows(host) || self.proxied && is_here(host)
    }

    /// Why a request must not write, where that is so: it was sent to another name, which may lead here by a name
    /// server that lies, or by a page of another site.
    pub fn refuse(&self, headers: &HeaderMap) -> Option<Message> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok());
        if !host.is_some_and(|host| self.is_for_us(host)) {
            return Some(message!(board_other_host));
        }
        let origin = headers.get(ORIGIN)?.to_str().ok();
        let is_ours = origin.and_then(|origin| origin.split_once("://")).is_some_and(|(_, host)| self.knows(host));
        (!is_ours).then(|| message!(board_other_site))
    }

    fn knows(&self, host: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// Whether a host is named by its address, with or without a port.
fn is_numeric(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    host.parse::<SocketAddr>().is_ok() || bare.parse::<IpAddr>().is_ok()
}

/// Whether a host is this machine, at whatever port.
fn is_here(host: &str) -> bool {
    let name = host.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok()).map(|(name, _)| name);
    name.is_some_and(|name| LOOPBACK.iter().any(|known| known.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: Option<&str>, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        host.map(|host| headers.insert(HOST, host.parse().unwrap()));
        origin.map(|origin| headers.insert(ORIGIN, origin.parse().unwrap()));
        headers
    }

    #[test]
    fn only_our_own_pages_and_programs_write() {
        let hosts = Hosts::of("127.0.0.1:8080".parse().unwrap()).and(["board.example".to_string()]);
        for (host, origin, refused) in [
            (Some("127.0.0.1:8080"), None, false),
            (Some("LOCALHOST:8080"), None, false),
            (Some("board.example"), Some("https://board.example"), false),
            (Some("127.0.0.1:8080"), Some("http://127.0.0.1:8080"), false),
            (Some("127.0.0.1:8081"), None, true),
            (Some("evil.example:8080"), None, true),
            (None, None, true),
            (Some("127.0.0.1:8080"), Some("http://evil.example"), true),
            (Some("127.0.0.1:8080"), Some("null"), true),
        ] {
            assert_eq!(hosts.refuse(&headers(host, origin)).is_some(), refused, "{host:?} {origin:?}");
        }
    }

    #[test]
    fn a_request_names_one_host_and_it_is_this_one() {
        let hosts = Hosts::of("127.0.0.1:8080".parse().unwrap()).and(["board.example".to_string()]);
        for (target, named, version, status) in [
            ("/rows", &["127.0.0.1:8080"][..], Version::HTTP_11, None),
            ("/rows", &["localhost:8080"], Version::HTTP_11, None),
            ("/rows", &["board.example"], Version::HTTP_11, None),
            // Typed by somebody: no name leads here.
            ("/rows", &["192.168.1.5:8080"], Version::HTTP_11, None),
            ("/rows", &["[::1]"], Version::HTTP_11, None),
            ("http://board.example/rows", &["board.example"], Version::HTTP_11, None),
            ("/rows", &[], Version::HTTP_10, None),
            ("/rows", &[], Version::HTTP_11, Some(400)),
            ("/rows", &["127.0.0.1:8080", "evil.example"], Version::HTTP_11, Some(400)),
            ("/rows", &["127.0.0.1:8080", "127.0.0.1:8080"], Version::HTTP_11, Some(400)),
            ("http://evil.example/rows", &["127.0.0.1:8080"], Version::HTTP_11, Some(400)),
            ("http://127.0.0.1:8080/rows", &["evil.example"], Version::HTTP_11, Some(400)),
            ("/rows", &["evil.example"], Version::HTTP_11, Some(403)),
            ("/rows", &["127.0.0.1.evil.example:8080"], Version::HTTP_11, Some(403)),
            ("/rows", &[""], Version::HTTP_11, Some(403)),
        ] {
            let mut request = Request::builder().uri(target).version(version);
            for host in named {
                request = request.header(HOST, *host);
            }
            let refused = hosts.misdirected(&request.body(()).unwrap());
            assert_eq!(refused.map(|(status, _)| status.as_u16()), status, "{target} {named:?}");
        }
    }

    #[test]
    fn one_behind_another_service_here_is_written_to_at_any_port_of_this_machine() {
        let hosts = Hosts::of("127.0.0.1:8080".parse().unwrap()).behind_others_here();
        for (host, origin, refused) in [
            (Some("127.0.0.1:8081"), None, false),
            (Some("localhost:1"), None, false),
            (Some("[::1]:9"), None, false),
            (Some("evil.example:8081"), None, true),
            (Some("127.0.0.1.evil.example:8081"), None, true),
            (Some("127.0.0.1:80810"), None, true),
            (Some("127.0.0.1:8081"), Some("http://127.0.0.1:8081"), true),
            (Some("127.0.0.1:8081"), Some("http://evil.example"), true),
            (None, None, true),
        ] {
            assert_eq!(hosts.refuse(&headers(host, origin)).is_some(), refused, "{host:?} {origin:?}");
        }
    }
}
