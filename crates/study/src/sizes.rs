//! The sizes of a study: how many rows, how many rounds of each.

use kurabe_protocol::stream;
use serde::Deserialize;

use crate::error::StudyError;
use crate::study::Overrides;

/// Most rows: their numbers are 32 bits wide in the streams.
pub(crate) const MAX_ROWS: u64 = 4_000_000_000;
/// Most sizes: more would be a mistake in typing.
const MAX_SIZES: usize = 20;

/// A `[[size]]` of a study.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireSize {
    pub(crate) rows: u64,
    /// Of this size and of larger ones that do not say otherwise.
    #[serde(default)]
    pub(crate) rounds: Option<u32>,
}

/// Rows and rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) rows: u64,
    pub(crate) rounds: u32,
}

/// The sizes of a study, ascending and at least one: `rows` or the tables `wire` of the file, unless the command line says
/// otherwise. Rows are rounded up to a multiple of `connections`.
pub(crate) fn sizes(
    origin: &str,
    rows: Option<u64>,
    wire: &[WireSize],
    rounds: u32,
    connections: u32,
    overrides: &Overrides,
) -> Result<Vec<Size>, StudyError> {
    let problem = |problem: String| StudyError::value(origin, problem);
    let asked: Vec<u64> = match (&overrides.sizes, overrides.rows, rows, wire) {
        (Some(sizes), ..) => sizes.clone(),
        (None, Some(rows), ..) => vec![rows],
        (None, None, Some(rows), []) => vec![rows],
        (None, None, None, [_, ..]) => wire.iter().map(|size| size.rows).collect(),
        _ => return Err(problem("give either rows, or a [[size]] with its rows for each of several sizes".into())),
    };
    if asked.len() > MAX_SIZES {
        return Err(problem(format!("{} sizes are too many; give at most {MAX_SIZES}", asked.len())));
    }
    let mut steps = wire.to_vec();
    steps.sort_by_key(|step| step.rows);
    let rounds_at = |rows: u64| {
        let told = steps.iter().rev().filter(|step| step.rows <= rows).find_map(|step| step.rounds);
        overrides.rounds.or(told).unwrap_or(rounds)
    };
    let mut sizes: Vec<Size> = Vec::new();
    for rows in asked {
        if rows == 0 || rows > MAX_ROWS {
            return Err(problem(format!("rows must be from 1 to {MAX_ROWS}, got {rows}")));
        }
        let size = Size { rows: stream::round_up(rows, connections), rounds: rounds_at(rows) };
        if size.rounds == 0 || size.rounds > 1000 {
            return Err(problem(format!("rounds must be from 1 to 1000, got {}", size.rounds)));
        }
        if sizes.iter().any(|other| other.rows == size.rows) {
            let rounded = if rows == size.rows { "" } else { ", rounded up to a multiple of the connections" };
            return Err(problem(format!("the size of {} rows is named twice{rounded}", size.rows)));
        }
        sizes.push(size);
    }
    sizes.sort_by_key(|size| size.rows);
    Ok(sizes)
}

/// Reads sizes such as `10k,100k,1m` or `250000`, separated by commas.
///
/// # Errors
/// A text that is no size, and none at all.
pub fn parse_sizes(origin: &str, text: &str) -> Result<Vec<u64>, StudyError> {
    text.split(',').map(|size| parse_size(origin, size.trim())).collect()
}

fn parse_size(origin: &str, text: &str) -> Result<u64, StudyError> {
    let problem = || StudyError::value(origin, format!("'{text}' is no size; write it like 10k, 1m or 250000"));
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
