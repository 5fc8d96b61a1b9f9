//! One line of the file: key, kind, fields, with tabs between them.
//!
//! In a text a tab, a newline and a backslash are `\t`, `\n` and `\\`; bytes that are not UTF-8 are `\xHH`.

use kurabe_protocol::value::FieldValue;
use kurabe_protocol::{FieldType, KeyMap};

use crate::adapter::{Key, Row, RowBuffer, StoreError};

/// The first line of a file. Every other line has a newline before it therefore.
pub(super) const HEADER: &[u8] = b"# kurabe: key, kind (+ insert, = update, - delete), fields\n";

/// What a line does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Insert,
    Update,
    Delete,
}

impl Kind {
    pub(super) fn byte(self) -> u8 {
        match self {
            Kind::Insert => b'+',
            Kind::Update => b'=',
            Kind::Delete => b'-',
        }
    }
}

/// A line, without its newline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) key: &'a [u8],
    pub(super) kind: Kind,
    pub(super) fields: &'a [u8],
}

impl<'a> Line<'a> {
    /// Takes a line apart.
    #[inline(always)]
    pub(super) fn parse(line: &'a [u8]) -> Result<Line<'a>, StoreError> {
        let at = memchr::memchr(b'\t', line).ok_or_else(|| malformed(line))?;
        let (key, rest) = (&line[..at], &line[at + 1..]);
        match rest {
            [b'+', b'\t', fields @ ..] => Ok(Line { key, kind: Kind::Insert, fields }),
            [b'=', b'\t', fields @ ..] => Ok(Line { key, kind: Kind::Update, fields }),
            [b'-'] => Ok(Line { key, kind: Kind::Delete, fields: &[] }),
            _ => Err(malformed(line)),
        }
    }

    /// The row's number in its key; `u32::MAX` where the key is none of ours.
    #[inline(always)]
    pub(super) fn row(&self, keys: &KeyMap) -> u32 {
        if !keys.is_text() {
            return integer(self.key).map_or(u32::MAX, |number| keys.row(keys.seen_int(number)));
        }
        if memchr::memchr(b'\\', self.key).is_none() {
            return keys.row(keys.seen_text(self.key));
        }
        unescape(self.key).map_or(u32::MAX, |key| keys.row(keys.seen_text(&key)))
    }

    /// Copies the fields.
    pub(super) fn decode(&self, schema: &[FieldType], out: &mut RowBuffer) -> Result<(), StoreError> {
        decode(self.fields, schema, out)
    }
}

#[cold]
fn malformed(line: &[u8]) -> StoreError {
    let start = String::from_utf8_lossy(&line[..line.len().min(60)]).into_owned();
    StoreError::store(format!("a line of the file is malformed: '{start}'"))
}

fn integer(digits: &[u8]) -> Option<i64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Writes a key.
#[inline(always)]
pub(super) fn write_key(out: &mut Vec<u8>, key: &Key) {
    if key.is_text() {
        escape(out, key.text_bytes());
    } else {
        write_integer(out, key.int());
    }
}

fn write_integer(out: &mut Vec<u8>, number: i64) {
    use std::io::Write;
    // Writing to a vector cannot fail.
    let _ = write!(out, "{number}");
}

/// Writes the line of a row.
#[inline(always)]
pub(super) fn write(out: &mut Vec<u8>, kind: Kind, row: &Row<'_>) {
    write_key(out, &row.key);
    out.extend_from_slice(&[b'\t', kind.byte()]);
    for field in row.layout.fields(row.raw) {
        out.push(b'\t');
        match field {
            FieldValue::Int(number) => write_integer(out, number),
            FieldValue::Text(text) => escape(out, text.as_bytes()),
            FieldValue::Bytes(bytes) if std::str::from_utf8(bytes).is_ok() => escape(out, bytes),
            FieldValue::Bytes(bytes) => escape_bytes(out, bytes),
        }
    }
    out.push(b'\n');
}

/// Writes the line of a delete.
pub(super) fn write_delete(out: &mut Vec<u8>, key: &Key) {
    write_key(out, key);
    out.extend_from_slice(&[b'\t', Kind::Delete.byte(), b'\n']);
}

fn escape(out: &mut Vec<u8>, mut text: &[u8]) {
    while let Some(at) = memchr::memchr3(b'\t', b'\n', b'\\', text) {
        out.extend_from_slice(&text[..at]);
        out.extend_from_slice(match text[at] {
            b'\t' => b"\\t",
            b'\n' => b"\\n",
            _ => b"\\\\",
        });
        text = &text[at + 1..];
    }
    out.extend_from_slice(text);
}

fn escape_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for &byte in bytes {
        if byte.is_ascii() {
            escape(out, &[byte]);
        } else {
            out.extend_from_slice(&[b'\\', b'x', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// Copies the fields of a line. Too few or too many make a row of a wrong length, which the check sees.
pub(super) fn decode(fields: &[u8], schema: &[FieldType], out: &mut RowBuffer) -> Result<(), StoreError> {
    out.clear();
    let mut rest = Some(fields);
    for field_type in schema {
        let Some(fields) = rest else { return Err(malformed(fields)) };
        let (field, after) = match memchr::memchr(b'\t', fields) {
            Some(at) => (&fields[..at], Some(&fields[at + 1..])),
            None => (fields, None),
        };
        rest = after;
        match field_type {
            FieldType::Int64 => out.push_int(integer(field).ok_or_else(|| malformed(field))?),
            _ if memchr::memchr(b'\\', field).is_none() => out.push_bytes(field),
            _ => out.push_bytes(&unescape(field).ok_or_else(|| malformed(field))?),
        }
    }
    if rest.is_some() { Err(malformed(fields)) } else { Ok(()) }
}

fn unescape(field: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let (byte, len) = match rest.get(at + 1)? {
            b't' => (b'\t', 2),
            b'n' => (b'\n', 2),
            b'\\' => (b'\\', 2),
            b'x' => (u8::from_str_radix(std::str::from_utf8(rest.get(at + 2..at + 4)?).ok()?, 16).ok()?, 4),
            _ => return None,
        };
        out.push(byte);
        rest = &rest[at + len..];
    }
    out.extend_from_slice(rest);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_protocol::{Field, Layout, Schema};
    use proptest::prelude::*;

    fn layout(field_type: FieldType, len: usize) -> Layout {
        let mut schema = Schema::key_value(len as u32);
        schema.fields[1].field_type = field_type;
        schema.fields.push(Field::new("n", FieldType::Int64, None));
        Layout::new(&schema)
    }

    /// The raw encoding of one text or bytes field and an int64.
    fn raw(bytes: &[u8], number: i64) -> Vec<u8> {
        [&(bytes.len() as u32).to_le_bytes()[..], bytes, &number.to_le_bytes()].concat()
    }

    proptest! {
        #[test]
        fn any_bytes_come_back_from_their_line(bytes in prop::collection::vec(any::<u8>(), 0..80), number: i64, row: u32) {
            let layout = layout(FieldType::Bytes, bytes.len());
            let raw = raw(&bytes, number);
            let mut written = Vec::new();
            let row = Row { key: Key::new(row, &layout), version: 0, raw: &raw, layout: &layout };
            write(&mut written, Kind::Update, &row);
            prop_assert!(std::str::from_utf8(&written).is_ok());
            prop_assert_eq!(written.iter().filter(|byte| **byte == b'\n').count(), 1);
            let line = Line::parse(&written[..written.len() - 1]).expect("well formed");
            prop_assert_eq!((line.row(layout.keys()), line.kind), (row.key.row, Kind::Update));
            let mut out = RowBuffer::new(&layout);
            line.decode(&[FieldType::Bytes, FieldType::Int64], &mut out).expect("well formed");
            prop_assert_eq!(out.raw(), &raw[..]);
        }
    }

    #[test]
    fn a_person_can_read_a_line() {
        let layout = layout(FieldType::Text, 12);
        let raw = raw("tab\there\nö\\".as_bytes(), -3);
        let mut written = Vec::new();
        write(&mut written, Kind::Insert, &Row { key: Key::new(7, &layout), version: 0, raw: &raw, layout: &layout });
        write_delete(&mut written, &Key::new(7, &layout));
        assert_eq!(String::from_utf8(written).expect("text"), "7\t+\ttab\\there\\nö\\\\\t-3\n7\t-\n");
    }

    #[test]
    fn malformed_lines_are_told() {
        assert!(Line::parse(b"12").is_err());
        assert!(Line::parse(b"12\t*\tx").is_err());
        let mut out = RowBuffer::default();
        assert!(decode(b"a", &[FieldType::Text, FieldType::Text], &mut out).is_err());
        assert!(decode(b"a\tb", &[FieldType::Text], &mut out).is_err());
        assert!(decode(b"a\\q", &[FieldType::Text], &mut out).is_err());
        assert!(decode(b"x", &[FieldType::Int64], &mut out).is_err());
    }
}
