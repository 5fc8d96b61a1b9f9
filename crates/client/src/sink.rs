//! Where an adapter puts the rows of operations that answer with many.

use kurabe_protocol::{KeyMap, Layout, ReturnedKey};

use crate::adapter::{RowBuffer, StoreError};

/// Takes the rows of a scan, a search or of `latest`: copies them inside the time of the operation and hands
/// them to the check outside of it, a chunk at a time, so that memory does not grow with the data.
pub struct RowSink<'a> {
    row: RowBuffer,
    chunk: Vec<u8>,
    rows: Vec<ChunkRow>,
    keys: KeyMap,
    consumer: RowConsumer<'a>,
    paused_ns: u64,
}

/// Who takes the rows of a chunk.
enum RowConsumer<'a> {
    /// The check: rows by their numbers.
    Check(&'a mut dyn FnMut(u32, &[u8])),
    /// Another sink: rows by their keys, which are looked up there.
    Sink(&'a mut dyn FnMut(ReturnedKey<'_>, &[u8])),
}

/// A row in the chunk, which ends at `end`.
struct ChunkRow {
    row: u32,
    /// Bytes of an own key before the value: it is looked up with the check. 0 where `row` is known already.
    key_bytes: u32,
    end: usize,
}

impl<'a> RowSink<'a> {
    /// Bytes copied before the check runs: fits a second-level cache.
    const CHUNK_BYTES: usize = 256 << 10;

    /// A sink that gives every row and its raw value to `check`.
    pub fn new(layout: &Layout, check: &'a mut dyn FnMut(u32, &[u8])) -> RowSink<'a> {
        RowSink::to(layout, RowConsumer::Check(check))
    }

    /// A sink that gives every row to `hand`, as [`RowSink::raw`] takes it.
    pub(crate) fn forwarding(layout: &Layout, hand: &'a mut dyn FnMut(ReturnedKey<'_>, &[u8])) -> RowSink<'a> {
        RowSink::to(layout, RowConsumer::Sink(hand))
    }

    fn to(layout: &Layout, consumer: RowConsumer<'a>) -> RowSink<'a> {
        RowSink {
            row: RowBuffer::new(layout),
            chunk: Vec::with_capacity(RowSink::CHUNK_BYTES + layout.len_bytes()),
            rows: Vec::new(),
            keys: *layout.keys(),
            consumer,
            paused_ns: 0,
        }
    }

    /// Takes a row whose value is raw encoded.
    #[inline(always)]
    pub fn raw(&mut self, key: ReturnedKey<'_>, value: &[u8]) {
        let (row, key_bytes) = self.key(key);
        self.chunk.extend_from_slice(value);
        self.end(row, key_bytes);
    }

    /// Copies a key that is to be looked up.
    #[inline(always)]
    fn key(&mut self, key: ReturnedKey<'_>) -> (u32, u32) {
        match key {
            ReturnedKey::Row(row) => (row, 0),
            ReturnedKey::OwnInt(int) => {
                self.chunk.extend_from_slice(&int.to_be_bytes());
                (u32::MAX, 8)
            }
            ReturnedKey::OwnText(text) => {
                self.chunk.extend_from_slice(text);
                (u32::MAX, text.len() as u32)
            }
        }
    }

    /// Takes a row whose raw encoded value of `len` bytes is made in place.
    #[inline(always)]
    pub fn raw_with(&mut self, row: u32, len: usize, fill: impl FnOnce(&mut [u8])) {
        let start = self.chunk.len();
        self.chunk.resize(start + len, 0);
        fill(&mut self.chunk[start..]);
        self.end(row, 0);
    }

    #[inline(always)]
    fn end(&mut self, row: u32, key_bytes: u32) {
        self.rows.push(ChunkRow { row, key_bytes, end: self.chunk.len() });
        if self.chunk.len() >= RowSink::CHUNK_BYTES {
            self.check_chunk();
        }
    }

    /// Takes a row field by field.
    #[inline(always)]
    pub fn fields(
        &mut self,
        key: ReturnedKey<'_>,
        fill: impl FnOnce(&mut RowBuffer) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.row.clear();
        fill(&mut self.row)?;
        self.take_row(key);
        Ok(())
    }

    /// As [`RowSink::fields`], for what cannot fail.
    #[inline(always)]
    pub(crate) fn fields_with(&mut self, key: ReturnedKey<'_>, fill: impl FnOnce(&mut RowBuffer)) {
        self.row.clear();
        fill(&mut self.row);
        self.take_row(key);
    }

    #[inline(always)]
    fn take_row(&mut self, key: ReturnedKey<'_>) {
        let value = std::mem::take(&mut self.row);
        self.raw(key, value.raw());
        self.row = value;
    }

    /// Checks what is left; returns the time that checking took, which is not the store's.
    pub fn finish(&mut self) -> u64 {
        self.check_chunk();
        self.paused_ns
    }

    /// Time that checking took so far.
    pub fn paused_ns(&self) -> u64 {
        self.paused_ns
    }

    fn check_chunk(&mut self) {
        let start = crate::clock::now_ns();
        let mut at = 0;
        for ChunkRow { row, key_bytes, end } in self.rows.drain(..) {
            let (key, value) = self.chunk[at..end].split_at(key_bytes as usize);
            let seen = if key.is_empty() { ReturnedKey::Row(row) } else { self.keys.seen_bytes(key) };
            match &mut self.consumer {
                RowConsumer::Check(check) => check(self.keys.row(seen), value),
                RowConsumer::Sink(hand) => hand(seen, value),
            }
            at = end;
        }
        self.chunk.clear();
        self.paused_ns += crate::clock::now_ns() - start;
    }
}
