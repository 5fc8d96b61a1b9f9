//! Keys as bytes whose order is that of the rows.

use kurabe_protocol::FieldType;
use kurabe_protocol::value::{TEXT_KEY_BYTES, row_of_text_key};

use crate::adapter::Key;

/// The bytes of a key: an int64 as 8 bytes big-endian, a text as it is.
pub(crate) enum KeyBytes<'a> {
    Int([u8; 8]),
    Text(&'a [u8; TEXT_KEY_BYTES]),
}

impl KeyBytes<'_> {
    #[inline(always)]
    pub(crate) fn of(key: &Key, key_type: FieldType) -> KeyBytes<'_> {
        match key_type {
            FieldType::Int64 => KeyBytes::Int(key.int().to_be_bytes()),
            FieldType::Text | FieldType::Bytes => KeyBytes::Text(key.text_bytes()),
        }
    }

    #[inline(always)]
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            KeyBytes::Int(bytes) => bytes,
            KeyBytes::Text(bytes) => *bytes,
        }
    }
}

/// The row's number in its key; `u32::MAX` where the key is none of ours.
#[inline(always)]
pub(crate) fn row_number(key: &[u8], key_type: FieldType) -> u32 {
    let number = match key_type {
        FieldType::Int64 => key.try_into().ok().and_then(|bytes| u32::try_from(i64::from_be_bytes(bytes)).ok()),
        FieldType::Text | FieldType::Bytes => row_of_text_key(key),
    };
    number.unwrap_or(u32::MAX)
}
