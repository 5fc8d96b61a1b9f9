//! The bytes of a data file as the readers of records take them: UTF-8, lines that end with a line feed.
//!
//! What a file says itself, by its mark (BOM) or by the ends of its lines, is read as it says: UTF-16, and lines that end
//! with a carriage return alone. All other encodings can only be guessed, and a wrong guess would be measured without
//! anybody seeing it, so they are refused with the command that converts them (`encodings`).

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

/// How the bytes of a file are to be read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coding {
    utf16: Option<Order>,
    /// Whether lines end with a carriage return alone.
    returns: bool,
}

/// Order of the bytes of a UTF-16 unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Little,
    Big,
}

impl Coding {
    /// Learns it from the mark of a file and from the first end of a line within `most` bytes.
    pub(crate) fn of(file: &File, most: u64) -> io::Result<Coding> {
        let mut mark = [0; 4];
        let count = file.read_at(&mut mark, 0)?;
        let utf16 = match &mark[..count] {
            // That of UTF-32, whose zero bytes are refused.
            [0xff, 0xfe, 0, 0] => None,
            [0xff, 0xfe, ..] => Some(Order::Little),
            [0xfe, 0xff, ..] => Some(Order::Big),
            _ => None,
        };
        let coding = Coding { utf16, returns: false };
        let mut text = Text::new(file.try_clone()?, coding).take(most);
        let mut has_return = false;
        let mut some = vec![0; 1 << 16];
        loop {
            let count = match text.read(&mut some) {
                Ok(count) => count,
                // What is wrong with it is told by the readers, with its line.
                Err(error) if error.get_ref().is_some_and(|inner| inner.is::<NoUtf16>()) => 0,
                Err(error) => return Err(error),
            };
            if memchr::memchr(b'\n', &some[..count]).is_some() {
                return Ok(coding);
            }
            has_return |= memchr::memchr(b'\r', &some[..count]).is_some();
            if count == 0 {
                return Ok(Coding { returns: has_return, ..coding });
            }
        }
    }

    /// Whether the file is read byte by byte as it is.
    pub(crate) fn is_plain(self) -> bool {
        self == Coding::default()
    }
}

/// What is answered for UTF-16 with half a character.
#[derive(Debug, thiserror::Error)]
#[error("the UTF-16 has half a character")]
pub(crate) struct NoUtf16;

/// What is answered for a line feed in a file whose lines end with a carriage return.
#[derive(Debug, thiserror::Error)]
#[error("the ends of lines are mixed")]
pub(crate) struct MixedEnds;

/// A file that is read from its start on, as UTF-8. It keeps a place of its own in the file.
pub(crate) struct Text {
    file: File,
    coding: Coding,
    /// Bytes of the file that were read.
    read: u64,
    crc: crc32fast::Hasher,
    /// Bytes that were read and not yet decoded: a part of a character.
    rest: Vec<u8>,
    /// What was decoded, of which the part from `taken` on was not yet given.
    decoded: Vec<u8>,
    taken: usize,
}

impl Text {
    pub(crate) fn new(file: File, coding: Coding) -> Text {
        let crc = crc32fast::Hasher::new();
        Text { file, coding, read: 0, crc, rest: Vec::new(), decoded: Vec::new(), taken: 0 }
    }

    /// Bytes of the file that were read.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// CRC-32 of what was read.
    pub(crate) fn crc32(&self) -> u32 {
        self.crc.clone().finalize()
    }

    /// The `len` bytes of UTF-8 from byte `from` of it on, once more.
    pub(crate) fn reread(&self, from: u64, len: usize) -> io::Result<Vec<u8>> {
        let mut part = vec![0; len];
        if self.coding.utf16.is_some() {
            // Where a character lies is not known.
            let mut again = Text::new(self.file.try_clone()?, self.coding);
            io::copy(&mut again.by_ref().take(from), &mut io::sink())?;
            again.read_exact(&mut part)?;
        } else {
            self.file.read_exact_at(&mut part, from)?;
            self.mend_ends(&mut part)?;
        }
        Ok(part)
    }

    /// Reads from the file itself.
    fn fetch(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.read)?;
        self.read += count as u64;
        self.crc.update(&buffer[..count]);
        Ok(count)
    }

    /// Gives lines that end with a carriage return a line feed in its place.
    fn mend_ends(&self, bytes: &mut [u8]) -> io::Result<()> {
        if !self.coding.returns {
            return Ok(());
        }
        if memchr::memchr(b'\n', bytes).is_some() {
            return Err(io::Error::other(MixedEnds));
        }
        bytes.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
        Ok(())
    }

    /// Decodes the next part of a UTF-16 file; at its end nothing comes.
    fn decode(&mut self, order: Order) -> io::Result<()> {
        let mut some = [0; 1 << 14];
        let kept = self.rest.len();
        some[..kept].copy_from_slice(&self.rest);
        let count = self.fetch(&mut some[kept..])?;
        let bytes = &some[..kept + count];
        let units = bytes.chunks_exact(2).map(|pair| match order {
            Order::Little => u16::from_le_bytes([pair[0], pair[1]]),
            Order::Big => u16::from_be_bytes([pair[0], pair[1]]),
        });
        let mut units: Vec<u16> = units.collect();
        // The first half of a pair waits for the second.
        if units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit)) && count > 0 {
            units.pop();
        }
        self.rest = bytes[units.len() * 2..].to_vec();
        if count == 0 && !self.rest.is_empty() {
            return Err(io::Error::other(NoUtf16));
        }
        let text = String::from_utf16(&units).map_err(|_| io::Error::other(NoUtf16))?;
        let mut decoded = text.into_bytes();
        self.mend_ends(&mut decoded)?;
        (self.decoded, self.taken) = (decoded, 0);
        Ok(())
    }
}

impl Read for Text {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(order) = self.coding.utf16 else {
            let count = self.fetch(buffer)?;
            self.mend_ends(&mut buffer[..count])?;
            return Ok(count);
        };
        while self.taken == self.decoded.len() {
            let before = self.read;
            self.decode(order)?;
            if self.decoded.is_empty() && self.read == before {
                return Ok(0);
            }
        }
        let ready = &self.decoded[self.taken..];
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        self.taken += count;
        Ok(count)
    }
}
