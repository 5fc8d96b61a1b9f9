//! Keys as bytes, for stores that know nothing else: an int64 key is 8 bytes big-endian, so that the order of bytes is
//! that of the numbers; a text key is its bytes.

use std::ffi::c_int;

use crate::adapter::Key;

/// Longest decimal number: that of the least int64.
const DECIMAL_BYTES: usize = 20;

/// The bytes of a key, or a decimal number.
#[derive(Clone, Copy)]
pub enum KeyBytes<'a> {
    /// An int64 key.
    Int([u8; 8]),
    /// A text key.
    Text(&'a [u8]),
    /// A number in digits, the last of the bytes from `start` on.
    Decimal {
        /// Room for the longest.
        bytes: [u8; DECIMAL_BYTES],
        /// Where the digits begin.
        start: u8,
    },
}

impl<'a> KeyBytes<'a> {
    /// The key as it is stored.
    #[inline(always)]
    pub fn of(key: &'a Key) -> KeyBytes<'a> {
        if key.is_text() { KeyBytes::Text(key.text_bytes()) } else { KeyBytes::Int(key.int().to_be_bytes()) }
    }

    /// `number` in digits.
    #[inline]
    pub fn decimal(number: i64) -> KeyBytes<'static> {
        let mut bytes = [0; DECIMAL_BYTES];
        let (mut start, mut left) = (DECIMAL_BYTES, number.unsigned_abs());
        loop {
            start -= 1;
            bytes[start] = b'0' + (left % 10) as u8;
            left /= 10;
            if left == 0 {
                break;
            }
        }
        if number < 0 {
            start -= 1;
            bytes[start] = b'-';
        }
        KeyBytes::Decimal { bytes, start: start as u8 }
    }

    /// The bytes themselves.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        match self {
            KeyBytes::Int(bytes) => bytes,
            KeyBytes::Text(bytes) => bytes,
            KeyBytes::Decimal { bytes, start } => &bytes[usize::from(*start)..],
        }
    }

    /// Their number, as C libraries take it.
    #[inline(always)]
    pub fn c_len(&self) -> c_int {
        // A key has at most 255 bytes.
        self.bytes().len() as c_int
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_digits() {
        for number in [0, 7, 10, 4_294_967_295, i64::MAX, i64::MIN, -12] {
            assert_eq!(KeyBytes::decimal(number).bytes(), number.to_string().as_bytes());
            assert_eq!(KeyBytes::decimal(number).c_len() as usize, number.to_string().len());
        }
    }
}
