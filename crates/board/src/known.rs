//! Which rows there are, for stores that cannot tell their newest: as ranges, since rows that are numbered here have
//! few gaps.

use std::collections::BTreeMap;

/// A set of rows.
#[derive(Debug, Default)]
pub struct KnownRows {
    /// The first row of each range, and its last. No two of them touch.
    ranges: BTreeMap<u32, u32>,
}

impl KnownRows {
    /// The range that begins at or before `row`.
    fn before_or_at(&self, row: u32) -> Option<(u32, u32)> {
        self.ranges.range(..=row).next_back().map(|(first, last)| (*first, *last))
    }

    /// Notes a row that is there.
    pub fn insert(&mut self, row: u32) {
        let (mut first, mut last) = (row, row);
        match self.before_or_at(row) {
            Some((_, end)) if end >= row => return,
            Some((start, end)) if end + 1 == row => first = start,
            _ => {}
        }
        if let Some(end) = row.checked_add(1).and_then(|next| self.ranges.remove(&next)) {
            last = end;
        }
        self.ranges.insert(first, last);
    }

    /// Notes a row that is not there any more.
    pub fn remove(&mut self, row: u32) {
        let Some((first, last)) = self.before_or_at(row).filter(|(_, last)| *last >= row) else { return };
        self.ranges.remove(&first);
        if first < row {
            self.ranges.insert(first, row - 1);
        }
        if row < last {
            self.ranges.insert(row + 1, last);
        }
    }

    /// At most `count` rows below `end`, highest first.
    pub fn rows_before(&self, end: u32, count: usize) -> Vec<u32> {
        let ranges = self.ranges.range(..end).rev();
        ranges.flat_map(|(first, last)| (*first..=(*last).min(end - 1)).rev()).take(count).collect()
    }

    /// The highest row.
    pub fn newest(&self) -> Option<u32> {
        self.ranges.last_key_value().map(|(_, last)| *last)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn it_holds_what_a_plain_set_holds() {
        let (mut known, mut plain) = (KnownRows::default(), BTreeSet::new());
        let mut state = 1u32;
        for _ in 0..5_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let row = (state >> 16) % 80;
            if state >> 31 == 0 {
                known.insert(row);
                plain.insert(row);
            } else {
                known.remove(row);
                plain.remove(&row);
            }
            let all: Vec<u32> = plain.iter().rev().copied().collect();
            assert_eq!(known.rows_before(u32::MAX, usize::MAX), all);
            assert_eq!(known.newest(), plain.last().copied());
            let some: Vec<u32> = plain.range(..row).rev().take(3).copied().collect();
            assert_eq!(known.rows_before(row, 3), some, "below {row}");
        }
    }

    #[test]
    fn rows_in_a_row_are_one_range_and_the_ends_of_numbers_are_rows_too() {
        let mut known = KnownRows::default();
        (0..1_000).rev().chain(2_000..3_000).for_each(|row| known.insert(row));
        assert_eq!(known.ranges.len(), 2);
        known.insert(u32::MAX);
        known.insert(u32::MAX - 1);
        assert_eq!(known.newest(), Some(u32::MAX));
        assert_eq!(known.rows_before(u32::MAX, 2), [u32::MAX - 1, 2_999]);
        assert!(known.rows_before(0, 2).is_empty());
    }
}
