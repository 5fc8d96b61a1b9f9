//! Changes that were not synced yet, and which of them outlive a cut.

use std::collections::BTreeSet;

use kurabe_record::Unsynced;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::content::Content;

/// A drive writes a sector whole or not at all.
const SECTOR_BYTES: u64 = 512;

/// A change of a file's content.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Write { at: u64, bytes: Vec<u8> },
    Resize(u64),
    Zero { at: u64, len: u64 },
    Allocate { at: u64, len: u64 },
}

impl Change {
    pub(crate) fn apply(&self, content: &mut Content) {
        match self {
            Change::Write { at, bytes } => content.write(*at, bytes),
            Change::Resize(len) => content.resize(*len),
            Change::Zero { at, len } => content.zero(*at, *len),
            Change::Allocate { at, len } => content.allocate(*at, *len),
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        match self {
            Change::Write { bytes, .. } => bytes.len() as u64,
            Change::Resize(_) | Change::Zero { .. } | Change::Allocate { .. } => 0,
        }
    }

    /// Room that it takes of what the file has not yet.
    pub(crate) fn growth_bytes(&self, content: &Content) -> u64 {
        match self {
            Change::Write { at, bytes } => content.growth_bytes(*at, bytes.len() as u64),
            Change::Allocate { at, len } => content.growth_bytes(*at, *len),
            Change::Resize(_) | Change::Zero { .. } => 0,
        }
    }

    /// Whether it changes only what a file of this length has.
    fn is_inside(&self, len: u64) -> bool {
        match self {
            Change::Write { at, bytes } => at + bytes.len() as u64 <= len,
            Change::Resize(_) => false,
            Change::Zero { .. } | Change::Allocate { .. } => true,
        }
    }

    /// The sectors of a write; of what is no write nothing.
    fn sectors(&self) -> Vec<Change> {
        let Change::Write { at, bytes } = self else { return Vec::new() };
        let mut sectors = Vec::new();
        let mut done = 0;
        while done < bytes.len() {
            let from = at + done as u64;
            let count = ((SECTOR_BYTES - from % SECTOR_BYTES) as usize).min(bytes.len() - done);
            sectors.push(Change::Write { at: from, bytes: bytes[done..done + count].to_vec() });
            done += count;
        }
        sectors
    }

    /// Some of its sectors: any of a write inside the file, the first ones of one that makes it longer.
    fn torn(&self, is_inside: bool, random: &mut ChaCha8Rng) -> Vec<Change> {
        let mut sectors = self.sectors();
        if is_inside {
            sectors.retain(|_| random.random());
        } else {
            sectors.truncate(random.random_range(0..=sectors.len()));
        }
        sectors
    }
}

/// The first part of some changes that outlives a cut, where their order is kept.
pub(crate) fn prefix<'a, T>(changes: &'a [T], unsynced: Unsynced, random: &mut ChaCha8Rng) -> &'a [T] {
    match unsynced {
        Unsynced::Dropped => &[],
        Unsynced::Kept => changes,
        Unsynced::Prefix | Unsynced::Torn | Unsynced::Reordered => &changes[..random.random_range(0..=changes.len())],
    }
}

/// A file: what its readers see, and what has reached the device.
#[derive(Clone, Debug, Default)]
pub(crate) struct File {
    pub(crate) now: Content,
    durable: Content,
    unsynced: Vec<Change>,
    /// Whether its length is another one than when it was synced.
    is_resized: bool,
    /// Pages that a failed sync was to write. The system takes them for written, until somebody writes to them again: then it
    /// writes the whole page.
    lost: BTreeSet<u64>,
}

impl File {
    /// A file of which all has reached the device.
    fn synced(content: Content) -> File {
        File { now: content.clone(), durable: content, ..File::default() }
    }

    pub(crate) fn change(&mut self, change: Change) {
        let before = self.now.len();
        change.apply(&mut self.now);
        self.is_resized |= self.now.len() != before;
        let touched: Vec<u64> = match &change {
            Change::Write { at, bytes } if !self.lost.is_empty() => Content::pages(*at, bytes.len() as u64).collect(),
            _ => Vec::new(),
        };
        self.unsynced.push(change);
        for page in touched.into_iter().filter(|page| self.lost.remove(page)) {
            let (at, bytes) = self.now.page_bytes(page);
            self.unsynced.push(Change::Write { at, bytes });
        }
    }

    /// Syncs its content; returns whether the journal must be written too, `is_data` for fdatasync.
    pub(crate) fn sync(&mut self, is_data: bool) -> bool {
        let is_changed = !self.unsynced.is_empty();
        self.unsynced.drain(..).for_each(|change| change.apply(&mut self.durable));
        std::mem::take(&mut self.is_resized) || (is_changed && !is_data)
    }

    /// A sync that fails: readers see what was written, and it does not reach the device. Lengths and allocations are in the
    /// journal, which is written.
    pub(crate) fn fail_sync(&mut self) {
        for change in self.unsynced.drain(..) {
            match &change {
                Change::Write { at, bytes } => self.lost.extend(Content::pages(*at, bytes.len() as u64)),
                Change::Resize(_) | Change::Zero { .. } | Change::Allocate { .. } => change.apply(&mut self.durable),
            }
        }
    }

    /// Nobody can read it any more: what it holds takes no room.
    pub(crate) fn free(&mut self) {
        self.now = Content::default();
    }

    /// Changes that were not synced, and their bytes.
    pub(crate) fn unsynced(&self) -> (u64, u64) {
        (self.unsynced.len() as u64, self.unsynced.iter().map(Change::bytes).sum())
    }

    /// What a cut leaves of it. What made the file longer keeps its order, as on ext4 and XFS: a file has no gap where
    /// it was written from end to end.
    pub(crate) fn after_cut(&self, unsynced: Unsynced, random: &mut ChaCha8Rng) -> File {
        let mut content = self.durable.clone();
        let whole = prefix(&self.unsynced, unsynced, random).len();
        // What is behind it was cut off or not there: it is made longer again.
        let mut old_len = self.durable.len();
        for (at, change) in self.unsynced.iter().enumerate() {
            let is_inside = change.is_inside(old_len);
            if let Change::Resize(len) = change {
                old_len = old_len.min(*len);
            }
            let outlives = match unsynced {
                Unsynced::Reordered if is_inside => random.random(),
                _ => at < whole,
            };
            if outlives {
                change.apply(&mut content);
            } else if unsynced == Unsynced::Torn && at == whole {
                change.torn(is_inside, random).iter().for_each(|part| part.apply(&mut content));
            }
        }
        File::synced(content)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn file() -> File {
        let mut file = File::default();
        file.change(Change::Write { at: 0, bytes: vec![1; 2_000] });
        file.sync(true);
        file.change(Change::Write { at: 0, bytes: vec![2; 1_000] });
        file.change(Change::Write { at: 1_000, bytes: vec![3; 1_500] });
        file
    }

    /// The contents that cuts can leave, each once.
    fn left(file: &File, unsynced: Unsynced) -> Vec<Vec<u8>> {
        let mut seen = Vec::new();
        for seed in 0..400 {
            let cut = file.after_cut(unsynced, &mut ChaCha8Rng::seed_from_u64(seed));
            assert_eq!(cut.unsynced(), (0, 0));
            let bytes = cut.now.read(0, 9_999);
            if !seen.contains(&bytes) {
                seen.push(bytes);
            }
        }
        seen.sort();
        seen
    }

    #[test]
    fn unsynced_writes_are_dropped_kept_or_both() {
        let file = file();
        let (old, new) = (vec![1; 2_000], file.now.read(0, 9_999));
        let first = [vec![2; 1_000], vec![1; 1_000]].concat();
        let second = [vec![1; 1_000], vec![3; 1_500]].concat();
        assert_eq!(left(&file, Unsynced::Dropped), std::slice::from_ref(&old));
        assert_eq!(left(&file, Unsynced::Kept), std::slice::from_ref(&new));
        let mut prefixes = vec![old.clone(), first.clone(), new.clone()];
        prefixes.sort();
        assert_eq!(left(&file, Unsynced::Prefix), prefixes);
        let mut any = vec![old, first, second, new];
        any.sort();
        assert_eq!(left(&file, Unsynced::Reordered), any);
    }

    #[test]
    fn a_file_that_was_emptied_and_written_again_has_no_gap() {
        let mut file = File::default();
        file.change(Change::Write { at: 0, bytes: vec![1; 2_000] });
        file.sync(true);
        file.change(Change::Resize(0));
        file.change(Change::Write { at: 0, bytes: vec![2; 1_000] });
        file.change(Change::Write { at: 1_000, bytes: vec![3; 1_000] });
        let whole = [vec![2; 1_000], vec![3; 1_000]].concat();
        let mut parts = vec![vec![1; 2_000], Vec::new(), vec![2; 1_000], whole];
        parts.sort();
        assert_eq!(left(&file, Unsynced::Reordered), parts);
    }

    #[test]
    fn a_torn_write_is_there_in_whole_sectors_behind_those_before_it() {
        let seen = left(&file(), Unsynced::Torn);
        assert!(seen.len() > 6, "{}", seen.len());
        for bytes in seen {
            let of_first = bytes[..1_000].iter().filter(|byte| **byte == 2).count();
            assert!([0, 488, 512, 1_000].contains(&of_first), "{of_first}: sectors end at 512, the write at 1,000");
            let of_second = bytes[1_000..].iter().filter(|byte| **byte == 3).count();
            let from_its_begin = bytes[1_000..].iter().take_while(|byte| **byte == 3).count();
            assert_eq!(of_second, from_its_begin, "what makes the file longer has no gap");
            assert!(of_second == 0 || of_first == 1_000, "the second write outlives no first that did not");
        }
    }
}
