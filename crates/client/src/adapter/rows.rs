//! Rows on their way to a store and back, and the answers to many keys.

use std::ffi::{c_int, c_void};

use kurabe_protocol::{KeyMap, Layout, ReturnedKey};

use super::{Key, StoreError};

/// A row to write.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Its key.
    pub key: Key,
    /// Version of the row that is written.
    pub version: u32,
    /// The fields after the key in raw encoding.
    pub raw: &'a [u8],
    /// For adapters with columns: how to take the raw encoding apart.
    pub layout: &'a Layout,
}

/// A row that was read, in raw encoding.
#[derive(Clone, Debug, Default)]
pub struct RowBuffer {
    raw: Vec<u8>,
    framed: bool,
}

impl RowBuffer {
    /// A buffer for one row of `layout`; it does not grow while answers have their right length, or one byte more.
    pub fn new(layout: &Layout) -> RowBuffer {
        RowBuffer { raw: Vec::with_capacity(layout.len_bytes() + 1), framed: layout.framed() }
    }

    /// What was read.
    #[inline(always)]
    pub fn raw(&self) -> &[u8] {
        &self.raw
    }

    /// Forgets the row before.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.raw.clear();
    }

    /// Takes a value that is raw encoded already.
    #[inline(always)]
    pub fn set_raw(&mut self, raw: &[u8]) {
        self.raw.clear();
        self.raw.extend_from_slice(raw);
    }

    /// Appends an int64 field.
    #[inline(always)]
    pub fn push_int(&mut self, value: i64) {
        self.raw.extend_from_slice(&value.to_le_bytes());
    }

    /// Appends a text or bytes field.
    #[inline(always)]
    pub fn push_bytes(&mut self, value: &[u8]) {
        if self.framed {
            self.raw.extend_from_slice(&(value.len() as u32).to_le_bytes());
        }
        self.raw.extend_from_slice(value);
    }

    /// Takes what a C function writes in place: it is given the start of `room` bytes and answers how many it wrote, or
    /// a negative number for none. Returns whether there were any.
    ///
    /// # Safety
    /// `write` writes as many bytes as it answers, from the start on, and no more than `room`. An answer above that
    /// counts as all of the room.
    #[inline(always)]
    pub unsafe fn fill(&mut self, room: usize, write: impl FnOnce(*mut c_void) -> c_int) -> bool {
        self.raw.clear();
        self.raw.reserve(room);
        let len = usize::try_from(write(self.raw.as_mut_ptr().cast()));
        // SAFETY: there is room for so many, and they were written, as the caller promises.
        len.inspect(|len| unsafe { self.raw.set_len(*len.min(&room)) }).is_ok()
    }

    /// Room of exactly `len` bytes for a value that is made in place.
    #[inline(always)]
    pub fn room(&mut self, len: usize) -> &mut [u8] {
        if self.raw.len() != len {
            self.raw.resize(len, 0);
        }
        &mut self.raw
    }
}

/// What a search asks for: rows whose int64 field lies between two bounds, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Number of the field in the schema; the key is field 0.
    pub field: usize,
    /// Least value.
    pub low: i64,
    /// Greatest value.
    pub high: i64,
}

/// The keys of a multi-read or of an `open`, all different, and the answers to them.
pub struct Answers {
    keys: Vec<Key>,
    /// Which rows are asked for, where they are too many to look through the keys.
    asked: Option<RowSet>,
    /// Places of the keys in the order by which they are looked up, where they are so many.
    sorted: Vec<u32>,
    /// As many as there can be keys.
    rows: Vec<RowBuffer>,
    found: Vec<bool>,
}

/// A set of rows.
#[derive(Default)]
struct RowSet(Vec<u64>);

impl RowSet {
    fn has(&self, row: u32) -> bool {
        self.0.get(row as usize / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    fn add(&mut self, row: u32) {
        let at = row as usize / 64;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] |= 1 << (row % 64);
    }

    fn remove(&mut self, row: u32) {
        if let Some(word) = self.0.get_mut(row as usize / 64) {
            *word &= !(1 << (row % 64));
        }
    }
}

impl Answers {
    /// So many keys are looked through sooner than they are looked up.
    const FEW: usize = 64;

    /// Room for `count` rows of `layout`.
    pub fn new(count: usize, layout: &Layout) -> Answers {
        Answers {
            keys: Vec::with_capacity(count),
            asked: (count > Answers::FEW).then(RowSet::default),
            sorted: Vec::new(),
            rows: (0..count).map(|_| RowBuffer::new(layout)).collect(),
            found: vec![false; count],
        }
    }

    /// How many rows there is room for.
    pub(crate) fn room(&self) -> usize {
        self.rows.len()
    }

    /// Forgets keys and answers.
    pub(crate) fn clear(&mut self) {
        if let Some(asked) = &mut self.asked {
            self.keys.iter().for_each(|key| asked.remove(key.row));
        }
        self.keys.clear();
        self.sorted.clear();
        self.found.fill(false);
    }

    /// Whether the row is asked for already.
    pub(crate) fn asks_for(&self, row: u32) -> bool {
        match &self.asked {
            Some(asked) => asked.has(row),
            None => self.keys.iter().any(|key| key.row == row),
        }
    }

    /// Asks for one more key. There is room for as many as [`Answers::new`] was told.
    pub fn ask(&mut self, key: Key) {
        if let Some(asked) = &mut self.asked {
            asked.add(key.row);
        }
        self.keys.push(key);
    }

    /// Makes many keys ready to be looked up as stores of these keys give them. Called outside of what is measured: a
    /// long search for the place of each answer would be taken for the store's time.
    pub(crate) fn sort(&mut self, map: &KeyMap) {
        if self.asked.is_none() {
            return;
        }
        let keys = &self.keys;
        self.sorted.extend(0..keys.len() as u32);
        let key = |at: &u32| &keys[*at as usize];
        match (map.own().is_some(), map.is_text()) {
            (false, _) => self.sorted.sort_unstable_by_key(|at| key(at).row),
            (true, false) => self.sorted.sort_unstable_by_key(|at| key(at).int()),
            (true, true) => self.sorted.sort_unstable_by(|a, b| key(a).text_bytes().cmp(key(b).text_bytes())),
        }
    }

    /// The place of the key that `compare` finds equal; it tells where the one before it stands.
    #[inline(always)]
    fn place(&self, compare: impl Fn(&Key) -> std::cmp::Ordering) -> Option<usize> {
        if self.sorted.is_empty() {
            return self.keys.iter().position(|key| compare(key).is_eq());
        }
        let found = self.sorted.binary_search_by(|at| compare(&self.keys[*at as usize])).ok()?;
        Some(self.sorted[found] as usize)
    }

    /// The keys.
    #[inline(always)]
    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// Notes that the row of key number `at` exists; its value goes into the buffer.
    #[inline(always)]
    pub fn found(&mut self, at: usize) -> &mut RowBuffer {
        self.found[at] = true;
        self.rows[at].clear();
        &mut self.rows[at]
    }

    /// As [`Answers::found`] for stores that answer in an order of their own; `None` where the key was not asked for.
    #[inline(always)]
    pub fn found_key(&mut self, seen: ReturnedKey<'_>) -> Option<&mut RowBuffer> {
        let at = match seen {
            ReturnedKey::Row(row) => self.place(|key| key.row.cmp(&row)),
            ReturnedKey::OwnInt(int) => self.place(|key| key.int().cmp(&int)),
            ReturnedKey::OwnText(text) => self.place(|key| key.text_bytes().cmp(text)),
        };
        Some(self.found(at?))
    }

    /// Asks `read` for every key in turn: for stores without a request for many.
    #[inline(always)]
    pub fn one_by_one(
        &mut self,
        mut read: impl FnMut(&Key, &mut RowBuffer) -> Result<bool, StoreError>,
    ) -> Result<(), StoreError> {
        for (at, key) in self.keys.iter().enumerate() {
            self.found[at] = read(key, &mut self.rows[at])?;
        }
        Ok(())
    }

    /// Every key with its answer.
    pub fn iter(&self) -> impl Iterator<Item = (&Key, Option<&[u8]>)> {
        let rows = self.rows.iter().zip(&self.found);
        self.keys.iter().zip(rows).map(|(key, (row, found))| (key, found.then_some(row.raw())))
    }
}
