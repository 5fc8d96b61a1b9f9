//! Rows of a data file, as the harness lays them out once for all clients.
//!
//! Three files: **rows**, one record a row (length of the key in 1 byte, length of the value in 4 bytes little-endian,
//! the key, the value in raw encoding); **index**, where the record of row *n* begins, 8 bytes little-endian each;
//! **order**, the rows' numbers in the order of their keys, 4 bytes little-endian each. A text key is its bytes, an
//! int64 key 8 bytes big-endian, so that the order of bytes is that of the numbers.
//!
//! Nothing here may fail while something is measured, so what a damaged file does not hold is empty, and the check of
//! the answer sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::schema::FieldType;

/// The files of own rows, as a job names them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataFiles {
    /// Path of the records.
    pub rows: String,
    /// Path of the index.
    pub index: String,
    /// Path of the order of keys.
    pub order: String,
    /// How many rows the files hold; a job loads the first [`crate::Job::rows`] of them.
    pub count: u64,
    /// Longest key in bytes.
    pub longest_key_bytes: u32,
    /// Whether a key holds a space or a control character, which some stores' keys cannot.
    pub spaced_keys: bool,
    /// The lines that the rows came from; absent where these are not split at tabs alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<DataSource>,
}

/// A tab-separated file, and its columns that make rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataSource {
    /// Path of the file.
    pub path: String,
    /// Number of the key's column, from 1 on.
    pub key: u32,
    /// Numbers and types of the other columns that are taken, in order.
    pub values: Vec<(u32, FieldType)>,
}

/// Bytes before the key of a record.
const HEAD_BYTES: usize = 5;
/// A prime by which an update goes on in the rows, and one for files of a multiple of that.
const STEPS: [u64; 2] = [7919, 7907];

/// Rows of a data file, mapped for as long as the process lives.
pub struct OwnRows {
    rows: &'static [u8],
    index: &'static [u8],
    order: &'static [u8],
    count: u32,
    step: u64,
    longest_key_bytes: u32,
    spaced_keys: bool,
}

impl std::fmt::Debug for OwnRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "OwnRows({} rows)", self.count)
    }
}

impl OwnRows {
    /// The rows in the content of `files`; an error in words where their lengths do not fit together.
    pub fn new(
        files: &DataFiles,
        rows: &'static [u8],
        index: &'static [u8],
        order: &'static [u8],
    ) -> Result<OwnRows, String> {
        let count = u32::try_from(files.count).map_err(|_| format!("{} rows are too many", files.count))?;
        if count == 0 || index.len() as u64 != 8 * files.count || order.len() as u64 != 4 * files.count {
            return Err(format!("the files of the data do not hold {count} rows"));
        }
        let step = if u64::from(count).is_multiple_of(STEPS[0]) { STEPS[1] } else { STEPS[0] };
        let DataFiles { longest_key_bytes, spaced_keys, .. } = *files;
        Ok(OwnRows { rows, index, order, count, step, longest_key_bytes, spaced_keys })
    }

    /// How many rows there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Longest key in bytes.
    pub fn longest_key_bytes(&self) -> u32 {
        self.longest_key_bytes
    }

    /// Whether a key holds a space or a control character.
    pub fn spaced_keys(&self) -> bool {
        self.spaced_keys
    }

    /// Key and value of a data row.
    #[inline]
    fn record(&self, row: u32) -> Option<(&'static [u8], &'static [u8])> {
        let at = word8(self.index, row)?;
        let record = self.rows.get(usize::try_from(at).ok()?..)?;
        let head = record.first_chunk::<HEAD_BYTES>()?;
        let (key, value) = (usize::from(head[0]), u32::from_le_bytes([head[1], head[2], head[3], head[4]]) as usize);
        let rest = &record[HEAD_BYTES..];
        Some((rest.get(..key)?, rest.get(key..key.checked_add(value)?)?))
    }

    /// The key of `row`.
    #[inline]
    pub fn key(&self, row: u32) -> &'static [u8] {
        self.record(row).map_or(&[], |(key, _)| key)
    }

    /// The int64 key of `row`, where keys are int64.
    #[inline]
    pub fn int_key(&self, row: u32) -> i64 {
        self.key(row).try_into().map_or(-1, i64::from_be_bytes)
    }

    /// The value of `row` at `version`, raw encoded: that of data row `(row + version·7919) mod count`.
    #[inline]
    pub fn value(&self, row: u32, version: u32) -> &'static [u8] {
        let from = (u64::from(row) + u64::from(version) * self.step) % u64::from(self.count);
        self.record(from as u32).map_or(&[], |(_, value)| value)
    }

    /// The row with this key.
    pub fn find(&self, key: &[u8]) -> Option<u32> {
        let rank = self.rank_of(key);
        self.at_rank(rank).filter(|row| self.key(*row) == key)
    }

    /// The place of `row` in the order of keys, from 0.
    pub fn rank(&self, row: u32) -> u32 {
        self.rank_of(self.key(row))
    }

    /// The row at a place in the order of keys.
    pub fn at_rank(&self, rank: u32) -> Option<u32> {
        let at = 4 * rank as usize;
        let bytes = self.order.get(at..at + 4)?;
        bytes.try_into().ok().map(u32::from_le_bytes)
    }

    /// How many keys are less than `key`.
    fn rank_of(&self, key: &[u8]) -> u32 {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.at_rank(middle).is_some_and(|row| self.key(row) < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn word8(bytes: &[u8], at: u32) -> Option<u64> {
    let at = 8 * at as usize;
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_le_bytes)
}

/// Appends the record of a row.
pub fn write_record(key: &[u8], value: &[u8], out: &mut Vec<u8>) {
    out.push(key.len() as u8);
    out.extend_from_slice(&(value.len() as u32).to_le_bytes());
    out.extend_from_slice(key);
    out.extend_from_slice(value);
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    /// Rows that live as long as the test's process.
    pub(crate) fn rows_of(pairs: &[(&[u8], &[u8])]) -> &'static OwnRows {
        let (mut rows, mut index, mut order) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in pairs {
            index.extend((rows.len() as u64).to_le_bytes());
            write_record(key, value, &mut rows);
        }
        let mut sorted: Vec<u32> = (0..pairs.len() as u32).collect();
        sorted.sort_by_key(|row| pairs[*row as usize].0);
        sorted.iter().for_each(|row| order.extend(row.to_le_bytes()));
        let longest_key_bytes = pairs.iter().map(|(key, _)| key.len() as u32).max().unwrap_or(0);
        let path = String::new;
        let count = pairs.len() as u64;
        let files = DataFiles {
            rows: path(),
            index: path(),
            order: path(),
            count,
            longest_key_bytes,
            spaced_keys: false,
            source: None,
        };
        Box::leak(Box::new(OwnRows::new(&files, rows.leak(), index.leak(), order.leak()).expect("fitting files")))
    }

    proptest! {
        #[test]
        fn every_key_is_found_and_no_other(pairs in prop::collection::btree_map(prop::collection::vec(any::<u8>(), 1..9), prop::collection::vec(any::<u8>(), 0..9), 1..60), other in prop::collection::vec(any::<u8>(), 0..9)) {
            let mut listed: Vec<(&[u8], &[u8])> = pairs.iter().map(|(key, value)| (&key[..], &value[..])).collect();
            listed.reverse();
            let rows = rows_of(&listed);
            for (row, (key, value)) in (0u32..).zip(&listed) {
                prop_assert_eq!(rows.find(key), Some(row));
                prop_assert_eq!(rows.value(row, 0), *value);
                prop_assert_eq!(rows.rank(row), listed.len() as u32 - 1 - row);
                prop_assert_eq!(rows.at_rank(rows.rank(row)), Some(row));
            }
            let known: BTreeMap<_, _> = listed.iter().copied().collect();
            prop_assert_eq!(rows.find(&other).is_some(), known.contains_key(&other[..]));
        }
    }

    #[test]
    fn an_update_brings_another_value_also_where_the_count_is_the_step() {
        let keys: Vec<[u8; 4]> = (0..7919u32).map(u32::to_be_bytes).collect();
        let pairs: Vec<(&[u8], &[u8])> = keys.iter().map(|key| (&key[..], &key[..])).collect();
        let rows = rows_of(&pairs);
        assert_ne!(rows.value(5, 0), rows.value(5, 1));
        assert_ne!(rows.value(5, 1), rows.value(5, 2));
    }

    #[test]
    fn damaged_files_give_empty_values() {
        let files = DataFiles {
            rows: String::new(),
            index: String::new(),
            order: String::new(),
            count: 1,
            longest_key_bytes: 1,
            spaced_keys: false,
            source: None,
        };
        assert!(OwnRows::new(&files, &[], &[], &[]).is_err());
        let rows = OwnRows::new(&files, b"\x09\xff\0\0\0k", &[0; 8], &[0; 4]).expect("fitting lengths");
        assert_eq!((rows.key(0), rows.value(0, 3), rows.find(b"k")), (&[][..], &[][..], None));
    }
}
