//! A socket to a server, TCP or unix, connected and signed in before it becomes non-blocking.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use crate::adapter::StoreError;
use mio::event::Source;
use mio::{Interest, Registry, Token};

/// A non-blocking socket.
pub(crate) enum Socket {
    /// TCP, without Nagle's delay.
    Tcp(mio::net::TcpStream),
    /// A unix socket.
    Unix(mio::net::UnixStream),
}

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// Host and port.
    Tcp(String, u16),
    /// Path of a unix socket.
    Unix(PathBuf),
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(host, port) => write!(out, "{host}:{port}"),
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
        let failed =
            |error: std::io::Error| StoreError::Disconnected(format!("cannot connect to '{address}': {error}"));
        match address {
            Address::Tcp(host, port) => {
                let mut stream = connect_tcp(host, *port, limit).map_err(failed)?;
                stream.set_nodelay(true).map_err(failed)?;
                stream.set_read_timeout(Some(limit)).map_err(failed)?;
                sign_in(&mut stream)?;
                stream.set_nonblocking(true).map_err(failed)?;
                Ok(Socket::Tcp(mio::net::TcpStream::from_std(stream)))
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
        }
    }

    #[inline(always)]
    pub(super) fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.write(bytes),
            Socket::Unix(stream) => stream.write(bytes),
        }
    }

    fn source(&mut self) -> &mut dyn Source {
        match self {
            Socket::Tcp(stream) => stream,
            Socket::Unix(stream) => stream,
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

fn connect_tcp(host: &str, port: u16, limit: Duration) -> std::io::Result<TcpStream> {
    let mut last = std::io::Error::new(ErrorKind::NotFound, "the name has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, limit) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
