//! Latency histograms in HdrHistogram's bucket arithmetic, at two significant digits.
//!
//! A percentile of a run is that of all its operations. The average of percentiles is the percentile of nothing. So
//! counts are merged over rounds and processes, and percentiles come afterwards. A histogram merges without loss and
//! needs constant memory, where a list of latencies grows with the phase. Recording takes no allocation.
//!
//! A bucket is the lower bound of all values in ns that agree in their top eight bits. Its relative width is at most
//! 1/128. Buckets equal those of HdrHistogram (Gil Tene, <https://hdrhistogram.org>) with two significant digits; a
//! test compares the two. Its arithmetic is a shift and a mask. The maximum is kept exactly, beside the buckets.
//! docs/METHODOLOGY.md, "Percentiles", has the intervals.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bits of a value that decide its bucket.
const KEPT_BITS: u32 = 8;
const HALF: usize = 1 << (KEPT_BITS - 1);
/// Buckets that any 64-bit value can fall into.
const SLOTS: usize = (64 - KEPT_BITS as usize) * HALF + 2 * HALF;

/// The lower bound of the bucket of `latency_ns`: all but its top eight bits cleared.
#[inline(always)]
pub fn bucket_lowest(latency_ns: u64) -> u64 {
    let shift = shift_of(latency_ns);
    (latency_ns >> shift) << shift
}

/// The highest value of the bucket of `latency_ns`.
pub fn bucket_highest(latency_ns: u64) -> u64 {
    bucket_lowest(latency_ns) + ((1 << shift_of(latency_ns)) - 1)
}

#[inline(always)]
fn shift_of(value: u64) -> u32 {
    // `| 255` makes small values exact without a branch.
    (64 - KEPT_BITS) - (value | 0xff).leading_zeros()
}

#[inline(always)]
fn slot_of(value: u64) -> usize {
    let shift = shift_of(value);
    shift as usize * HALF + (value >> shift) as usize
}

fn lower_bound_of(slot: usize) -> u64 {
    if slot < 2 * HALF {
        return slot as u64;
    }
    let shift = slot / HALF - 1;
    ((slot - shift * HALF) as u64) << shift
}

/// Counts of latencies; records without allocation in constant memory.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u64]>,
    count: u64,
    sum_ns: u64,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { counts: vec![0; SLOTS].into_boxed_slice(), count: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Histogram {
    /// Forgets what was counted and keeps its memory.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        (self.count, self.sum_ns, self.min_ns, self.max_ns) = (0, 0, u64::MAX, 0);
    }

    /// Counts one latency.
    #[inline(always)]
    pub fn record(&mut self, latency_ns: u64) {
        self.record_times(latency_ns, 1);
    }

    /// Counts the same latency `times` times: operations that were sent and awaited as one.
    #[inline(always)]
    pub fn record_times(&mut self, latency_ns: u64, times: u64) {
        self.counts[slot_of(latency_ns)] += times;
        self.count += times;
        self.sum_ns = self.sum_ns.wrapping_add(latency_ns.wrapping_mul(times));
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
    }

    /// Counts many latencies, one each: as [`Histogram::record`] again and again, with the sums in registers.
    #[inline(always)]
    pub fn record_all(&mut self, latencies_ns: impl Iterator<Item = u64>) {
        let (mut count, mut sum_ns, mut min_ns, mut max_ns) = (0, 0u64, self.min_ns, self.max_ns);
        for latency_ns in latencies_ns {
            self.counts[slot_of(latency_ns)] += 1;
            count += 1;
            sum_ns = sum_ns.wrapping_add(latency_ns);
            min_ns = min_ns.min(latency_ns);
            max_ns = max_ns.max(latency_ns);
        }
        self.count += count;
        self.sum_ns = self.sum_ns.wrapping_add(sum_ns);
        (self.min_ns, self.max_ns) = (min_ns, max_ns);
    }

    /// Number of latencies counted.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Sum of all latencies, exact.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Smallest latency, exact; 0 where nothing was counted.
    pub fn min_ns(&self) -> u64 {
        if self.count == 0 { 0 } else { self.min_ns }
    }

    /// Largest latency, exact; 0 where nothing was counted.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Adds all counts of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.count += other.count;
        self.sum_ns = self.sum_ns.wrapping_add(other.sum_ns);
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// The non-empty buckets as they travel on the wire, in ascending order.
    pub fn buckets(&self) -> Vec<Bucket> {
        self.counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0)
            .map(|(slot, count)| Bucket(lower_bound_of(slot), *count))
            .collect()
    }
}

/// One bucket on the wire: `[lower bound in ns, count]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bucket(pub u64, pub u64);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hdr() -> hdrhistogram::Histogram<u64> {
        hdrhistogram::Histogram::new_with_bounds(1, 1 << 60, 2).expect("valid bounds")
    }

    proptest! {
        #[test]
        fn buckets_are_those_of_hdrhistogram_with_two_digits(value in 1u64..(1 << 60), shift in 0u32..59) {
            let value = (value >> shift).max(1);
            prop_assert_eq!(bucket_lowest(value), hdr().lowest_equivalent(value));
        }

        #[test]
        fn recorded_values_come_back_as_their_buckets(values in prop::collection::vec(0u64..(1 << 53), 1..200)) {
            let mut histogram = Histogram::default();
            let (some, others) = values.split_at(values.len() / 2);
            some.iter().for_each(|value| histogram.record(*value));
            histogram.record_all(others.iter().copied());
            let mut expected = std::collections::BTreeMap::new();
            for value in &values {
                *expected.entry(bucket_lowest(*value)).or_insert(0) += 1;
            }
            let expected: Vec<Bucket> = expected.into_iter().map(|(bound, count)| Bucket(bound, count)).collect();
            prop_assert_eq!(histogram.buckets(), expected);
            prop_assert_eq!(histogram.count(), values.len() as u64);
            prop_assert_eq!(histogram.sum_ns(), values.iter().sum::<u64>());
            prop_assert_eq!(histogram.max_ns(), *values.iter().max().expect("not empty"));
            prop_assert_eq!(histogram.min_ns(), *values.iter().min().expect("not empty"));
        }
    }

    #[test]
    fn every_slot_has_the_bucket_that_leads_to_it() {
        for slot in 0..SLOTS {
            assert_eq!(slot_of(lower_bound_of(slot)), slot);
        }
        assert!(slot_of(u64::MAX) < SLOTS);
    }

    #[test]
    fn merging_equals_recording_into_one() {
        let (mut one, mut two, mut both) = (Histogram::default(), Histogram::default(), Histogram::default());
        for value in [5, 1_000, 77_777] {
            one.record(value);
            both.record(value);
        }
        for value in [3, 1_000_000_007] {
            two.record(value);
            both.record(value);
        }
        one.merge(&two);
        assert_eq!(one.buckets(), both.buckets());
        assert_eq!(
            (one.count(), one.sum_ns(), one.min_ns(), one.max_ns()),
            (both.count(), both.sum_ns(), both.min_ns(), both.max_ns())
        );
    }
}
