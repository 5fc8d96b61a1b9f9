//! A socket to the server, TCP or unix, connected and signed in before it becomes non-blocking.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use mio::event::Source;
use mio::{Interest, Registry, Token};
use redis::{ConnectionAddr, ConnectionInfo};
use redis_protocol::resp2::types::RangeFrame;

use super::reply;
use crate::adapter::StoreError;

/// A non-blocking socket.
pub(super) enum Socket {
    /// TCP, without Nagle's delay.
    Tcp(mio::net::TcpStream),
    /// A unix socket.
    Unix(mio::net::UnixStream),
}

impl Socket {
    /// Connects, signs in and selects the database as `address` tells, each step within `limit`.
    pub(super) fn open(address: &ConnectionInfo, limit: Duration) -> Result<Socket, StoreError> {
        let failed = |error: std::io::Error| {
            StoreError::Disconnected(format!("cannot connect to '{}': {error}", address.addr()))
        };
        match address.addr() {
            ConnectionAddr::Tcp(host, port) => {
                let mut stream = connect_tcp(host, *port, limit).map_err(failed)?;
                stream.set_nodelay(true).map_err(failed)?;
                stream.set_read_timeout(Some(limit)).map_err(failed)?;
                sign_in(&mut stream, address)?;
                stream.set_nonblocking(true).map_err(failed)?;
                Ok(Socket::Tcp(mio::net::TcpStream::from_std(stream)))
            }
            ConnectionAddr::Unix(path) => {
                let mut stream = UnixStream::connect(path).map_err(failed)?;
                stream.set_read_timeout(Some(limit)).map_err(failed)?;
                sign_in(&mut stream, address)?;
                stream.set_nonblocking(true).map_err(failed)?;
                Ok(Socket::Unix(mio::net::UnixStream::from_std(stream)))
            }
            _ => Err(StoreError::store("TLS is not supported here; use a redis:// or unix:// address")),
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

/// Signs in, selects the database, and asks for a sign of life: a server that has too many clients tells so only now.
fn sign_in(stream: &mut (impl Read + Write), address: &ConnectionInfo) -> Result<(), StoreError> {
    let settings = address.redis_settings();
    let mut pipeline = redis::pipe();
    if let Some(password) = settings.password() {
        // Servers before version 6 know no users: one argument.
        pipeline.cmd("AUTH").arg(settings.username()).arg(password);
    }
    if settings.db() != 0 {
        pipeline.cmd("SELECT").arg(settings.db());
    }
    pipeline.cmd("PING");
    let mut replies = pipeline.len();
    let commands = pipeline.get_packed_pipeline();
    let lost = |error: std::io::Error| StoreError::Disconnected(error.to_string());
    stream.write_all(&commands).map_err(lost)?;
    let (mut bytes, mut chunk) = (Vec::new(), [0u8; 512]);
    while replies > 0 {
        if let Some((frame, len)) = reply::decode(&bytes).map_err(StoreError::Disconnected)? {
            if !matches!(frame, RangeFrame::SimpleString(_)) {
                return Err(reply::failure(&frame, &bytes));
            }
            bytes.drain(..len);
            replies -= 1;
            continue;
        }
        match stream.read(&mut chunk) {
            Ok(0) => return Err(StoreError::Disconnected("the server closed the connection".into())),
            Ok(len) => bytes.extend_from_slice(&chunk[..len]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(lost(error)),
        }
    }
    Ok(())
}
