//! How a connection is made for the lanes: where the server is, who asks, and what is prepared before the first request.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use bytes::BytesMut;
use postgres::Config;
use postgres::config::{ChannelBinding, Host, SslMode, SslNegotiation, TargetSessionAttrs};
use postgres::fallible_iterator::FallibleIterator;
use postgres_protocol::authentication::{md5_hash, sasl};
use postgres_protocol::message::backend::{AuthenticationSaslBody, Header, Message};
use postgres_protocol::message::frontend;

use super::message::{MOST_BYTES, ServerError, unreadable};
use crate::adapter::StoreError;
use crate::stores::common::lanes::socket::{Address, Socket, Stream};

/// The port of a server where the address names none.
const PORT: u16 = 5432;
/// Negotiates the protocol's version: the crate knows no such message.
const NEGOTIATE_PROTOCOL_VERSION: u8 = b'v';

/// Whom to ask, and as whom.
#[derive(Clone)]
pub(super) struct SignIn {
    config: Config,
    addresses: Vec<Address>,
    user: String,
    limit: Duration,
}

impl SignIn {
    /// For a server as `config` tells it; each step may take `limit`. What the lanes cannot do is refused in words.
    pub(super) fn new(config: Config, limit: Duration) -> Result<SignIn, StoreError> {
        if config.get_ssl_mode() == SslMode::Require || config.get_ssl_negotiation() == SslNegotiation::Direct {
            return Err(StoreError::store(
                "TLS is not supported here; leave sslmode=require and sslnegotiation=direct out, or ask through a proxy that speaks it",
            ));
        }
        if config.get_channel_binding() == ChannelBinding::Require {
            return Err(StoreError::store("channel binding needs TLS, which is not supported here; leave it out"));
        }
        if config.get_target_session_attrs() != TargetSessionAttrs::Any {
            return Err(StoreError::store(
                "target_session_attrs is only known to the driver 'blocking'; leave it out, or ask by postgres+rust:blocking",
            ));
        }
        let user = match config.get_user() {
            Some(user) => user.to_string(),
            None => whoami::username().map_err(|error| {
                StoreError::store(format!("the address names no user, and who runs this is not known: {error}"))
            })?,
        };
        Ok(SignIn { addresses: addresses(&config)?, config, user, limit })
    }

    /// A connection to the first server that can be connected to, on which `statements` are prepared and `first` was done.
    pub(super) fn connect(&self, first: Option<&str>, prepare: &BytesMut) -> Result<Socket, StoreError> {
        let mut last = StoreError::store("the address names no server");
        for address in &self.addresses {
            let sign_in = |stream: &mut dyn Stream| {
                let mut talk = Talk { stream, incoming: BytesMut::new(), out: BytesMut::new() };
                talk.start(self)?;
                if let Some(first) = first {
                    frontend::query(first, &mut talk.out).map_err(encoding)?;
                    talk.send()?;
                    talk.until_ready()?;
                }
                if !prepare.is_empty() {
                    talk.out.extend_from_slice(prepare);
                    frontend::sync(&mut talk.out);
                    talk.send()?;
                    talk.until_ready()?;
                }
                talk.end()
            };
            match Socket::open(address, self.limit, sign_in) {
                // Only where nobody answers is the next one asked.
                Err(error @ StoreError::Disconnected(_)) => last = error,
                other => return other,
            }
        }
        Err(last)
    }
}

/// The places of `config` where a server may be, in their order.
fn addresses(config: &Config) -> Result<Vec<Address>, StoreError> {
    let (ports, numbers) = (config.get_ports(), config.get_hostaddrs());
    let port = |at: usize| ports.get(at).or(ports.last()).copied().unwrap_or(PORT);
    let unix = |folder: &Path, at: usize| Address::Unix(folder.join(format!(".s.PGSQL.{}", port(at))));
    let places: Vec<Address> = match config.get_hosts() {
        [] => numbers.iter().enumerate().map(|(at, number)| Address::Tcp(number.to_string(), port(at))).collect(),
        hosts => {
            let place = |(at, host): (usize, &Host)| match (host, numbers.get(at)) {
                (_, Some(number)) => Address::Tcp(number.to_string(), port(at)),
                (Host::Tcp(name), None) => Address::Tcp(name.clone(), port(at)),
                (Host::Unix(folder), None) => unix(folder, at),
            };
            hosts.iter().enumerate().map(place).collect()
        }
    };
    if places.is_empty() {
        return Err(StoreError::store("the address names no host"));
    }
    Ok(places)
}

/// What cannot be said in this protocol: a name with a zero in it.
fn encoding(error: std::io::Error) -> StoreError {
    StoreError::store(format!("this cannot be said to the server: {error}"))
}

/// A connection on which one waits for each answer.
struct Talk<'a> {
    stream: &'a mut dyn Stream,
    incoming: BytesMut,
    out: BytesMut,
}

impl Talk<'_> {
    /// Says who asks, proves it, and waits until the server is ready.
    fn start(&mut self, sign_in: &SignIn) -> Result<(), StoreError> {
        let config = &sign_in.config;
        let named = [
            ("database", config.get_dbname()),
            ("options", config.get_options()),
            ("application_name", config.get_application_name()),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let told = [("client_encoding", "UTF8"), ("user", sign_in.user.as_str())].into_iter().chain(named);
        frontend::startup_message(told, &mut self.out).map_err(encoding)?;
        self.send()?;
        self.authenticate(sign_in)?;
        self.until_ready()
    }

    fn authenticate(&mut self, sign_in: &SignIn) -> Result<(), StoreError> {
        let password = || {
            let password = sign_in.config.get_password();
            password.ok_or_else(|| StoreError::store("the server wants a password, and the address has none"))
        };
        match self.next()? {
            Message::AuthenticationOk => return Ok(()),
            Message::AuthenticationCleartextPassword => {
                frontend::password_message(password()?, &mut self.out).map_err(encoding)?;
            }
            Message::AuthenticationMd5Password(asked) => {
                let hash = md5_hash(sign_in.user.as_bytes(), password()?, asked.salt());
                frontend::password_message(hash.as_bytes(), &mut self.out).map_err(encoding)?;
            }
            Message::AuthenticationSasl(asked) => self.scram(&asked, password()?)?,
            Message::AuthenticationKerberosV5 => return Err(unknown_way("Kerberos")),
            Message::AuthenticationGss => return Err(unknown_way("GSSAPI")),
            Message::AuthenticationSspi => return Err(unknown_way("SSPI")),
            Message::AuthenticationScmCredential => return Err(unknown_way("SCM credentials")),
            _ => return Err(out_of_turn("how it wants to be shown who asks")),
        }
        self.send()?;
        match self.next()? {
            Message::AuthenticationOk => Ok(()),
            _ => Err(out_of_turn("whether it believes who asks")),
        }
    }

    /// SCRAM-SHA-256; the last message of it is only checked.
    fn scram(&mut self, asked: &AuthenticationSaslBody, password: &[u8]) -> Result<(), StoreError> {
        let mut ways = asked.mechanisms();
        let mut knows = false;
        while let Some(way) = ways.next().map_err(unreadable)? {
            knows |= way == sasl::SCRAM_SHA_256;
        }
        if !knows {
            return Err(unknown_way("a SASL mechanism other than SCRAM-SHA-256"));
        }
        let mut scram = sasl::ScramSha256::new(password, sasl::ChannelBinding::unsupported());
        frontend::sasl_initial_response(sasl::SCRAM_SHA_256, scram.message(), &mut self.out).map_err(encoding)?;
        self.send()?;
        let Message::AuthenticationSaslContinue(body) = self.next()? else {
            return Err(out_of_turn("its part of SCRAM"));
        };
        let wrong = |error: std::io::Error| StoreError::store(format!("the server's part of SCRAM is wrong: {error}"));
        scram.update(body.data()).map_err(wrong)?;
        frontend::sasl_response(scram.message(), &mut self.out).map_err(encoding)?;
        self.send()?;
        let Message::AuthenticationSaslFinal(body) = self.next()? else {
            return Err(out_of_turn("the end of SCRAM"));
        };
        scram.finish(body.data()).map_err(wrong)
    }

    /// Waits until everything that was sent is done.
    fn until_ready(&mut self) -> Result<(), StoreError> {
        loop {
            if let Message::ReadyForQuery(_) = self.next()? {
                return Ok(());
            }
        }
    }

    /// What came beyond the last answer can only be what a server says without being asked: it is read to its end.
    fn end(&mut self) -> Result<(), StoreError> {
        while !self.incoming.is_empty() {
            match self.next()? {
                Message::NoticeResponse(_) | Message::ParameterStatus(_) | Message::NotificationResponse(_) => {}
                _ => return Err(out_of_turn("nothing")),
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), StoreError> {
        self.stream.write_all(&self.out).map_err(|error| lost(&error))?;
        self.out.clear();
        Ok(())
    }

    /// The next message; an error that it is becomes one. Memory is taken for what came, never for what is only announced.
    fn next(&mut self) -> Result<Message, StoreError> {
        let mut chunk = [0; 4096];
        loop {
            if let Some(header) = Header::parse(&self.incoming).map_err(unreadable)? {
                if header.tag() == NEGOTIATE_PROTOCOL_VERSION {
                    return Err(StoreError::store("the server does not speak version 3.0 of the protocol"));
                }
                let len = header.len() as usize;
                if len > MOST_BYTES {
                    return Err(StoreError::store(format!(
                        "the server announced a message of {len} bytes before anything was asked: is it PostgreSQL?"
                    )));
                }
                if self.incoming.len() > len {
                    return match Message::parse(&mut self.incoming).map_err(unreadable)? {
                        Some(Message::ErrorResponse(error)) => Err(ServerError::of(&error).into_error()),
                        Some(message) => Ok(message),
                        None => Err(out_of_turn("a whole message")),
                    };
                }
            }
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(StoreError::Disconnected("the server closed the connection".into())),
                Ok(len) => self.incoming.extend_from_slice(&chunk[..len]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(lost(&error)),
            }
        }
    }
}

fn lost(error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => StoreError::Timeout,
        _ => StoreError::Disconnected(error.to_string()),
    }
}

fn unknown_way(way: &str) -> StoreError {
    let known = "SCRAM-SHA-256, MD5, a password in clear or none";
    StoreError::store(format!("the server wants to be shown who asks by {way}; known here are {known}"))
}

fn out_of_turn(awaited: &str) -> StoreError {
    StoreError::store(format!("the server sent something else while {awaited} was awaited"))
}

#[cfg(test)]
#[path = "sign_in_tests.rs"]
mod tests;
