//! Completed operations over time, in bounded memory.

use kurabe_protocol::Series;

/// Most slots of a series; at this many neighbours are joined and the slot doubles.
const SLOTS: usize = 512;
/// First length of a slot: 1 ms, so that a phase of 0.2 s has 200 points.
const FIRST_SLOT_NS: u64 = 1_000_000;

pub(crate) struct SeriesRecorder {
    start_ns: u64,
    slot_ns: u64,
    slot: usize,
    /// End of the current slot: one comparison decides the usual case.
    until_ns: u64,
    counts: Vec<u64>,
}

impl Default for SeriesRecorder {
    fn default() -> SeriesRecorder {
        let mut made = SeriesRecorder { start_ns: 0, slot_ns: 0, slot: 0, until_ns: 0, counts: vec![0; SLOTS] };
        made.begin(0);
        made
    }
}

impl SeriesRecorder {
    /// Forgets what was counted and begins anew at `start_ns`.
    pub(crate) fn begin(&mut self, start_ns: u64) {
        self.counts.fill(0);
        (self.start_ns, self.slot_ns, self.slot) = (start_ns, FIRST_SLOT_NS, 0);
        self.until_ns = start_ns + FIRST_SLOT_NS;
    }

    /// Counts operations that ended at `end_ns`.
    #[inline(always)]
    pub(crate) fn add(&mut self, end_ns: u64, operations: u64) {
        if end_ns >= self.until_ns {
            self.move_to(end_ns);
        }
        self.counts[self.slot] += operations;
    }

    #[cold]
    fn move_to(&mut self, end_ns: u64) {
        while (end_ns - self.start_ns) / self.slot_ns >= SLOTS as u64 {
            for slot in 0..SLOTS / 2 {
                self.counts[slot] = self.counts[2 * slot] + self.counts[2 * slot + 1];
            }
            self.counts[SLOTS / 2..].fill(0);
            self.slot_ns *= 2;
        }
        self.slot = ((end_ns - self.start_ns) / self.slot_ns) as usize;
        self.until_ns = self.start_ns + (self.slot as u64 + 1) * self.slot_ns;
    }

    pub(crate) fn finish(self) -> Series {
        let mut operations = self.counts;
        operations.truncate(self.slot + 1);
        Series { start_ns: self.start_ns, slot_ns: self.slot_ns, operations }
    }
}

/// The sum of several series with one start.
pub(crate) fn merge(series: Vec<Series>) -> Series {
    let Some(slot_ns) = series.iter().map(|one| one.slot_ns).max() else { return Series::default() };
    let start_ns = series.iter().map(|one| one.start_ns).min().unwrap_or(0);
    let mut operations = Vec::new();
    for one in &series {
        for (slot, count) in one.operations.iter().enumerate() {
            let at = ((one.start_ns - start_ns) + slot as u64 * one.slot_ns) / slot_ns;
            let at = at as usize;
            if operations.len() <= at {
                operations.resize(at + 1, 0);
            }
            operations[at] += count;
        }
    }
    Series { start_ns, slot_ns, operations }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_operation_is_lost_however_long_the_phase(ends in prop::collection::vec(0u64..100_000_000_000, 1..300)) {
            let mut ends = ends;
            ends.sort_unstable();
            let mut recorder = SeriesRecorder::default();
            ends.iter().for_each(|end| recorder.add(*end, 1));
            let series = recorder.finish();
            prop_assert_eq!(series.operations.iter().sum::<u64>(), ends.len() as u64);
            prop_assert!(series.operations.len() <= SLOTS);
        }
    }

    #[test]
    fn series_of_several_workers_add_up() {
        let one = Series { start_ns: 0, slot_ns: 10, operations: vec![1, 2, 3, 4] };
        let two = Series { start_ns: 0, slot_ns: 20, operations: vec![5, 6] };
        assert_eq!(merge(vec![one, two]), Series { start_ns: 0, slot_ns: 20, operations: vec![8, 13] });
    }
}
