//! One text of a value: `row:version:field:` and filler, written and compared a word at a time.
//!
//! This is the inner loop of every client that is measured against a fast store: no call into libc and no stack
//! buffer that is written in pieces and read back whole (which stalls the processor).

use crate::digits::Digits;
use crate::value::{HEAD_BYTES, Pool, RowSeed};

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

#[inline(always)]
fn word(head: &[u8; HEAD_BYTES], at: usize) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|index| head[at + index]))
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

const BLOCK: usize = 16;

/// Copies, sixteen bytes at a time; the last block may overlap the one before.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    let (Some(from_last), Some(_)) = (from.last_chunk::<BLOCK>(), to.last_chunk::<BLOCK>()) else {
        return to.copy_from_slice(from);
    };
    for (from, to) in from.chunks_exact(BLOCK).zip(to.chunks_exact_mut(BLOCK)) {
        to.copy_from_slice(from);
    }
    if let Some(to_last) = to.last_chunk_mut::<BLOCK>() {
        *to_last = *from_last;
    }
}

/// Whether both are equal, sixteen bytes at a time; they have the same length.
///
/// Two lanes that are never joined before the end keep the whole loop in one vector register.
#[inline(always)]
fn same(one: &[u8], two: &[u8]) -> bool {
    let (Some(one_last), Some(two_last)) = (one.last_chunk::<BLOCK>(), two.last_chunk::<BLOCK>()) else {
        return one == two;
    };
    let mut differs = lanes(one_last, two_last);
    for (one, two) in one.as_chunks::<BLOCK>().0.iter().zip(two.as_chunks::<BLOCK>().0) {
        let more = lanes(one, two);
        differs = [differs[0] | more[0], differs[1] | more[1]];
    }
    differs[0] | differs[1] == 0
}

#[inline(always)]
fn lanes(one: &[u8; BLOCK], two: &[u8; BLOCK]) -> [u64; 2] {
    let lane = |block: &[u8; BLOCK], at: usize| u64::from_ne_bytes(std::array::from_fn(|index| block[at + index]));
    [lane(one, 0) ^ lane(two, 0), lane(one, 8) ^ lane(two, 8)]
}
