//! Reading the file from its end.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::{ControlFlow, Range};
use std::os::unix::fs::FileExt;

use memchr::{memchr, memmem, memrchr};

use super::line::Line;
use crate::adapter::StoreError;

/// First and usual length of what is read at a time. The first is short, for rows that were just
/// written; the usual one fits a second-level cache. Only a longer line makes it longer.
const BLOCK_BYTES: (usize, usize) = (32 << 10, 256 << 10);

/// Reads blocks of whole lines from the end of a file, into one buffer that is kept.
#[derive(Default)]
pub(super) struct Tail {
    buffer: Vec<u8>,
}

/// How far a reading has got: what lies before `end` is still to be read.
struct Unread {
    end: u64,
    block: usize,
}

impl Unread {
    fn all(file: &File) -> Result<Unread, StoreError> {
        Ok(Unread { end: file.metadata().map_err(failed)?.len(), block: BLOCK_BYTES.0 })
    }
}

fn failed(error: std::io::Error) -> StoreError {
    StoreError::store(format!("cannot read the file: {error}"))
}

/// Reads what is there of a block; how much that is. Through FUSE, a line that is just being written counts in the length of
/// the file before it can be read.
fn read_at(file: &File, block: &mut [u8], start: u64) -> Result<usize, StoreError> {
    let mut there = 0;
    while there < block.len() {
        match file.read_at(&mut block[there..], start + there as u64).map_err(failed)? {
            0 => break,
            more => there += more,
        }
    }
    Ok(there)
}

impl Tail {
    /// Reads the block of whole lines before `unread.end`. The range of the buffer that is returned
    /// begins with the newline before its first line and ends with that of its last one. A line that
    /// is just being written has no newline yet and is left out, as is the first line of the file.
    fn next(&mut self, file: &File, unread: &mut Unread) -> Result<Option<Range<usize>>, StoreError> {
        while unread.end > 0 {
            let start = unread.end.saturating_sub(unread.block as u64);
            let len = (unread.end - start) as usize;
            if self.buffer.len() < len {
                self.buffer.resize(len, 0);
            }
            let block = &mut self.buffer[..len];
            let there = read_at(file, block, start)?;
            if there < len {
                unread.end = start + there as u64;
                continue;
            }
            let (first, last) = (memchr(b'\n', block), memrchr(b'\n', block));
            if start > 0 && first == last {
                unread.block *= 2;
                continue;
            }
            let (Some(first), Some(last)) = (first, last) else { break };
            unread.end = if start == 0 { 0 } else { start + first as u64 + 1 };
            unread.block = (unread.block * 2).min(BLOCK_BYTES.1);
            return Ok(Some(first..last + 1));
        }
        Ok(None)
    }

    /// The last line that begins with `pattern`, which is a newline and the start of a line.
    pub(super) fn find(&mut self, file: &File, pattern: &[u8]) -> Result<Option<Line<'_>>, StoreError> {
        // Forwards inside a block: the search forwards has vector instructions, that backwards has none.
        let finder = memmem::Finder::new(pattern);
        let mut unread = Unread::all(file)?;
        while let Some(range) = self.next(file, &mut unread)? {
            let lines = &self.buffer[range.clone()];
            let Some(at) = finder.find_iter(lines).last() else { continue };
            let start = at + 1;
            let end = memchr(b'\n', &lines[start..]).map_or(lines.len(), |len| start + len);
            return Line::parse(&self.buffer[range][start..end]).map(Some);
        }
        Ok(None)
    }

    /// Hands every line over, the last one first.
    pub(super) fn walk(
        &mut self,
        file: &File,
        mut each: impl FnMut(&Line<'_>) -> Result<ControlFlow<()>, StoreError>,
    ) -> Result<(), StoreError> {
        let mut unread = Unread::all(file)?;
        while let Some(range) = self.next(file, &mut unread)? {
            let lines = &self.buffer[range];
            let mut end = lines.len() - 1;
            while let Some(newline) = memrchr(b'\n', &lines[..end]) {
                if each(&Line::parse(&lines[newline + 1..end])?)?.is_break() {
                    return Ok(());
                }
                end = newline;
            }
        }
        Ok(())
    }
}

/// The length of `file` up to its last newline.
pub(super) fn whole_lines_bytes(file: &File) -> Result<u64, StoreError> {
    let mut end = file.metadata().map_err(failed)?.len();
    let mut block = vec![0; BLOCK_BYTES.0];
    while end > 0 {
        let start = end.saturating_sub(block.len() as u64);
        let block = &mut block[..(end - start) as usize];
        let there = read_at(file, block, start)?;
        let block = &block[..there];
        if let Some(at) = memrchr(b'\n', block) {
            return Ok(start + at as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Rows in a page of a set.
const PAGE_ROWS: usize = 1 << 16;

/// A set of rows: one bit each, in pages that are made when they are needed. 100 million rows take 12.5 MB.
#[derive(Default)]
pub(super) struct RowSet {
    pages: Vec<Option<Box<[u64; PAGE_ROWS / 64]>>>,
}

impl RowSet {
    /// Adds a row; `false` where it was there.
    #[inline(always)]
    pub(super) fn insert(&mut self, row: u32) -> bool {
        let (page, at) = (row as usize / PAGE_ROWS, row as usize % PAGE_ROWS);
        if self.pages.len() <= page {
            self.pages.resize_with(page + 1, || None);
        }
        let page = self.pages[page].get_or_insert_with(|| Box::new([0; PAGE_ROWS / 64]));
        let (word, bit) = (&mut page[at / 64], 1u64 << (at % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }
}

/// The rows with the highest keys so far.
pub(super) struct Newest {
    wanted: usize,
    rows: BTreeMap<u32, Vec<u8>>,
}

impl Newest {
    pub(super) fn new(wanted: usize) -> Newest {
        Newest { wanted, rows: BTreeMap::new() }
    }

    /// Keeps the row where it is one of the highest.
    pub(super) fn offer(&mut self, row: u32, fields: &[u8]) {
        if self.holds_all_above(row) {
            return;
        }
        self.rows.insert(row, fields.to_vec());
        if self.rows.len() > self.wanted {
            self.rows.pop_first();
        }
    }

    /// Whether there are enough rows, none below `row`.
    pub(super) fn holds_all_above(&self, row: u32) -> bool {
        self.rows.len() == self.wanted && self.rows.first_key_value().is_none_or(|(lowest, _)| *lowest >= row)
    }

    /// The rows, highest first.
    pub(super) fn into_rows(self) -> impl Iterator<Item = (u32, Vec<u8>)> {
        self.rows.into_iter().rev()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kurabe_protocol::{Layout, Schema};
    use proptest::prelude::*;
    use std::io::Write;

    fn file(content: &str) -> File {
        let mut file = tempfile::tempfile().expect("a file");
        file.write_all(content.as_bytes()).expect("written");
        file
    }

    fn fields(content: &str, key: &str) -> Option<String> {
        let mut tail = Tail::default();
        let line = tail.find(&file(content), format!("\n{key}\t").as_bytes()).expect("read")?;
        Some(String::from_utf8_lossy(line.fields).into_owned())
    }

    #[test]
    fn the_last_line_of_a_key_is_found_and_no_key_that_only_contains_it() {
        let content = "# head\n1\t+\ta\n11\t+\tb\n1\t=\tc\n21\t+\td\n";
        assert_eq!(fields(content, "1"), Some("c".into()));
        assert_eq!(fields(content, "11"), Some("b".into()));
        assert_eq!(fields(content, "2"), None);
        assert_eq!(fields("# head\n", "1"), None);
        assert_eq!(fields("", "1"), None);
    }

    #[test]
    fn a_line_without_its_newline_is_not_there_yet() {
        assert_eq!(fields("# head\n1\t+\ta\n1\t=\tb", "1"), Some("a".into()));
        let half = file("# head\n1\t+\ta\n1\t=\tb");
        assert_eq!(whole_lines_bytes(&half).expect("read"), 13);
    }

    #[test]
    fn the_newest_rows_are_kept_highest_first() {
        let mut newest = Newest::new(2);
        [3, 9, 1, 7].into_iter().for_each(|row| newest.offer(row, b""));
        assert!(newest.holds_all_above(7) && !newest.holds_all_above(8));
        assert_eq!(newest.into_rows().map(|(row, _)| row).collect::<Vec<_>>(), [9, 7]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Lines up to three times as long as a first block, in files of up to several blocks.
        #[test]
        fn every_line_is_walked_and_found_whatever_its_length(lens in prop::collection::vec(prop_oneof![1usize..200, 1usize..100_000], 0..24)) {
            let lines: Vec<String> = (0..).zip(&lens).map(|(row, len)| format!("{row}\t+\t{}", "x".repeat(*len))).collect();
            let content = format!("# head\n{}", lines.iter().map(|line| format!("{line}\n")).collect::<String>());
            let file = file(&content);
            let keys = *Layout::new(&Schema::key_value(1)).keys();
            let mut walked = Vec::new();
            let mut tail = Tail::default();
            tail.walk(&file, |line| {
                walked.push((line.row(&keys), line.fields.len()));
                Ok(ControlFlow::Continue(()))
            }).expect("read");
            let expected: Vec<_> = (0u32..).zip(lens.iter().copied()).collect();
            prop_assert_eq!(walked.into_iter().rev().collect::<Vec<_>>(), expected);
            for (row, len) in lens.iter().enumerate() {
                let found = tail.find(&file, format!("\n{row}\t").as_bytes()).expect("read").expect("found");
                prop_assert_eq!(found.fields.len(), *len);
            }
        }

        #[test]
        fn a_set_of_rows_knows_what_was_added(rows in prop::collection::vec(prop_oneof![0u32..200, any::<u32>()], 0..200)) {
            let (mut set, mut expected) = (RowSet::default(), std::collections::BTreeSet::new());
            for row in rows {
                prop_assert_eq!(set.insert(row), expected.insert(row));
            }
        }
    }
}
