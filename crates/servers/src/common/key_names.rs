//! Names of keys in stores that have nothing but keys and values, and which of them a job can have written.

use std::io::Write;
use std::ops::Range;

use kurabe_protocol::{Job, KeyMap, Operation, Warmup};

use kurabe_client::adapter::Key;

/// Which bytes a store takes in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// All.
    Plain,
    /// Neither space nor control characters: they and `%` are written as `%` and two hexadecimal digits.
    Escaped,
}

/// Names of the keys of one namespace: rows are `namespace:key`, counters `namespace+number`.
#[derive(Clone)]
pub(crate) struct KeyNames {
    rows: Vec<u8>,
    counters: Vec<u8>,
    keys: KeyMap,
    spelling: Spelling,
}

impl KeyNames {
    pub(crate) fn new(namespace: &str, keys: KeyMap, spelling: Spelling) -> KeyNames {
        KeyNames {
            rows: format!("{namespace}:").into_bytes(),
            counters: format!("{namespace}+").into_bytes(),
            keys,
            spelling,
        }
    }

    /// Writes the name of `key` into `out`.
    #[inline(always)]
    pub(crate) fn write<'a>(&self, key: &Key, out: &'a mut Vec<u8>) -> &'a [u8] {
        out.clear();
        out.extend_from_slice(&self.rows);
        if key.is_text() {
            self.spell(key.text_bytes(), out);
        } else {
            // Writing into memory does not fail.
            let _ = write!(out, "{}", key.int());
        }
        out
    }

    #[inline(always)]
    fn spell(&self, text: &[u8], out: &mut Vec<u8>) {
        match self.spelling {
            Spelling::Plain => out.extend_from_slice(text),
            Spelling::Escaped => escape(text, out),
        }
    }

    /// Writes the name of the counter numbered `row` into `out`.
    #[inline(always)]
    pub(crate) fn write_counter<'a>(&self, row: u32, out: &'a mut Vec<u8>) -> &'a [u8] {
        out.clear();
        out.extend_from_slice(&self.counters);
        // Writing into memory does not fail.
        let _ = write!(out, "{row}");
        out
    }

    /// The name of the counter numbered `row`.
    pub(crate) fn counter_name(&self, row: u64) -> Vec<u8> {
        let mut name = self.counters.clone();
        name.extend_from_slice(row.to_string().as_bytes());
        name
    }

    /// The name of a row.
    pub(crate) fn row_name(&self, row: u64) -> Vec<u8> {
        let mut name = self.rows.clone();
        match (self.keys.is_text(), u32::try_from(row)) {
            (true, Ok(row)) => {
                let mut text = Vec::new();
                self.keys.write_text(row, &mut text);
                self.spell(&text, &mut name);
            }
            (false, Ok(row)) => name.extend_from_slice(self.keys.int(row).to_string().as_bytes()),
            (_, Err(_)) => name.extend_from_slice(row.to_string().as_bytes()),
        }
        name
    }

    /// The row of a name; none where it is none of the namespace.
    pub(crate) fn row(&self, name: &[u8]) -> Option<u32> {
        let name = name.strip_prefix(self.rows.as_slice())?;
        let row = if self.keys.is_text() {
            let text = if self.spelling == Spelling::Escaped { unescape(name)? } else { name.to_vec() };
            self.keys.row(self.keys.seen_text(&text))
        } else {
            self.keys.row(self.keys.seen_int(std::str::from_utf8(name).ok()?.parse().ok()?))
        };
        (row != u32::MAX).then_some(row)
    }

    /// The pattern of rows for SCAN; a namespace has no character that means something in it.
    pub(crate) fn pattern(&self) -> Vec<u8> {
        let mut pattern = self.rows.clone();
        pattern.push(b'*');
        pattern
    }
}

fn escape(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if byte.is_ascii_control() || matches!(byte, b' ' | b'%') {
            // Writing into memory does not fail.
            let _ = write!(out, "%{byte:02x}");
        } else {
            out.push(*byte);
        }
    }
}

pub(crate) fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'%' {
            out.push(*byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        out.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    Some(out)
}

/// The rows that a job can write, as far as it tells.
pub(crate) struct KnownRows {
    pub(crate) ranges: Vec<Range<u64>>,
    /// Whether `ranges` are all; inserts limited by time alone have no known end.
    pub(crate) is_complete: bool,
    /// First rows of those without a known end.
    pub(crate) endless: Vec<u64>,
    /// The counters.
    pub(crate) counters: Range<u64>,
}

impl KnownRows {
    pub(crate) fn of(job: &Job) -> KnownRows {
        let counts = job.phases.iter().any(|phase| phase.does(Operation::Increment));
        let mut known = KnownRows {
            ranges: vec![Range { start: 0, end: job.rows }],
            is_complete: true,
            endless: Vec::new(),
            counters: 0..if counts { job.rows } else { 0 },
        };
        let inserts = job.phases.iter().filter_map(|phase| Some((phase, phase.first_row()?)));
        for (phase, first_row) in inserts {
            let timed_warmup = matches!(phase.warmup, Some(Warmup::DurationNs(_)));
            if phase.end.count().is_some() && !timed_warmup {
                known.ranges.push(first_row..first_row + phase.inserts_at_most());
            } else {
                known.is_complete = false;
                known.endless.push(first_row);
            }
        }
        known.ranges = disjoint(known.ranges);
        known
    }
}

/// The same rows in ranges that do not overlap, in order.
fn disjoint(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut end = 0;
    for range in &mut ranges {
        range.start = range.start.max(end).min(range.end);
        end = end.max(range.end);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn an_escaped_name_has_no_space_and_leads_back(text in prop::collection::vec(any::<u8>(), 0..40)) {
            let mut name = Vec::new();
            escape(&text, &mut name);
            prop_assert!(!name.iter().any(|byte| byte.is_ascii_control() || *byte == b' '));
            prop_assert_eq!(unescape(&name), Some(text));
        }
    }
}
