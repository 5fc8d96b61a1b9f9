//! Keys as bytes, for stores that know nothing else: an int64 key is 8 bytes big-endian, so that the order of bytes is
//! that of the numbers; a text key is its bytes.

use std::ffi::c_int;

use kurabe_protocol::FieldType;
use kurabe_protocol::value::{TEXT_KEY_BYTES, row_of_text_key};

use crate::adapter::Key;

/// Longest decimal number: that of the least int64.
const DECIMAL_BYTES: usize = 20;

/// The bytes of a key, or a decimal number.
#[derive(Clone, Copy)]
pub(crate) struct KeyBytes {
    bytes: [u8; DECIMAL_BYTES],
    /// First of them that counts.
    start: u8,
    end: u8,
}

impl KeyBytes {
    /// The key as it is stored.
    #[inline(always)]
    pub(crate) fn of(key: &Key, key_type: FieldType) -> KeyBytes {
        let mut bytes = [0; DECIMAL_BYTES];
        let end = match key_type {
            FieldType::Int64 => {
                bytes[..8].copy_from_slice(&key.int().to_be_bytes());
                8
            }
            FieldType::Text | FieldType::Bytes => {
                bytes[..TEXT_KEY_BYTES].copy_from_slice(key.text_bytes());
                TEXT_KEY_BYTES as u8
            }
        };
        KeyBytes { bytes, start: 0, end }
    }

    /// `number` in digits.
    #[inline]
    pub(crate) fn decimal(number: i64) -> KeyBytes {
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
        KeyBytes { bytes, start: start as u8, end: DECIMAL_BYTES as u8 }
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[usize::from(self.start)..usize::from(self.end)]
    }

    /// Their number, as C libraries take it.
    #[inline(always)]
    pub(crate) fn len(&self) -> c_int {
        c_int::from(self.end - self.start)
    }
}

/// The row's number in a stored key; `u32::MAX` where the key is none of ours.
pub(crate) fn row_number(key: &[u8], key_type: FieldType) -> u32 {
    let number = match key_type {
        FieldType::Int64 => key.try_into().ok().and_then(|bytes| u32::try_from(i64::from_be_bytes(bytes)).ok()),
        FieldType::Text | FieldType::Bytes => row_of_text_key(key),
    };
    number.unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_digits() {
        for number in [0, 7, 10, 4_294_967_295, i64::MAX, i64::MIN, -12] {
            assert_eq!(KeyBytes::decimal(number).bytes(), number.to_string().as_bytes());
            assert_eq!(KeyBytes::decimal(number).len() as usize, number.to_string().len());
        }
    }
}
