//! Bytes of a file, in pages that copies share until one of them is changed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

const PAGE_BYTES: u64 = 4096;

type Page = [u8; PAGE_BYTES as usize];

/// What a file holds; where no page is, it holds zeros.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    len: u64,
    pages: BTreeMap<u64, Arc<Page>>,
}

/// A part of a range that lies in one page.
struct Span {
    page: u64,
    /// Where in the page.
    inside: Range<usize>,
    /// Where in the range.
    of_range: Range<usize>,
}

fn spans(at: u64, len: usize) -> impl Iterator<Item = Span> {
    let mut done = 0;
    std::iter::from_fn(move || {
        if done == len {
            return None;
        }
        let from = ((at + done as u64) % PAGE_BYTES) as usize;
        let count = (PAGE_BYTES as usize - from).min(len - done);
        let span =
            Span { page: (at + done as u64) / PAGE_BYTES, inside: from..from + count, of_range: done..done + count };
        done += count;
        Some(span)
    })
}

impl Content {
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn allocated_bytes(&self) -> u64 {
        self.pages.len() as u64 * PAGE_BYTES
    }

    /// The pages of a range, by number.
    pub(crate) fn pages(at: u64, len: u64) -> Range<u64> {
        at / PAGE_BYTES..(at + len).div_ceil(PAGE_BYTES)
    }

    /// What a page holds, up to the end of the file, and where it begins.
    pub(crate) fn page_bytes(&self, page: u64) -> (u64, Vec<u8>) {
        (page * PAGE_BYTES, self.read(page * PAGE_BYTES, PAGE_BYTES as usize))
    }

    /// How much room a write of `len` bytes at `at` takes that the file has not yet.
    pub(crate) fn growth_bytes(&self, at: u64, len: u64) -> u64 {
        let pages = Content::pages(at, len);
        let there = self.pages.range(pages.clone()).count() as u64;
        (pages.end - pages.start - there) * PAGE_BYTES
    }

    /// Takes the room of `len` bytes at `at`; what is new holds zeros, and the length stays.
    pub(crate) fn allocate(&mut self, at: u64, len: u64) {
        let zeros: Arc<Page> = Arc::new([0; PAGE_BYTES as usize]);
        for page in Content::pages(at, len) {
            self.pages.entry(page).or_insert_with(|| zeros.clone());
        }
    }

    /// At most `len` bytes from `at`; fewer where the file ends before.
    pub(crate) fn read(&self, at: u64, len: usize) -> Vec<u8> {
        let end = self.len.min(at.saturating_add(len as u64));
        let mut bytes = vec![0; end.saturating_sub(at) as usize];
        for Span { page, inside, of_range } in spans(at, bytes.len()) {
            if let Some(page) = self.pages.get(&page) {
                bytes[of_range].copy_from_slice(&page[inside]);
            }
        }
        bytes
    }

    pub(crate) fn write(&mut self, at: u64, bytes: &[u8]) {
        for Span { page, inside, of_range } in spans(at, bytes.len()) {
            self.page(page)[inside].copy_from_slice(&bytes[of_range]);
        }
        self.len = self.len.max(at + bytes.len() as u64);
    }

    fn page(&mut self, page: u64) -> &mut Page {
        Arc::make_mut(self.pages.entry(page).or_insert_with(|| Arc::new([0; PAGE_BYTES as usize])))
    }

    /// Zeros from `at` on, so many as lie before the end.
    pub(crate) fn zero(&mut self, at: u64, len: u64) {
        let end = self.len.min(at.saturating_add(len));
        if at >= end {
            return;
        }
        let (first, last) = (at / PAGE_BYTES, (end - 1) / PAGE_BYTES);
        let touched: Vec<u64> = self.pages.range(first..=last).map(|(page, _)| *page).collect();
        for page in touched {
            let begin = page * PAGE_BYTES;
            let inside = at.saturating_sub(begin) as usize..(end - begin).min(PAGE_BYTES) as usize;
            if inside == (0..PAGE_BYTES as usize) {
                self.pages.remove(&page);
            } else {
                self.page(page)[inside].fill(0);
            }
        }
    }

    /// Makes it longer or shorter; what is new holds zeros.
    pub(crate) fn resize(&mut self, len: u64) {
        if len < self.len {
            self.zero(len, self.len - len);
            self.pages.split_off(&len.div_ceil(PAGE_BYTES));
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A change, as of a file that is a vector.
    fn apply(bytes: &mut Vec<u8>, content: &mut Content, change: &(u8, u64, Vec<u8>)) {
        let (kind, at, new) = change;
        let (from, to) = (*at as usize, *at as usize + new.len());
        match kind % 3 {
            0 => {
                bytes.resize(bytes.len().max(to), 0);
                bytes[from..to].copy_from_slice(new);
                content.write(*at, new);
            }
            1 => {
                let (len, end) = (bytes.len(), to.min(bytes.len()));
                if from < len {
                    bytes[from..end].fill(0);
                }
                content.zero(*at, new.len() as u64);
            }
            _ => {
                bytes.resize(from, 0);
                content.resize(*at);
            }
        }
    }

    proptest! {
        #[test]
        fn it_holds_what_a_vector_holds(
            changes in prop::collection::vec((any::<u8>(), 0u64..20_000, prop::collection::vec(1u8.., 1..9_000)), 1..12),
        ) {
            let (mut bytes, mut content) = (Vec::new(), Content::default());
            let mut earlier = None;
            for change in &changes {
                apply(&mut bytes, &mut content, change);
                prop_assert_eq!(content.len(), bytes.len() as u64);
                prop_assert!(content.read(0, bytes.len() + 9) == bytes);
                let from = bytes.len() / 3;
                prop_assert!(content.read(from as u64, 5_000) == bytes[from..bytes.len().min(from + 5_000)]);
                earlier.get_or_insert_with(|| (content.clone(), bytes.clone()));
            }
            let (content, bytes) = earlier.expect("there is a change");
            prop_assert!(content.read(0, bytes.len()) == bytes, "a copy does not change with the original");
        }
    }

    #[test]
    fn zeros_take_no_room() {
        let mut content = Content::default();
        content.resize(1 << 40);
        content.write(5 << 30, &[7; 10_000]);
        assert_eq!(content.allocated_bytes(), 3 * PAGE_BYTES);
        content.zero(5 << 30, 2 * PAGE_BYTES);
        assert_eq!(content.allocated_bytes(), PAGE_BYTES);
        content.resize(1);
        assert_eq!((content.len(), content.allocated_bytes()), (1, 0));
        assert_eq!(content.read(0, 9), [0]);
    }
}
