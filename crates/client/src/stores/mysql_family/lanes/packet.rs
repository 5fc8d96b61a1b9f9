//! Packets: a length of three bytes, a number that counts within a command, and the payload.
//!
//! <https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_packets.html>

use std::borrow::Cow;

use mysql_common::constants::{CapabilityFlags, MAX_PAYLOAD_LEN};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{CommonOkPacket, ErrPacket, OkPacketDeserializer};

use crate::adapter::StoreError;
use crate::stores::mysql_family::error_of_server;

/// Length and number.
const HEAD_BYTES: usize = 4;
/// Longest payload that is taken: what a server of ours sends at most (`max_allowed_packet`), and more than a row can be.
const MOST_BYTES: usize = 64 << 20;

/// What the payload of an answer begins with.
pub(super) const OK: u8 = 0x00;
pub(super) const MORE_DATA: u8 = 0x01;
pub(super) const LOCAL_FILE: u8 = 0xfb;
pub(super) const END: u8 = 0xfe;
pub(super) const ERROR: u8 = 0xff;

/// A whole payload.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packet<'a> {
    pub(super) payload: Cow<'a, [u8]>,
    /// Bytes that it takes, heads and all.
    pub(super) len: usize,
    /// The number that the next one has.
    pub(super) next: u8,
}

impl Packet<'_> {
    /// What kind of answer it is; no payload is empty that a server sends.
    pub(super) fn kind(&self) -> Result<u8, String> {
        self.payload.first().copied().ok_or_else(|| "the server sent an empty packet".into())
    }
}

/// The packet at the start of `bytes`, which must have the number `number`; nothing where it is not whole yet. Memory is
/// taken for what came, not for what is announced.
#[inline(always)]
pub(super) fn first(bytes: &[u8], number: u8) -> Result<Option<Packet<'_>>, String> {
    let Some((head, rest)) = bytes.split_at_checked(HEAD_BYTES) else { return Ok(None) };
    let len = usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16;
    if head[3] != number {
        return Err(disordered(head[3], number));
    }
    if len == MAX_PAYLOAD_LEN {
        return joined(bytes, number);
    }
    let next = number.wrapping_add(1);
    Ok(rest.get(..len).map(|payload| Packet { payload: Cow::Borrowed(payload), len: HEAD_BYTES + len, next }))
}

#[cold]
fn disordered(came: u8, awaited: u8) -> String {
    format!("the server sent packet number {came} where number {awaited} was to come")
}

/// A payload that is so long that it comes in several packets.
#[cold]
fn joined(bytes: &[u8], first: u8) -> Result<Option<Packet<'_>>, String> {
    let (mut at, mut number, mut parts) = (0, first, Vec::new());
    loop {
        let Some(head) = bytes.get(at..at + HEAD_BYTES) else { return Ok(None) };
        let len = usize::from(head[0]) | usize::from(head[1]) << 8 | usize::from(head[2]) << 16;
        if head[3] != number {
            return Err(disordered(head[3], number));
        }
        if at + len > MOST_BYTES {
            return Err(format!("the server announced a row of {} bytes or more, which is too long", at + len));
        }
        let Some(part) = bytes.get(at + HEAD_BYTES..at + HEAD_BYTES + len) else { return Ok(None) };
        parts.push(part);
        at += HEAD_BYTES + len;
        number = number.wrapping_add(1);
        if len < MAX_PAYLOAD_LEN {
            return Ok(Some(Packet { payload: Cow::Owned(parts.concat()), len: at, next: number }));
        }
    }
}

/// Appends a command whose payload `write` appends; returns the number of the packet that answers it.
#[inline(always)]
pub(super) fn command(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) -> u8 {
    packet(out, 0, write)
}

/// Appends a packet number `number`; returns the number of the next.
#[inline(always)]
pub(super) fn packet(out: &mut Vec<u8>, number: u8, write: impl FnOnce(&mut Vec<u8>)) -> u8 {
    let start = out.len();
    out.extend_from_slice(&[0; HEAD_BYTES]);
    write(out);
    let len = out.len() - start - HEAD_BYTES;
    if len >= MAX_PAYLOAD_LEN {
        return split(out, start, number);
    }
    out[start..start + HEAD_BYTES].copy_from_slice(&((len as u32) | u32::from(number) << 24).to_le_bytes());
    number.wrapping_add(1)
}

/// Puts heads between the parts of a payload that is too long for one packet.
#[cold]
fn split(out: &mut Vec<u8>, start: usize, mut number: u8) -> u8 {
    let payload = out.split_off(start + HEAD_BYTES);
    out.truncate(start);
    let mut parts = payload.chunks(MAX_PAYLOAD_LEN).peekable();
    loop {
        // One of full length is never the last: an empty one follows.
        let part = parts.next().unwrap_or_default();
        out.extend_from_slice(&((part.len() as u32) | u32::from(number) << 24).to_le_bytes());
        out.extend_from_slice(part);
        number = number.wrapping_add(1);
        if part.len() < MAX_PAYLOAD_LEN {
            return number;
        }
    }
}

/// Rows that a statement matched.
pub(super) fn affected(payload: &[u8], capabilities: CapabilityFlags) -> Result<u64, String> {
    let ok = ParseBuf(payload).parse::<OkPacketDeserializer<'_, CommonOkPacket>>(capabilities);
    ok.map(|ok| ok.into_inner().affected_rows()).map_err(|error| format!("the server's answer cannot be read: {error}"))
}

/// Number and words of an error, as its packet tells them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: u16,
    pub(super) state: String,
    pub(super) message: String,
}

impl Refusal {
    /// That of an error packet; before the handshake it has no state.
    pub(super) fn of(payload: &[u8]) -> Result<Refusal, String> {
        let parse = |capabilities| match ParseBuf(payload).parse::<ErrPacket<'_>>(capabilities) {
            Ok(ErrPacket::Error(error)) => Some(Refusal {
                code: error.error_code(),
                state: error.sql_state_ref().map(|state| state.as_str().into_owned()).unwrap_or_default(),
                message: error.message_str().into_owned(),
            }),
            Ok(ErrPacket::Progress(_)) | Err(_) => None,
        };
        parse(CapabilityFlags::CLIENT_PROTOCOL_41)
            .or_else(|| parse(CapabilityFlags::empty()))
            .ok_or_else(|| "the server's error cannot be read".into())
    }

    /// As the store's own error.
    pub(super) fn told(&self) -> StoreError {
        error_of_server(self.code, &self.state, &self.message)
    }
}
