//! Values: what a row holds at a version, how it is written as bytes, and how it is checked.
//!
//! Every text field carries its row, its version and its own number as digits, then filler from a
//! seeded pool, so a value proves by itself which write it came from:
//!
//! ```text
//! row (10 digits) ':' version (10 digits) ':' field (2 digits) ':' filler
//! ```
//!
//! The filler of a text starts at `(row * 7919 + version * 104729) mod 1048573` of the 1 MiB pool,
//! read cyclically. A text shorter than its 25-byte head is that slice of the pool alone. An int64
//! field `j` (the key is field 0) is `v = (row * 31 + version * 17 + j) mod 2^31`; one with `n`
//! distinct values is `1 + v mod n`. A constant text is `1234567890` over and over, cut to its length.
//!
//! The fields after the key are joined to one byte string, the **raw encoding**: a single text or
//! bytes field stands as it is; otherwise an int64 is 8 bytes little-endian and a text is its
//! length as 4 bytes little-endian, then its bytes. Key-value stores keep the raw encoding as
//! their value; stores with columns get the fields, and what they answer is encoded again, so that
//! one comparison serves both.
//!
//! Rows of a data file have the same encoding, of any length a row, and no digits or filler: see [`crate::own`].

use std::num::NonZeroU32;

use crate::digits;
use crate::keys::KeyMap;
use crate::own::OwnRows;
pub use crate::pool::{HEAD_BYTES, POOL_BYTES, Pool, RowSeed, pool_bytes};
use crate::pool::{filler_of, filler_start};
use crate::schema::{FieldType, Schema};
use crate::text;

impl Pool {
    /// A pool whose slices may be as long as the longest text of `layout`. `pool` is the content of
    /// the job's pool file, exactly [`POOL_BYTES`] long.
    pub fn new(pool: &[u8], layout: &Layout) -> Option<Pool> {
        Pool::of(pool, layout.longest_text)
    }
}

/// Bytes of a cache line on the processors that this is tuned for.
const LINE_BYTES: usize = 64;
/// Most bytes of filler that [`Layout::prefetch`] asks for: beyond them the processor's own prefetcher has seen the
/// direction.
const PREFETCHED_BYTES: usize = 2 * LINE_BYTES;

/// One field of a row as an adapter binds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldValue<'a> {
    /// An int64 field.
    Int(i64),
    /// A text field.
    Text(&'a str),
    /// A bytes field.
    Bytes(&'a [u8]),
}

/// Why a value is not what it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// The value has another length than every version of its row.
    Length,
    /// The value belongs to another row.
    Row,
    /// The value is whole, but of a version that cannot be read at this time; it is carried.
    Version(u32),
    /// Something else in the value differs.
    Content,
}

#[derive(Clone, Copy, Debug)]
enum FieldLayout {
    Int { field: u32, distinct: Option<NonZeroU32> },
    Text { field: u32, len: usize, framed: bool, bytes: bool, constant: bool },
}

/// How keys and values of one schema are written and checked. All generated values of a schema have the same length.
#[derive(Clone, Debug)]
pub struct Layout {
    parts: Vec<FieldLayout>,
    len_bytes: usize,
    keys: KeyMap,
    /// Whether the int64 key is the row's number: the usual case, which has a path of its own.
    numbered: bool,
    /// Rows of a data file instead of generated values.
    own: Option<&'static OwnRows>,
    /// Offset in the raw encoding of the first text that is long enough to carry a version.
    head_at: Option<usize>,
    longest_text: usize,
    /// Last byte of the filler that [`Layout::prefetch`] asks for, counted from its start.
    prefetched_last: usize,
    /// Whether there is one field and it carries a version: the usual case, which has a path of its own.
    one_text: bool,
}

impl Layout {
    /// The layout of a valid schema.
    pub fn new(schema: &Schema) -> Layout {
        Layout::build(schema, None)
    }

    /// The layout of rows of a data file; the lengths in `schema` are those of the longest.
    pub fn of_rows(schema: &Schema, rows: &'static OwnRows) -> Layout {
        Layout::build(schema, Some(rows))
    }

    fn build(schema: &Schema, own: Option<&'static OwnRows>) -> Layout {
        let single = schema.values().len() == 1;
        let (mut parts, mut len_bytes, mut head_at) = (Vec::new(), 0, None);
        for (field, spec) in (1u32..).zip(schema.values()) {
            if spec.field_type == FieldType::Int64 {
                parts.push(FieldLayout::Int { field, distinct: spec.distinct.and_then(NonZeroU32::new) });
                len_bytes += 8;
                continue;
            }
            let len = spec.len_bytes.unwrap_or(0) as usize;
            let frame = if single { 0 } else { 4 };
            if len >= HEAD_BYTES && head_at.is_none() && !spec.constant {
                head_at = Some(len_bytes + frame);
            }
            let bytes = spec.field_type == FieldType::Bytes;
            parts.push(FieldLayout::Text { field, len, framed: !single, bytes, constant: spec.constant });
            len_bytes += frame + len;
        }
        let len = |part: &FieldLayout| if let FieldLayout::Text { len, .. } = part { *len } else { 0 };
        let longest_text = parts.iter().map(len).max().unwrap_or(0);
        let filler = if longest_text >= HEAD_BYTES { longest_text - HEAD_BYTES } else { longest_text };
        let head_at = head_at.filter(|_| own.is_none());
        let keys = KeyMap::new(schema, own);
        Layout {
            one_text: single && head_at.is_some(),
            parts,
            len_bytes,
            numbered: own.is_none() && !keys.is_text(),
            keys,
            own,
            head_at,
            longest_text,
            prefetched_last: filler.clamp(1, PREFETCHED_BYTES) - 1,
        }
    }

    /// Bytes of every raw encoded value of this schema; of own rows, of one that had the longest of every field.
    pub fn len_bytes(&self) -> usize {
        self.len_bytes
    }

    /// Bytes that a caller must have room for to let a value be written: own rows are taken from where they lie.
    pub fn room_bytes(&self) -> usize {
        if self.own.is_some() { 0 } else { self.len_bytes }
    }

    /// The value of `row` at `version` where it comes from a data file.
    #[inline(always)]
    pub fn own_value(&self, row: u32, version: u32) -> Option<&'static [u8]> {
        Some(self.own?.value(row, version))
    }

    /// The keys.
    #[inline(always)]
    pub fn keys(&self) -> &KeyMap {
        &self.keys
    }

    /// Whether the key is an int64 that is the row's number.
    #[inline(always)]
    pub fn numbered(&self) -> bool {
        self.numbered
    }

    /// Whether text fields carry their length, as they do where there are several fields.
    pub fn framed(&self) -> bool {
        self.parts.len() > 1
    }

    /// Whether the key is text rather than int64.
    pub fn text_key(&self) -> bool {
        self.keys.is_text()
    }

    /// Writes the raw encoding of a generated `row` at `version`; `out` is [`Layout::room_bytes`] long, and nothing is
    /// written for own rows.
    #[inline]
    pub fn write(&self, pool: &Pool, row: u32, version: u32, out: &mut [u8]) {
        self.write_row(pool, &RowSeed::of(row), version, out);
    }

    /// As [`Layout::write`], for a caller that has the row's seed already.
    #[inline(always)]
    pub fn write_row(&self, pool: &Pool, seed: &RowSeed, version: u32, out: &mut [u8]) {
        if self.one_text {
            text::write(pool, seed, version, 1, out);
        } else if self.own.is_none() {
            self.write_parts(pool, seed, version, out);
        }
    }

    #[inline(never)]
    fn write_parts(&self, pool: &Pool, seed: &RowSeed, version: u32, out: &mut [u8]) {
        let mut rest = out;
        for part in &self.parts {
            let (piece, after) = rest.split_at_mut(part.len_bytes());
            part.write(pool, seed, version, piece);
            rest = after;
        }
    }

    /// Asks the processor to fetch the filler of a row at `version`, which a value will be made from or compared with.
    /// The pool is larger than most first-level caches, and rows are drawn at random.
    #[inline(always)]
    pub fn prefetch(&self, pool: &Pool, row: u32, version: u32) {
        self.prefetch_at(pool, filler_start(filler_of(row), version));
    }

    /// As [`Layout::prefetch`] at version 0, for a caller that has the row's seed already.
    #[inline(always)]
    pub fn prefetch_seed(&self, pool: &Pool, seed: &RowSeed) {
        self.prefetch_at(pool, seed.filler_start(0));
    }

    #[inline(always)]
    fn prefetch_at(&self, pool: &Pool, start: usize) {
        let start = pool.at(start);
        // It starts anywhere in a line, so that two lines' bytes lie in up to three.
        prefetch(start);
        prefetch(start.wrapping_add(self.prefetched_last.min(LINE_BYTES)));
        prefetch(start.wrapping_add(self.prefetched_last));
    }

    /// The fields of a raw encoded value that this layout made, in order.
    #[inline]
    pub fn fields<'a>(&'a self, raw: &'a [u8]) -> impl Iterator<Item = FieldValue<'a>> {
        let mut rest = raw;
        self.parts.iter().map(move |part| {
            let (piece, after) = part.split(rest);
            rest = after;
            part.value(piece)
        })
    }

    /// The value of int64 field number `field` (the key is field 0) in a raw encoded value; `None` where the field is
    /// no int64 or the value is too short.
    pub fn int_field(&self, raw: &[u8], field: usize) -> Option<i64> {
        let part = self.parts.get(field.checked_sub(1)?)?;
        let rest = self.parts[..field - 1].iter().fold(raw, |rest, part| part.split(rest).1);
        match part {
            FieldLayout::Int { .. } => Some(i64::from_le_bytes(*rest.first_chunk()?)),
            FieldLayout::Text { .. } => None,
        }
    }

    /// The generated value of int64 field number `field` (the key is field 0) of `row` at `version`; `None` where the
    /// field is no int64.
    #[inline]
    pub fn int_value(&self, row: u32, version: u32, field: usize) -> Option<i64> {
        match *self.parts.get(field.checked_sub(1)?)? {
            FieldLayout::Int { field, distinct } => Some(int_value(row, version, field, distinct)),
            FieldLayout::Text { .. } => None,
        }
    }

    /// Checks a raw encoded value that was read for `row`, when any version from `low` to `high`
    /// is right. Returns the version found. Key, version, length and filler are all compared.
    #[inline]
    pub fn check(&self, pool: &Pool, row: u32, raw: &[u8], low: u32, high: u32) -> Result<u32, Wrong> {
        self.check_row(pool, &RowSeed::of(row), raw, low, high)
    }

    /// As [`Layout::check`], for a caller that has the row's seed already.
    #[inline(always)]
    pub fn check_row(&self, pool: &Pool, seed: &RowSeed, raw: &[u8], low: u32, high: u32) -> Result<u32, Wrong> {
        let fits = raw.len() == self.len_bytes;
        if fits && self.one_text && low == high && text::matches(pool, seed, low, 1, raw) {
            return Ok(low);
        }
        if let Some(own) = self.own {
            return check_own(own, seed.row, raw, low, high);
        }
        if !fits {
            return Err(Wrong::Length);
        }
        self.check_range(pool, seed.row, raw, low, high)
    }

    /// The version that a value claims and whether it is whole, for rows whose history this client
    /// does not know. `None` where no text is long enough to carry a version.
    pub fn claimed_version(&self, raw: &[u8]) -> Option<u32> {
        let head = raw.get(self.head_at?..)?;
        digits::parse(head.get(11..21)?)
    }

    #[cold]
    #[inline(never)]
    fn diagnose(&self, pool: &Pool, row: u32, raw: &[u8]) -> Wrong {
        let Some(at) = self.head_at else { return Wrong::Content };
        let claimed_row = digits::parse(&raw[at..at + 10]);
        match (claimed_row, self.claimed_version(raw)) {
            (Some(claimed), Some(version)) if self.matches(pool, claimed, version, raw) => {
                if claimed == row {
                    Wrong::Version(version)
                } else {
                    Wrong::Row
                }
            }
            _ => Wrong::Content,
        }
    }

    #[inline(never)]
    fn check_range(&self, pool: &Pool, row: u32, raw: &[u8], low: u32, high: u32) -> Result<u32, Wrong> {
        match self.head_at {
            Some(_) => match self.claimed_version(raw) {
                Some(version) if (low..=high).contains(&version) && self.matches(pool, row, version, raw) => {
                    Ok(version)
                }
                _ => Err(self.diagnose(pool, row, raw)),
            },
            // Too short to carry a version: it must equal one of those that are right.
            None => (low..=high).find(|version| self.matches(pool, row, *version, raw)).ok_or(Wrong::Content),
        }
    }

    fn matches(&self, pool: &Pool, row: u32, version: u32, raw: &[u8]) -> bool {
        let seed = RowSeed::of(row);
        let mut rest = raw;
        for part in &self.parts {
            let (piece, after) = rest.split_at(part.len_bytes());
            if !part.matches(pool, &seed, version, piece) {
                return false;
            }
            rest = after;
        }
        true
    }
}

/// How many versions before and after those that are right are tried for one that a wrong value could be of.
const OTHER_VERSIONS: u32 = 64;

/// Checks a value of a data file: it is compared with the one that was written, whole.
#[inline]
fn check_own(own: &OwnRows, row: u32, raw: &[u8], low: u32, high: u32) -> Result<u32, Wrong> {
    let is_of = |version: &u32| own.value(row, *version) == raw;
    if let Some(version) = (low..=high).find(is_of) {
        return Ok(version);
    }
    let before = (low.saturating_sub(OTHER_VERSIONS)..low).rev().find(is_of);
    let other = before.or_else(|| (high..=high.saturating_add(OTHER_VERSIONS)).skip(1).find(is_of));
    Err(other.map_or(Wrong::Content, Wrong::Version))
}

impl FieldLayout {
    /// Cuts the piece of this part off. A text among several carries its length; a single one is the whole value.
    #[inline(always)]
    fn split<'a>(&self, raw: &'a [u8]) -> (&'a [u8], &'a [u8]) {
        let len = match *self {
            FieldLayout::Int { .. } => 8,
            FieldLayout::Text { framed: false, .. } => raw.len(),
            FieldLayout::Text { framed: true, .. } => {
                raw.first_chunk().map_or(0, |head| u32::from_le_bytes(*head) as usize).saturating_add(4)
            }
        };
        raw.split_at(len.min(raw.len()))
    }

    #[inline(always)]
    fn len_bytes(&self) -> usize {
        match *self {
            FieldLayout::Int { .. } => 8,
            FieldLayout::Text { len, framed, .. } => len + if framed { 4 } else { 0 },
        }
    }

    #[inline(always)]
    fn write(&self, pool: &Pool, seed: &RowSeed, version: u32, out: &mut [u8]) {
        match *self {
            FieldLayout::Int { field, distinct } => {
                out.copy_from_slice(&int_value(seed.row, version, field, distinct).to_le_bytes());
            }
            FieldLayout::Text { field, len, framed, constant, .. } => {
                let out = if framed {
                    out[..4].copy_from_slice(&(len as u32).to_le_bytes());
                    &mut out[4..]
                } else {
                    out
                };
                if constant {
                    out.iter_mut().zip(text::constant()).for_each(|(to, byte)| *to = byte);
                } else {
                    text::write(pool, seed, version, field, out);
                }
            }
        }
    }

    #[inline(always)]
    fn matches(&self, pool: &Pool, seed: &RowSeed, version: u32, raw: &[u8]) -> bool {
        match *self {
            FieldLayout::Int { field, distinct } => raw == int_value(seed.row, version, field, distinct).to_le_bytes(),
            FieldLayout::Text { field, len, framed, constant, .. } => {
                let raw = if framed {
                    if raw[..4] != (len as u32).to_le_bytes() {
                        return false;
                    }
                    &raw[4..]
                } else {
                    raw
                };
                if constant {
                    raw.iter().copied().eq(text::constant().take(len))
                } else {
                    text::matches(pool, seed, version, field, raw)
                }
            }
        }
    }

    #[inline(always)]
    fn value<'a>(&self, raw: &'a [u8]) -> FieldValue<'a> {
        match *self {
            FieldLayout::Int { .. } => FieldValue::Int(i64::from_le_bytes(raw.try_into().unwrap_or_default())),
            FieldLayout::Text { framed, bytes, .. } => {
                let content = if framed { raw.get(4..).unwrap_or_default() } else { raw };
                match std::str::from_utf8(content) {
                    Ok(text) if !bytes => FieldValue::Text(text),
                    _ => FieldValue::Bytes(content),
                }
            }
        }
    }
}

/// Starts to fetch a cache line; does nothing on processors for which this is not written.
#[inline(always)]
pub fn prefetch(at: *const u8) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing that the program can see and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = at;
}

/// The value of int64 field number `field` of `row` at `version`, one of `distinct` where there are no more.
#[inline(always)]
fn int_value(row: u32, version: u32, field: u32, distinct: Option<NonZeroU32>) -> i64 {
    let value = (u64::from(row) * 31 + u64::from(version) * 17 + u64::from(field)) % (1 << 31);
    distinct.map_or(value, |distinct| 1 + value % u64::from(distinct.get())) as i64
}

#[cfg(test)]
#[path = "value_tests.rs"]
mod tests;
