//! Keys: how rows get theirs, and which row a key that a store gives belongs to.

use crate::digits::{DIGITS, Digits, parse_some};
use crate::own::OwnRows;
use crate::schema::{FieldType, MAX_PREFIX_BYTES, Schema};

/// Most bytes of a generated text key: its prefix and the row's digits.
pub const MADE_KEY_BYTES: usize = MAX_PREFIX_BYTES + DIGITS;
/// Most bytes of a text key of own data.
pub const MAX_KEY_BYTES: usize = 255;
/// The prefix where a schema gives none.
pub const DEFAULT_PREFIX: &str = "k";

/// The keys of a job. A copy is two words and a few; adapters keep one to tell rows from keys.
#[derive(Clone, Copy, Debug)]
pub struct KeyMap {
    key_type: FieldType,
    source: Source,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Made { prefix: [u8; MAX_PREFIX_BYTES], len: u8, digits: u8 },
    Own(&'static OwnRows),
}

/// A key as a store gave it back. For generated keys it is a row already; own keys are looked up when there is time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnedKey<'a> {
    /// The row with this number; `u32::MAX` where the key is none of ours.
    Row(u32),
    /// An int64 key of own data.
    OwnInt(i64),
    /// A text key of own data.
    OwnText(&'a [u8]),
}

/// Where the key of a row comes from.
#[derive(Clone, Copy, Debug)]
pub enum KeySource<'a> {
    /// The row's number.
    Number,
    /// This prefix and so many of the row's ten digits, the last ones.
    Prefix(&'a [u8], usize),
    /// The data.
    Own(&'static OwnRows),
}

impl KeyMap {
    /// The keys of a valid schema, over own rows where there are some.
    pub fn new(schema: &Schema, own: Option<&'static OwnRows>) -> KeyMap {
        let key = schema.key();
        let source = own.map_or_else(
            || {
                let text = key.prefix.as_deref().unwrap_or(DEFAULT_PREFIX).as_bytes();
                let mut prefix = [0; MAX_PREFIX_BYTES];
                let len = text.len().min(MAX_PREFIX_BYTES);
                prefix[..len].copy_from_slice(&text[..len]);
                Source::Made { prefix, len: len as u8, digits: key.key_digits() as u8 }
            },
            Source::Own,
        );
        KeyMap { key_type: key.field_type, source }
    }

    /// Type of the keys.
    #[inline(always)]
    pub fn key_type(&self) -> FieldType {
        self.key_type
    }

    /// Whether keys are texts.
    #[inline(always)]
    pub fn is_text(&self) -> bool {
        self.key_type != FieldType::Int64
    }

    /// The rows of a data file, where the keys are theirs.
    pub fn own(&self) -> Option<&'static OwnRows> {
        match self.source {
            Source::Own(rows) => Some(rows),
            Source::Made { .. } => None,
        }
    }

    /// Whether keys are ASCII: those of own data are not looked through.
    pub fn is_ascii(&self) -> bool {
        match &self.source {
            Source::Own(_) => !self.is_text(),
            Source::Made { prefix, .. } => prefix.is_ascii(),
        }
    }

    /// Where keys come from.
    #[inline(always)]
    pub fn source(&self) -> KeySource<'_> {
        match &self.source {
            Source::Own(rows) => KeySource::Own(rows),
            Source::Made { prefix, len, digits } if self.is_text() => {
                KeySource::Prefix(&prefix[..usize::from(*len)], usize::from(*digits))
            }
            Source::Made { .. } => KeySource::Number,
        }
    }

    /// Longest key in bytes, as stores keep it that know nothing but bytes.
    pub fn longest_bytes(&self) -> usize {
        match self.source() {
            KeySource::Number => 8,
            KeySource::Prefix(prefix, digits) => prefix.len() + digits,
            KeySource::Own(rows) => rows.longest_key_bytes() as usize,
        }
    }

    /// An int64 key that a store gave.
    #[inline(always)]
    pub fn seen_int(&self, key: i64) -> ReturnedKey<'static> {
        match self.source {
            Source::Made { .. } => ReturnedKey::Row(u32::try_from(key).unwrap_or(u32::MAX)),
            Source::Own(_) => ReturnedKey::OwnInt(key),
        }
    }

    /// A text key that a store gave.
    #[inline(always)]
    pub fn seen_text<'a>(&self, key: &'a [u8]) -> ReturnedKey<'a> {
        match &self.source {
            Source::Made { prefix, len, digits } => {
                let rest = key.strip_prefix(&prefix[..usize::from(*len)]);
                ReturnedKey::Row(rest.and_then(|rest| parse_some(rest, usize::from(*digits))).unwrap_or(u32::MAX))
            }
            Source::Own(_) => ReturnedKey::OwnText(key),
        }
    }

    /// A key as stores keep it that know nothing but bytes: 8 bytes big-endian, or the text.
    #[inline(always)]
    pub fn seen_bytes<'a>(&self, key: &'a [u8]) -> ReturnedKey<'a> {
        if self.is_text() {
            return self.seen_text(key);
        }
        key.try_into().map_or(ReturnedKey::Row(u32::MAX), |bytes| self.seen_int(i64::from_be_bytes(bytes)))
    }

    /// The row of a key that was seen; `u32::MAX` where it is none of ours.
    #[inline]
    pub fn row(&self, seen: ReturnedKey<'_>) -> u32 {
        let Source::Own(rows) = self.source else {
            return if let ReturnedKey::Row(row) = seen { row } else { u32::MAX };
        };
        match seen {
            ReturnedKey::Row(row) => Some(row),
            ReturnedKey::OwnInt(key) => rows.find(&key.to_be_bytes()),
            ReturnedKey::OwnText(key) => rows.find(key),
        }
        .unwrap_or(u32::MAX)
    }

    /// The place of `row` in the order of keys; generated keys are in the order of the rows.
    #[inline]
    pub fn rank(&self, row: u32) -> u32 {
        match self.source {
            Source::Made { .. } => row,
            Source::Own(rows) => rows.rank(row),
        }
    }

    /// The row at a place in the order of keys; `u32::MAX` where there is none.
    #[inline]
    pub fn at_rank(&self, rank: u32) -> u32 {
        match self.source {
            Source::Made { .. } => rank,
            Source::Own(rows) => rows.at_rank(rank).unwrap_or(u32::MAX),
        }
    }

    /// Writes the text key of `row` behind what `out` holds; nothing where keys are int64.
    pub fn write_text(&self, row: u32, out: &mut Vec<u8>) {
        match self.source() {
            KeySource::Number => {}
            KeySource::Prefix(prefix, digits) => {
                out.extend_from_slice(prefix);
                out.extend_from_slice(&Digits::of(row).bytes()[DIGITS - digits..]);
            }
            KeySource::Own(rows) => out.extend_from_slice(rows.key(row)),
        }
    }

    /// Rows that generated keys can tell apart; `None` where any row has a key.
    pub fn most_rows(&self) -> Option<u64> {
        match self.source() {
            KeySource::Prefix(_, digits) if digits < DIGITS => Some(10u64.pow(digits as u32)),
            _ => None,
        }
    }

    /// The int64 key of `row`.
    pub fn int(&self, row: u32) -> i64 {
        match self.source {
            Source::Own(rows) => rows.int_key(row),
            Source::Made { .. } => i64::from(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own::tests::rows_of;

    fn text_schema(prefix: Option<&str>) -> Schema {
        let mut schema = Schema::key_value(30);
        schema.fields[0].field_type = FieldType::Text;
        schema.fields[0].prefix = prefix.map(str::to_string);
        schema
    }

    #[test]
    fn generated_text_keys_carry_their_prefix_and_their_row() {
        for prefix in [None, Some("鍵"), Some("")] {
            let keys = KeyMap::new(&text_schema(prefix), None);
            let mut key = Vec::new();
            keys.write_text(42, &mut key);
            assert_eq!(key, format!("{}0000000042", prefix.unwrap_or("k")).as_bytes());
            assert_eq!((keys.seen_text(&key), keys.longest_bytes()), (ReturnedKey::Row(42), key.len()));
            assert_eq!(keys.seen_bytes(b"x0000000042"), ReturnedKey::Row(u32::MAX));
            assert_eq!(keys.is_ascii(), prefix != Some("鍵"));
        }
    }

    #[test]
    fn keys_of_fewer_digits_lead_to_their_rows() {
        let mut schema = text_schema(Some("prefix_"));
        schema.fields[0].digits = Some(9);
        let keys = KeyMap::new(&schema, None);
        let mut key = Vec::new();
        keys.write_text(1_149_999, &mut key);
        assert_eq!(key, b"prefix_001149999");
        assert_eq!((keys.seen_text(&key), keys.longest_bytes()), (ReturnedKey::Row(1_149_999), 16));
        assert_eq!(keys.seen_text(b"prefix_0001149999"), ReturnedKey::Row(u32::MAX));
        assert_eq!((keys.most_rows(), KeyMap::new(&text_schema(None), None).most_rows()), (Some(1_000_000_000), None));
    }

    #[test]
    fn own_keys_lead_to_their_rows() {
        let schema = text_schema(None);
        let keys = KeyMap::new(&schema, Some(rows_of(&[("b".as_bytes(), b"1"), ("ａ".as_bytes(), b"2")])));
        assert_eq!(keys.row(keys.seen_text("ａ".as_bytes())), 1);
        assert_eq!(keys.row(keys.seen_text(b"c")), u32::MAX);
        assert_eq!((keys.rank(0), keys.rank(1), keys.at_rank(1), keys.at_rank(2)), (0, 1, 1, u32::MAX));
        let int = KeyMap::new(
            &Schema::key_value(30),
            Some(rows_of(&[(&9i64.to_be_bytes()[..], b""), (&5i64.to_be_bytes()[..], b"")])),
        );
        assert_eq!((int.int(0), int.row(int.seen_int(5)), int.row(int.seen_bytes(b"x"))), (9, 1, u32::MAX));
    }
}
