//! Sorting of keys that need not fit into memory: pieces are sorted and written, then merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of keys that are sorted in memory.
const PIECE_BYTES: usize = 24 << 20;

/// A key with the number of its record and the line that it starts in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Entry {
    pub(crate) key: Vec<u8>,
    pub(crate) record: u32,
    pub(crate) line: u64,
}

#[derive(Clone, Copy)]
struct SortEntry {
    start: u32,
    len: u8,
    record: u32,
    line: u64,
}

/// Takes entries and gives them back in order of key, then record.
pub(crate) struct Sorter<'a> {
    folder: &'a Path,
    piece_bytes: usize,
    keys: Vec<u8>,
    places: Vec<SortEntry>,
    pieces: Vec<PathBuf>,
}

impl<'a> Sorter<'a> {
    /// Pieces are written into `folder`.
    pub(crate) fn new(folder: &'a Path) -> Sorter<'a> {
        Sorter::with_piece(folder, PIECE_BYTES)
    }

    fn with_piece(folder: &'a Path, piece_bytes: usize) -> Sorter<'a> {
        Sorter { folder, piece_bytes, keys: Vec::new(), places: Vec::new(), pieces: Vec::new() }
    }

    /// Takes an entry; `key` has at most 255 bytes.
    pub(crate) fn add(&mut self, key: &[u8], record: u32, line: u64) -> io::Result<()> {
        self.places.push(SortEntry { start: self.keys.len() as u32, len: key.len() as u8, record, line });
        self.keys.extend_from_slice(key);
        if self.keys.len() + self.places.len() * size_of::<SortEntry>() >= self.piece_bytes {
            self.write_piece()?;
        }
        Ok(())
    }

    fn write_piece(&mut self) -> io::Result<()> {
        let keys = &self.keys;
        let key = |place: &SortEntry| &keys[place.start as usize..place.start as usize + usize::from(place.len)];
        self.places.sort_unstable_by(|one, two| key(one).cmp(key(two)).then(one.record.cmp(&two.record)));
        let path = self.folder.join(format!("keys-{}.tmp", self.pieces.len()));
        let mut out = BufWriter::new(File::create(&path)?);
        for place in &self.places {
            out.write_all(&[place.len])?;
            out.write_all(key(place))?;
            out.write_all(&place.record.to_le_bytes())?;
            out.write_all(&place.line.to_le_bytes())?;
        }
        out.flush()?;
        self.pieces.push(path);
        self.keys.clear();
        self.places.clear();
        Ok(())
    }

    /// All entries in order.
    pub(crate) fn merge(mut self) -> io::Result<Merge> {
        self.write_piece()?;
        // Their memory is needed no more.
        (self.keys, self.places) = (Vec::new(), Vec::new());
        let mut merge = Merge { pieces: Vec::new(), next: BinaryHeap::new() };
        for path in &self.pieces {
            let mut piece = BufReader::with_capacity(32 << 10, File::open(path)?);
            // The file stays readable for as long as it is open.
            std::fs::remove_file(path)?;
            let mut entry = Entry { key: Vec::new(), record: 0, line: 0 };
            if read_entry(&mut piece, &mut entry)? {
                merge.next.push(Reverse((entry, merge.pieces.len())));
            }
            merge.pieces.push(piece);
        }
        Ok(merge)
    }
}

fn read_entry(from: &mut impl Read, entry: &mut Entry) -> io::Result<bool> {
    let mut len = [0];
    if from.read(&mut len)? == 0 {
        return Ok(false);
    }
    entry.key.resize(usize::from(len[0]), 0);
    from.read_exact(&mut entry.key)?;
    let (mut record, mut line) = ([0; 4], [0; 8]);
    from.read_exact(&mut record)?;
    from.read_exact(&mut line)?;
    (entry.record, entry.line) = (u32::from_le_bytes(record), u64::from_le_bytes(line));
    Ok(true)
}

/// The entries of all pieces in order.
pub(crate) struct Merge {
    pieces: Vec<BufReader<File>>,
    next: BinaryHeap<Reverse<(Entry, usize)>>,
}

impl Merge {
    /// Puts the next entry into `entry`; `false` at the end.
    pub(crate) fn next(&mut self, entry: &mut Entry) -> io::Result<bool> {
        let Some(mut top) = self.next.peek_mut() else { return Ok(false) };
        let Reverse((least, piece)) = &mut *top;
        std::mem::swap(least, entry);
        if !read_entry(&mut self.pieces[*piece], least)? {
            PeekMut::pop(top);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn entries_come_back_in_order_whatever_the_pieces(keys in prop::collection::vec(prop::collection::vec(0u8..4, 0..5), 0..200), piece_bytes in 1usize..3000) {
            let folder = tempfile::tempdir().expect("a folder");
            let mut sorter = Sorter::with_piece(folder.path(), piece_bytes);
            let mut expected = Vec::new();
            for (record, key) in (0u32..).zip(&keys) {
                sorter.add(key, record, u64::from(record) + 7).expect("written");
                expected.push(Entry { key: key.clone(), record, line: u64::from(record) + 7 });
            }
            expected.sort();
            let mut merge = sorter.merge().expect("read");
            let (mut entry, mut got) = (Entry { key: Vec::new(), record: 0, line: 0 }, Vec::new());
            while merge.next(&mut entry).expect("read") {
                got.push(entry.clone());
            }
            prop_assert_eq!(got, expected);
            prop_assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
        }
    }
}
