//! One text of a value: `row:version:field:` and filler, written and compared a word at a time.
//!
//! This is the inner loop of every client that is measured against a fast store: no call into libc and no stack
//! buffer that is written in pieces and read back whole (which stalls the processor).

use crate::digits::Digits;
use crate::pool::{HEAD_BYTES, Pool, RowSeed};

/// Writes the text of a row at `version` in field `field`; its length is that of `out`.
#[inline(always)]
pub(crate) fn write(pool: &Pool, seed: &RowSeed, version: u32, field: u32, out: &mut [u8]) {
    let Some((head, filler)) = out.split_first_chunk_mut::<HEAD_BYTES>() else {
        return out.copy_from_slice(pool.slice(seed, version, out.len()));
    };
    let (first, second) = tail(version, field);
    head[0..2].copy_from_slice(&seed.digits.high.to_le_bytes());
    head[2..10].copy_from_slice(&seed.digits.low.to_le_bytes());
    head[10..18].copy_from_slice(&first.to_le_bytes());
    head[17..25].copy_from_slice(&second.to_le_bytes());
    copy(pool.slice(seed, version, filler.len()), filler);
}

/// Whether `text` is that of a row at `version` in field `field`, filler and all.
#[inline(always)]
pub(crate) fn matches(pool: &Pool, seed: &RowSeed, version: u32, field: u32, text: &[u8]) -> bool {
    let Some((head, filler)) = text.split_first_chunk::<HEAD_BYTES>() else {
        return text == pool.slice(seed, version, text.len());
    };
    let (first, second) = tail(version, field);
    let high = u16::from_le_bytes([head[0], head[1]]);
    let differs = u64::from(high ^ seed.digits.high)
        | (word(head, 2) ^ seed.digits.low)
        | (word(head, 10) ^ first)
        | (word(head, 17) ^ second);
    differs == 0 && same(filler, pool.slice(seed, version, filler.len()))
}

/// The bytes of a constant text, without end.
pub(crate) fn constant() -> impl Iterator<Item = u8> {
    b"1234567890".iter().copied().cycle()
}

/// Eight bytes of a head from `at` on; the head is longer.
#[inline(always)]
fn word(head: &[u8; HEAD_BYTES], at: usize) -> u64 {
    head[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Bytes 10 to 17 and 17 to 24 of a head, `:version:field:`, as two words that share byte 17.
#[inline(always)]
fn tail(version: u32, field: u32) -> (u64, u64) {
    let field = u64::from(field / 10 + b'0' as u32) | (u64::from(field % 10 + b'0' as u32) << 8);
    // "0000:" before the field and ':' after it.
    const AROUND: u64 = u64::from_le_bytes(*b"0000:\0\0:");
    if version == 0 {
        return (u64::from_le_bytes(*b":0000000"), AROUND | (field << 40));
    }
    let digits = Digits::of(version);
    let first = u64::from(b':') | (u64::from(digits.high) << 8) | (digits.low << 24);
    let last_four = digits.low >> 32;
    (first, last_four | (AROUND & !0xffff_ffff) | (field << 40))
}

/// Copies. A short text is moved as its first and its last bytes, which may overlap: there is no loop to go round.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    match to.len() {
        64..=128 => copy_ends::<64>(from, to),
        32..=63 => copy_ends::<32>(from, to),
        16..=31 => copy_ends::<16>(from, to),
        _ => to.copy_from_slice(from),
    }
}

#[inline(always)]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        if let Some(to) = to.first_chunk_mut::<N>() {
            *to = *first;
        }
        if let Some(to) = to.last_chunk_mut::<N>() {
            *to = *last;
        }
    }
}

/// Whether both are equal, compared as they are copied; they have the same length.
#[inline(always)]
fn same(one: &[u8], two: &[u8]) -> bool {
    match one.len() {
        64..=128 => same_ends::<64>(one, two),
        32..=63 => same_ends::<32>(one, two),
        16..=31 => same_ends::<16>(one, two),
        _ => one == two,
    }
}

#[inline(always)]
fn same_ends<const N: usize>(one: &[u8], two: &[u8]) -> bool {
    match (one.first_chunk::<N>(), two.first_chunk::<N>(), one.last_chunk::<N>(), two.last_chunk::<N>()) {
        // Both are compared: a jump between them costs more than the second.
        (Some(first), Some(other_first), Some(last), Some(other_last)) => {
            difference(first, other_first) | difference(last, other_last) == 0
        }
        _ => false,
    }
}

/// The bits in which two arrays differ, all words over each other. Written out, since the compiler calls the C library
/// to compare arrays as long as these; this becomes vector instructions. `N` is a multiple of 8.
#[inline(always)]
fn difference<const N: usize>(one: &[u8; N], two: &[u8; N]) -> u64 {
    let (one, two) = (one.as_chunks::<8>().0, two.as_chunks::<8>().0);
    let mut differs = 0;
    for at in 0..N / 8 {
        differs |= u64::from_le_bytes(one[at]) ^ u64::from_le_bytes(two[at]);
    }
    differs
}
