//! A socket to a server, TCP or unix, connected and signed in before it becomes non-blocking.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kurabe_client::adapter::StoreError;
use mio::event::Source;
use mio::{Interest, Registry, Token};
use rustls::{ClientConfig, ClientConnection, pki_types::ServerName};

/// A non-blocking socket.
pub(crate) enum Socket {
    /// TCP, without Nagle's delay.
    Tcp(mio::net::TcpStream),
    /// A unix socket.
    Unix(mio::net::UnixStream),
    /// TCP with TLS over it.
    Tls(Box<ClientConnection>, mio::net::TcpStream),
}

/// Where a server listens.
#[derive(Clone, Debug)]
pub(crate) enum Address {
    /// Host and port.
    Tcp(String, u16),
    /// Host and port of a server with TLS, and how its certificate is checked.
    Tls(String, u16, Arc<ClientConfig>),
    /// Path of a unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(host, port) => write!(out, "{host}:{port}"),
            Address::Tls(host, port, _) => write!(out, "{host}:{port}"),
            Address::Unix(path) => write!(out, "{}", path.display()),
        }
    }
}

/// A stream that blocks, while a connection is made ready.
pub(crate) trait Stream: Read + Write {}

impl<S: Read + Write> Stream for S {}

impl Socket {
    /// Connects, and lets `sign_in` do what the server wants to hear first; each step within `limit`.
    pub(crate) fn open(
        address: &Address,
        limit: Duration,
        sign_in: impl FnOnce(&mut dyn Stream) -> Result<(), StoreError>,
    ) -> Result<Socket, StoreError> {
        let failed = |error: std::io::Error| {
            let words = format!("cannot connect to '{address}': {error}");
            let words = crate::common::tls::with_way_out(words);
            StoreError::Disconnected(words)
        };
        match address {
            Address::Tcp(host, port) => {
                let mut stream = connect_tcp(host, *port, limit).map_err(failed)?;
                sign_in(&mut stream)?;
                stream.set_nonblocking(true).map_err(failed)?;
                Ok(Socket::Tcp(mio::net::TcpStream::from_std(stream)))
            }
            Address::Tls(host, port, config) => {
                let mut stream = connect_tcp(host, *port, limit).map_err(failed)?;
                // An address of version 6 stands in brackets.
                let name =
                    ServerName::try_from(host.trim_matches(['[', ']']).to_string()).map_err(StoreError::store)?;
                let mut tls = ClientConnection::new(config.clone(), name).map_err(StoreError::store)?;
                // Here, so that words about a certificate are those of a connection that was never made.
                tls.complete_io(&mut stream).map_err(failed)?;
                sign_in(&mut rustls::Stream::new(&mut tls, &mut stream))?;
                stream.set_nonblocking(true).map_err(failed)?;
                Ok(Socket::Tls(Box::new(tls), mio::net::TcpStream::from_std(stream)))
            }
            Address::Unix(path) => {
                let mut stream = UnixStream::connect(path).map_err(failed)?;
                stream.set_read_timeout(Some(limit)).map_err(failed)?;
                sign_in(&mut stream)?;
                stream.set_nonblocking(true).map_err(failed)?;
                Ok(Socket::Unix(mio::net::UnixStream::from_std(stream)))
            }
        }
    }

    #[inline(always)]
    pub(super) fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.read(buffer),
            Socket::Unix(stream) => stream.read(buffer),
            Socket::Tls(tls, stream) => read_tls(tls, stream, buffer),
        }
    }

    #[inline(always)]
    pub(super) fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.write(bytes),
            Socket::Unix(stream) => stream.write(bytes),
            Socket::Tls(tls, stream) => {
                // A connection that holds as much as it may must be rid of some first.
                send_tls(tls, stream, false)?;
                match tls.writer().write(bytes)? {
                    0 => Err(ErrorKind::WouldBlock.into()),
                    len => send_tls(tls, stream, false).map(|()| len),
                }
            }
        }
    }

    /// Sends what a write took and the socket did not.
    #[inline(always)]
    pub(super) fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Socket::Tls(tls, stream) => send_tls(tls, stream, true),
            _ => Ok(()),
        }
    }

    /// Whether nothing is there any more where a read took less than there was room for.
    pub(super) fn ends_with_a_short_read(&self) -> bool {
        matches!(self, Socket::Tcp(_) | Socket::Unix(_))
    }

    fn source(&mut self) -> &mut dyn Source {
        match self {
            Socket::Tcp(stream) => stream,
            Socket::Unix(stream) => stream,
            Socket::Tls(_, stream) => stream,
        }
    }

    pub(super) fn register(&mut self, registry: &Registry, token: Token, interest: Interest) -> std::io::Result<()> {
        registry.register(self.source(), token, interest)
    }

    pub(super) fn reregister(&mut self, registry: &Registry, token: Token, interest: Interest) -> std::io::Result<()> {
        registry.reregister(self.source(), token, interest)
    }

    pub(super) fn deregister(&mut self, registry: &Registry) -> std::io::Result<()> {
        registry.deregister(self.source())
    }
}

/// Reads what came, with all that the socket has for it.
fn read_tls(tls: &mut ClientConnection, stream: &mut mio::net::TcpStream, buffer: &mut [u8]) -> std::io::Result<usize> {
    loop {
        match tls.reader().read(buffer) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            read => return read,
        }
        if tls.read_tls(stream)? == 0 {
            return Ok(0);
        }
        tls.process_new_packets().map_err(|error| std::io::Error::new(ErrorKind::InvalidData, error))?;
        send_tls(tls, stream, false)?;
    }
}

/// Sends what there is; a socket that is full is an error where all must go.
fn send_tls(tls: &mut ClientConnection, stream: &mut mio::net::TcpStream, all: bool) -> std::io::Result<()> {
    while tls.wants_write() {
        match tls.write_tls(stream) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock && !all => break,
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Without Nagle's delay.
fn connect_tcp(host: &str, port: u16, limit: Duration) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(limit))?;
                return Ok(stream);
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
