//! Numbers of rows as people write them.

use kurabe_messages::message;

use crate::error::StudyError;

/// Most rows: their numbers are 32 bits wide in the streams.
pub(crate) const MAX_ROWS: u64 = 4_000_000_000;

/// Reads sizes such as `10k,100k,1m` or `250000`, separated by commas.
///
/// # Errors
/// A text that is no size, and none at all.
pub fn parse_sizes(origin: &str, text: &str) -> Result<Vec<u64>, StudyError> {
    text.split(',').map(|size| parse_size(origin, size.trim())).collect()
}

/// Reads one size such as `10k`.
///
/// # Errors
/// A text that is no size.
pub fn parse_size(origin: &str, text: &str) -> Result<u64, StudyError> {
    let problem =
        || StudyError::value(origin, message!(study_invalid, value = text, expected = message!(study_a_size)));
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1_000),
        Some((at, 'm' | 'M')) => (&text[..at], 1_000_000),
        _ => (text, 1),
    };
    let digits = digits.replace('_', "");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(problem());
    }
    digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)).ok_or_else(problem)
}
