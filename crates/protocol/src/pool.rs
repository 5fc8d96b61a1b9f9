//! The pool of filler, and where a row's filler starts in it.

use crate::digits::Digits;

/// Bytes of the pool of filler.
pub const POOL_BYTES: usize = 1 << 20;
/// Bytes of `row:version:field:` before the filler of a text.
pub const HEAD_BYTES: usize = 25;
/// Start offsets of filler are below this prime, the largest below the pool's size.
const OFFSETS: u64 = 1_048_573;

/// The pool of ASCII filler, extended by its own start so that every slice is one piece.
pub struct Pool {
    bytes: Vec<u8>,
}

impl Pool {
    /// A pool whose slices may be as long as `longest_bytes`; `None` where `pool` is not exactly [`POOL_BYTES`] long.
    pub(crate) fn of(pool: &[u8], longest_bytes: usize) -> Option<Pool> {
        if pool.len() != POOL_BYTES {
            return None;
        }
        let bytes = pool.iter().copied().cycle().take(POOL_BYTES + longest_bytes).collect();
        Some(Pool { bytes })
    }

    /// Where the filler that starts at `start` lies.
    #[inline(always)]
    pub(crate) fn at(&self, start: usize) -> *const u8 {
        self.bytes.as_ptr().wrapping_add(start)
    }

    #[inline(always)]
    pub(crate) fn slice(&self, seed: &RowSeed, version: u32, len: usize) -> &[u8] {
        let start = seed.filler_start(version);
        &self.bytes[start..start + len]
    }
}

/// What all values of a row are made from. It is made once an operation, while the operation is prepared, and serves
/// the key, the value and the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowSeed {
    /// The row.
    pub row: u32,
    /// Where the filler of version 0 starts in the pool.
    filler: u32,
    /// The row as ten digits.
    pub digits: Digits,
}

impl RowSeed {
    /// The seed of `row`.
    #[inline(always)]
    pub fn of(row: u32) -> RowSeed {
        RowSeed { row, filler: filler_of(row), digits: Digits::of(row) }
    }

    #[inline(always)]
    pub(crate) fn filler_start(&self, version: u32) -> usize {
        filler_start(self.filler, version)
    }
}

/// Where the filler of a row starts in the pool at version 0.
#[inline(always)]
pub(crate) fn filler_of(row: u32) -> u32 {
    (u64::from(row) * 7919 % OFFSETS) as u32
}

/// Where it starts at `version`.
#[inline(always)]
pub(crate) fn filler_start(filler: u32, version: u32) -> usize {
    if version == 0 {
        return filler as usize;
    }
    ((u64::from(filler) + u64::from(version) * 104_729) % OFFSETS) as usize
}

/// The bytes of a pool file for `seed`: `compressible` (0 to 1) of every 64 bytes is one repeated
/// character, the rest is drawn from 64 ASCII characters by ChaCha8.
pub fn pool_bytes(seed: u64, compressible: f64) -> Vec<u8> {
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = vec![0u8; POOL_BYTES];
    random.fill_bytes(&mut bytes);
    let repeated = (compressible.clamp(0.0, 1.0) * 64.0).round() as usize;
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = if index % 64 < repeated { b'A' } else { ALPHABET[usize::from(*byte) % 64] };
    }
    bytes
}
