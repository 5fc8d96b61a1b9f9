//! Ten-digit decimal numbers, eight of their digits in one machine word.
//!
//! A value carries its row and version as digits, so every operation formats and compares twenty
//! of them. Three digits at a time keep that below the cost of one clock read.

/// Number of digits of a row or version inside a value or a text key.
pub(crate) const DIGITS: usize = 10;

const EIGHT: u64 = 100_000_000;

/// The three ASCII digits of every number below 1000, most significant first in memory order: 4 KB that the
/// first-level cache holds easily, for half the steps of arithmetic.
static THREE_DIGITS: [u32; 1000] = {
    let mut table = [0; 1000];
    let mut number = 0;
    while number < 1000 {
        table[number as usize] = 0x0030_3030 + number / 100 + ((number / 10 % 10) << 8) + ((number % 10) << 16);
        number += 1;
    }
    table
};

#[inline(always)]
fn three_digits(number: u64) -> u64 {
    u64::from(THREE_DIGITS[(number % 1000) as usize])
}

/// The ASCII digits of `number` (below 10^8), most significant first in memory order.
#[inline(always)]
fn eight_digits(number: u64) -> u64 {
    let (thousands, millions) = (number / 1000, number / 1_000_000);
    (three_digits(millions) >> 8) | (three_digits(thousands) << 16) | (three_digits(number) << 40)
}

/// Ten digits as two machine words: made once an operation, then written and compared without taking them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    /// The first two digits in memory order.
    pub(crate) high: u16,
    /// The other eight.
    pub(crate) low: u64,
}

impl Digits {
    /// The digits of `number`.
    #[inline(always)]
    pub fn of(number: u32) -> Digits {
        let number = u64::from(number);
        // Most numbers have at most eight digits; the branch is cheaper than the division.
        if number < EIGHT {
            return Digits { high: 0x3030, low: eight_digits(number) };
        }
        let (high, low) = (number / EIGHT, number % EIGHT);
        Digits { high: 0x3030 + (high / 10) as u16 + (((high % 10) as u16) << 8), low: eight_digits(low) }
    }

    /// The digits as bytes.
    #[inline(always)]
    pub fn bytes(&self) -> [u8; DIGITS] {
        let mut out = [0u8; DIGITS];
        out[..2].copy_from_slice(&self.high.to_le_bytes());
        out[2..].copy_from_slice(&self.low.to_le_bytes());
        out
    }
}

/// Reads ten digits; `None` where a byte is no digit or the number does not fit.
pub(crate) fn parse(bytes: &[u8]) -> Option<u32> {
    parse_some(bytes, DIGITS)
}

/// As [`parse`], of so many digits.
#[inline(always)]
pub(crate) fn parse_some(bytes: &[u8], digits: usize) -> Option<u32> {
    if bytes.len() != digits {
        return None;
    }
    let mut number = 0u64;
    for &byte in bytes {
        if !byte.is_ascii_digit() {
            return None;
        }
        number = number * 10 + u64::from(byte - b'0');
    }
    u32::try_from(number).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_the_standard_formatter(number: u32) {
            let written = Digits::of(number).bytes();
            let expected = format!("{number:010}");
            prop_assert_eq!(&written[..], expected.as_bytes());
            prop_assert_eq!(parse(&written), Some(number));
        }
    }

    #[test]
    fn other_bytes_than_digits_are_refused() {
        assert_eq!(parse(b"00000000x1"), None);
        assert_eq!(parse(b"9999999999"), None);
        assert_eq!(parse(b"1"), None);
        assert_eq!((parse_some(b"000042", 6), parse_some(b"000042", 7)), (Some(42), None));
    }
}
