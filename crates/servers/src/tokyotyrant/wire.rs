//! Tokyo Tyrant's own binary protocol over TCP, as its manual describes it: <https://dbmx.net/tokyotyrant/spex.html#protocol>.
//!
//! A request is a magic byte, the number of its command, lengths, and then the bytes that they are of; numbers are big
//! endian. A reply begins with a code: 0 where it was done. No crate speaks it.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use kurabe_client::adapter::{RowBuffer, StoreError};
use kurabe_client::common::columns::TextColumns;

const MAGIC: u8 = 0xC8;
/// Room for what comes; it grows where a value is longer.
const ROOM_BYTES: usize = 64 << 10;
/// Room that grew beyond this is given back.
const KEPT_BYTES: usize = 4 << 20;

/// A command, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Command {
    Put = 0x10,
    PutKeep = 0x11,
    Out = 0x20,
    Get = 0x30,
    MultiGet = 0x31,
    ValueSize = 0x38,
    KeysByPrefix = 0x58,
    AddInt = 0x60,
    Sync = 0x70,
    Size = 0x81,
    Stat = 0x88,
    Misc = 0x90,
}

/// A server's host and port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// Of `tokyotyrant://host[:port]`; none where it is no such address.
    pub(super) fn parse(url: &str) -> Option<Address> {
        const PORT: u16 = 1978;
        let rest = url.strip_prefix("tokyotyrant://")?.trim_end_matches('/');
        let (host, port) = match rest.rsplit_once(':') {
            // An address of version 6 without a port ends in its bracket.
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (rest, PORT),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_name = !host.is_empty() && !host.contains(['/', '@', '?', '#', ' ']);
        is_name.then(|| Address { host: host.to_string(), port })
    }
}

/// A request that is being made.
pub(super) struct Request<'a> {
    bytes: &'a mut Vec<u8>,
}

impl Request<'_> {
    /// A number, or the length of bytes that come later.
    #[inline(always)]
    pub(super) fn number(&mut self, number: u32) {
        self.bytes.extend_from_slice(&number.to_be_bytes());
    }

    /// Bytes, whose length was sent before.
    #[inline(always)]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The length of bytes, and they themselves.
    #[inline(always)]
    pub(super) fn sized(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u32);
        self.bytes(bytes);
    }
}

/// A connection. After an error nothing more can be told from what comes, so it is closed.
pub(super) struct Wire<S = TcpStream> {
    stream: Option<S>,
    request: Vec<u8>,
    /// Room for what comes. Of it `at` bytes are taken, and `filled` have come.
    reply: Vec<u8>,
    at: usize,
    filled: usize,
}

impl Wire {
    /// Connects; every wait ends after `limit`.
    pub(super) fn open(address: &Address, limit: Duration) -> Result<Wire, StoreError> {
        let limit = limit.max(Duration::from_millis(1));
        let found = (address.host.as_str(), address.port).to_socket_addrs().map_err(|error| disconnected(&error))?;
        let mut last = StoreError::Disconnected(format!("no address is known for '{}'", address.host));
        for place in found {
            match TcpStream::connect_timeout(&place, limit) {
                Ok(stream) => {
                    let ready = stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(limit)));
                    ready.and_then(|()| stream.set_write_timeout(Some(limit))).map_err(|error| disconnected(&error))?;
                    return Ok(Wire::over(stream));
                }
                Err(error) => last = disconnected(&error),
            }
        }
        Err(last)
    }
}

impl<S: Read + Write> Wire<S> {
    pub(super) fn over(stream: S) -> Wire<S> {
        Wire { stream: Some(stream), request: Vec::new(), reply: vec![0; ROOM_BYTES], at: 0, filled: 0 }
    }

    /// Sends a command with what `fill` adds; whether the server did it.
    #[inline(always)]
    pub(super) fn ask(&mut self, command: Command, fill: impl FnOnce(&mut Request<'_>)) -> Result<bool, StoreError> {
        self.request.clear();
        self.request.extend_from_slice(&[MAGIC, command as u8]);
        fill(&mut Request { bytes: &mut self.request });
        (self.at, self.filled) = (0, 0);
        if self.reply.len() > KEPT_BYTES {
            self.reply = vec![0; ROOM_BYTES];
        }
        let stream = self.stream.as_mut().ok_or_else(closed)?;
        if let Err(error) = stream.write_all(&self.request) {
            return Err(self.close(&error));
        }
        Ok(self.take(1)?[0] == 0)
    }

    /// A command that takes a name and arguments and gives a list: how many elements, none where it was not done. Each is
    /// taken by [`Wire::sized`].
    #[inline(always)]
    pub(super) fn misc<'a>(
        &mut self,
        name: &str,
        args: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Result<Option<u32>, StoreError> {
        let done = self.ask(Command::Misc, |request| {
            request.number(name.len() as u32);
            request.number(0);
            request.number(args.clone().count() as u32);
            request.bytes(name.as_bytes());
            args.for_each(|arg| request.sized(arg));
        })?;
        // The number comes after a failure too.
        let count = self.number()?;
        Ok(done.then_some(count))
    }

    /// Takes a number of the reply.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Result<u32, StoreError> {
        let bytes = self.take(4)?;
        Ok(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Takes a number of 64 bits.
    pub(super) fn long(&mut self) -> Result<u64, StoreError> {
        let (high, low) = (self.number()?, self.number()?);
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    /// Takes a length and the bytes that it is of.
    #[inline(always)]
    pub(super) fn sized(&mut self) -> Result<&[u8], StoreError> {
        let len = self.number()?;
        self.take(len as usize)
    }

    /// Takes a record of a list: two lengths, a key and a value.
    #[inline(always)]
    pub(super) fn record(&mut self) -> Result<(&[u8], &[u8]), StoreError> {
        let (key, value) = (self.number()? as usize, self.number()? as usize);
        Ok(self.take(key + value)?.split_at(key))
    }

    /// Takes `count` elements, names and values of columns in turn, and copies them as [`TextColumns::copy`] does.
    #[inline(always)]
    pub(super) fn columns(&mut self, columns: &TextColumns, count: u32, out: &mut RowBuffer) -> Result<(), StoreError> {
        let mut columns = columns.iter();
        for _ in 0..count / 2 {
            let name = self.sized()?;
            let column = columns.next().filter(|column| column.name.as_bytes() == name);
            let value = self.sized()?;
            if let Some(column) = column {
                column.copy(value, out);
            }
        }
        Ok(())
    }

    /// Takes `len` bytes, and waits for them.
    #[inline(always)]
    fn take(&mut self, len: usize) -> Result<&[u8], StoreError> {
        if self.filled - self.at < len {
            self.receive(len)?;
        }
        self.at += len;
        Ok(&self.reply[self.at - len..self.at])
    }

    fn receive(&mut self, len: usize) -> Result<(), StoreError> {
        self.reply.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.at = 0;
        while self.filled < len {
            if self.filled == self.reply.len() {
                // With what comes, not with what is said to come: a length that is wrong must not take the memory.
                self.reply.resize((2 * self.filled).min(len), 0);
            }
            let stream = self.stream.as_mut().ok_or_else(closed)?;
            match stream.read(&mut self.reply[self.filled..]) {
                Ok(0) => return Err(self.close(&ErrorKind::UnexpectedEof.into())),
                Ok(count) => self.filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.close(&error)),
            }
        }
        Ok(())
    }

    /// Room that it holds.
    #[cfg(test)]
    pub(super) fn room_bytes(&self) -> usize {
        self.reply.len()
    }

    #[cold]
    fn close(&mut self, error: &std::io::Error) -> StoreError {
        self.stream = None;
        disconnected(error)
    }
}

#[cold]
fn closed() -> StoreError {
    StoreError::Disconnected("it was closed after an error".into())
}

#[cold]
fn disconnected(error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => StoreError::Timeout,
        ErrorKind::UnexpectedEof => StoreError::Disconnected("the server closed the connection".into()),
        _ => StoreError::Disconnected(error.to_string()),
    }
}
