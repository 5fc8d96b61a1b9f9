//! Which row and which kind an operation has: numbering, ownership and the stream files.
//!
//! All candidates draw the same rows in the same round and phase. So the harness makes every random choice once, writes
//! it to a file, and all clients read that file. Streams are the same byte for byte on every machine: ChaCha8, and
//! Zipf's law over logarithms computed in Rust.
//!
//! A generator in each client was the alternative. Each language would need the same generator and the same law, and
//! each could be wrong by itself (docs/decisions/0004-one-client-protocol.md). The price of files is that a stream
//! repeats: [`ENTRIES`] is chosen so that one second of the fastest store does not repeat it.
//!
//! Worker `w` of `W` has one connection, counted over all client processes of a job. It takes the operation numbers
//! `w, w + W, w + 2W, …`, so workers share nothing. Rows are u32 little-endian ([`ENTRIES`] of them), kinds are u8
//! ([`KIND_ENTRIES`]). Both are read cyclically, worker `w` starting at `w * len / W`.
//!
//! - A load's operation `n` writes row `n mod rows` at version 0; an insert's writes row `first_row + n`. Inserts of a
//!   mix have a counter of their own: the worker's `i`-th writes row `first_row + w + i * W`.
//! - Other operations take row `n mod rows`, or the worker's next entry of the rows stream; a mix takes its kind from
//!   the kinds stream. A multi-read takes one entry a row; one that is there already becomes the next that the worker
//!   may read.
//! - A row is written by one worker only: where an existing one is written, the drawn row `r` becomes
//!   `r - r mod W + w`. Reads are drawn so too where workers do not see each other's versions and rows were written.
//!   Counters belong to nobody.
//! - In distribution `latest` an entry is a distance back from the newest row: of the worker's own inserts first, then
//!   of the loaded rows ([`Newest`]).
//!
//! In an open loop the planned starts come from gaps, u32 little-endian ([`GAP_ENTRIES`]), read cyclically by all workers
//! together ([`crate::Schedule`]).
//!
//! Cases are in `vectors/numbering.json`.

use crate::operation::{Distribution, Operation};
use crate::zipf::Zipf;
use num_integer::gcd;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Entries of a stream file: enough that one second of the fastest store does not repeat it.
pub const ENTRIES: usize = 4_194_304;

/// Entries of a kinds stream. A prime, so that in a mix that goes on for longer than a stream a row meets another kind each
/// time; with equal lengths it would always meet the same.
pub const KIND_ENTRIES: usize = 4_194_301;

/// Entries of a gaps stream.
pub const GAP_ENTRIES: usize = 1 << 20;
/// The mean gap, as an entry has it.
pub const GAP_UNIT: u32 = 1 << 20;

/// Entries of a stream that has always the same row: few, since a program that starts reads all of them.
const ONE_ENTRIES: usize = 1024;

/// Skew of the zipfian distribution, that of YCSB (Cooper et al., SoCC 2010).
pub const ZIPF_EXPONENT: f64 = 0.99;

/// Share of the rows that are hot in the hotspot distribution, and the share of operations that go to them:
/// the values of YCSB's hotspot generator, and what people call the 80/20 rule.
const HOT_ROWS: f64 = 0.2;
const HOT_OPERATIONS_PERCENT: u32 = 80;

/// The entry where worker `worker` of `workers` starts to read a stream of `len` entries.
pub fn start_of(worker: u32, workers: u32, len: usize) -> usize {
    (u64::from(worker) * len as u64 / u64::from(workers.max(1))) as usize
}

/// The row that `worker` of `workers` may write in place of the drawn row: one that it owns.
/// A row is owned by the worker that it is congruent to; row counts are multiples of `workers`.
#[inline(always)]
pub fn owned(row: u32, worker: u32, workers: u32) -> u32 {
    row - row % workers + worker
}

/// What a worker has inserted in a phase, as the distribution `latest` needs to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Newest {
    /// Rows that are loaded.
    pub rows: u32,
    /// First row that the phase inserts.
    pub first_row: u64,
    /// The worker.
    pub worker: u32,
    /// All workers of the phase.
    pub workers: u32,
    /// Rows that this worker has inserted in the phase.
    pub inserted: u64,
}

impl Newest {
    /// The row `distance` before the newest one that the worker inserted in this phase, or before the last loaded one.
    /// Among inserted rows it is one of the worker's own: others may not have got as far.
    #[inline]
    pub fn back(self, distance: u32) -> u32 {
        let Newest { rows, first_row, worker, workers, inserted } = self;
        let Some(latest) = inserted.checked_sub(1) else { return rows.saturating_sub(1).saturating_sub(distance) };
        let own = first_row + u64::from(worker) + latest * u64::from(workers);
        // Counted over the rows of all workers, so that the distances mean the same with one worker and with many.
        match own.checked_sub(u64::from(distance)).filter(|row| *row >= first_row) {
            Some(row) => {
                let ahead = (row - first_row) % u64::from(workers);
                (row - ahead + u64::from(worker)) as u32
            }
            None => {
                let beyond = u64::from(distance) - (own - first_row);
                u64::from(rows).saturating_sub(beyond) as u32
            }
        }
    }
}

/// `rows` rounded up to a multiple of `workers`, so that every owned row exists.
pub fn round_up(rows: u64, workers: u32) -> u64 {
    rows.div_ceil(u64::from(workers.max(1))) * u64::from(workers.max(1))
}

/// What a stream draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// Rows.
    Rows,
    /// Kinds of operations.
    Kinds,
    /// Gaps between planned starts.
    Gaps,
    /// Moments of actions; they are in no stream.
    Moments,
    /// What a power cut leaves; it is in no stream.
    Cuts,
}

/// The seed of a stream: another for each round and phase of a run (both from 0) and for what is drawn. SplitMix64 over
/// the four, so that no two of them share a stream by adding up to the same. Source: Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014.
pub fn seed_of(seed: u64, round: u32, phase: u32, draws: StreamKind) -> u64 {
    let draws = match draws {
        StreamKind::Rows => 1,
        StreamKind::Kinds => 2,
        StreamKind::Gaps => 3,
        StreamKind::Moments => 4,
        StreamKind::Cuts => 5,
    };
    [u64::from(round), u64::from(phase), draws].into_iter().fold(mixed(seed), |state, part| mixed(state ^ mixed(part)))
}

fn mixed(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The content of a rows stream: [`ENTRIES`] rows below `rows`, drawn by ChaCha8 from `seed`; for `latest` they are
/// distances back from the newest row, and for `one` there are 1,024, all the same.
/// `None` for sequential, which needs no stream.
pub fn rows_stream(distribution: Distribution, rows: u32, seed: u64) -> Option<Vec<u8>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    match distribution {
        Distribution::Sequential => None,
        Distribution::Uniform => Some(encode(ENTRIES, || below(&mut random, rows))),
        Distribution::Zipfian => {
            let (zipf, spread) = (Zipf::new(rows, ZIPF_EXPONENT), Spread::new(rows));
            Some(encode(ENTRIES, || spread.row(u64::from(zipf.draw(&mut random) - 1))))
        }
        Distribution::Hotspot => {
            let spread = Spread::new(rows);
            // At least one row is hot, and where all are, none is cold.
            let hot = ((f64::from(rows) * HOT_ROWS) as u32).max(1);
            Some(encode(ENTRIES, || {
                let is_hot = below(&mut random, 100) < HOT_OPERATIONS_PERCENT || hot == rows;
                let rank = if is_hot { below(&mut random, hot) } else { hot + below(&mut random, rows - hot) };
                spread.row(u64::from(rank))
            }))
        }
        Distribution::Latest => {
            let zipf = Zipf::new(rows, ZIPF_EXPONENT);
            Some(encode(ENTRIES, || zipf.draw(&mut random) - 1))
        }
        Distribution::One => Some((rows / 2).to_le_bytes().repeat(ONE_ENTRIES)),
    }
}

/// The content of a kinds stream: [`KIND_ENTRIES`] codes of operations with the shares of `mix`.
pub fn kinds_stream(mix: &[(Operation, u32)], seed: u64) -> Vec<u8> {
    let total: u32 = mix.iter().map(|(_, share)| share).sum();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (0..KIND_ENTRIES)
        .map(|_| {
            let mut drawn = below(&mut random, total.max(1));
            for (operation, share) in mix {
                if drawn < *share {
                    return operation.code();
                }
                drawn -= share;
            }
            mix.last().map_or(0, |(operation, _)| operation.code())
        })
        .collect()
}

/// The content of a gaps stream.
pub fn gaps_stream(seed: u64) -> Vec<u8> {
    gaps(seed).into_iter().flat_map(u32::to_le_bytes).collect()
}

/// [`GAP_ENTRIES`] gaps of the exponential distribution with the mean [`GAP_UNIT`]. The logarithm is that of `libm`, as in
/// Zipf's law.
pub fn gaps(seed: u64) -> Vec<u32> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    // A uniform number above 0 and up to 1; the longest gap is that of 2^-53: 37 times the mean.
    let gap = |_| {
        let uniform = ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        (-libm::log(uniform) * f64::from(GAP_UNIT)) as u32
    };
    (0..GAP_ENTRIES).map(gap).collect()
}

fn encode(entries: usize, mut draw: impl FnMut() -> u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries * 4);
    for _ in 0..entries {
        bytes.extend_from_slice(&draw().to_le_bytes());
    }
    bytes
}

/// A uniform number below `limit`: the high half of a 64 by 64 bit product. The bias is below
/// limit / 2^64; unlike a library's range sampling it never changes with the library's version.
fn below(random: &mut ChaCha8Rng, limit: u32) -> u32 {
    ((u128::from(random.next_u64()) * u128::from(limit)) >> 64) as u32
}

/// Spreads popular ranks over the key space, so that hot rows are not neighbours on one page.
struct Spread {
    rows: u64,
    factor: u64,
}

impl Spread {
    fn new(rows: u32) -> Spread {
        let rows = u64::from(rows.max(1));
        // Any factor without a common divisor gives a permutation; start near the golden ratio.
        let mut factor = (rows as f64 * 0.618_033_988_75) as u64 | 1;
        while gcd(factor, rows) != 1 {
            factor += 2;
        }
        Spread { rows, factor }
    }

    fn row(&self, rank: u64) -> u32 {
        ((u128::from(rank) * u128::from(self.factor)) % u128::from(self.rows)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decode(bytes: &[u8]) -> Vec<u32> {
        bytes.chunks_exact(4).map(|entry| u32::from_le_bytes(entry.try_into().expect("four bytes"))).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn an_owned_row_exists_and_belongs_to_its_worker(rows in 1u64..100_000, workers in 1u32..200, drawn: u32, worker: u32) {
            let rows = round_up(rows, workers);
            let (drawn, worker) = ((u64::from(drawn) % rows) as u32, worker % workers);
            let row = owned(drawn, worker, workers);
            prop_assert!(u64::from(row) < rows);
            prop_assert_eq!(row % workers, worker);
        }

        #[test]
        fn spreading_is_a_permutation(rows in 1u32..5_000) {
            let spread = Spread::new(rows);
            let mut seen: Vec<u32> = (0..u64::from(rows)).map(|rank| spread.row(rank)).collect();
            seen.sort_unstable();
            prop_assert!(seen.iter().copied().eq(0..rows));
        }
    }

    #[test]
    fn uniform_rows_cover_the_range_evenly() {
        let rows = decode(&rows_stream(Distribution::Uniform, 16, 3).expect("a stream"));
        assert_eq!(rows.len(), ENTRIES);
        for row in 0..16 {
            let count = rows.iter().filter(|drawn| **drawn == row).count();
            // Expected 262,144 with a standard deviation below 500.
            assert!((260_000..264_500).contains(&count), "row {row} was drawn {count} times");
        }
    }

    #[test]
    fn zipfian_rows_are_skewed_as_the_law_says() {
        let rows = decode(&rows_stream(Distribution::Zipfian, 1_000, 3).expect("a stream"));
        let mut counts = vec![0u32; 1_000];
        rows.iter().for_each(|row| counts[*row as usize] += 1);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let harmonic: f64 = (1..=1_000).map(|rank| f64::from(rank).powf(-ZIPF_EXPONENT)).sum();
        let share = f64::from(counts[0]) / ENTRIES as f64;
        assert!((share * harmonic - 1.0).abs() < 0.02, "the hottest row has {share}");
    }

    #[test]
    fn four_fifths_of_the_operations_go_to_the_hot_fifth() {
        let rows = decode(&rows_stream(Distribution::Hotspot, 1_000, 3).expect("a stream"));
        let mut counts = vec![0u32; 1_000];
        rows.iter().for_each(|row| counts[*row as usize] += 1);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        let share = f64::from(counts[..200].iter().sum::<u32>()) / ENTRIES as f64;
        assert!((share - 0.8).abs() < 0.001, "the hottest fifth has {share}");
        assert!(counts[999] > 0, "cold rows are drawn too");
        let one = decode(&rows_stream(Distribution::Hotspot, 1, 3).expect("a stream"));
        assert!(one.iter().all(|row| *row == 0));
    }

    #[test]
    fn latest_draws_short_distances_most_often() {
        let distances = decode(&rows_stream(Distribution::Latest, 1_000, 3).expect("a stream"));
        let share = |distance: u32| distances.iter().filter(|drawn| **drawn == distance).count() as f64;
        assert!((share(0) / share(9) / 10f64.powf(ZIPF_EXPONENT) - 1.0).abs() < 0.05);
        assert!(distances.iter().all(|distance| *distance < 1_000));
    }

    #[test]
    fn one_is_the_row_in_the_middle_whatever_the_seed() {
        for (rows, middle) in [(1, 0), (2, 1), (2_249, 1_124)] {
            let drawn = decode(&rows_stream(Distribution::One, rows, u64::from(rows)).expect("a stream"));
            assert!(!drawn.is_empty() && drawn.iter().all(|row| *row == middle), "{rows}");
        }
    }

    #[test]
    fn kinds_have_their_shares() {
        let kinds = kinds_stream(&[(Operation::Read, 95), (Operation::Update, 5)], 1);
        let updates = kinds.iter().filter(|kind| **kind == Operation::Update.code()).count();
        assert!((updates as f64 / kinds.len() as f64 - 0.05).abs() < 0.001);
    }

    #[test]
    fn a_row_does_not_meet_the_same_kind_on_every_lap() {
        assert_eq!(gcd(ENTRIES as u64, KIND_ENTRIES as u64), 1);
        assert_eq!(kinds_stream(&[(Operation::Read, 1)], 1).len(), KIND_ENTRIES);
    }

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        assert_eq!(rows_stream(Distribution::Uniform, 77, 9), rows_stream(Distribution::Uniform, 77, 9));
        assert_ne!(rows_stream(Distribution::Uniform, 77, 9), rows_stream(Distribution::Uniform, 77, 10));
    }
}
